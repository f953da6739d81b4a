/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.oldest`: the warp launched first of those that can issue.
 *
 * Sorting by age looks at every warp: a memory barrier whose wait is over completes, whether or
 * not its warp gets a turn in this tick (as for scheduler.gto).
 */
#include "age-priv.h"
#include "types.h"

typedef struct Oldest {
    WwComponent base;
    /* ports */
    WwProvided policy;
    /* state */
    WarpAges ages;
} Oldest;

static uint32_t oldest_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Oldest *p = self;
    warp_ages_update(&p->ages, view);
    return warp_ages_list(&p->ages, view->candidates, out, 0);
}

static uint32_t oldest_first(void *self, const WwPolicyView *view, uint64_t among)
{
    Oldest *p = self;
    warp_ages_update(&p->ages, view);
    return warp_ages_first(&p->ages, among);
}

static void oldest_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static uint64_t oldest_examines(void *self, const WwPolicyView *view)
{
    return view->mine;
}

static const WwPolicyIf oldest_table = {
    .order = oldest_order,
    .first = oldest_first,
    .issued = oldest_issued,
    .examines = oldest_examines,
};

static void oldest_reset(void *self)
{
    ((Oldest *)self)->ages.sorted = false;
}

static const WwPortRow oldest_ports[] = {
    WW_PORT_POLICY(Oldest, policy, &oldest_table),
    {0},
};

const WwType scheduler_oldest_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.oldest",
    .doc = "Oldest first: the warp launched first of those that can issue.",
    .family = "scheduler",
    .size = sizeof(Oldest),
    .ports = oldest_ports,
    .reset = oldest_reset,
};
