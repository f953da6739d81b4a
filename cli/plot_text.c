/* SPDX-License-Identifier: Apache-2.0 */
/* Bars on a terminal: block characters, eighths of a column. */
#include "plot.h"

#include <math.h>

#define LEAST_BAR 10u

static char *bar(double share, guint width)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    GString *out = g_string_new(NULL);
    guint n = (guint)(CLAMP(share, 0, 1) * width * 8 + 0.5);
    for (guint i = 0; i < n / 8; i++) {
        g_string_append(out, "█");
    }
    g_string_append(out, eighths[n % 8]);
    return g_string_free(out, false);
}

static guint widest(const GPtrArray *labels)
{
    guint most = 0;
    for (guint i = 0; i < labels->len; i++) {
        g_autofree char *shown = cli_visible(labels->pdata[i]);
        most = MAX(most, (guint)g_utf8_strlen(shown, -1));
    }
    return most;
}

void cli_plot_bars(const CliGrid *g, const char *title, FILE *out)
{
    double most = 0;
    guint names = MIN(widest(g->columns), 30), figures = 0;
    for (guint i = 0; i < g->rows->len * g->columns->len; i++) {
        g_autofree char *text = cli_figure(g->values[i], g->relative);
        figures = MAX(figures, (guint)g_utf8_strlen(text, -1));
        most = isnan(g->values[i]) ? most : MAX(most, g->values[i]);
    }
    guint used = 2 + names + 2 + figures + 2, width = cli_width(out);
    width = width > used + LEAST_BAR ? width - used : LEAST_BAR;
    g_autofree char *shown = cli_visible(title);
    fprintf(out, "%s\n", shown);
    for (guint r = 0; r < g->rows->len; r++) {
        g_autofree char *row = cli_visible(g->rows->pdata[r]);
        fprintf(out, "\n%s\n", row);
        for (guint c = 0; c < g->columns->len; c++) {
            double v = cli_grid_at(g, r, c);
            g_autofree char *text = cli_figure(v, g->relative),
                            *name = cli_cut(g->columns->pdata[c], names),
                            *drawn = bar(most > 0 && !isnan(v) ? v / most : 0, width);
            fprintf(out, "  %s%*s  %*s%s  %s%s%s\n", name,
                    (int)(names - (guint)g_utf8_strlen(name, -1)), "",
                    (int)(figures - (guint)g_utf8_strlen(text, -1)), "", text,
                    cli_paint(out, CLI_BAR), drawn, cli_paint(out, CLI_PLAIN));
        }
    }
}
