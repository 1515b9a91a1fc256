#include "helper.h"

static void a_job_is_read(void **state) {
    (void)state;
    wgt_job *job = parsed(scatter_job, scatter_kernel);
    const wgt_job_info *info = wgt_job_get_info(job);
    assert_true(wgt_str_is(info->name, "j"));
    assert_true(wgt_str_is(info->kernel, "k.wgsl"));
    assert_true(wgt_str_is(info->entry, "scatter"));
    assert_int_equal(info->problem_count, 2);
    assert_true(info->problem[1].value == 100);
    assert_int_equal(info->binding_count, 3);
    const wgt_job_binding *grid = binding(job, "grid");
    assert_int_equal(grid->bytes, 400);
    assert_int_equal(grid->binding, 1);
    assert_int_equal(grid->kind, WGT_BIND_STORAGE_READ_WRITE);
    assert_int_equal(grid->reset, WGT_RESET_SAMPLE);
    assert_int_equal(grid->check, WGT_CHECK_SAME);
    assert_true(grid->output && grid->accumulates && !grid->has_reference);
    assert_true(wgt_str_is(grid->element, "u32"));
    assert_int_equal(binding(job, "positions")->bytes, 8000);
    assert_int_equal(binding(job, "extent")->kind, WGT_BIND_UNIFORM);
    assert_int_equal(info->constant_count, 1);
    assert_true(info->constants[0].sizes && info->constants[0].integer);
    assert_true(info->constants[0].default_value == 256);
    assert_string_equal(info->constants[0].key.data, "WG_SIZE");
    assert_true(info->exact && info->batchable && info->divisible && !info->unverified);
    assert_true(wgt_is_nan(info->bytes_moved));
    wgt_job_destroy(&job);
    assert_null(job);
}

static void comments_and_a_missing_tune_are_fine(void **state) {
    (void)state;
    wgt_job *job = parsed(with(scatter_job, "\"tune\": { \"WG_SIZE\": \"auto\" },", "// the size\n"), scatter_kernel);
    assert_int_equal(wgt_job_get_info(job)->constant_count, 1);
    wgt_job_destroy(&job);
}

static void values_of_the_caller_replace_the_files(void **state) {
    (void)state;
    const wgt_named given[] = {{WGT_STR("n"), 3000}, {WGT_STR("WG_SIZE"), 64}};
    const wgt_job_options options = {NULL, given, 2};
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    assert_int_equal(wgt_job_parse(&options, WGT_STR("j"), wgt_str_from(scatter_job), WGT_STR("k"),
                                   wgt_str_from(scatter_kernel), NULL, &job, &error),
                     WGT_OK);
    const wgt_job_info *info = wgt_job_get_info(job);
    assert_true(info->problem[0].value == 3000 && info->problem[1].value == 300);
    assert_int_equal(binding(job, "grid")->bytes, 1200);
    assert_non_null(strstr(info->space.data, "WG_SIZE=64"));
    wgt_job_destroy(&job);

    const wgt_named wrong[] = {{WGT_STR("m"), 1}};
    const wgt_job_options bad = {NULL, wrong, 1};
    assert_int_equal(wgt_job_parse(&bad, WGT_STR("j"), wgt_str_from(scatter_job), WGT_STR("k"),
                                   wgt_str_from(scatter_kernel), NULL, &job, &error),
                     WGT_BAD_INPUT);
    assert_string_equal(error.message, "j: no problem value and no override is called \"m\"");
}

static void mistakes_are_told_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *old, *new_text, *message;
    } rows[] = {
        {"\"threads\":", "\"thread\":",
         "j.job.json:6:3: unknown key \"thread\", allowed: kernel, entry, problem, bindings, threads, workgroups, "
         "bytes, fold, tune, where, check, promote, assume_free; did you mean \"threads\"?"},
        {"\"kernel\": \"k.wgsl\", ", "", "j.job.json:1:1: \"kernel\" is missing: the WGSL file's name"},
        {"\"kernel\": \"k.wgsl\"", "\"kernel\": 3", "j.job.json:1:13: \"kernel\" is a number, not a string"},
        {"\"kernel\": \"k.wgsl\"", "\"kernel\": \"k.wgsl\", \"entry\": \"main\"",
         "j.job.json:1:32: no compute entry \"main\", allowed: scatter"},
        {"\"n/10\"", "\"m/10\"", "j.job.json:1:57: no value is named 'm'"},
        {"\"positions\":", "\"position\":",
         "j.job.json:3:5: the kernel has no variable \"position\"; did you mean \"positions\"?"},
        {", \"seed\": 7", ", \"sede\": 7",
         "j.job.json:3:55: unknown key \"sede\", allowed: random, count, seed, output, reset, min, max; did you "
         "mean \"seed\"?"},
        {"\"uniform\"", "\"unifrom\"",
         "j.job.json:3:30: unknown word \"unifrom\", allowed: uniform, normal, clustered, one-cell; did you mean "
         "\"uniform\"?"},
        {"\"count\": \"n\", ", "", "j.job.json:3:18: \"count\" is missing: how many elements the array has"},
        {"\"zero\": \"cells\"", "\"zero\": true",
         "j.job.json:4:23: how many elements? The array's length is not in its type"},
        {"\"zero\": \"cells\"", "\"zero\": 0.5", "j.job.json:4:23: 0.5 is no whole number from 1 to 1099511627776"},
        {"\"zero\": \"cells\", ", "",
         "j.job.json:4:13: no contents: one of random, zero, values, range, file, fields is wanted"},
        {"\"zero\": \"cells\"", "\"zero\": 4, \"range\": 4",
         "j.job.json:4:26: \"zero\" and \"range\" exclude each other: keep one"},
        {"[0, 0, 1, 1]", "[0, 0, 1]", "j.job.json:5:27: 3 numbers, but an element has 4"},
        {"[0, 0, 1, 1]", "[0, 0, 1, \"n*\"]", "j.job.json:5:40: expected a value, not the end"},
        {"\"reset\": \"sample\"", "\"reset\": \"once\"",
         "j.job.json:4:57: unknown word \"once\", allowed: never, each, sample"},
        {"\"seed\": 7", "\"seed\": 7, \"output\": true",
         "j.job.json:3:76: the kernel cannot write positions, so it is no output"},
        {"[\"n\"]", "[]", "j.job.json:6:14: one to three axes are wanted, not 0"},
        {"[\"n\"]", "[\"m\"]", "j.job.json:6:16: unknown name \"m\"; known: the problem's, the kernel's overrides"},
        {"[\"n\"]", "[\"n\"], \"workgroups\": [1]",
         "j.job.json:6:21: \"threads\" and \"workgroups\" exclude each other: keep one"},
        {"\"WG_SIZE\": \"auto\"", "\"WG_SIZ\": \"auto\"",
         "j.job.json:6:31: the kernel has no override \"WG_SIZ\"; did you mean \"WG_SIZE\"?"},
        {"\"WG_SIZE\": \"auto\"", "\"WG_SIZE\": [64, 2.5]",
         "j.job.json:6:47: WG_SIZE: 2.5 is no whole number from 1 to 2147483647, which a size or an array length "
         "has to be"},
        {"\"WG_SIZE\": \"auto\"", "\"WG_SIZE\": [0]",
         "j.job.json:6:43: WG_SIZE: 0 is no whole number from 1 to 2147483647, which a size or an array length "
         "has to be"},
        {"\"WG_SIZE\": \"auto\"", "\"WG_SIZE\": []",
         "j.job.json:6:42: an empty list: at least one value is wanted"},
        {"\"grid\": \"same\"", "\"grit\": \"same\"",
         "j.job.json:6:63: no binding \"grit\" to check; did you mean \"grid\"?"},
        {"\"grid\": \"same\"", "\"extent\": \"same\"",
         "j.job.json:6:63: the kernel cannot write extent, so there is nothing to check"},
        {"\"grid\": \"same\"", "\"grid\": \"sane\"",
         "j.job.json:6:71: unknown word \"sane\", allowed: none, same, close, sum, set; did you mean \"same\"?"},
        {"\"grid\": \"same\"", "\"grid\": { \"mode\": \"close\", \"rtol\": -1 }",
         "j.job.json:6:98: -1 is below 0: a tolerance is not"},
        {"\"threads\": [\"n\"]", "\"threads\": [\"n\"], \"fold\": \"kernel\"",
         "j.job.json:6:29: entry \"scatter\" does not read num_workgroups, so it cannot linearise a folded "
         "dispatch"},
        {"\"threads\": [\"n\"]", "\"threads\": [\"n\"], \"bytes\": 0",
         "j.job.json:6:30: 0 bytes: a number above 0 is wanted"},
        {"\"threads\": [\"n\"]", "\"threads\": [\"n\"], \"where\": [\"WG_SIZE < limits.max\"]",
         "j.job.json:6:42: unknown name \"limits.max\"; known: the problem's, the kernel's overrides, limits.*"},
        {"\"threads\": [\"n\"]", "\"threads\": [\"n\"], \"steps\": []",
         "j.job.json:6:21: jobs of several passes are not supported: write one job for each pass"},
        {"\"values\": [0, 0, 1, 1]", "\"file\": \"none.f32\"", "j.job.json:5:25: "},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wgt_job *job = NULL;
        wgt_error error = {{0}};
        assert_int_equal(parse(with(scatter_job, rows[i].old, rows[i].new_text), scatter_kernel, &job, &error),
                         WGT_BAD_INPUT);
        if (strncmp(error.message, rows[i].message, strlen(rows[i].message)) != 0) {
            print_error("row %zu\n  got  %s\n  want %s\n", i, error.message, rows[i].message);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void an_undescribed_variable_is_named(void **state) {
    (void)state;
    refused(with(scatter_job, ",\n    \"extent\": { \"values\": [0, 0, 1, 1] } }", " }"), scatter_kernel,
            "j.job.json:2:15: the kernel's variable \"extent\" (k.wgsl:4) is not described under \"bindings\"");
}

static void a_literal_size_becomes_tunable(void **state) {
    (void)state;
    static const char kernel[] = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                                 "@compute @workgroup_size(64)\n"
                                 "fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.x; }\n";
    static const char job_text[] = "{ \"kernel\": \"k.wgsl\", \"bindings\": { \"out\": { \"zero\": 640, \"output\": true } }, "
                                   "\"threads\": [640] }";
    wgt_job *job = parsed(job_text, kernel);
    const wgt_job_info *info = wgt_job_get_info(job);
    assert_int_equal(info->constant_count, 1);
    assert_true(wgt_str_is(info->constants[0].name, "WG_X"));
    assert_true(info->constants[0].default_value == 64);
    /* The hash is of the user's own text. */
    assert_true(wgt_hash_equal(info->hash, wgt_hash_bytes(kernel, sizeof kernel - 1)));
    wgt_job_destroy(&job);
    /* Measured as it is when the job says that nothing varies. */
    job = parsed(with(job_text, "\"threads\"", "\"tune\": {}, \"threads\""), kernel);
    assert_int_equal(wgt_job_get_info(job)->constant_count, 0);
    assert_false(binding(job, "out")->accumulates);
    assert_int_equal(binding(job, "out")->reset, WGT_RESET_NEVER);
    wgt_job_destroy(&job);
}

static void a_locked_size_is_refused_unless_assumed_free(void **state) {
    (void)state;
    static const char kernel[] = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                                 "@compute @workgroup_size(64) fn main(@builtin(workgroup_id) w: vec3<u32>,\n"
                                 "@builtin(local_invocation_index) i: u32) { out[w.x * 64u + i] = 1u; }\n";
    static const char job_text[] = "{ \"kernel\": \"k.wgsl\", \"bindings\": { \"out\": { \"zero\": 640, \"output\": true } }, "
                                   "\"threads\": [640] }";
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    assert_int_equal(parse(job_text, kernel, &job, &error), WGT_BAD_INPUT);
    assert_non_null(strstr(error.message, "k.wgsl:3:54: 64 is the workgroup size too"));
    job = parsed(with(job_text, "\"threads\"", "\"assume_free\": true, \"threads\""), kernel);
    assert_int_equal(wgt_job_get_info(job)->constant_count, 1);
    wgt_job_destroy(&job);
}

static void a_buffer_that_is_read_and_written_is_restored(void **state) {
    (void)state;
    wgt_job *job = parsed(with(scatter_job, ", \"reset\": \"sample\"", ""), scatter_kernel);
    assert_int_equal(binding(job, "grid")->reset, WGT_RESET_EACH);
    assert_false(wgt_job_get_info(job)->batchable);
    wgt_job_destroy(&job);
}

static void the_space_tells_jobs_apart(void **state) {
    (void)state;
    wgt_job *one = parsed(scatter_job, scatter_kernel);
    wgt_job *spaced = parsed(with(scatter_job, "\"WG_SIZE\": \"auto\"", "// free\n \"WG_SIZE\":\"auto\""), scatter_kernel);
    wgt_job *seed = parsed(with(scatter_job, "\"seed\": 7", "\"seed\": 8"), scatter_kernel);
    const wgt_str a = wgt_job_get_info(one)->space, b = wgt_job_get_info(spaced)->space;
    assert_true(wgt_str_starts(a, "WG_SIZE=auto; threads n; grid same; data "));
    assert_true(wgt_str_equal(a, b));
    assert_false(wgt_str_equal(a, wgt_job_get_info(seed)->space));
    wgt_job_destroy(&one);
    wgt_job_destroy(&spaced);
    wgt_job_destroy(&seed);
}

static void broken_kernels_are_refused_with_their_own_place(void **state) {
    (void)state;
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    assert_int_equal(parse(scatter_job, "fn main( {", &job, &error), WGT_BAD_INPUT);
    assert_true(wgt_str_starts(wgt_str_from(error.message), "k.wgsl:1:"));
    assert_int_equal(parse(scatter_job, "fn helper() {}", &job, &error), WGT_BAD_INPUT);
    assert_string_equal(error.message, "k.wgsl: no compute entry point");
}

static void the_kernels_path_is_found_alone(void **state) {
    (void)state;
    char path[16];
    wgt_error error = {{0}};
    assert_int_equal(wgt_job_kernel_path(WGT_STR("j"), wgt_str_from(scatter_job), path, sizeof path, &error), WGT_OK);
    assert_string_equal(path, "k.wgsl");
    assert_int_equal(wgt_job_kernel_path(WGT_STR("j"), WGT_STR("{}"), path, sizeof path, &error), WGT_BAD_INPUT);
    assert_int_equal(wgt_job_kernel_path(WGT_STR("j"), wgt_str_from(scatter_job), path, 6, &error), WGT_BAD_INPUT);
}

/* Every allocation fails once: an error and no leak. */
static void failing_allocations_are_survived(void **state) {
    (void)state;
    counter c = {0, 0};
    const wgt_allocator allocator = {counted, &c};
    const wgt_job_options options = {&allocator, NULL, 0};
    wgt_status status = WGT_NO_MEMORY;
    for (size_t n = 0; n < 1000 && status == WGT_NO_MEMORY; n++) {
        wgt_job *job = NULL;
        wgt_error error = {{0}};
        c.left = n;
        status = wgt_job_parse(&options, WGT_STR("j"), wgt_str_from(scatter_job), WGT_STR("k"),
                               wgt_str_from(scatter_kernel), NULL, &job, &error);
        assert_true(status == WGT_OK || (status == WGT_NO_MEMORY && error.message[0] != '\0'));
        wgt_job_destroy(&job);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(status, WGT_OK);
}

/* Whatever becomes of a job's text, it is read or refused with a place. */
static void damaged_texts_are_survived(void **state) {
    (void)state;
    static const char pieces[] = "\"{}[]:,0-9.eEnulltrue/ \\\n*+()<&|!%x";
    static const char rich[] =
        "{ \"kernel\": \"k.wgsl\", \"entry\": \"scatter\", \"problem\": { \"n\": 100, \"cells\": \"n/10\" },\n"
        "  \"bindings\": {\n"
        "    \"positions\": { \"random\": \"clustered\", \"count\": \"n\", \"clusters\": 4, \"min\": [0, -1], \"max\": 2 },\n"
        "    \"grid\": { \"range\": \"cells\", \"step\": 2, \"output\": true, \"reset\": \"each\" },\n"
        "    \"extent\": { \"file\": \"job/four.f32\", \"type\": \"vec4f\", \"count\": 1 } },\n"
        "  \"threads\": [\"n\", 1], \"bytes\": \"8*n\", \"fold\": \"none\", \"tune\": { \"WG_SIZE\": [64, 128] },\n"
        "  \"where\": [\"WG_SIZE <= limits.maxComputeWorkgroupSizeX\"],\n"
        "  \"check\": { \"grid\": { \"mode\": \"close\", \"rtol\": 1e-3, \"unchanged_ok\": true } } }\n";
    char text[sizeof rich + 1];
    size_t accepted = 0;
    for (uint64_t round = 0; round < 6000; round++) {
        size_t size = sizeof rich - 1;
        memcpy(text, rich, size);
        const uint32_t changes = 1 + wgt_random_below(1, round, 3);
        for (uint64_t c = 0; c < changes; c++) {
            const uint32_t at = wgt_random_below(2, 4 * round + c, (uint32_t)size - 1);
            const uint32_t way = wgt_random_below(3, 4 * round + c, 3);
            if (way == 0) {
                text[at] = pieces[wgt_random_below(4, 4 * round + c, sizeof pieces - 1)];
            } else if (way == 1) {
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
            } else {
                size = round % 16 == 0 ? at + 1 : size; /* cut, now and then */
            }
        }
        wgt_job *job = NULL;
        wgt_error error = {{0}};
        const wgt_status status =
            wgt_job_parse(NULL, WGT_STR("j"), (wgt_str){text, size}, WGT_STR("k"), wgt_str_from(scatter_kernel),
                          getenv("WGTUNE_TEST_DATA"), &job, &error);
        assert_true(status == WGT_OK || (status == WGT_BAD_INPUT && error.message[0] != '\0'));
        accepted += status == WGT_OK ? 1 : 0;
        if (status == WGT_OK && binding(job, "grid")->bytes < 100000) {
            const wgt_limits limits = wgt_limits_portable();
            const wgt_budget budget = wgt_budget_from_limits(&limits, 0, 0);
            wgt_generator generator;
            wgt_candidate c;
            if (wgt_job_generate(job, &limits, &budget, NULL, &generator, &error) == WGT_OK) {
                generator.get(generator.user, generator.count - 1, &c);
            }
            uint32_t words[4];
            assert_int_equal(wgt_job_fill(job, find(job, "extent"), 0, words, sizeof words, &error), WGT_OK);
        }
        wgt_job_destroy(&job);
    }
    assert_in_range(accepted, 300, 5700); /* both ways are walked */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_read),
        cmocka_unit_test(comments_and_a_missing_tune_are_fine),
        cmocka_unit_test(values_of_the_caller_replace_the_files),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(an_undescribed_variable_is_named),
        cmocka_unit_test(a_literal_size_becomes_tunable),
        cmocka_unit_test(a_locked_size_is_refused_unless_assumed_free),
        cmocka_unit_test(a_buffer_that_is_read_and_written_is_restored),
        cmocka_unit_test(the_space_tells_jobs_apart),
        cmocka_unit_test(broken_kernels_are_refused_with_their_own_place),
        cmocka_unit_test(the_kernels_path_is_found_alone),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(damaged_texts_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
