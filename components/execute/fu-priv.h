/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the pipelined function units share: everything but which instructions they accept. See fu.c.
 */
#pragma once

#include <ports/events.h>
#include <ports/execute.h>
#include <ports/register_set.h>
#include <warpwright/ring.h>

#define FU_MAX_LATENCY 511u /* What result buses can book ahead. */

/* An instruction inside the unit. Times are cycles of the unit: clock_multiplier to a tick. */
typedef struct FuFlight {
    WwInst *inst;
    WwCycle booked; /* Acceptance + latency: no two instructions may share it. */
    WwCycle exit;   /* When it leaves for the write-back registers. */
} FuFlight;

typedef struct Fu {
    WwComponent base;
    /* parameters */
    uint32_t kind; /* fu.pipelined: FuClass; fu.specialized: number of the unit */
    uint32_t depth;
    uint32_t clock_multiplier;
    uint32_t accepts; /* Bit per WwOp. */
    /* ports */
    WwPort in;
    WwPort out;
    WwPort bus;
    /* state */
    const WwRegisterSet *set; /* `in`, */
    uint64_t mine;            /* and the registers of it that it takes from. */
    uint64_t unread;          /* With `private`: registers without a unit. */
    WwCycle free_at;          /* The dispatch register is empty from this cycle on. */
    WwCycle busy_until;
    WwCycle next_exit;        /* Of the first that leaves, or WW_NEVER. */
    const WwRegsAhead *ahead; /* Of `out`: what leaves without a turn of the unit. */
    FuFlight *flight;         /* What is inside, and what left since the last turn, */
    WwRing ring;              /* sorted by exit. */
    bool private;   /* Takes only from the register of its own ordinal, as those of `in` say. */
    bool shared;    /* Somebody else takes from `in`, too, without our hearing of it. */
    FuFlight first; /* Room for one: most units of a run never have more. */
    /* statistics */
    uint64_t issued;
    uint64_t busy;
    uint64_t active_lane_cycles;
    uint64_t bus_waits;
    uint64_t slot_waits;
} Fu;

/* Checks and allocates for a unit that accepts the categories of @p accepts. */
bool fu_init(Fu *fu, uint32_t accepts, GError **error);
bool fu_start(void *self, GError **error);
/* What comes out is what comes in. */
uint64_t fu_carries(void *self, const WwPortRow *row, uint32_t k);
void fu_reset(void *self);
void fu_explain(void *self, WwExplain *explain);
WwRest fu_execute(void *self);

extern const WwPortRow fu_ports[];
extern const WwGoneRow fu_gone[];
extern const WwStatRow fu_stats[];
extern const WwEntryRow fu_entries[];

/* Parameter rows that all units have. */
#define FU_PARAMS                                                                                  \
    WW_UINT(Fu, depth, "cycles", "64", 1, FU_MAX_LATENCY,                                          \
            "pipeline stages: the largest (latency - interval) of an instruction, plus 1"),        \
        WW_UINT(Fu, clock_multiplier, "", "1", 1, 8, "unit cycles per core cycle")

/* Of both types. */
extern const WwEventRow fu_events[];
