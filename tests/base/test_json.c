#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/host.h"
#include "base/json.h"

typedef struct parsed {
    wgt_arena arena;
    wgt_json *root;
    wgt_status status;
    wgt_error error;
} parsed;

static parsed parse(wgt_str text, unsigned flags) {
    parsed p;
    memset(&p, 0, sizeof p);
    wgt_arena_init(&p.arena, wgt_heap());
    p.status = wgt_json_parse(WGT_STR("t.json"), text, flags, &p.arena, &p.root, &p.error);
    return p;
}

/* Texts that are JSON, and what they are when written again on one line; NULL: the same. */
static const struct {
    const char *text, *again;
} accepted[] = {
    {"null", NULL},
    {"true", NULL},
    {"false", NULL},
    {"0", NULL},
    {"-0", NULL},
    {"1", NULL},
    {"-1", NULL},
    {"10", NULL},
    {"0.5", NULL},
    {"-0.0", NULL},
    {"1e5", NULL},
    {"1E5", NULL},
    {"1e+5", NULL},
    {"1e-5", NULL},
    {"1.5e300", NULL},
    {"0e0", NULL},
    {"0e+1", NULL},
    {"1e-400", NULL},
    {"18446744073709551615", NULL},
    {"0.1000000000000000055511151231257827021181583404541015625", NULL},
    {"123456789012345678901234567890", NULL},
    {"\"\"", NULL},
    {"\"a\"", NULL},
    {"\" \"", NULL},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"\"\\u0041\"", "\"A\""},
    {"\"\\u00e9\"", "\"\xc3\xa9\""},
    {"\"\\u00E9\"", "\"\xc3\xa9\""},
    {"\"\\u20ac\"", "\"\xe2\x82\xac\""},
    {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
    {"\"\\uDBFF\\uDFFF\"", "\"\xf4\x8f\xbf\xbf\""},
    {"\"\\u0000\"", NULL},
    {"\"\\u001f\"", NULL},
    {"\"\\u007f\"", "\"\x7f\""},
    {"\"\x7f\"", NULL},
    {"\"\\u2028\"", "\"\xe2\x80\xa8\""},
    {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", NULL},
    {"\"\\uFFFF\"", "\"\xef\xbf\xbf\""},
    {"\"\xef\xbb\xbf\"", NULL},
    {"\"\\\\u0041\"", NULL},
    {"\"\\\\\"", NULL},
    {"\"//\"", NULL},
    {"\"a\\u0062c\"", "\"abc\""},
    {"\"\\u0080\"", "\"\xc2\x80\""},
    {"\"\\u07ff\\u0800\"", "\"\xdf\xbf\xe0\xa0\x80\""},
    {"\"\\ud7ff\\ue000\"", "\"\xed\x9f\xbf\xee\x80\x80\""},
    {"[]", NULL},
    {"[ ]", "[]"},
    {"{}", NULL},
    {"{ }", "{}"},
    {"[1]", NULL},
    {"[1,2]", NULL},
    {"[1 , 2 ]", "[1,2]"},
    {"[[]]", NULL},
    {"[[],[]]", NULL},
    {"[{}]", NULL},
    {"[null,true,false]", NULL},
    {"[\"a\",1,{\"b\":[]}]", NULL},
    {"{\"\":0}", NULL},
    {"{\"a\":1}", NULL},
    {"{\"a\" : 1}", "{\"a\":1}"},
    {"{\"a\":1,\"b\":2}", NULL},
    {"{\"a\":{\"a\":{\"a\":{}}}}", NULL},
    {"{\"b\":1,\"a\":2}", NULL},
    {"{\"\\u0061\":1}", "{\"a\":1}"},
    {"{\"a\\u0000b\":1}", NULL},
    {"{\"\xc3\xa9\":1}", NULL},
    {" 1", "1"},
    {"1 ", "1"},
    {"\t\n\r 1\t\n\r ", "1"},
    {"\n[\n1\n,\n2\n]\n", "[1,2]"},
    {"\xef\xbb\xbf{}", "{}"},
    {"\xef\xbb\xbf 1", "1"},
    {"[1.0]", NULL},
    {"[-1e-1]", NULL},
    {"[0.00]", NULL},
    {"{\"a\":null,\"A\":null}", NULL},
    {"[1e308]", NULL},
    {"[5e-324]", NULL},
    {"[\"\\t\"]", NULL},
};

/* Texts that are not, and where and why. */
static const struct {
    const char *text, *place, *why;
} refused[] = {
    {"", "1:1", "the end of the text"},
    {" ", "1:2", "the end of the text"},
    {"\n", "2:1", "the end"},
    {"\xef\xbb\xbf", "1:4", "the end"},
    {"nul", "1:1", "'nul' is no JSON value"},
    {"nulll", "1:1", "'nulll'"},
    {"Null", "1:1", "'Null'"},
    {"True", "1:1", "'True'"},
    {"TRUE", "1:1", "'TRUE'"},
    {"truefalse", "1:1", "'truefalse'"},
    {"NaN", "1:1", "'NaN'"},
    {"Infinity", "1:1", "'Infinity'"},
    {"-Infinity", "1:1", "'-Infinity'"},
    {"inf", "1:1", "'inf'"},
    {"undefined", "1:1", "'undefined'"},
    {"+1", "1:1", "'+1'"},
    {"-", "1:1", "'-'"},
    {"--1", "1:1", "'--1'"},
    {"01", "1:1", "'01'"},
    {"-01", "1:1", "'-01'"},
    {"00", "1:1", "'00'"},
    {".5", "1:1", "'.5'"},
    {"-.5", "1:1", "'-.5'"},
    {"5.", "1:1", "'5.'"},
    {"1.e1", "1:1", "'1.e1'"},
    {"1e", "1:1", "'1e'"},
    {"1e+", "1:1", "'1e+'"},
    {"1e1.5", "1:1", "'1e1.5'"},
    {"1.2.3", "1:1", "'1.2.3'"},
    {"0x10", "1:1", "'0x10'"},
    {"1_000", "1:1", "'1_000'"},
    {"1a", "1:1", "'1a'"},
    {"- 1", "1:1", "'-'"},
    {"1 2", "1:3", "the end of the text, not '2'"},
    {"1e400", "1:1", "range"},
    {"-1e400", "1:1", "range"},
    {"[1e999]", "1:2", "range"},
    {"1,", "1:2", "not ','"},
    {"[1", "1:3", "',' or ']'"},
    {"[", "1:2", "the end"},
    {"]", "1:1", "not ']'"},
    {"[1,]", "1:3", "a comma before ']'"},
    {"[,1]", "1:2", "not ','"},
    {"[,]", "1:2", "not ','"},
    {"[1,,2]", "1:4", "not ','"},
    {"[1 2]", "1:4", "not '2'"},
    {"[1:2]", "1:3", "not ':'"},
    {"[1}", "1:3", "',' or ']', not '}'"},
    {"[1]]", "1:4", "the end of the text"},
    {"[\n1,\n2\n}", "4:1", "not '}'"},
    {"{", "1:2", "a key"},
    {"}", "1:1", "not '}'"},
    {"{]", "1:2", "a key in double quotes, not ']'"},
    {"{1:2}", "1:2", "a key"},
    {"{a:1}", "1:2", "not 'a'"},
    {"{'a':1}", "1:2", "not '''"},
    {"{\"a\"}", "1:5", "':' after a key, not '}'"},
    {"{\"a\" 1}", "1:6", "':'"},
    {"{\"a\":}", "1:6", "a value, not '}'"},
    {"{\"a\":1", "1:7", "',' or '}'"},
    {"{\"a\":1,}", "1:7", "a comma before '}'"},
    {"{,\"a\":1}", "1:2", "a key"},
    {"{\"a\":1 \"b\":2}", "1:8", "not '\"'"},
    {"{\"a\":1,,\"b\":2}", "1:8", "a key"},
    {"{\"a\":1]", "1:7", "',' or '}', not ']'"},
    {"{\"a\":1}}", "1:8", "the end"},
    {"{\"a\"::1}", "1:6", "not ':'"},
    {"{\"a\",\"b\"}", "1:5", "':'"},
    {"{null:1}", "1:2", "a key"},
    {"{\"a\":1,\"a\":2}", "1:8", "\"a\" is there twice"},
    {"{\"a\":1,\"\\u0061\":2}", "1:8", "\"a\" is there twice"},
    {"{\"b\":1,\"a\":1,\n\"b\":1,\"a\":1}", "2:1", "\"b\" is there twice"},
    {"[{\"x\":{\"y\":1,\"y\":1}}]", "1:14", "\"y\""},
    {"\"", "1:1", "does not end"},
    {"\"a", "1:1", "does not end"},
    {"\"\\\"", "1:1", "does not end"},
    {"\"\\", "1:1", "does not end"},
    {"'a'", "1:1", "not '''"},
    {"\"\n\"", "1:2", "byte 0x0a in a string"},
    {"\"\t\"", "1:2", "byte 0x09"},
    {"\"\x01\"", "1:2", "byte 0x01"},
    {"\"a\x1f\"", "1:3", "byte 0x1f"},
    {"\"\\x41\"", "1:2", "an escape"},
    {"\"\\a\"", "1:2", "an escape"},
    {"\"\\'\"", "1:2", "an escape"},
    {"\"\\0\"", "1:2", "an escape"},
    {"\"\\\n\"", "1:2", "an escape"},
    {"\"\\U0041\"", "1:2", "an escape"},
    {"\"\\u\"", "1:2", "four"},
    {"\"\\u004\"", "1:2", "four"},
    {"\"\\u00g0\"", "1:2", "four"},
    {"\"\\u 041\"", "1:2", "four"},
    {"\"\\u+041\"", "1:2", "four"},
    {"\"\\ud800\"", "1:2", "surrogate"},
    {"\"\\ud800a\"", "1:2", "surrogate"},
    {"\"\\ud800\\n\"", "1:2", "surrogate"},
    {"\"\\ud800\\ud800\"", "1:2", "surrogate"},
    {"\"\\udc00\"", "1:2", "surrogate"},
    {"\"\\udc00\\ud800\"", "1:2", "surrogate"},
    {"\"\\ud800\\u0041\"", "1:2", "surrogate"},
    {"\"a\\ud83d\\ude0\"", "1:3", "surrogate"},
    {"\"\x80\"", "1:2", "byte 0x80 is no UTF-8"},
    {"\"\xff\"", "1:2", "0xff"},
    {"\"\xc3\"", "1:2", "0xc3"},
    {"\"\xc0\xaf\"", "1:2", "0xc0"},
    {"\"\xe0\x80\xaf\"", "1:2", "0xe0"},
    {"\"\xed\xa0\x80\"", "1:2", "0xed"},
    {"\"\xf0\x80\x80\xaf\"", "1:2", "0xf0"},
    {"\"\xf4\x90\x80\x80\"", "1:2", "0xf4"},
    {"\"\xf5\x80\x80\x80\"", "1:2", "0xf5"},
    {"\"\xe2\x82\"", "1:2", "0xe2"},
    {"\"\xf0\x9f\x98\"", "1:2", "0xf0"},
    {"[\"a\", \xe9]", "1:7", "0xe9"},
    {"\xff\xfe", "1:1", "0xff"},
    {"\"a\" \"b\"", "1:5", "the end of the text"},
    {"// c\n1", "1:1", "a comment"},
    {"1 // c", "1:3", "a comment"},
    {"/* c */ 1", "1:1", "a comment"},
    {"# c\n1", "1:1", "not '#'"},
    {"\f1", "1:1", "byte 0x0c"},
    {"\v1", "1:1", "byte 0x0b"},
    {"\xc2\xa0"
     "1",
     "1:1", "not '\xc2\xa0'"},
    {"[1;2]", "1:3", "not ';'"},
    {"\xef\xbb\xbf\xef\xbb\xbf"
     "1",
     "1:4", "not"},
    {"[\"a\" \"b\"]", "1:6", "not '\"'"},
    {"*", "1:1", "not '*'"},
    {"<1>", "1:1", "not '<'"},
    {"{\"a\":\n  tru}", "2:3", "'tru' is no JSON value"},
};

static void conforming_texts_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        parsed p = parse(wgt_str_from(accepted[i].text), 0);
        if (p.status)
            fail_msg("%s: %s", accepted[i].text, p.error.message);
        char again[256];
        wgt_out out;
        wgt_json_writer w;
        wgt_out_init(&out, again, sizeof again);
        wgt_json_writer_init(&w, &out, 0);
        wgt_json_value(&w, p.root);
        assert_string_equal(again, accepted[i].again ? accepted[i].again : accepted[i].text);
        wgt_arena_release(&p.arena);
    }
}

static void other_texts_are_refused_where_they_go_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        parsed p = parse(wgt_str_from(refused[i].text), 0);
        char start[64];
        if (p.status != WGT_BAD_INPUT)
            fail_msg("accepted: %s", refused[i].text);
        snprintf(start, sizeof start, "t.json:%s: ", refused[i].place);
        if (strncmp(p.error.message, start, strlen(start)) ||
            !strstr(p.error.message, refused[i].why))
            fail_msg("%s: got \"%s\", not \"%s%s\"", refused[i].text, p.error.message, start,
                     refused[i].why);
        wgt_arena_release(&p.arena);
    }
    parsed p = parse((wgt_str){"[1,\0 2]", 7}, 0);
    assert_int_equal(p.status, WGT_BAD_INPUT);
    assert_string_equal(p.error.message, "t.json:1:4: expected a value, not byte 0x00");
    wgt_arena_release(&p.arena);
}

static void comments_only_where_asked_for(void **state) {
    (void)state;
    wgt_str text = WGT_STR(
        "// first\n{ // brace\n \"a//b\": 1, // one\n// alone\n\"c\" : // colon\n 2\n}//end");
    parsed p = parse(text, WGT_JSON_COMMENTS);
    assert_int_equal(p.status, WGT_OK);
    assert_true(wgt_json_number_or(p.root, "a//b", 0) == 1 &&
                wgt_json_number_or(p.root, "c", 0) == 2);
    wgt_arena_release(&p.arena);
    p = parse(WGT_STR("{} /* no */"), WGT_JSON_COMMENTS);
    assert_string_equal(p.error.message,
                        "t.json:1:4: '/' alone: comments are // to the end of the line");
    wgt_arena_release(&p.arena);
    p = parse(WGT_STR("1 /"), WGT_JSON_COMMENTS);
    assert_int_equal(p.status, WGT_BAD_INPUT);
    wgt_arena_release(&p.arena);
    p = parse(WGT_STR("// only a comment"), WGT_JSON_COMMENTS);
    assert_int_equal(p.status, WGT_BAD_INPUT);
    wgt_arena_release(&p.arena);
}

static void duplicates_where_asked_for(void **state) {
    (void)state;
    parsed p = parse(WGT_STR("{\"a\":1,\"b\":2,\"a\":3}"), WGT_JSON_DUPLICATES);
    assert_int_equal(p.status, WGT_OK);
    assert_true(wgt_json_number_or(p.root, "a", 0) == 3);
    wgt_arena_release(&p.arena);
    /* Many keys, the one duplicate last, in far less than squared time. */
    size_t capacity = 4 << 20, size = 0, count = 100000;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, capacity - size, "%s\"k%zu\":%zu", i ? "," : "{",
                                 i * 7919 % count, i);
    size_t unique = size;
    text[size++] = '}';
    p = parse((wgt_str){text, size}, 0);
    assert_int_equal(p.status, WGT_OK);
    assert_int_equal(p.root->count, count);
    wgt_arena_release(&p.arena);
    size = unique + (size_t)snprintf(text + unique, capacity - unique, ",\"k500\":1}");
    p = parse((wgt_str){text, size}, 0);
    assert_int_equal(p.status, WGT_BAD_INPUT);
    assert_non_null(strstr(p.error.message, "\"k500\" is there twice"));
    wgt_arena_release(&p.arena);
    free(text);
}

static void depth_is_limited(void **state) {
    (void)state;
    char text[300];
    for (int depth = 63; depth <= 66; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        parsed p = parse((wgt_str){text, 2 * (size_t)depth}, 0);
        assert_int_equal(p.status, depth <= WGT_JSON_DEPTH ? WGT_OK : WGT_BAD_INPUT);
        if (p.status)
            assert_string_equal(p.error.message, "t.json:1:65: nested deeper than 64 levels");
        else {
            char again[300];
            wgt_out out;
            wgt_json_writer w;
            wgt_out_init(&out, again, sizeof again);
            wgt_json_writer_init(&w, &out, 0);
            wgt_json_value(&w, p.root);
            assert_int_equal(out.size, 2 * depth);
            assert_memory_equal(again, text, out.size);
        }
        wgt_arena_release(&p.arena);
    }
}

static void nodes_know_where_they_stand(void **state) {
    (void)state;
    wgt_str text = WGT_STR("{\n  \"key\": [10, \"s\"],\n  \"o\": {}\n}");
    parsed p = parse(text, 0);
    assert_int_equal(p.status, WGT_OK);
    assert_int_equal(p.root->offset, 0);
    assert_int_equal(p.root->end, text.size);
    assert_int_equal(p.root->count, 2);
    const wgt_json *array = wgt_json_get(p.root, "key"), *string = wgt_json_at(array, 1);
    assert_int_equal(array->key_offset, 4);
    assert_int_equal(array->offset, 11);
    assert_int_equal(array->end, 20);
    assert_true(wgt_str_is(wgt_json_at(array, 0)->string, "10"));
    assert_int_equal(string->offset, 16);
    assert_int_equal(string->end, 19);
    assert_null(wgt_json_at(array, 2));
    assert_null(wgt_json_at(p.root, 0));
    assert_null(wgt_json_at(NULL, 0));
    size_t line, column;
    wgt_position(text, string->offset, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 15);
    wgt_position(text, 1000, &line, &column);
    assert_int_equal(line, 4);
    assert_int_equal(column, 2);
    wgt_error error;
    assert_int_equal(
        wgt_fail_at(&error, WGT_BAD_INPUT, WGT_STR("f"), text, string->offset, "not %d", 7),
        WGT_BAD_INPUT);
    assert_string_equal(error.message, "f:2:15: not 7");
    assert_int_equal(wgt_fail_at(NULL, WGT_USAGE, WGT_STR("f"), text, 0, "x"), WGT_USAGE);
    wgt_arena_release(&p.arena);
}

static void members_have_types(void **state) {
    (void)state;
    parsed p = parse(WGT_STR("{\"n\":2.5,\"s\":\"x\",\"b\":true,\"z\":null,\"u\":9007199254740992,"
                             "\"v\":9007199254740994,"
                             "\"m\":-1,\"e\":1e3}"),
                     0);
    assert_int_equal(p.status, WGT_OK);
    assert_true(wgt_json_number_or(p.root, "n", 1) == 2.5);
    assert_true(wgt_json_number_or(p.root, "s", 1) == 1);
    assert_true(wgt_json_number_or(p.root, "none", 1) == 1);
    assert_true(wgt_str_is(wgt_json_string_or(p.root, "s", WGT_STR("y")), "x"));
    assert_true(wgt_str_is(wgt_json_string_or(p.root, "n", WGT_STR("y")), "y"));
    assert_true(wgt_json_bool_or(p.root, "b", false));
    assert_true(wgt_json_bool_or(p.root, "z", true));
    assert_true(wgt_json_u64(p.root, "u") == (uint64_t)1 << 53);
    assert_true(wgt_json_u64(p.root, "e") == 1000);
    static const char *const unknown[] = {"n", "s", "z", "v", "m", "none"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_true(wgt_json_u64(p.root, unknown[i]) == WGT_UNKNOWN_U64);
    assert_null(wgt_json_get(NULL, "n"));
    assert_null(wgt_json_get(wgt_json_get(p.root, "n"), "n"));
    assert_string_equal(wgt_json_type_name(WGT_JSON_NUMBER), "a number");
    assert_string_equal(wgt_json_type_name(WGT_JSON_OBJECT), "an object");
    wgt_arena_release(&p.arena);
}

/* Every allocation may fail; the parser then says so and nothing else happens. */
static void little_memory_is_no_crash(void **state) {
    (void)state;
    wgt_str text = WGT_STR("{\"a\\n\":[1,2,{\"b\":\"\\u0041\"}],\"c\":{\"d\":1,\"e\":2}}");
    static unsigned char memory[8192];
    bool fitted = false;
    for (size_t size = 0; size <= sizeof memory; size += 16) {
        wgt_arena arena;
        wgt_json *root = NULL;
        wgt_error error;
        wgt_arena_init_fixed(&arena, memory, size);
        wgt_status status = wgt_json_parse(WGT_STR("t"), text, 0, &arena, &root, &error);
        assert_true(status == WGT_OK || status == WGT_NO_MEMORY);
        assert_true((status == WGT_OK) >= fitted);
        fitted = status == WGT_OK;
        if (status)
            assert_string_equal(error.message, "no memory left to read t");
    }
    assert_true(fitted);
}

static void write_sample(wgt_json_writer *w) {
    wgt_json_begin_object(w);
    wgt_json_key(w, "empty");
    wgt_json_begin_array(w);
    wgt_json_end_array(w);
    wgt_json_key(w, "list");
    wgt_json_begin_array(w);
    wgt_json_number(w, 0.1);
    wgt_json_number(w, (double)NAN);
    wgt_json_write_u64(w, 12345678901234567890u);
    wgt_json_write_u64(w, WGT_UNKNOWN_U64);
    wgt_json_end_array(w);
    wgt_json_key_str(w, WGT_STR("inline"));
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "a");
    wgt_json_bool(w, true);
    wgt_json_key(w, "b");
    wgt_json_begin_array(w);
    wgt_json_null(w);
    wgt_json_cstring(w, NULL);
    wgt_json_end_array(w);
    wgt_json_end_object(w);
    wgt_json_key(w, "after");
    wgt_json_begin_object(w);
    wgt_json_key(w, "t");
    wgt_json_string(w, WGT_STR("q\"\\\n\x01\xff\xc3\xa9\xe2\x82"));
    wgt_json_end_object(w);
    wgt_json_key(w, "row");
    wgt_json_begin_inline_array(w);
    wgt_json_cstring(w, "x");
    wgt_json_bool(w, false);
    wgt_json_end_array(w);
    wgt_json_end_object(w);
}

static void the_writer_lays_out(void **state) {
    (void)state;
    char text[1024];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, text, sizeof text);
    wgt_json_writer_init(&w, &out, 0);
    write_sample(&w);
    assert_string_equal(
        text,
        "{\"empty\":[],\"list\":[0.1,null,12345678901234567890,null],"
        "\"inline\":{\"a\":true,\"b\":[null,null]},"
        "\"after\":{\"t\":\"q\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\"},"
        "\"row\":[\"x\",false]}");
    wgt_out_init(&out, text, sizeof text);
    wgt_json_writer_init(&w, &out, 2);
    write_sample(&w);
    assert_string_equal(
        text,
        "{\n  \"empty\": [],\n  \"list\": [\n    0.1,\n    null,\n    12345678901234567890,\n"
        "    null\n  ],\n  \"inline\": {\"a\": true, \"b\": [null, null]},\n  \"after\": {\n"
        "    \"t\": \"q\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\"\n  },\n"
        "  \"row\": [\"x\", false]\n}");
    parsed p = parse((wgt_str){text, out.size}, 0);
    assert_int_equal(p.status, WGT_OK);
    wgt_arena_release(&p.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conforming_texts_are_read),
        cmocka_unit_test(other_texts_are_refused_where_they_go_wrong),
        cmocka_unit_test(comments_only_where_asked_for),
        cmocka_unit_test(duplicates_where_asked_for),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(nodes_know_where_they_stand),
        cmocka_unit_test(members_have_types),
        cmocka_unit_test(little_memory_is_no_crash),
        cmocka_unit_test(the_writer_lays_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
