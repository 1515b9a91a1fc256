// One pass of a separable Gaussian along x: radius 4, sigma 2, edges clamped, one cell an invocation.
//
// This form first keeps the nine samples and their nine weights in arrays of the function, then sums them: eighteen
// values and an index are alive at once. smooth-lean.wgsl computes the same with three.

override WG_SIZE: u32 = 64;

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> smoothed: array<f32>;
@group(0) @binding(2) var<uniform> grid_size: vec2<u32>; // columns, rows

const RADIUS: i32 = 4;
const SIGMA: f32 = 2.0;

@compute @workgroup_size(WG_SIZE)
fn smooth_heavy(@builtin(workgroup_id) workgroup: vec3<u32>,
                @builtin(num_workgroups) workgroups: vec3<u32>,
                @builtin(local_invocation_index) local: u32) {
    let index = (workgroup.x + workgroup.y * workgroups.x) * WG_SIZE + local;
    if (index >= grid_size.x * grid_size.y) {
        return;
    }
    let column = i32(index % grid_size.x);
    let row_start = index - u32(column);
    var samples: array<f32, 9>;
    var weights: array<f32, 9>;
    for (var i = 0; i < 9; i++) {
        let distance = i - RADIUS;
        let at = clamp(column + distance, 0, i32(grid_size.x) - 1);
        samples[i] = source[row_start + u32(at)];
        weights[i] = exp(-f32(distance * distance) / (2.0 * SIGMA * SIGMA));
    }
    var sum = 0.0;
    var total = 0.0;
    for (var i = 0; i < 9; i++) {
        sum += samples[i] * weights[i];
        total += weights[i];
    }
    smoothed[index] = sum / total;
}
