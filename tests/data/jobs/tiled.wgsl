// Turns a square of numbers over its diagonal, tile by tile through workgroup storage. A tile of 16 takes
// 1 KiB of it, one of 64 the 16 KiB that every device has, one of 128 takes 64 KiB.
override WG_SIZE: u32 = 64;
override TILE: u32 = 16;
const WIDTH = 128u;

@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> turned: array<u32>;

var<workgroup> tile: array<u32, TILE * TILE>;

@compute @workgroup_size(WG_SIZE)
fn turn(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let source = workgroup.y * TILE * WIDTH + workgroup.x * TILE;
    let target_corner = workgroup.x * TILE * WIDTH + workgroup.y * TILE;
    for (var i = local; i < TILE * TILE; i += WG_SIZE) {
        tile[i] = numbers[source + i / TILE * WIDTH + i % TILE];
    }
    workgroupBarrier();
    for (var i = local; i < TILE * TILE; i += WG_SIZE) {
        turned[target_corner + i / TILE * WIDTH + i % TILE] = tile[i % TILE * TILE + i / TILE];
    }
}
