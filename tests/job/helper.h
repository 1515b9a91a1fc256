/* What the tests of this room share. */
#ifndef TEST_JOB_HELPER_H
#define TEST_JOB_HELPER_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wgtune/job.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scatter_kernel[] =
    "override WG_SIZE: u32 = 256;\n"
    "@group(0) @binding(0) var<storage, read> positions: array<vec2<f32>>;\n"
    "@group(0) @binding(1) var<storage, read_write> grid: array<atomic<u32>>;\n"
    "@group(0) @binding(2) var<uniform> extent: vec4<f32>;\n"
    "@compute @workgroup_size(WG_SIZE)\n"
    "fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x >= arrayLength(&positions)) { return; }\n"
    "  let p = (positions[id.x] - extent.xy) / (extent.zw - extent.xy);\n"
    "  atomicAdd(&grid[u32(p.x)], 1u);\n"
    "}\n";

static const char scatter_job[] =
    "{ \"kernel\": \"k.wgsl\", \"problem\": { \"n\": 1000, \"cells\": \"n/10\" },\n"
    "  \"bindings\": {\n"
    "    \"positions\": { \"random\": \"uniform\", \"count\": \"n\", \"seed\": 7 },\n"
    "    \"grid\": { \"zero\": \"cells\", \"output\": true, \"reset\": \"sample\" },\n"
    "    \"extent\": { \"values\": [0, 0, 1, 1] } },\n"
    "  \"threads\": [\"n\"], \"tune\": { \"WG_SIZE\": \"auto\" }, \"check\": { \"grid\": \"same\" } }\n";

static inline wgt_status parse(const char *text, const char *kernel, wgt_job **job, wgt_error *error) {
    return wgt_job_parse(NULL, WGT_STR("j.job.json"), wgt_str_from(text), WGT_STR("k.wgsl"), wgt_str_from(kernel),
                         getenv("WGTUNE_TEST_DATA"), job, error);
}

static inline wgt_job *parsed(const char *text, const char *kernel) {
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    if (parse(text, kernel, &job, &error) != WGT_OK) {
        fail_msg("%s", error.message);
    }
    return job;
}

/* The job is refused with exactly this message. */
static inline void refused(const char *text, const char *kernel, const char *message) {
    wgt_job *job = NULL;
    wgt_error error = {{0}};
    assert_int_equal(parse(text, kernel, &job, &error), WGT_BAD_INPUT);
    assert_null(job);
    assert_string_equal(error.message, message);
}

static inline size_t find(const wgt_job *job, const char *name) {
    const wgt_job_info *info = wgt_job_get_info(job);
    for (size_t i = 0; i < info->binding_count; i++) {
        if (wgt_str_is(info->bindings[i].name, name)) {
            return i;
        }
    }
    fail_msg("no binding %s", name);
    return 0;
}

static inline const wgt_job_binding *binding(const wgt_job *job, const char *name) {
    return &wgt_job_get_info(job)->bindings[find(job, name)];
}

/* The text with its only "old" replaced; static storage. */
static inline const char *with(const char *text, const char *old, const char *new_text) {
    static char memory[65536];
    const char *at = strstr(text, old);
    assert_non_null(at);
    assert_true(strlen(text) + strlen(new_text) < sizeof memory);
    (void)snprintf(memory, sizeof memory, "%.*s%s%s", (int)(at - text), text, new_text, at + strlen(old));
    return memory;
}

/* An allocator that hands out memory `left` times and knows how much of it is open. */
typedef struct counter {
    size_t left;
    size_t open;
} counter;

static inline void *counted(void *user, void *memory, size_t old_size, size_t new_size) {
    counter *c = user;
    if (new_size == 0) {
        c->open -= memory == NULL ? 0 : 1;
        free(memory);
        return NULL;
    }
    if (c->left == 0) {
        return NULL;
    }
    c->left--;
    (void)old_size;
    void *result = realloc(memory, new_size);
    c->open += memory == NULL && result != NULL ? 1 : 0;
    return result;
}

#endif
