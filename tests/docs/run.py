#!/usr/bin/env python3
"""Runs every command in the documentation as it is written: `run.py PROGRAM PAGE.md ...`

A command is a line `$ ...` in a ```console block. Each page's commands run in order in one fresh folder that looks like
the checkout's top (links to it), with `wgtune` on the path. A command must end with 0, or with the number that a comment
`# exit N` at its end names. A block whose first line is `# skip: why` is left out, and the reason printed. What follows a
command is an example of its output and is not compared.
"""
import os
import re
import subprocess
import sys
import tempfile


def commands(path):
    block, skip = None, None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            block = None if block is not None else line[3:].strip()
            skip = None
        elif block == "console":
            if line.startswith("# skip:"):
                skip = line[7:].strip()
            elif line.startswith("$ "):
                yield number, line[2:], skip


def run(path, program, folder):
    failed = 0
    env = dict(os.environ, NO_COLOR="1", HOME=folder, WGTUNE_WISDOM=os.path.join(folder, "wisdom"),
               PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"])
    for number, command, skip in commands(path):
        if skip:
            print(f"{path}:{number}: left out ({skip}): {command}")
            continue
        wanted = re.search(r"#\s*exit (\d+)\s*$", command)
        wanted = int(wanted.group(1)) if wanted else 0
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        print(f"{path}:{number}: {command}: {done.returncode}")
        if done.returncode != wanted:
            failed += 1
            print(f"{path}:{number}: wanted exit {wanted}\n{done.stdout}")
    return failed


def main():
    program = os.path.abspath(sys.argv[1])
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    failed = 0
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(top):
                if not name.startswith((".", "build")):
                    os.symlink(os.path.join(top, name), os.path.join(folder, name))
            failed += run(path, program, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
