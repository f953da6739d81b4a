#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays the kept traces and compares every figure with what the reference measured; README.md says what is kept.

Usage: test-parity.py [TEXT]

Prints a line a run: trace, configuration, options, cycles here, in the reference and the difference, and the first
figure that differs. Only traces whose name contains TEXT (or $WW_PARITY). Runs of few cycles (all with $WW_TEST_FULL) are
made three times: as a user makes them; with a fingerprint; with a fingerprint and nothing asleep. All three must print the
same figures. Runs of very many cycles are left to $WW_TEST_FULL. Some runs that
generate_machine.py and generate_edges.py draw have no reference: they must go through, asleep as awake.
"""

import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import counters
import generate
import generate_edges
import generate_machine
import generate_memory

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")

FULL = "WW_TEST_FULL" in os.environ
QUICK_CYCLES = 200_000  # of a run of every test
AWAKE_CYCLES = 7_000    # of one that is also made without sleep

# ---- runs ----------------------------------------------------------------------------------------------------------


def figures(report):
    """One dictionary a kernel, under the names that are printed."""
    kernels = []
    lines = report.split("\n")
    for i, line in enumerate(lines):
        number = re.match(r"(\S+)\s*=\s*(\d+)\s*$", line)
        if number and number.group(1) == "gpu_sim_cycle":
            kernels.append({})
        if not kernels:
            continue
        if number:
            kernels[-1][number.group(1)] = number.group(2)
        elif line.startswith("Stall:"):
            kernels[-1]["occupancy"] = " ".join(w for w in line.split() if not w.endswith(":0"))
        elif line.startswith(("single_issue_nums:", "dual_issue_nums:")):
            kernels[-1][line.split(":")[0]] = " ".join(re.findall(r"WS\d+:(\d+)", line))
        elif line.startswith("distro:"):
            kernels[-1]["distro"] = " ".join(lines[i + 1].replace(",", " ").split())
    return kernels


def command(config, options, trace, folder, *more):
    """Returns (report, error)."""
    call = [COMMAND, "run", "--report=accelsim", "--progress=none", "-c", config, *more]
    if options:
        override = os.path.join(folder, "override.config")
        with open(override, "w") as f:
            f.writelines(option.replace("=networks/", f"={HERE}/networks/").replace("=", " ", 1) + "\n"
                         for option in options.split(" "))
        call += ["--gpgpusim", override]
    done = subprocess.run(call + [trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    return done.stdout, done.stderr.strip()[:300] if done.returncode else ""


def first_difference(rows, kernels):
    """What differs first between the table's rows of a run and its kernels, or ''."""
    if len(kernels) != len(rows):
        return f"{len(kernels)} kernels for {len(rows)}"
    for i, (row, kernel) in enumerate(zip(rows, kernels)):
        for name, value in row.items():
            if name not in KEYS and kernel.get(name) != value:
                return f"kernel {i + 1}: {name} {kernel.get(name)} for {value}"
    return ""


def total(kernels):
    return sum(int(k["gpu_sim_cycle"]) for k in kernels)


def without_fingerprint(report):
    return re.sub(r"^fingerprint = .*\n", "", report, flags=re.M)


def measured(key, rows):
    """(line, good) of one run of figures.csv."""
    trace, config, options = key
    path = os.path.join(ROOT, "tests/traces", trace)
    with tempfile.TemporaryDirectory() as folder:
        plain, error = command(config, options, path, folder)
        marked, error2 = command(config, options, path, folder, "--fingerprint")
        awake, error3 = command(config, options, path, folder, "--fingerprint", "--no-sleep")
    here, there = figures(plain), total(rows)
    difference = error or error2 or error3 or first_difference(rows, here)
    if not difference and without_fingerprint(marked) != plain:
        difference = "another run, with --fingerprint, gives other figures"
    if not difference and marked != awake:
        difference = "--no-sleep gives other figures or another fingerprint"
    if not difference and marked == plain:
        difference = "--fingerprint prints none"
    n = total(here)
    return f"{trace:24} {config:14} {n:9} {there:9} {n - there:+5}  {difference or 'same'}  {options}", not difference


def replayed(entry):
    """(line, good) of one entry of reference.jsonl: every counter at the end of every kernel."""
    path, there = os.path.join(ROOT, "tests/traces", entry["trace"]), sum(k["cycles"] for k in entry["kernels"])
    with tempfile.TemporaryDirectory() as folder:
        plain, difference = command(entry["config"], entry["options"], path, folder)
        here = counters.kernels(plain)
        difference = difference or counters.first_difference(entry["kernels"], here)
        if not difference and (FULL or there <= AWAKE_CYCLES):
            marked, error = command(entry["config"], entry["options"], path, folder, "--fingerprint")
            awake, error2 = command(entry["config"], entry["options"], path, folder, "--fingerprint", "--no-sleep")
            difference = error or error2
            if not difference and without_fingerprint(marked) != plain:
                difference = "another run, with --fingerprint, gives other figures"
            elif not difference and marked != awake:
                difference = "--no-sleep gives other figures or another fingerprint"
    n = sum(k["cycles"] for k in here)
    return (f"{entry['trace']:24} {entry['config']:14} {n:9} {there:9} {n - there:+5}  {difference or 'same'}  {entry['options']}",
            not difference)


def opcodes(key, rows):
    """(line, good) of one configuration and binary version of opcodes.csv: a kernel for each opcode."""
    config, binary = key
    with tempfile.TemporaryDirectory() as folder:
        generate.write(generate.opcode_case(int(binary), [r["opcode"] for r in rows]), folder)
        report, error = command(config, "-gpgpu_n_clusters=1 -gpgpu_kernel_launch_latency=0", folder, folder)
    here, difference = figures(report), error
    if not difference and len(here) != len(rows):
        difference = f"{len(here)} kernels for {len(rows)}"
    for row, kernel in zip(rows, here):
        if not difference and row["cycles"] != kernel["gpu_sim_cycle"]:
            difference = f"{row['opcode']}: {kernel['gpu_sim_cycle']} cycles for {row['cycles']}"
    there = sum(int(r["cycles"]) for r in rows)
    n = total(here)
    name = f"opcodes of version {binary}"
    return f"{name:24} {config:14} {n:9} {there:9} {n - there:+5}  {difference or 'same'}", not difference


def drawn(generator, kind, seed):
    """(line, good) of a program and options that nobody has measured: they run, or are stuck, asleep as awake."""
    case = generator.case(seed, kind)
    options = " ".join(f"{name}={value}" for name, value in case["options"].items())
    with tempfile.TemporaryDirectory() as folder:
        (generate_edges if generator is generate_edges else generate_memory).write(case, folder)
        marked, error = command(case["config"], options, folder, folder, "--fingerprint")
        awake, error2 = command(case["config"], options, folder, folder, "--fingerprint", "--no-sleep")
    both_stuck = "stuck in cycle" in error and error == error2  # so is the reference: machines that are drawn may be too small
    difference = "" if both_stuck else error or error2
    if not difference and marked != awake:
        difference = "--no-sleep gives other figures or another fingerprint"
    n = total(figures(marked))
    return f"{f'{kind} {seed}':24} {case['config']:14} {n:9} {'':9} {'':5}  {difference or 'same'}", not difference


# ---- tables --------------------------------------------------------------------------------------------------------

KEYS = ("trace", "config", "options", "kernel")


def table(name):
    with open(os.path.join(HERE, name), newline="") as f:
        return list(csv.DictReader(f))


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in keys), []).append(row)
    return groups


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WW_PARITY", "")
    jobs = [(measured, k, rows) for k, rows in grouped(table("figures.csv"), "trace", "config", "options").items()
            if only in k[0]]
    with open(os.path.join(HERE, "reference.jsonl")) as f:
        entries = [e for e in map(json.loads, f) if only in e["trace"]]
    jobs += [(replayed, e) for e in entries if FULL or sum(k["cycles"] for k in e["kernels"]) <= QUICK_CYCLES]
    if not only:
        jobs += [(opcodes, k, rows) for k, rows in grouped(table("opcodes.csv"), "config", "binary").items()]
        jobs += [(drawn, generate_machine, kind, seed) for seed in range(40 if FULL else 4) for kind in ("any", "icache", "titanx")]
        jobs += [(drawn, generate_edges, kind, seed) for seed in range(20 if FULL else 2) for kind in ("plain", "clocks", "policies")]
    if not jobs:
        sys.exit(f"no trace has '{only}' in its name")
    print(f"{'trace':24} {'configuration':14} {'cycles':>9} {'reference':>9} {'diff.':>5}  first difference  options")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line, good in pool.map(lambda job: job[0](*job[1:]), jobs):
            print(line.rstrip(), flush=True)
            bad += not good
    print(f"{len(jobs)} runs, {bad} with a difference")
    sys.exit(bad != 0)


main()
