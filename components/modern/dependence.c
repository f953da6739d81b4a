/* SPDX-License-Identifier: Apache-2.0 */
/* What the types of family `dependence` have in common. */
#include "dependence-priv.h"

/* ---- wakes --------------------------------------------------------------------------------- */

static const WwWake *wake_of(const DependenceWakes *w, const WwProvided *dependence, int32_t rank,
                             uint32_t warp)
{
    uint32_t n = ww_provided_count(dependence, rank);
    const WwClient *who = n != 0 ? ww_provided_client(dependence, rank, warp % n) : NULL;
    return who != NULL ? &who->wake : &w->none;
}

void dependence_wakes_gather(DependenceWakes *w, const WwProvided *dependence)
{
    w->none = ww_wake_none();
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        w->check[i] = wake_of(w, dependence, WW_DEPENDENCE_CHECK, i);
        w->retire[i] = wake_of(w, dependence, WW_DEPENDENCE_RETIRE, i);
    }
}

void dependence_wake(const DependenceWakes *w, uint32_t warp)
{
    ww_wake(w->check[warp]);
    ww_wake(w->retire[warp]);
}

void dependence_wake_next(const DependenceWakes *w, uint32_t warp, WwCycle now)
{
    ww_wake_at(w->check[warp], now + 1);
    ww_wake_at(w->retire[warp], now + 1);
}

/* ---- as a scoreboard ----------------------------------------------------------------------- */

const WwHazardView *dependence_hazard_view(void *self)
{
    static const WwHazardView nothing;
    return &nothing;
}

void dependence_hazard_seen(void *self, uint64_t warps) {}

bool dependence_hazard_no(void *self, uint32_t warp, const WwSinst *s)
{
    return false;
}

void dependence_hazard_reserve(void *self, const WwInst *inst) {}

void dependence_hazard_release(void *self, uint32_t warp, uint32_t reg) {}
