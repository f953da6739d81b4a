/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright table`: a figure by rows and columns, for people, spreadsheets and papers. The same runs give the same bytes. */
#include "grid.h"
#include "output-priv.h"
#include "record.h"
#include "table_text.h"

#include <math.h>
#include <string.h>

static const char *const formats[] = {"text", "csv", "markdown", "latex", NULL};
static const char *const endings[] = {".txt", ".csv", ".md", ".tex", NULL};
enum { AS_TEXT, AS_CSV, AS_MARKDOWN, AS_LATEX };

typedef struct Options {
    CliGridOptions grid;
    char **outputs, *format;
} Options;

static const char *const description =
    "FILE is a database (warpwright sweep, warpwright db) or results of 'warpwright run -o "
    "FILE.json'; the runs of several form one set. The defaults of --rows and --columns are axes "
    "that vary. A cell is one run: runs that differ in anything else are an error that names it, "
    "unless --over makes the cell their mean.\n"
    "\n"
    "  warpwright table runs.db --rows trace --columns scheduler --baseline lrr\n"
    "  warpwright table runs.db --rows scheduler --over trace --measure ipc -o ipc.md -o ipc.tex\n"
    "  warpwright table a.json b.json --measure cycles --measure ipc --measure "
    "dram.frfcfs.row_hits/dram.frfcfs.selections\n";

/* ---- text for people -------------------------------------------------------------------------------------------- */

static void write_text(const CliGrid *g, FILE *out)
{
    g_autofree guint *width = g_new0(guint, g->columns->len + 1);
    guint first = cli_columns(g->rows_name);
    for (guint r = 0; r < g->rows->len; r++) {
        first = MAX(first, cli_columns(g->rows->pdata[r]));
        for (guint c = 0; c < g->columns->len; c++) {
            g_autofree char *text = cli_figure(cli_grid_at(g, r, c), g->relative);
            width[c] = MAX(width[c], cli_columns(text));
        }
    }
    g_autofree char *title = cli_grid_title(g);
    if (*title != '\0') {
        cli_pad(out, title, 0, false);
        fputs("\n\n", out);
    }
    cli_pad(out, g->rows_name, first, false);
    for (guint c = 0; c < g->columns->len; c++) {
        width[c] = MAX(width[c], cli_columns(g->columns->pdata[c]));
        fputs("  ", out);
        cli_pad(out, g->columns->pdata[c], width[c], true);
    }
    fputc('\n', out);
    for (guint r = 0; r < g->rows->len; r++) {
        if (g->mean_row && r + 1 == g->rows->len) {
            fputc('\n', out);
        }
        cli_pad(out, g->rows->pdata[r], first, false);
        for (guint c = 0; c < g->columns->len; c++) {
            g_autofree char *text = cli_figure(cli_grid_at(g, r, c), g->relative);
            fputs("  ", out);
            cli_pad(out, text, width[c], true);
        }
        fputc('\n', out);
    }
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

static void write_csv(const CliGrid *g, FILE *out)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    cli_csv_visible(g->rows_name, out);
    for (guint c = 0; c < g->columns->len; c++) {
        fputc(',', out);
        cli_csv_visible(g->columns->pdata[c], out);
    }
    fputc('\n', out);
    for (guint r = 0; r < g->rows->len; r++) {
        cli_csv_visible(g->rows->pdata[r], out);
        for (guint c = 0; c < g->columns->len; c++) {
            double v = cli_grid_at(g, r, c);
            fprintf(out, ",%s",
                    isnan(v)
                        ? ""
                        : g_ascii_formatd(buffer, sizeof buffer,
                                          v == floor(v) && fabs(v) < 1e15 ? "%.0f" : "%.9g", v));
        }
        fputc('\n', out);
    }
}

/* ---- for pages and papers --------------------------------------------------------------------------------------- */

static void write_markdown(const CliGrid *g, FILE *out)
{
    cli_markdown_text(g->rows_name, out);
    for (guint c = 0; c < g->columns->len; c++) {
        fputs(" | ", out);
        cli_markdown_text(g->columns->pdata[c], out);
    }
    fputs(" |\n|---", out);
    for (guint c = 0; c < g->columns->len; c++) {
        fputs("|--:", out);
    }
    fputs("|\n", out);
    for (guint r = 0; r < g->rows->len; r++) {
        fputs("| ", out);
        cli_markdown_text(g->rows->pdata[r], out);
        for (guint c = 0; c < g->columns->len; c++) {
            g_autofree char *text = cli_figure(cli_grid_at(g, r, c), g->relative);
            fprintf(out, " | %s", text);
        }
        fputs(" |\n", out);
    }
}

static void write_latex(const CliGrid *g, FILE *out)
{
    fputs("\\begin{tabular}{l", out);
    for (guint c = 0; c < g->columns->len; c++) {
        fputc('r', out);
    }
    fputs("}\n\\hline\n", out);
    cli_latex_text(g->rows_name, out);
    for (guint c = 0; c < g->columns->len; c++) {
        fputs(" & ", out);
        cli_latex_text(g->columns->pdata[c], out);
    }
    fputs(" \\\\\n\\hline\n", out);
    for (guint r = 0; r < g->rows->len; r++) {
        if (g->mean_row && r + 1 == g->rows->len) {
            fputs("\\hline\n", out);
        }
        cli_latex_text(g->rows->pdata[r], out);
        for (guint c = 0; c < g->columns->len; c++) {
            g_autofree char *text = cli_figure(cli_grid_at(g, r, c), g->relative);
            fputs(" & ", out);
            cli_latex_text(text, out);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\hline\n\\end{tabular}\n", out);
}

static void write_as(const CliGrid *g, int format, FILE *out)
{
    switch (format) {
    case AS_CSV:
        write_csv(g, out);
        break;
    case AS_MARKDOWN:
        fputs("| ", out);
        write_markdown(g, out);
        break;
    case AS_LATEX:
        write_latex(g, out);
        break;
    default:
        write_text(g, out);
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool write_file(const void *grid, int format, FILE *out, GError **error)
{
    write_as(grid, format, out);
    return true;
}

static bool work(const Options *o, int argc, char **argv, GError **error)
{
    int format = o->format != NULL ? cli_choice("--format", o->format, formats, error) : AS_TEXT;
    if (format < 0) {
        return false;
    }
    if (argc < 2) {
        return ww_fail(error, WW_ERROR_USAGE, "table: expected a database or files of results");
    }
    for (char **p = o->outputs; p != NULL && *p != NULL; p++) {
        if (cli_ending(*p, endings, error) < 0) {
            return false;
        }
    }
    if (!cli_outputs_apart(o->outputs, argv + 1, (uint32_t)argc - 1, error)) {
        return false;
    }
    g_autoptr(CliGrid) g = cli_grid_new(&o->grid, argv + 1, argc - 1, error);
    if (g == NULL) {
        return false;
    }
    if (o->outputs == NULL || o->format != NULL) {
        write_as(g, format, stdout);
    }
    return o->outputs == NULL || cli_write_files(o->outputs, endings, write_file, g, error);
}

int cli_table(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    const GOptionEntry own[] = {
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &o.format, "Output format (default text)",
         cli_choices(formats)},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &o.outputs,
         "Write FILE.csv, FILE.md, FILE.tex or FILE.txt instead; repeatable", "FILE"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {cli_grid_options(&o.grid), own,
                                          cli_runs_options(&o.grid.runs), NULL};
    bool good =
        cli_parse(&argc, &argv, "FILE...", "Shows a figure of many runs by rows and columns.",
                  description, tables, &error) &&
        work(&o, argc, argv, &error);
    cli_grid_options_clear(&o.grid);
    g_strfreev(o.outputs);
    g_free(o.format);
    return good ? CLI_DONE : cli_fail(error);
}
