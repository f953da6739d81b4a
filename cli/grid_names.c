/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include <math.h>
#include <string.h>

static bool is_number(const char *text)
{
    char *end;
    g_ascii_strtod(text, &end);
    return end != text && *end == '\0';
}

/* Does text[at] end a part of a name: a '/', or a '.' before a letter? That of a number does not. */
static bool ends_part(const char *text, size_t at)
{
    return text[at] == '/' || (text[at] == '.' && g_ascii_isalpha(text[at + 1]));
}

/* How long the part is that all labels begin with. */
static size_t common_head(const GPtrArray *labels)
{
    const char *first = labels->pdata[0];
    size_t n = strlen(first), cut = 0;
    for (guint i = 1; i < labels->len; i++) {
        size_t k = 0;
        while (k < n && first[k] == ((const char *)labels->pdata[i])[k]) {
            k++;
        }
        n = k;
    }
    for (size_t k = 0; k < n; k++) {
        bool ends = true;
        for (guint i = 0; i < labels->len; i++) {
            ends &= ends_part(labels->pdata[i], k);
        }
        cut = ends ? k + 1 : cut;
    }
    return cut;
}

/* How long the part is that all end with and that begins with a '/'; ".zst" and its like, too. */
static size_t common_tail(const GPtrArray *labels)
{
    const char *first = labels->pdata[0];
    size_t length = strlen(first), n = length, cut = 0;
    for (guint i = 1; i < labels->len; i++) {
        const char *other = labels->pdata[i];
        size_t k = 0, most = strlen(other);
        while (k < n && k < most && first[length - 1 - k] == other[most - 1 - k]) {
            k++;
        }
        n = k;
    }
    for (size_t k = 1; k <= n; k++) {
        cut = first[length - k] == '/' ? k : cut;
    }
    return cut;
}

void cli_short_names(GPtrArray *labels, const char *name)
{
    for (guint i = 0; i < labels->len; i++) {
        if (is_number(labels->pdata[i])) {
            return;
        }
    }
    if (labels->len < 2 || g_strcmp0(name, "version") == 0) {
        return;
    }
    size_t head = common_head(labels), tail = common_tail(labels);
    for (guint i = 0; i < labels->len; i++) {
        const char *text = labels->pdata[i];
        size_t n = strlen(text);
        if (head + tail >= n) {
            return;
        }
    }
    for (guint i = 0; i < labels->len; i++) {
        char *text = labels->pdata[i];
        labels->pdata[i] = g_strndup(text + head, strlen(text) - head - tail);
        g_free(text);
    }
}

/* ---- labels ----------------------------------------------------------------------------------------------------- */

guint cli_label_at(GPtrArray *labels, GHashTable *places, const char *text)
{
    gpointer at = g_hash_table_lookup(places, text);
    if (at != NULL) {
        return GPOINTER_TO_UINT(at) - 1;
    }
    char *own = g_strdup(text);
    g_ptr_array_add(labels, own);
    g_hash_table_insert(places, own, GUINT_TO_POINTER(labels->len));
    return labels->len - 1;
}

static int by_number(gconstpointer a, gconstpointer b)
{
    double x = g_ascii_strtod(*(char *const *)a, NULL), y = g_ascii_strtod(*(char *const *)b, NULL);
    return x < y ? -1 : x > y;
}

void cli_labels_sort(GPtrArray *labels, GHashTable *places)
{
    for (guint i = 0; i < labels->len; i++) {
        char *end;
        const char *text = labels->pdata[i];
        g_ascii_strtod(text, &end);
        if (end == text || *end != '\0') {
            return;
        }
    }
    g_ptr_array_sort(labels, by_number);
    for (guint i = 0; i < labels->len; i++) {
        g_hash_table_insert(places, labels->pdata[i], GUINT_TO_POINTER(i + 1));
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

bool cli_names(const char *word, const char *label)
{
    return ww_db_stands_for(word, label);
}

const char *cli_short_name(const char *text)
{
    const char *last = strrchr(text, '/'), *at = last != NULL ? last + 1 : text;
    for (size_t k = 0; last == NULL && text[k] != '\0'; k++) {
        at = ends_part(text, k) ? text + k + 1 : at;
    }
    return *at != '\0' ? at : text;
}

char *cli_figure(double v, bool relative)
{
    char text[64];
    if (isnan(v)) {
        return g_strdup("-");
    }
    if (!relative && v == floor(v) && fabs(v) < 1e15) {
        g_autofree char *whole = cli_grouped((uint64_t)fabs(v));
        return g_strconcat(v < 0 ? "-" : "", whole, NULL);
    }
    int decimals = relative ? 3 : fabs(v) >= 100 ? 1 : fabs(v) >= 1 ? 2 : 4;
    g_ascii_formatd(text, sizeof text,
                    fabs(v) < 1e15 && (v == 0 || fabs(v) >= 1e-4) ? (decimals == 1   ? "%.1f"
                                                                     : decimals == 2 ? "%.2f"
                                                                     : decimals == 3 ? "%.3f"
                                                                                     : "%.4f")
                                                                  : "%.4g",
                    v);
    return g_strdup(text);
}

char *cli_grid_title(const CliGrid *g)
{
    const char *const parts[] = {g->what, g->mean != NULL ? g->mean : ""};
    GString *title = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_string_append_printf(title, "%s%s", title->len != 0 && *parts[i] != '\0' ? ", " : "",
                               parts[i]);
    }
    if (*g->columns_name != '\0') {
        g_string_append_printf(title, "%sby %s", title->len != 0 ? ", " : "", g->columns_name);
    }
    return g_string_free(title, false);
}

bool cli_grid_drop_baseline(CliGrid *g)
{
    guint n = g->columns->len, at = n;
    for (guint c = 0; g->baseline != NULL && c < n; c++) {
        at = cli_names(g->baseline, g->columns->pdata[c]) ||
                     cli_names(g->columns->pdata[c], g->baseline)
                 ? c
                 : at;
    }
    if (at == n || n == 1) {
        return false;
    }
    for (guint i = 0, to = 0; i < g->rows->len * n; i++) {
        if (i % n != at) {
            g->values[to++] = g->values[i];
        }
    }
    g_ptr_array_remove_index(g->columns, at);
    return true;
}

void cli_grid_free(CliGrid *g)
{
    if (g != NULL) {
        g_free(g->rows_name);
        g_free(g->columns_name);
        g_free(g->what);
        g_free(g->mean);
        g_free(g->baseline);
        g_ptr_array_unref(g->rows);
        g_ptr_array_unref(g->columns);
        g_free(g->values);
        g_free(g);
    }
}
