#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host/host.h"
#include "wgtune/wisdom.h"

static char root[64], folder[80];
static char *sample; /* the text of an entry */
static size_t sample_size;

static int read_sample(void **state) {
    (void)state;
    char path[512];
    const char *data = getenv("WGTUNE_TEST_DATA");
    wgt_arena arena;
    wgt_str text;
    wgt_error error;
    snprintf(path, sizeof path, "%s/job/entry.json", data ? data : "tests/data");
    wgt_arena_init(&arena, wgt_heap());
    if (wgt_file_read(path, 0, &arena, &text, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    sample = malloc(text.size + 1);
    memcpy(sample, text.data, text.size + 1);
    sample_size = text.size;
    wgt_arena_release(&arena);
    return 0;
}

static int free_sample(void **state) {
    (void)state;
    free(sample);
    return 0;
}

static int make_root(void **state) {
    (void)state;
    strcpy(root, "/tmp/wgtune-wisdom-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(folder, sizeof folder, "%s/a/b", root);
    return 0;
}

static int drop_root(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", root, root);
    return system(command);
}

/* A result of that job name and problem; to destroy. */
static wgt_result *result_of(const char *job, double n) {
    static wgt_named problems[32];
    static size_t next;
    wgt_result *result;
    wgt_error error;
    if (wgt_entry_read(NULL, WGT_STR("sample"), (wgt_str){sample, sample_size}, &result, &error))
        fail_msg("%s", error.message);
    wgt_named *problem = &problems[next++ % 32];
    *problem = (wgt_named){WGT_STR("n"), n};
    result->job_name = wgt_str_from(job);
    result->problem = problem;
    result->problem_count = 1;
    return result;
}

static wgt_wisdom *open_store(void) {
    wgt_wisdom *wisdom;
    wgt_error error;
    if (wgt_wisdom_open(folder, NULL, &wisdom, &error))
        fail_msg("%s", error.message);
    return wisdom;
}

static void save(const char *job, double n, char name[200]) {
    wgt_wisdom *wisdom = open_store();
    wgt_result *result = result_of(job, n);
    wgt_error error;
    if (wgt_wisdom_save(wisdom, result, name, name ? 200 : 0, &error))
        fail_msg("%s", error.message);
    wgt_result_destroy(&result);
    wgt_wisdom_close(&wisdom);
}

/* The result outlives the store; to destroy. */
static wgt_status find(double n, wgt_result **result, wgt_error *error) {
    wgt_wisdom *wisdom = open_store();
    wgt_result *like = result_of("any", n);
    wgt_key key;
    wgt_key_of_result(&key, like);
    wgt_status status = wgt_wisdom_find(wisdom, &key, result, error);
    wgt_result_destroy(&like);
    wgt_wisdom_close(&wisdom);
    return status;
}

static const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void overwrite(const char *name, const char *text, size_t size) {
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *entry_text(const char *job, double n, size_t *size) {
    wgt_result *result = result_of(job, n);
    *size = 0;
    wgt_entry_write(result, NULL, size);
    size_t capacity = *size + 1;
    char *text = malloc(capacity);
    assert_non_null(text);
    assert_int_equal(wgt_entry_write(result, text, &capacity), WGT_OK);
    text[*size] = '\0';
    wgt_result_destroy(&result);
    return text;
}

static void what_is_saved_is_found(void **state) {
    (void)state;
    char name[200], again[200];
    wgt_result *found;
    wgt_error error;
    assert_int_equal(find(7, &found, &error), WGT_NEGATIVE);
    assert_null(found);
    assert_false(wgt_folder_exists(root) &&
                 wgt_folder_exists(folder)); /* looking makes no folder */
    save("scatter", 7, name);
    assert_int_equal(strlen(name), strlen("scatter-0123456789abcdef.json"));
    assert_true(wgt_file_exists(in_folder(name)));
    assert_int_equal(find(7, &found, &error), WGT_OK);
    assert_true(wgt_str_is(found->job_name, "scatter"));
    assert_int_equal(found->problem_count, 1);
    assert_true(found->problem[0].value == 7);
    wgt_key key;
    wgt_key_of_result(&key, found);
    wgt_wisdom_name(&key, found->job_name, again, sizeof again);
    assert_string_equal(again, name);
    wgt_result_destroy(&found);
    assert_int_equal(find(8, &found, &error), WGT_NEGATIVE);
    assert_non_null(strstr(error.message, "no entry for this key"));
}

static void a_second_save_replaces_the_first(void **state) {
    (void)state;
    wgt_wisdom *wisdom = open_store();
    wgt_error error;
    for (int i = 0; i < 3; i++) {
        wgt_result *result = result_of("j", 1);
        result->tolerance = 0.01 * (i + 1);
        assert_int_equal(wgt_wisdom_save(wisdom, result, NULL, 0, &error), WGT_OK);
        wgt_result_destroy(&result);
    }
    wgt_arena arena;
    wgt_str *names;
    size_t count;
    wgt_arena_init(&arena, wgt_heap());
    assert_int_equal(wgt_folder_list(folder, &arena, &names, &count, NULL), WGT_OK);
    assert_int_equal(count, 1);
    wgt_arena_release(&arena);
    wgt_result *found;
    assert_int_equal(find(1, &found, &error), WGT_OK);
    assert_true(found->tolerance == 0.03);
    wgt_result_destroy(&found);
    wgt_wisdom_close(&wisdom);
}

static void the_newest_of_two_names_is_taken(void **state) {
    (void)state;
    char first[200], second[200];
    wgt_result *found;
    wgt_error error;
    save("zz", 5, first);
    save("aa", 5, second);
    for (int newer = 0; newer < 2; newer++) {
        const struct timespec old[2] = {{1000, 0}, {1000, 0}}, young[2] = {{2000, 0}, {2000, 0}};
        assert_int_equal(utimensat(AT_FDCWD, in_folder(first), newer ? young : old, 0), 0);
        assert_int_equal(utimensat(AT_FDCWD, in_folder(second), newer ? old : young, 0), 0);
        assert_int_equal(find(5, &found, &error), WGT_OK);
        assert_true(wgt_str_is(found->job_name, newer ? "zz" : "aa"));
        wgt_result_destroy(&found);
    }
}

static void names_are_safe(void **state) {
    (void)state;
    static const struct {
        const char *job, *start;
    } cases[] = {{"a/../b c", "a-..-b-c-"},
                 {"", "job-"},
                 {"x_1.y-2", "x_1.y-2-"},
                 {"na\xc3\xafve", "na--ve-"}};
    wgt_key key;
    wgt_result *result = result_of("j", 1);
    char name[300];
    wgt_key_of_result(&key, result);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wgt_wisdom_name(&key, wgt_str_from(cases[i].job), name, sizeof name);
        assert_int_equal(strncmp(name, cases[i].start, strlen(cases[i].start)), 0);
        assert_int_equal(strlen(name), strlen(cases[i].start) + 16 + 5);
        assert_int_equal(strspn(name + strlen(cases[i].start), "0123456789abcdef"), 16);
    }
    char longest[600];
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    wgt_wisdom_name(&key, wgt_str_from(longest), name, sizeof name);
    assert_true(strlen(name) < 200 && wgt_str_ends(wgt_str_from(name), ".json"));
    wgt_result_destroy(&result);
    save(longest, 3, NULL);
    save("../../etc", 4, name);
    assert_true(wgt_file_exists(in_folder(name)));
}

static void damaged_entries_are_set_aside(void **state) {
    (void)state;
    char name[200], aside[220];
    size_t size;
    wgt_result *found;
    wgt_error error;
    char *text = entry_text("j", 1, &size);
    save("j", 1, name);
    snprintf(aside, sizeof aside, "%s.damaged", name);
    static const size_t parts[] = {0, 1, 100}; /* per cent kept */
    for (size_t i = 0; i < 4; i++) {
        size_t keep = i < 3 ? size * parts[i] / 100 : size / 2;
        if (i == 2)
            text[size / 2] = '\xff';
        overwrite(name, text, keep);
        assert_int_equal(find(1, &found, &error), WGT_BAD_INPUT);
        assert_null(found);
        assert_int_equal(strncmp(error.message, folder, strlen(folder)), 0);
        assert_non_null(strstr(error.message, "set aside as "));
        assert_false(wgt_file_exists(in_folder(name)));
        assert_true(wgt_file_exists(in_folder(aside)));
        /* Asked again there is nothing; saved again it is there. */
        assert_int_equal(find(1, &found, &error), WGT_NEGATIVE);
        save("j", 1, NULL);
        assert_int_equal(find(1, &found, &error), WGT_OK);
        wgt_result_destroy(&found);
    }
    free(text);
    /* Whole, but another key's: put there by hand, or one of two keys with the same hash. */
    text = entry_text("j", 2, &size);
    overwrite(name, text, size);
    assert_int_equal(find(1, &found, &error), WGT_BAD_INPUT);
    assert_non_null(strstr(error.message, "holds another key than its name says; set aside as"));
    assert_int_equal(find(1, &found, &error), WGT_NEGATIVE);
    free(text);
}

static void newer_formats_stay(void **state) {
    (void)state;
    char name[200];
    size_t size;
    wgt_result *found;
    wgt_error error;
    save("j", 1, name);
    char *text = entry_text("j", 1, &size);
    char *format = strstr(text, "\"format\": 1");
    assert_non_null(format);
    format[strlen("\"format\": ")] = '2';
    overwrite(name, text, size);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(find(1, &found, &error), WGT_BAD_INPUT);
        assert_non_null(strstr(error.message, "format 2"));
        assert_null(strstr(error.message, "set aside"));
        assert_true(wgt_file_exists(in_folder(name)));
    }
    free(text);
}

typedef struct seen {
    size_t good, bad, stop_after;
    char names[1000], why[WGT_ERROR_SIZE];
} seen;

static bool look(void *user, const char *name, const wgt_result *result, const wgt_error *error) {
    seen *s = user;
    snprintf(s->names + strlen(s->names), sizeof s->names - strlen(s->names), "%.3s ", name);
    s->good += result != NULL;
    if (!result) {
        s->bad++;
        snprintf(s->why, sizeof s->why, "%s", error->message);
    }
    return s->good + s->bad != s->stop_after;
}

static void each_walks_in_order(void **state) {
    (void)state;
    wgt_wisdom *wisdom = open_store();
    wgt_error error = {""};
    seen s = {0};
    assert_int_equal(wgt_wisdom_each(wisdom, look, &s, &error), WGT_OK);
    assert_int_equal(s.good + s.bad, 0);
    char name[200];
    save("ccc", 1, name);
    save("aaa", 2, NULL);
    save("bbb", 3, NULL);
    overwrite(name, "{", 1);
    overwrite("ddd.json.damaged", "{", 1);
    overwrite("eee.json.12-0.tmp", "{", 1);
    overwrite("fff.txt", "{", 1);
    assert_int_equal(wgt_wisdom_each(wisdom, look, &s, &error), WGT_OK);
    assert_string_equal(s.names, "aaa bbb ccc ");
    assert_int_equal(s.good, 2);
    assert_int_equal(s.bad, 1);
    assert_non_null(strstr(s.why, name));
    assert_true(wgt_file_exists(in_folder(name))); /* a walk moves nothing */
    seen first = {.stop_after = 1};
    assert_int_equal(wgt_wisdom_each(wisdom, look, &first, &error), WGT_OK);
    assert_string_equal(first.names, "aaa ");
    wgt_wisdom_close(&wisdom);
}

static void forgetting_takes_one_entry(void **state) {
    (void)state;
    char name[200], path[300];
    wgt_result *found;
    wgt_error error;
    save("one", 1, name);
    save("two", 2, NULL);
    wgt_wisdom *wisdom = open_store();
    assert_int_equal(wgt_wisdom_forget(wisdom, "none.json", &error), WGT_NEGATIVE);
    assert_non_null(strstr(error.message, "no entry is named 'none.json'"));
    assert_int_equal(wgt_wisdom_forget(wisdom, name, &error), WGT_OK);
    assert_int_equal(wgt_wisdom_forget(wisdom, name, &error), WGT_NEGATIVE);
    assert_int_equal(find(1, &found, &error), WGT_NEGATIVE);
    assert_int_equal(find(2, &found, &error), WGT_OK);
    wgt_result_destroy(&found);
    /* No way out of the folder, and nothing that is no entry. */
    snprintf(path, sizeof path, "%s/victim.json", root);
    assert_int_equal(wgt_file_write_atomic(path, WGT_STR("{}"), &error), WGT_OK);
    overwrite("other.txt", "x", 1);
    static const char *const wrong[] = {"../../victim.json", "other.txt", "", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wgt_wisdom_forget(wisdom, wrong[i], &error), WGT_NEGATIVE);
    assert_int_equal(wgt_wisdom_forget(wisdom, path, &error), WGT_NEGATIVE);
    assert_true(wgt_file_exists(path) && wgt_file_exists(in_folder("other.txt")));
    wgt_wisdom_close(&wisdom);
}

static void the_folder_comes_from_the_environment(void **state) {
    (void)state;
    static const struct {
        const char *own, *cache, *home, *folder;
    } cases[] = {{"/own", "/cache", "/home/x", "/own"},
                 {NULL, "/cache", "/home/x", "/cache/wgtune"},
                 {"", "/cache/", NULL, "/cache/wgtune"},
                 {NULL, "relative", "/home/x", "/home/x/.cache/wgtune"},
                 {NULL, NULL, "/home/x", "/home/x/.cache/wgtune"},
                 {NULL, "", "", NULL},
                 {NULL, "relative", NULL, NULL},
                 {"here", NULL, NULL, "here"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const values[] = {cases[i].own, cases[i].cache, cases[i].home};
        static const char *const variables[] = {"WGTUNE_WISDOM", "XDG_CACHE_HOME", "HOME"};
        for (size_t v = 0; v < 3; v++)
            if (values[v])
                setenv(variables[v], values[v], 1);
            else
                unsetenv(variables[v]);
        wgt_wisdom *wisdom;
        wgt_error error;
        wgt_status status = wgt_wisdom_open(i % 2 ? NULL : "", NULL, &wisdom, &error);
        assert_int_equal(status, cases[i].folder ? WGT_OK : WGT_USAGE);
        if (cases[i].folder)
            assert_string_equal(wgt_wisdom_folder(wisdom), cases[i].folder);
        else
            assert_non_null(strstr(error.message, "WGTUNE_WISDOM, XDG_CACHE_HOME and HOME"));
        wgt_wisdom_close(&wisdom);
        assert_null(wisdom);
    }
}

static void what_cannot_be_saved_says_why(void **state) {
    (void)state;
    wgt_error error;
    wgt_result *result = result_of("j", 1), *found;
    /* A file where the folder should be. */
    snprintf(folder, sizeof folder, "%s/file", root);
    assert_int_equal(wgt_file_write_atomic(folder, WGT_STR("x"), &error), WGT_OK);
    wgt_wisdom *wisdom = open_store();
    assert_int_equal(wgt_wisdom_save(wisdom, result, NULL, 0, &error), WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "file: a part of the path is no folder"));
    assert_int_equal(find(1, &found, &error), WGT_BAD_INPUT);
    wgt_wisdom_close(&wisdom);
    /* A symbolic link to a folder is fine, one to nowhere is not. */
    snprintf(folder, sizeof folder, "%s/link", root);
    assert_int_equal(symlink("nowhere", folder), 0);
    wisdom = open_store();
    assert_int_equal(wgt_wisdom_save(wisdom, result, NULL, 0, &error), WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "link: a symbolic link that leads nowhere"));
    char target[100];
    snprintf(target, sizeof target, "%s/nowhere", root);
    assert_int_equal(wgt_folder_create(target, &error), WGT_OK);
    assert_int_equal(wgt_wisdom_save(wisdom, result, NULL, 0, &error), WGT_OK);
    assert_int_equal(find(1, &found, &error), WGT_OK);
    wgt_result_destroy(&found);
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(target, 0500), 0);
        assert_int_equal(wgt_wisdom_save(wisdom, result, NULL, 0, &error), WGT_NOT_SAVED);
        assert_non_null(strstr(error.message, "permission denied"));
        assert_int_equal(find(1, &found, &error), WGT_OK); /* the old one is whole */
        wgt_result_destroy(&found);
        assert_int_equal(chmod(target, 0000), 0);
        assert_int_equal(find(1, &found, &error), WGT_BAD_INPUT);
        assert_non_null(strstr(error.message, "permission denied"));
        assert_int_equal(chmod(target, 0700), 0);
    }
    wgt_wisdom_close(&wisdom);
    wgt_result_destroy(&result);
}

/* Two processes save the same key over and over while this one reads: each reading is whole. */
static void savers_never_leave_half_a_file(void **state) {
    (void)state;
    wgt_error error;
    wgt_result *found;
    save("j", 1, NULL);
    pid_t children[2];
    for (int c = 0; c < 2; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) {
            wgt_wisdom *wisdom = open_store();
            wgt_result *result = result_of("j", 1);
            int failures = 0;
            for (int i = 0; i < 60; i++)
                failures += wgt_wisdom_save(wisdom, result, NULL, 0, NULL) != WGT_OK;
            _exit(failures ? 1 : 0);
        }
    }
    int running = 2, reads = 0;
    while (running) {
        if (find(1, &found, &error))
            fail_msg("%s", error.message);
        wgt_result_destroy(&found);
        reads++;
        int status;
        while (running && waitpid(-1, &status, WNOHANG) > 0) {
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            running--;
        }
    }
    assert_true(reads > 0);
    wgt_arena arena;
    wgt_str *names;
    size_t count;
    wgt_arena_init(&arena, wgt_heap());
    assert_int_equal(wgt_folder_list(folder, &arena, &names, &count, NULL), WGT_OK);
    assert_int_equal(count, 1); /* no temporary, nothing set aside */
    wgt_arena_release(&arena);
}

typedef struct counting {
    size_t live, calls, fail_at;
} counting;

static void *count_resize(void *user, void *memory, size_t old_size, size_t new_size) {
    counting *c = user;
    if (new_size == 0) {
        c->live -= old_size;
        free(memory);
        return NULL;
    }
    if (++c->calls == c->fail_at)
        return NULL;
    c->live += new_size - old_size;
    return realloc(memory, new_size);
}

static bool ignore(void *user, const char *name, const wgt_result *result, const wgt_error *error) {
    (void)user;
    (void)name;
    (void)result;
    (void)error;
    return true;
}

/* Each allocation fails once: nothing is lost, nothing is set aside, everything is freed. */
static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    save("j", 1, NULL);
    wgt_result *result = result_of("j", 1);
    wgt_key key;
    wgt_key_of_result(&key, result);
    bool all_went_well = false;
    for (size_t fail_at = 1; !all_went_well; fail_at++) {
        counting c = {.fail_at = fail_at};
        wgt_allocator allocator = {count_resize, &c};
        wgt_wisdom *wisdom;
        wgt_result *found = NULL;
        assert_true(fail_at < 1000);
        if (wgt_wisdom_open(folder, &allocator, &wisdom, NULL) == WGT_OK) {
            wgt_status looked = wgt_wisdom_find(wisdom, &key, &found, NULL);
            wgt_status walked = wgt_wisdom_each(wisdom, ignore, NULL, NULL);
            wgt_status saved = wgt_wisdom_save(wisdom, result, NULL, 0, NULL);
            assert_true(looked == WGT_OK || looked == WGT_NO_MEMORY);
            assert_true(walked == WGT_OK || walked == WGT_NO_MEMORY);
            assert_true(saved == WGT_OK || saved == WGT_NOT_SAVED);
            all_went_well = !looked && !walked && !saved;
            wgt_wisdom_close(&wisdom);
            wgt_result_destroy(&found);
        }
        assert_int_equal(c.live, 0);
    }
    wgt_result_destroy(&result);
}

#ifdef WGT_FAULTS
/* A disk that fails under a save: the error is said, the entry that was there stays whole. Faults
 * count from the start of a process, so each case runs in a child. */
static void faults_leave_the_old_entry(void **state) {
    (void)state;
    static const struct {
        const char *fault;
        wgt_status status;
        const char *message;
    } cases[] = {{"write:1", WGT_NOT_SAVED, "no space left on the device"},
                 {"write:1+", WGT_NOT_SAVED, "no space left on the device"},
                 {"fsync:1", WGT_NOT_SAVED, "an input or output error"},
                 {"rename:1", WGT_NOT_SAVED, "an input or output error"},
                 {"open:1", WGT_NOT_SAVED, "too many open files"}};
    save("j", 1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[700], self[512];
        ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
        assert_true(size > 0);
        self[size] = '\0';
        snprintf(command, sizeof command, "WGTUNE_FAULT_LATER=%s '%s' --save '%s' '%s'",
                 cases[i].fault, self, folder, cases[i].message);
        int status = system(command);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), cases[i].status);
        wgt_result *found;
        wgt_error error;
        assert_int_equal(find(1, &found, &error), WGT_OK);
        wgt_result_destroy(&found);
        wgt_arena arena;
        wgt_str *names;
        size_t count;
        wgt_arena_init(&arena, wgt_heap());
        assert_int_equal(wgt_folder_list(folder, &arena, &names, &count, NULL), WGT_OK);
        assert_int_equal(count, 1);
        wgt_arena_release(&arena);
    }
}

/* The child: reads the sample with no fault set (counted, though: the counts of its own reading are
 * those of `open` and `read`), then saves. */
static int save_and_tell(const char *into, const char *message) {
    wgt_error error = {""};
    wgt_wisdom *wisdom;
    char fault[64];
    if (read_sample(NULL))
        return 99;
    /* Its own reading opened one file, and so does the look at the entry that would be replaced. */
    const char *wanted = getenv("WGTUNE_FAULT_LATER");
    snprintf(fault, sizeof fault, "%s", strncmp(wanted, "open:", 5) == 0 ? "open:3" : wanted);
    setenv("WGTUNE_FAULT", fault, 1);
    snprintf(folder, sizeof folder, "%s", into);
    wisdom = open_store();
    wgt_result *result = result_of("j", 1);
    wgt_status status = wgt_wisdom_save(wisdom, result, NULL, 0, &error);
    wgt_result_destroy(&result);
    wgt_wisdom_close(&wisdom);
    free(sample);
    return strstr(error.message, message) ? (int)status : 98;
}
#endif

int main(int argc, char **argv) {
#ifdef WGT_FAULTS
    if (argc == 4 && strcmp(argv[1], "--save") == 0)
        return save_and_tell(argv[2], argv[3]);
#else
    (void)argc;
    (void)argv;
#endif
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_root, drop_root)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(what_is_saved_is_found),
        WITH_FOLDER(a_second_save_replaces_the_first),
        WITH_FOLDER(the_newest_of_two_names_is_taken),
        WITH_FOLDER(names_are_safe),
        WITH_FOLDER(damaged_entries_are_set_aside),
        WITH_FOLDER(newer_formats_stay),
        WITH_FOLDER(each_walks_in_order),
        WITH_FOLDER(forgetting_takes_one_entry),
        WITH_FOLDER(what_cannot_be_saved_says_why),
        WITH_FOLDER(savers_never_leave_half_a_file),
        WITH_FOLDER(no_allocation_is_taken_for_granted),
#ifdef WGT_FAULTS
        WITH_FOLDER(faults_leave_the_old_entry),
#endif
        cmocka_unit_test(the_folder_comes_from_the_environment),
    };
    return cmocka_run_group_tests(tests, read_sample, free_sample);
}
