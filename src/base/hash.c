#include "hash.h"
#include "text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

wgt_hash wgt_hash_bytes(const void *data, size_t size) {
    XXH128_hash_t hash = XXH3_128bits(size ? data : "", size);
    return (wgt_hash){hash.high64, hash.low64};
}

static void put_big_endian(unsigned char *bytes, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (56 - 8 * i));
}

wgt_hash wgt_hash_combine(wgt_hash a, wgt_hash b) {
    unsigned char bytes[32];
    put_big_endian(bytes, a.high);
    put_big_endian(bytes + 8, a.low);
    put_big_endian(bytes + 16, b.high);
    put_big_endian(bytes + 24, b.low);
    return wgt_hash_bytes(bytes, sizeof bytes);
}

bool wgt_hash_equal(wgt_hash a, wgt_hash b) {
    return a.high == b.high && a.low == b.low;
}

void wgt_hash_format(wgt_hash hash, char text[WGT_HASH_TEXT_SIZE]) {
    for (unsigned i = 0; i < 32; i++) {
        uint64_t half = i < 16 ? hash.high : hash.low;
        text[i] = "0123456789abcdef"[(half >> (60 - 4 * (i % 16))) & 15];
    }
    text[32] = '\0';
}

static bool digit_value(char c, unsigned *value) {
    if (c >= '0' && c <= '9')
        *value = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *value = (unsigned)(c - 'a') + 10;
    else
        return false;
    return true;
}

bool wgt_hash_parse(wgt_str text, wgt_hash *hash) {
    uint64_t halves[2] = {0, 0};
    if (text.size != 32)
        return false;
    for (size_t i = 0; i < 32; i++) {
        unsigned value;
        if (!digit_value(text.data[i], &value))
            return false;
        halves[i / 16] = halves[i / 16] << 4 | value;
    }
    *hash = (wgt_hash){halves[0], halves[1]};
    return true;
}
