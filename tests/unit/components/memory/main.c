/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include "components/memory/types.h"
#include <string.h>

static void open_rig(Rig *r, ScriptedCache *cache, const char *params, const char *out,
                     const char *coalescer, const char *of_coalescer)
{
    r->h = ww_harness_new(test_registry(), "ldst_unit", params);
    ww_harness_channel(r->h, "in", "width=4");
    ww_harness_channel(r->h, "mem_out", out != NULL ? out : "depth=64");
    ww_harness_channel(r->h, "mem_in", "depth=2");
    r->warps = ww_harness_fill(r->h, "warps", NULL, NULL);
    r->barriers = ww_harness_fill(r->h, "barriers", NULL, NULL);
    r->banks = ww_harness_fill(r->h, "banks", NULL, NULL);
    r->ctas = ww_harness_fill(r->h, "ctas", NULL, NULL);
    r->l1d = cache;
    if (cache != NULL) {
        scripted_cache_provide(r->h, cache);
    }
    if (coalescer != NULL) {
        ww_harness_fill(r->h, "coalescer", coalescer, of_coalescer);
    }
    ww_harness_start(r->h, NULL);
    for (uint32_t w = 0; w < WW_MAX_WARPS; w++) {
        ww_fake_warps_live(r->warps, w, UINT32_MAX);
        ww_fake_warps_set(r->warps, w, 100, 0, 64);
    }
    r->ctas->view.sm = 3;
    r->ctas->view.sms = 10;
    r->ctas->view.padded = 64;
    r->ctas->view.limit = 4;
}

void rig_open(Rig *r, const char *params, const char *out)
{
    open_rig(r, NULL, params, out, NULL, NULL);
}

void rig_open_coalescer(Rig *r, const char *params, const char *coalescer, const char *of_coalescer)
{
    open_rig(r, NULL, params, NULL, coalescer, of_coalescer);
}

void rig_open_l1(Rig *r, ScriptedCache *cache, const char *params)
{
    scripted_cache_open(cache);
    rig_open_l1_as_is(r, cache, params);
}

void rig_open_l1_as_is(Rig *r, ScriptedCache *cache, const char *params)
{
    open_rig(r, cache, params, NULL, NULL, NULL);
}

void rig_close(Rig *r)
{
    ww_harness_free(r->h);
    if (r->l1d != NULL) {
        scripted_cache_close(r->l1d);
    }
}

const WwTestInst rig_store = {.op = WW_OP_STORE,
                              .space = WW_SPACE_GLOBAL,
                              .base = 0x1000000,
                              .stride = 4,
                              .warp = 2,
                              .uid = 1};

WwInst *rig_put(Rig *r, const WwTestInst *what)
{
    WwInst *i = ww_test_inst(r->h, what);
    g_assert_true(ww_harness_put(r->h, "in", -1, ww_token_of(i)));
    return i;
}

WwMemReq *rig_request(Rig *r)
{
    WwToken t;
    return ww_harness_take(r->h, "mem_out", NULL, &t) ? ww_token_pointer(t) : NULL;
}

void rig_respond(Rig *r, WwMemReq *req)
{
    req->response = true;
    g_assert_true(ww_harness_put(r->h, "mem_in", 0, ww_token_of(req)));
}

void rig_answer_all(Rig *r)
{
    for (WwMemReq *q = rig_request(r); q != NULL; q = rig_request(r)) {
        rig_respond(r, q);
        ww_harness_step(r->h, 1);
    }
    ww_harness_step(r->h, 4);
}

WwCycle rig_until(Rig *r, const uint32_t *counter, uint32_t value)
{
    for (uint32_t k = 0; k < 10000; k++) {
        WwCycle now = ww_harness_now(r->h);
        ww_harness_step(r->h, 1);
        if (*counter >= value) {
            return now;
        }
    }
    g_error("nothing happened in 10000 cycles");
}

uint64_t rig_stall(Rig *r, const char *label)
{
    const WwStatRow *row = &ldst_unit_type.stats[ww_type_stat(&ldst_unit_type, "stall")];
    for (uint32_t i = 0; i < row->n; i++) {
        if (strcmp(row->labels[i], label) == 0) {
            return ww_harness_stat(r->h, "stall", i);
        }
    }
    g_error("no stall '%s'", label);
}

void rig_answer_cache(Rig *r, ScriptedCache *c)
{
    for (uint32_t k = 0; k < 100 && (c->down.length != 0 || c->lower.length != 0); k++) {
        if (c->down.length != 0 && ww_harness_count(r->h, "mem_in") < 2) {
            rig_respond(r, g_queue_pop_head(&c->down));
        }
        ww_harness_step(r->h, 2);
    }
    ww_harness_step(r->h, 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_coalesce_tests();
    register_coalescer_tests();
    register_smem_tests();
    register_shared_tests();
    register_global_tests();
    register_async_tests();
    register_sleep_tests();
    register_l1_tests();
    register_l1_queue_tests();
    register_l1_store_tests();
    register_carve_tests();
    register_model_tests();
    register_ideal_tests();
    register_lsu_tests();
    register_lsu_store_tests();
    register_lsu_table_tests();
    register_lsu_end_tests();
    register_link_tests();
    return test_run();
}
