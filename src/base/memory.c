#include "memory.h"

#include <string.h>

/* The strictest alignment of any type that the library keeps; max_align_t is 16 on all our hosts,
 * written out because the wasm build must lay arenas out as the native one does. */
enum { ALIGNMENT = 16, FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

/* Stands at the start of each chunk from an allocator. */
typedef struct chunk {
    struct chunk *before;
    size_t size;
} chunk;

enum { CHUNK_HEADER = (sizeof(chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

void wgt_arena_init_fixed(wgt_arena *arena, void *memory, size_t size) {
    memset(arena, 0, sizeof *arena);
    arena->data = memory;
    arena->capacity = memory ? size : 0;
}

void wgt_arena_init(wgt_arena *arena, const wgt_allocator *allocator) {
    memset(arena, 0, sizeof *arena);
    arena->allocator = allocator;
}

void wgt_arena_release(wgt_arena *arena) {
    chunk *c = arena->chunks;
    while (c) {
        chunk *before = c->before;
        arena->allocator->resize(arena->allocator->user, c, c->size, 0);
        c = before;
    }
    const wgt_allocator *allocator = arena->allocator;
    size_t limit = arena->limit;
    memset(arena, 0, sizeof *arena);
    arena->allocator = allocator;
    arena->limit = limit;
}

/* How many bytes to leave out so that the next object is aligned. */
static size_t padding_of(const wgt_arena *arena) {
    uintptr_t at = (uintptr_t)arena->data + arena->used;
    return (size_t)((ALIGNMENT - at % ALIGNMENT) % ALIGNMENT);
}

/* Whether `bytes` fit behind the padding in the current memory. */
static bool fits(const wgt_arena *arena, size_t bytes) {
    size_t left = arena->capacity - arena->used;
    size_t padding = padding_of(arena);
    return arena->data && padding <= left && bytes <= left - padding;
}

static bool add_chunk(wgt_arena *arena, size_t bytes) {
    if (!arena->allocator)
        return false;
    const chunk *last = arena->chunks;
    size_t wanted = last ? last->size : FIRST_CHUNK / 2;
    wanted = wanted < LARGEST_CHUNK / 2 ? wanted * 2 : LARGEST_CHUNK;
    size_t least;
    if (!wgt_add_size(bytes, CHUNK_HEADER, &least))
        return false;
    if (wanted < least)
        wanted = least;
    chunk *c = arena->allocator->resize(arena->allocator->user, NULL, 0, wanted);
    if (!c)
        return false;
    c->before = arena->chunks;
    c->size = wanted;
    arena->chunks = c;
    arena->data = (unsigned char *)c;
    arena->used = CHUNK_HEADER;
    arena->capacity = wanted;
    return true;
}

void *wgt_arena_push(wgt_arena *arena, size_t count, size_t size) {
    size_t bytes, total;
    if (!wgt_mul_size(count, size, &bytes) || !wgt_add_size(arena->total, bytes, &total) ||
        (arena->limit && total > arena->limit))
        return NULL;
    /* An empty object still gets a byte, so that its address is its own. */
    size_t taken = bytes ? bytes : 1;
    if (!fits(arena, taken) && !add_chunk(arena, taken))
        return NULL;
    unsigned char *memory = arena->data + arena->used + padding_of(arena);
    arena->used += padding_of(arena) + taken;
    arena->total = total;
    memset(memory, 0, taken);
    return memory;
}

wgt_str wgt_arena_copy(wgt_arena *arena, wgt_str text) {
    size_t bytes;
    char *copy = wgt_add_size(text.size, 1, &bytes) ? wgt_arena_push(arena, bytes, 1) : NULL;
    if (!copy)
        return (wgt_str){NULL, 0};
    if (text.size)
        memcpy(copy, text.data, text.size);
    return (wgt_str){copy, text.size};
}

bool wgt_add_size(size_t a, size_t b, size_t *result) {
    if (a > SIZE_MAX - b)
        return false;
    *result = a + b;
    return true;
}

bool wgt_mul_size(size_t a, size_t b, size_t *result) {
    uint64_t product;
    if (!wgt_mul_u64(a, b, &product) || product > SIZE_MAX)
        return false;
    *result = (size_t)product;
    return true;
}

bool wgt_add_u64(uint64_t a, uint64_t b, uint64_t *result) {
    if (a > UINT64_MAX - b)
        return false;
    *result = a + b;
    return true;
}

/* By halves: compilers turn a division that tests for overflow into a 128-bit product, for which
 * wasm without a libc has no function. */
bool wgt_mul_u64(uint64_t a, uint64_t b, uint64_t *result) {
    uint64_t a_high = a >> 32, b_high = b >> 32, a_low = a & UINT32_MAX, b_low = b & UINT32_MAX;
    uint64_t cross = a_high * b_low + a_low * b_high; /* one of the two is 0, or it is too large */
    if ((a_high && b_high) || cross > UINT32_MAX)
        return false;
    return wgt_add_u64(cross << 32, a_low * b_low, result);
}

uint64_t wgt_div_ceil_u64(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}
