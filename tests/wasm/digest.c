/* One number over many results of what must have the same bits everywhere: the native tests and the
 * wasm build are both held to it. */
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"

#include "digest.h"

#include <string.h>

static uint64_t fold_double(uint64_t digest, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return wgt_random_u64(digest, wgt_is_nan(value) ? 0 : bits);
}

static uint64_t fold_text(uint64_t digest, const char *text, size_t size) {
    return wgt_random_u64(digest, wgt_hash_bytes(text, size).low);
}

static uint64_t fold_functions(uint64_t digest) {
    double (*const all[])(double) = {wgt_log,  wgt_log2, wgt_exp,  wgt_sin,  wgt_cos,
                                     wgt_tan,  wgt_atan, wgt_asin, wgt_acos, wgt_sinh,
                                     wgt_cosh, wgt_tanh, wgt_sqrt};
    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (uint64_t i = 0; i < 2000; i++) {
            double x = (double)(wgt_random_u64(30 + f, i) >> 11) * 0x1p-50 - 4;
            digest = fold_double(digest, all[f](f % 2 ? x / 4 : x));
            digest = fold_double(digest, all[f](x * 0x1p40));
        }
    return digest;
}

static uint64_t fold_numbers(uint64_t digest) {
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t bits = wgt_random_u64(50, i);
        char text[400];
        double x, back = 0;
        memcpy(&x, &bits, sizeof x);
        size_t size = wgt_number_format(x, text);
        digest = fold_text(digest, text, size);
        wgt_number_parse((wgt_str){text, size}, &back);
        digest = fold_double(digest, back);
        double y = (double)(bits >> 20) / 4096;
        size = wgt_format(text, sizeof text, "%12.3f|%g|%llx", y, y, (unsigned long long)bits);
        digest = fold_text(digest, text, size);
        digest = fold_double(digest, wgt_pow(y, (double)(int)wgt_random_below(51, i, 20) / 3));
        digest = fold_double(digest, wgt_atan2(y - 5e8, x) + wgt_fmod(x, y + 1));
        digest = fold_double(digest, (double)wgt_random_f32(52, i));
        digest = wgt_random_u64(digest, wgt_f16_from_f32((float)y));
    }
    return digest;
}

uint64_t wgt_test_digest(void) {
    return fold_numbers(fold_functions(1));
}
