/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster's side of the reply network: takes at most one packet a cycle out of the network into a fifo of its own, and hands at most one on to an
 * SM: data responses to the SM's LD/ST unit (its response fifo is the bound channel), instruction lines to its instruction cache. The head that
 * finds no room blocks the rest. SMs are numbered through, cluster by cluster: SM s is member s - f of the cluster whose first SM is f. That one
 * is asked for its number (port `first`); who does not bind it says that all clusters hold as many SMs, and s mod n is the same.
 *
 * With `direct` bound, memory is perfect: what its SMs send waits there and comes back as a response, without a network between.
 *
 * Order: hand over first, then take: what was taken in cycle c is handed over in c + 1 at the earliest.
 */
#include "types.h"

#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/latency.h>
#include <ports/tokens.h>
#include <ports/traffic.h>

enum { LOG_RECEIVE, LOG_RESPONSE };
static const WwEventRow port_events[] = {
    [LOG_RECEIVE] = {"receive", "warp", "a packet is taken from the network", {&ww_field_request}},
    [LOG_RESPONSE] = {"response", "warp", "it is passed on to its SM", {&ww_field_request}},
    {0},
};

typedef struct ClusterPort {
    WwComponent base;
    /* state */
    WwToken *held; /* At most `depth`, */
    WwRing ring;   /* in order. */
    /* parameters */
    uint32_t depth; /* Packets in the fifo. */
    bool constants_with_code;
    /* ports */
    uint32_t n_data, n_inst;
    WwPort net, direct, latency, first;
    const WwCtaView *first_sm; /* What `first` shows; its number is there before any answer is. */
    WwPort data[WW_MAX_CLUSTER_SMS], inst[WW_MAX_CLUSTER_SMS];
    /* statistics */
    uint64_t blocked;
    uint64_t latency_sum, latency_max, responses;
    uint64_t reply_sum, reply_max;
    uint64_t latency_table[WW_LOG2_CLASSES], reply_table[WW_LOG2_CLASSES];
    uint64_t traffic[WW_N_TRAFFIC];
} ClusterPort;

/* Is it for the SM's cache of instructions? */
static inline bool is_code(const ClusterPort *c, const WwMemReq *req)
{
    return req->type == WW_ACCESS_INST_R ||
           (c->constants_with_code && req->type == WW_ACCESS_CONST_R);
}

/* Data responses only: what goes to the cache of instructions is left out of these figures, as the reference does. */
static void measure(ClusterPort *c, const WwMemReq *req)
{
    WwCycle now = ww_now(c);
    uint32_t whole = ww_mem_since(req->birth, now), reply = ww_mem_since(req->stamp, now);
    c->responses++;
    c->latency_sum += whole;
    c->latency_max = MAX(c->latency_max, whole);
    c->latency_table[ww_log2_class(whole)]++;
    c->reply_sum += reply;
    c->reply_max = MAX(c->reply_max, reply);
    c->reply_table[ww_log2_class(reply)]++;
    if (WW_BOUND(&c->latency)) {
        WW_LATENCY(&c->latency)->handed(c->latency.peer, req, whole, now);
    }
}

/* Which of its SMs @p req is for. */
static inline uint32_t member(const ClusterPort *c, const WwMemReq *req)
{
    uint32_t first = c->first_sm != NULL ? c->first_sm->sm : 0;
    return c->n_data == 1 ? 0 : (req->sm - first) % c->n_data;
}

/* Has the SM that @p req is for room for it? */
static bool room(ClusterPort *c, const WwMemReq *req, const WwPort **to)
{
    uint32_t sm = member(c, req);
    *to = is_code(c, req) ? &c->inst[sm] : &c->data[sm];
    bool free = ww_fifo_room(*to);
    c->blocked += !free;
    return free;
}

/* Hands @p req on to its SM, at @p to. */
static void hand_over(ClusterPort *c, WwMemReq *req, const WwPort *to)
{
    if (!is_code(c, req)) {
        measure(c, req);
    }
    WW_LOG(c, &port_events[LOG_RESPONSE], req->warp, WW_PART(req));
    ww_fifo_put(to, (WwToken)(uintptr_t)req);
}

/* Hands the first of those that came through the network on. */
static void pass(ClusterPort *c)
{
    WwMemReq *req = (WwMemReq *)(uintptr_t)c->held[ww_ring_first(&c->ring)];
    const WwPort *to;
    if (room(c, req, &to)) {
        ww_ring_take(&c->ring);
        hand_over(c, req, to);
    }
}

/*
 * A request is its own response, as if it had left the memory in cycle 0; nobody waits for what an
 * L1 wrote back. Until it is taken it stays as its SM put it.
 */
static void answer(ClusterPort *c)
{
    const WwMemReq *head = (const WwMemReq *)(uintptr_t)ww_fifo_peek(&c->direct);
    const WwPort *to;
    if (head->type == WW_ACCESS_L1_WRBK) {
        ww_mem_release((WwMemReq *)(uintptr_t)ww_fifo_take(&c->direct));
    } else if (room(c, head, &to)) {
        WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_take(&c->direct);
        req->stamp = 0;
        req->response = true;
        hand_over(c, req, to);
    }
}

static WwRest intake(void *self)
{
    ClusterPort *c = self;
    bool direct = WW_BOUND(&c->direct) && ww_fifo_ready(&c->direct);
    if (c->ring.n != 0) {
        pass(c);
    } else if (direct) {
        answer(c);
    }
    if (c->ring.n < c->depth && ww_fifo_ready(&c->net)) {
        WwToken token = ww_fifo_take(&c->net);
        const WwMemReq *req = ww_token_mem(token);
        ww_fifo_host_fetch(&c->net, 2); /* with several threads the next ones are far away */
        ww_host_fetch(&req->owner);     /* for its owner, who takes it in the next cycle */
        c->traffic[ww_traffic_entry(req, true)]++;
        WW_LOG(c, &port_events[LOG_RECEIVE], ww_token_mem(token)->warp, token);
        c->held[ww_ring_put(&c->ring)] = token;
    }
    direct = direct && ww_fifo_ready(&c->direct);
    return c->ring.n != 0 || direct || ww_fifo_ready(&c->net) ? WW_AGAIN : WW_SLEEP;
}

static bool port_init(void *self, GError **error)
{
    ClusterPort *c = self;
    if (c->constants_with_code && c->n_inst == 0) {
        return ww_fail(
            error, WW_ERROR_WIRING,
            "constants_with_code, and no SM takes instructions; expected a wire from inst");
    }
    if (c->n_inst != 0 && c->n_inst != c->n_data) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u SMs take data and %u take instructions; expected as many, or none",
                       c->n_data, c->n_inst);
    }
    c->held = ww_alloc(c, ww_ring_init(&c->ring, c->depth) * sizeof *c->held);
    return true;
}

static void port_reset(void *self)
{
    ClusterPort *c = self;
    ww_ring_clear(&c->ring);
    c->first_sm = WW_BOUND(&c->first) ? WW_CTAS(&c->first)->view(c->first.peer) : NULL;
}

static uint64_t port_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const ClusterPort *)self)->net);
}

static void port_explain(void *self, WwExplain *explain)
{
    ClusterPort *c = self;
    for (uint32_t i = 0; i < c->ring.n; i++) {
        ww_explain_holds_req(explain,
                             (const WwMemReq *)(uintptr_t)c->held[ww_ring_slot(&c->ring, i)]);
    }
    if (c->ring.n != 0) {
        const WwMemReq *req = (const WwMemReq *)(uintptr_t)c->held[ww_ring_first(&c->ring)];
        const WwFifo *f = (is_code(c, req) ? c->inst : c->data)[member(c, req)].peer;
        ww_explain_waits(explain, f->ch.reader->who,
                         "the response at its head has no room in the SM");
    }
}

static void port_adapt(void *self, const WwPortRow *row, WwToken token, GRand *random)
{
    const ClusterPort *c = self;
    WwMemReq *req = (WwMemReq *)(uintptr_t)token;
    req->sm = (uint16_t)g_rand_int_range(random, 0, 64);
    req->response = row->contract == &ww_contract_mem_response;
    if (req->type == WW_ACCESS_L1_WRBK) {
        req->type = WW_ACCESS_GLOBAL_W;
    }
    if (c->n_inst != 0 && g_rand_int_range(random, 0, 4) == 0) {
        req->type = WW_ACCESS_INST_R;
        req->write = false;
    }
}

static const WwParamRow port_params[] = {
    WW_UINT(ClusterPort, depth, "entries", "8", 1, 1 << 16, "packets the cluster can hold"),
    WW_BOOL(ClusterPort, constants_with_code, "false",
            "constants go to the instruction cache of their SM, which also holds constants (modern "
            "SMs)"),
    {0},
};

static const WwPortRow port_ports[] = {
    WW_PORT_IN(ClusterPort, net, &ww_contract_mem_response, 1,
               "output buffer of the reply network"),
    WW_PORT_IN(ClusterPort, direct, &ww_contract_mem_request, 0,
               "requests of the SMs that are answered at once; unbound: they use the network"),
    WW_PORT_ARRAY(ClusterPort, data, WW_OUT, &ww_contract_mem_response, 1, NULL,
                  "LD/ST unit of each SM"),
    WW_PORT_ARRAY(ClusterPort, inst, WW_OUT, &ww_contract_mem_response, 0, NULL,
                  "instruction cache of each SM"),
    WW_PORT_REQUIRES(ClusterPort, latency, &ww_contract_latency, 0, NULL,
                     "told of every data response delivered"),
    WW_PORT_REQUIRES(ClusterPort, first, &ww_contract_ctas, 0, NULL,
                     "the first of its SMs, whose number gives those of the others; unbound: all "
                     "clusters hold the same number of SMs"),
    {0},
};

static const char *const traffic_labels[] = {WW_TRAFFIC_LABELS};
static const WwStatRow port_stats[] = {
    WW_VECTOR(ClusterPort, traffic, "packets", traffic_labels,
              "packets taken from the network, by access type and bytes"),
    WW_COUNTER(ClusterPort, responses, "requests", "data responses delivered"),
    WW_COUNTER(ClusterPort, latency_sum, "cycles", "cycles from creation to delivery, summed"),
    WW_MAXIMUM(ClusterPort, latency_max, "cycles", "maximum from creation to delivery"),
    WW_HISTOGRAM(ClusterPort, latency_table, "requests",
                 "requests by cycles from creation to delivery"),
    WW_COUNTER(ClusterPort, reply_sum, "cycles",
               "cycles from the reply network to delivery, summed"),
    WW_MAXIMUM(ClusterPort, reply_max, "cycles", "maximum from the reply network to delivery"),
    WW_HISTOGRAM(ClusterPort, reply_table, "requests",
                 "requests by cycles from the reply network to delivery"),
    WW_COUNTER(ClusterPort, blocked, "cycles",
               "cycles in which the SM had no room for the head packet"),
    {0},
};

static const WwEntryRow port_entries[] = {
    {.name = "intake", .phase = "intake", .tick = intake, .doc = "passes one packet on, takes one"},
    {0},
};

const WwType cluster_port_type = {
    .abi = WW_ABI_VERSION,
    .name = "cluster_port",
    .doc = "A cluster's end of the reply network: per cycle, one packet in and one on to an SM.",
    .family = "interconnect",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(ClusterPort),
    .events = port_events,
    .params = port_params,
    .ports = port_ports,
    .stats = port_stats,
    .entries = port_entries,
    .init = port_init,
    .reset = port_reset,
    .adapt = port_adapt,
    .explain = port_explain,
    .carries = port_carries,
};
