/* SPDX-License-Identifier: Apache-2.0 */
/* Which run others are measured against, as users say it. */
#include "grid.h"

#include <string.h>

bool cli_varies(const WwDbTable *t, guint column)
{
    g_autofree char *first = t->n_rows != 0 ? cli_runs_text(ww_db_at(t, 0, column)) : NULL;
    for (uint32_t r = 1; r < t->n_rows; r++) {
        g_autofree char *other = cli_runs_text(ww_db_at(t, r, column));
        if (strcmp(first, other) != 0) {
            return true;
        }
    }
    return false;
}

/* The values that the columns have: of that called @p name, of @p length bytes, or (NULL) of those in which runs differ. */
static char *instead_of(const WwDbTable *t, char *const *names, guint n, const char *name,
                        size_t length, const char *wanted)
{
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < n; i++) {
        bool it = name == NULL
                      ? cli_varies(t, i)
                      : (strlen(names[i]) == length && strncmp(names[i], name, length) == 0);
        for (uint32_t r = 0; it && r < t->n_rows; r++) {
            g_hash_table_add(values, cli_runs_text(ww_db_at(t, r, i)));
        }
    }
    return cli_runs_instead(values, wanted);
}

int cli_baseline(const WwDbTable *t, char *const *names, guint n, const char *text,
                 const char **value, GError **error)
{
    const char *equals = strchr(text, '=');
    int found = -1;
    *value = equals != NULL ? equals + 1 : text;
    for (guint i = 0; i < n; i++) {
        bool named = equals != NULL && strlen(names[i]) == (size_t)(equals - text) &&
                     strncmp(names[i], text, strlen(names[i])) == 0,
             has = false;
        for (uint32_t r = 0; (equals == NULL || named) && !has && r < t->n_rows; r++) {
            g_autofree char *own = cli_runs_text(ww_db_at(t, r, i));
            has = cli_names(*value, own);
        }
        if (has && found >= 0) {
            ww_fail(error, WW_ERROR_USAGE,
                    "--baseline '%s' is a value of '%s' and of '%s'; expected NAME=VALUE", text,
                    names[found], names[i]);
            return -1;
        }
        found = has ? (int)i : found;
    }
    if (found >= 0) {
        return found;
    }
    g_autofree char *instead = instead_of(t, names, n, equals != NULL ? text : NULL,
                                          (size_t)(*value - text) - (equals != NULL), *value);
    ww_fail(error, WW_ERROR_USAGE, "no run that fits has the value of --baseline '%s'%s", text,
            instead);
    return -1;
}

/* How many of the columns but @p base differ between two runs; their names are added to @p out, unless that is NULL. */
static guint differences(const WwDbTable *t, char *const *names, guint n, uint32_t one,
                         uint32_t other, guint base, GString *out)
{
    guint differ = 0;
    for (guint i = 0; i < n; i++) {
        g_autofree char *x = cli_runs_text(ww_db_at(t, one, i)),
                        *y = cli_runs_text(ww_db_at(t, other, i));
        if (i != base && strcmp(x, y) != 0) {
            differ++;
            if (out != NULL) {
                g_string_append_printf(out, "%s'%s'", out->len != 0 ? ", " : "", names[i]);
            }
        }
    }
    return differ;
}

char *cli_besides(const WwDbTable *t, char *const *names, guint n, uint32_t run, guint base,
                  const char *value)
{
    uint32_t nearest = run;
    guint least = G_MAXUINT;
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *own = cli_runs_text(ww_db_at(t, r, base));
        guint differ =
            cli_names(value, own) ? differences(t, names, n, run, r, base, NULL) : G_MAXUINT;
        nearest = differ < least ? r : nearest;
        least = MIN(differ, least);
    }
    GString *out = g_string_new(NULL);
    differences(t, names, n, run, nearest, base, out);
    return g_string_free(out, false);
}
