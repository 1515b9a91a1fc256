#!/bin/sh
# Compiles the pure rooms to wasm32 without a libc and links them with every symbol kept, so that a call
# of anything but the shim is an error; then, where node is, holds the module to the native digest.
#
#   build.sh SOURCE_ROOT OUT_FOLDER [GENERATED.c ...]
#
# Exit 77 (skipped) when clang or wasm-ld is missing, unless CI=true.
set -eu
root=$1
out=$2
shift 2

clang=${CLANG:-clang}
linker=${WASM_LD:-wasm-ld}
for tool in "$clang" "$linker"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "$tool is missing: no wasm build" >&2
        [ "${CI:-}" = true ] && exit 1
        exit 77
    fi
done

xxhash=$(pkg-config --variable=includedir libxxhash 2>/dev/null || echo /usr/include)
rm -rf "$out"
mkdir -p "$out/include"
# Copied, because the folder that they come from holds the headers of the host's libc.
cp "$xxhash/xxhash.h" "$out/include/"
if [ -f "$xxhash/xxh3.h" ]; then cp "$xxhash/xxh3.h" "$out/include/"; fi

status=0
for source in "$root"/src/base/*.c "$root"/src/expr/*.c "$root"/src/core/*.c "$root"/src/arch/*.c \
    "$root"/src/wgsl/*.c "$root"/tests/wasm/digest.c "$@"; do
    [ -f "$source" ] || continue
    object=$out/$(echo "${source#"$root"/}" | tr '/' '_' | sed 's/\.c$//').o
    "$clang" --target=wasm32 -std=c11 -O2 -nostdlib -ffreestanding -mbulk-memory -ffp-contract=off \
        -Wall -Wextra -Wpedantic -Werror -isystem "$root/tests/wasm/include" -isystem "$out/include" \
        -I "$root/include" -I "$root/src" -I "$root" \
        -c "$source" -o "$object" || status=1
done
[ "$status" = 0 ] || exit 1

"$linker" --no-entry --export-all --no-gc-sections -o "$out/pure.wasm" "$out"/*.o

if command -v node >/dev/null 2>&1; then
    wanted=$(sed -n 's/.*UINT64_C(\(0x[0-9a-f]*\)).*/\1/p' "$root/tests/wasm/digest.h")
    node -e '
        const fs = require("fs"), [file, wanted] = process.argv.slice(1);
        const module = new WebAssembly.Module(fs.readFileSync(file));
        const { exports } = new WebAssembly.Instance(module, {});
        const got = BigInt.asUintN(64, exports.wgt_test_digest());
        if (got !== BigInt(wanted)) {
            console.error(`the digest is 0x${got.toString(16)} in wasm, ${wanted} natively`);
            process.exit(1);
        }' "$out/pure.wasm" "$wanted"
elif [ "${CI:-}" = true ]; then
    echo "node is missing: the digest was not compared" >&2
    exit 1
fi
