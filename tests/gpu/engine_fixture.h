/* Shared by the tests of a real engine: which drivers they run on, and a device with a kernel. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wgtune/gpu.h"

#define SECOND_NS 1000000000u
#define DEADLINE_NS (60ull * SECOND_NS)
#define SWIFTSHADER_ICD "/usr/lib/chromium/vk_swiftshader_icd.json"

/* Lavapipe and, where Debian's chromium package brings it, SwiftShader: whatever GPU the machine
 * has, the tests run on the same two adapters. */
static inline void use_cpu_drivers(void) {
    char path[1024] = "";
    glob_t found;
    if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) == 0)
        snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
    globfree(&found);
    FILE *icd = fopen(SWIFTSHADER_ICD, "r");
    if (icd) {
        fclose(icd);
        size_t used = strlen(path);
        snprintf(path + used, sizeof path - used, "%s" SWIFTSHADER_ICD, used ? ":" : "");
    }
    setenv("VK_DRIVER_FILES", path[0] ? path : "/nonexistent.json", 1);
}

static inline bool has_adapter(const char *name) {
    wgt_adapter adapters[8];
    size_t count = 0;
    if (wgt_gpu_adapters(NULL, adapters, 8, &count, NULL) != WGT_OK)
        return false;
    for (size_t i = 0; i < count && i < 8; i++)
        if (strstr(adapters[i].device, name))
            return true;
    return false;
}

/* 77 tells meson that a test was skipped; where CI=true everything is installed and must run. */
static inline int skipped(const char *reason) {
    const char *ci = getenv("CI");
    fprintf(stderr, "%s\n", reason);
    return ci && strcmp(ci, "true") == 0 ? 1 : 77;
}

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        wgt_error failure_ = {""};                                                                 \
        wgt_error *error = &failure_;                                                              \
        wgt_status status_ = (call);                                                               \
        if (status_ != WGT_OK)                                                                     \
            fail_msg("%s: %d %s", #call, (int)status_, failure_.message);                          \
    } while (0)

/* A call that must fail so, with `words` in its message. */
#define assert_refused(call, wanted, words)                                                        \
    do {                                                                                           \
        wgt_error failure_ = {""};                                                                 \
        wgt_error *error = &failure_;                                                              \
        wgt_status status_ = (call);                                                               \
        if (status_ != (wanted) || !strstr(failure_.message, (words)))                             \
            fail_msg("%s: %d %s", #call, (int)status_, failure_.message);                          \
    } while (0)

static inline wgt_gpu *open_adapter(const char *name) {
    wgt_gpu *gpu = NULL;
    wgt_gpu_options options = {.adapter = name};
    assert_ok(wgt_gpu_open(&options, &gpu, error));
    assert_non_null(gpu);
    return gpu;
}

static inline wgt_gpu_buffer *new_buffer(wgt_gpu *gpu, const void *data, size_t bytes) {
    wgt_gpu_buffer *buffer = NULL;
    assert_ok(gpu->api->buffer_create(gpu, bytes, false, &buffer, error));
    if (data)
        assert_ok(gpu->api->buffer_write(gpu, buffer, 0, data, bytes, error));
    return buffer;
}

static inline wgt_gpu_module *new_module(wgt_gpu *gpu, const char *code) {
    wgt_gpu_module *module = NULL;
    wgt_str text = {code, strlen(code)};
    assert_ok(gpu->api->module_create(gpu, "test.wgsl", text, &module, error));
    return module;
}

#endif
