/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright report FILE.db`: what the page of an experiment says, from its runs. */
#include "experiment.h"

#include <math.h>
#include <report/report.h>
#include <string.h>

/* Of writing one page. */
typedef struct Making {
    const Experiment *x;
    ExperimentFigures figures;
    GArray *axes, *failures, *commands; /* WwReportAxis, WwReportFailure, WwReportCommand */
    WwReportCombination *combinations;
    WwReportTrace *traces;
    GPtrArray *values; /* of axes, to be freed */
    WwReportExperiment e;
} Making;

static WwReportCell cell_at(const void *user, uint32_t trace, uint32_t combination)
{
    const Experiment *x = user;
    int64_t at = experiment_at(x, trace, combination);
    if (at < 0) {
        return (WwReportCell){.state = WW_REPORT_NO_RUN, .cycles = NAN, .speed_up = NAN};
    }
    const ExperimentRun *r = &x->runs[at];
    const WwDbValue *number = ww_db_at(x->table, (uint32_t)at, x->number);
    return (WwReportCell){.state = r->state,
                          .partial = r->partial,
                          .cycles = r->cycles,
                          .speed_up = r->speed_up,
                          .number = number->kind == WW_DB_NUMBER ? (uint64_t)number->number : 0};
}

/* ---- how many, and why not --------------------------------------------------------------------------------------- */

static void count(Making *m)
{
    const Experiment *x = m->x;
    WwReportExperiment *e = &m->e;
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const ExperimentRun *run = &x->runs[r];
        bool done = run->state == WW_REPORT_DONE;
        e->done += done;
        e->failed += run->state == WW_REPORT_FAILED;
        e->running += run->state == WW_REPORT_RUNNING;
        e->partial += done && run->partial;
        e->noted += done && ww_db_is(x->table, r, WW_DB_NOTED);
    }
    e->note = x->table->note;
    e->absent = (uint64_t)x->traces.full->len * x->n_combinations - g_hash_table_size(x->cells);
}

static int most_first(gconstpointer a, gconstpointer b)
{
    const WwReportFailure *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->error, y->error);
}

/* A run by its trace and its values. */
static const char *run_name(const Experiment *x, uint32_t r)
{
    const char *rest = experiment_name(x, x->runs[r].combination, -1, true);
    g_autofree char *trace = cli_runs_text(ww_db_at(x->table, r, x->trace)),
                    *text = g_strdup_printf("%s=%s%s%s", x->over, trace, *rest != '\0' ? " " : "",
                                            rest);
    return g_string_chunk_insert(x->texts, text);
}

static void group_failures(Making *m)
{
    const Experiment *x = m->x;
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    m->failures = g_array_new(false, false, sizeof(WwReportFailure));
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const char *text = ww_db_at(x->table, r, x->error)->text;
        if (x->runs[r].state != WW_REPORT_FAILED) {
            continue;
        }
        text = text != NULL && *text != '\0' ? text : "no reason is known";
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, text));
        if (at == 0) {
            WwReportFailure one = {text, run_name(x, r), 0};
            g_array_append_val(m->failures, one);
            at = m->failures->len;
            g_hash_table_insert(known, (gpointer)text, GUINT_TO_POINTER(at));
        }
        g_array_index(m->failures, WwReportFailure, at - 1).n++;
    }
    g_array_sort(m->failures, most_first);
    m->e.failures = (const WwReportFailure *)(void *)m->failures->data;
    m->e.n_failures = m->failures->len;
}

/* Versions of the program, and what else is the same in all runs. */
static void describe(Making *m)
{
    const Experiment *x = m->x;
    g_autoptr(GString) versions = g_string_new(NULL), same = g_string_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < x->n_apart; i++) {
        const char *name = x->columns->pdata[i];
        bool is_version = strcmp(name, "version") == 0, varies = i == x->trace;
        for (guint a = 0; a < x->axes->len; a++) {
            varies |= g_array_index(x->axes, ExperimentAxis, a).column == i;
        }
        for (uint32_t r = 0; is_version && r < x->table->n_rows; r++) {
            const char *text = ww_db_at(x->table, r, i)->text;
            if (text != NULL && g_hash_table_add(seen, g_strdup(text))) {
                g_string_append_printf(versions, "%s%s", versions->len != 0 ? ", " : "", text);
            }
        }
        if (!varies && !is_version) {
            g_autofree char *value = cli_runs_text(ww_db_at(x->table, 0, i));
            g_string_append_printf(same, "%s%s=%s", same->len != 0 ? " " : "", name, value);
        }
    }
    m->e.versions = g_string_chunk_insert(x->texts, versions->str);
    m->e.same = g_string_chunk_insert(x->texts, same->str);
}

/* ---- means ------------------------------------------------------------------------------------------------------ */

/* Names as a list behind one option. */
static void over_all_but(const Experiment *x, guint without, GString *out)
{
    g_string_append(out, x->over);
    for (guint a = 0; a < x->axes->len; a++) {
        if (a != without) {
            g_string_append_printf(out, ",%s", g_array_index(x->axes, ExperimentAxis, a).name);
        }
    }
}

static void add_word(GPtrArray *words, const char *word)
{
    g_ptr_array_add(words, g_strdup(word));
}

/* "warpwright WHAT FILE.db -e NAME", to which more is added. */
static GPtrArray *command_new(const Experiment *x, const char *what)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) parts = g_strsplit(what, " ", -1);
    add_word(words, "warpwright");
    for (char **p = parts; *p != NULL; p++) {
        add_word(words, *p);
    }
    add_word(words, ww_db_path(x->db));
    add_word(words, "-e");
    add_word(words, x->name);
    return words;
}

/* The same of the runs that the page shows. */
static GPtrArray *question_new(const Experiment *x, const char *what)
{
    GPtrArray *words = command_new(x, what);
    for (char **w = x->o->runs.where; w != NULL && *w != NULL; w++) {
        add_word(words, "--where");
        add_word(words, *w);
    }
    return words;
}

static const char *command_end(const Experiment *x, GPtrArray *words)
{
    g_ptr_array_add(words, NULL);
    g_autofree char *line = ww_report_command((const char *const *)words->pdata);
    g_ptr_array_unref(words);
    return g_string_chunk_insert(x->texts, line);
}

static void add_baseline(const Experiment *x, guint axis, GPtrArray *words)
{
    const ExperimentAxis *of = &g_array_index(x->axes, ExperimentAxis, axis);
    add_word(words, "--baseline");
    g_ptr_array_add(words,
                    g_strdup_printf("%s=%s", of->name, (char *)of->values.full->pdata[of->base]));
}

/* An axis name that holds a comma cannot be asked for with others. */
static const char *values_command(const Experiment *x, guint axis)
{
    g_autoptr(GString) over = g_string_new(NULL);
    for (guint a = 0; a < x->axes->len; a++) {
        if (strchr(g_array_index(x->axes, ExperimentAxis, a).name, ',') != NULL) {
            return NULL;
        }
    }
    over_all_but(x, axis, over);
    GPtrArray *words = question_new(x, "table");
    add_word(words, "--rows");
    add_word(words, g_array_index(x->axes, ExperimentAxis, axis).name);
    add_baseline(x, axis, words);
    add_word(words, "--over");
    add_word(words, over->str);
    return command_end(x, words);
}

static void add_axes(Making *m)
{
    const Experiment *x = m->x;
    m->axes = g_array_new(false, false, sizeof(WwReportAxis));
    m->values = g_ptr_array_new_with_free_func(g_free);
    for (guint a = 0; a < x->axes->len; a++) {
        const ExperimentAxis *axis = &g_array_index(x->axes, ExperimentAxis, a);
        uint32_t n = axis->values.full->len;
        g_autofree WwReportMean *means = experiment_values(x, a);
        WwReportValue *values = g_new0(WwReportValue, (gsize)n + 1);
        for (uint32_t v = 0; v < n; v++) {
            values[v] = (WwReportValue){axis->values.shorter->pdata[v], axis->values.full->pdata[v],
                                        means[v]};
        }
        WwReportAxis one = {axis->name, values, n, axis->base, values_command(x, a)};
        g_array_append_val(m->axes, one);
        g_ptr_array_add(m->values, values);
    }
    m->e.axes = (const WwReportAxis *)(void *)m->axes->data;
    m->e.n_axes = m->axes->len;
}

static void add_combinations(Making *m)
{
    const Experiment *x = m->x;
    guint labels = m->figures.labels->len;
    g_autofree WwReportMean *means = experiment_combinations(x);
    m->combinations = g_new0(WwReportCombination, (gsize)x->n_combinations + 1);
    for (uint32_t c = 0; c < x->n_combinations; c++) {
        const char *name = experiment_name(x, c, -1, false);
        const double *shares = m->figures.shares + (gsize)c * labels;
        m->combinations[c] = (WwReportCombination){
            .name = *name != '\0' ? name : "all",
            .full = experiment_name(x, c, -1, true),
            .mean = means[c],
            .shares = labels != 0 && !isnan(shares[0]) ? shares : NULL,
            .figures = m->figures.values + (gsize)c * G_N_ELEMENTS(m->figures.figures)};
    }
    m->e.combinations = m->combinations;
    m->e.n_combinations = x->n_combinations;
    m->e.base = x->base;
}

static void add_traces(Making *m)
{
    const Experiment *x = m->x;
    guint n = x->traces.full->len;
    g_autofree double *least = g_new(double, (gsize)n + 1);
    m->traces = g_new0(WwReportTrace, (gsize)n + 1);
    for (guint t = 0; t < n; t++) {
        m->traces[t] =
            (WwReportTrace){x->traces.shorter->pdata[t], x->traces.full->pdata[t], NAN, NAN};
        least[t] = INFINITY;
    }
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const ExperimentRun *run = &x->runs[r];
        if (!isnan(run->speed_up)) {
            WwReportTrace *of = &m->traces[run->trace];
            of->best = isnan(of->best) ? run->speed_up : MAX(of->best, run->speed_up);
            least[run->trace] = MIN(least[run->trace], run->speed_up);
            of->spread = of->best / least[run->trace];
        }
    }
    m->e.traces = m->traces;
    m->e.n_traces = n;
    m->e.n_counted = x->n_counted;
    m->e.own = x->own;
    m->e.without_base = x->without_base;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static void add_command(Making *m, const char *what, const char *line)
{
    WwReportCommand one = {g_string_chunk_insert(m->x->texts, what), line};
    g_array_append_val(m->commands, one);
}

/* The table of all runs: the last axis in the columns, the others as in the base. */
static void add_tables(Making *m)
{
    const Experiment *x = m->x;
    guint n = x->axes->len;
    static const char *const kinds[][2] = {{"table", "As a table, all of it"},
                                           {"plot", "As a picture (-o FILE.svg, FILE.pdf)"}};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds) && n != 0; k++) {
        GPtrArray *words = question_new(x, kinds[k][0]);
        for (guint a = 0; a + 1 < n; a++) {
            const ExperimentAxis *axis = &g_array_index(x->axes, ExperimentAxis, a);
            add_word(words, "--where");
            g_ptr_array_add(words, g_strdup_printf("%s=%s", axis->name,
                                                   (char *)axis->values.full->pdata[axis->base]));
        }
        add_word(words, "--rows");
        add_word(words, x->over);
        add_word(words, "--columns");
        add_word(words, g_array_index(x->axes, ExperimentAxis, n - 1).name);
        add_baseline(x, n - 1, words);
        g_autofree char *what = g_strdup_printf(
            "%s%s", kinds[k][1], n > 1 ? ", with the base's values of the other axes" : "");
        add_command(m, what, command_end(x, words));
    }
}

static bool add_run(Making *m, const char *what, int64_t run, GError **error)
{
    const Experiment *x = m->x;
    g_auto(GStrv) words = NULL;
    if (run < 0) {
        return true;
    }
    const char *key = ww_db_at(x->table, (uint32_t)run, x->key)->text;
    if (!ww_db_command(x->db, x->name, key != NULL ? key : "", &words, error)) {
        return false;
    }
    if (words != NULL && *words != NULL) {
        g_autofree char *line = ww_report_command((const char *const *)words),
                        *all = g_strdup_printf("%s --intervals 1000 --pcs -o FILE.json", line),
                        *title = g_strdup_printf("%s: %s", what, run_name(x, (uint32_t)run));
        add_command(m, title, g_string_chunk_insert(x->texts, all));
    }
    return true;
}

/* The run of the largest speed-up, and of the least; the base's of the same traces. */
static bool add_runs(Making *m, GError **error)
{
    const Experiment *x = m->x;
    int64_t best = -1, worst = -1;
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        double v = x->runs[r].speed_up;
        if (!isnan(v) && x->runs[r].combination != x->base) {
            best = best < 0 || v > x->runs[best].speed_up ? (int64_t)r : best;
            worst = worst < 0 || v < x->runs[worst].speed_up ? (int64_t)r : worst;
        }
    }
    int64_t base =
        best >= 0 ? experiment_at(x, x->runs[best].trace, x->base) : experiment_at(x, 0, x->base);
    return add_run(m, "The run of the largest speed-up, with all details", best, error) &&
           add_run(m, "Its base", base, error) &&
           (worst == best || add_run(m, "The run of the least speed-up", worst, error));
}

static bool add_commands(Making *m, GError **error)
{
    const Experiment *x = m->x;
    m->commands = g_array_new(false, false, sizeof(WwReportCommand));
    add_tables(m);
    add_command(m, "Each run, with the errors of those that failed",
                command_end(x, command_new(x, "db list")));
    if (!add_runs(m, error)) {
        return false;
    }
    add_command(m, "Two such results side by side",
                "warpwright report BASE.json FILE.json -o both.html");
    m->e.commands = (const WwReportCommand *)(void *)m->commands->data;
    m->e.n_commands = m->commands->len;
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void clear(Making *m)
{
    experiment_figures_clear(&m->figures);
    g_clear_pointer(&m->axes, g_array_unref);
    g_clear_pointer(&m->failures, g_array_unref);
    g_clear_pointer(&m->commands, g_array_unref);
    g_clear_pointer(&m->values, g_ptr_array_unref);
    g_free(m->combinations);
    g_free(m->traces);
}

bool experiment_page(const Experiment *x, FILE *out, GError **error)
{
    Making m = {.x = x,
                .e = {.file = ww_db_path(x->db),
                      .name = x->name,
                      .source = x->source,
                      .over = x->over,
                      .cell = cell_at,
                      .user = x}};
    bool good = experiment_figures(x, &m.figures, error) && add_commands(&m, error);
    if (good) {
        count(&m);
        describe(&m);
        group_failures(&m);
        add_axes(&m);
        add_combinations(&m);
        add_traces(&m);
        m.e.labels = (const char *const *)m.figures.labels->pdata;
        m.e.n_labels = m.figures.labels->len;
        m.e.figures = m.figures.figures;
        m.e.n_figures = m.figures.n_figures;
        ww_report_experiment_write(&m.e, "warpwright " WW_VERSION, out);
    }
    clear(&m);
    return good;
}
