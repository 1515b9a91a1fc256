/* The layer through the real loader on a software driver, with the fake driver layer below it. */
#include "../../layer/wgtune_layer.h"
#include "base/json.h"
#include "gpu/statistics.h"
#include "vulkan_app.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const fake_variables[] = {
    "WGTUNE_FAKE_STATISTICS", "WGTUNE_FAKE_SUBGROUP",    "WGTUNE_FAKE_DRIVER",
    "WGTUNE_FAKE_VENDOR",     "WGTUNE_FAKE_CORE",        "WGTUNE_FAKE_ABSENT",
    "WGTUNE_FAKE_REFUSE",     "WGTUNE_FAKE_UNSUPPORTED", "WGTUNE_FAKE_OLD",
    "WGTUNE_FAKE_TRACE",      "WGTUNE_LAYER_LOG"};
static char folder[] = "/tmp/wgtune-layer-XXXXXX";
static char trace_path[64], log_path[64];

static int begin(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fake_variables / sizeof fake_variables[0]; i++)
        unsetenv(fake_variables[i]);
    unlink(trace_path);
    unlink(log_path);
    setenv("WGTUNE_FAKE_TRACE", trace_path, 1);
    return 0;
}

static char *read_text(const char *path) {
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[size] = '\0';
    return text;
}

static const wgtune_layer_api *layer_api(void) {
    void *library = dlopen(WGTUNE_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    wgtune_layer_get_fn get;
    *(void **)&get = dlsym(library, WGTUNE_LAYER_SYMBOL);
    assert_non_null(get);
    assert_null(get(WGTUNE_LAYER_VERSION + 1));
    const wgtune_layer_api *api = get(WGTUNE_LAYER_VERSION);
    assert_non_null(api);
    assert_int_equal(api->size, sizeof *api);
    return api;
}

static wgtune_layer_record one_record(const app_options *options) {
    app a;
    static wgtune_layer_record record;
    VkPipeline pipeline = VK_NULL_HANDLE;
    assert_true(app_open(&a, options));
    const wgtune_layer_api *api = layer_api();
    uint64_t mark = api->mark();
    assert_int_equal(app_pipelines(&a, VK_NULL_HANDLE, NULL, 1, &pipeline), VK_SUCCESS);
    assert_int_equal(api->take(mark, &record, 1), 1);
    uint64_t handle = 0;
    memcpy(&handle, &pipeline, sizeof pipeline);
    assert_int_equal(record.pipeline, handle);
    assert_string_equal(record.entry, "main");
    vkDestroyPipeline(a.device, pipeline, NULL);
    app_close(&a);
    return record;
}

#define UNKNOWN WGTUNE_LAYER_UNKNOWN

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *driver, *vendor, *subgroup, *statistics;
        uint64_t registers, spill, shared, width;
    } rows[] = {
        /* NVIDIA: the high half of Local Memory Size is noise. */
        {"4", "0x10de", "32",
         "Register Count=64;Binary Size=2560;Stack Size=0;Local Memory Size=0x7fff000000d0;Shared "
         "Memory Size=28672",
         64, 208, 28672, 32},
        {"24", "0x10de", "32", "Instruction count=20;Code size=640;Number of GPRs=24;SLM size=16",
         24, 16, UNKNOWN, 32},
        {"24", "0x10de", "32", "Code Size=640;Number of GPRs=24;SLM Size=0", 24, 0, UNKNOWN, 32},
        /* RADV: scratch a wave. */
        {"3", "0x1002", "64",
         "SGPRs=128;VGPRs=48;Spilled SGPRs=3;Spilled VGPRs=2;Code size=512;LDS size=4096;Scratch "
         "size=1024",
         48, 16, 4096, 64},
        {"3", "0x1002", "32", "VGPRs=48;LDS size=0;Scratch size=1000", 48, 32, 0, 32},
        {"1", "0x1002", "64", "numUsedVgprs=20;numUsedSgprs=30;ldsUsageSizeInBytes=512", 20,
         UNKNOWN, 512, 64},
        /* ANV: registers of 32 bytes and scratch of a hardware thread. */
        {"6", "0x8086", "16",
         "Instruction Count=99;Spill Count=0;Scratch Memory Size=2048;Max dispatch width=16;Max "
         "live registers=60;"
         "Workgroup Memory Size=1024",
         30, 128, 1024, 16},
        /* The width unknown: what is counted a thread cannot be divided, but nothing stays nothing.
         */
        {"6", "0x8086", "0", "Scratch Memory Size=2048;Max live registers=60", UNKNOWN, UNKNOWN,
         UNKNOWN, UNKNOWN},
        {"6", "0x8086", "0", "Scratch Memory Size=0;Max live registers=60", UNKNOWN, 0, UNKNOWN,
         UNKNOWN},
        /* Turnip counts vec4s, PanVK single registers, under the same name. */
        {"18", "0x5143", "64", "Registers used=6;Half-registers used=0;Max Waves Per Core=16", 24,
         UNKNOWN, UNKNOWN, 64},
        {"20", "0x13b5", "16", "Registers used=33;Spills=2", 33, UNKNOWN, UNKNOWN, 16},
        {"26", "0x106b", "32", "GPRs=65;Scratch=8", 33, 8, UNKNOWN, 32},
        /* A driver that tells no id: the vendor decides. */
        {"0", "0x10de", "32", "Register Count=16;Local Memory Size=0;Shared Memory Size=0", 16, 0,
         0, 32},
        /* One driver's names under another driver mean nothing. */
        {"3", "0x1002", "64", "Register Count=16", UNKNOWN, UNKNOWN, UNKNOWN, 64},
        {"99", "0x10de", "32", "Register Count=16", UNKNOWN, UNKNOWN, UNKNOWN, 32},
        /* A known name with a value that is no whole number. */
        {"4", "0x10de", "32", "f:Register Count=16;i:Shared Memory Size=-1;i:Local Memory Size=8",
         UNKNOWN, 8, UNKNOWN, 32},
        /* The largest over several executables. */
        {"4", "0x10de", "32",
         "Register Count=16;Local Memory Size=8|Register Count=40;Local Memory Size=0", 40, 8,
         UNKNOWN, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("WGTUNE_FAKE_DRIVER", rows[i].driver, 1);
        setenv("WGTUNE_FAKE_VENDOR", rows[i].vendor, 1);
        setenv("WGTUNE_FAKE_SUBGROUP", rows[i].subgroup, 1);
        setenv("WGTUNE_FAKE_STATISTICS", rows[i].statistics, 1);
        wgtune_layer_record record = one_record(NULL);
        if (record.registers != rows[i].registers || record.spill_bytes != rows[i].spill ||
            record.shared_bytes != rows[i].shared || record.subgroup_size != rows[i].width)
            fail_msg("row %zu (%s): %llu %llu %llu %llu", i, rows[i].statistics,
                     (unsigned long long)record.registers, (unsigned long long)record.spill_bytes,
                     (unsigned long long)record.shared_bytes,
                     (unsigned long long)record.subgroup_size);
    }
}

static void test_verbatim(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_STATISTICS", "Warp Wizardry=7;f:Cycles=1.5;b:Early=1;i:Delta=-3|Second=9",
           1);
    wgtune_layer_record record = one_record(NULL);
    assert_int_equal(record.executable_count, 2);
    assert_int_equal(record.statistic_count, 5);
    assert_int_equal(record.statistic_total, 5);
    assert_string_equal(record.statistics[0].name, "Warp Wizardry");
    assert_int_equal(record.statistics[0].kind, WGTUNE_LAYER_U64);
    assert_int_equal(record.statistics[0].value.u64, 7);
    assert_int_equal(record.statistics[1].kind, WGTUNE_LAYER_F64);
    assert_true(record.statistics[1].value.f64 == 1.5);
    assert_int_equal(record.statistics[2].kind, WGTUNE_LAYER_BOOL);
    assert_true(record.statistics[2].value.boolean);
    assert_int_equal(record.statistics[3].kind, WGTUNE_LAYER_I64);
    assert_int_equal(record.statistics[3].value.i64, -3);
    assert_string_equal(record.statistics[4].name, "Second");
    assert_int_equal(record.statistics[4].executable, 1);
    assert_int_equal(record.registers, UNKNOWN);
}

static void test_more_statistics_than_room(void **state) {
    (void)state;
    static char text[WGTUNE_LAYER_STATISTICS * 16 + 256] = "Register Count=21";
    for (size_t i = 1; i < WGTUNE_LAYER_STATISTICS + 5; i++)
        snprintf(text + strlen(text), 16, ";S%zu=%zu", i, i);
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", text, 1);
    wgtune_layer_record record = one_record(NULL);
    assert_int_equal(record.statistic_count, WGTUNE_LAYER_STATISTICS);
    assert_int_equal(record.statistic_total, WGTUNE_LAYER_STATISTICS + 5);
    assert_int_equal(record.registers, 21);
}

static void assert_nothing(const wgtune_layer_record *record) {
    assert_int_equal(record->registers, UNKNOWN);
    assert_int_equal(record->spill_bytes, UNKNOWN);
    assert_int_equal(record->shared_bytes, UNKNOWN);
    assert_int_equal(record->subgroup_size, UNKNOWN);
    assert_int_equal(record->statistic_total, 0);
}

static void test_driver_without(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    setenv("WGTUNE_FAKE_ABSENT", "1", 1);
    wgtune_layer_record record = one_record(NULL);
    assert_nothing(&record);
    assert_string_equal(read_text(trace_path), "device 0\npipeline 0\n");
}

static void test_feature_unsupported(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    setenv("WGTUNE_FAKE_UNSUPPORTED", "1", 1);
    wgtune_layer_record record = one_record(NULL);
    assert_nothing(&record);
    assert_string_equal(read_text(trace_path), "device 0\npipeline 0\n");
}

static void test_device_refused(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    setenv("WGTUNE_FAKE_REFUSE", "1", 1);
    wgtune_layer_record record = one_record(NULL);
    assert_nothing(&record);
    assert_string_equal(read_text(trace_path), "device 1\ndevice 0\npipeline 0\n");
}

static void test_driver_reports_nothing(void **state) {
    (void)state;
    wgtune_layer_record record = one_record(NULL);
    assert_nothing(&record);
    assert_string_equal(read_text(trace_path), "device 1\npipeline 1\n");
}

/* A 1.0 device may not be asked by a 1.1 instance, unless by the extension's name. */
static void test_old_device(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_OLD", "1", 1);
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_VENDOR", "0x10de", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    app_options options = {.instance_extension = NULL};
    wgtune_layer_record record = one_record(&options);
    assert_nothing(&record);
    options.instance_extension = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    record = one_record(&options);
    assert_int_equal(record.registers, 16);
}

/* A 1.0 instance may not ask for features unless it enabled the extension that brings the question.
 */
static void test_old_instance(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    app_options options = {.api_version = VK_API_VERSION_1_0};
    wgtune_layer_record record = one_record(&options);
    assert_nothing(&record);
    options.instance_extension = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    record = one_record(&options);
    assert_int_equal(record.registers, 16);
}

static void test_program_asked_itself(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE};
    app_options options = {.device_chain = &feature,
                           .device_extension =
                               VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
    wgtune_layer_record record = one_record(&options);
    assert_int_equal(record.registers, 16);
    /* The extension without the feature: the name is not given twice. */
    options.device_chain = NULL;
    record = one_record(&options);
    assert_int_equal(record.registers, 16);
    /* The feature refused by the program itself stays refused. */
    feature.pipelineExecutableInfo = VK_FALSE;
    options.device_chain = &feature;
    record = one_record(&options);
    assert_nothing(&record);
    assert_null(feature.pNext);
}

static void test_chain_is_kept(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDevice16BitStorageFeatures storage = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, .pNext = &features};
    app_options options = {.device_chain = &storage};
    wgtune_layer_record record = one_record(&options);
    assert_int_equal(record.registers, 16);
    assert_ptr_equal(storage.pNext, &features);
    assert_null(features.pNext);
}

static void test_batches_and_caches(void **state) {
    (void)state;
    enum { COUNT = 9 };
    static wgtune_layer_record records[COUNT];
    VkPipeline pipelines[COUNT] = {VK_NULL_HANDLE};
    VkPipelineCache cache;
    VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    app a;
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    assert_true(app_open(&a, NULL));
    assert_int_equal(vkCreatePipelineCache(a.device, &cache_info, NULL, &cache), VK_SUCCESS);
    const wgtune_layer_api *api = layer_api();
    for (uint32_t count = 1; count <= COUNT; count += 4) { /* on the stack and on the heap */
        uint64_t mark = api->mark();
        assert_int_equal(app_pipelines(&a, cache, NULL, count, pipelines), VK_SUCCESS);
        assert_int_equal(api->take(mark, records, COUNT), count);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t handle = 0;
            memcpy(&handle, &pipelines[i], sizeof pipelines[i]);
            assert_int_equal(records[i].pipeline, handle);
            assert_int_equal(records[i].sequence, mark + 1 + i);
            assert_int_equal(records[i].registers, 16);
            vkDestroyPipeline(a.device, pipelines[i], NULL);
        }
        assert_true(api->last(mark, &records[0]));
        assert_int_equal(records[0].sequence, mark + count);
    }
    vkDestroyPipelineCache(a.device, cache, NULL);
    app_close(&a);
}

/* A struct that newer programs chain in: its flags replace the old ones. */
typedef struct flags2_info {
    VkStructureType sType;
    const void *pNext;
    uint64_t flags;
} flags2_info;

static void test_flags2(void **state) {
    (void)state;
    VkPipeline pipeline = VK_NULL_HANDLE;
    flags2_info flags2 = {.sType = (VkStructureType)1000470005};
    app a;
    assert_true(app_open(&a, NULL));
    assert_int_equal(app_pipelines(&a, VK_NULL_HANDLE, &flags2, 1, &pipeline), VK_SUCCESS);
    assert_int_equal(flags2.flags, 0);
    vkDestroyPipeline(a.device, pipeline, NULL);
    app_close(&a);
    /* The old flags stay as they were; the fake driver sees the new ones. */
    assert_string_equal(read_text(trace_path), "device 1\nflags2 1\npipeline 0\n");
}

static void test_ring_is_bounded(void **state) {
    (void)state;
    enum { COUNT = 200 };
    static wgtune_layer_record records[COUNT];
    VkPipeline pipelines[COUNT];
    app a;
    assert_true(app_open(&a, NULL));
    const wgtune_layer_api *api = layer_api();
    uint64_t mark = api->mark();
    assert_int_equal(app_pipelines(&a, VK_NULL_HANDLE, NULL, COUNT, pipelines), VK_SUCCESS);
    size_t kept = api->take(mark, records, COUNT);
    assert_int_equal(kept, 128);
    assert_int_equal(records[0].sequence, mark + COUNT - 127);
    assert_int_equal(records[kept - 1].sequence, mark + COUNT);
    assert_int_equal(api->take(mark, NULL, 0), 128);
    assert_int_equal(api->take(api->mark(), records, COUNT), 0);
    assert_int_equal(api->take(UINT64_MAX, records, COUNT), 0);
    assert_false(api->last(api->mark(), &records[0]));
    assert_false(api->last(UINT64_MAX, &records[0]));
    for (size_t i = 0; i < COUNT; i++)
        vkDestroyPipeline(a.device, pipelines[i], NULL);
    app_close(&a);
}

/* Every line is a JSON object; returns how many there are. */
static int check_lines(char *text) {
    static char memory[1 << 20];
    int lines = 0;
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1, lines++) {
        wgt_arena arena;
        wgt_json *root = NULL;
        wgt_error error = {""};
        wgt_str line = {text, (size_t)(end - text)};
        wgt_arena_init_fixed(&arena, memory, sizeof memory);
        if (wgt_json_parse(WGT_STR("log"), line, 0, &arena, &root, &error) != WGT_OK)
            fail_msg("%s in %.*s", error.message, (int)line.size, line.data);
        assert_int_equal(root->type, WGT_JSON_OBJECT);
        assert_true(wgt_json_number_or(root, "wgtune_layer", 0) == WGTUNE_LAYER_VERSION);
    }
    assert_int_equal(*text, '\0');
    return lines;
}

enum { EACH = 40 };
typedef struct worker {
    app *a;
    const wgtune_layer_api *api;
    unsigned wrong;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    static _Thread_local wgtune_layer_record records[2];
    for (int i = 0; i < EACH; i++) {
        VkPipeline pipeline = VK_NULL_HANDLE;
        uint64_t mark = w->api->mark(), handle = 0;
        if (app_pipelines(w->a, VK_NULL_HANDLE, NULL, 1, &pipeline) != VK_SUCCESS)
            w->wrong++;
        memcpy(&handle, &pipeline, sizeof pipeline);
        if (w->api->take(mark, records, 2) != 1 || records[0].pipeline != handle ||
            records[0].registers != 16)
            w->wrong++;
        vkDestroyPipeline(w->a->device, pipeline, NULL);
    }
    return NULL;
}

static void test_two_threads(void **state) {
    (void)state;
    app a;
    pthread_t threads[2];
    worker workers[2];
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16", 1);
    setenv("WGTUNE_LAYER_LOG", log_path, 1);
    assert_true(app_open(&a, NULL));
    const wgtune_layer_api *api = layer_api();
    uint64_t mark = api->mark();
    for (int i = 0; i < 2; i++) {
        workers[i] = (worker){&a, api, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    assert_int_equal(api->take(mark, NULL, 0), 0); /* none of this thread */
    app_close(&a);
    assert_int_equal(check_lines(read_text(log_path)), 1 + 2 * EACH);
}

/* A line that is longer than its buffer is closed all the same. */
static void test_long_line(void **state) {
    (void)state;
    static char text[WGTUNE_LAYER_STATISTICS * 256];
    for (size_t i = 0; i < WGTUNE_LAYER_STATISTICS; i++) {
        char *p = text + strlen(text);
        memset(p, '\x01', 240); /* six bytes each in JSON */
        snprintf(p + 240, 16, "=%zu;", i);
    }
    setenv("WGTUNE_FAKE_STATISTICS", text, 1);
    setenv("WGTUNE_LAYER_LOG", log_path, 1);
    wgtune_layer_record record = one_record(NULL);
    assert_int_equal(record.statistic_count, WGTUNE_LAYER_STATISTICS);
    assert_non_null(strstr(read_text(log_path), "}],\"truncated\":true}\n"));
    assert_int_equal(check_lines(read_text(log_path)), 2);
}

static void test_log(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_STATISTICS",
           "Register Count=16;Quote\"d \\ \xff\x01name=1;f:Cycles=0.25;f:Odd=nan;b:Early=0", 1);
    setenv("WGTUNE_LAYER_LOG", log_path, 1);
    one_record(NULL);
    char *text = read_text(log_path);
    assert_non_null(strstr(text, "{\"wgtune_layer\":1,\"event\":\"device\","));
    assert_non_null(strstr(text, "\"statistics\":true,"));
    assert_non_null(strstr(text, "\"event\":\"pipeline\","));
    assert_non_null(strstr(
        text, "\"entry\":\"main\",\"registers\":16,\"spill_bytes\":null,\"shared_bytes\":null,"
              "\"subgroup_size\":32,\"executables\":1,\"statistics\":["));
    assert_non_null(strstr(
        text,
        "{\"executable\":0,\"name\":\"Quote\\\"d \\\\ \xef\xbf\xbd\\u0001name\",\"value\":1}"));
    assert_non_null(strstr(text, "\"value\":0.25}"));
    assert_non_null(strstr(text, "\"name\":\"Odd\",\"value\":null}"));
    assert_non_null(strstr(text, "\"name\":\"Early\",\"value\":false}],\"truncated\":false}\n"));
    assert_int_equal(check_lines(text), 2);
    /* It is appended to, and a path that cannot be opened costs nothing. */
    setenv("WGTUNE_FAKE_STATISTICS", "", 1);
    one_record(NULL);
    assert_non_null(strstr(read_text(log_path), "\"registers\":null"));
    assert_non_null(strstr(read_text(log_path), "\"registers\":16"));
    setenv("WGTUNE_LAYER_LOG", "/nonexistent/folder/log", 1);
    one_record(NULL);
}

static void test_core(void **state) {
    (void)state;
    static const struct {
        const char *core;
        uint64_t units, warps, simds, registers, granularity, fma;
    } rows[] = {{"nv", 132, 64, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
                {"amd", 72, 32, 2, 1024, 16, UNKNOWN},
                {"arm", 10, 48, UNKNOWN, UNKNOWN, UNKNOWN, 128},
                {NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wgtune_layer_device device;
        app a;
        if (rows[i].core != NULL)
            setenv("WGTUNE_FAKE_CORE", rows[i].core, 1);
        else
            unsetenv("WGTUNE_FAKE_CORE");
        assert_true(app_open(&a, NULL));
        assert_true(layer_api()->device(&device));
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(a.physical, &properties);
        app_close(&a);
        assert_string_equal(device.name, properties.deviceName);
        assert_int_equal(device.vendor_id, properties.vendorID);
        assert_true(device.statistics);
        assert_int_equal(device.compute_units, rows[i].units);
        assert_int_equal(device.warps_per_unit, rows[i].warps);
        assert_int_equal(device.simds_per_unit, rows[i].simds);
        assert_int_equal(device.registers_per_simd, rows[i].registers);
        assert_int_equal(device.register_granularity, rows[i].granularity);
        assert_int_equal(device.fma_rate, rows[i].fma);
        assert_int_not_equal(device.subgroup_size, UNKNOWN);
    }
}

/* ---- the host's side ---- */

static void test_host(void **state) {
    (void)state;
    app a;
    wgt_statistics statistics;
    wgt_core_properties core;
    VkPipeline pipelines[3];
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_CORE", "nv", 1);
    setenv("WGTUNE_FAKE_STATISTICS", "Register Count=16;Local Memory Size=336;Shared Memory Size=0",
           1);
    assert_true(app_open(&a, NULL));
    uint64_t mark = wgt_statistics_mark();
    assert_int_equal(wgt_statistics_take(mark, &statistics), WGT_NEGATIVE);
    assert_int_equal(statistics.registers, WGT_UNKNOWN_U64);
    assert_int_equal(app_pipelines(&a, VK_NULL_HANDLE, NULL, 3, pipelines), VK_SUCCESS);
    assert_int_equal(wgt_statistics_take(mark, &statistics), WGT_OK);
    assert_int_equal(statistics.registers, 16);
    assert_int_equal(statistics.spill_bytes, 336);
    assert_int_equal(statistics.shared_bytes, 0);
    assert_int_equal(statistics.subgroup_size, 32);
    assert_int_equal(wgt_statistics_core(&core), WGT_OK);
    assert_int_equal(core.compute_units, 132);
    assert_int_equal(core.warps_per_unit, 64);
    assert_int_equal(core.registers_per_simd, WGT_UNKNOWN_U64);
    assert_true(core.statistics);
    for (size_t i = 0; i < 3; i++)
        vkDestroyPipeline(a.device, pipelines[i], NULL);
    app_close(&a);
}

/* A layer that the person asked for stays; here it lies above ours, so that it sees the program's
 * own request and ours sees the real driver, which has no statistics. */
static void test_layers_of_others_stay(void **state) {
    (void)state;
    setenv("WGTUNE_FAKE_ABSENT", "1", 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_WGTUNE_fake_driver", 1);
    unsetenv("VK_LAYER_PATH");
    setenv("VK_ADD_LAYER_PATH", getenv("WGTUNE_FAKE_FOLDER"), 1);
    assert_int_equal(wgt_statistics_prepare(NULL), WGT_OK);
    wgtune_layer_record record = one_record(NULL);
    assert_nothing(&record);
    assert_string_equal(read_text(trace_path), "device 0\npipeline 0\n");
}

static void test_real_driver_alone(void **state) {
    (void)state;
    app a;
    wgtune_layer_device device;
    VkPipeline pipeline;
    unsetenv("VK_INSTANCE_LAYERS");
    unsetenv("VK_ADD_LAYER_PATH");
    assert_int_equal(wgt_statistics_prepare(NULL), WGT_OK);
    assert_true(app_open(&a, NULL));
    assert_string_equal(read_text(trace_path), "");
    uint64_t mark = wgt_statistics_mark();
    wgt_statistics statistics;
    assert_int_equal(app_pipelines(&a, VK_NULL_HANDLE, NULL, 1, &pipeline), VK_SUCCESS);
    assert_int_equal(wgt_statistics_take(mark, &statistics), WGT_OK);
    assert_true(layer_api()->device(&device));
    if (!device.statistics)
        assert_int_equal(statistics.registers, WGT_UNKNOWN_U64);
    assert_int_not_equal(device.driver_id, 0);
    assert_true(device.driver[0] != '\0');
    vkDestroyPipeline(a.device, pipeline, NULL);
    app_close(&a);
}

static int setup(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(trace_path, sizeof trace_path, "%s/trace", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    /* The program's own way in puts the layer on top, the fake driver below it. */
    wgt_error error = {""};
    if (wgt_statistics_prepare(&error) != WGT_OK) {
        fprintf(stderr, "prepare: %s\n", error.message);
        return -1;
    }
    char *path = getenv("VK_ADD_LAYER_PATH"), text[8192];
    const char *variable = path != NULL ? "VK_ADD_LAYER_PATH" : "VK_LAYER_PATH";
    snprintf(text, sizeof text, "%s:%s", getenv(variable), getenv("WGTUNE_FAKE_FOLDER"));
    setenv(variable, text, 1);
    snprintf(text, sizeof text, "%s:VK_LAYER_WGTUNE_fake_driver", getenv("VK_INSTANCE_LAYERS"));
    setenv("VK_INSTANCE_LAYERS", text, 1);
    return 0;
}

static int teardown(void **state) {
    begin(state);
    rmdir(folder);
    return 0;
}

int main(void) {
    app a;
    bool driver = app_open(&a, NULL);
    app_close(&a);
    if (!driver) {
        fprintf(stderr, "no Vulkan driver: install mesa-vulkan-drivers\n");
        const char *ci = getenv("CI");
        return ci != NULL && strcmp(ci, "true") == 0 ? 1 : 77;
    }
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(test_names),
        TEST(test_verbatim),
        TEST(test_more_statistics_than_room),
        TEST(test_driver_without),
        TEST(test_feature_unsupported),
        TEST(test_device_refused),
        TEST(test_driver_reports_nothing),
        TEST(test_old_instance),
        TEST(test_old_device),
        TEST(test_program_asked_itself),
        TEST(test_chain_is_kept),
        TEST(test_batches_and_caches),
        TEST(test_flags2),
        TEST(test_ring_is_bounded),
        TEST(test_two_threads),
        TEST(test_long_line),
        TEST(test_log),
        TEST(test_core),
        TEST(test_host),
        TEST(test_layers_of_others_stay),
        TEST(test_real_driver_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
