$ VK_DRIVER_FILES=/nonexistent.json LIBGL_DRIVERS_PATH=/nonexistent __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent.json wgtune adapters
! wgtune: no adapter that can compute, under Vulkan or OpenGL (the variable VK_DRIVER_FILES restricts the drivers); install the GPU's driver, or for a CPU adapter mesa-vulkan-drivers (on Debian or Ubuntu)
[4]

$ VK_DRIVER_FILES=/nonexistent.json LIBGL_DRIVERS_PATH=/nonexistent __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent.json wgtune tune scatter
! wgtune: no adapter that can compute, under Vulkan or OpenGL (the variable VK_DRIVER_FILES restricts the drivers); install the GPU's driver, or for a CPU adapter mesa-vulkan-drivers (on Debian or Ubuntu)
[4]

$ WGTUNE_WGPU_LIB=/nonexistent/libwgpu.so wgtune tune scatter
! wgtune: cannot load the WebGPU engine: /nonexistent/libwgpu.so: cannot open shared object file: No such file or directory
[4]

$ wgtune tune scatter -p n=1000 --adapter nobody 2>&1 | sed 's/choose from .*/choose from .../'
wgtune: no adapter "nobody"; choose from ...

$ wgtune tune $DATA/jobs/refused.job.json
! wgtune: refused.wgsl:2:8: the `subgroups` enable-extension is not yet supported
[3]

$ wgtune tune $DATA/jobs/wrong-everywhere.job.json --sizes 32,64 > out; code=$?; grep -E 'wrong|pick|saved' out; ls wisdom 2>&1 | sed 's/.*/no wisdom/'; exit $code
wrong-everywhere.wgsl:main · n = 4096
wrong     WG_SIZE = 32: its output is not the reference: doubled[0]: 1, not 0
wrong     WG_SIZE = 64: its output is not the reference: doubled[0]: 1, not 0
pick      none: no candidate could be timed: 2 wrong; the first: its output is not the reference: doubled[0]: 1, not 0
no wisdom
! wgtune: no candidate could be timed: 2 wrong; the first: its output is not the reference: doubled[0]: 1, not 0
[1]

$ wgtune tune $DATA/jobs/wrong-somewhere.job.json --sizes 32,64,128,256 --rounds 4 --json | grep -E '^      "(status|verified|reason)"'
      "status": "ok",
      "reason": null,
      "verified": "agreement",
      "status": "ok",
      "reason": null,
      "verified": "agreement",
      "status": "ok",
      "reason": null,
      "verified": "agreement",
      "status": "wrong",
      "reason": "its output is not what 3 of 4 candidates gave",
      "verified": false,

$ wgtune tune scatter -p n=20000 -p width=64 -p height=64 --sizes 64,128,2048 --limits portable --rounds 4 --json | grep -E '^      "(status|verified|reason)"'
      "status": "ok",
      "reason": null,
      "verified": "agreement",
      "status": "ok",
      "reason": null,
      "verified": "agreement",
      "status": "skipped",
      "reason": "2048 invocations > maxComputeInvocationsPerWorkgroup 256",
      "verified": false,

$ wgtune tune scatter -p n=1000000000 --sizes 64 2>&1 | sed 's/[0-9]*$/.../'
wgtune: SRC/kernels/scatter.job.json:7:18: positions: 8000000000 bytes > maxStorageBufferBindingSize ...

$ wgtune tune scatter -p n=0 --sizes 64
! wgtune: SRC/kernels/scatter.job.json:7:50: 0 is no whole number from 1 to 1099511627776
[3]

$ wgtune adapters --json | grep -c subgroup_m
2


$ for j in literal const; do wgtune tune $DATA/jobs/$j-size.job.json -p n=4096 --sizes 32,64,128 --rounds 4 --json | grep -E '^      "(constants|status|verified)"'; done
      "constants": {"WG_X": 32},
      "status": "ok",
      "verified": "agreement",
      "constants": {"WG_X": 64},
      "status": "ok",
      "verified": "agreement",
      "constants": {"WG_X": 128},
      "status": "ok",
      "verified": "agreement",
      "constants": {"TILE": 32},
      "status": "ok",
      "verified": "agreement",
      "constants": {"TILE": 64},
      "status": "ok",
      "verified": "agreement",
      "constants": {"TILE": 128},
      "status": "ok",
      "verified": "agreement",


$ wgtune tune scatter -p n=100000 -p width=256 -p height=256 --sizes 64,128 --rounds 4 --json | grep -c '"residency": {"workgroups": [12],'
2

$ wgtune tune scatter -p n=100000 -p width=256 -p height=256 --sizes 64,128 --rounds 4 --json --residency none --fresh | grep -c '"residency": null'
2


$ export WGTUNE_LAYER_PATH=/nonexistent; for i in 1 2; do wgtune tune scatter -p n=1000 --sizes 64 --rounds 2 | tail -1 | cut -c1-9; done
saved    
wisdom   
! wgtune: no Vulkan layer in /nonexistent ($WGTUNE_LAYER_PATH): registers stay unknown

