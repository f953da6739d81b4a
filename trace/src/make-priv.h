/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The kernel language in memory: expressions and statements as they were read, and what executes them.
 */
#pragma once

#include "trace-priv.h"

#define WW_MAKE_MAX_BYTES (1u << 20) /**< Of a program. */
#define WW_MAKE_MAX_DEPTH 64u        /**< Of blocks and parentheses in each other. */
#define WW_MAKE_MAX_PARTS 256u       /**< Of operations in each other, as in a + b + c + ... */
#define WW_MAKE_MAX_NAMES 256u       /**< Variables at one place. */
#define WW_MAKE_MAX_KERNELS 4096u    /**< And copies. */

/** What is known without a variable. */
typedef enum WwMakeName {
    WW_NAME_LANE,
    WW_NAME_WARP,
    WW_NAME_THREAD,
    WW_NAME_TX,
    WW_NAME_TY,
    WW_NAME_TZ,
    WW_NAME_CTA,
    WW_NAME_CX,
    WW_NAME_CY,
    WW_NAME_CZ,
    WW_NAME_GX,
    WW_NAME_GY,
    WW_NAME_GZ,
    WW_NAME_BX,
    WW_NAME_BY,
    WW_NAME_BZ,
    WW_NAME_WARPS,
    WW_NAME_SHARED_BASE,
    WW_NAME_LOCAL_BASE,
    WW_N_NAMES
} WwMakeName;

/** What an expression does with its parts. */
typedef enum WwMakeOp {
    WW_MAKE_NUMBER,
    WW_MAKE_NAME,     /**< WwMakeName */
    WW_MAKE_VARIABLE, /**< Number of a slot. */
    WW_MAKE_NEGATE,
    WW_MAKE_NOT,
    WW_MAKE_INVERT,
    WW_MAKE_HASH,
    WW_MAKE_MIN,
    WW_MAKE_MAX,
    WW_MAKE_MUL,
    WW_MAKE_DIV,
    WW_MAKE_REM,
    WW_MAKE_ADD,
    WW_MAKE_SUB,
    WW_MAKE_LEFT,
    WW_MAKE_RIGHT,
    WW_MAKE_LESS,
    WW_MAKE_MOST,
    WW_MAKE_MORE,
    WW_MAKE_LEAST,
    WW_MAKE_EQUAL,
    WW_MAKE_OTHER,
    WW_MAKE_AND,
    WW_MAKE_XOR,
    WW_MAKE_OR,
    WW_MAKE_BOTH,
    WW_MAKE_EITHER,
    WW_MAKE_CHOICE,
} WwMakeOp;

typedef struct WwMakeExpr {
    WwMakeOp op;
    uint32_t line, depth;
    int64_t number; /**< Also of a name or slot. */
    struct WwMakeExpr *part[3];
} WwMakeExpr;

typedef enum WwMakeKind {
    WW_MAKE_INST,
    WW_MAKE_LET,
    WW_MAKE_IF,
    WW_MAKE_FOR, /**< Also `repeat`. */
    WW_MAKE_UNROLL,
} WwMakeKind;

typedef struct WwMakeStmt {
    WwMakeKind kind;
    uint32_t line;
    uint64_t pc;   /**< Instructions: in the first copy, in instructions. */
    uint64_t size; /**< Instructions in it: unroll: of one copy. */
    struct WwMakeStmt *next, *body, *other;
    uint32_t slot;
    WwMakeExpr *from, *to, *step; /**< LET, IF: from. */
    int64_t first, last;          /**< Unroll. */
    /* instructions */
    char *opcode;
    WwMakeExpr *reg[1 + WW_MAX_SRC]; /**< The destination, or NULL; sources. */
    uint32_t n_src;
    WwMakeExpr *address, *imm;
    uint32_t width;
    bool exits;
} WwMakeStmt;

typedef struct WwMakeKernel {
    char *name;
    uint32_t line;
    uint64_t grid[3], block[3], shared, registers, version, stream, shared_base, local_base,
        lineinfo;
    uint64_t ctas, threads, warps;
    WwMakeStmt *code;
    uint64_t size; /**< Static instructions. */
} WwMakeKernel;

/** A line of the list. */
typedef struct WwMakeCommand {
    WwMakeKernel *kernel; /**< NULL: a copy. */
    uint64_t address, bytes;
} WwMakeCommand;

typedef struct WwMakeProgram {
    const char *file;
    GPtrArray *owned; /**< All of its memory. */
    GArray *commands; /**< WwMakeCommand */
    int64_t constant
        [WW_MAKE_MAX_NAMES]; /**< Values of the slots whose names were given outside of kernels. */
    uint32_t n_constants;
} WwMakeProgram;

/** Reads @p text. @p opcodes: maps, or NULL. False with @p error that names the line. */
bool ww_make_parse(WwMakeProgram *program, const char *text, WwOpcodes *opcodes, GError **error);
void ww_make_clear(WwMakeProgram *program);

/** One warp of a kernel, from its start to its end. */
typedef struct WwMakeWarp {
    const WwMakeProgram *program;
    const WwMakeKernel *kernel;
    uint64_t cta[3], cta_number;
    uint32_t warp;
    uint32_t lanes;     /**< That have not exited. */
    uint64_t n;         /**< Instructions so far. */
    uint64_t *left;     /**< Steps of the whole program that may still be done. */
    uint64_t pc_offset; /**< In instructions: of the copies that are being executed. */
    GString *text;      /**< Where lines go, or NULL: they are counted only. */
    bool (*full)(void *user, GError **error); /**< Takes what is in text. */
    void *user;
    int64_t slot[WW_MAKE_MAX_NAMES][WW_WARP_SIZE];
} WwMakeWarp;

/** Executes the warp of @p w that its first members say. */
bool ww_make_warp(WwMakeWarp *w, GError **error);
/** The value of an expression of numbers and names from outside of kernels. */
bool ww_make_constant(const WwMakeProgram *program, const WwMakeExpr *e, int64_t *out,
                      GError **error);
