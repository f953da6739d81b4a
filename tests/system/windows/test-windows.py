#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs drawn machines of partitions, and traces on GPUs, in windows, on several threads, tick by tick and (GPUs) without sleep: the same
bytes each time.

Usage: test-windows.py [SEED [COUNT]]

A machine is a row of partitions with fifos between them, of depths, rates, delays, clocks and turns an edge as they come. Results, fingerprint and event log
are compared.
"""

import filecmp
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import full

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
WAYS = {"windows": ["-j", "1"], "quiet": ["-j", "1"], "auto": ["--threads-from=0"], "two": ["-j", "2", "--threads-from=0"], "five": ["-j", "5", "--threads-from=0"], "ticks": ["--no-windows"], "awake": ["--no-sleep"]}
QUIET = "quiet"  # without a log: parts keep the time of fewer domains, and go from edge to edge
TICK_BY_TICK = ("ticks", "awake")
FOUR_A_CYCLE = ["-s", "gpu.clusters=2", "-s", "gpu.cluster[*].sm[*].ldst.mem_unit_ports=4", "-s", "gpu.cluster[*].request[*].depth=64"]
FULL = [("stores", 300, "titanv", []), ("gather", 10, "qv100", ["-s", "gpu.clusters=10"]), ("stores", 200, "rtx2060", [])]
SHORT = ["-s", "gpu.cluster[*].request[*].depth=90", "-s", "gpu.channel[*].reply[*].depth=90"]
TWO_LDST = ["-p", os.path.join(ROOT, "docs/examples/two_ldst.plat")]
GPUS = [("qv100", [], "sgemm-sm70"), ("rtx3070", [], "mma-sm86"),  # slices of the L2 that refuse for a whole window, and write that later
        ("rtx2060", [], "transpose-sm70"), ("qv100", SHORT, "vecadd-sm70"), ("titanv", SHORT, "histogram-sm70"),  # full channels: stages take turns
        ("rtx3070", [], "transpose-sm86"), ("rtx2060", [], "random-mem-1005"),
        ("gv100", [], "random-atom-1020"),
        ("gv100", ["-s", "gpu.flush_l2=true"], "random-mem-1005"), ("rtx3080_modern", ["-s", "gpu.clusters=8"], "histogram-sm86"),
        # Four misses, and four atomics, a cycle go down.
        ("qv100", FOUR_A_CYCLE, "random-conf-1010"), ("qv100", FOUR_A_CYCLE, "random-atom-1024"),
        ("v100", TWO_LDST, "sgemm-sm70"), ("v100", TWO_LDST, "histogram-sm70")]


def check_full(folder):
    """How many runs differ. Nearly all of their ticks are in windows."""
    bad = 0
    for kind, ctas, config, values in FULL:
        trace, what = f"{folder}/{kind}", f"{kind} on {config}"
        full.write(trace, kind, ctas)
        wrong, ticks, results = compare(["-c", config, *values, trace], what, ["quiet", "two", "five", "ticks"])
        total = results["total"]
        cycles = total["cycles"] - total["launch_cycles"]
        print(f"{what}: {ticks} ticks in windows, of {cycles} cycles")
        if ticks < 1.5 * cycles:  # there are some 1.8 in a cycle, those of the DRAM too
            sys.exit("few windows; expected most of the run in them")
        bad += wrong
        shutil.rmtree(trace)
    return bad


def check_policies():
    """How many of the policies that look at waiting warps run to another end, or to none, on a modern SM."""
    bad = 0
    for policy in ("two_level", "rrr", "swl"):
        values = ["-s", "gpu.clusters=2", "-s", f"sm.scheduler=scheduler.{policy}"]
        wrong, _, results = compare(["-c", "rtx3080_modern", *values, os.path.join(ROOT, "tests/traces/vecadd-sm86")], policy,
                                    ["quiet", "two", "ticks", "awake"])
        if results["status"] != "done":
            print(f"{policy} on a modern SM: {results['status']}; expected done")
        bad += wrong or results["status"] != "done"
    return bad


def part(draw, name, at, end):
    """A composite: what comes in is held back for a while; the first one sends, the last one takes."""
    clock = draw.choice(["fast", "slow", "odd"])
    text = [f"composite {name} {{", "    partition;"]
    inner = draw.randint(1, 3)
    names = [f"d{i}" for i in range(inner)]
    for i, d in enumerate(names):
        repeat = f"repeat = {draw.choice([2, 3, 5])} " if draw.random() < 0.15 else ""
        text.append(f"    {repeat}{d} : delay in {clock}{at} {{ cycles = {draw.choice([1, 1, 2, 7, 40, 700])}; }}")
        if i:
            text.append(f"    f{i} : fifo {{ depth = {draw.choice([1, 2, 9])}; }}")
            text.append(f"    {names[i - 1]}.out -> f{i} -> {d}.in;")
    if at == 0:
        count, every = draw.choice([1, 30, 400]), draw.choice([1, 1, 3, 25])
        text.append(f"    src : source in {clock}{at} {{ count = {count}; interval = {every}; }}")
        text.append(f"    first : fifo {{ depth = {draw.choice([1, 4])}; }}")
        text.append(f"    src.out -> first -> {names[0]}.in;")
    else:
        text.append(f"    port in = {names[0]}.in;")
    if end:
        text.append(f"    last : fifo {{ depth = {draw.choice([1, 4])}; }}")
        text.append(f"    dst : sink in {clock}{at} {{ interval = {draw.choice([1, 1, 2, 11])}; }}")
        text.append(f"    {names[-1]}.out -> last -> dst.in;")
    else:
        text.append(f"    port out = {names[-1]}.out;")
    return clock, "\n".join(text + ["}"])


def platform(draw):
    n = draw.randint(2, 5)
    parts = [part(draw, f"part{i}", i, i == n - 1) for i in range(n)]
    body = [text for _, text in parts] + ["machine drawn {", f"    clock {draw.choice(['exact', 'accelsim'])};"]
    for clock, hz in (("fast", "1GHz"), ("slow", draw.choice(["1GHz", "333MHz"])), ("odd", draw.choice(["850MHz", "1132MHz"]))):
        body.append(f"    domain {clock} = {hz};")
    order = list(range(n))
    draw.shuffle(order)
    body.append("    phases { " + " ".join(f"{parts[i][0]}{i} : {parts[i][0]};" for i in order) + " }")
    for i in range(n):
        body.append(f"    p{i} : part{i};")
    for i in range(1, n):
        latency = " latency = 3;" if draw.random() < 0.1 else ""
        body.append(f"    between{i} : fifo {{ depth = {draw.choice([1, 3, 12, 40, 300, 0])};{latency} }}")
        body.append(f"    p{i - 1}.out -> between{i} -> p{i}.in;")
    return "\n".join(body + ["}", ""])


def run(arguments, way, folder):
    """Results without host figures, and the ticks in windows."""
    out, log = f"{folder}/{way}.json", f"{folder}/{way}.log"
    line = [COMMAND, "run", *arguments, *WAYS[way], "--fingerprint", "--report=none", "--progress=none", "--host", "-o", out,
            *([] if way == QUIET else ["--events", log])]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if not os.path.exists(out):
        sys.exit(f"{' '.join(line)}: status {done.returncode}: {done.stderr}")
    with open(out, encoding="utf-8") as f:
        data = json.load(f)
    host = data.pop("host")
    for key in ("options", "command_line"):
        data.pop(key, None)
    return (done.returncode, data), host["window_ticks"]


def compare(arguments, what, others):
    """0 (1: runs differ), the ticks in windows, and the results."""
    with tempfile.TemporaryDirectory() as folder:
        seen, ticks = run(arguments, "windows", folder)
        for way in others:
            other, n = run(arguments, way, folder)
            if (n != 0) != (ticks != 0 and way not in TICK_BY_TICK):  # how many: a slice of host time may end a window
                sys.exit(f"{what}: {n} ticks in windows with {' '.join(WAYS[way])}, {ticks} without it")
            if other != seen or (way != QUIET and not filecmp.cmp(f"{folder}/windows.log", f"{folder}/{way}.log", shallow=False)):
                print(f"{what}: another run with {' '.join(WAYS[way])}")
                return 1, ticks, seen[1]
    return 0, ticks, seen[1]


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 30)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    print(f"seed {seed}")
    bad = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            draw = random.Random(seed * 1000 + i)
            text = platform(draw)
            with open(f"{folder}/drawn.plat", "w", encoding="utf-8") as f:
                f.write(text)
            wrong, ticks, _ = compare(["-p", f"{folder}/drawn.plat", "--max-cycles=20000"], f"machine {i} of seed {seed}",
                                   ["quiet", "auto", "two", "five", "ticks"])  # awake, nothing ever comes to rest
            if wrong:
                print(text)
            bad += wrong
            total += ticks
        bad += check_full(folder) + check_policies()
    print(f"{count} machines, {total} ticks in windows")
    if count and not total:
        sys.exit("no window at all; expected some")
    for config, values, trace in GPUS:
        what = " ".join([trace, "on", config, *values])
        wrong, ticks, _ = compare(["-c", config, *values, os.path.join(ROOT, "tests/traces", trace), "--max-cycles=9000"], what,
                               ["quiet", "auto", "two", "five", "ticks", "awake"])
        bad += wrong
        print(f"{what}: {ticks} ticks in windows")
        if ticks == 0:
            sys.exit("no window at all; expected some")
    sys.exit(bad != 0)


main()
