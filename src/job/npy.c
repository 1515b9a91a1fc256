#include "internal.h"
#include <string.h>

/* NumPy's file format, versions 1 to 3: a magic word, a Python dictionary with the type and the shape,
 * then the items. Source: numpy.lib.format, "Format specification". */

static const struct {
    const char *name; /* of little-endian items */
    uint32_t size;
} kinds[] = {{"<f4", 4}, {"<f8", 8}, {"<f2", 2}, {"<u4", 4}, {"<i4", 4}, {"<u8", 8}, {"<i8", 8}, {"|u1", 1}, {"|i1", 1}};
enum { F4, F8, F2, U4, I4, U8, I8, U1, I1, KIND_COUNT };

static bool split(wgt_str file, wgt_str *header, wgt_str *items) {
    const unsigned char *bytes = (const unsigned char *)file.data;
    if (file.size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return false;
    }
    const size_t start = bytes[6] == 1 ? 10 : 12;
    if (file.size < start) {
        return false;
    }
    size_t size = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    size |= start == 12 ? (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24 : 0;
    if (size > file.size - start) {
        return false;
    }
    *header = (wgt_str){file.data + start, size};
    *items = (wgt_str){file.data + start + size, file.size - start - size};
    return true;
}

/* What follows `'key':` up to the comma or brace after it; a tuple or a text as a whole. */
static wgt_str member(wgt_str header, const char *key) {
    const size_t size = wgt_str_from(key).size;
    for (size_t i = 0; i + size < header.size; i++) {
        if (memcmp(header.data + i, key, size) != 0) {
            continue;
        }
        size_t start = i + size;
        while (start < header.size && (header.data[start] == ' ' || header.data[start] == ':')) {
            start++;
        }
        const bool tuple = start < header.size && header.data[start] == '(';
        size_t end = start;
        while (end < header.size && header.data[end] != (tuple ? ')' : ',') && header.data[end] != '}') {
            end++;
        }
        return (wgt_str){header.data + start, end - start};
    }
    return (wgt_str){"", 0};
}

/* The product of `(3, 2`: 1 for the empty tuple of a single number. */
static bool count_items(wgt_str shape, uint64_t *count) {
    *count = 1;
    if (shape.size == 0 || shape.data[0] != '(') {
        return false;
    }
    size_t at = 1;
    while (at < shape.size) {
        size_t end = at;
        while (end < shape.size && shape.data[end] >= '0' && shape.data[end] <= '9') {
            end++;
        }
        uint64_t side = 0;
        if (end > at && (!wgt_u64_parse((wgt_str){shape.data + at, end - at}, &side) ||
                         !wgt_mul_u64(*count, side, count))) {
            return false;
        }
        at = end > at ? end : at + 1;
    }
    return true;
}

static double load(int kind, const char *at) {
    union {
        float f4;
        double f8;
        uint16_t f2;
        uint32_t u4;
        int32_t i4;
        uint64_t u8;
        int64_t i8;
        unsigned char u1;
        signed char i1;
    } item;
    memcpy(&item, at, kinds[kind].size);
    switch (kind) {
    case F4:
        return (double)item.f4;
    case F8:
        return item.f8;
    case F2:
        return (double)wgt_f32_from_f16(item.f2);
    case U4:
        return (double)item.u4;
    case I4:
        return (double)item.i4;
    case U8:
        return (double)item.u8;
    case I8:
        return (double)item.i8;
    case U1:
        return (double)item.u1;
    default:
        return (double)item.i1;
    }
}

wgt_status wgt_npy_read(wgt_arena *arena, wgt_str file, wgt_scalar scalar, wgt_str *packed, wgt_error *error) {
    wgt_str header, items;
    uint64_t count = 0, bytes = 0;
    if (!split(file, &header, &items)) {
        return wgt_fail(error, WGT_BAD_INPUT, "no NumPy file of format 1 to 3");
    }
    const wgt_str descr = member(header, "'descr'");
    int kind = 0;
    while (kind < KIND_COUNT && !(descr.size == 5 && memcmp(descr.data + 1, kinds[kind].name, 3) == 0)) {
        kind++;
    }
    if (kind == KIND_COUNT) {
        return wgt_fail(error, WGT_BAD_INPUT,
                        "items of type %.*s, allowed: '<f4', '<f8', '<f2', '<u4', '<i4', '<u8', '<i8', '|u1', '|i1'",
                        (int)descr.size, descr.data);
    }
    if (!wgt_str_is(member(header, "'fortran_order'"), "False")) {
        return wgt_fail(error, WGT_BAD_INPUT, "items in Fortran's order, allowed: C's (numpy.ascontiguousarray)");
    }
    if (!count_items(member(header, "'shape'"), &count) || !wgt_mul_u64(count, kinds[kind].size, &bytes) ||
        bytes != items.size) {
        return wgt_fail(error, WGT_BAD_INPUT, "%zu bytes of items, which is not what its shape says", items.size);
    }
    const size_t size = wgt_scalar_size(scalar);
    char *made = wgt_arena_push(arena, (size_t)count, size);
    if (made == NULL) {
        return wgt_job_no_memory(error);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double value = load(kind, items.data + i * kinds[kind].size);
        if (!wgt_scalar_store(scalar, value, made + i * size)) {
            return wgt_fail(error, WGT_BAD_INPUT, "item %llu is %g, which does not fit a %s",
                            (unsigned long long)i, value, wgt_scalar_name(scalar));
        }
    }
    *packed = (wgt_str){made, (size_t)count * size};
    return WGT_OK;
}
