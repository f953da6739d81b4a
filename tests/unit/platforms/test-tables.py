#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/alternatives.md says what the command says: its tables of cycles, its lengths of files, its examples.

Usage: test-tables.py [--fill]

A table of cycles begins with a cell that ends in `--sms 1` and "and", or that is "whole GPU"; the other cells of its first line are
traces, the first cells of its lines are options. The tables of whole GPUs take a minute: without WW_TEST_FULL=1 only their two
fastest columns are compared. --fill writes all tables anew.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
PAGE = os.path.join(ROOT, "docs/alternatives.md")
FAST = ("histogram", "nbody")

FILL = "--fill" in sys.argv[1:]
FULL = FILL or bool(os.environ.get("WW_TEST_FULL"))


def cycles(options, trace):
    """Cycles of a run as a number, or what it complains of."""
    trace = os.path.join(ROOT, f"tests/traces/{trace}-sm70")
    done = subprocess.run([COMMAND, "run", *options, "--report=accelsim", "--progress=none", trace],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.findall(r"^gpu_tot_sim_cycle = (\d+)", done.stdout, re.M)
    return int(found[-1]) if found and done.returncode == 0 else done.stderr.strip()


def cell(value, base):
    if not isinstance(value, int):
        return "-"
    return f"{value:,}" if value == base else f"{value:,} ({(value - base) / base * 100:+.1f} %)"


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def tables(lines):
    """(number of the first line of values, traces, further options) of each table of cycles."""
    for i, line in enumerate(lines):
        first = cells(line)[0] if line.startswith("|") else ""
        if first == "whole GPU" or first.startswith("one SM"):
            yield i + 2, cells(line)[1:], ["--sms", "1"] if first.startswith("one SM") else []


def check_tables(lines):
    """Compares, or fills, the lines; what was wrong."""
    wrong, runs = [], 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for start, traces, more in tables(lines):
            rows = []
            for i in range(start, len(lines)):
                if not lines[i].startswith("|"):
                    break
                options = cells(lines[i])[0].strip("`").split() + more
                rows.append((i, [pool.submit(cycles, options, t) if FULL or more or t in FAST else None for t in traces]))
            base = [f.result() if f else None for f in rows[0][1]]
            for i, futures in rows:
                have = cells(lines[i])
                now = [cell(f.result(), b) if f else h for f, b, h in zip(futures, base, have[1:])]
                runs += sum(f is not None for f in futures)
                if now != have[1:]:
                    wrong.append(f"alternatives.md:{i + 1}: {have[0]}: {', '.join(now)}")
                    lines[i] = "| " + " | ".join([have[0], *now]) + " |"
    print(f"{runs} runs")
    return wrong


def check_lengths(lines):
    """A line `NAME` | LENGTH of the table of SMs."""
    wrong = []
    for i, line in enumerate(lines):
        found = re.match(r"\| `(\w+)` \| (\d+) \|", line)
        if found:
            name = {"qv100": "sm", "v100": "sm_sub_cores"}.get(found[1], found[1])
            with open(os.path.join(ROOT, f"platforms/{name}.plat")) as f:
                length = len(f.readlines())
            if length != int(found[2]):
                wrong.append(f"alternatives.md:{i + 1}: {name}.plat has {length} lines")
                lines[i] = line.replace(f"| {found[2]} |", f"| {length} |", 1)
    return wrong


def check_example(text):
    """The platform and the config of one's own are in two indented blocks."""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", text, re.M)
    named = {kind: [re.sub(r"^    ", "", b, flags=re.M) for b in blocks if b.strip().startswith(start)]
             for kind, start in (("wide.plat", 'import "gpu.plat"'), ("wide.conf", 'include "qv100.conf"'))}
    with tempfile.TemporaryDirectory() as folder:
        for name, found in named.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(found[0])
        said = [subprocess.run([COMMAND, "run", *options, "--report=accelsim", "--progress=none",
                                os.path.join(ROOT, "tests/traces/vecadd-sm70")], cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE) for options in (("-p", "./wide.plat"), ("-c", "./wide.conf"))]
    return [f"the example of one's own: {s.stderr.strip()}" for s in said if s.returncode]


def main():
    with open(PAGE) as f:
        lines = f.read().split("\n")
    wrong = check_lengths(lines) + check_tables(lines)
    if FILL:
        with open(PAGE, "w") as f:
            f.write("\n".join(lines))
        print(f"{len(wrong)} lines changed")
        return
    wrong += check_example("\n".join(lines))
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
