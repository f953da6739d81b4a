/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the LD/ST unit share: its state and the steps of its cycle. How it works is
 * told in ldst_unit.c.
 */
#pragma once

#include "coalesce-priv.h"
#include "smem-priv.h"

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/register_set.h>
#include <ports/tokens.h>
#include <ports/traffic.h>
#include <ports/warps.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

/* Who may supply the write-back register, in the order of the arbiter's ring. */
typedef enum LdstClient {
    LDST_CLIENT_SHARED,
    LDST_CLIENT_HITS, /* Hits of the L1D, with hits_write_back. (No texture cache, whose place it is.) */
    LDST_CLIENT_CONSTANT, /* No such cache: never supplies. */
    LDST_CLIENT_GLOBAL,   /* The held response of an access that went past the L1D. */
    LDST_CLIENT_L1D,      /* Completed misses of the L1D. */
    LDST_N_CLIENTS
} LdstClient;

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
typedef struct LdstReq {
    WwMemReq req;
    LdstFlight *flight; /* NULL: a store. */
    uint8_t acks;       /* A store: how much of its warp's count it still holds. */
    uint8_t parts;      /* Split by the next level: responses still to come. */
    bool fetched;       /* A store that waits for the line it writes to. */
    bool hit;           /* A load that hit the L1D, on its way to the write-back register. */
} LdstReq;
G_STATIC_ASSERT(offsetof(LdstReq, req) == 0);

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
    LdstQueued *queued; /* l1_latency entries, */
    WwRing ring;        /* in order. */
    uint64_t last;      /* Cycle in which an access came in. */
    uint64_t held;      /* Cycles for which the whole queue stood still (not l1_queues_close_up). */
} LdstBank;
#define LDST_MAX_BANKS 64u

/* The instruction in the dispatch register. */
typedef struct LdstDispatch {
    WwInst *inst;       /* NULL: empty. */
    LdstFlight *flight; /* A load with accesses. */
    uint64_t addr0;     /* Address of lane 0. */
    uint32_t n;         /* Accesses not yet sent: access[0 .. n - 1], the last goes first. */
    bool conflicts;     /* Shared memory with active lanes: inst->cycles counts bank conflicts. */
    bool cached;        /* Its accesses go to the L1D. */
    LdstAccess access[COALESCE_MAX];
} LdstDispatch;

/*
 * A slot of the shared-memory pipeline; it arrives at the exit at cycle `due` of the unit if
 * nothing is in its way.
 */
typedef struct LdstStage {
    WwInst *inst;
    uint64_t due;
} LdstStage;

typedef struct Ldst {
    WwComponent base;
    /* parameters */
    uint32_t smem_latency, smem_banks, warp_parts;
    bool limited_broadcast;
    uint32_t coalesce_arch;
    bool gmem_skip_l1, local_mem_map;
    uint32_t mem_unit_ports;
    bool count_ldgsts_twice;
    bool null_skipped, smem_first_word, highest_first;
    bool signed_widths, tail_counts_whole, shared_atomics_merge;
    uint32_t l1_banks, l1_latency, l1_interleave, l1_hash;
    bool hits_write_back, l1_queues_close_up, places_unsent, zero_register;
    /* ports */
    WwPort in, mem_out, mem_in;
    WwPort warps, hazard, barriers, banks, ctas;
    WwPort l1d, address_map;
    /* state */
    uint32_t ports;         /* Cycles of the unit in a tick. */
    uint64_t cycle;         /* Ordinal of the unit's present cycle; stands still with its clock. */
    uint64_t serial;        /* Of the next request. */
    uint32_t arb;           /* LdstClient that is asked first. */
    uint32_t outstanding;   /* Requests that exist. */
    WwMemOwner owner;       /* Takes requests back. */
    const WwCacheFacts *l1; /* Of the L1D; NULL: there is none. */
    uint64_t l1_queued;     /* Banks whose latency queue holds something. */
    uint64_t l1_next;       /* Cycle in which one of them is looked up. */
    uint64_t l1_placed;     /* Address last placed in vain. */
    bool l1_ready;          /* The L1D has a completed miss. */
    uint32_t l1_shift;      /* log2(l1_interleave) */
    LdstBank *bank;         /* l1_banks queues. */
    LdstReq *hit[LDST_MAX_BANKS]; /* Hits that wait for the write-back register, */
    WwRing hits;                  /* l1_banks at the most. */
    LdstReq *next_global;         /* A read response on its way to the write-back register. */
    bool wb_hit;                  /* It came from the L1D, not from memory. */
    WwInst *wb;                   /* The write-back register; NULL: empty. */
    LdstFlight *wb_flight;        /* What it belongs to; NULL: shared memory. */
    uint32_t wb_dst;              /* Register that it writes; 0: none, and s may be gone. */
    LdstStage *stage;             /* Shared-memory pipeline: smem_latency entries, */
    WwRing pipe;                  /* in order. */
    WwPool reqs, flights, copies;
    LdstCopy *copy[WW_MAX_WARPS];
    WwInst stored; /* The instruction that a store's request names: its own is gone. */
    LdstDispatch d;
    /* statistics */
    uint64_t n_insn;
    uint64_t n_load_insn, n_store_insn, n_shmem_insn, n_const_insn;
    uint64_t n_stall_shd_mem;
    uint64_t n_shmem_bkconflict, n_shmem_bank_access;
    uint64_t n_l1cache_bkconflict;
    uint64_t n_writeback, n_writeback_blocked;
    uint64_t n_stray;
    uint64_t stall[LDST_N_KINDS * LDST_N_STALLS];
    uint64_t traffic[WW_N_TRAFFIC];
} Ldst;

static inline void ldst_count_stall(Ldst *u, LdstKind kind, LdstStall stall, uint64_t cycles)
{
    u->n_stall_shd_mem += cycles;
    u->stall[kind * LDST_N_STALLS + stall] += cycles;
}

/*
 * The register that an instruction writes; 0: none. What nobody waits for does not keep its warp, which may be gone, with the
 * static instruction, when data come.
 */
static inline uint16_t ldst_destination(const Ldst *u, const WwInst *inst)
{
    return inst->s->dst == WW_ZERO_REG && !u->zero_register ? 0 : inst->s->dst;
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

/*
 * Steps 1 to 3 of a cycle (ldst_writeback.c): finish and refill the write-back register, take a
 * response.
 */
void ldst_write_back(Ldst *u);
void ldst_take_response(Ldst *u);
/*
 * An access of a load has its data: counters, and after the last the register and the
 * instruction. @p counts: an asynchronous copy completed by it counts as an instruction.
 */
void ldst_access_done(Ldst *u, LdstFlight *f, bool counts);
/* An access of an asynchronous copy has its data; true: it was the last of its key. */
bool ldst_copy_returned(Ldst *u, LdstFlight *f);
/* A store is acknowledged; @p left parts of it are still under way, with none it ends. */
void ldst_acknowledge(Ldst *u, LdstReq *r, uint32_t left);

/* Step 5 (ldst_l1.c): looks the exits of the latency queues up in the L1D. */
void ldst_l1_look_up(Ldst *u);
/*
 * Step 6 for accesses that go to the L1D, through its latency queues or, without latency, right
 * away. False while accesses are left.
 */
bool ldst_l1_serve(Ldst *u);

/* Makes the request of the dispatch register's next access, which stays there (ldst_request.c). */
LdstReq *ldst_request(Ldst *u);
static inline void ldst_request_end(Ldst *u, LdstReq *r)
{
    u->outstanding--;
    ww_pool_give(&u->reqs, r);
}

/*
 * Generates the accesses of the instruction in the dispatch register (ldst_accept.c), with the
 * reference's counts by space.
 */
void ldst_accept(Ldst *u, WwInst *inst);
/* The counter of an asynchronous copy's key, or NULL. */
LdstCopy *ldst_copy_find(Ldst *u, uint32_t warp, uint64_t pc, uint64_t addr);
