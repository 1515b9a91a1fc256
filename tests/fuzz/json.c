/* Whatever the text: the reader ends, its errors have a place in the text, and what it read is the
 * same after writing and reading it again. */
#include "fuzz.h"

#include "base/json.h"

#include <string.h>

const char *const wgt_fuzz_seeds[] = {
    "",
    "null",
    "{\"a\":[1,2.5e-3,-0,\"x\\u00e9\\ud83d\\ude00\"],\"b\":{\"c\":true,\"d\":false,\"e\":null}}",
    "[[[[[[]]]]],{},\"\",0,1e308,5e-324,123456789012345678901234567890]",
    "// c\n{ \"k\" : 1 } // d\n",
    "\xef\xbb\xbf{\"\xc3\xa9\":\"\xe2\x82\xac\xf0\x9f\x98\x80\"}",
    "{\"a\":1,\"a\":2}",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\"",
    "{\n  \"format\": 1,\n  \"list\": [\n    1,\n    2\n  ]\n}\n",
    NULL};

const char *const wgt_fuzz_words[] = {"{",
                                      "}",
                                      "[",
                                      "]",
                                      ",",
                                      ":",
                                      "\"",
                                      "\\",
                                      "//",
                                      "\n",
                                      "null",
                                      "true",
                                      "false",
                                      "\\u",
                                      "\\ud800",
                                      "\\udc00",
                                      "1e",
                                      "e+",
                                      "-",
                                      ".",
                                      "0",
                                      "999999999999999999",
                                      "\xff",
                                      "\xed\xa0\x80",
                                      "\xc3",
                                      "\"a\":",
                                      "[[[[[[[[[[[[[[[[",
                                      "{\"k\":{\"k\":",
                                      "1e400",
                                      "4.9406564584124654e-324",
                                      NULL};

static unsigned char memory[8 << 20], memory_again[8 << 20];
static char first[1 << 20], second[1 << 20];

static wgt_str write_out(const wgt_json *root, unsigned indent, char *text, size_t capacity) {
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, text, capacity);
    wgt_json_writer_init(&w, &out, indent);
    wgt_json_value(&w, root);
    WGT_FUZZ_CHECK(!out.truncated);
    return (wgt_str){text, out.size};
}

static void check_places(const wgt_json *node, wgt_str text, size_t low, size_t high) {
    size_t count = 0;
    WGT_FUZZ_CHECK(low <= node->offset && node->offset < node->end && node->end <= high &&
                   high <= text.size);
    for (const wgt_json *item = node->first; item; item = item->next) {
        WGT_FUZZ_CHECK(node->type != WGT_JSON_OBJECT ||
                       (item->key_offset > low && item->key_offset < item->offset));
        check_places(item, text, node->offset + 1, node->end - 1);
        count++;
    }
    WGT_FUZZ_CHECK(count == node->count);
}

static void check_again(const wgt_json *root) {
    for (unsigned indent = 0; indent < 3; indent += 2) {
        wgt_arena arena;
        wgt_json *again;
        wgt_str text = write_out(root, indent, first, sizeof first);
        wgt_arena_init_fixed(&arena, memory_again, sizeof memory_again);
        WGT_FUZZ_CHECK(wgt_json_parse(WGT_STR("a"), text, WGT_JSON_DUPLICATES, &arena, &again,
                                      NULL) == WGT_OK);
        wgt_str text_again = write_out(again, indent, second, sizeof second);
        WGT_FUZZ_CHECK(wgt_str_equal(text, text_again));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wgt_str text = {(const char *)data, size};
    if (size > sizeof first / 8)
        return 0;
    for (unsigned flags = 0; flags < 4; flags++) {
        wgt_arena arena;
        wgt_json *root = NULL;
        wgt_error error = {""};
        wgt_arena_init_fixed(&arena, memory, sizeof memory);
        wgt_status status = wgt_json_parse(WGT_STR("f"), text, flags, &arena, &root, &error);
        WGT_FUZZ_CHECK(status == WGT_OK || status == WGT_BAD_INPUT);
        if (status) {
            WGT_FUZZ_CHECK(strncmp(error.message, "f:", 2) == 0);
        } else {
            WGT_FUZZ_CHECK(error.message[0] == '\0');
            check_places(root, text, 0, size);
            check_again(root);
        }
    }
    return 0;
}
