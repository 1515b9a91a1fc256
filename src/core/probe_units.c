/* Units, slots, invocations, width: what explains the peaks over workgroup sizes.
 *
 *   peak(size) = units · min(slots, floor(subgroups / ceil(size / width)))
 *
 * Peaks give units times any common factor of the counts. The floors decide which: twice as many
 * workgroups in half as many units would have to skip the odd counts, and no capacity does. */
#include "probe_internal.h"
#include "../base/memory.h"
#include "../base/number.h"

#define WHOLE_WITHIN 0.15
#define MAX_SPLITS 16
#define MAX_TRIED 24 /* explanations of one width */
/* A unit of more workgroups, or of so many of the largest, is not believed: it is several unlike ones. */
#define MAX_SLOTS 128u
#define MAX_LARGEST 16u

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool wgt_probe_per_unit(uint64_t peak, uint32_t units, uint32_t *count, bool *exact) {
    const double ratio = (double)peak / (double)units;
    const double whole = wgt_floor(ratio + 0.5);
    *exact = peak % units == 0;
    *count = (uint32_t)whole;
    return whole >= 1 && wgt_abs(ratio - whole) <= WHOLE_WITHIN;
}

static bool plain(const probe_point *q) { return q->settled && q->kernel == WGT_PROBE_RESIDENCY; }

/* Narrows low..high of one width by all sizes; false when they contradict each other. */
static bool fit_width(const wgt_probe *p, uint32_t units, uint32_t slots, probe_width *w) {
    w->low = 1;
    w->high = UINT64_MAX;
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        uint32_t count;
        bool exact;
        if (!plain(q) || q->shared != 0) {
            continue;
        }
        if (!wgt_probe_per_unit(q->peak, units, &count, &exact) || count > slots) {
            return false;
        }
        const uint64_t subgroups = wgt_div_ceil_u64(q->size, w->width);
        const uint64_t low = count * subgroups, high = (count + 1u) * subgroups;
        w->low = low > w->low ? low : w->low;
        if (count < slots) {
            w->high = high < w->high ? high : w->high;
        }
    }
    return w->low < w->high;
}

/* Units of more and of fewer slots could have this mean, but not where a size fits exactly as often. */
static bool slots_alike(const wgt_probe *p, const probe_units *u) {
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        bool alike = plain(q) && q->shared == 0 && q->peak == (uint64_t)u->slots * u->units;
        for (size_t k = 0; alike && k < u->width_count; k++) {
            const probe_width *w = &u->widths[k];
            alike = w->high != UINT64_MAX && (w->high - 1) / wgt_div_ceil_u64(q->size, w->width) == u->slots;
        }
        if (alike) {
            return true;
        }
    }
    return false;
}

static void fit_units(const wgt_probe *p, uint32_t units, probe_units *u) {
    *u = (probe_units){.units = units, .exact = true};
    const probe_point *smallest = wgt_probe_find(p, WGT_PROBE_RESIDENCY, 1, 0, 0);
    bool exact;
    if (smallest == NULL || !smallest->settled || !wgt_probe_per_unit(smallest->peak, units, &u->slots, &exact) ||
        u->slots > MAX_SLOTS) {
        return;
    }
    for (size_t i = 0; i < p->point_count; i++) {
        u->exact = u->exact && (!plain(&p->points[i]) || p->points[i].peak % units == 0);
    }
    const uint32_t first = p->width_min == 0 ? 1 : p->width_min, last = p->width_max == 0 ? 128 : p->width_max;
    u->slots_bind = true;
    for (uint32_t width = first; width <= last && u->width_count < WGT_PROBE_MAX_WIDTHS; width *= 2) {
        probe_width *w = &u->widths[u->width_count];
        w->width = width;
        if (fit_width(p, units, u->slots, w)) {
            u->slots_bind = u->slots_bind && w->low > u->slots;
            u->width_count++;
        }
    }
    u->valid = u->width_count > 0;
    u->slots_alike = u->units == 1 || slots_alike(p, u);
}

static uint64_t common_step(const wgt_probe *p, uint64_t *least) {
    uint64_t step = 0;
    *least = UINT64_MAX;
    for (size_t i = 0; i < p->point_count; i++) {
        if (plain(&p->points[i])) {
            step = gcd(p->points[i].peak, step);
            *least = p->points[i].peak < *least ? p->points[i].peak : *least;
        }
    }
    return step;
}

/* The anchor holds the largest workgroup that there can be: what it counts must follow from the rest. */
static bool possible(const wgt_probe *p, uint32_t units, bool with_shared, probe_units *u) {
    const probe_point *anchor = wgt_probe_find(p, WGT_PROBE_RESIDENCY, p->max_size, p->max_shared, 0);
    fit_units(p, units, u);
    if (anchor != NULL && anchor->settled && anchor->peak > (uint64_t)MAX_LARGEST * units) {
        return false;
    }
    return u->valid && (!with_shared || wgt_probe_shared_possible(p, units));
}

/* Counts that vary must be explained by a ladder that was climbed: of sizes, or of arrays. */
static bool unexplained(const wgt_probe *p, const probe_units *u) {
    bool varied = false;
    for (size_t i = 0; i < p->point_count; i++) {
        varied = varied || (plain(&p->points[i]) && p->points[i].peak != (uint64_t)u->slots * u->units);
    }
    for (size_t i = 0; i < u->width_count; i++) {
        varied = varied && u->widths[i].high == UINT64_MAX;
    }
    probe_shared s;
    if (!varied) {
        return false;
    }
    wgt_probe_shared(p, u->units, &s);
    return !s.valid || !s.bound;
}

void wgt_probe_units(const wgt_probe *p, bool with_shared, probe_units *best) {
    uint64_t least;
    const uint64_t step = common_step(p, &least);
    *best = (probe_units){0};
    if (step == 0 || step > UINT32_MAX) {
        return;
    }
    uint32_t ways = 0, largest = 0;
    for (uint32_t g = 1; g <= WGT_PROBE_MAX_GROUPING && g <= step; g++) {
        probe_units u;
        if (step % g == 0 && possible(p, (uint32_t)(step / g), with_shared, &u)) {
            if (ways++ == 0) {
                *best = u;
            }
            largest = g;
        }
    }
    /* One stray count spoils the common step: then the nearest whole numbers, and no certainty. */
    for (uint32_t k = 1; ways == 0 && k <= 8; k++) {
        probe_units u;
        if (least % k == 0 && least / k > 6 && least / k <= UINT32_MAX &&
            possible(p, (uint32_t)(least / k), with_shared, &u)) {
            *best = u;
            ways = 1;
            largest = 1;
        }
    }
    best->grouping_count = ways;
    best->grouping_max = largest;
    best->valid = best->valid && !(with_shared && unexplained(p, best));
}

/* Experiments ----------------------------------------------------------------------------------------- */

static uint32_t predicted(const probe_units *u, const probe_width *w, uint64_t subgroups, uint32_t size) {
    const uint64_t fit = subgroups / wgt_div_ceil_u64(size, w->width);
    return (uint32_t)(fit < u->slots ? fit : u->slots);
}

/* How many of the explanations that are left would survive the likeliest count of that size. */
static uint32_t survivors(const probe_units *u, uint32_t size, uint32_t *all) {
    uint32_t tally[MAX_SLOTS + 1] = {0}, most = 0;
    *all = 0;
    for (size_t i = 0; i < u->width_count; i++) {
        const probe_width *w = &u->widths[i];
        const uint64_t range = w->high == UINT64_MAX ? 1 : w->high - w->low;
        const uint64_t step = range > MAX_TRIED ? range / MAX_TRIED : 1;
        for (uint64_t x = w->low; x < w->low + range; x += step) {
            const uint32_t n = predicted(u, w, x, size);
            tally[n]++;
            most = tally[n] > most ? tally[n] : most;
            (*all)++;
        }
    }
    return most;
}

/* The size whose count would rule most out; 0 when all that is left predicts the same everywhere. */
static uint32_t splitting_size(const wgt_probe *p, const probe_units *u) {
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t size = turn == 0 ? 4 : 1; size <= p->max_size; size += 4) {
            uint32_t all;
            if (wgt_probe_find(p, WGT_PROBE_RESIDENCY, size, 0, 0) != NULL) {
                continue;
            }
            const uint32_t left = survivors(u, size, &all);
            if (left < all && left < fewest) {
                fewest = left;
                best = size;
            }
        }
    }
    return best;
}

/* Around the size from which invocations rather than slots bind, unlike units show. */
static uint32_t knee_size(const wgt_probe *p, const probe_units *u, uint32_t turn) {
    static const double factors[] = {0.55, 0.7, 0.85, 1.1, 1.3, 1.6, 1.9, 2.4, 3.2};
    if (turn >= sizeof factors / sizeof *factors || u->slots == 0 || u->widths[0].high == UINT64_MAX) {
        return 0;
    }
    const probe_width *w = &u->widths[0];
    const double knee = (double)w->low / (double)u->slots;
    uint64_t size = (uint64_t)(knee * factors[turn] + 0.5) * w->width;
    size = size < 1 ? 1 : size;
    return size > p->max_size ? 0 : (uint32_t)size;
}

static bool size_at(wgt_probe *p, uint32_t size, wgt_probe_action *action) {
    if (size < 1 || size > p->max_size) {
        return false;
    }
    probe_point *q = wgt_probe_point(p, WGT_PROBE_RESIDENCY, size, 0, 0);
    return q != NULL && wgt_probe_settle(p, q, action);
}

bool wgt_probe_step_sizes(wgt_probe *p, wgt_probe_action *action) {
    static const uint32_t sizes[] = {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (size_at(p, sizes[i], action)) {
            return true;
        }
    }
    if (size_at(p, p->max_size, action)) {
        return true;
    }
    probe_units u;
    wgt_probe_units(p, false, &u);
    if (!u.valid) {
        return false;
    }
    for (uint32_t turn = 0; turn < 9; turn++) {
        if (size_at(p, knee_size(p, &u, turn), action)) {
            return true;
        }
    }
    if (p->point_count > 24 + MAX_SPLITS) {
        return false;
    }
    return size_at(p, splitting_size(p, &u), action);
}

bool wgt_probe_step_anchor(wgt_probe *p, wgt_probe_action *action) {
    probe_point *q =
        p->max_shared < 4 ? NULL : wgt_probe_point(p, WGT_PROBE_RESIDENCY, p->max_size, p->max_shared, 0);
    return q != NULL && wgt_probe_settle(p, q, action);
}
