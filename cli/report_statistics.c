/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of a machine that replays no trace: every statistic of every component, in order of creation. Alike parts
 * (paths that differ in indices only, of one type) are added up; of vectors and histograms only the entries that counted something
 * are shown. Of a run that replays one, the same of the types that modules bring, each summed over all of its type.
 */
#include "report-priv.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>
#include <warpwright/module.h>

#define UNIT_WIDTH 9u
#define DOC_WIDTH 52u
#define LEAST_DOC 12u /* of a meaning on a narrow terminal */

/* One statistic of all components of one type with one pattern; or (the name of the type) of all components of the type. */
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

/* The statistics of @p c, in the lines of this name. */
static void add_component(GPtrArray *lines, const char *pattern, const WwComponent *c)
{
    const WwStatRow *row;
    for (WW_ROWS(c->type->stats, row)) {
        const uint64_t *v = ww_stat_values(c, row);
        Line *l = line_of(lines, pattern, c->type, row);
        for (uint32_t k = 0; k < row->n; k++) {
            l->v[k] = row->kind == WW_STAT_MAX ? MAX(l->v[k], v[k]) : l->v[k] + v[k];
        }
    }
}

static GPtrArray *collect(WwMachine *machine)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(free_line);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *pattern = cli_pattern(c);
        add_component(lines, pattern, c);
    }
    name_types(lines);
    return lines;
}

/* How lines are laid out: columns of units, and of meanings, which are fewer where there is no room. */
typedef struct Layout {
    ReportPage page;
    uint32_t unit, doc;
} Layout;

static void print_value(const char *name, uint64_t value, const WwStatRow *row, const Layout *as)
{
    g_autofree char *n = cli_grouped(value);
    uint32_t others = 4 + 30 + 1 + 12 + 2 + as->unit + 1;
    g_autofree char *doc = cli_cut(row->doc, report_fit(&as->page, as->doc, others, LEAST_DOC));
    fprintf(as->page.out, "    %-30s %12s  %-*s %s\n", name, n, (int)as->unit, row->unit, doc);
}

static void print_line(const Line *l, const Layout *as)
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
        print_value(name, l->v[k], row, as);
    }
}

static bool is_of(const WwModule *module, const WwType *type)
{
    const WwType *const *own = module->types;
    while (own != NULL && *own != NULL && *own != type) {
        own++;
    }
    return own != NULL && *own != NULL;
}

void cli_report_modules(const WwResults *r, const GPtrArray *modules, FILE *out)
{
    for (guint m = 0; modules != NULL && m < modules->len; m++) {
        const WwModule *module = modules->pdata[m];
        g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(free_line);
        for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
            const WwComponent *c = ww_machine_component(r->machine, i);
            if (is_of(module, c->type)) {
                add_component(lines, c->type->name, c);
            }
        }
        Layout as = {report_page(out), UNIT_WIDTH, UINT16_MAX};
        for (guint i = 0; i < lines->len; i++) {
            const Line *l = lines->pdata[i];
            as.unit = MAX(as.unit, (uint32_t)strlen(l->row->unit));
        }
        if (lines->len != 0) {
            fprintf(out, "\nmodule %s\n", module->name);
        }
        for (guint i = 0; i < lines->len; i++) {
            print_line(lines->pdata[i], &as);
        }
    }
}

void cli_report_statistics(const WwResults *r, FILE *out)
{
    const Layout as = {report_page(out), UNIT_WIDTH, DOC_WIDTH};
    g_autoptr(GPtrArray) lines = collect(r->machine);
    g_autofree char *cycles = cli_grouped(r->cycles);
    fprintf(out, "%s: %s, %s cycles\n\n", r->platform, r->status, cycles);
    for (guint i = 0; i < lines->len; i++) {
        print_line(lines->pdata[i], &as);
    }
    if (r->has_fingerprint) {
        fprintf(out, "\nfingerprint %016" PRIx64 "\n", r->fingerprint);
    }
}
