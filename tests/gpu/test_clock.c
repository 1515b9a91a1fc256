/* The clock's self-test on devices whose clock is known: a function table that does nothing but
 * tell times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "wgtune/gpu.h"

typedef enum fault_kind {
    NONE,
    ZEROS,
    BACKWARDS,
    TOO_FAST,
    STUCK,
    SOME_INVALID,
    TIMEOUT
} fault_kind;

typedef struct mock {
    wgt_gpu base; /* first */
    wgt_adapter adapter;
    double quantum_ns, dispatch_ns;
    double now_ns; /* of the device, unquantised */
    fault_kind fault;
    unsigned dispatches, handles;
    double longest_ns;
} mock;

static mock *mock_of(const wgt_gpu *gpu) {
    return (mock *)(uintptr_t)gpu;
}

static const wgt_adapter *mock_adapter(const wgt_gpu *gpu) {
    return &mock_of(gpu)->adapter;
}

static wgt_status mock_buffer(wgt_gpu *gpu, uint64_t bytes, bool uniform, wgt_gpu_buffer **buffer,
                              wgt_error *error) {
    (void)bytes, (void)uniform, (void)error;
    mock_of(gpu)->handles++;
    *buffer = (wgt_gpu_buffer *)gpu;
    return WGT_OK;
}

static wgt_status mock_module(wgt_gpu *gpu, const char *name, wgt_str code, wgt_gpu_module **module,
                              wgt_error *error) {
    (void)name, (void)code, (void)error;
    mock_of(gpu)->handles++;
    *module = (wgt_gpu_module *)gpu;
    return WGT_OK;
}

static wgt_status mock_pipeline(wgt_gpu *gpu, const wgt_pipeline_options *options,
                                wgt_gpu_pipeline **pipeline, uint64_t *compile_ns,
                                wgt_error *error) {
    (void)options, (void)compile_ns, (void)error;
    mock_of(gpu)->handles++;
    *pipeline = (wgt_gpu_pipeline *)gpu;
    return WGT_OK;
}

static void forget_buffer(wgt_gpu *gpu, wgt_gpu_buffer **buffer) {
    mock_of(gpu)->handles--;
    *buffer = NULL;
}

static void forget_module(wgt_gpu *gpu, wgt_gpu_module **module) {
    mock_of(gpu)->handles--;
    *module = NULL;
}

static void forget_pipeline(wgt_gpu *gpu, wgt_gpu_pipeline **pipeline) {
    mock_of(gpu)->handles--;
    *pipeline = NULL;
}

static double on_grid(const mock *device, double ns) {
    return floor(ns / device->quantum_ns) * device->quantum_ns;
}

static wgt_status mock_dispatch(wgt_gpu *gpu, const wgt_dispatch *dispatch, uint64_t deadline_ns,
                                wgt_span *span, wgt_error *error) {
    (void)deadline_ns, (void)error;
    mock *device = mock_of(gpu);
    double length = 900 + device->dispatch_ns * dispatch->batch;
    device->dispatches++;
    device->longest_ns = length > device->longest_ns ? length : device->longest_ns;
    if (device->fault == TIMEOUT && device->dispatches == 5)
        return WGT_NEGATIVE;
    device->now_ns += 12345.678;
    double start = on_grid(device, device->now_ns);
    device->now_ns += length;
    double ticks = on_grid(device, device->now_ns) - start;
    *span = (wgt_span){NAN, length + 20000};
    if (device->fault == TOO_FAST)
        ticks *= 1000;
    if (device->fault == STUCK)
        ticks = device->quantum_ns;
    bool invalid = device->fault == ZEROS || device->fault == BACKWARDS || ticks <= 0 ||
                   (device->fault == SOME_INVALID && device->dispatches % 7 == 0);
    if (dispatch->timed && device->adapter.has_timestamps && !invalid)
        span->gpu_ns = ticks;
    return WGT_OK;
}

static const wgt_gpu_api mock_api = {
    .adapter = mock_adapter,
    .buffer_create = mock_buffer,
    .buffer_destroy = forget_buffer,
    .module_create = mock_module,
    .module_destroy = forget_module,
    .pipeline_create = mock_pipeline,
    .pipeline_destroy = forget_pipeline,
    .dispatch = mock_dispatch,
};

static mock mock_with(double quantum_ns, double dispatch_ns, fault_kind fault) {
    return (mock){.base = {&mock_api},
                  .adapter = {.has_timestamps = true},
                  .quantum_ns = quantum_ns,
                  .dispatch_ns = dispatch_ns,
                  .fault = fault};
}

static wgt_clock judged(mock *device) {
    wgt_clock clock;
    memset(&clock, 0xA5, sizeof clock);
    assert_int_equal(wgt_gpu_clock(&device->base, &clock, NULL), WGT_OK);
    assert_int_equal(device->handles, 0);
    return clock;
}

static void test_the_quantum_is_found(void **state) {
    (void)state;
    const double quanta[] = {1, 10, 32, 80, 1000, 65536, 100000};
    const double lengths[] = {353.37, 1701.61, 12003.93};
    for (size_t q = 0; q < sizeof quanta / sizeof *quanta; q++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            mock device = mock_with(quanta[q], lengths[l], NONE);
            wgt_clock clock = judged(&device);
            assert_true(clock.timestamps);
            assert_string_equal(clock.note, "");
            assert_true(clock.quantum_ns == quanta[q]);
            /* No engine behind it to tell. */
            assert_true(isnan(clock.period_ns));
            assert_true(device.longest_ns < 50e6);
        }
}

static void test_a_bad_clock_is_replaced_with_the_reason(void **state) {
    (void)state;
    static const struct {
        fault_kind fault;
        const char *words;
    } rows[] = {
        {ZEROS, "zero, equal or backwards"},
        {BACKWARDS, "zero, equal or backwards"},
        {TOO_FAST, "longer by timestamps than by the host's clock"},
        {STUCK, "do not tell a long span from a short one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mock device = mock_with(32, 700, rows[i].fault);
        wgt_clock clock = judged(&device);
        assert_false(clock.timestamps);
        assert_non_null(strstr(clock.note, rows[i].words));
        assert_true(clock.quantum_ns > 0);
        /* Looking for a longer span that resolves has an end. */
        assert_true(device.longest_ns < 50e6);
        assert_true(device.dispatches < 500);
    }
}

static void test_a_few_invalid_pairs_are_no_reason(void **state) {
    (void)state;
    mock device = mock_with(32, 700, SOME_INVALID);
    wgt_clock clock = judged(&device);
    assert_true(clock.timestamps);
    assert_true(clock.quantum_ns == 32);
}

static void test_no_timestamps_are_said(void **state) {
    (void)state;
    mock device = mock_with(32, 700, NONE);
    device.adapter.has_timestamps = false;
    wgt_clock clock = judged(&device);
    assert_false(clock.timestamps);
    assert_string_equal(clock.note, "the device offers no timestamps");
}

static void test_a_timeout_is_passed_on(void **state) {
    (void)state;
    mock device = mock_with(32, 700, TIMEOUT);
    wgt_clock clock;
    assert_int_equal(wgt_gpu_clock(&device.base, &clock, NULL), WGT_NEGATIVE);
    assert_false(clock.timestamps);
    assert_int_equal(device.handles, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_quantum_is_found),
        cmocka_unit_test(test_a_bad_clock_is_replaced_with_the_reason),
        cmocka_unit_test(test_a_few_invalid_pairs_are_no_reason),
        cmocka_unit_test(test_no_timestamps_are_said),
        cmocka_unit_test(test_a_timeout_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
