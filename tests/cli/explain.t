The arithmetic for a known architecture.
$ wgtune explain --arch sm_90 --workgroup 256 --registers 40 --shared 16384
sm_90 · NVIDIA · GH100 (H100/H200)
256 invocations a workgroup, 40 registers an invocation, 16,384 shared bytes

resident   6 workgroups per SM: 48 of 64 subgroups, 75 %
limiter    registers

allowed by
  workgroup-slots     32  slots
  invocations          8  64 subgroups of 32, 8 a workgroup
  shared-memory       13  233,472 bytes, 17,408 a workgroup with 1024 reserved
▸ registers            6  65,536 registers, 10,240 a workgroup
  barriers             –  no limit

one more   at most 32 registers
           or: 7 fit at a size of at most 192
as many    with at most 40 registers, 37,888 bytes of shared memory

  size  workgroups  occupancy          limiter
    32          13  ██           20 %  shared-memory
    64          13  ████▏        41 %  shared-memory
    96          13  ██████▏      61 %  shared-memory
   128          12  ███████▌     75 %  registers
   192           8  ███████▌     75 %  registers
▸  256           6  ███████▌     75 %  registers
   384           4  ███████▌     75 %  registers
   512           3  ███████▌     75 %  registers
   768           2  ███████▌     75 %  invocations, registers
  1024           1  █████        50 %  registers

elsewhere  NVK: max warps per SM: 40
note       under Vulkan (driver 580.159.04) an H200 was counted to have 49152
           bytes of shared memory a unit, granularity 256, no reserve
source     cuda_occupancy.h (CUDA 13.0); CCCL arch_traits.h @571f2fc3; CUDA C++
           Programming Guide Table 27 + sec.20

$ wgtune explain --arch gfx1100 --workgroup 256 --registers 97 --subgroup 32
gfx1100 · AMD · Navi 31, Navi 32
256 invocations a workgroup, 97 registers an invocation, 0 shared bytes

resident   6 workgroups per WGP: 48 of 64 subgroups, 75 %
limiter    registers

allowed by
  workgroup-slots     32  slots
  invocations          8  64 subgroups of 32, 8 a workgroup
  shared-memory        –  no limit
▸ registers            6  196,608 registers, 30,720 a workgroup
  barriers             –  no limit

one more   at most 96 registers
           or: 7 fit at a size of at most 192
as many    with at most 120 registers, 21,504 bytes of shared memory

  size  workgroups  occupancy          limiter
    32          48  ███████▌     75 %  registers
    64          24  ███████▌     75 %  registers
    96          16  ███████▌     75 %  registers
   128          12  ███████▌     75 %  registers
   192           8  ███████▌     75 %  registers
▸  256           6  ███████▌     75 %  registers
   384           4  ███████▌     75 %  registers
   512           3  ███████▌     75 %  registers
   768           2  ███████▌     75 %  invocations, registers
  1024           1  █████        50 %  registers

elsewhere  RADV: subgroups per SIMD, in wave32: 12
elsewhere  HIP: blocks per multiprocessor: 6
elsewhere  LLVM: waves per EU: 12
note       a workgroup runs on a WGP (two CUs: 4 SIMDs, 131072 B LDS, 32
           workgroups of several waves) unless in CU mode; RADV, HIP and LLVM
           take the WGP. VGPR file 1536/768 per SIMD
source     Mesa @e7a7d9ea ac_gpu_info.c, aco_ir.cpp, aco_live_var_analysis.cpp;
           LLVM AMDGPUBaseInfo.cpp, AMDGPUSubtarget.cpp, occupancy-levels.ll
           @010bcc5c; PAL gfx9Device.cpp; rocm-systems @1b1610fc libhsakmt
           queues.c (VGPR file bytes/CU)

$ wgtune explain --arch xe-hpg -w 256 -s 5000 --barriers 1 --subgroup 16
xe-hpg · Intel · Arc A-series, ATS-M
256 invocations a workgroup, 0 registers an invocation, 5000 shared bytes, 1 barrier

resident   8 workgroups per Xe-core: 128 of 128 subgroups, 100 %
limiter    invocations

allowed by
  workgroup-slots      –  no limit
▸ invocations          8  128 subgroups of 16, 16 a workgroup
  shared-memory       16  131,072 bytes, 8192 a workgroup
  registers            –  no limit
  barriers           128  128, 1 a workgroup

one more   9 fit at a size of at most 224
as many    with at most 16,384 bytes of shared memory, 16 barriers

  size  workgroups  occupancy          limiter
    16          16  █▎           12 %  shared-memory
    32          16  ██▌          25 %  shared-memory
    48          16  ███▊         38 %  shared-memory
    64          16  █████        50 %  shared-memory
    96          16  ███████▌     75 %  shared-memory
   128          16  ██████████  100 %  invocations, shared-memory
   192          10  █████████▍   94 %  invocations
▸  256           8  ██████████  100 %  invocations
   384           5  █████████▍   94 %  invocations
   512           4  ██████████  100 %  invocations
   768           2  ███████▌     75 %  invocations
  1024           2  ██████████  100 %  invocations

note       CONFLICT barrier registers 128 (calculator) vs 32 (NEO). Large GRF:
           calculator flag false; NEO handles it
source     Intel GPU Occupancy Calculator (oneAPI-samples @6f5ade58 index.html);
           Mesa @e7a7d9ea intel_device_info.c, intel_compute_slm.c,
           anv_pipeline.c; compute-runtime @e37c60bf hw_info_*/gfx_core_helper*

$ wgtune explain --arch "NVIDIA H200" -w 64 -s 16384 --shared-per-unit 49152 --shared-granularity 256 --shared-reserve 0
sm_90 · NVIDIA · GH100 (H100/H200)
64 invocations a workgroup, 0 registers an invocation, 16,384 shared bytes
with       shared_bytes_per_unit 49,152 as measured, the table says 233,472
           shared_granularity_bytes 256 as measured, the table says 128
           shared_reserve_bytes 0 as measured, the table says 1024

resident   3 workgroups per SM: 6 of 64 subgroups, 9.4 %
limiter    shared-memory

allowed by
  workgroup-slots     32  slots
  invocations         32  64 subgroups of 32, 2 a workgroup
▸ shared-memory        3  49,152 bytes, 16,384 a workgroup
  registers            –  no limit
  barriers             –  no limit

one more   at most 12,288 bytes of shared memory
as many    with at most 256 registers, 16,384 bytes of shared memory
fuller     at 96 invocations

  size  workgroups  occupancy          limiter
    32           3  ▌             5 %  shared-memory
▸   64           3  █             9 %  shared-memory
    96           3  █▍           14 %  shared-memory
   128           3  █▉           19 %  shared-memory
   192           3  ██▉          28 %  shared-memory
   256           3  ███▊         38 %  shared-memory
   384           3  █████▋       56 %  shared-memory
   512           3  ███████▌     75 %  shared-memory
   768           2  ███████▌     75 %  invocations
  1024           2  ██████████  100 %  invocations

elsewhere  NVK: max warps per SM: 48
note       under Vulkan (driver 580.159.04) an H200 was counted to have 49152
           bytes of shared memory a unit, granularity 256, no reserve
source     cuda_occupancy.h (CUDA 13.0); CCCL arch_traits.h @571f2fc3; CUDA C++
           Programming Guide Table 27 + sec.20

$ wgtune explain --arch sm_90 -w 256 -r 32 --dispatch 256 --units 132 --json
{
  "version": "0.1.0",
  "arch": "sm_90",
  "unit": "SM",
  "known": true,
  "use": {"workgroup": 256, "registers": 32, "shared_bytes": 0, "barriers": 0},
  "subgroup": 32,
  "workgroups": 8,
  "subgroups": 64,
  "max_subgroups": 64,
  "occupancy": 0.24242424242424243,
  "limiters": ["device-fill"],
  "terms": {
    "workgroup-slots": 32,
    "invocations": 8,
    "shared-memory": 228,
    "registers": 8,
    "barriers": null
  },
  "exceeded": [],
  "shared_bytes_allocated": 1024,
  "registers_allocated": 8192,
  "resident": 256,
  "one_more": {"workgroups": 9, "reachable": false, "registers": 24, "shared_bytes": 24832, "barriers": 7, "workgroup": 224},
  "as_many": {"workgroups": 8, "reachable": true, "registers": 32, "shared_bytes": 28160, "barriers": 8, "workgroup": 256},
  "fuller_sizes": {"below": null, "above": null},
  "elsewhere": {
    "NVK: max warps per SM": 48
  },
  "differences": [],
  "sizes": [
    {"workgroup": 32, "workgroups": 32, "subgroups": 32, "max_subgroups": 64, "occupancy": 0.5, "limiters": ["workgroup-slots"]},
    {"workgroup": 64, "workgroups": 32, "subgroups": 64, "max_subgroups": 64, "occupancy": 1, "limiters": ["workgroup-slots", "invocations", "registers"]},
    {"workgroup": 96, "workgroups": 21, "subgroups": 63, "max_subgroups": 64, "occupancy": 0.984375, "limiters": ["invocations", "registers"]},
    {"workgroup": 128, "workgroups": 16, "subgroups": 64, "max_subgroups": 64, "occupancy": 1, "limiters": ["invocations", "registers"]},
    {"workgroup": 192, "workgroups": 10, "subgroups": 60, "max_subgroups": 64, "occupancy": 0.9375, "limiters": ["invocations", "registers"]},
    {"workgroup": 256, "workgroups": 8, "subgroups": 64, "max_subgroups": 64, "occupancy": 1, "limiters": ["invocations", "registers"]},
    {"workgroup": 384, "workgroups": 5, "subgroups": 60, "max_subgroups": 64, "occupancy": 0.9375, "limiters": ["invocations", "registers"]},
    {"workgroup": 512, "workgroups": 4, "subgroups": 64, "max_subgroups": 64, "occupancy": 1, "limiters": ["invocations", "registers"]},
    {"workgroup": 768, "workgroups": 2, "subgroups": 48, "max_subgroups": 64, "occupancy": 0.75, "limiters": ["invocations", "registers"]},
    {"workgroup": 1024, "workgroups": 2, "subgroups": 64, "max_subgroups": 64, "occupancy": 1, "limiters": ["invocations", "registers"]}
  ],
  "confidence": "primary",
  "source": "cuda_occupancy.h (CUDA 13.0); CCCL arch_traits.h @571f2fc3; CUDA C++ Programming Guide Table 27 + sec.20",
  "notes": "under Vulkan (driver 580.159.04) an H200 was counted to have 49152 bytes of shared memory a unit, granularity 256, no reserve"
}

$ wgtune explain --unit slots=32,shared=65536,registers=65536,invocations=2048 --workgroup 64 --shared 4096 --json | grep -m1 '"workgroups"'
  "workgroups": 16,

$ wgtune explain --unit slots=32,shared=65536,registers=65536,invocations=2048 --workgroup 64 --shared 16384
a unit in numbers, by the plain formula
64 invocations a workgroup, 0 registers an invocation, 16,384 shared bytes

resident   4 workgroups per unit: 256 of 2048 invocations, 12.5 %
limiter    shared-memory

allowed by
  workgroup-slots     32  slots
  invocations         32  2048 invocations
▸ shared-memory        4  65,536 bytes, 16,384 a workgroup
  registers            –  no limit
  barriers             –  no limit

one more   at most 13,107 bytes of shared memory
as many    with at most 256 registers, 16,384 bytes of shared memory
fuller     at 96 invocations

  size  workgroups  occupancy          limiter
    32           4  ▋             6 %  shared-memory
▸   64           4  █▎           12 %  shared-memory
    96           4  █▉           19 %  shared-memory
   128           4  ██▌          25 %  shared-memory
   192           4  ███▊         38 %  shared-memory
   256           4  █████        50 %  shared-memory
   384           4  ███████▌     75 %  shared-memory
   512           4  ██████████  100 %  invocations, shared-memory
   768           2  ███████▌     75 %  invocations
  1024           2  ██████████  100 %  invocations


$ wgtune explain --arch apple7 --registers 128
apple7 · Apple · A14, M1 family
128 registers an invocation, 0 shared bytes

  size  workgroups  occupancy          limiter
    32          26  ██▊          27 %  registers
    64          13  ██▊          27 %  registers
    96           8  ██▌          25 %  registers
   128           6  ██▌          25 %  registers
   192           4  ██▌          25 %  registers
   256           3  ██▌          25 %  registers
   384           2  ██▌          25 %  registers
   512           1  █▋           17 %  registers
   768           1  ██▌          25 %  registers
  1024           0                0 %  registers

note       register file ~208 KiB; ~60 KB threadgroup memory per core
           (approximate, not counted); 384 threads at 256 half-registers, 1024
           at <=104. Table read against G13 (M1); apple8 assumed equal by
           metal-benchmarks grouping
source     philipturner/metal-benchmarks @dc2adc64 README; Mesa @e7a7d9ea
           src/asahi/compiler/agx_performance.c; dougallj/applegpu docs.html

$ wgtune explain --arch llvmpipe -w 64
llvmpipe · Mesa · CPU
64 invocations a workgroup, 0 registers an invocation, 0 shared bytes

resident   unknown: a CPU's threads run one workgroup after another, nothing is resident

note       no hardware residency; occupancy is undefined. max_compute_units
           reported 8
source     Mesa @e7a7d9ea llvmpipe lp_screen.c

$ wgtune explain --arch apple9 -w 64 --json
{
  "version": "0.1.0",
  "arch": "apple9",
  "unit": "core",
  "known": false,
  "use": {"workgroup": 64, "registers": 0, "shared_bytes": 0, "barriers": 0},
  "subgroup": null,
  "workgroups": null,
  "subgroups": null,
  "max_subgroups": null,
  "occupancy": null,
  "limiters": [],
  "terms": {
    "workgroup-slots": null,
    "invocations": null,
    "shared-memory": null,
    "registers": null,
    "barriers": null
  },
  "exceeded": [],
  "shared_bytes_allocated": 0,
  "registers_allocated": null,
  "resident": null,
  "one_more": {"workgroups": 1, "reachable": false, "registers": null, "shared_bytes": null, "barriers": null, "workgroup": null},
  "as_many": {"workgroups": 0, "reachable": false, "registers": null, "shared_bytes": null, "barriers": null, "workgroup": null},
  "fuller_sizes": {"below": null, "above": null},
  "elsewhere": {},
  "differences": [],
  "sizes": [
    {"workgroup": 32, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 64, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 96, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 128, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 192, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 256, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 384, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 512, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 768, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []},
    {"workgroup": 1024, "workgroups": null, "subgroups": null, "max_subgroups": null, "occupancy": null, "limiters": []}
  ],
  "confidence": "not documented",
  "source": "Dawn PhysicalDeviceMTL.mm (32/32 subgroup for Apple GPUs)",
  "notes": "registers allocated dynamically (Dynamic Caching): a static formula does not apply; no numbers found"
}

$ printf 'arch,workgroup,registers,shared_bytes,barriers\nsm_90,256,40,16384,1\nsm_90,1024,65,0,0\napple9,64,,,\n' | wgtune explain --batch
arch,workgroup,registers,shared_bytes,barriers,workgroups,subgroups,max_subgroups,limiters
sm_90,256,40,16384,1,6,48,64,registers
sm_90,1024,65,0,0,0,0,64,registers
apple9,64,,,,,,,none

$ printf '# by hand\r\nname,arch,workgroup,subgroup,large_grf\r\n"a, b","gfx1100/1101 (RDNA3, large file)",64,64,\r\nc,PVC,256,16,true\r\n' | wgtune explain --batch
# by hand
name,arch,workgroup,subgroup,large_grf,workgroups,subgroups,max_subgroups,limiters
"a, b","gfx1100/1101 (RDNA3, large file)",64,64,,64,64,64,invocations
c,PVC,256,16,true,2,32,64,invocations

$ printf 'workgroup,shared_bytes\n64,4096\n64,16384\n' | wgtune explain --unit slots=32,shared=65536 --batch
workgroup,shared_bytes,workgroups,subgroups,max_subgroups,limiters
64,4096,16,,,shared-memory
64,16384,4,,,shared-memory

$ printf 'arch,workgroup,shared_bytes\nsm_90,64,16384\n' | wgtune explain --batch --shared-per-unit 49152 --shared-granularity 256 --shared-reserve 0
arch,workgroup,shared_bytes,workgroups,subgroups,max_subgroups,limiters
sm_90,64,16384,3,6,64,shared-memory

$ wgtune explain --arch gfx1139 -w 64
! wgtune: unknown architecture 'gfx1139', the nearest are 'gfx1100', 'gfx1102', 'gfx1150'
[3]

$ wgtune explain --arch sm_90 -w 2000 --json | grep -m1 '"workgroups"'
  "workgroups": 0,
! wgtune: --workgroup 2000: sm_90 allows up to 1024 invocations

$ wgtune explain --arch sm_90 -w 64 -r 300 >/dev/null
! wgtune: --registers 300: sm_90 allows up to 256 an invocation
[3]

$ wgtune explain --arch sm_90 -w 64 -s 300000 >/dev/null
! wgtune: --shared 300,000: sm_90 allows a workgroup up to 232,448 bytes
[3]

$ wgtune explain --arch sm_90 -w 0 >/dev/null
! wgtune: --workgroup 0: a workgroup has at least 1 invocation
[3]

$ wgtune explain --arch gfx1100 -w 64 --subgroup 16
! wgtune: subgroup 16, gfx1100 has 32 or 64
[3]

$ wgtune explain --arch sm_90 -w x
! wgtune explain: --workgroup: 'x' is not a whole number, see `wgtune explain --help`
[2]

$ wgtune explain -w 64
! wgtune explain: needs --arch, --unit or --batch, see `wgtune explain --help`
[2]

$ wgtune explain --arch sm_90 --unit slots=3 -w 64
! wgtune explain: --arch and --unit exclude each other, see `wgtune explain --help`
[2]

$ wgtune explain --unit slts=32 -w 64
! wgtune explain: --unit: 'slts=32' is not NAME=NUMBER with a name such as 'slots', see `wgtune explain --help`
[2]

$ wgtune explain --batch --json </dev/null
! wgtune explain: --batch answers in CSV, without --json, see `wgtune explain --help`
[2]

$ wgtune explain --batch </dev/null
! wgtune: stdin:1:1: no header, one such as 'arch,workgroup,registers,shared_bytes,barriers' is needed
[3]

$ wgtune explain sm_90
! wgtune explain: takes no operand, not 'sm_90', see `wgtune explain --help`
[2]

$ printf 'arch,workgroup,regsters\nsm_90,1,1\n' | wgtune explain --batch
! wgtune: stdin:1:16: column 'regsters', did you mean 'registers'
[3]

$ printf 'arch,workgroup\nsm_9x,1\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:1: unknown architecture 'sm_9x', the nearest are 'sm_90', 'sm_50', 'sm_52'
[3]

$ printf 'arch,workgroup\nsm_90,64\nsm_90,-1\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
sm_90,64,32,64,64,workgroup-slots|invocations
! wgtune: stdin:3:7: workgroup '-1', a whole number from 0 is allowed
[3]

$ printf 'arch,workgroup\nsm_90,64,3\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:1: 3 cells, the header has 2
[3]

$ printf 'arch,workgroup\n,64\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:1: no architecture, `wgtune archs` lists them
[3]

$ printf 'arch,workgroup\n"sm_90,64\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:1: a quote without its end on this line
[3]

$ printf 'arch,workgroup\n"sm_90"x,64\n' | wgtune explain --batch
arch,workgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:8: text after a closing quote, a comma or the end is allowed
[3]

$ printf 'arch,workgroup,subgroup\nsm_90,64,48\n' | wgtune explain --batch
arch,workgroup,subgroup,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:1: subgroup 48, sm_90 has 32
[3]

$ printf 'arch,workgroup,large_grf\ngen9,64,2\n' | wgtune explain --batch
arch,workgroup,large_grf,workgroups,subgroups,max_subgroups,limiters
! wgtune: stdin:2:9: large_grf 2, 0 or 1 is allowed
[3]

$ printf 'arch,registers\nsm_90,64\n' | wgtune explain --batch
! wgtune: stdin:1:1: no column 'workgroup' in the header
[3]

$ printf 'arch,workgroup,arch\nsm_90,64,gen9\n' | wgtune explain --batch
! wgtune: stdin:1:16: column 'arch' stands twice
[3]

$ wgtune archs | head -3
architecture   vendor   subgroup  unit          holds  KiB  parts
sm_50          NVIDIA         32  SM               64   64  GM10x
sm_52          NVIDIA         32  SM               64   96  GM20x

$ wgtune archs --json | grep -A3 '"id": "sm_90"'
      "id": "sm_90",
      "vendor": "NVIDIA",
      "title": "sm_90",
      "parts": "GH100 (H100/H200)",

$ wgtune archs sm_90
! wgtune archs: takes no operand, not 'sm_90', see `wgtune archs --help`
[2]

