/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache's own transactions: write-backs, which end wherever they are done with, and allocating
 * reads.
 */
#include "cache-priv.h"

enum { CHUNK = 32 }; /* requests in the first chunk; each further one is twice as long */

static void give_back(WwMemOwner *owner, WwMemReq *req)
{
    OwnReqs *o = (OwnReqs *)owner;
    req->next = o->free;
    o->free = req;
}

static void free_chunk(OwnReqs *o, guint i)
{
    WwMemReq *items = g_ptr_array_index(o->chunks, i);
    for (uint32_t k = CHUNK << i; k-- > 0;) {
        give_back(&o->owner, &items[k]);
    }
}

static void __attribute__((noinline)) grow(OwnReqs *o)
{
    guint i = o->chunks->len;
    g_ptr_array_add(o->chunks, g_malloc0_n(CHUNK << i, sizeof(WwMemReq)));
    free_chunk(o, i);
}

WwMemReq *own_reqs_get(OwnReqs *o)
{
    if (G_UNLIKELY(o->free == NULL)) {
        grow(o);
    }
    WwMemReq *req = o->free;
    o->free = req->next;
    *req = (WwMemReq){.owner = &o->owner, .serial = o->serial++};
    return req;
}

void own_reqs_init(OwnReqs *o)
{
    o->owner.release = give_back;
    o->chunks = g_ptr_array_new_with_free_func(g_free);
}

/* All are free again, in the order of a new pool. */
void own_reqs_reset(OwnReqs *o)
{
    o->free = NULL;
    o->serial = 0;
    for (guint i = o->chunks->len; i-- > 0;) {
        free_chunk(o, i);
    }
}

void own_reqs_explain(const OwnReqs *o, WwExplain *explain)
{
    g_autoptr(GHashTable) unused = g_hash_table_new(NULL, NULL);
    for (WwMemReq *r = o->free; r != NULL; r = r->next) {
        g_hash_table_add(unused, r);
    }
    for (guint i = 0; o->chunks != NULL && i < o->chunks->len; i++) {
        WwMemReq *r = g_ptr_array_index(o->chunks, i);
        for (uint32_t k = 0; k < (uint32_t)CHUNK << i; k++) {
            if (!g_hash_table_contains(unused, &r[k]) && r[k].original != NULL) {
                ww_explain_holds_req(explain, r[k].original);
            }
        }
    }
}

void own_reqs_finish(OwnReqs *o)
{
    if (o->chunks != NULL) {
        g_ptr_array_unref(o->chunks);
    }
}
