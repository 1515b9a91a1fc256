/* xxhash.h includes it for the streaming interface, which the library does not use: a call that
 * survived would be an undefined symbol, which fails the link. */
#ifndef WGT_WASM_STDLIB_H
#define WGT_WASM_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void free(void *memory);

#endif
