/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright correlate`: kernels of runs beside what a GPU measured of them. The same runs and figures give the same bytes. */
#include "correlate.h"
#include "output-priv.h"
#include "record.h"

#include <math.h>
#include <string.h>

static const char *const endings[] = {".csv", ".svg", ".pdf", ".gp", NULL};
static const CliPlotForm forms[] = {CLI_SCRIPT /* none */, CLI_SVG, CLI_PDF, CLI_SCRIPT};

static const char *const description =
    "FILE is a database (warpwright sweep, warpwright db) or results of 'warpwright run -o "
    "FILE.json'. A kernel is compared with the one that was launched as the same of its trace: the "
    "n-th of the file with the n-th of the trace; names must agree. A CSV is what NVIDIA's "
    "profilers write (ncu --csv, also with --page raw; nvprof --print-gpu-trace --csv; nsys stats "
    "-r cuda_gpu_trace -f csv), or a table with a column 'kernel', one of figures, and 'trace' "
    "where it is of several.\n"
    "\n"
    "  ncu --csv --metrics gpc__cycles_elapsed.max ./app > hw/app.csv\n"
    "  warpwright correlate runs.db --hardware 'hw/{trace}.csv'\n"
    "  warpwright correlate runs.db --hardware hw.csv --columns config -o fit.svg -o fit.csv\n"
    "  warpwright correlate a.json --hardware hw.csv --measure warp_instructions --column "
    "smsp__inst_executed.sum\n";

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void write_csv(const Correlation *c, FILE *out)
{
    char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], r[G_ASCII_DTOSTR_BUF_SIZE];
    bool series =
        c->columns != NULL && strcmp(c->columns, "trace") != 0; /* which is there anyway */
    if (series) {
        cli_csv_visible(c->columns, out);
        fputc(',', out);
    }
    fputs("trace,kernel_number,kernel,measured,simulated,ratio\n", out);
    for (guint i = 0; i < c->pairs->len; i++) {
        const CorrelatePair *p = &g_array_index(c->pairs, CorrelatePair, i);
        if (series) {
            cli_csv_visible(c->series->pdata[p->series], out);
            fputc(',', out);
        }
        cli_csv_visible(p->trace, out);
        fputc(',', out);
        if (p->number != 0) {
            fprintf(out, "%u", p->number);
        }
        fputc(',', out);
        cli_csv_visible(p->kernel, out);
        fprintf(out, ",%s,%s,%s\n", g_ascii_formatd(a, sizeof a, "%.15g", p->theirs),
                g_ascii_formatd(b, sizeof b, "%.15g", p->ours),
                p->theirs > 0 ? g_ascii_formatd(r, sizeof r, "%.9g", p->ours / p->theirs) : "");
    }
}

static void free_series(gpointer data)
{
    CliSeries *s = data;
    g_array_unref(s->points);
    g_free(s);
}

/* Measured to the right, simulated upwards; both axes logarithmic where every point has a place on them. */
static bool draw(const Correlation *c, const char *title, CliPlotForm form, FILE *out,
                 GError **error)
{
    g_autofree char *x = g_strdup_printf("measured: %s", c->column),
                    *y = g_strdup_printf("simulated: %s", c->measure);
    CliPlot p = {.kind = CLI_SCATTER,
                 .series = g_ptr_array_new_with_free_func(free_series),
                 .x = x,
                 .y = y,
                 .title = title,
                 .key = c->columns,
                 .log_x = true,
                 .log_y = true,
                 .diagonal = true,
                 .width = 11,
                 .height = 11,
                 .low = NAN,
                 .high = NAN};
    for (guint k = 0; k < c->series->len; k++) {
        CliSeries *s = g_new0(CliSeries, 1);
        s->name = c->series->pdata[k];
        s->points = g_array_new(false, false, sizeof(CliPoint));
        g_ptr_array_add(p.series, s);
    }
    for (guint i = 0; i < c->pairs->len; i++) {
        const CorrelatePair *pair = &g_array_index(c->pairs, CorrelatePair, i);
        const CliSeries *s = p.series->pdata[pair->series];
        CliPoint at = {pair->theirs, pair->ours};
        p.log_x = p.log_y = p.log_x && pair->theirs > 0 && pair->ours > 0;
        g_array_append_val(s->points, at);
    }
    bool good = cli_plot_draw(&p, form, out, error);
    g_ptr_array_unref(p.series);
    return good;
}

/* What goes into files. */
typedef struct Shown {
    const Correlation *correlation;
    const char *title;
} Shown;

static bool write_file(const void *user, int kind, FILE *out, GError **error)
{
    const Shown *s = user;
    if (kind == 0) {
        write_csv(s->correlation, out);
        return true;
    }
    return draw(s->correlation, s->title, forms[kind], out, error);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

typedef struct Options {
    CorrelateOptions of;
    char *column, *title;
} Options;

/* "NAME*N", "NAME/N": N is a number from 1e-30 to 1e30. What is in front of it, newly allocated. */
static char *scaled(const char *text, double *scale)
{
    const char *at = text + strlen(text);
    while (at > text && *at != '*' && *at != '/') {
        at--;
    }
    char *end = NULL;
    double n = at > text ? g_ascii_strtod(at + 1, &end) : 0;
    if (at == text || !g_ascii_isdigit(at[1]) || strpbrk(at, "xX") != NULL || *end != '\0' ||
        !(n >= 1e-30 && n <= 1e30)) {
        return g_strdup(text);
    }
    *scale = *at == '*' ? n : 1 / n;
    return g_strndup(text, (gsize)(at - text));
}

static bool work(Options *o, int argc, char **argv, GError **error)
{
    if (argc < 2) {
        return ww_fail(error, WW_ERROR_USAGE, "correlate: expected a database or files of results");
    }
    if (o->of.hardware == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "correlate: no --hardware; expected a CSV of what a GPU measured");
    }
    for (char **path = o->of.outputs; path != NULL && *path != NULL; path++) {
        if (cli_ending(*path, endings, error) < 0) {
            return false;
        }
    }
    if (!cli_outputs_apart(o->of.outputs, argv + 1, (uint32_t)argc - 1, error)) {
        return false;
    }
    g_autofree char *column = o->column != NULL ? scaled(o->column, &o->of.scale) : NULL;
    o->of.column = column;
    o->of.column_shown = o->column;
    Correlation *c = correlation_new(&o->of, argv + 1, argc - 1, error);
    if (c == NULL) {
        return false;
    }
    const Shown shown = {c, o->title};
    bool good =
        o->of.outputs == NULL || cli_write_files(o->of.outputs, endings, write_file, &shown, error);
    if (o->of.outputs == NULL) {
        correlation_print(c, stdout);
    }
    correlation_free(c);
    return good;
}

int cli_correlate(int argc, char **argv)
{
    Options o = {.of.scale = 1};
    GError *error = NULL;
    const GOptionEntry own[] = {
        CLI_HEADING("What is shown"),
        {"hardware", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.of.hardware,
         "Figures that a GPU measured; {trace} in it becomes the trace's name. May be given again, "
         "for other traces or for repeats, whose mean counts",
         "[TRACE=]FILE.csv"},
        {"measure", 0, 0, G_OPTION_ARG_FILENAME, &o.of.measure,
         "The simulated figure: cycles (default), warp_instructions, a statistic (* sums), A/B",
         "NAME"},
        {"column", 0, 0, G_OPTION_ARG_FILENAME, &o.column,
         "The measured one (default: cycles, by the name that the file has); NAME*N or NAME/N "
         "scales it",
         "NAME"},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &o.of.columns,
         "Runs with each value of this axis by themselves", "NAME"},
        {"traces", 0, 0, G_OPTION_ARG_NONE, &o.of.traces,
         "Compare traces, whose kernels are added up, instead of kernels", NULL},
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &o.of.outputs,
         "Write FILE.csv, or a picture FILE.svg, FILE.pdf or FILE.gp, instead; may be given again",
         "FILE"},
        {"title", 0, 0, G_OPTION_ARG_FILENAME, &o.title, "A title above the picture", "TEXT"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, cli_runs_options(&o.of.runs), NULL};
    bool good = cli_parse(&argc, &argv, "FILE...",
                          "Compares kernels of runs with what a GPU measured: each one's error, "
                          "and how well all of them fit.",
                          description, tables, &error) &&
                work(&o, argc, argv, &error);
    cli_runs_clear(&o.of.runs);
    g_strfreev(o.of.hardware);
    g_strfreev(o.of.outputs);
    char *const texts[] = {o.of.measure, o.of.columns, o.column, o.title};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    return good ? CLI_DONE : cli_fail(error);
}
