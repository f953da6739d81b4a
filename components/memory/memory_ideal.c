/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory that never misses, for tests and studies of an SM alone.
 *
 *     req -> [ latency cycles, in order ] -> resp, inst
 *
 * A request taken in cycle c is answered in cycle c + latency, up to `bandwidth` requests and as
 * many answers a cycle; loads and atomics come back with data, stores as an acknowledgement.
 * Instruction lines, and constants, which a modern SM has in the same cache, leave through `inst`, where it is bound. When `resp` is full the answers wait in
 * order, those for `inst` behind it, too, and requests are taken until latency x bandwidth of them
 * (and one cycle's more) are inside. It runs twice a request: when it comes and when it is due.
 *
 * With a requester in the same phase, one of the two channels needs a latency of its own: neither
 * end can run first for both.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/tokens.h>

enum { LOG_ARRIVE, LOG_REPLY };
static const WwEventRow ideal_events[] = {
    [LOG_ARRIVE] = {"arrive", "warp", "a request is accepted", {&ww_field_request}},
    [LOG_REPLY] = {"reply", "warp", "its response leaves", {&ww_field_request}},
    {0},
};

typedef struct Answer {
    WwMemReq *req;
    WwCycle due;
} Answer;

typedef struct Ideal {
    WwComponent base;
    /* parameters */
    uint32_t latency;
    uint32_t bandwidth;
    /* ports */
    WwPort req;
    WwPort resp, inst;
    /* state */
    Answer *inside; /* At most `places`, */
    WwRing ring;    /* in order of arrival and of due. */
    uint32_t places;
    /* statistics */
    uint64_t n_read, n_write, n_atomic;
    uint64_t bytes;
    uint64_t blocked;
} Ideal;

/* Is an answer due, and cannot leave? */
static inline bool late(const Ideal *m, WwCycle now)
{
    return m->ring.n != 0 && m->inside[ww_ring_first(&m->ring)].due <= now;
}

/* Where the oldest answer leaves; there must be one. */
static inline const WwPort *way_out(const Ideal *m)
{
    uint32_t type = m->inside[ww_ring_first(&m->ring)].req->type;
    bool code = type == WW_ACCESS_INST_R || type == WW_ACCESS_CONST_R;
    return code && WW_BOUND(&m->inst) ? &m->inst : &m->resp;
}

static void answer(Ideal *m)
{
    for (uint32_t k = 0; k < m->bandwidth && late(m, ww_now(m)); k++) {
        const WwPort *out = way_out(m);
        if (!ww_fifo_room(out)) {
            m->blocked++;
            return;
        }
        WwMemReq *r = m->inside[ww_ring_take(&m->ring)].req;
        r->response = true;
        WW_LOG(m, &ideal_events[LOG_REPLY], r->warp, WW_PART(r));
        ww_fifo_put(out, (WwToken)(uintptr_t)r);
    }
}

static void count(Ideal *m, const WwMemReq *r)
{
    if (r->write) {
        m->n_write++;
    } else if (r->atomic) {
        m->n_atomic++;
    } else {
        m->n_read++;
    }
    m->bytes += r->size;
}

static void take(Ideal *m)
{
    for (uint32_t k = 0; k < m->bandwidth && m->ring.n < m->places && ww_fifo_ready(&m->req); k++) {
        WwMemReq *r = ww_token_mem(ww_fifo_take(&m->req));
        m->inside[ww_ring_put(&m->ring)] = (Answer){r, ww_now(m) + m->latency};
        WW_LOG(m, &ideal_events[LOG_ARRIVE], r->warp, WW_PART(r));
        count(m, r);
    }
}

static WwRest ideal_serve(void *self)
{
    Ideal *m = self;
    WwCycle now = ww_now(m);
    answer(m);
    take(m);
    bool more = m->ring.n < m->places && ww_fifo_ready(&m->req);
    if (more) {
        return WW_AGAIN;
    }
    if (m->ring.n == 0 || (late(m, now) && !ww_fifo_room(way_out(m)))) {
        return WW_SLEEP; /* a request or a freed slot wakes it */
    }
    return late(m, now) ? WW_AGAIN : m->inside[ww_ring_first(&m->ring)].due - now;
}

/* Slept cycles in which an answer was due: it had no room. */
static void ideal_settle(void *self, uint32_t entry, uint64_t n)
{
    Ideal *m = self;
    if (m->ring.n == 0) {
        return;
    }
    WwCycle now = ww_now(m), due = m->inside[ww_ring_first(&m->ring)].due;
    if (due < now) {
        m->blocked += MIN(n, now - due);
    }
}

static bool ideal_init(void *self, GError **error)
{
    Ideal *m = self;
    m->places = (m->latency + 1) * m->bandwidth;
    m->inside = ww_alloc(m, ww_ring_init(&m->ring, m->places) * sizeof *m->inside);
    return true;
}

static void ideal_reset(void *self)
{
    Ideal *m = self;
    ww_ring_clear(&m->ring);
}

static void ideal_explain(void *self, WwExplain *explain)
{
    Ideal *m = self;
    for (uint32_t i = 0; i < m->ring.n; i++) {
        ww_explain_holds_req(explain, m->inside[ww_ring_slot(&m->ring, i)].req);
    }
    if (late(m, ww_now(m)) && !ww_fifo_room(way_out(m))) {
        ww_explain_waits(explain, way_out(m)->peer, "%u %s for room", m->ring.n,
                         WW_PLURAL(m->ring.n, "answer waits", "answers wait"));
    }
}

static const WwParamRow ideal_params[] = {
    WW_UINT(Ideal, latency, "cycles", "100", 1, 10000, "from request to response"),
    WW_UINT(Ideal, bandwidth, "", "1", 1, 64, "requests accepted, and responses sent, per cycle"),
    {0},
};

static const WwPortRow ideal_ports[] = {
    WW_PORT_IN(Ideal, req, &ww_contract_mem_request, 1, "requests"),
    WW_PORT_OUT(Ideal, resp, &ww_contract_mem_response, 1,
                "the same requests as responses, in order"),
    WW_PORT_OUT(Ideal, inst, &ww_contract_mem_response, 0,
                "instruction lines and constants; unbound: with the others"),
    {0},
};

static const WwStatRow ideal_stats[] = {
    WW_COUNTER(Ideal, n_read, "requests", "reads accepted"),
    WW_COUNTER(Ideal, n_write, "requests", "writes accepted"),
    WW_COUNTER(Ideal, n_atomic, "requests", "atomics accepted"),
    WW_COUNTER(Ideal, bytes, "bytes", "bytes of the requests accepted"),
    WW_COUNTER(Ideal, blocked, "cycles", "cycles a response was due but had no room"),
    {0},
};

static const WwEntryRow ideal_entries[] = {
    {.name = "serve",
     .phase = "core",
     .tick = ideal_serve,
     .doc = "sends responses that are due, accepts requests"},
    {0},
};

const WwType memory_ideal_type = {
    .abi = WW_ABI_VERSION,
    .name = "memory.ideal",
    .doc = "A memory with fixed latency and bandwidth that never misses.",
    .family = "memory",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Ideal),
    .events = ideal_events,
    .params = ideal_params,
    .ports = ideal_ports,
    .stats = ideal_stats,
    .entries = ideal_entries,
    .init = ideal_init,
    .reset = ideal_reset,
    .settle = ideal_settle,
    .explain = ideal_explain,
};
