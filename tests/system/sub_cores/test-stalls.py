#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Why sub-cores do not issue: every slot and every cycle of a warp has a cause, the same asleep and awake, with and without windows, on two threads,
and with `--pcs` as without; and programs that were written for one cause have that one. Units have taken each instruction once.

Usage: test-stalls.py [TEXT]

Only programs whose name contains TEXT.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(HERE, "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
# A program, and causes of which it has slots.
PROGRAMS = {
    "const-fl": ["constant"],
    "ctl-yield": ["yield", "stall_count"],
    "fu-dp": ["unit_dp", "scoreboard_short"],
    "fu-sfu": ["unit_sfu", "scoreboard_short"],
    "fu-tensor-f16": ["unit_tensor"],
    "fu-uniform": ["unit_spec", "issue_port"],
    "iss-imad": ["issue_port"],
    "iss-fu": ["unit_int", "result"],
    "rf-ports": ["next_stage"],
    "sync-bar-ctas": ["barrier"],
}
OTHERS = [["--no-sleep"], ["--no-windows"], ["-j", "2"]]


def run(name, *more, summary=False):
    trace = os.path.join(HERE, "records", name)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done = subprocess.run([COMMAND, "run", "-p", os.path.join(HERE, "rig.plat"), "-c", "rtx3080_modern", "--sass", os.path.join(trace, "kernel.sass.xz"),
                               "--progress=none", "--stats", "*", "-o", out, *([] if summary else ["--report=none"]), *more, trace], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s %s: %s" % (name, " ".join(more), done.stderr.strip()))
        results = json.load(open(out))
        return done.stdout if summary else {k: results[k] for k in ("kernels", "total", "components") if k in results}


def total(rows, member):
    sums = {}
    for row in rows:
        for key, n in row.get(member, {}).items():
            sums[key] = sums.get(key, 0) + n
    return sums


def check(name):
    wrong = []
    here = run(name, "--pcs")
    kernel = here["kernels"][0]
    counters, rows = kernel["counters"], kernel["pcs"]
    causes = {k: n for k, n in counters["issue_stage.cause"].items() if n}
    wrong += ["no slot is lost to %s: %s" % (c, causes) for c in PROGRAMS[name] if c not in causes]
    causes.pop("no_warp", 0)
    slots, warps = total(rows, "slots"), total(rows, "stalls")
    issued = slots.pop("issued", 0)
    if slots != causes:
        wrong.append("slots of instructions: %s; expected %s" % (slots, causes))
    if issued != counters["issue_stage.single_issue"]:
        wrong.append("%d slots issued; expected %d" % (issued, counters["issue_stage.single_issue"]))
    if sum(warps.values()) != counters["cta_slots.warp_cycles"]:
        wrong.append("%d cycles of warps; expected %d" % (sum(warps.values()), counters["cta_slots.warp_cycles"]))
    units = sum(counters["fu.%s.issued" % kind] for kind in ("fixed", "sfu", "queued"))
    if units != kernel["warp_instructions"]:
        wrong.append("units have %d instructions; expected %d" % (units, kernel["warp_instructions"]))
    if run(name)["kernels"][0]["counters"]["issue_stage.cause"] != counters["issue_stage.cause"]:
        wrong.append("other causes without --pcs")
    wrong += ["other results with %s" % " ".join(more) for more in OTHERS if run(name, "--pcs", *more) != here]
    return ["%s: %s" % (name, w) for w in wrong]


def summary():
    text = run("fu-sfu", summary=True)
    wanted = r"SFU taken +[\d,]+ +[\d.]+ % +math_pipe_throttle", r"a dependence counter +[\d,]+ +[\d.]+ % +short_scoreboard", r"issued +128 ", r"sfu \(4 an SM\) +72 +21\.8 %"
    wrong = ["fu-sfu: the summary has no line like '%s':\n%s" % (w, text) for w in wanted if re.search(w, text) is None]
    return wrong + assigned()


def assigned():
    """Where control bits are assigned, a counter waits for memory as it does where they are read, asleep as awake."""
    found = []
    for more in [], ["--no-sleep"]:
        done = subprocess.run([COMMAND, "run", "-p", "modern_allocated", "-c", "rtx3080_modern", "-s", "gpu.clusters=4", "--progress=none", "--report=none", "-o", "/dev/stdout",
                               *more, os.path.join(ROOT, "tests/traces/modern-gemm")], capture_output=True, text=True)
        found.append(json.loads(done.stdout)["total"]["counters"]["issue_stage.cause"] if done.returncode == 0 else done.stderr)
    good = found[0] == found[1] and found[0]["scoreboard_long"] > found[0]["scoreboard_short"] > 0 if isinstance(found[0], dict) else False
    return [] if good else ["modern-gemm with assigned control bits: causes %s" % found]


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_RECORDS", "")
    names = [n for n in PROGRAMS if only in n]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [w for found in pool.map(check, names) for w in found] + summary()
    print("\n".join(wrong + ["%d programs, %d differences" % (len(names), len(wrong))]))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
