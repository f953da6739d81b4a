/* SPDX-License-Identifier: Apache-2.0 */
/* --events and --events-filter. A filter is a list of key=value; words without a key go on with the list of the key before. */
#include "events.h"

#include "cli-priv.h"
#include <ports/ctas.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 20)

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

static bool set(CliEvents *e, WwMachine *machine, int key, const char *value, GError **error)
{
    uint64_t n = 0;
    g_autofree char *what = g_strdup_printf("--events-filter: %s", keys[key]);
    if (key != KEY_KIND && key != KEY_PATH && !cli_number(what, value, &n, error)) {
        return false;
    }
    switch ((Key)key) {
    case KEY_SM:
        g_free(e->path);
        e->path = glob_of_sm(machine, n, error);
        return e->path != NULL;
    case KEY_WARP:
        e->filter.unit = (int64_t)n;
        e->filter.has_unit = true;
        return true;
    case KEY_KIND:
        g_string_append_printf(e->kinds, "%s%s", e->kinds->len != 0 ? "," : "", value);
        return true;
    case KEY_FROM:
        e->filter.from = n;
        return true;
    case KEY_TO:
        e->filter.to = n;
        return true;
    case KEY_PATH:
        g_free(e->path);
        e->path = g_strdup(value);
        return true;
    }
    return true;
}

static bool parse_filter(CliEvents *e, WwMachine *machine, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    int key = -1;
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
    return true;
}

bool cli_events_start(CliEvents *e, WwMachine *machine, const char *file, const char *filter,
                      GError **error)
{
    e->kinds = g_string_new(NULL);
    if (filter != NULL && !parse_filter(e, machine, filter, error)) {
        return false;
    }
    struct stat st;
    bool special = stat(file, &st) == 0 && !S_ISREG(st.st_mode); /* a pipe, a device */
    e->temporary = special ? NULL : g_strconcat(file, ".part", NULL);
    e->out = fopen(special ? file : e->temporary, "w");
    if (e->out == NULL) {
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "cannot write events to '%s': %s; expected a file that can be written", file,
                       g_strerror(errno));
    }
    setvbuf(e->out, NULL, _IOFBF, BUFFER);
    e->filter.path = e->path;
    e->filter.kinds = e->kinds->len != 0 ? e->kinds->str : NULL;
    ww_machine_set_events(machine, e->out, &e->filter);
    return true;
}

bool cli_events_end(CliEvents *e, const char *file, bool keep, GError **error)
{
    bool good = true;
    if (e->out != NULL) {
        good = !ferror(e->out);
        good = fclose(e->out) == 0 && good;
        if (e->temporary != NULL && good && keep) {
            good = rename(e->temporary, file) == 0;
        } else if (e->temporary != NULL) {
            unlink(e->temporary);
        }
    }
    g_free(e->temporary);
    if (e->kinds != NULL) {
        g_string_free(e->kinds, true);
    }
    g_free(e->path);
    memset(e, 0, sizeof *e);
    return good || ww_fail(error, WW_ERROR_SYSTEM,
                           "cannot write events to '%s': %s; expected room for them", file,
                           g_strerror(errno));
}
