/* What needs a machine: the heap, files, the clock. Not part of the wasm build; only job (file
 * bindings), gpu, wisdom, run, report and cli may include it. */
#ifndef WGT_BASE_HOST_H
#define WGT_BASE_HOST_H

#include "../memory.h"
#include "../text.h"

/* malloc behind the allocator interface; passes through wgt_fault. */
const wgt_allocator *wgt_heap(void);

/* The whole file, NUL-terminated beyond `size`, in memory from the arena. Errors: WGT_BAD_INPUT with
 * `path: no such file` and the like, WGT_NO_MEMORY. Refuses directories and more than `max_size`
 * bytes (0: 1 GiB). */
wgt_status wgt_file_read(const char *path, size_t max_size, wgt_arena *arena, wgt_str *text,
                         wgt_error *error);
/* All or nothing: a temporary beside `path`, written, fsynced, renamed, the folder fsynced; the
 * temporary is removed on any failure. Error: WGT_NOT_SAVED with the path and the system's reason. */
wgt_status wgt_file_write_atomic(const char *path, wgt_str text, wgt_error *error);
/* mkdir -p; an existing folder is fine. Error: WGT_NOT_SAVED. */
wgt_status wgt_folder_create(const char *path, wgt_error *error);
/* Both: WGT_NEGATIVE when there is no such file, WGT_NOT_SAVED with the system's reason otherwise. */
wgt_status wgt_file_remove(const char *path, wgt_error *error);
wgt_status wgt_file_rename(const char *from, const char *to, wgt_error *error);
/* The names in a folder, but `.` and `..`, in bytewise order, each NUL-terminated, in the arena. Errors:
 * WGT_NEGATIVE when there is no such folder, WGT_BAD_INPUT with the system's reason, WGT_NO_MEMORY. */
wgt_status wgt_folder_list(const char *path, wgt_arena *arena, wgt_str **names, size_t *count,
                           wgt_error *error);
/* When a file was last written, in ns of the system's clock; 0 when there is none. */
uint64_t wgt_file_time_ns(const char *path);
bool wgt_file_exists(const char *path);
bool wgt_folder_exists(const char *path);
/* "a/b" from "a" and "b", in the arena, NUL-terminated; `name` alone when it is absolute. */
const char *wgt_path_join(wgt_arena *arena, wgt_str folder, wgt_str name);
wgt_str wgt_path_folder(wgt_str path); /* "." when there is none */
wgt_str wgt_path_name(wgt_str path);
/* The running program's own file, absolute; NULL when the system does not tell. */
const char *wgt_program_path(wgt_arena *arena);

uint64_t wgt_now_ns(void); /* monotone, arbitrary origin */

/* Fault injection for tests: compiled in with -DWGT_FAULTS only. The environment variable
 * WGTUNE_FAULT=KIND:N makes the N-th operation (from 1) of that kind fail, KIND:N+ every one from
 * there on; kinds: alloc, open, write, fsync, rename, read. */
typedef enum wgt_fault_kind {
    WGT_FAULT_ALLOC,
    WGT_FAULT_OPEN,
    WGT_FAULT_WRITE,
    WGT_FAULT_FSYNC,
    WGT_FAULT_RENAME,
    WGT_FAULT_READ
} wgt_fault_kind;
#ifdef WGT_FAULTS
bool wgt_fault(wgt_fault_kind kind);
#else
static inline bool wgt_fault(wgt_fault_kind kind) {
    (void)kind;
    return false;
}
#endif

#endif
