/* SPDX-License-Identifier: Apache-2.0 */
/* Images, and the facts that say what they are images of. */
#include "checkpoint-priv.h"

#include <string.h>

WwCheckpoint *ww_checkpoint_new(WwHeap *const *heaps, uint32_t n, GError **error)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!ww_heap_fixed(heaps[i])) {
            ww_fail(error, WW_ERROR_SYSTEM,
                    "checkpoints need memory at addresses that are taken in this process; expected "
                    "64 GiB or more of addresses to be free");
            return NULL;
        }
    }
    WwCheckpoint *c = g_new0(WwCheckpoint, 1);
    c->n = n;
    c->heap = g_memdup2(heaps, n * sizeof *heaps);
    c->image = g_new(WwHeapImage *, n);
    c->facts = g_ptr_array_new_with_free_func(g_free);
    for (uint32_t i = 0; i < n; i++) {
        c->image[i] = ww_heap_image_new(heaps[i]);
    }
    return c;
}

void ww_checkpoint_free(WwCheckpoint *c)
{
    if (c == NULL) {
        return;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        ww_heap_image_free(c->image[i]);
    }
    g_free(c->image);
    g_free(c->heap);
    g_ptr_array_unref(c->facts);
    g_free(c);
}

void ww_checkpoint_fact(WwCheckpoint *c, const char *name, const char *value)
{
    g_ptr_array_add(c->facts, g_strdup_printf("%s\t%s", name, value));
}

const WwComponent *ww_checkpoint_refuses(const WwMachine *machine)
{
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        if (c->type->flags & WW_TYPE_NOT_SAVED) {
            return c;
        }
    }
    return NULL;
}

/* ---- facts of a machine ----------------------------------------------------------------------------------------- */

static void add_number(GChecksum *sum, uint64_t n)
{
    g_checksum_update(sum, (const guchar *)&n, sizeof n);
}

static void add_text(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)(text != NULL ? text : ""),
                      text != NULL ? (gssize)strlen(text) + 1 : 1);
}

/* All that a type's rows say of its state. */
static void fact_of_type(WwCheckpoint *c, const WwType *type)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    add_number(sum, type->abi);
    add_number(sum, type->size);
    add_number(sum, type->flags);
    for (const WwParamRow *row = type->params; row != NULL && row->name != NULL; row++) {
        add_text(sum, row->name);
        add_text(sum, row->def);
        add_number(sum, row->kind);
        add_number(sum, row->offset);
    }
    for (const WwPortRow *row = type->ports; row != NULL && row->name != NULL; row++) {
        add_text(sum, row->name);
        add_text(sum, row->contract->name);
        add_number(sum, row->contract->version);
        add_number(sum, row->offset);
        add_number(sum, row->max);
    }
    for (const WwClockRow *row = type->clocks; row != NULL && row->name != NULL; row++) {
        add_text(sum, row->name);
        add_number(sum, row->offset);
    }
    for (const WwStatRow *row = type->stats; row != NULL && row->name != NULL; row++) {
        add_text(sum, row->name);
        add_number(sum, row->offset);
        add_number(sum, row->n);
    }
    for (const WwEntryRow *row = type->entries; row != NULL && row->name != NULL; row++) {
        add_text(sum, row->name);
        add_text(sum, row->phase);
    }
    g_autofree char *name = g_strdup_printf("type %s", type->name);
    ww_checkpoint_fact(c, name, g_checksum_get_string(sum));
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp((*(const WwType *const *)a)->name, (*(const WwType *const *)b)->name);
}

void ww_checkpoint_facts_of(WwCheckpoint *c, const WwMachine *machine)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) types = g_ptr_array_new();
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *k = ww_machine_component(machine, i);
        g_autofree char *path = ww_path(k);
        add_text(sum, path);
        add_text(sum, k->type->name);
        add_number(sum, (uintptr_t)k); /* where it lies: the order of building */
        for (const WwParamRow *row = k->type->params; row != NULL && row->name != NULL; row++) {
            g_autofree char *text = ww_component_get_text(k, (int)(row - k->type->params));
            add_text(sum, text);
        }
        if (g_hash_table_add(seen, (gpointer)k->type)) {
            g_ptr_array_add(types, (gpointer)k->type);
        }
    }
    g_ptr_array_sort(types, by_name);
    for (guint i = 0; i < types->len; i++) {
        fact_of_type(c, types->pdata[i]);
    }
    ww_checkpoint_fact(c, "machine", g_checksum_get_string(sum));
}

/* ---- addresses of this process ---------------------------------------------------------------------------------- */

typedef struct Range {
    uint64_t from, to;
} Range;

static bool of_a_heap(const WwCheckpoint *c, uint64_t at)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t from = (uintptr_t)c->heap[i];
        if (at >= from && at < from + ww_heap_end(c->heap[i])) {
            return true;
        }
    }
    return false;
}

/* What lies elsewhere in another process has addresses of many digits; a range as large as this is a sanitizer's, which is the same in all. */
#define LOW (UINT64_C(1) << 32)
#define LARGE (UINT64_C(1) << 36)

/* What is mapped, heaps aside. */
static GArray *read_maps(const WwCheckpoint *c)
{
    GArray *ranges = g_array_new(false, false, sizeof(Range));
    g_autofree char *text = NULL;
    g_file_get_contents("/proc/self/maps", &text, NULL, NULL);
    for (char *at = text; at != NULL && *at != '\0';) {
        Range r = {g_ascii_strtoull(at, &at, 16), 0};
        r.to = g_ascii_strtoull(at + 1, &at, 16);
        bool moves = r.from >= LOW && r.to - r.from < LARGE && strncmp(at, " ---", 4) != 0;
        if (moves && !of_a_heap(c, r.from)) {
            g_array_append_val(ranges, r);
        }
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return ranges;
}

static bool is_mapped(const GArray *ranges, uint64_t at)
{
    for (guint i = 0; i < ranges->len; i++) {
        const Range *r = &g_array_index(ranges, Range, i);
        if (at >= r->from && at < r->to) {
            return true;
        }
    }
    return false;
}

uint32_t ww_checkpoint_foreign(const WwCheckpoint *c, void (*fn)(void *user, const uint64_t *word),
                               void *user)
{
    g_autoptr(GArray) ranges = read_maps(c);
    g_autofree WwHeapChange *change = g_new(WwHeapChange, 1);
    uint32_t found = 0;
    for (uint32_t h = 0; h < c->n; h++) {
        uint64_t page = 0;
        while (ww_heap_change(c->heap[h], c->image[h], &page, change)) {
            for (uint32_t i = 0, n = 0; i < WW_HEAP_WORDS; i++) {
                if ((change->which[i / 64] >> (i % 64) & 1u) &&
                    is_mapped(ranges, change->word[n++])) {
                    fn(user, (const uint64_t *)(const void *)c->heap[h] +
                                 change->page * WW_HEAP_WORDS + i);
                    found++;
                }
            }
        }
    }
    return found;
}
