#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/events.md has the kinds of events that types declare, and its table is made of them: `test_kinds.py --fill` writes it."""
import json
import os
import re
import subprocess
import sys

DOC = os.path.join(os.environ["WW_SOURCE_DIR"], "docs/events.md")
TABLE = re.compile(r"(<!-- kinds -->\n).*?(<!-- end of kinds -->\n)", re.S)


def fields(event):
    return " ".join(f["name"] if f["word"] else f["name"] + "=" for f in event["fields"])


def table():
    types = json.loads(subprocess.run([os.environ["WARPWRIGHT"], "inspect", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    rows = {}  # what several types say alike is one row
    for t in types:
        for e in t["events"]:
            key = (e["kind"], e["unit"], fields(e), e["doc"])
            rows.setdefault(key, []).append(t["name"])
    lines = ["| Kind | Written by | Unit | Fields | When |", "|---|---|---|---|---|"]
    for (kind, unit, text, doc), names in sorted(rows.items(), key=lambda r: (r[0][0], r[1])):
        lines.append(f"| `{kind}` | {', '.join(f'`{n}`' for n in names)} | {unit} | {f'`{text}`' if text else ''} | {doc} |")
    return "\n".join(lines) + "\n", {key[0] for key in rows}


expected, kinds = table()
with open(DOC, encoding="utf-8") as file:
    doc = file.read()
filled = TABLE.sub(lambda m: m.group(1) + expected + m.group(2), doc)
if sys.argv[1:] == ["--fill"]:
    with open(DOC, "w", encoding="utf-8") as file:
        file.write(filled)
elif filled != doc or not TABLE.search(doc):
    print("docs/events.md: the table of kinds is not what the types declare; run tests/system/cli/test_kinds.py --fill")
    sys.exit(1)
if len(kinds) < 30:
    print(f"only {len(kinds)} kinds: {sorted(kinds)}")
    sys.exit(1)
print(f"{len(kinds)} kinds")
