#include "json.h"
#include "number.h"

#include <string.h>

typedef struct reader {
    wgt_str name, text;
    size_t at;
    unsigned flags, depth;
    wgt_arena *arena;
    wgt_error *error;
} reader;

void wgt_position(wgt_str text, size_t offset, size_t *line, size_t *column) {
    size_t start = 0;
    *line = 1;
    if (offset > text.size)
        offset = text.size;
    for (size_t i = 0; i < offset; i++)
        if (text.data[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    *column = offset - start + 1;
}

static wgt_status fail_at_v(wgt_error *error, wgt_status status, wgt_str name, wgt_str text,
                            size_t offset, const char *format, va_list arguments) {
    char message[WGT_ERROR_SIZE];
    size_t line, column;
    wgt_out out;
    wgt_position(text, offset, &line, &column);
    wgt_out_init(&out, message, sizeof message);
    wgt_put(&out, name);
    if (name.size)
        wgt_put_char(&out, ':');
    wgt_putf(&out, "%zu:%zu: ", line, column);
    wgt_vputf(&out, format, arguments);
    return wgt_fail(error, status, "%s", message);
}

wgt_status wgt_fail_at(wgt_error *error, wgt_status status, wgt_str name, wgt_str text,
                       size_t offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at_v(error, status, name, text, offset, format, arguments);
    va_end(arguments);
    return status;
}

WGT_PRINTF(3, 4)
static wgt_status bad(reader *r, size_t offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at_v(r->error, WGT_BAD_INPUT, r->name, r->text, offset, format, arguments);
    va_end(arguments);
    return WGT_BAD_INPUT;
}

static wgt_status no_memory(reader *r) {
    return wgt_fail(r->error, WGT_NO_MEMORY, "no memory left to read %.*s", (int)r->name.size,
                    r->name.data);
}

static bool at_end(const reader *r) {
    return r->at >= r->text.size;
}

/* What stands at an offset, quoted for a message. */
typedef struct shown {
    char text[24];
} shown;

static shown show(const reader *r, size_t at) {
    shown s;
    if (at >= r->text.size) {
        wgt_format(s.text, sizeof s.text, "the end of the text");
        return s;
    }
    size_t size = wgt_utf8_size(r->text, at);
    unsigned char c = (unsigned char)r->text.data[at];
    if (c < 0x20 || c == 0x7f || size == 0)
        wgt_format(s.text, sizeof s.text, "byte 0x%02x", c);
    else
        wgt_format(s.text, sizeof s.text, "'%.*s'", (int)size, r->text.data + at);
    return s;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static wgt_status skip_space(reader *r) {
    while (!at_end(r)) {
        char c = r->text.data[r->at];
        if (is_space(c)) {
            r->at++;
        } else if (c == '/') {
            if (!(r->flags & WGT_JSON_COMMENTS))
                return bad(r, r->at, "a comment, which JSON does not allow here");
            if (r->at + 1 >= r->text.size || r->text.data[r->at + 1] != '/')
                return bad(r, r->at, "'/' alone: comments are // to the end of the line");
            while (!at_end(r) && r->text.data[r->at] != '\n')
                r->at++;
        } else {
            break;
        }
    }
    return WGT_OK;
}

static bool hex_digit(char c, uint32_t *value) {
    if (c >= '0' && c <= '9')
        *value = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *value = (uint32_t)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
        *value = (uint32_t)(c - 'A') + 10;
    else
        return false;
    return true;
}

/* The four digits of \uXXXX from `at`. */
static bool read_unit(const reader *r, size_t at, uint32_t *unit) {
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t digit;
        if (at + i >= r->text.size || !hex_digit(r->text.data[at + i], &digit))
            return false;
        *unit = *unit << 4 | digit;
    }
    return true;
}

static size_t encode(uint32_t code, char *memory) {
    if (code < 0x80) {
        memory[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; code >>= 6)
        memory[i] = (char)(0x80 | (code & 0x3f));
    memory[0] = (char)(leads[size] | code);
    return size;
}

static wgt_status read_code(reader *r, uint32_t *code) {
    size_t start = r->at;
    uint32_t low;
    if (!read_unit(r, start + 2, code))
        return bad(r, start, "\\u wants four hexadecimal digits");
    r->at += 6;
    if (*code < 0xd800 || *code > 0xdfff)
        return WGT_OK;
    if (*code > 0xdbff || r->at + 2 > r->text.size || r->text.data[r->at] != '\\' ||
        r->text.data[r->at + 1] != 'u' || !read_unit(r, r->at + 2, &low) || low < 0xdc00 ||
        low > 0xdfff)
        return bad(r, start, "half of a surrogate pair");
    r->at += 6;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return WGT_OK;
}

/* Decodes the escape at r->at into memory (up to 4 bytes) and moves behind it. */
static wgt_status read_escape(reader *r, char *memory, size_t *size) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char letter = r->at + 1 < r->text.size ? r->text.data[r->at + 1] : '\0';
    if (letter == 'u') {
        uint32_t code;
        wgt_status status = read_code(r, &code);
        if (status == WGT_OK)
            *size = encode(code, memory);
        return status;
    }
    for (size_t i = 0; i < sizeof letters - 1; i++)
        if (letter == letters[i]) {
            *memory = meanings[i];
            *size = 1;
            r->at += 2;
            return WGT_OK;
        }
    return bad(r, r->at,
               "an escape that JSON does not know: \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
               "\\uXXXX are allowed");
}

/* Decoding only ever shortens, so the raw size bounds the decoded one. */
static wgt_status decode(reader *r, size_t from, size_t to, wgt_str *string) {
    char *memory = wgt_arena_push(r->arena, to - from + 1, 1);
    size_t size = 0;
    if (!memory)
        return no_memory(r);
    for (r->at = from; r->at < to;) {
        if (r->text.data[r->at] != '\\') {
            memory[size++] = r->text.data[r->at++];
            continue;
        }
        size_t added = 0;
        wgt_status status = read_escape(r, memory + size, &added);
        if (status)
            return status;
        size += added;
    }
    *string = (wgt_str){memory, size};
    return WGT_OK;
}

static wgt_status read_string(reader *r, wgt_str *string) {
    size_t quote = r->at, start = quote + 1, end = start;
    bool escaped = false;
    for (; end < r->text.size && r->text.data[end] != '"'; end++) {
        if ((unsigned char)r->text.data[end] < 0x20)
            return bad(r, end, "%s in a string: write it as an escape", show(r, end).text);
        if (r->text.data[end] == '\\') {
            escaped = true;
            end++;
        }
    }
    if (end >= r->text.size)
        return bad(r, quote, "a string that does not end");
    *string = (wgt_str){r->text.data + start, end - start};
    if (escaped) {
        wgt_status status = decode(r, start, end, string);
        if (status)
            return status;
    }
    r->at = end + 1;
    return WGT_OK;
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

/* The run of letters, digits and signs from r->at, for numbers, words and what is neither. */
static wgt_str word_at(const reader *r) {
    size_t end = r->at;
    while (end < r->text.size && is_word(r->text.data[end]))
        end++;
    return (wgt_str){r->text.data + r->at, end - r->at};
}

static wgt_status bad_word(reader *r, wgt_str word) {
    int size = word.size > 40 ? 40 : (int)word.size;
    return bad(r, r->at, "'%.*s' is no JSON value", size, word.data);
}

static wgt_status read_number(reader *r, wgt_json *node) {
    wgt_str word = word_at(r);
    size_t taken = wgt_number_parse(word, &node->number);
    if (taken == 0 || taken != word.size)
        return bad_word(r, word);
    if (!wgt_is_finite(node->number))
        return bad(r, r->at, "a number beyond the range of a double");
    node->type = WGT_JSON_NUMBER;
    node->string = word;
    r->at += taken;
    return WGT_OK;
}

static wgt_status read_word(reader *r, wgt_json *node) {
    wgt_str word = word_at(r);
    if (!word.size)
        return bad(r, r->at, "expected a value, not %s", show(r, r->at).text);
    if (wgt_str_is(word, "null")) {
        node->type = WGT_JSON_NULL;
    } else if (wgt_str_is(word, "true") || wgt_str_is(word, "false")) {
        node->type = WGT_JSON_BOOL;
        node->boolean = word.data[0] == 't';
    } else {
        return bad_word(r, word);
    }
    r->at += word.size;
    return WGT_OK;
}

static bool key_before(const wgt_json *a, const wgt_json *b) {
    int order = wgt_str_compare(a->key, b->key);
    return order ? order < 0 : a->key_offset < b->key_offset;
}

static void sift_down(const wgt_json **heap, size_t at, size_t count) {
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && key_before(heap[child], heap[child + 1]))
            child++;
        if (!key_before(heap[at], heap[child]))
            return;
        const wgt_json *swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static void sort_by_key(const wgt_json **members, size_t count) {
    for (size_t i = count / 2; i-- > 0;)
        sift_down(members, i, count);
    for (size_t i = count; i-- > 1;) {
        const wgt_json *swap = members[0];
        members[0] = members[i];
        members[i] = swap;
        sift_down(members, 0, i);
    }
}

/* By sorting: an object with a million members must not take a million squared steps. */
static wgt_status refuse_duplicates(reader *r, const wgt_json *object) {
    if ((r->flags & WGT_JSON_DUPLICATES) || object->count < 2)
        return WGT_OK;
    const wgt_json **members = WGT_NEW_ARRAY(r->arena, const wgt_json *, object->count);
    if (!members)
        return no_memory(r);
    size_t count = 0;
    for (const wgt_json *m = object->first; m; m = m->next)
        members[count++] = m;
    sort_by_key(members, count);
    const wgt_json *first = NULL;
    for (size_t i = 1; i < count; i++)
        if (wgt_str_equal(members[i - 1]->key, members[i]->key) &&
            (!first || members[i]->key_offset < first->key_offset))
            first = members[i];
    if (!first)
        return WGT_OK;
    int size = first->key.size > 80 ? 80 : (int)first->key.size;
    return bad(r, first->key_offset, "the key \"%.*s\" is there twice", size, first->key.data);
}

static wgt_status read_value(reader *r, wgt_json *node);

static wgt_status read_key(reader *r, wgt_json *member) {
    if (at_end(r) || r->text.data[r->at] != '"')
        return bad(r, r->at, "expected a key in double quotes, not %s", show(r, r->at).text);
    member->key_offset = r->at;
    wgt_status status = read_string(r, &member->key);
    if (status || (status = skip_space(r)))
        return status;
    if (at_end(r) || r->text.data[r->at] != ':')
        return bad(r, r->at, "expected ':' after a key, not %s", show(r, r->at).text);
    r->at++;
    return skip_space(r);
}

/* Reads the comma or the closing bracket behind an item; *more says whether another one follows. */
static wgt_status read_separator(reader *r, char close, bool *more) {
    wgt_status status = skip_space(r);
    if (status)
        return status;
    char c = at_end(r) ? '\0' : r->text.data[r->at];
    *more = c == ',';
    if (c != ',' && c != close)
        return bad(r, r->at, "expected ',' or '%c', not %s", close, show(r, r->at).text);
    size_t comma = r->at++;
    if (!*more)
        return WGT_OK;
    status = skip_space(r);
    if (status == WGT_OK && !at_end(r) && r->text.data[r->at] == close)
        return bad(r, comma, "a comma before '%c', which JSON does not allow", close);
    return status;
}

static wgt_status read_items(reader *r, wgt_json *node, char close) {
    wgt_json **link = &node->first;
    bool more = true;
    r->at++;
    wgt_status status = skip_space(r);
    if (status)
        return status;
    if (!at_end(r) && r->text.data[r->at] == close) {
        r->at++;
        more = false;
    }
    while (more) {
        wgt_json *item = WGT_NEW(r->arena, wgt_json);
        if (!item)
            return no_memory(r);
        if (node->type == WGT_JSON_OBJECT && (status = read_key(r, item)))
            return status;
        if ((status = read_value(r, item)) || (status = read_separator(r, close, &more)))
            return status;
        *link = item;
        link = &item->next;
        node->count++;
    }
    return node->type == WGT_JSON_OBJECT ? refuse_duplicates(r, node) : WGT_OK;
}

static wgt_status read_container(reader *r, wgt_json *node) {
    bool object = r->text.data[r->at] == '{';
    if (r->depth == WGT_JSON_DEPTH)
        return bad(r, r->at, "nested deeper than %d levels", WGT_JSON_DEPTH);
    node->type = object ? WGT_JSON_OBJECT : WGT_JSON_ARRAY;
    r->depth++;
    wgt_status status = read_items(r, node, object ? '}' : ']');
    r->depth--;
    return status;
}

static wgt_status read_value(reader *r, wgt_json *node) {
    wgt_status status;
    char c = at_end(r) ? '\0' : r->text.data[r->at];
    node->offset = r->at;
    if (c == '{' || c == '[') {
        status = read_container(r, node);
    } else if (c == '"') {
        node->type = WGT_JSON_STRING;
        status = read_string(r, &node->string);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        status = read_number(r, node);
    } else {
        status = read_word(r, node);
    }
    node->end = r->at;
    return status;
}

static wgt_status refuse_bad_utf8(reader *r) {
    for (size_t at = 0; at < r->text.size;) {
        size_t size = wgt_utf8_size(r->text, at);
        if (!size)
            return bad(r, at, "byte 0x%02x is no UTF-8", (unsigned char)r->text.data[at]);
        at += size;
    }
    return WGT_OK;
}

wgt_status wgt_json_parse(wgt_str name, wgt_str text, unsigned flags, wgt_arena *arena,
                          wgt_json **root, wgt_error *error) {
    reader r = {.name = name, .text = text, .flags = flags, .arena = arena, .error = error};
    wgt_status status = refuse_bad_utf8(&r);
    if (status)
        return status;
    if (wgt_str_starts(text, "\xef\xbb\xbf"))
        r.at = 3;
    wgt_json *node = WGT_NEW(arena, wgt_json);
    if (!node)
        return no_memory(&r);
    if ((status = skip_space(&r)) || (status = read_value(&r, node)) || (status = skip_space(&r)))
        return status;
    if (!at_end(&r))
        return bad(&r, r.at, "expected the end of the text, not %s", show(&r, r.at).text);
    *root = node;
    return WGT_OK;
}

const wgt_json *wgt_json_get(const wgt_json *object, const char *key) {
    const wgt_json *found = NULL;
    if (!object || object->type != WGT_JSON_OBJECT)
        return NULL;
    wgt_str wanted = wgt_str_from(key);
    for (const wgt_json *m = object->first; m; m = m->next)
        if (wgt_str_equal(m->key, wanted))
            found = m;
    return found;
}

const wgt_json *wgt_json_at(const wgt_json *array, size_t index) {
    if (!array || array->type != WGT_JSON_ARRAY)
        return NULL;
    const wgt_json *item = array->first;
    while (item && index--)
        item = item->next;
    return item;
}

static const wgt_json *get_typed(const wgt_json *object, const char *key, wgt_json_type type) {
    const wgt_json *member = wgt_json_get(object, key);
    return member && member->type == type ? member : NULL;
}

double wgt_json_number_or(const wgt_json *object, const char *key, double fallback) {
    const wgt_json *member = get_typed(object, key, WGT_JSON_NUMBER);
    return member ? member->number : fallback;
}

wgt_str wgt_json_string_or(const wgt_json *object, const char *key, wgt_str fallback) {
    const wgt_json *member = get_typed(object, key, WGT_JSON_STRING);
    return member ? member->string : fallback;
}

bool wgt_json_bool_or(const wgt_json *object, const char *key, bool fallback) {
    const wgt_json *member = get_typed(object, key, WGT_JSON_BOOL);
    return member ? member->boolean : fallback;
}

uint64_t wgt_json_u64(const wgt_json *object, const char *key) {
    const wgt_json *member = get_typed(object, key, WGT_JSON_NUMBER);
    if (!member || !(member->number >= 0 && member->number <= 0x1p53) ||
        wgt_trunc(member->number) != member->number)
        return WGT_UNKNOWN_U64;
    return (uint64_t)member->number;
}

const char *wgt_json_type_name(wgt_json_type type) {
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    return (unsigned)type < sizeof names / sizeof *names ? names[type] : "no type";
}
