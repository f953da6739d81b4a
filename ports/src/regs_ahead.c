/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that come into a register_set when they are due, without a turn of their writer: who may send them, and what happens when somebody
 * wants to see each of them come. Sending and arriving are inline in register_set.h.
 *
 * Which register an instruction gets is seen by nobody but a tap, so that is worked out when one is set: the reader has left
 * all registers empty, and the writers fill them in the order of their turns.
 */
#include "regs_ahead-priv.h"

#define SENT 8u /* room to begin with */

static WwRegsAhead *ahead_of(WwRegisterSet *s)
{
    if (s->ahead == NULL) {
        s->ahead = ww_alloc(s, sizeof *s->ahead);
        s->ahead->sent = ww_alloc(s, ww_ring_init(&s->ahead->ring, SENT) * sizeof *s->ahead->sent);
    }
    return s->ahead;
}

const WwRegsAhead *ww_regs_sends(const WwPort *out, bool in_order)
{
    WwRegsAhead *a = ahead_of(out->peer);
    a->senders += in_order;
    return a;
}

void ww_regs_drains(const WwPort *in)
{
    ahead_of(in->peer)->drained = true;
}

WW_COLD void ww_regs_grow_sent(WwRegisterSet *s)
{
    s->ahead->sent = ww_ring_grow(&s->ahead->ring, s, s->ahead->sent, sizeof *s->ahead->sent);
}

/* The place of writer @p i in a tick, or -1 when it is not always the same, or not comparable with those of the others. */
static int32_t place_of(const WwRegisterSet *s, uint32_t i)
{
    const void *first, *block;
    ww_place_in_turn(&s->ch.writer[0].wake, &first);
    int32_t place = ww_place_in_turn(&s->ch.writer[i].wake, &block);
    return block == first ? place : -1;
}

/* Have all of them turns in the same block, always in the same order? */
static bool in_order(const WwRegisterSet *s)
{
    const void *first, *block;
    if (ww_place_in_turn(&s->ch.writer[0].wake, &first) < 0) {
        return false;
    }
    for (uint32_t i = 1; i < s->ch.n_writers; i++) {
        if (ww_place_in_turn(&s->ch.writer[i].wake, &block) < 0 || block != first) {
            return false;
        }
    }
    return ww_place_in_turn(&s->read, &block) >= 0 && block == first;
}

void ww_regs_reset_ahead(WwRegisterSet *s)
{
    WwRegsAhead *a = s->ahead;
    bool may = s->one && a->drained && a->senders == s->ch.n_writers && !s->private &&
               !s->ch.same && !s->tapped;
    a->until = may && in_order(s) ? WW_NEVER : 0;
    ww_ring_clear(&a->ring);
}

WW_COLD void ww_regs_stop_ahead(WwRegisterSet *s, WwCycle from)
{
    WwRegsAhead *a = s->ahead;
    a->until = from;
    while (a->ring.n != 0 && a->sent[ww_ring_slot(&a->ring, a->ring.n - 1)].due >= from) {
        a->ring.n--;
    }
    for (uint32_t i = 0; i < s->ch.n_writers; i++) {
        ww_wake(&s->ch.writer[i].wake);
    }
}

/* Number of the instruction that was put first, of the @p n oldest that are on their way. */
static uint32_t first_put(const WwRegisterSet *s, uint32_t n)
{
    const WwRegsAhead *a = s->ahead;
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++) {
        const WwRegsSent *one = &a->sent[ww_ring_slot(&a->ring, i)],
                         *other = &a->sent[ww_ring_slot(&a->ring, best)];
        if (one->due == other->due && place_of(s, one->writer) < place_of(s, other->writer)) {
            best = i;
        }
    }
    return best;
}

uint32_t ww_regs_arriving(const WwRegisterSet *s)
{
    const WwRegsAhead *a = s->ahead;
    uint32_t n = 0;
    while (a != NULL && n < a->ring.n &&
           a->sent[ww_ring_slot(&a->ring, n)].due < s->ch.base.domain->cycle) {
        n++;
    }
    return n;
}

void ww_regs_arrive_in_order(WwRegisterSet *s)
{
    WwRegsAhead *a = s->ahead;
    uint32_t n = ww_regs_arriving(s);
    if (n != 0) {
        ww_wake(&s->read); /* which has its turn in the next tick in any case */
    }
    for (; n != 0 && s->full != s->all; n--) {
        uint32_t i = first_put(s, n);
        int slot = __builtin_ctzll(~s->full);
        s->full |= 1ull << slot;
        s->reg[slot] = a->sent[ww_ring_slot(&a->ring, i)].inst;
        for (; i != 0; i--) {
            a->sent[ww_ring_slot(&a->ring, i)] = a->sent[ww_ring_slot(&a->ring, i - 1)];
        }
        ww_ring_take(&a->ring);
    }
}
