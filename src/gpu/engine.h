/* What the rest of this room knows of the engine: webgpu*.c behind it, or engine_absent.c in a
 * build without one. */
#ifndef WGT_GPU_ENGINE_H
#define WGT_GPU_ENGINE_H

#include "wgtune/gpu.h"

/* As wgt_gpu_open and wgt_gpu_adapters, for an engine only. */
wgt_status wgt_engine_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error);
wgt_status wgt_engine_adapters(const wgt_gpu_options *options, wgt_adapter *adapters,
                               size_t capacity, size_t *count, wgt_error *error);
/* Nanoseconds in a raw tick of the timestamps; NaN for a device that is not an engine's or has no
 * timestamps. */
double wgt_engine_period_ns(const wgt_gpu *gpu);

#endif
