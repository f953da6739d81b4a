#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches uPlot (charts, MIT) from the npm registry into this folder: one version, one hash. To move to another version change both,
# read what changed upstream, run this and commit what came. A build never runs it: what lies here is embedded.
# With --check nothing is written: is what lies here what the registry has?
set -euo pipefail
version=1.6.32
sha512=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm pack --silent "uplot@$version" >/dev/null)
echo "$sha512  $folder/uplot-$version.tgz" | sha512sum --check --quiet
tar -xzf "$folder/uplot-$version.tgz" -C "$folder"
for file in dist/uPlot.iife.min.js dist/uPlot.min.css LICENSE; do
    if [ "${1:-}" = --check ]; then
        cmp "$folder/package/$file" "$here/$(basename "$file")"
    else
        install -m 644 "$folder/package/$file" "$here/"
    fi
done
