/* wgtune/probe.h: the data sheet of a GPU, reasoned from counters and times. A state machine without
 * I/O: wgt_probe_next() hands out experiments, the caller runs them and tells with wgt_probe_report()
 * what came of each. Which experiment is next, what the numbers mean and how sure that is, is decided
 * here and nowhere else. Deterministic: the same plan and reports give the same actions and the same
 * sheet. Nothing is looked up by name. Pure: no heap, file, clock, thread, GPU or libm.
 *
 * The method of counting is that of Sorensen, Donaldson, Batty, Gopalakrishnan, Rakamaric, "Portable
 * Inter-workgroup Barrier Synchronisation for GPUs", OOPSLA 2016, with counters in the place of its
 * mutex: see docs/probe.md. */
#ifndef WGTUNE_PROBE_H
#define WGTUNE_PROBE_H

#include "wgtune/adapter.h"
#include "wgtune/tuner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wgt_probe_kernel {
    WGT_PROBE_RESIDENCY = 0,    /* counts resident workgroups while it spins */
    WGT_PROBE_LIVE,             /* the same with `live` f32 values that cannot be dropped */
    WGT_PROBE_READ,             /* vec4<f32> from `bytes` of a buffer, over and over */
    WGT_PROBE_WRITE,
    WGT_PROBE_COPY,
    WGT_PROBE_FMA,              /* eight independent chains an invocation */
    WGT_PROBE_INT,
    WGT_PROBE_TRANSCENDENTAL,
    WGT_PROBE_ATOMIC_SAME,      /* every invocation on one address */
    WGT_PROBE_ATOMIC_SPREAD,    /* each on its own */
    WGT_PROBE_ATOMIC_WORKGROUP, /* in workgroup memory, each on its own */
    WGT_PROBE_EMPTY,            /* does nothing */
    WGT_PROBE_KERNEL_COUNT
} wgt_probe_kernel;
WGT_API const char *wgt_probe_kernel_name(wgt_probe_kernel kernel); /* "residency", ... */

#define WGT_PROBE_MAX_SPANS 8

/* One experiment: make the kernel's pipeline unless it is there, then `spans` timed spans of `batch`
 * dispatches each. */
typedef struct wgt_probe_action {
    uint32_t id;           /* from 1 */
    bool done;             /* nothing more to do; the rest is zero */
    wgt_probe_kernel kernel;
    uint32_t size;         /* invocations a workgroup, along x */
    uint32_t shared_bytes; /* workgroup array; 0: none */
    uint32_t live;         /* LIVE: f32 values */
    uint32_t workgroups;   /* along x */
    uint32_t iterations;   /* of the loop, an invocation; below 60,000 */
    uint32_t batch, spans;
    uint64_t bytes;        /* READ, WRITE, COPY, ATOMIC_SPREAD: of each buffer that is gone over; a power of two */
    uint64_t deadline_ns;  /* how long to wait at most */
} wgt_probe_action;

typedef struct wgt_probe_report {
    uint32_t id;
    wgt_outcome outcome;
    uint64_t peak;    /* most workgroups that were resident at once */
    uint64_t entries; /* workgroups that ran */
    uint64_t sum;     /* of the resident ones, seen at each entry */
    double spans_ns[WGT_PROBE_MAX_SPANS];
    size_t span_count;
    uint64_t compile_ns; /* 0 when the pipeline was there */
    /* the driver's, WGT_UNKNOWN_U64 where it does not tell */
    uint64_t registers, spill_bytes, shared_bytes, subgroup_size;
} wgt_probe_report;

/* What an invocation's uniform holds: {iterations, mask of 16-byte elements, stride, workgroups}. */
WGT_API void wgt_probe_parameters(const wgt_probe_action *action, uint32_t parameters[4]);
/* The WGSL text of an action's kernel (it depends on kernel, size, shared_bytes and live alone), entry
 * point `main`: @group(0) @binding(0) uniform vec4<u32>, 1 counters (storage, read_write, 16 words:
 * active, peak, entries, sum, ended, sink), 2 storage read, 3 storage read_write. Returns the length, or
 * 0 when `capacity` is too small (WGT_PROBE_TEXT_SIZE is enough). NUL-terminated. */
#define WGT_PROBE_TEXT_SIZE 65536
WGT_API size_t wgt_probe_text(const wgt_probe_action *action, char *text, size_t capacity);

typedef enum wgt_confidence {
    WGT_CONFIDENCE_UNKNOWN = 0, /* not found: value is NaN; low and high may still say something */
    WGT_CONFIDENCE_MULTIPLE_OF, /* value is the true number times a whole one that cannot be told */
    WGT_CONFIDENCE_LIKELY,      /* within low and high */
    WGT_CONFIDENCE_CERTAIN      /* nothing else explains what was counted */
} wgt_confidence;
WGT_API const char *wgt_confidence_name(wgt_confidence confidence); /* "unknown", "multiple-of", ... */

typedef enum wgt_sheet_id {
    WGT_SHEET_COMPUTE_UNITS = 0,
    WGT_SHEET_WORKGROUP_SLOTS,
    WGT_SHEET_INVOCATIONS,
    WGT_SHEET_SUBGROUP_SIZE,
    WGT_SHEET_SHARED_BYTES,
    WGT_SHEET_SHARED_GRANULARITY,
    WGT_SHEET_SHARED_RESERVE,
    WGT_SHEET_REGISTERS,
    WGT_SHEET_REGISTER_GRANULARITY,
    WGT_SHEET_READ,
    WGT_SHEET_WRITE,
    WGT_SHEET_COPY,
    WGT_SHEET_CACHE_LEVELS,
    WGT_SHEET_FMA,
    WGT_SHEET_INT,
    WGT_SHEET_TRANSCENDENTAL,
    WGT_SHEET_ATOMIC_SAME,
    WGT_SHEET_ATOMIC_SPREAD,
    WGT_SHEET_ATOMIC_WORKGROUP,
    WGT_SHEET_LAUNCH,
    WGT_SHEET_EMPTY_DISPATCH,
    WGT_SHEET_CLOCK_QUANTUM,
    WGT_SHEET_COUNT
} wgt_sheet_id;

/* One line of the sheet. Unknown numbers are NaN; an unbounded `high` is NaN too. */
typedef struct wgt_sheet_line {
    const char *name, *unit;
    double value, low, high;
    wgt_confidence confidence;
    char method[256]; /* one sentence */
} wgt_sheet_line;

#define WGT_MAX_CACHE_LEVELS 6
typedef struct wgt_cache_level {
    double bytes;    /* the largest size that still ran at this rate; NaN: the last, no end was seen */
    double gb_s;
} wgt_cache_level;

typedef struct wgt_sheet {
    wgt_sheet_line lines[WGT_SHEET_COUNT];
    wgt_cache_level levels[WGT_MAX_CACHE_LEVELS];
    size_t level_count;
    double gpu_ns;       /* of all spans */
    uint64_t compile_ns;
    uint32_t actions;
    bool interrupted;
} wgt_sheet;

/* A sheet on which nothing is known: names, units and methods alone. */
WGT_API void wgt_probe_names(wgt_sheet *sheet);

typedef struct wgt_probe_plan {
    const wgt_adapter *adapter; /* read at init only */
    const wgt_clock *clock;
    uint64_t budget_ns;         /* of spans; 0: 5 s; lines that do not fit in stay unknown */
    bool residency_only;        /* leave the rates out */
} wgt_probe_plan;

typedef struct wgt_probe wgt_probe;
WGT_API size_t wgt_probe_size(void);
/* In the caller's memory, aligned for any type; needs no release. Error: WGT_NO_MEMORY, WGT_USAGE. */
WGT_API wgt_status wgt_probe_init(void *memory, size_t size, const wgt_probe_plan *plan, wgt_probe **probe,
                                  wgt_error *error);
/* The next experiment; the same one again until it was reported. `done` when all is decided. */
WGT_API void wgt_probe_next(wgt_probe *probe, wgt_probe_action *action);
/* Error: WGT_USAGE for another id. */
WGT_API wgt_status wgt_probe_report_take(wgt_probe *probe, const wgt_probe_report *report, wgt_error *error);
/* What is known by now; final once done. */
WGT_API void wgt_probe_sheet(const wgt_probe *probe, wgt_sheet *sheet);
/* For progress: what is being found out ("slots", "sizes", ...), and 0..1. */
WGT_API const char *wgt_probe_phase(const wgt_probe *probe, double *share);

#ifdef __cplusplus
}
#endif
#endif
