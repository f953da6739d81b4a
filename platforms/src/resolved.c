/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine as one platform text: every distinct composite once, without parameters; every
 * parameter of every component with its value; every wire by itself. What set the composites'
 * parameters stands in comments.
 */
#include "elab-priv.h"
#include <string.h>

typedef struct Writer {
    WwElaboration *e;
    FILE *out;
    GHashTable *names; /**< Node -> name of its composite in the text */
    GHashTable *used;
} Writer;

/** A name for @p node that nothing else in the text has. */
static const char *name_node(Writer *w, const Node *node)
{
    const char *base = node->composite->name;
    const char *name = base;
    for (uint32_t i = 2; g_hash_table_contains(w->used, name) ||
                         ww_registry_find(w->e->registry, name, NULL) != NULL ||
                         (name != base && g_hash_table_contains(w->e->platform->by_name, name));
         i++) {
        name = plat_printf(&w->e->arena, "%s_%u", base, i);
    }
    g_hash_table_add(w->used, (gpointer)name);
    g_hash_table_insert(w->names, (gpointer)node, (gpointer)name);
    return name;
}

static void indent(Writer *w, uint32_t depth)
{
    fprintf(w->out, "%*s", (int)depth * 4, "");
}

static bool is_word(const char *text)
{
    if (!g_ascii_isalpha(*text) && *text != '_') {
        return false;
    }
    while (g_ascii_isalnum(*text) || *text == '_') {
        text++;
    }
    return *text == '\0';
}

static void write_params(Writer *w, const Node *node, uint32_t depth)
{
    for (uint32_t i = 0; i < node->n_params; i++) {
        const WwParamRow *row = elab_row(node, i);
        WwValue value;
        if (!elab_setting_value(w->e, node, i, &value)) {
            continue;
        }
        g_autofree char *text = ww_value_text(row, &value);
        bool quote = row->kind == WW_PARAM_CHOICE && !is_word(text);
        indent(w, depth);
        fprintf(w->out, quote ? "%s = \"%s\";\n" : "%s = %s;\n", row->name, text);
    }
}

/** Parameters of a composite, for readers only. */
static void write_comments(Writer *w, const Node *node)
{
    for (uint32_t i = 0; i < node->n_params; i++) {
        const WwParamRow *row = elab_row(node, i);
        g_autofree char *text = ww_value_text(row, &node->setting[i].value);
        g_autofree char *line = g_strdup_printf("%s = %s from %s", row->name, text,
                                                elab_cause(w->e, node->setting[i].cause)->from);
        fprintf(w->out, "    # %s\n", g_strdelimit(line, "\n\r", ' '));
    }
}

static const char *type_name(Writer *w, const Node *node)
{
    return node->type != NULL ? node->type->name : g_hash_table_lookup(w->names, node);
}

/** ": TYPE { ... }" or ": TYPE;" */
static void write_typed(Writer *w, const Node *node, uint32_t depth)
{
    fprintf(w->out, " : %s", type_name(w, node));
    if (node->phase != NULL) {
        fprintf(w->out, " in %s", node->phase);
    }
    if (node->composite != NULL || (node->n_params == 0 && node->slots.n == 0)) {
        fputs(";\n", w->out);
        return;
    }
    fputs(" {\n", w->out);
    write_params(w, node, depth + 1);
    for (uint32_t i = 0; i < node->slots.n; i++) {
        indent(w, depth + 1);
        fputs(node->slots.v[i].name, w->out);
        write_typed(w, node->slots.v[i].node, depth + 1);
    }
    indent(w, depth);
    fputs("}\n", w->out);
}

/* ---- members ------------------------------------------------------------------------------- */

/** Closes and opens groups so that @p group is the innermost open one; returns its depth. */
static uint32_t write_groups(Writer *w, const Node *node, const Grouping **open, uint32_t n,
                             const Grouping *group)
{
    uint32_t depth = group != NULL ? group->depth : 0;
    const Grouping *chain[PLAT_MAX_DEPTH + 1];
    for (const Grouping *g = group; g != NULL; g = g->parent) {
        chain[g->depth] = g;
    }
    uint32_t same = 0;
    while (same < depth && same < n && open[same + 1] == chain[same + 1]) {
        same++;
    }
    for (; n > same; n--) {
        indent(w, n);
        fputs("}\n", w->out);
    }
    for (; n < depth; n++) {
        open[n + 1] = chain[n + 1];
        indent(w, n + 1);
        if (chain[n + 1]->mode != WW_GROUP_REPEAT) {
            fputs(chain[n + 1]->mode == WW_GROUP_ROTATE ? "rotate {\n" : "sequence {\n", w->out);
        } else {
            fprintf(w->out, "repeat = %u {\n", elab_repeat(w->e, node, chain[n + 1]));
        }
    }
    return depth;
}

static void write_members(Writer *w, const Node *node)
{
    const Grouping *open[PLAT_MAX_DEPTH + 1];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        if (part->count == 0) {
            continue;
        }
        depth = write_groups(w, node, open, depth, part->member->group);
        indent(w, depth + 1);
        fputs(part->member->name, w->out);
        if (part->array) {
            fprintf(w->out, "[%u]", part->count);
        }
        write_typed(w, part->runs.v[0].node, depth + 1);
    }
    write_groups(w, node, open, depth, NULL);
    for (uint32_t i = 0; i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        for (uint32_t k = 1; k < part->runs.n; k++) {
            const Run *run = &part->runs.v[k];
            if (run->node == part->runs.v[0].node) {
                continue;
            }
            indent(w, 1);
            fprintf(w->out, run->end - run->start == 1 ? "%s[%u]" : "%s[%u..%u]",
                    part->member->name, run->start, run->end);
            write_typed(w, run->node, 1);
        }
    }
}

/* ---- wires --------------------------------------------------------------------------------- */

static void append_component(GString *out, const Node *node, uint32_t offset, int row)
{
    if (offset != 0) {
        uint32_t first = 1;
        for (uint32_t i = 0; i < node->slots.n; i++) {
            const Slot *slot = &node->slots.v[i];
            if (offset < first + slot->node->n_components) {
                g_string_append_printf(out, ".%s", slot->name);
                append_component(out, slot->node, offset - first, row);
                return;
            }
            first += slot->node->n_components;
        }
    }
    if (row >= 0) {
        g_string_append_printf(out, ".%s", node->type->ports[row].name);
    }
}

static void append_boundary(GString *out, const Node *node, uint32_t offset, int row)
{
    for (uint32_t i = 0; i < node->composite->ports.n; i++) {
        const Ends *ends = &node->exports[i];
        for (uint32_t k = 0; k < ends->list.n; k++) {
            if (ends->list.v[k].offset == offset && ends->list.v[k].row == row) {
                g_string_append_printf(out, ".%s", node->composite->ports.v[i]->name);
                if (ends->list.n > 1) {
                    g_string_append_printf(out, "[%u]", k);
                }
                return;
            }
        }
    }
}

/** The path of an end as the text of composite @p node writes it. */
static char *end_path(const Node *node, uint32_t offset, int row)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        for (uint32_t k = 0; k < part->runs.n; k++) {
            const Run *run = &part->runs.v[k];
            uint32_t size = run->node->n_components;
            if (offset < run->offset || offset >= run->offset + size * (run->end - run->start)) {
                continue;
            }
            uint32_t element = (offset - run->offset) / size;
            g_string_append(out, part->member->name);
            if (part->array) {
                g_string_append_printf(out, "[%u]", run->start + element);
            }
            (run->node->type != NULL ? append_component : append_boundary)(
                out, run->node, offset - run->offset - element * size, row);
            return g_string_free(out, false);
        }
    }
    return g_string_free(out, false);
}

/** The role of a port: what a component's row says, wherever in @p node it is. */
static WwPortRole role_of(const Node *node, uint32_t offset, int row)
{
    while (node->type == NULL || offset != 0) {
        const Node *next = NULL;
        uint32_t first = 1;
        for (uint32_t i = 0; next == NULL && i < node->slots.n; i++) {
            next =
                offset < first + node->slots.v[i].node->n_components ? node->slots.v[i].node : NULL;
            offset -= next != NULL ? first : 0;
            first += next != NULL ? 0 : node->slots.v[i].node->n_components;
        }
        for (uint32_t i = 0; next == NULL && node->type == NULL; i++) {
            const Part *part = &node->part[i];
            for (uint32_t k = 0; next == NULL && k < part->runs.n; k++) {
                const Run *run = &part->runs.v[k];
                uint32_t size = run->node->n_components * (run->end - run->start);
                if (offset >= run->offset && offset - run->offset < size) {
                    next = run->node;
                    offset = (offset - run->offset) % next->n_components;
                }
            }
        }
        node = next;
    }
    return node->type->ports[row].role;
}

static void write_wires(Writer *w, const Node *node)
{
    const Composite *c = node->composite;
    for (uint32_t i = 0; i < c->ports.n; i++) {
        const Ends *ends = &node->exports[i];
        for (uint32_t k = 0; k < ends->list.n; k++) {
            g_autofree char *path = end_path(node, ends->list.v[k].offset, ends->list.v[k].row);
            if (k == 0) {
                fprintf(w->out, "    port %s = %s", c->ports.v[i]->name, path);
            } else {
                fprintf(w->out, ",\n        %s", path);
            }
        }
        fputs(ends->list.n != 0 ? ";\n" : "", w->out);
    }
    for (uint32_t i = 0; i < node->joins.n; i++) {
        const Join *j = &node->joins.v[i];
        g_autofree char *a = end_path(node, j->a, j->a_row);
        g_autofree char *b = end_path(node, j->b, j->b_row);
        WwPortRole role = role_of(node, j->a, j->a_row);
        bool turned = role == WW_IN;
        fprintf(w->out, "    %s %s %s;\n", turned ? b : a, role == WW_REQUIRES ? "=>" : "->",
                turned ? a : b);
    }
}

/* ---- composites ---------------------------------------------------------------------------- */

static void write_children(Writer *w, const Node *node);

static void write_inside(Writer *w, const Node *node)
{
    const Composite *c = node->composite;
    if (c->doc != NULL) {
        static const WwParamRow row = {.name = "doc", .kind = WW_PARAM_STRING, .unit = ""};
        g_autofree char *text =
            ww_value_text(&row, &(WwValue){.kind = WW_PARAM_STRING, .s = c->doc});
        fprintf(w->out, "    doc %s;\n", text);
    }
    write_comments(w, node);
    if (c->clock != NULL) {
        fprintf(w->out, "    clock %s;\n", c->clock);
    }
    fputs(c->gated ? "    gate;\n" : "", w->out);
    fputs(c->partition ? "    partition;\n" : "", w->out);
}

static void write_composite(Writer *w, const Node *node)
{
    if (g_hash_table_contains(w->names, node)) {
        return;
    }
    write_children(w, node);
    fprintf(w->out, "composite %s {\n", name_node(w, node));
    write_inside(w, node);
    write_members(w, node);
    write_wires(w, node);
    fputs("}\n\n", w->out);
}

static void write_children(Writer *w, const Node *node)
{
    for (uint32_t i = 0; i < node->slots.n; i++) {
        const Node *inner = node->slots.v[i].node;
        (inner->composite != NULL ? write_composite : write_children)(w, inner);
    }
    for (uint32_t i = 0; node->composite != NULL && i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        for (uint32_t k = 0; part->count != 0 && k < part->runs.n; k++) {
            const Node *inner = part->runs.v[k].node;
            (inner->composite != NULL ? write_composite : write_children)(w, inner);
        }
    }
}

static bool write_machine(Writer *w, GError **error)
{
    const Node *root = w->e->root;
    const Composite *c = root->composite;
    fprintf(w->out, "machine %s {\n", c->name);
    write_inside(w, root);
    for (uint32_t i = 0; i < c->domains.n; i++) {
        WwValue hz;
        if (!elab_hz(w->e, c->domains.v[i], &hz, error)) {
            return false;
        }
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        fprintf(w->out, "    domain %s = %s Hz;\n", c->domains.v[i]->name,
                g_ascii_dtostr(number, sizeof number, hz.r));
    }
    fputs("    phases {\n", w->out);
    for (uint32_t i = 0; i < c->phases.n; i++) {
        fprintf(w->out, "        %s : %s;\n", c->phases.v[i].name, c->phases.v[i].domain);
    }
    fputs("    }\n", w->out);
    write_members(w, root);
    write_wires(w, root);
    fputs("}\n", w->out);
    return true;
}

bool ww_platform_write_resolved(const WwElaboration *elaboration, FILE *out, GError **error)
{
    Writer w = {
        .e = (WwElaboration *)elaboration,
        .out = out,
        .names = g_hash_table_new(g_direct_hash, g_direct_equal),
        .used = g_hash_table_new(g_str_hash, g_str_equal),
    };
    g_hash_table_add(w.used, (gpointer)elaboration->root->composite->name);
    fprintf(out,
            "# Machine '%s', resolved: all values are final. Comments say where those of "
            "composites came from.\n\n",
            elaboration->root->composite->name);
    write_children(&w, elaboration->root);
    bool ok = write_machine(&w, error);
    g_hash_table_unref(w.names);
    g_hash_table_unref(w.used);
    return ok;
}
