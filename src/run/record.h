/* A recording of a run: the trace as JSON lines (*.jsonl), or its samples as CSV (*.csv), by the file's name. */
#ifndef WGT_RUN_RECORD_H
#define WGT_RUN_RECORD_H

#include "wgtune/result.h"
#include "wgtune/tuner.h"
#include "../base/text.h"

typedef struct wgt_record {
    int fd; /* -1: none */
    bool csv, wall;
    bool failed;
    const wgt_job_info *job;
    uint64_t *compile_ns; /* by candidate */
    size_t candidate_count;
    const wgt_allocator *allocator;
    uint32_t round, order;
} wgt_record;

/* Opens the file for writing (path NULL: a record that takes nothing). Errors: WGT_USAGE for another ending,
 * WGT_BAD_INPUT where it cannot be written. */
wgt_status wgt_record_open(wgt_record *record, const char *path, const wgt_job *job, const wgt_adapter *adapter,
                           const wgt_clock *clock, size_t candidate_count, const wgt_allocator *allocator,
                           wgt_error *error);
void wgt_record_write(wgt_record *record, const wgt_action *action, const wgt_candidate *candidate,
                      const wgt_report *report, uint32_t round);
/* Closes it; WGT_NOT_SAVED when anything could not be written. */
wgt_status wgt_record_close(wgt_record *record, const char *path, wgt_error *error);

#endif
