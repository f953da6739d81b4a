/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the lanes of a memory instruction to its memory accesses: pure functions without state,
 * for both LD/ST units.
 *
 *     coalesce.c        lanes to accesses
 *     coalesce_inst.c   an instruction to its lanes
 *
 * Workload: once for every executed access to global or local memory. Most are 32 ascending words
 * that fall into 4 sectors; the worst are 32 lanes of 16 bytes of local memory, 128 accesses.
 */
#pragma once

#include <ports/coalesce.h>

/* Words of a lane after translation (a local access of up to 32 bytes). */
#define COALESCE_LANE_WORDS 8u
/* The most accesses of one instruction: eight translated words a lane, or two segments a lane. */
#define COALESCE_MAX WW_COALESCE_MAX
G_STATIC_ASSERT(COALESCE_MAX == WW_WARP_SIZE * COALESCE_LANE_WORDS);
/* Of one to global memory by the units' own rule: two segments a lane. */
#define COALESCE_MAX_GLOBAL (2 * WW_WARP_SIZE)
/* One transaction that an instruction asks for; its size and what its segment has, if no lane is served yet. */
typedef WwTransaction LdstAccess;

/* How lanes are put together. */
typedef struct CoalesceRule {
    uint32_t arch;  /* Compute capability times 10: selects the segment size. */
    uint32_t parts; /* Groups of lanes that are coalesced apart: 1, 2, 4, ... */
    bool skip_l1;   /* Global accesses skip the first-level cache. */
} CoalesceRule;

/* Where the local memory of an SM's threads lies. */
typedef struct CoalesceLocal {
    bool map; /* Threads of a CTA side by side; false: the older mapping by hardware thread. */
    uint32_t sm, sms; /* This SM, and how many there are. */
    uint32_t padded;  /* Threads of a CTA, rounded up to warps. */
    uint32_t limit;   /* CTAs that an SM may hold. */
    uint32_t threads; /* Hardware threads of an SM. */
    uint64_t start;   /* In the flat address space that the memory system sees. */
} CoalesceLocal;

/* Bytes of a segment for accesses of @p width bytes a lane; @p bypass: cache operator "global". */
uint32_t coalesce_segment(const CoalesceRule *rule, uint32_t width, bool bypass);

/*
 * Loads and stores. Accesses are written to out[COALESCE_MAX], to be taken from the end; returns
 * how many. A lane's addresses end at the first that is 0, unless null_too.
 */
uint32_t coalesce_plain(const WwLanes *lanes, uint32_t parts, uint32_t segment, LdstAccess *out);

/* Neighbouring lanes whose addresses ascend by the same number of bytes. */
typedef struct CoalesceRun {
    uint64_t base;    /* Of the first, */
    uint64_t stride;  /* and what each further one adds. */
    uint32_t lane, n; /* The first, and how many. */
    uint32_t width;   /* Bytes at each address. */
} CoalesceRun;

/*
 * What coalesce_plain() makes of a run, without looking at each lane; 0: it has to (a lane crosses a segment, or an address is 0 or
 * wraps around).
 */
uint32_t coalesce_run(const CoalesceRun *run, uint32_t segment, LdstAccess *out);

/* Active lanes of which each is some bytes behind the one before. */
typedef struct CoalesceRows {
    uint64_t base;        /* Of the lowest lane, */
    const int64_t *delta; /* and what each further active one adds. */
    uint32_t mask, width; /* Lanes, not 0; bytes at each address. */
} CoalesceRows;

/*
 * What coalesce_plain() makes of lanes that are a few runs, each behind the one before, as rows of a tile are; segments are sectors. 0: it
 * has to.
 */
uint32_t coalesce_rows(CoalesceRows rows, LdstAccess *out);

/*
 * Atomics: no two lanes of an access touch the same byte. An address of 0 is nothing special.
 * Each lane must stay within its segment (coalesce_straddles()).
 */
uint32_t coalesce_atomic(const WwLanes *lanes, uint32_t parts, uint32_t segment, LdstAccess *out);

/* Lanes whose access crosses a segment boundary. */
uint32_t coalesce_straddles(const WwLanes *lanes, uint32_t segment);

/*
 * Translates local address @p addr of hardware thread @p thread, an access of @p width bytes, to
 * the addresses that memory sees: words of 4 bytes, or one address for narrower accesses. Returns
 * how many were written to out[COALESCE_LANE_WORDS]; 0: the address is not aligned as the
 * translation needs.
 */
uint32_t coalesce_local(const CoalesceLocal *local, uint32_t thread, uint64_t addr, uint32_t width,
                        uint64_t *out);

/* ---- instructions -------------------------------------------------------------------------- */

/* How a unit coalesces: its parameters. */
typedef struct Coalescing {
    CoalesceRule rule;
    bool local_mem_map;
    uint64_t local_start; /* Where local memory begins for the memory system. */
    bool null_skipped, highest_first;
    bool signed_widths, tail_counts_whole;
} Coalescing;

/* The ports of a unit that are asked: where the SM's local memory lies, and for accesses, if that is bound. */
typedef struct CoalescePorts {
    const WwPort *ctas, *warps, *coalescer;
} CoalescePorts;

/* Rows of the parameters of a unit T, in its `Coalescing coalescing`. */
#define COALESCE_PARTS(T)                                                                          \
    WW_UINT_AT(T, coalescing.rule.parts, "warp_parts", "", "1", 1, WW_WARP_SIZE,                   \
               "groups of lanes that are coalesced, and access shared memory, separately; a "      \
               "power of two")
#define COALESCE_ARCH(T, rule, default_)                                                           \
    WW_UINT_AT(                                                                                    \
        T, rule.arch, "coalesce_arch", "", default_, 13, 999,                                      \
        "coalescing rule: compute capability times 10 (from 40 up segments are 32-byte sectors)")
#define COALESCE_LOCAL_MAP(T)                                                                      \
    WW_BOOL_OF(T, coalescing, local_mem_map, "true",                                               \
               "local memory of the threads of a CTA is contiguous; false: it is placed by "       \
               "hardware thread")
#define COALESCE_NULL(T)                                                                           \
    WW_BOOL_OF(                                                                                    \
        T, coalescing, null_skipped, "true",                                                       \
        "a lane with address 0 makes no access, as in the reference; false: it is like any other")
#define COALESCE_WIDTHS(T)                                                                         \
    WW_BOOL_OF(                                                                                    \
        T, coalescing, signed_widths, "false",                                                     \
        ".S8 and .S16 accesses have 1 and 2 bytes per lane; false: 4, as in the reference"),       \
        WW_BOOL_OF(T, coalescing, tail_counts_whole, "true",                                       \
                   "if a lane crosses into another segment, the size of its whole access counts "  \
                   "there, as in the reference; false: only the bytes it touches")

/* What is wrong with the accesses of an instruction. */
typedef enum CoalesceWrong {
    COALESCE_FINE,
    COALESCE_LOCAL,       /* An address of local memory. */
    COALESCE_ATOMIC,      /* An address of an atomic. */
    COALESCE_TRANSACTION, /* A transaction of another coalescer, */
    COALESCE_LANE,        /* a lane that it left out, */
    COALESCE_MANY,        /* or more of them than there may be. */
} CoalesceWrong;
typedef struct CoalesceBad {
    CoalesceWrong wrong;
    uint32_t lane, width, segment;
    uint64_t addr;
    uint32_t n,
        size; /* Of another coalescer: which transaction, or how many there are; its bytes. */
    const char *expected;  /* What one should have. */
    const void *coalescer; /* Who made it. */
} CoalesceBad;

/* Refuses a rule whose values do not fit. */
bool coalesce_rule_fits(const CoalesceRule *rule, GError **error);

/* What is wrong with it; to be freed. */
char *coalesce_bad_text(const CoalesceBad *bad);

/*
 * The accesses of @p inst, to global or local memory (its resolved space) and with active lanes, are written to out[COALESCE_MAX], or
 * out[COALESCE_MAX_GLOBAL], in the order in which they leave, the last one first; returns how many. What is wrong is said in *bad, if there is anything: then there are none.
 */
uint32_t coalesce_inst(const Coalescing *c, const WwInst *inst, const CoalescePorts *ports,
                       LdstAccess *out, CoalesceBad *bad);

/* Bytes of the largest access that there may be. */
uint32_t coalesce_most(const Coalescing *c, const CoalescePorts *ports);
/* Who makes them, for messages, to be freed: "coalesce_arch = 35", or the path of another coalescer. */
char *coalesce_who(const Coalescing *c, const CoalescePorts *ports);

/* @p lanes of @p inst by @p rule, in the order of their addresses. */
uint32_t coalesce_by_rule(const CoalesceRule *rule, const WwInst *inst, const WwLanes *lanes,
                          LdstAccess *out, CoalesceBad *bad);
/* The last of @p n stands first. */
void coalesce_turn_round(LdstAccess *a, uint32_t n);
