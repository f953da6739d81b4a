/* SPDX-License-Identifier: Apache-2.0 */
/* What an L2 slice says of the requests inside: whether there are any, and how long the warps that wait for them will wait at least. */
#include "slice-priv.h"

static bool activity_active(void *self)
{
    return ((const Slice *)self)->inside != 0;
}

/* The youngest in the ROP delay is in it until it is ready. */
static WwCycle rop_lasts(const Slice *s)
{
    for (uint32_t i = s->rop_in_core_cycles ? s->rop_ring.n : 0; i-- > 0;) {
        const RopEntry *e = &s->rop[ww_ring_slot(&s->rop_ring, i)];
        if (e->req->awaited) {
            return e->ready - MIN(e->ready, slice_rop_time(s));
        }
    }
    return 0;
}

/* One is answered in a turn: a program that waits for its memory has hundreds inside. */
static WwCycle replies_last(const Slice *s)
{
    return s->slower && s->awaited != 0 ? (s->awaited - 1) / s->replies_an_edge : 0;
}

static WwCycle activity_lasts(void *self, WwCycle most)
{
    const Slice *s = self;
    ww_assert(s->awaited <= s->inside);
    WwCycle rop = rop_lasts(s), replies = replies_last(s);
    return MIN(most, MAX(rop, replies));
}

const WwActivityIf slice_activity_table = {.active = activity_active, .lasts = activity_lasts};
