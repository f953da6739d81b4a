/* SPDX-License-Identifier: Apache-2.0 */
/* The test bench for one component: what a test does between two turns, and what its ends do by themselves. */
#include "harness-priv.h"
#include <string.h>

/* ---- ends that act by themselves -------------------------------------------------------------------------------- */

/* Has the end time for a token at @p cycle? Whatever else it is asked, and however often. */
static bool ready(const HarnessPeer *p, WwCycle cycle)
{
    uint64_t x = (p->seed + cycle) * UINT64_C(0x9e3779b97f4a7c15);
    return ((x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 63) != 0;
}

static void add_pass(HarnessPeer *p, HarnessPass pass)
{
    if (p->passed == p->pass.n) {
        p->passed = p->pass.n = 0;
    }
    *WW_HEAP_ADD(p->base.machine->heap, &p->pass) = pass;
}

static WwRest read_on(HarnessPeer *p)
{
    HarnessPass pass = {.cycle = ww_now(p)};
    if (p->ops->count(&p->port) == 0) {
        return WW_SLEEP;
    }
    if (ready(p, ww_now(p)) && p->ops->take(&p->port, &pass.slot, &pass.token)) {
        add_pass(p, pass);
    }
    return WW_AGAIN;
}

/* One token a turn, in the order in which they were given. */
static WwRest write_on(HarnessPeer *p)
{
    const HarnessPass *next = p->pass.v + p->passed;
    if (p->passed < p->pass.n && next->cycle <= ww_now(p)) {
        if (!p->ops->put(&p->port, next->slot, next->token)) {
            return WW_SLEEP;
        }
        p->passed++;
        next++;
    }
    return p->passed == p->pass.n         ? WW_SLEEP
           : next->cycle <= ww_now(p) + 1 ? WW_AGAIN
                                          : next->cycle - ww_now(p);
}

WwRest ww_harness_peer_turn(void *self)
{
    HarnessPeer *p = self;
    p->turns++;
    ww_step(&p->port);
    return !p->by_itself ? WW_SLEEP : p->reads ? read_on(p) : write_on(p);
}

/* ---- driving ---------------------------------------------------------------------------------------------------- */

void ww_harness_step(WwHarness *h, uint64_t n)
{
    /* tick by tick, so that a machine in which all sleep still moves on */
    WwCycle until = h->m->domain[0]->cycle + n;
    while (h->m->domain[0]->cycle < until) {
        WwRunStatus s = ww_run(h->m, until - h->m->domain[0]->cycle);
        if (s == WW_RUN_DONE || s == WW_RUN_HANG) {
            if (h->m->stop != 0) {
                return;
            }
            h->m->domain[0]->cycle = until;
            ww_spread_time(h->m);
            ww_wheel_advance(&h->m->wheel[0], until);
        } else if (s == WW_RUN_FAILED || s == WW_RUN_LIMIT) {
            return;
        }
    }
}

WwCycle ww_harness_now(const WwHarness *h)
{
    return h->m->domain[0]->cycle;
}

static HarnessEnd *find_end(const WwHarness *h, const char *port, const char *rank,
                            uint32_t ordinal)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        HarnessEnd *e = g_ptr_array_index(h->ends, i);
        if (strcmp(e->port, port) == 0 && e->ordinal == ordinal && g_strcmp0(e->rank, rank) == 0) {
            return e;
        }
    }
    ww_harness_fatal("port '%s' of %s has no peer (rank %s, ordinal %u): was it bound?", port,
                     h->dut->type->name, rank != NULL ? rank : "none", ordinal);
}

void ww_harness_turn(WwHarness *h, const char *port)
{
    HarnessEnd *e = find_end(h, port, NULL, 0);
    ww_machine_settle(h->m); /* what it slept through lies before this turn */
    e->peer->turns++;
    ww_step(&e->peer->port);
    e->peer->seen++; /* nobody has woken it */
}

bool ww_harness_due(WwHarness *h, const char *port)
{
    const WwStep *s = find_end(h, port, NULL, 0)->peer->port.step;
    return s != NULL && (s->due & 1u) != 0;
}

static HarnessEnd *channel_end(const WwHarness *h, const char *port)
{
    HarnessEnd *e = find_end(h, port, NULL, 0);
    if (e->ops == NULL) {
        ww_harness_fatal("port '%s' of %s is no channel port", port, h->dut->type->name);
    }
    return e;
}

bool ww_harness_put(WwHarness *h, const char *port, int slot, WwToken token)
{
    HarnessEnd *e = channel_end(h, port);
    return e->ops->put(&e->peer->port, slot, token);
}

void ww_harness_carries(WwHarness *h, const char *port, uint64_t bits)
{
    channel_end(h, port)->peer->carries = bits;
}

bool ww_harness_take(WwHarness *h, const char *port, int *slot, WwToken *token)
{
    HarnessEnd *e = channel_end(h, port);
    int s;
    return e->ops->take(&e->peer->port, slot != NULL ? slot : &s, token);
}

void ww_harness_put_at(WwHarness *h, const char *port, WwCycle cycle, int slot, WwToken token)
{
    HarnessPeer *p = channel_end(h, port)->peer;
    ww_assert(!p->reads);
    p->by_itself = true;
    add_pass(p, (HarnessPass){cycle, slot, token});
    ww_wake(&p->base.entries[0].wake);
}

void ww_harness_read(WwHarness *h, const char *port, uint64_t seed)
{
    HarnessPeer *p = channel_end(h, port)->peer;
    ww_assert(p->reads);
    p->by_itself = true;
    p->seed = seed;
    ww_wake(&p->base.entries[0].wake);
}

bool ww_harness_was_taken(WwHarness *h, const char *port, WwCycle *cycle, int *slot, WwToken *token)
{
    HarnessPeer *p = channel_end(h, port)->peer;
    if (p->passed == p->pass.n) {
        return false;
    }
    const HarnessPass *pass = &p->pass.v[p->passed++];
    *cycle = pass->cycle;
    *slot = pass->slot;
    *token = pass->token;
    return true;
}

uint32_t ww_harness_count(WwHarness *h, const char *port)
{
    HarnessEnd *e = channel_end(h, port);
    return e->ops->count(&e->peer->port);
}

uint64_t ww_harness_until(WwHarness *h, const char *port, uint64_t limit)
{
    for (uint64_t n = 0; n <= limit; n++) {
        if (ww_harness_count(h, port) != 0) {
            return n;
        }
        ww_harness_step(h, 1);
    }
    return UINT64_MAX;
}

const void *ww_harness_table(WwHarness *h, const char *port, void **self)
{
    *self = h->dut;
    return h->dut->type->ports[ww_harness_row(h, port)].table;
}

void *ww_harness_peer(WwHarness *h, const char *port)
{
    HarnessEnd *e = find_end(h, port, NULL, 0);
    return e->filled != NULL ? (void *)e->filled : (void *)e->peer;
}

static bool entry_due(const WwEntry *e)
{
    return (*e->wake.word & e->wake.bit) != 0;
}

uint32_t ww_harness_wakes(WwHarness *h, const char *port, const char *rank, uint32_t ordinal)
{
    HarnessEnd *e = find_end(h, port, rank, ordinal);
    /* a wake that its turn has not answered yet counts now, and its turn will not count again */
    uint64_t total = e->peer->turns + entry_due(&e->peer->base.entries[0]);
    if (entry_due(&e->peer->base.entries[0])) {
        *e->peer->base.entries[0].wake.word &= ~e->peer->base.entries[0].wake.bit;
        e->peer->turns++;
    }
    uint64_t n = total - e->peer->seen;
    e->peer->seen = total;
    return (uint32_t)n;
}

void *ww_harness_self(WwHarness *h)
{
    return h->dut;
}

WwMachine *ww_harness_machine(WwHarness *h)
{
    return h->m;
}

bool ww_harness_asleep(WwHarness *h)
{
    const WwEntryRow *row;
    uint32_t n = 0;
    for (WW_ROWS(h->dut->type->entries, row)) {
        const WwEntry *e = &h->dut->entries[n++];
        if (ww_turn_of(h->dut->entries + n - 1) == NULL) {
            continue; /* an owned step without its owner */
        }
        if (entry_due(e) || ww_timer_pending(e)) {
            return false;
        }
    }
    return true;
}

uint64_t ww_harness_stat(WwHarness *h, const char *name, uint32_t i)
{
    int row = ww_type_stat(h->dut->type, name);
    if (row < 0) {
        ww_harness_fatal("%s has no statistic '%s'", h->dut->type->name, name);
    }
    ww_machine_settle(h->m);
    return ww_stat_values(h->dut, &h->dut->type->stats[row])[i];
}

void ww_harness_reset(WwHarness *h)
{
    ww_machine_reset(h->m);
    ww_harness_rest_peers(h);
}
