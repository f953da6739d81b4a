/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage: who issues when, and what it does. */
#include "tests.h"

#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <string.h>
#include <testing/fake_barriers.h>
#include <testing/fake_constants.h>
#include <testing/fake_dependence.h>
#include <testing/fake_ibuffer.h>
#include <testing/fake_issue_port.h>
#include <testing/fake_warps.h>

#define INSTS 64u

typedef struct Stage {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeIbuffer *buffer;
    WwFakeDependence *dependence;
    WwFakeBarriers *barriers;
    WwFakeIssuePort *peer;
    WwFakeConstants *constants;
    WwSinst s[INSTS];
    WwTiming t[INSTS];
    WwInst inst[INSTS];
    uint32_t n;
} Stage;

static void stage_open(Stage *b, const char *params)
{
    memset(b, 0, sizeof *b);
    b->h = ww_harness_new(test_registry(), "issue_stage", params);
    ww_harness_fill(b->h, "policy", "scheduler.cggty", NULL);
    b->constants = ww_harness_fill(b->h, "constants", NULL, NULL);
    ww_harness_start(b->h, NULL);
    b->warps = ww_harness_peer(b->h, "warps");
    b->buffer = ww_harness_peer(b->h, "ibuffer");
    b->dependence = ww_harness_peer(b->h, "dependence");
    b->barriers = ww_harness_peer(b->h, "barriers");
}

/* Gives warp @p warp one more instruction. */
static WwInst *feed(Stage *b, uint32_t warp, uint32_t flags)
{
    uint32_t i = b->n++;
    g_assert_cmpuint(i, <, INSTS);
    b->s[i] = (WwSinst){.opcode = "FADD", .op = WW_OP_SP};
    b->t[i] = (WwTiming){.flags = WW_TAKES_FIXED | flags, .unit = WW_UNIT_SP, .interval = 2};
    b->inst[i] =
        (WwInst){.s = &b->s[i], .timing = &b->t[i], .mask = UINT32_MAX, .warp = (uint16_t)warp};
    if (!(b->warps->view.live >> warp & 1u)) {
        ww_fake_warps_live(b->warps, warp, UINT32_MAX);
    }
    ww_fake_ibuffer_put(b->buffer, warp, &b->inst[i]);
    return &b->inst[i];
}

/* A letter a cycle: the warp that issues, or '.'. */
static void expect(Stage *b, const char *warps)
{
    g_autoptr(GString) got = g_string_new(NULL);
    for (size_t i = 0; i < strlen(warps); i++) {
        int slot;
        WwToken token;
        ww_harness_step(b->h, 1);
        bool issued = ww_harness_take(b->h, "out", &slot, &token);
        g_string_append_c(got, issued ? (char)('0' + ((WwInst *)(uintptr_t)token)->warp) : '.');
    }
    g_assert_cmpstr(got->str, ==, warps);
}

/* Greedy, then youngest. */
static void test_order(void)
{
    Stage b;
    stage_open(&b, NULL);
    for (uint32_t i = 0; i < 9; i++) {
        feed(&b, 1 + i % 3, 0);
    }
    expect(&b, "333222111.");
    g_assert_cmpuint(ww_harness_stat(b.h, "single_issue", 0), ==, 9);
    ww_harness_free(b.h);
}

static void test_blocked(void)
{
    Stage b;
    stage_open(&b, NULL);
    for (uint32_t i = 0; i < 6; i++) {
        feed(&b, 1 + i % 2, 0);
    }
    expect(&b, "2");
    ww_fake_dependence_block(b.dependence, 2, WW_DEP_COUNTER);
    expect(&b, "1");
    ww_fake_dependence_block(b.dependence, 2, 0);
    expect(&b, "1122.");
    ww_harness_free(b.h);
}

/* A warp whose constant is not there lets others go first, and goes on when it is told that it came. */
static void test_constants(void)
{
    Stage b;
    stage_open(&b, NULL);
    ww_fake_constants_miss(b.constants, 2, true);
    for (uint32_t i = 0; i < 6; i++) {
        feed(&b, 1 + i % 2, 0);
    }
    b.buffer->view.constant = 1ull << 2;
    expect(&b, "111..");
    g_assert_cmpuint(b.constants->warp, ==, 2);
    ww_fake_constants_miss(b.constants, 2, false);
    expect(&b, "222.");
    ww_harness_free(b.h);
}

/* An IMAD is followed by a bubble. */
static void test_imad(void)
{
    Stage b;
    stage_open(&b, NULL);
    feed(&b, 1, WW_TAKES_IMAD);
    feed(&b, 1, 0);
    feed(&b, 2, 0);
    expect(&b, "21.1");
    ww_harness_free(b.h);
}

/* Who waits at a barrier does not issue, and others do. */
static void test_barrier(void)
{
    Stage b;
    stage_open(&b, NULL);
    feed(&b, 1, 0);
    feed(&b, 2, WW_TAKES_BARRIER);
    feed(&b, 2, 0);
    expect(&b, "2");
    g_assert_cmpuint(b.barriers->arrivals, ==, 1);
    ww_fake_barriers_set(b.barriers, 1u << 2, 0, 0);
    expect(&b, "1..");
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    expect(&b, "2");
    ww_harness_free(b.h);
}

/* The last of a CTA to reach a memory barrier stalls the stages; the wait ends when the warp's counters are 0. */
static void test_membar(void)
{
    Stage b;
    stage_open(&b, "membar_stall=[3,5,7]");
    feed(&b, 1, WW_TAKES_MEMBAR);
    b.t[0].membar = WW_SCOPE_GPU;
    feed(&b, 1, 0);
    b.dependence->pending = 1u << 1;
    expect(&b, "1");
    g_assert_cmpuint(b.barriers->membars, ==, 1);
    g_assert_cmpuint(b.barriers->arrivals, ==, 1);
    expect(&b, "..");
    g_assert_cmpuint(b.barriers->completions, ==, 0);
    b.dependence->pending = 0;
    ww_fake_dependence_block(b.dependence, 1, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.barriers->completions, ==, 1);
    ww_harness_free(b.h);
}

/*
 * Warps are looked at in the fetch stage, too: also in the cycle in which they issue their barrier, and while nothing may issue. There the first
 * warp of a sub-core is not, unless another one is there that does not wait; in the issue stage it is when its next instruction has come.
 */
static void test_membar_looks(void)
{
    Stage b;
    stage_open(&b, NULL);
    feed(&b, 1, WW_TAKES_MEMBAR);
    expect(&b, "1");
    g_assert_cmpuint(b.barriers->completions, ==, 1); /* nothing was pending */
    feed(&b, 0, WW_TAKES_MEMBAR);
    ww_fake_warps_live(b.warps, 1, 0);
    expect(&b, "0..");
    g_assert_cmpuint(b.barriers->completions, ==, 1); /* it is alone */
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    expect(&b, ".");
    g_assert_cmpuint(b.barriers->completions, ==, 2);
    ww_fake_warps_live(b.warps, 1, 0);
    feed(&b, 0, WW_TAKES_MEMBAR);
    expect(&b, "0.");
    g_assert_cmpuint(b.barriers->completions, ==, 2);
    feed(&b, 0, 0);
    expect(&b, "0");
    g_assert_cmpuint(b.barriers->completions, ==, 3);
    ww_harness_free(b.h);
}

/* A stall counts from the cycle that the caller says. */
static void test_stalled(void)
{
    Stage b;
    void *self;
    stage_open(&b, NULL);
    const WwIssuePortIf *port = ww_harness_table(b.h, "port", &self);
    feed(&b, 1, 0);
    feed(&b, 1, 0);
    expect(&b, "1");
    port->stall(self, ww_harness_now(b.h), 2);
    port->stall(self, ww_harness_now(b.h), 1); /* they add up */
    expect(&b, "...1");
    ww_harness_free(b.h);
}

/* The last lane's EXIT empties the buffer and leaves the barrier. */
static void test_exit(void)
{
    Stage b;
    stage_open(&b, NULL);
    WwInst *half = feed(&b, 1, 0);
    ((WwSinst *)(uintptr_t)half->s)->op = WW_OP_EXIT;
    half->mask = 0xffff;
    WwInst *rest = feed(&b, 1, 0);
    ((WwSinst *)(uintptr_t)rest->s)->op = WW_OP_EXIT;
    rest->mask = 0xffff0000;
    expect(&b, "1");
    g_assert_cmpuint(b.buffer->flushes, ==, 0);
    expect(&b, "1");
    g_assert_cmpuint(b.buffer->flushes, ==, 1);
    g_assert_cmpuint(b.barriers->exits, ==, 1);
    ww_harness_free(b.h);
}

/* The next stage has no room: nothing issues, whoever could. */
static void test_next_stage(void)
{
    Stage b;
    stage_open(&b, NULL);
    feed(&b, 1, 0);
    feed(&b, 1, 0);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(ww_harness_stat(b.h, "single_issue", 0), ==, 1);
    int slot;
    WwToken token;
    g_assert_true(ww_harness_take(b.h, "out", &slot, &token));
    expect(&b, "1");
    ww_harness_free(b.h);
}

/* A step, and the only cause that it adds a cycle to. */
static WwStall lost_to(Stage *b)
{
    uint64_t before[WW_N_STALLS];
    WwStall found = WW_N_STALLS;
    for (uint32_t i = 0; i < WW_N_STALLS; i++) {
        before[i] = ww_harness_stat(b->h, "cause", i);
    }
    ww_harness_step(b->h, 1);
    for (uint32_t i = 0; i < WW_N_STALLS; i++) {
        uint64_t more = ww_harness_stat(b->h, "cause", i) - before[i];
        if (more != 0) {
            g_assert_cmpuint(more, ==, 1);
            g_assert_cmpuint(found, ==, WW_N_STALLS);
            found = (WwStall)i;
        }
    }
    return found;
}

/* A lost slot has the cause of the warp nearest to issuing. */
static void test_causes(void)
{
    static const struct {
        uint32_t bits;
        WwStall cause;
    } blocked[] = {
        {WW_DEP_COUNTER, WW_STALL_MIO},    {WW_DEP_COPIES, WW_STALL_ASYNC},
        {WW_DEP_REGISTER, WW_STALL_SHORT}, {WW_DEP_STALL, WW_STALL_COUNT},
        {WW_DEP_YIELD, WW_STALL_YIELD},    {WW_DEP_COUNTER | WW_DEP_STALL, WW_STALL_COUNT},
    };
    Stage b;
    stage_open(&b, NULL);
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_NO_WARP);
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    ww_fake_dependence_block(b.dependence, 1, 0); /* wakes the stage */
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_FETCH);
    ww_fake_dependence_block(b.dependence, 1, WW_DEP_COPIES);
    ww_fake_dependence_block(b.dependence, 2, WW_DEP_STALL);
    feed(&b, 1, 0)->unit = WW_UNIT_SP;
    for (size_t i = 0; i < G_N_ELEMENTS(blocked); i++) {
        ww_fake_dependence_block(b.dependence, 1, 0);
        ww_fake_dependence_block(b.dependence, 1, blocked[i].bits);
        g_assert_cmpuint(lost_to(&b), ==, blocked[i].cause);
    }
    feed(&b, 2, 0); /* of two, what is nearer */
    ww_fake_dependence_block(b.dependence, 1, 0);
    ww_fake_dependence_block(b.dependence, 1, WW_DEP_COUNTER);
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_COUNT);
    ww_fake_barriers_set(b.barriers, 1u << 1 | 1u << 2, 0, 0);
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_BARRIER);
    ww_harness_free(b.h);
}

/* What stands in the next stage says why nothing else gets there; behind an IMAD and a memory barrier the port is closed. */
static void test_causes_closed(void)
{
    static const struct {
        uint8_t unit;
        uint32_t flags;
        WwStall cause;
    } held[] = {
        {WW_UNIT_SP, WW_TAKES_FIXED, WW_STALL_DISPATCH},
        {WW_UNIT_MEM, 0, WW_STALL_UNIT + 4},
        {WW_UNIT_DP, 0, WW_STALL_UNIT + 1},
        {WW_UNIT_SFU, 0, WW_STALL_UNIT + 3},
        {WW_UNIT_QUEUED, 0, WW_STALL_UNIT + 6},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(held); i++) {
        Stage b;
        stage_open(&b, NULL);
        feed(&b, 1, 0);
        b.t[0].unit = held[i].unit;
        b.t[0].flags = held[i].flags;
        feed(&b, 1, 0);
        g_assert_cmpuint(lost_to(&b), ==, WW_N_STALLS);
        g_assert_cmpuint(lost_to(&b), ==, held[i].cause);
        g_assert_cmpuint(lost_to(&b), ==, held[i].cause);
        ww_harness_free(b.h);
    }
    Stage b;
    void *self;
    stage_open(&b, NULL);
    const WwIssuePortIf *port = ww_harness_table(b.h, "port", &self);
    feed(&b, 1, WW_TAKES_IMAD);
    feed(&b, 1, 0);
    feed(&b, 1, 0);
    expect(&b, "1");
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_PORT);
    expect(&b, "1");
    port->stall(self, ww_harness_now(b.h), 2);
    g_assert_cmpuint(lost_to(&b), ==, WW_STALL_MEMBAR);
    ww_harness_free(b.h);
}

void register_issue_stage_tests(void)
{
    g_test_add_func("/modern/issue_stage/order", test_order);
    g_test_add_func("/modern/issue_stage/constants", test_constants);
    g_test_add_func("/modern/issue_stage/blocked", test_blocked);
    g_test_add_func("/modern/issue_stage/imad", test_imad);
    g_test_add_func("/modern/issue_stage/barrier", test_barrier);
    g_test_add_func("/modern/issue_stage/membar", test_membar);
    g_test_add_func("/modern/issue_stage/membar-looks", test_membar_looks);
    g_test_add_func("/modern/issue_stage/stalled", test_stalled);
    g_test_add_func("/modern/issue_stage/exit", test_exit);
    g_test_add_func("/modern/issue_stage/next-stage", test_next_stage);
    g_test_add_func("/modern/issue_stage/causes", test_causes);
    g_test_add_func("/modern/issue_stage/causes-closed", test_causes_closed);
}
