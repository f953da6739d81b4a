/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-level caches in the reference's report. Which cache is what is seen from the wiring: those behind an LD/ST unit are
 * data caches, those that stand behind an icache.l1i hold instructions. There are no constant and texture caches.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <ports/cache.h>
#include <string.h>

typedef struct Sums {
    uint64_t accesses, misses, pending_hits, fails;
    uint64_t samples, data_busy, fill_busy;
} Sums;

static uint64_t value_of(const WwComponent *c, const char *stat)
{
    int row = ww_type_stat(c->type, stat);
    return row >= 0 ? ww_stat_values(c, &c->type->stats[row])[0] : 0;
}

static void add_cache(Sums *s, const WwComponent *c)
{
    s->accesses += value_of(c, "accesses");
    s->misses += value_of(c, "misses");
    s->pending_hits += value_of(c, "pending_hits");
    s->fails += value_of(c, "reservation_fails");
    s->samples += value_of(c, "port_samples");
    s->data_busy += value_of(c, "data_port_busy");
    s->fill_busy += value_of(c, "fill_port_busy");
}

/* Adds up the caches bound to port @p port of @p user; how many there are. */
static uint32_t add_bound(Sums *s, const WwComponent *user, const char *port)
{
    const WwPortRow *row;
    uint32_t found = 0;
    for (WW_ROWS(user->type->ports, row)) {
        if (row->contract != &ww_contract_cache || strcmp(row->name, port) != 0) {
            continue;
        }
        const char *base = (const char *)user;
        const WwPort *p = (const WwPort *)(const void *)(base + row->offset);
        uint32_t n = row->count_offset != 0
                         ? *(const uint32_t *)(const void *)(base + row->count_offset)
                         : 1;
        for (uint32_t i = 0; i < n; i++) {
            if (WW_BOUND(&p[i])) {
                add_cache(s, p[i].peer);
                found++;
            }
        }
    }
    return found;
}

/* The caches behind port @p port of every component of type @p type; how many there are. */
static uint32_t add_all(Sums *s, const WwResults *r, const char *type, const char *port)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, type) == 0) {
            found += add_bound(s, c, port);
        }
    }
    return found;
}

static void print_totals(const char *name, const Sums *s, FILE *out)
{
    fprintf(out, "\t%s_total_cache_accesses = %" PRIu64 "\n\t%s_total_cache_misses = %" PRIu64 "\n",
            name, s->accesses, name, s->misses);
    if (s->accesses != 0) {
        fprintf(out, "\t%s_total_cache_miss_rate = %.4f\n", name,
                (double)s->misses / (double)s->accesses);
    }
    fprintf(out,
            "\t%s_total_cache_pending_hits = %" PRIu64
            "\n\t%s_total_cache_reservation_fails = %" PRIu64 "\n",
            name, s->pending_hits, name, s->fails);
}

static void print_port(const char *what, uint64_t busy, uint64_t samples, FILE *out)
{
    fprintf(out, "\tL1D_cache_%s_port_util = %.3f\n", what,
            samples != 0 ? (double)((float)busy / (float)samples) : 0.0);
}

static bool stands_in(const WwGroup *group, const WwComponent *c)
{
    const WwGroup *g = c->group;
    while (g != NULL && g != group) {
        g = ww_group_parent(g);
    }
    return g != NULL;
}

/* The L1Ds of the composite in which @p cluster is: those of its SMs. */
static void add_cluster(Sums *s, const WwResults *r, const WwComponent *cluster)
{
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, "ldst_unit") == 0 && stands_in(cluster->group, c)) {
            add_bound(s, c, "l1d");
        }
    }
}

static void print_cluster(uint32_t number, const Sums *s, FILE *out)
{
    fprintf(out,
            "\tL1D_cache_core[%u]: Access = %" PRIu64 ", Miss = %" PRIu64 ", Miss_rate = ", number,
            s->accesses, s->misses);
    accelsim_double(s->misses, s->accesses, 0, 3, out);
    fprintf(out, ", Pending_hits = %" PRIu64 ", Reservation_fails = %" PRIu64 "\n", s->pending_hits,
            s->fails);
}

/* The data caches of each cluster, and of all. */
static void print_l1d(const WwResults *r, FILE *out)
{
    Sums all = {0};
    uint32_t number = 0;
    if (add_all(&all, r, "ldst_unit", "l1d") == 0) {
        return;
    }
    fputs("L1D_cache:\n", out);
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, "cluster") == 0) {
            Sums s = {0};
            add_cluster(&s, r, c);
            print_cluster(number++, &s, out);
        }
    }
    print_totals("L1D", &all, out);
    print_port("data", all.data_busy, all.samples, out);
    print_port("fill", all.fill_busy, all.samples, out);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* What the caches of a type counted for one stream: WW_N_ACCESS_TYPES rows. */
typedef struct StreamTable {
    uint64_t stream;
    uint64_t *values;
} StreamTable;

static void free_table(void *t)
{
    g_free(((StreamTable *)t)->values);
}

static int by_stream(const void *a, const void *b)
{
    uint64_t x = ((const StreamTable *)a)->stream, y = ((const StreamTable *)b)->stream;
    return (x > y) - (x < y);
}

static uint64_t *table_of(GArray *tables, uint64_t stream, uint32_t n)
{
    for (guint i = 0; i < tables->len; i++) {
        StreamTable *t = &g_array_index(tables, StreamTable, i);
        if (t->stream == stream) {
            return t->values;
        }
    }
    StreamTable fresh = {stream, g_new0(uint64_t, n)};
    g_array_append_val(tables, fresh);
    return fresh.values;
}

static const WwCacheIf *cache_of(const WwComponent *c)
{
    const WwPortRow *row;
    for (WW_ROWS(c->type->ports, row)) {
        if (row->role == WW_PROVIDES && row->contract == &ww_contract_cache) {
            return row->table;
        }
    }
    return NULL;
}

/* Adds what a cache counted for kernel @p k's stream, or for each stream if the kernel has none. */
static void add_streams(GArray *tables, WwComponent *c, const WwResultKernel *k,
                        const WwColumn *column)
{
    const WwCacheIf *cache = cache_of(c);
    WwCacheStream s;
    for (uint32_t i = 0; cache != NULL && cache->stream != NULL && cache->stream(c, i, &s); i++) {
        if (k->stream != UINT64_MAX && k->stream != s.stream) {
            continue;
        }
        bool fails = strcmp(column->row->name, "fails") == 0;
        const uint64_t *from = fails ? s.fails : s.outcomes;
        uint64_t *to = table_of(tables, s.stream, column->row->n);
        for (uint32_t n = 0; n < column->row->n; n++) {
            to[n] += from[n];
        }
    }
}

/* The tables of all caches of component type @p type, by stream. */
static GArray *stream_tables(const WwResults *r, const WwResultKernel *k, const char *type,
                             const WwColumn *column)
{
    GArray *tables = g_array_new(false, false, sizeof(StreamTable));
    g_array_set_clear_func(tables, free_table);
    for (uint32_t i = 0; column != NULL && i < ww_machine_n_components(r->machine); i++) {
        WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, type) == 0) {
            add_streams(tables, c, k, column);
        }
    }
    g_array_sort(tables, by_stream);
    return tables;
}

static void print_entry(const char *name, const char *label, uint64_t n, FILE *out)
{
    const char *dot = strchr(label, '.');
    fprintf(out, "\t%s[%.*s][%s] = %" PRIu64 "\n", name, (int)(dot - label), label, dot + 1, n);
}

static void print_outcomes(const char *name, const WwStatRow *row, const uint64_t *v, FILE *out)
{
    for (uint32_t i = 0; i < row->n; i++) {
        print_entry(name, row->labels[i], v[i], out);
    }
    for (uint32_t i = 0; i < row->n; i += WW_N_CACHE_RESULTS) {
        uint64_t taken = v[i + WW_CACHE_HIT] + v[i + WW_CACHE_HIT_RESERVED] + v[i + WW_CACHE_MISS] +
                         v[i + WW_CACHE_SECTOR_MISS];
        if (taken != 0) {
            const char *label = row->labels[i];
            fprintf(out, "\t%s[%.*s][TOTAL_ACCESS] = %" PRIu64 "\n", name,
                    (int)(strchr(label, '.') - label), label, taken);
        }
    }
}

void accelsim_outcomes(const WwResults *r, const WwResultKernel *k, const char *type,
                       const char *name, FILE *out)
{
    const WwColumn *c = ww_results_column(r, type, "outcomes");
    g_autoptr(GArray) tables = stream_tables(r, k, type, c);
    for (guint i = 0; i < tables->len; i++) {
        print_outcomes(name, c->row, g_array_index(tables, StreamTable, i).values, out);
    }
}

void accelsim_fails(const WwResults *r, const WwResultKernel *k, const char *type, const char *name,
                    FILE *out)
{
    const WwColumn *c = ww_results_column(r, type, "fails");
    g_autoptr(GArray) tables = stream_tables(r, k, type, c);
    for (guint i = 0; i < tables->len; i++) {
        const uint64_t *v = g_array_index(tables, StreamTable, i).values;
        for (uint32_t n = 0; n < c->row->n; n++) {
            if (v[n] != 0) {
                print_entry(name, c->row->labels[n], v[n], out);
            }
        }
    }
}

void accelsim_caches(const WwResults *r, const WwResultKernel *k, FILE *out)
{
    Sums inst = {0}, none = {0};
    if (ww_results_column(r, "ldst_unit", "n_insn") == NULL) {
        return;
    }
    add_all(&inst, r, "icache.l1i", "cache");
    fputs("\n========= Core cache stats =========\nL1I_cache:\n", out);
    print_totals("L1I", &inst, out);
    print_l1d(r, out);
    fputs("L1C_cache:\n", out);
    print_totals("L1C", &none, out);
    fputs("L1T_cache:\n", out);
    print_totals("L1T", &none, out);
    fputs("\nTotal_core_cache_stats:\n", out);
    accelsim_outcomes(r, k, "cache.l1", "Total_core_cache_stats_breakdown", out);
    fputs("\nTotal_core_cache_fail_stats:\n", out);
    accelsim_fails(r, k, "cache.l1", "Total_core_cache_fail_stats_breakdown", out);
}
