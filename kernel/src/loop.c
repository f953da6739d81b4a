/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run loop: one tick after the other, each the timed events due, then the phases whose domain fires. When nothing at all is due, time
 * is skipped edge by edge to the next timed event (additions of the clock, no more).
 */
#include "at_work-priv.h"
#include "interrupt-priv.h"
#include "log-priv.h"
#include <string.h>

/* ---- the loop --------------------------------------------------------------------------------------------------- */

void ww_progress(void *self)
{
    WwPartition *p = ((WwComponent *)self)->domain->partition;
    if (p->machine->window.open) {
        p->progress = p->machine->window.time[0][p->done] + (p->moment.now.fired & 1u);
    } else {
        p->machine->progress++;
    }
}

void ww_fail_run(void *self, GError *error)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    uint64_t turn = ww_turn_in_window();
    pthread_mutex_lock(&m->host->lock);
    if (m->error == NULL || turn < m->error_turn) { /* the first cause is the one to tell */
        g_clear_error(&m->error);
        m->error = error;
        m->error_turn = turn;
    } else {
        g_clear_error(&error);
    }
    m->stop |= STOP_FAIL;
    pthread_mutex_unlock(&m->host->lock);
}

/** Under the lock: a component that breaks its promise of windows calls from any thread, beside one that fails in another. */
static WW_COLD void stop_with(void *self, uint32_t why)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    pthread_mutex_lock(&m->host->lock);
    m->stop |= why;
    pthread_mutex_unlock(&m->host->lock);
}

void ww_pause(void *self)
{
    stop_with(self, STOP_PAUSE);
}

void ww_done(void *self)
{
    stop_with(self, STOP_DONE);
}

WwCycle ww_edges_over(const void *self, const WwDomain *domain)
{
    const WwNow *now = ww_now_of(domain->partition);
    (void)self;
    return domain->cycle + (now->phase != WW_NOT_IN_TICK ? now->fired >> domain->index & 1u : 0);
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

void ww_machine_set_windows(WwMachine *m, bool on)
{
    m->no_windows = !on;
}

void ww_machine_set_threads(WwMachine *m, uint32_t threads)
{
    m->threads = CLAMP(threads, 1, WW_MAX_WORKERS);
}

void ww_machine_set_threads_when_they_pay(WwMachine *m, bool on, bool busy)
{
    m->host->when_it_pays = on;
    m->host->pace.busy = busy;
}

void ww_machine_set_threads_from(WwMachine *m, uint64_t turns)
{
    m->host->enough = turns;
}

void ww_machine_set_max_cycles(WwMachine *m, WwCycle cycles)
{
    m->max_cycles = cycles;
}

void ww_machine_set_hang_limit(WwMachine *m, WwCycle cycles)
{
    m->hang_limit = cycles;
}

void ww_machine_run_until(WwMachine *m, WwCycle cycle)
{
    m->host->until = cycle;
}

bool ww_machine_quiet(const WwMachine *m)
{
    return m->between == NULL;
}

WwCycle ww_machine_cycle(const WwMachine *m)
{
    return m->domain[0]->cycle;
}

WwTick ww_machine_tick(const WwMachine *m)
{
    return m->tick;
}

WwTick ww_machine_window_ticks(const WwMachine *m)
{
    return m->window.ticks;
}

static uint64_t ran(const Block *b)
{
    uint64_t n = b->ran;
    for (uint32_t i = 0; i < b->n; i++) {
        n += b->member[i].tick == NULL ? ran(b->member[i].part) : 0;
    }
    return n;
}

uint64_t ww_machine_activations(const WwMachine *m)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->n_phases; i++) {
        n += m->phase[i].root != NULL ? ran(m->phase[i].root) : 0;
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        n += m->partition[i].ran;
    }
    return n;
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
        if (m->phase[i].root != NULL && ww_block_due(m->phase[i].root)) {
            return true;
        }
    }
    return false;
}

static void tick_once(WwMachine *m, uint32_t fired)
{
    ww_catch_up_time(m);
    m->now.fired = fired;
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if ((fired >> i & 1u) && ww_wheel_due(&m->wheel[i])) {
            ww_fire_alarms(m);
            break;
        }
    }
    m->now.phase = -1;
    for (uint32_t p = 0; p < m->n_phases; p++) {
        Block *root = m->phase[p].root;
        if (root != NULL && (fired >> root->domain->index & 1u) &&
            (m->no_sleep || ww_block_due(root))) {
            m->now.phase = (int32_t)p;
            ww_walk(m, root, root->domain->cycle);
        }
    }
    m->now.phase = WW_NOT_IN_TICK;
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if (fired >> i & 1u) {
            m->domain[i]->cycle++;
            ww_wheel_advance(&m->wheel[i], m->domain[i]->cycle);
        }
    }
    ww_spread_time(m);
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
 * Is it such a tick?
 */
static bool skip(WwMachine *m, WwTick *budget, WwCycle stop)
{
    enum { PIECE = 65536 }; /* ticks until a signal is looked for */
    uint64_t before[WW_MAX_DOMAINS];
    const uint8_t *lane = m->clock.lane_of;
    bool due = false;
    while (!due && *budget != 0 && m->domain[0]->cycle != stop && ww_attention_flag == 0) {
        uint64_t edges[WW_MAX_DOMAINS] = {0}, most = MIN(*budget, PIECE);
        memset(before, 0xff, sizeof before);
        for (uint32_t i = 0; i < m->n_domains; i++) {
            before[lane[i]] =
                MIN(before[lane[i]], ww_wheel_next(&m->wheel[i]) - m->domain[i]->cycle);
        }
        before[lane[0]] = MIN(before[lane[0]], stop - m->domain[0]->cycle - 1);
        WwTick n = ww_clock_skip(&m->clock, most, before, edges);
        for (uint32_t i = 0; i < m->n_domains; i++) {
            m->domain[i]->cycle += edges[lane[i]];
        }
        m->tick += n;
        *budget -= n;
        if (n == most) {
            continue;
        }
        WwClock here = m->clock;
        uint32_t fired = ww_clock_next(&m->clock);
        for (uint32_t i = 0; i < m->n_domains; i++) {
            due |= (fired >> i & 1u) && m->domain[i]->cycle == ww_wheel_next(&m->wheel[i]);
        }
        if (due) {
            m->clock = here;
        } else { /* the last one before the stop */
            for (uint32_t i = 0; i < m->n_domains; i++) {
                m->domain[i]->cycle += fired >> i & 1u;
            }
            m->tick++;
            --*budget;
        }
    }
    for (uint32_t i = 0; i < m->n_domains; i++) {
        ww_wheel_advance(&m->wheel[i], m->domain[i]->cycle);
    }
    m->late = true;
    return due;
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

/*
 * Something has a turn in the tick that comes. Time that all have slept through is no sign of being stuck: a stretch as long as a window at least, for
 * a shorter one may lie in a window, where nobody sees it.
 */
static void wake_up(WwMachine *m)
{
    WwCycle slept = m->domain[0]->cycle - m->active_at;
    if (slept >= WW_WINDOW) {
        m->progress_at += slept;
        m->active_at += slept;
    }
}

/* The tick is over. Has the run been stuck for too long? @p active: something had a turn. */
static bool is_stuck(WwMachine *m, bool active)
{
    if (active) {
        m->active_at = m->domain[0]->cycle;
    }
    if (m->progress != m->progress_seen) {
        m->progress_seen = m->progress;
        m->progress_at = m->domain[0]->cycle;
        return false;
    }
    return (active || no_event(m)) && m->hang_limit != 0 &&
           m->domain[0]->cycle - m->progress_at >= m->hang_limit;
}

static WwRunStatus run(WwMachine *m, WwTick budget)
{
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
        if (m->domain[0]->cycle >= m->host->until) {
            return WW_RUN_BUDGET;
        }
        bool due = anything_due(m);
        if (!due && !m->no_sleep) {
            if (no_event(m)) {
                ww_catch_up_time(m);
                return ww_machine_anyone_waits(m) ? WW_RUN_HANG : WW_RUN_DONE;
            }
            if (!skip(m, &budget,
                      MIN(m->host->until, m->max_cycles != 0 ? m->max_cycles : WW_NEVER))) {
                continue;
            }
        }
        bool active = due || !m->no_sleep;
        if (active) {
            wake_up(m);
        }
        if (m->windows) {
            WwTick n = ww_window(m, budget, due);
            if (n != 0) {
                budget -= n;
                continue;
            }
        }
        uint32_t fired = ww_clock_next(&m->clock);
        if (!active && event_due(m, fired)) {
            active = true;
            wake_up(m);
        }
        tick_once(m, fired);
        budget--;
        if (is_stuck(m, active)) {
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

WwRunStatus ww_run(WwMachine *m, WwTick budget)
{
    ww_assert(m->sealed);
    ww_at_work_running(m);
    if (m->paused) {
        resume(m);
    }
    if (m->events != NULL) {
        ww_log_make(m);
    }
    WwRunStatus status = run(m, budget);
    bool failed = m->error != NULL; /* maybe it is paused first, and says so next time */
    ww_catch_up_time(m);
    ww_log_flush(m);
    return !failed && m->error != NULL ? WW_RUN_FAILED : status;
}
