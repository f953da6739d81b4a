#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What windows say of the host's time: run --profile-windows, the threads that it had, and bench/threads, which reads both. No time is asserted."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACE = os.path.join(ROOT, "tests/traces/vecadd-sm86")
WHOLE = ("stage", "beside")
TIGHT = ["stage"] * 4  # two of them take turns: nothing runs beside them
SHORT = ["-s", "gpu.cluster[*].request[*].depth=90"]
PARTS = {"before", "begin", "alone", "served", "profile", "end", *WHOLE}


def call(*line):
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "WARPWRIGHT": COMMAND})
    if done.returncode:
        sys.exit(f"{' '.join(line)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def check(good, what):
    if not good:
        sys.exit(what)


def profile(folder, *options):
    """Rows and the host's figures of a run."""
    file, out = f"{folder}/windows.csv", f"{folder}/out.json"
    call(COMMAND, "run", "-c", "rtx3070", "--report=none", "--progress=none", "--host", "-o", out, "--profile-windows", file, *options,
         TRACE)
    with open(file, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(out, encoding="utf-8") as f:
        return rows, json.load(f)["host"]


def check_rows(rows, host, alone):
    """@alone: one thread, so that a stage takes at least what its partitions do."""
    windows = {}
    for r in rows:
        check(list(r) == ["window", "ticks", "stage", "partition", "part", "nanoseconds"], f"columns of {r}")
        check(r["part"] in PARTS and int(r["nanoseconds"]) >= 0, f"row {r}")
        check((r["partition"] != "") == (r["part"] in ("alone", "served")), f"partition of {r}")
        windows.setdefault(int(r["window"]), []).append(r)
    check(sorted(windows) == list(range(len(windows))), "windows with gaps between them")
    ticks = sum(int(r["ticks"]) for r in rows if r["part"] == "end")
    check(ticks == host["window_ticks"], f"{ticks} ticks in windows for {host['window_ticks']}")
    names = call(COMMAND, "inspect", "-c", "rtx3070", "--partitions")
    for w, of in windows.items():
        kinds = [r["part"] for r in of if r["part"] in WHOLE]
        check(kinds in ([], TIGHT, ["stage", "beside", "beside", "beside"]), f"stages of window {w}: {kinds}")
        stages = [int(r["stage"]) for r in of if r["part"] in WHOLE]
        check(stages == list(range(len(stages))), f"stages of window {w}: {stages}")
        for s in stages:
            inside = sum(int(r["nanoseconds"]) for r in of if r["stage"] == str(s) and r["partition"])
            whole = sum(int(r["nanoseconds"]) for r in of if r["stage"] == str(s) and r["part"] in WHOLE)
            check(not alone or inside <= whole, f"window {w}, stage {s}: {inside} ns of {whole}")
    seen = {re.sub(r"\[\d+\]$", "", r["partition"]) for r in rows if r["partition"]}
    check({"replies", "requests"} < seen and all(name in names for name in seen), f"partitions {seen}")


def table(lines, head):
    """The rows below a line that begins with @head, to the next that is empty: what follows name and config."""
    at = next((i for i, line in enumerate(lines) if line.startswith(head)), None)
    check(at is not None, f"no line begins with '{head}'")
    out = []
    for line in lines[at + 1:]:
        if line == "":
            break
        out.append(line)
    return lines[at], out


def check_bench(text):
    lines = text.split("\n")
    _, measured = table(lines, "trace ")
    check(re.fullmatch(r"vecadd-sm86 +rtx3070 +6,948 +\d+\.\d{3}( +\d+\.\d\d){4}", measured[1]), f"measured: {measured}")
    goals = [line for line in lines if line.startswith("goal: ")]
    check(len(goals) == 1 and re.fullmatch(r"goal: 2 threads at least 1\.8 times one: [01] of 1; never below 0\.95: [01] of 1", goals[0]),
          f"goal: {goals}")
    means = [line for line in lines if re.fullmatch(r"1 runs, 2 (threads|processes): geometric mean of medians \d+\.\d\d, of least \d+\.\d\d", line)]
    check(len(means) == 2, f"means: {measured}")
    head, share = table(lines, "share of time")
    columns = "gpu.channel replies gpu.cluster requests tick by tick reading outside"
    check(" ".join(head.split()[5:]) == columns, f"columns: {head}")
    values = [float(v) for v in share[0].split()[2:]]
    check(len(values) == 7 and min(values) >= 0 and abs(sum(values) - 100) < 0.5, f"shares: {share}")
    head, speed = table(lines, "speed on so many cores")
    check(head.split()[-7:] == ["1", "2", "4", "8", "16", "32", "64"], f"cores: {head}")
    for row in speed[:2]:
        speeds = [float(v) for v in row.split()[2:]]
        check(len(speeds) == 7 and speeds[0] == 1 and speeds[1] > 1 and speeds[-1] <= 64, f"speeds: {row}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows, host = profile(folder, "-j", "1")
        check_rows(rows, host, True)
        check(host["threads"] == 1, f"{host['threads']} threads for 1")
        rows, host = profile(folder, "-j", "3")
        check_rows(rows, host, False)
        check(host["threads"] == 3, f"{host['threads']} threads for 3")
        rows, host = profile(folder, "-j", "1", *SHORT)
        check_rows(rows, host, True)
        tight = [r for r in rows if r["part"] == "stage" and r["stage"] == "3"]
        check(tight, "no window in which two stages take turns")
        rows, host = profile(folder, "-j", "3", "--no-windows")
        check(not rows and host["threads"] == 1, f"{len(rows)} rows and {host['threads']} threads without windows")
    check_bench(call(os.path.join(ROOT, "bench/threads"), "--runs", "1", "--threads", "2", "--least", "0", "vecadd-sm86"))


main()
