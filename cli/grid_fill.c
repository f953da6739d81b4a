/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a grid: which runs are in each, whether they may be, and the figure that comes of them. */
#include "grid-priv.h"

#include <math.h>
#include <string.h>

/* ---- several runs in one cell ------------------------------------------------------------------------------------ */

bool grid_is_over(const Build *b, const char *name)
{
    return b->over != NULL && g_strv_contains((const char *const *)b->over, name);
}

static bool equal_in(const Build *b, guint column, uint32_t one, uint32_t other)
{
    g_autofree char *x = cli_runs_text(ww_db_at(b->table, one, column)),
                    *y = cli_runs_text(ww_db_at(b->table, other, column));
    return strcmp(x, y) == 0;
}

/* Adds the column's name to those in which runs differ, if these two do, which is the answer. */
static bool add_difference(const Build *b, guint column, uint32_t one, uint32_t other,
                           GPtrArray *differ)
{
    char *name = b->names->pdata[column];
    if (equal_in(b, column, one, other)) {
        return false;
    }
    if (!g_ptr_array_find(differ, name, NULL)) {
        g_ptr_array_add(differ, name);
    }
    return true;
}

static bool add_differences(const Build *b, uint32_t one, uint32_t other, GPtrArray *differ)
{
    bool found = false;
    for (guint i = 0; i < b->n_apart; i++) {
        if (!grid_is_over(b, b->names->pdata[i])) {
            found |= add_difference(b, i, one, other, differ);
        }
    }
    if (!found && b->over == NULL) { /* the same run, and how it ended */
        found |= add_difference(b, b->status, one, other, differ);
        found |= add_difference(b, b->partial, one, other, differ);
    }
    return found;
}

/* Two runs in one cell: may they be? Else the error says what all runs of the cell differ in. */
static bool together(const Build *b, uint32_t one, uint32_t other, GError **error)
{
    g_autoptr(GPtrArray) differ = g_ptr_array_new();
    g_autofree char *row = cli_runs_text(ww_db_at(b->table, one, b->row));
    if (add_differences(b, one, other, differ)) {
        bool measures = *b->grid->columns_name == '\0';
        for (uint32_t r = 0; r < b->table->n_rows; r++) {
            if (equal_in(b, b->row, one, r) && (measures || equal_in(b, b->column, one, r))) {
                add_differences(b, one, r, differ);
            }
        }
        const char *example = differ->pdata[0];
        g_autoptr(GString) list = g_string_new(NULL);
        for (guint i = 0; i < differ->len; i++) {
            g_string_append_printf(list, "%s'%s'", i != 0 ? ", " : "",
                                   (const char *)differ->pdata[i]);
        }
        return ww_fail(error, WW_ERROR_USAGE,
                       "several runs are in one cell ('%s'): they differ in %s; expected --where "
                       "%s=..., --over %s, or it as "
                       "--rows or --columns%s",
                       row, list->str, example, example,
                       differ->len > 1 ? ", and so for the rest" : "");
    }
    return b->over != NULL || ww_fail(error, WW_ERROR_USAGE,
                                      "several runs in one cell ('%s') are told apart by nothing "
                                      "but their results; expected --where with "
                                      "'key', 'start' or 'host'",
                                      row);
}

/* ---- filling ---------------------------------------------------------------------------------------------------- */

/* Of filling: where labels are, and of each cell its values, and the first run (number + 1; 0: none). */
typedef struct Cells {
    GHashTable *rows, *columns;
    GArray **list;
    uint32_t *first;
} Cells;

/* Do measures stand in the columns, not values of a name? */
static bool shows_measures(const Build *b)
{
    return *b->grid->columns_name == '\0';
}

static void label(Build *b, Cells *cells)
{
    CliGrid *g = b->grid;
    bool measures = shows_measures(b);
    for (uint32_t r = 0; r < b->table->n_rows; r++) {
        g_autofree char *row = cli_runs_text(ww_db_at(b->table, r, b->row));
        cli_label_at(g->rows, cells->rows, row);
        if (!measures) {
            g_autofree char *column = cli_runs_text(ww_db_at(b->table, r, b->column));
            cli_label_at(g->columns, cells->columns, column);
        }
    }
    for (guint m = 0; measures && m < b->n_measures; m++) {
        cli_label_at(g->columns, cells->columns, b->names->pdata[b->measure + m]);
    }
    cli_labels_sort(g->rows, cells->rows);
    if (!measures) {
        cli_labels_sort(g->columns, cells->columns);
    }
}

/* The values of run @p r go into their cells. */
static bool gather(const Build *b, Cells *cells, uint32_t r, GError **error)
{
    CliGrid *g = b->grid;
    bool measures = shows_measures(b);
    g_autofree char *row = cli_runs_text(ww_db_at(b->table, r, b->row));
    g_autofree char *column = measures ? NULL : cli_runs_text(ww_db_at(b->table, r, b->column));
    for (guint m = 0; m < b->n_measures; m++) {
        guint at = cli_label_at(g->rows, cells->rows, row) * g->columns->len +
                   (measures ? m : cli_label_at(g->columns, cells->columns, column));
        double v = b->values[r * b->n_measures + m];
        if (cells->first[at] != 0 && !together(b, cells->first[at] - 1, r, error)) {
            return false;
        }
        cells->first[at] = r + 1;
        if (cells->list[at] == NULL) {
            cells->list[at] = g_array_new(false, false, sizeof(double));
        }
        if (!isnan(v)) {
            g_array_append_val(cells->list[at], v);
        }
    }
    return true;
}

/* Each cell becomes one figure. */
static void average(const Build *b, const Cells *cells, guint n)
{
    guint least = G_MAXUINT, most = 0, undefined = 0;
    for (guint i = 0; i < n; i++) {
        const GArray *l = cells->list[i];
        guint k = l != NULL ? l->len : 0;
        const double *v = k != 0 ? (const double *)(const void *)l->data : NULL;
        double *value = &b->grid->values[i];
        *value = k == 1 ? v[0] : cli_average(b->average, v, k);
        undefined += k > 1 && isnan(*value);
        least = k != 0 ? MIN(least, k) : least;
        most = MAX(most, k);
    }
    if (b->over != NULL && least < most) {
        g_autofree char *note = g_strdup_printf("cells are means of %u to %u runs", least, most);
        cli_say("note: ", note);
    }
    if (undefined != 0) {
        g_autofree char *note =
            g_strdup_printf("%u cells have values of 0 or less, of which there is no %s", undefined,
                            grid_average_names[b->average]);
        cli_say("note: ", note);
    }
}

bool grid_fill(Build *b, GError **error)
{
    CliGrid *g = b->grid;
    Cells cells = {.rows = g_hash_table_new(g_str_hash, g_str_equal),
                   .columns = g_hash_table_new(g_str_hash, g_str_equal)};
    label(b, &cells);
    guint n = g->rows->len * g->columns->len;
    cells.first = g_new0(uint32_t, (gsize)n + 1);
    cells.list = g_new0(GArray *, (gsize)n + 1);
    g->values = g_new(double, ((gsize)g->rows->len + 1) * (g->columns->len + 1));
    bool good = true;
    for (uint32_t r = 0; good && r < b->table->n_rows; r++) {
        good = gather(b, &cells, r, error);
    }
    if (good) {
        average(b, &cells, n);
    }
    for (guint i = 0; i < n; i++) {
        if (cells.list[i] != NULL) {
            g_array_unref(cells.list[i]);
        }
    }
    g_free(cells.list);
    g_free(cells.first);
    g_hash_table_unref(cells.rows);
    g_hash_table_unref(cells.columns);
    return good;
}
