#include "helper.h"
#include "job/internal.h"

static void layout(const char *type, uint32_t count, uint64_t size, uint64_t align, uint32_t last) {
    static wgt_slot slots[WGT_MAX_SLOTS];
    uint32_t found = 0;
    uint64_t found_size = 0, found_align = 0;
    assert_true(wgt_type_layout(wgt_str_from(type), slots, WGT_MAX_SLOTS, &found, &found_size, &found_align));
    assert_int_equal(found, count);
    assert_int_equal(found_size, size);
    assert_int_equal(found_align, align);
    assert_int_equal(slots[count - 1].offset, last);
}

/* The numbers of the table in WGSL's section on alignment and size. */
static void types_lie_as_wgsl_says(void **state) {
    (void)state;
    layout("f32", 1, 4, 4, 0);
    layout("atomic<u32>", 1, 4, 4, 0);
    layout("f16", 1, 2, 2, 0);
    layout("vec2<f32>", 2, 8, 8, 4);
    layout("vec3<f32>", 3, 12, 16, 8);
    layout("vec4i", 4, 16, 16, 12);
    layout("vec3<f16>", 3, 6, 8, 4);
    layout("vec3h", 3, 6, 8, 4);
    layout("mat2x2<f32>", 4, 16, 8, 12);
    layout("mat3x3<f32>", 9, 48, 16, 40);
    layout("mat4x3f", 12, 64, 16, 56);
    layout("array<f32, 5>", 5, 20, 4, 16);
    layout("array<vec3<f32>, 2>", 6, 32, 16, 24);
    layout("array<array<f32, 2>, 3>", 6, 24, 4, 20);
    layout("array<atomic<u32>, 4u>", 4, 16, 4, 12);
}

static void other_types_have_no_scalars(void **state) {
    (void)state;
    static const char *const types[] = {"",          "Particle", "array<f32>",       "vec5<f32>", "vec2<bool>",
                                        "mat2x5f",   "f64",      "array<f32, 0>",    "vec2",      "vec2<vec2<f32>>",
                                        "texture_2d<f32>", "array<f32, 2000>", "array<f32, N>"};
    wgt_slot slots[WGT_MAX_SLOTS];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint32_t count = 0;
        uint64_t size = 0, align = 0;
        assert_false(wgt_type_layout(wgt_str_from(types[i]), slots, WGT_MAX_SLOTS, &count, &size, &align));
        assert_int_equal(count, 0);
    }
}

static void access(const char *body, bool reads, bool writes) {
    bool r = !reads, w = !writes;
    wgt_job_access(wgt_str_from(body), WGT_STR("a"), &r, &w);
    if (r != reads || w != writes) {
        fail_msg("%s: reads %d, writes %d", body, r, w);
    }
}

static void a_kernels_use_of_a_buffer_is_told_from_its_text(void **state) {
    (void)state;
    access("@group(0) @binding(0) var<storage, read_write> a: array<u32>;", false, false);
    access("fn f() { a[i] = 1u; }", false, true);
    access("fn f() { a[b[i]].x = 1u; }", false, true);
    access("fn f() { a.items[i].x = c == d; }", false, true);
    access("fn f() { (a)[i] = 1u; }", false, true);
    access("fn f() { let x = a[i]; }", true, false);
    access("fn f() { if (a[i] == 1u) {} }", true, false);
    access("fn f() { if (x > a[i]) {} }", true, false);
    access("fn f() { a[i] += 1u; }", true, true);
    access("fn f() { a[i] <<= 1u; }", true, true);
    access("fn f() { a[i]++; }", true, true);
    access("fn f() { let n = arrayLength(&a); }", false, false);
    access("fn f() { atomicStore(&a[i], 1u); }", false, true);
    access("fn f() { let x = atomicLoad(&a[i]); }", true, false);
    access("fn f() { atomicAdd(&a[i], 1u); }", true, true);
    access("fn f() { let p = &a; }", true, true);
    access("fn f() { g(&a[i]); }", true, true);
    access("fn f() { // a[i]\n /* a /* a */ a */ b.a = 1; ab[i] = a2[i]; }", false, false);
    access("fn f() { let a = 1; }", false, false);
    access("a", true, false);
    access("/* a", false, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_lie_as_wgsl_says),
        cmocka_unit_test(other_types_have_no_scalars),
        cmocka_unit_test(a_kernels_use_of_a_buffer_is_told_from_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
