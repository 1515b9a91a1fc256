#include "cli.h"
#include "device.h"
#include "output.h"
#include "base/host/host.h"
#include "report/json.h"
#include "report/terminal.h"
#include "wgtune/arch.h"
#include "wgtune/gpu.h"
#include <string.h>

#define MAX_ADAPTERS 16
#define SHOWN_ARCHS 3

/* Opens each adapter: the subgroup width and the clock's step are only known from kernels that ran. */
static void look_closer(const wgt_gpu_options *base, wgt_adapter *adapters, size_t count, wgt_clock *clocks,
                        bool *has_clock) {
    for (size_t i = 0; i < count; i++) {
        char number[16];
        wgt_format(number, sizeof number, "%zu", i);
        wgt_gpu_options options = *base;
        options.adapter = number;
        wgt_gpu *gpu = NULL;
        wgt_error error = {{0}};
        has_clock[i] = false;
        if (wgt_gpu_open(&options, &gpu, &error) != WGT_OK) {
            fprintf(stderr, "wgtune: adapter %zu: %s\n", i, error.message);
            continue;
        }
        adapters[i] = *gpu->api->adapter(gpu);
        has_clock[i] = wgt_gpu_clock(gpu, &clocks[i], &error) == WGT_OK;
        if (!has_clock[i]) {
            fprintf(stderr, "wgtune: adapter %zu: %s\n", i, error.message);
        }
        wgt_gpu_close(&gpu);
    }
}

static void print_limit(wgt_out *out, const char *label, uint64_t value) {
    char number[64];
    wgt_report_count((double)value, number, sizeof number);
    wgt_putf(out, "   %-12s%s\n", label, number);
}

/* By ids, names and widths: an inference, and several rows of the table where they do not tell them apart. */
static void print_architecture(wgt_out *out, const wgt_adapter *a) {
    const wgt_evidence evidence = wgt_evidence_of_adapter(a);
    wgt_identified found;
    wgt_arch_identify(&evidence, &found);
    if (found.count == 0 || found.count > SHOWN_ARCHS) {
        return;
    }
    wgt_putf(out, "   %-12s", "taken for");
    for (size_t i = 0; i < found.count; i++) {
        wgt_putf(out, "%s%s", i == 0 ? "" : " or ", found.archs[i]->id);
    }
    wgt_put_char(out, '\n');
}

static void print_adapter(wgt_out *out, size_t index, const wgt_adapter *a, const wgt_clock *clock,
                          bool has_clock) {
    wgt_putf(out, "%zu  ", index);
    wgt_report_adapter(out, a);
    wgt_putf(out, "\n   %-12s%s\n", "type", wgt_adapter_type_name(a->type));
    print_architecture(out, a);
    if (a->subgroup_min != 0 && a->subgroup_min == a->subgroup_max) {
        wgt_putf(out, "   %-12s%u wide\n", "subgroups", a->subgroup_min);
    } else if (a->subgroup_max != 0) {
        wgt_putf(out, "   %-12s%u to %u wide\n", "subgroups", a->subgroup_min, a->subgroup_max);
    } else {
        wgt_putf(out, "   %-12swidth unknown\n", "subgroups");
    }
    if (has_clock && clock->timestamps) {
        wgt_putf(out, "   %-12stimestamp queries", "clock");
        if (clock->quantum_ns > 0) {
            wgt_putf(out, ", steps of %g ns", clock->quantum_ns);
        }
        wgt_put_char(out, '\n');
    } else if (has_clock) {
        wgt_putf(out, "   %-12sthe host's: %s\n", "clock", clock->note);
    }
    print_limit(out, "invocations", a->limits.max_compute_invocations_per_workgroup);
    wgt_putf(out, "   %-12s%llu × %llu × %llu\n", "axes",
             (unsigned long long)a->limits.max_compute_workgroup_size_x,
             (unsigned long long)a->limits.max_compute_workgroup_size_y,
             (unsigned long long)a->limits.max_compute_workgroup_size_z);
    wgt_putf(out, "   %-12s%llu bytes of workgroup storage\n", "shared",
             (unsigned long long)a->limits.max_compute_workgroup_storage_size);
    print_limit(out, "workgroups", a->limits.max_compute_workgroups_per_dimension);
    wgt_putf(out, "   %-12s%llu bytes a storage binding, %llu a buffer\n", "buffers",
             (unsigned long long)a->limits.max_storage_buffer_binding_size,
             (unsigned long long)a->limits.max_buffer_size);
}

static wgt_status list_adapters(const wgt_gpu_options *options, bool json) {
    wgt_adapter adapters[MAX_ADAPTERS];
    wgt_clock clocks[MAX_ADAPTERS] = {0};
    bool has_clock[MAX_ADAPTERS] = {0};
    size_t count = 0;
    wgt_error error = {{0}};
    wgt_status status = wgt_gpu_adapters(options, adapters, MAX_ADAPTERS, &count, &error);
    if (status != WGT_OK) {
        return wgt_cli_fail(status, error.message);
    }
    count = count < MAX_ADAPTERS ? count : MAX_ADAPTERS;
    look_closer(options, adapters, count, clocks, has_clock);
    wgt_cli_output output;
    wgt_out *out = wgt_cli_output_init(&output);
    if (json) {
        wgt_report_adapters_json(out, adapters, clocks, has_clock, count);
    }
    for (size_t i = 0; i < count && !json; i++) {
        print_adapter(out, i, &adapters[i], &clocks[i], has_clock[i]);
    }
    wgt_out_flush(out);
    return WGT_OK;
}

wgt_status wgt_cli_adapters(int argc, char **argv) {
    bool json = false;
    wgt_gpu_options device = {0};
    const wgt_cli_option options[] = {
        {"json", 0, WGT_CLI_FLAG, &json, NULL, "everything as JSON"},
        {"library", 0, WGT_CLI_TEXT, &device.library, "FILE", "wgpu-native's library; else WGTUNE_WGPU_LIB, beside the "
                                                              "program, the system"},
        {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune adapters [--json]", options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands > 0) {
        return wgt_cli_usage(argv[0], "takes no operand, not '%s'", argv[1]);
    }
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    status = wgt_cli_device(&device, &arena);
    if (status == WGT_OK) {
        status = list_adapters(&device, json);
    }
    wgt_arena_release(&arena);
    return status;
}
