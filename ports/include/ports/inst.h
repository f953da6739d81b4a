/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The instruction: what a trace line says once (WwSinst, shared by every warp that executes it), what one
 * execution adds (WwTinst, compact, in a CTA's trace), and the record that moves through a pipeline (WwInst).
 *
 * Workload: a kernel has 10 to 10,000 static instructions and up to 10^9 dynamic ones; only warps x i-buffer
 * entries plus what is in flight (a few hundred an SM) exist as WwInst at any time, from a pool.
 */
#pragma once

#include <ports/bits.h>
#include <ports/code.h>
#include <warpwright/event_log.h>

#define WW_WARP_SIZE 32u /**< Lanes of a warp; masks are uint32_t, lane i is bit i. */
#define WW_MAX_SRC 4u    /**< Source registers that a trace line can carry (tracer format). */
#define WW_MAX_WARPS 64u /**< Hardware warps of an SM; warp sets are uint64_t masks. */
#define WW_MAX_CTAS 32u  /**< Hardware CTA slots of an SM. */
#define WW_NUM_REGS 257u /**< Register numbers: 0 is none, Rn of the trace is n + 1, R255 is 256. */
#define WW_ZERO_REG 256u /**< R255, the zero register. */
#define WW_NUM_SPEC 8u   /**< Specialised units that an opcode map can name. */

/** Category of an opcode: selects the unit that executes it and the class of its latency. */
typedef enum WwOp {
    WW_OP_ALU,
    WW_OP_INT,
    WW_OP_SP,
    WW_OP_DP,
    WW_OP_SFU,
    WW_OP_TENSOR,
    WW_OP_LOAD,
    WW_OP_STORE,
    WW_OP_BARRIER,
    WW_OP_MEMBAR,
    WW_OP_EXIT,
    WW_OP_BRANCH,
    WW_OP_CALL,
    WW_OP_RET,
    WW_OP_SPEC1, /**< SPEC1..SPEC8: WW_OP_SPEC1 + k - 1. */
    WW_OP_SPEC8 = WW_OP_SPEC1 + WW_NUM_SPEC - 1,
    WW_N_OPS
} WwOp;

/** What an instruction is to the sub-cores of a modern SM, where WwOp is too coarse: docs/opcodes.md#text. */
typedef enum WwSubOp {
    WW_SUB_INT,
    WW_SUB_SP,
    WW_SUB_HALF,      /**< Packed half precision. */
    WW_SUB_PREDICATE, /**< Results are predicates. */
    WW_SUB_UNIFORM,
    WW_SUB_TENSOR,
    WW_SUB_BRANCH,
    WW_SUB_CALL,
    WW_SUB_RET,
    WW_SUB_EXIT,
    WW_SUB_MISC,
    WW_SUB_BARRIER,
    WW_SUB_DEPBAR, /**< Waits for dependence counters. */
    WW_SUB_ASYNC,  /**< Waits for asynchronous copies: LDGDEPBAR. */
    WW_SUB_SFU,
    WW_SUB_DP,
    WW_SUB_QUEUED, /**< Miscellaneous, through a queue. */
    WW_SUB_LOAD,
    WW_SUB_STORE,
    WW_SUB_OTHER, /**< Of the LD/ST unit, without an access: SHFL, S2R, MATCH, CCTL. */
    WW_SUB_MEMBAR,
    WW_SUB_TEXTURE,
    WW_SUB_SURFACE,
    WW_N_SUB_OPS
} WwSubOp;

/** "int", "sp", ...: what an opcode map calls it; "?" for others. */
WW_API const char *ww_sub_op_name(WwSubOp op);

/** Upper-case name of a category ("ALU", "SPEC3"), or "?". */
WW_API const char *ww_op_name(WwOp op);

/** Memory space that an access goes to. */
typedef enum WwSpace {
    WW_SPACE_NONE,
    WW_SPACE_GLOBAL,
    WW_SPACE_LOCAL,
    WW_SPACE_SHARED,
    WW_SPACE_CONST,
    WW_SPACE_GENERIC, /**< Static only: decided per execution by the first active lane's address. */
    WW_N_SPACES
} WwSpace;

/** Lower-case name of a space ("global"), or "?". */
WW_API const char *ww_space_name(WwSpace space);
/** The same for events. */
WW_API const WwEventWord *ww_space_word(WwSpace space);

/** Properties of a static instruction; bits of WwSinst.flags. */
enum {
    WW_INST_LOAD = 1u << 0, /**< Behaves as a load (category LOAD or marked so: LDC, ATOMS, ...). */
    WW_INST_STORE = 1u << 1,  /**< Behaves as a store (category STORE or marked so). */
    WW_INST_ATOMIC = 1u << 2, /**< ATOM, ATOMG, RED, ATOMS. */
    WW_INST_BYPASS_L1 =
        1u << 3, /**< Cache operator "global": `.STRONG.GPU` loads and global atomics. */
    WW_INST_LDGSTS = 1u << 4,    /**< Asynchronous global-to-shared copy. */
    WW_INST_LDGDEPBAR = 1u << 5, /**< Commits a group of asynchronous copies. */
    WW_INST_DEPBAR = 1u << 6,    /**< Waits for groups; `imm` is how many may stay outstanding. */
    WW_INST_HALF_RATE_II =
        1u << 7, /**< Packed half-precision: initiation interval halved, minimum 1. */
    WW_INST_UNKNOWN =
        1u << 8, /**< No map knows the opcode; its category comes from the fallback rule. */
    /* Calls of the device-side launch interface: they take their time before they issue. No trace marks them. */
    WW_INST_CDP_STREAM = 1u << 9,  /**< Creates a stream. */
    WW_INST_CDP_BUFFER = 1u << 10, /**< Asks for a parameter buffer. */
    WW_INST_CDP_LAUNCH = 1u << 11, /**< Launches kernels. */
    WW_INST_PACKED_HALF =
        1u
        << 12, /**< Packed half precision, too, but without the halved interval: docs/model.md#decode. */
    WW_INST_CDP = WW_INST_CDP_STREAM | WW_INST_CDP_BUFFER | WW_INST_CDP_LAUNCH,
};

/** Bytes of an opcode that may be read at once. */
#define WW_OPCODE_ROOM 16u

/** A static instruction: one per distinct trace line (addresses and mask aside) of a kernel. Immutable. */
typedef struct WwSinst {
    uint64_t pc;
    const char *opcode; /**< Full text, e.g. "LDG.E.64"; owned by the kernel's instruction table. */
    const WwCodeInst
        *code;     /**< What a listing has at its pc (WwKernel.code); NULL: no listing has it. */
    uint32_t id;   /**< Index in the kernel's instruction table. */
    uint32_t line; /**< Line of the trace where it first stood, for errors. */
    int32_t imm;
    uint16_t flags; /**< WW_INST_... */
    uint8_t op;     /**< WwOp, as the opcode map of the trace's binary version says. */
    uint8_t space;  /**< WwSpace */
    uint8_t width;  /**< Bytes a lane accesses: 1, 2, 4, 8, 16. */
    uint8_t
        signed_width; /**< 1, 2: what `.S8` or `.S16` asks for, where `width` has 4 as the reference does; 0: as `width`. */
    uint8_t
        true_op; /**< 1 + WwOp: the category whose unit the hardware has for it, where `op` is another; 0: as `op`. */
    uint8_t sub_op;      /**< 1 + WwSubOp; 0: the map does not say, `op` decides. */
    uint8_t ndst : 1;    /**< 0 or 1. */
    uint8_t letters : 7; /**< Of `opcode`, zeros up to WW_OPCODE_ROOM behind; 0: nobody counted. */
    uint8_t nsrc;        /**< 0 to WW_MAX_SRC. */
    uint16_t dst;        /**< Register number + 1; 0 is none. */
    uint16_t src[WW_MAX_SRC]; /**< Those from nsrc on are 0. */
} WwSinst;

/** How the addresses of one execution are written down; a trace keeps them as the tracer packed them. */
typedef enum WwAddrMode {
    WW_ADDR_LIST = 0, /**< One address per active lane, ascending lanes. */
    WW_ADDR_STRIDE =
        1, /**< Base of the first active lane and a stride; after the first gap lanes get 0. */
    WW_ADDR_DELTA = 2, /**< Base, then a delta for each further active lane. */
} WwAddrMode;

/** The addresses of one execution, as a trace has them packed: see WwAddrMode. */
typedef struct WwAddrBlock {
    uint64_t base;         /**< Modes 1, 2. */
    int64_t stride;        /**< Mode 1. */
    uint8_t mode;          /**< WwAddrMode */
    uint8_t n;             /**< Values that it has: see ww_addr_values(). */
    const int64_t *shared; /**< Its values, which others have, too; NULL: they are its own. */
    int64_t own[];
} WwAddrBlock;

/** Its `n` values. Mode 0: addresses (as bits); mode 2: deltas. */
static inline const int64_t *ww_addr_values(const WwAddrBlock *block)
{
    return block->shared != NULL ? block->shared : block->own;
}

/** Room for an address block of any size. */
typedef struct WwAddrRoom {
    uint64_t words[sizeof(WwAddrBlock) / sizeof(uint64_t) + WW_WARP_SIZE];
} WwAddrRoom;

/** The block that @p room is for. */
static inline WwAddrBlock *ww_addr_block(WwAddrRoom *room)
{
    return (WwAddrBlock *)(void *)room->words;
}

/** One execution of an instruction by one warp, as it stands in a CTA's trace. */
typedef struct WwTinst {
    uint32_t sinst; /**< Index in the kernel's instruction table. */
    uint32_t mask;  /**< Active lanes. */
    uint32_t
        addr; /**< 0: no addresses; else 1 + offset of its WwAddrBlock in the CTA's address arena, in 8 bytes. */
} WwTinst;

/**
 * Writes the address of every lane of @p mask into @p out[32]; inactive lanes get 0.
 * @p block may be NULL (all 0). The rules are the tracer's (see WwAddrMode).
 */
WW_API void ww_addr_expand(const WwAddrBlock *block, uint32_t mask, uint64_t out[WW_WARP_SIZE]);

/** Address of the lowest active lane, or 0 when @p mask is 0 or @p block is NULL. Costs no expansion. */
WW_API uint64_t ww_addr_first(const WwAddrBlock *block, uint32_t mask);

/**
 * A dynamic instruction: the token of register sets. Allocated from its SM's warp pool when decoded, moves by
 * handle, freed where it completes.
 */
typedef struct WwInst {
    const WwSinst *s;
    const WwAddrBlock *addr; /**< Addresses, in the CTA's trace or in `room`; NULL if none. */
    WwAddrRoom *room;    /**< Its pool's: addresses of instructions that come packed, or NULL. */
    struct WwInst *next; /**< Free list, or a component's own list while it owns the token. */
    const struct WwTiming
        *timing; /**< What it takes, where somebody said so (ports/sub_core.h); else anything. */
    uint32_t
        uid; /**< Number in its SM, in the order of decoding, from 1 on, modulo 2^32: identifies it in logs. */
    uint32_t
        order; /**< Of issue inside the SM, from 1 on, modulo 2^32: ww_inst_older(); 0 until issued. */
    uint32_t mask;     /**< Active lanes. */
    uint16_t warp;     /**< Hardware warp. */
    uint8_t sched;     /**< Scheduler that issued it. */
    uint8_t op;        /**< WwOp; differs from s->op only where a component rewrites it. */
    uint8_t space;     /**< WwSpace; generic resolved. */
    uint8_t unit;      /**< WwUnit that it was issued to, in a sub-core. */
    uint16_t latency;  /**< Cycles, from the platform's latency table. */
    uint16_t interval; /**< Initiation interval, cycles. */
    uint16_t cycles;   /**< Dispatch countdown; shared memory puts its conflict cost here. */
} WwInst;

/** Is WwInst.order @p a before @p b? Of instructions in flight in an SM, which are fewer than 2^31. */
static inline bool ww_order_older(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/** Was @p a issued before @p b? */
static inline bool ww_inst_older(const WwInst *a, const WwInst *b)
{
    return ww_order_older(a->order, b->order);
}

/** Does it behave as a load (WW_INST_LOAD)? */
static inline bool ww_inst_is_load(const WwInst *i)
{
    return (i->s->flags & WW_INST_LOAD) != 0;
}

/** Does it behave as a store (WW_INST_STORE)? */
static inline bool ww_inst_is_store(const WwInst *i)
{
    return (i->s->flags & WW_INST_STORE) != 0;
}

/** How many lanes are active. */
static inline uint32_t ww_inst_lanes(const WwInst *i)
{
    return i->mask == UINT32_MAX ? WW_WARP_SIZE : ww_ones32(i->mask);
}
