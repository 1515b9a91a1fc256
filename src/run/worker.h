/* The worker's process, seen from the parent. */
#ifndef WGT_RUN_WORKER_H
#define WGT_RUN_WORKER_H

#include "lines.h"
#include "session.h"
#include "../base/json.h"

typedef struct wgt_worker {
    int pid;           /* 0: none */
    int to, from, life;
    wgt_lines lines;
} wgt_worker;

/* Starts PROGRAM worker in a process group of its own. Error: WGT_INTERNAL. */
wgt_status wgt_worker_start(wgt_worker *worker, const char *program, const wgt_allocator *allocator,
                            wgt_error *error);
/* Sends a line (without its end) and waits for one; statuses as wgt_lines_read. */
wgt_status wgt_worker_ask(wgt_worker *worker, wgt_str request, uint64_t deadline_ns,
                          bool (*interrupted)(void *), void *user, wgt_str *answer);
/* Ends it: closes its pipes and, if it has not gone within `grace_ns`, kills it; one that cannot be killed is left
 * behind. Returns how it ended, in words for a message ("was killed by signal 11", "ended with code 1"). */
void wgt_worker_stop(wgt_worker *worker, uint64_t grace_ns, char *how, size_t capacity);

/* The request that opens a device for a job. */
void wgt_worker_write_open(wgt_json_writer *w, const wgt_session_options *options);

#endif
