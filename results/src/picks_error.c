/* SPDX-License-Identifier: Apache-2.0 */
/* What there is, where a pattern chooses nothing: what is at the level of the path at which it goes wrong, or the statistics of what it found. */
#include "picks-priv.h"

#include <string.h>

#define MOST_TEXT 250u /* characters of a list */

/* Names once each, in order. */
typedef struct Names {
    GHashTable *seen;
    GString *text;
    uint32_t n, left_out;
} Names;

static void add_name(Names *names, const char *name)
{
    if (!g_hash_table_add(names->seen, g_strdup(name))) {
        return;
    }
    if (names->text->len > MOST_TEXT) {
        names->left_out++;
        return;
    }
    names->n++;
    g_string_append_printf(names->text, "%s%s", names->n > 1 ? ", " : "", name);
}

static char *end_names(Names *names)
{
    if (names->left_out != 0) {
        g_string_append_printf(names->text, " and %u more", names->left_out);
    }
    g_hash_table_unref(names->seen);
    return g_string_free(names->text, false);
}

static Names new_names(void)
{
    return (Names){g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), g_string_new(NULL),
                   0};
}

/* The entries of the vector that @p stat, "STATISTIC.LABEL", begins with; or all statistics. */
static void add_stats(Names *names, const WwType *type, const char *stat)
{
    const char *dot = strchr(stat, '.');
    const WwStatRow *row;
    for (WW_ROWS(type->stats, row)) {
        gsize n = strlen(row->name);
        if (dot == NULL || (gsize)(dot - stat) != n || strncmp(row->name, stat, n) != 0) {
            continue;
        }
        for (uint32_t k = 0; row->labels != NULL && k < row->n; k++) {
            g_autofree char *entry = g_strdup_printf("%s.%s", row->name, row->labels[k]);
            add_name(names, entry);
        }
        g_autofree char *entry = g_strdup_printf("%s.0 to .%u", row->name, row->n - 1);
        if (row->labels == NULL) {
            add_name(names, row->n > 1 ? entry : row->name);
        }
        return;
    }
    for (WW_ROWS(type->stats, row)) {
        add_name(names, row->name);
    }
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* Indices as [*]: alike parts have one name. */
static char *without_indices(const char *path)
{
    GString *out = g_string_new(NULL);
    for (const char *p = path; *p != '\0'; p++) {
        g_string_append_c(out, *p);
        if (*p == '[') {
            g_string_append(out, "*]");
            p = strchr(p, ']');
        }
    }
    return g_string_free(out, false);
}

/* Paths, without indices, of components with statistics that match @p glob. */
static GPtrArray *alike(const WwMachine *machine, const char *glob)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(glob);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *path = ww_path(c);
        if (c->type->stats == NULL || !g_pattern_spec_match_string(spec, path)) {
            continue;
        }
        char *name = without_indices(path);
        if (g_hash_table_contains(seen, name)) {
            g_free(name);
        } else {
            g_ptr_array_add(paths, name);
            g_hash_table_add(seen, name);
        }
    }
    return paths;
}

/* What all of @p paths begin with, up to a dot; its length. */
static gsize common(const GPtrArray *paths)
{
    const char *first = paths->pdata[0];
    gsize n = strlen(first);
    for (guint i = 0; i < paths->len; i++) {
        const char *path = paths->pdata[i];
        gsize same = 0;
        while (same < n && path[same] == first[same]) {
            same++;
        }
        n = same;
    }
    while (n != 0 && first[n - 1] != '.') {
        n--;
    }
    return n;
}

static char *below(const GPtrArray *paths)
{
    gsize n = common(paths);
    Names names = new_names();
    for (guint i = 0; i < paths->len; i++) {
        const char *rest = (const char *)paths->pdata[i] + n;
        g_autofree char *name = g_strndup(rest, strcspn(rest, "."));
        add_name(&names, name);
    }
    g_autofree char *list = end_names(&names);
    g_autofree char *head = g_strndup(paths->pdata[0], n != 0 ? n - 1 : 0);
    return g_strdup_printf("%s%s%s: %s", n != 0 ? "below " : "the machine has", head,
                           n != 0 ? " are" : "", list);
}

char *ww_picks_no_path(const WwMachine *machine, const char *path, const char *stat)
{
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(path);
    Names names = new_names();
    bool found = false;
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *name = c->type->stats != NULL ? ww_path(c) : NULL;
        if (name != NULL && g_pattern_spec_match_string(spec, name)) {
            found = true;
            add_stats(&names, c->type, stat);
        }
    }
    g_autofree char *stats = end_names(&names);
    if (found) {
        return g_strdup_printf("matches no statistic of '%s'; expected one of: %s", path, stats);
    }
    /* the longest beginning that leads anywhere */
    g_autofree char *prefix = g_strdup(path);
    for (;;) {
        g_autofree char *glob = g_strconcat(prefix, *prefix != '\0' ? ".*" : "*", NULL);
        g_autoptr(GPtrArray) paths = alike(machine, glob);
        if (paths->len != 0) {
            g_autofree char *there = below(paths);
            return g_strdup_printf(
                "matches no component that has statistics; expected PATH[:STATISTIC]; %s", there);
        }
        char *dot = strrchr(prefix, '.');
        if (*prefix == '\0') {
            return g_strdup("matches no component: none of this machine has statistics");
        }
        *(dot != NULL ? dot : prefix) = '\0';
    }
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

char *ww_picks_no_sum(const WwPicks *p, const char *pattern)
{
    Names names = new_names(), types = new_names();
    for (guint i = 0; i < p->types->len; i++) {
        const WwType *type = g_array_index(p->types, PickType, i).type;
        gsize n = strlen(type->name);
        add_name(&types, type->name);
        if (strncmp(pattern, type->name, n) == 0 && pattern[n] == '.') {
            add_stats(&names, type, pattern + n + 1);
        }
    }
    bool known = names.n != 0;
    g_autofree char *stats = end_names(&names), *all = end_names(&types);
    return known ? g_strdup_printf("matches no statistic; expected one of: %s", stats)
                 : g_strdup_printf("matches nothing; expected TYPE.STATISTIC, of types %s; or "
                                   "PATH:STATISTIC",
                                   all);
}
