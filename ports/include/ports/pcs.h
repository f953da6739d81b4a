/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `pcs`: figures of each static instruction, and where warps spend their cycles. Parts of an SM tell what they see;
 * nothing in a model is decided by it. The port of who tells is optional: without a provider nothing is told. docs/instructions.md
 * says what each number counts.
 */
#pragma once

#include <ports/warps.h>

/** Why an issue slot was lost, or what a warp waits for; in a slot the last one applies that does (of units, the first refused). */
typedef enum WwStall {
    WW_STALL_NO_WARP, /**< Slots only. */
    WW_STALL_BARRIER,
    WW_STALL_MEMBAR,
    WW_STALL_ASYNC,
    WW_STALL_ATOMIC,
    WW_STALL_FETCH,
    WW_STALL_POLICY,
    WW_STALL_LONG,
    WW_STALL_SHORT,
    WW_STALL_UNIT, /**< The first of WW_N_STALL_UNITS. */
    WW_N_STALLS = 17,
    /* A warp may also be */
    WW_STATE_NOT_SELECTED = WW_N_STALLS, /**< ready, and another one issued, */
    WW_STATE_DRAIN,    /**< at its end, with stores, loads or instructions under way, */
    WW_STATE_SELECTED, /**< or the one that issued. */
    WW_N_WARP_STATES,
    WW_STATE_READY =
        WW_N_WARP_STATES, /**< Waits for its unit while that's port is full, else not selected: ww_pcs_ready(). */
    WW_STATE_UNKNOWN, /**< For no cycle at all. */
} WwStall;
#define WW_N_STALL_UNITS (WW_N_STALLS - WW_STALL_UNIT)
/** Slots are issued, too. */
#define WW_SLOT_ISSUED WW_N_STALLS
#define WW_N_SLOTS (WW_SLOT_ISSUED + 1)

/** Names of the first WW_N_STALLS; for tables of labels. */
#define WW_STALL_LABELS                                                                            \
    "no_warp", "barrier", "membar", "async_copy", "atomic", "fetch", "policy", "scoreboard_long",  \
        "scoreboard", "unit_sp", "unit_dp", "unit_int", "unit_sfu", "unit_mem", "unit_tensor",     \
        "unit_spec", "device_launch"
/** Names of all states of a warp. */
#define WW_WARP_STATE_LABELS WW_STALL_LABELS, "not_selected", "drain", "selected"

/** What is counted of a static instruction, or of all. All are uint64_t, and all but the maximum add up. */
typedef struct WwPcCounts {
    uint64_t issues;                   /**< By any warp, */
    uint64_t lanes;                    /**< with so many active lanes together. */
    uint64_t slots[WW_N_SLOTS];        /**< Issue slots that it took, or that were lost to it. */
    uint64_t states[WW_N_WARP_STATES]; /**< Cycles of warps that stood at it. */
    uint64_t transactions;   /**< Accesses to memory that its lanes were put together to. */
    uint64_t requests;       /**< Of these, those that have been answered, */
    uint64_t latency;        /**< after so many core cycles together, */
    uint64_t latency_max;    /**< and at most. */
    uint64_t bank_conflicts; /**< Cycles of shared memory beyond the first of each execution. */
    uint64_t l1_accesses, l1_hits;
    uint64_t l2_accesses, l2_hits;
} WwPcCounts;
#define WW_PC_COUNTS (sizeof(WwPcCounts) / sizeof(uint64_t))

/** A static instruction with its figures. */
typedef struct WwPcRow {
    uint64_t pc;
    uint32_t kernel; /**< WwKernel.uid; 0: no instruction's (slots without a warp). */
    uint32_t id;     /**< WwSinst.id */
    WwPcCounts n;
} WwPcRow;

typedef void (*WwPcRowFn)(void *user, const WwPcRow *row);

/** In which state each warp was when somebody last said so: bit w speaks of hardware warp w. */
typedef struct WwPcsView {
    uint64_t in[WW_STATE_UNKNOWN + 1];
} WwPcsView;

typedef struct WwPcsIf {
    /** Valid for the machine's life. */
    const WwPcsView *(*view)(void *self);
    /** A warp has been put on a hardware warp: it is resident from the next cycle on. */
    void (*launched)(void *self, uint32_t warp);
    /** A warp has left: this cycle is its last. */
    void (*retired)(void *self, uint32_t warp);
    /** Scheduler @p scheduler issues an instruction. @p first: it takes the slot; false: it goes with the one before. */
    void (*issued)(void *self, uint32_t scheduler, const WwInst *inst, bool first);
    /** The same of the only one in a tick, with what its warp waits for in the next cycle. */
    void (*issued_alone)(void *self, uint32_t scheduler, const WwInst *inst, uint32_t next);
    /** From cycle @p at on @p warps are in state @p state, which they were not; not before the cycle after one in which they issued. */
    void (*enter)(void *self, uint64_t warps, WwStall state, WwCycle at);
    /** The same for one warp, and for what ww_pcs_ready() says, too. */
    void (*wait)(void *self, uint32_t scheduler, uint32_t warp, uint32_t what, WwCycle at);
    /** Scheduler @p scheduler issues in this cycle, and the port that some warps are READY for is full. */
    void (*passed)(void *self, uint32_t scheduler, uint32_t port);
    /** So many slots are lost to cause @p why of warp @p warp, whose state is right; -1: of none. */
    void (*lost_to)(void *self, WwStall why, int32_t warp, uint64_t slots);
    /** The same in two steps: what slots of scheduler @p scheduler are lost to from now on, */
    void (*blame)(void *self, uint32_t scheduler, WwStall why, int32_t warp);
    /** and how many were. */
    void (*lost)(void *self, uint32_t scheduler, uint64_t slots);
    /** A memory instruction makes @p transactions, and takes shared memory for @p conflicts more cycles. Its number, for what follows. */
    uint32_t (*accesses)(void *self, const WwInst *inst, uint32_t transactions, uint32_t conflicts);
    /** A transaction of instruction @p number was looked up in the first-level cache, in the second. */
    void (*l1)(void *self, uint32_t number, bool hit);
    void (*l2)(void *self, uint32_t number, bool hit);
    /** A transaction of instruction @p number was answered, @p latency core cycles after it was made. */
    void (*done)(void *self, uint32_t number, WwCycle latency);
    /** Calls @p fn for each instruction of which anything was counted since it was last called, and begins to count anew. Between ticks, settled. */
    void (*take)(void *self, WwPcRowFn fn, void *user);
} WwPcsIf;

#define WW_PCS_PORTS 16u /**< Of a scheduler. */
/**
 * A warp waits in state READY for port @p port of its scheduler, which leads to the unit of @p unit: while nothing issues, and in the cycles that
 * passed() tells of, it waits for the unit; in all others another one issues.
 */
static inline uint32_t ww_pcs_ready(uint32_t port, WwStall unit)
{
    return WW_STATE_READY | port << 8 | (uint32_t)unit << 16;
}
WW_API extern const WwContract ww_contract_pcs;
#define WW_PCS(port) ((const WwPcsIf *)(port)->table)
/** The optional port of who tells. */
#define WW_PORT_PCS(T, doc_) WW_PORT_REQUIRES(T, pcs, &ww_contract_pcs, 0, NULL, doc_)
