#include "wgtune/limits.h"

#include "../base/memory.h"
#include "../base/text.h"

#include <string.h>

/* The sizes chosen so far, ascending, in units of the subgroup width. */
typedef struct chosen {
    uint32_t units[WGT_MAX_SIZES];
    size_t count;
} chosen;

static void choose(chosen *set, uint32_t unit) {
    size_t at = set->count;
    while (at > 0 && set->units[at - 1] >= unit) {
        if (set->units[at - 1] == unit)
            return;
        at--;
    }
    memmove(set->units + at + 1, set->units + at, (set->count - at) * sizeof set->units[0]);
    set->units[at] = unit;
    set->count++;
}

static bool is_chosen(const chosen *set, uint32_t unit) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->units[i] == unit)
            return true;
    }
    return false;
}

/* Adds the units first, 2 first, 4 first, ... up to `most`; where not all find room, those that
 * spread evenly over the exponents. */
static void choose_powers(chosen *set, uint32_t first, uint32_t most, size_t at_most) {
    uint32_t fresh[32];
    size_t count = 0;
    for (uint64_t unit = first; unit <= most; unit *= 2) {
        if (!is_chosen(set, (uint32_t)unit))
            fresh[count++] = (uint32_t)unit;
    }
    size_t room = at_most > set->count ? at_most - set->count : 0;
    size_t take = count < room ? count : room;
    for (size_t i = 0; i < take; i++)
        choose(set, fresh[(2 * i + 1) * count / (2 * take)]);
}

/* Fills up by halving the widest gap again and again. */
static void choose_evenly(chosen *set, size_t at_most) {
    while (set->count < at_most) {
        size_t widest = 0;
        for (size_t i = 1; i + 1 < set->count; i++) {
            if (set->units[i + 1] - set->units[i] > set->units[widest + 1] - set->units[widest])
                widest = i;
        }
        choose(set, set->units[widest] + (set->units[widest + 1] - set->units[widest]) / 2);
    }
}

static size_t write_sizes(const chosen *set, uint32_t width, uint32_t *sizes, size_t capacity) {
    for (size_t i = 0; i < set->count && i < capacity; i++)
        sizes[i] = set->units[i] * width;
    return set->count;
}

size_t wgt_candidate_sizes(const wgt_budget *budget, size_t at_most, uint32_t *sizes,
                           size_t capacity) {
    uint32_t width = budget->subgroup_width == 0 ? 32 : budget->subgroup_width;
    uint32_t cap =
        budget->max_invocations < budget->max_x ? budget->max_invocations : budget->max_x;
    if (at_most == 0)
        at_most = WGT_DEFAULT_SIZES;
    if (cap == 0)
        return 0;
    if (cap < width) {
        if (capacity > 0)
            sizes[0] = cap;
        return 1;
    }
    uint32_t most = cap / width;
    if (most <= at_most || at_most >= WGT_MAX_SIZES) {
        for (uint32_t i = 0; i < most && i < capacity; i++)
            sizes[i] = (i + 1) * width;
        return most;
    }
    chosen set;
    set.count = 0;
    choose(&set, 1);
    if (at_most > 1)
        choose(&set, most);
    choose_powers(&set, 1, most, at_most);
    choose_powers(&set, 3, most, at_most);
    if (at_most > 1)
        choose_evenly(&set, at_most);
    return write_sizes(&set, width, sizes, capacity);
}

uint32_t wgt_masked_lanes(uint32_t invocations, uint32_t width) {
    if (width == 0 || invocations % width == 0)
        return 0;
    return width - invocations % width;
}

static bool skip(wgt_candidate *candidate, uint64_t value, const char *what, const char *limit,
                 uint64_t most) {
    candidate->status = WGT_CANDIDATE_SKIPPED;
    wgt_format(candidate->reason, sizeof candidate->reason, "%llu %s > %s %llu",
               (unsigned long long)value, what, limit, (unsigned long long)most);
    return false;
}

bool wgt_candidate_check(const wgt_limits *limits, wgt_candidate *candidate) {
    static const char axis_names[] = "xyz";
    static const char *const size_what[] = {"invocations in x", "invocations in y",
                                            "invocations in z"};
    static const char *const size_limits[] = {
        "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ"};
    static const char *const grid_what[] = {"workgroups in x", "workgroups in y",
                                            "workgroups in z"};
    const uint64_t size_most[] = {limits->max_compute_workgroup_size_x,
                                  limits->max_compute_workgroup_size_y,
                                  limits->max_compute_workgroup_size_z};
    if (candidate->status != WGT_CANDIDATE_OK)
        return false;
    uint64_t invocations = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (candidate->workgroup[axis] == 0) {
            candidate->status = WGT_CANDIDATE_SKIPPED;
            wgt_format(candidate->reason, sizeof candidate->reason,
                       "0 invocations in %c, 1 is the least", axis_names[axis]);
            return false;
        }
        if (!wgt_mul_u64(invocations, candidate->workgroup[axis], &invocations))
            invocations = UINT64_MAX;
    }
    if (invocations > limits->max_compute_invocations_per_workgroup)
        return skip(candidate, invocations, "invocations", "maxComputeInvocationsPerWorkgroup",
                    limits->max_compute_invocations_per_workgroup);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (candidate->workgroup[axis] > size_most[axis])
            return skip(candidate, candidate->workgroup[axis], size_what[axis], size_limits[axis],
                        size_most[axis]);
    }
    if (candidate->workgroup_bytes > limits->max_compute_workgroup_storage_size)
        return skip(candidate, candidate->workgroup_bytes, "bytes of workgroup storage",
                    "maxComputeWorkgroupStorageSize", limits->max_compute_workgroup_storage_size);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (candidate->workgroups[axis] > limits->max_compute_workgroups_per_dimension)
            return skip(candidate, candidate->workgroups[axis], grid_what[axis],
                        "maxComputeWorkgroupsPerDimension",
                        limits->max_compute_workgroups_per_dimension);
    }
    return true;
}
