/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network with routers: the reference's detailed network (network_mode 1), which is BookSim 2 behind an interface of its own. Requests and
 * replies have a network each. A cycle of the network's clock:
 *
 *   1. flits that arrive at nodes go on towards their devices;      4. credits for ejected flits leave;
 *   2. packets that devices have put become flits in the queues;    5. every router does its internal cycles;
 *   3. each node sends a flit;                                      6. complete packets can be taken.
 *
 * It rests when nothing is inside: no packet to send, no flit, no credit. Packets that only wait to be taken do not keep it awake.
 */
#include "routed-priv.h"

#include <ports/ctas.h>
#include <ports/traffic.h>
#include <string.h>

static const char *const topology_names[] = {"fly", "mesh", "torus", NULL};
static const char *const routing_names[] = {"dest_tag", "dim_order", NULL};
static const char *const arbiter_names[] = {"round_robin", "matrix", NULL};
static const char *const allocator_names[] = {
    "islip", "separable_input_first", "separable_output_first", "wavefront", "rr_wavefront", "loa",
    NULL};

/* ---- a cycle --------------------------------------------------------------------------------- */

/*
 * The reference adds doubles: a sum that needs more than 53 bits is rounded, to even in the middle.
 */
uint32_t routed_internal_cycles(uint64_t *partial, uint64_t speedup)
{
    uint64_t sum = *partial + speedup;
    uint32_t drop = 63u - (uint32_t)__builtin_clzll(sum);
    drop = drop > 52 ? drop - 52 : 0;
    uint64_t half = drop != 0 ? 1ull << (drop - 1) : 0, rest = sum & ((1ull << drop) - 1);
    sum -= rest;
    if (rest > half || (rest != 0 && rest == half && (sum >> drop & 1u) != 0)) {
        sum += 1ull << drop;
    }
    *partial = sum & ((1ull << ROUTED_FRACTION) - 1);
    return (uint32_t)(sum >> ROUTED_FRACTION);
}

static bool moves(const RoutedNet *net)
{
    return (net->queued | net->flits | net->credits | net->hidden) != 0;
}

static void cycle(Routed *x, RoutedNet *net, uint32_t steps)
{
    if (!moves(net)) {
        return;
    }
    routed_nodes_receive(x, net);
    routed_nodes_inject(x, net);
    routed_nodes_retire(x, net);
    for (uint32_t r = 0; r < x->routers; r++) {
        routed_router_cycle(x, net, &net->router[r], steps);
    }
    routed_nodes_show(x, net);
}

static WwRest routed_transfer(void *self)
{
    Routed *x = self;
    routed_nodes_accept(x, &x->net[0]);
    routed_nodes_accept(x, &x->net[1]);
    uint32_t steps = routed_internal_cycles(&x->partial, x->speedup);
    cycle(x, &x->net[0], steps);
    cycle(x, &x->net[1], steps);
    x->cycles++;
    return moves(&x->net[0]) || moves(&x->net[1]) ? WW_AGAIN : WW_SLEEP;
}

static void routed_settle(void *self, uint32_t entry, uint64_t n)
{
    Routed *x = self;
    x->cycles += n;
    bool whole = ((x->speedup | x->partial) & ((1ull << ROUTED_FRACTION) - 1)) == 0;
    for (uint64_t i = 0; !whole && i < n; i++) {
        routed_internal_cycles(&x->partial, x->speedup);
    }
}

static bool routed_active(void *self)
{
    const Routed *x = self;
    for (uint32_t k = 0; k < 2; k++) {
        const RoutedNet *net = &x->net[k];
        uint64_t held = net->queued + net->flits + net->hidden;
        for (uint32_t i = 0; i < net->n_sources; i++) {
            held += ww_fifo_length(&net->in[i]);
        }
        for (uint32_t i = 0; i < net->n_sinks; i++) {
            held += ww_fifo_length(&net->out[i]);
        }
        if (held != 0) {
            return true;
        }
    }
    return false;
}

/* How long a packet takes nobody knows before. */
static WwCycle routed_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwActivityIf activity_table = {.active = routed_active, .lasts = routed_lasts};

/* ---- life ------------------------------------------------------------------------------------ */

static uint32_t request_bytes(WwToken token)
{
    return ww_packet_bytes((const WwMemReq *)(uintptr_t)token, false);
}

static uint32_t reply_bytes(WwToken token)
{
    return ww_packet_bytes((const WwMemReq *)(uintptr_t)token, true);
}

static void net_init(Routed *x, RoutedNet *net)
{
    net->router = ww_alloc(x, x->routers * sizeof *net->router);
    net->node = ww_alloc(x, x->nodes * sizeof *net->node);
    net->gauge = ww_alloc(x, net->n_sources * sizeof *net->gauge);
    uint64_t **const bits[] = {&net->to_send, &net->credits_busy, &net->arriving, &net->ejecting};
    for (size_t i = 0; i < G_N_ELEMENTS(bits); i++) {
        *bits[i] = ww_alloc(x, x->node_words * sizeof **bits[i]);
    }
    for (uint32_t r = 0; r < x->routers; r++) {
        routed_router_init(x, &net->router[r], r);
    }
    for (uint32_t n = 0; n < x->nodes; n++) {
        routed_node_init(x, &net->node[n]);
        net->node[n].source = net->node[n].sink = -1;
    }
    for (uint32_t i = 0; i < net->n_sources; i++) {
        net->node[net->node_of_source[i]].source = (int32_t)i;
    }
    for (uint32_t i = 0; i < net->n_sinks; i++) {
        net->node[net->node_of_sink[i]].sink = (int32_t)i;
    }
    routed_join(x, net);
}

static bool routed_init(void *self, GError **error)
{
    Routed *x = self;
    if (!routed_plan(x, error)) {
        return false;
    }
    x->net[0] = (RoutedNet){.in = x->request_in,
                            .out = x->request_out,
                            .n_sources = x->n_request_in,
                            .n_sinks = x->n_request_out,
                            .node_of_source = x->clusters,
                            .node_of_sink = x->slices};
    x->net[1] = (RoutedNet){.reply = true,
                            .in = x->reply_in,
                            .out = x->reply_out,
                            .n_sources = x->n_reply_in,
                            .n_sinks = x->n_reply_out,
                            .node_of_source = x->slices,
                            .node_of_sink = x->clusters};
    net_init(x, &x->net[0]);
    net_init(x, &x->net[1]);
    RoutedCount *const counts[] = {&x->sent_packets, &x->sent_flits, &x->accepted_packets,
                                   &x->accepted_flits};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        counts[i]->of = ww_alloc(x, x->nodes * sizeof *counts[i]->of);
    }
    ww_pool_init(&x->flits, x, sizeof(RoutedFlit));
    ww_pool_init(&x->packets, x, sizeof(RoutedPacket));
    ww_pool_init(&x->credits, x, sizeof(RoutedCredit));
    return true;
}

static void net_reset(Routed *x, RoutedNet *net)
{
    for (uint32_t r = 0; r < x->routers; r++) {
        routed_router_reset(x, &net->router[r]);
    }
    for (uint32_t n = 0; n < x->nodes; n++) {
        routed_node_reset(x, &net->node[n]);
    }
    uint64_t *const bits[] = {net->to_send, net->credits_busy, net->arriving, net->ejecting};
    for (size_t i = 0; i < G_N_ELEMENTS(bits); i++) {
        memset(bits[i], 0, x->node_words * sizeof *bits[i]);
    }
    for (uint32_t i = 0; i < net->n_sources; i++) {
        net->gauge[i] = (WwFifoGauge){.unit = x->flit_size,
                                      .capacity = x->input_buffer_size,
                                      .name = "input_buffer_size",
                                      .bytes = net->reply ? reply_bytes : request_bytes};
        ww_fifo_measure(&net->in[i], &net->gauge[i]);
    }
    net->queued = net->flits = net->credits = net->hidden = 0;
}

static void count_reset(const Routed *x, RoutedCount *c)
{
    memset(c->of, 0, x->nodes * sizeof *c->of);
    c->sum = 0;
    c->at_min = x->nodes;
}

static void routed_reset(void *self)
{
    Routed *x = self;
    ww_pool_reset(&x->flits);
    ww_pool_reset(&x->packets);
    ww_pool_reset(&x->credits);
    net_reset(x, &x->net[0]);
    net_reset(x, &x->net[1]);
    count_reset(x, &x->sent_packets);
    count_reset(x, &x->sent_flits);
    count_reset(x, &x->accepted_packets);
    count_reset(x, &x->accepted_flits);
    x->partial = x->serial = x->number = 0;
    x->packet.n = x->network.n = x->flit.n = x->fragmentation.n = 0;
}

/* ---- explanations, tests --------------------------------------------------------------------- */

static void explain_net(const RoutedNet *net, uint32_t nodes, WwExplain *explain)
{
    const char *what = net->reply ? "replies" : "requests";
    for (uint32_t n = 0; n < nodes; n++) {
        const RoutedNode *node = &net->node[n];
        if (node->packets_complete != 0) {
            const WwFifo *f = net->out[node->sink].peer;
            ww_explain_waits(explain, f->ch.reader->who,
                             "%u %s at node %u can be taken, and flits wait behind them",
                             node->packets_complete, what, n);
        }
    }
    if (net->flits + net->queued != 0) {
        ww_explain_note(
            explain,
            "%" G_GUINT64_FORMAT
            " packets wait to enter the network of the %s, in which there are %" G_GUINT64_FORMAT
            " flits and %" G_GUINT64_FORMAT " credits",
            net->queued, what, net->flits, net->credits);
    }
}

static uint64_t routed_carries(void *self, const WwPortRow *port, uint32_t k)
{
    (void)k; /* it may come from anywhere */
    const Routed *x = self;
    bool reply = strcmp(port->name, "reply_out") == 0;
    return reply ? ww_carried_by_any(x->reply_in, x->n_reply_in)
                 : ww_carried_by_any(x->request_in, x->n_request_in);
}

static void routed_explain(void *self, WwExplain *explain)
{
    const Routed *x = self;
    explain_net(&x->net[0], x->nodes, explain);
    explain_net(&x->net[1], x->nodes, explain);
}

/* Keeps destinations inside the bench: a generated transaction may name any node. */
static void routed_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Routed *x = self;
    WwMemReq *req = (WwMemReq *)(uintptr_t)token;
    req->at.slice = (uint32_t)g_rand_int_range(random, 0, (gint32)MAX(x->n_request_out, 1u));
    req->cluster = (uint16_t)g_rand_int_range(random, 0, (gint32)MAX(x->n_reply_out, 1u));
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow routed_params[] = {
    WW_CHOICE(Routed, topology, "fly", topology_names, "how routers are connected"),
    WW_CHOICE(Routed, routing, "dest_tag", routing_names,
              "routing of packets: dest_tag in a fly, dim_order in a mesh or torus"),
    WW_UINT(Routed, k, "", "0", 0, 4096,
            "radix: inputs of a switch, or nodes in a row; 0: the number of devices (single-stage "
            "fly)"),
    WW_UINT(Routed, n, "", "1", 1, 12, "stages, or dimensions"),
    WW_BOOL(Routed, use_noc_latency, "true",
            "links of a torus take two cycles, because they are longer"),
    WW_BOOL(
        Routed, use_map, "false",
        "memory is at the nodes of memory_node_map, clusters at the others; false: clusters first"),
    WW_LIST(Routed, memory_node_map, "", "[]", 0, 4095,
            "node of each L2 slice; empty: built in for 8 clusters and 8 slices, 28 and 8, 56 and "
            "8, 110 and 11"),
    WW_UINT(Routed, flit_size, "bytes", "32", 1, 1 << 16, "flit size"),
    WW_UINT(Routed, input_buffer_size, "entries", "9", 1, 1 << 24,
            "flits that can wait at a node to be sent"),
    WW_UINT(Routed, boundary_buffer_size, "entries", "16", 1, 1 << 24,
            "flits of a virtual channel that can wait at their destination to be taken"),
    WW_UINT(Routed, num_vcs, "", "16", 1, ROUTED_VCS, "virtual channels per link"),
    WW_UINT(Routed, vc_buf_size, "entries", "8", 1, 1 << 24,
            "buffer of a virtual channel, in flits"),
    WW_UINT(Routed, buf_size, "entries", "0", 0, 1 << 24,
            "buffer of an input, in flits, divided evenly among its virtual channels; 0: "
            "vc_buf_size each"),
    WW_LIST(Routed, read_request_vcs, "", "[]", 0, ROUTED_VCS - 1,
            "first and last virtual channel of read requests; empty: any"),
    WW_LIST(Routed, write_request_vcs, "", "[]", 0, ROUTED_VCS - 1, "the same for write requests"),
    WW_LIST(Routed, read_reply_vcs, "", "[]", 0, ROUTED_VCS - 1, "the same for replies with data"),
    WW_LIST(Routed, write_reply_vcs, "", "[]", 0, ROUTED_VCS - 1, "the same for acknowledgements"),
    WW_BOOL(Routed, wait_for_tail_credit, "false",
            "a virtual channel is free again when its buffer is empty; false: when the packet's "
            "last flit has been sent"),
    WW_BOOL(Routed, vc_busy_when_full, "false", "a full virtual channel is not allocated"),
    WW_BOOL(Routed, vc_shuffle_requests, "false",
            "the allocator numbers inputs by virtual channel first"),
    WW_CHOICE(Routed, vc_allocator, "islip", allocator_names, "virtual-channel allocator"),
    WW_UINT(Routed, vc_iterations, "", "1", 1, 64, "its iterations (iSLIP)"),
    WW_CHOICE(Routed, vc_arbiter, "round_robin", arbiter_names,
              "its arbiters (separable allocators)"),
    WW_CHOICE(Routed, sw_allocator, "islip", allocator_names, "switch allocator"),
    WW_UINT(Routed, sw_iterations, "", "1", 1, 64, "its iterations (iSLIP)"),
    WW_CHOICE(Routed, sw_arbiter, "round_robin", arbiter_names,
              "its arbiters (separable allocators)"),
    WW_UINT(Routed, input_speedup, "", "1", 1, 64, "paths from an input into the switch"),
    WW_UINT(Routed, output_speedup, "", "1", 1, 64, "paths from the switch to an output"),
    WW_REAL(Routed, internal_speedup, "", "1", 1, 15, "router cycles per network cycle"),
    WW_UINT(Routed, output_buffer_size, "entries", "0", 0, 1 << 24,
            "flits between switch and output at which no more are admitted; 0: unlimited"),
    WW_UINT(Routed, routing_delay, "cycles", "1", 0, 1024, "route computation; 0: done on arrival"),
    WW_UINT(Routed, vc_alloc_delay, "cycles", "1", 1, 1024, "virtual-channel allocation"),
    WW_UINT(Routed, sw_alloc_delay, "cycles", "1", 1, 1024, "switch allocation"),
    WW_UINT(Routed, st_prepare_delay, "cycles", "0", 0, 1024,
            "preparation of the switch traversal"),
    WW_UINT(Routed, st_final_delay, "cycles", "1", 0, 1024, "switch traversal"),
    WW_UINT(Routed, credit_delay, "cycles", "0", 0, 1024, "until an arrived credit counts"),
    {0},
};

static const WwPortRow routed_ports[] = {
    WW_PORT_ARRAY(Routed, request_in, WW_IN, &ww_contract_mem_request, 0, NULL,
                  "one per cluster; none: the network of requests stays empty"),
    WW_PORT_ARRAY(Routed, request_out, WW_OUT, &ww_contract_mem_request, 0, NULL,
                  "one per L2 slice; or none, and no input: it is for replies"),
    WW_PORT_ARRAY(Routed, reply_in, WW_IN, &ww_contract_mem_response, 0, NULL,
                  "one per L2 slice; or none, and no output: it is for requests"),
    WW_PORT_ARRAY(Routed, reply_out, WW_OUT, &ww_contract_mem_response, 0, NULL, "one per cluster"),
    WW_PORT_PROVIDES(Routed, activity, &ww_contract_activity, &activity_table,
                     "tells whether packets are inside"),
    {0},
};

#define FIGURE(kind_, name_, field_, unit_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .kind = kind_, .unit = unit_, .doc = doc_, .n = 1,                          \
        .offset = WW_FIELD(Routed, field_, uint64_t)                                               \
    }
#define LATENCY(name_, field_, doc_)                                                               \
    FIGURE(WW_STAT_COUNTER, name_ "_sum", field_.sum, "cycles", doc_ ", summed"),                  \
        FIGURE(WW_STAT_MAX, name_ "_min", field_.min, "cycles", "minimum of these"),               \
        FIGURE(WW_STAT_MAX, name_ "_max", field_.max, "cycles", "maximum of these")
#define EXTREMES(name_, field_, unit_, doc_)                                                       \
    FIGURE(WW_STAT_MAX, name_ "_min", field_.min, unit_, doc_ ", by the node with the fewest"),    \
        FIGURE(WW_STAT_MAX, name_ "_min_node", field_.min_node, "", "which node that is"),         \
        FIGURE(WW_STAT_MAX, name_ "_max", field_.max, unit_, doc_ ", by the node with the most"),  \
        FIGURE(WW_STAT_MAX, name_ "_max_node", field_.max_node, "", "which node that is")

static const char *const net_names[] = {"requests", "replies"};
static const WwStatRow routed_stats[] = {
    WW_COUNTER(Routed, cycles, "cycles", "cycles of the network"),
    WW_VECTOR(Routed, packets_in, "packets", net_names, "packets sent by devices"),
    WW_VECTOR(Routed, packets_out, "packets", net_names, "packets that arrived completely"),
    WW_VECTOR(Routed, flits_made, "flits", net_names, "flits of the packets sent by devices"),
    WW_VECTOR(Routed, flits_in, "flits", net_names, "flits that entered"),
    WW_VECTOR(Routed, flits_out, "flits", net_names, "flits that left"),
    FIGURE(WW_STAT_COUNTER, "packets_left", packet.n, "packets", "packets whose last flit left"),
    FIGURE(WW_STAT_COUNTER, "packets_entered", sent_packets.sum, "packets",
           "packets whose first flit entered"),
    LATENCY("packet_latency", packet, "sent by the device to last flit out"),
    LATENCY("network_latency", network, "first flit in to last flit out"),
    LATENCY("flit_latency", flit, "flit in to flit out"),
    LATENCY("fragmentation", fragmentation, "gaps between a packet's flits"),
    FIGURE(WW_STAT_COUNTER, "hops", hops, "", "routers traversed by packets"),
    FIGURE(WW_STAT_MAX, "slowest_packet", slowest_packet, "", "number of a slow packet"),
    FIGURE(WW_STAT_MAX, "slowest_flit", slowest_flit, "", "number of the slowest flit"),
    EXTREMES("sent_packets", sent_packets, "packets", "packets sent"),
    EXTREMES("accepted_packets", accepted_packets, "packets", "packets received"),
    EXTREMES("sent_flits", sent_flits, "flits", "flits sent"),
    EXTREMES("accepted_flits", accepted_flits, "flits", "flits received"),
    {0},
};

static const WwEntryRow routed_entries[] = {
    {.name = "transfer",
     .phase = "net",
     .tick = routed_transfer,
     .doc = "one cycle of both networks"},
    {0},
};

static const WwEventField field_net =
    WW_EVENT_FIELD("net", WW_EVENT_WORD, "", "requests or replies");
const WwEventWord routed_words[2] = {WW_WORD("requests"), WW_WORD("replies")};
static const WwEventField field_node = WW_EVENT_FIELD("node", WW_EVENT_NUMBER, "", "where");
static const WwEventField field_flits =
    WW_EVENT_FIELD("flits", WW_EVENT_NUMBER, "flits", "that the packet has");
const WwEventRow routed_events[] = {
    [LOG_ENTER] = {"enter",
                   "warp",
                   "a packet enters the network",
                   {&field_net, &field_node, &ww_field_request, &field_flits}},
    [LOG_LEAVE] = {"leave",
                   "warp",
                   "its last flit leaves",
                   {&field_net, &field_node, &ww_field_request, &field_flits}},
    {0},
};

const WwType network_routed_type = {
    .abi = WW_ABI_VERSION,
    .name = "network.routed",
    .doc = "Network of routers between clusters and L2 slices: fly, mesh or torus; packets of "
           "flits, virtual channels, credits.",
    .family = "interconnect",
    .flags = WW_TYPE_SERIAL,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Routed),
    .events = routed_events,
    .params = routed_params,
    .ports = routed_ports,
    .stats = routed_stats,
    .entries = routed_entries,
    .init = routed_init,
    .reset = routed_reset,
    .settle = routed_settle,
    .adapt = routed_adapt,
    .explain = routed_explain,
    .carries = routed_carries,
};
