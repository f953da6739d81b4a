/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose statement led to an error: one that lies in the text of a library is told with the place in the user's own text, config or option that brought it there.
 */
#include "elab-priv.h"
#include <string.h>

/** Is @p file a text of a platform directory, which the user did not write? */
static bool is_library(const WwElaboration *e, const char *file)
{
    for (uint32_t i = 0; file != NULL && i < e->platform->sources.list.n; i++) {
        if (e->platform->sources.list.v[i].file == file) {
            return !g_hash_table_contains(e->platform->own, file);
        }
    }
    return false;
}

static bool is_users(const WwElaboration *e, WwLocation at)
{
    return at.file != NULL && !is_library(e, at.file);
}

/** Adds "(from PLACE)" to the first line of @p error, unless it is there. */
static void add_place(WwElaboration *e, WwLocation at, GError **error)
{
    const char *message = (*error)->message, *place = plat_place(&e->arena, at);
    const char *end = strchrnul(message, '\n');
    e->blamed = true;
    if (memmem(message, (size_t)(end - message), place, strlen(place)) == NULL) {
        char *whole =
            g_strdup_printf("%.*s (from %s)%s", (int)(end - message), message, place, end);
        g_free((*error)->message);
        (*error)->message = whole;
    }
}

/** The same of an error that lies in a library. */
static void note(WwElaboration *e, WwLocation at, GError **error)
{
    if (error != NULL && *error != NULL && !e->blamed && is_library(e, e->failed.file)) {
        add_place(e, at, error);
    }
}

void elab_blame_include(WwElaboration *e, const Override *o, GError **error)
{
    if (o->by.line != 0 && error != NULL && *error != NULL && !e->blamed) {
        add_place(e, o->by, error);
    }
}

void elab_blame(WwElaboration *e, WwLocation at, GError **error)
{
    if (is_users(e, at)) {
        note(e, at, error);
    }
}

/** The user's statement that parameter @p i of @p node goes by, if there is one. */
static bool find_param(const WwElaboration *e, const Node *node, uint32_t i, uint32_t depth,
                       WwLocation *at);

static bool find_expr(const WwElaboration *e, const Node *scope, const Expr *x, uint32_t depth,
                      WwLocation *at)
{
    if (x == NULL) {
        return false;
    }
    int i = x->kind == EXPR_NAME ? plat_param(scope->composite, x->name) : -1;
    return (i >= 0 && find_param(e, scope, (uint32_t)i, depth + 1, at)) ||
           find_expr(e, scope, x->left, depth, at) || find_expr(e, scope, x->right, depth, at);
}

static bool find_param(const WwElaboration *e, const Node *node, uint32_t i, uint32_t depth,
                       WwLocation *at)
{
    enum { DEEPEST = 64 };
    const Cause *cause = node->setting[i].cause;
    if (cause == NULL || cause->type != NULL || depth > DEEPEST) {
        return false;
    }
    if (is_users(e, cause->at)) {
        *at = cause->at;
        return true;
    }
    const Node *scope;
    const Value *value = elab_winner(node, i, &scope);
    return value != NULL && value->text == NULL && find_expr(e, scope, value->expr, depth, at);
}

void elab_blame_expr(WwElaboration *e, const Node *scope, const Expr *x, GError **error)
{
    WwLocation at;
    if (!e->blamed && is_library(e, e->failed.file) && find_expr(e, scope, x, 0, &at)) {
        note(e, at, error);
    }
}

void elab_blame_type(WwElaboration *e, const Node *scope, const TypeRef *ref, GError **error)
{
    WwLocation at = ref->at;
    int i = ref->param ? plat_param(scope->composite, ref->name) : -1;
    if (is_users(e, at) || (i >= 0 && find_param(e, scope, (uint32_t)i, 0, &at))) {
        note(e, at, error);
    }
}

/** The parameter in @p x, or in what it goes by, whose value a config or option gives; -1: none. */
static int find_over(const Node *node, const Expr *x, uint32_t depth, const Node **owner)
{
    enum { DEEPEST = 24 }; /* each parameter may stand in the next one more than once */
    if (x == NULL || depth > DEEPEST) {
        return -1;
    }
    int i = x->kind == EXPR_NAME ? plat_param(node->composite, x->name) : -1;
    if (i >= 0 && node->setting[i].over != NULL) {
        *owner = node;
        return i;
    }
    const Node *scope = node;
    const Value *value = i >= 0 ? elab_winner(node, (uint32_t)i, &scope) : NULL;
    int found = value != NULL ? find_over(scope, value->expr, depth + 1, owner) : -1;
    found = found < 0 ? find_over(node, x->left, depth + 1, owner) : found;
    return found < 0 ? find_over(node, x->right, depth + 1, owner) : found;
}

void elab_blame_count(WwElaboration *e, const Node *node, const Expr *count, GError **error)
{
    const Node *owner = NULL;
    int i = e->beyond && !e->blamed && error != NULL && *error != NULL
                ? find_over(node, count, 0, &owner)
                : -1;
    if (i < 0) {
        return;
    }
    const WwCause *cause = elab_cause(e, owner->setting[i].cause);
    char *message = (*error)->message;
    const char *end = strchrnul(message, '\n');
    (*error)->message =
        g_strdup_printf("%.*s ('%s' is %s from %s)%s", (int)(end - message), message,
                        elab_row(owner, (uint32_t)i)->name, cause->text, cause->from, end);
    g_free(message);
    e->blamed = true;
}

/** The user's boundary port within @p node by which port @p row of the component at @p offset can be reached. */
static bool find_port(const WwElaboration *e, const Node *node, uint32_t offset, int row,
                      WwLocation *at)
{
    const Composite *c = node->composite;
    for (uint32_t i = 0; c != NULL && i < c->ports.n; i++) {
        const Ends *ends = &node->exports[i];
        for (uint32_t k = 0; is_users(e, c->ports.v[i]->at) && k < ends->list.n; k++) {
            if (ends->list.v[k].offset == offset && ends->list.v[k].row == row) {
                *at = c->ports.v[i]->at;
                return true;
            }
        }
    }
    for (uint32_t i = 0; c != NULL && i < c->members.n; i++) {
        for (uint32_t k = 0; k < node->part[i].runs.n; k++) {
            const Run *run = &node->part[i].runs.v[k];
            uint32_t each = run->node->n_components;
            if (offset >= run->offset && offset - run->offset < each * (run->end - run->start)) {
                return find_port(e, run->node, (offset - run->offset) % each, row, at);
            }
        }
    }
    return false;
}

void elab_blame_end(WwElaboration *e, const Node *node, uint32_t offset, int row, GError **error)
{
    WwLocation at;
    if (find_port(e, node, offset, row, &at)) {
        note(e, at, error);
    }
}

/* ---- a port without peers ------------------------------------------------------------------ */

static bool is_end(const Path *path, const char *member, const char *port)
{
    return path->seg.n == 2 && strcmp(path->seg.v[0].name, member) == 0 &&
           strcmp(path->seg.v[1].name, port) == 0;
}

/** What a composite, or what it extends, removed together with a wire of @p member.@p port; NULL: nothing. */
static const Seg *cut_with(const Composite *c, const char *member, const char *port)
{
    for (; c != NULL; c = c->base) {
        for (uint32_t i = 0; i < c->cuts.n; i++) {
            const Cut *cut = &c->cuts.v[i];
            if (is_end(&cut->wire->left, member, port) || is_end(&cut->wire->right, member, port)) {
                return cut->with;
            }
        }
    }
    return NULL;
}

/** The part that @p element, as in "sm[3]", is of @p node, or NULL; its index goes off. */
static const Node *step_into(const Node *node, char *element)
{
    char *bracket = strchr(element, '[');
    uint32_t index = bracket != NULL ? (uint32_t)g_ascii_strtoull(bracket + 1, NULL, 10) : 0;
    element[strcspn(element, "[")] = '\0';
    for (uint32_t i = 0; node->composite != NULL && i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        if (strcmp(part->member->name, element) == 0 && index < part->count) {
            return elab_run(part, index)->node;
        }
    }
    return NULL;
}

void ww_elaboration_explain(WwElaboration *e, GError *error)
{
    const char *message = error->message, *end = strstr(message, " has 0 peers");
    const char *open = end != NULL ? g_strrstr_len(message, end - message, " (") : NULL;
    const char *colon = open != NULL ? g_strrstr_len(message, open - message, ": ") : NULL;
    if (open == NULL) {
        return;
    }
    const char *start = colon != NULL ? colon + 2 : message;
    g_autofree char *path = g_strndup(start, (gsize)(open - start));
    g_auto(GStrv) names = g_strsplit(path, ".", -1);
    guint n = g_strv_length(names);
    const Node *node = e->root;
    for (guint i = 0; node != NULL && i + 2 < n; i++) {
        node = step_into(node, names[i]);
    }
    if (node == NULL || n < 2 || step_into(node, names[n - 2]) == NULL) {
        return;
    }
    const Seg *with = cut_with(node->composite, names[n - 2], names[n - 1]);
    if (with != NULL) {
        char *whole = g_strdup_printf("%s (its wire went with '%s' in %s)", message, with->name,
                                      plat_place(&e->arena, with->at));
        g_free(error->message);
        error->message = whole;
    }
}
