/* Rates: each kernel is made longer until a span can be trusted, then timed a few times. */
#include "probe_internal.h"
#include "../base/memory.h"
#include "../base/number.h"
#include "stats.h"

#define SPANS 5u
#define MAX_ITERATIONS 57344u
#define FIRST_SWEEP_BYTES ((uint64_t)16 << 10)
#define LEVEL_DROP 0.8

static double target_ns(const wgt_probe *p) {
    const double floor_ns = p->wall || p->cpu ? 5e6 : 1e6;
    const double by_step = p->quantum_ns * 100;
    return by_step > floor_ns && by_step < WGT_PROBE_MAX_SPAN_NS / 2 ? by_step : floor_ns;
}

static uint32_t rate_size(const wgt_probe *p) { return p->max_size < 256 ? p->max_size : 256; }

/* Twice what the device holds. */
static uint32_t rate_workgroups(const wgt_probe *p) {
    const probe_point *q = wgt_probe_find(p, WGT_PROBE_RESIDENCY, rate_size(p), 0, 0);
    const uint64_t wanted = q != NULL && q->settled ? 2 * q->peak : p->cpu ? 16 : 1024;
    return (uint32_t)(wanted < p->max_workgroups ? wanted : p->max_workgroups);
}

static void start_rate(wgt_probe *p, probe_rate *r, wgt_probe_kernel kernel, uint64_t bytes, double work) {
    *r = (probe_rate){.kernel = kernel, .bytes = bytes, .work = work, .size = rate_size(p),
                      .workgroups = rate_workgroups(p), .iterations = 4, .batch = 1,
                      .value = wgt_nan(), .low = wgt_nan(), .high = wgt_nan()};
}

static bool run_rate(const probe_rate *r, wgt_probe_action *action) {
    if (r->finished || r->failed) {
        return false;
    }
    *action = (wgt_probe_action){.kernel = r->kernel, .size = r->size, .workgroups = r->workgroups,
                                 .iterations = r->iterations, .batch = r->batch, .spans = SPANS, .bytes = r->bytes};
    return true;
}

/* Often enough over the whole that the first round does not matter. */
static uint32_t least_iterations(const probe_rate *r) {
    const uint64_t round = (uint64_t)r->size * r->workgroups * 64;
    const uint64_t wanted = wgt_div_ceil_u64(2 * r->bytes, round);
    return (uint32_t)(wanted < 4 ? 4 : wanted > MAX_ITERATIONS ? MAX_ITERATIONS : wanted);
}

bool wgt_probe_step_sweep(wgt_probe *p, wgt_probe_action *action) {
    if (p->sweep_count > 0) {
        const probe_rate *last = &p->sweep[p->sweep_count - 1];
        if (run_rate(last, action)) {
            return true;
        }
        if (last->failed || last->bytes * 2 > p->max_bytes || p->sweep_count == WGT_PROBE_SWEEP) {
            p->sweep_count -= last->failed;
            return false;
        }
    }
    const uint64_t bytes = p->sweep_count == 0 ? FIRST_SWEEP_BYTES : p->sweep[p->sweep_count - 1].bytes * 2;
    if (bytes > p->max_bytes) {
        return false;
    }
    probe_rate *next = &p->sweep[p->sweep_count++];
    start_rate(p, next, WGT_PROBE_READ, bytes, 64);
    const uint32_t least = least_iterations(next);
    next->iterations = least;
    if (p->sweep_count > 1) {
        const probe_rate *before = next - 1;
        const double predicted = (double)next->size * next->workgroups * least * 64 / before->value;
        if (predicted * 4 > WGT_PROBE_MAX_SPAN_NS) {
            p->sweep_count--;
            return false;
        }
        next->iterations = before->iterations / 2 > least ? before->iterations / 2 : least;
    }
    return run_rate(next, action);
}

static uint64_t largest_swept(const wgt_probe *p) {
    return p->sweep_count == 0 ? FIRST_SWEEP_BYTES : p->sweep[p->sweep_count - 1].bytes;
}

bool wgt_probe_step_rates(wgt_probe *p, wgt_probe_action *action) {
    static const struct {
        wgt_probe_kernel kernel;
        double work; /* bytes or operations of an invocation in an iteration */
    } rows[] = {
        {WGT_PROBE_WRITE, 64},          {WGT_PROBE_COPY, 128},          {WGT_PROBE_FMA, 64},
        {WGT_PROBE_INT, 64},            {WGT_PROBE_TRANSCENDENTAL, 32}, {WGT_PROBE_ATOMIC_SAME, 1},
        {WGT_PROBE_ATOMIC_SPREAD, 1},   {WGT_PROBE_ATOMIC_WORKGROUP, 1},
    };
    while (p->rate < sizeof rows / sizeof *rows) {
        probe_rate *r = &p->rates[p->rate];
        if (p->rate_count == p->rate) {
            const bool memory = rows[p->rate].kernel == WGT_PROBE_WRITE || rows[p->rate].kernel == WGT_PROBE_COPY;
            const bool spread = rows[p->rate].kernel == WGT_PROBE_ATOMIC_SPREAD;
            const uint64_t some = p->max_bytes < ((uint64_t)1 << 22) ? p->max_bytes : (uint64_t)1 << 22;
            start_rate(p, r, rows[p->rate].kernel, memory ? largest_swept(p) : spread ? some : 0,
                       rows[p->rate].work);
            r->iterations = memory ? least_iterations(r) : 4;
            p->rate_count++;
        }
        if (run_rate(r, action)) {
            return true;
        }
        p->rate++;
    }
    return false;
}

/* The launch rate from many workgroups, the cost of a dispatch from many dispatches of one. */
bool wgt_probe_step_empty(wgt_probe *p, wgt_probe_action *action) {
    probe_rate *launch = &p->rates[8];
    if (p->rate_count < 9) {
        start_rate(p, launch, WGT_PROBE_EMPTY, 0, 1);
        launch->size = p->max_size < 32 ? p->max_size : 32;
        launch->workgroups = p->max_workgroups < 1024 ? p->max_workgroups : 1024;
        launch->iterations = 1;
        p->rate_count = 9;
    }
    if (run_rate(launch, action)) {
        return true;
    }
    probe_rate *dispatch = &p->rates[9];
    if (p->rate_count < 10) {
        start_rate(p, dispatch, WGT_PROBE_EMPTY, 0, 1);
        dispatch->size = launch->size;
        dispatch->workgroups = 1;
        dispatch->iterations = 1;
        p->rate_count = 10;
    }
    return run_rate(dispatch, action);
}

static probe_rate *running(wgt_probe *p) {
    if (p->action.kernel == WGT_PROBE_READ) {
        return &p->sweep[p->sweep_count - 1];
    }
    return &p->rates[p->rate_count - 1];
}

/* Grows what can be grown; false when nothing can. */
static bool lengthen(const wgt_probe *p, probe_rate *r, double factor) {
    const bool empty = r->kernel == WGT_PROBE_EMPTY, one = empty && r == &p->rates[9];
    uint32_t *what = !empty ? &r->iterations : one || r->workgroups * 2 > p->max_workgroups ? &r->batch : &r->workgroups;
    const uint32_t most = !empty ? MAX_ITERATIONS : what == &r->batch ? 1024 : p->max_workgroups;
    const double wanted = (double)*what * factor;
    const uint32_t next = wanted > most ? most : (uint32_t)wanted;
    if (next <= *what) {
        return false;
    }
    *what = next;
    return true;
}

static void finish(wgt_probe *p, probe_rate *r, double *spans, size_t count) {
    wgt_sort(spans, count);
    const double work = r->work * (r->kernel == WGT_PROBE_EMPTY ? 1 : (double)r->size * r->iterations) *
                        (double)r->workgroups * r->batch;
    r->value = work / wgt_median_sorted(spans, count);
    r->low = work / spans[count - 1];
    r->high = work / spans[0];
    r->finished = true;
    if (r == &p->rates[9]) {
        p->empty_many_ns = wgt_median_sorted(spans, count);
        p->empty_many = r->batch;
    }
}

void wgt_probe_take_rate(wgt_probe *p, const wgt_probe_report *report) {
    probe_rate *r = running(p);
    double spans[WGT_PROBE_MAX_SPANS];
    size_t count = 0;
    /* The first one warms up: pages, caches, the clock's frequency. */
    for (size_t i = 1; i < report->span_count; i++) {
        if (report->spans_ns[i] > 0) {
            spans[count++] = report->spans_ns[i];
        }
    }
    if (report->outcome != WGT_OUTCOME_OK) {
        r->failed = true;
        return;
    }
    double sorted[WGT_PROBE_MAX_SPANS];
    for (size_t i = 0; i < count; i++) {
        sorted[i] = spans[i];
    }
    wgt_sort(sorted, count);
    const double median = count == 0 ? 0 : wgt_median_sorted(sorted, count);
    const double longest = count == 0 ? 0 : sorted[count - 1];
    if (r == &p->rates[9] && r->batch == 1 && count > 0) {
        p->empty_one_ns = median;
    }
    if (median < target_ns(p) && longest * 3 < WGT_PROBE_MAX_SPAN_NS) {
        const double factor = longest > 0 ? 1.5 * target_ns(p) / longest : 8;
        if (lengthen(p, r, factor > 8 ? 8 : factor < 1.5 ? 1.5 : factor)) {
            return;
        }
    }
    if (count < 3) {
        r->failed = true;
        return;
    }
    finish(p, r, spans, count);
}

size_t wgt_probe_levels(const wgt_probe *p, wgt_cache_level *levels) {
    size_t count = 0, i = 0;
    while (i < p->sweep_count && count < WGT_MAX_CACHE_LEVELS) {
        double best = p->sweep[i].value;
        size_t last = i;
        while (last + 1 < p->sweep_count && p->sweep[last + 1].value > LEVEL_DROP * best) {
            last++;
            best = p->sweep[last].value > best ? p->sweep[last].value : best;
        }
        const bool end = last + 1 == p->sweep_count;
        levels[count++] = (wgt_cache_level){end ? wgt_nan() : (double)p->sweep[last].bytes, best};
        /* Down the slope to where it is level again. */
        i = last + 1;
        while (i + 1 < p->sweep_count && p->sweep[i + 1].value < LEVEL_DROP * p->sweep[i].value) {
            i++;
        }
    }
    return count;
}
