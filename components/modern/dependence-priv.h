/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the types of family `dependence` have in common: whom they wake, and what they say to the warp pool, which tells of instructions that end and takes them for a
 * scoreboard.
 */
#pragma once

#include <ports/hazards.h>
#include <ports/sub_core.h>

typedef struct DependenceWakes {
    const WwWake *check[WW_MAX_WARPS]; /* by warp: its issue stage */
    WwWake none;
} DependenceWakes;

/* In reset(). */
void dependence_wakes_gather(DependenceWakes *w, const WwProvided *dependence);
/* Something that @p warp may wait for has changed: in this cycle, or seen from the next one on. */
void dependence_wake(const DependenceWakes *w, uint32_t warp);
void dependence_wake_next(const DependenceWakes *w, uint32_t warp, WwCycle now);

/* Has @p inst data from global, local or texture memory, or takes its sources there? */
static inline bool dependence_is_long(const WwInst *inst)
{
    const WwTiming *t = inst->timing;
    return t->unit == WW_UNIT_MEM && ((t->flags & WW_TAKES_TEXTURE) != 0 ||
                                      t->space == WW_SPACE_GLOBAL || t->space == WW_SPACE_LOCAL);
}

/* A scoreboard where nothing ever collides. */
const WwHazardView *dependence_hazard_view(void *self);
void dependence_hazard_seen(void *self, uint64_t warps);
bool dependence_hazard_no(void *self, uint32_t warp, const WwSinst *s);
void dependence_hazard_reserve(void *self, const WwInst *inst);
void dependence_hazard_release(void *self, uint32_t warp, uint32_t reg);

/* Its table: @p written_ is told of what ends. */
#define DEPENDENCE_HAZARDS(written_)                                                               \
    {                                                                                              \
        .view = dependence_hazard_view, .seen = dependence_hazard_seen,                            \
        .collides = dependence_hazard_no, .waits_long = dependence_hazard_no,                      \
        .reserve = dependence_hazard_reserve, .release = dependence_hazard_release,                \
        .release_all = written_, .collides_long = dependence_hazard_no,                            \
    }
