$ wgtune
! usage: wgtune COMMAND [OPTION ...], see `wgtune --help`
[2]

$ wgtune --version
wgtune 0.1.0

$ wgtune tnue
! wgtune: unknown command 'tnue', did you mean 'tune'?
[2]

$ wgtune frobnicate
! wgtune: unknown command 'frobnicate', see `wgtune --help`
[2]

$ wgtune tune --fersh scatter
! wgtune tune: unknown option '--fersh', did you mean '--fresh'?, see `wgtune tune --help`
[2]

$ wgtune tune
! wgtune tune: a job is needed, see `wgtune tune --help`
[2]

$ wgtune tune scatter --sizes 32,abc
! wgtune tune: --sizes: 'abc' is not a workgroup size, whole numbers from 1 on are, see `wgtune tune --help`
[2]

$ wgtune tune scatter --sizes 64,64
! wgtune tune: --sizes: 64 is there twice, see `wgtune tune --help`
[2]

$ wgtune tune scatter --budget soon
! wgtune tune: --budget: 'soon' is not a number, see `wgtune tune --help`
[2]

$ wgtune tune scatter --problem n
! wgtune tune: --problem: 'n' is not NAME=VALUE, see `wgtune tune --help`
[2]

$ wgtune tune scatter --tolerance 0
! wgtune tune: --tolerance: above 0 and below 100% is needed, see `wgtune tune --help`
[2]

$ wgtune tune scatter --limits all
! wgtune tune: --limits: 'all' is neither adapter nor portable, see `wgtune tune --help`
[2]

$ wgtune tune scater
! wgtune: no job 'scater', did you mean 'scatter'?
[3]

$ wgtune tune nowhere/x.job.json
! wgtune: no job file 'nowhere/x.job.json' and no built-in job of that name; `wgtune jobs` lists them
[3]

$ wgtune wisdom lst
! wgtune wisdom: unknown 'lst', did you mean 'list'?, see `wgtune wisdom --help`
[2]

$ wgtune wisdom list
nothing is remembered yet in DIR/wisdom

$ wgtune wisdom forget scatter
! wgtune: no entry 'scatter'; `wgtune wisdom list` shows them
[1]

$ wgtune version > /dev/full
! wgtune: cannot write to standard output: No space left on device
[6]

$ wgtune rewrite $DATA/jobs/literal-size.wgsl
! wgtune rewrite: --free-size, --promote, --count, --fold or --engine is needed, see `wgtune rewrite --help`
[2]

$ wgtune rewrite $DATA/jobs/literal-size.wgsl --free-size | tail -2
}
override WG_X: u32 = 64;

$ wgtune rewrite $DATA/jobs/const-size.wgsl --free-size | head -2
override TILE: u32 = 64;
override TWICE: u32 = TILE * 2;

