/* SPDX-License-Identifier: Apache-2.0 */
/* coalescer.strict: words in order share transactions, others do not. Called with the module's path. */
#include <ports/coalesce.h>
#include <ports/test_inst.h>
#include <testing/policy_bench.h>

static WwRegistry *registry;

/* How many transactions lanes of @p mask have whose words of @p width bytes begin at @p base, @p stride apart. */
static uint32_t made(const char *params, uint32_t mask, uint32_t width, uint64_t base,
                     uint64_t stride, WwTransaction out[WW_COALESCE_MAX])
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "coalescer.strict", params);
    uint64_t addr[WW_WARP_SIZE];
    void *self;
    ww_harness_start(h, NULL);
    const WwCoalescerIf *f = ww_harness_table(h, "coalescer", &self);
    const WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL});
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        addr[i] = base + i * stride;
    }
    WwLanes lanes = {.addr = addr, .words = 1, .mask = mask, .width = width, .null_too = true};
    return f->coalesce(self, inst, &lanes, out);
}

static void in_order(void)
{
    WwTransaction t[WW_COALESCE_MAX];
    g_assert_cmpuint(made(NULL, UINT32_MAX, 4, 0x1000, 4, t), ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmphex(t[i].addr, ==, 0x1000 + 32 * i);
        g_assert_cmphex(t[i].lanes, ==, 0xffu << 8 * i);
        g_assert_cmphex(t[i].sectors, ==, 1u << i);
    }
    g_assert_cmpuint(made("bytes=128", UINT32_MAX, 4, 0x1000, 4, t), ==, 2); /* one a group */
    g_assert_cmphex(t[1].bytes.w[0], ==, 0);
    g_assert_cmphex(t[1].bytes.w[1], ==, UINT64_MAX);
    g_assert_cmpuint(made("bytes=128 group=32", UINT32_MAX, 4, 0x1000, 4, t), ==, 1);
    g_assert_cmpuint(made(NULL, UINT32_MAX, 16, 0x1000, 16, t), ==, 16);
    g_assert_cmpuint(made(NULL, 0xff00, 4, 0x1000, 4, t), ==, 1); /* lanes may be inactive */
}

static void scattered(void)
{
    WwTransaction t[WW_COALESCE_MAX];
    g_assert_cmpuint(made(NULL, UINT32_MAX, 4, 0x1004, 4, t), ==,
                     32); /* not where a block begins */
    g_assert_cmpuint(made(NULL, UINT32_MAX, 4, 0x1000, 0, t), ==, 32); /* the same word */
    g_assert_cmpuint(made(NULL, UINT32_MAX, 4, 0x1000, 8, t), ==, 32); /* words between */
    g_assert_cmpuint(made(NULL, UINT32_MAX, 2, 0x1000, 2, t), ==, 32); /* words too small */
    g_assert_cmpuint(made(NULL, 1, 16, 0x1018, 16, t), ==, 2);         /* across sectors */
    g_assert_cmphex(t[0].bytes.w[0], ==, 0xffull << 24);
    g_assert_cmphex(t[1].bytes.w[0], ==, 0xffull << 32);
}

static void refuses(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "coalescer.strict", "group=12");
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_true(g_str_has_suffix(error->message, "expected powers of two, 1..32 and 32..128"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    g_test_add_func("/modules/strict/in-order", in_order);
    g_test_add_func("/modules/strict/scattered", scattered);
    g_test_add_func("/modules/strict/refuses", refuses);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
