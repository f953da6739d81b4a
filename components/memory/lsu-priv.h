/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the LD/ST unit that the sub-cores of a modern SM share, in parts that each have one owner. How they work together is told in lsu.c.
 *
 *     LsuTable    the pending request table and the address units    lsu_table.c
 *     LsuPaths    queues and pipelines in front of memories          lsu_paths.c
 *     LsuEnd      requests, what comes back, results                 lsu_end.c
 */
#pragma once

#include "coalesce-priv.h"
#include "smem-priv.h"

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/execute.h>
#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/tokens.h>
#include <ports/traffic.h>
#include <ports/warps.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

enum { COPIES_STORED, COPIES_OVER }; /* What they are when their data have come: stores, or over. */
enum { LSU_MAX_CORES = 16, LSU_MAX_BANKS = 64, LSU_MAX_UNITS = 64, LSU_MAX_LOOKUPS = 8 };

/* Which way an access goes. */
typedef enum LsuWay {
    LSU_L1D,
    LSU_L2, /* past the L1D */
    LSU_SHARED,
    LSU_CONSTANT,
    LSU_TEXTURE,
    LSU_NOWHERE, /* nothing is accessed: no active lanes, SHFL, barriers */
    LSU_N_WAYS
} LsuWay;

/* ---- the pending request table ------------------------------------------------------------- */

/* An access of an instruction, from the address units to the memory that serves it. */
typedef struct LsuAccess {
    struct LsuAccess *next;
    LdstAccess at; /* `sectors` 0: of no address. */
    uint16_t entry;
    uint8_t way; /* LsuWay */
    uint8_t bank;
} LsuAccess;

/* An instruction in the table. */
typedef struct LsuEntry {
    WwInst *inst;       /* NULL: the entry is free. */
    LsuAccess *address; /* Of accesses with an address: those to come, in order. */
    uint32_t left;      /* Accesses to come. */
    uint32_t out;       /* Accesses that have not been served. */
    uint32_t lines;  /* Of the L1D that its accesses need at the most; reserved while they come. */
    uint32_t number; /* For figures of instructions. */
    uint8_t way;     /* LsuWay */
    bool storing;    /* An asynchronous copy that writes to shared memory now. */
    bool nothing;    /* It ends without a result. */
} LsuEntry;

/* Entries in an order; room for all. */
typedef struct LsuList {
    uint16_t *entry;
    WwRing ring;
} LsuList;

static inline void lsu_list_put(LsuList *l, uint32_t entry)
{
    l->entry[ww_ring_put(&l->ring)] = (uint16_t)entry;
}

static inline uint32_t lsu_list_first(const LsuList *l)
{
    return l->entry[ww_ring_first(&l->ring)];
}

static inline uint32_t lsu_list_take(LsuList *l)
{
    return l->entry[ww_ring_take(&l->ring)];
}

/* Accesses in an order. */
typedef struct LsuQueue {
    LsuAccess *first, *last;
    uint32_t n;
} LsuQueue;

static inline void lsu_queue_put(LsuQueue *q, LsuAccess *a)
{
    a->next = NULL;
    if (q->n++ == 0) {
        q->first = a;
    } else {
        q->last->next = a;
    }
    q->last = a;
}

static inline LsuAccess *lsu_queue_take(LsuQueue *q)
{
    LsuAccess *a = q->first;
    q->first = a->next;
    q->n--;
    return a;
}

typedef struct LsuTable {
    /* parameters */
    uint32_t entries, units;
    uint32_t most,
        most_shared; /* Instructions inside, not of shared memory and of it; 0: no limit. */
    /* state */
    LsuEntry *entry;
    LsuList free;
    LsuList waiting; /* Those whose addresses nobody calculates yet. */
    uint16_t
        open[LSU_MAX_UNITS]; /* Those whose addresses are being calculated, the oldest first. */
    uint32_t n_open;
    uint32_t reserved; /* Lines of the L1D: sum of `lines` of these. */
    LsuList done
        [LSU_MAX_CORES +
         1]; /* Those that are served, by sub-core; behind these, copies on their way to shared memory. */
    uint32_t n_done; /* How many there are in all of these. */
    LsuQueue next;   /* Accesses whose way has no room yet. */
    uint32_t inside, inside_shared;
    uint32_t turn; /* The sub-core that is asked first. */
    WwPool accesses;
} LsuTable;

/* ---- ways ---------------------------------------------------------------------------------- */

typedef struct LsuReq LsuReq;

/* A stage of a latency queue. */
typedef struct LsuStage {
    WwCycle due; /* Cycle of the unit in which it is looked up if nothing is in its way. */
    uint32_t n;
    LsuReq *req[LSU_MAX_LOOKUPS];
} LsuStage;

/*
 * The latency queue in front of a bank of a cache: stages move up whenever there is a gap ahead, so that, with one entry and one exit a cycle, the
 * k-th is in stage max(k, latency - 1 - its age): nothing moves here, a ring remembers when each would be at the exit.
 */
typedef struct LsuLatency {
    LsuStage *stage; /* NULL: there was none yet. */
    WwRing ring;
    WwCycle last; /* Cycle in which the last one came in. */
} LsuLatency;

typedef struct LsuPaths {
    /* parameters */
    uint32_t banks, interleave, hash, lookups;
    uint32_t room[LSU_N_WAYS]; /* Accesses that the queue of a way holds. */
    uint32_t l1_stages, constant_stages, shared_stages;
    uint32_t shared_banks;
    bool limited_broadcast, first_word, atomics_merge;
    /* from parameters */
    uint32_t shift, bank_bits;
    /* state */
    LsuQueue queue[LSU_N_WAYS]; /* But for the L1D, whose banks have */
    LsuQueue before[LSU_MAX_BANKS],
        behind[LSU_MAX_BANKS]; /* one before address translation and one behind it each. */
    uint64_t waits_before, waits_behind; /* Banks whose queue holds something. */
    uint64_t looked_up;                  /* Banks whose latency queue does. */
    LsuLatency *bank;
    LsuLatency constant;
    LsuAccess **shared; /* The pipeline of shared memory: by cycle in which it is through. */
    uint32_t in_shared;
    WwCycle shared_due; /* No sooner than that anything is. */
    SmemMemo memo;
} LsuPaths;

/* ---- what comes back ----------------------------------------------------------------------- */

/* A request with what its response needs. The request comes first: a response's handle is cast back. */
struct LsuReq {
    WwMemReq req;
    uint16_t entry;  /* Of loads. */
    uint32_t number; /* Of its instruction, for figures. */
    uint8_t acks;    /* A store: how much of its warp's count it still holds. */
    uint8_t parts;   /* Split by the next level: responses still to come. */
    bool fetched;    /* A store that waits for the line that it writes to. */
};
G_STATIC_ASSERT(offsetof(LsuReq, req) == 0);

/* An asynchronous copy whose data are on their way from the L1D to shared memory. */
typedef struct LsuCopy {
    uint16_t entry;
    WwCycle due;
} LsuCopy;

typedef struct LsuEnd {
    /* parameters */
    uint32_t copy_cycles;
    uint32_t copies_are; /* COPIES_... */
    /* state */
    WwPool reqs;
    WwMemOwner owner;
    WwInst stored; /* The instruction that a store's request names: its own is gone. */
    uint64_t serial;
    uint32_t outstanding;
    WwInst *result[LSU_MAX_CORES]; /* What goes to each sub-core next. */
    uint32_t results;              /* How many of these there are. */
    bool missed[3]; /* The L1D, the constant cache, the texture cache have a completed miss. */
    uint32_t turn;  /* The sub-core, or the copies, whose result comes first. */
    LsuCopy *copy;
    WwRing copies;
} LsuEnd;

/* What lanes are counted as. */
typedef enum LsuClass {
    LSU_LOADS, /* of global or local memory, as the next */
    LSU_STORES,
    LSU_SHAREDS,
    LSU_CONSTANTS,
    LSU_OTHERS,
    LSU_N_CLASSES
} LsuClass;

typedef struct LsuCounts {
    uint64_t instructions[LSU_N_WAYS];
    uint64_t lanes;
    uint64_t lanes_of[LSU_N_CLASSES];
    uint64_t accesses[LSU_N_WAYS];
    uint64_t table_most;
    uint64_t table_full;
    uint64_t next_full;
    uint64_t refused[LSU_N_WAYS];
    uint64_t l1d_lookups_lost;
    uint64_t bank_conflicts;
    uint64_t results, result_waits;
    uint64_t copies;
    uint64_t strays;
    uint64_t traffic[WW_N_TRAFFIC];
} LsuCounts;

/* ---- the whole ----------------------------------------------------------------------------- */

typedef struct Lsu {
    WwComponent base;
    /* ports */
    WwPort in[LSU_MAX_CORES], out[LSU_MAX_CORES];
    uint32_t n_in, n_out;
    WwPort mem_out, mem_in;
    WwPort warps, dispatch, ctas, address_map, coalescer, ends, pcs;
    WwPort l1d, constants, textures;
    WwProvided refill;
    /* state */
    WwWake wake;
    WwCycle cycle; /* Ordinal of the unit's cycle; stands still with its clock. */
    const WwCacheFacts *l1d_facts, *constant_facts, *texture_facts; /* NULL: there is none. */
    WwPlacer placer;
    Coalescing coalescing;
    LsuTable table;
    LsuPaths paths;
    LsuEnd end;
    LsuCounts counts;
} Lsu;

enum { LOG_EXEC, LOG_COPY, LOG_REQUEST, LOG_SEND, LOG_RESPONSE, LOG_DONE, LOG_RETIRE };
extern const WwEventRow lsu_events[];

static inline bool lsu_is_store(const LsuEntry *e)
{
    return e->storing || (e->inst->timing->flags & WW_TAKES_STORE) != 0;
}

static inline bool lsu_is_shared(const LsuEntry *e)
{
    return e->storing || e->inst->timing->space == WW_SPACE_SHARED;
}

/* The @p i-th of @p n that take turns, from @p first on; @p i is at most n. */
static inline uint32_t lsu_in_turn(uint32_t first, uint32_t i, uint32_t n)
{
    return first + i < n ? first + i : first + i - n;
}

/* Does an instruction wait for a place? */
static inline bool lsu_is_offered(const Lsu *u)
{
    for (uint32_t i = 0; i < u->n_in; i++) {
        if (ww_regs_full(&u->in[i]) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- the table (lsu_table.c) --------------------------------------------------------------- */

void lsu_table_init(Lsu *u);
void lsu_table_reset(Lsu *u);
/* Takes an instruction from a sub-core, or an asynchronous copy whose data have come to shared memory. */
void lsu_accept(Lsu *u);
/* Entries whose accesses have all been made leave the address units, others come. */
void lsu_admit(Lsu *u);
/* Each address unit makes an access, while there is room. */
void lsu_make_accesses(Lsu *u);
/* An access of @p entry has been served. */
void lsu_served(Lsu *u, uint32_t entry);
/* The entry is free again. */
void lsu_release(Lsu *u, uint32_t entry);

/* ---- ways (lsu_paths.c) -------------------------------------------------------------------- */

bool lsu_paths_init(Lsu *u, GError **error);
void lsu_paths_reset(Lsu *u);
uint32_t lsu_bank(const LsuPaths *p, uint64_t addr);
/* Cycles for which the lanes of @p inst keep shared memory; @p copy: writes what an asynchronous copy brought. */
uint32_t lsu_shared_cost(LsuPaths *p, const Coalescing *c, const WwInst *inst, bool copy);
/* What is through the pipeline of shared memory is served. */
void lsu_leave_shared(Lsu *u);
/* Caches are looked up at the exits of their latency queues. */
void lsu_look_up(Lsu *u);
/* The first accesses of the queues go on to their memories, others come into the queues. */
void lsu_serve(Lsu *u);
void lsu_translate(Lsu *u);
void lsu_distribute(Lsu *u);
/* The first cycle in which a pipeline has something at its exit. */
WwCycle lsu_paths_due(const Lsu *u);
static inline bool lsu_paths_busy(const Lsu *u)
{
    const LsuPaths *p = &u->paths;
    return (p->waits_before | p->waits_behind) != 0 || p->queue[LSU_L2].n != 0 ||
           p->queue[LSU_SHARED].n != 0 || p->queue[LSU_CONSTANT].n != 0 ||
           p->queue[LSU_TEXTURE].n != 0 || p->queue[LSU_NOWHERE].n != 0;
}

/* ---- what comes back (lsu_end.c) ----------------------------------------------------------- */

extern const WwRefillIf lsu_refill_table;
void lsu_end_init(Lsu *u);
void lsu_end_reset(Lsu *u);
/* Makes the request of @p a. */
LsuReq *lsu_request(Lsu *u, const LsuAccess *a);
void lsu_request_free(Lsu *u, LsuReq *r);
/* It has been answered. */
void lsu_request_end(Lsu *u, LsuReq *r);
void lsu_store_sent(Lsu *u, LsuReq *r, uint32_t acks);
void lsu_acknowledge(Lsu *u, LsuReq *r, uint32_t left);
/* The instruction is over, without a result. */
void lsu_retire(Lsu *u, uint32_t entry);
/* Results go to their sub-cores, what has none ends, copies go to shared memory. */
void lsu_write_back(Lsu *u);
/* A completed miss of each cache is served. */
void lsu_serve_misses(Lsu *u);
void lsu_take_response(Lsu *u);
/* The texture cache answers in its own step, also what hit. */
void lsu_see_textures(Lsu *u);
const WwMemReq *lsu_oldest_out(const Lsu *u);
