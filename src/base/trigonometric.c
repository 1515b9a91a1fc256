/* The circular functions and their inverses. Series are cut where the next term is below 2^-55 of
 * the sum over the reduced range; sums run from the smallest term. */
#include "bits.h"
#include "number.h"

static const double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;

/* 2/pi as a binary fraction, most significant word first: 1,280 bits, for the largest double and
 * 160 bits behind it. */
static const uint32_t two_over_pi[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

enum { WINDOW = 6, PRODUCT = WINDOW + 2 };

/* mantissa · words[0..5] (most significant first) into a little-endian product. */
static void multiply_window(uint64_t mantissa, const uint32_t *words, uint32_t product[PRODUCT]) {
    const uint32_t parts[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
    memset(product, 0, PRODUCT * sizeof *product);
    for (int p = 0; p < 2; p++) {
        uint64_t carry = 0;
        for (int i = 0; i < WINDOW; i++) {
            carry += (uint64_t)parts[p] * words[WINDOW - 1 - i] + product[i + p];
            product[i + p] = (uint32_t)carry;
            carry >>= 32;
        }
        product[WINDOW + p] = (uint32_t)carry;
    }
}

static unsigned bit_of(const uint32_t *product, int bit) {
    return bit / 32 < PRODUCT ? product[bit / 32] >> bit % 32 & 1 : 0;
}

/* The low `bits` bits of the product, as a fraction of 2^bits in [-1/2, 1/2). */
static double signed_fraction(const uint32_t *product, int bits) {
    bool negative = bit_of(product, bits - 1);
    uint64_t carry = negative; /* two's complement */
    double sum = 0, place = wgt_double_of((uint64_t)(1023 - bits) << 52);
    for (int i = 0; i * 32 < bits && i < PRODUCT; i++) {
        uint32_t word = product[i];
        if (negative) {
            carry += (uint32_t)~word;
            word = (uint32_t)carry;
            carry >>= 32;
        }
        int left = bits - i * 32;
        if (left < 32)
            word &= ((uint32_t)1 << left) - 1;
        sum += word * place;
        place *= 0x1p32;
    }
    return negative ? -sum : sum;
}

/* x = quadrant · pi/2 + r, |r| <= pi/4, by multiplying with just those words of 2/pi whose product
 * does not vanish modulo 4. Source: Payne and Hanek, "Radian reduction for trigonometric
 * functions", SIGNUM Newsletter 18, 1983. */
static double reduce(double x, unsigned *quadrant) {
    *quadrant = 0;
    double size = wgt_abs(x);
    if (size <= half_pi / 2)
        return x;
    int exponent;
    uint64_t mantissa = wgt_split(size, &exponent);
    int first = exponent >= 2 ? (exponent - 2) / 32 : 0;
    int bits = 32 * (first + WINDOW) - exponent; /* of the fraction */
    uint32_t product[PRODUCT];
    multiply_window(mantissa, two_over_pi + first, product);
    *quadrant = bit_of(product, bits) | bit_of(product, bits + 1) << 1;
    double fraction = signed_fraction(product, bits);
    *quadrant = (*quadrant + bit_of(product, bits - 1)) & 3; /* rounded, not cut */
    double r = fraction * half_pi;
    if (x > 0)
        return r;
    *quadrant = (4 - *quadrant) & 3;
    return -r;
}

/* |r| <= pi/4 in both. */
static double sin_near_zero(double r) {
    double square = r * r, sum = 1;
    for (int n = 17; n > 1; n -= 2)
        sum = 1 - sum * square / (n * (n - 1));
    return sum * r;
}

static double cos_near_zero(double r) {
    double square = r * r, sum = 1;
    for (int n = 18; n > 0; n -= 2)
        sum = 1 - sum * square / (n * (n - 1));
    return sum;
}

static double sine_from(double r, unsigned quadrant) {
    double value = quadrant & 1 ? cos_near_zero(r) : sin_near_zero(r);
    return quadrant & 2 ? -value : value;
}

double wgt_sin(double x) {
    unsigned quadrant;
    if (!wgt_is_finite(x))
        return wgt_nan();
    double r = reduce(x, &quadrant);
    return sine_from(r, quadrant);
}

double wgt_cos(double x) {
    unsigned quadrant;
    if (!wgt_is_finite(x))
        return wgt_nan();
    double r = reduce(x, &quadrant);
    return sine_from(r, quadrant + 1);
}

double wgt_tan(double x) {
    unsigned quadrant;
    if (!wgt_is_finite(x))
        return wgt_nan();
    double r = reduce(x, &quadrant);
    double s = sin_near_zero(r), c = cos_near_zero(r);
    return quadrant & 1 ? -c / s : s / c;
}

/* x in [0, 1]: the arctangent of the nearest eighth is known, the rest is |t| <= 1/16. */
static double atan_reduced(double x) {
    static const double eighths[] = {
        0,
        0x1.fd5ba9aac2f6ep-4,
        0x1.f5b75f92c80ddp-3,
        0x1.6f61941e4def1p-2,
        0x1.dac670561bb4fp-2,
        0x1.1e00babdefeb4p-1,
        0x1.4978fa3269ee1p-1,
        0x1.700a7c5784634p-1,
        0x1.921fb54442d18p-1,
    };
    unsigned nearest = (unsigned)(x * 8 + 0.5);
    double c = nearest / 8.0, t = (x - c) / (1 + x * c), square = t * t, sum = 0;
    for (int k = 15; k >= 3; k -= 2)
        sum = (1.0 / k - sum) * square;
    return eighths[nearest] + (t - t * sum);
}

double wgt_atan(double x) {
    double size = wgt_abs(x);
    if (wgt_is_nan(x))
        return x;
    if (size < 0x1p-30) /* x - x^3/3 rounds to x; keeps -0 and subnormals */
        return x;
    double angle =
        size <= 1 ? atan_reduced(size) : half_pi - (atan_reduced(1 / size) - half_pi_low);
    return x < 0 ? -angle : angle;
}

double wgt_atan2(double y, double x) {
    if (wgt_is_nan(x) || wgt_is_nan(y))
        return wgt_nan();
    double above = wgt_abs(y), right = wgt_abs(x), angle;
    if (above == 0)
        angle = 0;
    else if (!wgt_is_finite(above) && !wgt_is_finite(right))
        angle = half_pi / 2;
    else if (above > right)
        angle = half_pi - wgt_atan(right / above);
    else
        angle = wgt_atan(above / right);
    if (wgt_bits_of(x) >> 63)
        angle = 2 * half_pi - angle;
    return wgt_bits_of(y) >> 63 ? -angle : angle;
}

double wgt_asin(double x) {
    if (!(wgt_abs(x) <= 1))
        return wgt_nan();
    if (wgt_abs(x) < 0x1p-30)
        return x;
    return wgt_atan2(x, wgt_sqrt((1 - x) * (1 + x)));
}

double wgt_acos(double x) {
    if (!(wgt_abs(x) <= 1))
        return wgt_nan();
    return wgt_atan2(wgt_sqrt((1 - x) * (1 + x)), x);
}
