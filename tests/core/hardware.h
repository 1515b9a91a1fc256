/* Imaginary GPUs with a known truth, for the probe: what is resident at once of a kernel, and how long it takes. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "base/number.h"
#include "wgtune/probe.h"
#include <string.h>

typedef enum odd_kind {
    ODD_NOT = 0,
    ODD_ONE_UNIT,
    ODD_SLOTS,       /* not a power of two */
    ODD_WIDTH,       /* 8 or 64 wide */
    ODD_PARTITIONS,  /* the memory of a unit depends on the kernel */
    ODD_UNLIKE_SLOTS,
    ODD_UNLIKE_MEMORY,
    ODD_UNLIKE_INVOCATIONS,
    ODD_SERIAL,      /* one workgroup at a time, as CPUs do */
    ODD_COUNT
} odd_kind;

typedef struct hardware {
    odd_kind odd;
    uint32_t units, slots, width, subgroups;
    uint32_t shared, granularity, reserve, small_partition;
    uint32_t file, step, parts, extra, base;
    uint32_t max_size, max_shared;
    double launch_ns, spin_ns; /* between two launches; an iteration */
    bool tells_width, tells_registers, early;
    uint64_t seed, draws;
} hardware;

static inline uint32_t draw(hardware *h, uint32_t bound) { return wgt_random_below(h->seed, h->draws++, bound); }

static inline uint32_t pick(hardware *h, const uint32_t *from, uint32_t count) { return from[draw(h, count)]; }

static inline uint32_t up_to(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

static inline hardware make_hardware(uint64_t seed, bool odd) {
    static const uint32_t slots[] = {8, 16, 32, 64}, odd_slots[] = {10, 12, 20, 24, 40, 48};
    static const uint32_t subgroups[] = {16, 24, 32, 40, 48, 64}, widths[] = {16, 32, 32, 32};
    static const uint32_t granularities[] = {64, 128, 256, 512, 1024};
    static const uint32_t reserves[] = {0, 0, 0, 16, 128, 1024};
    static const uint32_t limits[] = {16384, 32768, 49152, 65536}, sizes[] = {256, 512, 1024, 1024};
    hardware h = {.seed = seed};
    h.odd = odd ? (odd_kind)(1 + draw(&h, ODD_COUNT - 1)) : ODD_NOT;
    h.units = h.odd == ODD_ONE_UNIT ? 1 : 2 + draw(&h, 150);
    h.slots = h.odd == ODD_SLOTS ? pick(&h, odd_slots, 6) : pick(&h, slots, 4);
    h.width = h.odd == ODD_WIDTH ? (draw(&h, 2) ? 8 : 64) : pick(&h, widths, 4);
    h.subgroups = pick(&h, subgroups, 6);
    h.granularity = pick(&h, granularities, 5);
    h.reserve = pick(&h, reserves, 6);
    h.max_shared = pick(&h, limits, 4);
    /* A unit holds the largest array there may be. */
    const uint32_t least = up_to(h.max_shared + h.reserve, h.granularity);
    h.shared = up_to(least + draw(&h, 3) * draw(&h, h.max_shared), h.granularity);
    h.small_partition = up_to(h.max_shared / 4 + h.reserve, h.granularity);
    h.max_size = pick(&h, sizes, 4);
    while (h.max_size > h.subgroups * h.width) {
        h.max_size /= 2;
    }
    h.base = 16 + draw(&h, 12);
    h.step = 1u << draw(&h, 4);
    h.parts = 1u << draw(&h, 3);
    h.extra = 4 + draw(&h, 10);
    h.file = up_to(h.subgroups * h.width * (32 + 16 * draw(&h, 3)), 4096);
    h.launch_ns = 1 + draw(&h, 8);
    h.spin_ns = 4 + draw(&h, 20);
    h.tells_width = draw(&h, 2) == 0;
    h.tells_registers = draw(&h, 2) == 0;
    h.early = draw(&h, 2) == 0;
    return h;
}

static inline uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Workgroups that unit number `unit` holds. */
static inline uint32_t held(const hardware *h, uint32_t unit, const wgt_probe_action *a) {
    if (h->odd == ODD_SERIAL) {
        return 1;
    }
    const bool other = unit % 2 == 1;
    const uint32_t slots = h->odd == ODD_UNLIKE_SLOTS && other ? h->slots / 2 : h->slots;
    const uint32_t subgroups = h->odd == ODD_UNLIKE_INVOCATIONS && other ? h->subgroups / 2 : h->subgroups;
    uint32_t shared = h->odd == ODD_UNLIKE_MEMORY && other ? h->shared * 2 : h->shared;
    if (h->odd == ODD_PARTITIONS && a->shared_bytes <= h->max_shared / 8) {
        shared = h->small_partition;
    }
    const uint32_t each = up_to(a->size, h->width) / h->width;
    uint32_t count = least_of(slots, subgroups / each);
    if (a->shared_bytes > 0) {
        count = least_of(count, shared / up_to(a->shared_bytes + h->reserve, h->granularity));
    }
    const uint32_t registers = a->live > 0 ? a->live + h->extra : h->base;
    const uint32_t most = h->file / h->parts / (up_to(registers, h->step) * h->width) * h->parts;
    return least_of(count, most / each);
}

static inline void run_on(hardware *h, const wgt_probe_action *a, wgt_probe_report *r) {
    *r = (wgt_probe_report){.id = a->id, .span_count = a->spans, .compile_ns = 1000000,
                            .registers = WGT_UNKNOWN_U64, .spill_bytes = WGT_UNKNOWN_U64,
                            .shared_bytes = WGT_UNKNOWN_U64, .subgroup_size = WGT_UNKNOWN_U64};
    uint64_t capacity = 0;
    for (uint32_t unit = 0; unit < h->units; unit++) {
        capacity += held(h, unit, a);
    }
    if (capacity == 0) {
        r->outcome = WGT_OUTCOME_FAILED;
        return;
    }
    if (h->tells_registers) {
        r->registers = up_to(a->live > 0 ? a->live + h->extra : h->base, h->step);
    }
    const double duration = 500 + a->iterations * h->spin_ns;
    /* Where workgroups end at different times, the first to end leaves before the last was launched. */
    const double together = (h->early ? 0.5 : 1) * duration / h->launch_ns;
    uint64_t peak = capacity < a->workgroups ? capacity : a->workgroups;
    if (together < (double)peak) {
        peak = together < 1 ? 1 : (uint64_t)together;
    }
    r->peak = peak;
    r->entries = a->workgroups;
    const double waves = wgt_ceil((double)a->workgroups / (double)capacity) * a->batch;
    for (size_t i = 0; i < a->spans; i++) {
        r->spans_ns[i] = waves * duration * (1 + draw(h, 20) * 1e-3);
    }
}

static inline wgt_adapter adapter_of(const hardware *h) {
    wgt_adapter a = {.type = WGT_ADAPTER_DISCRETE, .limits = wgt_limits_portable()};
    a.limits.max_compute_invocations_per_workgroup = h->max_size;
    a.limits.max_compute_workgroup_size_x = h->max_size;
    a.limits.max_compute_workgroup_storage_size = h->max_shared;
    a.subgroup_min = h->tells_width ? h->width : 0;
    a.subgroup_max = a.subgroup_min;
    return a;
}

#endif
