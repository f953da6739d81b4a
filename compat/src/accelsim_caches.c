/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-level caches in the reference's report. Which cache is what is seen from the wiring: those behind an LD/ST unit are
 * data caches, those that stand behind an icache.l1i hold instructions. Modern SMs have caches of constants and textures,
 * too, and their L1I, that of code and constants, stands behind their link.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <ports/cache.h>
#include <string.h>

typedef struct Sums {
    uint64_t accesses, misses, pending_hits, fails;
    uint64_t samples, data_busy, fill_busy;
} Sums;

static const AccelsimPlace l1i[] = {{"icache.l1i", "cache"}, {"link.l0_l1", "cache"}, {0}};
static const AccelsimPlace l0i[] = {{"icache.l0", "cache"}, {0}};
/* Of sub-cores: they are not in the totals. */
static const AccelsimPlace l0[] = {{"icache.l0", "cache"}, {"constants.l0", "cache"}, {0}};
static const AccelsimPlace l1d[] = {
    {"ldst_unit", "l1d"}, {"ldst_unit.linked", "l1d"}, {"ldst.shared", "l1d"}, {0}};
static const AccelsimPlace l1c[] = {{"ldst.shared", "constants"}, {0}};
static const AccelsimPlace l1t[] = {{"ldst.shared", "textures"}, {0}};

static uint64_t value_of(const WwComponent *c, const char *stat)
{
    int row = ww_type_stat(c->type, stat);
    return row >= 0 ? ww_stat_values(c, &c->type->stats[row])[0] : 0;
}

static void add_cache(WwComponent *c, void *sums)
{
    Sums *s = sums;
    s->accesses += value_of(c, "accesses");
    s->misses += value_of(c, "misses");
    s->pending_hits += value_of(c, "pending_hits");
    s->fails += value_of(c, "reservation_fails");
    s->samples += value_of(c, "port_samples");
    s->data_busy += value_of(c, "data_port_busy");
    s->fill_busy += value_of(c, "fill_port_busy");
}

/* The caches of a list of places; how many there are. */
static uint32_t add_all(Sums *s, const WwResults *r, const AccelsimPlace *places)
{
    return accelsim_all_behind(r, places, add_cache, s);
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
        for (const AccelsimPlace *p = l1d; p->type != NULL; p++) {
            if (strcmp(c->type->name, p->type) == 0 && stands_in(cluster->group, c)) {
                accelsim_behind(c, p->port, add_cache, s);
            }
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
    if (add_all(&all, r, l1d) == 0) {
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

/* A set of caches that is left out. */
static void put(WwComponent *cache, void *set)
{
    g_hash_table_add(set, cache);
}

/* The tables of all caches of component type @p type but for those at @p without, by stream. */
static GArray *stream_tables(const WwResults *r, const WwResultKernel *k, const char *type,
                             const AccelsimPlace *without, const WwColumn *column)
{
    GArray *tables = g_array_new(false, false, sizeof(StreamTable));
    g_autoptr(GHashTable) out = g_hash_table_new(NULL, NULL);
    g_array_set_clear_func(tables, free_table);
    if (without != NULL) {
        accelsim_all_behind(r, without, put, out);
    }
    for (uint32_t i = 0; column != NULL && i < ww_machine_n_components(r->machine); i++) {
        WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, type) == 0 && !g_hash_table_contains(out, c)) {
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

static void outcomes(const WwResults *r, const WwResultKernel *k, const char *type,
                     const AccelsimPlace *without, const Sums *textures, const char *name,
                     FILE *out)
{
    const WwColumn *c = ww_results_column(r, type, "outcomes");
    g_autoptr(GArray) tables = stream_tables(r, k, type, without, c);
    if (tables->len == 1 && textures->accesses != 0) { /* they are not counted by stream */
        uint64_t *row =
            &g_array_index(tables, StreamTable, 0).values[WW_ACCESS_TEXTURE_R * WW_N_CACHE_RESULTS];
        row[WW_CACHE_HIT_RESERVED] = textures->pending_hits;
        row[WW_CACHE_MISS] = textures->misses;
    }
    for (guint i = 0; i < tables->len; i++) {
        print_outcomes(name, c->row, g_array_index(tables, StreamTable, i).values, out);
    }
}

void accelsim_outcomes(const WwResults *r, const WwResultKernel *k, const char *type,
                       const char *name, FILE *out)
{
    outcomes(r, k, type, NULL, &(Sums){0}, name, out);
}

static void fails(const WwResults *r, const WwResultKernel *k, const char *type,
                  const AccelsimPlace *without, const char *name, FILE *out)
{
    const WwColumn *c = ww_results_column(r, type, "fails");
    g_autoptr(GArray) tables = stream_tables(r, k, type, without, c);
    for (guint i = 0; i < tables->len; i++) {
        const uint64_t *v = g_array_index(tables, StreamTable, i).values;
        for (uint32_t n = 0; n < c->row->n; n++) {
            if (v[n] != 0) {
                print_entry(name, c->row->labels[n], v[n], out);
            }
        }
    }
}

void accelsim_fails(const WwResults *r, const WwResultKernel *k, const char *type, const char *name,
                    FILE *out)
{
    fails(r, k, type, NULL, name, out);
}

/* Its sums; a cache that may be missing has no lines then. */
static Sums print_named(const WwResults *r, const char *name, const AccelsimPlace *places,
                        bool always, FILE *out)
{
    Sums s = {0};
    uint32_t found = add_all(&s, r, places);
    if (places == l1t) {
        s.pending_hits = s.accesses - s.misses; /* its tags run ahead of its data */
    }
    if (always || found != 0) {
        fprintf(out, "%s_cache:\n", name);
        print_totals(name, &s, out);
    }
    return s;
}

void accelsim_caches(const WwResults *r, const WwResultKernel *k, FILE *out)
{
    if (ww_results_column(r, "ldst_unit", "n_insn") == NULL &&
        ww_results_column(r, "ldst.shared", "lanes") == NULL &&
        ww_results_column(r, "link.l0_l1", "requested") == NULL) {
        return;
    }
    fputs("\n========= Core cache stats =========\n", out);
    print_named(r, "L0I", l0i, false, out);
    print_named(r, "L1I", l1i, true, out);
    print_l1d(r, out);
    print_named(r, "L1C", l1c, true, out);
    Sums textures = print_named(r, "L1T", l1t, true, out);
    fputs("\nTotal_core_cache_stats:\n", out);
    outcomes(r, k, "cache.l1", l0, &textures, "Total_core_cache_stats_breakdown", out);
    fputs("\nTotal_core_cache_fail_stats:\n", out);
    fails(r, k, "cache.l1", l0, "Total_core_cache_fail_stats_breakdown", out);
}
