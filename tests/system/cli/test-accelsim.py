#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders and scrapers of Accel-Sim: several traces below a folder, the report as a file, and what its lines are called here."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

WARPWRIGHT = os.environ["WARPWRIGHT"]
TRACES = os.path.join(os.environ["WW_SOURCE_DIR"], "tests", "traces")
MODERN = os.path.join(os.environ["WW_SOURCE_DIR"], "tests", "system", "modern_machines", "records", "kern-gemm")
# APP/ARGS as the tracer leaves them, and what is in each.
TREE = {"vecadd/NO_ARGS": "vecadd-sm70", "chase/_n_4": "micro-two-kernels", "sgemm/64": "micro-partial-warp"}

# What a scraper asks for: the name, blanks, and where the figure is; most recent first in a line each.
SCRAPED = [r"gpu_tot_sim_insn\s*=\s*(\d+)$", r"gpu_tot_sim_cycle\s*=\s*(\d+)$", r"gpu_tot_ipc\s*=\s*([\d.]+)$", r"gpu_ipc\s*=\s*([\d.]+)$",
           r"gpu_occupancy\s*=\s*(.*)%", r"L2_BW\s*=\s*([\d.]+) GB/Sec", r"gpgpu_n_tot_w_icount\s*=\s*(\d+)$", r"total dram reads\s*=\s*(\d+)$",
           r"total dram writes\s*=\s*(\d+)$", r"kernel_launch_uid\s*=\s*(\d+)", r"gpgpu_n_shmem_bkconflict\s*=\s*(\d+)$",
           r"gpgpu_n_l1cache_bkconflict\s*=\s*(\d+)$", r"\s+L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[HIT\]\s*=\s*(\d+)$",
           r"\s+L2_cache_stats_breakdown\[GLOBAL_ACC_W\]\[TOTAL_ACCESS\]\s*=\s*(\d+)$",
           r"\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[MSHR_HIT\]\s*=\s*(\d+)$",
           r"\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_W\]\[HIT\]\s*=\s*(\d+)$",
           r"gpgpu_simulation_time\s*=.*\((\d+) sec\)", r"gpgpu_simulation_rate\s+=\s+(\d+)\s+\(inst/sec\)",
           r"gpgpu_simulation_rate\s+=\s+(\d+)\s+\(cycle/sec\)", r"gpgpu_silicon_slowdown\s*=\s*(\d+)x"]


ICACHE = ["-s", "sm.has_l1i=true"] # a cache of the same type as the L1D


def call(*words, status=0, cwd=None):
    p = subprocess.run([WARPWRIGHT] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False, timeout=300, cwd=cwd)
    if p.returncode != status:
        raise AssertionError("%s: status %d\n%s" % (" ".join(words), p.returncode, p.stderr.decode()))
    return p.stdout.decode(), p.stderr.decode()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def plant(folder):
    for name, trace in TREE.items():
        shutil.copytree(os.path.join(TRACES, trace), os.path.join(folder, name, "traces"))


class Trees(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.top = self.place.name
        self.hw = os.path.join(self.top, "hw", "12.1")
        plant(self.hw)

    def tearDown(self):
        self.place.cleanup()

    def test_table(self):
        """A row each, in the order of names, with the cycles of a run alone."""
        out, _ = call("run", "-c", "qv100", "--progress=none", self.hw)
        rows = out.splitlines()
        self.assertEqual([r.split()[0] for r in rows], ["trace"] + sorted(TREE))
        for row in rows[1:]:
            name, kernels, cycles = row.split()[:3]
            call("run", "-c", "qv100", "--report=none", "--progress=none", "-o", "one.json", os.path.join(self.hw, name), cwd=self.top)
            one = json.loads(read(self.top, "one.json"))
            self.assertEqual((int(kernels), int(cycles.replace(",", ""))), (len(one["kernels"]), one["total"]["cycles"]))
        above, _ = call("run", "-c", "qv100", "--progress=none", self.top)
        self.assertEqual([r.split()[0] for r in above.splitlines()[1:]], ["hw/12.1/" + n for n in sorted(TREE)])

    def test_files(self):
        """{trace} in a file's name, and folders made for it."""
        call("run", "-c", "qv100", "--progress=none", "-o", "out/{trace}.json", "--report=accelsim", "--report-file", "sim/{trace}/QV100/r.o1",
             "--events={trace}.log", self.hw, cwd=self.top)
        for name in TREE:
            json.loads(read(self.top, "out", name + ".json"))
            text = read(self.top, "sim", name, "QV100", "r.o1")
            self.assertTrue(text.endswith("GPGPU-Sim: *** exit detected ***\n"))
            shown, _ = call("run", "-c", "qv100", "--progress=none", "--report=accelsim", os.path.join(self.hw, name))
            self.assertEqual(re.sub(r"\S*/traces", "", text), re.sub(r"\S*/traces", "", shown))
            self.assertGreater(os.path.getsize(os.path.join(self.top, name + ".log")), 0)

    def test_one(self):
        """{trace} of a single trace: its folder, or its file; printed as always."""
        shown, _ = call("run", "-c", "qv100", "--progress=none", "-o", "{trace}.json", os.path.join(self.hw, "vecadd"), cwd=self.top)
        self.assertIn("issue slots", shown)
        self.assertTrue(os.path.exists(os.path.join(self.top, "NO_ARGS.json")))
        folder = os.path.join(self.hw, "chase", "_n_4", "traces")
        call("run", "-c", "qv100", "--progress=none", "-o", "a/{trace}.csv", os.path.join(folder, "kernelslist.g"), cwd=self.top)
        self.assertTrue(os.path.exists(os.path.join(self.top, "a", "_n_4.csv")))
        kernel = [f for f in os.listdir(folder) if f.startswith("kernel-1")][0]
        call("run", "-c", "qv100", "--progress=none", "-o", "b/{trace}.csv", os.path.join(folder, kernel), cwd=self.top)
        self.assertTrue(os.path.exists(os.path.join(self.top, "b", "kernel-1.csv")))

    def test_failures(self):
        """One that is broken is a row, leaves nothing behind, and the others are run; the status is the worst."""
        bad = os.path.join(self.hw, "sgemm", "64", "traces", "kernelslist.g")
        with open(bad, "w", encoding="utf-8") as f:
            f.write("kernel-7.traceg\n")
        out, err = call("run", "-c", "qv100", "--progress=none", "-o", "out/{trace}.json", "--report-file=r/{trace}", self.hw, status=2, cwd=self.top)
        self.assertRegex(out, r"(?m)^sgemm/64\s+failed$")
        self.assertIn("no kernel trace 'kernel-7.traceg'", err)
        self.assertEqual(sorted(os.listdir(os.path.join(self.top, "out"))), ["chase", "vecadd"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.top, "r"))), ["chase", "vecadd"])
        out, _ = call("run", "-c", "qv100", "--progress=none", "--max-cycles=100", self.hw, status=2)
        self.assertEqual(len(re.findall(r"(?m)  limit$", out)), 2)

    def test_pages(self):
        """Reports of several, if asked for, under their names; fingerprints in the table."""
        out, _ = call("run", "-c", "qv100", "--progress=none", "--report=summary", self.hw)
        self.assertEqual(re.findall(r"(?m)^== (.*) ==$", out), sorted(TREE))
        self.assertEqual(out.count("issue slots (schedulers"), 3)
        out, _ = call("run", "-c", "qv100", "--progress=none", "--fingerprint", self.hw)
        self.assertEqual(len(re.findall(r"  [0-9a-f]{16}  ", out)), 3)

    def test_interrupted(self):
        """The one that runs is told to stop, and no other begins; what there is of it is written."""
        shutil.copytree(os.path.join(TRACES, "chase-sm70"), os.path.join(self.hw, "sgemm", "32", "traces"))
        with open(os.path.join(self.top, "said"), "wb") as said:
            p = subprocess.Popen([WARPWRIGHT, "run", "-c", "qv100", "--progress=none", "--no-sleep", "-o", "{trace}.json", self.hw], cwd=self.top,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
        for _ in range(2): # the head, and the trace before
            p.stdout.readline()
        while p.poll() is None and ", cycle " not in read(self.top, "said"): # asked where it stands, it says so when it simulates
            p.send_signal(signal.SIGUSR1)
            time.sleep(0.05)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=300)[0], read(self.top, "said")
        self.assertEqual(p.returncode, 1, err)
        self.assertRegex(out.decode(), r"^sgemm/32 .*  interrupted\n$")
        self.assertIn("2 of 4 traces were not run", err)
        self.assertTrue(json.loads(read(self.top, "sgemm", "32.json"))["partial"])
        self.assertFalse(os.path.exists(os.path.join(self.top, "vecadd")))

    def test_links(self):
        """A link that leads round is gone once; a list twice is found twice only by two names."""
        os.symlink("..", os.path.join(self.hw, "vecadd", "round"))
        out, _ = call("run", "-c", "qv100", "--progress=none", self.hw)
        self.assertEqual(len(out.splitlines()), 4)


class Scrapers(unittest.TestCase):
    def test_lines(self):
        with tempfile.TemporaryDirectory() as top:
            out, _ = call("run", "-c", "qv100", "--progress=none", "--host", "--report=accelsim", os.path.join(TRACES, "vecadd-sm70"), cwd=top)
        lines = out.splitlines()
        for form in SCRAPED:
            self.assertTrue(any(re.search(form, line) for line in lines), form)
        self.assertIn("GPGPU-Sim: *** exit detected ***", lines)
        self.assertEqual([l for l in lines if re.match(r"kernel_name\s+=\s+(.*)", l)][0].split()[-1], "vecadd")


class Shim(unittest.TestCase):
    """docs/examples/accel-sim.out: the reference's name and options."""

    def call(self, *words, status=0):
        script = os.path.join(os.environ["WW_SOURCE_DIR"], "docs", "examples", "accel-sim.out")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "warpwright"), "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n')
            os.chmod(os.path.join(folder, "warpwright"), 0o755)
            p = subprocess.run([script, *words], env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=600)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stdout.decode().splitlines(), p.stderr.decode()

    def test_words(self):
        out, _ = self.call("-config", "a b.config", "-trace", "t/kernelslist.g", "-config", "-c")
        self.assertEqual(out[0], "Accel-Sim [build --version]")
        self.assertEqual(out[1:], ["run", "--report", "accelsim", "--host", "--progress", "none", "--gpgpusim", "a b.config", "--gpgpusim", "-c",
                                   "t/kernelslist.g"])
        for words in ([], ["-config", "x"], ["-trace"], ["-trace", "t", "-what"], ["-trace", "t", "-config"]):
            out, err = self.call(*words, status=2)
            self.assertEqual((out, err[:15]), ([], "accel-sim.out: "))


def names():
    """[(text, what it is)] of `list statistics`."""
    out, _ = call("list", "statistics")
    return [tuple(re.split(r" {2,}", line, maxsplit=1)) for line in out.splitlines()]


def pattern(text):
    """A line of the table as the beginning of lines of the report."""
    text = re.escape(text.replace(" ...", "")).replace(r"\*", ".*").replace(r"\ ", r"\s+")
    text = re.sub(r"\\\[[A-Z]+\\\]", r"\\[\\w+\\]", text)
    return re.compile(r"\s*" + re.sub(r"(?<![A-Za-z_])N(?![A-Z_])|(?<=bank_)N|(?<=W)N(?=:)|(?<=bk)N", r"[-\\w.]+", text) + r"(?!\w)")


def figure(formula, result):
    """The value of "A + B / C + D", or "A without B", in results of one kernel; None when the machine has no such counter."""
    total = result["total"]
    kernel = result["kernels"][0]
    counters = dict(total["counters"], **kernel["counters"])

    def one(name):
        where = {"kernels[].": kernel, "total.": total}
        for prefix, members in where.items():
            if name.startswith(prefix):
                return members[name[len(prefix):]]
        for n in range(2, name.count(".") + 2):
            head = ".".join(name.split(".")[:n])
            if head in counters:
                v = counters[head]
                label = name[len(head) + 1:]
                return v[label] if label else sum(v) if isinstance(v, list) else sum(v.values()) if isinstance(v, dict) else v
        raise KeyError(name)
    if " without " in formula:
        return one(formula.split(" without ")[0]) - one(formula.split(" without ")[1])
    sums = [sum(one(n.strip()) for n in part.split(" + ")) for part in formula.split(" / ")]
    return sums[0] if len(sums) == 1 else None if sums[1] == 0 else sums[0] / sums[1]


class Names(unittest.TestCase):
    """`list statistics`: every line of the report is in it, in this order, and every formula gives the figure that is printed."""

    def reports(self):
        with tempfile.TemporaryDirectory() as top:
            for trace, config, more in (("vecadd-sm70", "qv100", []), ("histogram-sm70", "qv100", []),
                                        ("transpose-sm70", "qv100", ["-s", "channel.dram.nbk=2", "-s", "channel.dram.nbkgrp=1"]), ("mma-sm86", "rtx3070", []),
                                        ("vecadd-sm70", "qv100", ["-s", "gpu.interconnect=network.routed"]),
                                        ("vecadd-sm70", "qv100", ICACHE),
                                        (MODERN, "rtx3080_modern", ["--sass", os.path.join(MODERN, "kernel.sass.xz")]),
                                        ("micro-two-kernels", "qv100", ["-s", "gpu.kernels.max_ctas=1"])):
                out, _ = call("run", "-c", config, *more, "--progress=none", "--host", "--fingerprint", "--report=accelsim", "-o", "x.json",
                              os.path.join(TRACES, trace), cwd=top)
                yield trace, out, json.loads(read(top, "x.json"))

    def test_all(self):
        table = [(pattern(text), text, what) for text, what in names()]
        self.assertGreater(len(table), 150)
        seen, checked = set(), set()
        for trace, out, result in self.reports():
            routed, single = False, len(result["kernels"]) == 1
            for line in out.splitlines():
                # headings, rows of numbers below a line of the table, and of the network with routers what follows its head
                routed = (routed or line.startswith("Class 0")) and not line.startswith("---")
                # (a network with routers has tables of its own)
                if routed or not line.strip(" \t-=") or re.match(r"[-=]{5}|.*:\s*$|\d+, |dram\[\d+\]:", line):
                    seen.update(t for p, t, _ in table if p.match(line))
                    continue
                fits = [(t, w) for p, t, w in table if p.match(line)]
                self.assertTrue(fits, "%s: the table has no %r" % (trace, line))
                text, what = max(fits, key=lambda f: len(f[0]))
                seen.add(text)
                formula = what.split(" (")[0][2:] if what.startswith("= ") else None
                if trace == MODERN and "modern SMs: " in what:
                    formula = re.search(r"modern SMs: ([^()]*)", what)[1]
                    formula = formula if re.fullmatch(r"[\w.]+( without [\w.]+)?", formula) else None
                value = re.search(r"= *(-?[\d.]+)(?: GB/Sec)? *$", line)
                if single and value and formula is not None and not ("cache.l1" in formula and (trace == MODERN or ICACHE[-1] in result["command"])):
                    wanted = figure(formula, result)
                    if wanted is not None:
                        got = float(value.group(1))
                        exact = " / " not in formula
                        self.assertAlmostEqual(got, int(wanted) if "cut off" in what else wanted, delta=0 if exact else 1e-4 * max(1, wanted) + 6e-4,
                                               msg="%s: %s is not %s" % (trace, line, what))
                        checked.add(text)
        self.assertGreater(len(checked), 60)
        never = {t for _, t, _ in table} - seen
        self.assertEqual(never, set())


if __name__ == "__main__":
    unittest.main()
