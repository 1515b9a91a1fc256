/* Who is slower for certain, and when enough is known. All times are compared as logarithms, so
 * that a difference is a ratio and noise in percent is the same for the fast and the slow. */
#include "tuner_state.h"
#include "stats.h"

#include "../base/number.h"

/* In standard errors. Looking after every round gives chance many occasions, hence more to drop and
 * to stop than the two of the 95 % that ratios are told with. */
#define ERRORS_TO_DROP 3.0
#define ERRORS_TO_STOP 3.0
#define ERRORS_OF_TIE 2.0
#define ERRORS_AT_EDGE 1.5
/* A part of the error that does not shrink with more rounds: steps of the device's frequency and
 * slow drift of a single candidate. Recordings of one NVIDIA H200 show it as a serial correlation
 * of 0.1 to 0.6 between rounds. A clock with coarse steps hides a share of its step as well: equal
 * readings do not average. */
#define LASTING_ERROR 0.001
#define LASTING_SHARE_OF_STEP 0.25
/* Where what is left to be averaged is less than this share of the lasting error, more rounds tell
 * no more. */
#define RESOLVED 0.5
/* A mode may last for several rounds: R16-1m in the recordings stays 1 % faster for eight. */
#define ROUNDS_TO_SET_ASIDE 10u
/* The midmean of normal samples has this many times the error of their mean. */
#define MIDMEAN_COST 1.1
/* Spans a sample at most, where noise hides what has to be decided. */
#define MOST_REPEATS 8.0
#define NARROWEST_GAP                                                                              \
    0.004 /* between a ratio and the tolerance: a narrower one is not worth it                     \
           */
/* A candidate that is noisier than others by this factor is likely to be noisier still: few samples
 * of two modes often come from one. Its spread is then taken to be larger by this over the count.
 */
#define NOISY 2.0
#define CAUTION 4.0
#define MOST_RIVALS 16u

static double log_tolerance(const wgt_tuner *t) {
    return wgt_log(1 + t->plan.tolerance);
}

static bool has_times(const wgt_entrant *e) {
    return e->samples > 0;
}

static bool contends(const wgt_entrant *e, unsigned race) {
    return wgt_is_live(e) && has_times(e) && e->entered[race] && !e->beaten[race];
}

/* Locations and scales ------------------------------------------------------------------------ */

static size_t logs_of(const wgt_tuner *t, uint32_t index, const double *effects, double *logs) {
    const double *samples = wgt_samples_of(t, index);
    uint32_t rounds = wgt_rounds_used(t);
    size_t count = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        if (!wgt_is_nan(samples[r]))
            logs[count++] = wgt_log(samples[r]) - (effects == NULL ? 0 : effects[r]);
    }
    wgt_sort(logs, count);
    return count;
}

/* What a round did to everybody: the median of the live candidates' distances from their own
 * medians. */
static void find_round_effects(wgt_tuner *t, double *effects, double *column) {
    uint32_t rounds = wgt_rounds_used(t);
    for (uint32_t r = 0; r < rounds; r++) {
        size_t count = 0;
        for (uint32_t i = 0; i < t->plan.generator.count; i++) {
            const wgt_entrant *e = &t->entrants[i];
            double sample = has_times(e) && wgt_is_live(e) ? wgt_samples_of(t, i)[r] : wgt_nan();
            if (!wgt_is_nan(sample))
                column[count++] = wgt_log(sample) - e->location;
        }
        wgt_sort(column, count);
        effects[r] = count > 1 ? wgt_median_sorted(column, count) : 0;
    }
}

static double wider(double a, double b) {
    return a > b ? a : b;
}

/* A candidate's own noise was partly taken for the round's; the fewer candidates, the more of it.
 */
static double shrinkage(uint32_t live) {
    return live > 1 ? wgt_sqrt((double)live / (live - 1)) : 1;
}

/* How much less a sample spreads than a single span. */
static double averaging(const wgt_entrant *e) {
    return wgt_sqrt((double)e->spans / (double)e->samples);
}

static void find_pooled(wgt_tuner *t) {
    double *scales = t->scratch[0];
    size_t count = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const wgt_entrant *e = &t->entrants[i];
        if (has_times(e) && !wgt_is_nan(e->scale))
            scales[count++] = e->scale * averaging(e);
    }
    wgt_sort(scales, count);
    t->pooled = count > 0 ? wgt_median_sorted(scales, count) : 0;
}

/* The spread of a sample that is safe to reckon with: its own where that is wide, else what is
 * typical, since few samples may agree by chance; and never less than half a step of the clock. */
static void find_spreads(wgt_tuner *t) {
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        if (!has_times(e))
            continue;
        double own = wgt_is_nan(e->scale) ? 0 : e->scale;
        double typical = t->pooled / averaging(e);
        if (own > NOISY * typical)
            own *= 1 + CAUTION / (double)e->samples;
        e->step = t->plan.quantum_ns / (wgt_exp(e->location) * (double)e->batch);
        e->spread = wider(wider(own, typical), e->step / (2 * averaging(e)));
    }
}

void wgt_race_locate(wgt_tuner *t) {
    double *logs = t->scratch[0], *effects = t->scratch[1], *work = t->scratch[2];
    uint32_t live = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        if (!has_times(e))
            continue;
        live += wgt_is_live(e);
        e->location = wgt_median_sorted(logs, logs_of(t, i, NULL, logs));
    }
    find_round_effects(t, effects, work);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        if (!has_times(e) || !wgt_is_live(e))
            continue;
        size_t count = logs_of(t, i, effects, logs);
        double mad = wgt_mad_sorted(logs, count, work);
        double spread = wgt_midmean_scale_sorted(logs, count) / MIDMEAN_COST;
        e->location = wgt_midmean_sorted(logs, count);
        if (count > 1)
            e->scale = wider(mad, spread) * shrinkage(live);
    }
    find_pooled(t);
    find_spreads(t);
}

/* Pairs --------------------------------------------------------------------------------------- */

static double square(double x) {
    return x * x;
}

/* Before five rounds a spread is hardly known: then this much is assumed. */
static double least_scale(uint32_t rounds) {
    static const double assumed[] = {0.5, 0.25, 0.1, 0.05, 0.03};
    return rounds < sizeof assumed / sizeof assumed[0] ? assumed[rounds] : 0;
}

wgt_pair wgt_compare_pair(const wgt_tuner *t, uint32_t a, uint32_t b) {
    const double *of_a = wgt_samples_of(t, a), *of_b = wgt_samples_of(t, b);
    double *differences = t->scratch[0];
    uint32_t rounds = wgt_rounds_used(t);
    wgt_pair pair = {wgt_nan(), wgt_infinity(), 0, 0, false};
    for (uint32_t r = 0; r < rounds; r++) {
        if (!wgt_is_nan(of_a[r]) && !wgt_is_nan(of_b[r]))
            differences[pair.rounds++] = wgt_log(of_a[r] / of_b[r]);
    }
    if (pair.rounds == 0)
        return pair;
    wgt_sort(differences, pair.rounds);
    double least = least_scale(pair.rounds);
    double scale_a = wider(t->entrants[a].spread, least);
    double scale_b = wider(t->entrants[b].spread, least);
    double variance = square(MIDMEAN_COST) * (square(scale_a) + square(scale_b)) / pair.rounds;
    double steps = square(t->entrants[a].step) + square(t->entrants[b].step);
    double lasting = square(LASTING_ERROR) + square(LASTING_SHARE_OF_STEP) * steps;
    pair.difference = wgt_midmean_sorted(differences, pair.rounds);
    pair.error = wgt_sqrt(variance + lasting);
    pair.lasting = wgt_sqrt(lasting);
    pair.resolved = variance <= square(RESOLVED) * lasting;
    return pair;
}

/* Looking ------------------------------------------------------------------------------------- */

static uint32_t best_of(const wgt_tuner *t, unsigned race) {
    uint32_t best = WGT_NO_CANDIDATE;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (contends(&t->entrants[i], race) &&
            (best == WGT_NO_CANDIDATE || t->entrants[i].location < t->entrants[best].location))
            best = i;
    }
    return best;
}

static uint32_t preferred_of(const wgt_tuner *t, unsigned race) {
    uint32_t preferred = WGT_NO_CANDIDATE;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (contends(&t->entrants[i], race) && !t->entrants[i].set_aside[race] &&
            (preferred == WGT_NO_CANDIDATE || wgt_prefers(t, i, preferred)))
            preferred = i;
    }
    return preferred;
}

static void beat(wgt_tuner *t, unsigned race, uint32_t best) {
    double tolerance = log_tolerance(t);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (i == best || !contends(&t->entrants[i], race))
            continue;
        wgt_pair pair = wgt_compare_pair(t, i, best);
        if (pair.rounds > 0 && pair.difference - ERRORS_TO_DROP * pair.error > tolerance)
            t->entrants[i].beaten[race] = true;
    }
}

/* More spans for a candidate whose noise hides on which side of the tolerance a ratio lies: as many
 * as the rounds that are left need, so that the errors of stopping fit into the gap. The two of a
 * pair share what the lasting error leaves. */
static void ask_for_spans(wgt_tuner *t, uint32_t index, wgt_pair pair) {
    wgt_entrant *e = &t->entrants[index];
    double gap = wider(wgt_abs(log_tolerance(t) - pair.difference), NARROWEST_GAP);
    double room = square(gap / ERRORS_TO_STOP) - square(pair.lasting);
    double wanted = wider(room, square(NARROWEST_GAP / ERRORS_TO_STOP) / 2) / 2;
    double have = t->round,
           left = t->plan.max_rounds > t->round ? t->plan.max_rounds - t->round : 1;
    double spread = MIDMEAN_COST * e->spread * averaging(e);
    double needed = wgt_ceil((square(spread) / wanted - have) / left);
    if (needed > MOST_REPEATS)
        needed = MOST_REPEATS;
    if (needed > e->repeats)
        e->repeats = (uint8_t)needed;
}

/* Whether the preferred is in the tie for certain. Where no number of rounds will tell, since it is
 * slower by the tolerance and hardly a hair more or less, it is set aside: the next in preference
 * may be certain. */
static bool is_certain(wgt_tuner *t, unsigned race, uint32_t preferred, bool *hopeless) {
    bool certain = true;
    *hopeless = false;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (i == preferred || !contends(&t->entrants[i], race))
            continue;
        wgt_pair pair = wgt_compare_pair(t, preferred, i);
        if (pair.difference + ERRORS_TO_STOP * pair.error <= log_tolerance(t))
            continue;
        certain = false;
        bool at_edge = pair.difference + ERRORS_AT_EDGE * pair.error > log_tolerance(t);
        *hopeless = *hopeless || (t->round >= ROUNDS_TO_SET_ASIDE && pair.resolved && at_edge);
        if (pair.rounds > 0 && !pair.resolved) {
            ask_for_spans(t, preferred, pair);
            ask_for_spans(t, i, pair);
        }
    }
    return certain;
}

static void settle(wgt_tuner *t, unsigned race) {
    uint32_t best = best_of(t, race);
    if (best == WGT_NO_CANDIDATE) {
        t->races[race].decided = true;
        return;
    }
    beat(t, race, best);
    bool hopeless = true;
    while (hopeless) {
        uint32_t preferred = preferred_of(t, race);
        if (preferred == WGT_NO_CANDIDATE)
            preferred = best;
        t->races[race].winner = preferred;
        t->races[race].decided =
            is_certain(t, race, preferred, &hopeless) || (hopeless && preferred == best);
        if (hopeless && preferred != best)
            t->entrants[preferred].set_aside[race] = true;
        else
            hopeless = false;
    }
}

static void drop_the_beaten(wgt_tuner *t) {
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        bool may_win = false;
        if (!wgt_is_live(e) || !has_times(e))
            continue;
        for (unsigned race = 0; race < WGT_RACES; race++)
            may_win = may_win || (e->entered[race] && !e->beaten[race]);
        if (!may_win)
            wgt_take_out(t, i, WGT_CANDIDATE_DROPPED, "certainly slower after %u rounds", t->round);
    }
}

bool wgt_race_look(wgt_tuner *t) {
    bool decided = true;
    wgt_race_locate(t);
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        t->entrants[i].repeats = (uint8_t)wgt_repeats_for_clock(t, &t->entrants[i]);
    for (unsigned race = 0; race < WGT_RACES; race++) {
        if (!t->races[race].decided)
            settle(t, race);
        decided = decided && t->races[race].decided;
    }
    drop_the_beaten(t);
    return decided;
}

void wgt_race_reopen(wgt_tuner *t) {
    for (unsigned race = 0; race < WGT_RACES; race++)
        t->races[race].decided = false;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        for (unsigned race = 0; race < WGT_RACES; race++)
            e->beaten[race] = e->set_aside[race] = false;
        if (e->status == WGT_CANDIDATE_DROPPED) {
            e->status = WGT_CANDIDATE_OK;
            e->reason[0] = '\0';
        }
    }
}

/* Judging ------------------------------------------------------------------------------------- */

static bool is_faster(const wgt_tuner *t, uint32_t a, uint32_t b) {
    const wgt_entrant *of_a = &t->entrants[a], *of_b = &t->entrants[b];
    if (of_a->median_ns < of_b->median_ns || of_a->median_ns > of_b->median_ns)
        return of_a->median_ns < of_b->median_ns;
    if (of_a->location < of_b->location || of_a->location > of_b->location)
        return of_a->location < of_b->location;
    return wgt_prefers(t, a, b);
}

static void find_medians(wgt_tuner *t) {
    double *values = t->scratch[0];
    uint32_t rounds = wgt_rounds_used(t);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const double *samples = wgt_samples_of(t, i);
        size_t count = 0;
        if (!has_times(&t->entrants[i]))
            continue;
        for (uint32_t r = 0; r < rounds; r++) {
            if (!wgt_is_nan(samples[r]))
                values[count++] = samples[r];
        }
        wgt_sort(values, count);
        t->entrants[i].median_ns = wgt_median_sorted(values, count);
    }
}

/* Those that may really be the best: the few of the lowest location. */
typedef struct rivals {
    uint32_t items[MOST_RIVALS];
    uint32_t count;
} rivals;

static rivals find_rivals(const wgt_tuner *t, unsigned race) {
    rivals r = {{0}, 0};
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (!contends(&t->entrants[i], race))
            continue;
        uint32_t at = r.count < MOST_RIVALS ? r.count++ : MOST_RIVALS;
        for (; at > 0 && t->entrants[r.items[at - 1]].location > t->entrants[i].location; at--) {
            if (at < MOST_RIVALS)
                r.items[at] = r.items[at - 1];
        }
        if (at < MOST_RIVALS)
            r.items[at] = i;
    }
    return r;
}

/* The ratio to the best with its bounds, in logarithms. The estimate and the lower bound are to the
 * fastest; but the fastest of what was seen need not be the best, so that the upper bound is the
 * largest to anybody who may be it. */
typedef struct to_best {
    double ratio, low, high;
    double width; /* of the upper half */
} to_best;

static to_best ratio_to_best(const wgt_tuner *t, uint32_t index, uint32_t fastest,
                             const rivals *r) {
    to_best b = {0, 0, 0, 0};
    if (index == fastest)
        return b;
    wgt_pair pair = wgt_compare_pair(t, index, fastest);
    b.ratio = pair.difference;
    b.width = ERRORS_OF_TIE * pair.error;
    b.low = b.ratio - b.width;
    b.high = b.ratio + b.width;
    for (uint32_t i = 0; i < r->count && b.high <= log_tolerance(t); i++) {
        if (r->items[i] == index)
            continue;
        pair = wgt_compare_pair(t, index, r->items[i]);
        b.high = wider(b.high, pair.difference + ERRORS_OF_TIE * pair.error);
    }
    return b;
}

/* What was decided in a race stays: later rounds, of another race, may change an estimate by a
 * hair. */
static wgt_tie tie_of(const wgt_tuner *t, uint32_t index, unsigned race, to_best b) {
    if (t->entrants[index].beaten[race] || b.low > log_tolerance(t))
        return WGT_TIE_OUT;
    if (t->races[race].decided && t->races[race].winner == index)
        return WGT_TIE_IN;
    return b.high <= log_tolerance(t) ? WGT_TIE_IN : WGT_TIE_UNDECIDED;
}

static uint32_t fastest_of(const wgt_tuner *t, unsigned race) {
    uint32_t fastest = WGT_NO_CANDIDATE;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (contends(&t->entrants[i], race) &&
            (fastest == WGT_NO_CANDIDATE || is_faster(t, i, fastest)))
            fastest = i;
    }
    return fastest;
}

static void judge_race(wgt_tuner *t, unsigned race) {
    uint32_t fastest = fastest_of(t, race), contenders = 0, lost_in_noise = 0;
    rivals r = find_rivals(t, race);
    t->races[race].fastest = fastest;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        bool timed =
            has_times(e) && (e->status == WGT_CANDIDATE_OK || e->status == WGT_CANDIDATE_DROPPED);
        e->tie[race] = WGT_TIE_UNKNOWN;
        if (!timed || fastest == WGT_NO_CANDIDATE || !e->entered[race])
            continue;
        to_best b = ratio_to_best(t, i, fastest, &r);
        wgt_tie tie = tie_of(t, i, race, b);
        e->tie[race] = (uint8_t)tie;
        if (race == WGT_RACE_ALL) {
            e->ratio = b.ratio;
            e->ratio_low = b.low;
            e->ratio_high = b.high;
        }
        if (i == fastest || !contends(e, race))
            continue;
        contenders++;
        lost_in_noise += tie == WGT_TIE_UNDECIDED && b.width > log_tolerance(t);
    }
    t->races[race].unranked = 2 * lost_in_noise > contenders;
}

void wgt_race_judge(wgt_tuner *t) {
    if (t->judged)
        return;
    wgt_race_locate(t);
    find_medians(t);
    for (unsigned race = 0; race < WGT_RACES; race++)
        judge_race(t, race);
    t->judged = true;
}
