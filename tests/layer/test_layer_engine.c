/* The layer under wgpu-native, with the fake driver layer below it. */
#include "gpu/statistics.h"
#include "wgtune/gpu.h"
#include "base/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static wgt_gpu *gpu;

static void test_each_pipeline_has_its_own(void **state) {
    (void)state;
    static const char code[] = "override WG: u32 = 64;\n"
                               "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                               "@compute @workgroup_size(WG) fn main() { out[0] = WG; }\n";
    const wgt_binding_layout layout = {0, 0, WGT_BIND_STORAGE_READ_WRITE, 4};
    static const struct {
        const char *statistics;
        uint64_t registers, spill, shared;
    } rows[] = {
        {"Register Count=127;Local Memory Size=0;Shared Memory Size=0", 127, 0, 0},
        {"Register Count=64;Local Memory Size=208;Shared Memory Size=47104", 64, 208, 47104},
    };
    wgt_error error = {""};
    wgt_gpu_module *module = NULL;
    if (gpu->api->module_create(gpu, "k.wgsl", WGT_STR(code), &module, &error) != WGT_OK)
        fail_msg("%s", error.message);
    for (uint32_t i = 0; i < 2; i++) {
        wgt_constant size = {"WG", i == 0 ? 128 : 256};
        wgt_pipeline_options options = {.module = module,
                                        .entry = "main",
                                        .constants = &size,
                                        .constant_count = 1,
                                        .bindings = &layout,
                                        .binding_count = 1,
                                        .workgroup = {(uint32_t)size.value, 1, 1}};
        wgt_gpu_pipeline *pipeline = NULL;
        wgt_statistics statistics;
        setenv("WGTUNE_FAKE_STATISTICS", rows[i].statistics, 1);
        uint64_t mark = wgt_statistics_mark();
        if (gpu->api->pipeline_create(gpu, &options, &pipeline, NULL, &error) != WGT_OK)
            fail_msg("%s", error.message);
        assert_int_equal(wgt_statistics_take(mark, &statistics), WGT_OK);
        assert_int_equal(statistics.registers, rows[i].registers);
        assert_int_equal(statistics.spill_bytes, rows[i].spill);
        assert_int_equal(statistics.shared_bytes, rows[i].shared);
        assert_int_equal(statistics.subgroup_size, 32);
        gpu->api->pipeline_destroy(gpu, &pipeline);
    }
    gpu->api->module_destroy(gpu, &module);
}

static void test_core(void **state) {
    (void)state;
    wgt_core_properties core;
    const wgt_adapter *adapter = gpu->api->adapter(gpu);
    assert_int_equal(wgt_statistics_core(&core), WGT_OK);
    assert_int_equal(core.compute_units, 132);
    assert_int_equal(core.device_id, adapter->device_id);
    assert_true(core.statistics);
}

int main(void) {
    wgt_error error = {""};
    wgt_gpu_options options = {.library = getenv("WGTUNE_WGPU_LIB")};
    setenv("WGTUNE_FAKE_DRIVER", "4", 1);
    setenv("WGTUNE_FAKE_CORE", "nv", 1);
    setenv("VK_ADD_LAYER_PATH", "", 1);
    if (wgt_statistics_prepare(&error) != WGT_OK) {
        fprintf(stderr, "prepare: %s\n", error.message);
        return 1;
    }
    char text[8192];
    wgt_format(text, sizeof text, "%s:%s", getenv("VK_ADD_LAYER_PATH"),
               getenv("WGTUNE_FAKE_FOLDER"));
    setenv("VK_ADD_LAYER_PATH", text, 1);
    wgt_format(text, sizeof text, "%s:VK_LAYER_WGTUNE_fake_driver", getenv("VK_INSTANCE_LAYERS"));
    setenv("VK_INSTANCE_LAYERS", text, 1);
    wgt_status status = wgt_gpu_open(&options, &gpu, &error);
    if (status != WGT_OK) {
        fprintf(stderr, "%s\n", error.message);
        const char *ci = getenv("CI");
        return status == WGT_NO_GPU && !(ci != NULL && strcmp(ci, "true") == 0) ? 77 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_pipeline_has_its_own),
        cmocka_unit_test(test_core),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wgt_gpu_close(&gpu);
    return failed;
}
