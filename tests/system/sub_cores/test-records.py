#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs without memory instructions on the sub-cores of a modern SM: every instruction of SM 0 issues, and is over, in the cycle in which
the released simulator of MICRO'25 (commit 117f9dca, RTX 3080) says so, and the run takes as many cycles.

The same with scoreboards in the place of control bits (boards.plat, boards.json.xz), for programs of dependences that no control bit keeps. A run without a listing has them, too.
And with control bits that are assigned (allocated.plat): cycles as they were when they were written down here.

Usage: test-records.py [TEXT]

Only programs whose name contains TEXT (or $WW_RECORDS). records/ has the programs (traces and listings, our own), figures.json.xz and boards.json.xz what was measured. Short ones are run without
sleep, too.
"""

import concurrent.futures
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(HERE, "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
AWAKE_CYCLES = 2600
KINDS = ("issue", "retire")
ALLOCATED = {"dep-02": 3794, "dep-04": 3678, "dep-06": 3505, "dep-07": 3780}  # cycles with assigned control bits


def run(name, *more, platform="rig", listing=True):
    """Total cycles, and by kind the events of each warp of SM 0: [pc, cycle] in the order of time."""
    trace = os.path.join(HERE, "records", name)
    sass = ["--sass", listing if isinstance(listing, str) else os.path.join(trace, "kernel.sass.xz")] if listing else []
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        words = [COMMAND, "run", "-p", os.path.join(HERE, platform + ".plat"), "-c", "rtx3080_modern", *sass, "--report=accelsim", "--progress=none",
                 "--events", log, "--events-filter", "kind=" + ",".join(KINDS), *more, trace]
        done = subprocess.run(words, capture_output=True, text=True)
        total = re.findall(r"^gpu_tot_sim_cycle\s*=\s*(\d+)", done.stdout, re.M)
        if done.returncode != 0 or not total:
            return None, done.stderr.strip()
        found = {kind: {} for kind in KINDS}
        for line in open(log):
            cycle, kind, path, warp, text = line.rstrip("\n").split("\t")
            if path.startswith("gpu.cluster[0]."):
                found[kind].setdefault(warp, []).append([int(re.search(r"pc=([0-9a-f]+)", text)[1], 16), int(cycle)])
    return int(total[-1]), found


def difference(name, wanted, got, what):
    total, found = got
    if total is None:
        return "%s: %s: %s" % (name, what, found)
    first = []
    for kind, warp in sorted({(kind, warp) for kind in KINDS for warp in {*wanted[kind], *found[kind]}}):
        events, here = (x[kind].get(warp, []) for x in (wanted, found))
        for n in range(max(len(events), len(here))):
            a, b = (x[n] if n < len(x) else None for x in (events, here))
            if a != b:
                first.append(((a or b)[1], "%s of warp %s, number %d: %s; expected %s (pc, cycle)" % (kind, warp, n, b, a)))
                break
    if first:
        return "%s: %s: %s" % (name, what, min(first)[1])
    if total != wanted["cycles"]:
        return "%s: %s: %d cycles; expected %d" % (name, what, total, wanted["cycles"])
    return None


def check(name, wanted):
    wrong = [difference(name, wanted, run(name), "asleep")]
    if wanted["cycles"] < AWAKE_CYCLES:
        wrong.append(difference(name, wanted, run(name, "--no-sleep"), "awake"))
    return [w for w in wrong if w]


def check_board(record):
    name = record["program"]
    settings = [word for s in record["settings"] for word in ("-s", s)]
    what = "scoreboards, %s, " % " ".join(record["settings"])
    wrong = [difference(name, record, run(name, *settings, platform="boards"), what + "asleep")]
    if "sm.bits.war=operands" in record["settings"]:
        wrong.append(difference(name, record, run(name, "--no-sleep", *settings, platform="boards"), what + "awake"))
    return [w for w in wrong if w]


def check_unlisted(name):
    """Without a listing the machine with control bits does as the one with scoreboards."""
    total, found = run(name, platform="boards", listing=False)
    if total is None:
        return ["%s: without a listing: %s" % (name, found)]
    wanted = {"cycles": total, **found}
    runs = [(run(name, *more, listing=False), "without a listing, " + what) for more, what in (([], "asleep"), (["--no-sleep"], "awake"))]
    return [w for w in (difference(name, wanted, got, what) for got, what in runs) if w]


def check_allocated(name, boards):
    """Assigned control bits: the same asleep and awake, faster than scoreboards; and as what a machine does without a listing."""
    total, found = run(name, platform="allocated")
    if total is None:
        return ["%s: assigned control bits: %s" % (name, found)]
    wrong = [difference(name, {"cycles": ALLOCATED[name], **found}, run(name, "--no-sleep", platform="allocated"), "assigned control bits, awake")]
    if total != ALLOCATED[name] or total >= boards[name]:
        wrong.append("%s: assigned control bits: %d cycles; expected %d, less than the %d of scoreboards" % (name, total, ALLOCATED[name], boards[name]))
    unlisted = ("-s", "sm.without_listing=dependence.allocated")
    total, found = run(name, *unlisted, listing=False)
    if total is None:
        return wrong + ["%s: without a listing: %s" % (name, found)]
    wrong.append(difference(name, {"cycles": total, **found}, run(name, "--no-sleep", *unlisted, listing=False), "assigned without a listing, awake"))
    return [w for w in wrong if w]


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_RECORDS", "")
    figures = json.load(lzma.open(os.path.join(HERE, "figures.json.xz")))
    names = [n for n in sorted(figures) if only in n]
    missing = [n for n in names if not os.path.isdir(os.path.join(HERE, "records", n))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [w for found in pool.map(lambda n: check(n, figures[n]), [n for n in names if n not in missing]) for w in found]
        boards = [b for b in json.load(lzma.open(os.path.join(HERE, "boards.json.xz"))) if only in b["program"]]
        wrong += [w for found in pool.map(check_board, boards) for w in found]
        wrong += [w for found in pool.map(check_unlisted, sorted({b["program"] for b in boards})) for w in found]
        cycles = {b["program"]: b["cycles"] for b in boards if b["settings"] == ["sm.bits.war=operands"]}
        wrong += [w for found in pool.map(lambda n: check_allocated(n, cycles), sorted(cycles)) for w in found]
    wrong += ["%s: no program of that name in records/" % n for n in missing]
    records = [figures[n] for n in names] + boards
    events = [sum(len(e) for r in records for e in r[kind].values()) for kind in KINDS]
    print("\n".join(wrong + ["%d programs, %d with scoreboards, %d issues, %d instructions over, %d differences" % (len(records), len(boards), *events, len(wrong))]))
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
