#include "host.h"

#include <stdlib.h>

static void *resize(void *user, void *memory, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return wgt_fault(WGT_FAULT_ALLOC) ? NULL : realloc(memory, new_size);
}

const wgt_allocator *wgt_heap(void) {
    static const wgt_allocator heap = {resize, NULL};
    return &heap;
}
