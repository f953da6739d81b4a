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
    return ww_fail(&view->failed, WW_ERROR_INPUT, "%s:%" PRIu64 ": %s", view->spec.name, view->line,
                   shown);
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

char **ww_view_notes(const WwView *view)
{
    GPtrArray *notes = g_ptr_array_new();
    if (view->lack[LACK_UID] != 0) {
        g_ptr_array_add(
            notes, g_strdup_printf("%" PRIu64 " events of instructions or requests say no uid=, "
                                   "and are left out: the log was written by an earlier version",
                                   view->lack[LACK_UID]));
    }
    if (view->lack[LACK_ISSUE] != 0) {
        g_ptr_array_add(notes,
                        g_strdup_printf("%" PRIu64 " events are left out, since the issue of their "
                                        "instruction is not among the events (a filter, or --from)",
                                        view->lack[LACK_ISSUE]));
    }
    if (view->lack[LACK_CLOCK] != 0) {
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
