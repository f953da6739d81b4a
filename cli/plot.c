/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright plot`: bars, lines and points of many runs, to the terminal or into a picture. The same runs give the same bytes. */
#include "plot.h"
#include "output-priv.h"
#include "record.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"bars", "lines", "scatter", NULL};
static const char *const endings[] = {".svg", ".pdf", ".gp", NULL};
static const char *const scales[] = {"x", "y", "both", NULL};

typedef struct Options {
    CliGridOptions grid;
    char **outputs, *kind, *x, *title, *size, *range, *log;
} Options;

static const char *const description =
    "FILE and the options for runs, rows, columns and the figure are those of 'warpwright table'.\n"
    "  bars     a group for each row, a bar for each column; speed-ups with --baseline\n"
    "  lines    rows along the x axis, a line for each column\n"
    "  scatter  a point for each run: --x NAME by --measure; a colour for each value of --columns\n"
    "The default of --kind is lines if the rows are numbers, else bars. Without -o the plot is "
    "drawn on the terminal. gnuplot draws the pictures (Debian: gnuplot-nox); FILE.gp is its "
    "script, for editing by hand.\n"
    "\n"
    "  warpwright plot runs.db --rows trace --columns scheduler --baseline lrr -o speedup.svg -o "
    "speedup.pdf\n"
    "  warpwright plot runs.db --kind lines --rows gpu.clusters --columns scheduler --over trace "
    "--measure ipc -o ipc.svg\n"
    "  warpwright plot runs.db --kind scatter --x 'dram.*.n_act' --columns config -o dram.svg\n";

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* "A:B", of which each may be missing where @p part. */
static bool two_numbers(const char *what, const char *text, char between, bool part, double *a,
                        double *b, GError **error)
{
    const char *at = strchr(text, between);
    g_autofree char *first = g_strndup(text, at != NULL ? (gsize)(at - text) : 0); /* no "0x0" */
    char *end = first;
    *a = *b = NAN;
    bool good = at != NULL;
    if (good && at != text) {
        *a = g_ascii_strtod(first, &end);
        good = *end == '\0' && isfinite(*a);
    }
    if (good && at[1] != '\0') {
        *b = g_ascii_strtod(at + 1, &end);
        good = *end == '\0' && isfinite(*b);
    }
    good = good && (part || (!isnan(*a) && !isnan(*b)));
    return good || ww_fail(error, WW_ERROR_USAGE, "%s '%s'; expected two numbers with '%c' between",
                           what, text, between);
}

static bool read_options(const Options *o, CliPlot *p, GError **error)
{
    int log = o->log != NULL ? cli_choice("--log", o->log, scales, error) : -1;
    if (o->log != NULL && log < 0) {
        return false;
    }
    p->log_x = log == 0 || log == 2;
    p->log_y = log == 1 || log == 2;
    p->title = o->title;
    p->width = 17;
    p->height = 9;
    p->low = p->high = NAN;
    if (o->size != NULL &&
        !two_numbers("--size", o->size, 'x', false, &p->width, &p->height, error)) {
        return false;
    }
    if (!(p->width >= 3 && p->width <= 200 && p->height >= 2 && p->height <= 200)) {
        return ww_fail(error, WW_ERROR_USAGE, "--size '%s'; expected 3x2 to 200x200 (centimetres)",
                       o->size);
    }
    if (o->range != NULL &&
        !two_numbers("--range", o->range, ':', true, &p->low, &p->high, error)) {
        return false;
    }
    if (!isnan(p->low) && !isnan(p->high) && p->low >= p->high) {
        return ww_fail(error, WW_ERROR_USAGE, "--range '%s'; expected the lower number first",
                       o->range);
    }
    for (char **path = o->outputs; path != NULL && *path != NULL; path++) {
        if (cli_ending(*path, endings, error) < 0) {
            return false;
        }
    }
    return true;
}

/* ---- what is drawn ---------------------------------------------------------------------------------------------- */

static void free_series(gpointer data)
{
    CliSeries *s = data;
    g_free((char *)s->name);
    g_array_unref(s->points);
    g_free(s);
}

static CliSeries *add_series(CliPlot *p, const char *name)
{
    CliSeries *s = g_new0(CliSeries, 1);
    s->name = g_strdup(name);
    s->points = g_array_new(false, false, sizeof(CliPoint));
    g_ptr_array_add(p->series, s);
    return s;
}

static bool all_numbers(const CliGrid *g)
{
    for (guint r = 0; r < g->rows->len - g->mean_row; r++) {
        char *end;
        g_ascii_strtod(g->rows->pdata[r], &end);
        if (end == g->rows->pdata[r] || *end != '\0') {
            return false;
        }
    }
    return true;
}

/* Columns become lines; the row of means is no place on the axis. */
static void lines_of(CliPlot *p, const CliGrid *g, bool numbers)
{
    for (guint c = 0; c < g->columns->len; c++) {
        CliSeries *s = add_series(p, g->columns->pdata[c]);
        for (guint r = 0; r < g->rows->len - g->mean_row; r++) {
            CliPoint at = {numbers ? g_ascii_strtod(g->rows->pdata[r], NULL) : r,
                           cli_grid_at(g, r, c)};
            g_array_append_val(s->points, at);
        }
    }
}

static int by_x(gconstpointer a, gconstpointer b)
{
    const CliPoint *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y < q->y ? -1 : p->y > q->y;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* For each run, or kernel: x, y and, if they were asked for, what its series is called by. */
static WwDbTable *points_of(const Options *o, const char *y, char *const *files, int n,
                            GError **error)
{
    g_autoptr(WwDb) db = cli_runs_open(files, n, error);
    const char *const columns[] = {o->x, y, o->grid.columns, NULL};
    const WwDbQuery query = {.columns = columns,
                             .where = (const char *const *)o->grid.runs.where,
                             .experiment = o->grid.runs.experiment,
                             .kernels = o->grid.kernels};
    bool good = db != NULL && cli_grid_check_figure(db, "--x", o->x, error) &&
                cli_grid_check_figure(db, "--measure", y, error);
    return good ? ww_db_select(db, &query, error) : NULL;
}

/* The name of the series that row @p r is of: "" where there is one alone. */
static const char *series_name(const WwDbTable *t, uint32_t r, char number[G_ASCII_DTOSTR_BUF_SIZE])
{
    if (t->n_columns <= 2) {
        return "";
    }
    const WwDbValue *c = ww_db_at(t, r, 2);
    return c->text != NULL            ? c->text
           : c->kind != WW_DB_NOTHING ? g_ascii_dtostr(number, G_ASCII_DTOSTR_BUF_SIZE, c->number)
                                      : "-";
}

/* A series for each name, with a point for each row that has both numbers. How many points; @p partial: how many of runs that were cut. */
static guint add_points(CliPlot *p, const WwDbTable *t, uint32_t *partial)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint drawn = 0;
    for (uint32_t r = 0; r < t->n_rows; r++) {
        const WwDbValue *x = ww_db_at(t, r, 0), *y = ww_db_at(t, r, 1);
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        const char *name = series_name(t, r, number);
        CliSeries *s = g_hash_table_lookup(known, name);
        if (s == NULL) {
            s = add_series(p, name);
            g_hash_table_insert(known, g_strdup(name), s);
        }
        if (x->kind == WW_DB_NUMBER && y->kind == WW_DB_NUMBER) {
            CliPoint at = {x->number, y->number};
            g_array_append_val(s->points, at);
            drawn++;
            *partial += ww_db_is(t, r, WW_DB_PARTIAL);
        }
    }
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        g_array_sort(s->points, by_x);
    }
    return drawn;
}

/* Names of series that are paths get short. */
static void shorten_names(CliPlot *p, const char *columns)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        g_ptr_array_add(names, g_strdup(s->name));
    }
    cli_short_names(names, columns);
    for (guint i = 0; i < p->series->len; i++) {
        CliSeries *s = p->series->pdata[i];
        g_free((char *)s->name);
        s->name = g_strdup(names->pdata[i]);
    }
}

/* A point a run: x and y are figures. */
static bool scatter(const Options *o, CliPlot *p, char *const *files, int n, GError **error)
{
    const char *y = o->grid.measures != NULL ? o->grid.measures[0] : "cycles";
    if (o->x == NULL || o->grid.baseline != NULL || o->grid.rows != NULL || o->grid.over != NULL ||
        (o->grid.measures != NULL && o->grid.measures[1] != NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--kind scatter: expected --x NAME and one --measure, without --rows, "
                       "--over and --baseline");
    }
    g_autoptr(WwDbTable) t = points_of(o, y, files, n, error);
    if (t == NULL) {
        return false;
    }
    uint32_t partial = 0;
    guint drawn = add_points(p, t, &partial);
    if (!o->grid.full_names) {
        shorten_names(p, o->grid.columns);
    }
    p->x = o->x;
    p->y = y;
    p->key = o->grid.columns;
    cli_runs_note(t, partial, o->grid.kernels);
    return drawn != 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "no run that fits has numbers for '%s' and '%s'; expected some", o->x, y);
}

/* A logarithmic axis has no place for 0. */
static bool fits_log(const CliPlot *p, GError **error)
{
    bool x = !p->log_x || p->kind == CLI_BARS, y = !p->log_y;
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        for (guint k = 0; k < s->points->len; k++) {
            const CliPoint *at = &g_array_index(s->points, CliPoint, k);
            x |= at->x > 0;
            y |= at->y > 0;
        }
    }
    for (guint i = 0; p->kind == CLI_BARS && i < p->grid->rows->len * p->grid->columns->len; i++) {
        y |= p->grid->values[i] > 0;
    }
    if (!x || !y) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--log: no value of the %s axis is above 0; expected some, as on every "
                       "logarithmic axis",
                       x ? "y" : "x");
    }
    return !p->log_y || ((isnan(p->low) || p->low > 0) && (isnan(p->high) || p->high > 0)) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "--range of a logarithmic axis that is not above 0; expected numbers above 0, "
                   "or no --log");
}

static bool has_values(const CliGrid *g)
{
    for (guint i = 0; i < g->rows->len * g->columns->len; i++) {
        if (!isnan(g->values[i])) {
            return true;
        }
    }
    return false;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool write_file(const void *plot, int kind, FILE *out, GError **error)
{
    static const CliPlotForm forms[] = {CLI_SVG, CLI_PDF, CLI_SCRIPT};
    return cli_plot_draw(plot, forms[kind], out, error);
}

static bool draw(const Options *o, CliPlot *p, GError **error)
{
    if (!fits_log(p, error)) {
        return false;
    }
    if (o->outputs != NULL) {
        return cli_write_files(o->outputs, endings, write_file, p, error);
    }
    if (p->kind == CLI_BARS) {
        g_autofree char *title = cli_grid_title(p->grid);
        cli_plot_bars(p->grid, p->title != NULL ? p->title : title, stdout);
        return true;
    }
    return cli_plot_draw(p, CLI_DUMB, stdout, error);
}

static bool work(const Options *o, CliPlot *p, int argc, char **argv, GError **error)
{
    int kind = o->kind != NULL ? cli_choice("--kind", o->kind, kinds, error) : -1;
    if ((o->kind != NULL && kind < 0) || !read_options(o, p, error)) {
        return false;
    }
    if (argc < 2) {
        return ww_fail(error, WW_ERROR_USAGE, "plot: expected a database or files of results");
    }
    if (!cli_outputs_apart(o->outputs, argv + 1, (uint32_t)argc - 1, error)) {
        return false;
    }
    if (kind == CLI_SCATTER) {
        p->kind = CLI_SCATTER;
        return scatter(o, p, argv + 1, argc - 1, error) && draw(o, p, error);
    }
    if (o->x != NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "--x without --kind scatter; expected --rows");
    }
    g_autoptr(CliGrid) g = cli_grid_new(&o->grid, argv + 1, argc - 1, error);
    if (g == NULL) {
        return false;
    }
    if (!has_values(g)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "no run that fits has a number to draw; expected some");
    }
    p->beside = cli_grid_drop_baseline(g);
    bool numbers = all_numbers(g);
    p->kind = kind >= 0                                   ? (CliPlotKind)kind
              : numbers && g->rows->len - g->mean_row > 1 ? CLI_LINES
                                                          : CLI_BARS;
    p->grid = g;
    p->y = g->what;
    p->mean = g->mean;
    p->key = g->columns_name;
    p->x = p->kind == CLI_LINES ? g->rows_name : "";
    p->line_at_1 = g->relative;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    if (p->kind == CLI_LINES) {
        lines_of(p, g, numbers);
        for (guint r = 0; r < g->rows->len - g->mean_row; r++) {
            g_ptr_array_add(names, g->rows->pdata[r]);
        }
        g_ptr_array_add(names, NULL);
        p->ticks = numbers ? NULL : (const char *const *)names->pdata;
    }
    return draw(o, p, error);
}

int cli_plot(int argc, char **argv)
{
    Options o = {0};
    CliPlot p = {.series = g_ptr_array_new_with_free_func(free_series)};
    GError *error = NULL;
    const GOptionEntry own[] = {
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"kind", 0, 0, G_OPTION_ARG_FILENAME, &o.kind, "Kind of plot", cli_choices(kinds)},
        {"x", 0, 0, G_OPTION_ARG_FILENAME, &o.x, "scatter: the figure on the x axis", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &o.outputs,
         "Write FILE.svg, FILE.pdf or FILE.gp instead of drawing on the terminal; repeatable",
         "FILE"},
        {"title", 0, 0, G_OPTION_ARG_FILENAME, &o.title, "Title of the plot", "TEXT"},
        {"size", 0, 0, G_OPTION_ARG_FILENAME, &o.size,
         "Width and height in centimetres (default 17x9)", "WxH"},
        {"range", 0, 0, G_OPTION_ARG_FILENAME, &o.range,
         "Range of the y axis; either end may be omitted", "LOW:HIGH"},
        {"log", 0, 0, G_OPTION_ARG_FILENAME, &o.log, "Make these axes logarithmic",
         cli_choices(scales)},
        {NULL},
    };
    const GOptionEntry *const tables[] = {cli_grid_options(&o.grid), own,
                                          cli_runs_options(&o.grid.runs), NULL};
    bool good =
        cli_parse(&argc, &argv, "FILE...", "Draws a figure of many runs: bars, lines, points.",
                  description, tables, &error) &&
        work(&o, &p, argc, argv, &error);
    char *const texts[] = {o.kind, o.x, o.title, o.size, o.range, o.log};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    cli_grid_options_clear(&o.grid);
    g_strfreev(o.outputs);
    g_ptr_array_unref(p.series);
    return good ? CLI_DONE : cli_fail(error);
}
