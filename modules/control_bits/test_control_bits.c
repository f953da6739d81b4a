/* SPDX-License-Identifier: Apache-2.0 */
/* control_bits, alone: when may which instruction issue? Called with the module's path. */
#include <ports/hazards.h>
#include <ports/test_inst.h>
#include <testing/policy_bench.h>

static WwRegistry *registry;

typedef struct Bench {
    WwHarness *h;
    const WwScoreboardIf *f;
    void *self;
} Bench;

static Bench bench(const char *params)
{
    Bench b = {.h = ww_harness_new(registry, "control_bits", params)};
    ww_harness_start(b.h, NULL);
    b.f = ww_harness_table(b.h, "hazards", &b.self);
    return b;
}

static WwInst *inst(Bench *b, WwOp op, uint16_t latency, uint16_t dst, uint16_t src, uint64_t pc)
{
    return ww_test_inst(b->h,
                        &(WwTestInst){.op = op,
                                      .latency = latency,
                                      .dst = dst,
                                      .src = {src},
                                      .pc = pc,
                                      .warp = 3,
                                      .space = op == WW_OP_LOAD ? WW_SPACE_GLOBAL : WW_SPACE_NONE});
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

/* A short result can be used after its latency, whether or not it has been written; the scheduler is woken then. */
static void stalls(void)
{
    Bench b = bench(NULL);
    WwInst *producer = inst(&b, WW_OP_SP, 4, 11, 0, 0),
           *consumer = inst(&b, WW_OP_SP, 4, 12, 11, 16);
    WwInst *other = inst(&b, WW_OP_SP, 4, 13, 14, 32), *over = inst(&b, WW_OP_SP, 4, 11, 0, 48);
    ww_harness_step(b.h, 7);
    issue(&b, producer);
    g_assert_true(waits(&b, consumer));
    g_assert_true(waits(&b, over)); /* a write after a write waits, too */
    g_assert_false(waits(&b, other));
    ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 0);
    ww_harness_step(b.h, 3);
    g_assert_true(waits(&b, consumer));
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 0), ==, 0);
    ww_harness_step(b.h, 1);
    g_assert_false(waits(&b, consumer));
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 0), ==, 1);
    g_assert_cmphex(b.f->view(b.self)->changed, ==, 1u << 3);
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 1u << 3); /* it has not been written yet */
    b.f->release_all(b.self, producer);
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* A load takes a barrier: its result waits for the write, however long that takes. */
static void barrier(void)
{
    Bench b = bench(NULL);
    WwInst *load = inst(&b, WW_OP_LOAD, 1, 11, 5, 0), *consumer = inst(&b, WW_OP_SP, 4, 12, 11, 16);
    issue(&b, load);
    ww_harness_step(b.h, 500);
    g_assert_true(waits(&b, consumer));
    g_assert_true(b.f->waits_long(b.self, 3, consumer->s));
    g_assert_true(b.f->collides_long(b.self, 3, load->s));
    ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 0);
    b.f->release(b.self, 3, 11);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 0), ==, 1);
    g_assert_false(waits(&b, consumer));
    b.f->release(b.self, 3, 11); /* nothing: it is not on its way */
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* The seventh load shares a barrier: its consumer waits for the first load, too, and the other way round. */
static void shares(void)
{
    Bench b = bench(NULL);
    for (uint16_t i = 0; i < 7; i++) {
        issue(&b, inst(&b, WW_OP_LOAD, 1, 20 + i, 5, i * 16u));
    }
    g_assert_cmpuint(ww_harness_stat(b.h, "barriers", 0), ==, 7);
    g_assert_cmpuint(ww_harness_stat(b.h, "shared", 0), ==, 1);
    WwInst *first = inst(&b, WW_OP_SP, 4, 40, 20, 0x200),
           *last = inst(&b, WW_OP_SP, 4, 41, 26, 0x210);
    WwInst *second = inst(&b, WW_OP_SP, 4, 42, 21, 0x220);
    b.f->release(b.self, 3, 20);
    b.f->release(b.self, 3, 21);
    g_assert_true(waits(&b, first)); /* a scoreboard would let it go */
    g_assert_true(waits(&b, last));
    g_assert_false(waits(&b, second));
    b.f->release(b.self, 3, 26);
    g_assert_false(waits(&b, first));
    g_assert_false(waits(&b, last));
    ww_harness_free(b.h);
}

/* Once waited for, a register is free, although its barrier is taken again. */
static void waits_once(void)
{
    Bench b = bench(NULL);
    WwInst *user = inst(&b, WW_OP_SP, 4, 40, 20, 0x200);
    issue(&b, inst(&b, WW_OP_LOAD, 1, 20, 5, 0));
    b.f->release(b.self, 3, 20);
    issue(&b, user);
    for (uint16_t i = 1; i < 7; i++) { /* all six are taken */
        issue(&b, inst(&b, WW_OP_LOAD, 1, 20 + i, 5, i * 16u));
    }
    ww_harness_step(b.h, 20);
    g_assert_false(waits(&b, user));
    ww_harness_free(b.h);
}

/* Nobody waits for R255. A latency beyond max_stall takes a barrier. */
static void details(void)
{
    Bench b = bench("max_stall=6");
    issue(&b, inst(&b, WW_OP_LOAD, 1, WW_ZERO_REG, 5, 0));
    g_assert_false(waits(&b, inst(&b, WW_OP_SP, 4, 1, WW_ZERO_REG, 16)));
    issue(&b, inst(&b, WW_OP_SFU, 7, 9, 0, 32));
    g_assert_cmpuint(ww_harness_stat(b.h, "barriers", 0), ==, 1);
    issue(&b, inst(&b, WW_OP_SFU, 6, 10, 0, 48));
    g_assert_cmpuint(ww_harness_stat(b.h, "stalls", 0), ==, 1);
    ww_harness_reset(b.h);
    g_assert_false(waits(&b, inst(&b, WW_OP_SP, 4, 1, 9, 64)));
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    ww_harness_free(b.h);
}

/* @p i with control bits from a listing. */
static WwInst *coded(Bench *b, WwInst *i, WwControl control)
{
    WwCodeInst *code = ww_harness_alloc(b->h, sizeof *code);
    *code = (WwCodeInst){.pc = i->s->pc, .opcode = i->s->opcode, .control = control};
    ww_test_sinst(i)->code = code;
    return i;
}

/* What the listing says is done, whatever the registers are. */
static void listing(void)
{
    const uint8_t none = WW_NO_COUNTER;
    Bench b = bench("read_cycles=8");
    WwInst *a = coded(&b, inst(&b, WW_OP_LOAD, 1, 11, 5, 0),
                      (WwControl){.stall = 1, .write = 2, .read = none});
    WwInst *r = coded(&b, inst(&b, WW_OP_STORE, 1, 0, 6, 0x10),
                      (WwControl){.stall = 5, .write = none, .read = 1});
    WwInst *w =
        coded(&b, inst(&b, WW_OP_SP, 4, 12, 11, 0x20),
              (WwControl){.stall = 1, .yield = true, .write = none, .read = none, .wait = 4});
    WwInst *v = coded(&b, inst(&b, WW_OP_SP, 4, 13, 11, 0x30),
                      (WwControl){.stall = 1, .write = none, .read = none, .wait = 2});
    issue(&b, a);
    g_assert_true(waits(&b, r)); /* in this cycle; one instruction a cycle */
    ww_harness_step(b.h, 1);
    issue(&b, r);
    ww_harness_step(b.h, 4);
    g_assert_true(waits(&b, w));
    b.f->release(b.self, 3, 11);
    g_assert_true(waits(&b, w)); /* its barrier is free; the stall of five cycles is not over */
    ww_harness_step(b.h, 1);
    g_assert_false(waits(&b, w));
    g_assert_true(waits(&b, v)); /* operands are being read */
    ww_harness_step(b.h, 2);
    g_assert_true(waits(&b, v));
    ww_harness_step(b.h, 2);
    g_assert_false(waits(&b, v));
    ww_harness_free(b.h);
}

/* An instruction that yields does not let its warp issue in the next cycle, however short it stalls. */
static void yields(void)
{
    const uint8_t none = WW_NO_COUNTER;
    Bench b = bench(NULL);
    WwInst *a = coded(&b, inst(&b, WW_OP_SP, 4, 11, 5, 0),
                      (WwControl){.stall = 1, .yield = true, .write = none, .read = none});
    WwInst *c = coded(&b, inst(&b, WW_OP_SP, 4, 12, 5, 0x10),
                      (WwControl){.stall = 1, .write = none, .read = none});
    issue(&b, a);
    ww_harness_step(b.h, 1);
    g_assert_true(waits(&b, c));
    ww_harness_step(b.h, 1);
    issue(&b, c);
    ww_harness_step(b.h, 1);
    g_assert_false(waits(&b, c));
    ww_harness_free(b.h);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    g_test_add_func("/modules/control_bits/stalls", stalls);
    g_test_add_func("/modules/control_bits/barrier", barrier);
    g_test_add_func("/modules/control_bits/shares", shares);
    g_test_add_func("/modules/control_bits/waits_once", waits_once);
    g_test_add_func("/modules/control_bits/details", details);
    g_test_add_func("/modules/control_bits/listing", listing);
    g_test_add_func("/modules/control_bits/yields", yields);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
