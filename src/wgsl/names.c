/* Keywords, reserved words, and what the language predeclares. */
#include "internal.h"
#include "functions.h"

#define TYPE(name, plain, shape, id) {#name, WS_N_TYPE, id, shape, 0, 0, plain},
#define VECTORS(suffix, kind)                                                                          \
    {"vec2" #suffix, WS_N_TYPE, kind, 2, 0, 0, WS_P_VECTOR},                                           \
        {"vec3" #suffix, WS_N_TYPE, kind, 3, 0, 0, WS_P_VECTOR},                                       \
        {"vec4" #suffix, WS_N_TYPE, kind, 4, 0, 0, WS_P_VECTOR},
#define MATRIX(c, r)                                                                                   \
    {"mat" #c "x" #r, WS_N_GENERATOR, WS_G_MATRIX, c * 8 + r, 1, 1, 0},                                \
        {"mat" #c "x" #r "f", WS_N_TYPE, WS_T_F32, c * 8 + r, 0, 0, WS_P_MATRIX},                      \
        {"mat" #c "x" #r "h", WS_N_TYPE, WS_T_F16, c * 8 + r, 0, 0, WS_P_MATRIX},
#define TEXTURE(name, kind, dim) {#name, WS_N_TYPE, kind, dim, 0, 0, WS_P_TEXTURE},
#define SAMPLED(name, dim) {#name, WS_N_GENERATOR, WS_G_TEXTURE, dim, 1, 1, 0},
#define STORAGE(name, dim) {#name, WS_N_GENERATOR, WS_G_TEXTURE_STORAGE, dim, 2, 2, 0},
#define FUNCTION(name, shape, low, high, flags)                                                        \
    {#name, WS_N_FUNCTION, WS_FN_##name, WS_SH_##shape, low, high, flags},
#define ENUMERANT(name, sort, number) {#name, WS_N_ENUMERANT, number, sort, 0, 0, 0},

enum {
#define FORMAT_ID(name, channel, access) FORMAT_##name,
    WS_FORMATS(FORMAT_ID)
#undef FORMAT_ID
        FORMAT_COUNT
};
#define FORMAT(name, channel, access) {#name, WS_N_ENUMERANT, FORMAT_##name, WS_EN_FORMAT, 0, 0, 0},

static const ws_named named[] = {
    TYPE(bool, WS_P_SCALAR, 0, WS_T_BOOL) TYPE(i32, WS_P_SCALAR, 0, WS_T_I32)
    TYPE(u32, WS_P_SCALAR, 0, WS_T_U32) TYPE(f32, WS_P_SCALAR, 0, WS_T_F32)
    TYPE(f16, WS_P_SCALAR, 0, WS_T_F16)
    VECTORS(i, WS_T_I32) VECTORS(u, WS_T_U32) VECTORS(f, WS_T_F32) VECTORS(h, WS_T_F16)
    MATRIX(2, 2) MATRIX(2, 3) MATRIX(2, 4) MATRIX(3, 2) MATRIX(3, 3) MATRIX(3, 4) MATRIX(4, 2)
    MATRIX(4, 3) MATRIX(4, 4)
    {"vec2", WS_N_GENERATOR, WS_G_VECTOR, 2, 1, 1, 0},
    {"vec3", WS_N_GENERATOR, WS_G_VECTOR, 3, 1, 1, 0},
    {"vec4", WS_N_GENERATOR, WS_G_VECTOR, 4, 1, 1, 0},
    {"array", WS_N_GENERATOR, WS_G_ARRAY, 0, 1, 2, 0},
    {"atomic", WS_N_GENERATOR, WS_G_ATOMIC, 0, 1, 1, 0},
    {"ptr", WS_N_GENERATOR, WS_G_POINTER, 0, 2, 3, 0},
    TYPE(sampler, WS_P_OPAQUE, 0, WS_T_SAMPLER)
    TYPE(sampler_comparison, WS_P_OPAQUE, 0, WS_T_SAMPLER_COMPARISON)
    TYPE(texture_external, WS_P_OPAQUE, 0, WS_T_TEXTURE_EXTERNAL)
    TEXTURE(texture_depth_2d, WS_T_TEXTURE_DEPTH, WS_D_2D)
    TEXTURE(texture_depth_2d_array, WS_T_TEXTURE_DEPTH, WS_D_2D_ARRAY)
    TEXTURE(texture_depth_cube, WS_T_TEXTURE_DEPTH, WS_D_CUBE)
    TEXTURE(texture_depth_cube_array, WS_T_TEXTURE_DEPTH, WS_D_CUBE_ARRAY)
    TEXTURE(texture_depth_multisampled_2d, WS_T_TEXTURE_DEPTH, WS_D_MULTISAMPLED)
    SAMPLED(texture_1d, WS_D_1D) SAMPLED(texture_2d, WS_D_2D)
    SAMPLED(texture_2d_array, WS_D_2D_ARRAY) SAMPLED(texture_3d, WS_D_3D)
    SAMPLED(texture_cube, WS_D_CUBE) SAMPLED(texture_cube_array, WS_D_CUBE_ARRAY)
    SAMPLED(texture_multisampled_2d, WS_D_MULTISAMPLED)
    STORAGE(texture_storage_1d, WS_D_1D) STORAGE(texture_storage_2d, WS_D_2D)
    STORAGE(texture_storage_2d_array, WS_D_2D_ARRAY) STORAGE(texture_storage_3d, WS_D_3D)
    ENUMERANT(read, WS_EN_ACCESS, WS_A_READ) ENUMERANT(write, WS_EN_ACCESS, WS_A_WRITE)
    ENUMERANT(read_write, WS_EN_ACCESS, WS_A_READ_WRITE)
    ENUMERANT(function, WS_EN_SPACE, WS_S_FUNCTION) ENUMERANT(private, WS_EN_SPACE, WS_S_PRIVATE)
    ENUMERANT(workgroup, WS_EN_SPACE, WS_S_WORKGROUP)
    ENUMERANT(uniform, WS_EN_SPACE, WS_S_UNIFORM) ENUMERANT(storage, WS_EN_SPACE, WS_S_STORAGE)
    ENUMERANT(immediate, WS_EN_SPACE, WS_S_IMMEDIATE)
    WS_FORMATS(FORMAT)
    WS_FUNCTIONS(FUNCTION)
};

static const struct {
    const char *name;
    ws_kind channel;
    bool read_write;
} formats[FORMAT_COUNT] = {
#define FORMAT_ROW(name, channel, access) {#name, WS_T_##channel, access},
    WS_FORMATS(FORMAT_ROW)
};

const char *wgt_ws_format_name(unsigned format) {
    return format < FORMAT_COUNT ? formats[format].name : "?";
}
ws_kind wgt_ws_format_channel(unsigned format) { return formats[format].channel; }
/* Which access modes a format takes as a storage texture: read and write always, both at once only for
 * the 32-bit single-channel ones. */
bool wgt_ws_format_access(unsigned format, unsigned access) {
    return access != WS_A_READ_WRITE || formats[format].read_write;
}

size_t wgt_ws_named_count(void) { return sizeof named / sizeof *named; }
const ws_named *wgt_ws_named_at(size_t index) { return &named[index]; }

static const struct {
    const char *name;
    uint8_t kind;
} keywords[] = {
    {"alias", WS_ALIAS}, {"break", WS_BREAK}, {"case", WS_CASE}, {"const", WS_CONST},
    {"const_assert", WS_CONST_ASSERT}, {"continue", WS_CONTINUE}, {"continuing", WS_CONTINUING},
    {"default", WS_DEFAULT}, {"diagnostic", WS_DIAGNOSTIC}, {"discard", WS_DISCARD},
    {"else", WS_ELSE}, {"enable", WS_ENABLE}, {"false", WS_FALSE}, {"fn", WS_FN}, {"for", WS_FOR},
    {"if", WS_IF}, {"let", WS_LET}, {"loop", WS_LOOP}, {"override", WS_OVERRIDE},
    {"requires", WS_REQUIRES}, {"return", WS_RETURN}, {"struct", WS_STRUCT}, {"switch", WS_SWITCH},
    {"true", WS_TRUE}, {"var", WS_VAR}, {"while", WS_WHILE},
};

static const char reserved[] =
    "NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become "
    "cast catch class co_await co_return co_yield coherent column_major common compile "
    "compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete "
    "demote demote_to_helper do dynamic_cast enum explicit export extends extern external "
    "fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements "
    "import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module "
    "move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent "
    "noperspective null nullptr of operator package packoffset pass patch pixelfragment "
    "precise precision premerge priv protected pub public readonly ref regardless register "
    "reinterpret_cast require resource restrict self set shared sizeof smooth snorm static "
    "static_assert static_cast std subroutine super target template this thread_local throw trait try "
    "type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual "
    "volatile wgsl where with writeonly yield";

static const char *const punctuation[] = {
    "'&'", "'&&'", "'->'", "'@'", "'/'", "'!'", "'['", "']'", "'{'", "'}'", "':'", "','", "'='",
    "'=='", "'!='", "'>'", "'<'", "'<<'", "'<='", "'%'", "'-'", "'--'", "'.'", "'+'", "'++'", "'|'",
    "'||'", "'('", "')'", "';'", "'*'", "'~'", "'^'", "'+='", "'-='", "'*='", "'/='", "'%='", "'&='",
    "'|='", "'^='", "'<<='", "'>='", "'>>'", "'>>='",
};

const char *wgt_ws_token_name(unsigned kind) {
    static const char *const first[] = {"the end of the text", "an identifier", "a number",
                                        "something else", "a reserved word", "'_'"};
    if (kind < sizeof first / sizeof *first)
        return first[kind];
    if (kind >= WS_AND)
        return punctuation[kind - WS_AND];
    return keywords[kind - WS_ALIAS].name;
}

bool wgt_ws_predeclare(wgt_wgsl *m) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        wgt_str word = wgt_str_from(keywords[i].name);
        uint32_t s = wgt_ws_intern(m, word.data, word.size, wgt_ws_hash(word.data, word.size));
        if (m->no_memory)
            return false;
        m->symbols[s].kind = keywords[i].kind;
    }
    for (const char *at = reserved; *at != 0;) {
        size_t size = 0;
        while (at[size] != 0 && at[size] != ' ')
            size++;
        uint32_t s = wgt_ws_intern(m, at, size, wgt_ws_hash(at, size));
        if (m->no_memory)
            return false;
        m->symbols[s].kind = WS_RESERVED;
        at += size + (at[size] != 0);
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        wgt_str word = wgt_str_from(named[i].name);
        uint32_t s = wgt_ws_intern(m, word.data, word.size, wgt_ws_hash(word.data, word.size));
        if (m->no_memory)
            return false;
        m->symbols[s].named = &named[i];
    }
    return true;
}
