/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The warps of a scheduler by age, for policies that prefer the oldest. Ages change only when a
 * CTA is placed: the list is sorted again only then, so that a tick costs one pass over it.
 */
#pragma once

#include <ports/issue.h>

typedef struct WarpAges {
    bool sorted;
    uint32_t launches; /**< Of the warps when the list was sorted. */
    uint32_t n;
    uint8_t warp[WW_MAX_WARPS]; /**< Oldest first. */
} WarpAges;

/* Insertion sort: at most 64 warps, nearly sorted, once per CTA. */
static inline void warp_ages_sort(WarpAges *a, const WwPolicyView *view)
{
    const WwWarp *warp = view->warps->warp;
    a->n = 0;
    for (uint64_t m = view->mine; m != 0; m &= m - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(m);
        uint32_t i = a->n++;
        for (; i > 0 && ww_warp_older(&warp[w], &warp[a->warp[i - 1]]); i--) {
            a->warp[i] = a->warp[i - 1];
        }
        a->warp[i] = w;
    }
    a->launches = view->warps->launches;
    a->sorted = true;
}

static inline void warp_ages_update(WarpAges *a, const WwPolicyView *view)
{
    if (!a->sorted || a->launches != view->warps->launches) {
        warp_ages_sort(a, view);
    }
}

/** Lists the warps of @p set by age behind the first @p n of @p out; how many there are then. */
static inline uint32_t warp_ages_list(const WarpAges *a, uint64_t set, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; set != 0 && i < a->n; i++) {
        uint64_t bit = 1ull << a->warp[i];
        if (set & bit) {
            out[n++] = a->warp[i];
            set &= ~bit;
        }
    }
    return n;
}

/** The oldest warp of @p set, which is not empty. */
static inline uint32_t warp_ages_first(const WarpAges *a, uint64_t set)
{
    uint32_t i = 0;
    while (!(set >> a->warp[i] & 1u)) {
        i++;
    }
    return a->warp[i];
}
