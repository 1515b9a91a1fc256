#include "wgtune/result.h"
#include "adapter_json.h"
#include "../base/hash.h"
#include "../base/json.h"
#include "../base/number.h"
#include <string.h>

#define ENTRY_FORMAT 1

static void put_text(wgt_json_writer *w, const char *key, wgt_str text) {
    wgt_json_key(w, key);
    if (text.size == 0) {
        wgt_json_null(w);
    } else {
        wgt_json_string(w, text);
    }
}

static void put_word(wgt_json_writer *w, const char *key, const char *word) {
    wgt_json_key(w, key);
    wgt_json_cstring(w, word);
}

static void put_number(wgt_json_writer *w, const char *key, double value) {
    wgt_json_key(w, key);
    wgt_json_number(w, value);
}

static void put_u64(wgt_json_writer *w, const char *key, uint64_t value) {
    wgt_json_key(w, key);
    wgt_json_write_u64(w, value);
}

static void put_bool(wgt_json_writer *w, const char *key, bool value) {
    wgt_json_key(w, key);
    wgt_json_bool(w, value);
}

/* A hash of nothing but zeros stands for an unknown one. */
static void put_hash(wgt_json_writer *w, const char *key, wgt_hash hash) {
    char text[WGT_HASH_TEXT_SIZE];
    wgt_json_key(w, key);
    if (hash.high == 0 && hash.low == 0) {
        wgt_json_null(w);
        return;
    }
    wgt_hash_format(hash, text);
    wgt_json_cstring(w, text);
}

static void put_interval(wgt_json_writer *w, const char *key, const double interval[2]) {
    wgt_json_key(w, key);
    if (wgt_is_nan(interval[0]) || wgt_is_nan(interval[1])) {
        wgt_json_null(w);
        return;
    }
    wgt_json_begin_inline_array(w);
    wgt_json_number(w, interval[0]);
    wgt_json_number(w, interval[1]);
    wgt_json_end_array(w);
}

static void put_problem(wgt_json_writer *w, const wgt_named *problem, size_t count) {
    wgt_json_key(w, "problem");
    wgt_json_begin_inline_object(w);
    for (size_t i = 0; i < count; i++) {
        wgt_json_key_str(w, problem[i].name);
        wgt_json_number(w, problem[i].value);
    }
    wgt_json_end_object(w);
}

static void put_constants(wgt_json_writer *w, const wgt_result *r, const wgt_candidate *c) {
    wgt_json_begin_inline_object(w);
    for (size_t i = 0; i < r->constant_count; i++) {
        wgt_json_key_str(w, r->constant_names[i]);
        wgt_json_number(w, c->constants[i]);
    }
    wgt_json_end_object(w);
}

static void put_key(wgt_json_writer *w, const wgt_result *r) {
    wgt_key key;
    wgt_key_of_result(&key, r);
    const struct {
        const char *name;
        wgt_str text;
    } texts[] = {{"vendor", key.vendor},   {"architecture", key.architecture}, {"device", key.device},
                 {"driver", key.driver},   {"backend", key.backend},           {"engine", key.engine},
                 {"engine_version", key.engine_version}};
    wgt_json_key(w, "key");
    wgt_json_begin_object(w);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_text(w, texts[i].name, texts[i].text);
    }
    put_u64(w, "vendor_id", key.vendor_id == 0 ? WGT_UNKNOWN_U64 : key.vendor_id);
    put_u64(w, "device_id", key.device_id == 0 ? WGT_UNKNOWN_U64 : key.device_id);
    put_hash(w, "source", key.source);
    put_text(w, "entry", key.entry);
    put_problem(w, key.problem, key.problem_count);
    put_text(w, "space", key.space);
    wgt_json_end_object(w);
}

static void put_job(wgt_json_writer *w, const wgt_result *r) {
    wgt_json_key(w, "job");
    wgt_json_begin_object(w);
    put_text(w, "name", r->job_name);
    put_text(w, "kernel", r->kernel);
    put_text(w, "entry", r->entry);
    put_problem(w, r->problem, r->problem_count);
    put_hash(w, "hash", r->hash);
    wgt_json_key(w, "constants");
    wgt_json_begin_inline_array(w);
    for (size_t i = 0; i < r->constant_count; i++) {
        wgt_json_string(w, r->constant_names[i]);
    }
    wgt_json_end_array(w);
    put_text(w, "space", r->space);
    wgt_json_end_object(w);
}

/* A count near a whole number a unit is that number: workgroups end while others start. Where the whole dispatch fitted,
 * it says what was needed, not what would fit. */
static void put_residency(wgt_json_writer *w, const wgt_result *r, const wgt_candidate_result *c) {
    wgt_json_key(w, "residency");
    if (c->resident == WGT_UNKNOWN_U64) {
        wgt_json_null(w);
        return;
    }
    const uint64_t *n = c->candidate.workgroups;
    wgt_json_begin_inline_object(w);
    put_u64(w, "workgroups", c->resident);
    const wgt_resident_unit unit = wgt_resident_per_unit(c->resident, r->compute_units);
    put_number(w, "per_unit", unit.workgroups);
    put_bool(w, "exact", unit.exact && (double)c->resident < (double)n[0] * (double)n[1] * (double)n[2]);
    wgt_json_end_object(w);
}

static void put_against_best(wgt_json_writer *w, const wgt_candidate_result *c) {
    wgt_json_key(w, "vs_best");
    if (wgt_is_nan(c->ratio) && c->tie == WGT_TIE_UNKNOWN) {
        wgt_json_null(w);
        return;
    }
    wgt_json_begin_inline_object(w);
    put_number(w, "ratio", c->ratio);
    put_interval(w, "interval", c->ratio_interval);
    put_word(w, "tie", wgt_tie_name(c->tie));
    wgt_json_end_object(w);
}

static void put_verified(wgt_json_writer *w, wgt_verified verified) {
    static const char *const words[] = {NULL, "reference", "agreement"};
    wgt_json_key(w, "verified");
    if (verified == WGT_VERIFIED_NOT) {
        wgt_json_bool(w, false);
    } else {
        wgt_json_cstring(w, words[verified]);
    }
}

static void put_triple(wgt_json_writer *w, const char *key, uint64_t x, uint64_t y, uint64_t z) {
    wgt_json_key(w, key);
    wgt_json_begin_inline_array(w);
    wgt_json_write_u64(w, x);
    wgt_json_write_u64(w, y);
    wgt_json_write_u64(w, z);
    wgt_json_end_array(w);
}

static void put_candidate(wgt_json_writer *w, const wgt_result *r, const wgt_candidate_result *c) {
    const wgt_candidate *k = &c->candidate;
    wgt_json_begin_object(w);
    wgt_json_key(w, "constants");
    put_constants(w, r, k);
    put_triple(w, "workgroup", k->workgroup[0], k->workgroup[1], k->workgroup[2]);
    put_u64(w, "workgroup_bytes", k->workgroup_bytes);
    put_triple(w, "workgroups", k->workgroups[0], k->workgroups[1], k->workgroups[2]);
    put_word(w, "status", wgt_candidate_status_name(k->status));
    put_text(w, "reason", wgt_str_from(k->reason));
    put_u64(w, "samples", c->samples);
    put_u64(w, "batch", c->batch == 0 ? WGT_UNKNOWN_U64 : c->batch);
    put_number(w, "median_ns", c->median_ns);
    put_interval(w, "interval_ns", c->interval_ns);
    put_u64(w, "compile_ns", c->compile_ns);
    put_hash(w, "compiled_hash", c->compiled_hash);
    put_verified(w, c->verified);
    put_u64(w, "masked_lanes", c->masked_lanes);
    put_residency(w, r, c);
    put_u64(w, "registers", c->registers);
    put_u64(w, "spill_bytes", c->spill_bytes);
    put_u64(w, "shared_bytes", c->shared_bytes);
    wgt_json_key(w, "occupancy");
    wgt_json_null(w); /* a result does not know the device's units */
    put_against_best(w, c);
    wgt_json_end_object(w);
}

/* What of the candidate is above the limits that every device has. */
static void put_requires(wgt_json_writer *w, const wgt_candidate *c) {
    const uint64_t invocations = (uint64_t)c->workgroup[0] * c->workgroup[1] * c->workgroup[2];
    uint64_t workgroups = 0;
    for (size_t i = 0; i < 3; i++) {
        workgroups = c->workgroups[i] > workgroups ? c->workgroups[i] : workgroups;
    }
    const struct {
        const char *name;
        uint64_t value;
    } needs[] = {{"maxComputeInvocationsPerWorkgroup", invocations},
                 {"maxComputeWorkgroupSizeX", c->workgroup[0]},
                 {"maxComputeWorkgroupSizeY", c->workgroup[1]},
                 {"maxComputeWorkgroupSizeZ", c->workgroup[2]},
                 {"maxComputeWorkgroupStorageSize", c->workgroup_bytes},
                 {"maxComputeWorkgroupsPerDimension", workgroups}};
    wgt_limits portable = wgt_limits_portable();
    wgt_json_key(w, "requires");
    wgt_json_begin_inline_object(w);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].value > *wgt_limit_by_name(&portable, wgt_str_from(needs[i].name))) {
            put_u64(w, needs[i].name, needs[i].value);
        }
    }
    wgt_json_end_object(w);
}

static void put_ties(wgt_json_writer *w, const wgt_result *r, bool portable_only) {
    const wgt_limits portable = wgt_limits_portable();
    wgt_json_key(w, "ties");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < r->candidate_count; i++) {
        wgt_candidate c = r->candidates[i].candidate;
        c.status = WGT_CANDIDATE_OK;
        if (r->candidates[i].tie == WGT_TIE_IN && (!portable_only || wgt_candidate_check(&portable, &c))) {
            put_constants(w, r, &r->candidates[i].candidate);
        }
    }
    wgt_json_end_array(w);
}

static void put_pick(wgt_json_writer *w, const char *key, const wgt_result *r, const wgt_pick *pick,
                     bool portable_only) {
    wgt_json_key(w, key);
    if (pick->reason == WGT_PICK_NONE || pick->candidate >= r->candidate_count) {
        wgt_json_null(w);
        return;
    }
    const wgt_candidate *c = &r->candidates[pick->candidate].candidate;
    wgt_json_begin_object(w);
    wgt_json_key(w, "constants");
    put_constants(w, r, c);
    put_word(w, "reason", wgt_pick_reason_name(pick->reason));
    put_ties(w, r, portable_only);
    put_requires(w, c);
    put_number(w, "speedup_over_default", pick->speedup_over_default);
    put_number(w, "speedup_over_worst", pick->speedup_over_worst);
    wgt_json_end_object(w);
}

static void put_meaning(wgt_json_writer *w, const wgt_result *r) {
    wgt_json_key(w, "shape");
    wgt_json_begin_object(w);
    put_word(w, "name", wgt_shape_name(r->summary.shape));
    put_text(w, "text", r->shape_text);
    wgt_json_end_object(w);
    wgt_json_key(w, "bound");
    wgt_json_begin_object(w);
    put_text(w, "by", r->bound.size == 0 ? WGT_STR("unknown") : r->bound);
    put_number(w, "achieved_gb_s", r->achieved_gb_s);
    put_number(w, "reachable_gb_s", r->reachable_gb_s);
    wgt_json_end_object(w);
    wgt_json_key(w, "limiter");
    wgt_json_begin_object(w);
    put_text(w, "name", r->limiter);
    put_text(w, "text", r->limiter_text);
    wgt_json_end_object(w);
    wgt_json_key(w, "advice");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < r->advice_count; i++) {
        wgt_json_begin_object(w);
        put_text(w, "code", r->advice[i].code);
        put_text(w, "text", r->advice[i].text);
        put_u64(w, "line", r->advice[i].line == 0 ? WGT_UNKNOWN_U64 : r->advice[i].line);
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
}

static void put_cost(wgt_json_writer *w, const wgt_summary *s) {
    wgt_json_key(w, "cost");
    wgt_json_begin_object(w);
    put_number(w, "gpu_ns", s->gpu_ns);
    put_u64(w, "compile_ns", s->compile_ns);
    put_u64(w, "wall_ns", s->wall_ns);
    put_u64(w, "samples", s->samples);
    put_u64(w, "rounds", s->rounds);
    put_u64(w, "live", s->live);
    wgt_json_end_object(w);
    wgt_json_key(w, "end");
    wgt_json_begin_object(w);
    put_bool(w, "interrupted", s->interrupted);
    put_bool(w, "out_of_budget", s->out_of_budget);
    put_bool(w, "clock_failed", s->clock_failed);
    put_text(w, "reason", wgt_str_from(s->reason));
    wgt_json_end_object(w);
}

static void put_result(wgt_json_writer *w, const wgt_result *r, bool entry) {
    static const char *const sources[] = {"measured", "wisdom", "default"};
    wgt_json_begin_object(w);
    if (entry) {
        put_u64(w, "format", ENTRY_FORMAT);
        put_key(w, r);
    }
    put_word(w, "version", WGT_VERSION);
    put_word(w, "source", sources[r->source]);
    put_text(w, "measured_at", r->measured_at);
    put_job(w, r);
    wgt_json_key(w, "adapter");
    wgt_adapter_write(w, &r->adapter);
    wgt_json_key(w, "clock");
    wgt_clock_write(w, &r->clock);
    put_number(w, "compute_units", r->compute_units > 0 ? r->compute_units : wgt_nan());
    put_number(w, "tolerance", r->tolerance);
    wgt_json_key(w, "candidates");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < r->candidate_count; i++) {
        put_candidate(w, r, &r->candidates[i]);
    }
    wgt_json_end_array(w);
    wgt_json_key(w, "fastest");
    if (r->summary.fastest < r->candidate_count) {
        put_constants(w, r, &r->candidates[r->summary.fastest].candidate);
    } else {
        wgt_json_null(w);
    }
    put_pick(w, "pick", r, &r->summary.pick, false);
    put_pick(w, "portable_pick", r, &r->summary.portable_pick, true);
    put_meaning(w, r);
    put_cost(w, &r->summary);
    wgt_json_key(w, "warnings");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < r->warning_count; i++) {
        wgt_json_string(w, r->warnings[i]);
    }
    wgt_json_end_array(w);
    wgt_json_end_object(w);
}

/* Copies what fits and counts everything. */
typedef struct target {
    char *text;
    size_t capacity, size;
} target;

static bool take(void *user, const char *data, size_t size) {
    target *t = user;
    if (t->size < t->capacity) {
        const size_t room = t->capacity - t->size;
        memcpy(t->text + t->size, data, size < room ? size : room);
    }
    t->size += size;
    return true;
}

static wgt_status write_text(const wgt_result *result, bool entry, char *text, size_t *size) {
    target t = {text, text == NULL ? 0 : *size, 0};
    char piece[1024];
    wgt_out out;
    wgt_json_writer writer;
    wgt_out_init(&out, piece, sizeof piece);
    out.flush = take;
    out.user = &t;
    wgt_json_writer_init(&writer, &out, 2);
    put_result(&writer, result, entry);
    wgt_put_char(&out, '\n');
    wgt_out_flush(&out);
    *size = t.size;
    return t.size <= t.capacity ? WGT_OK : WGT_NO_MEMORY;
}

wgt_status wgt_result_write(const wgt_result *result, char *text, size_t *size) {
    return write_text(result, false, text, size);
}

wgt_status wgt_entry_write(const wgt_result *result, char *text, size_t *size) {
    return write_text(result, true, text, size);
}
