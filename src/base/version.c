#include "wgtune/base.h"

const char *wgt_version(void) { return WGT_VERSION; }
