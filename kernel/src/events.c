/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timed events, and wakes at an edge.
 *
 * Events of components are in the wheels of their partitions; a partition has an alarm in the machine's wheel of each domain where its earliest is. An
 * entry point that is to be woken at an edge needs no order and no function: where partitions have times of their own, that is a bit in a calendar, a
 * word of turns for each of the next edges. What a calendar cannot hold, more turns than a word has or an edge far away, is an event
 * of the entry point's own.
 */
#include "machine-priv.h"

/* ---- calendars --------------------------------------------------------------------------------------------------- */

/* Turns @p due of word @p of of @p p are due. */
static void wake_turns(WwPartition *p, const Calendar *of, uint64_t due)
{
    uint64_t left = due & ~*of->due;
    const Turn *turn = &p->turn[of->word * 64];
    *of->due |= due;
    for (; p->moment.window == 0 && left != 0; left &= left - 1) {
        WwBlock *share = &turn[__builtin_ctzll(left)].share->block;
        if (!share->stopped) {
            ww_block_up(share);
        }
    }
}

/* What is noted for the edges of the partition's tick. */
static inline void turn_pages(WwPartition *p, uint32_t fired)
{
    for (uint32_t left = fired & p->noted; left != 0; left &= left - 1) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        WwCycle cycle = p->moment.domain[d]->cycle;
        for (Calendar *c = p->calendar[d]; c != NULL; c = c->next) {
            uint64_t due = ww_turn_day(c, cycle);
            if (due != 0) {
                wake_turns(p, c, due);
            }
        }
    }
}

bool ww_anything_noted(const WwPartition *p)
{
    for (uint32_t left = p->noted; left != 0; left &= left - 1) {
        if (ww_next_day(p->calendar[__builtin_ctz(left)], 0) != WW_NEVER) {
            return true;
        }
    }
    return false;
}

/* ---- when the next one is ---------------------------------------------------------------------------------------- */

/* The earliest edge of domain @p d at which the partition has a timed event or a note, or WW_NEVER. */
static WwCycle next_in(WwPartition *p, uint32_t d)
{
    WwCycle next = WW_NEVER;
    if (p->noted >> d & 1u) {
        next = ww_next_day(p->calendar[d], p->moment.domain[d]->cycle);
        p->noted &= ~((uint32_t)(next == WW_NEVER) << d);
    }
    if ((p->wheels >> d & 1u) && p->wheel[d]->n != 0) {
        next = MIN(next, ww_wheel_next(p->wheel[d]));
    }
    return next;
}

uint32_t ww_next_event_tick(const WwMachine *m, WwPartition *p)
{
    const Window *w = &m->window;
    uint32_t first = w->at.n;
    for (uint32_t left = p->wheels | (p->lane == NO_LANE ? p->noted : 0); left != 0;
         left &= left - 1) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        WwCycle edge = next_in(p, d);
        if (edge < w->time[d][w->at.n]) {
            first = MIN(first, w->at.tick[m->clock.lane_of[d]][edge - w->time[d][0]]);
        }
    }
    return p->event = first;
}

/* Outside of windows: the partition's alarm is at @p cycle. */
static void set_alarm(WwMachine *m, WwPartition *p, uint32_t d, WwCycle cycle)
{
    WwEvent *a = &p->alarm[d];
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
    if (p->wheel[d] != &m->wheel[d]) {
        set_alarm(m, p, d, next_in(p, d));
    }
}

/* Something is due at edge @p cycle that was not before. In the machine's wheel that is when the window is over. */
static inline void expect(WwMachine *m, WwPartition *p, uint32_t d, WwCycle cycle)
{
    const Window *w = &m->window;
    if (!w->open) {
        if (p->alarm[d].cycle > cycle) {
            set_alarm(m, p, d, cycle);
        }
        return;
    }
    ww_join_window(p);
    if (p->event != WW_NOT_KNOWN && cycle < w->time[d][w->at.n]) {
        p->event = MIN(p->event, w->at.tick[m->clock.lane_of[d]][cycle - w->time[d][0]]);
    }
}

/* ---- timed events ------------------------------------------------------------------------------------------------ */

void ww_event_cancel(WwMachine *m, WwDomain *d, WwEvent *event)
{
    if (ww_event_pending(event)) {
        WwPartition *p = d->partition;
        ww_wheel_remove(p->wheel[d->index], event);
        if (m->window.open) {
            ww_join_window(p);
            p->event = WW_NOT_KNOWN;
        } else if (p->alarm[d->index].cycle == event->cycle) {
            ww_alarm(m, p, d->index);
        }
    }
}

/* The first edge of the domain whose events have not run. */
static inline WwCycle first_edge(const WwDomain *d)
{
    const WwNow *now = ww_now_of(d->partition);
    WwCycle first = d->cycle;
    if (now->phase != WW_NOT_IN_TICK && (now->fired >> d->index & 1u)) {
        first++; /* this edge's events have run */
    }
    return first;
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
    WwCycle first = first_edge(d);
    event->cycle = MAX(cycle, first);
    event->sequence = p->sequence++;
    p->wheels |= 1u << d->index;
    ww_wheel_advance(wheel,
                     d->cycle); /* wheels of partitions are moved on when they are looked at */
    ww_wheel_add(wheel, event);
    if (wheel != &m->wheel[d->index]) {
        expect(m, p, d->index, event->cycle);
    }
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

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

bool ww_timer_pending(const WwEntry *e)
{
    return ww_event_pending(&e->timer) ||
           (e->noted_at != WW_NEVER && e->noted_at >= first_edge(e->domain));
}

static void __attribute__((noinline)) mail(WwPartition *from, WwEntry *e, WwCycle cycle)
{
    *WW_LIST_ADD(from->machine, &from->mail) = (Mail){e, cycle};
}

/* May the partition that has its turn write to the wheels and the calendars of @p to? Another thread may. */
static inline bool is_elsewhere(const WwPartition *acting, const WwPartition *to)
{
    return acting != NULL && acting != to && acting->index != 0 && !acting->by_itself &&
           (acting->stage == to->stage || to->machine->threads > 1);
}

/* The same as an event of its own. */
static void __attribute__((noinline)) set_timer(WwEntry *e, WwCycle cycle)
{
    if (cycle == WW_NEVER) {
        return;
    }
    if (!ww_event_pending(&e->timer) || e->timer.cycle > cycle) {
        ww_event_at(e->domain->partition->machine, e->domain, &e->timer, cycle);
    }
}

/* Notes in calendar @p c that the entry point is due at edge @p cycle, or at @p first, its first one. */
static inline void note(Calendar *c, WwEntry *e, WwCycle first, WwCycle cycle)
{
    WwPartition *p = e->domain->partition;
    cycle = MAX(cycle, first);
    if (e->noted_at - first <= cycle - first) {
        return; /* it has been noted already */
    }
    if (G_UNLIKELY(e->noted_at > cycle && e->noted_at != WW_NEVER)) {
        ww_strike_day(c, e->noted_at, e->wake.bit);
    }
    e->noted_at = cycle;
    ww_note_day(c, cycle, e->wake.bit);
    p->noted |= 1u << e->domain->index;
    if (p->lane == NO_LANE || p->moment.window == 0) {
        expect(p->machine, p, e->domain->index, cycle);
    } /* else it looks at each edge */
}

static inline void wake_entry_at(WwEntry *e, WwCycle cycle)
{
    const WwDomain *d = e->domain;
    if (is_elsewhere(ww_acting, d->partition)) {
        mail(ww_acting, e, cycle);
    } else if (G_LIKELY(e->calendar != NULL && cycle < d->cycle + WW_DAYS &&
                        !ww_event_pending(&e->timer))) {
        note(e->calendar, e, first_edge(d), cycle);
    } else {
        set_timer(e, cycle);
    }
}

void ww_wake_entry_at(WwEntry *e, WwCycle cycle)
{
    wake_entry_at(e, cycle);
}

void ww_wake_at(const WwWake *w, WwCycle cycle)
{
    const Share *s = (const Share *)w->block;
    WwEntry *e = s->block.share && s->entry != NULL ? s->entry : ww_entry_of(w);
    if (G_LIKELY(e != NULL)) {
        wake_entry_at(e, cycle);
    }
}

void ww_wake_across(const WwWake *w, const void *self, WwCycle cycle)
{
    if (ww_partition_alone(((const WwComponent *)self)->domain->partition)) {
        ww_wake_at(w, cycle);
    } else {
        ww_wake(w);
    }
}

static WW_COLD void fail_to_rest(WwEntry *e, WwRest rest)
{
    WwComponent *c = e->external ? ww_info(e->domain->partition->machine, 0)->component : e->self;
    g_autofree char *path = e->external ? g_strdup("from outside") : ww_path(c);
    GError *error = NULL;
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: entry point '%s' rests for %" G_GUINT64_FORMAT
            " edges in its edge %" G_GUINT64_FORMAT
            ", beyond the end of time; expected a number of edges to come (of a time that is over "
            "it wraps), or WW_SLEEP",
            path, e->external ? "step" : c->type->entries[e->row].name, rest, e->domain->cycle);
    ww_fail_run(c, error);
}

void ww_rest(WwEntry *e, WwRest rest)
{
    WwCycle now = e->domain->cycle;
    if (G_LIKELY(e->calendar != NULL && rest < WW_DAYS && !ww_event_pending(&e->timer))) {
        note(e->calendar, e, now + 1, now + rest);
    } else if (G_LIKELY(rest <= WW_NEVER - now)) {
        ww_wake_entry_at(e, now + rest);
    } else {
        fail_to_rest(e, rest);
    }
}

/* ---- what is due -------------------------------------------------------------------------------------------------- */

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

static void fire_wheels(WwPartition *p)
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

void ww_fire_events(WwPartition *p)
{
    uint32_t fired = ww_now_of(p)->fired;
    if (fired & p->wheels) {
        fire_wheels(p);
    }
    turn_pages(p, fired); /* events may have noted something for this very edge */
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
