/* wgtune/result.h: a whole result: the curve, the pick and the evidence; and as JSON. Pure. */
#ifndef WGTUNE_RESULT_H
#define WGTUNE_RESULT_H

#include "wgtune/adapter.h"
#include "wgtune/job.h"
#include "wgtune/tuner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wgt_source { WGT_SOURCE_MEASURED = 0, WGT_SOURCE_WISDOM, WGT_SOURCE_DEFAULT } wgt_source;

typedef struct wgt_advice {
    wgt_str code, text;
    uint32_t line; /* of the kernel; 0: none */
} wgt_advice;

/* Everything that it points to lives in the arena or the job that made it. */
typedef struct wgt_result {
    wgt_source source;
    wgt_str job_name, kernel, entry, space;
    wgt_hash hash;                  /* of the kernel's text */
    const wgt_named *problem;
    size_t problem_count;
    wgt_adapter adapter;
    wgt_clock clock;
    double compute_units;           /* of the device, by the remembered data sheet of `wgtune probe`; NaN: unknown */
    const wgt_str *constant_names;
    size_t constant_count;
    const wgt_candidate_result *candidates;
    size_t candidate_count;
    wgt_summary summary;
    double tolerance;
    wgt_str shape_text;             /* what the shape means; empty: nothing to say */
    double achieved_gb_s, reachable_gb_s; /* NaN: unknown */
    wgt_str bound;                  /* "memory", ..., "unknown" */
    wgt_str limiter, limiter_text;  /* empty: unknown */
    const wgt_advice *advice;
    size_t advice_count;
    const wgt_str *warnings;        /* a CPU adapter, a wall clock, noise */
    size_t warning_count;
    wgt_str measured_at;            /* ISO 8601 UTC, of the measuring; empty: unknown */
} wgt_result;

/* What a result is valid for. Texts are views of the result or job. Limits are no part of it. */
typedef struct wgt_key {
    wgt_str vendor, architecture, device, driver, backend, engine, engine_version;
    uint32_t vendor_id, device_id;
    wgt_hash source;                /* of the kernel's text */
    wgt_str entry;
    const wgt_named *problem;
    size_t problem_count;
    wgt_str space;
} wgt_key;
WGT_API void wgt_key_of_job(wgt_key *key, const wgt_job *job, const wgt_adapter *adapter);
WGT_API void wgt_key_of_result(wgt_key *key, const wgt_result *result);
/* One hash of the whole key (vendors by id where known, problem names sorted). */
WGT_API wgt_hash wgt_key_hash(const wgt_key *key);
WGT_API bool wgt_key_equal(const wgt_key *a, const wgt_key *b);

/* The tune JSON of docs/design.md, as UTF-8 text ending in a newline. On entry *size is the capacity
 * of `text` (may be NULL with 0); on return the bytes needed, without NUL. Errors: WGT_NO_MEMORY when it did not fit. */
WGT_API wgt_status wgt_result_write(const wgt_result *result, char *text, size_t *size);
/* The same with `"format": 1` first, as an entry of wisdom. */
WGT_API wgt_status wgt_entry_write(const wgt_result *result, char *text, size_t *size);
/* Reads an entry. What it points to is made with `allocator` and freed by wgt_result_destroy; `text` is copied.
 * Errors: WGT_BAD_INPUT with `name:line:column: what` (damaged, a newer
 * format by its number), WGT_NO_MEMORY. */
WGT_API wgt_status wgt_entry_read(const wgt_allocator *allocator, wgt_str name, wgt_str text,
                                  wgt_result **result, wgt_error *error);
WGT_API void wgt_result_destroy(wgt_result **result);

#ifdef __cplusplus
}
#endif
#endif
