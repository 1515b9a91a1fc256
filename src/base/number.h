/* Numbers as text and the few functions of libm that decisions need, with the same bits on every
 * host. Pure. Compile with -ffp-contract=off. */
#ifndef WGT_BASE_NUMBER_H
#define WGT_BASE_NUMBER_H

#include "wgtune/base.h"

#define WGT_NUMBER_SIZE 32

/* The shortest decimal that reads back as `value`, as JSON writes it: 0.1, 1e+30 becomes 1e30, -0
 * becomes -0, whole numbers below 1e21 without exponent. NaN and infinities give "nan", "inf",
 * "-inf" (the JSON writer turns them into null). Returns the length; NUL-terminated. */
size_t wgt_number_format(double value, char memory[WGT_NUMBER_SIZE]);
/* Fixed decimals (0..9), rounded half to even on the exact value. Needs up to 330 bytes; returns the
 * length. */
size_t wgt_number_fixed(double value, unsigned decimals, char *memory, size_t capacity);
/* Reads the longest JSON-like number at the start of `text` (optional '-', digits, fraction,
 * exponent; a leading '+', ".5" and "5." are not taken), correctly rounded; overflow gives an
 * infinity. Returns how many bytes it took, 0 when there is no number. */
size_t wgt_number_parse(wgt_str text, double *value);
/* The whole text as a decimal unsigned integer; false on anything else or overflow. */
bool wgt_u64_parse(wgt_str text, uint64_t *value);

bool wgt_is_finite(double x);
bool wgt_is_nan(double x);
double wgt_nan(void);
double wgt_infinity(void);
double wgt_floor(double x);
double wgt_ceil(double x);
double wgt_trunc(double x);
double wgt_round_even(double x);
double wgt_abs(double x);
double wgt_sqrt(double x); /* correctly rounded */
/* C's fmod, exact: the sign of x; NaN for y 0 or x infinite. */
double wgt_fmod(double x, double y);
/* Relative error below 1e-12 (absolute near zeros of the function), same bits everywhere. */
double wgt_log(double x);
double wgt_log2(double x); /* exact for powers of two */
double wgt_exp(double x);
double wgt_pow(double x, double y); /* exact for small integral y where the product is */
double wgt_sin(double x);
double wgt_cos(double x);
double wgt_tan(double x);
double wgt_atan(double x);
double wgt_atan2(double y, double x);
double wgt_asin(double x);
double wgt_acos(double x);
double wgt_sinh(double x);
double wgt_cosh(double x);
double wgt_tanh(double x);

/* splitmix64 of (seed, index): the `index`-th output of the generator that starts at `seed`, without
 * walking there. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014. */
uint64_t wgt_random_u64(uint64_t seed, uint64_t index);
/* The top 24 bits times 2^-24: in [0, 1), exact in f32. */
float wgt_random_f32(uint64_t seed, uint64_t index);
/* A whole number in [0, bound), bound > 0, without modulo bias beyond 2^-32 for bound < 2^32. */
uint32_t wgt_random_below(uint64_t seed, uint64_t index, uint32_t bound);

/* IEEE binary16 from and to binary32, round to nearest even. */
uint16_t wgt_f16_from_f32(float value);
float wgt_f32_from_f16(uint16_t bits);

#endif
