/* What the parts of the probe share. probe.c runs the phases and settles counts, probe_units.c reasons
 * about units, slots and invocations, probe_shared.c about workgroup memory, probe_registers.c about the
 * register file, probe_rates.c about times, probe_sheet.c writes the lines. */
#ifndef WGT_CORE_PROBE_INTERNAL_H
#define WGT_CORE_PROBE_INTERNAL_H

#include "wgtune/probe.h"

#define WGT_PROBE_MAX_POINTS 384
#define WGT_PROBE_MAX_GROUPING 64
#define WGT_PROBE_MAX_WIDTHS 8
#define WGT_PROBE_SWEEP 20
#define WGT_PROBE_RATES 10
#define WGT_PROBE_MAX_SPAN_NS 40e6 /* predicted; the rule is 50 ms */

/* The most that were resident of one configuration, once two different spins agree on it. */
typedef struct probe_point {
    wgt_probe_kernel kernel;
    uint32_t size, shared, live;
    uint32_t workgroups, spin, tries;
    uint64_t peak; /* the most that a long span saw */
    uint32_t long_spans, repeats;
    double span_ns;
    bool settled, failed;
    uint64_t registers, spill_bytes, subgroup_size;
} probe_point;

/* A rate at one size, calibrated until a span is long enough. */
typedef struct probe_rate {
    wgt_probe_kernel kernel;
    uint32_t size, workgroups, iterations, batch;
    uint64_t bytes;
    double work;        /* of one invocation in one iteration */
    double value, low, high;
    bool finished, failed;
} probe_rate;

struct wgt_probe {
    uint32_t max_size, max_shared, max_workgroups;
    uint64_t max_bytes;
    uint32_t width_min, width_max; /* 0: unknown */
    bool cpu, residency_only, wall;
    double quantum_ns, budget_ns;

    size_t phase;
    bool open, interrupted;
    uint32_t lost; /* experiments that took the device with them */
    wgt_probe_action action;
    probe_point points[WGT_PROBE_MAX_POINTS];
    size_t point_count, current;
    uint32_t spin;               /* what the last settled point needed */
    uint32_t shared_size;
    probe_rate sweep[WGT_PROBE_SWEEP];
    size_t sweep_count;
    probe_rate rates[WGT_PROBE_RATES];
    size_t rate_count, rate;
    double empty_one_ns, empty_many_ns;
    uint32_t empty_many;
    double gpu_ns;
    uint64_t compile_ns;
};

/* probe.c */
/* The point of that configuration, made when it is new; NULL when there is no more room. */
probe_point *wgt_probe_point(wgt_probe *p, wgt_probe_kernel kernel, uint32_t size, uint32_t shared, uint32_t live);
const probe_point *wgt_probe_find(const wgt_probe *p, wgt_probe_kernel kernel, uint32_t size, uint32_t shared,
                                  uint32_t live);
/* Fills the action that the point needs next; false when it is settled or has failed. */
bool wgt_probe_settle(wgt_probe *p, probe_point *point, wgt_probe_action *action);

/* probe_units.c */
typedef struct probe_width {
    uint32_t width;
    uint64_t low, high; /* resident subgroups a unit: low ≤ x < high; UINT64_MAX: no end was seen */
} probe_width;

typedef struct probe_units {
    bool valid;
    uint32_t units;
    bool exact;       /* every peak is a whole multiple */
    uint32_t grouping_count, grouping_max; /* how many ways to read the counts, and the largest divisor */
    uint32_t slots;   /* most workgroups a unit */
    bool slots_bind;  /* nothing else explains them */
    bool slots_alike; /* and no unlike units do */
    probe_width widths[WGT_PROBE_MAX_WIDTHS];
    size_t width_count;
} probe_units;

/* Whole workgroups a unit; false when it is not near a whole number. */
bool wgt_probe_per_unit(uint64_t peak, uint32_t units, uint32_t *count, bool *exact);
/* `with_shared`: the workgroup memory counts too. */
void wgt_probe_units(const wgt_probe *p, bool with_shared, probe_units *u);
bool wgt_probe_step_sizes(wgt_probe *p, wgt_probe_action *action);
bool wgt_probe_step_anchor(wgt_probe *p, wgt_probe_action *action);

/* probe_shared.c */
typedef struct probe_shared {
    bool valid, bound;           /* bound: more bytes mean fewer workgroups somewhere */
    uint32_t alternatives;       /* granularities and reserves that explain all counts */
    uint64_t bytes_low, bytes_high, granularity_low, granularity_high, reserve_low, reserve_high;
} probe_shared;
bool wgt_probe_step_shared(wgt_probe *p, wgt_probe_action *action);
void wgt_probe_shared(const wgt_probe *p, uint32_t units, probe_shared *s);
bool wgt_probe_shared_possible(const wgt_probe *p, uint32_t units);

/* probe_registers.c */
typedef struct probe_registers {
    double value, low, high;
    wgt_confidence confidence;
    double granularity_low, granularity_high;
    bool by_driver;
} probe_registers;
bool wgt_probe_step_registers(wgt_probe *p, wgt_probe_action *action);
void wgt_probe_registers(const wgt_probe *p, const probe_units *u, probe_registers *r);

/* probe_rates.c */
bool wgt_probe_step_sweep(wgt_probe *p, wgt_probe_action *action);
bool wgt_probe_step_rates(wgt_probe *p, wgt_probe_action *action);
bool wgt_probe_step_empty(wgt_probe *p, wgt_probe_action *action);
/* A report of a kernel that is no count. */
void wgt_probe_take_rate(wgt_probe *p, const wgt_probe_report *report);
size_t wgt_probe_levels(const wgt_probe *p, wgt_cache_level *levels);

#endif
