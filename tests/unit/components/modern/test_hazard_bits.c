/* SPDX-License-Identifier: Apache-2.0 */
/* `control_bits`, alone: when may which instruction issue? */
#include "tests.h"

#include <ports/hazards.h>
#include <ports/test_inst.h>

enum { WARP = 3 };

typedef struct Bench {
    WwHarness *h;
    const WwScoreboardIf *f;
    void *self;
} Bench;

static Bench bench(const char *params)
{
    Bench b = {.h = ww_harness_new(test_registry(), "control_bits", params)};
    ww_harness_callers(b.h, "hazards", WW_RANK_CHECK, 1);
    ww_harness_callers(b.h, "hazards", WW_RANK_RETIRE, 1);
    ww_harness_start(b.h, NULL);
    b.f = ww_harness_table(b.h, "hazards", &b.self);
    return b;
}

static WwInst *inst(Bench *b, WwOp op, uint16_t latency, uint16_t dst, uint16_t src)
{
    return ww_test_inst(b->h,
                        &(WwTestInst){.op = op,
                                      .latency = latency,
                                      .dst = dst,
                                      .src = {src},
                                      .warp = WARP,
                                      .space = op == WW_OP_LOAD ? WW_SPACE_GLOBAL : WW_SPACE_NONE});
}

static WwInst *alu(Bench *b, uint16_t dst, uint16_t src)
{
    return inst(b, WW_OP_SP, 4, dst, src);
}

static WwInst *load(Bench *b, uint16_t dst, uint16_t src)
{
    return inst(b, WW_OP_LOAD, 1, dst, src);
}

static bool waits(Bench *b, const WwInst *i)
{
    return b->f->collides(b->self, i->warp, i->s);
}

static void issue(Bench *b, const WwInst *i)
{
    g_assert_false(waits(b, i));
    b->f->reserve(b->self, i);
}

static uint32_t woken(Bench *b)
{
    return ww_harness_wakes(b->h, "hazards", WW_RANK_CHECK, 0);
}

/* A short result can be used after its latency, whether or not it has been written; the scheduler is woken then. */
static void test_stalls(void)
{
    Bench b = bench(NULL);
    WwInst *producer = alu(&b, 11, 0), *consumer = alu(&b, 12, 11);
    ww_harness_step(b.h, 7);
    issue(&b, producer);
    g_assert_true(waits(&b, consumer));
    g_assert_true(waits(&b, alu(&b, 11, 0))); /* a write after a write waits, too */
    g_assert_false(waits(&b, alu(&b, 13, 14)));
    woken(&b);
    ww_harness_step(b.h, 3);
    g_assert_true(waits(&b, consumer));
    g_assert_cmpuint(woken(&b), ==, 0);
    ww_harness_step(b.h, 1);
    g_assert_false(waits(&b, consumer));
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(woken(&b), ==, 1);
    g_assert_cmphex(b.f->view(b.self)->changed, ==, 1u << WARP);
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 1u << WARP); /* it has not been written yet */
    ww_harness_wakes(b.h, "hazards", WW_RANK_RETIRE, 0);
    b.f->release_all(b.self, producer);
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_RETIRE, 0), ==, 1);
    ww_harness_free(b.h);
}

/* A load takes a counter: its result waits for the write, however long that takes. */
static void test_counter(void)
{
    Bench b = bench(NULL);
    WwInst *first = load(&b, 11, 5), *consumer = alu(&b, 12, 11);
    issue(&b, first);
    ww_harness_step(b.h, 500);
    g_assert_true(waits(&b, consumer));
    g_assert_true(b.f->waits_long(b.self, WARP, consumer->s));
    g_assert_false(b.f->waits_long(b.self, WARP, first->s)); /* its sources are there */
    g_assert_true(b.f->collides_long(b.self, WARP, first->s));
    woken(&b);
    b.f->release(b.self, WARP, 11);
    g_assert_cmpuint(woken(&b), !=, 0);
    g_assert_false(waits(&b, consumer));
    g_assert_false(b.f->waits_long(b.self, WARP, consumer->s));
    b.f->release(b.self, WARP, 11); /* nothing: it is not on its way */
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* The seventh load shares a counter: its consumer waits for the first load, too, and the other way round. */
static void test_shares(void)
{
    Bench b = bench("war=false");
    for (uint16_t i = 0; i < 7; i++) {
        issue(&b, load(&b, 20 + i, 5));
    }
    g_assert_cmpuint(ww_harness_stat(b.h, "counters", 0), ==, 7);
    g_assert_cmpuint(ww_harness_stat(b.h, "shared", 0), ==, 1);
    WwInst *first = alu(&b, 40, 20), *last = alu(&b, 41, 26), *second = alu(&b, 42, 21);
    b.f->release(b.self, WARP, 20);
    b.f->release(b.self, WARP, 21);
    g_assert_true(waits(&b, first)); /* a scoreboard would let it go */
    g_assert_true(waits(&b, last));
    g_assert_false(waits(&b, second));
    b.f->release(b.self, WARP, 26);
    g_assert_false(waits(&b, first));
    g_assert_false(waits(&b, last));
    ww_harness_free(b.h);
}

/* Once waited for, a register is free, although its counter is taken again. */
static void test_waited(void)
{
    Bench b = bench("war=false");
    WwInst *user = alu(&b, 40, 20);
    issue(&b, load(&b, 20, 5));
    b.f->release(b.self, WARP, 20);
    issue(&b, user);
    for (uint16_t i = 1; i < 7; i++) { /* all six are taken */
        issue(&b, load(&b, 20 + i, 5));
    }
    ww_harness_step(b.h, 20);
    g_assert_false(waits(&b, user));
    ww_harness_free(b.h);
}

/* What a store reads is not written before it was read; with war = false it may be. Its scheduler is woken when it has been. */
static void test_war(void)
{
    for (int war = 0; war < 2; war++) {
        Bench b = bench(war ? "read_cycles=9" : "read_cycles=9 war=false");
        WwInst *store = inst(&b, WW_OP_STORE, 1, 0, 7), *over = alu(&b, 7, 8),
               *reads = alu(&b, 9, 7);
        issue(&b, store);
        g_assert_cmpint(waits(&b, over), ==, war);
        g_assert_false(waits(&b, reads));
        ww_harness_step(b.h, 8);
        g_assert_cmpint(waits(&b, over), ==, war);
        woken(&b);
        ww_harness_step(b.h, 2);
        g_assert_cmpint(woken(&b) != 0, ==, war);
        g_assert_false(waits(&b, over));
        ww_harness_free(b.h);
    }
}

/* A counter goes to 63: who would take it further waits, and others do not. */
static void test_most(void)
{
    Bench b = bench(NULL);
    WwCodeInst *code = ww_harness_alloc(b.h, sizeof *code);
    *code = (WwCodeInst){.control = {.stall = 1, .write = 4, .read = WW_NO_COUNTER}};
    for (uint16_t i = 0; i < 63; i++) {
        WwInst *one = load(&b, 1 + i, 0);
        ww_test_sinst(one)->code = code;
        issue(&b, one);
        ww_harness_step(b.h, 1);
    }
    WwInst *more = load(&b, 100, 0);
    ww_test_sinst(more)->code = code;
    g_assert_true(waits(&b, more));
    g_assert_false(waits(&b, alu(&b, 101, 102)));
    woken(&b);
    b.f->release(b.self, WARP, 5);
    g_assert_cmpuint(woken(&b), !=, 0);
    g_assert_false(waits(&b, more));
    ww_harness_free(b.h);
    b = bench("read_cycles=64");
    for (uint32_t i = 0; i < WW_COUNTERS * 63; i++) {
        issue(&b, inst(&b, WW_OP_STORE, 1, 0, 7));
    }
    g_assert_true(waits(&b, inst(&b, WW_OP_STORE, 1, 0, 7)));
    g_assert_false(waits(&b, alu(&b, 101, 102)));
    ww_harness_step(b.h, 65);
    g_assert_false(waits(&b, inst(&b, WW_OP_STORE, 1, 0, 7)));
    ww_harness_free(b.h);
}

/* Nobody waits for R255. A latency beyond max_stall takes a counter. A reset forgets all. */
static void test_details(void)
{
    Bench b = bench("max_stall=6 war=false");
    issue(&b, load(&b, WW_ZERO_REG, 5));
    g_assert_false(waits(&b, alu(&b, 1, WW_ZERO_REG)));
    issue(&b, inst(&b, WW_OP_SFU, 7, 9, 0));
    g_assert_cmpuint(ww_harness_stat(b.h, "counters", 0), ==, 1);
    issue(&b, inst(&b, WW_OP_SFU, 6, 10, 0));
    g_assert_cmpuint(ww_harness_stat(b.h, "stalls", 0), ==, 1);
    g_assert_true(waits(&b, alu(&b, 1, 9)));
    ww_harness_reset(b.h);
    g_assert_false(waits(&b, alu(&b, 1, 9)));
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* Results for which nobody waits, such as loads to RZ, may be many; the next instruction waits where they could not be counted. */
static void test_many_results(void)
{
    Bench b = bench("war=false");
    WwInst *i = load(&b, WW_ZERO_REG, 5);
    for (uint32_t n = 0; n < UINT16_MAX; n++) {
        issue(&b, i);
        ww_harness_step(b.h, 1);
    }
    g_assert_true(waits(&b, i));
    b.f->seen(b.self, UINT64_MAX);
    woken(&b);
    for (uint32_t n = 0; n < UINT16_MAX; n++) {
        g_assert_cmphex(b.f->view(b.self)->pending, ==, 1u << WARP);
        b.f->release(b.self, WARP, WW_ZERO_REG);
        g_assert_true(n != 0 || woken(&b) != 0);
        g_assert_false(waits(&b, i));
    }
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* @p i with control bits from a listing. */
static WwInst *coded(Bench *b, WwInst *i, WwControl control)
{
    WwCodeInst *code = ww_harness_alloc(b->h, sizeof *code);
    *code = (WwCodeInst){.opcode = i->s->opcode, .control = control};
    ww_test_sinst(i)->code = code;
    return i;
}

static const uint8_t none = WW_NO_COUNTER;

/* What the listing says is done, whatever the registers are. */
static void test_listing(void)
{
    Bench b = bench("read_cycles=8");
    WwInst *a = coded(&b, load(&b, 11, 5), (WwControl){.stall = 1, .write = 2, .read = none});
    WwInst *r = coded(&b, inst(&b, WW_OP_STORE, 1, 0, 6),
                      (WwControl){.stall = 5, .write = none, .read = 1});
    WwInst *w =
        coded(&b, alu(&b, 12, 11),
              (WwControl){.stall = 1, .yield = true, .write = none, .read = none, .wait = 4});
    WwInst *v =
        coded(&b, alu(&b, 13, 11), (WwControl){.stall = 1, .write = none, .read = none, .wait = 2});
    issue(&b, a);
    g_assert_true(waits(&b, r)); /* in this cycle; one instruction a cycle */
    g_assert_true(b.f->waits_long(b.self, WARP, w->s));
    g_assert_false(b.f->waits_long(b.self, WARP, v->s));
    ww_harness_step(b.h, 1);
    issue(&b, r);
    ww_harness_step(b.h, 4);
    g_assert_true(waits(&b, w));
    b.f->release(b.self, WARP, 11);
    g_assert_true(waits(&b, w)); /* its counter is down; the stall of five cycles is not over */
    ww_harness_step(b.h, 1);
    g_assert_false(waits(&b, w));
    g_assert_true(waits(&b, v)); /* operands are being read */
    ww_harness_step(b.h, 2);
    g_assert_true(waits(&b, v));
    ww_harness_step(b.h, 2);
    g_assert_false(waits(&b, v));
    ww_harness_free(b.h);
}

/* A result without a counter that is written later than its stall says gives back none that a load has taken for the same register since. */
static void test_own_counter(void)
{
    Bench b = bench(NULL);
    WwInst *a = coded(&b, alu(&b, 11, 5), (WwControl){.stall = 4, .write = none, .read = none});
    WwInst *l = coded(&b, load(&b, 11, 6), (WwControl){.stall = 1, .write = 0, .read = none});
    WwInst *user =
        coded(&b, alu(&b, 12, 11), (WwControl){.stall = 1, .write = none, .read = none, .wait = 1});
    issue(&b, a);
    ww_harness_step(b.h, 4);
    issue(&b, l);
    ww_harness_step(b.h, 3);
    b.f->release_all(b.self, a);
    g_assert_true(waits(&b, user));
    b.f->release(b.self, WARP, 11);
    g_assert_false(waits(&b, user));
    ww_harness_free(b.h);
}

/* The same without a listing, where the latency says whether a result has a counter. */
static void test_own_latency(void)
{
    Bench b = bench(NULL);
    WwInst *a = alu(&b, 11, 5), *l = load(&b, 11, 6), *user = alu(&b, 12, 11);
    issue(&b, a);
    ww_harness_step(b.h, 4);
    issue(&b, l);
    ww_harness_step(b.h, 3);
    b.f->release_all(b.self, a);
    g_assert_true(waits(&b, user));
    b.f->release_all(b.self, l);
    g_assert_false(waits(&b, user));
    ww_harness_free(b.h);
}

/* An instruction that yields does not let its warp issue in the next cycle, however short it stalls; a stall of 0 with a yield is a long one. */
static void test_yields(void)
{
    Bench b = bench("yield_stall=20");
    WwInst *a = coded(&b, alu(&b, 11, 5),
                      (WwControl){.stall = 1, .yield = true, .write = none, .read = none});
    WwInst *c = coded(&b, alu(&b, 12, 5), (WwControl){.stall = 1, .write = none, .read = none});
    WwInst *e = coded(&b, alu(&b, 13, 5),
                      (WwControl){.stall = 0, .yield = true, .write = none, .read = none});
    issue(&b, a);
    ww_harness_step(b.h, 1);
    g_assert_true(waits(&b, c));
    ww_harness_step(b.h, 1);
    issue(&b, c);
    ww_harness_step(b.h, 1);
    issue(&b, e);
    ww_harness_step(b.h, 19);
    g_assert_true(waits(&b, c));
    woken(&b);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(woken(&b), ==, 1);
    g_assert_false(waits(&b, c));
    ww_harness_free(b.h);
}

void register_hazard_bits_tests(void)
{
    g_test_add_func("/modern/hazard_bits/stalls", test_stalls);
    g_test_add_func("/modern/hazard_bits/counter", test_counter);
    g_test_add_func("/modern/hazard_bits/shares", test_shares);
    g_test_add_func("/modern/hazard_bits/waited", test_waited);
    g_test_add_func("/modern/hazard_bits/war", test_war);
    g_test_add_func("/modern/hazard_bits/most", test_most);
    g_test_add_func("/modern/hazard_bits/details", test_details);
    g_test_add_func("/modern/hazard_bits/many_results", test_many_results);
    g_test_add_func("/modern/hazard_bits/listing", test_listing);
    g_test_add_func("/modern/hazard_bits/own-counter", test_own_counter);
    g_test_add_func("/modern/hazard_bits/own-latency", test_own_latency);
    g_test_add_func("/modern/hazard_bits/yields", test_yields);
}
