/* The one trace: an action and what came of it, a JSON line each. It is the worker's protocol and what a recording of
 * a run holds. */
#ifndef WGT_RUN_TRACE_H
#define WGT_RUN_TRACE_H

#include "wgtune/job.h"
#include "wgtune/tuner.h"
#include "../base/json.h"

/* Both write one object, on one line when the writer has no indent. */
void wgt_trace_write_action(wgt_json_writer *w, const wgt_action *action, const wgt_candidate *candidate,
                            const wgt_job_info *job);
void wgt_trace_write_report(wgt_json_writer *w, const wgt_report *report);

/* Errors: WGT_BAD_INPUT when the line is none of ours. Of the candidate, constants, workgroup and workgroups are
 * filled. Spans are written to `spans` (WGT_MAX_SPANS), the message is a view made NUL-terminated in the
 * arena. */
wgt_status wgt_trace_read_action(const wgt_json *line, const wgt_job_info *job, wgt_action *action,
                                 wgt_candidate *candidate, wgt_error *error);
wgt_status wgt_trace_read_report(const wgt_json *line, wgt_arena *arena, double *spans, wgt_report *report,
                                 wgt_error *error);

#endif
