#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct counting {
    size_t live, allocations, fail_at;
} counting;

static void *resize(void *user, void *memory, size_t old_size, size_t new_size) {
    counting *c = user;
    if (new_size == 0) {
        c->live -= old_size;
        free(memory);
        return NULL;
    }
    if (++c->allocations == c->fail_at)
        return NULL;
    void *result = realloc(memory, new_size);
    if (result)
        c->live += new_size - old_size;
    return result;
}

static void fixed_arenas_are_bounded(void **state) {
    (void)state;
    unsigned char memory[256];
    memset(memory, 0xaa, sizeof memory);
    wgt_arena arena;
    wgt_arena_init_fixed(&arena, memory + 1, sizeof memory - 1);
    unsigned char *a = wgt_arena_push(&arena, 3, 5), *b = wgt_arena_push(&arena, 1, 1);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 16, 0);
    assert_int_equal((uintptr_t)b % 16, 0);
    assert_true(b >= a + 15);
    for (int i = 0; i < 15; i++)
        assert_int_equal(a[i], 0);
    assert_null(wgt_arena_push(&arena, 1, sizeof memory));
    assert_null(wgt_arena_push(&arena, SIZE_MAX / 2, 3));
    void *empty = wgt_arena_push(&arena, 0, 8), *empty2 = wgt_arena_push(&arena, 4, 0);
    assert_non_null(empty);
    assert_non_null(empty2);
    assert_ptr_not_equal(empty, empty2);
    assert_int_equal(arena.total, 16);
    wgt_arena_release(&arena);
    wgt_arena none;
    wgt_arena_init_fixed(&none, NULL, 0);
    assert_null(wgt_arena_push(&none, 1, 1));
}

static void growing_arenas_free_everything(void **state) {
    (void)state;
    counting c = {0};
    wgt_allocator allocator = {resize, &c};
    wgt_arena arena;
    wgt_arena_init(&arena, &allocator);
    unsigned char *pieces[500];
    for (size_t i = 0; i < 500; i++) {
        pieces[i] = wgt_arena_push(&arena, i * 7 % 300, 11);
        assert_non_null(pieces[i]);
        memset(pieces[i], (int)(i % 256), i * 7 % 300 * 11);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t k = 0; k < i * 7 % 300 * 11; k++)
            assert_int_equal(pieces[i][k], i % 256);
    assert_non_null(wgt_arena_push(&arena, 1, 5 << 20));
    assert_true(c.live > 0);
    wgt_arena_release(&arena);
    assert_int_equal(c.live, 0);
    /* and can be used again */
    assert_non_null(wgt_arena_push(&arena, 1, 8));
    wgt_arena_release(&arena);
    assert_int_equal(c.live, 0);
    wgt_arena zeroed = {0};
    wgt_arena_release(&zeroed);
}

static void limits_and_failures_give_null(void **state) {
    (void)state;
    counting c = {.fail_at = 2};
    wgt_allocator allocator = {resize, &c};
    wgt_arena arena;
    wgt_arena_init(&arena, &allocator);
    assert_non_null(wgt_arena_push(&arena, 1, 4000));
    assert_null(wgt_arena_push(&arena, 1, 100000));
    assert_non_null(wgt_arena_push(&arena, 1, 100000));
    arena.limit = arena.total + 10;
    assert_null(wgt_arena_push(&arena, 1, 11));
    assert_non_null(wgt_arena_push(&arena, 1, 10));
    wgt_arena_release(&arena);
    assert_int_equal(c.live, 0);
}

static void copies_are_terminated(void **state) {
    (void)state;
    unsigned char memory[64];
    wgt_arena arena;
    wgt_arena_init_fixed(&arena, memory, sizeof memory);
    wgt_str copy = wgt_arena_copy(&arena, (wgt_str){"abcdef", 3});
    assert_int_equal(copy.size, 3);
    assert_string_equal(copy.data, "abc");
    assert_string_equal(wgt_arena_copy(&arena, (wgt_str){NULL, 0}).data, "");
    assert_null(wgt_arena_copy(&arena, (wgt_str){(const char *)memory, sizeof memory}).data);
}

static void arithmetic_is_checked(void **state) {
    (void)state;
    size_t s = 7;
    uint64_t u = 7;
    assert_false(wgt_add_size(SIZE_MAX, 1, &s) || wgt_mul_size(SIZE_MAX, 2, &s));
    assert_false(wgt_add_u64(UINT64_MAX, 1, &u) || wgt_mul_u64(UINT64_MAX / 2 + 1, 2, &u));
    assert_int_equal(s, 7);
    assert_int_equal(u, 7);
    assert_true(wgt_add_size(SIZE_MAX - 1, 1, &s) && s == SIZE_MAX);
    assert_true(wgt_mul_size(SIZE_MAX, 0, &s) && s == 0);
    assert_true(wgt_mul_size(0, SIZE_MAX, &s) && s == 0);
    assert_true(wgt_mul_u64(UINT32_MAX, UINT32_MAX, &u) && u == (uint64_t)UINT32_MAX * UINT32_MAX);
    static const uint64_t sizes[] = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     65537,
                                     UINT32_MAX,
                                     (uint64_t)UINT32_MAX + 1,
                                     (uint64_t)1 << 33,
                                     UINT64_MAX / 3,
                                     UINT64_MAX / 2,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            bool over = sizes[k] && sizes[i] > UINT64_MAX / sizes[k];
            assert_int_equal(wgt_mul_u64(sizes[i], sizes[k], &u), !over);
            assert_true(over || u == sizes[i] * sizes[k]);
        }
    assert_true(wgt_div_ceil_u64(UINT64_MAX, 2) == UINT64_MAX / 2 + 1);
    assert_true(wgt_div_ceil_u64(0, 5) == 0 && wgt_div_ceil_u64(10, 5) == 2);
}

static void hashes_are_xxh3(void **state) {
    (void)state;
    char text[WGT_HASH_TEXT_SIZE];
    wgt_hash parsed, hash = wgt_hash_bytes(NULL, 0);
    /* The digest of no bytes, as xxhsum -H2 prints it. */
    wgt_hash_format(hash, text);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    assert_true(wgt_hash_parse(wgt_str_from(text), &parsed));
    assert_true(wgt_hash_equal(parsed, hash));
    assert_false(wgt_hash_parse(WGT_STR("99AA06d3014798d86001c324468d497f"), &parsed));
    assert_false(wgt_hash_parse(WGT_STR("99aa"), &parsed));
    wgt_hash a = wgt_hash_bytes("a", 1), b = wgt_hash_bytes("b", 1);
    assert_false(wgt_hash_equal(a, b));
    assert_false(wgt_hash_equal(wgt_hash_combine(a, b), wgt_hash_combine(b, a)));
    assert_true(wgt_hash_equal(wgt_hash_combine(a, b), wgt_hash_combine(a, b)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_arenas_are_bounded),
        cmocka_unit_test(growing_arenas_free_everything),
        cmocka_unit_test(limits_and_failures_give_null),
        cmocka_unit_test(copies_are_terminated),
        cmocka_unit_test(arithmetic_is_checked),
        cmocka_unit_test(hashes_are_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
