#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the paper of the modern SM (Huerta et al., MICRO'25) measured on silicon holds with rtx3080_modern_paper: when instructions issue behind each
other, for an RTX 3080's SM. Programs are written here, each a few instructions with their control bits; the figures are the paper's: its figure 4 and listings 1
to 4, tables 1 and 2.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
HEAD = """-kernel name = k
-kernel id = 1
-grid dim = (1,1,1)
-block dim = ({threads},1,1)
-shmem = 16384
-nregs = 64
-binary version = 86
-cuda stream id = 0
-shmem base_addr = 0x00007f1000000000
-local mem base_addr = 0x00007f2000000000
-nvbit version = 1.7
-accelsim tracer version = 4

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate

#BEGIN_TB

thread block = 0,0,0
"""
failures = []


def line(text, stall=1, yields=False, write=7, read=7, wait=(), address=None):
    """An instruction: its text, its control bits, the address of all lanes."""
    field = stall | (not yields) << 4 | write << 5 | read << 8 | sum(1 << w for w in wait) << 11
    return {"text": text, "field": field, "address": address}


def width(text):
    return 16 if ".128" in text else 8 if re.search(r"\.64\b(?!\])", text.split("[")[0]) else 4


def write(folder, lines, warps):
    """Trace and listing."""
    with open(os.path.join(folder, "kernelslist.g"), "w", encoding="utf-8") as out:
        out.write("kernel-1.traceg\n")
    with open(os.path.join(folder, "kernel.sass"), "w", encoding="utf-8") as out:
        out.write("\tcode for sm_86\n\t\tFunction : k\n")
        for n, i in enumerate(lines + [line("NOP")] * 64):
            out.write("        /*%04x*/ %s ; /* 0x%016x */\n            /* 0x%016x */\n" % (16 * n, i["text"], 0, i["field"] << 41))
    with open(os.path.join(folder, "kernel-1.traceg"), "w", encoding="utf-8") as out:
        out.write(HEAD.format(threads=32 * warps))
        for w in range(warps):
            out.write("\nwarp = %d\ninsts = %d\n" % (w, len(lines)))
            for n, i in enumerate(lines):
                opcode = i["text"].split()[0]
                access = "0" if i["address"] is None else "%d 1 0x%x 0" % (width(i["text"]), i["address"])
                out.write("%04x ffffffff 0 %s 0 %s\n" % (16 * n, opcode, access))
        out.write("\n#END_TB\n")


def issues(lines, warps=1):
    """By warp the cycles in which its instructions issue, by their place in @lines."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, lines, warps)
        words = [COMMAND, "run", "--progress=none", "--events", os.path.join(folder, "log"), "--events-filter", "kind=issue", "-c", "rtx3080_modern_paper"]
        done = subprocess.run([*words, folder], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("FAILED: " + done.stderr)
        found = [{} for _ in range(warps)]
        for text in open(os.path.join(folder, "log"), encoding="utf-8"):
            cycle, _, _, warp, what = text.rstrip("\n").split("\t")
            found[int(warp)].setdefault(int(re.search(r"pc=([0-9a-f]+)", what)[1], 16) // 16, int(cycle))
        return found


def check(what, got, wanted):
    if got != wanted:
        failures.append(what)
        print("FAILED: %s: %s; expected %s" % (what, got, wanted))


END = [line("EXIT", 5)]


def code_is_here(body):
    """The body twice: once for code and data to be in the caches, then a long wait. The second time it stands at len(body) + 12."""
    return body + [line("NOP", 15, wait=range(6))] * 12 + body


# ---- table 2: from issue to a dependent's issue ------------------------------------------------------------------------

GLOBAL, SHARED = 0x7f3000000000, 0x40
TABLE = [  # instruction, address, cycles until the sources are free (or None), until the result is there (or None)
    ("LDG.E R8, [UR4.64]", GLOBAL, 9, 29), ("LDG.E.64 R8, [UR4.64]", GLOBAL, 9, 31), ("LDG.E.128 R8, [UR4.64]", GLOBAL, 9, 35),
    ("LDG.E R8, [R2.64]", GLOBAL, 11, 32), ("LDG.E.64 R8, [R2.64]", GLOBAL, 11, 34), ("LDG.E.128 R8, [R2.64]", GLOBAL, 11, 38),
    ("STG.E [UR4.64], R8", GLOBAL, 10, None), ("STG.E.64 [UR4.64], R8", GLOBAL, 12, None), ("STG.E.128 [UR4.64], R8", GLOBAL, 16, None),
    ("STG.E [R2.64], R8", GLOBAL, 14, None), ("STG.E.64 [R2.64], R8", GLOBAL, 16, None), ("STG.E.128 [R2.64], R8", GLOBAL, 20, None),
    ("LDS R8, [UR4]", SHARED, 9, 23), ("LDS.64 R8, [UR4]", SHARED, 9, 23), ("LDS.128 R8, [UR4]", SHARED, 9, 25),
    ("LDS R8, [R2]", SHARED, 9, 24), ("LDS.64 R8, [R2]", SHARED, 9, 24), ("LDS.128 R8, [R2]", SHARED, 9, 26),
    ("STS [UR4], R8", SHARED, 10, None), ("STS.64 [UR4], R8", SHARED, 12, None), ("STS.128 [UR4], R8", SHARED, 16, None),
    ("STS [R2], R8", SHARED, 12, None), ("STS.64 [R2], R8", SHARED, 14, None), ("STS.128 [R2], R8", SHARED, 18, None),
    ("LDC R8, c[0x0][0x160]", None, 10, 26), ("LDC R8, c[0x0][R2+0x160]", 0, None, 29),
    ("LDGSTS.E [R4], [R2.64]", GLOBAL, 13, 39), ("LDGSTS.E.64 [R4], [R2.64]", GLOBAL, 13, 39), ("LDGSTS.E.128 [R4], [R2.64]", GLOBAL, 13, 39),
]


def test_table_2():
    for text, address, war, raw in TABLE:
        for what, wanted, counters in (("sources", war, {"read": 1}), ("result", raw, {"write": 0})):
            if wanted is None:
                continue
            body = [line(text, 2, address=address, **counters), line("NOP", 1, wait=(0, 1))]
            at = len(body) + 12
            cycles = issues(code_is_here(body) + END)[0]
            check("table 2: %s, %s" % (text, what), cycles[at + 1] - cycles[at], wanted)


# ---- table 1: loads that hit, back to back ------------------------------------------------------------------------------

# Cycles of the first eight instructions, by the number of sub-cores that have them. From the sixth on they come a cycle later here: docs/modern.md.
TABLE_1 = {1: [[2, 3, 4, 5, 6, 13, 17, 21]],
           2: [[2, 3, 4, 5, 6, 13, 17, 21], [2, 3, 4, 5, 6, 15, 19, 23]],
           4: [[2, 3, 4, 5, 6, 13, 21, 29], [2, 3, 4, 5, 6, 15, 23, 31], [2, 3, 4, 5, 6, 17, 25, 33], [2, 3, 4, 5, 6, 19, 27, 35]]}
LATER = 1
APART = {1: 4, 2: 4, 3: 6, 4: 8}  # then one each so many cycles


def loads(n, cores):
    """The cycles of @n loads that hit, by sub-core."""
    body = [line("LDG.E R%d, [R2.64]" % (8 + 2 * i), 1, address=GLOBAL) for i in range(n)]
    warm = [line("LDG.E R8, [R2.64]", 2, write=0, address=GLOBAL), line("NOP", 1, wait=(0,))]
    again = [line("BAR.SYNC 0x0", 5)] + [line("NOP", 15)] * 4 + body  # all warps begin together, the second time with the code in their caches
    lines = warm + again + [line("NOP", 15, wait=range(6))] * 30 + again + END
    at = len(warm) + len(again) + 30 + 5
    return [[g[at + i] for i in range(n)] for g in issues(lines, cores)]


def test_table_1():
    for cores, apart in APART.items():
        got = loads(14, cores)
        check("table 1: %d sub-cores, in the end" % cores, [[g[i + 1] - g[i] for i in range(10, 13)] for g in got], [[apart] * 3] * cores)
    n = 8
    for cores, wanted in TABLE_1.items():
        got = loads(n, cores)
        # a barrier lets go of the warps of a CTA within some cycles: the first five by each one's own first, the rest by that of all
        first = min(g[0] for g in got)
        own = [[g[i] - g[0] + 2 for i in range(5)] for g in got]
        rest = [[g[i] - first + 2 - LATER for i in range(5, n)] for g in got]
        check("table 1: %d sub-cores" % cores, [a + b for a, b in zip(own, rest)], wanted)


# ---- listings: register ports, stall counts, yield, IMAD ----------------------------------------------------------------

def distance(lines, a, b):
    cycles = issues(lines + END)[0]
    return cycles[b] - cycles[a]


def test_stall():
    """A stall count of N is N cycles; a yield one bubble; a stall of 0 with yield 45 cycles."""
    for n, wanted in ((0, 1), (1, 1), (2, 2), (4, 4), (7, 7), (11, 11), (15, 15)):
        body = [line("NOP", n), line("NOP")]
        check("stall %d" % n, distance(code_is_here(body), 14, 15), wanted)
    check("yield", distance(code_is_here([line("NOP", 1, True), line("NOP")]), 14, 15), 2)
    check("stall 0 and yield", distance(code_is_here([line("NOP", 0, True), line("NOP")]), 14, 15), 45)


def test_imad():
    """Behind IMAD.WIDE the port is closed for a cycle, behind IMAD it is not."""
    for text, wanted in (("IMAD.WIDE R8, R3, R5, R6", 2), ("IMAD R8, R3, R5, R6", 1)):
        check(text, distance(code_is_here([line(text), line("NOP")]), 14, 15), wanted)


def test_listing_1():
    """Two FFMAs between clocks: no bubble, one, two, by the banks that they read."""
    for x, y, wanted in ((19, 21, 5), (18, 21, 6), (18, 20, 7)):
        body = [line("CS2R.32 R14, SR_CLOCKLO"), line("NOP"), line("FFMA R11, R10, R12, R14"), line("FFMA R13, R16, R%d, R%d" % (x, y)),
                line("NOP"), line("CS2R.32 R24, SR_CLOCKLO")]
        check("listing 1: R%d, R%d" % (x, y), distance(code_is_here(body), 18, 23), wanted)


# ---- figure 4: who issues ------------------------------------------------------------------------------------------------

def order_of(second, n=12):
    """Warps 0, 4, 8, 12 of sub-core 0, from when all of them may issue: who issues, cycle by cycle, as runs (warp, how many)."""
    four = (0, 4, 8, 12)
    body = [line("NOP"), line("NOP", **second)] + [line("NOP")] * (n - 2)
    gate = [line("BAR.SYNC 0x0", 5)]
    lines = gate + body + gate + body + END  # the second time the code is there
    at = len(gate) + len(body) + 1
    got = issues(lines, 16)
    when = sorted((got[w][at + i], w // 4) for w in four for i in range(n))
    runs, last = [], None
    for cycle, warp in when:
        if runs and runs[-1][0] == warp and cycle == last + 1:
            runs[-1][1] += 1
        else:
            runs.append([warp, 1])
        last = cycle
    return runs, [got[0][at + i] - got[0][at] for i in range(n)]


def test_figure_4():
    """Greedy, then youngest; stall counts and yields let others in."""
    runs, _ = order_of({})
    check("figure 4, no control bits: the order in which warps end", [w for w, n in runs if n >= 10], [3, 2, 1, 0])
    runs, last = order_of({"stall": 4})
    check("figure 4, a stall of 4", runs[:4], [[3, 2], [2, 2], [1, 2], [3, 10]])
    check("figure 4, a stall of 4, the last one alone", last[2] - last[1], 4)
    runs, _ = order_of({"yields": True})
    check("figure 4, a yield", runs[:3], [[3, 2], [2, 2], [3, 10]])


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("%d anchors do not hold" % len(failures) if failures else "all anchors hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
