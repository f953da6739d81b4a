/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of static instructions: summed over the SMs, put in order, packed.
 *
 * A packed instruction is: a Head; two texts with their NUL; then for each number that is not 0 how many were since the last, plus 1, and itself,
 * and a 0. After the last one stands a size of 0. These numbers are in groups of seven bits, lowest first.
 */
#include "pack-priv.h"
#include "work-priv.h"

#include <ports/pcs_rows.h>
#include <results/pcs.h>
#include <warpwright/event_log.h>

#include <stdlib.h>
#include <string.h>

#define FEW_ENTRIES 256u /* For which there is room at once. */

/* ---- summing ---------------------------------------------------------------------------------------------------- */

/* An instruction, and where its figures are: the row of the first SM that has one, and the links to those of others. */
typedef struct Entry {
    WwPcsRow *row;
    uint64_t pc;
    uint32_t kernel; /* uid */
    uint32_t id;
    uint32_t last; /* 1 + number of a link, or 0 */
} Entry;

typedef struct Link {
    WwPcsRow *row;
    uint32_t before; /* as Entry.last */
} Link;

/* Where the instructions of a kernel are. */
typedef struct Places {
    uint32_t kernel, room;
    uint32_t *of; /* by id: 1 + number of an entry, or 0 */
} Places;

/* Instructions that are packed one behind the other. */
typedef struct Packed {
    uint8_t *bytes;
    size_t n, room;
} Packed;

/* Between kernels there is nothing but room. */
struct WwPcsSum {
    Entry *entry;
    Link *link;
    Places *places; /* few kernels are in an SM at a time */
    Places *last;   /* neighbours are often of one kernel */
    uint32_t n, room, n_links, room_for_links, n_kernels, room_for_kernels;
    Packed packed;
};

static Places *places_of(WwPcsSum *s, uint32_t kernel)
{
    for (uint32_t i = 0; i < s->n_kernels; i++) {
        if (s->places[i].kernel == kernel) {
            return &s->places[i];
        }
    }
    if (s->n_kernels == s->room_for_kernels) {
        s->places = g_renew(Places, s->places, 2 * s->room_for_kernels + 1);
        memset(s->places + s->room_for_kernels, 0, (s->room_for_kernels + 1) * sizeof *s->places);
        s->room_for_kernels = 2 * s->room_for_kernels + 1;
    }
    s->places[s->n_kernels].kernel = kernel;
    return &s->places[s->n_kernels++];
}

static void more_places(Places *p, uint32_t id)
{
    uint32_t room = MAX(2 * p->room, MAX(id + 1, FEW_ENTRIES));
    p->of = g_renew(uint32_t, p->of, room);
    memset(p->of + p->room, 0, (room - p->room) * sizeof *p->of);
    p->room = room;
}

static bool add_row(void *user, WwPcsRow *row);

/* There is no room for another one, or none that is known for @p row. */
static __attribute__((noinline)) bool add_with_room(WwPcsSum *s, WwPcsRow *row)
{
    if (s->last == NULL || s->last->kernel != row->kernel) {
        s->last = places_of(s, row->kernel);
    }
    if (row->id >= s->last->room) {
        more_places(s->last, row->id);
    }
    if (s->n == s->room) {
        s->room = MAX(2 * s->room, FEW_ENTRIES);
        s->entry = g_renew(Entry, s->entry, s->room);
    }
    return add_row(s, row);
}

static __attribute__((noinline)) bool add_link(WwPcsSum *s, Entry *e, WwPcsRow *row)
{
    if (G_UNLIKELY(s->n_links == s->room_for_links)) {
        s->room_for_links = MAX(2 * s->room_for_links, FEW_ENTRIES);
        s->link = g_renew(Link, s->link, s->room_for_links);
    }
    s->link[s->n_links] = (Link){row, e->last};
    e->last = ++s->n_links;
    return true;
}

/* Calls nothing but at its end: it is called for each row of each SM. */
static bool add_row(void *user, WwPcsRow *row)
{
    WwPcsSum *s = user;
    const Places *p = s->last;
    if (G_UNLIKELY(p == NULL || p->kernel != row->kernel || row->id >= p->room ||
                   s->n == s->room)) {
        return add_with_room(s, row);
    }
    uint32_t *of = &p->of[row->id];
    if (*of != 0) {
        return add_link(s, &s->entry[*of - 1], row);
    }
    s->entry[s->n] = (Entry){row, row->pc, row->kernel, row->id, 0};
    *of = ++s->n;
    return true;
}

static void empty(WwPcsSum *s)
{
    for (uint32_t i = 0; i < s->n_kernels; i++) {
        memset(s->places[i].of, 0, s->places[i].room * sizeof *s->places[i].of);
    }
    s->n = s->n_links = s->n_kernels = 0;
    s->packed.n = 0;
    s->last = NULL;
}

void ww_pcs_free(WwResults *r)
{
    WwPcsSum *s = r->sum;
    for (uint32_t i = 0; i < s->room_for_kernels; i++) {
        g_free(s->places[i].of);
    }
    g_free(s->places);
    g_free(s->entry);
    g_free(s->link);
    g_free(s->packed.bytes);
    g_free(s);
    g_ptr_array_unref(r->pcs);
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Those of kernel @p first come first. */
static gint in_order(gconstpointer a, gconstpointer b, gpointer first)
{
    const Entry *x = *(Entry *const *)a, *y = *(Entry *const *)b;
    uint32_t own = *(const uint32_t *)first;
    int d = order(x->pc, y->pc);
    if (G_UNLIKELY(x->kernel != y->kernel)) {
        d = order(x->kernel != own, y->kernel != own);
        return d != 0 ? d : order(x->kernel, y->kernel);
    }
    return d != 0 ? d : order(x->id, y->id);
}

/* All that were met, by kernel and number; are they of one kernel? */
static bool by_number(const WwPcsSum *s, Entry **in)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_kernels; i++) {
        const Places *p = &s->places[i];
        for (uint32_t id = 0; id < p->room; id++) {
            if (p->of[id] != 0) {
                in[n++] = &s->entry[p->of[id] - 1];
            }
        }
    }
    return s->n_kernels == 1;
}

/* Puts @p in, which are by number, in the order of their pcs; false: these are too far apart. */
static bool by_pc(Entry **in, uint32_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        sorted = sorted && (i == 0 || in[i - 1]->pc < in[i]->pc);
        least = MIN(least, in[i]->pc);
        most = MAX(most, in[i]->pc);
    }
    if (sorted || (most - least) / 64 > n + 64) {
        return sorted;
    }
    g_autofree uint32_t *before = g_new0(uint32_t, most - least + 2); /* each pc, so many are */
    g_autofree Entry **from = g_memdup2((void *)in, n * sizeof *in);
    for (uint32_t i = 0; i < n; i++) {
        before[from[i]->pc - least + 1]++;
    }
    for (uint64_t pc = 1; pc <= most - least; pc++) {
        before[pc] += before[pc - 1];
    }
    for (uint32_t i = 0; i < n; i++) {
        in[before[from[i]->pc - least]++] = from[i];
    }
    return true;
}

/*
 * The instructions, those of kernel @p own first, by pc. A trace numbers them as it comes to them, which mostly is that order; SMs that are at different
 * places of a kernel meet them in another one.
 */
static Entry **put_in_order(const WwPcsSum *s, uint32_t own)
{
    Entry **in = g_new(Entry *, s->n + 1);
    if (!by_number(s, in) || !by_pc(in, s->n)) {
        g_qsort_with_data((void *)in, (gint)s->n, sizeof *in, in_order, &own);
    }
    return in;
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

typedef struct Head {
    uint32_t size; /* of all; 0: there is none */
    uint32_t kernel, line;
    uint16_t opcode, letters; /* of the first text, of both */
    uint64_t pc, n_slots;
} Head;

#define MOST_REGISTER 28u /* Bytes, and what a number may change behind it. */

static inline char *put_register(char *at, uint32_t number)
{
    if (number == WW_ZERO_REG) {
        memcpy(at, " RZ", 3);
        return at + 3;
    }
    memcpy(at, " R", 2);
    return ww_event_number(at + 2, number - 1);
}

/* "R2 <- R4 R6"; without what there is none of. @p at - 1 may change. */
static char *put_registers(char *at, const WwSinst *s)
{
    char *to = at - 1;
    if (s->dst != 0) {
        to = put_register(to, s->dst);
    }
    if (s->dst != 0 || s->nsrc != 0) {
        memcpy(to, " <-", 3);
        to += 3;
    }
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (s->src[i] != 0) {
            to = put_register(to, s->src[i]);
        }
    }
    return MAX(to, at);
}

static uint8_t *room_for(Packed *p, size_t n)
{
    if (p->room - p->n < n) {
        p->room = 2 * (p->room + n);
        p->bytes = g_realloc(p->bytes, p->room);
    }
    return p->bytes + p->n;
}

/* Numbers of WwPcCounts, in their order. */
typedef struct Numbers {
    uint8_t *to;
    uint32_t next; /* the one behind the last */
} Numbers;
#define AT(field) ((uint32_t)(offsetof(WwPcCounts, field) / sizeof(uint64_t)))

static inline __attribute__((always_inline)) void put(Numbers *n, uint32_t at, uint64_t v)
{
    if (v != 0) {
        *n->to = (uint8_t)(1 + at - n->next);
        n->to = ww_pack_number(n->to + 1, v);
        n->next = at + 1;
    }
}
G_STATIC_ASSERT(WW_PC_COUNTS < 127);

/* @p count: a constant. Most are 0. */
#define TOGETHER 8u
static inline __attribute__((always_inline)) void put_all(Numbers *n, uint32_t at,
                                                          const uint64_t *v, uint32_t count)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; i += TOGETHER) {
        if (ww_pcs_any(v + i, MIN(TOGETHER, count - i))) {
#pragma GCC unroll 8
            for (uint32_t k = i; k < MIN(i + TOGETHER, count); k++) {
                put(n, at + k, v[k]);
            }
        }
    }
}

/* As ww_pack_values() would pack a WwPcCounts. */
static uint8_t *put_row(uint8_t *to, const WwPcsRow *r)
{
    Numbers n = {.to = to};
    put(&n, AT(issues), ww_pcs_issues(r));
    put(&n, AT(lanes), ww_pcs_lanes(r));
    put_all(&n, AT(slots), r->slots, WW_N_STALLS);
    put(&n, AT(slots[WW_SLOT_ISSUED]), ww_pcs_slots_issued(r));
    put_all(&n, AT(states[WW_PCS_FIRST_STATE]), r->states + WW_PCS_FIRST_STATE, WW_PCS_STATES);
    put(&n, AT(transactions), r->transactions);
    put_all(&n, AT(requests), &r->requests, WW_PCS_MEMORY);
    *n.to = 0;
    return n.to + 1;
}
G_STATIC_ASSERT(AT(issues) == 0 && AT(lanes) == 1 && AT(slots) == 2);
G_STATIC_ASSERT(AT(states) == AT(slots) + WW_N_SLOTS &&
                AT(transactions) == AT(states) + WW_N_WARP_STATES);
G_STATIC_ASSERT(AT(requests) == AT(transactions) + 1 &&
                AT(requests) + WW_PCS_MEMORY == WW_PC_COUNTS);

#define MOST_LETTERS 1024u /* Of an opcode. */
#define MOST_REGISTERS ((1 + WW_MAX_SRC) * MOST_REGISTER + 4)
#define MOST_BYTES (sizeof(Head) + MOST_LETTERS + MOST_REGISTERS + WW_VALUES_MOST(WW_PC_COUNTS))
G_STATIC_ASSERT(MOST_LETTERS + MOST_REGISTERS <= UINT16_MAX);

/* Returns where it ends, behind the place of its NUL. */
static inline uint8_t *put_opcode(uint8_t *at, const WwSinst *s)
{
    size_t letters = s->letters;
    if (G_LIKELY(letters != 0 && letters <= WW_OPCODE_ROOM)) {
        memcpy(at, s->opcode, WW_OPCODE_ROOM); /* so many are there */
    } else {
        letters = strnlen(s->opcode, MOST_LETTERS);
        memcpy(at, s->opcode, letters);
    }
    return at + letters + 1;
}

static void pack_entry(Packed *p, const Entry *e, const WwSinst *s)
{
    static const WwSinst unknown = {.opcode = ""};
    s = s != NULL ? s : &unknown;
    uint8_t *from = room_for(p, MOST_BYTES), *text = from + sizeof(Head),
            *registers = put_opcode(text, s);
    char *end = put_registers((char *)registers, s);
    registers[-1] = *end = '\0';
    Head head = {.kernel = e->kernel,
                 .line = s->line,
                 .opcode = (uint16_t)(registers - text),
                 .letters = (uint16_t)((uint8_t *)end + 1 - text),
                 .pc = e->pc,
                 .n_slots = ww_pcs_slots(e->row)};
    head.size = (uint32_t)(put_row((uint8_t *)end + 1, e->row) - from);
    memcpy(from, &head, sizeof head);
    p->n += head.size;
}

/* The figures of all SMs are in the first one's row. */
static void add_up(const WwPcsSum *s, Entry *e)
{
    for (uint32_t i = e->last; i != 0; i = s->link[i - 1].before) {
        ww_pcs_merge(e->row, s->link[i - 1].row);
        ww_pcs_clear(s->link[i - 1].row);
    }
}

static inline void nothing(uint64_t *v)
{
#pragma GCC unroll 32
    for (uint32_t i = 0; i + 2 <= WW_PC_COUNTS; i += 2) {
        *(WwAnyTwo *)(v + i) = (WwAnyTwo){0, 0};
    }
    v[WW_PC_COUNTS - 1] = 0;
}

/* All but the figures of the instruction at @p at, which begin where is returned; NULL: there is none. Its size is in @p size. */
static inline const uint8_t *unpack_head(const uint8_t *at, uint32_t *size, WwPcEntry *out)
{
    Head head;
    *size = 0;
    if (at != NULL) {
        memcpy(size, at, sizeof *size);
    }
    if (*size == 0) {
        return NULL;
    }
    memcpy(&head, at, sizeof head);
    out->kernel = head.kernel;
    out->pc = head.pc;
    out->line = head.line;
    out->n_slots = head.n_slots;
    out->opcode = (const char *)at + sizeof head;
    out->registers = out->opcode + head.opcode;
    out->letters = head.letters;
    return at + sizeof head + head.letters;
}

bool ww_pcs_look(const uint8_t **at, WwPcEntry *out)
{
    uint32_t size;
    if (unpack_head(*at, &size, out) == NULL) {
        return false;
    }
    *at += size;
    return true;
}

bool ww_pcs_next(const uint8_t **at, WwPcEntry *out)
{
    uint32_t size, k = 0;
    const uint8_t *from = unpack_head(*at, &size, out);
    if (from == NULL) {
        return false;
    }
    uint64_t *v = (uint64_t *)&out->n, some = 0, gap;
    nothing(v);
    for (; (gap = ww_unpack_number(&from)) != 0; k++) {
        k += (uint32_t)gap - 1;
        some |= 1ull << k;
        v[k] = ww_unpack_number(&from);
    }
    out->some = some;
    *at += size;
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* The table of the provider that a type is, if it is one. */
static const WwPcsIf *table_of(const WwType *type)
{
    const WwPortRow *row;
    for (WW_ROWS(type->ports, row)) {
        if (row->role == WW_PROVIDES && row->contract == &ww_contract_pcs) {
            return row->table;
        }
    }
    return NULL;
}

/* Those that have such figures. A machine has thousands of components of some twenty types. */
void ww_pcs_begin(WwResults *r)
{
    r->pcs = g_ptr_array_new();
    r->sum = g_new0(WwPcsSum, 1);
    if (ww_results_column(r, "pcs", "states") == NULL) {
        return;
    }
    const WwMachine *m = r->machine;
    for (uint32_t t = 0; t < ww_machine_n_types(m); t++) {
        bool counts = table_of(ww_machine_first(m, t)->type) != NULL;
        for (uint32_t n = counts ? ww_machine_n_of(m, t) : 0, i = 0; n != 0; n--, i++) {
            i = ww_machine_next(m, t, i);
            g_ptr_array_add(r->pcs, ww_machine_component(m, i));
        }
    }
}

static void pack(WwResults *r, WwResultKernel *k, WwPcFindFn find, void *user)
{
    WwPcsSum *sum = r->sum;
    g_autofree Entry **in = put_in_order(sum, k->uid);
    Packed *packed = &sum->packed;
    for (uint32_t i = 0; i < sum->n; i++) {
        add_up(sum, in[i]);
        pack_entry(packed, in[i], find(user, in[i]->kernel, in[i]->id));
        ww_pcs_clear(in[i]->row);
    }
    memset(room_for(packed, sizeof(uint32_t)), 0, sizeof(uint32_t));
    packed->n += sizeof(uint32_t);
    k->pcs = ww_heap_resize(r->heap, NULL, packed->n);
    memcpy(k->pcs, packed->bytes, packed->n);
    empty(sum);
}

void ww_pcs_add(WwResults *r, WwResultKernel *k, WwPcFindFn find, void *user)
{
    for (uint32_t i = 0; i < r->pcs->len; i++) {
        WwComponent *c = r->pcs->pdata[i];
        table_of(c->type)->take(c, add_row, r->sum);
    }
    if (r->pcs->len != 0) {
        pack(r, k, find, user);
    }
}
