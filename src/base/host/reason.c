#include "reason.h"

#include <errno.h>

/* The system's reasons in our style: lower case, no locale. */
static const char *reason_of(int code) {
    static const struct {
        int code;
        const char *text;
    } reasons[] = {
        {ENOENT, "no such file or folder"},
        {EACCES, "permission denied"},
        {EPERM, "not permitted"},
        {EROFS, "the file system is read-only"},
        {ENOSPC, "no space left on the device"},
        {EDQUOT, "the disk quota is used up"},
        {EIO, "an input or output error"},
        {ENOTDIR, "a part of the path is no folder"},
        {EISDIR, "it is a folder"},
        {ENAMETOOLONG, "the name is too long"},
        {ELOOP, "too many symbolic links"},
        {EMFILE, "too many open files"},
        {EEXIST, "something of that name is in the way"},
        {EFBIG, "the file would be too large"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == code)
            return reasons[i].text;
    return "a system error";
}

wgt_status wgt_fail_on(wgt_error *error, wgt_status status, const char *path, int code) {
    /* Of an absurdly long path the end is shown, so that the reason still fits the message. */
    wgt_str shown = wgt_str_from(path);
    size_t cut = shown.size > 512 ? shown.size - 512 : 0;
    return wgt_fail(error, status, "%s%s: %s (errno %d)", cut ? "..." : "", path + cut,
                    reason_of(code), code);
}
