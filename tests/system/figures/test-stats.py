#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--stats: components by path add up to the sums, kernel by kernel, whatever ends, threads or restores the run; others' types stay apart."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
SEVERAL = "fresh-conc-5eeca1"  # two kernels
failed = []


def check(good, what):
    if not good:
        print(what, flush=True)
        failed.append(what)


def run(*words, status=0):
    done = subprocess.run([COMMAND, "run", "--progress=none", *words], capture_output=True, text=True, errors="replace", timeout=300)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def read(path):
    with open(path, "rb") as file:
        return file.read()


def added(instances, maxima):
    """Sums over types, as `counters` has them."""
    sums = {}
    for of in instances.values():
        for name, value in of.items():
            if name == "type":
                continue
            name = f"{of['type']}.{name}"
            pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [("", value)]
            for label, v in pairs:
                old = sums.setdefault(name, {}).get(label, 0)
                sums[name][label] = max(old, v) if name in maxima else old + v
    return {name: value.get("", value if any(isinstance(k, str) for k in value) else list(value.values())) for name, value in sums.items()}


def check_sums(result):
    """Everything by path, added up, is what the sums say."""
    total = result["total"]["counters"]
    maxima = set(total) - set(result["kernels"][0]["counters"])
    check(bool(maxima), "no maxima at all")
    check(added(result["total"]["instances"], maxima) == total, "the total's components do not add up to its sums")
    for kernel in result["kernels"]:
        check(added(kernel["instances"], ()) == kernel["counters"], f"components of kernel {kernel['uid']} do not add up to its sums")


def check_everything(folder):
    path = os.path.join(folder, "all.json")
    run("-c", "qv100", "--report=none", "-o", path, "--stats", "*", os.path.join(TRACES, SEVERAL))
    result = json.loads(read(path))
    check(len(result["kernels"]) > 1, "one kernel proves little")
    check_sums(result)
    run("-c", "qv100", "--report=none", "-o", path, "--stats", "*", "--max-cycles=11000", os.path.join(TRACES, SEVERAL), status=1)
    result = json.loads(read(path))
    check(result["partial"], "a run that was stopped is not partial")
    check_sums(result)


def check_choice(folder):
    """What is chosen is there once, in order of creation; entries of vectors alone, too; CSV says the same."""
    words = ["--stats", "*.sm[0].issue[1]:cause.*long", "--stats", "gpu.cluster[1].sm[0].*", "--stats", "gpu.cluster[1].*.pool:warp_insns"]
    files = [os.path.join(folder, name) for name in ("chosen.json", "chosen.csv")]
    run("-c", "qv100", "--report=none", "-s", "gpu.clusters=3", "-o", files[0], "-o", files[1], *words, os.path.join(TRACES, "vecadd-sm70"))
    result = json.loads(read(files[0]))
    check(result["command"][-7:-1] == words, f"the command is {result['command']}")
    of = result["kernels"][0]["instances"]
    check(list(of) == list(result["total"]["instances"]), "kernel and total have other components")
    check(of["gpu.cluster[0].sm[0].issue[1]"].keys() == {"type", "cause"}, f"of cluster 0: {of['gpu.cluster[0].sm[0].issue[1]']}")
    check(list(of["gpu.cluster[0].sm[0].issue[1]"]["cause"]) == ["scoreboard_long"], "an entry alone is not alone")
    check(len(of["gpu.cluster[1].sm[0].issue[1]"]["cause"]) > 10 and of["gpu.cluster[1].sm[0].pool"]["launched"] > 0, "cluster 1 has not all")
    rows = list(csv.DictReader(read(files[1]).decode().splitlines()))
    check(len(rows) == len(result["kernels"]), "not a row a kernel")
    names = [name for name in rows[0] if ":" in name]
    check(len(names) == len(set(names)), "a column is there twice")
    values = {}
    for path, stats in of.items():
        for name, value in stats.items():
            if isinstance(value, dict):
                values.update({f"{path}:{name}.{label}": v for label, v in value.items()})
            elif isinstance(value, list):
                values.update({f"{path}:{name}.{i}": v for i, v in enumerate(value)})
            elif name != "type":
                values[f"{path}:{name}"] = value
    check({name: int(rows[0][name]) for name in names} == values, "CSV and JSON differ")


def check_ways(folder):
    """Threads, windows and checkpoints change nothing; what was chosen must be the same to go on."""
    paths = [os.path.join(folder, f"way{i}.json") for i in range(4)]
    saved = os.path.join(folder, "saved")
    words = ["-c", "qv100", "--report=none", "--fingerprint", "--stats", "*.pool", os.path.join(TRACES, SEVERAL)]
    run("-o", paths[0], *words)
    run("-o", paths[1], "-j", "2", "--threads-from=0", *words)
    run("-o", paths[2], "--checkpoint", saved, "--checkpoint-at", "11000", *words)
    run("-o", paths[3], "--restore", saved, "--no-windows", *words)
    for path in paths[1:]:
        check(read(path) == read(paths[0]), f"{path} differs")
    without = run(*words[:-3], words[-1], "-o", paths[3], "--restore", saved, status=2)
    check("--stats" in without.stderr, f"other statistics than the checkpoint's: {without.stderr}")
    plain = json.loads(read(paths[0]))
    run("-o", paths[1], *words[:-3], words[-1])
    for part in (*plain["kernels"], plain["total"]):
        del part["instances"]
    bare = json.loads(read(paths[1]))
    check({**plain, "command": 0} == {**bare, "command": 0}, "--stats changes something else")


def check_types(folder):
    """Elements of one array that are of different types stay apart: in the sums, by path, in the report."""
    path = os.path.join(folder, "types.json")
    plat = os.path.join(ROOT, "tutorial/06-composite.plat")
    report = run("-p", plat, "-s", "lane[1].part=probe", "-o", path, "--stats", "lane[*].link[*]").stdout
    lines = dict(re.findall(r"^    (\S+) +(\d+)", report, re.M))
    check(lines.get("lane[*].link[*](delay).passed") == "96" and lines.get("lane[*].link[*](probe).passed") == "24", report)
    result = json.loads(read(path))
    of = result["total"]["instances"]
    check({of[name]["type"] for name in of if "lane[1]" in name} == {"probe"}, "lane 1 is no probe")
    check({of[name]["type"] for name in of if "lane[1]" not in name} == {"delay"}, "another lane is no delay")
    total = result["total"]["counters"]
    check((total["delay.passed"], total["probe.passed"]) == (96, 24), f"{total}")


def check_bytes(folder):
    """A pattern that is no text."""
    path = os.path.join(folder, "none.json")
    refused = run("-o", path, "--stats", b"\xff*", os.path.join(TRACES, "vecadd-sm70"), status=2)
    check("is no valid UTF-8; expected a pattern" in refused.stderr and not os.path.exists(path), refused.stderr)


with tempfile.TemporaryDirectory() as here:
    check_everything(here)
    check_choice(here)
    check_ways(here)
    check_types(here)
    check_bytes(here)
sys.exit(1 if failed else 0)
