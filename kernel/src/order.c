/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order inside each phase, derived from the wiring.
 *
 * Constraints between entry points of a phase: reader before writer of a channel (writer before reader when it is `same`; none
 * with a latency); callers of an interface by rank. Each group is a run of its own (so that an SM's entry points stand
 * together and one mask wakes them); a plain group that stands in the way of an order is dissolved into its parent. Ties go by
 * declaration.
 */
#include "machine-priv.h"
#include <string.h>

typedef struct Edge {
    WwEntry *before, *after;
} Edge;

/* A child of a group in one phase: an entry point or a group. */
typedef struct Child {
    WwEntry *entry;
    WwGroup *group;
    uint32_t sequence;
} Child;

typedef struct Order {
    WwMachine *m;
    uint32_t phase;
    GArray *edges[WW_MAX_PHASES]; /* Edge */
    GHashTable *child_of; /* group -> GArray of Child */
} Order;

static uint32_t component_sequence(const WwComponent *c)
{
    return ww_info(c->machine, c->id)->sequence;
}

/* The nearest group above that is a block of its own in this phase. */
static WwGroup *block_group(const Order *o, WwGroup *g)
{
    while (g->dissolved >> o->phase & 1u) {
        g = g->parent;
    }
    return g;
}

/* Where a component's entry points stand: a serial one inside a partition's group stands outside of it. */
static WwGroup *home_group(const Order *o, const WwComponent *c)
{
    WwGroup *g = c->group;
    while (g->partition != c->partition) {
        g = g->parent;
    }
    return block_group(o, g);
}

static WwGroup *block_parent(const Order *o, WwGroup *g)
{
    return g->parent != NULL ? block_group(o, g->parent) : NULL;
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

static void add_edge(Order *o, WwEntry *before, WwEntry *after)
{
    if (before != NULL && after != NULL && before->self != after->self && before->phase == after->phase) {
        g_array_append_val(o->edges[before->phase], ((Edge){before, after}));
    }
}

typedef struct Speaker {
    WwEntry *entry;
    int rank;
} Speaker;

static int rank_of(const WwPortRow *r)
{
    for (int i = 0; r->rank != NULL && r->contract->ranks != NULL && r->contract->ranks[i] != NULL; i++) {
        if (strcmp(r->contract->ranks[i], r->rank) == 0) {
            return i;
        }
    }
    return -1;
}

/* Bindings of one peer, in @p from (indices into the machine's bindings). */
static void constrain_channel(Order *o, const WwComponent *peer, const GArray *from)
{
    const WwChannel *ch = (const WwChannel *)peer;
    if (ch->latency != 0) {
        return;
    }
    for (uint32_t i = 0; i < from->len; i++) {
        const Binding *a = &g_array_index(o->m->bindings, Binding, g_array_index(from, uint32_t, i));
        const WwPortRow *ra = &a->component->type->ports[a->row];
        if (ra->role != WW_OUT) {
            continue;
        }
        for (uint32_t k = 0; k < from->len; k++) {
            const Binding *b = &g_array_index(o->m->bindings, Binding, g_array_index(from, uint32_t, k));
            const WwPortRow *rb = &b->component->type->ports[b->row];
            if (rb->role == WW_IN) {
                WwEntry *writer = ww_row_entry(a->component, ra), *reader = ww_row_entry(b->component, rb);
                add_edge(o, ch->same ? writer : reader, ch->same ? reader : writer);
            }
        }
    }
}

static void constrain_interface(Order *o, WwComponent *peer, const GArray *from)
{
    g_autoptr(GArray) speakers = g_array_new(false, false, sizeof(Speaker));
    const WwPortRow *own;
    for (WW_ROWS(peer->type->ports, own)) {
        if (own->role != WW_PROVIDES || own->contract->ranks == NULL) {
            continue;
        }
        g_array_set_size(speakers, 0);
        const WwPortRow *r;
        for (WW_ROWS(peer->type->ports, r)) {
            if (r->role == WW_PROVIDES && r->contract == own->contract && rank_of(r) >= 0 && r >= own) {
                g_array_append_val(speakers, ((Speaker){ww_row_entry(peer, r), rank_of(r)}));
            }
        }
        for (uint32_t i = 0; i < from->len; i++) {
            const Binding *b = &g_array_index(o->m->bindings, Binding, g_array_index(from, uint32_t, i));
            const WwPortRow *rb = &b->component->type->ports[b->row];
            if (rb->contract == own->contract && rank_of(rb) >= 0) {
                g_array_append_val(speakers, ((Speaker){ww_row_entry(b->component, rb), rank_of(rb)}));
            }
        }
        for (uint32_t i = 0; i < speakers->len; i++) {
            for (uint32_t k = 0; k < speakers->len; k++) {
                const Speaker *a = &g_array_index(speakers, Speaker, i);
                const Speaker *b = &g_array_index(speakers, Speaker, k);
                if (a->rank < b->rank) {
                    add_edge(o, a->entry, b->entry);
                }
            }
        }
    }
}

static void collect_edges(Order *o, GArray **by_peer)
{
    for (uint32_t i = 0; i < o->m->info->len; i++) {
        WwComponent *peer = ww_info(o->m, i)->component;
        if (by_peer[i] == NULL) {
            continue;
        }
        if (peer->type->flags & WW_TYPE_CHANNEL) {
            constrain_channel(o, peer, by_peer[i]);
        } else {
            constrain_interface(o, peer, by_peer[i]);
        }
    }
}

/* ---- sorting one group ------------------------------------------------------------------------------------------ */

static gint by_sequence(gconstpointer a, gconstpointer b)
{
    const Child *x = a, *y = b;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static GArray *children_of(Order *o, WwGroup *g)
{
    GArray *a = g_hash_table_lookup(o->child_of, g);
    if (a == NULL) {
        a = g_array_new(false, false, sizeof(Child));
        g_hash_table_insert(o->child_of, g, a);
    }
    return a;
}

static void collect_children(Order *o)
{
    g_hash_table_remove_all(o->child_of);
    for (uint32_t i = 0; i < o->m->info->len; i++) {
        WwComponent *c = ww_info(o->m, i)->component;
        const WwEntryRow *row;
        uint32_t e = 0;
        for (WW_ROWS(c->type->entries, row)) {
            if (c->entries[e].phase != o->phase) {
                e++;
                continue;
            }
            WwGroup *g = home_group(o, c);
            bool fresh = g_hash_table_lookup(o->child_of, g) == NULL;
            g_array_append_val(children_of(o, g),
                               ((Child){.entry = &c->entries[e], .sequence = component_sequence(c)}));
            while (fresh && g->parent != NULL) { /* a group that now has a member is one itself */
                WwGroup *p = block_parent(o, g);
                fresh = g_hash_table_lookup(o->child_of, p) == NULL;
                g_array_append_val(children_of(o, p), ((Child){.group = g, .sequence = g->sequence}));
                g = p;
            }
            e++;
        }
    }
    GHashTableIter it;
    gpointer key, value;
    g_hash_table_iter_init(&it, o->child_of);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        g_array_sort(value, by_sequence);
    }
}

/* The child of @p top under which @p e stands. */
static Child child_under(const Order *o, WwGroup *top, WwEntry *e)
{
    WwGroup *g = home_group(o, e->self);
    if (g == top) {
        return (Child){.entry = e};
    }
    for (WwGroup *p = block_parent(o, g); p != top; p = block_parent(o, g)) {
        g = p;
    }
    return (Child){.group = g};
}

static WwGroup *common_group(const Order *o, WwEntry *a, WwEntry *b)
{
    WwGroup *x = home_group(o, a->self);
    WwGroup *y = home_group(o, b->self);
    while (x != y) {
        if (x->depth >= y->depth) {
            x = block_parent(o, x);
        } else {
            y = block_parent(o, y);
        }
    }
    return x;
}

static void *child_key(const Child *c)
{
    return c->entry != NULL ? (void *)c->entry : (void *)c->group;
}

/* One constraint between two children of a group; kept per group for the sort. */
typedef struct Local {
    uint32_t before, after;
} Local;

static char *child_text(const Order *o, const Child *c)
{
    if (c->entry != NULL) {
        WwComponent *k = c->entry->self;
        g_autofree char *path = ww_path(k);
        return g_strdup_printf("%s.%s", path, k->type->entries[c->entry->row].name);
    }
    return g_strdup_printf("group %s[%u]", c->group->name != NULL ? c->group->name : "(anonymous)",
                           c->group->spec.index);
}

/* Follows unsorted predecessors until a child repeats: that is a loop. Dissolves plain groups in it, or reports it. */
static bool break_loop(Order *o, const GArray *children, const GArray *locals, const bool *sorted,
                       GError **error)
{
    uint32_t n = children->len;
    g_autofree uint32_t *seen = g_new0(uint32_t, n);
    g_autofree uint32_t *trail = g_new0(uint32_t, n + 1);
    uint32_t len = 0, at = 0;
    while (sorted[at]) {
        at++;
    }
    while (seen[at] == 0) {
        trail[len++] = at;
        seen[at] = len;
        for (uint32_t i = 0; i < locals->len; i++) {
            const Local *l = &g_array_index(locals, Local, i);
            if (l->after == at && !sorted[l->before]) {
                at = l->before;
                break;
            }
        }
    }
    bool dissolved = false;
    for (uint32_t i = seen[at] - 1; i < len; i++) {
        WwGroup *g = g_array_index(children, Child, trail[i]).group;
        if (g != NULL && g->spec.mode == WW_GROUP_PLAIN && !g->spec.gated && !g->spec.partition &&
            (g->parent == NULL || g->parent->spec.mode == WW_GROUP_PLAIN)) {
            g->dissolved |= 1u << o->phase;
            dissolved = true;
        }
    }
    if (dissolved) {
        return true;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    for (uint32_t i = len; i-- > seen[at] - 1;) {
        g_autofree char *t = child_text(o, &g_array_index(children, Child, trail[i]));
        g_string_append_printf(text, "%s before ", t);
    }
    g_autofree char *first = child_text(o, &g_array_index(children, Child, trail[len - 1]));
    const Child *c = &g_array_index(children, Child, trail[len - 1]);
    g_autofree char *where = c->entry != NULL
                                 ? ww_location_text(ww_component_where(c->entry->self))
                                 : ww_location_text(c->group->spec.where);
    return ww_fail(error, WW_ERROR_WIRING,
                   "%sno order exists in phase '%s': %s%s; expected no loop (declare one channel `same`, or give it a "
                   "latency)",
                   where, o->m->phase[o->phase].name, text->str, first);
}

typedef enum Sorted { SORT_OK, SORT_AGAIN, SORT_FAILED } Sorted;

/* Sorts one group's children in place (first ready one in declaration order); `tied` marks those without a direct constraint. */
static Sorted sort_children(Order *o, GArray *children, const GArray *locals, bool *tied, GError **error)
{
    uint32_t n = children->len;
    g_autofree uint32_t *waits = g_new0(uint32_t, n);
    g_autofree bool *sorted = g_new0(bool, n);
    g_autofree uint32_t *order = g_new(uint32_t, n);
    g_autofree uint32_t *start = g_new0(uint32_t, n + 1);
    g_autofree uint32_t *out = g_new(uint32_t, locals->len + 1);
    g_autofree uint64_t *ready = g_new0(uint64_t, n / 64 + 1);
    for (uint32_t i = 0; i < locals->len; i++) {
        start[g_array_index(locals, Local, i).before + 1]++;
        waits[g_array_index(locals, Local, i).after]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
    g_autofree uint32_t *fill = g_memdup2(start, (n + 1) * sizeof *start);
    for (uint32_t i = 0; i < locals->len; i++) {
        const Local *l = &g_array_index(locals, Local, i);
        out[fill[l->before]++] = l->after;
    }
    for (uint32_t i = 0; i < n; i++) {
        ready[i / 64] |= (uint64_t)(waits[i] == 0) << (i % 64);
    }
    for (uint32_t done = 0; done < n; done++) {
        uint32_t w = 0;
        while (w <= (n - 1) / 64 && ready[w] == 0) {
            w++;
        }
        if (w > (n - 1) / 64) {
            return break_loop(o, children, locals, sorted, error) ? SORT_AGAIN : SORT_FAILED;
        }
        uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(ready[w]);
        ready[w] &= ready[w] - 1;
        sorted[i] = true;
        order[done] = i;
        tied[done] = done != 0;
        for (uint32_t k = start[i]; k < start[i + 1]; k++) {
            if (--waits[out[k]] == 0) {
                ready[out[k] / 64] |= 1ull << (out[k] % 64);
            }
        }
        for (uint32_t k = done != 0 ? start[order[done - 1]] : 0;
             done != 0 && k < start[order[done - 1] + 1]; k++) {
            if (out[k] == i) {
                tied[done] = false;
            }
        }
    }
    g_autofree Child *copy = g_memdup2(children->data, n * sizeof(Child));
    for (uint32_t i = 0; i < n; i++) {
        g_array_index(children, Child, i) = copy[order[i]];
    }
    return SORT_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static Block *build_block(Order *o, WwGroup *g, Block *parent, GHashTable *ties)
{
    WwMachine *m = o->m;
    GArray *children = g_hash_table_lookup(o->child_of, g);
    const bool *tied = g_hash_table_lookup(ties, g);
    Block *b = ww_machine_alloc(m, sizeof *b);
    b->n = children->len;
    b->member = ww_machine_alloc(m, b->n * sizeof(Member));
    b->tied = ww_machine_alloc(m, b->n * sizeof(bool));
    b->settles = ww_machine_alloc(m, b->n * sizeof(bool));
    b->pub.due = ww_machine_alloc(m, (b->n + 63) / 64 * sizeof(uint64_t));
    b->pub.parent = parent != NULL ? &parent->pub : NULL;
    b->group = g;
    b->phase = o->phase;
    b->domain = m->phase[o->phase].domain;
    b->repeat = g->spec.mode == WW_GROUP_REPEAT ? g->spec.repeat : 1;
    b->rotate = g->spec.mode == WW_GROUP_ROTATE;
    b->has_gate = g->spec.gated;
    b->clock = parent == NULL || b->has_gate ? b : parent->clock;
    b->factor = (b->clock == b ? 1 : parent->factor) * b->repeat;
    g->block[o->phase] = b;
    if (b->has_gate) {
        g_ptr_array_add(g->blocks, b);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        const Child *c = &g_array_index(children, Child, i);
        b->tied[i] = tied[i];
        if (c->entry != NULL) {
            b->member[i] = (Member){.tick = c->entry->tick, .part = c->entry->self, .entry = c->entry};
            b->settles[i] = c->entry->settle != NULL;
            c->entry->wake = (WwWake){&b->pub.due[i / 64], 1ull << (i % 64), &b->pub};
        } else {
            Block *k = build_block(o, c->group, b, ties);
            k->pub.up_word = &b->pub.due[i / 64];
            k->pub.up_bit = 1ull << (i % 64);
            b->member[i].part = k;
        }
    }
    return b;
}

static void locals_of_groups(Order *o, GHashTable *locals)
{
    g_autoptr(GHashTable) index = g_hash_table_new(g_direct_hash, g_direct_equal);
    GHashTableIter it;
    gpointer key, value;
    g_hash_table_iter_init(&it, o->child_of);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        GArray *children = value;
        for (uint32_t i = 0; i < children->len; i++) {
            g_hash_table_insert(index, child_key(&g_array_index(children, Child, i)), GUINT_TO_POINTER(i));
        }
        g_hash_table_insert(locals, key, g_array_new(false, false, sizeof(Local)));
    }
    const GArray *edges = o->edges[o->phase];
    for (uint32_t i = 0; i < edges->len; i++) {
        const Edge *e = &g_array_index(edges, Edge, i);
        WwGroup *top = common_group(o, e->before, e->after);
        Child a = child_under(o, top, e->before), b = child_under(o, top, e->after);
        Local l = {GPOINTER_TO_UINT(g_hash_table_lookup(index, child_key(&a))),
                   GPOINTER_TO_UINT(g_hash_table_lookup(index, child_key(&b)))};
        g_array_append_val((GArray *)g_hash_table_lookup(locals, top), l);
    }
}

static void array_unref(gpointer a)
{
    g_array_unref(a);
}

static Sorted sort_phase(Order *o, GError **error)
{
    collect_children(o);
    g_autoptr(GHashTable) locals = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, array_unref);
    g_autoptr(GHashTable) ties = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    locals_of_groups(o, locals);
    for (uint32_t i = 0; i < o->m->groups->len; i++) { /* in declaration order, so that errors are stable */
        WwGroup *g = g_ptr_array_index(o->m->groups, i);
        GArray *children = g_hash_table_lookup(o->child_of, g);
        if (children == NULL) {
            continue;
        }
        bool *tied = g_new0(bool, children->len);
        g_hash_table_insert(ties, g, tied);
        Sorted s = sort_children(o, children, g_hash_table_lookup(locals, g), tied, error);
        if (s != SORT_OK) {
            return s;
        }
    }
    o->m->phase[o->phase].root =
        g_hash_table_lookup(o->child_of, o->m->root) != NULL ? build_block(o, o->m->root, NULL, ties) : NULL;
    return SORT_OK;
}

bool ww_order(WwMachine *m, GError **error)
{
    GArray **by_peer = g_new0(GArray *, m->info->len + 1);
    for (uint32_t i = 0; i < m->bindings->len; i++) {
        const Binding *b = &g_array_index(m->bindings, Binding, i);
        if (b->peer != NULL) {
            if (by_peer[b->peer->id] == NULL) {
                by_peer[b->peer->id] = g_array_new(false, false, sizeof(uint32_t));
            }
            g_array_append_val(by_peer[b->peer->id], i);
        }
    }
    Order o = {.m = m,
               .child_of = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, array_unref)};
    Sorted s = SORT_OK;
    for (uint32_t i = 0; i < m->n_phases; i++) {
        o.edges[i] = g_array_new(false, false, sizeof(Edge));
    }
    collect_edges(&o, by_peer);
    for (o.phase = 0; o.phase < m->n_phases && s == SORT_OK; o.phase++) {
        while ((s = sort_phase(&o, error)) == SORT_AGAIN) {
            /* a dissolved group: sort the phase again */
        }
    }
    for (uint32_t i = 0; i < m->info->len; i++) {
        if (by_peer[i] != NULL) {
            g_array_unref(by_peer[i]);
        }
    }
    g_free(by_peer);
    for (uint32_t i = 0; i < m->n_phases; i++) {
        g_array_unref(o.edges[i]);
    }
    g_hash_table_unref(o.child_of);
    return s == SORT_OK;
}

static void print_block(const Block *b, FILE *out, int indent)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const Member *e = &b->member[i];
        fprintf(out, "%*s%c ", indent, "", b->tied[i] ? '~' : ' ');
        if (e->tick != NULL) {
            WwComponent *c = e->part;
            g_autofree char *path = ww_path(c);
            fprintf(out, "%s.%s\n", path, c->type->entries[e->entry->row].name);
            continue;
        }
        const Block *k = e->part;
        const WwGroupSpec *s = &k->group->spec;
        fprintf(out, "%s", k->group->name != NULL ? k->group->name : "group");
        if (s->array) {
            fprintf(out, "[%u]", s->index);
        }
        if (s->mode == WW_GROUP_REPEAT) {
            fprintf(out, " repeat = %u", s->repeat);
        }
        fprintf(out, "%s%s\n", s->mode == WW_GROUP_ROTATE ? " rotate" : "", s->gated ? " gated" : "");
        print_block(k, out, indent + 2);
    }
}

void ww_machine_print_order(const WwMachine *m, FILE *out)
{
    for (uint32_t i = 0; i < m->n_phases; i++) {
        fprintf(out, "phase %s (%s)\n", m->phase[i].name, m->phase[i].domain->name);
        if (m->phase[i].root != NULL) {
            print_block(m->phase[i].root, out, 2);
        }
    }
}
