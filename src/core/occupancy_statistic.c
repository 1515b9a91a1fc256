#include "occupancy_rules.h"

static const char *const statistic_names[WGT_STATISTIC_COUNT] = {
    "RADV: subgroups per SIMD, in wave32",
    "HIP: blocks per multiprocessor",
    "LLVM: waves per EU",
    "NVK: max warps per SM",
    "Turnip: max waves per core",
    "PanVK, Honeykrisp: threads",
};

const char *wgt_statistic_name(wgt_statistic statistic) {
    return (unsigned)statistic < WGT_STATISTIC_COUNT ? statistic_names[statistic] : "";
}

static uint64_t clamp_u64(uint64_t value, uint64_t low, uint64_t high) {
    return value < low ? low : value > high ? high : value;
}

static uint64_t waves_a_simd(const wgt_unit *u) {
    return u->max_subgroups / u->simds;
}

/* Before gfx10 there is only one width, 64. */
static bool is_gcn(const wgt_unit *u) {
    return u->subgroup_min == 64;
}

/* Source: Mesa e7a7d9ea, radv_get_max_waves. */
static uint64_t radv(const wgt_unit *u, const wgt_use *use, uint64_t width, uint64_t per) {
    wgt_use first = *use;
    first.registers = (uint32_t)wgt_round_up(use->registers, width == 32 ? 8 : 4);
    uint64_t waves = wgt_min_u64(waves_a_simd(u), wgt_amd_waves(u, &first, width));
    if (use->shared_bytes > 0 && u->shared_bytes > 0) {
        uint64_t bytes = wgt_round_up(use->shared_bytes, u->shared_granularity);
        waves = wgt_min_u64(waves, wgt_div_up(u->shared_bytes / bytes * per, u->simds));
    }
    return is_gcn(u) ? waves : waves * width / 32;
}

/* Source: ROCm clr f9f995c6, hip_platform.cpp; the mode (CU or WGP) is the unit's. */
static uint64_t hip(const wgt_unit *u, const wgt_use *use, uint64_t width) {
    uint64_t waves = wgt_min_u64(is_gcn(u) ? 8 : 16, wgt_amd_waves(u, use, width));
    uint64_t blocks = u->simds * waves * width / wgt_round_up(use->workgroup, width);
    return use->shared_bytes > 0 ? wgt_min_u64(blocks, u->shared_bytes / use->shared_bytes)
                                 : blocks;
}

/* Source: LLVM 51447e07, AMDGPUSubtarget.cpp and AMDGPUBaseInfo.cpp, as their tests show it. */
static uint64_t llvm(const wgt_unit *u, const wgt_use *use, uint64_t width, uint64_t per) {
    uint64_t most = waves_a_simd(u);
    uint64_t groups = u->max_subgroups / per;
    groups = per > 1 && u->workgroup_slots > 0 ? wgt_min_u64(groups, u->workgroup_slots) : groups;
    if (use->shared_bytes > 0) {
        groups = wgt_min_u64(groups, u->shared_bytes / use->shared_bytes);
    }
    uint64_t waves = clamp_u64(wgt_div_up(groups * per, u->simds), 1, most);
    uint64_t by_registers = wgt_amd_waves(u, use, width);
    return wgt_min_u64(waves, clamp_u64(by_registers, 1, most));
}

static uint64_t amd(wgt_statistic statistic, const wgt_unit *u, const wgt_use *use, uint64_t per) {
    uint64_t width = wgt_width_of(u, use);
    if (u->simds == 0 || u->max_subgroups == 0 || u->registers == 0) {
        return WGT_UNKNOWN_U64;
    }
    return statistic == WGT_STATISTIC_RADV  ? radv(u, use, width, per)
           : statistic == WGT_STATISTIC_HIP ? hip(u, use, width)
                                            : llvm(u, use, width, per);
}

/* Source: Mesa e7a7d9ea, nak/ir.rs: two registers are reserved from Volta on, 48 warps whatever the
 * part; shared memory and the workgroup do not count. */
static uint64_t nvk(const wgt_use *use) {
    uint64_t warps = 2048 / wgt_round_up((uint64_t)use->registers + 2, 8);
    return wgt_min_u64(warps / 4 * 4, 48);
}

/* Source: Mesa e7a7d9ea, ir3.c. */
static uint64_t turnip(const wgt_unit *u, const wgt_use *use) {
    uint64_t width = wgt_width_of(u, use), group = u->wave_granularity;
    uint64_t vec4 = wgt_adreno_vec4(use) * (width > u->subgroup_min ? 2 : 1);
    uint64_t groups = wgt_div_up(use->workgroup, width * group);
    uint64_t waves = u->max_subgroups;
    if (vec4 > 0) {
        waves = wgt_min_u64(waves, wgt_adreno_file(u) / vec4 * group);
    }
    if (use->shared_bytes > 0) {
        uint64_t bytes = wgt_round_up(use->shared_bytes, u->shared_granularity);
        waves = wgt_min_u64(waves, groups * (u->shared_bytes / bytes) * group);
    }
    if (use->branchstack > 0) {
        waves = wgt_min_u64(waves, WGT_ADRENO_BRANCH_FILE / use->branchstack * group);
    }
    return waves;
}

/* Source: Mesa e7a7d9ea, pan_props.c (the fallback numbers) and agx_performance.c (a table that
 * ends at the largest workgroup). */
static uint64_t threads(const wgt_unit *u, const wgt_use *use) {
    if (u->rule == WGT_RULE_APPLE) {
        return u->registers > 0 ? wgt_min_u64(u->max_workgroup, wgt_apple_threads(u, use))
                                : WGT_UNKNOWN_U64;
    }
    return use->registers > 0 && u->registers > 0
               ? wgt_min_u64(u->max_invocations, wgt_mali_threads(u, use->registers))
               : u->max_invocations;
}

uint64_t wgt_statistic_compute(wgt_statistic statistic, const wgt_unit *unit, const wgt_use *use) {
    if (use->workgroup == 0) {
        return WGT_UNKNOWN_U64;
    }
    switch (statistic) {
    case WGT_STATISTIC_RADV:
    case WGT_STATISTIC_HIP:
    case WGT_STATISTIC_LLVM:
        return unit->rule == WGT_RULE_AMD
                   ? amd(statistic, unit, use, wgt_div_up(use->workgroup, wgt_width_of(unit, use)))
                   : WGT_UNKNOWN_U64;
    case WGT_STATISTIC_NVK:
        return unit->rule == WGT_RULE_NVIDIA ? nvk(use) : WGT_UNKNOWN_U64;
    case WGT_STATISTIC_TURNIP:
        return unit->rule == WGT_RULE_ADRENO ? turnip(unit, use) : WGT_UNKNOWN_U64;
    case WGT_STATISTIC_THREADS:
        return unit->rule == WGT_RULE_MALI || unit->rule == WGT_RULE_APPLE ? threads(unit, use)
                                                                           : WGT_UNKNOWN_U64;
    case WGT_STATISTIC_COUNT:
        break;
    }
    return WGT_UNKNOWN_U64;
}
