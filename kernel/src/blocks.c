/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a phase, which the loop walks, and the order as text.
 *
 * A group is a block of its own where that says something: it has a gate, a repeat or a rotation, or it is large, so that one bit
 * lets the walk pass by all that sleeps in it. The members of a small plain group stand in the block above, in the same order, and so
 * do those of a group that repeats or rotates entry points, as a round, where all of the block above is one word: to enter a block costs
 * as much as to run a member. What a gate or a partition holds has no blocks inside, if it runs in order: it stands in one block, or in
 * several behind each other, of a word each.
 */
#include "order-priv.h"
#include <string.h>

/* ---- building --------------------------------------------------------------------------------------------------- */

#define SMALL 8u
/* Members that stand side by side at most: of hundreds, one bit for many lets the walk pass by those that sleep. */
#define SPREAD 256u

/* Do its members run once, in the order in which they were sorted? One alone does not rotate. */
static inline bool in_order(const Order *o, const WwGroup *g)
{
    return g->spec.mode == WW_GROUP_PLAIN || g->spec.mode == WW_GROUP_SEQUENCE ||
           (g->spec.mode == WW_GROUP_ROTATE && o->family[g->number].n_children == 1);
}

/* Do the @p n members of @p g stand in the block of @p into, its parent? */
static bool merges(const Order *o, const WwGroup *into, const WwGroup *g, uint32_t n)
{
    const Family *f = &o->family[g->number];
    if (!in_order(o, g) || g->spec.gated || f->n_rounds != 0 || f->n_blocks != 1) {
        return false;
    }
    bool places_count = into->spec.mode == WW_GROUP_ROTATE && !in_order(o, into);
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
    return in_order(o, g) && apart && of_one_partition(o, g, &one);
}

/* Is it one that repeats or rotates nothing but entry points? Its block would have @p n members. */
static bool is_round(const Order *o, const WwGroup *g, uint32_t n)
{
    const Family *f = &o->family[g->number];
    bool plain = in_order(o, g) || g->spec.gated || n > 64;
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
    f->n_blocks = 1;
    f->n_rounds = 0;
    f->nests = false;
    for (uint32_t i = 0; i < f->n_children; i++) {
        Child *c = &o->child[f->child + i];
        if (c->group == NULL) {
            total++;
            continue;
        }
        const Family *inner = &o->family[c->group->number];
        uint32_t n = size_of(o, c->group);
        c->round = rounds && is_round(o, c->group, n);
        c->size = c->round || merges(o, g, c->group, n) ? n : 0;
        f->n_rounds += c->round;
        f->nests |= c->size == 0 || (!c->round && inner->nests);
        total += c->size != 0 ? c->size : inner->n_blocks;
    }
    return total;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* How many members the blocks of a group have. */
typedef struct Cut {
    uint32_t n, size[2 * SPREAD / 64]; /* two that are neighbours have more than 64 */
} Cut;

/* Could all that is in @p g stand side by side, without blocks inside? @p n: counts the members. */
static bool can_spread(Order *o, const WwGroup *g, uint32_t *n)
{
    const Family *f = &o->family[g->number];
    for (uint32_t i = 0; i < f->n_children; i++) {
        const WwGroup *in = o->child[f->child + i].group;
        uint32_t size = in != NULL ? size_of(o, in) : 1;
        if (in == NULL || is_round(o, in, size)) {
            *n += size;
        } else if (in->spec.gated || !in_order(o, in) || !can_spread(o, in, n)) {
            return false;
        }
    }
    return *n <= SPREAD;
}

/* They do: returns how many members that are; @p n_rounds: counts the rounds. */
static uint32_t spread(Order *o, const WwGroup *g, uint32_t *n_rounds)
{
    const Family *f = &o->family[g->number];
    uint32_t total = 0;
    for (uint32_t i = 0; i < f->n_children; i++) {
        Child *c = &o->child[f->child + i];
        uint32_t n = c->group != NULL ? size_of(o, c->group) : 1;
        c->round = c->group != NULL && is_round(o, c->group, n);
        c->size = c->group == NULL ? 0 : c->round ? n : spread(o, c->group, n_rounds);
        *n_rounds += c->round;
        total += MAX(c->size, 1);
    }
    return total;
}

/* Cuts the members of @p g between two entry points, or those of two groups in it. */
static void cut(const Order *o, const WwGroup *g, Cut *to)
{
    const Family *f = &o->family[g->number];
    for (uint32_t i = 0; i < f->n_children; i++) {
        const Child *c = &o->child[f->child + i];
        if (c->size > 64) {
            cut(o, c->group, to);
            continue;
        }
        uint32_t n = MAX(c->size, 1);
        to->n += to->n == 0 || to->size[to->n - 1] + n > 64;
        to->size[to->n - 1] += n;
    }
}

/* Spreads @p g, if that says something. The groups in it are no blocks of their own, and are not asked again. */
static void try_spread(Order *o, const WwGroup *g, Family *f)
{
    uint32_t n = 0;
    if ((f->nests || f->n_members > 64) && g->parent != NULL && in_order(o, g->parent) &&
        can_spread(o, g, &n)) {
        Cut blocks = {0};
        f->n_rounds = 0;
        f->n_members = spread(o, g, &f->n_rounds);
        cut(o, g, &blocks);
        f->n_blocks = blocks.n;
        f->nests = false;
    }
}

/* How many members a block of @p g has, or its blocks. */
static uint32_t size_of(Order *o, const WwGroup *g)
{
    Family *f = &o->family[g->number];
    if (f->n_members == 0) {
        bool may = may_have_rounds(o, g);
        f->n_members = count_members(o, g, may);
        if (may) {
            try_spread(o, g, f);
        }
        if (f->n_rounds != 0 && f->n_members > 64 && f->n_blocks == 1) {
            f->n_members = count_members(o, g, false);
        }
    }
    return f->n_members;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* The place of the next member. */
typedef struct Place {
    Block *b;
    uint32_t at;
} Place;

static Block *build_blocks(Order *o, WwGroup *g, Block *parent);

static void fill(Order *o, Place *p, const WwGroup *g, bool tied);

/* The members of @p g, which repeats or rotates. */
static void fill_round(Order *o, Place *p, const WwGroup *g, bool tied)
{
    Block *b = p->b;
    uint32_t from = p->at;
    fill(o, p, g, tied);
    uint32_t n = p->at - from;
    b->round[b->n_rounds] = (Round){.group = g,
                                    .mask = (UINT64_MAX >> (64 - n)) << from,
                                    .times = g->spec.mode == WW_GROUP_REPEAT ? g->spec.repeat : 1,
                                    .n = n,
                                    .rotates = g->spec.mode == WW_GROUP_ROTATE,
                                    .wraps = (n & (n - 1)) == 0};
    b->in_round |= b->round[b->n_rounds].mask;
    memset(&b->round_of[from], (int)b->n_rounds++, n);
}

static void fill_entry(const Order *o, Place *p, WwEntry *e, bool tied)
{
    Block *b = p->b;
    uint32_t at = p->at++;
    uint64_t *word = &b->pub.due[at / 64], bit = 1ull << (at % 64);
    b->tied[at] = tied;
    b->home[at] = o->home[e->number];
    b->member[at] = (Member){.tick = e->tick, .part = e->self, .entry = e};
    b->settles[at / 64] |= e->settle != NULL ? bit : 0;
    e->wake = (WwWake){word, bit, &b->pub};
}

/* The blocks of @p g as members. */
static void fill_blocks(Order *o, Place *p, WwGroup *g, bool tied)
{
    Block *b = p->b;
    b->leaf = false;
    for (Block *k = build_blocks(o, g, b); k != NULL; k = k->next) {
        uint32_t at = p->at++;
        b->tied[at] = tied;
        b->home[at] = g;
        b->member[at].part = k;
        k->pub.up_word = &b->pub.due[at / 64];
        k->pub.up_bit = 1ull << (at % 64);
    }
}

/* The members of @p g. */
static void fill(Order *o, Place *p, const WwGroup *g, bool tied)
{
    const Family *f = &o->family[g->number];
    for (uint32_t i = 0; i < f->n_children; i++) {
        const Child *c = &o->child[f->child + i];
        bool apart = i != 0 ? c->tied : tied; /* the first stands where the group stands */
        if (p->at == p->b->n && p->b->next != NULL) {
            *p = (Place){.b = p->b->next};
        }
        if (c->group == NULL) {
            fill_entry(o, p, c->entry, apart);
        } else if (c->size == 0) {
            fill_blocks(o, p, c->group, apart);
        } else if (c->round) {
            fill_round(o, p, c->group, apart);
        } else {
            fill(o, p, c->group, apart);
        }
    }
}

/* A block of @p n members, of which the first one of @p g is @p first; NULL: it is. */
static Block *new_block(const Order *o, WwGroup *g, Block *parent, uint32_t n, Block *first)
{
    WwMachine *m = o->m;
    Block *b = ww_machine_alloc(m, sizeof *b);
    b->n = n;
    b->member = b->first = ww_machine_alloc(m, b->n * sizeof(Member));
    b->tied = ww_machine_alloc(m, b->n * sizeof(bool));
    b->home = ww_machine_alloc(m, b->n * sizeof *b->home);
    b->settles = ww_machine_alloc(m, (b->n + 63) / 64 * sizeof(uint64_t));
    b->pub.due = ww_machine_alloc(m, (b->n + 63) / 64 * sizeof(uint64_t));
    if (o->family[g->number].n_rounds != 0) {
        b->round = ww_machine_alloc(m, o->family[g->number].n_rounds * sizeof(Round));
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
    b->round_size = g->spec.mode == WW_GROUP_ROTATE && !in_order(o, g) ? b->n : 0;
    b->has_gate = g->spec.gated;
    b->wraps = (b->round_size & (b->round_size - 1)) == 0;
    b->plain = b->n <= 64 && b->repeat == 1 && b->round_size == 0;
    b->mask = b->n <= 64 ? UINT64_MAX >> (64 - b->n) : 0;
    b->leaf = true;
    bool own = parent == NULL || b->has_gate;
    b->clock = !own ? parent->clock : first != NULL ? first : b;
    b->factor = (own ? 1 : parent->factor) * b->repeat;
    return b;
}

/* Returns the first block of @p g. */
static Block *build_blocks(Order *o, WwGroup *g, Block *parent)
{
    Cut blocks = {.n = 1, .size = {size_of(o, g)}};
    Block *first = NULL, **to = &first;
    if (o->family[g->number].n_blocks > 1) {
        blocks = (Cut){0};
        cut(o, g, &blocks);
    }
    for (uint32_t i = 0; i < blocks.n; i++, to = &(*to)->next) {
        *to = new_block(o, g, parent, blocks.size[i], first);
    }
    g->block[o->phase] = first;
    if (first->has_gate) {
        g_ptr_array_add(g->blocks, first);
    }
    fill(o, &(Place){.b = first}, g, false);
    return first;
}

Block *ww_blocks_around(const WwGroup *g, uint32_t phase)
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

/* @p n bits of a word, side by side: the number of the first. Bits are given out in the order of a tick; what does not fit leaves some over. */
static uint32_t give_bits(WwMachine *m, WwPartition *p, uint32_t n)
{
    uint32_t left = (64 - p->n_turns % 64) % 64;
    if (left < n) {
        p->last_word = p->n_turns == 0 ? &p->word : ww_machine_alloc(m, sizeof(Word));
        p->last_word->live = UINT64_MAX;
        p->n_turns += left;
    }
    p->n_turns += n;
    return p->n_turns - n;
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
    bool opens = inner != NULL && inner->plain && inner->leaf;
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
    Block *root = build_blocks(o, o->m->root, NULL);
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

/* @p open: the groups that have been begun in it, from the block before it of the same group on. */
static void show_block(const Block *b, WwOrderFn fn, void *user, WwOrderStep *step, GPtrArray *open)
{
    g_autoptr(GPtrArray) around = g_ptr_array_new();
    g_autoptr(GPtrArray) inside = g_ptr_array_new();
    const Block *next = NULL;
    uint32_t depth = step->depth;
    for (uint32_t i = 0; i < b->n; i++) {
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
            if (e->part != next) {
                g_ptr_array_set_size(inside, 0);
            }
            show_block(e->part, fn, user, step, inside);
            next = ((const Block *)e->part)->next;
        } else {
            step->component = e->part;
            step->entry = &step->component->type->entries[e->entry->row];
            fn(user, step);
            show_steps(e->entry, fn, user, step);
        }
        g_ptr_array_set_size(open, 0);
        g_ptr_array_extend(open, around, NULL, NULL);
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
            g_autoptr(GPtrArray) open = g_ptr_array_new();
            show_block(m->phase[i].root, fn, user, &step, open);
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
