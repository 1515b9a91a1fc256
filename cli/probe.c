#include "cli.h"
#include "device.h"
#include "output.h"
#include "base/host/host.h"
#include "report/probe.h"
#include "wgtune/probe_run.h"
#include <stdlib.h>
#include <unistd.h>

static void show_progress(void *user, const char *phase, double share) {
    (void)user;
    fprintf(stderr, "\r\033[Kprobing %s, %.0f %%", phase, share * 100);
    fflush(stderr);
}

static wgt_status print_json(const wgt_probed *probed) {
    size_t size = 0;
    wgt_probed_write(probed, NULL, &size);
    size_t capacity = size + 1;
    char *text = malloc(capacity);
    if (text == NULL) {
        return wgt_cli_fail(WGT_NO_MEMORY, "no memory for the JSON text");
    }
    const wgt_status status = wgt_probed_write(probed, text, &capacity);
    if (status == WGT_OK) {
        fwrite(text, 1, capacity, stdout);
    }
    free(text);
    return status;
}

static wgt_status print(const wgt_probed *probed, bool json, bool explain) {
    if (json) {
        return print_json(probed);
    }
    wgt_cli_output output;
    wgt_out *out = wgt_cli_output_init(&output);
    wgt_report_probe(out, probed, explain, wgt_cli_color());
    wgt_out_flush(out);
    return WGT_OK;
}

wgt_status wgt_cli_probe(int argc, char **argv) {
    wgt_probe_options probe = {.no_wisdom = false};
    bool json = false, explain = false, in_process = false;
    const wgt_cli_option options[] = {
        {"adapter", 0, WGT_CLI_TEXT, &probe.gpu.adapter, "N|NAME", "which adapter of `wgtune adapters`"},
        {"library", 0, WGT_CLI_TEXT, &probe.gpu.library, "FILE", "wgpu-native's library"},
        {"explain", 0, WGT_CLI_FLAG, &explain, NULL, "how each line was found"},
        {"fresh", 0, WGT_CLI_FLAG, &probe.fresh, NULL, "measure though the sheet is known"},
        {"in-process", 0, WGT_CLI_FLAG, &in_process, NULL, "without a process of its own for the device"},
        {"json", 0, WGT_CLI_FLAG, &json, NULL, "the sheet as JSON"},
        {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv,
                                      "wgtune probe [OPTION ...]\n\n"
                                      "Measures what WebGPU does not tell of a GPU: compute units, what they hold,\n"
                                      "and its rates.\n",
                                      options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands != 0) {
        return wgt_cli_usage(argv[0], "takes no operands, '%s' is one", argv[1]);
    }
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    status = wgt_cli_device(&probe.gpu, &arena);
    if (status == WGT_OK) {
        probe.worker = in_process ? NULL : wgt_program_path(&arena);
        probe.interrupted = wgt_cli_interrupted;
        probe.warning = wgt_cli_warning;
        probe.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
        wgt_cli_catch_interrupts();
        wgt_probed probed;
        wgt_error error = {{0}};
        status = wgt_probe_adapter(&probe, &probed, &error);
        if (probe.progress != NULL) {
            fprintf(stderr, "\r\033[K");
        }
        if (status == WGT_OK || status == WGT_NOT_SAVED || (status == WGT_INTERRUPTED && probed.sheet.actions > 0)) {
            const wgt_status printed = print(&probed, json, explain);
            status = status == WGT_OK ? printed : status;
        }
        if (status != WGT_OK) {
            fflush(stdout);
            wgt_cli_fail(status, error.message[0] != '\0' ? error.message : wgt_status_name(status));
        }
    }
    wgt_arena_release(&arena);
    return status;
}
