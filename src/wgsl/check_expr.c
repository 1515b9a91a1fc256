/* Types, stages and constants of expressions. */
#include "internal.h"
#include "functions.h"

ws_decl *wgt_ws_lookup(ws_checker *c, uint32_t symbol) {
    const ws_symbol *s = &c->m->symbols[symbol];
    return c->locals && s->local != NULL ? s->local : s->global;
}

/* Notes that the declaration being checked needs `d`; once for its text, once for array lengths. */
void wgt_ws_use(ws_checker *c, ws_decl *d, uint32_t token) {
    bool in_type = c->in_length > 0;
    if (!d->module_scope || c->tail == NULL || d->stamp[in_type] == c->user)
        return;
    ws_use *u = WS_NEW(c->m, ws_use);
    if (u == NULL)
        return;
    d->stamp[in_type] = c->user;
    u->decl = d;
    u->token = token;
    u->in_type = in_type;
    **c->tail = u;
    *c->tail = &u->next;
}

void wgt_ws_eval_report(ws_checker *c) {
    if (c->eval.failed)
        wgt_ws_error(c->m, "constant", c->eval.token, "%s", c->eval.message);
    c->eval.failed = false;
}

bool wgt_ws_convertible(const ws_type *from, const ws_type *to, unsigned *rank) {
    if (rank != NULL)
        *rank = 0;
    if (from == to)
        return true;
    if ((from->flags & WS_F_ABSTRACT) == 0)
        return false;
    if (from->kind == WS_T_ABSTRACT_FLOAT)
        return to->kind == WS_T_F32 || to->kind == WS_T_F16;
    if (from->kind == WS_T_ABSTRACT_INT)
        return to->kind == WS_T_ABSTRACT_FLOAT || (to->kind >= WS_T_I32 && to->kind <= WS_T_F16);
    return from->kind == to->kind && from->rows == to->rows && from->columns == to->columns &&
           from->count == to->count && from->element != NULL && to->element != NULL &&
           wgt_ws_convertible(from->element, to->element, NULL);
}

const ws_type *wgt_ws_unify(const ws_type *a, const ws_type *b) {
    if (a == NULL || b == NULL)
        return NULL;
    if (wgt_ws_convertible(a, b, NULL))
        return b;
    return wgt_ws_convertible(b, a, NULL) ? a : NULL;
}

const ws_type *wgt_ws_concrete(wgt_wgsl *m, const ws_type *t) {
    if (t == NULL || (t->flags & WS_F_ABSTRACT) == 0)
        return t;
    if (t->kind == WS_T_ABSTRACT_INT)
        return m->scalars[WS_T_I32];
    if (t->kind == WS_T_ABSTRACT_FLOAT)
        return m->scalars[WS_T_F32];
    const ws_type *element = wgt_ws_concrete(m, t->element);
    return t->kind == WS_T_ARRAY ? wgt_ws_array(m, element, t->count, NULL) : wgt_ws_with_scalar(m, t, element);
}

bool wgt_ws_coerce(ws_checker *c, ws_expr *x, const ws_type *to) {
    if (x->type == to)
        return true;
    if (to == NULL || !wgt_ws_convertible(x->type, to, NULL))
        return false;
    x->value = wgt_ws_convert(&c->eval, x->value, to, x->token, false);
    wgt_ws_eval_report(c);
    x->type = to;
    return true;
}

bool wgt_ws_concretize(ws_checker *c, ws_expr *x) {
    const ws_type *to = wgt_ws_concrete(c->m, x->type);
    return to != NULL && wgt_ws_coerce(c, x, to);
}

/* Works a constant out, once its type is known. */
static bool fold(ws_checker *c, ws_expr *x) {
    if (x->stage == WS_CONSTANT && c->unevaluated == 0 && x->value == NULL) {
        x->value = wgt_ws_evaluate(&c->eval, x);
        wgt_ws_eval_report(c);
    }
    return true;
}

bool wgt_ws_load(ws_checker *c, ws_expr *x) {
    if (!x->reference)
        return true;
    if ((x->type->flags & WS_F_ATOMIC) != 0)
        return wgt_ws_error(c->m, "type", x->token, "atomics are read with atomicLoad");
    if ((x->type->flags & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_OVERRIDE)) != WS_F_CONSTRUCTIBLE &&
        x->space != WS_S_HANDLE)
        return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be read as a whole", WS_S(x->type->name));
    x->reference = false;
    return true;
}

bool wgt_ws_check_value(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_expr(c, x) || !wgt_ws_load(c, x))
        return false;
    if (x->type->kind == WS_T_VOID)
        return wgt_ws_error(c->m, "type", x->token, "this call gives no value");
    return true;
}

/* The predeclared or declared name that is nearest, for "did you mean". */
static wgt_str nearest(ws_checker *c, uint32_t symbol) {
    wgt_str wanted = wgt_ws_symbol_text(c->m, symbol), best = {NULL, 0};
    unsigned least = wanted.size < 4 ? 2 : 3;
    for (uint32_t s = 0; s < c->m->symbol_count && s < 4096; s++) {
        const ws_symbol *y = &c->m->symbols[s];
        if (s == symbol || (y->global == NULL && y->local == NULL && y->named == NULL))
            continue;
        if (y->size + 2 < wanted.size || y->size > wanted.size + 2)
            continue;
        unsigned d = wgt_str_distance(wanted, wgt_ws_symbol_text(c->m, s));
        if (d < least) {
            least = d;
            best = wgt_ws_symbol_text(c->m, s);
        }
    }
    return best;
}

static bool unresolved(ws_checker *c, uint32_t symbol, uint32_t token) {
    if (c->m->syntax_error || c->m->diagnostic_count >= WS_MAX_DIAGNOSTICS)
        return wgt_ws_error(c->m, "unresolved", token, "unresolved");
    wgt_str near = nearest(c, symbol);
    if (near.data != NULL)
        return wgt_ws_error(c->m, "unresolved", token, "no '%.*s' is declared, did you mean '%.*s'",
                            WS_S(wgt_ws_symbol_text(c->m, symbol)), WS_S(near));
    return wgt_ws_error(c->m, "unresolved", token, "no '%.*s' is declared",
                        WS_S(wgt_ws_symbol_text(c->m, symbol)));
}

static bool check_ident(ws_checker *c, ws_expr *x) {
    ws_decl *d = wgt_ws_lookup(c, x->symbol);
    wgt_str name = wgt_ws_symbol_text(c->m, x->symbol);
    if (d == NULL) {
        const ws_named *n = c->m->symbols[x->symbol].named;
        if (n == NULL)
            return unresolved(c, x->symbol, x->token);
        static const char *const sorts[] = {"a type", "a type", "a function", "a keyword of declarations"};
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' is %s, not a value", WS_S(name), sorts[n->kind]);
    }
    if (d->kind == WS_D_FN || d->kind == WS_D_ALIAS || d->kind == WS_D_STRUCT)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' is a %s, not a value", WS_S(name),
                            d->kind == WS_D_FN ? "function" : "type");
    if (x->count > 0)
        return wgt_ws_error(c->m, "type", x->token, "'%.*s' takes no template arguments", WS_S(name));
    if (d->module_scope && !wgt_ws_check_decl(c, d))
        return false;
    wgt_ws_use(c, d, x->token);
    x->decl = d;
    x->type = d->type;
    if (d->type == NULL)
        return false;
    x->stage = d->kind == WS_D_CONST ? WS_CONSTANT : d->kind == WS_D_OVERRIDE ? WS_OVERRIDABLE : WS_RUNTIME;
    x->value = d->kind == WS_D_CONST ? d->value : NULL;
    if (d->kind == WS_D_VAR) {
        if (d->module_scope && c->function == NULL)
            return wgt_ws_error(c->m, "type", x->token, "the variable '%.*s' has no value outside functions",
                                WS_S(name));
        x->reference = true;
        x->space = d->space;
        x->access = d->access;
    }
    return true;
}

/* A pointer where a composite is wanted is followed. */
static bool follow_pointer(ws_checker *c, ws_expr *x) {
    if (x->type->kind != WS_T_POINTER)
        return true;
    if (!wgt_ws_load(c, x))
        return false;
    x->space = x->type->space;
    x->access = x->type->access;
    return true;
}

static const ws_type *composite(const ws_expr *x) {
    return x->type->kind == WS_T_POINTER ? x->type->element : x->type;
}

static void keep_reference(ws_expr *x, const ws_expr *base) {
    x->reference = base->reference || base->type->kind == WS_T_POINTER;
    x->space = base->space;
    x->access = base->access;
}

static bool check_index(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_expr(c, x->a) || !wgt_ws_check_value(c, x->b) || !follow_pointer(c, x->a))
        return false;
    const ws_type *t = composite(x->a);
    uint64_t count = UINT64_MAX;
    if (t->kind == WS_T_VECTOR) {
        x->type = t->element;
        count = t->rows;
    } else if (t->kind == WS_T_MATRIX) {
        x->type = wgt_ws_vector(c->m, t->element, t->rows);
        count = t->columns;
    } else if (t->kind == WS_T_ARRAY) {
        x->type = t->element;
        count = t->count == WS_RUNTIME_COUNT ? UINT64_MAX : t->count;
    } else {
        return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be indexed", WS_S(t->name));
    }
    if (!wgt_ws_is_int(x->b->type))
        return wgt_ws_error(c->m, "type", x->b->token, "an index is an i32 or u32, not a %.*s",
                            WS_S(x->b->type->name));
    if (x->b->value != NULL) {
        int64_t i = wgt_ws_leaf(x->b->value, 0).i;
        if (i < 0 || (uint64_t)i >= count)
            return wgt_ws_error(c->m, "constant", x->b->token, "the index %lld is out of bounds", (long long)i);
    }
    if (x->b->stage != WS_CONSTANT || x->a->stage != WS_CONSTANT)
        wgt_ws_concretize(c, x->b);
    x->stage = x->a->stage > x->b->stage ? x->a->stage : x->b->stage;
    if ((x->stage != WS_CONSTANT) && (x->type->flags & WS_F_ABSTRACT) != 0) {
        wgt_ws_concretize(c, x->a);
        x->type = wgt_ws_concrete(c->m, x->type);
    }
    keep_reference(x, x->a);
    return fold(c, x);
}

static bool swizzle(ws_checker *c, ws_expr *x, const ws_type *t) {
    wgt_str name = wgt_ws_symbol_text(c->m, x->symbol);
    bool xyzw = false, rgba = false;
    bool ok = name.size >= 1 && name.size <= 4;
    for (size_t i = 0; ok && i < name.size; i++) {
        static const char letters[] = "xyzwrgba";
        unsigned lane = 0;
        while (lane < 8 && letters[lane] != name.data[i])
            lane++;
        ok = lane < 8 && (lane & 3) < t->rows;
        xyzw = xyzw || lane < 4;
        rgba = rgba || lane >= 4;
        x->lane = (uint8_t)((lane & 3) + 1);
    }
    if (!ok || (xyzw && rgba))
        return wgt_ws_error(c->m, "type", x->token, "a %.*s has no '%.*s'", WS_S(t->name), WS_S(name));
    if (name.size > 1) {
        x->lane = 0;
        x->type = wgt_ws_vector(c->m, t->element, (unsigned)name.size);
        if (!follow_pointer(c, x->a))
            return false;
        x->reference = false;
        return x->type != NULL && fold(c, x);
    }
    x->type = t->element;
    if (!follow_pointer(c, x->a))
        return false;
    keep_reference(x, x->a);
    return fold(c, x);
}

static bool check_member(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_expr(c, x->a))
        return false;
    const ws_type *t = composite(x->a);
    x->stage = x->a->stage;
    if (t->kind == WS_T_VECTOR)
        return swizzle(c, x, t);
    if (t->kind != WS_T_STRUCT)
        return wgt_ws_error(c->m, "type", x->token, "a %.*s has no members", WS_S(t->name));
    for (ws_decl *d = t->decl->members; d != NULL; d = d->next) {
        if (d->symbol == x->symbol)
            x->decl = d;
    }
    if (x->decl == NULL)
        return wgt_ws_error(c->m, "unresolved", x->token, "the struct %.*s has no member '%.*s'", WS_S(t->name),
                            WS_S(wgt_ws_symbol_text(c->m, x->symbol)));
    x->type = x->decl->type;
    if (x->type == NULL || !follow_pointer(c, x->a))
        return false;
    keep_reference(x, x->a);
    return fold(c, x);
}

static bool check_address(ws_checker *c, ws_expr *x) {
    ws_expr *a = x->a;
    if (!wgt_ws_check_expr(c, a))
        return false;
    if (!a->reference)
        return wgt_ws_error(c->m, "type", x->token, "'&' needs a variable");
    if (a->space == WS_S_HANDLE)
        return wgt_ws_error(c->m, "type", x->token, "'&' of a texture or sampler");
    if ((a->kind == WS_E_INDEX || a->kind == WS_E_MEMBER) && composite(a->a)->kind == WS_T_VECTOR)
        return wgt_ws_error(c->m, "type", x->token, "'&' of a vector's component");
    x->type = wgt_ws_pointer(c->m, (ws_space)a->space, a->type, (ws_access)a->access);
    x->stage = WS_RUNTIME;
    return x->type != NULL;
}

static bool check_unary(ws_checker *c, ws_expr *x) {
    if (x->op == WS_AND)
        return check_address(c, x);
    if (!wgt_ws_check_value(c, x->a))
        return false;
    const ws_type *t = x->a->type;
    const ws_type *s = t->kind == WS_T_VECTOR ? t->element : t;
    bool ok;
    x->stage = x->a->stage;
    x->type = t;
    switch (x->op) {
    case WS_STAR:
        if (t->kind != WS_T_POINTER)
            return wgt_ws_error(c->m, "type", x->token, "'*' needs a pointer, not a %.*s", WS_S(t->name));
        x->type = t->element;
        x->reference = true;
        x->space = t->space;
        x->access = t->access;
        return true;
    case WS_BANG: ok = s->kind == WS_T_BOOL; break;
    case WS_TILDE: ok = wgt_ws_is_int(s); break;
    default: ok = wgt_ws_is_numeric(s) && s->kind != WS_T_U32; break;
    }
    if (!ok)
        return wgt_ws_error(c->m, "type", x->token, "'%s' does not take a %.*s",
                            x->op == WS_BANG ? "!" : x->op == WS_TILDE ? "~" : "-", WS_S(t->name));
    return fold(c, x);
}

static bool mismatch(ws_checker *c, const ws_expr *x) {
    const char *op = wgt_ws_token_name(x->op);
    return wgt_ws_error(c->m, "type", x->token, "%s does not take a %.*s and a %.*s", op,
                        WS_S(x->a->type->name), WS_S(x->b->type->name));
}

/* Both operands to the scalar that they share, shapes kept. */
static bool share_scalar(ws_checker *c, ws_expr *x, const ws_type **scalar) {
    const ws_type *s = wgt_ws_unify(wgt_ws_scalar_of(x->a->type), wgt_ws_scalar_of(x->b->type));
    if (s == NULL)
        return false;
    *scalar = s;
    return wgt_ws_coerce(c, x->a, wgt_ws_with_scalar(c->m, x->a->type, s)) &&
           wgt_ws_coerce(c, x->b, wgt_ws_with_scalar(c->m, x->b->type, s));
}

static bool plain_shape(const ws_type *t) { return wgt_ws_is_scalar(t) || t->kind == WS_T_VECTOR; }
static bool arithmetic_shape(const ws_type *t) {
    return (plain_shape(t) || t->kind == WS_T_MATRIX) && wgt_ws_is_numeric(wgt_ws_scalar_of(t));
}

/* The type of a product with a matrix in it; NULL: none. */
static const ws_type *product_type(ws_checker *c, const ws_type *a, const ws_type *b, const ws_type *s) {
    if (!wgt_ws_is_float(s))
        return NULL;
    if (wgt_ws_is_scalar(a))
        return b;
    if (wgt_ws_is_scalar(b))
        return a;
    if (a->kind == WS_T_VECTOR)
        return a->rows == b->rows ? wgt_ws_vector(c->m, s, b->columns) : NULL;
    if (b->kind == WS_T_VECTOR)
        return a->columns == b->rows ? wgt_ws_vector(c->m, s, a->rows) : NULL;
    return a->columns == b->rows ? wgt_ws_matrix(c->m, s, b->columns, a->rows) : NULL;
}

static bool zero_divisor(const ws_expr *x) {
    const ws_value *v = x->b->value;
    if ((x->op != WS_SLASH && x->op != WS_PERCENT) || v == NULL || !wgt_ws_is_int(wgt_ws_scalar_of(v->type)))
        return false;
    for (uint64_t i = 0; i < v->type->leaves; i++) {
        if (wgt_ws_leaf(v, i).i == 0)
            return true;
    }
    return false;
}

static bool check_arithmetic(ws_checker *c, ws_expr *x) {
    const ws_type *s;
    if (!arithmetic_shape(x->a->type) || !arithmetic_shape(x->b->type) || !share_scalar(c, x, &s))
        return mismatch(c, x);
    const ws_type *a = x->a->type, *b = x->b->type;
    if (a->kind == WS_T_MATRIX || b->kind == WS_T_MATRIX) {
        if (x->op == WS_STAR)
            x->type = product_type(c, a, b, s);
        else
            x->type = (x->op == WS_PLUS || x->op == WS_MINUS) && a == b ? a : NULL;
    } else if (wgt_ws_is_scalar(a)) {
        x->type = b;
    } else {
        x->type = wgt_ws_is_scalar(b) || a == b ? a : NULL;
    }
    if (x->type == NULL)
        return c->m->no_memory ? false : mismatch(c, x);
    if (x->stage != WS_CONSTANT && zero_divisor(x))
        return wgt_ws_error(c->m, "constant", x->token, "division by zero");
    return true;
}

static bool check_comparison(ws_checker *c, ws_expr *x) {
    const ws_type *s;
    bool equality = x->op == WS_EQUAL_EQUAL || x->op == WS_NOT_EQUAL;
    if (!plain_shape(x->a->type) || !plain_shape(x->b->type) || !share_scalar(c, x, &s) ||
        x->a->type != x->b->type || (s->kind == WS_T_BOOL && !equality))
        return mismatch(c, x);
    x->type = wgt_ws_with_scalar(c->m, x->a->type, c->m->scalars[WS_T_BOOL]);
    return x->type != NULL;
}

static bool check_bitwise(ws_checker *c, ws_expr *x) {
    const ws_type *s;
    if (!plain_shape(x->a->type) || !plain_shape(x->b->type) || !share_scalar(c, x, &s) ||
        x->a->type != x->b->type ||
        !(wgt_ws_is_int(s) || (s->kind == WS_T_BOOL && x->op != WS_CARET)))
        return mismatch(c, x);
    x->type = x->a->type;
    return true;
}

static bool check_shift(ws_checker *c, ws_expr *x) {
    const ws_type *a = x->a->type, *b = x->b->type;
    if (!plain_shape(a) || !plain_shape(b) || a->rows != b->rows || !wgt_ws_is_int(wgt_ws_scalar_of(a)) ||
        !wgt_ws_coerce(c, x->b, wgt_ws_with_scalar(c->m, b, c->m->scalars[WS_T_U32])))
        return mismatch(c, x);
    if (x->stage != WS_CONSTANT)
        wgt_ws_concretize(c, x->a);
    x->type = x->a->type;
    if (x->stage != WS_CONSTANT && x->b->value != NULL) {
        for (uint64_t i = 0; i < x->b->type->leaves; i++) {
            if (wgt_ws_leaf(x->b->value, i).i >= 32)
                return wgt_ws_error(c->m, "constant", x->b->token, "a shift by %lld of a value that has 32 bits",
                                    (long long)wgt_ws_leaf(x->b->value, i).i);
        }
    }
    return true;
}

static bool check_logical(ws_checker *c, ws_expr *x) {
    if (x->a->type->kind != WS_T_BOOL || x->b->type->kind != WS_T_BOOL)
        return mismatch(c, x);
    x->type = x->a->type;
    return true;
}

static bool decides(const ws_expr *x) {
    return (x->op == WS_AND_AND || x->op == WS_OR_OR) && x->a->value != NULL &&
           x->a->type->kind == WS_T_BOOL && (wgt_ws_leaf(x->a->value, 0).i != 0) == (x->op == WS_OR_OR);
}

static bool check_binary(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_value(c, x->a))
        return false;
    bool skip = decides(x);
    c->unevaluated += skip;
    bool ok = wgt_ws_check_value(c, x->b);
    c->unevaluated -= skip;
    if (!ok)
        return false;
    x->stage = x->a->stage > x->b->stage ? x->a->stage : x->b->stage;
    switch (x->op) {
    case WS_PLUS: case WS_MINUS: case WS_STAR: case WS_SLASH: case WS_PERCENT:
        ok = check_arithmetic(c, x);
        break;
    case WS_AND: case WS_OR: case WS_CARET: ok = check_bitwise(c, x); break;
    case WS_SHIFT_LEFT: case WS_SHIFT_RIGHT: ok = check_shift(c, x); break;
    case WS_AND_AND: case WS_OR_OR: ok = check_logical(c, x); break;
    default: ok = check_comparison(c, x); break;
    }
    return ok && fold(c, x);
}

static bool check_literal(ws_checker *c, ws_expr *x) {
    ws_kind kind = WS_T_BOOL;
    ws_scalar value = {.i = x->kind == WS_E_BOOL && c->m->tokens[x->token].kind == WS_TRUE};
    if (x->kind == WS_E_LITERAL && !wgt_ws_number(c->m, x->token, &kind, &value))
        return false;
    if (kind == WS_T_F16 && (c->m->extensions & WS_X_F16) == 0)
        return wgt_ws_error(c->m, "extension", x->token, "f16 needs 'enable f16;'");
    ws_scalar *s;
    x->type = c->m->scalars[kind];
    x->value = wgt_ws_make_value(&c->eval, x->type, &s);
    if (x->value == NULL)
        return false;
    *s = value;
    return true;
}

bool wgt_ws_check_expr(ws_checker *c, ws_expr *x) {
    if (x->checked)
        return x->type != NULL;
    x->checked = true;
    bool ok = false;
    switch (x->kind) {
    case WS_E_LITERAL:
    case WS_E_BOOL: ok = check_literal(c, x); break;
    case WS_E_IDENT: ok = check_ident(c, x); break;
    case WS_E_CALL: ok = wgt_ws_check_call(c, x) && fold(c, x); break;
    case WS_E_INDEX: ok = check_index(c, x); break;
    case WS_E_MEMBER: ok = check_member(c, x); break;
    case WS_E_UNARY: ok = check_unary(c, x); break;
    default: ok = check_binary(c, x); break;
    }
    if (!ok)
        x->type = NULL;
    return x->type != NULL;
}
