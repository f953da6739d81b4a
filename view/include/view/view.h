/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What happened in a run as a file that a viewer opens: a pipeline (Konata), a timeline (Perfetto), a waveform (VCD).
 *
 * It is made of the lines of the event log (docs/events.md), one after the other, from a file or while the run goes on. What is kept
 * is what is in flight: a log of any length takes no more memory than its busiest cycles.
 */
#pragma once

#include <events/log.h>
#include <stdio.h>
#include <warpwright/machine.h>

/** Who opens the file. */
typedef enum WwViewFormat { WW_VIEW_KONATA, WW_VIEW_PERFETTO, WW_VIEW_VCD } WwViewFormat;
/** Their names, NULL-terminated, in that order. */
extern const char *const ww_view_formats[];
/** The format that a file of this name has, by its ending; -1: none known. */
WW_API int ww_view_format_of(const char *file);
/** The endings, for messages: ".kanata, ...". */
WW_API const char *ww_view_endings(void);

/** What to draw, and how. Zero-initialise. */
typedef struct WwViewSpec {
    WwViewFormat format;
    FILE *out;          /**< Written to; not closed. */
    const char *folder; /**< For what is kept on disk until the end; NULL: the present one. */
    const char *name;   /**< Of the log, for messages; */
    bool live; /**< or of the picture: events come from a run, and their numbers are no lines. */
    const WwMachine *
        machine; /**< The one that the events are of: its clocks and SMs. NULL: what the log says. */
    bool has_sm, has_warp;
    uint64_t sm, warp;        /**< Only this SM, this hardware warp. */
    uint64_t from, to;        /**< Cycles of the components' domains; to 0: no end. */
    const char *const *paths; /**< Globs over paths, NULL-terminated; NULL: all. */
    uint64_t every;           /**< Core cycles between two values of a counter; 0: 100. */
} WwViewSpec;

/** A file that is being drawn. Free with ww_view_free(). */
typedef struct WwView WwView;

/** Begins a file. @p spec is copied; what it points to has to stay, its paths aside. */
WW_API WwView *ww_view_new(const WwViewSpec *spec);
/** The next event. False with @p error, which names its line and the log, when something in it is impossible. */
WW_API bool ww_view_event(WwView *view, const WwLogLine *line, GError **error);
/** All events of the log @p path, plain or compressed. */
WW_API bool ww_view_log(WwView *view, const char *path, GError **error);
/** After the last event: what was held back is written. */
WW_API bool ww_view_end(WwView *view, GError **error);
/** What is left out of the file or guessed, since the events do not say it: a sentence each, NULL-terminated; newly allocated. */
WW_API char **ww_view_notes(const WwView *view);
/** @p view may be NULL. */
WW_API void ww_view_free(WwView *view);
