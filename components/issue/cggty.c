/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.cggty`: greedy, then youngest; compiler-guided where it orders the warps of a sub-core, whose control bits say which of them may
 * issue.
 *
 * Tries the warp that issued last as long as it can issue, then the others, the one launched last first; those that wait at a barrier come last, by
 * hardware warp. Source: Huerta et al., MICRO'25 (docs/modern.md). The greedy warp is a hardware slot, before anything has issued the
 * scheduler's last one.
 */
#include "age-priv.h"
#include "types.h"

typedef struct Cggty {
    WwComponent base;
    /* ports */
    WwProvided policy;
    /* state */
    int32_t greedy; /* -1: nothing issued yet */
    WarpAges ages;
} Cggty;

static uint32_t greedy_of(const Cggty *p, const WwPolicyView *view)
{
    uint64_t mine = view->mine;
    return p->greedy >= 0 ? (uint32_t)p->greedy
           : mine != 0    ? 63u - (uint32_t)__builtin_clzll(mine)
                          : 0;
}

static uint32_t cggty_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Cggty *p = self;
    uint32_t n = 0, greedy = greedy_of(p, view);
    uint64_t left = view->candidates;
    warp_ages_update(&p->ages, view);
    if (left >> greedy & 1u) {
        out[n++] = (uint8_t)greedy;
        left &= ~(1ull << greedy);
    }
    uint64_t waiting = left & view->waiting;
    left &= ~waiting;
    for (uint32_t i = p->ages.n; left != 0 && i-- > 0;) {
        uint64_t bit = 1ull << p->ages.warp[i];
        if (left & bit) {
            out[n++] = p->ages.warp[i];
            left &= ~bit;
        }
    }
    for (; waiting != 0; waiting &= waiting - 1) {
        out[n++] = (uint8_t)__builtin_ctzll(waiting);
    }
    return n;
}

static uint32_t cggty_first(void *self, const WwPolicyView *view, uint64_t among)
{
    Cggty *p = self;
    uint32_t greedy = greedy_of(p, view);
    if (among >> greedy & 1u) {
        return greedy;
    }
    warp_ages_update(&p->ages, view);
    uint64_t awake = among & ~view->waiting;
    for (uint32_t i = p->ages.n; awake != 0 && i-- > 0;) {
        if (awake >> p->ages.warp[i] & 1u) {
            return p->ages.warp[i];
        }
    }
    return (uint32_t)__builtin_ctzll(among);
}

static void cggty_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    ((Cggty *)self)->greedy = (int32_t)warp;
}

static uint64_t cggty_examines(void *self, const WwPolicyView *view)
{
    return view->mine;
}

static const WwPolicyIf cggty_table = {
    .order = cggty_order,
    .first = cggty_first,
    .issued = cggty_issued,
    .examines = cggty_examines,
};

static void cggty_reset(void *self)
{
    Cggty *p = self;
    p->ages.sorted = false;
    p->greedy = -1;
}

static const WwPortRow cggty_ports[] = {
    WW_PORT_POLICY(Cggty, policy, &cggty_table),
    {0},
};

const WwType scheduler_cggty_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.cggty",
    .doc = "Greedy, then youngest: stays with the warp that issued last, else picks the one "
           "launched last.",
    .family = "scheduler",
    .size = sizeof(Cggty),
    .ports = cggty_ports,
    .reset = cggty_reset,
};
