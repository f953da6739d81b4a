#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""links.py FOLDER: links of the pages (*.md) in an installed tree that lead to no file there; exit status 1 if there are any, or no link at all."""
import os
import re
import sys

seen, broken = 0, 0
for folder, _, files in os.walk(sys.argv[1]):
    for name in sorted(f for f in files if f.endswith(".md")):
        page = os.path.join(folder, name)
        with open(page, encoding="utf-8") as f:
            text = re.sub(r"`[^`\n]*`(?!\])", "", re.sub(r"```.*?```", "", f.read(), flags=re.S))
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            seen += 1
            if not os.path.exists(os.path.join(folder, target)):
                broken += 1
                print(f"{page}: link to {target}: there is no such file")
sys.exit(broken > 0 or seen == 0)
