#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program as a trace, and random options for the machine that runs it.

Usage: generate.py SEED FOLDER

FOLDER gets kernelslist.g, kernel-N.traceg and override.config, the options of the reference that differ from those of
the configuration that is printed. The same seed gives the same files. Run it with

    warpwright run -c CONFIG --gpgpusim FOLDER/override.config --report=accelsim FOLDER

A program makes no access to global or local memory, so that its cycles say something about the multiprocessor alone:
arithmetic of every unit kind over few registers (so that hazards happen), shared memory, shared atomics, generic accesses
to the shared window, barriers, memory barriers, DEPBAR, lanes that leave early, no lanes at all, blocks that are no
multiple of a warp, many CTAs on few multiprocessors, several kernels. Options are drawn at three levels: the scheduler
alone; details of a machine of sub-cores; anything that the reference accepts.

test-parity.py does not need this: the traces that it replays are kept. They came from here and figures.csv says what the
reference, Accel-Sim 73f9fac over GPGPU-Sim 667834c, measured on them; another seed finds what no kept trace does.
"""

import os
import random
import sys

SHARED_WINDOW, LOCAL_WINDOW = 0x7FB139000000, 0x7FB137000000  # as drivers lay them: the shared range is empty
LOW_SHARED_WINDOW, HIGH_LOCAL_WINDOW = 0x7F0000000000, 0x7F1000000000  # generic accesses reach shared memory

# ---- what there is to choose from ----------------------------------------------------------------------------------

VOLTA = {
    "sp": "FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD HADD2 HADD2_32I HFMA2 HFMA2.MMA "
          "HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2",
    "int": "BMSK BREV FLO IABS IADD IADD3 IADD3.X IADD32I IDP IMAD IMAD.WIDE IMAD.MOV.U32 IMNMX ISETP.GE.AND LEA LEA.HI "
           "LOP3.LUT POPC SHF.L.U32 SHR VABSDIFF ISCADD IMMA.8816.S8.S8",
    "alu": "F2F.F64.F32 F2I.TRUNC I2F I2I FRND MOV MOV32I PRMT SEL SGXT SHFL.IDX SHFL.BFLY PLOP3.LUT PSETP P2R R2P MATCH "
           "CCTL ERRBAR B2R CS2R CS2R.32 NOP S2R VOTE.ANY LEPC PMTRIG",
    "dp": "DADD DFMA DMUL DSETP.GT.AND",
    "sfu": "MUFU.RCP MUFU.SQRT",
    "tensor": "HMMA.16816.F32 HMMA.884.F16.F16",
    "bra": "BMOV.32.CLEAR BRA BREAK BRX BSSY BSYNC CALL.REL.NOINC JMP NANOSLEEP RET.REL.NODEC WARPSYNC YIELD",
    "tex": "TEX.SCR.LL TLD TLD4 TXD TXQ",
    "uni": "",
    "ldc": "LDC LDC.64 LDC.U8",
    "bar": "BAR.SYNC BAR.SYNC.DEFER_BLOCKING BAR.ARV BAR.RED.POPC",
    "membar": "MEMBAR.SC.GPU MEMBAR.ALL.CTA",
    "lds": "LDS LDS.U LDS.64 LDS.128 LDS.U8 LDS.S16 LDS.U.128",
    "sts": "STS STS.64 STS.128 STS.U8 STS.U16",
    "atoms": "ATOMS.ADD ATOMS.POPC.INC.32 ATOMS.CAS.64 ATOMS.EXCH",
    "ldsm": "",
    "gld": "LD.E LD.E.64 LD.E.128.SYS",
    "gst": "ST.E ST.E.64",
    "depbar": "DEPBAR.LE DEPBAR",
    "commit": "",
}
AMPERE = dict(
    VOLTA,
    sp=VOLTA["sp"] + " HMNMX2",
    int=VOLTA["int"].replace(" IMMA.8816.S8.S8", " SHL"),
    alu=VOLTA["alu"] + " F2FP.PACK_AB F2IP.U8 I2FP.F32.S32 MOVM.16.MT88",
    tensor=VOLTA["tensor"] + " DMMA.884 BMMA.88128.XOR.POPC IMMA.16816.S8.S8 KILL",
    bra=VOLTA["bra"] + " BRXU JMXU",
    uni="R2UR REDUX.SUM S2UR UBMSK UBREV UFLO UIADD3 UIMAD UISETP.NE.AND ULDC ULDC.64 ULEA ULOP3.LUT UMOV UPLOP3.LUT "
        "UPOPC UPRMT USEL USHF.L.U32 VOTEU.ANY",
    ldsm="LDSM.16.M88.4 LDSM.16.MT88.2",
    commit="LDGDEPBAR",
)
TURING = dict(
    AMPERE,
    sp=VOLTA["sp"],
    alu=VOLTA["alu"] + " F2FP.PACK_AB MOVM.16.MT88",
    tensor=AMPERE["tensor"].replace(" DMMA.884", ""),
    uni=AMPERE["uni"].replace(" REDUX.SUM", ""),
    commit="",
)
PASCAL = dict(
    VOLTA,
    sp="FADD FFMA FMUL FADD32I FCHK FMNMX FSET FSETP FMUL32I HADD2 HFMA2 HMUL2 RRO.SINCOS",
    int="IADD IADD3 XMAD BFE BFI ICMP SHL SHR LOP3.LUT ISETP.GE.AND POPC FLO IMNMX ISCADD LEA LOP",
    alu="F2F.F32.F64 F2I I2F I2I MOV MOV32I PRMT SEL SHFL.IDX PSETP P2R R2P S2R VOTE NOP CSETP TEXS TLDS TEX",
    dp="DADD DFMA DMUL DSETP DMNMX DSET",
    bra="BRA SSY SYNC BRX JMP KILL CAL PRET BRK PBK CONT PCNT RET",
    tex="",
    tensor="",
)
KEPLER = dict(
    VOLTA,
    sp="FADD FADD32I FCHK FCMP FFMA FFMA32I FMNMX FMUL FSET FSETP FSWZ RRO",
    int="BFE BFI FLO IADD IADD32I ICMP IMAD IMADSP IMNMX IMUL ISAD ISCADD ISET ISETP ISUB LOP LOP32I POPC SHF SHL SHR",
    alu="B2R CCTL CSET CSETP F2F F2I I2F I2I MOV MOV32I NOP P2R PRMT PSET PSETP R2P S2R SEL SHFL TEX TLD TLD4 TXQ VOTE",
    dp="DADD DFMA DMNMX DMUL DSET DSETP",
    sfu="MUFU",
    bra="BPT BRA BRX JMP JMX CAL JCAL BRK CONT PBK PCNT PRET RET SSY",
    tex="", tensor="", atoms="", depbar="", gld="", gst="",
)
OPCODES = {70: VOLTA, 75: TURING, 80: AMPERE, 86: AMPERE, 60: PASCAL, 61: PASCAL, 35: KEPLER}
MODIFIERS = [".FTZ", ".X", ".WIDE.U32", ".F32.S32"]  # of arithmetic, and without a meaning for time

NO_RESULT = {"sts", "gst", "bar", "membar", "bra", "depbar", "commit"}
NO_SOURCES = {"bar", "membar", "depbar", "commit"}
NO_OPERANDS = ("NOP", "ERRBAR", "CCTL", "PMTRIG")
WITH_ADDRESS = {"ldc", "lds", "sts", "atoms", "ldsm", "gld", "gst"}

ARITHMETIC = ["sp", "int", "alu", "dp", "sfu"]
EVERYTHING = list(VOLTA)
MIXES = [
    ARITHMETIC, ARITHMETIC + ["tensor", "bra"], ["sp", "int"], ["int", "sp", "lds", "sts"], ["lds"],
    ["lds", "sts", "atoms", "int"], ["atoms", "lds", "alu"], ["int", "bar"], ARITHMETIC + ["bar", "lds", "sts"],
    ["membar", "dp", "sfu", "lds", "int"], ["bra", "int"], ["tex", "alu", "sp"], ["uni", "int", "sp"], ["ldc", "int"],
    ["gld", "gst", "lds", "int"], ["depbar", "commit", "int", "sfu"], ["ldsm", "tensor", "lds"],
    ["sfu", "dp", "membar", "atoms", "bar"], ["alu", "alu", "alu", "sfu"], EVERYTHING, EVERYTHING, EVERYTHING,
]

# Per configuration: binary versions that it can run, specialised units, threads and shared memory of an SM, latencies
# that its pipelines are deep enough for.
CONFIGS = {
    "qv100": {"binary": [70], "special": 3, "threads": 2048, "shmem": 98304,
              "deep": {"int": 21, "sp": 13, "dp": 19, "sfu": 330}},
    "rtx3070": {"binary": [86, 86, 80, 75, 70], "special": 4, "threads": 1536, "shmem": 102400,
                "deep": {"int": 4, "sp": 4, "dp": 64, "sfu": 330}},
}
SPECIAL = {1: ("BRA", 4), 2: ("TEX", 200), 3: ("TENSOR", 64), 4: ("UDP", 4)}

# ---- programs ------------------------------------------------------------------------------------------------------


def lanes_of(threads, warp):
    return (1 << min(32, threads - 32 * warp)) - 1


class Program:
    """What the warps of one kernel have in common. An instruction is (mask, results, opcode, sources, address, immediate)."""

    def __init__(self, rng, binary, kinds, window):
        self.rng, self.window = rng, window
        self.opcodes = {k: OPCODES[binary][k].split() for k in kinds if OPCODES[binary][k]}
        self.kinds = [k for k in kinds if k in self.opcodes]
        self.registers = rng.sample(range(64), rng.choice([2, 4, 8, 16])) + ([255] if rng.random() < .6 else [])
        self.sources = rng.choice([(1, 1, 1, 0, 0), (1, 2, 4, 3, 1), (4, 1, 1, 0, 0), (0, 0, 1, 2, 3)])
        self.partial = rng.random() < .4
        self.strange = rng.random() < .1
        self.patterns = [self.pattern() for _ in range(3)]

    def pattern(self):
        r = self.rng
        return r.choice([("stride", 4 * r.choice([0, 1, 2, 3, 4, 8, 16, 17, 32, 33])),
                         ("random", r.choice([4, 32, 256, 1024])), ("groups", r.choice([1, 2, 8]))])

    def offsets(self):
        r = self.rng
        (kind, n), base = r.choice(self.patterns), 4 * r.randrange(64)
        if kind == "stride":
            return [base + lane * n for lane in range(32)]
        if kind == "random":
            return [base + 4 * r.randrange(n) for _ in range(32)]
        return [base + 4 * (lane // n) * r.choice([1, 32]) for lane in range(32)]

    def address(self, kind, mask):
        """The address block, in any of the three ways to write it."""
        r = self.rng
        if kind == "ldc":
            return "4 1 0x160 0"
        low = self.window if kind in ("gld", "gst") else 0
        used = [low + a for lane, a in enumerate(self.offsets()) if mask >> lane & 1]
        mode, width = r.randrange(3), r.choice([4, 4, 8, 16, 2])
        if not used:
            return f"{width} 1 0x0 0"
        if mode == 0:
            return f"{width} 0 " + " ".join(f"0x{a:x}" for a in used)
        if mode == 1:
            return f"{width} 1 0x{used[0]:x} {4 * r.choice([0, 1, 2, 4, 32, 33])}"
        return f"{width} 2 0x{used[0]:x} " + " ".join(str(b - a) for a, b in zip(used, used[1:]))

    def mask(self, live):
        r = self.rng
        if not self.partial or r.random() < .6:
            return live
        return live & r.choice([0, 1, 0x80000000, 0xFFFF, 0xFFFF0000, 0x55555555, r.getrandbits(32), 1 << r.randrange(32)])

    def instruction(self, live, committed):
        r = self.rng
        kind = r.choice(self.kinds)
        opcode = r.choice(self.opcodes[kind])
        mask = self.mask(live)
        if self.strange and kind not in WITH_ADDRESS and r.random() < .05:
            mask = r.getrandbits(32)  # lanes that have left or never were
        results, sources, address, immediate = [], [], None, 0
        if kind not in NO_RESULT and not opcode.startswith(NO_OPERANDS) and r.random() < .92:
            results = [r.choice(self.registers)]
        if kind not in NO_SOURCES and not opcode.startswith("NOP"):
            sources = [r.choice(self.registers) for _ in range(r.choices(range(5), self.sources)[0])]
        if kind in WITH_ADDRESS:
            address = self.address(kind, mask)
        if kind == "depbar" and committed:
            immediate = r.randrange(committed + 1)
        return mask, results, opcode, sources, address, immediate

    def warp(self, live, length):
        r, out, committed = self.rng, [], 0
        while len(out) < length:
            out.append(self.instruction(live, committed))
            committed += out[-1][2].startswith("LDGDEPBAR")
            gone = live & r.getrandbits(32)
            if self.partial and r.random() < .03 and gone not in (0, live):
                out.append((gone, [], "EXIT", [], None, 0))
                live &= ~gone
        out.append((live, [], "EXIT", [], None, 0))
        if self.strange and len(out) % 2 == 1:
            out.append((live, [], "NOP", [], None, 0))  # fetched with the EXIT and never issued
        return out


class Code:
    """Where the instructions of a kernel lie: loops, calls, jumps over several cache lines, a piece of straight code."""

    STYLES = ["straight", "loops", "loops", "calls", "calls", "jumps", "jumps"]

    def __init__(self, rng, step=16):
        self.rng, self.step = rng, step
        self.style = rng.choice(self.STYLES)
        self.start = step * rng.choice([0, 0, 0, 4, 127, 1024, rng.randrange(4096)])
        self.size = step * rng.choice([16, 64, 256, 1024, 4096])  # of the code that jumps reach
        self.often = rng.choice([.03, .1, .3, .6])
        self.functions = [self.start + step * rng.randrange(self.size // step) for _ in range(rng.choice([1, 2, 8]))]
        self.together = rng.random() < .6  # the warps take the same way
        self.seed = rng.random()

    def jump(self, rng, pc, stack):
        """Where a branch at @pc leads."""
        if self.style == "loops":
            return max(self.start, pc - self.step * rng.choice([1, 2, 3, 7, 8, 9, 20, 100]))
        if self.style == "calls":
            if stack and rng.random() < .5:
                return stack.pop()
            stack.append(pc + self.step)
            return rng.choice(self.functions)
        return self.start + self.step * rng.randrange(self.size // self.step)

    def place(self, warp, live):
        """The instructions of @warp with their addresses, and a branch where the code goes on elsewhere."""
        rng = random.Random(self.seed) if self.together else self.rng
        out, pc, stack = [], self.start, []
        for instruction in warp:
            if self.style != "straight" and live and rng.random() < self.often:
                if rng.random() < .8:  # else a jump that the trace does not show
                    out.append((live, [], "BRA", [], None, 0, pc))
                pc = self.jump(rng, pc, stack)
            out.append(instruction + (pc,))
            pc += self.step
            if instruction[2] == "EXIT":
                live &= ~instruction[0]
        if out[-1][2] != "EXIT" and len(out) % 2 == 1:
            out.pop()  # what follows the EXIT must be fetched with it
        return out


def modified(rng, k):
    """The kernel @k with modifiers that mean nothing, and its warps in any order."""
    often = rng.choice([0, 0, .3])
    k["shuffled"] = rng.random() < .3
    kinds = ("sp", "int", "alu", "dp", "sfu", "bra")
    plain = {op for kind in kinds for op in OPCODES[k["binary"]][kind].split() if "." not in op and op not in NO_OPERANDS}
    k["variants"] = [[[(i[0], i[1], i[2] + rng.choice(MODIFIERS), *i[3:]) if i[2] in plain and rng.random() < often else i
                       for i in warp] for warp in v] for v in k["variants"]]
    return k


def branching(rng, k, step=16):
    """The kernel @k with code that branches."""
    code = Code(rng, step)
    threads = k["block"][0] * k["block"][1] * k["block"][2]
    k["variants"] = [[code.place(warp, lanes_of(threads, w)) for w, warp in enumerate(v)] for v in k["variants"]]
    return k


def kernel(rng, binary, limits):
    kinds = [k for k in rng.choice(MIXES) if (k != "uni" or limits["special"] == 4) and OPCODES[binary][k]] or ["int"]
    low = rng.random() < .5
    if not low:
        kinds = [k for k in kinds if k not in ("gld", "gst")] or ["int"]
    windows = (LOW_SHARED_WINDOW, HIGH_LOCAL_WINDOW) if low else (SHARED_WINDOW, LOCAL_WINDOW)
    program = Program(rng, binary, kinds, windows[0])
    threads = min(rng.choice([1, 8, 31, 32, 33, 48, 64, 96, 100, 128, 160, 192, 256, 320, 500, 512, 768, 1000, 1024]),
                  limits["threads"])
    warps = (threads + 31) // 32
    budget = rng.choice([60, 300, 1500])  # warps in all
    ctas = max(1, min(rng.choice([1, 1, 1, 2, 3, 4, 5, 8, 16, 30, 100, 400]), budget // warps))
    length = min(rng.choice([0, 1, 2, 5, 10, 20, 40, 120]), budget * 8 // (ctas * warps) + 1)
    alike = rng.random() < .3
    variants = []
    for _ in range(rng.choice([1, 2, 3])):
        variants.append([])
        for w in range(warps):
            live = lanes_of(threads, w)
            if alike and w > 0 and live == lanes_of(threads, 0):
                variants[-1].append(variants[-1][0])
            else:
                variants[-1].append(program.warp(live, length + (rng.choice([0, 0, 0, 1, 3, -2]) if length > 3 else 0)))
    nregs = rng.choice([0, 16, 32, 32, 41, 64, 128, 255])
    while warps * 32 * ((nregs + 3) // 4 * 4) > limits["registers"]:
        nregs //= 2
    shmem = rng.choice([0, 0, 0, 64, 1024, 4096, 10000, 16384, 32768, 49152, 65536, limits["shmem"]])
    return {
        "grid": (ctas // 2, 2, 1) if ctas % 2 == 0 and rng.random() < .3 else (ctas, 1, 1),
        "block": (threads // 4, 2, 2) if threads % 4 == 0 and rng.random() < .3 else (threads, 1, 1),
        "shmem": min(shmem, limits["shmem"]), "nregs": nregs, "binary": binary, "stream": rng.choice([0, 0, 1]),
        "tracer": rng.choice([5, 5, 5, 4, 3, 2]), "windows": windows, "lineinfo": int(rng.random() < .1),
        "ctas": [rng.randrange(len(variants)) for _ in range(ctas)], "variants": variants,
    }


# ---- options -------------------------------------------------------------------------------------------------------


def options(rng, config, level):
    """(options, limits of a kernel) for level 0, 1, 2: the scheduler; a machine of sub-cores; any machine."""
    c = CONFIGS[config]
    limits = {"threads": min(1024, c["threads"]), "shmem": c["shmem"], "registers": 65536, "special": c["special"]}
    o = {"n_clusters": rng.choice([1, 1, 2, 2, 3, 4, 8]), "kernel_launch_latency": rng.choice([0, 1, 5, 30, 100])}
    if level == 0 and rng.random() < .2:
        o = {}
    o["scheduler"] = rng.choice(["lrr", "gto"])
    if level > 0:
        sizes(rng, o, limits)
        timing(rng, o, c)
        n = rng.choice([1, 2, 4, 4]) if level == 1 else rng.choice([1, 2, 3, 4, 6, 8])
        if level == 1 and n == 4 and rng.random() < .5:
            sometimes(rng, o, .5, "num_reg_banks", [4, 8, 16, 32])
            sometimes(rng, o, .4, "operand_collector_num_units_gen", [4, 8, 12, 16])
            sometimes(rng, o, .3, "operand_collector_num_in_ports_gen", [1, 2, 4, 8])
            sometimes(rng, o, .3, "operand_collector_num_out_ports_gen", [1, 2, 4, 8])
        else:
            structure(rng, o, c, n, level == 1)
    return {("-" if k.startswith(("trace_", "special")) else "-gpgpu_") + k: v for k, v in o.items()}, limits


def sometimes(rng, o, probability, name, values):
    if rng.random() < probability:
        o[name] = rng.choice(values)
        return True
    return False


def sizes(rng, o, limits):
    sometimes(rng, o, .2, "TB_launch_latency", [1, 7, 20])
    sometimes(rng, o, .2, "n_cores_per_cluster", [2, 3])
    sometimes(rng, o, .2, "clock_domains", ["1000:1000:1000:1000", "700:1200:900:500.5", "1417.0:1417.0:1417.0:2500.0",
                                            "1200:600:600:850"])
    sometimes(rng, o, .3, "shader_cta", [1, 2, 3, 8, 32])
    if sometimes(rng, o, .2, "shader_registers", [16384, 32768, 131072]):
        limits["registers"] = o["shader_registers"]
    if sometimes(rng, o, .2, "shmem_size", [16384, 49152]):
        limits["shmem"] = o["shmem_size"]
    if sometimes(rng, o, .2, "shader_core_pipeline", ["256:32", "512:32", "1024:32", "2048:32"]):
        limits["threads"] = min(1024, int(o["shader_core_pipeline"][:-3]))
    sometimes(rng, o, .1, "simt_core_sim_order", [0, 1])
    sometimes(rng, o, .1, "clock_gated_lanes", [0, 1])


def timing(rng, o, c):
    sometimes(rng, o, .3, "max_insn_issue_per_warp", [2])
    sometimes(rng, o, .3, "dual_issue_diff_exec_units", [0, 1])
    sometimes(rng, o, .3, "inst_fetch_throughput", [1, 2, 3, 4, 5])
    sometimes(rng, o, .3, "reg_file_port_throughput", [1, 2, 3])
    sometimes(rng, o, .3, "smem_latency", [2, 3, 10, 20, 29, 50])
    sometimes(rng, o, .25, "shmem_num_banks", [1, 2, 16, 32])
    sometimes(rng, o, .25, "shmem_warp_parts", [1, 2, 4])
    sometimes(rng, o, .25, "shmem_limited_broadcast", [0, 1])
    sometimes(rng, o, .1, "mem_unit_ports", [1, 2])
    for kind, deep in c["deep"].items():
        latency = min(deep, rng.choice([1, 2, 3, 4, 6, 10, 16]))
        sometimes(rng, o, .25, f"trace_opcode_latency_initiation_{kind}", [f"{latency},{rng.randrange(1, latency + 1)}"])


def structure(rng, o, c, schedulers, sub_core):
    def some(values, otherwise=schedulers):
        return otherwise if sub_core else rng.choice(values)

    o["sub_core_model"], o["num_sched_per_core"] = int(sub_core), schedulers
    widths = [some([1, 1, 2, 4, 8]) for _ in range(13)]
    widths[10] = rng.choice([1, 2, 4, 8])
    o["pipeline_widths"] = ",".join(map(str, widths))
    for kind, counts in (("sp", [1, 2, 4]), ("dp", [0, 1, 2, 4]), ("int", [0, 1, 2, 4]), ("sfu", [1, 1, 2, 4]),
                         ("tensor_core", [1, 2, 4])):
        o[f"num_{kind}_units"] = some(counts)
    for k in range(1, c["special"] + 1):
        name, deep = SPECIAL[k]
        o[f"specialized_unit_{k}"] = f"1,{some([1, 2, 4])},{deep},{some([1, 2, 4])},{some([1, 2, 4])},{name}"
        latency = rng.randrange(1, min(deep, 40) + 1)
        sometimes(rng, o, 1 if k == 3 else .2, f"trace_opcode_latency_initiation_spec_op_{k}",
                  [f"{latency},{rng.randrange(1, latency + 1)}"])
    o["num_reg_banks"] = schedulers * rng.choice([1, 2, 4]) if sub_core else rng.choice([1, 2, 4, 7, 8, 16, 32])
    o["enable_specialized_operand_collector"] = some([0, 1], 0)
    o["operand_collector_num_units_gen"] = schedulers * rng.choice([1, 2, 2, 3, 4]) if sub_core else rng.choice([1, 2, 3, 8, 16])
    o["operand_collector_num_in_ports_gen"] = rng.choice([1, 2, 4, 8])
    o["operand_collector_num_out_ports_gen"] = rng.choice([1, 2, 4, 8])
    if o["enable_specialized_operand_collector"]:
        for kind in ("sp", "dp", "sfu", "mem", "int", "tensor_core"):
            units = rng.choice([0, 1, 2, 4])
            o[f"operand_collector_num_units_{kind}"] = units
            o[f"operand_collector_num_in_ports_{kind}"] = rng.choice([1, 2, 3]) if units else 0
            o[f"operand_collector_num_out_ports_{kind}"] = rng.choice([1, 2]) if units else 0


# ---- files ---------------------------------------------------------------------------------------------------------


def case(seed, config=None):
    rng = random.Random(seed)
    config = config or rng.choice(sorted(CONFIGS))
    chosen, limits = options(rng, config, rng.choice([0, 1, 1, 2, 2]))
    kernels = [kernel(rng, rng.choice(CONFIGS[config]["binary"]), limits) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    return {"config": config, "options": chosen, "kernels": kernels}


def opcode_case(binary, names):
    """A kernel for each opcode: one warp, a chain of three and some that depend on nothing."""
    kernels = []
    for name in names:
        address = "4 1 0x100 4" if name in ("LDS", "STS", "ATOMS", "LDSM", "LDC") else None
        results = [] if name in ("STS", "BAR", "MEMBAR", "DEPBAR", "LDGDEPBAR") else [4]
        warp = [(0xFFFFFFFF, [r + i for r in results], name, sources, address, 0)
                for i, sources in ((0, [4]), (1, [4]), (2, []), (3, []), (4, []), (0, [5, 4]))]
        kernels.append({"grid": (1, 1, 1), "block": (32, 1, 1), "shmem": 1024, "nregs": 16, "binary": binary, "stream": 0,
                        "tracer": 5, "windows": (SHARED_WINDOW, LOCAL_WINDOW), "lineinfo": 0, "ctas": [0],
                        "variants": [[warp + [(0xFFFFFFFF, [], "EXIT", [], None, 0)]]]})
    return {"config": "", "options": {}, "kernels": kernels}


def line(k, cta, warp, n, instruction):
    mask, results, opcode, sources, address, immediate = instruction[:6]
    words = [f"{cta} 0 0 {warp}"] if k["tracer"] < 3 else []
    words += [str(n + 7)] if k.get("numbered", k["tracer"] >= 4 and k["lineinfo"]) else []
    words += [f"{instruction[6] if len(instruction) > 6 else 16 * n:04x} {mask:08x} {len(results)}"] + [f"R{d}" for d in results]
    words += [opcode, str(len(sources))] + [f"R{s}" for s in sources] + [address or "0"]
    words += [str(immediate)] if k["tracer"] >= 4 else []
    return " ".join(words) + " "


def trace(k, uid):
    out = [f"-kernel name = k{uid}", f"-kernel id = {uid}", "-grid dim = (%d,%d,%d)" % tuple(k["grid"]),
           "-block dim = (%d,%d,%d)" % tuple(k["block"]), f"-shmem = {k['shmem']}", f"-nregs = {k['nregs']}",
           f"-binary version = {k['binary']}", f"-cuda stream id = {k['stream']}",
           f"-shmem base_addr = 0x{k['windows'][0]:016x}", f"-local mem base_addr = 0x{k['windows'][1]:016x}",
           "-nvbit version = 1.7", f"-accelsim tracer version = {k['tracer']}"]
    if k.get("numbered", k["tracer"] >= 4):
        out.append(f"-enable lineinfo = {k['lineinfo']}")
    out += ["", "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] [mem_addresses] immediate", ""]
    x, y, _ = k["grid"]
    for cta, variant in enumerate(k["ctas"]):
        out += ["#BEGIN_TB", "", f"thread block = {cta % x},{cta // x % y},{cta // (x * y)}", ""]
        warps = list(enumerate(k["variants"][variant]))
        for w, warp in random.Random(cta).sample(warps, len(warps)) if k.get("shuffled") else warps:
            out += [f"warp = {w}", f"insts = {len(warp)}"]
            out += [line(k, cta, w, n, i) for n, i in enumerate(warp)] + [""]
        out += ["#END_TB", ""]
    return "\n".join(out) + "\n"


def write(c, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.writelines(f"kernel-{i + 1}.traceg\n" for i in range(len(c["kernels"])))
    for i, k in enumerate(c["kernels"]):
        with open(os.path.join(folder, f"kernel-{i + 1}.traceg"), "w") as f:
            f.write(trace(k, i + 1))
    with open(os.path.join(folder, "override.config"), "w") as f:
        f.writelines(f"{name} {value}\n" for name, value in c["options"].items())


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__.split("\n\n")[1])
    c = case(int(sys.argv[1]))
    write(c, sys.argv[2])
    print(c["config"])


if __name__ == "__main__":
    main()
