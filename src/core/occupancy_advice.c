#include "occupancy_rules.h"

/* Which resource of a use is being varied. */
typedef enum varied { VARIED_REGISTERS, VARIED_SHARED, VARIED_BARRIERS, VARIED_WORKGROUP } varied;

/* Beyond these nothing can fit anywhere; they end the searches. */
#define MOST_REGISTERS 4096u
#define MOST_SHARED (1u << 30)
#define MOST_BARRIERS 4096u
#define MOST_WORKGROUP (1u << 20)

static uint64_t allowed(const wgt_unit *unit, const wgt_use *use, varied what, uint32_t value) {
    wgt_use other = *use;
    wgt_occupancy o;
    switch (what) {
    case VARIED_REGISTERS:
        other.registers = value;
        wgt_occupancy_compute(unit, &other, &o);
        return o.terms[WGT_LIMITER_REGISTERS];
    case VARIED_SHARED:
        other.shared_bytes = value;
        wgt_occupancy_compute(unit, &other, &o);
        return o.terms[WGT_LIMITER_SHARED_MEMORY];
    case VARIED_BARRIERS:
        other.barriers = value;
        wgt_occupancy_compute(unit, &other, &o);
        return o.terms[WGT_LIMITER_BARRIERS];
    case VARIED_WORKGROUP:
        break;
    }
    other.workgroup = value;
    wgt_occupancy_compute(unit, &other, &o);
    return o.workgroups;
}

/* The largest value in [least, most] with which `wanted` workgroups are allowed: every term falls
 * as its resource grows. most + 1: all of them; least - 1 wraps to UINT64_MAX: none. */
static uint64_t largest(const wgt_unit *unit, const wgt_use *use, varied what, uint64_t wanted,
                        uint32_t least, uint32_t most) {
    if (allowed(unit, use, what, least) < wanted) {
        return (uint64_t)least - 1;
    }
    if (allowed(unit, use, what, most) >= wanted) {
        return (uint64_t)most + 1;
    }
    uint32_t fits = least, not_any_more = most;
    while (not_any_more - fits > 1) {
        uint32_t middle = fits + (not_any_more - fits) / 2;
        if (allowed(unit, use, what, middle) >= wanted) {
            fits = middle;
        } else {
            not_any_more = middle;
        }
    }
    return fits;
}

/* As the threshold says it: unknown both when nothing is too much and when everything is. */
static uint64_t bound(const wgt_unit *unit, const wgt_use *use, varied what, uint64_t wanted,
                      uint32_t most, bool *possible) {
    uint64_t value = largest(unit, use, what, wanted, 0, most);
    if (value == UINT64_MAX) {
        *possible = false;
        return WGT_UNKNOWN_U64;
    }
    return value > most ? WGT_UNKNOWN_U64 : value;
}

void wgt_occupancy_threshold(const wgt_unit *unit, const wgt_use *use, uint64_t workgroups,
                             wgt_threshold *threshold) {
    wgt_occupancy now;
    wgt_occupancy_compute(unit, use, &now);
    bool possible = now.known && workgroups > 0;
    *threshold =
        (wgt_threshold){workgroups, WGT_UNKNOWN_U64, WGT_UNKNOWN_U64, WGT_UNKNOWN_U64, 0, false};
    if (!possible) {
        return;
    }
    threshold->registers =
        bound(unit, use, VARIED_REGISTERS, workgroups, MOST_REGISTERS, &possible);
    threshold->shared_bytes = bound(unit, use, VARIED_SHARED, workgroups, MOST_SHARED, &possible);
    threshold->barriers = bound(unit, use, VARIED_BARRIERS, workgroups, MOST_BARRIERS, &possible);
    threshold->reachable = possible && now.terms[WGT_LIMITER_WORKGROUP_SLOTS] >= workgroups &&
                           now.terms[WGT_LIMITER_INVOCATIONS] >= workgroups;
    uint64_t size = largest(unit, use, VARIED_WORKGROUP, workgroups, 1, MOST_WORKGROUP);
    threshold->workgroup = size > MOST_WORKGROUP ? 0 : size;
}

void wgt_occupancy_better_sizes(const wgt_unit *unit, const wgt_use *use, uint32_t *below,
                                uint32_t *above) {
    wgt_occupancy now;
    wgt_occupancy_compute(unit, use, &now);
    *below = 0;
    *above = 0;
    if (!now.known || !(now.max_subgroups > 0)) {
        return;
    }
    uint32_t step = now.subgroup > 0 ? now.subgroup : 32;
    uint32_t most = unit->max_workgroup > 0 ? unit->max_workgroup : 1024;
    wgt_use other = *use;
    other.subgroup = unit->rule == WGT_RULE_ADRENO ? use->subgroup : now.subgroup;
    other.dispatched = 0;
    for (other.workgroup = step; other.workgroup <= most && *above == 0; other.workgroup += step) {
        wgt_occupancy o;
        wgt_occupancy_compute(unit, &other, &o);
        if (o.subgroups * now.max_subgroups > now.subgroups * o.max_subgroups) {
            if (other.workgroup < use->workgroup) {
                *below = other.workgroup;
            } else if (other.workgroup > use->workgroup) {
                *above = other.workgroup;
            }
        }
    }
}

static const wgt_measured_row measured_rows[WGT_MEASURED_COUNT] = {
    {"workgroup_slots", offsetof(wgt_measured, workgroup_slots)},
    {"invocations_per_unit", offsetof(wgt_measured, invocations_per_unit)},
    {"subgroup_size", offsetof(wgt_measured, subgroup_size)},
    {"shared_bytes_per_unit", offsetof(wgt_measured, shared_bytes_per_unit)},
    {"shared_granularity_bytes", offsetof(wgt_measured, shared_granularity_bytes)},
    {"shared_reserve_bytes", offsetof(wgt_measured, shared_reserve_bytes)},
    {"registers_per_unit", offsetof(wgt_measured, registers_per_unit)},
    {"register_granularity", offsetof(wgt_measured, register_granularity)},
    {"barriers_per_unit", offsetof(wgt_measured, barriers_per_unit)},
    {"max_workgroup", offsetof(wgt_measured, max_workgroup)},
};

const wgt_measured_row *wgt_measured_table(size_t *count) {
    *count = WGT_MEASURED_COUNT;
    return measured_rows;
}

static uint64_t *field(wgt_measured *measured, size_t i) {
    return (uint64_t *)(void *)((char *)measured + measured_rows[i].offset);
}

void wgt_measured_init(wgt_measured *measured) {
    for (size_t i = 0; i < WGT_MEASURED_COUNT; i++) {
        *field(measured, i) = WGT_UNKNOWN_U64;
    }
}

/* What the unit says under the sheet's names. A reserve of 0 is a number; any other 0 is unknown.
 */
static void describe(const wgt_unit *u, wgt_measured *m) {
    uint64_t lanes =
        u->max_invocations > 0 ? u->max_invocations : (uint64_t)u->max_subgroups * u->subgroup_min;
    *m = (wgt_measured){u->workgroup_slots,    lanes,
                        u->subgroup_min,       u->shared_bytes,
                        u->shared_granularity, u->shared_reserve,
                        u->registers,          u->register_granularity,
                        u->barriers,           u->max_workgroup};
    for (size_t i = 0; i < WGT_MEASURED_COUNT; i++) {
        uint64_t *value = field(m, i);
        if (*value == 0 && value != &m->shared_reserve_bytes) {
            *value = WGT_UNKNOWN_U64;
        }
    }
}

static uint32_t narrow(uint64_t value) {
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void assign(wgt_unit *u, const wgt_measured *m) {
    u->workgroup_slots = narrow(m->workgroup_slots);
    u->shared_bytes = m->shared_bytes_per_unit;
    u->shared_granularity = narrow(m->shared_granularity_bytes);
    u->shared_reserve = narrow(m->shared_reserve_bytes);
    u->registers = m->registers_per_unit;
    u->register_granularity = narrow(m->register_granularity);
    u->barriers = narrow(m->barriers_per_unit);
    u->max_workgroup = narrow(m->max_workgroup);
}

size_t wgt_unit_measure(wgt_unit *unit, const wgt_measured *measured,
                        wgt_difference differences[WGT_MEASURED_COUNT]) {
    wgt_measured table, given = *measured;
    size_t count = 0;
    describe(unit, &table);
    bool width_given = given.subgroup_size != WGT_UNKNOWN_U64 && given.subgroup_size > 0;
    bool lanes_given = given.invocations_per_unit != WGT_UNKNOWN_U64;
    bool shared_given = given.shared_bytes_per_unit != WGT_UNKNOWN_U64;
    bool granularity_given = given.shared_granularity_bytes != WGT_UNKNOWN_U64;
    for (size_t i = 0; i < WGT_MEASURED_COUNT; i++) {
        uint64_t *value = field(&given, i);
        uint64_t known = *field(&table, i);
        if (*value == WGT_UNKNOWN_U64) {
            *value = known == WGT_UNKNOWN_U64 ? 0 : known;
        } else if (*value != known) {
            differences[count++] = (wgt_difference){measured_rows[i].name, known, *value};
        }
    }
    assign(unit, &given);
    if (width_given) {
        unit->subgroup_min = narrow(given.subgroup_size);
        unit->subgroup_max = narrow(given.subgroup_size);
    }
    if (lanes_given && unit->rule != WGT_RULE_PLAIN && unit->rule != WGT_RULE_MALI) {
        unit->max_subgroups =
            narrow(given.invocations_per_unit / (unit->subgroup_min > 0 ? unit->subgroup_min : 1));
    } else if (lanes_given) {
        unit->max_invocations = narrow(given.invocations_per_unit);
    }
    /* A counted granularity replaces a table of sizes, and a counted pool bounds a workgroup too.
     */
    unit->shared_step_count = granularity_given ? 0 : unit->shared_step_count;
    if (shared_given && unit->shared_max_workgroup > unit->shared_bytes) {
        unit->shared_max_workgroup = unit->shared_bytes;
    }
    return count;
}
