/* What the tuner knows, for its own files only. The order of work: compile → check (how long a
 * dispatch takes, whether its output is right) → warm up → measure → count → done. */
#ifndef WGT_CORE_TUNER_STATE_H
#define WGT_CORE_TUNER_STATE_H

#include "wgtune/tuner.h"

#define WGT_MAX_CANDIDATES 65536u
#define WGT_MAX_OPEN_COMPILES 256u
#define WGT_NO_CANDIDATE UINT32_MAX

typedef enum wgt_phase {
    WGT_PHASE_COMPILE = 0,
    WGT_PHASE_CHECK,
    WGT_PHASE_WARM_UP,
    WGT_PHASE_MEASURE,
    WGT_PHASE_COUNT,
    WGT_PHASE_DONE
} wgt_phase;

/* How far the candidate at the cursor of the check phase is. */
typedef enum wgt_check_step {
    WGT_CHECK_SIXTYFOURTH = 0,
    WGT_CHECK_EIGHTH,
    WGT_CHECK_VERIFY,
    WGT_CHECK_COMPARE
} wgt_check_step;

/* The races that run side by side over the same rounds: for the pick among all, and for the pick
 * among those that are legal under WebGPU's default limits. */
enum { WGT_RACE_ALL = 0, WGT_RACE_PORTABLE, WGT_RACES };

typedef struct wgt_entrant {
    wgt_hash output, compiled;
    uint64_t compile_ns, resident, registers, spill_bytes, shared_bytes;
    double run_ns;      /* one whole dispatch, as last seen; NaN: unknown */
    double previous_ns; /* the same of the warm-up round before */
    double location;    /* of the race: of the logarithms of its times */
    double scale;       /* spread of its samples as seen, in logarithms; NaN: unknown */
    double spread;      /* the same as is safe to reckon with */
    double step;        /* of the clock, relative to one of its spans */
    double ratio, ratio_low, ratio_high; /* to the best, in logarithms */
    double median_ns;
    uint32_t group; /* the first candidate with this output; WGT_NO_CANDIDATE: none yet */
    uint32_t invocations;
    uint32_t samples;          /* valid ones of the measured rounds */
    uint32_t spans;            /* that these are made of */
    uint32_t batch;            /* of its last sample */
    uint8_t status;            /* wgt_candidate_status */
    uint8_t verified;          /* wgt_verified */
    uint8_t repeats;           /* spans that make one sample */
    uint8_t preference;        /* wgt_pick_reason: KEPT, PORTABLE, AUTHOR or SMALLEST */
    uint8_t tie[WGT_RACES];    /* wgt_tie */
    bool entered[WGT_RACES];   /* takes part in that race at all */
    bool beaten[WGT_RACES];    /* certainly slower than that race's tie */
    bool set_aside[WGT_RACES]; /* at the very edge of it: no number of rounds will tell */
    bool made;                 /* its pipeline is there */
    bool fit;                  /* dispatched once and not known to be wrong */
    bool counted;              /* its residency was asked for */
    char reason[WGT_REASON_SIZE];
} wgt_entrant;

typedef struct wgt_constants_seen {
    uint32_t varying, sizing; /* bit k: constant k varies; the workgroup size depends on it */
} wgt_constants_seen;

typedef struct wgt_race {
    bool decided;
    uint32_t winner;  /* once decided: preferred, and no slower than the tolerance than anybody */
    bool unranked;    /* noise cannot tell who is slower; of the last judging, as what follows */
    uint32_t fastest; /* WGT_NO_CANDIDATE: nobody was timed */
} wgt_race;

struct wgt_tuner {
    wgt_plan plan; /* defaults filled in */
    wgt_constants_seen seen;
    uint64_t start_ns, now_ns, action_start_ns;
    uint64_t last_id, done_id;
    wgt_phase phase;
    wgt_action *open; /* compiles, and at most one other */
    uint32_t open_count, open_other;

    uint32_t *order; /* candidates that can be, in the order of compiling; later those of a round */
    uint32_t order_count, cursor;
    wgt_check_step check_step;
    uint32_t compare_with; /* position in `order` of the next group to compare with */
    double part_ns;        /* what the 64th part took */
    bool part_repeated;

    uint32_t batch;
    uint32_t warm_rounds, blind_rounds, agreeing, warm_spans;
    double warm_gpu_ns;
    uint64_t warm_start_ns, blind_wall_ns, warm_left_ns;

    uint32_t round; /* complete ones */
    bool in_round;
    uint64_t round_start_ns, round_wall_ns;
    uint32_t round_entrants; /* of the last complete round */

    wgt_race races[WGT_RACES];
    double pooled; /* spread of one sample, typical of the candidates, in logarithms */
    bool interrupted, out_of_budget, clock_failed, judged;
    double gpu_ns;
    uint64_t compile_ns;

    wgt_entrant *entrants;
    double *samples;    /* [candidate][round], a run in ns; NaN: none */
    double *scratch[3]; /* as many as candidates or rounds, whichever is more */
};

/* tuner.c */
static inline bool wgt_is_live(const wgt_entrant *e) {
    return e->status == WGT_CANDIDATE_OK && e->fit;
}
/* Takes part in what is still to be measured. */
bool wgt_is_needed(const wgt_tuner *t, const wgt_entrant *e);
uint32_t wgt_live_count(const wgt_tuner *t);
uint32_t wgt_rounds_used(const wgt_tuner *t); /* with the one that runs */
double *wgt_samples_of(const wgt_tuner *t, uint32_t index);
/* Takes a candidate out. */
void wgt_take_out(wgt_tuner *t, uint32_t index, wgt_candidate_status status, const char *format,
                  ...) WGT_PRINTF(4, 5);
/* Takes a candidate out for what came of an action. */
void wgt_take_out_by_report(wgt_tuner *t, const wgt_action *action, const wgt_report *report);
/* Opens an action; `expected_ns` is how long its longest span should take (0: cannot be told). */
void wgt_open_action(wgt_tuner *t, wgt_action *action, double expected_ns);
double wgt_budget_left(const wgt_tuner *t); /* ns, below 0 when overdrawn; infinite without one */
/* Whether more than this share of the budget is spent; sets out_of_budget then. */
bool wgt_budget_spent(wgt_tuner *t, double share);
double wgt_valid_span(double span_ns); /* NaN for what is no time */
void wgt_finish(wgt_tuner *t);

/* prepare.c */
void wgt_order_compiles(wgt_tuner *t);
bool wgt_next_compile(wgt_tuner *t, wgt_action *action);
void wgt_report_compile(wgt_tuner *t, const wgt_action *action, const wgt_report *report);

/* check.c */
bool wgt_next_check(wgt_tuner *t, wgt_action *action);
void wgt_report_part(wgt_tuner *t, const wgt_action *action, const wgt_report *report);
void wgt_report_verify(wgt_tuner *t, const wgt_action *action, const wgt_report *report);
void wgt_report_compare(wgt_tuner *t, const wgt_action *action, const wgt_report *report);

/* measure.c */
void wgt_begin_measuring(wgt_tuner *t);
bool wgt_next_sample(wgt_tuner *t, wgt_action *action);
void wgt_report_run(wgt_tuner *t, const wgt_action *action, const wgt_report *report);
/* Spans that a sample must consist of for the clock's steps not to matter. */
uint32_t wgt_repeats_for_clock(const wgt_tuner *t, const wgt_entrant *e);

/* race.c */
/* The difference of two candidates' log-times over the rounds that both were in, and its error. */
typedef struct wgt_pair {
    double difference, error;
    double lasting; /* the part of the error that rounds do not average */
    uint32_t rounds;
    bool resolved; /* the error will not get smaller with more rounds */
} wgt_pair;
wgt_pair wgt_compare_pair(const wgt_tuner *t, uint32_t a, uint32_t b);
/* Locations and scales of all that have samples. */
void wgt_race_locate(wgt_tuner *t);
/* Drops who is beaten, and asks for more spans where that may decide; true when every race is
 * decided. */
bool wgt_race_look(wgt_tuner *t);
/* A candidate failed that others may have been dropped for: everything is open again. */
void wgt_race_reopen(wgt_tuner *t);
/* Fills ties, ratios, medians and each race's fastest from what is known now. */
void wgt_race_judge(wgt_tuner *t);

/* prefer.c */
wgt_constants_seen wgt_constants_look(const wgt_generator *generator, uint32_t constant_count);
wgt_pick_reason wgt_preference_of(const wgt_candidate *candidate, wgt_constants_seen seen,
                                  uint32_t constant_count, const double *defaults,
                                  const double *remembered);
bool wgt_is_default(const wgt_candidate *candidate, wgt_constants_seen seen,
                    uint32_t constant_count, const double *defaults);
uint32_t wgt_invocations(const wgt_candidate *candidate); /* UINT32_MAX where it does not fit */
/* Whether a comes before b. */
bool wgt_prefers(const wgt_tuner *t, uint32_t a, uint32_t b);

/* shape.c */
wgt_shape wgt_shape_of(const wgt_tuner *t);

#endif
