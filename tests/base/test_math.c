#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"

#include "../wasm/digest.h"

/* Within 1e-12 of the C library: relative, or absolute below `zero` (where the function crosses
 * zero). */
static void near(const char *what, double x, double ours, double theirs, double zero) {
    if (isnan(theirs) || isinf(theirs)) {
        if (!(isnan(theirs) ? isnan(ours) : ours == theirs))
            fail_msg("%s(%.17g): %.17g, not %.17g", what, x, ours, theirs);
        return;
    }
    double size = fabs(theirs) > zero ? fabs(theirs) : zero;
    if (!(fabs(ours - theirs) <= 1e-12 * size + 0x1p-1073))
        fail_msg("%s(%.17g): %.17g, not %.17g", what, x, ours, theirs);
}

static double sample(uint64_t seed, uint64_t i, double low, double high) {
    return low + (high - low) * (double)(wgt_random_u64(seed, i) >> 11) * 0x1p-53;
}

static const double edges[] = {0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               2,
                               1e-9,
                               -1e-9,
                               5e-324,
                               -5e-324,
                               1e-310,
                               1e300,
                               -1e300,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p-1022,
                               1.7976931348623157e308,
                               0.7071067811865476,
                               1.4142135623730951,
                               0.9999999999999999,
                               1.0000000000000002,
                               709.78,
                               709.79,
                               -745.1,
                               -745.2,
                               -708.5,
                               710.4,
                               710.5,
                               -710.5,
                               1e22,
                               1e5,
                               6.381956970095103e16};

static double input(uint64_t i) {
    size_t count = sizeof edges / sizeof *edges;
    if (i < count)
        return edges[i];
    switch (i % 4) {
    case 0:
        return wgt_double_of(wgt_random_u64(20, i)); /* any bits */
    case 1:
        return sample(21, i, -2, 2);
    case 2:
        return sample(22, i, -800, 800);
    default:
        return (double)(int64_t)(wgt_random_below(23, i, 4000)) - 2000;
    }
}

static void functions_of_one_number(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        double x = input(i);
        near("log", x, wgt_log(x), log(x), 0);
        near("log2", x, wgt_log2(x), log2(x), 0);
        near("exp", x, wgt_exp(x), exp(x), 0);
        near("sinh", x, wgt_sinh(x), sinh(x), 0);
        near("cosh", x, wgt_cosh(x), cosh(x), 0);
        near("tanh", x, wgt_tanh(x), tanh(x), 0);
        near("sin", x, wgt_sin(x), sin(x), 0);
        near("cos", x, wgt_cos(x), cos(x), 0);
        near("tan", x, wgt_tan(x), tan(x), 0);
        near("atan", x, wgt_atan(x), atan(x), 0);
        near("asin", x, wgt_asin(x), asin(x), 0);
        near("acos", x, wgt_acos(x), acos(x), 0);
    }
    /* Where cosine and sine cross zero, and the double that comes nearest to a multiple of pi/2. */
    for (int k = -200; k <= 200; k++) {
        double x = k * 1.5707963267948966;
        near("sin", x, wgt_sin(x), sin(x), 0);
        near("cos", x, wgt_cos(x), cos(x), 0);
        near("tan", x, wgt_tan(x), tan(x), 0);
    }
    near("cos", 0x1.6ac5b262ca1ffp+849, wgt_cos(0x1.6ac5b262ca1ffp+849),
         cos(0x1.6ac5b262ca1ffp+849), 0);
}

static void signs_of_zero_are_kept(void **state) {
    (void)state;
    double (*const odd[])(double) = {wgt_sin, wgt_tan, wgt_atan, wgt_asin, wgt_sinh, wgt_tanh};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_true(wgt_bits_of(odd[i](-0.0)) == wgt_bits_of(-0.0));
        assert_true(wgt_bits_of(odd[i](0.0)) == wgt_bits_of(0.0));
        for (uint64_t k = 0; k < 1000; k++) {
            double x = input(k);
            assert_true(isnan(x) || isnan(odd[i](x)) || odd[i](-x) == -odd[i](x));
        }
    }
}

static void powers(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 300000; i++) {
        size_t count = sizeof edges / sizeof *edges;
        double x = input(i), y = i < count * count ? edges[i / count] : sample(24, i, -30, 30);
        if (i < count * count)
            x = edges[i % count];
        if (i % 3 == 0)
            y = wgt_trunc(y * 10);
        near("pow", x, wgt_pow(x, y), pow(x, y), 0);
    }
    assert_true(signbit(wgt_pow(-0.0, 3)) && !signbit(wgt_pow(-0.0, 2)));
    assert_true(wgt_pow(-0.0, -3) == -(double)INFINITY);
    for (int n = 0; n <= 22; n++)
        assert_true(wgt_pow(10, n) == (n == 22 ? 1e22
                                               : strtod((char[]){'1', 'e', (char)('0' + n / 10),
                                                                 (char)('0' + n % 10), 0},
                                                        NULL)));
    for (int n = -1074; n < 1024; n++) {
        assert_true(wgt_log2(ldexp(1, n)) == n);
        near("pow", n, wgt_pow(2, n), ldexp(1, n), 0);
    }
    for (int n = -500; n <= 500; n++)
        assert_true(wgt_pow(2, n) == ldexp(1, n));
    for (int n = 0; n <= 33; n++)
        assert_true(wgt_pow(3, n) == (double)(uint64_t)powl(3, n));
}

static void angles_of_points(void **state) {
    (void)state;
    size_t count = sizeof edges / sizeof *edges;
    for (uint64_t i = 0; i < 100000; i++) {
        double y = i < count * count ? edges[i % count] : input(2 * i);
        double x = i < count * count ? edges[i / count] : input(3 * i + 1);
        near("atan2", y, wgt_atan2(y, x), atan2(y, x), 0);
    }
    assert_true(signbit(wgt_atan2(-0.0, 1)) && wgt_atan2(0.0, -0.0) > 3 &&
                wgt_atan2(-0.0, -1) < -3);
}

static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    assert_int_equal(wgt_test_digest(), WGT_TEST_DIGEST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_number),
        cmocka_unit_test(signs_of_zero_are_kept),
        cmocka_unit_test(powers),
        cmocka_unit_test(angles_of_points),
        cmocka_unit_test(bits_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
