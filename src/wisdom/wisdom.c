/* The store keeps no state but its folder: what is in there is read anew each time, so that several
 * processes can share it. A save is a rename, so that the last of several wins whole. */
#include "wgtune/wisdom.h"
#include "../base/hash.h"
#include "../base/host/host.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

/* Above any entry that there will be: 4,096 candidates take a few megabytes. */
enum { LARGEST_ENTRY = 64 << 20, FORMAT = 1, HASH_DIGITS = 16, JOB_BYTES = 100, NAME_BYTES = 160 };

struct wgt_wisdom {
    const wgt_allocator *allocator;
    wgt_arena arena; /* what lives as long as the store */
    const char *folder;
};

static const char *set_variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* By the XDG base directory specification: a relative path in its variables is to be ignored. */
static const char *default_folder(wgt_arena *arena) {
    const char *own = set_variable("WGTUNE_WISDOM"), *cache = set_variable("XDG_CACHE_HOME");
    const char *home = set_variable("HOME");
    if (own)
        return wgt_arena_copy(arena, wgt_str_from(own)).data;
    if (cache && cache[0] == '/')
        return wgt_path_join(arena, wgt_str_from(cache), WGT_STR("wgtune"));
    return home ? wgt_path_join(arena, wgt_str_from(home), WGT_STR(".cache/wgtune")) : NULL;
}

wgt_status wgt_wisdom_open(const char *folder, const wgt_allocator *allocator, wgt_wisdom **wisdom,
                           wgt_error *error) {
    allocator = allocator ? allocator : wgt_heap();
    wgt_wisdom *made = allocator->resize(allocator->user, NULL, 0, sizeof *made);
    *wisdom = NULL;
    if (!made)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory left to open the wisdom");
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    wgt_arena_init(&made->arena, allocator);
    made->folder = folder && *folder ? wgt_arena_copy(&made->arena, wgt_str_from(folder)).data
                                     : default_folder(&made->arena);
    if (made->folder) {
        *wisdom = made;
        return WGT_OK;
    }
    bool homeless = !(folder && *folder) && !set_variable("WGTUNE_WISDOM") && !set_variable("HOME");
    wgt_wisdom_close(&made);
    if (homeless)
        return wgt_fail(
            error, WGT_USAGE,
            "no folder for the wisdom: none of WGTUNE_WISDOM, XDG_CACHE_HOME and HOME is set");
    return wgt_fail(error, WGT_NO_MEMORY, "no memory left to open the wisdom");
}

void wgt_wisdom_close(wgt_wisdom **wisdom) {
    if (!wisdom || !*wisdom)
        return;
    const wgt_allocator *allocator = (*wisdom)->allocator;
    wgt_arena_release(&(*wisdom)->arena);
    allocator->resize(allocator->user, *wisdom, sizeof **wisdom, 0);
    *wisdom = NULL;
}

const char *wgt_wisdom_folder(const wgt_wisdom *wisdom) {
    return wisdom->folder;
}

static bool is_file_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* The end of every name of a key's entries: `-<16 hex digits>.json`. */
static void name_end(const wgt_key *key, char *memory, size_t capacity) {
    char digits[WGT_HASH_TEXT_SIZE];
    wgt_hash_format(wgt_key_hash(key), digits);
    wgt_format(memory, capacity, "-%.*s.json", HASH_DIGITS, digits);
}

void wgt_wisdom_name(const wgt_key *key, wgt_str job_name, char *name, size_t capacity) {
    char job[JOB_BYTES + 1], end[32];
    size_t size = job_name.size < JOB_BYTES ? job_name.size : JOB_BYTES;
    for (size_t i = 0; i < size; i++)
        job[i] = is_file_letter(job_name.data[i]) ? job_name.data[i] : '-';
    job[size] = '\0';
    name_end(key, end, sizeof end);
    wgt_format(name, capacity, "%s%s", size ? job : "job", end);
}

static const char *path_of(const wgt_wisdom *wisdom, wgt_arena *arena, const char *name) {
    return wgt_path_join(arena, wgt_str_from(wisdom->folder), wgt_str_from(name));
}

static wgt_status no_memory(const wgt_wisdom *wisdom, wgt_error *error) {
    return wgt_fail(error, WGT_NO_MEMORY, "%s: no memory left to read it", wisdom->folder);
}

/* A format above ours is no damage: a newer wgtune wrote it and will want it back. */
static bool is_newer(wgt_str text, wgt_arena *arena) {
    wgt_json *root;
    if (wgt_json_parse(WGT_STR(""), text, 0, arena, &root, NULL))
        return false;
    return wgt_json_number_or(root, "format", 0) > FORMAT;
}

static wgt_status set_aside(const char *path, wgt_arena *arena, const wgt_error *why,
                            wgt_error *error) {
    wgt_str parts = wgt_str_from(path);
    char *aside = wgt_arena_push(arena, parts.size + sizeof ".damaged", 1);
    if (!aside)
        return wgt_fail(error, WGT_NO_MEMORY, "%s: no memory left to read it", path);
    wgt_format(aside, parts.size + sizeof ".damaged", "%s.damaged", path);
    wgt_error trouble;
    if (wgt_file_rename(path, aside, &trouble) == WGT_OK)
        return wgt_fail(error, WGT_BAD_INPUT, "%s; set aside as %s", why->message, aside);
    return wgt_fail(error, WGT_BAD_INPUT, "%s; it could not be set aside: %s", why->message,
                    trouble.message);
}

/* Reads the file of a key. A file that cannot be read is not damaged: its bytes may be good. */
static wgt_status read_for(const wgt_wisdom *wisdom, const char *path, const wgt_key *key,
                           wgt_arena *arena, wgt_result **result, wgt_error *error) {
    wgt_str text;
    wgt_error why;
    wgt_key found;
    wgt_status status = wgt_file_read(path, LARGEST_ENTRY, arena, &text, error);
    if (status)
        return status;
    status = wgt_entry_read(wisdom->allocator, wgt_str_from(path), text, result, &why);
    if (status == WGT_NO_MEMORY || (status && is_newer(text, arena)))
        return wgt_fail(error, status, "%s", why.message);
    if (status)
        return set_aside(path, arena, &why, error);
    wgt_key_of_result(&found, *result);
    if (wgt_key_equal(&found, key))
        return WGT_OK;
    wgt_result_destroy(result);
    wgt_fail(&why, WGT_BAD_INPUT, "%s: holds another key than its name says", path);
    return set_aside(path, arena, &why, error);
}

/* The newest of a key's entries: jobs of different names may share a key. NULL when there is none.
 */
static const char *newest_of(const wgt_wisdom *wisdom, const wgt_key *key, const wgt_str *names,
                             size_t count, wgt_arena *arena) {
    char end[32];
    const char *newest = NULL;
    uint64_t newest_time = 0;
    name_end(key, end, sizeof end);
    for (size_t i = 0; i < count; i++) {
        if (!wgt_str_ends(names[i], end))
            continue;
        const char *path = path_of(wisdom, arena, names[i].data);
        uint64_t time = path ? wgt_file_time_ns(path) : 0;
        if (path && (!newest || time > newest_time)) {
            newest = path;
            newest_time = time;
        }
    }
    return newest;
}

wgt_status wgt_wisdom_find(wgt_wisdom *wisdom, const wgt_key *key, wgt_result **result,
                           wgt_error *error) {
    wgt_arena arena;
    wgt_str *names;
    size_t count;
    *result = NULL;
    wgt_arena_init(&arena, wisdom->allocator);
    wgt_status status = wgt_folder_list(wisdom->folder, &arena, &names, &count, error);
    if (status == WGT_OK) {
        const char *path = newest_of(wisdom, key, names, count, &arena);
        status = path ? read_for(wisdom, path, key, &arena, result, error)
                      : wgt_fail(error, WGT_NEGATIVE, "%s: no entry for this key", wisdom->folder);
    }
    wgt_arena_release(&arena);
    return status;
}

/* An entry that a newer wgtune wrote is not ours to replace. */
static bool holds_newer(const char *path, wgt_arena *arena) {
    wgt_str text;
    return wgt_file_exists(path) && wgt_file_read(path, LARGEST_ENTRY, arena, &text, NULL) == WGT_OK &&
           is_newer(text, arena);
}

static wgt_status write_entry(const wgt_wisdom *wisdom, const wgt_result *result, const char *name,
                              wgt_arena *arena, wgt_error *error) {
    size_t size = 0, room = 0;
    wgt_entry_write(result, NULL, &size);
    char *text = wgt_add_size(size, 1, &room) ? wgt_arena_push(arena, room, 1) : NULL;
    const char *path = path_of(wisdom, arena, name);
    if (!text || !path)
        return wgt_fail(error, WGT_NOT_SAVED, "%s: no memory left to write the entry",
                        wisdom->folder);
    if (holds_newer(path, arena))
        return wgt_fail(error, WGT_NOT_SAVED,
                        "%s: written by a newer wgtune, left as it is; remove it to save here", path);
    size_t capacity = room;
    if (wgt_entry_write(result, text, &capacity) || capacity != size)
        return wgt_fail(error, WGT_NOT_SAVED, "%s: the entry could not be written out", path);
    wgt_status status = wgt_folder_create(wisdom->folder, error);
    return status ? status : wgt_file_write_atomic(path, (wgt_str){text, size}, error);
}

wgt_status wgt_wisdom_save(wgt_wisdom *wisdom, const wgt_result *result, char *name,
                           size_t capacity, wgt_error *error) {
    char file[NAME_BYTES];
    wgt_key key;
    wgt_arena arena;
    wgt_key_of_result(&key, result);
    wgt_wisdom_name(&key, result->job_name, file, sizeof file);
    wgt_arena_init(&arena, wisdom->allocator);
    wgt_status status = write_entry(wisdom, result, file, &arena, error);
    wgt_arena_release(&arena);
    if (status == WGT_OK && name)
        wgt_format(name, capacity, "%s", file);
    return status;
}

/* Calls `visit` with what one file holds; *more is what it answered. */
static wgt_status visit_one(const wgt_wisdom *wisdom, const char *name, wgt_wisdom_visit visit,
                            void *user, bool *more, wgt_error *error) {
    wgt_arena arena;
    wgt_str text;
    wgt_error why = {""};
    wgt_result *result = NULL;
    wgt_arena_init(&arena, wisdom->allocator);
    const char *path = path_of(wisdom, &arena, name);
    wgt_status status =
        path ? wgt_file_read(path, LARGEST_ENTRY, &arena, &text, &why) : no_memory(wisdom, &why);
    if (status == WGT_OK)
        status = wgt_entry_read(wisdom->allocator, wgt_str_from(path), text, &result, &why);
    if (status == WGT_NO_MEMORY)
        wgt_fail(error, status, "%s", why.message);
    else
        *more = visit(user, name, result, &why);
    wgt_result_destroy(&result);
    wgt_arena_release(&arena);
    return status == WGT_NO_MEMORY ? status : WGT_OK;
}

wgt_status wgt_wisdom_each(wgt_wisdom *wisdom, wgt_wisdom_visit visit, void *user,
                           wgt_error *error) {
    wgt_arena arena;
    wgt_str *names = NULL;
    size_t count = 0;
    bool more = true;
    wgt_arena_init(&arena, wisdom->allocator);
    wgt_status status = wgt_folder_list(wisdom->folder, &arena, &names, &count, error);
    if (status == WGT_NEGATIVE) /* nothing was saved yet */
        status = WGT_OK;
    for (size_t i = 0; i < count && more && status == WGT_OK; i++)
        /* The data sheets of `wgtune probe` lie in the same folder. */
        if (wgt_str_ends(names[i], ".json") && !wgt_str_ends(names[i], ".sheet.json"))
            status = visit_one(wisdom, names[i].data, visit, user, &more, error);
    wgt_arena_release(&arena);
    return status;
}

wgt_status wgt_wisdom_forget(wgt_wisdom *wisdom, const char *name, wgt_error *error) {
    wgt_arena arena;
    wgt_str wanted = wgt_str_from(name);
    /* Only what the store itself could have named: no path out of the folder, no other file. */
    if (!wgt_str_ends(wanted, ".json") || wgt_path_name(wanted).size != wanted.size)
        return wgt_fail(error, WGT_NEGATIVE, "%s: no entry is named '%s'", wisdom->folder, name);
    wgt_arena_init(&arena, wisdom->allocator);
    const char *path = path_of(wisdom, &arena, name);
    wgt_status status = path ? wgt_file_remove(path, error) : no_memory(wisdom, error);
    if (status == WGT_NEGATIVE)
        wgt_fail(error, status, "%s: no entry is named '%s'", wisdom->folder, name);
    wgt_arena_release(&arena);
    return status;
}
