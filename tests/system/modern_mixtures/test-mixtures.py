#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixtures: modern SMs with one mechanism of another SM each (docs/modern.md#mixtures). Each takes as many cycles as written down here, which says
whether it is faster, and takes as many without sleep.

Usage: test-mixtures.py [TEXT]

Only programs whose name contains TEXT (or $WW_MIXTURES). Where "peer" stands the released simulator of MICRO'25 (commit 117f9dca, RTX 3080) takes as many with its own option for it.
Where "accel-sim" stands the reference takes as many (tests/system/parity).
"""

import concurrent.futures
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(HERE, "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
AWAKE_CYCLES = 13000

# program, and the config where it is not rtx3080_modern: platform, settings, cycles, source; the first line is what the others are a change of
PROGRAMS = {
    "ic-straight8": [
        ("modern", "", 3900, "peer"),
        ("modern_no_stream", "", 17277, "peer"),
        ("modern", "stream.depth=1", 9622, "peer"),
        ("modern", "stream.depth=2", 9457, "peer"),
        ("modern", "stream.depth=4", 5586, "peer"),
        ("modern", "stream.depth=8", 3900, "peer"),
        ("modern", "stream.depth=16", 2848, "peer"),
        ("modern", "stream.depth=32", 2617, "peer"),
    ],
    "rf-rfc-warps": [
        ("modern", "", 2216, "peer"),
        ("modern_no_reuse", "", 2254, "peer"),
        ("modern_scoreboards", "", 2209, "peer"),
    ],
    "modern-gemm": [
        ("modern", "", 4740, "peer"),
        ("modern_scoreboards", "", 4680, "peer"),
        ("modern_scoreboards", "sm.bits.max_readers=1", 4837, "peer"),
        ("modern_allocated", "", 4688, ""),
        ("modern_no_stream", "", 5847, "peer"),
        ("modern", "stream.depth=1", 5278, "peer"),
        ("modern", "stream.depth=32", 4762, "peer"),
    ],
    "dep-08": [
        ("modern_scoreboards", "", 3918, "peer"),
        ("modern_scoreboards", "sm.bits.war=writeback", 4017, "peer"),
        ("modern_scoreboards", "sm.bits.war=disabled", 3934, "peer"),
        ("modern_scoreboards", "sm.bits.max_readers=1", 3944, "peer"),
        ("modern_allocated", "", 3852, ""),
        ("modern_collector", "", 3958, ""),
        ("modern_collector", "read.units=1", 4160, ""),
    ],
    "dep-04": [
        ("modern_scoreboards", "", 3750, "peer"),
        ("modern_allocated", "", 3678, ""),
        ("modern_collector", "", 3733, ""),
        ("modern_collector", "read.units=1", 3756, ""),
    ],
    "dep-08 by control bits": [
        ("modern", "", 3803, ""),
        ("modern_gto", "", 3812, ""),
    ],
    "sgemm-sm70 on qv100": [
        ("gpu", "", 13235, "accel-sim"),
        ("gpu_control_bits", "", 12671, ""),
        ("gpu_control_bits", "sm.score.war=false", 12916, ""),
    ],
    "modern-gemm on rtx3070": [
        ("gpu", "", 7578, ""),
        ("gpu_control_bits", "", 7604, ""),
    ],
}


def run(program, platform, setting, *more):
    name = program.split()[0]
    trace = os.path.join(ROOT, "tests/traces", name)
    if not os.path.isdir(trace):
        trace = os.path.join(HERE, "../sub_cores/records", name)
    listing = os.path.join(trace, "kernel.sass.xz")
    sass = ["--sass", listing] if os.path.exists(listing) else []
    config = program.partition(" on ")[2] or "rtx3080_modern"
    words = [COMMAND, "run", "-p", platform, "-c", config, *sass, "--report=accelsim", "--progress=none", *more]
    words += ["-s", setting] if setting else []
    done = subprocess.run(words + [trace], capture_output=True, text=True)
    total = re.findall(r"^gpu_tot_sim_cycle\s*=\s*(\d+)", done.stdout, re.M)
    return int(total[-1]) if done.returncode == 0 and total else done.stderr.strip()


def check(case):
    program, (platform, setting, cycles, _) = case
    what = "%s on %s %s" % (program, platform, setting)
    found = run(program, platform, setting)
    wrong = [] if found == cycles else ["%s: %s; expected %s cycles" % (what, found, cycles)]
    if cycles < AWAKE_CYCLES:
        awake = run(program, platform, setting, "--no-sleep")
        wrong += [] if awake == found else ["%s: %s without sleep, %s with" % (what, awake, found)]
    return wrong


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_MIXTURES", "")
    cases = [(program, row) for program, rows in PROGRAMS.items() for row in rows if only in program]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [w for found in pool.map(check, cases) for w in found]
    print("\n".join(wrong + ["%d runs, %d differences" % (len(cases), len(wrong))]))
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
