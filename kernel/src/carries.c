/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes through channels, as far as those know who write to them. Asked for the first time, it is worked out for all channels of
 * the machine: what is known of one goes on to those that its readers write to, until nothing is new. So neither rings nor many ways
 * to one channel cost more than channels times bits.
 */
#include "machine-priv.h"

/* What @p c is known to put into @p channel. */
static uint64_t written(WwComponent *c, const WwChannel *channel)
{
    const WwPortRow *row;
    uint64_t bits = 0;
    for (WW_ROWS(c->type->carries != NULL ? c->type->ports : NULL, row)) {
        const WwPort *port = (const WwPort *)((const char *)c + row->offset);
        for (uint32_t k = 0; row->role == WW_OUT && k < MAX(row->max, 1u); k++) {
            bits |= port[k].peer == channel ? c->type->carries(c, row, k) : 0;
        }
    }
    return bits;
}

/* Channels whose bits may have become more; each stands there once. */
typedef struct Todo {
    GQueue queue;
    bool *waits; /* by id */
} Todo;

static void look_again(Todo *todo, WwChannel *channel)
{
    if (channel != NULL && !todo->waits[channel->base.id]) {
        todo->waits[channel->base.id] = true;
        g_queue_push_tail(&todo->queue, channel);
    }
}

static void pass_on(Todo *todo, WwComponent *reader)
{
    const WwPortRow *row;
    for (WW_ROWS(reader->type->carries != NULL ? reader->type->ports : NULL, row)) {
        WwPort *port = (WwPort *)((char *)reader + row->offset);
        for (uint32_t k = 0; row->role == WW_OUT && k < MAX(row->max, 1u); k++) {
            look_again(todo, port[k].peer);
        }
    }
}

static void work_out(WwMachine *m)
{
    g_autofree bool *waits = g_new0(bool, m->info.n);
    Todo todo = {.queue = G_QUEUE_INIT, .waits = waits};
    WwChannel *channel;
    m->carried = g_new0(uint64_t, m->info.n);
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (c->type->flags & WW_TYPE_CHANNEL) {
            look_again(&todo, (WwChannel *)c);
        }
    }
    while ((channel = g_queue_pop_head(&todo.queue)) != NULL) {
        uint64_t *known = &m->carried[channel->base.id], before = *known;
        waits[channel->base.id] = false;
        for (uint32_t i = 0; i < channel->n_writers; i++) {
            *known |= written(channel->writer[i].who, channel);
        }
        for (uint32_t i = 0; *known != before && i < channel->n_readers; i++) {
            pass_on(&todo, channel->reader[i].who);
        }
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
