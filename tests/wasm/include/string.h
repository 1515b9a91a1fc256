/* The whole of libc that the pure rooms may call. The builtins become memory.copy and memory.fill. */
#ifndef WGT_WASM_STRING_H
#define WGT_WASM_STRING_H

#include <stddef.h>

static inline void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    return __builtin_memcpy(to, from, size);
}

static inline void *memmove(void *to, const void *from, size_t size) {
    return __builtin_memmove(to, from, size);
}

static inline void *memset(void *to, int value, size_t size) {
    return __builtin_memset(to, value, size);
}

static inline int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    for (size_t i = 0; i < size; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

#endif
