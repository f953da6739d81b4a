#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The machine with every quirk off runs whatever qv100 runs, to the end, and asleep exactly as awake.

Usage: test-sensible.py [FOLDER]... - folders of traces; without one those of tests/system/parity and samples. Without WW_TEST_FULL=1
every eighth of them. A trace that qv100 refuses is left out. Runs of more than 20,000 cycles are not made awake.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
AWAKE_CYCLES = 20_000


def run(trace, config, *options):
    """(cycles, what must be the same), or (None, what it complains of)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run([COMMAND, "run", "-c", config, "--report=none", "--progress=none", "--fingerprint", "-o", out.name,
                               *options, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
        if done.returncode != 0:
            return None, done.stderr.strip()
        result = json.load(open(out.name, encoding="utf-8"))
    mark = [line for line in (done.stdout + done.stderr).split("\n") if line.startswith("fingerprint")]
    return sum(k["cycles"] for k in result["kernels"]), (mark, result["kernels"], result["total"])


def check(trace):
    cycles, said = run(trace, "qv100_sensible")
    if cycles is None:
        return None if run(trace, "qv100")[0] is None else f"{trace}: {said}"
    if cycles <= AWAKE_CYCLES and run(trace, "qv100_sensible", "--no-sleep") != (cycles, said):
        return f"{trace}: --no-sleep gives something else"
    return "" if cycles > 0 else f"{trace}: no cycles"


def main():
    folders = sys.argv[1:] or [os.path.join(ROOT, f) for f in ("tests/traces", "samples")]
    traces = sorted(os.path.join(f, t) for f in folders for t in os.listdir(f) if os.path.isdir(os.path.join(f, t)))
    if not sys.argv[1:] and not os.environ.get("WW_TEST_FULL"):
        traces = traces[::8]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, traces))
    wrong = [r for r in results if r]
    print("\n".join(wrong))
    print(f"{len(traces)} traces, {results.count(None)} that qv100 refuses, {len(wrong)} wrong")
    return len(wrong) != 0 or results.count("") == 0


sys.exit(main())
