/* wgtune/limits.h: what a device allows, and which workgroup sizes are worth trying under it. Pure:
 * no heap, file, clock, thread or GPU. */
#ifndef WGTUNE_LIMITS_H
#define WGTUNE_LIMITS_H

#include "wgtune/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The WebGPU limits that a compute tuner needs, each under its WebGPU name in snake case. Counts are
 * invocations, workgroups or bindings; sizes are bytes. */
typedef struct wgt_limits {
    uint64_t max_compute_invocations_per_workgroup;
    uint64_t max_compute_workgroup_size_x;
    uint64_t max_compute_workgroup_size_y;
    uint64_t max_compute_workgroup_size_z;
    uint64_t max_compute_workgroup_storage_size;   /* bytes */
    uint64_t max_compute_workgroups_per_dimension;
    uint64_t max_storage_buffer_binding_size;      /* bytes */
    uint64_t max_uniform_buffer_binding_size;      /* bytes */
    uint64_t max_buffer_size;                      /* bytes */
    uint64_t max_storage_buffers_per_shader_stage;
    uint64_t max_uniform_buffers_per_shader_stage;
    uint64_t max_bind_groups;
    uint64_t max_bindings_per_bind_group;
    uint64_t max_texture_dimension_2d;
    uint64_t min_storage_buffer_offset_alignment;  /* bytes */
    uint64_t min_uniform_buffer_offset_alignment;  /* bytes */
} wgt_limits;

/* One row a field: the WebGPU name ("maxComputeInvocationsPerWorkgroup"), where the field is, and the
 * value that WebGPU guarantees. `wgt_limit_table(&count)` is the one list of them. */
typedef struct wgt_limit_row {
    const char *name;
    size_t offset;
    uint64_t portable;
} wgt_limit_row;

WGT_API const wgt_limit_row *wgt_limit_table(size_t *count);
/* Reads or writes a field by its WebGPU name; NULL when there is no such limit. */
WGT_API uint64_t *wgt_limit_by_name(wgt_limits *limits, wgt_str name);

/* The limits that every WebGPU device has (the specification's defaults: 256 invocations, 16 KiB of
 * workgroup storage, 65,535 workgroups a dimension, ...). Source: WebGPU, section 3.6.2 "Limits". */
WGT_API wgt_limits wgt_limits_portable(void);
/* The smaller of both, field by field (the larger alignment). */
WGT_API wgt_limits wgt_limits_min(const wgt_limits *a, const wgt_limits *b);

/* What a tuner may spend on a workgroup: the familiar OccupancyBudget with all three axes. */
typedef struct wgt_budget {
    uint32_t max_invocations;
    uint32_t max_x, max_y, max_z;
    uint32_t max_shared_bytes;
    uint32_t subgroup_width;                     /* what sizes are multiples of: the largest width */
    uint32_t subgroup_min, subgroup_max;         /* the device's range; 0 when unknown */
} wgt_budget;

/* `subgroup_min`/`subgroup_max` 0 = unknown: then 32 is taken as the width (it divides 64, and most
 * hardware is 32 wide). */
WGT_API wgt_budget wgt_budget_from_limits(const wgt_limits *limits, uint32_t subgroup_min,
                                          uint32_t subgroup_max);

#define WGT_MAX_SIZES 4096
#define WGT_DEFAULT_SIZES 32

/* The whole subgroup multiples from the width up to min(max_invocations, max_x), ascending: 32, 64,
 * 96, ..., 256 on a 32-wide part with a cap of 256. When there are more than `at_most` (0: 32), thinned
 * to powers of two first, then 3·2^k, then evenly; the smallest and the largest stay. `at_most` ≥
 * WGT_MAX_SIZES means all. Writes at most `capacity`; returns how many there are. A device whose cap
 * is below the width gives its cap alone. */
WGT_API size_t wgt_candidate_sizes(const wgt_budget *budget, size_t at_most, uint32_t *sizes,
                                   size_t capacity);
/* Idle lanes in a workgroup of that many invocations: 28 for 100 on a 32-wide part. width 0 → 0. */
WGT_API uint32_t wgt_masked_lanes(uint32_t invocations, uint32_t width);

#define WGT_MAX_CONSTANTS 16
#define WGT_REASON_SIZE 256

typedef enum wgt_candidate_status {
    WGT_CANDIDATE_OK = 0,
    WGT_CANDIDATE_SKIPPED,  /* over a limit or a rule; never created */
    WGT_CANDIDATE_REJECTED, /* the engine refused to make a pipeline */
    WGT_CANDIDATE_FAILED,   /* an error at run time */
    WGT_CANDIDATE_WRONG,    /* its output is not right */
    WGT_CANDIDATE_TIMEOUT,  /* did not come back in time */
    WGT_CANDIDATE_LOST,     /* the device was lost under it */
    WGT_CANDIDATE_CRASHED,  /* the worker died under it */
    WGT_CANDIDATE_DROPPED   /* raced out early; its samples stay */
} wgt_candidate_status;
/* "ok", "skipped", ...; static storage. */
WGT_API const char *wgt_candidate_status_name(wgt_candidate_status status);

/* One value for each tunable constant, and what follows from it. */
typedef struct wgt_candidate {
    double constants[WGT_MAX_CONSTANTS]; /* in the order of the job's constants */
    uint32_t workgroup[3];               /* the entry's @workgroup_size under these constants */
    uint64_t workgroup_bytes;            /* workgroup storage as the limit counts it */
    uint64_t workgroups[3];              /* dispatched, a run */
    /* Set by a generator that already knows that it cannot be (a restriction, an expression that
     * fails): SKIPPED with the reason; else OK. */
    wgt_candidate_status status;
    char reason[WGT_REASON_SIZE];
} wgt_candidate;

/* Candidates by index, so that a million configurations never become an array. `get` is pure: the
 * same index gives the same candidate. */
typedef struct wgt_generator {
    uint32_t count;
    void (*get)(void *user, uint32_t index, wgt_candidate *candidate);
    void *user;
} wgt_generator;

/* Checks a candidate against every limit that an engine may fail to check: each axis ≥ 1 and within
 * its cap, invocations, workgroup storage, workgroups per dimension. On a violation sets status to
 * SKIPPED and the reason to `512 invocations > maxComputeInvocationsPerWorkgroup 256` and the like,
 * and returns false. */
WGT_API bool wgt_candidate_check(const wgt_limits *limits, wgt_candidate *candidate);

#ifdef __cplusplus
}
#endif
#endif
