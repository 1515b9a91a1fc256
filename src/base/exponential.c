/* Logarithm, exponential and what follows from them. Every series is cut where its next term is
 * below 2^-55 of the sum over the reduced range; sums run from the smallest term. */
#include "bits.h"
#include "number.h"

/* ln 2 in two parts: the first has 42 bits, so that its product with any exponent is exact. */
static const double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
static const double log2_e = 0x1.71547652b82fep+0, sqrt2 = 0x1.6a09e667f3bcdp+0;

/* x = m · 2^exponent with m in (sqrt(1/2), sqrt(2)], for a finite x above zero. */
static double split_near_one(double x, int *exponent) {
    uint64_t mantissa = wgt_split(x, exponent);
    while (mantissa < WGT_HIDDEN_BIT) {
        mantissa <<= 1;
        --*exponent;
    }
    double m = wgt_double_of((uint64_t)1023 << 52 | (mantissa & (WGT_HIDDEN_BIT - 1)));
    *exponent += 52;
    if (m > sqrt2) {
        m /= 2;
        ++*exponent;
    }
    return m;
}

/* ln m = 2 artanh((m - 1) / (m + 1)); |s| <= 0.172. */
static double log_near_one(double m) {
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 21; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * square;
    return 2 * (s + s * sum);
}

/* The logarithm where it is no finite number; false for a finite x above zero. */
static bool log_special(double x, double *result) {
    if (x > 0 && wgt_is_finite(x))
        return false;
    *result = x > 0 ? x : x == 0 ? -wgt_infinity() : wgt_nan();
    return true;
}

double wgt_log(double x) {
    double result;
    int exponent;
    if (log_special(x, &result))
        return result;
    double m = split_near_one(x, &exponent);
    return exponent * ln2_high + (exponent * ln2_low + log_near_one(m));
}

double wgt_log2(double x) {
    double result;
    int exponent;
    if (log_special(x, &result))
        return result;
    double m = split_near_one(x, &exponent);
    return exponent + log_near_one(m) * log2_e;
}

/* x · 2^k in two steps, since 2^k alone may be out of range. */
static double scale(double x, int k) {
    int half = k / 2;
    return x * wgt_double_of((uint64_t)(half + 1023) << 52) *
           wgt_double_of((uint64_t)(k - half + 1023) << 52);
}

double wgt_exp(double x) {
    if (wgt_is_nan(x))
        return x;
    if (x > 709.8)
        return wgt_infinity();
    if (x < -745.2)
        return 0;
    double k = wgt_round_even(x * log2_e);
    double r = (x - k * ln2_high) - k * ln2_low; /* |r| <= 0.35 */
    double sum = 1;
    for (int n = 14; n >= 1; n--)
        sum = 1 + sum * r / n;
    return scale(sum, (int)k);
}

static bool is_whole(double x) {
    return wgt_is_finite(x) && wgt_trunc(x) == x;
}

static bool is_odd(double x) {
    return is_whole(x) && wgt_abs(x) < 0x1p53 && wgt_trunc(x / 2) * 2 != x;
}

static double power_of_whole(double x, unsigned n) {
    double result = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            result *= x;
        x *= x;
    }
    return result;
}

/* What C's annex F.9.4.4 fixes for zeros, infinities and no numbers; false elsewhere. */
static bool pow_special(double x, double y, double *result) {
    double size = wgt_abs(x);
    if (y == 0 || x == 1) {
        *result = 1;
    } else if (wgt_is_nan(x) || wgt_is_nan(y)) {
        *result = wgt_nan();
    } else if (!wgt_is_finite(y)) {
        *result = size == 1 ? 1 : (size > 1) == (y > 0) ? wgt_infinity() : 0;
    } else if (x == 0 || !wgt_is_finite(x)) {
        double end = (x == 0) == (y > 0) ? 0 : wgt_infinity();
        *result = wgt_bits_of(x) >> 63 && is_odd(y) ? -end : end;
    } else if (x < 0 && !is_whole(y)) {
        *result = wgt_nan();
    } else {
        return false;
    }
    return true;
}

double wgt_pow(double x, double y) {
    double result, size = wgt_abs(x);
    if (pow_special(x, y, &result))
        return result;
    if (is_whole(y) && wgt_abs(y) <= 512) {
        double power = power_of_whole(x, (unsigned)wgt_abs(y));
        /* A power that over- or underflowed says nothing of its reciprocal. */
        if (y > 0 || (wgt_is_finite(power) && wgt_abs(power) >= 0x1p-1022))
            return y > 0 ? power : 1 / power;
    }
    /* The product's rounding counts 2^-53 · |y log x| <= 8e-14 in the result. */
    result = wgt_exp(y * wgt_log(size));
    return x < 0 && is_odd(y) ? -result : result;
}

/* The sum of x^n / n! over every second n from `first`; |x| <= 1. */
static double half_series(double x, int first) {
    double square = x * x, sum = 1;
    for (int n = 18 + first; n > first; n -= 2)
        sum = 1 + sum * square / (n * (n - 1));
    return first ? sum * x : sum;
}

/* e^|x| / 2 where e^-|x| no longer counts, without overflowing early. */
static double half_exp(double size) {
    double root = wgt_exp(size / 2);
    return root / 2 * root;
}

double wgt_sinh(double x) {
    double size = wgt_abs(x);
    if (!(size > 1))
        return wgt_is_nan(x) ? x : half_series(x, 1);
    double e = wgt_exp(size), result = size > 40 ? half_exp(size) : (e - 1 / e) / 2;
    return x < 0 ? -result : result;
}

double wgt_cosh(double x) {
    double size = wgt_abs(x);
    if (!(size > 1))
        return wgt_is_nan(x) ? x : half_series(x, 0);
    double e = wgt_exp(size);
    return size > 40 ? half_exp(size) : (e + 1 / e) / 2;
}

double wgt_tanh(double x) {
    double size = wgt_abs(x);
    if (!(size > 1))
        return wgt_is_nan(x) ? x : half_series(x, 1) / half_series(x, 0);
    double result = size > 22 ? 1 : 1 - 2 / (wgt_exp(2 * size) + 1);
    return x < 0 ? -result : result;
}
