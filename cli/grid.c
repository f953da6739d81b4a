/* SPDX-License-Identifier: Apache-2.0 */
#include "grid-priv.h"

#include <math.h>
#include <string.h>

const char *const cli_grid_averages[] = {"geometric", "arithmetic", "harmonic", NULL};
const char *const cli_grid_means[] = {"none", "rows", "columns", "both", NULL};
const char *const grid_average_names[] = {"geometric mean", "mean", "harmonic mean"};

/* Less of these is better: a ratio to the baseline is turned round. */
static const char *const costs[] = {"cycles", "seconds", "processor_seconds", NULL};

double cli_average(CliAverage kind, const double *values, guint n)
{
    double sum = 0;
    for (guint i = 0; i < n; i++) {
        if (kind != CLI_ARITHMETIC && !(values[i] > 0)) {
            return NAN;
        }
        sum += kind == CLI_GEOMETRIC  ? log(values[i])
               : kind == CLI_HARMONIC ? 1 / values[i]
                                      : values[i];
    }
    return n == 0                  ? NAN
           : kind == CLI_GEOMETRIC ? exp(sum / n)
           : kind == CLI_HARMONIC  ? n / sum
                                   : sum / n;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static WwDbTable *ask(Build *b, GError **error)
{
    g_ptr_array_add(b->names, NULL);
    const WwDbQuery query = {.columns = (const char *const *)b->names->pdata,
                             .where = (const char *const *)b->o->runs.where,
                             .experiment = b->o->runs.experiment,
                             .kernels = b->o->kernels};
    WwDbTable *table = ww_db_select(b->db, &query, error);
    g_ptr_array_set_size(b->names, (gint)b->names->len - 1);
    if (table != NULL && table->n_rows == 0) {
        cli_runs_fail_none(b->db, &b->o->runs, b->o->kernels, table->unfinished, error);
        g_clear_pointer(&table, ww_db_table_free);
    }
    return table;
}

/* What runs are told apart by: axes, then what else may differ between two files. */
static bool add_apart(Build *b, GError **error)
{
    g_auto(GStrv) axes = cli_runs_axes(b->db, &b->o->runs, b->o->baseline, error);
    if (axes == NULL) {
        return false;
    }
    for (char **a = axes; *a != NULL; a++) {
        cli_runs_column(b->names, *a);
    }
    cli_runs_column(b->names, "experiment");
    cli_runs_column(b->names, "version");
    if (b->o->kernels) {
        cli_runs_column(b->names, "kernel_number");
        cli_runs_column(b->names, "kernel");
    }
    b->n_apart = b->names->len;
    return true;
}

/* An axis that varies and is not used yet; @p first if that is one. */
static const char *free_axis(const Build *b, const WwDbTable *t, const char *first,
                             const char * not )
{
    const char *found = NULL;
    for (guint i = 0; i < b->n_apart; i++) {
        const char *name = b->names->pdata[i];
        if (grid_is_over(b, name) || g_strcmp0(name, not ) == 0 || !cli_varies(t, i) ||
            (b->o->kernels && strcmp(name, "kernel_number") == 0)) {
            continue;
        }
        found = found == NULL || g_strcmp0(name, first) == 0 ? name : found;
    }
    return found;
}

/* ---- the baseline ----------------------------------------------------------------------------------------------- */

/* What tells a run apart, but for @p without. */
static char *key_of(const Build *b, const WwDbTable *t, uint32_t r, int without)
{
    GString *key = g_string_new(NULL);
    for (guint i = 0; i < b->n_apart; i++) {
        if ((int)i != without) {
            g_autofree char *text = cli_runs_text(ww_db_at(t, r, i));
            g_string_append_printf(key, "%s\x1f", text);
        }
    }
    return g_string_free(key, false);
}

static bool is_cost(const char *measure)
{
    return g_strv_contains(costs, measure);
}

/* Values become ratios to those of the run that is the baseline of each. */
static bool divide(Build *b, const char *value, GError **error)
{
    WwDbTable *t = b->table;
    uint32_t without = 0, first = 0;
    g_autoptr(GHashTable) bases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *own = cli_runs_text(ww_db_at(t, r, (guint)b->base));
        if (cli_names(value, own)) {
            g_hash_table_insert(bases, key_of(b, t, r, b->base), GUINT_TO_POINTER(r + 1));
        }
    }
    g_autofree double *ratios = g_new(double, (gsize)t->n_rows * b->n_measures + 1);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *key = key_of(b, t, r, b->base);
        uint32_t base = GPOINTER_TO_UINT(g_hash_table_lookup(bases, key));
        first = base == 0 && without == 0 ? r : first;
        without += base == 0;
        for (guint m = 0; m < b->n_measures; m++) {
            double v = b->values[r * b->n_measures + m],
                   w = base != 0 ? b->values[(base - 1) * b->n_measures + m] : NAN;
            bool cost = is_cost(b->names->pdata[b->measure + m]);
            double below = cost ? v : w;
            ratios[r * b->n_measures + m] = below != 0 ? (cost ? w : v) / below : NAN;
        }
    }
    memcpy(b->values, ratios, (gsize)t->n_rows * b->n_measures * sizeof *ratios);
    if (without == t->n_rows) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "no run has a baseline: one that differs from it only in '%s'; expected some",
            (const char *)b->names->pdata[b->base]);
    }
    if (without != 0) {
        g_autofree char *besides = cli_besides(t, (char *const *)b->names->pdata, b->n_apart, first,
                                               (guint)b->base, value);
        g_autofree char *note = g_strdup_printf(
            "%u of %u %s no baseline and %s left out: the nearest to %s differs in %s, too",
            without, t->n_rows, WW_PLURAL(without, "runs has", "runs have"),
            WW_PLURAL(without, "is", "are"), WW_PLURAL(without, "it", "the first"), besides);
        cli_say("note: ", note);
    }
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool read_options(Build *b, GError **error)
{
    const CliGridOptions *o = b->o;
    int average =
        o->average != NULL ? cli_choice("--average", o->average, cli_grid_averages, error) : 0;
    int mean = o->mean != NULL       ? cli_choice("--mean", o->mean, cli_grid_means, error)
               : o->baseline != NULL ? MEAN_ROWS
                                     : MEAN_NONE;
    b->average = (CliAverage)average;
    b->mean = mean;
    b->over = o->over != NULL ? g_strsplit(o->over, ",", -1) : NULL;
    b->n_measures = o->measures != NULL ? g_strv_length(o->measures) : 1;
    if (b->n_measures > 1 && o->columns != NULL) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "--columns beside several measures, which are the columns; expected one --measure");
    }
    if (b->n_measures > 1 && (mean == MEAN_COLUMNS || mean == MEAN_BOTH)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--mean %s over several measures would be of different figures; expected "
                       "--mean rows, or one --measure",
                       cli_grid_means[mean]);
    }
    return average >= 0 && mean >= 0;
}

/* Rows and columns that nobody named: what varies. */
static bool choose(Build *b, const WwDbTable *t, GError **error)
{
    CliGrid *g = b->grid;
    const char *value;
    if (b->o->baseline != NULL) {
        b->base = cli_baseline(t, (char *const *)b->names->pdata, b->n_apart, b->o->baseline,
                               &value, error);
        if (b->base < 0) {
            return false;
        }
    }
    const char *base = b->base >= 0 ? b->names->pdata[b->base] : NULL;
    bool measures = b->n_measures > 1;
    const char *columns = b->o->columns, *rows = b->o->rows;
    if (rows == NULL) {
        const char *not = columns != NULL ? columns : measures ? NULL : base;
        rows = free_axis(b, t, b->o->kernels ? "kernel" : "trace", not );
        rows = rows != NULL ? rows : "trace";
    }
    if (columns == NULL && !measures) {
        columns = base != NULL && strcmp(base, rows) != 0 ? base : free_axis(b, t, NULL, rows);
    }
    g->rows_name = g_strdup(rows);
    g->columns_name = g_strdup(columns != NULL ? columns : "");
    return true;
}

/* A number says of what it is: "gpu.clusters=40". */
static char *what_of(const Build *b, const char *value)
{
    const char *measure = b->names->pdata[b->measure];
    g_autofree char *named = NULL;
    if (b->o->baseline == NULL) {
        return g_strdup(b->n_measures > 1 ? "" : measure);
    }
    if (g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, NULL, NULL)) {
        value = named = g_strdup_printf("%s=%s", (char *)b->names->pdata[b->base], value);
    }
    if (b->n_measures > 1) {
        return g_strdup_printf("relative to %s", value);
    }
    return is_cost(measure) ? g_strdup_printf("speed-up over %s (%s)", value, measure)
                            : g_strdup_printf("%s relative to %s", measure, value);
}

static bool build(Build *b, GError **error)
{
    static char cycles[] = "cycles";
    static char *const standard[] = {cycles, NULL};
    if (!read_options(b, error) || !cli_grid_check(b->o, b->db, error) || !add_apart(b, error)) {
        return false;
    }
    for (char **o = b->over; o != NULL && *o != NULL; o++) {
        cli_runs_column(b->names, *o);
    }
    WwDbTable *t = ask(b, error);
    bool good = t != NULL && choose(b, t, error);
    ww_db_table_free(t);
    if (!good) {
        return false;
    }
    b->row = cli_runs_column(b->names, b->grid->rows_name);
    b->column =
        *b->grid->columns_name != '\0' ? cli_runs_column(b->names, b->grid->columns_name) : 0;
    b->status = cli_runs_column(b->names, "status");
    b->partial = cli_runs_column(b->names, "partial");
    b->measure = b->names->len;
    for (char *const *m = b->o->measures != NULL ? b->o->measures : standard; *m != NULL; m++) {
        g_ptr_array_add(b->names, g_strdup(*m));
    }
    b->table = ask(b, error);
    if (b->table == NULL) {
        return false;
    }
    b->values = g_new(double, (gsize)b->table->n_rows * b->n_measures + 1);
    for (uint32_t r = 0; r < b->table->n_rows; r++) {
        for (guint m = 0; m < b->n_measures; m++) {
            const WwDbValue *v = ww_db_at(b->table, r, b->measure + m);
            if (v->kind == WW_DB_TEXT) {
                return ww_fail(error, WW_ERROR_USAGE,
                               "--measure '%s' is the text '%s'; expected a figure",
                               (const char *)b->names->pdata[b->measure + m], v->text);
            }
            b->values[r * b->n_measures + m] = v->kind == WW_DB_NUMBER ? v->number : NAN;
        }
    }
    const char *equals = b->o->baseline != NULL ? strchr(b->o->baseline, '=') : NULL;
    const char *value = equals != NULL ? equals + 1 : b->o->baseline;
    if (b->base >= 0 && !divide(b, value, error)) {
        return false;
    }
    b->grid->relative = b->base >= 0;
    if (b->base >= 0 && strcmp(b->names->pdata[b->base], b->grid->columns_name) == 0) {
        b->grid->baseline = g_strdup(value);
    }
    if (b->over != NULL) {
        g_autofree char *over = g_strjoinv(", ", b->over);
        b->grid->mean = g_strdup_printf("%s over %s", grid_average_names[b->average], over);
    }
    b->grid->what = what_of(b, value != NULL && !b->o->full_names ? cli_short_name(value) : value);
    return grid_fill(b, error);
}

/* Of the rows that are in a cell. */
static uint32_t count_partial(const Build *b)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < b->table->n_rows; r++) {
        bool shown = false;
        for (guint m = 0; m < b->n_measures; m++) {
            shown |= !isnan(b->values[r * b->n_measures + m]);
        }
        n += shown && ww_db_is(b->table, r, WW_DB_PARTIAL);
    }
    return n;
}

CliGrid *cli_grid_new(const CliGridOptions *o, char *const *files, int n, GError **error)
{
    g_autoptr(WwDb) db = cli_runs_open(files, n, error);
    if (db == NULL) {
        return NULL;
    }
    g_autoptr(CliGrid) grid = g_new0(CliGrid, 1);
    grid->rows = g_ptr_array_new_with_free_func(g_free);
    grid->columns = g_ptr_array_new_with_free_func(g_free);
    Build b = {.o = o,
               .db = db,
               .names = g_ptr_array_new_with_free_func(g_free),
               .base = -1,
               .grid = grid};
    bool good = build(&b, error);
    if (good) {
        if (!o->full_names) {
            cli_short_names(grid->rows, grid->rows_name);
            if (*grid->columns_name != '\0') {
                cli_short_names(grid->columns, grid->columns_name);
            }
        }
        grid_means(&b);
        cli_runs_note(b.table, count_partial(&b), o->kernels);
    }
    g_ptr_array_unref(b.names);
    g_strfreev(b.over);
    g_free(b.values);
    ww_db_table_free(b.table);
    return good ? g_steal_pointer(&grid) : NULL;
}
