/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for people: one screen. How long each kernel took, what that time was and what bounds it, where the issue slots went, how busy the
 * units were, what memory saw. Sections whose components the machine lacks are left out; numbers of a section add up to the line that heads it.
 */
#include "pcs.h"
#include "report-priv.h"
#include "report.h"
#include <results/limit.h>
#include <results/rates.h>
#include <results/stalls.h>

#include <inttypes.h>
#include <ports/cache.h>
#include <ports/tokens.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KERNELS 12u /* more do not fit a screen: the longest are shown */
#define NAME_WIDTH 36u
#define LEAST_NAME 7u

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

/* Columns of a table of kernels. */
typedef struct KernelTable {
    const ReportPage *page;
    uint32_t name; /* columns for it */
    bool all;      /* instructions and CTAs, too */
} KernelTable;

static void print_kernel(const KernelTable *t, const char *uid, const char *name, WwCycle cycles,
                         uint64_t threads, uint64_t warps, uint64_t ctas, const char *note)
{
    g_autofree char *shown = report_text(name, t->name);
    g_autofree char *c = cli_grouped(cycles);
    g_autofree char *w = cli_grouped(warps);
    g_autofree char *n = cli_grouped(ctas);
    double ipc = ratio((double)threads, (double)cycles);
    fprintf(t->page->out, "%5s  %s %14s %9.*f", uid, shown, c, ww_ipc_digits(ipc), ipc);
    if (t->all) {
        fprintf(t->page->out, " %14s %9s", w, n);
    }
    fprintf(t->page->out, "%s\n", note);
}

/* As wide as the longest name, where there is room for that. */
static KernelTable kernel_table(const WwResults *r, const GPtrArray *shown, const ReportPage *page)
{
    enum { NUMBERS = 32, MORE = 25, NOTE = 14 };
    uint32_t longest = NAME_WIDTH;
    for (guint i = 0; i < shown->len; i++) {
        const WwResultKernel *k = shown->pdata[i];
        g_autofree char *valid = g_utf8_make_valid(k->name, -1);
        longest = MAX(longest, (uint32_t)g_utf8_strlen(valid, -1));
    }
    uint32_t note = r->partial ? NOTE : 0;
    bool all = page->width == 0 || NUMBERS + MORE + note + LEAST_NAME <= page->width;
    return (KernelTable){
        page, report_fit(page, longest, NUMBERS + note + (all ? MORE : 0), LEAST_NAME), all};
}

static void print_kernels(const WwResults *r, const ReportPage *page)
{
    g_autoptr(GPtrArray) shown = pick_kernels(r);
    KernelTable t = kernel_table(r, shown, page);
    uint64_t threads = 0, warps = 0, ctas = 0;
    fprintf(page->out, "%5s  %-*s %14s %9s", "", (int)t.name, "kernel", "cycles", "IPC");
    fprintf(page->out, t.all ? " %14s %9s\n" : "\n", "warp instr.", "CTAs");
    for (guint i = 0; i < r->kernels.n; i++) {
        const WwResultKernel *k = r->kernels.v[i];
        threads += k->thread_insns;
        warps += k->warp_insns;
        ctas += k->ctas;
    }
    for (guint i = 0; i < shown->len; i++) {
        const WwResultKernel *k = shown->pdata[i];
        g_autofree char *uid = g_strdup_printf("%u", k->uid);
        print_kernel(&t, uid, k->name, k->cycles, k->thread_insns, k->warp_insns, k->ctas,
                     k->partial ? "  not finished" : "");
    }
    if (shown->len < r->kernels.n) {
        fprintf(page->out, "%5s  the longest %u of %u kernels\n", "", shown->len, r->kernels.n);
    }
    print_kernel(&t, "", "total", r->cycles, threads, warps, ctas, "");
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void print_time_row(const ReportPage *page, const char *text, WwCycle n, WwCycle all)
{
    g_autofree char *number = cli_grouped(n);
    report_row(page, &(ReportRow){text, number, ratio((double)n, (double)all), true, NULL});
}

static WwCycle tails(const WwResults *r)
{
    WwCycle sum = 0;
    for (guint i = 0; i < r->kernels.n; i++) {
        sum += ((const WwResultKernel *)r->kernels.v[i])->tail;
    }
    return sum;
}

/* What the cycles were, and what bounds them. */
static void print_time(const WwResults *r, const ReportPage *page)
{
    uint64_t launch, tail = tails(r);
    uint32_t all, sms = ww_results_sms(r, &all);
    bool has = ww_results_value(r, r->total, WW_EMPTY_CYCLES, NULL, &launch);
    WwLimit limit = ww_limit(r, r->total, r->cycles, launch, tail);
    g_autofree char *why = ww_limit_text(&limit);
    if (has && r->cycles != 0) {
        WwCycle apart = MIN(launch + tail, r->cycles);
        fputs("\ntime (core cycles)\n", page->out);
        print_time_row(page, "launch: no CTA on any SM", launch, r->cycles);
        print_time_row(page, "work", r->cycles - apart, r->cycles);
        print_time_row(page, "tail: most SMs have no more work", tail, r->cycles);
    }
    if (sms < all) {
        g_autofree char *idle = g_strdup_printf("%u of %u", all - sms, all);
        report_row(
            page, &(ReportRow){"SMs that never had work", idle, ratio(all - sms, all), true, NULL});
    }
    if (why != NULL) {
        g_autofree char *line = g_strdup_printf("bound by %s", why);
        fputc('\n', page->out);
        report_wrap(page, line);
    }
}

/* ---- issue slots ------------------------------------------------------------------------------------------------ */

typedef struct Slot {
    const char *text, *alias;
    uint64_t n;
} Slot;

static int by_count(const void *a, const void *b)
{
    const Slot *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->text, y->text);
}

static void print_slot(const ReportPage *page, const Slot *s, uint64_t all)
{
    g_autofree char *n = cli_grouped(s->n);
    report_row(page, &(ReportRow){s->text, n, ratio((double)s->n, (double)all), true, s->alias});
}

/* Nsight's first name of it. */
static char *alias_of(const char *cause)
{
    const WwStallCause *stall = ww_stall(cause);
    const char *names = stall != NULL ? stall->nsight : "";
    return g_strndup(names, strcspn(names, ","));
}

/* Slots of all schedulers; every one is either used or has one cause. */
static uint64_t issue_slots(const WwResults *r, uint64_t *used)
{
    uint64_t one, two, lost, all = 0;
    *used = 0;
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        ww_results_value(r, r->total, *type, "single_issue", NULL, &one);
        ww_results_value(r, r->total, *type, "dual_issue", NULL, &two);
        ww_results_value(r, r->total, *type, "cause", NULL, &lost);
        *used += one + two;
        all += one + two + lost;
    }
    return all;
}

static uint64_t lost_to(const WwResults *r, const char *cause)
{
    uint64_t sum = 0, v;
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        sum += ww_results_value(r, r->total, *type, "cause", cause, &v) ? v : 0;
    }
    return sum;
}

static void print_issue(const WwResults *r, const ReportPage *page)
{
    uint32_t n_stalls;
    const WwStallCause *stalls = ww_stalls(&n_stalls);
    uint64_t used, all = issue_slots(r, &used);
    if (all == 0) {
        return;
    }
    g_autoptr(GArray) lost = g_array_new(false, false, sizeof(Slot));
    g_autoptr(GPtrArray) aliases = g_ptr_array_new_with_free_func(g_free);
    for (uint32_t i = 0; i < n_stalls; i++) {
        g_ptr_array_add(aliases, alias_of(stalls[i].cause));
        Slot s = {stalls[i].text, aliases->pdata[i], lost_to(r, stalls[i].cause)};
        if (s.n != 0) {
            g_array_append_val(lost, s);
        }
    }
    g_array_sort(lost, by_count);
    g_autofree char *n = cli_grouped(all);
    g_autofree char *head =
        g_strdup_printf("issue slots (schedulers x cycles in which their SM was clocked): %s", n);
    fputc('\n', page->out);
    report_wrap(page, head);
    print_slot(page, &(Slot){"issued", "selected", used}, all);
    for (guint i = 0; i < lost->len; i++) {
        print_slot(page, &g_array_index(lost, Slot, i), all);
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
static void print_rates(const WwResults *r, const ReportPage *page)
{
    enum { OTHERS = 33 };
    WwRate rates[WW_N_RATES];
    bool head = false;
    ww_rates(total_value, (void *)r, rates);
    for (int i = 0; i < WW_N_RATES; i++) {
        if (rates[i].has) {
            uint32_t most = report_fit(page, UINT16_MAX, OTHERS, LEAST_NAME);
            g_autofree char *of = cli_cut(rates[i].of, most);
            fputs(head ? "" : "\nrates\n", page->out);
            head = true;
            fprintf(page->out, "    %-15s %6.1f %%  of %s\n", rates[i].name, rates[i].percent, of);
        }
    }
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

typedef struct UnitSum {
    const char *name; /* of the components: "sp", "int" */
    const WwType *type;
    bool shared; /* others of that name are of another type */
    uint32_t instances;
    uint64_t issued, busy;
} UnitSum;

/* Of one name and one type: others' units are not ours. */
static UnitSum *unit_of(GArray *units, const char *name, const WwType *type)
{
    UnitSum u = {.name = name, .type = type};
    for (guint i = 0; i < units->len; i++) {
        UnitSum *other = &g_array_index(units, UnitSum, i);
        if (other->name == name || strcmp(other->name, name) == 0) {
            if (other->type == type) {
                return other;
            }
            other->shared = u.shared = true;
        }
    }
    g_array_append_val(units, u);
    return &g_array_index(units, UnitSum, units->len - 1);
}

typedef struct UnitRows {
    int issued, busy;
} UnitRows;

static void sum_units(const WwMachine *m, GArray *units)
{
    g_autofree UnitRows *rows = g_new(UnitRows, ww_machine_n_types(m));
    for (uint32_t t = 0; t < ww_machine_n_types(m); t++) {
        const WwType *type = ww_machine_first(m, t)->type;
        rows[t] = (UnitRows){ww_type_stat(type, "issued"), ww_type_stat(type, "busy")};
    }
    for (uint32_t i = 0; i < ww_machine_n_components(m); i++) {
        const UnitRows *row = &rows[ww_machine_type_of(m, i)];
        if (row->issued < 0 || row->busy < 0) {
            continue;
        }
        const WwComponent *c = ww_machine_component(m, i);
        UnitSum *u = unit_of(units, c->name, c->type);
        u->instances++;
        u->issued += ww_stat_values(c, &c->type->stats[row->issued])[0];
        u->busy += ww_stat_values(c, &c->type->stats[row->busy])[0];
    }
}

static void print_unit(const ReportPage *page, const UnitSum *u, uint32_t sms, double cycles)
{
    g_autofree char *n = cli_grouped(u->issued);
    g_autofree char *text = g_strdup_printf("%s%s%s%s (%.3g an SM)", u->name, u->shared ? " (" : "",
                                            u->shared ? u->type->name : "", u->shared ? ")" : "",
                                            (double)u->instances / sms);
    report_row(page, &(ReportRow){text, n, ratio((double)u->busy, cycles), true, NULL});
}

static void print_units(const WwResults *r, const ReportPage *page)
{
    const WwColumn *sms = ww_results_column(r, WW_WARP_INSNS);
    uint32_t schedulers = 0;
    for (const char *const *type_name = ww_issue_types; *type_name != NULL; type_name++) {
        const WwColumn *c = ww_results_column(r, *type_name, "cause");
        schedulers += c != NULL ? c->instances : 0;
    }
    uint64_t used, slots = issue_slots(r, &used);
    g_autoptr(GArray) units = g_array_new(false, false, sizeof(UnitSum));
    sum_units(r->machine, units);
    if (units->len == 0 || sms == NULL || schedulers == 0 || slots == 0) {
        return;
    }
    uint32_t columns = report_fit(page, 35, 26, LEAST_NAME);
    fprintf(page->out, "\nunits%*s%12s %8s\n", (int)columns, "", "instructions", "busy");
    /* cycles in which a unit's SM was clocked, summed over units: slots come from as many schedulers */
    double per_instance = (double)slots / schedulers;
    for (guint i = 0; i < units->len; i++) {
        const UnitSum *u = &g_array_index(units, UnitSum, i);
        if (u->issued != 0) {
            print_unit(page, u, sms->instances, per_instance * u->instances);
        }
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Caches of data, instructions and constants may be of one type: what was asked for tells them apart. */
typedef enum Asked { ASKED_ANY, ASKED_DATA, ASKED_INSTRUCTIONS, ASKED_CONSTANTS } Asked;

typedef struct MemoryLine {
    const char *text, *type, *stat,
        *unit; /* with what was asked for, stat is "accesses" or "misses" */
    Asked asked;
} MemoryLine;

/* What an LD/ST unit that takes one instruction at a time counts. */
#define UNIT_LANES(type_)                                                                          \
    {"global and local loads", type_, "n_load_insn", "lanes"},                                     \
        {"global and local stores", type_, "n_store_insn", "lanes"},                               \
    {                                                                                              \
        "shared memory accesses", type_, "n_shmem_insn", "lanes"                                   \
    }
#define UNIT_WAITS(type_)                                                                          \
    {"packets to memory bypassing them", type_, "traffic", "packets"},                             \
        {"LD/ST unit held back an instruction", type_, "n_stall_shd_mem", "cycles"},               \
    {                                                                                              \
        "of these, shared memory conflicts", type_, "n_shmem_bkconflict", "cycles"                 \
    }

static const MemoryLine memory_lines[] = {
    UNIT_LANES("ldst_unit"),
    UNIT_LANES("ldst_unit.linked"),
    {"memory instructions", "ldst.shared", "lanes", "lanes"},
    {"accesses by their address units", "ldst.shared", "accesses", "accesses"},
    {"first-level data cache accesses", "cache.l1", "accesses", "accesses", ASKED_DATA},
    {"of these, misses", "cache.l1", "misses", "accesses", ASKED_DATA},
    {"instruction cache accesses", "cache.l1", "accesses", "accesses", ASKED_INSTRUCTIONS},
    {"of these, misses", "cache.l1", "misses", "accesses", ASKED_INSTRUCTIONS},
    {"constant cache accesses", "cache.l1", "accesses", "accesses", ASKED_CONSTANTS},
    {"of these, misses", "cache.l1", "misses", "accesses", ASKED_CONSTANTS},
    {"packets they sent to memory", "cache.l1", "traffic", "packets"},
    UNIT_WAITS("ldst_unit"),
    UNIT_WAITS("ldst_unit.linked"),
    {"packets to memory bypassing them", "ldst.shared", "traffic", "packets"},
    {"shared memory conflicts", "ldst.shared", "bank_conflicts", "cycles"},
    {"pending request table full", "ldst.shared", "table_full", "cycles"},
    {"requests to ideal memory", "memory.ideal", "bytes", "bytes"},
};

/* Accesses that the caches took, or those that missed. */
static uint64_t outcomes(const WwResults *r, const MemoryLine *l)
{
    static const char *const taken[] = {"MISS", "SECTOR_MISS", "HIT", "HIT_RESERVED"};
    size_t n = strcmp(l->stat, "misses") == 0 ? 2 : G_N_ELEMENTS(taken);
    uint64_t sum = 0, v;
    for (uint32_t t = 0; t < WW_N_ACCESS_TYPES; t++) {
        Asked asked = t == WW_ACCESS_INST_R    ? ASKED_INSTRUCTIONS
                      : t == WW_ACCESS_CONST_R ? ASKED_CONSTANTS
                                               : ASKED_DATA;
        for (size_t i = 0; asked == l->asked && i < n; i++) {
            g_autofree char *label =
                g_strconcat(ww_access_type_name((WwAccessType)t), ".", taken[i], NULL);
            sum += ww_results_value(r, r->total, l->type, "outcomes", label, &v) ? v : 0;
        }
    }
    return sum;
}

static bool memory_value(const WwResults *r, const MemoryLine *l, uint64_t *v)
{
    if (l->asked == ASKED_ANY) {
        return ww_results_value(r, r->total, l->type, l->stat, NULL, v);
    }
    *v = outcomes(r, l);
    return true;
}

static void print_memory(const WwResults *r, const ReportPage *page)
{
    bool head = false;
    for (size_t i = 0; i < G_N_ELEMENTS(memory_lines); i++) {
        const MemoryLine *l = &memory_lines[i];
        uint64_t v;
        if (!memory_value(r, l, &v) || v == 0) {
            continue;
        }
        fputs(head ? "" : "\nmemory\n", page->out);
        head = true;
        g_autofree char *n = cli_grouped(v);
        g_autofree char *text = report_text(l->text, report_fit(page, 35, 27, LEAST_NAME));
        fprintf(page->out, "    %s %12s %s\n", text, n, l->unit);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void cli_report_summary(const WwResults *r, const GPtrArray *modules, FILE *out)
{
    const ReportPage page = report_page(out);
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
    print_kernels(r, &page);
    print_time(r, &page);
    print_issue(r, &page);
    cli_pcs_hottest(r, page.width, out);
    print_rates(r, &page);
    print_units(r, &page);
    print_memory(r, &page);
    cli_report_modules(r, modules, out);
    if (r->has_fingerprint) {
        fprintf(out, "\nfingerprint %016" PRIx64 "\n", r->fingerprint);
    }
}

/* Thousands of @p n in a second, as "1,800", into @p out. No memory is taken: files have their names by now. */
static const char *thousands(const WwResults *r, uint64_t n, char out[32])
{
    uint64_t left = (uint64_t)(ratio((double)n, r->host_s) / 1000 + 0.5);
    char *at = out + 31;
    *at = '\0';
    for (uint32_t digits = 0; digits == 0 || left != 0; digits++, left /= 10) {
        if (digits != 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + left % 10);
    }
    return at;
}

void cli_report_host(const WwResults *r, FILE *out)
{
    uint64_t insns;
    ww_results_value(r, r->total, WW_WARP_INSNS, NULL, &insns);
    char cycles[32], warps[32];
    fprintf(out,
            "host: %.2f s (%.2f s of processor) on %u thread%s, %s k cycles/s, %s k warp "
            "instr./s, %.2f "
            "activations a cycle\n",
            r->host_s, r->host_cpu_s, r->threads, r->threads != 1 ? "s" : "",
            thousands(r, r->cycles, cycles), thousands(r, insns, warps),
            ratio((double)r->activations, (double)r->cycles));
}
