/* The WGSL front end's own vocabulary: tokens, syntax tree, types, constant values, and the module that
 * holds them. Stages: lex.c → parse*.c → check*.c (types, names, constants) → reflect.c.
 * Source of the rules: the WGSL specification, https://www.w3.org/TR/WGSL/. */
#ifndef WGT_WGSL_INTERNAL_H
#define WGT_WGSL_INTERNAL_H

#include "../base/memory.h"
#include "../base/number.h"
#include "../base/text.h"
#include "wgtune/wgsl.h"

#include <string.h>

#define WS_MAX_DIAGNOSTICS 64 /* later errors of one module are not recorded */
#define WS_MAX_NESTING 127    /* of statements, brackets and templates */
#define WS_MAX_DEPTH 512      /* of one expression tree */
#define WS_MAX_LEAVES 65536   /* scalars of one constant value that is worked out */
#define WS_MAX_REFERENCES 256 /* length of a chain of declarations that need one another first */

typedef enum ws_token_kind {
    WS_END = 0,
    WS_IDENT,
    WS_NUMBER,
    WS_BAD, /* reported by the lexer */
    WS_RESERVED,
    WS_UNDERSCORE,
    /* keywords */
    WS_ALIAS, WS_BREAK, WS_CASE, WS_CONST, WS_CONST_ASSERT, WS_CONTINUE, WS_CONTINUING, WS_DEFAULT,
    WS_DIAGNOSTIC, WS_DISCARD, WS_ELSE, WS_ENABLE, WS_FALSE, WS_FN, WS_FOR, WS_IF, WS_LET, WS_LOOP,
    WS_OVERRIDE, WS_REQUIRES, WS_RETURN, WS_STRUCT, WS_SWITCH, WS_TRUE, WS_VAR, WS_WHILE,
    /* punctuation; `>` stands alone always: `>>`, `>=`, `>>=` are put together by the parser, since a
     * template list may end in the middle of them */
    WS_AND, WS_AND_AND, WS_ARROW, WS_AT, WS_SLASH, WS_BANG, WS_LBRACKET, WS_RBRACKET, WS_LBRACE,
    WS_RBRACE, WS_COLON, WS_COMMA, WS_EQUAL, WS_EQUAL_EQUAL, WS_NOT_EQUAL, WS_GREATER, WS_LESS,
    WS_SHIFT_LEFT, WS_LESS_EQUAL, WS_PERCENT, WS_MINUS, WS_MINUS_MINUS, WS_DOT, WS_PLUS, WS_PLUS_PLUS,
    WS_OR, WS_OR_OR, WS_LPAREN, WS_RPAREN, WS_SEMICOLON, WS_STAR, WS_TILDE, WS_CARET, WS_PLUS_EQUAL,
    WS_MINUS_EQUAL, WS_STAR_EQUAL, WS_SLASH_EQUAL, WS_PERCENT_EQUAL, WS_AND_EQUAL, WS_OR_EQUAL,
    WS_CARET_EQUAL, WS_SHIFT_LEFT_EQUAL,
    /* made by the parser only */
    WS_GREATER_EQUAL, WS_SHIFT_RIGHT, WS_SHIFT_RIGHT_EQUAL
} ws_token_kind;

enum { WS_TEMPLATE_OPEN = 1, WS_TEMPLATE_CLOSE = 2 };

typedef struct ws_token {
    uint32_t offset, length;
    uint32_t symbol; /* of identifiers and keywords */
    uint8_t kind, flags;
} ws_token;

typedef struct ws_decl ws_decl;
typedef struct ws_expr ws_expr;
typedef struct ws_stmt ws_stmt;
typedef struct ws_type ws_type;
typedef struct ws_named ws_named;

typedef struct ws_symbol {
    const char *data;
    uint32_t size, hash;
    uint8_t kind;          /* WS_IDENT, WS_RESERVED or a keyword */
    const ws_named *named; /* what the language predeclares under this name, or NULL */
    ws_decl *global, *local;
    const ws_decl *member_of; /* the last struct that has a member of this name */
} ws_symbol;

/* --- types ------------------------------------------------------------------------------------- */

typedef enum ws_kind {
    WS_T_VOID = 0,
    WS_T_ABSTRACT_INT, WS_T_ABSTRACT_FLOAT, WS_T_BOOL, WS_T_I32, WS_T_U32, WS_T_F32, WS_T_F16,
    WS_T_VECTOR, WS_T_MATRIX, WS_T_ARRAY, WS_T_STRUCT, WS_T_ATOMIC, WS_T_POINTER,
    WS_T_SAMPLER, WS_T_SAMPLER_COMPARISON, WS_T_TEXTURE, WS_T_TEXTURE_DEPTH, WS_T_TEXTURE_STORAGE,
    WS_T_TEXTURE_EXTERNAL
} ws_kind;

typedef enum ws_space {
    WS_S_NONE = 0, WS_S_FUNCTION, WS_S_PRIVATE, WS_S_WORKGROUP, WS_S_UNIFORM, WS_S_STORAGE, WS_S_HANDLE,
    WS_S_IMMEDIATE
} ws_space;

typedef enum ws_access { WS_A_NONE = 0, WS_A_READ = 1, WS_A_WRITE = 2, WS_A_READ_WRITE = 3 } ws_access;

typedef enum ws_dim {
    WS_D_1D = 0, WS_D_2D, WS_D_2D_ARRAY, WS_D_3D, WS_D_CUBE, WS_D_CUBE_ARRAY, WS_D_MULTISAMPLED
} ws_dim;

enum { /* ws_type.flags */
    WS_F_CONSTRUCTIBLE = 1,
    WS_F_HOST = 2,      /* host-shareable */
    WS_F_STORABLE = 4,
    WS_F_FIXED = 8,     /* fixed footprint: its size is known when the pipeline is */
    WS_F_ATOMIC = 16,   /* is or holds an atomic */
    WS_F_RUNTIME = 32,  /* is or ends in a runtime-sized array */
    WS_F_OVERRIDE = 64, /* is or holds an array with an override in its length */
    WS_F_ABSTRACT = 128,
    WS_F_BOOL = 256     /* holds a bool */
};

#define WS_RUNTIME_COUNT 0u
#define WS_OVERRIDE_COUNT UINT64_MAX

struct ws_type {
    uint8_t kind;
    uint8_t columns, rows; /* a vector's width is in rows, columns 1 */
    uint8_t space, access, dim, format, nesting;
    uint16_t flags;
    const ws_type *element;
    uint64_t count;        /* of an array */
    const ws_expr *length; /* of an override-sized array */
    ws_decl *decl;         /* of a struct */
    uint64_t size, align, stride; /* size of a runtime array or of what ends in one: with one element */
    uint64_t leaves;       /* scalars in it, saturating */
    wgt_str name;          /* aliases resolved */
    const ws_type *chain;  /* of the intern table */
};

typedef union ws_scalar {
    int64_t i;
    double f;
} ws_scalar;

/* A constant: its scalars flattened in order; scalars NULL: all zero. */
typedef struct ws_value {
    const ws_type *type;
    const ws_scalar *scalars;
} ws_value;

/* --- the tree ---------------------------------------------------------------------------------- */

typedef enum ws_expr_kind {
    WS_E_LITERAL, WS_E_BOOL, WS_E_IDENT, WS_E_CALL, WS_E_INDEX, WS_E_MEMBER, WS_E_UNARY, WS_E_BINARY
} ws_expr_kind;

typedef enum ws_stage { WS_CONSTANT = 0, WS_OVERRIDABLE, WS_RUNTIME } ws_stage;

struct ws_expr {
    uint8_t kind, op, stage;
    bool reference;        /* evaluates to memory; `type` is then the store type */
    bool paren;            /* stands in parentheses */
    bool checked;
    uint8_t space, access; /* of the reference */
    uint16_t depth;
    uint8_t lane;          /* of a vector's member: first lane + 1; 0: no single lane */
    uint32_t token;        /* the one that errors point at */
    uint32_t begin, end;   /* tokens covered: [begin, end) */
    uint32_t symbol;       /* of an identifier or member */
    uint32_t count;        /* arguments in `b` (call), template arguments in `a` (identifier) */
    const ws_type *type;
    const ws_value *value; /* of constants; NULL: not worked out */
    ws_decl *decl;         /* what an identifier or member is; the root variable of a reference */
    const ws_named *named; /* the predeclared function, type or enumerant meant */
    ws_expr *a, *b, *next; /* operands; a call: a = callee, b = arguments */
};

typedef enum ws_stmt_kind {
    WS_BLOCK, WS_S_IF, WS_S_SWITCH, WS_S_CASE, WS_S_LOOP, WS_S_FOR, WS_S_WHILE, WS_S_BREAK, WS_S_BREAK_IF,
    WS_S_CONTINUE, WS_S_RETURN, WS_S_DISCARD, WS_S_CALL, WS_S_ASSIGN, WS_S_PHONY, WS_S_INCREMENT,
    WS_S_DECREMENT, WS_S_DECL, WS_S_ASSERT
} ws_stmt_kind;

struct ws_stmt {
    uint8_t kind, op;       /* op: the token kind of a compound assignment's operator, WS_EQUAL else */
    bool is_default;        /* of a case */
    uint32_t token, begin, end;
    ws_expr *a, *b;         /* condition, value, target and source; a case: list of selectors */
    ws_stmt *body;          /* first statement of a block, loop, case; of an if: its block */
    ws_stmt *other;         /* else (a block or an if); continuing block; a for's update */
    ws_stmt *init;          /* of a for */
    ws_decl *decl;
    ws_stmt *next;
    uint32_t body_end;      /* token of a block's closing brace */
};

typedef struct ws_attribute ws_attribute;
struct ws_attribute {
    uint32_t token; /* of the name */
    uint32_t begin, end;
    ws_expr *arguments;
    uint32_t count;
    ws_attribute *next;
};

typedef enum ws_decl_kind {
    WS_D_ALIAS, WS_D_STRUCT, WS_D_CONST, WS_D_OVERRIDE, WS_D_VAR, WS_D_LET, WS_D_FN, WS_D_PARAM,
    WS_D_MEMBER, WS_D_ASSERT
} ws_decl_kind;

typedef struct ws_use ws_use;
struct ws_use {
    ws_decl *decl;
    uint32_t token; /* where it is used first */
    bool in_type;   /* as a part of an array's length */
    ws_use *next;
};

typedef enum ws_function_flags {
    WS_U_ATOMICS = 1, WS_U_WORKGROUP_BARRIER = 2, WS_U_STORAGE_BARRIER = 4, WS_U_SUBGROUP = 8,
    WS_U_DISCARD = 16, WS_U_FRAGMENT = 32, /* calls what only fragment shaders may */
    WS_U_TEXTURE_BARRIER = 64, WS_U_COMPUTE = 128
} ws_function_flags;

typedef enum ws_builtin_bits {
    WS_B_NUM_WORKGROUPS = 1, WS_B_WORKGROUP_ID = 2, WS_B_GLOBAL_ID = 4, WS_B_LOCAL_ID = 8,
    WS_B_LOCAL_INDEX = 16
} ws_builtin_bits;

struct ws_decl {
    uint8_t kind;
    uint8_t space, access;   /* of a var */
    uint8_t state;           /* 0 untouched, 1 being worked out, 2 done, 3 failed */
    uint8_t stage_of;        /* of an entry point: 1 vertex, 2 fragment, 3 compute */
    bool module_scope;
    bool must_use;           /* of a function */
    uint8_t builtins;        /* ws_builtin_bits of an entry's inputs, or of a struct's members */
    uint32_t symbol;
    uint32_t token;          /* of the name */
    uint32_t begin, end;
    uint32_t index;          /* among overrides, bindings; a parameter's or member's place */
    uint32_t scope;          /* depth of the scope of a local */
    uint32_t count;          /* members, parameters */
    uint32_t flags;          /* ws_function_flags */
    int32_t id;              /* @id, or -1 */
    uint32_t group, binding; /* UINT32_MAX: none */
    uint64_t offset, size;   /* of a member */
    ws_attribute *attributes, *return_attributes;
    ws_expr *templates;      /* of a var: the address space and access */
    ws_expr *type_expr, *init;
    const ws_type *type;     /* a function's result */
    const ws_value *value;
    ws_decl *members;        /* or parameters */
    ws_stmt *body;
    ws_expr *workgroup[3];   /* of a compute entry point */
    ws_use *uses, **uses_tail; /* what its text needs */
    ws_use *size_uses, **size_tail; /* what an entry's size needs */
    ws_decl *hidden;         /* the declaration of that name that this local hides */
    ws_decl *shadow_next;    /* locals of one scope */
    const void *stamp[2];    /* who used it last: in its text, and in an array's length */
    const void *seen;        /* by which walk over the graph it was reached */
    ws_decl *next;
};

typedef enum ws_named_kind { WS_N_TYPE, WS_N_GENERATOR, WS_N_FUNCTION, WS_N_ENUMERANT } ws_named_kind;

/* How a predeclared function takes its arguments. The letters of names.c; see check_call.c. */
struct ws_named {
    const char *name;
    uint8_t kind;    /* ws_named_kind */
    uint8_t id;      /* ws_kind of a type, ws_function of a function, the enumerant's number */
    uint8_t shape;   /* of a function: ws_shape; of a type or generator: packed details */
    uint8_t low, high; /* arguments */
    uint16_t flags;  /* ws_named_flags */
};

typedef enum ws_named_flags {
    WS_NF_CONSTANT = 1,  /* can be worked out ahead */
    WS_NF_MUST_USE = 2,
    WS_NF_ATOMIC = 4,
    WS_NF_SUBGROUP = 8,
    WS_NF_FRAGMENT = 16,
    WS_NF_BARRIER = 32,  /* any kind of barrier */
    WS_NF_TEXTURE = 64,
    WS_NF_COMPUTE = 128
} ws_named_flags;

/* --- the module -------------------------------------------------------------------------------- */

enum { WS_X_F16 = 1, WS_X_SUBGROUPS = 2, WS_X_DUAL_SOURCE = 4, WS_X_CLIP = 8, WS_X_PRIMITIVE = 16 };

struct wgt_wgsl {
    const wgt_allocator *allocator;
    wgt_arena arena;
    bool no_memory;    /* everything winds down quickly once this is set */
    bool fatal;        /* the text is no WGSL at all: nothing more is reported */
    bool syntax_error; /* what is found after the parse is not reported */
    wgt_str foreign;   /* the first thing of a preprocessor or template; the tokens end before it */
    uint32_t foreign_offset;
    wgt_str name, text;

    ws_token *tokens;
    uint32_t token_count;
    uint32_t *lines; /* offset of each line's first byte */
    uint32_t line_count;

    ws_symbol *symbols;
    uint32_t symbol_count, symbol_capacity;
    uint32_t *symbol_table; /* open addressing; symbol + 1 */
    uint32_t symbol_mask;

    ws_decl *decls, **decls_tail;
    uint32_t decl_count;
    uint32_t extensions; /* WS_X_… that are enabled */

    const ws_type **types; /* intern table, chained */
    uint32_t type_mask, type_count;
    const ws_type *scalars[WS_T_F16 + 1];
    const ws_type *vectors[WS_T_F16 + 1][5];
    const ws_type *results[32]; /* structs of predeclared functions, by kind */

    wgt_diagnostic *diagnostics;
    size_t diagnostic_count;
    size_t error_count;

    wgt_wgsl_override *overrides;
    ws_decl **override_decls;
    size_t override_count;
    wgt_wgsl_binding *bindings;
    ws_decl **binding_decls;
    size_t binding_count;
    wgt_wgsl_entry *entries;
    ws_decl **entry_decls;
    ws_decl ***entry_workgroup; /* each entry's workgroup variables, NULL at the end */
    size_t entry_count;
    wgt_str *enables, *requires_;
    size_t enable_count, require_count;
};

/* An array that grows in the module's arena. */
#define WS_GROW(m, array, count, capacity)                                                             \
    ((count) < (capacity) ||                                                                           \
     wgt_ws_grow((m), (void **)&(array), &(capacity), (count), sizeof *(array)))
bool wgt_ws_grow(wgt_wgsl *m, void **array, size_t *capacity, size_t count, size_t size);
void *wgt_ws_alloc(wgt_wgsl *m, size_t count, size_t size); /* NULL sets no_memory */
#define WS_NEW(m, type) ((type *)wgt_ws_alloc((m), 1, sizeof(type)))

/* diag.c */
void wgt_ws_report(wgt_wgsl *m, wgt_severity severity, const char *code, uint32_t offset,
                   const char *help, const char *format, ...) WGT_PRINTF(6, 7);
/* An error at a token; returns false, so that checks can return it. */
bool wgt_ws_error(wgt_wgsl *m, const char *code, uint32_t token, const char *format, ...)
    WGT_PRINTF(4, 5);
void wgt_ws_place(const wgt_wgsl *m, uint32_t offset, uint32_t *line, uint32_t *column);
void wgt_ws_sort_diagnostics(wgt_wgsl *m);
wgt_str wgt_ws_text(const wgt_wgsl *m, uint32_t begin, uint32_t end); /* of tokens [begin, end) */
wgt_str wgt_ws_symbol_text(const wgt_wgsl *m, uint32_t symbol);
#define WS_S(str) (int)((str).size > 60 ? 60 : (str).size), (str).data /* for %.*s */

/* lex.c, names.c, unicode.c, number.c */
bool wgt_ws_lex(wgt_wgsl *m);
uint32_t wgt_ws_intern(wgt_wgsl *m, const char *data, size_t size, uint32_t hash);
uint32_t wgt_ws_hash(const char *data, size_t size);
bool wgt_ws_predeclare(wgt_wgsl *m);
size_t wgt_ws_named_count(void);
const ws_named *wgt_ws_named_at(size_t index);
const char *wgt_ws_token_name(unsigned kind);
bool wgt_ws_is_start(uint32_t code);
bool wgt_ws_is_continue(uint32_t code);
/* Reads a number token; the type's kind and the value. false: reported. */
bool wgt_ws_number(wgt_wgsl *m, uint32_t token, ws_kind *kind, ws_scalar *value);
size_t wgt_ws_utf8(const char *data, size_t size, uint32_t *code); /* 0: invalid */

/* parse.c, parse_expr.c */
typedef struct ws_parser {
    wgt_wgsl *m;
    uint32_t at;
    uint32_t nesting;
    bool failed; /* in the current declaration or statement */
} ws_parser;
void wgt_ws_parse(wgt_wgsl *m);
ws_expr *wgt_ws_parse_expression(ws_parser *p);
ws_expr *wgt_ws_parse_left(ws_parser *p); /* the left side of an assignment */
ws_expr *wgt_ws_parse_type(ws_parser *p);
ws_expr *wgt_ws_parse_arguments(ws_parser *p, unsigned close, uint32_t *count);
unsigned wgt_ws_peek(const ws_parser *p);
bool wgt_ws_expect(ws_parser *p, unsigned kind, const char *where);
bool wgt_ws_syntax(ws_parser *p, const char *format, ...) WGT_PRINTF(2, 3);
bool wgt_ws_enter(ws_parser *p);

/* types.c */
bool wgt_ws_types_init(wgt_wgsl *m);
const ws_type *wgt_ws_vector(wgt_wgsl *m, const ws_type *element, unsigned width);
const ws_type *wgt_ws_matrix(wgt_wgsl *m, const ws_type *element, unsigned columns, unsigned rows);
const ws_type *wgt_ws_array(wgt_wgsl *m, const ws_type *element, uint64_t count, const ws_expr *length);
const ws_type *wgt_ws_atomic(wgt_wgsl *m, const ws_type *element);
const ws_type *wgt_ws_pointer(wgt_wgsl *m, ws_space space, const ws_type *element, ws_access access);
const ws_type *wgt_ws_texture(wgt_wgsl *m, ws_kind kind, ws_dim dim, const ws_type *sampled, unsigned format,
                              ws_access access);
const ws_type *wgt_ws_struct(wgt_wgsl *m, ws_decl *decl); /* members have their types */
const ws_type *wgt_ws_with_scalar(wgt_wgsl *m, const ws_type *shape, const ws_type *scalar);
const ws_type *wgt_ws_scalar_of(const ws_type *type); /* of a vector or matrix, else the type */
const char *wgt_ws_space_name(unsigned space);
const char *wgt_ws_access_name(unsigned access);
const char *wgt_ws_format_name(unsigned format);
ws_kind wgt_ws_format_channel(unsigned format);
bool wgt_ws_format_access(unsigned format, unsigned access);
static inline bool wgt_ws_is_scalar(const ws_type *t) {
    return t->kind >= WS_T_ABSTRACT_INT && t->kind <= WS_T_F16;
}
static inline bool wgt_ws_is_int(const ws_type *t) {
    return t->kind == WS_T_I32 || t->kind == WS_T_U32 || t->kind == WS_T_ABSTRACT_INT;
}
static inline bool wgt_ws_is_float(const ws_type *t) {
    return t->kind == WS_T_F32 || t->kind == WS_T_F16 || t->kind == WS_T_ABSTRACT_FLOAT;
}
static inline bool wgt_ws_is_numeric(const ws_type *t) { return wgt_ws_is_int(t) || wgt_ws_is_float(t); }
/* The size in bytes under values for overrides; false: not known or an overflow. */
typedef struct ws_eval ws_eval;
bool wgt_ws_size_under(ws_eval *e, const ws_type *type, uint64_t *size, wgt_error *error);

/* const.c, const_call.c: constant evaluation */
struct ws_eval {
    wgt_wgsl *m;
    wgt_arena *arena;
    bool pipeline;   /* override values are known: `values`, indexed as m->overrides */
    const double *values; /* NaN: none */
    const ws_value *const *override_values;
    /* Where an evaluation fails: the token and what is wrong; failed stays false where a value is just
     * not known. */
    bool failed;
    uint32_t token;
    char message[160];
};
bool wgt_ws_eval_fail(ws_eval *e, uint32_t token, const char *format, ...) WGT_PRINTF(3, 4);
const ws_value *wgt_ws_make_value(ws_eval *e, const ws_type *type, ws_scalar **scalars);
const ws_value *wgt_ws_convert(ws_eval *e, const ws_value *value, const ws_type *type, uint32_t token,
                               bool explicit_);
const ws_value *wgt_ws_eval_unary(ws_eval *e, unsigned op, const ws_value *a, const ws_type *type,
                                  uint32_t token);
const ws_value *wgt_ws_eval_binary(ws_eval *e, unsigned op, const ws_value *a, const ws_value *b,
                                   const ws_type *type, uint32_t token);
const ws_value *wgt_ws_eval_index(ws_eval *e, const ws_value *a, int64_t index);
const ws_value *wgt_ws_eval_member(ws_eval *e, const ws_expr *x, const ws_value *a);
const ws_value *wgt_ws_eval_construct(ws_eval *e, const ws_type *type, const ws_value *const *arguments,
                                      size_t count, uint32_t token);
const ws_value *wgt_ws_eval_call(ws_eval *e, const ws_named *f, const ws_value *const *arguments, size_t count,
                                 const ws_type *type, uint32_t token);
/* A checked expression under values for overrides; NULL: not known, or failed. */
const ws_value *wgt_ws_evaluate(ws_eval *e, const ws_expr *x);
ws_scalar wgt_ws_leaf(const ws_value *v, uint64_t index);
double wgt_ws_as_double(const ws_value *v);

/* check*.c */
typedef struct ws_checker {
    wgt_wgsl *m;
    ws_eval eval;
    ws_use ***tail;        /* where uses are recorded; NULL: nowhere */
    const void *user;      /* who uses, for ws_decl.stamp */
    ws_decl *function;     /* whose body is checked */
    bool locals;           /* local names are visible */
    unsigned unevaluated;  /* > 0: constants are not worked out (short circuits) */
    unsigned in_length;    /* > 0: inside an array's length */
    uint32_t scope;
    ws_decl *scope_decls;  /* of the innermost scope */
    unsigned references;   /* depth of declarations that need one another */
    unsigned loops, switches, continuing; /* around the current statement */
    ws_decl *break_scope;
} ws_checker;
void wgt_ws_check(wgt_wgsl *m);
bool wgt_ws_check_decl(ws_checker *c, ws_decl *d);
const ws_type *wgt_ws_check_type(ws_checker *c, ws_expr *x);
/* Both false: reported. `value`: the load rule applies, the type is no reference's. */
bool wgt_ws_check_expr(ws_checker *c, ws_expr *x);
bool wgt_ws_check_value(ws_checker *c, ws_expr *x);
bool wgt_ws_check_call(ws_checker *c, ws_expr *x);
bool wgt_ws_check_builtin(ws_checker *c, ws_expr *x, const ws_named *f);
bool wgt_ws_check_texture_call(ws_checker *c, ws_expr *x, const ws_named *f);
bool wgt_ws_check_body(ws_checker *c, ws_decl *function);
bool wgt_ws_check_entry(ws_checker *c, ws_decl *function);
void wgt_ws_check_entry_graph(wgt_wgsl *m, const ws_decl *entry, ws_decl *const *reached, size_t count);
ws_decl *wgt_ws_lookup(ws_checker *c, uint32_t symbol);
void wgt_ws_use(ws_checker *c, ws_decl *d, uint32_t token);
bool wgt_ws_load(ws_checker *c, ws_expr *x);
bool wgt_ws_convertible(const ws_type *from, const ws_type *to, unsigned *rank);
bool wgt_ws_coerce(ws_checker *c, ws_expr *x, const ws_type *to); /* false: silent when not convertible */
bool wgt_ws_concretize(ws_checker *c, ws_expr *x);
const ws_type *wgt_ws_concrete(wgt_wgsl *m, const ws_type *t);
const ws_type *wgt_ws_unify(const ws_type *a, const ws_type *b); /* NULL: none */
void wgt_ws_eval_report(ws_checker *c);

/* reflect.c, lint.c */
void wgt_ws_reflect(wgt_wgsl *m);
void wgt_ws_default_values(wgt_wgsl *m); /* fills in each override's default_value */
void wgt_ws_lint(wgt_wgsl *m);

#endif
