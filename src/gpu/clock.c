/* The self-test of a device's clock. It goes through the function table alone, so that every kind
 * of device is tested alike. */
#include "engine.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include <string.h>

#define SPANS 36            /* a few dozen */
#define BUDGET_NS 30000000u /* for all of them, longer spans included */
#define DEADLINE_NS 10000000000u
#define LEAST_SPANS 8
#define LONG_ENOUGH_NS 2e6 /* a clock that cannot see this much is of no use */
#define CELLS 64

/* The loop stays short: Mesa 22's lavapipe ends loops silently at 65,535 iterations. */
static const char code[] =
    "@group(0) @binding(0) var<storage, read_write> cells: array<u32, 64>;\n"
    "@compute @workgroup_size(32)\n"
    "fn main(@builtin(local_invocation_index) i: u32) {\n"
    "    var x = cells[i];\n"
    "    for (var k = 0u; k < 64u; k++) { x = x * 1664525u + 1013904223u; }\n"
    "    cells[i] = x;\n"
    "}\n";

typedef struct probe {
    wgt_gpu *gpu;
    wgt_gpu_module *module;
    wgt_gpu_buffer *buffer;
    wgt_gpu_pipeline *pipeline;
    wgt_span spans[SPANS];
    size_t count, invalid; /* invalid: without a GPU time */
} probe;

static wgt_status probe_make(probe *p, wgt_error *error) {
    static const wgt_binding_layout layout = {.kind = WGT_BIND_STORAGE_READ_WRITE};
    const wgt_gpu_api *api = p->gpu->api;
    wgt_status status = api->module_create(p->gpu, "clock", wgt_str_from(code), &p->module, error);
    if (status == WGT_OK)
        status = api->buffer_create(p->gpu, CELLS * sizeof(uint32_t), false, &p->buffer, error);
    wgt_pipeline_options options = {.module = p->module,
                                    .entry = "main",
                                    .bindings = &layout,
                                    .binding_count = 1,
                                    .workgroup = {32, 1, 1}};
    if (status == WGT_OK)
        status = api->pipeline_create(p->gpu, &options, &p->pipeline, NULL, error);
    return status;
}

static void probe_release(probe *p) {
    const wgt_gpu_api *api = p->gpu->api;
    if (p->pipeline)
        api->pipeline_destroy(p->gpu, &p->pipeline);
    if (p->buffer)
        api->buffer_destroy(p->gpu, &p->buffer);
    if (p->module)
        api->module_destroy(p->gpu, &p->module);
}

static wgt_status probe_span(probe *p, uint32_t batch, bool timed, wgt_span *span,
                             wgt_error *error) {
    wgt_bound_buffer bound = {.buffer = p->buffer};
    wgt_dispatch dispatch = {.pipeline = p->pipeline,
                             .buffers = &bound,
                             .buffer_count = 1,
                             .workgroups = {1, 1, 1},
                             .batch = batch,
                             .timed = timed};
    return p->gpu->api->dispatch(p->gpu, &dispatch, DEADLINE_NS, span, error);
}

static bool too_many_invalid(const probe *p) {
    return p->invalid * 4 > p->count;
}

/* A short and a long one by turns, each a little different; all of them longer where many do not
 * resolve, as with a clock that steps by 65 µs. */
static wgt_status probe_spans(probe *p, bool timed, wgt_error *error) {
    uint64_t start = wgt_now_ns();
    uint32_t scale = 1;
    double longest_ns = 0;
    p->count = p->invalid = 0;
    while (p->count < SPANS && (p->count < LEAST_SPANS || wgt_now_ns() - start < BUDGET_NS)) {
        uint32_t i = (uint32_t)p->count;
        uint32_t batch = scale * (i % 2 == 0 ? 1 + i % 5 : 16 + i % 7);
        wgt_span *span = &p->spans[p->count++];
        wgt_status status = probe_span(p, batch, timed, span, error);
        if (status != WGT_OK)
            return status;
        longest_ns = span->wall_ns > longest_ns ? span->wall_ns : longest_ns;
        if (!timed || !wgt_is_nan(span->gpu_ns))
            continue;
        p->invalid++;
        if (too_many_invalid(p) && p->count >= 4 && longest_ns < LONG_ENOUGH_NS) {
            scale *= 4;
            p->count = p->invalid = 0;
        }
    }
    return WGT_OK;
}

/* --- what the spans tell --- */

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common step. In ticks where the period is known, else in picoseconds. */
static double quantum_of(const probe *p, bool timed, double period_ns) {
    double unit = period_ns > 0 && timed ? period_ns : 1e-3;
    uint64_t step = 0;
    for (size_t i = 0; i < p->count; i++) {
        double ns = timed ? p->spans[i].gpu_ns : p->spans[i].wall_ns;
        if (!wgt_is_nan(ns) && ns > 0)
            step = gcd((uint64_t)(ns / unit + 0.5), step);
    }
    return (double)step * unit;
}

static double median_of(const probe *p, bool is_long, double memory[SPANS]) {
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        double ns = p->spans[i].gpu_ns;
        if (wgt_is_nan(ns) || (i % 2 == 1) != is_long)
            continue;
        size_t at = count++;
        for (; at > 0 && memory[at - 1] > ns; at--)
            memory[at] = memory[at - 1];
        memory[at] = ns;
    }
    return count > 0 ? memory[count / 2] : wgt_nan();
}

/* Why the timestamps cannot be trusted; empty when they can. */
static void judge(const probe *p, wgt_clock *clock) {
    double memory[SPANS];
    size_t ahead = 0, valid = p->count - p->invalid;
    for (size_t i = 0; i < p->count; i++)
        if (p->spans[i].gpu_ns > 1.05 * p->spans[i].wall_ns)
            ahead++;
    if (too_many_invalid(p))
        wgt_format(clock->note, sizeof clock->note,
                   "%zu of %zu pairs of timestamps are zero, equal or backwards", p->invalid,
                   p->count);
    else if (ahead * 2 > valid)
        wgt_format(clock->note, sizeof clock->note,
                   "%zu of %zu spans are longer by timestamps than by the host's clock", ahead,
                   valid);
    else if (!(median_of(p, true, memory) > median_of(p, false, memory)))
        wgt_format(clock->note, sizeof clock->note,
                   "the timestamps do not tell a long span from a short one");
    else
        clock->note[0] = '\0';
}

static wgt_status test_clock(probe *p, wgt_clock *clock, wgt_error *error) {
    const wgt_adapter *adapter = p->gpu->api->adapter(p->gpu);
    wgt_span warm;
    wgt_status status = probe_make(p, error);
    if (status == WGT_OK)
        status = probe_span(p, 1, false, &warm, error);
    if (!adapter->has_timestamps)
        wgt_format(clock->note, sizeof clock->note, "the device offers no timestamps");
    /* Once more after a failure: a busy machine can lengthen a span by any amount. */
    for (int attempt = 0; attempt < 2 && status == WGT_OK && adapter->has_timestamps; attempt++) {
        status = probe_spans(p, true, error);
        if (status != WGT_OK)
            break;
        judge(p, clock);
        if (clock->note[0] != '\0')
            continue;
        clock->timestamps = true;
        clock->quantum_ns = quantum_of(p, true, clock->period_ns);
        return WGT_OK;
    }
    if (status == WGT_OK)
        status = probe_spans(p, false, error);
    if (status == WGT_OK)
        clock->quantum_ns = quantum_of(p, false, clock->period_ns);
    return status;
}

wgt_status wgt_gpu_clock(wgt_gpu *gpu, wgt_clock *clock, wgt_error *error) {
    probe p = {.gpu = gpu};
    *clock = (wgt_clock){.period_ns = wgt_engine_period_ns(gpu)};
    wgt_status status = test_clock(&p, clock, error);
    probe_release(&p);
    return status;
}
