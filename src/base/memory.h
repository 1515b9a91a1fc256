/* Arenas and checked arithmetic. Pure. */
#ifndef WGT_BASE_MEMORY_H
#define WGT_BASE_MEMORY_H

#include "wgtune/base.h"

/* A bump allocator: everything in it goes at once. Over the caller's fixed memory, or growing in
 * chunks from an allocator. */
typedef struct wgt_arena {
    unsigned char *data;
    size_t used, capacity;
    const wgt_allocator *allocator; /* NULL: fixed */
    void *chunks;                   /* the list of chunks to free */
    size_t total;                   /* bytes handed out so far, over all chunks */
    size_t limit;                   /* refuses to hand out more than this in total; 0: no limit */
} wgt_arena;

void wgt_arena_init_fixed(wgt_arena *arena, void *memory, size_t size);
void wgt_arena_init(wgt_arena *arena, const wgt_allocator *allocator);
void wgt_arena_release(wgt_arena *arena); /* frees the chunks; harmless on a zeroed arena */
/* Zeroed memory for `count` objects of `size` bytes, aligned for any type; NULL when there is none
 * left or the product overflows. count or size 0 gives a valid, unique-enough non-NULL pointer. */
void *wgt_arena_push(wgt_arena *arena, size_t count, size_t size);
/* A NUL-terminated copy; {NULL, 0} when there is no memory. */
wgt_str wgt_arena_copy(wgt_arena *arena, wgt_str text);

#define WGT_NEW(arena, type) ((type *)wgt_arena_push((arena), 1, sizeof(type)))
#define WGT_NEW_ARRAY(arena, type, count) ((type *)wgt_arena_push((arena), (count), sizeof(type)))

/* false when the result does not fit; *result is then untouched. */
bool wgt_add_size(size_t a, size_t b, size_t *result);
bool wgt_mul_size(size_t a, size_t b, size_t *result);
bool wgt_add_u64(uint64_t a, uint64_t b, uint64_t *result);
bool wgt_mul_u64(uint64_t a, uint64_t b, uint64_t *result);
/* ceil(a / b) without overflow; b > 0. */
uint64_t wgt_div_ceil_u64(uint64_t a, uint64_t b);

#endif
