/* SPDX-License-Identifier: Apache-2.0 */
/* operands.register_cache, alone: two banks of one scheduler. Called with the module's path. */
#include <ports/execute.h>
#include <ports/register_set.h>
#include <testing/policy_bench.h>

static WwRegistry *registry;

static WwHarness *bench(const char *params)
{
    WwHarness *h = ww_harness_new(registry, "operands.register_cache", params);
    ww_harness_channel(h, "sp", "width=4");
    ww_harness_channel(h, "sp_out", "width=1");
    ww_harness_start(h, NULL);
    return h;
}

static WwInst *inst(WwHarness *h, uint16_t dst, uint16_t a, uint16_t b, uint16_t c)
{
    static uint64_t uid;
    return ww_test_inst(h,
                        &(WwTestInst){.op = WW_OP_SP, .dst = dst, .src = {a, b, c}, .uid = ++uid});
}

static bool write(WwHarness *h, WwInst *i)
{
    void *self;
    const WwRegisterBanksIf *f = ww_harness_table(h, "register_banks", &self);
    return f->write(self, i);
}

/* Steps from an instruction's arrival until it leaves. */
static uint64_t steps(WwHarness *h, WwInst *i)
{
    WwToken t;
    ww_harness_put(h, "sp", -1, ww_token_of(i));
    uint64_t n = ww_harness_until(h, "sp_out", 50);
    g_assert_true(ww_harness_take(h, "sp_out", NULL, &t));
    g_assert_true(ww_token_pointer(t) == i);
    return n;
}

#define SMALL "banks=2 generic_units=2 entries=2"

/* One read a bank and step: sources of one bank queue up, those of two banks do not. */
static void banks(void)
{
    g_autoptr(WwHarness) h = bench(SMALL);
    uint64_t none = steps(h, inst(h, 9, 0, 0, 0));
    g_assert_cmpuint(steps(h, inst(h, 9, 2, 3, 0)), ==, none + 1);
    g_assert_cmpuint(steps(h, inst(h, 9, 2, 4, 6)), ==, none + 3);
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 5);
}

/* What was written last needs no bank. */
static void hits(void)
{
    g_autoptr(WwHarness) h = bench(SMALL);
    uint64_t none = steps(h, inst(h, 9, 0, 0, 0));
    g_assert_true(write(h, inst(h, 2, 0, 0, 0)));
    g_assert_true(write(h, inst(h, 4, 0, 0, 0)));
    g_assert_cmpuint(steps(h, inst(h, 9, 2, 4, 0)), ==, none);
    g_assert_cmpuint(steps(h, inst(h, 9, 2, 4, 6)), ==, none + 1);
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(h, "evictions", 0), ==, 0);
}

/* The entry used least recently goes to its bank; a bank takes one write a cycle. */
static void evicts(void)
{
    g_autoptr(WwHarness) h = bench(SMALL);
    g_assert_true(write(h, inst(h, 2, 0, 0, 0)));
    g_assert_true(write(h, inst(h, 4, 0, 0, 0)));
    g_assert_true(write(h, inst(h, 2, 0, 0, 0))); /* 4 is the older one now */
    g_assert_true(write(h, inst(h, 6, 0, 0, 0)));
    g_assert_cmpuint(ww_harness_stat(h, "evictions", 0), ==, 1);
    WwInst *late = inst(h, 8, 0, 0, 0);
    g_assert_false(write(h, late)); /* 2 would go to the bank that 4 goes to */
    ww_harness_step(h, 1);
    g_assert_true(write(h, late));
    steps(h, inst(h, 9, 6, 8, 0));
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 2);
    steps(h, inst(h, 9, 2, 4, 0));
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 2);
}

/* A bank that is written cannot be read in that cycle. */
static void write_first(void)
{
    g_autoptr(WwHarness) h = bench("banks=2 generic_units=2 entries=0");
    WwToken t;
    uint64_t none = steps(h, inst(h, 9, 0, 0, 0));
    WwInst *i = inst(h, 9, 2, 0, 0);
    ww_harness_put(h, "sp", -1, ww_token_of(i));
    ww_harness_step(h, 1); /* it has a unit; its read is granted in the next step */
    g_assert_true(write(h, inst(h, 4, 0, 0, 0)));
    ww_harness_step(h, none);
    g_assert_false(ww_harness_take(h, "sp_out", NULL, &t));
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_take(h, "sp_out", NULL, &t));
}

/* The cache of a warp that has exited is empty; another warp has its own. */
static void warps(void)
{
    g_autoptr(WwHarness) h = bench(SMALL);
    g_assert_true(write(h, inst(h, 2, 0, 0, 0)));
    WwInst *other = inst(h, 9, 2, 0, 0), *leave = inst(h, 0, 0, 0, 0);
    other->warp = 1;
    steps(h, other);
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 0);
    leave->op = WW_OP_EXIT;
    steps(h, leave);
    steps(h, inst(h, 9, 2, 0, 0));
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 0);
}

/* A full register behind it: it sleeps. A freed one wakes it. */
static void sleeps(void)
{
    g_autoptr(WwHarness) h = bench(SMALL);
    WwToken t;
    for (int i = 0; i < 4; i++) {
        ww_harness_put(h, "sp", -1, ww_token_of(inst(h, 9, 2, 3, 0)));
    }
    ww_harness_step(h, 20);
    g_assert_true(ww_harness_asleep(h));
    for (int i = 0; i < 4; i++) {
        g_assert_true(ww_harness_take(h, "sp_out", NULL, &t));
        ww_harness_step(h, 8);
    }
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 4);
    g_assert_true(ww_harness_asleep(h));
}

static void refuses(void)
{
    GError *error = NULL;
    WwHarness *h = ww_harness_new(registry, "operands.register_cache", "banks=6");
    ww_harness_channel(h, "sp", "width=1");
    ww_harness_carries(h, "sp", ww_carries_scheduler(3)); /* so there are four */
    ww_harness_channel(h, "sp_out", "width=1");
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(g_strstr_len(error->message, -1, "expected multiples"));
    g_clear_error(&error);
    ww_harness_free(h);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    g_test_add_func("/modules/register_cache/banks", banks);
    g_test_add_func("/modules/register_cache/hits", hits);
    g_test_add_func("/modules/register_cache/evicts", evicts);
    g_test_add_func("/modules/register_cache/write_first", write_first);
    g_test_add_func("/modules/register_cache/warps", warps);
    g_test_add_func("/modules/register_cache/sleeps", sleeps);
    g_test_add_func("/modules/register_cache/refuses", refuses);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
