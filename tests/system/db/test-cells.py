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
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, text=True, timeout=600)
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

    # ---- a module is no axis where there is one

    def test_own_module(self):
        """A scheduler of a module beside one that needs none: what differs is the scheduler."""
        own, gto, lrr = (self.write("a", n, [f"sm.scheduler=scheduler.{s}"], options) for n, s, options in
                         ((500, "own", ["-m", "own.so"]), (1000, "gto", []), (800, "lrr", [])))
        rows = self.table(own, gto, lrr, "--baseline", "gto")
        self.assertEqual(self.said, "")
        self.assertEqual(sorted(zip(rows[0][1:], rows[1][1:])), [("gto", "1"), ("lrr", "1.25"), ("own", "2")])
        self.assertEqual(dict(self.table(own, gto)[1:]), {"own": "500", "gto": "1000"})
        self.assertEqual([r[0] for r in self.table(own, gto, "--rows", "module")[1:]], ["own.so", "-"])  # it can be asked for
        self.assertEqual(self.table(own, gto, "--where", "module=own.so", "--rows", "trace")[1], ["a", "500"])
        self.run_command("db", "import", "x.db", own, gto, lrr)
        self.assertIn("sm.scheduler=scheduler.own          1,000            500   -50.00 %\n",
                      self.run_command("compare", "x.db", "--baseline", "sm.scheduler=scheduler.gto"))
        self.run_command("report", "x.db", "--baseline", "gto", "-o", "x.html")
        with open(self.path("x.html")) as f:
            self.assertTrue('title="500 cycles, run 1"><b class="best">2.000</b>' in f.read())

    def test_own_modules(self):
        """Two builds of a module are an axis, also where a run has none; so is it for a baseline that names it."""
        new, old, none = (self.write("a", n, ["sm.scheduler=scheduler.x"], options) for n, options in ((500, ["-m", "new.so"]), (1000, ["-m", "old.so"]), (800, [])))
        self.assertEqual(dict(self.table(new, old, "--rows", "module")[1:]), {"new.so": "500", "old.so": "1000"})
        self.assertEqual(dict(self.table(new, old, none, "--rows", "module", "--baseline", "module=old.so")[1:-1]), {"new.so": "2", "old.so": "1", "-": "1.25"})
        self.assertEqual(dict(self.table(new, none, "--rows", "module", "--baseline", "module=new.so")[1:-1]), {"new.so": "1", "-": "0.625"})

    def test_no_baseline(self):
        """A run without a baseline: what it differs in from the nearest is named."""
        files = [self.write("a", n, settings) for n, settings in
                 ((1000, ["s=gto"]), (900, ["s=own", "policy.n=2"]), (800, ["s=own"]), (700, ["s=own", "policy.n=2", "q=3"]))]
        self.table(*files[:3], "--baseline", "s=gto", "--rows", "s", "--columns", "policy.n")
        self.assertIn("1 of 3 runs has no baseline and is left out: the nearest to it differs in 'policy.n', too\n", self.said)
        self.table(*files, "--baseline", "s=gto", "--rows", "policy.n", "--columns", "q", "--over", "s")
        self.assertIn("2 of 4 runs have no baseline and are left out: the nearest to the first differs in 'policy.n', too\n", self.said)

    # ---- titles

    def test_titles(self):
        """A number that is a baseline says of what; where measures are the columns and say all, there is no title, and no empty line."""
        files = [self.write("a", 1000 * n, [f"sm.warps={n}"]) for n in (1, 2)]
        self.assertEqual(self.run_command("table", *files, "--baseline", "sm.warps=2").splitlines()[0], "speed-up over sm.warps=2 (cycles), by sm.warps")
        self.assertEqual(self.run_command("table", *files, "--measure", "cycles", "--measure", "ctas").splitlines()[0], "sm.warps  cycles  ctas")

    # ---- means

    def failed(self):
        """Two of five traces have nothing for 'gto'."""
        return [self.write(f"t{t}", 100 * (t + 1) * (1 + s), [f"sm.scheduler=scheduler.{name}"])
                for t in range(5) for s, name in enumerate(["lrr", "gto"]) if not (name == "gto" and t > 2)]

    def mean(self, values):
        return math.prod(values) ** (1 / len(values))

    def test_means_over_the_same(self):
        """What stands beside each other in a line of means is over the same rows, with a note."""
        said = "means are over 3 of 5 rows: the others have no figure in gto\n"
        files = self.failed()
        rows = self.table(*files, "--mean", "rows")
        self.assertIn(said, self.said)
        for name, s in (("lrr", 1), ("gto", 2)):
            self.assertAlmostEqual(float(rows[-1][rows[0].index(name)]), self.mean([100 * s, 200 * s, 300 * s]), places=4)
        self.table(*files, "--baseline", "lrr")
        self.assertIn(said, self.said)
        self.run_command("plot", *files, "--baseline", "lrr")
        self.assertIn(said, self.said)
        rows = self.table(*files, "--mean", "rows", "--where", "trace!=t3,t4")
        self.assertEqual(self.said, "")
        rows = self.table(*files, "--rows", "sm.scheduler", "--columns", "trace", "--mean", "columns")
        self.assertIn("means are over 3 of 5 columns: the others have no figure in gto\n", self.said)
        self.assertAlmostEqual(float(dict((r[0], r[-1]) for r in rows)["lrr"]), self.mean([100, 200, 300]), places=4)
        rows = self.table(*files, "--mean", "both", "--average", "arithmetic")
        self.assertIn("means are over 3 of 5 rows: the others have no figure in gto\n", self.said)
        self.assertIn("means are over 1 of 2 columns: the others have no figure in t3, t4\n", self.said)
        self.assertEqual([r[-1] for r in rows[1:]], ["100", "200", "300", "400", "500", "200"])

    def test_means_of_measures(self):
        """Measures are not compared: each has a mean of all that have it."""
        files = [self.write("a", 100, counters={"x.y": 7}), self.write("b", 400), self.write("c", 1600, counters={"x.y": 7})]
        rows = self.table(*files, "--measure", "cycles", "--measure", "x.y", "--mean", "rows")
        self.assertEqual([float(v) for v in rows[-1][1:]], [400, 7])
        self.assertIn("note: the mean of x.y is over 2 of 3 rows: the others have no figure in it\n", self.said)
        for mean in ("columns", "both"):
            self.run_command("table", *files, "--measure", "cycles", "--measure", "ipc", "--mean", mean, status=2)
            self.assertEqual(self.said, f"warpwright: --mean {mean} over several measures would be of different figures; expected --mean rows, or one "
                                        "--measure\n")

    def test_means_of_zeros(self):
        files = [self.write(t, 100, [f"s={s}"], counters={"x.y": n}) for t, s, n in (("a", "p", 0), ("a", "q", 5), ("b", "p", 6), ("b", "q", 7))]
        rows = self.table(*files, "--measure", "x.y", "--mean", "rows")
        self.assertEqual(rows[-1][rows[0].index("p")], "")
        self.assertEqual(self.said, "warpwright: note: there is no geometric mean of values of 0 or less, as in p\n")
        self.table(*files, "--measure", "x.y", "--baseline", "s=p")
        self.assertIn("note: means are over 1 of 2 rows: the others have no figure in p, q\n", self.said)


    # ---- many statistics

    def instances(self, n):
        """A result with as many statistics, in a database of its own: each eighth is 0."""
        instances = {f"gpu.part[{i}]": {"type": "t", **{f"s{k}": (8 * i + k) % 97 + 1 if k else 0 for k in range(8)}} for i in range(n // 8)}
        name = self.write("a", 1000)
        with open(self.path(name)) as f:
            r = json.load(f)
        r["total"]["instances"] = instances
        with open(self.path(name), "w") as f:
            json.dump(r, f)
        self.run_command("db", "import", f"{n}.db", name)
        return f"{n}.db", {f"{path}:{s}": v for path, of in instances.items() for s, v in of.items() if s != "type"}

    def seconds(self, *words):
        """Of the processor, in the command alone: what is least of three."""
        def once():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run_command(*words)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime
        return min(once() for _ in range(3))

    def test_many_statistics(self):
        """What there is to be said of each is not said of each of the others."""
        few, expected = self.instances(2000)
        many, _ = self.instances(32000)
        for words in (["db", "export", "{}", "-o", "x.json"], ["compare", "{}", "{}", "--exact"]):
            one, other = ([w.format(db) for w in words] for db in (few, many))
            once = self.seconds(*one)
            self.assertLess(self.seconds(*other), 40 * (once + 0.01), words)  # sixteen times as many; the square is 256 times
        self.run_command("db", "export", few, "--stats", "*:*", "-o", "x.json")
        with open(self.path("x.json")) as f:
            self.assertEqual(json.load(f)["runs"][0]["statistics"], expected)
        for numbers in ("[[1,2],3]", "[[1,2]", "[[1,2,]]", "[[1] ]", "[x]", "[[1],]"):
            with sqlite3.connect(self.path(few)) as c:
                c.execute("UPDATE run SET instance_values = ?", (numbers,))
            self.run_command("db", "export", few, "-o", "x.json", status=2)
            self.assertIn("is damaged (a run's statistics)", self.said)


    # ---- what is said

    def test_left_out(self):
        """Runs without results are told where the condition does not leave them out."""
        files = [self.write("a", 100 * n, [f"sm.warps={n}"], status="hang" if n > 2 else "done") for n in range(1, 6)]
        self.run_command("db", "import", "x.db", *files)
        for where, n in (((), 3), (("sm.warps<=2",), 0), (("sm.warps>1",), 3), (("sm.warps=2,4",), 1), (("ipc>0", "sm.warps!=5"), 2),
                         (("state=done",), 0), (("gpu.clusters=80", "sm.warps>1", "sm.warps<4"), 1)):
            wheres = [word for w in where for word in ("--where", w)]
            for command in ("table", "plot"):
                self.run_command(command, "x.db", "--rows", "sm.warps", *wheres)
                runs = "1 run of the database has no results and is" if n == 1 else f"{n} runs of the database have no results and are"
                self.assertEqual(self.said, f"warpwright: note: {runs} left out\n" if n else "", where)

    def test_logarithm_of_nothing(self):
        files = [self.write(t, 100, [f"sm.warps={n}"], counters={"x.y": 0}) for t in ("a", "b") for n in (0, 1)]
        for words, axis in ((["--kind", "bars", "--log", "y", "--measure", "x.y"], "y"), (["--kind", "lines", "--rows", "sm.warps", "--columns", "trace", "--log", "both", "--measure", "x.y"], "y"),
                            (["--kind", "scatter", "--x", "x.y", "--log", "x"], "x")):
            self.run_command("plot", *files, *words, "-o", "p.svg", status=2)
            self.assertEqual(self.said, f"warpwright: --log: no value of the {axis} axis is above 0; expected some, as on every logarithmic axis\n")
        self.run_command("plot", *files, "--log", "y", "--range", "0:10", "-o", "p.svg", status=2)
        self.assertIn("expected numbers above 0, or no --log", self.said)

    def test_visible_csv(self):
        """No name of a file or trace is an order to a terminal."""
        odd = "k\x1b[31m\n\x9b2J"
        text = self.run_command("table", self.write(odd, 100), "--rows", "trace", "--format", "csv")
        self.assertEqual(text.splitlines(), ["trace,cycles", r"k\x1b[31m\n\x9b2J,100"])
        for name in ("a\x1b[31mb", "c\nd"):
            shutil.copytree(os.path.join(ROOT, "tests/traces/micro-exit"), self.path(f"f/{name}"))
        for more in (["--report=none"], []):
            text = self.run_command("run", "-c", "minimal", *more, "f")
            self.assertIn(r"a\x1b[31mb", text)
            self.assertIn(r"c\nd", text)
            self.assertNotIn("\x1b", text)


if __name__ == "__main__":
    unittest.main()
