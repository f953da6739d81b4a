#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of several kernels in several streams: what ends when, as the reference measured it.

Usage: test-streams.py [SEED]...

figures.csv holds, for programs of generate.py, what the reference (Accel-Sim 73f9fac over GPGPU-Sim 667834c) printed at the end of each
interval: the kernels selected in it, the stream that became free, cycles, thread instructions, CTAs placed so far. Each program is
run as a user runs it, and with nothing asleep; both must give these figures, and the same fingerprint. Between them the programs
have kernels that share multiprocessors, wait for a stream, finish in one cycle or are dropped from the window, clusters of several
multiprocessors, every limit of resources, both flushes on and off, adaptive and fixed first-level caches, unequal clocks.
"""

import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import generate

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
NAMES = {"uids": "kernel_launch_uid", "stream": "kernel_stream_id", "cycles": "gpu_sim_cycle", "insns": "gpu_sim_insn",
         "ctas": "gpu_tot_issued_cta"}


def intervals(report):
    """One tuple an interval."""
    columns = [[v.strip() for v in re.findall(rf"^{name} =(.*)$", report, re.M)] for name in NAMES.values()]
    return list(zip(*columns))


def run(config, folder, *more):
    call = [COMMAND, "run", "-c", config, "--report=accelsim", "--progress=none", "--fingerprint", *more]
    with open(os.path.join(folder, "override.config")) as f:
        for line in f:
            for setting in generate.setting(*line.split(None, 1)):
                call += ["-s", setting]
    done = subprocess.run(call + [folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return [], f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
    return intervals(done.stdout), re.findall(r"^fingerprint = (\w+)$", done.stdout, re.M)


def check(key, rows):
    """(line, good) of one program."""
    config, seed = key
    with tempfile.TemporaryDirectory() as folder:
        generate.write(int(seed), folder, config)
        here, prints = run(config, folder)
        awake, prints2 = run(config, folder, "--no-sleep")
    there = [tuple(row[name] for name in NAMES) for row in rows]
    difference = ""
    if isinstance(prints, str):
        difference = prints
    elif len(here) != len(there):
        difference = f"{len(here)} intervals for {len(there)}"
    elif here != there:
        i = next(i for i, (a, b) in enumerate(zip(here, there)) if a != b)
        difference = f"interval {i + 1}: {here[i]} for {there[i]}"
    elif (here, prints) != (awake, prints2):
        difference = "--no-sleep gives other figures or another fingerprint"
    return f"{config:8} {seed:>5} {len(there):3} intervals  {difference or 'same'}", not difference


def main():
    programs = {}
    with open(os.path.join(HERE, "figures.csv"), newline="") as f:
        for row in csv.DictReader(f):
            if not sys.argv[1:] or row["seed"] in sys.argv[1:]:
                programs.setdefault((row["config"], row["seed"]), []).append(row)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line, good in pool.map(lambda item: check(*item), programs.items()):
            print(line, flush=True)
            bad += not good
    print(f"{len(programs)} programs, {bad} with a difference")
    sys.exit(bad != 0 or not programs)


main()
