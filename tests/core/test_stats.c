#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/number.h"
#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g, not %.17g", got, expected);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void sorting_agrees_with_the_library(void **state) {
    (void)state;
    double ours[1500], theirs[1500];
    for (size_t count = 0; count <= 1500; count += count < 40 ? 1 : 365) {
        for (size_t i = 0; i < count; i++)
            ours[i] = theirs[i] = (double)wgt_random_below(count, i, 50) - 25;
        wgt_sort(ours, count);
        qsort(theirs, count, sizeof theirs[0], by_value);
        assert_memory_equal(ours, theirs, count * sizeof ours[0]);
    }
}

static void medians_and_midmeans_leave_the_tails_out(void **state) {
    (void)state;
    const double odd[] = {1, 2, 100}, even[] = {1, 2, 4, 100};
    near(wgt_median_sorted(odd, 3), 2);
    near(wgt_median_sorted(even, 4), 3);
    near(wgt_midmean_sorted(even, 4), 3);
    const double eight[] = {-1e9, 0, 1, 2, 3, 4, 5, 1e9};
    near(wgt_midmean_sorted(eight, 8), 2.5);
    near(wgt_midmean_sorted(odd, 3), 103.0 / 3);
    assert_true(wgt_is_nan(wgt_median_sorted(NULL, 0)));
    assert_true(wgt_is_nan(wgt_midmean_sorted(NULL, 0)));
}

static void scales_estimate_a_normal_deviation_and_shrug_off_an_outlier(void **state) {
    (void)state;
    double values[2001], scratch[2001];
    for (size_t i = 0; i < 2001; i++) {
        double sum = -6;
        for (size_t j = 0; j < 12; j++)
            sum += (double)wgt_random_f32(7, 12 * i + j);
        values[i] = 10 + 3 * sum;
    }
    for (size_t i = 0; i < 20; i++)
        values[i] = 1e6;
    wgt_sort(values, 2001);
    double mad = wgt_mad_sorted(values, 2001, scratch);
    double scale = wgt_midmean_scale_sorted(values, 2001);
    assert_true(mad > 2.7 && mad < 3.3);
    assert_true(scale > 2.9 && scale < 3.8); /* the midmean costs a tenth more than the mean */
    near(wgt_mad_sorted(values, 1, scratch), 0);
    near(wgt_midmean_scale_sorted(values, 1), 0);
}

static void a_minority_mode_shows_in_the_midmean_scale(void **state) {
    (void)state;
    const double modes[] = {0, 0, 0, 1, 1};
    double scratch[5];
    near(wgt_mad_sorted(modes, 5, scratch), 0);
    assert_true(wgt_midmean_scale_sorted(modes, 5) > 0.8);
}

static void median_intervals_are_the_tabulated_order_statistics(void **state) {
    (void)state;
    /* count → rank from either end, from the binomial table at 2.5 % a side */
    static const size_t ranks[][2] = {{6, 1},  {8, 1},  {9, 2},   {11, 2},  {12, 3},  {15, 4},
                                      {20, 6}, {25, 8}, {32, 10}, {40, 14}, {50, 18}, {100, 40}};
    double values[100], interval[2];
    for (size_t i = 0; i < 100; i++)
        values[i] = (double)(i + 1);
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        wgt_median_interval_sorted(values, ranks[i][0], interval);
        near(interval[0], (double)ranks[i][1]);
        near(interval[1], (double)(ranks[i][0] + 1 - ranks[i][1]));
    }
    wgt_median_interval_sorted(values, 5, interval);
    assert_true(wgt_is_nan(interval[0]) && wgt_is_nan(interval[1]));
}

static void median_intervals_hold_for_thousands_of_values(void **state) {
    (void)state;
    static double values[4000];
    double interval[2];
    for (size_t i = 0; i < 4000; i++)
        values[i] = (double)(i + 1);
    wgt_median_interval_sorted(values, 4000, interval);
    /* 2000 less 1.96 times the root of 1000 */
    assert_true(interval[0] >= 1936 && interval[0] <= 1940);
    near(interval[1], 4001 - interval[0]);
}

static void median_intervals_cover_in_95_of_100_draws(void **state) {
    (void)state;
    unsigned covered = 0;
    for (uint64_t draw = 0; draw < 2000; draw++) {
        double values[12], interval[2];
        for (size_t i = 0; i < 12; i++)
            values[i] = (double)wgt_random_f32(draw, i);
        wgt_sort(values, 12);
        wgt_median_interval_sorted(values, 12, interval);
        covered += interval[0] <= 0.5 && interval[1] >= 0.5;
    }
    assert_true(covered >= 1900); /* 96.1 % by the distribution */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_agrees_with_the_library),
        cmocka_unit_test(medians_and_midmeans_leave_the_tails_out),
        cmocka_unit_test(scales_estimate_a_normal_deviation_and_shrug_off_an_outlier),
        cmocka_unit_test(a_minority_mode_shows_in_the_midmean_scale),
        cmocka_unit_test(median_intervals_are_the_tabulated_order_statistics),
        cmocka_unit_test(median_intervals_hold_for_thousands_of_values),
        cmocka_unit_test(median_intervals_cover_in_95_of_100_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
