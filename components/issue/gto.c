/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.gto`: greedy, then oldest. Tries the warp that issued last as long as it can issue,
 * then the others by age.
 *
 * The age of a warp is the order of its launch. The greedy warp is a hardware slot: a new warp in
 * that slot inherits the place. Before anything has issued it is the scheduler's first slot.
 *
 * Sorting by age looks at every warp, which the reference has an effect for: a memory
 * barrier whose wait is over completes, whether or not its warp gets a turn in this tick.
 */
#include "age-priv.h"
#include "types.h"

typedef struct Gto {
    WwComponent base;
    /* ports */
    WwProvided policy;
    /* state */
    int32_t greedy; /* -1: nothing issued yet */
    WarpAges ages;
} Gto;

static uint32_t gto_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Gto *p = self;
    uint64_t left = view->candidates;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    uint32_t n = 0;
    warp_ages_update(&p->ages, view);
    if (left >> greedy & 1u) {
        out[n++] = (uint8_t)greedy;
        left &= ~(1ull << greedy);
    }
    return warp_ages_list(&p->ages, left, out, n);
}

static uint32_t gto_first(void *self, const WwPolicyView *view, uint64_t among)
{
    Gto *p = self;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    if (among >> greedy & 1u) {
        return greedy;
    }
    warp_ages_update(&p->ages, view);
    return warp_ages_first(&p->ages, among);
}

static void gto_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    ((Gto *)self)->greedy = (int32_t)warp;
}

static uint64_t gto_examines(void *self, const WwPolicyView *view)
{
    return view->mine;
}

static const WwPolicyIf gto_table = {
    .order = gto_order,
    .first = gto_first,
    .issued = gto_issued,
    .examines = gto_examines,
};

static void gto_reset(void *self)
{
    Gto *p = self;
    p->ages.sorted = false;
    p->greedy = -1;
}

static const WwPortRow gto_ports[] = {
    WW_PORT_POLICY(Gto, policy, &gto_table),
    {0},
};

const WwType scheduler_gto_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.gto",
    .doc = "Greedy, then oldest: stays with the warp that issued last, else picks the oldest.",
    .family = "scheduler",
    .size = sizeof(Gto),
    .ports = gto_ports,
    .reset = gto_reset,
};
