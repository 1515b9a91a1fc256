/* wgtune/occupancy.h: how many workgroups of a kernel a compute unit holds at once, what binds, and
 * what would have to change for one more. Pure arithmetic: no heap, file, clock, thread or GPU.
 *
 *   workgroups = min(workgroup slots, invocations, shared memory, registers, barriers)
 *
 * with the allocation steps of each vendor. A `wgt_unit` holds what a compute unit has (from the
 * table of wgtune/arch.h, from a measurement, or from the user), a `wgt_use` what one workgroup
 * takes. */
#ifndef WGTUNE_OCCUPANCY_H
#define WGTUNE_OCCUPANCY_H

#include "wgtune/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The terms of the minimum, in the order in which they are named. DEVICE_FILL: the dispatch has
 * fewer workgroups than the device holds. */
typedef enum wgt_limiter {
    WGT_LIMITER_WORKGROUP_SLOTS = 0,
    WGT_LIMITER_INVOCATIONS,
    WGT_LIMITER_SHARED_MEMORY,
    WGT_LIMITER_REGISTERS,
    WGT_LIMITER_BARRIERS,
    WGT_LIMITER_DEVICE_FILL
} wgt_limiter;
#define WGT_TERM_COUNT 5 /* those that belong to a unit */
#define WGT_LIMITER_COUNT 6

/* "workgroup-slots", ..., "device-fill"; "none" for anything else. Static storage. */
WGT_API const char *wgt_limiter_name(wgt_limiter limiter);
/* All limiters of a set (bit 1 << limiter) joined by '|', "none" for the empty set. Returns the
 * length; `text` needs WGT_LIMITERS_SIZE bytes. */
#define WGT_LIMITERS_SIZE 96
WGT_API size_t wgt_limiters_format(unsigned limiters, char text[WGT_LIMITERS_SIZE]);

/* Which arithmetic a unit follows. */
typedef enum wgt_rule {
    WGT_RULE_PLAIN =
        0,           /* the literature's formula: no allocation steps unless the unit names them */
    WGT_RULE_NVIDIA, /* registers by warp and sub-partition (cuda_occupancy.h) */
    WGT_RULE_AMD,    /* vector and scalar registers by SIMD (Mesa's ACO) */
    WGT_RULE_INTEL, /* hardware threads with a fixed register file (Intel's occupancy calculator) */
    WGT_RULE_APPLE, /* half registers of a core, threads in steps of 64 (Mesa's Asahi) */
    WGT_RULE_ADRENO, /* vec4 registers, waves in pairs, two subgroup widths (Mesa's ir3) */
    WGT_RULE_MALI,   /* threads of a core, two or three register steps (Mesa's Panfrost) */
    WGT_RULE_HOST    /* a CPU: no residency to speak of */
} wgt_rule;

#define WGT_MAX_STEPS 12

/* What a compute unit has. 0 means "no such limit known" everywhere, except where said. */
typedef struct wgt_unit {
    wgt_rule rule;
    const char *name;                    /* "SM", "CU", "WGP", "Xe-core", "core"; static storage */
    uint32_t subgroup_min, subgroup_max; /* invocations; 0: not counted in subgroups (plain) */
    uint32_t simds;                /* schedulers that subgroups and registers are divided over */
    uint32_t max_workgroup;        /* invocations that a workgroup may have */
    uint32_t workgroup_slots;       /* resident workgroups (AMD: of several subgroups; one of a single
                                       subgroup needs no slot) */
    uint32_t max_subgroups;        /* resident subgroups */
    uint32_t max_invocations;      /* resident invocations; plain and Mali */
    uint64_t shared_bytes;         /* shared memory of the unit */
    uint64_t shared_max_workgroup; /* bytes that a workgroup may take */
    uint32_t shared_granularity;   /* bytes */
    uint32_t shared_reserve;       /* bytes that the system takes a workgroup */
    uint32_t shared_steps_kib[WGT_MAX_STEPS]; /* the only sizes there are, ascending (Intel) */
    uint32_t shared_step_count;
    uint64_t registers; /* 32-bit registers of the unit, over all lanes */
    uint64_t registers_max_workgroup;
    uint32_t register_granularity;          /* a subgroup (NVIDIA) or an invocation (AMD, Apple) */
    uint32_t register_granularity_wide;     /* the same at subgroup_max */
    uint32_t max_registers;                 /* an invocation may have */
    uint32_t register_steps[WGT_MAX_STEPS]; /* Mali: register counts; Intel: counts that ... */
    uint32_t register_step_threads[WGT_MAX_STEPS]; /* ... leave that many threads a SIMD */
    uint32_t register_step_count;
    uint32_t
        register_check_partitions; /* NVIDIA: what does not fit with that many sub-partitions is
                                      refused, whatever `simds` says (compute capability 6.0) */
    uint32_t barriers;             /* resident in a unit */
    uint32_t sgprs;                /* scalar registers of a SIMD; 0: they never limit */
    uint32_t sgpr_granularity;
    uint32_t wave_granularity; /* Adreno: waves are made in groups of that many */
} wgt_unit;

/* What a workgroup takes. Zero-initialised: nothing, which is a workgroup of 0 invocations and does
 * not run. */
typedef struct wgt_use {
    uint32_t workgroup; /* invocations */
    uint32_t registers; /* an invocation: as the driver counts them (Adreno: vec4, Apple: 16-bit
                           halves, Intel Xe3: GRF, elsewhere 32-bit); 0: none */
    uint32_t shared_bytes;
    uint32_t barriers;       /* that the workgroup holds; 0: none */
    uint32_t subgroup;       /* invocations; 0: the narrowest (Adreno: as its compiler chooses) */
    uint32_t sgprs;          /* AMD: scalar registers a subgroup */
    uint32_t half_registers; /* Adreno: half vec4; Apple: added to `registers` */
    uint32_t branchstack;    /* Adreno: depth of divergent branches */
    bool large_grf;          /* Intel: 256 registers a thread, half as many threads */
    uint64_t dispatched;     /* workgroups of the dispatch; 0: enough */
    uint32_t units;          /* compute units of the device; 0: unknown */
} wgt_use;

typedef struct wgt_occupancy {
    bool known;             /* false: the unit has no residency, or too little of it is known */
    uint64_t workgroups;    /* resident on a unit; 0: it does not fit */
    uint64_t subgroups;     /* workgroups × subgroups a workgroup */
    uint64_t max_subgroups; /* that the unit holds (of that width); plain: invocations */
    uint32_t subgroup;      /* the width that was counted with; 0: plain */
    double fraction;   /* resident ÷ maximum, of subgroups (plain: of invocations); device-fill
                          included; NaN when not known */
    unsigned limiters; /* bit 1 << limiter for every term that equals the minimum */
    uint64_t
        terms[WGT_TERM_COUNT]; /* workgroups that each term allows; WGT_UNKNOWN_U64: any number */
    unsigned exceeded; /* bit 1 << limiter: over what a single workgroup or invocation may have */
    uint64_t shared_allocated;    /* bytes a workgroup, rounded, reserve included */
    uint64_t registers_allocated; /* 32-bit registers a workgroup over all lanes; 0: unknown */
    uint64_t resident; /* on the device: min(dispatched, units × workgroups); WGT_UNKNOWN_U64
                          without `units` */
} wgt_occupancy;

/* Sources: NVIDIA cuda_occupancy.h (CUDA 13.0); Mesa e7a7d9ea (ACO's max_suitable_waves, ir3's
 * max_waves, Panfrost's thread count, Asahi's register table); Intel's GPU Occupancy Calculator. */
WGT_API void wgt_occupancy_compute(const wgt_unit *unit, const wgt_use *use,
                                   wgt_occupancy *occupancy);

/* What to keep under so that at least `workgroups` are resident. Each field is the most of that
 * resource with which *its own term* allows that many; WGT_UNKNOWN_U64: no value stands in the way, or
 * not even none of it is little enough (then `reachable` is false). */
typedef struct wgt_threshold {
    uint64_t workgroups;
    uint64_t registers, shared_bytes, barriers; /* an invocation, a workgroup, a workgroup */
    uint64_t workgroup; /* the largest size at which that many fit, all else as it is; 0: none */
    bool reachable;     /* by registers, shared memory and barriers alone, at this size */
} wgt_threshold;
WGT_API void wgt_occupancy_threshold(const wgt_unit *unit, const wgt_use *use, uint64_t workgroups,
                                     wgt_threshold *threshold);

/* The nearest sizes (multiples of the subgroup) below and above with a higher fraction; 0: none. */
WGT_API void wgt_occupancy_better_sizes(const wgt_unit *unit, const wgt_use *use, uint32_t *below,
                                        uint32_t *above);

/* Measured resources, under the names of the probe's sheet; WGT_UNKNOWN_U64: not measured. */
typedef struct wgt_measured {
    uint64_t workgroup_slots, invocations_per_unit, subgroup_size;
    uint64_t shared_bytes_per_unit, shared_granularity_bytes, shared_reserve_bytes;
    uint64_t registers_per_unit, register_granularity, barriers_per_unit, max_workgroup;
} wgt_measured;
#define WGT_MEASURED_COUNT 10
WGT_API void wgt_measured_init(wgt_measured *measured); /* nothing measured */
/* One row a field: the sheet's name and where it is; `wgt_measured_table(&count)` lists them. */
typedef struct wgt_measured_row {
    const char *name;
    size_t offset;
} wgt_measured_row;
WGT_API const wgt_measured_row *wgt_measured_table(size_t *count);

typedef struct wgt_difference {
    const char *name;         /* of the sheet; static storage */
    uint64_t table, measured; /* table WGT_UNKNOWN_U64: it has no such number */
} wgt_difference;
/* Puts measured numbers in the unit's place and tells where they differ; returns how many do. */
WGT_API size_t wgt_unit_measure(wgt_unit *unit, const wgt_measured *measured,
                                wgt_difference differences[WGT_MEASURED_COUNT]);

/* What other calculators and drivers say for the same use, each with its own omissions: to compare
 * a driver's statistic with. */
typedef enum wgt_statistic {
    WGT_STATISTIC_RADV = 0, /* RADV's "Subgroups per SIMD": wave32 units, no workgroup slots */
    WGT_STATISTIC_HIP,    /* hipOccupancyMaxActiveBlocksPerMultiprocessor: no shared-memory steps */
    WGT_STATISTIC_LLVM,   /* LLVM's waves per EU: no shared-memory steps, at least 1 */
    WGT_STATISTIC_NVK,    /* NVK's "Max warps/SM" (Volta and later): registers only, at most 48 */
    WGT_STATISTIC_TURNIP, /* Turnip's "Max Waves Per Core" */
    WGT_STATISTIC_THREADS, /* "Threads" of PanVK and Honeykrisp */
    WGT_STATISTIC_COUNT
} wgt_statistic;
WGT_API const char *wgt_statistic_name(wgt_statistic statistic); /* with its unit; static storage */
/* WGT_UNKNOWN_U64 when it is not of that vendor. */
WGT_API uint64_t wgt_statistic_compute(wgt_statistic statistic, const wgt_unit *unit,
                                       const wgt_use *use);

#ifdef __cplusplus
}
#endif
#endif
