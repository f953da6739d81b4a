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


    # ---- an axis and a figure of one name

    def test_sms(self):
        """How many SMs were asked for is no figure of those that had work."""
        part, whole, few = self.write("a", 1000, options=["--sms", "4"]), self.write("a", 500), self.write("a", 250, options=["--max-ctas", "5"])
        rows = self.table(part, whole, "--columns", "sms_alone", "--measure", "sms")
        self.assertEqual(rows, [["trace", "-", "4"], ["a", "80", "80"]] if rows[0][1] == "-" else [["trace", "4", "-"], ["a", "80", "80"]])
        rows = self.table(part, few, "--rows", "max_ctas", "--measure", "sms_alone", "--measure", "sms")
        self.assertEqual(sorted(rows[1:]), [["-", "4", "80"], ["5", "", "80"]])
        self.run_command("db", "import", "x.db", part, whole)
        self.run_command("db", "export", "x.db", "-o", "x.json")
        with open(self.path("x.json")) as f:
            runs = json.load(f)["runs"]
        self.assertEqual([(r["axes"].get("sms_alone"), r["sms"]) for r in runs], [("4", 80), (None, 80)])
        self.assertNotIn("sms=80", self.run_command("compare", "x.db"))

    def test_older_databases(self):
        """A database may have an axis that is called as a figure: runs without it have nothing there. A trace is always one."""
        self.run_command("db", "import", "x.db", self.write("a", 1000, ["sm.warps=8"]), self.write("b", 500))
        with sqlite3.connect(self.path("x.db")) as c:
            for number, axes in ((1, {"sms": "4", "trace": "t", "config": "c"}), (2, {})):
                c.execute("UPDATE run SET axes = ? WHERE number = ?", (json.dumps(axes), number))
        rows = self.table("x.db", "--rows", "trace", "--measure", "sms", "--measure", "cycles")
        self.assertEqual(sorted(rows[1:]), [["b", "", "500"], ["t", "4", "1000"]])
        self.assertEqual(sorted(r[0] for r in self.table("x.db", "--rows", "config")[1:]), ["c", "qv100"])

    def test_axes_of_sweeps(self):
        """A sweep's axis is called as no figure or text of a run."""
        self.run_command("db", "import", "x.db", self.write("a", 1000))
        names = [line.split()[1] for line in self.run_command("db", "list", "x.db", "--names").splitlines() if line.startswith("figure ")]
        self.assertIn("sms", names)
        for name in names:
            if name in ("trace", "config", "platform"):
                continue
            self.run_command("sweep", "-c", "minimal", "-a", f"{name} of sm.warps: 8, 16", os.path.join(ROOT, "samples/vecadd"), "--dry-run", status=2)
            self.assertIn(f"an axis '{name}'; expected another name", self.said)
        self.run_command("sweep", "-c", "minimal", "-a", "sms: 1, 2", os.path.join(ROOT, "samples/vecadd"), "--dry-run", status=2)
        self.assertIn("expected another name, 'axis NAME of sms: ...': tables have a figure of this name", self.said)

if __name__ == "__main__":
    unittest.main()
