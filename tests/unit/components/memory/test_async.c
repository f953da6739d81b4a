/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies: counted once (or twice) and reported when the last access of their key is
 * there.
 */
#include "tests.h"

static WwTestInst copy_of(uint64_t pc, uint64_t base)
{
    return (WwTestInst){.op = WW_OP_LOAD,
                        .space = WW_SPACE_GLOBAL,
                        .flags = WW_INST_LDGSTS,
                        .warp = 2,
                        .uid = pc,
                        .pc = pc,
                        .base = base,
                        .stride = 4};
}

static void counted_once(void)
{
    Rig r;
    rig_open(&r, "count_ldgsts_twice=false", NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(r.barriers->dones, ==, 0);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpuint(r.barriers->dones, ==, 0);
        rig_respond(&r, rig_request(&r));
        ww_harness_step(r.h, 3);
    }
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    g_assert_cmpuint(r.barriers->warp, ==, 2);
    g_assert_cmphex(r.barriers->pc, ==, 0x40);
    g_assert_cmphex(r.barriers->addr, ==, 0x1000000);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    g_assert_cmpuint(r.banks->calls, ==, 0);
    rig_close(&r);
}

static void counted_twice(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    rig_answer_all(&r);
    g_assert_cmpuint(r.warps->total.complete, ==, 2);
    rig_close(&r);
}

static void no_lanes(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    t.no_lanes = true;
    rig_put(&r, &t);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    rig_close(&r);
}

/*
 * Copies that agree in warp, pc and the low halves of pc and lane-0 address share one counter:
 * one report for all.
 */
static void shared_key(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    rig_put(&r, &t);
    t.base += 1ull << 32;
    t.uid++;
    rig_put(&r, &t);
    t.pc = 0x50;
    t.uid++;
    rig_put(&r, &t);
    ww_harness_step(r.h, 14);
    for (uint32_t k = 0; k < 8; k++) {
        g_assert_cmpuint(r.barriers->dones, ==, 0);
        rig_respond(&r, rig_request(&r));
        ww_harness_step(r.h, 3);
    }
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    rig_answer_all(&r);
    g_assert_cmpuint(r.barriers->dones, ==, 2);
    g_assert_cmphex(r.barriers->pc, ==, 0x50);
    g_assert_cmpuint(r.warps->total.release, ==, 3);
    rig_close(&r);
}

/* With lane 0 inactive the key's address is 0. */
static void inactive_lane_0(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    t.mask = 0x30;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    rig_answer_all(&r);
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    g_assert_cmphex(r.barriers->addr, ==, 0);
    rig_close(&r);
}

/*
 * A copy without lanes has the key of one that has returned: nothing of it is out, so it is done
 * at once.
 */
static void key_of_the_past(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = copy_of(0x40, 0x1000000);
    t.mask = 0x30;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    t.no_lanes = true;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(r.barriers->dones, ==, 0);
    rig_answer_all(&r);
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(r.barriers->dones, ==, 2);
    rig_close(&r);
}

void register_async_tests(void)
{
    g_test_add_func("/memory/ldst/async/counted_once", counted_once);
    g_test_add_func("/memory/ldst/async/counted_twice", counted_twice);
    g_test_add_func("/memory/ldst/async/no_lanes", no_lanes);
    g_test_add_func("/memory/ldst/async/shared_key", shared_key);
    g_test_add_func("/memory/ldst/async/inactive_lane_0", inactive_lane_0);
    g_test_add_func("/memory/ldst/async/key_of_the_past", key_of_the_past);
}
