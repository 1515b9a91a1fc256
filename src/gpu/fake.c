#include "fake.h"
#include "fake_truth.h"

#include "../base/hash.h"
#include "../base/host/host.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum health { HEALTHY, HUNG, GONE } health;

struct wgt_gpu_buffer {
    unsigned char *data;
    uint64_t bytes;
    wgt_hash hash; /* of the contents */
    bool hashed;
    /* Dispatches that are not written down yet: `pending` times the pattern of `pattern` is added.
     * Most contents are never looked at, and a large buffer takes long to walk. */
    uint64_t pending, pattern;
    wgt_gpu_buffer *next;
};

struct wgt_gpu_module {
    bool clock; /* the self-test's, which is spared */
    wgt_gpu_module *next;
};

struct wgt_gpu_pipeline {
    uint32_t workgroup[3];
    wgt_fake_fault fault;
    bool clock;
    wgt_binding_layout *bindings;
    size_t binding_count;
    wgt_gpu_pipeline *next;
};

typedef struct fake {
    wgt_gpu base; /* first */
    const wgt_allocator *allocator;
    wgt_fake_truth truth;
    double now_ns, busy_ns;
    uint64_t draws;
    health health;
    wgt_gpu_buffer *buffers;
    wgt_gpu_module *modules;
    wgt_gpu_pipeline *pipelines;
} fake;

static fake *fake_of(const wgt_gpu *gpu) {
    return (fake *)(uintptr_t)gpu;
}

static void *allocate(const fake *f, size_t size) {
    return f->allocator->resize(f->allocator->user, NULL, 0, size > 0 ? size : 1);
}

static void release(const fake *f, void *memory, size_t size) {
    if (memory != NULL)
        f->allocator->resize(f->allocator->user, memory, size > 0 ? size : 1, 0);
}

/* What a device that is no longer well answers to everything. */
static wgt_status check_health(fake *f, uint64_t deadline_ns, wgt_error *error) {
    if (f->health == GONE)
        return wgt_fail(error, WGT_NO_GPU, "the device was lost");
    if (f->health == HUNG) {
        f->now_ns += (double)deadline_ns;
        return wgt_fail(error, WGT_NEGATIVE, "timeout");
    }
    return WGT_OK;
}

/* Contents ------------------------------------------------------------------------------------ */

static uint32_t pattern_at(uint64_t pattern, uint64_t word) {
    return (uint32_t)wgt_random_u64(pattern, word) | 1u;
}

static void write_down(wgt_gpu_buffer *b) {
    for (uint64_t at = 0; b->pending > 0 && at + 4 <= b->bytes; at += 4) {
        uint32_t word;
        memcpy(&word, b->data + at, 4);
        word += (uint32_t)b->pending * pattern_at(b->pattern, at / 4);
        memcpy(b->data + at, &word, 4);
    }
    b->pending = 0;
}

static void add_pattern(wgt_gpu_buffer *b, uint64_t pattern, uint32_t times) {
    if (b->pending > 0 && b->pattern != pattern)
        write_down(b);
    b->pattern = pattern;
    b->pending += times;
    b->hashed = false;
}

static wgt_hash contents_hash(wgt_gpu_buffer *b) {
    if (!b->hashed) {
        write_down(b);
        b->hash = wgt_hash_bytes(b->data, (size_t)b->bytes);
        b->hashed = true;
    }
    return b->hash;
}

static void copy_contents(const wgt_copy *copy) {
    wgt_gpu_buffer *from = copy->from, *to = copy->to;
    write_down(from);
    if (copy->bytes < to->bytes)
        write_down(to);
    to->pending = 0;
    memcpy(to->data, from->data, (size_t)copy->bytes);
    to->hashed = copy->bytes == to->bytes && copy->bytes == from->bytes && from->hashed;
    to->hash = from->hash;
}

static wgt_status check_copies(const wgt_copy *copies, size_t count, wgt_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (copies[i].from == copies[i].to)
            return wgt_fail(error, WGT_BAD_INPUT, "a copy from a buffer to itself");
        if (copies[i].bytes > copies[i].from->bytes || copies[i].bytes > copies[i].to->bytes)
            return wgt_fail(error, WGT_BAD_INPUT, "a copy of %llu bytes is longer than a buffer",
                            (unsigned long long)copies[i].bytes);
    }
    return WGT_OK;
}

/* Buffers ------------------------------------------------------------------------------------- */

static wgt_status fake_buffer_create(wgt_gpu *gpu, uint64_t bytes, bool uniform,
                                     wgt_gpu_buffer **buffer, wgt_error *error) {
    fake *f = fake_of(gpu);
    const wgt_limits *limits = &f->truth.adapter.limits;
    uint64_t most = uniform ? limits->max_uniform_buffer_binding_size : limits->max_buffer_size;
    wgt_status status = check_health(f, 0, error);
    if (status != WGT_OK)
        return status;
    if (bytes > most || bytes > SIZE_MAX / 2)
        return wgt_fail(error, WGT_BAD_INPUT, "a buffer of %llu bytes, %llu are allowed",
                        (unsigned long long)bytes, (unsigned long long)most);
    wgt_gpu_buffer *b = allocate(f, sizeof *b);
    unsigned char *data = b == NULL ? NULL : allocate(f, (size_t)bytes);
    if (data == NULL) {
        release(f, b, sizeof *b);
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a buffer of %llu bytes",
                        (unsigned long long)bytes);
    }
    memset(data, 0, (size_t)bytes);
    *b = (wgt_gpu_buffer){.data = data, .bytes = bytes, .next = f->buffers};
    f->buffers = b;
    *buffer = b;
    return WGT_OK;
}

static void fake_buffer_destroy(wgt_gpu *gpu, wgt_gpu_buffer **buffer) {
    fake *f = fake_of(gpu);
    for (wgt_gpu_buffer **at = &f->buffers; *at != NULL && *buffer != NULL; at = &(*at)->next) {
        if (*at != *buffer)
            continue;
        *at = (*buffer)->next;
        release(f, (*buffer)->data, (size_t)(*buffer)->bytes);
        release(f, *buffer, sizeof **buffer);
        break;
    }
    *buffer = NULL;
}

static wgt_status check_range(const wgt_gpu_buffer *b, uint64_t offset, size_t bytes,
                              wgt_error *error) {
    if (offset > b->bytes || bytes > b->bytes - offset || offset % 4 != 0 || bytes % 4 != 0)
        return wgt_fail(error, WGT_BAD_INPUT, "%zu bytes at %llu of a buffer of %llu", bytes,
                        (unsigned long long)offset, (unsigned long long)b->bytes);
    return WGT_OK;
}

static wgt_status fake_buffer_write(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset,
                                    const void *data, size_t bytes, wgt_error *error) {
    wgt_status status = check_health(fake_of(gpu), 0, error);
    if (status == WGT_OK)
        status = check_range(buffer, offset, bytes, error);
    if (status != WGT_OK)
        return status;
    write_down(buffer);
    if (bytes > 0)
        memcpy(buffer->data + offset, data, bytes);
    buffer->hashed = false;
    return WGT_OK;
}

static wgt_status fake_buffer_read(wgt_gpu *gpu, wgt_gpu_buffer *buffer, uint64_t offset,
                                   void *data, size_t bytes, uint64_t deadline_ns,
                                   wgt_error *error) {
    wgt_status status = check_health(fake_of(gpu), deadline_ns, error);
    if (status == WGT_OK)
        status = check_range(buffer, offset, bytes, error);
    if (status != WGT_OK)
        return status;
    write_down(buffer);
    if (bytes > 0)
        memcpy(data, buffer->data + offset, bytes);
    return WGT_OK;
}

static wgt_status fake_copy(wgt_gpu *gpu, const wgt_copy *copies, size_t count,
                            uint64_t deadline_ns, wgt_error *error) {
    fake *f = fake_of(gpu);
    wgt_status status = check_health(f, deadline_ns, error);
    if (status == WGT_OK)
        status = check_copies(copies, count, error);
    for (size_t i = 0; status == WGT_OK && i < count; i++)
        copy_contents(&copies[i]);
    f->now_ns += f->truth.overhead_ns;
    return status;
}

/* Modules and pipelines ----------------------------------------------------------------------- */

static wgt_status fake_module_create(wgt_gpu *gpu, const char *name, wgt_str code,
                                     wgt_gpu_module **module, wgt_error *error) {
    fake *f = fake_of(gpu);
    wgt_status status = check_health(f, 0, error);
    if (status != WGT_OK)
        return status;
    if (code.size == 0)
        return wgt_fail(error, WGT_BAD_INPUT, "%s: an empty module", name);
    wgt_gpu_module *m = allocate(f, sizeof *m);
    if (m == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a module");
    *m = (wgt_gpu_module){.clock = strcmp(name, "clock") == 0, .next = f->modules};
    f->modules = m;
    *module = m;
    return WGT_OK;
}

static void fake_module_destroy(wgt_gpu *gpu, wgt_gpu_module **module) {
    fake *f = fake_of(gpu);
    for (wgt_gpu_module **at = &f->modules; *at != NULL && *module != NULL; at = &(*at)->next) {
        if (*at != *module)
            continue;
        *at = (*module)->next;
        release(f, *module, sizeof **module);
        break;
    }
    *module = NULL;
}

static wgt_gpu_pipeline *make_pipeline(fake *f, const wgt_pipeline_options *options) {
    size_t size = options->binding_count * sizeof *options->bindings;
    wgt_gpu_pipeline *p = allocate(f, sizeof *p);
    wgt_binding_layout *bindings = p == NULL ? NULL : allocate(f, size);
    if (bindings == NULL) {
        release(f, p, sizeof *p);
        return NULL;
    }
    if (size > 0)
        memcpy(bindings, options->bindings, size);
    *p = (wgt_gpu_pipeline){.clock = options->module->clock,
                            .bindings = bindings,
                            .binding_count = options->binding_count,
                            .next = f->pipelines};
    memcpy(p->workgroup, options->workgroup, sizeof p->workgroup);
    p->fault = p->clock ? WGT_FAKE_HONEST : wgt_fake_fault_of(&f->truth, p->workgroup);
    return p;
}

static wgt_status fake_pipeline_create(wgt_gpu *gpu, const wgt_pipeline_options *options,
                                       wgt_gpu_pipeline **pipeline, uint64_t *compile_ns,
                                       wgt_error *error) {
    fake *f = fake_of(gpu);
    wgt_status status = check_health(f, 0, error);
    if (status != WGT_OK)
        return status;
    f->now_ns += f->truth.compile_ns;
    if (compile_ns != NULL)
        *compile_ns = (uint64_t)f->truth.compile_ns;
    wgt_gpu_pipeline *p = make_pipeline(f, options);
    if (p == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a pipeline");
    f->pipelines = p;
    *pipeline = p;
    if (p->fault != WGT_FAKE_REJECTED)
        return WGT_OK;
    f->base.api->pipeline_destroy(gpu, pipeline);
    return wgt_fail(error, WGT_BAD_INPUT, "the pipeline of workgroups of %u×%u×%u was refused",
                    options->workgroup[0], options->workgroup[1], options->workgroup[2]);
}

static void fake_pipeline_destroy(wgt_gpu *gpu, wgt_gpu_pipeline **pipeline) {
    fake *f = fake_of(gpu);
    for (wgt_gpu_pipeline **at = &f->pipelines; *at != NULL && *pipeline != NULL;
         at = &(*at)->next) {
        if (*at != *pipeline)
            continue;
        *at = (*pipeline)->next;
        release(f, (*pipeline)->bindings, (*pipeline)->binding_count * sizeof(wgt_binding_layout));
        release(f, *pipeline, sizeof **pipeline);
        break;
    }
    *pipeline = NULL;
}

/* Dispatches ---------------------------------------------------------------------------------- */

static double uniform(fake *f) {
    return (double)(wgt_random_u64(f->truth.seed, f->draws++) >> 11) * 0x1p-53;
}

static double normal(fake *f) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(f);
    return sum;
}

static double noisy(fake *f, double span_ns) {
    const wgt_fake_truth *t = &f->truth;
    double swing = 6.283185307179586 * f->busy_ns / t->drift_period_ns;
    span_ns *= 1 + t->noise * normal(f);
    if (t->outlier_rate > 0 && uniform(f) < t->outlier_rate)
        span_ns *= t->outlier_times;
    span_ns *= 1 + t->drift * wgt_sin(swing);
    span_ns *= 1 + (t->ramp - 1) * wgt_exp(-f->busy_ns / t->ramp_ns);
    return span_ns > 0 ? span_ns : 0;
}

static double on_grid(const fake *f, double ns) {
    double quantum = f->truth.quantum_ns;
    return quantum > 0 ? wgt_floor(ns / quantum) * quantum : ns;
}

static const wgt_gpu_buffer *bound(const wgt_dispatch *d, const wgt_binding_layout *layout) {
    for (size_t i = 0; i < d->buffer_count; i++) {
        if (d->buffers[i].group == layout->group && d->buffers[i].binding == layout->binding)
            return d->buffers[i].buffer;
    }
    return NULL;
}

static wgt_status check_dispatch(const fake *f, const wgt_dispatch *d, wgt_error *error) {
    uint64_t most = f->truth.adapter.limits.max_compute_workgroups_per_dimension;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (d->workgroups[axis] > most)
            return wgt_fail(error, WGT_BAD_INPUT, "a dispatch of %u workgroups, %llu are allowed",
                            d->workgroups[axis], (unsigned long long)most);
    }
    for (size_t i = 0; i < d->pipeline->binding_count; i++) {
        const wgt_binding_layout *layout = &d->pipeline->bindings[i];
        const wgt_gpu_buffer *buffer = bound(d, layout);
        if (buffer == NULL || buffer->bytes < layout->min_bytes)
            return wgt_fail(error, WGT_BAD_INPUT, "binding %u of group %u has %s buffer",
                            layout->binding, layout->group, buffer == NULL ? "no" : "too small a");
    }
    return check_copies(d->before, d->before_count, error);
}

static void write_outputs(const wgt_dispatch *d) {
    const wgt_gpu_pipeline *p = d->pipeline;
    wgt_hash inputs = {0, 1};
    for (size_t i = 0; i < p->binding_count; i++) {
        wgt_gpu_buffer *buffer = (wgt_gpu_buffer *)(uintptr_t)bound(d, &p->bindings[i]);
        if (p->bindings[i].kind != WGT_BIND_STORAGE_READ_WRITE)
            inputs = wgt_hash_combine(inputs, contents_hash(buffer));
    }
    uint64_t pattern = inputs.low ^ (p->fault == WGT_FAKE_WRONG ? 0x9e3779b97f4a7c15u : 0);
    for (size_t i = 0; i < p->binding_count; i++) {
        wgt_gpu_buffer *buffer = (wgt_gpu_buffer *)(uintptr_t)bound(d, &p->bindings[i]);
        if (p->bindings[i].kind == WGT_BIND_STORAGE_READ_WRITE && p->fault != WGT_FAKE_UNCHANGED)
            add_pattern(buffer, pattern + i, d->batch);
    }
}

static wgt_status end_in_timeout(fake *f, uint64_t deadline_ns, wgt_error *error) {
    f->health = HUNG;
    return check_health(f, deadline_ns, error);
}

static wgt_status misbehave(fake *f, const wgt_gpu_pipeline *p, uint64_t deadline_ns,
                            wgt_error *error) {
    switch (p->fault) {
    case WGT_FAKE_HANG:
        return end_in_timeout(f, deadline_ns, error);
    case WGT_FAKE_LOST:
        f->health = GONE;
        return check_health(f, deadline_ns, error);
    case WGT_FAKE_ERROR:
        return wgt_fail(error, WGT_INTERNAL, "the dispatch failed");
    case WGT_FAKE_CRASH:
        abort();
    case WGT_FAKE_STALL:
        for (;;)
            pause();
    case WGT_FAKE_HONEST:
    case WGT_FAKE_REJECTED:
    case WGT_FAKE_WRONG:
    case WGT_FAKE_UNCHANGED:
        break;
    }
    return WGT_OK;
}

static wgt_status fake_dispatch(wgt_gpu *gpu, const wgt_dispatch *d, uint64_t deadline_ns,
                                wgt_span *span, wgt_error *error) {
    fake *f = fake_of(gpu);
    const wgt_gpu_pipeline *p = d->pipeline;
    wgt_status status = check_health(f, deadline_ns, error);
    if (status == WGT_OK)
        status = check_dispatch(f, d, error);
    if (status == WGT_OK)
        status = misbehave(f, p, deadline_ns, error);
    if (status != WGT_OK)
        return status;
    for (size_t i = 0; i < d->before_count; i++)
        copy_contents(&d->before[i]);
    double one_ns =
        p->clock ? f->truth.fixed_ns : wgt_fake_dispatch_ns(&f->truth, p->workgroup, d->workgroups);
    double length = noisy(f, one_ns * d->batch), overhead = f->truth.overhead_ns;
    if (length + overhead > (double)deadline_ns)
        return end_in_timeout(f, deadline_ns, error);
    f->now_ns += overhead * (0.4 + 0.1 * uniform(f));
    double start = on_grid(f, f->now_ns);
    f->now_ns += length;
    f->busy_ns += length;
    double ticks = on_grid(f, f->now_ns) - start;
    f->now_ns += overhead * 0.5;
    bool valid =
        d->timed && f->truth.adapter.has_timestamps && !f->truth.zero_timestamps && ticks > 0;
    *span = (wgt_span){valid ? ticks : wgt_nan(), length + overhead};
    write_outputs(d);
    return WGT_OK;
}

/* Devices ------------------------------------------------------------------------------------- */

static void fake_close(wgt_gpu *gpu) {
    fake *f = fake_of(gpu);
    while (f->pipelines != NULL)
        fake_pipeline_destroy(gpu, &(wgt_gpu_pipeline *){f->pipelines});
    while (f->modules != NULL)
        fake_module_destroy(gpu, &(wgt_gpu_module *){f->modules});
    while (f->buffers != NULL)
        fake_buffer_destroy(gpu, &(wgt_gpu_buffer *){f->buffers});
    release(f, f, sizeof *f);
}

static const wgt_adapter *fake_adapter(const wgt_gpu *gpu) {
    return &fake_of(gpu)->truth.adapter;
}

static const wgt_gpu_api fake_api = {
    .close = fake_close,
    .abandon = fake_close,
    .adapter = fake_adapter,
    .buffer_create = fake_buffer_create,
    .buffer_destroy = fake_buffer_destroy,
    .buffer_write = fake_buffer_write,
    .buffer_read = fake_buffer_read,
    .copy = fake_copy,
    .module_create = fake_module_create,
    .module_destroy = fake_module_destroy,
    .pipeline_create = fake_pipeline_create,
    .pipeline_destroy = fake_pipeline_destroy,
    .dispatch = fake_dispatch,
};

wgt_status wgt_fake_open(const wgt_gpu_options *options, wgt_gpu **gpu, wgt_error *error) {
    const wgt_allocator *allocator = options->allocator != NULL ? options->allocator : wgt_heap();
    fake *f = allocator->resize(allocator->user, NULL, 0, sizeof *f);
    if (f == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for a device");
    memset(f, 0, sizeof *f);
    f->base.api = &fake_api;
    f->allocator = allocator;
    f->now_ns = 1e9;
    wgt_status status = wgt_fake_truth_read(options, &f->truth, error);
    if (status != WGT_OK) {
        release(f, f, sizeof *f);
        return status;
    }
    *gpu = &f->base;
    return WGT_OK;
}

wgt_status wgt_fake_adapters(const wgt_gpu_options *options, wgt_adapter *adapters, size_t capacity,
                             size_t *count, wgt_error *error) {
    wgt_fake_truth truth;
    wgt_status status = wgt_fake_truth_read(options, &truth, error);
    if (status != WGT_OK)
        return status;
    *count = 1;
    if (capacity > 0)
        adapters[0] = truth.adapter;
    return WGT_OK;
}

uint64_t wgt_fake_now_ns(const wgt_gpu *gpu) {
    return gpu->api == &fake_api ? (uint64_t)fake_of(gpu)->now_ns : 0;
}
