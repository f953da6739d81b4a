#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Databases, tables, plots and comparisons of many runs, as a user has them: results are made with known figures, and what is shown is worked out anew here."""

import copy
import csv
import json
import math
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES, SCHEDULERS, SIZES = ["a/bfs/traces", "a/nw/traces", "a/sp mv/traces"], ["lrr", "gto", "two"], [4, 8, 16]
HOSTILE = ["a'b; system('touch pwn')", "`touch pwn`", "<b>&amp; x_{2}^@ \\ \" $(touch pwn) %s", "| *md* _x_ #1 50% ~ -- \"x\""]


def cycles(t, s, n):
    return 1000 * (t + 1) + 137 * s * (t + 2) - 9 * n * (s + 1)


def result(t, s, n, extra=None):
    """Results of trace number t, scheduler number s, with n clusters."""
    c = cycles(t, s, n)
    counters = {"dram.n_act": 7 * t + n, "dram.zero": 0, "l1.hits": {"R": 10 * s, "W": t}, "l1.accesses": 100}
    part = {"cycles": c, "thread_instructions": 64000, "warp_instructions": 2000, "ctas": 4, "counters": counters}
    return {"schema": "warpwright-results-1", "version": "0.1.0", "status": "done", "partial": False, "trace": TRACES[t], "platform": "gpu",
            "config": ["qv100"],
            "command": ["warpwright", "run", "-c", "qv100", "-s", f"sm.scheduler=scheduler.{SCHEDULERS[s]}", "-s", f"gpu.clusters={n}", TRACES[t]],
            "resolved": {"gpu.clusters": n, "sm.scheduler": f"scheduler.{SCHEDULERS[s]}", "sm.warps": 64},
            "kernels": [dict(part, name="k<int>(float*, int)", uid=1, grid=[4, 1, 1], block=[64, 1, 1], stream=0, partial=False, end_cycle=c)],
            **(extra or {}), "total": dict(part, sms=2)}


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="warpwright-db-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_command(self, *words, status=0):
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        self.said = done.stderr
        return done.stdout

    def write(self, name, what):
        with open(self.path(name), "w") as f:
            json.dump(what, f)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def grid(self, sizes=SIZES):
        return [self.write(f"r-{t}-{s}-{n}.json", result(t, s, n)) for t in range(3) for s in range(3) for n in sizes]

    def database(self, name="runs.db"):
        self.run_command("db", "import", name, *self.grid())
        return name

    def table(self, *words):
        """Rows of the CSV that `table` writes."""
        self.run_command("table", *words, "-o", "t.csv")
        with open(self.path("t.csv"), newline="") as f:
            return list(csv.reader(f))

    # ---- db

    def test_import_again(self):
        db = self.database()
        with sqlite3.connect(self.path(db)) as c:
            before = c.execute("SELECT experiment, key, axes, cycles FROM runs ORDER BY key").fetchall()
        self.run_command("db", "import", db, *self.grid())
        with sqlite3.connect(self.path(db)) as c:
            self.assertEqual(c.execute("SELECT experiment, key, axes, cycles FROM runs ORDER BY key").fetchall(), before)
        self.assertEqual(len(before), 27)
        axes = json.loads(before[0][2])
        self.assertEqual(sorted(axes), ["config", "gpu.clusters", "sm.scheduler", "trace"])
        self.assertEqual(os.listdir(self.folder).count("runs.db"), 1)
        self.assertEqual([f for f in os.listdir(self.folder) if f.startswith("runs.db-")], [])

    def test_import_all_or_none(self):
        files = self.grid(sizes=[4])
        with open(self.path(files[-1]), "a") as f:
            f.write("x")
        self.assertEqual(self.run_command("db", "import", "new.db", *files, status=2), "")
        self.assertRegex(self.said, r"^warpwright: r-2-2-4\.json:1:\d+: expected nothing behind the results\n$")
        self.assertFalse(os.path.exists(self.path("new.db")))
        self.run_command("db", "import", "new.db", *files[:2])
        before = self.read("new.db")
        self.run_command("db", "import", "new.db", *files, status=2)
        with sqlite3.connect(self.path("new.db")) as c:
            self.assertEqual(c.execute("SELECT count(*) FROM runs").fetchone(), (2,))
        self.assertEqual(len(self.read("new.db")), len(before))

    def test_merge(self):
        files = self.grid()
        self.run_command("db", "import", "a.db", *files[:15])
        self.run_command("db", "import", "b.db", *files[10:])
        self.assertIn("15 runs added, 0 replaced, 0 there", self.run_command("db", "merge", "all.db", "a.db"))
        self.assertIn("12 runs added, 0 replaced, 5 there", self.run_command("db", "merge", "all.db", "b.db"))
        self.assertIn("0 runs added, 0 replaced, 32 there", self.run_command("db", "merge", "all.db", "a.db", "b.db"))
        self.database("whole.db")
        self.run_command("compare", "whole.db", "all.db", "--exact")

    def test_export(self):
        db = self.database()
        self.run_command("db", "export", db, "-o", "x.csv", "-o", "x.json")
        with open(self.path("x.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        with open(self.path("x.json")) as f:
            runs = json.load(f)["runs"]
        self.assertEqual((len(rows), len(runs)), (27, 27))
        self.assertNotIn("dram.zero", rows[0])
        for row, run in zip(rows, runs):
            t, s, n = TRACES.index(row["trace"]), SCHEDULERS.index(row["sm.scheduler"][10:]), int(row["gpu.clusters"])
            self.assertEqual(int(row["cycles"]), cycles(t, s, n))
            self.assertEqual(int(row["l1.hits.R"]), 10 * s)
            self.assertEqual((run["cycles"], run["statistics"]["dram.n_act"]), (cycles(t, s, n), 7 * t + n))
        self.run_command("db", "export", db, "--kernels", "--stats", "dram.*", "--where", "gpu.clusters=4", "-o", "k.csv")
        with open(self.path("k.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len(rows), 9)
        self.assertEqual({r["kernel"] for r in rows}, {"k<int>(float*, int)"})
        self.assertIn("dram.zero", rows[0])
        self.assertNotIn("l1.accesses", rows[0])
        for where, said in ((("gpu.clusters=5",), "no run with results fits --where 'gpu.clusters=5'; expected "), (("gpu.clusters=4", "cycles<1"), "no run with results fits --where 'cycles<1' and those before it")):
            wheres = [word for w in where for word in ("--where", w)]
            self.run_command("db", "export", db, *wheres, "-o", "none.csv", status=2)
            self.assertIn(said, self.said)
        self.assertFalse(os.path.exists(self.path("none.csv")))

    def test_list(self):
        db = self.database()
        self.assertRegex(self.run_command("db", "list", db), r"\nresults +27 +0 +0 +-\n")  # how long they took is not known
        self.assertEqual(self.run_command("sweep", "--status", "--db", db), "results: 27 runs done\n")
        with sqlite3.connect(self.path(db)) as c:
            c.execute("UPDATE run SET seconds = 0.25")
        self.assertRegex(self.run_command("db", "list", db), r"\nresults +27 +0 +0 +6\.8\n")
        self.assertEqual(self.run_command("sweep", "--status", "--db", db), "results: 27 runs done in 7 s\n")
        self.assertEqual(self.run_command("db", "list", db, "-e", "results").count("done"), 27)
        names = self.run_command("db", "list", db, "--names")
        for line in ["axis       sm.scheduler", "figure     cycles", "statistic  l1.hits.R", "statistic  dram.zero", "value      sm.warps"]:
            self.assertIn(line + "\n", names)

    def test_list_visible(self):
        """What a database holds is no order to a terminal."""
        self.database("odd.db")
        with sqlite3.connect(self.path("odd.db")) as c:
            c.execute("UPDATE experiment SET name = ?", ("a\x1b[31mb\nc\x7f\x9bd",))
            c.execute("UPDATE run SET state = 'failed', error = ?, axes = ? WHERE number = 1", ("e\x1bf", json.dumps({"x\x1by": "z\x07"})))
        name = r"a\x1b[31mb\nc\x7f\x9bd"
        for words, said, status in ((["db", "list", "odd.db"], f"\n{name}  ", 0), (["db", "list", "odd.db", "--names"], "axis       x\\x1by\n", 0),
                                    (["sweep", "--status", "--db", "odd.db"], f"  {name} 1  x\\x1by=z\\x07: e\\x1bf\n", 1)):
            out = self.run_command(*words, status=status)
            self.assertIn(said, out)
            self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_names_visible(self):
        """Nor is what a file of results holds, whichever escape it was written with."""
        odd = "k\x1b[31m\n\x9b2Jé"
        kernels = [dict(result(0, 0, 4)["kernels"][0], name=odd)]
        self.write("odd.json", dict(result(0, 0, 4), trace=odd, platform=odd, config=[odd], kernels=kernels, inputs=[{"kind": odd, "file": odd, "bytes": 1}]))
        files = [self.write("plain.json", dict(result(0, 1, 4), inputs=[])), "odd.json"]
        for words in (["compare", *files, "--all"], ["table", "odd.json", "--kernels", "--rows", "kernel", "--columns", "trace"],
                      ["plot", "odd.json", "--kernels", "--rows", "trace", "--columns", "kernel"]):
            out = self.run_command(*words)
            self.assertIn(r"k\x1b[31m\n\x9b2Jé", out)
            self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        for ending in ("md", "tex", "gp"):
            self.run_command("plot" if ending == "gp" else "table", "odd.json", "--rows", "trace", "-o", f"o.{ending}")
            text = self.read(f"o.{ending}").decode()
            self.assertRegex(text, r"k \\?\[31m  2Jé|'k\\x1b\[31m\\n\\x9b2Jé'")
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_other_axes(self):
        """Nobody has asked for a name that only one of two databases has."""
        self.database("a.db")
        self.run_command("db", "import", "b.db", self.write("o.json", dict(result(0, 0, 4), command=["warpwright", "run", "--max-ctas", "3", "t"])))
        self.run_command("compare", "a.db", "b.db", status=2)
        self.assertRegex(self.said, r"^warpwright: 'a\.db' has no axis 'max_ctas', which 'b\.db' has; expected databases,")
        self.run_command("compare", "a.db", "a.db", "--where", "nope=3", status=2)
        self.assertRegex(self.said, r"^warpwright: no run has 'nope'; expected an axis")

    def test_not_ended(self):
        """Results of a run that came to no end are of one that failed, as in a sweep; a limit is an end."""
        files = [self.write(f"{status}.json", dict(result(0, s % 3, s), status=status, partial=status != "done"))
                 for s, status in enumerate(["done", "limit", "hang", "stuck", "interrupted", "error"])]
        self.run_command("db", "import", "ends.db", *files)
        with sqlite3.connect(self.path("ends.db")) as c:
            states = c.execute("SELECT status, state, exit_status, error IS NULL FROM runs ORDER BY number").fetchall()
        self.assertEqual(states, [("done", "done", 0, 1), ("limit", "done", 0, 1), *((s, "failed", 1, 0) for s in ["hang", "stuck", "interrupted", "error"])])
        self.assertRegex(self.run_command("db", "list", "ends.db"), r"\nresults +2 +4 +0 ")
        self.assertRegex(self.run_command("db", "list", "ends.db", "-e", "results"), r"  failed .*  status 'hang': did not come to its end\n")
        self.run_command("table", "ends.db", "--rows", "gpu.clusters", "--columns", "status")
        self.assertEqual(self.said, "warpwright: note: 1 run is partial: cut by a limit, or not come to its end\n"
                                    "warpwright: note: 4 runs of the database have no results and are left out\n")
        self.run_command("table", *files, "--rows", "gpu.clusters", "--columns", "status")  # asked for by name
        self.assertEqual(self.said, "warpwright: note: 5 runs are partial: cut by a limit, or not come to their end\n")

    def test_killed_writer(self):
        """What is left of a writer that was killed in the middle does not keep anybody from reading; what it had not finished is not there."""
        db = self.database()
        before = self.run_command("db", "list", db, "-e", "results")
        code = ("import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                "for s in ['PRAGMA cache_size = 4', 'BEGIN', 'UPDATE run SET error = hex(randomblob(50000))']: c.execute(s)\n"
                "os.kill(os.getpid(), 9)")
        for words in (["db", "list", db, "-e", "results"], ["table", db, "--rows", "trace", "--over", "sm.scheduler,gpu.clusters"],
                      ["plot", db, "--rows", "trace", "--over", "sm.scheduler,gpu.clusters"], ["compare", db, db, "--exact"],
                      ["sweep", "--status", "--db", db]):
            self.assertEqual(subprocess.run([sys.executable, "-c", code, self.path(db)], timeout=600).returncode, -9)
            self.assertTrue(os.path.exists(self.path(db + "-journal")))
            self.run_command(*words)
            self.assertEqual(self.said, "")
            self.assertFalse(os.path.exists(self.path(db + "-journal")))
        self.assertEqual(self.run_command("db", "list", db, "-e", "results"), before)

    # ---- table

    def test_cells(self):
        db = self.database()
        for where in (["--where", "gpu.clusters=8"], ["--where", "gpu.clusters>4", "--where", "gpu.clusters<=8"], ["--where", "gpu.clusters!=4,16"],
                      ["--where", "gpu.clusters=8", "--where", "sm.scheduler=gto,lrr,*two"], ["--where", "gpu.clusters=8", "--where", "sm.scheduler!=g"]):
            rows = self.table(db, "--rows", "trace", "--columns", "sm.scheduler", *where)
            self.assertEqual(sorted(rows[0]), sorted(["trace", *SCHEDULERS]))
            self.assertEqual(sorted(r[0] for r in rows[1:]), ["bfs", "nw", "sp mv"])
            for row in rows[1:]:
                t = ["bfs", "nw", "sp mv"].index(row[0])
                for name, value in zip(rows[0][1:], row[1:]):
                    self.assertEqual(int(value), cycles(t, SCHEDULERS.index(name), 8))

    def test_speedups(self):
        db = self.database()
        rows = self.table(db, "--rows", "gpu.clusters", "--columns", "sm.scheduler", "--over", "trace", "--baseline", "lrr", "--mean", "both")
        self.assertEqual([r[0] for r in rows[1:]], ["4", "8", "16", "geometric mean"])
        self.assertEqual(rows[0][-1], "geometric mean")
        mean = {}
        for row in rows[1:4]:
            n = int(row[0])
            for name, value in zip(rows[0][1:4], row[1:4]):
                s = SCHEDULERS.index(name)
                expected = math.exp(sum(math.log(cycles(t, 0, n) / cycles(t, s, n)) for t in range(3)) / 3)
                self.assertAlmostEqual(float(value), expected, places=7)
                mean.setdefault(name, []).append(expected)
        for name, value in zip(rows[0][1:4], rows[4][1:4]):
            self.assertAlmostEqual(float(value), math.prod(mean[name]) ** (1 / 3), places=7)
        text = self.run_command("table", db, "--rows", "gpu.clusters", "--over", "trace", "--baseline", "sm.scheduler=lrr")
        self.assertTrue(text.startswith("speed-up over lrr (cycles), geometric mean over trace, by sm.scheduler\n"))
        text = self.run_command("table", db, "--rows", "trace", "--where", "gpu.clusters=4", "--baseline", "lrr")
        self.assertTrue(text.startswith("speed-up over lrr (cycles), by sm.scheduler\n"))
        text = self.run_command("table", db, "--rows", "trace", "--over", "sm.scheduler,gpu.clusters", "--measure", "ipc", "--measure", "cycles",
                                "--average", "harmonic")
        self.assertTrue(text.startswith("harmonic mean over sm.scheduler, gpu.clusters\n"))
        ipc = self.table(db, "--rows", "trace", "--columns", "sm.scheduler", "--where", "gpu.clusters=4", "--baseline", "lrr", "--measure", "ipc")
        self.assertAlmostEqual(float(ipc[1][ipc[0].index("gto")]), cycles(0, 0, 4) / cycles(0, 1, 4), places=7)

    def test_measures(self):
        db = self.database()
        rows = self.table(db, "--rows", "trace", "--where", "gpu.clusters=8", "--where", "sm.scheduler=*gto", "--measure", "l1.hits.*", "--measure",
                          "l1.hits.R/l1.accesses", "--measure", "dram.zero", "--measure", "sm.warps")
        self.assertEqual([r[1:] for r in rows[1:]], [["10", "0.1", "0", "64"], ["11", "0.1", "0", "64"], ["12", "0.1", "0", "64"]])
        rows = self.table(db, "--kernels", "--rows", "kernel", "--columns", "trace", "--where", "gpu.clusters=8", "--where", "sm.scheduler=*lrr")
        self.assertEqual(sorted(int(v) for v in rows[1][1:]), sorted(cycles(t, 0, 8) for t in range(3)))

    def test_several_in_a_cell(self):
        db = self.database()
        self.run_command("table", db, "--rows", "trace", "--columns", "sm.scheduler", status=2)
        self.assertRegex(self.said, r"several runs are in one cell .* they differ in 'gpu\.clusters'; expected --where")
        # Runs that come one after the other differ in less than all runs of the cell do.
        self.run_command("table", db, "--rows", "config", "--columns", "trace", status=2)
        self.assertRegex(self.said, r"they differ in 'gpu\.clusters', 'sm\.scheduler'; expected --where gpu\.clusters=\.\.\., --over gpu\.clusters, or it as "
                                    r"--rows or --columns, and so for the rest\n$")
        for option, other in (("--rows", "--columns"), ("--columns", "--rows")):
            for command in ("table", "plot"):
                self.run_command(command, db, option, "trace,sm.scheduler", status=2)
                self.assertEqual(self.said, f"warpwright: {option} 'trace,sm.scheduler' are several names; expected one there, a second as {other}, and for "
                                            "the rest --where NAME=VALUE or --over NAME\n")
        self.run_command("table", db, "--rows", "trace", "--measure", "l1.hist.R", status=2)
        self.assertRegex(self.said, r"no run has 'l1\.hist\.R', did you mean 'l1\.hits\.R'\?")
        self.run_command("table", db, "--rows", "trace", "--where", "gpu.clusters=5", status=2)
        self.assertEqual(self.said, "warpwright: no run with results fits --where 'gpu.clusters=5'; expected 4, 8 or 16\n")

    def test_condition_of_no_run(self):
        """The first condition that leaves no run is told with what there is."""
        db = self.database()
        none, before = "no run with results fits --where", "and those before it"
        for words, said in ((["sm.scheduler=scheduler.lr"],
                             f"{none} 'sm.scheduler=scheduler.lr', did you mean 'scheduler.lrr'?; expected scheduler.gto, scheduler.lrr or scheduler.two"),
                            (["gpu.clusters=8", "-w", "gpu.clusters=4"], f"{none} 'gpu.clusters=4' {before}; expected 8"),
                            (["gpu.clusters>16"], f"{none} 'gpu.clusters>16'; expected a condition that holds of 4, 8 or 16"),
                            (["gpu.clusters=8", "-w", "gpu.clusters!=8"], f"{none} 'gpu.clusters!=8' {before}; expected a condition that holds of 8"),
                            (["gpu.clusters=4", "-e", "result"],
                             "no run with results is in --experiment 'result', did you mean 'results'?; expected results")):
            for command in ("table", "plot", "compare"):
                self.run_command(command, db, "-w", *words, status=2)
                self.assertEqual(self.said, f"warpwright: {said}\n")

    def test_files_without_a_database(self):
        rows = self.table(*self.grid(sizes=[4]), "--rows", "trace", "--columns", "sm.scheduler")
        self.assertEqual(rows[0], ["trace", *SCHEDULERS])
        self.assertEqual([int(v) for v in rows[2][1:]], [cycles(1, s, 4) for s in range(3)])

    def test_how_they_ended(self):
        """Two results of one run that differ in nothing but their end: that is named."""
        whole, cut = self.write("w.json", result(0, 0, 4)), self.write("c.json", dict(result(0, 0, 4), status="interrupted", partial=True))
        self.run_command("table", whole, cut, status=2)
        self.assertRegex(self.said, r"several runs are in one cell \('a/bfs/traces'\): they differ in 'status', 'partial'; expected --where status=\.\.\., ")
        self.assertEqual(self.table(whole, cut, "--where", "status=done")[1], ["a/bfs/traces", str(cycles(0, 0, 4))])
        self.assertEqual(self.said, "")
        self.write("c.json", dict(result(0, 0, 4), version="0.1.0", kernels=[]))
        self.run_command("table", whole, "c.json", status=2)
        self.assertIn("are told apart by nothing but their results", self.said)

    def partial(self):
        """A database as that of grid(), in which three runs were cut: those of nw, 4 clusters."""
        files = self.grid()
        for s in range(3):
            r = result(1, s, 4)
            r["kernels"][0]["partial"] = True
            self.write(f"r-1-{s}-4.json", dict(r, status="limit", partial=True))
        self.run_command("db", "import", "cut.db", *files)
        return "cut.db"

    def test_partial(self):
        """Figures of runs that were cut are shown with a note, counted among those that are shown."""
        db, one = self.partial(), "warpwright: note: 1 run is partial: cut by a limit, or not come to its end\n"
        where = ["--rows", "trace", "--columns", "sm.scheduler", "--where"]
        for words, said in ((["gpu.clusters=4"], one.replace("1 run is", "3 runs are").replace("its", "their")), (["gpu.clusters=8"], ""),
                            (["gpu.clusters=4", "--where", "sm.scheduler=gto"], one), (["gpu.clusters=4", "--where", "trace=*bfs*"], ""),
                            (["gpu.clusters=4", "--where", "sm.scheduler=gto", "--kernels"], one.replace("run is", "kernel is"))):
            self.run_command("table", db, *where, *words)
            self.assertEqual(self.said, said, words)
            self.run_command("plot", db, *where, *words)
            self.assertEqual(self.said, said, words)
        self.run_command("plot", db, "--kind", "scatter", "--x", "ipc", "--where", "sm.scheduler=lrr")
        self.assertEqual(self.said, one)
        # without a baseline they are not shown
        self.run_command("table", db, *where, "gpu.clusters=4", "--where", "sm.scheduler!=lrr", "--baseline", "trace=a/bfs/traces")
        self.assertEqual(self.said, one.replace("1 run is", "2 runs are").replace("its", "their"))

    def hostile(self):
        files = []
        for i, name in enumerate(HOSTILE):
            files.append(self.write(f"h{i}.json", dict(result(0, i % 3, 4 + i), trace=name, command=[])))
        return files

    def test_markdown(self):
        self.run_command("table", *self.hostile(), "--rows", "trace", "-o", "t.md")
        lines = self.read("t.md").decode().splitlines()
        self.assertEqual(lines[1], "|---|--:|")
        self.assertEqual(len(lines), 2 + len(HOSTILE))
        for line, name in zip(lines[2:], HOSTILE):
            cell = line[2:line.rindex(" | ")]
            self.assertNotRegex(cell, r"(?<!\\)[|*_`#~]|[<>]")
            plain = re.sub(r"\\(.)", r"\1", cell)
            self.assertEqual(plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"), name)

    def test_latex(self):
        self.run_command("table", *self.hostile(), "--rows", "trace", "-o", "t.tex")
        lines = self.read("t.tex").decode().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("\\begin{tabular}{lr}", "\\end{tabular}"))
        words = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">", "textbar": "|",
                 "textquotedbl": '"'}
        cells = [line[:line.rindex(" & ")] for line in lines[4:-2]]
        self.assertEqual(len(cells), len(HOSTILE))
        for cell, name in zip(cells, HOSTILE):
            self.assertNotRegex(cell, r"(?<!\\)[&%$#_]")
            plain = re.sub(r"\\([a-z]+)\{\}", lambda m: {v: k for k, v in zip(words.values(), words)} and words[m.group(1)], cell)
            plain = re.sub(r"\\([&%$#_{}])", r"\1", plain).replace("-{}", "-")
            self.assertEqual(plain, name)

    # ---- plot

    def picture(self, *words):
        self.run_command("plot", *words, "-o", "p.svg", "-o", "p.pdf", "-o", "p.gp")
        first = [self.read("p." + e) for e in ("svg", "pdf", "gp")]
        self.run_command("plot", *words, "-o", "p.svg", "-o", "p.pdf", "-o", "p.gp")
        self.assertEqual([self.read("p." + e) for e in ("svg", "pdf", "gp")], first, "not the same bytes twice")
        svg = xml.dom.minidom.parseString(first[0])
        self.assertTrue(first[1].startswith(b"%PDF"))
        self.assertNotRegex(first[1], rb"CreationDate \(D:20")
        return first[0].decode(), ["".join(n.data for t in e.getElementsByTagName("tspan") for n in t.childNodes if n.nodeType == n.TEXT_NODE) or
                                   "".join(n.data for n in e.childNodes if n.nodeType == n.TEXT_NODE) for e in svg.getElementsByTagName("text")]

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_bars(self):
        svg, texts = self.picture(self.database(), "--rows", "trace", "--columns", "sm.scheduler", "--where", "gpu.clusters=8", "--baseline", "lrr")
        texts = [t.strip() for t in texts]
        for text in ["bfs", "nw", "sp mv", "geometric mean", "gto", "two", "speed-up over lrr (cycles)", "sm.scheduler"]:
            self.assertIn(text, texts)
        self.assertNotIn("lrr", texts)
        script = self.read("p.gp").decode()
        data = re.findall(r"^\$d\d+ << END\n(.*?)^END$", script, re.M | re.S)
        drawn = sorted(round(float(line.split()[1]), 6) for line in data[0].splitlines()[:3])
        self.assertEqual(drawn, sorted(round(cycles(t, 0, 8) / cycles(t, 1, 8), 6) for t in range(3)))
        # one that is left beside the baseline is named, too; one that there is alone has nothing to be told from
        words = [self.database(), "--rows", "trace", "--columns", "sm.scheduler", "--where", "gpu.clusters=8"]
        _, texts = self.picture(*words, "--where", "sm.scheduler=lrr,gto", "--baseline", "lrr")
        self.assertTrue({"gto", "sm.scheduler"} <= {t.strip() for t in texts}, texts)
        _, texts = self.picture(*words, "--where", "sm.scheduler=gto")
        self.assertNotIn("sm.scheduler", [t.strip() for t in texts])

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_lines_and_points(self):
        db = self.database()
        _, texts = self.picture(db, "--rows", "gpu.clusters", "--columns", "sm.scheduler", "--over", "trace", "--measure", "ipc")
        for text in ["ipc", "geometric mean over trace", "sm.scheduler", "gpu.clusters"]:
            self.assertIn(text, [t.strip() for t in texts])
        script = self.read("p.gp").decode()
        self.assertIn("with linespoints", script)
        self.assertRegex(script, r"\$d0 << END\n4 [\d.]+\n8 [\d.]+\n16 [\d.]+\nEND\n")
        _, texts = self.picture(db, "--rows", "trace", "--over", "sm.scheduler,gpu.clusters", "--measure", "ipc", "--measure", "cycles", "--average", "arithmetic")
        self.assertIn("mean over sm.scheduler, gpu.clusters", [t.strip() for t in texts])
        _, texts = self.picture(db, "--kind", "scatter", "--x", "dram.n_act", "--columns", "sm.scheduler")
        self.assertIn("sm.scheduler", [t.strip() for t in texts])
        script = self.read("p.gp").decode()
        points = re.findall(r"^([\d.]+) ([\d.]+)$", script, re.M)
        self.assertEqual(sorted((float(x), float(y)) for x, y in points),
                         sorted((7.0 * t + n, float(cycles(t, s, n))) for t in range(3) for s in range(3) for n in SIZES))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_hostile_labels(self):
        """No label becomes a command of gnuplot or a shell, or markup; what is shown is what it says, cut where it is long."""
        _, texts = self.picture(*self.hostile(), "--kind", "bars", "--rows", "trace", "--title", "it's \"<T>\" `touch pwn` @x")
        self.assertFalse(os.path.exists(self.path("pwn")))
        shown = [t.replace("\xa0", " ").strip() for t in texts]
        for name in HOSTILE:
            cut = name if len(name) <= 28 else name[:25] + "..."
            self.assertIn(cut.strip(), shown)
        self.assertIn("it's \"<T>\" `touch pwn` @x", shown)

    def test_terminal(self):
        text = self.run_command("plot", self.database(), "--rows", "trace", "--columns", "sm.scheduler", "--where", "gpu.clusters=8", "--baseline", "lrr")
        bars = {}
        for line in text.splitlines():
            found = re.fullmatch(r"  (\w+) +([\d.]+)  ([█▏▎▍▌▋▊▉]+)", line)
            if found:
                bars[found.group(1)] = bars.get(found.group(1), []) + [(float(found.group(2)), len(found.group(3)))]
            self.assertLessEqual(len(line), 80)
        self.assertEqual(sorted(bars), ["gto", "two"])
        everything = sorted(b for all in bars.values() for b in all)
        self.assertEqual(sorted(everything, key=lambda b: b[1]), everything)

        self.assertEqual(text.splitlines()[0], "speed-up over lrr (cycles), by sm.scheduler")

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_terminal_lines(self):
        """Whatever is drawn is of a line: the grid would be rows of the first line's letter. What the figures are stands above."""
        words = ["plot", self.database(), "--kind", "lines", "--rows", "gpu.clusters", "--columns", "sm.scheduler", "--over", "trace", "--measure", "ipc"]
        for more, title in (([], "geometric mean over trace"), (["--title", "all"], "all (geometric mean over trace)")):
            lines = [line.strip() for line in self.run_command(*words, *more).splitlines()]
            self.assertIn(title, lines)
            self.assertIn("sm.scheduler", lines)
            self.assertFalse([line for line in lines if re.search(r"\*{30}", line)])
        self.run_command(*words, "-o", "grid.gp")
        self.assertIn(b"set grid ytics", self.read("grid.gp"))

    def test_no_gnuplot(self):
        files = self.grid(sizes=[4])
        done = subprocess.run([COMMAND, "plot", *files, "--rows", "trace", "--columns", "sm.scheduler", "-o", "x.svg"], cwd=self.folder,
                              env=dict(os.environ, PATH="/nowhere"), capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^warpwright: cannot run gnuplot .*; expected it installed \(Debian: gnuplot-nox\)\n$")
        self.assertFalse(os.path.exists(self.path("x.svg")))

    # ---- compare

    def test_regression(self):
        """Two databases, run by run: a script fails when one run is slower than it may be, and when one is missing."""
        old = self.database("old.db")
        files = self.grid()
        slow = result(1, 1, 8)
        slow["total"]["cycles"] += slow["total"]["cycles"] * 15 // 1000
        self.write("r-1-1-8.json", slow)
        self.run_command("db", "import", "new.db", *files)
        self.run_command("compare", old, "new.db", "--max-change", "2%")
        text = self.run_command("compare", old, "new.db", "--max-change", "1%", status=1)
        self.assertRegex(text, r"trace=a/nw/traces sm\.scheduler=scheduler\.gto gpu\.clusters=8 .*\+1\.[45]\d %")
        self.assertIn("26 of 27 are the same", text)
        self.run_command("compare", old, "new.db", status=0)
        self.run_command("compare", old, "new.db", "--measure", "ipc", "--measure", "dram.n_act", "--max-change", "1 %", status=1)
        self.run_command("compare", old, "new.db", "--measure", "dram.n_act", "--max-change", "0%")
        self.run_command("compare", old, "new.db", "--where", "trace=*bfs*", "--max-change", "0%")
        self.run_command("db", "import", "few.db", *files[:20])
        self.assertIn("7 runs have nothing", self.run_command("compare", old, "few.db", "--max-change", "5%", status=1))
        slow["total"]["counters"]["l1.accesses"] = 101
        slow["total"]["cycles"] = cycles(1, 1, 8)
        self.write("r-1-1-8.json", slow)
        self.run_command("db", "import", "other.db", *files)
        self.run_command("compare", old, "other.db", "--max-change", "0%")
        self.assertIn("l1.accesses", self.run_command("compare", old, "other.db", "--exact", status=1))

    def test_first_run(self):
        """Runs of one database without a baseline: who A is."""
        db = self.database()
        text = self.run_command("compare", db)
        self.assertRegex(text, r"^A is the first run: trace=\S+ sm\.scheduler=scheduler\.\w+ gpu\.clusters=\d+\n\n *A ")
        self.assertNotIn("first run", self.run_command("compare", db, db) + self.run_command("compare", db, "--baseline", "sm.scheduler=lrr"))
        self.assertRegex(self.run_command("compare", *self.grid()), r"^A is the first run: ")

    def test_partial_runs(self):
        """A run that was cut is not the same as one that was not, whatever its figures; a script fails, and is told why."""
        old, db = self.database(), self.partial()
        text = self.run_command("compare", old, db)
        self.assertIn("\n3 runs are partial: cut by a limit, or not come to their end\n3 runs are partial on one side only (trace=a/nw/traces "
                      "sm.scheduler=scheduler.lrr gpu.clusters=4, ...)\n", text)
        self.assertNotIn("not as it must be", text)
        for words in (["--exact"], ["--max-change", "50%"]):
            text = self.run_command("compare", old, db, *words, status=1)
            self.assertTrue(text.endswith("\nnot as it must be: 3 runs are partial on one side only\n"), text)
            text = self.run_command("compare", db, db, *words)
            self.assertIn("\n6 runs are partial", text)
            self.assertNotIn("one side", text)
            self.assertNotIn("partial", self.run_command("compare", old, db, "--where", "gpu.clusters=8", *words))
        text = self.run_command("compare", db, "--baseline", "trace=a/nw/traces", "--where", "sm.scheduler=gto", "--where", "gpu.clusters=4", "--max-change", "1000%",
                                status=1)
        self.assertIn("\n1 run is partial: cut by a limit, or not come to its end\n2 runs are partial on one side only (trace=a/bfs/traces, ...)\n", text)
        whole, cut = self.write("w.json", result(0, 0, 4)), self.write("c.json", dict(result(0, 0, 4), status="limit", partial=True))
        self.assertNotIn("is partial", self.run_command("compare", whole, cut))
        for words in (["--exact"], ["--max-change", "50%"]):
            self.assertTrue(self.run_command("compare", whole, cut, *words, status=1).endswith(
                "\nB is partial, A is not: their figures are of different work\n"))
            self.assertIn("\nA is partial, C is not:", self.run_command("compare", cut, cut, whole, *words, status=1))
            self.run_command("compare", cut, cut, *words)

    def test_without_results(self):
        """A run that failed on both sides is no difference; one that failed on one side is, and so is one that is not there."""
        def database(name, failed, left_out=()):
            files = []
            for i, file in enumerate(self.grid(sizes=[4])):
                if i in failed:
                    self.write(file, dict(result(i // 3, i % 3, 4), status="hang", partial=True))
                if i not in left_out:
                    files.append(file)
            self.run_command("db", "import", name, *files)
            return name
        a, b, c = database("a.db", [0, 4]), database("b.db", [4, 5, 6]), database("c.db", [4], [0, 5])
        for words in (["--exact"], ["--max-change", "0%"]):
            text = self.run_command("compare", a, a, *words)
            self.assertIn("7 of 7 are the same; geometric mean of the ratios to A 1.0000\n2 runs have no results on either side\n", text)
            self.assertNotIn("not as it must be", text)
            text = self.run_command("compare", a, b, *words, status=1)
            self.assertIn("5 of 5 are the same; geometric mean of the ratios to A 1.0000\n1 run has no results on either side\n"
                          "3 runs have results on one side only (", text)
            self.assertTrue(text.endswith("\nnot as it must be: 3 runs have results on one side only\n"), text)
            # 0: failed here, not there at all; 5: not there; 4: in none of three
            text = self.run_command("compare", a, c, a, *words, status=1)
            self.assertIn("\n2 runs have nothing to be compared with\n2 runs have no results on either side\n", text)
            self.assertTrue(text.endswith("\nnot as it must be: 2 runs have nothing to be compared with\n"), text)
            self.assertIn("\n1 run has no results on either side\n", self.run_command("compare", a, a, "--where", "trace=*bfs*", *words))
            # of what failed its figures are not known: no condition on them leaves it out
            text = self.run_command("compare", a, b, "--where", "cycles>0", "--where", "gpu.clusters=4", *words, status=1)
            self.assertIn("\n1 run has no results on either side\n3 runs have results on one side only (", text)
            self.assertNotIn("results", self.run_command("compare", a, b, "--where", "state=done", "--where", "trace=*sp*", "--where", "sm.scheduler!=lrr",
                                                         *words))
        # one database: lrr of bfs (0) and gto of nw (4) have failed
        text = self.run_command("compare", a, "--baseline", "sm.scheduler=lrr", "--max-change", "1000%", status=1)
        self.assertIn("3 runs have results on one side only (", text)
        self.assertIn("0 of 3 are the same", text)
        b = database("d.db", [0, 1])
        text = self.run_command("compare", b, "--baseline", "sm.scheduler=lrr", "--max-change", "1000%", status=1)
        self.assertIn("\n1 run has no results on either side\n1 run has results on one side only (", text)
        self.run_command("compare", b, "--where", "trace=*bfs*", "--where", "sm.scheduler=lrr", "--baseline", "sm.scheduler=lrr", status=2)
        self.assertIn("no run with results fits", self.said)

    def test_several_alike(self):
        """Runs that their axes do not tell apart are named by them."""
        files = [self.write(f"{n}.json", dict(result(0, 0, 4), version=f"0.{n}")) for n in range(2)]
        self.run_command("db", "import", "two.db", *files)
        self.run_command("compare", "two.db", "two.db", status=2)
        self.assertIn("several runs have the same axes (a/bfs/traces qv100 scheduler.lrr 4); expected", self.said)
        self.run_command("compare", "two.db", "--baseline", "trace=a/bfs/traces", status=2)
        self.assertIn("several runs have the same axes (qv100 scheduler.lrr 4); expected", self.said)

    def test_baseline_of_no_run(self):
        """The values that there are: of that axis, or of all in which the runs differ."""
        for command in ["table", "plot", "compare"]:
            self.run_command(command, self.database(), "--baseline", "sm.scheduler=lr", status=2)
            self.assertRegex(self.said, "^warpwright: no run that fits has .*--baseline 'sm.scheduler=lr'(, did you mean '[a-z.]+'.)?; "
                             "expected (scheduler[.][a-z_]+(, | or |\n))+$")
        self.run_command("table", self.database(), "--baseline", "lr", "--where", "gpu.clusters=4", status=2)
        self.assertRegex(self.said, "; expected .*scheduler.lrr")
        self.assertNotIn("qv100", self.said)

    def test_baseline(self):
        text = self.run_command("compare", self.database(), "--baseline", "sm.scheduler=lrr", "--where", "gpu.clusters=4", "--all")
        rows = re.findall(r"trace=(\S+|a/sp mv/traces) sm\.scheduler=scheduler\.(\w+) +([\d,]+) +([\d,]+) +([-+][\d.]+) %", text)
        self.assertEqual(len(rows), 6)
        for trace, scheduler, base, value, change in rows:
            t, s = TRACES.index(trace), SCHEDULERS.index(scheduler)
            self.assertEqual((int(base.replace(",", "")), int(value.replace(",", ""))), (cycles(t, 0, 4), cycles(t, s, 4)))
            self.assertAlmostEqual(float(change), (cycles(t, s, 4) / cycles(t, 0, 4) - 1) * 100, places=2)
        changes = [abs(float(r[4])) for r in rows]
        self.assertEqual(changes, sorted(changes, reverse=True))

    def test_many_files(self):
        files = self.grid(sizes=[4]) + self.grid(sizes=[8])
        self.assertIn("17 are the same", self.run_command("compare", *files))

    def test_members(self):
        """What --stats, --pcs and --intervals add is compared, too."""
        def one(name, x, pc, row):
            extra = {"intervals": {"every": 10, "statistics": ["dram.n_act"], "rows": [[10, 1], [20, row]]}}
            r = result(0, 0, 4, extra)
            r["total"]["instances"] = {"gpu.x": {"type": "t", "n": x, "same": 1}}
            r["kernels"][0]["pcs"] = [{"pc": 0, "opcode": "MOV", "issues": 1}, {"pc": 16, "opcode": "EXIT", "issues": pc}]
            return self.write(name, r)
        a, b, c = one("a.json", 1, 5, 7), one("b.json", 2, 5, 7), one("c.json", 1, 6, 8)
        self.run_command("compare", a, one("d.json", 1, 5, 7), "--exact")
        text = self.run_command("compare", a, b, "--exact", status=1)
        self.assertRegex(text, r"components that differ.*\n  gpu\.x:n +1 +2")
        self.assertIn("1 of 2 statistics of components are the same", text)
        text = self.run_command("compare", a, c, "--exact", status=1)
        self.assertIn("instructions that differ\n  kernel 1, pc 0010 EXIT in B: issues\n", text)
        self.assertIn("1 of 2 intervals of B differ from those of A, the first that ends with cycle 20", text)
        text = self.run_command("compare", a, self.write("e.json", result(0, 0, 4)), "--exact", status=1)
        for what in ["--stats", "--pcs", "--intervals"]:
            self.assertRegex(text, rf"\({what}\): not in B\n")

    def test_exactly(self):
        """Whatever differs, of a run or of one of its kernels, beside each other and run by run."""
        base = result(0, 0, 4, {"fingerprint": "aca12da95ce2bd90"})
        base["total"].update(launch_cycles=7, tail_cycles=5, bound_by="latency")
        base["kernels"].append(dict(base["kernels"][0], uid=2, cycles=17, sms=2, launch_cycles=3, tail_cycles=2, bound_by="latency"))
        self.write("base.json", base)
        self.run_command("db", "import", "base.db", "base.json")

        def differ(what, change, everywhere=True):
            other = copy.deepcopy(base)
            change(other)
            self.write("other.json", other)
            text = self.run_command("compare", "base.json", "other.json", "--exact", status=1)
            self.assertIn(what, text)
            if everywhere:
                self.run_command("db", "import", f"{len(os.listdir(self.folder))}.db", "other.json")
                database = f"{len(os.listdir(self.folder)) - 1}.db"
                text = self.run_command("compare", "base.db", database, "--exact", status=1)
                self.assertIn("\nnot as it must be: ", text)
                text = self.run_command("compare", *["base.json"] * 8, "other.json", "--exact", status=1)
                self.assertIn("\nnot as it must be: ", text)

        self.run_command("compare", "base.json", "base.json", "--exact")
        self.assertIn("12 of 12 figures and statistics are the same in all runs, 14 of 14 in all kernels",
                      self.run_command("compare", "base.db", "base.db", "--exact"))
        differ("0 of 2 kernels", lambda r: r["kernels"].reverse())
        differ("kernels", lambda r: r["kernels"].pop())
        differ("kernel 2: other counters of B\n", lambda r: r["kernels"][1].update(counters={"dram.n_act": 5}))
        differ("fingerprints differ", lambda r: r.update(fingerprint="0000000000000000"))
        for name in ["warp_instructions", "ctas", "sms", "launch_cycles", "tail_cycles"]:
            differ(f"kernel 2: other {name} of B\n", lambda r: r["kernels"][1].update({name: 1}))
            if name != "warp_instructions":
                differ(f"total: other {name} of B\n", lambda r: r["total"].update({name: 1}))
        differ("total: other bound_by of B\n", lambda r: r["total"].update(bound_by="bandwidth"))
        differ("kernel 1: other grid of B\n", lambda r: r["kernels"][0].update(grid=[1, 4, 1]), False)
        differ("kernel 1: other block of B, end_cycle of B\n", lambda r: r["kernels"][0].update(block=[1, 64, 1], end_cycle=1), False)
        # a condition on runs is none on kernels
        self.run_command("compare", "base.db", "base.db", "--exact", "--where", f"cycles={cycles(0, 0, 4)}")

    def test_interrupted(self):
        """A database that is being made is there whole or not at all, with nothing beside it; one that was there keeps what it had."""
        files = self.grid()
        for delay in range(0, 100, 7):
            for number in signal.SIGINT, signal.SIGTERM:
                run = subprocess.Popen([COMMAND, "db", "import", "new.db", *files], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(delay / 1000)
                run.send_signal(number)
                run.wait()
                left = [f for f in os.listdir(self.folder) if f.startswith("new.db")]
                if left or run.returncode == 0:  # a signal may come between the last write and the end
                    self.assertEqual(left, ["new.db"], f"{delay} ms, {number}")
                    self.assertRegex(self.run_command("db", "list", "new.db"), rf"\nresults +{len(files)} +0 +0 ")
                    os.remove(self.path("new.db"))

    # ---- the page

    @unittest.skipUnless(shutil.which("sqlite3"), "no shell of SQLite")
    def test_damaged(self):
        """What docs/database.md says of a damaged file brings its whole runs into another one."""
        with open(os.path.join(ROOT, "docs/database.md")) as f:
            said = re.search(r"^```sh damaged\n(.*?)^```", f.read(), re.M | re.S).group(1)
        self.run_command("db", "import", "runs.db", *self.grid())
        with sqlite3.connect(self.path("runs.db")) as c:
            for i in range(200):
                c.execute("INSERT INTO run (experiment, key, state, axes, settings, error, exit_status) VALUES (1, ?, 'failed', '{}', '{}', ?, 1)",
                          (f"{i:064x}", "why " * 100))
        size = struct.unpack(">H", self.read("runs.db")[16:18])[0]
        whole, damaged = self.read("runs.db"), None
        for page in range(len(whole) // size - 1, 0, -1):  # one that the table of runs lies in
            with open(self.path("runs.db"), "wb") as f:
                f.write(whole[:page * size] + b"\xa5" * size + whole[(page + 1) * size:])
            done = subprocess.run([COMMAND, "db", "list", "runs.db", "-e", "results"], cwd=self.folder, capture_output=True, text=True, timeout=600)
            if done.returncode == 2 and b"why why" in whole[page * size:(page + 1) * size]:
                damaged = page
                break
        self.assertIsNotNone(damaged)
        self.assertRegex(done.stderr, r"^warpwright: 'runs\.db' is damaged \(.*\); expected a whole database, see docs/database\.md\n$")
        os.symlink(COMMAND, self.path("warpwright"))
        env = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        merged = subprocess.run(["bash", "-c", said], cwd=self.folder, env=env, capture_output=True, text=True, timeout=600)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        found = re.match(r"(\d+) runs added, 0 replaced, 0 there already\n", merged.stdout)
        self.assertTrue(found and 150 < int(found.group(1)) < 227, merged.stdout + merged.stderr)
        self.assertEqual(self.run_command("db", "list", "new.db", "-e", "results").count(" done "), 27)

    def test_page(self):
        """The SQL of docs/database.md gives rows on a database of real runs."""
        with open(os.path.join(ROOT, "docs/database.md")) as f:
            page = f.read()
        files = []
        for scheduler in ("lrr", "gto"):
            files.append(f"{scheduler}.json")
            self.run_command("run", "-c", "rtx3070", "-s", f"sm.scheduler=scheduler.{scheduler}", "--report", "none", "--progress", "none", "-o", files[-1],
                             os.path.join(ROOT, "samples/vecadd"))
        self.run_command("db", "import", "runs.db", *files)
        statements = [s for block in re.findall(r"^```sql\n(.*?)^```", page, re.M | re.S) for s in block.split(";") if s.strip()]
        statements += re.findall(r'read_sql\("""(.*?)"""', page)
        statements += [s.replace("r.statistics", "statistics") for block in re.findall(r"^```sql duckdb\n(.*?)^```", page, re.M | re.S)
                       for s in block.split(";") if s.strip().startswith("SELECT")]
        self.assertGreater(len(statements), 8)
        with sqlite3.connect(self.path("runs.db")) as c:
            for s in statements:
                names = ["dram.frfcfs.n_act", "dram.frfcfs.row_hits"][:s.count("?")]
                self.assertTrue(c.execute(s, names).fetchall(), s)
            views = {r[0] for r in c.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")}
            tables = {r[0] for r in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            for v in views | tables:
                self.assertIn(f"| `{v}` |", page)
            for column in [d[0] for d in c.execute("SELECT * FROM runs").description]:
                self.assertIn(f"`{column}`", page)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[sys.argv[0]] + sys.argv[1:])
