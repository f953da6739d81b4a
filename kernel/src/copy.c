/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of a group: most of a GPU are the same SM and slice again and again. What a group holds stands in one piece in each of the machine's
 * lists, so that in a copy every number is the model's and some more.
 */
#include "machine-priv.h"
#include <string.h>

typedef struct Copy {
    WwMachine *m;
    WwGroup *parent;
    const WwExtent *from, *to;       /* of the model */
    uint32_t group, component, part; /* what is added to the model's numbers */
} Copy;

WwExtent ww_machine_extent(const WwMachine *m)
{
    return (WwExtent){m->groups->len, m->info.n, m->bindings.n, m->sequence_of_parts};
}

static void copy_group(const Copy *c, uint32_t number, int32_t index)
{
    const WwGroup *model = c->m->groups->pdata[number];
    WwGroupSpec spec = model->spec;
    WwGroup *parent = c->parent;
    if (number != c->from->groups) {
        parent = c->m->groups->pdata[model->parent->number + c->group];
    } else {
        spec.array = index >= 0;
        spec.index = index >= 0 ? (uint32_t)index : 0;
    }
    ww_group_new(c->m, parent, &spec, model->name)->sequence = model->sequence + c->part;
}

static void copy_component(const Copy *c, uint32_t number)
{
    WwMachine *m = c->m;
    const WwComponent *model = ww_info(m, number)->component;
    WwGroup *group = m->groups->pdata[model->group->number + c->group];
    WwComponent *copy = ww_machine_add_like(group, model, model->index, ww_info(m, number)->where);
    ww_info(m, copy->id)->sequence = ww_info(m, number)->sequence + c->part;
    if (copy->type->flags & WW_TYPE_CHANNEL) {
        ((WwChannel *)copy)->payload = ((const WwChannel *)model)->payload;
    }
}

static void copy_binding(const Copy *c, uint32_t number)
{
    WwMachine *m = c->m;
    Binding *b = WW_VEC_ADD(&m->bindings);
    *b = m->bindings.v[number];
    const WwComponent *model = b->component;
    b->component = ww_info(m, model->id + c->component)->component;
    b->turn = b->turn != NULL ? &b->component->entries[b->turn - model->entries] : NULL;
    b->to += c->component;
    b->peer = ww_info(m, b->to)->component;
    ww_count_ends(
        m, b); /* not as many as the model has: something outside may be bound to that already */
}

/* Copies in the model are part of it from now on. */
static void remember(const Copy *c, const WwExtent *from)
{
    WwMachine *m = c->m;
    while (m->copies.n != 0 &&
           m->copies.v[m->copies.n - 1].from.components >= c->from->components &&
           m->copies.v[m->copies.n - 1].to.components <= c->to->components) {
        m->copies.n--;
    }
    WwExtent to = ww_machine_extent(m);
    *WW_VEC_ADD(&m->copies) =
        (Copied){*from, to, {c->group, c->component, from->bindings - c->from->bindings, c->part}};
}

uint32_t ww_machine_copy_group(WwGroup *parent, const WwExtent *from, const WwExtent *to,
                               int32_t index)
{
    WwMachine *m = parent->machine;
    const WwExtent begin = ww_machine_extent(m);
    uint32_t first = m->info.n, parts = m->sequence_of_parts;
    const Copy c = {.m = m,
                    .parent = parent,
                    .from = from,
                    .to = to,
                    .group = m->groups->len - from->groups,
                    .component = first - from->components,
                    .part = parts - from->parts};
    for (uint32_t i = from->groups; i < to->groups; i++) {
        copy_group(&c, i, index);
    }
    for (uint32_t i = from->components; i < to->components; i++) {
        copy_component(&c, i);
    }
    for (uint32_t i = from->bindings; i < to->bindings; i++) {
        copy_binding(&c, i);
    }
    m->sequence_of_parts = parts + (to->parts - from->parts);
    remember(&c, &begin);
    return first;
}
