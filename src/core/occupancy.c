#include "occupancy_rules.h"
#include "../base/number.h"

static const char *const limiter_names[WGT_LIMITER_COUNT] = {
    "workgroup-slots", "invocations", "shared-memory", "registers", "barriers", "device-fill"};

const char *wgt_limiter_name(wgt_limiter limiter) {
    return (unsigned)limiter < WGT_LIMITER_COUNT ? limiter_names[limiter] : "none";
}

static size_t append(char *text, size_t at, const char *name) {
    while (*name != '\0' && at + 1 < WGT_LIMITERS_SIZE) {
        text[at++] = *name++;
    }
    text[at] = '\0';
    return at;
}

size_t wgt_limiters_format(unsigned limiters, char text[WGT_LIMITERS_SIZE]) {
    size_t at = append(text, 0, "");
    for (unsigned i = 0; i < WGT_LIMITER_COUNT; i++) {
        if ((limiters >> i & 1u) != 0) {
            at = append(text, at, at > 0 ? "|" : "");
            at = append(text, at, limiter_names[i]);
        }
    }
    return at > 0 ? at : append(text, 0, "none");
}

/* What every rule needs: a workgroup's subgroups, and the term that is being filled. */
typedef struct counting {
    const wgt_unit *unit;
    const wgt_use *use;
    uint64_t width; /* invocations of a subgroup; 1 where they are not counted */
    uint64_t per;   /* subgroups of a workgroup, at least 1 */
    wgt_occupancy *out;
} counting;

static void exceed(counting *c, wgt_limiter limiter) {
    c->out->exceeded |= 1u << limiter;
    c->out->terms[limiter] = 0;
}

static void set_term(counting *c, wgt_limiter limiter, uint64_t workgroups) {
    if ((c->out->exceeded >> limiter & 1u) == 0) {
        c->out->terms[limiter] = workgroups;
    }
}

/* Shared memory is alike everywhere: a request and the system's reserve, rounded to a granule or to
 * one of a few sizes, out of one pool. A reserve counts even for a workgroup that asks for nothing
 * (NVIDIA from compute capability 8.0 on). */
static void shared_term(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t bytes =
        wgt_round_up((uint64_t)c->use->shared_bytes + u->shared_reserve, u->shared_granularity);
    if (u->shared_step_count > 0 && bytes > 0) {
        uint32_t i = 0;
        while (i < u->shared_step_count && (uint64_t)u->shared_steps_kib[i] * 1024 < bytes) {
            i++;
        }
        if (i == u->shared_step_count) {
            exceed(c, WGT_LIMITER_SHARED_MEMORY);
            return;
        }
        bytes = (uint64_t)u->shared_steps_kib[i] * 1024;
    }
    c->out->shared_allocated = bytes;
    if (u->shared_max_workgroup > 0 && c->use->shared_bytes > u->shared_max_workgroup) {
        exceed(c, WGT_LIMITER_SHARED_MEMORY);
    } else if (u->shared_bytes > 0 && bytes > 0) {
        set_term(c, WGT_LIMITER_SHARED_MEMORY, u->shared_bytes / bytes);
    }
}

static void slots_term(counting *c, uint32_t slots) {
    if (slots > 0) {
        set_term(c, WGT_LIMITER_WORKGROUP_SLOTS, slots);
    }
}

static void subgroups_term(counting *c) {
    if (c->unit->max_subgroups > 0) {
        set_term(c, WGT_LIMITER_INVOCATIONS, c->unit->max_subgroups / c->per);
    }
}

static void barriers_term(counting *c) {
    if (c->unit->barriers > 0 && c->use->barriers > 0) {
        set_term(c, WGT_LIMITER_BARRIERS, c->unit->barriers / c->use->barriers);
    }
}

static void count_plain(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t lanes = c->per * c->width;
    uint64_t registers = wgt_round_up(c->use->registers, u->register_granularity);
    slots_term(c, u->workgroup_slots);
    if (u->max_invocations > 0) {
        set_term(c, WGT_LIMITER_INVOCATIONS, u->max_invocations / lanes);
    }
    subgroups_term(c);
    barriers_term(c);
    if (u->registers > 0 && registers > 0) {
        c->out->registers_allocated = registers * lanes;
        set_term(c, WGT_LIMITER_REGISTERS, u->registers / registers / lanes);
    }
}

/* Subgroups whose registers fit when they are dealt over `partitions` files of equal size. */
static uint64_t nvidia_subgroups(const wgt_unit *u, uint64_t a_subgroup, uint64_t partitions) {
    return u->registers / partitions / a_subgroup * partitions;
}

/* The check before a launch takes a workgroup's subgroups as dealt to all sub-partitions evenly. */
static bool nvidia_refuses(const wgt_unit *u, uint64_t a_subgroup, uint64_t per,
                           uint64_t partitions) {
    return a_subgroup * wgt_round_up(per, partitions) > u->registers_max_workgroup ||
           nvidia_subgroups(u, a_subgroup, partitions) < per;
}

static void count_nvidia(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t a_subgroup =
        wgt_round_up((uint64_t)c->use->registers * c->width, u->register_granularity);
    slots_term(c, u->workgroup_slots);
    subgroups_term(c);
    barriers_term(c);
    if (a_subgroup == 0 || u->registers == 0 || u->simds == 0) {
        return;
    }
    c->out->registers_allocated = a_subgroup * c->per;
    uint64_t check = u->register_check_partitions;
    if (nvidia_refuses(u, a_subgroup, c->per, u->simds) ||
        (check > 0 && nvidia_refuses(u, a_subgroup, c->per, check))) {
        set_term(c, WGT_LIMITER_REGISTERS, 0);
        return;
    }
    set_term(c, WGT_LIMITER_REGISTERS, nvidia_subgroups(u, a_subgroup, u->simds) / c->per);
}

static void count_amd(counting *c) {
    const wgt_unit *u = c->unit;
    slots_term(c, c->per > 1 ? u->workgroup_slots : 0);
    subgroups_term(c);
    if (u->simds == 0) {
        return;
    }
    uint64_t waves = wgt_amd_waves(u, c->use, c->width);
    if (waves != WGT_UNKNOWN_U64) {
        set_term(c, WGT_LIMITER_REGISTERS, waves * u->simds / c->per);
        c->out->registers_allocated =
            wgt_round_up(c->use->registers, wgt_amd_granularity(u, c->width)) * c->width * c->per;
    }
}

/* Threads of a SIMD that a register count leaves (Intel from Xe3 on). */
static void intel_registers(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t registers = c->use->registers > 0 ? c->use->registers : c->use->large_grf ? 256 : 0;
    for (uint32_t i = 0; registers > 0 && i < u->register_step_count; i++) {
        if (registers <= u->register_steps[i]) {
            set_term(c, WGT_LIMITER_REGISTERS,
                     (uint64_t)u->register_step_threads[i] * u->simds / c->per);
            return;
        }
    }
    if (registers > 0) {
        exceed(c, WGT_LIMITER_REGISTERS);
    }
}

static void count_intel(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t threads = u->max_subgroups;
    if (u->register_step_count > 0) {
        intel_registers(c);
    } else if (c->use->large_grf) {
        threads /= 2;
    }
    if (threads > 0) {
        set_term(c, WGT_LIMITER_INVOCATIONS, threads / c->per);
    }
    if (c->use->barriers > 0 && u->barriers > 0) {
        barriers_term(c); /* a workgroup with barriers is bound by their registers, not by slots */
    } else {
        slots_term(c, u->workgroup_slots);
    }
}

static void count_apple(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t threads = u->registers > 0 ? wgt_apple_threads(u, c->use) : WGT_UNKNOWN_U64;
    slots_term(c, u->workgroup_slots);
    subgroups_term(c);
    if (threads != WGT_UNKNOWN_U64) {
        set_term(c, WGT_LIMITER_REGISTERS, threads / (c->per * c->width));
    }
}

static void count_adreno(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t group = u->wave_granularity;
    uint64_t vec4 = wgt_adreno_vec4(c->use) * (c->width > u->subgroup_min ? 2 : 1);
    uint64_t groups = wgt_div_up(c->use->workgroup, c->width * group); /* of waves, a workgroup */
    uint64_t waves = u->max_subgroups;
    if (groups == 0) {
        return;
    }
    if (c->use->branchstack > 0) {
        waves = wgt_min_u64(waves, WGT_ADRENO_BRANCH_FILE / c->use->branchstack * group);
    }
    slots_term(c, u->workgroup_slots);
    set_term(c, WGT_LIMITER_INVOCATIONS, waves / (groups * group));
    if (vec4 > 0 && u->registers > 0) {
        set_term(c, WGT_LIMITER_REGISTERS, wgt_adreno_file(u) / vec4 / groups);
        c->out->registers_allocated = vec4 * 4 * u->subgroup_min * group * groups;
    }
}

static void count_mali(counting *c) {
    const wgt_unit *u = c->unit;
    uint64_t lanes = c->per * c->width;
    slots_term(c, u->workgroup_slots);
    if (u->max_invocations > 0) {
        set_term(c, WGT_LIMITER_INVOCATIONS, u->max_invocations / lanes);
    }
    if (c->use->registers > 0 && u->registers > 0) {
        set_term(c, WGT_LIMITER_REGISTERS, wgt_mali_threads(u, c->use->registers) / lanes);
    }
}

/* A unit is known when it says what it holds at all; a host says nothing. */
static bool is_known(const wgt_unit *u) {
    if (u->rule == WGT_RULE_HOST) {
        return false;
    }
    if (u->rule == WGT_RULE_PLAIN) {
        return u->workgroup_slots > 0 || u->max_invocations > 0 || u->shared_bytes > 0 ||
               u->registers > 0;
    }
    return u->max_subgroups > 0 && (u->rule != WGT_RULE_NVIDIA || u->registers > 0);
}

static void finish(counting *c) {
    wgt_occupancy *o = c->out;
    const wgt_unit *u = c->unit;
    uint64_t workgroups = WGT_UNKNOWN_U64;
    for (unsigned i = 0; i < WGT_TERM_COUNT; i++) {
        workgroups = wgt_min_u64(workgroups, o->terms[i]);
    }
    for (unsigned i = 0; i < WGT_TERM_COUNT && workgroups != WGT_UNKNOWN_U64; i++) {
        o->limiters |= o->terms[i] == workgroups ? 1u << i : 0;
    }
    o->workgroups = workgroups == WGT_UNKNOWN_U64 ? 0 : workgroups;
    o->known = workgroups != WGT_UNKNOWN_U64;
    bool plain = o->subgroup == 0;
    o->subgroups = o->workgroups * (plain ? c->use->workgroup : c->per);
    o->max_subgroups = plain ? u->max_invocations : u->max_subgroups;
    double resident = (double)o->subgroups;
    if (c->use->units > 0) {
        uint64_t room = o->workgroups * c->use->units;
        o->resident = room;
        if (c->use->dispatched > 0 && c->use->dispatched < room) {
            o->resident = c->use->dispatched;
            o->limiters = 1u << WGT_LIMITER_DEVICE_FILL;
            resident *= (double)c->use->dispatched / (double)room;
        }
    }
    if (o->known && o->max_subgroups > 0) {
        o->fraction = resident / (double)o->max_subgroups;
    }
}

typedef void (*count_fn)(counting *c);
static const count_fn rules[] = {[WGT_RULE_PLAIN] = count_plain, [WGT_RULE_NVIDIA] = count_nvidia,
                                 [WGT_RULE_AMD] = count_amd,     [WGT_RULE_INTEL] = count_intel,
                                 [WGT_RULE_APPLE] = count_apple, [WGT_RULE_ADRENO] = count_adreno,
                                 [WGT_RULE_MALI] = count_mali};

void wgt_occupancy_compute(const wgt_unit *unit, const wgt_use *use, wgt_occupancy *occupancy) {
    *occupancy = (wgt_occupancy){.fraction = wgt_nan(), .resident = WGT_UNKNOWN_U64};
    for (unsigned i = 0; i < WGT_TERM_COUNT; i++) {
        occupancy->terms[i] = WGT_UNKNOWN_U64;
    }
    if (!is_known(unit)) {
        return;
    }
    uint64_t width = wgt_width_of(unit, use);
    counting c = {unit, use, width, use->workgroup > 0 ? wgt_div_up(use->workgroup, width) : 1,
                  occupancy};
    occupancy->subgroup = unit->subgroup_min > 0 ? (uint32_t)width : 0;
    if (use->workgroup == 0 || (unit->max_workgroup > 0 && use->workgroup > unit->max_workgroup)) {
        exceed(&c, WGT_LIMITER_INVOCATIONS);
    }
    if (unit->max_registers > 0 && (uint64_t)use->registers > unit->max_registers) {
        exceed(&c, WGT_LIMITER_REGISTERS);
    }
    shared_term(&c);
    rules[unit->rule](&c);
    finish(&c);
}
