#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/host/host.h"
#include "base/text.h"
#include "wgtune/rewrite.h"
#include <string.h>

typedef struct made {
    wgt_wgsl *module;
    wgt_rewrite *rewrite;
    wgt_status status;
    wgt_error error;
    char text[4096];
} made;

static void rewrite(made *m, const char *code, wgt_rewrite_options options) {
    memset(m, 0, sizeof *m);
    const wgt_wgsl_options reading = {wgt_heap(), 0};
    wgt_status status = wgt_wgsl_create(&reading, WGT_STR("k.wgsl"), wgt_str_from(code), &m->module, &m->error);
    if (status != WGT_OK) {
        print_error("%s\n", m->error.message);
    }
    assert_int_equal(status, WGT_OK);
    const wgt_wgsl_entry *entries = NULL;
    assert_true(wgt_wgsl_entries(m->module, &entries) > 0);
    options.allocator = wgt_heap();
    m->status = wgt_rewrite_create(m->module, &entries[0], &options, &m->rewrite, &m->error);
    if (m->rewrite != NULL) {
        wgt_str text = wgt_rewrite_text(m->rewrite);
        wgt_format(m->text, sizeof m->text, "%.*s", (int)text.size, text.data);
    }
}

static void release(made *m) {
    wgt_rewrite_destroy(&m->rewrite);
    wgt_wgsl_destroy(&m->module);
}

static const wgt_rewrite_options free_size = {.free_size = true};

/* What each text becomes; every original line keeps its number. */
static const struct {
    const char *code, *again;
} cases[] = {
    {"@compute @workgroup_size(64)\nfn main() {}\n",
     "@compute @workgroup_size(WG_X)\nfn main() {}\noverride WG_X: u32 = 64;\n"},
    {"@compute @workgroup_size(64i) fn main() {}",
     "@compute @workgroup_size(WG_X) fn main() {}\noverride WG_X: i32 = 64;\n"},
    {"@compute @workgroup_size(0x40u, 1, 1) fn main() {}\n",
     "@compute @workgroup_size(WG_X, 1, 1) fn main() {}\noverride WG_X: u32 = 64;\n"},
    {"@compute @workgroup_size(8, 16) fn main() {}\n",
     "@compute @workgroup_size(WG_X, WG_Y) fn main() {}\noverride WG_X: u32 = 8;\noverride WG_Y: u32 = 16;\n"},
    {"@compute @workgroup_size(1) fn main() {}\n",
     "@compute @workgroup_size(WG_X) fn main() {}\noverride WG_X: u32 = 1;\n"},
    {"var<private> WG_X: u32; @compute @workgroup_size(4) fn main() { let WG_X_ = 1; }\n",
     "var<private> WG_X: u32; @compute @workgroup_size(WG_X__) fn main() { let WG_X_ = 1; }\n"
     "override WG_X__: u32 = 4;\n"},
    {"const N: u32 = 64u;\n@compute @workgroup_size(N)\nfn main() { var x = N * 2u; }\n",
     "override N: u32 = 64u;\n@compute @workgroup_size(N)\nfn main() { var x = N * 2u; }\n"},
    {"const N = 64;\n@compute @workgroup_size(N)\nfn main() { var x: i32 = N + 1; var y: u32 = N; var z = 0.5 * f32(N); }\n",
     "override N: u32 = 64;\n@compute @workgroup_size(N)\nfn main() { var x: i32 = i32(N) + 1; var y: u32 = N; "
     "var z = 0.5 * f32(f32(N)); }\n"},
    {"const N = 32;\nconst M = N * 4;\nvar<workgroup> s: array<f32, M>;\n"
     "@compute @workgroup_size(N) fn main(@builtin(local_invocation_index) i: u32) { s[i] = 0; s[i + N] = 1; }\n",
     NULL},
    /* Nothing to do where the size is an override already. */
    {"override N = 64u;\n@compute @workgroup_size(N) fn main() {}\n",
     "override N = 64u;\n@compute @workgroup_size(N) fn main() {}\n"},
};

static size_t count_lines(const char *text, size_t until) {
    size_t lines = 0;
    for (size_t i = 0; i < until && text[i] != '\0'; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

static void sizes_become_overrides_of_the_same_default(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m;
        rewrite(&m, cases[i].code, free_size);
        if (m.status != WGT_OK) {
            print_error("case %zu: %s\n", i, m.error.message);
        }
        assert_int_equal(m.status, WGT_OK);
        if (cases[i].again != NULL) {
            assert_string_equal(m.text, cases[i].again);
        }
        assert_true(count_lines(m.text, sizeof m.text) >= count_lines(cases[i].code, SIZE_MAX));
        /* Under its defaults it has the size that it had. */
        wgt_wgsl *again = NULL;
        const wgt_wgsl_options reading = {wgt_heap(), 0};
        assert_int_equal(wgt_wgsl_create(&reading, WGT_STR("k"), wgt_str_from(m.text), &again, NULL), WGT_OK);
        const wgt_wgsl_entry *before = NULL, *after = NULL;
        wgt_wgsl_entries(m.module, &before);
        wgt_wgsl_entries(again, &after);
        uint32_t a[3], b[3];
        assert_int_equal(wgt_wgsl_workgroup_size(m.module, before, NULL, 0, a, NULL), WGT_OK);
        assert_int_equal(wgt_wgsl_workgroup_size(again, after, NULL, 0, b, NULL), WGT_OK);
        assert_memory_equal(a, b, sizeof a);
        uint64_t bytes[2], raw;
        assert_int_equal(wgt_wgsl_workgroup_bytes(m.module, before, NULL, 0, &bytes[0], &raw, NULL), WGT_OK);
        assert_int_equal(wgt_wgsl_workgroup_bytes(again, after, NULL, 0, &bytes[1], &raw, NULL), WGT_OK);
        assert_int_equal(bytes[0], bytes[1]);
        assert_true(after->size_overrides.count > 0);
        wgt_wgsl_destroy(&again);
        release(&m);
    }
}

static void the_same_number_elsewhere_is_a_lock(void **state) {
    (void)state;
    static const char *const locked[] = {
        "var<workgroup> s: array<f32, 64>; @compute @workgroup_size(64) fn main() { s[0] = 1; }",
        "fn f(i: u32) -> u32 { return i * 64u; } @compute @workgroup_size(64) fn main() { _ = f(1); }",
        "@compute @workgroup_size(8, 8) fn main() { for (var i = 0; i < 64; i++) {} }",
    };
    for (size_t i = 0; i < sizeof locked / sizeof *locked; i++) {
        made m;
        rewrite(&m, locked[i], free_size);
        assert_int_equal(m.status, WGT_NEGATIVE);
        assert_non_null(strstr(m.error.message, "k.wgsl:1:"));
        assert_string_equal(m.text, locked[i]);
        const wgt_rewrite_lock *locks = NULL;
        assert_true(wgt_rewrite_locks(m.rewrite, &locks) >= 1);
        assert_int_equal(locks[0].value, 64);
        release(&m);
        rewrite(&m, locked[i], (wgt_rewrite_options){.free_size = true, .assume_free = true});
        assert_int_equal(m.status, WGT_OK);
        assert_non_null(strstr(m.text, "override WG_X: u32"));
        release(&m);
    }
}

static void a_const_that_must_stay_one_is_refused_with_its_place(void **state) {
    (void)state;
    static const char *const fixed[] = {
        "const N = 64;\n@compute @workgroup_size(N) fn main() { var a: array<f32, N>; a[0] = 1; }",
        "const N = 64;\nconst_assert N > 3;\n@compute @workgroup_size(N) fn main() { }",
        "const N = 64;\n@compute @workgroup_size(N) fn main() { switch 3 { case N: {} default: {} } }",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        made m;
        rewrite(&m, fixed[i], free_size);
        assert_int_equal(m.status, WGT_BAD_INPUT);
        assert_null(m.rewrite);
        assert_non_null(strstr(m.error.message, "k.wgsl:2:"));
        release(&m);
    }
}

static void consts_are_promoted_by_name(void **state) {
    (void)state;
    const char *code = "const TILE = 16; const K = 2.5;\nvar<workgroup> s: array<f32, TILE>;\n"
                       "@compute @workgroup_size(64) fn main() { s[0] = K; }\n";
    const wgt_str names[] = {{"TILE", 4}, {"K", 1}}, unknown[] = {{"TILES", 5}};
    made m;
    rewrite(&m, code, (wgt_rewrite_options){.promote = names, .promote_count = 2});
    assert_int_equal(m.status, WGT_OK);
    assert_string_equal(m.text, "override TILE: u32 = 16; override K: f32 = 2.5;\nvar<workgroup> s: array<f32, "
                                "i32(TILE)>;\n@compute @workgroup_size(64) fn main() { s[0] = K; }\n");
    const wgt_str *list = NULL;
    assert_int_equal(wgt_rewrite_made(m.rewrite, &list), 2);
    assert_true(wgt_str_is(list[1], "K"));
    release(&m);
    rewrite(&m, code, (wgt_rewrite_options){.promote = unknown, .promote_count = 1});
    assert_int_equal(m.status, WGT_BAD_INPUT);
    assert_string_equal(m.error.message, "k.wgsl: there is no const 'TILES' to promote");
    release(&m);
}

static void test_fold(void **state) {
    (void)state;
    made m;
    rewrite(&m, "@compute @workgroup_size(32)\nfn f(@builtin(global_invocation_id) id: vec3u) {\n _ = id;\n}\n",
            (wgt_rewrite_options){.fold = true});
    assert_int_equal(m.status, WGT_OK);
    assert_string_equal(m.text,
                        "@compute @workgroup_size(32)\nfn f(@builtin(workgroup_id) wgt_workgroup_id: vec3<u32>, "
                        "@builtin(num_workgroups) wgt_num_workgroups: vec3<u32>, @builtin(local_invocation_id) "
                        "wgt_local_invocation_id: vec3<u32>, @builtin(global_invocation_id) id_: vec3u) { let id = "
                        "vec3<u32>((wgt_workgroup_id.x + wgt_workgroup_id.y * wgt_num_workgroups.x) * u32(32) + "
                        "wgt_local_invocation_id.x, 0u, 0u);\n _ = id;\n}\n");
    release(&m);
    rewrite(&m, "struct I { @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u }\n"
                "@compute @workgroup_size(1) fn f(i: I) { _ = i.w; }\n", (wgt_rewrite_options){.fold = true});
    assert_int_equal(m.status, WGT_OK);
    assert_non_null(strstr(m.text, "i_: I) { var i = i_; i.w = vec3<u32>((i_.w.x + i_.w.y * i_.n.x), 0u, 0u); i.n = "
                                   "vec3<u32>(i_.n.x * i_.n.y, 1u, 1u); _ = i.w; }"));
    release(&m);
    rewrite(&m, "@compute @workgroup_size(1) fn f() {}", (wgt_rewrite_options){.fold = true, .count = true});
    assert_int_equal(m.status, WGT_USAGE);
    release(&m);
}

static void test_engine(void **state) {
    (void)state;
    static const struct {
        const char *code, *again;
        wgt_rewrite_engine_kind engine;
    } rows[] = {
        {"// k\n@compute @workgroup_size(32) fn f() { _ = subgroupAdd(1u); }",
         "// k\nenable subgroups; @compute @workgroup_size(32) fn f() { _ = subgroupAdd(1u); }", WGT_REWRITE_TINT},
        {"@compute @workgroup_size(32) fn f() {}", "@compute @workgroup_size(32) fn f() {}", WGT_REWRITE_TINT},
        {"enable subgroups;\n@compute @workgroup_size(1) fn f() {}", "\n@compute @workgroup_size(1) fn f() {}",
         WGT_REWRITE_NAGA},
        {"enable f16,subgroups; @compute @workgroup_size(1) fn f() {}",
         "enable f16; @compute @workgroup_size(1) fn f() {}", WGT_REWRITE_NAGA},
        {"enable subgroups,f16; @compute @workgroup_size(1) fn f() {}",
         "enable f16; @compute @workgroup_size(1) fn f() {}", WGT_REWRITE_NAGA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        made m;
        rewrite(&m, rows[i].code, (wgt_rewrite_options){.engine = rows[i].engine});
        assert_int_equal(m.status, WGT_OK);
        assert_string_equal(m.text, rows[i].again);
        release(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_engine),
        cmocka_unit_test(sizes_become_overrides_of_the_same_default),
        cmocka_unit_test(the_same_number_elsewhere_is_a_lock),
        cmocka_unit_test(a_const_that_must_stay_one_is_refused_with_its_place),
        cmocka_unit_test(consts_are_promoted_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
