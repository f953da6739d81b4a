/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of a machine that replays no trace: every statistic of every component, in order of creation. Alike parts
 * (paths that differ in indices only, of one type) are added up; of vectors and histograms only the entries that counted something
 * are shown.
 */
#include "cli-priv.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

#define DOC_WIDTH 52u

/* One statistic of all components of one type with one pattern. */
typedef struct Line {
    char *pattern;
    const WwType *type;
    const WwStatRow *row;
    uint64_t *v;
} Line;

static void free_line(gpointer data)
{
    Line *l = data;
    g_free(l->pattern);
    g_free(l->v);
    g_free(l);
}

static Line *line_of(GPtrArray *lines, const char *pattern, const WwType *type,
                     const WwStatRow *row)
{
    for (guint i = 0; i < lines->len; i++) {
        Line *l = lines->pdata[i];
        if (l->type == type && l->row == row && strcmp(l->pattern, pattern) == 0) {
            return l;
        }
    }
    Line *l = g_new0(Line, 1);
    *l = (Line){g_strdup(pattern), type, row, g_new0(uint64_t, row->n)};
    g_ptr_array_add(lines, l);
    return l;
}

/* Elements of an array may be of different types: then each is named, "lane[*].part(delay)". */
static void name_types(GPtrArray *lines)
{
    g_autoptr(GHashTable) types = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) several = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) old = g_ptr_array_new_with_free_func(g_free); /* keys */
    for (guint i = 0; i < lines->len; i++) {
        Line *l = lines->pdata[i];
        const WwType *other = g_hash_table_lookup(types, l->pattern);
        if (other != NULL && other != l->type) {
            g_hash_table_add(several, l->pattern);
        }
        g_hash_table_insert(types, l->pattern, (void *)l->type);
    }
    for (guint i = 0; i < lines->len; i++) {
        Line *l = lines->pdata[i];
        if (g_hash_table_contains(several, l->pattern)) {
            g_ptr_array_add(old, l->pattern);
            l->pattern = g_strdup_printf("%s(%s)", l->pattern, l->type->name);
        }
    }
}

static GPtrArray *collect(WwMachine *machine)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(free_line);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *pattern = cli_pattern(c);
        const WwStatRow *row;
        for (WW_ROWS(c->type->stats, row)) {
            const uint64_t *v = ww_stat_values(c, row);
            Line *l = line_of(lines, pattern, c->type, row);
            for (uint32_t k = 0; k < row->n; k++) {
                l->v[k] = row->kind == WW_STAT_MAX ? MAX(l->v[k], v[k]) : l->v[k] + v[k];
            }
        }
    }
    name_types(lines);
    return lines;
}

static void print_value(const char *name, uint64_t value, const WwStatRow *row, FILE *out)
{
    g_autofree char *n = cli_grouped(value);
    g_autofree char *doc = cli_cut(row->doc, DOC_WIDTH);
    fprintf(out, "    %-30s %12s  %-9s %s\n", name, n, row->unit, doc);
}

static void print_line(const Line *l, FILE *out)
{
    const WwStatRow *row = l->row;
    for (uint32_t k = 0; k < row->n; k++) {
        g_autofree char *name = NULL;
        if (row->kind == WW_STAT_COUNTER || row->kind == WW_STAT_MAX) {
            name = g_strdup_printf("%s.%s", l->pattern, row->name);
        } else if (l->v[k] == 0) {
            continue;
        } else if (row->labels != NULL) {
            name = g_strdup_printf("%s.%s[%s]", l->pattern, row->name, row->labels[k]);
        } else if (row->kind == WW_STAT_HISTOGRAM) {
            name = g_strdup_printf("%s.%s[%" PRIu64 "..]", l->pattern, row->name,
                                   k == 0 ? 0 : UINT64_C(1) << k);
        } else {
            name = g_strdup_printf("%s.%s[%u]", l->pattern, row->name, k);
        }
        print_value(name, l->v[k], row, out);
    }
}

void cli_report_statistics(const WwResults *r, FILE *out)
{
    g_autoptr(GPtrArray) lines = collect(r->machine);
    g_autofree char *cycles = cli_grouped(r->cycles);
    fprintf(out, "%s: %s, %s cycles\n\n", r->platform, r->status, cycles);
    for (guint i = 0; i < lines->len; i++) {
        print_line(lines->pdata[i], out);
    }
    if (r->has_fingerprint) {
        fprintf(out, "\nfingerprint %016" PRIx64 "\n", r->fingerprint);
    }
}
