/* Numeric expressions of jobs and restrictions: doubles, real division, `%` (floored, as in Python), `**`,
 * floor ceil min max log2 abs, comparisons (chained as in Python), && || ! (and `and or not`),
 * parentheses, decimal and 0x numbers, `true`/`True`/`false`/`False` as 1 and 0. Truth is 1, falsehood 0.
 * Pure. */
#ifndef WGT_EXPR_H
#define WGT_EXPR_H

#include "../base/memory.h"
#include "../base/text.h"

typedef struct wgt_expr wgt_expr;

/* Where a name gets its value; false: no such name. Names may be dotted ("limits.maxBufferSize"). */
typedef bool (*wgt_expr_lookup)(void *user, wgt_str name, double *value);

/* Parses a whole text. On WGT_BAD_INPUT *error_offset is the byte where it went wrong and the message
 * says what, without a place (the caller knows where the text stands). Depth-limited. */
wgt_status wgt_expr_parse(wgt_str text, wgt_arena *arena, wgt_expr **expr, size_t *error_offset,
                          wgt_error *error);
/* Errors: WGT_BAD_INPUT for an unknown name (with the byte offset of it), division by zero, a result that
 * is no finite number. */
wgt_status wgt_expr_eval(const wgt_expr *expr, wgt_expr_lookup lookup, void *user, double *value,
                         size_t *error_offset, wgt_error *error);
/* Calls `visit` for every name in the expression, in order of appearance. */
void wgt_expr_names(const wgt_expr *expr, void (*visit)(void *user, wgt_str name), void *user);

#endif
