/* Which of several equally fast candidates to take. */
#include "tuner_state.h"

#include "../base/memory.h"
#include "../base/number.h"

#define PORTABLE_INVOCATIONS 128

uint32_t wgt_invocations(const wgt_candidate *candidate) {
    uint64_t invocations = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (!wgt_mul_u64(invocations, candidate->workgroup[axis], &invocations))
            return UINT32_MAX;
    }
    return invocations > UINT32_MAX ? UINT32_MAX : (uint32_t)invocations;
}

static uint32_t differing(const wgt_candidate *a, const wgt_candidate *b, uint32_t constant_count) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < constant_count; k++) {
        if (a->constants[k] < b->constants[k] || a->constants[k] > b->constants[k])
            bits |= 1u << k;
    }
    return bits;
}

static bool same_size(const wgt_candidate *a, const wgt_candidate *b) {
    return a->workgroup[0] == b->workgroup[0] && a->workgroup[1] == b->workgroup[1] &&
           a->workgroup[2] == b->workgroup[2];
}

/* Nobody tells which constants the size depends on, but the candidates show it: one that differs
 * from the first in a single constant answers for that constant. Constants that only vary together
 * with others share the blame for a size that nothing else explains. */
wgt_constants_seen wgt_constants_look(const wgt_generator *generator, uint32_t constant_count) {
    wgt_constants_seen seen = {0, 0};
    uint32_t innocent = 0;
    wgt_candidate first, other;
    generator->get(generator->user, 0, &first);
    for (uint32_t i = 1; i < generator->count; i++) {
        generator->get(generator->user, i, &other);
        uint32_t bits = differing(&first, &other, constant_count);
        seen.varying |= bits;
        if (bits == 0 || (bits & (bits - 1)) != 0)
            continue;
        if (same_size(&first, &other))
            innocent |= bits;
        else
            seen.sizing |= bits;
    }
    innocent &= ~seen.sizing;
    for (uint32_t i = 1; i < generator->count; i++) {
        if ((seen.sizing | innocent) == seen.varying)
            break;
        generator->get(generator->user, i, &other);
        uint32_t bits = differing(&first, &other, constant_count);
        if (!same_size(&first, &other) && (bits & seen.sizing) == 0)
            seen.sizing |= bits & ~innocent;
    }
    return seen;
}

static bool equals(double a, double b) {
    return !(a < b) && !(a > b);
}

bool wgt_is_default(const wgt_candidate *candidate, wgt_constants_seen seen,
                    uint32_t constant_count, const double *defaults) {
    if (defaults == NULL)
        return false;
    for (uint32_t k = 0; k < constant_count; k++) {
        bool varies = (seen.varying >> k & 1) != 0;
        if (varies && (wgt_is_nan(defaults[k]) || !equals(candidate->constants[k], defaults[k])))
            return false;
    }
    return true;
}

static bool is_remembered(const wgt_candidate *candidate, uint32_t constant_count,
                          const double *remembered) {
    if (remembered == NULL)
        return false;
    for (uint32_t k = 0; k < constant_count; k++) {
        if (!equals(candidate->constants[k], remembered[k]))
            return false;
    }
    return true;
}

static bool is_portable_choice(const wgt_candidate *candidate, wgt_constants_seen seen,
                               uint32_t constant_count, const double *defaults) {
    if (wgt_invocations(candidate) != PORTABLE_INVOCATIONS)
        return false;
    for (uint32_t k = 0; k < constant_count && defaults != NULL; k++) {
        bool free_choice = ((seen.varying & ~seen.sizing) >> k & 1) != 0;
        if (free_choice && !wgt_is_nan(defaults[k]) &&
            !equals(candidate->constants[k], defaults[k]))
            return false;
    }
    return true;
}

wgt_pick_reason wgt_preference_of(const wgt_candidate *candidate, wgt_constants_seen seen,
                                  uint32_t constant_count, const double *defaults,
                                  const double *remembered) {
    if (is_remembered(candidate, constant_count, remembered))
        return WGT_PICK_TIE_KEPT;
    if (is_portable_choice(candidate, seen, constant_count, defaults))
        return WGT_PICK_TIE_PORTABLE;
    if (wgt_is_default(candidate, seen, constant_count, defaults))
        return WGT_PICK_TIE_AUTHOR;
    return WGT_PICK_TIE_SMALLEST;
}

static bool smaller_constants(const wgt_candidate *a, const wgt_candidate *b,
                              uint32_t constant_count) {
    for (uint32_t k = 0; k < constant_count; k++) {
        if (!equals(a->constants[k], b->constants[k]))
            return a->constants[k] < b->constants[k];
    }
    return false;
}

bool wgt_prefers(const wgt_tuner *t, uint32_t a, uint32_t b) {
    const wgt_entrant *of_a = &t->entrants[a], *of_b = &t->entrants[b];
    if (of_a->preference != of_b->preference)
        return of_a->preference < of_b->preference;
    if (of_a->invocations != of_b->invocations)
        return of_a->invocations < of_b->invocations;
    wgt_candidate left, right;
    t->plan.generator.get(t->plan.generator.user, a, &left);
    t->plan.generator.get(t->plan.generator.user, b, &right);
    return smaller_constants(&left, &right, t->plan.constant_count);
}

uint32_t wgt_prefer(const wgt_generator *generator, const bool *include, uint32_t constant_count,
                    const double *defaults, const double *remembered, wgt_pick_reason *reason) {
    uint32_t best = UINT32_MAX;
    wgt_pick_reason best_reason = WGT_PICK_NONE;
    wgt_candidate taken, candidate;
    wgt_constants_seen seen = {0, 0};
    if (generator->count > 0)
        seen = wgt_constants_look(generator, constant_count);
    for (uint32_t i = 0; i < generator->count; i++) {
        if (include != NULL && !include[i])
            continue;
        generator->get(generator->user, i, &candidate);
        wgt_pick_reason why =
            wgt_preference_of(&candidate, seen, constant_count, defaults, remembered);
        uint32_t size = wgt_invocations(&candidate);
        bool better = best == UINT32_MAX || why < best_reason;
        if (!better && why == best_reason) {
            uint32_t taken_size = wgt_invocations(&taken);
            better = size < taken_size ||
                     (size == taken_size && smaller_constants(&candidate, &taken, constant_count));
        }
        if (better) {
            best = i;
            best_reason = why;
            taken = candidate;
        }
    }
    if (reason != NULL)
        *reason = best_reason;
    return best;
}
