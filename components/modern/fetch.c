/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fetch stage of a sub-core: greedy, then youngest.
 *
 * A turn takes what the instruction cache has, if anything, to the decode stage, and then walks along the warps of the sub-core: first the one that issued
 * last (as the issue stage left it in the cycle before), then from the youngest to the oldest, at last those that are held at a barrier or have exited, by
 * number. One that is finished is retired on the way; the first with room in its instruction buffer and with live lanes has a fetch sent, which ends the walk, so that finished
 * warps behind it are not noticed. While no warp of the sub-core is resident nothing moves, what the cache has waits.
 *
 * Source: Huerta et al., MICRO'25 (docs/modern.md).
 *
 * Workload: one activation for each instruction that is fetched; masks, and a look at the ages of those that want to be fetched for. While the
 * instruction cache refuses the same fetch it sleeps.
 *
 *     warps, barriers, dependence, ibuffer, fetches ──> fetch ──fetch──> decode
 *                                                         └──> ctas (retire)
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/hazards.h>
#include <ports/sub_core.h>
#include <ports/tokens.h>

typedef struct Fetch {
    WwComponent base;
    /* ports */
    WwPort fetch;
    WwPort ibuffer;
    WwPort warps;
    WwPort barriers;
    WwPort dependence;
    WwPort fetches;
    WwPort ctas;
    /* state */
    const WwIbufferView *buffers;
    const WwWarpView *view;
    const WwBarrierView *held; /* NULL: nobody holds warps */
    uint64_t mine;
    bool waits; /* It sleeps: the fetch for `warp` would be refused in each turn, */
    uint32_t warp;
    WwCycle counted; /* and was, up to this cycle. */
    /* statistics */
    uint64_t requests;
    uint64_t refusals;
    uint64_t fetched;
    uint64_t retired;
} Fetch;

enum { LOG_REQUEST, LOG_FETCH, LOG_VACATE };
static const WwEventField field_cta =
    WW_EVENT_FIELD("cta", WW_EVENT_NUMBER, "", "the CTA slot that it was of");
static const WwEventField field_result =
    WW_EVENT_FIELD("result", WW_EVENT_LABEL, "", "here: at once; sent; refused: tried again");
static const WwEventRow fetch_events[] = {
    [LOG_REQUEST] = {"request",
                     "warp",
                     "an instruction is requested",
                     {&ww_field_pc, &field_result}},
    [LOG_FETCH] = {"fetch", "warp", "an instruction goes to the decode stage", {&ww_field_pc}},
    [LOG_VACATE] = {"vacate", "warp", "a finished warp leaves its slot", {&field_cta}},
    {0},
};

/* ---- what may be done ---------------------------------------------------------------------------------------------------- */

/* Warps that have exited, and wait for nothing that they started but what counters and registers say. */
static inline uint64_t over(const Fetch *f)
{
    const WwWarpView *v = f->view;
    return f->mine & v->resident & ~v->live & ~v->stores & ~v->atomics & ~v->busy;
}

static inline uint64_t wanted(const Fetch *f)
{
    return f->mine & f->view->resident & f->view->live & f->buffers->space;
}

/* Warps that come last: held at a barrier, or without live lanes. */
static inline uint64_t last_ones(const Fetch *f)
{
    return ~f->view->live | (f->held != NULL ? f->held->held | f->held->membar : 0);
}

static uint32_t youngest(const Fetch *f, uint64_t mask)
{
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(mask);
        if (ww_warp_older(&f->view->warp[best], &f->view->warp[warp])) {
            best = warp;
        }
    }
    return best;
}

/* ---- what is done -------------------------------------------------------------------------------------------------------- */

static void retire(Fetch *f, uint32_t warp)
{
    if (!WW_DEPENDENCE(&f->dependence)->idle(f->dependence.peer, warp)) {
        return;
    }
    WW_LOG(f, &fetch_events[LOG_VACATE], warp, f->view->warp[warp].cta);
    WW_WARPS(&f->warps)->retire(f->warps.peer, warp);
    WW_CTAS(&f->ctas)->retire(f->ctas.peer, warp);
    WW_DEPENDENCE(&f->dependence)->retired(f->dependence.peer, warp);
    f->retired++;
}

static void deliver(Fetch *f, uint32_t warp, uint64_t pc)
{
    WW_LOG(f, &fetch_events[LOG_FETCH], warp, pc);
    ww_fifo_put(&f->fetch, ww_fetch_token(warp, pc));
    f->fetched++;
}

/* A warp with live lanes and nothing left to execute can never finish: the trace is wrong. */
WW_COLD static void fail_at_end(Fetch *f, uint32_t warp)
{
    const WwWarp *w = &f->view->warp[warp];
    ww_fail_run(f, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                               "%s: the trace of a warp of kernel '%s' ends after %u instructions "
                               "while lanes %08x have "
                               "not exited; expected an EXIT for every lane",
                               w->kernel != NULL ? w->kernel->file : "trace",
                               w->kernel != NULL ? w->kernel->name : "?", w->n_trace, w->lanes));
}

/*
 * The fetch was refused: will the next turns be as this one, until somebody wakes the stage? A warp that issues does, and a launch; but not one that issued in this
 * turn already, which makes another one greedy, nor one that is no longer held at a barrier, or waits to leave.
 */
static bool stays(const Fetch *f)
{
    const WwFetchesIf *fetches = WW_FETCHES(&f->fetches);
    uint64_t held = f->held != NULL ? f->held->held | f->held->membar : 0;
    uint64_t here = f->mine & f->view->resident;
    return fetches->refuses != NULL && fetches->refuses(f->fetches.peer) && f->base.logged == 0 &&
           f->buffers->issued[f->ibuffer.ordinal] != ww_now(f) && (here & held) == 0 &&
           (f->mine & f->buffers->ended) == 0 && over(f) == 0 && ww_fifo_room(&f->fetch);
}

static void fetch_for(Fetch *f, uint32_t warp)
{
    static const WwEventWord texts[] = {[WW_FETCH_HIT] = WW_WORD("here"),
                                        [WW_FETCH_MISS] = WW_WORD("sent"),
                                        [WW_FETCH_FAIL] = WW_WORD("refused")};
    uint64_t pc = WW_IBUFFERS(&f->ibuffer)->request(f->ibuffer.peer, warp);
    if (f->buffers->ended >> warp & 1u) {
        return; /* there was no instruction */
    }
    WwFetchResult result = WW_FETCHES(&f->fetches)->access(f->fetches.peer, warp, pc);
    WW_LOG(f, &fetch_events[LOG_REQUEST], warp, pc, WW_SAY(&texts[result]));
    if (result == WW_FETCH_FAIL) {
        f->refusals++;
        WW_IBUFFERS(&f->ibuffer)->refused(f->ibuffer.peer, warp);
        f->waits = stays(f);
        f->warp = warp;
        f->counted = ww_now(f);
        return;
    }
    f->requests++;
    if (result == WW_FETCH_HIT) {
        deliver(f, warp, pc);
    }
}

/* Visits @p warp on the way. True: the walk is over. */
static inline bool visit(Fetch *f, uint32_t warp, uint64_t done, uint64_t want)
{
    if (done >> warp & 1u) {
        retire(f, warp);
    } else if (want >> warp & 1u) {
        fetch_for(f, warp);
        return true;
    }
    return false;
}

static void walk(Fetch *f, uint64_t done, uint64_t want)
{
    uint32_t i = f->ibuffer.ordinal;
    uint32_t greedy =
        f->buffers->issued[i] == ww_now(f) ? f->buffers->before[i] : f->buffers->last[i];
    if (visit(f, greedy, done, want)) {
        return;
    }
    done &= ~(1ull << greedy);
    want &= ~(1ull << greedy);
    uint64_t late = last_ones(f);
    if ((want & ~late) != 0) {
        fetch_for(f, youngest(f, want & ~late));
        return;
    }
    for (uint64_t left = done | want; left != 0; left &= left - 1) {
        if (visit(f, (uint32_t)__builtin_ctzll(left), done, want)) {
            return;
        }
    }
}

static WwRest fetch_tick(void *self)
{
    Fetch *f = self;
    uint32_t warp;
    uint64_t pc;
    f->waits = false;
    if ((f->view->resident & f->mine) == 0 || !ww_fifo_room(&f->fetch)) {
        return WW_SLEEP; /* a launch, or the decode stage, wakes it */
    }
    if (WW_FETCHES(&f->fetches)->take(f->fetches.peer, &warp, &pc)) {
        deliver(f, warp, pc);
    }
    uint64_t done = over(f), want = wanted(f);
    if ((done | want) != 0) {
        walk(f, done, want);
    }
    if (f->waits) {
        return WW_SLEEP;
    }
    uint64_t ended = f->mine & f->buffers->ended & f->view->live;
    if (G_UNLIKELY((ended & ~f->view->busy) != 0)) {
        fail_at_end(f, (uint32_t)__builtin_ctzll(ended & ~f->view->busy));
        return WW_SLEEP;
    }
    /* one that is over waits for its counters, or for its turn; what ends the trace may exit yet */
    return (over(f) | wanted(f) | ended) != 0 ? WW_AGAIN : WW_SLEEP;
}

static void fetch_settle(void *self, uint32_t entry, uint64_t n)
{
    Fetch *f = self;
    if (f->waits) {
        f->refusals += n;
        f->counted += n;
        WW_FETCHES(&f->fetches)->refused(f->fetches.peer, n, f->counted);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool fetch_start(void *self, GError **error)
{
    Fetch *f = self;
    const WwIbufferView *buffers = WW_IBUFFERS(&f->ibuffer)->view(f->ibuffer.peer);
    if (buffers->issuers != 0 && buffers->issuers != buffers->fetchers) {
        g_autofree char *path = ww_path(f->ibuffer.peer);
        return ww_fail(
            error, WW_ERROR_WIRING,
            "%s has %u fetch and %u issue stages; expected one of each in every sub-core", path,
            buffers->fetchers, buffers->issuers);
    }
    return true;
}

static void fetch_reset(void *self)
{
    Fetch *f = self;
    f->buffers = WW_IBUFFERS(&f->ibuffer)->view(f->ibuffer.peer);
    f->view = WW_WARPS(&f->warps)->view(f->warps.peer);
    f->held = WW_BOUND(&f->barriers) ? WW_BARRIERS(&f->barriers)->view(f->barriers.peer) : NULL;
    f->mine = 0;
    f->waits = false;
    f->warp = 0;
    f->counted = 0;
    uint32_t n = MAX(f->buffers->fetchers, 1u);
    for (uint32_t warp = f->ibuffer.ordinal; warp < f->view->slots; warp += n) {
        f->mine |= 1ull << warp;
    }
}

static void fetch_explain(void *self, WwExplain *explain)
{
    Fetch *f = self;
    if (ww_fifo_full(&f->fetch)) {
        ww_explain_waits(explain, f->fetch.peer, "the fetch buffer is full");
        return;
    }
    if (f->waits) {
        ww_explain_unit(explain, (int32_t)f->warp, -1);
        ww_explain_waits(explain, f->fetches.peer, "the fetch for warp %u is refused", f->warp);
    }
    for (uint64_t m = over(f); m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        ww_explain_unit(explain, (int32_t)warp, (int32_t)warp);
        ww_explain_waits(explain, f->dependence.peer,
                         "warp %u has exited with a counter or a register pending", warp);
    }
    for (uint64_t m = f->mine & f->view->live & ~f->buffers->valid & ~f->buffers->space; m != 0;
         m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        ww_explain_unit(explain, (int32_t)warp, -1);
        ww_explain_waits(explain, f->fetches.peer, "warp %u waits for instructions", warp);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwPortRow fetch_ports[] = {
    WW_PORT_OUT(Fetch, fetch, &ww_contract_fetch, 1,
                "fetched instructions; a fifo of depth 1 is the latch in front of decode"),
    WW_PORT_REQUIRES(Fetch, ibuffer, &ww_contract_ibuffer, 1, WW_RANK_FETCH,
                     "what to fetch, and for which warp"),
    WW_PORT_REQUIRES(Fetch, warps, &ww_contract_warps, 1, WW_RANK_FETCH, "the hardware warps"),
    WW_PORT_REQUIRES(Fetch, barriers, &ww_contract_barriers, 0, NULL,
                     "tells which warps are held; they come last"),
    WW_PORT_REQUIRES(Fetch, dependence, &ww_contract_dependence, 1, WW_RANK_RETIRE,
                     "what keeps a warp from retiring"),
    WW_PORT_REQUIRES(Fetch, fetches, &ww_contract_fetches, 1, WW_RANK_FETCH,
                     "source of instructions"),
    WW_PORT_REQUIRES(Fetch, ctas, &ww_contract_ctas, 1, WW_RANK_FETCH, "notified of retired warps"),
    {0},
};

static const WwStatRow fetch_stats[] = {
    WW_COUNTER(Fetch, requests, "instructions", "fetches sent"),
    WW_COUNTER(Fetch, refusals, "accesses", "refusals of fetches; a fetch counts each time"),
    WW_COUNTER(Fetch, fetched, "instructions", "instructions passed to the decode stage"),
    WW_COUNTER(Fetch, retired, "warps", "finished warps retired"),
    {0},
};

static const WwEntryRow fetch_entries[] = {
    {.name = "fetch",
     .phase = "core",
     .tick = fetch_tick,
     .doc = "takes fetched instructions, sends one fetch, retires finished warps"},
    {0},
};

const WwType fetch_modern_type = {
    .abi = WW_ABI_VERSION,
    .name = "fetch.modern",
    .doc = "fetch stage of a sub-core: greedy, then youngest; runs ahead of issue",
    .family = "frontend",
    .size = sizeof(Fetch),
    .events = fetch_events,
    .ports = fetch_ports,
    .stats = fetch_stats,
    .entries = fetch_entries,
    .start = fetch_start,
    .reset = fetch_reset,
    .settle = fetch_settle,
    .explain = fetch_explain,
};
