/* SPDX-License-Identifier: Apache-2.0 */
/* How well simulated figures fit measured ones, and what is printed of it. */
#include "correlate.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 40, NAME_WIDTH = 40 };

/* ---- the fit ------------------------------------------------------------------------------------------------------ */

/* Sums of what a correlation coefficient is made of, values taken from the first pair's so that large ones keep their digits. */
typedef struct Sums {
    double n, x, y, xx, yy, xy, x0, y0;
} Sums;

static void add(Sums *s, double x, double y)
{
    if (s->n == 0) {
        s->x0 = x;
        s->y0 = y;
    }
    x -= s->x0;
    y -= s->y0;
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->yy += y * y;
    s->xy += x * y;
}

static double coefficient(const Sums *s)
{
    double xx = s->xx - s->x * s->x / s->n, yy = s->yy - s->y * s->y / s->n,
           xy = s->xy - s->x * s->y / s->n;
    return s->n > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

CorrelateFit correlation_fit(const Correlation *c, guint series)
{
    static const double limits[] = {0.1, 0.25, 0.5};
    CorrelateFit f = {0};
    Sums plain = {0}, logs = {0};
    double errors = 0, log_ratios = 0;
    for (guint i = 0; i < c->pairs->len; i++) {
        const CorrelatePair *p = &g_array_index(c->pairs, CorrelatePair, i);
        if (p->series != series) {
            continue;
        }
        f.n++;
        add(&plain, p->theirs, p->ours);
        if (p->theirs > 0) {
            double error = fabs(p->ours - p->theirs) / p->theirs;
            f.ratios++;
            errors += error;
            for (size_t k = 0; k < G_N_ELEMENTS(limits); k++) {
                f.within[k] += error <= limits[k];
            }
        }
        if (p->theirs > 0 && p->ours > 0) {
            add(&logs, log(p->theirs), log(p->ours));
            log_ratios += log(p->ours / p->theirs);
        }
    }
    f.error = f.ratios != 0 ? errors / f.ratios : NAN;
    f.ratio = logs.n > 0 ? exp(log_ratios / logs.n) : NAN;
    f.r = coefficient(&plain);
    f.r_log = coefficient(&logs);
    return f;
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

static double error_of(const CorrelatePair *p)
{
    return p->theirs > 0 ? (p->ours - p->theirs) / p->theirs : NAN;
}

static int worst_first(gconstpointer a, gconstpointer b)
{
    double x = fabs(error_of(*(CorrelatePair *const *)a)),
           y = fabs(error_of(*(CorrelatePair *const *)b));
    x = isnan(x) ? -1 : x;
    y = isnan(y) ? -1 : y;
    return x > y ? -1 : x < y;
}

static char *title_of(const Correlation *c, const CorrelatePair *p)
{
    g_autoptr(GString) all = g_string_new(p->trace);
    if (p->number != 0) {
        g_string_append_printf(all, " %u %s", p->number, p->kernel);
    }
    if (c->columns != NULL) {
        g_string_append_printf(all, " (%s)", (const char *)c->series->pdata[p->series]);
    }
    return cli_cut(all->str, NAME_WIDTH);
}

static void print_pairs(const Correlation *c, const GPtrArray *pairs, FILE *out)
{
    guint width = 6;
    for (guint i = 0; i < pairs->len; i++) {
        g_autofree char *title = title_of(c, pairs->pdata[i]);
        width = MAX(width, (guint)g_utf8_strlen(title, -1));
    }
    fprintf(out, "%-*s  %13s  %13s  %7s  %9s\n", (int)width, "kernel", "measured", "simulated",
            "ratio", "error");
    for (guint i = 0; i < pairs->len; i++) {
        const CorrelatePair *p = pairs->pdata[i];
        g_autofree char *title = title_of(c, p), *theirs = cli_figure(p->theirs, false),
                        *ours = cli_figure(p->ours, false);
        fprintf(out, "%s%*s  %13s  %13s  ", title, (int)(width - (guint)g_utf8_strlen(title, -1)),
                "", theirs, ours);
        if (p->theirs > 0) {
            fprintf(out, "%7.3f  %+7.1f %%\n", p->ours / p->theirs, 100 * error_of(p));
        } else {
            fprintf(out, "%7s  %9s\n", "-", "-");
        }
    }
}

static void print_number(double v, int width, int digits, FILE *out)
{
    if (isnan(v)) {
        fprintf(out, "  %*s", width, "-");
    } else {
        fprintf(out, "  %*.*f", width, digits, v);
    }
}

static void print_fit(const Correlation *c, FILE *out)
{
    guint width = (guint)g_utf8_strlen(c->columns != NULL ? c->columns : "", -1);
    for (guint k = 0; c->columns != NULL && k < c->series->len; k++) {
        g_autofree char *name = cli_cut(c->series->pdata[k], NAME_WIDTH);
        width = MAX(width, (guint)g_utf8_strlen(name, -1));
    }
    g_autofree char *head = cli_visible(c->columns != NULL ? c->columns : "");
    fprintf(out, "\n%*s%s%s%s\n", (int)width, "", width != 0 ? "  " : "",
            "             mean  simulated/    correlation      error of at most", "");
    fprintf(out, "%s%*s%s", head, (int)(width - (guint)g_utf8_strlen(head, -1)), "",
            width != 0 ? "  " : "");
    fprintf(out, "%7s  %8s  %10s  %6s  %7s  %5s  %5s  %5s\n",
            c->pairs->len != 0 && g_array_index(c->pairs, CorrelatePair, 0).number != 0 ? "kernels"
                                                                                        : "traces",
            "error", "measured", "plain", "of logs", "10 %", "25 %", "50 %");
    for (guint k = 0; k < c->series->len; k++) {
        CorrelateFit f = correlation_fit(c, k);
        g_autofree char *name = cli_cut(c->columns != NULL ? c->series->pdata[k] : "", NAME_WIDTH);
        fprintf(out, "%s%*s%s%7u", name, (int)(width - (guint)g_utf8_strlen(name, -1)), "",
                width != 0 ? "  " : "", f.n);
        print_number(100 * f.error, 6, 1, out);
        fputs(isnan(f.error) ? "  " : " %", out);
        print_number(f.ratio, 10, 3, out);
        print_number(f.r, 6, 3, out);
        print_number(f.r_log, 7, 3, out);
        fprintf(out, "  %5u  %5u  %5u\n", f.within[0], f.within[1], f.within[2]);
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
        fprintf(out, "the %u of %u that are farthest off\n", MOST_ROWS, all);
    }
    print_pairs(c, pairs, out);
    print_fit(c, out);
}
