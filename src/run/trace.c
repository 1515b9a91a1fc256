#include "trace.h"
#include "../base/hash.h"
#include "../base/number.h"
#include <string.h>

static const wgt_action_kind kinds[] = {WGT_ACTION_COMPILE, WGT_ACTION_RUN,   WGT_ACTION_VERIFY,
                                        WGT_ACTION_COMPARE, WGT_ACTION_COUNT, WGT_ACTION_DONE};
static const wgt_outcome outcomes[] = {WGT_OUTCOME_OK,   WGT_OUTCOME_REJECTED, WGT_OUTCOME_FAILED,
                                       WGT_OUTCOME_TIMEOUT, WGT_OUTCOME_LOST,  WGT_OUTCOME_CRASHED,
                                       WGT_OUTCOME_INTERRUPTED};

static void key_u64(wgt_json_writer *w, const char *key, uint64_t value) {
    wgt_json_key(w, key);
    wgt_json_write_u64(w, value);
}

void wgt_trace_write_action(wgt_json_writer *w, const wgt_action *a, const wgt_candidate *candidate,
                            const wgt_job_info *job) {
    wgt_json_begin_object(w);
    key_u64(w, "id", a->id);
    wgt_json_key(w, "action");
    wgt_json_cstring(w, wgt_action_kind_name(a->kind));
    if (a->kind != WGT_ACTION_DONE) {
        key_u64(w, "candidate", a->candidate);
        wgt_json_key(w, "constants");
        wgt_json_begin_object(w);
        for (size_t i = 0; i < job->constant_count; i++) {
            wgt_json_key_str(w, job->constants[i].name);
            wgt_json_number(w, candidate->constants[i]);
        }
        wgt_json_end_object(w);
        wgt_json_key(w, "workgroup");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < 3; i++) {
            wgt_json_write_u64(w, candidate->workgroup[i]);
        }
        wgt_json_end_array(w);
        wgt_json_key(w, "workgroups");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < 3; i++) {
            wgt_json_write_u64(w, candidate->workgroups[i]);
        }
        wgt_json_end_array(w);
    }
    if (a->kind == WGT_ACTION_COMPARE) {
        wgt_json_key(w, "other");
        if (a->other == WGT_REFERENCE) {
            wgt_json_cstring(w, "reference");
        } else {
            wgt_json_write_u64(w, a->other);
        }
    }
    if (a->kind == WGT_ACTION_RUN) {
        key_u64(w, "batch", a->batch);
        key_u64(w, "samples", a->samples);
        key_u64(w, "divide", a->divide);
        wgt_json_key(w, "warm_up");
        wgt_json_bool(w, a->warm_up);
    }
    key_u64(w, "deadline_ns", a->deadline_ns);
    wgt_json_end_object(w);
}

static void key_hash(wgt_json_writer *w, const char *key, wgt_hash hash) {
    if (hash.high == 0 && hash.low == 0) {
        return;
    }
    char text[WGT_HASH_TEXT_SIZE];
    wgt_hash_format(hash, text);
    wgt_json_key(w, key);
    wgt_json_cstring(w, text);
}

void wgt_trace_write_report(wgt_json_writer *w, const wgt_report *r) {
    wgt_json_begin_object(w);
    key_u64(w, "id", r->id);
    wgt_json_key(w, "status");
    wgt_json_cstring(w, wgt_outcome_name(r->outcome));
    if (r->span_count > 0) {
        wgt_json_key(w, "spans_ns");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < r->span_count; i++) {
            wgt_json_number(w, r->spans_ns[i]);
        }
        wgt_json_end_array(w);
    }
    key_u64(w, "compile_ns", r->compile_ns);
    key_hash(w, "hash", r->hash);
    wgt_json_key(w, "unchanged");
    wgt_json_bool(w, r->unchanged);
    wgt_json_key(w, "equal");
    wgt_json_bool(w, r->equal);
    key_u64(w, "resident", r->resident);
    key_u64(w, "registers", r->registers);
    key_u64(w, "spill_bytes", r->spill_bytes);
    key_u64(w, "shared_bytes", r->shared_bytes);
    if (r->message != NULL && r->message[0] != '\0') {
        wgt_json_key(w, "message");
        wgt_json_cstring(w, r->message);
    }
    key_u64(w, "now_ns", r->now_ns);
    wgt_json_end_object(w);
}

static bool read_three(const wgt_json *list, uint64_t values[3]) {
    for (size_t i = 0; i < 3; i++) {
        const wgt_json *item = wgt_json_at(list, i);
        if (item == NULL || item->type != WGT_JSON_NUMBER || item->number < 0 || item->number > 0x1p53) {
            return false;
        }
        values[i] = (uint64_t)item->number;
    }
    return true;
}

static uint32_t read_u32(const wgt_json *line, const char *key, uint32_t fallback) {
    uint64_t value = wgt_json_u64(line, key);
    return value > UINT32_MAX ? fallback : (uint32_t)value;
}

static bool read_candidate(const wgt_json *line, const wgt_job_info *job, wgt_candidate *candidate) {
    const wgt_json *constants = wgt_json_get(line, "constants");
    if (constants == NULL || constants->count != job->constant_count) {
        return false;
    }
    size_t i = 0;
    for (const wgt_json *c = constants->first; c != NULL; c = c->next) {
        candidate->constants[i++] = c->type == WGT_JSON_NUMBER ? c->number : wgt_nan();
    }
    uint64_t workgroup[3];
    if (!read_three(wgt_json_get(line, "workgroup"), workgroup) ||
        !read_three(wgt_json_get(line, "workgroups"), candidate->workgroups)) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        candidate->workgroup[k] = (uint32_t)workgroup[k];
    }
    return true;
}

wgt_status wgt_trace_read_action(const wgt_json *line, const wgt_job_info *job, wgt_action *action,
                                 wgt_candidate *candidate, wgt_error *error) {
    memset(action, 0, sizeof *action);
    memset(candidate, 0, sizeof *candidate);
    wgt_str name = wgt_json_string_or(line, "action", (wgt_str){"", 0});
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && !wgt_str_is(name, wgt_action_kind_name(kinds[kind]))) {
        kind++;
    }
    action->id = wgt_json_u64(line, "id");
    if (kind == sizeof kinds / sizeof *kinds || action->id == WGT_UNKNOWN_U64) {
        return wgt_fail(error, WGT_BAD_INPUT, "trace: a line that is no action");
    }
    action->kind = kinds[kind];
    if (action->kind != WGT_ACTION_DONE && !read_candidate(line, job, candidate)) {
        return wgt_fail(error, WGT_BAD_INPUT, "trace: an action without its candidate");
    }
    action->candidate = read_u32(line, "candidate", 0);
    action->other = read_u32(line, "other", WGT_REFERENCE);
    action->batch = read_u32(line, "batch", 1);
    action->samples = read_u32(line, "samples", 1);
    action->divide = read_u32(line, "divide", 1);
    action->warm_up = wgt_json_bool_or(line, "warm_up", false);
    action->deadline_ns = wgt_json_u64(line, "deadline_ns");
    return WGT_OK;
}

wgt_status wgt_trace_read_report(const wgt_json *line, wgt_arena *arena, double *spans, wgt_report *report,
                                 wgt_error *error) {
    memset(report, 0, sizeof *report);
    wgt_str name = wgt_json_string_or(line, "status", (wgt_str){"", 0});
    size_t outcome = 0;
    while (outcome < sizeof outcomes / sizeof *outcomes &&
           !wgt_str_is(name, wgt_outcome_name(outcomes[outcome]))) {
        outcome++;
    }
    report->id = wgt_json_u64(line, "id");
    if (outcome == sizeof outcomes / sizeof *outcomes || report->id == WGT_UNKNOWN_U64) {
        return wgt_fail(error, WGT_BAD_INPUT, "trace: a line that is no report");
    }
    report->outcome = outcomes[outcome];
    const wgt_json *list = wgt_json_get(line, "spans_ns");
    report->spans_ns = spans;
    for (const wgt_json *s = list == NULL ? NULL : list->first;
         s != NULL && report->span_count < WGT_MAX_SPANS; s = s->next) {
        spans[report->span_count++] = s->type == WGT_JSON_NUMBER ? s->number : wgt_nan();
    }
    report->compile_ns = wgt_json_u64(line, "compile_ns");
    wgt_hash_parse(wgt_json_string_or(line, "hash", (wgt_str){"", 0}), &report->hash);
    report->unchanged = wgt_json_bool_or(line, "unchanged", false);
    report->equal = wgt_json_bool_or(line, "equal", false);
    report->resident = wgt_json_u64(line, "resident");
    report->registers = wgt_json_u64(line, "registers");
    report->spill_bytes = wgt_json_u64(line, "spill_bytes");
    report->shared_bytes = wgt_json_u64(line, "shared_bytes");
    report->now_ns = wgt_json_u64(line, "now_ns");
    const wgt_json *message = wgt_json_get(line, "message");
    if (message != NULL && message->type == WGT_JSON_STRING) {
        report->message = wgt_arena_copy(arena, message->string).data;
    }
    return WGT_OK;
}
