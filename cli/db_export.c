/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright db export`: a row a run (or a kernel), with its axes, figures and statistics. Statistics that are 0 in all rows are left out: a run
 * has some two thousand, of which most are.
 */
#include "db_export.h"
#include "json.h"
#include "output-priv.h"
#include "record.h"

#include <math.h>
#include <string.h>
#include <warpwright/output.h>

static const char *const endings[] = {".csv", ".json", NULL};
enum { AS_CSV, AS_JSON };

typedef struct Export {
    GPtrArray *names; /* columns: texts */
    guint n_axes, n_fields;
    WwDbTable *table;
    bool *shown; /* a column each */
} Export;

/* The statistics that were asked for, each once. */
static bool add_statistics(WwDb *db, Export *x, char *const *patterns, GError **error)
{
    static char all[] = "*";
    static char *const every[] = {all, NULL};
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (char *const *p = patterns != NULL ? patterns : every; *p != NULL; p++) {
        if (strcmp(*p, "none") == 0) {
            continue;
        }
        g_auto(GStrv) names = ww_db_statistics(db, *p, error);
        if (names == NULL) {
            return false;
        }
        if (patterns != NULL && names[0] == NULL) {
            return ww_fail(
                error, WW_ERROR_USAGE,
                "no statistic is called '%s'; expected one that 'warpwright db list --names' lists",
                *p);
        }
        for (char **n = names; *n != NULL; n++) {
            if (!g_hash_table_contains(seen, *n)) {
                char *own = g_strdup(*n);
                g_hash_table_add(seen, own);
                g_ptr_array_add(x->names, own);
            }
        }
    }
    return true;
}

static bool ask(WwDb *db, Export *x, const CliRuns *runs, const CliExport *how, GError **error)
{
    g_auto(GStrv) axes = ww_db_axes(db, runs->experiment, error);
    if (axes == NULL) {
        return false;
    }
    for (char **a = axes; *a != NULL; a++) {
        g_ptr_array_add(x->names, g_strdup(*a));
    }
    x->n_axes = x->names->len;
    for (const char *const *f = ww_db_fields(); *f != NULL; f++) {
        if (!g_strv_contains((const char *const *)axes, *f)) {
            g_ptr_array_add(x->names, g_strdup(*f));
        }
    }
    x->n_fields = x->names->len;
    if (!add_statistics(db, x, how->stats, error)) {
        return false;
    }
    g_ptr_array_add(x->names, NULL);
    const WwDbQuery query = {.columns = (const char *const *)x->names->pdata,
                             .where = (const char *const *)runs->where,
                             .experiment = runs->experiment,
                             .kernels = how->kernels,
                             .all = !how->kernels};
    x->table = ww_db_select(db, &query, error);
    if (x->table == NULL) {
        return false;
    }
    if (x->table->n_rows == 0) {
        return cli_runs_fail_none(db, runs, how->kernels, 0, error);
    }
    x->shown = g_new0(bool, x->table->n_columns + 1);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        for (uint32_t c = 0; c < x->table->n_columns; c++) {
            const WwDbValue *v = ww_db_at(x->table, r, c);
            x->shown[c] |= v->kind != WW_DB_NOTHING &&
                           (c < x->n_fields || how->stats != NULL || v->number != 0);
        }
    }
    return true;
}

/* A number as it was counted: whole where it is whole. */
static const char *value_text(const WwDbValue *v, char *buffer, int size)
{
    if (v->kind == WW_DB_NOTHING || v->text != NULL) {
        return v->text != NULL ? v->text : "";
    }
    if (v->number == floor(v->number) && fabs(v->number) < 1e15) {
        g_snprintf(buffer, (gulong)size, "%.0f", v->number);
        return buffer;
    }
    return g_ascii_dtostr(buffer, size, v->number);
}

static void write_csv(const Export *x, FILE *out)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    for (uint32_t r = 0; r <= x->table->n_rows; r++) {
        bool first = true;
        for (uint32_t c = 0; c < x->table->n_columns; c++) {
            if (!x->shown[c]) {
                continue;
            }
            fputs(first ? "" : ",", out);
            first = false;
            cli_csv_text(r == 0 ? x->names->pdata[c]
                                : value_text(ww_db_at(x->table, r - 1, c), buffer, sizeof buffer),
                         out);
        }
        fputc('\n', out);
    }
}

static json_t *value_json(const WwDbValue *v)
{
    if (v->kind == WW_DB_TEXT || v->text != NULL) {
        return cli_json_text(v->text);
    }
    return v->number == floor(v->number) && v->number >= 0 && v->number < 1e15
               ? cli_json_number((uint64_t)v->number)
               : json_real(v->number);
}

/* {"axes": {...}, FIGURE: ..., "statistics": {...}} */
static void write_json(const Export *x, FILE *out)
{
    CliJsonWriter w = {.out = out, .depth = 3};
    cli_json_member(&w, "schema", json_string("warpwright-runs-1"));
    cli_json_member(&w, "runs", NULL);
    for (uint32_t r = 0; r < x->table->n_rows; r++) {
        json_t *o = json_object(), *axes = json_object(), *statistics = json_object();
        json_object_set_new(o, "axes", axes);
        for (uint32_t c = 0; c < x->table->n_columns; c++) {
            const WwDbValue *v = ww_db_at(x->table, r, c);
            if (x->shown[c] && v->kind != WW_DB_NOTHING) {
                json_object_set_new(c < x->n_axes     ? axes
                                    : c < x->n_fields ? o
                                                      : statistics,
                                    x->names->pdata[c], value_json(v));
            }
        }
        json_object_set_new(o, "statistics", statistics);
        cli_json_entry(&w, o);
    }
    cli_json_list_end(&w);
    cli_json_end(&w);
}

bool cli_export(const char *file, const CliRuns *runs, const CliExport *how, char *const *outputs,
                GError **error)
{
    Export x = {.names = g_ptr_array_new_with_free_func(g_free)};
    guint n = g_strv_length((char **)outputs);
    g_autofree WwOutput **out = g_new0(WwOutput *, n + 1);
    bool good = cli_outputs_apart(outputs, (char *[]){(char *)file, NULL}, 1, error);
    for (guint i = 0; good && i < n; i++) {
        good = cli_ending(outputs[i], endings, error) >= 0;
    }
    g_autoptr(WwDb) db = good ? ww_db_open(file, WW_DB_READ, error) : NULL;
    good = db != NULL && ask(db, &x, runs, how, error);
    for (guint i = 0; good && i < n; i++) {
        out[i] = ww_output_new(outputs[i], error);
        good = out[i] != NULL;
        if (good) {
            (cli_ending(outputs[i], endings, NULL) == AS_CSV ? write_csv : write_json)(
                &x, ww_output_file(out[i]));
            good = ww_output_finish(out[i], error);
        }
        good = good || (g_prefix_error(error, "cannot write "), false);
    }
    for (guint i = 0; i < n; i++) {
        if (good) {
            good = ww_output_keep(out[i], "cannot write ", error);
        } else {
            ww_output_drop(out[i]);
        }
    }
    g_ptr_array_unref(x.names);
    ww_db_table_free(x.table);
    g_free(x.shown);
    return good;
}
