/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction takes, as pure functions of its text and operands: which registers, which stages, how long.
 *
 *   timing_operands.c   registers, results, constants
 *   timing_names.c      registers of all kinds, for scoreboards
 *   timing_classes.c    units, latencies, stages
 *   timing.c            the component: remembers what was made
 */
#pragma once

#include <ports/sub_core.h>
#include <ports/trace_source.h>

/* Latency and initiation interval. */
typedef struct TimingPair {
    uint32_t latency, interval;
} TimingPair;

enum { IMAD_ANY, IMAD_WIDE };
enum { INDEXED_READ, INDEXED_RESULT };

/* What a platform says of units; see the parameters of timing.modern. */
typedef struct TimingRules {
    TimingPair int_, sp, dp, half, uniform, branch, misc, sfu;
    uint32_t predicate;    /* Latency of what results in predicates, all in all. */
    bool fp_in_int;        /* The INT unit takes floating point, too. */
    uint32_t read_stages;  /* From Allocate to a unit, */
    uint32_t read_wide;    /* of tensor products with an operand of four registers. */
    uint32_t tensor_rate;  /* Products of one bit that a tensor core makes in a cycle. */
    uint32_t tensor_extra; /* HMMA.16816.F32 and HMMA.1688.F32, in latency and interval. */
    uint32_t mem_stages;   /* Of the sub-core's part of the LD/ST unit behind its queue. */
    uint32_t scalar_units; /* Address calculation: lanes a cycle. */
    uint32_t first_less;   /* Cycles that the first of these stages is shorter. */
    uint32_t war_more;     /* Cycles until their sources are read, more than the rules say. */
    uint32_t flat_less; /* Cycles that global and local memory is nearer, of those first stages. */
    uint32_t indexed;   /* Until when the register that indexes constants is kept: INDEXED_... */
    uint32_t imad;      /* Behind which IMADs the issue port is closed: IMAD_... */
    uint32_t link;      /* Bytes that go over to the SM's structures in a cycle, */
    bool load_half, store_half;                /* half as many, of loads and of stores. */
    uint32_t copy_extra;                       /* LDGSTS. */
    uint32_t shared, ldsm_extra, l1, constant; /* Latencies of what the SM shares. */
    uint32_t dp_stages;                        /* Of the sub-core's part of the DP unit. */
    uint32_t
        transfer; /* Cycles that a register takes from the SM's structures into the sub-core. */
    uint64_t constant_base; /* Address of constant bank 0, */
    uint32_t constant_bank; /* and bytes of a bank. */
    uint32_t names;         /* NAMES_...: which registers scoreboards know of. */
} TimingRules;

enum { NAMES_CODE, NAMES_ALL };

/* A static instruction as the rules look at it. */
typedef struct TimingInst {
    const WwSinst *s;
    const WwOperand *operand; /* From a listing, or made of the trace's registers. */
    uint32_t n_operands;
    WwSubOp op;
    uint8_t space; /* WwSpace, resolved. */
    bool result;   /* The first operand is written. */
    /* tensor products */
    uint32_t m, n, k, bits;
    bool sparse, wide_sum;
} TimingInst;

/* Is @p part in the text of the opcode? */
bool timing_says(const TimingInst *t, const char *part);

/* Reads the operands: results, registers that are read, the constant. */
void timing_operands(const TimingRules *rules, const TimingInst *t, WwTiming *out);
/* Registers that operand number @p at spans, of those that count for ports. */
uint32_t timing_uses(const TimingInst *t, uint32_t at);
/* Is the address of a memory instruction, operand @p at or the first that is one, in a regular register? */
bool timing_address_in_register(const TimingInst *t, uint32_t at);

/* Registers that operand number @p at spans if its register is @p reg, and a regular one or not: timing_uses() for any register inside an operand. */
uint32_t timing_width(const TimingInst *t, uint32_t at, bool regular, uint32_t reg);
/* Names the registers of all kinds that it writes and reads. */
void timing_names(const TimingRules *rules, const TimingInst *t, WwTiming *out);

/* The class of @p s: what its opcode map says, or what its category comes to. */
WwSubOp timing_class(const WwSinst *s);
/* Fills all of @p out. */
void timing_make(const TimingRules *rules, const WwSinst *s, const WwCode *code, uint8_t space,
                 WwTiming *out);
