/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the LD/ST unit, in parts that each have one owner. A file changes its own part and the
 * statistics, and reads the others. How they work together is told in ldst_unit.c.
 *
 *     LdstDispatch    the instruction that is being served       ldst_accept.c fills it
 *     Coalescing      values: from its lanes to accesses         coalesce_inst.c
 *     LdstShared      banks and pipeline of shared memory        ldst_shared.c
 *     LdstL1          latency queues in front of the L1D         ldst_l1.c
 *     LdstPending     requests and loads that wait for data      ldst_pending.c
 *     LdstWriteback   the write-back register and its clients    ldst_writeback.c
 *     LdstCounts      statistics                                 where it happens
 *
 * Whoever has sent an access of the instruction that is served says so: ldst_sent().
 */
#pragma once

#include "coalesce-priv.h"
#include "smem-priv.h"

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/tokens.h>
#include <ports/traffic.h>
#include <ports/warps.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

/* ---- statistics ---------------------------------------------------------------------------- */

/* What kept the dispatch register: rows and columns of the stall matrix. */
typedef enum LdstKind {
    LDST_C_MEM,
    LDST_T_MEM,
    LDST_S_MEM,
    LDST_G_LD,
    LDST_L_LD,
    LDST_G_ST,
    LDST_L_ST,
    LDST_N_KINDS
} LdstKind;
typedef enum LdstStall {
    LDST_STALL_BANK,       /* Bank conflict of shared memory or of the L1D; refusal of the L1D. */
    LDST_STALL_COALESCING, /* More accesses to send. */
    LDST_STALL_ICNT,       /* No room towards memory. */
    LDST_STALL_DATA_PORT,  /* The L1D's data port is busy. */
    LDST_N_STALLS
} LdstStall;

typedef struct LdstCounts {
    uint64_t n_insn;
    uint64_t n_load_insn, n_store_insn, n_shmem_insn, n_const_insn;
    uint64_t n_stall_shd_mem;
    uint64_t n_shmem_bkconflict, n_shmem_bank_access;
    uint64_t n_l1cache_bkconflict;
    uint64_t n_writeback, n_writeback_blocked;
    uint64_t n_stray;
    uint64_t stall[LDST_N_KINDS * LDST_N_STALLS];
    uint64_t traffic[WW_N_TRAFFIC];
} LdstCounts;

static inline void ldst_count_stall(LdstCounts *c, LdstKind kind, LdstStall stall, uint64_t cycles)
{
    c->n_stall_shd_mem += cycles;
    c->stall[kind * LDST_N_STALLS + stall] += cycles;
}

/* Rows of the stall matrix for global and local memory. */
static inline LdstKind ldst_kind(const WwInst *inst)
{
    bool local = inst->space == WW_SPACE_LOCAL;
    if (ww_inst_is_store(inst)) {
        return local ? LDST_L_ST : LDST_G_ST;
    }
    return local ? LDST_L_LD : LDST_G_LD;
}

/* ---- shared memory ------------------------------------------------------------------------- */

/*
 * A slot of the shared-memory pipeline; it arrives at the exit at cycle `due` of the unit if
 * nothing is in its way.
 */
typedef struct LdstStage {
    WwInst *inst;
    uint64_t due;
} LdstStage;

typedef struct LdstShared {
    /* parameters */
    uint32_t latency, banks;
    bool limited_broadcast, first_word, atomics_merge;
    /* state */
    LdstStage *stage; /* The pipeline: `latency` entries, */
    WwRing pipe;      /* in order. */
    SmemMemo *memo;   /* NULL: nothing was in shared memory yet. */
} LdstShared;

/* ---- the L1D's latency queues -------------------------------------------------------------- */

typedef struct LdstReq LdstReq;

/*
 * The latency queue of an L1D bank: `latency` stages of which the exit is looked up. An access
 * moves up whenever there is a gap ahead of it, so that, with one entry and one exit a cycle, the
 * k-th is in stage max(k, latency - 1 - its age): nothing moves here, a ring remembers when each
 * would be at the exit. The entry stage is taken if every stage is, or when an access came in
 * this very cycle. In a queue that does not close up all stand still while the exit is blocked;
 * `due` then counts from `held`.
 */
typedef struct LdstQueued {
    LdstReq *req;
    uint64_t due; /* Cycle of the unit in which it is looked up if nothing is in its way. */
} LdstQueued;
typedef struct LdstBank {
    LdstQueued *queued; /* l1_latency entries, once there was one, */
    WwRing ring;        /* in order. */
    uint64_t last;      /* Cycle in which an access came in. */
    uint64_t held;      /* Cycles for which the whole queue stood still (not l1_queues_close_up). */
} LdstBank;
#define LDST_MAX_BANKS 64u

typedef struct LdstL1 {
    /* parameters */
    uint32_t banks, latency, interleave, hash;
    bool queues_close_up, places_unsent;
    /* from parameters */
    bool loses_stores;         /* One that misses is never over. */
    bool whole_lines;          /* It waits for a line at once, and is answered in parts. */
    uint32_t shift, bank_bits; /* log2 of interleave and banks */
    /* state */
    const WwCacheFacts *facts; /* Of the L1D; NULL: there is none. */
    LdstBank *bank;            /* `banks` queues. */
    uint64_t queued;           /* Those that hold something. */
    uint64_t next;             /* Cycle in which one of them is looked up. */
    uint64_t placed;           /* Address last placed in vain. */
} LdstL1;

/* ---- what has to come back ----------------------------------------------------------------- */

/*
 * Asynchronous copies in flight that share warp, pc and lane-0 address (the latter two cut to 32
 * bits, as the reference does).
 */
typedef struct LdstCopy {
    struct LdstCopy *next; /* Of the same warp. */
    uint32_t pc, addr;
    uint32_t left; /* Accesses without their data. */
} LdstCopy;

/*
 * A load that has accesses out. Everything that its return needs is copied here: a load without
 * destination may outlive its warp, and the static instruction with it.
 */
typedef struct LdstFlight {
    WwInst *inst;   /* Given back when the last access has its data. */
    LdstCopy *copy; /* LDGSTS: its counter. */
    uint64_t pc;
    uint64_t addr; /* Of lane 0. */
    uint32_t left; /* Accesses without their data. */
    uint16_t dst;
    uint16_t warp;
} LdstFlight;

/*
 * A request with what its response needs. The request comes first: a response's handle is cast
 * back.
 */
struct LdstReq {
    WwMemReq req;
    LdstFlight *flight; /* NULL: a store. */
    uint8_t acks;       /* A store: how much of its warp's count it still holds. */
    uint8_t parts;      /* Split by the next level: responses still to come. */
    bool fetched;       /* A store that waits for the line it writes to. */
    bool hit;           /* A load that hit the L1D, on its way to the write-back register. */
    uint32_t number;    /* Of its instruction, for figures. */
};
G_STATIC_ASSERT(offsetof(LdstReq, req) == 0);

typedef struct LdstPending {
    WwPool reqs, flights, copies;
    LdstCopy **copy;      /* [WW_MAX_WARPS]; NULL: no warp ever had one. */
    uint64_t serial;      /* Of the next request. */
    uint32_t outstanding; /* Requests that exist. */
    WwMemOwner owner;     /* Takes requests back. */
    WwInst stored;        /* The instruction that a store's request names: its own is gone. */
} LdstPending;

/* ---- write-back ---------------------------------------------------------------------------- */

/* Who may supply the write-back register, in the order of the arbiter's ring. */
typedef enum LdstClient {
    LDST_CLIENT_SHARED,
    LDST_CLIENT_HITS, /* Hits of the L1D, with hits_write_back. (No texture cache, whose place it is.) */
    LDST_CLIENT_CONSTANT, /* No such cache: never supplies. */
    LDST_CLIENT_GLOBAL,   /* The held response of an access that went past the L1D. */
    LDST_CLIENT_L1D,      /* Completed misses of the L1D. */
    LDST_N_CLIENTS
} LdstClient;

typedef struct LdstWriteback {
    /* parameters */
    bool hits_write_back, count_ldgsts_twice;
    /* the register */
    WwInst *inst;       /* NULL: empty. */
    LdstFlight *flight; /* What it belongs to; NULL: shared memory. */
    uint32_t dst;       /* Register that it writes; 0: none, and inst->s may be gone. */
    bool hit;           /* It came from the L1D, not from memory. */
    /* its clients */
    uint32_t first;  /* LdstClient that is asked first. */
    bool missed;     /* The L1D has a completed miss. */
    LdstReq *held;   /* A read response that went past the L1D. */
    LdstReq **hits;  /* Hits of the L1D: a ring */
    WwRing hit_ring; /* of as many as it has banks at the most. */
} LdstWriteback;

/* Start of local memory in the flat address space that the memory system sees, as in the reference. */
#define LDST_LOCAL_START 0x1f880000u

/* ---- dispatch ------------------------------------------------------------------------------ */

/* The instruction in the dispatch register. */
typedef struct LdstDispatch {
    WwInst *inst;       /* NULL: empty. */
    LdstFlight *flight; /* A load with accesses. */
    uint64_t addr0;     /* Address of lane 0. */
    uint32_t n;         /* Accesses not yet sent: access[0 .. n - 1], the last goes first. */
    bool conflicts;     /* Shared memory with active lanes: inst->cycles counts bank conflicts. */
    bool cached;        /* Its accesses go to the L1D. */
    LdstAccess *access; /* [room], COALESCE_MAX at the most: most runs need few. */
    uint32_t room;
    LdstReq made; /* What the requests of all accesses have in common. */
} LdstDispatch;

/* The access that goes next; there must be one. */
static inline const LdstAccess *ldst_next_access(const LdstDispatch *d)
{
    return &d->access[d->n - 1];
}

/* It has gone. */
static inline void ldst_sent(LdstDispatch *d)
{
    d->n--;
}

/* ---- the whole ----------------------------------------------------------------------------- */

typedef struct Ldst {
    WwComponent base;
    /* parameters */
    uint32_t mem_unit_ports;
    /* ports */
    WwPort in, mem_out, mem_in;
    WwPort warps, barriers, banks, ctas;
    WwPort l1d, coalescer, address_map, ends;
    /* state */
    uint32_t turns; /* Cycles of the unit in a tick. */
    WwPlacer placer;
    uint64_t cycle; /* Ordinal of the unit's present cycle; stands still with its clock. */
    LdstL1 l1;
    LdstShared shared;
    LdstPending pending;
    LdstWriteback wb;
    Coalescing coalescing;
    LdstDispatch dispatch;
    LdstCounts counts;
    WwPort pcs;
} Ldst;

/* ---- events (ldst_unit.c) ------------------------------------------------------------------ */

enum { LOG_EXEC, LOG_REQUEST, LOG_SEND, LOG_RESPONSE, LOG_DONE, LOG_WRITEBACK };
extern const WwEventRow ldst_events[];

/* The end of a request, unless it was never sent. */
static inline void ldst_log_done(const Ldst *u, const LdstReq *r)
{
    WW_LOG(u, &ldst_events[LOG_DONE], r->req.warp, WW_PART(&r->req));
}

/* @p what of @p inst (WW_END_ bits) ends: with the warps, or whoever stands before them. */
static inline void ldst_finish(const Ldst *u, WwInst *inst, uint32_t what)
{
    if (G_UNLIKELY(WW_BOUND(&u->ends))) {
        WW_INST_ENDS(&u->ends)->finish(u->ends.peer, inst, what);
    } else {
        WW_WARPS(&u->warps)->finish(u->warps.peer, inst, what);
    }
}

/* An asynchronous copy has its data. */
static inline void ldst_copied(const Ldst *u, uint32_t warp, uint64_t pc, uint64_t addr)
{
    if (G_LIKELY(WW_BOUND(&u->barriers))) {
        WW_BARRIERS(&u->barriers)->async_done(u->barriers.peer, warp, pc, addr);
    }
}

/* ---- acceptance (ldst_accept.c) ------------------------------------------------------------ */

/*
 * Takes @p inst into the dispatch register and generates its accesses or bank conflicts, with the
 * reference's counts by space.
 */
void ldst_accept(Ldst *u, WwInst *inst);

/* ---- shared memory (ldst_shared.c) --------------------------------------------------------- */

void ldst_shared_init(LdstShared *s, void *self);
/* Cycles for which the lanes of @p inst take the dispatch register. */
uint16_t ldst_shared_cost(LdstShared *s, void *self, uint32_t warp_parts, const WwInst *inst);
/* Accesses of @p inst to a bank follow one another, for @p cycles cycles. */
void ldst_shared_conflicts(WwInst *inst, uint64_t cycles, LdstCounts *counts);
/* Step 6: false while they do. */
static inline bool ldst_shared_serve(WwInst *inst, LdstCounts *counts)
{
    if (inst->cycles > 1) {
        ldst_shared_conflicts(inst, 1, counts);
        return false;
    }
    counts->n_shmem_bank_access += inst->cycles;
    inst->cycles = 0;
    return true;
}
/* A load enters the pipeline in the unit's cycle @p cycle; false: its first stage is taken. */
static inline bool ldst_shared_enter(LdstShared *s, WwInst *inst, uint64_t cycle)
{
    if (s->pipe.n >= s->latency) {
        return false;
    }
    s->stage[ww_ring_put(&s->pipe)] = (LdstStage){inst, cycle + s->latency};
    return true;
}
/* Takes what is at the exit. */
static inline WwInst *ldst_shared_take(LdstShared *s)
{
    return s->stage[ww_ring_take(&s->pipe)].inst;
}
/* The unit's cycle in which the oldest of the pipeline, which holds some, is at the exit. */
static inline uint64_t ldst_shared_due(const LdstShared *s)
{
    return s->stage[ww_ring_first(&s->pipe)].due;
}
void ldst_shared_explain(const LdstShared *s, WwExplain *explain);

/* ---- in front of the L1D (ldst_l1.c) ------------------------------------------------------- */

extern const char *const ldst_l1_hashes[];
bool ldst_l1_init(Ldst *u, GError **error);
/* Refuses an L1D that cannot take what the unit sends. */
bool ldst_l1_start(Ldst *u, GError **error);
void ldst_l1_reset(Ldst *u);
/* Step 5: looks the exits of the latency queues up in the L1D; from cycle l1.next on there may be one. */
void ldst_l1_look_up(Ldst *u);
/*
 * Step 6 for accesses that go to the L1D, through its latency queues or, without latency, right
 * away. False while accesses are left.
 */
bool ldst_l1_serve(Ldst *u);
/* Ends the run: @p part of a line has come for an L1D of whole lines. */
void ldst_l1_part(Ldst *u, const WwMemReq *part);
/* Adds the requests in the queues to @p set; how many they are. */
uint32_t ldst_l1_collect(const LdstL1 *l1, GHashTable *set);

/* ---- what has to come back (ldst_pending.c) ------------------------------------------------ */

void ldst_pending_init(LdstPending *p, void *self);
void ldst_pending_reset(LdstPending *p);
/* Prepares the requests of the dispatch register's instruction, which has accesses. */
void ldst_prepare(Ldst *u);
/* Makes the request of the dispatch register's next access, which stays there. */
LdstReq *ldst_request(Ldst *u);
static inline void ldst_request_free(LdstPending *p, LdstReq *r)
{
    p->outstanding--;
    ww_pool_give(&p->reqs, r);
}
/* For figures of instructions: how long it took. */
void ldst_tell_end(Ldst *u, const LdstReq *r);
/* It has been answered. */
static inline void ldst_request_end(Ldst *u, LdstReq *r)
{
    if (G_UNLIKELY(WW_BOUND(&u->pcs))) {
        ldst_tell_end(u, r);
    }
    ldst_request_free(&u->pending, r);
}
/* As if it had not been made. */
static inline void ldst_request_undo(LdstPending *p, LdstReq *r)
{
    p->serial--;
    ldst_request_free(p, r);
}
/* Accesses out of the dispatch register need somebody to count them back in. */
LdstFlight *ldst_flight(Ldst *u);
static inline void ldst_flight_end(LdstPending *p, LdstFlight *f)
{
    ww_pool_give(&p->flights, f);
}
/*
 * An access of a load has its data: counters, and after the last the register and the
 * instruction. @p counts: an asynchronous copy completed by it counts as an instruction.
 */
void ldst_access_done(Ldst *u, LdstFlight *f, bool counts);
/* The same for an instruction in the dispatch register: what is left of it ends with that. */
void ldst_access_done_early(Ldst *u, LdstFlight *f);
/* Is no asynchronous copy of this key in flight? Then it is over. */
bool ldst_copy_over(const LdstPending *p, uint32_t warp, uint64_t pc, uint64_t addr);
/* A store's warp counts @p acks to come. */
void ldst_store_sent(Ldst *u, LdstReq *r, uint32_t acks);
/* A store is acknowledged; @p left parts of it are still under way, with none it ends. */
void ldst_acknowledge(Ldst *u, LdstReq *r, uint32_t left);
/* The oldest request that is not in @p set; NULL: none. */
const WwMemReq *ldst_oldest_out(const LdstPending *p, GHashTable *set);

/* ---- write-back (ldst_writeback.c) --------------------------------------------------------- */

void ldst_wb_init(LdstWriteback *wb, void *self, uint32_t hits);
void ldst_wb_reset(LdstWriteback *wb);
/* Steps 1 to 3 of a cycle: finish and refill the write-back register, take a response (mem_in is bound). */
void ldst_write_back(Ldst *u);
void ldst_take_response(Ldst *u);
/* Register @p reg of @p inst has its value: what of it ends with that (WW_END_ bits). */
uint32_t ldst_register_done(Ldst *u, const WwInst *inst, uint32_t reg);

/* A hit of the L1D that has to pass the write-back register, which must have room for one. */
static inline void ldst_wb_hit(LdstWriteback *wb, LdstReq *r)
{
    wb->hits[ww_ring_put(&wb->hit_ring)] = r;
}

/* Holds it something, or has a client something to do next cycle? (Not the shared-memory pipeline.) */
static inline bool ldst_wb_busy(const LdstWriteback *wb)
{
    return wb->inst != NULL || wb->held != NULL || wb->missed || wb->hit_ring.n != 0;
}

/*
 * The register that an instruction writes; 0: none. What nobody waits for does not keep its warp,
 * which may be gone, with the static instruction, when data come.
 */
static inline uint16_t ldst_destination(const Ldst *u, const WwInst *inst)
{
    bool zero = inst->s->dst == WW_ZERO_REG && WW_WARPS(&u->warps)->view(u->warps.peer)->zero_free;
    return zero ? 0 : inst->s->dst;
}
