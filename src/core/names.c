/* Every word that an enumeration of the tuner has, in one place. */
#include "wgtune/adapter.h"
#include "wgtune/tuner.h"

#define NAME_OF(names, value)                                                                      \
    ((size_t)(value) < sizeof(names) / sizeof((names)[0]) ? (names)[(size_t)(value)] : NULL)

const char *wgt_adapter_type_name(wgt_adapter_type type) {
    static const char *const names[] = {"unknown", "discrete GPU", "integrated GPU", "CPU"};
    const char *name = NAME_OF(names, type);
    return name != NULL ? name : names[0];
}

const char *wgt_candidate_status_name(wgt_candidate_status status) {
    static const char *const names[] = {"ok",      "skipped", "rejected", "failed", "wrong",
                                        "timeout", "lost",    "crashed",  "dropped"};
    return NAME_OF(names, status);
}

const char *wgt_action_kind_name(wgt_action_kind kind) {
    static const char *const names[] = {"compile", "run", "verify", "compare", "count", "done"};
    return NAME_OF(names, kind);
}

const char *wgt_outcome_name(wgt_outcome outcome) {
    static const char *const names[] = {"ok",   "rejected", "failed",     "timeout",
                                        "lost", "crashed",  "interrupted"};
    return NAME_OF(names, outcome);
}

const char *wgt_tie_name(wgt_tie tie) {
    static const char *const names[] = {"undecided", "in", "out", NULL};
    return NAME_OF(names, tie);
}

const char *wgt_pick_reason_name(wgt_pick_reason reason) {
    static const char *const names[] = {"none",       "fastest",      "tie-kept", "tie-portable",
                                        "tie-author", "tie-smallest", "only",     "default"};
    return NAME_OF(names, reason);
}

const char *wgt_shape_name(wgt_shape shape) {
    static const char *const names[] = {NULL,    "flat", "plateau", "peak",
                                        "climb", "fall", "jagged",  "unranked"};
    return NAME_OF(names, shape);
}
