/* SPDX-License-Identifier: Apache-2.0 */
/* Elaborations from outside: making one, and asking it what has which value and why. */
#include "elab-priv.h"
#include <string.h>

/* ---- making -------------------------------------------------------------------------------- */

/** Files an override under the name that its path begins with. */
static void add_global(WwElaboration *e, uint32_t i, const Override *o)
{
    e->global[i].o = o;
    bool bare = o->pattern.seg.n == 0;
    const char *name = bare ? o->pattern.param : o->pattern.seg.v[0].name;
    GHashTable *table = bare ? e->bare : e->starts;
    Starts *starts = g_hash_table_lookup(table, name);
    if (starts == NULL) {
        starts = PLAT_NEW(&e->arena, Starts);
        g_hash_table_insert(table, (gpointer)name, starts);
    }
    *VEC_ADD(&e->arena, &starts->list) = i;
}

static guint repeat_hash(gconstpointer key)
{
    const Repeat *r = key;
    return g_direct_hash(r->node) * 31 + g_direct_hash(r->group);
}

static gboolean repeat_equal(gconstpointer a, gconstpointer b)
{
    const Repeat *x = a, *y = b;
    return x->node == y->node && x->group == y->group;
}

static WwElaboration *new_elaboration(const WwPlatform *platform, const WwOverrides *overrides)
{
    WwElaboration *e = g_new0(WwElaboration, 1);
    plat_arena_init(&e->arena);
    e->platform = (WwPlatform *)platform;
    e->platform->refs++;
    e->registry = platform->registry;
    e->path = g_string_new(NULL);
    e->starts = g_hash_table_new(g_str_hash, g_str_equal);
    e->bare = g_hash_table_new(g_str_hash, g_str_equal);
    e->repeats = g_hash_table_new(repeat_hash, repeat_equal);
    for (uint32_t i = 0; i < platform->sources.list.n; i++) {
        *VEC_ADD(&e->arena, &e->sources.list) = platform->sources.list.v[i];
    }
    if (overrides == NULL) {
        return e;
    }
    e->overrides = (WwOverrides *)overrides;
    e->overrides->refs++;
    for (uint32_t i = 0; i < overrides->sources.list.n; i++) {
        *VEC_ADD(&e->arena, &e->sources.list) = overrides->sources.list.v[i];
    }
    e->n_globals = overrides->list.n;
    e->global = plat_alloc(&e->arena, e->n_globals * sizeof(Global));
    for (uint32_t i = 0; i < e->n_globals; i++) {
        add_global(e, i, &overrides->list.v[i]);
    }
    return e;
}

void ww_elaboration_free(WwElaboration *e)
{
    if (e == NULL) {
        return;
    }
    for (uint32_t i = 0; i < e->n_globals; i++) {
        g_clear_error(&e->global[i].pending);
        g_clear_pointer(&e->global[i].owners, g_hash_table_unref);
    }
    g_string_free(e->path, true);
    g_hash_table_unref(e->starts);
    g_hash_table_unref(e->bare);
    g_hash_table_unref(e->repeats);
    ww_platform_free(e->platform);
    ww_overrides_free(e->overrides);
    plat_arena_clear(&e->arena);
    g_free(e);
}

WwMachine *ww_platform_elaborate(const WwPlatform *platform, const WwOverrides *overrides,
                                 WwElaboration **elaboration, GError **error)
{
    g_autoptr(WwElaboration) e = new_elaboration(platform, overrides);
    if (!elab_root(e, error)) {
        return NULL;
    }
    WwMachine *machine = elab_build(e, error);
    if (machine != NULL && elaboration != NULL) {
        *elaboration = g_steal_pointer(&e);
    }
    return machine;
}

/* ---- walking ------------------------------------------------------------------------------- */

/** One element of the path to a node. */
typedef struct Frame {
    const char *name;
    bool array;
    uint32_t count, start, end;
} Frame;

typedef struct Walk {
    const WwElaboration *e;
    Frame frame[PLAT_MAX_DEPTH + 1];
    uint32_t n;
    void (*visit)(struct Walk *walk, const Node *node);
    void *user;
} Walk;

static void walk(Walk *w, const Node *node)
{
    w->visit(w, node);
    for (uint32_t i = 0; i < node->slots.n; i++) {
        w->frame[w->n++] = (Frame){.name = node->slots.v[i].name, .count = 1, .end = 1};
        walk(w, node->slots.v[i].node);
        w->n--;
    }
    for (uint32_t i = 0; node->composite != NULL && i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        for (uint32_t k = 0; k < part->runs.n; k++) {
            const Run *run = &part->runs.v[k];
            w->frame[w->n++] = (Frame){
                .name = part->member->name,
                .array = part->array,
                .count = part->count,
                .start = run->start,
                .end = run->end,
            };
            walk(w, run->node);
            w->n--;
        }
    }
}

static void visit_paths(Walk *w, const Node *node)
{
    GPtrArray *out = w->user;
    GString *path = g_string_new(NULL);
    for (uint32_t i = 0; i < w->n; i++) {
        g_string_append_printf(path, "%s.", w->frame[i].name);
    }
    for (uint32_t i = 0; i < node->n_params; i++) {
        g_ptr_array_add(out, g_strconcat(path->str, elab_row(node, i)->name, NULL));
    }
    g_string_free(path, true);
}

void elab_param_paths(const WwElaboration *e, GPtrArray *out)
{
    Walk w = {.e = e, .visit = visit_paths, .user = out};
    walk(&w, e->root);
}

typedef struct Gone {
    const Pattern *pattern;
    const char *now;
} Gone;

static bool pattern_matches(const Walk *w, const Pattern *p, bool whole);

static void visit_gone(Walk *w, const Node *node)
{
    Gone *gone = w->user;
    if (gone->now == NULL && node->type != NULL && pattern_matches(w, gone->pattern, false)) {
        gone->now = ww_type_gone(node->type, gone->pattern->param);
    }
}

const char *elab_gone(const WwElaboration *e, const Pattern *pattern)
{
    Gone gone = {.pattern = pattern};
    Walk w = {.e = e, .visit = visit_gone, .user = &gone};
    walk(&w, e->root);
    return gone.now;
}

/* ---- settings ------------------------------------------------------------------------------ */

bool elab_setting_value(WwElaboration *e, const Node *node, uint32_t i, WwValue *out)
{
    const Setting *s = &node->setting[i];
    if (s->cause != NULL) {
        *out = s->value;
        return true;
    }
    /* a type's default: the registry has checked that it parses */
    const WwParamRow *row = elab_row(node, i);
    WwValue v;
    if (row->def == NULL || !ww_value_parse(row, row->def, &v, NULL)) {
        return false;
    }
    *out = v;
    if (v.kind == WW_PARAM_STRING) {
        out->s = plat_dup(&e->arena, v.s, strlen(v.s));
    } else if (v.kind == WW_PARAM_LIST && v.list.n != 0) {
        out->list.v = (const uint32_t *)(void *)plat_dup(&e->arena, (const char *)v.list.v,
                                                         v.list.n * sizeof(uint32_t));
    }
    ww_value_clear(&v);
    return true;
}

typedef struct Find {
    WwElaboration *e;
    const Pattern *pattern; /**< NULL: everything. */
    bool whole;             /**< Matches must begin at the root. */
    WwSettingFn fn;
    void *user;
    uint32_t n;
} Find;

static bool pattern_matches(const Walk *w, const Pattern *p, bool whole)
{
    if (p->seg.n > w->n || (whole && p->seg.n != w->n)) {
        return false;
    }
    for (uint32_t i = 0; i < p->seg.n; i++) {
        const PatternSeg *seg = &p->seg.v[i];
        const Frame *f = &w->frame[w->n - p->seg.n + i];
        if (strcmp(seg->name, f->name) != 0 ||
            (!seg->any && (!f->array || seg->from >= f->end || seg->to <= f->start))) {
            return false;
        }
    }
    return true;
}

static bool same_place(WwLocation a, WwLocation b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

const Value *elab_winner(const Node *node, uint32_t i, const Node **scope)
{
    const Cause *cause = node->setting[i].cause;
    const Param *param = node->composite != NULL ? node->composite->params.v[i] : NULL;
    const Value *value = NULL;
    *scope = node;
    if (cause == NULL) {
        return NULL;
    }
    if (param != NULL && same_place(param->at, cause->at)) {
        value = param->def;
    }
    for (uint32_t k = node->first_final != NULL ? node->first_final[i] : 0; k != 0;
         k = node->next_final[k - 1]) {
        const Item *item = &node->finals.list.v[k - 1];
        if (item->edit != NULL && same_place(item->edit->at, cause->at)) {
            value = item->edit->value;
            *scope = item->scope;
        }
    }
    return value;
}

/** Where values come from, each told once, before what it is computed from itself. */
typedef struct Origins {
    WwElaboration *e;
    GArray *out;
    GHashTable *told; /**< Settings. */
} Origins;

static void add_computed(Origins *o, const Node *node, uint32_t i, uint32_t depth);

/** Adds the parameters of @p scope that @p x names, and what they come from. */
static void add_origins(Origins *o, const Node *scope, const Expr *x, uint32_t depth)
{
    if (x == NULL) {
        return;
    }
    int i = x->kind == EXPR_NAME ? plat_param(scope->composite, x->name) : -1;
    Cause *cause = i >= 0 ? scope->setting[i].cause : NULL; /* NULL: `and`, `or` left it aside */
    if (cause != NULL && g_hash_table_add(o->told, &scope->setting[i])) {
        const WwCause *told = elab_cause(o->e, cause);
        const WwOrigin one = {
            .name = x->name, .text = told->text, .from = told->from, .depth = depth};
        g_array_append_val(o->out, one);
        add_computed(o, scope, (uint32_t)i, depth + 1);
    }
    add_origins(o, scope, x->left, depth);
    add_origins(o, scope, x->right, depth);
}

static void add_computed(Origins *o, const Node *node, uint32_t i, uint32_t depth)
{
    const Node *scope;
    const Value *value = elab_winner(node, i, &scope);
    if (value == NULL || value->text != NULL) {
        return;
    }
    add_origins(o, scope, value->expr, depth);
    for (uint32_t k = 0; k < value->list.n; k++) {
        add_origins(o, scope, value->list.v[k], depth);
    }
}

static GArray *origins(WwElaboration *e, const Node *node, uint32_t i)
{
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    Origins o = {.e = e, .out = g_array_new(false, false, sizeof(WwOrigin)), .told = told};
    add_computed(&o, node, i, 0);
    return o.out;
}

static void report_setting(Walk *w, Find *f, const Node *node, uint32_t i)
{
    const WwParamRow *row = elab_row(node, i);
    g_autoptr(GString) path = g_string_new(NULL);
    for (uint32_t k = 0; k < w->n; k++) {
        const Frame *frame = &w->frame[k];
        elab_append_element(path, frame->name, frame->array, frame->count, frame->start,
                            frame->end);
    }
    g_string_append_printf(path, "%s%s", path->len != 0 ? "." : "", row->name);
    WwValue value;
    if (!elab_setting_value(f->e, node, i, &value)) {
        return;
    }
    f->n++;
    if (f->fn == NULL) {
        return;
    }
    g_autofree char *text = ww_value_text(row, &value);
    g_autoptr(GArray) where = f->pattern != NULL ? origins(f->e, node, i) : NULL;
    WwSettingInfo info = {
        .path = path->str,
        .owner = elab_owner(node),
        .row = row,
        .value = &value,
        .text = text,
        .cause =
            elab_cause(f->e, node->setting[i].cause != NULL ? node->setting[i].cause
                                                            : elab_type_default(f->e, node, i)),
        .where = where != NULL ? (const WwOrigin *)(void *)where->data : NULL,
        .n_where = where != NULL ? where->len : 0,
        .composite = node->composite != NULL,
        .unused = node->composite != NULL && !node->setting[i].read,
    };
    f->fn(f->user, &info);
}

static void visit_settings(Walk *w, const Node *node)
{
    Find *f = w->user;
    if (f->pattern != NULL && !pattern_matches(w, f->pattern, f->whole)) {
        return;
    }
    if (f->pattern != NULL) {
        int i = elab_find_param(node, f->pattern->param);
        if (i >= 0) {
            report_setting(w, f, node, (uint32_t)i);
        }
        return;
    }
    for (uint32_t i = 0; i < node->n_params; i++) {
        report_setting(w, f, node, i);
    }
}

/** Calls @p fn for what matches: from the root if anything does so, else by suffix. */
static uint32_t find(WwElaboration *e, const Pattern *pattern, WwSettingFn fn, void *user)
{
    Find f = {.e = e, .pattern = pattern, .whole = true};
    Walk w = {.e = e, .visit = visit_settings, .user = &f};
    if (pattern != NULL) {
        walk(&w, e->root);
        f.whole = f.n != 0;
    }
    f.fn = fn;
    f.user = user;
    f.n = 0;
    walk(&w, e->root);
    return f.n;
}

uint32_t ww_elaboration_each(const WwElaboration *elaboration, const char *pattern, WwSettingFn fn,
                             void *user)
{
    WwElaboration *e = (WwElaboration *)elaboration;
    Pattern p;
    const char *why = NULL;
    size_t column = 0;
    if (pattern != NULL && !plat_pattern_parse(&e->arena, pattern, &p, &why, &column)) {
        return 0;
    }
    return find(e, pattern != NULL ? &p : NULL, fn, user);
}

/** As ww_elaboration_each(), but an error when nothing matches. */
static bool find_some(WwElaboration *e, const char *path, WwSettingFn fn, void *user,
                      GError **error)
{
    Pattern p;
    const char *why = NULL;
    size_t column = 0;
    if (!plat_pattern_parse(&e->arena, path, &p, &why, &column)) {
        return ww_fail(error, WW_ERROR_USAGE, "bad path '%s': %s", path, why);
    }
    if (find(e, &p, fn, user) != 0) {
        return true;
    }
    const char *now = elab_gone(e, &p);
    if (now != NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "'%s' is no parameter any more: %s; expected none",
                       path, now);
    }
    return plat_fail(NULL, WW_ERROR_USAGE, (WwLocation){0}, elab_near_param(e, &p), error,
                     "no parameter matches '%s'; expected the path of one", path);
}

typedef struct Same {
    const WwElaboration *e;
    WwValue *value;
    char *text, *path, *other;
} Same;

static void same_value(void *user, const WwSettingInfo *s)
{
    Same *same = user;
    if (same->text == NULL) {
        same->value = PLAT_NEW((Arena *)&same->e->arena, WwValue);
        *same->value = *s->value;
        same->text = g_strdup(s->text);
        same->path = g_strdup(s->path);
    } else if (same->other == NULL && strcmp(same->text, s->text) != 0) {
        same->other = g_strdup_printf("%s = %s", s->path, s->text);
    }
}

const WwValue *ww_elaboration_value(const WwElaboration *e, const char *path, GError **error)
{
    Same same = {.e = e};
    bool ok = find_some((WwElaboration *)e, path, same_value, &same, error);
    if (ok && same.other != NULL) {
        ok = ww_fail(error, WW_ERROR_USAGE,
                     "'%s' has several values: %s = %s and %s; expected a longer path", path,
                     same.path, same.text, same.other);
    }
    g_free(same.text);
    g_free(same.path);
    g_free(same.other);
    return ok ? same.value : NULL;
}

static void append_why(void *user, const WwSettingInfo *s)
{
    GString *out = user;
    g_string_append_printf(out, "%s = %s    (%s)\n    from %s\n", s->path, s->text, s->owner,
                           s->cause->from);
    for (uint32_t i = 0; i < s->n_where; i++) {
        const WwOrigin *o = &s->where[i];
        g_string_append_printf(out, "    %*swhere %s = %s from %s\n", (int)MIN(o->depth, 16) * 2,
                               "", o->name, o->text, o->from);
    }
    for (const WwCause *c = s->cause->over; c != NULL; c = c->over) {
        g_string_append_printf(out, "    instead of %s from %s\n", c->text, c->from);
    }
}

char *ww_elaboration_why(const WwElaboration *e, const char *path, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    if (!find_some((WwElaboration *)e, path, append_why, out, error)) {
        return NULL;
    }
    return g_string_free(g_steal_pointer(&out), false);
}

/* ---- clashes ------------------------------------------------------------------------------- */

typedef struct Clashes {
    WwClashFn fn;
    void *user;
    GHashTable *told; /**< Edits: alike parts have one in common. */
} Clashes;

/** The path of an assignment, as its text has it. */
static char *edit_text(const Edit *edit)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < edit->path.seg.n; i++) {
        const Seg *seg = &edit->path.seg.v[i];
        const char *from = seg->from != NULL && seg->from->text != NULL ? seg->from->text : "...";
        const char *to = seg->to != NULL && seg->to->text != NULL ? seg->to->text : "...";
        g_string_append(out, seg->name);
        if (seg->index == INDEX_ALL) {
            g_string_append(out, "[*]");
        } else if (seg->index != INDEX_NONE) {
            g_string_append_printf(out, seg->index == INDEX_ONE ? "[%s]" : "[%s..%s]", from, to);
        }
        g_string_append_c(out, '.');
    }
    return g_string_free(g_string_append(out, edit->param), false);
}

static void visit_clashes(Walk *w, const Node *node)
{
    Clashes *c = w->user;
    for (uint32_t i = 0; i < node->n_params; i++) {
        const Setting *s = &node->setting[i];
        if (s->own == NULL || s->over == NULL || s->over->asked) {
            continue;
        }
        const char *says = elab_cause((WwElaboration *)w->e, s->own_cause)->text,
                   *value = elab_cause((WwElaboration *)w->e, s->cause)->text;
        if (strcmp(says, value) == 0 || !g_hash_table_add(c->told, (gpointer)s->own)) {
            continue;
        }
        g_autofree char *path = edit_text(s->own);
        WwClash clash = {.where = s->own->at,
                         .path = path,
                         .says = says,
                         .by = s->over->at.file,
                         .value = value};
        c->fn(c->user, &clash);
    }
}

void ww_elaboration_clashes(const WwElaboration *e, WwClashFn fn, void *user)
{
    Clashes c = {.fn = fn, .user = user, .told = g_hash_table_new(NULL, NULL)};
    Walk w = {.e = e, .visit = visit_clashes, .user = &c};
    walk(&w, e->root);
    g_hash_table_unref(c.told);
}

bool ww_elaboration_port(const WwElaboration *e, const char *name, WwComponent **component,
                         int *row, GError **error)
{
    const Composite *c = e->root->composite;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (uint32_t i = 0; i < c->ports.n; i++) {
        const Ends *ends = &e->root->exports[i];
        g_ptr_array_add(names, (gpointer)c->ports.v[i]->name);
        if (strcmp(c->ports.v[i]->name, name) != 0) {
            continue;
        }
        if (ends->list.n != 1) {
            return plat_fail(&e->sources, WW_ERROR_WIRING, c->ports.v[i]->at, NULL, error,
                             "port '%s' of machine '%s' has %u inner ports; expected one", name,
                             c->name, ends->list.n);
        }
        *component = e->component[ends->list.v[0].offset];
        *row = ends->list.v[0].row;
        return true;
    }
    return plat_fail(&e->sources, WW_ERROR_WIRING, c->at,
                     ww_closest(name, (const char *const *)names->pdata, names->len), error,
                     "machine '%s' has no port '%s'; expected 'port %s = ...;'", c->name, name,
                     name);
}
