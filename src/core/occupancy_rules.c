#include "occupancy_rules.h"

/* Vector registers of a lane in one SIMD's file, at the width in use. */
uint64_t wgt_amd_file(const wgt_unit *u, uint64_t width) {
    return u->registers / u->simds / width;
}

uint64_t wgt_amd_granularity(const wgt_unit *u, uint64_t width) {
    bool wide = width == u->subgroup_max && u->subgroup_max != u->subgroup_min;
    return wide ? u->register_granularity_wide : u->register_granularity;
}

/* Waves of a SIMD by vector and scalar registers; WGT_UNKNOWN_U64: not limited. */
uint64_t wgt_amd_waves(const wgt_unit *u, const wgt_use *use, uint64_t width) {
    uint64_t waves = WGT_UNKNOWN_U64;
    if (use->registers > 0 && u->registers > 0) {
        waves =
            wgt_amd_file(u, width) / wgt_round_up(use->registers, wgt_amd_granularity(u, width));
    }
    if (use->sgprs > 0 && u->sgprs > 0) {
        waves = wgt_min_u64(waves, u->sgprs / wgt_round_up(use->sgprs, u->sgpr_granularity));
    }
    return waves;
}

/* Threads of a core, in whole steps of 64. The compiler's own table stops at 1,024, the largest
 * workgroup; above that this carries the same law on to what a core can hold. */
uint64_t wgt_apple_threads(const wgt_unit *u, const wgt_use *use) {
    uint64_t halves = (uint64_t)use->registers + use->half_registers;
    return halves == 0 ? WGT_UNKNOWN_U64
                       : 2 * u->registers / wgt_round_up(halves, u->register_granularity) / 64 * 64;
}

uint64_t wgt_adreno_vec4(const wgt_use *use) {
    return (uint64_t)use->registers + wgt_div_up(use->half_registers, 2);
}

uint64_t wgt_adreno_file(const wgt_unit *u) {
    return u->simds > 0 ? u->registers / 4 / u->subgroup_min / u->simds : 0;
}

/* Whether the compiler takes the double width. */
bool wgt_adreno_doubles(const wgt_unit *u, const wgt_use *use) {
    if (use->subgroup != 0 || u->subgroup_max == u->subgroup_min) {
        return use->subgroup > u->subgroup_min;
    }
    return use->workgroup > u->subgroup_min && 2 * wgt_adreno_vec4(use) <= wgt_adreno_file(u) &&
           use->branchstack <= WGT_ADRENO_BRANCH_FILE;
}

/* Threads of a core: the register file has room for that many at the next step of registers. */
uint64_t wgt_mali_threads(const wgt_unit *u, uint32_t registers) {
    for (uint32_t i = 0; i < u->register_step_count; i++) {
        if (registers <= u->register_steps[i]) {
            return u->registers / u->register_steps[i];
        }
    }
    return 0;
}

uint64_t wgt_width_of(const wgt_unit *u, const wgt_use *use) {
    if (u->rule == WGT_RULE_ADRENO && u->subgroup_min > 0) {
        return wgt_adreno_doubles(u, use) ? u->subgroup_max : u->subgroup_min;
    }
    if (use->subgroup > 0) {
        return use->subgroup;
    }
    return u->subgroup_min > 0 ? u->subgroup_min : 1;
}
