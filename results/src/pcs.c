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

#include <stdlib.h>
#include <string.h>

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
    uint32_t kernel;
    GArray *of; /* by id: 1 + place in `rows`, or 0 */
} Places;

typedef struct Sum {
    GArray *rows;   /* Row */
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
    Places p = {kernel, g_array_new(false, true, sizeof(uint32_t))};
    g_array_append_val(s->places, p);
    return &g_array_index(s->places, Places, s->places->len - 1);
}

static WwPcCounts *add_row(void *user, uint32_t kernel, uint32_t id, uint64_t pc)
{
    Sum *s = user;
    if (kernel == 0) {
        return NULL; /* slots of no instruction */
    }
    if (s->last == NULL || s->last->kernel != kernel) {
        s->last = places_of(s, kernel);
    }
    GArray *of = s->last->of;
    if (id >= of->len) {
        g_array_set_size(of, id + 1);
    }
    uint32_t *place = &g_array_index(of, uint32_t, id);
    if (*place == 0) {
        Row row = {.pc = pc, .kernel = kernel, .id = id};
        g_array_append_val(s->rows, row);
        *place = s->rows->len;
    }
    return &g_array_index(s->rows, Row, *place - 1).n;
}

static void free_places(gpointer p)
{
    g_array_free(((Places *)p)->of, true);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static gint in_order(gconstpointer a, gconstpointer b, gpointer user)
{
    const Row *x = a, *y = b;
    uint32_t first = *(const uint32_t *)user;
    int d = order(x->kernel != first, y->kernel != first);
    d = d != 0 ? d : order(x->kernel, y->kernel);
    d = d != 0 ? d : order(x->pc, y->pc);
    return d != 0 ? d : order(x->id, y->id);
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

static void put_text(GByteArray *to, const char *text)
{
    g_byte_array_append(to, (const guint8 *)text, (guint)strlen(text) + 1);
}

static const char *get_text(const uint8_t **from)
{
    const char *text = (const char *)*from;
    *from += strlen(text) + 1;
    return text;
}

static void add_register(GString *s, uint32_t number)
{
    if (s->len != 0) {
        g_string_append_c(s, ' ');
    }
    if (number == WW_ZERO_REG) {
        g_string_append(s, "RZ");
    } else {
        g_string_append_printf(s, "R%u", number - 1);
    }
}

/* "R2 <- R4 R6"; without what there is none of. */
static char *registers(const WwSinst *s)
{
    GString *text = g_string_new(NULL);
    if (s->dst != 0) {
        add_register(text, s->dst);
    }
    if (s->dst != 0 || s->nsrc != 0) {
        g_string_append(text, text->len != 0 ? " <-" : "<-");
    }
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (s->src[i] != 0) {
            add_register(text, s->src[i]);
        }
    }
    return g_string_free(text, false);
}

static void pack_row(GByteArray *to, const Row *row, const WwSinst *s)
{
    const uint64_t *v = (const uint64_t *)&row->n;
    g_autofree char *text = s != NULL ? registers(s) : g_strdup("");
    ww_pack_number(to, 1 + (uint64_t)row->kernel);
    ww_pack_number(to, row->pc);
    ww_pack_number(to, s != NULL ? s->line : 0);
    put_text(to, s != NULL ? s->opcode : "");
    put_text(to, text);
    for (size_t i = 0, next = 0; i < WW_PC_COUNTS; i++) {
        if (v[i] != 0) {
            ww_pack_number(to, 1 + i - next);
            ww_pack_number(to, v[i]);
            next = i + 1;
        }
    }
    ww_pack_number(to, 0);
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
    for (uint32_t i = 0; i < n; i++) {
        WwComponent *c = ww_machine_component(r->machine, i);
        Known *k = &known[(uintptr_t)c->type / 32 % KNOWN];
        if (k->type != c->type) {
            *k = (Known){c->type, table_of(c->type)};
        }
        if (k->table != NULL) {
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

void ww_pcs_add(WwResults *r, WwResultKernel *k, WwPcFindFn find, void *user)
{
    g_autoptr(GArray) rows = g_array_new(false, false, sizeof(Row));
    g_autoptr(GArray) places = g_array_new(false, false, sizeof(Places));
    g_array_set_clear_func(places, free_places);
    Sum sum = {rows, places, NULL};
    if (!take_all(r, &sum)) {
        return;
    }
    g_array_sort_with_data(rows, in_order, &k->uid);
    g_autoptr(GByteArray) packed = g_byte_array_new();
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        pack_row(packed, row, find(user, row->kernel, row->id));
    }
    ww_pack_number(packed, 0);
    k->pcs = ww_heap_take(r->heap, packed->len);
    memcpy(k->pcs, packed->data, packed->len);
}
