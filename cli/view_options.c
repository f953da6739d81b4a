/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `warpwright view`, and the files of `run --view`. */
#include "cli-priv.h"
#include "events.h"
#include "view.h"

const GOptionEntry *cli_view_options(CliViewOptions *o)
{
    static GOptionEntry rows[12];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"as", 0, 0, G_OPTION_ARG_FILENAME, &o->as, "Format of FILE, whatever its name",
         cli_choices(ww_view_formats)},
        {"every", 0, 0, G_OPTION_ARG_FILENAME, &o->every,
         "perfetto: core cycles between values of a counter (default 100)", "N"},
        CLI_HEADING("Selection"),
        {"sm", 0, 0, G_OPTION_ARG_FILENAME, &o->sm, "Only SM number N", "N"},
        {"warp", 0, 0, G_OPTION_ARG_FILENAME, &o->warp, "Only hardware warp N of each SM", "N"},
        {"from", 0, 0, G_OPTION_ARG_FILENAME, &o->from, "Only core cycle N and later", "N"},
        {"to", 0, 0, G_OPTION_ARG_FILENAME, &o->to, "Only up to and including core cycle N", "N"},
        {"path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->paths,
         "Only components whose path matches this (* and ? as wildcards); repeatable", "PATH"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof all <= sizeof rows);
    memcpy(rows, all, sizeof all);
    return rows;
}

static bool number(const char *what, const char *text, uint64_t least, bool *has, uint64_t *out,
                   GError **error)
{
    *has = text != NULL;
    return text == NULL || cli_number_in(what, text, least, UINT64_MAX, out, error);
}

bool cli_view_check(CliViewOptions *o, GError **error)
{
    WwViewSpec *s = &o->spec;
    bool from, to, every;
    o->format = o->as != NULL ? cli_choice("--as", o->as, ww_view_formats, error) : -1;
    if ((o->as != NULL && o->format < 0) || !number("--sm", o->sm, 0, &s->has_sm, &s->sm, error) ||
        !number("--warp", o->warp, 0, &s->has_warp, &s->warp, error) ||
        !number("--from", o->from, 0, &from, &s->from, error) ||
        !number("--to", o->to, 1, &to, &s->to, error) ||
        !number("--every", o->every, 1, &every, &s->every, error)) {
        return false;
    }
    s->paths = (const char *const *)o->paths;
    return !to || s->from <= s->to ||
           ww_fail(error, WW_ERROR_USAGE,
                   "--from %" G_GUINT64_FORMAT " is after --to %" G_GUINT64_FORMAT
                   "; expected cycles in their order",
                   s->from, s->to);
}

bool cli_view_check_machine(const CliViewOptions *o, WwMachine *machine, GError **error)
{
    if (machine == NULL) {
        return true;
    }
    if (o->spec.has_sm) {
        g_autofree char *inside = cli_events_sm(machine, "--sm", o->spec.sm, error);
        if (inside == NULL) {
            return false;
        }
    }
    for (char **p = o->paths; p != NULL && *p != NULL; p++) {
        if (!cli_events_path(machine, "--path", *p, true, error)) {
            return false;
        }
    }
    return true;
}

int cli_view_format(const CliViewOptions *o, const char *file, GError **error)
{
    int format = o->format >= 0 ? o->format : ww_view_format_of(file);
    if (format < 0) {
        ww_fail(error, WW_ERROR_USAGE,
                "cannot tell the format of '%s'; expected a name that ends in %s%s", file,
                ww_view_endings(), o->named ? "" : ", or --as");
    }
    return format;
}

bool cli_view_open(const CliViewOptions *o, const char *file, const WwMachine *machine,
                   const char *log, WwOutput **out, WwView **view, GError **error)
{
    WwViewSpec spec = o->spec;
    int format = cli_view_format(o, file, error);
    *out = format >= 0 ? ww_output_new(file, error) : NULL;
    if (*out == NULL) {
        return format < 0 ? false : (g_prefix_error(error, "cannot write "), false);
    }
    ww_output_unhurried(*out);
    spec.format = (WwViewFormat)format;
    spec.out = ww_output_file(*out);
    spec.name = log != NULL ? log : file;
    spec.live = log == NULL;
    spec.machine = machine;
    g_autofree char *folder = g_path_get_dirname(file);
    spec.folder = folder;
    *view = ww_view_new(&spec);
    return true;
}

void cli_view_tell(const WwView *view, const char *file)
{
    g_auto(GStrv) notes = ww_view_notes(view);
    for (char **n = notes; *n != NULL; n++) {
        g_autofree char *note = g_strdup_printf("%s: %s", file, *n);
        cli_say("note: ", note);
    }
}

void cli_view_clear(CliViewOptions *o)
{
    char *const texts[] = {o->as, o->sm, o->warp, o->from, o->to, o->every};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    g_strfreev(o->paths);
}
