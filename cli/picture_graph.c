/* SPDX-License-Identifier: Apache-2.0 */
/* From parts and wires to a tree of nodes with edges, and who of them stands in the flow of tokens. */
#include "picture.h"

#include <string.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static void free_line(gpointer data)
{
    PictureLine *line = data;
    g_free(line->text);
    g_free(line);
}

static void free_node(gpointer data)
{
    PictureNode *node = data;
    g_free(node->name);
    g_free(node->pattern);
    g_ptr_array_unref(node->children);
    g_ptr_array_unref(node->lines);
    g_ptr_array_unref(node->tags);
    g_ptr_array_unref(node->steps[0]);
    g_ptr_array_unref(node->steps[1]);
    g_ptr_array_unref(node->layers);
    g_ptr_array_unref(node->inner);
    g_ptr_array_unref(node->extra);
    g_string_free(node->title, true);
    json_decref(node->figures);
    g_free(node);
}

static void free_list(gpointer data)
{
    g_ptr_array_unref(data);
}

PictureNode *picture_node_new(Picture *picture, PictureKind kind, PictureNode *parent,
                              const char *name)
{
    PictureNode *node = g_new0(PictureNode, 1);
    node->kind = kind;
    node->name = g_strdup(name);
    node->parent = parent;
    node->children = g_ptr_array_new_with_free_func(free_node);
    node->lines = g_ptr_array_new_with_free_func(free_line);
    node->tags = g_ptr_array_new_with_free_func(g_free);
    node->title = g_string_new(NULL);
    node->steps[0] = g_ptr_array_new();
    node->steps[1] = g_ptr_array_new();
    node->layers = g_ptr_array_new_with_free_func(free_list);
    node->inner = g_ptr_array_new_with_free_func(g_free);
    node->extra = g_ptr_array_new_with_free_func(free_node);
    node->n = 1;
    node->spread = (InspectSpread){.least = 1, .most = 1};
    node->number = picture->n_nodes++;
    node->share = node->tokens = -1;
    if (parent != NULL) {
        g_ptr_array_add(kind >= PICTURE_PORT ? parent->extra : parent->children, node);
    }
    return node;
}

PictureNode *picture_child_of(const PictureNode *group, PictureNode *node)
{
    while (node != NULL && node->parent != group) {
        node = node->parent;
    }
    return node;
}

static PictureNode *child_named(const PictureNode *group, const char *name)
{
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *child = group->children->pdata[i];
        if (strcmp(child->name, name) == 0) {
            return child;
        }
    }
    return NULL;
}

/* "sm[*]" is "sm". */
static char *without_index(const char *word)
{
    return g_strndup(word, strcspn(word, "["));
}

static PictureNode *group_at(Picture *p, PictureNode *parent, const char *word, const char *pattern)
{
    g_autofree char *name = without_index(word);
    PictureNode *group = child_named(parent, name);
    if (group == NULL) {
        group = picture_node_new(p, PICTURE_GROUP, parent, name);
        group->pattern = g_strdup(pattern);
        const char *root = p->view->root; /* of a group that is shown alone there is one */
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(p->view->group_of, pattern)),
              of =
                  root != NULL ? GPOINTER_TO_UINT(g_hash_table_lookup(p->view->group_of, root)) : 1;
        group->n = MAX((double)n / MAX(of, 1), 1);
        group->spread = root == NULL || strcmp(root, pattern) != 0
                            ? inspect_spread(p->view, pattern)
                            : group->spread;
    }
    return group;
}

/* How often an element is in its parent: a pattern's count is that of the machine. */
static void divide_counts(PictureNode *group, double above)
{
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *child = group->children->pdata[i];
        double all = child->n;
        child->n = all / MAX(above, 1);
        divide_counts(child, all);
    }
}

static void add_part(Picture *p, const InspectPart *part)
{
    PictureNode *at = p->root;
    const char *path = part->pattern;
    g_autofree char *name = NULL;
    if (part->outside) {
        name = without_index(strrchr(path, '.') != NULL ? strrchr(path, '.') + 1 : path);
    } else {
        size_t root = p->view->root != NULL ? strlen(p->view->root) : 0;
        if (root != 0) {
            const char *last = strrchr(p->view->root, '.');
            at = group_at(p, at, last != NULL ? last + 1 : p->view->root, p->view->root);
        }
        const char *word = path + root + (root != 0);
        for (const char *dot; (dot = strchr(word, '.')) != NULL; word = dot + 1) {
            g_autofree char *folder = g_strndup(word, (gsize)(dot - word));
            g_autofree char *pattern = g_strndup(path, (gsize)(dot - path));
            PictureNode *owner = g_hash_table_lookup(p->node_of, pattern);
            at = owner != NULL ? owner : group_at(p, at, folder, pattern);
        }
        name = without_index(word);
        bool channel = part->type != NULL && (part->type->flags & WW_TYPE_CHANNEL) != 0;
        at = channel && at->part != NULL ? at->parent : at; /* made for a wire: beside its writer */
    }
    PictureNode *node = picture_node_new(p, PICTURE_PART, at, name);
    node->part = part;
    node->pattern = g_strdup(part->pattern);
    node->n = part->n;
    node->outside = part->outside;
    node->spread = part->outside ? (InspectSpread){.least = part->n, .most = part->n}
                                 : inspect_spread(p->view, part->pattern);
    g_ptr_array_add(p->leaves, node);
    g_hash_table_insert(p->node_of, part->pattern, node);
}

/* ---- who is in the flow ----------------------------------------------------------------------------------------- */

static bool is_channel(const PictureNode *node)
{
    return node->part->type != NULL && (node->part->type->flags & WW_TYPE_CHANNEL) != 0;
}

static bool is_clocked(const PictureNode *node)
{
    return node->part->type == NULL || node->part->type->entries != NULL;
}

/* What stands in a slot of another part is drawn in it. */
static bool in_slot(const PictureNode *node)
{
    return node->parent->part != NULL;
}

static PictureEdge *add_edge(Picture *p, PictureNode *from, PictureNode *to,
                             const InspectWire *wire, bool call)
{
    PictureEdge *edge = g_new0(PictureEdge, 1);
    *edge = (PictureEdge){from, to, wire, call, -1, wire != NULL ? wire->n : 1};
    g_ptr_array_add(p->edges, edge);
    from->flow = to->flow = true;
    return edge;
}

typedef struct Ends {
    bool in, out;
} Ends;

/* Of tokens, or (@p calls) of calls that are drawn. */
static Ends *count_ends(const Picture *p, bool calls)
{
    Ends *ends = g_new0(Ends, p->n_nodes);
    for (guint i = 0; i < p->edges->len; i++) {
        const PictureEdge *edge = p->edges->pdata[i];
        if (edge->call == calls) {
            ends[edge->from->number].out = true;
            ends[edge->to->number].in = true;
        }
    }
    return ends;
}

/* Does @p wire call between two parts that are drawn? */
static bool ends_of(const Picture *p, const InspectWire *wire, PictureNode **from, PictureNode **to)
{
    *from = g_hash_table_lookup(p->node_of, wire->from);
    *to = g_hash_table_lookup(p->node_of, wire->to);
    return *from != NULL && *to != NULL && *from != *to && !in_slot(*from) && !in_slot(*to);
}

static bool has_edge(const Picture *p, const PictureNode *from, const PictureNode *to)
{
    for (guint i = 0; i < p->edges->len; i++) {
        const PictureEdge *edge = p->edges->pdata[i];
        if ((edge->from == from && edge->to == to) || (edge->from == to && edge->to == from)) {
            return true;
        }
    }
    return false;
}

/*
 * Calls that take the place of tokens, drawn as dashed edges: of a part that sends tokens on but is given them by calls (a cache); and
 * between clocked parts without tokens (who hands out work), in the order of the text.
 */
static void add_calls(Picture *p)
{
    g_autofree Ends *ends = count_ends(p, false);
    for (guint i = 0; i < p->view->wires->len; i++) {
        const InspectWire *wire = p->view->wires->pdata[i];
        PictureNode *from, *to;
        if (!wire->interface || !ends_of(p, wire, &from, &to) || from->outside || to->outside ||
            has_edge(p, from, to)) {
            continue;
        }
        Ends a = ends[from->number], b = ends[to->number];
        if (b.out && !b.in && (a.in || a.out)) {
            add_edge(p, from, to, wire, true);
        } else if (is_clocked(from) && is_clocked(to) && !a.in && !a.out && !b.in && !b.out) {
            bool forward = from->number < to->number;
            add_edge(p, forward ? from : to, forward ? to : from, wire, true);
        }
    }
}

/* The last of those who hand out work leads to the closed groups that it calls. */
static void add_calls_of_groups(Picture *p)
{
    g_autofree Ends *tokens = count_ends(p, false), *calls = count_ends(p, true);
    for (guint i = 0; i < p->view->wires->len; i++) {
        const InspectWire *wire = p->view->wires->pdata[i];
        PictureNode *from, *to;
        if (wire->interface && ends_of(p, wire, &from, &to) && to->part->type == NULL &&
            calls[from->number].in && !calls[from->number].out && !tokens[from->number].out &&
            !has_edge(p, from, to)) {
            add_edge(p, from, to, wire, true);
        }
    }
}

/* Which of the parts that tokens join: the lowest number among them. */
static uint32_t find(uint32_t *of, uint32_t i)
{
    while (of[i] != i) {
        i = of[i];
    }
    return i;
}

static const InspectWire *call_between(const Picture *p, const PictureNode *from,
                                       const PictureNode *to)
{
    for (guint i = 0; i < p->view->wires->len; i++) {
        const InspectWire *wire = p->view->wires->pdata[i];
        if (wire->interface && strcmp(wire->from, from->pattern) == 0 &&
            strcmp(wire->to, to->pattern) == 0) {
            return wire;
        }
    }
    return NULL;
}

/*
 * A pipeline that ends in calls goes on where those who call the same part begin: decode fills the buffers of the warps that issue
 * takes from. The part stands between the two.
 */
static void add_bridge(Picture *p, PictureNode *sink, PictureNode *source)
{
    for (guint i = 0; i < p->leaves->len; i++) {
        PictureNode *between = p->leaves->pdata[i];
        if (between->outside || in_slot(between) || is_channel(between) ||
            (between->flow && between->kind != PICTURE_CALLED)) {
            continue;
        }
        const InspectWire *in = call_between(p, sink, between),
                          *out = call_between(p, source, between);
        if (in != NULL && out != NULL) {
            between->kind = PICTURE_CALLED;
            if (!has_edge(p, sink, between)) {
                add_edge(p, sink, between, in, true);
            }
            if (!has_edge(p, between, source)) {
                add_edge(p, between, source, out, true);
            }
            return;
        }
    }
}

static void add_bridges(Picture *p)
{
    g_autofree Ends *ends = count_ends(p, false);
    g_autofree uint32_t *of = g_new(uint32_t, p->n_nodes);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        of[i] = i;
    }
    for (guint i = 0; i < p->edges->len; i++) {
        const PictureEdge *edge = p->edges->pdata[i];
        if (edge->call) {
            continue;
        }
        uint32_t a = find(of, edge->from->number), b = find(of, edge->to->number);
        of[MAX(a, b)] = MIN(a, b);
    }
    for (guint i = 0; i < p->leaves->len; i++) {
        PictureNode *sink = p->leaves->pdata[i];
        for (guint k = 0; k < p->leaves->len && ends[sink->number].in && !ends[sink->number].out;
             k++) {
            PictureNode *source = p->leaves->pdata[k];
            Ends e = ends[source->number];
            if (e.out && !e.in && picture_child_of(sink->parent, source) != NULL &&
                find(of, sink->number) < find(of, source->number)) {
                add_bridge(p, sink, source);
            }
        }
    }
}

/* Where tokens end, what the last one calls of the flow is where its work goes: registers that it writes, warps that it lets go on. */
static void add_ends(Picture *p)
{
    g_autofree Ends *tokens = count_ends(p, false), *calls = count_ends(p, true);
    for (guint i = 0; i < p->view->wires->len; i++) {
        const InspectWire *wire = p->view->wires->pdata[i];
        PictureNode *from, *to;
        if (wire->interface && ends_of(p, wire, &from, &to) && to->flow && !to->outside &&
            tokens[from->number].in && !tokens[from->number].out && !calls[from->number].out &&
            !has_edge(p, from, to)) {
            add_edge(p, from, to, wire, true);
        }
    }
}

static void set_kinds(Picture *p)
{
    for (guint i = 0; i < p->leaves->len; i++) {
        PictureNode *node = p->leaves->pdata[i];
        node->kind = node->part->type == NULL           ? PICTURE_CLOSED
                     : is_channel(node)                 ? PICTURE_CHANNEL
                     : node->kind == PICTURE_CALLED     ? PICTURE_CALLED
                     : !node->flow && !is_clocked(node) ? PICTURE_CALLED
                                                        : PICTURE_PART;
    }
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void add_line(PictureNode *node, const char *text, double size, bool bold)
{
    PictureLine *line = g_new0(PictureLine, 1);
    line->text = g_strdup(text);
    line->size = size;
    line->bold = bold;
    g_ptr_array_add(node->lines, line);
}

static const char *name_of(const char *pattern)
{
    const char *dot = strrchr(pattern, '.');
    return dot != NULL ? dot + 1 : pattern;
}

static void add_tag(PictureNode *node, const char *text)
{
    for (guint i = 0; i < node->tags->len; i++) {
        if (strcmp(node->tags->pdata[i], text) == 0) {
            return;
        }
    }
    g_ptr_array_add(node->tags, g_strdup(text));
}

static void add_tags(Picture *p)
{
    for (guint i = 0; i < p->view->wires->len; i++) {
        const InspectWire *wire = p->view->wires->pdata[i];
        PictureNode *from = g_hash_table_lookup(p->node_of, wire->from);
        PictureNode *to = g_hash_table_lookup(p->node_of, wire->to);
        if (!wire->interface || from == NULL || to == NULL) {
            continue;
        }
        g_string_append_printf(from->title, "calls %s (%s)\n", wire->to,
                               wire->from_port != NULL ? wire->from_port : "");
        g_string_append_printf(to->title, "called by %s\n", wire->from);
        if (!has_edge(p, from, to) && to->parent != from && !from->outside) {
            g_autofree char *name = without_index(name_of(wire->to));
            add_tag(from, name);
        }
    }
}

static void add_text(Picture *p)
{
    for (guint i = 0; i < p->leaves->len; i++) {
        PictureNode *node = p->leaves->pdata[i];
        const InspectPart *part = node->part;
        g_autofree char *times = inspect_spread_text(node->spread),
                        *name = g_strconcat(node->name, times, NULL);
        g_autofree char *inside = inspect_inside_text(part);
        bool small = node->kind == PICTURE_CHANNEL || in_slot(node);
        add_line(node, name, small ? PICTURE_TYPE : PICTURE_NAME, !small);
        if (!small || in_slot(node)) {
            add_line(node,
                     part->type == NULL ? inside
                     : part->mixed      ? "several types"
                                        : part->type->name,
                     small ? PICTURE_TAG : PICTURE_TYPE, false);
        }
        g_autofree char *head =
            g_strdup_printf("%s%s%s\n%s%s", part->pattern, part->type != NULL ? ": " : "",
                            part->mixed          ? "several types"
                            : part->type != NULL ? part->type->name
                                                 : "",
                            part->type != NULL && !part->mixed ? part->type->doc : "",
                            part->type != NULL && !part->mixed ? "\n" : "");
        g_string_prepend(node->title, head);
    }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Parts outside of a view that only call or are called would be boxes without edges. */
static void drop_outsiders(Picture *p)
{
    for (guint i = p->root->children->len; i-- > 0;) {
        PictureNode *node = p->root->children->pdata[i];
        if (node->outside && !node->flow) {
            g_ptr_array_remove(p->leaves, node);
            g_hash_table_remove(p->node_of, node->part->pattern);
            g_ptr_array_remove(p->root->children, node);
        }
    }
}

Picture *picture_new(const InspectMachine *view)
{
    Picture *p = g_new0(Picture, 1);
    p->view = view;
    p->leaves = g_ptr_array_new();
    p->edges = g_ptr_array_new_with_free_func(g_free);
    p->node_of = g_hash_table_new(g_str_hash, g_str_equal);
    p->root = picture_node_new(p, PICTURE_GROUP, NULL, "");
    for (guint i = 0; i < view->parts->len; i++) {
        add_part(p, view->parts->pdata[i]);
    }
    for (guint i = 0; i < view->wires->len; i++) {
        const InspectWire *wire = view->wires->pdata[i];
        PictureNode *from, *to;
        if (!wire->interface && ends_of(p, wire, &from, &to)) {
            add_edge(p, from, to, wire, false);
        }
    }
    divide_counts(p->root, 1);
    add_calls(p);
    add_calls_of_groups(p);
    add_bridges(p);
    add_ends(p);
    set_kinds(p);
    add_tags(p);
    add_text(p);
    drop_outsiders(p);
    return p;
}

void picture_free(Picture *p)
{
    if (p != NULL) {
        free_node(p->root);
        g_ptr_array_unref(p->leaves);
        g_ptr_array_unref(p->edges);
        g_hash_table_unref(p->node_of);
        g_clear_pointer(&p->patterns_of, g_hash_table_unref);
        g_free(p);
    }
}
