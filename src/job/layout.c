#include "layout.h"
#include "../base/number.h"
#include "../base/text.h"

static const struct {
    const char *name;
    char suffix; /* of vec2f and the like */
    uint32_t size;
} scalars[] = {
    [WGT_SCALAR_NONE] = {"", '\0', 0},    [WGT_SCALAR_F32] = {"f32", 'f', 4}, [WGT_SCALAR_U32] = {"u32", 'u', 4},
    [WGT_SCALAR_I32] = {"i32", 'i', 4},   [WGT_SCALAR_F16] = {"f16", 'h', 2},
};
enum { SCALAR_COUNT = sizeof scalars / sizeof *scalars };

const char *wgt_scalar_name(wgt_scalar scalar) { return scalars[scalar].name; }

uint32_t wgt_scalar_size(wgt_scalar scalar) { return scalars[scalar].size; }

wgt_scalar wgt_scalar_from(wgt_str name) {
    for (int i = 1; i < SCALAR_COUNT; i++) {
        if (wgt_str_is(name, scalars[i].name)) {
            return (wgt_scalar)i;
        }
    }
    return WGT_SCALAR_NONE;
}

typedef struct layout {
    wgt_slot *slots;
    uint32_t capacity, count;
} layout;

static wgt_str trim(wgt_str text) {
    while (text.size > 0 && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && text.data[text.size - 1] == ' ') {
        text.size--;
    }
    return text;
}

/* The inside of `word<...>`. */
static bool inside(wgt_str type, const char *word, wgt_str *content) {
    if (!wgt_str_starts(type, word) || type.data[type.size - 1] != '>') {
        return false;
    }
    const size_t skip = wgt_str_from(word).size;
    if (type.size < skip + 2 || type.data[skip] != '<') {
        return false;
    }
    *content = trim((wgt_str){type.data + skip + 1, type.size - skip - 2});
    return true;
}

static bool add(layout *l, uint64_t offset, wgt_scalar scalar) {
    if (l->count >= l->capacity || offset > UINT32_MAX) {
        return false;
    }
    l->slots[l->count].offset = (uint32_t)offset;
    l->slots[l->count].scalar = scalar;
    l->count++;
    return true;
}

static wgt_scalar suffix_scalar(wgt_str text) {
    for (int i = 1; i < SCALAR_COUNT; i++) {
        if (text.size == 1 && text.data[0] == scalars[i].suffix) {
            return (wgt_scalar)i;
        }
    }
    wgt_str content;
    return inside(text, "", &content) ? wgt_scalar_from(content) : WGT_SCALAR_NONE;
}

static bool digit_2_to_4(char c, uint32_t *n) {
    *n = (uint32_t)(c - '0');
    return c >= '2' && c <= '4';
}

/* vecR<T> or matCxR<T>: columns of rows; a column of three takes the room of four. */
static bool add_matrix(layout *l, uint64_t base, wgt_str type, uint64_t *size, uint64_t *align) {
    uint32_t columns = 1, rows = 0;
    size_t used = 0;
    if (wgt_str_starts(type, "vec") && type.size >= 5 && digit_2_to_4(type.data[3], &rows)) {
        used = 4;
    } else if (wgt_str_starts(type, "mat") && type.size >= 7 && digit_2_to_4(type.data[3], &columns) &&
               type.data[4] == 'x' && digit_2_to_4(type.data[5], &rows)) {
        used = 6;
    } else {
        return false;
    }
    const wgt_scalar scalar = suffix_scalar((wgt_str){type.data + used, type.size - used});
    if (scalar == WGT_SCALAR_NONE) {
        return false;
    }
    const uint64_t bytes = wgt_scalar_size(scalar);
    *align = (rows == 2 ? 2 : 4) * bytes;
    *size = used == 4 ? rows * bytes : columns * *align;
    for (uint32_t c = 0; c < columns; c++) {
        for (uint32_t r = 0; r < rows; r++) {
            if (!add(l, base + c * *align + r * bytes, scalar)) {
                return false;
            }
        }
    }
    return true;
}

static bool add_type(layout *l, uint64_t base, wgt_str type, unsigned depth, uint64_t *size, uint64_t *align);

/* array<T, N> with a literal N. */
static bool add_array(layout *l, uint64_t base, wgt_str content, unsigned depth, uint64_t *size,
                      uint64_t *align) {
    size_t comma = content.size;
    while (comma > 0 && content.data[comma - 1] != ',' && content.data[comma - 1] != '>') {
        comma--;
    }
    if (comma == 0 || content.data[comma - 1] != ',') {
        return false;
    }
    wgt_str length = trim((wgt_str){content.data + comma, content.size - comma});
    if (length.size > 0 && (length.data[length.size - 1] == 'u' || length.data[length.size - 1] == 'i')) {
        length.size--;
    }
    uint64_t count = 0;
    if (!wgt_u64_parse(length, &count) || count == 0 || count > l->capacity) {
        return false;
    }
    const wgt_str element = trim((wgt_str){content.data, comma - 1});
    uint64_t stride = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!add_type(l, base + i * stride, element, depth + 1, size, align)) {
            return false;
        }
        stride = wgt_div_ceil_u64(*size, *align) * *align;
    }
    *size = count * stride;
    return true;
}

static bool add_type(layout *l, uint64_t base, wgt_str type, unsigned depth, uint64_t *size, uint64_t *align) {
    wgt_str content;
    if (depth > 8 || type.size == 0) {
        return false;
    }
    if (inside(type, "atomic", &content)) {
        return add_type(l, base, content, depth + 1, size, align);
    }
    if (inside(type, "array", &content)) {
        return add_array(l, base, content, depth, size, align);
    }
    const wgt_scalar scalar = wgt_scalar_from(type);
    if (scalar != WGT_SCALAR_NONE) {
        *size = *align = wgt_scalar_size(scalar);
        return add(l, base, scalar);
    }
    return add_matrix(l, base, type, size, align);
}

bool wgt_type_layout(wgt_str type, wgt_slot *slots, uint32_t capacity, uint32_t *slot_count, uint64_t *size,
                     uint64_t *align) {
    layout l = {slots, capacity, 0};
    const bool ok = add_type(&l, 0, trim(type), 0, size, align);
    *slot_count = ok ? l.count : 0;
    return ok;
}
