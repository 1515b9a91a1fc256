#include "adapter_json.h"
#include "../base/number.h"
#include <string.h>

typedef struct name_field {
    const char *key;
    size_t offset, size;
} name_field;

#define NAME_FIELD(key, member) \
    { key, offsetof(wgt_adapter, member), sizeof(((wgt_adapter *)0)->member) }

static const name_field name_fields[] = {
    NAME_FIELD("vendor", vendor),
    NAME_FIELD("architecture", architecture),
    NAME_FIELD("device", device),
    NAME_FIELD("description", description),
    NAME_FIELD("backend", backend),
    NAME_FIELD("driver", driver),
    NAME_FIELD("engine", engine),
    NAME_FIELD("engine_version", engine_version),
};

typedef struct flag_field {
    const char *key;
    size_t offset;
} flag_field;

static const flag_field flag_fields[] = {
    {"timestamp_query", offsetof(wgt_adapter, has_timestamps)},
    {"subgroups", offsetof(wgt_adapter, has_subgroups)},
    {"shader_f16", offsetof(wgt_adapter, has_f16)},
};

static const wgt_adapter_type types[] = {WGT_ADAPTER_UNKNOWN, WGT_ADAPTER_DISCRETE, WGT_ADAPTER_INTEGRATED,
                                         WGT_ADAPTER_CPU};

static void write_known_u32(wgt_json_writer *w, const char *key, uint32_t value) {
    wgt_json_key(w, key);
    wgt_json_write_u64(w, value == 0 ? WGT_UNKNOWN_U64 : value);
}

void wgt_limits_write(wgt_json_writer *w, const wgt_limits *limits) {
    size_t count = 0;
    const wgt_limit_row *rows = wgt_limit_table(&count);
    wgt_json_begin_object(w);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, (const char *)limits + rows[i].offset, sizeof value);
        wgt_json_key(w, rows[i].name);
        wgt_json_write_u64(w, value);
    }
    wgt_json_end_object(w);
}

void wgt_adapter_write(wgt_json_writer *w, const wgt_adapter *adapter) {
    const char *bytes = (const char *)adapter;
    wgt_json_begin_object(w);
    for (size_t i = 0; i < sizeof name_fields / sizeof *name_fields; i++) {
        const char *text = bytes + name_fields[i].offset;
        wgt_json_key(w, name_fields[i].key);
        wgt_json_cstring(w, text[0] == '\0' ? NULL : text);
    }
    write_known_u32(w, "vendor_id", adapter->vendor_id);
    write_known_u32(w, "device_id", adapter->device_id);
    wgt_json_key(w, "type");
    wgt_json_cstring(w, wgt_adapter_type_name(adapter->type));
    write_known_u32(w, "subgroup_min", adapter->subgroup_min);
    write_known_u32(w, "subgroup_max", adapter->subgroup_max);
    wgt_json_key(w, "features");
    wgt_json_begin_inline_array(w);
    for (size_t i = 0; i < sizeof flag_fields / sizeof *flag_fields; i++) {
        bool flag = false;
        memcpy(&flag, bytes + flag_fields[i].offset, sizeof flag);
        if (flag) {
            wgt_json_cstring(w, flag_fields[i].key);
        }
    }
    wgt_json_end_array(w);
    wgt_json_key(w, "limits");
    wgt_limits_write(w, &adapter->limits);
    wgt_json_end_object(w);
}

void wgt_clock_write(wgt_json_writer *w, const wgt_clock *clock) {
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "kind");
    wgt_json_cstring(w, clock->timestamps ? "timestamp-query" : "wall");
    wgt_json_key(w, "quantum_ns");
    wgt_json_number(w, clock->quantum_ns > 0 ? clock->quantum_ns : wgt_nan());
    wgt_json_key(w, "period_ns");
    wgt_json_number(w, clock->period_ns);
    if (clock->note[0] != '\0') {
        wgt_json_key(w, "note");
        wgt_json_cstring(w, clock->note);
    }
    wgt_json_end_object(w);
}

static void read_text(const wgt_json *json, const char *key, char *text, size_t size) {
    wgt_str value = wgt_json_string_or(json, key, (wgt_str){"", 0});
    wgt_format(text, size, "%.*s", (int)value.size, value.data);
    /* No engine names a device with control characters, and a terminal would obey them. */
    for (size_t i = 0; text[i] != '\0'; i++) {
        text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    }
}

static uint32_t read_u32(const wgt_json *json, const char *key) {
    uint64_t value = wgt_json_u64(json, key);
    return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static void read_limits(const wgt_json *json, wgt_limits *limits) {
    for (const wgt_json *row = json == NULL ? NULL : json->first; row != NULL; row = row->next) {
        uint64_t *field = wgt_limit_by_name(limits, row->key);
        if (field != NULL && row->type == WGT_JSON_NUMBER && row->number >= 0 && row->number <= 0x1p63) {
            *field = (uint64_t)row->number;
        }
    }
}

bool wgt_adapter_read(const wgt_json *json, wgt_adapter *adapter) {
    if (json == NULL || json->type != WGT_JSON_OBJECT) {
        return false;
    }
    memset(adapter, 0, sizeof *adapter);
    for (size_t i = 0; i < sizeof name_fields / sizeof *name_fields; i++) {
        read_text(json, name_fields[i].key, (char *)adapter + name_fields[i].offset, name_fields[i].size);
    }
    adapter->vendor_id = read_u32(json, "vendor_id");
    adapter->device_id = read_u32(json, "device_id");
    adapter->subgroup_min = read_u32(json, "subgroup_min");
    adapter->subgroup_max = read_u32(json, "subgroup_max");
    wgt_str type = wgt_json_string_or(json, "type", (wgt_str){"", 0});
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (wgt_str_is(type, wgt_adapter_type_name(types[i]))) {
            adapter->type = types[i];
        }
    }
    const wgt_json *features = wgt_json_get(json, "features");
    for (const wgt_json *f = features == NULL ? NULL : features->first; f != NULL; f = f->next) {
        for (size_t i = 0; i < sizeof flag_fields / sizeof *flag_fields; i++) {
            if (f->type == WGT_JSON_STRING && wgt_str_is(f->string, flag_fields[i].key)) {
                const bool yes = true;
                memcpy((char *)adapter + flag_fields[i].offset, &yes, sizeof yes);
            }
        }
    }
    read_limits(wgt_json_get(json, "limits"), &adapter->limits);
    return true;
}

bool wgt_clock_read(const wgt_json *json, wgt_clock *clock) {
    if (json == NULL || json->type != WGT_JSON_OBJECT) {
        return false;
    }
    memset(clock, 0, sizeof *clock);
    clock->timestamps = wgt_str_is(wgt_json_string_or(json, "kind", (wgt_str){"", 0}), "timestamp-query");
    clock->quantum_ns = wgt_json_number_or(json, "quantum_ns", 0);
    clock->period_ns = wgt_json_number_or(json, "period_ns", wgt_nan());
    read_text(json, "note", clock->note, sizeof clock->note);
    return true;
}
