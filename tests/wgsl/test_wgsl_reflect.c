/* What a module says about its overrides, bindings and entry points. */
#include "wgsl_test.h"

static const char tiled[] =
    "override WG: u32 = 64;\n"
    "override TILE = HALF * 2u;\n"
    "override HALF: u32 = 8;\n"
    "@id(7) override GAIN: f32;\n"
    "override UNUSED = true;\n"
    "struct P { n: u32, scale: vec3f, tail: array<vec3<f32>, 2> }\n"
    "alias Points = array<vec2f>;\n"
    "@group(0) @binding(0) var<uniform> p: P;\n"
    "@group(0) @binding(1) var<storage> pts: Points;\n"
    "@group(0) @binding(2) var<storage, read_write> grid: array<atomic<u32>>;\n"
    "@group(1) @binding(0) var img: texture_storage_2d<rgba8unorm, write>;\n"
    "@group(1) @binding(1) var unused: sampler;\n"
    "var<workgroup> scratch: array<atomic<u32>, TILE * TILE>;\n"
    "var<workgroup> flag: bool;\n"
    "var<private> gain = GAIN;\n"
    "fn helper(i: u32) { atomicAdd(&grid[i], u32(gain)); }\n"
    "@compute @workgroup_size(WG, 1 + 1)\n"
    "fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {\n"
    "  if id.x >= arrayLength(&pts) { return; }\n"
    "  atomicStore(&scratch[0], p.n);\n"
    "  workgroupBarrier();\n"
    "  _ = &flag;\n"
    "  helper(id.x);\n"
    "}\n"
    "@compute @workgroup_size(4) fn other() { let grid = 1; _ = img; storageBarrier(); }\n";

static wgt_wgsl *module;
static const wgt_wgsl_entry *entries;
static const wgt_wgsl_override *overrides;
static const wgt_wgsl_binding *bindings;

static void read_tiled(void) {
    module = accept(tiled);
    assert_int_equal(wgt_wgsl_overrides(module, &overrides), 5);
    assert_int_equal(wgt_wgsl_entries(module, &entries), 2);
    assert_int_equal(wgt_wgsl_bindings(module, &bindings), 5);
}

static void assert_overrides(wgt_wgsl_list list, const char *names) {
    char text[256] = "";
    for (size_t i = 0; i < list.count; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%.*s ", (int)overrides[list.items[i]].name.size,
                 overrides[list.items[i]].name.data);
    }
    assert_string_equal(text, names);
}

static void test_overrides(void **state) {
    (void)state;
    read_tiled();
    assert_str(overrides[0].name, "WG");
    assert_str(overrides[0].type, "u32");
    assert_int_equal(overrides[0].id, -1);
    assert_true(overrides[0].default_value == 64);
    assert_str(overrides[1].default_expr, "HALF * 2u");
    assert_true(overrides[1].default_value == 16);
    assert_str(overrides[1].type, "u32");
    assert_false(overrides[3].has_default);
    assert_int_equal(overrides[3].id, 7);
    assert_true(overrides[3].default_value != overrides[3].default_value);
    assert_str(overrides[4].type, "bool");
    assert_true(overrides[4].default_value == 1);
    assert_int_equal(overrides[3].line, 4);
    assert_int_equal(overrides[3].column, 17);
    wgt_wgsl_destroy(&module);
}

static void test_reach(void **state) {
    (void)state;
    read_tiled();
    assert_overrides(entries[0].size_overrides, "WG ");
    assert_overrides(entries[0].sizing_overrides, "WG TILE HALF ");
    assert_overrides(entries[0].body_overrides, "GAIN ");
    assert_overrides(entries[0].needs_values, "GAIN ");
    assert_int_equal(entries[0].bindings.count, 3);
    assert_true(entries[0].atomics && entries[0].workgroup_barrier && !entries[0].storage_barrier);
    assert_true(entries[0].num_workgroups && !entries[0].workgroup_id && !entries[0].subgroup_ops);
    assert_str(entries[0].workgroup_size[0], "WG");
    assert_str(entries[0].workgroup_size[1], "1 + 1");
    assert_str(entries[0].workgroup_size[2], "1");
    assert_overrides(entries[1].sizing_overrides, "");
    assert_int_equal(entries[1].bindings.count, 1); /* the local `grid` hides the buffer */
    assert_str(bindings[entries[1].bindings.items[0]].name, "img");
    assert_true(entries[1].storage_barrier && !entries[1].workgroup_barrier && !entries[1].atomics);
    wgt_wgsl_destroy(&module);
}

static void test_bindings(void **state) {
    (void)state;
    read_tiled();
    assert_str(bindings[0].type, "P");
    assert_int_equal(bindings[0].size, 64);
    assert_int_equal(bindings[0].member_count, 3);
    assert_int_equal(bindings[0].members[1].offset, 16);
    assert_int_equal(bindings[0].members[1].size, 12);
    assert_int_equal(bindings[0].members[2].offset, 32);
    assert_int_equal(bindings[0].members[2].stride, 16);
    assert_str(bindings[0].members[2].type, "array<vec3<f32>, 2>");
    assert_int_equal(bindings[0].kind, WGT_BIND_UNIFORM);
    assert_str(bindings[1].type, "array<vec2<f32>>");
    assert_str(bindings[1].element, "vec2<f32>");
    assert_str(bindings[1].access, "read");
    assert_int_equal(bindings[1].stride, 8);
    assert_int_equal(bindings[1].size, 8);
    assert_true(bindings[1].runtime_sized && !bindings[1].atomic);
    assert_true(bindings[2].atomic);
    assert_int_equal(bindings[2].kind, WGT_BIND_STORAGE_READ_WRITE);
    assert_str(bindings[3].type, "texture_storage_2d<rgba8unorm, write>");
    assert_str(bindings[3].access, "write");
    assert_int_equal(bindings[3].space, WGT_SPACE_HANDLE);
    assert_int_equal(bindings[3].size, 0);
    wgt_wgsl_destroy(&module);
}

static void test_values(void **state) {
    (void)state;
    read_tiled();
    uint32_t size[3];
    uint64_t counted, raw;
    wgt_error error;
    assert_int_equal(wgt_wgsl_workgroup_size(module, &entries[0], NULL, 0, size, NULL), WGT_OK);
    assert_int_equal(size[0], 64);
    assert_int_equal(size[1], 2);
    assert_int_equal(wgt_wgsl_workgroup_bytes(module, &entries[0], NULL, 0, &counted, &raw, NULL), WGT_OK);
    assert_int_equal(raw, 16 * 16 * 4 + 4);
    assert_int_equal(counted, 16 * 16 * 4 + 16);
    wgt_wgsl_value values[] = {{WGT_STR("HALF"), 3}, {WGT_STR("WG"), 100}};
    assert_int_equal(wgt_wgsl_workgroup_size(module, &entries[0], values, 2, size, NULL), WGT_OK);
    assert_int_equal(size[0], 100);
    assert_int_equal(wgt_wgsl_workgroup_bytes(module, &entries[0], values, 2, &counted, &raw, NULL), WGT_OK);
    assert_int_equal(raw, 6 * 6 * 4 + 4);
    double tile;
    assert_int_equal(wgt_wgsl_override_default(module, 1, values, 2, &tile, NULL), WGT_OK);
    assert_true(tile == 6);
    values[1].value = 2.5;
    assert_int_equal(wgt_wgsl_workgroup_size(module, &entries[0], values, 2, size, &error), WGT_BAD_INPUT);
    assert_non_null(strstr(error.message, "t.wgsl:1:10: the value 2.5 for 'WG' is no u32"));
    values[1].value = 0;
    assert_int_equal(wgt_wgsl_workgroup_size(module, &entries[0], values, 2, size, &error), WGT_BAD_INPUT);
    values[0].value = 0;
    assert_int_equal(wgt_wgsl_workgroup_bytes(module, &entries[0], values, 2, &counted, &raw, &error),
                     WGT_BAD_INPUT);
    wgt_wgsl_destroy(&module);
}

static void test_unknown_values(void **state) {
    (void)state;
    wgt_wgsl *m = accept("override N: u32; override M = N + 1;\n"
                         "var<workgroup> a: array<vec3f, M>;\n"
                         "@compute @workgroup_size(N, 2) fn main() { a[0] = vec3f(); }\n");
    const wgt_wgsl_entry *e;
    uint32_t size[3];
    uint64_t counted, raw;
    assert_int_equal(wgt_wgsl_entries(m, &e), 1);
    assert_int_equal(wgt_wgsl_workgroup_size(m, e, NULL, 0, size, NULL), WGT_OK);
    assert_int_equal(size[0], 0);
    assert_int_equal(size[1], 2);
    assert_int_equal(wgt_wgsl_workgroup_bytes(m, e, NULL, 0, &counted, &raw, NULL), WGT_OK);
    assert_true(counted == WGT_UNKNOWN_U64 && raw == WGT_UNKNOWN_U64);
    wgt_wgsl_value value = {WGT_STR("N"), 3};
    assert_int_equal(wgt_wgsl_workgroup_bytes(m, e, &value, 1, &counted, &raw, NULL), WGT_OK);
    assert_int_equal(counted, 64);
    wgt_wgsl_destroy(&m);
}

static void test_needs_allocator(void **state) {
    (void)state;
    wgt_wgsl *m = NULL;
    wgt_wgsl_options options = {.allocator = NULL};
    assert_int_equal(wgt_wgsl_create(&options, WGT_STR("a"), WGT_STR(""), &m, NULL), WGT_USAGE);
    assert_null(m);
}

static void test_memory_limit(void **state) {
    (void)state;
    wgt_wgsl_options options = {.allocator = wgt_heap(), .memory_limit = 4096};
    wgt_wgsl *m = NULL;
    wgt_error error;
    assert_int_equal(wgt_wgsl_create(&options, WGT_STR("a"), WGT_STR("fn f() {}"), &m, &error), WGT_NO_MEMORY);
    wgt_wgsl_destroy(&m);
    /* every limit between nothing and enough ends in one of two ways */
    wgt_status last = WGT_NO_MEMORY;
    for (size_t limit = 8192; limit < 400000; limit += 1500) {
        options.memory_limit = limit;
        wgt_status status = wgt_wgsl_create(&options, WGT_STR("a"), wgt_str_from(tiled), &m, &error);
        assert_true(status == WGT_NO_MEMORY || status == WGT_OK);
        last = status;
        wgt_wgsl_destroy(&m);
    }
    assert_int_equal(last, WGT_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overrides),      cmocka_unit_test(test_reach),
        cmocka_unit_test(test_bindings),       cmocka_unit_test(test_values),
        cmocka_unit_test(test_unknown_values), cmocka_unit_test(test_needs_allocator),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
