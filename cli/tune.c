#include "cli.h"
#include "device.h"
#include "output.h"
#include "base/host/host.h"
#include "base/number.h"
#include "report/terminal.h"
#include "wgtune/tune.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GIVEN_SIZES 256
#define PROGRESS_S 0.1

/* What the command line says. */
typedef struct arguments {
    const char *sizes, *limits, *residency;
    double tolerance, budget;
    uint64_t rounds;
    bool json, full, in_process, has_tolerance, has_no_rounds;
    wgt_cli_list problem;
    wgt_tune_options tune;
    double shown_s; /* when progress was last shown */
    uint32_t size_list[MAX_GIVEN_SIZES];
    wgt_named problem_list[64];
} arguments;

static void show_progress(void *user, const wgt_tune_progress *p) {
    arguments *a = user;
    bool done = strcmp(p->tuner.phase, "done") == 0;
    if (!done && p->elapsed_s - a->shown_s < PROGRESS_S) {
        return;
    }
    a->shown_s = p->elapsed_s;
    if (done) {
        fprintf(stderr, "\r\033[K");
    } else if (p->tuner.round > 0) {
        fprintf(stderr, "\r\033[K%s: round %u, %u of %u candidates still in, %.1f s", p->tuner.phase, p->tuner.round,
                p->tuner.live, p->candidate_count, p->elapsed_s);
    } else {
        fprintf(stderr, "\r\033[K%s: %u of %u, %.1f s", p->tuner.phase, p->tuner.done, p->tuner.total, p->elapsed_s);
    }
    fflush(stderr);
}

static wgt_status parse_sizes(const char *command, arguments *a) {
    const char *at = a->sizes;
    size_t count = 0;
    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        uint64_t size = 0;
        if (!wgt_u64_parse((wgt_str){at, length}, &size) || size == 0 || size > INT32_MAX) {
            return wgt_cli_usage(command, "--sizes: '%.*s' is not a workgroup size, whole numbers from 1 on are",
                                 (int)length, at);
        }
        if (count == MAX_GIVEN_SIZES) {
            return wgt_cli_usage(command, "--sizes: more than %d sizes", MAX_GIVEN_SIZES);
        }
        for (size_t i = 0; i < count; i++) {
            if (a->size_list[i] == size) {
                return wgt_cli_usage(command, "--sizes: %u is there twice", (unsigned)size);
            }
        }
        a->size_list[count++] = (uint32_t)size;
        at += length;
        if (*at == ',' && *++at == '\0') {
            return wgt_cli_usage(command, "--sizes: a size is missing after the last comma");
        }
    }
    if (count == 0) {
        return wgt_cli_usage(command, "--sizes: a list such as 32,64,128 is needed");
    }
    a->tune.candidates.sizes = a->size_list;
    a->tune.candidates.size_count = count;
    return WGT_OK;
}

static wgt_status check_arguments(const char *command, arguments *a) {
    if (a->limits != NULL && strcmp(a->limits, "portable") != 0 && strcmp(a->limits, "adapter") != 0) {
        return wgt_cli_usage(command, "--limits: '%s' is neither adapter nor portable", a->limits);
    }
    if (a->residency != NULL && strcmp(a->residency, "all") != 0 && strcmp(a->residency, "none") != 0) {
        return wgt_cli_usage(command, "--residency: '%s' is neither all nor none", a->residency);
    }
    a->tune.no_residency = a->residency != NULL && strcmp(a->residency, "none") == 0;
    a->tune.gpu.portable_limits = a->limits != NULL && strcmp(a->limits, "portable") == 0;
    if (a->tolerance < 0 || a->tolerance >= 1 || (a->has_tolerance && a->tolerance == 0)) {
        return wgt_cli_usage(command, "--tolerance: above 0 and below 100%% is needed");
    }
    a->tune.tolerance = a->tolerance;
    if (a->budget < 0 || a->budget > 1e6) {
        return wgt_cli_usage(command, "--budget: from 0 to 1000000 seconds are possible");
    }
    a->tune.budget_s = a->budget;
    if (a->rounds > 32 || a->has_no_rounds) {
        return wgt_cli_usage(command, "--rounds: 1 to 32 are possible");
    }
    a->tune.max_rounds = (uint32_t)a->rounds;
    if (a->sizes != NULL && a->tune.candidates.all) {
        return wgt_cli_usage(command, "--sizes and --all exclude each other");
    }
    wgt_status status = a->sizes != NULL ? parse_sizes(command, a) : WGT_OK;
    if (status == WGT_OK) {
        wgt_cli_value values[64];
        status = wgt_cli_values(command, "problem", &a->problem, values);
        for (size_t i = 0; status == WGT_OK && i < a->problem.count; i++) {
            for (size_t k = 0; k < i; k++) {
                if (wgt_str_equal(values[k].name, values[i].name)) {
                    return wgt_cli_usage(command, "--problem: %.*s is there twice", (int)values[i].name.size,
                                         values[i].name.data);
                }
            }
            a->problem_list[i] = (wgt_named){values[i].name, values[i].value};
        }
    }
    /* What is answered from memory leaves nothing to record. */
    a->tune.fresh = a->tune.fresh || a->tune.record != NULL;
    a->tune.problem = a->problem_list;
    a->tune.problem_count = a->problem.count;
    return status;
}

static wgt_status print_json(const wgt_result *result) {
    size_t size = 0;
    wgt_result_write(result, NULL, &size);
    char *text = malloc(size + 1);
    if (text == NULL) {
        return wgt_cli_fail(WGT_NO_MEMORY, "no memory for the JSON text");
    }
    size_t capacity = size + 1;
    wgt_status status = wgt_result_write(result, text, &capacity);
    if (status == WGT_OK) {
        fwrite(text, 1, size, stdout);
    }
    free(text);
    return status;
}

static wgt_status print_result(const arguments *a, const wgt_tuned *tuned) {
    const wgt_result *result = wgt_tuned_result(tuned);
    if (a->json) {
        return print_json(result);
    }
    wgt_cli_output output;
    wgt_out *out = wgt_cli_output_init(&output);
    const wgt_terminal_options options = {wgt_cli_color(), a->full || a->tune.candidates.all,
                                          wgt_tuned_saved(tuned)};
    wgt_report_result(out, result, &options);
    wgt_out_flush(out);
    return WGT_OK;
}

static wgt_status tune(arguments *a, const char *name) {
    char path[4500];
    wgt_status status = wgt_cli_job_path(name, path, sizeof path);
    if (status != WGT_OK) {
        return status;
    }
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    status = wgt_cli_device(&a->tune.gpu, &arena);
    if (status != WGT_OK) {
        wgt_arena_release(&arena);
        return status;
    }
    a->tune.worker = a->in_process ? NULL : wgt_program_path(&arena);
    a->tune.user = a;
    a->tune.interrupted = wgt_cli_interrupted;
    a->tune.warning = wgt_cli_warning;
    a->tune.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    wgt_cli_catch_interrupts();
    wgt_tuned *tuned = NULL;
    wgt_error error = {{0}};
    status = wgt_tune(&a->tune, path, &tuned, &error);
    if (a->tune.progress != NULL) {
        fprintf(stderr, "\r\033[K");
    }
    if (tuned != NULL) {
        wgt_status printed = print_result(a, tuned);
        status = status == WGT_OK ? printed : status;
    }
    if (status != WGT_OK) {
        fflush(stdout);
        fprintf(stderr, "wgtune: %s%s\n", status == WGT_NOT_SAVED ? "the result was not saved: " : "",
                error.message[0] != '\0' ? error.message : wgt_status_name(status));
    }
    wgt_tuned_destroy(&tuned);
    wgt_arena_release(&arena);
    return status;
}

wgt_status wgt_cli_tune(int argc, char **argv) {
    arguments a = {.tolerance = 0};
    double tolerance = -1;
    a.rounds = UINT64_MAX;
    const wgt_cli_option options[] = {
        {"sizes", 0, WGT_CLI_TEXT, &a.sizes, "N,N,...", "these workgroup sizes, multiples of the subgroup or not"},
        {"all", 0, WGT_CLI_FLAG, &a.tune.candidates.all, NULL, "every legal size, not a selection of 32"},
        {"problem", 'p', WGT_CLI_EACH, &a.problem, "NAME=N", "another problem size; may be given several times"},
        {"adapter", 0, WGT_CLI_TEXT, &a.tune.gpu.adapter, "N|NAME", "which adapter of `wgtune adapters`"},
        {"library", 0, WGT_CLI_TEXT, &a.tune.gpu.library, "FILE", "wgpu-native's library"},
        {"limits", 0, WGT_CLI_TEXT, &a.limits, "WHICH", "adapter: all that it has; portable: WebGPU's defaults"},
        {"tolerance", 0, WGT_CLI_PERCENT, &tolerance, "2%", "what still counts as equally fast"},
        {"budget", 0, WGT_CLI_NUMBER, &a.budget, "SECONDS", "for compiling and measuring (30)"},
        {"rounds", 0, WGT_CLI_U64, &a.rounds, "N", "at most so many samples of each candidate (32)"},
        {"seed", 0, WGT_CLI_U64, &a.tune.seed, "N", "of the orders in which candidates are timed"},
        {"fresh", 0, WGT_CLI_FLAG, &a.tune.fresh, NULL, "measure though the answer is known"},
        {"no-wisdom", 0, WGT_CLI_FLAG, &a.tune.no_wisdom, NULL, "neither look up nor save"},
        {"residency", 0, WGT_CLI_TEXT, &a.residency, "WHICH", "all: count what is resident of each candidate; none"},
        {"record", 0, WGT_CLI_TEXT, &a.tune.record, "FILE", "keep the trace (.jsonl) or the raw samples (.csv)"},
        {"in-process", 0, WGT_CLI_FLAG, &a.in_process, NULL, "without a process of its own for the device"},
        {"full", 0, WGT_CLI_FLAG, &a.full, NULL, "a row for every candidate"},
        {"json", 0, WGT_CLI_FLAG, &a.json, NULL, "the whole result as JSON"},
        {0}};
    int operands = 0;
    wgt_status status =
        wgt_cli_parse(argc, argv, "wgtune tune JOB [OPTION ...]\n\n"
                                  "JOB is a built-in job (`wgtune jobs`) or a *.job.json file.\n",
                      options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands != 1) {
        return wgt_cli_usage(argv[0], operands == 0 ? "a job is needed" : "one job at a time");
    }
    a.has_no_rounds = a.rounds == 0;
    a.rounds = a.rounds == UINT64_MAX ? 0 : a.rounds;
    a.has_tolerance = tolerance >= 0 || tolerance < -1;
    a.tolerance = a.has_tolerance ? tolerance : 0;
    status = check_arguments(argv[0], &a);
    return status == WGT_OK ? tune(&a, argv[1]) : status;
}
