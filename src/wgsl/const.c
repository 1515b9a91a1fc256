/* Constant evaluation: scalars, conversions, operators, indexing, constructors. Floats are worked out in
 * double and rounded to their type after each operation. */
#include "internal.h"
#include "functions.h"

bool wgt_ws_eval_fail(ws_eval *e, uint32_t token, const char *format, ...) {
    if (!e->failed) {
        va_list arguments;
        wgt_out out;
        wgt_out_init(&out, e->message, sizeof e->message);
        va_start(arguments, format);
        wgt_vputf(&out, format, arguments);
        va_end(arguments);
        e->token = token;
        e->failed = true;
    }
    return false;
}

const ws_value *wgt_ws_make_value(ws_eval *e, const ws_type *type, ws_scalar **scalars) {
    if (type == NULL || type->leaves > WS_MAX_LEAVES)
        return NULL;
    ws_value *v = wgt_arena_push(e->arena, 1, sizeof *v);
    ws_scalar *s = wgt_arena_push(e->arena, (size_t)type->leaves, sizeof *s);
    if (v == NULL || s == NULL) {
        e->m->no_memory = e->m->no_memory || e->arena == &e->m->arena;
        return NULL;
    }
    v->type = type;
    v->scalars = s;
    *scalars = s;
    return v;
}

static const ws_value *zero_value(ws_eval *e, const ws_type *type) {
    ws_value *v = wgt_arena_push(e->arena, 1, sizeof *v);
    if (v != NULL)
        v->type = type;
    else
        e->m->no_memory = e->m->no_memory || e->arena == &e->m->arena;
    return v;
}

ws_scalar wgt_ws_leaf(const ws_value *v, uint64_t index) {
    return v->scalars == NULL ? (ws_scalar){0} : v->scalars[index];
}

static bool float_kind(unsigned kind) {
    return kind == WS_T_F32 || kind == WS_T_F16 || kind == WS_T_ABSTRACT_FLOAT;
}

double wgt_ws_as_double(const ws_value *v) {
    ws_scalar s = wgt_ws_leaf(v, 0);
    return float_kind(wgt_ws_scalar_of(v->type)->kind) ? (v->scalars == NULL ? 0 : s.f) : (double)s.i;
}

/* Rounds to the kind; false: no finite value of it. */
static bool round_float(unsigned kind, double x, double *result) {
    if (!wgt_is_finite(x))
        return false;
    double magnitude = wgt_abs(x);
    if (kind == WS_T_F32) {
        if (magnitude >= 0x1.ffffffp127)
            return false;
        x = (double)(float)x;
    } else if (kind == WS_T_F16) {
        if (magnitude >= 65520.0)
            return false;
        x = (double)wgt_f32_from_f16(wgt_f16_from_f32((float)x));
    }
    *result = x;
    return true;
}

static int64_t wrap(unsigned kind, uint64_t bits) {
    return kind == WS_T_U32 ? (int64_t)(uint32_t)bits : (int64_t)(int32_t)(uint32_t)bits;
}

static const char *kind_name(const ws_eval *e, unsigned kind) {
    return e->m->scalars[kind]->name.data;
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static bool to_int(ws_eval *e, unsigned from, ws_scalar a, unsigned to, uint32_t token, bool explicit_,
                   ws_scalar *out) {
    if (float_kind(from)) {
        if (to == WS_T_ABSTRACT_INT || !explicit_)
            return wgt_ws_eval_fail(e, token, "a float does not convert to an integer by itself");
        double t = wgt_trunc(a.f);
        out->i = to == WS_T_I32 ? (int64_t)clamp(t, -2147483648.0, 2147483647.0)
                                : (int64_t)clamp(t, 0, 4294967295.0);
        return true;
    }
    bool fits = to == WS_T_ABSTRACT_INT ||
                (to == WS_T_I32 ? a.i >= INT32_MIN && a.i <= INT32_MAX : a.i >= 0 && a.i <= UINT32_MAX);
    if (from == WS_T_ABSTRACT_INT && !fits)
        return wgt_ws_eval_fail(e, token, "the value %lld does not fit in %s", (long long)a.i,
                                kind_name(e, to));
    out->i = to == WS_T_ABSTRACT_INT ? a.i : wrap(to, (uint64_t)a.i);
    return true;
}

static bool convert_scalar(ws_eval *e, unsigned from, ws_scalar a, unsigned to, uint32_t token,
                           bool explicit_, ws_scalar *out) {
    if (from == to) {
        *out = a;
        return true;
    }
    if (to == WS_T_BOOL) {
        out->i = float_kind(from) ? a.f != 0 : a.i != 0;
        return true;
    }
    if (!float_kind(to))
        return to_int(e, from, a, to, token, explicit_, out);
    double x = float_kind(from) ? a.f : (double)a.i;
    if (!round_float(to, x, &out->f))
        return wgt_ws_eval_fail(e, token, "the value %g does not fit in %s", x, kind_name(e, to));
    return true;
}

static const ws_type *leaf_type(const ws_type *t) {
    while (t->kind == WS_T_ARRAY || t->kind == WS_T_VECTOR || t->kind == WS_T_MATRIX)
        t = t->element;
    return t;
}

/* To another type of the same shape. */
const ws_value *wgt_ws_convert(ws_eval *e, const ws_value *value, const ws_type *type, uint32_t token,
                               bool explicit_) {
    if (value == NULL || value->type == type)
        return value;
    if (value->scalars == NULL)
        return zero_value(e, type);
    unsigned from = leaf_type(value->type)->kind, to = leaf_type(type)->kind;
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, type, &s);
    for (uint64_t i = 0; v != NULL && i < type->leaves; i++) {
        if (!convert_scalar(e, from, value->scalars[i], to, token, explicit_, &s[i]))
            return NULL;
    }
    return v;
}

const ws_value *wgt_ws_eval_unary(ws_eval *e, unsigned op, const ws_value *a, const ws_type *type,
                                  uint32_t token) {
    if (a == NULL)
        return NULL;
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, type, &s);
    unsigned kind = wgt_ws_scalar_of(type)->kind;
    for (uint64_t i = 0; v != NULL && i < type->leaves; i++) {
        ws_scalar x = wgt_ws_leaf(a, i);
        if (op == WS_BANG)
            s[i].i = !x.i;
        else if (float_kind(kind))
            s[i].f = a->scalars == NULL ? -0.0 : -x.f;
        else if (kind == WS_T_ABSTRACT_INT && op == WS_MINUS && x.i == INT64_MIN)
            return wgt_ws_eval_fail(e, token, "'-%lld' overflows", (long long)x.i), NULL;
        else if (kind == WS_T_ABSTRACT_INT)
            s[i].i = op == WS_MINUS ? -x.i : ~x.i;
        else
            s[i].i = wrap(kind, op == WS_MINUS ? 0 - (uint64_t)x.i : ~(uint64_t)x.i);
    }
    return v;
}

static const char *op_text(unsigned op) {
    static const struct {
        uint8_t op;
        const char *text;
    } texts[] = {{WS_PLUS, "+"}, {WS_MINUS, "-"}, {WS_STAR, "*"}, {WS_SLASH, "/"}, {WS_PERCENT, "%"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].op == op)
            return texts[i].text;
    }
    return "?";
}

static bool abstract_arithmetic(unsigned op, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case WS_PLUS:
        if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
            return false;
        *r = a + b;
        return true;
    case WS_MINUS:
        if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
            return false;
        *r = a - b;
        return true;
    default: {
        uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b, z;
        bool negative = (a < 0) != (b < 0);
        if (!wgt_mul_u64(x, y, &z) || z > (uint64_t)INT64_MAX + negative)
            return false;
        *r = negative ? (int64_t)(0 - z) : (int64_t)z;
        return true;
    }
    }
}

static bool int_divide(ws_eval *e, unsigned kind, unsigned op, int64_t a, int64_t b, uint32_t token,
                       int64_t *r) {
    int64_t least = kind == WS_T_ABSTRACT_INT ? INT64_MIN : INT32_MIN;
    if (b == 0 || (kind != WS_T_U32 && b == -1 && a == least))
        return wgt_ws_eval_fail(e, token, b == 0 ? "'%lld %s %lld' divides by zero" : "'%lld %s %lld' overflows",
                                (long long)a, op_text(op), (long long)b);
    *r = op == WS_SLASH ? a / b : a % b;
    return true;
}

static bool shift(ws_eval *e, unsigned kind, unsigned op, int64_t a, int64_t b, uint32_t token, int64_t *r) {
    int64_t width = kind == WS_T_ABSTRACT_INT ? 64 : 32;
    if (b >= width && !(kind == WS_T_ABSTRACT_INT && op == WS_SHIFT_RIGHT))
        return wgt_ws_eval_fail(e, token, "a shift by %lld of a value that has %lld bits", (long long)b,
                                (long long)width);
    if (op == WS_SHIFT_RIGHT) {
        if (b >= 63)
            *r = a < 0 ? -1 : 0;
        else
            *r = a < 0 ? ~(~a >> b) : a >> b;
        return true;
    }
    uint64_t bits = kind == WS_T_ABSTRACT_INT ? (uint64_t)a : (uint64_t)a & UINT32_MAX;
    int64_t shifted = kind == WS_T_ABSTRACT_INT ? (int64_t)(bits << b) : wrap(kind, bits << b);
    int64_t back = kind == WS_T_U32 ? (int64_t)((uint64_t)shifted >> b)
                                    : (shifted < 0 ? ~(~shifted >> b) : shifted >> b);
    if (back != a)
        return wgt_ws_eval_fail(e, token, "'%lld << %lld' loses bits", (long long)a, (long long)b);
    *r = shifted;
    return true;
}

static bool int_operation(ws_eval *e, unsigned kind, unsigned op, int64_t a, int64_t b, uint32_t token,
                          int64_t *r) {
    switch (op) {
    case WS_SLASH:
    case WS_PERCENT: return int_divide(e, kind, op, a, b, token, r);
    case WS_SHIFT_LEFT:
    case WS_SHIFT_RIGHT: return shift(e, kind, op, a, b, token, r);
    case WS_AND: *r = a & b; return true;
    case WS_OR: *r = a | b; return true;
    case WS_CARET: *r = a ^ b; return true;
    default: break;
    }
    if (kind != WS_T_ABSTRACT_INT) {
        uint64_t x = (uint64_t)a, y = (uint64_t)b;
        *r = wrap(kind, op == WS_PLUS ? x + y : op == WS_MINUS ? x - y : x * y);
        return true;
    }
    return abstract_arithmetic(op, a, b, r) ||
           wgt_ws_eval_fail(e, token, "'%lld %s %lld' overflows", (long long)a, op_text(op), (long long)b);
}

static bool float_operation(ws_eval *e, unsigned kind, unsigned op, double a, double b, uint32_t token,
                            double *r) {
    double x;
    switch (op) {
    case WS_PLUS: x = a + b; break;
    case WS_MINUS: x = a - b; break;
    case WS_STAR: x = a * b; break;
    case WS_SLASH: x = b == 0 ? wgt_nan() : a / b; break;
    default: {
        double q = b == 0 ? wgt_nan() : a / b;
        x = a - b * wgt_trunc(q);
        break;
    }
    }
    return round_float(kind, x, r) ||
           wgt_ws_eval_fail(e, token, b == 0 && (op == WS_SLASH || op == WS_PERCENT)
                                          ? "'%g %s %g' divides by zero"
                                          : "'%g %s %g' overflows",
                            a, op_text(op), b);
}

static bool compare(unsigned op, bool is_float, ws_scalar a, ws_scalar b) {
    int order;
    if (is_float)
        order = a.f < b.f ? -1 : a.f > b.f;
    else
        order = a.i < b.i ? -1 : a.i > b.i;
    switch (op) {
    case WS_EQUAL_EQUAL: return order == 0;
    case WS_NOT_EQUAL: return order != 0;
    case WS_LESS: return order < 0;
    case WS_LESS_EQUAL: return order <= 0;
    case WS_GREATER: return order > 0;
    default: return order >= 0;
    }
}

static bool is_comparison(unsigned op) {
    return op == WS_EQUAL_EQUAL || op == WS_NOT_EQUAL || op == WS_LESS || op == WS_LESS_EQUAL ||
           op == WS_GREATER || op == WS_GREATER_EQUAL;
}

static double float_leaf(const ws_value *v, uint64_t i) { return v->scalars == NULL ? 0 : v->scalars[i].f; }

/* matrix × matrix, matrix × vector, vector × matrix: columns of the left times rows of the right */
static const ws_value *matrix_product(ws_eval *e, const ws_value *a, const ws_value *b, const ws_type *type,
                                      uint32_t token) {
    unsigned inner = a->type->kind == WS_T_MATRIX ? a->type->columns : a->type->rows;
    unsigned rows = a->type->kind == WS_T_MATRIX ? a->type->rows : 1;
    unsigned columns = b->type->kind == WS_T_MATRIX ? b->type->columns : 1;
    unsigned kind = type->element->kind;
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, type, &s);
    for (unsigned c = 0; v != NULL && c < columns; c++) {
        for (unsigned r = 0; r < rows; r++) {
            double sum = 0;
            for (unsigned k = 0; k < inner; k++)
                sum += float_leaf(a, (uint64_t)k * rows + r) * float_leaf(b, (uint64_t)c * inner + k);
            if (!round_float(kind, sum, &s[c * rows + r].f))
                return wgt_ws_eval_fail(e, token, "this product overflows"), NULL;
        }
    }
    return v;
}

const ws_value *wgt_ws_eval_binary(ws_eval *e, unsigned op, const ws_value *a, const ws_value *b,
                                   const ws_type *type, uint32_t token) {
    if (a == NULL || b == NULL)
        return NULL;
    bool matrices = a->type->kind == WS_T_MATRIX || b->type->kind == WS_T_MATRIX;
    if (op == WS_STAR && matrices && !wgt_ws_is_scalar(a->type) && !wgt_ws_is_scalar(b->type))
        return matrix_product(e, a, b, type, token);
    unsigned kind = wgt_ws_scalar_of(a->type)->kind;
    bool is_float = float_kind(kind);
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, type, &s);
    for (uint64_t i = 0; v != NULL && i < type->leaves; i++) {
        ws_scalar x = wgt_ws_leaf(a, wgt_ws_is_scalar(a->type) ? 0 : i);
        ws_scalar y = wgt_ws_leaf(b, wgt_ws_is_scalar(b->type) ? 0 : i);
        if (is_float && a->scalars == NULL)
            x.f = 0;
        if (is_float && b->scalars == NULL)
            y.f = 0;
        bool ok = true;
        if (is_comparison(op))
            s[i].i = compare(op, is_float, x, y);
        else if (op == WS_AND_AND)
            s[i].i = x.i && y.i;
        else if (op == WS_OR_OR)
            s[i].i = x.i || y.i;
        else if (is_float)
            ok = float_operation(e, kind, op, x.f, y.f, token, &s[i].f);
        else
            ok = int_operation(e, kind, op, x.i, y.i, token, &s[i].i);
        if (!ok)
            return NULL;
    }
    return v;
}

static const ws_value *view(ws_eval *e, const ws_type *type, const ws_value *a, uint64_t leaf) {
    ws_value *v = wgt_arena_push(e->arena, 1, sizeof *v);
    if (v == NULL)
        return NULL;
    v->type = type;
    v->scalars = a->scalars == NULL ? NULL : a->scalars + leaf;
    return v;
}

const ws_value *wgt_ws_eval_index(ws_eval *e, const ws_value *a, int64_t index) {
    if (a == NULL || index < 0)
        return NULL;
    const ws_type *t = a->type, *element = t->element;
    if (t->kind == WS_T_MATRIX)
        element = wgt_ws_vector(e->m, t->element, t->rows);
    return element == NULL ? NULL : view(e, element, a, (uint64_t)index * element->leaves);
}

/* A struct's member or a swizzle. */
const ws_value *wgt_ws_eval_member(ws_eval *e, const ws_expr *x, const ws_value *a) {
    if (a == NULL)
        return NULL;
    if (a->type->kind == WS_T_STRUCT) {
        uint64_t leaf = 0;
        for (const ws_decl *d = a->type->decl->members; d != NULL && d != x->decl; d = d->next)
            leaf += d->type->leaves;
        return view(e, x->type, a, leaf);
    }
    wgt_str lanes = wgt_ws_symbol_text(e->m, x->symbol);
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, x->type, &s);
    for (size_t i = 0; v != NULL && i < lanes.size; i++) {
        static const char letters[] = "xyzwrgba";
        unsigned lane = 0;
        while (letters[lane] != lanes.data[i])
            lane++;
        s[i] = wgt_ws_leaf(a, lane & 3);
        if (a->scalars == NULL && float_kind(a->type->element->kind))
            s[i].f = 0;
    }
    return v;
}

/* T(…): zero value, conversion, splat, or the concatenation of the arguments' scalars. */
const ws_value *wgt_ws_eval_construct(ws_eval *e, const ws_type *type, const ws_value *const *arguments,
                                      size_t count, uint32_t token) {
    if (count == 0)
        return zero_value(e, type);
    for (size_t i = 0; i < count; i++) {
        if (arguments[i] == NULL)
            return NULL;
    }
    if (count == 1 && arguments[0]->type->leaves == type->leaves && type->kind != WS_T_STRUCT)
        return wgt_ws_convert(e, arguments[0], type, token, true);
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(e, type, &s);
    if (v == NULL)
        return NULL;
    bool splat = count == 1 && type->kind == WS_T_VECTOR;
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < arguments[i]->type->leaves && at < type->leaves; k++) {
            const ws_type *from = leaf_type(arguments[i]->type);
            s[at] = wgt_ws_leaf(arguments[i], k);
            if (arguments[i]->scalars == NULL && float_kind(from->kind))
                s[at].f = 0;
            if (type->kind != WS_T_STRUCT && from->kind != WS_T_STRUCT &&
                !convert_scalar(e, from->kind, s[at], leaf_type(type)->kind, token, true, &s[at]))
                return NULL;
            at++;
        }
    }
    for (; splat && at < type->leaves; at++)
        s[at] = s[0];
    return v;
}

static const ws_value *operand(ws_eval *e, const ws_expr *x) {
    return x->value != NULL || !e->pipeline ? x->value : wgt_ws_evaluate(e, x);
}

static const ws_value *evaluate_call(ws_eval *e, const ws_expr *x) {
    const ws_value *few[16], **list = few;
    if (x->count > 16)
        list = wgt_arena_push(e->arena, x->count, sizeof *list);
    size_t n = 0;
    for (const ws_expr *y = x->b; list != NULL && y != NULL; y = y->next) {
        list[n] = operand(e, y);
        if (list[n++] == NULL)
            return NULL;
    }
    if (list == NULL)
        return NULL;
    if (x->named != NULL && x->named->kind == WS_N_FUNCTION)
        return wgt_ws_eval_call(e, x->named, list, n, x->type, x->token);
    return wgt_ws_eval_construct(e, x->type, list, n, x->token);
}

static const ws_value *evaluate_binary(ws_eval *e, const ws_expr *x) {
    const ws_value *a = operand(e, x->a);
    if (a != NULL && (x->op == WS_AND_AND || x->op == WS_OR_OR) &&
        (wgt_ws_leaf(a, 0).i != 0) == (x->op == WS_OR_OR))
        return a;
    return wgt_ws_eval_binary(e, x->op, a, operand(e, x->b), x->type, x->token);
}

static const ws_value *evaluate_index(ws_eval *e, const ws_expr *x) {
    const ws_value *a = operand(e, x->a), *i = operand(e, x->b);
    if (a == NULL || i == NULL)
        return NULL;
    int64_t index = wgt_ws_leaf(i, 0).i;
    uint64_t count = a->type->kind == WS_T_ARRAY    ? a->type->count
                     : a->type->kind == WS_T_MATRIX ? a->type->columns
                                                    : a->type->rows;
    if (index < 0 || (uint64_t)index >= count)
        return wgt_ws_eval_fail(e, x->b->token, "the index %lld is out of 0 to %llu", (long long)index,
                                (unsigned long long)count - 1),
               NULL;
    return wgt_ws_eval_index(e, a, index);
}

const ws_value *wgt_ws_evaluate(ws_eval *e, const ws_expr *x) {
    if (x->value != NULL || x->stage == WS_RUNTIME || x->type == NULL || e->failed)
        return x->value;
    switch (x->kind) {
    case WS_E_IDENT:
        if (x->decl != NULL && x->decl->kind == WS_D_OVERRIDE)
            return e->pipeline ? e->override_values[x->decl->index] : NULL;
        return x->decl != NULL ? x->decl->value : NULL;
    case WS_E_CALL: return evaluate_call(e, x);
    case WS_E_INDEX: return evaluate_index(e, x);
    case WS_E_MEMBER: return wgt_ws_eval_member(e, x, operand(e, x->a));
    case WS_E_UNARY: return wgt_ws_eval_unary(e, x->op, operand(e, x->a), x->type, x->token);
    case WS_E_BINARY: return evaluate_binary(e, x);
    default: return NULL;
    }
}
