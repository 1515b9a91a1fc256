#include "internal.h"
#include <string.h>

/* A table of numbers as text. Lines end in LF or CRLF. In CSV a field that starts with a quote is quoted
 * (a doubled quote inside stands for one); in TSV, and anywhere else in a field, a quote is a character
 * like any other. A quoted field has to end on its line: one stray quote must not swallow rows. */
typedef struct table {
    wgt_str rest;
    size_t line; /* of `row`, from 1 */
    char separator;
} table;

static bool next_line(table *t, wgt_str *row) {
    if (t->rest.size == 0) {
        return false;
    }
    size_t end = 0;
    while (end < t->rest.size && t->rest.data[end] != '\n') {
        end++;
    }
    *row = (wgt_str){t->rest.data, end};
    const size_t used = end < t->rest.size ? end + 1 : end;
    t->rest.data += used;
    t->rest.size -= used;
    t->line++;
    if (row->size > 0 && row->data[row->size - 1] == '\r') {
        row->size--;
    }
    return true;
}

static wgt_str trim(wgt_str text) {
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) {
        text.size--;
    }
    return text;
}

/* Takes the first field off a row; `*more` says whether another follows. false: a quote stays open. */
static bool next_field(const table *t, wgt_str *row, wgt_str *field, bool *more) {
    size_t start = 0, end = 0;
    const bool quoted = t->separator == ',' && row->size > 0 && row->data[0] == '"';
    if (quoted) {
        start = end = 1;
        while (end < row->size && (row->data[end] != '"' || (end + 1 < row->size && row->data[end + 1] == '"'))) {
            end += row->data[end] == '"' ? 2 : 1;
        }
        if (end >= row->size) {
            return false;
        }
    }
    size_t stop = end;
    while (stop < row->size && row->data[stop] != t->separator) {
        stop++;
    }
    *field = trim((wgt_str){row->data + start, (quoted ? end : stop) - start});
    *more = stop < row->size;
    row->data += *more ? stop + 1 : stop;
    row->size -= *more ? stop + 1 : stop;
    return true;
}

/* Calls of fields: the place of each wanted column among a row's fields. */
typedef struct columns {
    const wgt_json *node;
    size_t count;
    size_t *places;
    bool named; /* by the header */
} columns;

static wgt_status find_names(table *t, columns *c, wgt_error *error) {
    wgt_str row = {"", 0}, field;
    if (!next_line(t, &row)) {
        return wgt_fail(error, WGT_BAD_INPUT, "an empty file, a header line is wanted");
    }
    for (size_t i = 0; i < c->count; i++) {
        c->places[i] = SIZE_MAX;
    }
    bool more = true;
    for (size_t place = 0; more; place++) {
        if (!next_field(t, &row, &field, &more)) {
            return wgt_fail(error, WGT_BAD_INPUT, "line 1: a quote that is not closed on its line");
        }
        const wgt_json *name = c->node->first;
        for (size_t i = 0; i < c->count; i++, name = name->next) {
            c->places[i] = c->places[i] == SIZE_MAX && wgt_str_equal(name->string, field) ? place : c->places[i];
        }
    }
    const wgt_json *name = c->node->first;
    for (size_t i = 0; i < c->count; i++, name = name->next) {
        if (c->places[i] == SIZE_MAX) {
            return wgt_fail(error, WGT_BAD_INPUT, "line 1: no column \"%.*s\"", (int)name->string.size,
                            name->string.data);
        }
    }
    return WGT_OK;
}

static wgt_status read_field(const table *t, wgt_str field, wgt_scalar scalar, char *at, wgt_error *error) {
    wgt_str digits = field;
    if (digits.size > 1 && digits.data[0] == '+') {
        digits.data++;
        digits.size--;
    }
    double value = 0;
    if (digits.size == 0 || wgt_number_parse(digits, &value) != digits.size) {
        return wgt_fail(error, WGT_BAD_INPUT, "line %zu: \"%.*s\" is no number", t->line,
                        (int)(field.size < 40 ? field.size : 40), field.data);
    }
    if (!wgt_scalar_store(scalar, value, at)) {
        return wgt_fail(error, WGT_BAD_INPUT, "line %zu: %g does not fit a %s", t->line, value,
                        wgt_scalar_name(scalar));
    }
    return WGT_OK;
}

static wgt_status read_row(const table *t, const columns *c, wgt_str row, wgt_scalar scalar, char *at,
                           wgt_error *error) {
    const size_t size = wgt_scalar_size(scalar);
    size_t found = 0;
    bool more = true;
    for (size_t place = 0; more; place++) {
        wgt_str field;
        if (!next_field(t, &row, &field, &more)) {
            return wgt_fail(error, WGT_BAD_INPUT, "line %zu: a quote that is not closed on its line", t->line);
        }
        for (size_t i = 0; i < c->count; i++) {
            if (c->places[i] == place) {
                const wgt_status status = read_field(t, field, scalar, at + i * size, error);
                if (status != WGT_OK) {
                    return status;
                }
                found++;
            }
        }
    }
    return found == c->count ? WGT_OK
                             : wgt_fail(error, WGT_BAD_INPUT, "line %zu: %zu of the %zu columns are missing",
                                        t->line, c->count - found, c->count);
}

static size_t count_lines(table t) {
    size_t count = 0;
    wgt_str row;
    while (next_line(&t, &row)) {
        count += row.size > 0 ? 1 : 0;
    }
    return count;
}

wgt_status wgt_csv_read(wgt_arena *arena, wgt_str file, char separator, const wgt_json *wanted,
                        wgt_scalar scalar, wgt_str *packed, wgt_error *error) {
    table t = {file, 0, separator};
    columns c = {wanted, wanted->count, WGT_NEW_ARRAY(arena, size_t, wanted->count),
                 wanted->first->type == WGT_JSON_STRING};
    if (c.places == NULL) {
        return wgt_job_no_memory(error);
    }
    if (wgt_str_starts(t.rest, "\xef\xbb\xbf")) { /* a byte order mark */
        t.rest.data += 3;
        t.rest.size -= 3;
    }
    const wgt_json *item = wanted->first;
    for (size_t i = 0; !c.named && i < c.count; i++, item = item->next) {
        c.places[i] = (size_t)item->number - 1;
    }
    wgt_status status = c.named ? find_names(&t, &c, error) : WGT_OK;
    if (status != WGT_OK) {
        return status;
    }
    const size_t rows = count_lines(t), size = wgt_scalar_size(scalar) * c.count;
    char *made = wgt_arena_push(arena, rows, size);
    if (made == NULL) {
        return wgt_job_no_memory(error);
    }
    wgt_str row = {"", 0};
    size_t at = 0;
    while (status == WGT_OK && next_line(&t, &row)) {
        if (row.size > 0) {
            status = read_row(&t, &c, row, scalar, made + at, error);
            at += size;
        }
    }
    *packed = (wgt_str){made, rows * size};
    return status;
}
