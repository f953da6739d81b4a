/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * State of the routed network, shared by its files: nodes (routed_node.c) that cut packets into flits and put them together again,
 * routers (routed_router.c, routed_vc.c, routed_switch.c) with their allocators (routed_alloc.c), and how they are joined
 * (routed_topology.c).
 *
 *   packet queue -> injection link -> router -> link -> router -> ejection link -> ejection buffer -> boundary buffer
 *
 * Flits, packets and credits are handles of pools; what holds one links it into a queue. 0 is nobody.
 */
#pragma once

#include "bits-priv.h"
#include "network-priv.h"
#include "types.h"

#include <ports/events.h>
#include <ports/tokens.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

enum { ROUTED_DEVICES = 256, ROUTED_VCS = 64, ROUTED_KINDS = 4 };

/* ---- pools and queues ------------------------------------------------------------------------ */

typedef struct RoutedQueue {
    uint32_t head, tail, n;
} RoutedQueue;

typedef struct RoutedPacket {
    uint32_t next;
    uint32_t source, dest; /* Nodes. */
    uint32_t flits, sent;
    uint8_t kind;    /* RoutedKind */
    uint8_t vc;      /* Of the injection link; ROUTED_VCS: none yet. */
    uint8_t ring;    /* Torus: which half of the channels. */
    uint8_t holders; /* The boundary buffer; who counts its last flit. Either may be the last. */
    WwToken token;
    uint64_t serial, first;             /* Its number, and its first flit's. */
    WwCycle created, injected, ejected; /* The latter of the head flit. */
} RoutedPacket;

typedef struct RoutedFlit {
    uint32_t next;
    uint32_t packet;
    WwCycle due; /* When it leaves the link or the switch that it is in; WW_NEVER: not begun. */
    WwCycle injected;
    uint64_t number;
    uint32_t output; /* Switch output, while it is in the switch. */
    uint16_t hops;
    uint8_t vc;
    bool head, tail;
} RoutedFlit;

typedef struct RoutedCredit {
    uint32_t next;
    uint32_t output;
    WwCycle due;
    uint64_t vcs;
} RoutedCredit;

/* ---- routers --------------------------------------------------------------------------------- */

/* The reference's types of packets, which choose the virtual channels. */
typedef enum RoutedKind { READ_REQUEST, WRITE_REQUEST, READ_REPLY, WRITE_REPLY } RoutedKind;

typedef enum RoutedAllocKind {
    ALLOC_ISLIP,
    ALLOC_INPUT_FIRST,
    ALLOC_OUTPUT_FIRST,
    ALLOC_WAVEFRONT,
    ALLOC_RR_WAVEFRONT,
    ALLOC_LOA
} RoutedAllocKind;

/* The inputs of an allocator, or its outputs. */
typedef struct RoutedSide {
    uint32_t n, words; /* How many; words of a mask of them. */
    uint64_t *ask;     /* [n][words of the other side]: whom each asks for, or is asked by. */
    uint64_t *asking;  /* Those with requests. */
    int32_t *match;    /* -1: none */
    uint32_t *pointer;
    uint64_t *served; /* Matrix: [n][n of the other side] */
} RoutedSide;

/* Matches inputs with outputs. */
typedef struct RoutedAlloc {
    uint32_t kind, iterations;
    bool matrix; /* Its arbiters serve who was served longest ago, not in turns. */
    RoutedSide in, out;
    int32_t *grant; /* -1: none */
    uint64_t turn;
    uint32_t diagonal;
} RoutedAlloc;

/* The buffer at the other end of a link, as its writer knows it: one for each virtual channel. */
typedef struct RoutedRoom {
    uint32_t flits;
    int32_t user; /* Input VC that sends packets into it; -1: free */
    bool tail_sent;
} RoutedRoom;

typedef enum RoutedState { VC_IDLE, VC_ROUTING, VC_ALLOC, VC_ACTIVE } RoutedState;

typedef struct RoutedVc {
    RoutedQueue flits;
    uint8_t state;
    uint8_t first, last; /* Where it may go: virtual channels of */
    uint32_t port;       /* an output, */
    uint32_t out_vc;     /* and, when active, the one it has. */
} RoutedVc;

/* An end of a link. */
typedef struct RoutedEnd {
    int32_t router; /* -1: a node */
    uint32_t port;  /* Or the number of the node. */
} RoutedEnd;

typedef struct RoutedInput {
    RoutedQueue link, credits; /* Flits on their way here; credits that wait to go back. */
    uint32_t arrived;          /* Flit of this cycle. */
    uint64_t freed;            /* VCs that gave a flit in this step. */
    RoutedEnd from;
} RoutedInput;

typedef struct RoutedOutput {
    RoutedQueue buffer, link; /* Flits behind the switch; credits on their way here. */
    RoutedEnd to;
    uint32_t delay; /* Of the link, both ways. */
} RoutedOutput;

/* An input VC that waits for the end of a pipeline stage. */
typedef struct RoutedWaiter {
    WwCycle time; /* WW_NEVER: not begun */
    uint32_t input, vc;
    int32_t result;
} RoutedWaiter;

typedef struct RoutedStage {
    RoutedWaiter *at; /* One place an input VC, */
    WwRing ring;      /* in order. */
} RoutedStage;

typedef struct RoutedRouter {
    uint32_t id;
    bool active;
    uint32_t busy; /* Links in and out, buffers and credit queues that hold something. */
    RoutedInput *in;
    RoutedOutput *out;
    RoutedVc *vc;                                         /* [input][vc] */
    RoutedRoom *room;                                     /* [output][vc] */
    uint64_t *link_busy, *arrived, *freed, *credits_busy; /* Inputs. */
    uint64_t *credit_link_busy, *buffer_busy;             /* Outputs. */
    RoutedStage routing, vc_alloc, sw_alloc;
    RoutedQueue crossing;  /* Flits in the switch. */
    RoutedQueue processed; /* Credits that arrived. */
    RoutedAlloc va, sa;
    uint8_t *asked_by;    /* [switch input][switch output]: VC whose request it is */
    uint32_t *sw_pointer; /* [switch input] */
} RoutedRouter;

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef struct RoutedNode {
    int32_t source, sink; /* Devices, as the direction sees them; -1: none */
    RoutedQueue packets;  /* To be sent. */
    RoutedQueue credits;  /* On their way here. */
    RoutedQueue arriving; /* Flits on their way here. */
    RoutedQueue ejected;  /* Out of the ejection buffer, not yet accounted for. */
    RoutedEnd inject, eject;
    uint32_t last_vc;
    uint32_t turn;  /* VC that a device takes from first. */
    uint32_t shown; /* Packets in the device's fifo. */
    RoutedRoom *room;
    RoutedQueue *ejection; /* [vc] flits */
    RoutedQueue *complete; /* [vc] packets */
    uint32_t *boundary;    /* [vc] flits in the boundary buffer */
    uint32_t packets_complete;
} RoutedNode;

/* One of the two networks: requests, replies. */
typedef struct RoutedNet {
    bool reply;
    RoutedRouter *router;
    RoutedNode *node;
    uint64_t *to_send, *credits_busy, *arriving, *ejecting; /* Nodes. */
    WwFifoGauge *gauge;                                     /* Of each source. */
    uint32_t n_sources, n_sinks;
    const WwPort *in, *out;
    const uint32_t *node_of_source, *node_of_sink;
    uint64_t queued, flits, credits,
        hidden; /* Packets to send, flits and credits inside, packets with no place in a fifo. */
} RoutedNet;

/* ---- statistics ------------------------------------------------------------------------------ */

/* A latency of the reference's report. */
typedef struct RoutedLatency {
    uint64_t n, sum, min, max;
} RoutedLatency;

/* A count for each node, with its extremes. */
typedef struct RoutedCount {
    uint64_t *of;
    uint64_t sum, min, max, min_node, max_node;
    uint32_t at_min;
} RoutedCount;

/* ---- the whole ------------------------------------------------------------------------------- */

typedef enum RoutedTopology { FLY, MESH, TORUS } RoutedTopology;

typedef struct Routed {
    WwComponent base;
    /* parameters */
    uint32_t topology, routing, k, n;
    uint32_t flit_size, num_vcs, vc_buf_size, buf_size;
    uint32_t input_buffer_size, boundary_buffer_size;
    bool wait_for_tail_credit, vc_busy_when_full, vc_shuffle_requests;
    uint32_t vc_allocator, sw_allocator, vc_arbiter, sw_arbiter, vc_iterations, sw_iterations;
    uint32_t input_speedup, output_speedup;
    double internal_speedup;
    uint32_t output_buffer_size;
    uint32_t routing_delay, vc_alloc_delay, sw_alloc_delay, st_prepare_delay, st_final_delay;
    uint32_t credit_delay;
    bool use_noc_latency, use_map;
    WwList memory_node_map;
    WwList read_request_vcs, write_request_vcs, read_reply_vcs, write_reply_vcs;
    /* ports */
    WwProvided activity;
    WwPort request_in[ROUTED_DEVICES], request_out[ROUTED_DEVICES];
    WwPort reply_in[ROUTED_DEVICES], reply_out[ROUTED_DEVICES];
    uint32_t n_request_in, n_request_out, n_reply_in, n_reply_out;
    /* what follows from them */
    uint32_t nodes, routers, inputs, outputs; /* Inputs and outputs of a router. */
    uint32_t radix, private_buffer, switch_delay, node_words, in_words, out_words;
    uint32_t n_clusters, n_slices;
    uint32_t clusters[ROUTED_DEVICES], slices[ROUTED_DEVICES]; /* Their nodes. */
    uint8_t vc_first[ROUTED_KINDS], vc_last[ROUTED_KINDS];
    uint64_t speedup; /* The internal speedup in 2^-ROUTED_FRACTION. */
    WwPool flits, packets, credits;
    RoutedNet net[2];
    /* state */
    uint64_t partial; /* Internal cycles left over, in the same unit. */
    uint64_t serial, number;
    RoutedCount sent_packets, sent_flits, accepted_packets, accepted_flits;
    /* statistics */
    uint64_t cycles;
    uint64_t packets_in[2], packets_out[2];
    uint64_t flits_made[2], flits_in[2], flits_out[2];
    RoutedLatency packet, network, flit, fragmentation;
    uint64_t hops, slowest_packet, slowest_flit;
} Routed;

enum { ROUTED_FRACTION = 56 };

static inline RoutedFlit *routed_flit(const Routed *x, uint32_t i)
{
    return ww_pool_at(&x->flits, i);
}

static inline RoutedPacket *routed_packet(const Routed *x, uint32_t i)
{
    return ww_pool_at(&x->packets, i);
}

static inline RoutedCredit *routed_credit(const Routed *x, uint32_t i)
{
    return ww_pool_at(&x->credits, i);
}

/* The first word of each is its link while it is in a queue. */
static inline uint32_t *routed_link(const WwPool *p, uint32_t i)
{
    return ww_pool_at(p, i);
}

static inline uint32_t routed_new(WwPool *p)
{
    return ww_pool_handle(ww_pool_take(p));
}

static inline void routed_free(WwPool *p, uint32_t i)
{
    ww_pool_give(p, ww_pool_at(p, i));
}

static inline void routed_push(const WwPool *p, RoutedQueue *q, uint32_t i)
{
    *routed_link(p, i) = 0;
    if (q->n++ == 0) {
        q->head = i;
    } else {
        *routed_link(p, q->tail) = i;
    }
    q->tail = i;
}

static inline uint32_t routed_pop(const WwPool *p, RoutedQueue *q)
{
    uint32_t i = q->head;
    q->head = *routed_link(p, i);
    q->n--;
    return i;
}

/* ---- rooms ----------------------------------------------------------------------------------- */

static inline bool routed_full(const Routed *x, const RoutedRoom *room)
{
    return room->flits >= x->private_buffer;
}

/* A flit is sent into the buffer. */
static inline void routed_occupy(const Routed *x, RoutedRoom *room, bool tail)
{
    room->flits++;
    if (tail) {
        room->tail_sent = true;
        if (!x->wait_for_tail_credit) {
            room->user = -1;
        }
    }
}

/* A credit came back. */
static inline void routed_release(const Routed *x, RoutedRoom *rooms, uint64_t vcs)
{
    for (; vcs != 0; vcs &= vcs - 1) {
        RoutedRoom *room = &rooms[__builtin_ctzll(vcs)];
        room->flits--;
        if (x->wait_for_tail_credit && room->flits == 0 && room->tail_sent) {
            room->user = -1;
        }
    }
}

/* ---- routed.c -------------------------------------------------------------------------------- */

/* How often routers work in a cycle: the speedup and what was left over, of which it keeps the fraction; in 2^-ROUTED_FRACTION. */
uint32_t routed_internal_cycles(uint64_t *partial, uint64_t speedup);

/* ---- routed_topology.c ----------------------------------------------------------------------- */

/* Checks and works out sizes and where each device is; nothing is allocated but ports are known. */
bool routed_plan(Routed *x, GError **error);
/* Joins the routers of a network. */
void routed_join(Routed *x, RoutedNet *net);
/* Where the head of @p vc of input @p input goes: fills in port, first, last. */
void routed_route(Routed *x, const RoutedRouter *r, uint32_t input, RoutedVc *vc);

/* ---- routed_alloc.c -------------------------------------------------------------------------- */

void routed_alloc_init(void *owner, RoutedAlloc *a, uint32_t inputs, uint32_t outputs);
void routed_alloc_reset(RoutedAlloc *a);
void routed_alloc_clear(RoutedAlloc *a);
void routed_alloc_allocate(RoutedAlloc *a);

static inline void routed_alloc_ask(RoutedAlloc *a, uint32_t in, uint32_t out)
{
    bit_set(a->out.ask + (gsize)out * a->in.words, in);
    bit_set(a->in.ask + (gsize)in * a->out.words, out);
    bit_set(a->in.asking, in);
    bit_set(a->out.asking, out);
}

/* ---- routed_router.c, routed_vc.c, routed_switch.c ------------------------------------------- */

void routed_router_init(Routed *x, RoutedRouter *r, uint32_t id);
void routed_router_reset(Routed *x, RoutedRouter *r);
/* A cycle with @p steps internal ones. */
void routed_router_cycle(Routed *x, RoutedNet *net, RoutedRouter *r, uint32_t steps);
/* A flit or a credit is put on the link to an end; it arrives @p delay + 1 cycles from now. */
void routed_send_flit(Routed *x, RoutedNet *net, RoutedEnd to, uint32_t flit, uint32_t delay);
void routed_send_credit(Routed *x, RoutedNet *net, RoutedEnd to, uint64_t vcs, uint32_t delay);

static inline void routed_stage_push(RoutedStage *s, uint32_t input, uint32_t vc)
{
    s->at[ww_ring_put(&s->ring)] = (RoutedWaiter){WW_NEVER, input, vc, -1};
}

static inline RoutedWaiter *routed_stage_at(const RoutedStage *s, uint32_t i)
{
    return &s->at[ww_ring_slot(&s->ring, i)];
}

static inline RoutedWaiter routed_stage_pop(RoutedStage *s)
{
    return s->at[ww_ring_take(&s->ring)];
}

/* Is the stage of its head over? */
static inline bool routed_stage_over(const RoutedStage *s, WwCycle now)
{
    return s->ring.n != 0 && s->at[ww_ring_first(&s->ring)].time <= now;
}

/* A packet's head is in front of @p vc: the first stage. */
void routed_begin_packet(Routed *x, RoutedRouter *r, uint32_t input, uint32_t vc);
void routed_vc_evaluate(Routed *x, RoutedRouter *r);
void routed_vc_update(Routed *x, RoutedRouter *r);
void routed_switch_evaluate(Routed *x, RoutedRouter *r);
void routed_switch_update(Routed *x, RoutedRouter *r);

/* ---- routed_node.c --------------------------------------------------------------------------- */

void routed_node_init(Routed *x, RoutedNode *node);
void routed_node_reset(Routed *x, RoutedNode *node);
/* Flits and credits that arrive; a flit a VC goes on into the boundary buffer. */
void routed_nodes_receive(Routed *x, RoutedNet *net);
/* Sends a flit from each node that can. */
void routed_nodes_inject(Routed *x, RoutedNet *net);
/* Gives one credit a node back for flits that were ejected, and accounts for them. */
void routed_nodes_retire(Routed *x, RoutedNet *net);
/* Takes packets out of the sources' fifos. */
void routed_nodes_accept(Routed *x, RoutedNet *net);
/* Puts complete packets into the sinks' fifos, in the order in which they are to be taken. */
void routed_nodes_show(Routed *x, RoutedNet *net);

/* Kinds of events. */
enum { LOG_ENTER, LOG_LEAVE };
extern const WwEventRow routed_events[];
/* Of requests, of replies: the field `net=` of events. */
extern const WwEventWord routed_words[2];
