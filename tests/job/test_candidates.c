#include "helper.h"

static wgt_limits limits_of(uint64_t invocations) {
    wgt_limits limits = wgt_limits_portable();
    limits.max_compute_invocations_per_workgroup = invocations;
    limits.max_compute_workgroup_size_x = invocations;
    limits.max_compute_workgroup_size_y = invocations;
    return limits;
}

typedef struct made {
    wgt_job *job;
    wgt_generator generator;
    wgt_error error;
    wgt_status status;
} made;

static made generate(const char *text, const char *kernel, uint64_t invocations,
                     const wgt_candidate_options *options) {
    made m = {parsed(text, kernel), {0, NULL, NULL}, {{0}}, WGT_OK};
    const wgt_limits limits = limits_of(invocations);
    const wgt_budget budget = wgt_budget_from_limits(&limits, 32, 32);
    m.status = wgt_job_generate(m.job, &limits, &budget, options, &m.generator, &m.error);
    return m;
}

static wgt_candidate get(const made *m, uint32_t index) {
    wgt_candidate c, again;
    assert_true(index < m->generator.count);
    m->generator.get(m->generator.user, index, &c);
    m->generator.get(m->generator.user, index, &again);
    assert_memory_equal(&c, &again, sizeof c);
    return c;
}

static void auto_means_subgroup_multiples(void **state) {
    (void)state;
    made m = generate(scatter_job, scatter_kernel, 256, NULL);
    assert_int_equal(m.status, WGT_OK);
    assert_int_equal(m.generator.count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const wgt_candidate c = get(&m, i);
        assert_int_equal(c.status, WGT_CANDIDATE_OK);
        assert_true(c.constants[0] == 32 * (i + 1));
        assert_int_equal(c.workgroup[0], 32 * (i + 1));
        assert_int_equal(c.workgroups[0], (1000 + c.workgroup[0] - 1) / c.workgroup[0]);
        assert_int_equal(c.workgroups[1], 1);
        assert_int_equal(c.workgroup_bytes, 0);
    }
    wgt_job_destroy(&m.job);
}

static void many_sizes_are_thinned_unless_all_are_wanted(void **state) {
    (void)state;
    const char *text = with(scatter_job, "\"n\": 1000", "\"n\": 100000");
    made m = generate(text, scatter_kernel, 2048, NULL);
    assert_int_equal(m.generator.count, WGT_DEFAULT_SIZES);
    assert_true(get(&m, 0).constants[0] == 32);
    assert_true(get(&m, 31).constants[0] == 2048);
    wgt_job_destroy(&m.job);
    const wgt_candidate_options all = {true, NULL, 0};
    m = generate(text, scatter_kernel, 2048, &all);
    assert_int_equal(m.generator.count, 64);
    wgt_job_destroy(&m.job);
}

static void sizes_of_the_caller_replace_auto_and_lists(void **state) {
    (void)state;
    const uint32_t sizes[] = {100, 64, 4096};
    const wgt_candidate_options options = {false, sizes, 3};
    static const char *const tunes[] = {"\"auto\"", "[8, 16]", "128"};
    for (size_t t = 0; t < 3; t++) {
        made m = generate(with(scatter_job, "\"auto\"", tunes[t]), scatter_kernel, 256, &options);
        assert_int_equal(m.generator.count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(get(&m, i).constants[0] == sizes[i]);
        }
        wgt_job_destroy(&m.job);
    }
    made m = generate(with(scatter_job, "\"tune\": { \"WG_SIZE\": \"auto\" }", "\"tune\": {}"), scatter_kernel, 256, &options);
    assert_int_equal(m.status, WGT_BAD_INPUT);
    assert_string_equal(m.error.message, "j.job.json:1:1: sizes are given, but no tunable constant sets @workgroup_size");
    wgt_job_destroy(&m.job);
    const uint32_t zero[] = {0};
    const wgt_candidate_options none = {false, zero, 1};
    m = generate(scatter_job, scatter_kernel, 256, &none);
    assert_int_equal(m.status, WGT_BAD_INPUT);
    wgt_job_destroy(&m.job);
}

static const char tiled_kernel[] =
    "override WX: u32 = 8;\noverride WY: u32 = 8;\n@id(7) override TILE: u32 = 8;\noverride BIAS: f32 = 0.5;\n"
    "var<workgroup> scratch: array<f32, TILE * TILE>;\n"
    "@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n"
    "@compute @workgroup_size(WX, WY)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {\n"
    "  scratch[l % (TILE * TILE)] = BIAS;\n"
    "  workgroupBarrier();\n"
    "  out[id.y * 1000u + id.x] = scratch[0];\n"
    "}\n";

static const char tiled_job[] =
    "{ \"kernel\": \"k.wgsl\", \"problem\": { \"w\": 1000, \"h\": 100 }, \"threads\": [\"w\", \"h\"],\n"
    "  \"bindings\": { \"out\": { \"zero\": \"w*h\", \"output\": true } },\n"
    "  \"where\": [\"TILE*TILE*4 <= limits.maxComputeWorkgroupStorageSize\", \"WX*WY >= TILE\"],\n"
    "  \"tune\": { \"WX,WY\": [[8, 8], [32, 1]], \"TILE\": [8, \"w/25\", 65], \"BIAS\": 0.25 } }\n";

static void lists_make_their_product_and_where_filters(void **state) {
    (void)state;
    made m = generate(tiled_job, tiled_kernel, 256, NULL);
    assert_int_equal(m.status, WGT_OK);
    assert_int_equal(m.generator.count, 6);
    const wgt_job_info *info = wgt_job_get_info(m.job);
    assert_int_equal(info->constant_count, 4);
    assert_string_equal(info->constants[2].key.data, "7");
    assert_true(info->constants[1].sizes && !info->constants[2].sizes && !info->constants[3].integer);

    wgt_candidate c = get(&m, 0);
    assert_true(c.constants[0] == 8 && c.constants[1] == 8 && c.constants[2] == 8 && c.constants[3] == 0.25);
    assert_int_equal(c.workgroup_bytes, 256);
    assert_int_equal(c.workgroups[0], 125);
    assert_int_equal(c.workgroups[1], 13);
    c = get(&m, 1);
    assert_true(c.constants[2] == 40);
    assert_int_equal(c.workgroup_bytes, 6400);
    assert_int_equal(c.status, WGT_CANDIDATE_OK);
    c = get(&m, 2);
    assert_int_equal(c.status, WGT_CANDIDATE_SKIPPED);
    assert_string_equal(c.reason, "where \"TILE*TILE*4 <= limits.maxComputeWorkgroupStorageSize\" does not hold");
    c = get(&m, 3);
    assert_int_equal(c.workgroups[0], 32);
    assert_int_equal(c.workgroups[1], 100);
    c = get(&m, 4);
    assert_string_equal(c.reason, "where \"WX*WY >= TILE\" does not hold");
    wgt_job_destroy(&m.job);
}

static void an_axis_that_stays_counts_into_the_multiple(void **state) {
    (void)state;
    static const char kernel[] = "override WX: u32 = 4; override WY: u32 = 4; override WZ: u32 = 4;\n"
                                 "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                                 "@compute @workgroup_size(WX, WY, WZ)\n"
                                 "fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.x; }\n";
    static const char text[] = "{ \"kernel\": \"k.wgsl\", \"threads\": [64, 8, 4], \"tune\": { \"WX\": \"auto\", \"WY\": \"auto\" },\n"
                               "\"bindings\": { \"out\": { \"zero\": 64, \"output\": true } } }";
    made m = generate(text, kernel, 256, NULL);
    assert_int_equal(m.status, WGT_OK);
    assert_true(m.generator.count > 3);
    for (uint32_t i = 0; i < m.generator.count; i++) {
        const wgt_candidate c = get(&m, i);
        assert_int_equal(c.workgroup[2], 4);
        assert_int_equal(c.workgroup[0] * c.workgroup[1] * 4 % 32, 0);
        assert_true(c.workgroup[0] * c.workgroup[1] * 4 <= 256);
    }
    wgt_job_destroy(&m.job);
}

static void several_auto_constants_make_shapes(void **state) {
    (void)state;
    const char *text = with(tiled_job, "\"WX,WY\": [[8, 8], [32, 1]]", "\"WX\": \"auto\", \"WY\": \"auto\"");
    static char own[8192]; /* `with` has one place only */
    assert_true(strlen(text) < sizeof own);
    memcpy(own, text, strlen(text) + 1);
    made m = generate(own, tiled_kernel, 1024, NULL);
    assert_int_equal(m.status, WGT_OK);
    assert_true(m.generator.count > 3 && m.generator.count <= 3 * WGT_DEFAULT_SIZES);
    bool square = false;
    for (uint32_t i = 0; i < m.generator.count; i++) {
        const wgt_candidate c = get(&m, i);
        const uint32_t total = c.workgroup[0] * c.workgroup[1];
        assert_int_equal(total % 32, 0);
        assert_in_range(total, 32, 1024);
        assert_true(c.workgroup[0] >= c.workgroup[1]);
        square = square || (c.workgroup[0] == 16 && c.workgroup[1] == 16);
    }
    assert_true(square);
    wgt_job_destroy(&m.job);

    /* A listed constant of the size: the auto one follows it. */
    m = generate(with(tiled_job, "\"WX,WY\": [[8, 8], [32, 1]]", "\"WX\": \"auto\", \"WY\": [3, 8]"), tiled_kernel, 256, NULL);
    assert_int_equal(m.status, WGT_OK);
    for (uint32_t i = 0; i < m.generator.count; i++) {
        const wgt_candidate c = get(&m, i);
        assert_true(c.workgroup[1] == 3 || c.workgroup[1] == 8);
        assert_int_equal(c.workgroup[0] * c.workgroup[1] % 32, 0);
        assert_true(c.workgroup[0] * c.workgroup[1] <= 256);
    }
    assert_int_equal(m.generator.count, 3 * (2 + 8)); /* 3·32, 3·64; 8·4 to 8·32 */
    wgt_job_destroy(&m.job);

    const uint32_t sizes[] = {6};
    const wgt_candidate_options options = {false, sizes, 1};
    m = generate(own, tiled_kernel, 256, &options);
    assert_int_equal(m.generator.count, 3 * 4); /* 6×1, 3×2, 2×3, 1×6 */
    wgt_job_destroy(&m.job);
}

static void a_square_size_is_found_too(void **state) {
    (void)state;
    static const char kernel[] = "override TILE: u32 = 8;\n"
                                 "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                                 "@compute @workgroup_size(TILE, TILE)\n"
                                 "fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.y; }\n";
    made m = generate("{ \"kernel\": \"k.wgsl\", \"threads\": [64, 64], \"bindings\": { \"out\": { \"zero\": 64 } } }",
                      kernel, 1024, NULL);
    assert_int_equal(m.status, WGT_OK);
    assert_int_equal(m.generator.count, 4);
    static const double tiles[] = {8, 16, 24, 32};
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(get(&m, i).constants[0] == tiles[i]);
    }
    assert_true(wgt_job_get_info(m.job)->unverified);
    wgt_job_destroy(&m.job);
}

static const char folding_kernel[] =
    "override WG_SIZE: u32 = 64;\n"
    "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "@compute @workgroup_size(WG_SIZE)\n"
    "fn main(@builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>,\n"
    "        @builtin(local_invocation_index) l: u32) {\n"
    "  let i = (w.x + w.y * n.x) * WG_SIZE + l;\n"
    "  if (i < arrayLength(&out)) { out[i] = i; }\n"
    "}\n";

static void large_dispatches_fold_near_square(void **state) {
    (void)state;
    static const uint64_t threads[] = {65536, 4194304, 4194305, 65537ull * 64, 100000007, 64ull * 65535 * 65535};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "{ \"kernel\": \"k.wgsl\", \"threads\": [%llu], \"fold\": \"kernel\", \"tune\": { \"WG_SIZE\": [1, 64] }, "
                       "\"bindings\": { \"out\": { \"zero\": 64 } } }",
                       (unsigned long long)threads[i]);
        made m = generate(text, folding_kernel, 256, NULL);
        assert_int_equal(m.status, WGT_OK);
        for (uint32_t k = 0; k < 2; k++) {
            const wgt_candidate c = get(&m, k);
            const uint64_t wanted = (threads[i] + c.workgroup[0] - 1) / c.workgroup[0];
            const uint64_t x = c.workgroups[0], y = c.workgroups[1];
            assert_int_equal(c.status, WGT_CANDIDATE_OK);
            if (wanted > 65535ull * 65535) {
                assert_int_equal(x, wanted); /* left for the check of limits */
                continue;
            }
            assert_true(x <= 65535 && y <= 65535 && x * y >= wanted);
            assert_true(wanted <= 65535 ? y == 1 : (x * y - wanted) * 200 <= wanted && x <= 2 * y + 1);
        }
        wgt_job_destroy(&m.job);
    }
}

static void a_dispatch_in_workgroups_stays_as_it_is(void **state) {
    (void)state;
    made m = generate("{ \"kernel\": \"k.wgsl\", \"workgroups\": [\"4096 / WG_SIZE\", 2], \"tune\": { \"WG_SIZE\": [64, 128] }, "
                      "\"bindings\": { \"out\": { \"zero\": 64 } } }",
                      folding_kernel, 256, NULL);
    assert_int_equal(get(&m, 0).workgroups[0], 64);
    assert_int_equal(get(&m, 1).workgroups[0], 32);
    assert_int_equal(get(&m, 1).workgroups[1], 2);
    /* It reads num_workgroups and may stride by it: a part of the grid may do all the work. */
    assert_false(wgt_job_get_info(m.job)->divisible);
    wgt_job_destroy(&m.job);

    m = generate("{ \"kernel\": \"k.wgsl\", \"threads\": [\"64 - WG_SIZE\"], \"tune\": { \"WG_SIZE\": [32, 64] }, "
                 "\"bindings\": { \"out\": { \"zero\": 64 } } }",
                 folding_kernel, 256, NULL);
    assert_int_equal(get(&m, 0).status, WGT_CANDIDATE_OK);
    assert_int_equal(get(&m, 1).status, WGT_CANDIDATE_SKIPPED);
    assert_string_equal(get(&m, 1).reason, "threads \"64 - WG_SIZE\" is 0, not above 0");
    wgt_job_destroy(&m.job);
}

static void buffers_above_a_limit_end_the_whole(void **state) {
    (void)state;
    made m = generate(with(scatter_job, "\"zero\": \"cells\"", "\"zero\": 33554433"), scatter_kernel, 256, NULL);
    assert_int_equal(m.status, WGT_BAD_INPUT);
    assert_string_equal(m.error.message, "j.job.json:4:13: grid: 134217732 bytes > maxStorageBufferBindingSize 134217728");
    wgt_job_destroy(&m.job);
}

static void no_candidate_is_an_error(void **state) {
    (void)state;
    made m = generate(with(tiled_job, "\"WX,WY\": [[8, 8], [32, 1]]", "\"WX\": \"auto\", \"WY\": 7"), tiled_kernel, 128, NULL);
    assert_int_equal(m.status, WGT_BAD_INPUT);
    assert_string_equal(m.error.message,
                        "j.job.json:1:1: no candidate: no values of the size's constants make a multiple of 32 "
                        "invocations within 128");
    wgt_job_destroy(&m.job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_means_subgroup_multiples),
        cmocka_unit_test(many_sizes_are_thinned_unless_all_are_wanted),
        cmocka_unit_test(sizes_of_the_caller_replace_auto_and_lists),
        cmocka_unit_test(lists_make_their_product_and_where_filters),
        cmocka_unit_test(an_axis_that_stays_counts_into_the_multiple),
        cmocka_unit_test(several_auto_constants_make_shapes),
        cmocka_unit_test(a_square_size_is_found_too),
        cmocka_unit_test(large_dispatches_fold_near_square),
        cmocka_unit_test(a_dispatch_in_workgroups_stays_as_it_is),
        cmocka_unit_test(buffers_above_a_limit_end_the_whole),
        cmocka_unit_test(no_candidate_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
