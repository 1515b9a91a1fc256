/* Text lines over descriptors, with a deadline. */
#ifndef WGT_RUN_LINES_H
#define WGT_RUN_LINES_H

#include "wgtune/base.h"
#include "../base/text.h"

typedef struct wgt_lines {
    int fd;
    const wgt_allocator *allocator;
    char *data;
    size_t size, capacity, taken; /* `taken`: bytes of the line handed out last */
} wgt_lines;

void wgt_lines_init(wgt_lines *lines, int fd, const wgt_allocator *allocator);
void wgt_lines_release(wgt_lines *lines); /* does not close the descriptor */
/* The next line without its end, valid until the next call. WGT_NEGATIVE: the deadline passed (in ns from now; UINT64_MAX:
 * none). WGT_INTERRUPTED: `interrupted` said so (NULL: never asked). WGT_INTERNAL: the other side closed. */
wgt_status wgt_lines_read(wgt_lines *lines, uint64_t deadline_ns, bool (*interrupted)(void *), void *user,
                          wgt_str *line);
/* All of the text, or false. */
bool wgt_write_all(int fd, wgt_str text);

#endif
