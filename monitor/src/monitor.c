/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of a run. The model runs in steps of some 20 ms; between two of them libevent gets its turn, which costs a system
 * call a step. Signals set a flag that is looked at between steps as well: a handler may do no more, and a second signal must end
 * the process even if a step never returns.
 */
#include <monitor/monitor.h>

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LIVE_MS 200
#define PLAIN_MS 5000
#define RATE_US 1000000 /* the speed shown is that of the last second or more */

struct WwMonitor {
    WwMonitorSpec spec;
    struct event_base *base;
    struct event *timer;
    struct sigaction old_int, old_term;
    bool live, plain; /* what is shown */
    bool shown;       /* the progress line is on the screen */
    gint64 begin;     /* monotonic microseconds */
    gint64 rate_at;
    WwCycle rate_cycle;
    double rate; /* cycles a second */
};

static volatile sig_atomic_t caught;
static bool taken;

/* A second signal does not wait for anything, and calls only what a handler may. */
static void on_signal(int number)
{
    if (caught != 0) {
        ssize_t n = write(STDERR_FILENO, "\n", 1);
        (void)n;
        _exit(128 + number);
    }
    caught = number;
}

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

WwMonitor *ww_monitor_new(const WwMonitorSpec *spec, GError **error)
{
    ww_assert(!taken);
    WwMonitor *m = g_new0(WwMonitor, 1);
    m->spec = *spec;
    m->plain = spec->progress == WW_PROGRESS_PLAIN;
    m->live = spec->progress == WW_PROGRESS_AUTO && isatty(fileno(spec->out));
    m->begin = m->rate_at = g_get_monotonic_time();
    caught = 0;
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = SA_RESTART}; /* reading a trace goes on */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &m->old_int);
    sigaction(SIGTERM, &action, &m->old_term);
    taken = true;
    m->base = event_base_new();
    if (m->base == NULL) {
        ww_fail(error, WW_ERROR_SYSTEM, "cannot set up the event loop: %s", g_strerror(errno));
        ww_monitor_free(m);
        return NULL;
    }
    if ((m->live || m->plain) && !start_timer(m, error)) {
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
    sigaction(SIGINT, &m->old_int, NULL);
    sigaction(SIGTERM, &m->old_term, NULL);
    taken = false;
    if (m->timer != NULL) {
        event_free(m->timer);
    }
    if (m->base != NULL) {
        event_base_free(m->base);
    }
    g_free(m);
}

void ww_monitor_run(WwMonitor *m)
{
    while (caught == 0 && m->spec.step(m->spec.user)) {
        event_base_loop(m->base, EVLOOP_NONBLOCK);
    }
    ww_monitor_clear_line(m);
}

int ww_monitor_signal(const WwMonitor *m)
{
    return caught;
}
