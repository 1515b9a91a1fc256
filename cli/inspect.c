#include "cli.h"
#include "output.h"
#include "base/host/host.h"
#include "base/json.h"
#include "wgtune/wgsl.h"
#include <string.h>

typedef struct inspection {
    const wgt_wgsl *module;
    const wgt_wgsl_override *overrides;
    const wgt_wgsl_entry *entries;
    const wgt_wgsl_binding *bindings;
    const wgt_diagnostic *diagnostics;
    size_t override_count, entry_count, binding_count, diagnostic_count;
    const wgt_wgsl_value *values;
    size_t value_count;
    wgt_str path;
    wgt_json_writer *json;
    wgt_out *out;
} inspection;

static const char *const severities[] = {"error", "warning", "info"};
static const char *const spaces[] = {"storage", "uniform", "handle"};

static void list_of_overrides(const inspection *in, const char *key, wgt_wgsl_list list) {
    wgt_json_key(in->json, key);
    wgt_json_begin_inline_array(in->json);
    for (size_t i = 0; i < list.count; i++) {
        wgt_json_string(in->json, in->overrides[list.items[i]].name);
    }
    wgt_json_end_array(in->json);
}

static void json_names(const inspection *in, const char *key, const wgt_str *names, size_t count) {
    wgt_json_key(in->json, key);
    wgt_json_begin_inline_array(in->json);
    for (size_t i = 0; i < count; i++) {
        wgt_json_string(in->json, names[i]);
    }
    wgt_json_end_array(in->json);
}

static void json_override(const inspection *in, const wgt_wgsl_override *o) {
    wgt_json_writer *w = in->json;
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "name");
    wgt_json_string(w, o->name);
    wgt_json_key(w, "id");
    if (o->id < 0) {
        wgt_json_null(w);
    } else {
        wgt_json_number(w, o->id);
    }
    wgt_json_key(w, "type");
    wgt_json_string(w, o->type);
    wgt_json_key(w, "has_default");
    wgt_json_bool(w, o->has_default);
    wgt_json_key(w, "default");
    if (wgt_str_is(o->type, "bool") && o->default_value == o->default_value) {
        wgt_json_bool(w, o->default_value != 0);
    } else {
        wgt_json_number(w, o->default_value);
    }
    wgt_json_key(w, "default_expr");
    if (o->has_default) {
        wgt_json_string(w, o->default_expr);
    } else {
        wgt_json_null(w);
    }
    wgt_json_key(w, "line");
    wgt_json_number(w, o->line);
    wgt_json_end_object(w);
}

/* The size and bytes under the given values, each axis 0 and bytes unknown where they depend on more. */
static wgt_status measure(const inspection *in, const wgt_wgsl_entry *e, uint32_t size[3], uint64_t *counted,
                          uint64_t *raw, wgt_error *error) {
    size[0] = size[1] = size[2] = 0;
    *counted = *raw = 0;
    if (!wgt_str_is(e->stage, "compute")) {
        return WGT_OK;
    }
    wgt_status status = wgt_wgsl_workgroup_size(in->module, e, in->values, in->value_count, size, error);
    if (status != WGT_OK) {
        return status;
    }
    return wgt_wgsl_workgroup_bytes(in->module, e, in->values, in->value_count, counted, raw, error);
}

static void json_sizes(const inspection *in, const wgt_wgsl_entry *e, const uint32_t size[3]) {
    wgt_json_writer *w = in->json;
    bool compute = wgt_str_is(e->stage, "compute");
    wgt_json_key(w, "workgroup_size");
    if (!compute) {
        wgt_json_null(w);
        wgt_json_key(w, "workgroup_size_value");
        wgt_json_null(w);
        return;
    }
    wgt_json_begin_inline_array(w);
    for (int axis = 0; axis < 3; axis++) {
        wgt_json_string(w, e->workgroup_size[axis]);
    }
    wgt_json_end_array(w);
    wgt_json_key(w, "workgroup_size_value");
    wgt_json_begin_inline_array(w);
    for (int axis = 0; axis < 3; axis++) {
        wgt_json_write_u64(w, size[axis] == 0 ? WGT_UNKNOWN_U64 : size[axis]);
    }
    wgt_json_end_array(w);
}

static void json_features(const inspection *in, const wgt_wgsl_entry *e) {
    const wgt_str *enables;
    size_t count = wgt_wgsl_enables(in->module, &enables);
    wgt_json_key(in->json, "features");
    wgt_json_begin_inline_array(in->json);
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_is(enables[i], "f16")) {
            wgt_json_cstring(in->json, "shader-f16");
            break;
        }
    }
    if (e->subgroup_ops) {
        wgt_json_cstring(in->json, "subgroups");
    }
    wgt_json_end_array(in->json);
}

static wgt_status json_entry(const inspection *in, const wgt_wgsl_entry *e, wgt_error *error) {
    wgt_json_writer *w = in->json;
    uint32_t size[3];
    uint64_t counted, raw;
    wgt_status status = measure(in, e, size, &counted, &raw, error);
    if (status != WGT_OK) {
        return status;
    }
    wgt_json_begin_object(w);
    wgt_json_key(w, "name");
    wgt_json_string(w, e->name);
    wgt_json_key(w, "stage");
    wgt_json_string(w, e->stage);
    wgt_json_key(w, "line");
    wgt_json_number(w, e->line);
    json_sizes(in, e, size);
    list_of_overrides(in, "sizing_overrides", e->sizing_overrides);
    list_of_overrides(in, "size_overrides", e->size_overrides);
    list_of_overrides(in, "body_overrides", e->body_overrides);
    list_of_overrides(in, "needs_values", e->needs_values);
    wgt_json_key(w, "bindings");
    wgt_json_begin_inline_array(w);
    for (size_t i = 0; i < e->bindings.count; i++) {
        wgt_json_string(w, in->bindings[e->bindings.items[i]].name);
    }
    wgt_json_end_array(w);
    wgt_json_key(w, "workgroup_bytes");
    wgt_json_write_u64(w, counted);
    wgt_json_key(w, "workgroup_bytes_raw");
    wgt_json_write_u64(w, raw);
    const struct {
        const char *name;
        bool value;
    } flags[] = {{"atomics", e->atomics},
                 {"workgroup_barrier", e->workgroup_barrier},
                 {"storage_barrier", e->storage_barrier},
                 {"subgroup_ops", e->subgroup_ops}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        wgt_json_key(w, flags[i].name);
        wgt_json_bool(w, flags[i].value);
    }
    json_features(in, e);
    wgt_json_end_object(w);
    return WGT_OK;
}

static void json_binding(const inspection *in, const wgt_wgsl_binding *b) {
    wgt_json_writer *w = in->json;
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "name");
    wgt_json_string(w, b->name);
    wgt_json_key(w, "group");
    wgt_json_number(w, b->group);
    wgt_json_key(w, "binding");
    wgt_json_number(w, b->binding);
    wgt_json_key(w, "space");
    wgt_json_cstring(w, spaces[b->space]);
    wgt_json_key(w, "access");
    if (b->access.size > 0) {
        wgt_json_string(w, b->access);
    } else {
        wgt_json_null(w);
    }
    wgt_json_key(w, "type");
    wgt_json_string(w, b->type);
    wgt_json_key(w, "size");
    wgt_json_write_u64(w, b->size);
    wgt_json_key(w, "stride");
    wgt_json_write_u64(w, b->stride);
    wgt_json_end_object(w);
}

static void json_diagnostics(const inspection *in) {
    wgt_json_writer *w = in->json;
    wgt_json_key(w, "diagnostics");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < in->diagnostic_count; i++) {
        const wgt_diagnostic *d = &in->diagnostics[i];
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "severity");
        wgt_json_cstring(w, severities[d->severity]);
        wgt_json_key(w, "code");
        wgt_json_cstring(w, d->code);
        wgt_json_key(w, "line");
        wgt_json_number(w, d->line);
        wgt_json_key(w, "column");
        wgt_json_number(w, d->column);
        wgt_json_key(w, "message");
        wgt_json_string(w, d->message);
        wgt_json_key(w, "help");
        if (d->help.size > 0) {
            wgt_json_string(w, d->help);
        } else {
            wgt_json_null(w);
        }
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
}

static wgt_status print_json(const inspection *in, bool valid, wgt_error *error) {
    wgt_json_writer *w = in->json;
    const wgt_str *names;
    wgt_json_begin_object(w);
    if (valid) {
        size_t count = wgt_wgsl_enables(in->module, &names);
        json_names(in, "enable", names, count);
        count = wgt_wgsl_requires(in->module, &names);
        json_names(in, "requires", names, count);
        wgt_json_key(w, "overrides");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < in->override_count; i++) {
            json_override(in, &in->overrides[i]);
        }
        wgt_json_end_array(w);
        wgt_json_key(w, "entry_points");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < in->entry_count; i++) {
            wgt_status status = json_entry(in, &in->entries[i], error);
            if (status != WGT_OK) {
                return status;
            }
        }
        wgt_json_end_array(w);
        wgt_json_key(w, "bindings");
        wgt_json_begin_array(w);
        for (size_t i = 0; i < in->binding_count; i++) {
            json_binding(in, &in->bindings[i]);
        }
        wgt_json_end_array(w);
    }
    json_diagnostics(in);
    wgt_json_end_object(w);
    wgt_put_char(in->out, '\n');
    return WGT_OK;
}

/* SARIF 2.1.0: what code hosts and editors read. */
static void print_sarif(const inspection *in) {
    wgt_json_writer *w = in->json;
    static const char *const levels[] = {"error", "warning", "note"};
    wgt_json_begin_object(w);
    wgt_json_key(w, "$schema");
    wgt_json_cstring(w, "https://json.schemastore.org/sarif-2.1.0.json");
    wgt_json_key(w, "version");
    wgt_json_cstring(w, "2.1.0");
    wgt_json_key(w, "runs");
    wgt_json_begin_array(w);
    wgt_json_begin_object(w);
    wgt_json_key(w, "tool");
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "driver");
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "name");
    wgt_json_cstring(w, "wgtune");
    wgt_json_key(w, "version");
    wgt_json_cstring(w, wgt_version());
    wgt_json_end_object(w);
    wgt_json_end_object(w);
    wgt_json_key(w, "results");
    wgt_json_begin_array(w);
    for (size_t i = 0; i < in->diagnostic_count; i++) {
        const wgt_diagnostic *d = &in->diagnostics[i];
        char text[512];
        wgt_format(text, sizeof text, "%.*s%s%.*s", (int)d->message.size, d->message.data,
                   d->help.size > 0 ? ": " : "", (int)d->help.size, d->help.data);
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "ruleId");
        wgt_json_cstring(w, d->code);
        wgt_json_key(w, "level");
        wgt_json_cstring(w, levels[d->severity]);
        wgt_json_key(w, "message");
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "text");
        wgt_json_cstring(w, text);
        wgt_json_end_object(w);
        wgt_json_key(w, "locations");
        wgt_json_begin_inline_array(w);
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "physicalLocation");
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "artifactLocation");
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "uri");
        wgt_json_string(w, in->path);
        wgt_json_end_object(w);
        wgt_json_key(w, "region");
        wgt_json_begin_inline_object(w);
        wgt_json_key(w, "startLine");
        wgt_json_number(w, d->line);
        wgt_json_key(w, "startColumn");
        wgt_json_number(w, d->column);
        wgt_json_end_object(w);
        wgt_json_end_object(w);
        wgt_json_end_object(w);
        wgt_json_end_array(w);
        wgt_json_end_object(w);
    }
    wgt_json_end_array(w);
    wgt_json_end_object(w);
    wgt_json_end_array(w);
    wgt_json_end_object(w);
    wgt_put_char(in->out, '\n');
}

static void text_diagnostics(const inspection *in, wgt_out *out) {
    for (size_t i = 0; i < in->diagnostic_count; i++) {
        const wgt_diagnostic *d = &in->diagnostics[i];
        wgt_putf(out, "%.*s:%u:%u: %s: %.*s [%s]\n", (int)in->path.size, in->path.data, d->line, d->column,
                 severities[d->severity], (int)d->message.size, d->message.data, d->code);
        if (d->help.size > 0) {
            wgt_putf(out, "    %.*s\n", (int)d->help.size, d->help.data);
        }
    }
}

static void text_names(const inspection *in, const char *label, wgt_wgsl_list list) {
    if (list.count == 0) {
        return;
    }
    wgt_putf(in->out, "  %-10s", label);
    for (size_t i = 0; i < list.count; i++) {
        wgt_str name = in->overrides[list.items[i]].name;
        wgt_putf(in->out, "%s%.*s", i == 0 ? "" : ", ", (int)name.size, name.data);
    }
    wgt_put_char(in->out, '\n');
}

static wgt_status text_entry(const inspection *in, const wgt_wgsl_entry *e, wgt_error *error) {
    uint32_t size[3];
    uint64_t counted, raw;
    wgt_status status = measure(in, e, size, &counted, &raw, error);
    if (status != WGT_OK) {
        return status;
    }
    wgt_putf(in->out, "%.*s  line %u, %.*s", (int)e->name.size, e->name.data, e->line, (int)e->stage.size,
             e->stage.data);
    if (wgt_str_is(e->stage, "compute")) {
        wgt_put(in->out, WGT_STR(", size "));
        for (int axis = 0; axis < 3; axis++) {
            wgt_putf(in->out, "%s", axis == 0 ? "" : "×");
            if (size[axis] == 0) {
                wgt_put(in->out, e->workgroup_size[axis]);
            } else {
                wgt_putf(in->out, "%u", size[axis]);
            }
        }
        if (counted == WGT_UNKNOWN_U64) {
            wgt_put(in->out, WGT_STR(", workgroup memory depends on an override without a value"));
        } else if (counted > 0) {
            wgt_putf(in->out, ", %llu B of workgroup memory", (unsigned long long)counted);
        }
    }
    wgt_put_char(in->out, '\n');
    text_names(in, "sizing", e->sizing_overrides);
    text_names(in, "body", e->body_overrides);
    text_names(in, "needs", e->needs_values);
    if (e->bindings.count > 0) {
        wgt_putf(in->out, "  %-10s", "bindings");
        for (size_t i = 0; i < e->bindings.count; i++) {
            wgt_str name = in->bindings[e->bindings.items[i]].name;
            wgt_putf(in->out, "%s%.*s", i == 0 ? "" : ", ", (int)name.size, name.data);
        }
        wgt_put_char(in->out, '\n');
    }
    return WGT_OK;
}

static wgt_status print_text(const inspection *in, wgt_error *error) {
    for (size_t i = 0; i < in->entry_count; i++) {
        wgt_status status = text_entry(in, &in->entries[i], error);
        if (status != WGT_OK) {
            return status;
        }
    }
    if (in->override_count > 0) {
        wgt_put(in->out, WGT_STR("\noverrides\n"));
    }
    for (size_t i = 0; i < in->override_count; i++) {
        const wgt_wgsl_override *o = &in->overrides[i];
        wgt_putf(in->out, "  %-16.*s %-5.*s ", (int)o->name.size, o->name.data, (int)o->type.size, o->type.data);
        if (o->has_default) {
            wgt_putf(in->out, "= %.*s\n", (int)o->default_expr.size, o->default_expr.data);
        } else {
            wgt_put(in->out, WGT_STR("no default\n"));
        }
    }
    if (in->binding_count > 0) {
        wgt_put(in->out, WGT_STR("\nbindings\n"));
    }
    for (size_t i = 0; i < in->binding_count; i++) {
        const wgt_wgsl_binding *b = &in->bindings[i];
        wgt_putf(in->out, "  %u.%-3u %-16.*s %s%s%.*s  %.*s\n", b->group, b->binding, (int)b->name.size,
                 b->name.data, spaces[b->space], b->access.size > 0 ? ", " : "", (int)b->access.size,
                 b->access.data, (int)b->type.size, b->type.data);
    }
    if (in->diagnostic_count > 0) {
        wgt_put_char(in->out, '\n');
        text_diagnostics(in, in->out);
    }
    return WGT_OK;
}

static void collect(inspection *in) {
    in->override_count = wgt_wgsl_overrides(in->module, &in->overrides);
    in->entry_count = wgt_wgsl_entries(in->module, &in->entries);
    in->binding_count = wgt_wgsl_bindings(in->module, &in->bindings);
    in->diagnostic_count = wgt_wgsl_diagnostics(in->module, &in->diagnostics);
}

static wgt_status check_names(const inspection *in, const char *command) {
    for (size_t i = 0; i < in->value_count; i++) {
        bool known = false;
        for (size_t k = 0; k < in->override_count && !known; k++) {
            known = wgt_str_equal(in->values[i].name, in->overrides[k].name);
        }
        if (!known) {
            return wgt_cli_usage(command, "-D %.*s: the kernel has no override of that name",
                                 (int)in->values[i].name.size, in->values[i].name.data);
        }
    }
    return WGT_OK;
}

static wgt_status inspect_text(inspection *in, wgt_str text, const char *command, bool json, bool sarif) {
    wgt_cli_output output;
    wgt_error error;
    wgt_wgsl *module = NULL;
    wgt_wgsl_options options = {.allocator = wgt_heap()};
    wgt_status status = wgt_wgsl_create(&options, in->path, text, &module, &error);
    if (module == NULL) {
        return wgt_cli_fail(status, error.message);
    }
    in->module = module;
    collect(in);
    bool valid = status == WGT_OK;
    if (status != WGT_OK && status != WGT_BAD_INPUT) {
        wgt_wgsl_destroy(&module);
        return wgt_cli_fail(status, error.message);
    }
    if (valid && check_names(in, command) != WGT_OK) {
        wgt_wgsl_destroy(&module);
        return WGT_USAGE;
    }
    in->out = wgt_cli_output_init(&output);
    wgt_json_writer writer;
    wgt_json_writer_init(&writer, in->out, 2);
    in->json = &writer;
    wgt_status printed = WGT_OK;
    if (sarif) {
        print_sarif(in);
    } else if (json) {
        printed = print_json(in, valid, &error);
    } else if (valid) {
        printed = print_text(in, &error);
    } else {
        char memory[4096];
        for (size_t i = 0; i < in->diagnostic_count; i++) {
            wgt_out one;
            wgt_out_init(&one, memory, sizeof memory);
            inspection single = *in;
            single.diagnostics += i;
            single.diagnostic_count = 1;
            text_diagnostics(&single, &one);
            fputs(memory, stderr);
        }
    }
    if (printed == WGT_OK) {
        wgt_out_flush(in->out);
    }
    wgt_wgsl_destroy(&module);
    return printed != WGT_OK ? wgt_cli_fail(printed, error.message) : status;
}

wgt_status wgt_cli_inspect(int argc, char **argv) {
    bool json = false, sarif = false;
    wgt_cli_list defines = {.count = 0};
    const wgt_cli_option options[] = {
        {"define", 'D', WGT_CLI_EACH, &defines, "NAME=VALUE", "a value for an override"},
        {"json", 0, WGT_CLI_FLAG, &json, NULL, "as JSON"},
        {"sarif", 0, WGT_CLI_FLAG, &sarif, NULL, "the diagnostics as SARIF 2.1.0"},
        {0}};
    const char *command = argv[0];
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv,
                                      "wgtune inspect FILE.wgsl [-D NAME=VALUE ...] [--json|--sarif]\n\n"
                                      "Tells what a WGSL file declares and what could be better, without a GPU.",
                                      options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands != 1) {
        return wgt_cli_usage(command, "takes one file");
    }
    if (json && sarif) {
        return wgt_cli_usage(command, "--json and --sarif exclude one another");
    }
    wgt_cli_value given[64];
    wgt_wgsl_value values[64];
    status = wgt_cli_values(command, "-D", &defines, given);
    if (status != WGT_OK) {
        return status;
    }
    for (size_t i = 0; i < defines.count; i++) {
        values[i] = (wgt_wgsl_value){given[i].name, given[i].value};
    }
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    wgt_error error;
    wgt_str text;
    status = wgt_file_read(argv[1], 0, &arena, &text, &error);
    if (status != WGT_OK) {
        wgt_cli_fail(status, error.message);
    } else {
        inspection in = {.path = wgt_str_from(argv[1]), .values = values, .value_count = defines.count};
        status = inspect_text(&in, text, command, json, sarif);
    }
    wgt_arena_release(&arena);
    return status;
}
