#include "number.h"
#include "bigint.h"
#include "bits.h"
#include "memory.h"

static const double small_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { LARGEST_EXACT_POWER = 22 };

/* Decimal digits, most significant first: 0.d0 d1 d2 ... · 10^point. */
typedef struct decimal {
    char digits[20];
    size_t count;
    int point;
} decimal;

static size_t put_digits(char *memory, uint64_t value) {
    char reversed[20];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < count; i++)
        memory[i] = reversed[count - 1 - i];
    return count;
}

static void drop_trailing_zeros(decimal *d) {
    while (d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* Decimals of at most 15 digits and a power of ten up to 10^22: both are exact doubles, so the one
 * division is correctly rounded, and no two such decimals read as the same double; the first that
 * reads back is the shortest. Source: Clinger, "How to read floating point numbers accurately",
 * PLDI 1990. */
static bool shortest_short(double value, decimal *d) {
    for (int places = 0; places <= LARGEST_EXACT_POWER; places++) {
        double scaled = value * small_powers[places];
        if (!(scaled < 1e15))
            return false;
        uint64_t whole = (uint64_t)(scaled + 0.5);
        if ((double)whole / small_powers[places] == value) {
            d->count = put_digits(d->digits, whole);
            d->point = (int)d->count - places;
            drop_trailing_zeros(d);
            return true;
        }
    }
    return false;
}

/* floor(log10) of mantissa · 2^exponent, or one less: what the digit generator needs to start. */
static int estimate_power(uint64_t mantissa, int exponent) {
    int bits = exponent;
    for (uint64_t m = mantissa; m; m >>= 1)
        bits++;
    /* 1292913986 / 2^32 is log10(2) to 2e-10; no multiple of it up to 1100 comes nearer than 5e-4
     * to a whole number (but 0), so the floor is exact. */
    int64_t scaled = (int64_t)(bits - 1) * 1292913986, unit = (int64_t)1 << 32;
    return (int)(scaled >= 0 ? scaled / unit : -((-scaled + unit - 1) / unit));
}

static uint32_t next_digit(wgt_bigint *rest, const wgt_bigint *scale) {
    uint32_t digit = 0;
    while (wgt_bigint_compare(rest, scale) >= 0) {
        wgt_bigint_subtract(rest, scale);
        digit++;
    }
    return digit;
}

static void round_up(decimal *d) {
    size_t i = d->count;
    while (i > 0 && d->digits[i - 1] == '9')
        i--;
    if (i == 0) {
        d->digits[0] = '1';
        d->count = 1;
        d->point++;
        return;
    }
    d->digits[i - 1]++;
    d->count = i;
}

/* Free-format digit generation with exact integers. Source: Burger and Dybvig, "Printing
 * floating-point numbers quickly and accurately", PLDI 1996. */
static void shortest_exact(double value, decimal *d) {
    int exponent;
    uint64_t mantissa = wgt_split(value, &exponent);
    bool even = mantissa % 2 == 0;
    /* At a power of two the gap below is half the gap above. */
    bool uneven = mantissa == WGT_HIDDEN_BIT && exponent > -1074;
    wgt_bigint rest, scale, above, below;
    wgt_bigint_set(&rest, mantissa);
    wgt_bigint_set(&scale, 1);
    wgt_bigint_set(&below, 1);
    wgt_bigint_shift_left(&rest, (uneven ? 2u : 1u) + (exponent > 0 ? (unsigned)exponent : 0));
    wgt_bigint_shift_left(&scale, (uneven ? 2u : 1u) + (exponent < 0 ? (unsigned)-exponent : 0));
    wgt_bigint_shift_left(&below, exponent > 0 ? (unsigned)exponent : 0);
    int power = estimate_power(mantissa, exponent);
    if (power >= 0) {
        wgt_bigint_multiply_pow10(&scale, (unsigned)power);
    } else {
        wgt_bigint_multiply_pow10(&rest, (unsigned)-power);
        wgt_bigint_multiply_pow10(&below, (unsigned)-power);
    }
    wgt_bigint_copy(&above, &below);
    if (uneven)
        wgt_bigint_shift_left(&above, 1);
    /* Bring the first digit's place right: value / 10^power may be 10 or more. */
    wgt_bigint ten_scale;
    wgt_bigint_copy(&ten_scale, &scale);
    wgt_bigint_multiply_add(&ten_scale, 10, 0);
    int reach = wgt_bigint_compare_sum(&rest, &above, &ten_scale);
    if (even ? reach >= 0 : reach > 0) {
        wgt_bigint_copy(&scale, &ten_scale);
        power++;
    }
    d->point = power + 1;
    d->count = 0;
    for (;;) {
        uint32_t digit = next_digit(&rest, &scale);
        int low = wgt_bigint_compare(&rest, &below);
        int high = wgt_bigint_compare_sum(&rest, &above, &scale);
        bool low_ends = even ? low <= 0 : low < 0, high_ends = even ? high >= 0 : high > 0;
        d->digits[d->count++] = (char)('0' + digit);
        if (low_ends || high_ends) {
            int half = wgt_bigint_compare_sum(&rest, &rest, &scale);
            if (high_ends && (!low_ends || half > 0 || (half == 0 && digit % 2)))
                round_up(d);
            return;
        }
        wgt_bigint_multiply_add(&rest, 10, 0);
        wgt_bigint_multiply_add(&above, 10, 0);
        wgt_bigint_multiply_add(&below, 10, 0);
    }
}

static size_t put_text(char *memory, const char *text) {
    size_t size = 0;
    for (; text[size]; size++)
        memory[size] = text[size];
    memory[size] = '\0';
    return size;
}

static size_t put_zeros(char *memory, int count) {
    for (int i = 0; i < count; i++)
        memory[i] = '0';
    return count > 0 ? (size_t)count : 0;
}

/* The layout of ECMAScript's Number::toString, without the plus sign of an exponent. */
static size_t lay_out(const decimal *d, char *memory) {
    size_t size = 0;
    if (d->point > 21 || d->point < -5) {
        int exponent = d->point - 1;
        memory[size++] = d->digits[0];
        if (d->count > 1)
            memory[size++] = '.';
        for (size_t i = 1; i < d->count; i++)
            memory[size++] = d->digits[i];
        memory[size++] = 'e';
        if (exponent < 0)
            memory[size++] = '-';
        return size + put_digits(memory + size, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
    if (d->point <= 0) {
        memory[size++] = '0';
        memory[size++] = '.';
        size += put_zeros(memory + size, -d->point);
    }
    for (size_t i = 0; i < d->count; i++) {
        if (i > 0 && (int)i == d->point)
            memory[size++] = '.';
        memory[size++] = d->digits[i];
    }
    return size + put_zeros(memory + size, d->point - (int)d->count);
}

size_t wgt_number_format(double value, char memory[WGT_NUMBER_SIZE]) {
    bool negative = wgt_bits_of(value) >> 63;
    if (wgt_is_nan(value))
        return put_text(memory, "nan");
    if (!wgt_is_finite(value))
        return put_text(memory, negative ? "-inf" : "inf");
    if (value == 0)
        return put_text(memory, negative ? "-0" : "0");
    decimal d;
    if (!shortest_short(wgt_abs(value), &d))
        shortest_exact(wgt_abs(value), &d);
    memory[0] = '-';
    size_t size = (negative ? 1 : 0) + lay_out(&d, memory + (negative ? 1 : 0));
    memory[size] = '\0';
    return size;
}

/* All decimal digits of a bigint into memory, at least `least` of them; returns how many. */
static size_t bigint_digits(wgt_bigint *a, size_t least, char *memory, size_t capacity) {
    size_t count = 0;
    while (a->size || count < least) {
        uint32_t group = wgt_bigint_divide_small(a, 1000000000);
        for (unsigned i = 0; i < 9 && (a->size || group || count < least) && count < capacity;
             i++) {
            memory[count++] = (char)('0' + group % 10);
            group /= 10;
        }
    }
    for (size_t i = 0; i < count / 2; i++) {
        char swap = memory[i];
        memory[i] = memory[count - 1 - i];
        memory[count - 1 - i] = swap;
    }
    return count;
}

static size_t put_cut(char *memory, size_t capacity, const char *text, size_t size) {
    size_t take = capacity == 0 ? 0 : size < capacity - 1 ? size : capacity - 1;
    if (take)
        memcpy(memory, text, take);
    if (capacity)
        memory[take] = '\0';
    return take;
}

size_t wgt_number_fixed(double value, unsigned decimals, char *memory, size_t capacity) {
    char text[352], digits[336];
    if (!wgt_is_finite(value))
        return put_cut(memory, capacity, text, wgt_number_format(value, text));
    decimals = decimals > 9 ? 9 : decimals;
    int exponent;
    wgt_bigint scaled;
    wgt_bigint_set(&scaled, wgt_split(value, &exponent));
    wgt_bigint_multiply_pow10(&scaled, decimals);
    if (exponent > 0)
        wgt_bigint_shift_left(&scaled, (unsigned)exponent);
    if (exponent < 0) {
        int order = wgt_bigint_shift_right(&scaled, (unsigned)-exponent);
        bool odd = scaled.size && scaled.words[0] % 2;
        wgt_bigint one;
        wgt_bigint_set(&one, order > 0 || (order == 0 && odd) ? 1 : 0);
        wgt_bigint_add(&scaled, &one);
    }
    size_t count = bigint_digits(&scaled, decimals + 1, digits, sizeof digits), size = 0;
    if (wgt_bits_of(value) >> 63)
        text[size++] = '-';
    for (size_t i = 0; i < count; i++) {
        if (decimals && i == count - decimals)
            text[size++] = '.';
        text[size++] = digits[i];
    }
    return put_cut(memory, capacity, text, size);
}

/* 767 significant digits decide any double; a digit more stands for all that follow. */
enum { SIGNIFICANT = 800, SMALL_DIGITS = 19 };

/* A number as its text gives it: mantissa digits, of which `first` is the first that is not zero.
 */
typedef struct scanned {
    bool negative;
    size_t integer_at, integer_count, fraction_at, fraction_count;
    int64_t exponent;
    size_t size;
} scanned;

static size_t digits_at(wgt_str text, size_t at) {
    size_t count = 0;
    while (at + count < text.size && text.data[at + count] >= '0' && text.data[at + count] <= '9')
        count++;
    return count;
}

static void scan_exponent(wgt_str text, scanned *s) {
    size_t at = s->size + 1;
    bool negative = false;
    if (at < text.size && (text.data[at] == '-' || text.data[at] == '+'))
        negative = text.data[at++] == '-';
    size_t count = digits_at(text, at);
    if (!count)
        return;
    const int64_t huge = (int64_t)1 << 60; /* beyond the length of any text */
    for (size_t i = 0; i < count; i++)
        if (s->exponent < huge / 10)
            s->exponent = s->exponent * 10 + (text.data[at + i] - '0');
    if (negative)
        s->exponent = -s->exponent;
    s->size = at + count;
}

static bool scan(wgt_str text, scanned *s) {
    memset(s, 0, sizeof *s);
    s->negative = text.size && text.data[0] == '-';
    s->integer_at = s->negative;
    s->integer_count = digits_at(text, s->integer_at);
    if (!s->integer_count)
        return false;
    /* JSON has no leading zeros: of "012" only the zero is a number. */
    if (text.data[s->integer_at] == '0')
        s->integer_count = 1;
    s->size = s->integer_at + s->integer_count;
    if (s->size < text.size && text.data[s->size] == '.') {
        s->fraction_at = s->size + 1;
        s->fraction_count = digits_at(text, s->fraction_at);
        if (s->fraction_count)
            s->size = s->fraction_at + s->fraction_count;
    }
    if (s->size < text.size && (text.data[s->size] == 'e' || text.data[s->size] == 'E'))
        scan_exponent(text, s);
    return true;
}

/* The significant digits as a number times 10^exponent. */
typedef struct significand {
    uint64_t small;   /* of the first SMALL_DIGITS digits */
    size_t count;     /* digits from the first that is not zero, up to SIGNIFICANT + 1 */
    int64_t exponent; /* of the last digit counted */
    wgt_bigint *big;  /* all digits, once there are more than SMALL_DIGITS */
} significand;

static void add_digit(significand *n, unsigned digit, bool in_fraction) {
    if (n->count == 0 && digit == 0) {
        n->exponent -= in_fraction;
        return;
    }
    if (n->count < SIGNIFICANT) {
        if (n->count == SMALL_DIGITS)
            wgt_bigint_set(n->big, n->small);
        if (n->count < SMALL_DIGITS)
            n->small = n->small * 10 + digit;
        else
            wgt_bigint_multiply_add(n->big, 10, digit);
        n->count++;
        n->exponent -= in_fraction;
        return;
    }
    /* A sticky digit: its value is lost, that it is there is not. */
    if (n->count == SIGNIFICANT && digit != 0) {
        wgt_bigint_multiply_add(n->big, 10, 1);
        n->count++;
        n->exponent--;
    }
    n->exponent += !in_fraction;
}

static void add_digits(significand *n, wgt_str text, size_t at, size_t count, bool in_fraction) {
    for (size_t i = 0; i < count; i++)
        add_digit(n, (unsigned)(text.data[at + i] - '0'), in_fraction);
}

/* The double nearest to `over` / `under`, ties to even, by a division that yields exactly the bits
 * that the result has room for. */
static double nearest_quotient(wgt_bigint *over, wgt_bigint *under) {
    /* 2^(top-1) <= over/under < 2^(top+1) at first; then 2^(top-1) <= ... < 2^top. */
    int top = (int)wgt_bigint_bit_length(over) - (int)wgt_bigint_bit_length(under) + 1;
    if (top > 1026)
        return wgt_infinity();
    if (top < -1076)
        return 0;
    wgt_bigint_shift_left(top - 1 < 0 ? over : under, (unsigned)(top - 1 < 0 ? 1 - top : top - 1));
    if (wgt_bigint_compare(over, under) < 0)
        top--;
    else
        wgt_bigint_shift_left(under, 1);
    /* Here over / under is in [1/2, 1) and stands for a fraction of 2^top. */
    int unit = top - 53 > -1074 ? top - 53 : -1074;
    if (top < unit)
        return 0;
    uint64_t mantissa = 0;
    for (int i = top; i > unit; i--) {
        wgt_bigint_shift_left(over, 1);
        mantissa <<= 1;
        if (wgt_bigint_compare(over, under) >= 0) {
            wgt_bigint_subtract(over, under);
            mantissa |= 1;
        }
    }
    int order = wgt_bigint_compare_sum(over, over, under);
    mantissa += order > 0 || (order == 0 && mantissa % 2);
    /* The hidden bit and a carry out of the mantissa both add to the exponent's field. */
    uint64_t bits = ((uint64_t)(unit + 1074) << 52) + mantissa;
    return bits >= WGT_INFINITY_BITS ? wgt_infinity() : wgt_double_of(bits);
}

static double value_of(const significand *n) {
    if (n->count == 0)
        return 0;
    /* Decided by the magnitude alone, which also keeps the bigints within their size. */
    int64_t magnitude = n->exponent + (int64_t)n->count; /* value < 10^magnitude */
    if (magnitude > 310)
        return wgt_infinity();
    if (magnitude < -325)
        return 0;
    if (n->count <= SMALL_DIGITS && n->small <= (uint64_t)1 << 53 &&
        n->exponent >= -LARGEST_EXACT_POWER && n->exponent <= LARGEST_EXACT_POWER) {
        double whole = (double)n->small;
        return n->exponent < 0 ? whole / small_powers[-n->exponent]
                               : whole * small_powers[n->exponent];
    }
    wgt_bigint under;
    wgt_bigint_set(&under, 1);
    if (n->count <= SMALL_DIGITS)
        wgt_bigint_set(n->big, n->small);
    if (n->exponent < 0)
        wgt_bigint_multiply_pow10(&under, (unsigned)-n->exponent);
    else
        wgt_bigint_multiply_pow10(n->big, (unsigned)n->exponent);
    return nearest_quotient(n->big, &under);
}

size_t wgt_number_parse(wgt_str text, double *value) {
    scanned s;
    if (!scan(text, &s))
        return 0;
    wgt_bigint big;
    significand n = {0, 0, 0, &big};
    add_digits(&n, text, s.integer_at, s.integer_count, false);
    add_digits(&n, text, s.fraction_at, s.fraction_count, true);
    n.exponent += s.exponent;
    double magnitude = value_of(&n);
    *value = s.negative ? -magnitude : magnitude;
    return s.size;
}

bool wgt_u64_parse(wgt_str text, uint64_t *value) {
    uint64_t result = 0;
    if (!text.size)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c < '0' || c > '9' || !wgt_mul_u64(result, 10, &result) ||
            !wgt_add_u64(result, (uint64_t)(c - '0'), &result))
            return false;
    }
    *value = result;
    return true;
}
