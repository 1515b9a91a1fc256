$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 32,64,128,256,1024
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 100.4 ms of the device, compiled in 25.0 ms, all in ...

 WG_SIZE         time   95 % interval      × best
      32      1.27 ms       5 samples      1.27  ██████████ dropped
      64      1.01 ms       5 samples   =  1.00  ███████▉
     128      1.01 ms       5 samples   ★  1.00  ███████▉
     256      1.00 ms       5 samples   =  1.00  ███████▉
    1024      1.00 ms       5 samples   =  1.00  ███████▉

pick      WG_SIZE = 128   the portable size, in the tie
          tied with 64, 256, 1024 (within 2 %)
          1.26× as fast as the slowest
shape     plateau: from 64 on: beyond the knee more resident invocations buy
          nothing, which suggests a memory-bound kernel
moves     0.049 GB/s by the job's own count of bytes
saved     scatter-....json

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 32,64,128,256,1024
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 100.4 ms of the device, compiled in 25.0 ms, all in ...

 WG_SIZE         time   95 % interval      × best
      32      1.27 ms       5 samples      1.27  ██████████ dropped
      64      1.01 ms       5 samples   =  1.00  ███████▉
     128      1.01 ms       5 samples   ★  1.00  ███████▉
     256      1.00 ms       5 samples   =  1.00  ███████▉
    1024      1.00 ms       5 samples   =  1.00  ███████▉

pick      WG_SIZE = 128   the portable size, in the tie
          tied with 64, 256, 1024 (within 2 %)
          1.26× as fast as the slowest
shape     plateau: from 64 on: beyond the knee more resident invocations buy
          nothing, which suggests a memory-bound kernel
moves     0.049 GB/s by the job's own count of bytes
wisdom    answered from memory, nothing was run (scatter-....json, measured ...); --fresh measures again

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune wisdom list
scatter-....json
  scatter · Imaginary 1 · n = 4096, width = 2048, height = 2048
  pick WG_SIZE = 128, 1.01 ms, ...

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 32,64,128,2048 --fresh --in-process | tail -n 9
skipped   WG_SIZE = 2048: 2048 invocations > maxComputeInvocationsPerWorkgroup 1024

pick      WG_SIZE = 128   the portable size, in the tie
          tied with 64 (within 2 %)
          1.25× as fast as the slowest
shape     climb: only the largest sizes are fast, which suggests a fixed cost a
          workgroup or too few workgroups for the device
moves     0.049 GB/s by the job's own count of bytes
saved     scatter-....json

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --limits portable | head -14
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 132.8 ms of the device, compiled in 40.0 ms, all in ...

 WG_SIZE         time   95 % interval      × best
      32      1.26 ms       5 samples      1.26  ██████████ dropped
      64      1.01 ms       5 samples   =  1.00  ████████
      96      1.01 ms       5 samples   =  1.00  ████████
     128      1.00 ms       5 samples   ★  1.00  ████████
     160      1.00 ms       5 samples   =  1.00  ███████▉
     192      1.00 ms       5 samples   =  1.00  ████████
     224      1.01 ms       5 samples   =  1.00  ████████
     256      1.01 ms       5 samples   =  1.00  ████████


$ export WGTUNE_FAKE_GPU=$DATA/fake/peak.json; wgtune tune scatter -p n=4096 --sizes 64,128,256,512,1024
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 129.7 ms of the device, compiled in 25.0 ms, all in ...

 WG_SIZE         time   95 % interval      × best
      64      2.00 ms       5 samples      2.00  ████████▍ dropped
     128      1.50 ms       5 samples      1.50  ██████▎ dropped
     256      1.20 ms       5 samples      1.20  █████
     512      1.00 ms       5 samples   ★  1.00  ████▏
    1024      2.40 ms       5 samples      2.40  ██████████ dropped

pick      WG_SIZE = 512   the fastest
          beyond WebGPU's default limits: 512 invocations > maxComputeInvocationsPerWorkgroup 256
          with the default limits: 256, 20.0 % slower
          1.20× as fast as the author's default, 2.40× as fast as the slowest
shape     peak: slower on both sides, which suggests a register or shared-memory
          limit; a fragile pick: tune again after each edit
moves     0.049 GB/s by the job's own count of bytes
saved     scatter-....json

$ export WGTUNE_FAKE_GPU=$DATA/fake/troubled.json; wgtune tune scatter -p n=4096 --sizes 32,64,96,128,160,192,256,512,1024
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 90.4 ms of the device, compiled in 45.0 ms, all in ...

 WG_SIZE         time   95 % interval      × best
     160      1.01 ms       5 samples   ★  1.00  ██████████
     192      1.00 ms       5 samples   =  1.00  ██████████

rejected  WG_SIZE = 32: the pipeline of workgroups of 32×1×1 was refused
wrong     WG_SIZE = 64: its output is not what 2 of 3 candidates gave
wrong     WG_SIZE = 96: its output stayed as it was before the run
timeout   WG_SIZE = 128: did not come back within ... s
failed    WG_SIZE = 256: the dispatch failed
crashed   WG_SIZE = 512: the measuring process was ended by signal 6 (Aborted)
          and 1 more: --json

pick      WG_SIZE = 160   the smallest in the tie
          tied with 192 (within 2 %)
shape     flat: the size makes no difference here, so it is not occupancy that
          holds this kernel back
moves     0.049 GB/s by the job's own count of bytes
saved     scatter-....json

$ export WGTUNE_FAKE_GPU=$DATA/fake/all-wrong.json; wgtune tune scatter -p n=4096 --sizes 32,64
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 0 rounds in 0 ns of the device, compiled in 10.0 ms, all in ...

rejected  WG_SIZE = 32: the pipeline of workgroups of 32×1×1 was refused
failed    WG_SIZE = 64: the dispatch failed

pick      none: no candidate could be timed: 1 rejected, 1 failed; the first: the pipeline of workgroups of 32×1×1 was refused
! wgtune: no candidate could be timed: 1 rejected, 1 failed; the first: the pipeline of workgroups of 32×1×1 was refused
[1]

$ export WGTUNE_FAKE_GPU=$DATA/fake/no-clock.json; wgtune tune scatter -p n=4096 --sizes 32,64,128 | tail -n 6
shape     climb: only the largest sizes are fast, which suggests a fixed cost a
          workgroup or too few workgroups for the device
moves     0.048 GB/s by the job's own count of bytes
note      timed by the host's clock: 36 of 36 pairs of timestamps are zero,
          equal or backwards
saved     scatter-....json

$ export WGTUNE_FAKE_GPU=$DATA/fake/nowhere.json; wgtune tune scatter -p n=4096
! wgtune: SRC/tests/data/fake/nowhere.json: no such file
[3]

$ wgtune tune $DATA/jobs/tiled.job.json -p bogus=1
! wgtune: SRC/tests/data/jobs/tiled.job.json: no problem value and no override is called "bogus"
[3]

