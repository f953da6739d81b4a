#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program for modern SMs: a trace, and a listing with control bits.

Usage: generate.py SEED FOLDER [ARCH [KINDS]]

FOLDER gets kernelslist.g, kernel-N.traceg and kernel.sass. ARCH is 86 or 75. KINDS, words of KIND_NAMES joined by commas, are drawn from in
the place of a random choice. The same words give the same files. Run it with

    warpwright run -c rtx3080_modern --sass FOLDER/kernel.sass FOLDER

Programs are of loops, jumps forward, branches that part the lanes of a warp, barriers, lanes and warps that leave early, and instructions of every
kind, whose stall counts, yields and counters are drawn: a counter that is counted up is waited for later, and registers need not be guarded,
for no time depends on a value. Accesses are of all widths and spaces, on few lines, coalesced, strided and scattered.

test-records.py does not need this: the programs that it replays are kept. Some came from here (drawn-SEED, drawn-SEED-sm75), and figures.json.xz
says what the released simulator of MICRO'25 (commit 117f9dca) measured on them, which was told that all functions lie at the same address, as they
do here; another seed finds what no kept program does. Left out is what that simulator stops at, or leaves to chance: tensor products of different
kinds that follow each other closely or read more registers of a bank than there are cycles for, MOVM, calls, lists of more than one counter,
registers of four that are not aligned (of an address, too, in a copy of 128 bits), constants below a bank, and textures of Turing.
"""

import os
import random
import re
import sys

SHARED_WINDOW, LOCAL_WINDOW, GLOBAL_DATA = 0x7F1000000000, 0x7F2000000000, 0x7F3000000000
ALL_LANES = 0xFFFFFFFF
NOPS_BEHIND = 64  # fetch runs ahead
COUNTERS = 6
MOST_DONE = 3000  # instructions of all warps of a kernel, about
MOST_UP = 12  # how often a counter is counted up before somebody waits for it

# ---- instructions --------------------------------------------------------------------------------------------------
# d, D, Q: a register to write, of an even number, of a number divisible by 4; r, R, Z: the same to read, r perhaps reused;
# p, q: a predicate to write, to read; u, U: uniform registers; v: uniform predicate; x: a register, constant or number; c: a constant;
# b: the instruction behind this one.

TEXTS = {
    "float": ["FFMA d, r, x, r", "FFMA d, r, r, r", "FADD d, r, x", "FMUL d, r, r", "FMNMX d, r, r, !PT", "FSEL d, r, r, q", "FADD.FTZ d, -r, |r|",
              "FSETP.LT.AND p, PT, r, x, PT", "FSETP.GEU.OR p, p, r, r, q", "FCHK p, r, r", "FSET.BF.GT.AND d, r, r, PT", "FFMA.FTZ d, r, -r, c",
              "FMUL32I d, r, 0x3f800000", "FFMA32I d, r, 0x40000000, r", "FADD d, r, RZ", "FFMA d, RZ, r, RZ", "FSWZADD d, r, r, 0x5",
              "FADD d, r, -c", "FMUL.FTZ d, r, |c|", "FSETP.GT.AND p, PT, |r|, +INF, PT", "FFMA d, r, 1.5, r"],
    "int": ["IADD3 d, r, r, r", "IADD3 d, r, x, RZ", "IADD3 d, p, r, r, RZ", "IADD3.X d, r, r, RZ, q, !PT", "LEA d, r, r, 0x2", "LEA.HI d, r, r, RZ, 0x4",
            "LEA.HI.X.SX32 d, r, c, 0x1, q", "LOP3.LUT d, r, r, RZ, 0xc0, !PT", "LOP3.LUT p, RZ, r, x, RZ, 0xc0, !PT", "SHF.L.U32 d, r, 0x3, RZ",
            "SHF.R.S32.HI d, RZ, 0x1f, r", "PRMT d, r, 0x7610, r", "SEL d, r, r, q", "SEL d, RZ, 0x1, q", "ISETP.GE.AND p, PT, r, x, PT",
            "ISETP.NE.AND.EX p, PT, r, r, PT, q", "IMNMX d, r, r, PT", "IABS d, r", "POPC d, r", "FLO.U32 d, r", "BREV d, r", "BMSK d, r, r", "SGXT d, r, 0x8",
            "VABSDIFF d, r, r, r", "IDP.4A.S8.S8 d, r, r, r", "MOV d, r", "MOV d, c", "MOV32I d, 0x1234", "CS2R D, SRZ", "CS2R.32 d, SR_CLOCKLO",
            "IADD3 d, r, u, RZ", "LOP3.LUT d, r, u, r, 0x96, !PT", "MOV d, u", "ISCADD d, r, r, 0x2", "LOP32I.AND d, r, 0xff", "IMUL d, r, r",
            "IADD d, r, r", "IDP4A d, r, r, r", "SHL d, r, 0x2", "SHR.U32 d, r, r", "LOP.AND d, r, r", "VABSDIFF4 d, r, r, r", "IMUL32I d, r, 0x11"],
    "imad": ["IMAD d, r, r, r", "IMAD d, r, x, r", "IMAD.WIDE D, r, r, R", "IMAD.WIDE.U32 D, r, x, R", "IMAD.WIDE d, r, r, r", "IMAD.MOV.U32 d, RZ, RZ, r",
             "IMAD.SHL.U32 d, r, 0x4, RZ", "IMAD.HI.U32 d, r, r, RZ", "IMAD.IADD d, r, 0x1, r", "IMAD.X d, RZ, RZ, r, q", "IMAD d, u, r, r"],
    "half": ["HADD2 d, r, r", "HFMA2 d, r, r, r", "HFMA2.MMA d, -RZ, RZ, 0x1, 0x2", "HMUL2 d, r, r", "HSETP2.GT.AND p, PT, r, r, PT", "HSET2.BF.LE.AND d, r, r, PT",
             "HADD2.F32 d, -RZ, r.H0_H0", "HADD2 d, r, c", "HFMA2.BF16_V2 d, r, r, r", "HADD2_32I d, r, 0x3c00"],
    "sfu": ["MUFU.RCP d, r", "MUFU.EX2 d, r", "MUFU.SIN d, r", "I2F d, r", "I2F.U32.RP d, r", "F2I.TRUNC.NTZ d, r", "F2I.FTZ.U32.F32.TRUNC.NTZ d, r", "FRND d, r",
            "F2FP.PACK_AB d, r, r", "I2I.S32.S8 d, r", "I2F.F64 D, r", "I2F.S64 d, R", "F2I.S64.F64.TRUNC D, R", "F2I.F64 d, R", "MUFU.RCP64H d, r", "MUFU.RCP d, c",
            "I2F.F64.U32 D, r", "F2I.U32.F64.TRUNC d, R", "F2I.S64.TRUNC D, r", "F2FP.BF16.PACK_AB d, RZ, r", "FRND.F64.FLOOR D, R", "I2IP.S8.S32 d, r, r, r", "MUFU.TANH d, r"],
    "double": ["DADD D, R, R", "DFMA D, R, R, R", "DMUL D, R, R", "DMUL D, R, c", "DSETP.GT.AND p, PT, R, R, PT", "F2F.F64.F32 D, r", "F2F.F32.F64 d, R",
               "DFMA d, r, r, r", "DADD D, R, -r", "F2F.F16.F32 d, r", "F2F.FTZ.F64.F32 D, R", "F2F.RP.F32.F64 d, R", "DSETP.LEU.OR p, p, R, |R|, q", "DADD D, -R, c"],
    "uniform": ["UIADD3 u, u, u, URZ", "UIMAD u, u, u, URZ", "UIMAD.WIDE U, u, u, U", "ULOP3.LUT u, u, u, URZ, 0xc0, !UPT", "UMOV u, 0x4", "USEL u, u, u, v",
                "USHF.L.U32 u, u, 0x2, URZ", "UISETP.NE.AND v, UPT, u, URZ, UPT", "ULEA u, u, u, 0x2", "UPLOP3.LUT v, UPT, v, v, UPT, 0x80, 0x0", "UPOPC u, u",
                "UFLO.U32 u, u", "UBREV u, u", "USGXT u, u, 0x8", "UPRMT u, u, 0x7610, u", "VOTEU.ANY u, UPT, PT", "VOTEU.ALL v, q", "R2UR u, r", "ULDC u, c",
                "ULDC.64 U, c", "ULDC.U8 u, c", "R2UR.OR P0, u, r", "ULOP3.LUT v, URZ, u, u, URZ, 0xc0, !UPT", "UIADD3.X u, u, u, URZ, v, !UPT", "UP2UR u, UPR, URZ, 0x7f",
                "UPSETP.AND.AND v, UPT, v, v, UPT", "UR2UP UPR, u, 0x7f", "USHL u, u, 0x2", "UCLEA u, u, u, 0x2", "ULOP.AND u, u, u"],
    "predicate": ["PLOP3.LUT p, PT, q, q, PT, 0x80, 0x0", "PLOP3.LUT p, p, q, q, q, 0x80, 0x8", "P2R d, PR, RZ, 0x7f", "R2P PR, r, 0x7f", "PSETP.AND.AND p, PT, q, q, PT"],
    "misc": ["NOP", "VOTE.ANY d, PT, q", "VOTE.ALL p, q", "VOTE.ANY d, p, q", "NANOSLEEP 0x1", "B2R.RESULT RZ, p", "LEPC D", "YIELD", "WARPSYNC 0xffffffff",
             "BMOV.32.CLEAR d, B0", "BMOV.32 B0, r", "BREAK q, B0", "BRA b", "PMTRIG 0x1", "BMOV.32 d, B1", "CSMTEST PT, PT, r, r", "GETLMEMBASE D", "R2B.RESULT B0, r",
             "BRX r -0x40", "RTT", "VOTE_VTG.ANY d, q", "SETLMEMBASE R"],
    "queue": ["S2UR u, SR_CTAID.X", "S2UR u, SR_CTAID.Y", "ERRBAR"],
    "constant": ["LDC d, c", "LDC.64 D, c", "LDC.U8 d, c", "LDC d, c[0x3][r]", "LDC.64 D, c[0x3][r+0x10]", "LDC d, c[0x2][r+0x8]", "LDC.U16 d, c[0x1][r]", "LDC.128 Q, c", "LDC d, c[0x0][r+0x160]", "LDC.S8 d, c[0x3][r]"],
    "lanes": ["SHFL.IDX PT, d, r, r, 0x1f", "SHFL.BFLY PT, d, r, 0x1, 0x1f", "SHFL.DOWN p, d, r, 0x2, 0x1f", "S2R d, SR_TID.X", "S2R d, SR_LANEID", "MATCH.ANY d, r",
              "MATCH.ALL PT, d, r", "CCTL.IVALL", "SHFL.UP PT, d, r, RZ, RZ", "CCTL.IV [R.64]", "QSPC.E.S p, RZ, [R.64]"],
    "global": ["LDG.E d, [R.64]", "LDG.E.64 D, [R.64+0x10]", "LDG.E.128 Q, [R.64]", "LDG.E.U8 d, [R.64+UR4]", "LDG.E.U16 d, [R.64]", "LDG.E.S8 d, [R.64]", "LDG.E d, [u]",
               "LDG.E.64 D, [u+0x8]", "LDG.E.128 Q, [UR4]", "LDG.E.CONSTANT d, [R.64]", "LDG.E.128.CONSTANT Q, [R.64+UR8]", "LDG.E d, desc[UR4][R.64]",
               "LDG.E.64 D, desc[UR4][R.64+0x8]", "LDG.E.STRONG.GPU d, [R.64]", "LDG.E.64.STRONG.SYS D, [R.64]", "LDG d, [r]", "LDG.E.LTC128B d, [R.64]",
               "LDG.E d, [R.U32+UR4]", "LDG.E.64.CONSTANT D, [R.64+-0x20]", "LDG.E.EF.128 Q, desc[UR6][R.64+0x40]", "LDG.E.U8.CONSTANT d, [R.64]"],
    "store": ["STG.E [R.64], r", "STG.E.64 [R.64], R", "STG.E.128 [R.64+0x10], Z", "STG.E.U8 [R.64], r", "STG.E.U16 [R.64+UR4], r", "STG.E [u], r", "STG.E.64 [UR6], R",
              "STG.E desc[UR4][R.64], r", "STG.E.128 desc[UR4][R.64], Z", "STG.E.STRONG.GPU [R.64], r", "STG.E.STRONG.SYS [R.64], r", "STG [r], r", "STG.E [R.64], RZ",
              "STG.E.EF.64 [R.U32+UR6+0x8], R"],
    "shared": ["LDS d, [r]", "LDS.64 D, [r+0x8]", "LDS.128 Q, [r]", "LDS.U8 d, [r]", "LDS.S16 d, [r]", "LDS d, [u]", "LDS.128 Q, [UR4]", "LDS d, [r.X4]", "LDS.U.64 D, [r+UR4]",
               "STS [r], r", "STS.64 [r], R", "STS.128 [r+0x10], Z", "STS.U8 [r], r", "STS.U16 [u], r", "STS.64 [u], R", "STS [r.X8+0x4], r", "LDS d, [RZ]", "LDS d, [r+UR4+0x10]",
               "STS.128 [UR4+0x20], Z", "LDS.U16 d, [r.X16]", "STS [r+UR5], r", "LDS d, [0x20]", "STS [0x40], r"],
    "matrix": ["LDSM.16.M88 d, [r]", "LDSM.16.M88.2 D, [r]", "LDSM.16.M88.4 Q, [r]", "LDSM.16.MT88.4 Q, [r+0x200]", "LDSM.16.MT88.2 D, [u]"],
    "local": ["LDL d, [r]", "LDL.64 D, [R1]", "LDL.128 Q, [r+0x10]", "STL [r], r", "STL.64 [R1+0x8], R", "STL.128 [r], Z", "LDL.LU d, [r]", "LDL.U8 d, [r]"],
    "generic": ["LD.E d, [R.64]", "LD.E.64 D, [R.64]", "LD.E.128 Q, [R.64]", "ST.E [R.64], r", "ST.E.64 [R.64], R", "LD d, [r]", "ST.E.128 [R.64], Z", "LD.E d, desc[UR4][R.64]"],
    "atomic": ["ATOMG.E.ADD.STRONG.GPU PT, d, [R.64], r", "ATOMG.E.CAS.STRONG.GPU PT, d, [R.64], r, r", "RED.E.ADD.STRONG.GPU [R.64], r", "RED.E.MAX.S32.STRONG.GPU [R.64], r",
               "ATOM.E.ADD.STRONG.GPU PT, d, [R.64], r", "RED.E.ADD.64.STRONG.GPU [R.64], R", "ATOMG.E.EXCH.64.STRONG.GPU PT, D, [R.64], R",
               "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R.64], r", "ATOMG.E.ADD.STRONG.GPU PT, RZ, [R.64], r"],
    "sharedatomic": ["ATOMS.ADD d, [r], r", "ATOMS.POPC.INC.32 RZ, [r]", "ATOMS.CAS d, [r], r, r", "ATOMS.EXCH d, [u], r", "ATOMS.ADD RZ, [r], r", "ATOMS.CAS.64 D, [r], R, R",
                     "ATOMS.MAX.S32 d, [r+0x4], r", "ATOMS.CAST.SPIN d, [r], r, r", "ATOMS.ADD.64 D, [r], R"],
    "copy": ["LDGSTS.E [r], [R.64]", "LDGSTS.E.64 [r], [R.64]", "LDGSTS.E.128 [Z], [R.64]", "LDGSTS.E.BYPASS.128 [Z], [R.64]", "LDGSTS.E.BYPASS.LTC128B.128 [r+0x10], [R.64]",
             "LDGDEPBAR", "LDGSTS.E [r], desc[UR4][R.64]"],
    "texture": ["TEX.SCR.LL Q, r, r, 0x0, 0x58, 2D", "TLD4.R D, r, 0x0, 2D", "TXQ d, r, 0x5", "TLD.LZ d, r, 0x2, 1D"],
    "waits": ["DEPBAR.LE SB0, 0x0", "DEPBAR.LE SB1, 0x1", "DEPBAR.LE SB3, 0x2", "DEPBAR.LE SB0, 0x1, {2}"],
}
BARRIERS = ["BAR.SYNC 0x0", "BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.SYNC.DEFER_BLOCKING 0x1", "BAR.SYNC 0x1, 0x40", "BAR.RED.POPC.DEFER_BLOCKING 0x0, P0", "BAR.ARV 0x2, 0x80"]
MEMORY_BARRIERS = ["MEMBAR.SC.CTA", "MEMBAR.SC.GPU", "MEMBAR.ALL.GPU", "MEMBAR.ALL.CTA", "MEMBAR.SC.VC", "MEMBAR.SC.SYS"]
ONLY_AMPERE = ("LDGSTS", "LDGDEPBAR", "HMNMX2", "I2FP", "REDUX", "TEX", "TLD", "TXQ")  # of Turing textures that simulator reads stages that it has not set
AMPERE_MORE = {"half": ["HMNMX2 d, r, r, PT"], "sfu": ["I2FP.F32.S32 d, r"], "misc": ["REDUX.OR u, r", "REDUX.SUM u, r"]}
TENSOR = {86: ["HMMA.16816.F16 D, R, R, R", "HMMA.16816.F32 Q, Z, R, Z", "HMMA.1688.F16 D, R, r, R", "HMMA.1688.F32 Q, R, r, Z", "HMMA.1688.F32.TF32 Q, Z, R, Z",
               "HMMA.16816.F32.BF16 Q, Z, R, Z", "IMMA.16816.S8.S8 Q, R, r, Z", "IMMA.16832.S8.S8 Q, Z, R, Z", "IMMA.8816.S8.S8 D, r, r, R", "DMMA.884 Q, R, R, Z",
               "HMMA.16816.F32 Q, Z, R, RZ", "HMMA.SP.16832.F32 R8, R12, R16, R8"],
          75: ["HMMA.1688.F16 D, R, r, R", "HMMA.1688.F32 Q, R, r, Z", "IMMA.8816.S8.S8 D, r, r, R", "HMMA.16816.F32 Q, Z, R, Z"]}

FIXED = ("float", "int", "imad", "half", "uniform", "predicate", "misc", "waits", "tensor")  # of fixed latency: no counters, but as dice say
MEMORY = ("global", "store", "shared", "matrix", "local", "generic", "atomic", "sharedatomic", "copy")
KIND_NAMES = [*TEXTS, "tensor"]
MIXES = [
    KIND_NAMES, KIND_NAMES, [k for k in KIND_NAMES if k != "double"], ["float", "int", "imad", "half"], ["float", "half", "int", "predicate"],
    ["uniform", "queue", "int", "float"], ["sfu", "float", "int", "queue"], ["double", "float", "sfu"], ["tensor", "float", "matrix"], ["tensor", "shared", "global", "int"],
    ["constant", "float", "int", "uniform"], ["global", "int"], ["global", "store", "float", "int"], ["store"], ["shared", "int"], ["shared", "matrix", "sharedatomic", "float"],
    ["local", "int", "global"], ["generic", "int", "shared"], ["atomic", "int", "float"], ["atomic", "global", "store"], ["copy", "shared", "int", "waits"],
    ["copy", "global", "store"], ["texture", "float", "global"], ["lanes", "int", "misc"], ["misc", "predicate", "float"], ["lanes", "shared", "global", "sfu", "double"],
    ["waits", "global", "shared", "int"], ["constant", "lanes", "global", "local", "shared"],
]


class Instruction:
    """One of the listing: its text without a guard, and what decides its control bits, lanes and addresses."""

    def __init__(self, text, kind):
        self.text, self.kind = text, kind
        self.guard, self.lanes, self.address = "", ALL_LANES, None
        self.target, self.is_idle = None, False  # where a branch goes; one that is idle goes to the instruction behind it
        self.stall, self.is_yield, self.write, self.read, self.waits = 1, False, 7, 7, 0
        self.pc = 0

    def opcode(self):
        return self.text.split()[0]

    def width(self):
        """Bytes of a lane: as readers of traces take them from the opcode."""
        if self.address is None:
            return 0
        words = [w for w in self.opcode().split(".") if w]
        if words[0] == "LDSM":
            return int(words[-1]) * 4 if words[-1].isdigit() else 4
        for word in words:
            if re.fullmatch(r"U?\d+", word):
                return int(word.lstrip("U")) // 8
        return 4

    def control(self):
        return self.stall | (not self.is_yield) << 4 | self.write << 5 | self.read << 8 | self.waits << 11 | reuse_bits(self.text) << 17

    def line(self):
        text = self.text if self.target is None else "%s 0x%x" % (self.text, self.target)
        first = "        /*%04x*/                   %s ;" % (self.pc, self.guard + text)
        return "%s/* 0x0000000000000000 */\n%s/* 0x%016x */\n" % (first.ljust(88), " " * 84, self.control() << 41)


def reuse_bits(text):
    """A bit for each register that is read, in their order."""
    sources = re.findall(r"(?<![A-Za-z_\[])R\d+(?:\.reuse)?", text.split(",", 1)[1]) if "," in text else []
    return sum(1 << n for n, source in enumerate(sources[:4]) if source.endswith(".reuse"))


def registers(text, is_store):
    """Regular registers written and read, as traces list them."""
    names = re.findall(r"(?<![A-Za-z])R(\d+|Z)", text)
    numbers = ["R255" if n == "Z" else "R" + n for n in names]
    operands = text.split(None, 1)[1:]
    writes = not is_store and operands and re.match(r"R(\d+|Z)", operands[0])
    return (numbers[:1], numbers[1:]) if writes else ([], numbers)


# ---- drawing -------------------------------------------------------------------------------------------------------

class Drawing:
    """The dice of a program, and what must be the same throughout: its few registers, the one kind of tensor product, pending counters."""

    def __init__(self, seed, arch, kinds):
        self.dice = random.Random("%d %d %s" % (seed, arch, kinds))
        self.arch = arch
        self.kinds = kinds.split(",") if kinds else self.dice.choice(MIXES)
        self.registers = self.dice.choice([16, 32, 64, 64, 128])
        self.tensor = self.dice.choice(TENSOR[arch])
        self.reuse = self.dice.choice([0, 0.1, 0.5])
        self.guards = self.dice.choice([0, 0.1, 0.4])
        self.stalls = self.dice.choice([[0, 1], [1, 2], [1, 2, 3, 4, 5, 6], list(range(16)), [2, 4, 5, 6, 8, 12, 13]])
        self.careful = self.dice.choice([0.0, 0.1, 0.5, 0.9])  # how likely a counter is used, and waited for soon
        self.up = [0] * COUNTERS
        self.constants = self.dice.choice([4, 64, 1024])
        self.shmem = self.dice.choice([0, 1024, 4096, 16384, 16384, 32768])

    def register(self, align=1, reuse=False):
        number = self.dice.randrange(0, self.registers // align) * align
        return "R%d%s" % (number, ".reuse" if reuse and self.dice.random() < self.reuse else "")

    def constant(self):
        return "c[0x%x][0x%x]" % (self.dice.choice([0, 0, 0, 3]), 0x160 + 4 * self.dice.randrange(self.constants))

    def operand(self, mark):
        dice = self.dice
        if mark in "dr":
            return self.register(reuse=mark == "r")
        if mark in "DR":
            return self.register(2)
        if mark in "QZ":
            return self.register(4)
        if mark == "p":
            return "P%d" % dice.randrange(6)
        if mark == "q":
            return dice.choice(["P0", "P1", "!P2", "PT", "P5"])
        if mark in "uU":
            return "UR%d" % (dice.randrange(2, 16) * 2 if mark == "U" else dice.randrange(4, 40))
        if mark == "v":
            return "UP%d" % dice.randrange(6)
        if mark == "x":
            return dice.choice([self.register(), self.register(reuse=True), self.constant(), "0x%x" % dice.randrange(1, 999)])
        return self.constant()

    def text(self, kind):
        """An instruction's text with its operands drawn, or none for what this architecture lacks."""
        if kind == "tensor":
            form = self.tensor
        else:
            forms = TEXTS[kind] + (AMPERE_MORE.get(kind, []) if self.arch >= 80 else [])
            forms = [f for f in forms if self.arch >= 80 or not f.startswith(ONLY_AMPERE)]
            form = self.dice.choice(forms) if forms else "NOP"
        opcode, _, operands = form.partition(" ")
        operands = re.sub(r"(?<![A-Za-z0-9_])([dDrRQZpquUvxc])(?![A-Za-z0-9_\[])", lambda m: self.operand(m[1]), operands)
        return (opcode + " " + operands).strip()

    def instruction(self, kinds=None):
        kind = self.dice.choice(kinds or self.kinds)
        inst = Instruction(self.text(kind), kind)
        if inst.text.endswith(" b"):
            inst.text, inst.is_idle = inst.text[:-2], True
        if self.dice.random() < self.guards and inst.opcode() not in ("BRA", "NOP", "LDGDEPBAR"):
            inst.guard = self.dice.choice(["@P0 ", "@!P1 ", "@P3 ", "@PT ", "@!PT ", "@UP0 "])
            inst.lanes = self.dice.choice([0, 1, 0xFFFF, 0xFF00FF00, 0x80000001, 0xFFFFFFFE, self.dice.getrandbits(32)])
        if kind in MEMORY and inst.opcode() not in ("LDGDEPBAR", "NOP") or "[R" in inst.text and kind == "constant":
            inst.address = self.addresses(inst, kind)
        self.bits(inst)
        return inst

    def bits(self, inst):
        dice = self.dice
        inst.stall = dice.choice(self.stalls)
        inst.is_yield = dice.random() < 0.15
        inst.waits = sum(1 << n for n in range(COUNTERS) if self.up[n] and (self.up[n] >= MOST_UP or dice.random() < 0.25 * self.careful))
        for n in range(COUNTERS):
            self.up[n] = 0 if inst.waits >> n & 1 else self.up[n]
        if inst.kind in FIXED and dice.random() < 0.97:
            return
        if dice.random() < max(self.careful, 0.3):
            inst.write = dice.randrange(COUNTERS)
            self.up[inst.write] += 1
        if dice.random() < self.careful / 2:
            inst.read = dice.randrange(COUNTERS)
            self.up[inst.read] += 1
        if (inst.write, inst.read) != (7, 7):
            inst.stall = max(inst.stall, 2) if dice.random() < 0.8 else inst.stall

    def lane_pattern(self, width):
        """Offsets of the lanes of a warp, in bytes."""
        dice = self.dice
        stride = dice.choice([width, width, width, 4 * width, 32, 64, 128, 132, 256])
        kind = dice.choice(["same", "row", "row", "row", "stride", "back", "few", "mixed", "scattered"])
        if kind == "scattered":
            places = [dice.randrange(0, 4096) * width for _ in range(32)]
            return lambda l: places[l]
        return {"same": lambda l: 0, "row": lambda l: l * width, "stride": lambda l: l * stride, "back": lambda l: (31 - l) * width, "few": lambda l: l % 4 * stride,
                "mixed": lambda l: l * 7 % 32 * width}[kind]

    def addresses(self, inst, kind):
        """A function of CTA, warp, how often the instruction came before, and lane."""
        dice = self.dice
        inst.address = lambda *_: 0
        width = inst.width()
        lanes, by_warp, by_turn, by_cta = self.lane_pattern(width), dice.choice([0, 512, 2048]), dice.choice([0, 0, 128, 512]), dice.choice([0, 0, 4096, 8192])
        base = dice.randrange(0, 64) * 128 + dice.choice([0, 0, 32, 64])
        space = kind if kind != "generic" else dice.choice(["global", "sharedwindow", "local"])
        size = max(self.shmem, 1024)
        if space in ("shared", "matrix", "sharedatomic", "sharedwindow"):
            window = SHARED_WINDOW if space == "sharedwindow" else 0
            return lambda c, w, k, l: window + (base + lanes(l) + w * by_warp + k * by_turn) % size // width * width
        if space == "constant":
            spread = dice.choice([0, 4, 4, 64, 256])
            return lambda c, w, k, l: 0x20 + l * spread
        if space == "local":
            offset, spread = dice.randrange(0, 32) * 16, dice.choice([0, 0, 0, 16])
            return lambda c, w, k, l: LOCAL_WINDOW + offset + l * spread + k * (by_turn // 8)
        start = GLOBAL_DATA + dice.choice([0, 0x100000, 0x200000]) + (0x400000 if kind == "atomic" else 0)
        return lambda c, w, k, l: start + (base + lanes(l) + w * by_warp + k * by_turn + c * by_cta) // width * width


# ---- programs ------------------------------------------------------------------------------------------------------
# A program is a list of Instruction and of Part.

class Part:
    """Instructions of which some warps do several turns, some leave out, or of which some lanes take one half and the others the other."""

    def __init__(self, kind, items, **more):
        self.kind, self.items = kind, items
        self.__dict__.update(more)


def branch(drawing, text, kind="branch"):
    inst = Instruction(text, kind)
    drawing.bits(inst)
    inst.write = inst.read = 7
    inst.stall = drawing.dice.choice([1, 5, 5, 13])
    return inst


def straight(drawing, count, depth=0):
    out = []
    for _ in range(count):
        dice = drawing.dice.random() * 4**depth
        if dice < 0.04:
            out.append(loop(drawing, depth + 1))
        elif dice < 0.07:
            out.append(skip(drawing, depth + 1))
        elif dice < 0.09:
            out.append(parted(drawing, depth + 1))
        else:
            out.append(drawing.instruction())
    return out


def waits_for_all(drawing):
    inst = Instruction("NOP", "misc")
    inst.waits, inst.stall = 63, 2
    drawing.up = [0] * COUNTERS
    return inst


def loop(drawing, depth):
    turns = [drawing.dice.choice([0, 1, 2, 3, 8]) for _ in range(4 if drawing.dice.random() < 0.3 else 1)]
    items = straight(drawing, drawing.dice.choice([1, 2, 5, 12, 30]), depth) + [waits_for_all(drawing)]
    fewer = drawing.dice.choice([0, 0, 0, 1, 4])  # lanes that leave with each turn
    return Part("loop", items, back=branch(drawing, "BRA"), fewer=fewer, turns=lambda w: turns[w % len(turns)])


def skip(drawing, depth):
    which = drawing.dice.choice([0, 1, 2, 3, 5])
    jump = branch(drawing, drawing.dice.choice(["BRA", "BRA", "JMP"]))
    return Part("skip", straight(drawing, drawing.dice.choice([1, 3, 12, 40]), depth), jump=jump, skips=lambda c, w: (w + c) % 4 <= which - 1)


def parted(drawing, depth):
    lanes = drawing.dice.choice([0xFFFF, 0xF, 0xAAAAAAAA, 0xFFFFFFFE])
    jump = branch(drawing, "BRA")
    jump.guard, jump.lanes = "@P0 ", lanes
    halves = [straight(drawing, drawing.dice.choice([1, 3, 8]), depth) for _ in range(2)]
    ends = [branch(drawing, "BSYNC B0") for _ in range(2)]
    return Part("parted", [], begin=branch(drawing, "BSSY B0,"), jump=jump, lanes=lanes, halves=halves, ends=ends)


def leaving(drawing):
    leave = branch(drawing, "EXIT")
    leave.guard, leave.lanes = "@P0 ", drawing.dice.choice([0xFF, 0xFFFF0000, 1, ALL_LANES])
    return Part("leave", [], leave=leave, who=drawing.dice.choice([lambda w: True, lambda w: w % 2 == 1, lambda w: w == 0]))


def program(drawing, size):
    """The items of a kernel: parts of size instructions with what all warps of a CTA do together between them."""
    dice, items = drawing.dice, []
    barriers = dice.choice([0, 0, 1, 3])
    early = dice.randrange(barriers) if barriers and dice.random() < 0.3 else -1
    for n in range(barriers + 1):
        items += straight(drawing, max(1, size // (barriers + 1)))
        items += [leaving(drawing)] if n == early else []
        if n < barriers:
            text = dice.choice(BARRIERS if dice.random() < 0.6 else MEMORY_BARRIERS)
            items.append(waits_for_all(drawing) if dice.random() < 0.5 else drawing.instruction(["misc"]))
            items.append(branch(drawing, text))
    if dice.random() < 0.15:
        items.append(leaving(drawing))
        items += straight(drawing, dice.choice([1, 5, 20]), 1)
    if dice.random() < 0.7:
        items.append(waits_for_all(drawing))
    last = branch(drawing, "EXIT")
    last.stall = 5
    return items + [last]


def flatten(items):
    """The instructions in their order in memory."""
    out = []
    for item in items:
        if isinstance(item, Instruction):
            out.append(item)
        elif item.kind == "loop":
            out += flatten(item.items) + [item.back]
        elif item.kind == "skip":
            out += [item.jump] + flatten(item.items)
        elif item.kind == "leave":
            out.append(item.leave)
        else:
            out += [item.begin, item.jump] + flatten(item.halves[0]) + [item.ends[0]] + flatten(item.halves[1]) + [item.ends[1]]
    return out


def place(items):
    """Puts a program's instructions one behind the other, and says where branches go."""
    code = flatten(items)
    for n, inst in enumerate(code):
        inst.pc = 16 * n
    aim(items, 0)
    return code


def aim(items, at):
    """Says where branches go; at is where the items begin, in instructions. The place behind them is returned."""
    for item in items:
        if isinstance(item, Instruction):
            at += 1
            item.target = 16 * at if item.is_idle else None
        elif item.kind == "loop":
            item.back.target = 16 * at
            at = aim(item.items, at) + 1
        elif item.kind == "skip":
            at = aim(item.items, at + 1)
            item.jump.target = 16 * at
        elif item.kind == "leave":
            at += 1
        else:
            at = aim(item.halves[0], at + 2) + 1
            item.jump.target = 16 * at
            at = aim(item.halves[1], at) + 1
            item.begin.target = 16 * at
    return at


# ---- traces --------------------------------------------------------------------------------------------------------

class Warp:
    """What a warp does: the lines of its trace."""

    def __init__(self, cta, number, lanes):
        self.cta, self.number, self.lanes, self.lines, self.seen = cta, number, lanes, [], {}

    def does(self, inst, lanes=ALL_LANES):
        mask = self.lanes & lanes & inst.lanes
        written, read = registers(inst.text, inst.opcode().startswith(("ST", "RED", "LDGSTS", "BAR", "BRA", "R2P")))
        words = ["%04x" % inst.pc, "%08x" % mask, str(len(written)), *written, inst.opcode(), str(len(read)), *read, str(inst.width())]
        if inst.address:
            turn = self.seen[inst] = self.seen.get(inst, -1) + 1
            words += compressed(mask, [inst.address(self.cta, self.number, turn, l) for l in range(32) if mask >> l & 1])
        self.lines.append(" ".join(words) + " ")

    def walk(self, items, lanes=ALL_LANES):
        for item in items:
            if not self.lanes:
                return
            if isinstance(item, Instruction):
                self.does(item, lanes)
            elif item.kind == "loop":
                for turn in range(item.turns(self.number) + 1):
                    self.walk(item.items, lanes & ALL_LANES << item.fewer * turn)
                    self.does(item.back, lanes & ALL_LANES << item.fewer * turn)
            elif item.kind == "skip":
                self.does(item.jump, lanes)
                if not item.skips(self.cta, self.number):
                    self.walk(item.items, lanes)
            elif item.kind == "leave":
                self.leave(item)
            else:
                self.part(item, lanes)

    def leave(self, item):
        gone = item.leave.lanes if item.who(self.number) else 0
        self.does(item.leave, gone)
        self.lanes &= ~gone

    def part(self, item, lanes):
        self.does(item.begin, lanes)
        self.does(item.jump, lanes)
        for mask, half, end in zip((~item.lanes, item.lanes), item.halves, item.ends):
            if self.lanes & lanes & mask:
                self.walk(half, lanes & mask)
                self.does(end, lanes & mask)


def compressed(mask, addresses):
    """Base and stride where lanes that follow each other are a stride apart, else one address a lane."""
    together = mask and (mask // (mask & -mask) + 1) & mask // (mask & -mask) == 0
    stride = addresses[1] - addresses[0] if len(addresses) > 1 else 0
    if together and all(b - a == stride for a, b in zip(addresses, addresses[1:])):
        return ["1", "0x%x" % addresses[0], str(stride)]
    return ["0", *("0x%x" % a for a in addresses)]


def shape(drawing, size):
    """CTAs of a kernel, threads of one, and registers of a thread: of size instructions each warp, MOST_DONE at most."""
    dice = drawing.dice
    threads = [t for t in (1, 32, 32, 32, 33, 64, 64, 96, 128, 128, 200, 256, 384, 512, 1024) if (t + 31) // 32 * size <= MOST_DONE]
    threads = dice.choice(threads)
    ctas = [c for c in (1, 1, 1, 1, 2, 3, 8, 68, 69, 140, 200) if c * ((threads + 31) // 32) * size <= MOST_DONE]
    ctas = dice.choice(ctas)
    rows = dice.choice([r for r in (1, 1, 1, 2, 3, 4) if ctas % r == 0])
    lines = dice.choice([n for n in (1, 1, 2, 4) if threads % n == 0])
    registers = [n for n in (drawing.registers, drawing.registers, 16, 40, 128) if n * threads <= 65536]
    return (ctas // rows, rows), (threads // lines, lines), dice.choice(registers)


def write_kernel(folder, number, drawing, items, name, size):
    grid, block, nregs = shape(drawing, size)
    threads = block[0] * block[1]
    head = {"kernel name": name, "kernel id": number, "grid dim": "(%d,%d,1)" % grid, "block dim": "(%d,%d,1)" % block, "shmem": drawing.shmem, "nregs": nregs,
            "binary version": drawing.arch, "cuda stream id": 0, "shmem base_addr": "0x%016x" % SHARED_WINDOW, "local mem base_addr": "0x%016x" % LOCAL_WINDOW,
            "nvbit version": "1.7", "accelsim tracer version": 4}
    with open(os.path.join(folder, "kernel-%d.traceg" % number), "w") as f:
        f.write("".join("-%s = %s\n" % pair for pair in head.items()))
        f.write("\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n")
        for cta in range(grid[0] * grid[1]):
            f.write("\n#BEGIN_TB\n\nthread block = %d,%d,0\n" % (cta % grid[0], cta // grid[0]))
            for w in range((threads + 31) // 32):
                warp = Warp(cta, w, ALL_LANES if threads - 32 * w >= 32 else (1 << threads % 32) - 1)
                warp.walk(items)
                f.write("\nwarp = %d\ninsts = %d\n%s\n" % (w, len(warp.lines), "\n".join(warp.lines)))
            f.write("\n#END_TB\n\n")


def listing(name, code, arch):
    after = []
    for n in range(NOPS_BEHIND):
        inst = Instruction("NOP", "misc")
        inst.pc, inst.stall = 16 * (len(code) + n), 0
        after.append(inst)
    return "\n\tcode for sm_%d\n\t\tFunction : %s\n\t.headerflags\t@\"EF_CUDA_SM%d\"\n%s\t\t..........\n\n\n" % (arch, name, arch, "".join(i.line() for i in code + after))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    seed, folder, arch = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 86
    drawing = Drawing(seed, arch, sys.argv[4] if len(sys.argv) > 4 else "")
    dice = drawing.dice
    size = dice.choice([6, 15, 15, 40, 40, 40, 100] + ([2600] if dice.random() < 0.04 else []))
    functions = dice.choice([1, 1, 1, 1, 2])
    os.makedirs(folder, exist_ok=True)
    programs = [program(drawing, size) for _ in range(functions)]
    codes = [place(items) for items in programs]
    launches = [n % functions for n in range(functions if functions == 1 else dice.choice([2, 3]))]
    for number, which in enumerate(launches):
        write_kernel(folder, number + 1, drawing, programs[which], "k%d" % which, size)
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.write("MemcpyHtoD,0x%016x,%d\n" % (GLOBAL_DATA, dice.choice([512, 16384])) if dice.random() < 0.1 else "")
        f.write("".join("kernel-%d.traceg\n" % (n + 1) for n in range(len(launches))))
    with open(os.path.join(folder, "kernel.sass"), "w") as f:
        f.write("".join(listing("k%d" % n, code, arch) for n, code in enumerate(codes)))


if __name__ == "__main__":
    main()
