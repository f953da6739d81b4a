# SPDX-License-Identifier: Apache-2.0
"""Traces that reach what programs hardly do, written for knobs.py: make(folder) writes one folder each."""

import os
import random
import sys

sys.path.insert(0, os.path.normpath(os.path.join(__file__, "../../../support")))

from traces import write  # noqa: E402

ALL = 0xffffffff
FAR = 0x100010000000 # where copies may or may not be taken to be at FAR mod 2^32


def instruction(pc, text, mask=ALL, dst=None, src=(), width=0, addr=()):
    fields = [f"{pc:04x}", f"{mask:08x}", "1 R%d" % dst if dst is not None else "0", text, str(len(src))] + [f"R{r}" for r in src]
    fields += [f"{width} 0 " + " ".join(f"0x{a:x}" for a in addr)] if width else ["0"]
    return " ".join(fields) + " 0"


def warp(steps):
    """Lines of a warp: pcs in order, or a given one, and an EXIT."""
    lines = []
    for i, step in enumerate(steps):
        lines.append(instruction(16 * i, **step))
    return lines + [instruction(16 * len(steps), "EXIT")]


def units(version, few=False):
    """Every class of unit: in a row, so that depths and intervals bind, and mixed; three sources from one bank."""
    r = random.Random(version)
    ops = ["FADD", "IADD3", "DADD", "MUFU.RCP", "HMMA.16816.F32", "TEX", "HMUL2", "BRA", "IMMA.16816.S8.S8", "KILL", "MOV", "FFMA", "BAR.SYNC"]
    if version < 70 or few:
        ops = [o for o in ops if o not in (("DADD", "MUFU.RCP") if few else ("HMMA.16816.F32", "KILL"))]
    ops.insert(0, "UMOV" if version >= 75 else "MOV")
    ctas = []
    for _ in range(2):
        warps = []
        for w in range(8):
            steps = []
            for op in ops + r.choices([o for o in ops if o != "BAR.SYNC"], k=24):
                jump = op in ("BRA", "KILL", "BAR.SYNC")
                for k in range(1 if op == "BAR.SYNC" else 3):
                    steps.append({"text": op, "dst": None if jump else 2 + (k + w) % 6,
                                  "src": () if jump else (r.randrange(8, 24), 8 + 4 * r.randrange(4), 8 + 4 * r.randrange(4))})
            warps.append(warp(steps))
        ctas.append(warps)
    return [(ctas, {"version": version})]


def accesses():
    """Accesses of odd shapes: shared ones of several words, at few banks, with words in common; tails, address 0, .S8; generic ones."""
    r = random.Random(2)
    base, shared, local = FAR, 0x7fb139000000, 0x7fb137000000
    ctas = []
    for c in range(3):
        warps = []
        for w in range(4):
            steps = []
            for k in range(20):
                at = base + 0x2000 * (4 * c + w) + 0x80 * r.randrange(32)
                kinds = [
                    ("LDS.128", 16, [16 * ((i * 5) % 32) for i in range(32)]),
                    ("LDS", 4, [128 * (i % 4) + 4 * (i % 2) for i in range(32)]),
                    ("STS.64", 8, [8 * (i // 2) for i in range(32)]),
                    ("ATOMS.ADD", 4, [4 * (i % 3) for i in range(32)]),
                    ("LDG.E.128", 16, [at + 20 * i for i in range(32)]),
                    ("LDG.E.S8", 1, [at + 31 + 32 * i for i in range(32)]),
                    ("LDG.E.S16", 2, [at + 31 + i for i in range(32)]),
                    ("LDG.E", 4, [0 if i % 5 == 1 else at + 4 * i for i in range(32)]),
                    ("LDG.E.64", 8, [at + 28 + 36 * i for i in range(32)]),
                    ("STG.E.128", 16, [at + 12 + 16 * i for i in range(32)]),
                    ("STG.E.U8", 1, [at + 3 * i for i in range(32)]),
                    ("LD.E", 4, [shared + 4 * i for i in range(32)]),
                    ("LD.E", 4, [local + 0x8000 + 4 * i for i in range(32)]),
                    ("LD.E", 4, [shared + 0x2000000 + 4 * i for i in range(32)]),
                    ("ST.E", 4, [local + 0x100 + 4 * i for i in range(32)]),
                    ("LDL", 4, [4 * (i + k) for i in range(32)]),
                    ("STL.64", 8, [8 * (i + k) for i in range(32)]),
                    ("RED.E.ADD.STRONG.GPU", 4, [at + 4 * (i % 7) for i in range(32)]),
                    ("ATOMG.E.ADD.STRONG.GPU", 4, [at + 64 * (i % 3) for i in range(32)]),
                ]
                text, width, addr = r.choice(kinds)
                mask = ALL if r.random() < .7 else r.getrandbits(32)
                lanes = [a for i, a in enumerate(addr) if mask >> i & 1]
                load = text.startswith(("LD", "ATOM"))
                steps.append({"text": text, "mask": mask, "dst": 2 + k % 6 if load else None, "src": (8 + k % 8,), "width": width, "addr": lanes})
                if r.random() < .3:
                    steps.append({"text": "FADD", "dst": 20, "src": (2 + k % 6, 255)})
            warps.append(warp(steps))
        ctas.append(warps)
    return [(ctas, {})]


def pressure(version=80):
    """Scattered loads and stores from many warps: every queue on the way to the memory and back is full at some time; twice, so that
    the second kernel finds what the first one left in the L2."""
    kernels = []
    for k in range(2):
        r = random.Random(3)
        ctas = []
        for _ in range(6):
            warps = []
            for _ in range(12):
                steps = []
                for i in range(12):
                    at = 0x10000000 + 0x80 * r.randrange(1 << 12)
                    kind = r.random()
                    spread = [at + 0x1000 * r.randrange(64) + 32 * j for j in range(32)]
                    if kind < .5:
                        steps.append({"text": "LDG.E", "dst": 2 + i % 6, "src": (9,), "width": 4, "addr": spread})
                    elif kind < .9:
                        steps.append({"text": "STG.E", "src": (8, 9), "width": 4, "addr": spread})
                    else:
                        steps.append({"text": "STG.E.128", "src": (8, 9), "width": 16, "addr": [at + 16 * j for j in range(32)]})
                warps.append(warp(steps))
            ctas.append(warps)
        kernels.append((ctas, {"version": version}))
    return kernels


def code(version):
    """Much code, with jumps: the instruction cache misses, in its sets and ways, and what fetch runs into is not what comes next."""
    r = random.Random(4)
    ctas = []
    for _ in range(2):
        warps = []
        for _ in range(4):
            lines, pc = [], 0
            for i in range(60):
                lines.append(instruction(pc, "BRA" if pc % 512 == 496 or i % 9 == 8 else "FADD", dst=None if pc % 512 == 496 or i % 9 == 8 else 3 + i % 5))
                pc = 16 * r.randrange(1 << 12) if i % 9 == 8 else pc + 16
                pc = pc - pc % 512 if i % 9 == 8 else pc
            warps.append(lines + [instruction(1 << 17, "EXIT")])
        ctas.append(warps)
    return [(ctas, {"version": version}), (ctas, {"version": version})]


def copies():
    """Asynchronous copies in several groups, and waits for some of them."""
    base = 0x10000000
    ctas = []
    for c in range(2):
        warps = []
        for w in range(4):
            steps = []
            for k in range(6):
                at = base + 0x4000 * (8 * c + w) + 0x800 * k
                steps.append({"text": "LDGSTS.E.BYPASS.128", "src": (2, 3), "width": 4, "addr": [at + 64 * i for i in range(32)]})
                steps.append({"text": "LDGDEPBAR"})
                if k == 0: # of no group yet
                    steps.append({"text": "LDGSTS.E.BYPASS.128", "src": (2, 3), "width": 4, "addr": [at + 0x100000 + 4096 * i for i in range(32)]})
                if k in (0, 2, 4):
                    steps.append({"text": "DEPBAR.LE"})
            warps.append(warp(steps))
        ctas.append(warps)
    return [(ctas, {})]


def many(streams):
    """Kernels of several streams, some of more CTAs than fit, of other sizes and needs of shared memory."""
    kernels = []
    for k in range(5):
        mine, next_one = ([0x10000000 + 0x1000 * i + 4 * j for j in range(32)] for i in (k, k + 1))
        shared = [0x10000000 + 4 * i for i in range(32)]
        warps = []
        for longer in range(2):
            steps = [{"text": "LDG.E", "dst": 4, "src": (9,), "width": 4, "addr": shared},
                     {"text": "LDG.E", "dst": 6, "src": (9,), "width": 4, "addr": mine}]
            steps += [{"text": "FADD", "dst": 5, "src": (4, 5)}] * (5 + 20 * (k % 3) + 200 * longer)
            steps += [{"text": "STG.E", "src": (5, 9), "width": 4, "addr": next_one}]
            warps.append(warp(steps))
        ctas = [[warps[c % 2]] * (1 + 3 * (k % 2)) for c in range(3 + 40 * (k % 2))]
        kernels.append((ctas, {"stream": k % streams, "shmem": (0, 20000, 60000, 100, 30000)[k]}))
    return kernels


def fences():
    """A load under way while another warp's memory barrier empties the L1D: its fill is there, unused, at the next barrier."""
    ctas = []
    for c in range(2):
        at = [0x10000000 + 0x4000 * c + 4 * i for i in range(32)]
        load = {"text": "LDG.E", "dst": 4, "src": (9,), "width": 4, "addr": at}
        wait = {"text": "FADD", "dst": 5, "src": (5, 6)}
        fence = {"text": "MEMBAR.SC.GPU"}
        ctas.append([warp([load, wait]), warp([wait] * 10 + [fence] + [wait] * 600 + [{"text": "MEMBAR.SC.SYS"}] + [wait, load, wait])])
    return [(ctas, {})]


def make(folder):
    """Writes the traces; their names."""
    made = {"accesses": accesses(), "pressure": pressure(), "units-80": units(80), "units-70": units(70), "units-61": units(61),
            "units-few": units(80, True), "code-80": code(80), "code-61": code(61), "copies": copies(), "many": many(3), "many-1": many(1),
            "fences": fences()}
    for name, kernels in made.items():
        write(folder, name, kernels, [(0x10000000, 0x10000), (FAR, 0x4000)] if name != "pressure" else [])
    return list(made)
