/* wgtune/job.h: a job file (a kernel, its problem, what may vary) read, checked against the kernel and
 * bound: sizes and contents of every buffer, the candidates, the checks. wgt_job_parse is pure; only
 * wgt_job_load and file bindings touch files. */
#ifndef WGTUNE_JOB_H
#define WGTUNE_JOB_H

#include "wgtune/adapter.h"
#include "wgtune/wgsl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_job wgt_job;

typedef struct wgt_named {
    wgt_str name;
    double value;
} wgt_named;

typedef struct wgt_job_options {
    const wgt_allocator *allocator; /* NULL: malloc (where the host part is linked) */
    const wgt_named *problem;       /* values that replace the file's; an unknown name is an error */
    size_t problem_count;
} wgt_job_options;

/* Reads a job file and the kernel beside it. Errors: WGT_BAD_INPUT with `file:line:column: what is
 * wrong, what is allowed` (of the job, or of the kernel), WGT_NO_MEMORY. */
WGT_API wgt_status wgt_job_load(const wgt_job_options *options, const char *path, wgt_job **job,
                                wgt_error *error);
/* The same from texts. `kernel_name` names the kernel's text in messages; file bindings are read
 * relative to `folder` (NULL: they are refused). The texts are copied. */
WGT_API wgt_status wgt_job_parse(const wgt_job_options *options, wgt_str name, wgt_str text,
                                 wgt_str kernel_name, wgt_str kernel_text, const char *folder,
                                 wgt_job **job, wgt_error *error);
/* Only the kernel's path that a job's text names (as written), to read it before wgt_job_parse. */
WGT_API wgt_status wgt_job_kernel_path(wgt_str name, wgt_str text, char *path, size_t capacity,
                                       wgt_error *error);
WGT_API void wgt_job_destroy(wgt_job **job);

typedef enum wgt_reset { WGT_RESET_NEVER = 0, WGT_RESET_EACH, WGT_RESET_SAMPLE } wgt_reset;
typedef enum wgt_check_mode {
    WGT_CHECK_NONE = 0,
    WGT_CHECK_SAME,  /* bitwise */
    WGT_CHECK_CLOSE, /* |a - b| <= atol + rtol |b|, elementwise; NaN equals NaN */
    WGT_CHECK_SUM,   /* the sums are equal (exact for integers; rtol for floats) */
    WGT_CHECK_SET    /* equal after sorting the elements */
} wgt_check_mode;
typedef enum wgt_fold { WGT_FOLD_NONE = 0, WGT_FOLD_KERNEL, WGT_FOLD_REWRITE } wgt_fold;

typedef struct wgt_job_binding {
    wgt_str name;
    uint32_t group, binding;
    wgt_binding_kind kind;
    uint64_t bytes;       /* of the buffer, a multiple of 4 */
    bool output;          /* its contents are checked */
    wgt_reset reset;
    wgt_check_mode check;
    double rtol, atol;
    bool unchanged_ok;
    bool has_reference;
    bool accumulates;     /* read and written: the second dispatch starts from what the first left */
    wgt_str element;      /* scalar type of the elements: "u32", "i32", "f32", "f16" */
} wgt_job_binding;

typedef struct wgt_job_constant {
    wgt_str name;         /* the override's, or WG_X ... for literal sizes */
    wgt_str key;          /* NUL-terminated: what the engine wants, the @id or the name */
    double default_value; /* the author's; NaN: none */
    bool sizes;           /* drives @workgroup_size */
    bool integer;
} wgt_job_constant;

typedef struct wgt_job_info {
    wgt_str name;         /* the job file's, without .job.json */
    wgt_str folder;       /* of the job file; empty for texts */
    wgt_str kernel;       /* the kernel's file name */
    wgt_str code;         /* the kernel's text */
    wgt_str text;         /* the job's text */
    wgt_str entry;        /* NUL-terminated */
    wgt_hash hash;        /* of the kernel's text, XXH3-128 */
    wgt_str space;        /* the tunable space and the checks in one canonical line, for the key */
    const wgt_named *problem;
    size_t problem_count;
    const wgt_job_binding *bindings;
    size_t binding_count;
    const wgt_job_constant *constants;
    size_t constant_count;
    double bytes_moved;   /* by one run; NaN: not given */
    wgt_fold fold;
    bool exact;           /* all checks are bitwise */
    bool unverified;      /* nothing is checked */
    bool unchanged_ok;
    bool has_reference;
    bool batchable;       /* no buffer forces a restore before each dispatch */
    bool divisible;       /* a part of the workgroups does a part of the work */
} wgt_job_info;
WGT_API const wgt_job_info *wgt_job_get_info(const wgt_job *job);
/* The kernel as it was read. */
WGT_API const wgt_wgsl *wgt_job_module(const wgt_job *job);

typedef struct wgt_candidate_options {
    bool all;                   /* no thinning */
    const uint32_t *sizes;      /* these sizes instead of "auto" (any, subgroup multiple or not) */
    size_t size_count;
} wgt_candidate_options;
/* The candidates under these limits: "auto" lists become subgroup multiples, the product with every other
 * constant's list is filtered by `where` (SKIPPED with the reason), the dispatch computed from `threads` or
 * `workgroups` and folded. The generator lives as long as the job, until the next call. Errors:
 * WGT_BAD_INPUT (no candidate at all; sizes given but no tunable size; a list's value that is no whole
 * number ≥ 1; a buffer above the limits). */
WGT_API wgt_status wgt_job_generate(wgt_job *job, const wgt_limits *limits, const wgt_budget *budget,
                                    const wgt_candidate_options *options, wgt_generator *generator,
                                    wgt_error *error);

/* The initial contents of a binding: `bytes` from `offset` (multiples of 4). The same on every host.
 * Errors: WGT_BAD_INPUT (a file that changed or is too short). */
WGT_API wgt_status wgt_job_fill(const wgt_job *job, size_t binding, uint64_t offset, void *data, size_t bytes,
                                wgt_error *error);
/* The reference of an output, in the same layout; only where has_reference. */
WGT_API wgt_status wgt_job_reference(const wgt_job *job, size_t binding, void *data, size_t bytes,
                                     wgt_error *error);
/* Whether two contents of an output agree by the job's check; `why` (may be NULL) says where they differ
 * first: `grid[1234]: 5, not 6`. Modifies nothing; SET may need scratch memory from the allocator. */
WGT_API wgt_status wgt_job_check(const wgt_job *job, size_t binding, const void *a, const void *b,
                                 uint64_t bytes, bool *equal, wgt_error *why, wgt_error *error);

#ifdef __cplusplus
}
#endif
#endif
