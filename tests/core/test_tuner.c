/* The tuner's frame: actions, compiling, checking how long a dispatch takes, verification,
 * failures. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim.h"

static uint32_t actions_of(const sim *s, wgt_action_kind kind) {
    uint32_t count = 0;
    for (size_t i = 0; i < s->log_count; i++)
        count += s->log[i].kind == kind;
    return count;
}

static wgt_candidate_status status_of(sim *s, uint32_t index) {
    return sim_result(s, index).candidate.status;
}

static void assert_holds(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

/* The frame ----------------------------------------------------------------------------------- */

static void the_work_goes_through_its_phases_in_order(void **state) {
    (void)state;
    sim *s = sim_create(8);
    s->plan.count_residency = true;
    sim_run(s);
    static const int rank_of[] = {0, 2, 1, 1, 3, 4};
    int rank = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        assert_int_equal(s->log[i].id, i + 1);
        assert_true(rank_of[s->log[i].kind] >= rank);
        rank = rank_of[s->log[i].kind];
        assert_true(s->log[i].deadline_ns >= 1000000000u);
    }
    assert_int_equal(actions_of(s, WGT_ACTION_COMPILE), 8);
    assert_int_equal(actions_of(s, WGT_ACTION_VERIFY), 8);
    assert_int_equal(actions_of(s, WGT_ACTION_COUNT), 8);
    assert_int_equal(sim_result(s, 3).resident, 103);
    sim_destroy(s);
}

static void done_is_handed_out_again_and_again(void **state) {
    (void)state;
    sim *s = sim_create(2);
    sim_run(s);
    wgt_action first, second;
    assert_true(wgt_tuner_next(s->tuner, &first));
    assert_true(wgt_tuner_next(s->tuner, &second));
    assert_int_equal(first.kind, WGT_ACTION_DONE);
    assert_int_equal(first.id, s->log_count + 1);
    assert_int_equal(second.id, first.id);
    wgt_progress progress;
    wgt_tuner_progress(s->tuner, &progress);
    assert_string_equal(progress.phase, "done");
    sim_destroy(s);
}

static void compiles_overlap_as_far_as_the_plan_allows(void **state) {
    (void)state;
    sim *s = sim_create(8);
    s->plan.open_compiles = 3;
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action open[4], action;
    double spans[WGT_MAX_SPANS];
    wgt_report report;
    for (unsigned i = 0; i < 3; i++)
        assert_true(wgt_tuner_next(s->tuner, &open[i]));
    assert_false(wgt_tuner_next(s->tuner, &open[3]));
    sim_execute(s, &open[1], spans, &report);
    assert_int_equal(wgt_tuner_report(s->tuner, &report, &s->error), WGT_OK);
    assert_true(wgt_tuner_next(s->tuner, &open[1]));
    assert_int_equal(open[1].candidate, 3);
    for (unsigned i = 0; i < 3; i++) {
        sim_execute(s, &open[i], spans, &report);
        assert_int_equal(wgt_tuner_report(s->tuner, &report, &s->error), WGT_OK);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_true(wgt_tuner_next(s->tuner, &action));
        assert_int_equal(action.kind, WGT_ACTION_COMPILE);
        sim_execute(s, &action, spans, &report);
        assert_int_equal(wgt_tuner_report(s->tuner, &report, &s->error), WGT_OK);
    }
    assert_true(wgt_tuner_next(s->tuner, &action));
    assert_int_equal(action.kind, WGT_ACTION_VERIFY);
    assert_false(wgt_tuner_next(s->tuner, &action)); /* one timed action at a time */
    sim_destroy(s);
}

static void a_report_must_answer_what_was_asked(void **state) {
    (void)state;
    sim *s = sim_create(2);
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action action;
    double spans[WGT_MAX_SPANS];
    wgt_report report;
    do {
        assert_true(wgt_tuner_next(s->tuner, &action));
        sim_execute(s, &action, spans, &report);
        if (action.kind == WGT_ACTION_RUN)
            break;
        assert_int_equal(wgt_tuner_report(s->tuner, &report, &s->error), WGT_OK);
        assert_int_equal(wgt_tuner_report(s->tuner, &report, &s->error), WGT_USAGE);
        assert_holds(s->error.message, "is open");
    } while (true);
    wgt_report off = report;
    off.span_count++;
    assert_int_equal(wgt_tuner_report(s->tuner, &off, &s->error), WGT_USAGE);
    assert_holds(s->error.message, "spans");
    off = report;
    off.spans_ns = NULL;
    assert_int_equal(wgt_tuner_report(s->tuner, &off, NULL), WGT_USAGE);
    off = report;
    off.outcome = (wgt_outcome)77;
    assert_int_equal(wgt_tuner_report(s->tuner, &off, NULL), WGT_USAGE);
    assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    wgt_candidate_result result;
    assert_int_equal(wgt_tuner_candidate(s->tuner, 2, 32, &result), WGT_USAGE);
    sim_destroy(s);
}

static void impossible_plans_have_no_size_and_say_why(void **state) {
    (void)state;
    sim *s = sim_create(2);
    static const double tolerances[] = {-0.1, 1.5};
    wgt_plan plan = s->plan;
    wgt_tuner *tuner = NULL;
    wgt_error error;
    plan.generator.count = 0;
    assert_int_equal(wgt_tuner_size(&plan), 0);
    assert_int_equal(wgt_tuner_init(s, 1, &plan, 0, &tuner, &error), WGT_USAGE);
    assert_holds(error.message, "no candidate");
    plan.generator.count = 65537;
    assert_int_equal(wgt_tuner_size(&plan), 0);
    assert_int_equal(wgt_tuner_init(s, 1, &plan, 0, &tuner, &error), WGT_USAGE);
    assert_holds(error.message, "65,536");
    for (unsigned i = 0; i < 2; i++) {
        plan = s->plan;
        plan.tolerance = tolerances[i];
        assert_int_equal(wgt_tuner_size(&plan), 0);
    }
    plan = s->plan;
    plan.quantum_ns = wgt_nan();
    assert_int_equal(wgt_tuner_size(&plan), 0);
    plan = s->plan;
    plan.limits = NULL;
    assert_int_equal(wgt_tuner_size(&plan), 0);
    plan = s->plan;
    plan.constant_count = WGT_MAX_CONSTANTS + 1;
    assert_int_equal(wgt_tuner_size(&plan), 0);
    size_t size = wgt_tuner_size(&s->plan);
    assert_int_equal(wgt_tuner_init(s, size - 1, &s->plan, 0, &tuner, &error), WGT_NO_MEMORY);
    assert_null(tuner);
    sim_destroy(s);
}

static void a_candidate_costs_a_kibibyte_at_most(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->plan.generator.count = 65536;
    size_t many = wgt_tuner_size(&s->plan);
    assert_true(many > 0 && many <= (size_t)65536 * 1024);
    s->plan.max_rounds = UINT32_MAX;
    size_t huge = wgt_tuner_size(&s->plan);
    assert_true(huge == 0 || huge / 65536 > (size_t)UINT32_MAX * sizeof(double));
    sim_destroy(s);
}

static void over_a_limit_is_never_compiled(void **state) {
    (void)state;
    sim *s = sim_create(16);
    s->limits.max_compute_invocations_per_workgroup = 512;
    s->candidates[2].workgroup_bytes = 50000;
    sim_run(s);
    for (uint32_t i = 0; i < 16; i++) {
        bool over = i > 11 || i == 2;
        assert_int_equal(s->compiled[i], over ? 0 : 1);
        assert_int_equal(status_of(s, i) == WGT_CANDIDATE_SKIPPED, over);
    }
    assert_string_equal(sim_result(s, 12).candidate.reason,
                        "640 invocations > maxComputeInvocationsPerWorkgroup 512");
    assert_string_equal(sim_result(s, 2).candidate.reason,
                        "50000 bytes of workgroup storage > maxComputeWorkgroupStorageSize 49152");
    sim_destroy(s);
}

/* How long a dispatch takes ------------------------------------------------------------------- */

static uint32_t parts_of(const sim *s, uint32_t candidate, uint32_t divide) {
    uint32_t count = 0;
    for (size_t i = 0; i < s->log_count; i++)
        count += s->log[i].kind == WGT_ACTION_RUN && s->log[i].candidate == candidate &&
                 s->log[i].divide == divide;
    return count;
}

static void a_long_dispatch_is_foreseen_and_not_risked(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->plan.divisible = true;
    s->candidates[1].run_ns = 20e9;
    s->candidates[2].run_ns = 800e6;
    sim_run(s);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_SKIPPED);
    assert_string_equal(sim_result(s, 1).candidate.reason,
                        "one dispatch would take about 20.0 s, longer than the 500 ms allowed");
    assert_int_equal(parts_of(s, 1, 64), 2);
    assert_int_equal(parts_of(s, 1, 8), 0); /* an eighth would be too long already */
    assert_int_equal(s->verified[1], 0);
    assert_int_equal(parts_of(s, 2, 8), 1);
    assert_string_equal(sim_result(s, 2).candidate.reason,
                        "one dispatch would take about 800 ms, longer than the 500 ms allowed");
    assert_int_equal(parts_of(s, 0, 64), 1);
    assert_int_equal(parts_of(s, 0, 8), 0);
    assert_true(s->longest_ns <= 500e6);
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_OK);
    sim_destroy(s);
}

static void a_fixed_cost_is_not_taken_for_a_long_dispatch(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->plan.divisible = true;
    s->candidates[0].fixed_ns = 20e6; /* 64 times that would be too long */
    s->candidates[0].run_ns = 1e6;
    sim_run(s);
    assert_int_equal(parts_of(s, 0, 8), 1);
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_DROPPED);
    assert_true(s->measured[0] >= 5);
    sim_destroy(s);
}

static void a_driver_that_compiles_lazily_is_not_taken_for_a_long_dispatch(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->plan.divisible = true;
    s->candidates[0].first_ns = 70e6;
    s->candidates[0].run_ns = 1e6;
    sim_run(s);
    assert_int_equal(parts_of(s, 0, 64), 2);
    assert_int_equal(parts_of(s, 0, 8), 0);
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_OK);
    sim_destroy(s);
}

static void few_workgroups_cannot_be_divided(void **state) {
    (void)state;
    sim *s = sim_create(2);
    s->plan.divisible = true;
    s->candidates[0].workgroups[0] = 1;
    sim_run(s);
    assert_int_equal(parts_of(s, 0, 64), 0);
    assert_int_equal(parts_of(s, 1, 64), 1);
    sim_destroy(s);
}

static void a_dispatch_that_turned_out_long_is_not_repeated(void **state) {
    (void)state;
    sim *s = sim_create(3);
    s->candidates[1].run_ns = 700e6;
    s->plan.max_dispatch_ns = 100000000;
    sim_run(s);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_SKIPPED);
    assert_string_equal(sim_result(s, 1).candidate.reason,
                        "one dispatch takes 700 ms, longer than the 100 ms allowed");
    assert_int_equal(s->measured[1] + s->warm[1], 0);
    sim_destroy(s);
}

static void parts_are_cut_from_the_outermost_axis(void **state) {
    (void)state;
    wgt_candidate candidate;
    memset(&candidate, 0, sizeof candidate);
    wgt_action action = {.divide = 64};
    static const struct {
        uint64_t all[3];
        uint32_t divide;
        uint64_t part[3];
    } cases[] = {
        {{8192, 1, 1}, 64, {128, 1, 1}}, {{100, 1, 1}, 64, {2, 1, 1}},
        {{4096, 4, 1}, 64, {256, 1, 1}}, {{5, 1000, 1}, 8, {5, 125, 1}},
        {{7, 1, 1}, 64, {1, 1, 1}},      {{9, 9, 9}, 1, {9, 9, 9}},
        {{4, 4, 4}, 64, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t part[3];
        memcpy(candidate.workgroups, cases[i].all, sizeof cases[i].all);
        action.divide = cases[i].divide;
        wgt_action_workgroups(&action, &candidate, part);
        assert_memory_equal(part, cases[i].part, sizeof part);
    }
}

/* Verification -------------------------------------------------------------------------------- */

static void the_majority_of_outputs_is_right(void **state) {
    (void)state;
    sim *s = sim_create(5);
    s->candidates[0].output = 1; /* first, and fastest, and wrong */
    s->candidates[0].run_ns = 1e5;
    sim_run(s);
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_WRONG);
    assert_string_equal(sim_result(s, 0).candidate.reason,
                        "its output is not what 4 of 5 candidates gave");
    assert_int_equal(s->measured[0], 0);
    assert_int_equal(sim_result(s, 1).verified, WGT_VERIFIED_AGREEMENT);
    assert_int_equal(sim_result(s, 0).verified, WGT_VERIFIED_NOT);
    assert_int_equal(actions_of(s, WGT_ACTION_COMPARE), 0); /* the check is bitwise */
    sim_destroy(s);
}

static void without_a_majority_nobody_is_right(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->candidates[0].output = s->candidates[1].output = 1;
    sim_run(s);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(status_of(s, i), WGT_CANDIDATE_WRONG);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_NONE);
    assert_string_equal(s->summary.reason,
                        "no candidate could be timed: 4 wrong; the first: the outputs disagree: no "
                        "more than 2 of 4 candidates gave the same");
    sim_destroy(s);
}

static void an_output_left_as_it_was_is_wrong_unless_allowed(void **state) {
    (void)state;
    sim *s = sim_create(3);
    s->candidates[1].unchanged = true;
    s->candidates[2].unchanged = true;
    sim_run(s);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_WRONG);
    assert_string_equal(sim_result(s, 1).candidate.reason,
                        "its output stayed as it was before the run");
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_OK); /* two wrong ones do not outvote it */
    assert_int_equal(sim_result(s, 0).verified, WGT_VERIFIED_NOT);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_ONLY);
    sim_destroy(s);

    s = sim_create(3);
    s->candidates[1].unchanged = true;
    s->plan.unchanged_ok = true;
    sim_run(s);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_OK);
    sim_destroy(s);
}

static void close_outputs_are_compared_with_each_group_in_order(void **state) {
    (void)state;
    static const double values[] = {0, 10, 0.2, 10.2, -0.3, 0.1};
    sim *s = sim_create(6);
    s->plan.exact = false;
    for (uint32_t i = 0; i < 6; i++) {
        s->candidates[i].output = i == 5 ? 2 : i; /* the last has the bytes of the third */
        s->candidates[i].value = values[i];
    }
    sim_run(s);
    uint32_t compares[8][2], count = 0;
    for (size_t i = 0; i < s->log_count; i++) {
        if (s->log[i].kind != WGT_ACTION_COMPARE)
            continue;
        assert_true(count < 8);
        compares[count][0] = s->log[i].candidate;
        compares[count++][1] = s->log[i].other;
    }
    static const uint32_t expected[][2] = {{1, 0}, {2, 0}, {3, 0}, {3, 1}, {4, 0}};
    assert_int_equal(count, 5);
    assert_memory_equal(compares, expected, sizeof expected);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(status_of(s, i) == WGT_CANDIDATE_WRONG, i == 1 || i == 3);
    sim_destroy(s);
}

static void a_reference_decides_even_against_the_majority(void **state) {
    (void)state;
    for (unsigned exact = 0; exact < 2; exact++) {
        sim *s = sim_create(4);
        s->plan.has_reference = true;
        s->plan.exact = exact == 1;
        s->reference = 5;
        for (uint32_t i = 0; i < 3; i++)
            s->candidates[i].output = 1;
        s->candidates[3].output = 9;
        s->candidates[3].value = 5;
        sim_run(s);
        assert_int_equal(actions_of(s, WGT_ACTION_COMPARE), 2); /* once for each distinct output */
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(status_of(s, i), WGT_CANDIDATE_WRONG);
        assert_string_equal(sim_result(s, 1).candidate.reason,
                            "its output is not the reference: grid[3]: 5, not 6");
        assert_int_equal(sim_result(s, 3).verified, WGT_VERIFIED_REFERENCE);
        assert_int_equal(s->summary.pick.candidate, 3);
        sim_destroy(s);
    }
}

static void without_outputs_to_check_each_is_dispatched_once(void **state) {
    (void)state;
    sim *s = sim_create(3);
    s->plan.unverified = true;
    for (uint32_t i = 0; i < 3; i++) {
        s->candidates[i].output = i;
        s->candidates[i].unchanged = true;
    }
    sim_run(s);
    assert_int_equal(actions_of(s, WGT_ACTION_VERIFY), 3);
    assert_int_equal(actions_of(s, WGT_ACTION_COMPARE), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(status_of(s, i), WGT_CANDIDATE_OK);
        assert_int_equal(sim_result(s, i).verified, WGT_VERIFIED_NOT);
    }
    sim_destroy(s);
}

/* Failures ------------------------------------------------------------------------------------ */

static void a_failing_candidate_does_not_end_the_sweep(void **state) {
    (void)state;
    static const wgt_outcome outcomes[] = {WGT_OUTCOME_REJECTED, WGT_OUTCOME_FAILED,
                                           WGT_OUTCOME_TIMEOUT, WGT_OUTCOME_LOST,
                                           WGT_OUTCOME_CRASHED};
    static const wgt_candidate_status statuses[] = {WGT_CANDIDATE_REJECTED, WGT_CANDIDATE_FAILED,
                                                    WGT_CANDIDATE_TIMEOUT, WGT_CANDIDATE_LOST,
                                                    WGT_CANDIDATE_CRASHED};
    for (unsigned where = 0; where < 4; where++) {
        for (unsigned how = 0; how < 5; how++) {
            sim *s = sim_create(6);
            sim_candidate *bad = &s->candidates[3];
            wgt_outcome *places[] = {&bad->on_compile, &bad->on_verify, &bad->on_run,
                                     &bad->on_compare};
            *places[where] = outcomes[how];
            bad->fails_in_round = 3;
            if (where == 3) {
                s->plan.exact = false;
                bad->output = 1;
            }
            sim_run(s);
            bool as_failure = how == 0 && where != 0;
            assert_int_equal(status_of(s, 3), as_failure ? WGT_CANDIDATE_FAILED : statuses[how]);
            assert_true(sim_result(s, 3).candidate.reason[0] != '\0');
            for (uint32_t i = 0; i < 6; i++) {
                if (i != 3)
                    assert_int_equal(status_of(s, i), WGT_CANDIDATE_OK);
            }
            assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
            assert_int_not_equal(s->summary.pick.candidate, 3);
            sim_destroy(s);
        }
    }
}

static void the_reason_is_the_engines_own_message(void **state) {
    (void)state;
    sim *s = sim_create(2);
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action action;
    assert_true(wgt_tuner_next(s->tuner, &action));
    wgt_report report = {
        .id = action.id, .outcome = WGT_OUTCOME_REJECTED, .message = "unknown override WG"};
    assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    assert_string_equal(sim_result(s, 0).candidate.reason, "unknown override WG");
    sim_destroy(s);
}

static void when_all_fail_there_is_no_pick(void **state) {
    (void)state;
    sim *s = sim_create(3);
    for (uint32_t i = 0; i < 3; i++)
        s->candidates[i].on_run = WGT_OUTCOME_FAILED;
    s->candidates[1].on_compile = WGT_OUTCOME_REJECTED;
    sim_run(s);
    assert_int_equal(s->summary.pick.reason, WGT_PICK_NONE);
    assert_int_equal(s->summary.portable_pick.reason, WGT_PICK_NONE);
    assert_int_equal(s->summary.fastest, UINT32_MAX);
    assert_int_equal(s->summary.shape, WGT_SHAPE_NONE);
    assert_string_equal(s->summary.reason, "no candidate could be timed: 1 rejected, 2 failed; the "
                                           "first: it failed at run time");
    sim_destroy(s);
}

static void when_the_fastest_fails_late_the_dropped_come_back(void **state) {
    (void)state;
    sim *s = sim_create(4);
    s->noise = 0.002;
    s->candidates[1].run_ns = 5e5;
    s->candidates[0].run_ns = 5.1e5; /* at the edge of the tie: the race goes on */
    s->candidates[0].on_run = s->candidates[1].on_run = WGT_OUTCOME_LOST;
    s->candidates[0].fails_in_round = s->candidates[1].fails_in_round = 8;
    sim_run(s);
    assert_int_equal(status_of(s, 0), WGT_CANDIDATE_LOST);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_LOST);
    assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
    assert_true(s->summary.pick.candidate == 2 || s->summary.pick.candidate == 3);
    assert_int_equal(s->summary.live, 2);
    sim_destroy(s);
}

static void a_failed_count_leaves_the_times_alone(void **state) {
    (void)state;
    sim *s = sim_create(3);
    s->plan.count_residency = true;
    s->candidates[1].on_count = WGT_OUTCOME_FAILED;
    sim_run(s);
    assert_int_equal(status_of(s, 1), WGT_CANDIDATE_OK);
    assert_true(sim_result(s, 1).resident == WGT_UNKNOWN_U64);
    assert_int_equal(sim_result(s, 2).resident, 102);
    sim_destroy(s);
}

static void compiles_report_what_the_driver_made(void **state) {
    (void)state;
    sim *s = sim_create(1);
    assert_int_equal(sim_start(s), WGT_OK);
    wgt_action action;
    assert_true(wgt_tuner_next(s->tuner, &action));
    assert_true(sim_result(s, 0).compile_ns == WGT_UNKNOWN_U64);
    wgt_report report = {.id = action.id,
                         .compile_ns = 5,
                         .hash = {1, 2},
                         .registers = 31,
                         .spill_bytes = 0,
                         .shared_bytes = WGT_UNKNOWN_U64};
    assert_int_equal(wgt_tuner_report(s->tuner, &report, NULL), WGT_OK);
    wgt_candidate_result result = sim_result(s, 0);
    assert_int_equal(result.compile_ns, 5);
    assert_int_equal(result.registers, 31);
    assert_int_equal(result.spill_bytes, 0);
    assert_true(result.shared_bytes == WGT_UNKNOWN_U64);
    assert_int_equal(result.compiled_hash.low, 2);
    sim_destroy(s);
}

static void a_budget_spent_on_checks_still_gives_an_answer(void **state) {
    (void)state;
    sim *s = sim_create(16);
    for (uint32_t i = 0; i < 16; i++)
        s->candidates[i].run_ns = 200e6; /* a slow adapter: checking takes 3.2 s */
    s->plan.batchable = false;
    s->plan.budget_ns = 5000000000u;
    sim_run(s);
    assert_true(s->summary.out_of_budget);
    assert_int_not_equal(s->summary.pick.reason, WGT_PICK_NONE);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(s->warm[i], 0);
    sim_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_goes_through_its_phases_in_order),
        cmocka_unit_test(done_is_handed_out_again_and_again),
        cmocka_unit_test(compiles_overlap_as_far_as_the_plan_allows),
        cmocka_unit_test(a_report_must_answer_what_was_asked),
        cmocka_unit_test(impossible_plans_have_no_size_and_say_why),
        cmocka_unit_test(a_candidate_costs_a_kibibyte_at_most),
        cmocka_unit_test(over_a_limit_is_never_compiled),
        cmocka_unit_test(a_long_dispatch_is_foreseen_and_not_risked),
        cmocka_unit_test(a_fixed_cost_is_not_taken_for_a_long_dispatch),
        cmocka_unit_test(a_driver_that_compiles_lazily_is_not_taken_for_a_long_dispatch),
        cmocka_unit_test(few_workgroups_cannot_be_divided),
        cmocka_unit_test(a_dispatch_that_turned_out_long_is_not_repeated),
        cmocka_unit_test(parts_are_cut_from_the_outermost_axis),
        cmocka_unit_test(the_majority_of_outputs_is_right),
        cmocka_unit_test(without_a_majority_nobody_is_right),
        cmocka_unit_test(an_output_left_as_it_was_is_wrong_unless_allowed),
        cmocka_unit_test(close_outputs_are_compared_with_each_group_in_order),
        cmocka_unit_test(a_reference_decides_even_against_the_majority),
        cmocka_unit_test(without_outputs_to_check_each_is_dispatched_once),
        cmocka_unit_test(a_failing_candidate_does_not_end_the_sweep),
        cmocka_unit_test(the_reason_is_the_engines_own_message),
        cmocka_unit_test(when_all_fail_there_is_no_pick),
        cmocka_unit_test(when_the_fastest_fails_late_the_dropped_come_back),
        cmocka_unit_test(a_failed_count_leaves_the_times_alone),
        cmocka_unit_test(compiles_report_what_the_driver_made),
        cmocka_unit_test(a_budget_spent_on_checks_still_gives_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
