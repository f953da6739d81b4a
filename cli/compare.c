/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright compare`: results of runs side by side. The first file is what the others are measured against. Everything that is compared
 * becomes a row: a name and one number a file; rows that are equal everywhere are counted, not printed.
 */
#include "cli-priv.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

#define SCHEMA "warpwright-results-1"
#define MOST_FILES 8u
#define MOST_ROWS 40u
#define NAME_WIDTH 44

typedef struct Row {
    char *name;
    double v[MOST_FILES];
    bool has[MOST_FILES];
} Row;

typedef struct Compare {
    json_t *run[MOST_FILES];
    const char *file[MOST_FILES];
    uint32_t n;
    GPtrArray *rows; /* Row: counters */
    GHashTable *row_of;
    bool exact_same;
    gboolean exact, all;
} Compare;

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool load(Compare *c, const char *file, GError **error)
{
    json_error_t why;
    json_t *o = json_load_file(file, JSON_REJECT_DUPLICATES, &why);
    if (o == NULL) {
        return why.line > 0
                   ? ww_fail(error, WW_ERROR_INPUT,
                             "%s:%d:%d: %s; expected results of warpwright run -o FILE.json", file,
                             why.line, why.column, why.text)
                   : ww_fail(error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file of results", file, why.text);
    }
    c->run[c->n] = o;
    c->file[c->n++] = file;
    const char *schema = json_string_value(json_object_get(o, "schema"));
    if (schema == NULL || strcmp(schema, SCHEMA) != 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: schema is '%s'; expected '%s'", file,
                       schema != NULL ? schema : "missing", SCHEMA);
    }
    if (!json_is_array(json_object_get(o, "kernels")) ||
        !json_is_object(json_object_get(json_object_get(o, "total"), "counters"))) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: expected a list 'kernels' and 'total' with 'counters'", file);
    }
    return true;
}

static json_t *total(const Compare *c, uint32_t i)
{
    return json_object_get(c->run[i], "total");
}

static double figure(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void set_row(Compare *c, uint32_t i, const char *name, double v)
{
    Row *row = g_hash_table_lookup(c->row_of, name);
    if (row == NULL) {
        row = g_new0(Row, 1);
        row->name = g_strdup(name);
        g_ptr_array_add(c->rows, row);
        g_hash_table_insert(c->row_of, row->name, row);
    }
    row->v[i] = v;
    row->has[i] = true;
}

/* Counters, and the entries of vectors by number or label. */
static void add_rows(Compare *c, uint32_t i, const char *name, const json_t *value)
{
    const char *key;
    json_t *member;
    if (json_is_number(value)) {
        set_row(c, i, name, json_number_value(value));
    } else if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++) {
            g_autofree char *entry = g_strdup_printf("%s[%zu]", name, k);
            add_rows(c, i, entry, json_array_get(value, k));
        }
    } else if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, member)
        {
            g_autofree char *entry =
                *name != '\0' ? g_strdup_printf("%s[%s]", name, key) : g_strdup(key);
            add_rows(c, i, entry, member);
        }
    }
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static char *value_text(double v, bool whole)
{
    return whole ? cli_grouped((uint64_t)v) : g_strdup_printf("%.2f", v);
}

static bool same(const Compare *c, const double *v, const bool *has)
{
    for (uint32_t i = 1; i < c->n; i++) {
        if (v[i] != v[0] || (has != NULL && has[i] != has[0])) {
            return false;
        }
    }
    return true;
}

/* NAME, a value a file, and behind each but the first how many times the first it is. */
static void print_row(const Compare *c, const char *name, const double *v, const bool *has,
                      bool whole)
{
    g_autofree char *shown = cli_cut(name, NAME_WIDTH);
    printf("  %s%*s", shown, NAME_WIDTH - (int)g_utf8_strlen(shown, -1), "");
    for (uint32_t i = 0; i < c->n; i++) {
        g_autofree char *text = has == NULL || has[i] ? value_text(v[i], whole) : g_strdup("-");
        printf(" %15s", text);
        if (i == 0) {
            continue;
        }
        if (v[0] != 0 && (has == NULL || (has[0] && has[i]))) {
            printf(" %7.3f", v[i] / v[0]);
        } else {
            printf(" %7s", "");
        }
    }
    putchar('\n');
}

static void print_head(const Compare *c, const char *title)
{
    putchar('\n');
    printf("%s%*s", title, NAME_WIDTH + 2 - (int)strlen(title), "");
    for (uint32_t i = 0; i < c->n; i++) {
        printf(i == 0 ? " %15c" : " %15c   ratio", 'A' + (char)i);
    }
    putchar('\n');
}

static void print_files(const Compare *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        json_t *configs = json_object_get(c->run[i], "config");
        const char *platform = json_string_value(json_object_get(c->run[i], "platform"));
        const char *trace = json_string_value(json_object_get(c->run[i], "trace"));
        printf("%c  %s: %s on %s", 'A' + (char)i, c->file[i], trace != NULL ? trace : "?",
               platform != NULL ? platform : "?");
        for (size_t k = 0; k < json_array_size(configs); k++) {
            const char *config = json_string_value(json_array_get(configs, k));
            printf("%s%s", k == 0 ? " with " : ", ", config != NULL ? config : "?");
        }
        puts(json_is_true(json_object_get(c->run[i], "partial")) ? " (partial)" : "");
    }
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static void compare_figure(Compare *c, const char *name, const char *key, const char *per)
{
    double v[MOST_FILES];
    for (uint32_t i = 0; i < c->n; i++) {
        double by = per != NULL ? figure(total(c, i), per) : 1;
        v[i] = by != 0 ? figure(total(c, i), key) / by : 0;
    }
    c->exact_same &= same(c, v, NULL);
    print_row(c, name, v, NULL, per == NULL);
}

static void compare_kernels(Compare *c)
{
    size_t most = 0, equal = 0, shown = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        most = MAX(most, json_array_size(json_object_get(c->run[i], "kernels")));
    }
    for (size_t k = 0; k < most; k++) {
        double v[MOST_FILES] = {0}, insns[MOST_FILES] = {0};
        bool has[MOST_FILES];
        const char *name = NULL;
        bool renamed = false;
        for (uint32_t i = 0; i < c->n; i++) {
            json_t *kernel = json_array_get(json_object_get(c->run[i], "kernels"), k);
            const char *own = json_string_value(json_object_get(kernel, "name"));
            has[i] = kernel != NULL;
            v[i] = figure(kernel, "cycles");
            insns[i] = figure(kernel, "thread_instructions");
            renamed |= name != NULL && own != NULL && strcmp(own, name) != 0;
            name = name != NULL ? name : own;
        }
        bool alike = same(c, v, has) && same(c, insns, NULL) && !renamed;
        equal += alike;
        c->exact_same &= alike;
        if (!alike && shown++ < (c->all ? SIZE_MAX : MOST_ROWS)) {
            g_autofree char *title = g_strdup_printf("%zu %s%s", k + 1, name != NULL ? name : "?",
                                                     renamed ? " (other name)" : "");
            if (shown == 1) {
                print_head(c, "kernels, cycles");
            }
            print_row(c, title, v, has, true);
        }
    }
    if (shown > MOST_ROWS && !c->all) {
        printf("  and %zu more kernels that differ (--all)\n", shown - MOST_ROWS);
    }
    printf("\n%zu of %zu kernels took the same cycles and instructions\n", equal, most);
}

/* Where the issue slots went, in percent of each run's own. */
static void compare_slots(Compare *c)
{
    double all[MOST_FILES] = {0};
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    for (guint i = 0; i < c->rows->len; i++) {
        Row *row = c->rows->pdata[i];
        bool used = strcmp(row->name, "warp_scheduler.single_issue") == 0 ||
                    strcmp(row->name, "warp_scheduler.dual_issue") == 0;
        if (!used && !g_str_has_prefix(row->name, "warp_scheduler.cause[")) {
            continue;
        }
        for (uint32_t k = 0; k < c->n; k++) {
            all[k] += row->v[k];
        }
        g_ptr_array_add(rows, row);
    }
    bool head = false;
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        double part[MOST_FILES], most = 0;
        for (uint32_t k = 0; k < c->n; k++) {
            part[k] = all[k] != 0 ? 100 * row->v[k] / all[k] : 0;
            most = MAX(most, part[k]);
        }
        if (most >= 0.005) {
            if (!head) {
                print_head(c, "issue slots, %");
                head = true;
            }
            print_row(c, row->name + strlen("warp_scheduler."), part, NULL, false);
        }
    }
}

static void compare_counters(Compare *c)
{
    guint shown = 0, equal = 0;
    for (guint i = 0; i < c->rows->len; i++) {
        const Row *row = c->rows->pdata[i];
        if (same(c, row->v, row->has)) {
            equal++;
            continue;
        }
        c->exact_same = false;
        if (shown++ == 0) {
            print_head(c, "counters that differ");
        }
        if (shown <= MOST_ROWS || c->all) {
            print_row(c, row->name, row->v, row->has, true);
        }
    }
    if (shown > MOST_ROWS && !c->all) {
        printf("  and %u more that differ (--all)\n", shown - MOST_ROWS);
    }
    printf("\n%u of %u counters are the same\n", equal, c->rows->len);
}

static void compare_fingerprints(Compare *c)
{
    const char *first = json_string_value(json_object_get(c->run[0], "fingerprint"));
    for (uint32_t i = 1; i < c->n && first != NULL; i++) {
        const char *other = json_string_value(json_object_get(c->run[i], "fingerprint"));
        if (other != NULL && strcmp(first, other) != 0) {
            printf("fingerprints differ: %s and %s\n", first, other);
            c->exact_same = false;
        }
    }
}

static void compare_all(Compare *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        add_rows(c, i, "", json_object_get(total(c, i), "counters"));
    }
    c->exact_same = true;
    print_files(c);
    print_head(c, "total");
    compare_figure(c, "cycles", "cycles", NULL);
    compare_figure(c, "thread instructions", "thread_instructions", NULL);
    compare_figure(c, "warp instructions", "warp_instructions", NULL);
    compare_figure(c, "IPC", "thread_instructions", "cycles");
    compare_kernels(c);
    compare_slots(c);
    compare_counters(c);
    compare_fingerprints(c);
}

static void free_row(gpointer data)
{
    Row *row = data;
    g_free(row->name);
    g_free(row);
}

int cli_compare(int argc, char **argv)
{
    Compare c = {.rows = g_ptr_array_new_with_free_func(free_row),
                 .row_of = g_hash_table_new(g_str_hash, g_str_equal)};
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"exact", 0, 0, G_OPTION_ARG_NONE, &c.exact, "Exit status 1 if any figure differs", NULL},
        {"all", 0, 0, G_OPTION_ARG_NONE, &c.all, "Print everything that differs, however much",
         NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    bool good = cli_parse(
        &argc, &argv, "A.json B.json...", "Shows results of two or more runs side by side.",
        "Files are written by warpwright run -o FILE.json. Ratios are to A.", tables, &error);
    if (good && (argc < 3 || argc > (int)MOST_FILES + 1)) {
        good = ww_fail(&error, WW_ERROR_USAGE, "compare: expected 2 to %u results, got %d",
                       MOST_FILES, argc - 1);
    }
    for (int i = 1; good && i < argc; i++) {
        good = load(&c, argv[i], &error);
    }
    if (good) {
        compare_all(&c);
    }
    int status = good && c.exact && !c.exact_same ? CLI_STOPPED : CLI_DONE;
    for (uint32_t i = 0; i < c.n; i++) {
        json_decref(c.run[i]);
    }
    g_hash_table_unref(c.row_of);
    g_ptr_array_unref(c.rows);
    return good ? status : cli_fail(error);
}
