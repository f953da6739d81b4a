/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds a run: the largest part of its time, then of its issue slots, then, of memory, what was used at least half of the time. */
#include <results/limit.h>
#include <results/stalls.h>

#include <string.h>

#define MOST_ISSUE_TYPES 4u

typedef struct Figures {
    const WwResults *r;
    const uint64_t *values;
    double active; /* share of the cycles in which any SM held a CTA */
    const WwColumn *cause[MOST_ISSUE_TYPES];
} Figures;

static double ratio(double a, double b)
{
    return b != 0 ? a / b : 0;
}

/* 0 when the machine has no such statistic. */
static double value(const Figures *f, const char *type, const char *stat)
{
    uint64_t v;
    ww_results_value(f->r, f->values, type, stat, NULL, &v);
    return (double)v;
}

static double instances(const Figures *f, const char *type, const char *stat)
{
    const WwColumn *c = ww_results_column(f->r, type, stat);
    return c != NULL ? c->instances : 0;
}

/* ---- slots ------------------------------------------------------------------------------------------------------ */

typedef struct Part {
    const char *what;
    WwLostKind kind;
    double n;
} Part;

static const char *const kind_texts[WW_N_LOST_KINDS] = {
    [WW_LOST_WARPS] = "too few warps",           [WW_LOST_SYNC] = "barriers",
    [WW_LOST_MEMORY] = "memory latency",         [WW_LOST_FETCH] = "instruction fetch",
    [WW_LOST_ARITHMETIC] = "arithmetic latency", [WW_LOST_OTHER] = "the scheduling policy",
};

/* Of all types that issue. */
static double issue_value(const Figures *f, const char *stat)
{
    double sum = 0;
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        sum += value(f, *type, stat);
    }
    return sum;
}

static double used_slots(const Figures *f)
{
    return issue_value(f, "single_issue") + issue_value(f, "dual_issue");
}

static double all_slots(const Figures *f)
{
    return used_slots(f) + issue_value(f, "cause");
}

/* Of all types that issue, slots that were lost to @p cause. */
static double lost_to(const Figures *f, const char *cause)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < MOST_ISSUE_TYPES && f->cause[t] != NULL; t++) {
        const WwStatRow *row = f->cause[t]->row;
        for (uint32_t i = 0; i < row->n; i++) {
            if (strcmp(row->labels[i], cause) == 0) {
                sum += f->values[f->cause[t]->at + i];
            }
        }
    }
    return (double)sum;
}

static void find_causes(Figures *f)
{
    uint32_t n = 0;
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        const WwColumn *c = ww_results_column(f->r, *type, "cause");
        if (c != NULL && c->row->labels != NULL && n < MOST_ISSUE_TYPES) {
            f->cause[n++] = c;
        }
    }
}

/* The largest part of the slots, kind @p but aside. */
static Part largest(const Figures *f, WwLostKind but)
{
    Part best = {"issue", WW_N_LOST_KINDS, used_slots(f)};
    double of[WW_N_LOST_KINDS] = {0};
    uint32_t n_stalls;
    const WwStallCause *stalls = ww_stalls(&n_stalls);
    for (uint32_t i = 0; i < n_stalls; i++) {
        const WwStallCause *s = &stalls[i];
        double n = lost_to(f, s->cause);
        WwLostKind kind = s->kind;
        if (kind == WW_LOST_UNIT && n > best.n) {
            best = (Part){s->text, kind, n};
        }
        of[kind] += n;
    }
    for (WwLostKind k = 0; k < WW_N_LOST_KINDS; k++) {
        if (k != WW_LOST_UNIT && k != but && of[k] > best.n) {
            best = (Part){kind_texts[k], k, of[k]};
        }
    }
    return best;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static double dram_busy(const Figures *f)
{
    return ratio(value(f, "dram.frfcfs", "util_bw"), value(f, "dram.frfcfs", "n_cmd") * f->active);
}

static double l2_busy(const Figures *f)
{
    double most =
        MAX(value(f, "cache.l2", "data_port_busy"), value(f, "cache.l2", "fill_port_busy"));
    return ratio(MAX(most, value(f, "l2_slice", "accepted")),
                 value(f, "cache.l2", "port_samples") * f->active);
}

/* Schedulers have a slot in each cycle in which their SM is clocked. */
static double l1_busy(const Figures *f)
{
    double sms = instances(f, WW_WARP_INSNS), schedulers = 0;
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        schedulers += instances(f, *type, "cause");
    }
    double cycles = ratio(all_slots(f) * sms, schedulers);
    double held =
        value(f, "ldst_unit", "n_stall_shd_mem") + value(f, "ldst_unit.linked", "n_stall_shd_mem");
    return ratio(MAX(value(f, "cache.l1", "data_port_busy"), held), cycles);
}

static void memory_limit(const Figures *f, WwLimit *limit)
{
    const struct {
        const char *name, *what;
        double busy;
    } levels[] = {
        {"DRAM", "DRAM bandwidth", dram_busy(f)},
        {"L2", "L2 bandwidth", l2_busy(f)},
        {"L1", "L1 bandwidth", l1_busy(f)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(levels); i++) {
        if (limit->busiest == NULL || levels[i].busy * 100 > limit->busy) {
            limit->busiest = levels[i].name;
            limit->busy = levels[i].busy * 100;
            limit->what = levels[i].busy >= 0.5 ? levels[i].what : kind_texts[WW_LOST_MEMORY];
        }
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

WwLimit ww_limit(const WwResults *r, const uint64_t *values, WwCycle cycles, WwCycle launch,
                 WwCycle tail)
{
    WwLimit limit = {0};
    WwCycle work = cycles - MIN(cycles, launch + tail);
    limit.time = launch > work && launch >= tail ? WW_TIME_LAUNCH
                 : tail > work                   ? WW_TIME_TAIL
                                                 : WW_TIME_WORK;
    const WwCycle parts[] = {work, launch, tail};
    limit.time_share = 100 * ratio((double)parts[limit.time], (double)cycles);
    double active = ratio((double)(cycles - MIN(cycles, launch)), (double)cycles);
    Figures f = {.r = r, .values = values, .active = active};
    find_causes(&f);
    double slots = all_slots(&f);
    if (slots == 0) {
        return limit;
    }
    Part part = largest(&f, WW_N_LOST_KINDS);
    limit.what = part.what;
    limit.slot_share = 100 * part.n / slots;
    if (part.kind == WW_LOST_MEMORY) {
        memory_limit(&f, &limit);
    } else if (part.kind == WW_LOST_WARPS) {
        limit.next = largest(&f, WW_LOST_WARPS).what;
    }
    double room = value(&f, "cta_slots", "slot_cycles");
    limit.occupancy = 100 * ratio(value(&f, "cta_slots", "warp_cycles"), room);
    limit.few_warps =
        room != 0 && limit.occupancy < 50 &&
        (limit.what == kind_texts[WW_LOST_MEMORY] || limit.what == kind_texts[WW_LOST_ARITHMETIC]);
    return limit;
}

char *ww_limit_text(const WwLimit *l)
{
    static const char *const times[] = {NULL, "launch latency", "the tail"};
    GString *text = g_string_new(NULL);
    if (l->time != WW_TIME_WORK) {
        g_string_append_printf(text, "%s (%.1f %% of the cycles)%s", times[l->time], l->time_share,
                               l->what != NULL ? ", and the rest by " : "");
    }
    if (l->what != NULL) {
        g_string_append_printf(text, "%s (%s%.1f %% of the issue slots", l->what,
                               l->busiest != NULL ? "memory " : "", l->slot_share);
        if (l->busiest != NULL) {
            g_string_append_printf(text, ", %s used %.1f %% of the time", l->busiest, l->busy);
        }
        if (l->next != NULL) {
            g_string_append_printf(text, "; where there are warps, %s", l->next);
        }
        if (l->few_warps) {
            g_string_append_printf(text, ", too few warps to hide it: occupancy %.1f %%",
                                   l->occupancy);
        }
        g_string_append_c(text, ')');
    }
    char *said = g_string_free(text, false);
    if (*said == '\0') {
        g_clear_pointer(&said, g_free);
    }
    return said;
}
