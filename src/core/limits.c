#include "wgtune/limits.h"

#include "../base/text.h"

#include <string.h>

#define LIMIT(name, field, portable)                                                               \
    { name, offsetof(wgt_limits, field), portable }

/* Source of the values: WebGPU, section 3.6.2 "Limits", the column of defaults. */
static const wgt_limit_row limit_rows[] = {
    LIMIT("maxComputeInvocationsPerWorkgroup", max_compute_invocations_per_workgroup, 256),
    LIMIT("maxComputeWorkgroupSizeX", max_compute_workgroup_size_x, 256),
    LIMIT("maxComputeWorkgroupSizeY", max_compute_workgroup_size_y, 256),
    LIMIT("maxComputeWorkgroupSizeZ", max_compute_workgroup_size_z, 64),
    LIMIT("maxComputeWorkgroupStorageSize", max_compute_workgroup_storage_size, 16384),
    LIMIT("maxComputeWorkgroupsPerDimension", max_compute_workgroups_per_dimension, 65535),
    LIMIT("maxStorageBufferBindingSize", max_storage_buffer_binding_size, 134217728),
    LIMIT("maxUniformBufferBindingSize", max_uniform_buffer_binding_size, 65536),
    LIMIT("maxBufferSize", max_buffer_size, 268435456),
    LIMIT("maxStorageBuffersPerShaderStage", max_storage_buffers_per_shader_stage, 8),
    LIMIT("maxUniformBuffersPerShaderStage", max_uniform_buffers_per_shader_stage, 12),
    LIMIT("maxBindGroups", max_bind_groups, 4),
    LIMIT("maxBindingsPerBindGroup", max_bindings_per_bind_group, 1000),
    LIMIT("maxTextureDimension2D", max_texture_dimension_2d, 8192),
    LIMIT("minStorageBufferOffsetAlignment", min_storage_buffer_offset_alignment, 256),
    LIMIT("minUniformBufferOffsetAlignment", min_uniform_buffer_offset_alignment, 256),
};

#define LIMIT_COUNT (sizeof limit_rows / sizeof limit_rows[0])

const wgt_limit_row *wgt_limit_table(size_t *count) {
    if (count != NULL)
        *count = LIMIT_COUNT;
    return limit_rows;
}

static uint64_t *limit_at(wgt_limits *limits, size_t row) {
    return (uint64_t *)(void *)((unsigned char *)limits + limit_rows[row].offset);
}

static uint64_t limit_value(const wgt_limits *limits, size_t row) {
    uint64_t value;
    memcpy(&value, (const unsigned char *)limits + limit_rows[row].offset, sizeof value);
    return value;
}

uint64_t *wgt_limit_by_name(wgt_limits *limits, wgt_str name) {
    for (size_t row = 0; row < LIMIT_COUNT; row++) {
        if (wgt_str_is(name, limit_rows[row].name))
            return limit_at(limits, row);
    }
    return NULL;
}

wgt_limits wgt_limits_portable(void) {
    wgt_limits limits;
    memset(&limits, 0, sizeof limits);
    for (size_t row = 0; row < LIMIT_COUNT; row++)
        *limit_at(&limits, row) = limit_rows[row].portable;
    return limits;
}

/* An alignment is the one kind of limit where less is more: those rows are named "min...". */
wgt_limits wgt_limits_min(const wgt_limits *a, const wgt_limits *b) {
    wgt_limits limits;
    memset(&limits, 0, sizeof limits);
    for (size_t row = 0; row < LIMIT_COUNT; row++) {
        uint64_t of_a = limit_value(a, row), of_b = limit_value(b, row);
        bool alignment = wgt_str_starts(wgt_str_from(limit_rows[row].name), "min");
        bool take_a = alignment ? of_a > of_b : of_a < of_b;
        *limit_at(&limits, row) = take_a ? of_a : of_b;
    }
    return limits;
}

static uint32_t clamp_u32(uint64_t value) {
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

wgt_budget wgt_budget_from_limits(const wgt_limits *limits, uint32_t subgroup_min,
                                  uint32_t subgroup_max) {
    wgt_budget budget;
    memset(&budget, 0, sizeof budget);
    budget.max_invocations = clamp_u32(limits->max_compute_invocations_per_workgroup);
    budget.max_x = clamp_u32(limits->max_compute_workgroup_size_x);
    budget.max_y = clamp_u32(limits->max_compute_workgroup_size_y);
    budget.max_z = clamp_u32(limits->max_compute_workgroup_size_z);
    budget.max_shared_bytes = clamp_u32(limits->max_compute_workgroup_storage_size);
    budget.subgroup_width = subgroup_max > subgroup_min ? subgroup_max : subgroup_min;
    if (budget.subgroup_width == 0)
        budget.subgroup_width = 32;
    budget.subgroup_min = subgroup_min;
    budget.subgroup_max = subgroup_max;
    return budget;
}
