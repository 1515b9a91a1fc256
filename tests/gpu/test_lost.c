/* A device that is lost, on lavapipe under a layer that loses it: wgpu-native aborts the process
 * when a lost device is polled, submitted to or released, and must be kept from it. */
#include "child_fixture.h"
#include <dlfcn.h>
#include <pthread.h>

/* WGT_TEST_LAYER (the library) and WGT_TEST_LAYER_FOLDER (with its manifest) come from the build.
 */
#define LAYER_NAME "VK_LAYER_WGTUNE_TEST_lost"

static void (*lose)(int), (*starve)(int);

static const char slow_code[] =
    "@group(0) @binding(0) var<storage, read_write> cells: array<u32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "    var x = id.x;\n"
    "    for (var i = 0u; i < 30000u; i++) { x = x * 3u + 1u; }\n"
    "    cells[id.x & 63u] = x;\n"
    "}\n";

typedef struct world {
    wgt_gpu *gpu;
    wgt_gpu_buffer *buffer, *other;
    wgt_gpu_pipeline *pipeline;
} world;

static world open_world(void) {
    world w = {0};
    wgt_gpu_options options = {.adapter = "llvmpipe"};
    EXPECT(10, wgt_gpu_open(&options, &w.gpu, NULL) == WGT_OK);
    const wgt_gpu_api *api = w.gpu->api;
    wgt_gpu_module *module = NULL;
    wgt_binding_layout layout = {.kind = WGT_BIND_STORAGE_READ_WRITE};
    wgt_str code = {slow_code, sizeof slow_code - 1};
    EXPECT(11, api->module_create(w.gpu, "slow", code, &module, NULL) == WGT_OK);
    EXPECT(12, api->buffer_create(w.gpu, 256, false, &w.buffer, NULL) == WGT_OK);
    EXPECT(13, api->buffer_create(w.gpu, 256, false, &w.other, NULL) == WGT_OK);
    wgt_pipeline_options options_of = {.module = module,
                                       .entry = "main",
                                       .bindings = &layout,
                                       .binding_count = 1,
                                       .workgroup = {64, 1, 1}};
    EXPECT(14, api->pipeline_create(w.gpu, &options_of, &w.pipeline, NULL, NULL) == WGT_OK);
    return w;
}

static wgt_status run(world *w, uint32_t workgroups, wgt_error *error) {
    wgt_bound_buffer bound = {.buffer = w->buffer};
    wgt_dispatch dispatch = {.pipeline = w->pipeline,
                             .buffers = &bound,
                             .buffer_count = 1,
                             .workgroups = {workgroups, 1, 1},
                             .batch = 1,
                             .timed = true};
    wgt_span span;
    return w->gpu->api->dispatch(w->gpu, &dispatch, DEADLINE_NS, &span, error);
}

static void *lose_soon(void *unused) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    lose(1);
    return unused;
}

static wgt_status lose_during(world *w, wgt_error *error) {
    pthread_t thread;
    EXPECT(15, pthread_create(&thread, NULL, lose_soon, NULL) == 0);
    /* Seconds of work, were it not for the loss. */
    wgt_status status = run(w, 20000, error);
    pthread_join(thread, NULL);
    return status;
}

static wgt_status lose_before_dispatch(world *w, wgt_error *error) {
    lose(1);
    return run(w, 1, error);
}

static wgt_status lose_before_read(world *w, wgt_error *error) {
    uint32_t word;
    lose(1);
    return w->gpu->api->buffer_read(w->gpu, w->buffer, 0, &word, 4, DEADLINE_NS, error);
}

static wgt_status lose_before_write(world *w, wgt_error *error) {
    uint32_t word = 1;
    lose(1);
    return w->gpu->api->buffer_write(w->gpu, w->buffer, 0, &word, 4, error);
}

static wgt_status lose_before_copy(world *w, wgt_error *error) {
    wgt_copy copy = {w->buffer, w->other, 16};
    lose(1);
    return w->gpu->api->copy(w->gpu, &copy, 1, DEADLINE_NS, error);
}

/* Nothing but the close sees it. */
static wgt_status lose_before_close(world *w, wgt_error *error) {
    (void)w;
    lose(1);
    snprintf(error->message, sizeof error->message, "the device was lost");
    return WGT_NO_GPU;
}

static const struct {
    const char *name;
    wgt_status (*lose_it)(world *w, wgt_error *error);
} cases[] = {
    {"during a dispatch", lose_during},  {"before a dispatch", lose_before_dispatch},
    {"before a read", lose_before_read}, {"before a write", lose_before_write},
    {"before a copy", lose_before_copy}, {"before the close", lose_before_close},
};

static void find_layer(void) {
    setenv("VK_LAYER_PATH", WGT_TEST_LAYER_FOLDER, 1);
    setenv("VK_INSTANCE_LAYERS", LAYER_NAME, 1);
}

static void find_switches(void) {
    void *layer = dlopen(WGT_TEST_LAYER, RTLD_NOW | RTLD_NOLOAD);
    EXPECT(16, layer != NULL);
    void *symbols[] = {dlsym(layer, "lost_layer_lose"), dlsym(layer, "lost_layer_starve")};
    EXPECT(17, symbols[0] != NULL && symbols[1] != NULL);
    memcpy(&lose, &symbols[0], sizeof lose);
    memcpy(&starve, &symbols[1], sizeof starve);
}

/* A buffer that does not fit is no loss; a write that does not is one in wgpu-native 29. */
static void starve_child(void) {
    const size_t bytes = (size_t)96 << 20;
    world w = open_world();
    const wgt_gpu_api *api = w.gpu->api;
    find_switches();
    wgt_gpu_buffer *buffer = NULL, *large = NULL;
    wgt_error error = {""};
    unsigned char *data = calloc(1, bytes);
    EXPECT(30, data != NULL);
    EXPECT(31, api->buffer_create(w.gpu, bytes, false, &large, NULL) == WGT_OK);
    starve(1);
    EXPECT(32, api->buffer_create(w.gpu, bytes, false, &buffer, &error) == WGT_NO_MEMORY);
    EXPECT(33, buffer == NULL && strstr(error.message, "100663296 bytes") != NULL);
    starve(0);
    EXPECT(34, run(&w, 1, NULL) == WGT_OK);
    EXPECT(35, api->buffer_create(w.gpu, bytes, false, &buffer, NULL) == WGT_OK);
    starve(1);
    EXPECT(36, api->buffer_write(w.gpu, large, 0, data, bytes, NULL) != WGT_OK);
    starve(0);
    wgt_gpu_close(&w.gpu);
    w = open_world();
    EXPECT(37, run(&w, 1, NULL) == WGT_OK);
    wgt_gpu_close(&w.gpu);
    free(data);
    _exit(0);
}

static void child(size_t index) {
    world w = open_world();
    find_switches();
    EXPECT(18, run(&w, 1, NULL) == WGT_OK);
    wgt_error error = {""};
    EXPECT(19, cases[index].lose_it(&w, &error) == WGT_NO_GPU);
    EXPECT(20, strstr(error.message, "the device was lost") != NULL);
    if (index % 2 == 0)
        w.gpu->api->buffer_destroy(w.gpu, &w.other);
    wgt_gpu_close(&w.gpu);
    EXPECT(21, w.gpu == NULL);
    /* The process goes on, with a new device. */
    lose(0);
    w = open_world();
    EXPECT(22, run(&w, 1, NULL) == WGT_OK);
    wgt_gpu_close(&w.gpu);
    _exit(0);
}

static void test_a_loss_is_survived(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char index[8];
        snprintf(index, sizeof index, "%u", (unsigned)i);
        int status = run_child(index);
        if (status != 0)
            fail_msg("lost %s: %d", cases[i].name, status);
    }
}

static void test_no_memory_is_survived(void **state) {
    (void)state;
    assert_int_equal(run_child("starve"), 0);
}

int main(int argc, char **argv) {
    use_cpu_drivers();
    if (argc > 1) {
        find_layer();
        if (strcmp(argv[1], "starve") == 0)
            starve_child();
        child((size_t)strtoul(argv[1], NULL, 10));
    }
    if (!has_adapter("llvmpipe"))
        return skipped("no lavapipe (mesa-vulkan-drivers on Debian and Ubuntu), or no engine");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loss_is_survived),
        cmocka_unit_test(test_no_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
