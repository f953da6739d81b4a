/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction by instruction: the hottest, and all of a kernel in the order of the program. */
#include "parts.h"

#include <string.h>

enum { MOST_PROGRAMS = 12, MOST_LINES = 2000, HOTTEST = 10 };

/* What an instruction cost: issue slots that it took and that were lost while it was next, or, without those, warps' cycles. */
static double cost(const json_t *pc)
{
    const json_t *slots = json_object_get(pc, "slots");
    return sum_of(slots != NULL ? slots : json_object_get(pc, "stalls"));
}

static const char *worst(const json_t *pc, double *most)
{
    const json_t *slots = json_object_get(pc, "slots");
    const char *label, *found = NULL;
    json_t *v;
    *most = 0;
    json_object_foreach((json_t *)(slots != NULL ? slots : json_object_get(pc, "stalls")), label, v)
    {
        if (ww_report_number(v) > *most) {
            *most = ww_report_number(v);
            found = label;
        }
    }
    return found;
}

/* What a table of instructions has columns for. */
typedef struct Columns {
    bool line, source, requests, latency, l1, l2, conflicts, transactions;
    double cost;
    const char *of; /* what cost counts */
} Columns;

static bool any(const json_t *pcs, const char *key)
{
    for (size_t i = 0; i < json_array_size(pcs); i++) {
        if (sum_of(json_object_get(json_array_get(pcs, i), key)) > 0) {
            return true;
        }
    }
    return false;
}

static Columns columns_of(const json_t *kernel, const json_t *pcs)
{
    Columns c = {.line = any(pcs, "line"),
                 .source = any(pcs, "source"),
                 .requests = any(pcs, "requests"),
                 .latency = any(pcs, "latency"),
                 .l1 = any(pcs, "l1"),
                 .l2 = any(pcs, "l2"),
                 .conflicts = any(pcs, "bank_conflicts"),
                 .transactions = any(pcs, "transactions"),
                 .of = any(pcs, "slots") ? "issue slots, used and lost" : "warp cycles"};
    double slots;
    Slot unused[MOST_SLOTS];
    slots_of(kernel, unused, &slots);
    for (size_t i = 0; i < json_array_size(pcs); i++) {
        c.cost += cost(json_array_get(pcs, i));
    }
    c.cost = any(pcs, "slots") && slots >= c.cost
                 ? slots
                 : c.cost; /* without a warp they are of no instruction */
    return c;
}

static void heads(Html *h, const Columns *c)
{
    const struct {
        bool there, left;
        const char *text;
    } all[] = {{true, true, "pc"},
               {true, true, "instruction"},
               {true, true, "registers"},
               {c->line, false, "line of the trace"},
               {c->source, false, "source line"},
               {true, false, "issued"},
               {true, false, "lanes per issue"},
               {true, false, c->of},
               {true, false, "of the kernel"},
               {true, true, "mostly"},
               {c->requests, false, "memory requests"},
               {c->latency, false, "mean latency, cycles"},
               {c->latency, false, "longest, cycles"},
               {c->l1, false, "L1 hits"},
               {c->l2, false, "L2 hits"},
               {c->conflicts, false, "bank conflicts"},
               {c->transactions, false, "transactions"}};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i].there) {
            html_head(h, all[i].text, all[i].left);
        }
    }
    html_body(h);
}

static void figure_cell(Html *h, bool there, const json_t *o, const char *key, int digits)
{
    if (there && json_object_get(o, key) != NULL) {
        html_cell(h, number_of(o, key), digits);
    } else if (there) {
        html_none(h);
    }
}

static void share_cell(Html *h, bool there, const json_t *o, const char *key)
{
    const json_t *cache = json_object_get(o, key);
    if (there) {
        html_share(h, number_of(cache, "hits"), number_of(cache, "accesses"));
    }
}

static void row(Html *h, const Columns *c, const json_t *pc, bool hot)
{
    double most, issues = number_of(pc, "issues"), requests = number_of(pc, "requests");
    const char *cause = worst(pc, &most);
    const json_t *latency = json_object_get(pc, "latency");
    g_autofree char *at = g_strdup_printf("%04x", (unsigned)number_of(pc, "pc")),
                    *order = g_strdup_printf("%.0f", number_of(pc, "pc"));
    html_open(h, "tr", "class", hot ? "hot" : NULL, NULL);
    html_leaf(h, "th", at, "scope", "row", "class", "code", "data-v", order, NULL);
    html_open(h, "td", "class", "left code", NULL);
    html_text(h, string_of(pc, "opcode", "?"));
    if (json_object_get(pc, "kernel") != NULL) { /* of one that ran beside it */
        html_textf(h, " (kernel %.0f)", number_of(pc, "kernel"));
    }
    html_close(h);
    html_leaf(h, "td", string_of(pc, "registers", ""), "class", "left code wrap", NULL);
    figure_cell(h, c->line, pc, "line", 0);
    figure_cell(h, c->source, pc, "source", 0);
    html_cell(h, issues, 0);
    if (issues > 0) {
        html_cell(h, number_of(pc, "lanes") / issues, 1);
    } else {
        html_none(h);
    }
    html_cell(h, cost(pc), 0);
    html_share(h, cost(pc), c->cost);
    html_leaf(h, "td", cause != NULL ? slot_text(cause) : "-", "class", "left", NULL);
    figure_cell(h, c->requests, pc, "requests", 0);
    if (c->latency && requests > 0) {
        html_cell(h, number_of(latency, "sum") / requests, 1);
    } else if (c->latency) {
        html_none(h);
    }
    figure_cell(h, c->latency, latency, "max", 0);
    share_cell(h, c->l1, pc, "l1");
    share_cell(h, c->l2, pc, "l2");
    figure_cell(h, c->conflicts, pc, "bank_conflicts", 0);
    figure_cell(h, c->transactions, pc, "transactions", 0);
    html_close(h);
}

static int hottest_first(gconstpointer a, gconstpointer b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double u = cost(x), v = cost(y);
    return u > v   ? -1
           : u < v ? 1
                   : (number_of(x, "pc") > number_of(y, "pc")) -
                         (number_of(x, "pc") < number_of(y, "pc"));
}

/* States of a warp that no slot is lost to. */
static const char *state_text(const char *label)
{
    return strcmp(label, "selected") == 0       ? "issued"
           : strcmp(label, "not_selected") == 0 ? "ready, another warp issued"
           : strcmp(label, "drain") == 0        ? "exited, memory accesses outstanding"
                                                : slot_text(label);
}

/* What resident warps were doing, all of them: a slot that is issued hides what the others wait for. */
static void warps_table(Html *h, const json_t *kernel)
{
    const json_t *stalls = json_object_get(json_object_get(kernel, "warps"), "stalls");
    const char *label;
    json_t *v;
    double all = sum_of(stalls);
    if (!(all > 0)) {
        return;
    }
    html_table(h, "sort warps", "what resident warps were doing, in warp cycles");
    html_head(h, "state", true);
    html_head(h, "warp cycles", false);
    html_head(h, "share", false);
    html_body(h);
    json_object_foreach((json_t *)stalls, label, v)
    {
        html_open(h, "tr", NULL);
        html_leaf(h, "th", state_text(label), "scope", "row", NULL);
        html_cell(h, ww_report_number(v), 0);
        html_share(h, ww_report_number(v), all);
        html_close(h);
    }
    html_table_end(h);
}

static void program(Page *p, uint32_t i, const json_t *kernel)
{
    Html *h = &p->h;
    char prefix[8];
    const json_t *pcs = json_object_get(kernel, "pcs");
    size_t n = json_array_size(pcs);
    Columns c = columns_of(kernel, pcs);
    g_autofree char *title = kernel_title(&p->run[i], kernel);
    g_autoptr(GPtrArray) hot = g_ptr_array_new();
    for (size_t k = 0; k < n; k++) {
        g_ptr_array_add(hot, json_array_get(pcs, k));
    }
    g_ptr_array_sort(hot, hottest_first);
    run_prefix(p, i, prefix);
    html_open(h, "h3", "class", "code", NULL);
    html_textf(h, "%s%s", prefix, title);
    html_close(h);
    g_autofree char *first =
        g_strdup_printf("the %u most expensive instructions", MIN(hot->len, HOTTEST));
    html_table(h, "sort hottest", first);
    heads(h, &c);
    for (guint k = 0; k < MIN(hot->len, HOTTEST); k++) {
        row(h, &c, hot->pdata[k], false);
    }
    html_table_end(h);
    g_autofree char *all =
        n > MOST_LINES
            ? g_strdup_printf("the first %d of %zu instructions, in program order", MOST_LINES, n)
            : g_strdup_printf("all %zu instructions in program order; those above are marked", n);
    warps_table(h, kernel);
    html_open(h, "details", NULL);
    html_leaf(h, "summary", "The whole program", NULL);
    html_table(h, "sort program", all);
    heads(h, &c);
    for (size_t k = 0; k < MIN(n, MOST_LINES); k++) {
        bool marked = false;
        for (guint t = 0; t < MIN(hot->len, HOTTEST); t++) {
            marked |= hot->pdata[t] == json_array_get(pcs, k);
        }
        row(h, &c, json_array_get(pcs, k), marked);
    }
    html_table_end(h);
    html_close(h);
}

void part_instructions(Page *p)
{
    static const char *const tellers[] = {"warp_pool.", "warp_scheduler.", "issue_stage.", NULL};
    Html *h = &p->h;
    html_section(h, "instructions", "Instructions");
    for (uint32_t i = 0; i < p->n; i++) {
        g_autoptr(GPtrArray) kernels = kernels_of(&p->run[i], UINT32_MAX);
        unsigned shown = 0, with = 0;
        for (guint k = 0; k < kernels->len; k++) {
            if (json_array_size(json_object_get(kernels->pdata[k], "pcs")) > 0 &&
                with++ < MOST_PROGRAMS) {
                program(p, i, kernels->pdata[k]);
                shown++;
            }
        }
        if (with == 0 && trace_of(&p->run[i]) == NULL && !may_have(&p->run[i], tellers)) {
            without(p, i, "this machine has no warps and therefore no instructions");
        } else if (with == 0) {
            missing(p, i, "figures per instruction", "--pcs");
        } else if (with > shown) {
            html_note(h, "%u more kernels have such figures; they are in the JSON.", with - shown);
        }
    }
    html_close(h);
}
