#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev package` twice, from nothing, in the same folder: the same archive and the same Debian package. Its command runs where it is unpacked, and says what the
# release build says.
set -eu

[ -n "${WW_TEST_FULL-}" ] || {
    echo "only with ./dev test --full: skipped"
    exit 77
}
source=${WW_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -C "$work/tree" -xf -

for time in first second; do
    rm -rf "$work/tree/build"
    SOURCE_DATE_EPOCH=0 "$work/tree/dev" package >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
    mkdir "$work/$time"
    mv "$work/tree/build/"warpwright-*.tar.gz "$work/tree/build/"warpwright_*.deb "$work/$time/"
    tar -C "$work/$time" -xf "$work/$time/"warpwright-*.tar.gz
done
(cd "$work/second" && find . -type f) | while read -r file; do
    cmp "$work/first/$file" "$work/second/$file"
done
command=$(ls "$work/first/"warpwright-*/bin/warpwright)
says()
{
    (cd / && "$1" run -c rtx3070 --report=none --fingerprint "$source/samples/vecadd")
}
[ "$(says "$command")" = "$(says "${WARPWRIGHT:?}")" ]
nm "$command" >"$work/names"
grep -q 'lto_priv' "$work/names" # names that only optimisation across files gives
