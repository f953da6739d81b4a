/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entry points stand in an order, by the wiring.
 *
 * Of a copy of a group only that is collected which has to do with something outside: the rest is as in its model.
 */
#include "order-priv.h"
#include <string.h>

#define MOST_PAIRS                                                                                 \
    16000000u /* ends of channels and interfaces that stand in an order, 16 bytes each */
#define MOST_ENTRIES (UINT32_MAX >> 2) /* as an edge holds them */

/* Of two turns. @p outer: not by what is bound inside of the model or copy that the peer in hand is in. */
static void add_edge(Order *o, WwEntry *before, WwEntry *after, bool ranked, bool outer)
{
    bool as_model = o->in_copy && !outer;
    if (before != NULL && after != NULL && before->self != after->self &&
        before->phase == after->phase && !as_model) {
        *WW_VEC_ADD(&o->edges[before->phase]) =
            (Edge){before->number, after->number & MOST_ENTRIES, outer, ranked};
    }
}

/* Has binding @p b the turn of a component of a model or copy that stands outside of it? */
static bool acts_away(const Order *o, const Binding *b)
{
    return b->turn != NULL && !b->turn->external && o->away[((WwComponent *)b->turn->self)->id];
}

/* Is binding @p i of the peer in hand none of the model or copy that it is in, or of a turn that stands outside? */
static bool is_outer(const Order *o, uint32_t i)
{
    return i < o->own_from || i >= o->own_to || acts_away(o, &o->m->bindings.v[i]);
}

/* Bindings of one peer: indices into the machine's bindings, in order. */
typedef struct From {
    const uint32_t *v;
    uint32_t n;
} From;

static void constrain_channel(Order *o, const WwComponent *peer, From from)
{
    const WwChannel *ch = (const WwChannel *)peer;
    if (ch->latency != 0) {
        return;
    }
    o->out.n = 0;
    for (uint32_t i = 0; i < from.n; i++) {
        const Binding *b = &o->m->bindings.v[from.v[i]];
        if (b->port->role == WW_IN) {
            *WW_VEC_ADD(&o->out) = from.v[i];
        }
    }
    o->n_pairs += (uint64_t)o->out.n * (from.n - o->out.n);
    if (o->n_pairs > MOST_PAIRS) {
        return;
    }
    for (uint32_t i = 0; i < from.n; i++) {
        const Binding *a = &o->m->bindings.v[from.v[i]];
        if (a->port->role != WW_OUT) {
            continue;
        }
        WwEntry *writer = a->turn;
        for (uint32_t k = 0; k < o->out.n; k++) {
            const Binding *b = &o->m->bindings.v[o->out.v[k]];
            WwEntry *reader = b->turn;
            add_edge(o, ch->same ? writer : reader, ch->same ? reader : writer, false,
                     is_outer(o, from.v[i]) || is_outer(o, o->out.v[k]));
        }
    }
}

typedef struct Speaker {
    WwEntry *entry;
    int32_t rank;
    bool outer; /* is_outer() */
} Speaker;

/* The ranked callers of one interface, the provider's own turns among them. */
static uint32_t collect_speakers(const Order *o, WwComponent *peer, const WwContract *contract,
                                 From from, Speaker *speaker)
{
    uint32_t n = 0;
    const TypeInfo *t = ww_info(o->m, peer->id)->type;
    for (uint32_t i = 0; i < t->n_entries; i++) {
        if (t->acts[i].contract == contract) {
            /* outside of its copy only with callers that are, too: who depends on a serial part is one */
            speaker[n++] = (Speaker){ww_turn_of(&peer->entries[i]), t->acts[i].rank, false};
        }
    }
    for (uint32_t i = 0; i < from.n; i++) {
        const Binding *b = &o->m->bindings.v[from.v[i]];
        int32_t rank = b->rank;
        if (b->port->contract == contract && rank >= 0) {
            speaker[n++] = (Speaker){b->turn, rank, is_outer(o, from.v[i])};
        }
    }
    return n;
}

static bool any_outer(const Speaker *speaker, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (speaker[i].outer) {
            return true;
        }
    }
    return false;
}

/* Each caller acts before all of higher rank. Callers of one rank may be many: they are not compared with each other. */
static void constrain_speakers(Order *o, const Speaker *speaker, uint32_t n)
{
    int32_t ranks = 0;
    for (uint32_t i = 0; i < n; i++) {
        ranks = MAX(ranks, speaker[i].rank + 1);
    }
    for (int32_t r = 0; r < ranks; r++) {
        uint64_t equal = 0, higher = 0;
        for (uint32_t i = 0; i < n; i++) {
            equal += speaker[i].rank == r;
            higher += speaker[i].rank > r;
        }
        o->n_pairs += equal * higher;
    }
    if (o->n_pairs > MOST_PAIRS) {
        return;
    }
    g_autofree uint32_t *above =
        g_new(uint32_t, (gsize)ranks * n + 1); /* by rank: those above it */
    g_autofree uint32_t *n_above = g_new0(uint32_t, (gsize)ranks + 1);
    for (uint32_t i = 0; i < n; i++) {
        for (int32_t r = 0; r < speaker[i].rank; r++) {
            above[(gsize)r * n + n_above[r]++] = i;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t r = speaker[i].rank;
        for (uint32_t k = 0; k < n_above[r]; k++) {
            const Speaker *later = &speaker[above[(gsize)r * n + k]];
            add_edge(o, speaker[i].entry, later->entry, true, speaker[i].outer || later->outer);
        }
    }
}

static void constrain_interface(Order *o, WwComponent *peer, From from)
{
    const WwPortRow *own;
    g_autofree Speaker *speaker = NULL;
    for (WW_ROWS(peer->type->ports, own)) {
        if (own->role != WW_PROVIDES || own->contract->ranks == NULL) {
            continue;
        }
        if (speaker == NULL) {
            speaker = g_new(Speaker, from.n + ww_info(o->m, peer->id)->type->n_entries + 1);
        }
        uint32_t n = collect_speakers(o, peer, own->contract, from, speaker);
        if (!o->in_copy || any_outer(speaker, n)) {
            constrain_speakers(o, speaker, n);
        }
    }
}

/* The copy that component @p id is in, or NULL. */
static const Copied *copy_around(const WwMachine *m, uint32_t id)
{
    uint32_t lo = 0, hi = m->copies.n;
    while (lo < hi) { /* the first that ends behind it */
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->copies.v[mid].to.components <= id) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < m->copies.n && m->copies.v[lo].from.components <= id ? &m->copies.v[lo] : NULL;
}

/* A copy of the model that component @p id is in. */
static const Copied *copy_of(const WwMachine *m, uint32_t id)
{
    const Copied *c = m->copies.v;
    while (id < c->from.components - c->behind.components ||
           id >= c->to.components - c->behind.components) {
        c++;
    }
    return c;
}

/* Is each step in a copy run by whoever runs it in the model? */
static bool same_owners(const WwMachine *m)
{
    for (guint i = 0; i < m->steps->len; i++) {
        WwEntry *e = ((WwStep *)m->steps->pdata[i])->entry;
        const Copied *c = e->external ? NULL : copy_around(m, ((WwComponent *)e->self)->id);
        if (c == NULL) {
            continue;
        }
        uint32_t like = ((WwComponent *)e->self)->id - c->behind.components;
        const WwEntry *own = ww_turn_of(e),
                      *other = ww_turn_of(&ww_info(m, like)->component->entries[e->row]);
        if ((own == NULL) != (other == NULL) ||
            (own != NULL && (own->row != other->row ||
                             ((WwComponent *)own->self)->id !=
                                 ((WwComponent *)other->self)->id + c->behind.components))) {
            return false;
        }
    }
    return true;
}

/* Which components of the model of copy @p c have turns that stand outside; in `out` bindings that are theirs or lead to them, by place. Are there any? */
static bool find_away(Order *o, const Copied *c)
{
    const uint32_t first = c->from.components - c->behind.components,
                   n = c->to.components - c->from.components,
                   inner = c->from.groups - c->behind.groups, /* the first group of the model */
        bindings = c->from.bindings - c->behind.bindings;
    bool any = false;
    for (uint32_t id = first; id < first + n; id++) {
        const WwComponent *k = ww_info(o->m, id)->component;
        const WwGroup *g = k->group;
        while (g->partition != k->partition) {
            g = g->parent;
        }
        o->away[id] = g->number < inner;
        any |= o->away[id];
    }
    o->out.n = 0;
    for (uint32_t i = 0; any && i < c->to.bindings - c->from.bindings; i++) {
        const Binding *b = &o->m->bindings.v[bindings + i];
        if (b->peer != NULL && (o->away[b->to] || acts_away(o, b))) {
            *WW_VEC_ADD(&o->out) = i;
        }
    }
    return any;
}

/* The same of copy @p c, whose model is known: what such a turn is bound to has to be looked at. */
static void copy_away(Order *o, const Copied *c)
{
    uint32_t n = c->to.components - c->from.components;
    memcpy(o->away + c->from.components, o->away + c->from.components - c->behind.components, n);
    for (uint32_t i = 0; i < o->out.n; i++) {
        const Binding *b = &o->m->bindings.v[c->from.bindings + o->out.v[i]];
        if (o->where[b->to] == AS_MODEL) {
            o->where[b->to] = IN_COPY;
        }
    }
}

/* Something is bound to these of the bindings' peers that are in copies. */
static void note_bound(Order *o, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const Binding *b = &o->m->bindings.v[i];
        if (b->peer != NULL && o->where[b->to] == AS_MODEL) {
            o->where[b->to] = IN_COPY;
        }
    }
}

/* Which peers are in models and copies. */
static void locate(Order *o)
{
    const WwMachine *m = o->m;
    uint32_t done = 0;
    memset(o->where, OUTSIDE, m->info.n);
    o->whole = o->whole || !same_owners(m);
    for (uint32_t k = 0; k < m->copies.n && !o->whole; k++) {
        const Copied *c = &m->copies.v[k];
        uint32_t n = c->to.components - c->from.components;
        memset(o->where + c->from.components, AS_MODEL, n);
        memset(o->where + c->from.components - c->behind.components, IN_MODEL, n);
    }
    for (uint32_t k = 0; k < m->copies.n && !o->whole; k++) {
        note_bound(o, done, m->copies.v[k].from.bindings);
        done = m->copies.v[k].to.bindings;
    }
    note_bound(o, done, m->bindings.n);
    uint32_t model = UINT32_MAX;
    bool any = false;
    for (uint32_t k = 0; k < m->copies.n && !o->whole; k++) {
        const Copied *c = &m->copies.v[k];
        if (c->from.components - c->behind.components != model) {
            model = c->from.components - c->behind.components;
            any = find_away(o, c);
        }
        if (any) {
            copy_away(o, c);
        }
    }
}

/* What is bound inside of the model or copy that peer @p id is in. */
static void find_own(Order *o, uint32_t id)
{
    const Where where = o->where[id];
    o->in_copy = where == IN_COPY;
    o->own_from = o->own_to = 0;
    if (where == IN_COPY || where == IN_MODEL) {
        const Copied *c = where == IN_COPY ? copy_around(o->m, id) : copy_of(o->m, id);
        uint32_t less = where == IN_COPY ? 0 : c->behind.bindings;
        o->own_from = c->from.bindings - less;
        o->own_to = c->to.bindings - less;
    }
}

/* The bindings whose peer has to be looked at: their numbers, by peer and then in order; @p start: where those of a peer begin. */
static uint32_t *collect_bindings(Order *o, uint32_t *start)
{
    const WwMachine *m = o->m;
    uint32_t *by_peer = g_new(uint32_t, m->bindings.n + 1), n = 0;
    g_autofree uint32_t *found = g_new(uint32_t, m->bindings.n + 1);
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->peer != NULL && o->where[b->to] != AS_MODEL) {
            found[n++] = i;
            start[b->to + 2]++;
        }
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (uint32_t k = 0; k < n; k++) {
        by_peer[start[m->bindings.v[found[k]].to + 1]++] = found[k];
    }
    return by_peer;
}

bool ww_collect_edges(Order *o, GError **error)
{
    WwMachine *m = o->m;
    g_autofree uint32_t *start = g_new0(uint32_t, m->info.n + 2);
    locate(o);
    o->n_pairs = 0;
    g_autofree uint32_t *by_peer = collect_bindings(o, start);
    for (uint32_t i = 0; i < m->info.n; i++) {
        From from = {by_peer + start[i], start[i + 1] - start[i]};
        if (from.n == 0) {
            continue;
        }
        WwComponent *peer = ww_info(m, i)->component;
        find_own(o, i);
        if (peer->type->flags & WW_TYPE_CHANNEL) {
            constrain_channel(o, peer, from);
        } else {
            constrain_interface(o, peer, from);
        }
        if (o->n_pairs > MOST_PAIRS) {
            g_autofree char *at = ww_location_text(ww_info(m, i)->where);
            g_autofree char *text = ww_component_text(ww_info(m, i)->component);
            return ww_fail(
                error, WW_ERROR_WIRING,
                "%s%s: more than %u pairs of ends stand in an order; expected fewer ends "
                "on one channel or interface",
                at, text, MOST_PAIRS);
        }
    }
    return true;
}
