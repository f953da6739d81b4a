/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slice of the L2: what happens to a request between network and DRAM. The tags, MSHRs and the
 * miss queue are the cache's in its slot.
 *
 *   request ──> [ROP delay] ──> icnt-to-L2 ──> cache ──lower──> (L2-to-DRAM fifo) ──> channel
 *   reply <── L2-to-icnt <── hits, completed misses, acknowledgements <── from_dram <── channel
 *
 * One L2 cycle, in this order: take a packet from the network (an entry point of its own, which in windows is run with the network);
 * a completed miss to the replies; a
 * response of the channel into the cache (or to the replies); the cache's own cycle; an access with
 * the oldest request; a request out of the ROP delay. The reply entry sends one reply a network
 * cycle. The ROP delay counts completed cycles of the core.
 *
 * `to_dram` is the same fifo as the cache's `lower`: an access waits until it has room, and
 * requests that are not for the cache (it is absent, or holds textures only) go there directly.
 *
 * Workload: 32 to 96 slices, a few of them with something to do. A request makes four turns on a
 * hit, five when it is not the first; between them the slice sleeps.
 */
#include "slice-priv.h"
#include "types.h"

#include <ports/ctas.h>
#include <ports/traffic.h>

#include <string.h>
#include <warpwright/machine.h>

#define CACHE(s) WW_CACHE(&(s)->cache)

static inline WwCycle core_time(const Slice *s)
{
    return s->core->cycle;
}

/* ---- one L2 cycle -------------------------------------------------------------------------- */

static void put_out(Slice *s, WwMemReq *req)
{
    slice_queue_put(&s->out, req);
    ww_wake(&s->wake_reply);
}

static void answer(Slice *s, WwMemReq *req)
{
    req->response = true;
    put_out(s, req);
}

static void drop(Slice *s, WwMemReq *req)
{
    s->dropped++;
    WW_LOG(s, &slice_events[LOG_DROP], req->warp, WW_PART(req));
    ww_mem_release(req);
}

/*
 * A completed miss; one that a write allocated for ends here, and under fetch-on-write lets the
 * write be acknowledged.
 */
static void completed_miss(Slice *s)
{
    if (slice_queue_full(&s->out)) {
        return;
    }
    WwMemReq *req = CACHE(s)->take(s->cache.peer);
    s->missed = CACHE(s)->peek(s->cache.peer) != NULL;
    if (req->type != WW_ACCESS_L2_WR_ALLOC_R) {
        answer(s, req);
        return;
    }
    if (s->facts->allocate == WW_ALLOCATE_FETCH) {
        answer(s, req->original);
    }
    drop(s, req);
}

static void response_of_dram(Slice *s, WwCycle time)
{
    if (!ww_fifo_ready(&s->from_dram)) {
        return;
    }
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_peek(&s->from_dram);
    if (s->facts != NULL && ww_cache_awaits(s->facts, req)) {
        if (CACHE(s)->port_free(s->cache.peer, WW_CACHE_FILL_PORT)) {
            ww_fifo_take(&s->from_dram);
            CACHE(s)->fill(s->cache.peer, req, time + s->installed);
            s->missed = CACHE(s)->peek(s->cache.peer) != NULL;
        }
    } else if (!slice_queue_full(&s->out)) {
        ww_fifo_take(&s->from_dram);
        put_out(s, req);
    }
}

/* The cache neither answers for it nor sends it on: nobody would ever hear of it. */
WW_COLD static void never_acknowledged(Slice *s, const WwMemReq *req)
{
    static const char *const writes[] = {WW_WRITE_LABELS};
    static const char *const allocates[] = {WW_WRITE_ALLOCATE_LABELS};
    g_autofree char *path = ww_path(s);
    ww_fail_run(
        s, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                       "%s: its cache has write = %s with write_allocate = %s: the write at "
                       "%" G_GINT64_MODIFIER "x misses, and is neither sent on nor "
                       "acknowledged; expected write = back, or no such write",
                       path, writes[s->facts->write], allocates[s->facts->allocate], req->addr));
}

/*
 * Writes that the cache keeps are done as far as the SM is concerned; a cache above wants to hear
 * nothing of its write-backs.
 */
static void write_taken(Slice *s, WwMemReq *req, uint32_t sent)
{
    bool keeps = s->facts->allocate == WW_ALLOCATE_FETCH || s->facts->allocate == WW_ALLOCATE_LAZY;
    if (!keeps || (sent & WW_CACHE_SENT_WRITE_ALLOC)) {
        return;
    }
    if (req->type == WW_ACCESS_L1_WRBK) {
        drop(s, req);
    } else if (s->facts->write == WW_WRITE_BACK) {
        answer(s, req);
    } else if (!(sent & WW_CACHE_SENT_WRITE)) {
        never_acknowledged(s, req);
    }
}

static void access_cache(Slice *s, WwCycle time)
{
    WwMemReq *req = slice_queue_first(&s->in);
    uint32_t sent;
    WwCacheResult result = CACHE(s)->access(s->cache.peer, req, time + s->installed, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        s->refused = !s->flushing && CACHE(s)->refuses != NULL && CACHE(s)->refuses(s->cache.peer);
        return;
    }
    req->l2 = result == WW_CACHE_HIT ? WW_L2_ACCESS | WW_L2_HIT : WW_L2_ACCESS;
    slice_queue_take(&s->in);
    s->inside -= req->type == WW_ACCESS_L1_WRBK;
    if (result != WW_CACHE_HIT) {
        if (req->write) {
            write_taken(s, req, sent);
        }
    } else if (!(sent & WW_CACHE_SENT_WRITE)) {
        if (req->type == WW_ACCESS_L1_WRBK) {
            drop(s, req);
        } else {
            answer(s, req);
        }
    }
}

static inline bool for_cache(const Slice *s, const WwMemReq *req)
{
    return s->facts != NULL && (!s->texture_only || req->type == WW_ACCESS_TEXTURE_R);
}

static void oldest_request(Slice *s, WwCycle time)
{
    if (!ww_fifo_room(&s->to_dram)) {
        return;
    }
    if (!for_cache(s, slice_queue_first(&s->in))) {
        s->inside -= slice_queue_first(&s->in)->type == WW_ACCESS_L1_WRBK;
        WW_LOG(s, &slice_events[LOG_SEND], slice_queue_first(&s->in)->warp,
               WW_PART(slice_queue_first(&s->in)));
        ww_fifo_put(&s->to_dram, (WwToken)(uintptr_t)slice_queue_take(&s->in));
    } else if (!slice_queue_full(&s->out) &&
               CACHE(s)->port_free(s->cache.peer, WW_CACHE_DATA_PORT)) {
        access_cache(s, time);
    }
}

/* It has not been seen for a while. */
static inline void fetch(const WwMemReq *req)
{
    ww_host_fetch(req);
    ww_host_fetch(&req->owner);
}

static void leave_rop(Slice *s)
{
    if (s->rop[ww_ring_first(&s->rop_ring)].ready <= slice_rop_time(s) &&
        !slice_queue_full(&s->in)) {
        WwMemReq *req = s->rop[ww_ring_take(&s->rop_ring)].req;
        fetch(req); /* for the next cycle */
        slice_queue_put(&s->in, req);
    }
}

/* ---- rest ---------------------------------------------------------------------------------- */

/* In core cycles, when these are not the L2's. */
static void expect_in_core_cycles(Slice *s, WwCycle ready)
{
    if (!ww_event_pending(&s->rop_due) || s->rop_due.cycle != ready - 1) {
        ww_event_at(s->base.machine, s->core, &s->rop_due, ready - 1);
    }
}

void slice_expect(Slice *s, WwCycle ready)
{
    if (ready <= slice_rop_time(s) + 1) {
        ww_wake(&s->wake_l2);
    } else if (s->lockstep) {
        ww_wake_at(&s->wake_l2, ready + slice_sleeps_late(s));
    } else {
        expect_in_core_cycles(s, ready);
    }
}

/*
 * Edges until the head of the ROP delay is ready, or found; WW_SLEEP when a timer of the core's clock says
 * so.
 */
static WwRest rop_rest(Slice *s)
{
    WwCycle time = slice_rop_time(s);
    const RopEntry *e = &s->rop[ww_ring_first(&s->rop_ring)];
    if (e->ready <= time + 1) {
        return WW_AGAIN;
    }
    if (s->lockstep) {
        fetch(e->req);
        return e->ready - time + slice_sleeps_late(s);
    }
    expect_in_core_cycles(s, e->ready);
    return WW_SLEEP;
}

/*
 * Can the next cycle do anything, but for the ROP delay? What cannot is woken by what it waits for.
 */
static bool more_to_do(Slice *s)
{
    if (s->missed && !slice_queue_full(&s->out)) {
        return true;
    }
    if (ww_fifo_ready(&s->from_dram)) {
        const WwMemReq *req = (const WwMemReq *)(uintptr_t)ww_fifo_peek(&s->from_dram);
        if (!slice_queue_full(&s->out) || (s->facts != NULL && ww_cache_awaits(s->facts, req))) {
            return true;
        }
    }
    return s->in.ring.n != 0 && !s->refused && ww_fifo_room(&s->to_dram) &&
           (!for_cache(s, slice_queue_first(&s->in)) || !slice_queue_full(&s->out));
}

/*
 * Makes up for the flushes at the ends of core cycles before @p edge: one is enough, since nobody
 * used the cache in between. To be called before each use.
 */
static void flush_before(Slice *s, WwCycle edge)
{
    if (G_LIKELY(!s->flushing)) {
        return;
    }
    if (s->facts != NULL && edge > MAX(s->flush_from, s->used)) {
        CACHE(s)->clear(s->cache.peer, s->flush == 0 ? WW_CACHE_DIRTY : WW_CACHE_ALL);
    }
    s->used = edge;
}

/* Tells who takes packets whether there is a place from the next cycle on. */
static void tell_room(Slice *s)
{
    bool closed = slice_closed(s);
    if (closed == s->closed) {
        return;
    }
    WwCycle next = ww_now(s) + 1;
    s->closed = closed;
    ww_past_set(&s->was_closed, s, next, closed);
    if (!closed) {
        ww_wake_across(&s->wake_accept, s, next);
    }
}

static WwRest slice_l2(void *self)
{
    Slice *s = self;
    WwCycle time = core_time(s);
    flush_before(s, time);
    if (s->late) {
        slice_wake_late(s, slice_rop_time(s));
    }
    s->refused = false;
    s->stall_dramfull += s->closed && !s->rop_counts;
    if (s->missed) {
        completed_miss(s);
    }
    if (ww_fifo_length(&s->from_dram) != 0) {
        response_of_dram(s, time);
    }
    ww_step(&s->cache);
    if (s->in.ring.n != 0) {
        oldest_request(s, time);
    }
    if (s->rop_ring.n != 0) {
        leave_rop(s);
    }
    tell_room(s);
    if (more_to_do(s)) {
        return WW_AGAIN;
    }
    return s->rop_ring.n != 0 && !slice_queue_full(&s->in) ? rop_rest(s) : WW_SLEEP;
}

/* ---- replies ------------------------------------------------------------------------------- */

static WwMemReq *take_out(Slice *s)
{
    if (slice_queue_full(&s->out)) {
        ww_wake(&s->wake_l2);
    }
    return slice_queue_take(&s->out);
}

static WwRest slice_reply(void *self)
{
    Slice *s = self;
    s->reply_blocked = false;
    if (s->out.ring.n == 0) {
        return WW_SLEEP;
    }
    WwMemReq *req = slice_queue_first(&s->out);
    if (req->type == WW_ACCESS_L1_WRBK || req->type == WW_ACCESS_L2_WRBK) {
        drop(s, take_out(s)); /* nobody waits for it */
    } else if (!ww_fifo_room_for(&s->reply, ww_packet_bytes(req, true))) {
        s->stall_icnt2sh++;
        s->reply_blocked = true;
        return WW_SLEEP;
    } else {
        req->stamp = (uint32_t)core_time(s);
        s->inside--;
        s->awaited -= req->awaited;
        WW_LOG(s, &slice_events[LOG_REPLY], req->warp, WW_PART(req));
        ww_fifo_put(&s->reply, (WwToken)(uintptr_t)take_out(s));
        s->replies++;
    }
    return s->out.ring.n != 0 ? WW_AGAIN : WW_SLEEP;
}

/* ---- what others ask for ------------------------------------------------------------------- */

/* The cache has changed: what it refused it may take. */
static void ask_again(Slice *s)
{
    if (s->refused) {
        ww_wake(&s->wake_l2);
    }
}

/*
 * Copies happen between two intervals of the simulation. They are told of in the last core cycle
 * before, which then counts as completed; the first ones before any cycle.
 */
static void control_install(void *self, uint64_t addr, uint64_t partition, uint32_t n)
{
    Slice *s = self;
    if (s->facts != NULL) {
        WwCycle time = core_time(s) != 0 ? ww_edges_over(s, s->core) : 0;
        flush_before(s, time);
        CACHE(s)->install(s->cache.peer, addr, partition, n, time + s->installed);
        s->installed += n;
        ask_again(s);
    }
}

static void control_flush(void *self, bool on, WwCycle edge)
{
    Slice *s = self;
    flush_before(s, edge);
    s->flushing = on;
    s->flush_from = edge;
    s->used = 0;
    ask_again(s);
}

static const WwL2ControlIf control_table = {.install = control_install, .flush = control_flush};

enum { ENTRY_ACCEPT, ENTRY_L2, ENTRY_REPLY };

/* ---- the whole ----------------------------------------------------------------------------- */

static void slice_settle(void *self, uint32_t entry, uint64_t n)
{
    Slice *s = self;
    if (entry == ENTRY_REPLY) {
        s->stall_icnt2sh += s->reply_blocked ? n : 0;
    } else if (entry == ENTRY_L2) {
        s->stall_dramfull += s->closed && !s->rop_counts ? n : 0;
        if (s->refused) {
            CACHE(s)->refused(s->cache.peer, slice_queue_first(&s->in), n);
        }
    }
}

static void queue_init(Slice *s, SliceQueue *q, uint32_t depth)
{
    q->req = ww_alloc(s, ww_ring_init(&q->ring, depth) * sizeof(WwMemReq *));
    q->depth = depth;
}

static bool slice_init(void *self, GError **error)
{
    Slice *s = self;
    if (s->texture_only && !WW_BOUND(&s->cache)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "texture_only without a cache; expected one in slot 'cache'");
    }
    queue_init(s, &s->in, s->icnt_to_l2);
    queue_init(s, &s->out, s->l2_to_icnt);
    s->rop = ww_alloc(s, ww_ring_init(&s->rop_ring, ROP_ENTRIES) * sizeof *s->rop);
    ww_req_pool_init(&s->parts, s);
    ww_past_init(&s->was_closed, s);
    s->rop_clock = s->rop_in_core_cycles ? s->core : s->base.domain;
    s->accept_core = ww_time_of(s, ENTRY_ACCEPT, s->core);
    s->accept_l2 = ww_time_of(s, ENTRY_ACCEPT, s->base.domain);
    s->accept_rop_clock = s->rop_in_core_cycles ? s->accept_core : s->accept_l2;
    s->lockstep = s->rop_clock == s->base.domain || s->core->hz == s->base.domain->hz;
    s->slower = s->base.domain->hz <= s->core->hz;
    s->may_be_late = s->lockstep && s->in.depth > SECTORS && s->rop_latency != 0;
    return true;
}

/* An L2 of sectors answers in sectors. */
static uint64_t slice_carries(void *self, const WwPortRow *row, uint32_t k)
{
    Slice *s = self;
    (void)k;
    return row->contract == &ww_contract_mem_response && WW_BOUND(&s->cache) &&
                   CACHE(s)->facts(s->cache.peer)->atom == WW_SECTOR_BYTES
               ? WW_CARRIES_PARTS
               : 0;
}

static bool slice_start(void *self, GError **error)
{
    Slice *s = self;
    if (!WW_BOUND(&s->cache)) {
        return true;
    }
    ww_cache_in_turns(&s->cache);
    if (s->texture_only || CACHE(s)->facts(s->cache.peer)->write != WW_WRITE_READ_ONLY) {
        return true;
    }
    g_autofree char *path = ww_path(s->cache.peer);
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s has write = read_only; expected one that takes writes", path);
}

/* What is taken in comes out of the ROP delay that much later; what counts in it closes the slice at once. */
static void slice_ahead(void *self)
{
    const Slice *s = self;
    ww_window_limit(s->base.machine, s->rop_clock,
                    s->rop_counts || s->rop_latency == 0 ? 0 : s->rop_latency - 1);
}

static void rop_over(void *self, WwEvent *event)
{
    ww_wake(&((Slice *)self)->wake_l2);
}

static void slice_reset(void *self)
{
    Slice *s = self;
    s->wake_accept = ww_wake_of(s, ENTRY_ACCEPT);
    s->wake_l2 = ww_wake_of(s, ENTRY_L2);
    s->wake_reply = ww_wake_of(s, ENTRY_REPLY);
    s->replies_an_edge = ww_turns_an_edge(&s->wake_reply);
    s->facts = NULL;
    if (WW_BOUND(&s->cache)) {
        s->facts = CACHE(s)->facts(s->cache.peer);
    }
    ww_ring_clear(&s->in.ring);
    ww_ring_clear(&s->out.ring);
    ww_ring_clear(&s->rop_ring);
    s->installed = s->inside = s->awaited = 0;
    s->flushing = s->closed = s->missed = s->refused = s->late = false;
    ww_past_clear(&s->was_closed, false);
    s->reply_blocked = false;
    ww_event_cancel(s->base.machine, s->core, &s->rop_due);
    s->rop_due.fire = rop_over;
    s->rop_due.self = s;
    ww_req_pool_reset(&s->parts);
}

static void hold_queue(const SliceQueue *q, WwExplain *explain)
{
    for (uint32_t i = 0; i < q->ring.n; i++) {
        ww_explain_holds_req(explain, q->req[ww_ring_slot(&q->ring, i)]);
    }
}

static void hold_parts(Slice *s, WwExplain *explain)
{
    const WwMemReq *oldest = ww_req_pool_explain(&s->parts, explain);
    if (oldest != NULL) {
        ww_explain_waits_for(explain, ww_thing_req(oldest),
                             "packets wait for their parts, the oldest at %" G_GINT64_MODIFIER "x",
                             oldest->addr);
    }
}

static void slice_explain(void *self, WwExplain *explain)
{
    Slice *s = self;
    hold_queue(&s->in, explain);
    hold_queue(&s->out, explain);
    for (uint32_t i = 0; i < s->rop_ring.n; i++) {
        ww_explain_holds_req(explain, s->rop[ww_ring_slot(&s->rop_ring, i)].req);
    }
    hold_parts(s, explain);
    const WwFifo *down = s->to_dram.peer, *up = s->reply.peer;
    if (s->in.ring.n != 0 && ww_fifo_full(&s->to_dram)) {
        ww_explain_waits(explain, down->ch.reader->who, "%u %s for room towards DRAM", s->in.ring.n,
                         WW_PLURAL(s->in.ring.n, "request waits", "requests wait"));
    } else if (s->in.ring.n != 0) {
        ww_explain_waits(explain, s->cache.peer, "%u %s for the cache", s->in.ring.n,
                         WW_PLURAL(s->in.ring.n, "request waits", "requests wait"));
    }
    if (s->out.ring.n != 0 && ww_fifo_full(&s->reply)) {
        ww_explain_unit(explain, -1, 1); /* of the networks the one for replies */
        ww_explain_waits(explain, up->ch.reader->who, "%u %s for room in the network",
                         s->out.ring.n, WW_PLURAL(s->out.ring.n, "reply waits", "replies wait"));
    }
    if (s->rop_ring.n != 0) {
        ww_explain_note(explain, "%u %s in the ROP delay", s->rop_ring.n,
                        WW_PLURAL(s->rop_ring.n, "request", "requests"));
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const char *const flushes[] = {"dirty", "all", NULL};

static const WwParamRow slice_params[] = {
    WW_UINT(Slice, rop_latency, "cycles", "85", 0, 65536,
            "cycles from the network to the L2's queue"),
    WW_BOOL(Slice, rop_in_core_cycles, "true",
            "rop_latency is in core cycles, as in the reference; false: in L2 cycles"),
    WW_BOOL(Slice, parts_reach_back, "true",
            "each part of a line or half-line also has the bytes of the parts before it, as in the "
            "reference; false: only its own"),
    WW_UINT(Slice, icnt_to_l2, "entries", "8", 4, 4096, "requests waiting for the cache"),
    WW_UINT(Slice, l2_to_icnt, "entries", "8", 1, 4096, "replies waiting for the network"),
    WW_CHOICE(Slice, flush, "dirty", flushes,
              "lines a flush removes from the cache: dirty ones, as in the reference, or all, as "
              "in the simulator released with the modern SM"),
    WW_BOOL(Slice, texture_only, "false", "only textures use the cache"),
    WW_BOOL(Slice, texture_rop, "false",
            "textures also pass the ROP delay, as in the simulator released with the modern SM; "
            "false: they do not, as in the reference"),
    WW_BOOL(Slice, rop_counts, "false",
            "requests in the ROP delay also occupy icnt_to_l2; false: the delay holds any number, "
            "as in the reference"),
    {0},
};

static const WwClockRow slice_clocks[] = {
    WW_CLOCK(Slice, core, "core",
             "the clock of the SMs: for the ROP delay, and the time given to the cache"),
    {0},
};

static const WwPortRow slice_ports[] = {
    WW_PORT_IN(Slice, request, &ww_contract_mem_request, 1, "packets from the network"),
    {.name = "reply",
     .role = WW_OUT,
     .contract = &ww_contract_mem_response,
     .min = 1,
     .max = 1,
     .entry = "reply",
     .doc = "replies into the network",
     .offset = WW_FIELD(Slice, reply, WwPort)},
    {.name = "to_dram",
     .role = WW_OUT,
     .contract = &ww_contract_dram_request,
     .min = 1,
     .max = 1,
     .entry = "l2",
     .doc = "the fifo to the channel, shared with the cache's `lower`",
     .offset = WW_FIELD(Slice, to_dram, WwPort)},
    {.name = "from_dram",
     .role = WW_IN,
     .contract = &ww_contract_dram_response,
     .min = 1,
     .max = 1,
     .entry = "l2",
     .doc = "responses of the channel",
     .offset = WW_FIELD(Slice, from_dram, WwPort)},
    {.name = "cache",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cache,
     .max = 1,
     .owns = true,
     .entry = "l2",
     .doc = "tags, MSHRs and miss queue; unbound: no L2",
     .offset = WW_FIELD(Slice, cache, WwPort)},
    WW_PORT_REQUIRES(Slice, arrivals, &ww_contract_arrivals, 0, NULL, "told of packets taken"),
    WW_PORT_REQUIRES(Slice, address_map, &ww_contract_address_map, 0, NULL,
                     "bank, row and column of the parts of a packet"),
    WW_PORT_PROVIDES(Slice, control, &ww_contract_l2_control, &control_table, "memcpy and flush"),
    WW_PORT_PROVIDES(Slice, activity, &ww_contract_activity, &slice_activity_table,
                     "tells whether requests are inside"),
    {0},
};

static const WwStatRow slice_stats[] = {
    WW_COUNTER(Slice, accepted, "packets", "packets taken from the network"),
    WW_COUNTER(Slice, replies, "packets", "replies sent into the network"),
    WW_COUNTER(Slice, stall_dramfull, "cycles", "L2 cycles in which no packet could be taken"),
    WW_COUNTER(Slice, stall_icnt2sh, "cycles",
               "network cycles in which there was no room for a reply"),
    WW_COUNTER(Slice, icnt2mem_sum, "cycles",
               "core cycles from a request's creation to here, summed"),
    WW_MAXIMUM(Slice, icnt2mem_max, "cycles", "maximum of these"),
    WW_HISTOGRAM(Slice, icnt2mem_table, "packets", "packets by this latency"),
    WW_COUNTER(Slice, splits, "requests", "sector requests made from larger packets"),
    WW_COUNTER(Slice, dropped, "requests", "transactions that ended here without a reply"),
    {0},
};

static const WwEntryRow slice_entries[] = {
    {.name = "accept",
     .phase = "l2",
     .tick = slice_accept,
     .partition = "requests",
     .doc = "takes a packet"},
    {.name = "l2", .phase = "l2", .tick = slice_l2, .doc = "one cycle of the slice"},
    {.name = "reply", .phase = "reply", .tick = slice_reply, .doc = "one reply into the network"},
    {0},
};

const WwEventRow slice_events[] = {
    [LOG_ARRIVE] = {"arrive", "warp", "a packet is taken from the network", {&ww_field_request}},
    [LOG_SEND] = {"send",
                  "warp",
                  "a request that bypasses the cache leaves for the memory channel",
                  {&ww_field_request}},
    [LOG_REPLY] = {"reply", "warp", "a reply enters the network", {&ww_field_request}},
    [LOG_DROP] = {"drop", "warp", "a request that nobody waits for ends here", {&ww_field_request}},
    {0},
};

const WwType l2_slice_type = {
    .abi = WW_ABI_VERSION,
    .name = "l2_slice",
    .doc = "An L2 slice between network and DRAM: delay, queues and replies around a cache.",
    .family = "l2",
    .conserves = WW_CONSERVES_MANY,
    .size = sizeof(Slice),
    .events = slice_events,
    .params = slice_params,
    .clocks = slice_clocks,
    .ports = slice_ports,
    .stats = slice_stats,
    .entries = slice_entries,
    .init = slice_init,
    .reset = slice_reset,
    .settle = slice_settle,
    .explain = slice_explain,
    .start = slice_start,
    .carries = slice_carries,
    .ahead = slice_ahead,
};
