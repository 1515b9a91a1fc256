/* What is WGSL and what is not, with the place of the first error. */
#include "wgsl_test.h"

static void test_accepts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        ";;",
        "enable f16; const h = 1.5h; const v = vec2h(h, 2.0);",
        "/* a /* nested */ comment */ // to the line's end\r\nconst a = 1;",
        "const a = 1; // ended by U+2028 \xe2\x80\xa8 const b = a;",
        "const \xce\x94 = 1; const \xe5\x80\xa4 = \xce\x94;",
        "const a = 0x1.8p3; const b = .5; const c = 5.; const d = 1e3f; const e = 0xFFu; const f = 0x1p-149f;",
        "fn f(a: i32, b: i32) -> bool { return a<b && b>a; }",
        "var<private> a: array<u32, (8 >> 1)>; const_assert 8 >> 1 == 4;",
        "fn f() { let x: array<u32, 2>=array(1, 2); _ = x; }",
        "fn f() { var a = array<vec2<f32>, 2,>(vec2f(), vec2(1, 2),); a[0].x += 1; _ = a; }",
        "const n = 3; var<private> a: array<i32, n * 2>; const_assert n > 2 && (n < 2 || true);",
        "const_assert vec3(1, 2, 3).zyx[0] == 3; const_assert array(1, 2)[1] == 2;",
        "const_assert max(3, 4u) == 4 && dot(vec2(1, 2), vec2(3, 4)) == 11 && clamp(5, 1, 3) == 3;",
        "const_assert (mat2x2(1, 2, 3, 4) * vec2(1.0, 1))[1] == 6; const_assert countOneBits(7u) == 3;",
        "const_assert select(1, 2, true) == 2 && all(vec2(true)) && u32(3.7) == 3 && i32(-1.5) == -1;",
        "const_assert false || !(false && (1 / 0 == 0));",
        "fn f(p: ptr<function, array<i32, 4>>) { (*p)[1] = 2; p[2] = 3; }",
        "struct S { a: i32, @align(16) b: f32, @size(32) c: u32, } fn f(s: S) -> f32 { return s.b; }",
        "fn f(x: i32) -> i32 { switch x { case 1, 2: { return 1; } case default { return 2; } } }",
        "fn f() { loop { if true { break; } continuing { break if false; } } }",
        "fn f() { var i = 0; for (; i < 4; i++) { continue; } while i > 0 { i--; } }",
        "fn f() { let a = 1; { let a = 2.0; _ = a; } _ = a; }",
        "alias V = vec3<f32>; fn f() -> V { return V(1, 2, 3); }",
        "@must_use fn g() -> i32 { return 1; } fn f() { _ = g(); }",
        "requires pointer_composite_access; diagnostic(off, derivative_uniformity); enable subgroups;",
        "fn f() -> i32 { if true { return 1; } else { return 2; } }",
        "fn f() { let r = modf(1.5); let q = frexp(vec2(1.5)); _ = r.whole; _ = q.exp.x; }",
        "const f = 1; fn f2() { let f = f; }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        accepts(texts[i]);
}

static void test_rejects(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *words;
    } rows[] = {
        {"const a = b;\nconst b = a;", "", "needs itself"},
        {"\n@id(1) override a = 1;\n@id(1) override b = 1;", "3:", "given twice"},
        {"@compute @workgroup_size(0) fn f() {}", "1:26", "at least 1"},
        {"@compute @workgroup_size(1.5) fn f() {}", "1:26", "i32 or u32"},
        {"override N = 4;\nvar<private> a: array<i32, N>;", "2:14", "workgroup memory"},
        {"fn f() { g(); }\nfn g() { f(); }", "", "calls itself"},
        {"@group(0) @binding(0) var<uniform> a: u32;\n@group(0) @binding(0) var<uniform> b: u32;\n"
         "@compute @workgroup_size(1) fn f() { _ = a + b; }", "2:36", "share"},
        {"fn f() { let a = 1\n let b = 2; }", "2:2", "';'"},
        {"fn f() { let a: u32 = 1.5; }", "1:23", "not a abstract-float"},
        {"const a = 2147483648i;", "1:11", "does not fit"},
        {"const a: i32 = 2147483648;", "1:16", "does not fit"},
        {"const a = 9223372036854775807 + 1;", "1:31", "overflows"},
        {"const a = 1 / 0;", "1:13", "divides by zero"},
        {"const a = array(1, 2)[2];", "1:23", "out of bounds"},
        {"fn f() -> i32 { }", "1:17", "without a return"},
        {"fn f() { loop { } }", "1:10", "no exit"},
        {"fn f() { let a = 1; a = 2; }", "1:21", "cannot be assigned"},
        {"fn f() { let a = 1; let a = 2; }", "1:25", "declared twice"},
        {"fn f(a: i32) { let a = 2; }", "1:20", "declared twice"},
        {"fn f() { max(1, 2); }", "1:10", "must be used"},
        {"fn f() { let a = 1 & 2 | 3; }", "1:24", "parentheses"},
        {"const auto = 1;", "1:7", "reserved"},
        {"const __a = 1;", "1:7", "underscores"},
        {"@group(0) @binding(0) var<storage> a: array<u32>;\nfn f() { a[0] = 1; }", "2:11", "read-only"},
        {"@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;\nfn f() { let b = a; }", "2:18",
         "atomicLoad"},
        {"var<storage> a: u32;", "1:14", "@group"},
        {"const a = vec3(1, 2, 3).xg;", "1:25", "has no"},
        {"fn f(x: i32) { switch x { case 1: { } case 1: { } default: { } } }", "1:44", "two cases"},
        {"fn f(x: i32) { switch x { case 1: { } } }", "1:16", "default"},
        {"const a = 1;\n/* no end", "2:1", "no end"},
        {"#import a::b\nfn f() {}", "1:1", "preprocessor"},
        {"fn f() {\n#ifdef X\n}", "2:1", "preprocessor"},
        {"@compute @workgroup_size({{ size }}) fn f() {}", "1:26", "template"},
        {"const a = ${N};", "1:11", "template"},
        {"const_assert 1 > 2;", "1:1", "false"},
        {"fn f() { let x = undefined_name; }", "1:18", "undefined_name"},
        {"enable f17;", "1:8", "extension"},
        {"const a = 1.5h;", "1:11", "enable f16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wgt_error error = {{0}};
        wgt_wgsl *m = read_wgsl(rows[i].text, WGT_BAD_INPUT, &error);
        char start[64];
        snprintf(start, sizeof start, "t.wgsl:%s", rows[i].place);
        if (strncmp(error.message, start, strlen(start)) != 0 || strstr(error.message, rows[i].words) == NULL)
            fail_msg("'%s' is not at %s with '%s'\n%s", error.message, start, rows[i].words, rows[i].text);
        wgt_wgsl_destroy(&m);
    }
}

static void test_several_errors(void **state) {
    (void)state;
    wgt_error error;
    wgt_wgsl *m = read_wgsl("fn f() { let a = ; }\nfn g() { b(; }\nconst = 1;\nfn h() { }", WGT_BAD_INPUT, &error);
    const wgt_diagnostic *d;
    assert_int_equal(wgt_wgsl_diagnostics(m, &d), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(d[i].line, i + 1);
    wgt_wgsl_destroy(&m);
}

static void repeat(char *out, size_t size, const char *piece, size_t times, const char *end) {
    size_t n = 0, length = strlen(piece);
    for (size_t i = 0; i < times && n + length < size - 64; i++, n += length)
        memcpy(out + n, piece, length);
    memcpy(out + n, end, strlen(end) + 1);
}

/* Deep texts end in an error, not in the stack's end. */
static void test_depth(void **state) {
    (void)state;
    static char text[200000];
    static const struct {
        const char *start, *piece, *end;
    } rows[] = {{"const a = ", "(", ""},       {"const a = ", "-", "1;"},      {"fn f() ", "{", ""},
                {"const a: ", "array<", ""},   {"fn f() { ", "if true {", ""}, {"const a = 1", "+1", ";"},
                {"const a = ", "f(", ""},      {"fn f() { a", "[0", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].start);
        memcpy(text, rows[i].start, n);
        repeat(text + n, sizeof text - n, rows[i].piece, 15000, rows[i].end);
        wgt_error error;
        wgt_wgsl *m = read_wgsl(text, WGT_BAD_INPUT, &error);
        wgt_wgsl_destroy(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_several_errors),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
