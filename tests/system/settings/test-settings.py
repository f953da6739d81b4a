#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Values that a user may write, drawn: nothing crashes, hangs, is refused late, or depends on sleep (settings.py).

A few of each kind; with WW_TEST_FULL=1 many. The same cases in every run.
"""

import os
import sys
import tempfile

import settings

FULL = os.environ.get("WW_TEST_FULL") == "1"
SANITIZED = os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan", "debug", "clang")
if SANITIZED:
    settings.SECONDS = 600


def check_finder():
    """It does find: a machine that has no way to end, one that is refused, and two results that differ."""
    hang = settings.examine(settings.Case("qv100", "random-loc-1030", ["gpu.channel[*].dram.separate_write_queue=true",
                                                                       "gpu.channel[*].slice[*].texture_only=true"]), traps=False)
    assert hang is not None and hang[0] == "hang", hang
    refused = settings.examine(settings.Case("qv100", "random-loc-1030", ["sm.l1d.sets=3"]))
    assert refused is None, refused
    seconds, settings.SECONDS = settings.SECONDS, 1
    assert settings.launch(["sh", "-c", "while :; do :; done"])[0] is None
    settings.SECONDS = seconds
    assert "sets" in settings.first_difference({"a": [1, {"sets": 2}]}, {"a": [1, {"sets": 3}]})


def main():
    check_finder()
    few = 4 if FULL else 180 if not SANITIZED else 1500
    with tempfile.TemporaryDirectory() as folder:
        modules = settings.build_modules(folder)
        kinds = [
            ("single", settings.part_of(settings.single_cases(["qv100", "rtx3070"] if not FULL else settings.CONFIGS, ""), f"7/{few * 5}")),
            ("random", settings.random_cases(settings.CONFIGS, "test", 3000 if FULL else 60 if not SANITIZED else 8, modules)),
            ("latency", settings.part_of(settings.latency_cases(["qv100", "fermi_like"] if not FULL else settings.CONFIGS, "test"), f"0/{max(few // 30, 1)}")),
            ("options", settings.part_of(settings.option_cases(["qv100"], "", folder), f"3/{few}")),
        ]
        bad = 0
        for name, cases in kinds:
            n, found = settings.report(cases, os.cpu_count() or 1)
            print(f"{name}: {n} cases, {found} findings", flush=True)
            bad += found if n != 0 else 1
    return 1 if bad else 0


sys.exit(main())
