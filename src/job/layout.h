/* How the scalars of a WGSL type lie in memory. Pure. */
#ifndef WGT_JOB_LAYOUT_H
#define WGT_JOB_LAYOUT_H

#include "../base/memory.h"

typedef enum wgt_scalar {
    WGT_SCALAR_NONE = 0,
    WGT_SCALAR_F32,
    WGT_SCALAR_U32,
    WGT_SCALAR_I32,
    WGT_SCALAR_F16
} wgt_scalar;

const char *wgt_scalar_name(wgt_scalar scalar); /* "f32", ...; "" for NONE */
wgt_scalar wgt_scalar_from(wgt_str name);
uint32_t wgt_scalar_size(wgt_scalar scalar);    /* bytes */

typedef struct wgt_slot {
    uint32_t offset; /* bytes from the element's start */
    wgt_scalar scalar;
} wgt_slot;

#define WGT_MAX_SLOTS 1024

/* The scalars of a type such as `f32`, `atomic<u32>`, `vec3<f32>`, `mat4x3<f32>`, `array<vec4<f32>, 3>`
 * or `vec2f`, in order. `size` and `align` by WGSL, section 14.4.1 "Alignment and Size". false: a type
 * that has no plain scalars (a struct's name, a runtime array), or more than WGT_MAX_SLOTS of them. */
bool wgt_type_layout(wgt_str type, wgt_slot *slots, uint32_t capacity, uint32_t *slot_count, uint64_t *size,
                     uint64_t *align);

#endif
