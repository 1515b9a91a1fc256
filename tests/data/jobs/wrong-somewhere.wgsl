// Forgets the invocations from 192 up: right up to that size, wrong above it.
override WG_SIZE: u32 = 64;
@group(0) @binding(0) var<storage, read_write> doubled: array<u32>;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if (id.x < arrayLength(&doubled)) {
        doubled[id.x] = select(2u * id.x, 7u, local >= 192u);
    }
}
