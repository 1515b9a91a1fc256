// Density scatter: counts points into the cells of a grid, one point an invocation.
//
// Cells are half-open: the point on a cell's upper border belongs to the next one, and a point on the
// upper border of the extent to none. Points outside the extent, and coordinates that are not finite,
// are dropped, never clamped.

override WG_SIZE: u32 = 256;

@group(0) @binding(0) var<storage, read> positions: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> grid: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> extent: vec4<f32>;    // min x, min y, max x, max y
@group(0) @binding(3) var<uniform> grid_size: vec2<u32>; // columns, rows

// Compilers may assume that no value is infinite or NaN; the exponent's bits cannot be argued away.
fn is_finite(p: vec2<f32>) -> bool {
    let exponent = vec2<u32>(0x7f800000u);
    return all((bitcast<vec2<u32>>(p) & exponent) != exponent);
}

@compute @workgroup_size(WG_SIZE)
fn scatter(@builtin(workgroup_id) workgroup: vec3<u32>,
           @builtin(num_workgroups) workgroups: vec3<u32>,
           @builtin(local_invocation_index) local: u32) {
    // Above 65,535 workgroups the dispatch is folded into two axes.
    let index = (workgroup.x + workgroup.y * workgroups.x) * WG_SIZE + local;
    if (index >= arrayLength(&positions)) {
        return;
    }
    let position = positions[index];
    let size = vec2<f32>(grid_size);
    let cell = (position - extent.xy) * (size / (extent.zw - extent.xy));
    if (is_finite(cell) && all(cell >= vec2<f32>(0.0)) && all(cell < size)) {
        let column = u32(cell.x);
        let row = u32(cell.y);
        atomicAdd(&grid[row * grid_size.x + column], 1u);
    }
}
