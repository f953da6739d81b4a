#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The summary's times are those of the SMs cycle by cycle; what bounds a run follows from the documented rule; lines fit a terminal, and a pipe cuts none."""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from terminal import run_on_terminal
failed = []


def check(good, what):
    if not good:
        print(what, flush=True)
        failed.append(what)


def run(*words):
    done = subprocess.run([COMMAND, "run", "--progress=none", *words], capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout


def number(report, text):
    found = re.search(rf"^ +{re.escape(text)} +([\d,]+)", report, re.M)
    return int(found[1].replace(",", "")) if found else None


def check_times(folder, trace, *words):
    """Every cycle of every SM, by rows of one cycle: did it hold a CTA?"""
    path = os.path.join(folder, "times.json")
    report = run("-c", "qv100", *words, "-o", path, "--intervals=1", "--interval-stats=none", "--interval-stats=*.ctas:slot_cycles",
                 os.path.join(TRACES, trace))
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    rows = result["intervals"]["rows"]
    total = {"sms": set(), "launch_cycles": 0, "tail_cycles": 0}
    begin = 0
    for kernel in result["kernels"]:
        end = kernel["end_cycle"]
        held = [{sm for sm, slots in enumerate(row[1:]) if slots} for row in rows if begin < row[0] <= end]
        sms = set().union(*held)
        last = {sm: max(cycle for cycle, holds in enumerate(held) if sm in holds) for sm in sms}
        still = [sum(1 for sm in sms if last[sm] >= cycle) for cycle in range(len(held))]
        expected = {"sms": len(sms), "launch_cycles": sum(1 for holds in held if not holds),
                    "tail_cycles": sum(1 for n in still if 0 < n and 2 * n < len(sms))}
        got = {name: kernel[name] for name in expected}
        check(got == expected, f"{trace} {words}, kernel {kernel['uid']}: {got}, by cycles {expected}")
        total["sms"] |= sms
        total["launch_cycles"] += expected["launch_cycles"]
        total["tail_cycles"] += expected["tail_cycles"]
        begin = end
    parts = (number(report, "launch: no CTA on any SM"), number(report, "work"), number(report, "tail: most SMs have no more work"))
    check(parts[0] == total["launch_cycles"] == result["total"]["launch_cycles"] and parts[2] == total["tail_cycles"], f"{trace}: {parts}, {total}")
    check(sum(parts) == result["total"]["cycles"], f"{trace}: {parts} are not {result['total']['cycles']} cycles")
    idle = re.search(r"SMs that never had work +(\d+) of (\d+)", report)
    idle = int(idle[1]) if idle else 0
    check(idle == len(rows[0]) - 1 - len(total["sms"]) and result["total"]["sms"] == len(total["sms"]), f"{trace}: {idle} SMs without work")
    check(f"bound by {result['total']['bound_by']}" in report, f"{trace}: {result['total']['bound_by']}")
    return parts, idle


def bound(*words):
    return re.search(r"^bound by (.*)", run(*words), re.M)[1]


def check_bounds():
    """The same program, bound by other things as the machine changes."""
    copy = ["-c", "qv100", os.path.join(TRACES, "vecadd-sm70")]
    check(bound(*copy).startswith("launch latency (80"), bound(*copy))
    none = ["-s", "gpu.kernels.launch_latency=0"]
    check(bound(*none, *copy).startswith("memory latency (memory "), bound(*none, *copy))
    few = [*none, "-s", "gpu.channels=8"]
    check("memory latency" not in bound(*few, *copy) and "bandwidth" in bound(*few, *copy), bound(*few, *copy))
    one = bound(*none, "-c", "qv100", os.path.join(TRACES, "chase-sm70"), "--kernels=1", "--max-ctas=1")
    check(one.startswith("too few warps (75.0 % of the issue slots; where there are warps, memory latency)"), one)


ONE_AT_A_TIME = {"global and local loads": "n_load_insn", "global and local stores": "n_store_insn", "shared memory accesses": "n_shmem_insn",
                 "LD/ST unit held back an instruction": "n_stall_shd_mem", "of these, shared memory conflicts": "n_shmem_bkconflict"}
SHARED = {"memory instructions": "lanes", "accesses by their address units": "accesses", "shared memory conflicts": "bank_conflicts"}
LDST = {"ldst_unit": ONE_AT_A_TIME, "ldst_unit.linked": ONE_AT_A_TIME, "ldst.shared": SHARED}


def check_memory(folder):
    """What the LD/ST unit counted is told, whichever unit it is."""
    path = os.path.join(folder, "memory.json")
    for words, type_name in (["-c", "rtx3070"], "ldst_unit"), (["-c", "rtx3070", "-p", "ldst_shared"], "ldst.shared"), \
            (["-c", "rtx3080_modern"], "ldst.shared"), (["-c", "rtx3080_modern", "-p", "modern_ldst_unit"], "ldst_unit.linked"):
        report = run(*words, "-o", path, os.path.join(TRACES, "transpose-sm86"), "--max-ctas=16")
        with open(path, encoding="utf-8") as file:
            counters = json.load(file)["total"]["counters"]
        for text in ONE_AT_A_TIME | SHARED:
            stat = LDST[type_name].get(text)
            told = counters[f"{type_name}.{stat}"] if stat else None
            told = sum(told.values()) if isinstance(told, dict) else told
            check(number(report, text) == (told or None), f"{words}: '{text}' is {number(report, text)}, not {told}")
        caches = {"first-level data cache accesses": "", "instruction cache accesses": "INST_ACC_R", "constant cache accesses": "CONST_ACC_R"}
        for text, asked in caches.items():  # those of instructions and constants are none of data
            outcomes = {label.split(".")[1]: 0 for label in counters["cache.l1.outcomes"]}
            for label, n in counters["cache.l1.outcomes"].items():
                access, outcome = label.split(".")
                outcomes[outcome] += n if (access if access in caches.values() else "") == asked else 0
            misses = outcomes["MISS"] + outcomes["SECTOR_MISS"]
            all_of_them = misses + outcomes["HIT"] + outcomes["HIT_RESERVED"]
            check(number(report, text) == (all_of_them or None), f"{words}: '{text}' is {number(report, text)}, not {all_of_them}")
            check(not misses or re.search(rf"{text} .*\n    of these, misses +{misses:,} ", report), f"{words}: misses of '{text}' are not {misses:,}: {report}")
        if "rtx3080_modern" in words:
            check(number(report, "instruction cache accesses"), f"{words}: instructions of no cache")
        first = "memory instructions" if LDST[type_name] is SHARED else "global and local loads"
        check(number(report, first), f"{words}: no '{first}'")


def on_terminal(columns, *words):
    """What the command shows on a terminal of so many columns; 0: one that does not say."""
    status, text = run_on_terminal([COMMAND, "run", "--progress=none", *words], columns, env={**os.environ, "COLUMNS": "50"})
    check(status == 0, f"on {columns} columns: status {status}")
    return [re.sub(r"\x1b\[[\d;]*[mK]", "", line) for line in text.splitlines()]


def check_columns(folder):
    """A kernel with a long name."""
    name = "_ZN7cutlass6KernelI" + 90 * "x" + "Ev"
    source = os.path.join(ROOT, "samples/vecadd")
    words = ["-c", "rtx3070"]
    for file in os.listdir(source):
        with open(os.path.join(source, file), "rb") as old:
            data = old.read()
        if file.endswith(".xz"):
            import lzma  # pylint: disable=import-outside-toplevel
            file, data = file[:-3], lzma.decompress(data)
        with open(os.path.join(folder, file), "wb") as new:
            new.write(data.replace(b"kernel name = vecadd", b"kernel name = " + name.encode()).replace(b".traceg.xz", b".traceg"))
    piped = run(*words, folder)
    check(name in piped, f"a pipe cuts: {piped[:500]}")
    check("long_scoreboard" in piped and "####" in piped, piped)
    for columns in (40, 63, 80, 120, 200, 0):
        lines = on_terminal(columns, *words, folder)[1:]  # the first is the command's files
        longest = max(map(len, lines))
        check(longest <= (columns or 50), f"{longest} columns on a terminal of {columns}: {max(lines, key=len)}")
        check(any("data from" in line and "67.3 %" in line for line in lines), f"on {columns} columns: {lines}")
        check(any(name in line for line in lines) == (columns == 200), f"the name, on {columns} columns")
        check(any("long_scoreboard" in line for line in lines) == (columns >= 120), f"Nsight's name, on {columns} columns")


with tempfile.TemporaryDirectory() as here:
    parts, idle = check_times(here, "vecadd-sm70", "-s", "gpu.clusters=6")
    check(parts[0] == 5001 and parts[2] > 0 and idle == 0, f"{parts}, {idle}")
    parts, idle = check_times(here, "fresh-conc-5eeca1")
    check(idle > 0, f"{idle}")
    check_times(here, "fresh-conc-0835b7", "-s", "gpu.clusters=8")
    check_bounds()
    check_memory(here)
    check_columns(here)
sys.exit(1 if failed else 0)
