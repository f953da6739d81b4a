/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fu.fixed and fu.sfu share: a dispatch latch, the stages behind it, and those that results which are predicates take besides. See
 * fu_stages.c.
 */
#pragma once

#include "stages-priv.h"

#include <ports/register_set.h>
#include <ports/sub_core.h>

#define FU_AHEAD 512u /* Cycles that the calendar of ends knows. */

typedef struct FuStages {
    WwComponent base;
    /* parameters */
    uint32_t depth;
    uint32_t extra_depth;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort warps;
    WwPort dependence; /* fu.sfu */
    WwProvided unit;   /* fu.fixed */
    /* state */
    int32_t at;     /* Register of `in` that is being dispatched; -1: none. */
    WwCycle enters; /* When it goes on. */
    Stages pipe;
    Stages extra;
    WwCycle free_at;              /* fu.fixed: the input is not reserved from then on. */
    WwCycle ends;                 /* Before it the calendar has been cleared. */
    uint64_t end[FU_AHEAD / 64u]; /* A bit for each cycle, modulo FU_AHEAD, in which one ends. */
    /* statistics */
    uint64_t issued;
    uint64_t busy;
    uint64_t lanes;
    uint64_t retired;
    uint64_t result_waits;
    uint64_t delays;
    uint64_t end_conflicts;
} FuStages;

bool fu_stages_init(void *self, GError **error);
void fu_stages_reset(void *self);
WwRest fu_stages_tick(void *self);
void fu_stages_settle(void *self, uint32_t entry, uint64_t n);
void fu_stages_explain(void *self, WwExplain *explain);
uint64_t fu_stages_carries(void *self, const WwPortRow *row, uint32_t k);
void fu_stages_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random);

extern const WwEventRow fu_stages_events[];

/* Rows that both have. */
#define FU_STAGES_PARAMS                                                                           \
    WW_UINT(FuStages, depth, "cycles", "64", 1, 4096,                                              \
            "stages: the largest latency of an instruction"),                                      \
        WW_UINT(FuStages, extra_depth, "cycles", "16", 1, 256,                                     \
                "further stages for predicate results: the most that one takes")

#define FU_STAGES_PORTS(latch_, result_)                                                           \
    WW_PORT_IN(FuStages, in, &ww_contract_inst, 1, latch_),                                        \
        WW_PORT_OUT(FuStages, out, &ww_contract_inst, 1, result_),                                 \
        WW_PORT_REQUIRES(FuStages, warps, &ww_contract_warps, 1, WW_RANK_EXECUTE,                  \
                         "told of instructions that end without a result")

#define FU_STAGES_STATS                                                                            \
    WW_COUNTER(FuStages, issued, "instructions", "instructions dispatched"),                       \
        WW_COUNTER(FuStages, busy, "cycles",                                                       \
                   "cycles at the end of which an instruction is in the latch or the stages"),     \
        WW_COUNTER(FuStages, lanes, "lanes", "their active lanes"),                                \
        WW_COUNTER(FuStages, retired, "instructions",                                              \
                   "of these, those without a result, which end here"),                            \
        WW_COUNTER(FuStages, result_waits, "cycles",                                               \
                   "cycles in which there was no room for a result behind the unit")
