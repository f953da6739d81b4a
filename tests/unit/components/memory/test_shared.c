/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory through the unit: latency, conflicts, the pipeline that closes up, stores,
 * atomics.
 */
#include "tests.h"

#define LDS(dst_, stride_)                                                                         \
    &(WwTestInst)                                                                                  \
    {                                                                                              \
        .op = WW_OP_LOAD, .space = WW_SPACE_SHARED, .dst = dst_, .base = 0x100, .stride = stride_, \
        .warp = 1, .uid = dst_                                                                     \
    }
#define STS(uid_, stride_)                                                                         \
    &(WwTestInst)                                                                                  \
    {                                                                                              \
        .op = WW_OP_STORE, .space = WW_SPACE_SHARED, .base = 0x100, .stride = stride_, .warp = 1,  \
        .uid = uid_                                                                                \
    }

/*
 * Accepted in cycle 0: pipeline 1, write-back register 1 + S, released 2 + S; the warp's counter
 * falls on the way.
 */
static void latency(void)
{
    for (uint32_t s = 2; s < 40; s += 9) {
        Rig r;
        g_autofree char *params = g_strdup_printf("smem_latency=%u", s);
        rig_open(&r, params, NULL);
        rig_put(&r, LDS(7, 4));
        g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 1 + s);
        g_assert_cmpuint(r.warps->total.data, ==, 0);
        g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 2 + s);
        g_assert_cmpuint(r.warps->seen[1].data, ==, 1);
        g_assert_cmpuint(r.warps->reg, ==, 7);
        g_assert_cmpuint(r.warps->total.complete, ==, 1);
        g_assert_cmpuint(r.warps->total.release, ==, 1);
        rig_close(&r);
    }
}

/*
 * A k-way conflict holds the dispatch register k cycles; the next instruction waits, the counts
 * say so.
 */
static void conflicts(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    rig_put(&r, LDS(1, 16));
    rig_put(&r, LDS(2, 4));
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 22 + 3);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 2), ==, 22 + 4);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bank_access", 0), ==, 4 + 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_stall_shd_mem", 0), ==, 3);
    g_assert_cmpuint(rig_stall(&r, "s_mem.bank"), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_insn", 0), ==, 64);
    rig_close(&r);
}

/* Width does not matter, lanes that share a word are merged, groups of lanes add up. */
static void options(void)
{
    static const struct {
        const char *params;
        int stride;
        uint32_t width, cost;
    } cases[] = {
        {"smem_banks=32", 4, 16, 1},
        {"smem_banks=32", 0, 4, 1},
        {"smem_banks=16", 4, 4, 2},
        {"smem_banks=16 warp_parts=2", 4, 4, 2},
        {"smem_banks=32 warp_parts=4", 4, 4, 4},
        {"limited_broadcast=true", 1, 4, 4},
        {"limited_broadcast=true", 0, 4, 1},
    };
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Rig r;
        rig_open(&r, cases[i].params, NULL);
        WwTestInst t = *STS(1, cases[i].stride);
        t.width = (uint8_t)cases[i].width;
        rig_put(&r, &t);
        g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, cases[i].cost);
        rig_close(&r);
    }
}

/* A store leaves from the dispatch register: accepted 0, done 1. */
static void store(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwInst *i = rig_put(&r, STS(1, 4));
    g_assert_cmpuint(rig_until(&r, &r.warps->total.complete, 1), ==, 1);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    g_assert_true(r.warps->released == i);
    g_assert_true(ww_harness_asleep(r.h));
    rig_close(&r);
}

/* No lanes: no bank access, but the pipeline all the same. */
static void no_lanes(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = *LDS(1, 64);
    t.no_lanes = true;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 22);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bank_access", 0), ==, 0);
    rig_close(&r);
}

/*
 * ATOMS: both load and store; takes the load path and counts its lanes back when it leaves the
 * pipeline.
 */
static void atomics(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = *LDS(4, 0);
    t.op = WW_OP_STORE;
    t.flags = WW_INST_LOAD | WW_INST_ATOMIC;
    t.mask = 0xff;
    rig_put(&r, &t);
    ww_harness_step(r.h, 21);
    g_assert_cmpint(r.warps->total.atomics, ==, 0);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.atomics, ==, -8);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    rig_close(&r);
}

/*
 * Behind a blocked exit the stages close up, until the last one refuses: nothing is lost, order
 * and spacing are the pipeline's.
 */
static void closing_up(void)
{
    Rig r;
    rig_open(&r, "smem_latency=4", NULL);
    r.banks->refuse = 100;
    for (uint16_t k = 1; k <= 7; k++) {
        rig_put(&r, LDS(k, 4));
        ww_harness_step(r.h, 2);
    }
    ww_harness_step(r.h, 40);
    /*
     * one in the write-back register, four in the stages, one in the dispatch register, one in
     * the register set
     */
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(ww_harness_count(r.h, "in"), ==, 1);
    r.banks->refuse = 0;
    WwCycle first = ww_harness_now(r.h);
    for (uint32_t k = 1; k <= 5; k++) {
        g_assert_cmpuint(rig_until(&r, &r.warps->total.data, k), ==, first + k - 1);
        g_assert_cmpuint(r.warps->reg, ==, k);
    }
    /*
     * the sixth entered the last stage in the cycle in which the second left for the write-back
     * register
     */
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 6), ==, first + 5);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 7), ==, first + 6);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_writeback", 0), ==, 7);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bank_access", 0), ==,
                     7); /* waiting is no access */
    g_assert_cmpuint(ww_harness_stat(r.h, "n_stall_shd_mem", 0), ==, 0);
    rig_close(&r);
}

/*
 * Two cycles of the unit in a tick: conflicts and pipeline go at twice the pace, acceptance at
 * once a tick.
 */
static void two_cycles_a_tick(void)
{
    Rig r;
    rig_open(&r, "mem_unit_ports=2 smem_latency=20", NULL);
    rig_put(&r, LDS(1, 16));
    /*
     * accepted in tick 0; cycles 2, 3, 4 conflict; pipeline in cycle 5, write-back register in
     * 25, released in 26
     */
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 12);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 13);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 3);
    rig_close(&r);
    rig_open(&r, "mem_unit_ports=0 warp_parts=2 smem_latency=20", NULL);
    rig_put(&r,
            LDS(1, 0)); /* two groups of one cycle each: cycle 2 conflicts, pipeline in cycle 3 */
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 11);
    rig_close(&r);
}

/* shared_atomics_merge = false: eight lanes on one word take eight cycles; loads stay as they are. */
static void atomics_apart(void)
{
    Rig r;
    rig_open(&r, "shared_atomics_merge=false", NULL);
    WwTestInst t = *LDS(4, 0);
    rig_put(&r, &t);
    ww_harness_step(r.h, 30);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 0);
    t.op = WW_OP_STORE;
    t.flags = WW_INST_LOAD | WW_INST_ATOMIC;
    t.mask = 0xff;
    rig_put(&r, &t);
    ww_harness_step(r.h, 21 + 7);
    g_assert_cmpint(r.warps->total.atomics, ==, 0);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.atomics, ==, -8);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_shmem_bkconflict", 0), ==, 7);
    rig_close(&r);
}

void register_shared_tests(void)
{
    g_test_add_func("/memory/ldst/shared/latency", latency);
    g_test_add_func("/memory/ldst/shared/conflicts", conflicts);
    g_test_add_func("/memory/ldst/shared/options", options);
    g_test_add_func("/memory/ldst/shared/store", store);
    g_test_add_func("/memory/ldst/shared/no_lanes", no_lanes);
    g_test_add_func("/memory/ldst/shared/atomics", atomics);
    g_test_add_func("/memory/ldst/shared/closing_up", closing_up);
    g_test_add_func("/memory/ldst/shared/two_cycles_a_tick", two_cycles_a_tick);
    g_test_add_func("/memory/ldst/shared/atomics_apart", atomics_apart);
}
