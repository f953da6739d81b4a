/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of a run. The model runs in steps of some 20 ms; between two of them libevent gets its turn, which costs a system
 * call a step. Signals (signals.c) make a step return early, and are looked at between steps.
 */
#include <monitor/monitor.h>
#include <monitor/signals.h>

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <warpwright/interrupt.h>

#define LIVE_MS 200
#define PLAIN_MS 5000
#define SERVE_US 5000 /* of a step: for those who look */
#define WAIT_US 100000
#define RATE_US 1000000 /* the speed shown is that of the last second or more */

struct WwMonitor {
    WwMonitorSpec spec;
    struct event_base *base;
    struct event *timer, *wake;
    bool live, plain; /* what is shown */
    bool shown;       /* the progress line is on the screen */
    gint64 begin;     /* monotonic microseconds */
    gint64 rate_at;
    WwCycle rate_cycle;
    double rate; /* cycles a second */
};

static bool taken;

/* ---- progress --------------------------------------------------------------------------------------------------- */

static uint32_t terminal_width(const WwMonitor *m)
{
    struct winsize size;
    if (ioctl(fileno(m->spec.out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
        return size.ws_col - 1u; /* the last column would wrap */
    }
    return 79;
}

static char *present_line(WwMonitor *m, uint32_t width)
{
    WwProgress p = {0};
    m->spec.look(m->spec.user, &p);
    gint64 now = g_get_monotonic_time();
    if (now - m->rate_at >= RATE_US || m->rate == 0) {
        double s = (double)(now - m->rate_at) / 1e6;
        m->rate = s > 0 ? (double)(p.cycle - m->rate_cycle) / s : 0;
        m->rate_at = now;
        m->rate_cycle = p.cycle;
    }
    return ww_monitor_line(&p, m->rate, (double)(now - m->begin) / 1e6, width);
}

void ww_monitor_clear_line(WwMonitor *m)
{
    if (m->shown) {
        fputs("\r\033[K", m->spec.out);
        fflush(m->spec.out);
        m->shown = false;
    }
}

void ww_monitor_mark(WwMonitor *m)
{
    if (m->plain) {
        g_autofree char *line = present_line(m, 0);
        fprintf(m->spec.out, "%s\n", line);
        fflush(m->spec.out);
    }
}

static void on_timer(evutil_socket_t fd, short what, void *user)
{
    WwMonitor *m = user;
    if (m->live) {
        g_autofree char *line = present_line(m, terminal_width(m));
        fprintf(m->spec.out, "\r%s\033[K", line);
        fflush(m->spec.out);
        m->shown = true;
    }
    ww_monitor_mark(m);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static bool start_timer(WwMonitor *m, GError **error)
{
    int ms = m->live ? LIVE_MS : PLAIN_MS;
    struct timeval every = {ms / 1000, ms % 1000 * 1000};
    m->timer = event_new(m->base, -1, EV_PERSIST, on_timer, m);
    if (m->timer == NULL || event_add(m->timer, &every) != 0) {
        return ww_fail(error, WW_ERROR_SYSTEM, "cannot set up the timer of the progress line");
    }
    return true;
}

static void on_wake(evutil_socket_t fd, short what, void *user) {}

/* libevent prints what it cannot do, and exits when it can do nothing. */
static void on_event_log(int severity, const char *message) {}

static void on_event_fatal(int code)
{
    ww_exhausted(
        "cannot wait for events: too few file descriptors or too little memory; expected a "
        "higher limit (ulimit -n)");
}

WwMonitor *ww_monitor_new(const WwMonitorSpec *spec, GError **error)
{
    ww_assert(!taken);
    WwMonitor *m = g_new0(WwMonitor, 1);
    m->spec = *spec;
    m->plain = spec->progress == WW_PROGRESS_PLAIN;
    m->live = spec->progress == WW_PROGRESS_AUTO && isatty(fileno(spec->out));
    m->begin = m->rate_at = g_get_monotonic_time();
    ww_signals_begin();
    taken = true;
    event_set_log_callback(on_event_log);
    event_set_fatal_callback(on_event_fatal);
    m->base = event_base_new();
    if (m->base == NULL) {
        ww_fail(error, WW_ERROR_SYSTEM, "cannot set up the event loop: %s", g_strerror(errno));
        ww_monitor_free(m);
        return NULL;
    }
    m->wake = event_new(m->base, -1, 0, on_wake, m);
    if (m->wake == NULL || ((m->live || m->plain) && !start_timer(m, error))) {
        ww_monitor_free(m);
        return NULL;
    }
    return m;
}

void ww_monitor_free(WwMonitor *m)
{
    if (m == NULL) {
        return;
    }
    ww_monitor_clear_line(m);
    taken = false;
    if (m->timer != NULL) {
        event_free(m->timer);
    }
    if (m->wake != NULL) {
        event_free(m->wake);
    }
    if (m->base != NULL) {
        event_base_free(m->base);
    }
    g_free(m);
}

/* What SIGUSR1 asks for. */
static void tell(WwMonitor *m)
{
    g_autofree char *line = present_line(m, 0);
    ww_monitor_clear_line(m);
    fprintf(m->spec.out, "warpwright: %s, %.1f s\n", line,
            (double)(g_get_monotonic_time() - m->begin) / 1e6);
    if (m->spec.tell != NULL) {
        m->spec.tell(m->spec.user, m->spec.out);
    }
    fflush(m->spec.out);
}

/* Passes of the event loop, as long as somebody is being served, but no longer than a part of a step. */
static void serve(WwMonitor *m)
{
    gint64 end = 0;
    event_base_loop(m->base, EVLOOP_NONBLOCK);
    while (m->spec.serving != NULL && m->spec.serving(m->spec.user)) {
        gint64 now = g_get_monotonic_time();
        end = end != 0 ? end : now + SERVE_US;
        if (now >= end) {
            break;
        }
        event_base_loop(m->base, EVLOOP_NONBLOCK);
    }
}

/* Nothing to do but to wait for an event; a signal that came just before is seen soon. */
static void wait_for_event(WwMonitor *m)
{
    const struct timeval soon = {0, WAIT_US};
    event_add(m->wake, &soon);
    event_base_loop(m->base, EVLOOP_ONCE);
    event_del(m->wake);
}

static bool waits(const WwMonitor *m)
{
    return m->spec.waiting != NULL && m->spec.waiting(m->spec.user);
}

/* Between two steps. */
static void look_around(WwMonitor *m)
{
    serve(m);
    ww_attention_clear(); /* before looking: what comes after it makes the step return at once */
    if (ww_signals_asked()) {
        tell(m);
    }
}

void ww_monitor_run(WwMonitor *m)
{
    ww_signals_set(WW_SIGNALS_ASK);
    bool more = true;
    while (more) {
        look_around(m);
        if (ww_signals_caught() != 0) {
            break;
        }
        if (waits(m)) {
            wait_for_event(m);
        } else {
            more = m->spec.step(m->spec.user);
        }
    }
    ww_signals_set(WW_SIGNALS_DEFER);
    ww_monitor_clear_line(m);
}

void ww_monitor_wait(WwMonitor *m)
{
    ww_signals_set(WW_SIGNALS_ASK);
    look_around(m);
    while (ww_signals_caught() == 0 && waits(m)) {
        wait_for_event(m);
        look_around(m);
    }
    ww_signals_set(WW_SIGNALS_DEFER);
    ww_monitor_clear_line(m);
}

struct event_base *ww_monitor_base(WwMonitor *m)
{
    return m->base;
}

int ww_monitor_signal(const WwMonitor *m)
{
    return ww_signals_caught();
}
