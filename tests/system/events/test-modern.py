#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The event log of a machine with modern SMs has as many events of each part as the statistics of that part say."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

WARPWRIGHT, TOP = os.environ["WARPWRIGHT"], os.environ["WW_SOURCE_DIR"]
TRACE = os.path.join(TOP, "tests/traces/modern-gemm")

# Events by the last word of the path and the kind, or 'kind=result' of those that tell one; then the statistics whose sum they are.
SAID = """
fetch    fetch            fetch.modern.fetched
fetch    request=sent     fetch.modern.requests
fetch    vacate           fetch.modern.retired
l0i      access           icache.l0.accesses icache.l0.refused
l0i      access=hit       icache.l0.hits
l0i      access=miss      icache.l0.misses
l0i      access=stream    icache.l0.stream_hits
l0i      done             icache.l0.misses icache.l0.stream_hits icache.l0.repeated
link     enter            link.l0_l1.requested
link     reply            link.l0_l1.replies
link     response         link.l0_l1.replies
stream   prefetch         stream_buffer.prefetches
stream   stream           stream_buffer.streams
buffers  decode           ibuffer.decoded
buffers  wrong            ibuffer.wrong
issue    issue            issue_stage.single_issue
control  control          control_stage.instructions
read     allocate         operand_read.instructions
read     read             operand_read.instructions
writeback retire          writeback.modern.instructions
ldst     exec             ldst.shared.instructions
ldst     request          ldst.shared.accesses.l1d
ldst     response         ldst.shared.accesses.l1d
ldst     done             ldst.shared.accesses.l1d
barriers barrier          barrier_unit.releases
carve    carve            l1_carve.n_carved
"""
MAY_BE_NONE = {"icache.l0.refused", "icache.l0.repeated"}


def run(folder):
    log, out = os.path.join(folder, "log"), os.path.join(folder, "out.json")
    subprocess.run([WARPWRIGHT, "run", "-c", "rtx3080_modern", TRACE, "--report=none", "--progress=none", "--stats", "*", "-o", out,
                    "--events", log, "--events-filter=kind=-put,-take"], check=True)
    kinds = collections.Counter()
    with open(log, encoding="utf-8") as file:
        for line in file:
            _, kind, path, _, text = line.rstrip("\n").split("\t")
            part = re.sub(r"\[\d+\]$", "", path.rsplit(".", 1)[-1])
            result = re.search(r"(?:^| )result=(\w+)", text)
            kinds[part, kind] += 1
            if result:
                kinds[part, f"{kind}={result.group(1)}"] += 1
    with open(out, encoding="utf-8") as file:
        return kinds, json.load(file)["total"]["counters"]


def sum_of(value):
    return sum(value.values()) if isinstance(value, dict) else sum(value) if isinstance(value, list) else value


def statistic(counters, name):
    """A counter, the sum of a list of them, or one element of a list, by its name."""
    if name in counters:
        return sum_of(counters[name])
    table, element = name.rsplit(".", 1)
    return counters[table][element]


def main():
    with tempfile.TemporaryDirectory(prefix="warpwright-events-") as folder:
        kinds, counters = run(folder)
    wrong = 0
    for part, kind, *names in map(str.split, SAID.split("\n")[1:-1]):
        values = [statistic(counters, n) for n in names]
        if kinds[part, kind] != sum(values) or any(v == 0 and n not in MAY_BE_NONE for v, n in zip(values, names)):
            print(f"{kinds[part, kind]} events '{kind}' of {part}, and the statistics say {dict(zip(names, values))}")
            wrong += 1
    print("events: as many as the statistics say" if not wrong else f"events: {wrong} wrong")
    sys.exit(wrong != 0)


main()
