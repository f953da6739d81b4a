/* SPDX-License-Identifier: Apache-2.0 */
#include "lsu_rig.h"

#include <ports/test_inst.h>

static WwCacheResult decide(ScriptedCache *cache, const WwMemReq *req, WwCycle now, uint32_t *sent)
{
    LsuCache *c = (LsuCache *)(void *)cache;
    *sent = 0;
    if (now < c->refuses_until && (req->addr & c->refused_bits) == 0) {
        return WW_CACHE_RESERVATION_FAIL;
    }
    *sent = c->sent;
    g_assert_cmpuint(c->n, <, G_N_ELEMENTS(c->at));
    c->at[c->n] = now;
    c->addr[c->n++] = req->addr;
    return c->result;
}

static void provide(LsuRig *r, const char *port, LsuCache *c)
{
    scripted_cache_open(&c->cache);
    c->cache.decide = decide;
    c->cache.facts.ways = 64;
    if (port != NULL) {
        scripted_cache_provide_at(r->h, port, &c->cache);
    }
}

void lsu_begin(LsuRig *r, const char *params, uint32_t with, const char *out)
{
    *r = (LsuRig){.h = ww_harness_new(test_registry(), "ldst.shared", params)};
    for (uint32_t i = 0; i < 4; i++) {
        g_autofree char *latch = g_strdup_printf("in[%u]", i);
        g_autofree char *result = g_strdup_printf("out[%u]", i);
        ww_harness_channel(r->h, latch, "width=1");
        ww_harness_channel(r->h, result, "width=1");
    }
    ww_harness_channel(r->h, "mem_out", out != NULL ? out : "depth=64");
    ww_harness_channel(r->h, "mem_in", "depth=4");
    r->warps = ww_harness_fill(r->h, "warps", NULL, NULL);
    r->way = ww_harness_fill(r->h, "dispatch", NULL, NULL);
    WwFakeCtas *ctas = ww_harness_fill(r->h, "ctas", NULL, NULL);
    provide(r, with & LSU_WITH_L1D ? "l1d" : NULL, &r->l1d);
    provide(r, with & LSU_WITH_TEXTURES ? "textures" : NULL, &r->textures);
    provide(r, with & LSU_WITH_CONSTANTS ? "constants" : NULL, &r->constants);
    ctas->view.sms = 10;
    ctas->view.padded = 64;
    ctas->view.limit = 4;
}

void lsu_start(LsuRig *r)
{
    ww_harness_start(r->h, NULL);
    WwFakeCtas *ctas = ww_harness_peer(r->h, "ctas");
    ctas->view.sms = 10;
    ctas->view.padded = 64;
    ctas->view.limit = 4;
}

void lsu_open(LsuRig *r, const char *params, uint32_t with, const char *out)
{
    lsu_begin(r, params, with, out);
    lsu_start(r);
}

void lsu_close(LsuRig *r)
{
    ww_harness_free(r->h);
    scripted_cache_close(&r->l1d.cache);
    scripted_cache_close(&r->textures.cache);
    scripted_cache_close(&r->constants.cache);
}

WwInst *lsu_put(LsuRig *r, uint32_t core, const LsuTest *what)
{
    static const struct {
        WwOp op;
        uint8_t space;
        uint16_t flags, latency;
        uint32_t takes;
    } kinds[] = {
        [LSU_LDG] = {WW_OP_LOAD, WW_SPACE_GLOBAL, 0, 13, WW_TAKES_LOAD},
        [LSU_LDG_BYPASS] = {WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_BYPASS_L1, 13,
                            WW_TAKES_LOAD | WW_TAKES_BYPASS},
        [LSU_STG] = {WW_OP_STORE, WW_SPACE_GLOBAL, 0, 13, WW_TAKES_STORE},
        [LSU_STG_BYPASS] = {WW_OP_STORE, WW_SPACE_GLOBAL, WW_INST_BYPASS_L1, 13,
                            WW_TAKES_STORE | WW_TAKES_BYPASS},
        [LSU_LDGSTS] = {WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_LDGSTS, 13,
                        WW_TAKES_LOAD | WW_TAKES_LDGSTS},
        [LSU_LDL] = {WW_OP_LOAD, WW_SPACE_LOCAL, 0, 13, WW_TAKES_LOAD},
        [LSU_LDS] = {WW_OP_LOAD, WW_SPACE_SHARED, 0, 8, WW_TAKES_LOAD},
        [LSU_STS] = {WW_OP_STORE, WW_SPACE_SHARED, 0, 7, WW_TAKES_STORE},
        [LSU_LDC] = {WW_OP_LOAD, WW_SPACE_CONST, 0, 11, WW_TAKES_LOAD},
        [LSU_TEX] = {WW_OP_LOAD, WW_SPACE_NONE, 0, 0, WW_TAKES_TEXTURE},
        [LSU_SHFL] = {WW_OP_SP, WW_SPACE_NONE, 0, 0, WW_TAKES_OTHER},
        [LSU_MEMBAR] = {WW_OP_SP, WW_SPACE_NONE, 0, 0, WW_TAKES_MEMBAR},
    };
    LsuKind k = what->kind;
    bool near = kinds[k].space == WW_SPACE_SHARED || kinds[k].space == WW_SPACE_CONST;
    WwTiming t = {.unit = WW_UNIT_MEM,
                  .flags = kinds[k].takes,
                  .space = kinds[k].space,
                  .shared = what->latency != 0 ? what->latency : kinds[k].latency,
                  .copy = 8};
    WwTestInst i = {.op = kinds[k].op,
                    .flags = kinds[k].flags,
                    .space = kinds[k].space,
                    .warp = (uint16_t)core,
                    .sched = (uint8_t)core,
                    .mask = what->mask,
                    .no_lanes = what->no_lanes,
                    .uid = ++r->uid,
                    .base = what->base != 0 ? what->base
                            : near          ? 0x100
                                            : 0x1000000,
                    .stride = what->stride != 0 ? what->stride : 4,
                    .timing = &t};
    g_autofree char *port = g_strdup_printf("in[%u]", core);
    WwInst *inst = ww_test_inst(r->h, &i);
    ww_test_sinst(inst)->width = what->width != 0 ? what->width : 4;
    g_assert_true(ww_harness_put(r->h, port, -1, ww_token_of(inst)));
    return inst;
}

void lsu_through(LsuRig *r, WwCycle tick)
{
    g_assert_cmpuint(ww_harness_now(r->h), <=, tick);
    ww_harness_step(r->h, tick + 1 - ww_harness_now(r->h));
}

void lsu_result_in(LsuRig *r, WwCycle tick, uint32_t core, const WwInst *inst)
{
    WwToken token;
    g_autofree char *port = g_strdup_printf("out[%u]", core);
    g_assert_cmpuint(ww_harness_now(r->h), <=, tick);
    g_assert_cmpuint(ww_harness_count(r->h, port), ==, 0);
    while (ww_harness_now(r->h) < tick) {
        ww_harness_step(r->h, 1);
        g_assert_cmpuint(ww_harness_count(r->h, port), ==, 0);
    }
    ww_harness_step(r->h, 1);
    g_assert_cmpuint(ww_harness_count(r->h, port), ==, 1);
    g_assert_true(ww_harness_take(r->h, port, NULL, &token));
    g_assert_true(ww_token_pointer(token) == inst);
}

void lsu_over_in(LsuRig *r, WwCycle tick, const WwInst *inst)
{
    uint32_t n = r->warps->total.complete;
    g_assert_cmpuint(ww_harness_now(r->h), <=, tick);
    while (ww_harness_now(r->h) < tick) {
        ww_harness_step(r->h, 1);
        g_assert_cmpuint(r->warps->total.complete, ==, n);
    }
    ww_harness_step(r->h, 1);
    g_assert_cmpuint(r->warps->total.complete, ==, n + 1);
    g_assert_true(r->warps->completed == inst && r->warps->released == inst);
}

WwMemReq *lsu_request_of(LsuRig *r)
{
    WwToken t;
    return ww_harness_take(r->h, "mem_out", NULL, &t) ? ww_token_mem(t) : NULL;
}

void lsu_respond(LsuRig *r, WwMemReq *req)
{
    g_assert_nonnull(req);
    req->response = true;
    g_assert_true(ww_harness_put(r->h, "mem_in", 0, ww_token_of(req)));
}

uint64_t lsu_stat(LsuRig *r, const char *name, uint32_t i)
{
    return ww_harness_stat(r->h, name, i);
}
