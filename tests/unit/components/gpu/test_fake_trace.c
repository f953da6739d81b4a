/* SPDX-License-Identifier: Apache-2.0 */
/* The trace builder that other tests lean on: masks, addresses, overrides, bookkeeping. */
#include "tests.h"

static const WwKernel *open_kernel(WwFakeTrace *t)
{
    WwCommand c;
    g_assert_true(ww_fake_trace_source.next_command(t, &c, NULL));
    g_assert_cmpint(c.kind, ==, WW_COMMAND_KERNEL);
    return c.kernel;
}

static const WwCtaTrace *read_cta(WwFakeTrace *t, const WwKernel *k)
{
    const WwCtaTrace *cta;
    g_assert_true(ww_fake_trace_source.next_cta(t, k, &cta, NULL));
    return cta;
}

static uint64_t address_of(void *user, const WwFakePlace *p)
{
    return *(uint64_t *)user + 1000 * p->cta + 100 * p->warp + p->lane;
}

static void test_program(void)
{
    static const WwTestInst program[] = {WW_T_LDG(1, 2, 0x1000, 4), WW_T_SP(3, 1, 1), WW_T_BAR()};
    g_autoptr(WwFakeTrace) t = ww_fake_trace_new();
    WwFakeKernel *k = ww_fake_trace_kernel(t, "k", 2, 40);
    ww_fake_kernel_program(k, program, G_N_ELEMENTS(program));
    const WwCtaTrace *cta = read_cta(t, open_kernel(t));
    g_assert_cmpuint(cta->n_warps, ==, 2);
    g_assert_cmpuint(cta->n_insts[1], ==, 4);
    g_assert_cmphex(cta->warp[0][0].mask, ==, UINT32_MAX);
    g_assert_cmphex(cta->warp[1][0].mask, ==, 0xff); /* 40 threads: 8 lanes */
    const WwSinst *load = k->pub.sinst[cta->warp[1][0].sinst];
    g_assert_cmpuint(load->op, ==, WW_OP_LOAD);
    g_assert_cmpuint(load->dst, ==, 1);
    g_assert_cmpuint(load->src[0], ==, 2);
    g_assert_cmpuint(k->pub.sinst[cta->warp[0][1].sinst]->pc, ==, 16);
    g_assert_cmpuint(k->pub.sinst[cta->warp[0][1].sinst]->nsrc, ==, 2);
    g_assert_cmpuint(k->pub.sinst[cta->warp[0][3].sinst]->op, ==, WW_OP_EXIT);
    uint64_t address[32];
    const WwAddrBlock *block =
        (const WwAddrBlock *)(const void *)(cta->addr + cta->warp[1][0].addr - 1);
    ww_addr_expand(block, 0xff, address);
    g_assert_cmphex(address[7], ==, 0x1000 + 28);
    g_assert_cmphex(address[8], ==, 0);
    g_assert_cmpuint(cta->warp[0][1].addr, ==, 0);
}

static void test_overrides(void)
{
    static const WwTestInst all[] = {WW_T_INT(1)}, special[] = {WW_T_LDG(1, 2, 1, 0), WW_T_SFU(1)};
    uint64_t base = 0x5000;
    g_autoptr(WwFakeTrace) t = ww_fake_trace_new();
    WwFakeKernel *k = ww_fake_trace_kernel(t, "k", 2, 64);
    k->address = address_of;
    k->user = &base;
    ww_fake_kernel_program(k, all, 1);
    ww_fake_kernel_warp(k, 1, 1, special, 2);
    const WwKernel *kernel = open_kernel(t);
    const WwCtaTrace *c0 = read_cta(t, kernel), *c1 = read_cta(t, kernel);
    g_assert_cmpuint(c0->n_insts[1], ==, 2);
    g_assert_cmpuint(c1->n_insts[0], ==, 2);
    g_assert_cmpuint(c1->n_insts[1], ==, 3);
    const WwAddrBlock *block =
        (const WwAddrBlock *)(const void *)(c1->addr + c1->warp[1][0].addr - 1);
    g_assert_cmphex(ww_addr_first(block, UINT32_MAX), ==, 0x5000 + 1100);
}

static void test_books(void)
{
    g_autoptr(WwFakeTrace) t = ww_fake_trace_new();
    ww_fake_trace_kernel(t, "a", 2, 32);
    ww_fake_trace_memcpy(t, 0x1000, 64);
    const WwKernel *k = open_kernel(t);
    g_assert_cmpuint(ww_fake_trace_open(t), ==, 1);
    const WwCtaTrace *cta = read_cta(t, k);
    g_assert_cmpuint(ww_fake_trace_held(t), ==, 1);
    ww_fake_trace_source.release_cta(t, k, cta);
    ww_fake_trace_source.close_kernel(t, k);
    g_assert_cmpuint(ww_fake_trace_held(t) + ww_fake_trace_open(t), ==, 0);
    WwCommand c;
    g_assert_true(ww_fake_trace_source.next_command(t, &c, NULL));
    g_assert_cmpint(c.kind, ==, WW_COMMAND_MEMCPY_HTOD);
    g_assert_cmpuint(c.bytes, ==, 64);
    g_assert_true(ww_fake_trace_source.next_command(t, &c, NULL));
    g_assert_cmpint(c.kind, ==, WW_COMMAND_END);
    ww_fake_trace_rewind(t);
    g_assert_cmpuint(ww_fake_trace_read(t), ==, 0);
}

void register_fake_trace_tests(void)
{
    g_test_add_func("/gpu/fake_trace/program", test_program);
    g_test_add_func("/gpu/fake_trace/overrides", test_overrides);
    g_test_add_func("/gpu/fake_trace/books", test_books);
}
