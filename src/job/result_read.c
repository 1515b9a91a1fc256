#include "wgtune/result.h"
#include "adapter_json.h"
#include "internal.h"
#include <string.h>

#define ENTRY_FORMAT 1

/* The result and what it points to. */
typedef struct holder {
    wgt_result result;
    wgt_arena arena;
    const wgt_allocator *allocator;
} holder;

/* The first mistake stays; what is read after it is not used. */
typedef struct reader {
    wgt_str name, text;
    wgt_arena *arena;
    wgt_error *error;
    wgt_status status;
} reader;

static void fail(reader *r, const wgt_json *node, const char *format, ...) WGT_PRINTF(3, 4);
static void fail(reader *r, const wgt_json *node, const char *format, ...) {
    if (r->status != WGT_OK) {
        return;
    }
    char message[256];
    wgt_out out;
    va_list arguments;
    wgt_out_init(&out, message, sizeof message);
    va_start(arguments, format);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    r->status = wgt_fail_at(r->error, WGT_BAD_INPUT, r->name, r->text, node == NULL ? 0 : node->offset, "%s",
                            message);
}

static void *make(reader *r, size_t count, size_t size) {
    void *memory = wgt_arena_push(r->arena, count, size);
    if (memory == NULL && r->status == WGT_OK) {
        r->status = wgt_fail(r->error, WGT_NO_MEMORY, "no memory for the entry");
    }
    return r->status == WGT_OK ? memory : NULL;
}

static const wgt_json *need(reader *r, const wgt_json *object, const char *key) {
    const wgt_json *node = r->status == WGT_OK ? wgt_json_get(object, key) : NULL;
    if (node == NULL) {
        fail(r, object, "\"%s\" is missing", key);
    }
    return node;
}

static const wgt_json *need_type(reader *r, const wgt_json *object, const char *key, wgt_json_type type) {
    const wgt_json *node = need(r, object, key);
    if (node != NULL && node->type != type) {
        fail(r, node, "\"%s\" is %s, not %s", key, wgt_json_type_name(node->type), wgt_json_type_name(type));
        return NULL;
    }
    return node;
}

/* The member, or NULL where it is null (or where something is wrong). */
static const wgt_json *need_or_null(reader *r, const wgt_json *object, const char *key, wgt_json_type type) {
    const wgt_json *node = need(r, object, key);
    if (node == NULL || node->type == WGT_JSON_NULL) {
        return NULL;
    }
    if (node->type != type) {
        fail(r, node, "\"%s\" is %s, not %s or null", key, wgt_json_type_name(node->type),
             wgt_json_type_name(type));
        return NULL;
    }
    return node;
}

static wgt_str text_or_null(reader *r, const wgt_json *object, const char *key) {
    const wgt_json *node = need_or_null(r, object, key, WGT_JSON_STRING);
    return node == NULL ? WGT_STR("") : node->string;
}

static bool need_bool(reader *r, const wgt_json *object, const char *key) {
    const wgt_json *node = need_type(r, object, key, WGT_JSON_BOOL);
    return node != NULL && node->boolean;
}

static double number_or_null(reader *r, const wgt_json *object, const char *key) {
    const wgt_json *node = need_or_null(r, object, key, WGT_JSON_NUMBER);
    if (node != NULL && !wgt_is_finite(node->number)) {
        fail(r, node, "\"%s\" is no finite number", key);
    }
    return node == NULL ? wgt_nan() : node->number;
}

/* Times, rates and ratios. */
static double positive_or_null(reader *r, const wgt_json *object, const char *key) {
    const double value = number_or_null(r, object, key);
    if (value < 0) {
        fail(r, wgt_json_get(object, key), "\"%s\" is below 0", key);
    }
    return value;
}

static uint64_t whole(reader *r, const wgt_json *node, uint64_t most) {
    if (node == NULL || r->status != WGT_OK) {
        return 0;
    }
    if (node->type != WGT_JSON_NUMBER || !(node->number >= 0 && node->number <= (double)most) ||
        node->number != wgt_floor(node->number)) {
        fail(r, node, "a whole number from 0 to %llu is wanted", (unsigned long long)most);
        return 0;
    }
    return (uint64_t)node->number;
}

#define MOST ((uint64_t)1 << 53)

static uint64_t need_whole(reader *r, const wgt_json *object, const char *key, uint64_t most) {
    return whole(r, need(r, object, key), most);
}

static uint64_t whole_or_null(reader *r, const wgt_json *object, const char *key, uint64_t most,
                              uint64_t unknown) {
    const wgt_json *node = need(r, object, key);
    return node == NULL || node->type == WGT_JSON_NULL ? unknown : whole(r, node, most);
}

static wgt_hash hash_or_null(reader *r, const wgt_json *object, const char *key) {
    wgt_hash hash = {0, 0};
    const wgt_json *node = need_or_null(r, object, key, WGT_JSON_STRING);
    if (node != NULL && !wgt_hash_parse(node->string, &hash)) {
        fail(r, node, "\"%s\" is no hash of 32 hexadecimal digits", key);
    }
    return hash;
}

static void interval_or_null(reader *r, const wgt_json *object, const char *key, double interval[2]) {
    const wgt_json *node = need_or_null(r, object, key, WGT_JSON_ARRAY);
    interval[0] = interval[1] = wgt_nan();
    if (node == NULL) {
        return;
    }
    const wgt_json *low = wgt_json_at(node, 0), *high = wgt_json_at(node, 1);
    if (node->count != 2 || low->type != WGT_JSON_NUMBER || high->type != WGT_JSON_NUMBER ||
        !(low->number <= high->number)) {
        fail(r, node, "\"%s\" is no interval: two numbers in order are wanted", key);
        return;
    }
    interval[0] = low->number;
    interval[1] = high->number;
}

static int find_word(reader *r, const wgt_json *node, const char *(*name_of)(int)) {
    for (int i = 0; i < 16; i++) {
        const char *name = name_of(i);
        if (name != NULL && node->type == WGT_JSON_STRING && wgt_str_is(node->string, name)) {
            return i;
        }
    }
    fail(r, node, "an unknown word or no word");
    return 0;
}

static const char *status_name(int i) { return wgt_candidate_status_name((wgt_candidate_status)i); }
static const char *tie_name(int i) { return wgt_tie_name((wgt_tie)i); }
static const char *reason_name(int i) { return i == 0 ? NULL : wgt_pick_reason_name((wgt_pick_reason)i); }
static const char *shape_name(int i) { return wgt_shape_name((wgt_shape)i); }
static const char *source_name(int i) {
    static const char *const names[] = {"measured", "wisdom", "default"};
    return i < 3 ? names[i] : NULL;
}
static const char *verified_name(int i) {
    static const char *const names[] = {NULL, "reference", "agreement"};
    return i < 3 ? names[i] : NULL;
}

static void copy_text(char *target, size_t size, wgt_str text) {
    (void)wgt_format(target, size, "%.*s", (int)text.size, text.data);
}

static void read_problem(reader *r, const wgt_json *object, const wgt_named **problem, size_t *count) {
    const wgt_json *node = need_type(r, object, "problem", WGT_JSON_OBJECT);
    wgt_named *made = node == NULL ? NULL : make(r, node->count, sizeof *made);
    if (made == NULL) {
        return;
    }
    *count = 0;
    for (const wgt_json *m = node->first; m != NULL; m = m->next) {
        if (m->type != WGT_JSON_NUMBER || !wgt_is_finite(m->number)) {
            fail(r, m, "a problem value is a finite number");
        }
        made[*count].name = m->key;
        made[*count].value = m->number;
        (*count)++;
    }
    *problem = made;
}

static void read_job(reader *r, const wgt_json *root, wgt_result *result) {
    const wgt_json *job = need_type(r, root, "job", WGT_JSON_OBJECT);
    result->job_name = text_or_null(r, job, "name");
    result->kernel = text_or_null(r, job, "kernel");
    result->entry = text_or_null(r, job, "entry");
    result->space = text_or_null(r, job, "space");
    result->hash = hash_or_null(r, job, "hash");
    read_problem(r, job, &result->problem, &result->problem_count);
    const wgt_json *names = need_type(r, job, "constants", WGT_JSON_ARRAY);
    if (names != NULL && names->count > WGT_MAX_CONSTANTS) {
        fail(r, names, "more than %d constants", WGT_MAX_CONSTANTS);
    }
    wgt_str *made = names == NULL ? NULL : make(r, names->count, sizeof *made);
    for (const wgt_json *n = made == NULL ? NULL : names->first; n != NULL; n = n->next) {
        if (n->type != WGT_JSON_STRING) {
            fail(r, n, "a constant's name is wanted");
            return;
        }
        made[result->constant_count++] = n->string;
    }
    result->constant_names = made;
}

static void read_constants(reader *r, const wgt_result *result, const wgt_json *node, double *values) {
    if (node == NULL) {
        return;
    }
    if (node->type != WGT_JSON_OBJECT || node->count != result->constant_count) {
        fail(r, node, "an object with %zu constants is wanted", result->constant_count);
        return;
    }
    size_t i = 0;
    for (const wgt_json *m = node->first; m != NULL; m = m->next, i++) {
        if (!wgt_str_equal(m->key, result->constant_names[i]) || m->type != WGT_JSON_NUMBER ||
            !wgt_is_finite(m->number)) {
            fail(r, m, "a number for %.*s is wanted", (int)result->constant_names[i].size,
                 result->constant_names[i].data);
            return;
        }
        values[i] = m->number;
    }
}

static void read_triple(reader *r, const wgt_json *object, const char *key, uint64_t most, uint64_t values[3]) {
    const wgt_json *node = need_type(r, object, key, WGT_JSON_ARRAY);
    if (node == NULL || node->count != 3) {
        fail(r, node, "\"%s\" has three numbers", key);
        return;
    }
    size_t i = 0;
    for (const wgt_json *e = node->first; e != NULL; e = e->next) {
        values[i++] = whole(r, e, most);
    }
}

static void read_against_best(reader *r, const wgt_json *object, wgt_candidate_result *c) {
    const wgt_json *node = need_or_null(r, object, "vs_best", WGT_JSON_OBJECT);
    c->ratio = c->ratio_interval[0] = c->ratio_interval[1] = wgt_nan();
    c->tie = WGT_TIE_UNKNOWN;
    if (node == NULL) {
        return;
    }
    c->ratio = positive_or_null(r, node, "ratio");
    interval_or_null(r, node, "interval", c->ratio_interval);
    const wgt_json *tie = need(r, node, "tie");
    if (tie != NULL && tie->type != WGT_JSON_NULL) {
        c->tie = (wgt_tie)find_word(r, tie, tie_name);
    }
}

static void read_measured(reader *r, const wgt_json *node, wgt_candidate_result *c) {
    c->samples = (uint32_t)need_whole(r, node, "samples", UINT32_MAX);
    c->batch = (uint32_t)whole_or_null(r, node, "batch", UINT32_MAX, 0);
    c->median_ns = positive_or_null(r, node, "median_ns");
    interval_or_null(r, node, "interval_ns", c->interval_ns);
    c->compile_ns = whole_or_null(r, node, "compile_ns", MOST, WGT_UNKNOWN_U64);
    c->compiled_hash = hash_or_null(r, node, "compiled_hash");
    const wgt_json *verified = need(r, node, "verified");
    if (verified != NULL && !(verified->type == WGT_JSON_BOOL && !verified->boolean)) {
        c->verified = (wgt_verified)find_word(r, verified, verified_name);
    }
    c->masked_lanes = (uint32_t)need_whole(r, node, "masked_lanes", UINT32_MAX);
    const wgt_json *residency = need_or_null(r, node, "residency", WGT_JSON_OBJECT);
    c->resident = residency == NULL ? WGT_UNKNOWN_U64 : need_whole(r, residency, "workgroups", MOST);
    c->registers = whole_or_null(r, node, "registers", MOST, WGT_UNKNOWN_U64);
    c->spill_bytes = whole_or_null(r, node, "spill_bytes", MOST, WGT_UNKNOWN_U64);
    c->shared_bytes = whole_or_null(r, node, "shared_bytes", MOST, WGT_UNKNOWN_U64);
    read_against_best(r, node, c);
}

static void read_candidate(reader *r, const wgt_result *result, const wgt_json *node, wgt_candidate_result *c) {
    uint64_t workgroup[3] = {0, 0, 0};
    wgt_candidate *k = &c->candidate;
    if (node->type != WGT_JSON_OBJECT) {
        fail(r, node, "a candidate is an object");
        return;
    }
    read_constants(r, result, need(r, node, "constants"), k->constants);
    read_triple(r, node, "workgroup", UINT32_MAX, workgroup);
    for (size_t i = 0; i < 3; i++) {
        k->workgroup[i] = (uint32_t)workgroup[i];
    }
    k->workgroup_bytes = whole_or_null(r, node, "workgroup_bytes", MOST, WGT_UNKNOWN_U64);
    read_triple(r, node, "workgroups", MOST, k->workgroups);
    const wgt_json *status = need(r, node, "status");
    k->status = status == NULL ? WGT_CANDIDATE_OK : (wgt_candidate_status)find_word(r, status, status_name);
    copy_text(k->reason, sizeof k->reason, text_or_null(r, node, "reason"));
    read_measured(r, node, c);
}

static void read_candidates(reader *r, const wgt_json *root, wgt_result *result) {
    const wgt_json *list = need_type(r, root, "candidates", WGT_JSON_ARRAY);
    wgt_candidate_result *made = list == NULL ? NULL : make(r, list->count, sizeof *made);
    if (made == NULL) {
        return;
    }
    for (const wgt_json *e = list->first; e != NULL && r->status == WGT_OK; e = e->next) {
        read_candidate(r, result, e, &made[result->candidate_count++]);
    }
    result->candidates = made;
}

/* The candidate with these constants. */
static uint32_t find_candidate(reader *r, const wgt_result *result, const wgt_json *node) {
    double values[WGT_MAX_CONSTANTS] = {0};
    read_constants(r, result, node, values);
    for (size_t i = 0; r->status == WGT_OK && i < result->candidate_count; i++) {
        if (memcmp(values, result->candidates[i].candidate.constants, sizeof values) == 0) {
            return (uint32_t)i;
        }
    }
    fail(r, node, "no candidate has these constants");
    return UINT32_MAX;
}

static void read_pick(reader *r, const wgt_json *root, const char *key, const wgt_result *result,
                      wgt_pick *pick) {
    const wgt_json *node = need_or_null(r, root, key, WGT_JSON_OBJECT);
    pick->reason = WGT_PICK_NONE;
    pick->candidate = UINT32_MAX;
    pick->speedup_over_default = pick->speedup_over_worst = wgt_nan();
    if (node == NULL) {
        return;
    }
    const wgt_json *constants = need(r, node, "constants");
    const wgt_json *reason = need(r, node, "reason");
    if (constants == NULL || reason == NULL) {
        return;
    }
    pick->candidate = find_candidate(r, result, constants);
    pick->reason = (wgt_pick_reason)find_word(r, reason, reason_name);
    pick->speedup_over_default = positive_or_null(r, node, "speedup_over_default");
    pick->speedup_over_worst = positive_or_null(r, node, "speedup_over_worst");
}

static void read_advice(reader *r, const wgt_json *root, wgt_result *result) {
    const wgt_json *list = need_type(r, root, "advice", WGT_JSON_ARRAY);
    wgt_advice *made = list == NULL ? NULL : make(r, list->count, sizeof *made);
    for (const wgt_json *e = made == NULL ? NULL : list->first; e != NULL && r->status == WGT_OK; e = e->next) {
        if (e->type != WGT_JSON_OBJECT) {
            fail(r, e, "advice is an object");
            return;
        }
        wgt_advice *a = &made[result->advice_count++];
        a->code = text_or_null(r, e, "code");
        a->text = text_or_null(r, e, "text");
        a->line = (uint32_t)whole_or_null(r, e, "line", UINT32_MAX, 0);
    }
    result->advice = made;
}

static void read_warnings(reader *r, const wgt_json *root, wgt_result *result) {
    const wgt_json *list = need_type(r, root, "warnings", WGT_JSON_ARRAY);
    wgt_str *made = list == NULL ? NULL : make(r, list->count, sizeof *made);
    for (const wgt_json *e = made == NULL ? NULL : list->first; e != NULL; e = e->next) {
        if (e->type != WGT_JSON_STRING) {
            fail(r, e, "a warning is a text");
            return;
        }
        made[result->warning_count++] = e->string;
    }
    result->warnings = made;
}

static void read_meaning(reader *r, const wgt_json *root, wgt_result *result) {
    const wgt_json *shape = need_type(r, root, "shape", WGT_JSON_OBJECT);
    const wgt_json *name = need(r, shape, "name");
    if (name != NULL && name->type != WGT_JSON_NULL) {
        result->summary.shape = (wgt_shape)find_word(r, name, shape_name);
    }
    result->shape_text = text_or_null(r, shape, "text");
    const wgt_json *bound = need_type(r, root, "bound", WGT_JSON_OBJECT);
    result->bound = text_or_null(r, bound, "by");
    result->achieved_gb_s = positive_or_null(r, bound, "achieved_gb_s");
    result->reachable_gb_s = positive_or_null(r, bound, "reachable_gb_s");
    const wgt_json *limiter = need_type(r, root, "limiter", WGT_JSON_OBJECT);
    result->limiter = text_or_null(r, limiter, "name");
    result->limiter_text = text_or_null(r, limiter, "text");
    read_advice(r, root, result);
    read_warnings(r, root, result);
}

static void read_summary(reader *r, const wgt_json *root, wgt_result *result) {
    wgt_summary *s = &result->summary;
    const wgt_json *fastest = need_or_null(r, root, "fastest", WGT_JSON_OBJECT);
    s->fastest = fastest == NULL ? UINT32_MAX : find_candidate(r, result, fastest);
    read_pick(r, root, "pick", result, &s->pick);
    read_pick(r, root, "portable_pick", result, &s->portable_pick);
    const wgt_json *cost = need_type(r, root, "cost", WGT_JSON_OBJECT);
    s->gpu_ns = positive_or_null(r, cost, "gpu_ns");
    s->compile_ns = whole_or_null(r, cost, "compile_ns", MOST, WGT_UNKNOWN_U64);
    s->wall_ns = whole_or_null(r, cost, "wall_ns", MOST, WGT_UNKNOWN_U64);
    s->samples = (uint32_t)need_whole(r, cost, "samples", UINT32_MAX);
    s->rounds = (uint32_t)need_whole(r, cost, "rounds", UINT32_MAX);
    s->live = (uint32_t)need_whole(r, cost, "live", UINT32_MAX);
    const wgt_json *end = need_type(r, root, "end", WGT_JSON_OBJECT);
    s->interrupted = need_bool(r, end, "interrupted");
    s->out_of_budget = need_bool(r, end, "out_of_budget");
    s->clock_failed = need_bool(r, end, "clock_failed");
    copy_text(s->reason, sizeof s->reason, text_or_null(r, end, "reason"));
}

/* The key says again what the result says; one that says otherwise would be found for another job. */
static void check_key(reader *r, const wgt_json *root, const wgt_result *result) {
    const wgt_json *node = need_type(r, root, "key", WGT_JSON_OBJECT);
    wgt_key key, own;
    memset(&key, 0, sizeof key);
    key.vendor = text_or_null(r, node, "vendor");
    key.architecture = text_or_null(r, node, "architecture");
    key.device = text_or_null(r, node, "device");
    key.driver = text_or_null(r, node, "driver");
    key.backend = text_or_null(r, node, "backend");
    key.engine = text_or_null(r, node, "engine");
    key.engine_version = text_or_null(r, node, "engine_version");
    key.vendor_id = (uint32_t)whole_or_null(r, node, "vendor_id", UINT32_MAX, 0);
    key.device_id = (uint32_t)whole_or_null(r, node, "device_id", UINT32_MAX, 0);
    key.source = hash_or_null(r, node, "source");
    key.entry = text_or_null(r, node, "entry");
    key.space = text_or_null(r, node, "space");
    read_problem(r, node, &key.problem, &key.problem_count);
    wgt_key_of_result(&own, result);
    if (r->status == WGT_OK && !wgt_key_equal(&key, &own)) {
        fail(r, node, "the key does not say what the result says");
    }
}

static void check_format(reader *r, const wgt_json *root) {
    if (root->type != WGT_JSON_OBJECT) {
        fail(r, root, "an entry is an object");
        return;
    }
    const wgt_json *format = need(r, root, "format");
    const uint64_t number = whole(r, format, MOST);
    if (r->status == WGT_OK && number > ENTRY_FORMAT) {
        fail(r, format, "format %llu is newer than this version of wgtune reads (%d)",
             (unsigned long long)number, ENTRY_FORMAT);
    } else if (r->status == WGT_OK && number == 0) {
        fail(r, format, "there is no format 0");
    }
}

static void read_entry(reader *r, const wgt_json *root, wgt_result *result) {
    check_format(r, root);
    (void)need_type(r, root, "version", WGT_JSON_STRING);
    const wgt_json *source = need(r, root, "source");
    if (source != NULL) {
        result->source = (wgt_source)find_word(r, source, source_name);
    }
    result->measured_at = text_or_null(r, root, "measured_at");
    read_job(r, root, result);
    const wgt_json *adapter = need_type(r, root, "adapter", WGT_JSON_OBJECT);
    const wgt_json *clock = need_type(r, root, "clock", WGT_JSON_OBJECT);
    if (r->status == WGT_OK) {
        (void)wgt_adapter_read(adapter, &result->adapter);
        (void)wgt_clock_read(clock, &result->clock);
    }
    result->compute_units = positive_or_null(r, root, "compute_units");
    result->tolerance = positive_or_null(r, root, "tolerance");
    if (r->status == WGT_OK) {
        read_candidates(r, root, result);
    }
    if (r->status == WGT_OK) {
        read_summary(r, root, result);
        read_meaning(r, root, result);
        check_key(r, root, result);
    }
}

wgt_status wgt_entry_read(const wgt_allocator *allocator, wgt_str name, wgt_str text, wgt_result **result,
                          wgt_error *error) {
    allocator = allocator != NULL ? allocator : wgt_job_default_allocator();
    *result = NULL;
    holder *h = allocator == NULL ? NULL : allocator->resize(allocator->user, NULL, 0, sizeof *h);
    if (h == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory for the entry");
    }
    memset(h, 0, sizeof *h);
    h->allocator = allocator;
    wgt_arena_init(&h->arena, allocator);
    wgt_json *root = NULL;
    /* A copy, because strings without escapes are views of the text. */
    const wgt_str own = wgt_arena_copy(&h->arena, text);
    reader r = {name, own, &h->arena, error, WGT_OK};
    r.status = own.data == NULL ? wgt_fail(error, WGT_NO_MEMORY, "no memory for the entry")
                                : wgt_json_parse(name, own, 0, &h->arena, &root, error);
    if (r.status == WGT_OK) {
        read_entry(&r, root, &h->result);
    }
    wgt_result *made = &h->result;
    if (r.status != WGT_OK) {
        wgt_result_destroy(&made);
        return r.status;
    }
    *result = made;
    return WGT_OK;
}

void wgt_result_destroy(wgt_result **result) {
    if (result == NULL || *result == NULL) {
        return;
    }
    holder *h = (holder *)*result; /* the result is its first member */
    *result = NULL;
    wgt_arena_release(&h->arena);
    const wgt_allocator *allocator = h->allocator;
    (void)allocator->resize(allocator->user, h, sizeof *h, 0);
}
