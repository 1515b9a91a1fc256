/* Runs the probe's experiments on a device, and carries them over the worker's pipe. */
#ifndef WGT_RUN_PROBE_EXECUTE_H
#define WGT_RUN_PROBE_EXECUTE_H

#include "wgtune/gpu.h"
#include "wgtune/probe.h"
#include "../base/json.h"

typedef struct wgt_prober wgt_prober;

/* `wall`: time by the host's clock. The device must outlive it. Error: WGT_NO_MEMORY, WGT_NO_GPU. */
wgt_status wgt_prober_create(wgt_gpu *gpu, bool wall, const wgt_allocator *allocator, wgt_prober **prober,
                             wgt_error *error);
void wgt_prober_destroy(wgt_prober **prober);
/* Never fails: what went wrong is the report's outcome, with the message in `error`. */
void wgt_prober_execute(wgt_prober *prober, const wgt_probe_action *action, wgt_probe_report *report,
                        wgt_error *error);

void wgt_probe_write_action(wgt_json_writer *w, const wgt_probe_action *action);
bool wgt_probe_read_action(const wgt_json *json, wgt_probe_action *action);
void wgt_probe_write_report(wgt_json_writer *w, const wgt_probe_report *report, const char *message);
bool wgt_probe_read_report(const wgt_json *json, wgt_probe_report *report, wgt_error *message);

#endif
