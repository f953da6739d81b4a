/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts inside the sub-cores of a modern SM: `timing` (what an instruction takes), `ibuffer` (instruction buffers that run ahead
 * along fall-through code), `fetches` (instruction fetch of a sub-core), `refill` and `prefetch` (caches of sub-cores), `dependence` (what keeps a warp from issuing), `unit` (the input of a fixed-latency function unit),
 * `register_ports` and `register_cache` (read and write ports of register banks), `result_slots` (room in a result queue), `issue_port`
 * (stalls of an issue stage), `constants` (the cache of constant operands), `dispatch_slot` (the way from the sub-cores to what the SM shares).
 *
 * Source of the mechanisms: Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores", MICRO'25
 * (doi 10.1145/3725843.3756041), and the simulator that they released: docs/modern.md.
 */
#pragma once

#include <ports/cache.h>
#include <ports/icache.h>
#include <ports/inst.h>
#include <ports/warps.h>
#include <warpwright/component.h>

/* ---- timing ------------------------------------------------------------------------------------------------------ */

/** Units of a sub-core. Those before WW_UNIT_MEM have a fixed latency. */
typedef enum WwUnit {
    WW_UNIT_INT,
    WW_UNIT_SP,
    WW_UNIT_UNIFORM,
    WW_UNIT_TENSOR,
    WW_UNIT_BRANCH,
    WW_UNIT_MISC, /**< Without a queue: barriers, NOP, VOTE, ... */
    WW_UNIT_MEM,  /**< Its part in the sub-core; what follows is shared by the SM. */
    WW_UNIT_DP,   /**< Likewise. */
    WW_UNIT_SFU,
    WW_UNIT_QUEUED, /**< Miscellaneous, with a queue. */
    WW_N_UNITS
} WwUnit;
/** Units of a fixed latency: the first of WwUnit. */
#define WW_N_FIXED_UNITS ((uint32_t)WW_UNIT_MEM)

/** "int", "sp", ... */
WW_API const char *ww_unit_name(WwUnit unit);

/** Where a result goes. */
typedef enum WwRegFile {
    WW_FILE_NONE,    /**< There is none. */
    WW_FILE_REGULAR, /**< Registers R0 to R254. */
    WW_FILE_UNIFORM,
    WW_FILE_OTHER /**< Predicates, convergence barriers: no ports. */
} WwRegFile;

#define WW_MAX_READS                                                                               \
    40u /**< Regular registers that an instruction reads: PR and four tensor operands, with room. */
#define WW_MAX_SUB_STAGES 8u /**< Of a queued unit behind its queue. */

/** Bits of WwTiming.flags. */
enum {
    WW_TAKES_FIXED =
        1u << 0, /**< Its unit has a fixed latency: it goes through Allocate and the read stages. */
    WW_TAKES_EITHER = 1u << 1, /**< WW_UNIT_SP, and WW_UNIT_INT as well where that one is free. */
    WW_TAKES_CACHED = 1u << 2, /**< Its regular sources may come from the register-file cache. */
    WW_TAKES_IMAD = 1u << 3,   /**< Holds the issue port after it. */
    WW_TAKES_CONSTANT =
        1u << 4, /**< A constant operand, at `constant`, has to be in the cache when it issues. */
    WW_TAKES_BARRIER = 1u << 5,   /**< CTA barrier. */
    WW_TAKES_MEMBAR = 1u << 6,    /**< Memory barrier, of scope `membar`. */
    WW_TAKES_DEPBAR = 1u << 8,    /**< DEPBAR.LE: waits for counters, */
    WW_TAKES_LDGDEPBAR = 1u << 9, /**< for asynchronous copies. */
    WW_TAKES_LDGSTS = 1u << 10,   /**< Asynchronous copy. */
    WW_TAKES_TRANSFER =
        1u << 11, /**< Its result comes from what the SM shares, register by register. */
    WW_TAKES_OTHER =
        1u << 12, /**< Of the LD/ST unit, without memory: SHFL, S2R, MATCH, CCTL, ... */
    WW_TAKES_TEXTURE = 1u << 13, /**< Texture or surface. */
    WW_TAKES_LOAD = 1u << 14,    /**< Behaves as a load, */
    WW_TAKES_STORE = 1u << 15,   /**< as a store (shared atomics as both). */
    WW_TAKES_ATOMIC = 1u << 16,
    WW_TAKES_BYPASS = 1u << 17, /**< Skips the L1D. */
    WW_TAKES_ULDC = 1u << 18,   /**< Uniform load of a constant. */
    WW_TAKES_HELD =
        1u << 19, /**< Its sources are kept until it is over: nobody tells when they were read. */
};

/** Scopes of memory barriers (WwTiming.membar): who has to see what was written before. */
enum { WW_SCOPE_CTA, WW_SCOPE_GPU, WW_SCOPE_SYSTEM, WW_N_SCOPES };

/** WwTimingRead.slot of a register that no operand slot of the register-file cache keeps. */
#define WW_NO_SLOT 255u

/** Registers of all kinds by one number each, as scoreboards know them: Rn is n. */
enum {
    WW_NAME_UNIFORM = 256, /**< UR0 */
    WW_NAME_PRED = 512,    /**< P0 */
    WW_NAME_UPRED = 520,   /**< UP0 */
    WW_NAME_BARRIER = 528, /**< B0 */
    WW_N_NAMES = 544
};
#define WW_MAX_NAMED                                                                               \
    48u /**< Registers that an instruction names: what it reads at most, and a result. */

/** A regular register that is read. */
typedef struct WwTimingRead {
    uint8_t reg;
    uint8_t
        slot; /**< Operand slot of the register-file cache: its ordinal among the R operands; WW_NO_SLOT: it is part of an address. */
    bool reuse; /**< Kept there for the next instruction. */
} WwTimingRead;

/**
 * What an execution takes in a sub-core: pure data, made once for a static instruction (and space, of generic accesses). Cycles are of the core clock.
 * Owned by the provider of `timing`, valid as long as the kernel of the instruction runs.
 */
typedef struct WwTiming {
    uint32_t flags;      /**< WW_TAKES_... */
    uint8_t unit;        /**< WwUnit */
    uint8_t space;       /**< WwSpace, resolved. */
    uint8_t membar;      /**< WW_SCOPE_... */
    uint8_t dst_file;    /**< WwRegFile of its result. */
    uint8_t dst;         /**< First register of the result, */
    uint8_t n_dst;       /**< and how many registers it spans. */
    uint8_t n_reads;     /**< Of `read`. */
    uint8_t most_reads;  /**< Registers of its widest source. */
    uint8_t width;       /**< Bytes that a lane accesses. */
    uint16_t latency;    /**< In the unit, behind the input. */
    uint16_t interval;   /**< Initiation interval: how long it holds the unit's input. */
    uint16_t extra;      /**< Stages behind those: results that are predicates. */
    uint8_t read_stages; /**< Cycles from Allocate to the unit. */
    uint8_t n_stages;    /**< Queued units: stages behind the queue, */
    uint16_t stage[WW_MAX_SUB_STAGES]; /**< and the cycles in each; 0: passed over. */
    uint16_t war;         /**< Cycles in these stages until its sources have been read. */
    uint16_t transfer;    /**< WW_TAKES_TRANSFER: cycles that the result takes into the sub-core, */
    uint16_t shared;      /**< and latency of the structure that the SM shares; */
    uint16_t copy;        /**< WW_TAKES_LDGSTS: that of shared memory, when the copy is stored. */
    uint8_t depbar;       /**< WW_TAKES_DEPBAR: number of the counter, */
    uint8_t depbar_list;  /**< those that have to be 0, a bit each, */
    uint32_t depbar_most; /**< and what that one may be at most. */
    uint64_t constant; /**< Address of the constant operand, of LDC without its register's value. */
    uint8_t n_written; /**< Of `name`: the first ones are written, */
    uint8_t n_named;   /**< those behind, up to here, are read. Each is once in either. */
    uint16_t name[WW_MAX_NAMED]; /**< WW_NAME_...; neither RZ nor PT. */
    WwTimingRead read[WW_MAX_READS];
} WwTiming;

/** What instructions take in sub-cores. */
typedef struct WwTimingIf {
    /** What @p inst takes; never NULL. The same pointer for the same static instruction and space. Also of records without a trace line. */
    const WwTiming *(*of)(void *self, const WwInst *inst);
} WwTimingIf;
/** Port contract `timing`: timing of instructions in a sub-core. WW_TIMING(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_timing;
#define WW_TIMING(port) ((const WwTimingIf *)(port)->table)

/* ---- i-buffers --------------------------------------------------------------------------------------------------- */

/** Bit w of each mask speaks of hardware warp w. */
typedef struct WwIbufferView {
    uint64_t space; /**< Another fetch may be sent, if the warp has live lanes. */
    uint64_t valid; /**< The first entry is decoded. */
    uint64_t
        constant;     /**< Of these, it has a constant operand that has to be looked up at issue. */
    uint64_t ended;   /**< All of the trace has been issued, and not flushed yet. */
    uint32_t entries; /**< Of a warp. Constant. */
    uint32_t issuers; /**< Callers of rank issue: warp w is of number w mod issuers. Constant. */
    uint32_t fetchers; /**< The same of rank fetch. Constant. */
    uint8_t last
        [WW_MAX_WARPS]; /**< By issuer (its ordinal): warp issued last; at first the last warp of its own. */
    uint8_t before[WW_MAX_WARPS]; /**< The one before, */
    WwCycle issued
        [WW_MAX_WARPS]; /**< and the cycle in which `last` became it: who acts later in that cycle sees `before` until the next. */
    const WwInst *next
        [WW_MAX_WARPS]; /**< By warp: what it issues next, decoded or not; NULL: of the trace behind what it has issued nothing has been taken. */
} WwIbufferView;

/**
 * An entry is made when its fetch is sent, becomes valid when it is decoded, and leaves at issue. Entries follow each other by pc. Where the trace goes elsewhere
 * behind an issued instruction the rest is dropped: what was fetched of it was on the wrong path; responses that are under way find no entry.
 */
typedef struct WwIbufferIf {
    /** The pointer stays valid for the machine's life. For start() and reset() of a caller, not for its init. */
    const WwIbufferView *(*view)(void *self);
    /** Makes an entry, of a warp with `space` and live lanes, and returns the pc to fetch. */
    uint64_t (*request)(void *self, uint32_t warp);
    /** The entry made last was refused by the cache: it goes. */
    void (*refused)(void *self, uint32_t warp);
    /** What was fetched at @p pc is decoded: entries of that pc that are not valid become so. How many. */
    uint32_t (*decoded)(void *self, uint32_t warp, uint64_t pc);
    /** The instruction of the first entry, which is valid: of the trace, with its timing. */
    const WwInst *(*head)(void *self, uint32_t warp);
    /** Issuer @p issuer takes it out; stamps the order of issue. */
    WwInst *(*pop)(void *self, uint32_t warp, uint32_t issuer);
    /** The warp has nothing more to execute: all entries go, and the next one of this number begins anew. */
    void (*flush)(void *self, uint32_t warp);
} WwIbufferIf;
/** Issue < decode < fetch; a first entry that becomes valid wakes the `issue` caller (warp mod n), space and the end of the trace wake the `fetch` caller. */
enum { WW_IBUFFER_ISSUE, WW_IBUFFER_DECODE, WW_IBUFFER_FETCH };
/** Port contract `ibuffer`: instruction buffers that run ahead of the trace. WW_IBUFFERS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_ibuffer;
#define WW_IBUFFERS(port) ((const WwIbufferIf *)(port)->table)

/* ---- instruction fetch of a sub-core ----------------------------------------------------------------------------- */

/**
 * Unlike `icache` for a fetch stage that runs ahead: a warp may have several fetches under way, which come back in any order. A fetch that is
 * under way already is not made twice: it comes back once, and is a MISS for whoever asks.
 */
typedef struct WwFetchesIf {
    /** Asks for the instruction at @p pc of @p warp. HIT: here it is; MISS: take() has it later, what hits in a cache, too; FAIL: try again. Who ever says HIT says nothing else. */
    WwFetchResult (*access)(void *self, uint32_t warp, uint64_t pc);
    /** What has come, at most one a cycle, and forgotten here; before access() in a cycle. False: nothing has. */
    bool (*take)(void *self, uint32_t *warp, uint64_t *pc);
    /** Right after access() said FAIL: will it say so again in every cycle, until it wakes the `fetch` caller? Optional: nobody knows. */
    bool (*refuses)(void *self);
    /** What it refused, when refuses() was true, would have been refused @p n times more, last in cycle @p last. With refuses(). */
    void (*refused)(void *self, uint64_t n, WwCycle last);
} WwFetchesIf;
/** Fetch < the cache's own step. What comes wakes the `fetch` caller, and so does what makes refuses() no longer true. */
#define WW_RANK_STEP "step"
/** The ranks by number (WwClient.rank). */
enum { WW_FETCHES_FETCH, WW_FETCHES_STEP };
/** Port contract `fetches`: instruction fetch of a sub-core. WW_FETCHES(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_fetches;
#define WW_FETCHES(port) ((const WwFetchesIf *)(port)->table)

/* ---- caches of sub-cores ----------------------------------------------------------------------------------------- */

/** A cache that is reached through the link between the caches of an SM's sub-cores and the SM's own. */
typedef struct WwRefillIf {
    /** Is @p response what it waits for? */
    bool (*awaits)(void *self, const WwMemReq *response);
    /** Can something be filled in this cycle? */
    bool (*ready)(void *self);
    /** What it awaits has come. */
    void (*fill)(void *self, WwMemReq *response);
    /** The SM's code is given up: a cache of instructions drops all, and awaits nothing any more; others do nothing. */
    void (*clear)(void *self);
} WwRefillIf;
/** Port contract `refill`: responses to the caches of sub-cores. WW_REFILL(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_refill;
#define WW_REFILL(port) ((const WwRefillIf *)(port)->table)

/** What a lookup in stream buffers came to. */
typedef enum WwStreamResult {
    WW_STREAM_NONE,
    WW_STREAM_AHEAD, /**< The line behind is the first of a buffer. */
    WW_STREAM_HIT,   /**< The line is. */
} WwStreamResult;

/** Stream buffers beside an instruction cache, which asks and tells them in its turns, and runs their step after its own. */
typedef struct WwPrefetchIf {
    /** Is @p line, an address, the first of a buffer, and of which (@p buffer)? Looking is a use of the buffer. */
    WwStreamResult (*search)(void *self, uint64_t line, uint32_t *buffer);
    /** The last search() would have been made again, with the same result, last in cycle @p last. */
    void (*searched)(void *self, WwCycle last);
    /** A stream begins at @p line. */
    void (*begin)(void *self, uint64_t line);
    /** @p warp waits for the instruction at @p addr, in the first line of @p buffer. */
    void (*wait)(void *self, uint32_t buffer, uint32_t warp, uint64_t addr);
    /** Is @p response a line that it waits for? It has come. */
    bool (*awaits)(void *self, const WwMemReq *response);
    void (*fill)(void *self, WwMemReq *response);
    /** May the step give an instruction? */
    void (*allow)(void *self, bool allowed);
    /** What the step has given: an instruction that @p warp waited for; its line goes into the cache. Once. */
    bool (*take)(void *self, uint32_t *warp, uint64_t *addr);
    /** All streams end, nobody waits any more. */
    void (*clear)(void *self);
} WwPrefetchIf;
/** Port contract `prefetch`: stream buffers beside an instruction cache. WW_PREFETCH(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_prefetch;
#define WW_PREFETCH(port) ((const WwPrefetchIf *)(port)->table)

/* ---- dependence -------------------------------------------------------------------------------------------------- */

/** Why an instruction may not issue: bits. */
enum {
    WW_DEP_STALL = 1u << 0, /**< The stall count of the one before. */
    WW_DEP_YIELD = 1u << 1,
    WW_DEP_COUNTER = 1u << 2,  /**< A dependence counter that it waits for. */
    WW_DEP_COPIES = 1u << 3,   /**< Asynchronous copies. */
    WW_DEP_REGISTER = 1u << 4, /**< A register: scoreboards. */
};

/** Of any hardware warp. A change of a counter is seen from the next cycle on, a stall from the next. */
typedef struct WwDependenceIf {
    bool
        at_once; /**< What read() and written() end is in nobody's way from then on; else perhaps only from the next cycle on. */
    /** What keeps @p inst, next of its warp, from issuing in this cycle: WW_DEP_ bits, 0: nothing. Free of effects. */
    uint32_t (*blocks)(void *self, const WwInst *inst);
    /**
     * Does what it told of in WW_DEP_COUNTER or WW_DEP_REGISTER come from global, local or texture memory? For statistics; NULL: never. When the answer
     * changes while the warp waits, its `check` caller is woken.
     */
    bool (*waits_long)(void *self, const WwInst *inst);
    /** First cycle in which a stall or yield of @p warp is over that blocks() told of; at least the next. */
    WwCycle (*until)(void *self, uint32_t warp);
    /** It issues: its stall count and yield hold from the next cycle on, its registers are reserved. */
    void (*issued)(void *self, const WwInst *inst);
    /** It leaves the issue stage: its counters go up. */
    void (*sent)(void *self, const WwInst *inst);
    /** Its sources have been read. */
    void (*read)(void *self, const WwInst *inst);
    /** It is over: its results are written; of one that holds its sources (WW_TAKES_HELD) they have been read, too. */
    void (*written)(void *self, const WwInst *inst);
    /** Are all counters of @p warp 0, or no register of it pending? Memory barriers ask. */
    bool (*settled)(void *self, uint32_t warp);
    /** The same, and no asynchronous copy: it may be retired. Who waits for that asks in each cycle: nobody is woken for it. */
    bool (*idle)(void *self, uint32_t warp);
    /** It is retired: the next one of this number begins with nothing pending. */
    void (*retired)(void *self, uint32_t warp);
} WwDependenceIf;
/** Written (write-back, units, what the SM shares) < read < sent < check (issue) < retire. What may end a wait wakes `check` caller (warp mod n). */
#define WW_RANK_WRITTEN "written"
#define WW_RANK_READ "read"
#define WW_RANK_SENT "sent"
/** The ranks by number (WwClient.rank); the last two are named as a scoreboard's. */
enum {
    WW_DEPENDENCE_WRITTEN,
    WW_DEPENDENCE_READ,
    WW_DEPENDENCE_SENT,
    WW_DEPENDENCE_CHECK,
    WW_DEPENDENCE_RETIRE
};
/** Port contract `dependence`: what keeps a warp from issuing. WW_DEPENDENCE(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_dependence;
#define WW_DEPENDENCE(port) ((const WwDependenceIf *)(port)->table)

/* ---- units ------------------------------------------------------------------------------------------------------- */

/** The input of a function unit of fixed latency, and the ends of what is in it. */
typedef struct WwUnitIf {
    /** May an instruction be issued to it in this cycle: is its input free, and not reserved? */
    bool (*free)(void *self);
    /** First cycle in which it may, as far as is known. */
    WwCycle (*free_at)(void *self);
    /** An instruction issues that holds the input for @p interval cycles. */
    void (*reserve)(void *self, uint32_t interval);
    /** An instruction for it stands still for this cycle: the reservation lasts one longer. */
    void (*delay)(void *self);
    /** May one that is @p ahead cycles from its end start? No two end at once. */
    bool (*fits)(void *self, uint32_t ahead);
    /** It starts. */
    void (*book)(void *self, uint32_t ahead);
} WwUnitIf;
/** The unit's own step < allocate < control < issue. Nobody is woken: free_at() says when to ask again. */
#define WW_RANK_UNIT "unit"
#define WW_RANK_ALLOCATE "allocate"
#define WW_RANK_CONTROL "control"
/** The ranks by number (WwClient.rank). */
enum { WW_UNIT_STEP, WW_UNIT_ALLOCATE, WW_UNIT_CONTROL, WW_UNIT_ISSUE };
/** Port contract `unit`: the input of a fixed-latency unit. WW_FIXED_UNIT(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_unit;
#define WW_FIXED_UNIT(port) ((const WwUnitIf *)(port)->table)

/* ---- register file ----------------------------------------------------------------------------------------------- */

/** Read and write ports of the regular register banks of a sub-core. */
typedef struct WwRegisterPortsIf {
    /**
     * Can all regular registers of @p inst be read in the cycles of its read stages? If so the ports are taken, and the register-file cache is looked up and refilled.
     * Fixed latency; called once a cycle at the most.
     */
    bool (*read)(void *self, const WwInst *inst);
    /** The same for an instruction that leaves the queue of a unit. */
    bool (*read_queued)(void *self, const WwInst *inst);
    /** Are there write ports in this cycle for registers @p first to @p first + @p n - 1, all at once? @p n is 1 to writes(). */
    bool (*can_write)(void *self, uint32_t first, uint32_t n);
    void (*write)(void *self, uint32_t reg);
    /** Banks times write ports: so many registers of a result are written at once. */
    uint32_t (*writes)(void *self);
} WwRegisterPortsIf;
/** Write (write-back) < queued (units) < allocate. */
#define WW_RANK_QUEUED "queued"
/** The ranks by number (WwClient.rank). */
enum { WW_PORTS_WRITE, WW_PORTS_QUEUED, WW_PORTS_ALLOCATE };
/** Port contract `register_ports`: ports of register banks. WW_REGISTER_PORTS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_register_ports;
#define WW_REGISTER_PORTS(port) ((const WwRegisterPortsIf *)(port)->table)

/** Registers that the last instructions read and kept for the next: an entry for each operand slot and bank. */
typedef struct WwRegisterCacheIf {
    /** Is the register of @p warp, which is in bank @p bank, in its operand slot? */
    bool (*hit)(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read);
    /** An instruction of @p warp reads it: the entry of slot and bank is emptied, and filled where the instruction says reuse. */
    void (*use)(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read);
} WwRegisterCacheIf;
/** Port contract `register_cache`: registers kept for reuse. WW_REGISTER_CACHE(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_register_cache;
#define WW_REGISTER_CACHE(port) ((const WwRegisterCacheIf *)(port)->table)

/** Room in the queue of results that wait for write ports. */
typedef struct WwResultSlotsIf {
    /** Is there a slot that nobody has reserved? */
    bool (*free)(void *self);
    void (*reserve)(void *self);
    /** A result has been written: its slot is free. */
    void (*release)(void *self);
} WwResultSlotsIf;
/** Write-back (release) < issue. A slot that becomes free wakes the `issue` caller. */
enum { WW_SLOTS_WRITE, WW_SLOTS_ISSUE };
/** Port contract `result_slots`: room in a result queue. WW_RESULT_SLOTS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_result_slots;
#define WW_RESULT_SLOTS(port) ((const WwResultSlotsIf *)(port)->table)

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/** What can keep a whole issue stage from issuing, from outside. */
typedef struct WwIssuePortIf {
    /** Nothing issues for @p cycles from cycle @p from on, or from when what was said before is over: memory barriers. */
    void (*stall)(void *self, WwCycle from, uint32_t cycles);
} WwIssuePortIf;
/** Port contract `issue_port`: stalls of an issue stage. WW_ISSUE_PORT(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_issue_port;
#define WW_ISSUE_PORT(port) ((const WwIssuePortIf *)(port)->table)

/** The cache of constant operands, as an issue stage asks it. */
typedef struct WwConstantsIf {
    /** Looks up the constant operand of @p inst (WW_TAKES_CONSTANT), the next of its warp: is it there? A miss is sent for. */
    bool (*ready)(void *self, const WwInst *inst);
} WwConstantsIf;
/** Issue < the cache's own step. */
enum { WW_CONSTANTS_ISSUE, WW_CONSTANTS_STEP };
/** Port contract `constants`: the constant-operand cache. WW_CONSTANTS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_constants;
#define WW_CONSTANTS(port) ((const WwConstantsIf *)(port)->table)

/* ---- to what the SM shares --------------------------------------------------------------------------------------- */

/** The way from the sub-cores to what the SM shares: one instruction at a time. */
typedef struct WwDispatchSlotIf {
    /** Is nothing on its way over in this cycle? */
    bool (*free)(void *self);
    /** The same, asked by a unit of sub-core @p core that has an instruction and room for it over there: may it go? Then it does. */
    bool (*offer)(void *self, uint32_t core);
    /** First cycle in which one may, unless another one is first; nobody is woken then. */
    WwCycle (*free_at)(void *self);
    /** One does: the way is taken for @p cycles, this one included. */
    void (*take)(void *self, uint32_t cycles);
} WwDispatchSlotIf;
/** What the SM shares < the units of sub-cores. */
enum { WW_DISPATCH_SHARED, WW_DISPATCH_UNIT };
#define WW_RANK_SHARED "shared"
/** Port contract `dispatch_slot`: the path from sub-cores to the SM's shared units. WW_DISPATCH_SLOT(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_dispatch_slot;
#define WW_DISPATCH_SLOT(port) ((const WwDispatchSlotIf *)(port)->table)
