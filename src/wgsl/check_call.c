/* Calls: functions of the module, constructors, predeclared functions. */
#include "internal.h"
#include "functions.h"

static bool fail(ws_checker *c, const ws_expr *x, const char *why) {
    return wgt_ws_error(c->m, "type", x->token, "%s", why);
}

static bool wrong(ws_checker *c, const ws_expr *x, const ws_named *f) {
    char memory[200];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    for (const ws_expr *y = x->b; y != NULL; y = y->next) {
        wgt_put(&out, y->type != NULL ? y->type->name : WGT_STR("?"));
        if (y->next != NULL)
            wgt_put(&out, WGT_STR(", "));
    }
    return wgt_ws_error(c->m, "type", x->token, "'%s' does not take (%.*s)", f->name, (int)out.size, out.data);
}

static bool arguments(ws_checker *c, ws_expr *x) {
    bool ok = true;
    x->stage = WS_CONSTANT;
    for (ws_expr *y = x->b; y != NULL; y = y->next) {
        ok = wgt_ws_check_value(c, y) && ok;
        x->stage = y->stage > x->stage ? y->stage : x->stage;
    }
    return ok;
}

/* All arguments to one type, as far as conversions go; NULL: none. */
static const ws_type *unify_arguments(ws_expr *first, size_t count) {
    const ws_type *t = first == NULL ? NULL : first->type;
    for (ws_expr *y = first; t != NULL && y != NULL && count > 0; y = y->next, count--)
        t = wgt_ws_unify(t, y->type);
    return t;
}

static bool coerce_all(ws_checker *c, ws_expr *first, size_t count, const ws_type *t) {
    for (ws_expr *y = first; y != NULL && count > 0; y = y->next, count--) {
        if (!wgt_ws_coerce(c, y, t))
            return false;
    }
    return true;
}

/* --- constructors ------------------------------------------------------------------------------ */

static bool construct_scalar(ws_checker *c, ws_expr *x, const ws_type *t) {
    if (x->count != 1 || !wgt_ws_is_scalar(x->b->type))
        return wgt_ws_error(c->m, "type", x->token, "a %.*s is made from one scalar", WS_S(t->name));
    x->type = t;
    return true;
}

/* Scalars and vectors that fill a vector; `scalar` NULL: the one that they share. */
static bool construct_vector(ws_checker *c, ws_expr *x, unsigned width, const ws_type *scalar) {
    unsigned total = 0;
    const ws_type *shared = scalar;
    for (ws_expr *y = x->b; y != NULL; y = y->next) {
        if (!wgt_ws_is_scalar(y->type) && y->type->kind != WS_T_VECTOR)
            return wgt_ws_error(c->m, "type", y->token, "a vector is made from scalars and vectors, not a %.*s",
                                WS_S(y->type->name));
        total += y->type->kind == WS_T_VECTOR ? y->type->rows : 1;
        const ws_type *s = wgt_ws_scalar_of(y->type);
        if (scalar == NULL) {
            shared = y == x->b ? s : wgt_ws_unify(shared, s);
            if (shared == NULL)
                return fail(c, y, "the components of a vector must share a type");
        }
    }
    bool splat = x->count == 1 && wgt_ws_is_scalar(x->b->type);
    if (!splat && total != width)
        return wgt_ws_error(c->m, "type", x->token, "%u components for a vector of %u", total, width);
    bool conversion = x->count == 1 && !splat;
    for (ws_expr *y = x->b; y != NULL && !(conversion && scalar != NULL); y = y->next) {
        if (!wgt_ws_coerce(c, y, wgt_ws_with_scalar(c->m, y->type, shared)))
            return wgt_ws_error(c->m, "type", y->token, "a component must be a %.*s, not a %.*s",
                                WS_S(shared->name), WS_S(y->type->name));
    }
    x->type = wgt_ws_vector(c->m, shared, width);
    return x->type != NULL;
}

static bool construct_matrix(ws_checker *c, ws_expr *x, unsigned columns, unsigned rows, const ws_type *scalar) {
    const ws_type *first = x->b->type;
    if (x->count == 1 && first->kind == WS_T_MATRIX && first->columns == columns && first->rows == rows) {
        x->type = scalar == NULL ? first : wgt_ws_matrix(c->m, scalar, columns, rows);
        return x->type != NULL;
    }
    bool vectors = first->kind == WS_T_VECTOR;
    const ws_type *shared = unify_arguments(x->b, x->count);
    if (shared == NULL || x->count != (vectors ? columns : columns * rows) ||
        (vectors ? shared->rows != rows : !wgt_ws_is_scalar(shared)))
        return wgt_ws_error(c->m, "type", x->token, "a mat%ux%u is made from %u columns or %u numbers", columns,
                            rows, columns, columns * rows);
    const ws_type *s = scalar != NULL ? scalar : wgt_ws_scalar_of(shared);
    if (s->kind == WS_T_ABSTRACT_INT)
        s = c->m->scalars[WS_T_ABSTRACT_FLOAT];
    if (!wgt_ws_is_float(s) || !coerce_all(c, x->b, x->count, wgt_ws_with_scalar(c->m, shared, s)))
        return fail(c, x, "a matrix is made from floats of its type");
    x->type = wgt_ws_matrix(c->m, s, columns, rows);
    return x->type != NULL;
}

static bool construct_array(ws_checker *c, ws_expr *x, const ws_type *t) {
    const ws_type *element = t != NULL ? t->element : unify_arguments(x->b, x->count);
    if (t != NULL && (t->flags & WS_F_CONSTRUCTIBLE) == 0)
        return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be constructed", WS_S(t->name));
    if (t != NULL && x->count != t->count)
        return wgt_ws_error(c->m, "type", x->token, "%u values for a %.*s", x->count, WS_S(t->name));
    if (element == NULL || !coerce_all(c, x->b, x->count, element))
        return fail(c, x, "the values of an array must be of its element's type");
    if ((element->flags & WS_F_CONSTRUCTIBLE) == 0)
        return wgt_ws_error(c->m, "type", x->token, "an array of %.*s cannot be constructed",
                            WS_S(element->name));
    x->type = t != NULL ? t : wgt_ws_array(c->m, element, x->count, NULL);
    return x->type != NULL;
}

static bool construct_struct(ws_checker *c, ws_expr *x, const ws_type *t) {
    ws_expr *y = x->b;
    if ((t->flags & WS_F_CONSTRUCTIBLE) == 0)
        return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be constructed", WS_S(t->name));
    if (x->count != t->decl->count)
        return wgt_ws_error(c->m, "type", x->token, "%u values for a struct of %u members", x->count,
                            t->decl->count);
    for (ws_decl *d = t->decl->members; d != NULL && y != NULL; d = d->next, y = y->next) {
        if (!wgt_ws_coerce(c, y, d->type))
            return wgt_ws_error(c->m, "type", y->token, "the member '%.*s' is a %.*s, not a %.*s",
                                WS_S(wgt_ws_symbol_text(c->m, d->symbol)), WS_S(d->type->name),
                                WS_S(y->type->name));
    }
    x->type = t;
    return true;
}

static bool construct(ws_checker *c, ws_expr *x, const ws_type *t) {
    if (!arguments(c, x))
        return false;
    if (x->count == 0) {
        if ((t->flags & WS_F_CONSTRUCTIBLE) == 0)
            return wgt_ws_error(c->m, "type", x->token, "a %.*s has no zero value", WS_S(t->name));
        x->type = t;
        return true;
    }
    switch (t->kind) {
    case WS_T_VECTOR: return construct_vector(c, x, t->rows, t->element);
    case WS_T_MATRIX: return construct_matrix(c, x, t->columns, t->rows, t->element);
    case WS_T_ARRAY: return construct_array(c, x, t);
    case WS_T_STRUCT: return construct_struct(c, x, t);
    case WS_T_BOOL:
    case WS_T_I32:
    case WS_T_U32:
    case WS_T_F32:
    case WS_T_F16: return construct_scalar(c, x, t);
    default: return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be constructed", WS_S(t->name));
    }
}

/* `vec3(…)`, `mat2x2(…)`, `array(…)`: the type comes from the arguments. */
static bool construct_inferred(ws_checker *c, ws_expr *x, const ws_named *n) {
    if (!arguments(c, x))
        return false;
    if (n->id == WS_G_VECTOR && x->count == 0) {
        x->type = wgt_ws_vector(c->m, c->m->scalars[WS_T_ABSTRACT_INT], n->shape);
        return x->type != NULL;
    }
    if (x->count == 0 || n->id == WS_G_ATOMIC || n->id == WS_G_POINTER || n->id >= WS_G_TEXTURE)
        return wgt_ws_error(c->m, "type", x->token, "'%s' needs template arguments here", n->name);
    if (n->id == WS_G_VECTOR)
        return construct_vector(c, x, n->shape, NULL);
    return n->id == WS_G_MATRIX ? construct_matrix(c, x, n->shape / 8, n->shape % 8, NULL)
                                : construct_array(c, x, NULL);
}

/* --- predeclared functions --------------------------------------------------------------------- */

static const ws_type *scalar(ws_checker *c, ws_kind kind) { return c->m->scalars[kind]; }

/* Shapes that map lane by lane over arguments of one type. */
static bool check_shape(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = unify_arguments(x->b, x->count);
    if (t == NULL || !(wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR))
        return wrong(c, x, f);
    const ws_type *s = wgt_ws_scalar_of(t);
    bool ok = wgt_ws_is_numeric(s);
    if (f->shape == WS_SH_FLOAT || f->shape == WS_SH_F32) {
        if (s->kind == WS_T_ABSTRACT_INT)
            s = scalar(c, WS_T_ABSTRACT_FLOAT);
        if (f->shape == WS_SH_F32 && s->kind == WS_T_ABSTRACT_FLOAT)
            s = scalar(c, WS_T_F32);
        ok = f->shape == WS_SH_FLOAT ? wgt_ws_is_float(s) : s->kind == WS_T_F32;
    } else if (f->shape == WS_SH_INT) {
        if (s->kind == WS_T_ABSTRACT_INT)
            s = scalar(c, WS_T_I32);
        ok = wgt_ws_is_int(s);
    } else if (f->shape == WS_SH_SIGNED) {
        ok = ok && s->kind != WS_T_U32;
    }
    t = wgt_ws_with_scalar(c->m, t, s);
    if (!ok || !coerce_all(c, x->b, x->count, t))
        return wrong(c, x, f);
    x->type = t;
    return true;
}

/* The struct that a predeclared function gives: two members. */
static const ws_type *result_struct(ws_checker *c, unsigned slot, const char *name, const char *first,
                                    const ws_type *a, const char *second, const ws_type *b) {
    if (c->m->results[slot] != NULL)
        return c->m->results[slot];
    ws_decl *s = WS_NEW(c->m, ws_decl), *p = WS_NEW(c->m, ws_decl), *q = WS_NEW(c->m, ws_decl);
    if (s == NULL || p == NULL || q == NULL || a == NULL || b == NULL)
        return NULL;
    wgt_str names[3] = {wgt_str_from(name), wgt_str_from(first), wgt_str_from(second)};
    ws_decl *decls[3] = {s, p, q};
    for (int i = 0; i < 3; i++) {
        decls[i]->symbol =
            wgt_ws_intern(c->m, names[i].data, names[i].size, wgt_ws_hash(names[i].data, names[i].size));
        decls[i]->kind = i == 0 ? WS_D_STRUCT : WS_D_MEMBER;
        decls[i]->state = 2;
        decls[i]->id = -1;
    }
    s->members = p;
    s->count = 2;
    p->next = q;
    p->type = a;
    q->type = b;
    q->index = 1;
    ws_type *t = (ws_type *)(uintptr_t)wgt_ws_struct(c->m, s);
    if (t == NULL)
        return NULL;
    if (((a->flags | b->flags) & WS_F_ABSTRACT) != 0)
        t->flags |= WS_F_CONSTRUCTIBLE;
    s->type = t;
    return c->m->results[slot] = t;
}

/* frexp and modf */
static bool check_split(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type, *s = wgt_ws_scalar_of(t);
    if (s->kind == WS_T_ABSTRACT_INT)
        s = scalar(c, WS_T_ABSTRACT_FLOAT);
    if (!wgt_ws_is_float(s) || t->kind == WS_T_MATRIX || !wgt_ws_coerce(c, x->b, wgt_ws_with_scalar(c->m, t, s)))
        return wrong(c, x, f);
    t = x->b->type;
    unsigned kind = s->kind == WS_T_F32 ? 1 : s->kind == WS_T_F16 ? 2 : 0;
    unsigned width = t->kind == WS_T_VECTOR ? t->rows - 1u : 0;
    bool frexp = f->id == WS_FN_frexp;
    const ws_type *whole = scalar(c, kind == 0 ? WS_T_ABSTRACT_INT : WS_T_I32);
    x->type = result_struct(c, (frexp ? 12 : 0) + kind * 4 + width, frexp ? "__frexp_result" : "__modf_result",
                            "fract", t, frexp ? "exp" : "whole",
                            frexp ? wgt_ws_with_scalar(c->m, t, whole) : t);
    return x->type != NULL;
}

static bool check_atomic(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *p = x->b->type;
    if (p->kind != WS_T_POINTER || p->element->kind != WS_T_ATOMIC)
        return wrong(c, x, f);
    if (p->access != WS_A_READ_WRITE)
        return fail(c, x->b, "atomics need memory that is read_write");
    const ws_type *t = p->element->element;
    if (!coerce_all(c, x->b->next, x->count - 1, t))
        return wrong(c, x, f);
    x->type = t;
    if (f->id == WS_FN_atomicStore)
        x->type = scalar(c, WS_T_VOID);
    if (f->id == WS_FN_atomicCompareExchangeWeak)
        x->type = result_struct(c, t->kind == WS_T_U32 ? 24 : 25, "__atomic_compare_exchange_result", "old_value",
                                t, "exchanged", scalar(c, WS_T_BOOL));
    return x->type != NULL;
}

static unsigned bits_of(const ws_type *t) {
    const ws_type *s = wgt_ws_scalar_of(t);
    unsigned lanes = t->kind == WS_T_VECTOR ? t->rows : 1;
    return t->kind == WS_T_MATRIX || !wgt_ws_is_numeric(s) ? 0 : lanes * (s->kind == WS_T_F16 ? 16 : 32);
}

static bool check_bitcast(ws_checker *c, ws_expr *x, const ws_named *f) {
    if (x->a->count != 1)
        return fail(c, x, "'bitcast' needs a type in '<' and '>'");
    const ws_type *t = wgt_ws_check_type(c, x->a->a);
    if (t == NULL)
        return false;
    /* what an abstract value becomes: u32 bits are kept where only they fit */
    if (x->b->type->kind == WS_T_ABSTRACT_INT && x->b->value != NULL && t->kind == WS_T_U32 &&
        wgt_ws_leaf(x->b->value, 0).i > INT32_MAX)
        wgt_ws_coerce(c, x->b, scalar(c, WS_T_U32));
    if (!wgt_ws_concretize(c, x->b) || bits_of(t) == 0 || bits_of(t) != bits_of(x->b->type))
        return wrong(c, x, f);
    x->type = t;
    return true;
}

static bool check_select(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = unify_arguments(x->b, 2), *cond = x->b->next->next->type;
    if (t == NULL || !(wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR) ||
        wgt_ws_scalar_of(cond)->kind != WS_T_BOOL || (cond->kind == WS_T_VECTOR && cond->rows != t->rows) ||
        !coerce_all(c, x->b, 2, t))
        return wrong(c, x, f);
    if (cond->kind == WS_T_VECTOR && t->kind != WS_T_VECTOR)
        return wrong(c, x, f);
    x->type = t;
    return true;
}

/* Vectors (scalars too where `scalars`) of one float type; gives that type or its scalar. */
static bool check_float_vectors(ws_checker *c, ws_expr *x, const ws_named *f, size_t count, bool scalars,
                                bool to_scalar) {
    const ws_type *t = unify_arguments(x->b, count);
    if (t == NULL || !(t->kind == WS_T_VECTOR || (scalars && wgt_ws_is_scalar(t))))
        return wrong(c, x, f);
    const ws_type *s = wgt_ws_scalar_of(t);
    if (s->kind == WS_T_ABSTRACT_INT)
        s = scalar(c, WS_T_ABSTRACT_FLOAT);
    t = wgt_ws_with_scalar(c->m, t, s);
    if (!wgt_ws_is_float(s) || !coerce_all(c, x->b, count, t))
        return wrong(c, x, f);
    x->type = to_scalar ? s : t;
    return true;
}

static bool check_dot(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = unify_arguments(x->b, 2);
    if (t == NULL || t->kind != WS_T_VECTOR || !wgt_ws_is_numeric(t->element) || !coerce_all(c, x->b, 2, t))
        return wrong(c, x, f);
    x->type = t->element;
    return true;
}

static bool check_mix(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = unify_arguments(x->b, 2), *third = x->b->next->next->type;
    if (t == NULL || !(wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR))
        return wrong(c, x, f);
    const ws_type *s = wgt_ws_unify(wgt_ws_scalar_of(t), wgt_ws_scalar_of(third));
    if (s != NULL && s->kind == WS_T_ABSTRACT_INT)
        s = scalar(c, WS_T_ABSTRACT_FLOAT);
    if (s == NULL || !wgt_ws_is_float(s) || (third->kind == WS_T_VECTOR && third->rows != t->rows) ||
        (third->kind == WS_T_VECTOR && t->kind != WS_T_VECTOR) || third->kind == WS_T_MATRIX)
        return wrong(c, x, f);
    t = wgt_ws_with_scalar(c->m, t, s);
    if (!coerce_all(c, x->b, 2, t) ||
        !wgt_ws_coerce(c, x->b->next->next, wgt_ws_with_scalar(c->m, third, s)))
        return wrong(c, x, f);
    x->type = t;
    return true;
}

static bool check_ldexp(ws_checker *c, ws_expr *x, const ws_named *f) {
    ws_expr *e = x->b->next;
    const ws_type *t = x->b->type, *s = wgt_ws_scalar_of(t);
    if (s->kind == WS_T_ABSTRACT_INT)
        s = scalar(c, WS_T_ABSTRACT_FLOAT);
    bool abstracts = s->kind == WS_T_ABSTRACT_FLOAT && wgt_ws_scalar_of(e->type)->kind == WS_T_ABSTRACT_INT;
    if (s->kind == WS_T_ABSTRACT_FLOAT && !abstracts)
        s = scalar(c, WS_T_F32);
    if (!wgt_ws_is_float(s) || t->rows != e->type->rows || t->kind == WS_T_MATRIX ||
        !wgt_ws_coerce(c, x->b, wgt_ws_with_scalar(c->m, t, s)) ||
        (!abstracts && !wgt_ws_coerce(c, e, wgt_ws_with_scalar(c->m, e->type, scalar(c, WS_T_I32)))))
        return wrong(c, x, f);
    x->type = x->b->type;
    return true;
}

/* extractBits and insertBits: the field's place and width are u32. */
static bool check_bit_field(ws_checker *c, ws_expr *x, const ws_named *f) {
    size_t values = f->id == WS_FN_insertBits ? 2 : 1;
    const ws_type *t = wgt_ws_concrete(c->m, unify_arguments(x->b, values));
    ws_expr *rest = values == 2 ? x->b->next->next : x->b->next;
    if (t == NULL || !(wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR) || !wgt_ws_is_int(wgt_ws_scalar_of(t)) ||
        !coerce_all(c, x->b, values, t) || !coerce_all(c, rest, 2, scalar(c, WS_T_U32)))
        return wrong(c, x, f);
    x->type = t;
    return true;
}

static const struct {
    uint8_t id, from_width, to_width;
    uint8_t from, to;
} fixed[] = {
    {WS_FN_pack4x8snorm, 4, 1, WS_T_F32, WS_T_U32},   {WS_FN_pack4x8unorm, 4, 1, WS_T_F32, WS_T_U32},
    {WS_FN_pack4xI8, 4, 1, WS_T_I32, WS_T_U32},       {WS_FN_pack4xU8, 4, 1, WS_T_U32, WS_T_U32},
    {WS_FN_pack4xI8Clamp, 4, 1, WS_T_I32, WS_T_U32},  {WS_FN_pack4xU8Clamp, 4, 1, WS_T_U32, WS_T_U32},
    {WS_FN_pack2x16snorm, 2, 1, WS_T_F32, WS_T_U32},  {WS_FN_pack2x16unorm, 2, 1, WS_T_F32, WS_T_U32},
    {WS_FN_pack2x16float, 2, 1, WS_T_F32, WS_T_U32},  {WS_FN_unpack4x8snorm, 1, 4, WS_T_U32, WS_T_F32},
    {WS_FN_unpack4x8unorm, 1, 4, WS_T_U32, WS_T_F32}, {WS_FN_unpack4xI8, 1, 4, WS_T_U32, WS_T_I32},
    {WS_FN_unpack4xU8, 1, 4, WS_T_U32, WS_T_U32},     {WS_FN_unpack2x16snorm, 1, 2, WS_T_U32, WS_T_F32},
    {WS_FN_unpack2x16unorm, 1, 2, WS_T_U32, WS_T_F32}, {WS_FN_unpack2x16float, 1, 2, WS_T_U32, WS_T_F32},
    {WS_FN_dot4I8Packed, 1, 1, WS_T_U32, WS_T_I32},   {WS_FN_dot4U8Packed, 1, 1, WS_T_U32, WS_T_U32},
    {WS_FN_subgroupAll, 1, 1, WS_T_BOOL, WS_T_BOOL},  {WS_FN_subgroupAny, 1, 1, WS_T_BOOL, WS_T_BOOL},
    {WS_FN_subgroupBallot, 1, 4, WS_T_BOOL, WS_T_U32}, {WS_FN_subgroupElect, 1, 1, WS_T_BOOL, WS_T_BOOL},
};

static const ws_type *shaped(ws_checker *c, unsigned kind, unsigned width) {
    return width == 1 ? c->m->scalars[kind] : wgt_ws_vector(c->m, c->m->scalars[kind], width);
}

static bool check_fixed(ws_checker *c, ws_expr *x, const ws_named *f, bool *found) {
    *found = false;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (fixed[i].id != f->id)
            continue;
        *found = true;
        if (!coerce_all(c, x->b, x->count, shaped(c, fixed[i].from, fixed[i].from_width)))
            return wrong(c, x, f);
        x->type = shaped(c, fixed[i].to, fixed[i].to_width);
        return x->type != NULL;
    }
    return false;
}

/* The subgroup and quad functions that give what they take. */
static bool check_subgroup(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type;
    if (!wgt_ws_concretize(c, x->b) || !(wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR))
        return wrong(c, x, f);
    t = x->b->type;
    const ws_type *s = wgt_ws_scalar_of(t);
    bool bitwise = f->id == WS_FN_subgroupAnd || f->id == WS_FN_subgroupOr || f->id == WS_FN_subgroupXor;
    if (bitwise ? !wgt_ws_is_int(s) : !wgt_ws_is_numeric(s))
        return wrong(c, x, f);
    ws_expr *lane = x->b->next;
    if (lane != NULL) {
        bool constant = f->id == WS_FN_subgroupBroadcast || f->id == WS_FN_quadBroadcast;
        if (!wgt_ws_is_int(lane->type) || (!constant && !wgt_ws_coerce(c, lane, scalar(c, WS_T_U32))) ||
            !wgt_ws_concretize(c, lane))
            return wrong(c, x, f);
        if (constant && lane->stage != WS_CONSTANT && c->m->extensions & WS_X_SUBGROUPS)
            return fail(c, lane, "the lane must be a constant");
    }
    x->type = t;
    return true;
}

static bool check_pointer_call(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *p = x->b->type;
    if (p->kind != WS_T_POINTER)
        return wrong(c, x, f);
    if (f->id == WS_FN_arrayLength) {
        if (p->element->kind != WS_T_ARRAY || p->element->count != WS_RUNTIME_COUNT)
            return fail(c, x->b, "'arrayLength' takes a pointer to a runtime-sized array");
        x->type = scalar(c, WS_T_U32);
        return true;
    }
    const ws_type *t = p->element;
    if (p->space != WS_S_WORKGROUP)
        return fail(c, x->b, "'workgroupUniformLoad' takes a pointer to workgroup memory");
    if (t->kind == WS_T_ATOMIC)
        t = t->element;
    else if ((t->flags & WS_F_CONSTRUCTIBLE) == 0)
        return wrong(c, x, f);
    x->type = t;
    return true;
}

static bool check_matrix_call(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type;
    if (t->kind != WS_T_MATRIX || (f->id == WS_FN_determinant && t->columns != t->rows))
        return wrong(c, x, f);
    x->type = f->id == WS_FN_determinant ? t->element : wgt_ws_matrix(c->m, t->element, t->rows, t->columns);
    return x->type != NULL;
}

static bool check_other(ws_checker *c, ws_expr *x, const ws_named *f) {
    bool found;
    if ((f->flags & WS_NF_ATOMIC) != 0)
        return check_atomic(c, x, f);
    if (check_fixed(c, x, f, &found) || found)
        return x->type != NULL;
    switch (f->id) {
    case WS_FN_all:
    case WS_FN_any:
        if (wgt_ws_scalar_of(x->b->type)->kind != WS_T_BOOL)
            return wrong(c, x, f);
        x->type = scalar(c, WS_T_BOOL);
        return true;
    case WS_FN_select: return check_select(c, x, f);
    case WS_FN_bitcast: return check_bitcast(c, x, f);
    case WS_FN_length: return check_float_vectors(c, x, f, 1, true, true);
    case WS_FN_distance: return check_float_vectors(c, x, f, 2, true, true);
    case WS_FN_normalize: return check_float_vectors(c, x, f, 1, false, false);
    case WS_FN_reflect: return check_float_vectors(c, x, f, 2, false, false);
    case WS_FN_faceForward: return check_float_vectors(c, x, f, 3, false, false);
    case WS_FN_cross:
        return check_float_vectors(c, x, f, 2, false, false) && (x->type->rows == 3 || wrong(c, x, f));
    case WS_FN_refract:
        return check_float_vectors(c, x, f, 2, false, false) &&
               (wgt_ws_coerce(c, x->b->next->next, x->type->element) || wrong(c, x, f));
    case WS_FN_dot: return check_dot(c, x, f);
    case WS_FN_mix: return check_mix(c, x, f);
    case WS_FN_ldexp: return check_ldexp(c, x, f);
    case WS_FN_frexp:
    case WS_FN_modf: return check_split(c, x, f);
    case WS_FN_extractBits:
    case WS_FN_insertBits: return check_bit_field(c, x, f);
    case WS_FN_determinant:
    case WS_FN_transpose: return check_matrix_call(c, x, f);
    case WS_FN_arrayLength:
    case WS_FN_workgroupUniformLoad: return check_pointer_call(c, x, f);
    default: break;
    }
    if ((f->flags & WS_NF_SUBGROUP) != 0 && (f->flags & WS_NF_BARRIER) == 0)
        return check_subgroup(c, x, f);
    if ((f->flags & WS_NF_TEXTURE) != 0)
        return wgt_ws_check_texture_call(c, x, f);
    x->type = scalar(c, WS_T_VOID); /* the barriers */
    return true;
}

/* What the function that is being checked does by calling this one. */
static void note_effects(ws_checker *c, const ws_named *f) {
    if (c->function == NULL)
        return;
    if ((f->flags & WS_NF_ATOMIC) != 0)
        c->function->flags |= WS_U_ATOMICS;
    if ((f->flags & WS_NF_SUBGROUP) != 0)
        c->function->flags |= WS_U_SUBGROUP;
    if ((f->flags & WS_NF_FRAGMENT) != 0)
        c->function->flags |= WS_U_FRAGMENT;
    if ((f->flags & WS_NF_COMPUTE) != 0)
        c->function->flags |= WS_U_COMPUTE;
    if (f->id == WS_FN_workgroupBarrier || f->id == WS_FN_workgroupUniformLoad)
        c->function->flags |= WS_U_WORKGROUP_BARRIER;
    if (f->id == WS_FN_storageBarrier)
        c->function->flags |= WS_U_STORAGE_BARRIER;
    if (f->id == WS_FN_textureBarrier)
        c->function->flags |= WS_U_TEXTURE_BARRIER;
}

bool wgt_ws_check_builtin(ws_checker *c, ws_expr *x, const ws_named *f) {
    if (!arguments(c, x))
        return false;
    if (x->a->count > 0 && f->id != WS_FN_bitcast)
        return wgt_ws_error(c->m, "type", x->token, "'%s' takes no template arguments", f->name);
    if (x->count < f->low || x->count > f->high)
        return wgt_ws_error(c->m, "type", x->token, "'%s' takes %u%s arguments, not %u", f->name,
                            (unsigned)(x->count < f->low ? f->low : f->high),
                            f->low == f->high ? "" : x->count < f->low ? " or more" : " or fewer", x->count);
    if (c->function == NULL && (f->flags & WS_NF_CONSTANT) == 0)
        return wgt_ws_error(c->m, "type", x->token, "'%s' cannot be called outside functions", f->name);
    note_effects(c, f);
    x->named = f;
    if ((f->flags & WS_NF_CONSTANT) == 0)
        x->stage = WS_RUNTIME;
    return f->shape == WS_SH_OTHER ? check_other(c, x, f) : check_shape(c, x, f);
}

static bool check_user_call(ws_checker *c, ws_expr *x, ws_decl *d) {
    wgt_str name = wgt_ws_symbol_text(c->m, d->symbol);
    bool ok = arguments(c, x);
    x->stage = WS_RUNTIME;
    x->decl = d;
    if (c->function == NULL)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' cannot be called outside functions", WS_S(name));
    wgt_ws_use(c, d, x->token);
    if (!wgt_ws_check_decl(c, d) || !ok)
        return false;
    if (d->stage_of != 0)
        return wgt_ws_error(c->m, "type", x->token, "the entry point '%.*s' cannot be called", WS_S(name));
    if (x->a->count > 0)
        return fail(c, x, "functions take no template arguments");
    if (x->count != d->count)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' takes %u arguments, not %u", WS_S(name), d->count,
                            x->count);
    ws_expr *y = x->b;
    for (ws_decl *p = d->members; p != NULL; p = p->next, y = y->next) {
        if (p->type == NULL)
            return false;
        if (!wgt_ws_coerce(c, y, p->type))
            return wgt_ws_error(c->m, "type", y->token, "'%.*s' takes a %.*s here, not a %.*s", WS_S(name),
                                WS_S(p->type->name), WS_S(y->type->name));
    }
    x->type = d->type;
    return x->type != NULL;
}

bool wgt_ws_check_call(ws_checker *c, ws_expr *x) {
    ws_expr *callee = x->a;
    ws_decl *d = wgt_ws_lookup(c, callee->symbol);
    const ws_named *n = c->m->symbols[callee->symbol].named;
    wgt_str name = wgt_ws_symbol_text(c->m, callee->symbol);
    callee->decl = d;
    if (d != NULL && d->kind == WS_D_FN)
        return check_user_call(c, x, d);
    if (d != NULL && d->kind != WS_D_ALIAS && d->kind != WS_D_STRUCT)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' is no function", WS_S(name));
    if (d == NULL && n == NULL)
        return wgt_ws_error(c->m, "unresolved", x->token, "no function '%.*s' is declared", WS_S(name));
    if (d == NULL && n->kind == WS_N_ENUMERANT)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' is no function", WS_S(name));
    if (d == NULL && n->kind == WS_N_FUNCTION)
        return wgt_ws_check_builtin(c, x, n);
    if (d == NULL && n->kind == WS_N_GENERATOR && callee->count == 0)
        return construct_inferred(c, x, n);
    const ws_type *t = wgt_ws_check_type(c, callee);
    return t != NULL && construct(c, x, t);
}
