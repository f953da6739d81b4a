/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes through channels, as far as those know who write to them. Asked for the first time, it is worked out for all channels of
 * the machine: what is known of one goes on to those that its readers write to, until nothing is new. So neither rings nor many ways
 * to one channel cost more than channels times bits. In a copy of a group it is what it is in the model, if nobody outside has a say.
 */
#include "machine-priv.h"
#include <string.h>

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

/* What is in models of copies, and in copies; by id. */
typedef struct Parts {
    uint32_t *part;  /* a number for each model and copy; 0: in none */
    uint32_t *model; /* of what is in a copy: that in the model; else itself */
    bool *apart;     /* in models: somebody outside has a say in it, or in one of its copies */
} Parts;

static void find_parts(const WwMachine *m, const Parts *p)
{
    for (uint32_t i = 0; i < m->info.n; i++) {
        p->model[i] = i;
    }
    for (uint32_t k = 0; k < m->copies.n; k++) {
        const Copied *c = &m->copies.v[k];
        for (uint32_t i = c->from.components; i < c->to.components; i++) {
            uint32_t model = i - c->behind.components;
            p->model[i] = model;
            p->part[i] = c->from.components + 1;
            p->part[model] = c->from.components - c->behind.components + 1;
        }
    }
}

/* Those that say what they write are apart together with the channels that they write. True: some are that were not. */
static bool spread(const WwMachine *m, const Parts *p, uint32_t from, uint32_t to)
{
    bool more = false;
    for (uint32_t i = from; i < to; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->component->type->carries == NULL || b->peer_row >= 0) {
            continue;
        }
        bool *own = &p->apart[b->component->id], *channel = &p->apart[b->to];
        if (*channel && !*own) {
            *own = more = true;
        } else if (*own && !*channel && b->port->role == WW_OUT) {
            *channel = more = true;
        }
    }
    return more;
}

/* Somebody outside of all models and copies, or of another one, at the other end. */
static void find_outside(const WwMachine *m, const Parts *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->component->type->carries == NULL || b->port->contract->aside) {
            continue;
        }
        uint32_t own = p->part[b->component->id], other = b->peer != NULL ? p->part[b->to] : 0;
        if (own != other) {
            p->apart[p->model[b->component->id]] = true;
            if (b->peer != NULL) {
                p->apart[p->model[b->to]] = true;
            }
        }
    }
}

static void find_apart(const WwMachine *m, const Parts *p)
{
    uint32_t done = 0, model = UINT32_MAX;
    for (uint32_t k = 0; k < m->copies.n; k++) {
        find_outside(m, p, done, m->copies.v[k].from.bindings);
        done = m->copies.v[k].to.bindings;
    }
    find_outside(m, p, done, m->bindings.n);
    for (uint32_t k = 0; k < m->copies.n; k++) {
        const Copied *c = &m->copies.v[k];
        uint32_t from = c->from.bindings - c->behind.bindings;
        bool more = from != model; /* copies of one model stand together */
        while (more) {
            more = spread(m, p, from, from + (c->to.bindings - c->from.bindings));
        }
        model = from;
    }
}

static void ask_all(WwMachine *m, Todo *todo)
{
    while (todo->n != 0) {
        ask(m, todo, take(todo));
    }
}

/* All that are in no copy. */
static void ask_others(WwMachine *m, Todo *todo)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k <= m->copies.n; k++) {
        const Copied *copy = k < m->copies.n ? &m->copies.v[k] : NULL;
        for (; i < (copy != NULL ? copy->from.components : m->info.n); i++) {
            look_again(todo, ww_info(m, i)->component);
        }
        i = copy != NULL ? copy->to.components : i;
    }
    ask_all(m, todo);
}

/* What is in a copy is as in its model, or has to be asked for. */
static void take_over(WwMachine *m, const Copied *c, const Parts *p, Todo *todo)
{
    uint32_t n = c->to.components - c->from.components;
    uint64_t *own = &m->carried[c->from.components];
    const uint64_t *model = own - c->behind.components;
    const bool *apart = &p->apart[c->from.components - c->behind.components];
    for (uint32_t i = 0, end; i < n; i = end + 1) {
        const bool *next = memchr(&apart[i], true, n - i);
        end = next != NULL ? (uint32_t)(next - apart) : n;
        memcpy(&own[i], &model[i], (end - i) * sizeof *own);
        if (next != NULL) {
            look_again(todo, ww_info(m, c->from.components + end)->component);
        }
    }
}

WW_COLD static void work_out(WwMachine *m)
{
    m->carried = g_new0(uint64_t, m->info.n + 1);
    g_autofree bool *waits = g_new0(bool, m->info.n + 1);
    g_autofree WwComponent **queue = g_new(WwComponent *, m->info.n + 1);
    g_autofree uint32_t *part = g_new0(uint32_t, m->info.n + 1);
    g_autofree uint32_t *model = g_new(uint32_t, m->info.n + 1);
    g_autofree bool *apart = g_new0(bool, m->info.n + 1);
    const Parts parts = {part, model, apart};
    Todo todo = {.queue = queue, .size = m->info.n + 1, .waits = waits};
    find_parts(m, &parts);
    find_apart(m, &parts);
    ask_others(m, &todo);
    /* what is in the models does not depend on copies */
    for (uint32_t k = 0; k < m->copies.n; k++) {
        take_over(m, &m->copies.v[k], &parts, &todo);
    }
    ask_all(m, &todo);
}

static inline uint64_t carried(const WwPort *in)
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

uint64_t ww_carried(const WwPort *in)
{
    return carried(in);
}

uint64_t ww_carried_by_any(const WwPort *in, uint32_t n)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        bits |= carried(&in[i]);
    }
    return bits;
}
