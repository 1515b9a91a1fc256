/* A fuzzer is a file with these three; driver.c runs it where libFuzzer does not. */
#ifndef WGT_FUZZ_H
#define WGT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Texts to start from, and words to put in; both end with NULL. */
extern const char *const wgt_fuzz_seeds[];
extern const char *const wgt_fuzz_words[];

/* Kept in builds without assertions. */
#define WGT_FUZZ_CHECK(condition)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
