/* SPDX-License-Identifier: Apache-2.0 */
/* Bank conflicts: known patterns, and random ones against a quadratic model. */
#include "tests.h"

#include "components/memory/smem-priv.h"

static uint32_t strided(uint32_t stride, const SmemRule *rule)
{
    uint64_t addr[32];
    for (uint32_t i = 0; i < 32; i++) {
        addr[i] = 0x100 + (uint64_t)stride * i;
    }
    return smem_cost(rule, addr, UINT32_MAX);
}

static void strides(void)
{
    SmemRule r = {32, 1, false};
    static const uint32_t words_and_cost[][2] = {{0, 1}, {1, 1},   {2, 2},  {3, 1},   {4, 4},
                                                 {8, 8}, {16, 16}, {31, 1}, {32, 32}, {33, 1}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(words_and_cost); i++) {
        g_assert_cmpuint(strided(4 * words_and_cost[i][0], &r), ==, words_and_cost[i][1]);
    }
    g_assert_cmpuint(strided(1, &r), ==, 1); /* four lanes share a word */
    SmemRule halves = {16, 2, false};
    g_assert_cmpuint(strided(4, &halves), ==, 2);
    g_assert_cmpuint(strided(8, &halves), ==, 4);
}

/* With a width, 16 bytes go a quarter of the lanes at a time; without one as their first words. */
static void width(void)
{
    SmemRule first = {32, 1, false, false, 0}, wide = {32, 1, false, false, 16},
             pairs = {32, 1, false, false, 8};
    g_assert_cmpuint(strided(16, &first), ==, 4);
    g_assert_cmpuint(strided(16, &wide), ==, 4);
    g_assert_cmpuint(strided(8, &pairs), ==, 2);
    g_assert_cmpuint(strided(0, &first), ==, 1);
    g_assert_cmpuint(strided(0, &wide), ==, 4); /* one address for all: four parts all the same */
    g_assert_cmpuint(strided(4 * 33, &first), ==, 1);
    g_assert_cmpuint(strided(4 * 33, &wide), ==, 16); /* neighbours share three banks of four */
}

/* Atomics of lanes that share a word go one after the other, whatever is broadcast. */
static void lanes_apart(void)
{
    SmemRule r = {32, 1, false, true}, limited = {32, 1, true, true};
    g_assert_cmpuint(strided(0, &r), ==, 32);
    g_assert_cmpuint(strided(0, &limited), ==, 32);
    g_assert_cmpuint(strided(1, &r), ==, 4);
    g_assert_cmpuint(strided(4, &r), ==, 1);
    g_assert_cmpuint(strided(8, &r), ==, 2);
}

static void limited_broadcast(void)
{
    SmemRule r = {32, 1, true};
    g_assert_cmpuint(strided(0, &r), ==, 1); /* one word for all */
    g_assert_cmpuint(strided(4, &r), ==, 1);
    g_assert_cmpuint(strided(1, &r), ==, 4); /* words of four lanes: only the first is broadcast */
}

/* Counts distinct words, or lanes, of each bank by looking at every pair. */
static uint32_t plain_group(const SmemRule *r, const uint64_t *addr, uint32_t mask)
{
    uint32_t load[SMEM_MAX_BANKS] = {0}, best = 0;
    int chosen = -1;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        bool first = true, shared = false;
        for (uint32_t k = 0; k < 32; k++) {
            if (k != i && (mask >> k & 1) != 0 && addr[k] / 4 == addr[i] / 4) {
                first &= k > i;
                shared = true;
            }
        }
        if (first || r->limited_broadcast) {
            load[addr[i] / 4 % r->banks]++;
        }
        if (shared && first &&
            (chosen < 0 || addr[i] / 4 % r->banks < addr[chosen] / 4 % r->banks ||
             (addr[i] / 4 % r->banks == addr[chosen] / 4 % r->banks && addr[i] < addr[chosen]))) {
            chosen = (int)i;
        }
    }
    for (uint32_t k = 0; r->limited_broadcast && chosen >= 0 && k < 32; k++) {
        if ((int)k != chosen && (mask >> k & 1) != 0 && addr[k] / 4 == addr[chosen] / 4) {
            load[addr[chosen] / 4 % r->banks]--;
        }
    }
    for (uint32_t b = 0; b < r->banks; b++) {
        best = MAX(best, load[b]);
    }
    return best;
}

static void random_patterns(void)
{
    g_autoptr(GRand) rnd = g_rand_new_with_seed(11);
    for (uint32_t k = 0; k < 20000; k++) {
        SmemRule r = {(uint32_t)g_rand_int_range(rnd, 1, SMEM_MAX_BANKS + 1),
                      1u << g_rand_int_range(rnd, 0, 6), g_rand_boolean(rnd)};
        uint64_t addr[32];
        gint32 spread = 1 << g_rand_int_range(rnd, 3, 16);
        uint32_t mask = g_rand_int(rnd) | (k % 2 ? UINT32_MAX : 0), want = 0;
        for (uint32_t i = 0; i < 32; i++) {
            addr[i] = (uint64_t)g_rand_int_range(rnd, 0, spread);
        }
        for (uint32_t p = 0; p < r.parts; p++) {
            uint32_t size = 32 / r.parts;
            want += plain_group(&r, addr, mask & (uint32_t)(((1ull << size) - 1) << p * size));
        }
        g_assert_cmpuint(smem_cost(&r, addr, mask), ==, want);
    }
}

/* Shapes that come again at other bases, each asked for as a whole and by its addresses. */
static void shapes(void)
{
    g_autoptr(GRand) rnd = g_rand_new_with_seed(5);
    static SmemMemo memo;
    WwAddrRoom room[40];
    uint32_t mask[G_N_ELEMENTS(room)];
    SmemRule r = {32, 1, false};
    for (uint32_t k = 0; k < G_N_ELEMENTS(room); k++) {
        WwAddrBlock *b = ww_addr_block(&room[k]);
        *b = (WwAddrBlock){.stride = g_rand_int_range(rnd, -9, 70), .mode = (uint8_t)(k % 3)};
        mask[k] = k % 4 != 0 ? UINT32_MAX : k % 8 != 0 ? 0x00fff000 : g_rand_int(rnd);
        b->n = k % 7 != 0 ? 31 : 12;
        for (uint32_t i = 0; i < b->n; i++) {
            b->own[i] = i % 16 == 15 ? -60 : g_rand_int_range(rnd, 0, 1 + (gint32)k % 5 * 4);
        }
    }
    for (uint32_t k = 0; k < 20000; k++) {
        uint64_t addr[32];
        uint32_t i = (uint32_t)g_rand_int_range(rnd, 0, G_N_ELEMENTS(room)) / (1u + k / 64 % 8);
        WwAddrBlock *b = ww_addr_block(&room[i]);
        b->base = 0x1000 + (uint64_t)g_rand_int_range(rnd, 0, 300);
        r.width = 1u << g_rand_int_range(rnd, 0, 5);
        r.lanes_apart = k % 16 == 0;
        ww_addr_expand(b, mask[i], addr);
        g_assert_cmpuint(smem_cost_of(&memo, &r, b, mask[i]), ==, smem_cost(&r, addr, mask[i]));
    }
    g_assert_cmpuint(smem_cost_of(&memo, &r, NULL, 0xf), ==, smem_cost(&r, (uint64_t[32]){0}, 0xf));
}

void register_smem_tests(void)
{
    g_test_add_func("/memory/smem/shapes", shapes);
    g_test_add_func("/memory/smem/strides", strides);
    g_test_add_func("/memory/smem/width", width);
    g_test_add_func("/memory/smem/lanes_apart", lanes_apart);
    g_test_add_func("/memory/smem/limited_broadcast", limited_broadcast);
    g_test_add_func("/memory/smem/random_patterns", random_patterns);
}
