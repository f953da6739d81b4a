/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for people: one screen. How long each kernel took, where the issue slots went, how busy the units were, what memory
 * saw. Sections whose components the machine lacks are left out; numbers of a section add up to the line that heads it.
 */
#include "cli-priv.h"
#include "pcs.h"
#include "report.h"
#include <results/rates.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KERNELS 12u /* more do not fit a screen: the longest are shown */
#define NAME_WIDTH 36u
#define BAR_WIDTH 30.0

static double ratio(double a, double b)
{
    return b != 0 ? a / b : 0;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static int by_cycles(const void *a, const void *b)
{
    const WwResultKernel *const *x = a, *const *y = b;
    if ((*x)->cycles != (*y)->cycles) {
        return (*x)->cycles < (*y)->cycles ? 1 : -1;
    }
    return (*x)->end < (*y)->end ? -1 : (*x)->end > (*y)->end;
}

static int by_end(const void *a, const void *b)
{
    const WwResultKernel *const *x = a, *const *y = b;
    return (*x)->end < (*y)->end ? -1 : (*x)->end > (*y)->end;
}

/* The kernels to show, in order of their end. */
static GPtrArray *pick_kernels(const WwResults *r)
{
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < r->kernels.n; i++) {
        g_ptr_array_add(list, r->kernels.v[i]);
    }
    if (list->len > MOST_KERNELS) {
        qsort(list->pdata, list->len, sizeof list->pdata[0], by_cycles);
        g_ptr_array_set_size(list, MOST_KERNELS);
        qsort(list->pdata, list->len, sizeof list->pdata[0], by_end);
    }
    return list;
}

static void print_kernel(const char *uid, const char *name, WwCycle cycles, uint64_t threads,
                         uint64_t warps, uint64_t ctas, const char *note, FILE *out)
{
    g_autofree char *shown = cli_cut(name, NAME_WIDTH);
    g_autofree char *c = cli_grouped(cycles);
    g_autofree char *w = cli_grouped(warps);
    g_autofree char *n = cli_grouped(ctas);
    int pad = (int)NAME_WIDTH - (int)g_utf8_strlen(shown, -1);
    fprintf(out, "%5s  %s%*s %14s %9.1f %14s %9s%s\n", uid, shown, pad, "", c,
            ratio((double)threads, (double)cycles), w, n, note);
}

static void print_kernels(const WwResults *r, FILE *out)
{
    g_autoptr(GPtrArray) shown = pick_kernels(r);
    uint64_t threads = 0, warps = 0, ctas = 0;
    fprintf(out, "%5s  %-*s %14s %9s %14s %9s\n", "", (int)NAME_WIDTH, "kernel", "cycles", "IPC",
            "warp instr.", "CTAs");
    for (guint i = 0; i < r->kernels.n; i++) {
        const WwResultKernel *k = r->kernels.v[i];
        threads += k->thread_insns;
        warps += k->warp_insns;
        ctas += k->ctas;
    }
    for (guint i = 0; i < shown->len; i++) {
        const WwResultKernel *k = shown->pdata[i];
        g_autofree char *uid = g_strdup_printf("%u", k->uid);
        print_kernel(uid, k->name, k->cycles, k->thread_insns, k->warp_insns, k->ctas,
                     k->partial ? "  not finished" : "", out);
    }
    if (shown->len < r->kernels.n) {
        fprintf(out, "%5s  the longest %u of %u kernels\n", "", shown->len, r->kernels.n);
    }
    print_kernel("", "total", r->cycles, threads, warps, ctas, "", out);
}

/* ---- issue slots ------------------------------------------------------------------------------------------------ */

typedef struct Slot {
    const char *text;
    uint64_t n;
} Slot;

static int by_count(const void *a, const void *b)
{
    const Slot *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->text, y->text);
}

static void print_slot(const Slot *s, uint64_t all, FILE *out)
{
    g_autofree char *n = cli_grouped(s->n);
    double part = ratio((double)s->n, (double)all);
    g_autofree char *bar = cli_bar(out, part, BAR_WIDTH);
    fprintf(out, "    %-33s %16s %6.1f %%%s%s\n", s->text, n, part * 100, *bar != '\0' ? "  " : "",
            bar);
}

/* Slots of all schedulers; every one is either used or has one cause. */
static uint64_t issue_slots(const WwResults *r, uint64_t *used)
{
    uint64_t one, two, lost;
    ww_results_value(r, r->total, "warp_scheduler", "single_issue", NULL, &one);
    ww_results_value(r, r->total, "warp_scheduler", "dual_issue", NULL, &two);
    ww_results_value(r, r->total, "warp_scheduler", "cause", NULL, &lost);
    *used = one + two;
    return *used + lost;
}

static void print_issue(const WwResults *r, FILE *out)
{
    const WwColumn *cause = ww_results_column(r, "warp_scheduler", "cause");
    uint64_t used, all = issue_slots(r, &used);
    if (cause == NULL || all == 0) {
        return;
    }
    g_autoptr(GArray) lost = g_array_new(false, false, sizeof(Slot));
    for (uint32_t i = 0; i < cause->row->n; i++) {
        Slot s = {ww_cause_text(cause->row->labels[i]), r->total[cause->at + i]};
        if (s.n != 0) {
            g_array_append_val(lost, s);
        }
    }
    g_array_sort(lost, by_count);
    g_autofree char *n = cli_grouped(all);
    fprintf(out, "\nissue slots (schedulers x cycles in which their SM was clocked): %s\n", n);
    print_slot(&(Slot){"issued", used}, all, out);
    for (guint i = 0; i < lost->len; i++) {
        print_slot(&g_array_index(lost, Slot, i), all, out);
    }
}

/* ---- rates ------------------------------------------------------------------------------------------------------ */

static bool total_value(void *user, const char *type, const char *stat, const char *label,
                        uint64_t *out)
{
    const WwResults *r = user;
    return ww_results_value(r, r->total, type, stat, label, out);
}

/* Occupancy, and how often caches and DRAM rows had what was asked for. */
static void print_rates(const WwResults *r, FILE *out)
{
    WwRate rates[WW_N_RATES];
    bool head = false;
    ww_rates(total_value, (void *)r, rates);
    for (int i = 0; i < WW_N_RATES; i++) {
        if (rates[i].has) {
            fputs(head ? "" : "\nrates\n", out);
            head = true;
            fprintf(out, "    %-15s %6.1f %%  of %s\n", rates[i].name, rates[i].percent,
                    rates[i].of);
        }
    }
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

typedef struct UnitSum {
    const char *name; /* of the components: "sp", "int" */
    uint32_t instances;
    uint64_t issued, busy;
} UnitSum;

static UnitSum *unit_of(GArray *units, const char *name)
{
    for (guint i = 0; i < units->len; i++) {
        UnitSum *u = &g_array_index(units, UnitSum, i);
        if (strcmp(u->name, name) == 0) {
            return u;
        }
    }
    UnitSum u = {.name = name};
    g_array_append_val(units, u);
    return &g_array_index(units, UnitSum, units->len - 1);
}

static void print_units(const WwResults *r, FILE *out)
{
    const WwColumn *sms = ww_results_column(r, WW_WARP_INSNS),
                   *schedulers = ww_results_column(r, "warp_scheduler", "cause");
    uint64_t used, slots = issue_slots(r, &used);
    g_autoptr(GArray) units = g_array_new(false, false, sizeof(UnitSum));
    const WwType *type = NULL; /* neighbours are often of one */
    int issued = -1, busy = -1;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (c->type != type) {
            type = c->type;
            issued = ww_type_stat(type, "issued");
            busy = ww_type_stat(type, "busy");
        }
        if (issued >= 0 && busy >= 0) {
            UnitSum *u = unit_of(units, c->name);
            u->instances++;
            u->issued += ww_stat_values(c, &c->type->stats[issued])[0];
            u->busy += ww_stat_values(c, &c->type->stats[busy])[0];
        }
    }
    if (units->len == 0 || sms == NULL || schedulers == NULL || slots == 0) {
        return;
    }
    fprintf(out, "\nunits%*s%16s %8s\n", 33, "", "instructions", "busy");
    /* cycles in which a unit's SM was clocked, summed over units: slots come from as many schedulers */
    double per_instance = (double)slots / schedulers->instances;
    for (guint i = 0; i < units->len; i++) {
        const UnitSum *u = &g_array_index(units, UnitSum, i);
        if (u->issued == 0) {
            continue;
        }
        g_autofree char *n = cli_grouped(u->issued);
        g_autofree char *text =
            g_strdup_printf("%s (%g an SM)", u->name, (double)u->instances / sms->instances);
        double part = ratio((double)u->busy, per_instance * u->instances);
        g_autofree char *bar = cli_bar(out, MIN(part, 1.0), BAR_WIDTH);
        fprintf(out, "    %-33s %16s %6.1f %%%s%s\n", text, n, part * 100, *bar != '\0' ? "  " : "",
                bar);
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef struct MemoryLine {
    const char *text, *type, *stat, *unit;
} MemoryLine;

static const MemoryLine memory_lines[] = {
    {"global and local loads", "ldst_unit", "n_load_insn", "lanes"},
    {"global and local stores", "ldst_unit", "n_store_insn", "lanes"},
    {"shared memory accesses", "ldst_unit", "n_shmem_insn", "lanes"},
    {"first-level cache accesses", "cache.l1", "accesses", "accesses"},
    {"of these, misses", "cache.l1", "misses", "accesses"},
    {"packets that they sent to memory", "cache.l1", "traffic", "packets"},
    {"packets sent to memory past them", "ldst_unit", "traffic", "packets"},
    {"LD/ST unit held an instruction back", "ldst_unit", "n_stall_shd_mem", "cycles"},
    {"of these, shared memory conflicts", "ldst_unit", "n_shmem_bkconflict", "cycles"},
    {"bytes that ideal memory saw", "memory.ideal", "bytes", "bytes"},
};

static void print_memory(const WwResults *r, FILE *out)
{
    bool head = false;
    for (size_t i = 0; i < G_N_ELEMENTS(memory_lines); i++) {
        const MemoryLine *l = &memory_lines[i];
        uint64_t v;
        if (!ww_results_value(r, r->total, l->type, l->stat, NULL, &v) || v == 0) {
            continue;
        }
        fputs(head ? "" : "\nmemory\n", out);
        head = true;
        g_autofree char *n = cli_grouped(v);
        fprintf(out, "    %-37s %12s %s\n", l->text, n, l->unit);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void cli_report_summary(const WwResults *r, FILE *out)
{
    fprintf(out, "%s on %s", r->trace, r->platform);
    for (char **c = r->configs; c != NULL && *c != NULL; c++) {
        fprintf(out, "%s%s", c == r->configs ? " with " : ", ", *c);
    }
    bool so_far = strcmp(r->status, "running") == 0;
    fprintf(out, "%s%s%s\n\n",
            so_far       ? " (so far"
            : r->partial ? " (partial: "
                         : "",
            r->partial && !so_far ? r->status : "", r->partial ? ")" : "");
    print_kernels(r, out);
    print_issue(r, out);
    cli_pcs_hottest(r, out);
    print_rates(r, out);
    print_units(r, out);
    print_memory(r, out);
    if (r->has_fingerprint) {
        fprintf(out, "\nfingerprint %016" PRIx64 "\n", r->fingerprint);
    }
}

void cli_report_host(const WwResults *r, FILE *out)
{
    uint64_t insns;
    ww_results_value(r, r->total, WW_WARP_INSNS, NULL, &insns);
    fprintf(out,
            "host: %.2f s (%.2f s of processor) on %u thread%s, %.0f k cycles/s, %.0f k warp "
            "instr./s, %.2f "
            "activations a cycle\n",
            r->host_s, r->host_cpu_s, r->threads, r->threads != 1 ? "s" : "",
            ratio((double)r->cycles, r->host_s) / 1000, ratio((double)insns, r->host_s) / 1000,
            ratio((double)r->activations, (double)r->cycles));
}
