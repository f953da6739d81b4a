/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `pcs`: figures of each static instruction, and where warps spend their cycles. Parts of an SM tell what they see;
 * nothing in a model is decided by it. The port of who tells is optional: without a provider nothing is told. docs/instructions.md
 * says what each number counts.
 *
 * What is told at every turn is written into the provider's book (WwPcsBook) by the functions of ports/pcs_book.h; all else is a call.
 */
#pragma once

#include <ports/register_set.h>
#include <ports/warps.h>

/** Why an issue slot was lost, or what a warp waits for; in a slot the last one applies that does (of units, the first refused). */
typedef enum WwStall {
    WW_STALL_NO_WARP, /**< Slots only. */
    WW_STALL_BARRIER, /**< At a CTA barrier. */
    WW_STALL_MEMBAR,  /**< At a memory barrier. */
    WW_STALL_ASYNC,   /**< For asynchronous copies. */
    WW_STALL_ATOMIC,  /**< For the result of an atomic. */
    WW_STALL_FETCH,   /**< Nothing is decoded. */
    WW_STALL_POLICY,  /**< It was ready, and the policy did not offer it. */
    WW_STALL_LONG,    /**< For data of global, local or texture memory. */
    WW_STALL_SHORT,   /**< For another result. */
    WW_STALL_UNIT,    /**< The first of WW_N_STALL_UNITS. */
    WW_N_SCHEDULER_STALLS =
        17, /**< So many does a `warp_scheduler` know; the others are of an `issue_stage`. */
    WW_STALL_MIO = WW_N_SCHEDULER_STALLS, /**< A dependence counter, of no load from memory. */
    WW_STALL_COUNT,                       /**< The stall count of the instruction before, */
    WW_STALL_YIELD,                       /**< its yield. */
    WW_STALL_CONSTANT,                    /**< A constant operand is not in the cache. */
    WW_STALL_RESULT,                      /**< The result queue has no room. */
    WW_STALL_DISPATCH,                    /**< The stage behind issue is taken. */
    WW_STALL_PORT,                        /**< The issue port is closed behind an IMAD. */
    WW_N_STALLS,
    /* A warp may also be */
    WW_STATE_NOT_SELECTED = WW_N_STALLS, /**< ready, and another one issued, */
    WW_STATE_DRAIN,    /**< at its end, with stores, loads or instructions under way, */
    WW_STATE_SELECTED, /**< or the one that issued. */
    WW_N_WARP_STATES,
    WW_STATE_UNKNOWN = WW_N_WARP_STATES, /**< For no cycle at all. */
    /**
     * Ready, for a unit: WW_STATE_READY + its state - WW_STALL_UNIT. While its port is full it waits for the unit, else it is not selected, or
     * left out by the policy: see WwPcsWarp.
     */
    WW_STATE_READY,
} WwStall;
/** States from WW_STALL_UNIT on that a `warp_scheduler` knows: a unit each, and launches from the device. */
#define WW_N_STALL_UNITS (WW_N_SCHEDULER_STALLS - WW_STALL_UNIT)
/** Slots are issued, too. */
#define WW_SLOT_ISSUED WW_N_STALLS
#define WW_N_SLOTS (WW_SLOT_ISSUED + 1)

/** Names of the first WW_N_SCHEDULER_STALLS; for tables of labels. */
#define WW_SCHEDULER_STALL_LABELS                                                                  \
    "no_warp", "barrier", "membar", "async_copy", "atomic", "fetch", "policy", "scoreboard_long",  \
        "scoreboard", "unit_sp", "unit_dp", "unit_int", "unit_sfu", "unit_mem", "unit_tensor",     \
        "unit_spec", "device_launch"
/** Of WW_N_STALLS. */
#define WW_STALL_LABELS                                                                            \
    WW_SCHEDULER_STALL_LABELS, "scoreboard_short", "stall_count", "yield", "constant", "result",   \
        "next_stage", "issue_port"
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
/** Numbers in a WwPcCounts, which is nothing but these. */
#define WW_PC_COUNTS (sizeof(WwPcCounts) / sizeof(uint64_t))

/** Where turns count of a static instruction in an SM: the states of its warps in two lines of the host's cache, lost slots in two more. */
typedef struct WwPcsRow {
    /** Of what a warp issued after it last; only where to look first. */
    struct WwPcsRow *next;
    uint32_t kernel; /**< uid; 0: nobody's. */
    uint32_t id;     /**< WwSinst.id */
    uint32_t number;
    uint32_t pending; /**< Transactions that are not answered. */
    /** Cycles of warps. WW_STATE_SELECTED: also issues, and slots that it took, but for what the next three say. */
    uint64_t states[WW_N_WARP_STATES];
    uint64_t idle_lanes;   /**< Of its issues: lanes that were not active. */
    uint64_t more_issues;  /**< Beside another one of its warp in a cycle, */
    uint64_t more_slots;   /**< and slots that were taken so. */
    uint64_t transactions; /**< From here on as WwPcCounts has them. */
    uint64_t slots[WW_N_STALLS];
    uint64_t requests, latency, latency_max, bank_conflicts;
    uint64_t l1_accesses, l1_hits, l2_accesses, l2_hits;
    uint64_t pc;
    struct WwPcsRow *chain; /**< In a table of WwPcsKernel. */
} WwPcsRow;
#define WW_PCS_LINE 64u /**< Rows lie at multiples of it. */
/** What any scheduler and warp may come to lies in lines of its own. */
G_STATIC_ASSERT(offsetof(WwPcsRow, states[WW_STALL_FETCH]) == WW_PCS_LINE);

/** The rows of a kernel that has, or had, a warp in the SM. */
typedef struct WwPcsKernel {
    struct WwPcsKernel *next;
    uint32_t uid, warps;
    uint32_t n;    /**< Rows. */
    uint32_t mask; /**< Of numbers in `row`. */
    WwPcsRow *
        *row; /**< By WwSinst.id & mask: one of them; meet() knows the others, which are not its. */
} WwPcsKernel;

/** A scheduler's cycles, as its ready warps see them. */
typedef struct WwPcsScheduler {
    uint64_t issued; /**< Cycles in which it issued. */
    uint64_t *
        lost; /**< Where the slots count in which it does not, from now on: of a row, or WwPcsWarp.lost. */
    bool walks;     /**< Its policy may leave out ready warps. Then, of its last turn: */
    uint32_t other; /**< the state of ready warps whose port had room, */
    uint64_t full;  /**< those whose port had none, */
    uint64_t
        out; /**< and, if it issued nothing, those that were left out: READY, and their port had room. */
} WwPcsScheduler;

/** What a warp does. */
typedef struct WwPcsWarp {
    WwCycle since; /**< First cycle in its state. */
    /**
     * Where its cycles count: at the instruction that it is to issue next, or has issued last; `nobody`: at the one that it is to issue, which
     * nobody has looked up. Of a warp that `guesses`, in the state FETCH: only where to look first.
     */
    WwPcsRow *row;
    WwPcsRow *last;      /**< What it has issued last. */
    WwPcsKernel *kernel; /**< Its rows. */
    uint32_t state;      /**< WwStall */
    uint16_t scheduler;
    bool
        guesses; /**< ww_pcs_select() tells of it; where it waits for a register, `row` is known. */
    /** READY: its scheduler's `issued` when that began, and the cycles since in which its port was full all the same. */
    uint64_t others;
    uint64_t left; /**< Cycles in which it was left out, since they were last counted. */
    /** Slots that were lost to it in the state FETCH: they go where its cycles do, which need not be known before. */
    uint64_t lost;
} WwPcsWarp;
/** Where one lies is told by a shift. */
G_STATIC_ASSERT(sizeof(WwPcsWarp) == 64);

/** What is told by writing it down. */
typedef struct WwPcsBook {
    WwPcsWarp warp[WW_MAX_WARPS];
    WwPcsScheduler scheduler[WW_MAX_SCHEDULERS];
    uint64_t not_selected[WW_MAX_WARPS]; /**< Cycles of each hardware warp in this state. */
    WwPcsRow *nobody;                    /**< Of no instruction. */
} WwPcsBook;

/**
 * Is told of a row of which something was counted since it was last taken. True: whoever it is adds that up, and clears the row (ports/pcs_rows.h),
 * before the machine goes on; whose it is counts no more by then. False: it is nobody's.
 */
typedef bool (*WwPcTakeFn)(void *user, WwPcsRow *row);

/** Who counts, by static instruction and by warp: told by the parts of one SM. */
typedef struct WwPcsIf {
    /** Valid for the machine's life; what it has in it, from reset() on. */
    WwPcsBook *(*book)(void *self);
    /** The row of instruction @p id of warp @p warp: where the table of its kernel shows another one. */
    WwPcsRow *(*meet)(void *self, uint32_t warp, uint32_t id);
    /** That of the instruction at which warp @p warp is, whose state and instruction have been told. */
    WwPcsRow *(*place)(void *self, uint32_t warp);
    /** A warp has been put on a hardware warp: it is resident from the next cycle on. */
    void (*launched)(void *self, uint32_t warp);
    /** A warp has left: this cycle is its last. */
    void (*retired)(void *self, uint32_t warp);
    /** Scheduler @p scheduler issues an instruction. @p first: it takes the slot; false: it goes with the one before. */
    void (*issued)(void *self, uint32_t scheduler, const WwInst *inst, bool first);
    /** From cycle @p at on @p warps are in state @p state; not before the cycle after one in which they issued. */
    void (*enter)(void *self, uint64_t warps, WwStall state, WwCycle at);
    /** The same for one that is READY to be issued by scheduler @p scheduler. */
    void (*ready)(void *self, uint32_t scheduler, uint32_t warp, WwStall state, WwCycle at);
    /** A memory instruction makes @p transactions, and takes shared memory for @p conflicts more cycles. Its number, for what follows. */
    uint32_t (*accesses)(void *self, const WwInst *inst, uint32_t transactions, uint32_t conflicts);
    /** A transaction of instruction @p number was looked up in the first-level cache, in the second. */
    void (*l1)(void *self, uint32_t number, bool hit);
    void (*l2)(void *self, uint32_t number, bool hit);
    /** A transaction of instruction @p number was answered, @p latency core cycles after it was made. */
    void (*done)(void *self, uint32_t number, WwCycle latency);
    /** Calls @p fn for each row of which anything was counted since it was last called. Between ticks, settled. */
    void (*take)(void *self, WwPcTakeFn fn, void *user);
} WwPcsIf;

/** Port contract `pcs`: statistics of static instructions and of warps. Nobody is woken, nothing is decided by it. WW_PCS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_pcs;
#define WW_PCS(port) ((const WwPcsIf *)(port)->table)
/** The optional port of who tells. */
#define WW_PORT_PCS(T, doc_) WW_PORT_REQUIRES(T, pcs, &ww_contract_pcs, 0, NULL, doc_)
