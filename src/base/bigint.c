#include "bigint.h"

#include <string.h>

static void trim(wgt_bigint *a) {
    while (a->size && a->words[a->size - 1] == 0)
        a->size--;
}

/* A word above the capacity cannot come up with the exponents that number.c lets through. */
static void push(wgt_bigint *a, uint32_t word) {
    if (word && a->size < WGT_BIGINT_WORDS)
        a->words[a->size++] = word;
}

void wgt_bigint_set(wgt_bigint *a, uint64_t value) {
    a->words[0] = (uint32_t)value;
    a->words[1] = (uint32_t)(value >> 32);
    a->size = 2;
    trim(a);
}

void wgt_bigint_copy(wgt_bigint *a, const wgt_bigint *b) {
    a->size = b->size;
    memcpy(a->words, b->words, b->size * sizeof *b->words);
}

void wgt_bigint_multiply_add(wgt_bigint *a, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < a->size; i++) {
        carry += (uint64_t)a->words[i] * factor;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push(a, (uint32_t)carry);
    trim(a);
}

void wgt_bigint_multiply_pow10(wgt_bigint *a, unsigned exponent) {
    for (unsigned left = exponent; left;) {
        static const uint32_t fives[] = {1,       5,        25,        125,       625,
                                         3125,    15625,    78125,     390625,    1953125,
                                         9765625, 48828125, 244140625, 1220703125};
        unsigned step = left < 13 ? left : 13;
        wgt_bigint_multiply_add(a, fives[step], 0);
        left -= step;
    }
    wgt_bigint_shift_left(a, exponent);
}

void wgt_bigint_shift_left(wgt_bigint *a, unsigned bits) {
    size_t whole = bits / 32;
    if (a->size == 0 || bits == 0)
        return;
    if (whole) {
        if (whole > WGT_BIGINT_WORDS - a->size)
            whole = WGT_BIGINT_WORDS - a->size;
        memmove(a->words + whole, a->words, a->size * sizeof *a->words);
        memset(a->words, 0, whole * sizeof *a->words);
        a->size += whole;
    }
    wgt_bigint_multiply_add(a, (uint32_t)1 << bits % 32, 0);
}

size_t wgt_bigint_bit_length(const wgt_bigint *a) {
    size_t bits = a->size * 32;
    if (bits)
        for (uint32_t top = a->words[a->size - 1]; !(top & 0x80000000u); top <<= 1)
            bits--;
    return bits;
}

int wgt_bigint_compare(const wgt_bigint *a, const wgt_bigint *b) {
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (size_t i = a->size; i-- > 0;)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

int wgt_bigint_compare_sum(const wgt_bigint *a, const wgt_bigint *b, const wgt_bigint *c) {
    wgt_bigint sum;
    wgt_bigint_copy(&sum, a);
    wgt_bigint_add(&sum, b);
    return wgt_bigint_compare(&sum, c);
}

void wgt_bigint_subtract(wgt_bigint *a, const wgt_bigint *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->size; i++) {
        uint64_t word = (uint64_t)a->words[i] - (i < b->size ? b->words[i] : 0) - borrow;
        a->words[i] = (uint32_t)word;
        borrow = word >> 63;
    }
    trim(a);
}

void wgt_bigint_add(wgt_bigint *a, const wgt_bigint *b) {
    uint64_t carry = 0;
    size_t size = a->size > b->size ? a->size : b->size;
    for (size_t i = 0; i < size; i++) {
        carry += i < a->size ? a->words[i] : 0;
        carry += i < b->size ? b->words[i] : 0;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->size = size;
    push(a, (uint32_t)carry);
}

uint32_t wgt_bigint_divide_small(wgt_bigint *a, uint32_t divisor) {
    uint64_t rest = 0;
    for (size_t i = a->size; i-- > 0;) {
        rest = rest << 32 | a->words[i];
        a->words[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    trim(a);
    return (uint32_t)rest;
}

static bool any_bit_below(const wgt_bigint *a, size_t bit) {
    for (size_t i = 0; i < a->size && i <= bit / 32; i++) {
        uint32_t mask = i < bit / 32 ? UINT32_MAX : ((uint32_t)1 << bit % 32) - 1;
        if (a->words[i] & mask)
            return true;
    }
    return false;
}

int wgt_bigint_shift_right(wgt_bigint *a, unsigned bits) {
    size_t half = bits - 1, whole = bits / 32, part = bits % 32;
    bool at_half = half / 32 < a->size && (a->words[half / 32] >> half % 32 & 1);
    int order = at_half ? any_bit_below(a, half) : -1;
    if (whole >= a->size) {
        a->size = 0;
        return order;
    }
    for (size_t i = whole; i < a->size; i++) {
        uint64_t pair = a->words[i];
        if (i + 1 < a->size)
            pair |= (uint64_t)a->words[i + 1] << 32;
        a->words[i - whole] = (uint32_t)(pair >> part);
    }
    a->size -= whole;
    trim(a);
    return order;
}
