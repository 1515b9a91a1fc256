// Valid WGSL that wgpu-native 29 does not take: it has no `enable subgroups`.
enable subgroups;
override WG_SIZE: u32 = 64;
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&sums)) {
        sums[id.x] = subgroupAdd(1u);
    }
}
