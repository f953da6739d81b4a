/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows: many ticks in a row, one partition after the other.
 *
 *   tick       t . . . . . . . . . . . . . t + n
 *   channel 0  ---------------------------->      stage 0: each alone, from what was under way at t
 *   channel 1  ---------------------------->
 *   replies    ---------------------------->      stage 1: tokens of stage 0, each at its edge
 *   SM 0       -------|==|----------------->      stage 2: stops where the serial partition has to look, goes on after it
 *   SM 1       ---------------------------->
 *   requests   ---------------------------->      stage 3: what it hands to stage 0 takes effect after t + n
 *
 * A partition comes after those that write into its channels. A window is as long as nothing in it can need a partition that is not there
 * yet: room that is certain in the channels between partitions, promises of components (WwType.ahead), the serial partition's own timed
 * events. When that is less than it costs, ticks are run as always.
 */
#include "crew-priv.h"
#include "log-priv.h"
#include "profile-priv.h"
#include "stages-priv.h"
#include "turn-priv.h"
#include <string.h>

enum {
    LEAST = 4, /* Edges; fewer are not worth a window. */
    PAUSE = 8, /* Ticks until the next one is tried. */
    TIGHT =
        48, /* Edges; where writers are sure of room for fewer, they and their reader take turns. */
};

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

/* Its turns are its own affair now: they are no longer said to the blocks in which partitions meet. */
static void detach(const WwPartition *p)
{
    const Block *cleared = NULL;
    for (uint32_t i = 0; i < p->n_shares; i++) {
        WwBlock *share = &p->share[i]->block;
        share->stopped = true;
        *share->up_word &= ~share->up_bit;
    }
    for (uint32_t i = 0; i < p->n_shares; i++) {
        const Block *b = p->share[i]->of;
        if (b == cleared) {
            continue;
        }
        for (cleared = b; b->pub.parent != NULL && !ww_block_due(b);
             b = (const Block *)b->pub.parent) {
            *b->pub.up_word &= ~b->pub.up_bit;
        }
    }
}

static void attach(const WwPartition *p)
{
    for (uint32_t i = 0; i < p->n_shares; i++) {
        Share *s = p->share[i];
        s->block.stopped = s->inner != NULL && s->inner->closed;
        if (*s->word & s->mask) {
            ww_block_up(&s->block);
        }
    }
}

void ww_join_window(WwPartition *p)
{
    if (p->moment.window != 0) {
        return;
    }
    Window *w = &p->machine->window;
    w->in[p->rank / 64] |= 1ull << (p->rank % 64);
    p->moment.window = w->number;
    for (uint32_t left = p->wheels | p->noted; left != 0; left &= left - 1) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        if (ww_event_pending(&p->alarm[d])) {
            ww_wheel_remove(&p->machine->wheel[d], &p->alarm[d]);
        }
        p->alarm[d].cycle = WW_NEVER;
    }
    detach(p);
    p->done = p->last = 0;
    if (ww_acting != NULL && ww_acting->by_itself && p->stage + 1 == ww_acting->stage) {
        /* a writer that its reader wakes: it slept until now, and from now on is waited for */
        p->done = ww_acting->done + (p->before == 1);
        ww_acting->hold = true;
    }
    p->event = WW_NOT_KNOWN;
    p->progress = 0;
}

/* The first partition that takes part from rank *at on, below @p end; *at is behind it. NULL: none. */
WwPartition *ww_next_in(const WwMachine *m, uint32_t *at, uint32_t end)
{
    while (*at < end) {
        uint64_t left = m->window.in[*at / 64] >> (*at % 64);
        if (left != 0) {
            *at += (uint32_t)__builtin_ctzll(left) + 1;
            return *at <= end ? m->ranked[*at - 1] : NULL;
        }
        *at = (*at / 64 + 1) * 64;
    }
    return NULL;
}

/* Those who have turns that are due. Is there one? */
bool ww_join_due(const WwMachine *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->n_watches; i++) {
        const Watch *w = &m->watch[i];
        for (uint64_t left = *w->due; left != 0; left &= left - 1) {
            WwPartition *p = w->of[__builtin_ctzll(left)];
            if (p != NULL) {
                ww_join_window(p);
                any = true;
            }
        }
    }
    return any;
}

/* Those who have timed events in the window. */
static void join_alarmed(WwMachine *m)
{
    for (uint32_t d = 0; d < m->n_domains; d++) {
        WwCycle end = m->window.time[d][m->window.at.n];
        for (WwCycle next; (next = ww_wheel_next(&m->wheel[d])) < end;) {
            ww_wheel_advance(&m->wheel[d], next);
            ww_join_window(ww_wheel_pop(&m->wheel[d])->self);
        }
    }
}

/* ---- the serial partition --------------------------------------------------------------------------------------- */

static void deliver(WwPartition *p)
{
    for (uint32_t i = 0; i < p->posts.n; i++) {
        Post *post = p->posts.v[i];
        ww_block_up(&post->block);
    }
    p->posts.n = 0;
}

bool ww_serve(WwMachine *m, const Stage *s, uint32_t k)
{
    WwPartition *serial = &m->partition[0];
    WwPartition *p;
    uint64_t begin = ww_profile_begin(m);
    m->serving = true;
    ww_join_window(serial);
    for (uint32_t at = s->from; (p = ww_next_in(m, &at, s->end)) != NULL;) {
        if (p->stopped && p->done == k) {
            p->with_serial = true;
            deliver(p);
        }
    }
    ww_run_tick(m, serial, k);
    serial->moment.now.phase = WW_NOT_IN_TICK;
    m->serving = false;
    ww_profile_end(serial, PROFILE_SERVED, begin);
    return ww_busy(serial);
}

uint32_t ww_first_stop(const WwMachine *m, const Stage *s, uint32_t end)
{
    const WwPartition *p;
    for (uint32_t at = s->from; (p = ww_next_in(m, &at, s->end)) != NULL;) {
        if (p->stopped) {
            end = MIN(end, p->done);
        }
    }
    return end;
}

/*
 * Serves those who are held, in the order of time. As long as the serial partition has more to do, those whom it served are taken along tick
 * by tick; then they go on alone. Those who are still taken along at @p end are, when the stage goes on.
 */
void ww_serve_all(WwMachine *m, const Stage *s, uint32_t end)
{
    uint32_t k;
    while ((k = ww_first_stop(m, s, end)) < end) {
        bool more = ww_serve(m, s, k);
        WwPartition *p;
        for (uint32_t at = s->from; (p = ww_next_in(m, &at, s->end)) != NULL;) {
            if (!p->with_serial) {
                continue;
            }
            uint64_t begin = ww_profile_begin(m);
            ww_run_on(m, p, more ? k + 1 : end);
            if (more && !p->stopped && k + 1 < end) {
                ww_run_tick(m, p, k + 1);
                p->stopped = true;
            }
            ww_profile_end(p, PROFILE_SERVED, begin);
            p->with_serial = more && k + 1 < m->window.at.n;
        }
    }
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

void ww_window_limit(WwMachine *m, const WwDomain *domain, WwCycle edges)
{
    WwCycle *most = &m->window.most[domain->index];
    *most = MIN(*most, edges);
}

WwCycle ww_window_most(const WwMachine *m, const WwDomain *domain)
{
    return m->window.most[domain->index];
}

/* Can the stages at its ends take turns? The reader has to be the next one's only partition, and to be looked at by nobody meanwhile. */
static bool may_lag(const WwMachine *m, const Span *s)
{
    const Stage *next = &m->stage[s->stage + 1];
    return s->channel->type->lag != NULL && s->stage + 1 < MIN(m->n_stages, 63u) &&
           next->end - next->from == 1 && !next->serial && m->ranked[next->from] == s->reader &&
           s->channel->type->lag(s->channel, false);
}

/* Stages of @p more take turns too, unless those beside them do: one of them would be the other's reader. */
static uint64_t add_tight(uint64_t tight, uint64_t more)
{
    for (; more != 0; more &= more - 1) {
        uint64_t bit = more & -more;
        tight |= (tight & (bit << 1 | bit >> 1)) == 0 ? bit : 0;
    }
    return tight;
}

/* A partition that writes both before and after its reader has its turn in a tick cannot take turns with it, tick by tick. */
static void find_lags(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        s->lags = may_lag(m, s);
        s->writer->before = 0;
        s->writer->n_lag = 0;
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        const Span *s = &m->span[i];
        s->writer->before |= !s->lags ? 0 : s->early ? 1 : 2;
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        s->lags &= s->writer->before != 3;
        s->writer->n_lag += s->lags;
    }
    Span **next = m->lag;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        p->lag = next;
        next += p->n_lag;
        p->n_lag = 0;
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        if (s->lags) {
            s->writer->lag[s->writer->n_lag++] = s;
        }
    }
}

/* Those whose channels have little room even if nothing is in them always take turns. */
void ww_reset_windows(WwMachine *m)
{
    Window *w = &m->window;
    uint64_t little = 0;
    find_lags(m);
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        s->now = s->room = s->channel->type->room(s->channel);
        little |= (uint64_t)(s->lags && s->room < TIGHT) << s->stage;
        m->touched[i] = 0;
    }
    w->always_tight = add_tight(0, little);
    for (uint32_t d = 0; d < m->n_domains; d++) {
        w->room[d] = WW_NEVER;
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        const Span *s = &m->span[i];
        if (!s->lags || !(w->always_tight >> s->stage & 1u)) {
            w->room[s->domain->index] = MIN(w->room[s->domain->index], s->room);
        }
    }
}

/* How many edges the writers of each channel in which there is something are sure of. Stages for which that is too little take turns. */
static void find_room(WwMachine *m)
{
    uint64_t little = 0;
    for (uint32_t k = 0; k < m->n_spans; k++) {
        Span *s = &m->span[k];
        if (m->touched[k] != 0) {
            s->now = s->channel->type->room(s->channel);
            little |= (uint64_t)(s->lags && s->now < TIGHT) << s->stage;
        }
    }
    m->window.tight = add_tight(m->window.always_tight, little & ~m->window.always_tight);
}

/*
 * Channels in which there is something: until it is as if there were nothing, and something is put again. Those of stages that take turns limit
 * nothing.
 */
static void limit_to_room(WwMachine *m)
{
    find_room(m);
    for (uint32_t k = 0; k < m->n_spans; k++) {
        const Span *s = &m->span[k];
        if (m->touched[k] == 0) {
            continue;
        }
        if (!s->lags || !(m->window.tight >> s->stage & 1u)) {
            ww_window_limit(m, s->domain, s->now);
        }
        m->touched[k] = s->now < s->room;
    }
}

/* How far all may go: fills in the limits of each domain's edges. */
static void find_limits(WwMachine *m)
{
    Window *w = &m->window;
    WwPartition *serial = &m->partition[0];
    for (uint32_t d = 0; d < m->n_domains; d++) {
        w->most[d] = MIN(w->room[d], WW_WINDOW);
        if ((serial->wheels >> d & 1u) && serial->wheel[d]->n != 0) {
            w->most[d] = MIN(w->most[d], ww_wheel_next(serial->wheel[d]) - m->domain[d]->cycle);
        }
    }
    if (m->max_cycles != 0) {
        ww_window_limit(m, m->domain[0], m->max_cycles - m->domain[0]->cycle);
    }
    if (m->host->until != WW_NEVER) {
        ww_window_limit(m, m->domain[0], m->host->until - m->domain[0]->cycle);
    }
    if (m->hang_limit != 0) {
        WwCycle since = m->domain[0]->cycle - m->progress_at;
        ww_window_limit(m, m->domain[0], m->hang_limit > since ? m->hang_limit - since - 1 : 0);
    }
    limit_to_room(m);
    for (uint32_t i = 0; i < m->n_ahead; i++) {
        m->ahead[i]->type->ahead(m->ahead[i]);
    }
}

/* Is it worth its cost? */
static bool worth(const WwMachine *m)
{
    for (uint32_t d = 0; d < m->n_domains; d++) {
        if (m->window.most[d] < LEAST) {
            return false;
        }
    }
    return true;
}

/* Asks the clock for ticks until a limit is reached. */
static void take_ticks(WwMachine *m, WwTick budget)
{
    Window *w = &m->window;
    uint64_t most[WW_MAX_DOMAINS], from[WW_MAX_DOMAINS];
    memset(most, 0xff, sizeof most);
    for (uint32_t d = 0; d < m->n_domains; d++) {
        uint64_t *lane = &most[m->clock.lane_of[d]];
        *lane = MIN(*lane, w->most[d]);
        from[m->clock.lane_of[d]] = m->domain[d]->cycle;
    }
    w->clock = m->clock;
    ww_clock_lay_out(&m->clock, (uint32_t)MIN(budget, WW_WINDOW), most, from, &w->at);
}

void ww_run_partition(WwPartition *p)
{
    WwMachine *m = p->machine;
    uint64_t begin = ww_profile_begin(m);
    if (p->with_serial) { /* held again: see ww_serve_all() */
        ww_run_tick(m, p, p->done);
        p->stopped = true;
    } else {
        ww_run_on(m, p, p->until);
    }
    ww_profile_end(p, PROFILE_ALONE, begin);
}

static void begin(WwMachine *m)
{
    memset(m->window.in, 0, (m->n_all + 63) / 64 * sizeof(uint64_t));
    m->window.open = true;
    m->window.number++;
    join_alarmed(m);
}

/* Is nothing due or pending any more? */
static bool is_over(const WwMachine *m)
{
    const WwPartition *p;
    for (uint32_t d = 0; d < m->n_domains; d++) {
        if (m->wheel[d].n != 0) {
            return false;
        }
    }
    for (uint32_t at = 0; (p = ww_next_in(m, &at, m->n_all)) != NULL;) {
        if (ww_busy(p)) {
            return false;
        }
        for (uint32_t left = p->wheels; left != 0; left &= left - 1) {
            if (p->wheel[__builtin_ctz(left)]->n != 0) {
                return false;
            }
        }
        if (ww_anything_noted(p)) {
            return false;
        }
    }
    return !ww_join_due(m);
}

/* Everything sleeps for ever: time ends after the last tick in which something ran. */
static void cut(WwMachine *m)
{
    const WwPartition *p;
    uint32_t last = 0;
    for (uint32_t at = 0; (p = ww_next_in(m, &at, m->n_all)) != NULL;) {
        last = MAX(last, p->last);
    }
    m->clock = m->window.clock;
    for (uint32_t k = 0; k < last; k++) {
        ww_clock_next(&m->clock);
    }
    m->window.at.n = last;
}

/* All partitions are at the same time again. */
static void end(WwMachine *m)
{
    const Window *w = &m->window;
    m->window.open = false;
    m->tick += w->at.n;
    m->window.ticks += w->at.n;
    ww_set_times(m, &m->partition[0], w->at.n);
    m->late = true;
    for (uint32_t d = 0; d < m->n_domains; d++) {
        ww_wheel_advance(&m->wheel[d], m->domain[d]->cycle);
    }
    WwCycle progress = 0;
    uint32_t last = 0;
    WwPartition *p;
    for (uint32_t at = 0; (p = ww_next_in(m, &at, m->n_all)) != NULL;) {
        p->moment.window = 0;
        attach(p);
        progress = MAX(progress, p->progress);
        last = MAX(last, p->last);
        for (uint32_t left = p->wheels | p->noted; left != 0; left &= left - 1) {
            ww_alarm(m, p, (uint32_t)__builtin_ctz(left));
        }
    }
    if (m->fingerprint) {
        ww_print_notes(m);
    }
    if (m->events != NULL) {
        ww_log_merge(m);
    }
    if (progress != 0) {
        m->progress_at = progress;
    }
    m->active_at = w->time[0][last];
}

/* The run was to end, or to pause, in the middle of a window: some partitions are past that point. */
WW_COLD static void break_promise(WwMachine *m)
{
    ww_fail_run(ww_info(m, 0)->component,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "a component ends or pauses the run before tick %" G_GUINT64_FORMAT
                            ", in which it had not said that it might; expected one that says so "
                            "(WwType.ahead), or --no-windows",
                            m->tick));
}

static bool may(const WwMachine *m)
{
    return m->windows && !m->no_windows && !m->no_sleep && m->between == NULL && m->stop == 0 &&
           m->host->watcher == NULL && !ww_busy(&m->partition[0]);
}

WwTick ww_window(WwMachine *m, WwTick budget, bool due)
{
    Window *w = &m->window;
    if (w->wait != 0 && due) {
        w->wait--;
        return 0;
    }
    if (!may(m) || budget < LEAST) {
        return 0;
    }
    ww_catch_up_time(m);
    find_limits(m);
    if (!worth(m)) {
        w->wait = due ? PAUSE : 0;
        return 0;
    }
    ww_profile_part(m, 0, "before");
    take_ticks(m, budget);
    begin(m);
    ww_profile_part(m, w->at.n, "begin");
    ww_run_stages(m);
    if (is_over(m)) {
        cut(m);
    }
    end(m);
    ww_profile_part(m, w->at.n, "end");
    if (m->stop & (STOP_PAUSE | STOP_DONE)) {
        break_promise(m);
    }
    return w->at.n;
}
