/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <results/rates.h>
#include <results/stalls.h>
#include <string.h>

double number_of(const json_t *o, const char *key)
{
    return ww_report_number(json_object_get(o, key));
}

const char *string_of(const json_t *o, const char *key, const char *other)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text != NULL ? text : other;
}

double sum_of(const json_t *value)
{
    double sum = ww_report_number(value);
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        sum += ww_report_number(member);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        sum += ww_report_number(json_array_get(value, i));
    }
    return sum;
}

static const json_t *counter_json(const json_t *of, const char *name)
{
    return json_object_get(json_object_get(of, "counters"), name);
}

double counter(const json_t *of, const char *name, const char *label)
{
    const json_t *v = counter_json(of, name);
    return label != NULL ? number_of(v, label) : sum_of(v);
}

bool has_counter(const json_t *of, const char *name)
{
    return counter_json(of, name) != NULL;
}

bool may_have(const Run *run, const char *const *types)
{
    const json_t *counters = json_object_get(run->total, "counters");
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)counters, name, v)
    {
        for (const char *const *type = types; *type != NULL; type++) {
            if (g_str_has_prefix(name, *type)) {
                return true;
            }
        }
    }
    return json_object_size(counters) == 0; /* that says nothing */
}

const char *trace_of(const Run *run)
{
    const char *trace = string_of(run->o, "trace", "");
    return *trace != '\0' ? trace : NULL;
}

/* ---- issue slots ------------------------------------------------------------------------------------------------ */

static const char *const issues[] = {"warp_scheduler.single_issue", "warp_scheduler.dual_issue",
                                     "issue_stage.single_issue", NULL};
static const char *const cause_lists[] = {"warp_scheduler.cause", "issue_stage.cause", NULL};

const char *ww_report_slot(const char *statistic)
{
    for (const char *const *c = cause_lists; *c != NULL; c++) {
        size_t n = strlen(*c);
        if (strncmp(statistic, *c, n) == 0 && statistic[n] == '.') {
            return statistic + n + 1;
        }
    }
    return g_strv_contains(issues, statistic) ? "issued" : NULL;
}

/* Those of another type are added to what is there. */
static unsigned add_causes(const json_t *causes, Slot slots[MOST_SLOTS], unsigned n)
{
    const char *label;
    json_t *v;
    json_object_foreach((json_t *)causes, label, v)
    {
        unsigned i = 1;
        while (i < n && strcmp(slots[i].label, label) != 0) {
            i++;
        }
        if (i < n) {
            slots[i].n += ww_report_number(v);
        } else if (n < MOST_SLOTS) {
            slots[n++] = (Slot){label, ww_report_number(v)};
        }
    }
    return n;
}

unsigned slots_of(const json_t *of, Slot slots[MOST_SLOTS], double *sum)
{
    unsigned n = 0;
    *sum = 0;
    slots[n++] = (Slot){"issued", 0};
    for (const char *const *i = issues; *i != NULL; i++) {
        slots[0].n += counter(of, *i, NULL);
    }
    for (const char *const *c = cause_lists; *c != NULL; c++) {
        n = add_causes(counter_json(of, *c), slots, n);
    }
    for (unsigned i = 0; i < n; i++) {
        *sum += slots[i].n;
    }
    return n;
}

const char *slot_text(const char *label)
{
    return strcmp(label, "issued") == 0      ? "issued"
           : strcmp(label, SLOT_ASLEEP) == 0 ? "SM had no CTA"
                                             : ww_cause_text(label);
}

const char *slot_nsight(const char *label)
{
    if (strcmp(label, "issued") == 0) {
        return "selected";
    }
    const WwStallCause *cause = ww_stall(label);
    return cause != NULL && *cause->nsight != '\0' ? cause->nsight : NULL;
}

const char *slot_class(const char *label, unsigned i)
{
    bool known =
        strcmp(label, "issued") == 0 || strcmp(label, SLOT_ASLEEP) == 0 || ww_stall(label) != NULL;
    g_autofree char *class = known ? g_strdup_printf("c-%s", label)
                                   : g_strdup_printf("s%u", i % 8); /* of a module's own type */
    return g_intern_string(class);
}

/* ---- caches ----------------------------------------------------------------------------------------------------- */

static WwReportAccess access_of(const char *label, bool all)
{
    static const char *const taken[] = {".HIT", ".HIT_RESERVED", ".MISS", ".SECTOR_MISS"};
    if (!all &&
        (g_str_has_prefix(label, "INST_ACC_R.") || g_str_has_prefix(label, "CONST_ACC_R."))) {
        return WW_REPORT_NO_ACCESS;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(taken); i++) {
        if (g_str_has_suffix(label, taken[i])) {
            return i == 0 ? WW_REPORT_HIT : WW_REPORT_ACCESS;
        }
    }
    return WW_REPORT_NO_ACCESS;
}

/* First-level caches of instructions and constants are of the same type as those of data. */
static bool all_are_data(const char *type)
{
    return strcmp(type, "cache.l1") != 0;
}

WwReportAccess ww_report_access(const char *type, const char *label)
{
    return access_of(label, all_are_data(type));
}

static Hits hits_by(const json_t *outcomes, bool all)
{
    Hits hits = {0, 0};
    const char *label;
    json_t *v;
    json_object_foreach((json_t *)outcomes, label, v)
    {
        WwReportAccess access = access_of(label, all);
        hits.all += access != WW_REPORT_NO_ACCESS ? ww_report_number(v) : 0;
        hits.hit += access == WW_REPORT_HIT ? ww_report_number(v) : 0;
    }
    return hits;
}

Hits hits_of(const json_t *outcomes)
{
    return hits_by(outcomes, true);
}

Hits cache_hits(const json_t *of, const char *type)
{
    g_autofree char *name = g_strdup_printf("%s.outcomes", type);
    return hits_by(counter_json(of, name), all_are_data(type));
}

/* ---- the machine ------------------------------------------------------------------------------------------------ */

static const json_t *resolved_value(const Run *run, const char *suffix)
{
    const char *path;
    json_t *v;
    const json_t *found = NULL;
    json_object_foreach((json_t *)run->resolved, path, v)
    {
        if (g_str_has_suffix(path, suffix)) {
            if (found != NULL && !json_equal(found, v)) {
                return NULL; /* parts that differ: no one figure is that of the machine */
            }
            found = v;
        }
    }
    return found;
}

bool resolved_number(const Run *run, const char *suffix, double *out)
{
    const json_t *v = resolved_value(run, suffix);
    *out = ww_report_number(v);
    return json_is_number(v);
}

bool resolved_true(const Run *run, const char *suffix)
{
    return json_is_true(resolved_value(run, suffix));
}

double resolved_most(const Run *run, const char *suffix)
{
    const char *path;
    json_t *v;
    double most = 0;
    json_object_foreach((json_t *)run->resolved, path, v)
    {
        most = g_str_has_suffix(path, suffix) ? MAX(most, ww_report_number(v)) : most;
    }
    return most;
}

/* A value that must be there: @p good otherwise becomes false. */
static double needed(const Run *run, const char *suffix, bool *good)
{
    double v = 0;
    *good &= resolved_number(run, suffix, &v);
    return v;
}

/* The same of the first of two paths by which it may be known. */
static double either(const Run *run, const char *one, const char *other, bool *good)
{
    double v = 0;
    *good &= resolved_number(run, one, &v) || resolved_number(run, other, &v);
    return v;
}

/* Bytes that an access of a cache counts: a sector, where there are any, else a line. */
static double access_bytes(const Run *run, const char *cache, bool *good)
{
    enum { SECTOR = 32 };
    g_autofree char *sector = g_strdup_printf(".%s.sector", cache),
                    *line = g_strdup_printf(".%s.line", cache);
    double bytes = needed(run, line, good);
    return resolved_true(run, sector) ? SECTOR : bytes;
}

/* Accesses that the L1D of an SM can be asked for in a cycle. */
static double l1_accesses(const Run *run, bool *good)
{
    double latency = 0;
    bool shared = true;
    double lookups = either(run, ".ldst[*].lookups", ".ldst.lookups", &shared);
    if (shared) {
        return lookups; /* of an ldst.shared, over all banks */
    }
    *good &= resolved_number(run, ".ldst.l1_latency", &latency);
    double banks = needed(run, ".ldst.l1_banks", good);
    return latency > 0 ? banks : 1;
}

Machine machine_of(const Run *run)
{
    enum { LANES = 32 };
    Machine m = {0};
    bool good = true, alone = true;
    double clusters = needed(run, ".clusters", &good), sms = needed(run, ".cluster[*].sms", &good);
    double core = needed(run, "core_clock", &alone);
    m.core_clock = alone ? core : 0;
    if (!good || !alone || core <= 0) {
        return m;
    }
    m.sms = clusters * sms;
    double sub_cores;
    bool modern = resolved_number(run, ".sm[*].sub_cores", &sub_cores);
    m.slots = m.sms * (modern ? sub_cores : needed(run, ".sm[*].schedulers", &good));
    m.issue = m.slots * LANES * (modern ? 1 : needed(run, ".issue[*].max_issue", &good));
    if (!good) {
        m.slots = m.issue = 0;
    }
    bool l1 = true;
    double accesses = l1_accesses(run, &l1);
    m.l1_access = access_bytes(run, "l1d[*]", &l1);
    m.l1 = l1 ? m.sms * m.l1_access * accesses : 0;
    bool l2 = true;
    double channels = needed(run, "gpu.channels", &l2), slices = needed(run, "gpu.slices", &l2),
           clock = needed(run, "l2_clock", &l2), port = needed(run, ".l2[*].port_width", &l2);
    m.l2_access = access_bytes(run, "l2[*]", &l2);
    port = port > 0 ? port : needed(run, ".l2[*].line", &l2);
    m.l2 = l2 ? channels * slices * port * clock / core : 0;
    bool dram = true;
    double bus = needed(run, ".dram.buswidth", &dram) * needed(run, ".dram.chips", &dram);
    m.dram_access = bus * needed(run, ".dram.burst_length", &dram);
    m.dram = channels * bus * needed(run, ".dram.data_command_ratio", &dram) *
             needed(run, "dram_clock", &dram) / core;
    m.dram = dram && l2 ? m.dram : 0;
    /* values may be those of parts that are not there, or of another type in their place */
    m.l1 = has_counter(run->total, "cache.l1.accesses") ? m.l1 : 0;
    m.l2 = has_counter(run->total, "cache.l2.accesses") ? m.l2 : 0;
    m.dram = has_counter(run->total, "dram.frfcfs.n_cmd") ? m.dram : 0;
    return m;
}

const char *const ww_report_dram_commands[] = {"dram.frfcfs.n_rd", "dram.frfcfs.n_rd_l2_a",
                                               "dram.frfcfs.n_write", "dram.frfcfs.n_wr_bk", NULL};

Traffic traffic_of(const json_t *of, const Machine *m)
{
    Traffic t = {cache_hits(of, "cache.l1").all * m->l1_access,
                 cache_hits(of, "cache.l2").all * m->l2_access, 0};
    for (const char *const *c = ww_report_dram_commands; *c != NULL; c++) {
        t.dram += counter(of, *c, NULL) * m->dram_access;
    }
    return t;
}

double cycles_at_work(const json_t *of)
{
    return MAX(number_of(of, "cycles") - number_of(of, "launch_cycles"), 0);
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static int longest_first(gconstpointer a, gconstpointer b)
{
    double x = number_of(*(const json_t *const *)a, "cycles"),
           y = number_of(*(const json_t *const *)b, "cycles");
    return x > y ? -1 : x < y;
}

GPtrArray *kernels_of(const Run *run, unsigned most)
{
    GPtrArray *all = g_ptr_array_new(), *kept = g_ptr_array_new();
    size_t i;
    json_t *k;
    json_array_foreach((json_t *)run->kernels, i, k)
    {
        g_ptr_array_add(all, k);
    }
    if (all->len <= most) {
        g_ptr_array_unref(kept);
        return all;
    }
    g_ptr_array_sort(
        all,
        longest_first); /* stable among equals is not needed: what is kept is shown in the run's order */
    g_autoptr(GHashTable) chosen = g_hash_table_new(NULL, NULL);
    for (guint n = 0; n < most; n++) {
        g_hash_table_add(chosen, all->pdata[n]);
    }
    json_array_foreach((json_t *)run->kernels, i, k)
    {
        if (g_hash_table_contains(chosen, k)) {
            g_ptr_array_add(kept, k);
        }
    }
    g_ptr_array_unref(all);
    return kept;
}

char *kernel_title(const Run *run, const json_t *kernel)
{
    return g_strdup_printf("%.0f %s", number_of(kernel, "uid"), string_of(kernel, "name", "?"));
}
