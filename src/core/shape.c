/* What the curve over the workgroup size looks like. */
#include "tuner_state.h"

#include "../base/number.h"

typedef struct curve {
    uint32_t count;
    uint32_t first_in, last_in; /* the outermost of the tie, by position */
    uint32_t in;
    uint32_t dents; /* clearly slower ones amid the tie */
} curve;

static bool on_curve(const wgt_entrant *e) {
    return e->tie[WGT_RACE_ALL] != WGT_TIE_UNKNOWN;
}

/* A ratio between the tolerance and this many times it is at the edge: another run may well find it
 * on the other side, so that it makes no feature of the curve. */
#define CLEARLY_SLOWER 1.5

static bool at_edge(const wgt_tuner *t, const wgt_entrant *e) {
    return e->ratio <= wgt_log(1 + CLEARLY_SLOWER * t->plan.tolerance);
}

static bool is_in(const wgt_tuner *t, const wgt_entrant *e) {
    if (e->tie[WGT_RACE_ALL] == WGT_TIE_UNDECIDED)
        return at_edge(t, e);
    return e->tie[WGT_RACE_ALL] == WGT_TIE_IN;
}

static void sort_by_size(const wgt_tuner *t, uint32_t *list, uint32_t count) {
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t index = list[i], at = i;
            for (; at >= gap &&
                   t->entrants[list[at - gap]].invocations > t->entrants[index].invocations;
                 at -= gap)
                list[at] = list[at - gap];
            list[at] = index;
        }
    }
}

static curve trace(const wgt_tuner *t) {
    uint32_t *list = (uint32_t *)(void *)t->scratch[0];
    curve c = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < t->plan.generator.count; i++) {
        if (on_curve(&t->entrants[i]))
            list[c.count++] = i;
    }
    sort_by_size(t, list, c.count);
    for (uint32_t at = 0; at < c.count; at++) {
        if (!is_in(t, &t->entrants[list[at]]))
            continue;
        c.first_in = c.in == 0 ? at : c.first_in;
        c.last_in = at;
        c.in++;
    }
    for (uint32_t at = c.first_in; c.in > 0 && at <= c.last_in; at++)
        c.dents += !is_in(t, &t->entrants[list[at]]) && !at_edge(t, &t->entrants[list[at]]);
    return c;
}

wgt_shape wgt_shape_of(const wgt_tuner *t) {
    uint32_t varying = t->seen.varying;
    bool one = varying != 0 && (varying & (varying - 1)) == 0;
    if (!one || varying != t->seen.sizing)
        return WGT_SHAPE_NONE;
    curve c = trace(t);
    if (c.count < 2 || c.in == 0)
        return WGT_SHAPE_NONE;
    if (t->races[WGT_RACE_ALL].unranked)
        return WGT_SHAPE_UNRANKED;
    bool slower_below = c.first_in > 0, slower_above = c.last_in + 1 < c.count;
    if (c.dents > 0)
        return WGT_SHAPE_JAGGED;
    if (!slower_below)
        return slower_above ? WGT_SHAPE_FALL : WGT_SHAPE_FLAT;
    if (slower_above)
        return WGT_SHAPE_PEAK;
    return c.in >= 3 ? WGT_SHAPE_PLATEAU : WGT_SHAPE_CLIMB;
}
