/* wgtune/adapter.h: what is known of an adapter and its clock. Pure data. */
#ifndef WGTUNE_ADAPTER_H
#define WGTUNE_ADAPTER_H

#include "wgtune/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WGT_NAME_SIZE 128

typedef enum wgt_adapter_type {
    WGT_ADAPTER_UNKNOWN = 0,
    WGT_ADAPTER_DISCRETE,
    WGT_ADAPTER_INTEGRATED,
    WGT_ADAPTER_CPU
} wgt_adapter_type;
WGT_API const char *wgt_adapter_type_name(wgt_adapter_type type); /* "discrete GPU", "integrated GPU", "CPU", "unknown" */

/* Names verbatim as the engine gives them; empty when it gives none. */
typedef struct wgt_adapter {
    char vendor[WGT_NAME_SIZE], architecture[WGT_NAME_SIZE], device[WGT_NAME_SIZE];
    char description[WGT_NAME_SIZE];
    char backend[32];                     /* "vulkan", "metal", "d3d12", "opengl", "fake" */
    char driver[WGT_NAME_SIZE];
    char engine[32], engine_version[32];  /* "wgpu-native", "29.0.1.1" */
    uint32_t vendor_id, device_id;        /* 0: unknown */
    wgt_adapter_type type;
    uint32_t subgroup_min, subgroup_max;  /* 0: unknown */
    wgt_limits limits;
    bool has_timestamps, has_subgroups, has_f16;
} wgt_adapter;

typedef struct wgt_clock {
    bool timestamps;     /* false: the host's clock around submit and done */
    double quantum_ns;   /* smallest step seen; 0: none found */
    double period_ns;    /* of a raw tick, as the engine tells; NaN: unknown */
    char note[128];      /* why timestamps are not used; empty when they are */
} wgt_clock;

#ifdef __cplusplus
}
#endif
#endif
