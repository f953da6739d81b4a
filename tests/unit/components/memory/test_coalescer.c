/* SPDX-License-Identifier: Apache-2.0 */
/* A coalescer beside an LD/ST unit: the same accesses as without, from one that has the same rule; what is wrong with others is told. */
#include "lsu_rig.h"

#include <string.h>
#include <testing/fake_coalescer.h>

/* ---- the same rule ----------------------------------------------------------------------------------------------- */

static void same_requests(Rig *a, Rig *b)
{
    for (uint32_t k = 0; k < 300; k++) {
        ww_harness_step(a->h, 1);
        ww_harness_step(b->h, 1);
        const WwMemReq *p = rig_request(a), *q = rig_request(b);
        g_assert_true((p == NULL) == (q == NULL));
        if (p != NULL) {
            g_assert_cmphex(p->addr, ==, q->addr);
            g_assert_cmpuint(p->size, ==, q->size);
            g_assert_cmphex(p->lanes, ==, q->lanes);
            g_assert_cmphex(p->sectors, ==, q->sectors);
            g_assert_cmpint(memcmp(&p->bytes, &q->bytes, sizeof p->bytes), ==, 0);
        }
    }
}

static WwTestInst drawn(GRand *random)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16};
    bool local = g_rand_int_range(random, 0, 4) == 0, atomic = g_rand_int_range(random, 0, 4) == 0;
    WwTestInst i = {.op = WW_OP_STORE,
                    .space = local ? WW_SPACE_LOCAL : WW_SPACE_GLOBAL,
                    .width = widths[g_rand_int_range(random, 0, 5)],
                    .warp = (uint16_t)g_rand_int_range(random, 0, 2),
                    .mask = g_rand_int(random) | 1u,
                    .base = (uint64_t)g_rand_int_range(random, 1, 1 << 20) * 16,
                    .uid = 1};
    i.stride = g_rand_int_range(random, 0, 40) * (int64_t)i.width;
    if (!local && atomic) {
        i.op = WW_OP_LOAD;
        i.flags = WW_INST_ATOMIC;
    } else if (!local && g_rand_int_range(random, 0, 3) == 0) {
        i.base += (uint64_t)g_rand_int_range(random, 0, 16);
    }
    return i;
}

static void same_rule(const char *rule, const char *of_unit)
{
    GRand *random = g_rand_new_with_seed(7);
    for (uint32_t k = 0; k < 60; k++) {
        Rig own, beside;
        WwTestInst what = drawn(random);
        g_autofree char *all = g_strconcat(rule, of_unit, NULL);
        rig_open_coalescer(&own, all, NULL, NULL);
        rig_open_coalescer(&beside, of_unit, "coalescer.segments", rule);
        rig_put(&own, &what);
        rig_put(&beside, &what);
        same_requests(&own, &beside);
        rig_close(&own);
        rig_close(&beside);
    }
    g_rand_free(random);
}

static void same(void)
{
    same_rule("", "");
    same_rule("", " null_skipped=false tail_counts_whole=false");
    same_rule("warp_parts=2", " mem_unit_ports=1");
    same_rule("coalesce_arch=13 highest_first=false", "");
    same_rule("coalesce_arch=13 warp_parts=4", " mem_unit_ports=1");
    same_rule("coalesce_arch=30 gmem_skip_l1=true", "");
}

static void counts(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "coalescer.segments", NULL);
    ww_harness_start(h, NULL);
    void *self;
    const WwCoalescerIf *f = ww_harness_table(h, "coalescer", &self);
    uint64_t addr[WW_WARP_SIZE];
    WwTransaction out[WW_COALESCE_MAX];
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        addr[i] = 0x1000 + 8 * i;
    }
    const WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL});
    g_assert_cmpuint(f->coalesce(self, inst,
                                 &(WwLanes){.addr = addr, .words = 1, .mask = 0xff00, .width = 4},
                                 out),
                     ==, 2);
    g_assert_cmphex(out[0].addr, ==, 0x1060); /* the highest first */
    g_assert_cmphex(out[1].addr, ==, 0x1040);
    g_assert_cmpuint(f->most(self), ==, 32);
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "lanes", 0), ==, 8);
    g_assert_cmpuint(ww_harness_stat(h, "transactions", 0), ==, 2);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static void odd_size(WwTransaction *made, uint32_t *n)
{
    made[2].size = 48;
}

static void too_large(WwTransaction *made, uint32_t *n)
{
    made[0].size = 64;
}

static void odd_address(WwTransaction *made, uint32_t *n)
{
    made[1].addr += 4;
}

static void no_sector(WwTransaction *made, uint32_t *n)
{
    made[0].sectors = 0;
}

static void other_sector(WwTransaction *made, uint32_t *n)
{
    made[0].sectors |= 8;
}

static void inactive_lane(WwTransaction *made, uint32_t *n)
{
    made[0].lanes |= 1u << 31;
}

static void one_less(WwTransaction *made, uint32_t *n)
{
    --*n;
}

static void many(WwTransaction *made, uint32_t *n)
{
    *n = WW_COALESCE_MAX + 1;
}

static const struct {
    void (*spoil)(WwTransaction *made, uint32_t *n);
    const char *says;
} wrong[] = {
    {odd_size, "transaction 3 of fill_coalescer has 48 bytes at 1000000; expected a size of 32, 64 "
               "or 128 bytes, no more than most() says"},
    {too_large,
     "transaction 1 of fill_coalescer has 64 bytes at 1000000; expected a size of 32, 64 "
     "or 128 bytes, no more than most() says"},
    {odd_address, "transaction 2 of fill_coalescer has 32 bytes at 1000004; expected an address "
                  "that is a multiple of the size"},
    {no_sector, "transaction 1 of fill_coalescer has 32 bytes at 1000000; expected sectors of the "
                "line, those between its address and its end"},
    {other_sector, "transaction 1 of fill_coalescer has 32 bytes at 1000000; expected sectors of "
                   "the line, those between its address and its end"},
    {inactive_lane,
     "transaction 1 of fill_coalescer has 32 bytes at 1000000; expected lanes that are active"},
    {one_less, "no transaction of fill_coalescer serves lane 7, which is at 100001c; expected one"},
    {many, "fill_coalescer makes 257 transactions; expected at most 256"},
};

static void assert_says(WwHarness *h, const char *says)
{
    ww_harness_step(h, 8);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    if (!g_str_has_suffix(error->message, says)) {
        g_error("'%s' ends otherwise: '%s'", says, error->message);
    }
}

static void told(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        Rig r;
        rig_open_coalescer(&r, NULL, "fake.coalescer", NULL);
        WwFakeCoalescer *fake = ww_harness_peer(r.h, "coalescer");
        fake->spoil = wrong[i].spoil;
        WwTestInst eight = rig_store;
        eight.mask = 0xff;
        rig_put(&r, &eight);
        assert_says(r.h, wrong[i].says);
        rig_close(&r);
    }
}

/* The unit that sub-cores share asks it, too. */
static void of_sub_cores(void)
{
    LsuRig r;
    lsu_begin(&r, NULL, 0, NULL);
    WwFakeCoalescer *fake = ww_harness_fill(r.h, "coalescer", NULL, NULL);
    lsu_start(&r);
    lsu_put(&r, 0, &(LsuTest){.mask = 0xf, .stride = 4});
    uint32_t n = 0;
    for (uint32_t k = 0; k < 40; k++) {
        ww_harness_step(r.h, 1);
        const WwMemReq *q = lsu_request_of(&r);
        if (q != NULL) {
            g_assert_cmphex(q->lanes, ==, 1u << n++); /* the first one first */
        }
    }
    g_assert_cmpuint(n, ==, 4);
    g_assert_cmpuint(fake->calls, ==, 1);
    fake->spoil = one_less;
    lsu_put(&r, 1, &(LsuTest){.mask = 0xf, .stride = 4});
    ww_harness_step(r.h, 8);
    assert_says(r.h,
                "no transaction of fill_coalescer serves lane 3, which is at 100000c; expected "
                "one");
    lsu_close(&r);
}

void register_coalescer_tests(void)
{
    g_test_add_func("/memory/coalescer/same", same);
    g_test_add_func("/memory/coalescer/counts", counts);
    g_test_add_func("/memory/coalescer/told", told);
    g_test_add_func("/memory/coalescer/of-sub-cores", of_sub_cores);
}
