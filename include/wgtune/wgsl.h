/* wgtune/wgsl.h: what a WGSL text says, without a GPU: overrides, entry points, bindings, workgroup
 * storage, diagnostics. Pure. */
#ifndef WGTUNE_WGSL_H
#define WGTUNE_WGSL_H

#include "wgtune/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_wgsl wgt_wgsl; /* a module that was read */

typedef enum wgt_wgsl_space { WGT_SPACE_STORAGE = 0, WGT_SPACE_UNIFORM, WGT_SPACE_HANDLE } wgt_wgsl_space;

typedef enum wgt_binding_kind {
    WGT_BIND_STORAGE_READ = 0,
    WGT_BIND_STORAGE_READ_WRITE,
    WGT_BIND_UNIFORM
} wgt_binding_kind;

typedef struct wgt_wgsl_override {
    wgt_str name;
    int32_t id;           /* @id, or -1 */
    wgt_str type;         /* "u32", "i32", "f32", "f16", "bool" */
    bool has_default;
    double default_value; /* NaN when there is none or it depends on an override without a value */
    wgt_str default_expr; /* as written; empty: none */
    uint32_t line, column;
} wgt_wgsl_override;

typedef struct wgt_wgsl_member {
    wgt_str name, type;   /* aliases resolved */
    uint64_t offset, size; /* bytes */
    uint64_t stride;      /* of an array's element; 0 for others */
} wgt_wgsl_member;

typedef struct wgt_wgsl_binding {
    wgt_str name;
    uint32_t group, binding;
    wgt_wgsl_space space;
    wgt_binding_kind kind; /* of buffers; meaningless for handles */
    wgt_str access;       /* "read", "read_write", "write"; empty for uniform and plain handles */
    wgt_str type;         /* aliases resolved, such as "array<vec2<f32>>" */
    uint64_t size;        /* bytes, with one element of a runtime array; WGT_UNKNOWN_U64: depends on an override;
                             0 for handles */
    uint64_t stride;      /* of the (runtime or fixed) array's element; 0 when it is no array */
    wgt_str element;      /* the array's element type; the type itself when it is no array */
    bool runtime_sized;   /* ends in a runtime-sized array */
    bool atomic;          /* holds atomics */
    const wgt_wgsl_member *members; /* of a struct type */
    size_t member_count;
    uint32_t line, column;
} wgt_wgsl_binding;

/* Lists of indices into the module's overrides or bindings. */
typedef struct wgt_wgsl_list {
    const uint32_t *items;
    size_t count;
} wgt_wgsl_list;

typedef struct wgt_wgsl_entry {
    wgt_str name;
    wgt_str stage;                 /* "compute", "vertex", "fragment" */
    uint32_t line, column;
    wgt_str workgroup_size[3];     /* as written, "1" where left out; empty for other stages */
    wgt_wgsl_list sizing_overrides;/* that the size or a reachable workgroup array depends on, transitively */
    wgt_wgsl_list size_overrides;  /* those of the size alone */
    wgt_wgsl_list body_overrides;
    wgt_wgsl_list needs_values;    /* reached overrides without default */
    wgt_wgsl_list bindings;        /* reached resource variables */
    bool atomics, workgroup_barrier, storage_barrier, subgroup_ops;
    bool num_workgroups, workgroup_id; /* reads these built-ins */
} wgt_wgsl_entry;

typedef enum wgt_severity { WGT_SEVERITY_ERROR = 0, WGT_SEVERITY_WARNING, WGT_SEVERITY_INFO } wgt_severity;

typedef struct wgt_diagnostic {
    wgt_severity severity;
    const char *code;     /* such as "syntax", "unresolved", "literal-workgroup-size"; static storage */
    uint32_t line, column;
    wgt_str message, help;
} wgt_diagnostic;

typedef struct wgt_wgsl_options {
    const wgt_allocator *allocator; /* NULL is allowed only where the host part is linked: malloc */
    size_t memory_limit;            /* bytes; 0: 64 times the text plus 16 MiB */
} wgt_wgsl_options;

/* Reads a module. The text must outlive it. When the text is not WGSL, *module is still made (with
 * what could be read and its diagnostics) and the first error is in `error` as
 * `name:line:column: message`. Errors: WGT_BAD_INPUT, WGT_NO_MEMORY. */
WGT_API wgt_status wgt_wgsl_create(const wgt_wgsl_options *options, wgt_str name, wgt_str text,
                                   wgt_wgsl **module, wgt_error *error);
WGT_API void wgt_wgsl_destroy(wgt_wgsl **module);

WGT_API size_t wgt_wgsl_overrides(const wgt_wgsl *module, const wgt_wgsl_override **overrides);
WGT_API size_t wgt_wgsl_entries(const wgt_wgsl *module, const wgt_wgsl_entry **entries);
WGT_API size_t wgt_wgsl_bindings(const wgt_wgsl *module, const wgt_wgsl_binding **bindings);
WGT_API size_t wgt_wgsl_diagnostics(const wgt_wgsl *module, const wgt_diagnostic **diagnostics);
WGT_API size_t wgt_wgsl_enables(const wgt_wgsl *module, const wgt_str **names);
WGT_API size_t wgt_wgsl_requires(const wgt_wgsl *module, const wgt_str **names);

/* Values for overrides, by name. */
typedef struct wgt_wgsl_value {
    wgt_str name;
    double value;
} wgt_wgsl_value;

/* The entry's workgroup size under these values (defaults elsewhere); an axis that depends on an
 * override without a value is 0. Errors: WGT_BAD_INPUT where an axis comes out below 1, not whole, or
 * above 2^31-1. */
WGT_API wgt_status wgt_wgsl_workgroup_size(const wgt_wgsl *module, const wgt_wgsl_entry *entry,
                                           const wgt_wgsl_value *values, size_t value_count,
                                           uint32_t size[3], wgt_error *error);
/* Workgroup storage that the entry reaches: `counted` with each variable rounded up to 16, as the limit
 * counts; `raw` the plain sum. WGT_UNKNOWN_U64 where it depends on an override without a value. Errors:
 * WGT_BAD_INPUT where a length comes out below 1 or overflows. */
WGT_API wgt_status wgt_wgsl_workgroup_bytes(const wgt_wgsl *module, const wgt_wgsl_entry *entry,
                                            const wgt_wgsl_value *values, size_t value_count,
                                            uint64_t *counted, uint64_t *raw, wgt_error *error);
/* The value of an override under these values: its own if given, else its default; NaN when it has neither. */
WGT_API wgt_status wgt_wgsl_override_default(const wgt_wgsl *module, size_t override_index,
                                             const wgt_wgsl_value *values, size_t value_count,
                                             double *value, wgt_error *error);

#ifdef __cplusplus
}
#endif
#endif
