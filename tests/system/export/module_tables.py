# SPDX-License-Identifier: Apache-2.0
"""The tables of cycles in docs/modules.md are what the installed command says with the installed modules, which test-modules.sh has put there.

The first cell of a row says what runs; all columns with WW_TEST_FULL=1, else the fast ones."""

import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.environ["WW_SOURCE_DIR"]
FAST = ("sgemm", "hotspot", "histogram")
SMALL = ["-s", "gpu.carve.adaptive=false", "-s", "sm.l1d.ways=16"]


def options(cell):
    """Of `scheduler.NAME`, or `operands.register_cache`, `coalescer.NAME` or `miss_cache` and its values."""
    name, *values = re.findall("`(.*?)`", cell)
    if name == "miss_cache":
        return ["-m", name, "-p", name + ".plat", *(w for v in values for w in ("-s", "sm.misses." + v))]
    family, kind = name.split(".")
    if family == "operands":
        return ["-m", kind, "-p", kind + ".plat", "-s", "sm.scheduler=scheduler.gto", *(w for v in values for w in ("-s", "sm.collector." + v))]
    if family == "coalescer":
        return ["-m", "strict", "-p", "coalescer.plat", "-s", "sm.coalescer=" + name, *(w for v in values for w in ("-s", "sm.coalesce." + v))]
    if kind == "ccws":
        return ["-m", kind, "-p", kind + ".plat"]
    return [*(("-m", kind) if kind in ("random", "criticality") else ()), "-s", "sm.scheduler=" + name]


def cycles(words, trace):
    done = subprocess.run(["warpwright", "run", "-c", "qv100", "--report=accelsim", "--progress=none", *words, os.path.join(ROOT, f"tests/traces/{trace}-sm70")],
                          capture_output=True, text=True, check=False)
    found = re.findall(r"^gpu_tot_sim_cycle = (\d+)", done.stdout, re.M)
    return f"{int(found[-1]):,}" if found and done.returncode == 0 else done.stderr.strip()


def main():
    with open(os.path.join(ROOT, "docs/modules.md"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    traces, more, asked = [], [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in lines:
            row = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
            if "sgemm" in row:
                traces, more = row[1:], SMALL if "8 KiB" in row[0] else []
            elif traces and row and row[0].startswith("`"):
                asked += [(line, trace, said, pool.submit(cycles, options(row[0]) + more, trace)) for trace, said in zip(traces, row[1:])
                          if trace in FAST or os.environ.get("WW_TEST_FULL")]
            elif not row:
                traces = []
        wrong = [f"docs/modules.md: {line}\n  {trace}: {now.result()}" for line, trace, said, now in asked if now.result() != said]
    print(f"{len(asked)} runs of the tables", *wrong, sep="\n")
    sys.exit(1 if wrong or len(asked) < 54 else 0)


main()
