// A coarse density grid of TILE × TILE cells, counted in workgroup memory first: every workgroup takes CHUNK points into a
// scratch grid of its own and adds that to the result, one atomic for each cell that it found points in.
//
// Cells and dropped points are as in scatter.wgsl. The scratch grid takes 4 bytes a cell, 4 KiB at 32 × 32 and 16 KiB at
// 64 × 64, and so decides how many workgroups a compute unit holds.

override WG_SIZE: u32 = 256;
override TILE: u32 = 32;
override CHUNK: u32 = 4096;

@group(0) @binding(0) var<storage, read> positions: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> grid: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> extent: vec4<f32>; // min x, min y, max x, max y

var<workgroup> scratch: array<atomic<u32>, TILE * TILE>;

// Compilers may assume that no value is infinite or NaN; the exponent's bits cannot be argued away.
fn is_finite(p: vec2<f32>) -> bool {
    let exponent = vec2<u32>(0x7f800000u);
    return all((bitcast<vec2<u32>>(p) & exponent) != exponent);
}

@compute @workgroup_size(WG_SIZE)
fn scatter_tiled(@builtin(workgroup_id) workgroup: vec3<u32>,
                 @builtin(num_workgroups) workgroups: vec3<u32>,
                 @builtin(local_invocation_index) local: u32) {
    for (var cell = local; cell < TILE * TILE; cell += WG_SIZE) {
        atomicStore(&scratch[cell], 0u);
    }
    workgroupBarrier();
    let first = (workgroup.x + workgroup.y * workgroups.x) * CHUNK;
    let end = min(first + CHUNK, arrayLength(&positions));
    let side = f32(TILE);
    let scale = side / (extent.zw - extent.xy);
    for (var index = first + local; index < end; index += WG_SIZE) {
        let cell = (positions[index] - extent.xy) * scale;
        if (is_finite(cell) && all(cell >= vec2<f32>(0.0)) && all(cell < vec2<f32>(side))) {
            atomicAdd(&scratch[u32(cell.y) * TILE + u32(cell.x)], 1u);
        }
    }
    workgroupBarrier();
    for (var cell = local; cell < TILE * TILE; cell += WG_SIZE) {
        let count = atomicLoad(&scratch[cell]);
        if (count > 0u) {
            atomicAdd(&grid[cell], count);
        }
    }
}
