/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <testing/fake_register_banks.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeRegisterBanks *banks[3];
    const WwRegisterBanksIf *table;
    void *router;
} Bench;

static void open_bench(Bench *b)
{
    b->h = ww_harness_new(test_registry(), "bank_router", NULL);
    for (int i = 0; i < 3; i++) {
        g_autofree char *port = g_strdup_printf("banks[%d]", i);
        b->banks[i] = ww_harness_fill(b->h, port, NULL, NULL);
    }
    g_autoptr(GError) error = NULL;
    ww_harness_start(b->h, &error);
    g_assert_no_error(error);
    b->table = ww_harness_table(b->h, "register_banks", &b->router);
}

static bool write_result(Bench *b, uint8_t sched)
{
    WwInst *inst = ww_test_inst(b->h, &(WwTestInst){.op = WW_OP_SP, .dst = 5});
    inst->sched = sched;
    return b->table->write(b->router, inst);
}

/* A result goes to the banks of its own scheduler, whatever the others would say. */
static void test_routes(void)
{
    Bench b;
    open_bench(&b);
    b.banks[0]->refuse = b.banks[2]->refuse = UINT32_MAX;
    g_assert_true(write_result(&b, 1));
    g_assert_true(write_result(&b, 1));
    g_assert_cmpuint(b.banks[0]->calls, ==, 0);
    g_assert_cmpuint(b.banks[1]->written, ==, 2);
    g_assert_cmpuint(b.banks[2]->calls, ==, 0);
    g_assert_false(write_result(&b, 2));
    g_assert_cmpuint(b.banks[2]->calls, ==, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "writes", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, 1);
    ww_harness_free(b.h);
}

/* A scheduler without banks is the platform's mistake: the run ends with both numbers. */
static void test_no_banks(void)
{
    Bench b;
    open_bench(&b);
    g_assert_true(write_result(&b, 3));
    ww_harness_step(b.h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(b.h));
    g_assert_nonnull(error);
    g_assert_nonnull(
        strstr(error->message, "comes from scheduler 3; expected one of the 3 that have banks"));
    ww_harness_free(b.h);
}

void register_bank_router_tests(void)
{
    g_test_add_func("/operands/bank_router/routes", test_routes);
    g_test_add_func("/operands/bank_router/no_banks", test_no_banks);
}
