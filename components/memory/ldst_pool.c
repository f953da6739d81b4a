/* SPDX-License-Identifier: Apache-2.0 */
/* The LD/ST unit's pools: requests, loads in flight, counters of asynchronous copies. */
#include "ldst-priv.h"

void ldst_pool_init(LdstPool *p, size_t size)
{
    p->size = size;
    p->free = NULL;
    p->chunks = g_ptr_array_new_with_free_func(g_free);
}

static void add_chunk(LdstPool *p, char *items, guint i)
{
    for (uint32_t k = LDST_CHUNK << i; k-- > 0;) {
        ldst_pool_give(p, items + k * p->size);
    }
}

/* Everything is free again, in the order of a new pool. */
void ldst_pool_reset(LdstPool *p)
{
    p->free = NULL;
    for (guint i = p->chunks->len; i-- > 0;) {
        add_chunk(p, g_ptr_array_index(p->chunks, i), i);
    }
}

void ldst_pool_finish(LdstPool *p)
{
    if (p->chunks != NULL) {
        g_ptr_array_unref(p->chunks);
    }
}

void ldst_pool_grow(LdstPool *p)
{
    guint i = p->chunks->len;
    g_ptr_array_add(p->chunks, g_malloc0_n(LDST_CHUNK << i, p->size));
    add_chunk(p, g_ptr_array_index(p->chunks, i), i);
}
