/* wgtune/wisdom.h: the store of results: a folder with one JSON file a key. */
#ifndef WGTUNE_WISDOM_H
#define WGTUNE_WISDOM_H

#include "wgtune/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wgt_wisdom wgt_wisdom;

/* Opens a store; `folder` NULL: $WGTUNE_WISDOM, else $XDG_CACHE_HOME/wgtune, else ~/.cache/wgtune. Makes no
 * folder until something is saved. */
WGT_API wgt_status wgt_wisdom_open(const char *folder, const wgt_allocator *allocator, wgt_wisdom **wisdom,
                                   wgt_error *error);
WGT_API void wgt_wisdom_close(wgt_wisdom **wisdom);
WGT_API const char *wgt_wisdom_folder(const wgt_wisdom *wisdom);

/* Looks a key up. WGT_OK with *result (to destroy), WGT_NEGATIVE when there is none. A damaged entry is set aside
 * (renamed to *.damaged) and named in `error` with WGT_BAD_INPUT: measure again. An entry of a newer format is
 * WGT_BAD_INPUT too but stays where it is. */
WGT_API wgt_status wgt_wisdom_find(wgt_wisdom *wisdom, const wgt_key *key, wgt_result **result,
                                   wgt_error *error);
/* Saves atomically; `name` (may be NULL) gets the entry's short name. Error: WGT_NOT_SAVED. */
WGT_API wgt_status wgt_wisdom_save(wgt_wisdom *wisdom, const wgt_result *result, char *name, size_t capacity,
                                   wgt_error *error);

/* The entry's file name without folder: `scatter-<16 hex digits>.json`. */
WGT_API void wgt_wisdom_name(const wgt_key *key, wgt_str job_name, char *name, size_t capacity);

/* Calls `visit` for each entry in order of name: a result that was read, or NULL with the reason in `error`. A
 * visit that returns false ends the walk. */
typedef bool (*wgt_wisdom_visit)(void *user, const char *name, const wgt_result *result, const wgt_error *error);
WGT_API wgt_status wgt_wisdom_each(wgt_wisdom *wisdom, wgt_wisdom_visit visit, void *user, wgt_error *error);
/* Removes an entry by its name. WGT_NEGATIVE when there is none. */
WGT_API wgt_status wgt_wisdom_forget(wgt_wisdom *wisdom, const char *name, wgt_error *error);

#ifdef __cplusplus
}
#endif
#endif
