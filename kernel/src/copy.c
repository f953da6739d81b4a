/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of a group: most of a GPU are the same SM and slice again and again. What a group holds stands in one piece in each of the machine's
 * lists, so that in a copy every number is the model's and some more.
 */
#include "add-priv.h"
#include <string.h>

typedef struct Copy {
    WwMachine *m;
    WwGroup *parent;
    const WwExtent *from, *to;       /* of the model */
    uint32_t group, component, part; /* what is added to the model's numbers */
    uint32_t twin; /* what the numbers of the twin are less; 0: there is none. See find_twin() */
} Copy;

WwExtent ww_machine_extent(const WwMachine *m)
{
    return (WwExtent){m->groups->len, m->info.n, m->bindings.n, m->sequence_of_parts};
}

static void copy_groups(const Copy *c, int32_t index)
{
    WwMachine *m = c->m;
    WwGroup *copies = ww_groups_take(m, c->to->groups - c->from->groups);
    for (uint32_t i = c->from->groups; i < c->to->groups; i++) {
        const WwGroup *model = m->groups->pdata[i];
        WwGroupSpec spec = model->spec;
        WwGroup *parent = c->parent;
        if (i != c->from->groups) {
            parent = m->groups->pdata[model->parent->number + c->group];
        } else {
            spec.array = index >= 0;
            spec.index = index >= 0 ? (uint32_t)index : 0;
        }
        ww_group_add(m, copies++, parent, &spec, model->name)->sequence = model->sequence + c->part;
    }
}

static void copy_component(const Copy *c, uint32_t number)
{
    WwMachine *m = c->m;
    const Info *like = ww_info(m, number);
    const WwComponent *model = like->component;
    WwGroup *group = m->groups->pdata[model->group->number + c->group];
    uint32_t sequence = like->sequence + c->part;
    const char *phase = like->phase;
    WwComponent *copy =
        ww_component_add(m, group, like->type, model, model->name, model->index, like->where);
    Info *info = ww_info(m, copy->id);
    info->sequence = sequence;
    info->phase = phase;
    if (copy->type->flags & WW_TYPE_CHANNEL) {
        WwChannel *channel = (WwChannel *)copy;
        channel->payload = ((const WwChannel *)model)->payload;
        if (c->twin != 0) {
            const WwChannel *twin = (const WwChannel *)ww_info(m, copy->id - c->twin)->component;
            channel->n_readers = twin->n_readers;
            channel->n_writers = twin->n_writers;
        }
    }
}

/* Where the counts of what is bound to component @p i begin. */
static uint32_t counts_of(const WwMachine *m, uint32_t i)
{
    return i < m->info.n ? ww_info(m, i)->bound : m->bound.n;
}

static void copy_components(const Copy *c)
{
    WwMachine *m = c->m;
    uint32_t first = m->info.n, bound = m->bound.n;
    uint32_t ports = counts_of(m, c->to->components) - counts_of(m, c->from->components);
    WW_VEC_RESERVE(&m->info, c->to->components - c->from->components);
    WW_VEC_RESERVE(&m->bound, ports);
    if (ports != 0 && c->twin == 0) {
        memset(&m->bound.v[bound], 0, ports * sizeof *m->bound.v);
    } else if (ports != 0) {
        memcpy(&m->bound.v[bound], &m->bound.v[counts_of(m, first - c->twin)],
               ports * sizeof *m->bound.v);
    }
    for (uint32_t i = c->from->components; i < c->to->components; i++) {
        copy_component(c, i);
    }
}

static void copy_bindings(const Copy *c)
{
    WwMachine *m = c->m;
    uint32_t n = c->to->bindings - c->from->bindings;
    WW_VEC_RESERVE(&m->bindings, n);
    const Info *copies = m->info.v + c->component;
    const Binding *model = &m->bindings.v[c->from->bindings];
    Binding *b = &m->bindings.v[m->bindings.n];
    for (const Binding *end = model + n; model != end; model++, b++) {
        *b = *model;
        b->component = copies[model->component->id].component;
        if (b->turn != NULL) { /* behind its component, in the copy as in the model */
            b->turn = (WwEntry *)((char *)b->component +
                                  ((char *)model->turn - (char *)model->component));
        }
        b->to += c->component;
        b->peer = copies[model->to].component;
        if (c->twin == 0) {
            ww_count_ends(m, b); /* something outside may be bound to the model */
        }
    }
    m->bindings.n += n;
}

/*
 * The twin is the last copy, of the same model, if nothing has been added since: to that nothing from outside is bound yet, so that it has as many ends
 * as the next copy will have.
 */
static uint32_t find_twin(const WwMachine *m, const WwExtent *from, const WwExtent *to)
{
    const Copied *last = m->copies.n != 0 ? &m->copies.v[m->copies.n - 1] : NULL;
    bool same = last != NULL &&
                last->from.components - last->behind.components == from->components &&
                last->to.components - last->behind.components == to->components &&
                last->to.components == m->info.n && last->to.bindings == m->bindings.n;
    return same ? to->components - from->components : 0;
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
                    .part = parts - from->parts,
                    .twin = find_twin(m, from, to)};
    copy_groups(&c, index);
    copy_components(&c);
    copy_bindings(&c);
    m->sequence_of_parts = parts + (to->parts - from->parts);
    remember(&c, &begin);
    return first;
}
