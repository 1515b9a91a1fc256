#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wgtune/adapter.h"
#include "base/text.h"

#include <string.h>

static void the_table_names_every_field_once(void **state) {
    (void)state;
    size_t count = 0;
    const wgt_limit_row *rows = wgt_limit_table(&count);
    assert_int_equal(count * sizeof(uint64_t), sizeof(wgt_limits));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(rows[i].name, rows[j].name);
            assert_int_not_equal(rows[i].offset, rows[j].offset);
        }
        wgt_limits limits = wgt_limits_portable();
        uint64_t *field = wgt_limit_by_name(&limits, wgt_str_from(rows[i].name));
        assert_non_null(field);
        assert_int_equal(*field, rows[i].portable);
    }
}

static void portable_limits_are_those_of_the_specification(void **state) {
    (void)state;
    wgt_limits limits = wgt_limits_portable();
    assert_int_equal(limits.max_compute_invocations_per_workgroup, 256);
    assert_int_equal(limits.max_compute_workgroup_size_z, 64);
    assert_int_equal(limits.max_compute_workgroup_storage_size, 16384);
    assert_int_equal(limits.max_compute_workgroups_per_dimension, 65535);
    assert_int_equal(limits.max_storage_buffer_binding_size, 134217728);
    assert_int_equal(limits.max_buffer_size, 268435456);
    assert_null(wgt_limit_by_name(&limits, WGT_STR("maxComputeInvocations")));
}

static void the_smaller_limits_have_the_larger_alignment(void **state) {
    (void)state;
    wgt_limits a = wgt_limits_portable(), b = a;
    a.max_compute_workgroup_storage_size = 49152;
    b.max_compute_invocations_per_workgroup = 1024;
    b.min_storage_buffer_offset_alignment = 32;
    wgt_limits least = wgt_limits_min(&a, &b);
    assert_int_equal(least.max_compute_workgroup_storage_size, 16384);
    assert_int_equal(least.max_compute_invocations_per_workgroup, 256);
    assert_int_equal(least.min_storage_buffer_offset_alignment, 256);
}

static wgt_budget budget_of(uint32_t cap, uint32_t width) {
    wgt_limits limits = wgt_limits_portable();
    limits.max_compute_invocations_per_workgroup = cap;
    limits.max_compute_workgroup_size_x = cap;
    return wgt_budget_from_limits(&limits, width, width);
}

static void an_unknown_width_is_32_and_the_largest_counts(void **state) {
    (void)state;
    wgt_limits limits = wgt_limits_portable();
    limits.max_buffer_size = UINT64_MAX;
    limits.max_compute_workgroup_storage_size = UINT64_MAX;
    wgt_budget budget = wgt_budget_from_limits(&limits, 0, 0);
    assert_int_equal(budget.subgroup_width, 32);
    assert_int_equal(budget.subgroup_min, 0);
    assert_int_equal(budget.max_shared_bytes, UINT32_MAX);
    assert_int_equal(wgt_budget_from_limits(&limits, 8, 32).subgroup_width, 32);
}

static void sizes_are_all_multiples_where_they_are_few(void **state) {
    (void)state;
    static const uint32_t expected[] = {32, 64, 96, 128, 160, 192, 224, 256};
    wgt_budget budget = budget_of(256, 32);
    uint32_t sizes[64];
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 64), 8);
    assert_memory_equal(sizes, expected, sizeof expected);
    budget = budget_of(1024, 32);
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 64), 32);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(sizes[i], 32 * (i + 1));
}

static void the_tightest_of_invocations_and_x_is_the_cap(void **state) {
    (void)state;
    wgt_budget budget = budget_of(1024, 32);
    budget.max_x = 100;
    uint32_t sizes[8];
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 8), 3);
    assert_int_equal(sizes[2], 96);
    budget.max_x = 20;
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 8), 1);
    assert_int_equal(sizes[0], 20);
    budget.max_x = 0;
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 8), 0);
}

static bool holds(const uint32_t *sizes, size_t count, uint32_t size) {
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == size)
            return true;
    }
    return false;
}

static void thinning_keeps_powers_then_triples_then_spreads(void **state) {
    (void)state;
    wgt_budget budget = budget_of(1024, 8); /* 128 multiples */
    uint32_t sizes[WGT_MAX_SIZES];
    size_t count = wgt_candidate_sizes(&budget, 0, sizes, WGT_MAX_SIZES);
    assert_int_equal(count, 32);
    for (size_t i = 1; i < count; i++)
        assert_true(sizes[i] > sizes[i - 1] && sizes[i] % 8 == 0);
    for (uint32_t size = 8; size <= 1024; size *= 2)
        assert_true(holds(sizes, count, size));
    for (uint32_t size = 24; size <= 1024; size *= 2)
        assert_true(holds(sizes, count, size));
    for (size_t i = 1; i < count; i++)
        assert_true(sizes[i] - sizes[i - 1] <= 64);

    budget = budget_of(1000, 8); /* the largest, 1000, is no power of two and stays */
    count = wgt_candidate_sizes(&budget, 10, sizes, WGT_MAX_SIZES);
    assert_int_equal(count, 10);
    assert_int_equal(sizes[0], 8);
    assert_int_equal(sizes[9], 1000);
    assert_true(holds(sizes, count, 512) && holds(sizes, count, 16));
    assert_int_equal(wgt_candidate_sizes(&budget, 2, sizes, WGT_MAX_SIZES), 2);
    assert_int_equal(sizes[1], 1000);
    assert_int_equal(wgt_candidate_sizes(&budget, 1, sizes, WGT_MAX_SIZES), 1);
    assert_int_equal(wgt_candidate_sizes(&budget, WGT_MAX_SIZES, sizes, WGT_MAX_SIZES), 125);
}

static void a_small_array_gets_what_fits_and_the_count_is_told(void **state) {
    (void)state;
    wgt_budget budget = budget_of(UINT32_MAX, 1);
    uint32_t sizes[3] = {0, 0, 7};
    assert_int_equal(wgt_candidate_sizes(&budget, 0, sizes, 2), 32);
    assert_int_equal(sizes[0], 1);
    assert_int_equal(sizes[1], 2);
    assert_int_equal(sizes[2], 7);
    assert_int_equal(wgt_candidate_sizes(&budget, 4000, sizes, 0), 4000);
}

static void masked_lanes_are_the_idle_ones_of_the_last_subgroup(void **state) {
    (void)state;
    assert_int_equal(wgt_masked_lanes(100, 32), 28);
    assert_int_equal(wgt_masked_lanes(128, 32), 0);
    assert_int_equal(wgt_masked_lanes(1, 64), 63);
    assert_int_equal(wgt_masked_lanes(100, 0), 0);
}

static wgt_candidate candidate_of(uint32_t x, uint32_t y, uint64_t bytes, uint64_t workgroups) {
    wgt_candidate candidate;
    memset(&candidate, 0, sizeof candidate);
    candidate.workgroup[0] = x;
    candidate.workgroup[1] = y;
    candidate.workgroup[2] = 1;
    candidate.workgroup_bytes = bytes;
    candidate.workgroups[0] = workgroups;
    candidate.workgroups[1] = candidate.workgroups[2] = 1;
    return candidate;
}

static void every_limit_is_checked_and_named_with_both_numbers(void **state) {
    (void)state;
    static const struct {
        uint32_t x, y;
        uint64_t bytes, workgroups;
        const char *reason;
    } cases[] = {
        {512, 1, 0, 1, "512 invocations > maxComputeInvocationsPerWorkgroup 256"},
        {16, 17, 0, 1, "272 invocations > maxComputeInvocationsPerWorkgroup 256"},
        {0, 1, 0, 1, "0 invocations in x, 1 is the least"},
        {64, 1, 20480, 1,
         "20480 bytes of workgroup storage > maxComputeWorkgroupStorageSize 16384"},
        {64, 1, 0, 65536, "65536 workgroups in x > maxComputeWorkgroupsPerDimension 65535"},
        {UINT32_MAX, UINT32_MAX, 0, 1,
         "18446744065119617025 invocations > maxComputeInvocationsPerWorkgroup 256"},
    };
    wgt_limits limits = wgt_limits_portable();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wgt_candidate candidate =
            candidate_of(cases[i].x, cases[i].y, cases[i].bytes, cases[i].workgroups);
        assert_false(wgt_candidate_check(&limits, &candidate));
        assert_int_equal(candidate.status, WGT_CANDIDATE_SKIPPED);
        assert_string_equal(candidate.reason, cases[i].reason);
    }
    limits.max_compute_invocations_per_workgroup = 1024;
    wgt_candidate candidate = candidate_of(1, 512, 0, 1);
    assert_false(wgt_candidate_check(&limits, &candidate));
    assert_string_equal(candidate.reason, "512 invocations in y > maxComputeWorkgroupSizeY 256");
    candidate = candidate_of(256, 1, 16384, 65535);
    assert_true(wgt_candidate_check(&limits, &candidate));
    assert_int_equal(candidate.status, WGT_CANDIDATE_OK);
}

static void a_candidate_that_cannot_be_stays_as_its_generator_said(void **state) {
    (void)state;
    wgt_limits limits = wgt_limits_portable();
    wgt_candidate candidate = candidate_of(512, 1, 0, 1);
    candidate.status = WGT_CANDIDATE_SKIPPED;
    strcpy(candidate.reason, "where: TILE <= 16");
    assert_false(wgt_candidate_check(&limits, &candidate));
    assert_string_equal(candidate.reason, "where: TILE <= 16");
}

static void names_are_words_and_end_where_the_values_end(void **state) {
    (void)state;
    assert_string_equal(wgt_adapter_type_name(WGT_ADAPTER_CPU), "CPU");
    assert_string_equal(wgt_adapter_type_name((wgt_adapter_type)9), "unknown");
    assert_string_equal(wgt_candidate_status_name(WGT_CANDIDATE_DROPPED), "dropped");
    assert_null(wgt_candidate_status_name((wgt_candidate_status)9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_names_every_field_once),
        cmocka_unit_test(portable_limits_are_those_of_the_specification),
        cmocka_unit_test(the_smaller_limits_have_the_larger_alignment),
        cmocka_unit_test(an_unknown_width_is_32_and_the_largest_counts),
        cmocka_unit_test(sizes_are_all_multiples_where_they_are_few),
        cmocka_unit_test(the_tightest_of_invocations_and_x_is_the_cap),
        cmocka_unit_test(thinning_keeps_powers_then_triples_then_spreads),
        cmocka_unit_test(a_small_array_gets_what_fits_and_the_count_is_told),
        cmocka_unit_test(masked_lanes_are_the_idle_ones_of_the_last_subgroup),
        cmocka_unit_test(every_limit_is_checked_and_named_with_both_numbers),
        cmocka_unit_test(a_candidate_that_cannot_be_stays_as_its_generator_said),
        cmocka_unit_test(names_are_words_and_end_where_the_values_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
