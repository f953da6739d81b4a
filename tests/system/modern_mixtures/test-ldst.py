#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The LD/ST unit of the one SM in the other (docs/modern.md#mixtures): `modern_ldst_unit` has that of the Accel-Sim SM between modern sub-cores,
`ldst_shared` that of a modern SM behind an Accel-Sim SM's operand collector. What holds whatever the cycles are:

* each program of ../modern_machines is executed: each warp issues, and is over with, the same instructions, each once, as the records say;
  those without memory instructions take as many cycles as on modern SMs
* the link takes over as many instructions and lanes as `ldst.shared` does; but for asynchronous copies each instruction makes as many transactions, has as
  many bank conflicts and accesses to L1D and L2; cycles that are added have the stall cause of what their program waits for
* a load of shared memory is over the unit's stages and a fixed number of cycles after the unit accepted it
* traces of ../golden have as many instructions executed as on Accel-Sim SMs, and as many accesses to the L1D, instruction by instruction, less
  what goes past it on modern SMs alone
* where memory does not answer, the hang is explained through the link down to who keeps the request
* fingerprints are the same without sleep, without windows, with threads, and after a checkpoint

Usage: test-ldst.py [TEXT]

Only programs whose name contains TEXT (or $WW_MIXTURES), a regular expression.
"""

import collections
import concurrent.futures
import csv
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
BUILD = os.environ.get("WW_BUILD_DIR") or os.path.dirname(os.path.dirname(os.path.abspath(COMMAND)))
MACHINES = os.path.join(HERE, "../modern_machines")
SUB_CORES = os.path.join(HERE, "../sub_cores/records")

# program of ../modern_machines: cycles with rtx3080_modern
CYCLES = {"mem-ldg": 6029, "mem-lds": 2999, "mem-atom": 3252, "mem-ldgsts": 4442, "mem-misc": 2183, "kern-gemm": 4916, "const-ldc": 2195, "fu-texture": 2673}
# the same with as many stages as ldst.shared has
SHORT = {"mem-ldg": 5151, "mem-lds": 2579, "kern-gemm": 4728}
# LDS.64 of all lanes without a register: an instruction on ldst_shared alone
UNCOUNTED = ("drawn-any-20037", 32)
# trace: cycles on ldst_shared with rtx3070 and as many stages as its ldst_unit has
LONG = {"vecadd-sm86": 6966, "sgemm_async-sm86": 10720, "histogram-sm86": 10124}
# what the one warp of a program waits for longer
WAITS = {"mem-ldg": "scoreboard_long", "mem-lds": "scoreboard_short", "const-ldc": "scoreboard_short"}
# config, trace: cycles on ldst_shared; accesses to the L1D that go past it there: LDGSTS.BYPASS, STG.STRONG.GPU
GOLDEN = {
    ("rtx3070", "vecadd-sm86"): (6863, 0),
    ("rtx3070", "mma-sm86"): (14100, 0),
    ("rtx3070", "sgemm_async-sm86"): (10245, 432 * 32),
    ("rtx3070", "reduce_fence-sm86"): (8939, 96),
    ("rtx3070", "histogram-sm86"): (9738, 0),
    ("qv100", "hotspot-sm70"): (12068, 0),
    ("qv100", "micro-lds-32way"): (5594, 0),
    ("titanv", "histogram-sm70"): (3540, 0),
    ("kepler-titan", "transpose-sm70"): (14013, 0),
}


def run(platform, config, trace, *more):
    """Its JSON, or what went wrong."""
    listing = os.path.join(trace, "kernel.sass.xz")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        words = [COMMAND, "run", "-p", platform, "-c", config, "--report=none", "--progress=none", "-o", out]
        words += ["--sass", listing] if os.path.exists(listing) else []
        done = subprocess.run([*words, *more, trace], capture_output=True, text=True)
        if done.returncode != 0:
            return (done.stderr.strip() or "no message").splitlines()[-1]
        return json.load(open(out))


def counter(result, name):
    value = result["total"]["counters"].get(name, 0)
    return sum(value.values()) if isinstance(value, dict) else value


# ---- modern SMs with a ldst_unit ----------------------------------------------------------------------------------------------


def program_of(record):
    folders = [os.path.join(where, record["program"]) for where in (os.path.join(MACHINES, "records"), SUB_CORES)]
    return next(f for f in folders if os.path.isdir(f))


def events(path):
    for line in open(path):
        cycle, kind, where, warp, text = line.rstrip("\n").split("\t")
        yield int(cycle), kind, where, warp, text


def check_record(record):
    name = "%s with %s" % (record["program"], record["config"])
    trace = program_of(record)
    found = {"issue": {}, "retire": {}}
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        result = run("modern_ldst_unit", record["config"], trace, "--events", log, "--events-filter", "kind=issue,retire")
        if isinstance(result, str):
            return ["%s: %s" % (name, result)]
        for _, kind, where, warp, text in events(log):
            if where.startswith("gpu.cluster[0]."):
                found[kind].setdefault(warp, collections.Counter())[int(re.search(r"pc=([0-9a-f]+)", text)[1], 16)] += 1
    wrong = []
    for kind, here in found.items():
        wanted = {warp: collections.Counter(pc for pc, _ in rows) for warp, rows in record[kind].items()}
        if here != wanted:
            wrong.append("%s: other instructions than the record has: %s" % (name, kind))
    total = result["total"]
    if total["thread_instructions"] != record["instructions"]:
        wrong.append("%s: %d thread instructions; expected %d" % (name, total["thread_instructions"], record["instructions"]))
    cycles = record["cycles"] if trace.startswith(SUB_CORES) else None
    if record["config"] == "rtx3080_modern":
        cycles = CYCLES.get(record["program"], cycles)
    if cycles not in (None, total["cycles"]):
        wrong.append("%s: %d cycles; expected %d" % (name, total["cycles"], cycles))
    return wrong


def figures(row):
    return [row.get(what) for what in ("pc", "opcode", "issues", "lanes", "transactions", "requests", "bank_conflicts")] + \
           [row.get(cache, {}).get("accesses") for cache in ("l1", "l2")]


def check_taken(program):
    """What the link takes over, and what the other unit would have accepted."""
    trace = os.path.join(MACHINES, "records", program)
    linked, shared = (run(platform, "rtx3080_modern", trace, "--pcs") for platform in ("modern_ldst_unit", "modern"))
    if isinstance(linked, str) or isinstance(shared, str):
        return ["%s: %s" % (program, linked if isinstance(linked, str) else shared)]
    taken = [counter(linked, "link.ldst_unit." + what) for what in ("instructions", "lanes")]
    wanted = [counter(shared, "ldst.shared.instructions") - counter(shared, "ldst.shared.copies"), counter(shared, "ldst.shared.lanes")]
    for here, there in zip(linked["kernels"][0]["pcs"], shared["kernels"][0]["pcs"]):
        if figures(here) != figures(there) and not here["opcode"].startswith("LDGSTS"):
            return ["%s: pc %x, %s: %s; expected %s" % (program, here["pc"], here["opcode"], figures(here), figures(there))]
    added = {cause: n - shared["total"]["counters"]["issue_stage.cause"][cause] for cause, n in linked["total"]["counters"]["issue_stage.cause"].items()}
    cycles = linked["total"]["cycles"] - shared["total"]["cycles"]
    if program in WAITS and {cause for cause, n in added.items() if n != 0} != {"no_warp", WAITS[program]} or added.get(WAITS.get(program), cycles) != cycles:
        return ["%s: %s are %d more cycles; expected all with %s" % (program, added, cycles, WAITS[program])]
    over = counter(linked, "link.ldst_unit.results") + counter(linked, "link.ldst_unit.retired")
    wrong = [] if taken == wanted else ["%s: the link takes %s instructions and lanes; expected %s" % (program, taken, wanted)]
    return wrong + ([] if over == taken[0] else ["%s: %d of %d instructions are over" % (program, over, taken[0])])


def check_stages(program):
    """Either unit with as many stages as the other has."""
    if program in SHORT:
        result = run("modern_ldst_unit", "rtx3080_modern", os.path.join(MACHINES, "records", program), "-s", "sm.ldst.l1_latency=13", "-s", "sm.ldst.smem_latency=8")
    else:
        result = run("ldst_shared", "rtx3070", os.path.join(ROOT, "tests/traces", program), "-s", "sm.timing.l1=39", "-s", "sm.timing.shared=29")
    found, expected = result if isinstance(result, str) else result["total"]["cycles"], {**SHORT, **LONG}[program]
    return [] if found == expected else ["%s with as many stages as in the other unit: %s; expected %d cycles" % (program, found, expected)]


def check_latency(stages):
    """Loads of a word without conflicts: accepted in a, at the exit of S stages in a + 1 + S, with their sub-core a cycle later, which writes for 2."""
    wrong, n = [], 0
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        result = run("modern_ldst_unit", "rtx3080_modern", os.path.join(MACHINES, "records/thr-lds-1"), "-s", "sm.ldst.smem_latency=%d" % stages,
                     "--events", log, "--events-filter", "kind=exec,retire")
        if isinstance(result, str):
            return ["thr-lds-1: " + result]
        accepted = {}
        for cycle, kind, where, warp, text in events(log):
            key = warp, re.search(r"uid=(\d+)", text)[1]
            if kind == "exec" and ".ldst" in where and "LDS" in text and "space=shared" in text:
                accepted[key] = cycle
            elif kind == "retire" and key in accepted:
                n += 1
                took = cycle - accepted.pop(key)
                if took != stages + 2 + LATCH_CYCLES:
                    wrong.append("thr-lds-1 with %d stages: a load is over after %d cycles" % (stages, took))
    return wrong[:1] if n != 0 else ["thr-lds-1: no load of shared memory was seen"]


LATCH_CYCLES = 1  # a register from the SM is written in the second cycle of two

# ---- Accel-Sim SMs with a ldst.shared ------------------------------------------------------------------------------------------


def check_golden(row):
    name = "%s with %s" % (row["trace"], row["config"])
    trace = os.path.join(ROOT, row["trace"])
    # there an asynchronous copy counts as an instruction once
    before, after = (run(p, row["config"], trace, "--pcs", *more) for p, more in
                     (("gpu", ["-s", "sm.ldst.count_ldgsts_twice=false"]), ("ldst_shared", [])))
    if isinstance(before, str) or isinstance(after, str):
        return ["%s: %s" % (name, before if isinstance(before, str) else after)]
    cycles, past = GOLDEN.get((row["config"], os.path.basename(row["trace"])), (None, 0))
    wrong = []
    for what in ("thread_instructions", "warp_instructions"):
        if before["total"][what] != after["total"][what]:
            wrong.append("%s: %d %s; expected %d" % (name, after["total"][what], what, before["total"][what]))
    accesses = [counter(x, "cache.l1.accesses") for x in (before, after)]
    if accesses[0] - past != accesses[1]:
        wrong.append("%s: %d accesses to the L1D; expected %d" % (name, accesses[1], accesses[0] - past))
    for here, there in zip(after["kernels"][0]["pcs"], before["kernels"][0]["pcs"]):
        if figures(here)[:-1] != figures(there)[:-1] and not here["opcode"].startswith(("LDGSTS", "STG.E.STRONG")):
            wrong.append("%s: pc %x, %s: %s; expected %s" % (name, here["pc"], here["opcode"], figures(here), figures(there)))
    over = counter(after, "link.ldst_shared.written") + counter(after, "link.ldst_shared.ended")
    if over != counter(after, "link.ldst_shared.instructions"):
        wrong.append("%s: %d of %d instructions are over" % (name, over, counter(after, "link.ldst_shared.instructions")))
    if cycles not in (None, after["total"]["cycles"]):
        wrong.append("%s: %d cycles; expected %d" % (name, after["total"]["cycles"], cycles))
    return wrong


def check_uncounted(program):
    counts = [run(p, "rtx3070", os.path.join(ROOT, "tests/traces", program)) for p in ("gpu", "ldst_shared")]
    counts = [c if isinstance(c, str) else c["total"]["thread_instructions"] for c in counts]
    return [] if counts[0] + UNCOUNTED[1] == counts[1] else ["%s: %s thread instructions; expected %d more on ldst_shared" % (program, counts, UNCOUNTED[1])]


# ---- both ------------------------------------------------------------------------------------------------------------------------


SM0 = "gpu.cluster[0].sm[0]."
HANGS = {
    "modern_ldst_unit": ("rtx3080_modern", os.path.join(MACHINES, "records/thr-ldg-2"),
                         (SM0 + "bits (dependence.control_bits) waits for " + SM0 + "link_ldst (link.ldst_unit): SB0 of warp 0 is 1: LDG.E (pc 10) counted it up last",
                          SM0 + "link_ldst (link.ldst_unit) waits for " + SM0 + "ldst[0] (ldst_unit.linked): 2 of 128 instructions are with the LD/ST unit, the oldest is LDG.E",
                          SM0 + "ldst[0] (ldst_unit.linked) waits for gpu.channel[0].dram (dram.eats): 8 memory requests have not come back")),
    "ldst_shared": ("rtx3070", os.path.join(ROOT, "tests/traces/vecadd-sm86"),
                    (SM0 + "score (scoreboard) waits for " + SM0 + "ldst (ldst.shared): warp ",
                     SM0 + "ldst (ldst.shared) waits for gpu.channel[0].slice[0] (l2_slice): ")),
}


def check_hang(platform):
    config, trace, parts = HANGS[platform]
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.plat")
        with open(bad, "w") as f:
            f.write('import "%s.plat";\ncomposite bad extends memory_partition { dram : dram.eats; }\n'
                    'machine m extends %s { gpu { channel[0] : bad; } }\n' % (platform, platform))
        listing = os.path.join(trace, "kernel.sass.xz")
        words = [COMMAND, "run", "-m", os.path.join(BUILD, "tests/system/hang/modules/stations.so"), "-p", bad, "-c", config, "--report=none",
                 "--progress=none", "--hang-limit=3000", *(["--sass", listing] if os.path.exists(listing) else []), trace]
        done = subprocess.run(words, capture_output=True, text=True)
    missing = [part for part in (*parts, "gpu.channel[0].dram (dram.eats) waits for nobody: the cause is there") if part not in done.stderr]
    if done.returncode != 1 or missing:
        return ["a hang of %s: status %d, no line %s in\n%s" % (platform, done.returncode, missing[:1], done.stderr)]
    return []


def check_ways(case):
    platform, config, trace, at = case
    listing = os.path.join(trace, "kernel.sass.xz")

    def fingerprint(*more):
        words = [COMMAND, "run", "-p", platform, "-c", config, "--report=none", "--progress=none", "--fingerprint", *more]
        words += ["--sass", listing] if os.path.exists(listing) else []
        done = subprocess.run([*words, trace], capture_output=True, text=True)
        found = re.findall(r"^fingerprint (\w+)", done.stdout, re.M)
        return found[-1] if done.returncode == 0 and found else done.stderr.strip() or "none"

    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved")
        wanted = fingerprint()
        ways = (["--no-sleep"], ["--no-windows"], ["--threads=3", "--threads-from=0"], ["--checkpoint", saved, "--checkpoint-at", str(at)], ["--restore", saved])
        found = [(way, fingerprint(*way)) for way in ways]
    name = "%s on %s" % (os.path.basename(trace), platform)
    wrong = ["%s with %s: %s; expected fingerprint %s" % (name, " ".join(way), f, wanted) for way, f in found if f != wanted]
    return wrong if re.fullmatch(r"[0-9a-f]{16}", wanted) else ["%s: %s" % (name, wanted)]


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_MIXTURES", "")
    records = [r for r in json.load(lzma.open(os.path.join(MACHINES, "figures.json.xz"))) if re.search(only, r["program"])]
    with open(os.path.join(HERE, "../golden/fingerprints.csv"), newline="") as table:
        golden = [r for r in csv.DictReader(table) if r["platform"] == "gpu" and re.search(only, r["trace"])]
    taken = sorted({r["program"] for r in records if r["program"] in CYCLES})
    at_home = os.path.join(MACHINES, "records")
    ways = [("modern_ldst_unit", "rtx3080_modern", os.path.join(at_home, "mem-ldgsts"), 3000),
            ("modern_ldst_unit", "rtx3080_modern", os.path.join(at_home, "mem-atom"), 2500),
            ("ldst_shared", "rtx3070", os.path.join(ROOT, "tests/traces/sgemm_async-sm86"), 8000),
            ("ldst_shared", "rtx3070", os.path.join(ROOT, "tests/traces/histogram-sm86"), 8000)]
    ways = [w for w in ways if re.search(only, w[2])]
    latencies = [10, 29, 50] if re.search(only, "thr-lds-1") else []
    jobs = [(check_record, r) for r in records] + [(check_taken, t) for t in taken] + [(check_stages, t) for t in (*SHORT, *LONG) if re.search(only, t)] + [(check_latency, s) for s in latencies]
    hangs = [p for p in HANGS if re.search(only, p)]
    jobs += [(check_uncounted, UNCOUNTED[0])] if re.search(only, UNCOUNTED[0]) else []
    jobs += [(check_hang, p) for p in hangs] + [(check_golden, g) for g in golden] + [(check_ways, w) for w in ways]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [w for found in pool.map(lambda job: job[0](job[1]), jobs) for w in found]
    counts = tuple(len(x) for x in (records, taken, latencies, golden, hangs, ways, wrong))
    print("\n".join(wrong + ["%d records, %d compared with ldst.shared, %d latencies, %d traces, %d hangs, %d run in other ways, %d differences" % counts]))
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
