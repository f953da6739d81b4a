/* SPDX-License-Identifier: Apache-2.0 */
/* The page of an experiment: what ran, what was faster, and how to ask for more. */
#include "experiment.h"

#include <math.h>
#include <string.h>

extern const char ww_report_tables[];

enum { MOST_ROWS = 40, MOST_COLUMNS = 12, MOST_TRACES = 100, MOST_NAMES = 24, MOST_FAILURES = 20 };
enum { MOST_SOURCE = 20000 }; /* bytes of the sweep's text */

/* ---- a part of many --------------------------------------------------------------------------------------------- */

typedef struct Rank {
    uint32_t i;
    double v;
} Rank;

static int fastest_first(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    bool x_is = !isnan(x->v), y_is = !isnan(y->v);
    return x_is != y_is           ? (x_is ? -1 : 1)
           : x_is && x->v != y->v ? (x->v > y->v ? -1 : 1)
           : x->i < y->i          ? -1
                                  : x->i > y->i;
}

static int in_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

GArray *experiment_fastest(const void *of, double (*speed_up)(const void *of, uint32_t i),
                           uint32_t n, uint32_t base, uint32_t most)
{
    GArray *chosen = g_array_new(false, false, sizeof(uint32_t));
    g_autofree Rank *all = g_new(Rank, (gsize)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (Rank){i, i == base ? INFINITY : speed_up(of, i)};
    }
    qsort(all, n, sizeof *all, fastest_first);
    for (uint32_t i = 0; i < MIN(n, most); i++) {
        g_array_append_val(chosen, all[i].i);
    }
    if (base >= n || n <= most) { /* else the fastest come first */
        g_array_sort(chosen, in_order);
    }
    return chosen;
}

static double of_combination(const void *of, uint32_t i)
{
    return ((const WwReportCombination *)of)[i].mean.speed_up;
}

static double of_value(const void *of, uint32_t i)
{
    return ((const WwReportValue *)of)[i].mean.speed_up;
}

static double of_trace(const void *of, uint32_t i)
{
    return ((const WwReportTrace *)of)[i].spread;
}

void experiment_head(Html *h, const char *name, const char *full)
{
    html_leaf(h, "th", name, "scope", "row", "class", "wrap code", "title",
              strcmp(name, full) != 0 ? full : NULL, NULL);
}

void experiment_column(ExperimentPage *p, uint32_t combination)
{
    g_autofree char *name = g_strdup_printf("%s%s", p->e->combinations[combination].name,
                                            combination == p->e->base ? " (base)" : "");
    html_head(&p->h, name, false);
}

void experiment_left_out(Html *h, uint32_t shown, uint32_t all, const char *what, const char *how)
{
    if (shown < all) {
        g_autofree char *some = html_number(shown, 0), *of = html_number(all, 0);
        html_note(h, "%s of %s %s are shown: %s.", some, of, what, how);
    }
}

/* ---- what ran --------------------------------------------------------------------------------------------------- */

static void tile(Html *h, const char *what, double n)
{
    g_autofree char *text = html_number(n, 0);
    frame_tile(h, what, text);
}

static void axes(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    if (e->n_axes == 0) {
        html_leaf(h, "p", "No axis varies: all runs are of one machine.", NULL);
        return;
    }
    html_table(h, "axes", "What varies");
    html_head(h, "axis", true);
    html_head(h, "values", false);
    html_head(h, "base", true);
    html_head(h, "all of them", true);
    html_body(h);
    for (uint32_t a = 0; a < e->n_axes; a++) {
        const WwReportAxis *axis = &e->axes[a];
        g_autoptr(GString) list = g_string_new(NULL);
        for (uint32_t i = 0; i < MIN(axis->n, MOST_NAMES); i++) {
            g_string_append_printf(list, "%s%s", i != 0 ? ", " : "", axis->values[i].full);
        }
        if (axis->n > MOST_NAMES) {
            g_string_append_printf(list, ", and %u more", axis->n - MOST_NAMES);
        }
        html_open(h, "tr", NULL);
        html_leaf(h, "th", axis->name, "scope", "row", "class", "code wrap", NULL);
        html_cell(h, axis->n, 0);
        html_leaf(h, "td", axis->values[axis->base].full, "class", "left code wrap", NULL);
        html_leaf(h, "td", list->str, "class", "left code wrap", NULL);
        html_close(h);
    }
    html_table_end(h);
}

static void failures(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    uint32_t n = MIN(e->n_failures, MOST_FAILURES);
    if (n == 0) {
        return;
    }
    html_leaf(h, "h3", "Why runs failed", NULL);
    html_table(h, "sort failures", "The first line of each error; most frequent first");
    html_head(h, "error", true);
    html_head(h, "runs", false);
    html_head(h, "one of them", true);
    html_body(h);
    for (uint32_t i = 0; i < n; i++) {
        html_open(h, "tr", NULL);
        html_leaf(h, "th", e->failures[i].error, "scope", "row", "class", "code wrap", NULL);
        html_cell(h, (double)e->failures[i].n, 0);
        html_leaf(h, "td", e->failures[i].example, "class", "left code wrap", NULL);
        html_close(h);
    }
    html_table_end(h);
    experiment_left_out(h, n, e->n_failures, "errors", "those of the most runs");
}

static void source(ExperimentPage *p)
{
    Html *h = &p->h;
    const char *text = p->e->source;
    if (text == NULL || *text == '\0') {
        return;
    }
    size_t n = strlen(text);
    g_autofree char *cut = g_strndup(text, MIN(n, (size_t)MOST_SOURCE));
    html_open(h, "details", NULL);
    html_leaf(h, "summary", "The sweep as it was written", NULL);
    html_leaf(h, "pre", cut, NULL);
    if (n > MOST_SOURCE) {
        html_note(h, "These are the first %d of %zu bytes.", MOST_SOURCE, n);
    }
    html_close(h);
}

static void notes(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    g_autofree char *absent = html_number((double)e->absent, 0),
                    *partial = html_number((double)e->partial, 0),
                    *noted = html_number((double)e->noted, 0);
    if (e->absent != 0) {
        html_note(h,
                  "Pairs of %s and combination without a run: %s. The plan leaves them out, or "
                  "they have not begun (warpwright sweep FILE.sweep --db %s --status).",
                  e->over, absent, e->file);
    }
    if (e->partial != 0) {
        html_note(h,
                  "Partial runs, which a limit cut: %s. Their cycles are those of the part that "
                  "ran.",
                  partial);
    }
    if (e->noted != 0) {
        html_note(h, "Runs with notes: %s. The first: %s", noted, e->note != NULL ? e->note : "-");
    }
}

static void part_what_ran(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    html_section(h, "experiment", "Experiment");
    html_open(h, "p", "class", "quiet", NULL);
    html_textf(h, "%s of %s, run by version %s%s%s", e->name, e->file,
               *e->versions != '\0' ? e->versions : "-", *e->same != '\0' ? "; all with " : "",
               e->same);
    html_close(h);
    html_open(h, "ul", "class", "tiles", NULL);
    tile(h, e->done == 1 ? "run done" : "runs done", (double)e->done);
    tile(h, "failed", (double)e->failed);
    if (e->running != 0) {
        tile(h, "begun, not ended", (double)e->running);
    }
    if (e->absent != 0) {
        tile(h, "without a run", (double)e->absent);
    }
    g_autofree char *over = g_strdup_printf("values of %s", e->over);
    tile(h,
         strcmp(e->over, "trace") != 0 ? over
         : e->n_traces == 1            ? "trace"
                                       : "traces",
         e->n_traces);
    tile(h, e->n_combinations == 1 ? "machine" : "combinations of values", e->n_combinations);
    html_close(h);
    notes(p);
    axes(p);
    failures(p);
    source(p);
    html_close(h);
}

/* ---- what was faster -------------------------------------------------------------------------------------------- */

static void extreme(Html *h, double v, const char *at)
{
    if (at == NULL || isnan(v)) {
        html_none(h);
        html_leaf(h, "td", "-", "class", "left", NULL);
        return;
    }
    html_cell(h, v, 3);
    html_leaf(h, "td", at, "class", "left code wrap", NULL);
}

static void mean_heads(Html *h, const char *what, const char *of)
{
    html_head(h, what, true);
    html_head(h, "speed-up", false);
    html_head(h, of, false);
    html_head(h, "best", false);
    html_head(h, "where", true);
    html_head(h, "worst", false);
    html_head(h, "where", true);
    html_body(h);
}

static void mean_row(Html *h, const char *name, const char *full, const WwReportMean *m, bool base)
{
    g_autofree char *shown = g_strdup_printf("%s%s", name, base ? " (base)" : "");
    html_open(h, "tr", "class", base ? "hot" : NULL, NULL);
    experiment_head(h, shown, full);
    if (m->n != 0 && !isnan(m->speed_up)) {
        html_cell(h, m->speed_up, 3);
    } else {
        html_none(h);
    }
    html_cell(h, m->n, 0);
    extreme(h, m->best, base ? NULL : m->best_at);
    extreme(h, m->worst, base ? NULL : m->worst_at);
    html_close(h);
}

/* What the means of combinations are over. */
static void counted(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    if (e->own) {
        html_note(h,
                  "No %s has a run of every combination: each mean is over those that the "
                  "combination and the base have. Means over different ones say little of each "
                  "other.",
                  e->over);
    } else if (e->n_counted < e->n_traces) {
        html_note(h,
                  "Means are over %u of %u values of %s: the others lack a run of some "
                  "combination.",
                  e->n_counted, e->n_traces, e->over);
    }
    if (e->without_base != 0) {
        html_note(h, "%u of %u values of %s have no run of the base, and so no speed-ups.",
                  e->without_base, e->n_traces, e->over);
    }
}

static void combinations(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    g_autofree char *caption =
        g_strdup_printf("Combinations: speed-up over the base, geometric mean over %s", e->over);
    html_table(h, "sort combinations", caption);
    mean_heads(h, "combination", "runs");
    for (guint i = 0; i < p->combinations->len; i++) {
        uint32_t c = g_array_index(p->combinations, uint32_t, i);
        const WwReportCombination *of = &e->combinations[c];
        mean_row(h, of->name, of->full, &of->mean, c == e->base);
    }
    html_table_end(h);
    experiment_left_out(h, p->combinations->len, e->n_combinations, "combinations",
                        "the base and the fastest");
    counted(p);
}

static void axis_means(ExperimentPage *p, const WwReportAxis *axis)
{
    Html *h = &p->h;
    g_autoptr(GArray) shown =
        experiment_fastest(axis->values, of_value, axis->n, axis->base, MOST_ROWS);
    g_autofree char *caption =
        g_strdup_printf("%s: speed-up over %s, geometric mean over pairs of runs that differ in "
                        "nothing else",
                        axis->name, axis->values[axis->base].name);
    html_table(h, "sort values", caption);
    mean_heads(h, axis->name, "pairs");
    for (guint i = 0; i < shown->len; i++) {
        uint32_t v = g_array_index(shown, uint32_t, i);
        const WwReportValue *value = &axis->values[v];
        mean_row(h, value->name, value->full, &value->mean, v == axis->base);
    }
    html_table_end(h);
    experiment_left_out(h, shown->len, axis->n, "values", "the base and the fastest");
    if (axis->command != NULL) {
        html_open(h, "p", "class", "quiet", NULL);
        html_text(h, "The same in a terminal: ");
        html_leaf(h, "code", axis->command, NULL);
        html_close(h);
    }
}

static void part_headline(ExperimentPage *p)
{
    Html *h = &p->h;
    const WwReportExperiment *e = p->e;
    html_section(h, "speedup", "Speed-up");
    if (e->n_axes == 0 || e->n_combinations < 2) {
        html_note(h, "There is one combination of values only, and nothing to compare it with.");
        html_close(h);
        return;
    }
    html_open(h, "p", NULL);
    html_text(h, "The base is ");
    html_leaf(h, "code", e->combinations[e->base].full, NULL);
    html_text(h, ". A speed-up is the base's cycles divided by those of the run: 1.100 is ten "
                 "percent faster, below 1 is slower.");
    html_close(h);
    for (uint32_t a = 0; a < e->n_axes && e->n_axes > 1; a++) {
        axis_means(p, &e->axes[a]);
    }
    combinations(p);
    html_close(h);
}

/* ---- how to ask for more ---------------------------------------------------------------------------------------- */

static void part_commands(ExperimentPage *p)
{
    Html *h = &p->h;
    html_section(h, "more", "More");
    html_leaf(h, "p",
              "Commands that show the rest, to be given where the database is; a run's own from "
              "the folder where it was made.",
              NULL);
    for (uint32_t i = 0; i < p->e->n_commands; i++) {
        html_leaf(h, "h3", p->e->commands[i].what, NULL);
        html_leaf(h, "pre", p->e->commands[i].line, NULL);
    }
    html_close(h);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

void ww_report_experiment_write(const WwReportExperiment *e, const char *version, FILE *out)
{
    static const FramePlace places[] = {
        {"experiment", "Experiment"},     {"speedup", "Speed-up"}, {"matrix", "Run by run"},
        {"slots", "Where the time goes"}, {"more", "More"},        {NULL, NULL}};
    ExperimentPage p = {.h = {.out = out}, .e = e};
    Html *h = &p.h;
    p.combinations =
        experiment_fastest(e->combinations, of_combination, e->n_combinations, e->base, MOST_ROWS);
    p.columns = experiment_fastest(e->combinations, of_combination, e->n_combinations, e->base,
                                   MOST_COLUMNS);
    p.traces = experiment_fastest(e->traces, of_trace, e->n_traces, UINT32_MAX, MOST_TRACES);
    g_autofree char *heading = g_strdup_printf("Experiment %s", e->name);
    const Frame frame = {.title = e->name,
                         .heading = heading,
                         .no_script =
                             "JavaScript is off: everything is here, but columns do not sort.",
                         .version = version,
                         .scripts = (const char *const[]){ww_report_tables, NULL},
                         .places = places};
    frame_begin(h, &frame);
    part_what_ran(&p);
    part_headline(&p);
    experiment_matrix(&p);
    experiment_slots(&p);
    part_commands(&p);
    html_close(h);
    frame_foot(h, &frame, "the database named above");
    frame_end(h, &frame);
    g_array_unref(p.combinations);
    g_array_unref(p.columns);
    g_array_unref(p.traces);
}
