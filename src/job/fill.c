#include "internal.h"
#include <string.h>

bool wgt_scalar_store(wgt_scalar scalar, double value, void *bytes) {
    const bool whole = value == wgt_floor(value);
    if (scalar == WGT_SCALAR_F32) {
        const float f = (float)value;
        memcpy(bytes, &f, sizeof f);
    } else if (scalar == WGT_SCALAR_F16) {
        const uint16_t h = wgt_f16_from_f32((float)value);
        memcpy(bytes, &h, sizeof h);
    } else if (scalar == WGT_SCALAR_I32) {
        if (!(whole && value >= -0x1p31 && value <= 0x1p31 - 1)) {
            return false;
        }
        const int32_t i = (int32_t)value;
        memcpy(bytes, &i, sizeof i);
    } else {
        if (!(whole && value >= 0 && value <= 0x1p32 - 1)) {
            return false;
        }
        const uint32_t u = (uint32_t)value;
        memcpy(bytes, &u, sizeof u);
    }
    return true;
}

/* The largest f32 below a positive or negative value's own f32. */
static float step_down(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    bits = value > 0 ? bits - 1 : value < 0 ? bits + 1 : 0x80000001u;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* In [low, high), also where rounding to f32 would reach `high`. */
static double uniform(const wgt_init *init, wgt_scalar scalar, uint64_t index, uint32_t slot) {
    const double low = init->low[slot], high = init->high[slot];
    if (scalar == WGT_SCALAR_U32 || scalar == WGT_SCALAR_I32) {
        const double bound = high - low;
        return low + (bound >= 0x1p32 ? (double)(wgt_random_u64(init->seed, index) >> 32)
                                      : (double)wgt_random_below(init->seed, index, (uint32_t)bound));
    }
    const float value = (float)(low + (high - low) * (double)wgt_random_f32(init->seed, index));
    return (double)value < high ? (double)value : (double)step_down((float)high);
}

/* The sum of 12 uniforms has variance 1 and mean 6. */
static double normal(uint64_t seed, uint64_t index) {
    double sum = 0;
    for (uint64_t i = 0; i < 12; i++) {
        sum += (double)wgt_random_f32(seed, index * 12 + i);
    }
    return sum - 6;
}

static double clustered(const wgt_part *part, uint64_t element, uint32_t slot, uint64_t index) {
    const wgt_init *init = &part->init;
    const uint64_t cluster = wgt_random_below(init->seed + 2, element, init->clusters);
    const double unit = (double)wgt_random_f32(init->seed + 1, cluster * part->slot_count + slot);
    const double centre = init->low[slot] + (init->high[slot] - init->low[slot]) * unit;
    return centre + init->sigma * normal(init->seed, index);
}

void wgt_part_scalar(const wgt_part *part, uint64_t element, uint32_t slot, unsigned char bytes[4]) {
    const wgt_init *init = &part->init;
    const wgt_scalar scalar = part->slots[slot].scalar;
    const uint64_t index = element * part->slot_count + slot;
    double value = 0;
    switch (init->kind) {
    case WGT_INIT_VALUES:
        value = init->values[index % init->value_count];
        break;
    case WGT_INIT_RANGE:
        value = init->start + init->step * (double)index;
        break;
    case WGT_INIT_UNIFORM:
        value = uniform(init, scalar, index, slot);
        break;
    case WGT_INIT_NORMAL:
        value = init->mean + init->sigma * normal(init->seed, index);
        break;
    case WGT_INIT_CLUSTERED:
        value = clustered(part, element, slot, index);
        break;
    case WGT_INIT_ONE_CELL:
        value = init->values[slot];
        break;
    case WGT_INIT_FILE: {
        const size_t size = wgt_scalar_size(scalar);
        memcpy(bytes, init->bytes.data + index * size, size);
        return;
    }
    case WGT_INIT_ZERO:
    default:
        break;
    }
    (void)wgt_scalar_store(scalar, value, bytes); /* it fits: checked when the job was read */
}

/* Elements without plain scalars come from a file stride by stride. */
static void fill_raw(const wgt_part *part, uint64_t offset, unsigned char *data, uint64_t bytes) {
    if (part->init.kind != WGT_INIT_FILE) {
        return;
    }
    const uint64_t start = part->offset > offset ? part->offset : offset;
    uint64_t end = part->offset + part->stride * part->count;
    end = end < offset + bytes ? end : offset + bytes;
    if (start < end) {
        memcpy(data + (start - offset), part->init.bytes.data + (start - part->offset), (size_t)(end - start));
    }
}

static void fill_part(const wgt_part *part, uint64_t offset, unsigned char *data, uint64_t bytes) {
    if (part->slot_count == 0) {
        fill_raw(part, offset, data, bytes);
        return;
    }
    if (part->init.kind == WGT_INIT_ZERO) {
        return;
    }
    const uint64_t first = offset > part->offset ? (offset - part->offset) / part->stride : 0;
    for (uint64_t e = first; e < part->count; e++) {
        const uint64_t base = part->offset + e * part->stride;
        if (base >= offset + bytes) {
            return;
        }
        for (uint32_t s = 0; s < part->slot_count; s++) {
            const uint64_t at = base + part->slots[s].offset;
            const uint32_t size = wgt_scalar_size(part->slots[s].scalar);
            /* Offsets are multiples of 4, so that a scalar is inside or outside as a whole. */
            if (at >= offset && at + size <= offset + bytes) {
                unsigned char scalar[4] = {0};
                wgt_part_scalar(part, e, s, scalar);
                memcpy(data + (at - offset), scalar, size);
            }
        }
    }
}

static wgt_status check_span(const wgt_job *job, size_t binding, uint64_t offset, size_t bytes,
                             wgt_error *error) {
    uint64_t end = 0;
    if (binding >= job->binding_count || offset % 4 != 0 || bytes % 4 != 0 ||
        !wgt_add_u64(offset, bytes, &end) || end > job->bindings[binding].bytes) {
        return wgt_fail(error, WGT_USAGE, "a span outside the binding, or not in words of 4 bytes");
    }
    return WGT_OK;
}

wgt_status wgt_job_fill(const wgt_job *job, size_t binding, uint64_t offset, void *data, size_t bytes,
                        wgt_error *error) {
    const wgt_status status = check_span(job, binding, offset, bytes, error);
    if (status != WGT_OK || bytes == 0) {
        return status;
    }
    memset(data, 0, bytes);
    for (size_t i = 0; i < job->bound[binding].part_count; i++) {
        fill_part(&job->bound[binding].parts[i], offset, data, bytes);
    }
    return WGT_OK;
}

wgt_status wgt_job_reference(const wgt_job *job, size_t binding, void *data, size_t bytes,
                             wgt_error *error) {
    const wgt_status status = check_span(job, binding, 0, bytes, error);
    if (status != WGT_OK) {
        return status;
    }
    if (!job->bindings[binding].has_reference) {
        return wgt_fail(error, WGT_USAGE, "%.*s has no reference", (int)job->bindings[binding].name.size,
                        job->bindings[binding].name.data);
    }
    memset(data, 0, bytes);
    wgt_str rest = job->bound[binding].reference;
    for (size_t i = 0; i < job->bound[binding].part_count; i++) {
        wgt_part part = job->bound[binding].parts[i]; /* the same layout with the reference as contents */
        const uint64_t element = part.slot_count > 0
                                     ? (uint64_t)part.slot_count * wgt_scalar_size(part.scalar)
                                     : part.stride;
        part.init.kind = WGT_INIT_FILE;
        part.init.bytes = rest;
        fill_part(&part, 0, data, bytes);
        rest.data += part.count * element;
        rest.size -= part.count * element;
    }
    return WGT_OK;
}
