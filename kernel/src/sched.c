/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run loop: one tick after the other, each the timed events due, then the phases whose domain fires.
 *
 * A phase is a tree of blocks; each block has a bit per member, set when the member is due. Walking takes the lowest set bit, clears it and
 * runs the member: a wake for a place still to come is seen in the same walk, one for a place already passed stays for the next. What is not due
 * costs nothing; when nothing at all is due, time is skipped edge by edge to the next timed event (additions of the clock, no more).
 */
#include "at_work-priv.h"
#include "interrupt-priv.h"
#include "machine-priv.h"

static uint64_t nobody_word;
static WwBlock nobody = {.due = &nobody_word, .stopped = true};

WwWake ww_wake_none(void)
{
    /* its bit is always set: a wake that wakes nobody costs one test */
    nobody_word = 1;
    return (WwWake){&nobody_word, 1, &nobody};
}

WwWake ww_wake_of(void *self, uint32_t entry)
{
    return ((WwComponent *)self)->entries[entry].wake;
}

void ww_block_up(WwBlock *b)
{
    while (!b->stopped && b->parent != NULL && !(*b->up_word & b->up_bit)) {
        *b->up_word |= b->up_bit;
        b = b->parent;
    }
}

/* ---- timed events ----------------------------------------------------------------------------------------------- */

void ww_event_cancel(WwMachine *m, WwDomain *d, WwEvent *event)
{
    if (ww_event_pending(event)) {
        ww_wheel_remove(&m->wheel[d->index], event);
    }
}

void ww_event_at(WwMachine *m, WwDomain *d, WwEvent *event, WwCycle cycle)
{
    ww_event_cancel(m, d, event);
    WwCycle first = d->cycle;
    if (m->in_tick && (m->fired >> d->index & 1u)) {
        first++; /* this edge's events have run */
    }
    event->cycle = MAX(cycle, first);
    event->sequence = m->sequence++;
    ww_wheel_add(&m->wheel[d->index], event);
}

static void timer_fired(void *self, WwEvent *event)
{
    WwEntry *e = self;
    ww_wake(&e->wake);
}

void ww_wake_entry_at(WwEntry *e, WwCycle cycle)
{
    WwMachine *m = ((WwComponent *)e->self)->machine;
    if (ww_event_pending(&e->timer)) {
        if (e->timer.cycle <= cycle) {
            return;
        }
    } else {
        e->timer.fire = timer_fired;
        e->timer.self = e;
    }
    ww_event_at(m, e->domain, &e->timer, cycle);
}

/* The entry point behind a wake: its bit's place in its block. */
static WwEntry *entry_of(const WwWake *w)
{
    if (w->block->step) {
        return ((WwStep *)w->block)->entry;
    }
    Block *b = (Block *)w->block;
    size_t i = (size_t)(w->word - b->pub.due) * 64 + (size_t)__builtin_ctzll(w->bit);
    return b->member[i].entry;
}

void ww_wake_at(const WwWake *w, WwCycle cycle)
{
    if (w->block != &nobody) {
        ww_wake_entry_at(entry_of(w), cycle);
    }
}

static void fire_events(WwMachine *m)
{
    for (;;) {
        WwWheel *first = NULL;
        const WwEvent *best = NULL;
        for (uint32_t i = 0; i < m->n_domains; i++) {
            if ((m->fired >> i & 1u) && ww_wheel_due(&m->wheel[i])) {
                const WwEvent *e = ww_wheel_peek(&m->wheel[i]);
                if (best == NULL || e->priority < best->priority ||
                    (e->priority == best->priority && e->sequence < best->sequence)) {
                    best = e;
                    first = &m->wheel[i];
                }
            }
        }
        if (first == NULL) {
            return;
        }
        WwEvent *e = ww_wheel_pop(first);
        e->fire(e->self, e);
    }
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

static void walk(WwMachine *m, Block *b, uint64_t turn);
static void close_block(Block *b, WwCycle at);

/* One turn of one entry point. */
static inline void run_entry(WwMachine *m, Block *b, uint32_t i, uint64_t turn)
{
    Member *k = &b->member[i];
    if (turn != k->turns && b->settles[i]) {
        k->entry->settle(k->part, k->entry->row, turn - k->turns);
    }
    k->turns = turn + 1;
    m->activations++;
    WwRest rest = k->tick(k->part);
    if (rest <= WW_AGAIN) {
        b->pub.due[i / 64] |= 1ull << (i % 64); /* the block is being walked: nothing to pass up */
    } else if (rest != WW_SLEEP) {
        ww_wake_entry_at(k->entry, k->entry->domain->cycle + rest);
    }
}

static inline void run_member(WwMachine *m, Block *b, uint32_t i, uint64_t turn)
{
    b->at = i;
    if (b->member[i].tick != NULL) {
        run_entry(m, b, i, turn);
        return;
    }
    Block *k = b->member[i].part;
    if (!k->closed) {
        walk(m, k, k->has_gate ? b->domain->cycle - k->skipped : turn);
    }
}

/*
 * Runs the members of word @p w of the block that are due and in @p open, in order, those that become due meanwhile too; the next one's
 * state is on its way from memory while this one runs.
 */
static inline void walk_word(WwMachine *m, Block *b, uint32_t w, uint64_t open, uint64_t turn)
{
    uint64_t due, *word = &b->pub.due[w];
    while ((due = *word & open) != 0) {
        uint32_t bit = (uint32_t)__builtin_ctzll(due);
        uint64_t others = due & (due - 1);
        *word ^= due ^ others;
        open &= UINT64_MAX << bit << 1;
        if (others != 0) {
            const char *next = b->member[w * 64 + (uint32_t)__builtin_ctzll(others)].part;
            __builtin_prefetch(next);
            __builtin_prefetch(next + 64);
        }
        run_member(m, b, w * 64 + bit, turn);
    }
}

/* Runs the due members among lo..hi-1, for a rotation. */
static void walk_range(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t w = lo / 64; w * 64 < hi; w++) {
        uint64_t open = w == lo / 64 ? UINT64_MAX << (lo % 64) : UINT64_MAX;
        if (hi - w * 64 < 64) {
            open &= (1ull << (hi - w * 64)) - 1;
        }
        walk_word(m, b, w, open, turn);
    }
}

static void walk_all(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t i = lo; i < hi; i++) {
        b->pub.due[i / 64] &= ~(1ull << (i % 64));
        run_member(m, b, i, turn);
    }
}

static inline bool any_due(const Block *b)
{
    for (uint32_t w = 0; w * 64 < b->n; w++) {
        if (b->pub.due[w] != 0) {
            return true;
        }
    }
    return false;
}

/* The member of a block that goes first in its turn @p t. */
static inline uint32_t first_of(const Block *b, uint64_t t)
{
    return b->rotate && t >= b->from ? (uint32_t)((t - b->from) % b->n) : 0;
}

static void walk(WwMachine *m, Block *b, uint64_t turn)
{
    b->pub.stopped = b->walking = true;
    for (uint32_t r = 0; r < b->repeat; r++) {
        uint64_t t = turn * b->repeat + r;
        uint32_t first = first_of(b, t);
        if (m->no_sleep) {
            walk_all(m, b, first, b->n, t);
            walk_all(m, b, 0, first, t);
            continue;
        }
        if (first != 0) {
            walk_range(m, b, first, b->n, t);
            walk_range(m, b, 0, first, t);
        } else {
            for (uint32_t w = 0; w * 64 < b->n; w++) {
                walk_word(m, b, w, UINT64_MAX, t);
            }
        }
        if (!any_due(b)) {
            break;
        }
    }
    b->walking = false;
    if (b->closing) {
        close_block(b, b->domain->cycle + 1);
        return;
    }
    b->pub.stopped = false;
    if (b->pub.parent != NULL && any_due(b)) {
        ww_block_up(&b->pub);
    }
}

/* ---- gates ------------------------------------------------------------------------------------------------------ */

/* Turns that the members of @p b have had a right to, by the end of the last completed (or open) edge. */
static uint64_t turns_of(const Block *b, WwCycle cycle)
{
    const Block *c = b->clock;
    WwCycle edges = (c->has_gate && c->closed ? c->closed_at : cycle) - c->skipped;
    return edges * b->factor;
}

static void settle_members(Block *b, WwCycle cycle)
{
    uint64_t turns = turns_of(b, cycle);
    for (uint32_t i = 0; i < b->n; i++) {
        Member *k = &b->member[i];
        if (k->tick == NULL) {
            settle_members(k->part, cycle);
            continue;
        }
        if (turns > k->turns) {
            if (b->settles[i]) {
                k->entry->settle(k->part, k->entry->row, turns - k->turns);
            }
            k->turns = turns;
        }
        if (b->settles[i]) {
            ww_settle_steps(k->entry);
        }
    }
}

void ww_block_settle(WwMachine *m, Block *b)
{
    settle_members(b, b->domain->cycle);
}

static void close_block(Block *b, WwCycle at)
{
    settle_members(b, at);
    b->closing = false;
    b->closed = b->pub.stopped = true;
    b->closed_at = at;
}

/* Has the walk of this tick gone past the block? Then the present edge counts as had. */
static bool passed(const WwMachine *m, const Block *b)
{
    if (!m->in_tick || !(m->fired >> b->domain->index & 1u) || m->now_phase < (int32_t)b->phase) {
        return false;
    }
    if (m->now_phase > (int32_t)b->phase) {
        return true;
    }
    for (const Block *up = (const Block *)b->pub.parent; up != NULL;
         up = (const Block *)up->pub.parent) {
        if (up->walking) {
            uint32_t mine = (uint32_t)(b->pub.up_word - up->pub.due) * 64 +
                            (uint32_t)__builtin_ctzll(b->pub.up_bit);
            uint32_t first = first_of(up, turns_of(up, b->domain->cycle));
            return (mine + up->n - first) % up->n <= (up->at + up->n - first) % up->n;
        }
        b = up;
    }
    return false;
}

void ww_gate(void *self, bool open)
{
    WwComponent *c = self;
    WwMachine *m = c->machine;
    WwGroup *g = c->group->gate;
    if (g == NULL) {
        return;
    }
    for (uint32_t i = 0; i < g->blocks->len; i++) {
        Block *b = g_ptr_array_index(g->blocks, i);
        WwCycle edge = b->domain->cycle + (passed(m, b) ? 1 : 0);
        if (!open && !b->closed && !b->closing) {
            if (b->walking) {
                b->closing = true;
            } else {
                close_block(b, edge);
            }
        } else if (open && b->closing) {
            b->closing = false;
        } else if (open && b->closed) {
            b->skipped += edge - b->closed_at;
            b->closed = b->pub.stopped = false;
            if (any_due(b)) {
                ww_block_up(&b->pub);
            }
        }
    }
}

void ww_rotate_from(void *self, WwCycle edge)
{
    const WwGroup *g = ((WwComponent *)self)->group;
    while (g != NULL && g->spec.mode != WW_GROUP_ROTATE) {
        g = g->parent;
    }
    for (uint32_t p = 0; g != NULL && p < g->machine->n_phases; p++) {
        if (g->block[p] != NULL) {
            g->block[p]->from = edge;
        }
    }
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

void ww_progress(void *self)
{
    ((WwComponent *)self)->machine->progress++;
}

void ww_fail_run(void *self, GError *error)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    if (m->error == NULL) {
        m->error = error; /* the first cause is the one to tell */
    } else {
        g_clear_error(&error);
    }
    m->stop |= STOP_FAIL;
}

void ww_pause(void *self)
{
    ((WwComponent *)self)->machine->stop |= STOP_PAUSE;
}

void ww_done(void *self)
{
    ((WwComponent *)self)->machine->stop |= STOP_DONE;
}

WwCycle ww_edges_over(const void *self, const WwDomain *domain)
{
    const WwMachine *m = ((const WwComponent *)self)->machine;
    return domain->cycle + (m->in_tick ? m->fired >> domain->index & 1u : 0);
}

void ww_between_ticks(void *self, WwBetween *between, void (*fn)(void *self))
{
    WwMachine *m = ((WwComponent *)self)->machine;
    ww_assert(between->call == NULL);
    *between = (WwBetween){.call = fn, .self = self};
    *m->between_end = between;
    m->between_end = &between->next;
}

/* Whoever asks again in such a call means the end of the next tick. */
static void make_calls(WwMachine *m)
{
    WwBetween *b = m->between;
    m->between = NULL;
    m->between_end = &m->between;
    while (b != NULL) {
        WwBetween now = *b;
        b->call = NULL;
        b = now.next;
        now.call(now.self);
    }
}

void ww_machine_set_max_cycles(WwMachine *m, WwCycle cycles)
{
    m->max_cycles = cycles;
}

void ww_machine_set_hang_limit(WwMachine *m, WwCycle cycles)
{
    m->hang_limit = cycles;
}

WwTick ww_machine_tick(const WwMachine *m)
{
    return m->tick;
}

uint64_t ww_machine_activations(const WwMachine *m)
{
    return m->activations;
}

const GError *ww_machine_error(const WwMachine *m)
{
    return m->error;
}

static bool anything_due(const WwMachine *m)
{
    if (m->between != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (m->phase[i].root != NULL && any_due(m->phase[i].root)) {
            return true;
        }
    }
    return false;
}

static void tick_once(WwMachine *m, uint32_t fired)
{
    m->fired = fired;
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if ((fired >> i & 1u) && ww_wheel_due(&m->wheel[i])) {
            fire_events(m);
            break;
        }
    }
    m->in_tick = true;
    for (uint32_t p = 0; p < m->n_phases; p++) {
        Block *root = m->phase[p].root;
        if (root != NULL && (fired >> root->domain->index & 1u) && (m->no_sleep || any_due(root))) {
            m->now_phase = (int32_t)p;
            walk(m, root, root->domain->cycle);
        }
    }
    m->in_tick = false;
    m->now_phase = -1;
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if (fired >> i & 1u) {
            m->domain[i]->cycle++;
            ww_wheel_advance(&m->wheel[i], m->domain[i]->cycle);
        }
    }
    m->tick++;
    if (G_UNLIKELY(m->between != NULL)) {
        make_calls(m);
    }
}

static void resume(WwMachine *m)
{
    m->paused = false;
    for (uint32_t i = 0; i < m->resumed->len; i++) {
        WwComponent *c = m->resumed->pdata[i];
        c->type->resume(c);
    }
}

/*
 * Everything sleeps: moves time on to the tick in which the next timed event is due, @p budget is used up or domain 0 reaches @p stop.
 * Returns the domains of that tick (not yet run), or 0.
 */
static uint32_t skip(WwMachine *m, WwTick *budget, WwCycle stop)
{
    WwCycle next[WW_MAX_DOMAINS], from = m->domain[0]->cycle;
    uint32_t fired = 0;
    for (uint32_t i = 0; i < m->n_domains; i++) {
        next[i] = ww_wheel_next(&m->wheel[i]);
    }
    if (ww_clock_uniform(&m->clock)) { /* every tick is an edge of every domain: jump */
        WwCycle n = MIN(*budget, stop - from);
        for (uint32_t i = 0; i < m->n_domains; i++) {
            n = MIN(n, next[i] - from);
        }
        for (uint32_t i = 0; i < m->n_domains; i++) {
            m->domain[i]->cycle += n;
        }
        m->tick += n;
        *budget -= n;
    }
    while (*budget != 0 && m->domain[0]->cycle != stop && ww_attention_flag == 0) {
        fired = ww_clock_next(&m->clock);
        bool due = false;
        for (uint32_t i = 0; i < m->n_domains; i++) {
            due |= (fired >> i & 1u) && m->domain[i]->cycle == next[i];
        }
        if (due) {
            break;
        }
        for (uint32_t i = 0; i < m->n_domains; i++) {
            m->domain[i]->cycle += fired >> i & 1u;
        }
        fired = 0;
        m->tick++;
        --*budget;
    }
    for (uint32_t i = 0; i < m->n_domains; i++) {
        ww_wheel_advance(&m->wheel[i], m->domain[i]->cycle);
    }
    m->progress_at += m->domain[0]->cycle - from; /* time slept through is no sign of being stuck */
    return fired;
}

static bool no_event(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if (m->wheel[i].n != 0) {
            return false;
        }
    }
    return true;
}

static bool event_due(const WwMachine *m, uint32_t fired)
{
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if ((fired >> i & 1u) && ww_wheel_due(&m->wheel[i])) {
            return true;
        }
    }
    return false;
}

WwRunStatus ww_run(WwMachine *m, WwTick budget)
{
    ww_assert(m->sealed);
    ww_at_work_running(m);
    if (m->paused) {
        resume(m);
    }
    while (budget != 0 && ww_attention_flag == 0) {
        if (m->stop & STOP_FAIL) {
            return WW_RUN_FAILED;
        }
        if (m->stop & STOP_DONE) {
            return WW_RUN_DONE;
        }
        if (m->max_cycles != 0 && m->domain[0]->cycle >= m->max_cycles) {
            return WW_RUN_LIMIT;
        }
        uint32_t fired;
        bool due = anything_due(m);
        if (due || m->no_sleep) {
            fired = ww_clock_next(&m->clock);
            if (!due && !no_event(m) && !event_due(m, fired)) {
                m->progress_at += fired & 1u; /* would have been skipped: see skip() */
            }
        } else if (no_event(m)) {
            return ww_machine_anyone_waits(m) ? WW_RUN_HANG : WW_RUN_DONE;
        } else {
            fired = skip(m, &budget, m->max_cycles != 0 ? m->max_cycles : WW_NEVER);
            if (fired == 0) {
                continue;
            }
        }
        tick_once(m, fired);
        budget--;
        if (m->progress != m->progress_seen) {
            m->progress_seen = m->progress;
            m->progress_at = m->domain[0]->cycle;
        } else if (m->hang_limit != 0 && m->domain[0]->cycle - m->progress_at >= m->hang_limit) {
            return WW_RUN_STUCK;
        }
        if (m->stop & STOP_PAUSE) {
            m->stop &= ~(uint32_t)STOP_PAUSE;
            m->paused = true;
            return WW_RUN_PAUSED;
        }
    }
    return m->stop & STOP_FAIL ? WW_RUN_FAILED : m->stop & STOP_DONE ? WW_RUN_DONE : WW_RUN_BUDGET;
}
