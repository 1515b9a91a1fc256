#include "wgtune/tune.h"
#include "describe.h"
#include "record.h"
#include "session.h"
#include "trace.h"
#include "wgtune/probe_run.h"
#include "wgtune/wisdom.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include <string.h>
#include <time.h>

#define DEFAULT_TOLERANCE 0.02
#define DEFAULT_BUDGET_S 30.0

struct wgt_tuned {
    wgt_arena arena;
    wgt_allocator allocator;
    wgt_job *job;
    wgt_result result;
    wgt_result *loaded; /* from wisdom: what `result` points to */
    char saved[256];    /* empty: not in wisdom */
};

/* One tuning under way. */
typedef struct tuning {
    const wgt_tune_options *options;
    const wgt_allocator *allocator;
    double tolerance;
    wgt_tuned *tuned;
    wgt_wisdom *wisdom;
    wgt_key key;
    wgt_session *session;
    wgt_adapter adapter;
    wgt_clock clock;
    wgt_limits limits;
    wgt_generator generator;
    double remembered[WGT_MAX_CONSTANTS];
    bool has_remembered;
    bool has_complete; /* wisdom holds a result that was not interrupted */
    double defaults[WGT_MAX_CONSTANTS];
    wgt_tuner *tuner;
    wgt_record record;
    uint64_t start_ns;
} tuning;

static void warn(const tuning *t, const char *message) {
    if (t->options->warning != NULL) {
        t->options->warning(t->options->user, message);
    }
}

/* The job and the device -------------------------------------------------------------------------------- */

static wgt_status load_job(tuning *t, const char *path, wgt_error *error) {
    const wgt_job_options options = {t->allocator, t->options->problem, t->options->problem_count};
    return wgt_job_load(&options, path, &t->tuned->job, error);
}

static wgt_status open_session(tuning *t, const char *path, wgt_error *error) {
    const wgt_session_options options = {
        .gpu = t->options->gpu,
        .job = t->tuned->job,
        .job_path = path,
        .problem = t->options->problem,
        .problem_count = t->options->problem_count,
        .worker = t->options->worker,
        .allocator = t->allocator,
        .interrupted = t->options->interrupted,
        .warning = t->options->warning,
        .user = t->options->user,
    };
    wgt_status status = wgt_session_open(&options, &t->session, &t->adapter, error);
    if (status == WGT_OK) {
        const wgt_limits portable = wgt_limits_portable();
        t->limits = t->options->gpu.portable_limits ? wgt_limits_min(&t->adapter.limits, &portable)
                                                    : t->adapter.limits;
    }
    return status;
}

static wgt_status generate(tuning *t, wgt_error *error) {
    wgt_budget budget =
        wgt_budget_from_limits(&t->limits, t->adapter.subgroup_min, t->adapter.subgroup_max);
    return wgt_job_generate(t->tuned->job, &t->limits, &budget, &t->options->candidates, &t->generator, error);
}

/* Sizes asked for on the command line make another curve than the job's own list. */
static wgt_status make_key(tuning *t, wgt_error *error) {
    const wgt_candidate_options *c = &t->options->candidates;
    wgt_key_of_job(&t->key, t->tuned->job, &t->adapter);
    if (!c->all && c->size_count == 0) {
        return WGT_OK;
    }
    size_t capacity = t->key.space.size + 64 + 12 * c->size_count;
    char *memory = wgt_arena_push(&t->tuned->arena, capacity, 1);
    if (memory == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    wgt_out out;
    wgt_out_init(&out, memory, capacity);
    wgt_put(&out, t->key.space);
    wgt_put(&out, c->all ? WGT_STR(" all") : WGT_STR(" sizes"));
    for (size_t i = 0; i < c->size_count; i++) {
        wgt_putf(&out, "%c%u", i == 0 ? ' ' : ',', c->sizes[i]);
    }
    t->key.space = (wgt_str){out.data, out.size};
    return WGT_OK;
}

/* Wisdom ------------------------------------------------------------------------------------------------- */

static uint64_t invocations(const wgt_candidate *c) {
    return (uint64_t)c->workgroup[0] * c->workgroup[1] * c->workgroup[2];
}

/* A curve that was measured under narrower limits says nothing about the sizes beyond them. */
static bool covers(const tuning *t, const wgt_result *result) {
    uint64_t measured = 0, legal = 0;
    for (size_t i = 0; i < result->candidate_count; i++) {
        const wgt_candidate *c = &result->candidates[i].candidate;
        if (c->status != WGT_CANDIDATE_SKIPPED && invocations(c) > measured) {
            measured = invocations(c);
        }
    }
    for (uint32_t i = 0; i < t->generator.count; i++) {
        wgt_candidate c;
        t->generator.get(t->generator.user, i, &c);
        if (c.status == WGT_CANDIDATE_OK && wgt_candidate_check(&t->limits, &c) && invocations(&c) > legal) {
            legal = invocations(&c);
        }
    }
    return legal <= measured;
}

static bool legal_pick(const tuning *t, const wgt_result *result, const wgt_pick *pick) {
    if (pick->reason == WGT_PICK_NONE || pick->candidate >= result->candidate_count) {
        return false;
    }
    wgt_candidate c = result->candidates[pick->candidate].candidate;
    return c.status == WGT_CANDIDATE_OK && wgt_candidate_check(&t->limits, &c);
}

static void remember_pick(tuning *t, const wgt_result *result) {
    const wgt_pick *pick = &result->summary.pick;
    if (pick->reason != WGT_PICK_NONE && pick->candidate < result->candidate_count &&
        result->constant_count == wgt_job_get_info(t->tuned->job)->constant_count) {
        memcpy(t->remembered, result->candidates[pick->candidate].candidate.constants, sizeof t->remembered);
        t->has_remembered = true;
    }
}

/* A pick that this job cannot make on this device was edited in, or belongs to other lists. */
static bool made_by_job(const tuning *t, const wgt_candidate *pick) {
    size_t count = wgt_job_get_info(t->tuned->job)->constant_count;
    for (uint32_t i = 0; i < t->generator.count; i++) {
        wgt_candidate c;
        t->generator.get(t->generator.user, i, &c);
        if (memcmp(c.constants, pick->constants, count * sizeof *c.constants) == 0 &&
            memcmp(c.workgroup, pick->workgroup, sizeof c.workgroup) == 0) {
            return true;
        }
    }
    return false;
}

/* What a budget cut short does not answer who has more to spend. */
static bool spent_enough(const tuning *t, const wgt_result *result) {
    double budget_s = t->options->budget_s > 0 ? t->options->budget_s : DEFAULT_BUDGET_S;
    return !result->summary.out_of_budget || (double)result->summary.wall_ns >= 0.8 * budget_s * 1e9;
}

/* true: `loaded` answers the question. */
static bool usable(tuning *t, wgt_result *result) {
    if (!legal_pick(t, result, &result->summary.pick)) {
        if (!legal_pick(t, result, &result->summary.portable_pick)) {
            warn(t, "the remembered pick is over this device's limits: measuring again");
            return false;
        }
        result->summary.pick = result->summary.portable_pick;
    }
    if (!made_by_job(t, &result->candidates[result->summary.pick.candidate].candidate)) {
        warn(t, "the remembered pick is none of this job's candidates: measuring again");
        return false;
    }
    if (result->summary.interrupted || !spent_enough(t, result) || wgt_abs(result->tolerance - t->tolerance) > 1e-12) {
        return false;
    }
    return covers(t, result);
}

/* WGT_OK: answered from wisdom. WGT_NEGATIVE: to be measured. */
static wgt_status look_up(tuning *t, wgt_error *error) {
    if (t->options->no_wisdom) {
        return WGT_NEGATIVE;
    }
    wgt_status status = wgt_wisdom_open(t->options->wisdom, t->allocator, &t->wisdom, error);
    if (status != WGT_OK) {
        return status;
    }
    wgt_result *found = NULL;
    wgt_error trouble = {{0}};
    status = wgt_wisdom_find(t->wisdom, &t->key, &found, &trouble);
    if (status == WGT_NO_MEMORY) {
        return wgt_fail(error, status, "%s", trouble.message);
    }
    if (status != WGT_OK) {
        if (status != WGT_NEGATIVE) {
            warn(t, trouble.message);
        }
        return WGT_NEGATIVE;
    }
    remember_pick(t, found);
    t->has_complete = !found->summary.interrupted;
    if (t->options->fresh || !usable(t, found)) {
        wgt_result_destroy(&found);
        return WGT_NEGATIVE;
    }
    t->tuned->loaded = found;
    t->tuned->result = *found;
    t->tuned->result.source = WGT_SOURCE_WISDOM;
    wgt_wisdom_name(&t->key, found->job_name, t->tuned->saved, sizeof t->tuned->saved);
    return WGT_OK;
}

/* Measuring ---------------------------------------------------------------------------------------------- */

static wgt_status make_tuner(tuning *t, wgt_error *error) {
    const wgt_job_info *info = wgt_job_get_info(t->tuned->job);
    for (size_t i = 0; i < info->constant_count; i++) {
        t->defaults[i] = info->constants[i].default_value;
    }
    double budget_s = t->options->budget_s > 0 ? t->options->budget_s : DEFAULT_BUDGET_S;
    const wgt_plan plan = {
        .generator = t->generator,
        .limits = &t->limits,
        .constant_count = (uint32_t)info->constant_count,
        .defaults = t->defaults,
        .remembered = t->has_remembered ? t->remembered : NULL,
        .tolerance = t->tolerance,
        .budget_ns = (uint64_t)(budget_s * 1e9),
        .max_rounds = t->options->max_rounds,
        .quantum_ns = t->clock.quantum_ns,
        .wall_clock = !t->clock.timestamps,
        .batchable = info->batchable,
        .divisible = info->divisible,
        .has_reference = info->has_reference,
        .exact = info->exact,
        .unverified = info->unverified,
        .unchanged_ok = info->unchanged_ok,
        .count_residency = !t->options->no_residency,
        .seed = t->options->seed,
    };
    size_t size = wgt_tuner_size(&plan);
    void *memory = size == 0 ? NULL : wgt_arena_push(&t->tuned->arena, size, 1);
    if (size != 0 && memory == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for %u candidates", t->generator.count);
    }
    return wgt_tuner_init(memory, size, &plan, t->start_ns, &t->tuner, error);
}

static void show_progress(const tuning *t) {
    if (t->options->progress == NULL) {
        return;
    }
    wgt_tune_progress p = {.candidate_count = t->generator.count,
                           .elapsed_s = (double)(wgt_now_ns() - t->start_ns) * 1e-9};
    wgt_tuner_progress(t->tuner, &p.tuner);
    t->options->progress(t->options->user, &p);
}

/* A worker that was started anew has no pipelines: the other side of a comparison must be there as well. */
static wgt_status prepare_other(tuning *t, const wgt_action *action, wgt_arena *arena, double *spans,
                                wgt_error *error) {
    if (action->kind != WGT_ACTION_COMPARE || action->other == WGT_REFERENCE) {
        return WGT_OK;
    }
    wgt_action compile = *action;
    compile.kind = WGT_ACTION_COMPILE;
    compile.candidate = action->other;
    wgt_candidate other;
    wgt_report report;
    t->generator.get(t->generator.user, action->other, &other);
    return wgt_session_execute(t->session, &compile, &other, arena, spans, &report, error);
}

static wgt_status step(tuning *t, const wgt_action *action, wgt_error *error) {
    wgt_arena arena;
    wgt_arena_init(&arena, t->allocator);
    double spans[WGT_MAX_SPANS];
    wgt_candidate candidate;
    wgt_report report;
    t->generator.get(t->generator.user, action->candidate, &candidate);
    wgt_status status = WGT_OK;
    if (t->options->interrupted != NULL && t->options->interrupted(t->options->user)) {
        report = (wgt_report){.id = action->id, .outcome = WGT_OUTCOME_INTERRUPTED};
    } else {
        status = prepare_other(t, action, &arena, spans, error);
        if (status == WGT_OK) {
            status = wgt_session_execute(t->session, action, &candidate, &arena, spans, &report, error);
        }
    }
    if (status == WGT_OK) {
        report.now_ns = wgt_now_ns();
        wgt_progress progress;
        wgt_tuner_progress(t->tuner, &progress);
        wgt_record_write(&t->record, action, &candidate, &report, progress.round);
        status = wgt_tuner_report(t->tuner, &report, error);
    }
    wgt_arena_release(&arena);
    return status;
}

static wgt_status drive(tuning *t, wgt_error *error) {
    wgt_action action;
    wgt_status status = WGT_OK;
    while (status == WGT_OK && wgt_tuner_next(t->tuner, &action) && action.kind != WGT_ACTION_DONE) {
        show_progress(t);
        status = step(t, &action, error);
    }
    show_progress(t);
    return status;
}

/* The result --------------------------------------------------------------------------------------------- */

static wgt_str time_text(wgt_arena *arena) {
    time_t now = time(NULL);
    struct tm utc;
    char text[32];
    if (gmtime_r(&now, &utc) == NULL) {
        return (wgt_str){NULL, 0};
    }
    size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return wgt_arena_copy(arena, (wgt_str){text, size});
}

/* From an earlier `wgtune probe`; only a number that is certain is believed. */
static double known_units(const tuning *t) {
    wgt_probed probed;
    if (t->options->no_wisdom ||
        wgt_probe_recall(t->options->wisdom, t->allocator, &t->adapter, &probed, NULL) != WGT_OK) {
        return wgt_nan();
    }
    const wgt_sheet_line *line = &probed.sheet.lines[WGT_SHEET_COMPUTE_UNITS];
    return line->confidence >= WGT_CONFIDENCE_LIKELY ? line->value : wgt_nan();
}

static wgt_status gather(tuning *t, wgt_error *error) {
    wgt_tuned *tuned = t->tuned;
    const wgt_job_info *info = wgt_job_get_info(tuned->job);
    wgt_candidate_result *candidates =
        WGT_NEW_ARRAY(&tuned->arena, wgt_candidate_result, t->generator.count);
    wgt_str *names = WGT_NEW_ARRAY(&tuned->arena, wgt_str, info->constant_count);
    if (candidates == NULL || names == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for the result");
    }
    uint32_t width = t->adapter.subgroup_max;
    for (uint32_t i = 0; i < t->generator.count; i++) {
        wgt_status status = wgt_tuner_candidate(t->tuner, i, width, &candidates[i]);
        if (status != WGT_OK) {
            return wgt_fail(error, WGT_INTERNAL, "candidate %u has no result", i);
        }
    }
    for (size_t i = 0; i < info->constant_count; i++) {
        names[i] = info->constants[i].name;
    }
    tuned->result = (wgt_result){
        .source = WGT_SOURCE_MEASURED,
        .job_name = info->name,
        .kernel = info->kernel,
        .entry = info->entry,
        .space = t->key.space,
        .hash = info->hash,
        .problem = info->problem,
        .problem_count = info->problem_count,
        .adapter = t->adapter,
        .clock = t->clock,
        .compute_units = known_units(t),
        .constant_names = names,
        .constant_count = info->constant_count,
        .candidates = candidates,
        .candidate_count = t->generator.count,
        .tolerance = t->tolerance,
        .measured_at = time_text(&tuned->arena),
    };
    wgt_tuner_summary(t->tuner, &tuned->result.summary);
    return wgt_describe(&tuned->result, info->bytes_moved, &tuned->arena, error);
}

static wgt_status save(tuning *t, wgt_error *error) {
    if (t->options->no_wisdom) {
        return WGT_OK;
    }
    return wgt_wisdom_save(t->wisdom, &t->tuned->result, t->tuned->saved, sizeof t->tuned->saved, error);
}

static wgt_status measure(tuning *t, wgt_error *error) {
    wgt_status status = wgt_session_start(t->session, &t->clock, error);
    if (status == WGT_OK) {
        status = make_tuner(t, error);
    }
    if (status != WGT_OK) {
        return status;
    }
    status = wgt_record_open(&t->record, t->options->record, t->tuned->job, &t->adapter, &t->clock,
                             t->generator.count, t->allocator, error);
    if (status == WGT_OK) {
        status = drive(t, error);
    }
    wgt_error trouble = {{0}};
    wgt_status recorded = wgt_record_close(&t->record, t->options->record, &trouble);
    if (status == WGT_OK) {
        status = gather(t, error);
    }
    if (status != WGT_OK) {
        return status;
    }
    const wgt_summary *summary = &t->tuned->result.summary;
    if (summary->pick.reason == WGT_PICK_NONE) {
        return wgt_fail(error, summary->interrupted ? WGT_INTERRUPTED : WGT_NEGATIVE, "%s",
                        summary->reason[0] != '\0' ? summary->reason : "no candidate is valid");
    }
    if (summary->interrupted && t->has_complete) {
        return wgt_fail(error, WGT_INTERRUPTED, "interrupted; the complete result from before stays remembered");
    }
    status = save(t, error);
    if (status == WGT_OK && recorded != WGT_OK) {
        status = wgt_fail(error, recorded, "%s", trouble.message);
    }
    if (status == WGT_OK && summary->interrupted) {
        status = wgt_fail(error, WGT_INTERRUPTED, "interrupted; what was measured is saved");
    }
    return status;
}

static wgt_status tune(tuning *t, const char *path, wgt_error *error) {
    wgt_status status = load_job(t, path, error);
    if (status == WGT_OK) {
        status = open_session(t, path, error);
    }
    if (status == WGT_OK) {
        status = generate(t, error);
    }
    if (status == WGT_OK) {
        status = make_key(t, error);
    }
    if (status == WGT_OK) {
        status = look_up(t, error);
        if (status == WGT_NEGATIVE) {
            status = measure(t, error);
        }
    }
    wgt_session_close(&t->session);
    wgt_wisdom_close(&t->wisdom);
    return status;
}

wgt_status wgt_tune(const wgt_tune_options *options, const char *job_path, wgt_tuned **tuned, wgt_error *error) {
    *tuned = NULL;
    const wgt_allocator *allocator = options->allocator != NULL ? options->allocator : wgt_heap();
    wgt_tuned *made = allocator->resize(allocator->user, NULL, 0, sizeof *made);
    if (made == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    memset(made, 0, sizeof *made);
    made->allocator = *allocator;
    wgt_arena_init(&made->arena, &made->allocator);
    tuning t = {
        .options = options,
        .allocator = &made->allocator,
        .tolerance = options->tolerance > 0 ? options->tolerance : DEFAULT_TOLERANCE,
        .tuned = made,
        .record = {.fd = -1},
        .start_ns = wgt_now_ns(),
    };
    wgt_status status = tune(&t, job_path, error);
    bool has_result = made->result.candidate_count > 0;
    if (!has_result) {
        wgt_tuned_destroy(&made);
    }
    *tuned = made;
    return status;
}

void wgt_tuned_destroy(wgt_tuned **tuned) {
    wgt_tuned *made = *tuned;
    *tuned = NULL;
    if (made == NULL) {
        return;
    }
    if (made->loaded != NULL) {
        wgt_result_destroy(&made->loaded);
    }
    if (made->job != NULL) {
        wgt_job_destroy(&made->job);
    }
    wgt_arena_release(&made->arena);
    const wgt_allocator allocator = made->allocator;
    allocator.resize(allocator.user, made, sizeof *made, 0);
}

const wgt_result *wgt_tuned_result(const wgt_tuned *tuned) { return &tuned->result; }

const wgt_job *wgt_tuned_job(const wgt_tuned *tuned) { return tuned->job; }

const char *wgt_tuned_saved(const wgt_tuned *tuned) {
    return tuned->saved[0] != '\0' ? tuned->saved : NULL;
}
