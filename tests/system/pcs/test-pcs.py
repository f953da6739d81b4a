#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --pcs: the figures of instructions add up to the statistics of the run, change nothing, and are the same however it is run.

`test-pcs.py TRACE [OPTION]...` checks one run.
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
BUILD = os.environ.get("WW_BUILD_DIR") or os.path.join(ROOT, "build", "release")
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(BUILD, "bin", "warpwright")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from terminal import run_on_terminal

# What a run shows: barriers, memory barriers, atomics, copies, dual issue, policies with and without first(), guests,
# cores of several SMs, no L1D, no L2, several kernels in turn and at a time, instruction caches, local memory.
RUNS = [
    ["hotspot-sm70", "-c", "qv100"],
    ["micro-membar", "-c", "qv100"],
    ["micro-two-kernels", "-c", "qv100"],
    ["micro-lds-32way", "-c", "qv100"],
    ["histogram-sm86", "-c", "rtx3070"],
    ["sgemm_async-sm86", "-c", "rtx3070"],
    ["reduce_fence-sm86", "-c", "rtx3070"],
    ["micro-warps-32-mixed", "-c", "rtx3070", "-s", "sm.scheduler=scheduler.two_level"],
    ["micro-warps-32-mixed", "-c", "rtx3070", "-s", "sm.scheduler=scheduler.rrr"],
    ["micro-warps-32-mixed", "-c", "rtx3070", "-s", "sm.scheduler=scheduler.swl"],
    ["micro-warps-4", "-c", "qv100", "-s", "sm.scheduler=scheduler.rrr"],
    ["micro-kepler", "-c", "kepler-titan"],
    ["micro-pascal", "-c", "titanx"],
    ["vecadd-sm86", "-c", "rtx3070_ideal"],
    ["random-atom-1020", "-c", "qv100"],
    ["spmv-sm70", "-c", "qv100", "-s", "sm.issue.max_issue=2", "--max-ctas", "40"],
    ["random-loc-1031", "-c", "qv100", "-s", "sm.ldst.gmem_skip_l1=true"],
    ["random-cpa-1026", "-c", "rtx3070", "-s", "gpu.concurrent_kernels=true"],
    ["fresh-conc-0835b7", "-c", "qv100", "-s", "gpu.concurrent_kernels=true"],
    ["drawn-icache-20005", "-c", "qv100", "-s", "sm.has_l1i=true"],
]
# Sub-cores, whose i-buffers look ahead of what their warps wait for: many CTAs in turn, a trace that ends with its first instruction, code that is
# fetched for longer than it runs, barriers, memory barriers, atomics.
MODERN = [
    ["micro-many-ctas", "-c", "rtx3080_modern"],
    ["micro-exit-64warps", "-c", "rtx3080_modern"],
    ["micro-icache", "-c", "rtx3080_modern_paper"],
    ["reduce_fence-sm86", "-c", "rtx3080_modern"],
    ["random-atom-1020", "-c", "rtx3080_modern"],
]
OF_INSTRUCTIONS = ["GLOBAL_ACC_R", "LOCAL_ACC_R", "GLOBAL_ACC_W", "LOCAL_ACC_W"]
UNTOLD = ["no_warp"]  # slots of no instruction


def check(good, what):
    if not good:
        sys.exit(what)


def call(*line, status=0):
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{' '.join(line)}: status {done.returncode}: {done.stderr}")
    return done


def run(folder, trace, *options, pcs=True, name="out.json"):
    path = os.path.join(folder, name)
    where = trace if os.path.exists(trace) else os.path.join(ROOT, "tests/traces", trace)
    words = ["--pcs"] if pcs else []
    call(COMMAND, "run", "--progress=none", "--report=none", "-o", path, *words, *options, where)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def total(rows, *keys):
    """Sum of a number, or of the members of an object by name."""
    numbers = {}
    number = 0
    for row in rows:
        v = row
        for key in keys:
            v = v.get(key, {}) if isinstance(v, dict) else {}
        if isinstance(v, dict):
            for k, n in v.items():
                numbers[k] = numbers.get(k, 0) + n
        else:
            number += v
    return numbers or number


def nonzero(counts, but=()):
    return {k: v for k, v in counts.items() if v and k not in but}


def outcomes(counters, cache, outcome=None):
    """Accesses of instructions to a cache that were not refused; those with one outcome."""
    counts = counters.get(cache + ".outcomes", {})
    wanted = [outcome] if outcome else ["HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS"]
    return sum(counts.get(f"{t}.{o}", 0) for t in OF_INSTRUCTIONS for o in wanted)


def same(name, what, ours, theirs):
    check(ours == theirs, f"{name}: {what}: instructions have {ours}, the run {theirs}")


def check_sums(name, kernel, last):
    c, rows = kernel["counters"], kernel["pcs"]
    issued = c["warp_scheduler.issued"]
    same(name, "issues", total(rows, "issues"), sum(issued))
    same(name, "lanes", total(rows, "lanes"), sum(i * n for i, n in enumerate(issued)))
    slots = total(rows, "slots") or {}
    same(name, "issued slots", slots.pop("issued", 0),
         c["warp_scheduler.single_issue"] + c["warp_scheduler.dual_issue"])
    same(name, "lost slots", slots, nonzero(c["warp_scheduler.cause"], UNTOLD))
    stalls = total(rows, "stalls") or {}
    same(name, "states", stalls, nonzero(c["pcs.states"]))
    same(name, "warps", kernel["warps"], {"cycles": sum(stalls.values()), "stalls": stalls})
    same(name, "resident warps", sum(stalls.values()), c["cta_slots.warp_cycles"])
    check_parts(name, c, rows, stalls, last)


def check_sums_modern(name, kernel):
    c, rows = kernel["counters"], kernel["pcs"]
    slots, stalls = total(rows, "slots") or {}, total(rows, "stalls") or {}
    same(name, "issues", total(rows, "issues"), c["issue_stage.single_issue"])
    same(name, "issued slots", slots.pop("issued", 0), c["issue_stage.single_issue"])
    same(name, "lost slots", slots, nonzero(c["issue_stage.cause"], UNTOLD))
    same(name, "states", stalls, nonzero(c["pcs.states"]))
    same(name, "resident warps", sum(stalls.values()), c["cta_slots.warp_cycles"])


def check_parts(name, c, rows, stalls, last):
    for mine, theirs in [("resident", sum(stalls.values())),
                         ("not_selected", stalls.get("not_selected", 0))]:
        same(name, "pcs." + mine, sum(c["pcs." + mine]), theirs)
    same(name, "bank conflicts", total(rows, "bank_conflicts") or 0, c["ldst_unit.n_shmem_bkconflict"])
    same(name, "L1 accesses", total(rows, "l1", "accesses") or 0, outcomes(c, "cache.l1"))
    same(name, "L1 hits", total(rows, "l1", "hits") or 0, outcomes(c, "cache.l1", "HIT"))
    transactions, requests = total(rows, "transactions") or 0, total(rows, "requests") or 0
    check(requests <= transactions or not last, f"{name}: {requests} answers for {transactions} transactions")
    if requests == transactions:  # else some are on their way, and have been in the L2
        same(name, "L2 accesses", total(rows, "l2", "accesses") or 0, outcomes(c, "cache.l2"))
        same(name, "L2 hits", total(rows, "l2", "hits") or 0, outcomes(c, "cache.l2", "HIT"))
    order = [(r.get("kernel", 0), r["pc"]) for r in rows]
    check(order == sorted(order), f"{name}: rows are not in order")
    for r in rows:
        check(r.get("latency", {}).get("max", 0) <= r.get("latency", {}).get("sum", 0), f"{name}: {r}")


def plain(result):
    """A result without what --pcs adds."""
    for part in result["kernels"] + [result["total"]]:
        part.pop("pcs", None)
        part.pop("warps", None)
        part["counters"] = {k: v for k, v in part["counters"].items() if not k.startswith("pcs.")}
    result.pop("command")
    return result


def check_run(folder, trace, *options, modes=True):
    name = " ".join([trace, *options])
    result = run(folder, trace, *options)
    for i, kernel in enumerate(result["kernels"]):
        check("pcs" in kernel, f"{name}: kernel {i} has no instructions")
        check_sums(name, kernel, len(result["kernels"]) == 1)
    if modes:
        first = open(os.path.join(folder, "out.json"), "rb").read()
        for mode in [["--no-sleep"], ["--no-windows"], ["-j", "3", "--threads-from", "0"]]:
            run(folder, trace, *mode, *options, name="mode.json")
            check(open(os.path.join(folder, "mode.json"), "rb").read() == first, f"{name}: {mode} differs")
    check(plain(run(folder, trace, *options, pcs=False, name="off.json")) == plain(result),
          f"{name}: --pcs changes results")
    return result


def check_looked_at(folder, whole, trace, *options):
    """Figures are the same whenever somebody looks at them meanwhile."""
    half = str(whole["total"]["cycles"] // 2)
    for i, mode in enumerate((["--intervals", "37"], ["--checkpoint", os.path.join(folder, "half"), "--checkpoint-at", half])):
        seen = run(folder, trace, *mode, *options, name=f"seen{i}.json")
        for ours, theirs in zip(seen["kernels"], whole["kernels"]):
            check(ours["pcs"] == theirs["pcs"] and ours["warps"] == theirs["warps"], f"{trace} {options}: {mode[0]} changes instructions")


def check_modern(folder, trace, *options):
    options = ["--sms", "1", "--max-ctas", "40", *options]
    whole = run(folder, trace, *options)
    for kernel in whole["kernels"]:
        check_sums_modern(trace, kernel)
    for mode in (["--no-sleep"], ["--no-windows"]):
        same(trace, f"{options} {mode}", run(folder, trace, *mode, *options, name="mode.json"), whole)
    check_looked_at(folder, whole, trace, *options)


def check_guests(folder):
    """Slots lost while warp 0 has its turn in all schedulers: of four in the first cycle and its own in the second, to the first instruction; of one each to those that it fetches then."""
    options = ["-c", "qv100", "-s", "sm.scheduler=scheduler.rrr"]
    whole = run(folder, "micro-warps-4", *options)
    lost = {r["pc"]: r["slots"]["fetch"] for r in whole["kernels"][0]["pcs"] if "fetch" in r["slots"]}
    same("guests", "slots lost to fetch", lost, {0x00: 5, 0x20: 1, 0x40: 1, 0x60: 1})
    check_looked_at(folder, whole, "micro-warps-4", *options)


def check_checkpoint(folder, trace, *options):
    """A run that goes on in another process has counted the same; one that did not count cannot go on counting."""
    saved = os.path.join(folder, "saved")
    whole = run(folder, trace, *options)
    cycle = str(whole["kernels"][-1]["end_cycle"] // 2)
    run(folder, trace, "--checkpoint", saved, "--checkpoint-at", cycle, *options, name="first.json")
    same(trace, "restored run", run(folder, trace, "--restore", saved, *options, name="second.json"), whole)
    where = os.path.join(ROOT, "tests/traces", trace)
    no = call(COMMAND, "run", "--report=none", "-o", os.path.join(folder, "third.json"), "--restore", saved, *options, where, status=2)
    check("another run" in no.stderr, f"a restored run without --pcs says {no.stderr}")


def check_partial(folder):
    """What has been counted up to a limit adds up, too."""
    path = os.path.join(folder, "part.json")
    call(COMMAND, "run", "--progress=none", "--report=none", "--pcs", "-o", path, "--max-cycles", "5700", "-c", "qv100",
         os.path.join(ROOT, "tests/traces/hotspot-sm70"), status=1)
    with open(path, encoding="utf-8") as f:
        kernel = json.load(f)["kernels"][0]
    rows, c = kernel["pcs"], kernel["counters"]
    check(rows and all("opcode" in r for r in rows), "an instruction of a kernel that has not ended has no opcode")
    same("part", "issues", total(rows, "issues"), sum(c["warp_scheduler.issued"]))
    same("part", "warp cycles", sum(total(rows, "stalls").values()), c["cta_slots.warp_cycles"])


def check_hottest(folder, trace, *options):
    """The ten hottest are those of the results, launches of a kernel added up."""
    path = os.path.join(folder, "hot.json")
    text = call(COMMAND, "run", "--progress=none", "--pcs", "-o", path, *options, os.path.join(ROOT, "tests/traces", trace)).stdout
    with open(path, encoding="utf-8") as f:
        kernels = json.load(f)["kernels"]
    names, sums = {k["uid"]: k["name"] for k in kernels}, {}
    for k in kernels:
        for r in k["pcs"]:
            if "opcode" in r:
                key = (names.get(r.get("kernel", k["uid"]), "?"), r["pc"], r["opcode"], r["registers"])
                slots, issues = sums.get(key, (0, 0))
                sums[key] = slots + sum(r["slots"].values()), issues + r["issues"]
    want = [f"{pc:04x} {opcode} {registers}".split()[:4] + [f"{issues:,}"]
            for (_, pc, opcode, registers), (_, issues) in sorted(sums.items(), key=lambda s: (-s[1][0], s[0]))[:10]]
    lines = text[text.index("hottest instructions"):].split("\n\n")[0].splitlines()[1:]
    got = [[*words[:-2][:4], words[-2]] for words in (line.split("%")[0].split() for line in lines)]
    check(len(sums) >= len(want) == len(got) and want == got, f"{trace}: the summary has {got}, the results {want}")


def check_summary():
    """The ten hottest, none without --pcs, and names of kernels where there are several."""
    where = os.path.join(ROOT, "tests/traces/hotspot-sm70")
    text = call(COMMAND, "run", "--progress=none", "--pcs", "-c", "qv100", where).stdout
    lines = text[text.index("hottest instructions"):].split("\n\n")[0].splitlines()
    check(len(lines) == 11, f"the summary shows {len(lines) - 1} instructions")
    shares = [float(line[:79].split("%")[0].split()[-1]) for line in lines[1:]]
    check(shares == sorted(shares, reverse=True) and shares[0] > 0, f"shares are {shares}")
    check("hottest" not in call(COMMAND, "run", "--progress=none", "-c", "qv100", where).stdout, "a summary without --pcs")
    for columns, config, trace in ((80, "rtx3070", "samples/vecadd"), (80, "qv100", "tests/traces/fresh-threads-6122e7"),
                                   (60, "qv100", "samples/sgemm"), (60, "rtx3070", "samples/vecadd"), (50, "qv100", "samples/sgemm"),
                                   (46, "rtx3070", "samples/vecadd"), (42, "rtx3070", "samples/vecadd")):
        lines = on_terminal(columns, "run", "--progress=none", "--pcs", "-c", config, os.path.join(ROOT, trace))
        at = next(i for i, line in enumerate(lines) if "hot" in line and line.endswith("mostly"))
        wide = [line for line in lines[at:at + 11] if len(line) > columns]
        check(not wide and "%" in lines[at + 10], f"{trace} on {columns} columns: {wide}")


def on_terminal(columns, *words):
    """The lines that a run prints on a terminal that wide."""
    status, text = run_on_terminal([COMMAND, *words], columns, env={**os.environ, "NO_COLOR": "1"})
    check(status == 0, f"{words} failed")
    return text.split("\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            check_run(folder, *sys.argv[1:])
            return
        for words in RUNS:
            check_run(folder, *words)
        for words in MODERN:
            check_modern(folder, *words)
        check_guests(folder)
        check_checkpoint(folder, "micro-two-kernels", "-c", "qv100")
        check_checkpoint(folder, "hotspot-sm70", "-c", "qv100")
        check_partial(folder)
        check_summary()
        # launches of one code, of another code under the same name, side by side, of two names
        for words in (["nw-sm70", "-c", "qv100"], ["random-alu-1000", "-c", "qv100"], ["micro-two-kernels", "-c", "qv100"],
                      ["fresh-conc-0835b7", "-c", "qv100", "-s", "gpu.concurrent_kernels=true"]):
            check_hottest(folder, *words)


if __name__ == "__main__":
    main()
