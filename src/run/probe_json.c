#include "probe_json.h"
#include "../base/number.h"
#include "../job/adapter_json.h"
#include <string.h>

static void write_levels(wgt_json_writer *w, const wgt_sheet *s) {
    wgt_json_begin_array(w);
    for (size_t i = 0; i < s->level_count; i++) {
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "bytes");
        wgt_json_number(w, s->levels[i].bytes);
        wgt_json_key(w, "gb_s");
        wgt_json_number(w, s->levels[i].gb_s);
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
}

static void write_line(wgt_json_writer *w, const wgt_sheet *s, size_t i) {
    const wgt_sheet_line *line = &s->lines[i];
    wgt_json_key(w, line->name);
    wgt_json_begin_object(w);
    wgt_json_key(w, "value");
    if (i == WGT_SHEET_CACHE_LEVELS && s->level_count > 0) {
        write_levels(w, s);
    } else {
        wgt_json_number(w, line->value);
    }
    wgt_json_key(w, "low");
    wgt_json_number(w, line->low);
    wgt_json_key(w, "high");
    wgt_json_number(w, line->high);
    wgt_json_key(w, "unit");
    wgt_json_cstring(w, line->unit);
    wgt_json_key(w, "method");
    wgt_json_cstring(w, line->method);
    wgt_json_key(w, "confidence");
    wgt_json_cstring(w, wgt_confidence_name(line->confidence));
    wgt_json_end_object(w);
}

void wgt_probe_write_sheet(wgt_json_writer *w, const wgt_probed *probed, bool format) {
    const wgt_sheet *s = &probed->sheet;
    wgt_json_begin_object(w);
    if (format) {
        wgt_json_key(w, "format");
        wgt_json_write_u64(w, WGT_PROBE_FORMAT);
    } else {
        wgt_json_key(w, "version");
        wgt_json_cstring(w, wgt_version());
        wgt_json_key(w, "source");
        wgt_json_cstring(w, probed->remembered ? "wisdom" : "measured");
    }
    wgt_json_key(w, "adapter");
    wgt_adapter_write(w, &probed->adapter);
    wgt_json_key(w, "clock");
    wgt_clock_write(w, &probed->clock);
    wgt_json_key(w, "sheet");
    wgt_json_begin_object(w);
    for (size_t i = 0; i < WGT_SHEET_COUNT; i++) {
        write_line(w, s, i);
    }
    wgt_json_end_object(w);
    wgt_json_key(w, "cost");
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "gpu_ns");
    wgt_json_number(w, s->gpu_ns);
    wgt_json_key(w, "compile_ns");
    wgt_json_write_u64(w, s->compile_ns);
    wgt_json_key(w, "wall_ns");
    wgt_json_write_u64(w, probed->wall_ns);
    wgt_json_key(w, "experiments");
    wgt_json_write_u64(w, s->actions);
    wgt_json_end_object(w);
    wgt_json_end_object(w);
}

static bool count_bytes(void *user, const char *data, size_t size) {
    (void)data;
    *(size_t *)user += size;
    return true;
}

wgt_status wgt_probed_write(const wgt_probed *probed, char *text, size_t *size) {
    char memory[256];
    size_t counted = 0;
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, text == NULL ? memory : text, text == NULL ? sizeof memory : *size);
    if (text == NULL) {
        out.flush = count_bytes;
        out.user = &counted;
    }
    wgt_json_writer_init(&w, &out, 2);
    wgt_probe_write_sheet(&w, probed, false);
    wgt_put_char(&out, '\n');
    if (text == NULL) {
        wgt_out_flush(&out);
    }
    *size = text == NULL ? counted : out.size;
    return out.truncated ? WGT_NO_MEMORY : WGT_OK;
}

static void read_line(const wgt_json *json, wgt_sheet *s, size_t i) {
    static const wgt_confidence all[] = {WGT_CONFIDENCE_UNKNOWN, WGT_CONFIDENCE_MULTIPLE_OF, WGT_CONFIDENCE_LIKELY,
                                         WGT_CONFIDENCE_CERTAIN};
    wgt_sheet_line *line = &s->lines[i];
    const wgt_str word = wgt_json_string_or(json, "confidence", WGT_STR(""));
    const wgt_str method = wgt_json_string_or(json, "method", WGT_STR(""));
    const wgt_json *value = wgt_json_get(json, "value");
    line->value = wgt_json_number_or(json, "value", wgt_nan());
    line->low = wgt_json_number_or(json, "low", wgt_nan());
    line->high = wgt_json_number_or(json, "high", wgt_nan());
    wgt_format(line->method, sizeof line->method, "%.*s", (int)method.size, method.data);
    for (size_t k = 0; k < 4; k++) {
        if (wgt_str_is(word, wgt_confidence_name(all[k]))) {
            line->confidence = all[k];
        }
    }
    if (i != WGT_SHEET_CACHE_LEVELS || value == NULL || value->type != WGT_JSON_ARRAY) {
        return;
    }
    for (const wgt_json *l = value->first; l != NULL && s->level_count < WGT_MAX_CACHE_LEVELS; l = l->next) {
        s->levels[s->level_count++] = (wgt_cache_level){wgt_json_number_or(l, "bytes", wgt_nan()),
                                                        wgt_json_number_or(l, "gb_s", wgt_nan())};
    }
    line->value = (double)s->level_count;
}

wgt_status wgt_probe_read_sheet(const wgt_json *json, wgt_probed *probed, wgt_error *error) {
    const uint64_t format = wgt_json_u64(json, "format");
    const wgt_json *lines = wgt_json_get(json, "sheet"), *cost = wgt_json_get(json, "cost");
    *probed = (wgt_probed){0};
    if (format != WGT_PROBE_FORMAT) {
        return wgt_fail(error, WGT_BAD_INPUT, "format %d of a sheet is needed", WGT_PROBE_FORMAT);
    }
    if (!wgt_adapter_read(wgt_json_get(json, "adapter"), &probed->adapter) ||
        !wgt_clock_read(wgt_json_get(json, "clock"), &probed->clock) || lines == NULL || cost == NULL) {
        return wgt_fail(error, WGT_BAD_INPUT, "no sheet: adapter, clock, sheet and cost are needed");
    }
    /* Names and units are the program's own. */
    wgt_probe_names(&probed->sheet);
    for (size_t i = 0; i < WGT_SHEET_COUNT; i++) {
        const wgt_json *line = wgt_json_get(lines, probed->sheet.lines[i].name);
        if (line == NULL || line->type != WGT_JSON_OBJECT) {
            return wgt_fail(error, WGT_BAD_INPUT, "the sheet has no %s", probed->sheet.lines[i].name);
        }
        read_line(line, &probed->sheet, i);
    }
    probed->sheet.gpu_ns = wgt_json_number_or(cost, "gpu_ns", wgt_nan());
    probed->sheet.compile_ns = wgt_json_u64(cost, "compile_ns");
    probed->sheet.actions = (uint32_t)wgt_json_number_or(cost, "experiments", 0);
    probed->wall_ns = wgt_json_u64(cost, "wall_ns");
    return WGT_OK;
}
