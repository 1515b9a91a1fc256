#include "json.h"
#include "wgtune/arch.h"
#include "../base/json.h"
#include "../job/adapter_json.h"

void wgt_report_adapters_json(wgt_out *out, const wgt_adapter *adapters, const wgt_clock *clocks,
                              const bool *has_clock, size_t count) {
    wgt_json_writer w;
    wgt_json_writer_init(&w, out, 2);
    wgt_json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        wgt_json_begin_object(&w);
        wgt_json_key(&w, "adapter");
        wgt_adapter_write(&w, &adapters[i]);
        const wgt_evidence evidence = wgt_evidence_of_adapter(&adapters[i]);
        wgt_identified found;
        wgt_arch_identify(&evidence, &found);
        wgt_json_key(&w, "identified");
        wgt_json_begin_inline_array(&w);
        for (size_t k = 0; k < found.count; k++) {
            wgt_json_cstring(&w, found.archs[k]->id);
        }
        wgt_json_end_array(&w);
        wgt_json_key(&w, "clock");
        if (has_clock[i]) {
            wgt_clock_write(&w, &clocks[i]);
        } else {
            wgt_json_null(&w);
        }
        wgt_json_end_object(&w);
    }
    wgt_json_end_array(&w);
    wgt_put_char(out, '\n');
}
