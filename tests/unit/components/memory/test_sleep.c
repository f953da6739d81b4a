/* SPDX-License-Identifier: Apache-2.0 */
/* When the unit sleeps, what the slept cycles count, and that a reset makes it new. */
#include "tests.h"

static const WwTestInst load = {
    .op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL, .dst = 5, .base = 0x1000000, .stride = 4, .uid = 1};
static const WwTestInst lds = {
    .op = WW_OP_LOAD, .space = WW_SPACE_SHARED, .dst = 5, .base = 0x100, .stride = 128, .uid = 1};

static void idle(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    ww_harness_step(r.h, 100);
    g_assert_true(ww_harness_asleep(r.h));
    g_assert_cmpuint(ww_harness_stat(r.h, "n_insn", 0), ==, 0);
    rig_close(&r);
}

/* A 32-way conflict and the pipeline behind it: a handful of activations, all cycles counted. */
static void through_conflicts_and_pipeline(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    ww_harness_step(r.h, 1);
    uint64_t before = ww_machine_activations(ww_harness_machine(r.h));
    rig_put(&r, &lds);
    ww_harness_step(r.h, 10);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 9);
    ww_harness_step(r.h, 60);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 31);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(r.h)) - before, <=, 16);
    rig_close(&r);
}

/* A full network: asleep, one stall a cycle; the freed slot wakes it. */
static void full_memory(void)
{
    Rig r;
    rig_open(&r, NULL, "depth=2");
    rig_put(&r, &load);
    ww_harness_step(r.h, 3);
    g_assert_true(ww_harness_asleep(r.h));
    ww_harness_step(r.h, 50);
    g_assert_cmpuint(rig_stall(&r, "global_load.icnt"), ==, 50);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 2);
    rig_request(&r);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 2);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 3);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(rig_stall(&r, "global_load.icnt"), ==, 51);
    rig_request(&r);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_true(ww_harness_asleep(r.h));
    rig_close(&r);
}

/* An instruction that cannot be accepted yet wakes it for nothing, and changes nothing. */
static void waiting_instruction(void)
{
    Rig r;
    rig_open(&r, NULL, "depth=1");
    rig_put(&r, &load);
    ww_harness_step(r.h, 10);
    for (uint32_t k = 2; k < 5; k++) {
        WwTestInst t = load;
        t.uid = k;
        rig_put(&r, &t);
        ww_harness_step(r.h, 10);
        g_assert_true(ww_harness_asleep(r.h));
    }
    g_assert_cmpuint(rig_stall(&r, "global_load.icnt"), ==, 38);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_insn", 0), ==, 1);
    rig_close(&r);
}

/* The oldest of the set goes first, whatever its register. */
static void oldest_first(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    for (uint32_t k = 0; k < 4; k++) {
        rig_put(&r, &(WwTestInst){.op = WW_OP_MEMBAR, .warp = (uint16_t)k, .uid = 10 - k});
    }
    for (uint32_t k = 0; k < 4; k++) {
        ww_harness_step(r.h, k == 0 ? 2 : 1);
        g_assert_cmpuint(r.warps->seen[3 - k].leave, ==, 1);
        g_assert_cmpuint(r.warps->total.leave, ==, k + 1);
    }
    rig_close(&r);
}

static void reset(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    for (uint32_t k = 0; k < 2; k++) {
        rig_put(&r, &lds);
        rig_put(&r, &load);
        ww_harness_step(r.h, 40);
        g_assert_cmpuint(ww_harness_stat(r.h, "n_insn", 0), ==, 2);
        g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 31);
        g_assert_cmpuint(ww_harness_stat(r.h, "traffic", WW_ACCESS_GLOBAL_R * WW_PACKET_SIZES), ==,
                         4);
        g_assert_cmpuint(rig_request(&r)->serial, ==, 0);
        ww_harness_reset(r.h);
        g_assert_cmpuint(ww_harness_stat(r.h, "n_insn", 0), ==, 0);
        ww_harness_step(r.h, 100);
        g_assert_cmpuint(ww_harness_stat(r.h, "n_writeback", 0), ==, 0);
        ww_harness_reset(r.h);
    }
    rig_close(&r);
}

/* A hang says who waits for what; a response that nobody asked for is dropped and counted. */
static void explains_and_strays(void)
{
    Rig r;
    rig_open(&r, NULL, "depth=1");
    rig_put(&r, &load);
    ww_harness_step(r.h, 10);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(r.h));
    g_assert_nonnull(strstr(text, "3 accesses of LOAD (warp 0) wait for room"));
    g_assert_nonnull(strstr(text, "1 memory request has not come back"));
    WwMemReq *q = ww_harness_alloc(r.h, sizeof *q);
    rig_respond(&r, q);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_stray", 0), ==, 1);
    rig_close(&r);
}

void register_sleep_tests(void)
{
    g_test_add_func("/memory/ldst/sleep/idle", idle);
    g_test_add_func("/memory/ldst/sleep/through_conflicts_and_pipeline",
                    through_conflicts_and_pipeline);
    g_test_add_func("/memory/ldst/sleep/full_memory", full_memory);
    g_test_add_func("/memory/ldst/sleep/waiting_instruction", waiting_instruction);
    g_test_add_func("/memory/ldst/oldest_first", oldest_first);
    g_test_add_func("/memory/ldst/reset", reset);
    g_test_add_func("/memory/ldst/explains_and_strays", explains_and_strays);
}
