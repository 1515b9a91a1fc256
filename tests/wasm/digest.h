#ifndef WGT_TEST_DIGEST_H
#define WGT_TEST_DIGEST_H

#include <stdint.h>

/* Of gcc and clang at every level of optimisation on x86-64, and of wasm. */
#define WGT_TEST_DIGEST UINT64_C(0x37ead047f6539314)

uint64_t wgt_test_digest(void);

#endif
