/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order inside each phase, derived from the wiring.
 *
 * Constraints between entry points of a phase: reader before writer of a channel (writer before reader when it is `same`; none
 * with a latency); callers of an interface by rank. Each group is a run of its own (so that an SM's entry points stand
 * together and one mask wakes them); a plain group that stands in the way of an order is dissolved into its parent. Ties go by
 * declaration.
 *
 * A copy of a group has the model's order: what is inside of it stands as there. Where a group is dissolved, or something outside puts members of a
 * model or copy into an order, all is done again as if there were no copies.
 */
#include "order-priv.h"
#include <string.h>

#define MOST_REDONE 100000000u /* children sorted again: some ten seconds */
#define MOST_TOLD 12u          /* members of a loop, in its message, */
#define MOST_CHANNELS 4u       /* and its channels */

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

/* ---- sorting one group ------------------------------------------------------------------------------------------ */

/* Sorts entry points by phase. */
static void collect_entries(Order *o)
{
    WwMachine *m = o->m;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->info.n; i++) {
            const Info *info = ww_info(m, i);
            for (uint32_t e = 0; e < info->type->n_entries; e++) {
                uint32_t p = info->component->entries[e].phase;
                if (p == WW_NO_PHASE) {
                    continue;
                }
                if (pass == 0) {
                    o->first[p + 1]++;
                } else {
                    o->entry[o->fill[p]++] = &info->component->entries[e];
                }
            }
        }
        for (uint32_t p = 0; pass == 0 && p < m->n_phases; p++) {
            o->first[p + 1] += o->first[p];
            o->fill[p] = o->first[p];
        }
    }
}

/* Counts the children of every group of the phase: entry points, and groups that have a child themselves. */
static void count_children(Order *o)
{
    for (uint32_t i = 0; i < o->n_present; i++) { /* of the phase before */
        o->family[o->present[i]] = (Family){0};
    }
    o->n_present = 0;
    for (uint32_t i = o->first[o->phase]; i < o->first[o->phase + 1]; i++) {
        WwGroup *g = home_group(o, o->entry[i]->self);
        o->home[o->entry[i]->number] = g;
        Family *f = &o->family[g->number];
        f->n_children++;
        while (!f->present) {
            f->present = true;
            o->present[o->n_present++] = g->number;
            if (g->parent == NULL) {
                break;
            }
            f->parent = g = block_group(o, g->parent);
            f = &o->family[g->number];
            f->n_children++;
        }
    }
}

static uint32_t add_child(Order *o, WwGroup *parent, Child child)
{
    Family *f = &o->family[parent->number];
    o->child[f->child + f->n_children] = child;
    return f->n_children++;
}

/* Gives every group its children in declaration order: a merge of the entry points and the groups, which both have it. */
static void collect_children(Order *o)
{
    WwMachine *m = o->m;
    uint32_t total = 0, at = o->first[o->phase], end = o->first[o->phase + 1];
    count_children(o);
    for (uint32_t i = 0; i < m->groups->len; i++) {
        o->family[i].child = total;
        total += o->family[i].n_children;
        o->family[i].n_children = 0;
    }
    for (uint32_t i = 0; i <= m->groups->len; i++) {
        WwGroup *g = i < m->groups->len ? g_ptr_array_index(m->groups, i) : NULL;
        for (; at < end &&
               (g == NULL ||
                ww_info(m, ((WwComponent *)o->entry[at]->self)->id)->sequence < g->sequence);
             at++) {
            uint32_t number = o->entry[at]->number;
            o->place[number] = add_child(o, o->home[number], (Child){.entry = o->entry[at]});
        }
        if (g != NULL && o->family[i].present && o->family[i].parent != NULL) {
            o->family[i].place = add_child(o, o->family[i].parent, (Child){.group = g});
        }
    }
}

/* The place among the children of @p top of that under which entry point @p e stands. */
static uint32_t place_under(const Order *o, const WwGroup *top, uint32_t e)
{
    const WwGroup *g = o->home[e];
    if (g == top) {
        return o->place[e];
    }
    while (o->family[g->number].parent != top) {
        g = o->family[g->number].parent;
    }
    return o->family[g->number].place;
}

static WwGroup *common_group(const Order *o, uint32_t a, uint32_t b)
{
    WwGroup *x = o->home[a], *y = o->home[b];
    while (x != y) {
        if (x->depth >= y->depth) {
            x = o->family[x->number].parent;
        } else {
            y = o->family[y->number].parent;
        }
    }
    return x;
}

static void make_room(Local **v, uint32_t *room, uint32_t n)
{
    if (*room < n) {
        *v = g_renew(Local, *v, n);
        *room = n;
    }
}

/* For which there is room. */
static void add_local(Order *o, const WwGroup *group, uint32_t before, uint32_t after)
{
    o->locals.v[o->locals.n++] = (Local){group->number, before, after};
    o->family[group->number].n_locals++;
}

static void chain_sequences(Order *o)
{
    for (uint32_t i = 0; i < o->m->groups->len; i++) {
        const WwGroup *g = g_ptr_array_index(o->m->groups, i);
        uint32_t n = g->spec.mode == WW_GROUP_SEQUENCE ? o->family[i].n_children : 0;
        for (uint32_t k = 1; k < n; k++) {
            add_local(o, g, k - 1, k);
        }
    }
}

/* The constraints of the phase, by group; in the order of the edges within one. */
static void collect_locals(Order *o)
{
    uint32_t most = o->edges[o->phase].n + o->m->groups->len + o->m->n_entries;
    make_room(&o->locals.v, &o->locals.room, most);
    make_room(&o->sorted_locals.v, &o->sorted_locals.room, most);
    o->locals.n = 0;
    for (uint32_t i = 0; i < o->edges[o->phase].n; i++) {
        const Edge *e = &o->edges[o->phase].v[i];
        const WwGroup *top = common_group(o, e->before, e->after);
        if (!e->ranked || top->spec.mode != WW_GROUP_SEQUENCE) {
            o->family[top->number].n_outer += e->outer;
            add_local(o, top, place_under(o, top, e->before), place_under(o, top, e->after));
        }
    }
    chain_sequences(o);
    o->sorted_locals.n = o->locals.n;
    uint32_t total = 0;
    for (uint32_t i = 0; i < o->m->groups->len; i++) {
        o->family[i].local = total;
        total += o->family[i].n_locals;
        o->family[i].n_locals = 0;
    }
    for (uint32_t i = 0; i < o->locals.n; i++) {
        Family *f = &o->family[o->locals.v[i].group];
        o->sorted_locals.v[f->local + f->n_locals++] = o->locals.v[i];
    }
}

/* What keeps the turns of a group from standing between others. */
static const char *why_together(const WwGroup *g)
{
    static const char *const modes[] = {[WW_GROUP_ROTATE] = "`rotate`",
                                        [WW_GROUP_REPEAT] = "`repeat`",
                                        [WW_GROUP_SEQUENCE] = "`sequence`"};
    if (g->spec.mode != WW_GROUP_PLAIN) {
        return modes[g->spec.mode];
    }
    return g->spec.gated       ? "`gate`"
           : g->spec.partition ? "`partition`"
                               : "it is in a group that keeps them so";
}

static char *child_text(const Child *c)
{
    if (c->entry != NULL) {
        WwComponent *k = c->entry->self;
        g_autofree char *path = ww_path(k);
        return g_strdup_printf("%s.%s", path, k->type->entries[c->entry->row].name);
    }
    const WwGroup *g = c->group;
    g_autoptr(GString) path = g_string_new(NULL);
    for (const WwGroup *up = g; up != NULL; up = up->parent) {
        if (up->name != NULL) {
            g_autofree char *index =
                up->spec.array ? g_strdup_printf("[%u]", up->spec.index) : g_strdup("");
            g_autofree char *below = g_strdup(path->str);
            g_string_printf(path, "%s%s%s%s", up->name, index, *below != '\0' ? "." : "", below);
        }
    }
    const char *own = g->name != NULL  ? ""
                      : path->len != 0 ? "without a name in "
                                       : "without a name";
    return g_strdup_printf("group %s%s (its turns stand together: %s)", own, path->str,
                           why_together(g));
}

/* Does entry point @p e, which may be none, stand in child @p c? */
static bool stands_in(const Order *o, const WwEntry *e, const Child *c)
{
    if (e == NULL || e->phase != o->phase || c->entry != NULL) {
        return e != NULL && e == c->entry;
    }
    const WwGroup *g = o->home[e->number];
    while (g != NULL && g != c->group) {
        g = o->family[g->number].parent;
    }
    return g != NULL;
}

/* The channel that puts child @p before before child @p after, or NULL. */
static const WwChannel *channel_between(const Order *o, const Child *before, const Child *after)
{
    const WwMachine *m = o->m;
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *a = &m->bindings.v[i];
        const WwChannel *ch = (const WwChannel *)a->peer;
        if (a->peer_row >= 0 || ch == NULL || ch->latency != 0 || !stands_in(o, a->turn, before) ||
            (a->port->role == WW_OUT) != ch->same) {
            continue;
        }
        for (uint32_t k = 0; k < m->bindings.n; k++) {
            const Binding *b = &m->bindings.v[k];
            if (b->peer == a->peer && b->port->role != a->port->role &&
                stands_in(o, b->turn, after)) {
                return ch;
            }
        }
    }
    return NULL;
}

/* By what the loop comes about, and what would break it. */
static char *channels_of(const Order *o, const Child *children, const uint32_t *trail,
                         uint32_t first, uint32_t len)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint32_t n = 0, same = 0;
    for (uint32_t i = len; i-- > first;) {
        if (n == MOST_CHANNELS) {
            g_string_append(text, ", ...");
            break;
        }
        const Child *after = &children[trail[i > first ? i - 1 : len - 1]];
        const WwChannel *ch = channel_between(o, &children[trail[i]], after);
        if (ch != NULL) {
            g_autofree char *path = ww_path(ch);
            g_string_append_printf(text, "%s%s%s", n++ == 0 ? "" : ", ", path,
                                   ch->same ? " (`same`)" : "");
            same += ch->same;
        }
    }
    if (n == 0) {
        return g_strdup("by the ranks of interfaces; expected no loop");
    }
    return g_strdup_printf("by %s; expected no loop (declare %s %s`same`, or give it a latency)",
                           text->str, n == 1 ? "it" : "one of them",
                           same == 0   ? ""
                           : same == n ? "not "
                                       : "`same` where it is not, or not ");
}

/* The loop that trail[first..len-1] is. */
static bool fail_loop(const Order *o, const Child *children, const uint32_t *trail, uint32_t first,
                      uint32_t len, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (uint32_t i = len; i-- > first;) {
        if (len - i == MOST_TOLD && i > first) {
            g_string_append_printf(text, "%u more before ", i - first);
            i = first;
        }
        g_autofree char *t = child_text(&children[trail[i]]);
        g_string_append_printf(text, "%s before ", t);
    }
    g_autofree char *last = child_text(&children[trail[len - 1]]);
    const Child *c = &children[trail[len - 1]];
    g_autofree char *where = c->entry != NULL ? ww_location_text(ww_component_where(c->entry->self))
                                              : ww_location_text(c->group->spec.where);
    g_autofree char *by = channels_of(o, children, trail, first, len);
    return ww_fail(error, WW_ERROR_WIRING, "%sno order exists in phase '%s': %s%s, %s", where,
                   o->m->phase[o->phase].name, text->str, last, by);
}

/* Follows unsorted predecessors until a child repeats: that is a loop. Dissolves plain groups in it, or reports it. */
static bool break_loop(Order *o, const Family *f, GError **error)
{
    uint32_t n = f->n_children;
    const Child *children = o->child + f->child;
    g_autofree uint32_t *seen = g_new0(uint32_t, n);
    g_autofree uint32_t *trail = g_new0(uint32_t, n + 1);
    g_autofree uint32_t *from =
        g_new0(uint32_t, n); /* the first unsorted one that a child waits for */
    uint32_t len = 0, at = 0;
    for (uint32_t i = f->n_locals; i-- > 0;) {
        const Local *l = &o->sorted_locals.v[f->local + i];
        if (!o->sorted[l->before]) {
            from[l->after] = l->before;
        }
    }
    while (o->sorted[at]) {
        at++;
    }
    while (seen[at] == 0) { /* what is not sorted waits for something that is not */
        trail[len++] = at;
        seen[at] = len;
        at = from[at];
    }
    bool dissolved = false;
    for (uint32_t i = seen[at] - 1; i < len; i++) {
        WwGroup *g = children[trail[i]].group;
        if (g != NULL && g->spec.mode == WW_GROUP_PLAIN && !g->spec.gated && !g->spec.partition &&
            (g->parent == NULL || g->parent->spec.mode == WW_GROUP_PLAIN)) {
            g->dissolved |= 1u << o->phase;
            dissolved = true;
        }
    }
    o->n_redone += o->first[o->phase + 1] - o->first[o->phase] + o->m->groups->len;
    if (dissolved && o->n_redone <= MOST_REDONE) {
        return true;
    }
    if (dissolved) {
        return ww_fail(
            error, WW_ERROR_WIRING,
            "too many composites stand between members of others in phase '%s'; expected "
            "members that are wired to each other in one composite",
            o->m->phase[o->phase].name);
    }
    return fail_loop(o, children, trail, seen[at] - 1, len, error);
}

typedef enum Sorted { SORT_OK, SORT_AGAIN, SORT_WHOLE, SORT_FAILED } Sorted;

/* Per child: how many it waits for, and who waits for it (out[start[i]..start[i + 1]-1]). */
static void prepare_sort(Order *o, const Family *f)
{
    uint32_t n = f->n_children;
    const Local *local =
        f->n_locals != 0 ? o->sorted_locals.v + f->local : NULL; /* of none: no array */
    memset(o->waits, 0, n * sizeof *o->waits);
    memset(o->start, 0, (n + 1) * sizeof *o->start);
    memset(o->sorted, 0, n * sizeof *o->sorted);
    memset(o->ready, 0, (n / 64 + 1) * sizeof *o->ready);
    while (o->out.n < f->n_locals) {
        (void)WW_VEC_ADD(&o->out);
    }
    for (uint32_t i = 0; i < f->n_locals; i++) {
        o->start[local[i].before + 1]++;
        o->waits[local[i].after]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        o->start[i + 1] += o->start[i];
        o->fill[i] = o->start[i];
        o->ready[i / 64] |= (uint64_t)(o->waits[i] == 0) << (i % 64);
    }
    for (uint32_t i = 0; i < f->n_locals; i++) {
        o->out.v[o->fill[local[i].before]++] = local[i].after;
    }
}

/* Has @p b the children and constraints of @p a, by their places? */
static bool alike(const Order *o, const Family *a, const Family *b)
{
    if (a == NULL || a->n_children != b->n_children || a->n_locals != b->n_locals) {
        return false;
    }
    for (uint32_t i = 0; i < a->n_locals; i++) {
        const Local *x = &o->sorted_locals.v[a->local + i], *y = &o->sorted_locals.v[b->local + i];
        if (x->before != y->before || x->after != y->after) {
            return false;
        }
    }
    return true;
}

/* Puts the children of @p f into their order; @p tied: of the sorted ones. */
static void rearrange(Order *o, const Family *f, const uint32_t *order, const Child *tied)
{
    Child *children = o->child + f->child;
    memcpy(o->unsorted, children, f->n_children * sizeof *children);
    for (uint32_t i = 0; i < f->n_children; i++) {
        children[i] = o->unsorted[order[i]];
        children[i].tied = tied != NULL ? tied[i].tied : children[i].tied;
    }
}

/* The order of the model that group number @p i of a copy has, NULL of any other; false: there is none. */
static bool find_model(const Order *o, uint32_t i, const Copied *copy, const Family **model)
{
    const Family *f = &o->family[i];
    *model = NULL;
    if (o->whole || copy == NULL || i < copy->from.groups) {
        return true;
    }
    *model = &o->family[i - copy->behind.groups];
    return (*model)->n_children == f->n_children && (*model)->n_outer == 0 && f->n_outer == 0;
}

/* Sorts @p f as @p model is. */
static void sort_as(Order *o, const Family *f, const Family *model)
{
    const uint32_t *order = o->order + model->child;
    memcpy(o->order + f->child, order, f->n_children * sizeof *order);
    rearrange(o, f, order, o->child + model->child);
}

/* The same for a group of which one like it has been sorted: those that are built apart. */
static bool sort_like_another(Order *o, const Family *f)
{
    const Family **place = &o->sorted_like[(f->n_children * 5 + f->n_locals) % ORDER_ALIKE];
    const Family *model = *place;
    *place = f;
    if (!alike(o, model, f)) {
        return false;
    }
    sort_as(o, f, model);
    return true;
}

/* Sorts one group's children in place: always the first ready one in declaration order. */
static Sorted sort_children(Order *o, const Family *f, GError **error)
{
    uint32_t n = f->n_children, last = 0;
    Child *children = o->child + f->child;
    uint32_t *order = o->order + f->child;
    if (sort_like_another(o, f)) {
        return SORT_OK;
    }
    prepare_sort(o, f);
    for (uint32_t done = 0; done < n; done++) {
        uint32_t w = 0;
        while (w <= (n - 1) / 64 && o->ready[w] == 0) {
            w++;
        }
        if (w > (n - 1) / 64) {
            bool again = o->whole || o->m->copies.n == 0;
            return !again ? SORT_WHOLE : break_loop(o, f, error) ? SORT_AGAIN : SORT_FAILED;
        }
        uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(o->ready[w]);
        o->ready[w] &= o->ready[w] - 1;
        o->sorted[i] = true;
        order[done] = i;
        children[i].tied = done != 0;
        for (uint32_t k = o->start[i]; k < o->start[i + 1]; k++) {
            if (--o->waits[o->out.v[k]] == 0) {
                o->ready[o->out.v[k] / 64] |= 1ull << (o->out.v[k] % 64);
            }
        }
        for (uint32_t k = o->start[last]; done != 0 && children[i].tied && k < o->start[last + 1];
             k++) {
            children[i].tied = o->out.v[k] != i;
        }
        last = i;
    }
    rearrange(o, f, order, NULL);
    return SORT_OK;
}

/* ---- the phases -------------------------------------------------------------------------------------------------- */

static Sorted sort_phase(Order *o, GError **error)
{
    WwMachine *m = o->m;
    collect_children(o);
    collect_locals(o);
    memset(o->sorted_like, 0, sizeof o->sorted_like);
    const Copied *copy = m->copies.v;
    uint32_t copies = m->copies.n; /* from this one on */
    for (uint32_t i = 0; i < m->groups->len;
         i++) { /* in declaration order, so that errors are stable */
        const Family *f = &o->family[i], *model;
        for (; copies != 0 && copy->to.groups <= i; copies--) {
            copy++;
        }
        if (f->n_children == 0) {
            continue;
        }
        if (!find_model(o, i, copies != 0 ? copy : NULL, &model)) {
            return SORT_WHOLE;
        }
        if (model != NULL) {
            sort_as(o, f, model);
            continue;
        }
        Sorted s = sort_children(o, f, error);
        if (s != SORT_OK) {
            return s;
        }
    }
    m->phase[o->phase].root = o->family[m->root->number].present ? ww_build_blocks(o) : NULL;
    return SORT_OK;
}

static void allocate(Order *o)
{
    uint32_t groups = o->m->groups->len, most = o->m->n_entries + groups + WW_MAX_PHASES + 1;
    o->entry = g_new(WwEntry *, o->m->n_entries + 1);
    o->home = g_new(WwGroup *, o->m->n_entries + 1);
    o->place = g_new(uint32_t, o->m->n_entries + 1);
    o->family = g_new0(Family, groups);
    o->present = g_new(uint32_t, groups);
    o->where = g_new(uint8_t, o->m->info.n + 1);
    o->away = g_new0(bool, o->m->info.n + 1);
    o->child = g_new(Child, most);
    o->unsorted = g_new(Child, most);
    o->waits = g_new(uint32_t, most);
    o->order = g_new(uint32_t, most);
    o->start = g_new(uint32_t, most + 1);
    o->fill = g_new(uint32_t, most);
    o->sorted = g_new(bool, most);
    o->ready = g_new(uint64_t, most / 64 + 1);
}

static void release(Order *o)
{
    void *const all[] = {
        o->where, o->away,     o->present,         o->entry, o->home,  o->place, o->family,
        o->child, o->unsorted, o->waits,           o->order, o->start, o->fill,  o->sorted,
        o->ready, o->locals.v, o->sorted_locals.v, o->out.v};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_free(all[i]);
    }
    for (uint32_t i = 0; i < o->m->n_phases; i++) {
        g_free(o->edges[i].v);
    }
}

/* From now on copies are looked at as all else is. */
static bool forget_copies(Order *o, GError **error)
{
    o->whole = true;
    for (uint32_t i = 0; i < o->m->n_phases; i++) {
        o->edges[i].n = 0;
    }
    return ww_collect_edges(o, error);
}

bool ww_order(WwMachine *m, GError **error)
{
    Order o = {.m = m};
    Sorted s = SORT_OK;
    allocate(&o);
    collect_entries(&o);
    if (!ww_collect_edges(&o, error)) {
        release(&o);
        return false;
    }
    for (o.phase = 0; o.phase < m->n_phases && s == SORT_OK; o.phase++) {
        while ((s = sort_phase(&o, error)) == SORT_AGAIN || s == SORT_WHOLE) {
            /* a dissolved group: sort the phase again */
            if (s == SORT_WHOLE && !forget_copies(&o, error)) {
                s = SORT_FAILED;
                break;
            }
        }
    }
    release(&o);
    return s == SORT_OK;
}
