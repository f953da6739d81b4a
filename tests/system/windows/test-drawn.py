#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on random machines: the same bytes with any number of threads, with windows and without.

Usage: test-drawn.py [SEED [COUNT]]

Programs and options are those of the generators of tests/system/parity (README.md there), seeds SEED, SEED + 1, ...; one of ten is a program for
modern SMs (tests/system/modern_machines/generate.py), and two ask for more than their memory gives (full.py). 16 of them, 1,000 with WW_TEST_FULL. Report, fingerprint and results are compared with those of one thread, with two threads, and with one to seven of them that share
out every window, however little there is in it; their number is drawn. With as many as pay, and tick by tick. Those for modern SMs also with an event log:
whoever writes one of each refusal does not count them in one go. Those that ask for much also from a checkpoint.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
sys.path.insert(0, os.path.join(ROOT, "tests/system/parity"))

import full  # noqa: E402
import generate  # noqa: E402
import generate_machine  # noqa: E402
import generate_memory  # noqa: E402

KINDS = ["any", "any", "any", "plain", "icache", "memory", "straight", "modern", "full", "full"]
MODERN = [("rtx3080_modern", "86"), ("rtxa6000_modern", "86"), ("rtx3080_modern_paper", "86"), ("rtx5070ti_modern", "86"), ("rtx2080ti_modern", "75")]
# Some of these, each with one of its values.
MODERN_VALUES = {"gpu.flush_l2": ["true", "false"], "gpu.flush_l1": ["true", "false"], "cluster.sms": ["1", "2", "3"],
                 "gpu.kernels.launch_latency": ["0", "1", "50", "3000"], "gpu.concurrent_kernels": ["true"], "gpu.ideal_memory": ["true"],
                 "core.l0i_tags.mshr_entries": ["1", "2", "3"], "core.l0i_tags.miss_queue": ["1", "2"], "core.stream.buffers": ["1", "2", "3"]}


def draw_program(seed, folder):
    """(what was drawn, its configuration, further options)"""
    kind = KINDS[seed % len(KINDS)]
    if kind == "modern":
        draw = random.Random(seed)
        config, arch = draw.choice(MODERN)
        subprocess.run([sys.executable, os.path.join(ROOT, "tests/system/modern_machines/generate.py"), str(seed), folder, arch], check=True,
                       stdout=subprocess.DEVNULL)
        values = [f"{name}={draw.choice(some)}" for name, some in MODERN_VALUES.items() if draw.random() < 0.3]
        return kind, config, ["--sass", os.path.join(folder, "kernel.sass"), *[word for v in values for word in ("-s", v)]]
    if kind == "full":
        return kind, *full.draw_program(seed, folder, 12000 if "WW_TEST_FULL" in os.environ else 1000)
    if kind == "memory":
        c = generate_memory.case(seed)
        generate_memory.write(c, folder)
    elif kind == "straight":
        c = generate.case(seed)
        generate.write(c, folder)
    else:
        c = generate_machine.case(seed, kind)
        generate_memory.write(c, folder)
    return kind, c["config"], ["--gpgpusim", os.path.join(folder, "override.config")]


def run(folder, options, ways):
    out = os.path.join(folder, "out.json")
    call = [COMMAND, "run", *options, "--report=accelsim", "--progress=none", "--fingerprint", "-o", out, *ways, folder]
    done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=600)
    text = done.stdout, done.stderr, b""
    if os.path.exists(out):
        with open(out, "rb") as f:
            text = *text[:2], f.read()
        os.unlink(out)
    return done.returncode, *text


def results(got):
    """What neither a log nor a checkpoint changes in any run."""
    data = json.loads(got[3]) if got[3] else {}
    data.pop("options", None)
    data.pop("command_line", None)
    return got[0], got[1], data


def restored(draw, folder, options, one):
    """The run from a drawn cycle on, by another process."""
    at = draw.randint(1, max(1, json.loads(one[3])["total"]["cycles"]))
    checkpoint = os.path.join(folder, "checkpoint")
    written = run(folder, options, ["-j", "1", f"--checkpoint={checkpoint}", f"--checkpoint-at={at}"])
    return written if results(written) != results(one) else run(folder, options, ["-j", "2", f"--restore={checkpoint}"])


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 30)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000 if "WW_TEST_FULL" in os.environ else 16
    wrong = refused = 0
    for s in range(seed, seed + count):
        draw = random.Random(s)
        with tempfile.TemporaryDirectory(prefix="warpwright-drawn-") as folder:
            kind, config, more = draw_program(s, folder)
            options = ["-c", config, *more]
            one = run(folder, options, ["-j", "1"])
            refused += one[0] != 0
            for ways in (["-j", "2"], ["-j", str(draw.randint(2, 7)), "--threads-from=0"], ["-j", "auto", "--threads-from=0"], ["--no-windows"]):
                got = run(folder, options, ways)
                if got != one:
                    wrong += 1
                    print(f"seed {s} ({kind}, {config}): {' '.join(ways)} differs from -j 1: status {got[0]} and {one[0]}, "
                          f"{got[2].decode(errors='replace')[:300]}", flush=True)
            if kind == "modern" and results(run(folder, options, ["-j", "1", "--events", os.devnull])) != results(one):
                wrong += 1
                print(f"seed {s} ({kind}, {config}): --events differs from none", flush=True)
            if kind == "full" and one[0] == 0 and results(restored(draw, folder, options, one)) != results(one):
                wrong += 1
                print(f"seed {s} ({kind}, {config}): restored in the middle it differs", flush=True)
    print(f"{count} programs from seed {seed}: {wrong} runs differ; {refused} programs end with an error, the same in all ways")
    return 1 if wrong or refused == count else 0


sys.exit(main())
