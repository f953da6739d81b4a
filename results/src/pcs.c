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

typedef struct Sum {
    Row *rows;
    uint32_t n, room;
    GArray *places; /* Places; few kernels are in an SM at a time */
    Places *last;   /* neighbours are often of one kernel */
} Sum;

static Places *places_of(Sum *s, uint32_t kernel)
{
    for (guint i = 0; i < s->places->len; i++) {
        Places *p = &g_array_index(s->places, Places, i);
        if (p->kernel == kernel) {
            return p;
        }
    }
    Places p = {.kernel = kernel};
    g_array_append_val(s->places, p);
    return &g_array_index(s->places, Places, s->places->len - 1);
}

static void more_places(Places *p, uint32_t id)
{
    uint32_t room = MAX(2 * p->room, MAX(id + 1, FEW_ROWS));
    p->of = g_renew(uint32_t, p->of, room);
    memset(p->of + p->room, 0, (room - p->room) * sizeof *p->of);
    p->room = room;
}

static Row *new_row(Sum *s)
{
    if (s->n == s->room) {
        s->room = MAX(2 * s->room, FEW_ROWS);
        s->rows = g_renew(Row, s->rows, s->room);
    }
    return &s->rows[s->n++];
}

static __attribute__((noinline)) WwPcCounts *add_first(Sum *s, uint32_t kernel, uint32_t id,
                                                       uint64_t pc)
{
    if (kernel == 0) {
        return NULL; /* slots of no instruction */
    }
    if (s->last == NULL || s->last->kernel != kernel) {
        s->last = places_of(s, kernel);
    }
    Places *p = s->last;
    if (id >= p->room) {
        more_places(p, id);
    }
    if (p->of[id] == 0) {
        Row *row = new_row(s);
        memset(row, 0, sizeof *row);
        row->pc = pc;
        row->kernel = kernel;
        row->id = id;
        p->of[id] = s->n;
    }
    return &s->rows[p->of[id] - 1].n;
}

static WwPcCounts *add_row(void *user, uint32_t kernel, uint32_t id, uint64_t pc)
{
    Sum *s = user;
    const Places *p = s->last;
    if (G_LIKELY(p != NULL && p->kernel == kernel && id < p->room && p->of[id] != 0)) {
        return &s->rows[p->of[id] - 1].n;
    }
    return add_first(s, kernel, id, pc);
}

static void free_sum(Sum *s)
{
    for (guint i = 0; i < s->places->len; i++) {
        g_free(g_array_index(s->places, Places, i).of);
    }
    g_array_free(s->places, true);
    g_free(s->rows);
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

static uint8_t *put_text(uint8_t *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    to[n] = '\0';
    return to + n + 1;
}

static const char *get_text(const uint8_t **from)
{
    const char *text = (const char *)*from;
    *from += strlen(text) + 1;
    return text;
}

#define MOST_REGISTER 28u /* Bytes, and what a number may change behind it. */

static char *put_register(char *at, uint32_t number)
{
    if (number == WW_ZERO_REG) {
        memcpy(at, " RZ", 3);
        return at + 3;
    }
    memcpy(at, " R", 2);
    return ww_event_number(at + 2, number - 1);
}

/* " R2 <- R4 R6"; without what there is none of. */
static char *put_registers(char *at, const WwSinst *s)
{
    if (s->dst != 0) {
        at = put_register(at, s->dst);
    }
    if (s->dst != 0 || s->nsrc != 0) {
        memcpy(at, " <-", 3);
        at += 3;
    }
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (s->src[i] != 0) {
            at = put_register(at, s->src[i]);
        }
    }
    return at;
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

static void pack_row(Packed *p, const Row *row, const WwSinst *s)
{
    char registers[(1 + G_N_ELEMENTS(s->src)) * MOST_REGISTER + 3] = " ", *end = registers + 1;
    const char *opcode = s != NULL ? s->opcode : "";
    size_t letters = strlen(opcode);
    if (s != NULL) {
        end = MAX(put_registers(registers, s), end);
    }
    uint8_t *at = room_for(p, letters + sizeof registers + WW_VALUES_MOST(3 + WW_PC_COUNTS));
    at = ww_pack_number(at, 1 + (uint64_t)row->kernel);
    at = ww_pack_number(at, row->pc);
    at = ww_pack_number(at, s != NULL ? s->line : 0);
    at = put_text(at, opcode, letters);
    at = put_text(at, registers + 1, (size_t)(end - registers) - 1);
    at = ww_pack_values(at, (const uint64_t *)&row->n, WW_PC_COUNTS);
    p->n = (size_t)(at - p->bytes);
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
typedef struct Known {
    const WwType *type;
    const WwPcsIf *table;
} Known;
#define KNOWN 64u

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
    Known known[KNOWN] = {{0}};
    r->pcs = g_ptr_array_new();
    uint32_t n =
        ww_results_column(r, "pcs", "states") != NULL ? ww_machine_n_components(r->machine) : 0;
    const WwType *last = NULL; /* neighbours are often of one type */
    bool counts = false;
    for (uint32_t i = 0; i < n; i++) {
        WwComponent *c = ww_machine_component(r->machine, i);
        if (c->type != last) {
            Known *k = &known[(uintptr_t)c->type / 32 % KNOWN];
            if (k->type != c->type) {
                *k = (Known){c->type, table_of(c->type)};
            }
            last = c->type;
            counts = k->table != NULL;
        }
        if (counts) {
            g_ptr_array_add(r->pcs, c);
        }
    }
}

/* Sums what all of them have counted; false: there is none. */
static bool take_all(WwResults *r, Sum *sum)
{
    for (uint32_t i = 0; i < r->pcs->len; i++) {
        WwComponent *c = r->pcs->pdata[i];
        table_of(c->type)->take(c, add_row, sum);
    }
    return r->pcs->len != 0;
}

static void pack(WwResults *r, WwResultKernel *k, const Sum *sum, WwPcFindFn find, void *user)
{
    g_autofree const Row **row = g_new(const Row *, sum->n + 1);
    bool sorted = true; /* instructions are mostly met in their order */
    for (uint32_t i = 0; i < sum->n; i++) {
        row[i] = &sum->rows[i];
        sorted = sorted && (i == 0 || in_order(&row[i - 1], &row[i], &k->uid) < 0);
    }
    if (!sorted) {
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
}

void ww_pcs_add(WwResults *r, WwResultKernel *k, WwPcFindFn find, void *user)
{
    Sum sum = {.places = g_array_new(false, false, sizeof(Places))};
    if (take_all(r, &sum)) {
        pack(r, k, &sum, find, user);
    }
    free_sum(&sum);
}
