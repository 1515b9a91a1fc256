/* wgpu-native behind the function table, on CPU drivers: lavapipe, and SwiftShader where it is
 * there. */
#include "engine_fixture.h"
#include <math.h>

static const char scatter_code[] =
    "override WG: u32 = 64;\n"
    "@group(0) @binding(0) var<storage, read> points: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;\n"
    "@group(0) @binding(2) var<uniform> count: vec4<u32>;\n"
    "@compute @workgroup_size(WG)\n"
    "fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "    if (id.x < count.x) { atomicAdd(&bins[points[id.x] >> 24u], 1u); }\n"
    "}\n";

#define POINTS 50000
#define BINS 256

typedef struct scatter {
    wgt_gpu *gpu;
    wgt_gpu_module *module;
    wgt_gpu_buffer *points, *bins, *zeros, *count;
    uint32_t truth[BINS];
} scatter;

static const wgt_binding_layout scatter_layout[] = {
    {0, 0, WGT_BIND_STORAGE_READ, 4},
    {0, 1, WGT_BIND_STORAGE_READ_WRITE, 4 * BINS},
    {0, 2, WGT_BIND_UNIFORM, 16},
};

static scatter scatter_on(wgt_gpu *gpu) {
    scatter s = {.gpu = gpu};
    uint32_t *points = malloc(POINTS * sizeof *points), zeros[BINS] = {0};
    assert_non_null(points);
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i] = (i * 2654435761u) ^ (i << 13);
        s.truth[points[i] >> 24]++;
    }
    s.points = new_buffer(gpu, points, POINTS * sizeof *points);
    s.bins = new_buffer(gpu, NULL, sizeof s.truth);
    s.zeros = new_buffer(gpu, zeros, sizeof zeros);
    free(points);
    uint32_t count[4] = {POINTS};
    assert_ok(gpu->api->buffer_create(gpu, sizeof count, true, &s.count, error));
    assert_ok(gpu->api->buffer_write(gpu, s.count, 0, count, sizeof count, error));
    s.module = new_module(gpu, scatter_code);
    return s;
}

static wgt_pipeline_options scatter_options(const scatter *s, const wgt_constant *size) {
    return (wgt_pipeline_options){.module = s->module,
                                  .entry = "scatter",
                                  .constants = size,
                                  .constant_count = 1,
                                  .bindings = scatter_layout,
                                  .binding_count = 3,
                                  .workgroup = {(uint32_t)size->value, 1, 1}};
}

static void scatter_checked(scatter *s, uint32_t size, uint32_t batch, wgt_span *span) {
    const wgt_gpu_api *api = s->gpu->api;
    wgt_constant constant = {"WG", size};
    wgt_pipeline_options options = scatter_options(s, &constant);
    wgt_gpu_pipeline *pipeline = NULL;
    uint64_t compile_ns = 0;
    assert_ok(api->pipeline_create(s->gpu, &options, &pipeline, &compile_ns, error));
    assert_true(compile_ns > 0);
    wgt_bound_buffer bound[] = {{0, 0, s->points}, {0, 1, s->bins}, {0, 2, s->count}};
    wgt_copy restore = {s->zeros, s->bins, sizeof s->truth};
    wgt_dispatch dispatch = {.pipeline = pipeline,
                             .buffers = bound,
                             .buffer_count = 3,
                             .workgroups = {(POINTS + size - 1) / size, 1, 1},
                             .batch = batch,
                             .before = &restore,
                             .before_count = 1,
                             .timed = true};
    /* Twice: the restore in front of the second undoes the first. */
    for (int i = 0; i < 2; i++)
        assert_ok(api->dispatch(s->gpu, &dispatch, DEADLINE_NS, span, error));
    uint32_t bins[BINS];
    assert_ok(api->buffer_read(s->gpu, s->bins, 0, bins, sizeof bins, DEADLINE_NS, error));
    for (size_t i = 0; i < BINS; i++)
        assert_int_equal(bins[i], batch * s->truth[i]);
    api->pipeline_destroy(s->gpu, &pipeline);
    assert_null(pipeline);
}

static void test_every_size_scatters_right(void **state) {
    (void)state;
    scatter s = scatter_on(open_adapter("llvmpipe"));
    const uint32_t sizes[] = {1, 7, 32, 64, 100, 256};
    wgt_span span;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        scatter_checked(&s, sizes[i], 1, &span);
    scatter_checked(&s, 64, 3, &span);
    wgt_gpu_close(&s.gpu);
    assert_null(s.gpu);
}

static void test_spans_are_timed_as_asked(void **state) {
    (void)state;
    scatter s = scatter_on(open_adapter("llvmpipe"));
    wgt_span span = {0, 0};
    scatter_checked(&s, 64, 2, &span);
    assert_true(s.gpu->api->adapter(s.gpu)->has_timestamps);
    assert_true(isfinite(span.gpu_ns) && span.gpu_ns > 0);
    assert_true(isfinite(span.wall_ns) && span.wall_ns > 0);

    wgt_constant constant = {"WG", 64};
    wgt_pipeline_options options = scatter_options(&s, &constant);
    wgt_gpu_pipeline *pipeline = NULL;
    assert_ok(s.gpu->api->pipeline_create(s.gpu, &options, &pipeline, NULL, error));
    wgt_bound_buffer bound[] = {{0, 2, s.count}, {0, 1, s.bins}, {0, 0, s.points}};
    wgt_dispatch untimed = {.pipeline = pipeline,
                            .buffers = bound,
                            .buffer_count = 3,
                            .workgroups = {1, 1, 1},
                            .batch = 1};
    assert_ok(s.gpu->api->dispatch(s.gpu, &untimed, DEADLINE_NS, &span, error));
    assert_true(isnan(span.gpu_ns));
    assert_true(span.wall_ns > 0);
    wgt_gpu_close(&s.gpu);
}

static void test_dispatches_are_checked(void **state) {
    (void)state;
    scatter s = scatter_on(open_adapter("llvmpipe"));
    const wgt_gpu_api *api = s.gpu->api;
    wgt_constant constant = {"WG", 64};
    wgt_pipeline_options options = scatter_options(&s, &constant);
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_span span;
    assert_ok(api->pipeline_create(s.gpu, &options, &pipeline, NULL, error));
    wgt_bound_buffer bound[] = {{0, 0, s.points}, {0, 1, s.bins}, {0, 2, s.count}};
    const wgt_dispatch good = {.pipeline = pipeline,
                               .buffers = bound,
                               .buffer_count = 3,
                               .workgroups = {1, 1, 1},
                               .batch = 1};
    wgt_dispatch off = good;
    off.workgroups[1] = 0;
    assert_refused(api->dispatch(s.gpu, &off, DEADLINE_NS, &span, error), WGT_USAGE,
                   "1x0x1 workgroups");
    off = good;
    off.workgroups[0] = 65536;
    assert_refused(api->dispatch(s.gpu, &off, DEADLINE_NS, &span, error), WGT_BAD_INPUT,
                   "65536 workgroups > maxComputeWorkgroupsPerDimension 65535");
    off = good;
    off.batch = 0;
    assert_refused(api->dispatch(s.gpu, &off, DEADLINE_NS, &span, error), WGT_USAGE, "batch");
    off = good;
    off.buffer_count = 2;
    assert_refused(api->dispatch(s.gpu, &off, DEADLINE_NS, &span, error), WGT_USAGE,
                   "no buffer for @group(0) @binding(2)");
    /* The engine's own validation: too small for the binding, and a uniform in a storage binding.
     */
    wgt_gpu_buffer *small = new_buffer(s.gpu, NULL, 16);
    bound[1].buffer = small;
    assert_refused(api->dispatch(s.gpu, &good, DEADLINE_NS, &span, error), WGT_BAD_INPUT,
                   "binding the buffers: ");
    bound[1].buffer = s.count;
    assert_refused(api->dispatch(s.gpu, &good, DEADLINE_NS, &span, error), WGT_BAD_INPUT,
                   "binding the buffers: ");
    bound[1].buffer = s.bins;
    assert_ok(api->dispatch(s.gpu, &good, DEADLINE_NS, &span, error));
    /* A buffer of the same address as a destroyed one is another buffer. */
    api->buffer_destroy(s.gpu, &s.bins);
    assert_null(s.bins);
    s.bins = bound[1].buffer = new_buffer(s.gpu, NULL, sizeof s.truth);
    assert_ok(api->dispatch(s.gpu, &good, DEADLINE_NS, &span, error));
    wgt_gpu_close(&s.gpu);
}

static void test_groups_may_have_gaps(void **state) {
    (void)state;
    static const char code[] =
        "@group(0) @binding(7) var<storage, read_write> low: array<u32>;\n"
        "@group(3) @binding(1) var<storage, read_write> high: array<u32>;\n"
        "@compute @workgroup_size(2, 2) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "    low[i] = i; high[i] = 100u + i;\n"
        "}\n";
    wgt_gpu *gpu = open_adapter("llvmpipe");
    wgt_gpu_module *module = new_module(gpu, code);
    wgt_gpu_buffer *low = new_buffer(gpu, NULL, 16), *high = new_buffer(gpu, NULL, 16);
    wgt_binding_layout layout[] = {{3, 1, WGT_BIND_STORAGE_READ_WRITE, 0},
                                   {0, 7, WGT_BIND_STORAGE_READ_WRITE, 0}};
    wgt_pipeline_options options = {.module = module,
                                    .entry = "main",
                                    .bindings = layout,
                                    .binding_count = 2,
                                    .workgroup = {2, 2, 1}};
    wgt_gpu_pipeline *pipeline = NULL;
    assert_ok(gpu->api->pipeline_create(gpu, &options, &pipeline, NULL, error));
    wgt_bound_buffer bound[] = {{0, 7, low}, {3, 1, high}};
    wgt_dispatch dispatch = {.pipeline = pipeline,
                             .buffers = bound,
                             .buffer_count = 2,
                             .workgroups = {1, 1, 1},
                             .batch = 1};
    wgt_span span;
    uint32_t got[4];
    assert_ok(gpu->api->dispatch(gpu, &dispatch, DEADLINE_NS, &span, error));
    assert_ok(gpu->api->buffer_read(gpu, high, 0, got, sizeof got, DEADLINE_NS, error));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(got[i], 100 + i);
    wgt_gpu_close(&gpu);
}

static void test_modules_tell_where_they_are_wrong(void **state) {
    (void)state;
    static const struct {
        const char *code, *words;
    } rows[] = {
        {"@compute @workgroup_size(1)\nfn main() {\n    let x: u32 = nothing;\n}\n",
         "test.wgsl:3:18: no definition in scope for identifier: `nothing`"},
        {"fn main( {\n}\n", "test.wgsl:1:10: expected identifier"},
        {"@compute @workgroup_size(0) fn main() {}\n", "test.wgsl: "},
        {"@compute @workgroup_size(1) fn main() { var a: array<u32, 4>; let z = a[9]; }\n",
         "test.wgsl:1:71: "},
        {"// \xff\n", "test.wgsl: the text is not UTF-8"},
        {"// \xe2\x82", "test.wgsl: the text is not UTF-8"},
        {"// \xed\xa0\x80", "test.wgsl: the text is not UTF-8"},
    };
    wgt_gpu *gpu = open_adapter("llvmpipe");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wgt_gpu_module *module = NULL;
        wgt_str text = {rows[i].code, strlen(rows[i].code)};
        assert_refused(gpu->api->module_create(gpu, "test.wgsl", text, &module, error),
                       WGT_BAD_INPUT, rows[i].words);
        assert_null(module);
    }
    wgt_gpu_module *module = new_module(gpu, "// \xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb2\n");
    gpu->api->module_destroy(gpu, &module);
    assert_null(module);
    wgt_gpu_close(&gpu);
}

static void test_pipelines_are_checked(void **state) {
    (void)state;
    scatter s = scatter_on(open_adapter("llvmpipe"));
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_constant constant = {"WG", 64};
    const wgt_pipeline_options good = scatter_options(&s, &constant);
#define REFUSED(status, words)                                                                     \
    assert_refused(s.gpu->api->pipeline_create(s.gpu, &off, &pipeline, NULL, error), status, words)
    wgt_pipeline_options off = good;
    off.entry = "gather";
    REFUSED(WGT_BAD_INPUT, "gather");
    off = good;
    constant.key = "NOT_THERE";
    REFUSED(WGT_BAD_INPUT, "NOT_THERE");
    constant = (wgt_constant){"WG", (double)NAN};
    REFUSED(WGT_BAD_INPUT, "constant 0");
    constant.value = -1;
    REFUSED(WGT_BAD_INPUT, "test.wgsl: ");
    constant.value = 2048;
    off.workgroup[0] = 2048;
    REFUSED(WGT_BAD_INPUT, "2048 > maxComputeWorkgroupSizeX 1024");
    off.workgroup[0] = 64;
    off.workgroup[1] = 32;
    REFUSED(WGT_BAD_INPUT, "64x32x1 invocations > maxComputeInvocationsPerWorkgroup 1024");
    off.workgroup[1] = 0;
    REFUSED(WGT_USAGE, "64x0x1");
    constant.value = 64;
    off = good;
    off.binding_count = 2;
    REFUSED(WGT_BAD_INPUT, "Binding is missing");
    wgt_binding_layout far = {1000, 0, WGT_BIND_UNIFORM, 0};
    off.bindings = &far;
    off.binding_count = 1;
    REFUSED(WGT_BAD_INPUT, "@group(1000)");
#undef REFUSED
    assert_null(pipeline);
    assert_ok(s.gpu->api->pipeline_create(s.gpu, &good, &pipeline, NULL, error));
    wgt_gpu_close(&s.gpu);
}

static void test_buffers_over_a_limit_are_refused(void **state) {
    (void)state;
    wgt_gpu *gpu = open_adapter("llvmpipe");
    wgt_limits limits = gpu->api->adapter(gpu)->limits;
    wgt_gpu_buffer *buffer = NULL;
    char words[128];
    snprintf(words, sizeof words, "a buffer of %llu bytes > maxStorageBufferBindingSize %llu",
             (unsigned long long)limits.max_storage_buffer_binding_size + 4,
             (unsigned long long)limits.max_storage_buffer_binding_size);
    assert_refused(gpu->api->buffer_create(gpu, limits.max_storage_buffer_binding_size + 4, false,
                                           &buffer, error),
                   WGT_BAD_INPUT, words);
    assert_refused(gpu->api->buffer_create(gpu, UINT64_MAX, false, &buffer, error), WGT_BAD_INPUT,
                   "18446744073709551615 bytes > maxBufferSize");
    assert_refused(gpu->api->buffer_create(gpu, limits.max_uniform_buffer_binding_size + 16, true,
                                           &buffer, error),
                   WGT_BAD_INPUT, "maxUniformBufferBindingSize");
    assert_refused(gpu->api->buffer_create(gpu, 0, false, &buffer, error), WGT_USAGE, "0 bytes");
    assert_null(buffer);
    wgt_gpu_close(&gpu);
}

static void test_large_buffers_come_back(void **state) {
    (void)state;
    /* More than a piece of a read, and of a write. */
    const size_t words = ((size_t)70 << 20) / 4 + 3;
    wgt_gpu *gpu = open_adapter("llvmpipe");
    const wgt_gpu_api *api = gpu->api;
    uint32_t *data = malloc(2 * words * sizeof *data), *back = data + words;
    assert_non_null(data);
    for (size_t i = 0; i < words; i++)
        data[i] = (uint32_t)i * 2246822519u;
    wgt_gpu_buffer *from = new_buffer(gpu, data, words * sizeof *data);
    wgt_gpu_buffer *to = new_buffer(gpu, NULL, words * sizeof *data);
    wgt_copy copy = {from, to, words * sizeof *data};
    assert_ok(api->copy(gpu, &copy, 1, DEADLINE_NS, error));
    assert_ok(api->buffer_read(gpu, to, 0, back, words * sizeof *data, DEADLINE_NS, error));
    assert_memory_equal(back, data, words * sizeof *data);
    assert_ok(api->buffer_read(gpu, to, 4 * (words - 5), back, 20, DEADLINE_NS, error));
    assert_memory_equal(back, data + words - 5, 20);
    free(data);
    wgt_gpu_close(&gpu);
}

static void test_transfers_are_checked(void **state) {
    (void)state;
    wgt_gpu *gpu = open_adapter("llvmpipe");
    const wgt_gpu_api *api = gpu->api;
    unsigned char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, back[12];
    wgt_gpu_buffer *buffer = new_buffer(gpu, bytes, 10), *other = new_buffer(gpu, NULL, 8);
    assert_ok(api->buffer_read(gpu, buffer, 0, back, 12, DEADLINE_NS, error));
    assert_memory_equal(back, bytes, 12);
    assert_ok(api->buffer_write(gpu, buffer, 8, "xy", 2, error));
    assert_ok(api->buffer_read(gpu, buffer, 8, back, 4, DEADLINE_NS, error));
    assert_memory_equal(back, "xy\0\0", 4);
    assert_refused(api->buffer_write(gpu, buffer, 4, "xy", 2, error), WGT_USAGE, "multiples of 4");
    assert_refused(api->buffer_write(gpu, buffer, 2, "wxyz", 4, error), WGT_USAGE,
                   "multiples of 4");
    assert_refused(api->buffer_write(gpu, buffer, 12, "wxyz", 4, error), WGT_USAGE, "cannot write");
    assert_refused(api->buffer_read(gpu, buffer, 2, back, 4, DEADLINE_NS, error), WGT_USAGE,
                   "read");
    assert_refused(api->buffer_read(gpu, buffer, 8, back, 8, DEADLINE_NS, error), WGT_USAGE,
                   "read");
    wgt_copy copies[] = {{buffer, other, 12}, {buffer, buffer, 4}};
    assert_refused(api->copy(gpu, copies, 1, DEADLINE_NS, error), WGT_USAGE, "cannot copy 12");
    assert_refused(api->copy(gpu, copies + 1, 1, DEADLINE_NS, error), WGT_USAGE, "itself");
    wgt_gpu_close(&gpu);
}

static void test_adapters_are_listed_best_first(void **state) {
    (void)state;
    wgt_adapter adapters[8];
    size_t count = 0, lavapipes = 0;
    assert_ok(wgt_gpu_adapters(NULL, adapters, 8, &count, error));
    assert_in_range(count, 1, 8);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(adapters[i].engine, "wgpu-native");
        assert_memory_equal(adapters[i].engine_version, "29.", 3);
        assert_true(adapters[i].limits.max_compute_invocations_per_workgroup >= 128);
        lavapipes += strstr(adapters[i].device, "llvmpipe") != NULL;
        if (strstr(adapters[i].device, "llvmpipe")) {
            assert_string_equal(adapters[i].backend, "vulkan");
            assert_int_equal(adapters[i].type, WGT_ADAPTER_CPU);
            assert_non_null(strstr(adapters[i].driver, "Mesa"));
        }
    }
    /* OpenGL offers it too. */
    assert_int_equal(lavapipes, 1);
    size_t again = 0;
    assert_ok(wgt_gpu_adapters(NULL, NULL, 0, &again, error));
    assert_int_equal(again, count);
    wgt_gpu *gpu = open_adapter(NULL);
    assert_string_equal(gpu->api->adapter(gpu)->device, adapters[0].device);
    wgt_gpu_close(&gpu);
}

static void test_an_adapter_is_chosen_by_name_or_index(void **state) {
    (void)state;
    wgt_adapter adapters[8];
    size_t count = 0;
    assert_ok(wgt_gpu_adapters(NULL, adapters, 8, &count, error));
    for (size_t i = 0; i < count; i++) {
        char index[8];
        snprintf(index, sizeof index, "%u", (unsigned)i);
        wgt_gpu *gpu = open_adapter(index);
        assert_string_equal(gpu->api->adapter(gpu)->device, adapters[i].device);
        wgt_gpu_close(&gpu);
    }
    wgt_gpu *gpu = open_adapter("LLVMPIPE");
    const wgt_adapter *adapter = gpu->api->adapter(gpu);
    assert_non_null(strstr(adapter->device, "llvmpipe"));
    assert_in_range(adapter->subgroup_max, 4, 16);
    assert_int_equal(adapter->subgroup_min, adapter->subgroup_max);
    wgt_gpu_close(&gpu);
    wgt_gpu_options options = {.adapter = "GeForce 256"};
    assert_refused(wgt_gpu_open(&options, &gpu, error), WGT_NO_GPU, "no adapter \"GeForce 256\"");
    assert_refused(wgt_gpu_open(&options, &gpu, error), WGT_NO_GPU, "llvmpipe");
    options.adapter = "99";
    assert_refused(wgt_gpu_open(&options, &gpu, error), WGT_NO_GPU, "no adapter \"99\"");
    assert_null(gpu);
}

static void test_portable_limits_are_webgpus(void **state) {
    (void)state;
    wgt_gpu *gpu = NULL;
    wgt_gpu_options options = {.adapter = "llvmpipe", .portable_limits = true};
    assert_ok(wgt_gpu_open(&options, &gpu, error));
    const wgt_limits *limits = &gpu->api->adapter(gpu)->limits;
    assert_int_equal(limits->max_compute_invocations_per_workgroup, 256);
    assert_int_equal(limits->max_compute_workgroup_storage_size, 16384);
    assert_int_equal(limits->max_storage_buffer_binding_size, 134217728);
    assert_int_equal(limits->max_buffer_size, 268435456);
    wgt_gpu_close(&gpu);
    gpu = open_adapter("llvmpipe");
    limits = &gpu->api->adapter(gpu)->limits;
    assert_int_equal(limits->max_compute_invocations_per_workgroup, 1024);
    wgt_gpu_close(&gpu);
}

static void test_a_device_opens_again_and_beside_another(void **state) {
    (void)state;
    wgt_gpu *first = open_adapter("llvmpipe");
    wgt_gpu_close(&first);
    first = open_adapter("llvmpipe");
    wgt_gpu *second = open_adapter(has_adapter("SwiftShader") ? "SwiftShader" : "llvmpipe");
    wgt_span span;
    scatter a = scatter_on(first), b = scatter_on(second);
    scatter_checked(&a, 64, 1, &span);
    scatter_checked(&b, 128, 1, &span);
    scatter_checked(&a, 32, 1, &span);
    wgt_gpu_close(&first);
    scatter_checked(&b, 64, 2, &span);
    wgt_gpu_close(&second);
    wgt_gpu_close(&second);
}

static void test_the_clock_is_judged(void **state) {
    (void)state;
    wgt_gpu *gpu = open_adapter("llvmpipe");
    wgt_clock clock = {0};
    assert_ok(wgt_gpu_clock(gpu, &clock, error));
    assert_true(clock.quantum_ns > 0);
    assert_true(clock.period_ns > 0);
    assert_int_equal(clock.timestamps, clock.note[0] == '\0');
    wgt_gpu_close(&gpu);
}

static void test_a_missing_library_is_named(void **state) {
    (void)state;
    wgt_gpu *gpu = NULL;
    size_t count = 7;
    const char *set = getenv("WGTUNE_WGPU_LIB");
    char *before = set ? strdup(set) : NULL;
    setenv("WGTUNE_WGPU_LIB", "/nonexistent", 1);
    assert_refused(wgt_gpu_open(NULL, &gpu, error), WGT_NO_GPU, "/nonexistent");
    assert_refused(wgt_gpu_adapters(NULL, NULL, 0, &count, error), WGT_NO_GPU, "/nonexistent");
    assert_int_equal(count, 0);
    assert_null(gpu);
    if (before)
        setenv("WGTUNE_WGPU_LIB", before, 1);
    else
        unsetenv("WGTUNE_WGPU_LIB");
    free(before);
    wgt_gpu_options options = {.library = "libm.so.6"};
    assert_refused(wgt_gpu_open(&options, &gpu, error), WGT_NO_GPU,
                   "libm.so.6 is not the wgpu-native that is needed");
}

/* An allocator that counts, and fails from the `left`-th allocation on. */
typedef struct rationed {
    size_t left, live;
} rationed;

static void *rationed_resize(void *user, void *memory, size_t old_size, size_t new_size) {
    rationed *ration = user;
    (void)old_size;
    if (new_size == 0) {
        ration->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (ration->left == 0)
        return NULL;
    ration->left--;
    ration->live += memory == NULL;
    return realloc(memory, new_size);
}

static void test_memory_may_run_out_anywhere(void **state) {
    (void)state;
    wgt_status status = WGT_NO_MEMORY;
    size_t most = 0;
    for (; status == WGT_NO_MEMORY && most < 20; most++) {
        rationed ration = {.left = most};
        wgt_allocator allocator = {rationed_resize, &ration};
        wgt_gpu_options options = {.adapter = "llvmpipe", .allocator = &allocator};
        wgt_gpu *gpu = NULL;
        status = wgt_gpu_open(&options, &gpu, NULL);
        wgt_gpu_buffer *buffer = NULL;
        if (status == WGT_OK)
            status = gpu->api->buffer_create(gpu, 16, false, &buffer, NULL);
        wgt_gpu_close(&gpu);
        assert_int_equal(ration.live, 0);
    }
    assert_int_equal(status, WGT_OK);
    assert_true(most > 2);
}

int main(void) {
    use_cpu_drivers();
    if (!has_adapter("llvmpipe"))
        return skipped("no lavapipe (mesa-vulkan-drivers on Debian and Ubuntu), or no engine");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapters_are_listed_best_first),
        cmocka_unit_test(test_an_adapter_is_chosen_by_name_or_index),
        cmocka_unit_test(test_portable_limits_are_webgpus),
        cmocka_unit_test(test_every_size_scatters_right),
        cmocka_unit_test(test_spans_are_timed_as_asked),
        cmocka_unit_test(test_dispatches_are_checked),
        cmocka_unit_test(test_groups_may_have_gaps),
        cmocka_unit_test(test_modules_tell_where_they_are_wrong),
        cmocka_unit_test(test_pipelines_are_checked),
        cmocka_unit_test(test_buffers_over_a_limit_are_refused),
        cmocka_unit_test(test_large_buffers_come_back),
        cmocka_unit_test(test_transfers_are_checked),
        cmocka_unit_test(test_a_device_opens_again_and_beside_another),
        cmocka_unit_test(test_the_clock_is_judged),
        cmocka_unit_test(test_a_missing_library_is_named),
        cmocka_unit_test(test_memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
