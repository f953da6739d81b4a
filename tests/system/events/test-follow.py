#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An event log follows instructions and memory requests from end to end, and has as many events as the statistics say."""
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

WARPWRIGHT, TOP = os.environ["WARPWRIGHT"], os.environ["WW_SOURCE_DIR"]
WORDS = [os.path.join(TOP, "tests/traces/vecadd-sm70"), "--report=none"]
wrong = []

# Stations of a load that the DRAM serves, by kind and what its path ends with, in their order: what an access leads to is said before its result.
STATIONS = [("request", "ldst"), ("miss", "l1d"), ("access", "l1d"), ("send", "l1d"), ("cross", ""), ("arrive", ""), ("miss", ""), ("access", ""),
            ("send", ""), ("queue", ""), ("column", ""), ("return", ""), ("fill", ""), ("reply", ""), ("cross", ""), ("receive", ""),
            ("response", ""), ("response", "ldst"), ("fill", "l1d"), ("done", "ldst")]
INST = ["decode", "issue", "collect", "dispatch", "exec", "writeback"]


def say(text):
    wrong.append(text)
    print(text)


def run(folder, config, *words):
    log, out = os.path.join(folder, "log"), os.path.join(folder, "out.json")
    subprocess.run([WARPWRIGHT, "run", "-c", config, *words, *WORDS, "--events", log, "-o", out], check=True, stderr=subprocess.DEVNULL)
    with open(log, encoding="utf-8") as file:
        text = file.read()
    with open(out, encoding="utf-8") as file:
        return text, json.load(file)["total"]["counters"]


def events(text):
    for line in text.splitlines():
        cycle, kind, path, unit, rest = line.split("\t")
        yield int(cycle), kind, path, int(unit), dict(w.split("=", 1) for w in rest.split(" ") if "=" in w)


INSIDE = re.compile(r".*\.sm\[\d+\]\.")
number = {}  # of an SM, by what paths inside it begin with


def sm_of(path, fields):
    inside = INSIDE.match(path)
    if inside is None:
        return fields.get("sm")
    if "sm" in fields:
        number.setdefault(inside.group(0), fields["sm"])
    return number.get(inside.group(0), inside.group(0))


def in_order(kinds, wanted):
    at = iter(kinds)
    return all(any(k == kind and p.rsplit(".", 1)[-1].startswith(end) for k, p in at) for kind, end in wanted)


def check_kept(folder, config, kinds):
    """Lines are kept and told later, but those at whose cycle a filter looks: these are text at once."""
    told, _ = run(folder, config, "--events-filter=kind=" + kinds)
    at_once, _ = run(folder, config, "--events-filter=to=1000000000000,kind=" + kinds)
    for n, (a, b) in enumerate(itertools.zip_longest(told.splitlines(), at_once.splitlines())):
        if a != b:
            say(f"{config}: line {n + 1} is {a!r}, at once {b!r}")
            break


def check_counts(log, counters):
    kinds = collections.Counter()
    caches = collections.Counter()
    for _, kind, path, _, fields in log:
        kinds[kind] += 1
        if kind == "access":
            caches["l1" if "sm[" in path else "l2", fields["result"] == "refused"] += 1
    issued = sum(counters.get(f"{who}.{what}", 0) * n for who in ("warp_scheduler", "issue_stage") for what, n in (("single_issue", 1), ("dual_issue", 2)))
    for name, is_, said in [("issue", kinds["issue"], issued),
                            ("decode", kinds["decode"], counters["decoder.decoded"]),
                            ("cross", kinds["cross"], sum_of(counters["xbar.local.packets"])),
                            ("arrive", kinds["arrive"], counters["l2_slice.accepted"]),
                            ("reply", kinds["reply"], counters["l2_slice.replies"]),
                            ("queue", kinds["queue"], counters.get("dram.frfcfs.n_req", kinds["queue"])),
                            ("access of the L1D", caches["l1", False], counters["cache.l1.accesses"]),
                            ("access of the L1D, refused", caches["l1", True], counters.get("cache.l1.reservation_fails", 0)),
                            ("access of the L2", caches["l2", False], counters["cache.l2.accesses"]),
                            ("access of the L2, refused", caches["l2", True], counters.get("cache.l2.reservation_fails", 0))]:
        if is_ != said or is_ == 0 and "refused" not in name:
            say(f"{is_} events {name}, and the statistics say {said}")


def sum_of(value):
    return sum(value.values()) if isinstance(value, dict) else sum(value) if isinstance(value, list) else value


def check_requests(log):
    """Every request has one end, says the same instruction everywhere, and goes through its stations in order."""
    seen, uids, insts = {}, {}, {}
    log = list(log)
    for _, _, path, _, fields in log:  # who is who
        sm_of(path, fields)
    for _, kind, path, _, fields in log:
        if "uid" in fields:
            insts.setdefault((sm_of(path, fields), fields["uid"]), []).append(kind)
        if "req" not in fields:
            continue
        key = fields.get("sm"), fields["req"]
        seen.setdefault(key, []).append((kind, path))
        if uids.setdefault(key, fields.get("uid")) != fields.get("uid"):
            say(f"request {key} is of instruction {uids[key]} and of {fields.get('uid')}")
    whole = 0
    for key, kinds in seen.items():
        names = [k for k, _ in kinds]
        if key[1].isdigit() and (names.count("request") != 1 or names.count("done") != 1):
            say(f"request {key}: {names}")
        if key[1].isdigit() and names[-1] != "done":
            say(f"request {key} goes on after its end: {names}")
        if "column" in names and key[1].isdigit():
            whole += in_order(kinds, STATIONS)
            if "fill" in names and not in_order(kinds, STATIONS):
                say(f"request {key} leaves its way: {kinds}")
        left, back = names.count("cross"), names.count("reply")
        if key[1].isdigit() and left != 2 * back:
            say(f"request {key} crosses the network {left} times and has {back} replies")
    loads = sum("request" in k and "writeback" in k and in_order([(x, "") for x in k], [(x, "") for x in INST + ["writeback"][1:]])
                for k in insts.values())
    if whole < 100 or loads < 100:
        say(f"only {whole} loads through all stations, {loads} followed to their write-back")


def check_window(folder):
    """from= and to= are core cycles, also of what has another clock; and the same however the machine is run."""
    first, last, hz = 5300, 5700, {"dram": Fraction(11320, 35005)}  # of rtx3070: core and DRAM, MHz
    text, _ = run(folder, "rtx3070", "--events-filter=kind=-put,-take")
    window = f"--events-filter=from={first},to={last},kind=-put,-take"
    ways = [run(folder, "rtx3070", window, *w)[0] for w in ([], ["--no-sleep"], ["--no-windows"], ["-j", "3", "--threads-from=0"])]
    if any(w != ways[0] for w in ways):
        say("a window of cycles has other events without sleep, without windows or on three threads")
    some, n = set(ways[0].splitlines()), 0
    for line, (cycle, _, path, _, _) in zip(text.splitlines(), events(text)):
        core = int(cycle * hz["dram"]) if path.endswith(".dram") else cycle if ".sm[" in path else None
        edge = path.endswith(".dram") and core in (first - 1, first, last, last + 1)  # whose edges are together is the clock's
        n += path.endswith(".dram") and line in some
        if core is not None and not edge and (line in some) != (first <= core <= last):
            say(f"a window of core cycles {first} to {last} {'has' if line in some else 'lacks'}: {line}")
            break
    if n < 50:
        say(f"a window of core cycles has {n} events of the DRAM")


with tempfile.TemporaryDirectory(prefix="warpwright-events-") as folder:
    text, counters = run(folder, "qv100", "--events-filter=kind=-put,-take")
    check_counts(events(text), counters)
    check_requests(events(text))
    ways = [run(folder, "qv100", "--events-filter=kind=-put,-take", *w)[0] for w in (["--no-sleep"], ["--no-windows"], ["-j", "3"])]
    if any(w != text for w in ways):
        say("another log without sleep, without windows or on three threads")
    one, _ = run(folder, "qv100", "--events-filter=sm=1,uid=30,kind=-put,-take")
    mine = [line for line, (_, _, path, _, f) in zip(text.splitlines(), events(text)) if f.get("uid") == "30" and sm_of(path, f) == "1"]
    if one.splitlines() != mine or len(mine) < 5:
        say(f"a filter by instruction has {len(one.splitlines())} lines, and the log {len(mine)}")
    check_window(folder)
    for config, kinds in (("qv100", "-interval"), ("rtx2080ti_modern", "-put,-take")):
        check_kept(folder, config, kinds)
print("events: followed" if not wrong else f"events: {len(wrong)} wrong")
sys.exit(1 if wrong else 0)
