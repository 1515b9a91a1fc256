/* A simulated device for the tuner's tests: it carries out actions in virtual time, with a truth
 * that the tuner is not told. */
#ifndef TESTS_CORE_SIM_H
#define TESTS_CORE_SIM_H

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "wgtune/tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM_MAX 64
#define SIM_LOG 50000

typedef struct sim_walk {
    const double *residuals; /* recorded samples over their median, in the order of the rounds */
    size_t count, at;
} sim_walk;

typedef struct sim_candidate {
    double constants[4];
    uint32_t workgroup[3];
    uint64_t workgroup_bytes, workgroups[3];
    double run_ns, fixed_ns; /* a dispatch takes fixed_ns + run_ns */
    double first_ns;         /* on top of the very first one: a driver that compiles lazily */
    double compile_ns;
    double noise;    /* of a span, relative; 0: that of the simulation */
    uint64_t output; /* equal numbers: equal bytes */
    double value;    /* outputs are close when these differ by at most 0.5 */
    bool unchanged;
    bool blind; /* its spans never resolve */
    wgt_outcome on_compile, on_run, on_verify, on_compare, on_count;
    uint32_t fails_in_round; /* on_run only from this measured sample on */
    sim_walk walk;
} sim_candidate;

typedef struct sim {
    sim_candidate candidates[SIM_MAX];
    uint32_t count, constant_count;
    wgt_limits limits;
    double defaults[4], remembered[4];
    wgt_plan plan;
    double reference; /* value of the reference */

    uint64_t seed, draws;
    double noise; /* standard deviation of a span, relative */
    double outlier_rate, outlier_size;
    double drift;       /* amplitude of a slow swing that all share */
    double ramp;        /* how many times slower everything is at first */
    double overhead_ns; /* of an action on the caller's clock */
    double quantum_ns;  /* of the clock */
    bool zero_spans;
    uint64_t interrupt_at; /* the action of this id is interrupted; 0: none */

    uint64_t now_ns;
    double busy_ns;   /* GPU time so far */
    double sample_ns; /* spans of the measured samples */
    uint32_t measured[SIM_MAX], compiled[SIM_MAX], warm[SIM_MAX], verified[SIM_MAX],
        compared[SIM_MAX], counted[SIM_MAX];
    double longest_ns; /* span */
    wgt_action log[SIM_LOG];
    size_t log_count;

    wgt_tuner *tuner;
    void *memory;
    wgt_summary summary;
    wgt_error error;
} sim;

static void sim_get(void *user, uint32_t index, wgt_candidate *candidate) {
    const sim *s = user;
    const sim_candidate *c = &s->candidates[index];
    memset(candidate, 0, sizeof *candidate);
    memcpy(candidate->constants, c->constants, sizeof c->constants);
    memcpy(candidate->workgroup, c->workgroup, sizeof c->workgroup);
    memcpy(candidate->workgroups, c->workgroups, sizeof c->workgroups);
    candidate->workgroup_bytes = c->workgroup_bytes;
}

/* Sixteen sizes of a 1-D kernel whose outputs agree. */
static const uint32_t sim_sizes[] = {32,  64,  96,  128, 160, 192, 224, 256,
                                     320, 384, 448, 512, 640, 768, 896, 1024};

static inline sim *sim_create(uint32_t count) {
    sim *s = calloc(1, sizeof *s);
    s->count = count;
    s->constant_count = 1;
    s->limits = wgt_limits_portable();
    s->limits.max_compute_invocations_per_workgroup = 1024;
    s->limits.max_compute_workgroup_size_x = 1024;
    s->limits.max_compute_workgroup_size_y = 1024;
    s->limits.max_compute_workgroup_storage_size = 49152;
    s->defaults[0] = 256;
    for (uint32_t i = 1; i < 4; i++)
        s->defaults[i] = wgt_nan();
    s->overhead_ns = 60e3;
    s->seed = 1;
    for (uint32_t i = 0; i < count; i++) {
        sim_candidate *c = &s->candidates[i];
        c->constants[0] = c->workgroup[0] = i < 16 ? sim_sizes[i] : i + 1;
        c->workgroup[1] = c->workgroup[2] = 1;
        c->workgroups[0] = wgt_div_ceil_u64(1u << 20, c->workgroup[0]);
        c->workgroups[1] = c->workgroups[2] = 1;
        c->run_ns = 1e6;
        c->compile_ns = 1e6;
        c->output = 7;
    }
    s->plan.generator.count = count;
    s->plan.generator.get = sim_get;
    s->plan.generator.user = s;
    s->plan.limits = &s->limits;
    s->plan.constant_count = 1;
    s->plan.defaults = s->defaults;
    s->plan.batchable = true;
    s->plan.exact = true;
    s->plan.seed = 1;
    return s;
}

static inline void sim_destroy(sim *s) {
    if (s != NULL)
        free(s->memory);
    free(s);
}

static double sim_uniform(sim *s) {
    return (double)(wgt_random_u64(s->seed, s->draws++) >> 11) * 0x1p-53;
}

static double sim_normal(sim *s) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += sim_uniform(s);
    return sum;
}

/* The next recorded residual; at the end of the recording the walk starts again elsewhere. */
static double sim_step(sim *s, sim_walk *walk) {
    if (walk->at >= walk->count)
        walk->at = (size_t)(sim_uniform(s) * (double)walk->count);
    return walk->residuals[walk->at++];
}

static double sim_span(sim *s, uint32_t index, double share, uint32_t batch) {
    sim_candidate *c = &s->candidates[index];
    double span = (c->fixed_ns + c->run_ns * share) * batch;
    double noise = c->noise > 0 ? c->noise : s->noise;
    span += c->first_ns;
    c->first_ns = 0;
    if (c->walk.count > 0)
        span *= sim_step(s, &c->walk);
    span *= 1 + noise * sim_normal(s);
    if (s->outlier_rate > 0 && sim_uniform(s) < s->outlier_rate)
        span *= s->outlier_size;
    span *= 1 + s->drift * wgt_sin(s->busy_ns * 1e-8);
    span *= 1 + s->ramp * wgt_exp(-s->busy_ns / 30e6);
    s->busy_ns += span;
    s->longest_ns = span > s->longest_ns ? span : s->longest_ns;
    s->now_ns += (uint64_t)span;
    if (s->zero_spans || c->blind)
        return 0;
    if (s->quantum_ns > 0) {
        double phase = sim_uniform(s);
        span = wgt_floor(span / s->quantum_ns + phase) * s->quantum_ns;
    }
    return span;
}

static double sim_share(const sim *s, const wgt_action *action) {
    const sim_candidate *c = &s->candidates[action->candidate];
    wgt_candidate candidate;
    uint64_t part[3];
    double share = 1;
    sim_get((void *)(uintptr_t)s, action->candidate, &candidate);
    wgt_action_workgroups(action, &candidate, part);
    for (unsigned axis = 0; axis < 3; axis++)
        share *= (double)part[axis] / (double)c->workgroups[axis];
    return share;
}

/* Carries an action out. `spans` holds WGT_MAX_SPANS. */
static void sim_execute(sim *s, const wgt_action *action, double *spans, wgt_report *report) {
    sim_candidate *c = &s->candidates[action->candidate];
    memset(report, 0, sizeof *report);
    report->id = action->id;
    report->spans_ns = spans;
    report->resident = report->registers = report->spill_bytes = report->shared_bytes =
        WGT_UNKNOWN_U64;
    switch (action->kind) {
    case WGT_ACTION_COMPILE:
        s->compiled[action->candidate]++;
        report->outcome = c->on_compile;
        report->compile_ns = (uint64_t)c->compile_ns;
        report->hash.low = action->candidate + 1;
        s->now_ns += (uint64_t)c->compile_ns;
        break;
    case WGT_ACTION_RUN:
        if (action->warm_up)
            s->warm[action->candidate]++;
        else
            s->measured[action->candidate]++;
        if (c->on_run != WGT_OUTCOME_OK && s->measured[action->candidate] >= c->fails_in_round &&
            action->divide == 1) {
            report->outcome = c->on_run;
            break;
        }
        for (uint32_t i = 0; i < action->samples; i++) {
            spans[i] = sim_span(s, action->candidate, sim_share(s, action), action->batch);
            s->sample_ns += action->warm_up ? 0 : spans[i];
        }
        report->span_count = action->samples;
        break;
    case WGT_ACTION_VERIFY:
        s->verified[action->candidate]++;
        report->outcome = c->on_verify;
        spans[0] = sim_span(s, action->candidate, 1, 1);
        report->span_count = 1;
        report->hash.high = 1;
        report->hash.low = c->output;
        report->unchanged = c->unchanged;
        break;
    case WGT_ACTION_COMPARE: {
        double other =
            action->other == WGT_REFERENCE ? s->reference : s->candidates[action->other].value;
        s->compared[action->candidate]++;
        report->outcome = c->on_compare;
        report->equal = wgt_abs(c->value - other) <= 0.5;
        report->message = report->equal ? NULL : "grid[3]: 5, not 6";
        break;
    }
    case WGT_ACTION_COUNT:
        s->counted[action->candidate]++;
        report->outcome = c->on_count;
        report->resident = 100 + action->candidate;
        break;
    case WGT_ACTION_DONE:
        break;
    }
    if (action->id == s->interrupt_at)
        report->outcome = WGT_OUTCOME_INTERRUPTED;
    if (report->outcome == WGT_OUTCOME_TIMEOUT)
        s->now_ns += action->deadline_ns;
    s->now_ns += (uint64_t)s->overhead_ns;
    report->now_ns = s->now_ns;
}

static inline wgt_status sim_start(sim *s) {
    size_t size = wgt_tuner_size(&s->plan);
    free(s->memory);
    s->memory = malloc(size > 0 ? size : 1);
    memset(s->memory, 0xA5, size > 0 ? size : 1); /* what init leaves out shows */
    s->tuner = NULL;
    return wgt_tuner_init(s->memory, size, &s->plan, s->now_ns, &s->tuner, &s->error);
}

/* One action after the other until all is done. */
static inline void sim_run(sim *s) {
    wgt_action action;
    wgt_report report;
    double spans[WGT_MAX_SPANS];
    if (s->tuner == NULL && sim_start(s) != WGT_OK) {
        fprintf(stderr, "%s\n", s->error.message);
        abort();
    }
    while (wgt_tuner_next(s->tuner, &action) && action.kind != WGT_ACTION_DONE) {
        if (s->log_count < SIM_LOG)
            s->log[s->log_count++] = action;
        sim_execute(s, &action, spans, &report);
        if (wgt_tuner_report(s->tuner, &report, &s->error) != WGT_OK) {
            fprintf(stderr, "%s\n", s->error.message);
            abort();
        }
    }
    wgt_tuner_summary(s->tuner, &s->summary);
}

static inline wgt_candidate_result sim_result(sim *s, uint32_t index) {
    wgt_candidate_result result;
    if (wgt_tuner_candidate(s->tuner, index, 32, &result) != WGT_OK)
        abort();
    return result;
}

#endif
