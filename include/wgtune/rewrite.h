/* wgtune/rewrite.h: changes a WGSL text so that it can be tuned, without a GPU. Every original line keeps its number;
 * new names collide with none that is there. What comes out is read again before it is handed out: a change that would
 * not be WGSL is refused with the reason. Pure. */
#ifndef WGTUNE_REWRITE_H
#define WGTUNE_REWRITE_H

#include "wgtune/wgsl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wgt_rewrite_engine_kind { WGT_REWRITE_ANY = 0, WGT_REWRITE_TINT, WGT_REWRITE_NAGA } wgt_rewrite_engine_kind;

typedef struct wgt_rewrite_options {
    const wgt_allocator *allocator; /* needed */
    bool free_size;        /* workgroup sizes that are literals or come from consts become overrides: literals as WG_X,
                              WG_Y, WG_Z (an axis of 1 beyond the first stays), consts under their own names. Nothing is
                              done where the size depends on an override already. */
    bool assume_free;      /* free the size although the same number stands elsewhere in the kernel */
    const wgt_str *promote;/* further module-scope consts that become overrides */
    size_t promote_count;
    bool count;            /* the entry counts how many of its workgroups are resident at once, see wgt_rewrite_counter */
    bool fold;             /* a 1-D entry computes its global_invocation_id, workgroup_id and num_workgroups from a 2-D
                              grid: linear = workgroup_id.x + workgroup_id.y * num_workgroups.x. Workgroups beyond the
                              needed ones are left to the kernel's own guard. Not together with count or free_size. */
    wgt_rewrite_engine_kind engine; /* `enable subgroups;` is added for Tint and taken away for naga */
} wgt_rewrite_options;

typedef struct wgt_rewrite wgt_rewrite; /* a text that was rewritten */

/* A number elsewhere that equals the workgroup size: the kernel may rely on it ("geometry lock"). */
typedef struct wgt_rewrite_lock {
    uint64_t value;
    uint32_t line, column;
} wgt_rewrite_lock;

/* Rewrites a module that was read without errors for one of its entry points. Errors: WGT_NEGATIVE when the size is
 * locked (*rewrite is made, with the locks, its text the original; the first place in `error`), WGT_BAD_INPUT with
 * `name:line:column: what` where a change is not possible, WGT_USAGE, WGT_NO_MEMORY. */
WGT_API wgt_status wgt_rewrite_create(const wgt_wgsl *module, const wgt_wgsl_entry *entry,
                                      const wgt_rewrite_options *options, wgt_rewrite **rewrite, wgt_error *error);
WGT_API void wgt_rewrite_destroy(wgt_rewrite **rewrite);
/* The new text; lives as long as the rewrite. */
WGT_API wgt_str wgt_rewrite_text(const wgt_rewrite *rewrite);
/* The overrides that were made, in the order of the text. */
WGT_API size_t wgt_rewrite_made(const wgt_rewrite *rewrite, const wgt_str **names);
WGT_API size_t wgt_rewrite_locks(const wgt_rewrite *rewrite, const wgt_rewrite_lock **locks);

/* Where the counters of a counting kernel are bound: a storage buffer of WGT_COUNTER_BYTES, zeroed before each dispatch:
 * u32 resident now, the most that were resident at once, workgroups that entered, unused. One invocation of each workgroup
 * counts on entry and before the end; nothing waits for anything, so no forward progress is assumed. After Sorensen,
 * Donaldson, Batty, Gopalakrishnan, Rakamaric, "Portable Inter-workgroup Barrier Synchronisation for GPUs", OOPSLA 2016,
 * who discover occupancy with a mutex. false: it does not count. */
#define WGT_COUNTER_BYTES 16
WGT_API bool wgt_rewrite_counter(const wgt_rewrite *rewrite, uint32_t *group, uint32_t *binding);

#ifdef __cplusplus
}
#endif
#endif
