/* Workgroup memory of a unit, from where the count steps down as a workgroup's array grows:
 *
 *   count(bytes) = min(most, floor(blocks / ceil((bytes + reserve) / granularity)))
 *
 * Every granularity and reserve of a list is held against all counts; the next experiment is the one on
 * which those that are left disagree most. What is left at the end cannot be told apart. */
#include "probe_internal.h"
#include "../base/memory.h"

#define FIRST_GRANULARITY 16u
#define LAST_GRANULARITY 4096u
#define RESERVE_STEP 16u
#define LAST_RESERVE 2048u
#define MAX_LEVELS 64u
#define MAX_EXPERIMENTS 100u
#define FIRST_LEVELS 6u
#define MORE_LEVELS 4u

typedef struct hypothesis {
    uint32_t granularity, reserve;
    uint64_t low, high; /* blocks: low ≤ x < high */
} hypothesis;

/* One subgroup, so that as many workgroups as there are slots compete for the memory. */
static uint32_t probing_size(const wgt_probe *p) {
    const uint32_t width = p->width_min == 0 ? 8 : p->width_min;
    return width > p->max_size ? p->max_size : width;
}

static bool is_step(const wgt_probe *p, const probe_point *q) {
    return q->settled && q->kernel == WGT_PROBE_RESIDENCY && q->shared > 0 && q->size == p->shared_size;
}

/* Without memory in the way. */
static bool most_per_unit(const wgt_probe *p, uint32_t units, uint32_t *most) {
    const probe_point *q = wgt_probe_find(p, WGT_PROBE_RESIDENCY, p->shared_size, 0, 0);
    bool exact;
    return q != NULL && q->settled && wgt_probe_per_unit(q->peak, units, most, &exact);
}

static bool hold(const wgt_probe *p, uint32_t units, uint32_t most, hypothesis *h) {
    h->low = 1;
    h->high = UINT64_MAX;
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        uint32_t count;
        bool exact;
        if (!is_step(p, q)) {
            continue;
        }
        if (!wgt_probe_per_unit(q->peak, units, &count, &exact) || count > most) {
            return false;
        }
        const uint64_t blocks = wgt_div_ceil_u64((uint64_t)q->shared + h->reserve, h->granularity);
        const uint64_t low = count * blocks, high = (count + 1u) * blocks;
        h->low = low > h->low ? low : h->low;
        if (count < most) {
            h->high = high < h->high ? high : h->high;
        }
    }
    return h->low < h->high;
}

typedef struct survey {
    uint32_t count;
    probe_shared range;
    uint32_t most;
    uint32_t low[MAX_LEVELS + 1], high[MAX_LEVELS + 1]; /* largest array of which k fit: over all that is left */
} survey;

static uint32_t edge(const wgt_probe *p, const hypothesis *h, uint64_t blocks, uint32_t k) {
    const uint64_t bytes = blocks / k * h->granularity;
    const uint64_t most = (uint64_t)p->max_shared + 4;
    if (bytes <= h->reserve) {
        return 0;
    }
    return (uint32_t)(bytes - h->reserve < most ? bytes - h->reserve : most);
}

static void widen(uint64_t *low, uint64_t *high, uint64_t a, uint64_t b) {
    *low = a < *low ? a : *low;
    *high = b > *high ? b : *high;
}

static void add_to(const wgt_probe *p, const hypothesis *h, survey *s) {
    if (s->count++ == 0) {

        s->range = (probe_shared){.bytes_low = UINT64_MAX, .granularity_low = UINT64_MAX, .reserve_low = UINT64_MAX};
    }
    const uint64_t last = h->high == UINT64_MAX ? ((uint64_t)1 << 32) / h->granularity : h->high - 1;
    probe_shared *r = &s->range;
    widen(&r->bytes_low, &r->bytes_high, h->low * h->granularity, last * h->granularity);
    widen(&r->granularity_low, &r->granularity_high, h->granularity, h->granularity);
    widen(&r->reserve_low, &r->reserve_high, h->reserve, h->reserve);
    for (uint32_t k = 1; k <= s->most && k <= MAX_LEVELS; k++) {
        const uint32_t a = edge(p, h, h->low, k), b = edge(p, h, last, k);
        s->low[k] = s->count == 1 || a < s->low[k] ? a : s->low[k];
        s->high[k] = s->count == 1 || b > s->high[k] ? b : s->high[k];
    }
}

static void look(const wgt_probe *p, uint32_t units, survey *s) {
    *s = (survey){0};
    if (!most_per_unit(p, units, &s->most)) {
        return;
    }
    for (uint32_t g = FIRST_GRANULARITY; g <= LAST_GRANULARITY; g *= 2) {
        for (uint32_t r = 0; r <= LAST_RESERVE; r += RESERVE_STEP) {
            hypothesis h = {.granularity = g, .reserve = r};
            if (hold(p, units, s->most, &h)) {
                add_to(p, &h, s);
            }
        }
    }
}

static bool any_step(const wgt_probe *p, uint32_t units, uint32_t most) {
    for (size_t i = 0; i < p->point_count; i++) {
        uint32_t count;
        bool exact;
        if (is_step(p, &p->points[i]) && wgt_probe_per_unit(p->points[i].peak, units, &count, &exact) &&
            count < most) {
            return true;
        }
    }
    return false;
}

bool wgt_probe_shared_possible(const wgt_probe *p, uint32_t units) {
    survey s;
    if (p->shared_size == 0) {
        return true;
    }
    look(p, units, &s);
    return s.count > 0 || s.most == 0;
}

void wgt_probe_shared(const wgt_probe *p, uint32_t units, probe_shared *out) {
    survey s;
    *out = (probe_shared){0};
    if (p->shared_size == 0) {
        return;
    }
    look(p, units, &s);
    if (s.count > 0) {
        *out = s.range;
        out->valid = true;
        out->alternatives = s.count;
        out->bound = any_step(p, units, s.most);
    }
}

static bool bytes_at(wgt_probe *p, uint32_t bytes, wgt_probe_action *action) {
    bytes &= ~3u;
    if (bytes < 4 || bytes > p->max_shared) {
        return false;
    }
    probe_point *q = wgt_probe_point(p, WGT_PROBE_RESIDENCY, p->shared_size, bytes, 0);
    return q != NULL && wgt_probe_settle(p, q, action);
}

/* The level on which those left disagree most, and the middle of it. */
static uint32_t dividing_bytes(const wgt_probe *p, const survey *s) {
    uint32_t best = 0, best_spread = 0;
    for (uint32_t k = 1; k <= s->most && k <= MAX_LEVELS; k++) {
        const uint32_t high = s->high[k] > p->max_shared ? p->max_shared : s->high[k];
        if (s->low[k] >= high) {
            continue;
        }
        const uint32_t spread = high - s->low[k];
        uint32_t bytes = s->low[k] + (spread / 2 < 4 ? 4 : spread / 2);
        bytes = (bytes + 3) & ~3u;
        if (bytes <= high && spread > best_spread &&
            wgt_probe_find(p, WGT_PROBE_RESIDENCY, p->shared_size, bytes, 0) == NULL) {
            best = bytes;
            best_spread = spread;
        }
    }
    return best;
}

/* Both sides of some predicted steps: what fits by chance seldom fits there as well. */
static bool verify(wgt_probe *p, const survey *s, wgt_probe_action *action) {
    uint32_t levels[MAX_LEVELS], count = 0;
    for (uint32_t k = 1; k <= s->most && k <= MAX_LEVELS; k++) {
        if (s->low[k] >= 4 && s->low[k] < p->max_shared) {
            levels[count++] = k;
        }
    }
    /* All of the few largest arrays, where floors differ most, and some of the rest. */
    const uint32_t first = count < FIRST_LEVELS ? count : FIRST_LEVELS, rest = count - first;
    const uint32_t more = rest < MORE_LEVELS ? rest : MORE_LEVELS;
    for (uint32_t i = 0; i < first + more; i++) {
        const uint32_t k = levels[i < first ? i : first + (i - first + 1) * rest / more - 1];
        if (bytes_at(p, s->low[k], action) || bytes_at(p, s->low[k] + 4, action)) {
            return true;
        }
    }
    return false;
}

bool wgt_probe_step_shared(wgt_probe *p, wgt_probe_action *action) {
    if (p->max_shared < 64) {
        return false;
    }
    p->shared_size = probing_size(p);
    probe_point *base = wgt_probe_point(p, WGT_PROBE_RESIDENCY, p->shared_size, 0, 0);
    if (base == NULL || wgt_probe_settle(p, base, action)) {
        return base != NULL;
    }
    for (uint32_t divide = 1; divide <= 16; divide *= 2) {
        if (bytes_at(p, p->max_shared / divide, action)) {
            return true;
        }
    }
    probe_units u;
    wgt_probe_units(p, false, &u);
    if (!u.valid) {
        return false;
    }
    uint32_t done = 0;
    for (size_t i = 0; i < p->point_count; i++) {
        done += p->points[i].kernel == WGT_PROBE_RESIDENCY && p->points[i].shared > 0;
    }
    survey s;
    look(p, u.units, &s);
    if (s.count == 0 || !any_step(p, u.units, s.most) || done >= MAX_EXPERIMENTS) {
        return false;
    }
    const uint32_t bytes = dividing_bytes(p, &s);
    return bytes_at(p, bytes, action) || verify(p, &s, action);
}
