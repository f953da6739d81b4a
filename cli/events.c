/* SPDX-License-Identifier: Apache-2.0 */
/* --events and --events-filter. A filter is a list of key=value; words without a key go on with the list of the key before. */
#include "events.h"

#include "cli-priv.h"
#include <ports/ctas.h>

#include <string.h>

/* Glob over the paths inside SM number @p n: what lies in the same group as the n-th provider of CTA slots. */
static char *glob_of_sm(WwMachine *machine, uint64_t n, GError **error)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        const WwPortRow *row;
        for (WW_ROWS(c->type->ports, row)) {
            if (row->role == WW_PROVIDES && row->contract == &ww_contract_ctas && seen++ == n) {
                g_autofree char *path = ww_path(c);
                char *dot = strrchr(path, '.');
                if (dot != NULL) {
                    dot[1] = '\0';
                }
                return g_strconcat(dot != NULL ? path : "", "*", NULL);
            }
        }
    }
    ww_fail(error, WW_ERROR_USAGE,
            "--events-filter: there is no SM %" G_GUINT64_FORMAT
            "; the platform has %" G_GUINT64_FORMAT ", expected a number below",
            n, seen);
    return NULL;
}

typedef enum Key { KEY_SM, KEY_WARP, KEY_KIND, KEY_FROM, KEY_TO, KEY_PATH } Key;
static const char *const keys[] = {"sm", "warp", "kind", "from", "to", "path", NULL};

/* What the types that came with the command write (a test compares with their code, and with docs/events.md). */
static const char *const kinds[] = {
    "access",   "activate", "arrive",   "barrier",   "cache", "collect",   "column", "count",
    "cta",      "decode",   "dispatch", "exec",      "fetch", "fill",      "finish", "flush",
    "issue",    "kernel",   "l1d",      "launch",    "miss",  "precharge", "put",    "request",
    "response", "retire",   "take",     "writeback", NULL,
};

const char *const *cli_events_keys(void)
{
    return keys;
}

const char *const *cli_events_kinds(void)
{
    return kinds;
}

/* A module writes only kinds whose text is in it. */
static bool module_has(const char *file, const char *kind)
{
    g_autofree char *bytes = NULL;
    gsize n;
    return g_file_get_contents(file, &bytes, &n, NULL) &&
           memmem(bytes, n, kind, strlen(kind) + 1) != NULL;
}

static bool check_kind(const CliEvents *e, const char *kind, GError **error)
{
    for (guint i = 0; *kind != '\0' && e->modules != NULL && i < e->modules->len; i++) {
        if (module_has(e->modules->pdata[i], kind)) {
            return true;
        }
    }
    return cli_choice("--events-filter: kind", kind, kinds, error) >= 0;
}

static bool check_path(WwMachine *machine, const char *glob, GError **error)
{
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(glob);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        g_autofree char *path = ww_path(ww_machine_component(machine, i));
        if (g_pattern_spec_match_string(spec, path)) {
            return true;
        }
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "--events-filter: path '%s' is that of no component; expected a path that "
                   "'warpwright inspect' shows, in which * and ? may stand",
                   glob);
}

static bool once(CliEvents *e, int key, GError **error)
{
    uint32_t bit = 1u << (key == KEY_SM ? KEY_PATH : key); /* both say where */
    if ((e->given & bit) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "--events-filter: %s is given twice%s; expected once",
                       keys[key], key == KEY_SM || key == KEY_PATH ? ", or both sm and path" : "");
    }
    e->given |= bit;
    return true;
}

static bool set(CliEvents *e, WwMachine *machine, int key, const char *value, GError **error)
{
    uint64_t n = 0;
    g_autofree char *what = g_strdup_printf("--events-filter: %s", keys[key]);
    if (key != KEY_KIND && !once(e, key, error)) {
        return false;
    }
    if (key != KEY_KIND && key != KEY_PATH && !cli_number(what, value, &n, error)) {
        return false;
    }
    switch ((Key)key) {
    case KEY_SM:
        e->path = glob_of_sm(machine, n, error);
        return e->path != NULL;
    case KEY_WARP:
        e->filter.unit = (int64_t)n;
        e->filter.has_unit = true;
        return n <= INT64_MAX ||
               ww_fail(error, WW_ERROR_USAGE, "%s %s; expected a smaller number", what, value);
    case KEY_KIND:
        g_string_append_printf(e->kinds, "%s%s", e->kinds->len != 0 ? "," : "", value);
        return check_kind(e, value, error);
    case KEY_FROM:
        e->filter.from = n;
        return true;
    case KEY_TO:
        e->filter.to = n;
        return n != 0 || ww_fail(error, WW_ERROR_USAGE, "%s 0; expected at least 1", what);
    case KEY_PATH:
        e->path = g_strdup(value);
        return check_path(machine, value, error);
    }
    return true;
}

static bool parse_filter(CliEvents *e, WwMachine *machine, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    int key = -1;
    if (*words == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--events-filter is empty; expected sm=, warp=, kind=, from=, to= or path=");
    }
    for (char **w = words; *w != NULL; w++) {
        char *equals = strchr(*w, '=');
        const char *value = *w;
        if (equals != NULL) {
            *equals = '\0';
            value = equals + 1;
            key = cli_choice("--events-filter: key", *w, keys, error);
            if (key < 0) {
                return false;
            }
        } else if (key != KEY_KIND) {
            return ww_fail(
                error, WW_ERROR_USAGE,
                "--events-filter: '%s' has no key; expected sm=, warp=, kind=, from=, to= or path=",
                *w);
        }
        if (!set(e, machine, key, value, error)) {
            return false;
        }
    }
    if (e->filter.to != 0 && e->filter.from > e->filter.to) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--events-filter: from=%" G_GUINT64_FORMAT " is after to=%" G_GUINT64_FORMAT
                       "; expected cycles in their order",
                       e->filter.from, e->filter.to);
    }
    return true;
}

bool cli_events_start(CliEvents *e, WwMachine *machine, const GPtrArray *modules, const char *file,
                      const char *filter, bool resumable, GError **error)
{
    e->kinds = g_string_new(NULL);
    e->modules = modules;
    if (filter != NULL && !parse_filter(e, machine, filter, error)) {
        return false;
    }
    e->filter.path = e->path;
    e->filter.kinds = e->kinds->len != 0 ? e->kinds->str : NULL;
    if (file == NULL) {
        return true;
    }
    e->out = ww_log_new(file, resumable, error);
    if (e->out == NULL) {
        return g_prefix_error(error, "cannot write events to "), false;
    }
    ww_machine_set_events(machine, ww_log_stream(e->out), &e->filter);
    return true;
}

bool cli_events_sum(CliEvents *e, uint64_t *bytes, uint64_t *sum, GError **error)
{
    return e->out == NULL || ww_log_sum(e->out, bytes, sum, error) ||
           (g_prefix_error(error, "cannot write events to "), false);
}

bool cli_events_from(CliEvents *e, uint64_t bytes, uint64_t sum, GError **error)
{
    return e->out == NULL || ww_log_from(e->out, bytes, sum, error) ||
           (g_prefix_error(error, "cannot write events to "), false);
}

bool cli_events_end(CliEvents *e, bool keep, GError **error)
{
    bool good = true;
    if (keep && e->out != NULL) {
        good = ww_log_keep(e->out, error);
        if (!good) {
            g_prefix_error(error, "cannot write events to ");
        }
    } else {
        ww_log_drop(e->out);
    }
    if (e->kinds != NULL) {
        g_string_free(e->kinds, true);
    }
    g_free(e->path);
    memset(e, 0, sizeof *e);
    return good;
}
