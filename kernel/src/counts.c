/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What turns did: how many there were of each entry point, how many left everything as it was, how many were slept and settled later.
 *
 * A machine that counts has a function of ours in the place of each entry point's, one for each row of a descriptor, since a function is told
 * its component and no more. It keeps a copy of what the turn may change (the component's state without its statistics, the memory that it
 * asked for, the state of all that its ports are joined to), and compares. None of this is the model's: it is not in the machine's heap.
 */
#include "counts-priv.h"
#include <inttypes.h>
#include <string.h>

#define ROWS 8u            /* entry points of a type that are counted */
#define OWN (64u << 10)    /* bytes of a component's memory that are looked at */
#define JOINED (16u << 10) /* the same of one that it is joined to */

/* Bytes that a turn may change. */
typedef struct Piece {
    const char *at;
    size_t size;
} Piece;

typedef struct Row {
    WwTickFn tick;
    void (*settle)(void *self, uint32_t entry, uint64_t n);
    uint64_t turns, nothing, one, again, settled;
} Row;

/* Of a component. */
typedef struct Seen {
    WW_VEC(Piece) own;    /* its state but for statistics, and what it asked for */
    WW_VEC(Piece) joined; /* the same of what its ports lead to */
    Row row[ROWS];
} Seen;

struct Counts {
    Seen *seen;        /* by component; NULL: not sealed yet */
    GHashTable *asked; /* component -> GArray of Piece */
    uint32_t n;
    char *
        before; /* of the turns in progress, one behind the other: a step is a turn in its owner's */
    size_t used, room;
};

/* ---- a turn ----------------------------------------------------------------------------------------------------- */

static size_t size_of(const Piece *piece, uint32_t n)
{
    size_t size = 0;
    for (uint32_t i = 0; i < n; i++) {
        size += piece[i].size;
    }
    return size;
}

static void copy(char *to, const Piece *piece, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        memcpy(to, piece[i].at, piece[i].size);
        to += piece[i].size;
    }
}

/* Words (of 8 bytes, or what is left of a piece) that differ from *@p was; 2: or more. */
static uint32_t changes(const char **was, const Piece *piece, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n && found < 2; i++) {
        const char *old = *was, *new = piece[i].at;
        *was += piece[i].size;
        if (memcmp(old, new, piece[i].size) == 0) {
            continue;
        }
        for (size_t at = 0; at < piece[i].size && found < 2; at += sizeof(uint64_t)) {
            found += memcmp(old + at, new + at, MIN(sizeof(uint64_t), piece[i].size - at)) != 0;
        }
    }
    return found;
}

static size_t remember(Counts *counts, const Seen *s)
{
    size_t own = size_of(s->own.v, s->own.n), all = own + size_of(s->joined.v, s->joined.n);
    if (counts->room - counts->used < all) {
        counts->room = (counts->used + all) * 2;
        counts->before = g_realloc(counts->before, counts->room);
    }
    copy(counts->before + counts->used, s->own.v, s->own.n);
    copy(counts->before + counts->used + own, s->joined.v, s->joined.n);
    return all;
}

static WwRest turn(void *self, uint32_t row)
{
    const WwComponent *c = self;
    Counts *counts = c->machine->host->counts;
    Seen *s = &counts->seen[c->id];
    Row *r = &s->row[row];
    size_t size = remember(counts, s), from = counts->used;
    counts->used += size;
    WwRest rest = r->tick(self);
    counts->used = from;
    const char *was = counts->before + from;
    r->turns++;
    uint32_t own = changes(&was, s->own.v, s->own.n);
    if (own < 2 && changes(&was, s->joined.v, s->joined.n) == 0) {
        (*(own == 0 ? &r->nothing : &r->one))++;
    }
    r->again += rest <= WW_AGAIN;
    return rest;
}

#define TURN(n)                                                                                    \
    static WwRest turn_##n(void *self)                                                             \
    {                                                                                              \
        return turn(self, n);                                                                      \
    }
TURN(0)
TURN(1)
TURN(2)
TURN(3)
TURN(4)
TURN(5)
TURN(6)
TURN(7)
static WwRest (*const turns[ROWS])(void *self) = {turn_0, turn_1, turn_2, turn_3,
                                                  turn_4, turn_5, turn_6, turn_7};

static void settle(void *self, uint32_t row, uint64_t n)
{
    const WwComponent *c = self;
    Row *r = &c->machine->host->counts->seen[c->id].row[row];
    r->settled += n;
    r->settle(self, row, n);
}

/* ---- what is looked at ------------------------------------------------------------------------------------------ */

WwTickFn ww_counts_tick(const WwComponent *c, WwTickFn own, uint32_t row)
{
    return c->machine->host->counts != NULL && row < ROWS ? turns[row] : own;
}

void ww_counts_memory(const WwComponent *self, const void *at, size_t size)
{
    Counts *counts = self->machine->host->counts;
    GArray *asked = g_hash_table_lookup(counts->asked, self);
    if (asked == NULL) {
        asked = g_array_new(FALSE, FALSE, sizeof(Piece));
        g_hash_table_insert(counts->asked, (void *)self, asked);
    }
    g_array_append_val(asked, ((Piece){at, size}));
}

static void add_piece(Seen *s, bool joined, const void *at, size_t size)
{
    *(joined ? WW_VEC_ADD(&s->joined) : WW_VEC_ADD(&s->own)) = (Piece){at, size};
}

/* The state of @p c without statistics: what is between them. */
static void add_state(Seen *s, const WwComponent *c, bool joined)
{
    for (size_t at = 0; at < c->type->size;) {
        size_t end = c->type->size, next = end;
        const WwStatRow *row;
        for (WW_ROWS(c->type->stats, row)) {
            if (row->offset >= at && row->offset < end) {
                end = row->offset;
                next = row->offset + row->n * sizeof(uint64_t);
            }
        }
        if (end > at) {
            add_piece(s, joined, (const char *)c + at, end - at);
        }
        at = next;
    }
}

static void add_memory(const Counts *counts, Seen *s, const WwComponent *c, bool joined)
{
    const GArray *asked = g_hash_table_lookup(counts->asked, c);
    size_t left = joined ? JOINED : OWN;
    for (guint i = 0; asked != NULL && i < asked->len && left != 0; i++) {
        const Piece *p = &g_array_index(asked, Piece, i);
        size_t size = MIN(left, p->size);
        add_piece(s, joined, p->at, size);
        left -= size;
    }
}

/* Is @p peer there already, since another port leads to it? */
static bool is_joined(const Seen *s, const WwComponent *peer)
{
    for (uint32_t i = 0; i < s->joined.n; i++) {
        if (s->joined.v[i].at == (const char *)peer) {
            return true;
        }
    }
    return false;
}

void ww_counts_start(WwMachine *m)
{
    Counts *counts = m->host->counts;
    if (counts == NULL) {
        return;
    }
    counts->n = m->info.n;
    counts->seen = g_new0(Seen, counts->n);
    for (uint32_t i = 0; i < counts->n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        Seen *s = &counts->seen[i];
        add_state(s, c, false);
        add_memory(counts, s, c, false);
        for (uint32_t k = 0; k < MIN(ROWS, ww_info(m, i)->type->n_entries); k++) {
            WwEntry *e = &c->entries[k];
            s->row[k] = (Row){.tick = ww_own_tick(c, &c->type->entries[k]), .settle = e->settle};
            e->settle = e->settle != NULL ? settle : NULL;
        }
    }
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *b = &m->bindings.v[i];
        Seen *s = &counts->seen[b->component->id];
        if (b->peer != NULL && b->peer != b->component && !is_joined(s, b->peer)) {
            add_state(s, b->peer, true);
            add_memory(counts, s, b->peer, true);
        }
    }
}

/* ---- the machine ------------------------------------------------------------------------------------------------ */

void ww_machine_count_turns(WwMachine *m)
{
    ww_assert(!m->sealed && m->host->counts == NULL);
    m->host->counts = g_new0(Counts, 1);
    m->host->counts->asked = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
}

void ww_counts_reset(WwMachine *m)
{
    Counts *counts = m->host->counts;
    for (uint32_t i = 0; counts != NULL && i < counts->n; i++) {
        for (uint32_t k = 0; k < ROWS; k++) {
            Row *r = &counts->seen[i].row[k];
            r->turns = r->nothing = r->one = r->again = r->settled = 0;
        }
    }
}

void ww_counts_free(WwMachine *m)
{
    Counts *counts = m->host->counts;
    if (counts == NULL) {
        return;
    }
    for (uint32_t i = 0; i < counts->n; i++) {
        g_free(counts->seen[i].own.v);
        g_free(counts->seen[i].joined.v);
    }
    g_free(counts->seen);
    g_hash_table_unref(counts->asked);
    g_free(counts->before);
    g_free(counts);
    m->host->counts = NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const WwType *const *)a)->name, (*(const WwType *const *)b)->name);
}

/* A row for each entry point of @p type, the sum of all its components. */
static void write_type(const WwMachine *m, const WwType *type, FILE *out)
{
    const Counts *counts = m->host->counts;
    const WwEntryRow *entry;
    uint32_t k = 0;
    for (WW_ROWS(type->entries, entry)) {
        Row sum = {0};
        uint32_t n = 0;
        for (uint32_t i = 0; i < counts->n; i++) {
            if (ww_info(m, i)->component->type == type && k < ROWS) {
                const Row *r = &counts->seen[i].row[k];
                n++;
                sum.turns += r->turns;
                sum.nothing += r->nothing;
                sum.one += r->one;
                sum.again += r->again;
                sum.settled += r->settled;
            }
        }
        k++;
        fprintf(out, "%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                type->name, entry->name, n, sum.turns, sum.nothing, sum.one, sum.again,
                sum.settled);
    }
}

void ww_machine_write_turns(WwMachine *m, FILE *out)
{
    ww_assert(m->sealed && m->host->counts != NULL);
    ww_machine_settle(m);
    fputs("type,entry,components,turns,nothing,one,again,settled\n", out);
    guint n;
    g_autofree const WwType **types = (const WwType **)g_hash_table_get_keys_as_array(m->types, &n);
    qsort((void *)types, n, sizeof *types, by_name);
    for (guint i = 0; i < n; i++) {
        write_type(m, types[i], out);
    }
}
