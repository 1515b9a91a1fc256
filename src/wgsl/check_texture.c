/* Texture functions: which texture, coordinates, extras and result each takes. */
#include "internal.h"
#include "functions.h"

static bool wrong(ws_checker *c, const ws_expr *x, const ws_named *f) {
    char memory[240];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    for (const ws_expr *y = x->b; y != NULL; y = y->next) {
        wgt_put(&out, y->type->name);
        if (y->next != NULL)
            wgt_put(&out, WGT_STR(", "));
    }
    return wgt_ws_error(c->m, "type", x->token, "'%s' does not take (%.*s)", f->name, (int)out.size, out.data);
}

static unsigned coordinates(const ws_type *t) {
    static const uint8_t widths[] = {1, 2, 2, 3, 3, 3, 2};
    return t->kind == WS_T_TEXTURE_EXTERNAL ? 2 : widths[t->dim];
}

static bool is_array(const ws_type *t) {
    return t->kind != WS_T_TEXTURE_EXTERNAL && (t->dim == WS_D_2D_ARRAY || t->dim == WS_D_CUBE_ARRAY);
}

static bool is_texture(const ws_type *t) { return t->kind >= WS_T_TEXTURE && t->kind <= WS_T_TEXTURE_EXTERNAL; }

static bool take_floats(ws_checker *c, ws_expr **at, unsigned width) {
    ws_expr *y = *at;
    const ws_type *f = c->m->scalars[WS_T_F32];
    if (y == NULL || !wgt_ws_coerce(c, y, width == 1 ? f : wgt_ws_vector(c->m, f, width)))
        return false;
    *at = y->next;
    return true;
}

/* i32 or u32, scalar or vector */
static bool take_ints(ws_checker *c, ws_expr **at, unsigned width) {
    ws_expr *y = *at;
    if (y == NULL || !wgt_ws_concretize(c, y))
        return false;
    const ws_type *t = y->type;
    bool ok = width == 1 ? wgt_ws_is_int(t)
                         : t->kind == WS_T_VECTOR && t->rows == width && wgt_ws_is_int(t->element);
    *at = y->next;
    return ok;
}

/* The constant offset at the end, where the call may have one. */
static bool take_offset(ws_checker *c, ws_expr **at, const ws_type *t, bool *bad) {
    ws_expr *y = *at;
    if (y == NULL)
        return true;
    if (t->dim == WS_D_CUBE || t->dim == WS_D_CUBE_ARRAY || t->dim == WS_D_1D ||
        !wgt_ws_coerce(c, y, wgt_ws_vector(c->m, c->m->scalars[WS_T_I32], coordinates(t))))
        return false;
    if (y->stage != WS_CONSTANT)
        return *bad = true, wgt_ws_error(c->m, "type", y->token, "a texture offset must be a constant");
    for (uint64_t i = 0; y->value != NULL && i < y->type->leaves; i++) {
        int64_t v = wgt_ws_leaf(y->value, i).i;
        if (v < -8 || v > 7)
            return *bad = true, wgt_ws_error(c->m, "type", y->token, "a texture offset must be from -8 to 7");
    }
    *at = y->next;
    return true;
}

static const ws_type *vec4(ws_checker *c, const ws_type *scalar) { return wgt_ws_vector(c->m, scalar, 4); }
static const ws_type *f32(ws_checker *c) { return c->m->scalars[WS_T_F32]; }

static bool sampler(ws_expr **at, bool comparison) {
    ws_expr *y = *at;
    if (y == NULL || y->type->kind != (comparison ? WS_T_SAMPLER_COMPARISON : WS_T_SAMPLER))
        return false;
    *at = y->next;
    return true;
}

static bool check_query(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type, *u = c->m->scalars[WS_T_U32];
    ws_expr *rest = x->b->next;
    bool many = t->kind != WS_T_TEXTURE_EXTERNAL && t->dim == WS_D_MULTISAMPLED;
    bool levels = (t->kind == WS_T_TEXTURE || t->kind == WS_T_TEXTURE_DEPTH) && !many;
    x->type = u;
    switch (f->id) {
    case WS_FN_textureNumLayers: return is_array(t) || wrong(c, x, f);
    case WS_FN_textureNumLevels: return levels || wrong(c, x, f);
    case WS_FN_textureNumSamples: return many || wrong(c, x, f);
    default: {
        if (rest != NULL && (!levels || !take_ints(c, &rest, 1)))
            return wrong(c, x, f);
        unsigned width = coordinates(t);
        if (t->kind != WS_T_TEXTURE_EXTERNAL && (t->dim == WS_D_CUBE || t->dim == WS_D_CUBE_ARRAY))
            width = 2;
        x->type = width == 1 ? u : wgt_ws_vector(c->m, u, width);
        return x->type != NULL;
    }
    }
}

static bool check_load(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type;
    ws_expr *rest = x->b->next;
    if ((t->kind == WS_T_TEXTURE || t->kind == WS_T_TEXTURE_DEPTH) &&
        (t->dim == WS_D_CUBE || t->dim == WS_D_CUBE_ARRAY))
        return wrong(c, x, f);
    bool ok = take_ints(c, &rest, coordinates(t)) && (!is_array(t) || take_ints(c, &rest, 1));
    if (t->kind == WS_T_TEXTURE || t->kind == WS_T_TEXTURE_DEPTH)
        ok = ok && take_ints(c, &rest, 1); /* level or sample */
    if (!ok || rest != NULL)
        return wrong(c, x, f);
    if (t->kind == WS_T_TEXTURE_STORAGE && t->access == WS_A_WRITE)
        return wgt_ws_error(c->m, "type", x->token, "this storage texture is write-only");
    if (t->kind == WS_T_TEXTURE_DEPTH)
        x->type = f32(c);
    else if (t->kind == WS_T_TEXTURE_STORAGE)
        x->type = vec4(c, c->m->scalars[wgt_ws_format_channel(t->format)]);
    else
        x->type = vec4(c, t->kind == WS_T_TEXTURE ? t->element : f32(c));
    return x->type != NULL;
}

static bool check_store(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type;
    ws_expr *rest = x->b->next;
    if (t->kind != WS_T_TEXTURE_STORAGE || !take_ints(c, &rest, coordinates(t)) ||
        (is_array(t) && !take_ints(c, &rest, 1)) || rest == NULL ||
        !wgt_ws_coerce(c, rest, vec4(c, c->m->scalars[wgt_ws_format_channel(t->format)])) || rest->next != NULL)
        return wrong(c, x, f);
    if (t->access == WS_A_READ)
        return wgt_ws_error(c->m, "type", x->token, "this storage texture is read-only");
    x->type = c->m->scalars[WS_T_VOID];
    return true;
}

static bool check_gather(ws_checker *c, ws_expr *x, const ws_named *f) {
    ws_expr *at = x->b;
    bool bad = false, compare = f->id == WS_FN_textureGatherCompare;
    const ws_type *t = at->type;
    if (!is_texture(t)) {
        if (!wgt_ws_is_int(t) || !wgt_ws_concretize(c, at) || at->next == NULL)
            return wrong(c, x, f);
        if (at->stage != WS_CONSTANT || (at->value != NULL && (uint64_t)wgt_ws_leaf(at->value, 0).i > 3))
            return wgt_ws_error(c->m, "type", at->token, "the component must be a constant from 0 to 3");
        at = at->next;
        t = at->type;
        if (t->kind != WS_T_TEXTURE)
            return wrong(c, x, f);
    } else if (t->kind != WS_T_TEXTURE_DEPTH) {
        return wrong(c, x, f);
    }
    if (t->dim == WS_D_1D || t->dim == WS_D_3D || t->dim == WS_D_MULTISAMPLED)
        return wrong(c, x, f);
    at = at->next;
    if (!sampler(&at, compare) || !take_floats(c, &at, coordinates(t)) || (is_array(t) && !take_ints(c, &at, 1)) ||
        (compare && !take_floats(c, &at, 1)) || !take_offset(c, &at, t, &bad) || at != NULL)
        return bad ? false : wrong(c, x, f);
    x->type = vec4(c, t->kind == WS_T_TEXTURE ? t->element : f32(c));
    return x->type != NULL;
}

static bool check_sample(ws_checker *c, ws_expr *x, const ws_named *f) {
    const ws_type *t = x->b->type;
    ws_expr *at = x->b->next;
    bool bad = false, depth = t->kind == WS_T_TEXTURE_DEPTH;
    bool compare = f->id == WS_FN_textureSampleCompare || f->id == WS_FN_textureSampleCompareLevel;
    bool clamps = f->id == WS_FN_textureSampleBaseClampToEdge;
    if (clamps && (t->kind == WS_T_TEXTURE_EXTERNAL || (t->kind == WS_T_TEXTURE && t->dim == WS_D_2D))) {
        if (!sampler(&at, false) || !take_floats(c, &at, 2) || at != NULL)
            return wrong(c, x, f);
        x->type = vec4(c, f32(c));
        return x->type != NULL;
    }
    bool sampled = t->kind == WS_T_TEXTURE && t->element->kind == WS_T_F32 && t->dim != WS_D_MULTISAMPLED;
    bool level = f->id == WS_FN_textureSampleLevel, plain = f->id == WS_FN_textureSample;
    bool ok = compare ? depth : sampled || (depth && (level || plain));
    if (depth && t->dim == WS_D_MULTISAMPLED)
        ok = false;
    if (sampled && t->dim == WS_D_1D && !plain && !level)
        ok = false;
    if (clamps || !ok || !sampler(&at, compare) || !take_floats(c, &at, coordinates(t)) ||
        (is_array(t) && !take_ints(c, &at, 1)))
        return wrong(c, x, f);
    if (level && depth)
        ok = take_ints(c, &at, 1);
    else if (level || compare || f->id == WS_FN_textureSampleBias)
        ok = take_floats(c, &at, 1);
    else if (f->id == WS_FN_textureSampleGrad)
        ok = take_floats(c, &at, coordinates(t)) && take_floats(c, &at, coordinates(t));
    if (!ok || !take_offset(c, &at, t, &bad) || at != NULL)
        return bad ? false : wrong(c, x, f);
    x->type = depth ? f32(c) : vec4(c, f32(c));
    return x->type != NULL;
}

bool wgt_ws_check_texture_call(ws_checker *c, ws_expr *x, const ws_named *f) {
    if (f->id == WS_FN_textureGather || f->id == WS_FN_textureGatherCompare)
        return check_gather(c, x, f);
    if (!is_texture(x->b->type))
        return wrong(c, x, f);
    switch (f->id) {
    case WS_FN_textureDimensions:
    case WS_FN_textureNumLayers:
    case WS_FN_textureNumLevels:
    case WS_FN_textureNumSamples: return check_query(c, x, f);
    case WS_FN_textureLoad: return check_load(c, x, f);
    case WS_FN_textureStore: return check_store(c, x, f);
    default: return check_sample(c, x, f);
    }
}
