/* What the front end's tests share: read a text, look at its first error. */
#ifndef WGSL_TEST_H
#define WGSL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/host/host.h"
#include "wgtune/wgsl.h"

static inline wgt_wgsl *read_wgsl(const char *text, wgt_status want, wgt_error *error) {
    wgt_wgsl_options options = {.allocator = wgt_heap()};
    wgt_wgsl *m = NULL;
    wgt_status status = wgt_wgsl_create(&options, WGT_STR("t.wgsl"), wgt_str_from(text), &m, error);
    if (status != want)
        fail_msg("status %d, not %d: %s\n%s", (int)status, (int)want, status == WGT_OK ? "" : error->message, text);
    assert_non_null(m);
    return m;
}

static inline wgt_wgsl *accept(const char *text) {
    wgt_error error = {{0}};
    return read_wgsl(text, WGT_OK, &error);
}

/* The text is refused, and the message starts at this place and holds these words. */
static inline void reject(const char *text, const char *place, const char *words) {
    wgt_error error = {{0}};
    wgt_wgsl *m = read_wgsl(text, WGT_BAD_INPUT, &error);
    char start[64];
    snprintf(start, sizeof start, "t.wgsl:%s:", place);
    if (strncmp(error.message, start, strlen(start)) != 0 || strstr(error.message, words) == NULL)
        fail_msg("'%s' is not at %s with '%s'\n%s", error.message, place, words, text);
    wgt_wgsl_destroy(&m);
    assert_null(m);
}

static inline void accepts(const char *text) {
    wgt_wgsl *m = accept(text);
    wgt_wgsl_destroy(&m);
}

#define assert_str(str, text)                                                                          \
    do {                                                                                               \
        char shown_[256];                                                                              \
        snprintf(shown_, sizeof shown_, "%.*s", (int)(str).size, (str).data == NULL ? "" : (str).data); \
        assert_string_equal(shown_, text);                                                             \
    } while (0)

#endif
