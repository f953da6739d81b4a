/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DRAM channel that is only its latency: a request comes back when the latency queue lets it, one
 * a cycle, in order.
 *
 *   request[] ──> latency queue ──> response[]
 *
 * One cycle, back to front: the head, when its time is over, to its slice (transactions that nobody
 * waits for end); then a request of one slice into the queue, by the credits that the full model
 * has. Of banks and timing it knows only what a report says of the channel.
 */
#include "front-priv.h"
#include "types.h"
#include <ports/events.h>

enum { LOG_RETURN, LOG_END };
static const WwEventRow simple_events[] = {
    [LOG_RETURN] = {"return", "warp", "a response leaves for its slice", {&ww_field_request}},
    [LOG_END] = {"end", "warp", "a write that nobody waits for is done", {&ww_field_request}},
    {0},
};

typedef struct Simple {
    WwComponent base;
    /* parameters */
    uint32_t latency;
    bool latency_in_core_cycles;
    uint32_t sched_queue, return_queue, write_queue;
    bool separate_write_queue;
    uint32_t nbk, ccd, rrd, rcd, ras, rp, rc, cl, buswidth, burst_length;
    uint32_t scheduler;
    /* ports */
    WwPort request[MAX_SLICES], response[MAX_SLICES];
    uint32_t n_request, n_response;
    /* state */
    Front front;
    /* statistics */
    uint64_t n_sent, reads, writes, write_backs;
} Simple;

static const char *const schedulers[] = {"fifo", "frfcfs", NULL};

/* Has the head's time come, and has its slice no room for it? */
static bool head_blocked(const Simple *d)
{
    const Front *f = &d->front;
    if (!front_ready(f)) {
        return false;
    }
    const WwMemReq *req = delay_queue_first(&f->waiting)->req;
    return !front_ends_here(req) && !ww_fifo_room(&d->response[front_slice(f, req)]);
}

static void answer(Simple *d)
{
    Front *f = &d->front;
    if (head_blocked(d)) {
        return;
    }
    WwMemReq *req = delay_queue_take(&f->waiting);
    front_return_credit(f, req);
    if (front_ends_here(req)) {
        d->write_backs++;
        WW_LOG(d, &simple_events[LOG_END], req->warp, WW_PART(req));
        ww_mem_release(req);
        return;
    }
    *(req->write ? &d->writes : &d->reads) += 1;
    req->response = true;
    WW_LOG(d, &simple_events[LOG_RETURN], req->warp, WW_PART(req));
    ww_fifo_put(&d->response[front_slice(f, req)], (WwToken)(uintptr_t)req);
}

static WwRest simple_cycle(void *self)
{
    Simple *d = self;
    Front *f = &d->front;
    if (front_ready(f)) {
        answer(d);
    }
    d->n_sent += front_arbitrate(f, false, false);
    if (front_next(f, false, false) >= 0) {
        return WW_AGAIN;
    }
    if (front_ready(f)) {
        return head_blocked(d) ? WW_SLEEP : WW_AGAIN;
    }
    return f->waiting.ring.n != 0 ? front_rest(f) : WW_SLEEP;
}

static bool simple_init(void *self, GError **error)
{
    Simple *d = self;
    uint32_t limit = UINT32_MAX, places = d->sched_queue + d->return_queue +
                                          (d->separate_write_queue ? d->write_queue : 0);
    if (d->sched_queue != 0 && d->return_queue != 0 && places > d->n_request - 1) {
        limit = places - (d->n_request - 1);
    }
    return front_init(&d->front, d, d->request, d->n_request, d->response, d->n_response,
                      d->latency, d->latency_in_core_cycles, limit, error);
}

static void simple_reset(void *self)
{
    Simple *d = self;
    front_reset(&d->front, d);
}

static void simple_explain(void *self, WwExplain *explain)
{
    front_explain(&((Simple *)self)->front, explain);
}

static void simple_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    front_adapt(&((Simple *)self)->front, token, random);
}

static const WwParamRow simple_params[] = {
    WW_UINT(Simple, latency, "cycles", "30", 0, 65536, "cycles from L2 to L2"),
    WW_BOOL(Simple, latency_in_core_cycles, "true",
            "latency is in core cycles, as in the reference; false: in DRAM cycles"),
    WW_UINT(Simple, sched_queue, "entries", "0", 0, 4096,
            "credits, together with return_queue; 0: no limit"),
    WW_UINT(Simple, return_queue, "entries", "0", 0, 4096,
            "credits, together with sched_queue; 0: no limit"),
    WW_BOOL(Simple, separate_write_queue, "false", "write_queue adds to the credits"),
    WW_UINT(Simple, write_queue, "entries", "32", 1, 4096, "entries of a separate write queue"),
    WW_UINT(Simple, nbk, "", "4", 1, 32,
            "banks; this and the parameters that follow are only reported"),
    WW_UINT(Simple, ccd, "cycles", "2", 0, 1024, "column command to column command"),
    WW_UINT(Simple, rrd, "cycles", "8", 0, 1024, "activation to activation of another bank"),
    WW_UINT(Simple, rcd, "cycles", "12", 0, 1024, "activation to column command"),
    WW_UINT(Simple, ras, "cycles", "21", 0, 1024, "activation to precharge"),
    WW_UINT(Simple, rp, "cycles", "13", 0, 1024, "precharge to activation"),
    WW_UINT(Simple, rc, "cycles", "34", 0, 1024, "activation to activation of the same bank"),
    WW_UINT(Simple, cl, "cycles", "9", 0, 1024, "read command to data"),
    WW_UINT(Simple, buswidth, "bytes", "4", 1, 64, "data bus of a chip"),
    WW_UINT(Simple, burst_length, "", "4", 1, 64, "transfers per column command"),
    WW_CHOICE(Simple, scheduler, "frfcfs", schedulers, "the scheduler, only reported"),
    {0},
};

static const WwClockRow simple_clocks[] = {
    WW_CLOCK(Simple, front.core, "core", "the clock of the SMs, in which latencies may be counted"),
    {0},
};

static const WwPortRow simple_ports[] = {
    WW_PORT_ARRAY(Simple, request, WW_IN, &ww_contract_dram_request, 1, NULL, "one per L2 slice"),
    WW_PORT_ARRAY(Simple, response, WW_OUT, &ww_contract_dram_response, 1, NULL,
                  "one per L2 slice"),
    {0},
};

static const WwStatRow simple_stats[] = {
    WW_COUNTER(Simple, n_sent, "requests", "requests sent by slices"),
    WW_COUNTER(Simple, reads, "requests", "reads answered"),
    WW_COUNTER(Simple, writes, "requests", "writes answered"),
    WW_COUNTER(Simple, write_backs, "requests", "write-backs accepted"),
    {0},
};

static const WwEntryRow simple_entries[] = {
    {.name = "dram", .phase = "dram", .tick = simple_cycle, .doc = "one cycle of the channel"},
    {0},
};

const WwType dram_simple_type = {
    .abi = WW_ABI_VERSION,
    .name = "dram.simple",
    .doc = "DRAM channel modelled as a latency in core cycles, one response per cycle.",
    .family = "dram",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Simple),
    .events = simple_events,
    .params = simple_params,
    .clocks = simple_clocks,
    .ports = simple_ports,
    .stats = simple_stats,
    .entries = simple_entries,
    .init = simple_init,
    .reset = simple_reset,
    .adapt = simple_adapt,
    .explain = simple_explain,
};
