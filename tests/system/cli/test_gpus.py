#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUs that were not validated: what docs/gpus.md says of them holds, and they run traces of their version to the end."""

import json
import lzma
import os
import re
import subprocess
import tempfile
import unittest

TOP = os.environ["WW_SOURCE_DIR"]
TOOL = os.environ["WARPWRIGHT"]
VERSIONS = {"a100": 80, "rtx4090": 89, "h100": 90}
# Drawn programs, copies, tensor products, asynchronous copies, local memory.
TRACES = ["random-0016", "random-all-1040", "random-atom-1020", "random-cpa-1025", "random-loc-1030", "micro-hmma-chain", "micro-r255"]


def tool(*words):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=600)


def kernels(trace):
    folder = os.path.join(TOP, "tests/traces", trace)
    for name in sorted(os.listdir(folder)):
        if ".traceg" in name:
            opener = lzma.open if name.endswith(".xz") else open
            with opener(os.path.join(folder, name), "rt") as f:
                yield f.read()


class Gpus(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def file(self, name):
        return os.path.join(self.scratch.name, name)

    def results(self, *words):
        r = tool("run", "--report=none", "-o", self.file("r.json"), *words)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.file("r.json")) as f:
            return json.load(f), r.stderr

    def test_runs(self):
        for config, version in VERSIONS.items():
            for trace in TRACES:
                for text in kernels(trace):
                    text, n = re.subn(r"binary version = \d+", "binary version = %d" % version, text)
                    self.assertEqual(n, 1)
                    with open(self.file("k.traceg"), "w") as f:
                        f.write(text)
                    one, notes = self.results(self.file("k.traceg"))
                    self.assertEqual(one["config"], [config])
                    self.assertIn("note: no config was given: %s is taken, as the trace is sm_%d" % (config, version), notes)
                    self.assertIn("note: %s is not validated: " % config, notes)
                    self.assertNotIn("this trace is", notes)
                    self.assertNotIn("which no SM of this machine has", notes)
                    other, _ = self.results("-c", "rtx3070", self.file("k.traceg"))
                    self.assertEqual(one["total"]["ctas"], other["total"]["ctas"])
                    self.assertEqual(one["status"], "done")

    def test_page(self):
        """The page's figures are those of the machines."""
        with open(os.path.join(TOP, "docs/gpus.md")) as f:
            rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in f if line.startswith("| ")]
        names = [cell.strip("`") for cell in rows[0][1:4]]
        self.assertEqual(sorted(names), sorted(VERSIONS))
        with open(self.file("k.traceg"), "w") as f:
            f.write(next(kernels("micro-r255")))
        checked = 0
        for i, name in enumerate(names):
            has = self.results("-c", name, self.file("k.traceg"))[0]["resolved"]

            def value(path):
                found = {json.dumps(v) for p, v in has.items() if re.sub(r"\[[0-9*]+\]", "", p).endswith(path)}
                self.assertEqual(len(found), 1, path)
                return json.loads(found.pop())

            with open(os.path.join(TOP, "configs", name + ".conf")) as f:
                conf = f.read()
            self.assertIn("\nnot validated\n", conf)
            for row in rows[1:]:
                path = re.search(r"\(`([a-z0-9_.]+)`", row[0])
                if len(row) < 5 or (path is None and not re.match("L2|DRAM", row[0])):
                    continue
                said = row[1 + i]
                checked += 1
                if row[0].startswith("L2"):
                    size = value("l2.sets") * value("l2.ways") * value("l2.line") * value("gpu.channels") * value("gpu.slices")
                    self.assertEqual(int(said) << 20, size)
                elif row[0].startswith("DRAM"):
                    clock = float(re.search(r"dram_clock = ([\d.]+)MHz", conf).group(1)) * 1e6
                    moved = clock * value("dram.buswidth") * value("dram.data_command_ratio") * value("gpu.channels")
                    self.assertAlmostEqual(int(said), moved / 1e9, delta=1)
                elif path.group(1) == "core_clock":
                    self.assertRegex(conf, r"core_clock = %sMHz" % said.split()[0])
                elif path.group(1) == "sm.l1d.max_bytes":
                    self.assertEqual(int(said) << 10, value("l1d.max_bytes"))
                    self.assertEqual(int(said) << 10, value("l1d.sets") * value("l1d.ways") * value("l1d.line"))
                elif path.group(1) == "sm.decode.lat_sp":
                    self.assertEqual([int(n) for n in said.split(",")], [value("decode.lat_sp")[1], value("decode.lat_dp")[1]])
                elif path.group(1) == "sm.decode.lat_spec3":
                    self.assertEqual(int(said), value("decode.lat_spec3")[1])
                else:
                    self.assertEqual(int(said), value(path.group(1)), path.group(1))
        self.assertEqual(checked, 69)

    def test_one_sm(self):
        """--sms and an ideal memory are for every GPU, whatever it does with the L2 that it then has not."""
        trace = os.path.join(TOP, "tests/traces/vecadd-sm70") # of opcodes that all have
        configs = [line.split()[0] for line in tool("list", "configs").stdout.splitlines()]
        files = {name[:-5] for name in os.listdir(os.path.join(TOP, "configs")) if name.endswith(".conf")}
        self.assertEqual(files - set(configs), set())
        for config in sorted(files - {"minimal"}): # which has one SM and an ideal memory, and no GPU
            one, _ = self.results("-c", config, "--sms", "1", trace)
            self.assertEqual((one["status"], one["total"]["sms"]), ("done", 1), config)
            self.assertFalse([name for name in one["total"]["counters"] if name.startswith(("l2_flush.", "cache.l2.", "dram."))], config)
        for words in (["-c", "rtx3070", "-s", "gpu.flush_l2=true"], ["-c", "rtx3080_modern"]):
            one, _ = self.results(*words, "-s", "gpu.ideal_memory=true", trace)
            other, _ = self.results(*words, "-s", "gpu.ideal_memory=true", "-s", "gpu.flush_l2=false", trace)
            self.assertEqual(one["total"], other["total"])

    def test_own(self):
        """What includes one of them is not validated either; the others are."""
        with open(self.file("mine.conf"), "w") as f:
            f.write('include "h100.conf"\n')
        with open(self.file("k.traceg"), "w") as f:
            f.write(next(kernels("micro-r255")))
        self.assertIn("note: h100 is not validated", self.results("-c", self.file("mine.conf"), self.file("k.traceg"))[1])
        self.assertNotIn("validated", self.results("-c", "qv100", self.file("k.traceg"))[1])
        r = tool("inspect", "-c", "a100", "--why", "gpu.clusters")
        self.assertIn("note: a100 is not validated", r.stderr)
        lines = [line for line in tool("list", "configs").stdout.splitlines() if line.endswith("Not validated.")]
        self.assertEqual([line.split()[0] for line in lines], ["a100", "h100", "rtx4090", "rtx5070ti_modern"])


if __name__ == "__main__":
    unittest.main()
