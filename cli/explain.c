#include "explain.h"
#include "base/number.h"
#include "cli.h"
#include "output.h"
#include <string.h>

/* `--unit NAME=VALUE,...`: the literature's unit in numbers, under the short names of the formula.
 */
typedef struct unit_word {
    const char *word, *sheet;
} unit_word;
static const unit_word unit_words[] = {{"slots", "workgroup_slots"},
                                       {"invocations", "invocations_per_unit"},
                                       {"shared", "shared_bytes_per_unit"},
                                       {"registers", "registers_per_unit"},
                                       {"barriers", "barriers_per_unit"},
                                       {"subgroup", "subgroup_size"},
                                       {"shared-granularity", "shared_granularity_bytes"},
                                       {"shared-reserve", "shared_reserve_bytes"},
                                       {"register-granularity", "register_granularity"},
                                       {"max-workgroup", "max_workgroup"}};
#define UNIT_WORDS (sizeof unit_words / sizeof *unit_words)

static uint64_t *measured_field(wgt_measured *measured, const char *sheet) {
    size_t count;
    const wgt_measured_row *rows = wgt_measured_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, sheet) == 0) {
            return (uint64_t *)(void *)((char *)measured + rows[i].offset);
        }
    }
    return NULL;
}

static wgt_status unit_word_error(const char *command, wgt_str part) {
    const char *words[UNIT_WORDS];
    char name[32];
    for (size_t i = 0; i < UNIT_WORDS; i++) {
        words[i] = unit_words[i].word;
    }
    wgt_format(name, sizeof name, "%.*s", (int)strcspn(part.data, "=,"), part.data);
    const char *nearest = wgt_cli_nearest(name, words, UNIT_WORDS);
    return wgt_cli_usage(command, "--unit: '%.*s' is not NAME=NUMBER with a name such as '%s'",
                         (int)part.size, part.data, nearest != NULL ? nearest : "slots");
}

static wgt_status parse_unit(const char *command, const char *text, wgt_measured *measured) {
    for (const char *at = text; *at != '\0';) {
        wgt_str part = {at, strcspn(at, ",")};
        size_t name = strcspn(at, "=,");
        uint64_t *field = NULL;
        for (size_t i = 0; i < UNIT_WORDS && field == NULL; i++) {
            if (wgt_str_is((wgt_str){at, name}, unit_words[i].word)) {
                field = measured_field(measured, unit_words[i].sheet);
            }
        }
        wgt_str value = {at + name + 1, name < part.size ? part.size - name - 1 : 0};
        if (field == NULL || value.size == 0 || !wgt_u64_parse(value, field) ||
            *field > UINT32_MAX) {
            return unit_word_error(command, part);
        }
        at += part.size;
        at += *at == ',' ? 1 : 0;
    }
    return WGT_OK;
}

/* The options' values, before they are checked. */
typedef struct explain_options {
    const char *arch, *unit;
    bool json, batch, large_grf, cu_mode;
    uint64_t workgroup, registers, shared, barriers, subgroup, sgprs, half_registers, branchstack;
    uint64_t dispatched, units;
    wgt_measured measured;
} explain_options;

static uint32_t to_u32(uint64_t value) {
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static uint64_t or_zero(uint64_t value) {
    return value == WGT_UNKNOWN_U64 ? 0 : value;
}

static wgt_use use_of(const explain_options *o) {
    return (wgt_use){.workgroup = to_u32(or_zero(o->workgroup)),
                     .registers = to_u32(o->registers),
                     .shared_bytes = to_u32(o->shared),
                     .barriers = to_u32(o->barriers),
                     .subgroup = to_u32(o->subgroup),
                     .sgprs = to_u32(o->sgprs),
                     .half_registers = to_u32(o->half_registers),
                     .branchstack = to_u32(o->branchstack),
                     .large_grf = o->large_grf,
                     .dispatched = o->dispatched,
                     .units = to_u32(o->units)};
}

/* The unit from the table or from --unit, with measured resources in place of the table's. */
static wgt_status resolve(const char *command, explain_options *o, explain_request *request) {
    wgt_error error = {{0}};
    *request = (explain_request){.use = use_of(o), .cu_mode = o->cu_mode};
    request->has_workgroup = o->workgroup != WGT_UNKNOWN_U64;
    if (o->unit != NULL) {
        wgt_status status = parse_unit(command, o->unit, &o->measured);
        if (status != WGT_OK) {
            return status;
        }
    }
    if (o->arch != NULL) {
        wgt_status status = wgt_arch_get(wgt_str_from(o->arch), &request->arch, &error);
        status = status == WGT_OK
                     ? wgt_arch_check_subgroup(request->arch, request->use.subgroup, &error)
                     : status;
        if (status != WGT_OK) {
            return wgt_cli_fail(status, error.message);
        }
        request->unit = *wgt_arch_unit(request->arch, o->cu_mode);
    }
    request->has_unit = o->arch != NULL || o->unit != NULL;
    request->measured = o->measured;
    request->difference_count =
        wgt_unit_measure(&request->unit, &o->measured, request->differences);
    request->difference_count = request->arch != NULL ? request->difference_count : 0;
    return WGT_OK;
}

static wgt_status explain_one(const explain_request *request, bool json) {
    wgt_cli_output output;
    wgt_error error = {{0}};
    wgt_out *out = wgt_cli_output_init(&output);
    (json ? explain_json : explain_text)(out, request);
    wgt_out_flush(out);
    if (request->has_workgroup && explain_exceeded(request, &error)) {
        return wgt_cli_fail(WGT_BAD_INPUT, error.message);
    }
    return WGT_OK;
}

static wgt_status run(const char *command, explain_options *o) {
    explain_request request;
    if (o->arch != NULL && o->unit != NULL) {
        return wgt_cli_usage(command, "--arch and --unit exclude each other");
    }
    if (o->arch == NULL && o->unit == NULL && !o->batch) {
        return wgt_cli_usage(command, "needs --arch, --unit or --batch");
    }
    if (o->batch && o->json) {
        return wgt_cli_usage(command, "--batch answers in CSV, without --json");
    }
    wgt_status status = resolve(command, o, &request);
    if (status != WGT_OK || !o->batch) {
        return status != WGT_OK ? status : explain_one(&request, o->json);
    }
    wgt_cli_output output;
    wgt_error error = {{0}};
    wgt_out *out = wgt_cli_output_init(&output);
    status = explain_batch(out, &request, &error);
    wgt_out_flush(out);
    return status == WGT_OK ? WGT_OK : wgt_cli_fail(status, error.message);
}

#define USAGE                                                                                      \
    "wgtune explain --arch ARCH --workgroup N [--registers N] [--shared BYTES] [--barriers N]\n"   \
    "       wgtune explain --unit slots=32,invocations=2048,shared=65536,registers=65536 "         \
    "--workgroup N ...\n"                                                                          \
    "       wgtune explain --batch < TABLE.csv\n\n"                                                \
    "How many workgroups of a kernel a compute unit holds at once, what limits them, and what "    \
    "one more\n"                                                                                   \
    "would take; by arithmetic, without a GPU. --unit is the literature's formula:\n"              \
    "  min(slots, floor(shared / S), floor(registers / (R * N)), floor(invocations / N))\n"        \
    "--batch adds workgroups,subgroups,max_subgroups,limiters to a CSV with the columns\n"         \
    "  "                                                                                           \
    "arch,workgroup,registers,shared_bytes,barriers,subgroup,sgprs,large_grf,half_registers,"      \
    "branchstack\n"

wgt_status wgt_cli_explain(int argc, char **argv) {
    explain_options o = {.workgroup = WGT_UNKNOWN_U64};
    wgt_measured_init(&o.measured);
    wgt_measured *m = &o.measured;
    const wgt_cli_option options[] = {
        {"arch", 'a', WGT_CLI_TEXT, &o.arch, "ARCH",
         "an architecture of `wgtune archs`, or a product's name"},
        {"unit", 0, WGT_CLI_TEXT, &o.unit, "NAME=N,...",
         "a unit in numbers instead, by the plain formula"},
        {"workgroup", 'w', WGT_CLI_U64, &o.workgroup, "N",
         "invocations in a workgroup; else the chart alone"},
        {"registers", 'r', WGT_CLI_U64, &o.registers, "N",
         "an invocation, as the driver counts them"},
        {"shared", 's', WGT_CLI_U64, &o.shared, "BYTES", "workgroup memory"},
        {"barriers", 0, WGT_CLI_U64, &o.barriers, "N", "barriers that a workgroup holds"},
        {"subgroup", 0, WGT_CLI_U64, &o.subgroup, "N", "its width; else the narrowest"},
        {"sgprs", 0, WGT_CLI_U64, &o.sgprs, "N", "AMD: scalar registers a wave"},
        {"large-grf", 0, WGT_CLI_FLAG, &o.large_grf, NULL, "Intel: 256 registers a thread"},
        {"half-registers", 0, WGT_CLI_U64, &o.half_registers, "N", "Adreno: half vec4 registers"},
        {"branchstack", 0, WGT_CLI_U64, &o.branchstack, "N", "Adreno: depth of divergent branches"},
        {"cu-mode", 0, WGT_CLI_FLAG, &o.cu_mode, NULL, "AMD RDNA: on one CU instead of a WGP"},
        {"dispatch", 0, WGT_CLI_U64, &o.dispatched, "N",
         "workgroups of the dispatch, with --units"},
        {"units", 0, WGT_CLI_U64, &o.units, "N", "compute units of the device"},
        {"shared-per-unit", 0, WGT_CLI_U64, &m->shared_bytes_per_unit, "BYTES",
         "measured, instead of the table's"},
        {"shared-granularity", 0, WGT_CLI_U64, &m->shared_granularity_bytes, "BYTES", "measured"},
        {"shared-reserve", 0, WGT_CLI_U64, &m->shared_reserve_bytes, "BYTES",
         "measured, a workgroup"},
        {"registers-per-unit", 0, WGT_CLI_U64, &m->registers_per_unit, "N", "measured"},
        {"register-granularity", 0, WGT_CLI_U64, &m->register_granularity, "N", "measured"},
        {"slots-per-unit", 0, WGT_CLI_U64, &m->workgroup_slots, "N", "measured workgroup slots"},
        {"invocations-per-unit", 0, WGT_CLI_U64, &m->invocations_per_unit, "N", "measured"},
        {"barriers-per-unit", 0, WGT_CLI_U64, &m->barriers_per_unit, "N", "measured"},
        {"max-workgroup", 0, WGT_CLI_U64, &m->max_workgroup, "N",
         "the device's limit of invocations"},
        {"batch", 0, WGT_CLI_FLAG, &o.batch, NULL, "a CSV on standard input"},
        {"json", 0, WGT_CLI_FLAG, &o.json, NULL, "everything as JSON"},
        {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, USAGE, options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands > 0) {
        return wgt_cli_usage(argv[0], "takes no operand, not '%s'", argv[1]);
    }
    return run(argv[0], &o);
}
