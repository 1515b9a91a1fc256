/* What the driver says of a compiled pipeline, through the Vulkan layer of layer/ where it is
 * present: registers, spills, shared bytes. Everywhere else the numbers are unknown and nothing
 * fails.
 *
 *     wgt_statistics_prepare(&error);            once, before the first instance, before other
 * threads mark = wgt_statistics_mark();
 *     ... create one pipeline on this thread ...
 *     wgt_statistics_take(mark, &statistics);
 *
 * Nothing is kept here: the layer is found again, in this process, at every call. */
#ifndef WGT_GPU_STATISTICS_H
#define WGT_GPU_STATISTICS_H

#include "wgtune/base.h"

/* WGT_UNKNOWN_U64 where the driver does not tell. */
typedef struct wgt_statistics {
    uint64_t registers; /* 32-bit vector registers an invocation */
    uint64_t
        spill_bytes; /* private (local, scratch) memory an invocation: spills and local arrays */
    uint64_t
        shared_bytes; /* workgroup memory a workgroup, what the driver spills into it included */
    uint64_t subgroup_size; /* invocations */
} wgt_statistics;

/* Of the physical device behind a device; WGT_UNKNOWN_U64 where the driver does not tell. */
typedef struct wgt_core_properties {
    uint32_t vendor_id, device_id; /* to tell whether it is the adapter that is meant */
    bool statistics;               /* the driver reports on pipelines */
    uint64_t compute_units;        /* SMs, compute units, shader cores */
    uint64_t warps_per_unit;       /* resident subgroups a unit */
    uint64_t registers_per_simd, simds_per_unit,
        register_granularity; /* AMD: vector registers of a lane */
    uint64_t subgroup_size, subgroup_min, subgroup_max;
} wgt_core_properties;

/* Finds the layer ($WGTUNE_LAYER_PATH, else beside the program or library, else the install
 * prefix), loads it, and sets the environment (VK_INSTANCE_LAYERS, VK_ADD_LAYER_PATH or
 * VK_LAYER_PATH; what is there stays) so that the Vulkan loader takes it up in the instances made
 * from now on. May be called again. Changes the environment: not while other threads read it.
 * Errors: WGT_NEGATIVE with one line when there is no layer or no Vulkan loader (nothing is changed
 * then), WGT_NO_MEMORY. */
wgt_status wgt_statistics_prepare(wgt_error *error);
/* A point in time for wgt_statistics_take; 0 without the layer. */
uint64_t wgt_statistics_mark(void);
/* What the driver said of the last pipeline that this thread created since `mark` (an engine makes
 * pipelines of its own too, before the caller's). Errors: WGT_NEGATIVE when there is none:
 * everything is then unknown. */
wgt_status wgt_statistics_take(uint64_t mark, wgt_statistics *statistics);
/* Of the device that this thread created last, else that any thread did. Errors: WGT_NEGATIVE when
 * there is none: everything is then unknown and the ids are 0. */
wgt_status wgt_statistics_core(wgt_core_properties *core);

#endif
