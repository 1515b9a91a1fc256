/* The options that choose a device, the same in every command. */
#ifndef WGT_CLI_DEVICE_H
#define WGT_CLI_DEVICE_H

#include "cli.h"
#include "base/memory.h"
#include "wgtune/gpu.h"

/* WGTUNE_FAKE_GPU names a file with a simulated GPU's truth (tests): read into the arena. Prints what is wrong. */
wgt_status wgt_cli_device(wgt_gpu_options *options, wgt_arena *arena);

#endif
