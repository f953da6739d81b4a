/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiler would have written into the instructions of a warp, in the order in which they issue: how long the next ones must stall for a result, and which of
 * six counters guard results and sources of unknown latency. The rules, each with its test: docs/modern.md#allocated.
 *
 * Pure book-keeping of one warp; time and registers are the caller's.
 */
#pragma once

#include <ports/sub_core.h>

#define ALLOC_WORDS (WW_N_NAMES / 64 + 1)
#define ALLOC_MOST 63u    /* that a counter counts to */
#define ALLOC_FLIGHTS 64u /* instructions of a warp that hold counters */

typedef struct AllocRules {
    uint32_t max_stall; /* Latency up to which results are stalled for. */
    bool war;           /* Sources of unknown latency are guarded. */
} AllocRules;

/* An instruction that holds counters; WW_NO_COUNTER: none of that kind (any more). */
typedef struct AllocFlight {
    const WwTiming *timing;
    uint32_t uid;
    uint8_t write, read;
    bool used;
} AllocFlight;

typedef struct AllocWarp {
    WwCycle from[WW_N_NAMES]; /* first cycle in which who reads the register may issue */
    uint64_t written[WW_COUNTERS]
                    [ALLOC_WORDS]; /* registers that a counter guards: until they are written, */
    uint64_t read[WW_COUNTERS][ALLOC_WORDS]; /* or were read */
    uint32_t users[WW_COUNTERS];             /* instructions that hold it */
    uint32_t n_flights;
    uint8_t next; /* counter whose turn it is */
    AllocFlight flight[ALLOC_FLIGHTS];
} AllocWarp;

/* What an instruction is to the rules. */
typedef struct AllocInst {
    const uint16_t
        *name; /* Registers, below WW_N_NAMES: those that it writes, then those that it reads. */
    uint32_t n_written, n_named;
    uint32_t
        there; /* Cycles from its issue to that of who reads its result, which is stalled for; 0: the result takes a counter. */
    uint32_t own;  /* Cycles from its issue until its result may replace one that is stalled for, */
    uint32_t late; /* and those that it reads its sources later than `there` counts. */
    bool guards;   /* When it reads its sources is not known. */
} AllocInst;

/* What stands before one instruction. */
typedef struct AllocPlan {
    WwCycle from;        /* First cycle in which it may issue, for results that are stalled for, */
    uint32_t wait;       /* a bit for each counter that has to be 0, */
    uint8_t write, read; /* and the counters that it takes, or WW_NO_COUNTER. */
    bool room;           /* They count that far. */
} AllocPlan;

/* Bits of the counters that guard registers: of @p name the first @p n_written are to be written, the others, up to @p n_named, read. */
uint32_t alloc_guards(const AllocWarp *w, const uint16_t *name, uint32_t n_written,
                      uint32_t n_named);
AllocPlan alloc_plan_of(const AllocRules *rules, const AllocWarp *w, const AllocInst *in);
/* It issues in cycle @p now, and holds what its plan says, which is returned; how many of these counters somebody else has, too, is added to @p shared. */
AllocPlan alloc_take(const AllocRules *rules, AllocWarp *w, const AllocInst *in, WwCycle now,
                     uint64_t *shared);

/* ---- instructions of a sub-core, whose counters are remembered here ------------------------ */

/* Cycles from the issue of @p t to that of who reads its result and has a fixed latency himself; 0: they are not known. */
uint32_t alloc_latency(const WwTiming *t);
AllocPlan alloc_plan(const AllocRules *rules, const AllocWarp *w, const WwTiming *t);
/* It issues in cycle @p now. How many of the counters that it takes somebody else has, too. */
uint32_t alloc_issue(const AllocRules *rules, AllocWarp *w, const WwInst *inst, WwCycle now);
/* Its sources were read, or it is over: bits of the counters that it gives back, each one less of `users` to be taken off by the caller. */
uint32_t alloc_read(AllocWarp *w, const WwInst *inst);
uint32_t alloc_over(AllocWarp *w, const WwInst *inst);
