/* SPDX-License-Identifier: Apache-2.0 */
/* From flat composites to nodes: every distinct part is evaluated once. */
#include "elab-priv.h"
#include <string.h>

enum { FEW_NAMES = 8 };

void elab_append_element(GString *out, const char *name, bool array, uint32_t count, uint32_t start,
                         uint32_t end)
{
    if (out->len != 0) {
        g_string_append_c(out, '.');
    }
    g_string_append(out, name);
    if (!array) {
        return;
    }
    if (end - start == count) {
        g_string_append(out, "[*]");
    } else if (end - start == 1) {
        g_string_append_printf(out, "[%u]", start);
    } else {
        g_string_append_printf(out, "[%u..%u]", start, end);
    }
}

static bool new_node(WwElaboration *e, const WwType *type, const Composite *composite,
                     WwLocation at, Node **out, GError **error)
{
    if (++e->n_nodes > PLAT_MAX_PARTS) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, at, NULL, error,
                         "more than %u different parts; expected arrays of alike elements",
                         PLAT_MAX_PARTS);
    }
    Node *node = PLAT_NEW(&e->arena, Node);
    node->id = e->n_nodes;
    node->type = type;
    node->composite = composite;
    node->at = at;
    if (type != NULL) {
        const WwParamRow *row;
        for (WW_ROWS(type->params, row)) {
            node->n_params++;
        }
    } else {
        node->n_params = composite->params.n;
    }
    node->setting = plat_alloc(&e->arena, node->n_params * sizeof(Setting));
    *out = node;
    return true;
}

static int by_global(const void *a, const void *b)
{
    uint32_t x = ((const Item *)a)->global, y = ((const Item *)b)->global;
    return x < y ? -1 : x > y;
}

/** The overrides without a path match at every node. They go between the others, by precedence. */
static void add_bare_globals(WwElaboration *e, Node *node)
{
    bool root = node == e->root;
    uint32_t before = node->finals.list.n, first = before;
    if (g_hash_table_size(e->bare) == 0) {
        return;
    }
    for (uint32_t i = 0; i < node->n_params; i++) {
        const Starts *starts = g_hash_table_lookup(e->bare, elab_row(node, i)->name);
        for (uint32_t k = 0; starts != NULL && k < starts->list.n; k++) {
            uint32_t g = starts->list.v[k];
            if (root || !e->global[g].anchored_only) {
                *VEC_ADD(&e->arena, &node->finals.list) = (Item){.global = g, .anchored = root};
            }
        }
    }
    while (first > 0 && node->finals.list.v[first - 1].edit == NULL) {
        first--;
    }
    if (node->finals.list.n != before) {
        qsort(node->finals.list.v + first, node->finals.list.n - first, sizeof(Item), by_global);
    }
}

/** Files the items that end at @p node under the parameters that they set. */
static void sort_finals(WwElaboration *e, Node *node)
{
    uint32_t n = node->finals.list.n;
    if (n == 0) {
        return;
    }
    node->first_final = plat_alloc(&e->arena, node->n_params * sizeof *node->first_final);
    node->next_final = plat_alloc(&e->arena, n * sizeof *node->next_final);
    for (uint32_t k = n; k-- > 0;) {
        const Item *item = &node->finals.list.v[k];
        int i =
            elab_find_param(node, item->edit != NULL ? item->edit->param
                                                     : e->global[item->global].o->pattern.param);
        if (i >= 0) {
            node->next_final[k] = node->first_final[i];
            node->first_final[i] = k + 1;
        }
    }
}

/**
 * A value of a file for a member whose type a parameter chose may speak of another type of the
 * family: a config keeps its DRAM timing while a platform or `-s` puts a simpler DRAM there. Then
 * it is left aside; so is what the reference's options say, their built-in values without a line
 * included. What is said on the command line must fit.
 */
static bool meant_for_another(WwElaboration *e, const Node *node, const TypeRef *ref,
                              const Item *item)
{
    if (item->edit != NULL || node->type == NULL || ref == NULL || !ref->param) {
        return false; /* without an edit it is of a global */
    }
    Global *g = &e->global[item->global];
    bool commanded = g->o->at.line == 0 && !g->o->translated;
    if (commanded || elab_find_param(node, g->o->pattern.param) >= 0) {
        return false;
    }
    size_t n;
    const WwType *const *types = ww_registry_types(e->registry, &n);
    for (size_t i = 0; i < n; i++) {
        if (g_strcmp0(types[i]->family, node->type->family) == 0 &&
            ww_type_param(types[i], g->o->pattern.param) >= 0) {
            (*(item->anchored ? &g->n_anchored : &g->n_floating))++;
            return true;
        }
    }
    return false;
}

/* What a name that is none of these should have been: few are told, where none is near. */
static char *expected_names(const char *const *names, size_t n, const char *near)
{
    GString *list = g_string_new(n == 0 ? "none: it has no parameters" : NULL);
    if (near != NULL || n > FEW_NAMES) {
        g_string_append(list, "one of its parameters");
        n = 0;
    }
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    return g_string_free(list, false);
}

/* Does @p name stand for something in @p node that has a type, and no value? */
static bool is_slot(const Node *node, const char *name)
{
    if (node->composite != NULL) {
        return plat_member(node->composite, name) >= 0;
    }
    int i = ww_type_port(node->type, name);
    return i >= 0 && node->type->ports[i].role == WW_REQUIRES;
}

/** @p edit is of a parameter that @p node does not have: says what it may have meant. */
static bool no_parameter(WwElaboration *e, const Node *node, const Edit *edit, GError **error)
{
    const char *now = node->type != NULL ? ww_type_gone(node->type, edit->param) : NULL;
    if (now != NULL) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, edit->at, NULL, error,
                         "component type '%s' has no parameter '%s' any more: %s; expected none",
                         elab_owner(node), edit->param, now);
    }
    if (is_slot(node, edit->param)) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, edit->at, NULL, error,
                         "'%s' is %s, no parameter; expected '%s : TYPE'", edit->param,
                         node->type != NULL ? "a port that a component fills" : "a member",
                         edit->param);
    }
    VEC(const char *) names = {0};
    for (uint32_t k = 0; k < node->n_params; k++) {
        *VEC_ADD(&e->arena, &names) = elab_row(node, k)->name;
    }
    const char *near = ww_closest(edit->param, names.v, names.n);
    g_autofree char *expected = expected_names(names.v, names.n, near);
    return ELAB_FAIL(e, WW_ERROR_USAGE, edit->at, near, error,
                     "%s '%s' has no parameter '%s'; expected %s",
                     node->type != NULL ? "component type" : "composite", elab_owner(node),
                     edit->param, expected);
}

/** Sorts what reached @p node: what ends here, and what goes on. */
static bool take_items(WwElaboration *e, Node *node, const TypeRef *ref, const Items *items,
                       uint32_t first, Items *outer, GError **error)
{
    if (node->composite != NULL) {
        for (uint32_t i = 0; i < node->composite->edits.n; i++) {
            const Edit *edit = node->composite->edits.v[i];
            if (edit->path.seg.n == 0) {
                *VEC_ADD(&e->arena, &node->finals.list) = (Item){.edit = edit, .scope = node};
            }
        }
    }
    for (uint32_t i = 0; i < items->list.n; i++) {
        const Item *item = &items->list.v[i];
        if (item->edit != NULL && i < first) {
            continue;
        }
        uint32_t n =
            item->edit != NULL ? item->edit->path.seg.n : e->global[item->global].o->pattern.seg.n;
        if (item->pos < n) {
            *VEC_ADD(&e->arena, &outer->list) = *item;
            continue;
        }
        if (item->edit != NULL && item->edit->param == NULL) { /* the type, already taken */
            continue;
        }
        if (meant_for_another(e, node, ref, item)) {
            continue;
        }
        if (item->edit != NULL && elab_find_param(node, item->edit->param) < 0) {
            return no_parameter(e, node, item->edit, error);
        }
        *VEC_ADD(&e->arena, &node->finals.list) = *item;
    }
    add_bare_globals(e, node);
    sort_finals(e, node);
    return true;
}

static bool evaluate_params(WwElaboration *e, Node *node, GError **error)
{
    for (uint32_t i = 0; i < node->n_params; i++) {
        if (node->composite == NULL && node->finals.list.n == 0 &&
            node->type->params[i].def != NULL) {
            continue;
        }
        if (!elab_param(e, node, i, error)) {
            return false;
        }
    }
    return true;
}

static bool evaluate(WwElaboration *e, Node *parent, const TypeRef *base, const Items *items,
                     WwLocation at, Node **out, GError **error);

/** What @p node stands for is built once for each instance: counted before, also what is empty. */
static bool check_limit(WwElaboration *e, uint64_t n, const Node *node, WwLocation at,
                        GError **error)
{
    return n <= e->platform->limit ||
           ELAB_FAIL(e, WW_ERROR_WIRING, at, NULL, error,
                     "%" G_GUINT64_FORMAT " components and composites in '%s'; expected at most %u",
                     n, elab_owner(node), e->platform->limit);
}

/* ---- components ---------------------------------------------------------------------------- */

static bool is_slot_edit(const Item *item)
{
    return item->edit != NULL && item->edit->param == NULL &&
           item->pos + 1 == item->edit->path.seg.n;
}

static Slot *find_slot(Node *node, const char *name)
{
    for (uint32_t i = 0; i < node->slots.n; i++) {
        if (strcmp(node->slots.v[i].name, name) == 0) {
            return &node->slots.v[i];
        }
    }
    return NULL;
}

static bool fail_slot(WwElaboration *e, const Node *node, const Seg *seg, GError **error)
{
    VEC(const char *) names = {0};
    const WwPortRow *row;
    for (WW_ROWS(node->type->ports, row)) {
        if (row->role == WW_REQUIRES) {
            *VEC_ADD(&e->arena, &names) = row->name;
        }
    }
    int port = ww_type_port(node->type, seg->name);
    if (port >= 0 && node->type->ports[port].role == WW_REQUIRES) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "nothing fills slot '%s'; expected '%s : TYPE' before", seg->name,
                         seg->name);
    }
    return ELAB_FAIL(
        e, WW_ERROR_WIRING, seg->at, ww_closest(seg->name, names.v, names.n), error,
        "component type '%s' has no slot '%s'; expected a port that requires an interface",
        node->type->name, seg->name);
}

static bool find_slots(WwElaboration *e, Node *node, const Items *outer, GError **error)
{
    for (uint32_t i = 0; i < outer->list.n; i++) {
        const Item *item = &outer->list.v[i];
        if (item->edit == NULL) {
            continue;
        }
        const Seg *seg = &item->edit->path.seg.v[item->pos];
        if (find_slot(node, seg->name) != NULL) {
            continue;
        }
        int row = ww_type_port(node->type, seg->name);
        if (!is_slot_edit(item) || row < 0 || node->type->ports[row].role != WW_REQUIRES) {
            return fail_slot(e, node, seg, error);
        }
        *VEC_ADD(&e->arena, &node->slots) = (Slot){.name = seg->name, .row = row, .at = seg->at};
    }
    return true;
}

/** What of a composite in a slot provides the interface: its boundary port of the slot's name. */
static bool slot_end(WwElaboration *e, Slot *slot, GError **error)
{
    slot->end_row = -1;
    if (slot->node->type != NULL) {
        return true;
    }
    const Composite *c = slot->node->composite;
    int i = plat_port(c, slot->name);
    if (i >= 0 && slot->node->exports[i].list.n == 1) {
        slot->end_offset = slot->node->exports[i].list.v[0].offset;
        slot->end_row = slot->node->exports[i].list.v[0].row;
        return true;
    }
    return ELAB_FAIL(e, WW_ERROR_WIRING, slot->at, NULL, error,
                     "composite '%s' in slot '%s' has no boundary port of that name with one end; "
                     "expected 'port %s = ...;'",
                     c->name, slot->name, slot->name);
}

static bool evaluate_component(WwElaboration *e, Node *node, const Items *outer, GError **error)
{
    if (!evaluate_params(e, node, error) || !find_slots(e, node, outer, error)) {
        return false;
    }
    uint64_t n = 1, groups = node->slots.n != 0;
    for (uint32_t i = 0; i < node->slots.n; i++) {
        Slot *slot = &node->slots.v[i];
        Splits splits = {0};
        if (!elab_split(e, node, NULL, outer, slot->name, &(Extent){.count = 1, .size = 1},
                        slot->at, &splits, error)) {
            return false;
        }
        size_t length = e->path->len;
        elab_append_element(e->path, slot->name, false, 1, 0, 1);
        if (!evaluate(e, NULL, NULL, &splits.list.v[0].items, slot->at, &slot->node, error) ||
            !slot_end(e, slot, error)) {
            return false;
        }
        g_string_truncate(e->path, length);
        n += slot->node->n_components;
        groups += slot->node->n_groups;
        node->n_bindings += slot->node->n_bindings + 1;
        node->n_channels += slot->node->n_channels;
    }
    node->n_components = (uint32_t)n;
    node->n_groups = (uint32_t)groups;
    return check_limit(e, n + groups, node, node->at, error);
}

/* ---- composites ---------------------------------------------------------------------------- */

static bool evaluate_part(WwElaboration *e, Node *node, const Items *own, const Items *outer,
                          Part *part, uint64_t *total, uint64_t *groups, GError **error)
{
    const Member *member = part->member;
    int64_t count = 1;
    part->array = member->count != NULL || member->cond != NULL;
    bool there = false;
    if (!elab_condition(e, node, NULL, member->cond, &there, error)) {
        return false;
    }
    if (!there) {
        count = 0;
    } else if (member->count != NULL && !elab_count(e, node, NULL, member->count, 0, PLAT_MAX_ARRAY,
                                                    "number of elements", &count, error)) {
        return false;
    }
    part->count = (uint32_t)count;
    Splits splits = {0};
    Extent extent = {.array = part->array,
                     .count = part->count,
                     .node = node,
                     .expr = member->count,
                     .size = there                   ? part->count
                             : member->count != NULL ? PLAT_MAX_ARRAY
                                                     : 1};
    if (!elab_split(e, node, own, outer, member->name, &extent, member->at, &splits, error)) {
        return false;
    }
    for (uint32_t i = 0; i < splits.list.n; i++) {
        const Split *split = &splits.list.v[i];
        Run *run = VEC_ADD(&e->arena, &part->runs);
        *run = (Run){.start = split->start, .end = split->end, .offset = (uint32_t)*total};
        if (split->same != i) {
            run->node = part->runs.v[split->same].node;
        } else {
            size_t length = e->path->len;
            elab_append_element(e->path, member->name, part->array, part->count, split->start,
                                split->end);
            if (!evaluate(e, node, &member->type, &split->items, member->at, &run->node, error)) {
                return false;
            }
            g_string_truncate(e->path, length);
        }
        node->n_bindings += run->node->n_bindings * (split->end - split->start);
        node->n_channels += run->node->n_channels * (split->end - split->start);
        *total += (uint64_t)run->node->n_components * (split->end - split->start);
        *groups += (uint64_t)run->node->n_groups * (split->end - split->start);
        if (!check_limit(e, *total + *groups, node, member->at, error)) {
            return false;
        }
    }
    return true;
}

uint32_t elab_repeat(const WwElaboration *e, const Node *node, const Grouping *group)
{
    const Repeat *r = g_hash_table_lookup(e->repeats, &(Repeat){.node = node, .group = group});
    return r != NULL ? r->times : 1;
}

/** The numbers of `repeat`, once per group. */
static bool evaluate_group(WwElaboration *e, Node *node, const Grouping *group, GError **error)
{
    for (; group != NULL; group = group->parent) {
        int64_t times = 0;
        if (group->mode != WW_GROUP_REPEAT ||
            g_hash_table_contains(e->repeats, &(Repeat){.node = node, .group = group})) {
            continue;
        }
        if (!elab_count(e, node, NULL, group->repeat, 1, PLAT_MAX_ARRAY, "repeat", &times, error)) {
            return false;
        }
        Repeat *repeat = PLAT_NEW(&e->arena, Repeat);
        *repeat = (Repeat){.node = node, .group = group, .times = (uint32_t)times};
        g_hash_table_add(e->repeats, repeat);
    }
    return true;
}

/**
 * Edits from outside must name members; what a composite says of its own is checked when it is
 * flattened.
 */
static bool check_outer(WwElaboration *e, const Node *node, const Items *outer, GError **error)
{
    for (uint32_t i = 0; i < outer->list.n; i++) {
        const Item *item = &outer->list.v[i];
        if (item->edit == NULL) {
            return true;
        }
        const Seg *seg = &item->edit->path.seg.v[item->pos];
        if (plat_member(node->composite, seg->name) >= 0) {
            continue;
        }
        VEC(const char *) names = {0};
        for (uint32_t k = 0; k < node->composite->members.n; k++) {
            *VEC_ADD(&e->arena, &names) = node->composite->members.v[k].name;
        }
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, ww_closest(seg->name, names.v, names.n),
                         error, "composite '%s' has no member '%s'; expected one of its members",
                         node->composite->name, seg->name);
    }
    return true;
}

/** Counts a level; @p c NULL: a component. */
static bool enter(WwElaboration *e, const Composite *c, WwLocation at, GError **error)
{
    if (e->depth == PLAT_MAX_DEPTH) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, at, NULL, error,
                         "nested too deeply; expected at most %u levels", PLAT_MAX_DEPTH);
    }
    for (uint32_t i = 0; c != NULL && i < e->depth; i++) {
        if (e->stack[i] == c) {
            return ELAB_FAIL(e, WW_ERROR_WIRING, at, NULL, error,
                             "composite '%s' contains itself; expected no recursion", c->name);
        }
    }
    e->stack[e->depth++] = c;
    return true;
}

static bool evaluate_parts(WwElaboration *e, Node *node, const Items *own, const Items *outer,
                           GError **error)
{
    const Composite *c = node->composite;
    node->part = plat_alloc(&e->arena, c->members.n * sizeof(Part));
    uint64_t total = 0, groups = 1;
    for (uint32_t i = 0; i < c->members.n; i++) {
        node->part[i].member = &c->members.v[i];
        if (!evaluate_part(e, node, own, outer, &node->part[i], &total, &groups, error) ||
            !evaluate_group(e, node, c->members.v[i].group, error)) {
            return false;
        }
    }
    node->n_components = (uint32_t)total;
    node->n_groups = (uint32_t)groups;
    if (!elab_wires(e, node, error)) {
        return false;
    }
    for (uint32_t i = 0; i < node->joins.n; i++) {
        node->n_channels += node->joins.v[i].join;
        node->n_bindings += node->joins.v[i].join ? 2 : 1;
    }
    return true;
}

static bool evaluate_composite(WwElaboration *e, Node *node, Items *outer, GError **error)
{
    const Composite *c = node->composite;
    if (!evaluate_params(e, node, error) || !check_outer(e, node, outer, error)) {
        return false;
    }
    Items own = {0};
    for (uint32_t i = 0; i < c->edits.n; i++) {
        if (c->edits.v[i]->path.seg.n != 0) {
            *VEC_ADD(&e->arena, &own.list) = (Item){.edit = c->edits.v[i], .scope = node};
        }
    }
    elab_index(e, &own);
    elab_index(e, outer);
    bool ok = evaluate_parts(e, node, &own, outer, error);
    elab_forget_names(&own);
    elab_forget_names(outer);
    return ok;
}

/** Is the type that @p now names an extension of the one that @p old names? Errors are for later. */
static bool extends_type(WwElaboration *e, Node *now_scope, const TypeRef *now, Node *old_scope,
                         const TypeRef *old)
{
    const WwType *type;
    const Composite *ext = NULL, *base = NULL;
    g_autoptr(GError) later = NULL;
    if (old == NULL || !elab_type(e, now_scope, now, &type, &ext, &later) ||
        !elab_type(e, old_scope, old, &type, &base, &later)) {
        return false;
    }
    while (ext != NULL && ext != base) {
        ext = ext->base;
    }
    return ext != NULL;
}

/** Evaluates what @p base (NULL: the items say) and the items make of one element. */
static bool evaluate(WwElaboration *e, Node *parent, const TypeRef *base, const Items *items,
                     WwLocation at, Node **out, GError **error)
{
    const TypeRef *ref = base;
    Node *scope = parent;
    uint32_t first = 0;
    for (uint32_t i = 0; i < items->list.n; i++) {
        const Item *item = &items->list.v[i];
        if (item->edit != NULL && item->edit->param == NULL &&
            item->pos == item->edit->path.seg.n) {
            /* what was said of another type does not speak of the new one */
            first = extends_type(e, item->scope, &item->edit->type, scope, ref) ? first : i + 1;
            ref = &item->edit->type;
            scope = item->scope;
        }
    }
    const WwType *type = NULL;
    const Composite *composite = NULL;
    if (!elab_type(e, scope, ref, &type, &composite, error)) {
        return false;
    }
    elab_type_taken(scope, ref);
    if (ref->phase != NULL && type == NULL) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, ref->phase_at, NULL, error,
                         "'%s' is a composite, whose members have phases; expected no phase",
                         composite->name);
    }
    Items outer = {0};
    if (!enter(e, composite, at, error) || !new_node(e, type, composite, at, out, error) ||
        !take_items(e, *out, ref, items, first, &outer, error)) {
        return false;
    }
    (*out)->ref = ref;
    (*out)->scope = scope;
    (*out)->phase = ref->phase;
    (*out)->phase_at = ref->phase_at;
    bool ok = type != NULL ? evaluate_component(e, *out, &outer, error)
                           : evaluate_composite(e, *out, &outer, error);
    if (!ok && scope != NULL) {
        elab_blame_type(e, scope, ref, error);
    }
    e->depth--;
    return ok;
}

/* ---- the machine --------------------------------------------------------------------------- */

/** One evaluation of everything. */
static bool pass(WwElaboration *e, GError **error)
{
    const Composite *machine = e->platform->machine;
    Items none = {0}, outer = {0};
    g_string_truncate(e->path, 0);
    e->depth = e->n_nodes = e->eval_depth = e->expr_depth = 0;
    if (!new_node(e, NULL, machine, machine->at, &e->root, error)) {
        return false;
    }
    return enter(e, machine, machine->at, error) &&
           take_items(e, e->root, NULL, &none, 0, &outer, error) &&
           evaluate_composite(e, e->root, &outer, error);
}

bool elab_root(WwElaboration *e, GError **error)
{
    for (;;) {
        for (uint32_t i = 0; i < e->n_globals; i++) {
            Global *g = &e->global[i];
            g->n_anchored = g->n_floating = 0;
            g->places.n = 0;
            g->missed = NULL;
            g->owner = NULL;
            g_clear_pointer(&g->owners, g_hash_table_unref);
            g_clear_error(&g->pending);
        }
        if (!pass(e, error)) {
            return false;
        }
        /*
         * a path that begins at the root is not also meant as the end of longer ones: once more
         * without those
         */
        bool again = false;
        for (uint32_t i = 0; i < e->n_globals; i++) {
            Global *g = &e->global[i];
            if (g->n_anchored != 0 && g->n_floating != 0) {
                g->anchored_only = again = true;
            }
        }
        if (!again) {
            return elab_match_names(e, error);
        }
    }
}
