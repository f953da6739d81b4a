/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a routed network: packets become flits and enter; flits that leave become packets again.
 *
 * In: a packet waits in its source's queue, gets a virtual channel of the injection link, and sends a flit a cycle while that has room.
 * Out: a flit that arrives enters the ejection buffer of its virtual channel; from each of these one a cycle goes on into the boundary buffer, if
 * that has room, and of all that did one a cycle gives its credit back. A packet whose last flit is in the boundary buffer may be taken by the
 * device: in turns among the virtual channels. The device takes from a fifo; which packets stand there, and in which order, is
 * made up again whenever one becomes complete.
 */
#include "network-priv.h"
#include "routed-priv.h"

#include <ports/traffic.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

void routed_node_init(Routed *x, RoutedNode *node)
{
    node->room = ww_alloc(x, x->num_vcs * sizeof *node->room);
    node->ejection = ww_alloc(x, x->num_vcs * sizeof *node->ejection);
    node->complete = ww_alloc(x, x->num_vcs * sizeof *node->complete);
    node->boundary = ww_alloc(x, x->num_vcs * sizeof *node->boundary);
}

void routed_node_reset(Routed *x, RoutedNode *node)
{
    node->packets = node->credits = node->arriving = node->ejected = (RoutedQueue){0};
    node->last_vc = ROUTED_VCS;
    node->turn = node->shown = node->packets_complete = 0;
    for (uint32_t v = 0; v < x->num_vcs; v++) {
        node->room[v] = (RoutedRoom){.user = -1};
    }
    memset(node->ejection, 0, x->num_vcs * sizeof *node->ejection);
    memset(node->complete, 0, x->num_vcs * sizeof *node->complete);
    memset(node->boundary, 0, x->num_vcs * sizeof *node->boundary);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* The node with the fewest moved on: who has the fewest now? */
static void find_least(const Routed *x, RoutedCount *c)
{
    if (c->at_min == 0) {
        c->min = UINT64_MAX;
        for (uint32_t n = 0; n < x->nodes; n++) {
            if (c->of[n] < c->min) {
                c->min = c->of[n];
                c->at_min = 0;
            }
            c->at_min += c->of[n] == c->min;
        }
    }
    for (c->min_node = 0; c->of[c->min_node] != c->min;) {
        c->min_node++;
    }
}

static void count_at(const Routed *x, RoutedCount *c, uint32_t node)
{
    uint64_t v = ++c->of[node];
    c->sum++;
    if (v > c->max || (v == c->max && node < c->max_node)) {
        c->max = v;
        c->max_node = node;
    }
    if (v == c->min + 1) {
        c->at_min--;
        if (c->at_min == 0 || c->min_node == node) {
            find_least(x, c);
        }
    }
}

static void sample(RoutedLatency *l, uint64_t v)
{
    l->min = l->n++ == 0 ? v : MIN(l->min, v);
    l->max = MAX(l->max, v);
    l->sum += v;
}

/* ---- in -------------------------------------------------------------------------------------- */

WW_COLD static void too_long(Routed *x, const RoutedNet *net, uint32_t bytes, uint32_t flits)
{
    g_autofree char *path = ww_path(x);
    ww_fail_run(x, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: boundary_buffer_size = %u, and a %s of %u bytes is %u flits, "
                               "which leave it together; expected at least as many",
                               path, x->boundary_buffer_size, net->reply ? "reply" : "request",
                               bytes, flits));
}

static void accept(Routed *x, RoutedNet *net, uint32_t source)
{
    WwToken token = ww_fifo_take(&net->in[source]);
    const WwMemReq *req = (const WwMemReq *)(uintptr_t)token;
    uint32_t bytes = ww_packet_bytes(req, net->reply), at = routed_new(&x->packets);
    uint32_t to = net->reply ? req->cluster : req->at.slice;
    if (G_UNLIKELY(to >= net->n_sinks)) {
        to = network_without_way(x, net->reply, to, net->n_sinks);
    }
    RoutedPacket *p = routed_packet(x, at);
    *p = (RoutedPacket){.source = net->node_of_source[source],
                        .dest = net->node_of_sink[to],
                        .flits = (bytes + x->flit_size - 1) / x->flit_size,
                        .kind = (uint8_t)((net->reply ? READ_REPLY : READ_REQUEST) + req->write),
                        .vc = ROUTED_VCS,
                        .holders = 2,
                        .token = token,
                        .serial = x->serial++,
                        .first = x->number,
                        .created = ww_now(x)};
    if (G_UNLIKELY(p->flits > x->boundary_buffer_size)) {
        too_long(x, net, bytes, p->flits);
    }
    WW_LOG(x, &routed_events[LOG_ENTER], req->warp, WW_SAY(&routed_words[net->reply]), p->source,
           WW_PART(req), p->flits);
    x->number += p->flits;
    x->flits_made[net->reply] += p->flits;
    net->gauge[source].held += p->flits;
    net->queued++;
    x->packets_in[net->reply]++;
    routed_push(&x->packets, &net->node[p->source].packets, at);
    bit_set(net->to_send, p->source);
}

/* What was put first, and by the first source: the numbers of packets, which only the report shows, follow that order. */
void routed_nodes_accept(Routed *x, RoutedNet *net)
{
    for (;;) {
        WwCycle first = WW_NEVER;
        for (uint32_t i = 0; i < net->n_sources; i++) {
            if (ww_fifo_ready(&net->in[i])) {
                first = MIN(first, ww_fifo_put_at(&net->in[i]));
            }
        }
        if (first == WW_NEVER) {
            return;
        }
        for (uint32_t i = 0; i < net->n_sources; i++) {
            while (ww_fifo_ready(&net->in[i]) && ww_fifo_put_at(&net->in[i]) == first) {
                accept(x, net, i);
            }
        }
    }
}

/* From the one after the last that was chosen on; when that lies outside, only the first is looked at. */
static uint32_t choose_vc(const Routed *x, const RoutedNode *node, uint32_t kind)
{
    uint32_t first = x->vc_first[kind], n = x->vc_last[kind] - first + 1u;
    for (uint32_t i = 1; i <= n; i++) {
        bool outside = node->last_vc < first || node->last_vc >= first + n;
        uint32_t vc = outside ? first : first + (node->last_vc - first + i) % n;
        if (node->room[vc].user < 0 && !routed_full(x, &node->room[vc])) {
            return vc;
        }
    }
    return ROUTED_VCS;
}

static void send_flit(Routed *x, RoutedNet *net, RoutedNode *node, RoutedPacket *p, uint32_t packet)
{
    uint32_t f = routed_new(&x->flits);
    RoutedFlit *flit = routed_flit(x, f);
    *flit = (RoutedFlit){.packet = packet,
                         .injected = ww_now(x),
                         .number = p->first + p->sent,
                         .vc = p->vc,
                         .head = p->sent == 0,
                         .tail = p->sent + 1 == p->flits};
    if (flit->head) {
        p->injected = ww_now(x);
        node->room[p->vc].user = 0;
        node->room[p->vc].tail_sent = false;
        node->last_vc = p->vc;
        count_at(x, &x->sent_packets, p->source);
    }
    routed_occupy(x, &node->room[p->vc], flit->tail);
    count_at(x, &x->sent_flits, p->source);
    x->flits_in[net->reply]++;
    p->sent++;
    net->flits++;
    routed_send_flit(x, net, node->inject, f, 1);
}

void routed_nodes_inject(Routed *x, RoutedNet *net)
{
    FOR_BITS(n, net->to_send, x->node_words)
    {
        RoutedNode *node = &net->node[n];
        uint32_t at = node->packets.head;
        RoutedPacket *p = routed_packet(x, at);
        if (p->vc == ROUTED_VCS) {
            p->vc = (uint8_t)choose_vc(x, node, p->kind);
        }
        if (p->vc == ROUTED_VCS || routed_full(x, &node->room[p->vc])) {
            continue;
        }
        send_flit(x, net, node, p, at);
        net->gauge[node->source].held--;
        ww_fifo_freed(&net->in[node->source]);
        if (p->sent == p->flits) {
            routed_pop(&x->packets, &node->packets);
            net->queued--;
            if (node->packets.n == 0) {
                bit_clear(net->to_send, (uint32_t)n);
            }
        }
    }
}

/* ---- out ------------------------------------------------------------------------------------- */

/* The next packet that the device takes when the turn is at @p turn, having taken some of each already. */
static uint32_t next_vc(const Routed *x, const RoutedNode *node, const uint32_t *taken,
                        uint32_t turn)
{
    for (uint32_t i = 0; i < x->num_vcs; i++) {
        uint32_t v = (turn + i) % x->num_vcs;
        if (node->complete[v].n > (taken != NULL ? taken[v] : 0)) {
            return v;
        }
    }
    return 0;
}

static void let_go(Routed *x, uint32_t packet)
{
    if (--routed_packet(x, packet)->holders == 0) {
        routed_free(&x->packets, packet);
    }
}

/* What the device has taken out of its fifo since leaves the boundary buffer. */
static void leave_boundary(Routed *x, RoutedNet *net, RoutedNode *node)
{
    uint32_t left = ww_fifo_length(&net->out[node->sink]);
    for (; node->shown > left; node->shown--) {
        uint32_t v = next_vc(x, node, NULL, node->turn);
        uint32_t p = routed_pop(&x->packets, &node->complete[v]);
        node->boundary[v] -= routed_packet(x, p)->flits;
        node->packets_complete--;
        node->turn = (v + 1) % x->num_vcs;
        let_go(x, p);
    }
}

/* One flit a virtual channel from the ejection to the boundary buffer. */
static void enter_boundary(Routed *x, RoutedNet *net, RoutedNode *node)
{
    for (uint32_t v = 0; v < x->num_vcs; v++) {
        if (node->ejection[v].n == 0 || node->boundary[v] >= x->boundary_buffer_size) {
            continue;
        }
        uint32_t f = routed_pop(&x->flits, &node->ejection[v]);
        const RoutedFlit *flit = routed_flit(x, f);
        node->boundary[v]++;
        routed_push(&x->flits, &node->ejected, f);
        if (flit->tail) {
            routed_push(&x->packets, &node->complete[v], flit->packet);
            node->packets_complete++;
            net->hidden++;
            const WwMemReq *req = ww_token_mem(routed_packet(x, flit->packet)->token);
            WW_LOG(x, &routed_events[LOG_LEAVE], req->warp, WW_SAY(&routed_words[net->reply]),
                   routed_packet(x, flit->packet)->dest, WW_PART(req),
                   routed_packet(x, flit->packet)->flits);
            x->packets_out[net->reply]++;
        }
    }
}

static bool ejects(const Routed *x, const RoutedNode *node)
{
    bool any = node->ejected.n != 0;
    for (uint32_t v = 0; v < x->num_vcs; v++) {
        any |= node->ejection[v].n != 0;
    }
    return any;
}

void routed_nodes_receive(Routed *x, RoutedNet *net)
{
    WwCycle now = ww_now(x);
    FOR_BITS(n, net->arriving, x->node_words)
    {
        RoutedNode *node = &net->node[n];
        if (routed_flit(x, node->arriving.head)->due <= now) {
            uint32_t f = routed_pop(&x->flits, &node->arriving);
            routed_push(&x->flits, &node->ejection[routed_flit(x, f)->vc], f);
            bit_set(net->ejecting, (uint32_t)n);
            if (node->arriving.n == 0) {
                bit_clear(net->arriving, (uint32_t)n);
            }
        }
    }
    FOR_BITS(n, net->ejecting, x->node_words)
    {
        leave_boundary(x, net, &net->node[n]);
        enter_boundary(x, net, &net->node[n]);
    }
    FOR_BITS(n, net->credits_busy, x->node_words)
    {
        RoutedNode *node = &net->node[n];
        RoutedCredit *c = routed_credit(x, node->credits.head);
        if (c->due <= now) {
            routed_release(x, node->room, c->vcs);
            routed_free(&x->credits, routed_pop(&x->credits, &node->credits));
            net->credits--;
            if (node->credits.n == 0) {
                bit_clear(net->credits_busy, (uint32_t)n);
            }
        }
    }
}

/* The reference's latencies; its slowest packet is looked for with one latency and compared with another. */
static void account(Routed *x, const RoutedFlit *flit, uint32_t node)
{
    WwCycle now = ww_now(x);
    RoutedPacket *p = routed_packet(x, flit->packet);
    count_at(x, &x->accepted_flits, node);
    if (x->flit.n == 0 || x->flit.max < now - flit->injected) {
        x->slowest_flit = flit->number;
    }
    sample(&x->flit, now - flit->injected);
    if (flit->head) {
        p->ejected = now;
    }
    if (flit->tail) {
        count_at(x, &x->accepted_packets, node);
        x->hops += flit->hops;
        if (x->packet.n == 0 || x->packet.max < now - p->injected) {
            x->slowest_packet = p->serial;
        }
        sample(&x->packet, now - p->created);
        sample(&x->network, now - p->injected);
        sample(&x->fragmentation, now - p->ejected - (flit->number - p->first));
    }
}

void routed_nodes_retire(Routed *x, RoutedNet *net)
{
    FOR_BITS(n, net->ejecting, x->node_words)
    {
        RoutedNode *node = &net->node[n];
        if (node->ejected.n != 0) {
            uint32_t f = routed_pop(&x->flits, &node->ejected);
            const RoutedFlit *flit = routed_flit(x, f);
            account(x, flit, (uint32_t)n);
            if (flit->tail) {
                let_go(x, flit->packet);
            }
            routed_send_credit(x, net, node->eject, 1ull << flit->vc, 1);
            routed_free(&x->flits, f);
            net->credits++;
            net->flits--;
            x->flits_out[net->reply]++;
        }
    }
}

/* Lists the packets in the order in which they would be taken; those in the fifo are put right, more are added. */
static void show(Routed *x, RoutedNet *net, RoutedNode *node)
{
    const WwPort *out = &net->out[node->sink];
    uint32_t taken[ROUTED_VCS] = {0}, turn = node->turn, at[ROUTED_VCS];
    for (uint32_t v = 0; v < x->num_vcs; v++) {
        at[v] = node->complete[v].head;
    }
    for (uint32_t i = 0; i < node->packets_complete; i++) {
        uint32_t v = next_vc(x, node, taken, turn);
        WwToken token = routed_packet(x, at[v])->token;
        if (i < node->shown) {
            ww_fifo_replace(out, i, token);
        } else if (ww_fifo_room(out)) {
            ww_fifo_put(out, token);
            node->shown++;
            net->hidden--;
        } else {
            return;
        }
        at[v] = *routed_link(&x->packets, at[v]);
        taken[v]++;
        turn = (v + 1) % x->num_vcs;
    }
}

void routed_nodes_show(Routed *x, RoutedNet *net)
{
    FOR_BITS(n, net->ejecting, x->node_words)
    {
        RoutedNode *node = &net->node[n];
        if (node->packets_complete > node->shown) {
            leave_boundary(x, net, node);
            show(x, net, node);
        }
        if (node->packets_complete <= node->shown && !ejects(x, node)) {
            bit_clear(net->ejecting, (uint32_t)n);
        }
    }
}
