/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From nodes to a machine. This alone works per component: no text is formatted, nothing is looked
 * up, the first component of a node is the model of the others, a composite is built once and copied.
 */
#include "elab-priv.h"
#include <string.h>

/** What a host may bind besides: a trace, fakes, a counter for each SM. */
static uint32_t with_spare(uint32_t n)
{
    return n + n / 16 + 16;
}

/* The first instance of a node, which the others are copies of. */
typedef struct Made {
    const char *name;       /* as what the platform named it; NULL: there is none yet */
    WwComponent *component; /* of a type, */
    WwExtent from, to;      /* or a composite: its part of the machine, */
    uint32_t first;         /* and where its components begin in the elaboration's list */
} Made;

typedef struct Build {
    WwElaboration *e;
    WwMachine *machine;
    Made *made; /* by node */
} Build;

static bool fail_kernel(Build *b, WwLocation at, GError *why, GError **error)
{
    /* the kernel's message begins with the same place */
    g_autofree char *place = g_strdup_printf("%s:%u:%u: ", at.file, at.line, at.column);
    const char *text =
        g_str_has_prefix(why->message, place) ? why->message + strlen(place) : why->message;
    ELAB_FAIL(b->e, (WwErrorCode)why->code, at, NULL, error, "%s", text);
    g_error_free(why);
    return false;
}

static bool build_node(Build *b, const Node *node, WwGroup *group, const char *name, int32_t index,
                       WwLocation at, GError **error);

static bool build_slots(Build *b, const Node *node, WwComponent *self, WwGroup *group,
                        const char *name, int32_t index, WwLocation at, GError **error)
{
    WwGroupSpec spec = {
        .name = name, .array = index >= 0, .index = index >= 0 ? (uint32_t)index : 0, .where = at};
    WwGroup *inner = ww_machine_add_group(b->machine, group, &spec);
    for (uint32_t i = 0; i < node->slots.n; i++) {
        const Slot *slot = &node->slots.v[i];
        uint32_t first = b->e->n_components;
        GError *why = NULL;
        if (!build_node(b, slot->node, inner, slot->name, -1, slot->at, error)) {
            return false;
        }
        if (!ww_bind(self, slot->row, b->e->component[first + slot->end_offset], slot->end_row,
                     slot->at, &why)) {
            return fail_kernel(b, slot->at, why, error);
        }
    }
    return true;
}

/** The first component of a node, with its values; NULL with an error. */
static WwComponent *build_model(Build *b, const Node *node, WwGroup *group, const char *name,
                                int32_t index, WwLocation at, GError **error)
{
    WwComponent *self = ww_machine_add(b->machine, group, node->type, name, index, at);
    for (uint32_t i = 0; i < node->n_params; i++) {
        GError *why = NULL;
        if (node->setting[i].cause != NULL &&
            !ww_component_set(self, (int)i, &node->setting[i].value, &why)) {
            fail_kernel(b, at, why, error);
            return NULL;
        }
    }
    GError *lost = NULL;
    if (node->phase != NULL && !ww_component_place(self, node->phase, &lost)) {
        fail_kernel(b, node->phase_at, lost, error);
        return NULL;
    }
    b->made[node->id] = (Made){.name = name, .component = self};
    return self;
}

/* Is there an instance of that name? */
static bool is_made(const Made *made, const char *name)
{
    return made->name != NULL && (made->name == name || strcmp(made->name, name) == 0);
}

static bool build_component(Build *b, const Node *node, WwGroup *group, const char *name,
                            int32_t index, WwLocation at, GError **error)
{
    const Made *made = &b->made[node->id];
    WwComponent *self = is_made(made, name) ? ww_machine_add_like(group, made->component, index, at)
                                            : build_model(b, node, group, name, index, at, error);
    if (self == NULL) {
        return false;
    }
    b->e->component[b->e->n_components++] = self;
    return node->slots.n == 0 || build_slots(b, node, self, group, name, index, at, error);
}

/** The groups that are open around the members of one composite. */
typedef struct Open {
    const Grouping *group[PLAT_MAX_DEPTH + 1];
    WwGroup *made[PLAT_MAX_DEPTH + 1];
    uint32_t n;
} Open;

/** The kernel's group for members of @p group; made[0] is the composite's own. */
static WwGroup *open_group(Build *b, const Node *node, Open *open, const Grouping *group)
{
    uint32_t depth = group != NULL ? group->depth : 0;
    const Grouping *chain[PLAT_MAX_DEPTH + 1];
    for (const Grouping *g = group; g != NULL; g = g->parent) {
        chain[g->depth] = g;
    }
    uint32_t same = 0;
    while (same < depth && same < open->n && open->group[same + 1] == chain[same + 1]) {
        same++;
    }
    open->n = same;
    while (open->n < depth) {
        const Grouping *g = chain[open->n + 1];
        WwGroupSpec spec = {.mode = g->mode, .repeat = elab_repeat(b->e, node, g), .where = g->at};
        open->made[open->n + 1] = ww_machine_add_group(b->machine, open->made[open->n], &spec);
        open->group[++open->n] = g;
    }
    return open->made[depth];
}

static bool build_wires(Build *b, const Node *node, uint32_t first, GError **error)
{
    WwComponent **component = b->e->component + first;
    for (uint32_t i = 0; i < node->joins.n; i++) {
        const Join *j = &node->joins.v[i];
        GError *why = NULL;
        WwComponent *x = component[j->a], *y = component[j->b];
        bool ok = j->join ? ww_join(x, j->a_row, y, j->b_row, j->at, &why)
                          : ww_bind(x, j->a_row, y, j->b_row, j->at, &why);
        if (!ok) {
            fail_kernel(b, j->at, why, error);
            elab_blame_end(b->e, node, j->a, j->a_row, error);
            elab_blame_end(b->e, node, j->b, j->b_row, error);
            return false;
        }
    }
    return true;
}

static bool build_inside(Build *b, const Node *node, WwGroup *group, GError **error)
{
    uint32_t first = b->e->n_components;
    Open open = {.n = 0};
    open.made[0] = group;
    for (uint32_t i = 0; i < node->composite->members.n; i++) {
        const Part *part = &node->part[i];
        if (part->count == 0) {
            continue;
        }
        WwGroup *within = open_group(b, node, &open, part->member->group);
        for (uint32_t k = 0; k < part->runs.n; k++) {
            const Run *run = &part->runs.v[k];
            for (uint32_t at = run->start; at < run->end; at++) {
                if (!build_node(b, run->node, within, part->member->name,
                                part->array ? (int32_t)at : -1, part->member->at, error)) {
                    return false;
                }
            }
        }
    }
    return build_wires(b, node, first, error);
}

static void copy_composite(Build *b, const Node *node, WwGroup *group, int32_t index)
{
    WwElaboration *e = b->e;
    const Made *made = &b->made[node->id];
    uint32_t first = ww_machine_copy_group(group, &made->from, &made->to, index);
    for (uint32_t i = 0; i < node->n_components; i++) {
        uint32_t number = e->component[made->first + i]->id - made->from.components;
        e->component[e->n_components++] = ww_machine_component(b->machine, first + number);
    }
}

static bool build_node(Build *b, const Node *node, WwGroup *group, const char *name, int32_t index,
                       WwLocation at, GError **error)
{
    if (node->type != NULL) {
        return build_component(b, node, group, name, index, at, error);
    }
    WwGroupSpec spec = {
        .name = name,
        .array = index >= 0,
        .index = index >= 0 ? (uint32_t)index : 0,
        .gated = node->composite->gated,
        .partition = node->composite->partition,
        .where = at,
    };
    if (is_made(&b->made[node->id], name)) {
        copy_composite(b, node, group, index);
        return true;
    }
    Made made = {.name = name, .from = ww_machine_extent(b->machine), .first = b->e->n_components};
    if (!build_inside(b, node, ww_machine_add_group(b->machine, group, &spec), error)) {
        return false;
    }
    made.to = ww_machine_extent(b->machine);
    b->made[node->id] = made;
    return true;
}

/* ---- the machine --------------------------------------------------------------------------- */

bool elab_hz(WwElaboration *e, const Domain *domain, WwValue *out, GError **error)
{
    static const WwParamRow row = {
        .name = "frequency", .kind = WW_PARAM_REAL, .unit = "Hz", .min = 1, .max = 1e12};
    return elab_value(e, e->root, &row, NULL, domain->hz, out, error);
}

static bool build_domains(Build *b, const Composite *c, GError **error)
{
    ww_machine_set_clock(b->machine, c->clock != NULL && strcmp(c->clock, "accelsim") == 0
                                         ? WW_CLOCK_ACCELSIM
                                         : WW_CLOCK_EXACT);
    for (uint32_t i = 0; i < c->domains.n; i++) {
        const Domain *d = c->domains.v[i];
        WwValue hz;
        GError *why = NULL;
        if (!elab_hz(b->e, d, &hz, error)) {
            return false;
        }
        if (ww_machine_add_domain(b->machine, d->name, hz.r, &why) == NULL) {
            return fail_kernel(b, d->at, why, error);
        }
    }
    if (c->phases.n == 0) {
        return ELAB_FAIL(b->e, WW_ERROR_WIRING, c->at, NULL, error,
                         "machine '%s' has no phase; expected 'phases { NAME : DOMAIN; }', and "
                         "'domain NAME = FREQUENCY;'",
                         c->name);
    }
    for (uint32_t i = 0; i < c->phases.n; i++) {
        GError *why = NULL;
        if (!ww_machine_add_phase(b->machine, c->phases.v[i].name, c->phases.v[i].domain, &why)) {
            return fail_kernel(b, c->phases.v[i].domain_at, why, error);
        }
    }
    return true;
}

WwMachine *elab_build(WwElaboration *e, GError **error)
{
    g_autoptr(WwMachine) machine = ww_machine_new(e->registry);
    g_autofree Made *made = g_new0(Made, e->n_nodes + 1);
    Build b = {.e = e, .machine = machine, .made = made};
    e->component =
        plat_alloc(&e->arena, ((size_t)e->root->n_components + 1) * sizeof *e->component);
    e->n_components = 0;
    ww_machine_expect(machine, with_spare(e->root->n_components + e->root->n_channels),
                      with_spare(e->root->n_bindings));
    if (!build_domains(&b, e->platform->machine, error) ||
        !build_inside(&b, e->root, ww_machine_root(machine), error)) {
        return NULL;
    }
    return g_steal_pointer(&machine);
}
