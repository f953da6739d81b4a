#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generators leave no option out: each that the importer takes is drawn, or stands below with the reason; and what is drawn is taken.

Usage: test-options.py
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import generate
import generate_machine
import generate_options

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")

NOT_DRAWN = {
    "-checkpoint_option": "refused", "-resume_option": "refused", "-gpgpu_max_completed_cta": "the reference survives it in the last kernel of a list alone",
    "-inter_config_file": "a file: generate_network.py writes one",
    **{f"-specialized_unit_{i}": "configurations have at most four" for i in range(5, 9)},
    **{f"-trace_opcode_latency_initiation_spec_op_{i}": "configurations have at most four" for i in range(5, 9)},
}


def known():
    """{option: what becomes of it}, as the command says."""
    listed = subprocess.run([COMMAND, "list", "options"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[0]: line.split(None, 1)[1] for line in listed.splitlines()}


def drawn():
    names = set(generate_options.OPTIONS)
    for seed in range(300):
        rng = generate.random.Random(seed)
        names |= set(generate.options(rng, rng.choice(sorted(generate.CONFIGS)), 2)[0])
        names |= set(generate_machine.case(seed)["options"])
    return names


def main():
    options, names, bad = known(), drawn(), 0
    for name, what in options.items():
        if name not in names and name not in NOT_DRAWN and not what.startswith("("):
            print(f"{name} is drawn by no generator")
            bad += 1
    for name in sorted(names):
        if name not in options or name in NOT_DRAWN:
            print(f"{name} is drawn and " + ("stands among those that are not" if name in NOT_DRAWN else "unknown"))
            bad += 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "override.config")
        for i in range(max(map(len, generate_options.OPTIONS.values()))):  # all first values, all second ones, ...
            with open(path, "w") as f:
                f.writelines(f"{name} {values[i % len(values)]}\n" for name, values in generate_options.OPTIONS.items())
            done = subprocess.run([COMMAND, "inspect", "-c", "qv100", "--gpgpusim", path, "--why", "gpu.clusters"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if path in done.stderr:  # a line of the importer: the machine may say no for itself
                print(done.stderr.strip())
                bad += 1
    print(f"{len(options)} options, {len(names)} drawn, {bad} wrong")
    sys.exit(bad != 0)


main()
