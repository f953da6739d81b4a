/* SPDX-License-Identifier: Apache-2.0 */
/* What modules brought: the statistics of their types, of all runs side by side. */
#include "parts.h"

#include <string.h>

bool ww_report_of_module(const json_t *result, const char *module, const char *statistic)
{
    const char *name;
    json_t *types, *type;
    size_t k;
    json_object_foreach(json_object_get(result, "modules"), name, types)
    {
        if (module != NULL && strcmp(name, module) != 0) {
            continue;
        }
        json_array_foreach(types, k, type)
        {
            const char *own = json_string_value(type);
            if (g_str_has_prefix(statistic, own) && statistic[strlen(own)] == '.') {
                return true;
            }
        }
    }
    return false;
}

/* A statistic, or an entry of one that has several. */
typedef struct Row {
    char *name;
    bool alone; /* not an entry: shown even if it is 0 */
    double v[WW_REPORT_MOST];
    bool has[WW_REPORT_MOST];
} Row;

typedef struct Rows {
    GPtrArray *in_order; /* Row, owned */
    GHashTable *of;      /* by name */
} Rows;

static void free_row(gpointer data)
{
    g_free(((Row *)data)->name);
    g_free(data);
}

static void add(Rows *rows, char *name, bool alone, uint32_t run, const json_t *value)
{
    Row *row = g_hash_table_lookup(rows->of, name);
    if (row == NULL) {
        row = g_new0(Row, 1);
        row->name = g_strdup(name);
        row->alone = alone;
        g_ptr_array_add(rows->in_order, row);
        g_hash_table_insert(rows->of, row->name, row);
    }
    row->v[run] = ww_report_number(value);
    row->has[run] = true;
    g_free(name);
}

static void add_statistic(Rows *rows, const char *name, uint32_t run, const json_t *value)
{
    const char *entry;
    json_t *v;
    json_object_foreach((json_t *)value, entry, v)
    {
        add(rows, g_strdup_printf("%s.%s", name, entry), false, run, v);
    }
    for (size_t k = 0; k < json_array_size(value); k++) {
        add(rows, g_strdup_printf("%s[%zu]", name, k), false, run, json_array_get(value, k));
    }
    if (!json_is_object(value) && !json_is_array(value)) {
        add(rows, g_strdup(name), true, run, value);
    }
}

/* In the order in which runs count them. */
static GPtrArray *rows_of(const Page *p, const char *module)
{
    g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
    Rows rows = {g_ptr_array_new_with_free_func(free_row), by_name};
    for (uint32_t i = 0; i < p->n; i++) {
        const char *name;
        json_t *v;
        json_object_foreach(json_object_get(p->run[i].total, "counters"), name, v)
        {
            if (ww_report_of_module(p->run[i].o, module, name)) {
                add_statistic(&rows, name, i, v);
            }
        }
    }
    return rows.in_order;
}

static void row_cells(Page *p, const Row *row)
{
    Html *h = &p->h;
    bool any = row->alone;
    for (uint32_t i = 0; i < p->n; i++) {
        any |= row->v[i] != 0;
    }
    if (!any) {
        return;
    }
    html_open(h, "tr", NULL);
    html_leaf(h, "th", row->name, "scope", "row", "class", "code wrap", NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        if (row->has[i]) {
            html_cell(h, row->v[i], 0);
        } else {
            html_none(h);
        }
    }
    html_close(h);
}

static void module_table(Page *p, const char *module)
{
    Html *h = &p->h;
    g_autoptr(GPtrArray) rows = rows_of(p, module);
    if (rows->len == 0) {
        html_note(h, "%s: no run has a component of its types.", module);
        return;
    }
    html_table(h, "sort", module);
    html_head(h, "statistic, of all components of its type", true);
    for (uint32_t i = 0; i < p->n; i++) {
        html_head(h, p->n > 1 ? p->run[i].name : "value", false);
    }
    html_body(h);
    for (guint r = 0; r < rows->len; r++) {
        row_cells(p, rows->pdata[r]);
    }
    html_table_end(h);
}

bool has_modules(const Page *p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->n; i++) {
        any |= json_object_size(json_object_get(p->run[i].o, "modules")) != 0;
    }
    return any;
}

void part_modules(Page *p)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    html_section(&p->h, "modules", "Modules");
    for (uint32_t i = 0; i < p->n; i++) {
        const char *module;
        json_t *types;
        json_object_foreach(json_object_get(p->run[i].o, "modules"), module, types)
        {
            if (g_hash_table_add(seen, (gpointer)module)) {
                module_table(p, module);
            }
        }
    }
    html_close(&p->h);
}
