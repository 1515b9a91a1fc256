#!/usr/bin/env python3
"""Compiles every header alone: C11 with gcc and clang, the public ones as C++17 too.

    headers.py ROOT [-isystemFOLDER ...]

A header is included twice, so that a missing include guard shows. Headers of the engine's binding are
left out where the engine's own headers are not given. A missing compiler counts as a failure with
CI=true, else it is said and left out.
"""
import os
import re
import shutil
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
C = ["-std=c11", "-D_GNU_SOURCE", "-x", "c"]
CPP = ["-std=c++17", "-x", "c++"]


def headers(root, top):
    found = []
    for folder, _, names in os.walk(os.path.join(root, top)):
        found += [os.path.join(folder, name) for name in names if name.endswith(".h")]
    return sorted(found)


def needs_engine(path, seen=None):
    seen = seen or set()
    if path in seen or not os.path.isfile(path):
        return False
    seen.add(path)
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', file.read())
    return any(n in ("webgpu.h", "wgpu.h") or needs_engine(os.path.join(os.path.dirname(path), n), seen)
               for n in names)


def compile_alone(command, root, path, extra):
    include = '#include "%s"\n' % path
    # An object, since ISO C wants a translation unit to have one.
    text = include + include + "extern int wgt_headers_alone; int wgt_headers_alone;\n"
    result = subprocess.run(command + WARNINGS + ["-I" + os.path.join(root, "include"), "-I" + os.path.join(root, "src")]
                            + extra + ["-"], input=text, text=True, capture_output=True)
    if result.returncode:
        print("%s: not alone with %s\n%s" % (os.path.relpath(path, root), " ".join(command[:2]), result.stderr))
    return result.returncode == 0


def main():
    root, extra = sys.argv[1], sys.argv[2:]
    public = headers(root, "include")
    private = [p for p in headers(root, "src") if extra or not needs_engine(p)]
    count = failed = 0
    for compiler, language, paths in (("gcc", C, public + private), ("clang", C, public + private),
                                      ("g++", CPP, public), ("clang++", CPP, public)):
        if not shutil.which(compiler):
            print("%s is missing" % compiler)
            failed += os.environ.get("CI") == "true"
            continue
        for path in paths:
            count += 1
            failed += not compile_alone([compiler] + language, root, path, extra)
    print("%d compilations, %d failed" % (count, failed))
    return 1 if failed or not count else 0


sys.exit(main())
