#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kinds of events that --events-filter takes are those that components write, and docs/events.md has them all."""
import os
import re
import sys

top = os.environ["WW_SOURCE_DIR"]


def text(path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


written = {"put", "take"}  # ww_tap()
for folder, _, files in os.walk(os.path.join(top, "components")):
    for name in files:
        if name.endswith((".c", ".h")):
            written |= set(re.findall(r'WW_EVENT\(\w+,\s*"(\w+)"', text(os.path.join(folder, name))))
taken = set(re.findall(r'"(\w+)"', re.search(r"kinds\[\] = \{(.*?)\};", text("cli/events.c"), re.S).group(1)))
table = re.search(r"## Kinds(.*?)\n## ", text("docs/events.md"), re.S).group(1)
told = {kind for row in re.findall(r"^\| ([^|]*) \|", table, re.M) for kind in re.findall(r"`(\w+)`", row)}
bad = [f"{kind}: written {kind in written}, taken {kind in taken}, in docs/events.md {kind in told}"
       for kind in sorted(written | taken | told) if not (kind in written and kind in taken and kind in told)]
print("\n".join(bad) or f"{len(written)} kinds")
sys.exit(1 if bad or not taken else 0)
