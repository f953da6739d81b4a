/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine as a graph for Graphviz: `warpwright inspect -c qv100 --only sm --dot | dot -Tsvg > sm.svg`. Tokens flow from left to right
 * through channels (small boxes). A few calls of interfaces are dashed lines; many would hide everything else, so that each caller
 * lists whom it calls instead.
 */
#include "inspect.h"

#include <string.h>

#define MOST_LINES 12u /* calls that are drawn */
#define LINE_WIDTH 26u /* characters of a list in a node */

typedef struct Graph {
    const InspectMachine *view;
    GHashTable *flows;  /* patterns of parts at a channel */
    GHashTable *called; /* patterns of parts that others call */
    bool lines;         /* calls are lines */
    guint calls;
    FILE *out;
} Graph;

static void look(Graph *g)
{
    for (guint i = 0; i < g->view->wires->len; i++) {
        const InspectWire *w = g->view->wires->pdata[i];
        g->calls += w->interface;
        if (w->interface) {
            g_hash_table_add(g->called, w->to);
        } else {
            g_hash_table_add(g->flows, w->from);
            g_hash_table_add(g->flows, w->to);
        }
    }
    g->lines = g->calls <= MOST_LINES;
}

/* Whom a part calls, as lines of a label; each once. */
static char *calls_text(const Graph *g, const InspectPart *part)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GString *text = g_string_new(NULL);
    size_t line = 0;
    for (guint i = 0; i < g->view->wires->len && !g->lines; i++) {
        const InspectWire *w = g->view->wires->pdata[i];
        if (!w->interface || strcmp(w->from, part->pattern) != 0) {
            continue;
        }
        const char *name = w->to + inspect_common_group(w);
        if (!g_hash_table_add(seen, g_strdup(name))) {
            continue;
        }
        if (text->len != 0) {
            bool full = line + strlen(name) > LINE_WIDTH;
            g_string_append(text, full ? ",<BR/>" : ", ");
            line = full ? 0 : line;
        }
        g_string_append(text, name);
        line += strlen(name) + 2;
    }
    return g_string_free(text, false);
}

/* Colour by what a part is: clocked or in the way of tokens, a channel, only called, a closed group. */
static const char *style(const Graph *g, const InspectPart *part)
{
    if (part->type != NULL && (part->type->flags & WW_TYPE_CHANNEL) != 0) {
        return "style=filled, fillcolor=\"#f0f0f0\", fontsize=9, height=0.2, margin=\"0.06,0.03\"";
    }
    if (part->type == NULL) {
        return "style=filled, fillcolor=\"#fbeeda\", peripheries=2";
    }
    bool passive = part->type->entries == NULL && g_hash_table_contains(g->called, part->pattern);
    return passive ? "fillcolor=\"#def2de\"" : "fillcolor=\"#dbe9f6\"";
}

/* Paths have no character that a label would have to hide. */
static void print_node(const Graph *g, const InspectPart *part, const char *name, int depth)
{
    g_autofree char *calls = calls_text(g, part);
    g_autofree char *count = part->n > 1 ? g_strdup_printf(" \xc3\x97%u", part->n) : g_strdup("");
    g_autofree char *parts = inspect_inside_text(part);
    g_autofree char *inside = part->type == NULL
                                  ? g_strconcat(parts, " inside", NULL)
                                  : g_strdup(part->mixed ? "several types" : part->type->name);
    fprintf(g->out, "%*s\"%s\" [label=<<B>%s</B>%s<BR/>%s", 4 * depth, "", part->pattern, name,
            count, inside);
    if (*calls != '\0') {
        fprintf(g->out, "<BR/><FONT POINT-SIZE=\"8\" COLOR=\"#555577\">calls %s</FONT>", calls);
    }
    fprintf(g->out, ">, %s%s];\n", style(g, part),
            part->outside ? ", color=\"#bbbbbb\", fontcolor=\"#777777\"" : "");
}

/* The folders of a part, outermost first; of a group that is shown alone the whole path is one. */
static char **folders(const InspectMachine *view, const InspectPart *part)
{
    if (view->root == NULL) {
        return g_strsplit(part->pattern, ".", -1);
    }
    g_auto(GStrv) words = g_strsplit(part->pattern + strlen(view->root) + 1, ".", -1);
    GStrvBuilder *b = g_strv_builder_new();
    g_strv_builder_add(b, view->root);
    g_strv_builder_addv(b, (const char **)words);
    char **all = g_strv_builder_end(b);
    g_strv_builder_unref(b);
    return all;
}

static void close_boxes(const Graph *g, GPtrArray *open, guint down_to)
{
    while (open->len > down_to) {
        fprintf(g->out, "%*s}\n", 4 * (int)open->len, "");
        g_ptr_array_set_size(open, (gint)open->len - 1);
    }
}

/* Groups become clusters: a box around what is in them. */
static void print_nodes(const Graph *g)
{
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < g->view->parts->len; i++) {
        const InspectPart *part = g->view->parts->pdata[i];
        if (part->outside) {
            continue;
        }
        g_auto(GStrv) words = folders(g->view, part);
        guint depth = g_strv_length(words) - 1, same = 0;
        while (same < open->len && same < depth && strcmp(open->pdata[same], words[same]) == 0) {
            same++;
        }
        close_boxes(g, open, same);
        for (guint k = same; k < depth; k++) {
            fprintf(g->out, "%*ssubgraph \"cluster_%u_%u\" {\n", 4 * (int)(k + 1), "", i, k);
            fprintf(g->out, "%*slabel=\"%s\";\n", 4 * (int)(k + 2), "", words[k]);
            g_ptr_array_add(open, g_strdup(words[k]));
        }
        print_node(g, part, words[depth], (int)depth + 1);
    }
    close_boxes(g, open, 0);
    for (guint i = 0; i < g->view->parts->len;
         i++) { /* what is joined from outside, where tokens go or come from */
        const InspectPart *part = g->view->parts->pdata[i];
        if (part->outside && (g->lines || g_hash_table_contains(g->flows, part->pattern))) {
            print_node(g, part, part->pattern, 1);
        }
    }
}

static void print_edges(const Graph *g)
{
    for (guint i = 0; i < g->view->wires->len; i++) {
        const InspectWire *w = g->view->wires->pdata[i];
        if (w->interface && !g->lines) {
            continue;
        }
        const char *port = w->from_port != NULL ? w->from_port : w->to_port;
        fprintf(g->out, "    \"%s\" -> \"%s\" [label=\"%s\"%s];\n", w->from, w->to, port,
                w->interface ? ", style=dashed, color=\"#8888aa\", fontcolor=\"#8888aa\", "
                               "constraint=false"
                             : "");
    }
}

void inspect_machine_dot(const InspectMachine *view, const char *title, FILE *out)
{
    Graph g = {.view = view,
               .flows = g_hash_table_new(g_str_hash, g_str_equal),
               .called = g_hash_table_new(g_str_hash, g_str_equal),
               .out = out};
    look(&g);
    fprintf(out,
            "digraph \"%s\" {\n"
            "    rankdir=LR;\n"
            "    fontname=\"Helvetica\";\n"
            "    node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\"];\n"
            "    edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6];\n"
            "    graph [style=rounded, color=\"#999999\", nodesep=0.15, ranksep=0.6];\n"
            "    label=\"%s: blue is clocked, green is called, grey is a channel%s\";\n"
            "    fontsize=10;\n",
            title, title, g.lines && g.calls != 0 ? "; dashed lines are calls" : "");
    print_nodes(&g);
    print_edges(&g);
    fputs("}\n", out);
    g_hash_table_unref(g.flows);
    g_hash_table_unref(g.called);
}
