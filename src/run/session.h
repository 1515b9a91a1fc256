/* A device that carries actions out, in this process or in a worker: one interface for both. */
#ifndef WGT_RUN_SESSION_H
#define WGT_RUN_SESSION_H

#include "wgtune/gpu.h"
#include "wgtune/job.h"
#include "wgtune/tuner.h"
#include "../base/memory.h"

typedef struct wgt_session_options {
    wgt_gpu_options gpu;
    const wgt_job *job;       /* in this process */
    const char *job_path;     /* for the worker, which reads it again */
    const wgt_named *problem;
    size_t problem_count;
    const char *worker;       /* NULL: in this process */
    const wgt_allocator *allocator;
    bool (*interrupted)(void *user);
    void (*warning)(void *user, const char *message); /* at the start: why the driver's registers will be unknown */
    void *user;
} wgt_session_options;

typedef struct wgt_session wgt_session;

/* Opens the adapter: cheap, no clock test, nothing compiled yet. */
wgt_status wgt_session_open(const wgt_session_options *options, wgt_session **session, wgt_adapter *adapter,
                            wgt_error *error);
/* Tests the clock, compiles the module, fills the buffers. */
wgt_status wgt_session_start(wgt_session *session, wgt_clock *clock, wgt_error *error);
/* Carries an action out. A timeout, a crash and a lost device are outcomes; the session then goes on with a new device
 * (in this process a device that hangs is abandoned). `arena` holds the message. Errors: what keeps any further action
 * from being carried out. */
wgt_status wgt_session_execute(wgt_session *session, const wgt_action *action, const wgt_candidate *candidate,
                               wgt_arena *arena, double *spans, wgt_report *report, wgt_error *error);
void wgt_session_close(wgt_session **session);

#endif
