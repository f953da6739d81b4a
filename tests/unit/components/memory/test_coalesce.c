/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalescing against a model that thinks in single bytes: a table of every (segment, copy) with a
 * byte array each, no sorting, no masks.
 */
#include "tests.h"

#include "components/memory/coalesce-priv.h"
#include <string.h>

/* ---- the plain model ----------------------------------------------------------------------- */

typedef struct Plain {
    uint64_t block;
    bool used, byte[128], lane[32], chunk[4];
} Plain;

typedef struct Model {
    Plain p[COALESCE_MAX];
    uint32_t n;
    LdstAccess out[COALESCE_MAX];
    uint32_t n_out;
} Model;

static Plain *plain_new(Model *m, uint64_t block)
{
    Plain *p = &m->p[m->n++];
    memset(p, 0, sizeof *p);
    p->block = block;
    p->used = true;
    return p;
}

static Plain *plain_find(Model *m, uint64_t block)
{
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->p[i].block == block) {
            return &m->p[i];
        }
    }
    return plain_new(m, block);
}

static void plain_touch(Plain *p, uint32_t lane, uint64_t addr, uint32_t width)
{
    p->lane[lane] = true;
    p->chunk[addr % 128 / 32] = true;
    for (uint32_t i = 0; i < width; i++) {
        if (addr % 128 + i < 128) {
            p->byte[addr % 128 + i] = true;
        }
    }
}

/* Lowest segment first; equal ones in order of creation. */
static void plain_send(Model *m, uint32_t segment)
{
    for (;;) {
        Plain *best = NULL;
        for (uint32_t i = 0; i < m->n; i++) {
            if (m->p[i].used && (best == NULL || m->p[i].block < best->block)) {
                best = &m->p[i];
            }
        }
        if (best == NULL) {
            break;
        }
        best->used = false;
        LdstAccess *a = &m->out[m->n_out++];
        memset(a, 0, sizeof *a);
        uint64_t low = best->block, high = best->block + segment;
        for (uint32_t half = segment / 2; half >= 32; half /= 2) {
            bool lower = false, upper = false;
            for (uint64_t x = low; x < high; x += 32) {
                *(x < low + half ? &lower : &upper) |= best->chunk[x % 128 / 32];
            }
            if (lower && upper) {
                break;
            }
            low = upper ? low + half : low;
            high = low + half;
        }
        a->addr = low;
        a->size = (uint8_t)(high - low);
        for (uint32_t i = 0; i < 128; i++) {
            a->bytes.w[i / 64] |= (uint64_t)best->byte[i] << (i % 64);
        }
        for (uint32_t i = 0; i < 32; i++) {
            a->lanes |= (uint32_t)best->lane[i] << i;
        }
        for (uint32_t i = 0; i < 4; i++) {
            a->sectors |= (uint8_t)(best->chunk[i] << i);
        }
    }
    m->n = 0;
}

static bool plain_overlaps(const Plain *p, uint64_t addr, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        if (p->byte[addr % 128 + i]) {
            return true;
        }
    }
    return false;
}

static void plain_atomic(Model *m, uint32_t lane, uint64_t addr, uint32_t width, uint32_t segment)
{
    uint64_t block = addr / segment * segment;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->p[i].block == block && !plain_overlaps(&m->p[i], addr, width)) {
            plain_touch(&m->p[i], lane, addr, width);
            return;
        }
    }
    plain_touch(plain_new(m, block), lane, addr, width);
}

static void plain_run(Model *m, const WwLanes *l, uint32_t parts, uint32_t segment, bool atomic)
{
    m->n = m->n_out = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t w = 0; (l->mask >> lane & 1) != 0 && w < l->words; w++) {
            uint64_t addr = l->addr[lane * l->words + w], last = addr + l->width - 1;
            if (atomic) {
                plain_atomic(m, lane, addr, l->width, segment);
                continue;
            }
            if (addr == 0) {
                break;
            }
            plain_touch(plain_find(m, addr / segment * segment), lane, addr, l->width);
            if (last / segment != addr / segment) {
                uint64_t next = last / segment * segment;
                plain_touch(plain_find(m, next), lane, l->tail_only ? next : last,
                            l->tail_only ? (uint32_t)(last - next) + 1 : l->width);
            }
        }
        if (lane % (32 / parts) == 32 / parts - 1) {
            plain_send(m, segment);
        }
    }
}

static void same_access(const LdstAccess *got, const LdstAccess *want)
{
    g_assert_cmphex(got->addr, ==, want->addr);
    g_assert_cmpuint(got->size, ==, want->size);
    g_assert_cmphex(got->lanes, ==, want->lanes);
    g_assert_cmphex(got->sectors, ==, want->sectors);
    g_assert_cmphex(got->bytes.w[0], ==, want->bytes.w[0]);
    g_assert_cmphex(got->bytes.w[1], ==, want->bytes.w[1]);
}

static void compare(const WwLanes *l, uint32_t parts, uint32_t segment, bool atomic)
{
    static Model m;
    static LdstAccess got[COALESCE_MAX];
    plain_run(&m, l, parts, segment, atomic);
    uint32_t n =
        atomic ? coalesce_atomic(l, parts, segment, got) : coalesce_plain(l, parts, segment, got);
    g_assert_cmpuint(n, ==, m.n_out);
    for (uint32_t i = 0; i < n; i++) {
        same_access(&got[i], &m.out[i]);
    }
}

/* ---- every small case, and random large ones ----------------------------------------------- */

/* Every pair of offsets of two lanes within two lines, every width and segment. */
static void two_lanes(void)
{
    uint64_t addr[32] = {0};
    for (uint32_t width = 1; width <= 16; width *= 2) {
        for (uint32_t segment = 32; segment <= 128; segment *= 2) {
            for (uint32_t a = 0; a < 160; a++) {
                for (uint32_t b = 0; b < 160; b += width < 4 ? 3 : 1) {
                    addr[4] = 0x1000 + a;
                    addr[20] = 0x1000 + b;
                    WwLanes l = {addr, 1, 1u << 4 | 1u << 20, width};
                    compare(&l, 1, segment, false);
                    compare(&l, 2, segment, false);
                    l.tail_only = true;
                    compare(&l, 1, segment, false);
                    if (a % width == 0 && b % width == 0) {
                        compare(&l, 1, segment, true);
                    }
                }
            }
        }
    }
}

/* From @p base on, which may be 0: lanes without an address lie among lanes with one then. */
static uint64_t random_addr(GRand *r, uint64_t base, uint32_t spread)
{
    return g_rand_int_range(r, 0, 16) == 0
               ? 0
               : base + (uint64_t)g_rand_int_range(r, 0, (gint32)spread);
}

static void random_warps(void)
{
    static const uint32_t spreads[] = {16, 64, 300, 4096, 1000000};
    g_autoptr(GRand) r = g_rand_new_with_seed(7);
    uint64_t addr[COALESCE_MAX];
    for (uint32_t k = 0; k < 20000; k++) {
        uint32_t words = k % 3 == 0 ? 1u << g_rand_int_range(r, 0, 4) : 1;
        uint32_t width = words > 1 ? 4 : 1u << g_rand_int_range(r, 0, 5);
        bool atomic = words == 1 && g_rand_boolean(r);
        uint32_t spread = spreads[g_rand_int_range(r, 0, 5)];
        for (uint32_t i = 0; i < 32 * words; i++) {
            uint64_t base = k % 5 == 0 ? 0 : k % 5 == 1 ? 0xffffff0000000000u : 0x7f00000000u;
            addr[i] = random_addr(r, base, spread);
            if (atomic || words > 1) {
                addr[i] &= ~(uint64_t)(width - 1);
            }
        }
        uint32_t mask = g_rand_boolean(r) ? UINT32_MAX : g_rand_int(r);
        WwLanes l = {addr, words, mask, width};
        compare(&l, 1u << g_rand_int_range(r, 0, 3), 32u << g_rand_int_range(r, 0, 3), atomic);
    }
}

/* What is said of neighbouring lanes at once against one lane after the other. */
static void runs(void)
{
    static const uint64_t strides[] = {0,  1,  2,  4,   8,   12,   16,  20,
                                       32, 36, 64, 100, 128, 4096, -4u, -4};
    static LdstAccess want[COALESCE_MAX], got[COALESCE_MAX];
    g_autoptr(GRand) r = g_rand_new_with_seed(11);
    uint32_t taken = 0;
    for (uint32_t k = 0; k < 40000; k++) {
        uint32_t first = (uint32_t)g_rand_int_range(r, 0, 32);
        uint32_t n = (uint32_t)g_rand_int_range(r, 1, (gint32)(33 - first));
        uint32_t width = 1u << g_rand_int_range(r, 0, 5),
                 segment = 32u << g_rand_int_range(r, 0, 3);
        uint64_t base = k % 16 == 0 ? 0 : k % 16 == 1 ? -16ull : 0x7f00000000u;
        base += (uint64_t)g_rand_int_range(r, 0, 300) & ~(uint64_t)(k % 4 != 0 ? width - 1 : 0);
        CoalesceRun run = {base, strides[g_rand_int_range(r, 0, G_N_ELEMENTS(strides))], first, n,
                           width};
        uint64_t addr[32] = {0};
        WwLanes l = {addr, 1, 0, width, .tail_only = k % 2 == 0};
        for (uint32_t i = 0; i < n; i++) {
            addr[first + i] = base + i * run.stride;
            l.mask |= 1u << (first + i);
        }
        uint32_t some = coalesce_run(&run, segment, got);
        taken += some != 0;
        if (some != 0) {
            g_assert_cmpuint(some, ==, coalesce_plain(&l, 1, segment, want));
            for (uint32_t i = 0; i < some; i++) {
                same_access(&got[i], &want[i]);
            }
        }
    }
    g_assert_cmpuint(taken, >, 20000);
}

/* The same of a few runs: rows of a tile, with gaps, beside, over and in front of one another. */
static void rows(void)
{
    static const int64_t strides[] = {0, 1, 2, 4, 4, 4, 8, 8, 16, 32, 40, -4};
    static LdstAccess want[COALESCE_MAX], got[COALESCE_MAX];
    g_autoptr(GRand) r = g_rand_new_with_seed(12);
    uint32_t taken = 0, joined = 0;
    for (uint32_t k = 0; k < 60000; k++) {
        uint32_t width = 1u << g_rand_int_range(r, 0, 5), row = 1u << g_rand_int_range(r, 0, 6);
        uint32_t mask = k % 3 == 0 ? UINT32_MAX : g_rand_int(r) | (k % 3 == 1 ? 0x7ffe7ffe : 1);
        uint64_t base = k % 16 == 0 ? 0 : k % 16 == 1 ? -16ull : 0x7f00000000u;
        base += (uint64_t)g_rand_int_range(r, 0, 300) & ~(uint64_t)(k % 4 != 0 ? width - 1 : 0);
        uint64_t addr[32] = {0}, at = base;
        int64_t stride = strides[g_rand_int_range(r, 0, G_N_ELEMENTS(strides))], delta[32];
        int64_t pitch = g_rand_int_range(r, k % 5 == 0 ? -600 : 0, k % 2 == 0 ? 600 : 40);
        uint32_t n = 0;
        pitch &= k % 4 != 0 ? -(int64_t)width : -1;
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            if (m != mask) {
                delta[n] = lane % row == 0 ? pitch : stride;
                at += (uint64_t)delta[n++];
            }
            addr[lane] = at;
        }
        WwLanes l = {addr, 1, mask, width, .tail_only = k % 2 == 0};
        uint32_t some = coalesce_rows((CoalesceRows){base, delta, mask, width}, got);
        taken += some != 0;
        if (some != 0) {
            g_assert_cmpuint(some, ==, coalesce_plain(&l, 1, WW_SECTOR_BYTES, want));
            for (uint32_t i = 0; i < some; i++) {
                same_access(&got[i], &want[i]);
                joined += row == 16 && pitch != stride && (got[i].lanes >> 15 & 3u) == 3;
            }
        }
    }
    g_assert_cmpuint(taken, >, 10000);
    g_assert_cmpuint(joined, >, 50);
}

/* ---- rules --------------------------------------------------------------------------------- */

static void segments(void)
{
    static const struct {
        uint32_t arch;
        bool skip, bypass;
        uint32_t bytes[3]; /* for widths 1, 2, 4 and more */
    } rules[] = {
        {13, false, false, {32, 64, 128}}, {13, true, true, {32, 64, 128}},
        {19, false, false, {32, 64, 128}}, {20, false, false, {32, 64, 128}},
        {20, true, false, {32, 32, 32}},   {35, false, true, {32, 32, 32}},
        {38, true, false, {32, 32, 32}},   {39, true, true, {32, 64, 128}},
        {40, false, false, {32, 32, 32}},  {86, false, false, {32, 32, 32}},
    };
    for (uint32_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        CoalesceRule r = {rules[i].arch, 1, rules[i].skip};
        for (uint32_t k = 0; k < 5; k++) {
            g_assert_cmpuint(coalesce_segment(&r, 1u << k, rules[i].bypass), ==,
                             rules[i].bytes[MIN(k, 2)]);
        }
    }
}

static void same_address_atomics_stay_apart(void)
{
    uint64_t addr[32];
    LdstAccess out[COALESCE_MAX];
    for (uint32_t i = 0; i < 32; i++) {
        addr[i] = 0x1000;
    }
    WwLanes l = {addr, 1, UINT32_MAX, 4};
    g_assert_cmpuint(coalesce_atomic(&l, 1, 32, out), ==, 32);
    g_assert_cmphex(out[31].lanes, ==, 1u << 31);
    g_assert_cmpuint(coalesce_plain(&l, 1, 32, out), ==, 1);
    g_assert_cmphex(out[0].lanes, ==, UINT32_MAX);
}

static void straddling(void)
{
    uint64_t addr[32] = {0};
    addr[3] = 0x1000 + 28;
    addr[4] = 0x1000 + 29;
    WwLanes l = {addr, 1, 0x18, 4};
    g_assert_cmphex(coalesce_straddles(&l, 32), ==, 0x10);
    g_assert_cmphex(coalesce_straddles(&l, 64), ==, 0);
}

/* ---- local memory -------------------------------------------------------------------------- */

static void local_by_the_formula(void)
{
    CoalesceLocal c = {.map = true,
                       .sm = 3,
                       .sms = 10,
                       .padded = 64,
                       .limit = 4,
                       .threads = 2048,
                       .start = 0x1f880000};
    uint64_t out[COALESCE_LANE_WORDS];
    /* thread 133 is thread 5 of the third CTA slot */
    uint64_t base = 4 * (64 * (3 + 10 * 2) + 5), all = 64 * 4 * 10;
    g_assert_cmpuint(coalesce_local(&c, 133, 0x40, 16, out), ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmphex(out[i], ==, (16 + i) * all * 4 + base + 0x1f880000);
    }
    g_assert_cmpuint(coalesce_local(&c, 133, 0x43, 1, out), ==, 1);
    g_assert_cmphex(out[0], ==, 16 * all * 4 + 3 + base + 0x1f880000);
    c.map = false;
    g_assert_cmpuint(coalesce_local(&c, 133, 8, 4, out), ==, 1);
    g_assert_cmphex(out[0], ==, 2 * (10 * 2048) * 4 + 4 * (2048 * 3 + 133) + 0x1f880000);
}

static void local_alignment(void)
{
    CoalesceLocal c = {
        .map = true, .sms = 1, .padded = 32, .limit = 1, .threads = 32, .start = 0x1f880000};
    uint64_t out[COALESCE_LANE_WORDS];
    g_assert_cmpuint(coalesce_local(&c, 0, 2, 4, out), ==, 0);
    g_assert_cmpuint(coalesce_local(&c, 0, 3, 2, out), ==, 0);
    g_assert_cmpuint(coalesce_local(&c, 0, 2, 2, out), ==, 1);
    g_assert_cmpuint(coalesce_local(&c, 0, 4, 8, out), ==, 2);
}

void register_coalesce_tests(void)
{
    g_test_add_func("/memory/coalesce/two_lanes", two_lanes);
    g_test_add_func("/memory/coalesce/random_warps", random_warps);
    g_test_add_func("/memory/coalesce/runs", runs);
    g_test_add_func("/memory/coalesce/rows", rows);
    g_test_add_func("/memory/coalesce/segments", segments);
    g_test_add_func("/memory/coalesce/same_address_atomics_stay_apart",
                    same_address_atomics_stay_apart);
    g_test_add_func("/memory/coalesce/straddling", straddling);
    g_test_add_func("/memory/coalesce/local_by_the_formula", local_by_the_formula);
    g_test_add_func("/memory/coalesce/local_alignment", local_alignment);
}
