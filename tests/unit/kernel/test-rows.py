#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of a descriptor whose field has another C type than the row's kind do not compile."""

import os
import subprocess
import sys

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))

TEXT = """
#include <warpwright/component.h>
typedef struct T { WwComponent base; bool flag; uint32_t small, n_port, n_wide; uint64_t large, several[4]; uint32_t narrow[4];
                   WwPort port[2]; uint64_t wide[2]; double real; } T;
extern const WwContract thing;
%s rows[] = {%s, {0}};
"""
PARAM, STAT, PORT = "const WwParamRow", "const WwStatRow", "const WwPortRow"
ROWS = [(PARAM, 'WW_BOOL(T, {}, "true", "x")', "flag", "small"), (PARAM, 'WW_UINT(T, {}, "", "1", 0, 9, "x")', "small", "large"),
        (PARAM, 'WW_U64(T, {}, "", "1", 0, 9, "x")', "large", "real"), (STAT, 'WW_COUNTER(T, {}, "x", "x")', "large", "small"),
        (STAT, 'WW_MAXIMUM(T, {}, "x", "x")', "large", "real"), (STAT, 'WW_VECTOR(T, {}, "x", NULL, "x")', "several", "narrow"),
        (STAT, 'WW_HISTOGRAM(T, {}, "x", "x")', "several", "narrow"),
        (PORT, 'WW_PORT_ARRAY(T, {}, WW_IN, &thing, 0, NULL, "x")', "port", "wide"),
        (PORT, 'WW_PORT_ARRAY_AT(T, {}, WW_IN, &thing, 0, NULL, "x")', "port", "wide")]


def compiles(kind, row):
    glib = subprocess.run(["pkg-config", "--cflags", "glib-2.0"], capture_output=True, text=True, check=True).stdout.split()
    command = [os.environ.get("CC", "gcc"), "-std=gnu11", "-fsyntax-only", "-I", os.path.join(ROOT, "kernel/include"), *glib, "-x", "c", "-"]
    done = subprocess.run(command, input=TEXT % (kind, row), capture_output=True, text=True)
    return done.returncode == 0, done.stderr


failed = 0
for kind, row, right, wrong in ROWS:
    for field in (right, wrong):
        good, said = compiles(kind, row.format(field))
        if good != (field == right) or (not good and "negative" not in said):
            print(f"{row.format(field)}: {'compiles' if good else said}")
            failed += 1
print(f"{2 * len(ROWS)} rows, {failed} wrong")
sys.exit(failed != 0)
