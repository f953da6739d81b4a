/* SPDX-License-Identifier: Apache-2.0 */
/* The warp scheduler among fakes: what it issues when and where. */
#include "tests.h"

/* An instruction in the i-buffer issues in the next tick, stamped; then the scheduler sleeps. */
static void test_issues(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int");
    ww_harness_step(b.h, 3);
    g_assert_true(ww_harness_asleep(b.h));
    WwInst *inst = bench_put_like(&b, 5, &(WwTestInst){.op = WW_OP_ALU, .interval = 7, .sched = 9});
    inst->cycles = 0;
    g_assert_false(ww_harness_asleep(b.h));
    g_assert_true(bench_step(&b, "int") == inst);
    g_assert_cmpuint(inst->uid, ==, 1);
    g_assert_cmpuint(inst->sched, ==, 0);
    g_assert_cmpuint(inst->cycles, ==, 7);
    g_assert_true(b.hazard->last == inst && b.hazard->reserved == 1);
    g_assert_true(b.policy->issues == 1 && b.policy->warp == 5 && b.policy->count == 1);
    g_assert_null(bench_step(&b, "int"));
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(bench_stat(&b, "issued", 32), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "single_issue", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, 4);
}

/* One instruction a tick from one warp, also when several warps have some. */
static void test_one_a_tick(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=8 sp=8");
    for (uint32_t i = 0; i < 3; i++) {
        bench_put(&b, 0, WW_OP_ALU);
        bench_put(&b, 1, WW_OP_SP);
    }
    for (uint32_t i = 0; i < 6; i++) {
        ww_harness_step(b.h, 1);
        g_assert_cmpuint(ww_harness_count(b.h, "int"), ==, MIN(i + 1, 3));
        g_assert_cmpuint(ww_harness_count(b.h, "sp"), ==, i < 3 ? 0 : i - 2);
    }
    ww_harness_step(b.h, 10);
    g_assert_cmpuint(bench_stat(&b, "single_issue", 0), ==, 6);
    g_assert_cmpuint(bench_stat(&b, "warp_issue", 0), ==, 3);
    g_assert_cmpuint(bench_stat(&b, "warp_issue", 1), ==, 3);
}

static void check_route(const char *units, WwOp op, const char *port)
{
    g_auto(Bench) b = bench_open(NULL, NULL, units);
    WwInst *inst = bench_put(&b, 0, op);
    g_assert_true(bench_step(&b, port) == inst);
}

static void test_routes(void)
{
    static const char all[] = "sp dp int sfu mem tensor spec[0] spec[1] spec[2] spec[3] spec[4] "
                              "spec[5] spec[6] spec[7]";
    static const char *const port[WW_N_OPS] = {
        [WW_OP_ALU] = "int",
        [WW_OP_INT] = "int",
        [WW_OP_SP] = "sp",
        [WW_OP_DP] = "dp",
        [WW_OP_SFU] = "sfu",
        [WW_OP_TENSOR] = "tensor",
        [WW_OP_LOAD] = "mem",
        [WW_OP_STORE] = "mem",
        [WW_OP_BARRIER] = "int",
        [WW_OP_MEMBAR] = "mem",
        [WW_OP_EXIT] = "int",
        [WW_OP_BRANCH] = "int",
        [WW_OP_CALL] = "int",
        [WW_OP_RET] = "int",
        [WW_OP_SPEC1] = "spec[0]",
        [WW_OP_SPEC1 + 1] = "spec[1]",
        [WW_OP_SPEC1 + 2] = "spec[2]",
        [WW_OP_SPEC1 + 3] = "spec[3]",
        [WW_OP_SPEC1 + 4] = "spec[4]",
        [WW_OP_SPEC1 + 5] = "spec[5]",
        [WW_OP_SPEC1 + 6] = "spec[6]",
        [WW_OP_SPEC8] = "spec[7]",
    };
    for (WwOp op = 0; op < WW_N_OPS; op++) {
        check_route(all, op, port[op]);
    }
    check_route("sp sfu mem", WW_OP_ALU, "sp"); /* no INT: everything else on SP */
    check_route("sp sfu mem", WW_OP_EXIT, "sp");
    check_route("sp sfu mem", WW_OP_DP, "sfu"); /* no DP: on SFU */
}

/* spec[k] takes the category that spec_categories gives it; one that it does not name has no unit. */
static void test_categories(void)
{
    for (WwOp op = WW_OP_SPEC1; op <= WW_OP_SPEC8; op++) {
        g_auto(Bench) b =
            bench_open("spec_categories=[2,8,1]", NULL, "int spec[0] spec[1] spec[2]");
        WwInst *inst = bench_put(&b, 0, op);
        const char *port = op == WW_OP_SPEC1 + 1 ? "spec[0]"
                           : op == WW_OP_SPEC8   ? "spec[1]"
                           : op == WW_OP_SPEC1   ? "spec[2]"
                                                 : NULL;
        if (port != NULL) {
            g_assert_true(bench_step(&b, port) == inst);
        } else {
            ww_harness_step(b.h, 1);
            g_assert_error(ww_machine_error(ww_harness_machine(b.h)), WW_ERROR, WW_ERROR_MODEL);
        }
    }
}

/* An opcode whose unit is missing ends the run with everything that one needs to know. */
static void check_missing(const char *units, WwOp op, const char *unit)
{
    g_auto(Bench) b = bench_open(NULL, NULL, units);
    WwKernel kernel = {.file = "kernel-3.traceg"};
    WwInst *inst = bench_put_like(&b, 0, &(WwTestInst){.op = op, .opcode = "UIADD3.X"});
    ((WwSinst *)inst->s)->line = 77;
    b.warps->warp[0].kernel = &kernel;
    ww_harness_step(b.h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(b.h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_autofree char *expected = g_strdup_printf(
        "kernel-3.traceg:77: UIADD3.X (category %s) needs unit %s, which dut does not have",
        ww_op_name(op), unit);
    g_assert_true(g_str_has_prefix(error->message, expected));
}

static void test_no_unit(void)
{
    check_missing("int spec[0] spec[1] spec[2]", WW_OP_SPEC1 + 3, "SPEC4");
    check_missing("int", WW_OP_SP, "SP");
    check_missing("int", WW_OP_DP, "DP");
    check_missing("int", WW_OP_SFU, "SFU");
    check_missing("int", WW_OP_LOAD, "MEM");
    check_missing("int", WW_OP_TENSOR, "TENSOR");
    check_missing("mem", WW_OP_ALU, "SP");
}

/* ---- dual issue ---------------------------------------------------------------------------- */

/* Two of one warp in a tick, to different units; the second counts two in the distribution. */
static void test_dual(void)
{
    g_auto(Bench) b = bench_open("max_issue=2", NULL, "int=2 sp=2");
    bench_put(&b, 0, WW_OP_ALU);
    bench_put(&b, 0, WW_OP_SP);
    bench_put(&b, 1, WW_OP_SP);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_count(b.h, "int") + ww_harness_count(b.h, "sp"), ==, 2);
    g_assert_cmpuint(b.policy->count, ==, 2);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_count(b.h, "sp"), ==, 2);
    g_assert_cmpuint(bench_stat(&b, "dual_issue", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "single_issue", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "warp_issue", 0), ==, 3);
    g_assert_cmpuint(bench_stat(&b, "warp_issue", 1), ==, 1);
}

static uint32_t ticks_for(const char *params, WwOp first, WwOp second)
{
    g_auto(Bench) b = bench_open(params, NULL, "int=4 sp=4 dp=4 sfu=4 mem=4 spec[0]=4 spec[1]=4");
    bench_put(&b, 0, first);
    bench_put(&b, 0, second);
    uint32_t n = 0;
    for (; b.warps->total.pop < 2; n++) {
        ww_harness_step(b.h, 1);
    }
    return n;
}

static void test_diff_units(void)
{
    static const char same[] = "max_issue=2 dual_issue_diff_units=false";
    static const WwOp pair[][2] = {{WW_OP_ALU, WW_OP_INT},    {WW_OP_SP, WW_OP_SP},
                                   {WW_OP_DP, WW_OP_DP},      {WW_OP_SFU, WW_OP_SFU},
                                   {WW_OP_LOAD, WW_OP_STORE}, {WW_OP_SPEC1, WW_OP_SPEC1 + 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(pair); i++) {
        g_assert_cmpuint(ticks_for("max_issue=2", pair[i][0], pair[i][1]), ==, 2);
        g_assert_cmpuint(ticks_for(same, pair[i][0], pair[i][1]), ==, 1);
        g_assert_cmpuint(
            ticks_for("max_issue=5 dual_issue_diff_units=false", pair[i][0], pair[i][1]), ==, 1);
        g_assert_cmpuint(ticks_for(NULL, pair[i][0], pair[i][1]), ==, 2);
    }
    g_assert_cmpuint(ticks_for("max_issue=2", WW_OP_DP, WW_OP_SFU), ==, 1);
    g_assert_cmpuint(ticks_for("max_issue=2", WW_OP_LOAD, WW_OP_ALU), ==, 1);
}

/* The second waits for a register of the first: it goes a tick after the release, alone. */
static void test_dual_collision(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "warp_scheduler", "max_issue=2");
    WwFakeWarps *warps = ww_harness_fill(h, "warps", NULL, NULL);
    WwComponent *board = ww_harness_fill(h, "hazard", "scoreboard", NULL);
    ww_harness_channel(h, "int", "width=2");
    ww_harness_channel(h, "sp", NULL);
    ww_harness_start(h, NULL);
    const WwScoreboardIf *f = board->type->ports[0].table;
    WwInst *first = ww_test_inst(h, &(WwTestInst){.op = WW_OP_ALU, .dst = 3});
    ww_fake_warps_put(warps, 0, first);
    ww_fake_warps_put(warps, 0, ww_test_inst(h, &(WwTestInst){.op = WW_OP_SP, .src = {3}}));
    ww_harness_step(h, 4);
    g_assert_cmpuint(ww_harness_count(h, "sp"), ==, 0);
    g_assert_true(ww_harness_asleep(h));
    f->release_all(board, first);
    g_assert_false(ww_harness_asleep(h));
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "sp"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "scoreboard_wait", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "dual_issue", 0), ==, 0);
}

/* ---- registers ----------------------------------------------------------------------------- */

/* A full set stalls; the slot freed between ticks is filled in the next. Another unit goes on. */
static void test_busy(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int sp");
    bench_put(&b, 0, WW_OP_ALU);
    bench_put(&b, 0, WW_OP_ALU);
    ww_harness_step(b.h, 5);
    g_assert_true(ww_harness_asleep(b.h));
    bench_put(&b, 1, WW_OP_SP);
    g_assert_nonnull(bench_step(&b, "sp"));
    ww_harness_step(b.h, 2);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_nonnull(bench_take(&b, "int"));
    g_assert_false(ww_harness_asleep(b.h));
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(bench_stat(&b, "stall", 0), ==, 6);
    g_assert_cmpuint(bench_cause(&b, "unit_int"), ==, 6);
}

/* With a private set, scheduler 0 has register 0 and no other. */
static void test_private(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "warp_scheduler", NULL);
    WwFakeWarps *warps = ww_harness_fill(h, "warps", NULL, "schedulers=2");
    ww_harness_channel(h, "int", "width=2 private=true");
    ww_harness_start(h, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        ww_fake_warps_put(warps, 2, ww_test_inst(h, &(WwTestInst){.op = WW_OP_ALU}));
    }
    ww_harness_step(h, 4);
    g_assert_cmpuint(ww_harness_count(h, "int"), ==, 1);
    int slot;
    WwToken token;
    g_assert_true(ww_harness_take(h, "int", &slot, &token));
    g_assert_cmpint(slot, ==, 0);
}

/* Scheduler 0 of 4 has warps 0, 4, 8, ... */
static void test_mine(void)
{
    g_auto(Bench) b = bench_open("schedulers=4", NULL, "int=8");
    for (uint32_t w = 0; w < 9; w++) {
        bench_put(&b, w, WW_OP_ALU);
    }
    ww_harness_step(b.h, 10);
    g_assert_cmpuint(b.warps->total.pop, ==, 3);
    g_assert_true(b.warps->seen[0].pop && b.warps->seen[4].pop && b.warps->seen[8].pop);
    g_assert_cmphex(b.policy->mine, ==, 0x1111111111111111u);
}

/* ---- the policy ---------------------------------------------------------------------------- */

/* What the policy sees, and that its list may name anybody. */
static void test_policy_view(void)
{
    g_auto(Bench) b = bench_open("schedulers=2", NULL, "int=8");
    for (uint32_t w = 0; w < 6; w++) {
        bench_put(&b, w, WW_OP_ALU);
    }
    ww_fake_warps_live(b.warps, 10, UINT32_MAX); /* without instructions */
    ww_fake_barriers_set(b.barriers, 1u << 2, 0, 0);
    b.policy->listed = true;
    b.policy->n = 6;
    memcpy(b.policy->list, (uint8_t[]){10, 1, 62, 2, 4, 0}, 6);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.policy->warp, ==, 4);
    g_assert_cmphex(b.policy->candidates, ==, 0x11);
    g_assert_cmphex(b.policy->waiting & 0x555, ==, 0x144);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(b.warps->total.pop, ==, 2);
    g_assert_cmpuint(b.warps->seen[0].pop, ==, 1);
    g_assert_true(ww_harness_asleep(b.h));
}

static void test_restless(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int");
    b.policy->restless = true;
    ww_harness_step(b.h, 5);
    g_assert_false(ww_harness_asleep(b.h));
    g_assert_cmpuint(b.policy->orders, ==, 5);
    b.policy->restless = false;
    ww_harness_step(b.h, 5);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(b.policy->orders, ==, 6);
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, 10);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void test_refusals(void)
{
    g_autoptr(WwHarness) narrow = ww_harness_new(test_registry(), "warp_scheduler", NULL);
    g_autoptr(GError) error = NULL;
    ww_harness_fill(narrow, "warps", NULL, "schedulers=4");
    ww_harness_channel(narrow, "mem", "width=3 private=true");
    g_assert_false(ww_harness_start(narrow, &error));
    g_assert_nonnull(
        strstr(error->message, "width 3; expected a register for each of 4 schedulers"));
    g_clear_error(&error);
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "warp_scheduler", NULL);
    ww_harness_fill(h, "warps", NULL, "schedulers=4");
    ww_harness_fill(h, "barriers", "barrier_unit", NULL); /* knows its callers: one */
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "4 warp schedulers are bound at warps, 1 at barriers"));
}

static void test_ranges(void)
{
    const WwType *type = ww_registry_find(test_registry(), "warp_scheduler", NULL);
    static const char *const bad[][2] = {{"max_issue", "0"}, {"max_issue", "2147483648"}};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        WwValue value;
        g_autoptr(GError) error = NULL;
        const WwParamRow *p = &type->params[ww_type_param(type, bad[i][0])];
        g_assert_false(ww_value_parse(p, bad[i][1], &value, &error));
        g_assert_nonnull(error);
    }
}

static void test_reset(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int");
    bench_put(&b, 0, WW_OP_ALU);
    bench_put(&b, 0, WW_OP_ALU);
    ww_fake_scoreboard_collide(b.hazard, 0, true);
    ww_harness_step(b.h, 3);
    ww_harness_reset(b.h);
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 0);
    bench_put(&b, 0, WW_OP_ALU);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(bench_stat(&b, "single_issue", 0), ==, 1);
}

void register_warp_scheduler_tests(void)
{
    g_test_add_func("/issue/warp_scheduler/issues", test_issues);
    g_test_add_func("/issue/warp_scheduler/one_a_tick", test_one_a_tick);
    g_test_add_func("/issue/warp_scheduler/routes", test_routes);
    g_test_add_func("/issue/warp_scheduler/categories", test_categories);
    g_test_add_func("/issue/warp_scheduler/no_unit", test_no_unit);
    g_test_add_func("/issue/warp_scheduler/dual", test_dual);
    g_test_add_func("/issue/warp_scheduler/diff_units", test_diff_units);
    g_test_add_func("/issue/warp_scheduler/dual_collision", test_dual_collision);
    g_test_add_func("/issue/warp_scheduler/busy", test_busy);
    g_test_add_func("/issue/warp_scheduler/private", test_private);
    g_test_add_func("/issue/warp_scheduler/mine", test_mine);
    g_test_add_func("/issue/warp_scheduler/policy_view", test_policy_view);
    g_test_add_func("/issue/warp_scheduler/restless", test_restless);
    g_test_add_func("/issue/warp_scheduler/refusals", test_refusals);
    g_test_add_func("/issue/warp_scheduler/ranges", test_ranges);
    g_test_add_func("/issue/warp_scheduler/reset", test_reset);
}
