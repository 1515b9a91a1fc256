/* Declarations of the module: aliases, structs, constants, overrides, variables, function signatures. */
#include "internal.h"
#include "functions.h"

static wgt_str name_of(const ws_checker *c, const ws_decl *d) { return wgt_ws_symbol_text(c->m, d->symbol); }

static bool attribute_is(const ws_checker *c, const ws_attribute *a, const char *name) {
    return wgt_str_is(wgt_ws_text(c->m, a->token, a->token + 1), name);
}

static ws_attribute *find(const ws_checker *c, ws_attribute *list, const char *name) {
    for (; list != NULL; list = list->next) {
        if (attribute_is(c, list, name))
            return list;
    }
    return NULL;
}

/* The one argument of an attribute, a constant whole number in [low, high]. */
static bool attribute_number(ws_checker *c, ws_attribute *a, int64_t low, int64_t high, int64_t *value) {
    wgt_str name = wgt_ws_text(c->m, a->token, a->token + 1);
    ws_expr *x = a->arguments;
    if (a->count != 1)
        return wgt_ws_error(c->m, "attribute", a->token, "'@%.*s' takes one number", WS_S(name));
    if (!wgt_ws_check_value(c, x))
        return false;
    if (x->stage != WS_CONSTANT || !wgt_ws_is_int(x->type) || x->value == NULL)
        return wgt_ws_error(c->m, "attribute", x->token, "'@%.*s' takes a constant whole number", WS_S(name));
    *value = wgt_ws_leaf(x->value, 0).i;
    if (*value < low || *value > high)
        return wgt_ws_error(c->m, "attribute", x->token, "'@%.*s' must be from %lld to %lld", WS_S(name),
                            (long long)low, (long long)high);
    return true;
}

/* Only these attributes, each once. `allowed` is a list with a space after each name. */
static bool only(ws_checker *c, ws_attribute *list, const char *allowed) {
    for (ws_attribute *a = list; a != NULL; a = a->next) {
        wgt_str name = wgt_ws_text(c->m, a->token, a->token + 1);
        bool known = false;
        for (const char *at = allowed; *at != 0 && !known;) {
            size_t size = 0;
            while (at[size] != ' ')
                size++;
            known = size == name.size && memcmp(at, name.data, size) == 0;
            at += size + 1;
        }
        if (!known)
            return wgt_ws_error(c->m, "attribute", a->token, "'@%.*s' is not allowed here", WS_S(name));
        if (wgt_str_is(name, "diagnostic"))
            continue;
        for (const ws_attribute *b = list; b != a; b = b->next) {
            if (c->m->tokens[b->token].symbol == c->m->tokens[a->token].symbol)
                return wgt_ws_error(c->m, "attribute", a->token, "'@%.*s' is given twice", WS_S(name));
        }
    }
    return true;
}

static const struct {
    const char *name;
    uint8_t stages; /* 1 vertex, 2 fragment, 4 compute; input */
    uint8_t out;    /* the same for outputs */
    uint8_t kind, width;
    uint8_t bit;    /* ws_builtin_bits */
} builtin_values[] = {
    {"vertex_index", 1, 0, WS_T_U32, 1, 0},
    {"instance_index", 1, 0, WS_T_U32, 1, 0},
    {"position", 2, 1, WS_T_F32, 4, 0},
    {"front_facing", 2, 0, WS_T_BOOL, 1, 0},
    {"frag_depth", 0, 2, WS_T_F32, 1, 0},
    {"sample_index", 2, 0, WS_T_U32, 1, 0},
    {"sample_mask", 2, 2, WS_T_U32, 1, 0},
    {"primitive_index", 2, 0, WS_T_U32, 1, 0},
    {"clip_distances", 0, 1, WS_T_VOID, 0, 0},
    {"local_invocation_id", 4, 0, WS_T_U32, 3, WS_B_LOCAL_ID},
    {"local_invocation_index", 4, 0, WS_T_U32, 1, WS_B_LOCAL_INDEX},
    {"global_invocation_id", 4, 0, WS_T_U32, 3, WS_B_GLOBAL_ID},
    {"global_invocation_index", 4, 0, WS_T_U32, 1, 0},
    {"workgroup_id", 4, 0, WS_T_U32, 3, WS_B_WORKGROUP_ID},
    {"workgroup_index", 4, 0, WS_T_U32, 1, 0},
    {"num_workgroups", 4, 0, WS_T_U32, 3, WS_B_NUM_WORKGROUPS},
    {"subgroup_invocation_id", 6, 0, WS_T_U32, 1, 0},
    {"subgroup_size", 6, 0, WS_T_U32, 1, 0},
    {"subgroup_id", 4, 0, WS_T_U32, 1, 0},
    {"num_subgroups", 4, 0, WS_T_U32, 1, 0},
};

/* The row of a @builtin attribute, SIZE_MAX where there is none or it is wrong (then reported). */
static size_t builtin_row(ws_checker *c, ws_attribute *list, const ws_type *type, bool *ok) {
    ws_attribute *a = find(c, list, "builtin");
    if (a == NULL)
        return SIZE_MAX;
    wgt_str name = a->arguments == NULL ? WGT_STR("") : wgt_ws_text(c->m, a->arguments->begin, a->arguments->end);
    for (size_t i = 0; i < sizeof builtin_values / sizeof *builtin_values; i++) {
        if (!wgt_str_is(name, builtin_values[i].name))
            continue;
        const ws_type *want = c->m->scalars[builtin_values[i].kind];
        if (builtin_values[i].width > 1)
            want = wgt_ws_vector(c->m, want, builtin_values[i].width);
        if (builtin_values[i].width != 0 && type != want && type != NULL && want != NULL)
            *ok = wgt_ws_error(c->m, "attribute", a->token, "the built-in value '%.*s' is a %.*s", WS_S(name),
                               WS_S(want->name));
        return i;
    }
    *ok = wgt_ws_error(c->m, "attribute", a->arguments != NULL ? a->arguments->token : a->token,
                       "'%.*s' is no built-in value", WS_S(name));
    return SIZE_MAX;
}

static const char io_attributes[] = "builtin location interpolate invariant size align blend_src color ";

static bool check_member_layout(ws_checker *c, ws_decl *d) {
    int64_t value;
    ws_attribute *align = find(c, d->attributes, "align"), *size = find(c, d->attributes, "size");
    if (align != NULL) {
        if (!attribute_number(c, align, 1, 1 << 30, &value))
            return false;
        if ((value & (value - 1)) != 0)
            return wgt_ws_error(c->m, "attribute", align->token, "'@align' must be a power of two");
        if ((uint64_t)value % d->type->align != 0)
            return wgt_ws_error(c->m, "attribute", align->token, "'@align' must be a multiple of %llu, the "
                                "alignment of %.*s", (unsigned long long)d->type->align, WS_S(d->type->name));
        d->id = (int32_t)value;
    }
    if (size != NULL) {
        if (!attribute_number(c, size, 1, INT32_MAX, &value))
            return false;
        if ((d->type->flags & WS_F_FIXED) == 0)
            return wgt_ws_error(c->m, "attribute", size->token, "'@size' needs a member of a fixed size");
        if ((uint64_t)value < d->type->size)
            return wgt_ws_error(c->m, "attribute", size->token, "'@size' must be at least %llu, the size of %.*s",
                                (unsigned long long)d->type->size, WS_S(d->type->name));
        d->size = (uint64_t)value;
    }
    return true;
}

static bool check_member(ws_checker *c, ws_decl *d) {
    bool ok = only(c, d->attributes, io_attributes);
    d->type = wgt_ws_check_type(c, d->type_expr);
    if (d->type == NULL)
        return false;
    uint16_t f = d->type->flags;
    if ((f & WS_F_STORABLE) == 0 || d->type->kind >= WS_T_POINTER)
        return wgt_ws_error(c->m, "type", d->token, "a struct cannot hold a %.*s", WS_S(d->type->name));
    if ((f & WS_F_OVERRIDE) != 0)
        return wgt_ws_error(c->m, "type", d->token, "a struct cannot hold an array whose length is an override");
    if ((f & WS_F_RUNTIME) != 0 && (d->next != NULL || d->type->kind != WS_T_ARRAY))
        return wgt_ws_error(c->m, "type", d->token, "a runtime-sized array must be the last member");
    if (d->type->nesting >= 254)
        return wgt_ws_error(c->m, "type", d->token, "types are nested too deep");
    return check_member_layout(c, d) && ok;
}

/* Names are told apart by a mark on the symbol, so that wide structs stay linear. */
static bool check_member_names(ws_checker *c, ws_decl *s) {
    bool ok = true;
    for (ws_decl *d = s->members; d != NULL; d = d->next) {
        ws_symbol *name = &c->m->symbols[d->symbol];
        if (name->member_of == s)
            ok = wgt_ws_error(c->m, "redeclared", d->token, "the member '%.*s' is declared twice",
                              WS_S(name_of(c, d)));
        name->member_of = s;
    }
    return ok;
}

static bool check_struct(ws_checker *c, ws_decl *s) {
    bool ok = true;
    for (ws_decl *d = s->members; d != NULL; d = d->next)
        ok = check_member(c, d) && ok;
    if (!check_member_names(c, s) || !ok)
        return false;
    s->type = wgt_ws_struct(c->m, s);
    if (s->type != NULL && s->type->size > UINT32_MAX)
        return wgt_ws_error(c->m, "type", s->token, "this struct is larger than 4 GiB");
    return s->type != NULL;
}

static bool check_init(ws_checker *c, ws_decl *d, unsigned stage) {
    const ws_type *t = d->type_expr != NULL ? wgt_ws_check_type(c, d->type_expr) : NULL;
    if (d->type_expr != NULL && t == NULL)
        return false;
    if (d->init == NULL) {
        d->type = t;
        return t != NULL || wgt_ws_error(c->m, "type", d->token, "'%.*s' needs a type or a value",
                                         WS_S(name_of(c, d)));
    }
    if (!wgt_ws_check_value(c, d->init)) {
        d->type = t;
        return false;
    }
    if (t != NULL && !wgt_ws_coerce(c, d->init, t))
        return wgt_ws_error(c->m, "type", d->init->token, "'%.*s' is a %.*s, not a %.*s", WS_S(name_of(c, d)),
                            WS_S(t->name), WS_S(d->init->type->name));
    if (t == NULL && d->kind != WS_D_CONST)
        wgt_ws_concretize(c, d->init);
    d->type = d->init->type;
    if (d->init->stage > stage)
        return wgt_ws_error(c->m, "constant", d->init->token, stage == WS_CONSTANT
                                ? "a const needs a value that is known ahead, without overrides"
                                : "this needs a value of constants and overrides only");
    return true;
}

static bool check_const(ws_checker *c, ws_decl *d) {
    if (!check_init(c, d, WS_CONSTANT))
        return false;
    if ((d->type->flags & WS_F_CONSTRUCTIBLE) == 0)
        return wgt_ws_error(c->m, "type", d->token, "a const cannot be a %.*s", WS_S(d->type->name));
    d->value = d->init->value;
    return true;
}

static bool check_override(ws_checker *c, ws_decl *d) {
    int64_t id;
    bool ok = only(c, d->attributes, "id ");
    ws_attribute *a = find(c, d->attributes, "id");
    if (a != NULL) {
        if (attribute_number(c, a, 0, 65535, &id))
            d->id = (int32_t)id;
        else
            ok = false;
    }
    if (!check_init(c, d, WS_OVERRIDABLE))
        return false;
    if (!wgt_ws_is_scalar(d->type))
        return wgt_ws_error(c->m, "type", d->token, "an override is a scalar, not a %.*s", WS_S(d->type->name));
    return ok;
}

static bool resource_number(ws_checker *c, ws_decl *d, const char *name, uint32_t *out) {
    ws_attribute *a = find(c, d->attributes, name);
    int64_t value;
    if (a == NULL)
        return true;
    if (!attribute_number(c, a, 0, INT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool is_opaque(const ws_type *t) { return t->kind >= WS_T_SAMPLER; }

/* The address space and access mode in `<…>`. */
static bool variable_space(ws_checker *c, ws_decl *d) {
    ws_expr *x = d->templates;
    if (x == NULL)
        return true;
    const ws_named *n[2] = {NULL, NULL};
    size_t count = 0;
    for (; x != NULL && count < 2; x = x->next, count++) {
        if (x->kind == WS_E_IDENT && x->count == 0 && wgt_ws_lookup(c, x->symbol) == NULL)
            n[count] = c->m->symbols[x->symbol].named;
        ws_enumerant sort = count == 0 ? WS_EN_SPACE : WS_EN_ACCESS;
        if (n[count] == NULL || n[count]->kind != WS_N_ENUMERANT || n[count]->shape != sort)
            return wgt_ws_error(c->m, "space", x->token, count == 0 ? "expected an address space: storage, "
                                "uniform, workgroup or private" : "expected an access mode: read or read_write");
    }
    if (x != NULL)
        return wgt_ws_error(c->m, "space", x->token, "a variable takes an address space and an access mode");
    d->space = n[0]->id;
    if (d->space == WS_S_FUNCTION)
        return wgt_ws_error(c->m, "space", d->templates->token, "'function' is for variables in functions");
    d->access = d->space == WS_S_PRIVATE || d->space == WS_S_WORKGROUP ? WS_A_READ_WRITE : WS_A_READ;
    if (n[1] == NULL)
        return true;
    if (d->space != WS_S_STORAGE || n[1]->id == WS_A_WRITE)
        return wgt_ws_error(c->m, "space", d->templates->next->token,
                            d->space != WS_S_STORAGE ? "only storage takes an access mode"
                                                     : "storage is read or read_write, not write");
    d->access = n[1]->id;
    return true;
}

static bool wrong_space(ws_checker *c, const ws_decl *d, const char *what) {
    return wgt_ws_error(c->m, "space", d->token, "a %.*s cannot be in %s memory: %s", WS_S(d->type->name),
                        wgt_ws_space_name(d->space), what);
}

/* What each address space takes. Source: WGSL, "Address spaces". */
static bool check_variable_type(ws_checker *c, ws_decl *d) {
    const ws_type *t = d->type;
    uint16_t f = t->flags;
    if (d->space == WS_S_NONE) {
        if (!is_opaque(t))
            return wgt_ws_error(c->m, "space", d->token, "a variable outside functions needs an address space");
        d->space = WS_S_HANDLE;
        d->access = WS_A_READ;
        return true;
    }
    if (is_opaque(t))
        return wrong_space(c, d, "textures and samplers take no address space");
    if ((f & WS_F_STORABLE) == 0)
        return wrong_space(c, d, "memory holds plain data");
    if ((f & WS_F_OVERRIDE) != 0 && d->space != WS_S_WORKGROUP)
        return wrong_space(c, d, "an array whose length is an override is for workgroup memory");
    switch (d->space) {
    case WS_S_STORAGE:
        if ((f & WS_F_HOST) == 0)
            return wrong_space(c, d, "it cannot be shared with the host");
        if ((f & WS_F_ATOMIC) != 0 && d->access != WS_A_READ_WRITE)
            return wrong_space(c, d, "atomics need read_write");
        return true;
    case WS_S_UNIFORM:
    case WS_S_IMMEDIATE:
        if ((f & WS_F_HOST) == 0)
            return wrong_space(c, d, "it cannot be shared with the host");
        return (f & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_ATOMIC)) == WS_F_CONSTRUCTIBLE ||
               wrong_space(c, d, "its size must be fixed, and it holds no atomics");
    case WS_S_WORKGROUP:
        return (f & WS_F_RUNTIME) == 0 || wrong_space(c, d, "its size must be known");
    default:
        return (f & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_ATOMIC)) == WS_F_CONSTRUCTIBLE ||
               wrong_space(c, d, "its size must be fixed, and it holds no atomics");
    }
}

static bool check_variable(ws_checker *c, ws_decl *d) {
    /* all of them are looked at, so that several errors are reported at once */
    bool ok = variable_space(c, d);
    ok = check_init(c, d, WS_OVERRIDABLE) && ok;
    ok = only(c, d->attributes, "group binding ") && ok;
    ok = resource_number(c, d, "group", &d->group) && ok;
    ok = resource_number(c, d, "binding", &d->binding) && ok;
    if (!ok || d->type == NULL)
        return false;
    if (!check_variable_type(c, d))
        return false;
    if (d->init != NULL && d->space != WS_S_PRIVATE)
        return wgt_ws_error(c->m, "space", d->init->token, "a variable in %s memory takes no first value",
                            wgt_ws_space_name(d->space));
    bool resource = d->space == WS_S_STORAGE || d->space == WS_S_UNIFORM || d->space == WS_S_HANDLE;
    if (resource && (d->group == UINT32_MAX || d->binding == UINT32_MAX))
        return wgt_ws_error(c->m, "attribute", d->token, "'%.*s' needs @group and @binding",
                            WS_S(name_of(c, d)));
    if (!resource && d->attributes != NULL)
        return wgt_ws_error(c->m, "attribute", d->attributes->token, "a variable in %s memory takes no attributes",
                            wgt_ws_space_name(d->space));
    return true;
}

static bool check_parameter(ws_checker *c, ws_decl *p, bool entry) {
    p->type = wgt_ws_check_type(c, p->type_expr);
    if (p->type == NULL || !only(c, p->attributes, io_attributes))
        return false;
    const ws_type *t = p->type;
    bool plain = (t->flags & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_OVERRIDE | WS_F_ATOMIC)) ==
                 WS_F_CONSTRUCTIBLE;
    if (!plain && (entry || !(t->kind == WS_T_POINTER || is_opaque(t))))
        return wgt_ws_error(c->m, "type", p->token, "a parameter cannot be a %.*s", WS_S(t->name));
    if (t->kind == WS_T_POINTER && t->space == WS_S_HANDLE)
        return wgt_ws_error(c->m, "type", p->token, "a parameter cannot be a %.*s", WS_S(t->name));
    return true;
}

static bool check_signature(ws_checker *c, ws_decl *d) {
    bool ok = only(c, d->attributes, "compute vertex fragment workgroup_size must_use diagnostic subgroup_size ");
    static const char *const stages[] = {"vertex", "fragment", "compute"};
    for (unsigned i = 0; i < 3; i++) {
        ws_attribute *a = find(c, d->attributes, stages[i]);
        if (a == NULL)
            continue;
        if (d->stage_of != 0)
            ok = wgt_ws_error(c->m, "attribute", a->token, "an entry point is of one stage");
        d->stage_of = (uint8_t)(i + 1);
    }
    d->must_use = find(c, d->attributes, "must_use") != NULL;
    for (ws_decl *p = d->members; p != NULL; p = p->next)
        ok = check_parameter(c, p, d->stage_of != 0) && ok;
    d->type = d->type_expr == NULL ? c->m->scalars[WS_T_VOID] : wgt_ws_check_type(c, d->type_expr);
    if (d->type == NULL)
        return false;
    if (d->must_use && d->type_expr == NULL)
        ok = wgt_ws_error(c->m, "attribute", d->token, "'@must_use' needs a function that gives a value");
    ok = only(c, d->return_attributes, io_attributes) && ok;
    if (d->type_expr != NULL &&
        (d->type->flags & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_OVERRIDE | WS_F_ATOMIC)) != WS_F_CONSTRUCTIBLE)
        return wgt_ws_error(c->m, "type", d->type_expr->token, "a function cannot give a %.*s",
                            WS_S(d->type->name));
    return ok;
}

static bool check_one(ws_checker *c, ws_decl *d) {
    switch (d->kind) {
    case WS_D_ALIAS: d->type = wgt_ws_check_type(c, d->type_expr); return d->type != NULL;
    case WS_D_STRUCT: return check_struct(c, d);
    case WS_D_CONST: return check_const(c, d);
    case WS_D_OVERRIDE: return check_override(c, d);
    case WS_D_VAR: return check_variable(c, d);
    case WS_D_FN: return check_signature(c, d);
    default:
        if (!wgt_ws_check_value(c, d->init))
            return false;
        if (d->init->type->kind != WS_T_BOOL || d->init->stage != WS_CONSTANT)
            return wgt_ws_error(c->m, "assert", d->init->token, "a const_assert needs a constant bool");
        if (d->init->value != NULL && wgt_ws_leaf(d->init->value, 0).i == 0)
            return wgt_ws_error(c->m, "assert", d->begin, "this const_assert is false");
        return true;
    }
}

/* A declaration with all that it needs first. Cycles and very long chains are errors. */
bool wgt_ws_check_decl(ws_checker *c, ws_decl *d) {
    if (d->state >= 2)
        return d->state == 2;
    if (d->state == 1) {
        d->state = 3;
        return wgt_ws_error(c->m, "cycle", d->token, "'%.*s' needs itself", WS_S(name_of(c, d)));
    }
    if (c->references >= WS_MAX_REFERENCES)
        return wgt_ws_error(c->m, "depth", d->token, "more than %d declarations need one another here",
                            WS_MAX_REFERENCES);
    ws_checker outer = *c;
    d->state = 1;
    c->references++;
    c->function = NULL;
    c->locals = false;
    c->unevaluated = 0;
    c->in_length = 0;
    c->tail = &d->uses_tail;
    c->user = d;
    bool ok = check_one(c, d);
    bool cycle = d->state == 3;
    ws_eval eval = c->eval;
    *c = outer;
    c->eval = eval;
    d->state = ok && !cycle ? 2 : 3;
    return d->state == 2;
}

/* --- entry points ------------------------------------------------------------------------------ */

static bool check_size(ws_checker *c, ws_decl *d) {
    ws_attribute *a = find(c, d->attributes, "workgroup_size");
    if (a == NULL)
        return d->stage_of != 3 ||
               wgt_ws_error(c->m, "attribute", d->token, "a compute entry point needs @workgroup_size");
    if (d->stage_of != 3)
        return wgt_ws_error(c->m, "attribute", a->token, "'@workgroup_size' is for compute entry points");
    if (a->count < 1 || a->count > 3)
        return wgt_ws_error(c->m, "attribute", a->token, "'@workgroup_size' takes one to three sizes");
    unsigned axis = 0;
    const ws_type *shared = NULL;
    for (ws_expr *x = a->arguments; x != NULL; x = x->next, axis++) {
        if (!wgt_ws_check_value(c, x))
            return false;
        if (!wgt_ws_is_int(x->type))
            return wgt_ws_error(c->m, "attribute", x->token, "a workgroup size is an i32 or u32, not a %.*s",
                                WS_S(x->type->name));
        shared = shared == NULL ? x->type : wgt_ws_unify(shared, x->type);
        if (shared == NULL)
            return wgt_ws_error(c->m, "attribute", x->token, "the workgroup sizes must share a type");
        if (x->stage == WS_RUNTIME)
            return wgt_ws_error(c->m, "attribute", x->token, "a workgroup size is made of constants and overrides");
        if (x->value != NULL && wgt_ws_leaf(x->value, 0).i < 1)
            return wgt_ws_error(c->m, "attribute", x->token, "a workgroup size must be at least 1");
        d->workgroup[axis] = x;
    }
    for (ws_expr *x = a->arguments; x != NULL; x = x->next)
        wgt_ws_coerce(c, x, wgt_ws_concrete(c->m, shared));
    return true;
}

typedef struct io {
    ws_checker *c;
    ws_decl *entry;
    bool output, position;
    uint32_t locations; /* seen, the first 32 */
    uint64_t builtins;
} io;

static bool check_io_one(io *o, ws_attribute *list, const ws_type *t, uint32_t token, uint8_t *bits) {
    ws_checker *c = o->c;
    bool ok = true;
    size_t row = builtin_row(c, list, t, &ok);
    ws_attribute *location = find(c, list, "location"), *builtin = find(c, list, "builtin");
    if (!ok)
        return false;
    if (builtin != NULL && location != NULL)
        return wgt_ws_error(c->m, "attribute", location->token, "'@builtin' and '@location' exclude one another");
    if (builtin != NULL) {
        unsigned stage = 1u << (o->entry->stage_of - 1);
        if (((o->output ? builtin_values[row].out : builtin_values[row].stages) & stage) == 0)
            return wgt_ws_error(c->m, "attribute", builtin->token, "'%s' is no %s of this stage",
                                builtin_values[row].name, o->output ? "output" : "input");
        if ((o->builtins >> row & 1) != 0)
            return wgt_ws_error(c->m, "attribute", builtin->token, "'%s' is given twice", builtin_values[row].name);
        o->builtins |= 1ull << row;
        o->position = o->position || wgt_str_is(WGT_STR("position"), builtin_values[row].name);
        *bits |= builtin_values[row].bit;
        return true;
    }
    if (location == NULL)
        return wgt_ws_error(c->m, "attribute", token, "an entry point's %s needs @builtin or @location",
                            o->output ? "result" : "parameter");
    int64_t place;
    if (!attribute_number(c, location, 0, INT32_MAX, &place))
        return false;
    if (o->entry->stage_of == 3)
        return wgt_ws_error(c->m, "attribute", location->token, "compute entry points take no '@location'");
    const ws_type *s = wgt_ws_scalar_of(t);
    if (!wgt_ws_is_numeric(s) || t->kind == WS_T_MATRIX)
        return wgt_ws_error(c->m, "attribute", token, "'@location' takes numbers and vectors, not a %.*s",
                            WS_S(t->name));
    if (place < 32 && (o->locations >> place & 1) != 0 && find(c, list, "blend_src") == NULL)
        return wgt_ws_error(c->m, "attribute", location->token, "the location %lld is given twice",
                            (long long)place);
    if (place < 32)
        o->locations |= 1u << place;
    bool between = (o->entry->stage_of == 1) == o->output; /* from vertex to fragment */
    ws_attribute *how = find(c, list, "interpolate");
    bool flat = how != NULL && how->arguments != NULL &&
                wgt_str_is(wgt_ws_text(c->m, how->arguments->begin, how->arguments->end), "flat");
    if (between && wgt_ws_is_int(s) && !flat)
        return wgt_ws_error(c->m, "attribute", location->token, "integers between stages need @interpolate(flat)");
    return true;
}

static bool check_io(io *o, ws_attribute *list, const ws_type *t, uint32_t token, uint8_t *bits) {
    if (t->kind != WS_T_STRUCT)
        return check_io_one(o, list, t, token, bits);
    if (list != NULL)
        return wgt_ws_error(o->c->m, "attribute", list->token, "a struct's members carry these attributes");
    for (ws_decl *d = t->decl->members; d != NULL; d = d->next) {
        if (d->type == NULL || !check_io_one(o, d->attributes, d->type, d->token, bits))
            return false;
    }
    return true;
}

/* The stage, size, inputs and outputs of an entry point; what its size needs is kept apart. */
bool wgt_ws_check_entry(ws_checker *c, ws_decl *d) {
    if (d->stage_of == 0) {
        ws_attribute *a = find(c, d->attributes, "workgroup_size");
        return a == NULL || wgt_ws_error(c->m, "attribute", a->token, "'@workgroup_size' without '@compute'");
    }
    c->tail = &d->size_tail;
    c->user = &d->size_uses;
    bool ok = check_size(c, d);
    c->tail = NULL;
    io in = {.c = c, .entry = d}, out = {.c = c, .entry = d, .output = true};
    for (ws_decl *p = d->members; p != NULL; p = p->next) {
        if (p->type != NULL)
            ok = check_io(&in, p->attributes, p->type, p->token, &d->builtins) && ok;
    }
    if (d->type == NULL || d->type->kind == WS_T_VOID)
        return d->stage_of == 1 ? wgt_ws_error(c->m, "attribute", d->token,
                                               "a vertex entry point gives a position")
                                : ok;
    uint8_t ignored = 0;
    if (d->stage_of == 3)
        return wgt_ws_error(c->m, "attribute", d->token, "a compute entry point gives nothing");
    ok = check_io(&out, d->return_attributes, d->type, d->type_expr->token, &ignored) && ok;
    if (ok && d->stage_of == 1 && !out.position)
        return wgt_ws_error(c->m, "attribute", d->token, "a vertex entry point gives a position");
    return ok;
}
