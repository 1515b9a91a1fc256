#include "base/json.h"
#include "cli.h"
#include "output.h"
#include "wgtune/arch.h"
#include <string.h>

/* At most that many columns of a text; cut ones end in "…". The texts are ASCII. */
static void put_cut(wgt_out *out, const char *text, size_t columns) {
    wgt_str view = wgt_str_from(text);
    if (view.size <= columns) {
        wgt_put(out, view);
    } else {
        wgt_putf(out, "%.*s…", (int)columns - 1, text);
    }
}

static void print_row(wgt_out *out, const wgt_arch *arch) {
    const wgt_unit *u = &arch->shared_unit;
    bool known = wgt_arch_is_known(arch);
    char widths[16], holds[16], kib[16];
    wgt_format(widths, sizeof widths, u->subgroup_min == u->subgroup_max ? "%u" : "%u-%u",
               u->subgroup_min, u->subgroup_max);
    wgt_format(holds, sizeof holds, "%u", u->max_subgroups);
    wgt_format(kib, sizeof kib, "%llu", (unsigned long long)u->shared_bytes / 1024);
    wgt_putf(out, "%-14s %-8s %8s  %-13s %5s %4s  ", arch->id, arch->vendor,
             u->subgroup_min > 0 ? widths : "?", u->name, known ? holds : "?",
             known && u->shared_bytes > 0 ? kib : "?");
    put_cut(out, arch->parts[0] != '\0' ? arch->parts : arch->title, 18);
    wgt_put_char(out, '\n');
}

static void print_all(wgt_out *out) {
    size_t count;
    const wgt_arch *archs = wgt_arch_table(&count);
    wgt_putf(out, "%-14s %-8s %8s  %-13s %5s %4s  %s\n", "architecture", "vendor", "subgroup",
             "unit", "holds", "KiB", "parts");
    for (size_t i = 0; i < count; i++) {
        print_row(out, &archs[i]);
    }
    wgt_putf(out, "\nholds: subgroups resident on a unit; KiB: its shared memory; ?: not known\n");
}

static void write_number(wgt_json_writer *w, const char *key, uint64_t value) {
    wgt_json_key(w, key);
    wgt_json_write_u64(w, value > 0 ? value : WGT_UNKNOWN_U64);
}

static void write_unit(wgt_json_writer *w, const char *key, const wgt_unit *u) {
    wgt_json_key(w, key);
    wgt_json_begin_inline_object(w);
    wgt_json_key(w, "name");
    wgt_json_cstring(w, u->name);
    write_number(w, "subgroup_min", u->subgroup_min);
    write_number(w, "subgroup_max", u->subgroup_max);
    write_number(w, "simds", u->simds);
    write_number(w, "max_workgroup", u->max_workgroup);
    write_number(w, "workgroup_slots", u->workgroup_slots);
    write_number(w, "max_subgroups", u->max_subgroups);
    write_number(w, "shared_bytes", u->shared_bytes);
    write_number(w, "shared_max_workgroup", u->shared_max_workgroup);
    write_number(w, "shared_granularity", u->shared_granularity);
    wgt_json_key(w, "shared_reserve");
    wgt_json_write_u64(w, u->shared_reserve);
    write_number(w, "registers", u->registers);
    write_number(w, "register_granularity", u->register_granularity);
    write_number(w, "max_registers", u->max_registers);
    write_number(w, "barriers", u->barriers);
    wgt_json_end_object(w);
}

static void write_row(wgt_json_writer *w, const wgt_arch *arch) {
    const struct {
        const char *key, *value;
    } texts[] = {{"id", arch->id},
                 {"vendor", arch->vendor},
                 {"title", arch->title},
                 {"parts", arch->parts},
                 {"webgpu_architecture", arch->webgpu_architecture},
                 {"confidence", arch->confidence},
                 {"source", arch->source},
                 {"notes", arch->notes}};
    wgt_json_begin_object(w);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wgt_json_key(w, texts[i].key);
        wgt_json_cstring(w, texts[i].value[0] != '\0' ? texts[i].value : NULL);
    }
    wgt_json_key(w, "aliases");
    wgt_json_begin_inline_array(w);
    for (size_t i = 0; arch->aliases[i] != NULL; i++) {
        wgt_json_cstring(w, arch->aliases[i]);
    }
    wgt_json_end_array(w);
    wgt_json_key(w, "known");
    wgt_json_bool(w, wgt_arch_is_known(arch));
    write_unit(w, "unit", &arch->shared_unit);
    if (strcmp(arch->unit.name, arch->shared_unit.name) != 0) {
        write_unit(w, "cu_unit", &arch->unit);
    }
    wgt_json_end_object(w);
}

static void write_all(wgt_out *out) {
    size_t count;
    const wgt_arch *archs = wgt_arch_table(&count);
    wgt_json_writer w;
    wgt_json_writer_init(&w, out, 2);
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "version");
    wgt_json_cstring(&w, wgt_version());
    wgt_json_key(&w, "archs");
    wgt_json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        write_row(&w, &archs[i]);
    }
    wgt_json_end_array(&w);
    wgt_json_end_object(&w);
    wgt_put_char(out, '\n');
}

wgt_status wgt_cli_archs(int argc, char **argv) {
    bool json = false;
    const wgt_cli_option options[] = {
        {"json", 0, WGT_CLI_FLAG, &json, NULL, "all numbers, aliases and sources"}, {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune archs [--json]", options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands > 0) {
        return wgt_cli_usage(argv[0], "takes no operand, not '%s'", argv[1]);
    }
    wgt_cli_output output;
    wgt_out *out = wgt_cli_output_init(&output);
    (json ? write_all : print_all)(out);
    wgt_out_flush(out);
    return WGT_OK;
}
