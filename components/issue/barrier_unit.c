/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `barrier_unit`: what holds warps back besides registers: CTA barriers, memory barriers,
 * asynchronous copies.
 *
 *     done: LD/ST unit -> [barrier_unit] <- arrive, exit, ...: warp schedulers
 *                               ^
 *                      enter, leave: CTA slots
 *
 * Passive; a release is seen in the same tick by the schedulers whose turn is still to come.
 * Workload: one call for each BAR, MEMBAR, asynchronous copy and finished warp - a few per cent
 * of the instructions.
 *
 * CTA barriers: a warp that arrives is held until the warps that have arrived are exactly the
 * warps of its CTA that have not exited; then all go on at once (the last one never counts as
 * held). An exit can complete a barrier, too.
 *
 * Memory barriers: a flag only; who looks at the warp decides whether the wait is over. Then the
 * L1Ds bound here are invalidated, lines with an outstanding fill included.
 *
 * Asynchronous copies of a warp form groups, numbered in order of their commits. Only unfinished
 * copies are remembered, in order of issue. A wait for all but n of the committed groups holds
 * the warp while a copy in one of the groups waited for is unfinished. Two rules follow the
 * reference to the letter: with first_waits_all a wait that was issued when exactly one group
 * was committed goes on only when every copy is finished, later groups included; and a wait that
 * leaves more groups outstanding than were committed (undefined there) never waits.
 */
#include "issue-priv.h"
#include "types.h"
#include <ports/cache.h>
#include <ports/events.h>
#include <ports/hazards.h>
#include <ports/warps.h>
#include <string.h>

#define BARRIERS 16u
#define MAX_L1S 8u

typedef struct Copy {
    uint64_t pc, addr;
    uint32_t group;
} Copy;

/* The asynchronous copies of a warp. */
typedef struct Copies {
    Copy *copy; /* unfinished, in order of issue */
    uint32_t n, size;
    uint32_t committed; /* groups committed so far: the number of the open one */
    uint32_t end;       /* while it waits: groups 0..end-1 must be finished */
} Copies;

typedef struct BarrierUnit {
    WwComponent base;
    /* parameters */
    bool first_waits_all;
    /* ports */
    WwProvided barriers;
    WwPort l1[MAX_L1S];
    uint32_t n_l1;
    /* state */
    WwBarrierView view;
    uint64_t active; /* warps that have not exited */
    uint64_t arrived[BARRIERS];
    uint64_t cta[WW_MAX_CTAS]; /* warps of each CTA slot */
    uint8_t cta_of[WW_MAX_WARPS];
    Copies *copies; /* [WW_MAX_WARPS]; NULL: no warp ever had any */
    WarpWakes issue;
    /* statistics */
    uint64_t arrivals;
    uint64_t releases;
    uint64_t membars;
    uint64_t l1_flushes;
    uint64_t copies_issued;
    uint64_t copy_waits;
} BarrierUnit;

static const WwBarrierView *unit_view(void *self)
{
    BarrierUnit *u = self;
    u->view.schedulers = ww_provided_count(&u->barriers, WW_BARRIERS_ISSUE);
    return &u->view;
}

static void unit_cta_enter(void *self, uint32_t cta, uint64_t warps)
{
    BarrierUnit *u = self;
    u->cta[cta] = warps;
    u->active |= warps;
    u->view.held &= ~warps;
    u->view.membar &= ~warps;
    u->view.async &= ~warps;
    for (uint32_t i = 0; i < BARRIERS; i++) {
        u->arrived[i] &= ~warps;
    }
    for (uint64_t m = warps; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        u->cta_of[warp] = (uint8_t)cta;
        if (u->copies != NULL) {
            u->copies[warp].n = u->copies[warp].committed = 0;
        }
    }
    warp_wakes_mask(&u->issue, warps);
}

static void unit_cta_leave(void *self, uint32_t cta)
{
    BarrierUnit *u = self;
    u->active &= ~u->cta[cta];
    u->cta[cta] = 0;
}

/* ---- CTA barriers -------------------------------------------------------------------------- */

static const WwEventField field_event = WW_EVENT_FIELD(
    "event", WW_EVENT_WORD, "", "release: a CTA barrier opens; membar: a memory barrier is over");
static const WwEventWord released = WW_WORD("release"), membar_over = WW_WORD("membar");
static const WwEventField field_barrier =
    WW_EVENT_FIELD("barrier", WW_EVENT_NUMBER, "", "which of the CTA's");
static const WwEventField field_warps =
    WW_EVENT_FIELD("warps", WW_EVENT_HEX, "warps", "those that waited, a bit each");
static const WwEventRow barrier_events[] = {
    {"barrier",
     "warp, of a memory barrier",
     "a barrier opens, or a memory barrier completes",
     {&field_event, &field_barrier, &field_warps}},
    {0},
};

/* Releases barrier @p id of a CTA if every warp still active has arrived. */
static void release_if_complete(BarrierUnit *u, uint32_t id, uint64_t cta)
{
    uint64_t here = u->arrived[id] & cta;
    if (here == 0 || here != (u->active & cta)) {
        return;
    }
    u->arrived[id] &= ~here;
    u->view.held &= ~here;
    u->releases++;
    WW_LOG(u, &barrier_events[0], -1, WW_SAY(&released), id, here);
    warp_wakes_mask(&u->issue, here);
}

static void arrive_at(BarrierUnit *u, uint32_t warp, uint32_t id)
{
    u->arrivals++;
    u->arrived[id] |= 1ull << warp;
    u->view.held |= 1ull << warp;
    release_if_complete(u, id, u->cta[u->cta_of[warp]]);
}

/* Traces do not say which barrier: every BAR is one of the whole CTA at barrier 0. */
static void unit_arrive(void *self, uint32_t warp)
{
    arrive_at(self, warp, 0);
}

static void unit_exit(void *self, uint32_t warp)
{
    BarrierUnit *u = self;
    u->active &= ~(1ull << warp);
    for (uint32_t i = 0; i < BARRIERS; i++) {
        release_if_complete(u, i, u->cta[u->cta_of[warp]]);
    }
}

/* ---- memory barriers ----------------------------------------------------------------------- */

static void unit_set_membar(void *self, uint32_t warp)
{
    BarrierUnit *u = self;
    u->view.membar |= 1ull << warp;
    u->membars++;
}

static void unit_complete_membar(void *self, uint32_t warp)
{
    BarrierUnit *u = self;
    u->view.membar &= ~(1ull << warp);
    WW_LOG(u, &barrier_events[0], warp, WW_SAY(&membar_over));
    for (uint32_t i = 0; i < u->n_l1; i++) {
        WW_CACHE(&u->l1[i])->clear(u->l1[i].peer, WW_CACHE_ALL);
    }
    u->l1_flushes += u->n_l1;
}

/* ---- asynchronous copies ------------------------------------------------------------------- */

/* Doubles, and keeps its size: no allocation in the steady state. */
WW_COLD static void copies_grow(BarrierUnit *u, Copies *c)
{
    c->size = MAX(8, 2 * c->size);
    c->copy = ww_resize(u, c->copy, c->size * sizeof *c->copy);
}

WW_COLD static void copies_make(BarrierUnit *u)
{
    u->copies = ww_alloc(u, WW_MAX_WARPS * sizeof *u->copies);
}

static inline Copies *copies_of(BarrierUnit *u, uint32_t warp)
{
    if (G_UNLIKELY(u->copies == NULL)) {
        copies_make(u);
    }
    return &u->copies[warp];
}

static void unit_async_add(void *self, uint32_t warp, uint64_t pc, uint64_t addr, bool done)
{
    BarrierUnit *u = self;
    Copies *c = copies_of(u, warp);
    u->copies_issued++;
    if (done) {
        return;
    }
    if (G_UNLIKELY(c->n == c->size)) {
        copies_grow(u, c);
    }
    c->copy[c->n++] = (Copy){.pc = pc, .addr = addr, .group = c->committed};
}

static void unit_async_commit(void *self, uint32_t warp)
{
    copies_of(self, warp)->committed++;
}

/* Copies stand in order of their groups: the first one tells. */
static bool groups_finished(const Copies *c, uint32_t end)
{
    return c->n == 0 || c->copy[0].group >= end;
}

static void unit_async_wait(void *self, uint32_t warp, uint32_t outstanding)
{
    BarrierUnit *u = self;
    Copies *c = copies_of(u, warp);
    uint32_t end = c->committed > outstanding ? c->committed - outstanding : 0;
    if (groups_finished(c, end)) {
        return;
    }
    c->end = u->first_waits_all && c->committed == 1 ? UINT32_MAX : end;
    u->view.async |= 1ull << warp;
    u->copy_waits++;
}

static void unit_async_done(void *self, uint32_t warp, uint64_t pc, uint64_t addr)
{
    BarrierUnit *u = self;
    Copies *c = copies_of(u, warp);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->copy[i].pc == pc && c->copy[i].addr == addr) {
            memmove(&c->copy[i], &c->copy[i + 1], (--c->n - i) * sizeof *c->copy);
            break;
        }
    }
    if ((u->view.async >> warp & 1u) && groups_finished(c, c->end)) {
        u->view.async &= ~(1ull << warp);
        ww_wake(u->issue.of[warp]);
    }
}

static const WwBarriersIf unit_table = {
    .view = unit_view,
    .cta_enter = unit_cta_enter,
    .cta_leave = unit_cta_leave,
    .arrive = unit_arrive,
    .exit = unit_exit,
    .set_membar = unit_set_membar,
    .complete_membar = unit_complete_membar,
    .async_add = unit_async_add,
    .async_commit = unit_async_commit,
    .async_wait = unit_async_wait,
    .async_done = unit_async_done,
};

/* ---- life ---------------------------------------------------------------------------------- */

static void unit_reset(void *self)
{
    BarrierUnit *u = self;
    u->view.held = u->view.membar = u->view.async = u->active = 0;
    memset(u->arrived, 0, sizeof u->arrived);
    memset(u->cta, 0, sizeof u->cta);
    memset(u->cta_of, 0, sizeof u->cta_of);
    for (uint32_t i = 0; u->copies != NULL && i < WW_MAX_WARPS; i++) {
        u->copies[i].n = u->copies[i].committed = 0;
    }
    warp_wakes_gather(&u->issue, &u->barriers, WW_BARRIERS_ISSUE);
}

static void unit_explain(void *self, WwExplain *explain)
{
    BarrierUnit *u = self;
    for (uint32_t cta = 0; cta < WW_MAX_CTAS; cta++) {
        uint64_t held = u->view.held & u->cta[cta];
        uint64_t missing = u->active & u->cta[cta] & ~held;
        for (uint64_t m = held != 0 ? missing : 0; m != 0; m &= m - 1) {
            uint32_t warp = (uint32_t)__builtin_ctzll(m);
            const WwClient *c =
                u->issue.n != 0
                    ? ww_provided_client(&u->barriers, WW_BARRIERS_ISSUE, warp % u->issue.n)
                    : NULL;
            ww_explain_unit(explain, -1, warp);
            ww_explain_waits(
                explain, c != NULL ? c->who : NULL,
                "%d warps of CTA slot %u are at a barrier until warp %u arrives or exits",
                __builtin_popcountll(held), cta, warp);
        }
    }
    for (uint64_t m = u->view.async; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        const WwClient *c = ww_provided_client(&u->barriers, WW_BARRIERS_EXECUTE, 0);
        ww_explain_unit(explain, warp, -1);
        ww_explain_waits(explain, c != NULL ? c->who : NULL,
                         "warp %u waits for asynchronous copies, %u unfinished", warp,
                         u->copies[warp].n);
    }
}

static const WwParamRow unit_params[] = {
    WW_BOOL(BarrierUnit, first_waits_all, "true",
            "a wait for copies issued when only one group was committed also waits for later "
            "groups, as in the reference; false: only for those it names"),
    {0},
};

static const WwGoneRow unit_gone[] = {
    {"warps", "it knows all of the warp pool's (pool.slots, sm.warps)"},
    {0},
};

static const WwPortRow unit_ports[] = {
    WW_PORT_PROVIDES(BarrierUnit, barriers, &ww_contract_barriers, &unit_table,
                     "arrivals and waits at issue, finished copies, CTAs"),
    WW_PORT_ARRAY(BarrierUnit, l1, WW_REQUIRES, &ww_contract_cache, 0, NULL,
                  "L1Ds that a completed memory barrier invalidates"),
    {0},
};

static const WwStatRow unit_stats[] = {
    WW_COUNTER(BarrierUnit, arrivals, "warps", "arrivals at CTA barriers"),
    WW_COUNTER(BarrierUnit, releases, "barriers", "CTA barriers that completed"),
    WW_COUNTER(BarrierUnit, membars, "instructions", "memory barriers issued"),
    WW_COUNTER(BarrierUnit, l1_flushes, "caches", "invalidations of the L1D after memory barriers"),
    WW_COUNTER(BarrierUnit, copies_issued, "instructions", "asynchronous copies issued"),
    WW_COUNTER(BarrierUnit, copy_waits, "instructions",
               "waits for asynchronous copies when some were unfinished"),
    {0},
};

const WwType barrier_unit_type = {
    .abi = WW_ABI_VERSION,
    .name = "barrier_unit",
    .doc = "CTA barriers, memory barriers and asynchronous copies of an SM's warps.",
    .family = "barriers",
    .size = sizeof(BarrierUnit),
    .events = barrier_events,
    .params = unit_params,
    .gone = unit_gone,
    .ports = unit_ports,
    .stats = unit_stats,
    .reset = unit_reset,
    .explain = unit_explain,
};
