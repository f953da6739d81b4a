#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpwright correlate` on real runs: every form of CSV, which figures go with which kernels, and statistics, worked out anew here."""

import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import unittest
import xml.dom.minidom

sys.dont_write_bytecode = True
from measured import COMMAND, CONTROL, ROOT, TRACES, Case, metric_lines, plain, quoted, raw_page, result
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from terminal import run_on_terminal

FIGURES = [7000, 8000, 30000, 31000, 32000, 33000, 1234567]


def grouped(figures):
    return [f"{n:,}" for n in figures]


def pearson(x, y):
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    xx, yy = math.fsum((a - mx) ** 2 for a in x), math.fsum((b - my) ** 2 for b in y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(xx * yy) if len(x) > 2 and xx > 0 and yy > 0 else None


def fit_line(theirs, ours):
    """What is printed of a series: kernels, mean error, geometric mean, both correlations, counts."""
    both = [(t, o) for t, o in zip(theirs, ours) if t > 0]
    errors = [abs(o - t) / t for t, o in both]
    logs = [(math.log(t), math.log(o)) for t, o in both if o > 0]
    shown = lambda v, digits=3: "-" if v is None else f"{v:.{digits}f}" if v < 1e4 else f"{v:.0e}"
    return [str(len(theirs)), shown(100 * math.fsum(errors) / len(errors), 1), "%", shown(math.exp(math.fsum(o - t for t, o in logs) / len(logs))),
            shown(pearson(theirs, ours)), shown(pearson(*zip(*logs)) if len(logs) > 2 else None), *(str(sum(e <= m for e in errors)) for m in (0.1, 0.25, 0.5))]


class Forms(Case):
    """Each form of CSV gives the same figures."""

    def setUp(self):
        super().setUp()
        self.run, kernels = self.simulate("bfs-sm70")
        self.names = [name for name, _ in kernels]
        self.ours = [c for _, c in kernels]

    def check(self, text, figures=FIGURES, words=()):
        self.write("hw.csv", text)
        rows = self.pairs(self.run, "--hardware", "hw.csv", *words)
        self.assertEqual([float(r["measured"]) for r in rows], figures)
        self.assertEqual([float(r["simulated"]) for r in rows], self.ours)
        self.assertEqual([int(r["kernel_number"]) for r in rows], list(range(1, len(figures) + 1)))
        self.assertEqual({r["trace"] for r in rows}, {"bfs-sm70"})
        for r in rows:
            self.assertAlmostEqual(float(r["ratio"]), float(r["simulated"]) / float(r["measured"]), places=6)

    def named(self, figures=FIGURES, name="void bfs<int, 4>(int *, int)"):
        return [(name, f) for f in figures]

    def test_metric_lines(self):
        text = metric_lines(self.named(grouped(FIGURES)))
        self.check(text)
        self.check("==PROF== Connected to process 71\nan app says \"this, \"that,\n==PROF== Profiling \"bfs\": 0%....100% - 1 pass\n\n" + text)
        self.check(text.replace("\n", "\r\n"))
        self.check("\ufeff" + text)
        self.check(text.rstrip("\n"))
        self.check("x" * (2 << 20) + ",\n" + ",".join(["a"] * 70000) + "\n\0\n" + text)

    def test_other_names_of_cycles(self):
        for metric in ("gpc__cycles_elapsed.avg", "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max", "Elapsed Cycles"):
            self.check(metric_lines(self.named(), metric))
            self.check(raw_page(self.named(), metric))
        both = quoted([["Kernel Name", "Elapsed Cycles", "gpc__cycles_elapsed.max"]] + [["bfs", "n/a", f] for f in FIGURES])
        self.check(both)

    def test_preferred_is_empty(self):
        """A known column without a value is passed over, and a line says so; where none has any, the preferred one is missed."""
        both = quoted([["kernel", "cycles", "gpc__cycles_elapsed.max"]] + [["bfs", f, "n/a"] for f in FIGURES])
        note = "warpwright: note: hw.csv: no kernel has a value of 'gpc__cycles_elapsed.max'; taken is '{}'\n"
        self.check(both)
        self.assertEqual(self.said, note.format("cycles"))
        self.write("hw.csv", both)
        self.assertTrue(self.correlate(self.run, "--hardware", "hw.csv").startswith("cycles, simulated, beside cycles, measured\n"))
        absent = metric_lines(self.named(["(!) n/a"] * len(FIGURES)))
        lines = absent + metric_lines(self.named(), "Elapsed Cycles").split("\n", 1)[1]
        self.check(lines)
        self.assertEqual(self.said, note.format("Elapsed Cycles"))
        self.write("hw.csv", both.replace(f'"{FIGURES[0]}","n/a"', f'"{FIGURES[0]}","1"'))
        self.refused(r"hw\.csv:3: kernel 'bfs' has no 'gpc__cycles_elapsed\.max'; expected it of every kernel", self.run, "--hardware", "hw.csv")
        self.write("hw.csv", absent)
        self.refused(r"hw\.csv:\d+: kernel '.*' has no 'gpc__cycles_elapsed\.max'; expected it of every kernel", self.run, "--hardware", "hw.csv")

    def test_raw_page(self):
        self.check("==PROF== Connected\n" + raw_page(self.named(grouped(FIGURES))))
        self.check(raw_page(self.named(grouped(FIGURES))).replace("\n", "\r\n"))

    def test_units(self):
        """A unit a figure, or a column; times are nanoseconds."""
        units = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9,
                 "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "byte": 1, "inst": 1, "%": 1, "Ghz": 1e9, "GHz": 1e9, "": 1}
        for unit, scale in units.items():
            for form in (metric_lines, raw_page):
                self.check(form(self.named(), "gpu__time_duration.sum", unit), [f * scale for f in FIGURES], ("--column", "gpu__time_duration.sum"))
        text = metric_lines(self.named(["1,000", "2.5"], "bfs"), "t", "usecond") + metric_lines(self.named([3, 4, 5, 6, 7], "bfs"), "t", "ms")
        self.check(text, [1000e3, 2500, 3e6, 4e6, 5e6, 6e6, 7e6], ("--column", "t"))

    def test_several_applications(self):
        """Names of columns stand before each application's kernels; numbers begin anew."""
        parts = self.named(grouped(FIGURES))
        for form in (metric_lines, raw_page):
            self.check(form(parts[:3]) + "==PROF== Disconnected\n==PROF== Connected\n" + form(parts[3:]))
        moved = quoted([["gpc__cycles_elapsed.max", "Kernel Name"]] + [[f, "bfs"] for f in FIGURES[3:]])
        self.check(raw_page(parts[:3]) + moved)

    def test_nvprof(self):
        head = ["Device", "Context", "Stream", "Kernel", "Correlation_ID", "elapsed_cycles_sm"]
        rows = [["Tesla V100 (0)", 1, 7, f"bfs(int*, int) [{100 + i}]", 100 + i, f * 80] for i, f in enumerate(FIGURES)]
        said = "==71== NVPROF is profiling process 71, command: ./app \"a b\n==71== Profiling result:\n"
        self.check(said + quoted([head] + rows) + "==71== Warning: of it\n", words=("--column", "elapsed_cycles_sm/80"))
        head = ["Start", "Duration", "Grid X", "Name", "Correlation_ID"]
        rows = [[i, f, 4, f"bfs [{100 + i}]", 100 + i] for i, f in enumerate(FIGURES)]
        rows.insert(2, [2, 9, "", "[CUDA memcpy HtoD]", 99])
        self.check(said + quoted([head]) + "ms,us,,,\n==71== Warning: of it\n" + quoted(rows), [f * 1e3 for f in FIGURES], ("--column", "Duration"))

    def test_nsys(self):
        head = "Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Strm,Name\n"
        rows = [f'{100 * i},{f},{i},4,,"NVIDIA, V100 (0)",7,"void bfs<int, 4>(int *, int)"\n' for i, f in enumerate(FIGURES)]
        rows[1:1] = ["50,99,2,,0.004,V100 (0),7,[CUDA memcpy Host-to-Device]\n", "60,99,2,,0.004,V100 (0),7,[CUDA memset]\n"]
        text = "\nNOTICE: Existing SQLite export found\n        \nProcessing [r.sqlite] with [cuda_gpu_trace.py]... \n" + head + "".join(rows)
        self.check(text, words=("--column", "Duration (ns)"))
        self.check(text, [f * 1.5 for f in FIGURES], ("--column", "Duration (ns)*1.5"))
        self.check(text, [f / 2 for f in FIGURES], ("--column", "Duration (ns)/2"))

    def test_plain(self):
        self.check(plain(self.named(name="bfs")))
        self.check("cycles , kernel\n" + "".join(f" {f} , bfs \n\n" for f in FIGURES))
        self.check("kernel,cycles,\n" + "".join(f"bfs,{f},,\n" for f in FIGURES))
        self.check("kernel,cycles,trace\n" + "".join(f"bfs,{f},bfs-sm70\n" for f in FIGURES))
        self.check('kernel,cycles\n' + "".join(f'"void ""a"", b::bfs(int,\nint)",{f}\n' for f in FIGURES))
        self.check("kernel,my figure\n" + "".join(f"bfs,{f}\n" for f in FIGURES), words=("--column", "my figure"))
        texts = ["1e3", "1234567", '"1,234,567"', "12.50", "0.5", "0005", '"1,234.5"']
        self.check(plain(self.named(texts, "bfs")), [1000, 1234567, 1234567, 12.5, 0.5, 5, 1234.5])

    def test_column_names_with_signs(self):
        """Only a number behind the last * or / is a scale."""
        for column, scale in (("a/b", 1), ("a*", 1), ("a/b*2", 2), ("a*b/4", 0.25), ("a*0x2", 1), ("a/0", 1), ("a*-2", 1)):
            name = re.sub(r"[*/][24]$", "", column) if scale != 1 else column
            self.check(plain(self.named(name="bfs"), name), [f * scale for f in FIGURES], ("--column", column))

    def test_measure(self):
        self.write("hw.csv", plain(self.named(name="bfs"), "smsp__inst_executed.sum"))
        kernels = json.loads(self.read(self.run))["kernels"]
        words = (self.run, "--hardware", "hw.csv", "--column", "smsp__inst_executed.sum", "--measure")
        for measure, value in (("warp_instructions", lambda k: k["warp_instructions"]), ("thread_instructions/warp_instructions", lambda k: k["thread_instructions"] / k["warp_instructions"]),
                               ("dram.frfcfs.row_h*", lambda k: k["counters"]["dram.frfcfs.row_hits"])):
            rows = self.pairs(*words, measure)
            for row, kernel in zip(rows, kernels):
                self.assertAlmostEqual(float(row["simulated"]), value(kernel))
        self.assertIn("warp_instructions, simulated, beside smsp__inst_executed.sum, measured\n", self.correlate(*words, "warp_instructions"))


class Choice(Case):
    """Which figures go with which kernels."""

    def setUp(self):
        super().setUp()
        self.bfs, bfs = self.simulate("bfs-sm70")
        self.two, two = self.simulate("micro-two-kernels")
        self.names = {"bfs-sm70": [n for n, _ in bfs], "micro-two-kernels": [n for n, _ in two]}

    def file(self, path, trace, first, column=False):
        names = self.names[trace]
        head = "kernel,cycles" + (",trace" if column else "") + "\n"
        return self.write(path, head + "".join(f"{n},{first + i}" + (f",{trace}" if column else "") + "\n" for i, n in enumerate(names)))

    def check(self, *words):
        rows = self.pairs(self.bfs, self.two, *words)
        self.assertEqual([(r["trace"], int(r["measured"])) for r in rows], [("bfs-sm70", 100 + i) for i in range(7)] + [("micro-two-kernels", 200 + i) for i in range(3)])
        self.assertEqual(self.said, "")

    def test_ways(self):
        self.file("hw/bfs-sm70.csv", "bfs-sm70", 100)
        self.file("hw/micro-two-kernels.csv", "micro-two-kernels", 200)
        self.check("--hardware", "hw/{trace}.csv")
        self.check("--hardware", "bfs-sm70=hw/bfs-sm70.csv", "--hardware", "micro-two-kernels=hw/micro-two-kernels.csv")
        whole = os.path.join(TRACES, "bfs-sm70")
        self.check("--hardware", f"{whole}=hw/bfs-sm70.csv", "--hardware", "micro-two-kernels=hw/micro-two-kernels.csv")
        one = self.read(self.file("a.csv", "bfs-sm70", 100, True)) + self.read(self.file("b.csv", "micro-two-kernels", 200, True)).split(b"\n", 1)[1]
        self.write("all.csv", one)
        self.check("--hardware", "all.csv")
        self.check("--hardware", "a.csv", "--hardware", "b.csv")
        lines = one.decode().splitlines()
        mixed = lines[:1] + [line for pair in zip(lines[1:8], lines[8:] + [""] * 4) for line in pair if line]
        self.write("mixed.csv", "\n".join(mixed) + "\nk,5,of no run\n")
        self.check("--hardware", "mixed.csv")
        self.check("--hardware", "bfs-sm70=all.csv", "--hardware", "micro-two-kernels=all.csv")
        self.write("a=b.csv", one)
        self.check("--hardware", "a=b.csv")

    def test_some_traces(self):
        self.file("hw/bfs-sm70.csv", "bfs-sm70", 100)
        rows = self.pairs(self.bfs, self.two, "--hardware", "hw/{trace}.csv")
        self.assertEqual({r["trace"] for r in rows}, {"bfs-sm70"})
        self.assertEqual(self.said, "warpwright: note: 1 of 2 traces has no measured figures and is left out, 'micro-two-kernels' first\n")

    def test_repeats(self):
        for n in range(3):
            self.file(f"{n}.csv", "bfs-sm70", 100 * (n + 1) ** 2)
        words = [w for n in range(3) for w in ("--hardware", f"{n}.csv")]
        self.assertEqual(self.measured(self.bfs, *words), [float(f"{1400 / 3 + i:.15g}") for i in range(7)])
        self.assertEqual(self.measured(self.bfs, *words, "--column", "cycles*3"), [1400.0 + 3 * i for i in range(7)])

    def test_more_measured(self):
        self.file("hw.csv", "bfs-sm70", 100)
        with open(self.path("hw.csv"), "a") as f:
            f.write("later,5\nlater,6\n")
        self.assertEqual(self.measured(self.bfs, "--hardware", "hw.csv"), [100.0 + i for i in range(7)])
        self.assertEqual(self.said, "warpwright: note: 2 measured kernels behind the last that was simulated are left out\n")

    def test_partial(self):
        """A run that a limit cut: its kernels count, and one line says so."""
        self.command("run", "-c", "qv100", os.path.join(TRACES, "bfs-sm70"), "--report=none", "--progress=none", "--max-cycles", "10000", "-o", "cut.json", status=1)
        kernels = json.loads(self.read("cut.json"))["kernels"]
        partial = sum(k["partial"] for k in kernels)
        self.assertEqual(partial, 1)
        self.file("hw.csv", "bfs-sm70", 100)
        self.assertEqual(len(self.measured("cut.json", "--hardware", "hw.csv")), len(kernels))
        self.assertIn(f"note: {7 - len(kernels)} measured kernels behind the last that was simulated are left out\n", self.said)
        self.assertIn("note: 1 kernel is partial: ", self.said)

    def test_columns(self):
        other, _ = self.simulate("bfs-sm70", "titanv")
        self.file("hw.csv", "bfs-sm70", 100)
        rows = self.pairs(self.bfs, other, "--hardware", "hw.csv", "--columns", "config")
        self.assertEqual([r["config"] for r in rows], ["qv100"] * 7 + ["titanv"] * 7)
        out = self.correlate(self.bfs, other, "--hardware", "hw.csv", "--columns", "config")
        self.assertRegex(out, r"\nqv100 +7 .*\ntitanv +7 ")
        self.assertEqual(self.read("pairs.csv").split(b"\n", 1)[0], b"config,trace,kernel_number,kernel,measured,simulated,ratio")
        self.pairs(self.bfs, other, "--hardware", "hw.csv", "--columns", "trace", "--where", "config=titanv")
        self.assertEqual(self.read("pairs.csv").split(b"\n", 1)[0], b"trace,kernel_number,kernel,measured,simulated,ratio")
        rows = self.pairs(self.bfs, other, "--hardware", "hw.csv", "--where", "config=titanv")
        self.assertEqual(len(rows), 7)
        self.refused(r"several runs of trace '.*bfs-sm70' differ in 'config'; expected --columns config, or --where config=\.\.\.", self.bfs, other, "--hardware", "hw.csv")

    def test_traces(self):
        """Kernels that were measured and simulated are added up."""
        self.file("hw/bfs-sm70.csv", "bfs-sm70", 100)
        self.file("hw/micro-two-kernels.csv", "micro-two-kernels", 200)
        with open(self.path("hw/bfs-sm70.csv"), "a") as f:
            f.write("later,5\n")
        rows = self.pairs(self.bfs, self.two, "--hardware", "hw/{trace}.csv", "--traces")
        self.assertEqual([(r["trace"], r["kernel_number"], r["kernel"], int(r["measured"])) for r in rows],
                         [("bfs-sm70", "", "", 721), ("micro-two-kernels", "", "", 603)])
        cycles = [sum(k["cycles"] for k in json.loads(self.read(f))["kernels"]) for f in (self.bfs, self.two)]
        self.assertEqual([int(r["simulated"]) for r in rows], cycles)
        self.assertRegex(self.correlate(self.bfs, self.two, "--hardware", "hw/{trace}.csv", "--traces"), r"\ntrace +measured.*\n[\s\S]* traces +error")

    def test_database(self):
        self.command("db", "import", "runs.db", self.bfs, self.two)
        self.file("hw/bfs-sm70.csv", "bfs-sm70", 100)
        self.file("hw/micro-two-kernels.csv", "micro-two-kernels", 200)
        files = self.correlate(self.bfs, self.two, "--hardware", "hw/{trace}.csv")
        self.assertEqual(self.correlate("runs.db", "--hardware", "hw/{trace}.csv"), files)


class Figures(Case):
    """What is computed, and what is drawn."""

    def make(self, ours, theirs, config="qv100", name="hw.csv"):
        self.write(name, plain([(f"k{i}", repr(t)) for i, t in enumerate(theirs)]))
        return self.write(f"{config}.json", result("suite/app", [(f"k{i}", c) for i, c in enumerate(ours)], config))

    def fits(self, *words):
        return [line.split() for line in self.correlate(*words).rstrip("\n").split("\n\n")[-1].split("\n")[2:]]

    def test_statistics(self):
        rng = random.Random(7)
        for n in (1, 2, 3, 5, 40, 41, 300):
            for spread in (0.05, 0.5, 3):
                ours = [rng.randrange(1, 10 ** rng.randrange(2, 10)) for _ in range(n)]
                theirs = [float(f"{c * math.exp(rng.gauss(0, spread)):.6g}") for c in ours]
                self.assertEqual(self.fits(self.make(ours, theirs), "--hardware", "hw.csv"), [fit_line(theirs, ours)])

    def test_large_and_alike(self):
        """Large figures that differ little keep their digits; those that do not differ have no correlation."""
        ours, theirs = [10 ** 9 + i * i for i in range(9)], [10 ** 9 + 10 * i for i in range(9)]
        ours[0], theirs[0] = 3, 2
        self.assertEqual(self.fits(self.make(ours, theirs), "--hardware", "hw.csv"), [fit_line(theirs, ours)])
        self.assertEqual(self.fits(self.make(ours[1:], theirs[1:]), "--hardware", "hw.csv"), [fit_line(theirs[1:], ours[1:])])
        self.assertEqual(self.fits(self.make([5] * 4, [1, 2, 3, 4]), "--hardware", "hw.csv")[0][4:6], ["-", "-"])

    def test_nothing_measured(self):
        """A figure of 0 has no ratio, and no error."""
        ours, theirs = [10, 20, 30, 0], [0, 25, 30, 8]
        run = self.make(ours, theirs)
        self.assertEqual(self.fits(run, "--hardware", "hw.csv"), [fit_line(theirs, ours)])
        self.assertRegex(self.correlate(run, "--hardware", "hw.csv"), r"\napp 1 k0 +0 +10 +- +-\n")
        self.assertEqual([r["ratio"] for r in self.pairs(run, "--hardware", "hw.csv")], ["", "0.8", "1", "0"])
        self.assertEqual(self.fits(self.make([1, 2], [0, 0]), "--hardware", "hw.csv"), [["2", "-", "-", "-", "-", "0", "0", "0"]])

    def test_limits(self):
        """The ends of the ranges are within them."""
        self.assertEqual(self.fits(self.make([110, 125, 150, 50], [100, 100, 100, 100]), "--hardware", "hw.csv")[0][-3:], ["1", "2", "4"])

    def test_series(self):
        rng = random.Random(9)
        theirs = [rng.randrange(100, 10 ** 6) for _ in range(50)]
        runs, expected = [], []
        for config in ("a", "b", "c"):
            ours = [max(1, round(t * rng.uniform(0.5, 2))) for t in theirs]
            runs.append(self.make(ours, theirs, config))
            expected.append([config] + fit_line(theirs, ours))
        self.assertEqual(self.fits(*runs, "--hardware", "hw.csv", "--columns", "config"), expected)

    def test_farthest(self):
        ours = [1000] * 60
        theirs = [1000 + 10 * ((i * 7) % 60) for i in range(60)]
        out = self.correlate(self.make(ours, theirs), "--hardware", "hw.csv")
        self.assertIn("the 40 of 60 that are farthest off\n", out)
        shown = [int(m) for m in re.findall(r"\napp (\d+) k\d+ ", out)]
        worst = sorted(range(60), key=lambda i: (-abs(ours[i] - theirs[i]) / theirs[i], i))
        self.assertEqual(shown, [i + 1 for i in worst[:40]])

    def test_files(self):
        run = self.make([10, 200, 3000], [12, 190, 3300])
        names = ["p.csv", "p.svg", "p.pdf", "p.gp"]
        words = [w for n in names for w in ("-o", n)]
        self.assertEqual(self.correlate(run, "--hardware", "hw.csv", *words, "--title", "a <b> & c"), "")
        first = [self.read(n) for n in names]
        self.correlate(run, "--hardware", "hw.csv", *words, "--title", "a <b> & c")
        self.assertEqual([self.read(n) for n in names], first)
        xml.dom.minidom.parseString(first[1])
        self.assertIn(b"a &lt;b> &amp; c", first[1])
        self.assertTrue(first[2].startswith(b"%PDF"))
        script = first[3].decode()
        self.assertIn("set xrange [10:10000]\nset yrange [10:10000]\n", script)
        self.assertIn(", x with lines ", script)
        self.assertIn("measured: cycles", script)

    def test_linear(self):
        """A figure of 0 has no place on a logarithmic axis."""
        self.correlate(self.make([10, 0, 3000], [12, 190, 3300]), "--hardware", "hw.csv", "-o", "p.gp", "-o", "p.svg")
        script = self.read("p.gp").decode()
        self.assertIn("set xrange [0:3465]\nset yrange [0:3465]\n", script)
        self.assertNotIn("logscale", script)

    def test_far_ends(self):
        """Any figure that is read can be drawn."""
        for theirs in ([1e30, 1e-30, 5], [0, 0, 0], [1e-30] * 3, [7, 7, 7]):
            self.correlate(self.make([10, 20, 7], theirs), "--hardware", "hw.csv", "-o", "p.svg")
            self.assertNotIn(b"nan", self.read("p.svg").lower())
            out = self.correlate("qv100.json", "--hardware", "hw.csv")
            self.assertNotRegex(out, r"nan|inf")
            self.assertLessEqual(max(map(len, out.split("\n"))), 80)

    def test_all_or_none(self):
        run = self.make([10, 200, 3000], [12, 190, 3300])
        self.write("old.csv", "old")
        os.mkdir(self.path("folder.svg"))
        self.correlate(run, "--hardware", "hw.csv", "-o", "old.csv", "-o", "folder.svg", status=2)
        self.assertEqual(self.read("old.csv"), b"old")
        self.correlate(run, "--hardware", "hw.csv", "-o", "old.csv", "-o", "none/x.svg", status=2)
        self.assertEqual(self.read("old.csv"), b"old")
        env = dict(os.environ, PATH="/nowhere")
        done = subprocess.run([COMMAND, "correlate", run, "--hardware", "hw.csv", "-o", "old.csv", "-o", "x.svg"], cwd=self.folder, env=env, capture_output=True, text=True)
        self.assertEqual((done.returncode, self.read("old.csv"), os.path.exists(self.path("x.svg"))), (2, b"old", False))
        self.assertRegex(done.stderr, r"^warpwright: cannot run gnuplot .*expected it installed")
        self.assertEqual([f for f in os.listdir(self.folder) if f.startswith((".", "old.csv."))], [])


class Shown(Case):
    """Nothing that is printed is an order to a terminal, or wider than it."""

    def on_terminal(self, columns, *words):
        status, out = run_on_terminal([COMMAND, "correlate", *words], columns, cwd=self.folder)
        self.assertEqual(status, 0)
        return out

    def test_width(self):
        name = "void cutlass::Kernel<" + "a_long_word, " * 30 + ">(int)"
        run = self.write("r.json", result("suite/an-application", [(name, 1000 + i) for i in range(5)]))
        self.write("hw.csv", plain([(name, 1100) for _ in range(5)]))
        for columns in (80, 100, 200):
            out = self.on_terminal(columns, run, "--hardware", "hw.csv", "--columns", "config")
            widest = max(map(len, out.split("\n")))
            self.assertLessEqual(widest, columns)
            self.assertGreater(widest, columns - 3)
        self.assertLessEqual(max(map(len, self.correlate(run, "--hardware", "hw.csv").split("\n"))), 80)
        self.on_terminal(1, run, "--hardware", "hw.csv")

    def test_hostile(self):
        odd = "k\x1b[31m\n\x9b2J\té\x7f"
        run = self.write("r.json", result(odd, [(odd, 1000), (odd, 2000)], odd))
        self.write("hw.csv", "kernel,figure\x1b,trace\n" + f'"{odd}",900,"{odd}"\n' * 2)
        for words in ((), ("--columns", "config"), ("--traces",)):
            out = self.correlate(run, "--hardware", "hw.csv", "--column", "figure\x1b", *words)
            self.assertNotRegex(out, CONTROL)
            self.assertIn(r"k\x1b[31m\n\x" if "config" in words else r"k\x1b[31m\n\x9b2J\té\x7f", out)
            self.assertIn(r"figure\x1b", out)
        self.correlate(run, "--hardware", "hw.csv", "--column", "figure\x1b", "--columns", "config", "--title", odd.replace("\n", ""), "-o", "o.csv", "-o", "o.gp", "-o", "o.svg")
        for name in ("o.csv", "o.gp", "o.svg"):
            self.assertNotRegex(self.read(name).decode(), "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        xml.dom.minidom.parseString(self.read("o.svg"))
        with open(self.path("o.csv"), newline="") as f:
            self.assertEqual(len(list(csv.DictReader(f))), 2)

    def test_no_text(self):
        """Bytes that are no UTF-8."""
        run = self.write("r.json", result("app", [("k", 1000)]))
        self.write("hw.csv", b"kernel,\xc3\xff cycles\nk\xff,900\n".replace(b"k\xff,", b"k,"))
        out = self.command("correlate", run, "--hardware", "hw.csv", "--column", b"\xc3\xff cycles")
        self.assertIn(" cycles, measured\n", out)
        self.write("hw.csv", b"kernel,cycles\nk\xc3,900\n")
        self.refused(r"hw\.csv:2: kernel 1 is 'k.*', and 'k' in trace 'app'; expected the kernels of the trace, in their order", run, "--hardware", "hw.csv")


if __name__ == "__main__":
    unittest.main()
