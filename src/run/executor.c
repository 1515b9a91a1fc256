#include "executor.h"
#include "trace.h"
#include "wgtune/rewrite.h"
#include "../gpu/statistics.h"
#include "../base/hash.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include <string.h>

/* What a written output starts from before a verifying dispatch, so that a cell that was never written shows. */
#define POISON 0xA5
/* Host memory for outputs that are kept to be compared; beyond it they are made again. */
#define KEEP_BYTES ((uint64_t)1 << 30)
#define FILL_PIECE ((size_t)1 << 22)

typedef struct binding_state {
    const wgt_job_binding *job;
    wgt_gpu_buffer *live;
    wgt_gpu_buffer *initial; /* NULL: the kernel does not write it */
    wgt_gpu_buffer *start;   /* what a verifying dispatch starts from: `initial`, or the poison */
    wgt_gpu_buffer *poison;
    wgt_hash start_hash;     /* of outputs */
} binding_state;

/* A candidate's pipeline and its dispatch; made at its first action on this device. */
typedef struct slot {
    wgt_gpu_pipeline *pipeline;
    wgt_candidate candidate;
    wgt_statistics compiled; /* the driver's word on it */
    wgt_hash output;         /* of its verifying dispatch */
    bool verified;
} slot;

/* The kernel that counts its resident workgroups; made when it is first asked for. */
typedef struct counting {
    wgt_gpu_module *module;
    wgt_gpu_buffer *buffer;
    uint32_t group, binding;
    bool tried;
    wgt_error why; /* it cannot be */
} counting;

typedef struct kept_output {
    uint32_t candidate;
    unsigned char *data;
    struct kept_output *next;
} kept_output;

struct wgt_executor {
    wgt_gpu *gpu;
    const wgt_job *job;
    const wgt_job_info *info;
    const wgt_allocator *allocator;
    bool wall;
    wgt_gpu_module *module;
    binding_state *bindings;
    wgt_bound_buffer *bound;
    wgt_binding_layout *layout; /* one place more than bindings in both: the counters' */
    wgt_copy *copies; /* scratch: one for each binding */
    counting counting;
    slot *slots;
    size_t slot_count;
    uint64_t output_bytes; /* of all outputs together */
    kept_output *kept;
    uint64_t kept_bytes;
    double spans[WGT_MAX_SPANS];
    wgt_error error;
};

static void *allocate(const wgt_executor *x, size_t size) {
    void *memory = x->allocator->resize(x->allocator->user, NULL, 0, size == 0 ? 1 : size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

static void release(const wgt_executor *x, void *memory, size_t size) {
    if (memory != NULL) {
        x->allocator->resize(x->allocator->user, memory, size == 0 ? 1 : size, 0);
    }
}

static bool written(const wgt_job_binding *binding) { return binding->kind == WGT_BIND_STORAGE_READ_WRITE; }

/* Buffers ------------------------------------------------------------------------------------------- */

static wgt_status fill_buffer(wgt_executor *x, size_t index, wgt_gpu_buffer *buffer, bool poison,
                              unsigned char *piece, wgt_error *error) {
    uint64_t bytes = x->bindings[index].job->bytes;
    for (uint64_t offset = 0; offset < bytes;) {
        size_t size = bytes - offset < FILL_PIECE ? (size_t)(bytes - offset) : FILL_PIECE;
        wgt_status status = WGT_OK;
        if (poison) {
            memset(piece, POISON, size);
        } else {
            status = wgt_job_fill(x->job, index, offset, piece, size, error);
        }
        if (status == WGT_OK) {
            status = x->gpu->api->buffer_write(x->gpu, buffer, offset, piece, size, error);
        }
        if (status != WGT_OK) {
            return status;
        }
        offset += size;
    }
    return WGT_OK;
}

static wgt_status hash_of_start(wgt_executor *x, size_t index, wgt_error *error) {
    binding_state *b = &x->bindings[index];
    size_t bytes = (size_t)b->job->bytes;
    unsigned char *data = allocate(x, bytes);
    if (data == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for the %zu bytes of '%.*s'", bytes,
                        (int)b->job->name.size, b->job->name.data);
    }
    wgt_status status = WGT_OK;
    if (b->poison != NULL) {
        memset(data, POISON, bytes);
    } else {
        status = wgt_job_fill(x->job, index, 0, data, bytes, error);
    }
    b->start_hash = wgt_hash_bytes(data, bytes);
    release(x, data, bytes);
    return status;
}

static wgt_status make_binding(wgt_executor *x, size_t index, unsigned char *piece, wgt_error *error) {
    binding_state *b = &x->bindings[index];
    const wgt_job_binding *job = &x->info->bindings[index];
    const wgt_gpu_api *api = x->gpu->api;
    b->job = job;
    wgt_status status =
        api->buffer_create(x->gpu, job->bytes, job->kind == WGT_BIND_UNIFORM, &b->live, error);
    if (status == WGT_OK) {
        status = fill_buffer(x, index, b->live, false, piece, error);
    }
    if (status == WGT_OK && written(job)) {
        status = api->buffer_create(x->gpu, job->bytes, false, &b->initial, error);
        if (status == WGT_OK) {
            status = fill_buffer(x, index, b->initial, false, piece, error);
        }
        b->start = b->initial;
    }
    if (status == WGT_OK && job->output && written(job) && !job->accumulates) {
        status = api->buffer_create(x->gpu, job->bytes, false, &b->poison, error);
        if (status == WGT_OK) {
            status = fill_buffer(x, index, b->poison, true, piece, error);
        }
        b->start = b->poison;
    }
    if (status == WGT_OK && job->output) {
        x->output_bytes += job->bytes;
        status = hash_of_start(x, index, error);
    }
    x->bound[index] = (wgt_bound_buffer){job->group, job->binding, b->live};
    x->layout[index] = (wgt_binding_layout){job->group, job->binding, job->kind, 0};
    return status;
}

static wgt_status make_all(wgt_executor *x, wgt_error *error) {
    size_t count = x->info->binding_count;
    x->bindings = allocate(x, count * sizeof *x->bindings);
    x->bound = allocate(x, (count + 1) * sizeof *x->bound);
    x->layout = allocate(x, (count + 1) * sizeof *x->layout);
    x->copies = allocate(x, count * sizeof *x->copies);
    unsigned char *piece = allocate(x, FILL_PIECE);
    wgt_status status = WGT_OK;
    if (x->bindings == NULL || x->bound == NULL || x->layout == NULL || x->copies == NULL || piece == NULL) {
        status = wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    for (size_t i = 0; i < count && status == WGT_OK; i++) {
        status = make_binding(x, i, piece, error);
    }
    release(x, piece, FILL_PIECE);
    return status;
}

/* Texts of the job are NUL-terminated only where its header says so. */
static wgt_status make_module(wgt_executor *x, wgt_error *error) {
    char name[512];
    wgt_format(name, sizeof name, "%.*s", (int)x->info->kernel.size, x->info->kernel.data);
    return x->gpu->api->module_create(x->gpu, name, x->info->code, &x->module, error);
}

wgt_status wgt_executor_create(wgt_gpu *gpu, const wgt_job *job, bool wall, const wgt_allocator *allocator,
                               wgt_executor **executor, wgt_error *error) {
    *executor = NULL;
    wgt_executor *x = allocator->resize(allocator->user, NULL, 0, sizeof *x);
    if (x == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    *x = (wgt_executor){.gpu = gpu, .job = job, .info = wgt_job_get_info(job), .allocator = allocator,
                        .wall = wall};
    wgt_status status = make_module(x, error);
    if (status == WGT_OK) {
        status = make_all(x, error);
    }
    if (status != WGT_OK) {
        wgt_executor_destroy(&x);
    }
    *executor = x;
    return status;
}

static void forget_outputs(wgt_executor *x) {
    while (x->kept != NULL) {
        kept_output *next = x->kept->next;
        release(x, x->kept->data, (size_t)x->output_bytes);
        release(x, x->kept, sizeof *x->kept);
        x->kept = next;
    }
    x->kept_bytes = 0;
}

void wgt_executor_destroy(wgt_executor **executor) {
    wgt_executor *x = *executor;
    *executor = NULL;
    if (x == NULL) {
        return;
    }
    const wgt_gpu_api *api = x->gpu->api;
    forget_outputs(x);
    for (size_t i = 0; i < x->slot_count; i++) {
        if (x->slots[i].pipeline != NULL) {
            api->pipeline_destroy(x->gpu, &x->slots[i].pipeline);
        }
    }
    release(x, x->slots, x->slot_count * sizeof *x->slots);
    for (size_t i = 0; x->bindings != NULL && i < x->info->binding_count; i++) {
        wgt_gpu_buffer **buffers[] = {&x->bindings[i].live, &x->bindings[i].initial, &x->bindings[i].poison};
        for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
            if (*buffers[k] != NULL) {
                api->buffer_destroy(x->gpu, buffers[k]);
            }
        }
    }
    if (x->counting.buffer != NULL) {
        api->buffer_destroy(x->gpu, &x->counting.buffer);
    }
    if (x->counting.module != NULL) {
        api->module_destroy(x->gpu, &x->counting.module);
    }
    if (x->module != NULL) {
        api->module_destroy(x->gpu, &x->module);
    }
    size_t count = x->info->binding_count;
    release(x, x->bindings, count * sizeof *x->bindings);
    release(x, x->bound, (count + 1) * sizeof *x->bound);
    release(x, x->layout, (count + 1) * sizeof *x->layout);
    release(x, x->copies, count * sizeof *x->copies);
    const wgt_allocator *allocator = x->allocator;
    allocator->resize(allocator->user, x, sizeof *x, 0);
}

/* Pipelines ------------------------------------------------------------------------------------------ */

static bool grow_slots(wgt_executor *x, size_t needed) {
    if (needed <= x->slot_count) {
        return true;
    }
    size_t count = needed < 64 ? 64 : needed * 2;
    size_t old = x->slot_count * sizeof *x->slots;
    void *memory = x->allocator->resize(x->allocator->user, x->slots, old, count * sizeof *x->slots);
    if (memory == NULL) {
        return false;
    }
    x->slots = memory;
    memset(x->slots + x->slot_count, 0, (count - x->slot_count) * sizeof *x->slots);
    x->slot_count = count;
    return true;
}

static wgt_status make_pipeline(wgt_executor *x, wgt_gpu_module *module, const wgt_candidate *candidate,
                                size_t more_bindings, wgt_gpu_pipeline **pipeline, uint64_t *compile_ns,
                                wgt_statistics *compiled) {
    wgt_constant constants[WGT_MAX_CONSTANTS];
    for (size_t i = 0; i < x->info->constant_count; i++) {
        constants[i] = (wgt_constant){x->info->constants[i].key.data, candidate->constants[i]};
    }
    const wgt_pipeline_options options = {
        .module = module,
        .entry = x->info->entry.data,
        .constants = constants,
        .constant_count = x->info->constant_count,
        .bindings = x->layout,
        .binding_count = x->info->binding_count + more_bindings,
        .workgroup = {candidate->workgroup[0], candidate->workgroup[1], candidate->workgroup[2]},
    };
    uint64_t mark = wgt_statistics_mark();
    wgt_status status = x->gpu->api->pipeline_create(x->gpu, &options, pipeline, compile_ns, &x->error);
    /* Without the layer, or with a driver that tells nothing, all of it stays unknown. */
    wgt_statistics_take(mark, compiled);
    return status;
}

static wgt_status compile(wgt_executor *x, uint32_t index, const wgt_candidate *candidate,
                          uint64_t *compile_ns) {
    *compile_ns = 0;
    if (!grow_slots(x, (size_t)index + 1)) {
        return wgt_fail(&x->error, WGT_NO_MEMORY, "no memory");
    }
    slot *mine = &x->slots[index];
    if (mine->pipeline != NULL) {
        return WGT_OK;
    }
    mine->candidate = *candidate;
    return make_pipeline(x, x->module, candidate, 0, &mine->pipeline, compile_ns, &mine->compiled);
}

/* Dispatches ------------------------------------------------------------------------------------------ */

static wgt_status dispatch(wgt_executor *x, const wgt_action *a, size_t copy_count, double *span_ns) {
    const slot *mine = &x->slots[a->candidate];
    uint64_t workgroups[3];
    wgt_action_workgroups(a, &mine->candidate, workgroups);
    const wgt_dispatch d = {
        .pipeline = mine->pipeline,
        .buffers = x->bound,
        .buffer_count = x->info->binding_count,
        .workgroups = {(uint32_t)workgroups[0], (uint32_t)workgroups[1], (uint32_t)workgroups[2]},
        .batch = a->batch,
        .before = x->copies,
        .before_count = copy_count,
        .timed = !x->wall,
    };
    wgt_span span = {wgt_nan(), wgt_nan()};
    wgt_status status = x->gpu->api->dispatch(x->gpu, &d, a->deadline_ns, &span, &x->error);
    *span_ns = x->wall ? span.wall_ns : span.gpu_ns;
    return status;
}

/* Which buffers go back to their initial state before a sample. */
static size_t copies_before_sample(wgt_executor *x) {
    size_t count = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        const binding_state *b = &x->bindings[i];
        if (b->initial != NULL && b->job->reset != WGT_RESET_NEVER) {
            x->copies[count++] = (wgt_copy){b->initial, b->live, b->job->bytes};
        }
    }
    return count;
}

static size_t copies_before_verify(wgt_executor *x) {
    size_t count = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        const binding_state *b = &x->bindings[i];
        if (b->start != NULL) {
            x->copies[count++] = (wgt_copy){b->start, b->live, b->job->bytes};
        }
    }
    return count;
}

static wgt_status run(wgt_executor *x, const wgt_action *a, wgt_report *report) {
    if (a->samples > WGT_MAX_SPANS) {
        return wgt_fail(&x->error, WGT_USAGE, "more than %d samples in one action", WGT_MAX_SPANS);
    }
    for (uint32_t i = 0; i < a->samples; i++) {
        wgt_status status = dispatch(x, a, copies_before_sample(x), &x->spans[i]);
        if (status != WGT_OK) {
            return status;
        }
        report->span_count = i + 1;
    }
    return WGT_OK;
}

static wgt_status read_outputs(wgt_executor *x, uint64_t deadline_ns, unsigned char *data) {
    uint64_t at = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        const binding_state *b = &x->bindings[i];
        if (!b->job->output) {
            continue;
        }
        wgt_status status = x->gpu->api->buffer_read(x->gpu, b->live, 0, data + at, (size_t)b->job->bytes,
                                                     deadline_ns, &x->error);
        if (status != WGT_OK) {
            return status;
        }
        at += b->job->bytes;
    }
    return WGT_OK;
}

static void judge_outputs(wgt_executor *x, const unsigned char *data, wgt_report *report) {
    uint64_t at = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        const binding_state *b = &x->bindings[i];
        if (!b->job->output) {
            continue;
        }
        wgt_hash hash = wgt_hash_bytes(data + at, (size_t)b->job->bytes);
        if (wgt_hash_equal(hash, b->start_hash) && !b->job->unchanged_ok) {
            report->unchanged = true;
        }
        report->hash = wgt_hash_combine(report->hash, hash);
        at += b->job->bytes;
    }
}

/* Outputs are only kept where something will be compared bit by bit no further. */
static bool keeps_outputs(const wgt_executor *x) {
    return x->output_bytes > 0 && (!x->info->exact || x->info->has_reference);
}

static kept_output *find_kept(wgt_executor *x, uint32_t candidate) {
    kept_output *k = x->kept;
    while (k != NULL && k->candidate != candidate) {
        k = k->next;
    }
    return k;
}

static bool keep(wgt_executor *x, uint32_t candidate, unsigned char *data) {
    if (find_kept(x, candidate) != NULL || x->kept_bytes + x->output_bytes > KEEP_BYTES) {
        return false;
    }
    kept_output *k = allocate(x, sizeof *k);
    if (k == NULL) {
        return false;
    }
    *k = (kept_output){candidate, data, x->kept};
    x->kept = k;
    x->kept_bytes += x->output_bytes;
    return true;
}

/* One dispatch from the initial state; the outputs in memory of the caller's (output_bytes). */
static wgt_status outputs_of(wgt_executor *x, uint32_t candidate, uint64_t deadline_ns, unsigned char *data,
                             double *span_ns) {
    const wgt_action once = {.kind = WGT_ACTION_VERIFY, .candidate = candidate, .batch = 1, .samples = 1,
                             .divide = 1, .deadline_ns = deadline_ns};
    wgt_status status = dispatch(x, &once, copies_before_verify(x), span_ns);
    return status == WGT_OK ? read_outputs(x, deadline_ns, data) : status;
}

static wgt_status verify(wgt_executor *x, const wgt_action *a, wgt_report *report) {
    unsigned char *data = allocate(x, (size_t)x->output_bytes);
    if (data == NULL) {
        return wgt_fail(&x->error, WGT_NO_MEMORY, "no memory for the outputs");
    }
    wgt_status status = outputs_of(x, a->candidate, a->deadline_ns, data, &x->spans[0]);
    bool kept = false;
    if (status == WGT_OK) {
        report->span_count = 1;
        judge_outputs(x, data, report);
        x->slots[a->candidate].output = report->hash;
        x->slots[a->candidate].verified = true;
        kept = keeps_outputs(x) && keep(x, a->candidate, data);
    }
    if (!kept) {
        release(x, data, (size_t)x->output_bytes);
    }
    return status;
}

static wgt_status fill_reference(wgt_executor *x, unsigned char *data) {
    uint64_t at = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        const wgt_job_binding *job = x->bindings[i].job;
        if (!job->output) {
            continue;
        }
        if (job->has_reference) {
            wgt_status status = wgt_job_reference(x->job, i, data + at, (size_t)job->bytes, &x->error);
            if (status != WGT_OK) {
                return status;
            }
        }
        at += job->bytes;
    }
    return WGT_OK;
}

static wgt_status outputs_agree(wgt_executor *x, const unsigned char *mine, const unsigned char *theirs,
                                bool reference, wgt_report *report) {
    uint64_t at = 0;
    report->equal = true;
    for (size_t i = 0; i < x->info->binding_count && report->equal; i++) {
        const wgt_job_binding *job = x->bindings[i].job;
        if (!job->output) {
            continue;
        }
        if (job->check != WGT_CHECK_NONE && (!reference || job->has_reference)) {
            wgt_error why = {{0}};
            wgt_status status =
                wgt_job_check(x->job, i, mine + at, theirs + at, job->bytes, &report->equal, &why, &x->error);
            if (status != WGT_OK) {
                return status;
            }
            if (!report->equal) {
                x->error = why;
                report->message = x->error.message;
            }
        }
        at += job->bytes;
    }
    return WGT_OK;
}

/* A kept output, or a fresh one in *owned that the caller frees. */
static wgt_status obtain(wgt_executor *x, uint32_t who, uint64_t deadline_ns, const unsigned char **data,
                         unsigned char **owned) {
    kept_output *k = who == WGT_REFERENCE ? NULL : find_kept(x, who);
    if (k != NULL) {
        *data = k->data;
        return WGT_OK;
    }
    *owned = allocate(x, (size_t)x->output_bytes);
    *data = *owned;
    if (*owned == NULL) {
        return wgt_fail(&x->error, WGT_NO_MEMORY, "no memory for the outputs");
    }
    if (who == WGT_REFERENCE) {
        return fill_reference(x, *owned);
    }
    if (who >= x->slot_count || x->slots[who].pipeline == NULL) {
        return wgt_fail(&x->error, WGT_USAGE, "candidate %u was never compiled on this device", who);
    }
    double span = 0;
    return outputs_of(x, who, deadline_ns, *owned, &span);
}

static wgt_status compare(wgt_executor *x, const wgt_action *a, wgt_report *report) {
    const unsigned char *mine = NULL, *theirs = NULL;
    unsigned char *own[2] = {NULL, NULL};
    wgt_status status = obtain(x, a->candidate, a->deadline_ns, &mine, &own[0]);
    if (status == WGT_OK) {
        status = obtain(x, a->other, a->deadline_ns, &theirs, &own[1]);
    }
    if (status == WGT_OK) {
        status = outputs_agree(x, mine, theirs, a->other == WGT_REFERENCE, report);
    }
    release(x, own[0], (size_t)x->output_bytes);
    release(x, own[1], (size_t)x->output_bytes);
    return status;
}

/* Counting -------------------------------------------------------------------------------------------- */

static wgt_status make_counting(wgt_executor *x) {
    counting *c = &x->counting;
    const wgt_wgsl_entry *entries = NULL;
    const wgt_rewrite_options options = {.allocator = x->allocator, .count = true};
    size_t storage = 0, entry = 0;
    for (size_t i = 0; i < x->info->binding_count; i++) {
        storage += x->info->bindings[i].kind != WGT_BIND_UNIFORM;
    }
    uint64_t most = x->gpu->api->adapter(x->gpu)->limits.max_storage_buffers_per_shader_stage;
    if (storage >= most) {
        return wgt_fail(&c->why, WGT_BAD_INPUT, "no storage binding is left for counters: maxStorageBuffersPerShaderStage %llu",
                        (unsigned long long)most);
    }
    size_t entry_count = wgt_wgsl_entries(wgt_job_module(x->job), &entries);
    while (entry < entry_count && !wgt_str_equal(entries[entry].name, x->info->entry)) {
        entry++;
    }
    wgt_rewrite *rewrite = NULL;
    wgt_status status = wgt_rewrite_create(wgt_job_module(x->job), &entries[entry], &options, &rewrite, &c->why);
    if (status == WGT_OK) {
        wgt_rewrite_counter(rewrite, &c->group, &c->binding);
        status = x->gpu->api->module_create(x->gpu, "the counting kernel", wgt_rewrite_text(rewrite), &c->module, &c->why);
    }
    if (status == WGT_OK) {
        status = x->gpu->api->buffer_create(x->gpu, WGT_COUNTER_BYTES, false, &c->buffer, &c->why);
    }
    wgt_rewrite_destroy(&rewrite);
    size_t at = x->info->binding_count;
    x->bound[at] = (wgt_bound_buffer){c->group, c->binding, c->buffer};
    x->layout[at] = (wgt_binding_layout){c->group, c->binding, WGT_BIND_STORAGE_READ_WRITE, 0};
    return status;
}

/* One dispatch from the initial state, apart from every timed one: its counters cost time. */
static wgt_status run_counting(wgt_executor *x, const wgt_action *a, wgt_gpu_pipeline *pipeline, uint32_t counters[4]) {
    const wgt_gpu_api *api = x->gpu->api;
    const slot *mine = &x->slots[a->candidate];
    memset(counters, 0, WGT_COUNTER_BYTES);
    wgt_dispatch d = {
        .pipeline = pipeline,
        .buffers = x->bound,
        .buffer_count = x->info->binding_count + 1,
        .workgroups = {(uint32_t)mine->candidate.workgroups[0], (uint32_t)mine->candidate.workgroups[1], (uint32_t)mine->candidate.workgroups[2]},
        .batch = 1,
        .before = x->copies,
        .before_count = copies_before_verify(x),
    };
    wgt_span span;
    wgt_status status = api->buffer_write(x->gpu, x->counting.buffer, 0, counters, WGT_COUNTER_BYTES, &x->error);
    status = status == WGT_OK ? api->dispatch(x->gpu, &d, a->deadline_ns, &span, &x->error) : status;
    return status == WGT_OK
               ? api->buffer_read(x->gpu, x->counting.buffer, 0, counters, WGT_COUNTER_BYTES, a->deadline_ns, &x->error)
               : status;
}

/* Counters that do not add up, or an output that is not the plain kernel's, are no count. */
static wgt_status judge_counting(wgt_executor *x, const wgt_action *a, const uint32_t counters[4]) {
    const slot *mine = &x->slots[a->candidate];
    uint64_t all = mine->candidate.workgroups[0] * mine->candidate.workgroups[1] * mine->candidate.workgroups[2];
    if (counters[0] != 0 || counters[2] != (uint32_t)all || counters[1] == 0) {
        return wgt_fail(&x->error, WGT_BAD_INPUT, "its counters do not add up: %u of %llu workgroups entered, %u did not leave",
                        counters[2], (unsigned long long)all, counters[0]);
    }
    if (!mine->verified || !x->info->exact || x->output_bytes == 0) {
        return WGT_OK;
    }
    unsigned char *data = allocate(x, (size_t)x->output_bytes);
    if (data == NULL) {
        return wgt_fail(&x->error, WGT_NO_MEMORY, "no memory for the outputs");
    }
    wgt_report seen = {.id = a->id};
    wgt_status status = read_outputs(x, a->deadline_ns, data);
    if (status == WGT_OK) {
        judge_outputs(x, data, &seen);
    }
    release(x, data, (size_t)x->output_bytes);
    if (status == WGT_OK && !wgt_hash_equal(seen.hash, mine->output)) {
        status = wgt_fail(&x->error, WGT_BAD_INPUT, "the counting kernel's output is not the kernel's");
    }
    return status;
}

static wgt_status count(wgt_executor *x, const wgt_action *a, const wgt_candidate *candidate, wgt_report *report) {
    if (!x->counting.tried) {
        x->counting.tried = true;
        if (make_counting(x) == WGT_OK) {
            x->counting.why.message[0] = '\0';
        }
    }
    if (x->counting.why.message[0] != '\0') {
        return wgt_fail(&x->error, WGT_BAD_INPUT, "%s", x->counting.why.message);
    }
    wgt_gpu_pipeline *pipeline = NULL;
    wgt_statistics compiled;
    uint64_t compile_ns = 0;
    uint32_t counters[4];
    wgt_status status = make_pipeline(x, x->counting.module, candidate, 1, &pipeline, &compile_ns, &compiled);
    status = status == WGT_OK ? run_counting(x, a, pipeline, counters) : status;
    status = status == WGT_OK ? judge_counting(x, a, counters) : status;
    bool usable = status != WGT_NEGATIVE && status != WGT_NO_GPU;
    if (pipeline != NULL && usable) {
        x->gpu->api->pipeline_destroy(x->gpu, &pipeline);
    }
    report->resident = status == WGT_OK ? counters[1] : WGT_UNKNOWN_U64;
    return status;
}

static wgt_outcome outcome_of(wgt_status status, wgt_action_kind kind) {
    switch (status) {
    case WGT_OK:
        return WGT_OUTCOME_OK;
    case WGT_NEGATIVE:
        return WGT_OUTCOME_TIMEOUT;
    case WGT_NO_GPU:
        return WGT_OUTCOME_LOST;
    case WGT_BAD_INPUT:
        return kind == WGT_ACTION_COMPILE ? WGT_OUTCOME_REJECTED : WGT_OUTCOME_FAILED;
    default:
        return WGT_OUTCOME_FAILED;
    }
}

static wgt_status perform(wgt_executor *x, const wgt_action *a, const wgt_candidate *candidate, wgt_report *report) {
    switch (a->kind) {
    case WGT_ACTION_RUN:
        return run(x, a, report);
    case WGT_ACTION_VERIFY:
        return verify(x, a, report);
    case WGT_ACTION_COMPARE:
        return compare(x, a, report);
    case WGT_ACTION_COMPILE:
    case WGT_ACTION_DONE:
        return WGT_OK;
    case WGT_ACTION_COUNT:
        return count(x, a, candidate, report);
    }
    return wgt_fail(&x->error, WGT_USAGE, "an action that this device's executor does not know");
}

void wgt_executor_execute(wgt_executor *x, const wgt_action *action, const wgt_candidate *candidate,
                          wgt_report *report) {
    *report = (wgt_report){
        .id = action->id,
        .spans_ns = x->spans,
        .resident = WGT_UNKNOWN_U64,
        .registers = WGT_UNKNOWN_U64,
        .spill_bytes = WGT_UNKNOWN_U64,
        .shared_bytes = WGT_UNKNOWN_U64,
    };
    x->error.message[0] = '\0';
    wgt_action_kind failed_in = WGT_ACTION_COMPILE;
    wgt_status status = WGT_OK;
    if (action->kind != WGT_ACTION_DONE) {
        status = compile(x, action->candidate, candidate, &report->compile_ns);
    }
    if (status == WGT_OK && action->kind != WGT_ACTION_DONE) {
        const wgt_statistics *compiled = &x->slots[action->candidate].compiled;
        report->registers = compiled->registers;
        report->spill_bytes = compiled->spill_bytes;
        report->shared_bytes = compiled->shared_bytes;
    }
    if (status == WGT_OK && action->kind != WGT_ACTION_COMPILE) {
        failed_in = action->kind;
        status = perform(x, action, candidate, report);
    }
    report->outcome = outcome_of(status, failed_in);
    if (report->outcome == WGT_OUTCOME_TIMEOUT) {
        wgt_fail(&x->error, WGT_NEGATIVE, "did not come back within %.1f s", (double)action->deadline_ns * 1e-9);
    }
    if (status != WGT_OK) {
        report->message = x->error.message;
    }
    report->now_ns = wgt_now_ns();
}
