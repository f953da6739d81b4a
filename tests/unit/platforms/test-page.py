#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The machine of docs/platform-language.md whose L2 clock is a share of the SMs' one: it is that share, also of another clock."""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(HERE, "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")


def domains(plat, *values):
    """Hz by clock domain, as the resolved platform says it."""
    text = subprocess.run([COMMAND, "inspect", "-c", "qv100", "-p", plat, "--resolved", *values],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {name: float(hz) for name, hz in re.findall(r"^ *domain (\w+) = (\S+) Hz;", text, re.M)}


with open(os.path.join(ROOT, "docs/platform-language.md"), encoding="utf-8") as file:
    machine = re.search(r'```\n(import "gpu\.plat";\n.*?)```', file.read(), re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    plat = os.path.join(folder, "slow_l2.plat")
    with open(plat, "w", encoding="utf-8") as file:
        file.write(machine)
    for share, core, values in ((0.5, 1132e6, ()), (0.5, 1e9, ("-s", "core_clock=1GHz")), (0.3, 1132e6, ("-s", "l2_share=0.3"))):
        hz = domains(plat, *values)
        if hz["core"] != core or hz["l2"] != core * share:
            sys.exit(f"{' '.join(values) or 'as it stands'}: core at {hz['core']} Hz, l2 at {hz['l2']}; expected {core} and {core * share}")
