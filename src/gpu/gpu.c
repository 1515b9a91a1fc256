#include "engine.h"
#include "fake.h"
#include "../base/text.h"

static const wgt_gpu_options no_options;

wgt_status wgt_gpu_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error) {
    options = options ? options : &no_options;
    return options->fake ? wgt_fake_open(options, gpu, error) : wgt_engine_open(options, gpu, error);
}

wgt_status wgt_gpu_adapters(const wgt_gpu_options *options, wgt_adapter *adapters, size_t capacity,
                            size_t *count, wgt_error *error) {
    options = options ? options : &no_options;
    return options->fake ? wgt_fake_adapters(options, adapters, capacity, count, error)
                         : wgt_engine_adapters(options, adapters, capacity, count, error);
}

void wgt_gpu_close(wgt_gpu **gpu) {
    if (gpu && *gpu)
        (*gpu)->api->close(*gpu);
    if (gpu)
        *gpu = NULL;
}

void wgt_gpu_abandon(wgt_gpu **gpu) {
    if (gpu && *gpu)
        (*gpu)->api->abandon(*gpu);
    if (gpu)
        *gpu = NULL;
}
