/* The probe's kernels as WGSL. Deterministic, nothing but the action goes in. */
#include "wgtune/probe.h"
#include "../base/text.h"

static const char *const names[WGT_PROBE_KERNEL_COUNT] = {
    "residency", "live",        "read",           "write",            "copy",  "fma",
    "int",       "transcendental", "atomic-same", "atomic-spread", "atomic-workgroup", "empty"};

const char *wgt_probe_kernel_name(wgt_probe_kernel kernel) {
    return (unsigned)kernel < WGT_PROBE_KERNEL_COUNT ? names[kernel] : "";
}

static bool memory_kernel(wgt_probe_kernel kernel) {
    return kernel == WGT_PROBE_READ || kernel == WGT_PROBE_WRITE || kernel == WGT_PROBE_COPY ||
           kernel == WGT_PROBE_ATOMIC_SPREAD;
}

void wgt_probe_parameters(const wgt_probe_action *a, uint32_t parameters[4]) {
    const uint64_t element = a->kernel == WGT_PROBE_ATOMIC_SPREAD ? 4 : 16;
    uint64_t elements = memory_kernel(a->kernel) ? a->bytes / element : 1;
    elements = elements == 0 ? 1 : elements;
    /* Workgroups start evenly spread over the whole, so that a line is met again only after all the
     * others were. */
    uint64_t stride = a->workgroups == 0 ? 0 : elements / a->workgroups;
    parameters[0] = a->iterations;
    parameters[1] = (uint32_t)(elements - 1);
    parameters[2] = (uint32_t)stride;
    parameters[3] = a->workgroups;
}

static const char head[] =
    "@group(0) @binding(0) var<uniform> p: vec4<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> c: array<atomic<u32>, 16>;\n";

/* The counters. The workgroup does not end before the subtraction is answered: otherwise its place
 * could be taken, and counted, before it is counted out. */
static const char enter[] =
    "    if (li == 0u) {\n"
    "        let a = atomicAdd(&c[0], 1u) + 1u;\n"
    "        atomicMax(&c[1], a);\n"
    "        atomicAdd(&c[2], 1u);\n"
    "        atomicAdd(&c[3], a);\n"
    "    }\n";
static const char leave[] =
    "    workgroupBarrier();\n"
    "    if (li == 0u) {\n"
    "        let left = atomicSub(&c[0], 1u);\n"
    "        if (left == 1u) { atomicAdd(&c[4], 1u); }\n"
    "    }\n"
    "}\n";

static void put_main(wgt_out *out, const wgt_probe_action *a) {
    wgt_putf(out,
             "@compute @workgroup_size(%u) fn main(@builtin(local_invocation_index) li: u32, "
             "@builtin(workgroup_id) wid: vec3<u32>) {\n",
             a->size);
}

static void put_residency(wgt_out *out, const wgt_probe_action *a) {
    const uint32_t words = a->shared_bytes / 4;
    if (words > 0) {
        wgt_putf(out, "var<workgroup> s: array<u32, %u>;\n", words);
    }
    put_main(out, a);
    wgt_put(out, wgt_str_from(enter));
    if (words > 0) {
        wgt_putf(out, "    s[li %% %uu] = li;\n", words);
    }
    wgt_put(out, WGT_STR("    workgroupBarrier();\n"));
    wgt_put(out, WGT_STR("    var x = f32(li) * 0.001;\n    for (var k = 0u; k < p.x; k++) {\n"
                         "        x = fract(x * 1.7 + 0.3);\n    }\n"));
    if (words > 0) {
        wgt_putf(out, "    x += f32(s[(li + p.x) %% %uu] & 1u) * 1e-9;\n", words);
    }
    wgt_put(out, WGT_STR("    if (x > 5.0) { atomicAdd(&c[5], 1u); }\n"));
    wgt_put(out, wgt_str_from(leave));
}

/* Every value is read by another one in each turn, and all of them at the end. */
static void put_live(wgt_out *out, const wgt_probe_action *a) {
    put_main(out, a);
    wgt_put(out, wgt_str_from(enter));
    wgt_put(out, WGT_STR("    let q = 1.0 / f32(p.w + 1u);\n    let x = f32(li) * 0.001;\n"));
    for (uint32_t i = 0; i < a->live; i++) {
        wgt_putf(out, "    var a%u = x * %u.5;\n", i, i);
    }
    wgt_put(out, WGT_STR("    for (var k = 0u; k < p.x; k++) {\n"));
    for (uint32_t i = 0; i < a->live; i++) {
        wgt_putf(out, "        a%u = fma(a%u, a%u, q);\n", i, i, (i + 7) % a->live);
    }
    wgt_put(out, WGT_STR("    }\n    let t = a0"));
    for (uint32_t i = 1; i < a->live; i++) {
        wgt_putf(out, " + a%u", i);
    }
    wgt_put(out, WGT_STR(";\n    if (t == 12345.678) { atomicAdd(&c[5], 1u); }\n"));
    wgt_put(out, wgt_str_from(leave));
}

static void put_memory(wgt_out *out, const wgt_probe_action *a) {
    static const char *const bodies[] = {
        /* read: four at once, so that many are on the way */
        "    var i = wid.x * p.z + li;\n    var t = vec4<f32>();\n"
        "    for (var k = 0u; k < p.x; k++) {\n"
        "        t += src[i & p.y] + src[(i + WGu) & p.y] + src[(i + 2u * WGu) & p.y] + src[(i + 3u * WGu) & p.y];\n"
        "        i += 4u * WGu;\n    }\n"
        "    if (t.x + t.y + t.z + t.w == 12345.678) { atomicAdd(&c[5], 1u); }\n}\n",
        "    var i = wid.x * p.z + li;\n    let v = vec4<f32>(f32(p.w));\n"
        "    for (var k = 0u; k < p.x; k++) {\n"
        "        dst[i & p.y] = v;\n        dst[(i + WGu) & p.y] = v;\n"
        "        dst[(i + 2u * WGu) & p.y] = v;\n        dst[(i + 3u * WGu) & p.y] = v;\n"
        "        i += 4u * WGu;\n    }\n}\n",
        "    var i = wid.x * p.z + li;\n    for (var k = 0u; k < p.x; k++) {\n"
        "        let a = src[i & p.y];\n        let b = src[(i + WGu) & p.y];\n"
        "        let d = src[(i + 2u * WGu) & p.y];\n        let e = src[(i + 3u * WGu) & p.y];\n"
        "        dst[i & p.y] = a;\n        dst[(i + WGu) & p.y] = b;\n"
        "        dst[(i + 2u * WGu) & p.y] = d;\n        dst[(i + 3u * WGu) & p.y] = e;\n"
        "        i += 4u * WGu;\n    }\n}\n",
    };
    wgt_put(out, WGT_STR("@group(0) @binding(2) var<storage, read> src: array<vec4<f32>>;\n"
                         "@group(0) @binding(3) var<storage, read_write> dst: array<vec4<f32>>;\n"));
    put_main(out, a);
    for (const char *at = bodies[a->kernel - WGT_PROBE_READ]; *at != '\0'; at++) {
        if (at[0] == 'W' && at[1] == 'G') {
            wgt_putf(out, "%u", a->size);
            at++;
        } else {
            wgt_put_char(out, *at);
        }
    }
}

/* Eight chains that do not wait for each other, four turns of each in an iteration. */
static void put_arithmetic(wgt_out *out, const wgt_probe_action *a) {
    static const struct {
        const char *constants, *before, *after, *step_before, *step_after, *never;
    } rows[] = {
        {"    let m = 1.0 / f32(p.w + 1u);\n    let b = m * 0.5;\n", "f32(li) * 0.001 + ", ".0", "fma(", ", m, b)",
         "12345.678"},
        {"    let m = p.w | 5u;\n    let b = p.w + 7u;\n", "li + ", "u", "", " * m + b", "123456789u"},
        {"", "f32(li) * 0.001 + ", ".0", "exp2(-", ")", "12345.678"},
    };
    const size_t row = (size_t)(a->kernel - WGT_PROBE_FMA);
    put_main(out, a);
    wgt_put(out, wgt_str_from(rows[row].constants));
    for (unsigned i = 0; i < 8; i++) {
        wgt_putf(out, "    var x%u = %s%u%s;\n", i, rows[row].before, i, rows[row].after);
    }
    wgt_put(out, WGT_STR("    for (var k = 0u; k < p.x; k++) {\n"));
    for (unsigned step = 0; step < 32; step++) {
        wgt_putf(out, "        x%u = %sx%u%s;\n", step % 8, rows[row].step_before, step % 8, rows[row].step_after);
    }
    wgt_putf(out, "    }\n    if (x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 == %s) { atomicAdd(&c[5], 1u); }\n}\n",
             rows[row].never);
}

static void put_atomic(wgt_out *out, const wgt_probe_action *a) {
    const bool workgroup = a->kernel == WGT_PROBE_ATOMIC_WORKGROUP, same = a->kernel == WGT_PROBE_ATOMIC_SAME;
    if (workgroup) {
        wgt_putf(out, "var<workgroup> s: array<atomic<u32>, %u>;\n", a->size);
    } else if (!same) {
        wgt_put(out, WGT_STR("@group(0) @binding(3) var<storage, read_write> d: array<atomic<u32>>;\n"));
    }
    put_main(out, a);
    wgt_put(out, WGT_STR("    for (var k = 0u; k < p.x; k++) {\n        atomicAdd(&"));
    if (!workgroup && !same) {
        wgt_putf(out, "d[((wid.x + k * 61u) * %uu + li) & p.y]", a->size);
    } else {
        wgt_put(out, workgroup ? WGT_STR("s[li]") : WGT_STR("c[6]"));
    }
    wgt_put(out, WGT_STR(", 1u);\n    }\n"));
    if (workgroup) {
        wgt_put(out, WGT_STR("    if (atomicLoad(&s[li]) == 4294967295u) { atomicAdd(&c[5], 1u); }\n"));
    }
    wgt_put(out, WGT_STR("}\n"));
}

size_t wgt_probe_text(const wgt_probe_action *a, char *text, size_t capacity) {
    wgt_out out;
    wgt_out_init(&out, text, capacity);
    wgt_put(&out, wgt_str_from(head));
    switch (a->kernel) {
    case WGT_PROBE_RESIDENCY:
        put_residency(&out, a);
        break;
    case WGT_PROBE_LIVE:
        put_live(&out, a);
        break;
    case WGT_PROBE_READ:
    case WGT_PROBE_WRITE:
    case WGT_PROBE_COPY:
        put_memory(&out, a);
        break;
    case WGT_PROBE_FMA:
    case WGT_PROBE_INT:
    case WGT_PROBE_TRANSCENDENTAL:
        put_arithmetic(&out, a);
        break;
    case WGT_PROBE_ATOMIC_SAME:
    case WGT_PROBE_ATOMIC_SPREAD:
    case WGT_PROBE_ATOMIC_WORKGROUP:
        put_atomic(&out, a);
        break;
    case WGT_PROBE_EMPTY:
    case WGT_PROBE_KERNEL_COUNT:
        put_main(&out, a);
        wgt_put(&out, WGT_STR("    if (p.x == 4294967295u) { atomicAdd(&c[5], li); }\n}\n"));
        break;
    }
    return out.truncated ? 0 : out.size;
}
