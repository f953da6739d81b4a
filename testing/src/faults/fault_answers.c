/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.readdresses`, `fault.unanswered`, `fault.misroutes`, `fault.inactive`: pass on memory transactions, each once, but not as they should.
 *
 *     in -> [ memory ] -> out              requests come back as answers
 *     in[] -> [ network ] -> out[slice]    says whether something is inside
 */
#include "types.h"

#include <ports/ctas.h>
#include <ports/tokens.h>

#define HEAD(what, doc_)                                                                           \
    .abi = WW_ABI_VERSION, .name = "fault." #what, .doc = doc_, .family = "std",                   \
    .flags = WW_TYPE_FAULTY, .conserves = WW_CONSERVES_ONE

/* ---- memories ---------------------------------------------------------------------------------------------------- */

typedef struct Memory {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort out;
    /* statistics */
    uint64_t answered;
} Memory;

static WwRest answer(Memory *m, uint64_t flip, bool response)
{
    while (ww_fifo_ready(&m->in) && ww_fifo_room(&m->out)) {
        WwMemReq *req = ww_token_mem(ww_fifo_take(&m->in));
        req->addr ^= flip;
        req->response = response;
        m->answered++;
        ww_fifo_put(&m->out, ww_token_of(req));
    }
    return WW_SLEEP;
}

static WwRest readdress(void *self)
{
    return answer(self, 64, true);
}

static WwRest leave_unanswered(void *self)
{
    return answer(self, 0, false);
}

static const WwPortRow memory_ports[] = {
    WW_PORT_IN(Memory, in, &ww_contract_mem_request, 1, "requests"),
    WW_PORT_OUT(Memory, out, &ww_contract_mem_response, 1, "answers"),
    {0},
};

static const WwStatRow memory_stats[] = {
    WW_COUNTER(Memory, answered, "requests", "requests answered"),
    {0},
};

#define MEMORY(what, doc_, tick_)                                                                  \
    static const WwEntryRow what##_entries[] = {                                                   \
        {.name = "answer", .phase = "core", .tick = tick_, .doc = "answers requests"}, {0}};       \
    const WwType fault_##what##_type = {                                                           \
        HEAD(what, doc_),      .size = sizeof(Memory),    .ports = memory_ports,                   \
        .stats = memory_stats, .entries = what##_entries,                                          \
    }

MEMORY(readdresses, "Answers each request with another address.", readdress);
MEMORY(unanswered, "Gives requests back without saying that they are answers.", leave_unanswered);

/* ---- networks ---------------------------------------------------------------------------------------------------- */

enum { NODES = 4 };

typedef struct Network {
    WwComponent base;
    /* ports */
    WwProvided activity;
    WwPort in[NODES], out[NODES];
    uint32_t n_in, n_out;
    /* statistics */
    uint64_t packets;
} Network;

/* Every @p every-th packet goes to the node behind its own; 0: none does. */
static WwRest route(Network *n, uint32_t every)
{
    bool moved = false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        if (!ww_fifo_ready(&n->in[i])) {
            continue;
        }
        uint32_t to = ww_token_mem(ww_fifo_peek(&n->in[i]))->at.slice;
        to = (to + (every != 0 && n->packets % every == every - 1)) % n->n_out;
        if (ww_fifo_room(&n->out[to])) {
            ww_fifo_put(&n->out[to], ww_fifo_take(&n->in[i]));
            n->packets++;
            moved = true;
        }
    }
    return moved ? WW_AGAIN : WW_SLEEP;
}

static WwRest misroute(void *self)
{
    return route(self, 64);
}

static WwRest route_rightly(void *self)
{
    return route(self, 0);
}

static bool is_active(void *self)
{
    const Network *n = self;
    uint64_t held = 0;
    for (uint32_t i = 0; i < n->n_in; i++) {
        held += ww_fifo_length(&n->in[i]);
    }
    for (uint32_t i = 0; i < n->n_out; i++) {
        held += ww_fifo_length(&n->out[i]);
    }
    return held != 0;
}

static bool is_never_active(void *self)
{
    return false;
}

static WwCycle lasts(void *self, WwCycle most)
{
    return 0;
}

static uint64_t carries(void *self, const WwPortRow *row, uint32_t k)
{
    const Network *n = self;
    return ww_carried_by_any(n->in, n->n_in);
}

static void adapt(void *self, const WwPortRow *row, WwToken token, GRand *random)
{
    const Network *n = self;
    ww_token_mem(token)->at.slice = (uint16_t)g_rand_int_range(random, 0, (gint32)n->n_out);
}

static const WwStatRow network_stats[] = {
    WW_COUNTER(Network, packets, "packets", "packets passed on"),
    {0},
};

#define NETWORK(what, doc_, tick_, active_)                                                        \
    static const WwActivityIf what##_table = {.active = active_, .lasts = lasts};                  \
    static const WwPortRow what##_ports[] = {                                                      \
        WW_PORT_ARRAY(Network, in, WW_IN, &ww_contract_mem_request, 1, NULL, "requests"),          \
        WW_PORT_ARRAY(Network, out, WW_OUT, &ww_contract_mem_request, 1, NULL, "one a slice"),     \
        WW_PORT_PROVIDES(Network, activity, &ww_contract_activity, &what##_table,                  \
                         "says whether packets are inside"),                                       \
        {0}};                                                                                      \
    static const WwEntryRow what##_entries[] = {                                                   \
        {.name = "route", .phase = "core", .tick = tick_, .doc = "passes packets on"}, {0}};       \
    const WwType fault_##what##_type = {                                                           \
        HEAD(what, doc_),       .size = sizeof(Network),   .ports = what##_ports,                  \
        .stats = network_stats, .entries = what##_entries, .carries = carries,                     \
        .adapt = adapt,                                                                            \
    }

NETWORK(misroutes, "Brings some packets to another node.", misroute, is_active);
NETWORK(inactive, "Says that nothing is inside whatever is.", route_rightly, is_never_active);
