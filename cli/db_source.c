/* SPDX-License-Identifier: Apache-2.0 */
#include "db_source.h"

#include <string.h>
#include <warpwright/component.h>

#define MOST_VALUES 12u /* that a message lists */

const GOptionEntry *cli_runs_options(CliRuns *runs)
{
    static GOptionEntry rows[4];
    const GOptionEntry own[] = {
        CLI_HEADING("Which runs"),
        {"experiment", 'e', 0, G_OPTION_ARG_FILENAME, &runs->experiment,
         "Only runs of this experiment", "NAME"},
        {"where", 'w', 0, G_OPTION_ARG_FILENAME_ARRAY, &runs->where,
         "Only runs for which this holds: NAME=VALUE (also !=, <, <=, >, >=; * in a value, or "
         "several with ','); "
         "may be given again",
         "CONDITION"},
        {NULL},
    };
    memcpy(rows, own, sizeof own);
    return rows;
}

void cli_runs_clear(CliRuns *runs)
{
    g_strfreev(runs->where);
    g_free(runs->experiment);
}

/* Into one that goes with the process: files of results are runs of the experiment "results". */
static bool add(WwDb *db, const char *file, int number, GError **error)
{
    if (!ww_db_is_one(file)) {
        const WwDbRun run = {.number = (uint64_t)number, .state = WW_DB_DONE}; /* as asked for */
        return ww_db_put_result(db, "results", &run, file, error);
    }
    g_autoptr(WwDb) other = ww_db_open(file, WW_DB_READ, error);
    return other != NULL && ww_db_merge(db, other, NULL, error);
}

WwDb *cli_runs_open(char *const *files, int n, GError **error)
{
    if (n == 1 && ww_db_is_one(files[0])) {
        return ww_db_open(files[0], WW_DB_READ, error);
    }
    WwDb *db = ww_db_open(":memory:", WW_DB_CREATE, error);
    bool good = db != NULL && ww_db_begin(db, error);
    for (int i = 0; good && i < n; i++) {
        good = add(db, files[i], i + 1, error);
    }
    if (!good || !ww_db_commit(db, error)) {
        ww_db_close(db);
        return NULL;
    }
    return db;
}

char *cli_runs_partial(uint32_t n, bool kernels)
{
    return g_strdup_printf("%u %s partial: cut by a limit, or not come to %s", n,
                           kernels ? WW_PLURAL(n, "kernel is", "kernels are")
                                   : WW_PLURAL(n, "run is", "runs are"),
                           WW_PLURAL(n, "its end", "their end"));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *cli_runs_instead(GHashTable *values, const char *wanted)
{
    guint n;
    g_autofree gpointer *names = g_hash_table_get_keys_as_array(values, &n);
    if (n == 0) {
        return g_strdup("; expected a value of an axis");
    }
    qsort(names, n, sizeof *names, by_text);
    const char *near = ww_closest(wanted, (const char *const *)names, n);
    GString *text = g_string_new(NULL);
    if (near != NULL) {
        g_string_append_printf(text, ", did you mean '%s'?", near);
    }
    for (guint i = 0; i < n && i < MOST_VALUES; i++) {
        bool last = i + 1 == n;
        g_string_append_printf(text, "%s%s",
                               i == 0 ? "; expected "
                               : last ? " or "
                                      : ", ",
                               (const char *)names[i]);
    }
    g_string_append(text, n > MOST_VALUES ? ", ..." : "");
    return g_string_free(text, false);
}

void cli_runs_note(const WwDbTable *table, uint32_t partial, bool kernels)
{
    if (partial != 0) {
        g_autofree char *note = cli_runs_partial(partial, kernels);
        cli_say("note: ", note);
    }
    if (table->unfinished != 0) {
        g_autofree char *note = g_strdup_printf(
            "%u %s no results and %s left out", table->unfinished,
            WW_PLURAL(table->unfinished, "run of the database has", "runs of the database have"),
            WW_PLURAL(table->unfinished, "is", "are"));
        cli_say("note: ", note);
    }
}

int cli_ending(const char *path, const char *const *endings, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (int i = 0; endings[i] != NULL; i++) {
        if (g_str_has_suffix(path, endings[i])) {
            return i;
        }
        g_string_append_printf(all, "%s%s",
                               i == 0                   ? ""
                               : endings[i + 1] == NULL ? " or "
                                                        : ", ",
                               endings[i]);
    }
    ww_fail(error, WW_ERROR_USAGE,
            "cannot tell the format of '%s'; expected a name that ends in %s", path, all->str);
    return -1;
}
