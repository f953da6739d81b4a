/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `extends`: every composite becomes flat, its base's things first, then its own in the order of
 * the text. Here names of members and parameters are checked as far as that needs no values and no
 * types.
 */
#include "platform-priv.h"
#include <string.h>

static const char *near_member(WwPlatform *p, const Composite *c, const char *name)
{
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < c->members.n; i++) {
        if (c->members.v[i].name != NULL) {
            *VEC_ADD(&p->arena, &names) = c->members.v[i].name;
        }
    }
    return ww_closest(name, names.v, names.n);
}

static const char *near_param(WwPlatform *p, const Composite *c, const char *name)
{
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < c->params.n; i++) {
        *VEC_ADD(&p->arena, &names) = c->params.v[i]->name;
    }
    return ww_closest(name, names.v, names.n);
}

/** Where the text of @p c declares member @p name, which it does not have yet; NULL: nowhere. */
static const WwLocation *declared_later(const Composite *c, const char *name)
{
    for (uint32_t i = 0; i < c->statements.n; i++) {
        const Statement *s = &c->statements.v[i];
        if (s->kind == STATEMENT_MEMBER && s->member.path->seg.n == 1 &&
            strcmp(s->member.path->seg.v[0].name, name) == 0) {
            return &s->member.path->seg.v[0].at;
        }
    }
    return NULL;
}

static bool need_member(WwPlatform *p, const Composite *c, const Path *path, GError **error)
{
    const Seg *seg = &path->seg.v[0];
    if (plat_member(c, seg->name) >= 0) {
        return true;
    }
    const WwLocation *later = declared_later(c, seg->name);
    bool below = later != NULL && (later->line > seg->at.line ||
                                   (later->line == seg->at.line && later->column > seg->at.column));
    if (below) {
        return PLAT_FAIL(p, WW_ERROR_WIRING, seg->at, NULL, error,
                         "member '%s' of '%s' is declared only in %s; expected before it is used",
                         seg->name, c->name, plat_place(&p->arena, *later));
    }
    return PLAT_FAIL(p, WW_ERROR_WIRING, seg->at, near_member(p, c, seg->name), error,
                     "'%s' has no member '%s'; expected one of its members", c->name, seg->name);
}

/* ---- statements ---------------------------------------------------------------------------- */

/** A bound of a range: arithmetic over numbers, no parameters. */
static bool bound(WwPlatform *p, const Expr *e, double *out, GError **error)
{
    double a = 0, b = 0;
    switch (e->kind) {
    case EXPR_INTEGER:
        *out = (double)e->integer;
        return true;
    case EXPR_REAL:
        *out = e->real;
        return true;
    case EXPR_NEGATE:
        if (!bound(p, e->left, &a, error)) {
            return false;
        }
        *out = -a;
        return true;
    case EXPR_BINARY:
        if (!bound(p, e->left, &a, error) || !bound(p, e->right, &b, error)) {
            return false;
        }
        *out = e->op == '+' ? a + b : e->op == '-' ? a - b : a * b;
        if (e->op == '+' || e->op == '-' || e->op == '*') {
            return true;
        }
        break;
    default:
        break;
    }
    return PLAT_FAIL(p, WW_ERROR_INPUT, e->at, NULL, error,
                     "bad bound of a range; expected a number");
}

static bool apply_range(WwPlatform *p, Param *param, GError **error)
{
    if (param->min == NULL) {
        return true;
    }
    if (!bound(p, param->min, &param->row.min, error) ||
        !bound(p, param->max, &param->row.max, error)) {
        return false;
    }
    bool whole = param->row.kind != WW_PARAM_REAL;
    if (!(param->row.min <= param->row.max) || (whole && param->row.min < 0)) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, param->min->at, NULL, error,
                         "empty range; expected LEAST..MOST%s", whole ? " of at least 0" : "");
    }
    return true;
}

static bool apply_param(WwPlatform *p, Composite *c, const Composite *text, Param *param,
                        GError **error)
{
    if (!apply_range(p, param, error)) {
        return false;
    }
    int i = plat_param(c, param->name);
    if (i >= 0) {
        WwLocation other = c->params.v[i]->at;
        return PLAT_FAIL(p, WW_ERROR_INPUT, param->at, NULL, error,
                         "parameter '%s' is declared already in %s:%u; expected '%s = VALUE;' to "
                         "change its value",
                         param->name, other.file, other.line, param->name);
    }
    const IndexSet *set = plat_set(c, param->name);
    if (set != NULL && set->owner == c && text != c) { /* a base's text is right by itself */
        return PLAT_FAIL(p, WW_ERROR_INPUT, set->at, NULL, error,
                         "index set '%s' has the name of a parameter, declared in %s:%u; expected "
                         "another",
                         set->name, param->at.file, param->at.line);
    }
    if (set != NULL) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, param->at, NULL, error,
                         "parameter '%s' has the name of an index set; expected another",
                         param->name);
    }
    *VEC_ADD(&p->arena, &c->params) = param;
    return true;
}

/** A new type for an existing member, or for some of its elements. */
static bool apply_retype(WwPlatform *p, Composite *c, const Composite *text, const Statement *s,
                         const Member *old, GError **error)
{
    const Seg *seg = &s->member.path->seg.v[0];
    if (s->tail != NULL && s->tail->cond != NULL) {
        return PLAT_FAIL(
            p, WW_ERROR_INPUT, s->tail->cond_at, NULL, error,
            "a condition behind a new type of '%s', which is there already; expected none",
            seg->name);
    }
    if (s->member.group != NULL ||
        (old->owner == text && (seg->index == INDEX_NONE || old->count == NULL))) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, seg->at, NULL, error,
                         "member '%s' is declared already in %s:%u; expected a new name", seg->name,
                         old->at.file, old->at.line);
    }
    Edit *edit = PLAT_NEW(&p->arena, Edit);
    edit->path = *s->member.path;
    edit->type = s->member.type;
    edit->at = s->member.type.at;
    *VEC_ADD(&p->arena, &c->edits) = edit;
    return true;
}

/** @p s and the edits of its body, which follow. */
static bool apply_member(WwPlatform *p, Composite *c, const Composite *text, const Statement *s,
                         GError **error)
{
    const Seg *seg = &s->member.path->seg.v[0];
    int i = plat_member(c, seg->name);
    if (i >= 0) {
        return apply_retype(p, c, text, s, &c->members.v[i], error);
    }
    if (seg->index > INDEX_ONE) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, seg->at, near_member(p, c, seg->name), error,
                         "there is no member '%s' yet; expected NAME : TYPE or NAME[COUNT] : TYPE",
                         seg->name);
    }
    *VEC_ADD(&p->arena, &c->members) = (Member){
        .name = seg->name,
        .at = seg->at,
        .count = seg->from,
        .cond = s->tail != NULL ? s->tail->cond : NULL,
        .type = s->member.type,
        .group = s->member.group,
        .owner = text,
    };
    /* its body speaks of all elements: [COUNT] was not an index */
    for (uint32_t k = 1; k <= s->member.n_body; k++) {
        Edit *edit = s[k].edit;
        edit->path.seg.v[0].index = INDEX_NONE;
        edit->path.seg.v[0].from = NULL;
    }
    return true;
}

static bool apply_edit(WwPlatform *p, Composite *c, Edit *edit, GError **error)
{
    if (edit->path.seg.n == 0) {
        if (plat_param(c, edit->param) < 0 && plat_member(c, edit->param) >= 0) {
            return PLAT_FAIL(p, WW_ERROR_USAGE, edit->at, NULL, error,
                             "'%s' is a member, no parameter; expected '%s : TYPE'", edit->param,
                             edit->param);
        }
        if (plat_param(c, edit->param) < 0) {
            return PLAT_FAIL(p, WW_ERROR_USAGE, edit->at, near_param(p, c, edit->param), error,
                             "'%s' has no parameter '%s'; expected one of its parameters", c->name,
                             edit->param);
        }
    } else if (!need_member(p, c, &edit->path, error)) {
        return false;
    }
    *VEC_ADD(&p->arena, &c->edits) = edit;
    return true;
}

static bool apply_port(WwPlatform *p, Composite *c, const Composite *text, Boundary *port,
                       GError **error)
{
    port->owner = text;
    for (uint32_t i = 0; i < port->ends.n; i++) {
        if (!need_member(p, c, &port->ends.v[i], error)) {
            return false;
        }
    }
    int i = plat_port(c, port->name);
    if (i >= 0) {
        if (c->ports.v[i]->owner == text) {
            return PLAT_FAIL(
                p, WW_ERROR_INPUT, port->at, NULL, error,
                "port '%s' is declared twice; expected once, several inner ports with ',' between",
                port->name);
        }
        c->ports.v[i] = port;
        return true;
    }
    *VEC_ADD(&p->arena, &c->ports) = port;
    return true;
}

static bool apply_domain(WwPlatform *p, Composite *c, const Composite *text, Domain *domain,
                         GError **error)
{
    domain->owner = text;
    for (uint32_t i = 0; i < c->domains.n; i++) {
        if (strcmp(c->domains.v[i]->name, domain->name) == 0) {
            if (c->domains.v[i]->owner == text) {
                return PLAT_FAIL(p, WW_ERROR_INPUT, domain->at, NULL, error,
                                 "clock domain '%s' is declared twice; expected once",
                                 domain->name);
            }
            c->domains.v[i] = domain;
            return true;
        }
    }
    if (c->domains.n == PLAT_MAX_DOMAINS) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, domain->at, NULL, error,
                         "more than %u clock domains; expected fewer", PLAT_MAX_DOMAINS);
    }
    *VEC_ADD(&p->arena, &c->domains) = domain;
    return true;
}

/** Does @p path start with the names of @p head? */
static bool starts_with(const Path *path, const Path *head)
{
    if (path->seg.n < head->seg.n) {
        return false;
    }
    for (uint32_t i = 0; i < head->seg.n; i++) {
        if (strcmp(path->seg.v[i].name, head->seg.v[i].name) != 0) {
            return false;
        }
    }
    return true;
}

static uint32_t remove_wires(WwPlatform *p, Composite *c, const Path *path)
{
    uint32_t n = 0, before = c->wires.n;
    for (uint32_t i = 0; i < before; i++) {
        const Wire *w = c->wires.v[i];
        if (!starts_with(&w->left, path) && !starts_with(&w->right, path)) {
            c->wires.v[n++] = w;
        } else {
            *VEC_ADD(&p->arena, &c->cuts) = (Cut){w, &path->seg.v[0]};
        }
    }
    c->wires.n = n;
    return before - n;
}

/**
 * Ports that export something removed go too: what was wired to them outside is then an error
 * there.
 */
static uint32_t remove_ports(WwPlatform *p, Composite *c, const Path *path)
{
    uint32_t n = 0, before = c->ports.n;
    for (uint32_t i = 0; i < before; i++) {
        bool hit = false;
        for (uint32_t k = 0; k < c->ports.v[i]->ends.n; k++) {
            hit = hit || starts_with(&c->ports.v[i]->ends.v[k], path);
        }
        if (!hit) {
            c->ports.v[n++] = c->ports.v[i];
        } else {
            *VEC_ADD(&p->arena, &c->gone) = (Taken){c->ports.v[i]->name, &path->seg.v[0]};
        }
    }
    c->ports.n = n;
    if (n != before) {
        g_clear_pointer(&c->port_index.at, g_hash_table_unref);
    }
    return before - n;
}

static bool apply_remove(WwPlatform *p, Composite *c, const Path *path, GError **error)
{
    if (!need_member(p, c, path, error)) {
        return false;
    }
    p->looked += c->wires.n + c->ports.n + c->edits.n;
    if (p->looked > PLAT_MAX_REMOVED) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, path->seg.v[0].at, NULL, error,
                         "too many 'remove' in large composites; expected fewer");
    }
    uint32_t gone = remove_wires(p, c, path) + remove_ports(p, c, path);
    if (path->seg.n == 2) {
        const Seg *port = &path->seg.v[1];
        return gone != 0 ||
               PLAT_FAIL(p, WW_ERROR_WIRING, port->at, NULL, error,
                         "no wire and no boundary port touches %s.%s; expected one that is wired",
                         path->seg.v[0].name, port->name);
    }
    uint32_t at = (uint32_t)plat_member(c, path->seg.v[0].name), n = 0;
    for (uint32_t i = 0; i < c->edits.n; i++) {
        if (!starts_with(&c->edits.v[i]->path, path)) {
            c->edits.v[n++] = c->edits.v[i];
        }
    }
    c->edits.n = n;
    if (c->member_index.at != NULL) {
        g_hash_table_remove(c->member_index.at, c->members.v[at].name);
    }
    c->members.v[at].name = NULL; /* its place goes when all is said: close_gaps() */
    c->n_removed++;
    return true;
}

static void close_gaps(Composite *c)
{
    uint32_t n = 0;
    if (c->n_removed == 0) {
        return;
    }
    for (uint32_t i = 0; i < c->members.n; i++) {
        if (c->members.v[i].name != NULL) {
            c->members.v[n++] = c->members.v[i];
        }
    }
    c->members.n = n;
    c->n_removed = 0;
    g_clear_pointer(&c->member_index.at, g_hash_table_unref);
}

/** One statement of @p text; of a member also its body's, as far as they have to know. */
static bool apply_one(WwPlatform *p, Composite *c, const Composite *text, Statement *s,
                      GError **error)
{
    switch (s->kind) {
    case STATEMENT_PARAM:
        return apply_param(p, c, text, s->param, error);
    case STATEMENT_PORT:
        return apply_port(p, c, text, s->port, error);
    case STATEMENT_DOMAIN:
        return apply_domain(p, c, text, s->domain, error);
    case STATEMENT_MEMBER:
        return apply_member(p, c, text, s, error);
    case STATEMENT_EDIT:
        return apply_edit(p, c, s->edit, error);
    case STATEMENT_REMOVE:
        return apply_remove(p, c, s->remove, error);
    case STATEMENT_WIRE:
        if (!need_member(p, c, &s->wire->left, error) ||
            !need_member(p, c, &s->wire->right, error)) {
            return false;
        }
        *VEC_ADD(&p->arena, &c->wires) = s->wire;
        return true;
    }
    return false;
}

typedef struct Apply {
    WwPlatform *p;
    Composite *c;
    const Composite *text;
    Statement *s;
    uint32_t n;     /**< Statements: one, or a member and its body. */
    Boundary *port; /**< Of all turns, when its name is the same. */
} Apply;

/** All ends of a boundary port into one. */
static bool gather_port(Apply *a, Boundary *port, GError **error)
{
    if (a->port == NULL) {
        a->port = port;
        return true;
    }
    if (strcmp(a->port->name, port->name) != 0) {
        Boundary *one = a->port;
        a->port = port;
        return apply_port(a->p, a->c, a->text, one, error);
    }
    if (port->loops->list.n != 0) {
        return PLAT_FAIL(
            a->p, WW_ERROR_INPUT, port->at, NULL, error,
            "port '%s' over an index set and over numbers; expected one kind of loop, or "
            "braces in its name",
            port->name);
    }
    for (uint32_t i = 0; i < port->ends.n; i++) {
        *VEC_ADD(&a->p->arena, &a->port->ends) = port->ends.v[i];
    }
    return true;
}

static bool apply_turn(void *user, const Bindings *bindings, GError **error)
{
    Apply *a = user;
    Statement *copies = plat_expand(a->p, a->s, a->n, bindings, error);
    if (copies == NULL) {
        return false;
    }
    if (copies->kind == STATEMENT_PORT) {
        return gather_port(a, copies->port, error);
    }
    for (uint32_t i = 0; i < a->n; i++) {
        if (!apply_one(a->p, a->c, a->text, &copies[i], error)) {
            plat_note_element(error, bindings->text);
            return false;
        }
    }
    return true;
}

/** What the text of @p text says, to @p c, which is that or extends it. */
static bool apply_text(WwPlatform *p, Composite *c, const Composite *text, GError **error)
{
    for (uint32_t i = 0; i < text->statements.n; i++) {
        Statement *s = &text->statements.v[i];
        if (s->tail == NULL || s->tail->n_sets == 0) {
            if (!apply_one(p, c, text, s, error)) {
                return false;
            }
            continue;
        }
        Apply a = {.p = p, .c = c, .text = text, .s = s, .n = 1};
        a.n += s->kind == STATEMENT_MEMBER ? s->member.n_body : 0;
        i += a.n - 1;
        if (!plat_each_turn(p, c, s->tail, c == text, apply_turn, &a, error) ||
            (a.port != NULL && !apply_port(p, c, text, a.port, error))) {
            return false;
        }
    }
    return true;
}

/* ---- composites ---------------------------------------------------------------------------- */

#define INHERIT(p, c, b, field)                                                                    \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (b)->field.n; i_++) {                                           \
            *VEC_ADD(&(p)->arena, &(c)->field) = (b)->field.v[i_];                                 \
        }                                                                                          \
    } while (0)

/** Members and what is said of them, as the base has them. */
static void inherit_inside(WwPlatform *p, Composite *c, const Composite *base)
{
    INHERIT(p, c, base, params);
    INHERIT(p, c, base, members);
    INHERIT(p, c, base, edits);
    INHERIT(p, c, base, wires);
    INHERIT(p, c, base, ports);
    INHERIT(p, c, base, domains);
}

static void inherit(WwPlatform *p, Composite *c, const Composite *base)
{
    c->base = base;
    if (c->phases.n == 0) {
        INHERIT(p, c, base, phases);
    }
    if (c->clock == NULL) {
        c->clock = base->clock;
        c->clock_at = base->clock_at;
    }
    c->doc = c->doc != NULL ? c->doc : base->doc;
    c->gated |= base->gated;
    c->partition |= base->partition;
}

static bool flatten_one(WwPlatform *p, Composite *c, uint32_t depth, GError **error);

static bool find_base(WwPlatform *p, Composite *c, uint32_t depth, GError **error)
{
    Composite *base = g_hash_table_lookup(p->by_name, c->base_name);
    if (base == NULL) {
        VEC(const char *) names = {0};
        for (uint32_t i = 0; i < p->composites.n; i++) {
            *VEC_ADD(&p->arena, &names) = p->composites.v[i]->name;
        }
        return PLAT_FAIL(p, WW_ERROR_USAGE, c->base_at, ww_closest(c->base_name, names.v, names.n),
                         error, "'%s' extends '%s', which is not declared; expected a %s", c->name,
                         c->base_name, c->machine ? "machine" : "composite");
    }
    if (base->machine != c->machine) {
        return PLAT_FAIL(
            p, WW_ERROR_USAGE, c->base_at, NULL, error, "%s '%s' extends %s '%s'; expected a %s",
            c->machine ? "machine" : "composite", c->name, base->machine ? "machine" : "composite",
            base->name, c->machine ? "machine" : "composite");
    }
    if (base->mark == 1 || depth == PLAT_MAX_DEPTH) {
        return PLAT_FAIL(
            p, WW_ERROR_USAGE, c->base_at, NULL, error,
            base->mark == 1 ? "'%s' extends itself through '%s'; expected no cycle"
                            : "'%s' extends '%s' through too many levels; expected fewer",
            base->mark == 1 ? base->name : c->name, base->mark == 1 ? c->name : base->name);
    }
    if (!flatten_one(p, base, depth + 1, error)) {
        return false;
    }
    p->copied += (uint64_t)base->params.n + base->members.n + base->edits.n + base->wires.n +
                 base->ports.n + base->sets.n;
    if (p->copied > PLAT_MAX_COPIED) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, c->base_at, NULL, error,
                         "more than %u members, wires and values are inherited; expected fewer",
                         PLAT_MAX_COPIED);
    }
    inherit(p, c, base);
    return true;
}

/** With other index sets what the bases say is something else: it is said anew. */
static bool apply_bases(WwPlatform *p, Composite *c, const Composite *base, GError **error)
{
    if (base == NULL) {
        return true;
    }
    p->copied += base->statements.n;
    if (p->copied > PLAT_MAX_COPIED) {
        return PLAT_FAIL(p, WW_ERROR_INPUT, c->base_at, NULL, error,
                         "more than %u members, wires and values are inherited; expected fewer",
                         PLAT_MAX_COPIED);
    }
    return apply_bases(p, c, base->base, error) && apply_text(p, c, base, error);
}

static bool flatten_one(WwPlatform *p, Composite *c, uint32_t depth, GError **error)
{
    if (c->mark == 2) {
        return true;
    }
    c->mark = 1;
    if (c->base_name != NULL && !find_base(p, c, depth, error)) {
        return false;
    }
    if (!plat_declare_sets(p, c, error)) {
        return false;
    }
    if (c->indexes.n == 0 && c->base != NULL) {
        inherit_inside(p, c, c->base);
    } else if (!apply_bases(p, c, c->base, error)) {
        return false;
    }
    if (!apply_text(p, c, c, error)) {
        return false;
    }
    close_gaps(c);
    c->mark = 2;
    return true;
}

bool plat_flatten(WwPlatform *p, GError **error)
{
    for (uint32_t i = 0; i < p->composites.n; i++) {
        if (!flatten_one(p, p->composites.v[i], 0, error)) {
            return false;
        }
    }
    return true;
}
