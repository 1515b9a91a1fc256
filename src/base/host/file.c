#include "host.h"
#include "reason.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(const char *path, int flags, mode_t mode) {
    if (wgt_fault(WGT_FAULT_OPEN)) {
        errno = EMFILE;
        return -1;
    }
    int file;
    do
        file = open(path, flags | O_CLOEXEC, mode);
    while (file < 0 && errno == EINTR);
    return file;
}

static ssize_t read_some(int file, char *memory, size_t size) {
    if (wgt_fault(WGT_FAULT_READ)) {
        errno = EIO;
        return -1;
    }
    ssize_t got;
    do
        got = read(file, memory, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads to the end into `memory`; -1 with errno, else the size, `capacity` when there is that much
 * or more. */
static ssize_t read_up_to(int file, char *memory, size_t capacity) {
    size_t size = 0;
    while (size < capacity) {
        ssize_t got = read_some(file, memory + size, capacity - size);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

static wgt_status too_large(wgt_error *error, const char *path, size_t max_size) {
    return wgt_fail(error, WGT_BAD_INPUT, "%s: larger than %zu bytes", path, max_size);
}

/* A pipe or a file of /proc does not tell its size: read in doubling steps. */
static wgt_status read_unsized(int file, const char *path, size_t max_size, wgt_arena *arena,
                               wgt_str *text, wgt_error *error) {
    size_t size = 0, capacity = 0;
    char *memory = NULL;
    do {
        capacity = capacity ? capacity * 2 : 4096;
        if (capacity > max_size + 1)
            capacity = max_size + 1;
        char *larger = wgt_arena_push(arena, capacity + 1, 1);
        if (!larger)
            return wgt_fail(error, WGT_NO_MEMORY, "%s: no memory left to read it", path);
        if (size)
            memcpy(larger, memory, size);
        memory = larger;
        ssize_t got = read_up_to(file, memory + size, capacity - size);
        if (got < 0)
            return wgt_fail_on(error, WGT_BAD_INPUT, path, errno);
        size += (size_t)got;
        if (size > max_size)
            return too_large(error, path, max_size);
    } while (size == capacity);
    *text = (wgt_str){memory, size};
    return WGT_OK;
}

static wgt_status read_sized(int file, size_t size, const char *path, wgt_arena *arena,
                             wgt_str *text, wgt_error *error) {
    char *memory = wgt_arena_push(arena, size + 1, 1);
    if (!memory)
        return wgt_fail(error, WGT_NO_MEMORY, "%s: no memory left to read its %zu bytes", path,
                        size);
    ssize_t got = read_up_to(file, memory, size);
    if (got < 0)
        return wgt_fail_on(error, WGT_BAD_INPUT, path, errno);
    *text = (wgt_str){memory, (size_t)got};
    return WGT_OK;
}

static wgt_status read_open(int file, const char *path, size_t max_size, wgt_arena *arena,
                            wgt_str *text, wgt_error *error) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return wgt_fail_on(error, WGT_BAD_INPUT, path, errno);
    if (S_ISDIR(info.st_mode))
        return wgt_fail(error, WGT_BAD_INPUT, "%s: a folder, not a file", path);
    if (!S_ISREG(info.st_mode) || info.st_size == 0)
        return read_unsized(file, path, max_size, arena, text, error);
    if ((uint64_t)info.st_size > max_size)
        return too_large(error, path, max_size);
    return read_sized(file, (size_t)info.st_size, path, arena, text, error);
}

wgt_status wgt_file_read(const char *path, size_t max_size, wgt_arena *arena, wgt_str *text,
                         wgt_error *error) {
    const size_t most = (size_t)1 << 30;
    int file = open_file(path, O_RDONLY, 0);
    if (file < 0)
        return errno == ENOENT ? wgt_fail(error, WGT_BAD_INPUT, "%s: no such file", path)
                               : wgt_fail_on(error, WGT_BAD_INPUT, path, errno);
    wgt_status status =
        read_open(file, path, max_size && max_size < most ? max_size : most, arena, text, error);
    close(file);
    return status;
}

static bool write_all(int file, wgt_str text) {
    for (size_t done = 0; done < text.size;) {
        if (wgt_fault(WGT_FAULT_WRITE)) {
            errno = ENOSPC;
            return false;
        }
        ssize_t put = write(file, text.data + done, text.size - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool sync_file(int file) {
    if (wgt_fault(WGT_FAULT_FSYNC)) {
        errno = EIO;
        return false;
    }
    return fsync(file) == 0;
}

/* Makes a renamed entry last. A file system that cannot sync folders (EINVAL) has nothing to make
 * up for. */
static bool sync_folder(const char *folder) {
    int file = open_file(folder, O_RDONLY | O_DIRECTORY, 0);
    if (file < 0)
        return errno == EACCES; /* a folder that may be written but not listed */
    bool ok = sync_file(file) || errno == EINVAL;
    int code = errno;
    close(file);
    errno = code;
    return ok;
}

/* A name of its own for each process and try; O_EXCL decides. */
static int open_temporary(const char *path, char *temporary, size_t capacity) {
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        size_t size =
            wgt_format(temporary, capacity, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (size + 1 >= capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static bool rename_file(const char *from, const char *to) {
    if (wgt_fault(WGT_FAULT_RENAME)) {
        errno = EIO;
        return false;
    }
    return rename(from, to) == 0;
}

wgt_status wgt_file_write_atomic(const char *path, wgt_str text, wgt_error *error) {
    char temporary[PATH_MAX], folder[PATH_MAX];
    int file = open_temporary(path, temporary, sizeof temporary);
    if (file < 0)
        return wgt_fail_on(error, WGT_NOT_SAVED, path, errno);
    bool ok = write_all(file, text) && sync_file(file);
    int code = errno;
    if (close(file) != 0 && ok) {
        ok = false;
        code = errno;
    }
    if (ok && !rename_file(temporary, path)) {
        ok = false;
        code = errno;
    }
    if (!ok) {
        unlink(temporary);
        return wgt_fail_on(error, WGT_NOT_SAVED, path, code);
    }
    wgt_str parent = wgt_path_folder(wgt_str_from(path));
    wgt_format(folder, sizeof folder, "%.*s", (int)parent.size, parent.data);
    return sync_folder(folder) ? WGT_OK : wgt_fail_on(error, WGT_NOT_SAVED, folder, errno);
}

wgt_status wgt_file_remove(const char *path, wgt_error *error) {
    if (unlink(path) == 0)
        return WGT_OK;
    return wgt_fail_on(error, errno == ENOENT ? WGT_NEGATIVE : WGT_NOT_SAVED, path, errno);
}

wgt_status wgt_file_rename(const char *from, const char *to, wgt_error *error) {
    if (rename_file(from, to))
        return WGT_OK;
    return wgt_fail_on(error, errno == ENOENT ? WGT_NEGATIVE : WGT_NOT_SAVED, from, errno);
}

uint64_t wgt_file_time_ns(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    return (uint64_t)info.st_mtim.tv_sec * 1000000000u + (uint64_t)info.st_mtim.tv_nsec;
}
