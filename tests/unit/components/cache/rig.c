/* SPDX-License-Identifier: Apache-2.0 */
/* A cache between a user and a memory that both do what the test says. */
#include "tests.h"
#include <string.h>

Rig *rig_new(const char *type, const char *params, uint32_t depth)
{
    return rig_new_with(type, params, depth, NULL, NULL);
}

Rig *rig_new_with(const char *type, const char *params, uint32_t depth, const char *policy,
                  const char *of_policy)
{
    Rig *r = g_new0(Rig, 1);
    g_autofree char *fifo = g_strdup_printf("depth=%u", depth);
    r->h = ww_harness_new(test_registry(), type, params);
    ww_harness_channel(r->h, "lower", fifo);
    if (policy != NULL) {
        ww_harness_fill(r->h, "policy", policy, of_policy);
    }
    ww_harness_start(r->h, NULL);
    r->c = ww_harness_table(r->h, "cache", &r->self);
    return r;
}

void rig_free(Rig *r)
{
    ww_harness_free(r->h);
    g_free(r);
}

static void mark_bytes(WwMemReq *req, uint64_t addr, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)(addr % 128) + i;
        req->bytes.w[at / 64] |= 1ull << (at % 64);
    }
}

WwMemReq *rig_req(Rig *r, bool write, uint64_t addr, uint32_t n)
{
    WwMemReq *req = ww_harness_alloc(r->h, sizeof *req);
    req->addr = addr & ~31ull;
    req->at.partition = req->addr;
    req->size = 32;
    req->sectors = (uint8_t)(1u << (addr / 32 % 4));
    req->write = write;
    req->type = write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
    mark_bytes(req, addr, n);
    return req;
}

WwMemReq *rig_line(Rig *r, bool write, uint64_t addr)
{
    WwMemReq *req = rig_req(r, write, addr & ~127ull, 128);
    req->size = 128;
    req->sectors = 0xf;
    return req;
}

WwCacheResult rig_access(Rig *r, WwMemReq *req)
{
    return r->c->access(r->self, req, ++r->now, &r->sent);
}

WwCacheResult rig_read(Rig *r, uint64_t addr)
{
    return rig_access(r, rig_req(r, false, addr, 4));
}

WwCacheResult rig_write(Rig *r, uint64_t addr, uint32_t n)
{
    return rig_access(r, rig_req(r, true, addr, n));
}

WwMemReq *rig_cycle(Rig *r)
{
    WwToken token;
    ww_harness_turn(r->h, "cache");
    return ww_harness_take(r->h, "lower", NULL, &token) ? ww_token_pointer(token) : NULL;
}

void rig_settle(Rig *r)
{
    for (WwMemReq *req = rig_cycle(r); req != NULL; req = rig_cycle(r)) {
        if (ww_cache_awaits(r->c->facts(r->self), req)) {
            r->c->fill(r->self, req, ++r->now);
        } else {
            ww_mem_release(req);
        }
    }
    while (r->c->peek(r->self) != NULL) {
        ww_mem_release(r->c->take(r->self));
    }
    while (ww_harness_due(r->h, "cache")) {
        ww_harness_turn(r->h, "cache");
    }
}

void rig_load(Rig *r, uint64_t addr)
{
    g_assert_cmpint(rig_read(r, addr), ==, WW_CACHE_MISS);
    rig_settle(r);
}

uint64_t rig_count(Rig *r, const char *stat, const char *label)
{
    const WwType *t = ((WwComponent *)r->self)->type;
    const WwStatRow *row = &t->stats[ww_type_stat(t, stat)];
    for (uint32_t i = 0; i < row->n; i++) {
        if (strcmp(row->labels[i], label) == 0) {
            return ww_harness_stat(r->h, stat, i);
        }
    }
    g_error("%s has no entry %s", stat, label);
}
