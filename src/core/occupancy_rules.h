/* The parts of the vendors' arithmetic that the occupancy and the statistics of other calculators
 * share. Internal to core. */
#ifndef WGT_CORE_OCCUPANCY_RULES_H
#define WGT_CORE_OCCUPANCY_RULES_H

#include "wgtune/occupancy.h"

static inline uint64_t wgt_round_up(uint64_t value, uint64_t step) {
    return step > 1 ? (value + step - 1) / step * step : value;
}

static inline uint64_t wgt_div_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

static inline uint64_t wgt_min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Invocations of a subgroup: the asked for, else the narrowest, else (Adreno) what its compiler
 * takes; 1 where subgroups are not counted. */
uint64_t wgt_width_of(const wgt_unit *unit, const wgt_use *use);

/* Vector registers of a lane in one SIMD's file, and their allocation step, at that width. */
uint64_t wgt_amd_file(const wgt_unit *unit, uint64_t width);
uint64_t wgt_amd_granularity(const wgt_unit *unit, uint64_t width);
/* Waves of a SIMD by vector and scalar registers; WGT_UNKNOWN_U64: not limited. */
uint64_t wgt_amd_waves(const wgt_unit *unit, const wgt_use *use, uint64_t width);

/* Threads of a core by registers; WGT_UNKNOWN_U64: not limited. */
uint64_t wgt_apple_threads(const wgt_unit *unit, const wgt_use *use);
uint64_t wgt_mali_threads(const wgt_unit *unit, uint32_t registers);

/* vec4 registers of an invocation, and of the file a lane; whether the double width is taken. */
#define WGT_ADRENO_BRANCH_FILE 64
uint64_t wgt_adreno_vec4(const wgt_use *use);
uint64_t wgt_adreno_file(const wgt_unit *unit);
bool wgt_adreno_doubles(const wgt_unit *unit, const wgt_use *use);

#endif
