/* What commands print as JSON, beside a result's own form. */
#ifndef WGT_REPORT_JSON_H
#define WGT_REPORT_JSON_H

#include "wgtune/adapter.h"
#include "../base/text.h"

/* `[ {adapter, "clock": {…}}, … ]`, ending in a newline. `clocks` has one for each adapter, null
 * in the text where `has_clock` is false. */
void wgt_report_adapters_json(wgt_out *out, const wgt_adapter *adapters, const wgt_clock *clocks,
                              const bool *has_clock, size_t count);

#endif
