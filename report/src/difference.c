/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs: what was set differently, and which causes took the cycles that one has more or less. */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { MOST_SETTINGS = 200, MOST_OPEN = 40, ROW = 24, LEFT = 210, WIDE = 900 };

static void add_text(GString *text, const json_t *value)
{
    if (json_is_integer(value)) {
        g_string_append_printf(text, "%" G_GUINT64_FORMAT, (uint64_t)json_integer_value(value));
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            g_string_append(text, i == 0 ? "[" : ", ");
            add_text(text, json_array_get(value, i));
        }
        g_string_append(text, json_array_size(value) == 0 ? "[]" : "]");
    } else {
        char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        g_string_append(text, dumped);
        free(dumped);
    }
}

/* "1132 MHz", as `-s` takes it: results have clocks in Hz, as real numbers. */
static char *clock_text(double hz)
{
    static const struct {
        const char *unit;
        double scale;
    } units[] = {{"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}};
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    size_t i = 0;
    while (units[i].scale > 1 && fabs(hz) < units[i].scale) {
        i++;
    }
    return g_strdup_printf(
        "%s %s", g_ascii_formatd(text, sizeof text, "%.12g", hz / units[i].scale), units[i].unit);
}

char *ww_report_text(const char *path, const json_t *value)
{
    if (value == NULL || json_is_string(value)) {
        return g_strdup(value == NULL ? "-" : json_string_value(value));
    }
    if (json_is_real(value) && g_str_has_suffix(path, "clock")) {
        return clock_text(json_real_value(value));
    }
    GString *text = g_string_new(NULL);
    add_text(text, value);
    return g_string_free(text, false);
}

char *ww_report_setting(const json_t *result, const char *path)
{
    const json_t *value = json_object_get(json_object_get(result, "resolved"), path);
    g_autofree char *text = ww_report_text(path, value);
    bool unused = value != NULL && ww_report_unused(result, path);
    return g_strconcat(text, unused ? " (unused)" : "", NULL);
}

static bool differs(const Page *p, const char *path)
{
    const json_t *first = json_object_get(p->run[0].resolved, path);
    for (uint32_t i = 1; i < p->n; i++) {
        const json_t *other = json_object_get(p->run[i].resolved, path);
        if ((first == NULL) != (other == NULL) || (first != NULL && !json_equal(first, other))) {
            return true;
        }
    }
    return false;
}

static void setting_row(Page *p, const char *path)
{
    Html *h = &p->h;
    html_open(h, "tr", NULL);
    html_leaf(h, "th", path, "scope", "row", "class", "code wrap", NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        g_autofree char *text = ww_report_setting(p->run[i].o, path);
        html_leaf(h, "td", text, "class", "left code wrap", NULL);
    }
    html_close(h);
}

/* Paths of all runs that differ, each once. */
static GPtrArray *different(const Page *p)
{
    GPtrArray *all = g_ptr_array_new();
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t i = 0; i < p->n; i++) {
        const char *path;
        json_t *v;
        json_object_foreach((json_t *)p->run[i].resolved, path, v)
        {
            if (g_hash_table_add(seen, (gpointer)path) && differs(p, path)) {
                g_ptr_array_add(all, (gpointer)path);
            }
        }
    }
    return all;
}

static void settings(Page *p)
{
    Html *h = &p->h;
    g_autoptr(GPtrArray) all = different(p);
    html_leaf(h, "h3", "Settings", NULL);
    if (all->len == 0) {
        html_note(h, "All values of the machine are the same.");
        return;
    }
    bool many = all->len > MOST_OPEN; /* of machines of different kinds: the figures come first */
    if (many) {
        html_open(h, "details", NULL);
        html_open(h, "summary", NULL);
        html_textf(h, "%u values of the machine differ", all->len);
        html_close(h);
    }
    html_table(h, "settings", "Resolved values of the machine that differ");
    html_head(h, "value", true);
    for (uint32_t i = 0; i < p->n; i++) {
        html_head(h, p->run[i].name, true);
    }
    html_body(h);
    for (guint i = 0; i < MIN(all->len, MOST_SETTINGS); i++) {
        setting_row(p, all->pdata[i]);
    }
    html_table_end(h);
    if (all->len > MOST_SETTINGS) {
        html_note(h, "%u more differ; warpwright compare --all lists them.",
                  all->len - MOST_SETTINGS);
    }
    if (many) {
        html_close(h);
    }
}

/* ---- files that went in ------------------------------------------------------------------------------------------ */

static const json_t *input_of(const Run *r, const json_t *wanted)
{
    size_t i;
    json_t *in;
    json_array_foreach((json_t *)json_object_get(r->o, "inputs"), i, in)
    {
        if (json_equal(json_object_get(in, "kind"), json_object_get(wanted, "kind")) &&
            json_equal(json_object_get(in, "file"), json_object_get(wanted, "file"))) {
            return in;
        }
    }
    return NULL;
}

/* What tells contents apart: a hash, or the number of bytes of a folder. */
static char *contents(const json_t *in)
{
    const char *hash = string_of(in, "sha256", NULL);
    if (hash != NULL) {
        return g_strdup_printf("%.12s", hash);
    }
    g_autofree char *bytes = html_number(number_of(in, "bytes"), 0);
    return in == NULL ? g_strdup("-") : g_strdup_printf("%s bytes", bytes);
}

/* An input that @p first is the first run to have, and that is not the same in all. */
static bool input_differs(const Page *p, uint32_t first, const json_t *in)
{
    bool same = true;
    for (uint32_t i = 0; i < p->n; i++) {
        const json_t *other = input_of(&p->run[i], in);
        if (i < first && other != NULL) {
            return false;
        }
        same &= other != NULL && json_equal(other, in);
    }
    return !same;
}

static void input_row(Page *p, const json_t *in)
{
    Html *h = &p->h;
    g_autofree char *name =
        g_strdup_printf("%s %s", string_of(in, "kind", "?"), string_of(in, "file", "?"));
    html_open(h, "tr", NULL);
    html_leaf(h, "th", name, "scope", "row", "class", "code wrap", NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        g_autofree char *text = contents(input_of(&p->run[i], in));
        html_leaf(h, "td", text, "class", "left code", NULL);
    }
    html_close(h);
}

static void inputs(Page *p)
{
    Html *h = &p->h;
    unsigned shown = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        size_t k;
        json_t *in;
        json_array_foreach((json_t *)json_object_get(p->run[i].o, "inputs"), k, in)
        {
            if (!json_is_object(in) || !input_differs(p, i, in) || shown++ >= MOST_SETTINGS) {
                continue;
            }
            if (shown == 1) {
                html_leaf(h, "h3", "Files", NULL);
                html_table(h, "inputs",
                           "Input files that differ: the first digits of their SHA-256, "
                           "or their size");
                html_head(h, "file", true);
                for (uint32_t r = 0; r < p->n; r++) {
                    html_head(h, p->run[r].name, true);
                }
                html_body(h);
            }
            input_row(p, in);
        }
    }
    if (shown > 0) {
        html_table_end(h);
    }
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static void figure_row(Page *p, const char *name, double (*figure)(const Run *), int digits)
{
    Html *h = &p->h;
    double first = figure(&p->run[0]);
    html_open(h, "tr", NULL);
    html_leaf(h, "th", name, "scope", "row", NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        double v = figure(&p->run[i]);
        html_cell(h, v, digits);
        if (i > 0 && first > 0) {
            html_cell(h, v / first, 3);
        } else if (i > 0) {
            html_none(h);
        }
    }
    html_close(h);
}

static double cycles(const Run *r)
{
    return number_of(r->total, "cycles");
}

static double ipc(const Run *r)
{
    return cycles(r) > 0 ? number_of(r->total, "thread_instructions") / cycles(r) : 0;
}

static double warps(const Run *r)
{
    return number_of(r->total, "warp_instructions");
}

static double slots(const Run *r)
{
    Slot slot[MOST_SLOTS];
    double sum;
    slots_of(r->total, slot, &sum);
    return sum;
}

static void headline(Page *p)
{
    Html *h = &p->h;
    html_table(h, "headline", "Side by side; ratios are relative to A");
    html_head(h, "figure", true);
    for (uint32_t i = 0; i < p->n; i++) {
        html_head(h, p->run[i].name, false);
        if (i > 0) {
            html_head(h, "ratio", false);
        }
    }
    html_body(h);
    figure_row(p, "cycles", cycles, 0);
    figure_row(p, "IPC, thread instr. per cycle", ipc, 2);
    figure_row(p, "warp instructions", warps, 0);
    figure_row(p, "issue slots", slots, 0);
    html_table_end(h);
}

/* ---- from A to another, cause by cause -------------------------------------------------------------------------- */

typedef struct Step {
    const char *label;
    double from, to; /* of the one and of the other */
} Step;

/*
 * What a run's time went for. In cycles, where the machine's schedulers are known: slots by their number, and with those of SMs that
 * were not clocked they add up to the cycles of the run. Otherwise slots.
 */
typedef struct Account {
    Slot part[MOST_SLOTS + 1];
    unsigned n;
    double sum;
} Account;

static bool in_cycles(const Run *r)
{
    double slots_a_cycle = machine_of(r).slots;
    return slots_a_cycle > 0 && slots(r) > 0 && slots(r) <= slots_a_cycle * cycles(r);
}

static Account account_of(const Run *r, bool by_cycle)
{
    Account a;
    a.n = slots_of(r->total, a.part, &a.sum);
    if (by_cycle) {
        double slots_a_cycle = machine_of(r).slots, all = slots_a_cycle * cycles(r);
        a.part[a.n++] = (Slot){SLOT_ASLEEP, all - a.sum};
        for (unsigned i = 0; i < a.n; i++) {
            a.part[i].n /= slots_a_cycle;
        }
        a.sum = cycles(r);
    }
    return a;
}

static int largest_first(gconstpointer a, gconstpointer b)
{
    const Step *x = a, *y = b;
    double u = fabs(x->to - x->from), v = fabs(y->to - y->from);
    return u > v ? -1 : u < v ? 1 : strcmp(x->label, y->label);
}

static double part_of(const Account *a, const char *label, bool *known)
{
    for (unsigned i = 0; i < a->n; i++) {
        if (strcmp(a->part[i].label, label) == 0) {
            *known = true;
            return a->part[i].n;
        }
    }
    return 0;
}

static GArray *steps_of(const Account *a, const Account *b)
{
    GArray *all = g_array_new(false, false, sizeof(Step));
    for (unsigned i = 0; i < a->n + b->n; i++) {
        const Slot *part = i < a->n ? &a->part[i] : &b->part[i - a->n];
        bool before = false, known = false;
        Step step = {part->label, part_of(a, part->label, &before),
                     part_of(b, part->label, &known)};
        if (step.from != step.to && (i < a->n || !before)) {
            g_array_append_val(all, step);
        }
    }
    g_array_sort(all, largest_first);
    return all;
}

/* Cycles of a short run are shown with a digit behind the point; slots are whole. */
static int digits_of(bool by_cycle, double most)
{
    return by_cycle && most < 1e5 ? 1 : 0;
}

/* A bar from @p from to @p to between @p low and @p high, its name before it and @p shown behind. */
static void bar(Html *h, unsigned row, const char *name, const char *class, double low, double high,
                double from, double to, const char *shown)
{
    char x[G_ASCII_DTOSTR_BUF_SIZE], width[G_ASCII_DTOSTR_BUF_SIZE], at[G_ASCII_DTOSTR_BUF_SIZE];
    double scale = high > low ? (WIDE - LEFT - 130) / (high - low) : 0;
    double left = LEFT + scale * (MIN(from, to) - low),
           right = LEFT + scale * (MAX(from, to) - low);
    g_autofree char *y = g_strdup_printf("%u", ROW * row + 5),
                    *base = g_strdup_printf("%u", ROW * row + 16);
    html_leaf(h, "text", name, "x", "200", "y", base, "text-anchor", "end", NULL);
    html_leaf(h, "rect", NULL, "class", class, "x", g_ascii_formatd(x, sizeof x, "%.2f", left), "y",
              y, "width", g_ascii_formatd(width, sizeof width, "%.2f", MAX(right - left, 1)),
              "height", "15", NULL);
    html_leaf(h, "text", shown, "x", g_ascii_formatd(at, sizeof at, "%.2f", right + 6), "y", base,
              NULL);
}

static void waterfall(Page *p, uint32_t i, const GArray *steps, double from, double to,
                      bool by_cycle)
{
    const char *unit = by_cycle ? "cycles" : "slots";
    Html *h = &p->h;
    double low = MIN(from, to), high = MAX(from, to), at = from;
    for (guint k = 0; k < steps->len; k++) {
        const Step *s = &g_array_index(steps, Step, k);
        at += s->to - s->from;
        low = MIN(low, at);
        high = MAX(high, at);
    }
    double first = low - (high - low) * 0.25; /* small differences of long runs would not be seen */
    low = first > 0.3 * high ? first : MIN(low, 0);
    int digits = digits_of(by_cycle, high);
    g_autofree char *box = g_strdup_printf("0 0 %d %u", WIDE, ROW * (steps->len + 2) + 4);
    g_autofree char *label = g_strdup_printf(
        "From A to %s in %s, by cause; the table below has the numbers", p->run[i].name, unit);
    html_open(h, "div", "class", "scroll", NULL);
    html_open(h, "svg", "class", "waterfall", "viewBox", box, "role", "img", "aria-label", label,
              NULL);
    g_autofree char *begin = html_number(from, digits), *last = html_number(to, digits);
    bar(h, 0, "A in all", "s-all", low, high, low, from, begin);
    at = from;
    for (guint k = 0; k < steps->len; k++) {
        const Step *s = &g_array_index(steps, Step, k);
        double more = s->to - s->from;
        g_autofree char *number = html_number(more, digits); /* as the table below has it */
        g_autofree char *shown = g_strdup_printf("%s%s", more > 0 ? "+" : "", number);
        bar(h, k + 1, slot_text(s->label), slot_class(s->label, k), low, high, at, at + more,
            shown);
        at += more;
    }
    g_autofree char *end = g_strdup_printf("%s in all", p->run[i].name);
    bar(h, steps->len + 1, end, "s-all", low, high, low, to, last);
    html_close_n(h, 2);
    if (low > 0) {
        g_autofree char *text = html_number(low, 0);
        g_autofree char *note =
            g_strdup_printf("The picture starts at %s %s, not at 0.", text, unit);
        html_leaf(h, "p", note, "class", "quiet", NULL);
    }
}

static void steps_table(Page *p, uint32_t i, const GArray *steps, double all, bool by_cycle)
{
    Html *h = &p->h;
    const char *unit = by_cycle ? "cycles" : "slots";
    g_autofree char *caption =
        g_strdup_printf("A and %s by cause in %s, largest difference first", p->run[i].name, unit);
    html_table(h, "sort steps", caption);
    html_head(h, "cause", true);
    g_autofree char *first = g_strdup_printf("A, %s", unit),
                    *other = g_strdup_printf("%s, %s", p->run[i].name, unit),
                    *difference = g_strdup_printf("difference, %s", unit);
    html_head(h, first, false);
    html_head(h, other, false);
    html_head(h, difference, false);
    html_head(h, "of total difference, %", false);
    html_body(h);
    for (guint k = 0; k < steps->len; k++) {
        const Step *s = &g_array_index(steps, Step, k);
        int digits = digits_of(by_cycle, MAX(s->from, s->to));
        html_open(h, "tr", NULL);
        html_leaf(h, "th", slot_text(s->label), "scope", "row", NULL);
        html_cell(h, s->from, digits);
        html_cell(h, s->to, digits);
        html_cell(h, s->to - s->from, digits);
        if (all != 0) {
            html_cell(h, 100 * (s->to - s->from) / all, 1);
        } else {
            html_none(h);
        }
        html_close(h);
    }
    html_table_end(h);
}

static void between(Page *p, uint32_t i)
{
    Html *h = &p->h;
    bool by_cycle = in_cycles(&p->run[0]) && in_cycles(&p->run[i]);
    Account a = account_of(&p->run[0], by_cycle), b = account_of(&p->run[i], by_cycle);
    g_autoptr(GArray) steps = steps_of(&a, &b);
    html_open(h, "h3", NULL);
    html_textf(h, "Where the cycles went: from A to %s", p->run[i].name);
    html_close(h);
    if (by_cycle) {
        html_leaf(h, "p",
                  "Cycles of a scheduler (mean of all schedulers): each was used, lost to a cause, "
                  "or one in which its SM had no CTA: during launch, in the tail, or because none "
                  "was left for it. They add up to the cycles of the run.",
                  NULL);
    }
    if (steps->len == 0) {
        html_note(h, "Both runs used and lost the same issue slots, for the same causes.");
    } else {
        waterfall(p, i, steps, a.sum, b.sum, by_cycle);
        steps_table(p, i, steps, b.sum - a.sum, by_cycle);
    }
}

void part_difference(Page *p)
{
    Html *h = &p->h;
    html_section(h, "difference", "Differences");
    headline(p);
    settings(p);
    inputs(p);
    for (uint32_t i = 1; i < p->n; i++) {
        between(p, i);
    }
    html_close(h);
}
