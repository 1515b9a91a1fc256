/* Each lint on a text that deserves it, and on a twin that does not. */
#include "wgsl_test.h"

static size_t count(const char *text, const char *code) {
    wgt_wgsl *m = accept(text);
    const wgt_diagnostic *d;
    size_t n = wgt_wgsl_diagnostics(m, &d), found = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(d[i].severity != WGT_SEVERITY_ERROR && d[i].help.size > 0);
        found += strcmp(d[i].code, code) == 0;
    }
    wgt_wgsl_destroy(&m);
    return found;
}

#define ENTRY "override W = 64u;\n@compute @workgroup_size(W) fn f(@builtin(global_invocation_id) i: vec3u) "
#define BUFFER "@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n"

static void test_pairs(void **state) {
    (void)state;
    static const struct {
        const char *code, *bad, *good;
    } rows[] = {
        {"literal-workgroup-size", "@compute @workgroup_size(64) fn f() {}",
         "override W = 64; @compute @workgroup_size(W, 1) fn f() {}"},
        {"geometry-lock", ENTRY "{ _ = i.x + 64; }", ENTRY "{ _ = i.x + W; }"},
        {"unused-override", "override A = 1; @compute @workgroup_size(1) fn f() {}",
         "override A = 1; @compute @workgroup_size(A) fn f() {}"},
        {"function-array", ENTRY "{ var a: array<f32, 18>; a[i.x % 18] = 1; }",
         ENTRY "{ var a: array<f32, 4>; a[i.x % 4] = 1; }"},
        {"workgroup-bytes", "var<workgroup> w: array<f32, 8192>;\n" ENTRY "{ w[0] = 1; }",
         "var<workgroup> w: array<f32, 4096>;\n" ENTRY "{ w[0] = 1; }"},
        {"invocations", "@compute @workgroup_size(32, 16) fn f() {}", "@compute @workgroup_size(16, 16) fn f() {}"},
        {"missing-guard", BUFFER ENTRY "{ d[i.x] = 1; }",
         BUFFER ENTRY "{ if i.x >= arrayLength(&d) { return; } d[i.x] = 1; }"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (count(rows[i].bad, rows[i].code) != 1)
            fail_msg("%s is not found once in\n%s", rows[i].code, rows[i].bad);
        if (count(rows[i].good, rows[i].code) != 0)
            fail_msg("%s is found in\n%s", rows[i].code, rows[i].good);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
