/* The register file of a unit, from kernels with a known number of live values.
 *
 * With the driver's counts: subgroups = parts · floor(file / parts / (width · step · ceil(registers / step))),
 * every file, number of parts and step held against all counts. Without: a kernel of L live values needs
 * at least L registers and, by experience, at most LIMIT_EXTRA more; where the count falls between two
 * kernels, the file lies between what the first needs and what the second would. */
#include "probe_internal.h"
#include "../base/memory.h"
#include "../base/number.h"

static const uint32_t lives[] = {24, 128, 40, 56, 64, 72, 80, 96, 112, 120, 144, 160, 176, 192};
#define LIVE_COUNT (sizeof lives / sizeof *lives)
#define LIMIT_EXTRA 24u
#define USUAL_EXTRA 8u
#define FILE_STEP 1024u
#define LAST_FILE ((uint32_t)1 << 20)

static uint32_t width_of(const wgt_probe *p, const probe_units *u) {
    if (u->width_count == 1) {
        return u->widths[0].width;
    }
    return p->width_max != 0 ? p->width_max : 32;
}

/* The smallest workgroup that slots do not keep from filling a unit. */
static uint32_t live_size(const wgt_probe *p, const probe_units *u) {
    uint32_t size = width_of(p, u);
    const uint64_t subgroups = u->widths[0].high == UINT64_MAX ? 0 : u->widths[0].low;
    while (subgroups != 0 && (uint64_t)u->slots * (size / width_of(p, u)) < subgroups && size * 2 <= p->max_size) {
        size *= 2;
    }
    return size > p->max_size ? p->max_size : size;
}

static const probe_point *live_point(const wgt_probe *p, uint32_t live) {
    for (size_t i = 0; i < p->point_count; i++) {
        if (p->points[i].kernel == WGT_PROBE_LIVE && p->points[i].live == live && p->points[i].settled) {
            return &p->points[i];
        }
    }
    return NULL;
}

bool wgt_probe_step_registers(wgt_probe *p, wgt_probe_action *action) {
    probe_units u;
    wgt_probe_units(p, false, &u);
    if (!u.valid) {
        return false;
    }
    const uint32_t size = live_size(p, &u);
    for (size_t i = 0; i < LIVE_COUNT; i++) {
        const probe_point *least = live_point(p, lives[0]), *many = live_point(p, lives[1]);
        if (i > 1 && (least == NULL || many == NULL || least->peak == many->peak)) {
            return false;
        }
        probe_point *q = wgt_probe_point(p, WGT_PROBE_LIVE, size, 0, lives[i]);
        if (q != NULL && wgt_probe_settle(p, q, action)) {
            return true;
        }
    }
    return false;
}

typedef struct use {
    uint32_t live, count, subgroups; /* workgroups a unit, subgroups a workgroup */
    uint64_t registers, spill_bytes;
} use;

/* Ascending in live values. */
static size_t gather(const wgt_probe *p, const probe_units *u, use uses[LIVE_COUNT]) {
    size_t count = 0;
    for (uint32_t live = 1; live <= 192; live++) {
        const probe_point *q = live_point(p, live);
        bool exact;
        use *next = &uses[count];
        if (q == NULL || count == LIVE_COUNT || !wgt_probe_per_unit(q->peak, u->units, &next->count, &exact)) {
            continue;
        }
        next->live = live;
        next->subgroups = (uint32_t)wgt_div_ceil_u64(q->size, width_of(p, u));
        next->registers = q->registers;
        next->spill_bytes = q->spill_bytes;
        count++;
    }
    return count;
}

typedef struct file_model {
    uint32_t file, parts, step, width;
    uint32_t slots;
    uint64_t subgroups; /* without registers in the way */
} file_model;

static bool explains(const file_model *m, const use *uses, size_t count, bool *bound) {
    for (size_t i = 0; i < count; i++) {
        const use *a = &uses[i];
        const uint64_t each = wgt_div_ceil_u64(a->registers, m->step) * m->step * m->width;
        uint64_t fit = m->file / m->parts / each * m->parts;
        *bound = *bound || fit < m->subgroups;
        fit = (fit < m->subgroups ? fit : m->subgroups) / a->subgroups;
        if ((fit < m->slots ? fit : m->slots) != a->count) {
            return false;
        }
    }
    return true;
}

static bool by_driver(const wgt_probe *p, const probe_units *u, const use *uses, size_t count, probe_registers *r) {
    for (size_t i = 0; i < count; i++) {
        if (uses[i].registers == WGT_UNKNOWN_U64 || uses[i].registers == 0) {
            return false;
        }
    }
    if (u->width_count != 1 || u->widths[0].high == UINT64_MAX) {
        return false;
    }
    file_model m = {.width = width_of(p, u), .slots = u->slots, .subgroups = u->widths[0].low};
    uint32_t found = 0;
    r->granularity_low = 1e9;
    for (m.parts = 1; m.parts <= 4; m.parts *= 2) {
        for (m.step = 1; m.step <= 32; m.step *= 2) {
            for (m.file = FILE_STEP; m.file <= LAST_FILE; m.file += FILE_STEP) {
                bool bound = false;
                if (!explains(&m, uses, count, &bound) || !bound) {
                    continue;
                }
                r->low = found == 0 || m.file < r->low ? m.file : r->low;
                r->high = found++ == 0 || m.file > r->high ? m.file : r->high;
                r->granularity_low = m.step < r->granularity_low ? m.step : r->granularity_low;
                r->granularity_high = m.step > r->granularity_high ? m.step : r->granularity_high;
            }
        }
    }
    if (found == 0) {
        return false;
    }
    const bool one = r->low == r->high;
    r->by_driver = true;
    r->value = one ? r->low : (r->low + r->high) / 2;
    r->confidence = one && u->exact && u->grouping_count == 1 ? WGT_CONFIDENCE_CERTAIN
                    : r->high <= 1.3 * r->low                 ? WGT_CONFIDENCE_LIKELY
                                                              : WGT_CONFIDENCE_UNKNOWN;
    return true;
}

static void by_live_values(const wgt_probe *p, const probe_units *u, const use *uses, size_t count,
                           probe_registers *r) {
    const uint32_t width = width_of(p, u);
    double low = 0, high = wgt_infinity(), usual = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const double resident = (double)uses[i].count * uses[i].subgroups * width;
        if (uses[i + 1].count >= uses[i].count) {
            continue; /* only a count that falls afterwards shows that registers bind, and none is spilled */
        }
        const double least = resident * uses[i].live, most = resident * (uses[i + 1].live + LIMIT_EXTRA);
        low = least > low ? least : low;
        high = most < high ? most : high;
        const double likely = resident * (uses[i].live + USUAL_EXTRA);
        usual = likely > usual ? likely : usual;
    }
    if (!(low > 0) || high < low) {
        return;
    }
    r->low = low;
    r->high = high;
    r->value = usual < high ? usual : high;
    r->confidence = high <= 1.3 * low ? WGT_CONFIDENCE_LIKELY : WGT_CONFIDENCE_UNKNOWN;
}

void wgt_probe_registers(const wgt_probe *p, const probe_units *u, probe_registers *r) {
    use uses[LIVE_COUNT];
    *r = (probe_registers){.value = wgt_nan(), .low = wgt_nan(), .high = wgt_nan(),
                           .granularity_low = wgt_nan(), .granularity_high = wgt_nan()};
    /* Counts give registers a subgroup: without its width they say nothing of an invocation's. */
    const bool wide = u->width_count == 1 || (p->width_min != 0 && p->width_min == p->width_max);
    const size_t count = u->valid && wide ? gather(p, u, uses) : 0;
    if (count < 3 || uses[0].count == uses[count - 1].count) {
        return;
    }
    if (!by_driver(p, u, uses, count, r)) {
        r->granularity_low = wgt_nan();
        by_live_values(p, u, uses, count, r);
    }
    if (r->confidence == WGT_CONFIDENCE_UNKNOWN) {
        r->value = wgt_nan();
    }
}
