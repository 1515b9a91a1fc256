/* What the files of this room share. */
#ifndef WGT_JOB_INTERNAL_H
#define WGT_JOB_INTERNAL_H

#include "wgtune/job.h"
#include "../base/hash.h"
#include "../base/json.h"
#include "../base/memory.h"
#include "../base/number.h"
#include "../base/text.h"
#include "../expr/expr.h"
#include "layout.h"

#define WGT_JOB_AXES 3
#define WGT_JOB_MAX_CLUSTERS 65536
#define WGT_JOB_MAX_GROUPS WGT_MAX_CONSTANTS

/* Where a part's scalars come from. */
typedef enum wgt_init_kind {
    WGT_INIT_ZERO = 0,
    WGT_INIT_VALUES,  /* the list, again and again for each element of a part */
    WGT_INIT_RANGE,
    WGT_INIT_UNIFORM,
    WGT_INIT_NORMAL,
    WGT_INIT_CLUSTERED,
    WGT_INIT_ONE_CELL,
    WGT_INIT_FILE     /* packed scalars, little endian */
} wgt_init_kind;

typedef struct wgt_init {
    wgt_init_kind kind;
    uint64_t seed;
    const double *low, *high; /* uniform and clustered: one for each scalar of an element */
    const double *values;     /* values: `value_count` of them; one-cell: one for each scalar */
    uint64_t value_count;
    double start, step;       /* range */
    double mean, sigma;       /* normal; clustered (sigma) */
    uint32_t clusters;
    wgt_str bytes;            /* file: the whole content */
    wgt_str file;             /* file: as written in the job */
} wgt_init;

/* A run of equal elements in a buffer: the whole of an array, or one member of a struct. */
typedef struct wgt_part {
    wgt_str member;           /* empty: the binding itself */
    bool array;               /* has an index in messages */
    bool in_each;             /* a member of each struct of an array */
    uint64_t offset, stride;  /* bytes */
    uint64_t count;           /* elements */
    const wgt_slot *slots;
    uint32_t slot_count;
    wgt_scalar scalar;        /* of the slots; NONE: only zeros and raw files */
    wgt_init init;
} wgt_part;

typedef struct wgt_bound {
    const wgt_wgsl_binding *variable;
    const wgt_json *node;     /* its description */
    const wgt_part *parts;
    size_t part_count;
    bool reads, writes;       /* what the kernel's text does with it */
    wgt_str reference;        /* packed scalars, part after part */
    wgt_str reference_name;
} wgt_bound;

/* Constants whose values go together: one alone, the members of a pair, or all that are "auto". */
typedef struct wgt_group {
    const wgt_json *node;
    bool automatic;
    uint8_t members[WGT_MAX_CONSTANTS]; /* indices of constants */
    uint8_t member_count;
    const double *rows;       /* row after row */
    size_t row_count;
} wgt_group;

typedef struct wgt_text_expr {
    wgt_expr *expr;
    const wgt_json *node;
} wgt_text_expr;

struct wgt_job {
    wgt_arena arena;
    wgt_arena candidates;     /* of the latest wgt_job_generate */
    const wgt_allocator *allocator;
    wgt_job_info info;
    wgt_str name, text;       /* of the job file, for messages */
    wgt_str kernel_name;
    wgt_str folder;           /* data NULL: file bindings are refused */
    const wgt_json *root;
    wgt_wgsl *module;
    const wgt_wgsl_entry *entry;
    bool strides;             /* the user's own entry reads num_workgroups */
    wgt_named *problem;
    size_t problem_count;
    wgt_job_binding *bindings;
    wgt_bound *bound;         /* beside info.bindings */
    size_t binding_count;
    wgt_job_constant constants[WGT_MAX_CONSTANTS];
    uint32_t override_of[WGT_MAX_CONSTANTS];
    size_t constant_count;
    wgt_group groups[WGT_JOB_MAX_GROUPS];
    size_t group_count;
    wgt_text_expr *where;
    size_t where_count;
    wgt_text_expr axes[WGT_JOB_AXES];
    size_t axis_count;
    bool axes_are_workgroups;
    /* Of the latest wgt_job_generate. */
    wgt_limits limits;
    wgt_group made[WGT_JOB_MAX_GROUPS];
    size_t made_count;
};

/* Names with values while an expression is evaluated: the problem, the constants of one candidate,
 * the limits. */
typedef struct wgt_scope {
    const wgt_job *job;
    const double *constants;  /* NULL: no constants */
    const wgt_limits *limits; /* NULL: no limits */
} wgt_scope;
bool wgt_scope_lookup(void *user, wgt_str name, double *value);

/* reader.c: what every part of the parser needs. Each fails with the place in the job's text. */
wgt_status wgt_job_fail(const wgt_job *job, const wgt_json *node, wgt_error *error, const char *format, ...)
    WGT_PRINTF(4, 5);
wgt_status wgt_job_fail_key(const wgt_job *job, const wgt_json *node, wgt_error *error, const char *format, ...)
    WGT_PRINTF(4, 5);
/* Every member of the object is among `allowed` (ends with NULL). */
wgt_status wgt_job_keys(const wgt_job *job, const wgt_json *object, const char *const *allowed,
                        wgt_error *error);
wgt_status wgt_job_type(const wgt_job *job, const wgt_json *node, wgt_json_type type, wgt_error *error);
/* A number, or a text that holds an expression over the scope. */
wgt_status wgt_job_number(wgt_job *job, const wgt_json *node, const wgt_scope *scope, double *value,
                          wgt_error *error);
/* A whole number from `low` to `high`. */
wgt_status wgt_job_whole(wgt_job *job, const wgt_json *node, uint64_t low, uint64_t high,
                         uint64_t *value, wgt_error *error);
/* An expression kept for later; its names are checked now. */
wgt_status wgt_job_expr(wgt_job *job, const wgt_json *node, bool constants, bool limits, wgt_text_expr *result,
                        wgt_error *error);
/* One of a list of words (ends with NULL): its index. */
wgt_status wgt_job_word(const wgt_job *job, const wgt_json *node, const char *const *words, size_t *index,
                        wgt_error *error);
/* The name among `count` texts that is nearest to `name`; an empty view when none is near. */
typedef struct wgt_nearest {
    wgt_str name;
    unsigned distance;
} wgt_nearest;
void wgt_nearest_try(wgt_nearest *nearest, wgt_str wanted, wgt_str name);
wgt_status wgt_job_no_memory(wgt_error *error);
/* Fails at the place of "kernel" in a job's text. */
wgt_status wgt_job_fail_kernel(wgt_str name, wgt_str text, const char *message, wgt_error *error);

wgt_status wgt_job_read_bindings(wgt_job *job, wgt_error *error); /* bindings.c */
wgt_status wgt_job_read_init(wgt_job *job, const wgt_json *node, wgt_part *part, bool fixed,
                             wgt_str element, wgt_error *error);  /* init.c */
wgt_status wgt_job_read_checks(wgt_job *job, wgt_error *error);   /* outputs.c */
wgt_status wgt_job_read_tune(wgt_job *job, const wgt_job_options *options, wgt_error *error); /* tune.c */
wgt_status wgt_job_read_space(wgt_job *job, wgt_error *error);    /* space.c */

/* access.c: what a WGSL text does with a module variable. Conservative: a pointer that is handed on
 * counts as read and written. */
void wgt_job_access(wgt_str code, wgt_str variable, bool *reads, bool *writes);

/* fill.c: scalar `slot` of element `element` of a part, as stored (2 or 4 bytes). */
void wgt_part_scalar(const wgt_part *part, uint64_t element, uint32_t slot, unsigned char bytes[4]);

/* A value as a scalar's 2 or 4 bytes; false, and nothing stored, when it is not whole or out of an
 * integer's range. */
bool wgt_scalar_store(wgt_scalar scalar, double value, void *bytes);

/* csv.c: columns of a table as packed scalars. `wanted` is a list of names (the first line has them) or of
 * numbers from 1 (there is no header). */
wgt_status wgt_csv_read(wgt_arena *arena, wgt_str file, char separator, const wgt_json *wanted,
                        wgt_scalar scalar, wgt_str *packed, wgt_error *error);

/* npy.c: the items of a NumPy file as packed scalars of another type; what does not fit is an error. */
wgt_status wgt_npy_read(wgt_arena *arena, wgt_str file, wgt_scalar scalar, wgt_str *packed, wgt_error *error);

/* Packed scalars from a raw file, a NumPy file or (with `columns`) a table, by the ending of its name; fails at the node. */
wgt_status wgt_job_read_scalars(wgt_job *job, const wgt_json *node, const wgt_json *columns,
                                wgt_scalar scalar, wgt_str *packed, wgt_error *error); /* init.c */

/* files.c, the only file here that needs a machine. */
const wgt_allocator *wgt_job_default_allocator(void);
wgt_status wgt_job_read_file(wgt_job *job, wgt_str name, wgt_str *bytes, wgt_error *error);

/* The next of a list such as "WX, WY"; what is left of it in *list. */
wgt_str wgt_job_next_name(wgt_str *list);
/* Lets a literal or const workgroup size vary where the job wants that, and consts that "promote" names: *changed says that
 * module and code are new, and that the entry must be looked up again. */
wgt_status wgt_job_free_size(wgt_job *job, bool *changed, wgt_error *error);
/* The same where "fold" is "rewrite": the kernel works out its ids from a grid of two axes. */
wgt_status wgt_job_fold_kernel(wgt_job *job, bool *changed, wgt_error *error);

#endif
