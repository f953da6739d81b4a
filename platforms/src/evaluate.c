/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values and parameters: evaluated once per distinct part, parameters when they are first needed.
 */
#include "elab-priv.h"
#include <string.h>

#define MOST_PLACES 8u /* of an ambiguous path, in its message */
#define MAX_EVAL_DEPTH 256u

const WwParamRow *elab_row(const Node *node, uint32_t i)
{
    return node->type != NULL ? &node->type->params[i] : &node->composite->params.v[i]->row;
}

int elab_find_param(const Node *node, const char *name)
{
    return node->type != NULL ? ww_type_param(node->type, name) : plat_param(node->composite, name);
}

const char *elab_owner(const Node *node)
{
    return node->type != NULL ? node->type->name : node->composite->name;
}

const char *elab_near_own_param(WwElaboration *e, const Node *node, const char *name)
{
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < node->n_params; i++) {
        *VEC_ADD(&e->arena, &names) = elab_row(node, i)->name;
    }
    return ww_closest(name, names.v, names.n);
}

/* ---- values -------------------------------------------------------------------------------- */

/** A value as plain text that ww_value_parse() reads for any parameter of a fitting kind. */
static char *plain_text(const WwParamRow *row, const WwValue *v)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    switch (v->kind) {
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        return g_strdup_printf("%" G_GUINT64_FORMAT, v->u);
    case WW_PARAM_REAL:
        return g_strdup(g_ascii_dtostr(number, sizeof number, v->r));
    case WW_PARAM_STRING:
        return g_strdup(v->s);
    case WW_PARAM_LIST: {
        GString *out = g_string_new("[");
        for (uint32_t i = 0; i < v->list.n; i++) {
            g_string_append_printf(out, "%s%u", i == 0 ? "" : ", ", v->list.v[i]);
        }
        return g_string_free(g_string_append_c(out, ']'), false);
    }
    default:
        return ww_value_text(row, v);
    }
}

/** Moves a value's memory into the arena. */
static void keep(WwElaboration *e, WwValue *v)
{
    WwValue old = *v;
    if (v->kind == WW_PARAM_STRING) {
        v->s = plat_dup(&e->arena, old.s, strlen(old.s));
    } else if (v->kind == WW_PARAM_LIST && old.list.n != 0) {
        uint32_t *copy = plat_alloc(&e->arena, old.list.n * sizeof *copy);
        memcpy(copy, old.list.v, old.list.n * sizeof *copy);
        v->list.v = copy;
    }
    ww_value_clear(&old);
}

/** Behind the name of a type that is like no other. */
#define NEEDS_MODULE " (a type of a module needs -m MODULE.so)"

/** The nearest component type or composite, or NULL; machines are no members. */
static const char *near_type(WwElaboration *e, const char *word)
{
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < e->platform->composites.n; i++) {
        const Composite *c = e->platform->composites.v[i];
        if (!c->machine) {
            *VEC_ADD(&e->arena, &names) = c->name;
        }
    }
    size_t n = 0;
    const WwType *const *types = ww_registry_types(e->registry, &n);
    for (size_t i = 0; i < n; i++) {
        *VEC_ADD(&e->arena, &names) = types[i]->name;
    }
    return ww_closest(word, names.v, names.n);
}

/** For a @p name that is none of a family @p like: "gto" is near "scheduler.gto", too. */
static const char *near_like(WwElaboration *e, const char *name, const char *like)
{
    g_autofree char *whole = g_strdup_printf("%s.%s", like, name);
    const WwType *t = ww_registry_find(e->registry, whole, NULL);
    return t != NULL ? t->name : near_type(e, name);
}

/** Is there a family, type or composite @p like? If not, @p near is the nearest of them, or NULL. */
static bool known_like(WwElaboration *e, const char *like, const char **near)
{
    size_t n = 0;
    const WwType *const *types = ww_registry_types(e->registry, &n);
    VEC(const char *) names = {0};
    bool known = g_hash_table_contains(e->platform->by_name, like);
    for (size_t i = 0; i < n; i++) {
        known = known || strcmp(types[i]->family, like) == 0 || strcmp(types[i]->name, like) == 0;
        *VEC_ADD(&e->arena, &names) = types[i]->family;
    }
    *near = ww_closest(like, names.v, names.n);
    return known;
}

/** A `type like FAMILY`: the type or composite exists and fits. */
static bool check_like(WwElaboration *e, const char *name, const char *like, WwLocation at,
                       GError **error)
{
    const Composite *c = g_hash_table_lookup(e->platform->by_name, name);
    const WwType *t = ww_registry_find(e->registry, name, NULL);
    const char *near = NULL;
    if (c == NULL && t == NULL) {
        near = near_like(e, name, like);
        return ELAB_FAIL(
            e, WW_ERROR_USAGE, at, near, error,
            "'%s' is neither a component type nor a composite; expected one like '%s'" NEEDS_MODULE,
            name, like);
    }
    if (!known_like(e, like, &near)) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, at, near, error,
                         "there is no family, type or composite '%s' that '%s' could be like; "
                         "expected one behind 'type like'",
                         like, name);
    }
    bool fits = c != NULL ? plat_extends(c, like)
                          : strcmp(t->family, like) == 0 || strcmp(t->name, like) == 0;
    return fits ||
           ELAB_FAIL(e, WW_ERROR_USAGE, at, NULL, error, "'%s' is %s%s%s; expected one like '%s'",
                     name, c != NULL ? "a composite that does not extend it" : "of family '",
                     c != NULL ? "" : t->family, c != NULL ? "" : "'", like);
}

static bool parse_text(WwElaboration *e, const WwParamRow *row, const char *like, const char *text,
                       bool verbatim, WwLocation at, const char *near, const char *note,
                       WwValue *out, GError **error)
{
    g_autoptr(GError) why = NULL;
    *out = (WwValue){.kind = row->kind};
    if (verbatim && row->kind == WW_PARAM_STRING) {
        out->s = g_strdup(text);
    } else if (!ww_value_parse(row, text, out, &why)) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, at, near, error, "%s%s", why->message, note);
    }
    keep(e, out);
    return like == NULL || check_like(e, out->s, like, at, error);
}

static bool list_text(WwElaboration *e, Node *scope, const Value *v, GString *out, GError **error)
{
    g_string_append_c(out, '[');
    for (uint32_t i = 0; i < v->list.n; i++) {
        int64_t n = 0;
        if (!elab_integer(e, scope, NULL, v->list.v[i], &n, error)) {
            return false;
        }
        g_string_append_printf(out, "%s%lld", i == 0 ? "" : ", ", (long long)n);
    }
    g_string_append_c(out, ']');
    return true;
}

static bool number_value(WwElaboration *e, Node *scope, const WwParamRow *row, const char *like,
                         const Value *v, WwValue *out, GError **error)
{
    Number n = {0};
    if (!(row->kind == WW_PARAM_REAL ? elab_number(e, scope, NULL, v->expr, &n, error)
                                     : elab_integer(e, scope, NULL, v->expr, &n.integer, error))) {
        return false;
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (n.from != NULL) {
        g_ascii_dtostr(text, sizeof text, n.real);
    } else {
        g_snprintf(text, sizeof text, "%lld", (long long)n.integer);
    }
    bool flag = row->kind == WW_PARAM_BOOL && (n.integer == 0 || n.integer == 1);
    return parse_text(e, row, like, flag ? (n.integer != 0 ? "true" : "false") : text, false, v->at,
                      NULL, "", out, error);
}

/** A parameter that is passed on as it is has no other unit than where it goes; one of the two may have none. */
static bool same_unit(WwElaboration *e, const WwParamRow *from, const WwParamRow *to, WwLocation at,
                      GError **error)
{
    const char *a = from->unit != NULL ? from->unit : "", *b = to->unit != NULL ? to->unit : "";
    return *a == '\0' || *b == '\0' || strcmp(a, b) == 0 ||
           ELAB_FAIL(e, WW_ERROR_USAGE, at, NULL, error,
                     "'%s' is in %s, and '%s' is in %s; expected a parameter in the same unit, or "
                     "without one",
                     from->name, a, to->name, b);
}

bool elab_value(WwElaboration *e, Node *scope, const WwParamRow *row, const char *like,
                const Value *v, WwValue *out, GError **error)
{
    if (v->text != NULL) {
        return parse_text(e, row, like, v->text, v->kind != VALUE_LITERAL, v->at, NULL, "", out,
                          error);
    }
    if (v->kind == VALUE_LIST) {
        g_autoptr(GString) text = g_string_new(NULL);
        return list_text(e, scope, v, text, error) &&
               parse_text(e, row, like, text->str, false, v->at, NULL, "", out, error);
    }
    if (v->expr->kind == EXPR_NAME) {
        const char *name = v->expr->name;
        int i = plat_param(scope->composite, name);
        if (i < 0 && plat_set(scope->composite, name) == NULL) {
            /*
             * a word: a choice, true, a type; what is near it among the parameters may have been
             * meant
             */
            bool number = row->kind == WW_PARAM_UINT || row->kind == WW_PARAM_U64 ||
                          row->kind == WW_PARAM_REAL;
            g_autofree char *note =
                number ? g_strdup_printf("; nor is it a parameter of '%s'", scope->composite->name)
                       : g_strdup("");
            return parse_text(e, row, like, name, true, v->at, elab_near_own_param(e, scope, name),
                              note, out, error);
        }
        if (i < 0) {
            return number_value(e, scope, row, like, v, out, error);
        }
        if (!same_unit(e, elab_row(scope, (uint32_t)i), row, v->at, error) ||
            !elab_read(e, scope, (uint32_t)i, error)) {
            return false;
        }
        g_autofree char *text = plain_text(elab_row(scope, (uint32_t)i), &scope->setting[i].value);
        g_autoptr(GError) why = NULL;
        if (parse_text(e, row, like, text, true, v->at, NULL, "", out, &why)) {
            return true;
        }
        g_autofree char *note = g_strdup_printf(" ('%s' is from %s)", name,
                                                elab_cause(e, scope->setting[i].cause)->from);
        return parse_text(e, row, like, text, true, v->at, NULL, note, out, error);
    }
    return number_value(e, scope, row, like, v, out, error);
}

/* ---- parameters ---------------------------------------------------------------------------- */

/** @p at: its file may be a text that has no line. */
static Cause *add_cause(WwElaboration *e, Cause *over, const WwParamRow *row, const WwValue *v,
                        WwLocation at)
{
    Cause *cause = PLAT_NEW(&e->arena, Cause);
    *cause = (Cause){.over = over, .row = row, .value = *v, .at = at};
    return cause;
}

const WwCause *elab_cause(WwElaboration *e, Cause *cause)
{
    for (Cause *c = cause; c != NULL && c->told.text == NULL; c = c->over) {
        if (c->type != NULL) {
            c->told.text = c->row->def;
            c->told.from = plat_printf(&e->arena, "default of %s", c->type->name);
        } else {
            g_autofree char *text = ww_value_text(c->row, &c->value);
            c->told.text = plat_dup(&e->arena, text, strlen(text));
            c->told.from = plat_place(&e->arena, c->at);
        }
        c->told.over = c->over != NULL ? &c->over->told : NULL;
    }
    return &cause->told;
}

/** What the platform says is `final` may be said again, but not otherwise. */
static bool check_final(WwElaboration *e, const Override *o, const WwParamRow *row,
                        const WwValue *v, const Setting *s, GError **error)
{
    if (s->final.line == 0 || s->cause == NULL) {
        return true;
    }
    g_autofree char *text = ww_value_text(row, v);
    const char *says = elab_cause(e, s->cause)->text;
    return strcmp(text, says) == 0 ||
           ELAB_FAIL(e, WW_ERROR_USAGE, o->at, NULL, error,
                     "'%s' is final in %s, which says %s; expected no other value (%s)", o->text,
                     plat_place(&e->arena, s->final), says, text);
}

/** False: it was there. Most overrides have one. */
static bool add_owner(Global *g, const void *owner)
{
    if (g->owner == NULL || g->owner == owner) {
        bool added = g->owner == NULL;
        g->owner = owner;
        return added;
    }
    if (g->owners == NULL) {
        g->owners = g_hash_table_new(NULL, NULL);
    }
    return g_hash_table_add(g->owners, (gpointer)owner);
}

/**
 * Counts a match; a value that a mere suffix match refuses is only an error if the match stands.
 */
static bool apply_global(WwElaboration *e, Node *node, uint32_t i, const Item *item,
                         const char *like, Setting *s, GError **error)
{
    Global *g = &e->global[item->global];
    const WwParamRow *row = elab_row(node, i);
    if (item->anchored) {
        g->n_anchored++;
    } else {
        g->n_floating++;
        const Param *param = node->composite != NULL ? node->composite->params.v[i] : NULL;
        const void *owner =
            param != NULL && param->identity != NULL ? (const void *)param->identity : row;
        if (add_owner(g, owner) && g->places.n <= MOST_PLACES) {
            *VEC_ADD(&e->arena, &g->places) =
                plat_join(&e->arena, e->path->str, e->path->len != 0 ? "." : "", row->name, " (",
                          elab_owner(node), ")", NULL);
        }
    }
    WwValue v;
    g_autoptr(GError) why = NULL;
    if (!parse_text(e, row, like, g->o->value, false, g->o->value_at, NULL, "", &v, &why) ||
        !check_final(e, g->o, row, &v, s, &why)) {
        elab_blame_include(e, g->o, &why);
        if (item->anchored) {
            g_propagate_error(error, g_steal_pointer(&why));
            return false;
        }
        if (g->pending == NULL) {
            g->pending = g_steal_pointer(&why);
        }
        return true;
    }
    s->value = v;
    s->cause =
        add_cause(e, s->cause, row, &v, (WwLocation){.file = g->o->at.file, .line = g->o->at.line});
    s->over = g->o;
    return true;
}

static bool apply_edit(WwElaboration *e, Node *scope, const Edit *edit, const WwParamRow *row,
                       const char *like, Setting *s, GError **error)
{
    if (!elab_value(e, scope, row, like, edit->value, &s->value, error)) {
        elab_blame_expr(e, scope, edit->value->expr, error);
        plat_note_element(error, edit->element);
        return false;
    }
    s->cause = add_cause(e, s->cause, row, &s->value, edit->at);
    if (edit->final) {
        s->final = edit->at;
    }
    s->own = g_hash_table_contains(e->platform->own, edit->at.file) ? edit : NULL;
    s->own_cause = s->cause;
    return true;
}

static bool apply_default(WwElaboration *e, Node *node, const Param *param, bool replaced,
                          Setting *s, GError **error)
{
    g_autoptr(GError) why = NULL;
    if (param->def == NULL) {
        return true;
    }
    if (!elab_value(e, node, &param->row, param->like, param->def, &s->value, &why)) {
        if (replaced) {
            s->final = param->final ? param->at : s->final;
            return true; /* it may depend on what this platform does not have */
        }
        elab_blame_expr(e, node, param->def->expr, &why);
        plat_note_element(&why, param->element);
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    s->cause = add_cause(e, NULL, &param->row, &s->value, param->at);
    s->final = param->final ? param->at : s->final;
    return true;
}

Cause *elab_type_default(WwElaboration *e, const Node *node, uint32_t i)
{
    Cause *cause = PLAT_NEW(&e->arena, Cause);
    *cause = (Cause){.row = &node->type->params[i], .type = node->type};
    return cause;
}

static bool evaluate_param(WwElaboration *e, Node *node, uint32_t i, GError **error)
{
    Setting *s = &node->setting[i];
    const WwParamRow *row = elab_row(node, i);
    const Param *param = node->composite != NULL ? node->composite->params.v[i] : NULL;
    const char *like = param != NULL ? param->like : NULL;
    uint32_t first = node->first_final != NULL ? node->first_final[i] : 0;
    bool replaced = first != 0;
    if (param != NULL && !apply_default(e, node, param, replaced, s, error)) {
        return false;
    }
    if (param == NULL && replaced && row->def != NULL) {
        s->cause = elab_type_default(e, node, i);
    }
    for (uint32_t k = first; k != 0; k = node->next_final[k - 1]) {
        const Item *item = &node->finals.list.v[k - 1];
        bool ok = item->edit != NULL ? apply_edit(e, item->scope, item->edit, row, like, s, error)
                                     : apply_global(e, node, i, item, like, s, error);
        if (!ok) {
            return false;
        }
    }
    if (s->cause == NULL && (param != NULL || row->def == NULL)) {
        return ELAB_FAIL(
            e, WW_ERROR_USAGE, node->at, NULL, error,
            "parameter '%s' of %s (%s) has no value and no default; expected '%s = VALUE;'",
            row->name, e->path->len != 0 ? e->path->str : "the machine", elab_owner(node),
            row->name);
    }
    return true;
}

bool elab_param(WwElaboration *e, Node *node, uint32_t i, GError **error)
{
    Setting *s = &node->setting[i];
    if (s->state == 2) {
        return true;
    }
    if (s->state == 1 || e->eval_depth == MAX_EVAL_DEPTH) {
        const Param *param = node->composite->params.v[i];
        return ELAB_FAIL(e, WW_ERROR_USAGE, param->at, NULL, error,
                         s->state == 1
                             ? "parameter '%s' depends on itself; expected a value without it"
                             : "parameter '%s' depends on too many others; expected fewer in a row",
                         param->name);
    }
    s->state = 1;
    e->eval_depth++;
    bool ok = evaluate_param(e, node, i, error);
    e->eval_depth--;
    s->state = 2;
    return ok;
}

bool elab_read(WwElaboration *e, Node *node, uint32_t i, GError **error)
{
    node->setting[i].read = true;
    return elab_param(e, node, i, error);
}

/* ---- types --------------------------------------------------------------------------------- */

/** The name in a `$param`. */
static const char *param_type(WwElaboration *e, Node *scope, const TypeRef *ref, GError **error)
{
    int i = plat_param(scope->composite, ref->name);
    if (i < 0) {
        ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, elab_near_own_param(e, scope, ref->name), error,
                  "'%s' has no parameter '%s'; expected a parameter of kind 'type like FAMILY'",
                  scope->composite->name, ref->name);
        return NULL;
    }
    if (scope->composite->params.v[i]->like == NULL) {
        ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, NULL, error,
                  "parameter '%s' is no type; expected a parameter of kind 'type like FAMILY'",
                  ref->name);
        return NULL;
    }
    return elab_param(e, scope, (uint32_t)i, error) ? scope->setting[i].value.s : NULL;
}

void elab_type_taken(Node *scope, const TypeRef *ref)
{
    int i = ref->param ? plat_param(scope->composite, ref->name) : -1;
    if (i >= 0) {
        scope->setting[i].read = true;
    }
}

bool elab_type(WwElaboration *e, Node *scope, const TypeRef *ref, const WwType **type,
               const Composite **composite, GError **error)
{
    const char *name = ref->param ? param_type(e, scope, ref, error) : ref->name;
    if (name == NULL) {
        return false;
    }
    *composite = g_hash_table_lookup(e->platform->by_name, name);
    *type = ww_registry_find(e->registry, name, NULL);
    if (*composite != NULL && *type != NULL) {
        ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, NULL, error,
                  "'%s' is both a composite and a component type; expected another name for "
                  "the composite",
                  name);
        elab_blame(e, (*composite)->at, error);
        return false;
    }
    if (*composite != NULL && (*composite)->machine) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, NULL, error,
                         "'%s' is a machine; expected a composite", name);
    }
    int param = *composite == NULL && *type == NULL ? plat_param(scope->composite, name) : -1;
    if (param >= 0 && !ref->param && scope->composite->params.v[param]->like != NULL) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, NULL, error,
                         "'%s' is a parameter; expected '$%s', the type that it says", name, name);
    }
    if (*composite == NULL && *type == NULL) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, near_type(e, name), error,
                         "'%s' is neither a component type nor a composite; "
                         "expected one" NEEDS_MODULE,
                         name);
    }
    if (*type != NULL && ((*type)->flags & WW_TYPE_FAKE) != 0) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, ref->at, NULL, error,
                         "'%s' is for test benches only; expected another type", name);
    }
    return true;
}
