/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a phase, which the loop walks, and the order as text.
 *
 * A group is a block of its own where that says something: it has a gate, a repeat or a rotation, or it is large, so that one bit
 * lets the walk pass by all that sleeps in it. The members of a small plain group stand in the block above, in the same order, and so
 * do those of a group that repeats or rotates entry points, as a round, where all of the block above is one word: to enter a block costs
 * as much as to run a member.
 */
#include "order-priv.h"
#include <string.h>

/* ---- building --------------------------------------------------------------------------------------------------- */

#define SMALL 8u

/* Do its members run once, in the order in which they were sorted? */
static inline bool in_order(const WwGroup *g)
{
    return g->spec.mode == WW_GROUP_PLAIN || g->spec.mode == WW_GROUP_SEQUENCE;
}

/* Do the @p n members of @p g stand in the block of @p into, its parent? */
static bool merges(const Order *o, const WwGroup *into, const WwGroup *g, uint32_t n)
{
    bool plain = in_order(g) || (g->spec.mode == WW_GROUP_ROTATE && n == 1);
    if (!plain || g->spec.gated) {
        return false;
    }
    bool places_count = into->spec.mode == WW_GROUP_ROTATE;
    if (o->family[g->number].has_rounds) {
        return false;
    }
    return n == 1 || (!places_count && (n <= SMALL || o->family[into->number].n_children == 1));
}

/* Are all in @p g of one partition, @p *one (NULL: not known yet)? */
static bool of_one_partition(const Order *o, const WwGroup *g, const WwPartition **one)
{
    const Family *f = &o->family[g->number];
    for (uint32_t i = 0; i < f->n_children; i++) {
        const Child *c = &o->child[f->child + i];
        if (c->group != NULL) {
            if (!of_one_partition(o, c->group, one)) {
                return false;
            }
        } else if (*one != NULL && c->entry->partition != *one) {
            return false;
        } else {
            *one = c->entry->partition;
        }
    }
    return true;
}

/* May groups in @p g, which has a block of its own, stand in that as rounds? */
static bool may_have_rounds(const Order *o, const WwGroup *g)
{
    const WwPartition *one = NULL;
    bool apart = g->spec.gated || g->parent == NULL || g->partition != g->parent->partition;
    return in_order(g) && apart && of_one_partition(o, g, &one);
}

/* Is it one that repeats or rotates nothing but entry points? Its block would have @p n members. */
static bool is_round(const Order *o, const WwGroup *g, uint32_t n)
{
    const Family *f = &o->family[g->number];
    bool plain = in_order(g) || g->spec.gated || n > 64;
    for (uint32_t i = 0; !plain && i < f->n_children; i++) {
        plain = o->child[f->child + i].entry == NULL;
    }
    return !plain;
}

static uint32_t size_of(Order *o, const WwGroup *g);

/* The members of @p g that groups in it are, or bring; rounds if @p rounds. */
static uint32_t count_members(Order *o, const WwGroup *g, bool rounds)
{
    Family *f = &o->family[g->number];
    uint32_t total = 0;
    f->has_rounds = false;
    for (uint32_t i = 0; i < f->n_children; i++) {
        Child *c = &o->child[f->child + i];
        uint32_t n = c->group != NULL ? size_of(o, c->group) : 1;
        c->round = rounds && c->group != NULL && is_round(o, c->group, n);
        c->size = c->group != NULL && (c->round || merges(o, g, c->group, n)) ? n : 0;
        f->has_rounds |= c->round;
        total += MAX(c->size, 1);
    }
    return total;
}

/* How many members a block of @p g has. */
static uint32_t size_of(Order *o, const WwGroup *g)
{
    Family *f = &o->family[g->number];
    if (f->n_members == 0) {
        f->n_members = count_members(o, g, may_have_rounds(o, g));
        if (f->has_rounds && f->n_members > 64) {
            f->n_members = count_members(o, g, false);
        }
    }
    return f->n_members;
}

static Block *build_block(Order *o, WwGroup *g, Block *parent);

static uint32_t fill(Order *o, Block *b, uint32_t at, const WwGroup *g, bool tied);

/* Members from number @p at on: those of @p g, which repeats or rotates. Returns the number behind. */
static uint32_t fill_round(Order *o, Block *b, uint32_t at, const WwGroup *g, bool tied)
{
    Round *r = &b->round[b->n_rounds];
    uint32_t end = fill(o, b, at, g, tied), n = end - at;
    *r = (Round){.group = g,
                 .mask = (UINT64_MAX >> (64 - n)) << at,
                 .times = g->spec.mode == WW_GROUP_REPEAT ? g->spec.repeat : 1,
                 .n = n,
                 .rotates = g->spec.mode == WW_GROUP_ROTATE,
                 .wraps = (n & (n - 1)) == 0};
    b->in_round |= r->mask;
    memset(&b->round_of[at], (int)b->n_rounds++, n);
    return end;
}

/* Members from number @p at on: those of @p g. Returns the number behind. */
static uint32_t fill(Order *o, Block *b, uint32_t at, const WwGroup *g, bool tied)
{
    const Family *f = &o->family[g->number];
    for (uint32_t i = 0; i < f->n_children; i++) {
        const Child *c = &o->child[f->child + i];
        uint64_t *word = &b->pub.due[at / 64], bit = 1ull << (at % 64);
        bool apart =
            i != 0 ? c->tied : tied; /* the first member of a group stands where the group stands */
        if (c->group != NULL && c->size != 0) {
            at = c->round ? fill_round(o, b, at, c->group, apart) : fill(o, b, at, c->group, apart);
            continue;
        }
        b->tied[at] = apart;
        if (c->entry != NULL) {
            b->home[at] = o->home[c->entry->number];
            b->member[at] =
                (Member){.tick = c->entry->tick, .part = c->entry->self, .entry = c->entry};
            b->settles[at / 64] |= c->entry->settle != NULL ? bit : 0;
            c->entry->wake = (WwWake){word, bit, &b->pub};
        } else {
            Block *k = build_block(o, c->group, b);
            b->leaf = false;
            k->pub.up_word = word;
            k->pub.up_bit = bit;
            b->home[at] = c->group;
            b->member[at].part = k;
        }
        at++;
    }
    return at;
}

static Block *build_block(Order *o, WwGroup *g, Block *parent)
{
    WwMachine *m = o->m;
    Block *b = ww_machine_alloc(m, sizeof *b);
    b->n = size_of(o, g);
    b->member = b->first = ww_machine_alloc(m, b->n * sizeof(Member));
    b->tied = ww_machine_alloc(m, b->n * sizeof(bool));
    b->home = ww_machine_alloc(m, b->n * sizeof *b->home);
    b->settles = ww_machine_alloc(m, (b->n + 63) / 64 * sizeof(uint64_t));
    b->pub.due = ww_machine_alloc(m, (b->n + 63) / 64 * sizeof(uint64_t));
    if (o->family[g->number].has_rounds) {
        b->round = ww_machine_alloc(m, o->family[g->number].n_children * sizeof(Round));
        b->round_of = ww_machine_alloc(m, 64);
    }
    b->pub.parent = parent != NULL ? &parent->pub : NULL;
    if (parent == NULL) { /* all is said to nobody already */
        b->pub.up_word = ww_machine_alloc(m, sizeof(uint64_t));
        *b->pub.up_word = b->pub.up_bit = 1;
    }
    b->group = g;
    b->phase = o->phase;
    b->domain = m->phase[o->phase].domain;
    b->repeat = g->spec.mode == WW_GROUP_REPEAT ? g->spec.repeat : 1;
    b->round_size = g->spec.mode == WW_GROUP_ROTATE ? b->n : 0;
    b->has_gate = g->spec.gated;
    b->wraps = (b->round_size & (b->round_size - 1)) == 0;
    b->plain = b->n <= 64 && b->repeat == 1 && b->round_size == 0;
    b->mask = b->n <= 64 ? UINT64_MAX >> (64 - b->n) : 0;
    b->leaf = true;
    b->clock = parent == NULL || b->has_gate ? b : parent->clock;
    b->factor = (b->clock == b ? 1 : parent->factor) * b->repeat;
    g->block[o->phase] = b;
    if (b->has_gate) {
        g_ptr_array_add(g->blocks, b);
    }
    fill(o, b, 0, g, false);
    return b;
}

Block *ww_block_around(const WwGroup *g, uint32_t phase)
{
    while (g != NULL && g->block[phase] == NULL) {
        g = g->parent;
    }
    return g != NULL ? g->block[phase] : NULL;
}

/* ---- partitions ------------------------------------------------------------------------------------------------- */

WwPartition *ww_owner_of(const Block *b)
{
    WwPartition *one = NULL;
    for (uint32_t i = 0; i < b->n; i++) {
        const Member *k = &b->member[i];
        WwPartition *p = k->tick != NULL ? k->entry->partition : ww_owner_of(k->part);
        if (p == NULL || (one != NULL && p != one)) {
            return NULL;
        }
        one = p;
    }
    return one;
}

/* @p n bits, side by side: the number of the first. Bits are given out in the order of a tick. */
static uint32_t give_bits(WwMachine *m, WwPartition *p, uint32_t n)
{
    uint32_t number = p->n_turns;
    if (number % 64 == 0) {
        p->last_word = number == 0 ? &p->word : ww_machine_alloc(m, sizeof(Word));
        p->last_word->live = UINT64_MAX;
    }
    p->n_turns += n;
    return number;
}

/* The members of @p b stand in the word of their partition. */
static void lay_open(WwMachine *m, Block *b, Share *s, Word *word, uint32_t shift)
{
    if (word->member == NULL) {
        word->member = ww_machine_alloc(m, 64 * sizeof(Member));
    }
    b->first = word->member;
    memcpy(&b->first[shift], b->member, b->n * sizeof(Member));
    b->member = &b->first[shift];
    b->shift = shift;
    b->mask <<= shift;
    b->in_round <<= shift;
    *b->settles <<= shift;
    if (b->n_rounds != 0) {
        memmove(&b->round_of[shift], b->round_of, b->n);
    }
    for (uint32_t i = 0; i < b->n_rounds; i++) {
        b->round[i].mask <<= shift;
    }
    b->pub = (WwBlock){.due = &word->due, .parent = &s->block};
    b->open = s;
    for (uint32_t i = 0; i < b->n; i++) {
        b->member[i].entry->wake = (WwWake){&word->due, 1ull << (i + shift), &s->block};
    }
}

static Share *share_member(WwMachine *m, Block *b, uint32_t i, WwPartition *p)
{
    const Member *k = &b->member[i];
    Block *inner = k->tick == NULL ? k->part : NULL;
    Share *s = ww_machine_alloc(m, sizeof *s);
    bool opens = inner != NULL && inner->plain && inner->leaf && inner->n <= 64 - p->n_turns % 64;
    uint32_t n = opens ? inner->n : 1, number = give_bits(m, p, n);
    Word *word = p->last_word;
    *s = (Share){.word = &word->due,
                 .live = &word->live,
                 .mask = (UINT64_MAX >> (64 - n)) << (number % 64),
                 .number = number,
                 .member = i,
                 .of = b,
                 .entry = k->entry,
                 .inner = opens ? inner : NULL,
                 .block = {.due = &word->due,
                           .share = true,
                           .parent = &b->pub,
                           .up_word = &b->pub.due[i / 64],
                           .up_bit = 1ull << (i % 64)}};
    p->n_shares++;
    if (k->tick != NULL) {
        k->entry->wake = (WwWake){s->word, s->mask, &s->block};
    } else if (opens) {
        lay_open(m, inner, s, word, number % 64);
    } else {
        inner->pub.parent = &s->block;
        inner->pub.up_word = s->word;
        inner->pub.up_bit = s->mask;
    }
    return s;
}

static void share_block(WwMachine *m, Block *b)
{
    b->share = ww_machine_alloc(m, b->n * sizeof(Share *));
    b->plain = false;
    for (uint32_t i = 0; i < b->n; i++) {
        const Member *k = &b->member[i];
        WwPartition *p = k->tick != NULL ? k->entry->partition : ww_owner_of(k->part);
        if (p != NULL) {
            b->share[i] = share_member(m, b, i, p);
        } else {
            share_block(m, k->part);
        }
    }
}

Block *ww_build_blocks(Order *o)
{
    Block *root = build_block(o, o->m->root, NULL);
    if (o->m->n_all > 1) {
        share_block(o->m, root);
    }
    return root;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

/* "sm[3] rotate gated": a group and how its members run. */
static char *group_text(const WwGroup *group)
{
    const WwGroupSpec *s = &group->spec;
    GString *out = g_string_new(group->name != NULL ? group->name : "group");
    if (s->array) {
        g_string_append_printf(out, "[%u]", s->index);
    }
    if (s->mode == WW_GROUP_REPEAT) {
        g_string_append_printf(out, " repeat = %u", s->repeat);
    }
    g_string_append_printf(out, "%s%s",
                           s->mode == WW_GROUP_ROTATE     ? " rotate"
                           : s->mode == WW_GROUP_SEQUENCE ? " sequence"
                                                          : "",
                           s->gated ? " gated" : "");
    return g_string_free(out, false);
}

/* The groups around member @p i inside of the block, outermost first. */
static void groups_around(const Block *b, uint32_t i, GPtrArray *out)
{
    g_ptr_array_set_size(out, 0);
    for (const WwGroup *g = b->home[i]; g != b->group; g = g->parent) {
        if (!(g->dissolved >> b->phase & 1u)) {
            g_ptr_array_insert(out, 0, (gpointer)g);
        }
    }
}

/* The steps that @p owner runs in its turn, and those that they run. */
static void show_steps(const WwEntry *owner, WwOrderFn fn, void *user, const WwOrderStep *above)
{
    WwOrderStep step = {
        .phase = above->phase, .domain = above->domain, .depth = above->depth + 1, .owned = true};
    for (const WwStep *s = owner->steps; s != NULL; s = s->next) {
        if (s->entry->external) {
            continue; /* of whoever bound it, outside of the machine */
        }
        step.component = s->entry->self;
        step.entry = &step.component->type->entries[s->entry->row];
        fn(user, &step);
        show_steps(s->entry, fn, user, &step);
    }
}

static void show_block(const Block *b, WwOrderFn fn, void *user, WwOrderStep *step)
{
    g_autoptr(GPtrArray) open = g_ptr_array_new();
    uint32_t depth = step->depth;
    for (uint32_t i = 0; i < b->n; i++) {
        GPtrArray *around = g_ptr_array_new();
        const Member *e = &b->member[i];
        uint32_t same = 0;
        groups_around(b, i, around);
        while (same < MIN(open->len, around->len) && open->pdata[same] == around->pdata[same]) {
            same++;
        }
        step->tied = b->tied[i];
        step->component = NULL;
        step->entry = NULL;
        for (uint32_t k = same; k < around->len; k++) {
            g_autofree char *text = group_text(around->pdata[k]);
            step->group = text;
            step->depth = depth + k;
            fn(user, step);
            step->tied = false;
        }
        step->group = NULL;
        step->depth = depth + around->len;
        if (e->tick == NULL) {
            show_block(e->part, fn, user, step);
        } else {
            step->component = e->part;
            step->entry = &step->component->type->entries[e->entry->row];
            fn(user, step);
            show_steps(e->entry, fn, user, step);
        }
        g_ptr_array_unref(open);
        open = around;
    }
    step->depth = depth;
}

void ww_machine_each_step(const WwMachine *m, WwOrderFn fn, void *user)
{
    for (uint32_t i = 0; i < m->n_phases; i++) {
        WwOrderStep step = {.phase = m->phase[i].name, .domain = m->phase[i].domain->name};
        fn(user, &step);
        step.depth = 1;
        if (m->phase[i].root != NULL) {
            show_block(m->phase[i].root, fn, user, &step);
        }
    }
}

static void print_step(void *user, const WwOrderStep *s)
{
    FILE *out = user;
    if (s->depth == 0) {
        fprintf(out, "phase %s (%s)\n", s->phase, s->domain);
        return;
    }
    fprintf(out, "%*s%c ", 2 * (int)s->depth, "", s->owned ? '>' : s->tied ? '~' : ' ');
    if (s->group != NULL) {
        fprintf(out, "%s\n", s->group);
    } else {
        g_autofree char *path = ww_path(s->component);
        fprintf(out, "%s.%s\n", path, s->entry->name);
    }
}

void ww_machine_print_order(const WwMachine *m, FILE *out)
{
    ww_machine_each_step(m, print_step, out);
}
