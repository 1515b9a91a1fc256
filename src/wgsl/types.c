/* Types: interned, so that equal types are one pointer, with their layout and canonical names. */
#include "internal.h"

static const char *const space_names[] = {"",        "function", "private", "workgroup",
                                          "uniform", "storage",  "handle",  "immediate"};
static const char *const access_names[] = {"", "read", "write", "read_write"};

const char *wgt_ws_space_name(unsigned space) { return space_names[space]; }
const char *wgt_ws_access_name(unsigned access) { return access_names[access]; }

static uint64_t saturating_mul(uint64_t a, uint64_t b) {
    uint64_t product;
    return wgt_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t round_up(uint64_t size, uint64_t align) {
    uint64_t rounded;
    if (align == 0 || size > UINT64_MAX - align)
        return UINT64_MAX;
    rounded = (size + align - 1) / align * align;
    return rounded;
}

static uint64_t scalar_size(unsigned kind) { return kind == WS_T_F16 ? 2 : 4; }

static uint32_t hash_key(const ws_type *t) {
    uint64_t h = t->kind * 31u + t->columns * 7u + t->rows;
    h = h * 131 + t->space * 64u + t->access * 16u + t->dim;
    h = h * 131 + t->format;
    h = (h ^ (uint64_t)(uintptr_t)t->element) * 0x9E3779B97F4A7C15u;
    h = (h ^ t->count) * 0x9E3779B97F4A7C15u;
    h = (h ^ (uint64_t)(uintptr_t)t->length) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

static bool same(const ws_type *a, const ws_type *b) {
    return a->kind == b->kind && a->columns == b->columns && a->rows == b->rows && a->space == b->space &&
           a->access == b->access && a->dim == b->dim && a->format == b->format && a->element == b->element &&
           a->count == b->count && a->length == b->length && a->decl == b->decl;
}

static bool grow_table(wgt_wgsl *m) {
    uint32_t slots = m->types == NULL ? 256 : (m->type_mask + 1) * 2;
    const ws_type **table = wgt_ws_alloc(m, slots, sizeof *table);
    if (table == NULL)
        return false;
    for (uint32_t i = 0; m->types != NULL && i <= m->type_mask; i++) {
        for (const ws_type *t = m->types[i], *next; t != NULL; t = next) {
            next = t->chain;
            uint32_t slot = hash_key(t) & (slots - 1);
            ((ws_type *)(uintptr_t)t)->chain = table[slot];
            table[slot] = t;
        }
    }
    m->types = table;
    m->type_mask = slots - 1;
    return true;
}

static const char *texture_dims[] = {"1d", "2d", "2d_array", "3d", "cube", "cube_array", "multisampled_2d"};

static void put_name(wgt_wgsl *m, wgt_out *out, const ws_type *t) {
    static const char *const plain[] = {"no value", "abstract-int", "abstract-float", "bool",
                                        "i32",      "u32",          "f32",            "f16"};
    if (t->kind <= WS_T_F16)
        wgt_put(out, wgt_str_from(plain[t->kind]));
    else if (t->kind == WS_T_VECTOR)
        wgt_putf(out, "vec%u<%s>", (unsigned)t->rows, plain[t->element->kind]);
    else if (t->kind == WS_T_MATRIX)
        wgt_putf(out, "mat%ux%u<%s>", (unsigned)t->columns, (unsigned)t->rows, plain[t->element->kind]);
    else if (t->kind == WS_T_ATOMIC)
        wgt_putf(out, "atomic<%s>", plain[t->element->kind]);
    else if (t->kind == WS_T_STRUCT)
        wgt_put(out, t->name.size > 0 ? t->name : wgt_ws_symbol_text(m, t->decl->symbol));
    else if (t->kind == WS_T_ARRAY) {
        wgt_put(out, WGT_STR("array<"));
        wgt_put(out, t->element->name);
        if (t->count == WS_OVERRIDE_COUNT) {
            wgt_put(out, WGT_STR(", "));
            wgt_put(out, wgt_ws_text(m, t->length->begin, t->length->end));
        } else if (t->count != WS_RUNTIME_COUNT) {
            wgt_putf(out, ", %llu", (unsigned long long)t->count);
        }
        wgt_put_char(out, '>');
    } else if (t->kind == WS_T_POINTER) {
        wgt_putf(out, "ptr<%s, ", space_names[t->space]);
        wgt_put(out, t->element->name);
        if (t->space == WS_S_STORAGE)
            wgt_putf(out, ", %s", access_names[t->access]);
        wgt_put_char(out, '>');
    } else if (t->kind == WS_T_TEXTURE)
        wgt_putf(out, "texture_%s<%s>", texture_dims[t->dim], plain[t->element->kind]);
    else if (t->kind == WS_T_TEXTURE_DEPTH)
        wgt_putf(out, "texture_depth_%s", texture_dims[t->dim]);
    else if (t->kind == WS_T_TEXTURE_STORAGE)
        wgt_putf(out, "texture_storage_%s<%s, %s>", texture_dims[t->dim], wgt_ws_format_name(t->format),
                 access_names[t->access]);
    else
        wgt_put(out, wgt_str_from(t->kind == WS_T_SAMPLER              ? "sampler"
                                  : t->kind == WS_T_SAMPLER_COMPARISON ? "sampler_comparison"
                                                                       : "texture_external"));
}

static bool name_type(wgt_wgsl *m, ws_type *t) {
    char small[96];
    wgt_out out;
    wgt_out_init(&out, small, sizeof small);
    put_name(m, &out, t);
    if (out.truncated) {
        size_t room = 160 + (t->element != NULL ? t->element->name.size : 0);
        if (t->length != NULL)
            room += wgt_ws_text(m, t->length->begin, t->length->end).size;
        char *memory = wgt_ws_alloc(m, room, 1);
        if (memory == NULL)
            return false;
        wgt_out_init(&out, memory, room);
        put_name(m, &out, t);
        t->name = (wgt_str){out.data, out.size};
        return true;
    }
    t->name = wgt_arena_copy(&m->arena, (wgt_str){out.data, out.size});
    m->no_memory = m->no_memory || t->name.data == NULL;
    return t->name.data != NULL;
}

static void lay_out(ws_type *t) {
    const ws_type *e = t->element;
    switch (t->kind) {
    case WS_T_BOOL:
    case WS_T_I32:
    case WS_T_U32:
    case WS_T_F32:
    case WS_T_F16:
        t->size = t->align = scalar_size(t->kind);
        t->leaves = 1;
        t->flags = WS_F_CONSTRUCTIBLE | WS_F_STORABLE | WS_F_FIXED |
                   (t->kind == WS_T_BOOL ? WS_F_BOOL : WS_F_HOST);
        break;
    case WS_T_ABSTRACT_INT:
    case WS_T_ABSTRACT_FLOAT:
        t->leaves = 1;
        t->flags = WS_F_ABSTRACT | WS_F_CONSTRUCTIBLE;
        break;
    case WS_T_VECTOR:
        t->size = scalar_size(e->kind) * t->rows;
        t->align = scalar_size(e->kind) * (t->rows == 2 ? 2 : 4);
        t->leaves = t->rows;
        t->flags = e->flags;
        break;
    case WS_T_MATRIX: {
        uint64_t align = scalar_size(e->kind) * (t->rows == 2 ? 2 : 4);
        t->align = align;
        t->size = align * t->columns;
        t->stride = align;
        t->leaves = (uint64_t)t->columns * t->rows;
        t->flags = e->flags;
        break;
    }
    case WS_T_ATOMIC:
        t->size = t->align = 4;
        t->leaves = 1;
        t->flags = WS_F_HOST | WS_F_STORABLE | WS_F_FIXED | WS_F_ATOMIC;
        break;
    case WS_T_ARRAY:
        t->align = e->align;
        t->stride = round_up(e->size, e->align);
        t->nesting = (uint8_t)(e->nesting + 1);
        t->flags = (uint16_t)(e->flags & ~(WS_F_RUNTIME));
        if (t->count == WS_RUNTIME_COUNT) {
            t->size = t->stride;
            t->flags = (uint16_t)((t->flags & ~(WS_F_CONSTRUCTIBLE | WS_F_FIXED)) | WS_F_RUNTIME);
        } else if (t->count == WS_OVERRIDE_COUNT) {
            t->size = UINT64_MAX;
            t->flags = (uint16_t)((t->flags & ~(WS_F_CONSTRUCTIBLE | WS_F_HOST)) | WS_F_OVERRIDE);
        } else {
            t->size = saturating_mul(t->stride, t->count);
            t->leaves = saturating_mul(e->leaves, t->count);
        }
        break;
    case WS_T_VOID:
    case WS_T_STRUCT:
    case WS_T_POINTER: break;
    default: t->flags = WS_F_STORABLE; break;
    }
}

static const ws_type *intern(wgt_wgsl *m, const ws_type *key) {
    if ((m->types == NULL || m->type_count > m->type_mask) && !grow_table(m))
        return NULL;
    uint32_t slot = hash_key(key) & m->type_mask;
    for (const ws_type *t = m->types[slot]; t != NULL; t = t->chain) {
        if (same(t, key))
            return t;
    }
    ws_type *t = WS_NEW(m, ws_type);
    if (t == NULL)
        return NULL;
    *t = *key;
    lay_out(t);
    if (!name_type(m, t))
        return NULL;
    t->chain = m->types[slot];
    m->types[slot] = t;
    m->type_count++;
    return t;
}

bool wgt_ws_types_init(wgt_wgsl *m) {
    for (unsigned kind = WS_T_VOID; kind <= WS_T_F16; kind++)
        m->scalars[kind] = intern(m, &(ws_type){.kind = (uint8_t)kind});
    return !m->no_memory;
}

const ws_type *wgt_ws_vector(wgt_wgsl *m, const ws_type *element, unsigned width) {
    if (element == NULL)
        return NULL;
    const ws_type **slot = &m->vectors[element->kind][width];
    if (*slot == NULL)
        *slot = intern(m, &(ws_type){.kind = WS_T_VECTOR, .columns = 1, .rows = (uint8_t)width,
                                     .element = element});
    return *slot;
}

const ws_type *wgt_ws_matrix(wgt_wgsl *m, const ws_type *element, unsigned columns, unsigned rows) {
    if (element == NULL)
        return NULL;
    return intern(m, &(ws_type){.kind = WS_T_MATRIX, .columns = (uint8_t)columns, .rows = (uint8_t)rows,
                                .element = element});
}

const ws_type *wgt_ws_array(wgt_wgsl *m, const ws_type *element, uint64_t count, const ws_expr *length) {
    if (element == NULL)
        return NULL;
    return intern(m, &(ws_type){.kind = WS_T_ARRAY, .element = element, .count = count, .length = length});
}

const ws_type *wgt_ws_atomic(wgt_wgsl *m, const ws_type *element) {
    return intern(m, &(ws_type){.kind = WS_T_ATOMIC, .element = element});
}

const ws_type *wgt_ws_pointer(wgt_wgsl *m, ws_space space, const ws_type *element, ws_access access) {
    if (element == NULL)
        return NULL;
    return intern(m, &(ws_type){.kind = WS_T_POINTER, .space = (uint8_t)space, .access = (uint8_t)access,
                                .element = element});
}

const ws_type *wgt_ws_texture(wgt_wgsl *m, ws_kind kind, ws_dim dim, const ws_type *sampled, unsigned format,
                              ws_access access) {
    return intern(m, &(ws_type){.kind = (uint8_t)kind, .dim = (uint8_t)dim, .element = sampled,
                                .format = (uint8_t)format, .access = (uint8_t)access});
}

/* Lays the members out: offset = round_up(align, end of the one before); the struct's size is rounded
 * up to its alignment. Source: WGSL, "Structure member layout". */
const ws_type *wgt_ws_struct(wgt_wgsl *m, ws_decl *decl) {
    ws_type *t = WS_NEW(m, ws_type);
    if (t == NULL)
        return NULL;
    t->kind = WS_T_STRUCT;
    t->decl = decl;
    t->align = 1;
    t->name = wgt_ws_symbol_text(m, decl->symbol);
    unsigned all = WS_F_CONSTRUCTIBLE | WS_F_HOST | WS_F_STORABLE | WS_F_FIXED, any = 0;
    uint64_t end = 0;
    for (ws_decl *d = decl->members; d != NULL; d = d->next) {
        const ws_type *e = d->type;
        uint64_t align = d->id > 0 ? (uint64_t)d->id : e->align; /* a member's id holds its @align */
        uint64_t size = d->size != 0 ? d->size : e->size;
        d->offset = round_up(end, align);
        d->size = size;
        if (!wgt_add_u64(d->offset, size, &end))
            end = UINT64_MAX;
        t->align = align > t->align ? align : t->align;
        t->nesting = e->nesting > t->nesting ? e->nesting : t->nesting;
        if (!wgt_add_u64(t->leaves, e->leaves, &t->leaves))
            t->leaves = UINT64_MAX;
        all &= e->flags;
        any |= e->flags & (WS_F_ATOMIC | WS_F_RUNTIME | WS_F_OVERRIDE | WS_F_BOOL);
    }
    t->nesting++;
    t->flags = (uint16_t)(all | any);
    t->size = round_up(end, t->align);
    return t;
}

const ws_type *wgt_ws_with_scalar(wgt_wgsl *m, const ws_type *shape, const ws_type *scalar) {
    if (scalar == NULL)
        return NULL;
    if (shape->kind == WS_T_VECTOR)
        return wgt_ws_vector(m, scalar, shape->rows);
    if (shape->kind == WS_T_MATRIX)
        return wgt_ws_matrix(m, scalar, shape->columns, shape->rows);
    return scalar;
}

const ws_type *wgt_ws_scalar_of(const ws_type *type) {
    return type->kind == WS_T_VECTOR || type->kind == WS_T_MATRIX || type->kind == WS_T_ATOMIC
               ? type->element
               : type;
}

bool wgt_ws_size_under(ws_eval *e, const ws_type *type, uint64_t *size, wgt_error *error) {
    (void)error;
    if ((type->flags & WS_F_OVERRIDE) == 0) {
        *size = type->size;
        return true;
    }
    /* override-sized arrays are outermost only, so that no struct and no array holds one */
    const ws_value *v = wgt_ws_evaluate(e, type->length);
    if (v == NULL)
        return false;
    int64_t count = wgt_ws_leaf(v, 0).i;
    if (count < 1)
        return wgt_ws_eval_fail(e, type->length->token, "an array's length is %lld, it must be at least 1",
                                (long long)count);
    if (!wgt_mul_u64(type->stride, (uint64_t)count, size) || *size > UINT32_MAX)
        return wgt_ws_eval_fail(e, type->length->token, "an array of %lld elements is too large",
                                (long long)count);
    return true;
}
