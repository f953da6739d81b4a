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
#include "machine-priv.h"
#include <string.h>

enum { LEAST = 4, PAUSE = 8, LONGEST_PAUSE = 128 };

/* ---- one partition ---------------------------------------------------------------------------------------------- */

/* The partition's time when tick @p k of the window begins. */
static inline void set_time(const WwMachine *m, const WwPartition *p, uint32_t k)
{
    const WwCycle *time = m->window.time[k];
    for (uint32_t d = 0; d < m->n_domains; d++) {
        p->domain[d]->cycle = time[d];
    }
}

/* Is a member of a run due? */
static bool busy(const WwPartition *p)
{
    for (uint32_t i = 0; i < p->n_runs; i++) {
        if ((*p->run[i].due & p->run[i].mask) != 0) {
            return true;
        }
    }
    return false;
}

/* The tick in which the partition's next timed event is due; that of the window's end if there is none before. */
static uint32_t next_event(const WwMachine *m, WwPartition *p)
{
    const Window *w = &m->window;
    uint32_t first = w->n;
    for (uint32_t left = p->wheels; left != 0; left &= left - 1) {
        uint32_t d = (uint32_t)__builtin_ctz(left);
        WwCycle edge = p->alarm[d].cycle - w->base[d];
        if (edge < w->edges[d]) {
            first = MIN(first, w->tick[d][edge]);
        }
    }
    return p->event = first;
}

static void enter_tick(const WwMachine *m, WwPartition *p, uint32_t k)
{
    p->done = k;
    p->own = (Now){.fired = m->window.fired[k], .phase = -1};
    set_time(m, p, k);
}

/* Fires the timed events of the tick, which are due. */
static void fire(WwMachine *m, WwPartition *p)
{
    p->last = p->done + 1;
    ww_fire_events(p);
    for (uint32_t left = p->wheels & p->own.fired; left != 0; left &= left - 1) {
        ww_alarm(m, p, (uint32_t)__builtin_ctz(left));
    }
}

/* From run @p r on, those of the tick that the partition has entered. */
static void run_from(WwMachine *m, WwPartition *p, const Run *r)
{
    uint32_t fired = p->own.fired;
    p->own.in_tick = true;
    p->walked = NULL;
    for (const Run *end = p->run + p->n_runs; r < end; r++) {
        if ((*r->due & r->mask) != 0 && (fired >> r->domain & 1u)) {
            p->own.phase = (int32_t)r->phase;
            p->last = p->done + 1;
            p->walked = r->block;
            ww_walk_run(m, r, p->domain[r->domain]->cycle);
        }
    }
    p->own.phase = WW_MAX_PHASES;
}

/* All of tick @p k. */
static void run_tick(WwMachine *m, WwPartition *p, uint32_t k)
{
    ww_acting = p;
    enter_tick(m, p, k);
    if (p->event == WW_NOT_KNOWN) {
        next_event(m, p);
    }
    if (p->event == k) {
        fire(m, p);
    }
    run_from(m, p, p->run);
    ww_acting = NULL;
}

/* The first run that is due in a tick of domains @p fired, or the end; *later: another is due. */
static inline const Run *first_due(const WwPartition *p, uint32_t fired, bool *later)
{
    const Run *r = p->run, *end = r + p->n_runs;
    *later = false;
    for (; r < end; r++) {
        if ((*r->due & r->mask) != 0) {
            if (fired >> r->domain & 1u) {
                break;
            }
            *later = true;
        }
    }
    return r;
}

/* Runs the partition on to the beginning of tick @p end, or to the end of the one in which it posts something, in which it is held. */
static void run_on(WwMachine *m, WwPartition *p, uint32_t end)
{
    const uint8_t *fired = m->window.fired;
    const Run *none = p->run + p->n_runs;
    uint32_t k = p->done + p->stopped;
    p->stopped = false;
    ww_acting = p;
    while (k < end) {
        uint32_t event = p->event != WW_NOT_KNOWN ? p->event : next_event(m, p);
        bool later;
        const Run *r = first_due(p, fired[k], &later);
        if (k == event) {
            enter_tick(m, p, k);
            fire(m, p);
            r = p->run;
        } else if (r == none) {
            k = later ? k + 1 : MIN(event, end);
            continue;
        } else {
            enter_tick(m, p, k);
        }
        run_from(m, p, r);
        if (G_UNLIKELY(p->posts.n != 0)) {
            p->stopped = true;
            ww_acting = NULL;
            return;
        }
        k++;
    }
    ww_acting = NULL;
    p->done = end;
    p->own = (Now){.phase = -1};
    set_time(m, p, end);
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

/* A turn of the serial partition in tick @p k, for all that are held there. Does it want the next one? */
static bool serve(WwMachine *m, const Stage *s, uint32_t k)
{
    WwPartition *serial = &m->partition[0];
    m->serving = true;
    for (uint32_t i = 0; i < s->n; i++) {
        WwPartition *p = s->partition[i];
        if (p->stopped && p->done == k) {
            p->with_serial = true;
            deliver(p);
        }
    }
    run_tick(m, serial, k);
    serial->own.in_tick = false;
    m->serving = false;
    return busy(serial);
}

/* The first tick that a partition is held in, or @p end. */
static uint32_t first_stop(const Stage *s, uint32_t end)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->partition[i]->stopped) {
            end = MIN(end, s->partition[i]->done);
        }
    }
    return end;
}

/*
 * Serves those who are held, in the order of time. As long as the serial partition has more to do, those whom it served are taken along tick
 * by tick; then they go on alone.
 */
static void serve_all(WwMachine *m, const Stage *s, uint32_t end)
{
    uint32_t k;
    while ((k = first_stop(s, end)) < end) {
        bool more = serve(m, s, k);
        for (uint32_t i = 0; i < s->n; i++) {
            WwPartition *p = s->partition[i];
            if (!p->with_serial) {
                continue;
            }
            run_on(m, p, more ? k + 1 : end);
            if (more && !p->stopped && k + 1 < end) {
                run_tick(m, p, k + 1);
                p->stopped = true;
            }
            p->with_serial = more && k + 1 < end;
        }
    }
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

void ww_window_limit(WwMachine *m, const WwDomain *domain, WwCycle edges)
{
    WwCycle *most = &m->window.most[domain->index];
    *most = MIN(*most, edges);
}

/* How far all may go: fills in the limits of each domain's edges. */
static void find_limits(WwMachine *m)
{
    Window *w = &m->window;
    WwPartition *serial = &m->partition[0];
    for (uint32_t d = 0; d < m->n_domains; d++) {
        w->most[d] = WW_WINDOW;
        if ((serial->wheels >> d & 1u) && serial->wheel[d]->n != 0) {
            w->most[d] = MIN(w->most[d], ww_wheel_next(serial->wheel[d]) - m->domain[d]->cycle);
        }
    }
    if (m->max_cycles != 0) {
        ww_window_limit(m, m->domain[0], m->max_cycles - m->domain[0]->cycle);
    }
    if (m->hang_limit != 0) {
        WwCycle since = m->domain[0]->cycle - m->progress_at;
        ww_window_limit(m, m->domain[0], m->hang_limit > since ? m->hang_limit - since - 1 : 0);
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        const Span *s = &m->span[i];
        ww_window_limit(m, s->domain, s->channel->type->room(s->channel));
    }
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
static uint32_t take_ticks(WwMachine *m, WwTick budget)
{
    Window *w = &m->window;
    uint32_t n = 0, end = (uint32_t)MIN(budget, WW_WINDOW);
    bool more = true;
    w->clock = m->clock;
    for (uint32_t d = 0; d < m->n_domains; d++) {
        w->base[d] = m->domain[d]->cycle;
        w->edges[d] = 0;
        w->time[0][d] = w->base[d];
    }
    while (more && n < end) {
        uint32_t fired = ww_clock_next(&m->clock);
        w->fired[n] = (uint8_t)fired;
        for (uint32_t d = 0; d < m->n_domains; d++) {
            if (fired >> d & 1u) {
                w->tick[d][w->edges[d]++] = (uint16_t)n;
                more &= w->edges[d] < w->most[d];
            }
            w->time[n + 1][d] = w->base[d] + w->edges[d];
        }
        n++;
    }
    return w->n = n;
}

/* Is nothing due or pending any more? */
static bool is_over(const WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_all; i++) {
        const WwPartition *p = &m->partition[i];
        if (busy(p)) {
            return false;
        }
        for (uint32_t left = p->wheels; left != 0; left &= left - 1) {
            if (p->wheel[__builtin_ctz(left)]->n != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Everything sleeps for ever: time ends after the last tick in which something ran. Returns how many ticks that are. */
static uint32_t cut(WwMachine *m)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < m->n_all; i++) {
        last = MAX(last, m->partition[i].last);
    }
    m->clock = m->window.clock;
    for (uint32_t k = 0; k < last; k++) {
        ww_clock_next(&m->clock);
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        set_time(m, &m->partition[i], last);
    }
    for (uint32_t d = 0; d < m->n_domains; d++) {
        m->window.edges[d] = (uint32_t)(m->window.time[last][d] - m->window.base[d]);
    }
    return last;
}

static void begin(WwMachine *m)
{
    for (uint32_t d = 0; d < m->n_domains; d++) {
        for (uint32_t i = 0; m->wheel[d].n != 0 && i < m->n_all; i++) {
            if (ww_event_pending(&m->partition[i].alarm[d])) {
                ww_wheel_remove(&m->wheel[d], &m->partition[i].alarm[d]);
            }
        }
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        p->now = &p->own;
        p->own = (Now){.phase = -1};
        p->done = p->last = 0;
        p->event = WW_NOT_KNOWN;
        p->stopped = p->with_serial = false;
        p->progress = 0;
    }
}

/* All partitions are at the same time again. */
static void end(WwMachine *m, uint32_t n)
{
    const Window *w = &m->window;
    set_time(m, &m->partition[0], n);
    m->tick += n;
    WwCycle progress = 0;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        p->now = &m->now;
        progress = MAX(progress, p->progress);
    }
    for (uint32_t d = 0; d < m->n_domains; d++) {
        ww_wheel_advance(&m->wheel[d], w->base[d] + w->edges[d]);
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        for (uint32_t left = p->wheels; left != 0; left &= left - 1) {
            ww_alarm(m, p, (uint32_t)__builtin_ctz(left));
        }
    }
    if (m->fingerprint || m->events != NULL) {
        ww_print_notes(m);
    }
    if (progress != 0) {
        m->progress_at = progress;
    }
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
           !busy(&m->partition[0]);
}

WwTick ww_window(WwMachine *m, WwTick budget)
{
    Window *w = &m->window;
    if (w->wait != 0) {
        w->wait--;
        return 0;
    }
    if (!may(m) || budget < LEAST) {
        return 0;
    }
    find_limits(m);
    if (!worth(m)) {
        w->pause = MIN(2 * w->pause + PAUSE, LONGEST_PAUSE);
        w->wait = w->pause;
        return 0;
    }
    w->pause = 0;
    uint32_t n = take_ticks(m, budget);
    begin(m);
    for (uint32_t s = 0; s < m->n_stages; s++) {
        const Stage *stage = &m->stage[s];
        for (uint32_t i = 0; i < stage->n; i++) {
            run_on(m, stage->partition[i], n);
        }
        if (stage->serial) {
            serve_all(m, stage, n);
        }
    }
    if (is_over(m)) {
        n = cut(m);
    }
    end(m, n);
    m->window.ticks += n;
    if (m->stop & (STOP_PAUSE | STOP_DONE)) {
        break_promise(m);
    }
    return n;
}
