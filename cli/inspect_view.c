/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a view: one group alone with what it is joined to, and groups closed below a depth. A whole GPU does not fit a page; its
 * clusters closed, or one SM, do.
 */
#include "inspect.h"

#include <string.h>

/* ---- which group ------------------------------------------------------------------------------------------------ */

/* A path without its indices: "gpu.cluster[*].sm[3]" is "gpu.cluster.sm". */
static char *plain(const char *path)
{
    GString *out = g_string_new(NULL);
    bool index = false;
    for (const char *p = path; *p != '\0'; p++) {
        index = *p == '[' || (index && *p != ']');
        if (!index && *p != ']') {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, false);
}

static bool ends_with_path(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return m <= n && strcmp(path + n - m, end) == 0 && (m == n || path[n - m - 1] == '.');
}

static int by_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The one group that @p only means. */
static char *find_group(const InspectMachine *view, const char *only, GError **error)
{
    g_autofree char *wanted = plain(only);
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    const char *found = NULL;
    GHashTableIter it;
    gpointer group;
    g_hash_table_iter_init(&it, view->group_of);
    while (g_hash_table_iter_next(&it, &group, NULL)) {
        g_ptr_array_add(all, group);
    }
    g_ptr_array_sort(all, by_text);
    for (guint i = 0; i < all->len; i++) {
        g_autofree char *name = plain(all->pdata[i]);
        if (!ends_with_path(name, wanted)) {
            continue;
        }
        if (found != NULL) {
            ww_fail(error, WW_ERROR_USAGE, "--only '%s' fits %s and %s; expected a longer path",
                    only, found, (char *)all->pdata[i]);
            return NULL;
        }
        found = all->pdata[i];
    }
    if (found == NULL) {
        g_ptr_array_add(all, NULL);
        g_autofree char *list = g_strjoinv(", ", (char **)all->pdata);
        ww_fail(error, WW_ERROR_USAGE, "--only '%s' is no group of the platform; expected %s", only,
                *list != '\0' ? list : "nothing: it has none");
    }
    return g_strdup(found);
}

/* ---- which of its elements --------------------------------------------------------------------------------------- */

/* The number at *at, which is moved behind it; one past all numbers is the largest. */
static bool read_index(const char **at, uint64_t *n)
{
    char *end = (char *)*at;
    bool any = g_ascii_isdigit(**at);
    *n = any ? g_ascii_strtoull(*at, &end, 10) : 0;
    *at = end;
    return any;
}

/* Is @p word, "sm[3]", one of @p wanted: "sm", "sm[*]", "sm[3]", "sm[2..5]"? */
static bool word_fits(const char *word, const char *wanted)
{
    size_t n = strcspn(word, "["), m = strcspn(wanted, "[");
    if (n != m || strncmp(word, wanted, n) != 0 || wanted[m] == '\0' ||
        strcmp(wanted + m, "[*]") == 0) {
        return n == m && strncmp(word, wanted, n) == 0;
    }
    const char *have = word + n + 1, *want = wanted + m + 1;
    uint64_t at, from, to = 0;
    if (word[n] == '\0' || !read_index(&have, &at) || !read_index(&want, &from)) {
        return false;
    }
    bool some = g_str_has_prefix(want, "..");
    want += some ? 2 : 0;
    return (!some || read_index(&want, &to)) && strcmp(want, "]") == 0 &&
           (some ? at >= from && at < to : at == from);
}

/* Are the last words of @p path those of @p wanted? */
static bool words_fit(const char *path, const char *wanted)
{
    g_auto(GStrv) have = g_strsplit(path, ".", -1);
    g_autofree char *spared = g_strdup(wanted);
    for (char *p = spared; (p = strstr(p, "..")) != NULL;) { /* a range is no end of a word */
        *p = *(p + 1) = '\1';
    }
    g_auto(GStrv) words = g_strsplit(spared, ".", -1);
    guint n = g_strv_length(have), m = g_strv_length(words);
    bool fits = m <= n;
    for (guint i = 0; fits && i < m; i++) {
        for (char *p = words[i]; *p != '\0'; p++) {
            *p = *p == '\1' ? '.' : *p;
        }
        fits = word_fits(have[n - m + i], words[i]);
    }
    return fits;
}

/* What an element of the group consists of, as a number: that of elements that are alike is the same. */
typedef struct Element {
    char *path;
    guint hash;
    bool fits;
} Element;

static void free_element(gpointer data)
{
    Element *e = data;
    g_free(e->path);
    g_free(e);
}

/* The elements of the view's group, in their order. */
static GPtrArray *elements_of(const InspectMachine *view, const char *only)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(free_element);
    g_autoptr(GHashTable) by_path = g_hash_table_new(g_str_hash, g_str_equal);
    size_t n = strlen(view->root);
    for (uint32_t i = 0; i < ww_machine_n_components(view->machine); i++) {
        const WwComponent *c = ww_machine_component(view->machine, i);
        g_autofree char *pattern = cli_pattern(c);
        if (strncmp(pattern, view->root, n) != 0 || pattern[n] != '.') {
            continue;
        }
        g_autofree char *whole = ww_path(c), *path = inspect_element(whole, view->root);
        Element *e = g_hash_table_lookup(by_path, path);
        if (e == NULL) {
            e = g_new0(Element, 1);
            e->path = g_steal_pointer(&path);
            e->fits = words_fit(e->path, only);
            g_ptr_array_add(all, e);
            g_hash_table_insert(by_path, e->path, e);
        }
        e->hash += g_str_hash(pattern) * 31 + g_str_hash(c->type->name);
    }
    return all;
}

/* Chooses the element that @p only means, unless all are meant and alike; tells which one it is where others are different. */
static bool choose_element(InspectMachine *view, const char *only, GError **error)
{
    g_autoptr(GPtrArray) all = elements_of(view, only);
    const Element *first = NULL;
    guint n = 0;
    bool alike = true;
    for (guint i = 0; i < all->len; i++) {
        const Element *e = all->pdata[i];
        if (e->fits) {
            first = first != NULL ? first : e;
            alike &= e->hash == first->hash;
            n++;
        }
    }
    if (first == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--only '%s' fits none of the %u elements of %s; expected one of them", only,
                       all->len, view->root);
    }
    if (n == all->len && alike) {
        return true;
    }
    if (!alike) {
        fprintf(stderr,
                "warpwright: note: %s: %u elements that are not alike: this is %s; --only with "
                "another index shows another\n",
                view->root, n, first->path);
    }
    view->element = g_strdup(first->path);
    inspect_machine_collect(view);
    return true;
}

/* ---- narrowing -------------------------------------------------------------------------------------------------- */

typedef struct Narrow {
    const char *root; /* with which the paths that are kept begin, or "" */
    size_t n_root;
    guint depth; /* words behind it that a path may have */
} Narrow;

static bool is_inside(const Narrow *w, const char *pattern)
{
    return w->n_root == 0 ||
           (strncmp(pattern, w->root, w->n_root) == 0 && pattern[w->n_root] == '.');
}

/* The pattern as the view shows it: cut where a closed group begins. What is outside is closed at the first step away. */
static char *shown(const Narrow *w, const char *pattern)
{
    if (!is_inside(w, pattern) || w->depth == 0) {
        return g_strdup(pattern);
    }
    const char *p = pattern + w->n_root;
    for (guint i = 0; i < w->depth && p != NULL; i++) {
        p = strchr(p + 1, '.');
    }
    return p != NULL ? g_strndup(pattern, (gsize)(p - pattern)) : g_strdup(pattern);
}

/* A part of the new view for @p old, which is shown as @p pattern. */
static void keep_part(InspectMachine *view, GHashTable *part_of, GPtrArray *parts,
                      const InspectPart *old, const char *pattern, bool outside)
{
    InspectPart *part = g_hash_table_lookup(part_of, pattern);
    bool closed = strcmp(pattern, old->pattern) != 0;
    if (part == NULL) {
        part = g_new0(InspectPart, 1);
        part->pattern = g_strdup(pattern);
        part->outside = outside;
        part->type = closed ? NULL : old->type;
        part->mixed = !closed && old->mixed;
        part->n = closed ? GPOINTER_TO_UINT(g_hash_table_lookup(view->group_of, pattern)) : old->n;
        g_ptr_array_add(parts, part);
        g_hash_table_insert(part_of, part->pattern, part);
    }
    part->inside += closed ? old->n : 0;
    part->unlike |= closed && old->n % MAX(part->n, 1) != 0;
}

char *inspect_inside_text(const InspectPart *part)
{
    uint32_t each = part->inside / MAX(part->n, 1);
    return g_strdup_printf("%s%u %s", part->unlike ? "some " : "", each,
                           WW_PLURAL(each, "part", "parts"));
}

/* The wire between the parts that are shown; wires that became alike are one. */
static void keep_wire(InspectMachine *view, GHashTable *wire_of, GPtrArray *wires, const Narrow *w,
                      const InspectWire *old)
{
    g_autofree char *from = shown(w, old->from);
    g_autofree char *to = shown(w, old->to);
    if ((!is_inside(w, old->from) && !is_inside(w, old->to)) || strcmp(from, to) == 0) {
        return;
    }
    g_autofree char *key =
        g_strdup_printf("%s|%s|%s|%s|%d", from, old->from_port != NULL ? old->from_port : "", to,
                        old->to_port != NULL ? old->to_port : "", old->interface);
    InspectWire *wire = g_hash_table_lookup(wire_of, key);
    if (wire == NULL) {
        wire = g_new0(InspectWire, 1);
        *wire = (InspectWire){g_steal_pointer(&from), g_steal_pointer(&to), old->from_port,
                              old->to_port,           old->interface,       0};
        g_ptr_array_add(wires, wire);
        g_hash_table_insert(wire_of, g_steal_pointer(&key), wire);
    }
    wire->n += old->n;
}

static GHashTable *joined(const Narrow *w, const InspectMachine *view)
{
    GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < view->wires->len; i++) {
        const InspectWire *wire = view->wires->pdata[i];
        if (is_inside(w, wire->from) != is_inside(w, wire->to)) {
            g_hash_table_add(set, is_inside(w, wire->from) ? wire->to : wire->from);
        }
    }
    return set;
}

/* Counts of a group that is shown alone are of one of it. */
static void count_one(const InspectMachine *view)
{
    guint groups = GPOINTER_TO_UINT(g_hash_table_lookup(view->group_of, view->root));
    for (guint i = 0; i < view->parts->len; i++) {
        InspectPart *part = view->parts->pdata[i];
        part->n = MAX(part->n / groups, 1);
        part->inside /= groups;
    }
    for (guint i = 0; i < view->wires->len; i++) {
        InspectWire *wire = view->wires->pdata[i];
        wire->n = MAX(wire->n / groups, 1);
    }
}

/* Takes the new lists over; those of the old kind free what they hold. */
static void replace(GPtrArray **list, GPtrArray *by)
{
    g_ptr_array_unref(*list);
    *list = by;
}

bool inspect_machine_narrow(InspectMachine *view, const char *only, guint depth, GError **error)
{
    if (only != NULL && ((view->root = find_group(view, only, error)) == NULL ||
                         !choose_element(view, only, error))) {
        return false;
    }
    Narrow w = {.root = view->root != NULL ? view->root : "", .depth = depth};
    w.n_root = strlen(w.root);
    if (w.n_root == 0 && depth != 0) {
        w.depth++; /* the first word is that of the machine's one group, which is no choice */
    }
    GHashTable *part_of = g_hash_table_new(g_str_hash, g_str_equal),
               *wire_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *parts = inspect_parts_new(), *wires = inspect_wires_new();
    g_autoptr(GHashTable) others = joined(&w, view);
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        bool inside = is_inside(&w, part->pattern);
        if (inside || g_hash_table_contains(others, part->pattern)) {
            g_autofree char *pattern = shown(&w, part->pattern);
            keep_part(view, part_of, parts, part, pattern, !inside);
        }
    }
    for (guint i = 0; i < view->wires->len; i++) {
        keep_wire(view, wire_of, wires, &w, view->wires->pdata[i]);
    }
    g_hash_table_unref(view->part_of);
    g_hash_table_unref(view->wire_of);
    view->part_of = part_of;
    view->wire_of = wire_of;
    replace(&view->parts, parts);
    replace(&view->wires, wires);
    if (view->root != NULL) {
        count_one(view);
    }
    return true;
}
