/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance, the pending request table and the address units of ldst.shared. */
#include "lsu_rig.h"

/* ---- acceptance -------------------------------------------------------------------------------------------------- */

static bool is_taken(LsuRig *r, uint32_t core)
{
    g_autofree char *port = g_strdup_printf("in[%u]", core);
    return ww_harness_count(r->h, port) == 0;
}

/* One a cycle; the sub-core that is asked first goes on with each one that was taken, and with each cycle in which none was. */
static void accept_rotation(void)
{
    for (uint32_t idle = 0; idle < 9; idle++) {
        LsuRig r;
        lsu_open(&r, NULL, 0, NULL);
        ww_harness_step(r.h, idle);
        for (uint32_t k = 0; k < 4; k++) {
            lsu_put(&r, k, &(LsuTest){.kind = LSU_LDS});
        }
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t core = (idle + k) % 4;
            g_assert_false(is_taken(&r, core));
            ww_harness_step(r.h, 1);
            g_assert_true(is_taken(&r, core));
            g_assert_cmpuint(lsu_stat(&r, "instructions", OF_SHARED), ==, k + 1);
        }
        lsu_close(&r);
    }
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDS});
    ww_harness_step(r.h, 1); /* the third is taken, so the fourth is asked first */
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
    lsu_put(&r, 3, &(LsuTest){.kind = LSU_LDS});
    ww_harness_step(r.h, 1);
    g_assert_true(is_taken(&r, 3) && !is_taken(&r, 1));
    lsu_close(&r);
}

/* While something is on its way over, nothing is accepted; whose turn it is goes on. */
static void accept_way(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    r.way->free_at = 6;
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS});
    const WwInst *second = lsu_put(&r, 2, &(LsuTest){.kind = LSU_SHFL});
    lsu_over_in(&r, 6 + 4, second);
    lsu_close(&r);
}

/* `most` and `most_shared` count until the result is in its latch; those of one kind do not hold up the other. */
static void accept_limits(void)
{
    LsuRig r;
    lsu_open(&r, "most=1", LSU_WITH_L1D, NULL);
    const WwInst *load = lsu_put(&r, 0, &(LsuTest){.mask = 0xff});
    const WwInst *shuffle = lsu_put(&r, 1, &(LsuTest){.kind = LSU_SHFL});
    const WwInst *shared = lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDS});
    lsu_result_in(&r, 1 + 12, 2, shared);
    lsu_result_in(&r, 18, 0, load);
    lsu_over_in(&r, 18 + 4, shuffle);
    lsu_close(&r);
    lsu_open(&r, "most_shared=1", LSU_WITH_L1D, NULL);
    const WwInst *first = lsu_put(&r, 0, &(LsuTest){.kind = LSU_STS});
    const WwInst *second = lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
    load = lsu_put(&r, 2, &(LsuTest){.mask = 0xff});
    lsu_over_in(&r, 11, first);
    lsu_result_in(&r, 1 + 18, 2, load);
    lsu_result_in(&r, 11 + 12, 1, second);
    lsu_close(&r);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* An entry is free again when the result goes to the register of its sub-core, and taken in the same cycle. */
static void table_full(void)
{
    LsuRig r;
    lsu_open(&r, "entries=1", 0, NULL);
    const WwInst *first = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS});
    const WwInst *second = lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
    lsu_result_in(&r, 12, 0, first);
    g_assert_true(is_taken(&r, 1));
    lsu_result_in(&r, 12 + 12, 1, second);
    g_assert_cmpuint(lsu_stat(&r, "table_full", 0), ==, 11);
    g_assert_cmpuint(lsu_stat(&r, "table_most", 0), ==, 1);
    lsu_close(&r);
}

/* Address units make an access each a cycle, those of the oldest first, while no more than as many wait for a queue. */
static void table_units(void)
{
    static const struct {
        const char *params, *order;
    } some[] = {{"address_units=1", "AAAABBBB"},
                {"address_units=2", "AABAABBB"},
                {"address_units=4", "AABABABB"}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        char order[9] = "";
        lsu_open(&r, some[i].params, 0, NULL);
        lsu_put(&r, 0, &(LsuTest){0});
        lsu_put(&r, 1, &(LsuTest){.base = 0x2000000});
        lsu_through(&r, 2 + 8); /* one a cycle from 3 on */
        g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 8);
        for (uint32_t k = 0; k < 8; k++) {
            order[k] = lsu_request_of(&r)->addr < 0x2000000 ? 'A' : 'B';
        }
        g_assert_cmpstr(order, ==, some[i].order);
        lsu_close(&r);
    }
}

/*
 * Accesses to the L1D might all be in one set: an instruction begins when as many ways as it has accesses are not promised to those that have
 * begun and not made all of theirs, or none is. Nobody behind it begins before.
 */
static void table_lines(void)
{
    static const struct {
        uint32_t ways;
        WwCycle result, over;
    } some[] = {{8, 5 + 17, 2 + 4}, {7, 8 + 17, 5 + 3}, {4, 8 + 17, 5 + 3}, {3, 8 + 17, 5 + 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
        r.l1d.cache.facts.ways = some[i].ways;
        const WwInst *first = lsu_put(&r, 0, &(LsuTest){0}); /* makes four, in 1 to 4 */
        const WwInst *second = lsu_put(&r, 1, &(LsuTest){.base = 0x2000000});
        const WwInst *third = lsu_put(&r, 2, &(LsuTest){.kind = LSU_SHFL});
        lsu_over_in(&r, some[i].over, third);
        lsu_result_in(&r, 4 + 17, 0, first);
        lsu_result_in(&r, some[i].result, 1, second);
        lsu_close(&r);
    }
}

/* One that wants more than there are waits until nothing is promised, and goes alone. */
static void table_alone(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.cache.facts.ways = 2;
    lsu_put(&r, 0, &(LsuTest){.mask = 0xffff}); /* makes two, in 1 and 2 */
    const WwInst *large = lsu_put(&r, 1, &(LsuTest){.base = 0x2000000});
    const WwInst *behind = lsu_put(&r, 2, &(LsuTest){.base = 0x3000000, .mask = 0xff});
    lsu_result_in(&r, 6 + 17, 1, large); /* 3 to 6 */
    lsu_result_in(&r, 7 + 17, 2, behind);
    lsu_close(&r);
}

/* ---- distribution ------------------------------------------------------------------------------------------------ */

/*
 * Behind requests that wait for the network, three accesses to the L1D wait for queues. In cycle 20 there is room again: `lookups` (4) go on a
 * cycle, and the first that finds no room stops the others, also those of other banks.
 */
static void distribution(void)
{
    static const struct {
        const char *params;
        uint64_t third;
        WwCycle at[3];
    } some[] = {{"l1d_queue=4", 0x1000100, {35, 35, 35}},
                {"l1d_queue=4 lookups=2", 0x1000100, {35, 36, 36}},
                {NULL, 0x1000100, {35, 36, 37}},
                {NULL, 0x1000120, {35, 36, 36}}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, some[i].params, LSU_WITH_L1D, "depth=1");
        for (uint32_t k = 0; k < 3; k++) {
            lsu_put(&r, k, &(LsuTest){.kind = LSU_LDG_BYPASS, .mask = 0xff});
        }
        lsu_put(&r, 3, &(LsuTest){.mask = 0xff});
        lsu_through(&r, 3);
        lsu_put(&r, 0, &(LsuTest){.base = 0x1000080, .mask = 0xff});
        lsu_put(&r, 1, &(LsuTest){.base = some[i].third, .mask = 0xff});
        lsu_through(&r, 19);
        g_assert_cmpuint(r.l1d.n, ==, 0);
        g_assert_nonnull(lsu_request_of(&r));
        lsu_through(&r, 40);
        g_assert_cmpuint(r.l1d.n, ==, 3);
        for (uint32_t k = 0; k < 3; k++) {
            g_assert_cmpuint(r.l1d.at[k], ==, some[i].at[k]);
        }
        lsu_close(&r);
    }
}

/*
 * A cache refuses what is in its bank: one stands in front of it, as many as the queue has places behind translation and before it; the next
 * stops all.
 */
static void queues(void)
{
    static const struct {
        const char *params;
        WwCycle other;
    } some[] = {{"lookups=1", 45}, {"lookups=1 l1d_queue=2", 4 + 5 + 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, some[i].params, LSU_WITH_L1D, NULL);
        r.l1d.refuses_until = 40;
        r.l1d.refused_bits = 0x60;
        LsuTest t = {.mask = 0xff, .latency = 1};
        for (uint32_t k = 0; k < 4; k++) {
            lsu_put(&r, k, &t);
        }
        lsu_through(&r, 0);
        t.base = 0x1000020;
        lsu_put(&r, 0, &t); /* accepted in 4 */
        lsu_through(&r, 60);
        g_assert_cmpuint(r.l1d.n, ==, 5);
        uint32_t at = 0;
        while (r.l1d.addr[at] != t.base) {
            at++;
        }
        g_assert_cmpuint(r.l1d.at[at] + 1, ==, some[i].other);
        lsu_close(&r);
    }
}

void register_lsu_table_tests(void)
{
    g_test_add_func("/memory/lsu/accept/rotation", accept_rotation);
    g_test_add_func("/memory/lsu/accept/way", accept_way);
    g_test_add_func("/memory/lsu/accept/limits", accept_limits);
    g_test_add_func("/memory/lsu/table/full", table_full);
    g_test_add_func("/memory/lsu/table/units", table_units);
    g_test_add_func("/memory/lsu/table/lines", table_lines);
    g_test_add_func("/memory/lsu/table/alone", table_alone);
    g_test_add_func("/memory/lsu/distribution", distribution);
    g_test_add_func("/memory/lsu/l1d/queues", queues);
}
