#include "session.h"
#include "executor.h"
#include "trace.h"
#include "worker.h"
#include "../base/host/host.h"
#include "../job/adapter_json.h"
#include <stdio.h>
#include <string.h>

/* Beyond an action's own deadline, for the pipe, the scheduler and reading outputs back. */
#define GRACE_NS ((uint64_t)2000000000)
/* A driver's first start, with its shader cache cold, has been seen to take seconds. */
#define OPEN_NS ((uint64_t)60000000000)
#define START_NS ((uint64_t)120000000000)
#define STOP_NS ((uint64_t)500000000)
/* What an interrupted action still gets to end by itself. */
#define LAST_NS ((uint64_t)1000000000)

struct wgt_session {
    wgt_session_options options;
    /* in this process */
    wgt_gpu *gpu;
    wgt_executor *executor;
    /* in a worker */
    wgt_worker worker;
    char note[512]; /* told when measuring starts; what is answered from memory does not need it */
};

static bool remote(const wgt_session *s) { return s->options.worker != NULL; }

/* Asking the worker ---------------------------------------------------------------------------------- */

static wgt_status read_error(const wgt_json *answer, wgt_error *error) {
    const wgt_json *e = wgt_json_get(answer, "error");
    if (e == NULL) {
        return WGT_OK;
    }
    uint64_t status = wgt_json_u64(e, "status");
    wgt_str message = wgt_json_string_or(e, "message", WGT_STR("no reason given"));
    bool known = status > 0 && status <= WGT_NO_MEMORY;
    return wgt_fail(error, known ? (wgt_status)status : WGT_INTERNAL, "%.*s", (int)message.size, message.data);
}

/* WGT_NEGATIVE: too late. WGT_INTERRUPTED: the user did not want to wait. WGT_INTERNAL with a message: the worker is
 * gone. In all three it is stopped. */
static wgt_status ask(wgt_session *s, wgt_str request, uint64_t deadline_ns, wgt_arena *arena,
                      wgt_json **answer, wgt_error *error) {
    wgt_str line;
    wgt_status status = wgt_worker_ask(&s->worker, request, deadline_ns, s->options.interrupted,
                                       s->options.user, &line);
    bool interrupted = status == WGT_INTERRUPTED;
    if (interrupted) {
        status = wgt_lines_read(&s->worker.lines, LAST_NS, NULL, NULL, &line);
    }
    if (status == WGT_OK) {
        wgt_str kept = wgt_arena_copy(arena, line);
        status = kept.data == NULL ? wgt_fail(error, WGT_NO_MEMORY, "no memory")
                                   : wgt_json_parse(WGT_STR("worker"), kept, 0, arena, answer, error);
        return status == WGT_OK ? read_error(*answer, error) : status;
    }
    bool late = status == WGT_NEGATIVE;
    char how[128];
    wgt_worker_stop(&s->worker, late ? 0 : STOP_NS, how, sizeof how);
    if (late && interrupted) {
        return wgt_fail(error, WGT_INTERRUPTED, "interrupted");
    }
    if (late) {
        return wgt_fail(error, WGT_NEGATIVE, "no answer within %.1f s", (double)deadline_ns * 1e-9);
    }
    return wgt_fail(error, WGT_INTERNAL, "the measuring process %s", how);
}

static wgt_status open_remote(wgt_session *s, wgt_adapter *adapter, wgt_error *error) {
    wgt_status status = wgt_worker_start(&s->worker, s->options.worker, s->options.allocator, error);
    if (status != WGT_OK) {
        return status;
    }
    wgt_arena arena;
    wgt_arena_init(&arena, s->options.allocator);
    /* The fake GPU's truth travels in the request. */
    size_t capacity = 65536 + (s->options.gpu.fake == NULL ? 0 : 2 * strlen(s->options.gpu.fake));
    char *memory = wgt_arena_push(&arena, capacity, 1);
    wgt_json *answer = NULL;
    if (memory == NULL) {
        status = wgt_fail(error, WGT_NO_MEMORY, "no memory");
    } else {
        wgt_out out;
        wgt_json_writer w;
        wgt_out_init(&out, memory, capacity);
        wgt_json_writer_init(&w, &out, 0);
        wgt_worker_write_open(&w, &s->options);
        status = ask(s, (wgt_str){out.data, out.size}, OPEN_NS, &arena, &answer, error);
    }
    if (status == WGT_NEGATIVE) {
        status = WGT_NO_GPU;
    }
    if (status == WGT_OK && !wgt_adapter_read(wgt_json_get(answer, "adapter"), adapter)) {
        status = wgt_fail(error, WGT_INTERNAL, "the measuring process answered nonsense");
    }
    const wgt_json *note = status == WGT_OK ? wgt_json_get(answer, "note") : NULL;
    if (note != NULL && note->type == WGT_JSON_STRING) {
        wgt_format(s->note, sizeof s->note, "%.*s", (int)note->string.size, note->string.data);
    }
    wgt_arena_release(&arena);
    return status;
}

static wgt_status start_remote(wgt_session *s, wgt_clock *clock, wgt_error *error) {
    wgt_arena arena;
    wgt_arena_init(&arena, s->options.allocator);
    wgt_json *answer = NULL;
    wgt_status status = ask(s, WGT_STR("{\"start\":true}"), START_NS, &arena, &answer, error);
    if (status == WGT_NEGATIVE) {
        status = WGT_NO_GPU;
    }
    if (status == WGT_OK && !wgt_clock_read(wgt_json_get(answer, "clock"), clock)) {
        status = wgt_fail(error, WGT_INTERNAL, "the measuring process answered nonsense");
    }
    wgt_arena_release(&arena);
    return status;
}

static wgt_status again_remote(wgt_session *s, wgt_error *error) {
    wgt_adapter adapter;
    wgt_clock clock;
    wgt_status status = open_remote(s, &adapter, error);
    return status == WGT_OK ? start_remote(s, &clock, error) : status;
}

static void unknown_report(const wgt_action *action, wgt_outcome outcome, const char *message,
                           wgt_report *report) {
    *report = (wgt_report){
        .id = action->id,
        .outcome = outcome,
        .resident = WGT_UNKNOWN_U64,
        .registers = WGT_UNKNOWN_U64,
        .spill_bytes = WGT_UNKNOWN_U64,
        .shared_bytes = WGT_UNKNOWN_U64,
        .message = message,
    };
}

static wgt_status execute_remote(wgt_session *s, const wgt_action *action, const wgt_candidate *candidate,
                                 wgt_arena *arena, double *spans, wgt_report *report, wgt_error *error) {
    if (s->worker.pid == 0) {
        wgt_status status = again_remote(s, error);
        if (status != WGT_OK) {
            return status;
        }
    }
    char memory[8192];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_trace_write_action(&w, action, candidate, wgt_job_get_info(s->options.job));
    wgt_json *answer = NULL;
    wgt_error trouble = {{0}};
    uint64_t deadline_ns = action->deadline_ns;
    if (!wgt_add_u64(deadline_ns, GRACE_NS, &deadline_ns)) {
        deadline_ns = UINT64_MAX;
    }
    wgt_status status = ask(s, (wgt_str){out.data, out.size}, deadline_ns, arena, &answer, &trouble);
    if (status == WGT_OK) {
        status = wgt_trace_read_report(answer, arena, spans, report, error);
        bool ended = report->outcome == WGT_OUTCOME_TIMEOUT || report->outcome == WGT_OUTCOME_LOST;
        if (status == WGT_OK && ended) {
            wgt_worker_stop(&s->worker, STOP_NS, NULL, 0);
        }
        return status;
    }
    if (s->worker.pid != 0) {
        return wgt_fail(error, status, "%s", trouble.message);
    }
    const char *message = wgt_arena_copy(arena, wgt_str_from(trouble.message)).data;
    wgt_outcome outcome = status == WGT_NEGATIVE      ? WGT_OUTCOME_TIMEOUT
                          : status == WGT_INTERRUPTED ? WGT_OUTCOME_INTERRUPTED
                                                      : WGT_OUTCOME_CRASHED;
    unknown_report(action, outcome, message, report);
    return WGT_OK;
}

/* In this process ------------------------------------------------------------------------------------ */

static wgt_status start_local(wgt_session *s, wgt_clock *clock, wgt_error *error) {
    wgt_status status = wgt_gpu_clock(s->gpu, clock, error);
    if (status == WGT_OK) {
        status = wgt_executor_create(s->gpu, s->options.job, !clock->timestamps, s->options.allocator,
                                     &s->executor, error);
    }
    return status;
}

static wgt_status execute_local(wgt_session *s, const wgt_action *action, const wgt_candidate *candidate,
                                wgt_arena *arena, double *spans, wgt_report *report, wgt_error *error) {
    if (s->gpu == NULL) {
        wgt_clock clock;
        wgt_status status = wgt_gpu_open(&s->options.gpu, &s->gpu, error);
        status = status == WGT_OK ? start_local(s, &clock, error) : status;
        if (status != WGT_OK) {
            return status;
        }
    }
    wgt_executor_execute(s->executor, action, candidate, report);
    if (report->message != NULL) {
        report->message = wgt_arena_copy(arena, wgt_str_from(report->message)).data;
    }
    memcpy(spans, report->spans_ns, report->span_count * sizeof *spans);
    report->spans_ns = spans;
    if (report->outcome == WGT_OUTCOME_TIMEOUT || report->outcome == WGT_OUTCOME_LOST) {
        /* Its objects cannot be released without waiting for a GPU that may never answer. */
        s->executor = NULL;
        wgt_gpu_abandon(&s->gpu);
    }
    return WGT_OK;
}

/* Both ------------------------------------------------------------------------------------------------ */

wgt_status wgt_session_open(const wgt_session_options *options, wgt_session **session, wgt_adapter *adapter,
                            wgt_error *error) {
    *session = NULL;
    wgt_session *s = options->allocator->resize(options->allocator->user, NULL, 0, sizeof *s);
    if (s == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    *s = (wgt_session){.options = *options};
    s->options.gpu.allocator = options->allocator;
    wgt_status status = WGT_OK;
    if (remote(s)) {
        status = open_remote(s, adapter, error);
    } else {
        status = wgt_gpu_open(&s->options.gpu, &s->gpu, error);
        if (status == WGT_OK) {
            *adapter = *s->gpu->api->adapter(s->gpu);
        }
    }
    *session = s;
    if (status != WGT_OK) {
        wgt_session_close(session);
    }
    return status;
}

wgt_status wgt_session_start(wgt_session *s, wgt_clock *clock, wgt_error *error) {
    if (s->note[0] != '\0' && s->options.warning != NULL) {
        s->options.warning(s->options.user, s->note);
    }
    return remote(s) ? start_remote(s, clock, error) : start_local(s, clock, error);
}

wgt_status wgt_session_execute(wgt_session *s, const wgt_action *action, const wgt_candidate *candidate,
                               wgt_arena *arena, double *spans, wgt_report *report, wgt_error *error) {
    return remote(s) ? execute_remote(s, action, candidate, arena, spans, report, error)
                     : execute_local(s, action, candidate, arena, spans, report, error);
}

void wgt_session_close(wgt_session **session) {
    wgt_session *s = *session;
    *session = NULL;
    if (s == NULL) {
        return;
    }
    if (s->worker.pid != 0) {
        wgt_worker_stop(&s->worker, STOP_NS, NULL, 0);
    }
    wgt_executor_destroy(&s->executor);
    if (s->gpu != NULL) {
        wgt_gpu_close(&s->gpu);
    }
    const wgt_allocator *allocator = s->options.allocator;
    allocator->resize(allocator->user, s, sizeof *s, 0);
}
