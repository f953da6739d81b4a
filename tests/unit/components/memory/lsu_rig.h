/* SPDX-License-Identifier: Apache-2.0 */
/* `ldst.shared` between fakes, with four sub-cores. */
#pragma once

#include "tests.h"

#include <ports/sub_core.h>
#include <testing/fake_sub_core.h>

/* A scripted cache that keeps what was looked up in it and not refused. */
typedef struct LsuCache {
    ScriptedCache cache; /* the first: decide() casts */
    WwCacheResult result;
    uint32_t sent;
    WwCycle refuses_until;
    uint64_t refused_bits; /* Only addresses that have none of these are refused. */
    WwCycle at[64];
    uint64_t addr[64];
    uint32_t n;
} LsuCache;

enum { LSU_WITH_L1D = 1u << 0, LSU_WITH_TEXTURES = 1u << 1, LSU_WITH_CONSTANTS = 1u << 2 };

typedef struct LsuRig {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeDispatchSlot *way;
    LsuCache l1d, textures, constants;
    uint64_t uid;
} LsuRig;

/* What instructions are there. */
typedef enum LsuKind {
    LSU_LDG,
    LSU_LDG_BYPASS,
    LSU_STG,
    LSU_STG_BYPASS,
    LSU_LDGSTS,
    LSU_LDL,
    LSU_LDS,
    LSU_STS,
    LSU_LDC,
    LSU_TEX,
    LSU_SHFL,
    LSU_MEMBAR,
} LsuKind;

typedef struct LsuTest {
    LsuKind kind;
    uint64_t base;    /* Default 0x1000000, of shared memory and constants 0x100. */
    int64_t stride;   /* Default 4. */
    uint32_t mask;    /* Default all, */
    bool no_lanes;    /* or none. */
    uint16_t latency; /* Default that of the kind. */
    uint8_t width;    /* Bytes of a lane; default 4. */
} LsuTest;

/* @p with: LSU_WITH_ bits; @p out: parameters of the channel at mem_out, NULL: depth 64. */
void lsu_open(LsuRig *r, const char *params, uint32_t with, const char *out);
/* The same, but for the start. */
void lsu_begin(LsuRig *r, const char *params, uint32_t with, const char *out);
void lsu_start(LsuRig *r);
void lsu_close(LsuRig *r);
/* Puts it into the latch of sub-core @p core, which must be empty: the next tick sees it. */
WwInst *lsu_put(LsuRig *r, uint32_t core, const LsuTest *what);
/* Steps up to and with tick @p tick. */
void lsu_through(LsuRig *r, WwCycle tick);
/* Nothing comes to sub-core @p core before tick @p tick, @p inst does in it. */
void lsu_result_in(LsuRig *r, WwCycle tick, uint32_t core, const WwInst *inst);
/* Nothing ends without a result before tick @p tick, @p inst does in it. */
void lsu_over_in(LsuRig *r, WwCycle tick, const WwInst *inst);
/* The next request past the L1D, or NULL. */
WwMemReq *lsu_request_of(LsuRig *r);
/* It comes back: the next tick sees it. */
void lsu_respond(LsuRig *r, WwMemReq *req);
/* A statistic's entry. */
uint64_t lsu_stat(LsuRig *r, const char *name, uint32_t i);
/* Entries of its vectors by way. */
enum { OF_L1D, OF_PAST_L1, OF_SHARED, OF_CONSTANT, OF_TEXTURE, OF_NOWHERE };
