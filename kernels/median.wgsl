// The median of 5 × 5 cells, edges clamped, one cell an invocation: a window of 25 values in an array of the function,
// sorted as far as the middle.

override WG_SIZE: u32 = 64;

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> filtered: array<f32>;
@group(0) @binding(2) var<uniform> grid_size: vec2<u32>; // columns, rows

const RADIUS: i32 = 2;
const WINDOW: u32 = 25;

@compute @workgroup_size(WG_SIZE)
fn median(@builtin(workgroup_id) workgroup: vec3<u32>,
          @builtin(num_workgroups) workgroups: vec3<u32>,
          @builtin(local_invocation_index) local: u32) {
    let index = (workgroup.x + workgroup.y * workgroups.x) * WG_SIZE + local;
    if (index >= grid_size.x * grid_size.y) {
        return;
    }
    let cell = vec2<i32>(vec2<u32>(index % grid_size.x, index / grid_size.x));
    let last = vec2<i32>(grid_size) - 1;
    var window: array<f32, WINDOW>;
    var count = 0u;
    for (var y = -RADIUS; y <= RADIUS; y++) {
        for (var x = -RADIUS; x <= RADIUS; x++) {
            let at = vec2<u32>(clamp(cell + vec2<i32>(x, y), vec2<i32>(0), last));
            window[count] = source[at.y * grid_size.x + at.x];
            count++;
        }
    }
    for (var i = 0u; i <= WINDOW / 2u; i++) {
        var least = i;
        for (var k = i + 1u; k < WINDOW; k++) {
            if (window[k] < window[least]) {
                least = k;
            }
        }
        let swapped = window[i];
        window[i] = window[least];
        window[least] = swapped;
    }
    filtered[index] = window[WINDOW / 2u];
}
