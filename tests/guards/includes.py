#!/usr/bin/env python3
"""Reads the #include lines of src/, include/ and cli/ and fails on an arrow that points up.

    includes.py ROOT         checks the tree
    includes.py --self-test  plants violations in a copy of nothing and wants each of them found
"""
import os
import re
import sys
import tempfile

# A room may include itself and these.
BELOW = {
    "base": [],
    "expr": ["base"],
    "core": ["base", "expr"],
    "arch": ["base", "expr", "core"],
    "wgsl": ["base", "expr", "core"],
    "job": ["base", "expr", "core", "arch", "wgsl"],
    "gpu": ["base", "expr", "core", "arch", "wgsl", "job"],
    "wisdom": ["base", "expr", "core", "arch", "wgsl", "job"],
    "run": ["base", "expr", "core", "arch", "wgsl", "job", "gpu", "wisdom"],
    "report": ["base", "expr", "core", "arch", "wgsl", "job", "gpu", "wisdom", "run"],
    "cli": ["base", "expr", "core", "arch", "wgsl", "job", "gpu", "wisdom", "run", "report"],
}
# The command sees the library as a stranger does: of src/ only these.
CLI_PRIVATE = ["base", "report"]

PUBLIC = {
    "base.h": "base",
    "limits.h": "core", "adapter.h": "core", "tuner.h": "core", "occupancy.h": "core",
    "arch.h": "arch", "wgsl.h": "wgsl", "rewrite.h": "wgsl", "job.h": "job", "result.h": "job",
    "probe.h": "core", "probe_run.h": "run",
    "gpu.h": "gpu", "wisdom.h": "wisdom", "tune.h": "run",
}

# What is read of other libraries of the project, and by which room.
BESIDE = {"layer/wgtune_layer.h": "gpu"}

PURE = {"base", "expr", "core", "arch", "wgsl", "job"}
# The parts of pure rooms that need a machine.
HOSTED = ["src/base/host/", "src/job/files.c"]
PURE_SYSTEM = {"stddef.h", "stdint.h", "stdbool.h", "stdarg.h", "limits.h", "float.h", "string.h"}
# Headers of libraries, and who may know them.
LIBRARIES = {"xxhash.h": {"src/base/hash.c"}}
ENGINE = {"webgpu.h", "wgpu.h"}

LINE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def room_of(path):
    """The room of a file, by its path from the root; None for a public header that no room owns."""
    parts = path.split("/")
    if parts[0] == "cli":
        return "cli"
    if path in BESIDE:
        return BESIDE[path]
    if parts[0] == "include":
        return PUBLIC.get(parts[-1])
    return parts[1] if parts[0] == "src" and parts[1] in BELOW else None


def is_hosted(path):
    return any(path == h or (h.endswith("/") and path.startswith(h)) for h in HOSTED)


def find(root, includer, name):
    """The file that an include means, from the root; None when it is none of the tree's."""
    for folder in (os.path.dirname(includer), "include", "src", "."):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(root, path)):
            return path.replace(os.sep, "/")
    return None


def check_system(path, room, name):
    if name in LIBRARIES:
        return None if path in LIBRARIES[name] else "only %s may include it" % ", ".join(LIBRARIES[name])
    if name in ENGINE:
        return None if room == "gpu" else "only the room gpu may include the engine's headers"
    if room in PURE and not is_hosted(path) and name not in PURE_SYSTEM:
        return "the room %s is pure: of libc it may include %s" % (room, " ".join(sorted(PURE_SYSTEM)))
    return None


def check_own(path, room, target):
    other = room_of(target)
    if other is None:
        return "it belongs to no room: name its room in tests/guards/includes.py"
    if other != room and other not in BELOW[room]:
        return "the arrow from %s to %s points up" % (room, other)
    if room == "cli" and target.startswith("src/") and other not in CLI_PRIVATE:
        return "the command may include of src/ only %s" % " and ".join(CLI_PRIVATE)
    if path.startswith("include/") and not target.startswith("include/"):
        return "a public header may include public headers only"
    if target.startswith("src/base/host/") and room in PURE and not is_hosted(path):
        return "the room %s is pure: no heap, file or clock" % room
    return None


def check(root):
    problems, count = [], 0
    for top in ("src", "include", "cli"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                count += 1
                problems += check_file(root, path)
    return problems, count


def check_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    room = room_of(path)
    if room is None:
        return ["%s: it belongs to no room: name its room in tests/guards/includes.py" % path]
    problems = []
    for match in LINE.finditer(text):
        kind, name = match.groups()
        target = find(root, path, name)
        if kind == '"' or (target and name.startswith("wgtune/")):
            why = check_own(path, room, target) if target else "there is no such file"
        else:
            why = check_system(path, room, name)
        if why:
            line = text.count("\n", 0, match.start()) + 1
            problems.append("%s:%d: includes %s: %s" % (path, line, name, why))
    return problems


PLANTED = [
    ("src/base/a.c", '#include "../core/stats.h"', "points up"),
    ("src/core/a.c", '#include "wgtune/gpu.h"', "points up"),
    ("src/core/a.c", '#include <wgtune/gpu.h>', "points up"),
    ("src/gpu/a.c", '#include "wgtune/wisdom.h"', "points up"),
    ("src/wisdom/a.c", '#include "wgtune/gpu.h"', "points up"),
    ("src/arch/a.c", '#include "wgtune/wgsl.h"', "points up"),
    ("src/run/a.c", '  #  include "../report/json.h"', "points up"),
    ("src/core/a.c", '#include "../base/host/host.h"', "pure"),
    ("src/job/a.c", '#include "../base/host/host.h"', "pure"),
    ("src/base/a.c", "#include <stdio.h>", "pure"),
    ("src/wgsl/a.c", "#include <math.h>", "pure"),
    ("src/job/a.c", "#include <stdlib.h>", "pure"),
    ("src/base/a.c", "#include <xxhash.h>", "only src/base/hash.c"),
    ("src/run/a.c", "#include <webgpu.h>", "only the room gpu"),
    ("cli/a.c", '#include "run/lines.h"', "of src/ only"),
    ("src/core/a.c", '#include "../../layer/wgtune_layer.h"', "points up"),
    ("src/run/a.c", '#include "../../tests/x.h"', "belongs to no room"),
    ("include/wgtune/job.h", '#include "../../src/base/text.h"', "public headers only"),
    ("include/wgtune/new.h", "", "belongs to no room"),
    ("src/new/a.c", "", "belongs to no room"),
    ("src/core/a.c", '#include "missing.h"', "no such file"),
]
ALLOWED = [
    ("src/base/host/a.c", '#include <stdio.h>\n#include "host.h"'),
    ("src/base/hash.c", "#include <xxhash.h>"),
    ("src/job/files.c", '#include "../base/host/host.h"'),
    ("src/gpu/a.c", '#include <webgpu.h>\n#include "wgtune/job.h"'),
    ("src/gpu/a.c", '#include "../../layer/wgtune_layer.h"'),
    ("src/run/a.c", '#include "wgtune/wisdom.h"\n#include "wgtune/gpu.h"\n#include <poll.h>'),
    ("cli/a.c", '#include "wgtune/tune.h"\n#include "base/text.h"\n#include "report/json.h"'),
    ("src/core/a.c", '#include "stats.h"\n#include <string.h>\n// include <stdio.h>'),
]
TREE = ["src/base/text.h", "src/base/host/host.h", "src/core/stats.h", "src/report/json.h", "src/run/lines.h",
        "include/wgtune/base.h", "include/wgtune/gpu.h", "include/wgtune/job.h", "include/wgtune/tune.h",
        "include/wgtune/wgsl.h", "include/wgtune/wisdom.h", "layer/wgtune_layer.h", "tests/x.h"]


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def self_test():
    failed = 0
    cases = [(p, t, w) for p, t, w in PLANTED] + [(p, t, None) for p, t in ALLOWED]
    for path, text, wanted in cases:
        with tempfile.TemporaryDirectory() as root:
            for file in TREE:
                write(root, file, "")
            write(root, path, text)
            problems, _ = check(root)
            good = not problems if wanted is None else len(problems) == 1 and wanted in problems[0]
            if not good:
                failed += 1
                print("%s with %r: wanted %r, got %r" % (path, text, wanted, problems))
    print("%d of %d planted cases were judged right" % (len(cases) - failed, len(cases)))
    return failed


def main():
    if sys.argv[1] == "--self-test":
        return 1 if self_test() else 0
    problems, count = check(sys.argv[1])
    for problem in problems:
        print(problem)
    print("%d files read, %d includes forbidden" % (count, len(problems)))
    return 1 if problems or not count else 0


sys.exit(main())
