/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The control plane of a run: an event loop that gives the model its time, shows progress, and ends at a tick
 * boundary when the user asks for it.
 *
 *     WwMonitor *monitor = ww_monitor_new(&(WwMonitorSpec){.step = step, .look = look, .user = self, .out = stderr}, &error);
 *     ww_monitor_run(monitor);                     // until step() says that it is over, or a signal
 *     if (ww_monitor_signal(monitor) != 0) { ... partial results ... }
 *     ww_monitor_free(monitor);
 *
 * Nothing here may change a result: step() is called again and again, and how often depends on the host alone.
 */
#pragma once

#include <stdio.h>
#include <warpwright/base.h>

/** The event loop of a run, with its progress line and signals. Free with ww_monitor_free(). */
typedef struct WwMonitor WwMonitor;

/** How progress is shown. */
typedef enum WwProgressKind {
    WW_PROGRESS_AUTO,  /**< A line that is rewritten, if the output is a terminal; else nothing. */
    WW_PROGRESS_PLAIN, /**< A new line every few seconds. */
    WW_PROGRESS_NONE,
} WwProgressKind;

/** Where a run is. Zero or NULL: not known, not shown. */
typedef struct WwProgress {
    WwCycle cycle;
    uint32_t kernel, kernels; /**< "kernel 2 of 5": counted from 1. */
    const char *name;         /**< Of that kernel; valid until the next step. */
    uint64_t ctas_done, ctas_running, ctas_total;
    double ipc;  /**< Thread instructions a cycle, of that kernel so far. */
    double done; /**< Fraction of the whole run, 0 to 1. */
} WwProgress;

/** Parameters of ww_monitor_new(). */
typedef struct WwMonitorSpec {
    WwProgressKind progress;
    FILE *out;                /**< Where progress goes; stderr. */
    bool (*step)(void *user); /**< Runs the model for some 20 ms; false: it is over. */
    void (*look)(void *user, WwProgress *out); /**< Called between two steps. */
    void (*tell)(
        void *user,
        FILE *out); /**< Likewise, after the line that SIGUSR1 asks for: more of it. May be NULL. */
    /** Optional, between two steps: is there another pass of the event loop to make, for somebody who is being served? */
    bool (*serving)(void *user);
    /** Optional: is there no step to make until an event changes that (paused)? The loop then waits for events. */
    bool (*waiting)(void *user);
    void *user;
} WwMonitorSpec;

/** Only one at a time. Takes the signals over (ww_signals_begin()) if nobody has. */
WW_API WwMonitor *ww_monitor_new(const WwMonitorSpec *spec, GError **error);
/** Removes the progress line; @p monitor may be NULL. Signals stay taken over. */
WW_API void ww_monitor_free(WwMonitor *monitor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwMonitor, ww_monitor_free)

/**
 * Calls step() until it returns false or a signal asks for the end (<monitor/signals.h>); SIGUSR1 prints a progress line, and what tell() does. Afterwards
 * signals wait while results are written; a second one ends the process at once (status 128 + signal).
 */
WW_API void ww_monitor_run(WwMonitor *monitor);
/** Serves events until waiting() returns false or a signal comes, without steps; after ww_monitor_run(). */
WW_API void ww_monitor_wait(WwMonitor *monitor);
struct event_base;
/** Its event loop, for servers. */
WW_API struct event_base *ww_monitor_base(WwMonitor *monitor);
/** The signal that ended ww_monitor_run(), or 0. */
WW_API int ww_monitor_signal(const WwMonitor *monitor);
/** Removes the progress line; for whoever writes to the terminal now. It comes back by itself. */
WW_API void ww_monitor_clear_line(WwMonitor *monitor);
/** In plain mode, a progress line of the present state now (a kernel ended). */
WW_API void ww_monitor_mark(WwMonitor *monitor);

/** The progress line of @p p, at most @p width characters wide (0: as long as it is); for tests. */
WW_API char *ww_monitor_line(const WwProgress *p, double cycles_per_s, double elapsed_s,
                             uint32_t width);
