/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several requesters behind one port of the memory: their requests go one way, and each answer goes back to who asked.
 *
 *     in[requester] -> [ in turn ] -> out ... memory ... replies -> [ by way ] -> to[requester]
 *
 * A requester is all that puts into one channel and takes from another: an LD/ST unit with the L1D that it owns, say. Requests take turns, the requester behind
 * the one that was served last first; the one whose turn it is waits for room, and the others with it. The request itself carries by which way it
 * came (ww_mem_went()), so that an answer finds back whoever made it, and parts of a split one, too. The answer at the head that finds no room in its requester
 * blocks the rest.
 *
 * Nothing is held inside. Answers have a turn of their own: so in a cycle they may come before the requesters and requests after them, and
 * with channels that say `same` the way takes no cycle more than a wire.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/tokens.h>
#include <ports/traffic.h>
#include <string.h>

enum { ROUTER_MAX = 16 }; /* requesters */
enum { ENTRY_FORWARD, ENTRY_RETURN, N_ENTRIES };

enum { LOG_FORWARD, LOG_RETURN };
static const WwEventRow router_events[] = {
    [LOG_FORWARD] = {"forward", "warp", "a request goes on to memory", {&ww_field_request}},
    [LOG_RETURN] = {"return", "warp", "a response returns to its requester", {&ww_field_request}},
    {0},
};

typedef struct ReplyRouter {
    WwComponent base;
    /* parameters */
    uint32_t bandwidth;
    /* ports */
    WwPort in[ROUTER_MAX], to[ROUTER_MAX];
    uint32_t n_in, n_to;
    WwPort out, replies;
    /* state */
    uint32_t turn;           /* The requester that is asked first. */
    bool blocked[N_ENTRIES]; /* Something is there, and has no room. */
    /* statistics */
    uint64_t forwarded, returned;
    uint64_t waited[N_ENTRIES];
} ReplyRouter;

/* ---- requests ------------------------------------------------------------------------------ */

/* The first requester from `turn` on that has a request; n_in: none. */
static uint32_t asking(const ReplyRouter *r)
{
    for (uint32_t i = 0; i < r->n_in; i++) {
        uint32_t k = (r->turn + i) % r->n_in;
        if (ww_fifo_ready(&r->in[k])) {
            return k;
        }
    }
    return r->n_in;
}

WW_COLD static void too_many_ways(ReplyRouter *r)
{
    g_autofree char *path = ww_path(r);
    ww_fail_run(r, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: a request came through so many routers that more than %u "
                               "requesters are to be told apart; expected fewer",
                               path, WW_MEM_WAYS));
}

static void forward(ReplyRouter *r, uint32_t k)
{
    WwMemReq *req = ww_token_mem(ww_fifo_take(&r->in[k]));
    if (G_UNLIKELY(!ww_mem_went(req, k, r->n_in))) {
        too_many_ways(r);
    }
    r->turn = k + 1 == r->n_in ? 0 : k + 1;
    r->forwarded++;
    WW_LOG(r, &router_events[LOG_FORWARD], req->warp, WW_PART(req));
    ww_fifo_put(&r->out, ww_token_of(req));
}

/* Notes that what is at a head has no room; whoever makes it wakes. */
static WwRest wait_for_room(ReplyRouter *r, uint32_t entry)
{
    r->blocked[entry] = true;
    r->waited[entry]++;
    return WW_SLEEP;
}

static WwRest router_forward(void *self)
{
    ReplyRouter *r = self;
    r->blocked[ENTRY_FORWARD] = false;
    uint32_t k = asking(r);
    for (uint32_t n = 0; n < r->bandwidth && k < r->n_in; n++) {
        const WwMemReq *head = ww_token_mem(ww_fifo_peek(&r->in[k]));
        if (!ww_fifo_room_for(&r->out, ww_packet_bytes(head, false))) {
            return wait_for_room(r, ENTRY_FORWARD);
        }
        forward(r, k);
        k = asking(r);
    }
    return k < r->n_in ? WW_AGAIN : WW_SLEEP;
}

/* ---- answers ------------------------------------------------------------------------------- */

static WwRest router_return(void *self)
{
    ReplyRouter *r = self;
    r->blocked[ENTRY_RETURN] = false;
    for (uint32_t n = 0; n < r->bandwidth && ww_fifo_ready(&r->replies); n++) {
        WwMemReq *req = ww_token_mem(ww_fifo_peek(&r->replies));
        const WwPort *to = &r->to[ww_mem_way(req, r->n_to)];
        if (!ww_fifo_room(to)) {
            return wait_for_room(r, ENTRY_RETURN);
        }
        ww_fifo_take(&r->replies);
        ww_mem_back(req, r->n_to);
        r->returned++;
        WW_LOG(r, &router_events[LOG_RETURN], req->warp, WW_PART(req));
        ww_fifo_put(to, ww_token_of(req));
    }
    return ww_fifo_ready(&r->replies) ? WW_AGAIN : WW_SLEEP;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void router_settle(void *self, uint32_t entry, uint64_t n)
{
    ReplyRouter *r = self;
    r->waited[entry] += r->blocked[entry] ? n : 0;
}

static bool router_init(void *self, GError **error)
{
    const ReplyRouter *r = self;
    if (r->n_in != r->n_to) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u ports `in` are bound and %u ports `to`; expected both of each requester",
                       r->n_in, r->n_to);
    }
    return true;
}

static void router_reset(void *self)
{
    ReplyRouter *r = self;
    r->turn = 0;
    memset(r->blocked, 0, sizeof r->blocked);
    ww_puts_a_turn(&r->out, r->bandwidth);
    for (uint32_t k = 0; k < r->n_to; k++) {
        ww_puts_a_turn(&r->to[k], r->bandwidth);
    }
}

/* Answers are what comes back; of requests nothing is known. */
static uint64_t router_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return row->contract == &ww_contract_mem_response
               ? ww_carried(&((const ReplyRouter *)self)->replies)
               : 0;
}

static void router_explain(void *self, WwExplain *explain)
{
    const ReplyRouter *r = self;
    if (r->blocked[ENTRY_FORWARD]) {
        ww_explain_waits(explain, r->out.peer, "a request waits for room towards memory");
    }
    if (r->blocked[ENTRY_RETURN]) {
        const WwMemReq *head = ww_token_mem(ww_fifo_peek(&r->replies));
        uint32_t k = ww_mem_way(head, r->n_to);
        ww_explain_waits(explain, r->to[k].peer, "the answer at the head waits for requester %u",
                         k);
    }
}

/* A random answer is for any of the requesters. */
static void router_adapt(void *self, const WwPortRow *row, WwToken token, GRand *random)
{
    const ReplyRouter *r = self;
    if (row->contract == &ww_contract_mem_response) {
        WwMemReq *req = ww_token_mem(token);
        req->response = true;
        ww_mem_went(req, (uint32_t)g_rand_int_range(random, 0, (gint32)r->n_to), r->n_to);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow router_params[] = {
    WW_UINT(ReplyRouter, bandwidth, "", "1", 1, 64,
            "requests passed on, and responses returned, per cycle"),
    {0},
};

static const WwPortRow router_ports[] = {
    WW_PORT_ARRAY_AT(ReplyRouter, in, WW_IN, &ww_contract_mem_request, 1, "forward",
                     "requests of each requester"),
    {.name = "out",
     .role = WW_OUT,
     .contract = &ww_contract_mem_request,
     .min = 1,
     .max = 1,
     .entry = "forward",
     .doc = "all requests, to memory",
     .offset = WW_FIELD(ReplyRouter, out, WwPort)},
    {.name = "replies",
     .role = WW_IN,
     .contract = &ww_contract_mem_response,
     .min = 1,
     .max = 1,
     .entry = "return",
     .doc = "responses from memory",
     .offset = WW_FIELD(ReplyRouter, replies, WwPort)},
    WW_PORT_ARRAY_AT(ReplyRouter, to, WW_OUT, &ww_contract_mem_response, 1, "return",
                     "responses to each requester, in the order of `in`"),
    {0},
};

static const WwStatRow router_stats[] = {
    WW_COUNTER(ReplyRouter, forwarded, "requests", "requests passed on to memory"),
    WW_COUNTER(ReplyRouter, returned, "requests", "responses returned"),
    WW_COUNTER_AT(ReplyRouter, waited[ENTRY_FORWARD], "out_full", "cycles",
                  "cycles in which there was no room for a request to memory"),
    WW_COUNTER_AT(ReplyRouter, waited[ENTRY_RETURN], "to_full", "cycles",
                  "cycles in which its requester had no room for the first response"),
    {0},
};

static const WwEntryRow router_entries[] = {
    [ENTRY_FORWARD] = {.name = "forward",
                       .phase = "core",
                       .tick = router_forward,
                       .doc = "passes requests on, requesters taking turns"},
    [ENTRY_RETURN] = {.name = "return",
                      .phase = "core",
                      .tick = router_return,
                      .doc = "returns responses"},
    {0},
};

const WwType reply_router_type = {
    .abi = WW_ABI_VERSION,
    .name = "reply_router",
    .doc = "Several requesters share one port of the memory; responses return to the requester.",
    .family = "interconnect",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(ReplyRouter),
    .events = router_events,
    .params = router_params,
    .ports = router_ports,
    .stats = router_stats,
    .entries = router_entries,
    .init = router_init,
    .reset = router_reset,
    .settle = router_settle,
    .adapt = router_adapt,
    .explain = router_explain,
    .carries = router_carries,
};
