/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Static code: what a listing of a kernel's function says beyond its trace. All instructions, also those that no warp executed; all of their operands;
 * and the control bits that the compiler wrote into each.
 *
 * Workload: a kernel has 10 to 10^5 instructions; they are looked up by pc, at fetch, and never change.
 */
#pragma once

#include <warpwright/base.h>

#define WW_CODE_BYTES 16u /**< An instruction has 128 bits since Volta. */
#define WW_COUNTERS 6u    /**< Dependence counters of a warp, SB0 to SB5. */
#define WW_NO_COUNTER 7u

/**
 * The control field, bits 105 to 125 of an instruction. Source: the control codes of maxas and CuAssembler, which agree with what MICRO'25
 * (doi 10.1145/3725843.3756041) measured.
 */
typedef struct WwControl {
    uint8_t stall; /**< Cycles until the warp may issue again, 0 to 15. */
    bool yield;    /**< Not in the next cycle. (The bit is stored inverted.) */
    uint8_t write; /**< Counter that is up until the results are written, or WW_NO_COUNTER. */
    uint8_t read;  /**< Counter that is up until the sources were read, or WW_NO_COUNTER. */
    uint8_t wait;  /**< Bit i: counter i has to be 0 before it issues. */
    uint8_t
        reuse; /**< Bit i: what operand place i (A, B, C) reads is kept for the next instruction. */
} WwControl;

/** The control field of an instruction whose bits 64 to 127 are @p high. */
static inline WwControl ww_control_of(uint64_t high)
{
    uint32_t c = (uint32_t)(high >> 41) & 0x1fffffu;
    return (WwControl){
        .stall = c & 15u,
        .yield = (c >> 4 & 1u) == 0,
        .write = c >> 5 & 7u,
        .read = c >> 8 & 7u,
        .wait = c >> 11 & 63u,
        .reuse = c >> 17 & 15u,
    };
}

/** What an operand is, as a disassembler writes it. */
typedef enum WwOperandKind {
    WW_OPERAND_REG,      /**< R0 to R254, RZ. */
    WW_OPERAND_UREG,     /**< UR0..., URZ. */
    WW_OPERAND_PRED,     /**< P0 to P6, PT; PR: all of them. */
    WW_OPERAND_UPRED,    /**< UP0 to UP6, UPT; UPR. */
    WW_OPERAND_BARRIER,  /**< B0 to B15: convergence barriers. */
    WW_OPERAND_COUNTER,  /**< SB0 to SB5. */
    WW_OPERAND_COUNTERS, /**< {3,1}: a mask in `imm`. */
    WW_OPERAND_SPECIAL,  /**< SR_TID.X, SRZ, ... */
    WW_OPERAND_CONST, /**< c[bank][offset], with a register or a uniform register in it; cx[UR][offset]. */
    WW_OPERAND_ADDRESS,   /**< [R2.64+UR4+0x10] */
    WW_OPERAND_DESC,      /**< desc[UR4][R2.64+0x10], gdesc[UR4] */
    WW_OPERAND_IMMEDIATE, /**< Integers as their bits, floating-point numbers as a double's. */
    WW_OPERAND_OTHER,     /**< What it says stands in the text alone: 2D, ARRAY_2D, labels. */
    WW_N_OPERAND_KINDS
} WwOperandKind;

/** "register", "uniform register", ... */
WW_API const char *ww_operand_kind_name(WwOperandKind kind);

/** Room for what ww_control_text() writes, its NUL included: 20 letters today. */
#define WW_CONTROL_TEXT 24u
/** @p control in the notation of SASS assemblers, "B01----:R-:W2:-:S04", into @p out[WW_CONTROL_TEXT]. */
WW_API void ww_control_text(const WwControl *control, char *out);

/** Bits of WwOperand.flags. */
enum {
    WW_OPERAND_NEGATED = 1u << 0,  /**< -R1, !P0, ~R3. */
    WW_OPERAND_ABSOLUTE = 1u << 1, /**< |R1| */
    WW_OPERAND_REUSE = 1u << 2,    /**< R1.reuse */
    WW_OPERAND_WIDE = 1u << 3,     /**< R2.64: the register is half of a pair. */
    WW_OPERAND_HAS_REG = 1u << 4,  /**< ADDRESS, DESC, CONST: `reg` is in it, */
    WW_OPERAND_HAS_UREG = 1u << 5, /**< `ureg` is. */
    WW_OPERAND_FLOAT = 1u << 6,    /**< IMMEDIATE: a double. */
    WW_OPERAND_BOUND = 1u << 7,    /**< CONST: cx[UR][offset], `ureg` says where. */
};

#define WW_REG_ZERO 255u  /**< RZ */
#define WW_UREG_ZERO 255u /**< URZ, whatever number the architecture gives it. */
#define WW_PRED_TRUE 7u   /**< PT, UPT */
#define WW_PRED_ALL 8u    /**< PR, UPR */

/** An operand of an instruction. What its kind has no use for is 0. */
typedef struct WwOperand {
    uint8_t kind; /**< WwOperandKind */
    uint8_t flags;
    uint8_t reg;  /**< Number of the register, predicate, barrier or counter. */
    uint8_t ureg; /**< Of the uniform register inside an address, descriptor or constant. */
    uint32_t bank;
    int64_t imm; /**< Immediate, offset in bytes, or mask. */
} WwOperand;

/** Room for what ww_operand_text() writes, its NUL included; what is longer is cut. */
#define WW_OPERAND_TEXT 96u
/** @p operand as a disassembler prints it, into @p out[WW_OPERAND_TEXT]; "?" for WW_OPERAND_OTHER. */
WW_API void ww_operand_text(const WwOperand *operand, char *out);

/** An instruction of a function, as its bits or its listing have it. */
typedef struct WwCodeInst {
    uint64_t pc;      /**< From the function's begin. */
    uint64_t word[2]; /**< Its bits, the low ones first. */
    const char *
        opcode; /**< Full text, "LDG.E.64"; of a cubin up to the first dot, "" where it is not known. */
    uint32_t operand; /**< First of its operands in WwCode.operand. */
    uint32_t line;    /**< Of the listing; 0: it is a cubin. */
    WwControl control;
    uint8_t n_operands;
    uint8_t n_dst; /**< So many of them, the first, are written. */
    uint8_t guard; /**< Predicate that it is executed under; WW_PRED_TRUE: always. */
    bool guard_negated, guard_uniform;
    bool bits_only; /**< Its operands could not be read from a cubin's bits: none are here. */
} WwCodeInst;

/** A function. */
typedef struct WwCode {
    const char *name; /**< As the trace's header has it. */
    const char *file; /**< Of the listing. */
    uint32_t arch;    /**< 86 for sm_86. */
    uint32_t n;
    const WwCodeInst *inst; /**< By pc, without gaps: that of pc p is number p / WW_CODE_BYTES. */
    const WwOperand *operand;
} WwCode;

/** The instruction at @p pc, or NULL when there is none. */
static inline const WwCodeInst *ww_code_at(const WwCode *code, uint64_t pc)
{
    return pc % WW_CODE_BYTES == 0 && pc / WW_CODE_BYTES < code->n ? &code->inst[pc / WW_CODE_BYTES]
                                                                   : NULL;
}
/** The `n_operands` operands of @p inst, an instruction of @p code. */
static inline const WwOperand *ww_code_operands(const WwCode *code, const WwCodeInst *inst)
{
    return &code->operand[inst->operand];
}
