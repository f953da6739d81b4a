/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The numbers of rows (ports/pcs.h), added up and cleared two at a time, without loops: a launch of a microsecond ends with some hundred rows of each SM.
 */
#pragma once

#include <ports/pcs.h>

/** Two numbers of a row, which lie at a multiple of 16. */
typedef uint64_t WwTwo __attribute__((vector_size(16), may_alias));
/** Two numbers of anything, which lie at a multiple of 8. */
typedef uint64_t WwAnyTwo __attribute__((vector_size(16), aligned(8), may_alias));

/** Numbers of a row: its states, of which the first is none, what is beside them, its slots, what is of memory; from there on one behind the other. */
#define WW_PCS_FIRST_STATE 1u
#define WW_PCS_STATES (WW_N_WARP_STATES - WW_PCS_FIRST_STATE)
#define WW_PCS_BESIDE                                                                              \
    ((uint32_t)((offsetof(WwPcsRow, slots) - offsetof(WwPcsRow, idle_lanes)) / sizeof(uint64_t)))
#define WW_PCS_MEMORY                                                                              \
    ((uint32_t)((offsetof(WwPcsRow, pc) - offsetof(WwPcsRow, requests)) / sizeof(uint64_t)))
#define WW_PCS_NUMBERS (WW_PCS_STATES + WW_PCS_BESIDE + WW_N_STALLS + WW_PCS_MEMORY)
G_STATIC_ASSERT(offsetof(WwPcsRow, states[WW_PCS_FIRST_STATE]) % sizeof(WwTwo) == 0);
G_STATIC_ASSERT(offsetof(WwPcsRow, slots) % sizeof(WwTwo) == 0);
G_STATIC_ASSERT(WW_PCS_STATES % 2 == 0 && WW_PCS_BESIDE % 2 == 0);
G_STATIC_ASSERT(WW_N_STALLS % 2 == 0 && WW_PCS_MEMORY % 2 == 0);

/** @p n, here and below: a constant, even. @p from is of a row. */
static inline __attribute__((always_inline)) void ww_pcs_add_numbers(uint64_t *to,
                                                                     const uint64_t *from,
                                                                     uint32_t n)
{
#pragma GCC unroll 32
    for (uint32_t i = 0; i < n; i += 2) {
        *(WwAnyTwo *)(to + i) += *(const WwTwo *)(from + i);
    }
}

/** Is one of them not 0? */
static inline __attribute__((always_inline)) bool ww_pcs_any(const uint64_t *from, uint32_t n)
{
    WwTwo all = {0, 0};
#pragma GCC unroll 32
    for (uint32_t i = 0; i < n; i += 2) {
        all |= *(const WwTwo *)(from + i);
    }
    return (all[0] | all[1]) != 0;
}

/** Has anything been counted in @p row? */
static inline bool ww_pcs_counted(const WwPcsRow *row)
{
    return row->states[WW_STATE_SELECTED] != 0 ||
           ww_pcs_any(row->states + WW_PCS_FIRST_STATE, WW_PCS_NUMBERS);
}

/** It counts anew. */
static inline void ww_pcs_clear(WwPcsRow *row)
{
#pragma GCC unroll 32
    for (uint32_t i = 0; i < WW_PCS_NUMBERS; i += 2) {
        *(WwTwo *)(row->states + WW_PCS_FIRST_STATE + i) = (WwTwo){0, 0};
    }
}

/** Adds to @p to what was counted in @p row. */
static inline void ww_pcs_merge(WwPcsRow *to, const WwPcsRow *row)
{
    ww_pcs_add_numbers(to->states + WW_PCS_FIRST_STATE, row->states + WW_PCS_FIRST_STATE,
                       WW_PCS_STATES + WW_PCS_BESIDE + WW_N_STALLS);
    if (ww_pcs_any(&row->requests, WW_PCS_MEMORY)) {
        uint64_t most = MAX(to->latency_max, row->latency_max);
        ww_pcs_add_numbers(&to->requests, &row->requests, WW_PCS_MEMORY);
        to->latency_max = most;
    }
}

/** Instructions that were issued, from a slot of their own or beside another one. */
static inline uint64_t ww_pcs_issues(const WwPcsRow *row)
{
    return row->states[WW_STATE_SELECTED] + row->more_issues;
}
/** Their active lanes, all together. */
static inline uint64_t ww_pcs_lanes(const WwPcsRow *row)
{
    return WW_WARP_SIZE * ww_pcs_issues(row) - row->idle_lanes;
}
/** The issue slots that they took. */
static inline uint64_t ww_pcs_slots_issued(const WwPcsRow *row)
{
    return row->states[WW_STATE_SELECTED] + row->more_slots;
}

/** All slots, issued or lost. */
static inline uint64_t ww_pcs_slots(const WwPcsRow *row)
{
    WwTwo sum = {0, 0};
#pragma GCC unroll 32
    for (uint32_t i = 0; i < WW_N_STALLS; i += 2) {
        sum += *(const WwTwo *)(row->slots + i);
    }
    return ww_pcs_slots_issued(row) + sum[0] + sum[1];
}

/** Adds what was counted in @p row to @p to. */
static inline void ww_pcs_add_row(WwPcCounts *to, const WwPcsRow *row)
{
    to->issues += ww_pcs_issues(row);
    to->lanes += ww_pcs_lanes(row);
    to->slots[WW_SLOT_ISSUED] += ww_pcs_slots_issued(row);
    ww_pcs_add_numbers(to->states + WW_PCS_FIRST_STATE, row->states + WW_PCS_FIRST_STATE,
                       WW_PCS_STATES);
    ww_pcs_add_numbers(to->slots, row->slots, WW_N_STALLS);
    to->transactions += row->transactions;
    to->requests += row->requests;
    to->latency += row->latency;
    to->latency_max = MAX(to->latency_max, row->latency_max);
    to->bank_conflicts += row->bank_conflicts;
    to->l1_accesses += row->l1_accesses;
    to->l1_hits += row->l1_hits;
    to->l2_accesses += row->l2_accesses;
    to->l2_hits += row->l2_hits;
}
