/* SPDX-License-Identifier: Apache-2.0 */
/* A view: takes events one by one, leaves out what nobody asked for, and hands the rest to its format. */
#include "view-priv.h"

#include <inttypes.h>
#include <stdarg.h>

const char *const ww_view_formats[] = {"konata", "perfetto", "vcd", NULL};

static const Drawer *const drawers[] = {&view_konata, &view_perfetto, &view_vcd};
static const struct {
    const char *ending;
    WwViewFormat format;
} endings[] = {
    {".kanata", WW_VIEW_KONATA},
    {".konata", WW_VIEW_KONATA},
    {".perfetto-trace", WW_VIEW_PERFETTO},
    {".pftrace", WW_VIEW_PERFETTO},
    {".vcd", WW_VIEW_VCD},
};

int ww_view_format_of(const char *file)
{
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        if (g_str_has_suffix(file, endings[i].ending)) {
            return (int)endings[i].format;
        }
    }
    return -1;
}

const char *ww_view_endings(void)
{
    return ".kanata, .perfetto-trace or .vcd";
}

WwView *ww_view_new(const WwViewSpec *spec)
{
    WwView *view = g_new0(WwView, 1);
    view->spec = *spec;
    view->spec.every = spec->every != 0 ? spec->every : 100;
    for (const char *const *p = spec->paths; p != NULL && *p != NULL; p++) {
        if (view->globs == NULL) {
            view->globs = g_ptr_array_new_with_free_func((GDestroyNotify)g_pattern_spec_free);
        }
        g_ptr_array_add(view->globs, g_pattern_spec_new(*p));
    }
    view->text = g_string_new(NULL);
    view_places_begin(view);
    view->drawer = drawers[spec->format];
    view->drawn = view->drawer->begin(view);
    return view;
}

bool view_fail(WwView *view, const char *format, ...)
{
    if (view->failed != NULL) {
        return false;
    }
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_autofree char *shown = g_utf8_make_valid(text, -1);
    return ww_fail(&view->failed, WW_ERROR_INPUT,
                   view->spec.live ? "%s: event %" PRIu64 ": %s" : "%s:%" PRIu64 ": %s",
                   view->spec.name, view->line, shown);
}

void view_fail_host(WwView *view, const char *format, ...)
{
    if (view->failed != NULL) {
        return;
    }
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    ww_fail(&view->failed, WW_ERROR_SYSTEM, "%s: %s", view->spec.name, text);
}

static bool result(WwView *view, GError **error)
{
    if (view->failed == NULL) {
        return true;
    }
    if (error != NULL) {
        g_propagate_error(error, g_error_copy(view->failed));
    }
    return false;
}

bool ww_view_event(WwView *view, const WwLogLine *line, GError **error)
{
    Event e;
    view->line = line->number;
    if (view->failed == NULL && view_parse(view, line, &e) && view_wants(view, &e)) {
        view->drawer->event(view->drawn, &e);
    }
    return result(view, error);
}

bool ww_view_log(WwView *view, const char *path, GError **error)
{
    WwLogReader *reader = ww_log_open(path, error);
    WwLogLine line;
    GError *why = NULL;
    while (reader != NULL && ww_log_next(reader, &line, &why) && ww_view_event(view, &line, &why)) {
    }
    bool good = reader != NULL && why == NULL;
    if (why != NULL) {
        g_propagate_error(error, why);
    }
    ww_log_close(reader);
    return good;
}

bool ww_view_end(WwView *view, GError **error)
{
    if (view->failed == NULL) {
        view->drawer->end(view->drawn);
    }
    return result(view, error);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* Reasons are a list. */
static void add_reason(GString *why, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add_reason(GString *why, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_string_append(why, why->len != 0 ? ", " : "");
    g_string_append_vprintf(why, format, ap);
    va_end(ap);
}

/* Why no event was all that is asked for. */
static char *why_nothing(const WwView *view)
{
    const WwViewSpec *s = &view->spec;
    GString *why = g_string_new(NULL);
    if (view->line == 0) {
        add_reason(why, "there are no events");
        return g_string_free(why, false);
    }
    if (s->has_sm && (view->met & MET_SM) == 0) {
        add_reason(why, "no event is of SM %" PRIu64, s->sm);
    }
    if (s->has_warp && (view->met & MET_WARP) == 0) {
        add_reason(why, "no event is of warp %" PRIu64, s->warp);
    }
    if ((view->met & MET_PATH) == 0) {
        g_autofree char *paths = g_strjoinv("' or '", (char **)s->paths);
        add_reason(why, "no event has a path like '%s'", paths);
    }
    if ((view->met & MET_CYCLE) == 0 && s->to != 0) {
        add_reason(why, "no event is in cycles %" PRIu64 " to %" PRIu64, s->from, s->to);
    } else if ((view->met & MET_CYCLE) == 0) {
        add_reason(why, "no event is in cycle %" PRIu64 " or later", s->from);
    }
    if (why->len == 0) {
        add_reason(why, "no event is all of it");
    }
    return g_string_free(why, false);
}

static void note_nothing(const WwView *view, GPtrArray *notes)
{
    if (view->failed != NULL) {
        return;
    }
    if ((view->met & MET_ALL) == 0) {
        g_autofree char *why = why_nothing(view);
        g_ptr_array_add(notes, g_strdup_printf("nothing that was asked for is drawn: %s", why));
    } else if (view->empty) {
        g_ptr_array_add(notes, g_strdup("nothing is drawn: none of the events that were asked for "
                                        "is the decoding or the issue of an instruction in an SM"));
    }
}

/* With a machine: it is another one. */
static void note_places(const WwView *view, GPtrArray *notes)
{
    uint64_t n = view->lack[LACK_PLACE];
    if (n != 0) {
        g_autofree char *others =
            n > 1 ? g_strdup_printf(" and %" PRIu64 " more", n - 1) : g_strdup("");
        g_ptr_array_add(
            notes, g_strdup_printf("path '%s'%s of the log %s not in this machine: which clock "
                                   "and which SM such a part has is not known; expected the "
                                   "options of the run (-c CONFIG, -s, ...)",
                                   view->stranger, others, n > 1 ? "are" : "is"));
    }
}

static void note_left_out(const WwView *view, GPtrArray *notes)
{
    uint64_t old = view->lack[LACK_UID], n = view->lack[LACK_ISSUE];
    if (old != 0) {
        g_ptr_array_add(
            notes, g_strdup_printf("%" PRIu64 " event%s of instructions or requests %s no uid=, "
                                   "and %s left out: the log was written by an earlier version",
                                   old, old != 1 ? "s" : "", old != 1 ? "say" : "says",
                                   old != 1 ? "are" : "is"));
    }
    if (n != 0) {
        g_ptr_array_add(notes,
                        g_strdup_printf("%" PRIu64 " event%s left out, since the issue of %s "
                                        "instruction is not among the events (a filter, or --from)",
                                        n, n != 1 ? "s are" : " is", n != 1 ? "their" : "its"));
    }
}

char **ww_view_notes(const WwView *view)
{
    GPtrArray *notes = g_ptr_array_new();
    note_left_out(view, notes);
    note_places(view, notes);
    if (view->lack[LACK_CLOCK] != 0 && view->spec.machine == NULL) {
        g_ptr_array_add(
            notes,
            g_strdup("the log does not say how fast clocks are: a cycle of the SMs is drawn as a "
                     "nanosecond; with the options of the run (-c CONFIG) times are real"));
    }
    if (view->lack[LACK_SM] != 0) {
        g_ptr_array_add(
            notes,
            g_strdup("the log does not say which number an SM has: it is read from the indexes "
                     "of paths; with the options of the run (-c CONFIG) it is known"));
    }
    if (view->lack[LACK_DATA] != 0) {
        g_ptr_array_add(notes,
                        g_strdup("DRAM bandwidth is not known and not drawn: the events 'return' "
                                 "and 'end' of DRAMs are not among the events (a filter)"));
    }
    note_nothing(view, notes);
    g_ptr_array_add(notes, NULL);
    return (char **)g_ptr_array_free(notes, false);
}

void ww_view_free(WwView *view)
{
    if (view == NULL) {
        return;
    }
    view->drawer->free(view->drawn);
    view_places_free(view);
    if (view->globs != NULL) {
        g_ptr_array_unref(view->globs);
    }
    g_clear_error(&view->failed);
    g_string_free(view->text, true);
    g_free(view);
}
