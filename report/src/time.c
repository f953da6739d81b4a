/* SPDX-License-Identifier: Apache-2.0 */
/* What was counted over time: places for charts, tables that need no script, and the numbers that charts are drawn from. */
#include "parts.h"
#include <results/stalls.h>

#include <string.h>

enum { MOST_POINTS = 1500, MOST_ROWS = 40 };

/* ---- reading intervals ------------------------------------------------------------------------------------------ */

static int column_of(const json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (strcmp(json_string_value(json_array_get(names, i)), name) == 0) {
            return (int)i + 1;
        }
    }
    return 0;
}

/* Column @p column summed over rows from @p from up to @p to. */
static double sum_rows(const json_t *rows, int column, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; column != 0 && i < to; i++) {
        sum += ww_report_number(json_array_get(json_array_get(rows, i), (size_t)column));
    }
    return sum;
}

static double end_of(const json_t *rows, size_t i)
{
    return ww_report_number(json_array_get(json_array_get(rows, i), 0));
}

/* Where row @p i begins: the first, an interval before its end. */
static double begin_of(const Run *r, const json_t *rows, size_t i)
{
    double first = end_of(rows, 0) - number_of(r->intervals, "every");
    return i > 0 ? end_of(rows, i - 1) : MAX(first, 0);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void rate_cell(Html *h, double part, double of, double by, int digits)
{
    if (of > 0) {
        html_cell(h, by * part / of, digits);
    } else {
        html_none(h);
    }
}

/* The cause that took most slots in rows [from, to), or NULL. */
static const char *worst(const json_t *names, const json_t *rows, size_t from, size_t to,
                         double *most)
{
    const char *label = NULL;
    *most = 0;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const char *cause = ww_cause_of(name, '.');
        double v = cause != NULL ? sum_rows(rows, (int)i + 1, from, to) : 0;
        if (v > *most) {
            *most = v;
            label = cause;
        }
    }
    return label;
}

static double all_slots(const json_t *names, const json_t *rows, size_t from, size_t to,
                        double *used)
{
    double sum = 0;
    *used = sum_rows(rows, column_of(names, "warp_scheduler.single_issue"), from, to) +
            sum_rows(rows, column_of(names, "warp_scheduler.dual_issue"), from, to) +
            sum_rows(rows, column_of(names, "issue_stage.single_issue"), from, to);
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (ww_cause_of(json_string_value(json_array_get(names, i)), '.') != NULL) {
            sum += sum_rows(rows, (int)i + 1, from, to);
        }
    }
    return sum + *used;
}

static void time_row(Page *p, const Run *r, size_t from, size_t to)
{
    Html *h = &p->h;
    const json_t *names = json_object_get(r->intervals, "statistics"),
                 *rows = json_object_get(r->intervals, "rows");
    double begin = begin_of(r, rows, from), end = end_of(rows, to - 1), used, most;
    double slots = all_slots(names, rows, from, to, &used);
    const char *cause = worst(names, rows, from, to, &most);
    g_autofree char *a = html_number(begin, 0), *b = html_number(end, 0);
    html_open(h, "tr", NULL);
    html_open(h, "th", "scope", "row", NULL);
    html_textf(h, "%s to %s", a, b);
    html_close(h);
    rate_cell(h, sum_rows(rows, column_of(names, "warp_pool.thread_insns"), from, to), end - begin,
              1, 2);
    rate_cell(h, sum_rows(rows, column_of(names, "cta_slots.warp_cycles"), from, to),
              sum_rows(rows, column_of(names, "cta_slots.slot_cycles"), from, to), 100, 1);
    rate_cell(h, used, slots, 100, 1);
    html_leaf(h, "td", cause != NULL ? slot_text(cause) : "-", "class", "left", NULL);
    rate_cell(h, most, slots, 100, 1);
    html_close(h);
}

static void time_table(Page *p, uint32_t i)
{
    Html *h = &p->h;
    const Run *r = &p->run[i];
    char prefix[8];
    size_t n = json_array_size(json_object_get(r->intervals, "rows")),
           step = (n + MOST_ROWS - 1) / MOST_ROWS;
    g_autofree char *caption =
        g_strdup_printf("%sover time, %zu interval%s per row", run_prefix(p, i, prefix), step,
                        step == 1 ? "" : "s");
    html_open(h, "details", NULL);
    html_open(h, "summary", NULL);
    html_textf(h, "%sThe same as a table", run_prefix(p, i, prefix));
    html_close(h);
    html_table(h, "time", caption);
    html_head(h, "cycles", true);
    html_head(h, "IPC, thread instr. per cycle", false);
    html_head(h, "occupancy, %", false);
    html_head(h, "slots used, %", false);
    html_head(h, "lost mostly to", true);
    html_head(h, "of all slots, %", false);
    html_body(h);
    for (size_t k = 0; k < n; k += step) {
        time_row(p, r, k, MIN(k + step, n));
    }
    html_table_end(h);
    html_close(h);
}

/* ---- SM by SM --------------------------------------------------------------------------------------------------- */

static bool is_sm(const char *name)
{
    return g_str_has_suffix(name, ":warp_insns") && strstr(name, "sm[") != NULL;
}

static void sm_row(Html *h, const Run *r, const char *name, int column, double most)
{
    const json_t *rows = json_object_get(r->intervals, "rows");
    size_t n = json_array_size(rows), first = n, last = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double v = sum_rows(rows, column, i, i + 1);
        sum += v;
        first = v > 0 ? MIN(first, i) : first;
        last = v > 0 ? i + 1 : last;
    }
    const char *at = strstr(name, "sm["), *end = at != NULL ? strchr(at, ']') : NULL;
    g_autofree char *path =
        end != NULL ? g_strndup(name, (size_t)(end + 1 - name)) : g_strdup(name);
    html_open(h, "tr", NULL);
    html_leaf(h, "th", path, "scope", "row", "class", "code", NULL);
    html_cell(h, sum, 0);
    html_share(h, sum, most);
    if (last > 0) {
        html_cell(h, begin_of(r, rows, first), 0);
        html_cell(h, end_of(rows, last - 1), 0);
    } else {
        html_none(h);
        html_none(h);
    }
    html_close(h);
}

static void sm_table(Page *p, uint32_t i)
{
    Html *h = &p->h;
    const Run *r = &p->run[i];
    const json_t *names = json_object_get(r->intervals, "statistics"),
                 *rows = json_object_get(r->intervals, "rows");
    double most = 0;
    size_t n = json_array_size(rows);
    char prefix[8];
    bool any = false;
    for (size_t k = 0; k < json_array_size(names); k++) {
        if (is_sm(json_string_value(json_array_get(names, k)))) {
            any = true;
            most = MAX(most, sum_rows(rows, (int)k + 1, 0, n));
        }
    }
    if (!any) {
        return;
    }
    g_autofree char *caption = g_strdup_printf(
        "%seach SM: when it had work, to the nearest interval", run_prefix(p, i, prefix));
    html_open(h, "details", NULL);
    html_open(h, "summary", NULL);
    html_textf(h, "%sSM by SM as a table", run_prefix(p, i, prefix));
    html_close(h);
    html_table(h, "sort sms", caption);
    html_head(h, "SM", true);
    html_head(h, "warp instr.", false);
    html_head(h, "of the busiest SM", false);
    html_head(h, "first work at cycle", false);
    html_head(h, "last work before cycle", false);
    html_body(h);
    for (size_t k = 0; k < json_array_size(names); k++) {
        const char *name = json_string_value(json_array_get(names, k));
        if (is_sm(name)) {
            sm_row(h, r, name, (int)k + 1, most);
        }
    }
    html_table_end(h);
    html_close(h);
}

/* ---- charts ----------------------------------------------------------------------------------------------------- */

static bool is_drawn(const char *name)
{
    static const char *const whole[] = {
        "warp_pool.thread_insns",     "warp_pool.warp_insns",        "cta_slots.warp_cycles",
        "cta_slots.slot_cycles",      "warp_scheduler.single_issue", "warp_scheduler.dual_issue",
        "issue_stage.single_issue",   "cache.l1.accesses",           "cache.l1.misses",
        "cache.l1.pending_hits",      "cache.l2.accesses",           "cache.l2.misses",
        "cache.l2.pending_hits",      "dram.frfcfs.reads",           "dram.frfcfs.writes",
        "dram.frfcfs.column_commands"};
    static const char *const prefixes[] = {"warp_scheduler.cause.", "issue_stage.cause.",
                                           "cache.l1.outcomes.", "cache.l2.outcomes."};
    for (size_t i = 0; i < G_N_ELEMENTS(whole); i++) {
        if (strcmp(name, whole[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (g_str_has_prefix(name, prefixes[i])) {
            return true;
        }
    }
    return is_sm(name);
}

static bool any_drawn(const Run *r)
{
    const json_t *names = json_object_get(r->intervals, "statistics");
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (is_drawn(json_string_value(json_array_get(names, i)))) {
            return true;
        }
    }
    return false;
}

static void place(Html *h, const char *kind, const char *run, const char *title)
{
    html_open(h, "figure", "class", "screen-chart", NULL);
    html_leaf(h, "figcaption", title, NULL);
    html_leaf(h, "div", NULL, "data-chart", kind, "data-run", run, NULL);
    html_close(h);
}

static void charts(Page *p)
{
    static const char *const together[][2] = {
        {"ipc", "IPC: thread instructions per cycle, all SMs"},
        {"occupancy", "Occupancy: % of the hardware warps of SMs that hold a CTA"},
        {"l1", "L1D hits, % of accesses"},
        {"l2", "L2 hits, % of accesses"},
        {"dram", "DRAM: column commands per core cycle, all channels"}};
    Html *h = &p->h;
    char number[8], prefix[8];
    html_leaf(h, "p",
              "The x axis is core cycles. Drag over a chart to zoom in: all charts follow, and the "
              "bar shows where the slots of that time went; double-click to show everything. On "
              "the keyboard, arrows read values, + and - zoom, Escape shows everything.",
              "class", "quiet screen", NULL);
    place(h, "ipc", "all", together[0][1]);
    place(h, "occupancy", "all", together[1][1]);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->run[i].intervals != NULL) {
            g_snprintf(number, sizeof number, "%u", i);
            run_prefix(p, i, prefix);
            g_autofree char *slots = g_strdup_printf("%sIssue slots by cause, %%", prefix),
                            *sms = g_strdup_printf(
                                "%sSM by SM: warp instructions per cycle, stronger colour for more",
                                prefix);
            place(h, "slots", number, slots);
            html_leaf(h, "div", NULL, "data-range", number, "aria-live", "polite", NULL);
            place(h, "sms", number, sms);
        }
    }
    for (size_t k = 2; k < G_N_ELEMENTS(together); k++) {
        place(h, together[k][0], "all", together[k][1]);
    }
}

void part_time(Page *p)
{
    static const char *const charted[] = {
        "warp_pool.", "cta_slots.", "warp_scheduler.", "issue_stage.", "cache.", "dram.", NULL};
    Html *h = &p->h;
    bool any = false;
    html_section(h, "time", "Over time");
    for (uint32_t i = 0; i < p->n; i++) {
        bool has = json_array_size(json_object_get(p->run[i].intervals, "rows")) > 0,
             drawn = has && any_drawn(&p->run[i]);
        any |= drawn;
        if (!drawn) {
            p->run[i].intervals = NULL;
        }
        if (!has && trace_of(&p->run[i]) == NULL && !may_have(&p->run[i], charted)) {
            without(p, i, "this machine has no SMs, caches or DRAM to draw charts of");
        } else if (!has) {
            missing(p, i, "figures over time", "--intervals N");
        } else if (!drawn) {
            without(
                p, i,
                "no chart shows any of this result's statistics over time; they are in the JSON");
        }
    }
    if (any) {
        charts(p);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->run[i].intervals != NULL) {
            time_table(p, i);
            sm_table(p, i);
        }
    }
    html_close(h);
}

/* ---- the numbers ------------------------------------------------------------------------------------------------ */

static json_t *number_json(double v)
{
    return v < 9e15 ? json_integer((json_int_t)v) : json_real(v); /* counts: whole */
}

/* What charts need, in at most MOST_POINTS rows; outcomes that never came are left out. */
static json_t *thinned(const Run *r)
{
    const json_t *names = json_object_get(r->intervals, "statistics"),
                 *rows = json_object_get(r->intervals, "rows");
    size_t n = json_array_size(rows), step = (n + MOST_POINTS - 1) / MOST_POINTS;
    json_t *o = json_object(), *kept = json_array(), *out = json_array();
    g_autoptr(GArray) columns = g_array_new(false, false, sizeof(int));
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        int column = (int)i + 1;
        if (is_drawn(name) &&
            (strstr(name, ".outcomes.") == NULL || sum_rows(rows, column, 0, n) > 0)) {
            g_array_append_val(columns, column);
            json_array_append(kept, json_array_get(names, i));
        }
    }
    for (size_t from = 0; from < n; from += step) {
        size_t to = MIN(from + step, n);
        json_t *row = json_array();
        json_array_append_new(row, number_json(end_of(rows, to - 1)));
        for (guint c = 0; c < columns->len; c++) {
            json_array_append_new(
                row, number_json(sum_rows(rows, g_array_index(columns, int, c), from, to)));
        }
        json_array_append_new(out, row);
    }
    json_object_set_new(o, "every", number_json(number_of(r->intervals, "every") * (double)step));
    json_object_set_new(o, "from", number_json(begin_of(r, rows, 0)));
    json_object_set_new(o, "statistics", kept);
    json_object_set_new(o, "rows", out);
    return o;
}

/* Within a script no text may end it: in JSON '<', '>' and '&' are only within texts, where they may be numbers. */
static void write_json(const json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '>' || *c == '&') {
            fprintf(out, "\\u%04x", (unsigned)*c);
        } else {
            fputc(*c, out);
        }
    }
    free(text);
}

void part_data(Page *p)
{
    json_t *all = json_array(), *words = json_object();
    for (uint32_t i = 0; i < p->n; i++) {
        const Run *r = &p->run[i];
        json_t *o = json_object();
        json_object_set_new(o, "label", json_string(r->name));
        if (r->intervals != NULL) {
            json_object_set_new(o, "intervals", thinned(r));
        }
        Slot slot[MOST_SLOTS];
        double sum;
        unsigned n = slots_of(r->total, slot, &sum);
        for (unsigned k = 0; k < n; k++) {
            json_object_set_new(words, slot[k].label, json_string(slot_text(slot[k].label)));
        }
        json_array_append_new(all, o);
    }
    json_t *data = json_pack("{s:o,s:o}", "runs", all, "causes", words);
    fputs("<script type=\"application/json\" id=\"data\">", p->h.out);
    write_json(data, p->h.out);
    fputs("</script>\n", p->h.out);
    json_decref(data);
}
