#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the paper of the modern SM (Huerta et al., MICRO'25) measured on silicon holds with rtx3080_modern_paper: when instructions issue behind each
other, for an RTX 3080's SM. Programs are written here, each a few instructions with their control bits; the figures are the paper's: its figure 4, listings 1
and 4, tables 1 and 2, and what its text says of register ports, results that meet and constants.
"""

import itertools
import json
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


def write(folder, lines, warps, order):
    """Trace and listing. @order: the places in @lines that are executed, one after the other."""
    with open(os.path.join(folder, "kernelslist.g"), "w", encoding="utf-8") as out:
        out.write("kernel-1.traceg\n")
    with open(os.path.join(folder, "kernel.sass"), "w", encoding="utf-8") as out:
        out.write("\tcode for sm_86\n\t\tFunction : k\n")
        for n, i in enumerate(lines + [line("NOP")] * 64):
            out.write("        /*%04x*/ %s ; /* 0x%016x */\n            /* 0x%016x */\n" % (16 * n, i["text"], 0, i["field"] << 41))
    with open(os.path.join(folder, "kernel-1.traceg"), "w", encoding="utf-8") as out:
        out.write(HEAD.format(threads=32 * warps))
        for w in range(warps):
            out.write("\nwarp = %d\ninsts = %d\n" % (w, len(order)))
            for n in order:
                i = lines[n]
                opcode = i["text"].split()[0]
                access = "0" if i["address"] is None else "%d 1 0x%x 0" % (width(i["text"]), i["address"])
                out.write("%04x ffffffff 0 %s 0 %s\n" % (16 * n, opcode, access))
        out.write("\n#END_TB\n")


def issues(lines, warps=1, order=None, kind="issue"):
    """By warp the cycles in which its instructions issue, for the last time, by their place in @lines."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, lines, warps, order or range(len(lines)))
        words = [COMMAND, "run", "--progress=none", "--events", os.path.join(folder, "log"), "--events-filter", "kind=" + kind, "-c", "rtx3080_modern_paper"]
        done = subprocess.run([*words, folder], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("FAILED: " + done.stderr)
        found = [{} for _ in range(warps)]
        for text in open(os.path.join(folder, "log"), encoding="utf-8"):
            cycle, _, _, warp, what = text.rstrip("\n").split("\t")
            found[int(warp)][int(re.search(r"pc=([0-9a-f]+)", what)[1], 16) // 16] = int(cycle)
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
    ("LDC R8, c[0x0][0x160]", None, 10, 26), ("LDC R8, c[0x0][R2+0x160]", 0, 29, 29),
    ("LDC.64 R8, c[0x0][R2+0x160]", 0, 29, 29),
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

TABLE_1 = {1: [13], 2: [13, 15], 3: [13, 15, 17], 4: [13, 15, 17, 19]}  # by the number of sub-cores the cycles of their sixth loads; the first five are in 2 to 6
APART = {1: 4, 2: 4, 3: 6, 4: 8}  # behind it one each so many cycles


def loads(n, cores):
    """The cycles of @n loads that hit, by sub-core."""
    body = [line("LDG.E R%d, [R2.64]" % (8 + 2 * i), 1, address=GLOBAL) for i in range(n)]
    warm = [line("LDG.E R8, [R2.64]", 2, write=0, address=GLOBAL), line("NOP", 1, wait=(0,))]
    again = [line("BAR.SYNC 0x0", 1)] + [line("NOP", 15)] * 4 + body  # all warps begin together, the second time with the code in their caches
    lines = warm + again + [line("NOP", 15, wait=range(6))] * 30 + again + END
    at = len(warm) + len(again) + 30 + 5
    return [[g[at + i] for i in range(n)] for g in issues(lines, cores)]


def test_table_1():
    n = 14
    for cores, sixth in TABLE_1.items():
        got = loads(n, cores)
        first = min(g[0] for g in got)
        check("table 1: %d sub-cores" % cores, [[cycle - first + 2 for cycle in g] for g in got], [[2, 3, 4, 5, 6] + [s + APART[cores] * i for i in range(n - 5)] for s in sixth])


def test_shared_memory():
    """Address calculation takes an instruction every four cycles, of shared memory every two."""
    n = 12
    cycles = issues(code_is_here([line("LDS R%d, [R2]" % (8 + 2 * i), address=SHARED) for i in range(n)]) + END)[0]
    got = [cycles[n + 12 + i + 1] - cycles[n + 12 + i] for i in range(n - 1)]
    check("loads from shared memory, back to back", (got[:4], got[5:]), ([1] * 4, [2] * (n - 6)))


# ---- stall counts, yield, IMAD --------------------------------------------------------------------------------------------

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


# ---- registers ------------------------------------------------------------------------------------------------------------

def test_listing_1():
    """Two FFMAs between clocks: no bubble, one, two, by the banks that they read; behind a NOP, for it is Allocate that waits, not the next one's issue."""
    for x, y, wanted in ((19, 21, 5), (18, 21, 6), (18, 20, 7)):
        start = [line("CS2R.32 R14, SR_CLOCKLO"), line("NOP"), line("FFMA R11, R10, R12, R14"), line("FFMA R13, R16, R%d, R%d" % (x, y))]
        stop = [line("CS2R.32 R24, SR_CLOCKLO")]
        check("listing 1: R%d, R%d" % (x, y), distance(code_is_here(start + [line("NOP")] + stop), 18, 23), wanted)
        check("listing 1: R%d, R%d, without the second NOP" % (x, y), distance(code_is_here(start + stop), 17, 21), 4)


def test_register_ports():
    """Two registers of one bank are a bubble, three are two; of different banks, none."""
    n = 7
    for text, wanted in (("FMUL R10, R2, R4", 2), ("FMUL R11, R3, R5", 2), ("FMUL R10, R2, R5", 1), ("FFMA R10, R2, R4, R6", 3), ("FFMA R10, R2, R5, R7", 2)):
        body = [line(text)] * n
        cycles = issues(code_is_here(body) + END)[0]
        at = len(body) + 12
        # the stages in front of Allocate fill up first
        check(text, [cycles[at + i + 1] - cycles[at + i] for i in range(3, n - 1)], [wanted] * (n - 4))


def test_listing_4():
    """The register-file cache: a register is kept by slot and bank, for the next reader of these."""
    first, last = line("IADD3 R1, R2.reuse, R3, R4", 15), line("IADD3 R10, R2, R12, R13", 15)
    for second, wanted in (("FFMA R5, R2, R7, R8", 1), ("FFMA R5, R2.reuse, R7, R8", 2), ("FFMA R5, R7, R2, R8", 1), ("FFMA R5, R4, R7, R8", 0)):
        with tempfile.TemporaryDirectory() as folder:
            lines = [first, line(second, 15), last] + END
            write(folder, lines, 1, range(len(lines)))
            out = os.path.join(folder, "out.json")
            done = subprocess.run([COMMAND, "run", "--progress=none", "--report=none", "--stats", "*", "-o", out, "-c", "rtx3080_modern_paper", folder],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit("FAILED: " + done.stderr)
            with open(out, encoding="utf-8") as file:
                hits = json.load(file)["total"]["counters"]["register_ports.cache_hits"]
        check("listing 4: %s" % second, hits, wanted)


def test_results_meet():
    """A load whose result is written in one cycle with that of an FFMA, to the same bank, is a cycle later; HADD2 and FFMA do not hold each other up."""
    for other, wanted in (("FFMA R10, R3, R4, R5", 33), ("FFMA R11, R3, R4, R5", 32), ("NOP", 32)):
        body = [line("LDG.E R8, [R2.64]", 15, write=0, address=GLOBAL), line("NOP", 6), line(other), line("NOP", 1, wait=(0,))]
        check("a load and %s" % other, distance(code_is_here(body), 16, 19), wanted)
    body = code_is_here([line("HADD2 R8, R2, R3"), line("FFMA R10, R4, R5, R7")]) + END
    issued, over = issues(body)[0], issues(body, kind="retire")[0]
    check("HADD2 and FFMA", [over[14 + i] - issued[14 + i] for i in range(2)], [10, 10])


# ---- constants ------------------------------------------------------------------------------------------------------------

def test_constants():
    """A constant operand that only the shared cache has costs 79 cycles; LDC and operands have caches of their own."""
    sets = [line("FADD R8, R2, c[0x0][0x%x]" % at) for at in (0x160, 0x260, 0x360)] + [line("NOP")]  # one set, of two ways
    check("constants of one set", [distance(code_is_here(sets), 16 + i, 17 + i) - 1 for i in range(2)], [79, 79])
    load = [line("LDC R8, c[0x0][0x160]", 2, write=0), line("NOP", 1, wait=(0,))]
    operand = line("FADD R8, R2, c[0x0][0x160]", 15)
    check("a constant operand behind an LDC", distance([*load, operand], 1, 2) - 1, 79)
    late = distance([operand, *load], 1, 2)
    check("LDC behind a constant operand: %d" % late, late > 79, True)


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


def test_figure_4_miss():
    """Greedy until its next instruction is not there; who is next youngest passes it; when it goes on, it does so to its end. Each line is missed once here, by
    who comes there first, and on silicon the second warp met none."""
    lines = [line("BAR.SYNC 0x0", 5)] + [line("NOP")] * 32 + END
    got = issues(lines, 16)
    when = sorted((got[w][1 + i], w // 4) for w in (0, 4, 8, 12) for i in range(32))
    runs = [[warp, len(list(group))] for warp, group in itertools.groupby(warp for _, warp in when)]
    check("figure 4, a miss", runs[:5], [[3, 7], [2, 15], [3, 25], [1, 32], [0, 32]])


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
