#include "bits.h"
#include "number.h"

bool wgt_is_finite(double x) {
    return (wgt_bits_of(x) & WGT_INFINITY_BITS) != WGT_INFINITY_BITS;
}

bool wgt_is_nan(double x) {
    return (wgt_bits_of(x) & ~WGT_SIGN_BIT) > WGT_INFINITY_BITS;
}

double wgt_nan(void) {
    return wgt_double_of(WGT_INFINITY_BITS | WGT_HIDDEN_BIT >> 1);
}

double wgt_infinity(void) {
    return wgt_double_of(WGT_INFINITY_BITS);
}

double wgt_abs(double x) {
    return wgt_double_of(wgt_bits_of(x) & ~WGT_SIGN_BIT);
}

double wgt_trunc(double x) {
    uint64_t bits = wgt_bits_of(x);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < 0)
        return wgt_double_of(bits & WGT_SIGN_BIT);
    if (exponent >= 52) /* whole already, infinite or no number */
        return x;
    return wgt_double_of(bits & ~((WGT_HIDDEN_BIT - 1) >> exponent));
}

double wgt_floor(double x) {
    double whole = wgt_trunc(x);
    return whole > x ? whole - 1 : whole;
}

double wgt_ceil(double x) {
    double whole = wgt_trunc(x);
    if (whole < x)
        return whole + 1;
    return whole;
}

double wgt_round_even(double x) {
    double whole = wgt_trunc(x), rest = wgt_abs(x - whole);
    if (!(rest >= 0.5))
        return whole;
    bool odd = wgt_trunc(whole / 2) * 2 != whole;
    double away = x < 0 ? whole - 1 : whole + 1;
    return rest > 0.5 || odd ? away : whole;
}

/* One bit of the root a step, the remainder exact in a u64. Source: the shift-and-subtract method
 * of fdlibm's e_sqrt.c, with one word in place of two. */
double wgt_sqrt(double x) {
    if (!(x > 0) || !wgt_is_finite(x))
        return x == 0 || x > 0 ? x : wgt_nan();
    int exponent;
    uint64_t mantissa = wgt_split(x, &exponent);
    while (mantissa < WGT_HIDDEN_BIT) {
        mantissa <<= 1;
        exponent--;
    }
    if (exponent % 2) { /* an even exponent, so that it halves */
        mantissa <<= 1;
        exponent--;
    }
    /* The root of mantissa · 2^54 has 54 bits: 53 for the result and one to round by. */
    uint64_t root = 0, rest = 0;
    for (int shift = 52; shift >= -54; shift -= 2) {
        rest = rest << 2 | (shift >= 0 ? mantissa >> shift & 3 : 0);
        root <<= 1;
        if (rest > root << 1) {
            rest -= root << 1 | 1;
            root |= 1;
        }
    }
    /* A root is never halfway between doubles: its square would have twice their bits. */
    root = (root >> 1) + (root & 1);
    return wgt_double_of(((uint64_t)(exponent / 2 - 26 + 1074) << 52) + root);
}

/* The division of the mantissas by shift and subtract: exact, since a remainder always is. */
double wgt_fmod(double x, double y) {
    if (!wgt_is_finite(x) || wgt_is_nan(y) || y == 0)
        return wgt_nan();
    if (wgt_abs(x) < wgt_abs(y) || x == 0)
        return x;
    int exponent, unit;
    uint64_t rest = wgt_split(x, &exponent), divisor = wgt_split(y, &unit);
    for (rest %= divisor; exponent > unit && rest; exponent--)
        rest = (rest << 1) % divisor;
    double place =
        wgt_double_of(unit < -1022 ? (uint64_t)1 << (unit + 1074) : (uint64_t)(unit + 1023) << 52);
    double size = (double)rest * place;
    return x < 0 ? -size : size;
}
