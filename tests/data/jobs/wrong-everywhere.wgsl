// Writes 2i + 1 where its reference has 2i: every size agrees on the wrong answer.
override WG_SIZE: u32 = 64;
@group(0) @binding(0) var<storage, read_write> doubled: array<u32>;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&doubled)) {
        doubled[id.x] = 2u * id.x + 1u;
    }
}
