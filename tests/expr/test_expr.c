#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "expr/expr.h"

static unsigned char memory[1 << 20];

static bool lookup(void *user, wgt_str name, double *value) {
    static const struct {
        const char *name;
        double value;
    } known[] = {{"n", 1000},
                 {"x", 3},
                 {"y", -2.5},
                 {"zero", 0},
                 {"WG_SIZE", 64},
                 {"limits.maxA", 256},
                 {"a.b.c", 7},
                 {"gr\xc3\xb6\xc3\x9f"
                  "e",
                  5},
                 {"nothing", 11},
                 {"order", 12},
                 {"min", 13},
                 {"inf", (double)INFINITY}};
    size_t *calls = user;
    if (calls)
        ++*calls;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (wgt_str_is(name, known[i].name)) {
            *value = known[i].value;
            return true;
        }
    return false;
}

static wgt_status evaluate(const char *text, double *value, size_t *offset, wgt_error *error) {
    wgt_arena arena;
    wgt_expr *expr;
    wgt_arena_init_fixed(&arena, memory, sizeof memory);
    wgt_status status = wgt_expr_parse(wgt_str_from(text), &arena, &expr, offset, error);
    return status ? status : wgt_expr_eval(expr, lookup, NULL, value, offset, error);
}

static void values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {" 1 ", 1},
        {"0x10", 16},
        {"0xFf", 255},
        {"1e3", 1000},
        {"0.5", 0.5},
        {"true", 1},
        {"False", 0},
        {"x", 3},
        {"limits.maxA", 256},
        {"a.b.c", 7},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         5},
        {"nothing", 11},
        {"order", 12},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"100/10/5", 2},
        {"7/2", 3.5},
        {"2*3%4", 2},
        {"1-2+3", 2},
        {"7%3", 1},
        {"-7%3", 2},
        {"7%-3", -2},
        {"-7%-3", -1},
        {"5.5%2", 1.5},
        {"6%3", 0},
        {"-6%3", 0},
        {"0.3%0.1", 0.09999999999999998},
        {"2**3", 8},
        {"2**3**2", 512},
        {"-2**2", -4},
        {"(-2)**2", 4},
        {"2**-1", 0.5},
        {"2*3**2", 18},
        {"-x**2", -9},
        {"2**-2**2", 0.0625},
        {"4**0.5", 2},
        {"--3", 3},
        {"-+-3", 3},
        {"!0", 1},
        {"!5", 0},
        {"!!5", 1},
        {"!0+1", 2},
        {"not 0", 1},
        {"not 1 == 2", 1},
        {"!1 == 0", 1},
        {"not not 3", 1},
        {"not 0 and 0", 0},
        {"1 + 1 == 2", 1},
        {"1<2", 1},
        {"2<=2", 1},
        {"3>4", 0},
        {"4>=5", 0},
        {"1==1", 1},
        {"1!=1", 0},
        {"1<2<3", 1},
        {"1<3<2", 0},
        {"3>2>1", 1},
        {"3>1>2", 0},
        {"1<2>1", 1},
        {"5<2<3", 0},
        {"1==1==1", 1},
        {"2==2==1", 0},
        {"1<2<3<4<5", 1},
        {"1<2<3<3<5", 0},
        {"1<0<2<3", 0},
        {"32 <= WG_SIZE <= 1024", 1},
        {"32 <= 16 <= 1024", 0},
        {"0 == (1 < 0 < 2)", 1},
        {"1&&2", 1},
        {"1&&0", 0},
        {"0||3", 1},
        {"0||0", 0},
        {"1||0&&0", 1},
        {"(1||0)&&0", 0},
        {"1 or 0 and 0", 1},
        {"2 and 3", 1},
        {"0 or 0.5", 1},
        {"1 && 2 < 3 || 0", 1},
        {"1<2 && 2<3", 1},
        {"1 and 1 and 0", 0},
        {"0 or 0 or 7", 1},
        {"floor(2.7)", 2},
        {"floor(-2.1)", -3},
        {"ceil(2.1)", 3},
        {"ceil(n/64)", 16},
        {"abs(-3)", 3},
        {"log2(1024)", 10},
        {"min(3)", 3},
        {"min(3,1,2)", 1},
        {"max(3,1,2)", 3},
        {"max(-1,-2)", -1},
        {"min(1,2)+max(3,4)", 5},
        {"min", 13},
        {"min(x, max(y, 1), 7)", 1},
        {"floor(ceil(1.5)/2.0)", 1},
        {"min (1 , 2)", 1},
        {"2**log2(8)", 8},
        {"zero != 0 && 1/zero > 3", 0},
        {"zero == 0 || 1/zero", 1},
        {"0 && unknown", 0},
        {"1 || unknown", 1},
        {"x >= 3 and (y < 0 or 1/zero > 1)", 1},
        {"\t1\n+\r1", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -99;
        wgt_error error = {""};
        size_t offset = 0;
        if (evaluate(cases[i].text, &value, &offset, &error))
            fail_msg("%s: %s at %zu", cases[i].text, error.message, offset);
        if (value != cases[i].value)
            fail_msg("%s: %.17g, not %.17g", cases[i].text, value, cases[i].value);
    }
}

static void errors_say_where_and_what(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *message;
    } cases[] = {
        {"", 0, "expected a value, not the end"},
        {"  ", 2, "expected a value, not the end"},
        {"1 +", 3, "not the end"},
        {"1 + * 2", 4, "expected a value, not '*'"},
        {"(1", 2, "expected ')', not the end"},
        {"1)", 1, "expected an operator or the end, not ')'"},
        {"()", 1, "expected a value, not ')'"},
        {"1 2", 2, "expected an operator or the end, not '2'"},
        {"x y", 2, "not 'y'"},
        {"2x", 0, "'2x' is no number"},
        {"1.", 0, "'1.' is no number"},
        {"012", 0, "'012' is no number"},
        {"1e400", 0, "range"},
        {"1.2.3", 0, "'1.2.3' is no number"},
        {"0x", 0, "0x wants"},
        {"0xg", 0, "0x wants"},
        {"0x1ffffffffffffffff", 0, "above 2^53"},
        {".5", 0, "'.' has no meaning"},
        {"a = 1", 2, "'=' has no meaning"},
        {"1 & 2", 2, "'&' has no meaning"},
        {"1 ? 2", 2, "'?'"},
        {"\x01", 0, "byte 0x01"},
        {"foo(1)", 0, "no function 'foo'"},
        {"floor()", 6, "expected a value, not ')'"},
        {"floor(1,2)", 7, "expected ')', not ','"},
        {"min(1,)", 6, "expected a value, not ')'"},
        {"min(1 2)", 6, "expected ',' or ')', not '2'"},
        {"floor(1", 7, "expected ')'"},
        {"and", 0, "expected a value, not 'and'"},
        {"1 and or 2", 6, "expected a value, not 'or'"},
        {"1 not 2", 2, "not 'not'"},
        {"1 // 2", 3, "expected a value, not '/'"},
        {"+", 1, "not the end"},
        {"1 ! 2", 2, "not '!'"},
        {"2 ** ", 5, "not the end"},
        {",", 0, "not ','"},
        {"unknown + 1", 0, "no value is named 'unknown'"},
        {"1 + limits.b", 4, "no value is named 'limits.b'"},
        {"n / zero", 2, "division by zero"},
        {"1 + n % zero", 6, "division by zero"},
        {"2 * log2(0)", 4, "log2 wants a number above 0"},
        {"log2(y)", 0, "log2 wants"},
        {"y ** 0.5", 2, "no finite number"},
        {"zero ** -1", 5, "no finite number"},
        {"1e308 * 10", 6, "too large"},
        {"1e308 + 1e308", 6, "too large"},
        {"1e308 / 1e-10", 6, "too large"},
        {"1 && 1/zero", 6, "division by zero"},
        {"1 < 1/zero < 2", 5, "division by zero"},
        {"inf", 0, "no finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -99;
        wgt_error error = {""};
        size_t offset = 999;
        if (evaluate(cases[i].text, &value, &offset, &error) != WGT_BAD_INPUT)
            fail_msg("accepted: %s = %g", cases[i].text, value);
        if (!strstr(error.message, cases[i].message) || offset != cases[i].offset)
            fail_msg("%s: \"%s\" at %zu, not \"%s\" at %zu", cases[i].text, error.message, offset,
                     cases[i].message, cases[i].offset);
        assert_int_equal(evaluate(cases[i].text, &value, NULL, NULL), WGT_BAD_INPUT);
    }
}

static void depth_is_limited(void **state) {
    (void)state;
    static char text[20000];
    double value;
    wgt_error error;
    static const char *const nests[] = {"(",   "-",      "!",      "not ",
                                        "2**", "1+(2*(", "min(1,", "1<(1+2*3**("};
    for (size_t k = 0; k < sizeof nests / sizeof *nests; k++)
        for (size_t levels = 20; levels <= 1000; levels += 980) {
            size_t size = 0, opened = 0;
            for (size_t i = 0; i < levels; i++) {
                for (const char *p = nests[k]; *p; p++) {
                    text[size++] = *p;
                    opened += *p == '(';
                }
            }
            text[size++] = '1';
            memset(text + size, ')', opened);
            text[size + opened] = '\0';
            wgt_status status = evaluate(text, &value, NULL, &error);
            if (levels == 1000) {
                assert_int_equal(status, WGT_BAD_INPUT);
                assert_string_equal(error.message, "nested too deep");
            } else if (k != 4) { /* a tower of twenty powers is no finite number */
                assert_int_equal(status, WGT_OK);
            }
        }
    /* What does not nest may be long. */
    size_t size = 0;
    for (int i = 0; i < 4000; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, i ? "+%d" : "%d", i % 10);
    assert_int_equal(evaluate(text, &value, NULL, &error), WGT_OK);
    assert_true(value == 18000);
}

static void collect(void *user, wgt_str name) {
    char *all = user;
    snprintf(all + strlen(all), 100 - strlen(all), "%.*s;", (int)name.size, name.data);
}

static void names_come_in_order(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_expr *expr;
    char text[] = "b + a*min(c, limits.x) < d < true && b", all[100] = "";
    wgt_arena_init_fixed(&arena, memory, sizeof memory);
    assert_int_equal(wgt_expr_parse(wgt_str_from(text), &arena, &expr, NULL, NULL), WGT_OK);
    memset(text, '?', sizeof text - 1); /* the expression keeps its own copy */
    wgt_expr_names(expr, collect, all);
    assert_string_equal(all, "b;a;c;limits.x;d;b;");
}

static void operands_of_a_chain_are_evaluated_once(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_expr *expr;
    size_t calls = 0;
    double value;
    wgt_arena_init_fixed(&arena, memory, sizeof memory);
    assert_int_equal(wgt_expr_parse(WGT_STR("1 < x < n < 1e9"), &arena, &expr, NULL, NULL), WGT_OK);
    assert_int_equal(wgt_expr_eval(expr, lookup, &calls, &value, NULL, NULL), WGT_OK);
    assert_int_equal(calls, 2);
    assert_true(value == 1);
    calls = 0;
    assert_int_equal(wgt_expr_parse(WGT_STR("5 < x < n"), &arena, &expr, NULL, NULL), WGT_OK);
    assert_int_equal(wgt_expr_eval(expr, lookup, &calls, &value, NULL, NULL), WGT_OK);
    assert_int_equal(calls, 1);
    assert_true(value == 0);
}

static void little_memory_is_no_crash(void **state) {
    (void)state;
    wgt_expr *expr;
    for (size_t size = 0; size < 400; size += 16) {
        wgt_arena arena;
        wgt_error error = {""};
        wgt_arena_init_fixed(&arena, memory, size);
        assert_int_equal(wgt_expr_parse(WGT_STR("1+2*3-x/(y+1)"), &arena, &expr, NULL, &error),
                         WGT_NO_MEMORY);
        assert_string_equal(error.message, "no memory left for an expression");
    }
}

/* Random trees, printed with and without spaces and with only the parentheses that precedence
 * needs, must evaluate to what the tree does. */
typedef struct generator {
    uint64_t seed, at;
    char text[8192];
    size_t size;
} generator;

static uint32_t pick(generator *g, uint32_t bound) {
    return wgt_random_below(g->seed, g->at++, bound);
}

static void put(generator *g, const char *text) {
    g->size += (size_t)snprintf(g->text + g->size, sizeof g->text - g->size,
                                pick(g, 2) ? "%s" : " %s ", text);
}

static const struct {
    const char *sign;
    int level;
} operators[] = {{"||", 0}, {"&&", 1}, {"+", 4}, {"-", 4}, {"*", 5}, {"**", 7}};

static double combine(size_t op, double a, double b) {
    switch (op) {
    case 0:
        return a != 0 || b != 0;
    case 1:
        return a != 0 && b != 0;
    case 2:
        return a + b;
    case 3:
        return a - b;
    case 4:
        return a * b;
    default:
        return wgt_pow(a, b);
    }
}

/* Writes a random tree that stands where `level` binds at least; returns its value. */
static double grow(generator *g, int depth, int level) {
    char number[16];
    uint32_t kind = depth == 0 ? 0 : pick(g, 4);
    if (kind == 0) {
        uint32_t digit = pick(g, 4);
        snprintf(number, sizeof number, "%u", digit);
        put(g, number);
        return digit;
    }
    if (kind == 1) { /* unary minus binds at 6 */
        bool wrap = level > 6;
        put(g, wrap ? "(-" : "-");
        double value = -grow(g, depth - 1, 6);
        if (wrap)
            put(g, ")");
        return value;
    }
    size_t op = pick(g, sizeof operators / sizeof *operators);
    int own = operators[op].level;
    bool wrap = own < level, power = own == 7;
    if (wrap)
        put(g, "(");
    double a = grow(g, depth - 1, power ? 8 : own);
    put(g, operators[op].sign);
    double b = grow(g, depth - 1, power ? 6 : own + 1);
    if (wrap)
        put(g, ")");
    return combine(op, a, b);
}

static void random_trees_keep_their_value(void **state) {
    (void)state;
    unsigned compared = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        static generator g;
        double value, wanted;
        memset(&g, 0, sizeof g);
        g.seed = seed;
        wanted = grow(&g, 5, 0);
        assert_true(g.size < sizeof g.text);
        if (!isfinite(wanted))
            continue;
        wgt_status status = evaluate(g.text, &value, NULL, NULL);
        if (status) /* an infinity on the way, such as 0 ** -1 */
            continue;
        compared++;
        if (value != wanted)
            fail_msg("%s: %.17g, not %.17g", g.text, value, wanted);
    }
    assert_true(compared > 15000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(names_come_in_order),
        cmocka_unit_test(operands_of_a_chain_are_evaluated_once),
        cmocka_unit_test(little_memory_is_no_crash),
        cmocka_unit_test(random_trees_keep_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
