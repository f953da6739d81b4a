/* SPDX-License-Identifier: Apache-2.0 */
/* Packed instructions: what goes in comes out, whatever it is; loops and regular addresses cost next to nothing. */
#include "tests.h"

#include <ports/packed.h>
#include <string.h>

#define N 20000u

typedef struct Program {
    WwTinst inst[N];
    uint64_t *arena;
    size_t n_arena;
} Program;

static uint32_t below(GRand *r, uint32_t n)
{
    return (uint32_t)g_rand_int_range(r, 0, (gint32)n);
}

static uint64_t any(GRand *r)
{
    uint64_t wide = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);
    return wide >> below(r, 64);
}

/* An address block of any kind into the arena; returns what WwTinst.addr says. */
static uint32_t add_block(Program *p, GRand *r)
{
    WwAddrRoom *room = (WwAddrRoom *)(void *)(p->arena + p->n_arena);
    WwAddrBlock *b = ww_addr_block(room);
    uint32_t ref = (uint32_t)p->n_arena + 1;
    b->mode = (uint8_t)below(r, 3);
    b->base = b->mode == WW_ADDR_LIST ? 0 : any(r);
    b->stride = b->mode == WW_ADDR_STRIDE ? (int32_t)g_rand_int(r) : 0;
    b->n = b->mode == WW_ADDR_STRIDE ? 0 : (uint8_t)below(r, 33);
    for (uint32_t i = 0; i < b->n; i++) {
        b->own[i] = (int64_t)(g_rand_boolean(r) ? any(r) : 0 - any(r));
    }
    p->n_arena += sizeof *b / sizeof(uint64_t) + b->n;
    return ref;
}

static Program *program_new(void)
{
    Program *p = g_new0(Program, 1);
    p->arena = g_new0(uint64_t, (size_t)N * 36);
    return p;
}

static void program_free(Program *p)
{
    g_free(p->arena);
    g_free(p);
}

static void assert_same(const WwTinst *got, WwAddrRoom *room, const Program *p, uint32_t i)
{
    const WwTinst *t = &p->inst[i];
    g_assert_cmpuint(got->sinst, ==, t->sinst);
    g_assert_cmphex(got->mask, ==, t->mask);
    g_assert_cmpuint(got->addr != 0, ==, t->addr != 0);
    if (t->addr != 0) {
        const WwAddrBlock *b = (const void *)(p->arena + t->addr - 1), *g = ww_addr_block(room);
        g_assert_cmpuint(g->mode, ==, b->mode);
        g_assert_cmpuint(g->n, ==, b->n);
        g_assert_cmphex(g->base, ==, b->base);
        g_assert_cmpint(g->stride, ==, b->stride);
        g_assert_cmpmem(ww_addr_values(g), g->n * sizeof(int64_t), ww_addr_values(b),
                        b->n * sizeof(int64_t));
    }
}

/* Written in pieces; read twice, with steps back. */
static void check(const Program *p, GRand *r, WwPacked *k)
{
    WwTinst t;
    WwAddrRoom room;
    for (uint32_t i = 0; i < N;) {
        uint32_t n = 1 + below(r, 2000);
        n = MIN(n, N - i);
        ww_packed_add(k, &p->inst[i], n, p->arena);
        i += n;
    }
    for (int again = 0; again < 2; again++) {
        ww_packed_start(k);
        for (uint32_t i = 0; i < N; i++) {
            g_assert_cmpuint(ww_packed_peek(k), ==, p->inst[i].sinst);
            g_assert_true(ww_packed_next(k, &t, &room));
            assert_same(&t, &room, p, i);
            if (i >= 1 && below(r, 10) == 0) {
                uint32_t back = 1 + below(r, WW_PACKED_BACK);
                ww_packed_back(k, back);
                for (uint32_t j = i + 1 - back; j <= i; j++) {
                    g_assert_true(ww_packed_next(k, &t, &room));
                    assert_same(&t, &room, p, j);
                }
            }
        }
        g_assert_false(ww_packed_next(k, &t, &room));
        g_assert_cmpuint(ww_packed_peek(k), ==, UINT32_MAX);
    }
}

static void test_random(void)
{
    for (uint32_t seed = 0; seed < 6; seed++) {
        GRand *r = g_rand_new_with_seed(seed);
        Program *p = program_new();
        uint32_t ids = 1u << below(r, 20);
        for (uint32_t i = 0; i < N; i++) {
            p->inst[i] = (WwTinst){.sinst = below(r, ids),
                                   .mask = below(r, 3) ? UINT32_MAX : g_rand_int(r),
                                   .addr = below(r, 3) ? 0 : add_block(p, r)};
        }
        g_autoptr(WwHeap) heap = ww_heap_new();
        WwPacked *k = ww_packed_new(heap);
        check(p, r, k);
        ww_packed_free(k);
        program_free(p);
        g_rand_free(r);
    }
}

/* A loop of 50 instructions, one of them a load that moves on by a line each time. */
static void test_loop(void)
{
    GRand *r = g_rand_new_with_seed(1);
    Program *p = program_new();
    for (uint32_t i = 0; i < N; i++) {
        p->inst[i] = (WwTinst){.sinst = i % 50, .mask = UINT32_MAX};
        if (i % 50 == 7) {
            WwAddrBlock *b = (void *)(p->arena + p->n_arena);
            *b = (WwAddrBlock){.base = 0x7f0000000000 + 128ull * i, .stride = 4, .mode = 1};
            p->inst[i].addr = (uint32_t)p->n_arena + 1;
            p->n_arena += 3;
        }
    }
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwPacked *k = ww_packed_new(heap);
    size_t empty = ww_packed_bytes(k);
    check(p, r, k);
    g_assert_cmpuint(ww_packed_bytes(k) - empty, <, 4096);
    ww_packed_free(k);
    program_free(p);
    g_rand_free(r);
}

/* As predicted for 0, 1, 2, ... 190 instructions between others: the short form of a run ends within. */
static void test_runs(void)
{
    GRand *r = g_rand_new_with_seed(1);
    Program *p = program_new();
    for (uint32_t i = 0, length = 0; i < N; length = length == 190 ? 0 : length + 1) {
        p->inst[i++] = (WwTinst){.sinst = 1, .mask = 1};
        for (uint32_t k = 0; k <= length && i < N; k++) {
            p->inst[i++] = (WwTinst){.sinst = 1, .mask = UINT32_MAX};
        }
    }
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwPacked *k = ww_packed_new(heap);
    check(p, r, k);
    ww_packed_free(k);
    program_free(p);
    g_rand_free(r);
}

static void test_empty(void)
{
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwPacked *k = ww_packed_new(heap);
    WwTinst t;
    WwAddrRoom room;
    ww_packed_start(k);
    g_assert_cmpuint(ww_packed_peek(k), ==, UINT32_MAX);
    g_assert_false(ww_packed_next(k, &t, &room));
    ww_packed_free(k);
    ww_packed_free(NULL);
}

void add_packed_tests(void)
{
    g_test_add_func("/ports/packed/random", test_random);
    g_test_add_func("/ports/packed/loop", test_loop);
    g_test_add_func("/ports/packed/runs", test_runs);
    g_test_add_func("/ports/packed/empty", test_empty);
}
