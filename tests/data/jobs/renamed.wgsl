override LANES: u32 = 256;

@group(0) @binding(0) var<storage, read> spots: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> tally: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> box: vec4<f32>;
@group(0) @binding(3) var<uniform> shape: vec2<u32>;

fn sane(q: vec2<f32>) -> bool {
    let all_ones = vec2<u32>(0x7f800000u);
    return all((bitcast<vec2<u32>>(q) & all_ones) != all_ones);
}

@compute @workgroup_size(LANES)
fn tally_up(@builtin(workgroup_id) block: vec3<u32>,
            @builtin(num_workgroups) blocks: vec3<u32>,
            @builtin(local_invocation_index) lane: u32) {
    let k = (block.x + block.y * blocks.x) * LANES + lane;
    if (k >= arrayLength(&spots)) {
        return;
    }
    let spot = spots[k];
    let dims = vec2<f32>(shape);
    let bin = (spot - box.xy) * (dims / (box.zw - box.xy));
    if (sane(bin) && all(bin >= vec2<f32>(0.0)) && all(bin < dims)) {
        let across = u32(bin.x);
        let down = u32(bin.y);
        atomicAdd(&tally[down * shape.x + across], 1u);
    }
}
