/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.swl`: static warp limiting. Stays with the warp that issued last, else takes the
 * oldest, of few warps: those that issue share the caches.
 *
 * The few are the `limit` oldest warps that do not wait at a barrier, for atomics or for copies; a
 * warp that waits for a register or for fetch keeps its place among them. The greedy warp is
 * tried besides, even if it is not one of them. It is a hardware slot, and before anything has
 * issued the scheduler's first one.
 *
 * Sorting by age looks at every warp (see scheduler.gto). Nothing here changes but through what
 * wakes the scheduler, which may sleep.
 */
#include "age-priv.h"
#include "types.h"

typedef struct Swl {
    WwComponent base;
    /* parameters */
    uint32_t limit;
    /* ports */
    WwProvided policy;
    /* state */
    int32_t greedy; /* -1: nothing issued yet */
    uint64_t few;   /* tried in this tick */
    WarpAges ages;
} Swl;

/* The limit oldest warps that do not wait. */
static uint64_t limited(const Swl *p, uint64_t awake)
{
    uint64_t few = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; n < p->limit && i < p->ages.n; i++) {
        uint64_t bit = awake & 1ull << p->ages.warp[i];
        few |= bit;
        n += bit != 0;
    }
    return few;
}

static uint64_t swl_limits(void *self, const WwPolicyView *view)
{
    Swl *p = self;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    warp_ages_update(&p->ages, view);
    p->few = limited(p, view->mine & ~view->waiting) | 1ull << greedy;
    return p->few;
}

static uint32_t swl_first(void *self, const WwPolicyView *view, uint64_t among)
{
    const Swl *p = self;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    return among >> greedy & 1u ? greedy : warp_ages_first(&p->ages, among);
}

static uint32_t swl_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Swl *p = self;
    uint32_t n = 0;
    uint32_t greedy = p->greedy >= 0 ? (uint32_t)p->greedy : view->scheduler;
    uint64_t first = 1ull << greedy;
    swl_limits(self, view);
    if (view->candidates & first) {
        out[n++] = (uint8_t)greedy;
    }
    return warp_ages_list(&p->ages, view->candidates & p->few & ~first, out, n);
}

static void swl_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    ((Swl *)self)->greedy = (int32_t)warp;
}

static uint64_t swl_examines(void *self, const WwPolicyView *view)
{
    return view->mine;
}

static uint64_t swl_considers(void *self, const WwPolicyView *view)
{
    return ((Swl *)self)->few;
}

static const WwPolicyIf swl_table = {
    .order = swl_order,
    .first = swl_first,
    .limits = swl_limits,
    .issued = swl_issued,
    .examines = swl_examines,
    .considers = swl_considers,
};

static void swl_reset(void *self)
{
    Swl *p = self;
    p->greedy = -1;
    p->few = 0;
    p->ages.sorted = false;
}

static const WwParamRow swl_params[] = {
    WW_UINT(Swl, limit, "", "4", 0, WW_MAX_WARPS,
            "warps that may issue, plus the one that issued last"),
    {0},
};

static const WwPortRow swl_ports[] = {
    WW_PORT_POLICY(Swl, policy, &swl_table),
    {0},
};

const WwType scheduler_swl_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.swl",
    .doc = "Greedy, then oldest, among a limited number of warps (static warp limiting).",
    .family = "scheduler",
    .size = sizeof(Swl),
    .params = swl_params,
    .ports = swl_ports,
    .reset = swl_reset,
};
