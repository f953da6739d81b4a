#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every quirk has a switch that configs/qv100_sensible.conf turns, or a reason; docs/quirks.md says what each is worth.

Usage: test-quirks.py [--fill]

A comment `quirk N: ...` in qv100_sensible.conf stands over the lines that turn quirk N off, `quirk N stays: ...` says why it is left on;
a comment `quirk N` behind a line of platforms/gpu_sensible.plat marks structure. Compared with the tables of docs/model.md. The table of
docs/quirks.md gives the cycles of qv100 with one quirk off, and with all; without WW_TEST_FULL=1 only its fastest columns are run
anew, and of the quirks a part. --fill writes it.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
PAGE = os.path.join(ROOT, "docs/quirks.md")
TRACES = "histogram-sm70 hotspot-sm70 wmma-sm70 random-atom-1020 random-mb-1035 random-all-1040".split()
FAST = ("random-atom-1020", "random-mb-1035", "random-all-1040")
FILL = "--fill" in sys.argv[1:]
FULL = FILL or bool(os.environ.get("WW_TEST_FULL"))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def switches():
    """{quirk: (what it becomes, [assignments])} of the config, and {quirk: why it stays}."""
    off, stays, current = {}, {}, None
    for line in read("configs/qv100_sensible.conf").split("\n"):
        head = re.match(r"# quirk (\d+)( stays)?: (.*)", line)
        if head:
            current = None
            if head[2]:
                stays[int(head[1])] = head[3]
            else:
                current = off.setdefault(int(head[1]), (head[3], []))[1]
        elif "=" in line and not line.startswith("#") and current is not None:
            current.append(re.sub(r"\s*=\s*", "=", line.strip()))
    return off, stays


def structure():
    """{quirk: what it becomes} of the platform."""
    return {int(n): "structure: `platforms/gpu_sensible.plat`"
            for n in re.findall(r"# quirk (\d+)$", read("platforms/gpu_sensible.plat"), re.M)}


def rows(text):
    return [[c.strip() for c in line.strip("| ").split(" | ")] for line in text.split("\n") if re.match(r"\| \d+ \|", line)]


def check_tables(off, stays, built):
    """What the tables of docs/model.md and the switches say of each other."""
    wrong = []
    behind, without = read("docs/model.md").split("### Behind a parameter")[1].split("### Without one")
    quirks = {int(r[0]) for r in rows(behind)}
    told = {int(r[0]) for r in rows(without)}
    for r in rows(behind):
        if not re.search(r"`\S+`.* / .*\S|`clock|`gate", r[2]):
            wrong.append(f"quirk {r[0]} is in the table of those with a switch, and names none")
    for r in rows(without):
        if len(r) < 4 or len(r[2]) < 4 or r[2].startswith("not yet"):
            wrong.append(f"quirk {r[0]} has neither a switch nor a reason")
    for n in sorted(quirks - set(off) - set(stays) - set(built)):
        wrong.append(f"quirk {n} has a switch that qv100_sensible does not turn")
    for n in sorted((set(off) | set(stays) | set(built)) - quirks):
        wrong.append(f"quirk {n} is off in qv100_sensible, and not in the table of docs/model.md")
    for n in sorted(set(range(1, max(quirks | told) + 1)) - quirks - told):
        wrong.append(f"quirk {n} is in no table of docs/model.md")
    for n, (_, values) in off.items():
        if not values:
            wrong.append(f"quirk {n}: no line of qv100_sensible turns it off")
    return wrong


def cycles(options, trace):
    """Cycles of a run; a run that fails ends the test, so that no complaint gets into the table."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run([COMMAND, "run", *options, "--report=none", "--progress=none", "-o", out.name,
                               os.path.join(ROOT, "tests/traces", trace)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(options)} {trace}: {done.stderr.strip()}")
        return sum(k["cycles"] for k in json.load(open(out.name, encoding="utf-8"))["kernels"])


def variants(off, built, scratch):
    """(label, what, options) of each line of the table."""
    yield "none", "as the reference", ["-c", "qv100"]
    texts = {2: 'import "gpu.plat";\nmachine one extends gpu_machine { clock exact; }\n',
             38: 'import "gpu_sensible.plat";\nmachine one extends gpu_sensible_machine { clock accelsim; }\n'}
    for n in sorted(set(off) | set(built)):
        if n in built:
            path = os.path.join(scratch, f"{n}.plat")
            with open(path, "w", encoding="utf-8") as f:
                f.write(texts[n])
            yield str(n), built[n], ["-c", "qv100", "-p", path]
        else:
            # a file, as a line of one may speak of a type that this machine does not have in that place, and -s may not
            path = os.path.join(scratch, f"{n}.conf")
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(['include "qv100.conf"', *off[n][1]]) + "\n")
            yield str(n), off[n][0], ["-c", path]
    yield "all", "`qv100_sensible`", ["-c", "qv100_sensible"]


def cell(value, base):
    return "" if value == base else f"{value - base:+,}"


def table(off, built, traces, chosen=lambda label: True):
    """[label, what, {trace: cell}] of each line; `none` has the cycles themselves."""
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = [v for v in variants(off, built, scratch) if chosen(v[0])]
        runs = {(v[0], t): pool.submit(cycles, v[2], t) for v in lines for t in traces}
        base = {t: runs["none", t].result() for t in traces}
        return [[label, what, {t: f"{base[t]:,}" if label == "none" else cell(runs[label, t].result(), base[t]) for t in traces}]
                for label, what, _ in lines]


def main():
    off, stays = switches()
    built = structure()
    wrong = check_tables(off, stays, built)
    text = read("docs/quirks.md")
    old = [[c.strip() for c in line.strip().strip("|").split("|")] for line in text.split("\n") if re.match(r"\| (\d+|none|all) \|", line)]
    kept = {r[0]: r for r in old}
    if FULL:
        new = table(off, built, TRACES)
    else: # a part of the lines, on the fastest traces
        new = table(off, built, FAST, lambda label: label in ("none", "all") or int(label) % 4 == 1)
        missing = {"none", "all"} | {str(n) for n in set(off) | set(built)}
        wrong += [f"docs/quirks.md: no line for quirk {n}" for n in sorted(missing - set(kept))]
    if FILL:
        head = "| Quirk | Becomes | " + " | ".join(TRACES) + " |\n|---|---|" + "--:|" * len(TRACES) + "\n"
        body = "".join(f"| {label} | {what} | " + " | ".join(v[t] for t in TRACES) + " |\n" for label, what, v in new)
        begin, end = text.index("<!-- table -->\n") + len("<!-- table -->\n"), text.index("<!-- end -->")
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text[:begin] + head + body + text[end:])
    for label, what, values in [] if FILL else new:
        row = kept.get(label)
        if row is None:
            continue
        if row[1] != what:
            wrong.append(f"docs/quirks.md: quirk {label} becomes '{what}', not '{row[1]}'")
        for t, v in values.items():
            if row[2 + TRACES.index(t)] != v:
                wrong.append(f"docs/quirks.md: quirk {label}, {t}: '{v}', not '{row[2 + TRACES.index(t)]}'")
    for row in [] if FILL else old:
        if not all(re.fullmatch(r"([+-]?[\d,]+)?", c) for c in row[2:]):
            wrong.append(f"docs/quirks.md: quirk {row[0]}: a cell that is no number of cycles")
    for line in wrong:
        print(line)
    print(f"{len(new)} lines of the table, {len(off) + len(built)} quirks off, {len(stays)} that stay, {len(wrong)} wrong")
    return len(wrong) != 0


sys.exit(main())
