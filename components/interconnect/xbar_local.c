/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local crossbar: two independent switches, requests (clusters to L2 slices) and replies (slices to clusters). A node's input and
 * output buffers are the fifos bound here; a packet counts as one whatever its size.
 *
 *   cluster -> request_in[c] ->\ requests /-> request_out[s] -> slice
 *   cluster <- reply_out[c]  <-/ replies  \<- reply_in[s]    <- slice
 *
 * One transfer a cycle of the network's clock. iSLIP-like: each output with room, in ascending order, takes the head of the first input from its
 * pointer on that wants it. An output takes one packet a transfer; an input may give several, since its next head may want a later output.
 *
 * Workload: 80 to 144 inputs, of which a few hold something. Which input's head wants which output is kept as masks, so that a transfer costs
 * what moves; inputs that became non-empty since mark themselves, where channels keep the times of their tokens (between partitions), else
 * all are looked at. Packets on their way through a fifo with a latency are not there yet.
 */
#include "bits-priv.h"
#include "network-priv.h"
#include "types.h"

#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/tokens.h>
#include <string.h>

static const WwEventField field_net =
    WW_EVENT_FIELD("net", WW_EVENT_WORD, "", "requests or replies");
static const WwEventWord nets[] = {WW_WORD("requests"), WW_WORD("replies")};
static const WwEventField field_input =
    WW_EVENT_FIELD("input", WW_EVENT_NUMBER, "", "cluster of a request, slice of a reply");
static const WwEventField field_output =
    WW_EVENT_FIELD("output", WW_EVENT_NUMBER, "", "slice of a request, cluster of a reply");
static const WwEventRow xbar_events[] = {
    {"cross",
     "warp",
     "a packet goes from an input to an output",
     {&field_net, &field_input, &field_output, &ww_field_request}},
    {0},
};

enum { MAX_NODES = 256, WORDS = MAX_NODES / 64 };
enum { LATER = 64 };  /* Edges ahead for which inputs are kept. */
enum { FETCHED = 3 }; /* Packets of an input that the host has at hand before they are looked at. */
enum { REQUESTS, REPLIES }; /* Switches, and their entry points. */

typedef enum Arbiter { ARBITER_ROUND_ROBIN, ARBITER_ISLIP } Arbiter;
static const char *const arbiter_names[] = {"round_robin", "islip", NULL};

/* One switch. Inputs and outputs are numbered from 0 on their own side; `first` is the node number of input 0. */
typedef struct Switch {
    void *xbar; /* Whose it is. */
    const WwPort *in, *out;
    uint32_t n_in, n_out, nodes, first;
    bool reply;
    uint64_t wanted[MAX_NODES][WORDS]; /* [output]: inputs whose head goes there */
    uint64_t outputs[WORDS];           /* Outputs that some head wants. */
    uint64_t filled[WORDS];            /* Outputs that were full when something was put there. */
    uint64_t known[WORDS];             /* Inputs whose head is in `wanted`. */
    uint32_t next[MAX_NODES];          /* [output]: input looked at first. */
    bool behind;                       /* A head was not entered, since its input has given one. */
    bool marks; /* All inputs mark what is put, and know how long it waits. */
    union {
        uint8_t mark[MAX_NODES]; /* Inputs whose head is not in `wanted` and may be there by now. */
        uint64_t marked[MAX_NODES / 8];
    };
    uint64_t later[LATER][WORDS]; /* [edge mod LATER]: inputs to be looked at then, */
    uint64_t later_any;           /* and which of them has any. */
    uint64_t
        waited; /* Transfers for which packets that have moved stayed in inputs; without marks those of all. */
} Switch;

typedef struct Xbar {
    WwComponent base;
    /* parameters */
    uint32_t arbiter;
    uint32_t grant_cycles;
    bool one_per_input, pointer_passes;
    /* ports */
    WwProvided activity;
    WwPort request_in[MAX_NODES], request_out[MAX_NODES], reply_in[MAX_NODES], reply_out[MAX_NODES];
    uint32_t n_request_in, n_request_out, n_reply_in, n_reply_out;
    /* state */
    uint32_t clusters, slices;
    Switch net[2];
    uint32_t grant_left[2];
    uint64_t carried[2]; /* what xbar_carries() said last */
    /* statistics, [0] requests, [1] replies */
    uint64_t transfers[2];
    uint64_t packets[2];
    uint64_t conflicts[2];
    uint64_t active_transfers[2];
    uint64_t active_conflicts[2];
    uint64_t active_packets[2];
    uint64_t output_full[2];
    uint64_t input_occupancy[2];
    uint64_t output_occupancy[2];
} Xbar;

/* First set bit of two words or more from @p from on, round to it again; there must be one. */
static inline uint32_t first_from(const uint64_t *words, uint32_t from, uint32_t n)
{
    uint32_t w = from / 64;
    uint64_t m = words[w] & (UINT64_MAX << (from % 64));
    while (m == 0) {
        w = (w + 1) * 64 < n ? w + 1 : 0;
        m = words[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(m);
}

static uint32_t destination(const Switch *s, WwToken token)
{
    const WwMemReq *req = (const WwMemReq *)(uintptr_t)token;
    uint32_t o = s->reply ? req->cluster : req->at.slice;
    return G_LIKELY(o < s->n_out) ? o : network_without_way(s->xbar, s->reply, o, s->n_out);
}

/* Enters the head of input @p i into the masks. */
static void learn(Switch *s, uint32_t i)
{
    uint32_t o = destination(s, ww_fifo_peek(&s->in[i]));
    bit_set(s->known, i);
    bit_set(s->wanted[o], i);
    bit_set(s->outputs, o);
}

/* The head of input @p i, whose tokens have times, at edge @p now: if it is visible, or when it is. */
static inline void look_at(Switch *s, uint32_t i, WwCycle now)
{
    if (bit_is_set(s->known, i) || ww_fifo_length(&s->in[i]) == 0) {
        return;
    }
    WwCycle due = ww_fifo_due(&s->in[i]);
    if (due <= now) {
        learn(s, i);
        return;
    }
    uint32_t k = (uint32_t)(MIN(due, now + LATER - 1) % LATER);
    bit_set(s->later[k], i);
    s->later_any |= 1ull << k;
}

/* Finds inputs whose head is visible by now: where something was put, and where it was still on its way. */
static void look_at_marked(Switch *s, WwCycle now)
{
    uint64_t *later = s->later[now % LATER];
    if ((s->later_any >> now % LATER & 1u) != 0) {
        s->later_any &= ~(1ull << now % LATER);
        for (uint32_t w = 0; w * 64 < s->n_in; w++) {
            uint64_t m = later[w];
            later[w] = 0;
            for (; m != 0; m &= m - 1) {
                look_at(s, w * 64 + (uint32_t)__builtin_ctzll(m), now);
            }
        }
    }
    uint32_t n = 0;
    uint16_t marked[MAX_NODES];
    for (uint32_t k = 0; k * 8 < s->n_in; k++) {
        if (s->marked[k] == 0) {
            continue;
        }
        for (uint32_t i = k * 8; i < MIN(k * 8 + 8, s->n_in); i++) {
            if (s->mark[i] != 0) {
                s->mark[i] = 0;
                marked[n++] = (uint16_t)i;
                ww_fifo_host_fetch(&s->in[i], FETCHED);
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        look_at(s, marked[i], now);
    }
}

/* Edges from @p now until an input is to be looked at; WW_SLEEP: none is. */
static inline WwRest next_look(const Switch *s, WwCycle now)
{
    uint32_t from = (uint32_t)((now + 1) % LATER);
    uint64_t m = s->later_any, turned = m >> from | m << 1 << (LATER - 1 - from);
    return m != 0 ? (WwRest)__builtin_ctzll(turned) + 1 : WW_SLEEP;
}

/* Finds inputs that were empty and are not any more. Returns visible packets in all inputs. */
static uint64_t look_at_all(Switch *s)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < s->n_in; i++) {
        if (ww_fifo_ready(&s->in[i])) { /* else it wakes the switch when it is */
            waiting += ww_fifo_visible(&s->in[i]);
            if (!bit_is_set(s->known, i)) {
                learn(s, i);
            }
        }
    }
    return waiting;
}

static inline bool any_known(const Switch *s)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        any |= s->known[w];
    }
    return any != 0;
}

/* Moves the head of input @p i to its output @p o; @p more: the next head may follow it at once. */
static inline void move(const Xbar *x, Switch *s, WwCycle now, uint32_t i, uint32_t o, bool more)
{
    if (s->marks) {
        s->waited += ww_fifo_waited(&s->in[i], now);
    }
    bit_clear(s->known, i);
    bit_clear(s->wanted[o], i);
    uint64_t left = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        left |= s->wanted[o][w];
    }
    if (left == 0) {
        bit_clear(s->outputs, o);
    }
    WwToken token = ww_fifo_take(&s->in[i]);
    ww_fifo_host_fetch(&s->in[i], FETCHED);
    WW_LOG(x, &xbar_events[0], ww_token_mem(token)->warp, WW_SAY(&nets[s->reply]), i, o, token);
    ww_fifo_put(&s->out[o], token);
    if (ww_fifo_full(&s->out[o])) {
        bit_set(s->filled, o);
    }
    if (!more) {
        s->mark[i] = 1;
        s->behind |= ww_fifo_ready(&s->in[i]);
    } else if (s->marks) {
        look_at(s, i, now);
    } else if (ww_fifo_ready(&s->in[i])) { /* on its way, it wakes the switch when it is there */
        learn(s, i); /* may be for an output further on in this very transfer */
    }
}

/* The input that output @p o takes from, by its pointer. */
static inline uint32_t serve(Xbar *x, Switch *s, uint32_t k, uint32_t o)
{
    if (!ww_fifo_room(&s->out[o])) {
        return 0;
    }
    uint32_t i = first_from(s->wanted[o], s->next[o], s->n_in);
    move(x, s, x->transfers[k], i, o, !x->one_per_input);
    if (x->grant_left[k] == 1) {
        uint32_t next = i + 1 + x->pointer_passes;
        s->next[o] = next < s->n_in ? next : 0;
    }
    return 1;
}

/* In ascending order, with what comes to be wanted further on. */
static uint32_t transfer_islip(Xbar *x, Switch *s, uint32_t k)
{
    uint32_t moved = 0;
    for (uint32_t w = 0; w * 64 < s->n_out; w++) {
        uint64_t m, ahead = UINT64_MAX;
        while ((m = s->outputs[w] & ahead) != 0) {
            ahead = ~(m ^ (m - 1)); /* above the lowest */
            moved += serve(x, s, k, w * 64 + (uint32_t)__builtin_ctzll(m));
        }
    }
    return moved;
}

/* Each input once, from a pointer that moves on by one node a transfer; an output takes one. */
static uint32_t transfer_round_robin(Xbar *x, Switch *s, uint32_t k, uint64_t *conflicts)
{
    uint32_t moved = 0, pointer = (uint32_t)(x->transfers[k] % s->nodes);
    uint64_t taken[WORDS] = {0};
    for (uint32_t n = 0; n < s->nodes; n++) {
        uint32_t node = (pointer + n) % s->nodes;
        if (node < s->first || node - s->first >= s->n_in ||
            !ww_fifo_ready(&s->in[node - s->first])) {
            continue;
        }
        uint32_t i = node - s->first, o = destination(s, ww_fifo_peek(&s->in[i]));
        bool used = (taken[o / 64] >> (o % 64) & 1u) != 0;
        if (!ww_fifo_room(&s->out[o])) {
            x->output_full[k]++;
            *conflicts += used;
        } else if (used) {
            ++*conflicts;
        } else {
            move(x, s, x->transfers[k], i, o, true); /* this input is not asked again */
            bit_set(taken, o);
            moved++;
        }
    }
    return moved;
}

/* Heads that want an output which the head of a lower input wants too. */
static uint64_t count_conflicts(const Switch *s)
{
    uint64_t heads = 0, outputs = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        heads += ww_ones(s->known[w]);
        outputs += ww_ones(s->outputs[w]);
    }
    return heads - outputs;
}

/* Outputs without a place: only what was put here can have filled them. */
static uint32_t full_outputs(Switch *s)
{
    uint32_t full = 0;
    FOR_BITS(o, s->filled, WORDS)
    {
        if (ww_fifo_full(&s->out[o])) {
            full++;
        } else {
            bit_clear(s->filled, (uint32_t)o);
        }
    }
    return full;
}

/* Transfers that move something, or see something wait. */
static uint32_t transfer_active(Xbar *x, Switch *s, uint32_t k)
{
    uint64_t conflicts;
    uint32_t moved;
    if (x->arbiter == ARBITER_ISLIP) {
        conflicts = count_conflicts(s);
        moved = transfer_islip(x, s, k);
    } else {
        conflicts = 0;
        moved = transfer_round_robin(x, s, k, &conflicts);
    }
    x->packets[k] += moved;
    x->active_transfers[k]++;
    x->conflicts[k] += conflicts;
    x->active_conflicts[k] += conflicts;
    x->active_packets[k] += moved;
    x->grant_left[k] = x->grant_left[k] == 1 ? x->grant_cycles : x->grant_left[k] - 1;
    return moved;
}

/* One transfer of one switch; it goes on while something may move, or is counted. */
static WwRest transfer(Xbar *x, uint32_t k)
{
    Switch *s = &x->net[k];
    WwCycle now = x->transfers[k];
    if (s->n_out == 0) {
        return WW_SLEEP; /* it is for the other direction */
    }
    uint64_t waiting = 0;
    s->behind = false;
    if (s->marks) {
        look_at_marked(s, now);
    } else {
        waiting = look_at_all(s);
    }
    if (x->arbiter == ARBITER_ISLIP) {
        x->output_full[k] += full_outputs(s); /* before: an output that is full takes nothing */
    }
    uint32_t moved = any_known(s) ? transfer_active(x, s, k) : 0;
    x->transfers[k]++;
    if (!s->marks) {
        s->waited += waiting - moved;
    }
    if (any_known(s) || s->behind || full_outputs(s) != 0) {
        return WW_AGAIN;
    }
    return s->marks ? next_look(s, now) : WW_SLEEP;
}

static bool xbar_active(void *self)
{
    const Xbar *x = self;
    for (uint32_t k = 0; k < 2; k++) {
        const Switch *s = &x->net[k];
        uint64_t held = 0;
        for (uint32_t i = 0; i < s->n_in; i++) {
            held += ww_fifo_length(&s->in[i]);
        }
        for (uint32_t o = 0; o < s->n_out; o++) {
            held += ww_fifo_length(&s->out[o]);
        }
        if (held != 0) {
            return true;
        }
    }
    return false;
}

/* How long a packet takes nobody knows before. */
static WwCycle xbar_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwActivityIf activity_table = {.active = xbar_active, .lasts = xbar_lasts};

static WwRest xbar_requests(void *self)
{
    return transfer(self, REQUESTS);
}

static WwRest xbar_replies(void *self)
{
    return transfer(self, REPLIES);
}

/* Asleep, nothing can move: only the count of transfers goes on, of the directions that there are. */
static void xbar_settle(void *self, uint32_t entry, uint64_t n)
{
    Xbar *x = self;
    x->transfers[entry] += x->net[entry].n_out != 0 ? n : 0;
}

/* What is in an output is not looked at in each transfer: its reader may have another time. */
static void xbar_tally(void *self)
{
    Xbar *x = self;
    for (uint32_t k = 0; k < 2; k++) {
        x->output_occupancy[k] = 0;
        for (uint32_t o = 0; o < x->net[k].n_out; o++) {
            x->output_occupancy[k] += ww_fifo_stays(&x->net[k].out[o]);
        }
        x->input_occupancy[k] = x->net[k].waited;
        for (uint32_t i = 0; x->net[k].marks && i < x->net[k].n_in; i++) {
            x->input_occupancy[k] += ww_fifo_waits(&x->net[k].in[i], x->transfers[k]);
        }
    }
}

static bool xbar_init(void *self, GError **error)
{
    Xbar *x = self;
    NetworkEnds ends = {x->n_request_in, x->n_request_out, x->n_reply_in, x->n_reply_out};
    return network_sides(&ends, &x->clusters, &x->slices, error);
}

static void xbar_reset(void *self)
{
    Xbar *x = self;
    uint32_t nodes = x->clusters + x->slices;
    bool several = x->arbiter == ARBITER_ISLIP && !x->one_per_input;
    memset(x->net, 0, sizeof x->net);
    x->net[0] = (Switch){.xbar = x,
                         .in = x->request_in,
                         .out = x->request_out,
                         .n_in = x->n_request_in,
                         .n_out = x->n_request_out,
                         .nodes = nodes,
                         .first = 0};
    x->net[1] = (Switch){.xbar = x,
                         .in = x->reply_in,
                         .out = x->reply_out,
                         .n_in = x->n_reply_in,
                         .n_out = x->n_reply_out,
                         .nodes = nodes,
                         .first = x->clusters,
                         .reply = true};
    x->grant_left[0] = x->grant_left[1] = x->grant_cycles;
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t o = 0; o < x->net[k].n_out; o++) {
            ww_fifo_weigh(&x->net[k].out[o]);
            x->net[k].next[o] = x->pointer_passes && k == 0 && x->net[k].n_in > 1;
        }
        x->net[k].marks = true;
        for (uint32_t i = 0; i < x->net[k].n_in; i++) {
            x->net[k].marks &= ww_fifo_mark_puts(&x->net[k].in[i], &x->net[k].mark[i]);
            ww_takes_a_turn(&x->net[k].in[i], several ? x->net[k].n_out : 1);
        }
    }
}

static uint64_t xbar_carries(void *self, const WwPortRow *port, uint32_t k)
{
    Xbar *x = self;
    bool reply = strcmp(port->name, "reply_out") == 0;
    if (k == 0) { /* it may come from anywhere: the same at all outputs */
        x->carried[reply] = reply ? ww_carried_by_any(x->reply_in, x->n_reply_in)
                                  : ww_carried_by_any(x->request_in, x->n_request_in);
    }
    return x->carried[reply];
}

static void xbar_explain(void *self, WwExplain *explain)
{
    Xbar *x = self;
    for (uint32_t k = 0; k < 2; k++) {
        const Switch *s = &x->net[k];
        ww_explain_unit(explain, k, -1); /* neither waits for the other */
        for (uint32_t o = 0; o < s->n_out; o++) {
            const WwFifo *f = s->out[o].peer;
            if (f != NULL && ww_fifo_full(&s->out[o])) {
                ww_explain_waits(explain, f->ch.reader->who, "output %u of the %s is full", o,
                                 s->reply ? "replies" : "requests");
            }
        }
    }
}

/* Keeps destinations inside the bench: a generated transaction may name any node. */
static void xbar_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Xbar *x = self;
    WwMemReq *req = (WwMemReq *)(uintptr_t)token;
    req->at.slice = (uint32_t)g_rand_int_range(random, 0, (gint32)MAX(x->n_request_out, 1u));
    req->cluster = (uint16_t)g_rand_int_range(random, 0, (gint32)MAX(x->n_reply_out, 1u));
}

static const WwParamRow xbar_params[] = {
    WW_CHOICE(Xbar, arbiter, "islip", arbiter_names, "how an output chooses among inputs"),
    WW_UINT(Xbar, grant_cycles, "cycles", "1", 1, 1024,
            "active transfers after which the pointers move (iSLIP)"),
    WW_BOOL(Xbar, one_per_input, "false",
            "an input sends one packet per transfer; false: one to each of several ascending "
            "outputs, as in the reference (iSLIP)"),
    WW_BOOL(Xbar, pointer_passes, "false",
            "a pointer moves to the input after the next and starts there among the requests, as "
            "in the released simulator of MICRO'25 (iSLIP)"),
    {0},
};

static const WwPortRow xbar_ports[] = {
    WW_PORT_ARRAY_AT(Xbar, request_in, WW_IN, &ww_contract_mem_request, 0, "requests",
                     "one per cluster; none: the switch for requests only counts cycles"),
    WW_PORT_ARRAY_AT(Xbar, request_out, WW_OUT, &ww_contract_mem_request, 0, "requests",
                     "one per L2 slice; or none, and no input: it is for replies"),
    WW_PORT_ARRAY_AT(Xbar, reply_in, WW_IN, &ww_contract_mem_response, 0, "replies",
                     "one per L2 slice; or none, and no output: it is for requests"),
    WW_PORT_ARRAY_AT(Xbar, reply_out, WW_OUT, &ww_contract_mem_response, 0, "replies",
                     "one per cluster"),
    WW_PORT_PROVIDES(Xbar, activity, &ww_contract_activity, &activity_table,
                     "tells whether packets are inside"),
    {0},
};

static const char *const net_names[] = {"requests", "replies"};
static const WwStatRow xbar_stats[] = {
    WW_VECTOR(Xbar, transfers, "cycles", net_names, "transfers"),
    WW_VECTOR(Xbar, packets, "packets", net_names, "packets moved from an input to an output"),
    WW_VECTOR(Xbar, conflicts, "packets", net_names,
              "head packets that wanted the same output as that of a lower input"),
    WW_VECTOR(Xbar, active_transfers, "cycles", net_names, "transfers with a packet at some input"),
    WW_VECTOR(Xbar, active_conflicts, "packets", net_names, "conflicts in active transfers"),
    WW_VECTOR(Xbar, active_packets, "packets", net_names, "packets moved in active transfers"),
    WW_VECTOR(Xbar, output_full, "outputs", net_names, "outputs that were full at a transfer"),
    WW_VECTOR(Xbar, input_occupancy, "packets", net_names,
              "packets left in inputs, summed over transfers"),
    WW_VECTOR(Xbar, output_occupancy, "packets", net_names,
              "packets in outputs, summed over transfers"),
    {0},
};

static const WwEntryRow xbar_entries[] = {
    {.name = "requests",
     .phase = "net",
     .tick = xbar_requests,
     .partition = "requests",
     .doc = "one transfer of the switch for requests"},
    {.name = "replies",
     .phase = "net",
     .tick = xbar_replies,
     .partition = "replies",
     .doc = "one transfer of the switch for replies"},
    {0},
};

const WwType xbar_local_type = {
    .abi = WW_ABI_VERSION,
    .name = "xbar.local",
    .doc = "Crossbar between clusters and L2 slices: one packet per output and cycle, whatever its "
           "size.",
    .family = "interconnect",
    .flags = WW_TYPE_SERIAL,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Xbar),
    .events = xbar_events,
    .params = xbar_params,
    .ports = xbar_ports,
    .stats = xbar_stats,
    .entries = xbar_entries,
    .init = xbar_init,
    .reset = xbar_reset,
    .settle = xbar_settle,
    .tally = xbar_tally,
    .adapt = xbar_adapt,
    .explain = xbar_explain,
    .carries = xbar_carries,
};
