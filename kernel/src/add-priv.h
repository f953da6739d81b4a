/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Adding a component to a machine, inline: a GPU has thousands. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"
#include <string.h>

/** Parameters as @p from has them; texts and lists never change and are shared. */
static inline void ww_copy_params(const TypeInfo *t, void *to, const void *from)
{
    for (uint32_t i = 0; i < t->n_stretches; i++) {
        const Stretch *s = &t->param[i];
        memcpy((char *)to + s->offset, (const char *)from + s->offset, s->size);
    }
}

/** ww_machine_alloc() of @p size, which is a multiple of 64, while there is one thread. */
static inline void *ww_component_memory(WwMachine *m, size_t size)
{
    Room *room = &m->room;
    if (G_UNLIKELY(size > room->left)) {
        return ww_machine_alloc(m, size);
    }
    void *p = room->at;
    room->at += size;
    room->left -= size;
    return p;
}

/** A component of the type and parameters of @p like; its ports have no counts yet. @p name lives as long as the machine. */
static inline WwComponent *ww_component_add(WwMachine *m, WwGroup *group, TypeInfo *t,
                                            const void *like, const char *name, int32_t index,
                                            WwLocation where)
{
    ww_assert(!m->sealed);
    WwComponent *c = ww_component_memory(m, t->memory);
    *c = (WwComponent){
        .type = t->type,
        .machine = m,
        .entries = t->n_entries != 0 ? (WwEntry *)((char *)c + t->state) : NULL,
        .group = group,
        .name = name,
        .index = index,
        .id = m->info.n,
        .partition = t->type->flags & WW_TYPE_SERIAL ? 0 : group->partition,
    };
    *WW_VEC_ADD(&m->info) = (Info){
        .component = c,
        .type = t,
        .where = where,
        .sequence = m->sequence_of_parts++,
        .bound = m->bound.n,
    };
    ww_copy_params(t, c, like);
    m->bound.n += t->n_ports;
    t->n++;
    return c;
}
