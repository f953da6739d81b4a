/* SPDX-License-Identifier: Apache-2.0 */
/* A row and a column of means. Those beside each other are over the same: means over different rows cannot be compared. */
#include "grid-priv.h"

#include <math.h>
#include <string.h>

#define MOST_NAMED 3u

/* A row of means is over rows, one for each column; a column of means is over columns, one for each row. */
typedef struct Side {
    const CliGrid *g;
    bool columns; /* over columns */
    GPtrArray *over, *each;
} Side;

static Side side_of(const CliGrid *g, bool columns)
{
    return (Side){g, columns, columns ? g->columns : g->rows, columns ? g->rows : g->columns};
}

static double value_at(const Side *s, guint over, guint each)
{
    return s->columns ? cli_grid_at(s->g, each, over) : cli_grid_at(s->g, over, each);
}

static guint count(const Side *s, guint each)
{
    guint n = 0;
    for (guint i = 0; i < s->over->len; i++) {
        n += !isnan(value_at(s, i, each));
    }
    return n;
}

/* "a, b, c, ..." */
static void add_name(GString *names, guint n, const char *name)
{
    if (n <= MOST_NAMED) {
        g_autofree char *shown = cli_visible(n < MOST_NAMED ? name : "...");
        g_string_append_printf(names, "%s%s", n != 0 ? ", " : "", shown);
    }
}

static void say(char *note)
{
    cli_say("note: ", note);
    g_free(note);
}

/* Which rows all columns have (or columns all rows), but for those that have nothing at all; the others are noted. */
static bool *common(const Side *s)
{
    bool *all = g_new(bool, s->over->len + 1);
    g_autoptr(GString) names = g_string_new(NULL);
    guint left = 0, named = 0;
    memset(all, 1, s->over->len * sizeof *all);
    for (guint e = 0; e < s->each->len; e++) {
        guint n = count(s, e);
        for (guint i = 0; n != 0 && i < s->over->len; i++) {
            bool lacks = isnan(value_at(s, i, e));
            left += lacks && all[i];
            all[i] &= !lacks;
        }
        if (n != 0 && n != s->over->len) {
            add_name(names, named++, s->each->pdata[e]);
        }
    }
    if (left != 0) {
        say(g_strdup_printf("means are over %u of %u %s: the others have no figure in %s",
                            s->over->len - left, s->over->len, s->columns ? "columns" : "rows",
                            names->str));
    }
    return all;
}

/* Measures are not compared with each other: each has a mean of its own, over the rows that have it. */
static void note_measures(const Side *s)
{
    for (guint e = 0; e < s->each->len; e++) {
        guint n = count(s, e);
        if (n != 0 && n != s->over->len) {
            g_autofree char *name = cli_visible(s->each->pdata[e]);
            say(g_strdup_printf("the mean of %s is over %u of %u rows: the others have no figure "
                                "in it",
                                name, n, s->over->len));
        }
    }
}

/* The mean of those values of a line that are @p taken (NULL: all there are). */
static double mean(const Build *b, const double *values, const bool *taken, guint n, bool *some)
{
    g_autofree double *line = g_new(double, n + 1);
    guint k = 0;
    for (guint i = 0; i < n; i++) {
        if (!isnan(values[i]) && (taken == NULL || taken[i])) {
            line[k++] = values[i];
        }
    }
    *some = k != 0;
    return cli_average(b->average, line, k);
}

/* The means of a side, and what they are over. */
static double *means(const Build *b, const Side *s, const bool *taken)
{
    g_autofree double *line = g_new(double, s->over->len + 1);
    double *all = g_new(double, s->each->len + 1);
    g_autoptr(GString) names = g_string_new(NULL);
    guint undefined = 0;
    for (guint e = 0; e < s->each->len; e++) {
        bool some;
        for (guint i = 0; i < s->over->len; i++) {
            line[i] = value_at(s, i, e);
        }
        all[e] = mean(b, line, taken, s->over->len, &some);
        if (some && isnan(all[e])) {
            add_name(names, undefined++, s->each->pdata[e]);
        }
    }
    if (undefined != 0) {
        say(g_strdup_printf("there is no %s of values of 0 or less, as in %s",
                            grid_average_names[b->average], names->str));
    }
    return all;
}

void grid_means(const Build *b)
{
    CliGrid *g = b->grid;
    guint n = g->columns->len, rows = g->rows->len;
    bool column = b->mean == MEAN_COLUMNS || b->mean == MEAN_BOTH,
         row = b->mean == MEAN_ROWS || b->mean == MEAN_BOTH, measures = b->n_measures > 1, some;
    const Side over_rows = side_of(g, false), over_columns = side_of(g, true);
    g_autofree bool *taken_rows = row && !measures ? common(&over_rows) : NULL,
                    *taken_columns = column ? common(&over_columns) : NULL;
    if (row && measures) {
        note_measures(&over_rows);
    }
    g_autofree double *of_columns = row ? means(b, &over_rows, taken_rows) : NULL,
                      *of_rows = column ? means(b, &over_columns, taken_columns) : NULL;
    guint width = n + column;
    double *all = g_new(double, ((gsize)rows + row) * width + 1);
    for (guint r = 0; r < rows; r++) {
        memcpy(all + (gsize)r * width, g->values + (gsize)r * n, n * sizeof *all);
        if (column) {
            all[(gsize)r * width + n] = of_rows[r];
        }
    }
    if (row) {
        memcpy(all + (gsize)rows * width, of_columns, n * sizeof *all);
    }
    if (row && column) { /* the corner is of the row of means */
        all[(gsize)rows * width + n] = mean(b, of_columns, taken_columns, n, &some);
    }
    g_free(g->values);
    g->values = all;
    if (column) {
        g_ptr_array_add(g->columns, g_strdup(grid_average_names[b->average]));
    }
    if (row) {
        g_ptr_array_add(g->rows, g_strdup(grid_average_names[b->average]));
    }
    g->mean_column = column;
    g->mean_row = row;
}
