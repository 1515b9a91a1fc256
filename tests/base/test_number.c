#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"
#include "base/text.h"

/* Ten times as many with WGTUNE_TEST_LONG: a million doubles and more. */
static uint64_t rounds_of(uint64_t rounds) {
    return getenv("WGTUNE_TEST_LONG") ? 10 * rounds : rounds;
}

static void is_shortest(double value) {
    char text[WGT_NUMBER_SIZE], other[64];
    size_t size = wgt_number_format(value, text);
    assert_int_equal(size, strlen(text));
    assert_true(size < WGT_NUMBER_SIZE);
    if (wgt_bits_of(strtod(text, NULL)) != wgt_bits_of(value))
        fail_msg("%.17g was written as %s", value, text);
    if (value == 0)
        return;
    size_t digits = 0;
    bool leading = true;
    for (const char *p = text; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9' && !(leading && *p == '0')) {
            leading = false;
            digits++;
        }
    if (!strchr(text, 'e') && !strchr(text, '.'))
        for (const char *p = text + size; p > text && p[-1] == '0'; p--)
            digits--;
    if (digits > 1) {
        snprintf(other, sizeof other, "%.*e", (int)digits - 2, value);
        if (strtod(other, NULL) == value)
            fail_msg("%s is longer than %s", text, other);
        /* Of the decimals of that length that read back it is the nearest. */
        snprintf(other, sizeof other, "%.*e", (int)digits - 1, value);
        if (strtod(other, NULL) == value && fabs(strtod(other, NULL) - value) == 0) {
            long double ours = strtold(text, NULL), theirs = strtold(other, NULL);
            assert_true(fabsl(ours - (long double)value) <= fabsl(theirs - (long double)value));
        }
    }
}

static void parses_like_strtod(const char *text) {
    double ours = -1, theirs;
    char *end;
    theirs = strtod(text, &end);
    size_t taken = wgt_number_parse(wgt_str_from(text), &ours);
    assert_int_equal(taken, end - text);
    if (wgt_bits_of(ours) != wgt_bits_of(theirs))
        fail_msg("%s was read as %.17g, not %.17g", text, ours, theirs);
}

static void round_trips(double value) {
    char text[64];
    double back;
    is_shortest(value);
    snprintf(text, sizeof text, "%.17g", value);
    parses_like_strtod(text);
    size_t size = wgt_number_format(value, text);
    assert_int_equal(wgt_number_parse((wgt_str){text, size}, &back), size);
    assert_true(wgt_bits_of(back) == wgt_bits_of(value));
}

static void random_doubles_round_trip(void **state) {
    (void)state;
    uint64_t rounds = rounds_of(25000);
    for (uint64_t i = 0; i < rounds; i++) {
        double any = wgt_double_of(wgt_random_u64(1, i));
        if (wgt_is_finite(any))
            round_trips(any);
        /* of everyday sizes: times, rates, ratios */
        round_trips((double)(wgt_random_u64(2, i) >> 11) * 0x1p-53 * pow(10, (double)(i % 12)));
        round_trips((double)(wgt_random_u64(3, i) >> (11 + i % 50)));
        round_trips((double)wgt_random_below(4, i, 1000000) / pow(10, (double)(i % 9)));
    }
    for (uint64_t i = 0; i < 20000; i++)
        round_trips(wgt_double_of(wgt_random_u64(5, i) >> (12 + i % 52)));
}

static void powers_and_neighbours_round_trip(void **state) {
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        double value = ldexp(1, e);
        round_trips(value);
        round_trips(nextafter(value, INFINITY));
        round_trips(nextafter(value, 0));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        double value = strtod(text, NULL);
        round_trips(value);
        round_trips(nextafter(value, INFINITY));
        round_trips(nextafter(value, 0));
    }
}

static void layout_is_that_of_ecmascript(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e30, "1e30"},
        {1e20, "100000000000000000000"},
        {1e21, "1e21"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {1.5e-7, "1.5e-7"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {9007199254740993.0, "9007199254740992"},
        {0x1p-44, "5.684341886080802e-14"},
        {4294967296.0, "4294967296"},
        {2e-44, "2e-44"},
        {9.5e-3, "0.0095"},
        {100, "100"},
        {0.30000000000000004, "0.30000000000000004"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[WGT_NUMBER_SIZE];
        assert_int_equal(wgt_number_format(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void hard_texts_are_read_right(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0e5",
        "0.0e-999999999999999999999",
        "1e400",
        "-1e400",
        "1e-400",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301e276",
        "9007199254740993",
        "9007199254740992.99999999999999999999999",
        "9007199254740993.0000000000000000001",
        "0.1000000000000000055511151231257827021181583404541015625",
        "8.5e-10",
        "123456789012345678901234567890",
        "6929495644600919.5",
        "3.7455744005952583e15",
        "5708990770823839207320493820740630171355185151999e-3",
        "1e22",
        "1e23",
        "8.442911973260991817129021e-309",
        "0.000000000000000000000000000000000000000000000000001",
        "1000000000000000000000000000000000000000e-39",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1e1000000000000000000000000",
        "1e-1000000000000000000000000",
        "4.9406564584124654e-324",
        "12345678901234567890e-19",
        "1E5",
        "1e+5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        parses_like_strtod(texts[i]);
}

/* The exact midpoint between two doubles, then a digit far behind that decides. */
static void midpoints_are_exact(void **state) {
    (void)state;
    static char text[3000];
    for (uint64_t i = 0; i < 300; i++) {
        double low = wgt_double_of(wgt_random_u64(9, i) >> 1 & ~(uint64_t)(i % 2));
        if (i % 3 == 0)
            low = wgt_double_of(wgt_random_u64(9, i) >> (12 + i % 50));
        if (!wgt_is_finite(low) || low > 1e300)
            continue;
        long double middle = ((long double)low + (long double)nextafter(low, INFINITY)) / 2;
        int size = snprintf(text, 2000, "%.1200Lf", middle);
        assert_true(size > 0 && size < 2000);
        parses_like_strtod(text);
        for (int zeros = 0; zeros < 500; zeros += 499) {
            memset(text + size, '0', (size_t)zeros);
            text[size + zeros] = '1';
            text[size + zeros + 1] = '\0';
            parses_like_strtod(text);
        }
    }
    /* 900 digits before the point's exponent */
    memset(text, '3', 900);
    strcpy(text + 900, "e-700");
    parses_like_strtod(text);
    strcpy(text + 900, ".5e-1200");
    parses_like_strtod(text);
    memset(text, '0', 2500);
    text[1] = '.';
    strcpy(text + 2500, "17e2490");
    parses_like_strtod(text);
}

static void random_texts_are_read_right(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds_of(60000); i++) {
        char text[64];
        snprintf(text, sizeof text, "%llu.%llue%d",
                 (unsigned long long)(wgt_random_u64(6, i) >> (i % 64)),
                 (unsigned long long)(wgt_random_u64(7, i) >> (i % 61)),
                 (int)wgt_random_below(8, i, 700) - 350);
        parses_like_strtod(text);
    }
}

static void takes_the_longest_number(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t taken;
        double value;
    } cases[] = {{"", 0, 0},        {"-", 0, 0},       {"+1", 0, 0},   {".5", 0, 0},
                 {"x", 0, 0},       {"5.", 1, 5},      {"1e", 1, 1},   {"1e+", 1, 1},
                 {"1.5e", 3, 1.5},  {"012", 1, 0},     {"-012", 2, 0}, {"12abc", 2, 12},
                 {"1.2.3", 3, 1.2}, {"1e5e5", 3, 1e5}, {"-7,", 2, -7}, {"Infinity", 0, 0},
                 {"nan", 0, 0},     {"0x10", 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 99;
        assert_int_equal(wgt_number_parse(wgt_str_from(cases[i].text), &value), cases[i].taken);
        if (cases[i].taken)
            assert_true(value == cases[i].value);
    }
    double value;
    assert_int_equal(wgt_number_parse((wgt_str){"123456", 3}, &value), 3);
    assert_true(value == 123);
}

static void fixed_is_that_of_printf(void **state) {
    (void)state;
    static char ours[400], theirs[400];
    static const double edges[] = {0,
                                   -0.0,
                                   0.5,
                                   1.5,
                                   2.5,
                                   0.125,
                                   0.375,
                                   1e300,
                                   -1e22,
                                   5e-324,
                                   1.7976931348623157e308,
                                   0.05,
                                   0.15,
                                   999.9999,
                                   999.99951,
                                   1e-9,
                                   5e-10,
                                   INFINITY,
                                   -INFINITY};
    for (uint64_t i = 0; i < 40000; i++) {
        double value =
            i < sizeof edges / sizeof *edges ? edges[i] : wgt_double_of(wgt_random_u64(10, i));
        if (i % 2 && i > 100)
            value = (double)(wgt_random_u64(10, i) >> 20) / 4096 / pow(2, (double)(i % 60));
        if (isnan(value))
            continue;
        for (unsigned decimals = 0; decimals <= 9; decimals++) {
            size_t size = wgt_number_fixed(value, decimals, ours, sizeof ours);
            snprintf(theirs, sizeof theirs, "%.*f", (int)decimals, value);
            assert_string_equal(ours, theirs);
            assert_int_equal(size, strlen(ours));
        }
    }
    assert_int_equal(wgt_number_fixed(123.25, 2, ours, 4), 3);
    assert_string_equal(ours, "123");
}

static void whole_numbers_are_checked(void **state) {
    (void)state;
    uint64_t value = 7;
    assert_true(wgt_u64_parse(WGT_STR("18446744073709551615"), &value) && value == UINT64_MAX);
    assert_true(wgt_u64_parse(WGT_STR("007"), &value) && value == 7);
    static const char *const wrong[] = {"",   "-1", "+1", " 1", "1 ", "1.0", "18446744073709551616",
                                        "0x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(wgt_u64_parse(wgt_str_from(wrong[i]), &value));
    assert_true(value == 7);
}

static void same_bits(double ours, double theirs, const char *what, double of) {
    if (wgt_bits_of(ours) != wgt_bits_of(theirs) && !(isnan(ours) && isnan(theirs)))
        fail_msg("%s(%.17g): %.17g, not %.17g", what, of, ours, theirs);
}

static void rounding_is_exact(void **state) {
    (void)state;
    static const double edges[] = {0,
                                   -0.0,
                                   0.5,
                                   -0.5,
                                   1.5,
                                   -1.5,
                                   2.5,
                                   0x1p52,
                                   0x1p52 + 1,
                                   0x1p53,
                                   4503599627370495.5,
                                   0.49999999999999994,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   5e-324,
                                   -5e-324,
                                   1e300};
    for (uint64_t i = 0; i < rounds_of(60000); i++) {
        double x =
            i < sizeof edges / sizeof *edges ? edges[i] : wgt_double_of(wgt_random_u64(11, i));
        if (i % 2 && i > 100)
            x = (double)(int64_t)wgt_random_u64(12, i) / pow(2, (double)(8 + i % 56));
        same_bits(wgt_floor(x), floor(x), "floor", x);
        same_bits(wgt_ceil(x), ceil(x), "ceil", x);
        same_bits(wgt_trunc(x), trunc(x), "trunc", x);
        same_bits(wgt_round_even(x), nearbyint(x), "round_even", x);
        same_bits(wgt_abs(x), fabs(x), "abs", x);
        same_bits(wgt_sqrt(x), sqrt(x), "sqrt", x);
        assert_int_equal(wgt_is_finite(x), isfinite(x) != 0);
        assert_int_equal(wgt_is_nan(x), isnan(x) != 0);
    }
    assert_true(isnan(wgt_nan()) && isinf(wgt_infinity()) && wgt_infinity() > 0);
    for (uint64_t i = 0; i < 20000; i++) { /* subnormals, squares and their neighbours */
        double x = wgt_double_of(wgt_random_u64(13, i) >> (12 + i % 52)),
               r = (double)(wgt_random_u64(14, i) >> 38);
        same_bits(wgt_sqrt(x), sqrt(x), "sqrt", x);
        same_bits(wgt_sqrt(r * r), r, "sqrt", r * r);
        same_bits(wgt_sqrt(nextafter(r * r, 0)), sqrt(nextafter(r * r, 0)), "sqrt", r * r);
    }
}

static void remainders_are_exact(void **state) {
    (void)state;
    static const double edges[] = {0,         -0.0,      1,     -1,    0.1,      3,  5e-324,
                                   -2.5e-310, 0x1p-1022, 1e300, -1e22, INFINITY, NAN};
    size_t count = sizeof edges / sizeof *edges;
    for (uint64_t i = 0; i < 20000; i++) {
        double x = wgt_double_of(wgt_random_u64(40, i)), y = wgt_double_of(wgt_random_u64(41, i));
        if (i < count * count) {
            x = edges[i % count];
            y = edges[i / count];
        } else if (i % 2) {
            x = (double)wgt_random_below(42, i, 100000) / 8;
            y = (double)wgt_random_below(43, i, 100) / 4 - 12;
        }
        same_bits(wgt_fmod(x, y), fmod(x, y), "fmod", x);
    }
}

static void the_generator_is_splitmix64(void **state) {
    (void)state;
    /* The first outputs for seed 1234567 of the published reference code. */
    static const uint64_t known[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < 5; i++)
        assert_true(wgt_random_u64(1234567, i) == known[i]);
    unsigned counts[7] = {0};
    for (uint64_t i = 0; i < 70000; i++) {
        float f = wgt_random_f32(3, i);
        assert_true(f >= 0 && f < 1);
        assert_true((uint64_t)((double)f * 0x1p24) == wgt_random_u64(3, i) >> 40);
        uint32_t below = wgt_random_below(4, i, 7);
        assert_true(below < 7);
        counts[below]++;
    }
    for (int i = 0; i < 7; i++)
        assert_true(counts[i] > 9500 && counts[i] < 10500);
    assert_int_equal(wgt_random_below(1, 1, 1), 0);
}

static void halves_convert_both_ways(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        float f = wgt_f32_from_f16((uint16_t)h);
        uint16_t back = wgt_f16_from_f32(f);
        if ((h & 0x7fff) > 0x7c00)
            assert_true(isnan(f) && (back & 0x7fff) > 0x7c00);
        else
            assert_int_equal(back, h);
        /* Midway between neighbours goes to the even one, a hair off it does not. */
        if ((h & 0x7fff) < 0x7bff && h < 0x8000) {
            float next = wgt_f32_from_f16((uint16_t)(h + 1)), middle = (f + next) / 2;
            assert_int_equal(wgt_f16_from_f32(middle), h + (h & 1));
            assert_int_equal(wgt_f16_from_f32(nextafterf(middle, 0)), h);
            assert_int_equal(wgt_f16_from_f32(nextafterf(middle, next)), h + 1);
            assert_int_equal(wgt_f16_from_f32(-nextafterf(middle, next)), (h + 1) | 0x8000);
        }
    }
    assert_true(wgt_f32_from_f16(0x3c00) == 1.0f && wgt_f32_from_f16(0xc000) == -2.0f);
    assert_true(wgt_f32_from_f16(0x7bff) == 65504.0f && wgt_f32_from_f16(1) == 0x1p-24f);
    assert_int_equal(wgt_f16_from_f32(65519.996f), 0x7bff);
    assert_int_equal(wgt_f16_from_f32(65520.0f), 0x7c00);
    assert_int_equal(wgt_f16_from_f32(-1e30f), 0xfc00);
    assert_int_equal(wgt_f16_from_f32(INFINITY), 0x7c00);
    assert_int_equal(wgt_f16_from_f32(1e-30f), 0);
    assert_int_equal(wgt_f16_from_f32(-0.0f), 0x8000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_that_of_ecmascript),
        cmocka_unit_test(random_doubles_round_trip),
        cmocka_unit_test(powers_and_neighbours_round_trip),
        cmocka_unit_test(hard_texts_are_read_right),
        cmocka_unit_test(midpoints_are_exact),
        cmocka_unit_test(random_texts_are_read_right),
        cmocka_unit_test(takes_the_longest_number),
        cmocka_unit_test(fixed_is_that_of_printf),
        cmocka_unit_test(whole_numbers_are_checked),
        cmocka_unit_test(rounding_is_exact),
        cmocka_unit_test(remainders_are_exact),
        cmocka_unit_test(the_generator_is_splitmix64),
        cmocka_unit_test(halves_convert_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
