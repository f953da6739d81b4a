#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces as packs: the same runs, the same summaries, the same text again, and checkpoints."""
import lzma
import os
import re
import subprocess
import sys
import tempfile
import unittest

WARPWRIGHT = os.environ["WARPWRIGHT"]
TRACES = os.path.join(os.environ["WW_SOURCE_DIR"], "tests", "traces")
# Tracer versions, source lines, several kernels and copies, warps in any order, addresses of all modes, partial warps.
NAMES = ["vecadd-sm70", "micro-tracer-v2", "micro-tracer-v3", "micro-tracer-v4", "micro-two-kernels", "histogram-lineinfo-sm70",
         "micro-partial-warp", "nw-sm70", "random-all-1040", "random-cpa-1025", "fresh-many-57de66"]
SM86 = ["reduce_fence-sm86"]


def config_of(name):
    return "rtx3070" if name in SM86 or "cpa" in name else "qv100"


def call(*words, status=0):
    p = subprocess.run([WARPWRIGHT] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False, timeout=300)
    if p.returncode != status:
        raise AssertionError("%s: status %d\n%s" % (" ".join(words), p.returncode, p.stderr.decode()))
    return p.stdout.decode(), p.stderr.decode()


def text_of(folder, name):
    for suffix, read in (("", open), (".xz", lzma.open)):
        path = os.path.join(folder, name + suffix)
        if os.path.exists(path):
            with read(path, "rb") as f:
                return f.read()
    raise AssertionError("no " + name)


def kernels_of(folder):
    with open(os.path.join(folder, "kernelslist.g"), encoding="ascii") as f:
        return [re.sub(r"\.xz$", "", l) for l in f.read().split("\n") if l.startswith("kernel")]


class Packs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.pack = os.path.join(self.folder.name, "t.wwpack")

    def tearDown(self):
        self.folder.cleanup()

    def of(self, name):
        trace = os.path.join(TRACES, name)
        said, _ = call("trace", "pack", "--level=3", "-o", self.pack, trace)
        return trace, "not as tracers write it" not in said

    def same(self, trace, *words):
        """What is said of the trace and of the pack, but for their names."""
        results = []
        for path in (trace, self.pack):
            out, err = call(*words, path)
            results.append((re.sub(re.escape(path) + "[^ :\"\n]*", "FILE", out), re.sub(re.escape(path) + "[^ :\"\n]*", "FILE", err)))
        self.assertEqual(results[0], results[1])

    def test_to_stdout(self):
        self.of("vecadd-sm70")
        p = subprocess.run([WARPWRIGHT, "trace", "pack", "--level=3", "-o", "/dev/stdout", os.path.join(TRACES, "vecadd-sm70")],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, timeout=300)
        with open(self.pack, "rb") as f:
            self.assertEqual(p.stdout, f.read(), "the pack, and nothing else")
        self.assertIn(b" bytes", p.stderr)

    def test_same(self):
        for name in NAMES + SM86:
            with self.subTest(name):
                trace, _ = self.of(name)
                self.same(trace, "run", "-c", config_of(name), "--report=accelsim", "--fingerprint", "--progress=none")
                self.same(trace, "trace", "info", "--json")
                self.same(trace, "trace", "check")

    def test_text(self):
        for name in NAMES + SM86:
            with self.subTest(name):
                trace, exact = self.of(name)
                back = os.path.join(self.folder.name, "back-" + name)
                call("trace", "unpack", "-o", back, self.pack)
                self.assertTrue(exact or name.startswith("fresh"))
                for kernel in kernels_of(trace):
                    if exact:
                        self.assertEqual(text_of(trace, kernel), text_of(back, kernel))
                words = ["run", "-c", config_of(name), "--fingerprint", "--report=none"]
                self.assertEqual(call(*words, trace)[0], call(*words, back)[0])

    def test_checkpoint(self):
        """Saved in the middle of a segment, by another thread, too."""
        for threads in ("1", "2"):
            for name, cycle in (("nw-sm70", "30000"), ("vecadd-sm70", "2000")):
                with self.subTest(name):
                    trace, _ = self.of(name)
                    saved = os.path.join(self.folder.name, "t.ckpt")
                    words = ["run", "-c", "qv100", "--fingerprint", "--report=none", "-j", threads]
                    whole, _ = call(*words, trace)
                    self.assertEqual(call(*words, "--checkpoint", saved, "--checkpoint-at", cycle, self.pack)[0], whole)
                    self.assertEqual(call(*words, "--restore", saved, self.pack)[0], whole)
                    with open(self.pack, "r+b") as f: # the same length, and another file
                        f.seek(-16, os.SEEK_END)
                        f.write(bytes([f.read(1)[0] ^ 1]))
                    _, said = call(*words, "--restore", saved, self.pack, status=2)
                    self.assertEqual(said.count("\n"), 1)
                    os.remove(saved)

    def test_kernels(self):
        trace, _ = self.of("micro-two-kernels")
        self.same(trace, "run", "-c", "qv100", "--kernels=2", "--max-ctas=1", "--report=none", "--fingerprint", "--progress=none")

    def test_inputs_stay(self):
        """A pack is not written onto what it is made of."""
        with open(os.path.join(self.folder.name, "kernelslist.g"), "w", encoding="ascii") as f:
            f.write("kernel-1.traceg\n")
        kernel = os.path.join(self.folder.name, "kernel-1.traceg")
        with open(kernel, "wb") as f:
            f.write(text_of(os.path.join(TRACES, "vecadd-sm70"), "kernel-1.traceg"))
        _, said = call("trace", "pack", "-o", kernel, self.folder.name, status=2)
        self.assertIn("is a file of the trace; expected another one", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
