/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stage and the next one, where channels between them have too little room for the writers to go to the end of the window alone: they take
 * turns. Either of them may be ahead:
 *
 *   a channel with few tokens     the writer goes on, as far as it is sure to find room; the reader may not pass it
 *   a channel with many           the reader goes on, until there may soon be too few; the writer follows, and finds the room that it
 *                                 would have found at its time, since the channel knows when places became free (WwType.lag)
 *
 * In a tick either the writers or the reader have their turn first, and may run it when the other one has run those before. The reader is one
 * partition, which all writers wait for; each writer has its own pace:
 *
 *   tick        t . . . . . . . . . . . . . t + n
 *   writer 0    ===============1==========3===>      1: as far as there is room
 *   writer 1    ======1======2=====3==========>      2: the reader has come to where a channel may run dry: writer 1 has to come as far
 *   reader      -------------2-------3-------->
 *
 * Those whom the serial partition has to look at are held until all others have come as far, and served in the order of time.
 */
#include "crew-priv.h"
#include "stages-priv.h"

enum { GROUP = 8 };

typedef struct Tight {
    WwMachine *m;
    uint32_t end; /* ticks of the window */
    const Stage *writers;
    WwPartition *reader;
    WwPartition *group[GROUP]; /* Those whom the reader waits for first, if they are few. */
    uint32_t n;
} Tight;

/* Ticks of the window that are over. */
static inline uint32_t over(const WwPartition *p)
{
    return p->done + p->stopped;
}

bool ww_await_writers(WwPartition *reader, const WwPartition *writer, bool early)
{
    if (writer->moment.window == 0) {
        return false; /* it has nothing to do */
    }
    reader->hold |= !writer->together && over(writer) + !early < reader->horizon;
    return over(writer) < reader->done + early;
}

/* The next writer that takes part. */
static WwPartition *next_writer(const Tight *t, uint32_t *at)
{
    return ww_next_in(t->m, at, t->writers->end);
}

static void let_lag(const Tight *t, bool on)
{
    for (uint32_t at = t->writers->from; at < t->writers->end; at++) {
        const WwPartition *p = t->m->ranked[at];
        for (uint32_t i = 0; i < p->n_lag; i++) {
            p->lag[i]->channel->type->lag(p->lag[i]->channel, on);
        }
    }
}

/* The tick to which the writers are sure to find room: the reader has not come as far. */
static uint32_t sure_until(const Tight *t, const Span *s)
{
    const WwClockTicks *at = &t->m->window.at;
    uint32_t lane = t->m->clock.lane_of[s->domain->index];
    WwCycle first = at->cycle[lane][0], all = at->cycle[lane][t->end] - first;
    WwCycle edge = at->cycle[lane][s->writer->done] - first +
                   MIN(s->channel->type->room(s->channel), WW_WINDOW);
    return edge < all ? at->tick[lane][edge] : t->end;
}

/* May writer @p p go on, as far as the reader has come, or from there on as far as there is room? Then `until` is how far. */
static bool may_write(const Tight *t, WwPartition *p)
{
    p->until = t->end;
    for (uint32_t i = 0; i < p->n_lag && p->until > p->done; i++) {
        const Span *s = p->lag[i];
        uint32_t known = over(t->reader) + s->early; /* what has been taken by then is known */
        uint32_t until = p->done < known ? known : sure_until(t, s);
        p->until = MIN(p->until, until);
    }
    return p->until > p->done && !p->stopped;
}

/* The tick to which the reader may go for all that writer @p p has to do with it. */
static uint32_t may_read(const Tight *t, const WwPartition *p)
{
    uint32_t until = t->end;
    for (uint32_t i = 0; i < p->n_lag; i++) {
        const Span *s = p->lag[i];
        uint32_t known = over(p) + !s->early; /* what has been put by then is known */
        if (known < until && !s->channel->type->spare(s->channel)) {
            until = known;
        }
    }
    return until;
}

/* All writers that may go on do. Did one? */
static bool run_writers(const Tight *t)
{
    WwMachine *m = t->m;
    WwPartition *p;
    uint32_t n = 0;
    ww_join_due(m);
    for (uint32_t at = t->writers->from; (p = next_writer(t, &at)) != NULL;) {
        if (may_write(t, p)) {
            m->job[n++] = p;
        }
    }
    ww_run_jobs(m, n);
    ww_take_mail(m, t->writers);
    return n != 0;
}

/* Looks at those who are held first, if all others are past. Was there one? */
static bool serve(const Tight *t)
{
    WwMachine *m = t->m;
    WwPartition *p;
    uint32_t past = t->end, k;
    for (uint32_t at = t->writers->from; (p = next_writer(t, &at)) != NULL;) {
        past = p->stopped ? past : MIN(past, p->done);
    }
    k = ww_first_stop(m, t->writers, past);
    if (k == past) {
        return false;
    }
    bool more = ww_serve(m, t->writers, k);
    for (uint32_t at = t->writers->from; (p = next_writer(t, &at)) != NULL;) {
        if (p->stopped && p->done == k) {
            ww_run_on(m, p, k + 1); /* no further than it was: it goes on with the others */
            p->with_serial = more && k + 1 < t->end;
        }
    }
    return true;
}

/*
 * The reader goes on to tick @p until. Is it there? Else it is held, since a channel may run dry whose writers have not come to tick @p horizon;
 * those of the group are looked at by themselves.
 */
static bool read_until(const Tight *t, uint32_t until, uint32_t horizon)
{
    WwPartition *r = t->reader;
    r->until = until;
    r->horizon = horizon;
    r->by_itself = true; /* whom it wakes takes part at once: it may have to be waited for */
    ww_run_partition(r);
    r->by_itself = false;
    return r->done == until;
}

/* The group goes on. Did one? */
static bool group_writes(const Tight *t)
{
    bool any = false;
    for (uint32_t i = 0; i < t->n; i++) {
        if (may_write(t, t->group[i])) {
            ww_run_partition(t->group[i]);
            any = true;
        }
    }
    ww_take_mail(t->m, t->writers);
    return any;
}

/*
 * The reader waits for the group alone, up to tick @p others: writers with a full channel and an empty one go tick by tick with it. Until one is held, or
 * as far as the others.
 */
static void go_together(const Tight *t, uint32_t others)
{
    while (group_writes(t)) {
        uint32_t until = others;
        for (uint32_t i = 0; i < t->n; i++) {
            uint32_t known = may_read(t, t->group[i]);
            until = MIN(until, known);
        }
        if (until == others || until <= over(t->reader) || !read_until(t, until, others)) {
            return;
        }
    }
}

static void mark_group(const Tight *t, bool on)
{
    for (uint32_t i = 0; i < t->n; i++) {
        t->group[i]->together = on;
    }
}

/* The tick that the reader may go to, and whom it waits for there: the group, if they are few; @p others: to which tick it need not wait for others. */
static uint32_t find_group(Tight *t, uint32_t *others)
{
    WwPartition *p;
    uint32_t until = t->end;
    *others = t->end;
    t->n = 0;
    for (uint32_t at = t->writers->from; (p = next_writer(t, &at)) != NULL;) {
        uint32_t known = may_read(t, p);
        if (known < until) { /* those so far are others */
            *others = until;
            until = known;
            t->n = 0;
        }
        if (known == until && until < t->end && t->n < GROUP) {
            t->group[t->n++] = p;
        } else {
            *others = MIN(*others, known);
        }
    }
    t->n = until < *others ? t->n : 0;
    return until;
}

/* The reader goes on to where a channel may run dry. Did it? */
static bool run_reader(Tight *t)
{
    uint32_t others, until = find_group(t, &others);
    if (over(t->reader) >= until && !(until == t->end && t->reader->done < t->end)) {
        return false;
    }
    mark_group(t, true);
    if (read_until(t, until, others) && until < others) {
        go_together(t, others);
    }
    mark_group(t, false);
    return true;
}

/* Are all at the end of the window? */
static bool is_over(const Tight *t)
{
    const WwPartition *p;
    bool over = t->reader->done == t->end;
    for (uint32_t at = t->writers->from; (p = next_writer(t, &at)) != NULL;) {
        over &= p->done == t->end;
    }
    return over;
}

void ww_run_tight(WwMachine *m, uint32_t stage)
{
    Tight t = {.m = m,
               .end = m->window.at.n,
               .writers = &m->stage[stage],
               .reader = m->ranked[m->stage[stage + 1].from]};
    bool any = true;
    ww_join_due(m);
    ww_join_window(t.reader);
    let_lag(&t, true);
    while (!is_over(&t)) {
        ww_assert(any); /* a writer without room has a channel whose reader may go on */
        any = run_writers(&t);
        any |= serve(&t);
        any |= run_reader(&t);
    }
    let_lag(&t, false);
}
