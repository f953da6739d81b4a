/* SPDX-License-Identifier: Apache-2.0 */
/* Means of an experiment: speed-ups, and what else its runs counted. */
#include "experiment.h"
#include "grid.h"

#include <math.h>
#include <string.h>

/* ---- speed-ups -------------------------------------------------------------------------------------------------- */

/* Values of one row of a table, and the runs at both ends. */
typedef struct Sample {
    GArray *values; /* double */
    uint32_t best, worst;
    double most, least;
} Sample;

static Sample *samples_new(uint32_t n)
{
    Sample *all = g_new0(Sample, (gsize)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (Sample){g_array_new(false, false, sizeof(double)), 0, 0, -INFINITY, INFINITY};
    }
    return all;
}

static void sample_add(Sample *s, double v, uint32_t run)
{
    g_array_append_val(s->values, v);
    s->best = v > s->most ? run : s->best;
    s->worst = v < s->least ? run : s->worst;
    s->most = MAX(s->most, v);
    s->least = MIN(s->least, v);
}

static double mean_of(const Sample *s, CliAverage kind)
{
    return cli_average(kind, (const double *)(const void *)s->values->data, s->values->len);
}

static void samples_free(Sample *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_array_unref(all[i].values);
    }
    g_free(all);
}

/* What tells a run apart from the others of its mean: its trace, and (@p axis >= 0) the other axes. */
static const char *where(const Experiment *x, uint32_t run, int axis)
{
    const ExperimentRun *r = &x->runs[run];
    const char *trace = x->traces.shorter->pdata[r->trace],
               *rest = axis >= 0 ? experiment_name(x, r->combination, axis, false) : "";
    g_autofree char *text = g_strdup_printf("%s%s%s", trace, *rest != '\0' ? ", " : "", rest);
    return g_string_chunk_insert(x->texts, text);
}

static WwReportMean *means_of(const Experiment *x, const Sample *all, uint32_t n, int axis)
{
    WwReportMean *means = g_new0(WwReportMean, (gsize)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Sample *s = &all[i];
        bool some = s->values->len != 0;
        means[i] = (WwReportMean){.speed_up = mean_of(s, CLI_GEOMETRIC),
                                  .n = s->values->len,
                                  .best = some ? s->most : NAN,
                                  .worst = some ? s->least : NAN,
                                  .best_at = some ? where(x, s->best, axis) : NULL,
                                  .worst_at = some ? where(x, s->worst, axis) : NULL};
    }
    return means;
}

/* Is the run one that means of combinations are over? */
static bool counts(const Experiment *x, uint32_t r)
{
    const ExperimentRun *run = &x->runs[r];
    return run->state == WW_REPORT_DONE && x->counted[run->trace] && !isnan(run->speed_up);
}

WwReportMean *experiment_combinations(const Experiment *x)
{
    Sample *all = samples_new(x->n_combinations);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        if (counts(x, r)) {
            sample_add(&all[x->runs[r].combination], x->runs[r].speed_up, r);
        }
    }
    WwReportMean *means = means_of(x, all, x->n_combinations, -1);
    samples_free(all, x->n_combinations);
    return means;
}

/* Of each combination that which differs from it in having the base's value of the axis; UINT32_MAX: there is none. */
static uint32_t *partners(const Experiment *x, guint axis)
{
    guint n = x->axes->len;
    uint32_t base = g_array_index(x->axes, ExperimentAxis, axis).base;
    g_autoptr(GHashTable) with =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    uint32_t *partner = g_new(uint32_t, (gsize)x->n_combinations + 1);
    g_autofree uint32_t *key = g_new0(uint32_t, (gsize)n + 1);
    for (uint32_t c = 0; c < x->n_combinations; c++) {
        if (experiment_value(x, c, axis) == base) {
            g_hash_table_insert(with, g_bytes_new(x->values + (gsize)c * n, n * sizeof *key),
                                GUINT_TO_POINTER(c + 1));
        }
    }
    for (uint32_t c = 0; c < x->n_combinations; c++) {
        memcpy(key, x->values + (gsize)c * n, n * sizeof *key);
        key[axis] = base;
        g_autoptr(GBytes) bytes = g_bytes_new_static(key, n * sizeof *key);
        partner[c] = GPOINTER_TO_UINT(g_hash_table_lookup(with, bytes)) - 1;
    }
    return partner;
}

WwReportMean *experiment_values(const Experiment *x, guint axis)
{
    uint32_t n = g_array_index(x->axes, ExperimentAxis, axis).values.full->len;
    g_autofree uint32_t *partner = partners(x, axis);
    Sample *all = samples_new(n);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const ExperimentRun *run = &x->runs[r];
        uint32_t other = partner[run->combination];
        int64_t base =
            run->cycles > 0 && other != UINT32_MAX ? experiment_at(x, run->trace, other) : -1;
        if (base >= 0 && x->runs[base].cycles > 0) {
            sample_add(&all[experiment_value(x, run->combination, axis)],
                       x->runs[base].cycles / run->cycles, r);
        }
    }
    WwReportMean *means = means_of(x, all, n, (int)axis);
    samples_free(all, n);
    return means;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

/* Sums of statistics of each run: what is asked for, and to which of them it belongs. */
typedef struct Sums {
    GPtrArray *names; /* char *, owned */
    GArray *group;    /* uint32_t */
    uint32_t n;       /* groups */
    double *of;       /* by run and group; NAN: the run has none of it */
} Sums;

static Sums sums_new(uint32_t n)
{
    return (Sums){g_ptr_array_new_with_free_func(g_free),
                  g_array_new(false, false, sizeof(uint32_t)), n, NULL};
}

static void sums_clear(Sums *s)
{
    g_ptr_array_unref(s->names);
    g_array_unref(s->group);
    g_free(s->of);
}

static void sums_name(Sums *s, const char *name, uint32_t group)
{
    g_ptr_array_add(s->names, g_strdup(name));
    g_array_append_val(s->group, group);
}

/* The statistic, if the database has it. */
static bool sums_find(const Experiment *x, Sums *s, const char *name, uint32_t group,
                      GError **error)
{
    g_auto(GStrv) found = ww_db_statistics(x->db, name, error);
    if (found != NULL && *found != NULL) {
        sums_name(s, name, group);
    }
    return found != NULL;
}

/* Asks for all of them at once. The database is held, and but for the columns the question is that of x->table: so are rows and their order. */
static bool sums_read(const Experiment *x, Sums *s, GError **error)
{
    guint n = s->names->len;
    g_ptr_array_add(s->names, NULL);
    s->of = g_new(double, (gsize)x->table->n_rows * s->n + 1);
    for (gsize i = 0; i < (gsize)x->table->n_rows * s->n; i++) {
        s->of[i] = NAN;
    }
    if (n == 0) {
        return true;
    }
    const WwDbQuery query = {.columns = (const char *const *)s->names->pdata,
                             .where = (const char *const *)x->o->runs.where,
                             .experiment = x->name,
                             .all = true};
    g_autoptr(WwDbTable) t = ww_db_select(x->db, &query, error);
    for (uint32_t r = 0; t != NULL && r < t->n_rows; r++) {
        for (guint c = 0; c < n; c++) {
            const WwDbValue *v = ww_db_at(t, r, c);
            double *sum = &s->of[(gsize)r * s->n + g_array_index(s->group, uint32_t, c)];
            if (v->kind == WW_DB_NUMBER) {
                *sum = (isnan(*sum) ? 0 : *sum) + v->number;
            }
        }
    }
    return t != NULL;
}

/* ---- issue slots ------------------------------------------------------------------------------------------------ */

static uint32_t label_of(const Experiment *x, GPtrArray *labels, const char *label)
{
    guint at;
    if (!g_ptr_array_find_with_equal_func(labels, label, g_str_equal, &at)) {
        at = labels->len;
        g_ptr_array_add(labels, g_string_chunk_insert(x->texts, label));
    }
    return at;
}

/* Those of all schedulers of the database. */
static bool find_slots(const Experiment *x, Sums *s, GPtrArray *labels, GError **error)
{
    g_auto(GStrv) all = ww_db_statistics(x->db, NULL, error);
    label_of(x, labels, "issued");
    for (char **name = all; name != NULL && *name != NULL; name++) {
        const char *label = ww_report_slot(*name);
        if (label != NULL) {
            sums_name(s, *name, label_of(x, labels, label));
        }
    }
    return all != NULL;
}

/* The part of a run's cycles in which no SM had a CTA. Schedulers do not count slots then. */
static double asleep(const Experiment *x, uint32_t r)
{
    const WwDbValue *launch = ww_db_at(x->table, r, x->launch);
    double part = launch->kind == WW_DB_NUMBER ? launch->number / x->runs[r].cycles : 0;
    return CLAMP(part, 0, 1);
}

/* Shares of each run become means of its combination. */
static void add_shares(const Experiment *x, const Sums *s, uint32_t at_asleep, double *shares)
{
    g_autofree uint32_t *n = g_new0(uint32_t, (gsize)x->n_combinations + 1);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const double *own = s->of + (gsize)r * s->n;
        double all = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            all += isnan(own[i]) ? 0 : own[i];
        }
        if (!counts(x, r) || !(all > 0)) {
            continue;
        }
        n[x->runs[r].combination]++;
        double *mean = shares + (gsize)x->runs[r].combination * s->n, idle = asleep(x, r);
        for (uint32_t i = 0; i < s->n; i++) {
            mean[i] += isnan(own[i]) ? 0 : (1 - idle) * (own[i] / all);
        }
        mean[at_asleep] += idle;
    }
    for (gsize i = 0; i < (gsize)x->n_combinations * s->n; i++) {
        uint32_t runs = n[i / s->n];
        shares[i] = runs != 0 ? shares[i] / runs : NAN;
    }
}

static bool read_slots(const Experiment *x, ExperimentFigures *f, GError **error)
{
    Sums s = sums_new(0);
    f->labels = g_ptr_array_new();
    bool good = find_slots(x, &s, f->labels, error);
    uint32_t at_asleep = label_of(x, f->labels, WW_REPORT_ASLEEP);
    s.n = f->labels->len;
    f->shares = g_new0(double, (gsize)x->n_combinations *s.n + 1);
    good = good && sums_read(x, &s, error);
    if (good) {
        add_shares(x, &s, at_asleep, f->shares);
    }
    sums_clear(&s);
    return good;
}

/* ---- other figures ---------------------------------------------------------------------------------------------- */

/* A column of figures: the mean over the runs of each combination. Where no run has any it is left out. */
static void add_figure(const Experiment *x, ExperimentFigures *f, const WwReportFigure *figure,
                       const double *of, CliAverage kind)
{
    Sample *all = samples_new(x->n_combinations);
    bool some = false;
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        if (counts(x, r) && !isnan(of[r])) {
            sample_add(&all[x->runs[r].combination], of[r], r);
            some = true;
        }
    }
    for (uint32_t c = 0; some && c < x->n_combinations; c++) {
        f->values[(gsize)c * G_N_ELEMENTS(f->figures) + f->n_figures] = mean_of(&all[c], kind);
    }
    if (some) {
        f->figures[f->n_figures++] = *figure;
    }
    samples_free(all, x->n_combinations);
}

/* The ratio of sums: of group @p above by group @p below. */
static void add_ratio(const Experiment *x, ExperimentFigures *f, const WwReportFigure *figure,
                      const Sums *s, uint32_t above, uint32_t below)
{
    g_autofree double *of = g_new(double, (gsize)x->table->n_rows + 1);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        double v = s->of[(gsize)r * s->n + above], w = s->of[(gsize)r * s->n + below];
        of[r] = w > 0 ? (isnan(v) ? 0 : v) / w : NAN;
    }
    add_figure(x, f, figure, of, CLI_ARITHMETIC);
}

/* What is summed for them. Hits are accesses, too. */
enum {
    L1_HITS,
    L1_OTHERS,
    L2_HITS,
    L2_OTHERS,
    LATENCY,
    RESPONSES,
    ROW_HITS,
    SELECTIONS,
    COMMANDS,
    L1_ALL,
    L2_ALL,
    KILOCYCLES,
    GROUPS
};

static bool find_hits(const Experiment *x, Sums *s, const char *type, uint32_t hits,
                      uint32_t others, GError **error)
{
    g_autofree char *pattern = g_strdup_printf("%s.outcomes.*", type);
    g_auto(GStrv) found = ww_db_statistics(x->db, pattern, error);
    for (char **f = found; f != NULL && *f != NULL; f++) {
        WwReportAccess access = ww_report_access(type, *f + strlen(pattern) - 1);
        if (access != WW_REPORT_NO_ACCESS) {
            sums_name(s, *f, access == WW_REPORT_HIT ? hits : others);
        }
    }
    return found != NULL;
}

static bool find_sums(const Experiment *x, Sums *s, GError **error)
{
    static const struct {
        const char *name;
        uint32_t group;
    } wanted[] = {{"cluster_port.latency_sum", LATENCY},
                  {"cluster_port.responses", RESPONSES},
                  {"dram.frfcfs.row_hits", ROW_HITS},
                  {"dram.frfcfs.selections", SELECTIONS}};
    bool good = find_hits(x, s, "cache.l1", L1_HITS, L1_OTHERS, error) &&
                find_hits(x, s, "cache.l2", L2_HITS, L2_OTHERS, error);
    for (size_t i = 0; good && i < G_N_ELEMENTS(wanted); i++) {
        good = sums_find(x, s, wanted[i].name, wanted[i].group, error);
    }
    for (const char *const *c = ww_report_dram_commands; good && *c != NULL; c++) {
        good = sums_find(x, s, *c, COMMANDS, error);
    }
    return good;
}

static void add_up(double *of, uint32_t to, uint32_t one, uint32_t other)
{
    of[to] = isnan(of[one]) ? of[other] : of[one] + (isnan(of[other]) ? 0 : of[other]);
}

static bool add_memory(const Experiment *x, ExperimentFigures *f, GError **error)
{
    static const struct {
        WwReportFigure figure;
        uint32_t above, below;
    } wanted[] = {{{"L1D hits", true, 1}, L1_HITS, L1_ALL},
                  {{"L2 hits", true, 1}, L2_HITS, L2_ALL},
                  {{"latency beyond the L1, mean cycles", false, 1}, LATENCY, RESPONSES},
                  {{"DRAM accesses per 1,000 cycles", false, 1}, COMMANDS, KILOCYCLES},
                  {{"DRAM row hits", true, 1}, ROW_HITS, SELECTIONS}};
    Sums s = sums_new(GROUPS);
    bool good = find_sums(x, &s, error) && sums_read(x, &s, error);
    for (uint32_t r = 0; good && r < x->table->n_rows; r++) {
        double *of = s.of + (gsize)r * GROUPS;
        add_up(of, L1_ALL, L1_HITS, L1_OTHERS);
        add_up(of, L2_ALL, L2_HITS, L2_OTHERS);
        of[KILOCYCLES] = isnan(of[COMMANDS]) ? NAN : x->runs[r].cycles / 1000;
    }
    for (size_t i = 0; good && i < G_N_ELEMENTS(wanted); i++) {
        add_ratio(x, f, &wanted[i].figure, &s, wanted[i].above, wanted[i].below);
    }
    sums_clear(&s);
    return good;
}

bool experiment_figures(const Experiment *x, ExperimentFigures *f, GError **error)
{
    gsize n = (gsize)x->n_combinations * G_N_ELEMENTS(f->figures);
    g_autofree double *ipc = g_new(double, (gsize)x->table->n_rows + 1);
    *f = (ExperimentFigures){.values = g_new(double, n + 1)};
    for (gsize i = 0; i < n; i++) {
        f->values[i] = NAN;
    }
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        const WwDbValue *v = ww_db_at(x->table, r, x->ipc);
        ipc[r] = v->kind == WW_DB_NUMBER ? v->number : NAN;
    }
    add_figure(x, f, &(WwReportFigure){"IPC", false, 2}, ipc, CLI_GEOMETRIC);
    return read_slots(x, f, error) && add_memory(x, f, error);
}

void experiment_figures_clear(ExperimentFigures *f)
{
    g_clear_pointer(&f->labels, g_ptr_array_unref);
    g_free(f->shares);
    g_free(f->values);
}
