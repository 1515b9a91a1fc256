#include "wgtune/occupancy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* The unit of the literature's example: 64 KiB of shared memory, 65,536 registers. */
static const wgt_unit textbook = {.rule = WGT_RULE_PLAIN,
                                  .workgroup_slots = 32,
                                  .max_invocations = 2048,
                                  .shared_bytes = 65536,
                                  .registers = 65536};

/* Compute capability 9.0. */
static const wgt_unit hopper = {.rule = WGT_RULE_NVIDIA,
                                .name = "SM",
                                .subgroup_min = 32,
                                .subgroup_max = 32,
                                .simds = 4,
                                .max_workgroup = 1024,
                                .workgroup_slots = 32,
                                .max_subgroups = 64,
                                .shared_bytes = 233472,
                                .shared_max_workgroup = 232448,
                                .shared_granularity = 128,
                                .shared_reserve = 1024,
                                .registers = 65536,
                                .registers_max_workgroup = 65536,
                                .register_granularity = 256,
                                .max_registers = 256,
                                .barriers = 64};

static wgt_occupancy count(const wgt_unit *unit, wgt_use use) {
    wgt_occupancy o;
    wgt_occupancy_compute(unit, &use, &o);
    return o;
}

static const char *limiters(const wgt_unit *unit, wgt_use use) {
    static char text[WGT_LIMITERS_SIZE];
    wgt_limiters_format(count(unit, use).limiters, text);
    return text;
}

static void the_literature(void **state) {
    (void)state;
    assert_int_equal(count(&textbook, (wgt_use){.workgroup = 64, .shared_bytes = 4096}).workgroups,
                     16);
    assert_int_equal(count(&textbook, (wgt_use){.workgroup = 64, .shared_bytes = 16384}).workgroups,
                     4);
    assert_string_equal(limiters(&textbook, (wgt_use){.workgroup = 64, .shared_bytes = 16384}),
                        "shared-memory");
    wgt_occupancy o = count(&textbook, (wgt_use){.workgroup = 256, .registers = 48});
    assert_int_equal(o.workgroups, 5); /* floor(65536 / (48 * 256)) */
    assert_true(o.fraction == 5 * 256 / 2048.0);
    assert_int_equal(o.subgroup, 0);
    assert_int_equal(o.terms[WGT_LIMITER_SHARED_MEMORY], WGT_UNKNOWN_U64);
    /* No steps: a size of 100 takes 100 of everything. */
    assert_int_equal(count(&textbook, (wgt_use){.workgroup = 100}).workgroups, 20);
    assert_int_equal(count(&textbook, (wgt_use){.workgroup = 100}).subgroups, 2000);
}

static void a_plain_unit_with_steps(void **state) {
    (void)state;
    wgt_unit unit = textbook;
    unit.subgroup_min = unit.subgroup_max = 32;
    unit.shared_granularity = 1024;
    unit.shared_reserve = 512;
    assert_int_equal(count(&unit, (wgt_use){.workgroup = 100}).terms[WGT_LIMITER_INVOCATIONS], 16);
    assert_int_equal(count(&unit, (wgt_use){.workgroup = 32, .shared_bytes = 3585})
                         .terms[WGT_LIMITER_SHARED_MEMORY],
                     12);
    assert_int_equal(count(&unit, (wgt_use){.workgroup = 32, .shared_bytes = 3584})
                         .terms[WGT_LIMITER_SHARED_MEMORY],
                     16);
}

static void all_that_tie_are_named(void **state) {
    (void)state;
    assert_string_equal(
        limiters(&hopper, (wgt_use){.workgroup = 64, .registers = 32, .barriers = 2}),
        "workgroup-slots|invocations|registers|barriers");
    /* Barriers that cut below the others stand alone. */
    assert_string_equal(
        limiters(&hopper, (wgt_use){.workgroup = 64, .registers = 32, .barriers = 3}), "barriers");
    assert_string_equal(limiters(&hopper, (wgt_use){.workgroup = 256, .registers = 168}),
                        "registers");
}

static void what_does_not_fit(void **state) {
    (void)state;
    const struct {
        wgt_use use;
        unsigned exceeded;
        const char *limiters;
    } rows[] = {
        {{.workgroup = 0}, 1u << WGT_LIMITER_INVOCATIONS, "invocations"},
        {{.workgroup = 1025}, 1u << WGT_LIMITER_INVOCATIONS, "invocations"},
        {{.workgroup = UINT32_MAX, .registers = 16},
         1u << WGT_LIMITER_INVOCATIONS,
         "invocations|registers"},
        {{.workgroup = 64, .registers = 257}, 1u << WGT_LIMITER_REGISTERS, "registers"},
        {{.workgroup = 64, .registers = UINT32_MAX}, 1u << WGT_LIMITER_REGISTERS, "registers"},
        {{.workgroup = 64, .shared_bytes = 232449},
         1u << WGT_LIMITER_SHARED_MEMORY,
         "shared-memory"},
        {{.workgroup = 64, .shared_bytes = UINT32_MAX},
         1u << WGT_LIMITER_SHARED_MEMORY,
         "shared-memory"},
        {{.workgroup = 1024, .registers = 65}, 0, "registers"},
        {{.workgroup = 64, .barriers = 65}, 0, "barriers"},
        {{.workgroup = 2000, .registers = 300, .shared_bytes = 300000},
         1u << WGT_LIMITER_INVOCATIONS | 1u << WGT_LIMITER_REGISTERS |
             1u << WGT_LIMITER_SHARED_MEMORY,
         "invocations|shared-memory|registers"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wgt_occupancy o = count(&hopper, rows[i].use);
        assert_true(o.known);
        assert_int_equal(o.workgroups, 0);
        assert_true(o.fraction == 0);
        assert_int_equal(o.exceeded, rows[i].exceeded);
        assert_string_equal(limiters(&hopper, rows[i].use), rows[i].limiters);
    }
    assert_int_equal(count(&hopper, (wgt_use){.workgroup = 64, .shared_bytes = 232448}).workgroups,
                     1);
    assert_int_equal(count(&hopper, (wgt_use){.workgroup = 64}).terms[WGT_LIMITER_REGISTERS],
                     WGT_UNKNOWN_U64);
}

static void too_small_a_dispatch(void **state) {
    (void)state;
    wgt_use use = {.workgroup = 256, .dispatched = 256, .units = 132};
    wgt_occupancy o = count(&hopper, use);
    assert_int_equal(o.workgroups, 8);
    assert_int_equal(o.resident, 256);
    assert_string_equal(limiters(&hopper, use), "device-fill");
    assert_true(o.fraction > 0.242 && o.fraction < 0.243); /* 256 of 1,056 */
    use.dispatched = 8 * 132;
    assert_string_equal(limiters(&hopper, use), "invocations");
    assert_int_equal(count(&hopper, use).resident, 1056);
    use.units = 0;
    assert_int_equal(count(&hopper, use).resident, WGT_UNKNOWN_U64);
}

static void no_residency(void **state) {
    (void)state;
    wgt_unit host = {.rule = WGT_RULE_HOST}, empty = {.rule = WGT_RULE_PLAIN};
    wgt_occupancy o = count(&host, (wgt_use){.workgroup = 64});
    assert_false(o.known);
    assert_int_equal(o.limiters, 0);
    assert_true(o.fraction != o.fraction);
    assert_string_equal(limiters(&host, (wgt_use){.workgroup = 64}), "none");
    assert_false(count(&empty, (wgt_use){.workgroup = 64}).known);
}

static void names(void **state) {
    (void)state;
    char text[WGT_LIMITERS_SIZE];
    size_t size = wgt_limiters_format(0x3f, text);
    assert_int_equal(size, strlen(text));
    assert_string_equal(text,
                        "workgroup-slots|invocations|shared-memory|registers|barriers|device-fill");
    assert_string_equal(wgt_limiter_name(WGT_LIMITER_DEVICE_FILL), "device-fill");
    assert_string_equal(wgt_limiter_name((wgt_limiter)6), "none");
}

static void one_more_workgroup(void **state) {
    (void)state;
    wgt_use use = {.workgroup = 256, .registers = 40, .shared_bytes = 16384};
    wgt_occupancy o = count(&hopper, use);
    assert_int_equal(o.workgroups, 6); /* registers; shared memory would allow 13 */
    wgt_threshold t;
    wgt_occupancy_threshold(&hopper, &use, 7, &t);
    assert_true(t.reachable);
    assert_int_equal(t.registers, 32);  /* the next step of 256 registers a warp */
    assert_int_equal(t.workgroup, 192); /* 48 warps fit: 7 × 6 */
    use.registers = (uint32_t)t.registers;
    assert_true(count(&hopper, use).workgroups >= 7);
    use.registers++;
    assert_true(count(&hopper, use).workgroups < 7);
    /* What can grow without losing the present six. */
    use.registers = 40;
    wgt_occupancy_threshold(&hopper, &use, 6, &t);
    assert_int_equal(t.registers, 40);
    assert_int_equal(t.shared_bytes,
                     38912 - 1024); /* floor(233472 / 6), down to 128 bytes, less the reserve */
    assert_int_equal(t.barriers, 10);
    use.shared_bytes = (uint32_t)t.shared_bytes;
    assert_int_equal(count(&hopper, use).workgroups, 6);
    use.shared_bytes++;
    assert_int_equal(count(&hopper, use).workgroups, 5);
}

static void out_of_reach(void **state) {
    (void)state;
    wgt_use use = {.workgroup = 256, .registers = 32};
    wgt_threshold t;
    wgt_occupancy_threshold(&hopper, &use, 9, &t); /* 8 fill all warps */
    assert_false(t.reachable);
    assert_int_equal(t.workgroup, 224);
    wgt_occupancy_threshold(&hopper, &use, 33, &t);
    assert_int_equal(t.workgroup, 0);
    wgt_occupancy_threshold(&hopper, &use, 0, &t);
    assert_false(t.reachable);
    /* The reserve alone bounds the shared-memory term: 229 workgroups can never be. */
    wgt_occupancy_threshold(&hopper, &use, 229, &t);
    assert_false(t.reachable);
    assert_int_equal(t.shared_bytes, WGT_UNKNOWN_U64);
}

static void better_sizes(void **state) {
    (void)state;
    uint32_t below, above;
    wgt_use use = {.workgroup = 768, .registers = 32};
    wgt_occupancy_better_sizes(&hopper, &use, &below, &above);
    assert_int_equal(below, 672); /* 3 × 21 warps of 64; 768 has 2 × 24 */
    assert_int_equal(above, 800); /* 2 × 25 */
    use.workgroup = 256;
    wgt_occupancy_better_sizes(&hopper, &use, &below, &above);
    assert_int_equal(below, 0);
    assert_int_equal(above, 0);
}

static void measured_resources(void **state) {
    (void)state;
    wgt_unit unit = hopper;
    wgt_measured m;
    wgt_difference d[WGT_MEASURED_COUNT];
    wgt_measured_init(&m);
    assert_int_equal(wgt_unit_measure(&unit, &m, d), 0);
    assert_memory_equal(&unit, &hopper, sizeof unit);
    m.invocations_per_unit = 1024;
    m.workgroup_slots = 32;
    m.shared_reserve_bytes = 0;
    m.registers_per_unit = 32768;
    assert_int_equal(wgt_unit_measure(&unit, &m, d), 3);
    assert_string_equal(d[0].name, "invocations_per_unit");
    assert_int_equal(d[0].table, 2048);
    assert_int_equal(d[0].measured, 1024);
    assert_string_equal(d[1].name, "shared_reserve_bytes");
    assert_int_equal(d[1].table, 1024);
    wgt_occupancy o = count(&unit, (wgt_use){.workgroup = 256, .registers = 32});
    assert_int_equal(o.workgroups, 4);
    assert_int_equal(o.max_subgroups, 32);
    assert_string_equal(limiters(&unit, (wgt_use){.workgroup = 256, .registers = 32}),
                        "invocations|registers");
}

/* A bare plain unit takes whatever was measured. */
static void measured_out_of_nothing(void **state) {
    (void)state;
    wgt_unit unit = {.rule = WGT_RULE_PLAIN};
    wgt_measured m;
    wgt_difference d[WGT_MEASURED_COUNT];
    wgt_measured_init(&m);
    m.workgroup_slots = 16;
    m.invocations_per_unit = 1024;
    m.subgroup_size = 64;
    assert_int_equal(wgt_unit_measure(&unit, &m, d), 3);
    assert_int_equal(d[0].table, WGT_UNKNOWN_U64);
    assert_int_equal(count(&unit, (wgt_use){.workgroup = 65}).workgroups, 8);
    size_t rows;
    const wgt_measured_row *table = wgt_measured_table(&rows);
    assert_int_equal(rows, WGT_MEASURED_COUNT);
    assert_string_equal(table[3].name, "shared_bytes_per_unit");
}

static void statistics_of_other_vendors(void **state) {
    (void)state;
    wgt_use use = {.workgroup = 64, .registers = 40};
    assert_int_equal(wgt_statistic_compute(WGT_STATISTIC_RADV, &hopper, &use), WGT_UNKNOWN_U64);
    assert_int_equal(wgt_statistic_compute(WGT_STATISTIC_NVK, &hopper, &use), 40);
    use.workgroup = 0;
    assert_int_equal(wgt_statistic_compute(WGT_STATISTIC_NVK, &hopper, &use), WGT_UNKNOWN_U64);
    assert_string_equal(wgt_statistic_name(WGT_STATISTIC_COUNT), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_literature),
                                       cmocka_unit_test(a_plain_unit_with_steps),
                                       cmocka_unit_test(all_that_tie_are_named),
                                       cmocka_unit_test(what_does_not_fit),
                                       cmocka_unit_test(too_small_a_dispatch),
                                       cmocka_unit_test(no_residency),
                                       cmocka_unit_test(names),
                                       cmocka_unit_test(one_more_workgroup),
                                       cmocka_unit_test(out_of_reach),
                                       cmocka_unit_test(better_sizes),
                                       cmocka_unit_test(measured_resources),
                                       cmocka_unit_test(measured_out_of_nothing),
                                       cmocka_unit_test(statistics_of_other_vendors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
