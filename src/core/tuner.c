/* The tuner's frame: memory, phases, open actions, the budget. */
#include "tuner_state.h"

#include "../base/memory.h"
#include "../base/number.h"
#include "../base/text.h"

#include <string.h>

/* An action that should take no time is waited for this long: a driver may compile lazily, a
 * machine may be loaded. Ten seconds are what most drivers' own watchdogs allow. */
#define PATIENCE_NS 10e9
#define COMPILE_PATIENCE_NS 120e9
/* With little budget left an action still gets this much, so that a slow one is not taken for a
 * hang. */
#define LEAST_PATIENCE_NS 2e9
#define LEAST_COMPILE_PATIENCE_NS 15e9
#define SHARE_OF_BUDGET 0.25
#define SLOWER_THAN_EXPECTED 20.0

/* Memory ----------------------------------------------------------------------------------------
 */

typedef struct layout {
    size_t size;
    bool fits;
} layout;

static size_t reserve(layout *l, size_t count, size_t size) {
    size_t bytes = 0, at = l->size, end = 0;
    l->fits = l->fits && wgt_mul_size(count, size, &bytes) && wgt_add_size(bytes, 15, &bytes) &&
              wgt_add_size(at, bytes & ~(size_t)15, &end);
    if (l->fits)
        l->size = end;
    return at;
}

typedef struct places {
    size_t open, order, entrants, samples, scratch[3];
} places;

static uint32_t rounds_of(const wgt_plan *plan) {
    return plan->max_rounds == 0 ? 32 : plan->max_rounds;
}

static uint32_t compiles_of(const wgt_plan *plan) {
    uint32_t compiles = plan->open_compiles == 0 ? 1 : plan->open_compiles;
    return compiles > WGT_MAX_OPEN_COMPILES ? WGT_MAX_OPEN_COMPILES : compiles;
}

static const char *fault_of(const wgt_plan *plan) {
    if (plan->generator.count == 0 || plan->generator.get == NULL)
        return "there is no candidate to measure";
    if (plan->generator.count > WGT_MAX_CANDIDATES)
        return "more than 65,536 candidates are too many to measure each of them: narrow the lists";
    if (plan->limits == NULL)
        return "a plan needs the device's limits";
    if (plan->constant_count > WGT_MAX_CONSTANTS)
        return "more than 16 constants";
    if (!(plan->tolerance >= 0) || !(plan->tolerance <= 1))
        return "a tolerance is from 0 to 1";
    if (!(plan->quantum_ns >= 0) || !wgt_is_finite(plan->quantum_ns))
        return "a clock's quantum is 0 or more nanoseconds";
    return NULL;
}

static bool lay_out(const wgt_plan *plan, layout *l, places *p) {
    size_t count = plan->generator.count, rounds = rounds_of(plan), cells = 0;
    size_t scratch = count > rounds ? count : rounds;
    l->size = 0;
    l->fits = wgt_mul_size(count, rounds, &cells);
    reserve(l, 1, sizeof(wgt_tuner));
    p->open = reserve(l, (size_t)compiles_of(plan) + 1, sizeof(wgt_action));
    p->order = reserve(l, count, sizeof(uint32_t));
    p->entrants = reserve(l, count, sizeof(wgt_entrant));
    p->samples = reserve(l, cells, sizeof(double));
    for (unsigned i = 0; i < 3; i++)
        p->scratch[i] = reserve(l, scratch, sizeof(double));
    return l->fits;
}

size_t wgt_tuner_size(const wgt_plan *plan) {
    layout l;
    places p;
    if (fault_of(plan) != NULL || !lay_out(plan, &l, &p))
        return 0;
    return l.size;
}

/* Start ------------------------------------------------------------------------------------------
 */

static void fill_defaults(wgt_plan *plan) {
    plan->max_rounds = rounds_of(plan);
    plan->open_compiles = compiles_of(plan);
    if (!(plan->tolerance > 0))
        plan->tolerance = 0.02;
    if (plan->max_dispatch_ns == 0)
        plan->max_dispatch_ns = 500000000;
}

static void enter(wgt_tuner *t, uint32_t index, const wgt_limits *portable) {
    wgt_entrant *e = &t->entrants[index];
    wgt_candidate candidate;
    memset(e, 0, sizeof *e);
    t->plan.generator.get(t->plan.generator.user, index, &candidate);
    e->run_ns = e->previous_ns = e->location = e->scale = wgt_nan();
    e->ratio = e->ratio_low = e->ratio_high = e->median_ns = wgt_nan();
    e->group = WGT_NO_CANDIDATE;
    e->resident = e->registers = e->spill_bytes = e->shared_bytes = WGT_UNKNOWN_U64;
    e->repeats = 1;
    for (unsigned race = 0; race < WGT_RACES; race++)
        e->tie[race] = WGT_TIE_UNKNOWN;
    if (!wgt_candidate_check(t->plan.limits, &candidate)) {
        wgt_take_out(t, index, candidate.status, "%s", candidate.reason);
        return;
    }
    e->invocations = wgt_invocations(&candidate);
    e->preference = (uint8_t)wgt_preference_of(&candidate, t->seen, t->plan.constant_count,
                                               t->plan.defaults, t->plan.remembered);
    e->entered[WGT_RACE_ALL] = true;
    e->entered[WGT_RACE_PORTABLE] = wgt_candidate_check(portable, &candidate);
    t->order[t->order_count++] = index;
}

wgt_status wgt_tuner_init(void *memory, size_t size, const wgt_plan *plan, uint64_t now_ns,
                          wgt_tuner **tuner, wgt_error *error) {
    layout l;
    places p;
    const char *fault = fault_of(plan);
    if (fault != NULL)
        return wgt_fail(error, WGT_USAGE, "%s", fault);
    if (!lay_out(plan, &l, &p) || memory == NULL || size < l.size)
        return wgt_fail(error, WGT_NO_MEMORY, "the tuner needs more memory than it was given");
    unsigned char *bytes = memory;
    wgt_tuner *t = (wgt_tuner *)memory;
    memset(t, 0, sizeof *t);
    t->plan = *plan;
    fill_defaults(&t->plan);
    t->start_ns = t->now_ns = t->action_start_ns = now_ns;
    t->open = (wgt_action *)(void *)(bytes + p.open);
    t->order = (uint32_t *)(void *)(bytes + p.order);
    t->entrants = (wgt_entrant *)(void *)(bytes + p.entrants);
    t->samples = (double *)(void *)(bytes + p.samples);
    for (unsigned i = 0; i < 3; i++)
        t->scratch[i] = (double *)(void *)(bytes + p.scratch[i]);
    t->seen = wgt_constants_look(&plan->generator, plan->constant_count);
    wgt_limits portable = wgt_limits_portable();
    for (uint32_t i = 0; i < plan->generator.count; i++)
        enter(t, i, &portable);
    for (unsigned race = 0; race < WGT_RACES; race++)
        t->races[race].fastest = WGT_NO_CANDIDATE;
    wgt_order_compiles(t);
    t->batch = 1;
    *tuner = t;
    return WGT_OK;
}

/* What the other files ask ------------------------------------------------------------------------
 */

bool wgt_is_needed(const wgt_tuner *t, const wgt_entrant *e) {
    if (!wgt_is_live(e))
        return false;
    for (unsigned race = 0; race < WGT_RACES; race++) {
        if (e->entered[race] && !e->beaten[race] && !t->races[race].decided)
            return true;
    }
    return false;
}

uint32_t wgt_live_count(const wgt_tuner *t) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        count += wgt_is_live(&t->entrants[i]);
    return count;
}

uint32_t wgt_rounds_used(const wgt_tuner *t) {
    return t->round + (t->in_round ? 1 : 0);
}

double *wgt_samples_of(const wgt_tuner *t, uint32_t index) {
    return t->samples + (size_t)index * t->plan.max_rounds;
}

double wgt_valid_span(double span_ns) {
    return wgt_is_finite(span_ns) && span_ns > 0 ? span_ns : wgt_nan();
}

void wgt_take_out(wgt_tuner *t, uint32_t index, wgt_candidate_status status, const char *format,
                  ...) {
    wgt_entrant *e = &t->entrants[index];
    va_list arguments;
    wgt_out reason;
    e->status = (uint8_t)status;
    wgt_out_init(&reason, e->reason, sizeof e->reason);
    va_start(arguments, format);
    wgt_vputf(&reason, format, arguments);
    va_end(arguments);
}

void wgt_take_out_by_report(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    static const wgt_candidate_status statuses[] = {WGT_CANDIDATE_OK,     WGT_CANDIDATE_REJECTED,
                                                    WGT_CANDIDATE_FAILED, WGT_CANDIDATE_TIMEOUT,
                                                    WGT_CANDIDATE_LOST,   WGT_CANDIDATE_CRASHED};
    static const char *const messages[] = {"",
                                           "the engine refused its pipeline",
                                           "it failed at run time",
                                           "it did not come back in time",
                                           "the device was lost under it",
                                           "the process died under it"};
    wgt_outcome outcome = report->outcome;
    if (outcome == WGT_OUTCOME_REJECTED && action->kind != WGT_ACTION_COMPILE)
        outcome = WGT_OUTCOME_FAILED;
    const char *message = report->message;
    if (message == NULL || message[0] == '\0')
        message = messages[outcome];
    wgt_take_out(t, action->candidate, statuses[outcome], "%s", message);
}

double wgt_budget_left(const wgt_tuner *t) {
    if (t->plan.budget_ns == 0)
        return wgt_infinity();
    return (double)t->plan.budget_ns - (double)(t->now_ns - t->start_ns);
}

bool wgt_budget_spent(wgt_tuner *t, double share) {
    if (t->plan.budget_ns == 0 ||
        (double)(t->now_ns - t->start_ns) < share * (double)t->plan.budget_ns)
        return false;
    t->out_of_budget = true;
    return true;
}

/* Actions -----------------------------------------------------------------------------------------
 */

static uint64_t patience(const wgt_tuner *t, wgt_action_kind kind, double expected_ns) {
    bool compile = kind == WGT_ACTION_COMPILE;
    double wait = compile ? COMPILE_PATIENCE_NS : PATIENCE_NS;
    double least = compile ? LEAST_COMPILE_PATIENCE_NS : LEAST_PATIENCE_NS;
    /* One that hangs must leave most of the budget to the others. */
    double left = wgt_budget_left(t) * (compile ? 1 : SHARE_OF_BUDGET);
    if (left < wait)
        wait = left;
    if (wait < least)
        wait = least;
    return (uint64_t)(wait + SLOWER_THAN_EXPECTED * expected_ns);
}

void wgt_open_action(wgt_tuner *t, wgt_action *action, double expected_ns) {
    action->id = ++t->last_id;
    action->deadline_ns = patience(t, action->kind, expected_ns);
    t->open[t->open_count++] = *action;
    if (action->kind != WGT_ACTION_COMPILE) {
        t->open_other++;
        t->action_start_ns = t->now_ns;
    }
}

static bool next_count(wgt_tuner *t, wgt_action *action) {
    for (; t->cursor < t->plan.generator.count; t->cursor++) {
        wgt_entrant *e = &t->entrants[t->cursor];
        if (e->samples == 0 || e->counted ||
            (e->status != WGT_CANDIDATE_OK && e->status != WGT_CANDIDATE_DROPPED))
            continue;
        if (wgt_budget_spent(t, 1))
            break;
        e->counted = true;
        *action = (wgt_action){.kind = WGT_ACTION_COUNT,
                               .candidate = t->cursor,
                               .batch = 1,
                               .samples = 1,
                               .divide = 1};
        wgt_open_action(t, action, e->median_ns);
        return true;
    }
    wgt_finish(t);
    return false;
}

void wgt_finish(wgt_tuner *t) {
    const char *why = t->interrupted ? "interrupted before it was measured"
                                     : "the budget ended before it was measured";
    bool unresolved = t->clock_failed || (t->round > 0 && !t->interrupted);
    t->phase = WGT_PHASE_DONE;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (t->entrants[i].status != WGT_CANDIDATE_OK || t->entrants[i].samples > 0)
            continue;
        if (unresolved)
            wgt_take_out(t, i, WGT_CANDIDATE_FAILED, "none of its spans resolved on this clock");
        else
            wgt_take_out(t, i, WGT_CANDIDATE_SKIPPED, "%s", why);
    }
    t->judged = false;
}

/* One step of the phase that the tuner is in: true when it handed out an action, or waits
 * (`*waits`); false when the phase moved on. */
static bool next_in_phase(wgt_tuner *t, wgt_action *action, bool *waits) {
    *waits = t->phase == WGT_PHASE_COMPILE ? false : t->open_other > 0;
    if (*waits)
        return true;
    switch (t->phase) {
    case WGT_PHASE_COMPILE:
        if (wgt_next_compile(t, action))
            return true;
        *waits = t->phase == WGT_PHASE_COMPILE;
        return *waits;
    case WGT_PHASE_CHECK:
        return wgt_next_check(t, action);
    case WGT_PHASE_WARM_UP:
    case WGT_PHASE_MEASURE:
        return wgt_next_sample(t, action);
    case WGT_PHASE_COUNT:
        return next_count(t, action);
    case WGT_PHASE_DONE:
        break;
    }
    return false;
}

bool wgt_tuner_next(wgt_tuner *t, wgt_action *action) {
    memset(action, 0, sizeof *action);
    while (t->phase != WGT_PHASE_DONE) {
        bool waits = false;
        if (next_in_phase(t, action, &waits))
            return !waits;
    }
    if (t->done_id == 0)
        t->done_id = ++t->last_id;
    action->id = t->done_id;
    action->kind = WGT_ACTION_DONE;
    return true;
}

void wgt_action_workgroups(const wgt_action *action, const wgt_candidate *candidate,
                           uint64_t workgroups[3]) {
    uint64_t divide = action->divide;
    memcpy(workgroups, candidate->workgroups, sizeof candidate->workgroups);
    for (unsigned axis = 3; axis-- > 0 && divide > 1;) {
        uint64_t all = workgroups[axis];
        if (all <= 1)
            continue;
        workgroups[axis] = wgt_div_ceil_u64(all, divide);
        divide = wgt_div_ceil_u64(divide, all);
    }
}

/* Reports ------------------------------------------------------------------------------------- */

static wgt_status check_report(const wgt_action *action, const wgt_report *report,
                               wgt_error *error) {
    if (report->outcome > WGT_OUTCOME_INTERRUPTED)
        return wgt_fail(error, WGT_USAGE, "action %llu has no such outcome",
                        (unsigned long long)report->id);
    bool spans = action->kind == WGT_ACTION_RUN || action->kind == WGT_ACTION_VERIFY;
    size_t most = action->kind == WGT_ACTION_VERIFY ? 1 : action->samples;
    bool all = report->outcome == WGT_OUTCOME_OK && action->kind == WGT_ACTION_RUN;
    if (spans && (report->span_count > most || (all && report->span_count != most)))
        return wgt_fail(error, WGT_USAGE, "action %llu asked for %zu spans, %zu were reported",
                        (unsigned long long)report->id, most, report->span_count);
    if (spans && report->span_count > 0 && report->spans_ns == NULL)
        return wgt_fail(error, WGT_USAGE, "action %llu: the spans are missing",
                        (unsigned long long)report->id);
    return WGT_OK;
}

static void charge(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    if (action->kind == WGT_ACTION_RUN || action->kind == WGT_ACTION_VERIFY) {
        for (size_t i = 0; i < report->span_count; i++) {
            double span = wgt_valid_span(report->spans_ns[i]);
            t->gpu_ns += wgt_is_nan(span) ? 0 : span;
        }
    }
    if (action->kind == WGT_ACTION_COMPILE) {
        t->entrants[action->candidate].compile_ns = report->compile_ns;
        if (!wgt_add_u64(t->compile_ns, report->compile_ns, &t->compile_ns))
            t->compile_ns = UINT64_MAX;
    }
}

static void take_report(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    switch (action->kind) {
    case WGT_ACTION_COMPILE:
        wgt_report_compile(t, action, report);
        break;
    case WGT_ACTION_RUN:
        if (t->phase == WGT_PHASE_CHECK)
            wgt_report_part(t, action, report);
        else
            wgt_report_run(t, action, report);
        break;
    case WGT_ACTION_VERIFY:
        wgt_report_verify(t, action, report);
        break;
    case WGT_ACTION_COMPARE:
        wgt_report_compare(t, action, report);
        break;
    case WGT_ACTION_COUNT: /* an extra: that it failed says nothing about the times */
        if (report->outcome == WGT_OUTCOME_OK)
            t->entrants[action->candidate].resident = report->resident;
        break;
    case WGT_ACTION_DONE:
        break;
    }
}

wgt_status wgt_tuner_report(wgt_tuner *t, const wgt_report *report, wgt_error *error) {
    uint32_t at = 0;
    while (at < t->open_count && t->open[at].id != report->id)
        at++;
    if (at == t->open_count)
        return wgt_fail(error, WGT_USAGE, "no action %llu is open", (unsigned long long)report->id);
    wgt_action action = t->open[at];
    wgt_status status = check_report(&action, report, error);
    if (status != WGT_OK)
        return status;
    t->open[at] = t->open[--t->open_count];
    if (action.kind != WGT_ACTION_COMPILE)
        t->open_other--;
    if (report->now_ns > t->now_ns)
        t->now_ns = report->now_ns;
    t->judged = false;
    charge(t, &action, report);
    if (t->phase == WGT_PHASE_DONE)
        return WGT_OK;
    if (report->outcome == WGT_OUTCOME_INTERRUPTED) {
        t->interrupted = true;
        wgt_finish(t);
        return WGT_OK;
    }
    take_report(t, &action, report);
    return WGT_OK;
}

void wgt_tuner_progress(const wgt_tuner *t, wgt_progress *progress) {
    static const char *const names[] = {"compile", "verify", "warm up", "measure", "count", "done"};
    memset(progress, 0, sizeof *progress);
    progress->phase = names[t->phase];
    progress->round = wgt_rounds_used(t);
    progress->live = t->order_count;
    switch (t->phase) {
    case WGT_PHASE_COMPILE:
        progress->done = t->cursor - t->open_count;
        progress->total = t->order_count;
        break;
    case WGT_PHASE_CHECK:
        progress->done = t->cursor;
        progress->total = t->order_count;
        break;
    case WGT_PHASE_WARM_UP:
        progress->done = t->warm_rounds;
        progress->total = t->warm_rounds + 1;
        break;
    case WGT_PHASE_MEASURE:
        progress->done = t->round;
        progress->total = t->plan.max_rounds;
        break;
    case WGT_PHASE_COUNT:
        progress->done = t->cursor;
        progress->total = t->plan.generator.count;
        break;
    case WGT_PHASE_DONE:
        progress->done = progress->total = 1;
        break;
    }
}
