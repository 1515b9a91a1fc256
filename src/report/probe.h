/* A data sheet for a person at a terminal. */
#ifndef WGT_REPORT_PROBE_H
#define WGT_REPORT_PROBE_H

#include "wgtune/probe_run.h"
#include "../base/text.h"

/* `explain`: under each line how it was found. */
void wgt_report_probe(wgt_out *out, const wgt_probed *probed, bool explain, bool color);

#endif
