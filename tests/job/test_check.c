#include "helper.h"

static const char kernel[] =
    "override WG_SIZE: u32 = 64;\n"
    "@group(0) @binding(0) var<storage, read_write> u: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> f: array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> v: array<vec3<f32>>;\n"
    "@compute @workgroup_size(WG_SIZE)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  u[id.x] = id.x;\n  f[id.x] = 1.0;\n  v[id.x] = vec3<f32>(1.0);\n"
    "}\n";

/* A job with these checks; the arrays have 4 elements, v has 2. */
static wgt_job *checking(const char *checks) {
    static char text[1024];
    (void)snprintf(text, sizeof text,
                   "{ \"kernel\": \"k.wgsl\", \"threads\": [4], \"bindings\": { \"u\": { \"zero\": 4, \"output\": true }, "
                   "\"f\": { \"zero\": 4, \"output\": true }, \"v\": { \"zero\": 2, \"output\": true } }, \"check\": { %s } }",
                   checks);
    return parsed(text, kernel);
}

static void compare(const wgt_job *job, const char *name, const void *a, const void *b, const char *difference) {
    bool equal = false;
    wgt_error why = {{0}}, error = {{0}};
    const size_t index = find(job, name);
    const uint64_t bytes = wgt_job_get_info(job)->bindings[index].bytes;
    assert_int_equal(wgt_job_check(job, index, a, b, bytes, &equal, &why, &error), WGT_OK);
    assert_string_equal(why.message, difference);
    assert_int_equal(equal, difference[0] == '\0');
    assert_int_equal(wgt_job_check(job, index, a, b, bytes, &equal, NULL, &error), WGT_OK);
    assert_int_equal(equal, difference[0] == '\0');
}

static void same_is_bitwise(void **state) {
    (void)state;
    wgt_job *job = checking("\"u\": \"same\", \"f\": \"same\", \"v\": \"same\"");
    const uint32_t a[] = {1, 2, 3, 4}, b[] = {1, 2, 5, 4};
    compare(job, "u", a, a, "");
    compare(job, "u", a, b, "u[2]: 3, not 5");
    const float zero[] = {0, 0, 0, 0}, minus[] = {0, -0.0f, 0, 0};
    compare(job, "f", zero, minus, "f[1]: 0, not -0 (other bits)");
    const float v[] = {1, 2, 3, 9, 4, 5, 6, 9}, w[] = {1, 2, 3, 8, 4, 5.5f, 6, 8};
    compare(job, "v", v, w, "v[1].y: 5, not 5.5");
    const float padded[] = {1, 2, 3, 8, 4, 5, 6, 7};
    compare(job, "v", v, padded, ""); /* padding is nobody's value */
    wgt_job_destroy(&job);
}

static void close_has_tolerances(void **state) {
    (void)state;
    wgt_job *job = checking("\"f\": { \"mode\": \"close\", \"rtol\": 0.01, \"atol\": 0.5 }, \"u\": { \"mode\": \"close\", \"atol\": 1 }");
    const float nan = (float)wgt_nan(), infinity = (float)wgt_infinity();
    const float a[] = {100, 0, nan, infinity}, b[] = {101.4f, 0.4f, nan, infinity};
    compare(job, "f", a, b, "");
    const float c[] = {102, 0, nan, infinity}, d[] = {100, 0, 1, infinity}, e[] = {100, 0, nan, -infinity};
    compare(job, "f", a, c, "f[0]: 100, not 102");
    compare(job, "f", a, d, "f[2]: nan, not 1");
    compare(job, "f", a, e, "f[3]: inf, not -inf");
    const uint32_t u[] = {1, 2, 3, 4}, near[] = {2, 1, 3, 4}, far[] = {1, 2, 3, 6};
    compare(job, "u", u, near, "");
    compare(job, "u", u, far, "u[3]: 4, not 6");
    wgt_job_destroy(&job);
    job = checking("");
    assert_int_equal(binding(job, "u")->check, WGT_CHECK_SAME);
    assert_int_equal(binding(job, "f")->check, WGT_CHECK_CLOSE);
    assert_true(binding(job, "f")->rtol == 1e-5 && binding(job, "f")->atol == 1e-6);
    assert_false(wgt_job_get_info(job)->exact);
    wgt_job_destroy(&job);
}

static void sum_is_exact_for_whole_numbers(void **state) {
    (void)state;
    wgt_job *job = checking("\"u\": \"sum\", \"f\": \"sum\", \"v\": \"sum\"");
    const uint32_t a[] = {UINT32_MAX, UINT32_MAX, 3, 0}, b[] = {3, 0, UINT32_MAX, UINT32_MAX};
    const uint32_t c[] = {3, 1, UINT32_MAX, UINT32_MAX};
    compare(job, "u", a, b, "");
    compare(job, "u", a, c, "the sum of u: 8589934593, not 8589934594");
    const float f[] = {1e8f, 1, 1, -1e8f}, g[] = {1, -1e8f, 1e8f, 1}, h[] = {1, 0, 0, 0};
    compare(job, "f", f, g, "");
    compare(job, "f", f, h, "the sum of f: 2, not 1");
    const float v[] = {1, 2, 3, 0, 4, 5, 6, 0}, swapped[] = {4, 5, 6, 0, 1, 2, 3, 0}, mixed[] = {2, 1, 3, 0, 4, 5, 6, 0};
    compare(job, "v", v, swapped, "");
    compare(job, "v", v, mixed, "the sum of v: 5, not 6");
    wgt_job_destroy(&job);
}

static void set_ignores_the_order(void **state) {
    (void)state;
    wgt_job *job = checking("\"u\": \"set\", \"v\": \"set\"");
    const uint32_t a[] = {1, 2, 2, 4}, b[] = {4, 2, 1, 2}, c[] = {4, 1, 1, 2};
    compare(job, "u", a, b, "");
    compare(job, "u", a, c, "the 4 elements of u are other ones");
    const float v[] = {1, 2, 3, 0, 4, 5, 6, 0}, swapped[] = {4, 5, 6, 7, 1, 2, 3, 7}, torn[] = {1, 5, 3, 0, 4, 2, 6, 0};
    compare(job, "v", v, swapped, "");
    compare(job, "v", v, torn, "the 2 elements of v are other ones");
    wgt_job_destroy(&job);
}

static void none_accepts_everything_and_is_said(void **state) {
    (void)state;
    wgt_job *job = checking("\"u\": \"none\", \"f\": \"none\", \"v\": \"none\"");
    const uint32_t a[] = {1, 2, 2, 4}, b[] = {9, 9, 9, 9};
    compare(job, "u", a, b, "");
    assert_true(wgt_job_get_info(job)->unverified);
    bool equal = false;
    wgt_error error = {{0}};
    assert_int_equal(wgt_job_check(job, 0, a, b, 12, &equal, NULL, &error), WGT_USAGE);
    wgt_job_destroy(&job);
}

static void references_come_from_files(void **state) {
    (void)state;
    wgt_job *job = checking("\"f\": { \"mode\": \"same\", \"file\": \"job/four.f32\", \"unchanged_ok\": true }");
    const wgt_job_binding *f = binding(job, "f");
    float reference[4] = {0};
    wgt_error error = {{0}};
    assert_true(f->has_reference && f->unchanged_ok && wgt_job_get_info(job)->has_reference);
    assert_int_equal(wgt_job_reference(job, find(job, "f"), reference, sizeof reference, &error), WGT_OK);
    assert_true(reference[0] == 0 && reference[3] == 2.5f);
    wgt_job_destroy(&job);
    /* A packed file into padded elements. */
    static char text[512];
    (void)snprintf(text, sizeof text, "%s",
                   "{ \"kernel\": \"k.wgsl\", \"threads\": [1], \"bindings\": { \"u\": { \"zero\": 4 }, \"f\": { \"zero\": 4 }, "
                   "\"v\": { \"zero\": 1, \"output\": true } }, \"check\": { \"v\": { \"file\": \"job/three.f32\" } } }");
    job = parsed(text, kernel);
    float vector[4] = {9, 9, 9, 9};
    assert_int_equal(wgt_job_reference(job, find(job, "v"), vector, sizeof vector, &error), WGT_OK);
    assert_true(vector[1] == 1 && vector[2] == 1.5f && vector[3] == 0);
    wgt_job_destroy(&job);
    refused(with(text, "three.f32", "four.f32"), kernel, "j.job.json:1:157: the file has 16 bytes, v has 12");
    refused(with(text, "three.f32", "four.u32"), kernel,
            "j.job.json:1:157: a file of u32, but the elements are f32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_is_bitwise),
        cmocka_unit_test(close_has_tolerances),
        cmocka_unit_test(sum_is_exact_for_whole_numbers),
        cmocka_unit_test(set_ignores_the_order),
        cmocka_unit_test(none_accepts_everything_and_is_said),
        cmocka_unit_test(references_come_from_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
