/* Views, the bounded text builder and messages. Pure: no libc beyond memcpy, memmove, memset and
 * memcmp. */
#ifndef WGT_BASE_TEXT_H
#define WGT_BASE_TEXT_H

#include "wgtune/base.h"
#include <stdarg.h>

wgt_str wgt_str_from(const char *text); /* of a NUL-terminated string; NULL gives an empty view */
bool wgt_str_equal(wgt_str a, wgt_str b);
bool wgt_str_is(wgt_str a, const char *text);
int wgt_str_compare(wgt_str a, wgt_str b); /* bytewise, like memcmp, shorter first */
bool wgt_str_starts(wgt_str a, const char *prefix);
bool wgt_str_ends(wgt_str a, const char *suffix);
/* How many single-character edits (insert, delete, replace, swap of neighbours) turn a into b, for
 * "did you mean"; both are cut at 64 bytes. */
unsigned wgt_str_distance(wgt_str a, wgt_str b);

/* The length of the UTF-8 sequence that starts at text.data[at] (at < text.size); 0 where the bytes are
 * none: overlong, a surrogate, above U+10FFFF or cut off. */
size_t wgt_utf8_size(wgt_str text, size_t at);

/* A text under construction in the caller's memory, or handed on in pieces to `flush`. Always
 * NUL-terminated when it has memory; when full without a flush, the rest is dropped and `truncated`
 * set. */
typedef struct wgt_out {
    char *data;
    size_t size, capacity;
    bool truncated;
    /* NULL: a fixed buffer. Else called with the pending bytes whenever the buffer is full and by
     * wgt_out_flush; returns false when the bytes could not be taken (then `failed` is set). */
    bool (*flush)(void *user, const char *data, size_t size);
    void *user;
    bool failed;
} wgt_out;

void wgt_out_init(wgt_out *out, char *memory, size_t capacity);
void wgt_out_flush(wgt_out *out);
void wgt_put(wgt_out *out, wgt_str text);
void wgt_put_char(wgt_out *out, char c);
/* A printf of our own, the same on every host and without a locale: %s (char *), %.*s, %c, %d %i %u
 * %x with l, ll, z; %g is the shortest decimal that reads back as the same double, %.Nf a fixed
 * number of decimals (N ≤ 9), field widths and '-' and '0' flags as in C; %% a percent sign. */
void wgt_putf(wgt_out *out, const char *format, ...) WGT_PRINTF(2, 3);
void wgt_vputf(wgt_out *out, const char *format, va_list arguments);
/* snprintf with the same conversions: returns the bytes written, without the NUL; cuts at a UTF-8
 * boundary. */
size_t wgt_format(char *memory, size_t capacity, const char *format, ...) WGT_PRINTF(3, 4);

/* Sets the message (error may be NULL) and returns the status, so that a failing function can write
 * `return wgt_fail(error, WGT_BAD_INPUT, "...")`. */
wgt_status wgt_fail(wgt_error *error, wgt_status status, const char *format, ...) WGT_PRINTF(3, 4);

#endif
