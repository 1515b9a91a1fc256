/* Number literals. */
#include "internal.h"

typedef struct literal {
    const char *data;
    size_t size;   /* without the suffix */
    char suffix;   /* i, u, f, h or 0 */
    bool hex, has_point, has_exponent;
} literal;

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The parts of a token that the lexer took as a number; false: malformed. */
static bool split(const char *s, size_t n, literal *out) {
    *out = (literal){.data = s, .size = n};
    size_t i = 0, digits = 0;
    out->hex = n > 1 && s[0] == '0' && (s[1] | 0x20) == 'x';
    if (out->hex)
        i = 2;
    size_t whole = i;
    for (; i < n && (out->hex ? hex_digit(s[i]) >= 0 : is_digit(s[i])); i++)
        digits++;
    size_t whole_digits = i - whole;
    if (i < n && s[i] == '.') {
        out->has_point = true;
        for (i++; i < n && (out->hex ? hex_digit(s[i]) >= 0 : is_digit(s[i])); i++)
            digits++;
    }
    if (digits == 0)
        return false;
    if (i < n && (s[i] | 0x20) == (out->hex ? 'p' : 'e')) {
        out->has_exponent = true;
        i++;
        if (i < n && (s[i] == '+' || s[i] == '-'))
            i++;
        size_t start = i;
        while (i < n && is_digit(s[i]))
            i++;
        if (i == start)
            return false;
    }
    out->size = i;
    bool whole_number = !out->has_point && !out->has_exponent;
    if (i < n) {
        bool is_int = s[i] == 'i' || s[i] == 'u';
        bool is_float = s[i] == 'f' || s[i] == 'h';
        if (is_int ? !whole_number : !is_float)
            return false;
        if (is_float && out->hex && !out->has_exponent)
            return false;
        out->suffix = s[i++];
    }
    /* no leading zeros in integers, "1f" and the like */
    if (!out->hex && whole_number && whole_digits > 1 && s[0] == '0')
        return false;
    return i == n;
}

static bool integer(const literal *l, uint64_t *value) {
    uint64_t base = l->hex ? 16 : 10, v = 0;
    for (size_t i = l->hex ? 2 : 0; i < l->size; i++) {
        uint64_t digit = (uint64_t)hex_digit(l->data[i]);
        if (v > (UINT64_MAX - digit) / base)
            return false;
        v = v * base + digit;
    }
    *value = v;
    return true;
}

static double scale(double m, int64_t exponent) {
    while (exponent > 0 && m != 0 && wgt_is_finite(m)) {
        int64_t step = exponent > 1000 ? 1000 : exponent;
        union {
            uint64_t bits;
            double value;
        } power = {.bits = (uint64_t)(step + 1023) << 52};
        m *= power.value;
        exponent -= step;
    }
    while (exponent < 0 && m != 0) {
        int64_t step = exponent < -1000 ? 1000 : -exponent;
        union {
            uint64_t bits;
            double value;
        } power = {.bits = (uint64_t)(1023 - step) << 52};
        m *= power.value;
        exponent += step;
    }
    return m;
}

/* A hexadecimal float must be exact in its type of `precision` bits. */
static bool hex_float(const literal *l, int precision, int min_exponent, double *value) {
    uint64_t mantissa = 0;
    int64_t exponent = 0, written = 0;
    bool point = false, negative = false, lost = false;
    size_t i = 2;
    for (; i < l->size && (l->data[i] | 0x20) != 'p'; i++) {
        if (l->data[i] == '.') {
            point = true;
            continue;
        }
        uint64_t digit = (uint64_t)hex_digit(l->data[i]);
        if (mantissa >> 60 != 0) {
            lost = lost || digit != 0;
            exponent += point ? 0 : 4;
        } else {
            mantissa = mantissa * 16 + digit;
            exponent -= point ? 4 : 0;
        }
    }
    if (i < l->size) {
        i++;
        if (l->data[i] == '+' || l->data[i] == '-')
            negative = l->data[i++] == '-';
        for (; i < l->size; i++)
            written = written > 1000000 ? written : written * 10 + (l->data[i] - '0');
    }
    exponent += negative ? -written : written;
    if (mantissa == 0) {
        *value = 0;
        return true;
    }
    while ((mantissa & 1) == 0) {
        mantissa >>= 1;
        exponent++;
    }
    int bits = 64;
    while (mantissa >> (bits - 1) == 0)
        bits--;
    if (lost || bits > precision || exponent < min_exponent)
        return false;
    *value = scale((double)mantissa, exponent);
    return true;
}

static bool decimal_float(wgt_wgsl *m, const literal *l, double *value) {
    char small[64];
    char *text = l->size + 4 <= sizeof small ? small : wgt_ws_alloc(m, l->size + 4, 1);
    if (text == NULL)
        return false;
    size_t n = 0, i = 0;
    while (i + 1 < l->size && l->data[i] == '0' && is_digit(l->data[i + 1]))
        i++;
    if (l->data[i] == '.')
        text[n++] = '0';
    for (; i < l->size; i++) {
        if (l->data[i] == '.' && (i + 1 == l->size || !is_digit(l->data[i + 1])))
            continue;
        text[n++] = l->data[i];
    }
    return wgt_number_parse((wgt_str){text, n}, value) == n;
}

static bool float_literal(wgt_wgsl *m, uint32_t token, const literal *l, ws_kind *kind, double *value) {
    static const struct {
        ws_kind kind;
        int precision, min_exponent;
        double above; /* from here on the nearest value of the type is infinity */
        const char *name;
    } types[] = {{WS_T_ABSTRACT_FLOAT, 53, -1074, 0, "abstract-float"},
                 {WS_T_F32, 24, -149, 0x1.ffffffp127, "f32"},
                 {WS_T_F16, 11, -24, 65520.0, "f16"}};
    size_t t = l->suffix == 'f' ? 1 : l->suffix == 'h' ? 2 : 0;
    bool ok = l->hex ? hex_float(l, types[t].precision, types[t].min_exponent, value)
                     : decimal_float(m, l, value);
    ok = ok && wgt_is_finite(*value) && (t == 0 || *value < types[t].above);
    if (!ok)
        return wgt_ws_error(m, "number", token, "this number does not fit in %s", types[t].name);
    if (t == 1)
        *value = (double)(float)*value;
    if (t == 2)
        *value = (double)wgt_f32_from_f16(wgt_f16_from_f32((float)*value));
    *kind = types[t].kind;
    return true;
}

bool wgt_ws_number(wgt_wgsl *m, uint32_t token, ws_kind *kind, ws_scalar *value) {
    const ws_token *t = &m->tokens[token];
    literal l;
    if (!split(m->text.data + t->offset, t->length, &l))
        return wgt_ws_error(m, "number", token, "'%.*s' is no number of WGSL",
                            WS_S(wgt_ws_text(m, token, token + 1)));
    if (l.has_point || l.has_exponent || l.suffix == 'f' || l.suffix == 'h')
        return float_literal(m, token, &l, kind, &value->f);
    uint64_t whole = 0;
    uint64_t most = l.suffix == 'u' ? UINT32_MAX : l.suffix == 'i' ? INT32_MAX : (uint64_t)INT64_MAX;
    if (!integer(&l, &whole) || whole > most)
        return wgt_ws_error(m, "number", token, "this number does not fit in %s",
                            l.suffix == 'u'   ? "u32"
                            : l.suffix == 'i' ? "i32"
                                              : "abstract-int (64 bits)");
    *kind = l.suffix == 'u' ? WS_T_U32 : l.suffix == 'i' ? WS_T_I32 : WS_T_ABSTRACT_INT;
    value->i = (int64_t)whole;
    return true;
}
