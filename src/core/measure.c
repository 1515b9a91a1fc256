/* The warm-up and the measured rounds. A round runs every candidate that is still needed once, in a
 * fresh random order; a sample is one or more spans of `batch` dispatches. */
#include "tuner_state.h"
#include "stats.h"

#include "../base/number.h"

/* A span holds so many steps of the clock, so that half a step is as little as other noise, and
 * lasts at least so long. Where no batch is allowed, a sample holds QUANTA_OF_SAMPLE in several
 * spans. */
#define QUANTA 200.0
#define QUANTA_OF_SAMPLE 50.0
#define FLOOR_GPU_NS 100e3
#define FLOOR_WALL_NS 2e6
/* No span is to be longer than this: desktops stutter, watchdogs bite. */
#define LONGEST_SPAN_NS 50e6
#define MAX_BATCH 65536u
#define BLIND_GROWTH 8u

#define WARM_UP_LEAST_NS 50e6
#define WARM_UP_MOST_NS 2e9
#define WARM_UP_MOST_WALL_NS 4000000000u
#define WARM_UP_ROUND_NS 25e6 /* short rounds are lengthened, to spare the caller actions */
#define WARM_UP_SHARE 0.25    /* of what is left of the budget */
#define BLIND_ROUNDS 3u
/* A budget that is not enough for so many rounds goes into samples, not into a warm-up. */
#define LEAST_ROUNDS 3
#define FIRST_LOOK 5u
#define FEW_NS 20e6 /* by so much a budget may be overdrawn to complete a round */

/* Batches ------------------------------------------------------------------------------------- */

typedef struct extremes {
    double fast, slow; /* a run in ns; NaN: nobody's is known */
    bool blind;        /* somebody's never resolved */
} extremes;

static extremes find_extremes(const wgt_tuner *t) {
    extremes x = {wgt_nan(), wgt_nan(), false};
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const wgt_entrant *e = &t->entrants[i];
        if (!wgt_is_needed(t, e))
            continue;
        if (wgt_is_nan(e->run_ns)) {
            x.blind = true;
            continue;
        }
        if (!(x.fast <= e->run_ns))
            x.fast = e->run_ns;
        if (!(x.slow >= e->run_ns))
            x.slow = e->run_ns;
    }
    return x;
}

static double span_wanted(const wgt_tuner *t) {
    double floor = t->plan.wall_clock ? FLOOR_WALL_NS : FLOOR_GPU_NS;
    double quanta = QUANTA * t->plan.quantum_ns;
    return quanta > floor ? quanta : floor;
}

/* One batch for all: long enough for the fastest, and never too long for the slowest, which comes
 * first. Where both do not go together, the fastest make up for it with several spans a sample, and
 * the batch grows once the slowest are out. Spans that do not resolve at all call for a larger
 * batch as well, as far as the caller's clock shows that it would be harmless. */
static uint32_t choose_batch(const wgt_tuner *t) {
    if (!t->plan.batchable)
        return 1;
    extremes x = find_extremes(t);
    double longest = (double)t->plan.max_dispatch_ns;
    double wanted = wgt_is_nan(x.fast) ? 1 : wgt_ceil(span_wanted(t) / x.fast);
    if (longest > LONGEST_SPAN_NS)
        longest = LONGEST_SPAN_NS;
    if (x.blind && t->blind_wall_ns > 0) {
        bool harmless = (double)t->blind_wall_ns * BLIND_GROWTH <= longest;
        double grown = harmless ? (double)t->batch * BLIND_GROWTH : (double)t->batch;
        wanted = grown > wanted ? grown : wanted;
    }
    if (!wgt_is_nan(x.slow) && wanted > wgt_floor(longest / x.slow))
        wanted = wgt_floor(longest / x.slow);
    if (wanted > MAX_BATCH)
        wanted = MAX_BATCH;
    return wanted < 1 ? 1 : (uint32_t)wanted;
}

uint32_t wgt_repeats_for_clock(const wgt_tuner *t, const wgt_entrant *e) {
    if (wgt_is_nan(e->run_ns) || !(t->plan.quantum_ns > 0))
        return 1;
    double repeats =
        wgt_ceil(QUANTA_OF_SAMPLE * t->plan.quantum_ns / (e->run_ns * (double)t->batch));
    return repeats < 1 ? 1 : repeats > WGT_MAX_SPANS ? WGT_MAX_SPANS : (uint32_t)repeats;
}

static void reset_repeats(wgt_tuner *t) {
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        t->entrants[i].repeats = (uint8_t)wgt_repeats_for_clock(t, &t->entrants[i]);
}

/* So many spans an action that a round of warm-up takes a while. */
static uint32_t warm_up_spans(const wgt_tuner *t) {
    double round_ns = 0;
    for (uint32_t i = 0; i < t->order_count; i++) {
        double run_ns = t->entrants[t->order[i]].run_ns;
        round_ns += wgt_is_nan(run_ns) ? 0 : run_ns * (double)t->batch;
    }
    double spans = round_ns > 0 ? wgt_floor(WARM_UP_ROUND_NS / round_ns) : 1;
    return spans < 1 ? 1 : spans > WGT_MAX_SPANS ? WGT_MAX_SPANS : (uint32_t)spans;
}

/* Rounds -------------------------------------------------------------------------------------- */

static void start_round(wgt_tuner *t) {
    uint64_t number = (uint64_t)t->warm_rounds + t->round;
    t->order_count = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (wgt_is_needed(t, &t->entrants[i]))
            t->order[t->order_count++] = i;
        if (t->phase == WGT_PHASE_MEASURE)
            wgt_samples_of(t, i)[t->round] = wgt_nan();
    }
    for (uint32_t i = t->order_count; i > 1; i--) {
        uint32_t other = wgt_random_below(t->plan.seed, number << 32 | i, i);
        uint32_t swap = t->order[i - 1];
        t->order[i - 1] = t->order[other];
        t->order[other] = swap;
    }
    t->cursor = 0;
    t->in_round = true;
    t->round_start_ns = t->now_ns;
    t->blind_wall_ns = 0;
    t->warm_spans = warm_up_spans(t);
}

static void end_measuring(wgt_tuner *t) {
    uint64_t samples = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        samples += t->entrants[i].samples;
    t->clock_failed = samples == 0 && t->round > 0;
    if (!t->plan.count_residency || samples == 0) {
        wgt_finish(t);
        return;
    }
    wgt_race_judge(t);
    t->phase = WGT_PHASE_COUNT;
    t->cursor = 0;
}

static void begin_rounds(wgt_tuner *t) {
    t->phase = WGT_PHASE_MEASURE;
    t->in_round = false;
    reset_repeats(t);
}

/* A round by what is known of the candidates, ns; on the caller's clock it takes longer still. */
static double round_estimate(const wgt_tuner *t) {
    double sum = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const wgt_entrant *e = &t->entrants[i];
        if (wgt_is_needed(t, e) && !wgt_is_nan(e->run_ns))
            sum += e->run_ns * (double)t->batch;
    }
    return sum;
}

void wgt_begin_measuring(wgt_tuner *t) {
    double left = wgt_budget_left(t);
    t->batch = choose_batch(t);
    t->in_round = false;
    t->warm_start_ns = t->now_ns;
    t->warm_left_ns = left < 4e18 ? (uint64_t)(left > 0 ? left * WARM_UP_SHARE : 0) : UINT64_MAX;
    t->phase = WGT_PHASE_WARM_UP;
    if (wgt_live_count(t) == 0)
        wgt_finish(t);
    else if (t->plan.warm || left < LEAST_ROUNDS * round_estimate(t))
        begin_rounds(t);
}

/* Warm-up ------------------------------------------------------------------------------------- */

/* How far this round of warm-up is from the one before: the median of the candidates' ratios. */
static bool agrees_with_previous(wgt_tuner *t, bool *resolved) {
    double *ratios = t->scratch[0];
    size_t count = 0;
    *resolved = false;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const wgt_entrant *e = &t->entrants[i];
        if (!wgt_is_live(e) || wgt_is_nan(e->run_ns))
            continue;
        *resolved = true;
        if (!wgt_is_nan(e->previous_ns))
            ratios[count++] = wgt_log(e->run_ns / e->previous_ns);
    }
    wgt_sort(ratios, count);
    return count > 0 && wgt_abs(wgt_median_sorted(ratios, count)) <= wgt_log(1 + t->plan.tolerance);
}

static void end_warm_round(wgt_tuner *t) {
    bool resolved = false;
    bool agrees = agrees_with_previous(t, &resolved);
    uint32_t batch = choose_batch(t);
    bool rebatched = batch > t->batch + t->batch / 4 || batch < t->batch - t->batch / 5;
    t->in_round = false;
    t->warm_rounds++;
    t->agreeing = agrees && t->warm_rounds > 1 && !rebatched ? t->agreeing + 1 : 0;
    t->blind_rounds = resolved || rebatched ? 0 : t->blind_rounds + 1;
    if (rebatched)
        t->batch = batch;
    uint64_t wall_ns = t->now_ns - t->warm_start_ns;
    if ((t->warm_gpu_ns >= WARM_UP_LEAST_NS && t->agreeing > 0) ||
        t->warm_gpu_ns >= WARM_UP_MOST_NS || wall_ns >= WARM_UP_MOST_WALL_NS ||
        wall_ns >= t->warm_left_ns || t->blind_rounds >= BLIND_ROUNDS)
        begin_rounds(t);
}

/* Measured rounds ----------------------------------------------------------------------------- */

static void fail_the_unresolved(wgt_tuner *t) {
    bool any = false;
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        any = any || t->entrants[i].samples > 0;
    for (uint32_t i = 0; i < t->plan.generator.count && any; i++) {
        if (wgt_is_live(&t->entrants[i]) && t->entrants[i].samples == 0)
            wgt_take_out(t, i, WGT_CANDIDATE_FAILED, "none of its spans resolved on this clock");
    }
    if (!any && t->round >= BLIND_ROUNDS)
        end_measuring(t);
}

static void end_round(wgt_tuner *t) {
    t->in_round = false;
    t->round++;
    t->round_wall_ns = t->now_ns - t->round_start_ns;
    t->round_entrants = t->order_count;
    if (t->round >= BLIND_ROUNDS)
        fail_the_unresolved(t);
    if (t->phase != WGT_PHASE_MEASURE || t->plan.no_racing || t->round < FIRST_LOOK)
        return;
    if (wgt_race_look(t)) {
        end_measuring(t);
        return;
    }
    uint32_t batch = choose_batch(t);
    if (batch >= 2 * t->batch)
        t->batch = batch;
}

static bool may_start_round(wgt_tuner *t) {
    uint32_t needed = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        needed += wgt_is_needed(t, &t->entrants[i]);
    if (needed == 0 || t->round >= t->plan.max_rounds)
        return false;
    if (t->round == 0)
        return !wgt_budget_spent(t, 1);
    double expected = (double)t->round_wall_ns * needed / t->round_entrants;
    if (expected <= wgt_budget_left(t))
        return true;
    t->out_of_budget = true;
    return false;
}

/* Where the budget ends within a round, the round is completed if that takes a few ms. */
static bool may_go_on(wgt_tuner *t) {
    double left = wgt_budget_left(t);
    if (left > 0)
        return true;
    double rest = (double)(t->now_ns - t->round_start_ns) * (t->order_count - t->cursor);
    if (t->cursor > 0 && rest / t->cursor - left <= FEW_NS)
        return true;
    t->out_of_budget = true;
    return false;
}

static void open_sample(wgt_tuner *t, uint32_t index, wgt_action *action) {
    const wgt_entrant *e = &t->entrants[index];
    bool warm_up = t->phase == WGT_PHASE_WARM_UP;
    *action = (wgt_action){.kind = WGT_ACTION_RUN,
                           .candidate = index,
                           .batch = t->batch,
                           .samples = warm_up ? t->warm_spans : e->repeats,
                           .divide = 1,
                           .warm_up = warm_up};
    wgt_open_action(t, action, wgt_is_nan(e->run_ns) ? 0 : e->run_ns * (double)t->batch);
}

bool wgt_next_sample(wgt_tuner *t, wgt_action *action) {
    wgt_phase phase = t->phase;
    while (t->phase == phase) {
        if (!t->in_round) {
            if (phase == WGT_PHASE_MEASURE && !may_start_round(t)) {
                end_measuring(t);
                return false;
            }
            start_round(t);
        }
        while (t->cursor < t->order_count) {
            uint32_t index = t->order[t->cursor];
            if (!wgt_is_needed(t, &t->entrants[index])) {
                t->cursor++;
                continue;
            }
            if (!may_go_on(t)) {
                end_measuring(t);
                return false;
            }
            t->cursor++;
            open_sample(t, index, action);
            return true;
        }
        if (phase == WGT_PHASE_WARM_UP)
            end_warm_round(t);
        else
            end_round(t);
    }
    return false;
}

/* What the spans that resolved say together, a run: their midmean, so that one outlier among many
 * spoils nothing. NaN where none resolved. */
static double run_of(wgt_tuner *t, const wgt_action *action, const wgt_report *report,
                     size_t *valid) {
    double spans[WGT_MAX_SPANS];
    *valid = 0;
    for (size_t i = 0; i < report->span_count; i++) {
        double span = wgt_valid_span(report->spans_ns[i]);
        if (wgt_is_nan(span))
            continue;
        spans[(*valid)++] = span;
        t->warm_gpu_ns += action->warm_up ? span : 0;
    }
    if (*valid == 0) {
        uint64_t wall_ns = (t->now_ns - t->action_start_ns) / action->samples;
        t->blind_wall_ns = wall_ns > t->blind_wall_ns ? wall_ns : t->blind_wall_ns;
        return wgt_nan();
    }
    wgt_sort(spans, *valid);
    return wgt_midmean_sorted(spans, *valid) / (double)action->batch;
}

void wgt_report_run(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    wgt_entrant *e = &t->entrants[action->candidate];
    if (report->outcome != WGT_OUTCOME_OK) {
        wgt_take_out_by_report(t, action, report);
        wgt_race_reopen(t);
        return;
    }
    size_t valid = 0;
    double run_ns = run_of(t, action, report, &valid);
    if (action->warm_up)
        e->previous_ns = e->run_ns;
    if (!wgt_is_nan(run_ns))
        e->run_ns = run_ns;
    if (action->warm_up || wgt_is_nan(run_ns))
        return;
    wgt_samples_of(t, action->candidate)[t->round] = run_ns;
    e->samples++;
    e->spans += (uint32_t)valid;
    e->batch = action->batch;
}
