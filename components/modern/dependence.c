/* SPDX-License-Identifier: Apache-2.0 */
/* What the types of family `dependence` have in common. */
#include "dependence-priv.h"

/* ---- wakes --------------------------------------------------------------------------------- */

void dependence_wakes_gather(DependenceWakes *w, const WwProvided *dependence)
{
    w->none = ww_wake_none();
    ww_provided_wakes(dependence, WW_DEPENDENCE_CHECK, &w->none, w->check, WW_MAX_WARPS);
}

void dependence_wake(const DependenceWakes *w, uint32_t warp)
{
    ww_wake(w->check[warp]);
}

void dependence_wake_next(const DependenceWakes *w, uint32_t warp, WwCycle now)
{
    ww_wake_at(w->check[warp], now + 1);
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
