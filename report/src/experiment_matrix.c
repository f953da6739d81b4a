/* SPDX-License-Identifier: Apache-2.0 */
/* Traces by combinations: how fast each run was. */
#include "experiment.h"

#include <math.h>
#include <string.h>

enum { MOST_WITH_CYCLES = 8 }; /* columns that leave room for a second line */

/* ---- colours of speed-ups --------------------------------------------------------------------------------------- */

static const double steps[] = {1.01, 1.03, 1.10, 1.30};

/* "d0": slower by more than the last step, "d4": as fast as the base, "d8": faster by as much. */
static unsigned level(double v)
{
    unsigned n = 0;
    double by = v >= 1 ? v : 1 / v;
    while (n < G_N_ELEMENTS(steps) && by > steps[n]) {
        n++;
    }
    return v >= 1 ? 4 + n : 4 - n;
}

static void colours(Html *h)
{
    static const char *const texts[] = {
        "slower by more than 30 %", "10 to 30 %", "3 to 10 %",  "1 to 3 %",      "within 1 %",
        "faster by 1 to 3 %",       "3 to 10 %",  "10 to 30 %", "more than 30 %"};
    html_open(h, "ul", "class", "legend", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *class = g_strdup_printf("swatch d%u", i);
        html_open(h, "li", NULL);
        html_leaf(h, "i", NULL, "class", class, NULL);
        html_text(h, texts[i]);
        html_close(h);
    }
    html_open(h, "li", NULL);
    html_leaf(h, "b", "1.000", "class", "best", NULL);
    html_text(h, "fastest of its row");
    html_close_n(h, 2);
}

/* ---- run by run ------------------------------------------------------------------------------------------------- */

static const char *state_text(const WwReportCell *c)
{
    return c->state == WW_REPORT_FAILED    ? "failed"
           : c->state == WW_REPORT_RUNNING ? "not ended"
           : c->state == WW_REPORT_NO_RUN  ? "-"
                                           : "?";
}

static void cell(Html *h, const WwReportCell *c, bool best, bool with_cycles)
{
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    if (c->state != WW_REPORT_DONE) {
        html_leaf(h, "td", state_text(c), "data-v", "-1", "class", "quiet", NULL);
        return;
    }
    g_autofree char *ratio = html_number(c->speed_up, 3), *cycles = html_number(c->cycles, 0),
                    *number = html_number((double)c->number, 0);
    g_autofree char *title =
        g_strdup_printf("%s cycles%s%s%s", cycles, c->partial ? ", partial" : "",
                        c->number != 0 ? ", run " : "", c->number != 0 ? number : "");
    g_autofree char *class = isnan(c->speed_up) ? NULL : g_strdup_printf("d%u", level(c->speed_up));
    g_ascii_formatd(value, sizeof value, "%.9g", isnan(c->speed_up) ? -1 : c->speed_up);
    html_open(h, "td", "data-v", value, "class", class, "title", title, NULL);
    html_leaf(h, best ? "b" : "span", ratio, "class", best ? "best" : NULL, NULL);
    html_text(h, c->partial ? "*" : "");
    if (with_cycles) {
        html_leaf(h, "small", cycles, NULL);
    }
    html_close(h);
}

static void matrix_row(ExperimentPage *p, uint32_t trace)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    const WwReportTrace *of = &e->traces[trace];
    html_open(h, "tr", NULL);
    experiment_head(h, of->name, of->full);
    for (guint i = 0; i < p->columns->len; i++) {
        WwReportCell one = e->cell(e->user, trace, g_array_index(p->columns, uint32_t, i));
        cell(h, &one,
             one.speed_up == of->best && of->spread > 1, /* the best of all, shown or not */
             p->columns->len <= MOST_WITH_CYCLES);
    }
    html_close(h);
}

static void matrix_means(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    html_close(h); /* not among what is sorted */
    html_open(h, "tfoot", NULL);
    html_open(h, "tr", "class", "means", NULL);
    html_leaf(h, "th", "geometric mean", "scope", "row", NULL);
    for (guint i = 0; i < p->columns->len; i++) {
        const WwReportMean *m = &e->combinations[g_array_index(p->columns, uint32_t, i)].mean;
        html_cell(h, m->n != 0 ? m->speed_up : NAN, 3);
    }
    html_close(h);
}

void experiment_matrix(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    g_autofree char *caption =
        g_strdup_printf("Speed-up over the base, by %s and combination%s%s", e->over,
                        p->columns->len <= MOST_WITH_CYCLES ? "; below it the cycles of the run"
                                                            : "; point at one for its cycles",
                        e->partial != 0 ? "; * partial" : "");
    html_section(h, "matrix", "Run by run");
    if (e->n_traces == 0) {
        html_note(h, "No run has results.");
        html_close(h);
        return;
    }
    html_table(h, "sort matrix", caption);
    html_head(h, e->over, true);
    for (guint i = 0; i < p->columns->len; i++) {
        experiment_column(p, g_array_index(p->columns, uint32_t, i));
    }
    html_body(h);
    for (guint i = 0; i < p->traces->len; i++) {
        matrix_row(p, g_array_index(p->traces, uint32_t, i));
    }
    if (e->n_traces > 1) {
        matrix_means(p);
    }
    html_table_end(h);
    colours(h);
    experiment_left_out(h, p->columns->len, e->n_combinations, "combinations",
                        "the base and the fastest; a row whose fastest is not shown has no mark");
    g_autofree char *rows = g_strdup_printf("values of %s", e->over);
    experiment_left_out(h, p->traces->len, e->n_traces, rows, "those whose speed-ups differ most");
    html_close(h);
}
