/* Carries the tuner's actions out on a device, for one job: its buffers, its pipelines, its outputs. */
#ifndef WGT_RUN_EXECUTOR_H
#define WGT_RUN_EXECUTOR_H

#include "wgtune/gpu.h"
#include "wgtune/job.h"
#include "wgtune/tuner.h"

typedef struct wgt_executor wgt_executor;

/* Makes buffers and the shader module on the device; the device and the job must outlive the executor. `wall`: time by
 * the host's clock. Errors: WGT_BAD_INPUT (the kernel does not compile, a buffer is over a limit), WGT_NO_GPU. */
wgt_status wgt_executor_create(wgt_gpu *gpu, const wgt_job *job, bool wall, const wgt_allocator *allocator,
                               wgt_executor **executor, wgt_error *error);
void wgt_executor_destroy(wgt_executor **executor);
/* Never fails: what went wrong is in the report. Its spans and its message live until the next call. A candidate whose
 * pipeline was lost with an earlier device is compiled again, off the timed path. */
void wgt_executor_execute(wgt_executor *executor, const wgt_action *action, const wgt_candidate *candidate,
                          wgt_report *report);

#endif
