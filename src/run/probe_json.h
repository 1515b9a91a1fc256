/* The probe's sheet as JSON, read back. */
#ifndef WGT_RUN_PROBE_JSON_H
#define WGT_RUN_PROBE_JSON_H

#include "wgtune/probe_run.h"
#include "../base/json.h"

#define WGT_PROBE_FORMAT 1

/* `format`: with `"format": 1` at the front, as remembered sheets are written. */
void wgt_probe_write_sheet(wgt_json_writer *w, const wgt_probed *probed, bool format);
/* Errors: WGT_BAD_INPUT (not a sheet; a newer format says so). */
wgt_status wgt_probe_read_sheet(const wgt_json *json, wgt_probed *probed, wgt_error *error);

#endif
