#include "host.h"
#include "reason.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool leads_nowhere(const char *path) {
    struct stat link, target;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(path, &target) != 0;
}

static wgt_status make_folder(const char *path, wgt_error *error) {
    if (mkdir(path, 0777) == 0)
        return WGT_OK;
    int code = errno;
    /* A read-only file system may say so of a folder that is there. */
    if (wgt_folder_exists(path))
        return WGT_OK;
    if (leads_nowhere(path))
        return wgt_fail(error, WGT_NOT_SAVED, "%s: a symbolic link that leads nowhere", path);
    return wgt_fail_on(error, WGT_NOT_SAVED, path, code == EEXIST ? ENOTDIR : code);
}

wgt_status wgt_folder_create(const char *path, wgt_error *error) {
    char part[PATH_MAX];
    wgt_str whole = wgt_str_from(path);
    if (whole.size == 0 || whole.size >= sizeof part)
        return wgt_fail_on(error, WGT_NOT_SAVED, path, whole.size ? ENAMETOOLONG : ENOENT);
    memcpy(part, path, whole.size + 1);
    for (size_t i = 1; i <= whole.size; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        char kept = part[i];
        part[i] = '\0';
        wgt_status status = make_folder(part, error);
        if (status)
            return status;
        part[i] = kept;
    }
    return WGT_OK;
}

static int compare_names(const void *a, const void *b) {
    return wgt_str_compare(*(const wgt_str *)a, *(const wgt_str *)b);
}

/* A growing array in an arena: the old ones stay behind, less than the last one's size in all. */
typedef struct name_list {
    wgt_arena *arena;
    wgt_str *names;
    size_t count, capacity;
} name_list;

static bool add_name(name_list *list, const char *name) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        wgt_str *larger = WGT_NEW_ARRAY(list->arena, wgt_str, capacity);
        if (!larger)
            return false;
        if (list->count)
            memcpy(larger, list->names, list->count * sizeof *larger);
        list->names = larger;
        list->capacity = capacity;
    }
    wgt_str copy = wgt_arena_copy(list->arena, wgt_str_from(name));
    list->names[list->count] = copy;
    list->count += copy.data != NULL;
    return copy.data != NULL;
}

wgt_status wgt_folder_list(const char *path, wgt_arena *arena, wgt_str **names, size_t *count,
                           wgt_error *error) {
    name_list list = {.arena = arena};
    DIR *folder = wgt_fault(WGT_FAULT_OPEN) ? (errno = EMFILE, NULL) : opendir(path);
    if (!folder)
        return wgt_fail_on(error, errno == ENOENT ? WGT_NEGATIVE : WGT_BAD_INPUT, path, errno);
    bool room = true;
    const struct dirent *entry;
    while (room && (errno = 0, (entry = readdir(folder)) != NULL))
        /* A pipe or a device would be waited for. */
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && entry->d_type != DT_FIFO &&
            entry->d_type != DT_SOCK && entry->d_type != DT_CHR && entry->d_type != DT_BLK)
            room = add_name(&list, entry->d_name);
    int code = room ? errno : 0;
    closedir(folder);
    if (!room)
        return wgt_fail(error, WGT_NO_MEMORY, "%s: no memory left to list it", path);
    if (code)
        return wgt_fail_on(error, WGT_BAD_INPUT, path, code);
    if (list.count)
        qsort(list.names, list.count, sizeof *list.names, compare_names);
    *names = list.names;
    *count = list.count;
    return WGT_OK;
}
