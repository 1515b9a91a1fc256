/* What the commands share. A command is one file with one function
 * `wgt_status wgt_cli_NAME(int argc, char **argv)`, argv[0] being the command's own name; it prints results on
 * stdout, messages on stderr, and returns the exit code as a status. Its row is in cli/main.c. */
#ifndef WGT_CLI_H
#define WGT_CLI_H

#include "wgtune/base.h"
#include <stdio.h>

typedef struct wgt_cli_command {
    const char *name;
    const char *summary; /* one line, for `wgtune --help` */
    wgt_status (*run)(int argc, char **argv);
    bool hidden;
} wgt_cli_command;

/* One row an option. `--name VALUE`, `--name=VALUE`; a one-letter alias may be given. */
typedef enum wgt_cli_kind {
    WGT_CLI_FLAG,   /* value: bool * */
    WGT_CLI_TEXT,   /* value: const char ** */
    WGT_CLI_U64,    /* value: uint64_t *; a whole number */
    WGT_CLI_NUMBER, /* value: double *; a number */
    WGT_CLI_PERCENT,/* value: double *; "2%" or "0.02" */
    WGT_CLI_EACH    /* value: wgt_cli_list *; may be given several times */
} wgt_cli_kind;

typedef struct wgt_cli_list {
    const char *items[64];
    size_t count;
} wgt_cli_list;

typedef struct wgt_cli_option {
    const char *name;   /* without dashes */
    char letter;        /* 0: none */
    wgt_cli_kind kind;
    void *value;
    const char *meta;   /* what stands for the value in the help: "N", "FILE" */
    const char *help;
} wgt_cli_option;

/* Parses argv[1..]. Options may stand anywhere before `--`; the rest are operands, moved to the front of
 * argv[1..], and *operand_count is set. `--help`/`-h` prints `usage` and the options' help on stdout and
 * returns WGT_NEGATIVE (the caller then returns WGT_OK). Errors are printed on stderr (`unknown option
 * '--fresch', did you mean '--fresh'?`) and give WGT_USAGE. `options` ends in a row without a name. */
wgt_status wgt_cli_parse(int argc, char **argv, const char *usage, const wgt_cli_option *options,
                         int *operand_count);

/* Prints `wgtune: message` on stderr and returns the status. */
wgt_status wgt_cli_fail(wgt_status status, const char *message);
/* Prints `wgtune COMMAND: message` and the hint to --help; returns WGT_USAGE. */
wgt_status wgt_cli_usage(const char *command, const char *format, ...) WGT_PRINTF(2, 3);
/* The nearest of `count` names within a typing mistake, or NULL. */
const char *wgt_cli_nearest(const char *name, const char *const *names, size_t count);
/* Flushes stdout; WGT_NOT_SAVED with a message when it could not be written (a full disk, say); a closed pipe is
 * no error. */
wgt_status wgt_cli_finish(wgt_status status);

/* Long work: the first interrupt is noted, so that what was measured is kept; the second ends the program. The other two
 * have the shape of the library's callbacks. */
void wgt_cli_catch_interrupts(void);
bool wgt_cli_interrupted(void *user);
void wgt_cli_warning(void *user, const char *message);

/* `NAME=VALUE` with a finite number; prints a usage error otherwise. */
typedef struct wgt_cli_value {
    wgt_str name;
    double value;
} wgt_cli_value;
wgt_status wgt_cli_values(const char *command, const char *option, const wgt_cli_list *list,
                          wgt_cli_value *values);

/* The path of a job: the file itself where `name` is one; else the built-in job of that name ($WGTUNE_KERNELS, the
 * folder kernels/ beside the program's, the installed one). Prints the error with the nearest names. */
wgt_status wgt_cli_job_path(const char *name, char *path, size_t capacity);
/* The folder of the built-in jobs; false when there is none. */
bool wgt_cli_kernels(char *path, size_t capacity);

wgt_status wgt_cli_tune(int argc, char **argv);
wgt_status wgt_cli_probe(int argc, char **argv);
wgt_status wgt_cli_adapters(int argc, char **argv);
wgt_status wgt_cli_jobs(int argc, char **argv);
wgt_status wgt_cli_wisdom(int argc, char **argv);
wgt_status wgt_cli_version(int argc, char **argv);
wgt_status wgt_cli_worker(int argc, char **argv);
wgt_status wgt_cli_inspect(int argc, char **argv);
wgt_status wgt_cli_rewrite(int argc, char **argv);
wgt_status wgt_cli_explain(int argc, char **argv);
wgt_status wgt_cli_archs(int argc, char **argv);

#endif
