/* Predeclared functions of constants. */
#include "internal.h"
#include "functions.h"

typedef struct call {
    ws_eval *e;
    const ws_named *f;
    const ws_value *const *a;
    size_t n;
    const ws_type *type;
    unsigned kind; /* of the first argument's scalars */
    uint32_t token;
    ws_scalar *out;
} call;

static double f_of(const call *c, size_t argument, uint64_t i) {
    const ws_value *v = c->a[argument];
    return wgt_ws_leaf(v, wgt_ws_is_scalar(v->type) ? 0 : i).f;
}

static int64_t i_of(const call *c, size_t argument, uint64_t i) {
    const ws_value *v = c->a[argument];
    return wgt_ws_leaf(v, wgt_ws_is_scalar(v->type) ? 0 : i).i;
}

static bool is_float(unsigned kind) {
    return kind == WS_T_F32 || kind == WS_T_F16 || kind == WS_T_ABSTRACT_FLOAT;
}

static bool fail(const call *c, const char *why) {
    return wgt_ws_eval_fail(c->e, c->token, "'%s' %s", c->f->name, why);
}

static bool put_float(const call *c, unsigned kind, uint64_t i, double x) {
    double magnitude = wgt_abs(x);
    if (wgt_is_nan(x) || !wgt_is_finite(x) || (kind == WS_T_F32 && magnitude >= 0x1.ffffffp127) ||
        (kind == WS_T_F16 && magnitude >= 65520.0))
        return fail(c, "has no finite value here");
    if (kind == WS_T_F32)
        x = (double)(float)x;
    else if (kind == WS_T_F16)
        x = (double)wgt_f32_from_f16(wgt_f16_from_f32((float)x));
    c->out[i].f = x;
    return true;
}

static double f_fract(double x) { return x - wgt_floor(x); }
static double f_degrees(double x) { return x * 57.295779513082320877; }
static double f_radians(double x) { return x * 0.017453292519943295769; }
static double f_saturate(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double f_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static double f_exp2(double x) { return wgt_pow(2, x); }
static double f_inverse_sqrt(double x) { return 1 / wgt_sqrt(x); }
static double f_asinh(double x) {
    return x < 0 ? -wgt_log(-x + wgt_sqrt(x * x + 1)) : wgt_log(x + wgt_sqrt(x * x + 1));
}
static double f_acosh(double x) { return wgt_log(x + wgt_sqrt(x * x - 1)); }
static double f_atanh(double x) { return 0.5 * wgt_log((1 + x) / (1 - x)); }
static double f_quantize(double x) {
    return wgt_abs(x) >= 65520.0 ? wgt_nan() : (double)wgt_f32_from_f16(wgt_f16_from_f32((float)x));
}

static const struct {
    uint8_t id;
    double (*f)(double);
    double low, high; /* where it is defined; low > high: everywhere */
} unary[] = {
    {WS_FN_abs, wgt_abs, 1, 0},          {WS_FN_acos, wgt_acos, -1, 1},
    {WS_FN_acosh, f_acosh, 1, 1e308},    {WS_FN_asin, wgt_asin, -1, 1},
    {WS_FN_asinh, f_asinh, 1, 0},        {WS_FN_atan, wgt_atan, 1, 0},
    {WS_FN_atanh, f_atanh, -1, 1},       {WS_FN_ceil, wgt_ceil, 1, 0},
    {WS_FN_cos, wgt_cos, 1, 0},          {WS_FN_cosh, wgt_cosh, 1, 0},
    {WS_FN_degrees, f_degrees, 1, 0},    {WS_FN_exp, wgt_exp, 1, 0},
    {WS_FN_exp2, f_exp2, 1, 0},          {WS_FN_floor, wgt_floor, 1, 0},
    {WS_FN_fract, f_fract, 1, 0},        {WS_FN_inverseSqrt, f_inverse_sqrt, 1e-320, 1e308},
    {WS_FN_log, wgt_log, 5e-324, 1e308}, {WS_FN_log2, wgt_log2, 5e-324, 1e308},
    {WS_FN_radians, f_radians, 1, 0},    {WS_FN_round, wgt_round_even, 1, 0},
    {WS_FN_saturate, f_saturate, 1, 0},  {WS_FN_sign, f_sign, 1, 0},
    {WS_FN_sin, wgt_sin, 1, 0},          {WS_FN_sinh, wgt_sinh, 1, 0},
    {WS_FN_sqrt, wgt_sqrt, 0, 1e308},    {WS_FN_tan, wgt_tan, 1, 0},
    {WS_FN_tanh, wgt_tanh, 1, 0},        {WS_FN_trunc, wgt_trunc, 1, 0},
    {WS_FN_quantizeToF16, f_quantize, 1, 0},
};

static bool float_lane(const call *c, uint64_t i) {
    double x = f_of(c, 0, i);
    double y = c->n > 1 ? f_of(c, 1, i) : 0, z = c->n > 2 ? f_of(c, 2, i) : 0;
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
        if (unary[k].id != c->f->id)
            continue;
        if (unary[k].low <= unary[k].high && !(x >= unary[k].low && x <= unary[k].high))
            return fail(c, "is not defined for this argument");
        return put_float(c, c->kind, i, unary[k].f(x));
    }
    switch (c->f->id) {
    case WS_FN_atan2: return put_float(c, c->kind, i, wgt_atan2(x, y));
    case WS_FN_pow: return put_float(c, c->kind, i, wgt_pow(x, y));
    case WS_FN_step: return put_float(c, c->kind, i, x <= y ? 1 : 0);
    case WS_FN_fma: return put_float(c, c->kind, i, x * y + z);
    case WS_FN_max: return put_float(c, c->kind, i, x > y ? x : y);
    case WS_FN_min: return put_float(c, c->kind, i, x < y ? x : y);
    case WS_FN_mix: return put_float(c, c->kind, i, x * (1 - z) + y * z);
    case WS_FN_clamp:
        if (y > z)
            return fail(c, "needs its low bound to be at most its high bound");
        return put_float(c, c->kind, i, x < y ? y : x > z ? z : x);
    case WS_FN_smoothstep: {
        if (x == y)
            return fail(c, "needs two different edges");
        double t = f_saturate((z - x) / (y - x));
        return put_float(c, c->kind, i, t * t * (3 - 2 * t));
    }
    default: return false;
    }
}

static uint32_t reverse_bits(uint32_t x) {
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t count_bits(uint32_t x) {
    uint32_t n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

static uint32_t highest(uint32_t x) { /* UINT32_MAX for 0 */
    uint32_t n = UINT32_MAX;
    for (; x != 0; x >>= 1)
        n++;
    return n;
}

static bool int_lane(const call *c, uint64_t i) {
    int64_t x = i_of(c, 0, i), y = c->n > 1 ? i_of(c, 1, i) : 0, z = c->n > 2 ? i_of(c, 2, i) : 0, r = 0;
    uint32_t bits = (uint32_t)(uint64_t)x;
    switch (c->f->id) {
    case WS_FN_abs: r = x < 0 && !(c->kind == WS_T_I32 && x == INT32_MIN) ? (int64_t)(0 - (uint64_t)x) : x; break;
    case WS_FN_sign: r = x > 0 ? 1 : x < 0 ? -1 : 0; break;
    case WS_FN_max: r = x > y ? x : y; break;
    case WS_FN_min: r = x < y ? x : y; break;
    case WS_FN_clamp:
        if (y > z)
            return fail(c, "needs its low bound to be at most its high bound");
        r = x < y ? y : x > z ? z : x;
        break;
    case WS_FN_countLeadingZeros: r = bits == 0 ? 32 : 31 - (int64_t)highest(bits); break;
    case WS_FN_countTrailingZeros: r = bits == 0 ? 32 : (int64_t)highest(bits & (0 - bits)); break;
    case WS_FN_countOneBits: r = count_bits(bits); break;
    case WS_FN_reverseBits: r = (int64_t)reverse_bits(bits); break;
    case WS_FN_firstTrailingBit: r = bits == 0 ? -1 : (int64_t)highest(bits & (0 - bits)); break;
    case WS_FN_firstLeadingBit: {
        uint32_t h = highest(c->kind == WS_T_I32 && x < 0 ? ~bits : bits);
        r = h == UINT32_MAX ? -1 : (int64_t)h;
        break;
    }
    default: return false;
    }
    if (c->kind == WS_T_I32)
        r = (int32_t)(uint32_t)(uint64_t)r;
    else if (c->kind == WS_T_U32)
        r = (uint32_t)(uint64_t)r;
    c->out[i].i = r;
    return true;
}

static bool bit_field(const call *c, uint64_t i) {
    bool insert = c->f->id == WS_FN_insertBits;
    int64_t offset = i_of(c, insert ? 2 : 1, 0), count = i_of(c, insert ? 3 : 2, 0);
    if (offset < 0 || count < 0 || offset + count > 32)
        return fail(c, "needs offset + count to be at most 32");
    uint32_t x = (uint32_t)(uint64_t)i_of(c, 0, i), r = 0;
    uint32_t mask = count == 32 ? UINT32_MAX : (1u << count) - 1;
    if (insert) {
        uint32_t y = (uint32_t)(uint64_t)i_of(c, 1, i);
        r = count == 0 ? x : (x & ~(mask << offset)) | (y & mask) << offset;
    } else if (count > 0) {
        r = x >> offset & mask;
        if (c->kind == WS_T_I32 && (r >> (count - 1) & 1) != 0)
            r |= ~mask;
    }
    c->out[i].i = c->kind == WS_T_I32 ? (int64_t)(int32_t)r : (int64_t)r;
    return true;
}

static double dot(const call *c, size_t a, size_t b) {
    double sum = 0;
    for (uint64_t i = 0; i < c->a[a]->type->leaves; i++)
        sum += f_of(c, a, i) * f_of(c, b, i);
    return sum;
}

static bool geometry(const call *c) {
    uint64_t n = c->a[0]->type->leaves;
    switch (c->f->id) {
    case WS_FN_length: return put_float(c, c->kind, 0, wgt_sqrt(dot(c, 0, 0)));
    case WS_FN_distance: {
        double sum = 0;
        for (uint64_t i = 0; i < n; i++)
            sum += (f_of(c, 0, i) - f_of(c, 1, i)) * (f_of(c, 0, i) - f_of(c, 1, i));
        return put_float(c, c->kind, 0, wgt_sqrt(sum));
    }
    case WS_FN_dot:
        if (is_float(c->kind))
            return put_float(c, c->kind, 0, dot(c, 0, 1));
        for (uint64_t i = 0; i < n; i++)
            c->out[0].i = (int64_t)((uint64_t)c->out[0].i + (uint64_t)i_of(c, 0, i) * (uint64_t)i_of(c, 1, i));
        if (c->kind == WS_T_I32)
            c->out[0].i = (int32_t)(uint32_t)(uint64_t)c->out[0].i;
        else if (c->kind == WS_T_U32)
            c->out[0].i = (uint32_t)(uint64_t)c->out[0].i;
        return true;
    case WS_FN_normalize: {
        double length = wgt_sqrt(dot(c, 0, 0));
        if (length == 0)
            return fail(c, "of a zero vector");
        for (uint64_t i = 0; i < n; i++) {
            if (!put_float(c, c->kind, i, f_of(c, 0, i) / length))
                return false;
        }
        return true;
    }
    case WS_FN_cross:
        for (unsigned i = 0; i < 3; i++) {
            unsigned j = (i + 1) % 3, k = (i + 2) % 3;
            if (!put_float(c, c->kind, i, f_of(c, 0, j) * f_of(c, 1, k) - f_of(c, 0, k) * f_of(c, 1, j)))
                return false;
        }
        return true;
    case WS_FN_reflect: {
        double d = dot(c, 0, 1);
        for (uint64_t i = 0; i < n; i++) {
            if (!put_float(c, c->kind, i, f_of(c, 0, i) - 2 * d * f_of(c, 1, i)))
                return false;
        }
        return true;
    }
    case WS_FN_refract: {
        double eta = f_of(c, 2, 0), d = dot(c, 1, 0), k = 1 - eta * eta * (1 - d * d);
        for (uint64_t i = 0; i < n && k >= 0; i++) {
            if (!put_float(c, c->kind, i, eta * f_of(c, 0, i) - (eta * d + wgt_sqrt(k)) * f_of(c, 1, i)))
                return false;
        }
        return true;
    }
    default: { /* faceForward */
        double d = dot(c, 1, 2);
        for (uint64_t i = 0; i < n; i++)
            c->out[i].f = d < 0 ? f_of(c, 0, i) : -f_of(c, 0, i);
        return true;
    }
    }
}

/* Laplace expansion along the first column; n ≤ 4. */
static double determinant(const double *m, unsigned n) {
    if (n == 1)
        return m[0];
    double sum = 0;
    for (unsigned r = 0; r < n; r++) {
        double minor[9];
        unsigned at = 0;
        for (unsigned c = 1; c < n; c++) {
            for (unsigned k = 0; k < n; k++) {
                if (k != r)
                    minor[at++] = m[c * n + k];
            }
        }
        sum += (r % 2 == 0 ? 1 : -1) * m[r] * determinant(minor, n - 1);
    }
    return sum;
}

static bool matrix_call(const call *c) {
    const ws_type *t = c->a[0]->type;
    if (c->f->id == WS_FN_transpose) {
        for (unsigned col = 0; col < t->columns; col++) {
            for (unsigned r = 0; r < t->rows; r++)
                c->out[r * t->columns + col] = wgt_ws_leaf(c->a[0], (uint64_t)col * t->rows + r);
        }
        return true;
    }
    double m[16];
    for (unsigned i = 0; i < t->leaves && i < 16; i++)
        m[i] = wgt_ws_leaf(c->a[0], i).f;
    return put_float(c, c->kind, 0, determinant(m, t->columns));
}

static const struct {
    uint8_t id, lanes, bits;
    bool is_signed, is_float, clamps;
} packs[] = {
    {WS_FN_pack4x8snorm, 4, 8, true, true, true},    {WS_FN_pack4x8unorm, 4, 8, false, true, true},
    {WS_FN_pack2x16snorm, 2, 16, true, true, true},  {WS_FN_pack2x16unorm, 2, 16, false, true, true},
    {WS_FN_pack4xI8, 4, 8, true, false, false},      {WS_FN_pack4xU8, 4, 8, false, false, false},
    {WS_FN_pack4xI8Clamp, 4, 8, true, false, true},  {WS_FN_pack4xU8Clamp, 4, 8, false, false, true},
    {WS_FN_unpack4x8snorm, 4, 8, true, true, true},  {WS_FN_unpack4x8unorm, 4, 8, false, true, true},
    {WS_FN_unpack2x16snorm, 2, 16, true, true, true}, {WS_FN_unpack2x16unorm, 2, 16, false, true, true},
    {WS_FN_unpack4xI8, 4, 8, true, false, false},    {WS_FN_unpack4xU8, 4, 8, false, false, false},
};

static bool pack_call(const call *c, size_t row, bool unpack) {
    unsigned lanes = packs[row].lanes, bits = packs[row].bits;
    int64_t high = (1 << (bits - packs[row].is_signed)) - 1;
    int64_t low = packs[row].is_signed ? (packs[row].is_float ? -high : -high - 1) : 0;
    uint32_t mask = (1u << bits) - 1, packed = unpack ? (uint32_t)i_of(c, 0, 0) : 0;
    for (unsigned i = 0; i < lanes; i++) {
        if (unpack) {
            int64_t v = packed >> (i * bits) & mask;
            if (packs[row].is_signed && v > high)
                v -= (int64_t)mask + 1;
            if (!packs[row].is_float)
                c->out[i].i = v;
            else if (!put_float(c, WS_T_F32, i, v < -high ? -1 : (double)v / (double)high))
                return false;
            continue;
        }
        int64_t v;
        if (packs[row].is_float) {
            double x = f_of(c, 0, i) * (double)high;
            x = x < (double)low ? (double)low : x > (double)high ? (double)high : x;
            v = (int64_t)wgt_floor(0.5 + x);
        } else {
            v = i_of(c, 0, i);
            if (packs[row].clamps)
                v = v < low ? low : v > high ? high : v;
        }
        packed |= ((uint32_t)(uint64_t)v & mask) << (i * bits);
    }
    if (!unpack)
        c->out[0].i = packed;
    return true;
}

static bool half_call(const call *c) {
    if (c->f->id == WS_FN_unpack2x16float) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t half = (uint32_t)i_of(c, 0, 0) >> (16 * i) & 0xFFFF;
            if ((half & 0x7C00) == 0x7C00)
                return fail(c, "has no finite value here");
            c->out[i].f = (double)wgt_f32_from_f16((uint16_t)half);
        }
        return true;
    }
    uint32_t packed = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (wgt_abs(f_of(c, 0, i)) >= 65520.0)
            return fail(c, "has no finite value here");
        packed |= (uint32_t)wgt_f16_from_f32((float)f_of(c, 0, i)) << (16 * i);
    }
    c->out[0].i = packed;
    return true;
}

/* frexp and modf: the struct's scalars are all the first member's, then all the second's. */
static bool split_call(const call *c) {
    uint64_t n = c->a[0]->type->leaves;
    for (uint64_t i = 0; i < n; i++) {
        double x = f_of(c, 0, i);
        if (c->f->id == WS_FN_modf) {
            c->out[i].f = x - wgt_trunc(x);
            c->out[n + i].f = wgt_trunc(x);
            continue;
        }
        int64_t exponent = 0;
        for (; x != 0 && wgt_abs(x) >= 1; x /= 2)
            exponent++;
        for (; x != 0 && wgt_abs(x) < 0.5; x *= 2)
            exponent--;
        c->out[i].f = x;
        c->out[n + i].i = exponent;
    }
    return true;
}

static bool ldexp_lane(const call *c, uint64_t i) {
    int64_t exponent = i_of(c, 1, i);
    double x = f_of(c, 0, i);
    int64_t bias = c->kind == WS_T_F16 ? 15 : c->kind == WS_T_F32 ? 127 : 1023;
    if (exponent > bias + 1)
        return fail(c, "has an exponent above its type's");
    for (; exponent > 0 && x != 0; exponent--)
        x *= 2;
    for (; exponent < 0 && x != 0; exponent++)
        x /= 2;
    return put_float(c, c->kind, i, x);
}

/* Bits of up to four words from the argument, bits to the result. f16 pairs make one word. */
static bool bitcast_call(const call *c) {
    const ws_type *from = wgt_ws_scalar_of(c->a[0]->type), *to = wgt_ws_scalar_of(c->type);
    uint32_t words[4] = {0};
    for (unsigned i = 0; i < c->a[0]->type->leaves && i < 4; i++) {
        ws_scalar s = wgt_ws_leaf(c->a[0], i);
        union {
            float f;
            uint32_t u;
        } pun = {.u = (uint32_t)(uint64_t)s.i};
        if (from->kind == WS_T_F32)
            pun.f = (float)s.f;
        if (from->kind == WS_T_F16)
            words[i / 2] |= (uint32_t)wgt_f16_from_f32((float)s.f) << (16 * (i % 2));
        else
            words[i] = pun.u;
    }
    for (unsigned i = 0; i < c->type->leaves && i < 4; i++) {
        union {
            uint32_t u;
            float f;
        } pun = {.u = words[i]};
        if (to->kind == WS_T_F16) {
            uint32_t half = words[i / 2] >> (16 * (i % 2)) & 0xFFFF;
            if ((half & 0x7C00) == 0x7C00)
                return fail(c, "has no finite value here");
            c->out[i].f = (double)wgt_f32_from_f16((uint16_t)half);
        } else if (to->kind == WS_T_F32) {
            if ((pun.u & 0x7F800000u) == 0x7F800000u)
                return fail(c, "has no finite value here");
            c->out[i].f = (double)pun.f;
        } else {
            c->out[i].i = to->kind == WS_T_I32 ? (int64_t)(int32_t)pun.u : (int64_t)pun.u;
        }
    }
    return true;
}

static bool dot_packed(const call *c) {
    uint32_t a = (uint32_t)i_of(c, 0, 0), b = (uint32_t)i_of(c, 1, 0);
    bool is_signed = c->f->id == WS_FN_dot4I8Packed;
    int64_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        int64_t x = a >> i & 0xFF, y = b >> i & 0xFF;
        sum += (is_signed && x > 127 ? x - 256 : x) * (is_signed && y > 127 ? y - 256 : y);
    }
    c->out[0].i = sum;
    return true;
}

static bool whole_call(const call *c, bool *handled) {
    *handled = true;
    for (size_t i = 0; i < sizeof packs / sizeof *packs; i++) {
        if (packs[i].id == c->f->id)
            return pack_call(c, i, i >= 8);
    }
    switch (c->f->id) {
    case WS_FN_all:
    case WS_FN_any: {
        bool all = true, any = false;
        for (uint64_t i = 0; i < c->a[0]->type->leaves; i++) {
            all = all && i_of(c, 0, i) != 0;
            any = any || i_of(c, 0, i) != 0;
        }
        c->out[0].i = c->f->id == WS_FN_all ? all : any;
        return true;
    }
    case WS_FN_select:
        for (uint64_t i = 0; i < c->type->leaves; i++)
            c->out[i] = wgt_ws_leaf(c->a[i_of(c, 2, i) != 0 ? 1 : 0], i);
        return true;
    case WS_FN_cross: case WS_FN_distance: case WS_FN_dot: case WS_FN_faceForward: case WS_FN_length:
    case WS_FN_normalize: case WS_FN_reflect: case WS_FN_refract: return geometry(c);
    case WS_FN_determinant: case WS_FN_transpose: return matrix_call(c);
    case WS_FN_pack2x16float: case WS_FN_unpack2x16float: return half_call(c);
    case WS_FN_frexp: case WS_FN_modf: return split_call(c);
    case WS_FN_bitcast: return bitcast_call(c);
    case WS_FN_dot4I8Packed: case WS_FN_dot4U8Packed: return dot_packed(c);
    default: *handled = false; return false;
    }
}

const ws_value *wgt_ws_eval_call(ws_eval *e, const ws_named *f, const ws_value *const *arguments, size_t count,
                                 const ws_type *type, uint32_t token) {
    if ((f->flags & WS_NF_CONSTANT) == 0 || count == 0)
        return NULL;
    call c = {.e = e, .f = f, .a = arguments, .n = count, .type = type, .token = token,
              .kind = wgt_ws_scalar_of(arguments[0]->type)->kind};
    const ws_value *v = wgt_ws_make_value(e, type, &c.out);
    bool handled;
    if (v == NULL)
        return NULL;
    bool ok = whole_call(&c, &handled);
    for (uint64_t i = 0; !handled && i < type->leaves; i++) {
        if (f->id == WS_FN_extractBits || f->id == WS_FN_insertBits)
            ok = bit_field(&c, i);
        else if (f->id == WS_FN_ldexp)
            ok = ldexp_lane(&c, i);
        else
            ok = is_float(c.kind) ? float_lane(&c, i) : int_lane(&c, i);
        if (!ok)
            return NULL;
    }
    return ok ? v : NULL;
}
