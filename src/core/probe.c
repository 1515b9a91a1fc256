#include "probe_internal.h"
#include "../base/number.h"
#include "../base/text.h"
#include "stats.h"
#include <string.h>

#define FIRST_WORKGROUPS 32u
#define FIRST_SPIN 64u
#define MAX_SPIN 57344u /* some CPU drivers end loops silently at 65,535 iterations in all */
#define MAX_TRIES 24
/* Launching takes time: spans that are short beside it agree on too few. */
#define LEAST_SPAN_NS 2e5
#define LEAST_CPU_SPAN_NS 1e7 /* threads of a busy machine wake late */
#define MAX_REPEATS 8
#define MAX_LOST 3
#define MAX_BUFFER_BYTES ((uint64_t)512 << 20)
#define MAX_CPU_BUFFER_BYTES ((uint64_t)16 << 20)
#define DEADLINE_NS ((uint64_t)10000000000)

/* Phases ---------------------------------------------------------------------------------------------- */

static bool step_slots(wgt_probe *p, wgt_probe_action *action) {
    probe_point *point = wgt_probe_point(p, WGT_PROBE_RESIDENCY, 1, 0, 0);
    return point != NULL && wgt_probe_settle(p, point, action);
}

static const struct {
    const char *name;
    bool (*step)(wgt_probe *, wgt_probe_action *);
    bool rates;
} phases[] = {
    {"workgroup slots", step_slots, false},
    {"workgroup sizes", wgt_probe_step_sizes, false},
    {"compute units", wgt_probe_step_anchor, false},
    {"workgroup memory", wgt_probe_step_shared, false},
    {"registers", wgt_probe_step_registers, false},
    {"memory rates", wgt_probe_step_sweep, true},
    {"rates", wgt_probe_step_rates, true},
    {"launch cost", wgt_probe_step_empty, true},
};
#define PHASE_COUNT (sizeof phases / sizeof *phases)

const char *wgt_probe_phase(const wgt_probe *p, double *share) {
    if (share != NULL) {
        *share = (double)p->phase / (double)PHASE_COUNT;
    }
    return p->phase < PHASE_COUNT ? phases[p->phase].name : "done";
}

/* Points ---------------------------------------------------------------------------------------------- */

static size_t find(const wgt_probe *p, wgt_probe_kernel kernel, uint32_t size, uint32_t shared, uint32_t live) {
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        if (q->kernel == kernel && q->size == size && q->shared == shared && q->live == live) {
            return i;
        }
    }
    return p->point_count;
}

const probe_point *wgt_probe_find(const wgt_probe *p, wgt_probe_kernel kernel, uint32_t size, uint32_t shared,
                                  uint32_t live) {
    const size_t i = find(p, kernel, size, shared, live);
    return i < p->point_count ? &p->points[i] : NULL;
}

/* The nearest that needs no more than this one: an upper bound for what can be resident. */
static const probe_point *larger_neighbour(const wgt_probe *p, const probe_point *of) {
    const probe_point *best = NULL;
    for (size_t i = 0; i < p->point_count; i++) {
        const probe_point *q = &p->points[i];
        if (q != of && q->settled && q->size <= of->size && q->shared <= of->shared &&
            (q->kernel == WGT_PROBE_RESIDENCY || q->live <= of->live) && (best == NULL || q->peak < best->peak)) {
            best = q;
        }
    }
    return best;
}

static uint32_t clamp_workgroups(const wgt_probe *p, uint64_t wanted) {
    return wanted > p->max_workgroups ? p->max_workgroups : wanted < 1 ? 1 : (uint32_t)wanted;
}

/* What the first run of a new point may cost is judged by its neighbour. A device that runs lanes one
 * after the other takes longer the larger the workgroup. */
static void start_point(wgt_probe *p, probe_point *q) {
    const probe_point *near = larger_neighbour(p, q);
    q->workgroups = clamp_workgroups(p, FIRST_WORKGROUPS);
    q->spin = FIRST_SPIN;
    if (near == NULL) {
        return;
    }
    const uint64_t fill = 2 * near->peak < FIRST_WORKGROUPS ? FIRST_WORKGROUPS : 2 * near->peak;
    q->workgroups = clamp_workgroups(p, fill);
    q->spin = p->spin < FIRST_SPIN ? FIRST_SPIN : p->spin > MAX_SPIN / 4 ? MAX_SPIN / 4 : p->spin;
    const double lanes = (double)q->size / (double)near->size;
    const double waves = (double)q->workgroups / (double)near->workgroups;
    double predicted = near->span_ns * (lanes > 1 ? lanes : 1) * (waves > 1 ? waves : 1) * (double)q->spin /
                       (double)near->spin;
    while (predicted > WGT_PROBE_MAX_SPAN_NS / 4 && q->spin > 8) {
        q->spin /= 2;
        predicted /= 2;
    }
}

probe_point *wgt_probe_point(wgt_probe *p, wgt_probe_kernel kernel, uint32_t size, uint32_t shared, uint32_t live) {
    const size_t i = find(p, kernel, size, shared, live);
    if (i < p->point_count) {
        return &p->points[i];
    }
    if (p->point_count == WGT_PROBE_MAX_POINTS) {
        return NULL;
    }
    probe_point *q = &p->points[p->point_count++];
    *q = (probe_point){.kernel = kernel, .size = size, .shared = shared, .live = live};
    start_point(p, q);
    return q;
}

bool wgt_probe_settle(wgt_probe *p, probe_point *q, wgt_probe_action *action) {
    if (q->settled || q->failed) {
        return false;
    }
    p->current = (size_t)(q - p->points);
    *action = (wgt_probe_action){
        .kernel = q->kernel,
        .size = q->size,
        .shared_bytes = q->shared,
        .live = q->live,
        .workgroups = q->workgroups,
        .iterations = q->spin,
        .batch = 1,
        .spans = 1,
    };
    return true;
}

static void more_workgroups(const wgt_probe *p, probe_point *q) {
    q->peak = 0;
    if (q->span_ns * 2 > WGT_PROBE_MAX_SPAN_NS) {
        q->spin = q->spin / 2 < 8 ? 8 : q->spin / 2;
    }
    q->workgroups = clamp_workgroups(p, (uint64_t)q->workgroups * (q->span_ns * 8 > WGT_PROBE_MAX_SPAN_NS ? 2 : 4));
}

/* Enough workgroups to fill the device and wait outside, and a spin that covers the time of launching
 * them: then two spins agree. */
static void take_count(wgt_probe *p, const wgt_probe_report *r) {
    probe_point *q = &p->points[p->current];
    q->registers = r->registers;
    q->spill_bytes = r->spill_bytes;
    q->subgroup_size = r->subgroup_size;
    if (r->outcome != WGT_OUTCOME_OK || r->span_count < 1 || r->entries != q->workgroups || r->peak < 1 ||
        ++q->tries > MAX_TRIES) {
        q->failed = true;
        return;
    }
    const double span = r->spans_ns[0];
    const double least = p->cpu ? LEAST_CPU_SPAN_NS : LEAST_SPAN_NS;
    const bool full = r->peak * 5 < (uint64_t)q->workgroups * 4;
    q->span_ns = span;
    if (q->tries == 1 && span * 2 > WGT_PROBE_MAX_SPAN_NS) {
        return; /* some drivers compile in the first dispatch: once more, to know */
    }
    if (!full) {
        if (q->workgroups >= p->max_workgroups) {
            q->failed = true;
        }
        more_workgroups(p, q);
        return;
    }
    q->long_spans += span >= least;
    if (span >= least && q->peak == r->peak && q->long_spans >= (p->cpu ? 4 : 2)) {
        q->settled = true;
        p->spin = q->spin / 2;
        return;
    }
    /* Only what long spans saw counts: fewer than one of them saw is not all. */
    q->peak = span < least ? 0 : r->peak > q->peak ? r->peak : q->peak;
    const uint32_t factor = span * 16 < least ? 8 : 2;
    const bool longer = !p->cpu || span < least;
    if (longer && span * factor <= WGT_PROBE_MAX_SPAN_NS && q->spin * 2 <= MAX_SPIN) {
        q->spin = q->spin > MAX_SPIN / factor ? MAX_SPIN : q->spin * factor;
    } else if (span < least || !p->cpu || ++q->repeats > MAX_REPEATS) {
        q->failed = true; /* the same spin again would only agree with itself, but for late threads */
    }
}

/* The machine ----------------------------------------------------------------------------------------- */

size_t wgt_probe_size(void) { return sizeof(wgt_probe); }

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

wgt_status wgt_probe_init(void *memory, size_t size, const wgt_probe_plan *plan, wgt_probe **probe,
                          wgt_error *error) {
    *probe = NULL;
    if (memory == NULL || size < sizeof(wgt_probe)) {
        return wgt_fail(error, WGT_NO_MEMORY, "the probe needs %zu bytes", sizeof(wgt_probe));
    }
    const wgt_adapter *a = plan->adapter;
    if (a == NULL || plan->clock == NULL || a->limits.max_compute_invocations_per_workgroup < 1) {
        return wgt_fail(error, WGT_USAGE, "the probe needs an adapter with its limits, and its clock");
    }
    wgt_probe *p = memory;
    memset(p, 0, sizeof *p);
    const wgt_limits *l = &a->limits;
    p->cpu = a->type == WGT_ADAPTER_CPU;
    p->max_size = (uint32_t)smaller(smaller(l->max_compute_invocations_per_workgroup, l->max_compute_workgroup_size_x),
                                    65536);
    p->max_shared = (uint32_t)smaller(l->max_compute_workgroup_storage_size, 1 << 24) & ~3u;
    p->max_workgroups = (uint32_t)smaller(l->max_compute_workgroups_per_dimension, 65535);
    uint64_t most = smaller(l->max_storage_buffer_binding_size, l->max_buffer_size);
    most = smaller(most, p->cpu ? MAX_CPU_BUFFER_BYTES : MAX_BUFFER_BYTES);
    for (p->max_bytes = 1; p->max_bytes * 2 <= most;) {
        p->max_bytes *= 2;
    }
    p->width_min = a->subgroup_min;
    p->width_max = a->subgroup_max;
    p->wall = !plan->clock->timestamps;
    p->quantum_ns = plan->clock->quantum_ns;
    p->budget_ns = plan->budget_ns == 0 ? 5e9 : (double)plan->budget_ns;
    p->residency_only = plan->residency_only;
    p->empty_one_ns = p->empty_many_ns = wgt_nan();
    *probe = p;
    return WGT_OK;
}

static bool skipped(const wgt_probe *p) {
    return phases[p->phase].rates && (p->residency_only || p->gpu_ns > p->budget_ns);
}

void wgt_probe_next(wgt_probe *p, wgt_probe_action *action) {
    if (p->open) {
        *action = p->action;
        return;
    }
    while (p->phase < PHASE_COUNT) {
        wgt_probe_action next = {0};
        /* What was begun is settled first: only then can what is next be chosen. */
        const bool pending = p->point_count > 0 && !phases[p->phase].rates &&
                             wgt_probe_settle(p, &p->points[p->current], &next);
        if (pending || (!skipped(p) && phases[p->phase].step(p, &next))) {
            next.id = p->action.id + 1;
            next.deadline_ns = DEADLINE_NS;
            p->action = *action = next;
            p->open = true;
            return;
        }
        p->phase++;
    }
    *action = (wgt_probe_action){.id = p->action.id + 1, .done = true};
}

wgt_status wgt_probe_report_take(wgt_probe *p, const wgt_probe_report *r, wgt_error *error) {
    if (!p->open || r->id != p->action.id) {
        return wgt_fail(error, WGT_USAGE, "action %u is not open", r->id);
    }
    if (r->span_count > WGT_PROBE_MAX_SPANS ||
        (r->outcome == WGT_OUTCOME_OK && r->span_count != p->action.spans)) {
        return wgt_fail(error, WGT_USAGE, "%zu spans were reported, not %u", r->span_count, p->action.spans);
    }
    p->open = false;
    for (size_t i = 0; i < r->span_count; i++) {
        p->gpu_ns += r->spans_ns[i] > 0 ? r->spans_ns[i] : 0;
    }
    p->compile_ns += r->compile_ns;
    if (r->outcome == WGT_OUTCOME_INTERRUPTED) {
        p->interrupted = true;
        p->phase = PHASE_COUNT;
        return WGT_OK;
    }
    const bool lost = r->outcome == WGT_OUTCOME_TIMEOUT || r->outcome == WGT_OUTCOME_LOST ||
                      r->outcome == WGT_OUTCOME_CRASHED;
    if (p->action.kernel == WGT_PROBE_RESIDENCY || p->action.kernel == WGT_PROBE_LIVE) {
        take_count(p, r);
    } else {
        wgt_probe_take_rate(p, r);
    }
    p->lost += lost;
    if (p->lost >= MAX_LOST) {
        p->phase = PHASE_COUNT;
    }
    return WGT_OK;
}
