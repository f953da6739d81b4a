#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on the sub-cores of a modern SM with a cubin of their listing's words in the place of the listing: control bits and reuse come from its bits, registers
from the trace, and every instruction issues and is over in the cycle that was measured (test-records.py). Programs with operands that a trace does not have -
constants, uniform registers, predicates - need the text.

Usage: test-cubins.py
"""

import importlib.util
import json
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def load(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3].replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


records = load(os.path.join(HERE, "test-records.py"))
MAKE = os.path.join(records.ROOT, "tests/support/make_cubin.py")
# control bits; reuse; what a fetch brings; units
PROGRAMS = ["ctl-stall", "ctl-stall-alu", "ctl-yield", "rf-rfc", "rf-rfc-warps", "rf-ports", "ic-loop-small", "fu-sfu", "iss-imad"]
NEEDS_TEXT = "const-fl-switch"


def main():
    figures = json.load(lzma.open(os.path.join(HERE, "figures.json.xz")))
    wrong, reuse = [], 0
    with tempfile.TemporaryDirectory() as folder:
        cubin = {n: os.path.join(folder, n + ".cubin") for n in [*PROGRAMS, NEEDS_TEXT]}
        for name, file in cubin.items():
            subprocess.run([MAKE, os.path.join(HERE, "records", name, "kernel.sass.xz"), file], check=True)
        for name in PROGRAMS:
            wrong.append(records.difference(name, figures[name], records.run(name, listing=cubin[name]), "cubin"))
            info = subprocess.run([records.COMMAND, "trace", "info", "--json", "--sass", cubin[name], os.path.join(HERE, "records", name)],
                                  capture_output=True, text=True, check=True)
            reuse += json.loads(info.stdout)["kernels"][0]["listing"]["reusing"]
        both = records.run(NEEDS_TEXT, "--sass", cubin[NEEDS_TEXT])
        wrong.append(records.difference(NEEDS_TEXT, figures[NEEDS_TEXT], both, "text and cubin"))
        total, _ = records.run(NEEDS_TEXT, listing=cubin[NEEDS_TEXT])
        if total is None or total >= figures[NEEDS_TEXT]["cycles"]:
            wrong.append("%s: cubin: %s cycles; expected fewer: nobody looks for its constants" % (NEEDS_TEXT, total))
    if reuse < 60:
        wrong.append("only %d instructions keep an operand; expected 60" % reuse)
    wrong = [w for w in wrong if w]
    print("\n".join(wrong + ["%d programs, %d instructions that keep an operand, %d differences" % (len(PROGRAMS) + 1, reuse, len(wrong))]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
