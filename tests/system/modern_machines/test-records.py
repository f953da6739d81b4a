#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on GPUs of modern SMs: every instruction of SM 0 issues, and is over, in the cycle in which the released simulator of MICRO'25 (commit
117f9dca) says so, the run takes as many cycles and thread instructions, and the report has the same figures of memory. Of three of the
configs that are shipped.

Usage: test-records.py [TEXT]

Only programs whose name contains TEXT (or $WW_RECORDS). records/ has the programs (traces and listings, our own; those without memory
instructions are those of ../sub_cores), figures.json.xz what was measured, counters.json.xz what that simulator's report says at the end:
figures that are not 0, of the names that stand there first, packets by type and size, tables of latencies. Short programs are run without
sleep, too. Those that were drawn (drawn-SEED, drawn-SEED-sm75) are what generate.py writes.
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
AWAKE_CYCLES = 3000
KINDS = ("issue", "retire")
LINES = (r"\s*([\w \[\]]+?)\s*=\s*(-?[\d.]+|-?nan|inf)\s*", r"(traffic_breakdown_\w+\[\w+\]) = (\d+ \{.*\})", r"(\w+_table):([\d\s]+)")


def counters(report):
    """The last figure of each name in a report, if it is not 0."""
    found = {}
    for line in report.splitlines():
        for form in LINES:
            m = re.fullmatch(form, line)
            if m:
                found[m[1]] = " ".join(m[2].split())
    return {name: re.sub(r"( 0)+$", "", text) for name, text in found.items() if re.search("[1-9a-z]", text)}


def run(record, *more):
    """The same figures as the record's, or what went wrong."""
    folders = [os.path.join(HERE, where, record["program"]) for where in ("records", "../sub_cores/records")]
    trace = next((f for f in folders if os.path.isdir(f)), folders[0])
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        words = [COMMAND, "run", "-c", record["config"], "--sass", os.path.join(trace, "kernel.sass.xz"), "--report=accelsim", "--progress=none",
                 "--events", log, "--events-filter", "kind=" + ",".join(KINDS), *more, trace]
        done = subprocess.run(words, capture_output=True, text=True)
        totals = [re.findall(r"^gpu_tot_sim_%s\s*=\s*(\d+)" % word, done.stdout, re.M) for word in ("cycle", "insn")]
        if done.returncode != 0 or not all(totals):
            return done.stderr.strip() or "no totals"
        found = {"cycles": int(totals[0][-1]), "instructions": int(totals[1][-1]), "counters": counters(done.stdout),
                 **{kind: {} for kind in KINDS}}
        for line in open(log):
            cycle, kind, path, warp, text = line.rstrip("\n").split("\t")
            if path.startswith("gpu.cluster[0]."):
                found[kind].setdefault(warp, []).append([int(re.search(r"pc=([0-9a-f]+)", text)[1], 16), int(cycle)])
    return found


def difference(record, found, what):
    name = "%s with %s, %s" % (record["program"], record["config"], what)
    if isinstance(found, str):
        return "%s: %s" % (name, found)
    first = []
    for kind, warp in sorted({(kind, warp) for kind in KINDS for warp in {*record[kind], *found[kind]}}):
        wanted, here = (x[kind].get(warp, []) for x in (record, found))
        for n in range(max(len(wanted), len(here))):
            a, b = (x[n] if n < len(x) else None for x in (wanted, here))
            if a != b:
                first.append(((a or b)[1], "%s of warp %s, number %d: %s; expected %s (pc, cycle)" % (kind, warp, n, b, a)))
                break
    for total in ("cycles", "instructions"):
        if found[total] != record[total]:
            first.append((record["cycles"], "%d %s; expected %d" % (found[total], total, record[total])))
    wanted, here = record.get("counters", {}), found["counters"]
    for counter in record.get("names", []):
        a, b = (x.get(counter, "0") for x in (wanted, here))
        if a != b:
            first.append((record["cycles"] + 1, "%s is %s; expected %s" % (counter, b, a)))
    return "%s: %s" % (name, min(first)[1]) if first else None


def check(record):
    wrong = [difference(record, run(record), "asleep")]
    if record["cycles"] < AWAKE_CYCLES:
        wrong.append(difference(record, run(record, "--no-sleep"), "awake"))
    return [w for w in wrong if w]


def drawn(program):
    """What of a drawn program generate.py writes otherwise."""
    seed, turing = re.fullmatch(r"drawn-(\d+)(-sm75)?", program).groups()
    kept = os.path.join(HERE, "records", program)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), seed, folder, "75" if turing else "86"], check=True)
        here = sorted(f for f in os.listdir(folder) if f != "kernelslist.g")  # the list that is kept names the files as they are kept
        if [f + ".xz" for f in here] != sorted(f for f in os.listdir(kept) if f != "kernelslist.g"):
            return ["%s: generate.py writes %s" % (program, ", ".join(here))]
        return ["%s: generate.py writes another %s" % (program, f) for f in here
                if lzma.open(os.path.join(kept, f + ".xz")).read() != open(os.path.join(folder, f), "rb").read()]


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_RECORDS", "")
    records = [r for r in json.load(lzma.open(os.path.join(HERE, "figures.json.xz"))) if only in r["program"]]
    report = json.load(lzma.open(os.path.join(HERE, "counters.json.xz")))
    for r in records:
        r["counters"] = report["records"]["%s %s" % (r["program"], r["config"])]
        r["names"] = report["names"] + (report["names_of_one_kernel"] if r["program"] not in report["several_kernels"] else [])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = {r["program"] for r in records}
        wrong = [w for found in pool.map(check, records) for w in found]
        wrong += [w for found in pool.map(drawn, sorted(p for p in programs if p.startswith("drawn-"))) for w in found]
    events = [sum(len(e) for r in records for e in r[kind].values()) for kind in KINDS]
    print("\n".join(wrong + ["%d records of %d programs, %d issues, %d instructions over, %d figures of memory, %d differences" %
                             (len(records), len(programs), *events, sum(len(r["counters"]) for r in records), len(wrong))]))
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
