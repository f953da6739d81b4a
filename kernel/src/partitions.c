/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which partitions depend on each other inside a phase: those that use the state of one component there, through channels or through contracts
 * that are neither pure nor reduce.
 *
 * An entry point uses its own component, the channels at its ports, and whom it calls. Who is called uses in turn, in the phase of the caller and
 * for its partition, the channels and providers at its own ports: which of them in which function nobody says, so it is all of them.
 */
#include "machine-priv.h"
#include <string.h>

/* Partitions by phase: bit p of row f is set when partition p uses it in phase f. */
typedef struct Uses {
    const WwMachine *m;
    uint32_t words;   /* Of a row. */
    uint64_t *of;     /* [components][phases][words]: all uses. */
    uint64_t *called; /* The same: those by callers, direct or not. */
    size_t row;       /* Words of a component. */
} Uses;

void ww_exclusive(void *self)
{
    WwComponent *c = self;
    c->exclusive = c->machine->exclusive = true;
}

static const WwPortRow *row_of_binding(const Binding *b)
{
    return b->port;
}

/* Do callers of different partitions depend on each other? */
static bool ties(const Binding *b)
{
    if (b->peer == NULL) {
        return false;
    }
    return b->peer_row < 0 || b->peer->exclusive ||
           row_of_binding(b)->contract->sharing == WW_EXCLUSIVE;
}

static uint64_t *row_of(const Uses *u, uint64_t *v, const WwComponent *c, uint32_t phase)
{
    return v + c->id * u->row + (size_t)phase * u->words;
}

static void use(const Uses *u, uint64_t *v, const WwComponent *c, uint32_t phase, uint32_t by)
{
    row_of(u, v, c, phase)[by / 64] |= 1ull << (by % 64);
}

/* Is the caller of that rank? */
static bool has_rank(const Binding *b, const char *rank)
{
    int32_t i = b->peer_row >= 0 ? ww_port_info(b->component, b->row)->rank : -1;
    return i >= 0 && strcmp(row_of_binding(b)->contract->ranks[i], rank) == 0;
}

/* What uses @p from uses @p to. */
static bool pass_on(const Uses *u, const WwComponent *from, const WwComponent *to)
{
    const uint64_t *a = u->called + from->id * u->row;
    uint64_t *b = u->called + to->id * u->row;
    bool more = false;
    for (size_t i = 0; i < u->row; i++) {
        more |= (a[i] & ~b[i]) != 0;
        b[i] |= a[i];
    }
    return more;
}

static uint32_t partition_of(const WwEntry *e)
{
    return e->partition->index;
}

/* The binding's own turns use @p to. */
static void use_in_turn(const Uses *u, const Binding *b, const WwComponent *to)
{
    const WwEntry *mine = b->turn;
    if (mine != NULL && row_of_binding(b)->in_calls == NULL) {
        use(u, u->called, to, mine->phase, partition_of(mine));
    }
}

/* Uses of the peer in calls: by all who call the component, or by those of one rank. */
static bool use_in_calls(const Uses *u, const Binding *b)
{
    const char *rank = row_of_binding(b)->in_calls;
    if (rank == NULL) {
        return pass_on(u, b->component, b->peer);
    }
    bool more = false;
    for (uint32_t i = 0; i < u->m->bindings.n; i++) {
        const Binding *call = &u->m->bindings.v[i];
        if (call->peer == b->component && has_rank(call, rank)) {
            use_in_turn(u, call, b->peer);
            more |= pass_on(u, call->component, b->peer);
        }
    }
    return more;
}

static void find_uses(Uses *u)
{
    const WwMachine *m = u->m;
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        if (ties(&m->bindings.v[i])) {
            use_in_turn(u, &m->bindings.v[i], m->bindings.v[i].peer);
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->bindings.n; i++) {
            more |= ties(&m->bindings.v[i]) && use_in_calls(u, &m->bindings.v[i]);
        }
    }
    memcpy(u->of, u->called, m->info.n * u->row * sizeof *u->of);
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwComponent *c = ww_info(m, i)->component;
        for (uint32_t e = 0; c->entries != NULL && c->type->entries[e].name != NULL; e++) {
            const WwEntry *turn = ww_turn_of(&c->entries[e]);
            if (turn != NULL) {
                use(u, u->of, c, turn->phase,
                    c->partition); /* what its turns share is its own affair */
            }
        }
    }
}

static bool several(const Uses *u, const uint64_t *row)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < u->words; w++) {
        n += (uint32_t)__builtin_popcountll(row[w]);
    }
    return n >= 2;
}

static bool covers(const Uses *u, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t w = 0; w < u->words; w++) {
        if ((b[w] & ~a[w]) != 0) {
            return false;
        }
    }
    return true;
}

/*
 * Components that join partitions in phase @p f, by number. One whose users all come through another that joins them, and that was declared
 * before it, is left out: the other is where they meet.
 */
static bool *joins(const Uses *u, uint32_t f)
{
    const WwMachine *m = u->m;
    bool *join = g_new0(bool, m->info.n + 1);
    for (uint32_t i = 0; i < m->info.n; i++) {
        join[i] = several(u, row_of(u, u->of, ww_info(m, i)->component, f));
    }
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *b = &m->bindings.v[i];
        if (ties(b) && b->component->id < b->peer->id) {
            const uint64_t *its = row_of(u, u->called, b->component, f);
            if (several(u, its) && covers(u, its, row_of(u, u->of, b->peer, f))) {
                join[b->peer->id] = false;
            }
        }
    }
    return join;
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

/* "cluster[0..7], serial": the partitions of a row. @p group: of each partition. */
static void print_partitions(const Uses *u, const uint64_t *row, const WwGroup *const *group,
                             FILE *out)
{
    const char *between = "";
    for (uint32_t p = 0; p < u->m->n_all; p++) {
        if (!(row[p / 64] >> (p % 64) & 1u)) {
            continue;
        }
        const WwGroup *g = group[p];
        fputs(between, out);
        between = ", ";
        if (g == NULL) {
            fputs(p == 0 ? "serial" : u->m->partition[p].name, out);
            continue;
        }
        g_autofree char *path = ww_group_path(g);
        uint32_t last = p;
        while (g->spec.array && last + 1 < u->m->n_all && group[last + 1] != NULL &&
               (row[(last + 1) / 64] >> ((last + 1) % 64) & 1u) &&
               group[last + 1]->name == g->name && group[last + 1]->parent == g->parent) {
            last++;
        }
        if (last == p) {
            fputs(path, out);
        } else {
            *strrchr(path, '[') = '\0';
            fprintf(out, "%s[%u..%u]", path, g->spec.index, group[last]->spec.index);
        }
        p = last;
    }
}

/* Through what the component is used: the contracts of its callers, or what a channel carries. */
static void print_means(const WwMachine *m, const WwComponent *c, FILE *out)
{
    g_autoptr(GPtrArray) seen = g_ptr_array_new();
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *b = &m->bindings.v[i];
        const WwContract *contract = row_of_binding(b)->contract;
        if (b->peer == c && ties(b) && !g_ptr_array_find(seen, contract, NULL)) {
            fprintf(out, "%s%s", seen->len != 0 ? ", " : " through ", contract->name);
            g_ptr_array_add(seen, (gpointer)contract);
        }
    }
}

/* In which order partitions run in a window, or why there are none. */
static void print_windows(const Uses *u, const WwGroup *const *group, FILE *out)
{
    const WwMachine *m = u->m;
    if (!m->windows) {
        fprintf(out, "no windows: %s\n", m->lockstep);
        return;
    }
    fputs("in a window: ", out);
    for (uint32_t s = 0; s < m->n_stages; s++) {
        g_autofree uint64_t *row = g_new0(uint64_t, u->words);
        for (uint32_t i = m->stage[s].from; i < m->stage[s].end; i++) {
            uint32_t p = m->ranked[i]->index;
            row[p / 64] |= 1ull << (p % 64);
        }
        fputs(s != 0 ? "; then " : "", out);
        print_partitions(u, row, group, out);
        fputs(m->stage[s].serial ? " (with serial)" : "", out);
    }
    fputc('\n', out);
}

uint32_t ww_machine_print_partitions(const WwMachine *m, FILE *out)
{
    ww_assert(m->sealed);
    Uses u = {.m = m, .words = (m->n_all + 63) / 64};
    u.row = (size_t)m->n_phases * u.words;
    u.of = g_new0(uint64_t, m->info.n * u.row + 1);
    u.called = g_new0(uint64_t, m->info.n * u.row + 1);
    find_uses(&u);
    g_autofree const WwGroup **group = g_new0(const WwGroup *, m->n_all);
    for (uint32_t i = m->groups->len; i-- > 0;) {
        const WwGroup *g = g_ptr_array_index(m->groups, i);
        group[g->partition] = g->partition != 0 ? g : NULL; /* the outermost comes last */
    }
    g_autofree uint64_t *all = g_new0(uint64_t, u.words);
    for (uint32_t p = 0; p < m->n_all; p++) {
        all[p / 64] |= 1ull << (p % 64);
    }
    fprintf(out, "%u partitions: ", m->n_all);
    print_partitions(&u, all, group, out);
    fputc('\n', out);
    uint32_t joined = 0;
    for (uint32_t f = 0; f < m->n_phases; f++) {
        uint32_t here = 0;
        g_autofree bool *join = joins(&u, f);
        for (uint32_t i = 0; i < m->info.n; i++) {
            const WwComponent *c = ww_info(m, i)->component;
            if (!join[i]) {
                continue;
            }
            const uint64_t *row = row_of(&u, u.of, c, f);
            g_autofree char *text = ww_component_text(c);
            fprintf(out, "phase %s: %s joins ", m->phase[f].name, text);
            print_partitions(&u, row, group, out);
            print_means(m, c, out);
            fputc('\n', out);
            here++;
        }
        if (here == 0) {
            fprintf(out, "phase %s: nothing joins two partitions\n", m->phase[f].name);
        }
        joined += here;
    }
    print_windows(&u, group, out);
    g_free(u.of);
    g_free(u.called);
    return joined;
}
