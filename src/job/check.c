#include "internal.h"
#include <string.h>

/* Two contents of one part, and where the first difference is told. */
typedef struct pair {
    const wgt_job_binding *binding;
    const wgt_part *part;
    const unsigned char *a, *b; /* from the buffer's start */
    wgt_error *why;
} pair;

static double load(wgt_scalar scalar, const unsigned char *bytes) {
    switch (scalar) {
    case WGT_SCALAR_F32: {
        float f = 0;
        memcpy(&f, bytes, sizeof f);
        return (double)f;
    }
    case WGT_SCALAR_F16: {
        uint16_t h = 0;
        memcpy(&h, bytes, sizeof h);
        return (double)wgt_f32_from_f16(h);
    }
    case WGT_SCALAR_I32: {
        int32_t i = 0;
        memcpy(&i, bytes, sizeof i);
        return (double)i;
    }
    default: {
        uint32_t u = 0;
        memcpy(&u, bytes, sizeof u);
        return (double)u;
    }
    }
}

static uint64_t place(const pair *p, uint64_t element, uint32_t slot) {
    const uint64_t base = p->part->offset + element * p->part->stride;
    return base + (p->part->slot_count > 0 ? p->part->slots[slot].offset : 4 * (uint64_t)slot);
}

static uint32_t slots_of(const wgt_part *part) {
    return part->slot_count > 0 ? part->slot_count : (uint32_t)(part->stride / 4);
}

static wgt_scalar scalar_of(const wgt_part *part, uint32_t slot) {
    return part->slot_count > 0 ? part->slots[slot].scalar : WGT_SCALAR_U32;
}

static bool close_enough(double a, double b, double rtol, double atol) {
    if (wgt_is_nan(a) || wgt_is_nan(b)) {
        return wgt_is_nan(a) && wgt_is_nan(b);
    }
    if (!wgt_is_finite(a) || !wgt_is_finite(b)) {
        return a == b;
    }
    return wgt_abs(a - b) <= atol + rtol * wgt_abs(b);
}

/* `grid[1234]`, `points[7].y`, `params.scale`, `tiles[3].sum[2]`. */
static void put_place(wgt_out *out, const pair *p, uint64_t element, uint32_t slot) {
    wgt_put(out, p->binding->name);
    const wgt_part *part = p->part;
    if (part->member.size > 0 && !part->in_each) {
        wgt_putf(out, ".%.*s", (int)part->member.size, part->member.data);
    }
    if (part->array) {
        wgt_putf(out, "[%llu]", (unsigned long long)element);
    }
    if (part->in_each) { /* the index comes before the member */
        wgt_putf(out, ".%.*s", (int)part->member.size, part->member.data);
    }
    const uint32_t slots = slots_of(part);
    if (slots >= 2 && slots <= 4 && part->slot_count > 0) {
        wgt_putf(out, ".%c", "xyzw"[slot]);
    } else if (slots > 1) {
        wgt_putf(out, "[%u]", slot);
    }
}

static void tell(const pair *p, uint64_t element, uint32_t slot) {
    if (p->why == NULL) {
        return;
    }
    const wgt_scalar scalar = scalar_of(p->part, slot);
    const uint64_t at = place(p, element, slot);
    wgt_out out;
    wgt_out_init(&out, p->why->message, sizeof p->why->message);
    put_place(&out, p, element, slot);
    const double a = load(scalar, p->a + at), b = load(scalar, p->b + at);
    wgt_putf(&out, ": %g, not %g", a, b);
    if (a == b || (wgt_is_nan(a) && wgt_is_nan(b))) { /* 0 and -0, or two kinds of NaN */
        wgt_putf(&out, " (other bits)");
    }
}

static bool same(const pair *p, double rtol, double atol) {
    (void)rtol;
    (void)atol;
    const uint32_t slots = slots_of(p->part);
    for (uint64_t e = 0; e < p->part->count; e++) {
        for (uint32_t s = 0; s < slots; s++) {
            const uint64_t at = place(p, e, s);
            if (memcmp(p->a + at, p->b + at, wgt_scalar_size(scalar_of(p->part, s))) != 0) {
                tell(p, e, s);
                return false;
            }
        }
    }
    return true;
}

static bool close_by(const pair *p, double rtol, double atol) {
    const uint32_t slots = slots_of(p->part);
    for (uint64_t e = 0; e < p->part->count; e++) {
        for (uint32_t s = 0; s < slots; s++) {
            const uint64_t at = place(p, e, s);
            const wgt_scalar scalar = scalar_of(p->part, s);
            if (!close_enough(load(scalar, p->a + at), load(scalar, p->b + at), rtol, atol)) {
                tell(p, e, s);
                return false;
            }
        }
    }
    return true;
}

/* A sum that does not lose small terms (Kahan and Babuska). Infinities and NaN go through. */
typedef struct running_sum {
    double sum, lost;
} running_sum;

static void add(running_sum *r, double value) {
    const double next = r->sum + value;
    if (wgt_is_finite(next)) {
        r->lost += wgt_abs(r->sum) >= wgt_abs(value) ? (r->sum - next) + value : (value - next) + r->sum;
    }
    r->sum = next;
}

/* Whole numbers are added without rounding: 64 bits hold 2^32 of them. */
static bool sums_of_slot(const pair *p, uint32_t slot, double rtol, double atol) {
    const wgt_scalar scalar = scalar_of(p->part, slot);
    const bool whole = scalar == WGT_SCALAR_U32 || scalar == WGT_SCALAR_I32;
    int64_t whole_a = 0, whole_b = 0;
    running_sum real_a = {0, 0}, real_b = {0, 0};
    for (uint64_t e = 0; e < p->part->count; e++) {
        const uint64_t at = place(p, e, slot);
        const double a = load(scalar, p->a + at), b = load(scalar, p->b + at);
        if (whole) {
            whole_a += (int64_t)a;
            whole_b += (int64_t)b;
        } else {
            add(&real_a, a);
            add(&real_b, b);
        }
    }
    const double a = whole ? (double)whole_a : real_a.sum + real_a.lost;
    const double b = whole ? (double)whole_b : real_b.sum + real_b.lost;
    const bool exact = whole && rtol == 0 && atol == 0;
    if (exact ? whole_a == whole_b : close_enough(a, b, rtol, atol)) {
        return true;
    }
    if (p->why != NULL) {
        wgt_out out;
        wgt_out_init(&out, p->why->message, sizeof p->why->message);
        wgt_putf(&out, "the sum of %.*s%s%.*s: ", (int)p->binding->name.size, p->binding->name.data,
                 p->part->member.size > 0 ? "." : "", (int)p->part->member.size, p->part->member.data);
        if (whole) {
            wgt_putf(&out, "%lld, not %lld", (long long)whole_a, (long long)whole_b);
        } else {
            wgt_putf(&out, "%g, not %g", a, b);
        }
    }
    return false;
}

static bool sum(const pair *p, double rtol, double atol) {
    for (uint32_t s = 0; s < slots_of(p->part); s++) {
        if (!sums_of_slot(p, s, rtol, atol)) {
            return false;
        }
    }
    return true;
}

/* Two multisets of elements are the same when the sums of their elements' 128-bit hashes are: needs no
 * memory and no order. */
static wgt_hash multiset(const pair *p, const unsigned char *data) {
    wgt_hash total = {0, 0};
    const uint32_t slots = slots_of(p->part);
    for (uint64_t e = 0; e < p->part->count; e++) {
        unsigned char packed[4 * WGT_MAX_SLOTS];
        size_t size = 0;
        for (uint32_t s = 0; s < slots && size + 4 <= sizeof packed; s++) {
            const uint32_t bytes = wgt_scalar_size(scalar_of(p->part, s));
            memcpy(packed + size, data + place(p, e, s), bytes);
            size += bytes;
        }
        const wgt_hash hash = wgt_hash_bytes(packed, size);
        total.low += hash.low;
        total.high += hash.high + (total.low < hash.low ? 1 : 0);
    }
    return total;
}

static bool set(const pair *p, double rtol, double atol) {
    (void)rtol;
    (void)atol;
    if (wgt_hash_equal(multiset(p, p->a), multiset(p, p->b))) {
        return true;
    }
    if (p->why != NULL) {
        (void)wgt_format(p->why->message, sizeof p->why->message, "the %llu elements of %.*s are other ones",
                         (unsigned long long)p->part->count, (int)p->binding->name.size,
                         p->binding->name.data);
    }
    return false;
}

wgt_status wgt_job_check(const wgt_job *job, size_t binding, const void *a, const void *b, uint64_t bytes,
                         bool *equal, wgt_error *why, wgt_error *error) {
    static bool (*const checks[])(const pair *, double, double) = {
        [WGT_CHECK_SAME] = same, [WGT_CHECK_CLOSE] = close_by, [WGT_CHECK_SUM] = sum, [WGT_CHECK_SET] = set};
    if (binding >= job->binding_count || bytes != job->bindings[binding].bytes) {
        return wgt_fail(error, WGT_USAGE, "not the whole contents of a binding");
    }
    const wgt_job_binding *bound = &job->bindings[binding];
    *equal = true;
    if (bound->check == WGT_CHECK_NONE || memcmp(a, b, (size_t)bytes) == 0) {
        return WGT_OK;
    }
    for (size_t i = 0; *equal && i < job->bound[binding].part_count; i++) {
        const pair p = {bound, &job->bound[binding].parts[i], a, b, why};
        *equal = checks[bound->check](&p, bound->rtol, bound->atol);
    }
    return WGT_OK;
}
