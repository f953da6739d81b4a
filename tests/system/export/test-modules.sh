#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As a user who has installed Warpwright and knows nothing of its sources: what `warpwright new` writes builds and passes its
# own tests, so does every example in modules/, and an installed module is found by its name.
set -eu

build=${WW_BUILD_DIR:?}
source=${WW_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if grep -q '^WW_SANITIZE:STRING=..*' "$build/CMakeCache.txt" || grep -q '^WW_COVERAGE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "instrumented build: skipped"
    exit 77
fi

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"
unset WARPWRIGHT_PATH
PATH=$prefix/bin:$PATH
export PATH

# quietly COMMAND...: its output only if it fails
quietly()
{
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*"
        cat "$work/log"
        exit 1
    }
}

mkdir "$work/empty"
cd "$work/empty"
for kind in scheduler component platform; do
    echo "new $kind"
    quietly warpwright new $kind my_$kind
    # exactly the commands that it prints
    quietly sh -c "cd my_$kind && cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure"
    [ "$(ctest --test-dir my_$kind/build -N | sed -n 's/^Total Tests: //p')" -ge 2 ]
done

# Both schedulers side by side, as the README of the new one says.
sample=$prefix/share/warpwright/samples/vecadd
quietly warpwright run -c rtx3070 -m my_scheduler/build/my_scheduler.so -s sm.scheduler=scheduler.my_scheduler \
    -o mine.json "$sample"
quietly warpwright run -c rtx3070 -s sm.scheduler=scheduler.gto -o gto.json "$sample"
quietly warpwright compare gto.json mine.json
grep -q '^  cycles' "$work/log"

# A function that nobody declares is an error of the compiler, not of the loader.
cp -r my_component undeclared && rm -rf undeclared/build
printf 'int uses_it(void);\nint uses_it(void)\n{\n    return ww_no_such_function(1);\n}\n' >>undeclared/my_component.c
(cd undeclared && cmake -B build >/dev/null) || exit 1
if cmake --build undeclared/build >"$work/log" 2>&1 || ! grep -q 'error: implicit declaration of function .ww_no_such_function' "$work/log"; then
    echo "a function that is not declared compiles"
    exit 1
fi

# The sleep test takes any trace, and means it.
cp -r "$sample" own_trace
cp -r my_scheduler traced && rm -rf traced/build
printf 'warpwright_add_sleep_test(own TRACE ../own_trace -c rtx3070)\nwarpwright_add_sleep_test(none TRACE ../no_trace -c rtx3070)\n' \
    >>traced/CMakeLists.txt
quietly sh -c "cd traced && cmake -B build && cmake --build build && ctest --test-dir build -R '^own$'"
if ctest --test-dir traced/build -R '^none$' >/dev/null; then
    echo "the sleep test passes without its trace"
    exit 1
fi

# A test that cannot fail is none: a policy that forgets its state fails its own.
sed 's/p->run = warp == p->warp.*/p->run = 1;/' my_scheduler/my_scheduler.c >changed.c
cmp -s changed.c my_scheduler/my_scheduler.c && exit 1
cp changed.c my_scheduler/my_scheduler.c
quietly cmake --build my_scheduler/build
if ctest --test-dir my_scheduler/build -R unit >/dev/null; then
    echo "the test of the skeleton passes a broken policy"
    exit 1
fi

for folder in "$source"/modules/*/CMakeLists.txt; do
    folder=$(dirname "$folder")
    name=$(basename "$folder")
    echo "modules/$name"
    [ -f "$folder/README.md" ]
    quietly cmake -S "$folder" -B "$name" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS=-Werror
    quietly cmake --build "$name"
    quietly ctest --test-dir "$name" --output-on-failure --no-tests=error
    quietly cmake --install "$name"
    quietly warpwright list types -m "$name" # by its name alone
done

echo "list modules"
warpwright list modules >listed
if grep -n 'does not load' listed; then
    exit 1
fi
[ "$(grep -c 'interface version [0-9]*$' listed)" -eq "$(ls -d "$source"/modules/*/CMakeLists.txt | wc -l)" ]

# What the page says of their cycles; platforms of modules are looked for beside them.
WARPWRIGHT_PATH=$(for folder in "$source"/modules/*/; do printf '%s:' "${folder%/}"; done)
export WARPWRIGHT_PATH
python3 -B "$source/tests/system/export/module_tables.py"
