/* True ratios of sixteen candidates to the best, unknown to the tuner. */
#ifndef TESTS_CORE_TRUTHS_H
#define TESTS_CORE_TRUTHS_H

#include "sim.h"

typedef enum truth_kind {
    CLEAR,   /* within 1.01, or from 1.03 on */
    STEPS,   /* 1.01 or 1.03 exactly: the narrowest of the clear ones */
    ANY,     /* anything up to 1.06 */
    MIXED,   /* a third in the tie, the others from 1.02 on */
    AT_EDGE, /* all but the best just outside of the tie: 1.021 to 1.029 */
    TRUTH_KINDS
} truth_kind;

static const char *const truth_names[] = {"clear", "steps", "any", "mixed", "at the edge"};

typedef struct dice {
    uint64_t seed, at;
} dice;

static inline double roll(dice *d) {
    return (double)(wgt_random_u64(d->seed, d->at++) >> 11) * 0x1p-53;
}

static inline double ratio_of(truth_kind kind, dice *d) {
    double u = roll(d), far = 0.3 * roll(d) * roll(d);
    switch (kind) {
    case CLEAR:
        return u < 0.4 ? 1 + 0.01 * roll(d) : 1.03 + far;
    case STEPS:
        return u < 0.5 ? 1.01 : 1.03;
    case ANY:
        return 1 + 0.06 * roll(d);
    case MIXED:
        return u < 0.3 ? 1 + 0.02 * roll(d) : 1.02 + far;
    case AT_EDGE:
    case TRUTH_KINDS:
        break;
    }
    return 1.021 + 0.008 * roll(d);
}

/* `neither`: 64 and 128 are not in the tie. */
static inline void draw_truth(truth_kind kind, bool neither, uint64_t seed, double ratios[16]) {
    dice d = {seed, 0};
    for (int i = 0; i < 16; i++)
        ratios[i] = ratio_of(kind, &d);
    for (int i = 1; i <= 3 && neither; i += 2) {
        if (kind == STEPS)
            ratios[i] = 1.03;
        else if (kind != AT_EDGE)
            ratios[i] = 1.03 + 0.2 * roll(&d);
    }
    ratios[4 + (int)(12 * roll(&d))] = 1;
}

static inline double best_of(const double ratios[16]) {
    double best = ratios[0];
    for (int i = 1; i < 16; i++)
        best = ratios[i] < best ? ratios[i] : best;
    return best;
}

#endif
