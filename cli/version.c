#include "cli.h"

wgt_status wgt_cli_version(int argc, char **argv) {
    const wgt_cli_option options[] = {{0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune version", options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands > 0) {
        return wgt_cli_usage(argv[0], "takes no operand");
    }
    printf("wgtune %s\n", wgt_version());
    return WGT_OK;
}
