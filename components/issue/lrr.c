/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.lrr`: loose round robin. Tries the warps in a circle that starts just after the one
 * that issued last.
 *
 * A policy is passive: the warp scheduler whose slot it fills asks for an order in each tick in
 * which it runs, and says what issued. The order is over the scheduler's warps by hardware slot;
 * candidates are a bit mask, so that the circle is two walks over set bits, the warps behind the
 * last one first.
 */
#include "types.h"
#include <ports/issue.h>

typedef struct Lrr {
    WwComponent base;
    /* ports */
    WwProvided policy;
    /* state */
    uint64_t behind; /* the warps behind the one that issued last; all bits until one has */
} Lrr;

static uint32_t list(uint64_t warps, uint8_t *out)
{
    uint32_t n = 0;
    for (; warps != 0; warps &= warps - 1) {
        out[n++] = (uint8_t)__builtin_ctzll(warps);
    }
    return n;
}

static uint32_t lrr_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    const Lrr *p = self;
    uint32_t n = list(view->candidates & p->behind, out);
    return n + list(view->candidates & ~p->behind, out + n);
}

static uint32_t lrr_first(void *self, const WwPolicyView *view, uint64_t among)
{
    uint64_t behind = among & ((const Lrr *)self)->behind;
    return (uint32_t)__builtin_ctzll(behind != 0 ? behind : among);
}

static void lrr_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    Lrr *p = self;
    p->behind = ~1ull << warp;
}

static const WwPolicyIf lrr_table = {.order = lrr_order, .first = lrr_first, .issued = lrr_issued};

static void lrr_reset(void *self)
{
    ((Lrr *)self)->behind = UINT64_MAX;
}

static const WwPortRow lrr_ports[] = {
    WW_PORT_POLICY(Lrr, policy, &lrr_table),
    {0},
};

const WwType scheduler_lrr_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.lrr",
    .doc = "Loose round robin: starts after the warp that issued last.",
    .family = "scheduler",
    .size = sizeof(Lrr),
    .ports = lrr_ports,
    .reset = lrr_reset,
};
