/* JSON as this project needs it: a position for every node, `//` comments where asked for, a depth
 * limit, numbers that round-trip, no heap of its own, the same bytes on every host. Pure. */
#ifndef WGT_BASE_JSON_H
#define WGT_BASE_JSON_H

#include "memory.h"
#include "text.h"

typedef enum wgt_json_type {
    WGT_JSON_NULL,
    WGT_JSON_BOOL,
    WGT_JSON_NUMBER,
    WGT_JSON_STRING,
    WGT_JSON_ARRAY,
    WGT_JSON_OBJECT
} wgt_json_type;

typedef struct wgt_json wgt_json;
struct wgt_json {
    wgt_json_type type;
    bool boolean;
    double number;
    wgt_str string;      /* decoded; the raw text of a number */
    wgt_str key;         /* decoded, of a member of an object */
    size_t offset;       /* of the value's first byte in the text */
    size_t key_offset;   /* of the key's opening quote */
    size_t end;          /* one past the value's last byte */
    wgt_json *first;     /* members or elements, in order */
    wgt_json *next;      /* the sibling after this one */
    size_t count;        /* members or elements */
};

enum {
    WGT_JSON_COMMENTS = 1,     /* allow // to the end of the line, outside strings */
    WGT_JSON_DUPLICATES = 2    /* allow duplicate keys (the last wins); refused otherwise */
};

#define WGT_JSON_DEPTH 64

/* Parses a whole text (one value, white space around). `name` is the file's name for messages, which
 * read `name:line:column: what is wrong`. Strings are decoded into the arena only where they hold an
 * escape, so `text` must outlive the tree. Invalid UTF-8, lone surrogates, control characters in
 * strings, numbers that JSON does not know, and trailing text are errors. A BOM at the start is
 * skipped. Errors: WGT_BAD_INPUT, WGT_NO_MEMORY. */
wgt_status wgt_json_parse(wgt_str name, wgt_str text, unsigned flags, wgt_arena *arena,
                          wgt_json **root, wgt_error *error);

/* The member of that name, or NULL (also when `object` is NULL or no object). */
const wgt_json *wgt_json_get(const wgt_json *object, const char *key);
const wgt_json *wgt_json_at(const wgt_json *array, size_t index);
/* The value of a member, or the fallback where it is missing or of another type. */
double wgt_json_number_or(const wgt_json *object, const char *key, double fallback);
wgt_str wgt_json_string_or(const wgt_json *object, const char *key, wgt_str fallback);
bool wgt_json_bool_or(const wgt_json *object, const char *key, bool fallback);
/* A member that is a whole number in 0..2^53; WGT_UNKNOWN_U64 where missing, null or anything else. */
uint64_t wgt_json_u64(const wgt_json *object, const char *key);
const char *wgt_json_type_name(wgt_json_type type); /* "a number", "an object", ... */

/* The 1-based line and column (in bytes from the line's start) of an offset. */
void wgt_position(wgt_str text, size_t offset, size_t *line, size_t *column);
/* Fails with `name:line:column: message` for an offset of a text. */
wgt_status wgt_fail_at(wgt_error *error, wgt_status status, wgt_str name, wgt_str text, size_t offset,
                       const char *format, ...) WGT_PRINTF(6, 7);

/* The writer. Commas, quoting and (when indent > 0) line breaks are its business. Arrays and objects
 * opened with `inline_` stay on one line. */
typedef struct wgt_json_writer {
    wgt_out *out;
    unsigned indent; /* spaces a level; 0: everything on one line */
    unsigned depth;
    uint64_t has_items;  /* bit per level */
    uint64_t is_inline;  /* bit per level */
    bool after_key;
} wgt_json_writer;

void wgt_json_writer_init(wgt_json_writer *w, wgt_out *out, unsigned indent);
void wgt_json_begin_object(wgt_json_writer *w);
void wgt_json_begin_inline_object(wgt_json_writer *w);
void wgt_json_end_object(wgt_json_writer *w);
void wgt_json_begin_array(wgt_json_writer *w);
void wgt_json_begin_inline_array(wgt_json_writer *w);
void wgt_json_end_array(wgt_json_writer *w);
void wgt_json_key(wgt_json_writer *w, const char *key);
void wgt_json_key_str(wgt_json_writer *w, wgt_str key);
void wgt_json_null(wgt_json_writer *w);
void wgt_json_bool(wgt_json_writer *w, bool value);
void wgt_json_number(wgt_json_writer *w, double value); /* NaN and infinities: null */
void wgt_json_write_u64(wgt_json_writer *w, uint64_t value);  /* WGT_UNKNOWN_U64: null */
void wgt_json_string(wgt_json_writer *w, wgt_str value); /* invalid UTF-8 becomes U+FFFD */
void wgt_json_cstring(wgt_json_writer *w, const char *value); /* NULL: null */
void wgt_json_value(wgt_json_writer *w, const wgt_json *value); /* a parsed tree again */

#endif
