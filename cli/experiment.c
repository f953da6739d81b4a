/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an experiment, and where each stands. */
#include "experiment.h"
#include "grid.h"

#include <math.h>
#include <string.h>

/* ---- which experiment ------------------------------------------------------------------------------------------- */

typedef struct Search {
    const char *wanted;
    GHashTable *names;
    char *name, *source;
} Search;

static bool look(void *user, const WwDbExperiment *e)
{
    Search *s = user;
    g_hash_table_add(s->names, g_strdup(e->name));
    if (s->wanted == NULL ? s->name == NULL : strcmp(s->wanted, e->name) == 0) {
        s->name = g_strdup(e->name);
        s->source = g_strdup(e->source);
    }
    return true;
}

static bool find_experiment(Experiment *x, GError **error)
{
    const char *wanted = x->o->runs.experiment, *path = ww_db_path(x->db);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Search s = {.wanted = wanted, .names = names};
    bool good = ww_db_each_experiment(x->db, look, &s, error);
    x->name = s.name;
    x->source = s.source;
    if (!good) {
        return false;
    }
    guint n = g_hash_table_size(names);
    if (n == 0) {
        return ww_fail(error, WW_ERROR_USAGE, "'%s' has no runs; expected an experiment", path);
    }
    g_autofree char *instead = cli_runs_instead(names, wanted != NULL ? wanted : "");
    if (x->name == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "'%s' has no --experiment '%s'%s", path, wanted,
                       instead);
    }
    return wanted != NULL || n == 1 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "'%s' has %u experiments, and a page is of one: no --experiment given%s", path,
                   n, instead);
}

/* ---- what is asked ---------------------------------------------------------------------------------------------- */

static bool ask(Experiment *x, GError **error)
{
    CliRuns runs = {x->o->runs.where, x->name};
    const char *of_module = NULL;
    for (char **b = x->o->baselines; b != NULL && *b != NULL; b++) {
        of_module = g_str_has_prefix(*b, "module=") ? *b : of_module;
    }
    g_auto(GStrv) axes = cli_runs_axes(x->db, &runs, of_module, error);
    if (axes == NULL) {
        return false;
    }
    for (char **a = axes; *a != NULL; a++) {
        cli_runs_column(x->columns, *a);
    }
    x->trace = cli_runs_column(x->columns, x->over);
    cli_runs_column(x->columns, "version");
    x->n_apart = x->columns->len;
    x->state = cli_runs_column(x->columns, "state");
    x->error = cli_runs_column(x->columns, "error");
    x->number = cli_runs_column(x->columns, "number");
    x->partial = cli_runs_column(x->columns, "partial");
    x->cycles = cli_runs_column(x->columns, "cycles");
    x->launch = cli_runs_column(x->columns, "launch_cycles");
    x->ipc = cli_runs_column(x->columns, "ipc");
    x->key = cli_runs_column(x->columns, "key");
    g_ptr_array_add(x->columns, NULL);
    const WwDbQuery query = {.columns = (const char *const *)x->columns->pdata,
                             .where = (const char *const *)x->o->runs.where,
                             .experiment = x->name,
                             .all = true};
    x->table = ww_db_select(x->db, &query, error);
    if (x->table == NULL) {
        return false;
    }
    return x->table->n_rows != 0 ||
           cli_runs_fail_none(x->db, &x->o->runs, false, x->table->unfinished, error);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static ExperimentNames names_new(void)
{
    return (ExperimentNames){g_ptr_array_new_with_free_func(g_free), NULL,
                             g_hash_table_new(g_str_hash, g_str_equal)};
}

static void names_clear(ExperimentNames *n)
{
    g_clear_pointer(&n->full, g_ptr_array_unref);
    g_clear_pointer(&n->shorter, g_ptr_array_unref);
    g_clear_pointer(&n->places, g_hash_table_unref);
}

/* Of which runs without results say nothing: of that they have no value of their own. */
static bool says_nothing(const Experiment *x, uint32_t r, guint column)
{
    return ww_db_is(x->table, r, WW_DB_UNFINISHED) &&
           ww_db_at(x->table, r, column)->kind == WW_DB_NOTHING;
}

static void names_read(const Experiment *x, ExperimentNames *n, guint column)
{
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        if (!says_nothing(x, r, column)) {
            g_autofree char *text = cli_runs_text(ww_db_at(x->table, r, column));
            cli_label_at(n->full, n->places, text);
        }
    }
    cli_labels_sort(n->full, n->places);
    n->shorter = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < n->full->len; i++) {
        g_ptr_array_add(n->shorter, g_strdup(n->full->pdata[i]));
    }
    if (!x->o->full_names) {
        cli_short_names(n->shorter, x->columns->pdata[column]);
    }
}

static uint32_t place(const Experiment *x, const ExperimentNames *n, uint32_t r, guint column)
{
    g_autofree char *text = cli_runs_text(ww_db_at(x->table, r, column));
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(n->places, text));
    return at != 0 ? at - 1 : 0; /* what says nothing is as the first */
}

static void read_names(Experiment *x)
{
    x->traces = names_new();
    names_read(x, &x->traces, x->trace);
    x->axes = g_array_new(false, true, sizeof(ExperimentAxis));
    for (guint i = 0; i < x->n_apart; i++) {
        ExperimentAxis axis = {x->columns->pdata[i], i, names_new(), 0};
        if (i != x->trace) {
            names_read(x, &axis.values, i);
        }
        if (axis.values.full->len > 1) {
            g_array_append_val(x->axes, axis);
        } else {
            names_clear(&axis.values);
        }
    }
}

const char *experiment_name(const Experiment *x, uint32_t combination, int without, bool full)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint a = 0; a < x->axes->len; a++) {
        const ExperimentAxis *axis = &g_array_index(x->axes, ExperimentAxis, a);
        const GPtrArray *names = full ? axis->values.full : axis->values.shorter;
        const char *value = names->pdata[experiment_value(x, combination, a)];
        bool bare = !full && !g_ascii_isdigit(*value) && *value != '-';
        if ((int)a != without) {
            g_string_append_printf(text, "%s%s%s%s", text->len != 0 ? " " : "",
                                   bare ? "" : axis->name, bare ? "" : "=", value);
        }
    }
    return g_string_chunk_insert(x->texts, text->str);
}

/* ---- combinations ----------------------------------------------------------------------------------------------- */

typedef struct Order {
    const uint32_t *values;
    guint n;
} Order;

static int by_values(const void *a, const void *b, void *user)
{
    const Order *o = user;
    const uint32_t *x = o->values + (gsize) * (const uint32_t *)a * o->n,
                   *y = o->values + (gsize) * (const uint32_t *)b * o->n;
    for (guint i = 0; i < o->n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* In the order of their values; runs are told their combination. */
static void sort_combinations(Experiment *x, const GArray *values)
{
    guint n = x->axes->len;
    g_autofree uint32_t *order = g_new(uint32_t, (gsize)x->n_combinations + 1),
                        *place_of = g_new(uint32_t, (gsize)x->n_combinations + 1);
    Order by = {(const uint32_t *)(const void *)values->data, n};
    for (uint32_t c = 0; c < x->n_combinations; c++) {
        order[c] = c;
    }
    g_qsort_with_data(order, (int)x->n_combinations, sizeof *order, by_values, &by);
    x->values = g_new(uint32_t, (gsize)x->n_combinations * n + 1);
    for (uint32_t c = 0; c < x->n_combinations; c++) {
        place_of[order[c]] = c;
        for (guint a = 0; a < n; a++) {
            x->values[(gsize)c * n + a] = by.values[(gsize)order[c] * n + a];
        }
    }
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        x->runs[r].combination = place_of[x->runs[r].combination];
    }
}

static void combine(Experiment *x)
{
    guint n = x->axes->len;
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    g_autoptr(GArray) values = g_array_new(false, false, sizeof(uint32_t));
    g_autofree uint32_t *own = g_new0(uint32_t, (gsize)n + 1);
    x->runs = g_new0(ExperimentRun, (gsize)x->table->n_rows + 1);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        for (guint a = 0; a < n; a++) {
            const ExperimentAxis *axis = &g_array_index(x->axes, ExperimentAxis, a);
            own[a] = place(x, &axis->values, r, axis->column);
        }
        GBytes *key = g_bytes_new(own, n * sizeof *own);
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));
        if (at == 0) {
            at = ++x->n_combinations;
            g_array_append_vals(values, own, n);
            g_hash_table_insert(known, g_bytes_ref(key), GUINT_TO_POINTER(at));
        }
        g_bytes_unref(key);
        x->runs[r].combination = at - 1;
    }
    sort_combinations(x, values);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static double number_at(const Experiment *x, uint32_t r, guint column)
{
    const WwDbValue *v = ww_db_at(x->table, r, column);
    return v->kind == WW_DB_NUMBER ? v->number : NAN;
}

static gpointer cell_key(const Experiment *x, uint32_t trace, uint32_t combination)
{
    return GSIZE_TO_POINTER((gsize)trace * x->n_combinations + combination + 1);
}

int64_t experiment_at(const Experiment *x, uint32_t trace, uint32_t combination)
{
    gpointer at = g_hash_table_lookup(x->cells, cell_key(x, trace, combination));
    return (int64_t)GPOINTER_TO_SIZE(at) - 1;
}

static bool place_run(Experiment *x, uint32_t r, GError **error)
{
    ExperimentRun *run = &x->runs[r];
    const char *state = ww_db_at(x->table, r, x->state)->text;
    run->state = g_strcmp0(state, "done") == 0     ? WW_REPORT_DONE
                 : g_strcmp0(state, "failed") == 0 ? WW_REPORT_FAILED
                                                   : WW_REPORT_RUNNING;
    run->partial = ww_db_is(x->table, r, WW_DB_PARTIAL);
    run->cycles = run->state == WW_REPORT_DONE ? number_at(x, r, x->cycles) : NAN;
    run->speed_up = NAN;
    if (x->traces.full->len == 0 || says_nothing(x, r, x->trace)) {
        return true; /* nobody knows of which trace */
    }
    run->trace = place(x, &x->traces, r, x->trace);
    int64_t other = experiment_at(x, run->trace, run->combination);
    if (other >= 0 && run->state == WW_REPORT_DONE && x->runs[other].state == WW_REPORT_DONE) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "several runs are in one cell ('%s' of %s): they are told apart by nothing "
                       "but their results; expected --where with 'key', 'start' or 'host'",
                       (const char *)x->traces.full->pdata[run->trace], x->over);
    }
    if (other < 0 || run->state > x->runs[other].state) {
        g_hash_table_insert(x->cells, cell_key(x, run->trace, run->combination),
                            GSIZE_TO_POINTER((gsize)r + 1));
    }
    return true;
}

/* ---- the base --------------------------------------------------------------------------------------------------- */

/* The value of an axis that @p wanted stands for; one that is it comes first. */
static uint32_t value_named(const ExperimentAxis *axis, const char *wanted)
{
    gpointer at = g_hash_table_lookup(axis->values.places, wanted);
    uint32_t i = at != NULL ? GPOINTER_TO_UINT(at) - 1 : 0;
    while (at == NULL && i + 1 < axis->values.full->len &&
           !cli_names(wanted, axis->values.full->pdata[i])) {
        i++;
    }
    return i;
}

/* Axes get the value that the user named; UINT32_MAX is any. */
static bool name_base(Experiment *x, GError **error)
{
    for (guint a = 0; a < x->axes->len; a++) {
        g_array_index(x->axes, ExperimentAxis, a).base = UINT32_MAX;
    }
    for (char **b = x->o->baselines; b != NULL && *b != NULL; b++) {
        const char *value;
        int column =
            cli_baseline(x->table, (char *const *)x->columns->pdata, x->n_apart, *b, &value, error);
        if (column < 0) {
            return false;
        }
        if ((guint)column == x->trace) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "--baseline '%s' is of '%s', over which means are taken; expected a "
                           "value of another axis",
                           *b, x->over);
        }
        for (guint a = 0; a < x->axes->len; a++) {
            ExperimentAxis *axis = &g_array_index(x->axes, ExperimentAxis, a);
            if (axis->column == (guint)column && axis->base != UINT32_MAX) {
                return ww_fail(error, WW_ERROR_USAGE,
                               "--baseline '%s' is the second of '%s'; expected one", *b,
                               axis->name);
            }
            axis->base = axis->column == (guint)column ? value_named(axis, value) : axis->base;
        }
    }
    return true;
}

static bool fits_base(const Experiment *x, uint32_t combination)
{
    for (guint a = 0; a < x->axes->len; a++) {
        uint32_t base = g_array_index(x->axes, ExperimentAxis, a).base;
        if (base != UINT32_MAX && base != experiment_value(x, combination, a)) {
            return false;
        }
    }
    return true;
}

/* The combination that comes first in the plan and fits, of those with results if there are any. */
static bool choose_base(Experiment *x, GError **error)
{
    g_autofree bool *has = g_new0(bool, (gsize)x->n_combinations + 1);
    int64_t found = -1;
    bool better = false;
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        has[x->runs[r].combination] |= x->runs[r].cycles > 0;
    }
    for (uint32_t r = 0; r < x->table->n_rows && !better; r++) {
        uint32_t c = x->runs[r].combination;
        better = has[c] && fits_base(x, c);
        found = better || (found < 0 && fits_base(x, c)) ? (int64_t)c : found;
    }
    if (found < 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "no run has all values of --baseline together; expected such a combination");
    }
    x->base = (uint32_t)found;
    for (guint a = 0; a < x->axes->len; a++) {
        g_array_index(x->axes, ExperimentAxis, a).base = experiment_value(x, x->base, a);
    }
    return true;
}

static void measure(Experiment *x)
{
    g_autofree uint32_t *n = g_new0(uint32_t, (gsize)x->traces.full->len + 1);
    g_autofree bool *has = g_new0(bool, (gsize)x->n_combinations + 1);
    uint32_t with = 0;
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        ExperimentRun *run = &x->runs[r];
        int64_t base = run->cycles > 0 ? experiment_at(x, run->trace, x->base) : -1;
        if (base >= 0 && x->runs[base].cycles > 0) {
            run->speed_up = x->runs[base].cycles / run->cycles;
            n[run->trace]++;
            with += !has[run->combination];
            has[run->combination] = true;
        }
    }
    x->counted = g_new0(bool, (gsize)x->traces.full->len + 1);
    for (guint t = 0; t < x->traces.full->len; t++) {
        x->counted[t] = with != 0 && n[t] == with;
        x->n_counted += x->counted[t];
        x->without_base += n[t] == 0;
    }
    x->own = x->n_counted == 0;
    for (guint t = 0; x->own && t < x->traces.full->len; t++) {
        x->counted[t] = n[t] != 0;
        x->n_counted += x->counted[t];
    }
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

bool experiment_read(Experiment *x, GError **error)
{
    x->columns = g_ptr_array_new_with_free_func(g_free);
    x->texts = g_string_chunk_new(65536);
    x->cells = g_hash_table_new(NULL, NULL);
    x->over = x->o->over != NULL ? x->o->over : "trace";
    if (!ww_db_hold(x->db, error) || !find_experiment(x, error) || !ask(x, error)) {
        return false;
    }
    read_names(x);
    combine(x);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        if (!place_run(x, r, error)) {
            return false;
        }
    }
    if (!name_base(x, error) || !choose_base(x, error)) {
        return false;
    }
    measure(x);
    return true;
}

void experiment_clear(Experiment *x)
{
    for (guint a = 0; x->axes != NULL && a < x->axes->len; a++) {
        names_clear(&g_array_index(x->axes, ExperimentAxis, a).values);
    }
    g_clear_pointer(&x->axes, g_array_unref);
    names_clear(&x->traces);
    g_clear_pointer(&x->columns, g_ptr_array_unref);
    g_clear_pointer(&x->cells, g_hash_table_unref);
    g_clear_pointer(&x->texts, g_string_chunk_free);
    ww_db_table_free(x->table);
    g_free(x->name);
    g_free(x->source);
    g_free(x->values);
    g_free(x->runs);
    g_free(x->counted);
}
