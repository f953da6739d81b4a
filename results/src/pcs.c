/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of static instructions: summed over the SMs, put in order, packed.
 *
 * A packed instruction is: 1 + uid, pc, line, two texts with their NUL, then for each number that is not 0 how many were since
 * the last, plus 1, and itself, and a 0. After the last one stands a 0. Numbers are in groups of seven bits, lowest first.
 */
#include "pack-priv.h"
#include "work-priv.h"

#include <results/pcs.h>
#include <warpwright/event_log.h>

#include <stdlib.h>
#include <string.h>

#define FEW_ROWS 256u /* For which there is room at once. */

/* ---- summing ---------------------------------------------------------------------------------------------------- */

/* An instruction with its figures. */
typedef struct Row {
    uint64_t pc;
    uint32_t kernel; /* uid */
    uint32_t id;
    WwPcCounts n;
} Row;

/* Where the instructions of a kernel are. */
typedef struct Places {
    uint32_t kernel, room;
    uint32_t *of; /* by id: 1 + place in `rows`, or 0 */
} Places;

/* Between kernels all is 0 but the room that there is. */
struct WwPcsSum {
    Row *rows;
    uint32_t n, room;
    Places *places; /* few kernels are in an SM at a time */
    uint32_t kernels, room_for_kernels;
    Places *last; /* neighbours are often of one kernel */
};

static Places *places_of(WwPcsSum *s, uint32_t kernel)
{
    for (uint32_t i = 0; i < s->kernels; i++) {
        if (s->places[i].kernel == kernel) {
            return &s->places[i];
        }
    }
    if (s->kernels == s->room_for_kernels) {
        s->places = g_renew(Places, s->places, 2 * s->room_for_kernels + 1);
        memset(s->places + s->room_for_kernels, 0, (s->room_for_kernels + 1) * sizeof *s->places);
        s->room_for_kernels = 2 * s->room_for_kernels + 1;
    }
    s->places[s->kernels].kernel = kernel;
    return &s->places[s->kernels++];
}

static void more_places(Places *p, uint32_t id)
{
    uint32_t room = MAX(2 * p->room, MAX(id + 1, FEW_ROWS));
    p->of = g_renew(uint32_t, p->of, room);
    memset(p->of + p->room, 0, (room - p->room) * sizeof *p->of);
    p->room = room;
}

static void more_rows(WwPcsSum *s)
{
    uint32_t room = MAX(2 * s->room, FEW_ROWS);
    s->rows = g_renew(Row, s->rows, room);
    memset(s->rows + s->room, 0, (room - s->room) * sizeof *s->rows);
    s->room = room;
}

static __attribute__((noinline)) WwPcCounts *add_first(WwPcsSum *s, uint32_t kernel, uint32_t id,
                                                       uint64_t pc)
{
    if (kernel == 0) {
        return NULL; /* slots of no instruction */
    }
    if (s->last == NULL || s->last->kernel != kernel) {
        s->last = places_of(s, kernel);
    }
    Places *p = s->last;
    if (G_UNLIKELY(id >= p->room)) {
        more_places(p, id);
    }
    if (p->of[id] == 0) {
        if (G_UNLIKELY(s->n == s->room)) {
            more_rows(s);
        }
        Row *row = &s->rows[s->n++];
        row->pc = pc;
        row->kernel = kernel;
        row->id = id;
        p->of[id] = s->n;
    }
    return &s->rows[p->of[id] - 1].n;
}

static WwPcCounts *add_row(void *user, uint32_t kernel, uint32_t id, uint64_t pc)
{
    WwPcsSum *s = user;
    const Places *p = s->last;
    if (G_LIKELY(p != NULL && p->kernel == kernel && id < p->room && p->of[id] != 0)) {
        return &s->rows[p->of[id] - 1].n;
    }
    return add_first(s, kernel, id, pc);
}

/* All rows are 0 again. */
static void empty(WwPcsSum *s)
{
    for (uint32_t i = 0; i < s->kernels; i++) {
        memset(s->places[i].of, 0, s->places[i].room * sizeof *s->places[i].of);
    }
    s->n = s->kernels = 0;
    s->last = NULL;
}

void ww_pcs_free(WwResults *r)
{
    WwPcsSum *s = r->sum;
    for (uint32_t i = 0; i < s->room_for_kernels; i++) {
        g_free(s->places[i].of);
    }
    g_free(s->places);
    g_free(s->rows);
    g_free(s);
    g_ptr_array_unref(r->pcs);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Those of kernel @p first come first. */
static gint in_order(gconstpointer a, gconstpointer b, gpointer first)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    uint32_t own = *(const uint32_t *)first;
    int d = order(x->pc, y->pc);
    if (G_UNLIKELY(x->kernel != y->kernel)) {
        d = order(x->kernel != own, y->kernel != own);
        return d != 0 ? d : order(x->kernel, y->kernel);
    }
    return d != 0 ? d : order(x->id, y->id);
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

static const char *get_text(const uint8_t **from)
{
    const char *text = (const char *)*from;
    *from += strlen(text) + 1;
    return text;
}

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

/* Instructions that are packed one behind the other. */
typedef struct Packed {
    uint8_t *bytes;
    size_t n, room;
} Packed;

static uint8_t *room_for(Packed *p, size_t n)
{
    if (p->room - p->n < n) {
        p->room = 2 * (p->room + n);
        p->bytes = g_realloc(p->bytes, p->room);
    }
    return p->bytes + p->n;
}

#define MOST_REGISTERS ((1 + WW_MAX_SRC) * MOST_REGISTER + 4)

/* Numbers that are looked at together: most are 0. */
#define TOGETHER 7u
G_STATIC_ASSERT(WW_PC_COUNTS % TOGETHER == 0 && WW_PC_COUNTS < 127);

static inline __attribute__((always_inline)) bool any(const uint64_t *v)
{
    uint64_t all = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < TOGETHER; i++) {
        all |= v[i];
    }
    return all != 0;
}

/* As ww_pack_values(); all of @p counts is 0 afterwards. */
static uint8_t *pack_counts(uint8_t *to, WwPcCounts *counts)
{
    uint64_t *v = (uint64_t *)counts;
    uint32_t next = 0;
    for (uint32_t at = 0; at < WW_PC_COUNTS; at += TOGETHER) {
        if (!any(v + at)) {
            continue;
        }
        for (uint32_t i = at; i < at + TOGETHER; i++) {
            if (v[i] != 0) {
                *to = (uint8_t)(1 + i - next);
                to = ww_pack_number(to + 1, v[i]);
                next = i + 1;
                v[i] = 0;
            }
        }
    }
    *to = 0;
    return to + 1;
}

static void pack_row(Packed *p, Row *row, const WwSinst *s)
{
    static const WwSinst unknown = {.opcode = ""};
    s = s != NULL ? s : &unknown;
    size_t letters = strlen(s->opcode);
    uint8_t *at = room_for(p, letters + MOST_REGISTERS + WW_VALUES_MOST(3 + WW_PC_COUNTS));
    at = ww_pack_number(at, 1 + (uint64_t)row->kernel);
    at = ww_pack_number(at, row->pc);
    at = ww_pack_number(at, s->line);
    memcpy(at, s->opcode, letters);
    at += letters;
    char *end = put_registers((char *)at + 1, s);
    *at = *end = '\0';
    p->n = (size_t)(pack_counts((uint8_t *)end + 1, &row->n) - p->bytes);
}

bool ww_pcs_next(const uint8_t **at, WwPcEntry *out)
{
    uint64_t uid = *at != NULL ? ww_unpack_number(at) : 0, gap;
    if (uid == 0) {
        return false;
    }
    *out = (WwPcEntry){.kernel = (uint32_t)(uid - 1)};
    out->pc = ww_unpack_number(at);
    out->line = (uint32_t)ww_unpack_number(at);
    out->opcode = get_text(at);
    out->registers = get_text(at);
    uint64_t *v = (uint64_t *)&out->n;
    while ((gap = ww_unpack_number(at)) != 0) {
        v += gap - 1;
        *v++ = ww_unpack_number(at);
    }
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
    uint32_t n_types = ww_machine_n_types(r->machine);
    g_autofree bool *counts = g_new(bool, n_types + 1);
    for (uint32_t t = 0; t < n_types; t++) {
        counts[t] = table_of(ww_machine_first(r->machine, t)->type) != NULL;
    }
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        if (counts[ww_machine_type_of(r->machine, i)]) {
            g_ptr_array_add(r->pcs, ww_machine_component(r->machine, i));
        }
    }
}

static bool in_order_already(const WwPcsSum *s, uint32_t own)
{
    for (uint32_t i = 1; i < s->n; i++) {
        const Row *a = &s->rows[i - 1], *b = &s->rows[i];
        if (b->kernel != own || a->kernel != own || a->pc >= b->pc) {
            return false;
        }
    }
    return true;
}

static void pack(WwResults *r, WwResultKernel *k, WwPcFindFn find, void *user)
{
    WwPcsSum *sum = r->sum;
    g_autofree Row **row = g_new(Row *, sum->n + 1);
    for (uint32_t i = 0; i < sum->n; i++) {
        row[i] = &sum->rows[i];
    }
    if (!in_order_already(sum, k->uid)) { /* they are mostly met so */
        g_qsort_with_data((void *)row, (gint)sum->n, sizeof *row, in_order, &k->uid);
    }
    Packed packed = {0};
    for (uint32_t i = 0; i < sum->n; i++) {
        pack_row(&packed, row[i], find(user, row[i]->kernel, row[i]->id));
    }
    *room_for(&packed, 1) = 0;
    packed.n++;
    k->pcs = ww_heap_take(r->heap, packed.n);
    memcpy(k->pcs, packed.bytes, packed.n);
    g_free(packed.bytes);
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
