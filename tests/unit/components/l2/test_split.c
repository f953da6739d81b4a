/* SPDX-License-Identifier: Apache-2.0 */
/* A slice cuts packets of more than a sector into requests of one. */
#include "slice_rig.h"

/* Bytes of @p n sectors from @p from on. */
static WwByteMask bytes(uint32_t from, uint32_t n)
{
    WwByteMask m = {{0, 0}};
    for (uint32_t i = 32 * from; i < 32 * (from + n); i++) {
        m.w[i / 64] |= 1ull << (i % 64);
    }
    return m;
}

static void expect_part(Rig *r, const WwMemReq *whole, uint64_t addr, uint32_t sector,
                        WwByteMask mask)
{
    WwMemReq *p = slice_take(r, "reply");
    g_assert_nonnull(p);
    g_assert_true(p != whole && p->original == whole);
    g_assert_cmpuint(p->addr, ==, addr);
    g_assert_cmpuint(p->at.partition, ==, whole->at.partition + (addr - whole->addr));
    g_assert_cmpuint(p->size, ==, 32);
    g_assert_cmpuint(p->sectors, ==, 1u << sector);
    g_assert_cmpuint(p->bytes.w[0], ==, mask.w[0]);
    g_assert_cmpuint(p->bytes.w[1], ==, mask.w[1]);
    g_assert_cmpuint(p->birth, <=, ww_harness_now(r->h)); /* when it was cut; for the same stream */
    g_assert_cmpuint(p->stream, ==, whole->stream);
    g_assert_cmpuint(whole->stamp, ==, 0);
    ww_mem_release(p);
}

/* A line becomes four requests, whose bytes reach back to the first sector. */
static void test_split_line(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=3");
    for (int round = 0; round < 20; round++) { /* parts are used again */
        WwMemReq *q = slice_req(&r, WW_ACCESS_INST_R, 0x1000);
        q->size = 128;
        q->at.partition = 0x400;
        q->birth = UINT32_MAX;
        q->stream = 7;
        g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
        slice_step(&r, 10);
        for (uint32_t i = 0; i < 4; i++) {
            expect_part(&r, q, 0x1000 + 32 * i, i, bytes(0, i + 1));
        }
        g_assert_null(slice_take(&r, "reply"));
    }
    g_assert_cmpuint(slice_stat(&r, "splits"), ==, 80);
    g_assert_cmpuint(slice_stat(&r, "accepted"), ==, 20);
}

/* A part lives where its own address says, in the channel and slice of the packet. */
static void test_split_places(void)
{
    g_auto(Rig) r = {.h = ww_harness_new(registry, "l2_slice", "rop_latency=3")};
    WwFakeAddressMap *map = ww_harness_fill(r.h, "address_map", NULL, NULL);
    ww_harness_channel(r.h, "request", "depth=64");
    ww_harness_channel(r.h, "reply", "depth=64");
    ww_harness_channel(r.h, "to_dram", "depth=64");
    ww_harness_channel(r.h, "from_dram", "depth=64");
    r.cache = ww_harness_fill(r.h, "cache", NULL, NULL);
    g_assert_true(ww_harness_start(r.h, NULL));
    r.cache->facts = (WwCacheFacts){.line = 128, .atom = 32};
    WwMemReq *q = slice_req(&r, WW_ACCESS_INST_R, 0xF0001080);
    q->size = 128;
    q->at = (WwAddress){.channel = 3, .slice = 7, .column = 0xf0}; /* of another pc in the line */
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 10);
    g_assert_cmpuint(map->decodes, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *p = slice_take(&r, "reply");
        g_assert_nonnull(p);
        g_assert_cmpuint(p->at.channel, ==, 3);
        g_assert_cmpuint(p->at.slice, ==, 7);
        g_assert_cmphex(p->at.column, ==, 0x80 + 32 * i);
        g_assert_cmphex(p->at.bank, ==, 0xF0001080 / 0x800 % 16);
        g_assert_cmphex(p->at.partition % 256, ==, 0x80 + 32 * i);
        ww_mem_release(p);
    }
}

/* Half a line: two requests that both keep the address. */
static void test_split_half(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=3");
    WwMemReq *q = slice_req(&r, WW_ACCESS_CONST_R, 0x1040);
    q->size = 64;
    q->sectors = 0;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 10);
    expect_part(&r, q, 0x1040, 2, bytes(2, 1));
    expect_part(&r, q, 0x1040, 3, bytes(2, 2));
    g_assert_null(slice_take(&r, "reply"));
}

static void test_split_by_mask(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=3");
    WwMemReq *q = slice_req(&r, WW_ACCESS_GLOBAL_W, 0x1000);
    q->size = 64;
    q->sectors = 0xa;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 10);
    expect_part(&r, q, 0x1020, 1, bytes(1, 1));
    expect_part(&r, q, 0x1060, 3, bytes(3, 1));
    g_assert_null(slice_take(&r, "reply"));
}

/* A line cache takes packets whole; so does no cache. */
static void test_no_split(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=0");
    r.cache->facts.atom = 128;
    WwMemReq *q = slice_req(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->size = 128;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 3);
    g_assert_true(slice_take(&r, "reply") == q);
    g_assert_cmpuint(slice_stat(&r, "splits"), ==, 0);
}

/* parts_reach_back = false: each part has its own bytes. */
static void test_split_own_bytes(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=3 parts_reach_back=false");
    WwMemReq *q = slice_req(&r, WW_ACCESS_INST_R, 0x1000);
    q->size = 128;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 10);
    for (uint32_t i = 0; i < 4; i++) {
        expect_part(&r, q, 0x1000 + 32 * i, i, bytes(i, 1));
    }
    q = slice_req(&r, WW_ACCESS_CONST_R, 0x1040);
    q->size = 64;
    q->sectors = 0;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    slice_step(&r, 10);
    expect_part(&r, q, 0x1040, 2, bytes(2, 1));
    expect_part(&r, q, 0x1040, 3, bytes(3, 1));
}

void add_split_tests(void)
{
    g_test_add_func("/l2/slice/split-line", test_split_line);
    g_test_add_func("/l2/slice/split-places", test_split_places);
    g_test_add_func("/l2/slice/split-half", test_split_half);
    g_test_add_func("/l2/slice/split-by-mask", test_split_by_mask);
    g_test_add_func("/l2/slice/no-split", test_no_split);
    g_test_add_func("/l2/slice/split-own-bytes", test_split_own_bytes);
}
