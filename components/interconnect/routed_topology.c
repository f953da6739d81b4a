/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the routers of a routed network are joined, where the devices are, and which way a packet goes.
 *
 *   fly    n stages of k^(n-1) switches with k inputs and k outputs; the destination's digits choose the outputs
 *   mesh   k^n routers with a node each; output 2d goes up in dimension d, 2d + 1 down, the last one to the node
 *   torus  a mesh whose ends are joined
 */
#include "routed-priv.h"

#include <string.h>

enum { MAX_NODES = 1 << 12, MAX_MIB = 1024 };

/* k^n, or 0 when there are too many. */
static uint32_t power(uint32_t k, uint32_t n)
{
    uint64_t v = 1;
    for (uint32_t i = 0; i < n && v <= MAX_NODES; i++) {
        v *= k;
    }
    return v <= MAX_NODES ? (uint32_t)v : 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Nodes of the memory side that the reference knows for some numbers of devices. */
static const struct {
    uint32_t clusters, slices, node[12];
} known_maps[] = {
    {8, 8, {1, 3, 4, 6, 9, 11, 12, 14}},
    {28, 8, {3, 7, 10, 12, 23, 25, 28, 32}},
    {56, 8, {3, 15, 17, 29, 36, 47, 49, 61}},
    {110, 11, {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108}},
};

static const uint32_t *memory_nodes(const Routed *x, GError **error)
{
    uint32_t slices = x->n_slices;
    if (x->memory_node_map.n != 0) {
        if (x->memory_node_map.n != slices) {
            ww_fail(error, WW_ERROR_USAGE,
                    "memory_node_map has %u nodes; expected one for each of %u L2 slices",
                    x->memory_node_map.n, slices);
            return NULL;
        }
        return x->memory_node_map.v;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(known_maps); i++) {
        if (known_maps[i].clusters == x->n_clusters && known_maps[i].slices == slices) {
            return known_maps[i].node;
        }
    }
    ww_fail(error, WW_ERROR_USAGE,
            "use_map has no map for %u clusters and %u L2 slices; expected memory_node_map, or "
            "use_map = false",
            x->n_clusters, slices);
    return NULL;
}

/* The clusters take the nodes that are left, in order; as the reference does, a node that the map has out of order is not left out. */
static bool place_devices(Routed *x, GError **error)
{
    uint32_t clusters = x->n_clusters, slices = x->n_slices;
    for (uint32_t i = 0; i < clusters; i++) {
        x->clusters[i] = i;
    }
    for (uint32_t i = 0; i < slices; i++) {
        x->slices[i] = clusters + i;
    }
    if (x->use_map) {
        const uint32_t *map = memory_nodes(x, error);
        if (map == NULL) {
            return false;
        }
        uint32_t node = 0, at = 0;
        for (uint32_t i = 0; i < clusters; i++, node++) {
            for (; at < slices && node == map[at]; node++) {
                at++;
            }
            x->clusters[i] = node;
        }
        memcpy(x->slices, map, slices * sizeof *map);
    }
    g_autofree bool *taken = g_new0(bool, x->nodes);
    for (uint32_t i = 0; i < clusters + slices; i++) {
        uint32_t node = i < clusters ? x->clusters[i] : x->slices[i - clusters];
        if (node >= x->nodes) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "the network has %u nodes (k = %u, n = %u), and %s %u would be at node "
                           "%u; expected a node for each of "
                           "%u clusters and %u L2 slices",
                           x->nodes, x->radix, x->n, i < clusters ? "cluster" : "slice",
                           i < clusters ? i : i - clusters, node, clusters, slices);
        }
        if (i >= clusters && taken[node]) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "memory_node_map has node %u twice; expected different nodes", node);
        }
        taken[node] = i >= clusters;
    }
    return true;
}

/* ---- virtual channels ------------------------------------------------------------------------ */

static bool plan_vcs(Routed *x, GError **error)
{
    static const char *const names[] = {"read_request_vcs", "write_request_vcs", "read_reply_vcs",
                                        "write_reply_vcs"};
    const WwList lists[] = {x->read_request_vcs, x->write_request_vcs, x->read_reply_vcs,
                            x->write_reply_vcs};
    for (uint32_t i = 0; i < ROUTED_KINDS; i++) {
        uint32_t first = 0, last = x->num_vcs - 1;
        if (lists[i].n == 2) {
            first = lists[i].v[0];
            last = lists[i].v[1];
        }
        if ((lists[i].n != 0 && lists[i].n != 2) || last >= x->num_vcs || first > last) {
            g_autofree char *text = lists[i].n == 2 ? g_strdup_printf("[%u, %u]", first, last)
                                                    : g_strdup_printf("a list of %u", lists[i].n);
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s = %s; expected the first and the last of the %u virtual channels "
                           "that such packets may use",
                           names[i], text, x->num_vcs);
        }
        x->vc_first[i] = (uint8_t)first;
        x->vc_last[i] = (uint8_t)last;
    }
    return true;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* In units of 2^-ROUTED_FRACTION, without rounding: the parameter is at least 1, and a double has 52 bits behind its first. */
static uint64_t fixed_point(double v)
{
    return (uint64_t)(v * (double)(1ull << ROUTED_FRACTION));
}

static bool plan_size(Routed *x, GError **error)
{
    static const char *const topologies[] = {"fly", "mesh", "torus"};
    static const char *const routings[] = {"dest_tag", "dim_order"};
    if ((x->topology == FLY) != (x->routing == 0)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "routing = %s does not go with topology = %s; expected %s",
                       routings[x->routing], topologies[x->topology], routings[x->topology != FLY]);
    }
    uint32_t devices = x->n_clusters + x->n_slices;
    x->radix = x->k != 0 ? x->k : devices;
    if (x->k == 0 && (x->topology != FLY || x->n != 1)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "k = 0 takes as many inputs as there are devices, for a fly of one stage; "
                       "expected k of 2 or more");
    }
    x->nodes = power(x->radix, x->n);
    if (x->nodes == 0 || x->radix < 2) {
        return ww_fail(error, WW_ERROR_USAGE, "k = %u, n = %u; expected 2 to %u nodes (k^n)",
                       x->radix, x->n, (uint32_t)MAX_NODES);
    }
    if (x->topology == TORUS && x->radix % 2 == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "k = %u; expected an odd k for a torus (of two ways of the same length the "
                       "reference draws one)",
                       x->radix);
    }
    x->inputs = x->outputs = x->topology == FLY ? x->radix : 2 * x->n + 1;
    x->routers = x->topology == FLY ? x->n * (x->nodes / x->radix) : x->nodes;
    return true;
}

/*
 * Who may ask whom in the allocators of both networks: a bit on either side; matrix arbiters remember when each was served, and the
 * switch who asked.
 */
static bool check_memory(const Routed *x, GError **error)
{
    uint64_t ways_in = (uint64_t)x->inputs * x->input_speedup,
             ways_out = (uint64_t)x->outputs * x->output_speedup,
             vcs = (uint64_t)x->inputs * x->num_vcs * x->outputs * x->num_vcs;
    enum { ASK = 2, SERVED = 2 * 64, ASKED_BY = 8 }; /* bits */
    uint64_t of_vcs = vcs * (ASK + (x->vc_arbiter != 0 ? SERVED : 0)),
             of_switch = ways_in * ways_out * (ASK + ASKED_BY + (x->sw_arbiter != 0 ? SERVED : 0));
    uint64_t mib = 2 * x->routers * (of_vcs + of_switch) >> 23;
    return mib <= MAX_MIB ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%u routers of %u inputs with %u virtual channels, input_speedup = %u, "
                   "output_speedup = %u, take %" G_GUINT64_FORMAT
                   " MiB for who may ask for whom; expected a smaller network (at most %d MiB)",
                   x->routers, x->inputs, x->num_vcs, x->input_speedup, x->output_speedup, mib,
                   (int)MAX_MIB);
}

bool routed_plan(Routed *x, GError **error)
{
    NetworkEnds ends = {x->n_request_in, x->n_request_out, x->n_reply_in, x->n_reply_out};
    if (!network_sides(&ends, &x->n_clusters, &x->n_slices, error) || !plan_size(x, error) ||
        !plan_vcs(x, error) || !place_devices(x, error)) {
        return false;
    }
    x->private_buffer = x->buf_size != 0 ? x->buf_size / x->num_vcs : x->vc_buf_size;
    if (x->private_buffer == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "buf_size = %u for %u virtual channels; expected one flit for each, or more",
                       x->buf_size, x->num_vcs);
    }
    x->switch_delay = x->st_prepare_delay + x->st_final_delay;
    if (x->switch_delay == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "st_prepare_delay = 0 and st_final_delay = 0; expected at least a cycle to "
                       "cross the switch");
    }
    if (!check_memory(x, error)) {
        return false;
    }
    x->speedup = fixed_point(x->internal_speedup);
    x->node_words = (x->nodes + 63) / 64;
    x->in_words = (x->inputs + 63) / 64;
    x->out_words = (x->outputs + 63) / 64;
    return true;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void join_routers(RoutedNet *net, uint32_t from, uint32_t output, uint32_t to,
                         uint32_t input, uint32_t delay)
{
    net->router[from].out[output].to = (RoutedEnd){(int32_t)to, input};
    net->router[from].out[output].delay = delay;
    net->router[to].in[input].from = (RoutedEnd){(int32_t)from, output};
}

static void join_node(RoutedNet *net, uint32_t node, RoutedEnd inject, RoutedEnd eject)
{
    net->node[node].inject = inject;
    net->node[node].eject = eject;
    net->router[inject.router].in[inject.port].from = (RoutedEnd){-1, node};
    net->router[eject.router].out[eject.port].to = (RoutedEnd){-1, node};
    net->router[eject.router].out[eject.port].delay = 1;
}

/* Between stages, the digit of a switch's number that the next stage decides about and the port change places. */
static void join_fly(const Routed *x, RoutedNet *net)
{
    uint32_t k = x->radix, per_stage = x->nodes / k;
    for (uint32_t node = 0; node < x->nodes; node++) {
        join_node(net, node, (RoutedEnd){(int32_t)(node / k), node % k},
                  (RoutedEnd){(int32_t)((x->n - 1) * per_stage + node / k), node % k});
    }
    uint32_t shift = per_stage;
    for (uint32_t stage = 1; stage < x->n; stage++) {
        shift /= k;
        for (uint32_t i = 0; i < per_stage * k; i++) {
            uint32_t address = i / k, port = i % k, digit = address / shift % k;
            uint32_t before = address - digit * shift + port * shift;
            join_routers(net, (stage - 1) * per_stage + before, digit, stage * per_stage + address,
                         port, 1);
        }
    }
}

static void join_cube(const Routed *x, RoutedNet *net)
{
    uint32_t k = x->radix, delay = x->topology == TORUS && x->use_noc_latency ? 2 : 1;
    for (uint32_t node = 0; node < x->nodes; node++) {
        RoutedEnd own = {(int32_t)node, 2 * x->n};
        join_node(net, node, own, own);
        for (uint32_t d = 0, stride = 1; d < x->n; d++, stride *= k) {
            uint32_t place = node / stride % k;
            uint32_t up = place + 1 < k ? node + stride : node - place * stride;
            join_routers(net, node, 2 * d, up, 2 * d + 1, delay);
            join_routers(net, up, 2 * d + 1, node, 2 * d, delay);
        }
    }
}

void routed_join(Routed *x, RoutedNet *net)
{
    if (x->topology == FLY) {
        join_fly(x, net);
    } else {
        join_cube(x, net);
    }
}

/* ---- routes ---------------------------------------------------------------------------------- */

static uint32_t fly_output(const Routed *x, const RoutedRouter *r, uint32_t dest)
{
    for (uint32_t stage = r->id / (x->nodes / x->radix); stage + 1 < x->n; stage++) {
        dest /= x->radix;
    }
    return dest % x->radix;
}

/* In the first dimension in which they differ; the node itself: 2n. */
static uint32_t cube_output(const Routed *x, const RoutedRouter *r, uint32_t input, RoutedPacket *p)
{
    uint32_t k = x->radix, here = r->id, dest = p->dest, d = 0;
    for (; d < x->n && here % k == dest % k; d++) {
        here /= k;
        dest /= k;
    }
    if (d == x->n) {
        return 2 * x->n;
    }
    here %= k;
    dest %= k;
    if (x->topology == MESH) {
        return 2 * d + (here > dest);
    }
    if (input / 2 == d) {
        return input ^ 1u; /* straight on */
    }
    bool down = 2 * ((dest + k - here) % k) > k;
    /* which half of the channels: of those that cross the joint, as the reference judges by the ends alone */
    p->ring = here > dest;
    return 2 * d + down;
}

void routed_route(Routed *x, const RoutedRouter *r, uint32_t input, RoutedVc *vc)
{
    RoutedPacket *p = routed_packet(x, routed_flit(x, vc->flits.head)->packet);
    vc->port = x->topology == FLY ? fly_output(x, r, p->dest) : cube_output(x, r, input, p);
    vc->first = x->vc_first[p->kind];
    vc->last = x->vc_last[p->kind];
    if (x->topology == TORUS && r->id != p->dest) {
        uint8_t half = (uint8_t)((vc->last - vc->first + 1u) / 2);
        if (p->ring == 0) {
            vc->last = (uint8_t)(vc->last - half);
        } else {
            vc->first = (uint8_t)(vc->first + half);
        }
    }
}
