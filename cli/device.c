#include "device.h"
#include "base/host/host.h"
#include <stdlib.h>

wgt_status wgt_cli_device(wgt_gpu_options *options, wgt_arena *arena) {
    const char *path = getenv("WGTUNE_FAKE_GPU");
    if (path == NULL || path[0] == '\0') {
        return WGT_OK;
    }
    wgt_str text;
    wgt_error error = {{0}};
    wgt_status status = wgt_file_read(path, 0, arena, &text, &error);
    if (status != WGT_OK) {
        return wgt_cli_fail(status, error.message);
    }
    options->fake = text.data;
    return WGT_OK;
}
