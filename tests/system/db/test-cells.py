#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What names in figures are cut to, which name means what, and what means are over: on runs with known figures."""

import csv
import json
import math
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")


def result(trace, cycles, settings=(), options=(), **more):
    part = {"cycles": cycles, "thread_instructions": 64000, "warp_instructions": 2000, "ctas": 4, "counters": {"l1.hits": 5, **more.pop("counters", {})}}
    command = ["warpwright", "run", *options, *[w for s in settings for w in ("-s", s)], trace]
    return {"schema": "warpwright-results-1", "version": "0.1.0", "status": "done", "partial": False, "trace": trace, "platform": "gpu", "config": ["qv100"],
            "command": command, "resolved": {"gpu.clusters": 80}, "kernels": [], "total": dict(part, sms=80), **more}


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="warpwright-cells-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.written = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_command(self, *words, status=0):
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        self.said = done.stderr
        return done.stdout

    def write(self, *words, **more):
        self.written += 1
        name = f"{self.written:03}.json"
        with open(self.path(name), "w") as f:
            json.dump(result(*words, **more), f)
        return name

    def table(self, *words):
        self.run_command("table", *words, "-o", "t.csv")
        with open(self.path("t.csv"), newline="") as f:
            return list(csv.reader(f))

    # ---- names that are cut

    def test_decimal_points(self):
        """A '.' in a number is no end of a name: not in a table, a title, a legend, nor where a value is named."""
        clocks = ["3.5_GHz", "3.75_GHz", "3.25_GHz"]
        files = [self.write("a", 1000 * (i + 1), [f"dram.clock={c}"]) for i, c in enumerate(clocks)]
        self.assertEqual(self.table(*files, "--rows", "dram.clock")[1:], [[c, str(1000 * (i + 1))] for i, c in enumerate(clocks)])
        self.assertEqual(self.table(*files, "--columns", "dram.clock")[0][1:], clocks)
        text = self.run_command("table", *files, "--baseline", "3.75_GHz")
        self.assertTrue(text.startswith("speed-up over 3.75_GHz (cycles), by dram.clock\n"), text)
        self.run_command("plot", *files, "--rows", "trace", "--columns", "dram.clock", "-o", "p.gp")
        with open(self.path("p.gp")) as f:
            script = f.read()
        self.run_command("plot", *files, "--kind", "scatter", "--x", "ipc", "--columns", "dram.clock", "-o", "s.gp")
        with open(self.path("s.gp")) as f:
            points = f.read()
        for c in clocks:
            self.assertIn(f"title '{c}'", script)
            self.assertIn(f"title '{c}'", points)
        for words in (["--baseline", "5_GHz"], ["--baseline", "dram.clock=75_GHz"], ["--where", "dram.clock=5_GHz"]):
            for command in ("table", "plot"):
                self.run_command(command, *files, *words, status=2)
                self.assertIn("expected 3.25_GHz, 3.5_GHz or 3.75_GHz", self.said)

    def test_versions(self):
        versions = ["0.1.0", "0.1.1", "0.1.rc"]
        files = [self.write("a", 1000, version=v) for v in versions]
        self.assertEqual([r[0] for r in self.table(*files, "--rows", "version")[1:]], versions)
        self.assertEqual(self.table(*files, "--columns", "version")[0][1:], versions)

    def test_names_still_cut(self):
        files = [self.write("a", 1000, [f"sm.scheduler=scheduler.{s}"]) for s in ("lrr", "gto")]
        self.assertEqual(self.table(*files, "--columns", "sm.scheduler")[0][1:], ["lrr", "gto"])
        self.assertEqual(self.table(*files, "--columns", "sm.scheduler", "--full-names")[0][1:], ["scheduler.lrr", "scheduler.gto"])
        self.assertEqual(self.table(*files, "--where", "sm.scheduler=gto", "--rows", "sm.scheduler")[1][0], "scheduler.gto")


if __name__ == "__main__":
    unittest.main()
