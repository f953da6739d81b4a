#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand short runs: the database stays under 100 MB, and questions take less than a second of processor (another's load is none of ours). Results of real runs, every figure of which is
drawn anew, so that no two are alike. `test-many.py FOLDER` keeps the database there."""

import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = ["vecadd-sm70", "micro-two-kernels", "hotspot-sm70", "bankconf-sm70", "micro-lds-wide", "spmv-sm70", "micro-bar", "transpose-sm70"]
CONFIGS = ["qv100", "titanv"]
SCHEDULERS = ["lrr", "gto", "old", "two_level_active"]
RUNS, BATCH = 10000, 250
MOST_MB, MOST_SECONDS = 100, 1.0
failed = []


def check(good, what):
    print(("ok      " if good else "FAILED  ") + what, flush=True)
    if not good:
        failed.append(what)


def command(*words):
    """(stdout, wall seconds, processor seconds); the best of three where it only reads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=600)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{words[:4]}: {done.stderr}")
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def base(folder):
    """A result for each trace and config."""
    all = []
    for config in CONFIGS:
        for trace in TRACES:
            path = f"{folder}/base.json"
            command("run", "-c", config, "--progress=none", "--report=none", "-o", path, f"{ROOT}/tests/traces/{trace}")
            with open(path) as f:
                result = json.load(f)
            result["trace"] = trace
            all.append(result)
    return all


def drawn(value, factor, rng):
    """A figure near this one; seldom 0 where it was not, or the other way round."""
    if isinstance(value, dict):
        return {k: drawn(v, factor, rng) for k, v in value.items()}
    if isinstance(value, list):
        return [drawn(v, factor, rng) for v in value]
    if value == 0:
        return rng.randrange(100) if rng.random() < 0.01 else 0
    return 0 if rng.random() < 0.01 else int(value * factor * rng.uniform(0.9, 1.1)) + 1


def one(result, i, rng):
    """Run number i: other settings and other figures."""
    factor = rng.uniform(0.7, 1.4)
    new = dict(result)
    settings = [f"sm.scheduler=scheduler.{SCHEDULERS[i % 4]}", f"gpu.kernels.launch_latency={5000 + i // 64}"]
    new["command"] = ["warpwright", "run", "-c", result["config"][0], "-s", settings[0], "-s", settings[1], result["trace"]]
    new["resolved"] = dict(result["resolved"], **{"gpu.kernels.launch_latency": 5000 + i // 64})
    new["host"] = {"seconds": rng.uniform(0.05, 0.2)}
    parts = []
    for part in [*result["kernels"], result["total"]]:
        part = dict(part, counters={k: drawn(v, factor, rng) for k, v in part["counters"].items()})
        part["cycles"] = int(part["cycles"] * factor) + 1
        parts.append(part)
    new["kernels"], new["total"] = parts[:-1], parts[-1]
    return new


def fill(folder, db):
    rng = random.Random(13)
    results = base(folder)
    seconds = 0
    for first in range(0, RUNS, BATCH):
        files = []
        for i in range(first, first + BATCH):
            files.append(f"{folder}/{i - first}.json")
            with open(files[-1], "w") as f:
                json.dump(one(results[(i // 4) % len(results)], i, rng), f)
        seconds += command("db", "import", db, *files)[2]
    return seconds / RUNS, sum(len(r["kernels"]) for r in results) / len(results)


def timed(what, *words):
    out, wall, processor = min((command(*words) for _ in range(3)), key=lambda r: r[2])
    check(processor < MOST_SECONDS, f"{what}: {processor:.2f} s of processor ({wall:.2f} s)")
    return out


def queried(db, what, sql):
    with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as c:
        seconds = []
        for _ in range(3):
            start = time.process_time()
            rows = c.execute(sql).fetchall()
            seconds.append(time.process_time() - start)
    check(min(seconds) < MOST_SECONDS, f"SQL: {what}: {min(seconds):.2f} s of processor, {len(rows)} rows")
    return rows


def questions(db):
    rows = queried(db, "cycles of all runs", '''SELECT run, cycles, axes->>'$."sm.scheduler"' FROM runs''')
    check(len(rows) == RUNS, "every run is there")
    rows = queried(db, "one statistic of all runs", "SELECT run, value FROM statistics WHERE name = 'dram.frfcfs.n_act'")
    check(len(rows) == RUNS, "every run has the statistic")
    rows = queried(db, "its mean by scheduler", '''SELECT axes->>'$."sm.scheduler"', avg(value) FROM statistics JOIN runs USING (run)'''
                   " WHERE name = 'dram.frfcfs.n_act' GROUP BY 1")
    check(len(rows) == len(SCHEDULERS), "a mean for each scheduler")
    queried(db, "all statistics of a run", "SELECT name, value FROM statistics WHERE run = 5000")
    return rows


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[1] if len(sys.argv) > 1 else scratch
        db = f"{folder}/many.db"
        if not os.path.exists(db):
            each, kernels = fill(scratch, db)
            print(f"import: {each * 1e3:.2f} ms of processor a run, {kernels:.1f} kernels a run")
        size = os.path.getsize(db) / 1e6
        check(size < MOST_MB, f"size: {size:.1f} MB, {size * 1e6 / RUNS:.0f} bytes a run")
        questions(db)
        one_machine = "gpu.kernels.launch_latency=5020"
        if os.environ.get("NO_TABLE") is None:
            timed("table of speed-ups, 16 x 4", "table", db, "--rows", "trace", "--columns", "sm.scheduler", "--over", "gpu.kernels.launch_latency",
                  "--baseline", "sm.scheduler=scheduler.lrr", "--where", "config=qv100", "--mean", "rows")
            timed("table of a statistic", "table", db, "--rows", "trace", "--columns", "sm.scheduler", "--measure", "dram.frfcfs.n_act",
                  "--where", one_machine, "--where", "config=qv100")
            timed("lines over a parameter", "plot", db, "--kind", "lines", "--rows", "gpu.kernels.launch_latency", "--columns", "sm.scheduler",
                  "--over", "trace,config", "-o", f"{scratch}/lines.svg")
            timed("compare of 64 runs with a baseline", "compare", db, "--baseline", "sm.scheduler=scheduler.lrr", "--where", one_machine)
        timed("list of experiments", "db", "list", db)
        out, wall, _ = command("db", "merge", f"{scratch}/other.db", db)
        print(f"merge: {wall:.2f} s")
    sys.exit(1 if failed else 0)


main()
