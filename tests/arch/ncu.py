#!/usr/bin/env python3
"""The model against Nsight Compute on an NVIDIA H200: `ncu.py PROGRAM ncu.csv`. Each row is one launch of a CUDA kernel with
the resources, the shared-memory configuration and the theoretical occupancy that ncu reported."""
import csv
import subprocess
import sys


def main():
    program, path = sys.argv[1:]
    rows = list(csv.DictReader(open(path, encoding="ascii")))
    wrong = 0
    for config in sorted({row["shared_config_bytes"] for row in rows}):
        mine = [row for row in rows if row["shared_config_bytes"] == config]
        text = "arch,workgroup,registers,shared_bytes,barriers\n"
        text += "".join(f"sm_90,{r['workgroup']},{r['registers']},{r['shared_bytes']},\n" for r in mine)
        done = subprocess.run([program, "explain", "--batch", "--shared-per-unit", config], input=text,
                              capture_output=True, text=True, check=True)
        for row, got in zip(mine, csv.DictReader(done.stdout.splitlines()), strict=True):
            limits = [int(row["limit_" + name]) for name in ("slots", "registers", "shared", "warps")]
            percent = 100 * int(got["subgroups"]) / int(got["max_subgroups"])
            # ncu prints four digits.
            if int(got["workgroups"]) != min(limits) or abs(percent - float(row["theoretical_percent"])) > 0.005:
                wrong += 1
                print(row, got)
    print(len(rows), "launches,", wrong, "wrong")
    return 1 if wrong or len(rows) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
