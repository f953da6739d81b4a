/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware.h"

#include "csv.h"

#include <math.h>
#include <string.h>

#define MOST_KERNELS (1u << 20) /* of a list of kernels, too */
#define MOST_VALUE 1e30         /* sums, squares and ratios are numbers, too */

const char *const cli_measured_columns[] = {"gpc__cycles_elapsed.avg",
                                            "gpc__cycles_elapsed.max",
                                            "sm__cycles_elapsed.avg",
                                            "sm__cycles_elapsed.max",
                                            "Elapsed Cycles",
                                            "cycles",
                                            NULL};
enum { N_KNOWN = G_N_ELEMENTS(cli_measured_columns) - 1, NAMED = N_KNOWN, N_FIGURES };
static const char *const kernel_columns[] = {"Kernel Name", "Kernel", "kernel", "Name", NULL};

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* Where in a record what is; -1: nowhere. */
typedef struct Layout {
    guint fields; /* that have names */
    int kernel, id, trace;
    int metric, unit, value; /* a metric a line */
    int figure
        [N_FIGURES]; /* a column a metric: those that are known where nobody names one, else that which is named */
} Layout;

/* A kernel while it is read. */
typedef struct Row {
    CliMeasuredKernel own;
    char *id;
    double figure[N_FIGURES]; /* NAN: it has none */
} Row;

typedef struct Table {
    CliCsv *csv;
    const char *column; /* NULL: one that is known */
    Layout at;
    char *kernel;            /* what the column of kernels is called; NULL: no head was read yet */
    bool units;              /* the next record may have units */
    double scale[N_FIGURES]; /* of columns, by their units */
    bool there[N_FIGURES];   /* the file has such a column, or metric */
    bool filled[N_FIGURES];  /* a kernel has the figure */
    GArray *rows;            /* Row */
    GHashTable *ids;         /* of a metric a line: the row of an ID, from 1 */
} Table;

static int find(const GPtrArray *fields, const char *name)
{
    for (guint i = 0; i < fields->len; i++) {
        if (strcmp(fields->pdata[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int find_any(const GPtrArray *fields, const char *const *names)
{
    int at = -1;
    for (; at < 0 && *names != NULL; names++) {
        at = find(fields, *names);
    }
    return at;
}

/* NULL: a figure that nobody asks for. */
static const char *figure_name(const Table *t, int i)
{
    return i == NAMED ? t->column : t->column == NULL ? cli_measured_columns[i] : NULL;
}

static const char *field(const Table *t, int at)
{
    return at >= 0 && (guint)at < t->csv->fields->len ? t->csv->fields->pdata[at] : "";
}

/* Does this record name the columns? What follows goes by it; numbers of kernels begin anew. */
static bool take_head(Table *t)
{
    const GPtrArray *f = t->csv->fields;
    Layout at = {.fields = f->len,
                 .kernel = find_any(f, kernel_columns),
                 .id = find(f, "ID"),
                 .trace = find(f, "trace"),
                 .metric = find(f, "Metric Name"),
                 .unit = find(f, "Metric Unit"),
                 .value = find(f, "Metric Value")};
    bool any = at.metric >= 0 && at.value >= 0 && at.id >= 0;
    for (int i = 0; i < N_FIGURES; i++) {
        const char *name = figure_name(t, i);
        at.figure[i] = name != NULL ? find(f, name) : -1;
        any |= at.figure[i] >= 0;
    }
    if (at.kernel < 0 || !any) {
        return false;
    }
    for (int i = 0; i < N_FIGURES; i++) {
        t->there[i] |= at.figure[i] >= 0;
        t->scale[i] = 1;
    }
    t->at = at;
    t->units = at.metric < 0;
    g_free(t->kernel);
    t->kernel = g_strdup(field(t, at.kernel));
    g_hash_table_remove_all(t->ids);
    return true;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Profilers choose a unit for each figure: times become nanoseconds, "Kbyte" a thousand bytes. */
static double unit_scale(const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } times[] = {{"us", 1e3},      {"usecond", 1e3}, {"ms", 1e6},
                 {"msecond", 1e6}, {"s", 1e9},       {"second", 1e9}};
    static const struct {
        char letter;
        double scale;
    } prefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        if (strcmp(unit, times[i].name) == 0) {
            return times[i].scale;
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (unit[0] == prefixes[i].letter && (g_ascii_islower(unit[1]) || unit[1] == 'H')) {
            return prefixes[i].scale;
        }
    }
    return 1;
}

/* What a profiler writes where it has no figure. */
static bool is_absent(const char *text)
{
    static const char *const words[] = {"", "n/a", "(!) n/a", "nan"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (g_ascii_strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* "1,234.5": digits may be grouped by three. */
static bool is_number(const char *text, double *out)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits);
    g_autoptr(GString) all = g_string_new_len(text, (gssize)n);
    for (text += n; n >= 1 && n <= 3 && *text == ',' && strspn(text + 1, digits) == 3; text += 4) {
        g_string_append_len(all, text + 1, 3);
    }
    g_string_append(all, text);
    char *end;
    *out = g_ascii_strtod(all->str, &end);
    return end != all->str && *end == '\0' && strpbrk(all->str, "xX") == NULL;
}

/* Figure @p i of the record, which stands in field @p at. */
static bool read_figure(Table *t, int i, int at, double scale, Row *row, GError **error)
{
    const char *text = field(t, at);
    double v;
    t->there[i] = true;
    if (is_absent(text)) {
        return true;
    }
    if (!is_number(text, &v) || !(v >= 0 && v * scale <= MOST_VALUE)) {
        g_autofree char *shown = cli_cut(text, 40), *name = cli_cut(figure_name(t, i), 60),
                        *what = g_strdup_printf("'%s' is '%s'; expected a number from 0 to 1e30, "
                                                "such as 1234.5 or 1,234.5",
                                                name, shown);
        return cli_csv_fail(t->csv, error, what);
    }
    t->filled[i] = true;
    row->figure[i] = v * scale < 1 / MOST_VALUE ? 0 : v * scale;
    return true;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/* The row of the record's kernel: a new one, or in a file with a metric a line that of its ID. */
static Row *row_of(Table *t, GError **error)
{
    const char *id = t->at.metric >= 0 ? field(t, t->at.id) : NULL;
    guint known = id != NULL ? GPOINTER_TO_UINT(g_hash_table_lookup(t->ids, id)) : 0;
    if (known != 0) {
        return &g_array_index(t->rows, Row, known - 1);
    }
    if (t->rows->len == MOST_KERNELS) {
        cli_csv_fail(t->csv, error, "more than 1048576 kernels; expected a list of them");
        return NULL;
    }
    Row row = {.own = {.name = g_strdup(field(t, t->at.kernel)),
                       .trace = t->at.trace >= 0 ? g_strdup(field(t, t->at.trace)) : NULL,
                       .line = t->csv->first},
               .id = g_strdup(id)};
    for (int i = 0; i < N_FIGURES; i++) {
        row.figure[i] = NAN;
    }
    g_array_append_val(t->rows, row);
    Row *own = &g_array_index(t->rows, Row, t->rows->len - 1);
    if (id != NULL) {
        g_hash_table_insert(t->ids, own->id, GUINT_TO_POINTER(t->rows->len));
    }
    return own;
}

/* A line that is one metric of a kernel. */
static bool add_metric(Table *t, GError **error)
{
    Row *row = row_of(t, error);
    for (int i = 0; row != NULL && i < N_FIGURES; i++) {
        if (g_strcmp0(figure_name(t, i), field(t, t->at.metric)) == 0) {
            return read_figure(t, i, t->at.value, unit_scale(field(t, t->at.unit)), row, error);
        }
    }
    return row != NULL;
}

/* A line that is a kernel. */
static bool add_kernel(Table *t, GError **error)
{
    Row *row = row_of(t, error);
    bool good = row != NULL;
    for (int i = 0; good && i < N_FIGURES; i++) {
        good = t->at.figure[i] < 0 || read_figure(t, i, t->at.figure[i], t->scale[i], row, error);
    }
    return good;
}

/* Units stand right below the names of columns, in a line without a kernel. Other such lines are no kernels, but then they have no figures. */
static bool add_rest(Table *t, bool units, GError **error)
{
    for (int i = 0; i < N_FIGURES && t->at.metric < 0; i++) {
        const char *text = field(t, t->at.figure[i]);
        if (*text != '\0' && (!units || g_ascii_isdigit(*text))) {
            return cli_csv_fail(t->csv, error,
                                "a figure without the name of a kernel; expected one");
        }
        t->scale[i] = units ? unit_scale(text) : t->scale[i];
    }
    return true;
}

/* Fields behind those that have names, but empty ones. */
static bool has_too_many(const Table *t)
{
    for (guint i = t->at.fields; i < t->csv->fields->len; i++) {
        if (*(const char *)t->csv->fields->pdata[i] != '\0') {
            return true;
        }
    }
    return false;
}

static bool add_record(Table *t, GError **error)
{
    const char *name = field(t, t->at.kernel);
    bool units = t->units;
    t->units = false;
    if ((*name == '\0' || strcmp(name, t->kernel) == 0) && take_head(t)) {
        return true; /* another application's */
    }
    if (*name == '\0') {
        return add_rest(t, units, error);
    }
    if (g_str_has_prefix(name, "[CUDA ")) {
        return true; /* a copy, or memory that is set */
    }
    if (has_too_many(t)) {
        return cli_csv_fail(t->csv, error,
                            "more fields than columns have names; expected as many, with quotes "
                            "around names that have a ','");
    }
    if (t->at.trace >= 0 && *field(t, t->at.trace) == '\0') {
        return cli_csv_fail(t->csv, error, "nothing in column 'trace'; expected a trace's name");
    }
    return t->at.metric >= 0 && t->at.figure[NAMED] < 0 ? add_metric(t, error)
                                                        : add_kernel(t, error);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static bool fail_column(const Table *t, GError **error)
{
    g_autofree char *names = g_strjoinv("', '", (char **)cli_measured_columns),
                    *column = t->column != NULL ? cli_cut(t->column, 60) : NULL;
    if (column != NULL) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: no column or metric '%s' of kernels; expected one of this name",
                       t->csv->path, column);
    }
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: no figure of kernels; expected a column or metric '%s', or --column",
                   t->csv->path, names);
}

static int first_of(const bool have[N_FIGURES])
{
    for (int i = 0; i < N_FIGURES; i++) {
        if (have[i]) {
            return i;
        }
    }
    return -1;
}

/* Which figure it is: the first that the file has, of those that a kernel has if there are any; -1 with an error. */
static int figure_of(const Table *t, GError **error)
{
    int filled = first_of(t->filled), there = first_of(t->there);
    if (there >= 0 && t->rows->len != 0) {
        return filled >= 0 ? filled : there;
    }
    if (t->kernel != NULL && t->rows->len == 0) {
        ww_fail(error, WW_ERROR_INPUT, "%s: names of columns and no kernel; expected some",
                t->csv->path);
    } else {
        fail_column(t, error);
    }
    return -1;
}

/* Has a kernel what all of them should have: the figure, and a trace if the first has one? */
static bool check_row(const Table *t, const Row *row, int figure, bool traces, GError **error)
{
    bool value = !isnan(row->figure[figure]);
    if (value && (row->own.trace != NULL) == traces) {
        return true;
    }
    g_autofree char *shown = cli_cut(row->own.name, 60),
                    *name = cli_cut(value ? "trace" : figure_name(t, figure), 60);
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s:%u: kernel '%s' has no '%s'; expected it of every kernel", t->csv->path,
                   row->own.line, shown, name);
}

static CliMeasured *finish(Table *t, GError **error)
{
    int figure = figure_of(t, error), preferred = first_of(t->there);
    if (figure < 0) {
        return NULL;
    }
    if (preferred != figure) {
        g_autofree char *note =
            g_strdup_printf("%s: no kernel has a value of '%s'; taken is '%s'", t->csv->path,
                            figure_name(t, preferred), figure_name(t, figure));
        cli_say("note: ", note);
    }
    bool traces = g_array_index(t->rows, Row, 0).own.trace != NULL;
    CliMeasured *m = g_new0(CliMeasured, 1);
    m->path = g_strdup(t->csv->path);
    m->column = g_strdup(figure_name(t, figure));
    m->kernels = g_array_new(false, false, sizeof(CliMeasuredKernel));
    for (guint i = 0; i < t->rows->len; i++) {
        Row *row = &g_array_index(t->rows, Row, i);
        if (!check_row(t, row, figure, traces, error)) {
            cli_measured_free(m);
            return NULL;
        }
        row->own.value = row->figure[figure];
        g_array_append_val(m->kernels, row->own);
        row->own.name = row->own.trace = NULL;
    }
    return m;
}

static CliMeasured *read_table(Table *t, GError **error)
{
    while (cli_csv_next(t->csv, t->kernel == NULL, error)) {
        if (t->csv->fields->len == 0) {
            return finish(t, error);
        }
        if (t->kernel == NULL) {
            take_head(t);
        } else if (!add_record(t, error)) {
            return NULL;
        }
    }
    return NULL;
}

CliMeasured *cli_measured_read(const char *path, const char *column, GError **error)
{
    CliCsv csv;
    if (!cli_csv_open(&csv, path, error)) {
        return NULL;
    }
    Table t = {.csv = &csv,
               .column = column,
               .rows = g_array_new(false, false, sizeof(Row)),
               .ids = g_hash_table_new(g_str_hash, g_str_equal)};
    CliMeasured *m = read_table(&t, error);
    g_hash_table_unref(t.ids);
    for (guint i = 0; i < t.rows->len; i++) {
        Row *row = &g_array_index(t.rows, Row, i);
        g_free(row->own.name);
        g_free(row->own.trace);
        g_free(row->id);
    }
    g_array_unref(t.rows);
    g_free(t.kernel);
    cli_csv_close(&csv);
    return m;
}

void cli_measured_free(CliMeasured *m)
{
    if (m == NULL) {
        return;
    }
    for (guint i = 0; i < m->kernels->len; i++) {
        g_free(g_array_index(m->kernels, CliMeasuredKernel, i).name);
        g_free(g_array_index(m->kernels, CliMeasuredKernel, i).trace);
    }
    g_array_unref(m->kernels);
    g_free(m->path);
    g_free(m->column);
    g_free(m);
}
