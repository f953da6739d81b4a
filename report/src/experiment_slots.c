/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of each combination went, and its key figures. */
#include "experiment.h"

#include <math.h>
#include <string.h>

/* Labels that some combination has slots of, in the order that is the same on all pages: their numbers, uint32_t. */
static GArray *labels_of(const ExperimentPage *p)
{
    const WwReportExperiment *e = p->e;
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    GArray *order = g_array_new(false, false, sizeof(uint32_t));
    for (uint32_t k = 0; k < e->n_labels; k++) {
        bool some = false;
        for (guint i = 0; i < p->combinations->len; i++) {
            const double *shares =
                e->combinations[g_array_index(p->combinations, uint32_t, i)].shares;
            some |= shares != NULL && shares[k] > 0;
        }
        if (some) {
            slots_add_in_order(labels, e->labels[k]);
        }
    }
    for (guint i = 0; i < labels->len; i++) {
        uint32_t k = 0;
        while (e->labels[k] != labels->pdata[i]) {
            k++;
        }
        g_array_append_val(order, k);
    }
    return order;
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

/* The longest bar is the slowest combination's; the base's is as long as 1. */
static double longest(const ExperimentPage *p)
{
    double most = 1;
    for (guint i = 0; i < p->combinations->len; i++) {
        double v = p->e->combinations[g_array_index(p->combinations, uint32_t, i)].mean.speed_up;
        most = v > 0 ? MAX(most, 1 / v) : most;
    }
    return most;
}

static void bar(ExperimentPage *p, const WwReportCombination *c, const GArray *labels, bool base,
                double most)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    double time = 1 / c->mean.speed_up;
    g_autofree Slot *slot = g_new0(Slot, labels->len + 1);
    g_autofree char *name = g_strdup_printf("%s%s", c->name, base ? " (base)" : "");
    for (guint i = 0; i < labels->len; i++) {
        uint32_t k = g_array_index(labels, uint32_t, i);
        slot[i] = (Slot){e->labels[k], c->shares[k]};
    }
    html_open(h, "tr", NULL);
    experiment_head(h, name, c->full);
    html_cell(h, time, 3);
    slots_cell(h, slot, labels->len, time / most, false);
    html_close(h);
}

static void bars(ExperimentPage *p, const GArray *labels)
{
    Html *h = &p->h;
    double most = longest(p);
    uint32_t without = 0;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    html_table(h, "bars",
               "A bar is as long as the cycles, relative to the base: shorter is faster. Its "
               "colours are shares of issue slots; the launch, in which no SM had a CTA, has its "
               "share of the cycles.");
    html_head(h, "combination", true);
    html_head(h, "cycles to base", false);
    html_head(h, "where they went", true);
    html_body(h);
    for (guint i = 0; i < p->combinations->len; i++) {
        uint32_t c = g_array_index(p->combinations, uint32_t, i);
        const WwReportCombination *of = &p->e->combinations[c];
        if (of->shares != NULL && of->mean.speed_up > 0) {
            bar(p, of, labels, c == p->e->base, most);
        } else {
            without++;
        }
    }
    html_table_end(h);
    if (without != 0) {
        html_note(h, "Without a bar, for lack of figures: %u of these combinations.", without);
    }
    for (guint i = 0; i < labels->len; i++) {
        g_ptr_array_add(names, (gpointer)p->e->labels[g_array_index(labels, uint32_t, i)]);
    }
    slots_legend(h, names);
}

static void shares(ExperimentPage *p, const GArray *labels)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    html_table(h, "sort shares", "The same in numbers, percent of the time");
    html_head(h, "where it went", true);
    for (guint i = 0; i < p->columns->len; i++) {
        experiment_column(p, g_array_index(p->columns, uint32_t, i));
    }
    html_body(h);
    for (guint k = 0; k < labels->len; k++) {
        uint32_t label = g_array_index(labels, uint32_t, k);
        html_open(h, "tr", NULL);
        html_leaf(h, "th", slot_text(e->labels[label]), "scope", "row", NULL);
        for (guint i = 0; i < p->columns->len; i++) {
            const double *of = e->combinations[g_array_index(p->columns, uint32_t, i)].shares;
            if (of != NULL) {
                html_cell(h, 100 * of[label], 1);
            } else {
                html_none(h);
            }
        }
        html_close(h);
    }
    html_table_end(h);
    experiment_left_out(h, p->columns->len, e->n_combinations, "combinations",
                        "the base and the fastest");
}

static void figure(Html *h, const WwReportFigure *f, double v)
{
    if (isnan(v)) {
        html_none(h);
    } else if (f->percent) {
        html_share(h, v, 1);
    } else {
        html_cell(h, v, f->digits);
    }
}

static void figures(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    html_table(h, "sort figures memory", "Key figures");
    html_head(h, "combination", true);
    for (uint32_t i = 0; i < e->n_figures; i++) {
        html_head(h, e->figures[i].name, false);
    }
    html_body(h);
    for (guint i = 0; i < p->combinations->len; i++) {
        const WwReportCombination *c =
            &e->combinations[g_array_index(p->combinations, uint32_t, i)];
        html_open(h, "tr", NULL);
        experiment_head(h, c->name, c->full);
        for (uint32_t k = 0; k < e->n_figures; k++) {
            figure(h, &e->figures[k], c->figures[k]);
        }
        html_close(h);
    }
    html_table_end(h);
}

void experiment_slots(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    g_autoptr(GArray) labels = labels_of(p);
    html_section(h, "slots", "Where the time goes");
    html_open(h, "p", NULL);
    html_textf(h,
               "Means over the values of %s, each of which counts alike: geometric for cycles and "
               "IPC, arithmetic for all other figures.",
               e->over);
    html_close(h);
    if (labels->len != 0) {
        bars(p, labels);
    } else {
        html_note(h, "No run counted issue slots.");
    }
    figures(p);
    experiment_left_out(h, p->combinations->len, e->n_combinations, "combinations",
                        "the base and the fastest");
    if (labels->len != 0) {
        shares(p, labels);
    }
    html_close(h);
}
