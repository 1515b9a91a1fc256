#include "cli.h"
#include "wgtune/tune.h"
#include <stdlib.h>
#include <unistd.h>

/* The other half of `tune`, not for people: requests on stdin, answers on stdout. Whatever a driver prints on stdout
 * goes to stderr instead. */
wgt_status wgt_cli_worker(int argc, char **argv) {
    if (argc != 2) {
        return wgt_cli_usage(argv[0], "is started by `wgtune tune` itself");
    }
    int out = dup(STDOUT_FILENO);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return wgt_cli_fail(WGT_INTERNAL, "worker: cannot move standard output");
    }
    return (wgt_status)wgt_worker_main(STDIN_FILENO, out, atoi(argv[1]));
}
