/* The check phase: how long one whole dispatch of a candidate takes, found without risking it, and
 * whether its output is right. */
#include "tuner_state.h"

#include "../base/hash.h"
#include "../base/number.h"
#include "../base/text.h"

#include <string.h>

/* Of a budget at most this much goes into compiling and checking. */
#define CHECK_SHARE 0.7

#define TIME_TEXT_SIZE 48

static const char *time_text(double ns, char text[TIME_TEXT_SIZE]) {
    if (ns >= 0.9995e9)
        wgt_format(text, TIME_TEXT_SIZE, "%.1f s", ns < 1e15 ? ns * 1e-9 : 1e6);
    else
        wgt_format(text, TIME_TEXT_SIZE, "%.0f ms", ns * 1e-6);
    return text;
}

/* How long a dispatch is known to have taken at most: where its timestamps say nothing, what passed
 * on the caller's clock. */
static double longest(const wgt_tuner *t, const wgt_report *report) {
    double span = report->span_count > 0 ? wgt_valid_span(report->spans_ns[0]) : wgt_nan();
    return wgt_is_nan(span) ? (double)(t->now_ns - t->action_start_ns) : span;
}

static double fraction_of(const wgt_tuner *t, uint32_t index, uint32_t divide) {
    wgt_candidate candidate;
    wgt_action action = {.divide = divide};
    uint64_t part[3];
    double fraction = 1;
    t->plan.generator.get(t->plan.generator.user, index, &candidate);
    wgt_action_workgroups(&action, &candidate, part);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (candidate.workgroups[axis] > 0)
            fraction *= (double)part[axis] / (double)candidate.workgroups[axis];
    }
    return fraction;
}

static void next_candidate(wgt_tuner *t) {
    t->cursor++;
    t->check_step = WGT_CHECK_SIXTYFOURTH;
    t->part_repeated = false;
}

/* Groups -------------------------------------------------------------------------------------- */

static uint32_t twin_of(const wgt_tuner *t, uint32_t index) {
    const wgt_entrant *e = &t->entrants[index];
    for (uint32_t at = 0; at < t->cursor; at++) {
        const wgt_entrant *other = &t->entrants[t->order[at]];
        if (other->group != WGT_NO_CANDIDATE && wgt_hash_equal(other->output, e->output))
            return t->order[at];
    }
    return WGT_NO_CANDIDATE;
}

static void judge_by_reference(wgt_tuner *t, uint32_t index, bool right, const char *why) {
    wgt_entrant *e = &t->entrants[index];
    e->verified = right ? WGT_VERIFIED_REFERENCE : WGT_VERIFIED_NOT;
    if (right)
        return;
    bool told = why != NULL && why[0] != '\0';
    wgt_take_out(t, index, WGT_CANDIDATE_WRONG, "its output is not the reference%s%s",
                 told ? ": " : "", told ? why : "");
}

/* The candidate at the cursor has an output: finds its group where that needs no comparison. */
static void group_by_hash(wgt_tuner *t, uint32_t index) {
    wgt_entrant *e = &t->entrants[index];
    uint32_t twin = twin_of(t, index);
    if (twin != WGT_NO_CANDIDATE) {
        const wgt_entrant *of_twin = &t->entrants[twin];
        e->group = of_twin->group;
        if (t->plan.has_reference && of_twin->status == WGT_CANDIDATE_WRONG)
            wgt_take_out(t, index, WGT_CANDIDATE_WRONG, "%s", of_twin->reason);
        else if (t->plan.has_reference)
            e->verified = WGT_VERIFIED_REFERENCE;
        next_candidate(t);
    } else if (t->plan.exact && !t->plan.has_reference) {
        e->group = index;
        next_candidate(t);
    } else {
        t->check_step = WGT_CHECK_COMPARE;
        t->compare_with = 0;
    }
}

/* The next first candidate of a group, from `compare_with` on. */
static uint32_t next_group(wgt_tuner *t) {
    for (; t->compare_with < t->cursor; t->compare_with++) {
        uint32_t index = t->order[t->compare_with];
        if (t->entrants[index].group == index)
            return index;
    }
    return WGT_NO_CANDIDATE;
}

static bool next_compare(wgt_tuner *t, wgt_action *action) {
    uint32_t index = t->order[t->cursor];
    uint32_t other = t->plan.has_reference ? WGT_REFERENCE : next_group(t);
    if (!t->plan.has_reference && other == WGT_NO_CANDIDATE) {
        t->entrants[index].group = index;
        next_candidate(t);
        return false;
    }
    *action = (wgt_action){.kind = WGT_ACTION_COMPARE,
                           .candidate = index,
                           .other = other,
                           .batch = 1,
                           .samples = 1,
                           .divide = 1};
    wgt_open_action(t, action, t->entrants[index].run_ns > 0 ? 2 * t->entrants[index].run_ns : 0);
    return true;
}

void wgt_report_compare(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    uint32_t index = action->candidate;
    if (report->outcome != WGT_OUTCOME_OK) {
        wgt_take_out_by_report(t, action, report);
        next_candidate(t);
    } else if (action->other == WGT_REFERENCE) {
        t->entrants[index].group = index;
        judge_by_reference(t, index, report->equal, report->message);
        next_candidate(t);
    } else if (report->equal) {
        t->entrants[index].group = action->other;
        next_candidate(t);
    } else {
        t->compare_with++;
    }
}

/* Without a reference a strict majority of the candidates that gave an output is right; nobody is
 * right because it came first. */
static void judge_by_majority(wgt_tuner *t) {
    double *votes = t->scratch[0];
    uint32_t voters = 0, largest = WGT_NO_CANDIDATE;
    memset(votes, 0, t->plan.generator.count * sizeof votes[0]);
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        const wgt_entrant *e = &t->entrants[i];
        if (!wgt_is_live(e) || e->group == WGT_NO_CANDIDATE)
            continue;
        voters++;
        votes[e->group] += 1;
        if (largest == WGT_NO_CANDIDATE || votes[e->group] > votes[largest])
            largest = e->group;
    }
    if (voters < 2)
        return;
    unsigned agree = (unsigned)votes[largest];
    bool majority = 2 * agree > voters;
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        wgt_entrant *e = &t->entrants[i];
        if (!wgt_is_live(e) || e->group == WGT_NO_CANDIDATE)
            continue;
        if (!majority)
            wgt_take_out(t, i, WGT_CANDIDATE_WRONG,
                         "the outputs disagree: no more than %u of %u candidates gave the same",
                         agree, voters);
        else if (e->group == largest)
            e->verified = WGT_VERIFIED_AGREEMENT;
        else
            wgt_take_out(t, i, WGT_CANDIDATE_WRONG,
                         "its output is not what %u of %u candidates gave", agree, voters);
    }
}

/* Actions ------------------------------------------------------------------------------------- */

static bool open_part(wgt_tuner *t, uint32_t index, uint32_t divide, double expected_ns,
                      wgt_action *action) {
    *action = (wgt_action){.kind = WGT_ACTION_RUN,
                           .candidate = index,
                           .batch = 1,
                           .samples = 1,
                           .divide = divide,
                           .warm_up = true};
    wgt_open_action(t, action, expected_ns);
    return true;
}

static bool next_step(wgt_tuner *t, uint32_t index, wgt_action *action) {
    double run_ns = t->entrants[index].run_ns;
    switch (t->check_step) {
    case WGT_CHECK_SIXTYFOURTH:
        t->check_step = WGT_CHECK_VERIFY;
        if (!t->plan.divisible || fraction_of(t, index, 64) > 0.5)
            return false;
        t->check_step = WGT_CHECK_SIXTYFOURTH;
        return open_part(t, index, 64, 0, action);
    case WGT_CHECK_EIGHTH:
        return open_part(t, index, 8, 8 * t->part_ns, action);
    case WGT_CHECK_COMPARE:
        return next_compare(t, action);
    case WGT_CHECK_VERIFY:
        break;
    }
    *action = (wgt_action){
        .kind = WGT_ACTION_VERIFY, .candidate = index, .batch = 1, .samples = 1, .divide = 1};
    wgt_open_action(t, action, run_ns > 0 ? run_ns : 0);
    return true;
}

bool wgt_next_check(wgt_tuner *t, wgt_action *action) {
    while (t->cursor < t->order_count) {
        uint32_t index = t->order[t->cursor];
        const wgt_entrant *e = &t->entrants[index];
        bool fresh = t->check_step == WGT_CHECK_SIXTYFOURTH;
        if (e->status != WGT_CANDIDATE_OK || !e->made) {
            next_candidate(t);
        } else if (fresh && wgt_budget_spent(t, t->cursor > 0 ? CHECK_SHARE : 1)) {
            wgt_take_out(t, index, WGT_CANDIDATE_SKIPPED,
                         "the budget ended before its output was checked");
            next_candidate(t);
        } else if (next_step(t, index, action)) {
            return true;
        }
    }
    if (!t->plan.unverified && !t->plan.has_reference)
        judge_by_majority(t);
    wgt_begin_measuring(t);
    return false;
}

static void refuse(wgt_tuner *t, uint32_t index, const char *how, double ns) {
    char time[TIME_TEXT_SIZE], cap[TIME_TEXT_SIZE];
    wgt_take_out(t, index, WGT_CANDIDATE_SKIPPED, "one dispatch %s %s, longer than the %s allowed",
                 how, time_text(ns, time), time_text((double)t->plan.max_dispatch_ns, cap));
    next_candidate(t);
}

/* What a part took bounds the whole from above (a short dispatch has the same fixed cost, and may
 * not fill the device). Where that bound is too much, an eighth tells the fixed cost from the rest.
 */
void wgt_report_part(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    uint32_t index = action->candidate;
    if (report->outcome != WGT_OUTCOME_OK) {
        wgt_take_out_by_report(t, action, report);
        next_candidate(t);
        return;
    }
    double took = longest(t, report), cap = (double)t->plan.max_dispatch_ns;
    double small = fraction_of(t, index, 64), large = fraction_of(t, index, 8);
    double whole = took / fraction_of(t, index, action->divide);
    if (action->divide == 64 && whole > cap && took <= cap && !t->part_repeated) {
        /* A first dispatch may have waited for a driver that compiles lazily: seen on lavapipe as
         * 60 ms. */
        t->part_repeated = true;
        return;
    }
    if (action->divide == 64 && whole > cap) {
        t->part_ns = took;
        if (took / small * large > cap || !(large > small)) {
            refuse(t, index, "would take about", whole);
            return;
        }
        t->check_step = WGT_CHECK_EIGHTH;
        return;
    }
    if (action->divide == 8 && took > t->part_ns)
        whole = took + (took - t->part_ns) / (large - small) * (1 - large);
    if (whole > cap) {
        refuse(t, index, "would take about", whole);
        return;
    }
    t->entrants[index].run_ns = whole;
    t->check_step = WGT_CHECK_VERIFY;
}

void wgt_report_verify(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    uint32_t index = action->candidate;
    wgt_entrant *e = &t->entrants[index];
    if (report->outcome != WGT_OUTCOME_OK) {
        wgt_take_out_by_report(t, action, report);
        next_candidate(t);
        return;
    }
    e->run_ns = report->span_count > 0 ? wgt_valid_span(report->spans_ns[0]) : wgt_nan();
    e->fit = true;
    e->output = report->hash;
    if (e->run_ns > (double)t->plan.max_dispatch_ns) {
        refuse(t, index, "takes", e->run_ns);
    } else if (t->plan.unverified) {
        next_candidate(t);
    } else if (report->unchanged && !t->plan.unchanged_ok) {
        wgt_take_out(t, index, WGT_CANDIDATE_WRONG, "its output stayed as it was before the run");
        next_candidate(t);
    } else {
        group_by_hash(t, index);
    }
}
