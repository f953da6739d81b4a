# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: the command in a scratch folder, results of real runs and of made ones, and CSV as profilers write it."""

import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
NCU = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream"]
CONTROL = "[\x00-\x09\x0b-\x1f\x7f-\x9f]"


def quoted(rows):
    """Rows as ncu and nvprof write them."""
    return "".join(",".join('"' + str(v).replace('"', '""') + '"' for v in row) + "\n" for row in rows)


def metric_lines(kernels, metric="gpc__cycles_elapsed.max", unit="cycle"):
    """`ncu --csv` of (name, figure) each: a line a metric; every kernel has another one, too, and a rule."""
    rows = [NCU + ["Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name"]]
    for i, (name, value) in enumerate(kernels):
        head = [i, 71, "app", "127.0.0.1", name, 1, 7]
        rows += [head + ["Command line profiler metrics", "smsp__inst_executed.sum", "inst", "1,000"],
                 head + ["Command line profiler metrics", metric, unit, value], head + ["SpeedOfLight", "", "", "", "Bottleneck, of all"]]
    return quoted(rows)


def raw_page(kernels, metric="gpc__cycles_elapsed.max", unit="cycle"):
    """`ncu --csv --page raw`: a column a metric, units below the names."""
    rows = [NCU + ["smsp__inst_executed.sum", metric], [""] * len(NCU) + ["inst", unit]]
    return quoted(rows + [[i, 71, "app", "127.0.0.1", name, 1, 7, "1,000", value] for i, (name, value) in enumerate(kernels)])


def plain(kernels, figure="cycles"):
    return f"kernel,{figure}\n" + "".join(f'"{name}",{value}\n' for name, value in kernels)


def result(trace, kernels, config="qv100", status="done", **more):
    """Results of a run of (name, cycles) each."""
    parts = [{"name": name, "uid": i + 1, "grid": [4, 1, 1], "block": [64, 1, 1], "stream": 0, "partial": status != "done" and i + 1 == len(kernels),
              "end_cycle": c, "cycles": c, "thread_instructions": 64, "warp_instructions": 2, "ctas": 4, "counters": {"l1.hits": c}}
             for i, (name, c) in enumerate(kernels)]
    total = {"cycles": sum(c for _, c in kernels), "thread_instructions": 1, "warp_instructions": 1, "ctas": 1, "counters": {}, "sms": 2}
    return {"schema": "warpwright-results-1", "version": "0.1.0", "status": status, "partial": status != "done", "trace": trace, "platform": "gpu",
            "config": [config], "command": ["warpwright", "run", "-c", config, trace], "resolved": {}, "kernels": parts, "total": total, **more}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="warpwright-correlate-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, what):
        """A file of this text, these bytes, or these results."""
        data = what if isinstance(what, bytes) else (what if isinstance(what, str) else json.dumps(what)).encode("utf-8", "surrogateescape")
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def command(self, *words, status=0):
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, timeout=300)
        self.said = done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{self.said}")
        return done.stdout.decode("utf-8")

    def correlate(self, *words, status=0):
        return self.command("correlate", *words, status=status)

    def pairs(self, *words):
        """Rows of the CSV that it writes."""
        self.correlate(*words, "-o", "pairs.csv")
        with open(self.path("pairs.csv"), newline="") as f:
            return list(csv.DictReader(f))

    def measured(self, *words):
        return [float(row["measured"]) for row in self.pairs(*words)]

    def simulate(self, trace, config="qv100", *words):
        """Results of a run of a trace of this tree; and (name, cycles) of its kernels."""
        name = f"{trace}-{config}.json"
        self.command("run", "-c", config, os.path.join(TRACES, trace), "--report=none", "--progress=none", "-o", name, *words)
        kernels = json.loads(self.read(name))["kernels"]
        return name, [(k["name"], k["cycles"]) for k in kernels]

    def refused(self, pattern, *words):
        """One line, of status 2."""
        self.assertEqual(self.correlate(*words, status=2), "")
        self.assertRegex(self.said, r"\Awarpwright: " + pattern + r"\n\Z")
        self.assertNotRegex(self.said, CONTROL)
