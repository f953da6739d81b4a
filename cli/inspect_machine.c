/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine as a tree of components and a table of connections. A GPU has thousands of parts and a few dozen kinds of them: parts
 * whose paths differ in indices only are shown once, with how many there are; so are their connections.
 */
#include "picture.h"

#include <string.h>

/* ---- collecting ------------------------------------------------------------------------------------------------- */

typedef enum CountedAs { COUNTED_NOT, COUNTED_GROUP, COUNTED_PART } CountedAs;

/* What is in which element of what, while it is counted. */
typedef struct Collecting {
    InspectMachine *view;
    GHashTable *seen;    /* paths of groups */
    GHashTable *counted; /* path -> CountedAs */
    GHashTable
        *in_parent; /* path of a group or component, '\n', pattern of what is in it -> how many */
} Collecting;

/* One more of @p pattern where @p path is. A component with others in its slots comes as part and as group: once. Channels of one name are several. */
static void count_in_parent(Collecting *c, const char *path, const char *pattern, CountedAs as)
{
    CountedAs before = GPOINTER_TO_UINT(g_hash_table_lookup(c->counted, path));
    if (before != COUNTED_NOT && (as == COUNTED_GROUP || before == COUNTED_GROUP)) {
        return;
    }
    g_hash_table_replace(c->counted, g_strdup(path), GUINT_TO_POINTER(as));
    const char *dot = strrchr(path, '.');
    char *key = g_strdup_printf("%.*s\n%s", dot != NULL ? (int)(dot - path) : 0, path, pattern);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(c->in_parent, key));
    g_hash_table_replace(c->in_parent, key, GUINT_TO_POINTER(n + 1));
}

/* Counts the groups that a component is the first of: @p path is its path, @p pattern the same without numbers. */
static void add_groups(Collecting *c, char *path, char *pattern)
{
    InspectMachine *view = c->view;
    char *p = path, *q = pattern;
    while ((p = strchr(p, '.')) != NULL && (q = strchr(q, '.')) != NULL) {
        *p = *q = '\0';
        if (!g_hash_table_contains(c->seen, path)) {
            g_hash_table_add(c->seen, g_strdup(path));
            count_in_parent(c, path, pattern, COUNTED_GROUP);
            guint n = GPOINTER_TO_UINT(g_hash_table_lookup(view->group_of, pattern));
            g_hash_table_insert(view->group_of, g_strdup(pattern), GUINT_TO_POINTER(n + 1));
        }
        *p++ = *q++ = '.';
    }
}

static void add_part(Collecting *all, const WwComponent *c)
{
    InspectMachine *view = all->view;
    g_autofree char *pattern = cli_pattern(c);
    g_autofree char *path = ww_path(c);
    if (!inspect_machine_has(view, path)) {
        return;
    }
    add_groups(all, path, pattern);
    count_in_parent(all, path, pattern, COUNTED_PART);
    InspectPart *part = g_hash_table_lookup(view->part_of, pattern);
    if (part == NULL) {
        part = g_new0(InspectPart, 1);
        part->pattern = g_steal_pointer(&pattern);
        part->type = c->type;
        g_ptr_array_add(view->parts, part);
        g_hash_table_insert(view->part_of, part->pattern, part);
    }
    part->mixed |= part->type != c->type;
    part->n++;
}

/* A wire leads from the one who puts or calls to the one who takes or is called. */
static void add_wire(void *user, const WwComponent *component, const WwPortRow *row,
                     const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    InspectMachine *view = user;
    bool in = row->role == WW_IN;
    g_autofree char *path = ww_path(component), *peer_path = ww_path(peer);
    if (!inspect_machine_has(view, path) || !inspect_machine_has(view, peer_path)) {
        return;
    }
    g_autofree char *own = cli_pattern(component);
    g_autofree char *other = cli_pattern(peer);
    const char *peer_port = peer_row != NULL ? peer_row->name : NULL;
    g_autofree char *key = g_strdup_printf("%s|%s|%s|%s|%d", own, row->name, other,
                                           peer_port != NULL ? peer_port : "", in);
    InspectWire *wire = g_hash_table_lookup(view->wire_of, key);
    if (wire == NULL) {
        wire = g_new0(InspectWire, 1);
        wire->from = g_strdup(in ? other : own);
        wire->to = g_strdup(in ? own : other);
        wire->from_port = in ? peer_port : row->name;
        wire->to_port = in ? row->name : peer_port;
        wire->interface = row->role == WW_REQUIRES || row->role == WW_PROVIDES;
        g_ptr_array_add(view->wires, wire);
        g_hash_table_insert(view->wire_of, g_steal_pointer(&key), wire);
    }
    wire->n++;
}

static void free_part(gpointer data)
{
    InspectPart *part = data;
    g_free(part->pattern);
    g_free(part);
}

static void free_wire(gpointer data)
{
    InspectWire *wire = data;
    g_free(wire->from);
    g_free(wire->to);
    g_free(wire);
}

GPtrArray *inspect_parts_new(void)
{
    return g_ptr_array_new_with_free_func(free_part);
}

GPtrArray *inspect_wires_new(void)
{
    return g_ptr_array_new_with_free_func(free_wire);
}

char *inspect_element(const char *path, const char *root)
{
    const char *end = path;
    for (const char *p = root; end != NULL && p != NULL; p = strchr(p + 1, '.')) {
        end = strchr(end + (p != root), '.');
    }
    return end != NULL ? g_strndup(path, (gsize)(end - path)) : NULL;
}

bool inspect_machine_has(const InspectMachine *view, const char *path)
{
    g_autofree char *group = view->element != NULL ? inspect_element(path, view->root) : NULL;
    if (group == NULL) {
        return true; /* all is there, or the path is too short to be in the group */
    }
    g_autofree char *pattern = picture_pattern(group);
    return strcmp(pattern, view->root) != 0 || strcmp(group, view->element) == 0;
}

/* From counts of single parents to the least and the most of each pattern. */
static void spread_counts(InspectMachine *view, GHashTable *in_parent)
{
    GHashTableIter it;
    gpointer key, count, pattern;
    g_hash_table_iter_init(&it, in_parent);
    while (g_hash_table_iter_next(&it, &key, &count)) {
        const char *name = strchr(key, '\n') + 1;
        guint n = GPOINTER_TO_UINT(count);
        InspectSpread *s = g_hash_table_lookup(view->spread_of, name);
        if (s == NULL) {
            s = g_new(InspectSpread, 1);
            *s = (InspectSpread){.least = n, .most = n};
            g_hash_table_insert(view->spread_of, g_strdup(name), s);
        }
        s->least = MIN(s->least, n);
        s->most = MAX(s->most, n);
        s->parents++;
    }
    g_hash_table_iter_init(&it, view->spread_of);
    while (g_hash_table_iter_next(&it, &pattern, &key)) {
        InspectSpread *s = key;
        const char *dot = strrchr(pattern, '.');
        g_autofree char *above =
            g_strndup(pattern, dot != NULL ? (gsize)(dot - (const char *)pattern) : 0);
        if (dot != NULL &&
            s->parents < GPOINTER_TO_UINT(g_hash_table_lookup(view->group_of, above))) {
            s->least = 0;
        }
    }
}

InspectSpread inspect_spread(const InspectMachine *view, const char *pattern)
{
    const InspectSpread *s = g_hash_table_lookup(view->spread_of, pattern);
    return s != NULL ? *s : (InspectSpread){.least = 1, .most = 1};
}

char *inspect_spread_text(InspectSpread spread)
{
    if (spread.least != spread.most) {
        return g_strdup_printf(" \xc3\x97%u\xe2\x80\x93%u", spread.least, spread.most);
    }
    return spread.most > 1 ? g_strdup_printf(" \xc3\x97%u", spread.most) : g_strdup("");
}

void inspect_machine_collect(InspectMachine *view)
{
    g_ptr_array_set_size(view->parts, 0);
    g_ptr_array_set_size(view->wires, 0);
    g_hash_table_remove_all(view->part_of);
    g_hash_table_remove_all(view->wire_of);
    g_hash_table_remove_all(view->group_of);
    g_hash_table_remove_all(view->spread_of);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                          counted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                          in_parent = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Collecting all = {view, seen, counted, in_parent};
    for (uint32_t i = 0; i < ww_machine_n_components(view->machine); i++) {
        add_part(&all, ww_machine_component(view->machine, i));
    }
    spread_counts(view, in_parent);
    ww_machine_each_binding(view->machine, add_wire, view);
}

InspectMachine *inspect_machine_new(WwMachine *machine)
{
    InspectMachine *view = g_new0(InspectMachine, 1);
    view->machine = machine;
    view->parts = inspect_parts_new();
    view->wires = inspect_wires_new();
    view->part_of = g_hash_table_new(g_str_hash, g_str_equal);
    view->wire_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    view->group_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    view->spread_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    inspect_machine_collect(view);
    return view;
}

void inspect_machine_free(InspectMachine *view)
{
    if (view != NULL) {
        g_hash_table_unref(view->part_of);
        g_hash_table_unref(view->wire_of);
        g_hash_table_unref(view->group_of);
        g_hash_table_unref(view->spread_of);
        g_free(view->root);
        g_free(view->element);
        g_ptr_array_unref(view->parts);
        g_ptr_array_unref(view->wires);
        g_free(view);
    }
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

#define DEEPEST 32u
#define DOC_WIDTH 70u

/* Prints the folders of @p pattern that the part before it was not in; is the depth of the part. */
static guint print_folders(char **now, char **before, FILE *out)
{
    guint depth = g_strv_length(now) - 1, same = 0;
    while (before != NULL && same < depth && before[same] != NULL &&
           strcmp(now[same], before[same]) == 0) {
        same++;
    }
    for (guint i = same; i < depth; i++) {
        fprintf(out, "%*s%s\n", (int)(4 * i), "", now[i]);
    }
    return depth;
}

/* What a part is, in words: its type, or that it is a group with more inside. */
static char *part_doc(const InspectPart *part)
{
    if (part->type == NULL) {
        return g_strdup_printf("closed: %u %s inside", part->inside,
                               WW_PLURAL(part->inside, "component", "components"));
    }
    return cli_cut(part->mixed ? "" : part->type->doc, DOC_WIDTH);
}

static void print_part(const InspectPart *part, const char *name, FILE *out)
{
    g_autofree char *count = part->n > 1 ? g_strdup_printf("x %u", part->n) : g_strdup("");
    g_autofree char *doc = part_doc(part);
    fprintf(out, "%-32s %-18s %7s  %s\n", name,
            part->type == NULL ? "(group)"
            : part->mixed      ? "(several types)"
                               : part->type->name,
            count, doc);
}

static void print_tree(const InspectMachine *view, FILE *out)
{
    char **before = NULL;
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        if (part->outside) {
            continue;
        }
        char **now = g_strsplit(part->pattern, ".", DEEPEST);
        guint depth = print_folders(now, before, out);
        g_autofree char *name = g_strdup_printf("%*s%s", (int)(4 * depth), "", now[depth]);
        print_part(part, name, out);
        g_strfreev(before);
        before = now;
    }
    g_strfreev(before);
    bool head = false;
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        if (part->outside) {
            fputs(head ? "" : "\njoined to it from outside\n", out);
            head = true;
            print_part(part, part->pattern, out);
        }
    }
}

size_t inspect_common_group(const InspectWire *w)
{
    size_t n = 0, dot = 0;
    for (; w->from[n] != '\0' && w->from[n] == w->to[n]; n++) {
        if (w->from[n] == '.') {
            dot = n + 1;
        }
    }
    return dot;
}

static char *end_text(const char *pattern, const char *port)
{
    return port != NULL ? g_strdup_printf("%s.%s", pattern, port) : g_strdup(pattern);
}

/* The connections inside one group, under its name. */
static void print_group(const InspectMachine *view, const char *group, size_t length, FILE *out)
{
    guint width = 0;
    fprintf(out, "\n  in %.*s\n", (int)MAX(length, 1) - 1, length != 0 ? group : " ");
    for (int pass = 0; pass < 2; pass++) {
        for (guint i = 0; i < view->wires->len; i++) {
            const InspectWire *w = view->wires->pdata[i];
            if (inspect_common_group(w) != length || strncmp(w->from, group, length) != 0) {
                continue;
            }
            g_autofree char *from = end_text(w->from + length, w->from_port);
            g_autofree char *to = end_text(w->to + length, w->to_port);
            width = MAX(width, (guint)strlen(from));
            if (pass == 1) {
                g_autofree char *count = w->n > 1 ? g_strdup_printf("  x %u", w->n) : g_strdup("");
                fprintf(out, "    %-*s %s %s%s\n", (int)width, from, w->interface ? "=>" : "->", to,
                        count);
            }
        }
    }
}

static void print_wires(const InspectMachine *view, FILE *out)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < view->wires->len; i++) {
        const InspectWire *w = view->wires->pdata[i];
        size_t length = inspect_common_group(w);
        if (g_hash_table_add(seen, g_strndup(w->from, length))) {
            print_group(view, w->from, length, out);
        }
    }
}

void inspect_machine_text(const InspectMachine *view, const char *title, FILE *out)
{
    uint32_t n = 0;
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        n += part->outside ? 0 : part->type == NULL ? part->inside : part->n;
    }
    g_autofree char *count = cli_grouped(n);
    fprintf(out, "%s%s%s: %s %s\n\n", title, view->root != NULL ? ", only " : "",
            view->element != NULL ? view->element
            : view->root != NULL  ? view->root
                                  : "",
            count, WW_PLURAL(n, "component", "components"));
    print_tree(view, out);
    if (view->parts->len == 0) {
        fputs("the machine is empty\n", out);
        return;
    }
    fprintf(out,
            "\nconnections ('->' through a channel, '=>' to an interface; [*] is every element)\n");
    print_wires(view, out);
}
