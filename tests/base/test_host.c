#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host/host.h"

static char root[64];

static const char *in_root(const char *name) {
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static int make_root(void **state) {
    (void)state;
    strcpy(root, "/tmp/wgtune-host-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", root, root);
    return system(command);
}

static size_t files_in(const char *folder) {
    size_t count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_str text;
    wgt_error error = {""};
    wgt_arena_init(&arena, wgt_heap());
    assert_int_equal(wgt_file_write_atomic(in_root("a"), WGT_STR("one\0two"), &error), WGT_OK);
    assert_int_equal(wgt_file_read(in_root("a"), 0, &arena, &text, &error), WGT_OK);
    assert_int_equal(text.size, 7);
    assert_memory_equal(text.data, "one\0two", 8);
    assert_int_equal(wgt_file_write_atomic(in_root("a"), WGT_STR(""), &error), WGT_OK);
    assert_int_equal(wgt_file_read(in_root("a"), 0, &arena, &text, &error), WGT_OK);
    assert_int_equal(text.size, 0);
    assert_int_equal(text.data[0], 0);
    assert_string_equal(error.message, "");
    assert_true(wgt_file_exists(in_root("a")));
    assert_false(wgt_file_exists(root));
    assert_false(wgt_file_exists(in_root("none")));
    assert_int_equal(files_in(root), 1);
    unlink(in_root("a"));
    wgt_arena_release(&arena);
}

static void unreadable_files_have_a_reason(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_str text;
    wgt_error error;
    char wanted[256];
    wgt_arena_init(&arena, wgt_heap());
    assert_int_equal(wgt_file_read(in_root("none"), 0, &arena, &text, &error), WGT_BAD_INPUT);
    snprintf(wanted, sizeof wanted, "%s/none: no such file", root);
    assert_string_equal(error.message, wanted);
    assert_int_equal(wgt_file_read(root, 0, &arena, &text, &error), WGT_BAD_INPUT);
    assert_non_null(strstr(error.message, "a folder, not a file"));
    wgt_file_write_atomic(in_root("big"), WGT_STR("12345"), NULL);
    assert_int_equal(wgt_file_read(in_root("big"), 4, &arena, &text, &error), WGT_BAD_INPUT);
    assert_non_null(strstr(error.message, "larger than 4 bytes"));
    assert_int_equal(wgt_file_read(in_root("big"), 5, &arena, &text, &error), WGT_OK);
    arena.limit = arena.total + 3;
    assert_int_equal(wgt_file_read(in_root("big"), 0, &arena, &text, &error), WGT_NO_MEMORY);
    arena.limit = 0;
    assert_int_equal(wgt_file_read(in_root("big/x"), 0, &arena, &text, &error), WGT_BAD_INPUT);
    /* A file that does not tell its size, up to its end and beyond the bound. */
    assert_int_equal(wgt_file_read("/proc/self/status", 0, &arena, &text, &error), WGT_OK);
    assert_true(text.size > 100 && text.data[text.size] == '\0');
    assert_int_equal(wgt_file_read("/dev/zero", 100000, &arena, &text, &error), WGT_BAD_INPUT);
    assert_int_equal(wgt_file_read("/dev/null", 0, &arena, &text, &error), WGT_OK);
    assert_int_equal(text.size, 0);
    unlink(in_root("big"));
    wgt_arena_release(&arena);
}

static void folders_are_made_with_their_parents(void **state) {
    (void)state;
    wgt_error error;
    assert_int_equal(wgt_folder_create(in_root("x/y//z/"), &error), WGT_OK);
    assert_true(wgt_folder_exists(in_root("x/y/z")));
    assert_int_equal(wgt_folder_create(in_root("x/y/z"), &error), WGT_OK);
    assert_int_equal(symlink("x", in_root("link")), 0);
    assert_int_equal(wgt_folder_create(in_root("link/w"), &error), WGT_OK);
    assert_true(wgt_folder_exists(in_root("x/w")));
    assert_int_equal(wgt_file_write_atomic(in_root("link/w/f"), WGT_STR("1"), &error), WGT_OK);
    assert_int_equal(wgt_folder_create(in_root("x/w/f/g"), &error), WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "no folder"));
    assert_int_equal(wgt_folder_create("", &error), WGT_NOT_SAVED);
}

static void failed_writes_leave_nothing(void **state) {
    (void)state;
    wgt_error error;
    assert_int_equal(wgt_file_write_atomic(in_root("nowhere/f"), WGT_STR("1"), &error),
                     WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "nowhere/f: no such file or folder"));
    assert_int_equal(wgt_folder_create(in_root("full"), NULL), WGT_OK);
    assert_int_equal(wgt_folder_create(in_root("full/taken"), NULL), WGT_OK);
    /* The rename fails, since a folder of that name is in the way. */
    assert_int_equal(wgt_file_write_atomic(in_root("full/taken"), WGT_STR("1"), &error),
                     WGT_NOT_SAVED);
    assert_int_equal(files_in(in_root("full")), 1);
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(in_root("full"), 0500), 0);
        assert_int_equal(wgt_file_write_atomic(in_root("full/f"), WGT_STR("1"), &error),
                         WGT_NOT_SAVED);
        assert_non_null(strstr(error.message, "permission denied"));
        assert_int_equal(chmod(in_root("full"), 0700), 0);
    }
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(wgt_file_write_atomic(longest, WGT_STR("1"), &error), WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "the name is too long"));
}

static void files_are_moved_removed_and_listed(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_str *names;
    size_t count;
    wgt_error error;
    wgt_arena_init(&arena, wgt_heap());
    assert_int_equal(wgt_folder_list(in_root("list"), &arena, &names, &count, &error),
                     WGT_NEGATIVE);
    assert_int_equal(wgt_folder_create(in_root("list/sub"), &error), WGT_OK);
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "list/%03d", (i * 77) % 200);
        assert_int_equal(wgt_file_write_atomic(in_root(name), WGT_STR("x"), &error), WGT_OK);
    }
    assert_int_equal(wgt_file_rename(in_root("list/000"), in_root("list/.hidden"), &error), WGT_OK);
    assert_int_equal(wgt_file_rename(in_root("list/000"), in_root("list/x"), &error), WGT_NEGATIVE);
    assert_int_equal(wgt_file_remove(in_root("list/001"), &error), WGT_OK);
    assert_int_equal(wgt_file_remove(in_root("list/001"), &error), WGT_NEGATIVE);
    assert_int_equal(wgt_file_remove(in_root("list/sub"), &error), WGT_NOT_SAVED);
    assert_int_equal(wgt_folder_list(in_root("list"), &arena, &names, &count, &error), WGT_OK);
    assert_int_equal(count, 200);
    assert_string_equal(names[0].data, ".hidden");
    assert_string_equal(names[1].data, "002");
    assert_string_equal(names[199].data, "sub");
    assert_int_equal(wgt_folder_list(in_root("list/002"), &arena, &names, &count, &error),
                     WGT_BAD_INPUT);
    assert_true(wgt_file_time_ns(in_root("list/002")) > 0);
    assert_true(wgt_file_time_ns(in_root("list/nothing")) == 0);
    assert_int_equal(symlink("/nowhere/at/all", in_root("dangling")), 0);
    assert_int_equal(wgt_folder_create(in_root("dangling"), &error), WGT_NOT_SAVED);
    assert_non_null(strstr(error.message, "a symbolic link that leads nowhere"));
    arena.limit = arena.total + 1000;
    assert_int_equal(wgt_folder_list(in_root("list"), &arena, &names, &count, &error),
                     WGT_NO_MEMORY);
    wgt_arena_release(&arena);
}

static void paths_join_and_split(void **state) {
    (void)state;
    wgt_arena arena;
    wgt_arena_init(&arena, wgt_heap());
    static const struct {
        const char *folder, *name, *joined;
    } joins[] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a", "/b", "/b"}, {"", "b", "b"}, {"/", "b", "/b"}};
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        assert_string_equal(
            wgt_path_join(&arena, wgt_str_from(joins[i].folder), wgt_str_from(joins[i].name)),
            joins[i].joined);
    static const struct {
        const char *path, *folder, *name;
    } splits[] = {{"a/b", "a", "b"},  {"b", ".", "b"},     {"/b", "/", "b"},
                  {"a//b", "a", "b"}, {"a/b/", "a/b", ""}, {"", ".", ""}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        assert_true(wgt_str_is(wgt_path_folder(wgt_str_from(splits[i].path)), splits[i].folder));
        assert_true(wgt_str_is(wgt_path_name(wgt_str_from(splits[i].path)), splits[i].name));
    }
    const char *program = wgt_program_path(&arena);
    assert_non_null(program);
    assert_true(wgt_str_starts(wgt_path_name(wgt_str_from(program)), "test_host"));
    assert_true(program[0] == '/' && wgt_file_exists(program));
    wgt_arena_release(&arena);
}

static void the_clock_never_goes_back(void **state) {
    (void)state;
    uint64_t before = wgt_now_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = wgt_now_ns();
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 0);
}

static void the_heap_keeps_contents(void **state) {
    (void)state;
    const wgt_allocator *heap = wgt_heap();
    char *p = heap->resize(heap->user, NULL, 0, 10);
    assert_non_null(p);
    memcpy(p, "123456789", 10);
    p = heap->resize(heap->user, p, 10, 100000);
    assert_non_null(p);
    assert_string_equal(p, "123456789");
    assert_null(heap->resize(heap->user, p, 100000, 0));
}

#ifdef WGT_FAULTS
/* Counts start with the process, so each setting runs in a child of its own. */
static int in_child(const char *setting) {
    char command[600], self[512];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0';
    snprintf(command, sizeof command, "WGTUNE_FAULT=%s WGTUNE_TEST_FILE='%s' '%s'", setting,
             in_root("faulty"), self);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What the child does: writes a file, reads it; the exit code says what came of it. */
static int child(const char *path) {
    wgt_arena arena;
    wgt_str text;
    wgt_arena_init(&arena, wgt_heap());
    wgt_status status = wgt_file_write_atomic(path, WGT_STR("new"), NULL);
    if (!status)
        status = wgt_file_read(path, 0, &arena, &text, NULL);
    wgt_arena_release(&arena);
    return (int)status;
}

static void injected_faults_are_reported(void **state) {
    (void)state;
    static const struct {
        const char *setting;
        int status;
        bool written;
    } cases[] = {
        {"none:1", WGT_OK, true},           {"open:1", WGT_NOT_SAVED, false},
        {"open:2", WGT_NOT_SAVED, true},    {"open:3", WGT_BAD_INPUT, true},
        {"write:1", WGT_NOT_SAVED, false},  {"write:2", WGT_OK, true},
        {"fsync:1", WGT_NOT_SAVED, false},  {"fsync:2", WGT_NOT_SAVED, true},
        {"rename:1", WGT_NOT_SAVED, false}, {"read:1", WGT_BAD_INPUT, true},
        {"alloc:1", WGT_NO_MEMORY, true},   {"alloc:1+", WGT_NO_MEMORY, true},
        {"write:1+", WGT_NOT_SAVED, false}, {"write:x", WGT_OK, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(wgt_folder_create(in_root("faults"), NULL), WGT_OK);
        unlink(in_root("faulty"));
        size_t before = files_in(root);
        assert_int_equal(in_child(cases[i].setting), cases[i].status);
        assert_int_equal(wgt_file_exists(in_root("faulty")), cases[i].written);
        assert_int_equal(files_in(root), before + cases[i].written); /* no temporary is left */
    }
}
#endif

int main(void) {
#ifdef WGT_FAULTS
    if (getenv("WGTUNE_TEST_FILE"))
        return child(getenv("WGTUNE_TEST_FILE"));
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(unreadable_files_have_a_reason),
        cmocka_unit_test(folders_are_made_with_their_parents),
        cmocka_unit_test(failed_writes_leave_nothing),
        cmocka_unit_test(files_are_moved_removed_and_listed),
        cmocka_unit_test(paths_join_and_split),
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(the_heap_keeps_contents),
#ifdef WGT_FAULTS
        cmocka_unit_test(injected_faults_are_reported),
#endif
    };
    return cmocka_run_group_tests(tests, make_root, drop_root);
}
