/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick tick against the walk: the same policy with a scoreboard that shows its registers, for which the scheduler picks by
 * masks and looks ahead, and with one that only answers, for which it tries the warps in order. Random heads, hazards, barriers,
 * atomics and back-pressure: what issues when, and every statistic, are the same.
 */
#include "tests.h"

enum { WARPS = 12, STEPS = 600 };

static const char *const ports[] = {"int", "sp", "mem"};
static const WwOp ops[] = {WW_OP_ALU, WW_OP_ALU,     WW_OP_SP,     WW_OP_SP,  WW_OP_LOAD,
                           WW_OP_ALU, WW_OP_BARRIER, WW_OP_MEMBAR, WW_OP_EXIT};

typedef struct Pair {
    Bench b[2]; /* quick, walk */
    uint32_t in_buffer[WARPS];
    uint64_t colliding, held;
} Pair;

static void put(Pair *p, uint32_t warp, GRand *random)
{
    uint32_t kind = (uint32_t)g_rand_int_range(random, 0, G_N_ELEMENTS(ops));
    uint32_t empty = g_rand_int_range(random, 0, 20) == 0;
    for (uint32_t i = 0; i < 2; i++) {
        WwInst *inst = bench_put_like(&p->b[i], warp, &(WwTestInst){.op = ops[kind]});
        inst->mask = empty ? 0 : inst->mask;
    }
    p->in_buffer[warp]++;
}

/* Only a warp without a head starts to collide: what a head was found to be, it is until it has issued. */
static void collide(Pair *p, uint32_t warp, bool slow)
{
    p->colliding |= 1ull << warp;
    for (uint32_t i = 0; i < 2; i++) {
        ww_fake_scoreboard_collide(p->b[i].hazard, warp, slow);
    }
}

static void clear(Pair *p, uint32_t warp)
{
    p->colliding &= ~(1ull << warp);
    for (uint32_t i = 0; i < 2; i++) {
        ww_fake_scoreboard_clear(p->b[i].hazard, warp);
    }
}

/* CTA barriers and copies, with the notice that comes with each. */
static void hold(Pair *p, uint64_t held, uint64_t async)
{
    for (uint32_t i = 0; i < 2; i++) {
        WwFakeBarriers *f = p->b[i].barriers;
        ww_fake_barriers_set(f, held, f->view.membar, async);
        WW_BARRIERS(&(WwPort){.table = ((WwComponent *)f)->type->ports[0].table})
            ->cta_enter(f, 0, 1);
    }
}

static void compare(Pair *p, const char *stat, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        g_assert_cmpuint(bench_stat(&p->b[0], stat, k), ==, bench_stat(&p->b[1], stat, k));
    }
}

static void compare_all(Pair *p)
{
    static const char *const counters[] = {"stall",        "idle",       "scoreboard_wait",
                                           "single_issue", "dual_issue", "flushes"};
    for (size_t k = 0; k < G_N_ELEMENTS(counters); k++) {
        compare(p, counters[k], 1);
    }
    compare(p, "issued", WW_WARP_SIZE + 1);
    compare(p, "warp_issue", WARPS);
    compare(p, "cause", 17);
}

static void take_some(Pair *p, GRand *random)
{
    for (size_t k = 0; k < G_N_ELEMENTS(ports); k++) {
        g_assert_cmpuint(ww_harness_count(p->b[0].h, ports[k]), ==,
                         ww_harness_count(p->b[1].h, ports[k]));
        if (g_rand_int_range(random, 0, 3) != 0) {
            continue;
        }
        const WwInst *a = bench_take(&p->b[0], ports[k]), *b = bench_take(&p->b[1], ports[k]);
        g_assert_true((a == NULL) == (b == NULL));
        if (a != NULL) {
            g_assert_true(a->warp == b->warp && a->uid == b->uid && a->op == b->op);
        }
    }
}

/* Each warp, in one case of eight. */
static uint64_t few(GRand *random)
{
    uint32_t warps = g_rand_int(random);
    warps &= g_rand_int(random);
    return warps & g_rand_int(random);
}

static void act(Pair *p, GRand *random)
{
    uint32_t warp = (uint32_t)g_rand_int_range(random, 0, WARPS);
    const WwWarpView *view = &p->b[0].warps->view;
    uint64_t bit = 1ull << warp;
    bool empty = !(view->ibuf & bit);
    switch (g_rand_int_range(random, 0, 9)) {
    case 0:
        if (empty) {
            collide(p, warp, g_rand_boolean(random));
        }
        break;
    case 1:
    case 2:
        if (p->colliding & bit) {
            clear(p, warp);
        }
        break;
    case 3:
        hold(p, few(random), 0);
        break;
    case 4:
        hold(p, 0, few(random));
        break;
    default:
        if (empty) {
            if (!(view->live & bit)) { /* another one takes the place of a warp that has exited */
                ww_fake_warps_live(p->b[0].warps, warp, UINT32_MAX);
                ww_fake_warps_live(p->b[1].warps, warp, UINT32_MAX);
            }
            put(p, warp, random);
            put(p, warp, random);
        }
    }
}

static void check(const char *params, const char *policy, uint32_t seed)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Pair p = {.b = {bench_open_exact(params, policy, "int sp=2 mem"),
                    bench_open(params, policy, "int sp=2 mem")}};
    uint64_t asleep = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        for (int32_t n = g_rand_int_range(random, 0, 4); n > 0; n--) {
            act(&p, random);
        }
        int32_t ticks = g_rand_int_range(random, 1, 4);
        ww_harness_step(p.b[0].h, (uint64_t)ticks);
        ww_harness_step(p.b[1].h, (uint64_t)ticks);
        asleep += ww_harness_asleep(p.b[0].h) && !ww_harness_asleep(p.b[1].h);
        take_some(&p, random);
        compare_all(&p);
    }
    g_assert_cmpuint(bench_stat(&p.b[0], "single_issue", 0), >, STEPS / 30);
    g_assert_cmpuint(p.b[0].hazard->checks, <, p.b[1].hazard->checks / 2); /* who looks asks less */
    g_assert_cmpuint(asleep, >, 0);                                        /* it looks ahead */
    bench_close(&p.b[0]);
    bench_close(&p.b[1]);
}

static void test_same(void)
{
    static const char *const policy[] = {"scheduler.lrr", "scheduler.gto", "scheduler.oldest"};
    for (uint32_t seed = 0; seed < 4; seed++) {
        for (size_t i = 0; i < G_N_ELEMENTS(policy); i++) {
            check(NULL, policy[i], seed);
            check("max_issue=2", policy[i], seed);
            check("max_issue=2 dual_issue_diff_units=false", policy[i], seed);
        }
    }
}

void register_quick_tests(void)
{
    g_test_add_func("/issue/quick/same", test_same);
}
