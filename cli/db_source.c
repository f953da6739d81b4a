/* SPDX-License-Identifier: Apache-2.0 */
#include "db_source.h"

#include <math.h>
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
         "several values with ','); repeatable",
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

guint cli_runs_column(GPtrArray *columns, const char *name)
{
    for (guint i = 0; i < columns->len; i++) {
        if (strcmp(columns->pdata[i], name) == 0) {
            return i;
        }
    }
    g_ptr_array_add(columns, g_strdup(name));
    return columns->len - 1;
}

char *cli_runs_text(const WwDbValue *v)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    return v->text != NULL            ? g_strdup(v->text)
           : v->kind == WW_DB_NOTHING ? g_strdup("-")
           : v->number == floor(v->number)
               ? g_strdup_printf("%.0f", v->number)
               : g_strdup(g_ascii_dtostr(buffer, sizeof buffer, v->number));
}

/* Have all runs that have modules the same? */
static bool one_module(WwDb *db, const CliRuns *runs)
{
    const char *columns[] = {"module", NULL}, *only = NULL;
    const WwDbQuery query = {.columns = columns,
                             .where = (const char *const *)runs->where,
                             .experiment = runs->experiment,
                             .all = true};
    g_autoptr(WwDbTable) t = ww_db_select(db, &query, NULL);
    bool one = t != NULL;
    for (uint32_t r = 0; one && r < t->n_rows; r++) {
        const char *own = ww_db_at(t, r, 0)->text;
        one = own == NULL || only == NULL || strcmp(own, only) == 0;
        only = own != NULL ? own : only;
    }
    return one;
}

char **cli_runs_axes(WwDb *db, const CliRuns *runs, const char *baseline, GError **error)
{
    char **axes = ww_db_axes(db, runs->experiment, error);
    char **to = axes;
    for (char **a = axes; a != NULL && *a != NULL; a++) {
        if (strcmp(*a, "module") == 0 &&
            (baseline == NULL || !g_str_has_prefix(baseline, "module=")) && one_module(db, runs)) {
            g_free(*a);
        } else {
            *to++ = *a;
        }
    }
    if (to != NULL) {
        *to = NULL;
    }
    return axes;
}

/* Numbers in their order, before other texts. */
static int by_value(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    char *x_end, *y_end;
    double one = g_ascii_strtod(x, &x_end), other = g_ascii_strtod(y, &y_end);
    bool x_is = x_end != x && *x_end == '\0', y_is = y_end != y && *y_end == '\0';
    return x_is != y_is           ? (x_is ? -1 : 1)
           : x_is && one != other ? (one < other ? -1 : 1)
                                  : strcmp(x, y);
}

char *cli_runs_instead(GHashTable *values, const char *wanted)
{
    guint n;
    g_autofree gpointer *names = g_hash_table_get_keys_as_array(values, &n);
    if (n == 0) {
        return g_strdup("; expected a value of an axis");
    }
    qsort(names, n, sizeof *names, by_value);
    const char *near = wanted != NULL ? ww_closest(wanted, (const char *const *)names, n) : NULL;
    GString *text = g_string_new(NULL);
    if (near != NULL) {
        g_string_append_printf(text, ", did you mean '%s'?", near);
    }
    for (guint i = 0; i < n && i < MOST_VALUES; i++) {
        bool last = i + 1 == n;
        g_string_append_printf(text, "%s%s",
                               i != 0           ? (last ? " or " : ", ")
                               : wanted == NULL ? "; expected a condition that holds of "
                                                : "; expected ",
                               (const char *)names[i]);
    }
    g_string_append(text, n > MOST_VALUES ? ", ..." : "");
    return g_string_free(text, false);
}

static GHashTable *values_of(const WwDbTable *t)
{
    GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_hash_table_add(values, cli_runs_text(ww_db_at(t, r, 0)));
    }
    return values;
}

/* True: it is not the experiment that is without runs. */
static bool has_experiment(WwDb *db, const CliRuns *runs, GError **error)
{
    const WwDbQuery query = {.columns = (const char *const[]){"experiment", NULL}};
    g_autoptr(WwDbTable) all = runs->experiment != NULL ? ww_db_select(db, &query, NULL) : NULL;
    g_autoptr(GHashTable) names = all != NULL && all->n_rows != 0 ? values_of(all) : NULL;
    if (names == NULL || g_hash_table_contains(names, runs->experiment)) {
        return true;
    }
    g_autofree char *instead = cli_runs_instead(names, runs->experiment);
    return ww_fail(error, WW_ERROR_USAGE, "no run with results is in --experiment '%s'%s",
                   runs->experiment, instead);
}

/* The runs that the first @p n conditions leave, with @p name of each (NULL: with nothing). NULL: they cannot be asked for. */
static WwDbTable *ask_first(WwDb *db, const CliRuns *runs, bool kernels, guint n, const char *name)
{
    const char *columns[] = {name, NULL};
    g_autofree const char **where = g_new0(const char *, n + 1);
    memcpy(where, runs->where, n * sizeof *where);
    const WwDbQuery query = {
        .columns = columns, .where = where, .experiment = runs->experiment, .kernels = kernels};
    return ww_db_select(db, &query, NULL);
}

bool cli_runs_fail_none(WwDb *db, const CliRuns *runs, bool kernels, uint32_t unfinished,
                        GError **error)
{
    guint n = runs->where != NULL ? g_strv_length(runs->where) : 0;
    if (!has_experiment(db, runs, error)) {
        return false;
    }
    for (guint i = 0; i < n; i++) {
        const char *condition = runs->where[i];
        size_t length = strcspn(condition, "!<>=");
        g_autofree char *name = g_strndup(condition, length);
        g_autoptr(WwDbTable) before = ask_first(db, runs, kernels, i, name),
                             with = ask_first(db, runs, kernels, i + 1, NULL);
        if (before == NULL || with == NULL || before->n_rows == 0 || with->n_rows != 0) {
            continue;
        }
        g_autoptr(GHashTable) values = values_of(before);
        bool equal = condition[length] == '=';
        g_autofree char *instead = cli_runs_instead(values, equal ? condition + length + 1 : NULL);
        return ww_fail(error, WW_ERROR_USAGE, "no run with results fits --where '%s'%s%s",
                       condition, i != 0 ? " and those before it" : "", instead);
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "no run with results fits%s; expected some ('warpwright db list')",
                   unfinished != 0 ? ", of those that are done" : "");
}

void cli_runs_note(const WwDbTable *table, uint32_t partial, bool kernels)
{
    if (partial != 0) {
        g_autofree char *note = cli_runs_partial(partial, kernels);
        cli_say("note: ", note);
    }
    uint32_t noted = 0;
    for (uint32_t r = 0; r < table->n_rows; r++) {
        noted += ww_db_is(table, r, WW_DB_NOTED);
    }
    if (noted != 0) {
        g_autofree char *note = g_strdup_printf(
            "%u of these %s %s ('warpwright db list -e' has them), the first: %s", noted,
            kernels ? "kernels" : "runs",
            kernels ? "are of runs with notes" : WW_PLURAL(noted, "has notes", "have notes"),
            table->note);
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
