/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shift register of instructions: stage n - 1 .. 0, one step a cycle, each if the stage in front is empty; what leaves stage 0 may have to
 * wait there, and then only what stands close behind it waits, too.
 *
 * Nothing is shifted. An instruction that enters stage k in cycle c leaves stage 0 in cycle c + k + 1: kept is that cycle, no two have the
 * same. In cycle c, after the step, stage k is taken when one leaves in c + k + 1.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>
#include <warpwright/ring.h>

typedef struct StagesEntry {
    WwInst *inst;
    WwCycle leaves;
} StagesEntry;

/* Instructions for which there is room at first: most units of a run never have more. */
#define STAGES_FEW 4u

typedef struct Stages {
    StagesEntry *entry; /* Sorted: what leaves next first. */
    WwRing ring;
} Stages;

/* For init. */
static inline void stages_init(Stages *s, void *owner)
{
    s->entry = ww_alloc(owner, ww_ring_init(&s->ring, STAGES_FEW) * sizeof *s->entry);
}

static inline StagesEntry *stages_at(const Stages *s, uint32_t i)
{
    return &s->entry[ww_ring_slot(&s->ring, i)];
}

/* The cycle in which something leaves; WW_NEVER: nothing is inside. */
static inline WwCycle stages_next(const Stages *s)
{
    return s->ring.n != 0 ? stages_at(s, 0)->leaves : WW_NEVER;
}

static inline WwInst *stages_first(const Stages *s)
{
    return stages_at(s, 0)->inst;
}

/* Does one leave in cycle @p leaves? Then the stage is taken that another would have to enter. */
static inline bool stages_taken(const Stages *s, WwCycle leaves)
{
    for (uint32_t i = s->ring.n; i-- > 0 && stages_at(s, i)->leaves >= leaves;) {
        if (stages_at(s, i)->leaves == leaves) {
            return true;
        }
    }
    return false;
}

static inline void stages_put(Stages *s, void *owner, WwInst *inst, WwCycle leaves)
{
    if (G_UNLIKELY(ww_ring_full(&s->ring))) {
        s->entry = ww_ring_grow(&s->ring, owner, s->entry, sizeof *s->entry);
    }
    ww_ring_put(&s->ring);
    uint32_t at = s->ring.n - 1;
    for (; at > 0 && stages_at(s, at - 1)->leaves > leaves; at--) {
        *stages_at(s, at) = *stages_at(s, at - 1);
    }
    *stages_at(s, at) = (StagesEntry){inst, leaves};
}

static inline void stages_pop(Stages *s)
{
    ww_ring_take(&s->ring);
}

/* What would leave in cycle @p now stays, and what stands right behind it. */
static inline void stages_hold(const Stages *s, WwCycle now)
{
    for (uint32_t i = 0; i < s->ring.n && stages_at(s, i)->leaves == now + i; i++) {
        stages_at(s, i)->leaves++;
    }
}
