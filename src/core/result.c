/* What came of it: the pick, the summary, each candidate's figures. */
#include "tuner_state.h"
#include "stats.h"

#include "../base/number.h"
#include "../base/text.h"

#include <string.h>

static uint32_t default_of(const wgt_tuner *t) {
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_candidate candidate;
        t->plan.generator.get(t->plan.generator.user, i, &candidate);
        if (wgt_is_default(&candidate, t->seen, t->plan.constant_count, t->plan.defaults))
            return i;
    }
    return WGT_NO_CANDIDATE;
}

static bool is_timed(const wgt_entrant *e, unsigned race) {
    return e->entered[race] && e->samples > 0 &&
           (e->status == WGT_CANDIDATE_OK || e->status == WGT_CANDIDATE_DROPPED);
}

/* Whether a candidate may be picked: it is in the tie; where noise cannot rank, all that are not
 * out. */
static bool is_eligible(const wgt_tuner *t, uint32_t index, unsigned race) {
    const wgt_entrant *e = &t->entrants[index];
    if (!is_timed(e, race) || e->beaten[race])
        return false;
    if (index == t->races[race].fastest || e->tie[race] == WGT_TIE_IN)
        return true;
    return t->races[race].unranked && e->tie[race] == WGT_TIE_UNDECIDED;
}

static void compare_speeds(const wgt_tuner *t, unsigned race, wgt_pick *pick) {
    double own = t->entrants[pick->candidate].median_ns, worst = own;
    uint32_t author = default_of(t);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (is_timed(&t->entrants[i], race) && t->entrants[i].median_ns > worst)
            worst = t->entrants[i].median_ns;
    }
    pick->speedup_over_worst = worst / own;
    if (author != WGT_NO_CANDIDATE && is_timed(&t->entrants[author], WGT_RACE_ALL))
        pick->speedup_over_default = t->entrants[author].median_ns / own;
}

static wgt_pick pick_of(const wgt_tuner *t, unsigned race) {
    wgt_pick pick = {WGT_PICK_NONE, WGT_NO_CANDIDATE, wgt_nan(), wgt_nan()};
    uint32_t timed = 0, eligible = 0;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        timed += is_timed(&t->entrants[i], race);
        if (!is_eligible(t, i, race))
            continue;
        eligible++;
        if (pick.candidate == WGT_NO_CANDIDATE || wgt_prefers(t, i, pick.candidate))
            pick.candidate = i;
    }
    if (eligible == 0)
        return pick;
    pick.reason = (wgt_pick_reason)t->entrants[pick.candidate].preference;
    if (timed == 1)
        pick.reason = WGT_PICK_ONLY;
    else if (eligible == 1)
        pick.reason = WGT_PICK_FASTEST;
    compare_speeds(t, race, &pick);
    return pick;
}

/* "14 wrong, 2 skipped; the first: ..." */
static void explain_no_pick(const wgt_tuner *t, char reason[WGT_REASON_SIZE]) {
    uint32_t counts[WGT_CANDIDATE_DROPPED + 1] = {0};
    const char *first = "";
    wgt_out out;
    wgt_out_init(&out, reason, WGT_REASON_SIZE);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        counts[t->entrants[i].status]++;
        if (first[0] == '\0')
            first = t->entrants[i].reason;
    }
    if (t->clock_failed) {
        wgt_putf(&out, "no span of any candidate resolved on this clock: nothing can be ranked");
        return;
    }
    if (t->phase != WGT_PHASE_DONE) {
        wgt_putf(&out, "nothing is measured yet");
        return;
    }
    wgt_putf(&out, "no candidate could be timed:");
    const char *separator = " ";
    for (unsigned status = 1; status <= WGT_CANDIDATE_DROPPED; status++) {
        if (counts[status] == 0)
            continue;
        wgt_putf(&out, "%s%u %s", separator, counts[status],
                 wgt_candidate_status_name((wgt_candidate_status)status));
        separator = ", ";
    }
    if (first[0] != '\0')
        wgt_putf(&out, "; the first: %s", first);
}

void wgt_tuner_summary(wgt_tuner *t, wgt_summary *summary) {
    wgt_race_judge(t);
    memset(summary, 0, sizeof *summary);
    summary->pick = pick_of(t, WGT_RACE_ALL);
    summary->portable_pick = pick_of(t, WGT_RACE_PORTABLE);
    summary->fastest = t->races[WGT_RACE_ALL].fastest;
    summary->shape = wgt_shape_of(t);
    summary->interrupted = t->interrupted;
    summary->out_of_budget = t->out_of_budget;
    summary->clock_failed = t->clock_failed;
    summary->live = wgt_live_count(t);
    for (uint32_t i = 0; i < t->plan.generator.count; i++)
        summary->samples += t->entrants[i].samples;
    summary->rounds = summary->samples > 0 ? wgt_rounds_used(t) : t->round;
    summary->gpu_ns = t->gpu_ns;
    summary->compile_ns = t->compile_ns;
    summary->wall_ns = t->now_ns - t->start_ns;
    if (summary->pick.reason == WGT_PICK_NONE)
        explain_no_pick(t, summary->reason);
}

static void fill_times(wgt_tuner *t, uint32_t index, wgt_candidate_result *result) {
    const wgt_entrant *e = &t->entrants[index];
    const double *samples = wgt_samples_of(t, index);
    double *values = t->scratch[0];
    uint32_t rounds = wgt_rounds_used(t);
    size_t count = 0;
    for (uint32_t r = 0; r < rounds && e->samples > 0; r++) {
        if (!wgt_is_nan(samples[r]))
            values[count++] = samples[r];
    }
    wgt_sort(values, count);
    result->median_ns = wgt_median_sorted(values, count);
    wgt_median_interval_sorted(values, count, result->interval_ns);
    if (e->tie[WGT_RACE_ALL] == WGT_TIE_UNKNOWN)
        return;
    result->ratio = wgt_exp(e->ratio);
    result->ratio_interval[0] = wgt_exp(e->ratio_low);
    result->ratio_interval[1] = wgt_exp(e->ratio_high);
}

wgt_status wgt_tuner_candidate(wgt_tuner *t, uint32_t index, uint32_t subgroup_width,
                               wgt_candidate_result *result) {
    if (index >= t->plan.generator.count)
        return WGT_USAGE;
    wgt_race_judge(t);
    const wgt_entrant *e = &t->entrants[index];
    memset(result, 0, sizeof *result);
    t->plan.generator.get(t->plan.generator.user, index, &result->candidate);
    result->candidate.status = (wgt_candidate_status)e->status;
    memcpy(result->candidate.reason, e->reason, sizeof e->reason);
    result->samples = e->samples;
    result->batch = e->batch;
    result->ratio = result->ratio_interval[0] = result->ratio_interval[1] = wgt_nan();
    fill_times(t, index, result);
    result->tie = (wgt_tie)e->tie[WGT_RACE_ALL];
    result->compile_ns = e->made ? e->compile_ns : WGT_UNKNOWN_U64;
    result->compiled_hash = e->compiled;
    result->verified = (wgt_verified)e->verified;
    result->masked_lanes = wgt_masked_lanes(wgt_invocations(&result->candidate), subgroup_width);
    result->resident = e->resident;
    result->registers = e->registers;
    result->spill_bytes = e->spill_bytes;
    result->shared_bytes = e->shared_bytes;
    return WGT_OK;
}
