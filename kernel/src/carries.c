/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes through channels, as far as those know who write to them. Asked for the first time, it is worked out for all channels of
 * the machine: what is known of one goes on to those that its readers write to, until nothing is new. So neither rings nor many ways
 * to one channel cost more than channels times bits.
 */
#include "machine-priv.h"

/* Components that say what they write, each in the queue once at most: those of which an answer may have become more. */
typedef struct Todo {
    WwComponent **queue; /* a ring of as many as there are components */
    uint32_t size, head, n;
    bool *waits; /* by id */
} Todo;

static void look_again(Todo *todo, WwComponent *c)
{
    if (c->type->carries != NULL && !todo->waits[c->id]) {
        todo->waits[c->id] = true;
        todo->queue[(todo->head + todo->n++) % todo->size] = c;
    }
}

static WwComponent *take(Todo *todo)
{
    WwComponent *c = todo->queue[todo->head];
    todo->head = (todo->head + 1) % todo->size;
    todo->n--;
    todo->waits[c->id] = false;
    return c;
}

/* What @p c puts into the channels at its ports is known; who reads them may have more to say. */
static void ask(WwMachine *m, Todo *todo, WwComponent *c)
{
    const WwPortRow *row;
    int number = 0;
    for (WW_ROWS(c->type->ports, row)) {
        const WwPort *port = (const WwPort *)((const char *)c + row->offset);
        uint32_t bound = row->role == WW_OUT ? *ww_bound(c, number) : 0;
        number++;
        for (uint32_t k = 0; k < bound; k++) {
            const WwChannel *channel = port[k].peer;
            uint64_t *known = &m->carried[channel->base.id];
            uint64_t more = c->type->carries(c, row, k) & ~*known;
            *known |= more;
            for (uint32_t i = 0; more != 0 && i < channel->n_readers; i++) {
                look_again(todo, channel->reader[i].who);
            }
        }
    }
}

WW_COLD static void work_out(WwMachine *m)
{
    m->carried = g_new0(uint64_t, m->info.n + 1);
    g_autofree bool *waits = g_new0(bool, m->info.n + 1);
    g_autofree WwComponent **queue = g_new(WwComponent *, m->info.n + 1);
    Todo todo = {.queue = queue, .size = m->info.n + 1, .waits = waits};
    for (uint32_t i = 0; i < m->info.n; i++) {
        look_again(&todo, ww_info(m, i)->component);
    }
    while (todo.n != 0) {
        ask(m, &todo, take(&todo));
    }
}

uint64_t ww_carried(const WwPort *in)
{
    const WwChannel *channel = in->peer;
    if (channel == NULL) {
        return 0;
    }
    WwMachine *m = channel->base.machine;
    if (m->carried == NULL) {
        work_out(m);
    }
    return m->carried[channel->base.id];
}
