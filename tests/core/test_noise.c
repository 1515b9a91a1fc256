/* Decisions under synthetic noise: devices of different characters, truths that the tuner does not
 * know. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim.h"
#include "truths.h"

#define RUNS 100

typedef struct character {
    const char *name;
    double noise, drift, ramp, outlier_rate, quantum_ns, fastest_ns;
} character;

static const character characters[] = {
    {"quiet", 0.003, 0, 0, 0, 32, 200e3},
    {"noisy", 0.01, 0, 0, 0, 32, 200e3},
    {"very noisy", 0.02, 0, 0, 0, 32, 200e3},
    {"drifting", 0.004, 0.1, 0, 0, 32, 1e6},
    {"with outliers", 0.005, 0, 0, 0.03, 32, 200e3},
    {"slow to clock up", 0.003, 0, 14, 0, 32, 200e3},
    {"with a quantised clock", 0.003, 0, 0, 0, 65536, 15e3},
    {"with all of it", 0.005, 0.05, 5, 0.02, 1000, 20e3},
};

typedef struct outcome {
    unsigned bad, picks; /* runs whose pick is not in the true tie; different picks */
} outcome;

static outcome decide(const character *c, const double ratios[16], uint64_t seed) {
    outcome o = {0, 0};
    bool taken[16] = {false};
    for (uint64_t run = 0; run < RUNS; run++) {
        sim *s = sim_create(16);
        s->seed = s->plan.seed = seed * 1000 + run;
        s->noise = c->noise;
        s->drift = c->drift;
        s->ramp = c->ramp;
        s->outlier_rate = c->outlier_rate;
        s->outlier_size = 3;
        s->quantum_ns = s->plan.quantum_ns = c->quantum_ns;
        for (uint32_t i = 0; i < 16; i++)
            s->candidates[i].run_ns = c->fastest_ns * ratios[i];
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

#define CHARACTERS (sizeof characters / sizeof characters[0])

static void the_pick_is_the_same_in_every_run_where_gaps_are_clear(void **state) {
    (void)state;
    for (size_t i = 0; i < CHARACTERS; i++) {
        for (uint64_t truth = 0; truth < 2; truth++) {
            double ratios[16];
            draw_truth(CLEAR, truth % 2 == 1, i * 100 + truth + 1, ratios);
            outcome o = decide(&characters[i], ratios, i * 100 + truth + 1);
            if (o.picks != 1 || o.bad != 0)
                fail_msg("a device %s, truth %u: %u different picks, %u not in the tie",
                         characters[i].name, (unsigned)truth, o.picks, o.bad);
        }
    }
}

static void the_pick_is_in_the_true_tie_whatever_the_gaps(void **state) {
    (void)state;
    for (size_t i = 0; i < CHARACTERS; i++) {
        for (int kind = STEPS + (int)(i / 2 % 2); kind < TRUTH_KINDS; kind += 2) {
            double ratios[16];
            uint64_t seed = (uint64_t)kind * 10000 + i * 100 + 1;
            draw_truth((truth_kind)kind, i % 2 == 1, seed, ratios);
            outcome o = decide(&characters[i], ratios, seed);
            if (o.bad > RUNS / 100)
                fail_msg("a device %s, truths %s: %u of %u picks are not in the tie",
                         characters[i].name, truth_names[kind], o.bad, RUNS);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pick_is_the_same_in_every_run_where_gaps_are_clear),
        cmocka_unit_test(the_pick_is_in_the_true_tie_whatever_the_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
