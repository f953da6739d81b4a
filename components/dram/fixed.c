/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory channel of fixed latency and bandwidth, for studies of what stands above it.
 *
 *   request[] ──one each `interval` cycles──> [ latency cycles ] ──> response[]
 *
 * Slices take turns. A request taken in cycle c is answered in cycle c + latency of the channel's
 * own clock, in order; write-backs end there. When a slice has no room for the head everything
 * behind waits, and no more than latency / interval + 1 requests are inside.
 */
#include "front-priv.h"
#include "types.h"
#include <ports/events.h>

enum { LOG_RETURN, LOG_END };
static const WwEventRow fixed_events[] = {
    [LOG_RETURN] = {"return", "warp", "a response leaves for its slice", {&ww_field_request}},
    [LOG_END] = {"end", "warp", "a write that nobody waits for is done", {&ww_field_request}},
    {0},
};

typedef struct Fixed {
    WwComponent base;
    /* parameters */
    uint32_t latency, interval;
    /* ports */
    WwPort request[MAX_SLICES], response[MAX_SLICES];
    uint32_t n_request, n_response;
    /* state */
    DelayQueue inside;
    uint32_t places;
    uint32_t next;   /* Slice looked at first. */
    WwCycle free_at; /* Cycle in which the next request may be taken. */
    /* statistics */
    uint64_t reads, writes, write_backs;
} Fixed;

static inline const WwPort *out_of(const Fixed *d, const WwMemReq *req)
{
    return &d->response[req->at.slice % d->n_response];
}

static bool late(const Fixed *d, WwCycle now)
{
    return d->inside.ring.n != 0 && delay_queue_first(&d->inside)->ready <= now;
}

static bool can_leave(const Fixed *d)
{
    const WwMemReq *req = delay_queue_first(&d->inside)->req;
    return front_ends_here(req) || ww_fifo_room(out_of(d, req));
}

static void answer(Fixed *d)
{
    WwMemReq *req = delay_queue_take(&d->inside);
    if (front_ends_here(req)) {
        d->write_backs++;
        WW_LOG(d, &fixed_events[LOG_END], req->warp, WW_PART(req));
        ww_mem_release(req);
        return;
    }
    *(req->write ? &d->writes : &d->reads) += 1;
    req->response = true;
    WW_LOG(d, &fixed_events[LOG_RETURN], req->warp, WW_PART(req));
    ww_fifo_put(out_of(d, req), (WwToken)(uintptr_t)req);
}

/* The slice whose turn it is, or -1. */
static int waiting_slice(const Fixed *d)
{
    for (uint32_t i = 0; i < d->n_request; i++) {
        uint32_t s = (d->next + i) % d->n_request;
        if (ww_fifo_ready(&d->request[s])) {
            return (int)s;
        }
    }
    return -1;
}

static void take(Fixed *d, WwCycle now)
{
    int s = waiting_slice(d);
    if (s >= 0) {
        delay_queue_put(&d->inside, (WwMemReq *)(uintptr_t)ww_fifo_take(&d->request[s]),
                        now + d->latency);
        d->next = (uint32_t)s + 1;
        d->free_at = now + d->interval;
    }
}

static WwRest fixed_cycle(void *self)
{
    Fixed *d = self;
    WwCycle now = ww_now(d), wake = WW_NEVER;
    if (late(d, now) && can_leave(d)) {
        answer(d);
    }
    if (now >= d->free_at && d->inside.ring.n < d->places) {
        take(d, now);
    }
    if (d->inside.ring.n < d->places && waiting_slice(d) >= 0) {
        wake = MAX(d->free_at, now + 1);
    }
    if (d->inside.ring.n != 0 && (!late(d, now) || can_leave(d))) {
        wake = MIN(wake, MAX(delay_queue_first(&d->inside)->ready, now + 1));
    }
    return wake == WW_NEVER ? WW_SLEEP : wake - now;
}

static bool fixed_init(void *self, GError **error)
{
    Fixed *d = self;
    if (d->n_request != d->n_response) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u request and %u response ports are bound; expected as many", d->n_request,
                       d->n_response);
    }
    d->places = d->latency / d->interval + 1;
    delay_queue_init(&d->inside, d);
    return true;
}

static void fixed_reset(void *self)
{
    Fixed *d = self;
    ww_ring_clear(&d->inside.ring);
    d->next = 0;
    d->free_at = 0;
}

static void fixed_explain(void *self, WwExplain *explain)
{
    Fixed *d = self;
    delay_queue_explain(&d->inside, explain);
    if (late(d, ww_now(d))) {
        const WwFifo *out = out_of(d, delay_queue_first(&d->inside)->req)->peer;
        ww_explain_waits(explain, out->ch.reader->who, "the response at the head finds no room");
    }
}

static void fixed_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Fixed *d = self;
    ((WwMemReq *)(uintptr_t)token)->at.slice =
        (uint32_t)g_rand_int_range(random, 0, (gint32)d->n_response);
}

static const WwParamRow fixed_params[] = {
    WW_UINT(Fixed, latency, "cycles", "100", 1, 65536,
            "cycles of its own clock from request to response"),
    WW_UINT(Fixed, interval, "cycles", "1", 1, 1024, "cycles between two requests"),
    {0},
};

static const WwPortRow fixed_ports[] = {
    WW_PORT_ARRAY(Fixed, request, WW_IN, &ww_contract_dram_request, 1, NULL, "one per L2 slice"),
    WW_PORT_ARRAY(Fixed, response, WW_OUT, &ww_contract_dram_response, 1, NULL, "one per L2 slice"),
    {0},
};

static const WwStatRow fixed_stats[] = {
    WW_COUNTER(Fixed, reads, "requests", "reads answered"),
    WW_COUNTER(Fixed, writes, "requests", "writes answered"),
    WW_COUNTER(Fixed, write_backs, "requests", "write-backs accepted"),
    {0},
};

static const WwEntryRow fixed_entries[] = {
    {.name = "dram",
     .phase = "dram",
     .tick = fixed_cycle,
     .doc = "sends responses that are due, accepts a request"},
    {0},
};

const WwType dram_fixed_type = {
    .abi = WW_ABI_VERSION,
    .name = "dram.fixed",
    .doc = "Memory channel with fixed latency and bandwidth.",
    .family = "dram",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fixed),
    .events = fixed_events,
    .params = fixed_params,
    .ports = fixed_ports,
    .stats = fixed_stats,
    .entries = fixed_entries,
    .init = fixed_init,
    .reset = fixed_reset,
    .adapt = fixed_adapt,
    .explain = fixed_explain,
};
