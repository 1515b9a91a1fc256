#include "explain.h"
#include "base/number.h"
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum column_kind {
    COLUMN_OTHER = 0, /* not ours: copied through */
    COLUMN_ARCH,
    COLUMN_NUMBER,
    COLUMN_FLAG
} column_kind;

typedef struct column {
    const char *name;
    column_kind kind;
    size_t offset; /* in wgt_use */
} column;

static const column known_columns[] = {
    {"arch", COLUMN_ARCH, 0},
    {"workgroup", COLUMN_NUMBER, offsetof(wgt_use, workgroup)},
    {"registers", COLUMN_NUMBER, offsetof(wgt_use, registers)},
    {"shared_bytes", COLUMN_NUMBER, offsetof(wgt_use, shared_bytes)},
    {"barriers", COLUMN_NUMBER, offsetof(wgt_use, barriers)},
    {"subgroup", COLUMN_NUMBER, offsetof(wgt_use, subgroup)},
    {"sgprs", COLUMN_NUMBER, offsetof(wgt_use, sgprs)},
    {"large_grf", COLUMN_FLAG, offsetof(wgt_use, large_grf)},
    {"half_registers", COLUMN_NUMBER, offsetof(wgt_use, half_registers)},
    {"branchstack", COLUMN_NUMBER, offsetof(wgt_use, branchstack)},
};
#define KNOWN_COLUMNS (sizeof known_columns / sizeof *known_columns)
#define MAX_COLUMNS 256

typedef struct cell {
    size_t column; /* 1-based byte in the line */
    wgt_str text;  /* without quotes */
} cell;

typedef struct batch {
    const explain_request *request;
    wgt_error *error;
    size_t line;
    const column *columns[MAX_COLUMNS]; /* NULL: not ours */
    size_t column_count;
    bool has_arch;
    cell cells[MAX_COLUMNS];
} batch;

static wgt_status fail(batch *b, size_t at, const char *format, ...) WGT_PRINTF(3, 4);
static wgt_status fail(batch *b, size_t at, const char *format, ...) {
    char text[512];
    wgt_out out;
    va_list arguments;
    wgt_out_init(&out, text, sizeof text);
    va_start(arguments, format);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    return wgt_fail(b->error, WGT_BAD_INPUT, "stdin:%zu:%zu: %s", b->line, at, text);
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

/* One quoted cell from its opening quote; *at ends behind the closing one. */
static wgt_status quoted_cell(batch *b, wgt_str line, size_t *at, cell *c) {
    size_t start = ++*at;
    while (*at < line.size) {
        if (line.data[*at] != '"') {
            ++*at;
        } else if (*at + 1 < line.size && line.data[*at + 1] == '"') {
            *at += 2;
        } else {
            c->text = (wgt_str){line.data + start, *at - start};
            ++*at;
            return *at == line.size || line.data[*at] == ','
                       ? WGT_OK
                       : fail(b, *at + 1,
                              "text after a closing quote, a comma or the end is allowed");
        }
    }
    return fail(b, start, "a quote without its end on this line");
}

static wgt_status split(batch *b, wgt_str line, size_t *count) {
    size_t at = 0;
    *count = 0;
    for (;;) {
        if (*count == MAX_COLUMNS) {
            return fail(b, at + 1, "more than %d columns", MAX_COLUMNS);
        }
        cell *c = &b->cells[(*count)++];
        *c = (cell){.column = at + 1};
        if (at < line.size && line.data[at] == '"') {
            wgt_status status = quoted_cell(b, line, &at, c);
            if (status != WGT_OK) {
                return status;
            }
        } else {
            size_t start = at;
            while (at < line.size && line.data[at] != ',') {
                at++;
            }
            c->text = trim((wgt_str){line.data + start, at - start});
        }
        if (at >= line.size) {
            return WGT_OK;
        }
        at++;
    }
}

static const column *find_column(wgt_str name) {
    for (size_t i = 0; i < KNOWN_COLUMNS; i++) {
        if (wgt_str_is(name, known_columns[i].name)) {
            return &known_columns[i];
        }
    }
    return NULL;
}

/* A column that is not ours is copied through, unless it looks like one of ours mistyped. */
static wgt_status check_name(batch *b, const cell *c) {
    const char *names[KNOWN_COLUMNS];
    char name[64];
    for (size_t i = 0; i < KNOWN_COLUMNS; i++) {
        names[i] = known_columns[i].name;
    }
    wgt_format(name, sizeof name, "%.*s", (int)(c->text.size < 63 ? c->text.size : 63),
               c->text.data);
    const char *nearest = wgt_cli_nearest(name, names, KNOWN_COLUMNS);
    return nearest == NULL ? WGT_OK
                           : fail(b, c->column, "column '%s', did you mean '%s'", name, nearest);
}

static wgt_status read_header(batch *b, wgt_str line) {
    bool has_workgroup = false;
    wgt_status status = split(b, line, &b->column_count);
    for (size_t i = 0; i < b->column_count && status == WGT_OK; i++) {
        const column *known = find_column(b->cells[i].text);
        for (size_t k = 0; known != NULL && k < i; k++) {
            if (b->columns[k] == known) {
                return fail(b, b->cells[i].column, "column '%s' stands twice", known->name);
            }
        }
        b->columns[i] = known;
        b->has_arch = b->has_arch || (known != NULL && known->kind == COLUMN_ARCH);
        has_workgroup =
            has_workgroup || (known != NULL && known->offset == offsetof(wgt_use, workgroup) &&
                              known->kind == COLUMN_NUMBER);
        status = known == NULL ? check_name(b, &b->cells[i]) : WGT_OK;
    }
    if (status != WGT_OK) {
        return status;
    }
    if (!has_workgroup || (!b->has_arch && !b->request->has_unit)) {
        return fail(b, 1, "no column '%s' in the header", !has_workgroup ? "workgroup" : "arch");
    }
    return WGT_OK;
}

static wgt_status read_cell(batch *b, const column *known, const cell *c, wgt_use *use) {
    uint64_t value = 0;
    if (c->text.size == 0) {
        return WGT_OK;
    }
    if (known->kind == COLUMN_FLAG &&
        (wgt_str_is(c->text, "true") || wgt_str_is(c->text, "false"))) {
        value = wgt_str_is(c->text, "true");
    } else if (!wgt_u64_parse(c->text, &value)) {
        return fail(b, c->column, "%s '%.*s', a whole number from 0 is allowed", known->name,
                    (int)(c->text.size < 40 ? c->text.size : 40), c->text.data);
    } else if (known->kind == COLUMN_FLAG && value > 1) {
        return fail(b, c->column, "%s %llu, 0 or 1 is allowed", known->name,
                    (unsigned long long)value);
    }
    void *field = (char *)use + known->offset;
    if (known->kind == COLUMN_FLAG) {
        *(bool *)field = value != 0;
    } else {
        *(uint32_t *)field = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
    return WGT_OK;
}

/* The unit of a row: its own architecture's with the measured resources, else the request's. */
static wgt_status row_unit(batch *b, const cell *c, uint32_t subgroup, wgt_unit *unit) {
    const wgt_arch *arch = b->request->arch;
    wgt_error error = {{0}};
    wgt_difference differences[WGT_MEASURED_COUNT];
    size_t at = c != NULL ? c->column : 1;
    *unit = b->request->unit;
    if (c != NULL && c->text.size > 0) {
        if (wgt_arch_get(c->text, &arch, &error) != WGT_OK) {
            return fail(b, at, "%s", error.message);
        }
        *unit = *wgt_arch_unit(arch, b->request->cu_mode);
        wgt_unit_measure(unit, &b->request->measured, differences);
    } else if (c != NULL && !b->request->has_unit) {
        return fail(b, at, "no architecture, `wgtune archs` lists them");
    }
    if (arch != NULL && wgt_arch_check_subgroup(arch, subgroup, &error) != WGT_OK) {
        return fail(b, at, "%s", error.message);
    }
    return WGT_OK;
}

static wgt_status row(batch *b, wgt_str line, wgt_out *out) {
    size_t count = 0;
    const cell *arch = NULL;
    wgt_use use = b->request->use;
    wgt_unit unit;
    wgt_occupancy o;
    char limiters[WGT_LIMITERS_SIZE];
    wgt_status status = split(b, line, &count);
    if (status == WGT_OK && count != b->column_count) {
        return fail(b, 1, "%zu cells, the header has %zu", count, b->column_count);
    }
    for (size_t i = 0; i < count && status == WGT_OK; i++) {
        const column *known = b->columns[i];
        if (known != NULL && known->kind == COLUMN_ARCH) {
            arch = &b->cells[i];
        } else if (known != NULL) {
            status = read_cell(b, known, &b->cells[i], &use);
        }
    }
    status = status == WGT_OK ? row_unit(b, arch, use.subgroup, &unit) : status;
    if (status != WGT_OK) {
        return status;
    }
    wgt_occupancy_compute(&unit, &use, &o);
    wgt_limiters_format(o.limiters, limiters);
    wgt_put(out, line);
    /* A plain unit without subgroups has none to tell. */
    if (o.known && o.subgroup > 0) {
        wgt_putf(out, ",%llu,%llu,%llu,%s\n", (unsigned long long)o.workgroups,
                 (unsigned long long)o.subgroups, (unsigned long long)o.max_subgroups, limiters);
    } else if (o.known) {
        wgt_putf(out, ",%llu,,,%s\n", (unsigned long long)o.workgroups, limiters);
    } else {
        wgt_putf(out, ",,,,%s\n", limiters);
    }
    return WGT_OK;
}

static wgt_str without_end(const char *text, size_t size, bool first) {
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) {
        size--;
    }
    bool bom = first && size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    return (wgt_str){text + (bom ? 3 : 0), size - (bom ? 3 : 0)};
}

wgt_status explain_batch(wgt_out *out, const explain_request *request, wgt_error *error) {
    batch b = {.request = request, .error = error};
    char *memory = NULL;
    size_t capacity = 0;
    wgt_status status = WGT_OK;
    ssize_t size;
    while (status == WGT_OK && (size = getline(&memory, &capacity, stdin)) >= 0) {
        b.line++;
        wgt_str line = without_end(memory, (size_t)size, b.line == 1);
        if (line.size == 0) {
            continue;
        }
        if (line.data[0] == '#') {
            wgt_put(out, line);
            wgt_put_char(out, '\n');
        } else if (b.column_count == 0) {
            status = read_header(&b, line);
            if (status == WGT_OK) {
                wgt_put(out, line);
                wgt_putf(out, ",workgroups,subgroups,max_subgroups,limiters\n");
            }
        } else {
            status = row(&b, line, out);
        }
    }
    free(memory);
    if (status == WGT_OK && ferror(stdin)) {
        return wgt_fail(error, WGT_BAD_INPUT, "stdin: cannot be read");
    }
    if (status == WGT_OK && b.column_count == 0) {
        b.line++;
        return fail(
            &b, 1,
            "no header, one such as 'arch,workgroup,registers,shared_bytes,barriers' is needed");
    }
    return status;
}
