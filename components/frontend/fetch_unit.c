/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fetch stage: chooses the next warp to fetch for, in rotation, and retires finished warps on
 * its way.
 *
 * A turn first takes an instruction miss that has come back. Otherwise it visits the warps from
 * the one after the last fetched: a warp that is finished (no live lane, no store open, nothing
 * in the pipeline, no register pending) is retired; at the first warp that can be fetched (live,
 * i-buffer empty, no miss pending) the visit ends (visit_ends), so that busy fetching delays the
 * notice of finished warps behind it. A group of two instructions goes to the decoder, which acts first in
 * a turn: what is fetched now is decoded in the next turn. Several turns make a cycle (`repeat`).
 * The channel to the decoder must hold one group: it is the fetch buffer. An instruction cache that
 * has cycles of its own gets one at the end of each turn.
 *
 * Workload: one activation for each two warp instructions; two masks and a rotation, no loop over
 * warps.
 *
 *     warps, simt, scoreboard, icache ──> fetch_unit ──fetch──> decoder
 *                                              └──> ctas (retire)
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/hazards.h>
#include <ports/icache.h>
#include <ports/tokens.h>
#include <ports/warps.h>

typedef struct FetchUnit {
    WwComponent base;
    /* parameters */
    bool visit_ends;
    uint32_t first_warp;
    /* ports */
    WwPort fetch;
    WwPort warps;
    WwPort simt;
    WwPort scoreboard;
    WwPort icache;
    WwPort ctas;
    /* state */
    const WwWarpView *view;
    const WwHazardView *hazards;
    uint32_t last;             /* warp fetched last */
    uint8_t put[WW_MAX_WARPS]; /* the warps of the last groups put into the buffer, a ring */
    uint8_t n_put;             /* counts groups; wraps as the ring does */
    /* statistics */
    uint64_t groups;
    uint64_t misses;
    uint64_t refusals;
    uint64_t retired;
} FetchUnit;

enum { LOG_FETCH, LOG_RETIRE };
static const WwEventField field_cta =
    WW_EVENT_FIELD("cta", WW_EVENT_NUMBER, "", "the CTA slot that it was of");
static const WwEventRow fetch_events[] = {
    [LOG_FETCH] = {"fetch",
                   "warp",
                   "a group of instructions goes to the decoder, to be decoded next for the warp",
                   {&ww_field_pc}},
    [LOG_RETIRE] = {"retire", "warp", "a finished warp leaves its slot", {&field_cta}},
    {0},
};

/* Warps of the groups that the decoder has not taken yet: of a buffer with room for one, none when there is room. */
static inline uint64_t buffered(const FetchUnit *u)
{
    uint64_t mask = 0;
    for (uint32_t n = ww_fifo_length(&u->fetch); n != 0; n--) {
        mask |= 1ull << u->put[(u->n_put - n) % WW_MAX_WARPS];
    }
    return mask;
}

static inline uint64_t fetchable(const FetchUnit *u)
{
    return u->view->live & ~u->view->ibuf & ~u->view->imiss & ~buffered(u);
}

static inline uint64_t retirable(const FetchUnit *u)
{
    return u->view->resident & ~u->view->live & ~u->view->stores & ~u->view->atomics &
           ~u->view->busy & ~u->hazards->pending;
}

static void retire(FetchUnit *u, uint64_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(mask);
        WW_LOG(u, &fetch_events[LOG_RETIRE], w, u->view->warp[w].cta);
        WW_WARPS(&u->warps)->retire(u->warps.peer, w);
        WW_CTAS(&u->ctas)->retire(u->ctas.peer, w);
        u->retired++;
    }
}

static inline __attribute__((always_inline)) void deliver(FetchUnit *u, uint32_t warp, uint64_t pc)
{
    WW_LOG(u, &fetch_events[LOG_FETCH], warp, pc);
    ww_fifo_put(&u->fetch, ww_fetch_token(warp, pc));
    u->put[u->n_put++ % WW_MAX_WARPS] = (uint8_t)warp;
    u->groups++;
}

/* A warp with live lanes and nothing left to execute can never finish: the trace is wrong. */
WW_COLD static void fail_at_end(FetchUnit *u, uint32_t warp)
{
    const WwWarp *w = &u->view->warp[warp];
    ww_fail_run(u, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                               "%s: the trace of a warp of kernel '%s' ends after %u instructions "
                               "while lanes %08x have "
                               "not exited; expected an EXIT for every lane",
                               w->kernel != NULL ? w->kernel->file : "trace",
                               w->kernel != NULL ? w->kernel->name : "?", w->n_trace, w->lanes));
}

/* False: the instruction cache refused, and the warp is to be fetched for still. */
static inline bool fetch_for(FetchUnit *u, uint32_t warp)
{
    u->last = warp;
    if (u->view->warp[warp].cursor == u->view->warp[warp].n_trace) {
        fail_at_end(u, warp);
        return true;
    }
    uint64_t pc = WW_SIMT(&u->simt)->pc(u->simt.peer, warp);
    switch (WW_ICACHE(&u->icache)->access(u->icache.peer, warp, pc)) {
    case WW_FETCH_HIT:
        deliver(u, warp, pc);
        break;
    case WW_FETCH_MISS:
        u->misses++;
        WW_WARPS(&u->warps)->set_imiss(u->warps.peer, warp, true);
        break;
    case WW_FETCH_FAIL:
        u->refusals++;
        return false;
    }
    return true;
}

/*
 * Visits warps, @p want of them to fetch for and @p done to retire, from the one after the last fetched; see the head of this file.
 * Which are left to fetch for?
 */
static inline uint64_t visit(FetchUnit *u, uint64_t want, uint64_t done)
{
    uint32_t start = u->last + 1;
    start = start < u->view->slots ? start : start % u->view->slots;
    uint64_t ahead = UINT64_MAX << start;
    uint64_t first = want & ahead ? want & ahead : want;
    if (done != 0 && (first == 0 || !u->visit_ends)) {
        retire(u, done & ahead);
        retire(u, done & ~ahead);
    }
    if (first == 0) {
        return 0;
    }
    uint32_t warp = (uint32_t)__builtin_ctzll(first);
    uint64_t below = (1ull << warp) - 1;
    if (done == 0 || !u->visit_ends) {
        /* all of them are retired */
    } else if (warp >= start) {
        retire(u, done & ahead & below);
    } else {
        retire(u, done & ahead);
        retire(u, done & below);
    }
    return fetch_for(u, warp) ? want & ~(first & -first) : want;
}

static inline WwRest turn(FetchUnit *u)
{
    uint32_t warp;
    if (!ww_fifo_room(&u->fetch)) {
        return WW_SLEEP;
    }
    if (WW_ICACHE(&u->icache)->take(u->icache.peer, &warp)) {
        WW_WARPS(&u->warps)->set_imiss(u->warps.peer, warp, false);
        deliver(u, warp, WW_SIMT(&u->simt)->pc(u->simt.peer, warp));
        return WW_AGAIN; /* another miss may have come back, too */
    }
    uint64_t want = fetchable(u), done = retirable(u);
    if ((want | done) == 0) {
        return WW_SLEEP;
    }
    uint64_t left = visit(u, want, done);
    if (done != 0) {
        left = fetchable(u) | retirable(u);
    }
    /*
     * a warp just fetched is the decoder's now; it wakes this unit by leaving its i-buffer empty
     * again
     */
    return left != 0 ? WW_AGAIN : WW_SLEEP;
}

static WwRest fetch_tick(void *self)
{
    FetchUnit *u = self;
    WwRest rest = turn(u);
    ww_step(&u->icache);
    return rest;
}

static void fetch_reset(void *self)
{
    FetchUnit *u = self;
    u->view = WW_WARPS(&u->warps)->view(u->warps.peer);
    u->hazards = WW_SCOREBOARD(&u->scoreboard)->view(u->scoreboard.peer);
    u->last = u->first_warp - 1; /* 0: what follows the greatest number is 0 */
    u->n_put = 0;
}

static void fetch_explain(void *self, WwExplain *explain)
{
    FetchUnit *u = self;
    if (ww_fifo_full(&u->fetch)) {
        ww_explain_waits(explain, u->fetch.peer, "the fetch buffer is full");
        return;
    }
    for (uint64_t m = u->view->imiss & u->view->live; m != 0; m &= m - 1) {
        ww_explain_unit(explain, __builtin_ctzll(m), -1);
        ww_explain_waits(explain, u->icache.peer, "warp %d waits for an instruction miss",
                         __builtin_ctzll(m));
    }
    uint64_t ended = u->view->resident & ~u->view->live & ~u->view->busy & ~u->view->stores;
    for (uint64_t m = ended & u->hazards->pending; m != 0; m &= m - 1) {
        ww_explain_unit(explain, __builtin_ctzll(m), __builtin_ctzll(m));
        ww_explain_waits(explain, u->scoreboard.peer, "warp %d has exited with a register pending",
                         __builtin_ctzll(m));
    }
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow fetch_params[] = {
    WW_BOOL(FetchUnit, visit_ends, "true",
            "finished warps after the one being fetched for are not noticed, as in the reference; "
            "false: all are"),
    WW_UINT(FetchUnit, first_warp, "", "1", 0, WW_MAX_WARPS - 1,
            "hardware warp visited first after start; 1 in the reference"),
    {0},
};

static const WwPortRow fetch_ports[] = {
    WW_PORT_OUT(FetchUnit, fetch, &ww_contract_fetch, 1,
                "fetched groups; a fifo of depth 1 is the fetch buffer"),
    WW_PORT_REQUIRES(FetchUnit, warps, &ww_contract_warps, 1, WW_RANK_FETCH, "the hardware warps"),
    WW_PORT_REQUIRES(FetchUnit, simt, &ww_contract_simt, 1, NULL, "the pc to fetch"),
    WW_PORT_REQUIRES(FetchUnit, scoreboard, &ww_contract_scoreboard, 1, WW_RANK_RETIRE,
                     "pending registers, which keep a warp from retiring"),
    WW_PORT_OWNS(FetchUnit, icache, &ww_contract_icache, 1, "source of instructions"),
    WW_PORT_REQUIRES(FetchUnit, ctas, &ww_contract_ctas, 1, WW_RANK_FETCH,
                     "notified of retired warps"),
    {0},
};

static const WwStatRow fetch_stats[] = {
    WW_COUNTER(FetchUnit, groups, "groups", "groups of two instructions passed to the decoder"),
    WW_COUNTER(FetchUnit, misses, "accesses", "accesses that missed the instruction cache"),
    WW_COUNTER(FetchUnit, refusals, "accesses", "accesses refused by the instruction cache"),
    WW_COUNTER(FetchUnit, retired, "warps", "finished warps retired"),
    {0},
};

static const WwEntryRow fetch_entries[] = {
    {.name = "fetch",
     .phase = "core",
     .tick = fetch_tick,
     .doc = "one fetch; retires finished warps"},
    {0},
};

const WwType fetch_unit_type = {
    .abi = WW_ABI_VERSION,
    .name = "fetch_unit",
    .doc = "fetch stage: serves warps in rotation, retires finished warps",
    .family = "frontend",
    .size = sizeof(FetchUnit),
    .events = fetch_events,
    .params = fetch_params,
    .ports = fetch_ports,
    .stats = fetch_stats,
    .entries = fetch_entries,
    .reset = fetch_reset,
    .explain = fetch_explain,
};
