#include "wgtune/base.h"

const char *wgt_version(void) {
    return WGT_VERSION;
}

const char *wgt_status_name(wgt_status status) {
    static const struct {
        wgt_status status;
        const char *name;
    } names[] = {
        {WGT_OK, "ok"},
        {WGT_NEGATIVE, "negative"},
        {WGT_USAGE, "usage"},
        {WGT_BAD_INPUT, "bad input"},
        {WGT_NO_GPU, "no gpu"},
        {WGT_INTERNAL, "internal error"},
        {WGT_NOT_SAVED, "not saved"},
        {WGT_NO_MEMORY, "no memory"},
        {WGT_INTERRUPTED, "interrupted"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status)
            return names[i].name;
    return "unknown status";
}
