/* SPDX-License-Identifier: Apache-2.0 */
/* A slice among channels and a fake cache. */
#include "slice_rig.h"

Rig slice_rig_of(const char *params, const char *reply, const char *down, bool cached)
{
    Rig r = {.h = ww_harness_new(registry, "l2_slice", params)};
    ww_harness_channel(r.h, "request", "depth=64");
    ww_harness_channel(r.h, "reply", reply);
    ww_harness_channel(r.h, "to_dram", down);
    ww_harness_channel(r.h, "from_dram", "depth=64");
    if (cached) {
        r.cache = ww_harness_fill(r.h, "cache", NULL, NULL);
    }
    g_assert_true(ww_harness_start(r.h, NULL));
    if (cached) {
        r.cache->facts = (WwCacheFacts){
            .line = 128, .atom = 32, .write = WW_WRITE_BACK, .allocate = WW_ALLOCATE_LAZY};
    }
    return r;
}

Rig slice_rig(const char *params)
{
    return slice_rig_of(params, "depth=64", "depth=64", true);
}

void slice_rig_free(Rig *r)
{
    ww_harness_free(r->h);
}

WwMemReq *slice_req(Rig *r, WwAccessType type, uint64_t addr)
{
    WwMemReq *q = ww_harness_alloc(r->h, sizeof *q);
    q->type = (uint8_t)type;
    q->write = type == WW_ACCESS_GLOBAL_W || type == WW_ACCESS_L1_WRBK;
    q->addr = addr;
    q->size = 32;
    q->sectors = (uint8_t)(1u << (addr / 32 % 4));
    q->bytes = (WwByteMask){{UINT64_MAX, UINT64_MAX}};
    return q;
}

WwMemReq *slice_request(Rig *r, WwAccessType type, uint64_t addr)
{
    WwMemReq *q = slice_req(r, type, addr);
    g_assert_true(ww_harness_put(r->h, "request", -1, ww_token_of(q)));
    return q;
}

WwMemReq *slice_take(Rig *r, const char *port)
{
    WwToken t;
    return ww_harness_take(r->h, port, NULL, &t) ? ww_token_pointer(t) : NULL;
}

void slice_step(Rig *r, uint64_t n)
{
    ww_harness_step(r->h, n);
}

uint64_t slice_stat(Rig *r, const char *name)
{
    return ww_harness_stat(r->h, name, 0);
}
