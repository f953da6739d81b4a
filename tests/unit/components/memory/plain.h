/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plainest model of the LD/ST unit: pipeline registers and latency queues that are copied
 * from stage to stage, counters per register, everything looked at in every cycle. What it does to
 * the outside is written to a log, as what the real unit does is.
 */
#pragma once

#include "tests.h"

#include "components/memory/ldst-priv.h"
#include "components/memory/smem-priv.h"
#include "scripted_cache.h"

#define PLAIN_STAGES 6u
#define PLAIN_WARPS 4u
#define PLAIN_MAX_LATENCY 8u
#define PLAIN_REGS 2048u /* More than are out at a time: the tests have no scoreboard. */

/* The outside, as both units see it. */
typedef struct Outside {
    GString *log;
    WwCycle now;
    uint32_t seed;
    WwWarpView view;
    WwWarp warp[PLAIN_WARPS];
    WwKernel kernel[PLAIN_WARPS]; /* Each in a stream of its own. */
    WwCtaView cta;
    ScriptedCache cache;
} Outside;

extern const WwWarpsIf outside_warps;
extern const WwBarriersIf outside_barriers;
extern const WwRegisterBanksIf outside_banks;
extern const WwCtasIf outside_ctas;

typedef struct PlainReq {
    WwMemReq req;
    WwInst *inst;
    uint64_t pc, addr0;
    uint32_t acks;
    bool fetched;
} PlainReq;

typedef struct PlainKey {
    uint32_t warp;
    uint64_t pc, addr;
    uint32_t n;
} PlainKey;

typedef struct Plain {
    Outside *self;
    uint32_t ports;
    bool l1; /* There is an L1D. */
    uint32_t banks, latency, hash;
    WwInst *in[4];
    WwInst *d;
    LdstAccess access[COALESCE_MAX];
    uint64_t addr[32];
    uint32_t n;
    WwInst *stage[PLAIN_STAGES];
    PlainReq *queue[LDST_MAX_BANKS][PLAIN_MAX_LATENCY];
    WwInst *wb;
    PlainReq *wb_req; /* NULL: shared memory. */
    PlainReq *global;
    GQueue *resp; /* WwMemReq, at most 2 */
    GQueue *sent; /* WwMemReq, in order of mem_out */
    uint32_t arb, out, depth;
    WwMemOwner owner; /* Its address marks requests of this unit. */
    uint32_t pend[PLAIN_WARPS][PLAIN_REGS];
    uint32_t left[100000]; /* by uid: accesses of a load without their data */
    PlainKey key[128];
    uint32_t n_keys;
    /* statistics */
    uint64_t stall[LDST_N_KINDS * LDST_N_STALLS], stalls, conflicts, bank_conflicts;
} Plain;

/* One tick. */
void plain_tick(Plain *p);
