/* Whole numbers up to 4,352 bits, as exact decimal conversion needs: the largest is 10^1126, for
 * 801 digits at the small end of the doubles. Pure. */
#ifndef WGT_BASE_BIGINT_H
#define WGT_BASE_BIGINT_H

#include "wgtune/base.h"

#define WGT_BIGINT_WORDS 136

/* Little-endian words; `size` counts those up to the highest non-zero one. */
typedef struct wgt_bigint {
    size_t size;
    uint32_t words[WGT_BIGINT_WORDS];
} wgt_bigint;

void wgt_bigint_set(wgt_bigint *a, uint64_t value);
void wgt_bigint_copy(wgt_bigint *a, const wgt_bigint *b);
void wgt_bigint_multiply_add(wgt_bigint *a, uint32_t factor, uint32_t addend);
void wgt_bigint_multiply_pow10(wgt_bigint *a, unsigned exponent);
void wgt_bigint_shift_left(wgt_bigint *a, unsigned bits);
size_t wgt_bigint_bit_length(const wgt_bigint *a);
int wgt_bigint_compare(const wgt_bigint *a, const wgt_bigint *b);
/* Compares a + b with c. */
int wgt_bigint_compare_sum(const wgt_bigint *a, const wgt_bigint *b, const wgt_bigint *c);
void wgt_bigint_subtract(wgt_bigint *a, const wgt_bigint *b); /* a >= b */
void wgt_bigint_add(wgt_bigint *a, const wgt_bigint *b);
/* Divides in place, returns the remainder. */
uint32_t wgt_bigint_divide_small(wgt_bigint *a, uint32_t divisor);
/* a mod 2^bits against 2^(bits-1): the sign of the difference; then a >>= bits. bits > 0. */
int wgt_bigint_shift_right(wgt_bigint *a, unsigned bits);

#endif
