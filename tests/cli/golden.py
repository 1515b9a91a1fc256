#!/usr/bin/env python3
"""Runs transcripts of the command against what they say: `golden.py PROGRAM FILE.t ...`

A transcript holds `$ command` lines, each followed by the expected standard output and standard error (lines that start
with `! `), and, where the exit code is not 0, a line `[code]`. Every command runs in a fresh folder's shell with
WGTUNE_WISDOM inside it and `wgtune` on the path. In an expected line `...` stands for any text. `UPDATE=1` rewrites the
transcripts with what was printed.
"""
import os
import re
import subprocess
import sys
import tempfile


def read(path):
    blocks, block = [], None
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("$ "):
            block = [line[2:], []]
            blocks.append(block)
        elif block is None:
            blocks.append([None, [line]])
        else:
            block[1].append(line)
    return blocks


def run(command, folder, env):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    lines = done.stdout.splitlines() + ["! " + line for line in done.stderr.splitlines()]
    if done.returncode != 0:
        lines.append(f"[{done.returncode}]")
    return lines


def matches(expected, got):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, got) is not None


def same(expected, got):
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    while got and not got[-1].strip():
        got = got[:-1]
    if len(expected) != len(got):
        return False
    return all(matches(e, g) for e, g in zip(expected, got))


def main():
    program, failed = os.path.abspath(sys.argv[1]), 0
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for path in sys.argv[2:]:
        blocks = read(path)
        with tempfile.TemporaryDirectory() as folder:
            env = dict(os.environ, WGTUNE_WISDOM=os.path.join(folder, "wisdom"), NO_COLOR="1", SRC=source,
                       DATA=os.path.join(source, "tests", "data"), HOME=folder, NODEVICE_SELECT="1",
                       PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"])
            env.pop("WGTUNE_FAKE_GPU", None)
            for block in blocks:
                if block[0] is None:
                    continue
                got = run(block[0], folder, env)
                got = [line.replace(source, "SRC").replace(folder, "DIR") for line in got]
                if os.environ.get("UPDATE"):
                    if not same(block[1], got):
                        block[1] = got + [""]
                elif not same(block[1], got):
                    failed += 1
                    print(f"{path}\n$ {block[0]}\n-- expected")
                    print("\n".join(block[1]))
                    print("-- got")
                    print("\n".join(got))
        if os.environ.get("UPDATE"):
            with open(path, "w", encoding="utf-8") as out:
                for command, lines in blocks:
                    text = lines if command is None else ["$ " + command] + lines
                    out.write("\n".join(text) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
