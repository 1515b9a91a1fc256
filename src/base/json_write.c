#include "json.h"
#include "number.h"

#include <string.h>

void wgt_json_writer_init(wgt_json_writer *w, wgt_out *out, unsigned indent) {
    memset(w, 0, sizeof *w);
    w->out = out;
    w->indent = indent;
}

/* Levels beyond the 64 bits are laid out as the 64th; nothing here nests that deep. */
static uint64_t level_bit(const wgt_json_writer *w) {
    return (uint64_t)1 << (w->depth < 63 ? w->depth : 63);
}

static void new_line(wgt_json_writer *w) {
    wgt_put_char(w->out, '\n');
    for (size_t i = 0; i < (size_t)w->depth * w->indent; i++)
        wgt_put_char(w->out, ' ');
}

static bool is_broken(const wgt_json_writer *w) {
    return w->indent && !(w->is_inline & level_bit(w));
}

/* What stands before an item: a comma, and a line break or a space. */
static void begin_item(wgt_json_writer *w) {
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0)
        return;
    bool first = !(w->has_items & level_bit(w));
    if (!first)
        wgt_put_char(w->out, ',');
    if (is_broken(w))
        new_line(w);
    else if (!first && w->indent)
        wgt_put_char(w->out, ' ');
    w->has_items |= level_bit(w);
}

static void begin(wgt_json_writer *w, char open, bool on_one_line) {
    begin_item(w);
    wgt_put_char(w->out, open);
    on_one_line |= w->depth > 0 && (w->is_inline & level_bit(w));
    w->depth++;
    w->has_items &= ~level_bit(w);
    w->is_inline &= ~level_bit(w);
    if (on_one_line)
        w->is_inline |= level_bit(w);
}

static void end(wgt_json_writer *w, char close) {
    bool broken = (w->has_items & level_bit(w)) && is_broken(w);
    w->depth--;
    if (broken)
        new_line(w);
    wgt_put_char(w->out, close);
}

void wgt_json_begin_object(wgt_json_writer *w) {
    begin(w, '{', false);
}
void wgt_json_begin_inline_object(wgt_json_writer *w) {
    begin(w, '{', true);
}
void wgt_json_end_object(wgt_json_writer *w) {
    end(w, '}');
}
void wgt_json_begin_array(wgt_json_writer *w) {
    begin(w, '[', false);
}
void wgt_json_begin_inline_array(wgt_json_writer *w) {
    begin(w, '[', true);
}
void wgt_json_end_array(wgt_json_writer *w) {
    end(w, ']');
}

static void put_escaped(wgt_out *out, unsigned char c) {
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    for (size_t i = 0; i < sizeof special - 1; i++)
        if (c == (unsigned char)special[i]) {
            wgt_put_char(out, '\\');
            wgt_put_char(out, letters[i]);
            return;
        }
    wgt_putf(out, "\\u%04x", c);
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c != '"' && c != '\\';
}

static void put_quoted(wgt_out *out, wgt_str value) {
    wgt_put_char(out, '"');
    for (size_t at = 0; at < value.size;) {
        size_t run = at, size = 0;
        while (run < value.size && is_plain((unsigned char)value.data[run]) &&
               (size = wgt_utf8_size(value, run)) != 0)
            run += size;
        wgt_put(out, (wgt_str){value.data + at, run - at});
        at = run;
        if (at == value.size)
            break;
        if (is_plain((unsigned char)value.data[at]))
            wgt_put(out, WGT_STR("\xef\xbf\xbd")); /* U+FFFD for a byte that is no UTF-8 */
        else
            put_escaped(out, (unsigned char)value.data[at]);
        at++;
    }
    wgt_put_char(out, '"');
}

void wgt_json_key(wgt_json_writer *w, const char *key) {
    wgt_json_key_str(w, wgt_str_from(key));
}

void wgt_json_key_str(wgt_json_writer *w, wgt_str key) {
    begin_item(w);
    put_quoted(w->out, key);
    wgt_put(w->out, w->indent ? WGT_STR(": ") : WGT_STR(":"));
    w->after_key = true;
}

static void put_value(wgt_json_writer *w, wgt_str text) {
    begin_item(w);
    wgt_put(w->out, text);
}

void wgt_json_null(wgt_json_writer *w) {
    put_value(w, WGT_STR("null"));
}

void wgt_json_bool(wgt_json_writer *w, bool value) {
    put_value(w, value ? WGT_STR("true") : WGT_STR("false"));
}

void wgt_json_number(wgt_json_writer *w, double value) {
    char text[WGT_NUMBER_SIZE];
    if (!wgt_is_finite(value)) {
        wgt_json_null(w);
        return;
    }
    size_t size = wgt_number_format(value, text);
    put_value(w, (wgt_str){text, size});
}

void wgt_json_write_u64(wgt_json_writer *w, uint64_t value) {
    if (value == WGT_UNKNOWN_U64) {
        wgt_json_null(w);
        return;
    }
    begin_item(w);
    wgt_putf(w->out, "%llu", (unsigned long long)value);
}

void wgt_json_string(wgt_json_writer *w, wgt_str value) {
    begin_item(w);
    put_quoted(w->out, value);
}

void wgt_json_cstring(wgt_json_writer *w, const char *value) {
    if (value)
        wgt_json_string(w, wgt_str_from(value));
    else
        wgt_json_null(w);
}

static void write_items(wgt_json_writer *w, const wgt_json *value) {
    for (const wgt_json *item = value->first; item; item = item->next) {
        if (value->type == WGT_JSON_OBJECT)
            wgt_json_key_str(w, item->key);
        wgt_json_value(w, item);
    }
}

void wgt_json_value(wgt_json_writer *w, const wgt_json *value) {
    switch (value->type) {
    case WGT_JSON_NULL:
        wgt_json_null(w);
        break;
    case WGT_JSON_BOOL:
        wgt_json_bool(w, value->boolean);
        break;
    case WGT_JSON_NUMBER: /* the text as it was keeps whole numbers beyond 2^53 */
        if (value->string.size)
            put_value(w, value->string);
        else
            wgt_json_number(w, value->number);
        break;
    case WGT_JSON_STRING:
        wgt_json_string(w, value->string);
        break;
    case WGT_JSON_ARRAY:
        wgt_json_begin_array(w);
        write_items(w, value);
        wgt_json_end_array(w);
        break;
    case WGT_JSON_OBJECT:
        wgt_json_begin_object(w);
        write_items(w, value);
        wgt_json_end_object(w);
        break;
    }
}
