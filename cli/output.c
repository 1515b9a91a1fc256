#include "output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool to_stdout(void *user, const char *data, size_t size) {
    (void)user;
    return fwrite(data, 1, size, stdout) == size;
}

wgt_out *wgt_cli_output_init(wgt_cli_output *output) {
    wgt_out_init(&output->out, output->memory, sizeof output->memory);
    output->out.flush = to_stdout;
    return &output->out;
}

bool wgt_cli_color(void) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}
