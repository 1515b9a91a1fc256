#include "wgtune/probe_run.h"
#include "probe_execute.h"
#include "probe_json.h"
#include "worker.h"
#include "wgtune/wisdom.h"
#include "../base/hash.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include "../job/adapter_json.h"
#include <stdio.h>
#include <string.h>

#define GRACE_NS ((uint64_t)2000000000)
#define OPEN_NS ((uint64_t)60000000000)
#define STOP_NS ((uint64_t)500000000)
#define SHEET_BYTES ((size_t)65536)

typedef struct probing {
    const wgt_probe_options *options;
    const wgt_allocator *allocator;
    wgt_probed *out;
    wgt_worker worker; /* in a process of its own */
    wgt_gpu *gpu;      /* in this one */
    wgt_prober *prober;
    wgt_probe *probe;
    wgt_arena arena;
    char path[4096]; /* of the remembered sheet; empty: none */
} probing;

static bool remote(const probing *p) { return p->options->worker != NULL; }

static bool interrupted(const probing *p) {
    return p->options->interrupted != NULL && p->options->interrupted(p->options->user);
}

static void warn(const probing *p, const char *message) {
    if (p->options->warning != NULL) {
        p->options->warning(p->options->user, message);
    }
}

/* The worker --------------------------------------------------------------------------------------------- */

static wgt_status read_error(const wgt_json *answer, wgt_error *error) {
    const wgt_json *e = wgt_json_get(answer, "error");
    if (e == NULL) {
        return WGT_OK;
    }
    const uint64_t status = wgt_json_u64(e, "status");
    const wgt_str message = wgt_json_string_or(e, "message", WGT_STR("no reason given"));
    const bool known = status > 0 && status <= WGT_NO_MEMORY;
    return wgt_fail(error, known ? (wgt_status)status : WGT_INTERNAL, "%.*s", (int)message.size, message.data);
}

/* WGT_NEGATIVE: too late. WGT_INTERNAL: it is gone. Either way there is no worker any more. */
static wgt_status ask(probing *p, wgt_str request, uint64_t deadline_ns, wgt_arena *arena, wgt_json **answer,
                      wgt_error *error) {
    wgt_str line;
    wgt_status status =
        wgt_worker_ask(&p->worker, request, deadline_ns, p->options->interrupted, p->options->user, &line);
    if (status == WGT_OK) {
        const wgt_str kept = wgt_arena_copy(arena, line);
        status = kept.data == NULL ? wgt_fail(error, WGT_NO_MEMORY, "no memory")
                                   : wgt_json_parse(WGT_STR("worker"), kept, 0, arena, answer, error);
        return status == WGT_OK ? read_error(*answer, error) : status;
    }
    char how[128];
    const bool wait = status == WGT_INTERNAL;
    wgt_worker_stop(&p->worker, wait ? STOP_NS : 0, how, sizeof how);
    if (status == WGT_INTERRUPTED) {
        return wgt_fail(error, status, "interrupted");
    }
    return wait ? wgt_fail(error, status, "the measuring process %s", how)
                : wgt_fail(error, status, "no answer within %.1f s", (double)deadline_ns * 1e-9);
}

static wgt_status ask_open(probing *p, wgt_arena *arena, wgt_error *error) {
    const size_t capacity = 65536 + (p->options->gpu.fake == NULL ? 0 : 2 * strlen(p->options->gpu.fake));
    char *memory = wgt_arena_push(arena, capacity, 1);
    if (memory == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    const wgt_session_options session = {.gpu = p->options->gpu};
    wgt_out out;
    wgt_json_writer w;
    wgt_json *answer = NULL;
    wgt_out_init(&out, memory, capacity);
    wgt_json_writer_init(&w, &out, 0);
    wgt_worker_write_open(&w, &session);
    wgt_status status = ask(p, (wgt_str){out.data, out.size}, OPEN_NS, arena, &answer, error);
    if (status == WGT_OK && !wgt_adapter_read(wgt_json_get(answer, "adapter"), &p->out->adapter)) {
        status = wgt_fail(error, WGT_INTERNAL, "the measuring process answered nonsense");
    }
    return status == WGT_NEGATIVE ? WGT_NO_GPU : status;
}

static wgt_status open_device(probing *p, wgt_error *error) {
    if (!remote(p)) {
        wgt_gpu_options options = p->options->gpu;
        options.allocator = p->allocator;
        const wgt_status status = wgt_gpu_open(&options, &p->gpu, error);
        if (status == WGT_OK) {
            p->out->adapter = *p->gpu->api->adapter(p->gpu);
        }
        return status;
    }
    wgt_status status = wgt_worker_start(&p->worker, p->options->worker, p->allocator, error);
    if (status != WGT_OK) {
        return status;
    }
    wgt_arena arena;
    wgt_arena_init(&arena, p->allocator);
    status = ask_open(p, &arena, error);
    wgt_arena_release(&arena);
    return status;
}

static wgt_status start_device(probing *p, wgt_error *error) {
    if (!remote(p)) {
        const wgt_status status = wgt_gpu_clock(p->gpu, &p->out->clock, error);
        return status != WGT_OK
                   ? status
                   : wgt_prober_create(p->gpu, !p->out->clock.timestamps, p->allocator, &p->prober, error);
    }
    wgt_arena arena;
    wgt_arena_init(&arena, p->allocator);
    wgt_json *answer = NULL;
    wgt_status status = ask(p, WGT_STR("{\"start\":true}"), OPEN_NS, &arena, &answer, error);
    if (status == WGT_OK && !wgt_clock_read(wgt_json_get(answer, "clock"), &p->out->clock)) {
        status = wgt_fail(error, WGT_INTERNAL, "the measuring process answered nonsense");
    }
    wgt_arena_release(&arena);
    return status == WGT_NEGATIVE ? WGT_NO_GPU : status;
}

static void close_device(probing *p) {
    if (p->worker.pid != 0) {
        wgt_worker_stop(&p->worker, STOP_NS, NULL, 0);
    }
    wgt_prober_destroy(&p->prober);
    if (p->gpu != NULL) {
        wgt_gpu_close(&p->gpu);
    }
}

/* One experiment ----------------------------------------------------------------------------------------- */

static wgt_status execute_remote(probing *p, const wgt_probe_action *action, wgt_arena *arena, wgt_probe_report *r,
                                 wgt_error *trouble) {
    char memory[4096];
    wgt_out out;
    wgt_json_writer w;
    wgt_json *answer = NULL;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_probe_write_action(&w, action);
    const wgt_status status =
        ask(p, (wgt_str){out.data, out.size}, action->deadline_ns + GRACE_NS, arena, &answer, trouble);
    if (status == WGT_OK && wgt_probe_read_report(answer, r, trouble)) {
        return WGT_OK;
    }
    *r = (wgt_probe_report){.outcome = status == WGT_NEGATIVE      ? WGT_OUTCOME_TIMEOUT
                                       : status == WGT_INTERRUPTED ? WGT_OUTCOME_INTERRUPTED
                                                                   : WGT_OUTCOME_CRASHED};
    return WGT_OK;
}

/* A device that hangs or is lost is given up, and another one opened for what is left. */
static wgt_status again(probing *p, wgt_error *error) {
    wgt_adapter adapter = p->out->adapter;
    wgt_clock clock = p->out->clock;
    wgt_status status = open_device(p, error);
    status = status == WGT_OK ? start_device(p, error) : status;
    p->out->adapter = adapter;
    p->out->clock = clock;
    return status;
}

static void give_up_device(probing *p) {
    if (remote(p)) {
        if (p->worker.pid != 0) {
            wgt_worker_stop(&p->worker, STOP_NS, NULL, 0);
        }
        return;
    }
    p->prober = NULL; /* nothing of it can be released without waiting for a GPU that may never answer */
    wgt_gpu_abandon(&p->gpu);
}

static wgt_status step(probing *p, const wgt_probe_action *action, wgt_error *error) {
    wgt_arena arena;
    wgt_arena_init(&arena, p->allocator);
    wgt_probe_report report = {.outcome = WGT_OUTCOME_INTERRUPTED};
    wgt_error trouble = {{0}};
    wgt_status status = WGT_OK;
    if (!interrupted(p)) {
        if (remote(p) ? p->worker.pid == 0 : p->gpu == NULL) {
            status = again(p, error);
        }
        if (status == WGT_OK && remote(p)) {
            status = execute_remote(p, action, &arena, &report, &trouble);
        } else if (status == WGT_OK) {
            wgt_prober_execute(p->prober, action, &report, &trouble);
        }
    }
    if (status == WGT_OK && (report.outcome == WGT_OUTCOME_TIMEOUT || report.outcome == WGT_OUTCOME_LOST)) {
        give_up_device(p);
    }
    if (trouble.message[0] != '\0' && report.outcome != WGT_OUTCOME_INTERRUPTED) {
        char text[WGT_ERROR_SIZE + 128];
        wgt_format(text, sizeof text, "%s of %u invocations: %s", wgt_probe_kernel_name(action->kernel), action->size,
                   trouble.message);
        warn(p, text);
    }
    report.id = action->id;
    status = status == WGT_OK ? wgt_probe_report_take(p->probe, &report, error) : status;
    wgt_arena_release(&arena);
    return status;
}

static wgt_status measure(probing *p, wgt_error *error) {
    const uint64_t start_ns = wgt_now_ns();
    wgt_status status = start_device(p, error);
    if (status != WGT_OK) {
        return status;
    }
    const wgt_probe_plan plan = {
        .adapter = &p->out->adapter, .clock = &p->out->clock, .residency_only = p->options->residency_only};
    void *memory = wgt_arena_push(&p->arena, wgt_probe_size(), 1);
    status = wgt_probe_init(memory, memory == NULL ? 0 : wgt_probe_size(), &plan, &p->probe, error);
    wgt_probe_action action = {0};
    while (status == WGT_OK && (wgt_probe_next(p->probe, &action), !action.done)) {
        if (p->options->progress != NULL) {
            double share = 0;
            const char *phase = wgt_probe_phase(p->probe, &share);
            p->options->progress(p->options->user, phase, share);
        }
        status = step(p, &action, error);
    }
    if (p->probe != NULL) {
        wgt_probe_sheet(p->probe, &p->out->sheet);
    }
    p->out->wall_ns = wgt_now_ns() - start_ns;
    if (status == WGT_OK && p->out->sheet.interrupted) {
        status = wgt_fail(error, WGT_INTERRUPTED, "interrupted");
    }
    return status;
}

/* Remembered sheets --------------------------------------------------------------------------------------- */

/* A hash of what the sheet is valid for: the adapter, its driver and the engine. */
static void sheet_name(const wgt_adapter *a, char *name, size_t capacity) {
    const char *const texts[] = {a->vendor, a->architecture, a->device,         a->description,
                                 a->driver, a->backend,      a->engine, a->engine_version};
    wgt_hash hash = wgt_hash_bytes("wgtune probe 1", 14);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hash = wgt_hash_combine(hash, wgt_hash_bytes(texts[i], strlen(texts[i])));
    }
    char numbers[64], digits[WGT_HASH_TEXT_SIZE];
    const size_t size = wgt_format(numbers, sizeof numbers, "%u %u", a->vendor_id, a->device_id);
    wgt_hash_format(wgt_hash_combine(hash, wgt_hash_bytes(numbers, size)), digits);
    wgt_format(name, capacity, "%.16s.sheet.json", digits);
}

static wgt_status find_place(probing *p, wgt_error *error) {
    if (p->options->no_wisdom) {
        return WGT_OK;
    }
    wgt_wisdom *wisdom = NULL;
    wgt_status status = wgt_wisdom_open(p->options->wisdom, p->allocator, &wisdom, error);
    if (status != WGT_OK) {
        return status;
    }
    char name[64];
    sheet_name(&p->out->adapter, name, sizeof name);
    const size_t size = wgt_format(p->path, sizeof p->path, "%s/%s", wgt_wisdom_folder(wisdom), name);
    wgt_wisdom_close(&wisdom);
    return size + 1 < sizeof p->path ? WGT_OK : wgt_fail(error, WGT_NOT_SAVED, "the wisdom folder's path is too long");
}

static wgt_status read_sheet(probing *p, wgt_probed *found, wgt_error *error) {
    wgt_str text;
    wgt_json *json = NULL;
    wgt_status status = wgt_file_read(p->path, SHEET_BYTES * 16, &p->arena, &text, error);
    if (status == WGT_OK) {
        status = wgt_json_parse(wgt_str_from(p->path), text, 0, &p->arena, &json, error);
    }
    return status == WGT_OK ? wgt_probe_read_sheet(json, found, error) : status;
}

/* True: answered from memory. A damaged sheet is set aside, and measured again. */
static bool recall(probing *p) {
    if (p->path[0] == '\0' || p->options->fresh || !wgt_file_exists(p->path)) {
        return false;
    }
    wgt_probed found;
    wgt_error trouble = {{0}};
    if (read_sheet(p, &found, &trouble) == WGT_OK) {
        *p->out = found;
        p->out->remembered = true;
        return true;
    }
    char aside[sizeof p->path + 16], text[WGT_ERROR_SIZE + 64];
    snprintf(aside, sizeof aside, "%s.damaged", p->path);
    const bool moved = rename(p->path, aside) == 0;
    wgt_format(text, sizeof text, "%s; %s, measuring again", trouble.message,
               moved ? "set aside as *.damaged" : "it cannot be set aside");
    warn(p, text);
    return false;
}

static wgt_status save(probing *p, wgt_error *error) {
    if (p->path[0] == '\0' || p->options->residency_only) {
        return WGT_OK;
    }
    char *memory = wgt_arena_push(&p->arena, SHEET_BYTES, 1);
    if (memory == NULL) {
        return wgt_fail(error, WGT_NOT_SAVED, "no memory for the sheet's text");
    }
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, SHEET_BYTES);
    wgt_json_writer_init(&w, &out, 2);
    wgt_probe_write_sheet(&w, p->out, true);
    wgt_put_char(&out, '\n');
    char folder[sizeof p->path];
    const wgt_str parent = wgt_path_folder(wgt_str_from(p->path));
    wgt_format(folder, sizeof folder, "%.*s", (int)parent.size, parent.data);
    const wgt_status status = wgt_folder_create(folder, error);
    return status == WGT_OK ? wgt_file_write_atomic(p->path, (wgt_str){out.data, out.size}, error) : status;
}

wgt_status wgt_probe_recall(const char *folder, const wgt_allocator *allocator, const wgt_adapter *adapter,
                            wgt_probed *probed, wgt_error *error) {
    const wgt_probe_options options = {.wisdom = folder, .allocator = allocator};
    probing p = {.options = &options, .out = probed, .worker = {.to = -1, .from = -1, .life = -1}};
    p.allocator = allocator;
    *probed = (wgt_probed){.adapter = *adapter};
    wgt_probe_names(&probed->sheet);
    wgt_arena_init(&p.arena, p.allocator);
    wgt_status status = find_place(&p, error);
    if (status == WGT_OK && !recall(&p)) {
        status = wgt_fail(error, WGT_NEGATIVE, "no sheet is remembered for this adapter");
    }
    wgt_arena_release(&p.arena);
    return status;
}

wgt_status wgt_probe_adapter(const wgt_probe_options *options, wgt_probed *probed, wgt_error *error) {
    probing p = {.options = options, .out = probed, .worker = {.to = -1, .from = -1, .life = -1}};
    p.allocator = options->allocator != NULL ? options->allocator : wgt_heap();
    *probed = (wgt_probed){0};
    wgt_probe_names(&probed->sheet);
    wgt_arena_init(&p.arena, p.allocator);
    wgt_status status = open_device(&p, error);
    if (status == WGT_OK) {
        status = find_place(&p, error);
    }
    if (status == WGT_OK && !recall(&p)) {
        status = measure(&p, error);
        if (status == WGT_OK) {
            status = save(&p, error);
        }
    }
    close_device(&p);
    wgt_arena_release(&p.arena);
    return status;
}
