#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpwright correlate` refuses, each with one line; and which names of kernels are one kernel's."""

import itertools
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from measured import Case, metric_lines, plain, quoted, raw_page, result

EXPECTED_NUMBER = r"; expected a number from 0 to 1e30, such as 1234\.5 or 1,234\.5"
# Mangled, and the function's own name.
MANGLED = [("_Z6vecaddPfS_i", "vecadd"), ("_ZL6staticPf", "static"), ("_Z4longIiEvT_S0_", "long"), ("_ZN3foo3barEPf", "bar"), ("_ZNK3foo3bazEv", "baz"),
           ("_ZN12_GLOBAL__N_16hiddenEi", "hidden"), ("_ZN12_GLOBAL__N_1L5innerEi", "inner"), ("_ZN3foo4growIiEEvT_", "grow"), ("_ZN7cutlass6KernelINS_4gemm4BodyIfEEEEvNT_6ParamsE", "Kernel"),
           ("_ZN3BoxIiE4openEPi", "open"), ("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_", "vectorized_elementwise_kernel"),
           ("_Z3mapIZ4mainEUliE_EvT_", "map"), ("_Z5twiceILi1ELb1EEvPf", "twice"), ("_Z3tagB5cxx11v", "tag"), ("_ZN1a1b1c1dIfLi3EEEvPT_", "d"), ("_Z4sortIXgtLi5ELi3EEEvi", "sort")]


class Names(Case):
    """A profiler's names are mangled, whole, or the function's own; those of traces, too."""

    @classmethod
    def setUpClass(cls):
        if shutil.which("c++filt") is None:
            raise unittest.SkipTest("no c++filt")
        text = subprocess.run(["c++filt"], input="\n".join(m for m, _ in MANGLED), capture_output=True, text=True, check=True).stdout
        cls.forms = []
        for (mangled, own), whole in zip(MANGLED, text.splitlines()):
            assert whole != mangled, mangled
            cls.forms.append([mangled, whole, own, f"{whole} [12]", f"{own} [12]", whole.replace("(anonymous namespace)::", "<unnamed>::"), f"{mangled} [3]"])

    def fits(self, ours, theirs):
        """Each of @ours with each of @theirs: all kernels of one trace."""
        pairs = list(itertools.product(ours, theirs))
        self.write("r.json", result("app", [(o, 1000) for o, _ in pairs]))
        self.write("hw.csv", quoted([["kernel", "cycles"]] + [[t, 1000] for _, t in pairs]))
        self.correlate("r.json", "--hardware", "hw.csv", "-o", "x.csv")

    def test_one(self):
        for forms in self.forms:
            self.fits(forms, forms)

    def test_others(self):
        others = [(a, self.forms[(i + far) % len(self.forms)]) for i, a in enumerate(self.forms) for far in (1, 5)]
        for a, b in others:
            for ours, theirs in ((a[0], b[0]), (a[0], b[1]), (a[1], b[2]), (a[2], b[0])):
                self.write("r.json", result("app", [(ours, 1000)]))
                self.write("hw.csv", quoted([["kernel", "cycles"], [theirs, 1000]]))
                self.refused(r"hw\.csv:2: kernel 1 is '.*', and '.*' in trace 'app'; expected the kernels of the trace, in their order", "r.json", "--hardware", "hw.csv")

    def test_not_known(self):
        """A lambda, or what is no name, may be any; a mangled one that cannot be read to its end has the other's in it."""
        for name in ("main::{lambda(int)#1}::operator()(int) const", "(", "<<<"):
            self.fits([name], ["vecadd", "_Z6vecaddPf", "std::foo()"])
            self.fits(["vecadd", "_Z6vecaddPf"], [name])
        for mangled, own in (("_ZNSt3fooEv", "std::foo()"), ("_ZZ4mainENKUliE_clEi", "main"), ("_ZN9999999999999999999999x3fooEv", "foo"), ("_ZN3BoxIiE4openEPi", "Box")):
            self.fits([mangled], [own, "main::{lambda(int)#1}::operator()(int) const"])
            self.fits([own], [mangled])
            for other in ("vecadd", "_Z6vecaddPf"):
                self.write("r.json", result("app", [(mangled, 1000)]))
                self.write("hw.csv", plain([(other, 1000)]))
                self.refused(r"hw\.csv:2: kernel 1 is '.*', and '.*' in trace 'app'; .*", "r.json", "--hardware", "hw.csv")
        self.fits(["_Z", "_ZN", "_Z99x"], ["_Z", "_ZN", "_Z99x"])

    def test_order(self):
        self.write("r.json", result("app", [("a", 1), ("b", 2), ("a", 3)]))
        self.write("hw.csv", plain([("a", 1), ("a", 3), ("b", 2)]))
        self.refused(r"hw\.csv:3: kernel 2 is 'a', and 'b' in trace 'app'; expected the kernels of the trace, in their order", "r.json", "--hardware", "hw.csv")


class Refused(Case):
    def setUp(self):
        super().setUp()
        self.write("r.json", result("suite/app", [("k", 1000), ("k", 2000)]))
        self.write("two.json", result("suite/other", [("k", 1000)]))
        self.good = self.write("good.csv", plain([("k", 1), ("k", 2)]))

    def wrong(self, pattern, text, *words):
        self.write("hw.csv", text)
        self.refused(pattern, "r.json", "--hardware", "hw.csv", *words)

    def test_words(self):
        self.refused(r"correlate: expected a database or files of results", "--hardware", self.good)
        self.refused(r"correlate: no --hardware; expected a CSV of what a GPU measured", "r.json")
        self.refused(r"cannot open 'none\.csv': No such file or directory; expected a CSV", "r.json", "--hardware", "none.csv")
        self.refused(r"cannot open '': No such file or directory; expected a CSV", "r.json", "--hardware", "")
        os.mkdir(self.path("folder"))
        self.refused(r"cannot read 'folder': Is a directory; expected a CSV", "r.json", "--hardware", "folder")
        self.refused(r"cannot tell the format of 'x\.png'; expected a name that ends in \.csv, \.svg, \.pdf or \.gp", "r.json", "--hardware", self.good, "-o", "x.png")
        for word in (self.good, f"app={self.good}", "{trace}.csv"):
            self.write("app.csv", self.read(self.good))
            self.refused(r".*'\./(good|app)\.csv'.*; expected .*", "r.json", "--hardware", word, "-o", "./app.csv" if "{" in word else "./good.csv")
        self.refused(r".*'r\.json\.csv' would be written twice; expected a file for each output", "r.json", "--hardware", self.good, "-o", "r.json.csv", "-o", "r.json.csv")
        self.refused(r"no run has 'cycle', did you mean 'cycles'\?; expected .*", "r.json", "--hardware", self.good, "--measure", "cycle")
        self.refused(r"--measure 'trace' of kernel 'k' of trace 'suite/app' is a text; expected a figure", "r.json", "--hardware", self.good, "--measure", "trace")
        self.refused(r"no run has 'conf'.*", "r.json", "--hardware", self.good, "--columns", "conf")
        self.refused(r"no run with results fits --where 'config=x'; expected qv100", "r.json", "--hardware", self.good, "--where", "config=x")
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.startswith("x")), [])

    def test_no_kernels(self):
        self.write("none.json", result("suite/app", []))
        self.refused(r"no run with results fits; expected some .*", "none.json", "--hardware", self.good)

    def test_files_of_traces(self):
        both = ("r.json", "two.json", "--hardware")
        self.refused(r"--hardware 'good\.csv' is for one trace, and these runs are of 2; expected TRACE=FILE, \{trace\} in its name, or a column 'trace' in it", *both, self.good)
        self.refused(r"--hardware 'no/\{trace\}\.csv': there is no 'no/app\.csv', nor a file of another trace; expected one for some trace", *both, "no/{trace}.csv")
        self.refused(r"--hardware 'ap=good\.csv': no run is of trace 'ap', did you mean 'app'\?; expected app or other", *both, "ap=good.csv")
        self.refused(r"cannot open 'x': .*", *both, "app=x")
        self.write("t.csv", "kernel,cycles,trace\nk,1,nobody\n")
        self.refused(r"--hardware 't\.csv': its column 'trace' names none of these runs, 'app' first; expected some", *both, "t.csv")
        self.refused(r"t\.csv: column 'trace' has nothing of trace 'app'; expected some of its kernels, or no such column", *both, "app=t.csv")

    def test_files_together(self):
        self.write("a.csv", plain([("k", 1), ("k", 2), ("k", 3)]))
        self.write("b.csv", plain([("k", 1), ("other", 2)]))
        self.write("c.csv", raw_page([("k", 1), ("k", 2)]))
        self.refused(r"a\.csv has 3 kernels of trace 'suite/app', good\.csv has 2; expected as many in each file", "r.json", "--hardware", self.good, "--hardware", "a.csv")
        self.refused(r"b\.csv:3: kernel 2 is 'other', and 'k' in good\.csv:3; expected the same kernels in each file of a trace", "r.json", "--hardware", self.good, "--hardware", "b.csv")
        self.refused(r"c\.csv has 'gpc__cycles_elapsed\.max', another file 'cycles'; expected the same of all, or --column", "r.json", "--hardware", self.good, "--hardware", "c.csv")

    def test_too_few(self):
        self.wrong(r"hw\.csv has 1 kernel, and kernel 2 of trace 'suite/app' was simulated \('k'\); expected one for each that was", plain([("k", 1)]))

    def test_no_figures(self):
        names = r"'gpc__cycles_elapsed\.avg', .*'cycles', or --column"
        for text in ("", "\n\n", "hello\n", "kernel\nk\n", "cycles\n1\n", "a,b\n1,2\n", "\"open\n", "Start (ns),Name\n1,k\n", "\0\0", "kernel;cycles\nk;1\n",
                     quoted([["Device", "Kernel", "Invocations", "Event Name", "Min"]])):
            self.wrong(r"hw\.csv: no figure of kernels; expected a column or metric " + names, text)
        self.wrong(r"hw\.csv: no figure of kernels; .*", metric_lines([("k", 1), ("k", 2)], "other"))
        self.wrong(r"hw\.csv: no column or metric 'other' of kernels; expected one of this name", raw_page([("k", 1)]), "--column", "other")
        self.wrong(r"hw\.csv: no column or metric 'other' of kernels; expected one of this name", metric_lines([("k", 1)]), "--column", "other")
        self.wrong(r"hw\.csv: no column or metric '\\x1b.*\.\.\.' of kernels; expected one of this name", raw_page([("k", 1)]), "--column", "\x1b" + "x" * 500)
        for text in ("kernel,cycles\n", "kernel,cycles", "kernel,cycles\n,cycle\n", metric_lines([]), raw_page([]), "kernel,cycles\n[CUDA memset],4\n"):
            self.wrong(r"hw\.csv: names of columns and no kernel; expected some", text)

    def test_no_number(self):
        for text in ("-1", "x", "1 2", "0x10", "1e31", "1e999", "inf", "65,77", "1,2345", "1234,567", ",5", "27.595.520", "1,", "<OVERFLOW>", "5 cycles", "1e", "--1"):
            self.wrong(rf"hw\.csv:3: 'cycles' is '.*'" + EXPECTED_NUMBER, f'kernel,cycles\nk,1\nk,"{text}"\n')
        self.wrong(r"hw\.csv:3: 'gpc__cycles_elapsed\.max' is 'x'" + EXPECTED_NUMBER, metric_lines([("k", "x")]))
        self.wrong(r"hw\.csv:3: 'gpc__cycles_elapsed\.max' is 'x'" + EXPECTED_NUMBER, raw_page([("k", "x")]))
        self.wrong(r"hw\.csv:3: 't' is '1e22'" + EXPECTED_NUMBER, "kernel,t\n,s\nk,1e22\n", "--column", "t")
        self.wrong(r"hw\.csv:2: 'cycles' is 'y{37}\.\.\.'" + EXPECTED_NUMBER, f"kernel,cycles\nk,{'y' * 5000}\n")

    def test_absent(self):
        for text in ("", "n/a", "N/A", "(!) n/a", "nan"):
            self.wrong(r"hw\.csv:3: kernel 'k' has no 'cycles'; expected it of every kernel", f'kernel,cycles\nk,1\nk,{text}\n')
            self.wrong(r"hw\.csv:\d+: kernel 'k' has no 'gpc__cycles_elapsed\.max'; expected it of every kernel", metric_lines([("k", text), ("k", 2)]))
        self.wrong(r"hw\.csv:3: kernel 'k' has no 'cycles'; expected it of every kernel", "kernel,cycles\nk,1\nk\n")
        self.wrong(r"hw\.csv:4: kernel 'k' has no 'trace'; expected it of every kernel", "kernel,cycles,trace\nk,1,app\nkernel,cycles\nk,2\n")
        self.wrong(r"hw\.csv:3: nothing in column 'trace'; expected a trace's name", "kernel,cycles,trace\nk,1,app\nk,2,\n")
        self.wrong(r"hw\.csv:3: a figure without the name of a kernel; expected one", "kernel,cycles\nk,1\n,2\n")
        self.wrong(r"hw\.csv:2: a figure without the name of a kernel; expected one", "kernel,cycles\n,2\n")

    def test_no_table(self):
        self.wrong(r"hw\.csv:2: more fields than columns have names; expected as many, with quotes around names that have a ','", "kernel,cycles\nk<1, 2>,5\n")
        self.wrong(r"hw\.csv:2: quotes that do not end; expected '\"' behind the field", 'kernel,cycles\n"k,5\nk,6\n')
        self.wrong(r"hw\.csv:5: 'cycles' is 'x'" + EXPECTED_NUMBER, 'kernel,cycles\n"k(int,\n\nint)",5\nk,x\n')
        self.wrong(r"hw\.csv:2: a byte that is 0; expected CSV, which is text", "kernel,cycles\nk\0,5\n")
        self.wrong(r"hw\.csv:2: a field of more than 1 MiB; expected a name or a number", "kernel,cycles\n" + "k" * (1 << 21) + ",5\n")
        self.wrong(r"hw\.csv:2: more than 65536 fields; expected a table of figures", "kernel,cycles\n" + "," * 70000 + "\n")
        self.wrong(r"hw\.csv:1048578: more than 1048576 kernels; expected a list of them", "kernel,cycles\n" + "k,1\n" * ((1 << 20) + 1))

    def test_long_names(self):
        """A line stays one that can be read."""
        long = "k" * 100000
        self.write("long.json", result("app", [(long, 1000)]))
        self.write("hw.csv", plain([("x" * 100000, 1)]))
        self.refused(r"hw\.csv:2: kernel 1 is 'x{57}\.\.\.', and 'k{57}\.\.\.' in trace 'app'; .*", "long.json", "--hardware", "hw.csv")
        self.assertLess(len(self.said), 300)

    def test_hostile_names(self):
        odd = "k\x1b[31m\x9b\t\x7f"
        self.wrong(r"hw\.csv:2: kernel 1 is '.*', and 'k' in trace 'suite/app'; .*", f'kernel,cycles\n"{odd}\n",1\n')
        self.wrong(r"hw\.csv:2: 'cycles' is '.*'" + EXPECTED_NUMBER, f"kernel,cycles\nk,{odd}\n")
        self.write(odd, "x")
        self.refused(r"k\\x1b\[31m\\x9b\\t\\x7f: no figure of kernels; .*", "r.json", "--hardware", odd)


if __name__ == "__main__":
    unittest.main()
