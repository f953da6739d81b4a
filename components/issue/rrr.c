/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.rrr`: strict round robin. One warp has the turn; nobody else issues until it has
 * issued or must wait at a barrier, for a memory barrier, atomics or copies.
 *
 * The turn then goes to the first warp behind the one that issued last that does not wait. It
 * follows the reference in that this is evaluated in every tick once something has issued
 * (which selects the same warp again until it issues or waits), and what happens before: the turn
 * starts at hardware slot 0, whoever owns it (begins_at_zero). A scheduler other than number 0 may so issue one
 * turn of that warp (a guest), as long as slot 0 never waits when it looks; the place in its own
 * circle does not change by that.
 */
#include "types.h"
#include <ports/issue.h>

typedef struct Rrr {
    WwComponent base;
    /* parameters */
    bool begins_at_zero;
    /* ports */
    WwProvided policy;
    /* state */
    bool begun; /* something has issued, or the first turn is nobody else's */
    uint32_t turn;
    uint64_t behind; /* the warps behind the one that issued last; all bits until one has */
    uint64_t choice; /* the only warp tried in this tick */
} Rrr;

/* The first of @p warps in the circle behind the last one. */
static uint64_t first_behind(const Rrr *p, uint64_t warps)
{
    uint64_t m = warps & p->behind ? warps & p->behind : warps;
    return m & -m;
}

static bool keeps_turn(const Rrr *p, const WwPolicyView *view)
{
    return !p->begun && !(view->waiting >> p->turn & 1u);
}

static uint64_t rrr_limits(void *self, const WwPolicyView *view)
{
    Rrr *p = self;
    if (keeps_turn(p, view)) {
        p->choice = 1ull << p->turn;
    } else {
        p->choice = first_behind(p, view->mine & ~view->waiting);
        p->turn = p->choice != 0 ? (uint32_t)__builtin_ctzll(p->choice) : p->turn;
    }
    return p->choice;
}

static uint32_t rrr_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Rrr *p = self;
    bool any = rrr_limits(self, view) != 0;
    out[0] = (uint8_t)p->turn;
    return any;
}

static uint32_t rrr_first(void *self, const WwPolicyView *view, uint64_t among)
{
    return (uint32_t)__builtin_ctzll(among);
}

static void rrr_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    Rrr *p = self;
    p->begun = true;
    if (view->mine >> warp & 1u) {
        p->behind = ~1ull << warp;
    }
}

/* The circle up to the first that does not wait, all of it if there is none. */
static uint64_t rrr_examines(void *self, const WwPolicyView *view)
{
    const Rrr *p = self;
    uint64_t turn = p->begun ? 0 : 1ull << p->turn;
    uint64_t first = first_behind(p, view->mine & ~view->waiting);
    if (keeps_turn(p, view)) {
        return turn;
    }
    if (first == 0) {
        return view->mine | turn;
    }
    uint64_t upto = first | (first - 1);
    return turn | (view->mine & (first & p->behind ? upto & p->behind : upto | p->behind));
}

static uint64_t rrr_considers(void *self, const WwPolicyView *view)
{
    return ((Rrr *)self)->choice;
}

static int32_t rrr_guest(void *self, const WwPolicyView *view)
{
    const Rrr *p = self;
    return p->begun || (view->mine >> p->turn & 1u) ? -1 : (int32_t)p->turn;
}

static const WwPolicyIf rrr_table = {
    .order = rrr_order,
    .first = rrr_first,
    .limits = rrr_limits,
    .issued = rrr_issued,
    .examines = rrr_examines,
    .considers = rrr_considers,
    .guest = rrr_guest,
};

static void rrr_reset(void *self)
{
    Rrr *p = self;
    p->begun = !p->begins_at_zero;
    p->turn = 0;
    p->behind = UINT64_MAX;
    p->choice = 0;
}

static const WwParamRow rrr_params[] = {
    WW_BOOL(Rrr, begins_at_zero, "true",
            "hardware warp 0 has the first turn in every scheduler, as in the reference; false: "
            "the scheduler's first own warp that does not wait"),
    {0},
};

static const WwPortRow rrr_ports[] = {
    WW_PORT_POLICY(Rrr, policy, &rrr_table),
    {0},
};

const WwType scheduler_rrr_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.rrr",
    .doc = "Strict round robin: only the warp whose turn it is issues.",
    .family = "scheduler",
    .size = sizeof(Rrr),
    .params = rrr_params,
    .ports = rrr_ports,
    .reset = rrr_reset,
};
