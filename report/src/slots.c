/* SPDX-License-Identifier: Apache-2.0 */
/* Issue slots by cause: a bar for each kernel and run, and the table behind it. */
#include "parts.h"

#include <results/stalls.h>
#include <string.h>

enum { MOST_BARS = 24 };

void slots_cell(Html *h, const Slot *slot, unsigned n, double length, bool counted)
{
    double sum = 0, x = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += slot[i].n;
    }
    html_open(h, "td", "class", "stackcell", NULL);
    html_open(h, "svg", "class", "stack", "viewBox", "0 0 1000 26", "preserveAspectRatio", "none",
              "role", "img", "aria-label",
              "Shares of its issue slots; the table below has the numbers", NULL);
    for (unsigned i = 0; i < n; i++) {
        char at[G_ASCII_DTOSTR_BUF_SIZE], width[G_ASCII_DTOSTR_BUF_SIZE];
        double w = 1000 * length * slot[i].n / sum;
        if (slot[i].n > 0) {
            g_autofree char *class = g_strdup_printf("seg %s", slot_class(slot[i].label, i)),
                            *share = html_number(100 * slot[i].n / sum, 1),
                            *count = html_number(slot[i].n, 0);
            g_autofree char *tip =
                g_strdup_printf("%s: %s %%%s%s%s", slot_text(slot[i].label), share,
                                counted ? ", " : "", counted ? count : "", counted ? " slots" : "");
            html_open(h, "rect", "class", class, "x", g_ascii_formatd(at, sizeof at, "%.2f", x),
                      "y", "0", "width", g_ascii_formatd(width, sizeof width, "%.2f", w), "height",
                      "26", NULL);
            html_leaf(h, "title", tip, NULL);
            html_close(h);
            x += w;
        }
    }
    html_close_n(h, 2);
}

static void one_bar(Html *h, const char *title, const json_t *of)
{
    Slot slot[MOST_SLOTS];
    double sum;
    unsigned n = slots_of(of, slot, &sum);
    if (!(sum > 0)) {
        return;
    }
    html_open(h, "tr", NULL);
    html_leaf(h, "th", title, "scope", "row", "class", "wrap code", NULL);
    html_cell(h, sum, 0);
    slots_cell(h, slot, n, 1, true);
    html_close(h);
}

/* Where a cause stands on all pages: what was used, then those of docs/stalls.md in its order, then others. */
static uint32_t rank(const char *label)
{
    uint32_t n, i = 0;
    const WwStallCause *known = ww_stalls(&n);
    if (strcmp(label, "issued") == 0) {
        return 0;
    }
    while (i < n && strcmp(known[i].cause, label) != 0) {
        i++;
    }
    return i + 1;
}

void slots_add_in_order(GPtrArray *labels, const char *label)
{
    guint at = 0;
    while (at < labels->len && rank(labels->pdata[at]) <= rank(label)) {
        at++;
    }
    g_ptr_array_insert(labels, (int)at, (gpointer)label);
}

/* Every cause that any run met, in the order that is the same everywhere. */
static GPtrArray *causes(const Page *p)
{
    GPtrArray *all = g_ptr_array_new();
    for (uint32_t r = 0; r < p->n; r++) {
        Slot slot[MOST_SLOTS];
        double sum;
        unsigned n = slots_of(p->run[r].total, slot, &sum);
        for (unsigned i = 0; i < n; i++) {
            if (slot[i].n > 0 &&
                !g_ptr_array_find_with_equal_func(all, slot[i].label, g_str_equal, NULL)) {
                slots_add_in_order(all, slot[i].label);
            }
        }
    }
    return all;
}

static void key(Html *h, const char *class)
{
    html_open(h, "svg", "class", "key", "viewBox", "0 0 12 12", "aria-hidden", "true", NULL);
    html_leaf(h, "rect", NULL, "class", class, "width", "12", "height", "12", NULL);
    html_close(h);
}

void slots_legend(Html *h, const GPtrArray *labels)
{
    html_open(h, "ul", "class", "legend", NULL);
    for (guint i = 0; i < labels->len; i++) {
        html_open(h, "li", NULL);
        key(h, slot_class(labels->pdata[i], i));
        html_text(h, slot_text(labels->pdata[i]));
        html_close(h);
    }
    html_close(h);
}

static double slot_value(const json_t *of, const char *label, double *sum)
{
    Slot slot[MOST_SLOTS];
    unsigned n = slots_of(of, slot, sum);
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(slot[i].label, label) == 0) {
            return slot[i].n;
        }
    }
    return 0;
}

static void numbers(Page *p, const GPtrArray *all)
{
    Html *h = &p->h;
    bool named = false;
    for (guint i = 0; i < all->len; i++) {
        named |= slot_nsight(all->pdata[i]) != NULL;
    }
    html_table(h, "sort slots",
               "Issue slots by cause, the whole run: each slot was used or has one cause");
    html_head(h, "cause", true);
    html_head(h, "statistic of the scheduler", true);
    if (named) {
        html_head(h, "name in Nsight Compute", true);
    }
    for (uint32_t r = 0; r < p->n; r++) {
        char prefix[8];
        run_prefix(p, r, prefix);
        g_autofree char *n = g_strdup_printf("%sslots", prefix),
                        *share = g_strdup_printf("%sshare", prefix);
        html_head(h, n, false);
        html_head(h, share, false);
    }
    html_body(h);
    for (guint i = 0; i < all->len; i++) {
        const char *label = all->pdata[i], *nsight = slot_nsight(label);
        html_open(h, "tr", NULL);
        html_leaf(h, "th", slot_text(label), "scope", "row", NULL);
        html_leaf(h, "td", strcmp(label, "issued") == 0 ? "single_issue, dual_issue" : label,
                  "class", "left code", NULL);
        if (named) {
            html_leaf(h, "td", nsight != NULL ? nsight : "-", "class", "left code", NULL);
        }
        for (uint32_t r = 0; r < p->n; r++) {
            double sum, v = slot_value(p->run[r].total, label, &sum);
            html_cell(h, v, 0);
            html_share(h, v, sum);
        }
        html_close(h);
    }
    html_table_end(h);
}

/* Kernels by causes, as shares. */
static void by_kernel(Page *p, uint32_t r, const GPtrArray *all, const GPtrArray *kernels)
{
    Html *h = &p->h;
    char prefix[8];
    g_autofree char *caption = g_strdup_printf(
        "%sissue slots by kernel and cause, %% of the kernel's slots", run_prefix(p, r, prefix));
    html_table(h, "sort", caption);
    html_head(h, "kernel", true);
    for (guint i = 0; i < all->len; i++) {
        html_head(h, slot_text(all->pdata[i]), false);
    }
    html_body(h);
    for (guint k = 0; k < kernels->len; k++) {
        g_autofree char *title = kernel_title(&p->run[r], kernels->pdata[k]);
        html_open(h, "tr", NULL);
        html_leaf(h, "th", title, "scope", "row", "class", "wrap code", NULL);
        for (guint i = 0; i < all->len; i++) {
            double sum, v = slot_value(kernels->pdata[k], all->pdata[i], &sum);
            if (sum > 0) {
                html_cell(h, 100 * v / sum, 1);
            } else {
                html_none(h);
            }
        }
        html_close(h);
    }
    html_table_end(h);
}

static void bars(Page *p)
{
    Html *h = &p->h;
    html_table(h, "bars",
               "Where the issue slots of each kernel went: a full bar is all of its slots");
    html_head(h, "kernel", true);
    html_head(h, "slots", false);
    html_head(h, "share by cause", true);
    html_body(h);
    for (uint32_t r = 0; r < p->n; r++) {
        char prefix[8];
        g_autoptr(GPtrArray) kernels = kernels_of(&p->run[r], MOST_BARS);
        run_prefix(p, r, prefix);
        g_autofree char *whole = g_strdup_printf("%sthe run", prefix);
        one_bar(h, whole, p->run[r].total);
        for (guint k = 0; k < kernels->len && json_array_size(p->run[r].kernels) > 1; k++) {
            g_autofree char *title = kernel_title(&p->run[r], kernels->pdata[k]);
            g_autofree char *named = g_strdup_printf("%s%s", prefix, title);
            one_bar(h, named, kernels->pdata[k]);
        }
    }
    html_table_end(h);
}

void part_slots(Page *p)
{
    Html *h = &p->h;
    g_autoptr(GPtrArray) all = causes(p);
    html_section(h, "slots", "Issue slots");
    html_leaf(h, "p",
              "Each scheduler has one slot per cycle in which its SM is clocked. Either it issued, "
              "or it lost the slot to one cause.",
              NULL);
    if (all->len == 0) {
        html_note(h, "This machine has no warp schedulers that count their slots.");
    } else {
        bars(p);
        slots_legend(h, all);
        numbers(p, all);
        for (uint32_t r = 0; r < p->n; r++) {
            g_autoptr(GPtrArray) kernels = kernels_of(&p->run[r], MOST_KERNELS);
            if (kernels->len > 1) {
                by_kernel(p, r, all, kernels);
            }
        }
    }
    html_close(h);
}
