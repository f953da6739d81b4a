/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a shared-memory access in cycles of the dispatch register: a pure function, used by
 * ldst_shared.c.
 */
#pragma once

#include <ports/inst.h>

#define SMEM_MAX_BANKS 128u

typedef struct SmemRule {
    uint32_t banks;         /* 1..SMEM_MAX_BANKS */
    uint32_t parts;         /* Groups of lanes that go one after the other: 1, 2, 4, ... */
    bool limited_broadcast; /* Only one word a group is broadcast; else every one. */
    bool lanes_apart;       /* Lanes that share a word go one after the other: atomics. */
    uint32_t width;         /* Bytes of a lane's access, 4 at a time; 0: its first word counts. */
} SmemRule;

/*
 * Cycles for the first words at addr[32] of the lanes of @p mask: over the groups, the sum of the
 * largest number of distinct words in one bank. With a width of 8 or 16 bytes half or a quarter of
 * a group goes at a time, with all words of its lanes.
 */
uint32_t smem_cost(const SmemRule *rule, const uint64_t *addr, uint32_t mask);

#define SMEM_SHAPES 8u

/* Addresses without their base, and what they cost. */
typedef struct SmemShape {
    uint32_t mask; /* 0: none. */
    uint32_t
        kind; /* WwAddrMode; values; words; are lanes kept apart?; byte of the base in its word. */
    uint32_t cost;
    int64_t value[WW_WARP_SIZE]; /* The stride, or the deltas. */
} SmemShape;

/*
 * Where all words are broadcast and the banks are a power of two, a base that is some words further turns the banks round and changes
 * no cost. Loops come with the same few shapes again and again.
 */
typedef struct SmemMemo {
    SmemShape shape[SMEM_SHAPES];
} SmemMemo;

/* The same of the lanes of @p mask with the addresses of @p block (NULL: all 0). All of an SM's calls with @p memo have one rule, but for width and lanes_apart. */
uint32_t smem_cost_of(SmemMemo *memo, const SmemRule *rule, const WwAddrBlock *block,
                      uint32_t mask);
