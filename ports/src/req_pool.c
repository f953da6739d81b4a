/* SPDX-License-Identifier: Apache-2.0 */
/* The memory transactions that a component makes itself. */
#include <ports/req_pool.h>
#include <warpwright/at_work.h>
#include <warpwright/component.h>

WW_COLD void ww_mem_released_twice(void *self, const WwMemReq *req)
{
    const WwComponent *turn = ww_at_work().component;
    g_autofree char *owner = ww_path(self), *who = turn != NULL ? ww_path(turn) : NULL;
    GError *error = NULL;
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: its transaction %" G_GUINT64_FORMAT " was released twice%s%s; expected it once",
            owner, req->serial, who != NULL ? ", the second time in a turn of " : "",
            who != NULL ? who : "");
    ww_fail_run(self, error);
}

/* Partitions may give back at once: what comes back is a list that grows at its front. */
static void give_back(WwMemOwner *owner, WwMemReq *req)
{
    WwReqPool *p = (WwReqPool *)owner;
    if (G_UNLIKELY(!ww_pool_is_used(req))) {
        ww_mem_released_twice(p->pool.owner, req);
        return;
    }
    ww_pool_head(req)->next = 0; /* not used, nor among the free: on its way there */
    WwMemReq *first = __atomic_load_n(&p->returned, __ATOMIC_RELAXED);
    do {
        req->next = first;
    } while (!__atomic_compare_exchange_n(&p->returned, &first, req, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

/* Takes the list of the returned over as a whole. */
static void collect(WwReqPool *p)
{
    WwMemReq *next, *req = __atomic_exchange_n(&p->returned, NULL, __ATOMIC_ACQUIRE);
    for (; req != NULL; req = next) {
        next = req->next;
        ww_pool_head(req)->next = WW_POOL_USED;
        ww_pool_give(&p->pool, req);
    }
}

void ww_req_pool_init(WwReqPool *p, void *self)
{
    p->owner.release = give_back;
    ww_pool_init(&p->pool, self, sizeof(WwMemReq));
}

void ww_req_pool_reset(WwReqPool *p)
{
    p->returned = NULL;
    p->serial = 0;
    ww_pool_reset(&p->pool);
}

WwMemReq *ww_req_pool_take(WwReqPool *p)
{
    if (p->pool.free == 0 && __atomic_load_n(&p->returned, __ATOMIC_RELAXED) != NULL) {
        collect(p);
    }
    WwMemReq *req = ww_pool_take(&p->pool);
    *req = (WwMemReq){.owner = &p->owner, .serial = p->serial++};
    return req;
}

const WwMemReq *ww_req_pool_explain(WwReqPool *p, WwExplain *explain)
{
    const WwMemReq *oldest = NULL;
    uint32_t handle = 0;
    collect(p);
    for (const WwMemReq *r; (r = ww_pool_next_used(&p->pool, &handle)) != NULL;) {
        if (r->original != NULL) {
            ww_explain_holds_req(explain, r->original);
        }
        if (oldest == NULL || ww_mem_is_older(r, oldest) ||
            (r->birth == oldest->birth && r->serial < oldest->serial)) {
            oldest = r;
        }
    }
    return oldest;
}
