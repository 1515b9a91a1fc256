#include "arch_table.h"
#include "../base/memory.h"
#include "../base/text.h"

#define KEY_SIZE 64

/* Lower case without spaces, '-' and '_': what names are compared by. */
static wgt_str key_of(wgt_str name, char memory[KEY_SIZE]) {
    size_t size = 0;
    for (size_t i = 0; i < name.size && size < KEY_SIZE; i++) {
        char c = name.data[i];
        if (c == ' ' || c == '-' || c == '_') {
            continue;
        }
        memory[size++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (wgt_str){memory, size};
}

/* The i-th name of a row: its id, its title, then the aliases; NULL beyond them. */
static const char *name_of(const wgt_arch *arch, size_t i) {
    return i == 0 ? arch->id : i == 1 ? arch->title : arch->aliases[i - 2];
}

const wgt_arch *wgt_arch_table(size_t *count) {
    *count = wgt_arch_row_count;
    return wgt_arch_rows;
}

const wgt_arch *wgt_arch_find(wgt_str name) {
    char wanted[KEY_SIZE], memory[KEY_SIZE];
    wgt_str key = key_of(name, wanted);
    for (size_t row = 0; row < wgt_arch_row_count && key.size > 0; row++) {
        const wgt_arch *arch = &wgt_arch_rows[row];
        for (size_t i = 0; name_of(arch, i) != NULL; i++) {
            if (wgt_str_equal(key, key_of(wgt_str_from(name_of(arch, i)), memory))) {
                return arch;
            }
        }
    }
    return NULL;
}

/* How far a name is: edits first, then the longer common beginning ("gfx1139" is nearer to
 * "gfx1100" than to "gfx1013"). */
static unsigned distance_of(wgt_str a, wgt_str b) {
    size_t same = 0;
    while (same < a.size && same < b.size && a.data[same] == b.data[same]) {
        same++;
    }
    return wgt_str_distance(a, b) * KEY_SIZE + KEY_SIZE - (unsigned)same;
}

/* The nearest name of a row and how far it is. A title is a description: no one mistypes it. */
static unsigned nearest_of(const wgt_arch *arch, wgt_str key, const char **name) {
    unsigned best = UINT32_MAX;
    char memory[KEY_SIZE];
    for (size_t i = 0; name_of(arch, i) != NULL; i++) {
        unsigned distance = distance_of(key, key_of(wgt_str_from(name_of(arch, i)), memory));
        if (i != 1 && distance < best) {
            best = distance;
            *name = name_of(arch, i);
        }
    }
    return best;
}

#define NEAREST 8

size_t wgt_arch_nearest(wgt_str name, const char **names, size_t capacity) {
    char wanted[KEY_SIZE];
    wgt_str key = key_of(name, wanted);
    unsigned distances[NEAREST];
    size_t count = 0;
    capacity = capacity < NEAREST ? capacity : NEAREST;
    for (size_t row = 0; row < wgt_arch_row_count; row++) {
        const char *candidate = NULL;
        unsigned distance = nearest_of(&wgt_arch_rows[row], key, &candidate);
        size_t at = count;
        while (at > 0 && distances[at - 1] > distance) {
            at--;
        }
        if (at == capacity) {
            continue;
        }
        count += count < capacity ? 1 : 0;
        for (size_t i = count - 1; i > at; i--) {
            distances[i] = distances[i - 1];
            names[i] = names[i - 1];
        }
        distances[at] = distance;
        names[at] = candidate;
    }
    return count;
}

wgt_status wgt_arch_get(wgt_str name, const wgt_arch **arch, wgt_error *error) {
    *arch = wgt_arch_find(name);
    if (*arch != NULL) {
        return WGT_OK;
    }
    wgt_identified found;
    wgt_evidence evidence = {.device = name};
    wgt_arch_identify(&evidence, &found);
    if (found.count == 1 && (found.by & WGT_BY_NAME) != 0) {
        *arch = found.archs[0];
        return WGT_OK;
    }
    const char *names[3] = {"", "", ""};
    wgt_arch_nearest(name, names, 3);
    return wgt_fail(
        error, WGT_BAD_INPUT, "unknown architecture '%.*s', the nearest are '%s', '%s', '%s'",
        (int)(name.size < 80 ? name.size : 80), name.data, names[0], names[1], names[2]);
}

const wgt_unit *wgt_arch_unit(const wgt_arch *arch, bool cu_mode) {
    return cu_mode ? &arch->unit : &arch->shared_unit;
}

bool wgt_arch_is_known(const wgt_arch *arch) {
    wgt_use use = {.workgroup = 1};
    wgt_occupancy occupancy;
    wgt_occupancy_compute(&arch->shared_unit, &use, &occupancy);
    return occupancy.known;
}

wgt_status wgt_arch_check_subgroup(const wgt_arch *arch, uint32_t subgroup, wgt_error *error) {
    const wgt_unit *u = &arch->unit;
    bool power = subgroup > 0 && (subgroup & (subgroup - 1)) == 0;
    if (subgroup == 0 || u->subgroup_min == 0 ||
        (power && subgroup >= u->subgroup_min && subgroup <= u->subgroup_max)) {
        return WGT_OK;
    }
    char widths[64];
    wgt_out out;
    wgt_out_init(&out, widths, sizeof widths);
    for (uint32_t width = u->subgroup_min; width <= u->subgroup_max; width *= 2) {
        wgt_putf(&out, "%s%u",
                 out.size == 0              ? ""
                 : width == u->subgroup_max ? " or "
                                            : ", ",
                 width);
    }
    return wgt_fail(error, WGT_BAD_INPUT, "subgroup %u, %s has %s", subgroup, arch->id, widths);
}
