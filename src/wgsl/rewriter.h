/* What the files of the rewriter share. */
#ifndef WGT_WGSL_REWRITER_H
#define WGT_WGSL_REWRITER_H

#include "internal.h"
#include "wgtune/rewrite.h"

#define WS_MAX_EDITS 4096
#define WS_MAX_MADE 16
#define WS_MAX_PROMOTED 64 /* overrides, and local consts that follow from them */
#define WS_MAX_LOCKS 8
#define WS_NAME_SIZE 128

typedef struct ws_edit {
    uint32_t offset, length;
    wgt_str text;
} ws_edit;

struct wgt_rewrite {
    const wgt_allocator *allocator;
    wgt_arena arena;
    const wgt_wgsl *m;
    const wgt_rewrite_options *options;
    ws_edit edits[WS_MAX_EDITS];
    size_t edit_count;
    wgt_str added; /* declarations for the end of the text */
    wgt_str made[WS_MAX_MADE];
    const ws_decl *promoted[WS_MAX_PROMOTED];
    size_t made_count, promoted_count;
    uint64_t sizes[4]; /* axes above 1, and their product */
    size_t size_count;
    wgt_rewrite_lock locks[WS_MAX_LOCKS];
    size_t lock_count;
    wgt_str text;
    uint32_t counter_group, counter_binding; /* UINT32_MAX: none was made */
    wgt_status status;
    wgt_error *error;
};

/* rewrite.c. The first failure stays; later calls do nothing. */
void wgt_ws_rewrite_fail(wgt_rewrite *r, uint32_t token, const char *format, ...) WGT_PRINTF(3, 4);
wgt_str wgt_ws_rewrite_keep(wgt_rewrite *r, wgt_str text);
/* Replaces `length` bytes; the text is copied. */
void wgt_ws_rewrite_change(wgt_rewrite *r, uint32_t offset, uint32_t length, wgt_str text);
/* Nothing in the place of tokens [begin, end), line breaks kept. */
void wgt_ws_rewrite_blank(wgt_rewrite *r, uint32_t begin, uint32_t end);
wgt_str wgt_ws_rewrite_name(wgt_rewrite *r, const char *wanted);

/* rewrite_fold.c */
void wgt_ws_rewrite_fold(wgt_rewrite *r, const ws_decl *entry);
void wgt_ws_rewrite_engine(wgt_rewrite *r);

/* rewrite_count.c */
void wgt_ws_rewrite_count(wgt_rewrite *r, const ws_decl *entry);

#endif
