/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The end of a memory channel that faces its L2 slices, shared by the channel models.
 *
 *   slice 0 ──request[0]──\ one a cycle,  latency queue
 *   slice 1 ──request[1]──/ by credits  ──(core cycles)──> model ──> response[]
 *
 * A slice may send when it has something, its response queue is not full and it has credit: one
 * private credit each, beyond it a pool that is as large as what the model can hold. The slice
 * after the one served last goes first; a full model stops the turn of the first that could send.
 * The latency counts completed cycles of the core, whatever the channel's own clock.
 */
#pragma once

#include <ports/tokens.h>
#include <string.h>
#include <warpwright/event.h>
#include <warpwright/ring.h>

enum { MAX_SLICES = 32 };
G_STATIC_ASSERT(MAX_SLICES <= 32); /* Front.private_out */

typedef struct Delayed {
    WwMemReq *req;
    WwCycle ready; /* Core cycles completed. */
} Delayed;

/* Requests in order of arrival, any number of them. */
typedef struct DelayQueue {
    Delayed *at;
    WwRing ring;
    void *owner;
} DelayQueue;

typedef struct Front {
    const WwPort *request, *response;
    uint32_t slices;
    uint32_t last;        /* Slice served last. */
    uint32_t private_out; /* Mask of slices whose private credit is out. */
    uint32_t shared_out, shared_limit;
    bool limited;
    bool lockstep; /* The channel's clock and the core's fire together. */
    uint32_t latency;
    DelayQueue waiting;
    WwDomain *core;
    const WwDomain *delay; /* Whose cycles the latency counts. */
    WwMachine *machine;
    WwWake wake;
    WwEvent due; /* In core cycles, when they differ from the channel's. */
} Front;

/* For init: an empty queue of component @p owner. */
void delay_queue_init(DelayQueue *q, void *owner);
/* Requests of @p q are held. */
void delay_queue_explain(const DelayQueue *q, WwExplain *explain);

static inline void delay_queue_put(DelayQueue *q, WwMemReq *req, WwCycle ready)
{
    if (G_UNLIKELY(ww_ring_full(&q->ring))) {
        q->at = ww_ring_grow(&q->ring, q->owner, q->at, sizeof *q->at);
    }
    q->at[ww_ring_put(&q->ring)] = (Delayed){req, ready};
}

/* The oldest; there must be one. */
static inline const Delayed *delay_queue_first(const DelayQueue *q)
{
    return &q->at[ww_ring_first(&q->ring)];
}

static inline WwMemReq *delay_queue_take(DelayQueue *q)
{
    return q->at[ww_ring_take(&q->ring)].req;
}

/*
 * Binds the front to its component; @p in_core_cycles: what the latency counts, else cycles of its own clock; @p limit: shared credits, 0 none but the private ones,
 * UINT32_MAX no limit.
 */
bool front_init(Front *f, void *self, const WwPort *request, uint32_t n_request,
                const WwPort *response, uint32_t n_response, uint32_t latency, bool in_core_cycles,
                uint32_t limit, GError **error);
void front_reset(Front *f, void *self);
/* Says what requests wait for. */
void front_explain(const Front *f, WwExplain *explain);
/* Test traffic: a request of one of the slices bound. */
void front_adapt(const Front *f, WwToken token, GRand *random);

/* Core cycles completed. */
static inline WwCycle front_time(const Front *f)
{
    return f->core->cycle;
}

static inline uint32_t front_slice(const Front *f, const WwMemReq *req)
{
    return req->at.slice % f->slices;
}

static inline void front_return_credit(Front *f, const WwMemReq *req)
{
    uint32_t s = front_slice(f, req);
    if (f->private_out >> s & 1u) {
        f->private_out &= ~(1u << s);
    } else {
        f->shared_out--;
    }
}

/* Transactions that nobody waits for end in memory. */
static inline bool front_ends_here(const WwMemReq *req)
{
    return req->type == WW_ACCESS_L1_WRBK || req->type == WW_ACCESS_L2_WRBK;
}

/*
 * The slice whose turn it is, or -1 when none can send or the model is full for what it would send.
 */
static inline int front_next(const Front *f, bool full_for_reads, bool full_for_writes)
{
    for (uint32_t i = 1; i <= f->slices; i++) {
        uint32_t s = f->last + i < f->slices ? f->last + i : f->last + i - f->slices;
        if (!ww_fifo_ready(&f->request[s]) || !ww_fifo_room(&f->response[s])) {
            continue;
        }
        if (f->limited && (f->private_out >> s & 1u) && f->shared_out >= f->shared_limit) {
            continue;
        }
        const WwMemReq *req = (const WwMemReq *)(uintptr_t)ww_fifo_peek(&f->request[s]);
        return (req->write ? full_for_writes : full_for_reads) ? -1 : (int)s;
    }
    return -1;
}

/* One request of one slice goes into the latency queue; false: none does. */
static inline bool front_arbitrate(Front *f, bool full_for_reads, bool full_for_writes)
{
    int s = front_next(f, full_for_reads, full_for_writes);
    if (s < 0) {
        return false;
    }
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_take(&f->request[s]);
    delay_queue_put(&f->waiting, req, f->delay->cycle + f->latency);
    if (f->private_out >> s & 1u) {
        f->shared_out++;
    } else {
        f->private_out |= 1u << s;
    }
    f->last = (uint32_t)s;
    return true;
}

/* Is the head of the latency queue ready? */
static inline bool front_ready(const Front *f)
{
    return f->waiting.ring.n != 0 && delay_queue_first(&f->waiting)->ready <= f->delay->cycle;
}

/*
 * For the latency queue, of which nothing is ready: edges until it is; a timer of the core's clock
 * may do instead.
 */
WwRest front_rest(Front *f);
