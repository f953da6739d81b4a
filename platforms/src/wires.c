/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wires and boundary ports: from paths to offsets of components and rows of ports, once per
 * distinct composite.
 *
 * A path stands for a list of ends (an array, a boundary port of several ends). Lists of equal
 * length join end by end; a single end joins all of the other list; where one list is empty, the
 * wire vanishes: that is how optional parts are left out.
 */
#include "elab-priv.h"
#include <string.h>

const WwPortRow *elab_port_row(const WwType *type, int row)
{
    return row >= 0 ? &type->ports[row] : NULL;
}

const Run *elab_run(const Part *part, uint32_t i)
{
    uint32_t low = 0, high = part->runs.n - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (i < part->runs.v[middle].end) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return &part->runs.v[low];
}

bool elab_step(WwElaboration *e, WwLocation at, GError **error)
{
    return ++e->steps <= PLAT_MAX_STEPS ||
           ELAB_FAIL(e, WW_ERROR_WIRING, at, NULL, error,
                     "more than %u wires and indices; expected fewer", PLAT_MAX_STEPS);
}

/* ---- paths to ends ------------------------------------------------------------------------- */

/** Elements from..to-1 of @p count that @p seg selects; @p optional: a member with a condition. */
static bool select_range(WwElaboration *e, Node *node, const Vars *vars, const Seg *seg, bool array,
                         bool optional, uint32_t count, int64_t *from, int64_t *to, GError **error)
{
    *from = 0;
    *to = count;
    if (!array) {
        return seg->index == INDEX_NONE ||
               ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "'%s' is no array; expected no index", seg->name);
    }
    if (seg->index == INDEX_ALL || (seg->index == INDEX_NONE && optional)) {
        return true;
    }
    if (seg->index == INDEX_NONE) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "'%s' is an array of %u; expected %s[INDEX], %s[A..B] or %s[*]", seg->name,
                         count, seg->name, seg->name, seg->name);
    }
    if (count == 0 && seg->index == INDEX_ONE) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "'%s' has no elements here; expected %s%s, which may be none", seg->name,
                         seg->name, optional ? "" : "[*]");
    }
    char what[96];
    g_snprintf(what, sizeof what, "index of '%.40s' (which has %u elements)", seg->name, count);
    bool range = seg->index == INDEX_RANGE;
    if (!elab_count(e, node, vars, seg->from, 0, range ? count : (int64_t)count - 1, what, from,
                    error)) {
        return false;
    }
    *to = *from + 1;
    return !range || elab_count(e, node, vars, seg->to, *from, count, what, to, error);
}

/** Where and with what boundary port @p name went that the composite would have: ", which ...", or "". */
static const char *went_with(WwElaboration *e, const Composite *c, const char *name)
{
    for (; c != NULL; c = c->base) {
        for (uint32_t i = c->gone.n; i-- > 0;) {
            const Taken *gone = &c->gone.v[i];
            if (strcmp(gone->name, name) == 0) {
                return plat_printf(&e->arena, ", which went with '%s' in %s", gone->with->name,
                                   plat_place(&e->arena, gone->with->at));
            }
        }
    }
    return "";
}

static bool fail_port(WwElaboration *e, const Node *node, const Seg *seg, GError **error)
{
    e->lacks_port = true;
    VEC(const char *) names = {0};
    if (node->type != NULL) {
        const WwPortRow *row;
        for (WW_ROWS(node->type->ports, row)) {
            *VEC_ADD(&e->arena, &names) = row->name;
        }
    } else {
        for (uint32_t i = 0; i < node->composite->ports.n; i++) {
            *VEC_ADD(&e->arena, &names) = node->composite->ports.v[i]->name;
        }
    }
    g_autoptr(GString) list = g_string_new(names.n == 0 ? "none: it has no ports" : NULL);
    for (uint32_t i = 0; i < names.n && i < 12; i++) {
        g_string_append_printf(list, "%s%s", i == 0 ? "" : ", ", names.v[i]);
    }
    g_string_append(list, names.n > 12 ? ", ..." : "");
    ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, ww_closest(seg->name, names.v, names.n), error,
              "%s '%s' has no port '%s'%s; expected %s",
              node->type != NULL ? "component type" : "composite", elab_owner(node), seg->name,
              went_with(e, node->composite, seg->name), list->str);
    elab_blame(e, node->at, error);
    if (node->composite != NULL) {
        elab_blame(e, node->composite->at, error);
    }
    if (node->ref != NULL && node->scope != NULL) {
        elab_blame_type(e, node->scope, node->ref, error);
    }
    return false;
}

static bool end_of_path(WwElaboration *e, const Path *path, uint32_t at, GError **error)
{
    if (at >= path->seg.n) {
        return true;
    }
    const Seg *seg = &path->seg.v[at];
    return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                     "'%s' after a port; expected the end of the path (inner ports are reached "
                     "through boundary ports)",
                     seg->name);
}

/** Ends within component @p node: itself, a port, or something of a slot. */
static bool component_end(WwElaboration *e, const Node *node, uint32_t offset, const Path *path,
                          uint32_t at, Ends *out, GError **error)
{
    if (at == path->seg.n) {
        *VEC_ADD(&e->arena, &out->list) = (End){.offset = offset, .row = -1, .node = node};
        return true;
    }
    const Seg *seg = &path->seg.v[at];
    if (seg->index != INDEX_NONE) {
        return ELAB_FAIL(
            e, WW_ERROR_WIRING, seg->at, NULL, error,
            "index on '%s'; expected none: a port takes its peers in the order of the wires",
            seg->name);
    }
    if (at + 1 < path->seg.n) {
        uint32_t slot_offset = offset + 1;
        for (uint32_t i = 0; i < node->slots.n; i++) {
            const Slot *slot = &node->slots.v[i];
            if (strcmp(slot->name, seg->name) == 0 && slot->node->type != NULL) {
                return component_end(e, slot->node, slot_offset, path, at + 1, out, error);
            }
            slot_offset += slot->node->n_components;
        }
    }
    int row = ww_type_port(node->type, seg->name);
    if (row < 0) {
        return fail_port(e, node, seg, error);
    }
    *VEC_ADD(&e->arena, &out->list) = (End){.offset = offset, .row = row, .node = node};
    return end_of_path(e, path, at + 1, error);
}

/** Ends behind a boundary port of composite @p node. */
static bool boundary_end(WwElaboration *e, Node *scope, const Vars *vars, const Node *node,
                         uint32_t offset, const Path *path, uint32_t at, Ends *out, GError **error)
{
    if (at == path->seg.n) {
        const Seg *seg = &path->seg.v[at - 1];
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "'%s' is a composite ('%s'); expected %s.PORT", seg->name,
                         node->composite->name, seg->name);
    }
    const Seg *seg = &path->seg.v[at];
    const Composite *c = node->composite;
    int i = plat_port(c, seg->name);
    if (i < 0) {
        return fail_port(e, node, seg, error);
    }
    const Ends *ends = &node->exports[i];
    int64_t from = 0, to = ends->list.n;
    if (seg->index != INDEX_NONE &&
        !select_range(e, scope, vars, seg, true, false, ends->list.n, &from, &to, error)) {
        return false;
    }
    for (int64_t k = from; k < to; k++) {
        End end = ends->list.v[k];
        end.offset += offset;
        *VEC_ADD(&e->arena, &out->list) = end;
        if (!elab_step(e, seg->at, error)) {
            return false;
        }
    }
    return end_of_path(e, path, at + 1, error);
}

static bool resolve(WwElaboration *e, Node *node, const Vars *vars, const Path *path, Ends *out,
                    GError **error)
{
    const Seg *seg = &path->seg.v[0];
    const Part *part = &node->part[plat_member(node->composite, seg->name)];
    int64_t from = 0, to = 0;
    bool optional = part->member->count == NULL;
    if (!select_range(e, node, vars, seg, part->array, optional, part->count, &from, &to, error)) {
        elab_blame_count(e, node, part->member->count, error);
        return false;
    }
    for (int64_t i = from; i < to; i++) {
        const Run *run = elab_run(part, (uint32_t)i);
        uint32_t offset = run->offset + (uint32_t)(i - run->start) * run->node->n_components;
        bool ok = run->node->type != NULL
                      ? component_end(e, run->node, offset, path, 1, out, error)
                      : boundary_end(e, node, vars, run->node, offset, path, 1, out, error);
        if (!ok || !elab_step(e, seg->at, error)) {
            return false;
        }
    }
    return true;
}

/* ---- joining ------------------------------------------------------------------------------- */

static const char *end_text(WwElaboration *e, const Path *path, const End *end)
{
    const WwPortRow *row = elab_port_row(end->node->type, end->row);
    static const char *const roles[] = {"an IN port", "an OUT port", "a port that provides",
                                        "a port that requires"};
    const char *name = path->seg.v[path->seg.n - 1].name;
    if (row == NULL) {
        return plat_printf(&e->arena, "'%s' is %s (%s)", name,
                           (end->node->type->flags & WW_TYPE_CHANNEL) != 0 ? "a channel"
                                                                           : "a component",
                           end->node->type->name);
    }
    return plat_printf(&e->arena, "'%s' is %s %s", name, roles[row->role], row->contract->name);
}

static bool is_channel(const End *end)
{
    return end->row < 0 && (end->node->type->flags & WW_TYPE_CHANNEL) != 0;
}

static bool is_role(const End *end, WwPortRole role)
{
    const WwPortRow *row = elab_port_row(end->node->type, end->row);
    return row != NULL && row->role == role;
}

static bool fail_end(WwElaboration *e, const Node *node, const Wire *wire, bool left,
                     const End *end, GError **error)
{
    const Path *path = left ? &wire->left : &wire->right;
    const char *expected =
        wire->interface ? (left ? "a port that requires an interface before '=>'"
                                : "a component or a port that provides it after '=>'")
        : left          ? "an OUT port or a channel before '->'"
                        : "an IN port or a channel after '->'";
    bool turned = wire->interface ? is_role(end, left ? WW_PROVIDES : WW_REQUIRES)
                                  : is_role(end, left ? WW_IN : WW_OUT);
    bool other = wire->interface ? is_role(end, WW_IN) || is_role(end, WW_OUT) || is_channel(end)
                                 : is_role(end, WW_PROVIDES) || is_role(end, WW_REQUIRES);
    ELAB_FAIL(e, WW_ERROR_WIRING, path->seg.v[0].at, NULL, error, "%s; expected %s%s",
              end_text(e, path, end), expected,
              turned  ? " (turn the wire round)"
              : other ? (wire->interface ? " (tokens flow along '->')"
                                         : " (interfaces are joined by '=>')")
                      : "");
    elab_blame_end(e, node, end->offset, end->row, error);
    return false;
}

static bool add_join(WwElaboration *e, Node *node, const Wire *wire, const End *a, const End *b,
                     GError **error)
{
    Join join = {.at = wire->left.seg.v[0].at};
    if (!elab_step(e, wire->at, error)) {
        return false;
    }
    if (wire->interface) {
        if (!is_role(a, WW_REQUIRES)) {
            return fail_end(e, node, wire, true, a, error);
        }
        if (is_channel(b) || (b->row >= 0 && !is_role(b, WW_PROVIDES))) {
            return fail_end(e, node, wire, false, b, error);
        }
    } else {
        if (!is_channel(a) && !is_role(a, WW_OUT)) {
            return fail_end(e, node, wire, true, a, error);
        }
        if ((!is_channel(b) && !is_role(b, WW_IN)) || (is_channel(a) && is_channel(b))) {
            return fail_end(e, node, wire, false, b, error);
        }
        join.join = !is_channel(a) && !is_channel(b);
        if (is_channel(a)) {
            const End *swap = a; /* the component's port comes first, the channel is its peer */
            a = b;
            b = swap;
        }
    }
    join.a = a->offset;
    join.a_row = (int16_t)a->row;
    join.b = b->offset;
    join.b_row = (int16_t)b->row;
    *VEC_ADD(&e->arena, &node->joins) = join;
    return true;
}

/** What a turn of loops does. */
typedef bool (*TurnFn)(WwElaboration *e, Node *node, const Vars *vars, const void *what, Ends *out,
                       GError **error);

/* Like resolve(); that there is no such port goes to @p lacks, and the end is empty. */
static bool resolve_end(WwElaboration *e, Node *node, const Vars *vars, const Path *path, Ends *out,
                        GError **lacks, GError **error)
{
    GError *why = NULL;
    out->list.n = 0;
    e->lacks_port = false;
    if (resolve(e, node, vars, path, out, &why)) {
        return true;
    }
    out->list.n = 0;
    g_propagate_error(e->lacks_port ? lacks : error, why);
    return e->lacks_port;
}

static bool turn_wire(WwElaboration *e, Node *node, const Vars *vars, const void *what, Ends *out,
                      GError **error)
{
    const Wire *wire = what;
    Ends *left = &e->left, *right = &e->right;
    g_autoptr(GError) no_left = NULL;
    g_autoptr(GError) no_right = NULL;
    if (!resolve_end(e, node, vars, &wire->left, left, &no_left, error) ||
        !resolve_end(e, node, vars, &wire->right, right, &no_right, error)) {
        return false;
    }
    /* a type that a parameter chose may lack a port that nobody wants */
    if ((no_left != NULL && right->list.n != 0) || (no_left != NULL && no_right != NULL)) {
        g_propagate_error(error, g_steal_pointer(&no_left));
        return false;
    }
    if (no_right != NULL && left->list.n != 0) {
        g_propagate_error(error, g_steal_pointer(&no_right));
        return false;
    }
    uint32_t n = left->list.n, m = right->list.n;
    if (n != m && n > 1 && m > 1) {
        return ELAB_FAIL(
            e, WW_ERROR_WIRING, wire->at, NULL, error,
            "%u ends before the arrow and %u after it; expected as many, or one on a side", n, m);
    }
    for (uint32_t i = 0; n != 0 && m != 0 && i < MAX(n, m); i++) {
        if (!add_join(e, node, wire, &left->list.v[n == 1 ? 0 : i], &right->list.v[m == 1 ? 0 : i],
                      error)) {
            return false;
        }
    }
    return true;
}

static bool turn_port(WwElaboration *e, Node *node, const Vars *vars, const void *what, Ends *out,
                      GError **error)
{
    const Boundary *port = what;
    for (uint32_t i = 0; i < port->ends.n; i++) {
        if (!resolve(e, node, vars, &port->ends.v[i], out, error)) {
            return false;
        }
    }
    return true;
}

/** Calls @p turn for every combination of the loops' indices, the last loop fastest. */
static bool each_turn(WwElaboration *e, Node *node, const Loops *loops, uint32_t depth, Vars *vars,
                      TurnFn turn, const void *what, Ends *out, GError **error)
{
    if (depth == loops->list.n) {
        bool there = false;
        if (!elab_condition(e, node, vars, loops->cond, &there, error)) {
            return false;
        }
        return !there || turn(e, node, vars, what, out, error);
    }
    const Loop *loop = &loops->list.v[depth];
    int64_t from = 0, to = 0;
    if (!elab_count(e, node, vars, loop->from, -PLAT_MAX_ARRAY, PLAT_MAX_ARRAY,
                    "start of the range", &from, error) ||
        !elab_count(e, node, vars, loop->to, -PLAT_MAX_ARRAY, PLAT_MAX_ARRAY, "end of the range",
                    &to, error)) {
        return false;
    }
    if (plat_param(node->composite, loop->name) >= 0) {
        return ELAB_FAIL(e, WW_ERROR_INPUT, loop->at, NULL, error,
                         "index '%s' has the name of a parameter; expected another", loop->name);
    }
    vars->name[depth] = loop->name;
    vars->n = depth + 1;
    for (int64_t i = from; i < to; i++) {
        vars->value[depth] = i;
        if (!each_turn(e, node, loops, depth + 1, vars, turn, what, out, error) ||
            !elab_step(e, loop->at, error)) {
            return false;
        }
    }
    vars->n = depth;
    return true;
}

bool elab_wires(WwElaboration *e, Node *node, GError **error)
{
    const Composite *c = node->composite;
    node->exports = plat_alloc(&e->arena, c->ports.n * sizeof(Ends));
    for (uint32_t i = 0; i < c->ports.n; i++) {
        Vars vars = {0};
        if (!each_turn(e, node, c->ports.v[i]->loops, 0, &vars, turn_port, c->ports.v[i],
                       &node->exports[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->wires.n; i++) {
        Vars vars = {0};
        if (!each_turn(e, node, c->wires.v[i]->loops, 0, &vars, turn_wire, c->wires.v[i], NULL,
                       error)) {
            plat_note_element(error, c->wires.v[i]->element);
            return false;
        }
    }
    return true;
}
