/* What a result means in words: the shape, the warnings. */
#ifndef WGT_RUN_DESCRIBE_H
#define WGT_RUN_DESCRIBE_H

#include "wgtune/result.h"
#include "../base/memory.h"

/* Fills shape_text, warnings, bound and achieved_gb_s from the rest of the result. Texts live in the arena.
 * `bytes_moved`: by one run; NaN: unknown. */
wgt_status wgt_describe(wgt_result *result, double bytes_moved, wgt_arena *arena, wgt_error *error);

#endif
