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
