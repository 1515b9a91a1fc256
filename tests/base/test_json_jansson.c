/* The reader against jansson, on seeded random documents: the same tree where both accept, and the
 * same judgement of documents with a few bytes changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/host.h"
#include "base/json.h"
#include "base/number.h"

typedef struct generator {
    uint64_t seed, at;
    char text[1 << 16];
    wgt_out out;
} generator;

static uint32_t pick(generator *g, uint32_t bound) {
    return wgt_random_below(g->seed, g->at++, bound);
}

static void put_space(generator *g) {
    static const char *const spaces[] = {"", "", "", " ", "\n", "\t", "\r\n", "  "};
    wgt_put(&g->out, wgt_str_from(spaces[pick(g, 8)]));
}

static void put_text(generator *g) {
    static const char *const pieces[] = {"a",
                                         "key",
                                         " ",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\/",
                                         "\\u00e9",
                                         "\\u20AC",
                                         "\\t",
                                         "\\ud83d\\ude00",
                                         "\xc3\xa9",
                                         "\x7f",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "/",
                                         "{",
                                         "\\u0001"};
    wgt_put_char(&g->out, '"');
    for (uint32_t i = pick(g, 5); i > 0; i--)
        wgt_put(&g->out, wgt_str_from(pieces[pick(g, sizeof pieces / sizeof *pieces)]));
    wgt_put_char(&g->out, '"');
}

static void put_number(generator *g) {
    char text[WGT_NUMBER_SIZE];
    switch (pick(g, 5)) {
    case 0:
        wgt_putf(&g->out, "%d", (int)pick(g, 2000) - 1000);
        break;
    case 1:
        wgt_putf(&g->out, "%u.%03uE%s%u", pick(g, 100), pick(g, 1000), pick(g, 2) ? "-" : "+",
                 pick(g, 300));
        break;
    case 2:
        wgt_putf(&g->out, "%llu", (unsigned long long)wgt_random_u64(g->seed, g->at++));
        break;
    case 3:
        wgt_number_format((double)wgt_random_f32(g->seed, g->at++), text);
        wgt_put(&g->out, wgt_str_from(text));
        break;
    default:
        wgt_put(&g->out, pick(g, 2) ? WGT_STR("-0.0") : WGT_STR("0e-7"));
        break;
    }
}

static void put_value(generator *g, unsigned depth) {
    uint32_t kind = pick(g, depth ? 8 : 5);
    put_space(g);
    if (kind >= 5) {
        bool object = kind != 5;
        uint32_t count = pick(g, 6);
        wgt_put_char(&g->out, object ? '{' : '[');
        for (uint32_t i = 0; i < count; i++) {
            put_space(g);
            if (object) {
                wgt_putf(&g->out, "\"%u", i); /* unique, whatever follows */
                wgt_putf(&g->out, "%s\"", pick(g, 2) ? "\\u00fc" : "x");
                put_space(g);
                wgt_put_char(&g->out, ':');
            }
            put_value(g, depth - 1);
            if (i + 1 < count)
                wgt_put_char(&g->out, ',');
        }
        put_space(g);
        wgt_put_char(&g->out, object ? '}' : ']');
    } else if (kind == 0) {
        put_text(g);
    } else if (kind <= 2) {
        put_number(g);
    } else {
        static const char *const words[] = {"null", "true", "false"};
        wgt_put(&g->out, wgt_str_from(words[pick(g, 3)]));
    }
    put_space(g);
}

static void generate(generator *g, uint64_t seed) {
    g->seed = seed;
    g->at = 0;
    wgt_out_init(&g->out, g->text, sizeof g->text);
    bool list = pick(g, 8) != 0;
    if (list)
        wgt_put_char(&g->out, '[');
    for (uint32_t i = list ? 4 : 0; i > 0; i--) {
        put_value(g, 4);
        wgt_put_char(&g->out, ',');
    }
    put_value(g, 5);
    if (list)
        wgt_put_char(&g->out, ']');
    assert_false(g->out.truncated);
}

static void same_text(wgt_str ours, const char *theirs, size_t size) {
    assert_int_equal(ours.size, size);
    assert_memory_equal(ours.data, theirs, size);
}

static void same_tree(const wgt_json *ours, json_t *theirs) {
    static const json_type types[] = {JSON_NULL,   JSON_TRUE,  JSON_REAL,
                                      JSON_STRING, JSON_ARRAY, JSON_OBJECT};
    json_type type = json_typeof(theirs) == JSON_FALSE ? JSON_TRUE : json_typeof(theirs);
    size_t count = 0;
    assert_int_equal(types[ours->type], type);
    if (ours->type == WGT_JSON_BOOL)
        assert_int_equal(ours->boolean, json_is_true(theirs));
    if (ours->type == WGT_JSON_NUMBER)
        assert_true(ours->number == json_real_value(theirs));
    if (ours->type == WGT_JSON_STRING)
        same_text(ours->string, json_string_value(theirs), json_string_length(theirs));
    for (const wgt_json *item = ours->first; item; item = item->next, count++)
        if (ours->type == WGT_JSON_ARRAY) {
            same_tree(item, json_array_get(theirs, count));
        } else {
            char key[64];
            wgt_format(key, sizeof key, "%.*s", (int)item->key.size, item->key.data);
            json_t *member = json_object_get(theirs, key);
            assert_non_null(member);
            same_tree(item, member);
        }
    if (ours->type >= WGT_JSON_ARRAY) {
        assert_int_equal(count, ours->count);
        assert_int_equal(count, ours->type == WGT_JSON_ARRAY ? json_array_size(theirs)
                                                             : json_object_size(theirs));
    }
}

/* Whether both accept; where they do the trees are the same. */
static bool compare(wgt_str text, bool wanted) {
    json_error_t trouble;
    json_t *theirs = json_loadb(text.data, text.size,
                                JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
                                    JSON_DECODE_INT_AS_REAL,
                                &trouble);
    wgt_arena arena;
    wgt_json *ours = NULL;
    wgt_error error = {""};
    wgt_arena_init(&arena, wgt_heap());
    wgt_status status = wgt_json_parse(WGT_STR("t"), text, 0, &arena, &ours, &error);
    if ((status == WGT_OK) != (theirs != NULL))
        fail_msg("%.*s\nours: %s, theirs: %s", (int)text.size, text.data, error.message,
                 theirs ? "accepted" : trouble.text);
    if (wanted && status)
        fail_msg("%.*s\n%s", (int)text.size, text.data, error.message);
    if (theirs)
        same_tree(ours, theirs);
    json_decref(theirs);
    wgt_arena_release(&arena);
    return status == WGT_OK;
}

static void random_documents_read_alike(void **state) {
    (void)state;
    static generator g;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        generate(&g, seed);
        compare((wgt_str){g.text, g.out.size}, true);
    }
}

static void broken_documents_are_judged_alike(void **state) {
    (void)state;
    static const char bytes[] = "{}[],:\"\\/ue0123456789+-.\n\t \x01\x80\xc3\xe2\xf0tfn";
    static generator g;
    unsigned accepted = 0, refused = 0;
    for (uint64_t seed = 100000; seed < 120000; seed++) {
        generate(&g, seed);
        size_t size = g.out.size;
        for (uint32_t changes = 1 + pick(&g, 3); changes > 0 && size > 0; changes--)
            if (pick(&g, 4) == 0)
                size = pick(&g, (uint32_t)size + 1);
            else
                g.text[pick(&g, (uint32_t)size)] = bytes[pick(&g, sizeof bytes - 1)];
        if (compare((wgt_str){g.text, size}, false))
            accepted++;
        else
            refused++;
    }
    assert_true(accepted > 1000 && refused > 5000);
}

/* What this project writes, jansson reads as the same. */
static void what_is_written_is_json(void **state) {
    (void)state;
    static generator g;
    static char text[1 << 18];
    for (uint64_t seed = 200000; seed < 202000; seed++) {
        wgt_arena arena;
        wgt_json *root;
        wgt_out out;
        wgt_json_writer w;
        generate(&g, seed);
        wgt_arena_init(&arena, wgt_heap());
        assert_int_equal(
            wgt_json_parse(WGT_STR("t"), (wgt_str){g.text, g.out.size}, 0, &arena, &root, NULL),
            WGT_OK);
        wgt_out_init(&out, text, sizeof text);
        wgt_json_writer_init(&w, &out, (unsigned)(seed % 3));
        wgt_json_value(&w, root);
        assert_false(out.truncated);
        json_t *theirs = json_loadb(
            text, out.size, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
        assert_non_null(theirs);
        same_tree(root, theirs);
        json_decref(theirs);
        wgt_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_documents_read_alike),
        cmocka_unit_test(broken_documents_are_judged_alike),
        cmocka_unit_test(what_is_written_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
