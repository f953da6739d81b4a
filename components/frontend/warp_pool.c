/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hardware warps of an SM: trace cursors, two-entry i-buffers, live lanes, counters, and the
 * pool of instruction records.
 *
 * Passive. Everybody reads the masks; whoever changes one calls a function here, and the function
 * tells exactly those who could now do something: the warp's scheduler (slot mod number of
 * schedulers) when an i-buffer is filled or the last atomic returns, the fetch unit when a warp
 * may be fetched (live, i-buffer empty, no miss pending) or retired (no lane, store or
 * instruction left).
 *
 * Workload: some ten calls for each warp instruction, each a few instructions long. An SM has up to
 * two records a warp in i-buffers and a few dozen in flight, so that after the first microseconds
 * nothing is allocated.
 *
 *     fetch, decode ──> i-buffers ──> schedulers ──> ... ──> finish ──> scoreboard
 */
#include "generic-priv.h"
#include "types.h"
#include <ports/hazards.h>
#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/warps.h>
#include <string.h>
#include <warpwright/pool.h>

#define INST_BYTES 16u /* of an instruction, control bits included */

typedef struct WarpPool {
    WwComponent base;
    /* parameters */
    uint32_t slots;
    bool clock_gated_lanes;
    bool fetch_straight;
    uint64_t generic_window;
    /* ports */
    WwProvided warps;
    WwProvided simt;
    WwPort hazard;
    /* state */
    WwWarpView view;
    WwSimtView simt_view; /* a trace never branches off: nobody is unsure */
    uint32_t decoded, issued;
    WwPool records;
    WwWake none;
    const WwWake *fetch[WW_MAX_WARPS]; /* by warp: its fetch unit, */
    const WwWake *issue[WW_MAX_WARPS]; /* its scheduler */
    WwWarp warp[WW_MAX_WARPS];
    WwCycle filled[WW_MAX_WARPS]; /* edge after the one in which an i-buffer was filled last */
    bool hasty;                   /* one was filled twice in an edge */
    uint32_t longest;             /* warp that had much to do when last asked */
    WwCycle longest_had;          /* this much then, and no other more; WW_NEVER: others may */
    WwPort pcs;
    /* statistics */
    uint64_t thread_insns;
    uint64_t warp_insns;
    uint64_t thread_slots;
    uint64_t launched;
} WarpPool;

/* ---- masks and notices ----------------------------------------------------------------------- */

static inline void put_bit(uint64_t *mask, uint32_t warp, bool on)
{
    *mask = (*mask & ~(1ull << warp)) | (uint64_t)on << warp;
}

static inline void wake_if_fetchable(WarpPool *p, uint32_t warp)
{
    if ((p->view.live & ~p->view.ibuf & ~p->view.imiss) >> warp & 1u) {
        ww_wake(p->fetch[warp]);
    }
}

static inline void wake_if_retirable(WarpPool *p, uint32_t warp)
{
    if ((p->view.resident & ~p->view.live & ~p->view.busy & ~p->view.stores & ~p->view.atomics) >>
            warp &
        1u) {
        ww_wake(p->fetch[warp]);
    }
}

/* ---- warps ----------------------------------------------------------------------------------- */

static const WwWarpView *pool_view(void *self)
{
    WarpPool *p = self;
    if (p->view.slots == 0) { /* before the first reset, too */
        p->view.slots = p->slots;
        p->view.schedulers = ww_provided_count(&p->warps, WW_WARPS_ISSUE);
        const WwHazardView *hazards = WW_SCOREBOARD(&p->hazard)->view(p->hazard.peer);
        p->view.keeps_loads = hazards->exact;
        p->view.zero_free = hazards->zero_free;
    }
    return &p->view;
}

/* Of the instruction that the trace has next; 0 at its end. */
static __attribute__((noinline)) uint64_t trace_pc(const WwWarp *w)
{
    if (w->cursor == w->n_trace) {
        return 0;
    }
    return w->kernel->sinst[ww_warp_decodes(w)]->pc;
}

static void pool_launch(void *self, const WwWarpLaunch *launch)
{
    WarpPool *p = self;
    uint32_t w = launch->warp;
    WwPacked *packed =
        launch->trace->packed != NULL ? launch->trace->packed[launch->trace_warp] : NULL;
    if (packed != NULL) {
        ww_packed_start(packed);
    }
    ww_assert(w < p->slots && !(p->view.resident >> w & 1u));
    p->warp[w] = (WwWarp){
        .trace = launch->trace->warp[launch->trace_warp],
        .packed = packed,
        .n_trace = launch->trace->n_insts[launch->trace_warp],
        .addr = launch->trace->addr,
        .kernel = launch->kernel,
        .lanes = launch->lanes,
        .launched = launch->lanes,
        .dynamic_id = p->view.launches++,
        .cta = (uint8_t)launch->cta,
    };
    p->warp[w].after = trace_pc(&p->warp[w]);
    put_bit(&p->view.resident, w, true);
    put_bit(&p->view.live, w, launch->lanes != 0);
    p->launched++;
    p->longest_had = WW_NEVER;
    if (WW_BOUND(&p->pcs)) {
        WW_PCS(&p->pcs)->launched(p->pcs.peer, w);
    }
    ww_wake(p->fetch[w]);
}

WW_COLD static void make_room(WarpPool *p, WwInst *inst)
{
    inst->room = ww_take(p, sizeof(WwAddrRoom));
}

/* A packed instruction's addresses live as long as its record. Returns where they are. */
static __attribute__((noinline)) const uint64_t *unpack(WarpPool *p, WwPacked *packed, WwTinst *out,
                                                        WwInst *inst)
{
    if (inst->room == NULL) {
        make_room(p, inst);
    }
    ww_packed_next(packed, out, inst->room);
    return inst->room->words;
}

static inline __attribute__((always_inline)) WwInst *make_record(WarpPool *p, WwInst *inst,
                                                                 uint32_t warp, const WwTinst *t,
                                                                 const uint64_t *addr)
{
    const WwKernel *kernel = p->warp[warp].kernel;
    const WwSinst *s = kernel->sinst[t->sinst];
    inst->s = s;
    inst->addr = t->addr != 0 ? (const WwAddrBlock *)(const void *)(addr + t->addr - 1) : NULL;
    ww_host_fetch(inst->addr); /* asked for when it is issued */
    inst->next = NULL;
    inst->uid = ++p->decoded;
    inst->order = 0;
    inst->mask = t->mask;
    inst->warp = (uint16_t)warp;
    inst->sched = 0;
    inst->op = s->op;
    inst->space = s->space;
    inst->latency = inst->interval = inst->cycles = 0;
    if (G_UNLIKELY(s->space == WW_SPACE_GENERIC)) {
        inst->space = (uint8_t)generic_space(p->generic_window, kernel, inst);
    }
    return inst;
}

static __attribute__((noinline)) WwInst *decode_packed(WarpPool *p, WwInst *inst, uint32_t warp)
{
    WwTinst t;
    const uint64_t *addr = unpack(p, p->warp[warp].packed, &t, inst);
    return make_record(p, inst, warp, &t, addr);
}

/* The next instruction, number @p at of the trace. */
static inline __attribute__((always_inline)) WwInst *decode(WarpPool *p, const WwWarp *w,
                                                            uint32_t warp, uint32_t at)
{
    WwInst *inst = ww_pool_take(&p->records);
    return G_UNLIKELY(w->packed != NULL) ? decode_packed(p, inst, warp)
                                         : make_record(p, inst, warp, &w->trace[at], w->addr);
}

static WwInst *pool_decode(void *self, uint32_t warp)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    return w->cursor != w->n_trace ? decode(p, w, warp, w->cursor++) : NULL;
}

/* The pool's own record, of which warps show what may be looked at. */
static inline WwInst *record(const WwInst *shown)
{
    return (WwInst *)(uintptr_t)shown;
}

/* The first entry of an i-buffer is filled. */
static inline void note_filled(WarpPool *p, uint32_t warp)
{
    WwCycle after = ww_now(p) + 1;
    if (G_UNLIKELY(p->filled[warp] == after)) {
        ww_assert(!ww_partition_alone(p->base.domain->partition)); /* see pool_lasts() */
        p->hasty = true;
    }
    p->filled[warp] = after;
}

static void pool_fill(void *self, uint32_t warp, uint32_t entry, WwInst *inst)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    if (entry == 0) {
        note_filled(p, warp);
    }
    uint64_t bit = 1ull << warp;
    w->ibuf[entry] = inst;
    w->next = 0;
    w->in_pipeline++;
    p->view.ibuf |= w->ibuf[0] != NULL ? bit : 0; /* entry 0 is filled first */
    p->view.busy |= bit;
    ww_wake(p->issue[warp]);
}

/* The records that are decoded next lie in a line that nobody has looked at, or in two. */
static inline void fetch_next(const WwWarp *w)
{
    if (w->cursor != w->n_trace && w->trace != NULL) {
        ww_host_fetch(&w->trace[MIN(w->cursor + WW_IBUFFER, w->n_trace) - 1]);
    }
}

static uint32_t pool_refill(void *self, uint32_t warp, WwInst *out[WW_IBUFFER])
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    const uint32_t at = w->cursor, n = MIN(w->n_trace - at, WW_IBUFFER);
    if (n == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        w->ibuf[i] = out[i] = decode(p, w, warp, at + i);
    }
    w->cursor = at + n;
    fetch_next(w);
    w->next = 0;
    w->in_pipeline += n;
    note_filled(p, warp);
    uint64_t bit = 1ull << warp;
    p->view.ibuf |= bit;
    p->view.busy |= bit;
    ww_wake(p->issue[warp]);
    return n;
}

static void pool_show(void *self, uint32_t warp, WwInst *inst)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    w->next = 0;
    w->ibuf[0] = inst;
    put_bit(&p->view.ibuf, warp, inst != NULL);
    if (inst != NULL) {
        ww_wake(p->issue[warp]);
    }
}

static void pool_set_imiss(void *self, uint32_t warp, bool pending)
{
    WarpPool *p = self;
    put_bit(&p->view.imiss, warp, pending);
    wake_if_fetchable(p, warp);
}

static WwInst *pool_pop(void *self, uint32_t warp)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    WwInst *inst = record(w->ibuf[w->next]);
    w->ibuf[w->next] = NULL;
    w->next = (uint8_t)((w->next + 1u) % WW_IBUFFER);
    inst->order = ++p->issued;
    w->after = inst->s->pc + INST_BYTES;
    if (w->ibuf[w->next] == NULL) {
        uint64_t bit = 1ull << warp;
        p->view.ibuf &= ~bit;
        if (p->view.live & ~p->view.imiss & bit) {
            ww_wake(p->fetch[warp]);
        }
    }
    return inst;
}

/* Its last instruction has left, or one that a fence waits for. Out of line, like what else is rare below: the usual way needs no frame then. */
static __attribute__((noinline)) void has_left(WarpPool *p, uint32_t warp)
{
    if (p->warp[warp].in_pipeline == 0) {
        put_bit(&p->view.busy, warp, false);
        wake_if_retirable(p, warp);
    }
    if (p->warp[warp].fenced) {
        ww_wake(p->issue[warp]);
    }
}

static inline void leave(WarpPool *p, uint32_t warp)
{
    WwWarp *w = &p->warp[warp];
    ww_assert(w->in_pipeline != 0);
    if (--w->in_pipeline == 0 || w->fenced) {
        has_left(p, warp);
    }
}

static void pool_flight(void *self, uint32_t warp, int32_t delta)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    for (; delta < 0; delta++) {
        leave(p, warp);
    }
    w->in_pipeline += (uint32_t)delta;
    put_bit(&p->view.busy, warp, w->in_pipeline != 0);
}

static void pool_drop(void *self, uint32_t warp)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    for (uint32_t i = 0; i < WW_IBUFFER; i++) {
        if (w->ibuf[i] != NULL) {
            ww_pool_give(&p->records, record(w->ibuf[i]));
            w->ibuf[i] = NULL;
            put_bit(&p->view.ibuf, warp, false);
            leave(p, warp);
        }
    }
    wake_if_fetchable(p, warp);
}

/* Entries leave the i-buffer from its first one, so that those left are the last decoded. */
static void pool_rewind(void *self, uint32_t warp)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    uint32_t n = 0;
    for (uint32_t i = 0; i < WW_IBUFFER; i++) {
        n += w->ibuf[i] != NULL;
    }
    w->cursor -= n;
    if (w->packed != NULL) {
        ww_packed_back(w->packed, n);
    }
    w->after = trace_pc(w);
    pool_drop(p, warp);
}

static void pool_touch(void *self, uint32_t warp)
{
    WarpPool *p = self;
    p->view.touches++;
    ww_wake(p->issue[warp]);
}

static void pool_fence(void *self, uint32_t warp, bool on)
{
    ((WarpPool *)self)->warp[warp].fenced = on;
}

static void pool_tries(void *self, uint32_t warp, bool paid, uint32_t wait)
{
    WwWarp *w = &((WarpPool *)self)->warp[warp];
    w->launch_paid = paid;
    w->launch_wait = wait;
}

static void pool_exit_lanes(void *self, uint32_t warp, uint32_t mask)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    w->lanes &= ~mask;
    if (w->lanes == 0) {
        put_bit(&p->view.live, warp, false);
        wake_if_retirable(p, warp);
    }
}

static void complete(WarpPool *p, const WwInst *inst)
{
    uint32_t lanes = ww_inst_lanes(inst);
    p->thread_insns += lanes;
    p->thread_slots += p->clock_gated_lanes ? lanes : WW_WARP_SIZE;
    p->warp_insns++;
    ww_progress(p);
}

/* The record is given back last: it says what the others need. */
static __attribute__((noinline)) void finish_some(WarpPool *p, WwInst *inst, uint32_t what)
{
    if (what & WW_END_RESULT) {
        WW_SCOREBOARD(&p->hazard)->release_all(p->hazard.peer, inst);
    }
    if (what & WW_END_DATA) {
        WW_SCOREBOARD(&p->hazard)->release(p->hazard.peer, inst->warp, inst->s->dst);
    }
    if (what & WW_END_PIPELINE) {
        leave(p, inst->warp);
    }
    if (what & WW_END_COUNT) {
        complete(p, inst);
    }
    if (what & WW_END_RECORD) {
        ww_pool_give(&p->records, inst);
    }
}

static __attribute__((noinline)) void finish_all(WarpPool *p, WwInst *inst)
{
    WW_SCOREBOARD(&p->hazard)->release_all(p->hazard.peer, inst);
    leave(p, inst->warp);
    complete(p, inst);
    ww_pool_give(&p->records, inst);
}

static void pool_finish_inst(void *self, WwInst *inst, uint32_t what)
{
    WarpPool *p = self;
    if (what == WW_END_ALL) { /* as most do */
        finish_all(p, inst);
    } else if (what == WW_END_PIPELINE) { /* loads */
        leave(p, inst->warp);
    } else {
        finish_some(p, inst, what);
    }
}

static void pool_stores(void *self, uint32_t warp, int32_t delta)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    ww_assert(delta >= 0 || w->stores >= (uint32_t)-delta);
    w->stores += (uint32_t)delta;
    put_bit(&p->view.stores, warp, w->stores != 0);
    wake_if_retirable(p, warp);
    if (w->fenced) {
        ww_wake(p->issue[warp]);
    }
}

static void pool_atomics(void *self, uint32_t warp, int32_t delta)
{
    WarpPool *p = self;
    WwWarp *w = &p->warp[warp];
    ww_assert(delta >= 0 || w->atomics >= (uint32_t)-delta);
    w->atomics += (uint32_t)delta;
    put_bit(&p->view.atomics, warp, w->atomics != 0);
    if (w->atomics == 0) {
        ww_wake(p->issue[warp]);
        wake_if_retirable(p, warp);
    }
}

static void pool_retire(void *self, uint32_t warp)
{
    WarpPool *p = self;
    put_bit(&p->view.resident, warp, false);
    if (WW_BOUND(&p->pcs)) {
        WW_PCS(&p->pcs)->retired(p->pcs.peer, warp);
    }
}

/* An i-buffer is filled once an edge, so the rest of a trace takes so long at least. */
static WwCycle trace_lasts(const WarpPool *p, uint32_t warp)
{
    const WwWarp *w = &p->warp[warp];
    return p->view.live >> warp & 1u ? (w->n_trace - w->cursor) / WW_IBUFFER : 0;
}

/* The warp with the most to do, or the first one with as much as @p most. */
static WwCycle find_longest(WarpPool *p, WwCycle most)
{
    WwCycle best = 0;
    for (uint64_t left = p->view.live; best < most && left != 0; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(left);
        WwCycle lasts = trace_lasts(p, w);
        if (lasts > best) {
            p->longest = w;
            best = lasts;
        }
    }
    p->longest_had = best < most ? best : WW_NEVER;
    return best;
}

/* Asked before each window: another warp is looked for when an eighth of what the longest one had is done. */
static WwCycle pool_lasts(void *self, WwCycle most)
{
    WarpPool *p = self;
    if (G_UNLIKELY(p->hasty)) {
        return 0;
    }
    WwCycle best = trace_lasts(p, p->longest);
    if (best < most && p->longest_had - best > p->longest_had / 8) {
        best = find_longest(p, most);
    }
    return MIN(best, most);
}

static const WwWarpsIf warps_table = {
    .view = pool_view,
    .launch = pool_launch,
    .decode = pool_decode,
    .fill = pool_fill,
    .refill = pool_refill,
    .show = pool_show,
    .flight = pool_flight,
    .set_imiss = pool_set_imiss,
    .pop = pool_pop,
    .drop = pool_drop,
    .rewind = pool_rewind,
    .touch = pool_touch,
    .fence = pool_fence,
    .tries = pool_tries,
    .exit_lanes = pool_exit_lanes,
    .finish = pool_finish_inst,
    .stores = pool_stores,
    .atomics = pool_atomics,
    .retire = pool_retire,
    .lasts = pool_lasts,
};

/* ---- simt ------------------------------------------------------------------------------------ */

static uint64_t pool_pc(void *self, uint32_t warp)
{
    const WarpPool *p = self;
    const WwWarp *w = &p->warp[warp];
    return p->fetch_straight ? w->after : trace_pc(w);
}

static const WwSimtView *pool_simt_view(void *self)
{
    return &((WarpPool *)self)->simt_view;
}

static uint64_t pool_expected(void *self, uint32_t warp)
{
    const WarpPool *p = self;
    const WwInst *inst = p->warp[warp].ibuf[p->warp[warp].next];
    return inst != NULL ? inst->s->pc : trace_pc(&p->warp[warp]);
}

static const WwSimtIf simt_table = {
    .pc = pool_pc, .view = pool_simt_view, .expected = pool_expected};

/* ---- life ------------------------------------------------------------------------------------ */

static bool pool_init(void *self, GError **error)
{
    WarpPool *p = self;
    ww_pool_init(&p->records, p, sizeof(WwInst));
    return true;
}

/* Of the callers of rank @p rank the one that a warp belongs to, or NULL. */
static const WwClient *caller_of(const WarpPool *p, int32_t rank, uint32_t warp)
{
    uint32_t n = ww_provided_count(&p->warps, rank);
    return n != 0 ? ww_provided_client(&p->warps, rank, warp % n) : NULL;
}

static void pool_reset(void *self)
{
    WarpPool *p = self;
    p->view = (WwWarpView){.warp = p->warp, .insns = &p->thread_insns};
    pool_view(p);
    memset(p->warp, 0, sizeof p->warp);
    memset(p->filled, 0, sizeof p->filled);
    p->hasty = false;
    p->longest = 0;
    p->longest_had = WW_NEVER;
    p->decoded = p->issued = 0;
    ww_pool_reset(&p->records);
    p->none = ww_wake_none();
    ww_provided_wakes(&p->warps, WW_WARPS_FETCH, &p->none, p->fetch, WW_MAX_WARPS);
    ww_provided_wakes(&p->warps, WW_WARPS_ISSUE, &p->none, p->issue, WW_MAX_WARPS);
}

static void explain_warp(const WarpPool *p, WwExplain *explain, uint32_t warp)
{
    const WwWarp *w = &p->warp[warp];
    const WwClient *fetch = caller_of(p, WW_WARPS_FETCH, warp);
    ww_explain_unit(explain, warp, warp);
    if (p->view.ibuf >> warp & 1u) {
        const WwClient *c = caller_of(p, WW_WARPS_ISSUE, warp);
        ww_explain_waits(explain, c != NULL ? c->who : NULL, "warp %u waits for the issue of %s",
                         warp, w->ibuf[w->next]->s->opcode);
    } else if (w->lanes != 0) {
        ww_explain_waits(explain, fetch != NULL ? fetch->who : NULL,
                         "warp %u waits for fetch (instruction %u of %u)", warp, w->cursor,
                         w->n_trace);
    } else if (w->in_pipeline != 0 || w->stores != 0) {
        ww_explain_waits_for(explain, ww_thing_flight(warp),
                             "warp %u has exited with %u instructions in flight and %u stores open",
                             warp, w->in_pipeline, w->stores);
    } else {
        ww_explain_waits(explain, fetch != NULL ? fetch->who : NULL, "warp %u waits to be retired",
                         warp);
    }
}

static void pool_explain(void *self, WwExplain *explain)
{
    const WarpPool *p = self;
    for (uint64_t m = p->view.resident; m != 0; m &= m - 1) {
        explain_warp(p, explain, (uint32_t)__builtin_ctzll(m));
    }
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow pool_params[] = {
    WW_UINT(WarpPool, slots, "entries", "64", 1, WW_MAX_WARPS, "hardware warps"),
    WW_BOOL(WarpPool, clock_gated_lanes, "false", "thread_slots counts active lanes only"),
    WW_BOOL(WarpPool, fetch_straight, "true",
            "fetch continues after the instruction issued last, even if it branched, as in the "
            "reference; false: where the trace continues"),
    WW_U64(WarpPool, generic_window, "bytes", "0", 0, UINT64_C(1) << 40,
           "size of the shared and of the local window in generic addresses; 0: shared reaches up "
           "to local, which has 16 KiB, as in the reference"),
    {0},
};

static const WwPortRow pool_ports[] = {
    WW_PORT_PROVIDES(WarpPool, warps, &ww_contract_warps, &warps_table,
                     "i-buffers, lanes, counters, cursors"),
    WW_PORT_PROVIDES(WarpPool, simt, &ww_contract_simt, &simt_table,
                     "the pc to fetch, and the pc a warp executes next"),
    WW_PORT_REQUIRES(WarpPool, hazard, &ww_contract_scoreboard, 1, WW_RANK_RELEASE,
                     "releases the registers written by an instruction that ends"),
    WW_PORT_PCS(WarpPool, "notified of warps that come and go"),
    {0},
};

static const WwStatRow pool_stats[] = {
    WW_COUNTER(WarpPool, thread_insns, "instructions", "active lanes of completed instructions"),
    WW_COUNTER(WarpPool, warp_insns, "instructions", "completed warp instructions"),
    WW_COUNTER(
        WarpPool, thread_slots, "lanes",
        "lanes of completed instructions (32 each, or the active ones with clock_gated_lanes)"),
    WW_COUNTER(WarpPool, launched, "warps", "warps placed on hardware warps"),
    {0},
};

const WwType warp_pool_type = {
    .abi = WW_ABI_VERSION,
    .name = "warp_pool",
    .doc =
        "hardware warps of an SM: i-buffers, lanes, counters, trace cursors, instruction records",
    .family = "frontend",
    .size = sizeof(WarpPool),
    .params = pool_params,
    .ports = pool_ports,
    .stats = pool_stats,
    .init = pool_init,
    .reset = pool_reset,
    .explain = pool_explain,
};
