#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cycles and fingerprints with fingerprints.csv, so that no change of behaviour goes unseen.

Usage: test-golden.py

With WW_GOLDEN_UPDATE=1 the table is rewritten instead; README.md says what else that takes.
"""

import csv
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TABLE = os.path.join(HERE, "fingerprints.csv")
COLUMNS = ["platform", "config", "trace", "cycles", "fingerprint"]


def replay(row, *options):
    """(cycles, fingerprint) as text; exits with the command's message when it fails."""
    call = [COMMAND, "run", "-p", row["platform"], "-c", row["config"], "--report=accelsim", "--progress=none",
            "--fingerprint", *options, os.path.join(ROOT, row["trace"])]
    done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"{' '.join(call)}\n{done.stderr}")
    cycles = re.findall(r"^gpu_tot_sim_cycle = (\d+)", done.stdout, re.M)
    fingerprint = re.findall(r"^fingerprint = ([0-9a-f]+)", done.stdout, re.M)
    return cycles[-1], fingerprint[-1]


def main():
    with open(TABLE, newline="") as f:
        rows = list(csv.DictReader(f))
    moved = 0
    for row in rows:
        was = row["cycles"], row["fingerprint"]
        row["cycles"], row["fingerprint"] = replay(row)
        for way in ["--no-windows"], ["--threads=3", "--threads-from=0"]:
            if replay(row, *way) != (row["cycles"], row["fingerprint"]):
                sys.exit(f"{row['platform']} {row['config']} {row['trace']}: another run with {' '.join(way)}")
        if was != (row["cycles"], row["fingerprint"]):
            moved += 1
            print(f"{row['platform']} {row['config']} {row['trace']}: cycles {row['cycles']} for {was[0]}, "
                  f"fingerprint {row['fingerprint']} for {was[1]}")
    print(f"{len(rows)} runs, {moved} moved")
    if os.environ.get("WW_GOLDEN_UPDATE"):
        with open(TABLE, "w", newline="") as f:
            table = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    elif moved or not rows:
        sys.exit("if that is meant, see tests/system/golden/README.md")


main()
