#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SIGUSR1: where a run stands and its statistics so far, on stderr, at any moment; results, report and fingerprint stay as they are."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
failed = []


def check(good, what):
    if not good:
        print(what, flush=True)
        failed.append(what)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def started(pid):
    """It knows the signal."""
    mask = re.search(rb"SigCgt:\s*(\w+)", read(f"/proc/{pid}/status"))
    return mask is not None and int(mask[1], 16) >> (signal.SIGUSR1 - 1) & 1 != 0


def run(path, ask, *words):
    said = path + ".said"
    with open(said, "wb") as err:
        process = subprocess.Popen([COMMAND, "run", "--progress=none", "--fingerprint", "--stats", "*.pool", "-o", path, *words],
                                   stdout=subprocess.PIPE, stderr=err)
        while ask and process.poll() is None:
            if started(process.pid):
                process.send_signal(signal.SIGUSR1)
            time.sleep(0.03)
        out, _ = process.communicate(timeout=600)
    err = read(said).decode()
    check(process.returncode == 0, f"{words}: status {process.returncode}: {err}")
    return out, err


def check_run(folder, trace, *words):
    path = os.path.join(folder, "out.json")
    trace = os.path.join(TRACES, trace)
    out, _ = run(path, False, *words, trace)
    expected = read(path)
    asked, err = run(path, True, *words, trace)
    check(asked == out and read(path) == expected, f"{trace}: the answers change the run")
    if "nothing is being simulated now" in err and "cycle" not in err:
        return 0  # too fast
    lines = re.findall(r"^warpwright: kernel (\d+) of (\d+).*, cycle ([\d,]+)(?:, IPC [\d.]+)?.*, [\d.]+ s$", err, re.M)
    check(len(lines) == err.count(" (so far)\n"), f"{trace}: {len(lines)} lines, other numbers of reports: {err[:2000]}")
    totals = [int(n.replace(",", "")) for n in re.findall(r"^ +total +([\d,]+)", err, re.M)]
    cycles = [int(line[2].replace(",", "")) for line in lines]
    check(totals == cycles == sorted(cycles), f"{trace}: reports of cycles {totals}, lines of {cycles}")
    return len(set(cycles))


with tempfile.TemporaryDirectory() as here:
    answers = check_run(here, "sgemm-sm70", "-c", "qv100", "--no-sleep")
    answers += check_run(here, "bfs-sm70", "-c", "qv100", "-j", "2", "--threads-from=0")
    check(answers >= 5, f"{answers} answers prove little")
sys.exit(1 if failed else 0)
