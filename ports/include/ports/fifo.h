/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Channel `fifo`: a queue with capacity and back-pressure; optionally a latency in edges of the reader's domain.
 *
 * Without latency the reader runs before the writers of the same phase (a token put is seen in the next tick) unless `same` is
 * set (the writer goes first, the token is seen in this tick). With latency n >= 1 a token put at edge c of the reader's domain
 * is visible from edge c + n and no order is imposed. `depth = 0` is unbounded.
 */
#pragma once

#include <warpwright/component.h>
#include <warpwright/ring.h>

/** Tokens held inside the channel itself; a longer ring is allocated. */
#define WW_FIFO_INLINE 4u

/** What is not as in the plainest of queues; whoever puts or takes looks at all of it at once. */
enum {
    WW_FIFO_SPAN =
        1u << 0, /**< Writers and reader are of different partitions: it keeps times of tokens. */
    WW_FIFO_WEIGHED = 1u << 1,  /**< ww_fifo_weigh(): so does it. */
    WW_FIFO_LATE = 1u << 2,     /**< Tokens are visible when they are due. */
    WW_FIFO_TAPPED = 1u << 3,   /**< ch.tap is there. */
    WW_FIFO_REFUSING = 1u << 4, /**< There is something in `refused`. */
    WW_FIFO_LAGS =
        1u << 5, /**< Of a span: its reader may be ahead of its writers, see ww_fifo_lag(). */
    WW_FIFO_TIMED = WW_FIFO_SPAN | WW_FIFO_WEIGHED,
};

/** A token, and its time. */
typedef struct WwFifoSlot {
    WwToken token;
    WwCycle due; /**< With a latency: when it is visible; else, with a gauge: when it was put. */
} WwFifoSlot;

/**
 * Room by size, for a reader whose tokens have sizes: it sets one in its reset() (ww_fifo_measure()), and keeps what it has taken
 * and still holds in it. Then the gauge decides about room, not the depth.
 */
typedef struct WwFifoGauge {
    uint32_t unit;     /**< Bytes; a token takes whole units, one at least. */
    uint32_t capacity; /**< Units. */
    const char *name;  /**< The reader's parameter that says the capacity: for an error. */
    uint32_t held;     /**< Units that the reader took out and has not done with. */
    uint32_t (*bytes)(WwToken token); /**< Of a token in the queue. */
} WwFifoGauge;

/**
 * Kept when reader and writers are of different partitions, which in a window have different times, and for writers that want to know how
 * long tokens stay: ww_fifo_weigh().
 */
typedef struct WwFifoTimes {
    WwTurns writer, reader;
    uint8_t *touched; /**< Set when a token is put: the kernel asks for room again. */
    uint8_t *mark;    /**< The same, for the reader: ww_fifo_mark_puts(). */
    uint64_t
        stay; /**< Turns of the writer that tokens stayed: those over at a take, and one, less those over at a put. */
    uint32_t seen; /**< Tokens from the head on that are known to be visible; there may be more. */
    uint32_t puts; /**< Of all writers at an edge, at most; 0: not asked yet. */
} WwFifoTimes;

/** Of a queue without a latency an operation touches two cache lines: a sparse tick is bound by cache misses. */
typedef struct WwFifo {
    WwChannel ch;
    /* first line */
    _Alignas(64) WwFifoSlot *slot;
    WwRing ring; /**< Which slots are used. */
    uint32_t
        limit; /**< depth, or UINT32_MAX when unbounded; 0 when the gauge decides; less what the writers do not know to be free */
    WwWake read;      /**< The reader's wake. */
    uint64_t puts;    /**< Statistic: tokens that went through. */
    uint32_t longest; /**< The same as `most`, where it is looked at. */
    uint8_t how;      /**< WW_FIFO_SPAN and the like. */
    /* second line */
    WwFifoSlot few[WW_FIFO_INLINE];
    /* third line */
    const WwDomain *clock;    /**< The reader's, which times of tokens are of. */
    uint64_t window;          /**< Of a span: in which the reader was told last. */
    uint64_t refused;         /**< Writers to wake when a slot is freed, by ww_writer_bit(). */
    const WwFifoGauge *gauge; /**< NULL: tokens have no size. */
    WwFifoTimes times;        /**< Fourth line: if it is WW_FIFO_TIMED. */
    struct WwFifo *outbox;   /**< Of a span: where writers put while the reader runs beside them, */
    struct WwFifoBack *back; /**< and what it gave back while it was ahead. */
    uint32_t depth;          /**< Parameter: capacity in tokens; 0: unbounded. */
    uint8_t nobody;          /**< What is marked where nobody asks for it. */
    uint64_t most;           /**< Statistic: longest length reached. */
} WwFifo;

/** The channel type `fifo`. */
WW_API extern const WwType ww_fifo_type;

/** Out of line: grows an unbounded ring. */
WW_API void ww_fifo_grow(WwFifo *fifo);

/** Out of line: what the gauge says of a token of @p bytes. One that would not fit into an empty queue ends the run with an error. */
WW_API bool ww_fifo_fits(const WwFifo *fifo, uint32_t bytes);

/** For a reader, in its reset(): from now on @p gauge decides about room. */
WW_API void ww_fifo_measure(const WwPort *in, const WwFifoGauge *gauge);

/** For a reader that measures: a time that orders the head among those of other queues whose writers have the same clock. */
static inline WwCycle ww_fifo_put_at(const WwPort *in)
{
    const WwFifo *f = in->peer;
    return f->slot[ww_ring_first(&f->ring)].due;
}

/** For the only writer: its @p i-th oldest token that was not taken becomes @p token (another of its own). */
WW_API void ww_fifo_replace(const WwPort *out, uint32_t i, WwToken token);

/** Out of line: ww_fifo_put() into any queue. */
WW_API void ww_fifo_put_oddly(const WwPort *out, WwToken token);
/** Out of line: visible tokens, of a queue whose writers may be far ahead. */
WW_API uint32_t ww_fifo_see(WwFifo *fifo);
/** Out of line: ww_fifo_take() of a queue that is not plain, or has refused somebody. */
WW_API WwToken ww_fifo_take_oddly(WwFifo *fifo);
/** Out of line: wakes the writers that were refused. */
WW_API void ww_fifo_wake_refused(WwFifo *fifo);
/** Out of line: there seems to be no room. True: there is by the writer's time; else it is remembered. */
WW_API bool ww_fifo_find_room(WwFifo *fifo, uint64_t writer);
/** Out of line: is every place taken? */
WW_API bool ww_fifo_really_full(WwFifo *fifo);

/** For a writer, in its reset(): from now on ww_fifo_stays() can be asked. */
WW_API void ww_fifo_weigh(const WwPort *out);
/**
 * For a writer that is the only one: the lengths of the queue that it would have seen after each of its turns, summed; what it puts in a turn
 * stands in the queue then. Between ticks.
 */
WW_API uint64_t ww_fifo_stays(const WwPort *out);

/**
 * For a reader of many queues, in its reset(): *@p mark becomes 1 when a token is put here, visible or not yet, and ww_fifo_waited() can
 * be asked. False: this channel does not keep times, as between partitions; nothing is marked.
 */
WW_API bool ww_fifo_mark_puts(const WwPort *in, uint8_t *mark);
/** For a reader that marks: the edge from which on the head is visible; there must be one. Asked for, it wakes nobody. */
static inline WwCycle ww_fifo_due(const WwPort *in)
{
    const WwFifo *f = in->peer;
    return f->slot[ww_ring_first(&f->ring)].due;
}
/** For a reader that marks, at edge @p now: edges for which the head was visible and not taken. */
static inline WwCycle ww_fifo_waited(const WwPort *in, WwCycle now)
{
    return now - ww_fifo_due(in);
}
/** The same of all tokens that were visible before edge @p now, summed. Between ticks. */
WW_API uint64_t ww_fifo_waits(const WwPort *in, WwCycle now);

/**
 * Is there room for a token of @p bytes? Only a reader that measures looks at the size. A refusal is remembered and wakes the
 * writer when a slot is freed.
 */
static inline bool ww_fifo_room_for(const WwPort *out, uint32_t bytes)
{
    WwFifo *f = out->peer;
    if (f->ring.n < f->limit || (f->gauge != NULL && ww_fifo_fits(f, bytes))) {
        return true;
    }
    return ww_fifo_find_room(f, ww_writer_bit(out));
}

/** Is there room for a token (of the smallest size)? A refusal is remembered as above. */
static inline bool ww_fifo_room(const WwPort *out)
{
    return ww_fifo_room_for(out, 1);
}

/** Appends a token; there must be room (a put without it ends the run). */
static inline void ww_fifo_put(const WwPort *out, WwToken token)
{
    WwFifo *f = out->peer;
    if (G_UNLIKELY((f->how & (WW_FIFO_TIMED | WW_FIFO_LATE | WW_FIFO_TAPPED)) != 0 ||
                   f->ring.n >= f->limit || ww_ring_full(&f->ring))) {
        ww_fifo_put_oddly(out, token);
        return;
    }
    f->slot[ww_ring_put(&f->ring)].token = token;
    f->puts++;
    if (f->ring.n > f->longest) {
        f->most = f->longest = f->ring.n;
    }
    ww_wake(&f->read);
}

/** Is a token visible? With a latency, a token still on its way arranges the wake for when it arrives. */
static inline bool ww_fifo_ready(const WwPort *in)
{
    const WwFifo *f = in->peer;
    if (f->ring.n == 0) {
        return false;
    }
    if (!(f->how & WW_FIFO_LATE) || ww_fifo_due(in) <= f->clock->cycle) {
        return true;
    }
    ww_wake_at(&f->read, ww_fifo_due(in));
    return false;
}

/** Is every place taken? For statistics and explanations: unlike ww_fifo_room() it wakes nobody later. */
static inline bool ww_fifo_full(const WwPort *port)
{
    WwFifo *f = port->peer;
    return f->ring.n >= f->limit && (!(f->how & WW_FIFO_LAGS) || ww_fifo_really_full(f));
}

/** Tokens in the queue, visible or not. */
static inline uint32_t ww_fifo_length(const WwPort *port)
{
    return ((const WwFifo *)port->peer)->ring.n;
}

/** Visible tokens: what a component may count or decide by, unlike its length, which sees those on their way. */
static inline uint32_t ww_fifo_visible(const WwPort *in)
{
    WwFifo *f = in->peer;
    uint32_t n = f->ring.n;
    if (n == 0 || !(f->how & WW_FIFO_LATE)) {
        return n;
    }
    if (f->how & WW_FIFO_SPAN) {
        return ww_fifo_see(f);
    }
    while (n != 0 && f->slot[ww_ring_slot(&f->ring, n - 1)].due > f->clock->cycle) {
        n--; /* due in order */
    }
    return n;
}

/** The head; a token must be visible. */
static inline WwToken ww_fifo_peek(const WwPort *in)
{
    const WwFifo *f = in->peer;
    return f->slot[ww_ring_first(&f->ring)].token;
}

/**
 * The host fetches what the first @p n tokens, which are pointers, point to: of a queue between partitions it was last seen in another one, so a
 * reader that will look into them soon says so first. Changes nothing.
 */
static inline void ww_fifo_host_fetch(const WwPort *in, uint32_t n)
{
    const WwFifo *f = in->peer;
    n = MIN(n, f->ring.n);
    for (uint32_t i = 0; i < n; i++) {
        ww_host_fetch((const void *)(uintptr_t)f->slot[ww_ring_slot(&f->ring, i)].token);
    }
}

/** Wakes the writers that were refused: a slot is free, or a reader that measures has done with some units. */
static inline void ww_fifo_freed(const WwPort *in)
{
    WwFifo *f = in->peer;
    if (f->how & WW_FIFO_REFUSING) {
        ww_fifo_wake_refused(f);
    }
}

/** Removes the head and wakes the writers that were refused. */
static inline WwToken ww_fifo_take(const WwPort *in)
{
    WwFifo *f = in->peer;
    if (G_UNLIKELY((f->how & (WW_FIFO_TIMED | WW_FIFO_TAPPED | WW_FIFO_REFUSING)) != 0)) {
        return ww_fifo_take_oddly(f);
    }
    WwToken token = ww_fifo_peek(in);
    ww_ring_take(&f->ring);
    return token;
}
