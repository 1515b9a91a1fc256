// One pass of a separable Gaussian along x: radius 4, sigma 2, edges clamped, one cell an invocation.
//
// The same as smooth-heavy.wgsl in one loop: each weight is worked out where it is needed, and what does not change is
// outside the loop.

override WG_SIZE: u32 = 64;

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> smoothed: array<f32>;
@group(0) @binding(2) var<uniform> grid_size: vec2<u32>; // columns, rows

const RADIUS: i32 = 4;
const SIGMA: f32 = 2.0;

@compute @workgroup_size(WG_SIZE)
fn smooth_lean(@builtin(workgroup_id) workgroup: vec3<u32>,
               @builtin(num_workgroups) workgroups: vec3<u32>,
               @builtin(local_invocation_index) local: u32) {
    let index = (workgroup.x + workgroup.y * workgroups.x) * WG_SIZE + local;
    if (index >= grid_size.x * grid_size.y) {
        return;
    }
    let column = i32(index % grid_size.x);
    let row_start = index - u32(column);
    let last = i32(grid_size.x) - 1;
    let falloff = 1.0 / (2.0 * SIGMA * SIGMA);
    var sum = 0.0;
    var total = 0.0;
    for (var distance = -RADIUS; distance <= RADIUS; distance++) {
        let weight = exp(-f32(distance * distance) * falloff);
        sum += source[row_start + u32(clamp(column + distance, 0, last))] * weight;
        total += weight;
    }
    smoothed[index] = sum / total;
}
