#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps a run of a generated program: its traces, and a row of reference.jsonl with what the reference printed.

Usage: keep.py FOLDER NAME CONFIG REPORT

FOLDER is what a generator wrote, NAME the trace folder to make beside the others, CONFIG the configuration that the generator
printed, REPORT the reference's output for that folder and its override.config. A run that is kept already is replaced.
"""

import json
import lzma
import os
import sys

sys.dont_write_bytecode = True
import counters

HOST = "_sim_rate"  # what the host's speed decides
HERE = os.path.dirname(os.path.abspath(__file__))


def row(folder, name, config, report):
    with open(os.path.join(folder, "override.config")) as f:
        options = " ".join("=".join(line.split(None, 1)) for line in f.read().splitlines())
    with open(report, errors="replace") as f:
        kernels = counters.kernels(f.read())
    for k in kernels:
        k["counters"] = {n: v for n, v in k["counters"].items() if v not in (0, [], [0]) and not n.endswith(HOST)}
    return {"trace": name, "config": config, "options": options, "kernels": kernels}


def copy_traces(folder, name):
    target = os.path.join(HERE, "../../traces", name)
    os.makedirs(target, exist_ok=True)
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), "rb") as f:
            text = f.read()
        if file.endswith(".traceg"):
            with lzma.open(os.path.join(target, file + ".xz"), "wb", preset=9) as f:
                f.write(text)
        elif file == "kernelslist.g":
            with open(os.path.join(target, file), "wb") as f:
                f.write(text.replace(b".traceg\n", b".traceg.xz\n"))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("\n\n")[1])
    folder, name, config, report = sys.argv[1:]
    entry = row(folder, name, config, report)
    if not entry["kernels"]:
        sys.exit(f"{report}: no kernel has ended in it")
    path = os.path.join(HERE, "reference.jsonl")
    with open(path) as f:
        kept = [line for line in f if json.loads(line)["trace"] != name]
    copy_traces(folder, name)
    with open(path, "w") as f:
        f.writelines(kept + [json.dumps(entry, separators=(",", ":")) + "\n"])


if __name__ == "__main__":
    main()
