#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `view` makes of sub-cores of a modern SM: in a Konata file each instruction has the stages of the way that it takes, in their order, begins to issue and
is over in the cycles that the released simulator has (figures.json.xz), and `run --view` writes the same bytes; a Perfetto file has a track for each sub-core."""

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
MACHINE = ["-p", os.path.join(HERE, "rig.plat"), "-c", "rtx3080_modern"]
FIXED = ["F", "Dc", "Ib", "Is", "Co", "Al", "Rd", "X", "Wb"]
QUEUED = [["F", "Dc", "Ib", "Is", "Co", "X", "Wb"], ["F", "Dc", "Ib", "Is", "Co", "Dp", "X", "Wb"]]
# A program, and how many of its instructions are of variable latency.
PROGRAMS = {"fu-dp": 22, "fu-sfu": 72, "rf-ports": 0}


def call(*words):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(words), done.stderr.strip()))


def read(path):
    """By id of a Konata file: warp, pc, stages as (name, cycle), end."""
    cycle, insts = 0, {}
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        if f[0] in ("C=", "C"):
            cycle = int(f[1]) + (cycle if f[0] == "C" else 0)
        elif f[0] == "I":
            insts[f[1]] = {"warp": f[3], "stages": [], "begin": {}}
        elif f[0] == "L" and f[2] == "0" and "pc" not in insts[f[1]]:
            insts[f[1]]["pc"] = int(re.match(r"0/\d+ ([0-9a-f]+): ", f[3])[1], 16)
        elif f[0] == "S":
            insts[f[1]]["stages"].append(f[3])
            insts[f[1]]["begin"][f[3]] = cycle
        elif f[0] == "R":
            insts[f[1]]["end"] = cycle
    return list(insts.values())


def check(name, figures):
    trace, wrong = os.path.join(HERE, "records", name), []
    with tempfile.TemporaryDirectory() as folder:
        log, here, later, perfetto = (os.path.join(folder, n) for n in ("log", "here.kanata", "later.kanata", "all.pftrace"))
        call("run", *MACHINE, "--sass", os.path.join(trace, "kernel.sass.xz"), "--report=none", "--progress=none", "--events", log, "--events-filter", "sm=0,kind=-put,-take",
             "--view", here, "--view", perfetto, trace)
        call("view", log, *MACHINE, "-o", later)
        if open(here).read() != open(later).read():
            wrong.append("run --view and view draw other pictures")
        insts = read(here)
        sub_cores = set(re.findall(rb"core\[\d\]", open(perfetto, "rb").read()))
    queued = 0
    for i in insts:
        if i["stages"] in QUEUED:
            queued += 1
        elif i["stages"] != FIXED:
            wrong.append("pc %x of warp %s: stages %s" % (i["pc"], i["warp"], i["stages"]))
    if queued != PROGRAMS[name]:
        wrong.append("%d instructions without Allocate; expected %d" % (queued, PROGRAMS[name]))
    for warp, events in figures["issue"].items():
        found = sorted((i["begin"]["Is"], i["pc"]) for i in insts if i["warp"] == warp)
        if found != sorted((cycle, pc) for pc, cycle in events):
            wrong.append("warp %s: other cycles of issue" % warp)
        over = sorted((i["end"] - 1, i["pc"]) for i in insts if i["warp"] == warp)
        if over != sorted((cycle, pc) for pc, cycle in figures["retire"][warp]):
            wrong.append("warp %s: other cycles of its end" % warp)
    cores = {b"core[%d]" % (int(w) % 4) for w in figures["issue"]}
    if not cores <= sub_cores:
        wrong.append("Perfetto: sub-cores %s; expected %s" % (sub_cores, cores))
    return ["%s: %s" % (name, w) for w in wrong]


def main():
    figures = json.load(lzma.open(os.path.join(HERE, "figures.json.xz")))
    wrong = [w for name in PROGRAMS for w in check(name, figures[name])]
    print("\n".join(wrong + ["%d programs, %d differences" % (len(PROGRAMS), len(wrong))]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
