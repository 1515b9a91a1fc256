/* The system's reasons for a failure, in our words. */
#ifndef WGT_BASE_REASON_H
#define WGT_BASE_REASON_H

#include "host.h"

/* Fails with `path: reason (errno N)`. */
wgt_status wgt_fail_on(wgt_error *error, wgt_status status, const char *path, int code);

#endif
