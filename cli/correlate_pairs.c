/* SPDX-License-Identifier: Apache-2.0 */
/* Which measured kernel belongs to which simulated one. */
#include "correlate.h"

#include <math.h>
#include <string.h>

#define TRACE "{trace}"

/* What was measured of one trace: the mean of its files. */
typedef struct Measured {
    GArray *kernels; /* Mean */
    char *path;      /* of the first file, for errors */
    guint files;
    uint32_t most; /* the highest number that was simulated */
} Measured;
typedef struct Mean {
    char *name;
    double sum;
    uint32_t line; /* in the first file */
} Mean;

typedef struct Build {
    const CorrelateOptions *o;
    Correlation *c;
    WwDbTable *t;
    GPtrArray *names; /* of columns of the query, char * */
    guint n_axes;
    int series, number, kernel, trace, measure; /* columns; series -1: none */
    GPtrArray *texts;     /* traces, as results have them, each once; char * */
    GPtrArray *labels;    /* and as they are shown */
    GHashTable *measured; /* by text: Measured */
    GHashTable *seen;     /* keys of pairs: row + 1 */
} Build;

static void free_measured(gpointer data)
{
    Measured *m = data;
    for (guint i = 0; i < m->kernels->len; i++) {
        g_free(g_array_index(m->kernels, Mean, i).name);
    }
    g_array_unref(m->kernels);
    g_free(m->path);
    g_free(m);
}

/* ---- measured figures -------------------------------------------------------------------------------------------- */

/* Column names of all files are one. */
static bool take_column(Build *b, const CliMeasured *m, GError **error)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double scale = b->o->scale;
    g_autofree char *column =
        scale == 1  ? g_strdup(m->column)
        : scale > 1 ? g_strconcat(m->column, "*",
                                  g_ascii_formatd(number, sizeof number, "%.9g", scale), NULL)
                    : g_strconcat(m->column, "/",
                                  g_ascii_formatd(number, sizeof number, "%.9g", 1 / scale), NULL);
    if (b->c->column != NULL && strcmp(b->c->column, column) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has '%s', another file '%s'; expected the same of all, or --column",
                       m->path, column, b->c->column);
    }
    if (b->c->column == NULL) {
        b->c->column = g_steal_pointer(&column);
    }
    return true;
}

/* The kernels of @p m that are of trace @p text, or all (NULL), as one more measurement of @p of. */
static bool add_measurement(Build *b, const CliMeasured *m, const char *text, const char *of,
                            GError **error)
{
    Measured *all = g_hash_table_lookup(b->measured, of);
    bool first = all == NULL;
    if (first) {
        all = g_new0(Measured, 1);
        all->path = g_strdup(m->path);
        all->kernels = g_array_new(false, false, sizeof(Mean));
    }
    guint n = 0;
    for (guint i = 0; i < m->kernels->len; i++) {
        const CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, i);
        if (text != NULL && !ww_db_stands_for(k->trace, text)) {
            continue;
        }
        if (first) {
            Mean mean = {g_strdup(k->name), k->value * b->o->scale, k->line};
            g_array_append_val(all->kernels, mean);
        } else if (n < all->kernels->len) {
            Mean *mean = &g_array_index(all->kernels, Mean, n);
            if (!cli_measured_same(mean->name, k->name)) {
                return ww_fail(error, WW_ERROR_INPUT,
                               "%s:%u: kernel %u is '%s', and '%s' in %s:%u; expected the same "
                               "kernels in each file of a trace",
                               m->path, k->line, n + 1, k->name, mean->name, all->path, mean->line);
            }
            mean->sum += k->value * b->o->scale;
        }
        n++;
    }
    if (!first && n != all->kernels->len) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s has %u kernels of trace '%s', %s has %u; expected as many in each file",
                       m->path, n, of, all->path, all->kernels->len);
    }
    all->files++;
    if (first && n != 0) {
        g_hash_table_insert(b->measured, g_strdup(of), all);
    } else if (first) {
        free_measured(all);
    }
    return true;
}

/* A file of all traces, of which its column `trace` says which; or of the only one. */
static bool add_of_any(Build *b, const CliMeasured *m, GError **error)
{
    const CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, 0);
    if (k->trace == NULL && b->texts->len != 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--hardware '%s' is for one trace, and these runs are of %u; expected "
                       "TRACE=FILE, {trace} in its name, or a column 'trace' in it",
                       m->path, b->texts->len);
    }
    for (guint i = 0; i < b->texts->len; i++) {
        const char *text = b->texts->pdata[i];
        if (!add_measurement(b, m, k->trace != NULL ? text : NULL, text, error)) {
            return false;
        }
    }
    return true;
}

static bool add_file(Build *b, const char *path, const char *of, GError **error)
{
    CliMeasured *m = cli_measured_read(path, b->o->column, error);
    bool good = m != NULL && take_column(b, m, error) &&
                (of == NULL ? add_of_any(b, m, error) : add_measurement(b, m, NULL, of, error));
    cli_measured_free(m);
    return good;
}

/* "hw/{trace}.csv": a file for each trace, of which some may lack one. */
static bool add_each(Build *b, const char *pattern, GError **error)
{
    for (guint i = 0; i < b->texts->len; i++) {
        g_auto(GStrv) parts = g_strsplit(pattern, TRACE, -1);
        g_autofree char *path = g_strjoinv(b->labels->pdata[i], parts);
        if (g_file_test(path, G_FILE_TEST_EXISTS) &&
            !add_file(b, path, b->texts->pdata[i], error)) {
            return false;
        }
    }
    return true;
}

/* "TRACE=FILE". */
static bool add_named(Build *b, const char *word, const char *equals, GError **error)
{
    g_autofree char *name = g_strndup(word, (gsize)(equals - word));
    bool any = false;
    for (guint i = 0; i < b->texts->len; i++) {
        const char *text = b->texts->pdata[i];
        if (ww_db_stands_for(name, text) || strcmp(name, b->labels->pdata[i]) == 0) {
            any = true;
            if (!add_file(b, equals + 1, text, error)) {
                return false;
            }
        }
    }
    if (any) {
        return true;
    }
    g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < b->labels->len; i++) {
        g_hash_table_add(values, b->labels->pdata[i]);
    }
    g_autofree char *instead = cli_runs_instead(values, name);
    return ww_fail(error, WW_ERROR_USAGE, "--hardware '%s': no run is of trace '%s'%s", word, name,
                   instead);
}

static bool read_hardware(Build *b, GError **error)
{
    for (char **word = b->o->hardware; *word != NULL; word++) {
        const char *equals = strchr(*word, '=');
        bool file = equals == NULL || g_file_test(*word, G_FILE_TEST_EXISTS);
        if (strstr(*word, TRACE) != NULL ? !add_each(b, *word, error)
            : file                       ? !add_file(b, *word, NULL, error)
                                         : !add_named(b, *word, equals, error)) {
            return false;
        }
    }
    if (g_hash_table_size(b->measured) == 0) {
        g_autofree char *name = cli_cut(b->labels->pdata[0], 60);
        return ww_fail(error, WW_ERROR_USAGE,
                       "--hardware '%s' has nothing of the %u traces of these runs, '%s' first; "
                       "expected figures of some",
                       b->o->hardware[0], b->texts->len, name);
    }
    return true;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int name_at(Build *b, const char *name)
{
    for (guint i = 0; i < b->names->len; i++) {
        if (strcmp(b->names->pdata[i], name) == 0) {
            return (int)i;
        }
    }
    g_ptr_array_add(b->names, g_strdup(name));
    return (int)b->names->len - 1;
}

static bool ask(Build *b, WwDb *db, GError **error)
{
    g_auto(GStrv) axes = ww_db_axes(db, b->o->runs.experiment, error);
    if (axes == NULL || !cli_grid_check_figure(db, "--measure", b->c->measure, error)) {
        return false;
    }
    for (char **a = axes; *a != NULL; a++) {
        name_at(b, *a);
    }
    name_at(b, "config");
    name_at(b, "experiment");
    name_at(b, "version");
    b->n_axes = b->names->len;
    b->trace = name_at(b, "trace");
    b->kernel = name_at(b, "kernel");
    b->number = name_at(b, "kernel_number");
    b->measure = name_at(b, b->c->measure);
    b->series = b->o->columns != NULL ? name_at(b, b->o->columns) : -1;
    g_ptr_array_add(b->names, NULL);
    const WwDbQuery query = {.columns = (const char *const *)b->names->pdata,
                             .where = (const char *const *)b->o->runs.where,
                             .experiment = b->o->runs.experiment,
                             .kernels = true};
    b->t = ww_db_select(db, &query, error);
    if (b->t != NULL && b->t->n_rows == 0) {
        return cli_runs_fail_none(db, &b->o->runs, true, b->t->unfinished, error);
    }
    return b->t != NULL;
}

static const char *text_at(const Build *b, uint32_t row, int column)
{
    const char *text = ww_db_at(b->t, row, (uint32_t)column)->text;
    return text != NULL ? text : "";
}

static void find_traces(Build *b)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t r = 0; r < b->t->n_rows; r++) {
        const char *text = text_at(b, r, b->trace);
        if (g_hash_table_add(known, (gpointer)text)) {
            g_ptr_array_add(b->texts, g_strdup(text));
            g_ptr_array_add(b->labels, g_strdup(text));
        }
    }
    cli_short_names(b->labels, "trace");
    if (b->labels->len == 1) {
        char *whole = b->labels->pdata[0];
        b->labels->pdata[0] = g_strdup(cli_short_name(whole));
        g_free(whole);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static guint series_of(Build *b, uint32_t row)
{
    g_autofree char *name =
        b->series < 0 ? g_strdup("all") : cli_runs_text(ww_db_at(b->t, row, (uint32_t)b->series));
    for (guint i = 0; i < b->c->series->len; i++) {
        if (strcmp(b->c->series->pdata[i], name) == 0) {
            return i;
        }
    }
    g_ptr_array_add(b->c->series, g_steal_pointer(&name));
    return b->c->series->len - 1;
}

/* Two runs of one series have the same kernel: what they differ in is told. */
static bool fail_twice(const Build *b, uint32_t one, uint32_t other, GError **error)
{
    const char *name = "number";
    for (guint i = b->n_axes; i-- > 0;) {
        g_autofree char *x = cli_runs_text(ww_db_at(b->t, one, i)),
                        *y = cli_runs_text(ww_db_at(b->t, other, i));
        name = strcmp(x, y) != 0 ? b->names->pdata[i] : name;
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "several runs of trace '%s' differ in '%s'; expected --columns %s, or --where "
                   "%s=...",
                   text_at(b, one, b->trace), name, name, name);
}

static char *label_of(const Build *b, const char *text)
{
    for (guint i = 0; i < b->texts->len; i++) {
        if (strcmp(b->texts->pdata[i], text) == 0) {
            return g_strdup(b->labels->pdata[i]);
        }
    }
    return g_strdup(text);
}

/* The pair of kernels, or, where kernels are added up, that of its trace. */
static void add_pair(Build *b, guint series, uint32_t row, uint32_t number, double ours,
                     double theirs)
{
    const char *trace = text_at(b, row, b->trace);
    CorrelatePair pair = {.series = series,
                          .number = b->o->traces ? 0 : number,
                          .trace = label_of(b, trace),
                          .kernel = g_strdup(b->o->traces ? "" : text_at(b, row, b->kernel)),
                          .ours = ours,
                          .theirs = theirs};
    for (guint i = 0; b->o->traces && i < b->c->pairs->len; i++) {
        CorrelatePair *p = &g_array_index(b->c->pairs, CorrelatePair, i);
        if (p->series == series && strcmp(p->trace, pair.trace) == 0) {
            p->ours += ours;
            p->theirs += theirs;
            g_free(pair.trace);
            g_free(pair.kernel);
            return;
        }
    }
    g_array_append_val(b->c->pairs, pair);
}

static bool pair_row(Build *b, uint32_t row, GError **error)
{
    const WwDbValue *v = ww_db_at(b->t, row, (uint32_t)b->measure),
                    *n = ww_db_at(b->t, row, (uint32_t)b->number);
    const char *trace = text_at(b, row, b->trace), *kernel = text_at(b, row, b->kernel);
    Measured *m = g_hash_table_lookup(b->measured, trace);
    if (m == NULL || n->kind != WW_DB_NUMBER || n->number < 1 || n->number > UINT32_MAX) {
        return true;
    }
    if (v->kind != WW_DB_NUMBER) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--measure '%s' of kernel '%s' of trace '%s' is %s; expected a figure",
                       b->c->measure, kernel, trace,
                       v->kind == WW_DB_TEXT ? "a text" : "not there");
    }
    uint32_t number = (uint32_t)n->number;
    guint series = series_of(b, row);
    g_autofree char *key = g_strdup_printf("%u\x1f%u\x1f%s", series, number, trace);
    uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(b->seen, key));
    if (before != 0) {
        return fail_twice(b, before - 1, row, error);
    }
    g_hash_table_insert(b->seen, g_steal_pointer(&key), GUINT_TO_POINTER(row + 1));
    if (number > m->kernels->len) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s has %u kernels, and kernel %u of trace '%s' was simulated ('%s'); "
                       "expected one for each that was",
                       m->path, m->kernels->len, number, trace, kernel);
    }
    const Mean *mean = &g_array_index(m->kernels, Mean, number - 1);
    if (!cli_measured_same(kernel, mean->name)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:%u: kernel %u is '%s', and '%s' in trace '%s'; expected the kernels of "
                       "the trace, in their order",
                       m->path, mean->line, number, mean->name, kernel, trace);
    }
    m->most = MAX(m->most, number);
    add_pair(b, series, row, number, v->number, mean->sum / m->files);
    return true;
}

/* What was measured and not simulated, and the other way round, is no part of it. */
static void note_rest(const Build *b)
{
    guint without = 0, kernels = 0;
    const char *first = NULL;
    for (guint i = 0; i < b->texts->len; i++) {
        const Measured *m = g_hash_table_lookup(b->measured, b->texts->pdata[i]);
        without += m == NULL;
        first = m == NULL && first == NULL ? b->labels->pdata[i] : first;
        kernels += m != NULL && m->most != 0 ? m->kernels->len - m->most : 0;
    }
    if (without != 0) {
        g_autofree char *note =
            g_strdup_printf("%u of %u %s no measured figures and %s left out, '%s' first", without,
                            b->texts->len, WW_PLURAL(without, "traces has", "traces have"),
                            WW_PLURAL(without, "is", "are"), first);
        cli_say("note: ", note);
    }
    if (kernels != 0) {
        g_autofree char *note = g_strdup_printf(
            "%u measured %s behind the last that was simulated %s left out", kernels,
            WW_PLURAL(kernels, "kernel", "kernels"), WW_PLURAL(kernels, "is", "are"));
        cli_say("note: ", note);
    }
}

static bool build(Build *b, WwDb *db, GError **error)
{
    if (!ask(b, db, error)) {
        return false;
    }
    find_traces(b);
    if (!read_hardware(b, error)) {
        return false;
    }
    uint32_t partial = 0;
    for (uint32_t r = 0; r < b->t->n_rows; r++) {
        partial += ww_db_is(b->t, r, WW_DB_PARTIAL);
        if (!pair_row(b, r, error)) {
            return false;
        }
    }
    if (b->c->pairs->len == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "no kernel was both simulated and measured; expected some");
    }
    cli_short_names(b->c->series, b->o->columns);
    note_rest(b);
    cli_runs_note(b->t, partial, true);
    return true;
}

Correlation *correlation_new(const CorrelateOptions *o, char *const *files, int n, GError **error)
{
    g_autoptr(WwDb) db = cli_runs_open(files, n, error);
    if (db == NULL) {
        return NULL;
    }
    Correlation *c = g_new0(Correlation, 1);
    c->measure = o->measure != NULL ? o->measure : "cycles";
    c->columns = o->columns;
    c->series = g_ptr_array_new_with_free_func(g_free);
    c->pairs = g_array_new(false, false, sizeof(CorrelatePair));
    Build b = {.o = o,
               .c = c,
               .names = g_ptr_array_new_with_free_func(g_free),
               .texts = g_ptr_array_new_with_free_func(g_free),
               .labels = g_ptr_array_new_with_free_func(g_free),
               .measured = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_measured),
               .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    bool good = build(&b, db, error);
    g_hash_table_unref(b.seen);
    g_hash_table_unref(b.measured);
    g_ptr_array_unref(b.labels);
    g_ptr_array_unref(b.texts);
    g_ptr_array_unref(b.names);
    ww_db_table_free(b.t);
    if (!good) {
        correlation_free(c);
    }
    return good ? c : NULL;
}

void correlation_free(Correlation *c)
{
    for (guint i = 0; i < c->pairs->len; i++) {
        CorrelatePair *p = &g_array_index(c->pairs, CorrelatePair, i);
        g_free(p->trace);
        g_free(p->kernel);
    }
    g_array_unref(c->pairs);
    g_ptr_array_unref(c->series);
    g_free(c->column);
    g_free(c);
}
