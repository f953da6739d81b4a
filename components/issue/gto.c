/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.gto`: greedy, then oldest. Tries the warp that issued last as long as it can issue,
 * then the others by age.
 *
 * The age of a warp is the order of its launch, which changes only when a CTA is placed: the list
 * of warps by age is kept and sorted again only then, so that a tick costs one pass over it. The
 * greedy warp is a hardware slot: a new warp in that slot inherits the place. Before anything has
 * issued it is the scheduler's first slot.
 *
 * Sorting by age looks at every warp, which the reference model has an effect for: a memory
 * barrier whose wait is over completes, whether or not its warp gets a turn in this tick.
 */
#include "types.h"
#include <ports/issue.h>

typedef struct Gto {
    WwComponent base;
    /* ports */
    WwProvided policy;
    /* state */
    bool fresh;        /* nothing sorted yet */
    uint32_t launches; /* of the warps when `age` was sorted */
    uint32_t n;
    int32_t greedy;            /* -1: nothing issued yet */
    uint8_t age[WW_MAX_WARPS]; /* warps, oldest first */
} Gto;

/* Insertion sort: at most 64 warps, nearly sorted, once per CTA. */
static void sort_by_age(Gto *p, const WwPolicyView *view)
{
    const WwWarp *warp = view->warps->warp;
    p->n = 0;
    for (uint64_t m = view->mine; m != 0; m &= m - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(m);
        uint32_t i = p->n++;
        for (; i > 0 && warp[p->age[i - 1]].dynamic_id > warp[w].dynamic_id; i--) {
            p->age[i] = p->age[i - 1];
        }
        p->age[i] = w;
    }
    p->launches = view->warps->launches;
    p->fresh = false;
}

static uint32_t gto_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Gto *p = self;
    if (p->fresh || p->launches != view->warps->launches) {
        sort_by_age(p, view);
    }
    uint64_t left = view->candidates;
    uint32_t n = 0;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    if (left >> greedy & 1u) {
        out[n++] = (uint8_t)greedy;
        left &= ~(1ull << greedy);
    }
    for (uint32_t i = 0; left != 0 && i < p->n; i++) {
        uint64_t bit = 1ull << p->age[i];
        if (left & bit) {
            out[n++] = p->age[i];
            left &= ~bit;
        }
    }
    return n;
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
    .issued = gto_issued,
    .examines = gto_examines,
};

static void gto_reset(void *self)
{
    Gto *p = self;
    p->fresh = true;
    p->greedy = -1;
}

static const WwPortRow gto_ports[] = {
    {.name = "policy",
     .role = WW_PROVIDES,
     .contract = &ww_contract_scheduler,
     .max = 1,
     .table = &gto_table,
     .doc = "fills the slot of one warp scheduler",
     .offset = WW_FIELD(Gto, policy, WwProvided)},
    {0},
};

const WwType scheduler_gto_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.gto",
    .doc = "Greedy, then oldest: stays with the warp that issued last, else takes the oldest.",
    .family = "scheduler",
    .size = sizeof(Gto),
    .ports = gto_ports,
    .reset = gto_reset,
};
