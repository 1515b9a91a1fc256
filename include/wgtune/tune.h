/* wgtune/tune.h: tune a job on a device: the whole way from a job file to a pick that is remembered. */
#ifndef WGTUNE_TUNE_H
#define WGTUNE_TUNE_H

#include "wgtune/gpu.h"
#include "wgtune/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_tune_progress {
    wgt_progress tuner;
    uint32_t candidate_count;
    double elapsed_s;
} wgt_tune_progress;

typedef struct wgt_tune_options {
    wgt_gpu_options gpu;          /* portable_limits: tune under WebGPU's default limits */
    const wgt_named *problem;     /* values that replace the job's */
    size_t problem_count;
    wgt_candidate_options candidates;
    double tolerance;             /* of ties; 0: 0.02 */
    double budget_s;              /* 0: 30 s */
    uint32_t max_rounds;          /* 0: 32 */
    uint64_t seed;                /* of the orders in which candidates are timed */
    bool no_residency;            /* do not count resident workgroups */
    bool fresh;                   /* measure though wisdom has an answer */
    bool no_wisdom;               /* neither look up nor save */
    const char *wisdom;           /* the store's folder; NULL: the default one */
    /* The program whose `worker` command measures in a process of its own (`wgtune` itself); NULL: measure in this
     * process, where a hang or a crash of the driver is the caller's too. */
    const char *worker;
    const char *record;           /* a file for the trace (actions and reports, a JSON line each); NULL: none */
    void (*progress)(void *user, const wgt_tune_progress *progress); /* NULL: none */
    bool (*interrupted)(void *user); /* polled; true: stop and keep what was measured */
    void (*warning)(void *user, const char *message); /* one line each; NULL: none */
    void *user;
    const wgt_allocator *allocator; /* NULL: malloc */
} wgt_tune_options;

/* A tuned job: the result and all that it points to. */
typedef struct wgt_tuned wgt_tuned;

/* Tunes a job file. WGT_OK: there is a pick (measured, or from wisdom). WGT_NEGATIVE: measured, but no candidate is
 * valid or the clock never resolved: *tuned holds the result with the reason, nothing was saved. WGT_NOT_SAVED:
 * measured, but wisdom could not be written: *tuned holds the result. WGT_INTERRUPTED: as far as it came (*tuned may
 * be NULL). Other errors leave *tuned NULL: WGT_BAD_INPUT (the job or the kernel), WGT_NO_GPU, WGT_INTERNAL,
 * WGT_NO_MEMORY. The message is in `error` whenever the status is not WGT_OK. */
WGT_API wgt_status wgt_tune(const wgt_tune_options *options, const char *job_path, wgt_tuned **tuned,
                            wgt_error *error);
WGT_API void wgt_tuned_destroy(wgt_tuned **tuned);
/* Lives as long as the tuned job. */
WGT_API const wgt_result *wgt_tuned_result(const wgt_tuned *tuned);
WGT_API const wgt_job *wgt_tuned_job(const wgt_tuned *tuned);
/* The entry's name in wisdom; NULL when it is not there. */
WGT_API const char *wgt_tuned_saved(const wgt_tuned *tuned);

/* The worker's side: reads requests from one descriptor, answers on another, until the first closes. A thread ends the
 * process when `life` closes, whatever the GPU does (-1: none). Returns the exit code. */
WGT_API int wgt_worker_main(int in, int out, int life);

#ifdef __cplusplus
}
#endif
#endif
