#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void views_compare_bytewise(void **state) {
    (void)state;
    assert_int_equal(wgt_str_from(NULL).size, 0);
    assert_true(wgt_str_equal(WGT_STR("abc"), wgt_str_from("abc")));
    assert_false(wgt_str_equal(WGT_STR("abc"), WGT_STR("abd")));
    assert_true(wgt_str_equal((wgt_str){NULL, 0}, WGT_STR("")));
    assert_true(wgt_str_is(WGT_STR("x"), "x"));
    assert_false(wgt_str_is(WGT_STR("x"), "xy"));
    assert_true(wgt_str_compare(WGT_STR("ab"), WGT_STR("abc")) < 0);
    assert_true(wgt_str_compare(WGT_STR("b"), WGT_STR("abc")) > 0);
    assert_true(wgt_str_compare(WGT_STR("\xff"), WGT_STR("a")) > 0);
    assert_int_equal(wgt_str_compare(WGT_STR("ab"), WGT_STR("ab")), 0);
    assert_true(wgt_str_starts(WGT_STR("abc"), "ab"));
    assert_false(wgt_str_starts(WGT_STR("a"), "ab"));
    assert_true(wgt_str_ends(WGT_STR("a.job.json"), ".job.json"));
    assert_false(wgt_str_ends(WGT_STR("json"), ".json"));
    assert_true(wgt_str_ends(WGT_STR(""), ""));
}

static void distances_count_edits(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned edits;
    } cases[] = {{"", "", 0},
                 {"", "abc", 3},
                 {"abc", "", 3},
                 {"threads", "thread", 1},
                 {"bidnings", "bindings", 1},
                 {"kitten", "sitting", 3},
                 {"ab", "ba", 1},
                 {"abcd", "acbd", 1},
                 {"ca", "abc", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(wgt_str_distance(wgt_str_from(cases[i].a), wgt_str_from(cases[i].b)),
                         cases[i].edits);
    char longer[200];
    memset(longer, 'a', sizeof longer);
    assert_int_equal(wgt_str_distance((wgt_str){longer, sizeof longer}, WGT_STR("")), 64);
}

/* Our printf and the C library's must agree on what both know. */
#define AGREES(...)                                                                                \
    do {                                                                                           \
        char ours[512], theirs[512];                                                               \
        size_t size = wgt_format(ours, sizeof ours, __VA_ARGS__);                                  \
        assert_int_equal(size, snprintf(theirs, sizeof theirs, __VA_ARGS__));                      \
        assert_string_equal(ours, theirs);                                                         \
    } while (0)

static void formats_like_c(void **state) {
    (void)state;
    AGREES("plain");
    AGREES("%s|%8s|%-8s|%.2s|%.*s", "abc", "abc", "abc", "abc", 1, "abc");
    AGREES("%*s|%-*s|%*s", 5, "ab", 5, "ab", -5, "ab");
    AGREES("%c%c%%", 'x', 'y');
    AGREES("%d %i %u %x", -5, 7, 4000000000u, 0xbeefu);
    AGREES("%d %d", INT32_MIN, INT32_MAX);
    AGREES("%ld %lu %lx", -5L, 5UL, 0xfeedUL);
    AGREES("%lld %llu %llx", (long long)INT64_MIN, (unsigned long long)UINT64_MAX, 255ULL);
    AGREES("%zu %zx", SIZE_MAX, (size_t)16);
    AGREES("[%6d] [%-6d] [%06d] [%06d]", 42, 42, 42, -42);
    AGREES("[%8.3f] [%-8.1f] [%08.2f] [%.0f] [%f]", 3.14159, 2.25, -1.5, 2.5, 1.0);
    AGREES("[%016llx]", 0x123ULL);
}

static void formats_shortest(void **state) {
    (void)state;
    char text[64];
    wgt_format(text, sizeof text, "%g %g %6g|%-6g|", 0.1, 1e30, 2.5, 2.5);
    assert_string_equal(text, "0.1 1e30    2.5|2.5   |");
    const char *volatile none = NULL;
    assert_int_equal(wgt_format(text, sizeof text, "%s", none), 6);
}

static void cuts_at_characters(void **state) {
    (void)state;
    char text[6];
    /* A two-byte and a three-byte character that do not fit whole go whole. */
    assert_int_equal(wgt_format(text, sizeof text, "%s", "abcd\xc3\xa9"), 4);
    assert_string_equal(text, "abcd");
    assert_int_equal(wgt_format(text, sizeof text, "%s", "abc\xe2\x82\xac"), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(wgt_format(text, sizeof text, "%s", "abc\xc3\xa9z"), 5);
    assert_string_equal(text, "abc\xc3\xa9");
    assert_int_equal(wgt_format(NULL, 0, "%s", "abc"), 0);
    char one[1] = {'x'};
    assert_int_equal(wgt_format(one, 1, "abc"), 0);
    assert_int_equal(one[0], 0);
}

static void a_full_buffer_says_so(void **state) {
    (void)state;
    char text[4];
    wgt_out out;
    wgt_out_init(&out, text, sizeof text);
    wgt_put(&out, WGT_STR("abc"));
    assert_false(out.truncated);
    wgt_put_char(&out, 'd');
    assert_true(out.truncated);
    assert_string_equal(text, "abc");
}

typedef struct sink {
    char text[256];
    size_t size;
    bool refuse;
} sink;

static bool take(void *user, const char *data, size_t size) {
    sink *s = user;
    if (s->refuse)
        return false;
    memcpy(s->text + s->size, data, size);
    s->size += size;
    return true;
}

static void flushes_in_pieces(void **state) {
    (void)state;
    for (size_t capacity = 0; capacity < 12; capacity++) {
        char memory[12];
        sink s = {.size = 0};
        wgt_out out;
        wgt_out_init(&out, memory, capacity);
        out.flush = take;
        out.user = &s;
        for (int i = 0; i < 5; i++)
            wgt_putf(&out, "%d:%s;", i, "value");
        wgt_out_flush(&out);
        assert_int_equal(s.size, 40);
        assert_memory_equal(s.text, "0:value;1:value;2:value;3:value;4:value;", 40);
        assert_false(out.truncated || out.failed);
    }
}

static void a_refused_flush_fails(void **state) {
    (void)state;
    char memory[4];
    sink s = {.refuse = true};
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    out.flush = take;
    out.user = &s;
    wgt_put(&out, WGT_STR("much too long"));
    assert_true(out.failed);
}

static void fail_sets_the_message(void **state) {
    (void)state;
    wgt_error error;
    assert_int_equal(wgt_fail(NULL, WGT_USAGE, "x"), WGT_USAGE);
    assert_int_equal(wgt_fail(&error, WGT_BAD_INPUT, "%s:%d: bad", "f", 3), WGT_BAD_INPUT);
    assert_string_equal(error.message, "f:3: bad");
    /* The old message as an argument of the new one. */
    wgt_fail(&error, WGT_BAD_INPUT, "outer: %s", error.message);
    assert_string_equal(error.message, "outer: f:3: bad");
    char longer[3000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    wgt_fail(&error, WGT_BAD_INPUT, "%s", longer);
    assert_int_equal(strlen(error.message), WGT_ERROR_SIZE - 1);
}

static void statuses_have_names(void **state) {
    (void)state;
    assert_string_equal(wgt_status_name(WGT_OK), "ok");
    assert_string_equal(wgt_status_name(WGT_BAD_INPUT), "bad input");
    assert_string_equal(wgt_status_name(WGT_INTERRUPTED), "interrupted");
    assert_string_equal(wgt_status_name((wgt_status)99), "unknown status");
    assert_string_equal(wgt_version(), WGT_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_bytewise), cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(formats_like_c),         cmocka_unit_test(formats_shortest),
        cmocka_unit_test(cuts_at_characters),     cmocka_unit_test(a_full_buffer_says_so),
        cmocka_unit_test(flushes_in_pieces),      cmocka_unit_test(a_refused_flush_fails),
        cmocka_unit_test(fail_sets_the_message),  cmocka_unit_test(statuses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
