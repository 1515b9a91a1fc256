/* The simulated GPU: what it writes, how long it says that took, how it misbehaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "gpu/fake.h"

#define WORDS 1000
#define SECOND 1000000000u

typedef struct bench {
    wgt_gpu *gpu;
    wgt_gpu_module *module;
    wgt_gpu_buffer *input, *output, *initial;
    wgt_bound_buffer bound[2];
    wgt_error error;
} bench;

static const wgt_binding_layout layout[2] = {
    {.group = 0, .binding = 0, .kind = WGT_BIND_STORAGE_READ},
    {.group = 0, .binding = 1, .kind = WGT_BIND_STORAGE_READ_WRITE},
};

static bench bench_with(const char *truth) {
    bench b = {0};
    wgt_gpu_options options = {.fake = truth};
    uint32_t words[WORDS];
    if (wgt_gpu_open(&options, &b.gpu, &b.error) != WGT_OK)
        fail_msg("%s", b.error.message);
    const wgt_gpu_api *api = b.gpu->api;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    assert_int_equal(api->module_create(b.gpu, "kernel.wgsl", WGT_STR("fn"), &b.module, NULL),
                     WGT_OK);
    wgt_gpu_buffer **buffers[] = {&b.input, &b.output, &b.initial};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(api->buffer_create(b.gpu, sizeof words, false, buffers[i], NULL), WGT_OK);
        assert_int_equal(api->buffer_write(b.gpu, *buffers[i], 0, words, sizeof words, NULL),
                         WGT_OK);
    }
    b.bound[0] = (wgt_bound_buffer){0, 0, b.input};
    b.bound[1] = (wgt_bound_buffer){0, 1, b.output};
    return b;
}

static wgt_status make(bench *b, uint32_t size, wgt_gpu_pipeline **pipeline) {
    uint64_t compile_ns = 0;
    wgt_pipeline_options options = {.module = b->module,
                                    .entry = "main",
                                    .bindings = layout,
                                    .binding_count = 2,
                                    .workgroup = {size, 1, 1}};
    return b->gpu->api->pipeline_create(b->gpu, &options, pipeline, &compile_ns, &b->error);
}

static wgt_status dispatch(bench *b, wgt_gpu_pipeline *pipeline, uint32_t workgroups,
                           uint32_t batch, bool restore, wgt_span *span) {
    wgt_copy copy = {b->initial, b->output, WORDS * sizeof(uint32_t)};
    wgt_dispatch d = {.pipeline = pipeline,
                      .buffers = b->bound,
                      .buffer_count = 2,
                      .workgroups = {workgroups, 1, 1},
                      .batch = batch,
                      .before = &copy,
                      .before_count = restore ? 1 : 0,
                      .timed = true};
    return b->gpu->api->dispatch(b->gpu, &d, SECOND, span, &b->error);
}

/* The output of one dispatch of a size from the initial state. */
static void output_of(bench *b, uint32_t size, uint32_t batch, uint32_t words[WORDS]) {
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    assert_int_equal(make(b, size, &pipeline), WGT_OK);
    assert_int_equal(dispatch(b, pipeline, 10, batch, true, &span), WGT_OK);
    assert_int_equal(b->gpu->api->buffer_read(b->gpu, b->output, 0, words, WORDS * sizeof words[0],
                                              SECOND, NULL),
                     WGT_OK);
    b->gpu->api->pipeline_destroy(b->gpu, &pipeline);
    assert_null(pipeline);
}

static double span_of(bench *b, uint32_t size, uint32_t workgroups, uint32_t batch) {
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    assert_int_equal(make(b, size, &pipeline), WGT_OK);
    assert_int_equal(dispatch(b, pipeline, workgroups, batch, false, &span), WGT_OK);
    b->gpu->api->pipeline_destroy(b->gpu, &pipeline);
    return span.gpu_ns;
}

static void honest_candidates_write_the_same(void **state) {
    (void)state;
    bench b = bench_with("{\"misbehaviour\": {\"128\": \"wrong\", \"256\": \"unchanged\"}}");
    uint32_t first[WORDS], other[WORDS];
    output_of(&b, 32, 1, first);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_not_equal(first[i], i); /* every word changed */
    output_of(&b, 64, 1, other);
    assert_memory_equal(first, other, sizeof first);
    output_of(&b, 128, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    output_of(&b, 256, 1, other);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(other[i], i);
    wgt_gpu_close(&b.gpu);
    assert_null(b.gpu);
}

static void outputs_accumulate_and_depend_on_the_input(void **state) {
    (void)state;
    bench b = bench_with("{}");
    uint32_t once[WORDS], twice[WORDS], batched[WORDS], other[WORDS], word = 77;
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    output_of(&b, 64, 1, once);
    assert_int_equal(make(&b, 64, &pipeline), WGT_OK);
    assert_int_equal(dispatch(&b, pipeline, 10, 1, false, &span), WGT_OK);
    assert_int_equal(b.gpu->api->buffer_read(b.gpu, b.output, 0, twice, sizeof twice, SECOND, NULL),
                     WGT_OK);
    assert_memory_not_equal(once, twice, sizeof once);
    output_of(&b, 64, 2, batched);
    assert_memory_equal(twice, batched, sizeof twice);
    assert_int_equal(b.gpu->api->buffer_write(b.gpu, b.input, 400, &word, 4, NULL), WGT_OK);
    output_of(&b, 64, 1, other);
    assert_memory_not_equal(once, other, sizeof once);
    wgt_gpu_close(&b.gpu);
}

static void times_follow_the_table_and_the_share_of_the_work(void **state) {
    (void)state;
    bench b = bench_with("{\"invocations\": 65536, \"fixed_ns\": 1000,\n"
                         " \"time_ns\": {\"256\": 100000, \"64\": 200000}} // comments pass");
    assert_true(fabs(span_of(&b, 64, 1024, 1) - 201000) < 1e-3);
    assert_true(fabs(span_of(&b, 32, 2048, 1) - 201000) < 1e-3); /* the nearest beyond the end */
    assert_true(fabs(span_of(&b, 160, 512, 1) - (150000 * 1.25 + 1000)) < 1e-3);
    assert_true(fabs(span_of(&b, 64, 16, 1) - (200000.0 / 64 + 1000)) < 1e-3);
    assert_true(fabs(span_of(&b, 256, 256, 7) - 7 * 101000) < 1e-3);
    wgt_gpu_close(&b.gpu);
}

static void waves_have_a_knee_where_slots_stop_binding(void **state) {
    (void)state;
    bench b = bench_with("{\"fixed_ns\": 0, \"waves\": {\"units\": 10, \"slots\": 32,"
                         " \"invocations_per_unit\": 2048, \"wave_ns\": 1000}}");
    double at_32 = span_of(&b, 32, 32768, 1), at_64 = span_of(&b, 64, 16384, 1);
    double at_128 = span_of(&b, 128, 8192, 1);
    assert_true(fabs(at_32 - 103000) < 1e-3); /* 32 of 32 invocations: half of the unit */
    assert_true(fabs(at_64 - 52000) < 1e-3);
    assert_true(fabs(at_128 - 52000) < 1e-3);
    wgt_gpu_close(&b.gpu);
}

static void the_timestamps_step_and_the_self_test_finds_the_step(void **state) {
    (void)state;
    bench b = bench_with("{\"quantum_ns\": 32, \"overhead_ns\": 1234, \"noise_percent\": 1}");
    wgt_clock clock;
    assert_int_equal(wgt_gpu_clock(b.gpu, &clock, NULL), WGT_OK);
    assert_true(clock.timestamps);
    assert_true(fabs(clock.quantum_ns - 32) < 1e-9);
    for (uint32_t i = 1; i < 50; i++) {
        double span = span_of(&b, 64, 10, i);
        assert_true(fabs(fmod(span, 32)) < 1e-9);
    }
    wgt_gpu_close(&b.gpu);
}

static void timestamps_can_be_absent_or_zero(void **state) {
    (void)state;
    static const char *const truths[] = {"{\"timestamps\": \"absent\"}",
                                         "{\"timestamps\": \"zero\"}", "{\"quantum_ns\": 1e9}"};
    for (size_t i = 0; i < 3; i++) {
        bench b = bench_with(truths[i]);
        wgt_clock clock;
        assert_int_equal(b.gpu->api->adapter(b.gpu)->has_timestamps, i != 0);
        assert_true(isnan(span_of(&b, 64, 10, 1)));
        assert_int_equal(wgt_gpu_clock(b.gpu, &clock, NULL), WGT_OK);
        assert_false(clock.timestamps);
        assert_true(clock.note[0] != '\0');
        wgt_gpu_close(&b.gpu);
    }
}

static void noise_is_seeded_and_as_wide_as_told(void **state) {
    (void)state;
    bench a = bench_with(
        "{\"seed\": 5, \"time_ns\": {\"64\": 1e6}, \"fixed_ns\": 0, \"noise_percent\": 2}");
    bench b = bench_with(
        "{\"seed\": 5, \"time_ns\": {\"64\": 1e6}, \"fixed_ns\": 0, \"noise_percent\": 2}");
    double sum = 0, squares = 0;
    for (int i = 0; i < 400; i++) {
        double x = span_of(&a, 64, 10, 1), y = span_of(&b, 64, 10, 1);
        assert_true(x >= y && x <= y);
        sum += x / 1e6;
        squares += (x / 1e6) * (x / 1e6);
    }
    double mean = sum / 400, deviation = sqrt(squares / 400 - mean * mean);
    assert_true(fabs(mean - 1) < 0.005 && deviation > 0.017 && deviation < 0.023);
    wgt_gpu_close(&a.gpu);
    wgt_gpu_close(&b.gpu);
}

static void outliers_and_the_ramp_lengthen_spans(void **state) {
    (void)state;
    bench b = bench_with("{\"time_ns\": {\"64\": 1e6}, \"fixed_ns\": 0,"
                         " \"outliers\": {\"rate\": 0.1, \"times\": 3}}");
    unsigned long_ones = 0;
    for (int i = 0; i < 500; i++)
        long_ones += span_of(&b, 64, 10, 1) > 2e6;
    assert_true(long_ones > 25 && long_ones < 85);
    wgt_gpu_close(&b.gpu);
    b = bench_with(
        "{\"time_ns\": {\"64\": 1e6}, \"fixed_ns\": 0, \"ramp\": {\"times\": 15, \"ns\": 2e7}}");
    assert_true(span_of(&b, 64, 10, 1) > 14e6);
    for (int i = 0; i < 200; i++)
        span_of(&b, 64, 10, 1);
    assert_true(span_of(&b, 64, 10, 1) < 1.01e6);
    wgt_gpu_close(&b.gpu);
}

static void the_virtual_clock_runs_with_the_work(void **state) {
    (void)state;
    bench b = bench_with("{\"time_ns\": {\"64\": 1e6}, \"compile_ns\": 7e6}");
    uint64_t start = wgt_fake_now_ns(b.gpu);
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    assert_int_equal(make(&b, 64, &pipeline), WGT_OK);
    assert_int_equal(wgt_fake_now_ns(b.gpu) - start, 7000000);
    assert_int_equal(dispatch(&b, pipeline, 10, 3, false, &span), WGT_OK);
    assert_true(wgt_fake_now_ns(b.gpu) - start >= 10000000);
    assert_true(span.wall_ns > span.gpu_ns);
    wgt_gpu_close(&b.gpu);
}

static void a_hang_takes_the_deadline_and_the_device_with_it(void **state) {
    (void)state;
    bench b = bench_with("{\"misbehaviour\": {\"64\": \"hang\"}, \"time_ns\": {\"32\": 2e9}}");
    wgt_gpu_pipeline *bad = NULL, *good = NULL, *slow = NULL;
    wgt_span span;
    assert_int_equal(make(&b, 64, &bad), WGT_OK);
    assert_int_equal(make(&b, 128, &good), WGT_OK);
    uint64_t start = wgt_fake_now_ns(b.gpu);
    assert_int_equal(dispatch(&b, bad, 10, 1, false, &span), WGT_NEGATIVE);
    assert_string_equal(b.error.message, "timeout");
    assert_true(wgt_fake_now_ns(b.gpu) - start >= SECOND);
    assert_int_equal(dispatch(&b, good, 10, 1, false, &span), WGT_NEGATIVE);
    wgt_gpu_abandon(&b.gpu);
    assert_null(b.gpu);
    b = bench_with("{\"time_ns\": {\"32\": 2e9}}"); /* honest, but longer than anybody waits */
    assert_int_equal(make(&b, 32, &slow), WGT_OK);
    assert_int_equal(dispatch(&b, slow, 10, 1, false, &span), WGT_NEGATIVE);
    wgt_gpu_abandon(&b.gpu);
}

static void a_workgroup_over_the_limit_is_let_through_and_hangs(void **state) {
    (void)state;
    bench b = bench_with("{}");
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    assert_int_equal(make(&b, 512, &pipeline), WGT_OK); /* 256 are allowed */
    assert_int_equal(dispatch(&b, pipeline, 10, 1, false, &span), WGT_NEGATIVE);
    wgt_gpu_abandon(&b.gpu);
}

static void losses_errors_and_refusals_have_their_status(void **state) {
    (void)state;
    bench b = bench_with(
        "{\"misbehaviour\": {\"32\": \"rejected\", \"64\": \"error\", \"96\": \"lost\"}}");
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_gpu_buffer *buffer = NULL;
    wgt_span span;
    uint32_t word;
    assert_int_equal(make(&b, 32, &pipeline), WGT_BAD_INPUT);
    assert_null(pipeline);
    assert_non_null(strstr(b.error.message, "32×1×1"));
    assert_int_equal(make(&b, 64, &pipeline), WGT_OK);
    assert_int_equal(dispatch(&b, pipeline, 10, 1, false, &span), WGT_INTERNAL);
    assert_int_equal(dispatch(&b, pipeline, 65536, 1, false, &span), WGT_BAD_INPUT);
    assert_int_equal(make(&b, 96, &pipeline), WGT_OK);
    assert_int_equal(dispatch(&b, pipeline, 10, 1, false, &span), WGT_NO_GPU);
    assert_int_equal(make(&b, 128, &pipeline), WGT_NO_GPU);
    assert_int_equal(b.gpu->api->buffer_create(b.gpu, 4, false, &buffer, NULL), WGT_NO_GPU);
    assert_int_equal(b.gpu->api->buffer_read(b.gpu, b.output, 0, &word, 4, 1, NULL), WGT_NO_GPU);
    wgt_gpu_close(&b.gpu);
}

static void ranges_and_bindings_are_validated(void **state) {
    (void)state;
    bench b = bench_with("{}");
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_gpu_buffer *buffer = NULL;
    wgt_span span;
    uint32_t word = 0;
    const wgt_gpu_api *api = b.gpu->api;
    assert_int_equal(api->buffer_read(b.gpu, b.output, 4 * WORDS, &word, 4, 1, NULL),
                     WGT_BAD_INPUT);
    assert_int_equal(api->buffer_read(b.gpu, b.output, UINT64_MAX - 3, &word, 4, 1, NULL),
                     WGT_BAD_INPUT);
    assert_int_equal(api->buffer_write(b.gpu, b.output, 2, &word, 4, NULL), WGT_BAD_INPUT);
    assert_int_equal(api->buffer_create(b.gpu, (uint64_t)1 << 40, false, &buffer, NULL),
                     WGT_BAD_INPUT);
    assert_int_equal(make(&b, 64, &pipeline), WGT_OK);
    b.bound[1].binding = 5;
    assert_int_equal(dispatch(&b, pipeline, 1, 1, false, &span), WGT_BAD_INPUT);
    assert_string_equal(b.error.message, "binding 1 of group 0 has no buffer");
    wgt_gpu_close(&b.gpu);
}

static void adapters_have_the_portable_limits_where_nothing_is_told(void **state) {
    (void)state;
    wgt_gpu_options options = {
        .fake =
            "{\"adapter\": {\"vendor\": \"NVIDIA\", \"device\": \"NVIDIA H200\", \"type\": "
            "\"discrete GPU\","
            " \"subgroup_max\": 32, \"limits\": {\"maxComputeInvocationsPerWorkgroup\": 1024}}}"};
    wgt_adapter adapter;
    size_t count = 0;
    assert_int_equal(wgt_gpu_adapters(&options, &adapter, 1, &count, NULL), WGT_OK);
    assert_int_equal(count, 1);
    assert_string_equal(adapter.device, "NVIDIA H200");
    assert_string_equal(adapter.backend, "fake");
    assert_int_equal(adapter.type, WGT_ADAPTER_DISCRETE);
    assert_int_equal(adapter.limits.max_compute_invocations_per_workgroup, 1024);
    assert_int_equal(adapter.limits.max_compute_workgroup_size_x, 256);
    options.portable_limits = true;
    assert_int_equal(wgt_gpu_adapters(&options, &adapter, 1, &count, NULL), WGT_OK);
    assert_int_equal(adapter.limits.max_compute_invocations_per_workgroup, 256);
}

static void mistakes_in_the_truth_are_told_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *truth, *message;
    } cases[] = {
        {"{\"nois\": 1}", "fake:1:2: there is no key \"nois\""},
        {"{\n \"drift\": {\"percents\": 2}}", "fake:2:12: there is no key \"percents\""},
        {"{\"noise_percent\": -1}", "fake:1:19: noise_percent is a number from 0 to 100"},
        {"{\"misbehaviour\": {\"64\": \"sulk\"}}",
         "fake:1:25: there is no such misbehaviour for \"64\""},
        {"{\"time_ns\": {\"0\": 5}}",
         "fake:1:14: a key here is a number of invocations, not \"0\""},
        {"{\"time_ns\": {\"64\": 0}}", "fake:1:20: a time in ns is needed for \"64\""},
        {"{\"timestamps\": \"odd\"}",
         "fake:1:16: timestamps are \"ok\", \"absent\" or \"zero\", not \"odd\""},
        {"{\"ramp\": 3}", "fake:1:10: an object is needed for \"ramp\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wgt_gpu_options options = {.fake = cases[i].truth};
        wgt_gpu *gpu = NULL;
        wgt_error error;
        assert_int_equal(wgt_gpu_open(&options, &gpu, &error), WGT_BAD_INPUT);
        assert_null(gpu);
        assert_string_equal(error.message, cases[i].message);
    }
}

/* An allocator that fails from a certain call on. */
typedef struct miser {
    int left;
} miser;

static void *stingy(void *user, void *memory, size_t old_size, size_t new_size) {
    miser *m = user;
    (void)old_size;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return m->left-- > 0 ? realloc(memory, new_size) : NULL;
}

static void every_failing_allocation_is_reported(void **state) {
    (void)state;
    for (int allowed = 0;; allowed++) {
        miser m = {allowed};
        wgt_allocator allocator = {stingy, &m};
        wgt_gpu_options options = {.fake = "{\"time_ns\": {\"64\": 5}}", .allocator = &allocator};
        bench b = {0};
        wgt_gpu_pipeline *pipeline = NULL;
        wgt_status status = wgt_gpu_open(&options, &b.gpu, &b.error);
        if (status == WGT_OK)
            status = b.gpu->api->module_create(b.gpu, "k", WGT_STR("fn"), &b.module, &b.error);
        if (status == WGT_OK)
            status = b.gpu->api->buffer_create(b.gpu, 64, false, &b.input, &b.error);
        if (status == WGT_OK)
            status = make(&b, 64, &pipeline);
        wgt_gpu_close(&b.gpu);
        if (status == WGT_OK) {
            assert_true(allowed > 4);
            return;
        }
        assert_int_equal(status, WGT_NO_MEMORY);
        assert_true(b.error.message[0] != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_candidates_write_the_same),
        cmocka_unit_test(outputs_accumulate_and_depend_on_the_input),
        cmocka_unit_test(times_follow_the_table_and_the_share_of_the_work),
        cmocka_unit_test(waves_have_a_knee_where_slots_stop_binding),
        cmocka_unit_test(the_timestamps_step_and_the_self_test_finds_the_step),
        cmocka_unit_test(timestamps_can_be_absent_or_zero),
        cmocka_unit_test(noise_is_seeded_and_as_wide_as_told),
        cmocka_unit_test(outliers_and_the_ramp_lengthen_spans),
        cmocka_unit_test(the_virtual_clock_runs_with_the_work),
        cmocka_unit_test(a_hang_takes_the_deadline_and_the_device_with_it),
        cmocka_unit_test(a_workgroup_over_the_limit_is_let_through_and_hangs),
        cmocka_unit_test(losses_errors_and_refusals_have_their_status),
        cmocka_unit_test(ranges_and_bindings_are_validated),
        cmocka_unit_test(adapters_have_the_portable_limits_where_nothing_is_told),
        cmocka_unit_test(mistakes_in_the_truth_are_told_with_their_place),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
