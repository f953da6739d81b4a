/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <ports/warps.h>
#include <testing/fake_register_banks.h>

/* Remembers in which order instructions ended. */
typedef struct Released {
    const WwInst *inst[16];
    uint32_t n;
} Released;

static void finish(void *self, WwInst *inst, uint32_t what)
{
    Released *r = self;
    g_assert_cmphex(what, ==, WW_END_ALL);
    r->inst[r->n++] = inst;
}

static const WwWarpsIf warps = {.finish = finish};

static WwHarness *stage_with(Released *r, const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), "writeback", params);
    ww_harness_channel(h, "in", "width=8");
    ww_harness_provide(h, "warps", &warps, r);
    ww_harness_start(h, NULL);
    return h;
}

static WwHarness *stage(Released *r)
{
    return stage_with(r, NULL);
}

static WwInst *put(WwHarness *h, uint64_t uid, uint16_t warp)
{
    WwInst *inst = ww_test_inst(h, &(WwTestInst){.uid = uid, .warp = warp, .dst = 5});
    g_assert_true(ww_harness_put(h, "in", -1, ww_token_of(inst)));
    return inst;
}

/* Everything completes in one tick, oldest first. */
static void test_drains(void)
{
    Released r = {0};
    g_autoptr(WwHarness) h = stage(&r);
    WwInst *c = put(h, 30, 1), *a = put(h, 10, 2), *b = put(h, 20, 1);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    g_assert_cmpuint(r.n, ==, 3);
    g_assert_true(r.inst[0] == a && r.inst[1] == b && r.inst[2] == c);
    const WwFakeRegisterBanks *banks = ww_harness_peer(h, "banks");
    g_assert_cmpuint(banks->written, ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 3);
    g_assert_true(ww_harness_asleep(h));
}

/* A bank that is taken does not hold the result up. */
static void test_ignores_banks(void)
{
    Released r = {0};
    g_autoptr(WwHarness) h = stage(&r);
    WwFakeRegisterBanks *banks = ww_harness_peer(h, "banks");
    banks->refuse = 1;
    put(h, 1, 0);
    put(h, 2, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(r.n, ==, 2);
    g_assert_cmpuint(banks->calls, ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "bank_conflicts", 0), ==, 1);
}

/* wait_for_banks: a result whose bank is taken waits, others pass; nothing of it is lost. */
static void test_waits_for_banks(void)
{
    Released r = {0};
    g_autoptr(WwHarness) h = stage_with(&r, "wait_for_banks=true");
    WwFakeRegisterBanks *banks = ww_harness_peer(h, "banks");
    banks->refuse = 1;
    WwInst *a = put(h, 1, 0), *b = put(h, 2, 0);
    ww_harness_step(h, 1);
    g_assert_true(r.n == 1 && r.inst[0] == b);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    g_assert_false(ww_harness_asleep(h));
    ww_harness_step(h, 1);
    g_assert_true(r.n == 2 && r.inst[1] == a);
    g_assert_cmpuint(ww_harness_stat(h, "bank_conflicts", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 2);
    g_assert_true(ww_harness_asleep(h));
}

void register_writeback_tests(void)
{
    g_test_add_func("/execute/writeback/drains", test_drains);
    g_test_add_func("/execute/writeback/ignores_banks", test_ignores_banks);
    g_test_add_func("/execute/writeback/waits_for_banks", test_waits_for_banks);
}
