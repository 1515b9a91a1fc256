/* Doubles as their bits. Pure. */
#ifndef WGT_BASE_BITS_H
#define WGT_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t wgt_bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double wgt_double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define WGT_SIGN_BIT ((uint64_t)1 << 63)
#define WGT_HIDDEN_BIT ((uint64_t)1 << 52)
#define WGT_INFINITY_BITS ((uint64_t)0x7ff << 52)

/* value = mantissa · 2^exponent for a finite value above zero, mantissa below 2^53. */
static inline uint64_t wgt_split(double value, int *exponent) {
    uint64_t bits = wgt_bits_of(value) & ~WGT_SIGN_BIT;
    int field = (int)(bits >> 52);
    uint64_t fraction = bits & (WGT_HIDDEN_BIT - 1);
    *exponent = field ? field - 1075 : -1074;
    return field ? fraction | WGT_HIDDEN_BIT : fraction;
}

#endif
