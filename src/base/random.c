#include "bits.h"
#include "number.h"

uint64_t wgt_random_u64(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

float wgt_random_f32(uint64_t seed, uint64_t index) {
    return (float)(wgt_random_u64(seed, index) >> 40) * 0x1p-24f;
}

uint32_t wgt_random_below(uint64_t seed, uint64_t index, uint32_t bound) {
    return (uint32_t)((wgt_random_u64(seed, index) >> 32) * bound >> 32);
}

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t wgt_f16_from_f32(float value) {
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
    uint32_t sign = bits >> 16 & 0x8000;
    if (magnitude > 0x7f800000) /* a NaN stays one, quiet, with the top of its payload */
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000) /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x33000000) /* below half of the smallest subnormal */
        return (uint16_t)sign;
    uint32_t exponent = magnitude >> 23;
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    /* Normal halves lose 13 bits of the mantissa, subnormal ones a bit more for each step down. */
    uint32_t lost = exponent < 113 ? 126 - exponent : 13;
    uint32_t kept = mantissa >> lost, rest = mantissa & ((1u << lost) - 1), half = 1u << (lost - 1);
    kept += rest > half || (rest == half && kept % 2);
    uint32_t base = exponent < 113 ? 0 : (exponent - 113) << 10;
    return (uint16_t)(sign | (base + kept));
}

float wgt_f32_from_f16(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00)
        return float_of(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return float_of(sign | ((magnitude << 13) + (112u << 23)));
    float subnormal = (float)magnitude * 0x1p-24f;
    return sign ? -subnormal : subnormal;
}
