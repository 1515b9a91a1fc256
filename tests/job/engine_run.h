/* Shared by the tests that run a job's kernel once on a real engine and hold what it leaves against plain C. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "../gpu/engine_fixture.h"
#include "helper.h"

#define MOST_BINDINGS 8

static wgt_gpu *gpu;

static size_t bytes_of(const wgt_job *job, const char *name) { return (size_t)binding(job, name)->bytes; }

static void *contents(const wgt_job *job, size_t index) {
    const size_t bytes = (size_t)wgt_job_get_info(job)->bindings[index].bytes;
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_ok(wgt_job_fill(job, index, 0, data, bytes, error));
    return data;
}

/* One dispatch of a candidate from the job's initial contents; what it leaves in `output`, to be freed. */
static void *run(const wgt_job *job, const wgt_candidate *c, const char *output) {
    const wgt_job_info *info = wgt_job_get_info(job);
    wgt_binding_layout layouts[MOST_BINDINGS] = {{0, 0, WGT_BIND_UNIFORM, 0}};
    wgt_bound_buffer buffers[MOST_BINDINGS] = {{0, 0, NULL}};
    const size_t count = info->binding_count;
    assert_true(count <= MOST_BINDINGS);
    for (size_t i = 0; i < count; i++) {
        const wgt_job_binding *b = &info->bindings[i];
        void *data = contents(job, i);
        layouts[i] = (wgt_binding_layout){b->group, b->binding, b->kind, 0};
        buffers[i] = (wgt_bound_buffer){b->group, b->binding, NULL};
        assert_ok(gpu->api->buffer_create(gpu, b->bytes, b->kind == WGT_BIND_UNIFORM, &buffers[i].buffer, error));
        assert_ok(gpu->api->buffer_write(gpu, buffers[i].buffer, 0, data, (size_t)b->bytes, error));
        free(data);
    }
    wgt_gpu_module *module = new_module(gpu, info->code.data);
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_constant constants[WGT_MAX_CONSTANTS];
    for (size_t i = 0; i < info->constant_count; i++) {
        constants[i] = (wgt_constant){info->constants[i].key.data, c->constants[i]};
    }
    const wgt_pipeline_options options = {.module = module, .entry = info->entry.data, .constants = constants,
                                          .constant_count = info->constant_count, .bindings = layouts,
                                          .binding_count = count,
                                          .workgroup = {c->workgroup[0], c->workgroup[1], c->workgroup[2]}};
    uint64_t compile_ns = 0;
    assert_ok(gpu->api->pipeline_create(gpu, &options, &pipeline, &compile_ns, error));
    const wgt_dispatch dispatch = {.pipeline = pipeline, .buffers = buffers, .buffer_count = count, .batch = 1,
                                   .workgroups = {(uint32_t)c->workgroups[0], (uint32_t)c->workgroups[1], 1}};
    wgt_span span;
    assert_ok(gpu->api->dispatch(gpu, &dispatch, DEADLINE_NS, &span, error));
    const size_t bytes = bytes_of(job, output);
    void *left = malloc(bytes);
    assert_non_null(left);
    assert_ok(gpu->api->buffer_read(gpu, buffers[find(job, output)].buffer, 0, left, bytes, DEADLINE_NS, error));
    for (size_t i = 0; i < count; i++) {
        gpu->api->buffer_destroy(gpu, &buffers[i].buffer);
    }
    gpu->api->pipeline_destroy(gpu, &pipeline);
    gpu->api->module_destroy(gpu, &module);
    return left;
}

/* `folder`: from the tests' data. */
static wgt_job *job_in(const char *folder, const char *name, const wgt_named *problem, size_t count) {
    char path[1024];
    wgt_job *job = NULL;
    const wgt_job_options options = {NULL, problem, count};
    (void)snprintf(path, sizeof path, "%s/%s/%s.job.json", getenv("WGTUNE_TEST_DATA"), folder, name);
    assert_ok(wgt_job_load(&options, path, &job, error));
    return job;
}

static wgt_job *built_in(const char *name, const wgt_named *problem, size_t count) {
    return job_in("../../kernels", name, problem, count);
}

/* The tests (the last one empty) on lavapipe and on SwiftShader; main's return value. */
static int run_on_cpu_drivers(const struct CMUnitTest *tests) {
    static const char *const adapters[] = {"llvmpipe", "SwiftShader"};
    size_t count = 0;
    int status = 0, run_on = 0;
    use_cpu_drivers();
    while (tests[count].test_func != NULL) {
        count++;
    }
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++) {
        if (has_adapter(adapters[i])) {
            gpu = open_adapter(adapters[i]);
            status |= _cmocka_run_group_tests(adapters[i], tests, count, NULL, NULL);
            wgt_gpu_close(&gpu);
            run_on++;
        }
    }
    return run_on == 0 ? skipped("neither lavapipe nor SwiftShader is installed") : status;
}

#endif
