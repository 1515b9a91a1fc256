#include "host.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool wgt_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool wgt_folder_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *wgt_path_join(wgt_arena *arena, wgt_str folder, wgt_str name) {
    size_t size;
    if (wgt_str_starts(name, "/") || folder.size == 0)
        return wgt_arena_copy(arena, name).data;
    bool slash = !wgt_str_ends(folder, "/");
    if (!wgt_add_size(folder.size, name.size, &size) || !wgt_add_size(size, 2, &size))
        return NULL;
    char *path = wgt_arena_push(arena, size, 1);
    if (!path)
        return NULL;
    wgt_out out;
    wgt_out_init(&out, path, size);
    wgt_put(&out, folder);
    if (slash)
        wgt_put_char(&out, '/');
    wgt_put(&out, name);
    return path;
}

static size_t last_slash(wgt_str path) {
    size_t at = path.size;
    while (at > 0 && path.data[at - 1] != '/')
        at--;
    return at; /* one past the slash; 0: none */
}

wgt_str wgt_path_folder(wgt_str path) {
    size_t end = last_slash(path);
    if (end == 0)
        return WGT_STR(".");
    while (end > 1 && path.data[end - 1] == '/')
        end--;
    return (wgt_str){path.data, end};
}

wgt_str wgt_path_name(wgt_str path) {
    size_t at = last_slash(path);
    return (wgt_str){path.data + at, path.size - at};
}

const char *wgt_program_path(wgt_arena *arena) {
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    if (size <= 0 || (size_t)size >= sizeof path)
        return NULL;
    return wgt_arena_copy(arena, (wgt_str){path, (size_t)size}).data;
}
