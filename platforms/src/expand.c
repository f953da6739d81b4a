/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index sets, and statements that are said once for all elements of one: copies of the statement in
 * which "{NAME}" is an element and the loop's name its position, from 0. What has neither is
 * shared with the text. Workload: an SM has some 20 such statements of 14 elements; hostile texts
 * are bounded by what is looked at, not by what comes out.
 */
#include "platform-priv.h"
#include <string.h>

#define COPY 4u /* A statement's copy is as much as so many names. */

static bool charge(WwPlatform *p, uint64_t n, WwLocation at, GError **error)
{
    p->expanded += n;
    return p->expanded <= PLAT_MAX_EXPANDED ||
           PLAT_FAIL(p, WW_ERROR_INPUT, at, NULL, error,
                     "more than %u names and values for elements of index sets; expected fewer",
                     PLAT_MAX_EXPANDED);
}

/* ---- sets ---------------------------------------------------------------------------------- */

static IndexSet *find_set(const Composite *c, const char *name)
{
    for (uint32_t i = 0; i < c->sets.n; i++) {
        if (strcmp(c->sets.v[i].name, name) == 0) {
            return &c->sets.v[i];
        }
    }
    return NULL;
}

const IndexSet *plat_set(const Composite *c, const char *name)
{
    return find_set(c, name);
}

static const char *near_set(WwPlatform *p, const Composite *c, const char *name)
{
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < c->sets.n; i++) {
        *VEC_ADD(&p->arena, &names) = c->sets.v[i].name;
    }
    return ww_closest(name, names.v, names.n);
}

typedef VEC(const char *) Elements;

static bool resolve_set(WwPlatform *p, const Composite *c, IndexSet *set, GError **error);

/** The elements that @p items stand for; @p whole: what is no set is an error, not an element. */
static bool add_items(WwPlatform *p, const Composite *c, const IndexItems *items, bool whole,
                      Elements *out, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t i = 0; i < items->n; i++) {
        const IndexItem *item = &items->v[i];
        IndexSet *set = find_set(c, item->name);
        if (set == NULL && whole) {
            return PLAT_FAIL(p, WW_ERROR_INPUT, item->at, near_set(p, c, item->name), error,
                             "'%s' is no index set of '%s'; expected one, or a range A..B",
                             item->name, c->name);
        }
        if (set != NULL && !resolve_set(p, c, set, error)) {
            return false;
        }
        uint32_t n = set != NULL ? set->elements.n : 1;
        if (!charge(p, n, item->at, error)) {
            return false;
        }
        for (uint32_t k = 0; k < n; k++) {
            const char *element = set != NULL ? set->elements.v[k] : item->name;
            if (!g_hash_table_add(seen, (gpointer)element)) {
                return PLAT_FAIL(p, WW_ERROR_INPUT, item->at, NULL, error,
                                 "element '%s' a second time; expected each once", element);
            }
            *VEC_ADD(&p->arena, out) = element;
        }
        if (out->n > PLAT_MAX_ELEMENTS) {
            return PLAT_FAIL(p, WW_ERROR_INPUT, item->at, NULL, error,
                             "more than %u elements; expected fewer", PLAT_MAX_ELEMENTS);
        }
    }
    return true;
}

static bool resolve_set(WwPlatform *p, const Composite *c, IndexSet *set, GError **error)
{
    if (set->mark == 2) {
        return true;
    }
    if (set->mark == 1) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, set->at, NULL, error,
                         "index set '%s' contains itself; expected elements, or '+=' to add some",
                         set->name);
    }
    set->mark = 1;
    Elements elements = {0};
    if (!add_items(p, c, &set->items, false, &elements, error)) {
        return false;
    }
    set->elements.v = elements.v;
    set->elements.n = elements.n;
    set->mark = 2;
    return true;
}

static bool declare(WwPlatform *p, Composite *c, const IndexDecl *decl, GError **error)
{
    IndexSet *set = find_set(c, decl->name);
    if (decl->more && set == NULL) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, decl->at, near_set(p, c, decl->name), error,
                         "'%s' has no index set '%s' to add to; expected 'index %s = ...;'",
                         c->name, decl->name, decl->name);
    }
    if (!decl->more && set != NULL && set->owner == c) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, decl->at, NULL, error,
                         "index set '%s' is declared twice; expected '+=' to add to it",
                         decl->name);
    }
    if (set == NULL) {
        set = VEC_ADD(&p->arena, &c->sets);
    }
    if (!decl->more) {
        *set = (IndexSet){.name = decl->name, .at = decl->at, .owner = c};
    }
    if (!charge(p, set->items.n + decl->items.n, decl->at, error)) {
        return false;
    }
    IndexItems all = {0}; /* the base keeps its own */
    for (uint32_t i = 0; i < set->items.n; i++) {
        *VEC_ADD(&p->arena, &all) = set->items.v[i];
    }
    for (uint32_t i = 0; i < decl->items.n; i++) {
        *VEC_ADD(&p->arena, &all) = decl->items.v[i];
    }
    set->items = all;
    return true;
}

bool plat_declare_sets(WwPlatform *p, Composite *c, GError **error)
{
    for (uint32_t i = 0; c->base != NULL && i < c->base->sets.n; i++) {
        IndexSet *set = VEC_ADD(&p->arena, &c->sets);
        *set = c->base->sets.v[i];
        if (c->indexes.n != 0) { /* what it holds may be another's elements */
            set->elements.n = set->elements.cap = set->mark = 0;
            set->elements.v = NULL;
        }
    }
    for (uint32_t i = 0; i < c->indexes.n; i++) {
        if (!declare(p, c, &c->indexes.v[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->sets.n; i++) {
        if (!resolve_set(p, c, &c->sets.v[i], error)) {
            return false;
        }
    }
    return true;
}

/* ---- turns --------------------------------------------------------------------------------- */

typedef struct Turns {
    WwPlatform *p;
    const Composite *c;
    const Loops *tail;
    PlatTurnFn turn;
    void *user;
    Elements elements[PLAT_MAX_LOOPS];
    Bindings bindings;
} Turns;

#define MOST_SHOWN 60 /* bytes of an element, in messages */

static bool turns(Turns *t, uint32_t depth, GError **error)
{
    if (depth == t->tail->n_sets) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (uint32_t i = 0; i < depth; i++) {
            const char *element = t->bindings.v[i].element; /* thousands: printf would show */
            g_string_append(text, i == 0 ? "'" : ", '");
            g_string_append_len(text, element, (gssize)strnlen(element, MOST_SHOWN));
            g_string_append_c(text, '\'');
        }
        t->bindings.text = g_string_chunk_insert_const(t->p->names, text->str);
        return charge(t->p, 1, t->tail->list.v[0].at, error) &&
               t->turn(t->user, &t->bindings, error);
    }
    for (uint32_t i = 0; i < t->elements[depth].n; i++) {
        t->bindings.v[depth] = (Binding){
            .name = t->tail->list.v[depth].name,
            .element = t->elements[depth].v[i],
            .position = i,
        };
        if (!turns(t, depth + 1, error)) {
            return false;
        }
    }
    return true;
}

bool plat_each_turn(WwPlatform *p, const Composite *c, const Loops *tail, bool own, PlatTurnFn turn,
                    void *user, GError **error)
{
    Turns t = {.p = p, .c = c, .tail = tail, .turn = turn, .user = user};
    g_autoptr(GHashTable) all = g_hash_table_new(g_str_hash, g_str_equal);
    t.bindings.n = tail->n_sets;
    t.bindings.elements = own ? all : NULL;
    for (uint32_t i = 0; i < tail->n_sets; i++) {
        const Loop *loop = &tail->list.v[i];
        if (!add_items(p, c, &loop->items, loop->items.n == 1, &t.elements[i], error)) {
            return false;
        }
        if (plat_param(c, loop->name) >= 0 || find_set(c, loop->name) != NULL) {
            return PLAT_FAIL(p, WW_ERROR_INPUT, loop->at, NULL, error,
                             "index '%s' has the name of %s; expected another", loop->name,
                             plat_param(c, loop->name) >= 0 ? "a parameter" : "an index set");
        }
    }
    for (uint32_t i = 0; i < t.elements[0].n; i++) {
        g_hash_table_add(all, (gpointer)t.elements[0].v[i]);
    }
    return turns(&t, 0, error);
}

/* ---- copies -------------------------------------------------------------------------------- */

/** What a statement's copy is made from; `failed`: an error is set. */
typedef struct Copy {
    WwPlatform *p;
    const Bindings *bindings;
    GError **error;
    bool failed;
} Copy;

static const Binding *find_binding(const Bindings *b, const char *name, size_t n)
{
    for (uint32_t i = 0; i < b->n; i++) {
        if (strncmp(b->v[i].name, name, n) == 0 && b->v[i].name[n] == '\0') {
            return &b->v[i];
        }
    }
    return NULL;
}

static const char *copy_name(Copy *copy, const char *name, WwLocation at)
{
    if (name == NULL || copy->failed || strchr(name, '{') == NULL) {
        return name;
    }
    g_autoptr(GString) out = g_string_new(NULL);
    for (const char *p = name; *p != '\0';) {
        const char *open = strchrnul(p, '{');
        g_string_append_len(out, p, open - p);
        if (*open == '\0') {
            break;
        }
        p = strchr(open, '}') + 1;
        const Binding *b = find_binding(copy->bindings, open + 1, (size_t)(p - open) - 2);
        if (b == NULL) {
            PLAT_FAIL(copy->p, WW_ERROR_INPUT, at, NULL, copy->error,
                      "'%.*s' is no index of this statement; expected 'for %.*s in SET' at its end",
                      (int)(p - open), open, (int)(p - open) - 2, open + 1);
            copy->failed = true;
            return name;
        }
        g_string_append(out, b->element);
    }
    if (out->len > PLAT_MAX_LINE || !charge(copy->p, out->len / 16 + 1, at, copy->error)) {
        if (out->len > PLAT_MAX_LINE) {
            PLAT_FAIL(copy->p, WW_ERROR_INPUT, at, NULL, copy->error,
                      "name of more than %u bytes; expected a shorter one", PLAT_MAX_LINE);
        }
        copy->failed = true;
        return name;
    }
    return g_string_chunk_insert_const(copy->p->names, out->str);
}

static const Expr *copy_expr(Copy *copy, const Expr *e)
{
    if (e == NULL || copy->failed) {
        return e;
    }
    if (!charge(copy->p, 1, e->at, copy->error)) {
        copy->failed = true;
        return e;
    }
    if (e->kind == EXPR_NAME) {
        const Binding *b = find_binding(copy->bindings, e->name, strlen(e->name));
        const char *name = b == NULL ? copy_name(copy, e->name, e->at) : NULL;
        if (name == e->name) {
            return e;
        }
        Expr *other = PLAT_NEW(&copy->p->arena, Expr);
        *other = *e;
        other->name = name;
        if (b != NULL) {
            other->kind = EXPR_INTEGER;
            other->integer = b->position;
        }
        return other;
    }
    const Expr *left = copy_expr(copy, e->left), *right = copy_expr(copy, e->right);
    if (left == e->left && right == e->right) {
        return e;
    }
    Expr *other = PLAT_NEW(&copy->p->arena, Expr);
    *other = *e;
    other->left = left;
    other->right = right;
    return other;
}

static const Value *copy_value(Copy *copy, const Value *v);

/** The value for the element of the one loop. That the others are of elements is checked once. */
static const Value *choose(Copy *copy, const Value *v)
{
    const Binding *b = &copy->bindings->v[0];
    const char *element = b->element;
    for (uint32_t i = 0; i < v->cases.n && b->position == 0; i++) {
        const Case *one = &v->cases.v[i];
        if (one->name != NULL && copy->bindings->elements != NULL &&
            !g_hash_table_contains(copy->bindings->elements, one->name)) {
            copy->failed = true;
            PLAT_FAIL(copy->p, WW_ERROR_INPUT, one->at, NULL, copy->error,
                      "'%s' is no element of what the statement goes over; expected one",
                      one->name);
            return v;
        }
    }
    for (uint32_t i = 0; i < v->cases.n; i++) {
        const Case *one = &v->cases.v[i];
        if (one->name == NULL || strcmp(one->name, element) == 0) {
            return copy_value(copy, one->value);
        }
    }
    copy->failed = true;
    PLAT_FAIL(copy->p, WW_ERROR_INPUT, v->at, NULL, copy->error,
              "no value for element '%s'; expected '%s: VALUE', or '*: VALUE' for all others",
              element, element);
    return v;
}

static const Value *copy_value(Copy *copy, const Value *v)
{
    if (v == NULL || copy->failed) {
        return v;
    }
    if (!charge(copy->p, 1 + v->cases.n, v->at, copy->error)) {
        copy->failed = true;
        return v;
    }
    if (v->kind == VALUE_CHOICE) {
        return choose(copy, v);
    }
    Value *other = PLAT_NEW(&copy->p->arena, Value);
    *other = *v;
    other->expr = copy_expr(copy, v->expr);
    if (v->kind == VALUE_WORD) {
        other->text = copy_name(copy, v->text, v->at);
    }
    memset(&other->list, 0, sizeof other->list);
    for (uint32_t i = 0; i < v->list.n; i++) {
        *VEC_ADD(&copy->p->arena, &other->list) = copy_expr(copy, v->list.v[i]);
    }
    return other;
}

static void copy_path(Copy *copy, const Path *from, Path *to)
{
    Path path = {0};
    for (uint32_t i = 0; i < from->seg.n && !copy->failed; i++) {
        Seg *seg = VEC_ADD(&copy->p->arena, &path.seg);
        copy->failed = !charge(copy->p, 1, from->seg.v[i].at, copy->error);
        *seg = from->seg.v[i];
        seg->name = copy_name(copy, seg->name, seg->at);
        seg->from = copy_expr(copy, seg->from);
        seg->to = copy_expr(copy, seg->to);
    }
    *to = path;
}

static TypeRef copy_type(Copy *copy, TypeRef type)
{
    type.name = copy_name(copy, type.name, type.at);
    return type;
}

/** What is left of a tail: loops over numbers, and the condition. */
static const Loops *copy_loops(Copy *copy, const Loops *from)
{
    Loops *to = PLAT_NEW(&copy->p->arena, Loops);
    for (uint32_t i = from->n_sets; i < from->list.n; i++) {
        Loop *loop = VEC_ADD(&copy->p->arena, &to->list);
        *loop = from->list.v[i];
        loop->from = copy_expr(copy, loop->from);
        loop->to = copy_expr(copy, loop->to);
    }
    to->cond = copy_expr(copy, from->cond);
    to->cond_at = from->cond_at;
    return to;
}

static Param *copy_param(Copy *copy, const Param *from)
{
    Param *to = PLAT_NEW(&copy->p->arena, Param);
    *to = *from;
    to->name = to->row.name = copy_name(copy, from->name, from->at);
    g_autofree char *identity = g_strdup_printf("%p %s", (const void *)from, to->name);
    to->identity = g_string_chunk_insert_const(copy->p->names, identity);
    to->element = copy->bindings->text;
    to->def = copy_value(copy, from->def);
    to->min = copy_expr(copy, from->min);
    to->max = copy_expr(copy, from->max);
    return to;
}

static Edit *copy_edit(Copy *copy, const Edit *from)
{
    Edit *to = PLAT_NEW(&copy->p->arena, Edit);
    *to = *from;
    copy_path(copy, &from->path, &to->path);
    to->element = copy->bindings->text;
    to->param = copy_name(copy, from->param, from->at);
    to->value = copy_value(copy, from->value);
    to->type = copy_type(copy, from->type);
    return to;
}

static Boundary *copy_port(Copy *copy, const Boundary *from)
{
    Boundary *to = PLAT_NEW(&copy->p->arena, Boundary);
    *to = *from;
    to->name = copy_name(copy, from->name, from->at);
    to->loops = copy_loops(copy, from->loops);
    memset(&to->ends, 0, sizeof to->ends);
    for (uint32_t i = 0; i < from->ends.n; i++) {
        copy_path(copy, &from->ends.v[i], VEC_ADD(&copy->p->arena, &to->ends));
    }
    return to;
}

static void copy_statement(Copy *copy, const Statement *from, Statement *to)
{
    *to = *from;
    if (!charge(copy->p, COPY, from->tail->list.v[0].at, copy->error)) {
        copy->failed = true;
        return;
    }
    to->tail = copy_loops(copy, from->tail);
    switch (from->kind) {
    case STATEMENT_PARAM:
        to->param = copy_param(copy, from->param);
        break;
    case STATEMENT_PORT:
        to->port = copy_port(copy, from->port);
        break;
    case STATEMENT_REMOVE:
        to->remove = PLAT_NEW(&copy->p->arena, Path);
        copy_path(copy, from->remove, to->remove);
        break;
    case STATEMENT_WIRE:
        to->wire = PLAT_NEW(&copy->p->arena, Wire);
        *to->wire = *from->wire;
        copy_path(copy, &from->wire->left, &to->wire->left);
        copy_path(copy, &from->wire->right, &to->wire->right);
        to->wire->loops = to->tail;
        to->wire->element = copy->bindings->text;
        break;
    case STATEMENT_EDIT:
        to->edit = copy_edit(copy, from->edit);
        break;
    case STATEMENT_MEMBER:
        to->member.path = PLAT_NEW(&copy->p->arena, Path);
        copy_path(copy, from->member.path, to->member.path);
        to->member.type = copy_type(copy, from->member.type);
        break;
    case STATEMENT_DOMAIN: /* has no tail */
        break;
    }
}

Statement *plat_expand(WwPlatform *p, const Statement *statements, uint32_t n,
                       const Bindings *bindings, GError **error)
{
    Copy copy = {.p = p, .bindings = bindings, .error = error};
    Statement *out = plat_alloc(&p->arena, n * sizeof *out);
    for (uint32_t i = 0; i < n && !copy.failed; i++) {
        copy_statement(&copy, &statements[i], &out[i]);
    }
    return copy.failed ? NULL : out;
}
