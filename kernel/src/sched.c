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
#include "turn-priv.h"

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

static inline void pass_up(WwBlock *b)
{
    while (!b->stopped && !(*b->up_word & b->up_bit)) {
        *b->up_word |= b->up_bit;
        b = b->parent;
    }
}

/* A wake that leaves its partition. */
static void __attribute__((noinline)) post(Post *post)
{
    WwPartition *from = post->from;
    if (ww_partition_alone(from) && !from->machine->serving) {
        *WW_LIST_ADD(from->machine, &from->posts) = post;
    } else {
        post->due = 0;
        pass_up(&post->block);
    }
}

void ww_block_up(WwBlock *b)
{
    if (G_UNLIKELY(b->post)) {
        post((Post *)b);
    } else {
        pass_up(b);
    }
}

/* ---- timed events ----------------------------------------------------------------------------------------------- */

void ww_event_cancel(WwMachine *m, WwDomain *d, WwEvent *event)
{
    if (ww_event_pending(event)) {
        WwPartition *p = d->partition;
        ww_wheel_remove(p->wheel[d->index], event);
        if (p->alarm[d->index].cycle == event->cycle) {
            ww_alarm(m, p, d->index);
        }
    }
}

/* Timed events are in the wheels of their partitions; the machine's have one alarm for each of these. */
static void set_alarm(WwMachine *m, WwPartition *p, uint32_t d, WwCycle cycle)
{
    WwEvent *a = &p->alarm[d];
    if (m->window.open) {
        ww_join_window(p);
        p->event = WW_NOT_KNOWN;
        a->cycle = cycle;
        return; /* in the machine's wheel it is when the window is over */
    }
    if (ww_event_pending(a)) {
        ww_wheel_remove(&m->wheel[d], a);
    }
    a->self = p;
    a->cycle = cycle;
    if (cycle != WW_NEVER) {
        ww_wheel_add(&m->wheel[d], a);
    }
}

void ww_alarm(WwMachine *m, WwPartition *p, uint32_t d)
{
    if (p->wheel[d] != &m->wheel[d] && p->wheel[d] != NULL) {
        set_alarm(m, p, d, p->wheel[d]->n != 0 ? ww_wheel_next(p->wheel[d]) : WW_NEVER);
    }
}

/* The partition's first timed event in domain @p d: of hundreds of wheels, some 25 KiB each, most are never used. */
WW_COLD static void make_wheel(WwMachine *m, WwPartition *p, uint32_t d)
{
    p->wheel[d] = ww_machine_alloc(m, sizeof(WwWheel)); /* zero: empty */
}

void ww_event_at(WwMachine *m, WwDomain *d, WwEvent *event, WwCycle cycle)
{
    ww_event_cancel(m, d, event);
    WwPartition *p = d->partition;
    if (G_UNLIKELY(p->wheel[d->index] == NULL)) {
        make_wheel(m, p, d->index);
    }
    WwWheel *wheel = p->wheel[d->index];
    WwCycle first = d->cycle;
    const WwNow *now = ww_now_of(p);
    if (now->phase != WW_NOT_IN_TICK && (now->fired >> d->index & 1u)) {
        first++; /* this edge's events have run */
    }
    event->cycle = MAX(cycle, first);
    event->sequence = p->sequence++;
    p->wheels |= 1u << d->index;
    ww_wheel_advance(wheel,
                     d->cycle); /* wheels of partitions are moved on when they are looked at */
    ww_wheel_add(wheel, event);
    if (wheel != &m->wheel[d->index] && p->alarm[d->index].cycle > event->cycle) {
        set_alarm(m, p, d->index, event->cycle);
    }
}

static void timer_fired(void *self, WwEvent *event)
{
    WwEntry *e = self;
    ww_wake(&e->wake);
}

void ww_set_timer(WwEntry *e)
{
    e->timer.fire = timer_fired;
    e->timer.self = e;
}

/* Its timer, which is of this thread, is not due before. */
static void __attribute__((noinline)) set_timer(WwEntry *e, WwCycle cycle)
{
    ww_event_at(e->domain->partition->machine, e->domain, &e->timer, cycle);
}

static void __attribute__((noinline)) mail(WwPartition *from, WwEntry *e, WwCycle cycle)
{
    *WW_LIST_ADD(from->machine, &from->mail) = (Mail){e, cycle};
}

static inline void wake_entry_at(WwEntry *e, WwCycle cycle)
{
    WwPartition *acting = ww_acting;
    if (acting != NULL && acting != e->domain->partition && acting->index != 0) {
        mail(acting, e, cycle); /* its wheel may be another thread's */
    } else if (!ww_event_pending(&e->timer) || e->timer.cycle > cycle) {
        set_timer(e, cycle);
    }
}

void ww_wake_entry_at(WwEntry *e, WwCycle cycle)
{
    wake_entry_at(e, cycle);
}

/* The entry point behind a wake: its bit's place in its block. */
static WwEntry *entry_of(const WwWake *w)
{
    if (w->block->step) {
        return ((WwStep *)w->block)->entry;
    }
    if (w->block->share) {
        return ((Share *)w->block)->entry;
    }
    if (w->block->post) {
        const Post *post = (const Post *)w->block;
        ww_assert(!ww_partition_alone(post->from)); /* nobody is told when a window goes on */
        return post->entry;
    }
    Block *b = (Block *)w->block;
    size_t i = (size_t)(w->word - b->pub.due) * 64 + (size_t)__builtin_ctzll(w->bit);
    return b->member[i].entry;
}

void ww_wake_across(const WwWake *w, const void *self, WwCycle cycle)
{
    if (ww_partition_alone(((const WwComponent *)self)->domain->partition)) {
        ww_wake_at(w, cycle);
    } else {
        ww_wake(w);
    }
}

WwTurns ww_turns_of(const WwWake *w, const void *channel)
{
    const WwEntry *e = w->block != &nobody ? ww_turn_of(entry_of(w)) : NULL;
    const WwDomain *d = ((const WwComponent *)channel)->domain;
    return e != NULL ? (WwTurns){e->partition, e->domain->index, (int32_t)e->phase}
                     : (WwTurns){d->partition, d->index, -1};
}

uint32_t ww_turns_an_edge(const WwWake *w)
{
    const WwEntry *e = w->block != &nobody ? entry_of(w) : NULL;
    uint32_t n = 1;
    for (; e != NULL && e->step != NULL; e = e->owner) {
        n *= e->step->turns;
    }
    if (e == NULL) {
        return n;
    }
    const WwBlock *b = e->wake.block;
    return n * (b->share ? ((const Share *)b)->of : (const Block *)b)->factor;
}

void ww_wake_at(const WwWake *w, WwCycle cycle)
{
    if (w->block != &nobody) {
        wake_entry_at(entry_of(w), cycle);
    }
}

/* The next timed event of partition @p p that is due, or NULL. */
static WwEvent *take_event(WwPartition *p)
{
    WwWheel *first = NULL;
    const WwEvent *best = NULL;
    for (uint32_t left = ww_now_of(p)->fired & p->wheels; left != 0; left &= left - 1) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        WwWheel *w = p->wheel[d];
        ww_wheel_advance(w, p->moment.domain[d]->cycle);
        if (ww_wheel_due(w)) {
            const WwEvent *e = ww_wheel_peek(w);
            if (best == NULL || e->priority < best->priority ||
                (e->priority == best->priority && e->sequence < best->sequence)) {
                best = e;
                first = w;
            }
        }
    }
    return first != NULL ? ww_wheel_pop(first) : NULL;
}

void ww_fire_events(WwPartition *p)
{
    const WwNow *now = ww_now_of(p);
    uint32_t due = now->fired & p->wheels;
    if (due != 0 && (due & (due - 1)) == 0) { /* one clock: nothing to compare */
        uint32_t d = (uint32_t)__builtin_ctz(due);
        WwWheel *w = p->wheel[d];
        ww_wheel_advance(w, p->moment.domain[d]->cycle);
        while ((now->fired & p->wheels) == due && ww_wheel_due(w)) {
            WwEvent *e = ww_wheel_pop(w);
            e->fire(e->self, e);
        }
        if ((now->fired & p->wheels) == due) {
            return;
        }
    }
    for (WwEvent *e; (e = take_event(p)) != NULL;) {
        e->fire(e->self, e);
    }
}

void ww_fire_alarms(WwMachine *m)
{
    if (m->one_time) {
        ww_fire_events(&m->partition[0]);
        return;
    }
    for (uint32_t left = m->now.fired; left != 0;) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        if (!ww_wheel_due(&m->wheel[d])) {
            left &= left - 1;
            continue;
        }
        WwPartition *p = ww_wheel_pop(&m->wheel[d])->self;
        ww_fire_events(p);
        for (uint32_t k = 0; k < m->n_domains; k++) {
            if (m->now.fired >> k & 1u) {
                ww_alarm(m, p, k);
            }
        }
        left = m->now.fired; /* what they scheduled for this very edge */
    }
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

static void close_block(Block *b, WwCycle at);

/* Runs member @p i, whose bit in word @p w is @p bit and was cleared. @p share: of a block in which partitions meet, else NULL. */
WW_WALK void run_member(WwMachine *m, Block *b, uint32_t i, uint64_t *w, uint64_t bit,
                        uint64_t turn, const Share *share)
{
    Member *k = &b->member[i];
    b->at = i;
    if (share != NULL) {
        *share->word &= ~share->bit;
    }
    if (k->tick == NULL) {
        ww_run_block(m, k->part, turn);
        return;
    }
    b->ran++;
    if (ww_run_entry(k, &b->settles[i], turn)) {
        *w |= bit; /* the block is being walked: nothing to pass up */
        if (share != NULL) {
            *share->word |= share->bit;
        }
    }
}

/* Runs the members of word @p w of the block that are due and in @p open, in order, those that become due meanwhile too. */
WW_WALK void walk_word(WwMachine *m, Block *b, uint32_t w, uint64_t open, uint64_t turn, bool meet)
{
    uint64_t due, *word = &b->pub.due[w];
    while ((due = *word & open) != 0) {
        uint32_t i = (uint32_t)__builtin_ctzll(due);
        uint64_t bit = due & -due;
        open &= -bit ^ bit; /* those behind it */
        *word ^= bit;
        i += w * 64;
        run_member(m, b, i, word, bit, turn, meet ? b->share[i] : NULL);
    }
}

/* Runs the due members among lo..hi-1. */
static void walk_range(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t w = lo / 64; w * 64 < hi; w++) {
        uint64_t open = w == lo / 64 ? UINT64_MAX << (lo % 64) : UINT64_MAX;
        if (hi - w * 64 < 64) {
            open &= (1ull << (hi - w * 64)) - 1;
        }
        walk_word(m, b, w, open, turn, b->share != NULL);
    }
}

static void walk_all(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t i = lo; i < hi; i++) {
        uint64_t *word = &b->pub.due[i / 64], bit = 1ull << (i % 64);
        *word &= ~bit;
        run_member(m, b, i, word, bit, turn, b->share != NULL ? b->share[i] : NULL);
    }
}

bool ww_block_due(const Block *b)
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
    if (b->round == 0 || t < b->from) {
        return 0;
    }
    return (uint32_t)(b->wraps ? (t - b->from) & (b->round - 1) : (t - b->from) % b->round);
}

/* One turn of a block that has several, a rotation, many members, or in which partitions meet; or of any without sleep. */
static void walk_turns(WwMachine *m, Block *b, uint64_t turn)
{
    for (uint32_t r = 0; r < b->repeat; r++) {
        uint64_t t = turn * b->repeat + r;
        uint32_t first = first_of(b, t);
        if (m->no_sleep) {
            walk_all(m, b, first, b->n, t);
            walk_all(m, b, 0, first, t);
            continue;
        }
        walk_range(m, b, first, b->n, t);
        if (first != 0) {
            walk_range(m, b, 0, first, t);
        }
        if (!ww_block_due(b)) {
            break;
        }
    }
}

/*
 * One turn of a block of one word whose members are entry points, and which has no gate, inside of one that is being walked. Is one of them
 * due again?
 */
WW_WALK bool walk_leaf(Block *b, uint64_t turn)
{
    uint64_t due, *word = b->pub.due;
    uint32_t r = 0;
    b->pub.stopped = b->walking = true;
    do {
        uint64_t t = turn * b->repeat + r;
        uint64_t open = UINT64_MAX << first_of(b, t), rest = ~open;
        do {
            while ((due = *word & open) != 0) {
                uint32_t i = (uint32_t)__builtin_ctzll(due);
                uint64_t bit = due & -due;
                open &= -bit ^ bit; /* those behind it */
                *word ^= bit;
                b->at = i;
                b->ran++;
                if (ww_run_entry(&b->member[i], &b->settles[i], t)) {
                    *word |= bit;
                }
            }
            open = rest;
            rest = 0;
        } while (open != 0);
    } while (++r < b->repeat && *word != 0);
    b->pub.stopped = b->walking = false;
    return *word != 0;
}

/* One turn of a block of one word whose members take no turns among themselves. */
WW_WALK void walk_plain(WwMachine *m, Block *b, uint64_t turn)
{
    uint64_t due, open = UINT64_MAX, *word = b->pub.due;
    while ((due = *word & open) != 0) {
        uint32_t i = (uint32_t)__builtin_ctzll(due);
        uint64_t bit = due & -due;
        Member *k = &b->member[i];
        open &= -bit ^ bit; /* those behind it */
        *word ^= bit;
        b->at = i;
        bool more = false;
        if (k->tick != NULL) {
            b->ran++;
            more = ww_run_entry(k, &b->settles[i], turn);
        } else if (((Block *)k->part)->leaf) {
            more = walk_leaf(k->part, turn);
        } else {
            ww_run_block(m, k->part, turn);
        }
        if (more) {
            *word |= bit;
        }
    }
}

void ww_walk(WwMachine *m, Block *b, uint64_t turn)
{
    bool due;
    b->pub.stopped = b->walking = true;
    if (b->plain && !m->no_sleep) {
        walk_plain(m, b, turn);
        due = b->pub.due[0] != 0;
    } else {
        walk_turns(m, b, turn);
        due = ww_block_due(b);
    }
    b->walking = false;
    if (G_UNLIKELY(b->closing)) {
        close_block(b, b->domain->cycle + 1);
        return;
    }
    b->pub.stopped = false;
    if (due && !(*b->pub.up_word & b->pub.up_bit)) {
        *b->pub.up_word |= b->pub.up_bit;
        if (!b->pub.parent->stopped) {
            ww_block_up(b->pub.parent);
        }
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
static bool passed(const Block *b)
{
    const WwNow *now = ww_now_of(b->domain->partition);
    if (!(now->fired >> b->domain->index & 1u) || now->phase < (int32_t)b->phase) {
        return false;
    }
    if (now->phase > (int32_t)b->phase) {
        return true;
    }
    for (const WwBlock *at = &b->pub; at->parent != NULL;) {
        if (at->parent->share) {
            at = at->parent;
            continue;
        }
        const Block *up = (const Block *)at->parent;
        if (up->walking) {
            uint32_t mine =
                (uint32_t)(at->up_word - up->pub.due) * 64 + (uint32_t)__builtin_ctzll(at->up_bit);
            uint32_t first = first_of(up, turns_of(up, up->domain->cycle));
            return (mine + up->n - first) % up->n <= (up->at + up->n - first) % up->n;
        }
        at = &up->pub;
    }
    return false;
}

void ww_gate(void *self, bool open)
{
    WwComponent *c = self;
    WwGroup *g = c->group->gate;
    if (g == NULL) {
        return;
    }
    for (uint32_t i = 0; i < g->blocks->len; i++) {
        Block *b = g_ptr_array_index(g->blocks, i);
        WwCycle edge = b->domain->cycle + (passed(b) ? 1 : 0);
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
            if (ww_block_due(b)) {
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
