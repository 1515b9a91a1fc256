/* Decisions under real noise: walks over the H200 recordings, with truths that the tuner does not
 * know. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recordings.h"
#include "truths.h"

#define RUNS 100
#define TRUTHS 2

static recording all[RECORDINGS];

static int load(void **state) {
    (void)state;
    return load_recordings(all) == RECORDINGS ? 0 : 1;
}

typedef struct outcome {
    unsigned bad, picks; /* runs whose pick is not in the true tie; different picks */
} outcome;

static outcome walk(const recording *r, const double ratios[16], uint64_t seed) {
    outcome o = {0, 0};
    bool taken[16] = {false};
    double true_ns[16], best_ns = r->medians[0];
    for (int i = 0; i < 16; i++)
        best_ns = r->medians[i] < best_ns ? r->medians[i] : best_ns;
    for (int i = 0; i < 16; i++)
        true_ns[i] = ratios[i] * best_ns;
    for (uint64_t run = 0; run < RUNS; run++) {
        sim *s = walk_create(r, true_ns, seed * 1000 + run);
        sim_run(s);
        uint32_t pick = s->summary.pick.candidate;
        assert_true(pick < 16);
        o.bad += ratios[pick] > 1.02 * best_of(ratios) * (1 + 1e-12);
        o.picks += !taken[pick];
        taken[pick] = true;
        sim_destroy(s);
    }
    return o;
}

/* A different winner on every run is what users of tuners complain of first. */
static void the_pick_is_the_same_in_every_run_where_gaps_are_clear(void **state) {
    (void)state;
    for (size_t i = 0; i < RECORDINGS; i++) {
        for (uint64_t truth = 0; truth < TRUTHS; truth++) {
            double ratios[16];
            uint64_t seed = i * 1000 + truth + 1;
            draw_truth(CLEAR, truth % 2 == 1, seed, ratios);
            outcome o = walk(&all[i], ratios, seed);
            if (o.picks != 1 || o.bad != 0)
                fail_msg("%s, truth %u: %u different picks, %u not in the tie", all[i].name,
                         (unsigned)seed, o.picks, o.bad);
        }
    }
}

static void the_pick_is_in_the_true_tie_whatever_the_gaps(void **state) {
    (void)state;
    for (int kind = STEPS; kind < TRUTH_KINDS; kind++) {
        unsigned bad = 0, runs = 0;
        for (size_t i = (size_t)kind % 2; i < RECORDINGS; i += 2) {
            double ratios[16];
            uint64_t seed = (uint64_t)kind * 100000 + i * 1000 + 1;
            draw_truth((truth_kind)kind, i / 2 % 2 == 1, seed, ratios);
            bad += walk(&all[i], ratios, seed).bad;
            runs += RUNS;
        }
        if (100 * bad > runs)
            fail_msg("%s: %u of %u picks are not in the tie", truth_names[kind], bad, runs);
    }
}

static void the_recordings_themselves_are_ranked_right(void **state) {
    (void)state;
    for (size_t i = 0; i < RECORDINGS; i++) {
        double best = all[i].medians[0];
        for (int at = 1; at < 16; at++)
            best = all[i].medians[at] < best ? all[i].medians[at] : best;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            sim *s = walk_create(&all[i], all[i].medians, seed);
            sim_run(s);
            double ratio = all[i].medians[s->summary.pick.candidate] / best;
            if (ratio > 1.02)
                fail_msg("%s: the pick takes %.3f times the best", all[i].name, ratio);
            sim_destroy(s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pick_is_the_same_in_every_run_where_gaps_are_clear),
        cmocka_unit_test(the_pick_is_in_the_true_tie_whatever_the_gaps),
        cmocka_unit_test(the_recordings_themselves_are_ranked_right),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
