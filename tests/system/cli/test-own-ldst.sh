#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/alternatives.md, "Another coalescer": the files of the LD/ST unit are a module as they stand, with public headers alone and the same
# cycles; with another rule in them the unit makes other accesses.
set -eu

source=${WW_SOURCE_DIR:?}
command=${WARPWRIGHT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$source/components/memory"
cp ldst_*.c ldst-priv.h coalesce*.c coalesce-priv.h smem.c smem-priv.h stores.c stores-priv.h types.h "$work"
cd "$work"
sed -i 's/TYPE("ldst_unit",/TYPE("ldst_unit.mine",/' ldst_unit.c
grep -q ldst_unit.mine ldst_unit.c
cat >module.c <<'END'
#include "types.h"
#include <warpwright/module.h>

static const WwType *const types[] = {&ldst_unit_type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION, .name = "ldst", .version = "1", .doc = "an LD/ST unit", .types = types};
END
cat >mine.plat <<'END'
import "gpu.plat";
composite sm_mine extends sm { ldst : ldst_unit.mine; }
machine mine extends gpu_machine { gpu.cluster.sm : sm_mine; }
END

# built NAME: a module of what is there
built()
{
    # shellcheck disable=SC2046
    ${CC:-cc} -shared -fPIC -O1 -fvisibility=hidden -Werror=implicit-function-declaration -I"$source/kernel/include" -I"$source/ports/include" \
        $(pkg-config --cflags glib-2.0) ./*.c -o "$1.so"
}

# cycles ARGUMENT...: of a run with these
cycles()
{
    "$command" run -c qv100 --progress none --report none -o "$work/out.json" "$@" "$source/samples/sgemm" >/dev/null
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["total"]["cycles"])' "$work/out.json"
}

built same
sed -i 's/lanes_of(lanes->mask, parts, part)/lanes_of(lanes->mask \& 0xffu, parts, part)/' coalesce.c
sed -i 's/if (add_global_runs(d)) {/if (false) {/' coalesce_inst.c
built eight

ours=$(cycles)
same=$(cycles -m ./same.so -p ./mine.plat)
eight=$(cycles -m ./eight.so -p ./mine.plat)
echo "ldst_unit: $ours cycles; as a module: $same; with the first eight lanes alone: $eight"
[ "$ours" = "$same" ] && [ "$eight" != "$ours" ]
