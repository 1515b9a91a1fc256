#include "cli.h"
#include <signal.h>
#include <string.h>

static const wgt_cli_command commands[] = {
    {"tune", "measure a job's candidates on this device and pick", wgt_cli_tune, false},
    {"adapters", "what WebGPU sees here: limits, subgroup width, clock", wgt_cli_adapters, false},
    {"probe", "the data sheet of a GPU that WebGPU hides, measured", wgt_cli_probe, false},
    {"jobs", "the built-in jobs", wgt_cli_jobs, false},
    {"wisdom", "list, show or forget what was measured", wgt_cli_wisdom, false},
    {"inspect", "what a WGSL file declares, and what could be better", wgt_cli_inspect, false},
    {"rewrite", "let a kernel's literal sizes and consts vary", wgt_cli_rewrite, false},
    {"explain", "what limits occupancy, by arithmetic, no GPU", wgt_cli_explain, false},
    {"archs", "the GPU architectures that explain knows", wgt_cli_archs, false},
    {"version", "the version of wgtune", wgt_cli_version, false},
    {"worker", "the other half of tune", wgt_cli_worker, true},
};
static const size_t command_count = sizeof commands / sizeof *commands;

static void print_help(void) {
    fputs("wgtune finds the constants that a WGSL compute kernel should run with on this GPU.\n\n"
          "usage: wgtune COMMAND [OPTION ...]\n\n",
          stdout);
    for (size_t i = 0; i < command_count; i++) {
        if (!commands[i].hidden) {
            printf("  %-10s %s\n", commands[i].name, commands[i].summary);
        }
    }
    fputs("\n`wgtune COMMAND --help` tells the options of a command.\n"
          "exit codes: 0 done, 1 a valid negative answer, 2 usage, 3 bad input, 4 no usable GPU,\n"
          "5 internal, 6 done but the result could not be saved, 130 interrupted\n",
          stdout);
}

static wgt_status unknown_command(const char *name) {
    const char *names[sizeof commands / sizeof *commands];
    for (size_t i = 0; i < command_count; i++) {
        names[i] = commands[i].name;
    }
    const char *nearest = wgt_cli_nearest(name, names, command_count);
    if (nearest != NULL) {
        fprintf(stderr, "wgtune: unknown command '%s', did you mean '%s'?\n", name, nearest);
    } else {
        fprintf(stderr, "wgtune: unknown command '%s', see `wgtune --help`\n", name);
    }
    return WGT_USAGE;
}

static int exit_code(wgt_status status) {
    return status == WGT_NO_MEMORY ? WGT_INTERNAL : (int)status;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        fputs("usage: wgtune COMMAND [OPTION ...], see `wgtune --help`\n", stderr);
        return WGT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return exit_code(wgt_cli_finish(WGT_OK));
    }
    if (strcmp(argv[1], "--version") == 0) {
        argv[1] = "version";
    }
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return exit_code(wgt_cli_finish(commands[i].run(argc - 1, argv + 1)));
        }
    }
    return exit_code(unknown_command(argv[1]));
}
