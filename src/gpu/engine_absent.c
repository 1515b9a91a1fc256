#include "engine.h"
#include "../base/number.h"
#include "../base/text.h"

static wgt_status absent(wgt_error *error) {
    return wgt_fail(
        error, WGT_NO_GPU,
        "this wgtune was built without a WebGPU engine; configure it with -Dengine=enabled");
}

wgt_status wgt_engine_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error) {
    (void)options;
    *gpu = NULL;
    return absent(error);
}

wgt_status wgt_engine_adapters(const wgt_gpu_options *options, wgt_adapter *adapters,
                               size_t capacity, size_t *count, wgt_error *error) {
    (void)options;
    (void)adapters;
    (void)capacity;
    *count = 0;
    return absent(error);
}

double wgt_engine_period_ns(const wgt_gpu *gpu) {
    (void)gpu;
    return wgt_nan();
}
