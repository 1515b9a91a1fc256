/* The occupancy against other people's numbers: NVIDIA's calculator, the vendors' tests and
 * documents, the formulas of open drivers, and what was counted on an H200. */
#include "vectors.h"
#include "wgtune/arch.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static wgt_use use_of(const vectors *v) {
    return (wgt_use){.workgroup = (uint32_t)cell_u64(v, "workgroup"),
                     .registers = (uint32_t)cell_u64(v, "registers"),
                     .shared_bytes = (uint32_t)cell_u64(v, "shared_bytes"),
                     .barriers = (uint32_t)cell_u64(v, "barriers"),
                     .subgroup = (uint32_t)cell_u64(v, "subgroup"),
                     .sgprs = (uint32_t)cell_u64(v, "sgprs"),
                     .half_registers = (uint32_t)cell_u64(v, "half_registers"),
                     .branchstack = (uint32_t)cell_u64(v, "branchstack"),
                     .large_grf = cell_u64(v, "large_grf") != 0,
                     .dispatched = cell_u64(v, "dispatched"),
                     .units = (uint32_t)cell_u64(v, "units")};
}

static const wgt_arch *arch_of(const vectors *v) {
    const char *name = cell(v, "arch");
    const wgt_arch *arch = wgt_arch_find((wgt_str){name, strlen(name)});
    if (arch == NULL) {
        fail_msg("line %zu: no architecture '%s'", v->number, name);
    }
    return arch;
}

static void nvidia_calculator(void **state) {
    (void)state;
    vectors v;
    size_t count = 0;
    assert_true(vectors_open(&v, "occupancy/nvidia.csv"));
    while (vectors_next(&v)) {
        wgt_use use = use_of(&v);
        wgt_occupancy o;
        char limiters[WGT_LIMITERS_SIZE];
        wgt_occupancy_compute(wgt_arch_unit(arch_of(&v), false), &use, &o);
        wgt_limiters_format(o.limiters, limiters);
        if (o.workgroups != cell_u64(&v, "workgroups") ||
            o.subgroups != cell_u64(&v, "subgroups") ||
            o.max_subgroups != cell_u64(&v, "max_subgroups") ||
            strcmp(limiters, cell(&v, "limiters")) != 0) {
            fail_msg("line %zu: %llu workgroups, %s; the calculator says %s, %s", v.number,
                     (unsigned long long)o.workgroups, limiters, cell(&v, "workgroups"),
                     cell(&v, "limiters"));
        }
        count++;
    }
    assert_int_equal(count, 1995);
}

/* What a row of vectors.csv asks for, as a number; NaN: an unknown word. */
static double answer(const char *what, const wgt_arch *arch, const wgt_use *use) {
    const wgt_unit *unit = wgt_arch_unit(arch, false);
    wgt_occupancy o;
    wgt_threshold more;
    wgt_occupancy_compute(unit, use, &o);
    wgt_occupancy_threshold(unit, use, o.workgroups + 1, &more);
    const struct {
        const char *what;
        double value;
    } answers[] = {
        {"workgroups", (double)o.workgroups},
        {"subgroups", (double)o.subgroups},
        {"width", (double)o.subgroup},
        {"resident", (double)o.resident},
        {"percent", 100 * o.fraction},
        {"registers-allocated", (double)o.registers_allocated},
        {"shared-allocated", (double)o.shared_allocated},
        {"barriers-term", (double)o.terms[WGT_LIMITER_BARRIERS]},
        {"shared-term", (double)o.terms[WGT_LIMITER_SHARED_MEMORY]},
        {"shared-binds", o.limiters >> WGT_LIMITER_SHARED_MEMORY & 1},
        {"slots-bind", o.limiters >> WGT_LIMITER_WORKGROUP_SLOTS & 1},
        {"subgroups-per-simd", ceil((double)o.subgroups / (unit->simds > 0 ? unit->simds : 1))},
        {"subgroups-per-workgroup",
         ceil((double)use->workgroup / (o.subgroup > 0 ? o.subgroup : 1))},
        {"registers-for-more", (double)more.registers},
        {"shared-for-more", (double)more.shared_bytes},
        {"radv", (double)wgt_statistic_compute(WGT_STATISTIC_RADV, unit, use)},
        {"hip", (double)wgt_statistic_compute(WGT_STATISTIC_HIP, unit, use)},
        {"hip-cu-mode",
         (double)wgt_statistic_compute(WGT_STATISTIC_HIP, wgt_arch_unit(arch, true), use)},
        {"llvm", (double)wgt_statistic_compute(WGT_STATISTIC_LLVM, unit, use)},
        {"nvk", (double)wgt_statistic_compute(WGT_STATISTIC_NVK, unit, use)},
        {"turnip", (double)wgt_statistic_compute(WGT_STATISTIC_TURNIP, unit, use)},
        {"threads", (double)wgt_statistic_compute(WGT_STATISTIC_THREADS, unit, use)},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(what, answers[i].what) == 0) {
            return answers[i].value;
        }
    }
    return NAN;
}

static void every_vendor(void **state) {
    (void)state;
    vectors v;
    size_t count = 0, wrong = 0;
    assert_true(vectors_open(&v, "occupancy/vectors.csv"));
    while (vectors_next(&v)) {
        wgt_use use = use_of(&v);
        const wgt_arch *arch = arch_of(&v);
        const char *what = cell(&v, "what"), *expected = cell(&v, "expected");
        char got[WGT_LIMITERS_SIZE];
        bool same;
        if (strcmp(what, "limiters") == 0) {
            wgt_occupancy o;
            wgt_occupancy_compute(wgt_arch_unit(arch, false), &use, &o);
            wgt_limiters_format(o.limiters, got);
            same = strcmp(got, expected) == 0;
        } else {
            double value = answer(what, arch, &use);
            snprintf(got, sizeof got, "%g", value);
            same = fabs(value - strtod(expected, NULL)) < 0.006;
        }
        if (!same) {
            print_error("line %zu: %s of %s is %s, not %s (%s)\n", v.number, what, arch->id, got,
                        expected, cell(&v, "source"));
            wrong++;
        }
        count++;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(count, 1024);
}

/* The shared memory that an H200 was counted to have under Vulkan. */
static wgt_unit counted_h200(void) {
    wgt_unit unit = *wgt_arch_unit(wgt_arch_find(WGT_STR("sm_90")), false);
    wgt_measured measured;
    wgt_difference differences[WGT_MEASURED_COUNT];
    wgt_measured_init(&measured);
    measured.shared_bytes_per_unit = 49152;
    measured.shared_granularity_bytes = 256;
    measured.shared_reserve_bytes = 0;
    assert_int_equal(wgt_unit_measure(&unit, &measured, differences), 3);
    assert_string_equal(differences[0].name, "shared_bytes_per_unit");
    assert_int_equal(differences[0].table, 233472);
    assert_int_equal(differences[0].measured, 49152);
    return unit;
}

#define H200_UNITS 132

static void counted_shared_memory(void **state) {
    (void)state;
    vectors v;
    size_t count = 0, wrong = 0;
    wgt_unit unit = counted_h200();
    assert_true(vectors_open(&v, "h200/residency-shared.csv"));
    while (vectors_next(&v)) {
        wgt_use use = {.workgroup = (uint32_t)cell_u64(&v, "WG_SIZE"),
                       .shared_bytes = (uint32_t)cell_u64(&v, "workgroup_bytes"),
                       .units = H200_UNITS};
        wgt_occupancy o;
        wgt_occupancy_compute(&unit, &use, &o);
        wrong += o.resident != cell_u64(&v, "peak_workgroups");
        count++;
    }
    assert_int_equal(count, 627);
    assert_int_equal(wrong, 0);
}

static void counted_registers(void **state) {
    (void)state;
    vectors v;
    size_t count = 0, equal = 0;
    wgt_unit unit = counted_h200();
    assert_true(vectors_open(&v, "h200/residency-registers.csv"));
    while (vectors_next(&v)) {
        wgt_use use = {.workgroup = (uint32_t)cell_u64(&v, "WG_SIZE"),
                       .registers = (uint32_t)cell_u64(&v, "registers"),
                       .shared_bytes = (uint32_t)cell_u64(&v, "shared_bytes"),
                       .units = H200_UNITS};
        wgt_occupancy o;
        /* A peak within 0.15 of a whole number a unit is that number: not every last slot is seen
         * full. */
        double peak = (double)cell_u64(&v, "peak_workgroups") / H200_UNITS;
        wgt_occupancy_compute(&unit, &use, &o);
        bool same = fabs(peak - (double)o.workgroups) <= 0.15;
        equal += same;
        /* Short kernels end faster than the device launches: their peak stays below what fits. */
        if (!same && (peak > (double)o.workgroups || cell_u64(&v, "live_values") > 48)) {
            fail_msg("line %zu: %llu resident, counted %.2f", v.number,
                     (unsigned long long)o.workgroups, peak);
        }
        count++;
    }
    assert_int_equal(count, 140);
    assert_int_equal(equal, 123);
}

/* What a profiler saw on an RTX 2080 Ti: an achieved occupancy is what fits less the filling and
 * the draining of the device, and a little more than it where neighbours overlap. */
static void achieved_occupancy(void **state) {
    (void)state;
    vectors v;
    size_t count = 0;
    const wgt_unit *unit = wgt_arch_unit(wgt_arch_find(WGT_STR("sm_75")), false);
    assert_true(vectors_open(&v, "occupancy/ktt-rtx2080ti.csv"));
    while (vectors_next(&v)) {
        wgt_use use = use_of(&v);
        wgt_occupancy o;
        wgt_occupancy_compute(unit, &use, &o);
        double ratio = strtod(cell(&v, "achieved_percent"), NULL) / (100 * o.fraction);
        if (!(ratio >= 0.89 && ratio <= 1.035)) {
            fail_msg("line %zu: %.1f %% achieved of %.1f %%", v.number, 100 * o.fraction * ratio,
                     100 * o.fraction);
        }
        count++;
    }
    assert_int_equal(count, 125);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvidia_calculator), cmocka_unit_test(every_vendor),
        cmocka_unit_test(counted_shared_memory), cmocka_unit_test(counted_registers),
        cmocka_unit_test(achieved_occupancy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
