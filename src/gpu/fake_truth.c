#include "fake_truth.h"

#include "../base/host/host.h"
#include "../base/json.h"
#include "../base/number.h"
#include "../job/adapter_json.h"

#include <string.h>

static const char *const fault_names[] = {"honest", "rejected", "wrong", "unchanged", "hang",
                                          "lost",   "error",    "crash", "stall"};

/* A number of the truth and where it goes; `object` names the member that holds it, if any. */
typedef struct field {
    const char *object, *key;
    size_t offset;
    double least, most, factor;
} field;

#define FIELD(object, key, member, least, most, factor)                                            \
    { object, key, offsetof(wgt_fake_truth, member), least, most, factor }

static const field fields[] = {
    FIELD(NULL, "invocations", invocations, 1, 1e18, 1),
    FIELD(NULL, "fixed_ns", fixed_ns, 0, 1e12, 1),
    FIELD(NULL, "overhead_ns", overhead_ns, 0, 1e12, 1),
    FIELD(NULL, "compile_ns", compile_ns, 0, 1e15, 1),
    FIELD(NULL, "noise_percent", noise, 0, 100, 0.01),
    FIELD(NULL, "quantum_ns", quantum_ns, 0, 1e9, 1),
    FIELD("waves", "units", units, 1, 1e6, 1),
    FIELD("waves", "slots", slots, 1, 1e6, 1),
    FIELD("waves", "invocations_per_unit", invocations_per_unit, 1, 1e6, 1),
    FIELD("waves", "wave_ns", wave_ns, 0, 1e12, 1),
    FIELD("waves", "floor_ns", floor_ns, 0, 1e12, 1),
    FIELD("outliers", "rate", outlier_rate, 0, 1, 1),
    FIELD("outliers", "times", outlier_times, 0, 1e6, 1),
    FIELD("drift", "percent", drift, 0, 100, 0.01),
    FIELD("drift", "period_ns", drift_period_ns, 1, 1e15, 1),
    FIELD("ramp", "times", ramp, 1, 1e6, 1),
    FIELD("ramp", "ns", ramp_ns, 1, 1e15, 1),
};

static const char *const other_keys[] = {"adapter", "seed", "time_ns",    "waves",       "outliers",
                                         "drift",   "ramp", "timestamps", "misbehaviour"};

typedef struct reader {
    wgt_str text;
    wgt_fake_truth *truth;
    wgt_error *error;
} reader;

static wgt_status refuse(const reader *r, size_t offset, const char *what, wgt_str name) {
    return wgt_fail_at(r->error, WGT_BAD_INPUT, WGT_STR("fake"), r->text, offset, "%s \"%.*s\"",
                       what, (int)name.size, name.data);
}

static const field *field_named(const char *object, wgt_str key) {
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        bool same = object == NULL || fields[i].object == NULL
                        ? object == fields[i].object
                        : strcmp(object, fields[i].object) == 0;
        if (same && wgt_str_is(key, fields[i].key))
            return &fields[i];
    }
    return NULL;
}

static wgt_status read_field(const reader *r, const field *f, const wgt_json *value) {
    if (value->type != WGT_JSON_NUMBER || !(value->number >= f->least && value->number <= f->most))
        return wgt_fail_at(r->error, WGT_BAD_INPUT, WGT_STR("fake"), r->text, value->offset,
                           "%s is a number from %g to %g", f->key, f->least, f->most);
    double number = value->number * f->factor;
    memcpy((char *)r->truth + f->offset, &number, sizeof number);
    return WGT_OK;
}

static wgt_status read_group(const reader *r, const char *name, const wgt_json *group) {
    if (group->type != WGT_JSON_OBJECT)
        return refuse(r, group->offset, "an object is needed for", wgt_str_from(name));
    for (const wgt_json *m = group->first; m != NULL; m = m->next) {
        const field *f = field_named(name, m->key);
        if (f == NULL)
            return refuse(r, m->key_offset, "there is no key", m->key);
        wgt_status status = read_field(r, f, m);
        if (status != WGT_OK)
            return status;
    }
    return WGT_OK;
}

static wgt_status read_size(const reader *r, const wgt_json *member, size_t count, uint32_t *size) {
    uint64_t value = 0;
    if (!wgt_u64_parse(member->key, &value) || value < 1 || value > UINT32_MAX)
        return refuse(r, member->key_offset, "a key here is a number of invocations, not",
                      member->key);
    if (count >= WGT_FAKE_TABLE)
        return refuse(r, member->key_offset, "too many sizes at", member->key);
    *size = (uint32_t)value;
    return WGT_OK;
}

static wgt_status read_times(const reader *r, const wgt_json *table) {
    wgt_fake_truth *t = r->truth;
    for (const wgt_json *m = table->first; m != NULL; m = m->next) {
        uint32_t size = 0;
        wgt_status status = read_size(r, m, t->time_count, &size);
        if (status != WGT_OK)
            return status;
        if (m->type != WGT_JSON_NUMBER || !(m->number > 0 && m->number < 1e15))
            return refuse(r, m->offset, "a time in ns is needed for", m->key);
        size_t at = t->time_count++;
        for (; at > 0 && t->times[at - 1].invocations > size; at--)
            t->times[at] = t->times[at - 1];
        t->times[at] = (wgt_fake_time){size, m->number};
    }
    return WGT_OK;
}

static wgt_status read_faults(const reader *r, const wgt_json *table) {
    wgt_fake_truth *t = r->truth;
    for (const wgt_json *m = table->first; m != NULL; m = m->next) {
        uint32_t size = 0;
        wgt_status status = read_size(r, m, t->fault_count, &size);
        if (status != WGT_OK)
            return status;
        size_t fault = 0, count = sizeof fault_names / sizeof fault_names[0];
        while (fault < count &&
               !(m->type == WGT_JSON_STRING && wgt_str_is(m->string, fault_names[fault])))
            fault++;
        if (fault == count)
            return refuse(r, m->offset, "there is no such misbehaviour for", m->key);
        t->faults[t->fault_count++] = (wgt_fake_misbehaviour){size, (wgt_fake_fault)fault};
    }
    return WGT_OK;
}

static wgt_status check_keys(const reader *r, const wgt_json *root) {
    if (root->type != WGT_JSON_OBJECT)
        return refuse(r, root->offset, "an object is needed, not", root->string);
    for (const wgt_json *m = root->first; m != NULL; m = m->next) {
        bool known = field_named(NULL, m->key) != NULL;
        for (size_t i = 0; i < sizeof other_keys / sizeof other_keys[0]; i++)
            known = known || wgt_str_is(m->key, other_keys[i]);
        if (!known)
            return refuse(r, m->key_offset, "there is no key", m->key);
    }
    return WGT_OK;
}

static void read_adapter(const wgt_json *json, wgt_adapter *adapter) {
    if (!wgt_adapter_read(json, adapter)) {
        memset(adapter, 0, sizeof *adapter);
        adapter->type = WGT_ADAPTER_DISCRETE;
        adapter->subgroup_min = adapter->subgroup_max = 32;
    }
    if (adapter->device[0] == '\0')
        wgt_format(adapter->device, sizeof adapter->device, "fake GPU");
    if (adapter->backend[0] == '\0')
        wgt_format(adapter->backend, sizeof adapter->backend, "fake");
    if (adapter->engine[0] == '\0')
        wgt_format(adapter->engine, sizeof adapter->engine, "fake");
    size_t count = 0;
    const wgt_limit_row *rows = wgt_limit_table(&count);
    for (size_t i = 0; i < count; i++) {
        uint64_t *value = wgt_limit_by_name(&adapter->limits, wgt_str_from(rows[i].name));
        if (*value == 0)
            *value = rows[i].portable;
    }
}

static wgt_status read_timestamps(const reader *r, const wgt_json *json) {
    wgt_fake_truth *t = r->truth;
    t->adapter.has_timestamps = true;
    if (json == NULL)
        return WGT_OK;
    wgt_str word = json->type == WGT_JSON_STRING ? json->string : WGT_STR("");
    if (wgt_str_is(word, "absent"))
        t->adapter.has_timestamps = false;
    else if (wgt_str_is(word, "zero"))
        t->zero_timestamps = true;
    else if (!wgt_str_is(word, "ok"))
        return refuse(r, json->offset, "timestamps are \"ok\", \"absent\" or \"zero\", not", word);
    return WGT_OK;
}

static wgt_status read_root(const reader *r, const wgt_json *root) {
    static const char *const groups[] = {"waves", "outliers", "drift", "ramp"};
    wgt_status status = check_keys(r, root);
    if (status != WGT_OK)
        return status;
    read_adapter(wgt_json_get(root, "adapter"), &r->truth->adapter);
    uint64_t seed = wgt_json_u64(root, "seed");
    if (seed != WGT_UNKNOWN_U64)
        r->truth->seed = seed;
    for (const wgt_json *m = root->first; m != NULL && status == WGT_OK; m = m->next) {
        const field *f = field_named(NULL, m->key);
        if (f != NULL)
            status = read_field(r, f, m);
        for (size_t i = 0; i < sizeof groups / sizeof groups[0] && status == WGT_OK; i++) {
            if (wgt_str_is(m->key, groups[i]))
                status = read_group(r, groups[i], m);
        }
    }
    const wgt_json *times = wgt_json_get(root, "time_ns");
    const wgt_json *faults = wgt_json_get(root, "misbehaviour");
    if (status == WGT_OK && times != NULL)
        status = read_times(r, times);
    if (status == WGT_OK && faults != NULL)
        status = read_faults(r, faults);
    return status == WGT_OK ? read_timestamps(r, wgt_json_get(root, "timestamps")) : status;
}

wgt_status wgt_fake_truth_read(const wgt_gpu_options *options, wgt_fake_truth *truth,
                               wgt_error *error) {
    reader r = {wgt_str_from(options->fake), truth, error};
    wgt_arena arena;
    wgt_json *root = NULL;
    memset(truth, 0, sizeof *truth);
    truth->seed = 1;
    truth->fixed_ns = 2000;
    truth->overhead_ns = 50000;
    truth->compile_ns = 5e6;
    truth->slots = 32;
    truth->invocations_per_unit = 2048;
    truth->outlier_times = 3;
    truth->drift_period_ns = 1e9;
    truth->ramp = 1;
    truth->ramp_ns = 30e6;
    wgt_arena_init(&arena, options->allocator != NULL ? options->allocator : wgt_heap());
    wgt_status status =
        wgt_json_parse(WGT_STR("fake"), r.text, WGT_JSON_COMMENTS, &arena, &root, error);
    if (status == WGT_OK)
        status = read_root(&r, root);
    wgt_arena_release(&arena);
    if (status == WGT_OK && options->portable_limits) {
        wgt_limits portable = wgt_limits_portable();
        truth->adapter.limits = wgt_limits_min(&truth->adapter.limits, &portable);
    }
    return status;
}

static double product(const uint32_t axes[3]) {
    return (double)axes[0] * (double)axes[1] * (double)axes[2];
}

wgt_fake_fault wgt_fake_fault_of(const wgt_fake_truth *truth, const uint32_t workgroup[3]) {
    double size = product(workgroup);
    for (size_t i = 0; i < truth->fault_count; i++) {
        if ((double)truth->faults[i].invocations >= size &&
            (double)truth->faults[i].invocations <= size)
            return truth->faults[i].fault;
    }
    return size > (double)truth->adapter.limits.max_compute_invocations_per_workgroup
               ? WGT_FAKE_HANG
               : WGT_FAKE_HONEST;
}

static double table_ns(const wgt_fake_truth *truth, double size) {
    const wgt_fake_time *times = truth->times;
    size_t at = 0;
    if (truth->time_count == 0)
        return 0;
    while (at < truth->time_count && (double)times[at].invocations < size)
        at++;
    if (at == 0 || at == truth->time_count)
        return times[at == 0 ? 0 : at - 1].ns;
    double low = times[at - 1].invocations, high = times[at].invocations;
    return times[at - 1].ns + (times[at].ns - times[at - 1].ns) * (size - low) / (high - low);
}

double wgt_fake_dispatch_ns(const wgt_fake_truth *truth, const uint32_t workgroup[3],
                            const uint32_t workgroups[3]) {
    double size = product(workgroup), count = product(workgroups);
    double share = truth->invocations > 0 ? size * count / truth->invocations : 1;
    double ns = table_ns(truth, size) * share;
    if (truth->units > 0) {
        double resident = wgt_floor(truth->invocations_per_unit / size);
        resident = resident > truth->slots ? truth->slots : resident < 1 ? 1 : resident;
        double waves = wgt_ceil(count / (truth->units * resident)) * truth->wave_ns;
        ns += waves > truth->floor_ns * share ? waves : truth->floor_ns * share;
    }
    return ns + truth->fixed_ns;
}
