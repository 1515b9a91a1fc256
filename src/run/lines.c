#include "lines.h"
#include "../base/host/host.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_LIMIT ((size_t)64 << 20)
#define POLL_MS 50

void wgt_lines_init(wgt_lines *lines, int fd, const wgt_allocator *allocator) {
    *lines = (wgt_lines){.fd = fd, .allocator = allocator};
}

void wgt_lines_release(wgt_lines *lines) {
    if (lines->data != NULL) {
        lines->allocator->resize(lines->allocator->user, lines->data, lines->capacity, 0);
    }
    lines->data = NULL;
    lines->size = lines->capacity = lines->taken = 0;
}

static bool make_room(wgt_lines *lines) {
    if (lines->capacity - lines->size >= 4096) {
        return true;
    }
    size_t capacity = lines->capacity == 0 ? 16384 : lines->capacity * 2;
    if (capacity > LINE_LIMIT) {
        return false;
    }
    char *data = lines->allocator->resize(lines->allocator->user, lines->data, lines->capacity, capacity);
    if (data == NULL) {
        return false;
    }
    lines->data = data;
    lines->capacity = capacity;
    return true;
}

/* WGT_NEGATIVE: nothing came within the wait. */
static wgt_status read_some(wgt_lines *lines, int wait_ms) {
    struct pollfd p = {lines->fd, POLLIN, 0};
    int ready = poll(&p, 1, wait_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
        return WGT_NEGATIVE;
    }
    if (ready < 0 || !make_room(lines)) {
        return WGT_INTERNAL;
    }
    ssize_t got = read(lines->fd, lines->data + lines->size, lines->capacity - lines->size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return WGT_NEGATIVE;
    }
    if (got <= 0) {
        return WGT_INTERNAL;
    }
    lines->size += (size_t)got;
    return WGT_OK;
}

wgt_status wgt_lines_read(wgt_lines *lines, uint64_t deadline_ns, bool (*interrupted)(void *), void *user,
                          wgt_str *line) {
    if (lines->taken > 0) {
        memmove(lines->data, lines->data + lines->taken, lines->size - lines->taken);
        lines->size -= lines->taken;
        lines->taken = 0;
    }
    uint64_t start = wgt_now_ns();
    size_t searched = 0;
    for (;;) {
        const char *end = lines->size > searched
                              ? memchr(lines->data + searched, '\n', lines->size - searched)
                              : NULL;
        if (end != NULL) {
            *line = (wgt_str){lines->data, (size_t)(end - lines->data)};
            lines->taken = line->size + 1;
            return WGT_OK;
        }
        searched = lines->size;
        uint64_t passed = wgt_now_ns() - start;
        if (interrupted != NULL && interrupted(user)) {
            return WGT_INTERRUPTED;
        }
        if (passed >= deadline_ns) {
            return WGT_NEGATIVE;
        }
        uint64_t left_ms = (deadline_ns - passed) / 1000000u + 1;
        wgt_status status = read_some(lines, left_ms < POLL_MS ? (int)left_ms : POLL_MS);
        if (status == WGT_INTERNAL) {
            return status;
        }
    }
}

/* To a socket without the signal that a closed other side would raise: a library may not count on its caller to
 * ignore it. */
static ssize_t put_some(int fd, wgt_str text) {
    ssize_t put = send(fd, text.data, text.size, MSG_NOSIGNAL);
    return put < 0 && errno == ENOTSOCK ? write(fd, text.data, text.size) : put;
}

bool wgt_write_all(int fd, wgt_str text) {
    while (text.size > 0) {
        ssize_t put = put_some(fd, text);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return false;
        }
        text.data += put;
        text.size -= (size_t)put;
    }
    return true;
}
