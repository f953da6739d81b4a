#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--intervals: rows add up to the totals, at their ends they say what a run that stops there says, and nothing else changes by them."""

import csv
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
RUNS = [("vecadd-sm70", "qv100", 397), ("fresh-conc-5eeca1", "qv100", 2000), ("drawn-icache-20002", "qv100", 1000)]
failed = []


def check(good, what):
    if not good:
        print(what, flush=True)
        failed.append(what)


def run(*words, status=0):
    done = subprocess.run([COMMAND, "run", "--progress=none", "--report=none", *words], capture_output=True, text=True, timeout=300)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def read(path):
    with open(path, "rb") as file:
        return file.read()


def value_of(name, of):
    """Of a total with instances."""
    path, _, rest = name.rpartition(":")
    values = of["instances"][path] if path else of["counters"]
    for key in sorted(values, key=len, reverse=True):
        if rest == key:
            return values[key]
        if rest.startswith(key + ".") and not isinstance(values[key], (int, str)):
            entry = rest[len(key) + 1:]
            return values[key][int(entry) if isinstance(values[key], list) else entry]
    raise KeyError(name)


def sums(rows, until=None):
    return [sum(column) for column in zip(*(row[1:] for row in rows if until is None or row[0] <= until))]


def check_rows(result, every, what):
    intervals = result["intervals"]
    ends = [row[0] for row in intervals["rows"]]
    cycles = result["total"]["cycles"]
    check(intervals["every"] == every, what)
    check(ends[:-1] == list(range(every, every * len(ends), every)) and cycles - every <= ends[-1] - every < ends[-1] <= cycles + every,
          f"{what}: rows end at {ends[:3]} ... {ends[-3:]}, the run at {cycles}")
    check(all(0 <= value < 1 << 60 for row in intervals["rows"] for value in row), f"{what}: a counter that falls")
    return intervals


def check_sums(folder, trace, config, every):
    path = os.path.join(folder, "sums.json")
    words = ["-c", config, "-s", "gpu.clusters=4", "--fingerprint", "--stats", "*", "-o", path, os.path.join(TRACES, trace)]
    plain = run(*words).stdout
    before = json.loads(read(path))
    everything = ["--intervals", str(every), "--interval-stats", "*", "--interval-stats", "*:*"]
    check(run(*everything, *words).stdout == plain, f"{trace}: another fingerprint with intervals")
    result = json.loads(read(path))
    intervals = check_rows(result, every, trace)
    check({**result, "intervals": 0, "command": 0} == {**before, "intervals": 0, "command": 0}, f"{trace}: intervals change a result")
    total = result["total"]
    counted = set(result["kernels"][0]["counters"])
    names, compared = intervals["statistics"], 0
    check(len(names) == len(set(names)), "a name is there twice")
    for name, value, last in zip(names, sums(intervals["rows"]), intervals["rows"][-1][1:]):
        path_, _, rest = name.rpartition(":")
        kind = f"{total['instances'][path_]['type']}.{rest}" if path_ else rest
        is_counted = any(kind == key or kind.startswith(key + ".") for key in counted)
        check((value if is_counted else last) == value_of(name, total), f"{trace}: rows of {name} add up to {value}, not {value_of(name, total)}")
        compared += value != 0
    check(compared > 300, f"{trace}: only {compared} statistics that counted anything")
    return intervals, words, everything


def check_prefix(folder, trace, config, every):
    """A run that stops at the end of a row, or anywhere, says what the rows up to there say."""
    intervals, words, everything = check_sums(folder, trace, config, every)
    path = os.path.join(folder, "sums.json")
    names, ends = intervals["statistics"], [row[0] for row in intervals["rows"]]
    for stop in (ends[len(ends) // 2], ends[-2], ends[len(ends) // 3] + every // 3):
        run(*everything, f"--max-cycles={stop}", *words, status=1)
        result = json.loads(read(path))
        part = check_rows(result, every, f"{trace}, stopped")
        same = [row for row in part["rows"] if row[0] % every == 0]
        check(same == intervals["rows"][:len(same)] and part["statistics"] == names, f"{trace}: stopped in {stop}, earlier rows are others")
        for name, value in zip(names, sums(part["rows"])):
            if name in result["kernels"][0]["counters"]:
                check(value == result["total"]["counters"][name], f"{trace}: stopped in {stop}, {name} is {value}")


def check_ways(folder):
    """Threads, windows, sleep and checkpoints; CSV; what is there unless told."""
    trace = os.path.join(TRACES, "fresh-conc-5eeca1")
    saved, paths = os.path.join(folder, "saved"), [os.path.join(folder, f"way{i}") for i in range(5)]
    ways = [[], ["-j", "2", "--threads-from=0"], ["--no-sleep"], ["--no-windows", "--checkpoint", saved, "--checkpoint-at", "11000,11111"],
            ["--restore", saved]]
    for path, way in zip(paths, ways):
        run("-c", "qv100", "--intervals=500", "-o", path + ".json", "-o", path + ".csv", *way, trace)
        for name in (".json", ".csv", ".intervals.csv"):
            check(read(path + name) == read(paths[0] + name), f"{way}: another {name}")
    other = run("-c", "qv100", "--intervals=501", "-o", paths[0] + ".json", "-o", paths[0] + ".csv", "--restore", saved, trace, status=2)
    check("--intervals" in other.stderr, f"other intervals than the checkpoint's: {other.stderr}")
    intervals = json.loads(read(paths[0] + ".json"))["intervals"]
    rows = list(csv.reader(read(paths[0] + ".intervals.csv").decode().splitlines()))
    check(rows[0] == ["cycle", *intervals["statistics"]], "CSV has other columns")
    check([list(map(int, row)) for row in rows[1:]] == intervals["rows"], "CSV has other rows")
    for name in ("warp_pool.warp_insns", "cta_slots.warp_cycles", "warp_scheduler.cause.scoreboard_long", "cache.l2.misses",
                 "cache.l1.outcomes.INST_ACC_R.HIT", "cache.l1.outcomes.CONST_ACC_R.SECTOR_MISS", "gpu.cluster[79].sm[0].pool:warp_insns", "gpu.cluster[0].sm[0].ctas:slot_cycles"):
        check(name in intervals["statistics"], f"{name} is not there unless told")
    run("-c", "qv100", "--intervals=500", "--interval-stats=none", "--interval-stats=*.pool", "--interval-stats=cta_slots.most_resident",
        "-o", paths[0] + ".json", trace)
    names = json.loads(read(paths[0] + ".json"))["intervals"]["statistics"]
    check(names[0] == "cta_slots.most_resident" and len(names) == 1 + 80 * 4, f"chosen alone: {names[:3]}, {len(names)}")


def check_bare(folder):
    """A machine without trace, and one clock: the last row is that of its end."""
    path = os.path.join(folder, "bare.json")
    run("-p", os.path.join(ROOT, "tutorial/06-composite.plat"), "--intervals=11", "-o", path)
    result = json.loads(read(path))
    intervals = result["intervals"]
    check([row[0] for row in intervals["rows"]] == [11, 22], f"{intervals['rows']}")
    at = intervals["statistics"].index("sink.taken")
    check(sums(intervals["rows"])[at] == result["total"]["counters"]["sink.taken"] == 32, f"{intervals}")


def check_files(folder):
    """The second file of a CSV is an output as any other."""
    trace, path = os.path.join(TRACES, "vecadd-sm70"), os.path.join(folder, "x.csv")
    twice = run("-o", path, "-o", os.path.join(folder, "x.intervals.csv"), "--intervals=5", trace, status=2)
    check("would be written twice" in twice.stderr, twice.stderr)
    os.mkdir(os.path.join(folder, "x.intervals.csv"))
    there = run("-o", path, "--intervals=5", trace, status=2)
    check("is a folder" in there.stderr and not os.path.exists(path), there.stderr)


with tempfile.TemporaryDirectory() as here:
    for which in RUNS:
        check_prefix(here, *which)
    check_ways(here)
    check_bare(here)
    check_files(here)
sys.exit(1 if failed else 0)
