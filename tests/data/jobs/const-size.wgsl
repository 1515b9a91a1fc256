const TILE = 64;
const TWICE = TILE * 2;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> s: array<f32, TWICE>;
@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  const half = TILE / 2;
  s[li] = x[id.x]; s[li + TILE] = f32(TILE);
  workgroupBarrier();
  var k: i32 = TILE - half;
  if (id.x < arrayLength(&y)) { y[id.x] = s[(li + 1u) % TILE] * 0.0 + x[id.x] + f32(k - k) + s[li + TILE] * 0.0; }
}
