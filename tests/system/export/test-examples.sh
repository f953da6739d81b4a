#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands that README.md, the READMEs of the modules and those of what `warpwright new` begins show, run as they stand,
# in order.
set -eu

build=${WW_BUILD_DIR:?}
source=${WW_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if grep -q '^WW_SANITIZE:STRING=..*' "$build/CMakeCache.txt" || grep -q '^WW_COVERAGE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "instrumented build: skipped"
    exit 77
fi

# A folder that looks like the tree, where commands may write.
mkdir -p "$work/tree/build" "$work/home" "$work/bin"
for name in "$source"/*; do
    [ "$(basename "$name")" = build ] || ln -s "$name" "$work/tree"
done
rm "$work/tree/modules"
mkdir "$work/tree/modules"
ln -s "$build" "$work/tree/build/release"
HOME=$work/home
export HOME
unset WARPWRIGHT_PATH
command -v dot >/dev/null || { # a picture is drawn by another program
    printf '#!/bin/sh\ngrep -q "^digraph"\n' >"$work/bin/dot"
    chmod +x "$work/bin/dot"
    PATH=$PATH:$work/bin
}

# run FOLDER SCRIPT: line after line, until one fails.
run()
{
    echo "$1: $(grep -c . "$2") lines"
    [ -s "$2" ]
    (cd "$1" && sh -exu "$2") >"$work/log" 2>&1 || {
        echo "failed in $1:"
        cat "$work/log"
        exit 1
    }
}

# Blocks of commands; ./dev, which builds and tests all this, runs anyway.
sed -n '/^```sh$/,/^```$/p' "$source/README.md" | grep -v -e '^```' -e '^\./dev ' >"$work/readme"
[ "$(grep -c '^warpwright' "$work/readme")" -ge 9 ]
run "$work/tree" "$work/readme"

PATH=$HOME/warpwright/bin:$PATH
export PATH
mkdir "$work/new"
for kind in scheduler component platform; do
    (cd "$work/new" && warpwright new $kind my_$kind >/dev/null)
    sed -n 's/^    //p' "$work/new/my_$kind/README.md" >"$work/lines"
    run "$work/new/my_$kind" "$work/lines"
done

for folder in "$source"/modules/*/CMakeLists.txt; do
    name=$(basename "$(dirname "$folder")")
    cp -r "$source/modules/$name" "$work/tree/modules"
    rm -rf "$work/tree/modules/$name/build"
    sed -n 's/^    \(cmake\|warpwright\)/\1/p' "$source/modules/$name/README.md" >"$work/lines"
    run "$work/tree/modules/$name" "$work/lines"
done
