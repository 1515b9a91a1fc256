"""Unpacks recordings into one CSV for the C tests: kernel,size,round,gpu_ns."""
import csv
import gzip
import pathlib
import sys

out, *paths = sys.argv[1:]
with open(out, "w", newline="") as target:
    for path in paths:
        name = pathlib.Path(path).name.removesuffix(".csv.gz")
        with gzip.open(path, "rt") as source:
            rows = csv.DictReader(line for line in source if not line.startswith("#"))
            for row in rows:
                target.write(f"{name},{row['WG_SIZE']},{row['round']},{row['gpu_ns']}\n")
