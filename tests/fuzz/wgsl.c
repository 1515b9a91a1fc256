/* Whatever the text: reading it ends within its memory, an error has a place, and the questions about
 * what was read have answers. */
#include "fuzz.h"

#include "base/host/host.h"
#include "wgtune/wgsl.h"

const char *const wgt_fuzz_seeds[] = {
    "override WG: u32 = 64; override N = WG * 2u;\nstruct P { n: u32, v: vec3f, a: array<mat2x2f, 3> }\n"
    "@group(0) @binding(0) var<uniform> p: P;\n@group(0) @binding(1) var<storage, read_write> g: array<atomic<u32>>;\n"
    "var<workgroup> s: array<atomic<u32>, N>;\n@compute @workgroup_size(WG, 1)\n"
    "fn main(@builtin(global_invocation_id) id: vec3u) {\n for (var k = id.x; k < N; k += WG) { atomicStore(&s[k], 0u); }\n"
    " workgroupBarrier();\n if id.x >= p.n { return; }\n let q = select(1, 2, id.x > 3u); _ = q;\n"
    " switch id.y { case 0, 1: { atomicAdd(&g[id.x], 1u); } default: {} }\n}",
    "const a = vec4(1, 2.0, 3, 4).wzyx; const b = array(a, a)[1].x + f32(max(3, 4)); const_assert b > 1;\n"
    "fn f(p: ptr<function, i32>) -> i32 { loop { *p += 1; if *p > 3 { break; } continuing { break if true; } } return *p; }",
    "enable f16; alias A = array<vec2<f16>, (1 << 3)>; var<private> x: A = A();\n"
    "@fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f { discard; return c; }",
    NULL};

const char *const wgt_fuzz_words[] = {
    "<", ">", ">>", ">=", ">>=", "<<", "(", ")", "[", "]", "{", "}", ";", ",", ":", "@", "&", "&&", "|", "||", "*",
    "-", "--", "->", "=", "==", "!", "~", ".", "/*", "*/", "//", "\n", "_", "array<", "vec2<", "ptr<", "atomic<u32>",
    "fn ", "struct ", "override ", "const ", "var ", "let ", "return ", "loop ", "for (", "if ", "else ", "switch ",
    "case ", "default ", "break ", "continuing ", "0x", "1e9", "1.5h", "4294967295u", "9223372036854775807", "0",
    "-2147483648", "/ 0", "% 0", "<< 40", "bitcast<", "select(", "pow(", "inverseSqrt(", "normalize(", "{{", "${",
    "#if", "\xe2\x80\xa8", "\xc3\xa9", "\xff", NULL};

static void ask(const wgt_wgsl *m) {
    const wgt_wgsl_entry *entries;
    const wgt_wgsl_override *overrides;
    size_t count = wgt_wgsl_entries(m, &entries), n = wgt_wgsl_overrides(m, &overrides);
    for (unsigned round = 0; round < 3; round++) {
        wgt_wgsl_value values[8];
        size_t given = 0;
        for (; round > 0 && given < n && given < 8; given++)
            values[given] = (wgt_wgsl_value){overrides[given].name, round == 1 ? 3 : 4294967295.0};
        for (size_t i = 0; i < count; i++) {
            uint32_t size[3];
            uint64_t counted, raw;
            wgt_error error;
            if (!(entries[i].stage.size == 7))
                continue;
            wgt_wgsl_workgroup_size(m, &entries[i], values, given, size, &error);
            if (wgt_wgsl_workgroup_bytes(m, &entries[i], values, given, &counted, &raw, &error) == WGT_OK)
                WGT_FUZZ_CHECK(counted >= raw);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wgt_wgsl_options options = {.allocator = wgt_heap()};
    wgt_wgsl *m = NULL;
    wgt_error error = {""};
    wgt_status status = wgt_wgsl_create(&options, WGT_STR("f"), (wgt_str){(const char *)data, size}, &m, &error);
    WGT_FUZZ_CHECK(status == WGT_OK || (status == WGT_BAD_INPUT && error.message[0] == 'f') || status == WGT_NO_MEMORY);
    const wgt_diagnostic *d;
    size_t count = wgt_wgsl_diagnostics(m, &d);
    for (size_t i = 0; i < count; i++)
        WGT_FUZZ_CHECK(d[i].line > 0 && d[i].column > 0 && d[i].message.size > 0);
    ask(m);
    wgt_wgsl_destroy(&m);
    return 0;
}
