/* A kernel that never ends, on SwiftShader (lavapipe ends every loop by itself). In a process of
 * its own that is killed if need be: this is what the timeouts are for. */
#include "child_fixture.h"
#include <math.h>

#define DEVICE "SwiftShader"

static const char endless_code[] =
    "@group(0) @binding(0) var<storage, read_write> cells: array<atomic<u32>, 4>;\n"
    "@compute @workgroup_size(1)\n"
    "fn main() {\n"
    "    loop {\n"
    "        if (atomicLoad(&cells[0]) == 77u) { break; }\n"
    "        atomicAdd(&cells[1], 1u);\n"
    "    }\n"
    "}\n";

/* In the child: 0, or the number of what was not as it must be. */
static void hang_and_give_up(bool close_it) {
    wgt_gpu *gpu = NULL;
    wgt_gpu_options options = {.adapter = DEVICE};
    EXPECT(10, wgt_gpu_open(&options, &gpu, NULL) == WGT_OK);
    const wgt_gpu_api *api = gpu->api;
    wgt_gpu_module *module = NULL;
    wgt_gpu_buffer *buffer = NULL, *other = NULL;
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_binding_layout layout = {.kind = WGT_BIND_STORAGE_READ_WRITE};
    wgt_str code = {endless_code, sizeof endless_code - 1};
    EXPECT(11, api->module_create(gpu, "endless", code, &module, NULL) == WGT_OK);
    EXPECT(12, api->buffer_create(gpu, 16, false, &buffer, NULL) == WGT_OK);
    EXPECT(13, api->buffer_create(gpu, 16, false, &other, NULL) == WGT_OK);
    wgt_pipeline_options wanted = {.module = module,
                                   .entry = "main",
                                   .bindings = &layout,
                                   .binding_count = 1,
                                   .workgroup = {1, 1, 1}};
    EXPECT(14, api->pipeline_create(gpu, &wanted, &pipeline, NULL, NULL) == WGT_OK);
    wgt_bound_buffer bound = {.buffer = buffer};
    wgt_dispatch dispatch = {.pipeline = pipeline,
                             .buffers = &bound,
                             .buffer_count = 1,
                             .workgroups = {1, 1, 1},
                             .batch = 1,
                             .timed = true};
    wgt_span span;
    wgt_error error = {""};
    EXPECT(15, api->dispatch(gpu, &dispatch, SECOND_NS / 5, &span, &error) == WGT_NEGATIVE);
    EXPECT(16, strcmp(error.message, "timeout") == 0);
    EXPECT(17, isnan(span.gpu_ns) && isnan(span.wall_ns));
    /* From here on everything refuses at once, and nothing waits. */
    EXPECT(18, api->dispatch(gpu, &dispatch, DEADLINE_NS, &span, &error) == WGT_NO_GPU);
    EXPECT(19, strstr(error.message, "abandoned") != NULL);
    EXPECT(20, api->buffer_read(gpu, buffer, 0, &span, 16, DEADLINE_NS, NULL) == WGT_NO_GPU);
    EXPECT(21, api->buffer_write(gpu, buffer, 0, &span, 16, NULL) == WGT_NO_GPU);
    api->buffer_destroy(gpu, &other);
    api->pipeline_destroy(gpu, &pipeline);
    if (close_it)
        wgt_gpu_close(&gpu);
    else
        wgt_gpu_abandon(&gpu);
    EXPECT(22, gpu == NULL);
    /* A device of another adapter still works beside the one that hangs. */
    options.adapter = "llvmpipe";
    if (has_adapter("llvmpipe")) {
        EXPECT(23, wgt_gpu_open(&options, &gpu, NULL) == WGT_OK);
        wgt_gpu_close(&gpu);
    }
    _exit(0);
}

static void test_a_hanging_device_is_abandoned(void **state) {
    (void)state;
    assert_int_equal(run_child("abandon"), 0);
}

static void test_closing_a_hanging_device_does_not_wait(void **state) {
    (void)state;
    assert_int_equal(run_child("close"), 0);
}

int main(int argc, char **argv) {
    use_cpu_drivers();
    if (argc > 1)
        hang_and_give_up(strcmp(argv[1], "close") == 0);
    if (!has_adapter(DEVICE))
        return skipped("no SwiftShader (chromium on Debian), or no engine");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hanging_device_is_abandoned),
        cmocka_unit_test(test_closing_a_hanging_device_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
