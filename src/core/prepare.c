/* The compile phase: which candidates are compiled, in which order. */
#include "tuner_state.h"

/* Of a budget at most this much goes into compiling, so that something is measured. */
#define COMPILE_SHARE 0.5

/* Without a budget everything is compiled, so that the order does not matter and stays that of the
 * list. A budget may end it early: then the preferred candidate comes first, and the rest by
 * bit-reversed index, which spreads any beginning of it over the whole list. */
void wgt_order_compiles(wgt_tuner *t) {
    if (t->plan.budget_ns == 0 || t->order_count < 3)
        return;
    uint32_t count = t->order_count, bits = 0, at = 1;
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (wgt_prefers(t, t->order[i], t->order[first]))
            first = i;
    }
    while ((1u << bits) < count)
        bits++;
    /* `order` is rebuilt from the entrants: what they say of themselves is not needed again. */
    uint32_t *rank = (uint32_t *)(void *)t->scratch[0];
    for (uint32_t i = 0; i < count; i++)
        rank[i] = t->order[i];
    t->order[0] = rank[first];
    for (uint32_t i = 0; i < 1u << bits; i++) {
        uint32_t reversed = 0;
        for (uint32_t bit = 0; bit < bits; bit++)
            reversed |= (i >> bit & 1u) << (bits - 1 - bit);
        if (reversed < count && reversed != first)
            t->order[at++] = rank[reversed];
    }
}

static void begin_check(wgt_tuner *t) {
    t->phase = WGT_PHASE_CHECK;
    t->cursor = 0;
    t->check_step = WGT_CHECK_SIXTYFOURTH;
}

bool wgt_next_compile(wgt_tuner *t, wgt_action *action) {
    bool left = t->cursor < t->order_count;
    if (left && !(t->cursor > 0 && wgt_budget_spent(t, COMPILE_SHARE))) {
        if (t->open_count >= t->plan.open_compiles)
            return false;
        *action = (wgt_action){.kind = WGT_ACTION_COMPILE,
                               .candidate = t->order[t->cursor++],
                               .batch = 1,
                               .samples = 1,
                               .divide = 1};
        wgt_open_action(t, action, 0);
        return true;
    }
    if (t->open_count > 0)
        return false;
    for (uint32_t i = t->cursor; i < t->order_count; i++)
        wgt_take_out(t, t->order[i], WGT_CANDIDATE_SKIPPED,
                     "the budget ended before it was compiled");
    begin_check(t);
    return false;
}

void wgt_report_compile(wgt_tuner *t, const wgt_action *action, const wgt_report *report) {
    wgt_entrant *e = &t->entrants[action->candidate];
    if (report->outcome != WGT_OUTCOME_OK) {
        wgt_take_out_by_report(t, action, report);
        return;
    }
    e->made = true;
    e->compiled = report->hash;
    e->registers = report->registers;
    e->spill_bytes = report->spill_bytes;
    e->shared_bytes = report->shared_bytes;
}
