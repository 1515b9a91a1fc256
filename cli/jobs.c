#include "cli.h"
#include "base/host/host.h"
#include "base/text.h"
#include "report/terminal.h"
#include "wgtune/job.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".job.json"
#define MAX_JOBS 256

#ifndef WGT_DATADIR
#define WGT_DATADIR "/usr/local/share/wgtune"
#endif

static bool take_folder(const char *folder, char *path, size_t capacity) {
    if (folder == NULL || !wgt_folder_exists(folder)) {
        return false;
    }
    /* Without "..", for messages that name a job. */
    char *whole = realpath(folder, NULL);
    size_t size = wgt_format(path, capacity, "%s", whole != NULL ? whole : folder);
    free(whole);
    return size > 0;
}

bool wgt_cli_kernels(char *path, size_t capacity) {
    if (take_folder(getenv("WGTUNE_KERNELS"), path, capacity)) {
        return true;
    }
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    const char *program = wgt_program_path(&arena);
    bool found = false;
    static const char *const places[] = {"../kernels", "../share/wgtune/kernels"};
    for (size_t i = 0; program != NULL && !found && i < sizeof places / sizeof *places; i++) {
        found = take_folder(wgt_path_join(&arena, wgt_path_folder(wgt_str_from(program)), wgt_str_from(places[i])),
                            path, capacity);
    }
    wgt_arena_release(&arena);
    return found || take_folder(WGT_DATADIR "/kernels", path, capacity);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names of the built-in jobs, sorted; each to be freed. */
static size_t list_jobs(const char *folder, char *names[MAX_JOBS]) {
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        size_t size = strlen(e->d_name);
        if (count < MAX_JOBS && size > strlen(SUFFIX) && strcmp(e->d_name + size - strlen(SUFFIX), SUFFIX) == 0) {
            char *name = strndup(e->d_name, size - strlen(SUFFIX));
            if (name != NULL) {
                names[count++] = name;
            }
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    qsort(names, count, sizeof *names, by_name);
    return count;
}

static void free_names(char *names[MAX_JOBS], size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
}

static wgt_status no_such_job(const char *name, const char *folder) {
    char *names[MAX_JOBS];
    size_t count = folder == NULL ? 0 : list_jobs(folder, names);
    const char *nearest = wgt_cli_nearest(name, (const char *const *)names, count);
    if (nearest != NULL) {
        fprintf(stderr, "wgtune: no job '%s', did you mean '%s'?\n", name, nearest);
    } else {
        fprintf(stderr, "wgtune: no job file '%s' and no built-in job of that name; `wgtune jobs` lists them\n",
                name);
    }
    free_names(names, count);
    return WGT_BAD_INPUT;
}

wgt_status wgt_cli_job_path(const char *name, char *path, size_t capacity) {
    if (wgt_file_exists(name)) {
        return wgt_format(path, capacity, "%s", name) == strlen(name)
                   ? WGT_OK
                   : wgt_cli_fail(WGT_BAD_INPUT, "the job's path is too long");
    }
    char folder[4096];
    bool found = wgt_cli_kernels(folder, sizeof folder);
    if (found && strchr(name, '/') == NULL) {
        wgt_format(path, capacity, "%s/%s" SUFFIX, folder, name);
        if (wgt_file_exists(path)) {
            return WGT_OK;
        }
    }
    return no_such_job(name, found ? folder : NULL);
}

static wgt_status describe_job(const char *folder, const char *name, size_t width) {
    char path[4400];
    wgt_format(path, sizeof path, "%s/%s" SUFFIX, folder, name);
    const wgt_job_options options = {0};
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    wgt_status status = wgt_job_load(&options, path, &job, &error);
    if (status != WGT_OK) {
        return wgt_cli_fail(status, error.message);
    }
    const wgt_job_info *info = wgt_job_get_info(job);
    printf("%-*s  %.*s:%.*s ", (int)width, name, (int)info->kernel.size, info->kernel.data,
           (int)info->entry.size, info->entry.data);
    for (size_t i = 0; i < info->problem_count; i++) {
        char number[64];
        wgt_report_count(info->problem[i].value, number, sizeof number);
        printf("%s%.*s = %s", i == 0 ? " " : ", ", (int)info->problem[i].name.size, info->problem[i].name.data,
               number);
    }
    printf("\n");
    wgt_job_destroy(&job);
    return WGT_OK;
}

static void print_json(char *const names[], size_t count, const char *folder) {
    printf("[");
    for (size_t i = 0; i < count; i++) {
        char memory[8192];
        wgt_out out;
        wgt_out_init(&out, memory, sizeof memory);
        wgt_putf(&out, "%s/%s" SUFFIX, folder, names[i]);
        printf("%s\n  {\"name\": \"%s\", \"file\": \"", i == 0 ? "" : ",", names[i]);
        for (size_t k = 0; k < out.size; k++) {
            if (memory[k] == '"' || memory[k] == '\\') {
                putchar('\\');
            }
            putchar(memory[k]);
        }
        printf("\"}");
    }
    printf("\n]\n");
}

wgt_status wgt_cli_jobs(int argc, char **argv) {
    bool json = false;
    const wgt_cli_option options[] = {
        {"json", 0, WGT_CLI_FLAG, &json, NULL, "names and files as JSON"}, {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune jobs [--json]", options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    char folder[4096];
    if (!wgt_cli_kernels(folder, sizeof folder)) {
        return wgt_cli_fail(WGT_BAD_INPUT, "the built-in jobs were not found; WGTUNE_KERNELS can name their folder");
    }
    char *names[MAX_JOBS];
    size_t count = list_jobs(folder, names), width = 0;
    for (size_t i = 0; i < count; i++) {
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    }
    if (json) {
        print_json(names, count, folder);
    }
    for (size_t i = 0; i < count && !json && status == WGT_OK; i++) {
        status = describe_job(folder, names[i], width);
    }
    free_names(names, count);
    return status;
}
