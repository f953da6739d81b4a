/* SPDX-License-Identifier: Apache-2.0 */
/* A row of registers: which one is free, which is the oldest, who is woken, what is refused. */
#include "tests.h"

static WwSinst some = {.opcode = "FFMA"};

static WwInst inst(uint64_t uid)
{
    return (WwInst){.s = &some, .order = (uint32_t)uid, .mask = 1};
}

static void test_lowest(void)
{
    Bench *b = bench_open("register_set", "width=3", "inst", 1, 1);
    const WwPort *out = &b->writer[0]->port, *in = &b->reader[0]->port;
    WwInst i[3] = {inst(7), inst(5), inst(6)};
    for (int k = 0; k < 3; k++) {
        g_assert_cmpint(ww_regs_free(out, 0), ==, k);
        ww_regs_put(out, k, &i[k]);
    }
    g_assert_true(ww_regs_none_free(out, 0));
    g_assert_cmphex(((const WwRegisterSet *)out->peer)->refused[0], ==, 0); /* asked, not refused */
    g_assert_cmpint(ww_regs_free(out, 0), ==, -1);
    g_assert_cmphex(((const WwRegisterSet *)out->peer)->refused[0], !=, 0);
    g_assert_cmphex(ww_regs_full(in), ==, 7);
    g_assert_cmpint(ww_regs_oldest(in), ==, 1); /* by order, not by place */
    bench_fill(b, 3, 3, 3);
    g_assert_true(ww_regs_take(in, 1) == &i[1]);
    bench_fill(b, 2, 2, 3);
    g_assert_false(ww_regs_none_free(out, 0));
    g_assert_cmpint(ww_regs_free(out, 2), ==, 1);
    g_assert_cmpint(ww_regs_oldest(in), ==, 2);
    g_assert_true(ww_regs_at(in, 0) == &i[0]);
    bench_free(b);
}

static void test_private(void)
{
    Bench *b = bench_open("register_set", "width=2 private=true", "inst", 2, 2);
    WwInst i = inst(1);
    g_assert_cmpint(ww_regs_free(&b->writer[0]->port, 1), ==, 1);
    ww_regs_put(&b->writer[0]->port, 1, &i);
    g_assert_true(ww_regs_none_free(&b->writer[1]->port, 1));
    g_assert_false(ww_regs_none_free(&b->writer[1]->port, 0));
    g_assert_cmpint(ww_regs_free(&b->writer[1]->port, 1), ==, -1);
    g_assert_cmpint(ww_regs_free(&b->writer[1]->port, 0), ==, 0);
    bench_step(b, 1);
    g_assert_cmpuint(bench_runs(b->reader[0]), ==, 0); /* register 1 is reader 1's */
    g_assert_cmpuint(bench_runs(b->reader[1]), ==, 1);
    bench_free(b);
}

/* One of several readers of private registers takes its own; a set that others have to themselves is all of its reader's. */
static void test_mine(void)
{
    WwInst i[2] = {inst(7), inst(5)};
    for (uint32_t readers = 1; readers <= 2; readers++) {
        for (int private = 0; private < 2; private ++) {
            Bench *b = bench_open("register_set", private ? "width=2 private=true" : "width=2",
                                  "inst", 1, readers);
            const WwPort *in = &b->reader[readers - 1]->port;
            bool own = private && readers == 2;
            g_assert_cmpint(ww_regs_oldest_mine(in), ==, -1);
            ww_regs_put(&b->writer[0]->port, 0, &i[0]);
            g_assert_cmpint(ww_regs_oldest_mine(in), ==, own ? -1 : 0);
            ww_regs_put(&b->writer[0]->port, 1, &i[1]);
            g_assert_cmpint(ww_regs_oldest_mine(in), ==, 1);
            bench_free(b);
        }
    }
}

/* Where tokens are looked at, who takes what is not there, or another's, ends the run. */
static void takes_wrong(int slot, const char *says)
{
    Bench *b = bench_new("register_set", "width=2 private=true", "inst", 1, 2);
    WwInst i = inst(1);
    ww_machine_set_fingerprint(b->m, true);
    g_assert_true(ww_machine_seal(b->m, NULL));
    ww_regs_put(&b->writer[0]->port, 0, &i);
    ww_regs_take(&b->reader[1]->port, slot);
    g_assert_cmpint(ww_run(b->m, 5), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(b->m)->message, says));
    bench_free(b);
}

static void test_takes_wrong(void)
{
    takes_wrong(0, "took register 0, which is private to another reader; expected its own");
    takes_wrong(1, "took register 1, which holds nothing; expected one that does");
}

/* Who puts where there is something, or nothing to put into, ends the run; what is there stays. */
static void puts_wrong(int slot, bool at_hand, const char *says)
{
    Bench *b = bench_new("register_set", "width=2", "inst", 1, 1);
    WwInst i[2] = {inst(1), inst(2)};
    ww_machine_set_fingerprint(b->m, at_hand); /* then tokens are looked at */
    g_assert_true(ww_machine_seal(b->m, NULL));
    ww_regs_put(&b->writer[0]->port, 0, &i[0]);
    if (at_hand) {
        ww_regs_put_in(b->writer[0]->port.peer, slot, &i[1]);
    } else {
        ww_regs_put(&b->writer[0]->port, slot, &i[1]);
    }
    g_assert_true(ww_regs_at(&b->reader[0]->port, 0) == &i[0]);
    g_assert_cmphex(ww_regs_full(&b->reader[0]->port), ==, 1);
    g_assert_cmpint(ww_run(b->m, 5), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(b->m)->message, says));
    bench_free(b);
}

static void test_puts_wrong(void)
{
    for (int at_hand = 0; at_hand < 2; at_hand++) {
        puts_wrong(0, at_hand, " put into register 0, which is taken; expected an empty one");
        puts_wrong(40, at_hand,
                   " put into register 40 of 2; expected one that ww_regs_free() gave");
        puts_wrong(-1, at_hand, " put into register -1 of 2; expected one that ww_regs_free()");
    }
}

/* Who was refused is woken by the next register that is freed, and only then. */
static void test_refusal_wakes(void)
{
    Bench *b = bench_open("register_set", "width=1", "inst", 2, 1);
    WwInst i = inst(1);
    ww_regs_put(&b->writer[0]->port, 0, &i);
    g_assert_cmpint(ww_regs_free(&b->writer[1]->port, 0), ==, -1);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->reader[0]), ==, 1);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 0);
    ww_regs_take(&b->reader[0]->port, 0);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 1);
    g_assert_cmpuint(bench_runs(b->writer[0]), ==, 0);
    bench_free(b);
}

/* A private register that is freed is of no use to the writer of another one. */
static void test_private_wakes(void)
{
    Bench *b = bench_open("register_set", "width=2 private=true", "inst", 2, 1);
    WwInst i[2] = {inst(1), inst(2)};
    for (int k = 0; k < 2; k++) {
        ww_regs_put(&b->writer[k]->port, k, &i[k]);
        g_assert_cmpint(ww_regs_free(&b->writer[k]->port, (uint32_t)k), ==, -1);
    }
    bench_step(b, 2);
    ww_regs_take(&b->reader[0]->port, 1);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->writer[0]), ==, 0);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 1);
    ww_regs_take(&b->reader[0]->port, 0);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->writer[0]), ==, 1);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 0);
    bench_free(b);
}

static uint32_t marks;

static void mark_first(void *self, uint32_t *word, bool puts)
{
    Hand *h = self;
    g_assert_true(puts ? ww_regs_mark_puts(&h->port, word, 2)
                       : ww_regs_mark_takes(&h->port, word, 4));
}

/* A reader of many sets finds in its own word what was put, a writer what was taken; not where there are others at its end. */
static void test_marks(void)
{
    Bench *b = bench_open("register_set", "width=1", "inst", 1, 1);
    WwInst i = inst(1);
    marks = 0;
    mark_first(b->reader[0], &marks, true);
    mark_first(b->writer[0], &marks, false);
    ww_regs_put(&b->writer[0]->port, 0, &i);
    g_assert_cmphex(marks, ==, 2);
    marks = 1;
    ww_regs_take(&b->reader[0]->port, 0);
    g_assert_cmphex(marks, ==, 5);
    bench_free(b);
    b = bench_open("register_set", "width=2", "inst", 2, 2);
    g_assert_false(ww_regs_mark_puts(&b->reader[0]->port, &marks, 1));
    g_assert_false(ww_regs_mark_takes(&b->writer[0]->port, &marks, 1));
    bench_free(b);
}

/* A refused writer is woken, whatever its number. From the 64th on they share a bit: its neighbours are woken with it, in vain. */
static void test_many_writers(void)
{
    Bench *b = bench_open("register_set", "width=1", "inst", 70, 1);
    WwInst i = inst(1);
    ww_regs_put(&b->writer[0]->port, 0, &i);
    g_assert_cmpint(ww_regs_free(&b->writer[62]->port, 0), ==, -1);
    ww_regs_take(&b->reader[0]->port, 0);
    bench_step(b, 2);
    for (uint32_t k = 0; k < 70; k++) {
        g_assert_cmpuint(bench_runs(b->writer[k]), ==, k == 62);
    }
    ww_regs_put(&b->writer[0]->port, 0, &i);
    g_assert_cmpint(ww_regs_free(&b->writer[69]->port, 0), ==, -1);
    ww_regs_take(&b->reader[0]->port, 0);
    bench_step(b, 2);
    for (uint32_t k = 0; k < 70; k++) {
        g_assert_cmpuint(bench_runs(b->writer[k]), ==, k >= 63);
    }
    bench_free(b);
}

static WwInst moved;

static void put_one(Hand *h)
{
    int slot = ww_regs_free(&h->port, 0);
    if (slot >= 0) {
        ww_regs_put(&h->port, slot, &moved);
        h->seen = ww_now(h);
        h->data++;
    }
}

static void take_one(Hand *h)
{
    if (ww_regs_full(&h->port) != 0) {
        ww_regs_take(&h->port, 0);
        h->seen = ww_now(h);
    }
}

/* What is put in a cycle is seen in the next; what is freed in a cycle is filled in the same. */
static void test_cycles(void)
{
    Bench *b = bench_open("register_set", "width=1", "inst", 1, 1);
    Hand *w = b->writer[0], *r = b->reader[0];
    WwWake wake = ww_wake_of(w, 0);
    moved = inst(1);
    w->act = put_one;
    ww_wake(&wake);
    bench_step(b, 1);
    WwCycle put = w->seen;
    g_assert_cmpuint(bench_runs(r), ==, 0);
    g_assert_cmpint(ww_regs_free(&w->port, 0), ==, -1); /* refused: wants the next register */
    r->act = take_one;
    bench_step(b, 1);
    g_assert_cmpuint(r->seen, ==, put + 1);
    g_assert_cmpuint(w->seen, ==, put + 1);
    g_assert_cmpuint(w->data, ==, 2);
    bench_free(b);
}

static void test_refused(void)
{
    GError *error = NULL;
    Bench *b = bench_new("register_set", "width=64", "inst", 1, 1);
    g_assert_false(ww_component_set_text(b->channel, "width", "65", &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_USAGE);
    g_clear_error(&error);
    g_assert_false(ww_component_set_text(b->channel, "width", "0", NULL));
    bench_free(b);
    bench_refused(bench_new("register_set", "width=1 private=true", "inst", 1, 2),
                  "has 2 readers; expected at most one");
    bench_refused(bench_new("register_set", "", "inst", 1, 0),
                  "has writers but no reader; expected both");
}

void add_register_tests(void)
{
    g_test_add_func("/ports/register_set/lowest", test_lowest);
    g_test_add_func("/ports/register_set/private", test_private);
    g_test_add_func("/ports/register_set/mine", test_mine);
    g_test_add_func("/ports/register_set/takes-wrong", test_takes_wrong);
    g_test_add_func("/ports/register_set/puts-wrong", test_puts_wrong);
    g_test_add_func("/ports/register_set/refusal-wakes", test_refusal_wakes);
    g_test_add_func("/ports/register_set/private-wakes", test_private_wakes);
    g_test_add_func("/ports/register_set/marks", test_marks);
    g_test_add_func("/ports/register_set/many-writers", test_many_writers);
    g_test_add_func("/ports/register_set/cycles", test_cycles);
    g_test_add_func("/ports/register_set/refused", test_refused);
}
