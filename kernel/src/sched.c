/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run loop: one tick after the other, each the timed events due, then the phases whose domain fires.
 *
 * A phase is a tree of blocks; each block has a bit per member, set when the member is due. Walking takes the lowest set bit, clears it and
 * runs the member: a wake for a place still to come is seen in the same walk, one for a place already passed stays for the next. What is not due
 * costs nothing; when nothing at all is due, time is skipped edge by edge to the next timed event (additions of the clock, no more).
 */
#include "at_work-priv.h"
#include "interrupt-priv.h"
#include "machine-priv.h"
#include "turn-priv.h"

static uint64_t nobody_word;
static WwBlock nobody = {.due = &nobody_word, .stopped = true};

WwWake ww_wake_none(void)
{
    /* its bit is always set: a wake that wakes nobody costs one test */
    nobody_word = 1;
    return (WwWake){&nobody_word, 1, &nobody};
}

WwWake ww_wake_of(void *self, uint32_t entry)
{
    return ((WwComponent *)self)->entries[entry].wake;
}

static inline void pass_up(WwBlock *b)
{
    while (!b->stopped && !(*b->up_word & b->up_bit)) {
        *b->up_word |= b->up_bit;
        b = b->parent;
    }
}

/* A wake that leaves its partition. */
static void __attribute__((noinline)) post(Post *post)
{
    WwPartition *from = post->from;
    if (ww_partition_alone(from) && !from->machine->serving) {
        *WW_LIST_ADD(from->machine, &from->posts) = post;
        from->hold = true;
    } else {
        post->due = 0;
        pass_up(&post->block);
    }
}

void ww_block_up(WwBlock *b)
{
    if (G_UNLIKELY(b->post)) {
        post((Post *)b);
    } else {
        pass_up(b);
    }
}

WwEntry *ww_entry_of(const WwWake *w)
{
    if (w->block == &nobody) {
        return NULL;
    }
    if (w->block->step) {
        return ((WwStep *)w->block)->entry;
    }
    if (w->block->share) {
        const Share *s = (const Share *)w->block;
        return s->inner != NULL ? s->inner->first[__builtin_ctzll(w->bit)].entry : s->entry;
    }
    if (w->block->post) {
        const Post *post = (const Post *)w->block;
        ww_assert(!ww_partition_alone(post->from)); /* nobody is told when a window goes on */
        return post->entry;
    }
    Block *b = (Block *)w->block;
    size_t i = (size_t)(w->word - b->pub.due) * 64 + (size_t)__builtin_ctzll(w->bit);
    return b->member[i].entry;
}

WwTurns ww_turns_of(const WwWake *w, const void *channel)
{
    const WwEntry *e = ww_turn_of(ww_entry_of(w));
    const WwDomain *d = e != NULL ? e->domain : ((const WwComponent *)channel)->domain;
    WwPartition *p = e != NULL ? e->partition : d->partition;
    ww_use_time(p, d->index);
    return (WwTurns){p, d->index, e != NULL ? (int32_t)e->phase : -1};
}

/* The block whose member number *@p i is an entry point. */
static const Block *block_of(const WwEntry *e, uint32_t *i)
{
    const WwWake *w = &e->wake;
    const Block *b = (const Block *)w->block;
    *i = (uint32_t)__builtin_ctzll(w->bit);
    if (w->block->share) {
        const Share *s = (const Share *)w->block;
        b = s->inner != NULL ? s->inner : s->of;
        *i = s->inner != NULL ? *i - b->shift : s->member;
    }
    return b;
}

uint32_t ww_turns_an_edge(const WwWake *w)
{
    const WwEntry *e = ww_entry_of(w);
    uint32_t n = 1;
    for (; e != NULL && e->step != NULL; e = e->owner) {
        n *= e->step->turns;
    }
    if (e == NULL) {
        return n;
    }
    uint32_t i;
    const Block *b = block_of(e, &i);
    const Round *r = ww_round_of(b, i);
    return n * b->factor * (r != NULL ? r->times : 1);
}

int32_t ww_place_in_turn(const WwWake *w, const void **among)
{
    const WwEntry *e = ww_entry_of(w);
    uint32_t i;
    *among = NULL;
    if (e == NULL || e->step != NULL) {
        return -1;
    }
    const Block *b = block_of(e, &i);
    *among = b;
    return b->plain && b->factor == 1 && ww_round_of(b, i) == NULL ? (int32_t)i : -1;
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

/* A turn of a block that lies open in its partition's word. Is something due in it again? */
static bool run_open(WwMachine *m, Share *s, uint64_t turn)
{
    Block *b = s->inner;
    if (b->closed) {
        return false;
    }
    s->block.stopped = true;
    ww_run_open(m, b, turn, false, m->no_sleep);
    s->block.stopped = b->closed;
    return !b->closed && (*s->word & s->mask) != 0;
}

/* Runs member @p i, whose bit in word @p w is @p bit and was cleared. @p share: of a block in which partitions meet, else NULL. */
WW_WALK void run_member(WwMachine *m, Block *b, uint32_t i, uint64_t *w, uint64_t bit,
                        uint64_t turn, Share *share)
{
    Member *k = &b->member[i];
    b->at = i;
    if (share != NULL) {
        if (share->inner != NULL) {
            *w |= run_open(m, share, turn) ? bit : 0;
            return;
        }
        *share->word &= ~share->mask;
    }
    if (k->tick == NULL) {
        ww_run_block(m, k->part, turn);
        return;
    }
    b->ran++;
    ww_catch_up(k, &b->settles[i / 64], bit, turn);
    if (ww_run_entry(k, turn)) {
        *w |= bit; /* the block is being walked: nothing to pass up */
        if (share != NULL) {
            *share->word |= share->mask;
        }
    }
}

/* Runs the members of word @p w of the block that are due and in @p open, in order, those that become due meanwhile too. */
WW_WALK void walk_word(WwMachine *m, Block *b, uint32_t w, uint64_t open, uint64_t turn, bool meet)
{
    uint64_t due, *word = &b->pub.due[w];
    while ((due = *word & open) != 0) {
        uint32_t i = (uint32_t)__builtin_ctzll(due);
        uint64_t bit = due & -due;
        open &= -bit ^ bit; /* those behind it */
        *word ^= bit;
        i += w * 64;
        run_member(m, b, i, word, bit, turn, meet ? b->share[i] : NULL);
    }
}

/* Runs the due members among lo..hi-1. */
static void walk_range(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t w = lo / 64; w * 64 < hi; w++) {
        uint64_t open = w == lo / 64 ? UINT64_MAX << (lo % 64) : UINT64_MAX;
        if (hi - w * 64 < 64) {
            open &= (1ull << (hi - w * 64)) - 1;
        }
        walk_word(m, b, w, open, turn, b->share != NULL);
    }
}

static void walk_all(WwMachine *m, Block *b, uint32_t lo, uint32_t hi, uint64_t turn)
{
    for (uint32_t i = lo; i < hi; i++) {
        uint64_t *word = &b->pub.due[i / 64], bit = 1ull << (i % 64);
        *word &= ~bit;
        run_member(m, b, i, word, bit, turn, b->share != NULL ? b->share[i] : NULL);
    }
}

bool ww_block_due(const Block *b)
{
    if (b->mask != 0) {
        return (*b->pub.due & b->mask) != 0;
    }
    for (uint32_t w = 0; w * 64 < b->n; w++) {
        if (b->pub.due[w] != 0) {
            return true;
        }
    }
    return false;
}

/* The member of a block that goes first in its turn @p t. */
static inline uint32_t first_of(const Block *b, uint64_t t)
{
    return b->round_size == 0 ? 0 : ww_goes_first(t, b->from, b->round_size, b->wraps);
}

/* One turn of a block that has several, a rotation, many members, or in which partitions meet. */
static void walk_turns(WwMachine *m, Block *b, uint64_t turn)
{
    for (uint32_t r = 0; r < b->repeat; r++) {
        uint64_t t = turn * b->repeat + r;
        uint32_t first = first_of(b, t);
        if (b->mask != 0 && b->share == NULL) {
            uint64_t before = (1ull << first) - 1;
            ww_run_some(m, b, t, b->mask & ~before, true, m->no_sleep);
            if (first != 0) {
                ww_run_some(m, b, t, before, true, m->no_sleep);
            }
        } else if (m->no_sleep) {
            walk_all(m, b, first, b->n, t);
            walk_all(m, b, 0, first, t);
        } else {
            walk_range(m, b, first, b->n, t);
            if (first != 0) {
                walk_range(m, b, 0, first, t);
            }
        }
        if (!m->no_sleep && !ww_block_due(b)) {
            break;
        }
    }
}

void ww_walk(WwMachine *m, Block *b, uint64_t turn)
{
    b->pub.stopped = b->walking = true;
    if (!b->plain) {
        walk_turns(m, b, turn);
    } else if (b->leaf && b->in_round == 0 && !m->no_sleep) {
        ww_run_straight(b, turn);
    } else if (b->leaf) {
        ww_run_some(m, b, turn, b->mask, false, m->no_sleep);
    } else {
        ww_run_some(m, b, turn, b->mask, true, m->no_sleep);
    }
    b->walking = false;
    if (G_UNLIKELY(b->closing)) {
        ww_close_blocks(b, b->domain->cycle + 1);
        if (b->closed) {
            return;
        }
    }
    b->pub.stopped = false;
    if (!(*b->pub.up_word & b->pub.up_bit) && ww_block_due(b)) {
        *b->pub.up_word |= b->pub.up_bit;
        if (!b->pub.parent->stopped) {
            ww_block_up(b->pub.parent);
        }
    }
}

/* ---- gates ------------------------------------------------------------------------------------------------------ */

/*
 * A gated group inside of another one is clocked where both gates are open. So that the walk asks one flag, `closed` speaks for all gates around a
 * block, and what a gate changes is handed down to the gated groups inside. It counts from the same edge there: none of them is being walked, and the
 * walk has gone past all of them, or none.
 */

/* Turns that the members of @p b have had a right to, by the end of the last completed (or open) edge. */
static uint64_t turns_of(const Block *b, WwCycle cycle)
{
    const Block *c = b->clock;
    WwCycle edges = (c->has_gate && c->closed ? c->closed_at : cycle) - c->skipped;
    return edges * b->factor;
}

static void settle_members(Block *b, WwCycle cycle)
{
    uint64_t turns_here = turns_of(b, cycle);
    for (uint32_t i = 0; i < b->n; i++) {
        Member *k = &b->member[i];
        if (k->tick == NULL) {
            settle_members(k->part, cycle);
            continue;
        }
        const Round *r = ww_round_of(b, i);
        uint64_t turns = turns_here * (r != NULL ? r->times : 1);
        bool settles = k->entry->settle != NULL;
        if (turns > k->turns) {
            if (settles) {
                k->entry->settle(k->part, k->entry->row, turns - k->turns);
            }
            k->turns = turns;
        }
        if (settles) {
            ww_settle_steps(k->entry);
        }
    }
}

void ww_block_settle(WwMachine *m, Block *b)
{
    settle_members(b, b->domain->cycle);
}

static void close_one(Block *b, WwCycle at)
{
    settle_members(b, at);
    b->closing = false;
    b->closed = b->pub.stopped = true;
    b->closed_at = at;
    if (b->open != NULL) {
        b->open->block.stopped = true;
        *b->open->live &= ~b->mask;
    }
}

/* The gated group whose first block is @p first is not clocked from edge @p at on, and neither are those inside. */
static void stop_group(Block *first, WwCycle at)
{
    for (Block *b = first; b != NULL; b = b->next) {
        close_one(b, at);
    }
    for (const WwGroup *g = first->group->inner; g != NULL; g = g->beside) {
        Block *inner = g->block[first->phase];
        if (inner != NULL && !inner->closed) {
            stop_group(inner, at);
        }
    }
}

void ww_close_blocks(Block *b, WwCycle at)
{
    b->closing = false;
    for (const Block *k = b->next; k != NULL; k = k->next) {
        if (k->closing && (ww_block_due(k) || b->group->machine->no_sleep)) {
            return; /* it has its turn first */
        }
    }
    stop_group(b->clock, at);
}

static void open_one(Block *b, WwCycle edge)
{
    WwBlock *pub = &b->pub;
    b->skipped += edge - b->closed_at;
    b->closed = b->pub.stopped = false;
    if (b->open != NULL) {
        pub = &b->open->block;
        pub->stopped = ww_partition_alone(b->domain->partition);
        *b->open->live |= b->mask;
    }
    if (ww_block_due(b)) {
        ww_block_up(pub);
    }
}

/* It is clocked from edge @p edge on, and so are those inside whose own gates are open. */
static void start_group(Block *first, WwCycle edge)
{
    for (Block *b = first; b != NULL; b = b->next) {
        open_one(b, edge);
    }
    for (const WwGroup *g = first->group->inner; g != NULL; g = g->beside) {
        Block *inner = g->block[first->phase];
        if (inner != NULL && !inner->shut) {
            start_group(inner, edge);
        }
    }
}

/* Is a gate around the gated group closed? */
static bool is_inside_closed(const Block *first)
{
    const WwGroup *up = first->group->parent, *around = up != NULL ? up->gate : NULL;
    return around != NULL && around->block[first->phase]->closed;
}

/* Has the walk of this tick gone past the block? Then the present edge counts as had. */
static bool passed(const Block *b)
{
    const WwPartition *p = b->domain->partition;
    const WwNow *now = ww_now_of(p);
    if (!(now->fired >> b->domain->index & 1u) || now->phase < (int32_t)b->phase) {
        return false;
    }
    if (now->phase > (int32_t)b->phase) {
        return true;
    }
    for (const WwBlock *at = &b->pub; at->parent != NULL;) {
        if (at->parent->share) {
            const Share *s = (const Share *)at->parent;
            if (p->moment.window != 0 && p->at != NULL && p->at->share != s) {
                return s->number < p->at - p->turn; /* no block above is walked in a window */
            }
            at = at->parent;
            continue;
        }
        const Block *up = (const Block *)at->parent;
        if (up->walking) {
            uint32_t mine =
                (uint32_t)(at->up_word - up->pub.due) * 64 + (uint32_t)__builtin_ctzll(at->up_bit);
            uint32_t first = first_of(up, turns_of(up, up->domain->cycle));
            return (mine + up->n - first) % up->n <= (up->at + up->n - first) % up->n;
        }
        at = &up->pub;
    }
    return false;
}

/* The blocks of a gated group in one phase, of which @p first is the first: are they to be closed at the end of this turn? */
static bool is_closing(const Block *first)
{
    while (first != NULL && !first->closing) {
        first = first->next;
    }
    return first != NULL;
}

static void set_closing(Block *b, bool closing)
{
    for (; b != NULL; b = b->next) {
        b->closing = closing;
    }
}

static void open_blocks(Block *first)
{
    first->shut = false;
    if (is_closing(first)) {
        set_closing(first, false);
    } else if (first->closed && !is_inside_closed(first)) {
        start_group(first, first->domain->cycle + (passed(first) ? 1 : 0));
    }
}

static void close_blocks(Block *first)
{
    Block *now = first;
    first->shut = true;
    while (now != NULL && !now->walking) {
        now = now->next;
    }
    if (first->closed || is_closing(first)) {
        return;
    }
    if (now != NULL) {
        set_closing(now, true); /* those behind it have their turns, too */
    } else {
        ww_close_blocks(first, first->domain->cycle + (passed(first) ? 1 : 0));
    }
}

void ww_gate(void *self, bool open)
{
    WwGroup *g = ((WwComponent *)self)->group->gate;
    for (uint32_t i = 0; g != NULL && i < g->blocks->len; i++) {
        Block *first = g_ptr_array_index(g->blocks, i);
        if (open) {
            open_blocks(first);
        } else {
            close_blocks(first);
        }
    }
}

void ww_rotate_from(void *self, WwCycle edge)
{
    const WwGroup *g = ((WwComponent *)self)->group;
    while (g != NULL && g->spec.mode != WW_GROUP_ROTATE) {
        g = g->parent;
    }
    for (uint32_t p = 0; g != NULL && p < g->machine->n_phases; p++) {
        Block *b = ww_blocks_around(g, p);
        if (g->block[p] != NULL) {
            b->from = edge;
        }
        for (; b != NULL; b = b->next) {
            for (uint32_t i = 0; i < b->n_rounds; i++) {
                if (b->round[i].group == g) {
                    b->round[i].from = edge;
                }
            }
        }
    }
}
