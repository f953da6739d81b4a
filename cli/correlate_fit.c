/* SPDX-License-Identifier: Apache-2.0 */
/* How well simulated figures fit measured ones, and what is printed of it. */
#include "correlate.h"
#include "table_text.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 40,
    LEAST_TITLE = 16,
    LEAST_SERIES = 14,
    FIGURES = 64, /* columns of a fit, and the gap before them */
};

/* ---- the fit ------------------------------------------------------------------------------------------------------ */

/* How well simulated figures fit measured ones; NAN where that says nothing. */
typedef struct Fit {
    guint n;         /* pairs */
    guint ratios;    /* of these, with a measured figure above 0 */
    double error;    /* mean of |simulated - measured| / measured */
    double ratio;    /* geometric mean of simulated / measured */
    double r;        /* Pearson's correlation coefficient, */
    double r_log;    /* and that of the logarithms; of at least three pairs */
    guint within[3]; /* errors of at most 10, 25, 50 % */
} Fit;

/* What a correlation coefficient is made of: means so far, and sums of products of what values are away from them (Welford's). */
typedef struct Sums {
    double n, x, y, xx, yy, xy;
} Sums;

static void add(Sums *s, double x, double y)
{
    double dx = x - s->x, dy = y - s->y;
    s->n++;
    s->x += dx / s->n;
    s->y += dy / s->n;
    s->xx += dx * (x - s->x);
    s->yy += dy * (y - s->y);
    s->xy += dx * (y - s->y);
}

static double coefficient(const Sums *s)
{
    double r = s->xy / (sqrt(s->xx) * sqrt(s->yy));
    return s->n > 2 && s->xx > 0 && s->yy > 0 ? CLAMP(r, -1, 1) : NAN;
}

/* Of one series. */
typedef struct Fitting {
    Sums plain, logs;
    double errors, log_ratios;
} Fitting;

static void add_pair(Fit *f, Fitting *s, const CorrelatePair *p)
{
    static const double limits[] = {0.1, 0.25, 0.5};
    f->n++;
    add(&s->plain, p->theirs, p->ours);
    if (p->theirs > 0) {
        double error = fabs(p->ours - p->theirs) / p->theirs;
        f->ratios++;
        s->errors += error;
        for (size_t k = 0; k < G_N_ELEMENTS(limits); k++) {
            f->within[k] += error <= limits[k];
        }
    }
    if (p->theirs > 0 && p->ours > 0) {
        add(&s->logs, log(p->theirs), log(p->ours));
        s->log_ratios += log(p->ours / p->theirs);
    }
}

/* One for each series, newly allocated. */
static Fit *fits_of(const Correlation *c)
{
    Fit *fits = g_new0(Fit, c->series->len);
    g_autofree Fitting *sums = g_new0(Fitting, c->series->len);
    for (guint i = 0; i < c->pairs->len; i++) {
        const CorrelatePair *p = &g_array_index(c->pairs, CorrelatePair, i);
        add_pair(&fits[p->series], &sums[p->series], p);
    }
    for (guint k = 0; k < c->series->len; k++) {
        Fit *f = &fits[k];
        const Fitting *s = &sums[k];
        f->error = f->ratios != 0 ? s->errors / f->ratios : NAN;
        f->ratio = s->logs.n > 0 ? exp(s->log_ratios / s->logs.n) : NAN;
        f->r = coefficient(&s->plain);
        f->r_log = coefficient(&s->logs);
    }
    return fits;
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

static double error_of(const CorrelatePair *p)
{
    return p->theirs > 0 ? (p->ours - p->theirs) / p->theirs : NAN;
}

/* Those without an error last; of alike ones, which lie in one array, the first. */
static int worst_first(gconstpointer a, gconstpointer b)
{
    const CorrelatePair *p = *(CorrelatePair *const *)a, *q = *(CorrelatePair *const *)b;
    double x = fabs(error_of(p)), y = fabs(error_of(q));
    x = isnan(x) ? -1 : x;
    y = isnan(y) ? -1 : y;
    return x != y ? (x > y ? -1 : 1) : p < q ? -1 : p > q;
}

/* How wide names of series may be. */
static guint most_series(FILE *out)
{
    return MAX(cli_width(out), LEAST_SERIES + FIGURES) - FIGURES;
}

static char *series_text(const Correlation *c, guint series, FILE *out)
{
    return cli_cut(c->columns != NULL ? c->series->pdata[series] : "", most_series(out));
}

static char *columns_text(const Correlation *c, FILE *out)
{
    return cli_cut(c->columns != NULL ? c->columns : "", most_series(out));
}

static char *title_of(const CorrelatePair *p, guint width)
{
    g_autofree char *all = p->number == 0
                               ? g_strdup(p->trace)
                               : g_strdup_printf("%s %u %s", p->trace, p->number, p->kernel);
    return cli_cut(all, width);
}

/* How wide the columns are. */
typedef struct Widths {
    guint series, title, theirs, ours;
} Widths;

/* Names get what figures leave of the terminal. */
static Widths measure(const Correlation *c, const GPtrArray *pairs, FILE *out)
{
    Widths w = {.theirs = (guint)strlen("measured"), .ours = (guint)strlen("simulated")};
    g_autofree char *columns = columns_text(c, out);
    w.series = cli_columns(columns);
    for (guint i = 0; i < pairs->len; i++) {
        const CorrelatePair *p = pairs->pdata[i];
        g_autofree char *series = series_text(c, p->series, out),
                        *theirs = cli_figure(p->theirs, false), *ours = cli_figure(p->ours, false);
        w.series = MAX(w.series, cli_columns(series));
        w.theirs = MAX(w.theirs, cli_columns(theirs));
        w.ours = MAX(w.ours, cli_columns(ours));
    }
    guint used = w.series + (w.series != 0 ? 2 : 0) + w.theirs + w.ours + 26, all = cli_width(out),
          room = all > used + LEAST_TITLE ? all - used : LEAST_TITLE;
    w.title = (guint)strlen("kernel");
    for (guint i = 0; i < pairs->len; i++) {
        g_autofree char *title = title_of(pairs->pdata[i], room);
        w.title = MAX(w.title, cli_columns(title));
    }
    return w;
}

static void print_series(const Correlation *c, const char *shown, guint width, FILE *out)
{
    if (c->columns != NULL) {
        cli_pad(out, shown, width + 2, false);
    }
}

/* Ratios and errors keep to their columns, however far off they are. */
static void print_ratio(const CorrelatePair *p, FILE *out)
{
    if (!(p->theirs > 0)) {
        fprintf(out, "%8s  %10s\n", "-", "-");
        return;
    }
    double ratio = p->ours / p->theirs, error = 100 * error_of(p);
    fprintf(out, ratio < 1e4 ? "%8.3f" : "%8.1e", ratio);
    fprintf(out, fabs(error) < 1e5 ? "  %+8.1f %%\n" : "  %+8.1e %%\n", error);
}

static void print_pairs(const Correlation *c, const GPtrArray *pairs, FILE *out)
{
    Widths w = measure(c, pairs, out);
    g_autofree char *columns = columns_text(c, out);
    print_series(c, columns, w.series, out);
    cli_pad(out, c->traces ? "trace" : "kernel", w.title, false);
    fprintf(out, "  %*s  %*s  %8s  %10s\n", (int)w.theirs, "measured", (int)w.ours, "simulated",
            "ratio", "error");
    for (guint i = 0; i < pairs->len; i++) {
        const CorrelatePair *p = pairs->pdata[i];
        g_autofree char *series = series_text(c, p->series, out), *title = title_of(p, w.title),
                        *theirs = cli_figure(p->theirs, false), *ours = cli_figure(p->ours, false);
        print_series(c, series, w.series, out);
        cli_pad(out, title, w.title, false);
        fprintf(out, "  %*s  %*s  ", (int)w.theirs, theirs, (int)w.ours, ours);
        print_ratio(p, out);
    }
}

static void print_number(double v, int width, int digits, FILE *out)
{
    if (isnan(v)) {
        fprintf(out, "  %*s", width, "-");
    } else {
        fprintf(out, v < 1e4 ? "  %*.*f" : "  %*.*e", width, v < 1e4 ? digits : 0, v);
    }
}

static void print_fit(const Fit *f, FILE *out)
{
    fprintf(out, "%7u", f->n);
    print_number(100 * f->error, 6, 1, out);
    fputs(isnan(f->error) ? "  " : " %", out);
    print_number(f->ratio, 6, 3, out);
    print_number(f->r, 6, 3, out);
    print_number(f->r_log, 6, 3, out);
    fprintf(out, "  %5u  %5u  %5u\n", f->within[0], f->within[1], f->within[2]);
}

static void print_fits(const Correlation *c, FILE *out)
{
    g_autofree Fit *fits = fits_of(c);
    g_autofree char *columns = columns_text(c, out);
    guint width = cli_columns(columns);
    for (guint k = 0; k < c->series->len; k++) {
        g_autofree char *name = series_text(c, k, out);
        width = MAX(width, cli_columns(name));
    }
    fputc('\n', out);
    print_series(c, "", width, out);
    fputs("             mean    mean     correlation     error of at most\n", out);
    print_series(c, columns, width, out);
    fprintf(out, "%7s  %8s  %6s  %6s  %6s  %5s  %5s  %5s\n", c->traces ? "traces" : "kernels",
            "error", "ratio", "plain", "logs", "10 %", "25 %", "50 %");
    for (guint k = 0; k < c->series->len; k++) {
        g_autofree char *name = series_text(c, k, out);
        print_series(c, name, width, out);
        print_fit(&fits[k], out);
    }
}

void correlation_print(const Correlation *c, FILE *out)
{
    g_autoptr(GPtrArray) pairs = g_ptr_array_new();
    g_autofree char *measure = cli_visible(c->measure), *column = cli_visible(c->column);
    fprintf(out, "%s, simulated, beside %s, measured\n\n", measure, column);
    for (guint i = 0; i < c->pairs->len; i++) {
        g_ptr_array_add(pairs, &g_array_index(c->pairs, CorrelatePair, i));
    }
    guint all = pairs->len;
    if (all > MOST_ROWS) {
        g_ptr_array_sort(pairs, worst_first);
        g_ptr_array_set_size(pairs, MOST_ROWS);
        fprintf(out, "the %u of %u that are farthest off\n\n", MOST_ROWS, all);
    }
    print_pairs(c, pairs, out);
    print_fits(c, out);
}
