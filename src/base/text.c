#include "text.h"
#include "number.h"

#include <string.h>

wgt_str wgt_str_from(const char *text) {
    size_t size = 0;
    while (text && text[size])
        size++;
    return (wgt_str){text ? text : "", size};
}

bool wgt_str_equal(wgt_str a, wgt_str b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool wgt_str_is(wgt_str a, const char *text) {
    return wgt_str_equal(a, wgt_str_from(text));
}

int wgt_str_compare(wgt_str a, wgt_str b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order)
        return order < 0 ? -1 : 1;
    return (a.size > b.size) - (a.size < b.size);
}

bool wgt_str_starts(wgt_str a, const char *prefix) {
    wgt_str p = wgt_str_from(prefix);
    return a.size >= p.size && wgt_str_equal((wgt_str){a.data, p.size}, p);
}

bool wgt_str_ends(wgt_str a, const char *suffix) {
    wgt_str s = wgt_str_from(suffix);
    return a.size >= s.size &&
           (s.size == 0 || wgt_str_equal((wgt_str){a.data + (a.size - s.size), s.size}, s));
}

static unsigned min3(unsigned a, unsigned b, unsigned c) {
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

/* The optimal-string-alignment distance, three rows at a time. Source: Damerau, "A technique for
 * computer detection and correction of spelling errors", CACM 7(3), 1964. */
unsigned wgt_str_distance(wgt_str a, wgt_str b) {
    enum { CUT = 64 };
    unsigned rows[3][CUT + 1];
    size_t n = a.size < CUT ? a.size : CUT, m = b.size < CUT ? b.size : CUT;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned cost = a.data[i - 1] != b.data[j - 1];
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1] && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

/* Source: the table of well-formed byte sequences (3-7) in The Unicode Standard, chapter 3. */
size_t wgt_utf8_size(wgt_str text, size_t at) {
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t size;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *p = (const unsigned char *)text.data + at;
    size_t left = text.size - at, form = 0, count = sizeof forms / sizeof *forms;
    while (form < count && (p[0] < forms[form].first_low || p[0] > forms[form].first_high))
        form++;
    if (form == count || forms[form].size > left)
        return 0;
    if (forms[form].size > 1 && (p[1] < forms[form].second_low || p[1] > forms[form].second_high))
        return 0;
    for (size_t i = 2; i < forms[form].size; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return forms[form].size;
}

void wgt_out_init(wgt_out *out, char *memory, size_t capacity) {
    memset(out, 0, sizeof *out);
    out->data = memory;
    out->capacity = memory ? capacity : 0;
    if (out->capacity)
        out->data[0] = '\0';
}

static void hand_on(wgt_out *out, const char *data, size_t size) {
    if (size && !out->failed && !out->flush(out->user, data, size))
        out->failed = true;
}

void wgt_out_flush(wgt_out *out) {
    if (!out->flush)
        return;
    hand_on(out, out->data, out->size);
    out->size = 0;
    if (out->capacity)
        out->data[0] = '\0';
}

void wgt_put(wgt_out *out, wgt_str text) {
    size_t usable = out->capacity ? out->capacity - 1 : 0;
    if (text.size > usable - out->size && out->flush) {
        wgt_out_flush(out);
        if (text.size > usable) {
            hand_on(out, text.data, text.size);
            return;
        }
    }
    size_t take = text.size;
    if (take > usable - out->size) {
        take = usable - out->size;
        out->truncated = true;
    }
    if (take) {
        memcpy(out->data + out->size, text.data, take);
        out->size += take;
        out->data[out->size] = '\0';
    }
}

void wgt_put_char(wgt_out *out, char c) {
    wgt_put(out, (wgt_str){&c, 1});
}

/* One conversion of a format: what stands between '%' and its letter. */
typedef struct conversion {
    bool left, zero;
    size_t width;
    bool has_precision;
    size_t precision;
    unsigned longs; /* how many 'l' */
    bool is_size;   /* 'z' */
    char letter;
} conversion;

static const char *read_count(const char *p, va_list *arguments, size_t *count, bool *negative) {
    *negative = false;
    if (*p == '*') {
        int value = va_arg(*arguments, int);
        *negative = value < 0;
        *count = value < 0 ? (size_t)0 - (size_t)value : (size_t)value;
        return p + 1;
    }
    *count = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (*count < 100000)
            *count = *count * 10 + (size_t)(*p - '0');
    return p;
}

static const char *read_conversion(const char *p, va_list *arguments, conversion *c) {
    bool negative;
    memset(c, 0, sizeof *c);
    for (; *p == '-' || *p == '0'; p++) {
        c->left |= *p == '-';
        c->zero |= *p == '0';
    }
    p = read_count(p, arguments, &c->width, &negative);
    c->left |= negative;
    if (*p == '.') {
        p = read_count(p + 1, arguments, &c->precision, &negative);
        c->has_precision = !negative;
    }
    for (; *p == 'l'; p++)
        c->longs++;
    if (*p == 'z') {
        c->is_size = true;
        p++;
    }
    c->letter = *p;
    return *p ? p + 1 : p;
}

static void put_repeated(wgt_out *out, char c, size_t count) {
    while (count--)
        wgt_put_char(out, c);
}

/* Pads to the width; zeros go between the sign and the digits. */
static void put_padded(wgt_out *out, const conversion *c, wgt_str text, bool numeric) {
    size_t padding = c->width > text.size ? c->width - text.size : 0;
    bool zero = numeric && c->zero && !c->left;
    if (zero && text.size && text.data[0] == '-') {
        wgt_put_char(out, '-');
        text.data++;
        text.size--;
    }
    if (!c->left)
        put_repeated(out, zero ? '0' : ' ', padding);
    wgt_put(out, text);
    if (c->left)
        put_repeated(out, ' ', padding);
}

static void put_integer(wgt_out *out, const conversion *c, uint64_t value, bool negative) {
    char text[24];
    size_t at = sizeof text;
    unsigned base = c->letter == 'x' ? 16 : 10;
    do {
        text[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    if (negative)
        text[--at] = '-';
    put_padded(out, c, (wgt_str){text + at, sizeof text - at}, true);
}

static void put_signed(wgt_out *out, const conversion *c, va_list *arguments) {
    int64_t value;
    if (c->is_size)
        value = (int64_t)va_arg(*arguments, ptrdiff_t);
    else if (c->longs >= 2)
        value = va_arg(*arguments, long long);
    else if (c->longs)
        value = va_arg(*arguments, long);
    else
        value = va_arg(*arguments, int);
    put_integer(out, c, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value, value < 0);
}

static void put_unsigned(wgt_out *out, const conversion *c, va_list *arguments) {
    uint64_t value;
    if (c->is_size)
        value = va_arg(*arguments, size_t);
    else if (c->longs >= 2)
        value = va_arg(*arguments, unsigned long long);
    else if (c->longs)
        value = va_arg(*arguments, unsigned long);
    else
        value = va_arg(*arguments, unsigned);
    put_integer(out, c, value, false);
}

static void put_string(wgt_out *out, const conversion *c, const char *text) {
    wgt_str view = {text ? text : "(null)", 0};
    while ((!c->has_precision || view.size < c->precision) && view.data[view.size])
        view.size++;
    put_padded(out, c, view, false);
}

static void put_double(wgt_out *out, const conversion *c, double value) {
    char text[352];
    size_t size;
    if (c->letter == 'f')
        size = wgt_number_fixed(value, c->has_precision ? (unsigned)c->precision : 6, text,
                                sizeof text);
    else
        size = wgt_number_format(value, text);
    put_padded(out, c, (wgt_str){text, size}, wgt_is_finite(value));
}

static void put_conversion(wgt_out *out, const conversion *c, va_list *arguments) {
    switch (c->letter) {
    case 's':
        put_string(out, c, va_arg(*arguments, const char *));
        break;
    case 'c': {
        char letter = (char)va_arg(*arguments, int);
        put_padded(out, c, (wgt_str){&letter, 1}, false);
        break;
    }
    case 'd':
    case 'i':
        put_signed(out, c, arguments);
        break;
    case 'u':
    case 'x':
        put_unsigned(out, c, arguments);
        break;
    case 'g':
    case 'f':
        put_double(out, c, va_arg(*arguments, double));
        break;
    case '\0':
        break;
    default: /* '%', and a letter that is no conversion */
        wgt_put_char(out, c->letter);
        break;
    }
}

void wgt_vputf(wgt_out *out, const char *format, va_list arguments) {
    /* A copy: where va_list is an array type, a parameter's address is not a va_list pointer. */
    va_list list;
    va_copy(list, arguments);
    for (const char *p = format; *p;) {
        size_t plain = 0;
        while (p[plain] && p[plain] != '%')
            plain++;
        wgt_put(out, (wgt_str){p, plain});
        p += plain;
        if (*p == '%') {
            conversion c;
            p = read_conversion(p + 1, &list, &c);
            put_conversion(out, &c, &list);
        }
    }
    va_end(list);
}

void wgt_putf(wgt_out *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    wgt_vputf(out, format, arguments);
    va_end(arguments);
}

/* Takes back the bytes of a UTF-8 sequence that the end of the buffer cut in two. */
static void cut_at_character(wgt_out *out) {
    if (!out->truncated)
        return;
    size_t start = out->size, tail = 0;
    while (start > 0 && tail < 3 && ((unsigned char)out->data[start - 1] & 0xc0) == 0x80) {
        start--;
        tail++;
    }
    unsigned char lead = start > 0 ? (unsigned char)out->data[start - 1] : 0;
    size_t wanted = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    if (tail < wanted)
        out->size = start - 1;
    if (out->capacity)
        out->data[out->size] = '\0';
}

static size_t format_into(char *memory, size_t capacity, const char *format, va_list arguments) {
    wgt_out out;
    wgt_out_init(&out, memory, capacity);
    wgt_vputf(&out, format, arguments);
    cut_at_character(&out);
    return out.size;
}

size_t wgt_format(char *memory, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t size = format_into(memory, capacity, format, arguments);
    va_end(arguments);
    return size;
}

wgt_status wgt_fail(wgt_error *error, wgt_status status, const char *format, ...) {
    /* Built aside, because an argument may be the very message that is being replaced. */
    char message[WGT_ERROR_SIZE];
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    size_t size = format_into(message, sizeof message, format, arguments);
    va_end(arguments);
    memcpy(error->message, message, size + 1);
    return status;
}
