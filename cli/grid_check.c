/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a grid that would be answered with figures that mean nothing. */
#include "grid.h"

#include <components/register.h>
#include <string.h>

#define MOST_NAMED 3u

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* A list of names where one stands. (A name that runs have may have a comma.) */
static bool one_name(const CliGridOptions *o, WwDb *db, const char *option, const char *name,
                     const char *instead, GError **error)
{
    if (name == NULL || strchr(name, ',') == NULL) {
        return true;
    }
    const WwDbQuery query = {.columns = (const char *const[]){name, NULL}, .kernels = o->kernels};
    WwDbTable *table = ww_db_select(db, &query, NULL);
    bool is_one = table != NULL;
    ww_db_table_free(table);
    return is_one || ww_fail(error, WW_ERROR_USAGE, "%s '%s' are several names; expected %s",
                             option, name, instead);
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

/* Units of statistics, by "TYPE.STATISTIC", and by "STATISTIC" where all types that have one agree; else "". */
static GHashTable *units_new(const WwRegistry *registry)
{
    GHashTable *units = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        const WwStatRow *row;
        for (WW_ROWS(types[i]->stats, row)) {
            const char *known = g_hash_table_lookup(units, row->name);
            g_hash_table_insert(
                units, g_strdup(row->name),
                (gpointer)(known == NULL || strcmp(known, row->unit) == 0 ? row->unit : ""));
            g_hash_table_insert(units, g_strdup_printf("%s.%s", types[i]->name, row->name),
                                (gpointer)row->unit);
        }
    }
    return units;
}

/* The unit of "TYPE.STATISTIC[.LABEL]" or "PATH:STATISTIC[.LABEL]", which is cut behind the statistic; NULL: not known, as of a module. */
static const char *unit_of(GHashTable *units, char *name)
{
    char *colon = strchr(name, ':'), *key = colon != NULL ? colon + 1 : name;
    for (size_t n = strlen(key); n != 0; n--) { /* labels may have dots */
        g_autofree char *head = g_strndup(key, n);
        const char *unit =
            key[n] == '\0' || key[n] == '.' ? g_hash_table_lookup(units, head) : NULL;
        if (unit != NULL) {
            key[n] = '\0';
            return *unit != '\0' ? unit : NULL;
        }
    }
    return NULL;
}

/* "cycles ('cache.l1.lower_full'), ...": a statistic of each unit. */
static bool fail_units(const char *option, const char *pattern, const GPtrArray *units,
                       const GPtrArray *names, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL), some = g_string_new(NULL);
    for (guint i = 0; i < units->len && i < MOST_NAMED; i++) {
        g_string_append_printf(all, "%s%s", i != 0 ? ", " : "", (const char *)units->pdata[i]);
        g_string_append_printf(some, "%s'%s'", i != 0 ? ", " : "", (const char *)names->pdata[i]);
    }
    return ww_fail(
        error, WW_ERROR_USAGE,
        "%s '%s' is a sum of different units (%s%s); expected statistics of one, such as "
        "%s",
        option, pattern, all->str, units->len > MOST_NAMED ? ", ..." : "", some->str);
}

static bool one_unit(WwDb *db, GHashTable *known, const char *option, const char *pattern,
                     GError **error)
{
    g_auto(GStrv) names = ww_db_statistics(db, pattern, NULL);
    g_autoptr(GPtrArray) units = g_ptr_array_new(), of = g_ptr_array_new();
    for (char **n = names; n != NULL && *n != NULL; n++) {
        const char *unit = unit_of(known, *n);
        if (unit != NULL && !g_ptr_array_find_with_equal_func(units, unit, g_str_equal, NULL)) {
            g_ptr_array_add(units, (gpointer)unit);
            g_ptr_array_add(of, *n);
        }
    }
    return units->len < 2 || fail_units(option, pattern, units, of, error);
}

bool cli_grid_check_figure(WwDb *db, const char *option, const char *name, GError **error)
{
    if (name == NULL || strchr(name, '*') == NULL) {
        return true;
    }
    g_autoptr(WwRegistry) registry = ww_registry_new();
    if (!ww_components_register(registry, error)) {
        return false;
    }
    g_autoptr(GHashTable) known = units_new(registry);
    const char *slash = strchr(name, '/'); /* each side of a ratio is a sum of its own */
    g_autofree char *above =
        slash != NULL ? g_strndup(name, (gsize)(slash - name)) : g_strdup(name);
    return one_unit(db, known, option, g_strstrip(above), error) &&
           (slash == NULL ||
            one_unit(db, known, option, slash + 1 + strspn(slash + 1, " "), error));
}

bool cli_grid_check(const CliGridOptions *o, WwDb *db, GError **error)
{
    static const char for_rows[] = "one there, a second as --columns, and for the rest --where "
                                   "NAME=VALUE or --over NAME",
                      for_columns[] = "one there, a second as --rows, and for the rest --where "
                                      "NAME=VALUE or --over NAME",
                      for_measures[] = "one there, and --measure again for each other one";
    if (!one_name(o, db, "--rows", o->rows, for_rows, error) ||
        !one_name(o, db, "--columns", o->columns, for_columns, error)) {
        return false;
    }
    if (o->rows != NULL && g_strcmp0(o->rows, o->columns) == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--rows and --columns are both '%s'; expected two names, or one of them",
                       o->rows);
    }
    for (char **m = o->measures; m != NULL && *m != NULL; m++) {
        if (!one_name(o, db, "--measure", *m, for_measures, error) ||
            !cli_grid_check_figure(db, "--measure", *m, error)) {
            return false;
        }
    }
    return true;
}
