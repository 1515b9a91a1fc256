#include "cli.h"

wgt_status wgt_cli_version(int argc, char **argv) {
    bool json = false;
    const wgt_cli_option options[] = {{"json", 0, WGT_CLI_FLAG, &json, NULL, "as JSON"}, {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv, "wgtune version [--json]", options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    if (operands > 0) {
        return wgt_cli_usage(argv[0], "takes no operand");
    }
    printf(json ? "{\"version\": \"%s\"}\n" : "wgtune %s\n", wgt_version());
    return WGT_OK;
}
