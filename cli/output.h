/* stdout as a text sink. */
#ifndef WGT_CLI_OUTPUT_H
#define WGT_CLI_OUTPUT_H

#include "base/text.h"

typedef struct wgt_cli_output {
    wgt_out out;
    char memory[16384];
} wgt_cli_output;

wgt_out *wgt_cli_output_init(wgt_cli_output *output);
/* True when stdout is a terminal that wants colour: a terminal, no NO_COLOR, TERM not "dumb". */
bool wgt_cli_color(void);

#endif
