/* An adapter and a clock as JSON: one writer and one reader for results, wisdom, `adapters --json` and the
 * worker's protocol. Pure. */
#ifndef WGT_JOB_ADAPTER_JSON_H
#define WGT_JOB_ADAPTER_JSON_H

#include "wgtune/adapter.h"
#include "../base/json.h"

/* Each writes one value (after a key, say). Empty names and zero ids are null. */
void wgt_adapter_write(wgt_json_writer *w, const wgt_adapter *adapter);
void wgt_limits_write(wgt_json_writer *w, const wgt_limits *limits);
void wgt_clock_write(wgt_json_writer *w, const wgt_clock *clock);
/* What is missing or of another type stays unknown; false when `json` is no object at all. */
bool wgt_adapter_read(const wgt_json *json, wgt_adapter *adapter);
bool wgt_clock_read(const wgt_json *json, wgt_clock *clock);

#endif
