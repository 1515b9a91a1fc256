/* wgtune/tuner.h: the tuner, a state machine without I/O.
 *
 * The caller gives memory, a generator of candidates and a plan; wgt_tuner_next() hands out actions,
 * the caller carries them out in any way (synchronously, with await, over a pipe) and tells what came
 * of each with wgt_tuner_report(). Scheduling, batching, racing, budgets, verification, ties and the
 * pick are decided here and nowhere else. Deterministic: the same plan and the same reports give the
 * same actions. Pure: no heap, file, clock, thread, GPU or libm. */
#ifndef WGTUNE_TUNER_H
#define WGTUNE_TUNER_H

#include "wgtune/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wgt_action_kind {
    WGT_ACTION_COMPILE = 0, /* make the pipeline of `candidate` */
    WGT_ACTION_RUN,         /* `samples` timed spans of `batch` dispatches each */
    WGT_ACTION_VERIFY,      /* one dispatch from the initial state; hash every output */
    WGT_ACTION_COMPARE,     /* the outputs of `candidate` and `other`, by the job's check */
    WGT_ACTION_COUNT,       /* the resident workgroups of `candidate`, in a run of its own */
    WGT_ACTION_DONE
} wgt_action_kind;
WGT_API const char *wgt_action_kind_name(wgt_action_kind kind); /* "compile", "run", ... */

/* `other` of a compare: the job's reference output instead of a candidate's. */
#define WGT_REFERENCE UINT32_MAX
/* The most spans that one action asks for. */
#define WGT_MAX_SPANS 16

typedef struct wgt_action {
    uint64_t id;             /* from 1, one higher each */
    wgt_action_kind kind;
    uint32_t candidate;      /* the generator's index */
    uint32_t other;          /* compare: the other candidate, or WGT_REFERENCE */
    uint32_t batch;          /* run: dispatches in a span */
    uint32_t samples;        /* run: spans; at most WGT_MAX_SPANS. Together they make one sample of the
                                round */
    uint32_t divide;         /* run: dispatch only wgt_action_workgroups (to learn how long a whole one
                                would take before risking it); 1: all */
    bool warm_up;            /* run: not a sample of the result */
    uint64_t deadline_ns;    /* how long the caller should wait at most */
} wgt_action;

/* The workgroups that a run with `divide` dispatches of a candidate's: all of them, or about 1/divide, cut
 * from the outermost axis inwards, at least one an axis. */
WGT_API void wgt_action_workgroups(const wgt_action *action, const wgt_candidate *candidate,
                                   uint64_t workgroups[3]);

typedef enum wgt_outcome {
    WGT_OUTCOME_OK = 0,
    WGT_OUTCOME_REJECTED,    /* the engine refused the pipeline: a validation error */
    WGT_OUTCOME_FAILED,      /* an error at run time */
    WGT_OUTCOME_TIMEOUT,
    WGT_OUTCOME_LOST,
    WGT_OUTCOME_CRASHED,
    WGT_OUTCOME_INTERRUPTED  /* the user wants to stop: finish with what is there */
} wgt_outcome;
WGT_API const char *wgt_outcome_name(wgt_outcome outcome); /* "ok", "rejected", ... */

typedef struct wgt_report {
    uint64_t id;             /* of the action */
    wgt_outcome outcome;
    const double *spans_ns;  /* run and verify: raw spans, not divided by the batch */
    size_t span_count;
    uint64_t compile_ns;     /* compile */
    wgt_hash hash;           /* verify: of all outputs; compile: of the compiled text */
    bool unchanged;          /* verify: an output stayed as it was, poison or initial state */
    bool equal;              /* compare: within the job's check */
    uint64_t resident;       /* count: the peak of resident workgroups */
    uint64_t registers, spill_bytes, shared_bytes; /* compile: the driver's, WGT_UNKNOWN_U64 if unknown */
    const char *message;     /* why not ok; NULL: none */
    uint64_t now_ns;         /* the caller's monotone clock when the action ended */
} wgt_report;

typedef struct wgt_plan {
    wgt_generator generator;
    const wgt_limits *limits;
    uint32_t constant_count;
    /* The author's default of each constant (NaN: none), and what was remembered (NULL: nothing). */
    const double *defaults;
    const double *remembered;
    double tolerance;        /* of ties; 0: 0.02 */
    uint64_t budget_ns;      /* of the caller's clock, compile time included; 0: none */
    uint32_t max_rounds;     /* 0: 32 */
    double quantum_ns;       /* of the clock; 0: unknown or continuous */
    bool wall_clock;         /* spans come from the caller's clock, not from timestamps */
    bool batchable;          /* a second dispatch does the same work */
    bool divisible;          /* a part of the workgroups does a part of the work */
    bool has_reference;      /* outputs are compared with the job's reference */
    bool exact;              /* the check is bitwise: other hash means other output, no compare needed */
    bool unverified;         /* the job has no outputs to check */
    bool unchanged_ok;
    bool count_residency;    /* ask for COUNT actions on the candidates that were timed */
    uint64_t seed;           /* of the orders */
    uint64_t max_dispatch_ns;/* no dispatch above it; 0: 500 ms */
    uint32_t open_compiles;  /* how many compile actions may be open at once; 0: 1 */
    bool warm;               /* the spans are of a device that is warm already (a recording): no warm-up */
    bool no_racing;          /* max_rounds samples of every candidate, whatever they say */
} wgt_plan;

typedef struct wgt_tuner wgt_tuner;

/* How many bytes wgt_tuner_init needs; 0 when the plan is impossible (no candidates, too many). */
WGT_API size_t wgt_tuner_size(const wgt_plan *plan);
/* Makes a tuner in the caller's memory (aligned for any type; it needs no release). The plan is
 * copied; what it points to must outlive the tuner. `now_ns`: the caller's clock at the start.
 * Errors: WGT_USAGE (an impossible plan), WGT_NO_MEMORY. */
WGT_API wgt_status wgt_tuner_init(void *memory, size_t size, const wgt_plan *plan, uint64_t now_ns,
                                  wgt_tuner **tuner, wgt_error *error);
/* The next thing to do. false: nothing until an open action is reported. WGT_ACTION_DONE is handed out
 * again and again once all is decided. Open compiles may overlap; at most one other action is open. */
WGT_API bool wgt_tuner_next(wgt_tuner *tuner, wgt_action *action);
/* Errors: WGT_USAGE for an id that is not open or spans that are not what was asked for. */
WGT_API wgt_status wgt_tuner_report(wgt_tuner *tuner, const wgt_report *report, wgt_error *error);

/* For progress: what is being done and how far it is, 0..1 (an estimate). */
typedef struct wgt_progress {
    const char *phase;       /* "compile", "verify", "warm up", "measure", "count", "done" */
    uint32_t done, total;    /* within the phase */
    uint32_t round, live;
} wgt_progress;
WGT_API void wgt_tuner_progress(const wgt_tuner *tuner, wgt_progress *progress);

typedef enum wgt_tie { WGT_TIE_UNDECIDED = 0, WGT_TIE_IN, WGT_TIE_OUT, WGT_TIE_UNKNOWN } wgt_tie;
WGT_API const char *wgt_tie_name(wgt_tie tie); /* "in", "out", "undecided"; NULL for unknown */

typedef enum wgt_verified { WGT_VERIFIED_NOT = 0, WGT_VERIFIED_REFERENCE, WGT_VERIFIED_AGREEMENT } wgt_verified;

/* What is known of one candidate. Unknown numbers are NaN or WGT_UNKNOWN_U64. */
typedef struct wgt_candidate_result {
    wgt_candidate candidate;       /* its status and reason are the final ones */
    uint32_t samples, batch;       /* valid samples; the batch of the last one */
    double median_ns;              /* a run: span divided by batch */
    double interval_ns[2];         /* 95 % for the median by order statistics; NaN below 6 samples */
    /* To the lowest median, by the midmean of the logarithms' differences, paired by rounds. The interval is two
     * standard errors to either side, 95 %; its upper bound is to everybody who may really be the best, since
     * the lowest median need not be. The error counts what more rounds do not average: 0.1 % and a quarter
     * of the clock's step. NaN: no round in common. */
    double ratio, ratio_interval[2];
    wgt_tie tie;                   /* once the race is decided its pick is in, and who was dropped out */
    uint64_t compile_ns;
    wgt_hash compiled_hash;
    wgt_verified verified;
    uint32_t masked_lanes;
    uint64_t resident;
    uint64_t registers, spill_bytes, shared_bytes;
} wgt_candidate_result;

typedef enum wgt_pick_reason {
    WGT_PICK_NONE = 0, WGT_PICK_FASTEST, WGT_PICK_TIE_KEPT, WGT_PICK_TIE_PORTABLE, WGT_PICK_TIE_AUTHOR,
    WGT_PICK_TIE_SMALLEST, WGT_PICK_ONLY, WGT_PICK_DEFAULT
} wgt_pick_reason;
WGT_API const char *wgt_pick_reason_name(wgt_pick_reason reason); /* "fastest", "tie-kept", ... */

typedef struct wgt_pick {
    wgt_pick_reason reason;        /* NONE: there is no pick */
    uint32_t candidate;            /* index */
    double speedup_over_default;   /* default's median ÷ pick's; NaN when the default was not timed */
    double speedup_over_worst;
} wgt_pick;

typedef enum wgt_shape {
    WGT_SHAPE_NONE = 0, WGT_SHAPE_FLAT, WGT_SHAPE_PLATEAU, WGT_SHAPE_PEAK, WGT_SHAPE_CLIMB, WGT_SHAPE_FALL,
    WGT_SHAPE_JAGGED, WGT_SHAPE_UNRANKED
} wgt_shape;
WGT_API const char *wgt_shape_name(wgt_shape shape); /* NULL for NONE */

typedef struct wgt_summary {
    wgt_pick pick;
    wgt_pick portable_pick;        /* among candidates legal under WebGPU's default limits */
    uint32_t fastest;              /* index of the lowest median; UINT32_MAX: none */
    wgt_shape shape;
    bool interrupted, out_of_budget;
    bool clock_failed;             /* spans never resolved: nothing can be said */
    uint32_t rounds, live;         /* rounds measured; candidates still live at the end */
    uint32_t samples;              /* over all candidates, without warm-up */
    double gpu_ns;                 /* spans of everything that ran, warm-up and verification included */
    uint64_t compile_ns;           /* sum over candidates */
    uint64_t wall_ns;              /* from init to the last report */
    char reason[WGT_REASON_SIZE];  /* why there is no pick; empty when there is one */
} wgt_summary;

/* Of any moment; final once DONE was handed out. `subgroup_width` for masked lanes (0: unknown). */
WGT_API void wgt_tuner_summary(wgt_tuner *tuner, wgt_summary *summary);
/* Errors: WGT_USAGE for an index out of range. */
WGT_API wgt_status wgt_tuner_candidate(wgt_tuner *tuner, uint32_t index, uint32_t subgroup_width,
                                       wgt_candidate_result *result);

/* Resident workgroups a compute unit from the count of the whole device: the nearest whole number where that is within
 * 0.15 (`exact`), else the quotient to two decimals; NaN for unknown. */
typedef struct wgt_resident_unit {
    double workgroups;
    bool exact;
} wgt_resident_unit;
WGT_API wgt_resident_unit wgt_resident_per_unit(uint64_t resident, double compute_units);

/* The preference among candidates that are equally fast, without any measuring: returns the index of
 * the preferred among `count` candidates (those with include[i], NULL: all) and why, by the rule:
 * the remembered; else 128 invocations with the author's defaults for constants that do not set the
 * size; else the author's default; else the fewest invocations, then the smallest constants in order.
 * UINT32_MAX when there is none. */
WGT_API uint32_t wgt_prefer(const wgt_generator *generator, const bool *include, uint32_t constant_count,
                            const double *defaults, const double *remembered, wgt_pick_reason *reason);

#ifdef __cplusplus
}
#endif
#endif
