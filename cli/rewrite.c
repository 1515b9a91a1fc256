#include "cli.h"
#include "base/host/host.h"
#include "base/text.h"
#include "wgtune/rewrite.h"
#include <stdio.h>

static const wgt_wgsl_entry *find_entry(const wgt_wgsl *module, const char *wanted, wgt_error *error) {
    const wgt_wgsl_entry *entries = NULL, *found = NULL;
    size_t count = wgt_wgsl_entries(module, &entries), compute = 0;
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_is(entries[i].stage, "compute") && (wanted == NULL || wgt_str_is(entries[i].name, wanted))) {
            compute++;
            found = &entries[i];
        }
    }
    if (compute == 1) {
        return found;
    }
    wgt_fail(error, WGT_BAD_INPUT,
             compute > 1       ? "several compute entries: --entry says which"
             : wanted == NULL  ? "no compute entry"
                               : "no compute entry of that name");
    return NULL;
}

static wgt_status rewrite(const char *path, const char *entry_name, wgt_rewrite_options *options) {
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    wgt_error error = {{0}};
    wgt_str text;
    wgt_wgsl *module = NULL;
    wgt_rewrite *result = NULL;
    const wgt_wgsl_options reading = {wgt_heap(), 0};
    options->allocator = wgt_heap();
    wgt_status status = wgt_file_read(path, 0, &arena, &text, &error);
    if (status == WGT_OK) {
        status = wgt_wgsl_create(&reading, wgt_str_from(path), text, &module, &error);
    }
    const wgt_wgsl_entry *entry = status == WGT_OK ? find_entry(module, entry_name, &error) : NULL;
    if (status == WGT_OK) {
        status = entry == NULL ? WGT_BAD_INPUT : wgt_rewrite_create(module, entry, options, &result, &error);
    }
    if (status == WGT_OK) {
        wgt_str made = wgt_rewrite_text(result);
        fwrite(made.data, 1, made.size, stdout);
    } else {
        wgt_cli_fail(status, error.message);
    }
    wgt_rewrite_destroy(&result);
    wgt_wgsl_destroy(&module);
    wgt_arena_release(&arena);
    return status;
}

wgt_status wgt_cli_rewrite(int argc, char **argv) {
    const char *entry = NULL, *engine = NULL;
    wgt_cli_list promote = {.count = 0};
    wgt_rewrite_options rewriting = {0};
    const wgt_cli_option options[] = {
        {"free-size", 0, WGT_CLI_FLAG, &rewriting.free_size, NULL, "literal and const workgroup sizes become overrides"},
        {"assume-free", 0, WGT_CLI_FLAG, &rewriting.assume_free, NULL, "even where the same number stands elsewhere"},
        {"promote", 0, WGT_CLI_EACH, &promote, "NAME", "a const becomes an override; may be given several times"},
        {"count", 0, WGT_CLI_FLAG, &rewriting.count, NULL, "the entry counts its resident workgroups"},
        {"fold", 0, WGT_CLI_FLAG, &rewriting.fold, NULL, "a 1-D kernel takes a 2-D grid of workgroups"},
        {"engine", 0, WGT_CLI_TEXT, &engine, "NAME", "tint or naga: adapt what they read differently"},
        {"entry", 0, WGT_CLI_TEXT, &entry, "NAME", "which compute entry, where there are several"},
        {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune rewrite FILE.wgsl --free-size | --promote NAME | --count | --fold | --engine NAME [OPTION ...]",
                                      options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands != 1) {
        return wgt_cli_usage(argv[0], "one WGSL file is needed");
    }
    wgt_str names[64];
    for (size_t i = 0; i < promote.count; i++) {
        names[i] = wgt_str_from(promote.items[i]);
    }
    rewriting.promote = names;
    rewriting.promote_count = promote.count;
    if (rewriting.count && (rewriting.free_size || promote.count > 0)) {
        return wgt_cli_usage(argv[0], "--count goes alone");
    }
    if (rewriting.fold && (rewriting.free_size || rewriting.count)) {
        return wgt_cli_usage(argv[0], "--fold goes without --free-size and --count");
    }
    if (engine != NULL) {
        rewriting.engine = wgt_str_is(wgt_str_from(engine), "tint") ? WGT_REWRITE_TINT : WGT_REWRITE_NAGA;
        if (rewriting.engine == WGT_REWRITE_NAGA && !wgt_str_is(wgt_str_from(engine), "naga")) {
            return wgt_cli_usage(argv[0], "--engine is tint or naga");
        }
    }
    if (!rewriting.free_size && !rewriting.count && !rewriting.fold && engine == NULL && promote.count == 0) {
        return wgt_cli_usage(argv[0], "--free-size, --promote, --count, --fold or --engine is needed");
    }
    return rewrite(argv[1], entry, &rewriting);
}
