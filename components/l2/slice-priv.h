/* SPDX-License-Identifier: Apache-2.0 */
/** @file State of an L2 slice, shared by its two files: the cycle, and the arrival of packets. */
#pragma once

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/req_pool.h>
#include <warpwright/event.h>
#include <warpwright/past.h>
#include <warpwright/ring.h>

enum { SECTORS = 4 };
enum { ROP_ENTRIES = 32 }; /* To begin with. */

/*
 * Requests with the core cycle in which they are ready; grows to what is used, then allocates no
 * more.
 */
typedef struct RopEntry {
    WwMemReq *req;
    WwCycle ready;
} RopEntry;

typedef struct SliceQueue {
    WwMemReq **req;
    WwRing ring;
    uint32_t depth; /* How many it takes. */
} SliceQueue;

/* In the order in which arrivals, then the cycle and replies look at it, for the sake of the host's cache. */
typedef struct Slice {
    WwComponent base;
    bool rop_counts, texture_rop, parts_reach_back, rop_in_core_cycles; /* parameters */
    uint32_t rop_latency;
    const WwDomain *accept_core, *accept_l2; /* Both clocks as who takes packets counts them. */
    const WwDomain *accept_rop_clock;
    RopEntry *rop;
    WwRing rop_ring;
    bool missed;               /* The cache has a completed miss. */
    bool closed;               /* After the last cycle: takes no packet. */
    bool refused;              /* The cache refuses the oldest request until something happens. */
    bool flushing;             /* Each core cycle from flush_from on ends with a flush. */
    bool lockstep;             /* The L2's clock and the core's fire together. */
    bool may_be_late;          /* What leaves the ROP delay may be found in the cycle after, */
    bool late;                 /* and is going to be. */
    const WwCacheFacts *facts; /* Of the cache; NULL: there is none. */
    WwPort request, arrivals;
    WwPast was_closed; /* For who takes packets, which may be behind. */
    uint64_t
        inside; /* Requests taken in and not answered; write-backs only until the cache has them. */
    uint64_t awaited; /* Of these, those that a warp waits for. */
    uint32_t replies_an_edge;
    bool slower;                                   /* Its clock is no faster than the core's. */
    uint64_t accepted, icnt2mem_sum, icnt2mem_max; /* statistics */
    uint64_t icnt2mem_table[WW_LOG2_CLASSES];
    /* the cycle */
    _Alignas(64) SliceQueue in, out; /* icnt-to-L2, L2-to-icnt. */
    WwDomain *core;
    const WwDomain *rop_clock; /* Whose cycles the ROP delay counts. */
    WwPort cache, to_dram, from_dram, reply;
    uint64_t installed;              /* Sectors that memcpys brought: added to the cache's time. */
    uint64_t stall_dramfull;         /* statistic */
    uint64_t replies, stall_icnt2sh; /* statistics */
    WwWake wake_l2, wake_reply, wake_accept;
    bool reply_blocked;
    bool texture_only; /* parameter */
    /* the rest */
    uint32_t icnt_to_l2, l2_to_icnt, flush; /* parameters */
    WwPort address_map;
    WwProvided control, activity;
    WwCycle flush_from,
        used; /* Core cycles over when the cache was last used: later ones have emptied it. */
    WwEvent rop_due;          /* In core cycles, when they differ from the L2's. */
    WwReqPool parts;          /* Of packets: made here, given back by whoever they were for. */
    uint64_t splits, dropped; /* statistics */
} Slice;

/* slice_activity.c */
extern const WwActivityIf slice_activity_table;

/* Cycles completed of the clock that the ROP delay counts. */
static inline WwCycle slice_rop_time(const Slice *s)
{
    return s->rop_clock->cycle;
}

static inline void slice_queue_put(SliceQueue *q, WwMemReq *req)
{
    q->req[ww_ring_put(&q->ring)] = req;
}

static inline WwMemReq *slice_queue_first(const SliceQueue *q)
{
    return q->req[ww_ring_first(&q->ring)];
}

static inline WwMemReq *slice_queue_take(SliceQueue *q)
{
    return q->req[ww_ring_take(&q->ring)];
}

static inline bool slice_queue_full(const SliceQueue *q)
{
    return q->ring.n >= q->depth;
}

/*
 * What leaves the ROP delay while nothing waits for the cache does nothing else in that cycle, and nobody can tell: the slice sleeps
 * through it and finds it in the next one. Not where it could close the slice.
 */
static inline bool slice_sleeps_late(Slice *s)
{
    return s->late = s->may_be_late && s->in.ring.n == 0;
}

/* Makes up for it at @p time, before anything is put behind it or looks at it. */
static inline void slice_wake_late(Slice *s, WwCycle time)
{
    const RopEntry *e = &s->rop[ww_ring_first(&s->rop_ring)];
    s->late = false;
    if (e->ready < time) {
        ww_ring_take(&s->rop_ring);
        slice_queue_put(&s->in, e->req);
    }
}

/* Does the slice take no packet: could all parts of one find no room? */
static inline bool slice_closed(const Slice *s)
{
    uint32_t inside = s->in.ring.n + (s->rop_counts ? s->rop_ring.n : 0);
    return inside + SECTORS - 1 >= s->in.depth;
}

/* An entry point: takes at most one packet from the network, cut in sectors, into the ROP queue. */
WwRest slice_accept(void *self);
/* The first request of the ROP delay will be ready at @p ready: wakes the slice for it. */
void slice_expect(Slice *s, WwCycle ready);

/* Kinds of events. */
enum { LOG_ARRIVE, LOG_SEND, LOG_REPLY, LOG_DROP };
extern const WwEventRow slice_events[];
