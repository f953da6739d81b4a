/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.two_level`: a small set of active warps in loose round robin; the others queue.
 *
 * At the start of a tick every active warp that waits (at a barrier, for a memory barrier, atomics
 * or copies, or finished), or whose next instruction reads a register marked as written by a long
 * operation, goes to the end of the queue; the front of the queue takes the free places, whatever
 * state it is in. The active warps are then tried in their order. An issue turns the order so that
 * the place of the warp that issued is the last; a second instruction turns it by the same place
 * again. The queue starts with the scheduler's slots in ascending order behind the first `active`.
 * With `active` above the number of warps all are active always.
 *
 * As long as warps are sent to the queue the sets change from tick to tick, and the scheduler
 * stays awake; otherwise nothing changes but through what wakes it.
 */
#include "types.h"
#include <ports/issue.h>
#include <string.h>
#include <warpwright/ring.h>

typedef struct TwoLevel {
    WwComponent base;
    /* parameters */
    uint32_t active;
    /* ports */
    WwProvided policy;
    /* state */
    bool started;
    bool demoted;                /* somebody, in this tick */
    uint32_t n;                  /* warps in the active set */
    uint64_t set;                /* the active warps */
    uint8_t warp[WW_MAX_WARPS];  /* in their order */
    uint8_t queue[WW_MAX_WARPS]; /* the others, */
    WwRing queued;               /* in theirs */
} TwoLevel;

static void enqueue(TwoLevel *p, uint8_t warp)
{
    p->queue[ww_ring_put(&p->queued)] = warp;
    p->set &= ~(1ull << warp);
}

static void promote(TwoLevel *p)
{
    while (p->n < p->active && p->queued.n != 0) {
        uint8_t warp = p->queue[ww_ring_take(&p->queued)];
        p->warp[p->n++] = warp;
        p->set |= 1ull << warp;
    }
}

static void start(TwoLevel *p, const WwPolicyView *view)
{
    p->started = true;
    for (uint64_t m = view->mine; m != 0; m &= m - 1) {
        enqueue(p, (uint8_t)__builtin_ctzll(m));
    }
    promote(p);
}

static bool waits(const WwPolicyView *view, uint32_t warp)
{
    if (view->waiting >> warp & 1u) {
        return true;
    }
    if (view->hazards == NULL) { /* nobody says what a register waits for */
        return false;
    }
    const WwWarp *w = &view->warps->warp[warp];
    const WwInst *next = w->ibuf[w->next];
    return next != NULL &&
           WW_SCOREBOARD(view->hazards)->waits_long(view->hazards->peer, warp, next->s);
}

static uint64_t two_level_limits(void *self, const WwPolicyView *view)
{
    TwoLevel *p = self;
    uint32_t kept = 0;
    if (G_UNLIKELY(!p->started)) {
        start(p, view);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (waits(view, p->warp[i])) {
            enqueue(p, p->warp[i]);
        } else {
            p->warp[kept++] = p->warp[i];
        }
    }
    p->demoted = kept != p->n;
    p->n = kept;
    promote(p);
    return p->set;
}

static uint32_t two_level_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    TwoLevel *p = self;
    two_level_limits(self, view);
    memcpy(out, p->warp, p->n);
    return p->n;
}

static uint32_t two_level_first(void *self, const WwPolicyView *view, uint64_t among)
{
    const TwoLevel *p = self;
    uint32_t i = 0;
    while (!(among >> p->warp[i] & 1u)) {
        i++;
    }
    return p->warp[i];
}

static void two_level_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    TwoLevel *p = self;
    uint8_t before[WW_MAX_WARPS];
    uint32_t place = 0;
    while (p->warp[place] != warp) {
        place++;
    }
    memcpy(before, p->warp, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        p->warp[i] = before[(i + n * (place + 1)) % p->n];
    }
}

/* All that are active; asked before any is sent away. */
static uint64_t two_level_examines(void *self, const WwPolicyView *view)
{
    TwoLevel *p = self;
    if (G_UNLIKELY(!p->started)) {
        start(p, view);
    }
    return p->set;
}

static bool two_level_restless(void *self, const WwPolicyView *view)
{
    return ((TwoLevel *)self)->demoted;
}

static uint64_t two_level_considers(void *self, const WwPolicyView *view)
{
    return ((TwoLevel *)self)->set;
}

static const WwPolicyIf two_level_table = {
    .order = two_level_order,
    .first = two_level_first,
    .limits = two_level_limits,
    .issued = two_level_issued,
    .examines = two_level_examines,
    .restless = two_level_restless,
    .considers = two_level_considers,
};

static void two_level_reset(void *self)
{
    TwoLevel *p = self;
    p->started = p->demoted = false;
    p->n = 0;
    p->set = 0;
    ww_ring_init(&p->queued, WW_MAX_WARPS);
}

static const WwParamRow two_level_params[] = {
    WW_UINT(TwoLevel, active, "", "8", 1, WW_MAX_WARPS, "active warps: only these may issue"),
    {0},
};

static const WwPortRow two_level_ports[] = {
    WW_PORT_POLICY(TwoLevel, policy, &two_level_table),
    {0},
};

const WwType scheduler_two_level_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.two_level",
    .doc = "Loose round robin among a few active warps; those with long waits give up their place.",
    .family = "scheduler",
    .size = sizeof(TwoLevel),
    .params = two_level_params,
    .ports = two_level_ports,
    .reset = two_level_reset,
};
