/* Batches, warm-up, rounds, clocks, budgets, interruption and resuming. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim.h"

static void assert_holds(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

static wgt_candidate_status status_of(sim *s, uint32_t index) {
    return sim_result(s, index).candidate.status;
}

/* The actions of the warm-up, or of the measured rounds. */
static size_t runs_of(const sim *s, bool warm_up, const wgt_action **first) {
    size_t count = 0;
    *first = NULL;
    for (size_t i = 0; i < s->log_count; i++) {
        if (s->log[i].kind != WGT_ACTION_RUN || s->log[i].warm_up != warm_up)
            continue;
        if (*first == NULL)
            *first = &s->log[i];
        count++;
    }
    return count;
}

/* Batches ------------------------------------------------------------------------------------- */

static void one_batch_lasts_long_enough_for_the_fastest(void **state) {
    (void)state;
    static const struct {
        double run_ns, quantum_ns;
        bool wall_clock, batchable;
        uint32_t batch;
    } cases[] = {
        {10e3, 32, false, true, 10},      /* 100 µs on a GPU */
        {10e3, 10e3, false, true, 200},   /* 200 steps of the clock */
        {10e3, 0, true, true, 200},       /* 2 ms by wall clock */
        {10e3, 32, false, false, 1},      /* not batchable */
        {300e3, 32, false, true, 1},      /* long enough as it is */
        {1e3, 65536, false, true, 13107}, /* a browser's quantised timestamps */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim *s = sim_create(4);
        for (uint32_t c = 0; c < 4; c++)
            s->candidates[c].run_ns = cases[i].run_ns * (1 + 0.1 * c);
        s->quantum_ns = s->plan.quantum_ns = cases[i].quantum_ns;
        s->plan.wall_clock = cases[i].wall_clock;
        s->plan.batchable = cases[i].batchable;
        sim_run(s);
        const wgt_action *run = NULL;
        size_t count = runs_of(s, false, &run);
        assert_true(count >= 20);
        double low = 0.9 * cases[i].batch, high = 1.1 * cases[i].batch;
        if (!(run->batch >= low && run->batch <= high))
            fail_msg("case %zu: a batch of %u, not about %u", i, run->batch, cases[i].batch);
        for (size_t at = 0; at < s->log_count; at++) {
            if (s->log[at].kind == WGT_ACTION_RUN && !s->log[at].warm_up)
                assert_int_equal(s->log[at].batch, run->batch);
        }
        assert_int_equal(sim_result(s, 0).batch, run->batch);
        assert_true(sim_result(s, 0).median_ns > 0.8 * cases[i].run_ns &&
                    sim_result(s, 0).median_ns < 1.2 * cases[i].run_ns);
        sim_destroy(s);
    }
}

static void no_span_is_long_for_the_sake_of_the_fastest(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->quantum_ns = s->plan.quantum_ns = 65536; /* wants 3.3 ms of the fastest */
    s->candidates[0].run_ns = 40e6;
    s->candidates[1].run_ns = 20e3;
    s->candidates[2].run_ns = 21e3;
    s->candidates[3].run_ns = 26e3;
    sim_run(s);
    assert_true(s->longest_ns <= 51e6);
    /* the slow one is soon out, and then the batch grows */
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_DROPPED);
    assert_int_equal(sim_result(s, 0).batch, 1);
    assert_true(sim_result(s, 1).batch >= 100);
    assert_int_equal(s->summary.fastest, 1);
    sim_destroy(s);
}

static void where_no_batch_is_allowed_several_spans_make_a_sample(void **state) {
    (void)state;
    sim *s = sim_create(3);
    s->plan.batchable = false;
    s->quantum_ns = s->plan.quantum_ns = 1000;
    for (uint32_t c = 0; c < 3; c++)
        s->candidates[c].run_ns = 10e3; /* ten steps */
    sim_run(s);
    const wgt_action *run = NULL;
    runs_of(s, false, &run);
    assert_int_equal(run->batch, 1);
    assert_int_equal(run->samples, 5);
    sim_destroy(s);
}

/* Warm-up ------------------------------------------------------------------------------------- */

static double warm_up_ns(const sim *s, double run_ns) {
    double sum = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        if (s->log[i].kind == WGT_ACTION_RUN && s->log[i].warm_up)
            sum += run_ns * s->log[i].batch * s->log[i].samples;
    }
    return sum;
}

static void the_warm_up_lasts_until_two_rounds_agree_and_50_ms(void **state) {
    (void)state;
    sim *s = sim_create(4);
    for (uint32_t c = 0; c < 4; c++)
        s->candidates[c].run_ns = 20e3;
    sim_run(s);
    double lasted = warm_up_ns(s, 20e3);
    assert_true(lasted >= 50e6 && lasted < 150e6);
    sim_destroy(s);

    s = sim_create(4); /* 100 ms a round: two rounds must agree all the same */
    for (uint32_t c = 0; c < 4; c++)
        s->candidates[c].run_ns = 25e6;
    sim_run(s);
    const wgt_action *first = NULL;
    assert_int_equal(runs_of(s, true, &first), 8);
    sim_destroy(s);
}

static void a_clock_ramp_is_over_before_anything_counts(void **state) {
    (void)state;
    sim *s = sim_create(8);
    s->noise = 0.002;
    s->ramp = 14; /* 210 to 3150 MHz */
    for (uint32_t c = 0; c < 8; c++)
        s->candidates[c].run_ns = 1e6;
    sim_run(s);
    for (uint32_t c = 0; c < 8; c++) {
        if (status_of(s, c) == WGT_CANDIDATE_OK)
            assert_true(sim_result(s, c).median_ns < 1.2e6);
    }
    assert_int_equal(s->summary.pick.candidate, 3);
    sim_destroy(s);
}

static void a_warm_up_that_never_agrees_ends_after_two_seconds(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->noise = 0.8;
    for (uint32_t c = 0; c < 2; c++)
        s->candidates[c].run_ns = 10e6;
    sim_run(s);
    assert_true(warm_up_ns(s, 10e6) < 3e9);
    assert_true(s->summary.rounds > 0);
    sim_destroy(s);
}

static void a_recording_needs_no_warm_up(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->plan.warm = true;
    sim_run(s);
    const wgt_action *first = NULL;
    assert_int_equal(runs_of(s, true, &first), 0);
    assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
    sim_destroy(s);
}

/* Rounds -------------------------------------------------------------------------------------- */

static void each_round_runs_everybody_once_in_an_order_of_its_own(void **state) {
    (void)state;
    sim *s = sim_create(16);
    s->plan.no_racing = true;
    s->plan.max_rounds = 12;
    sim_run(s);
    uint32_t orders[12][16];
    size_t at = 0, repeated = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        if (s->log[i].kind == WGT_ACTION_RUN && !s->log[i].warm_up) {
            assert_true(at < 12 * 16);
            orders[at / 16][at % 16] = s->log[i].candidate;
            at++;
        }
    }
    assert_int_equal(at, 12 * 16);
    for (size_t round = 0; round < 12; round++) {
        bool ran[16] = {false};
        for (size_t i = 0; i < 16; i++) {
            assert_false(ran[orders[round][i]]);
            ran[orders[round][i]] = true;
        }
        for (size_t earlier = 0; earlier < round; earlier++)
            repeated += memcmp(orders[round], orders[earlier], sizeof orders[0]) == 0;
    }
    assert_int_equal(repeated, 0);
    for (uint32_t c = 0; c < 16; c++)
        assert_int_equal(sim_result(s, c).samples, 12);
    assert_int_equal(s->summary.rounds, 12);
    assert_int_equal(s->summary.samples, 12 * 16);
    sim_destroy(s);
}

static void the_slow_are_dropped_after_five_rounds_and_keep_their_samples(void **state) {
    (void)state;
    sim *s = sim_create(16);
    s->noise = 0.003;
    for (uint32_t c = 0; c < 16; c++)
        s->candidates[c].run_ns = c == 6 ? 1e6 : c == 7 ? 1.019e6 : 2e6;
    sim_run(s);
    wgt_candidate_result slow = sim_result(s, 0);
    assert_int_equal(slow.candidate.status, WGT_CANDIDATE_DROPPED);
    assert_int_equal(slow.samples, 5);
    assert_string_equal(slow.candidate.reason, "certainly slower after 5 rounds");
    assert_int_equal(slow.tie, WGT_TIE_OUT);
    assert_true(slow.ratio > 1.9 && slow.ratio < 2.1);
    assert_true(slow.ratio_interval[0] > 1.9 && slow.ratio_interval[1] < 2.1);
    assert_true(wgt_is_nan(slow.interval_ns[0]));
    assert_true(sim_result(s, 6).samples > 5);
    sim_destroy(s);
}

static void rounds_end_at_the_cap(void **state) {
    (void)state;
    static const uint32_t caps[] = {1, 3, 7, 32};
    for (size_t i = 0; i < 4; i++) {
        sim *s = sim_create(4);
        s->noise = 0.1;
        s->plan.max_rounds = caps[i];
        sim_run(s);
        assert_true(s->summary.rounds <= caps[i]);
        assert_true(caps[i] > 5 || s->summary.rounds == caps[i]);
        assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
        sim_destroy(s);
    }
}

static void drift_that_all_share_cancels(void **state) {
    (void)state;
    sim *s = sim_create(8);
    s->noise = 0.002;
    s->drift = 0.3;
    s->plan.no_racing = true;
    for (uint32_t c = 0; c < 8; c++)
        s->candidates[c].run_ns = c == 2 ? 0.95e6 : 1e6;
    sim_run(s);
    assert_int_equal(s->summary.pick.candidate, 2);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_FASTEST);
    for (uint32_t c = 0; c < 8; c++) {
        wgt_candidate_result result = sim_result(s, c);
        assert_int_equal(result.tie, c == 2 ? WGT_TIE_IN : WGT_TIE_OUT);
        if (c != 2) {
            assert_true(result.ratio_interval[0] < 1 / 0.95 && result.ratio_interval[1] > 1 / 0.95);
            /* its own interval is as wide as the drift */
            assert_true(result.interval_ns[1] / result.interval_ns[0] > 1.03);
            assert_true(result.ratio_interval[1] / result.ratio_interval[0] < 1.25);
        }
    }
    sim_destroy(s);
}

/* Clocks -------------------------------------------------------------------------------------- */

static void a_clock_that_never_resolves_gives_no_pick(void **state) {
    (void)state;
    for (unsigned batchable = 0; batchable < 2; batchable++) {
        sim *s = sim_create(4);
        s->zero_spans = true;
        s->plan.batchable = batchable == 1;
        sim_run(s);
        assert_true(s->summary.clock_failed);
        assert_int_equal(s->summary.pick.reason, WGT_PICK_NONE);
        assert_int_equal(s->summary.samples, 0);
        assert_holds(s->summary.reason, "resolved");
        assert_int_equal(status_of(s, 0), WGT_CANDIDATE_FAILED);
        assert_true(wgt_is_nan(sim_result(s, 0).median_ns));
        /* the batch grows only as far as the caller's clock shows that it is harmless */
        assert_true(s->longest_ns <= 50e6);
        assert_true(s->log_count < 200);
        sim_destroy(s);
    }
}

static void a_quantised_clock_ranks_kernels_below_its_step(void **state) {
    (void)state;
    for (unsigned quantum = 0; quantum < 2; quantum++) {
        sim *s = sim_create(8);
        s->quantum_ns = s->plan.quantum_ns = quantum == 0 ? 65536 : 100000;
        s->noise = 0.003;
        for (uint32_t c = 0; c < 8; c++)
            s->candidates[c].run_ns = c == 5 ? 8e3 : 9e3 + 500 * c; /* many would read zero */
        sim_run(s);
        assert_false(s->summary.clock_failed);
        assert_int_equal(s->summary.pick.candidate, 5);
        wgt_candidate_result result = sim_result(s, 5);
        assert_true(result.median_ns > 7.8e3 && result.median_ns < 8.2e3);
        sim_destroy(s);
    }
}

static void a_coarse_clock_without_batches_claims_nothing(void **state) {
    (void)state;
    sim *s = sim_create(8);
    s->plan.batchable = false;
    s->quantum_ns = s->plan.quantum_ns = 65536;
    for (uint32_t c = 0; c < 8; c++)
        s->candidates[c].run_ns = 60e3 + 500 * c;
    sim_run(s);
    assert_int_equal(s->summary.shape, WGT_SHAPE_UNRANKED);
    assert_int_equal(s->summary.pick.candidate, 3); /* by preference */
    assert_int_equal(s->summary.pick.reason, WGT_PICK_TIE_PORTABLE);
    sim_destroy(s);
}

static void spans_that_are_no_times_are_no_samples(void **state) {
    (void)state;
    static const double invalid[] = {0, -5e5, 1e300 * 1e300, -1e300 * 1e300};
    sim *s = sim_create(3);
    s->plan.no_racing = true;
    s->plan.max_rounds = 20;
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action action;
    wgt_report report;
    double spans[WGT_MAX_SPANS];
    uint32_t bad = 0, measured = 0;
    while (wgt_tuner_next(s->tuner, &action) && action.kind != WGT_ACTION_DONE) {
        sim_execute(s, &action, spans, &report);
        if (action.kind == WGT_ACTION_RUN && !action.warm_up && action.candidate == 1) {
            if (measured++ % 3 == 0) {
                spans[0] = bad % 5 == 4 ? wgt_nan() : invalid[bad % 5];
                bad++;
            }
        }
        assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    }
    wgt_candidate_result result = sim_result(s, 1);
    assert_int_equal(result.samples, 20 - bad);
    assert_true(result.median_ns >= 1e6 && result.median_ns <= 1e6);
    assert_int_equal(result.candidate.status, WGT_CANDIDATE_OK);
    sim_destroy(s);
}

static void one_candidate_that_never_resolves_is_named(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->candidates[2].blind = true;
    sim_run(s);
    assert_int_equal(status_of(s, 2), WGT_CANDIDATE_FAILED);
    assert_holds(sim_result(s, 2).candidate.reason, "resolved");
    assert_false(s->summary.clock_failed);
    assert_int_equal(s->summary.pick.candidate, 3);
    sim_destroy(s);
}

/* Budgets ------------------------------------------------------------------------------------- */

static void a_budget_is_kept_and_compile_time_counts(void **state) {
    (void)state;
    static const double budgets[] = {0.2e9, 0.5e9, 1e9, 3e9};
    for (size_t i = 0; i < 4; i++) {
        sim *s = sim_create(16);
        s->noise = 0.02;
        for (uint32_t c = 0; c < 16; c++) {
            s->candidates[c].compile_ns = 60e6; /* a second for all */
            s->candidates[c].run_ns = 3e6 + 0.3e6 * c;
        }
        s->plan.budget_ns = (uint64_t)budgets[i];
        sim_run(s);
        assert_true((double)s->summary.wall_ns <= budgets[i] + 90e6);
        assert_int_equal(s->summary.out_of_budget, i < 3);
        assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
        assert_true(s->summary.rounds > 0);
        sim_destroy(s);
    }
}

static void a_short_budget_spreads_what_it_can_compile(void **state) {
    (void)state;
    sim *s = sim_create(16);
    for (uint32_t c = 0; c < 16; c++)
        s->candidates[c].compile_ns = 60e6;
    s->plan.budget_ns = 700000000;
    sim_run(s);
    uint32_t compiled = 0, above = 0;
    for (uint32_t c = 0; c < 16; c++) {
        compiled += s->compiled[c];
        above += c >= 8 ? s->compiled[c] : 0;
        if (s->compiled[c] == 0)
            assert_string_equal(sim_result(s, c).candidate.reason,
                                "the budget ended before it was compiled");
    }
    assert_true(compiled >= 4 && compiled < 12);
    assert_true(above >= 2 && compiled - above >= 2);
    assert_int_equal(s->log[0].candidate, 3); /* the preferred one comes first */
    sim_destroy(s);
}

static void a_budget_too_small_for_anything_gives_a_plain_answer(void **state) {
    (void)state;
    sim *s = sim_create(4);
    for (uint32_t c = 0; c < 4; c++)
        s->candidates[c].compile_ns = 60e6;
    s->plan.budget_ns = 1;
    sim_run(s);
    assert_true(s->summary.out_of_budget);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_NONE);
    assert_holds(s->summary.reason, "no candidate could be timed: 4 skipped");
    assert_holds(s->summary.reason, "budget");
    sim_destroy(s);
}

static void the_few_milliseconds_that_a_round_still_needs_are_granted(void **state) {
    (void)state;
    for (uint64_t budget = 120000000; budget < 160000000; budget += 3000000) {
        sim *s = sim_create(8);
        s->plan.no_racing = true;
        s->plan.warm = true;
        for (uint32_t c = 0; c < 8; c++)
            s->candidates[c].run_ns = 1e6;
        s->plan.budget_ns = budget;
        sim_run(s);
        uint32_t least = UINT32_MAX, most = 0;
        for (uint32_t c = 0; c < 8; c++) {
            uint32_t samples = sim_result(s, c).samples;
            least = samples < least ? samples : least;
            most = samples > most ? samples : most;
        }
        assert_int_equal(least, most);
        assert_true(s->summary.wall_ns <= budget + 20000000);
        sim_destroy(s);
    }
}

static void with_little_budget_nobody_is_taken_for_hanging(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->plan.budget_ns = 300000000;
    sim_run(s);
    for (size_t i = 0; i < s->log_count; i++)
        assert_true(s->log[i].deadline_ns >= 2000000000u);
    sim_destroy(s);
}

/* Interruption and resuming ------------------------------------------------------------------- */

static void an_interruption_keeps_what_was_measured(void **state) {
    (void)state;
    sim *whole = sim_create(6);
    whole->noise = 0.01;
    whole->plan.count_residency = true;
    sim_run(whole);
    for (uint64_t at = 1; at <= whole->log_count; at++) {
        sim *s = sim_create(6);
        s->noise = 0.01;
        s->plan.count_residency = true;
        s->interrupt_at = at;
        sim_run(s);
        assert_int_equal(s->log_count, at);
        assert_true(s->summary.interrupted);
        bool timed = s->summary.samples > 0;
        assert_int_equal(s->summary.pick.reason != WGT_PICK_NONE, timed);
        assert_int_equal(s->summary.reason[0] != '\0', !timed);
        for (uint32_t c = 0; c < 6; c++) {
            wgt_candidate_result result = sim_result(s, c);
            bool measured = result.samples > 0;
            assert_int_equal(result.candidate.status == WGT_CANDIDATE_SKIPPED, !measured);
            assert_int_equal(wgt_is_nan(result.median_ns), !measured);
        }
        sim_destroy(s);
    }
    sim_destroy(whole);
}

static void compiles_that_are_open_at_an_interruption_may_still_be_reported(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->plan.open_compiles = 4;
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action open[4], action;
    for (unsigned i = 0; i < 4; i++)
        assert_true(wgt_tuner_next(s->tuner, &open[i]));
    wgt_report report = {.id = open[2].id, .outcome = WGT_OUTCOME_INTERRUPTED};
    assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    assert_true(wgt_tuner_next(s->tuner, &action));
    assert_int_equal(action.kind, WGT_ACTION_DONE);
    report = (wgt_report){.id = open[0].id, .compile_ns = 17};
    assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    wgt_tuner_summary(s->tuner, &s->summary);
    assert_int_equal(s->summary.compile_ns, 17);
    sim_destroy(s);
}

typedef struct heard {
    wgt_action action;
    wgt_report report;
    double spans[WGT_MAX_SPANS];
} heard;

/* Feeding the reports through again is how a run resumes: same plan, same reports, same actions. */
static void the_same_reports_give_the_same_actions(void **state) {
    (void)state;
    enum { MOST = 3000 };
    heard *trace = calloc(MOST, sizeof *trace);
    size_t count = 0;
    sim *s = sim_create(12);
    s->noise = 0.01;
    s->ramp = 3;
    s->plan.divisible = true;
    s->plan.exact = false;
    s->plan.budget_ns = 2000000000;
    s->plan.count_residency = true;
    s->candidates[4].output = 9;
    s->candidates[6].on_run = WGT_OUTCOME_TIMEOUT;
    s->candidates[6].fails_in_round = 2;
    assert_int_equal(sim_start(s), WGT_OK);
    while (wgt_tuner_next(s->tuner, &trace[count].action) &&
           trace[count].action.kind != WGT_ACTION_DONE) {
        heard *h = &trace[count++];
        assert_true(count < MOST);
        sim_execute(s, &h->action, h->spans, &h->report);
        assert_int_equal(wgt_tuner_report(s->tuner, &h->report, NULL), WGT_OK);
    }
    wgt_tuner_summary(s->tuner, &s->summary);
    assert_true(count > 100);

    void *memory = malloc(wgt_tuner_size(&s->plan));
    wgt_tuner *again = NULL;
    assert_int_equal(wgt_tuner_init(memory, wgt_tuner_size(&s->plan), &s->plan, 0, &again, NULL),
                     WGT_OK);
    for (size_t i = 0; i < count; i++) {
        wgt_action action;
        wgt_progress progress;
        wgt_summary between;
        assert_true(wgt_tuner_next(again, &action));
        assert_memory_equal(&action, &trace[i].action, sizeof action);
        wgt_tuner_progress(again, &progress); /* looking changes nothing */
        wgt_tuner_summary(again, &between);
        trace[i].report.spans_ns = trace[i].spans;
        assert_int_equal(wgt_tuner_report(again, &trace[i].report, NULL), WGT_OK);
    }
    wgt_summary summary;
    wgt_tuner_summary(again, &summary);
    assert_int_equal(summary.pick.candidate, s->summary.pick.candidate);
    assert_int_equal(summary.samples, s->summary.samples);
    assert_true(summary.gpu_ns >= s->summary.gpu_ns && summary.gpu_ns <= s->summary.gpu_ns);
    free(memory);
    free(trace);
    sim_destroy(s);
}

static void the_seed_changes_the_orders_only(void **state) {
    (void)state;
    sim *a = sim_create(8), *b = sim_create(8);
    b->plan.seed = 99;
    sim_run(a);
    sim_run(b);
    assert_int_equal(a->log_count, b->log_count);
    bool differs = false;
    for (size_t i = 0; i < a->log_count; i++) {
        assert_int_equal(a->log[i].kind, b->log[i].kind);
        differs = differs || a->log[i].candidate != b->log[i].candidate;
    }
    assert_true(differs);
    assert_int_equal(a->summary.pick.candidate, b->summary.pick.candidate);
    sim_destroy(a);
    sim_destroy(b);
}

static void costs_add_up(void **state) {
    (void)state;
    sim *s = sim_create(5);
    s->plan.divisible = true;
    sim_run(s);
    assert_int_equal(s->summary.compile_ns, 5000000);
    assert_int_equal(s->summary.wall_ns, s->now_ns);
    assert_true(wgt_abs(s->summary.gpu_ns - s->busy_ns) < 1);
    uint32_t samples = 0;
    for (uint32_t c = 0; c < 5; c++)
        samples += sim_result(s, c).samples;
    assert_int_equal(s->summary.samples, samples);
    sim_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_batch_lasts_long_enough_for_the_fastest),
        cmocka_unit_test(no_span_is_long_for_the_sake_of_the_fastest),
        cmocka_unit_test(where_no_batch_is_allowed_several_spans_make_a_sample),
        cmocka_unit_test(the_warm_up_lasts_until_two_rounds_agree_and_50_ms),
        cmocka_unit_test(a_clock_ramp_is_over_before_anything_counts),
        cmocka_unit_test(a_warm_up_that_never_agrees_ends_after_two_seconds),
        cmocka_unit_test(a_recording_needs_no_warm_up),
        cmocka_unit_test(each_round_runs_everybody_once_in_an_order_of_its_own),
        cmocka_unit_test(the_slow_are_dropped_after_five_rounds_and_keep_their_samples),
        cmocka_unit_test(rounds_end_at_the_cap),
        cmocka_unit_test(drift_that_all_share_cancels),
        cmocka_unit_test(a_clock_that_never_resolves_gives_no_pick),
        cmocka_unit_test(a_quantised_clock_ranks_kernels_below_its_step),
        cmocka_unit_test(a_coarse_clock_without_batches_claims_nothing),
        cmocka_unit_test(spans_that_are_no_times_are_no_samples),
        cmocka_unit_test(one_candidate_that_never_resolves_is_named),
        cmocka_unit_test(a_budget_is_kept_and_compile_time_counts),
        cmocka_unit_test(a_short_budget_spreads_what_it_can_compile),
        cmocka_unit_test(a_budget_too_small_for_anything_gives_a_plain_answer),
        cmocka_unit_test(the_few_milliseconds_that_a_round_still_needs_are_granted),
        cmocka_unit_test(with_little_budget_nobody_is_taken_for_hanging),
        cmocka_unit_test(an_interruption_keeps_what_was_measured),
        cmocka_unit_test(compiles_that_are_open_at_an_interruption_may_still_be_reported),
        cmocka_unit_test(the_same_reports_give_the_same_actions),
        cmocka_unit_test(the_seed_changes_the_orders_only),
        cmocka_unit_test(costs_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
