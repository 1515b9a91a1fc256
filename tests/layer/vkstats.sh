#!/bin/sh
# vkstats.sh VKSTATS LAYER_FOLDER FAKE_FOLDER: the program that asks the driver itself and the layer's log say the same
# of the same pipeline.
set -eu
vkstats=$1 layer=$2 fake=$3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export VK_LOADER_LAYERS_DISABLE='' VK_ADD_LAYER_PATH="$layer:$fake"
export VK_INSTANCE_LAYERS=VK_LAYER_WGTUNE_statistics:VK_LAYER_WGTUNE_fake_driver

status=0
VK_INSTANCE_LAYERS='' "$vkstats" >/dev/null 2>&1 || status=$?
if [ "$status" = 4 ]; then
    echo 'no Vulkan driver: install mesa-vulkan-drivers' >&2
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi

export WGTUNE_FAKE_DRIVER=4 WGTUNE_FAKE_STATISTICS='Register Count=40;f:Cycles=1.5;Local Memory Size=16'
out=$(WGTUNE_LAYER_LOG=$log "$vkstats")
echo "$out"
cat "$log"
for line in 'executable 0: executable 0, subgroup size 32' '  Register Count = 40' '  Cycles = 1.5' \
    '  Local Memory Size = 16'; do
    echo "$out" | grep -qxF -- "$line"
done
grep -qF '"registers":40,"spill_bytes":16,"shared_bytes":null,"subgroup_size":32' "$log"
grep -qF '{"executable":0,"name":"Cycles","value":1.5}' "$log"

# A driver without statistics is a valid negative answer.
status=0
WGTUNE_FAKE_ABSENT=1 "$vkstats" >/dev/null 2>&1 || status=$?
[ "$status" = 1 ]
# What is no SPIR-V is said to be none.
status=0
"$vkstats" "$0" >/dev/null 2>&1 || status=$?
[ "$status" = 3 ]
