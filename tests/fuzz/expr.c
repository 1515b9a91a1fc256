/* Whatever the text: the parser ends, an error has a place in the text, and a value is a finite
 * number, the same with spaces around it. */
#include "fuzz.h"

#include "base/number.h"
#include "expr/expr.h"

#include <string.h>

const char *const wgt_fuzz_seeds[] = {"",
                                      "1",
                                      "n",
                                      "ceil(n/4096)",
                                      "32 <= block_size_x * block_size_y <= 1024",
                                      "TILE*TILE*4 <= limits.maxComputeWorkgroupStorageSize",
                                      "use_padding==0 or block_size_x % 32 != 0",
                                      "-2**-2**2 % 3.5 / (1 + x) - 7",
                                      "!a && !(b || not c) and d",
                                      "min(1,max(2,x),abs(-3))",
                                      "1 < 2 < 3 != 4 == 5 >= 6",
                                      "0xff + floor(log2(1e3))",
                                      "true and False",
                                      NULL};

const char *const wgt_fuzz_words[] = {
    "(",        ")",    "+",  "-",          "*",          "/",         "%",    "**", "<",
    "<=",       ">",    ">=", "==",         "!=",         "&&",        "||",   "!",  "and ",
    "or ",      "not ", ",",  "min(",       "log2(",      "1e308",     "0",    "0x", "x",
    "limits.a", ".",    "e",  "((((((((((", "----------", "2**2**2**", "1<2<", NULL};

static unsigned char memory[4 << 20];

static bool lookup(void *user, wgt_str name, double *value) {
    (void)user;
    *value = (double)(name.size % 7) - 2.5 * (double)(name.size % 2);
    return name.size == 0 || name.data[0] != 'u';
}

static void visit(void *user, wgt_str name) {
    size_t *bytes = user;
    *bytes += name.size;
    WGT_FUZZ_CHECK(name.size > 0);
}

static wgt_status evaluate(wgt_str text, double *value) {
    wgt_arena arena;
    wgt_expr *expr;
    wgt_error error = {""};
    size_t offset = SIZE_MAX, bytes = 0;
    wgt_arena_init_fixed(&arena, memory, sizeof memory);
    wgt_status status = wgt_expr_parse(text, &arena, &expr, &offset, &error);
    if (status == WGT_OK) {
        wgt_expr_names(expr, visit, &bytes);
        WGT_FUZZ_CHECK(bytes <= text.size);
        status = wgt_expr_eval(expr, lookup, NULL, value, &offset, &error);
    }
    WGT_FUZZ_CHECK(status == WGT_OK || status == WGT_BAD_INPUT);
    WGT_FUZZ_CHECK(status == WGT_OK || (offset <= text.size && error.message[0] != '\0'));
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char wrapped[8192 + 8];
    double value = 0, again = 0;
    if (size > 8192)
        return 0;
    wgt_status status = evaluate((wgt_str){(const char *)data, size}, &value);
    wrapped[0] = wrapped[size + 1] = ' ';
    if (size)
        memcpy(wrapped + 1, data, size);
    WGT_FUZZ_CHECK(evaluate((wgt_str){wrapped, size + 2}, &again) == status);
    if (status == WGT_OK) {
        WGT_FUZZ_CHECK(wgt_is_finite(value));
        WGT_FUZZ_CHECK(memcmp(&value, &again, sizeof value) == 0);
    }
    return 0;
}
