#include "probe_execute.h"
#include "../base/number.h"
#include "../gpu/statistics.h"
#include <string.h>

#define COUNTER_WORDS 16
#define LEAST_BUFFER_BYTES ((uint64_t)65536)

struct wgt_prober {
    wgt_gpu *gpu;
    const wgt_allocator *allocator;
    bool wall;
    wgt_gpu_buffer *uniform, *counters, *source, *target;
    uint64_t source_bytes, target_bytes;
    /* The last pipeline: experiments come in runs of the same kernel. */
    wgt_gpu_module *module;
    wgt_gpu_pipeline *pipeline;
    wgt_probe_action made;
    wgt_statistics statistics;
    char text[WGT_PROBE_TEXT_SIZE];
};

static const wgt_statistics unknown_statistics = {WGT_UNKNOWN_U64, WGT_UNKNOWN_U64, WGT_UNKNOWN_U64,
                                                  WGT_UNKNOWN_U64};

wgt_status wgt_prober_create(wgt_gpu *gpu, bool wall, const wgt_allocator *allocator, wgt_prober **prober,
                             wgt_error *error) {
    *prober = NULL;
    wgt_prober *p = allocator->resize(allocator->user, NULL, 0, sizeof *p);
    if (p == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for the probe");
    }
    memset(p, 0, sizeof *p);
    p->gpu = gpu;
    p->allocator = allocator;
    p->wall = wall;
    wgt_status status = gpu->api->buffer_create(gpu, 16, true, &p->uniform, error);
    if (status == WGT_OK) {
        status = gpu->api->buffer_create(gpu, COUNTER_WORDS * 4, false, &p->counters, error);
    }
    *prober = p;
    if (status != WGT_OK) {
        wgt_prober_destroy(prober);
    }
    return status;
}

static void drop_pipeline(wgt_prober *p) {
    if (p->pipeline != NULL) {
        p->gpu->api->pipeline_destroy(p->gpu, &p->pipeline);
    }
    if (p->module != NULL) {
        p->gpu->api->module_destroy(p->gpu, &p->module);
    }
}

void wgt_prober_destroy(wgt_prober **prober) {
    wgt_prober *p = *prober;
    *prober = NULL;
    if (p == NULL) {
        return;
    }
    drop_pipeline(p);
    wgt_gpu_buffer **const buffers[] = {&p->uniform, &p->counters, &p->source, &p->target};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        if (*buffers[i] != NULL) {
            p->gpu->api->buffer_destroy(p->gpu, buffers[i]);
        }
    }
    p->allocator->resize(p->allocator->user, p, sizeof *p, 0);
}

static wgt_status need_buffer(wgt_prober *p, wgt_gpu_buffer **buffer, uint64_t *has, uint64_t bytes,
                              wgt_error *error) {
    bytes = bytes < LEAST_BUFFER_BYTES ? LEAST_BUFFER_BYTES : bytes;
    if (*buffer != NULL && *has >= bytes) {
        return WGT_OK;
    }
    if (*buffer != NULL) {
        p->gpu->api->buffer_destroy(p->gpu, buffer);
    }
    *has = bytes;
    return p->gpu->api->buffer_create(p->gpu, bytes, false, buffer, error);
}

static wgt_status need_buffers(wgt_prober *p, const wgt_probe_action *a, wgt_error *error) {
    const bool reads = a->kernel == WGT_PROBE_READ || a->kernel == WGT_PROBE_COPY;
    const bool writes = a->kernel == WGT_PROBE_WRITE || a->kernel == WGT_PROBE_COPY ||
                        a->kernel == WGT_PROBE_ATOMIC_SPREAD;
    wgt_status status = need_buffer(p, &p->source, &p->source_bytes, reads ? a->bytes : 0, error);
    return status == WGT_OK ? need_buffer(p, &p->target, &p->target_bytes, writes ? a->bytes : 0, error) : status;
}

static wgt_status need_pipeline(wgt_prober *p, const wgt_probe_action *a, uint64_t *compile_ns, wgt_error *error) {
    static const wgt_binding_layout layout[] = {
        {0, 0, WGT_BIND_UNIFORM, 16},
        {0, 1, WGT_BIND_STORAGE_READ_WRITE, 0},
        {0, 2, WGT_BIND_STORAGE_READ, 0},
        {0, 3, WGT_BIND_STORAGE_READ_WRITE, 0},
    };
    const wgt_probe_action *m = &p->made;
    *compile_ns = 0;
    if (p->pipeline != NULL && m->kernel == a->kernel && m->size == a->size && m->shared_bytes == a->shared_bytes &&
        m->live == a->live) {
        return WGT_OK;
    }
    drop_pipeline(p);
    const size_t size = wgt_probe_text(a, p->text, sizeof p->text);
    if (size == 0) {
        return wgt_fail(error, WGT_INTERNAL, "the kernel's text is too long");
    }
    wgt_status status = p->gpu->api->module_create(p->gpu, wgt_probe_kernel_name(a->kernel),
                                                   (wgt_str){p->text, size}, &p->module, error);
    if (status != WGT_OK) {
        return status;
    }
    const wgt_pipeline_options options = {
        .module = p->module, .entry = "main", .bindings = layout, .binding_count = 4, .workgroup = {a->size, 1, 1}};
    const uint64_t mark = wgt_statistics_mark();
    status = p->gpu->api->pipeline_create(p->gpu, &options, &p->pipeline, compile_ns, error);
    p->statistics = unknown_statistics;
    if (status == WGT_OK) {
        p->made = *a;
        if (wgt_statistics_take(mark, &p->statistics) != WGT_OK) {
            p->statistics = unknown_statistics;
        }
    }
    return status;
}

static wgt_status run_spans(wgt_prober *p, const wgt_probe_action *a, wgt_probe_report *r, wgt_error *error) {
    const wgt_gpu_api *api = p->gpu->api;
    const wgt_bound_buffer bound[] = {
        {0, 0, p->uniform}, {0, 1, p->counters}, {0, 2, p->source}, {0, 3, p->target}};
    const wgt_dispatch dispatch = {.pipeline = p->pipeline, .buffers = bound, .buffer_count = 4,
                                   .workgroups = {a->workgroups, 1, 1}, .batch = a->batch, .timed = !p->wall};
    const bool counts = a->kernel == WGT_PROBE_RESIDENCY || a->kernel == WGT_PROBE_LIVE;
    uint32_t parameters[4], words[COUNTER_WORDS] = {0};
    wgt_probe_parameters(a, parameters);
    wgt_status status = api->buffer_write(p->gpu, p->uniform, 0, parameters, sizeof parameters, error);
    if (status == WGT_OK) {
        status = api->buffer_write(p->gpu, p->counters, 0, words, sizeof words, error);
    }
    for (uint32_t i = 0; status == WGT_OK && i < a->spans && i < WGT_PROBE_MAX_SPANS; i++) {
        wgt_span span;
        status = api->dispatch(p->gpu, &dispatch, a->deadline_ns, &span, error);
        const bool stamped = !p->wall && !wgt_is_nan(span.gpu_ns);
        /* A count needs only a rough time: a span too short for the clock is no failure of it. */
        r->spans_ns[r->span_count++] = stamped ? span.gpu_ns : p->wall || counts ? span.wall_ns : 0;
    }
    if (status == WGT_OK && counts) {
        status = api->buffer_read(p->gpu, p->counters, 0, words, sizeof words, a->deadline_ns, error);
        r->peak = words[1];
        r->entries = words[2];
        r->sum = words[3];
    }
    return status;
}

void wgt_prober_execute(wgt_prober *p, const wgt_probe_action *a, wgt_probe_report *r, wgt_error *error) {
    static const struct {
        wgt_status status;
        wgt_outcome outcome;
    } outcomes[] = {{WGT_NEGATIVE, WGT_OUTCOME_TIMEOUT}, {WGT_NO_GPU, WGT_OUTCOME_LOST},
                    {WGT_BAD_INPUT, WGT_OUTCOME_REJECTED}};
    *r = (wgt_probe_report){.id = a->id};
    wgt_status status = need_buffers(p, a, error);
    if (status == WGT_OK) {
        status = need_pipeline(p, a, &r->compile_ns, error);
    }
    if (status == WGT_OK) {
        status = run_spans(p, a, r, error);
    }
    r->registers = p->statistics.registers;
    r->spill_bytes = p->statistics.spill_bytes;
    r->shared_bytes = p->statistics.shared_bytes;
    r->subgroup_size = p->statistics.subgroup_size;
    r->outcome = status == WGT_OK ? WGT_OUTCOME_OK : WGT_OUTCOME_FAILED;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        if (status == outcomes[i].status) {
            r->outcome = outcomes[i].outcome;
        }
    }
}

/* Over the pipe ---------------------------------------------------------------------------------------- */

typedef struct field {
    const char *name;
    size_t offset;
    bool wide;
} field;

#define NARROW(type, member) {#member, offsetof(type, member), false}
#define WIDE(type, member) {#member, offsetof(type, member), true}

static const field action_fields[] = {
    NARROW(wgt_probe_action, id),         NARROW(wgt_probe_action, size),       NARROW(wgt_probe_action, shared_bytes),
    NARROW(wgt_probe_action, live),       NARROW(wgt_probe_action, workgroups), NARROW(wgt_probe_action, iterations),
    NARROW(wgt_probe_action, batch),      NARROW(wgt_probe_action, spans),      WIDE(wgt_probe_action, bytes),
    WIDE(wgt_probe_action, deadline_ns),
};
static const field report_fields[] = {
    NARROW(wgt_probe_report, id),        WIDE(wgt_probe_report, peak),         WIDE(wgt_probe_report, entries),
    WIDE(wgt_probe_report, sum),         WIDE(wgt_probe_report, compile_ns),   WIDE(wgt_probe_report, registers),
    WIDE(wgt_probe_report, spill_bytes), WIDE(wgt_probe_report, shared_bytes), WIDE(wgt_probe_report, subgroup_size),
};

static void write_fields(wgt_json_writer *w, const void *from, const field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t wide = 0;
        uint32_t narrow = 0;
        const char *at = (const char *)from + fields[i].offset;
        memcpy(fields[i].wide ? (void *)&wide : (void *)&narrow, at, fields[i].wide ? sizeof wide : sizeof narrow);
        wgt_json_key(w, fields[i].name);
        wgt_json_write_u64(w, fields[i].wide ? wide : narrow);
    }
}

static void read_fields(const wgt_json *json, void *to, const field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t wide = wgt_json_u64(json, fields[i].name);
        const uint32_t narrow = wide > UINT32_MAX ? 0 : (uint32_t)wide;
        char *at = (char *)to + fields[i].offset;
        memcpy(at, fields[i].wide ? (const void *)&wide : (const void *)&narrow,
               fields[i].wide ? sizeof wide : sizeof narrow);
    }
}

void wgt_probe_write_action(wgt_json_writer *w, const wgt_probe_action *a) {
    wgt_json_begin_object(w);
    wgt_json_key(w, "probe");
    wgt_json_cstring(w, wgt_probe_kernel_name(a->kernel));
    write_fields(w, a, action_fields, sizeof action_fields / sizeof *action_fields);
    wgt_json_end_object(w);
}

bool wgt_probe_read_action(const wgt_json *json, wgt_probe_action *a) {
    const wgt_str name = wgt_json_string_or(json, "probe", WGT_STR(""));
    *a = (wgt_probe_action){0};
    read_fields(json, a, action_fields, sizeof action_fields / sizeof *action_fields);
    for (unsigned i = 0; i < WGT_PROBE_KERNEL_COUNT; i++) {
        if (wgt_str_is(name, wgt_probe_kernel_name((wgt_probe_kernel)i))) {
            a->kernel = (wgt_probe_kernel)i;
            return a->size > 0 && a->spans <= WGT_PROBE_MAX_SPANS;
        }
    }
    return false;
}

static const wgt_outcome outcomes[] = {WGT_OUTCOME_OK,      WGT_OUTCOME_REJECTED, WGT_OUTCOME_FAILED,
                                       WGT_OUTCOME_TIMEOUT, WGT_OUTCOME_LOST,     WGT_OUTCOME_CRASHED,
                                       WGT_OUTCOME_INTERRUPTED};

void wgt_probe_write_report(wgt_json_writer *w, const wgt_probe_report *r, const char *message) {
    wgt_json_begin_object(w);
    wgt_json_key(w, "outcome");
    wgt_json_write_u64(w, (uint64_t)r->outcome);
    write_fields(w, r, report_fields, sizeof report_fields / sizeof *report_fields);
    wgt_json_key(w, "spans_ns");
    wgt_json_begin_inline_array(w);
    for (size_t i = 0; i < r->span_count; i++) {
        wgt_json_number(w, r->spans_ns[i]);
    }
    wgt_json_end_array(w);
    if (message != NULL && message[0] != '\0') {
        wgt_json_key(w, "message");
        wgt_json_cstring(w, message);
    }
    wgt_json_end_object(w);
}

bool wgt_probe_read_report(const wgt_json *json, wgt_probe_report *r, wgt_error *message) {
    const wgt_json *spans = wgt_json_get(json, "spans_ns");
    const uint64_t outcome = wgt_json_u64(json, "outcome");
    *r = (wgt_probe_report){0};
    read_fields(json, r, report_fields, sizeof report_fields / sizeof *report_fields);
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        if (outcome == (uint64_t)outcomes[i]) {
            r->outcome = outcomes[i];
        }
    }
    for (const wgt_json *s = spans == NULL ? NULL : spans->first; s != NULL; s = s->next) {
        if (r->span_count == WGT_PROBE_MAX_SPANS) {
            return false;
        }
        r->spans_ns[r->span_count++] = s->type == WGT_JSON_NUMBER ? s->number : 0;
    }
    const wgt_str words = wgt_json_string_or(json, "message", WGT_STR(""));
    wgt_format(message->message, sizeof message->message, "%.*s", (int)words.size, words.data);
    return outcome <= WGT_OUTCOME_INTERRUPTED && spans != NULL;
}
