/* The pick, its reasons, the portable pick, ties, shapes. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim.h"

/* A quiet device with these ratios at 32, 64, 96, ... invocations. */
static sim *device_with(const double *ratios, uint32_t count) {
    sim *s = sim_create(count);
    s->noise = 0.001;
    for (uint32_t i = 0; i < count; i++)
        s->candidates[i].run_ns = 1e6 * ratios[i];
    return s;
}

/* The preference ------------------------------------------------------------------------------ */

static void the_preference_goes_by_its_rule(void **state) {
    (void)state;
    sim *s = sim_create(16);
    wgt_pick_reason reason;
    bool include[16];
    for (int i = 0; i < 16; i++)
        include[i] = true;
    const wgt_generator *g = &s->plan.generator;
    double remembered = 448;
    assert_int_equal(wgt_prefer(g, include, 1, s->defaults, &remembered, &reason), 10);
    assert_int_equal(reason, WGT_PICK_TIE_KEPT);
    assert_int_equal(wgt_prefer(g, NULL, 1, s->defaults, NULL, &reason), 3);
    assert_int_equal(reason, WGT_PICK_TIE_PORTABLE);
    include[3] = false;
    assert_int_equal(wgt_prefer(g, include, 1, s->defaults, NULL, &reason), 7);
    assert_int_equal(reason, WGT_PICK_TIE_AUTHOR);
    include[7] = false;
    assert_int_equal(wgt_prefer(g, include, 1, s->defaults, NULL, &reason), 0);
    assert_int_equal(reason, WGT_PICK_TIE_SMALLEST);
    remembered = 33; /* was remembered, is no candidate any more */
    assert_int_equal(wgt_prefer(g, include, 1, NULL, &remembered, &reason), 0);
    memset(include, 0, sizeof include);
    assert_int_equal(wgt_prefer(g, include, 1, s->defaults, NULL, &reason), UINT32_MAX);
    assert_int_equal(reason, WGT_PICK_NONE);
    wgt_generator none = {0, sim_get, s};
    assert_int_equal(wgt_prefer(&none, NULL, 1, NULL, NULL, NULL), UINT32_MAX);
    sim_destroy(s);
}

/* WG_SIZE × TILE: the tile does not set the size. */
static sim *two_constants(void) {
    static const uint32_t sizes[] = {64, 128, 256}, tiles[] = {8, 16, 32};
    sim *s = sim_create(9);
    s->constant_count = s->plan.constant_count = 2;
    s->defaults[0] = 256;
    s->defaults[1] = 16;
    for (uint32_t i = 0; i < 9; i++) {
        s->candidates[i].constants[0] = s->candidates[i].workgroup[0] = sizes[i / 3];
        s->candidates[i].constants[1] = tiles[i % 3];
    }
    return s;
}

static void the_portable_size_keeps_the_authors_other_constants(void **state) {
    (void)state;
    sim *s = two_constants();
    wgt_pick_reason reason;
    bool include[9];
    for (int i = 0; i < 9; i++)
        include[i] = true;
    const wgt_generator *g = &s->plan.generator;
    assert_int_equal(wgt_prefer(g, include, 2, s->defaults, NULL, &reason), 4); /* 128, 16 */
    assert_int_equal(reason, WGT_PICK_TIE_PORTABLE);
    include[4] = false; /* 128 with another tile is not the portable choice */
    assert_int_equal(wgt_prefer(g, include, 2, s->defaults, NULL, &reason), 7); /* 256, 16 */
    assert_int_equal(reason, WGT_PICK_TIE_AUTHOR);
    include[7] = false;
    assert_int_equal(wgt_prefer(g, include, 2, s->defaults, NULL, &reason), 0); /* 64, 8 */
    assert_int_equal(reason, WGT_PICK_TIE_SMALLEST);
    s->defaults[1] = wgt_nan(); /* the author has no default for the tile: the smallest one */
    assert_int_equal(wgt_prefer(g, NULL, 2, s->defaults, NULL, &reason), 3); /* 128, 8 */
    assert_int_equal(reason, WGT_PICK_TIE_PORTABLE);
    sim_destroy(s);
}

static void constants_that_only_vary_together_set_the_size_together(void **state) {
    (void)state;
    static const uint32_t pairs[][2] = {{8, 8}, {32, 4}, {16, 16}, {64, 2}};
    sim *s = sim_create(4);
    s->constant_count = s->plan.constant_count = 3;
    s->defaults[0] = 8;
    s->defaults[1] = 8;
    s->defaults[2] = 5; /* the third is fixed at 7: it does not count against the default */
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 2; k++)
            s->candidates[i].constants[k] = s->candidates[i].workgroup[k] = pairs[i][k];
        s->candidates[i].constants[2] = 7;
    }
    wgt_pick_reason reason;
    bool include[4] = {true, false, true, false};
    const wgt_generator *g = &s->plan.generator;
    assert_int_equal(wgt_prefer(g, NULL, 3, s->defaults, NULL, &reason), 1); /* 128, fewer in x */
    assert_int_equal(reason, WGT_PICK_TIE_PORTABLE);
    assert_int_equal(wgt_prefer(g, include, 3, s->defaults, NULL, &reason), 0);
    assert_int_equal(reason, WGT_PICK_TIE_AUTHOR);
    sim_destroy(s);
}

/* The pick ------------------------------------------------------------------------------------ */

static void a_tie_goes_by_preference_and_says_so(void **state) {
    (void)state;
    const double ratios[] = {1.3, 1.005, 1.004, 1.008, 1, 1.01, 1.003, 1.006};
    sim *s = device_with(ratios, 8);
    sim_run(s);
    assert_int_equal(s->summary.pick.candidate, 3); /* 128 */
    assert_int_equal(s->summary.pick.reason, WGT_PICK_TIE_PORTABLE);
    assert_int_equal(s->summary.fastest, 4);
    wgt_candidate_result fastest = sim_result(s, 4);
    assert_int_equal(fastest.tie, WGT_TIE_IN);
    assert_true(fastest.ratio >= 1 && fastest.ratio <= 1);
    assert_true(fastest.ratio_interval[0] >= 1 && fastest.ratio_interval[1] <= 1);
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(sim_result(s, i).tie, WGT_TIE_IN);
    assert_int_equal(sim_result(s, 0).tie, WGT_TIE_OUT);
    assert_true(s->summary.pick.speedup_over_worst > 1.27 &&
                s->summary.pick.speedup_over_worst < 1.31);
    assert_true(s->summary.pick.speedup_over_default > 0.99 &&
                s->summary.pick.speedup_over_default < 1.01);
    sim_destroy(s);
}

static void what_was_remembered_is_kept_within_the_tie_only(void **state) {
    (void)state;
    const double ratios[] = {1.3, 1.005, 1.004, 1.008, 1, 1.01, 1.003, 1.006};
    for (int in = 0; in < 2; in++) {
        double remembered = in == 1 ? 224 : 32;
        sim *s = device_with(ratios, 8);
        s->plan.remembered = &remembered;
        sim_run(s);
        assert_int_equal(s->summary.pick.candidate, in == 1 ? 6 : 3);
        assert_int_equal(s->summary.pick.reason,
                         in == 1 ? WGT_PICK_TIE_KEPT : WGT_PICK_TIE_PORTABLE);
        sim_destroy(s);
    }
}

static void a_tie_of_one_is_the_fastest(void **state) {
    (void)state;
    const double ratios[] = {1.3, 1.2, 1, 1.1};
    sim *s = device_with(ratios, 4);
    sim_run(s);
    assert_int_equal(s->summary.pick.candidate, 2);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_FASTEST);
    assert_true(wgt_is_nan(s->summary.pick.speedup_over_default)); /* 256 is no candidate */
    sim_destroy(s);
}

static void a_single_valid_candidate_is_the_only(void **state) {
    (void)state;
    const double ratios[] = {1.3, 1.2, 1};
    sim *s = device_with(ratios, 3);
    s->candidates[0].on_compile = WGT_OUTCOME_REJECTED;
    s->candidates[2].on_verify = WGT_OUTCOME_FAILED;
    sim_run(s);
    assert_int_equal(s->summary.pick.candidate, 1);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_ONLY);
    assert_int_equal(s->summary.reason[0], '\0');
    assert_int_equal(s->summary.shape, WGT_SHAPE_NONE);
    sim_destroy(s);
}

static void the_portable_pick_is_legal_under_the_default_limits(void **state) {
    (void)state;
    static const double ratios[] = {3,    1.65, 1.4,  1.3,  1.28, 1.2, 1.12, 1.12,
                                    1.06, 1.01, 1.01, 1.00, 1.01, 1,   1,    1};
    sim *s = device_with(ratios, 16);
    s->candidates[6].workgroup_bytes = 20000; /* above 16 KiB */
    sim_run(s);
    assert_true(s->summary.pick.candidate >= 9);
    assert_int_equal(s->summary.portable_pick.candidate, 7); /* 256 */
    assert_int_equal(s->summary.portable_pick.reason, WGT_PICK_FASTEST);
    assert_true(s->summary.portable_pick.speedup_over_worst > 2.6);
    assert_int_equal(sim_result(s, 7).tie, WGT_TIE_OUT);
    sim_destroy(s);
}

static void without_a_portable_candidate_there_is_no_portable_pick(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->candidates[0].workgroup[0] = 512;
    s->candidates[1].workgroup[0] = 1024;
    sim_run(s);
    assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
    assert_int_equal(s->summary.portable_pick.reason, WGT_PICK_NONE);
    sim_destroy(s);
}

static void noise_that_cannot_be_ranked_is_said_and_the_preferred_is_taken(void **state) {
    (void)state;
    unsigned unranked = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const double ratios[] = {1.01, 1.02, 1, 1.005, 1.01, 1.02, 1.015, 1.01};
        sim *s = device_with(ratios, 8);
        s->seed = s->plan.seed = seed;
        s->noise = 0.3;
        sim_run(s);
        if (s->summary.shape == WGT_SHAPE_UNRANKED && sim_result(s, 3).tie != WGT_TIE_OUT) {
            unranked++;
            assert_int_equal(s->summary.pick.candidate, 3);
            assert_int_equal(s->summary.pick.reason, WGT_PICK_TIE_PORTABLE);
        }
        sim_destroy(s);
    }
    assert_true(unranked >= 18);
}

static void one_round_ranks_only_what_is_far_apart(void **state) {
    (void)state;
    const double ratios[] = {5, 1.3, 1, 1.1, 1.2, 1, 1.1, 1};
    sim *s = device_with(ratios, 8);
    s->plan.max_rounds = 1;
    sim_run(s);
    assert_int_equal(sim_result(s, 0).tie, WGT_TIE_OUT);
    assert_int_equal(sim_result(s, 1).tie, WGT_TIE_UNDECIDED);
    assert_int_equal(s->summary.pick.candidate, 3);
    sim_destroy(s);
}

static void a_wider_tolerance_widens_the_tie(void **state) {
    (void)state;
    const double ratios[] = {1.3, 1.12, 1, 1.08};
    sim *s = device_with(ratios, 4);
    s->plan.tolerance = 0.1;
    sim_run(s);
    assert_int_equal(s->summary.pick.candidate, 3);
    assert_int_equal(sim_result(s, 3).tie, WGT_TIE_IN);
    assert_int_equal(sim_result(s, 1).tie, WGT_TIE_OUT);
    sim_destroy(s);
}

static void results_tell_the_idle_lanes(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->candidates[0].workgroup[0] = 100;
    sim_run(s);
    wgt_candidate_result result;
    assert_int_equal(wgt_tuner_candidate(s->tuner, 0, 32, &result), WGT_OK);
    assert_int_equal(result.masked_lanes, 28);
    assert_int_equal(wgt_tuner_candidate(s->tuner, 0, 0, &result), WGT_OK);
    assert_int_equal(result.masked_lanes, 0);
    sim_destroy(s);
}

static void the_interval_is_of_order_statistics(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->noise = 0.01;
    s->plan.no_racing = true;
    s->plan.max_rounds = 20;
    sim_run(s);
    wgt_candidate_result result = sim_result(s, 0);
    assert_int_equal(result.samples, 20);
    assert_true(result.interval_ns[0] < result.median_ns &&
                result.median_ns < result.interval_ns[1]);
    assert_true(result.interval_ns[1] / result.interval_ns[0] < 1.04);
    sim_destroy(s);
}

/* Shapes -------------------------------------------------------------------------------------- */

static void shapes_say_where_the_tie_lies(void **state) {
    (void)state;
    static const struct {
        double ratios[6];
        wgt_shape shape;
    } cases[] = {
        {{1, 1.005, 1, 1.005, 1, 1.005}, WGT_SHAPE_FLAT},
        {{2, 1.5, 1.1, 1, 1.005, 1}, WGT_SHAPE_PLATEAU},
        {{2, 1.5, 1, 1.005, 1.2, 1.5}, WGT_SHAPE_PEAK},
        {{2, 1.5, 1.3, 1.2, 1.1, 1}, WGT_SHAPE_CLIMB},
        {{2, 1.5, 1.3, 1.2, 1.005, 1}, WGT_SHAPE_CLIMB},
        {{1, 1.2, 1.3, 1.3, 1.4, 1.3}, WGT_SHAPE_FALL},
        {{1, 1, 1.005, 1, 1, 1.3}, WGT_SHAPE_FALL},
        {{1.3, 1, 1.2, 1, 1, 1}, WGT_SHAPE_JAGGED},
        {{1, 1.2, 1.3, 1.3, 1.4, 1}, WGT_SHAPE_JAGGED},
        {{2, 1, 1.026, 1, 1, 1}, WGT_SHAPE_PLATEAU}, /* at the edge: no dent */
        {{1.02, 1, 1, 1, 1.5, 2}, WGT_SHAPE_FALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim *s = device_with(cases[i].ratios, 6);
        sim_run(s);
        if (s->summary.shape != cases[i].shape)
            fail_msg("case %zu: %s, not %s", i, wgt_shape_name(s->summary.shape),
                     wgt_shape_name(cases[i].shape));
        sim_destroy(s);
    }
}

static void shapes_are_by_size_whatever_the_order_of_the_list(void **state) {
    (void)state;
    const double ratios[] = {1, 1.2, 1.1, 1.3, 1.005, 1.4};
    sim *s = device_with(ratios, 6);
    static const uint32_t sizes[] = {512, 96, 128, 64, 256, 32};
    for (uint32_t i = 0; i < 6; i++)
        s->candidates[i].constants[0] = s->candidates[i].workgroup[0] = sizes[i];
    sim_run(s);
    assert_int_equal(s->summary.shape, WGT_SHAPE_CLIMB);
    sim_destroy(s);
}

static void several_constants_have_no_shape(void **state) {
    (void)state;
    sim *s = two_constants();
    sim_run(s);
    assert_int_equal(s->summary.shape, WGT_SHAPE_NONE);
    sim_destroy(s);
    s = sim_create(3); /* one that does not set the size has none either */
    for (uint32_t i = 0; i < 3; i++)
        s->candidates[i].workgroup[0] = 64;
    sim_run(s);
    assert_int_equal(s->summary.shape, WGT_SHAPE_NONE);
    sim_destroy(s);
}

static void names_are_words(void **state) {
    (void)state;
    assert_string_equal(wgt_pick_reason_name(WGT_PICK_TIE_PORTABLE), "tie-portable");
    assert_string_equal(wgt_shape_name(WGT_SHAPE_PLATEAU), "plateau");
    assert_null(wgt_shape_name(WGT_SHAPE_NONE));
    assert_string_equal(wgt_tie_name(WGT_TIE_UNDECIDED), "undecided");
    assert_null(wgt_tie_name(WGT_TIE_UNKNOWN));
    assert_string_equal(wgt_action_kind_name(WGT_ACTION_COMPARE), "compare");
    assert_string_equal(wgt_outcome_name(WGT_OUTCOME_CRASHED), "crashed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_preference_goes_by_its_rule),
        cmocka_unit_test(the_portable_size_keeps_the_authors_other_constants),
        cmocka_unit_test(constants_that_only_vary_together_set_the_size_together),
        cmocka_unit_test(a_tie_goes_by_preference_and_says_so),
        cmocka_unit_test(what_was_remembered_is_kept_within_the_tie_only),
        cmocka_unit_test(a_tie_of_one_is_the_fastest),
        cmocka_unit_test(a_single_valid_candidate_is_the_only),
        cmocka_unit_test(the_portable_pick_is_legal_under_the_default_limits),
        cmocka_unit_test(without_a_portable_candidate_there_is_no_portable_pick),
        cmocka_unit_test(noise_that_cannot_be_ranked_is_said_and_the_preferred_is_taken),
        cmocka_unit_test(one_round_ranks_only_what_is_far_apart),
        cmocka_unit_test(a_wider_tolerance_widens_the_tie),
        cmocka_unit_test(results_tell_the_idle_lanes),
        cmocka_unit_test(the_interval_is_of_order_statistics),
        cmocka_unit_test(shapes_say_where_the_tie_lies),
        cmocka_unit_test(shapes_are_by_size_whatever_the_order_of_the_list),
        cmocka_unit_test(several_constants_have_no_shape),
        cmocka_unit_test(names_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
