#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is installed is enough: a program and a module build outside the tree, with pkg-config and with CMake, also
# after the installed tree was moved; and the command finds its data there.
set -eu

build=${WW_BUILD_DIR:?}
source=${WW_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if grep -q '^WW_SANITIZE:STRING=..*' "$build/CMakeCache.txt" || grep -q '^WW_COVERAGE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "instrumented build: skipped"
    exit 77
fi

(cd "$work" && cmake --install "$build" --prefix first) >"$work/install.log" # as './dev package' does: a prefix without a '/'
mv "$work/first" "$work/moved"
prefix=$work/moved
pc=$(dirname "$(find "$prefix" -name warpwright.pc)")
lib=$(dirname "$pc")

cat >"$work/program.c" <<'END'
#include <warpwright/warpwright.h>
#include <stdio.h>

int main(void)
{
    g_autoptr(GError) error = NULL;
    ww_fail(&error, WW_ERROR_INPUT, "%s", "hello");
    puts(error->message);
    return error->code != WW_ERROR_INPUT;
}
END
cat >"$work/module.c" <<'END'
#include <ports/fifo.h>
#include <warpwright/module.h>

static const WwType *const types[] = {NULL};

WW_MODULE_EXPORT const WwModule ww_module;
const WwModule ww_module = {
    .abi = WW_ABI_VERSION, .name = "outside", .version = "1", .doc = "Adds nothing.", .types = types,
};
END
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C)
find_package(warpwright 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE warpwright::warpwright)
add_library(outside MODULE module.c)
target_link_libraries(outside PRIVATE warpwright::module)
END

echo "pkg-config, shared"
export PKG_CONFIG_PATH="$pc"
cc="${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers"
$cc "$work/program.c" -o "$work/program" $(pkg-config --cflags --libs warpwright)
LD_LIBRARY_PATH=$lib "$work/program"

echo "pkg-config, static"
$cc "$work/program.c" -o "$work/static" $(pkg-config --cflags glib-2.0 warpwright) "$lib/libwarpwright.a" \
    $(pkg-config --libs --static gmodule-no-export-2.0 libevent_core libevent_extra liblzma libzstd libelf glib-2.0) -lm
"$work/static"

echo "pkg-config, module"
$cc -shared -fPIC "$work/module.c" -o "$work/outside.so" $(pkg-config --cflags warpwright)

echo "CMake"
cmake -G Ninja -S "$work" -B "$work/b" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" || {
    cat "$work/cmake.log"
    exit 1
}
cmake --build "$work/b" >"$work/cmake.log" 2>&1 || {
    cat "$work/cmake.log"
    exit 1
}
"$work/b/program"

echo "headers alone"
(cd "$prefix"/include/warpwright-* && find . -name '*.h') | while read -r header; do
    printf '#include <%s>\n' "${header#./}" |
        $cc -fsyntax-only -x c - $(pkg-config --cflags warpwright)
done

echo "data"
test "$("$prefix/bin/warpwright" man run)" = "$(cat "$prefix/share/man/man1/warpwright-run.1")"
bash --norc -c 'PATH=$1/bin:$PATH; source "$1/share/bash-completion/completions/warpwright"
    COMP_LINE="warpwright ins" COMP_WORDS=(warpwright ins) COMP_CWORD=1; _warpwright; test "${COMPREPLY[*]}" = inspect' bash "$prefix"
ls "$prefix"/share/warpwright/platforms/*.plat "$prefix"/share/warpwright/configs/*.conf >/dev/null

echo "links of the pages"
python3 "$source/tests/system/export/links.py" "$prefix/share/warpwright"

echo "platforms of one's own"
mkdir "$work/own"
for name in fancy eight; do
    grep -v '^#' "$source/docs/examples/$name.plat" >"$work/own/$name.plat"
    test "$(wc -l <"$work/own/$name.plat")" -le 10
    (cd "$work/own" && "$prefix/bin/warpwright" run -p "./$name.plat" -c v100 --sms 1 --progress=none \
        "$source/samples/$([ $name = eight ] && echo sgemm || echo vecadd)") >"$work/own/$name.out"
done
grep -v '^#' "$source/docs/examples/counted.plat" >"$work/own/counted.plat"
test "$(wc -l <"$work/own/counted.plat")" -le 10
(cd "$work/own" && "$prefix/bin/warpwright" run -p ./counted.plat -c rtx3070 --progress=none -o counted.csv \
    "$source/samples/vecadd" >counted.out && head -1 counted.csv | tr ',' '\n' | grep -x probe.passed >/dev/null)
grep -q 'fancy (4 an SM)' "$work/own/fancy.out"
grep -q 'sp (8 an SM)' "$work/own/eight.out"
