/* SPDX-License-Identifier: Apache-2.0 */
/* Which measured kernel belongs to which simulated one. */
#include "correlate.h"
#include "record.h"

#include <string.h>

#define PLACE "{trace}"

typedef struct Mean {
    char *name;
    double sum;
    uint32_t line; /* in the first file */
} Mean;

/* A trace, and what was measured of it: the mean of its files. */
typedef struct Trace {
    char *text;      /* as results have it; how it is shown is in `labels` */
    GArray *kernels; /* Mean; NULL: nothing was measured */
    char *path;      /* of the first file, for errors */
    guint files;
    uint32_t most; /* the highest number that was simulated */
} Trace;

typedef struct Build {
    const CorrelateOptions *o;
    Correlation *c;
    WwDbTable *t;
    GPtrArray *names; /* of columns of the query, char * */
    guint n_axes;
    int series, number, kernel, trace, measure; /* columns; series -1: none */
    GPtrArray *traces;                          /* Trace */
    GPtrArray *labels;                          /* of each, char * */
    GHashTable *trace_of;                       /* by text: its number + 1 */
    GHashTable *series_of;                      /* by name: its number + 1 */
    GHashTable *seen; /* by series, trace and number: row + 1; number 0: pair + 1, of all of them */
    uint32_t partial; /* pairs with a kernel that was cut */
} Build;

static void free_trace(gpointer data)
{
    Trace *t = data;
    for (guint i = 0; t->kernels != NULL && i < t->kernels->len; i++) {
        g_free(g_array_index(t->kernels, Mean, i).name);
    }
    if (t->kernels != NULL) {
        g_array_unref(t->kernels);
    }
    g_free(t->text);
    g_free(t->path);
    g_free(t);
}

/* ---- measured figures -------------------------------------------------------------------------------------------- */

/* Column names of all files are one. */
static bool take_column(Build *b, const CliMeasured *m, GError **error)
{
    if (b->c->column == NULL) {
        b->c->column = g_strdup(b->o->column != NULL ? b->o->column_shown : m->column);
        return true;
    }
    return b->o->column != NULL || strcmp(b->c->column, m->column) == 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%s has '%s', another file '%s'; expected the same of all, or --column", m->path,
                   m->column, b->c->column);
}

/* The first file of a trace. */
static void add_first(const Build *b, Trace *t, const CliMeasured *m, const GPtrArray *kernels)
{
    t->path = g_strdup(m->path);
    t->kernels = g_array_new(false, false, sizeof(Mean));
    for (guint i = 0; i < kernels->len; i++) {
        const CliMeasuredKernel *k = kernels->pdata[i];
        Mean mean = {g_strdup(k->name), k->value * b->o->scale, k->line};
        g_array_append_val(t->kernels, mean);
    }
}

/* These kernels of @p m are one more measurement of trace @p i. */
static bool add_measurement(Build *b, guint i, const CliMeasured *m, const GPtrArray *kernels,
                            GError **error)
{
    Trace *t = b->traces->pdata[i];
    if (t->files++ == 0) {
        add_first(b, t, m, kernels);
        return true;
    }
    for (guint n = 0; n < MIN(kernels->len, t->kernels->len); n++) {
        const CliMeasuredKernel *k = kernels->pdata[n];
        Mean *mean = &g_array_index(t->kernels, Mean, n);
        if (!cli_measured_same(mean->name, k->name)) {
            g_autofree char *one = cli_cut(k->name, 60), *other = cli_cut(mean->name, 60);
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s:%u: kernel %u is '%s', and '%s' in %s:%u; expected the same kernels "
                           "in each file of a trace",
                           m->path, k->line, n + 1, one, other, t->path, mean->line);
        }
        mean->sum += k->value * b->o->scale;
    }
    return kernels->len == t->kernels->len ||
           ww_fail(error, WW_ERROR_INPUT,
                   "%s has %u %s of trace '%s', %s has %u; expected as many in each file", m->path,
                   kernels->len, WW_PLURAL(kernels->len, "kernel", "kernels"), t->text, t->path,
                   t->kernels->len);
}

/* Is trace @p i what a user, or a file, calls @p name? */
static bool is_called(const Build *b, guint i, const char *name)
{
    const Trace *t = b->traces->pdata[i];
    return ww_db_stands_for(name, t->text) || strcmp(name, b->labels->pdata[i]) == 0;
}

static void free_kernels(gpointer kernels)
{
    g_ptr_array_unref(kernels);
}

/* The kernels of each trace that the file names, in the order in which it does: GPtrArray of const CliMeasuredKernel *. */
static GPtrArray *by_trace(const CliMeasured *m)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(free_kernels);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < m->kernels->len; i++) {
        CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, i);
        const char *name = k->trace != NULL ? k->trace : "";
        GPtrArray *group = g_hash_table_lookup(known, name);
        if (group == NULL) {
            group = g_ptr_array_new();
            g_ptr_array_add(groups, group);
            g_hash_table_insert(known, (gpointer)name, group);
        }
        g_ptr_array_add(group, k);
    }
    return groups;
}

/* What the file has of trace @p i; *found says whether that is anything. */
static bool add_groups(Build *b, guint i, const CliMeasured *m, const GPtrArray *groups,
                       bool *found, GError **error)
{
    for (guint g = 0; g < groups->len; g++) {
        const GPtrArray *kernels = groups->pdata[g];
        const char *name = ((const CliMeasuredKernel *)kernels->pdata[0])->trace;
        if (name == NULL || is_called(b, i, name)) {
            *found = true;
            if (!add_measurement(b, i, m, kernels, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Of all traces, of which its column `trace` says which; or of the only one. */
static bool add_of_any(Build *b, const CliMeasured *m, const GPtrArray *groups, GError **error)
{
    bool found = false;
    if (g_array_index(m->kernels, CliMeasuredKernel, 0).trace == NULL && b->traces->len != 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--hardware '%s' is for one trace, and these runs are of %u; expected "
                       "TRACE=FILE, {trace} in its name, or a column 'trace' in it",
                       m->path, b->traces->len);
    }
    for (guint i = 0; i < b->traces->len; i++) {
        if (!add_groups(b, i, m, groups, &found, error)) {
            return false;
        }
    }
    return true;
}

static bool add_of_one(Build *b, guint i, const CliMeasured *m, const GPtrArray *groups,
                       GError **error)
{
    bool found = false;
    return add_groups(b, i, m, groups, &found, error) &&
           (found || ww_fail(error, WW_ERROR_INPUT,
                             "%s: column 'trace' has nothing of trace '%s'; expected some of its "
                             "kernels, or no such column",
                             m->path, (const char *)b->labels->pdata[i]));
}

/* @p trace: the number of the one that it is of; -1: of any. */
static bool add_file(Build *b, const char *path, int trace, GError **error)
{
    char *const input = (char *)path;
    CliMeasured *m = cli_outputs_apart(b->o->outputs, &input, 1, error)
                         ? cli_measured_read(path, b->o->column, error)
                         : NULL;
    if (m == NULL) {
        return false;
    }
    g_autoptr(GPtrArray) groups = by_trace(m);
    bool good =
        take_column(b, m, error) && (trace < 0 ? add_of_any(b, m, groups, error)
                                               : add_of_one(b, (guint)trace, m, groups, error));
    cli_measured_free(m);
    return good;
}

static char *path_of(const Build *b, const char *pattern, guint trace)
{
    g_auto(GStrv) parts = g_strsplit(pattern, PLACE, -1);
    return g_strjoinv(b->labels->pdata[trace], parts);
}

/* "hw/{trace}.csv": a file for each trace, of which some may lack one. */
static bool add_each(Build *b, const char *pattern, GError **error)
{
    bool any = false;
    for (guint i = 0; i < b->traces->len; i++) {
        g_autofree char *path = path_of(b, pattern, i);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            any = true;
            if (!add_file(b, path, (int)i, error)) {
                return false;
            }
        }
    }
    g_autofree char *first = path_of(b, pattern, 0);
    return any || ww_fail(error, WW_ERROR_USAGE,
                          "--hardware '%s': there is no '%s', nor a file of another trace; "
                          "expected one for some trace",
                          pattern, first);
}

/* "TRACE=FILE". */
static bool add_named(Build *b, const char *word, const char *equals, GError **error)
{
    g_autofree char *name = g_strndup(word, (gsize)(equals - word));
    g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
    bool any = false;
    for (guint i = 0; i < b->traces->len; i++) {
        g_hash_table_add(values, b->labels->pdata[i]);
        if (is_called(b, i, name)) {
            any = true;
            if (!add_file(b, equals + 1, (int)i, error)) {
                return false;
            }
        }
    }
    g_autofree char *instead = any ? NULL : cli_runs_instead(values, name);
    return any || ww_fail(error, WW_ERROR_USAGE, "--hardware '%s': no run is of trace '%s'%s", word,
                          name, instead);
}

static bool read_hardware(Build *b, GError **error)
{
    for (char **word = b->o->hardware; *word != NULL; word++) {
        const char *equals = strchr(*word, '=');
        bool file = equals == NULL || g_file_test(*word, G_FILE_TEST_EXISTS);
        if (strstr(*word, PLACE) != NULL ? !add_each(b, *word, error)
            : file                       ? !add_file(b, *word, -1, error)
                                         : !add_named(b, *word, equals, error)) {
            return false;
        }
    }
    for (guint i = 0; i < b->traces->len; i++) {
        if (((const Trace *)b->traces->pdata[i])->files != 0) {
            return true;
        }
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "--hardware '%s': its column 'trace' names none of these runs, '%s' first; "
                   "expected some",
                   b->o->hardware[0], (const char *)b->labels->pdata[0]);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static bool ask(Build *b, WwDb *db, GError **error)
{
    g_auto(GStrv) axes = ww_db_axes(db, b->o->runs.experiment, error);
    if (axes == NULL || !cli_grid_check_figure(db, "--measure", b->c->measure, error)) {
        return false;
    }
    for (char **a = axes; *a != NULL; a++) {
        cli_runs_column(b->names, *a);
    }
    cli_runs_column(b->names, "config");
    cli_runs_column(b->names, "experiment");
    cli_runs_column(b->names, "version");
    b->n_axes = b->names->len;
    b->trace = cli_runs_column(b->names, "trace");
    b->kernel = cli_runs_column(b->names, "kernel");
    b->number = cli_runs_column(b->names, "kernel_number");
    b->measure = cli_runs_column(b->names, b->c->measure);
    b->series = b->o->columns != NULL ? (int)cli_runs_column(b->names, b->o->columns) : -1;
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
    for (uint32_t r = 0; r < b->t->n_rows; r++) {
        const char *text = text_at(b, r, b->trace);
        if (g_hash_table_contains(b->trace_of, text)) {
            continue;
        }
        Trace *t = g_new0(Trace, 1);
        t->text = g_strdup(text);
        g_ptr_array_add(b->traces, t);
        g_ptr_array_add(b->labels, g_strdup(text));
        g_hash_table_insert(b->trace_of, t->text, GUINT_TO_POINTER(b->traces->len));
    }
    cli_short_names(b->labels, "trace");
    if (b->labels->len == 1) {
        char *whole = b->labels->pdata[0];
        b->labels->pdata[0] = g_strdup(cli_short_name(whole));
        g_free(whole);
    }
}

static guint trace_of(const Build *b, uint32_t row)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(b->trace_of, text_at(b, row, b->trace))) - 1;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static guint series_of(Build *b, uint32_t row)
{
    char *name =
        b->series < 0 ? g_strdup("all") : cli_runs_text(ww_db_at(b->t, row, (uint32_t)b->series));
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(b->series_of, name));
    if (known != 0) {
        g_free(name);
        return known - 1;
    }
    g_ptr_array_add(b->c->series, g_strdup(name));
    g_hash_table_insert(b->series_of, name, GUINT_TO_POINTER(b->c->series->len));
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

/* The number that @p now is the first to give to this key; else the one that was given. 0: it was the first. */
static guint seen(Build *b, guint series, guint trace, uint32_t number, guint now)
{
    char *key = g_strdup_printf("%u %u %u", series, trace, number);
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(b->seen, key));
    if (before != 0) {
        g_free(key);
    } else {
        g_hash_table_insert(b->seen, key, GUINT_TO_POINTER(now));
    }
    return before;
}

/* The pair of kernels, or, where kernels are added up, that of its trace. */
static void add_pair(Build *b, guint series, guint trace, uint32_t row, uint32_t number,
                     double ours, double theirs)
{
    guint before = b->o->traces ? seen(b, series, trace, 0, b->c->pairs->len + 1) : 0;
    if (before != 0) {
        CorrelatePair *p = &g_array_index(b->c->pairs, CorrelatePair, before - 1);
        p->ours += ours;
        p->theirs += theirs;
        return;
    }
    CorrelatePair pair = {.series = series,
                          .number = b->o->traces ? 0 : number,
                          .trace = g_strdup(b->labels->pdata[trace]),
                          .kernel = g_strdup(b->o->traces ? "" : text_at(b, row, b->kernel)),
                          .ours = ours,
                          .theirs = theirs};
    g_array_append_val(b->c->pairs, pair);
}

/* The measured kernel that is the @p number-th of trace @p t, as row @p row is. */
static const Mean *find_mean(const Build *b, const Trace *t, uint32_t row, uint32_t number,
                             GError **error)
{
    g_autofree char *ours = cli_cut(text_at(b, row, b->kernel), 60);
    if (number > t->kernels->len) {
        ww_fail(error, WW_ERROR_INPUT,
                "%s has %u %s, and kernel %u of trace '%s' was simulated ('%s'); expected one for "
                "each that was",
                t->path, t->kernels->len, WW_PLURAL(t->kernels->len, "kernel", "kernels"), number,
                t->text, ours);
        return NULL;
    }
    const Mean *mean = &g_array_index(t->kernels, Mean, number - 1);
    if (!cli_measured_same(text_at(b, row, b->kernel), mean->name)) {
        g_autofree char *theirs = cli_cut(mean->name, 60);
        ww_fail(error, WW_ERROR_INPUT,
                "%s:%u: kernel %u is '%s', and '%s' in trace '%s'; expected the kernels of the "
                "trace, in their order",
                t->path, mean->line, number, theirs, ours, t->text);
        return NULL;
    }
    return mean;
}

static bool fail_figure(const Build *b, uint32_t row, GError **error)
{
    g_autofree char *kernel = cli_cut(text_at(b, row, b->kernel), 60);
    bool text = ww_db_at(b->t, row, (uint32_t)b->measure)->kind == WW_DB_TEXT;
    return ww_fail(error, WW_ERROR_USAGE,
                   "--measure '%s' of kernel '%s' of trace '%s' is %s; expected a figure",
                   b->c->measure, kernel, text_at(b, row, b->trace), text ? "a text" : "not there");
}

static bool pair_row(Build *b, uint32_t row, GError **error)
{
    const WwDbValue *v = ww_db_at(b->t, row, (uint32_t)b->measure),
                    *n = ww_db_at(b->t, row, (uint32_t)b->number);
    guint trace = trace_of(b, row);
    Trace *t = b->traces->pdata[trace];
    if (t->files == 0 || n->kind != WW_DB_NUMBER || n->number < 1 || n->number > UINT32_MAX) {
        return true;
    }
    if (v->kind != WW_DB_NUMBER) {
        return fail_figure(b, row, error);
    }
    uint32_t number = (uint32_t)n->number;
    guint series = series_of(b, row), before = seen(b, series, trace, number, row + 1);
    if (before != 0) {
        return fail_twice(b, before - 1, row, error);
    }
    const Mean *mean = find_mean(b, t, row, number, error);
    if (mean == NULL) {
        return false;
    }
    t->most = MAX(t->most, number);
    b->partial += ww_db_is(b->t, row, WW_DB_PARTIAL);
    add_pair(b, series, trace, row, number, v->number, mean->sum / t->files);
    return true;
}

/* What was measured and not simulated, and the other way round, is no part of it. */
static void note_rest(const Build *b)
{
    guint without = 0, kernels = 0;
    const char *first = NULL;
    for (guint i = 0; i < b->traces->len; i++) {
        const Trace *t = b->traces->pdata[i];
        without += t->files == 0;
        first = t->files == 0 && first == NULL ? b->labels->pdata[i] : first;
        kernels += t->files != 0 ? t->kernels->len - t->most : 0;
    }
    if (without != 0) {
        g_autofree char *note =
            g_strdup_printf("%u of %u %s no measured figures and %s left out, '%s' first", without,
                            b->traces->len, WW_PLURAL(without, "traces has", "traces have"),
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
    for (uint32_t r = 0; r < b->t->n_rows; r++) {
        if (!pair_row(b, r, error)) {
            return false;
        }
    }
    if (b->c->pairs->len == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "no kernel of a trace with measured figures was simulated; expected some");
    }
    cli_short_names(b->c->series, b->o->columns);
    note_rest(b);
    cli_runs_note(b->t, b->partial, true);
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
    c->traces = o->traces;
    c->series = g_ptr_array_new_with_free_func(g_free);
    c->pairs = g_array_new(false, false, sizeof(CorrelatePair));
    Build b = {.o = o,
               .c = c,
               .names = g_ptr_array_new_with_free_func(g_free),
               .traces = g_ptr_array_new_with_free_func(free_trace),
               .labels = g_ptr_array_new_with_free_func(g_free),
               .trace_of = g_hash_table_new(g_str_hash, g_str_equal),
               .series_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
               .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    bool good = build(&b, db, error);
    g_hash_table_unref(b.seen);
    g_hash_table_unref(b.series_of);
    g_hash_table_unref(b.trace_of);
    g_ptr_array_unref(b.labels);
    g_ptr_array_unref(b.traces);
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
