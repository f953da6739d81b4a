/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine as a graph for Graphviz: `warpwright inspect -c qv100 --dot | dot -Tsvg > gpu.svg`. Tokens flow from left to right through
 * channels (small boxes); interfaces are dashed lines from the caller to the provider, and do not pull the picture apart.
 */
#include "inspect.h"

#include <string.h>

/* Paths have no character that a quoted Graphviz string would have to hide. */
static void print_node(const InspectPart *part, const char *name, int depth, FILE *out)
{
    bool channel = (part->type->flags & WW_TYPE_CHANNEL) != 0;
    g_autofree char *count = part->n > 1 ? g_strdup_printf(" \xc3\x97%u", part->n) : g_strdup("");
    fprintf(out, "%*s\"%s\" [label=\"%s%s\\n%s\"%s];\n", 4 * depth, "", part->pattern, name, count,
            part->mixed ? "(several types)" : part->type->name,
            channel ? ", shape=box, style=filled, fillcolor=\"#f0f0f0\", fontsize=9, height=0.2, "
                      "margin=\"0.06,0.03\""
                    : "");
}

/* Groups become clusters: a box around what is in them. */
static void print_nodes(const InspectMachine *view, FILE *out)
{
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        g_auto(GStrv) words = g_strsplit(part->pattern, ".", -1);
        guint depth = g_strv_length(words) - 1, same = 0;
        while (same < open->len && same < depth && strcmp(open->pdata[same], words[same]) == 0) {
            same++;
        }
        while (open->len > same) {
            fprintf(out, "%*s}\n", 4 * (int)open->len, "");
            g_ptr_array_set_size(open, (gint)open->len - 1);
        }
        for (guint k = same; k < depth; k++) {
            fprintf(out, "%*ssubgraph \"cluster_%u_%u\" {\n", 4 * (int)(k + 1), "", i, k);
            fprintf(out, "%*slabel=\"%s\";\n", 4 * (int)(k + 2), "", words[k]);
            g_ptr_array_add(open, g_strdup(words[k]));
        }
        print_node(part, words[depth], (int)depth + 1, out);
    }
    while (open->len > 0) {
        fprintf(out, "%*s}\n", 4 * (int)open->len, "");
        g_ptr_array_set_size(open, (gint)open->len - 1);
    }
}

void inspect_machine_dot(const InspectMachine *view, const char *title, FILE *out)
{
    fprintf(out,
            "digraph \"%s\" {\n"
            "    rankdir=LR;\n"
            "    fontname=\"Helvetica\";\n"
            "    node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\", "
            "fillcolor=\"#dbe9f6\"];\n"
            "    edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6];\n"
            "    graph [style=rounded, color=\"#999999\", nodesep=0.15, ranksep=0.6];\n",
            title);
    print_nodes(view, out);
    for (guint i = 0; i < view->wires->len; i++) {
        const InspectWire *w = view->wires->pdata[i];
        const char *port = w->from_port != NULL ? w->from_port : w->to_port;
        fprintf(out, "    \"%s\" -> \"%s\" [label=\"%s\"%s];\n", w->from, w->to,
                w->interface ? w->from_port : port,
                w->interface ? ", style=dashed, color=\"#8888aa\", fontcolor=\"#8888aa\", "
                               "constraint=false"
                             : "");
    }
    fputs("}\n", out);
}
