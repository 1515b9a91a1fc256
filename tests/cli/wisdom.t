$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 | tail -n 1
saved     scatter-839e077d32276efc.json

$ f=$(echo wisdom/scatter-*.json); head -c 300 $f > x; mv x $f; export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 | tail -n 1; ls wisdom
saved     scatter-839e077d32276efc.json
scatter-839e077d32276efc.json
scatter-839e077d32276efc.json.damaged
! wgtune: DIR/wisdom/scatter-839e077d32276efc.json:14:2: expected a key in double quotes, not the end of the text; set aside as DIR/wisdom/scatter-839e077d32276efc.json.damaged

$ f=$(echo wisdom/scatter-*.json); sed -i 's/"format": 1/"format": 7/' $f; export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 > out; code=$?; tail -n 1 out; grep -c '"format": 7' $f; rm -f wisdom/*; exit $code
moves     0.049 GB/s by the job's own count of bytes
1
! wgtune: DIR/wisdom/scatter-839e077d32276efc.json:2:13: format 7 is newer than this version of wgtune reads (1)
! wgtune: the result was not saved: DIR/wisdom/scatter-839e077d32276efc.json: written by a newer wgtune, left as it is; remove it to save here
[6]

$ wgtune wisdom list
nothing is remembered yet in DIR/wisdom

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; WGTUNE_WISDOM=/proc/nowhere wgtune tune scatter -p n=4096 --sizes 64,128 > out; code=$?; tail -n 1 out; exit $code
moves     0.049 GB/s by the job's own count of bytes
! wgtune: the result was not saved: /proc/nowhere: no such file or folder (errno 2)
[6]

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 --no-wisdom | tail -n 1; ls wisdom
moves     0.049 GB/s by the job's own count of bytes

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 --record trace.txt
! wgtune: trace.txt: a recording's name ends in .jsonl or .csv
[2]

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 --fresh --record trace.csv > out; head -3 trace.csv | tail -2; grep -c ,ok,1 trace.csv
WG_SIZE,round,order,gpu_ns,wall_ns,compile_ns,registers,spill_bytes,shared_bytes,status,batch
64,0,0,1009760,,5000000,,,,ok,1
10

$ wgtune wisdom show scatter | head -3
Imaginary 1 · fake · fake 1 · driver 1.0
scatter.wgsl:scatter · n = 4096, width = 2048, height = 2048
clock steps 32 ns · 5 rounds in 86.5 ms of the device, compiled in 10.0 ms, all in ...

$ wgtune wisdom forget scatter
forgotten scatter-839e077d32276efc.json

$ wgtune wisdom show scatter
! wgtune: no entry 'scatter'; `wgtune wisdom list` shows them
[1]

$ wgtune wisdom forget
! wgtune wisdom: forget needs one name, see `wgtune wisdom --help`
[2]


$ rm -rf wisdom; export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 > out; sed -i 's/{"WG_SIZE": 128}/{"WG_SIZE": -1}/' wisdom/*.json; wgtune tune scatter -p n=4096 --sizes 64,128 | tail -1
saved     scatter-839e077d32276efc.json
! wgtune: the remembered pick is none of this job's candidates: measuring again

$ export WGTUNE_FAKE_GPU=$DATA/fake/plateau.json; wgtune tune scatter -p n=4096 --sizes 64,128 --record nowhere/x.csv
! wgtune: nowhere/x.csv: cannot be written: No such file or directory
[3]

$ wgtune tune scatter -p n=1 -p n=2
! wgtune tune: --problem: n is there twice, see `wgtune tune --help`
[2]

$ wgtune tune scatter --sizes 64,
! wgtune tune: --sizes: a size is missing after the last comma, see `wgtune tune --help`
[2]

$ wgtune tune scatter --rounds 0
! wgtune tune: --rounds: 1 to 32 are possible, see `wgtune tune --help`
[2]


$ rm -rf wisdom; mkdir wisdom; mkfifo wisdom/pipe.json; timeout 5 wgtune wisdom list
nothing is remembered yet in DIR/wisdom

$ printf '{ "kernel": "a.wgsl\\u0000b" }' > nul.job.json; wgtune tune nul.job.json
! wgtune: nul.job.json:1:13: "kernel" holds a NUL: the WGSL file's name is wanted
[3]

