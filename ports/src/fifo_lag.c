/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fifo between partitions whose reader may be ahead of its writers in a window, as they may be ahead of it. What writers see is by their time:
 * a place is free once the turn of the reader that took its token is over. All is counted in turns of the reader.
 */
#include "fifo-priv.h"

enum { FEW = 8 };

/* A token that the reader took, and the writers do not know of. */
typedef struct Given {
    WwCycle turn; /* Of the reader. */
    WwCycle wake; /* The first edge of the writers that sees it. */
} Given;

typedef struct WwFifoBack {
    WwRing ring;
    Given *given;    /* In the order of time. */
    uint32_t takes;  /* Of the reader at an edge, at most; */
    bool known, can; /* whether that is known, and whether there is place for as many and more. */
} WwFifoBack;

void ww_fifo_add_back(WwFifo *f)
{
    f->back = ww_alloc(f, sizeof *f->back);
    f->back->given = ww_alloc(f, ww_ring_init(&f->back->ring, FEW) * sizeof(Given));
}

void ww_fifo_reset_back(WwFifo *f)
{
    ww_ring_clear(&f->back->ring);
    f->back->known = false;
    f->how &= (uint8_t)~WW_FIFO_LAGS;
    f->limit = f->depth != 0 ? f->depth : UINT32_MAX;
}

/* Turns of the reader that are over by the time of the writers, who have their turn. */
static inline WwCycle writers_see(const WwFifo *f)
{
    const WwFifoTimes *t = &f->times;
    return ww_turns_over(t->writer.partition, t->reader.domain, t->reader.phase);
}

/* Those that it had. */
static inline WwCycle reader_had(const WwFifo *f)
{
    const WwTurns *r = &f->times.reader;
    return ww_turns_over(r->partition, r->domain, r->phase);
}

bool ww_fifo_reader_came(const WwFifo *f)
{
    return writers_see(f) <= reader_had(f);
}

/* All writers have their turns in the same phase; those without one put when nothing runs. */
static bool have_one_turn(const WwFifo *f)
{
    const WwTurns *first = &f->times.writer;
    for (uint32_t i = 1; i < f->ch.n_writers; i++) {
        WwTurns t = ww_turns_of(&f->ch.writer[i].wake, f);
        if (t.domain != first->domain || t.phase != first->phase) {
            return false;
        }
    }
    return true;
}

/* A reader that may take all that is there would have to be held in each of its turns. */
static void find_takes(WwFifo *f)
{
    const WwClient *r = f->ch.reader;
    WwFifoBack *b = f->back;
    b->takes = ww_turns_an_edge(&r->wake) * r->moves;
    b->can = r->moves != 0 && have_one_turn(f) && f->depth > (uint64_t)b->takes + ww_fifo_puts(f);
    b->known = true;
}

bool ww_fifo_lag(void *self, bool on)
{
    WwFifo *f = self;
    WwFifoBack *b = f->back;
    if (!b->known) {
        find_takes(f);
    }
    if (!b->can) {
        return false;
    }
    if (on) {
        f->how |= WW_FIFO_LAGS;
    } else {
        f->how &= (uint8_t)~WW_FIFO_LAGS;
        f->limit = f->depth;
        ww_ring_clear(&b->ring);
    }
    return true;
}

bool ww_fifo_spare(const void *self)
{
    const WwFifo *f = self;
    return f->ring.n > f->back->takes;
}

/* Writers of @p mask, by ww_writer_bit(), are to have a turn at edge @p edge. */
static void wake_writers_at(const WwFifo *f, uint64_t mask, WwCycle edge)
{
    for (uint32_t i = 0; mask != 0 && i < f->ch.n_writers; i++) {
        if (mask >> MIN(i, 63u) & 1u) {
            ww_wake_at(&f->ch.writer[i].wake, edge);
        }
    }
}

void ww_fifo_give_back(WwFifo *f)
{
    WwFifoBack *b = f->back;
    const WwTurns *r = &f->times.reader, *w = &f->times.writer;
    const uint32_t left = f->ring.n - 1;
    if (G_UNLIKELY(ww_ring_full(&b->ring))) {
        b->given = ww_ring_grow(&b->ring, f, b->given, sizeof *b->given);
    }
    Given given = {f->clock->cycle, ww_turns_over(r->partition, w->domain, w->phase)};
    b->given[ww_ring_put(&b->ring)] = given;
    f->limit--;
    wake_writers_at(f, f->refused, given.wake);
    f->refused = 0;
    f->how &= (uint8_t)~WW_FIFO_REFUSING;
    if (left <= b->takes && ww_await_writers(r->partition, w->partition, w->phase < r->phase) &&
        left == 0) {
        ww_fifo_fail(
            f,
            "a component of another partition takes more tokens in a turn than it says; "
            "expected as many as ww_takes_a_turn() was told, or --no-windows"); /* see ww_fifo_spare() */
    }
}

bool ww_fifo_regain(WwFifo *f)
{
    WwFifoBack *b = f->back;
    WwCycle seen = writers_see(f);
    while (b->ring.n != 0 && b->given[ww_ring_first(&b->ring)].turn < seen) {
        ww_ring_take(&b->ring);
        f->limit++;
    }
    return f->ring.n < f->limit;
}

bool ww_fifo_wake_later(WwFifo *f, uint64_t writer)
{
    const WwFifoBack *b = f->back;
    if (b->ring.n == 0) {
        return false;
    }
    wake_writers_at(f, writer, b->given[ww_ring_first(&b->ring)].wake);
    return true;
}

/* A reader that is ahead has tokens, so it goes on by itself; how long the queue is by the writers' time is known. Else it will find that out. */
void ww_fifo_tell_lagging(WwFifo *f, WwCycle due)
{
    if (due < reader_had(f)) {
        ww_fifo_regain(f);
        ww_fifo_was_long(f, f->ring.n + f->back->ring.n);
    } else if (f->ring.n == 1) {
        ww_wake_at(&f->read, due);
    }
}
