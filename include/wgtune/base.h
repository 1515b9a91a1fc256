/* wgtune/base.h: the vocabulary that every other header uses.
 *
 * Lifecycle words: init/release for values that the caller embeds, create/destroy for values on the
 * heap; destroy takes `T **` and nulls it. A zero-initialised options struct means the defaults. */
#ifndef WGTUNE_BASE_H
#define WGTUNE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WGT_API __attribute__((visibility("default")))
#define WGT_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define WGT_API
#define WGT_PRINTF(format_index, first)
#endif

#define WGT_VERSION "0.1.0"

/* What a call came to. The values up to 6, and 130, are also the command's exit codes. */
typedef enum wgt_status {
    WGT_OK = 0,
    WGT_NEGATIVE = 1,    /* a valid negative answer: no valid candidate, nothing found */
    WGT_USAGE = 2,       /* the call or the command line is off */
    WGT_BAD_INPUT = 3,   /* a file or a text that was handed in is off */
    WGT_NO_GPU = 4,      /* no usable adapter, or no engine library */
    WGT_INTERNAL = 5,    /* a fault of ours, or of the engine */
    WGT_NOT_SAVED = 6,   /* done, but the result could not be saved */
    WGT_NO_MEMORY = 7,   /* an allocation failed, or the caller's memory is too small */
    WGT_INTERRUPTED = 130
} wgt_status;

/* A view of bytes that somebody else owns; not NUL-terminated. */
typedef struct wgt_str {
    const char *data;
    size_t size;
} wgt_str;

/* `WGT_STR("text")`: a view of a literal. */
#ifdef __cplusplus
#define WGT_STR(literal) (wgt_str{(literal), sizeof(literal) - 1})
#else
#define WGT_STR(literal) ((wgt_str){(literal), sizeof(literal) - 1})
#endif

#define WGT_ERROR_SIZE 1024

/* The caller's place for a message: lower case, no full stop, NUL-terminated, cut at a character
 * boundary when too long. Functions leave it untouched when they succeed; it may be NULL. */
typedef struct wgt_error {
    char message[WGT_ERROR_SIZE];
} wgt_error;

/* Heap in the caller's hands. `resize(user, NULL, 0, n)` allocates, `resize(user, p, old, n)` grows
 * or shrinks (contents kept up to the smaller size), `resize(user, p, old, 0)` frees and returns
 * NULL. NULL for n > 0 means that there is no memory. Results are aligned for any type. */
typedef struct wgt_allocator {
    void *(*resize)(void *user, void *memory, size_t old_size, size_t new_size);
    void *user;
} wgt_allocator;

/* 128 bits of XXH3, high half first when written as hexadecimal. */
typedef struct wgt_hash {
    uint64_t high, low;
} wgt_hash;

/* Unknown stays unknown: written as null in JSON. */
#define WGT_UNKNOWN_U64 UINT64_MAX

/* The status as one lower-case word, such as "bad input"; static storage. */
WGT_API const char *wgt_status_name(wgt_status status);

/* The version of the library that is running, as "MAJOR.MINOR.PATCH"; static storage. */
WGT_API const char *wgt_version(void);

#ifdef __cplusplus
}
#endif
#endif
