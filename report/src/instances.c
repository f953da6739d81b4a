/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of one type beside each other: which slice, channel, bank or SM is not like the others. */
#include "parts.h"

#include <string.h>

enum { MOST_PARTS = 512, MOST_BANKS = 64, LEVELS = 9 };

/* A type, what its parts are measured by, and what is said of them besides. */
typedef struct Kind {
    const char *type, *title, *stats[3], *unit;
    const char *hit, *all, *rate; /* a share in percent: names of statistics, or NULL */
} Kind;

static const Kind kinds[] = {
    {"warp_pool", "SMs", {"warp_insns"}, "warp instr.", "thread_insns", NULL, NULL},
    {"cache.l1", "First-level caches", {"accesses"}, "accesses", NULL, NULL, "hits"},
    {"cache.l2", "L2 slices", {"accesses"}, "accesses", NULL, NULL, "hits"},
    {"dram.frfcfs",
     "DRAM channels",
     {"reads", "writes"},
     "atoms read and written",
     "row_hits",
     "selections",
     "row hits"},
};

typedef struct Part {
    const char *path;
    const json_t *o;
    double n;
} Part;

static double measure(const Kind *kind, const json_t *o, bool *has)
{
    double sum = 0;
    for (const char *const *s = kind->stats;
         s < kind->stats + G_N_ELEMENTS(kind->stats) && *s != NULL; s++) {
        *has |= json_object_get(o, *s) != NULL;
        sum += number_of(o, *s);
    }
    return sum;
}

/* A path without its numbers: "gpu.cluster[*].sm[*].l1d[*]". Parts in one place do the same work. */
static char *place_of(const char *path)
{
    GString *place = g_string_new(NULL);
    for (const char *c = path; *c != '\0'; c++) {
        size_t digits = *c == '[' ? strspn(c + 1, "0123456789") : 0;
        g_string_append_c(place, *c);
        if (digits > 0 && c[1 + digits] == ']') {
            g_string_append_c(place, '*');
            c += digits;
        }
    }
    return g_string_free(place, false);
}

/* Those in @p place; in all places when that is NULL. */
static GArray *parts_of(const Kind *kind, const char *place, const json_t *instances)
{
    GArray *all = g_array_new(false, false, sizeof(Part));
    const char *path;
    json_t *o;
    json_object_foreach((json_t *)instances, path, o)
    {
        bool has = false;
        Part part = {path, o, 0};
        if (strcmp(string_of(o, "type", ""), kind->type) != 0) {
            continue;
        }
        g_autofree char *own = place != NULL ? place_of(path) : NULL;
        part.n = measure(kind, o, &has);
        if (has && (place == NULL || strcmp(own, place) == 0)) {
            g_array_append_val(all, part);
        }
    }
    return all;
}

/* The places of a kind, in the order of the machine; none where there is but one, or each has one part. */
static GPtrArray *places_of(const Kind *kind, const json_t *instances)
{
    GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) all = parts_of(kind, NULL, instances);
    g_autoptr(GHashTable) number = g_hash_table_new(g_str_hash, g_str_equal);
    bool beside = false;
    for (guint i = 0; i < all->len; i++) {
        char *place = place_of(g_array_index(all, Part, i).path);
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(number, place));
        if (n == 0) {
            g_ptr_array_add(places, place);
            g_hash_table_insert(number, place, GUINT_TO_POINTER(1));
        } else {
            g_hash_table_insert(number, place, GUINT_TO_POINTER(n + 1)); /* frees no key */
            g_free(place);
        }
    }
    for (guint i = 0; i < places->len; i++) {
        beside |= GPOINTER_TO_UINT(g_hash_table_lookup(number, places->pdata[i])) > 1;
    }
    if (places->len < 2 || !beside) {
        g_ptr_array_set_size(places, 0);
    }
    return places;
}

static void rate_cell(Html *h, const Kind *kind, const json_t *o)
{
    if (kind->all != NULL) {
        html_share(h, number_of(o, kind->hit), number_of(o, kind->all));
    } else {
        Hits hits = hits_of(json_object_get(o, "outcomes"));
        html_share(h, hits.hit, hits.all);
    }
}

static void part_row(Html *h, const Kind *kind, const Part *part, double most, double mean)
{
    /* What is half as much again as the mean, or less than half of it, is marked. */
    bool odd = mean > 0 && (part->n > 1.5 * mean || part->n < 0.5 * mean);
    html_open(h, "tr", "class", odd ? "hot" : NULL, NULL);
    html_leaf(h, "th", part->path, "scope", "row", "class", "code", NULL);
    html_cell(h, part->n, 0);
    html_share(h, part->n, most);
    if (mean > 0) {
        html_cell(h, 100 * (part->n / mean - 1), 1);
    } else {
        html_none(h);
    }
    if (kind->rate != NULL) {
        rate_cell(h, kind, part->o);
    }
    html_close(h);
}

static bool place_table(Page *p, uint32_t i, const Kind *kind, const char *place,
                        const json_t *instances)
{
    Html *h = &p->h;
    char prefix[8];
    double most = 0, sum = 0;
    unsigned odd = 0;
    g_autoptr(GArray) all = parts_of(kind, place, instances);
    for (guint k = 0; k < all->len; k++) {
        sum += g_array_index(all, Part, k).n;
        most = MAX(most, g_array_index(all, Part, k).n);
    }
    if (all->len < 2) {
        return all->len > 0;
    }
    double mean = sum / all->len;
    for (guint k = 0; k < all->len; k++) {
        double n = g_array_index(all, Part, k).n;
        odd += mean > 0 && (n > 1.5 * mean || n < 0.5 * mean);
    }
    g_autofree char *title =
        g_strdup_printf("%s%s%s%s one by one: ", run_prefix(p, i, prefix), kind->title,
                        place != NULL ? " " : "", place != NULL ? place : "");
    g_autofree char *what =
        mean == 0  ? g_strdup("none used")
        : odd == 0 ? g_strdup("all near their mean")
                   : g_strdup_printf("%u of %u far from their mean, marked", odd, all->len);
    g_autofree char *cut =
        all->len > MOST_PARTS ? g_strdup_printf("; the first %d", MOST_PARTS) : NULL;
    g_autofree char *caption = g_strconcat(title, what, cut, NULL);
    /* of one run what is marked is in sight; those of several would hide all else */
    html_open(h, "details", "open", odd > 0 && p->n == 1 ? "" : NULL, NULL);
    html_leaf(h, "summary", caption, NULL);
    html_table(h, "sort instances", caption);
    html_head(h, "component", true);
    html_head(h, kind->unit, false);
    html_head(h, "of the busiest", false);
    html_head(h, "from the mean, %", false);
    if (kind->rate != NULL) {
        html_head(h, kind->rate, false);
    }
    html_body(h);
    for (guint k = 0; k < MIN(all->len, MOST_PARTS); k++) {
        part_row(h, kind, &g_array_index(all, Part, k), most, mean);
    }
    html_table_end(h);
    html_close(h);
    return true;
}

/* A table for each place: a data cache is not compared with one of instructions. */
static bool kind_tables(Page *p, uint32_t i, const Kind *kind, const json_t *instances)
{
    bool any = false;
    g_autoptr(GPtrArray) places = places_of(kind, instances);
    for (guint k = 0; k < places->len; k++) {
        any |= place_table(p, i, kind, places->pdata[k], instances);
    }
    return places->len > 0 ? any : place_table(p, i, kind, NULL, instances);
}

/* ---- channels by banks ------------------------------------------------------------------------------------------ */

static double bank(const json_t *o, size_t k)
{
    return ww_report_number(json_array_get(json_object_get(o, "bank_reads"), k)) +
           ww_report_number(json_array_get(json_object_get(o, "bank_writes"), k));
}

static void cell(Html *h, const Part *part, size_t k, guint row, double most)
{
    static const char *const levels[LEVELS] = {"h0", "h1", "h2", "h3", "h4",
                                               "h5", "h6", "h7", "h8"};
    char x[16], y[16];
    double v = bank(part->o, k);
    int level = v > 0 ? 1 + (int)MIN(LEVELS - 2, (LEVELS - 1) * v / most) : 0;
    g_autofree char *n = html_number(v, 0);
    g_autofree char *tip = g_strdup_printf("%s, bank %zu: %s atoms", part->path, k, n);
    g_snprintf(x, sizeof x, "%zu", 60 + 14 * k);
    g_snprintf(y, sizeof y, "%u", 12 * row);
    html_open(h, "rect", "class", levels[level], "x", x, "y", y, "width", "13", "height", "11",
              NULL);
    html_leaf(h, "title", tip, NULL);
    html_close(h);
}

static void bank_picture(Html *h, const GArray *all, size_t banks, double most)
{
    g_autofree char *box = g_strdup_printf("0 0 %zu %u", 62 + 14 * banks, 12 * all->len + 18),
                    *width = g_strdup_printf("%zu", 62 + 14 * banks);
    html_open(h, "div", "class", "scroll", NULL);
    html_open(h, "svg", "class", "banks", "viewBox", box, "width", width, "role", "img",
              "aria-label", "DRAM channels by bank; the table of channels above has the sums",
              NULL);
    for (guint i = 0; i < all->len; i++) {
        g_autofree char *y = g_strdup_printf("%u", 12 * i + 10),
                        *name = g_strdup_printf("channel %u", i);
        html_leaf(h, "text", name, "x", "55", "y", y, "text-anchor", "end", "class", "small", NULL);
        for (size_t k = 0; k < banks; k++) {
            cell(h, &g_array_index(all, Part, i), k, i, most);
        }
    }
    for (size_t k = 0; k < banks; k++) {
        g_autofree char *x = g_strdup_printf("%zu", 66 + 14 * k),
                        *y = g_strdup_printf("%u", 12 * all->len + 13),
                        *name = g_strdup_printf("%zu", k);
        html_leaf(h, "text", name, "x", x, "y", y, "text-anchor", "middle", "class", "small quiet",
                  NULL);
    }
    html_close_n(h, 2);
}

static void banks(Page *p, uint32_t i, const json_t *instances)
{
    char prefix[8];
    double most = 0;
    size_t used = 0;
    g_autoptr(GArray) all = parts_of(&kinds[G_N_ELEMENTS(kinds) - 1], NULL, instances);
    g_array_set_size(all, MIN(all->len, MOST_PARTS));
    for (guint k = 0; k < all->len; k++) {
        for (size_t b = 0; b < MOST_BANKS; b++) {
            double v = bank(g_array_index(all, Part, k).o, b);
            most = MAX(most, v);
            used = v > 0 ? MAX(used, b + 1) : used;
        }
    }
    if (used == 0) {
        return;
    }
    /* those that the machine has: an idle one is seen, too */
    size_t n_banks = MAX(used, (size_t)MIN(MOST_BANKS, resolved_most(&p->run[i], ".nbk")));
    html_open(&p->h, "figure", NULL);
    html_open(&p->h, "figcaption", NULL);
    html_textf(&p->h, "%sDRAM banks: data read and written, stronger colour for more, ",
               run_prefix(p, i, prefix));
    g_autofree char *n = html_number(most, 0);
    html_textf(&p->h, "at most %s atoms per bank", n);
    html_close(&p->h);
    bank_picture(&p->h, all, n_banks, most);
    html_close(&p->h);
}

void part_instances(Page *p, uint32_t i)
{
    static const char *const types[] = {"warp_pool.", "cache.l1.", "cache.l2.", "dram.frfcfs.",
                                        NULL}; /* of kinds */
    const json_t *instances = json_object_get(p->run[i].total, "instances");
    bool any = false;
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        any |= kind_tables(p, i, &kinds[k], instances);
    }
    banks(p, i, instances);
    if (!any && trace_of(&p->run[i]) == NULL && !may_have(&p->run[i], types)) {
        without(p, i, "this machine has no SMs, slices and channels to show one by one");
    } else if (!any && json_object_size(instances) != 0) {
        without(p, i, "--stats selected no SMs, slices or channels");
    } else if (!any) {
        missing(p, i, "figures of single SMs, slices and channels", "--stats '*'");
    }
}
