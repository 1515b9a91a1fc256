/* Type expressions. */
#include "internal.h"
#include "functions.h"

static const ws_type *fail(ws_checker *c, const ws_expr *x, const char *why) {
    wgt_ws_error(c->m, "type", x->token, "%s", why);
    return NULL;
}

static const ws_named *enumerant(ws_checker *c, const ws_expr *x, ws_enumerant sort) {
    if (x == NULL || x->kind != WS_E_IDENT || x->count > 0 || wgt_ws_lookup(c, x->symbol) != NULL)
        return NULL;
    const ws_named *n = c->m->symbols[x->symbol].named;
    return n != NULL && n->kind == WS_N_ENUMERANT && n->shape == sort ? n : NULL;
}

static const ws_type *scalar_argument(ws_checker *c, ws_expr *x, bool numeric) {
    const ws_type *t = wgt_ws_check_type(c, x);
    if (t == NULL)
        return NULL;
    if (!wgt_ws_is_scalar(t) || (numeric && t->kind == WS_T_BOOL))
        return fail(c, x, "this must be a scalar type");
    return t;
}

static const ws_type *array_type(ws_checker *c, ws_expr *x) {
    const ws_type *element = wgt_ws_check_type(c, x->a);
    if (element == NULL)
        return NULL;
    if ((element->flags & WS_F_STORABLE) == 0 || element->kind >= WS_T_POINTER)
        return fail(c, x->a, "an array's elements must be plain data");
    if ((element->flags & (WS_F_RUNTIME | WS_F_OVERRIDE)) != 0)
        return fail(c, x->a, "an array's elements must have a fixed size");
    if (element->nesting >= 254)
        return fail(c, x->a, "types are nested too deep");
    ws_expr *length = x->a->next;
    if (length == NULL)
        return wgt_ws_array(c->m, element, WS_RUNTIME_COUNT, NULL);
    c->in_length++;
    bool ok = wgt_ws_check_value(c, length);
    c->in_length--;
    if (!ok)
        return NULL;
    if (!wgt_ws_is_int(length->type) || !wgt_ws_concretize(c, length))
        return fail(c, length, "an array's length is an i32 or u32");
    if (length->stage == WS_RUNTIME)
        return fail(c, length, "an array's length must be known ahead: a const or an override");
    if (length->stage == WS_OVERRIDABLE)
        return wgt_ws_array(c->m, element, WS_OVERRIDE_COUNT, length);
    if (length->value == NULL)
        return NULL;
    int64_t count = wgt_ws_leaf(length->value, 0).i;
    if (count < 1)
        return fail(c, length, "an array's length must be at least 1");
    const ws_type *t = wgt_ws_array(c->m, element, (uint64_t)count, NULL);
    if (t != NULL && t->size > UINT32_MAX)
        return fail(c, x, "this array is larger than 4 GiB");
    return t;
}

static const ws_type *pointer_type(ws_checker *c, ws_expr *x) {
    const ws_named *space = enumerant(c, x->a, WS_EN_SPACE);
    if (space == NULL)
        return fail(c, x->a, "expected an address space");
    const ws_type *t = wgt_ws_check_type(c, x->a->next);
    if (t == NULL)
        return NULL;
    unsigned access = space->id == WS_S_STORAGE || space->id == WS_S_UNIFORM || space->id == WS_S_IMMEDIATE
                          ? WS_A_READ
                          : WS_A_READ_WRITE;
    if (x->count == 3) {
        const ws_named *a = enumerant(c, x->a->next->next, WS_EN_ACCESS);
        if (a == NULL || space->id != WS_S_STORAGE)
            return fail(c, x->a->next->next, "an access mode belongs to storage pointers only");
        access = a->id;
    }
    if ((t->flags & WS_F_STORABLE) == 0 || t->kind > WS_T_POINTER)
        return fail(c, x->a->next, "a pointer is to data that memory can hold");
    return wgt_ws_pointer(c->m, (ws_space)space->id, t, (ws_access)access);
}

static const ws_type *generate(ws_checker *c, ws_expr *x, const ws_named *n) {
    const ws_type *t;
    if (x->count < n->low || x->count > n->high)
        return fail(c, x, x->count == 0 ? "this type needs template arguments"
                                        : "the wrong number of template arguments");
    switch (n->id) {
    case WS_G_VECTOR:
        t = scalar_argument(c, x->a, false);
        return t == NULL ? NULL : wgt_ws_vector(c->m, t, n->shape);
    case WS_G_MATRIX:
        t = scalar_argument(c, x->a, true);
        if (t != NULL && !wgt_ws_is_float(t))
            return fail(c, x->a, "a matrix holds f32 or f16");
        return t == NULL ? NULL : wgt_ws_matrix(c->m, t, n->shape / 8, n->shape % 8);
    case WS_G_ARRAY: return array_type(c, x);
    case WS_G_ATOMIC:
        t = scalar_argument(c, x->a, true);
        if (t != NULL && t->kind != WS_T_I32 && t->kind != WS_T_U32)
            return fail(c, x->a, "an atomic holds i32 or u32");
        return t == NULL ? NULL : wgt_ws_atomic(c->m, t);
    case WS_G_POINTER: return pointer_type(c, x);
    case WS_G_TEXTURE:
        t = scalar_argument(c, x->a, true);
        if (t != NULL && t->kind == WS_T_F16)
            return fail(c, x->a, "a texture holds f32, i32 or u32");
        return t == NULL ? NULL : wgt_ws_texture(c->m, WS_T_TEXTURE, (ws_dim)n->shape, t, 0, WS_A_NONE);
    default: {
        const ws_named *format = enumerant(c, x->a, WS_EN_FORMAT);
        const ws_named *access = enumerant(c, x->a->next, WS_EN_ACCESS);
        if (format == NULL || access == NULL)
            return fail(c, format == NULL ? x->a : x->a->next,
                        format == NULL ? "expected a texel format" : "expected an access mode");
        if (!wgt_ws_format_access(format->id, access->id))
            return fail(c, x->a, "this format cannot be read and written at once");
        return wgt_ws_texture(c->m, WS_T_TEXTURE_STORAGE, (ws_dim)n->shape, NULL, format->id,
                              (ws_access)access->id);
    }
    }
}

static const ws_type *plain(ws_checker *c, ws_expr *x, const ws_named *n) {
    if (x->count > 0)
        return fail(c, x, "this type takes no template arguments");
    if (n->id == WS_T_F16 && n->flags <= WS_P_MATRIX && (c->m->extensions & WS_X_F16) == 0)
        return fail(c, x, "f16 needs 'enable f16;'");
    const ws_type *scalar = n->id <= WS_T_F16 ? c->m->scalars[n->id] : NULL;
    switch (n->flags) {
    case WS_P_SCALAR: return scalar;
    case WS_P_VECTOR: return wgt_ws_vector(c->m, scalar, n->shape);
    case WS_P_MATRIX: return wgt_ws_matrix(c->m, scalar, n->shape / 8, n->shape % 8);
    default: return wgt_ws_texture(c->m, (ws_kind)n->id, (ws_dim)n->shape, NULL, 0, WS_A_NONE);
    }
}

/* NULL: reported. */
const ws_type *wgt_ws_check_type(ws_checker *c, ws_expr *x) {
    if (x == NULL)
        return NULL;
    if (x->kind != WS_E_IDENT)
        return fail(c, x, "expected a type");
    if (x->checked)
        return x->type;
    x->checked = true;
    ws_decl *d = wgt_ws_lookup(c, x->symbol);
    const ws_named *n = c->m->symbols[x->symbol].named;
    wgt_str name = wgt_ws_symbol_text(c->m, x->symbol);
    if (d != NULL) {
        if (d->kind != WS_D_ALIAS && d->kind != WS_D_STRUCT) {
            wgt_ws_error(c->m, "type", x->token, "'%.*s' is not a type", WS_S(name));
            return NULL;
        }
        if (x->count > 0)
            return fail(c, x, "this type takes no template arguments");
        if (!wgt_ws_check_decl(c, d))
            return NULL;
        wgt_ws_use(c, d, x->token);
        x->decl = d;
        return x->type = d->type;
    }
    if (n == NULL) {
        wgt_ws_error(c->m, "unresolved", x->token, "no type '%.*s' is declared", WS_S(name));
        return NULL;
    }
    if (n->kind != WS_N_TYPE && n->kind != WS_N_GENERATOR) {
        wgt_ws_error(c->m, "type", x->token, "'%.*s' is not a type", WS_S(name));
        return NULL;
    }
    x->named = n;
    return x->type = n->kind == WS_N_TYPE ? plain(c, x, n) : generate(c, x, n);
}
