/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard on its own: what collides, what a release leaves behind, whom it wakes. */
#include "tests.h"

#include <ports/hazards.h>

typedef struct Board {
    WwHarness *h;
    const WwScoreboardIf *f;
    void *self;
} Board;

static void board_close(Board *b)
{
    ww_harness_free(b->h);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Board, board_close)

static Board board(const char *params, uint32_t schedulers)
{
    Board b = {.h = ww_harness_new(test_registry(), "scoreboard", params)};
    ww_harness_callers(b.h, "hazards", WW_RANK_CHECK, schedulers);
    ww_harness_callers(b.h, "hazards", WW_RANK_RETIRE, 1);
    ww_harness_start(b.h, NULL);
    b.f = ww_harness_table(b.h, "hazards", &b.self);
    return b;
}

static WwInst *inst(Board *b, uint16_t warp, WwOp op, WwSpace space, uint16_t dst, uint16_t src)
{
    return ww_test_inst(
        b->h,
        &(WwTestInst){.op = op, .space = (uint8_t)space, .dst = dst, .src = {src}, .warp = warp});
}

static WwInst *alu(Board *b, uint16_t warp, uint16_t dst, uint16_t src)
{
    return inst(b, warp, WW_OP_ALU, WW_SPACE_NONE, dst, src);
}

/* Read after write and write after write collide, write after read does not; warps are apart. */
static void test_collisions(void)
{
    g_auto(Board) b = board(NULL, 1);
    b.f->reserve(b.self, alu(&b, 3, 10, 20));
    g_assert_true(b.f->collides(b.self, 3, alu(&b, 3, 11, 10)->s));
    g_assert_true(b.f->collides(b.self, 3, alu(&b, 3, 10, 11)->s));
    g_assert_false(b.f->collides(b.self, 3, alu(&b, 3, 20, 30)->s));
    g_assert_false(b.f->collides(b.self, 2, alu(&b, 2, 11, 10)->s));
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 1u << 3);
    WwInst *four =
        ww_test_inst(b.h, &(WwTestInst){.op = WW_OP_ALU, .src = {30, 31, 32, 10}, .warp = 3});
    g_assert_true(b.f->collides(b.self, 3, four->s));
}

/* R255 is register 256 and a register like the others; "none" is nobody's. */
static void test_edges(void)
{
    g_auto(Board) b = board(NULL, 1);
    b.f->reserve(b.self, alu(&b, 63, 256, 0));
    g_assert_true(b.f->collides(b.self, 63, alu(&b, 63, 0, 256)->s));
    b.f->release(b.self, 63, 256);
    g_assert_false(b.f->collides(b.self, 63, alu(&b, 63, 256, 256)->s));
    b.f->reserve(b.self, alu(&b, 0, 0, 1));
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    g_assert_false(b.f->collides(b.self, 0, alu(&b, 0, 0, 0)->s));
    g_assert_cmpuint(ww_harness_stat(b.h, "reservations", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "releases", 0), ==, 1);
}

/* zero_register = false: nothing waits for a write to R255. */
static void test_zero_register(void)
{
    g_auto(Board) b = board("zero_register=false", 1);
    b.f->reserve(b.self, alu(&b, 3, WW_ZERO_REG, 0));
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    g_assert_false(b.f->collides(b.self, 3, alu(&b, 3, 0, WW_ZERO_REG)->s));
    b.f->release_all(b.self, alu(&b, 3, WW_ZERO_REG, 0));
    b.f->reserve(b.self, alu(&b, 3, WW_ZERO_REG - 1, 0));
    g_assert_true(b.f->collides(b.self, 3, alu(&b, 3, 0, WW_ZERO_REG - 1)->s));
}

/* Every register on its own. */
static void test_all_registers(void)
{
    g_auto(Board) b = board(NULL, 1);
    for (uint16_t r = 1; r < WW_NUM_REGS; r++) {
        b.f->reserve(b.self, alu(&b, 5, r, 0));
        for (uint16_t k = 1; k < WW_NUM_REGS; k++) {
            g_assert_true(b.f->collides(b.self, 5, alu(&b, 5, k, 0)->s) == (k == r));
        }
        b.f->release(b.self, 5, r);
    }
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
}

/* A release wakes the scheduler of its warp only; the last one of a warp wakes the retire scan. */
static void test_notices(void)
{
    g_auto(Board) b = board(NULL, 4);
    b.f->reserve(b.self, alu(&b, 6, 10, 0));
    b.f->reserve(b.self, alu(&b, 6, 11, 0));
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 2), ==, 0);
    b.f->release(b.self, 6, 10);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 2), ==, 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 1), ==, 0);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_RETIRE, 0), ==, 0);
    g_assert_cmphex(b.f->view(b.self)->changed, ==, 1u << 6);
    b.f->seen(b.self, ~(1ull << 6));
    g_assert_cmphex(b.f->view(b.self)->changed, ==, 1u << 6);
    b.f->seen(b.self, 1ull << 6);
    b.f->release(b.self, 6, 10); /* not pending any more: nothing */
    g_assert_cmphex(b.f->view(b.self)->changed, ==, 0);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 2), ==, 0);
    b.f->release(b.self, 6, 11);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_RETIRE, 0), ==, 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 2), ==, 1);
    b.f->reserve(b.self, alu(&b, 6, 12, 0));
    b.f->release(b.self, 6, 12); /* its scheduler has not seen the one before: it knows */
    g_assert_cmpuint(ww_harness_wakes(b.h, "hazards", WW_RANK_CHECK, 2), ==, 0);
}

/* What the view shows of registers is what the functions answer. */
static void test_view(void)
{
    g_auto(Board) b = board(NULL, 1);
    const WwHazardView *v = b.f->view(b.self);
    b.f->reserve(b.self, alu(&b, 3, 10, 0));
    b.f->reserve(b.self, inst(&b, 3, WW_OP_LOAD, WW_SPACE_GLOBAL, 11, 0));
    g_assert_cmpuint(ww_hazard_regs(v, 3, alu(&b, 3, 10, 20)->s), ==, WW_REG_PENDING);
    g_assert_cmpuint(ww_hazard_regs(v, 3, alu(&b, 3, 20, 11)->s), ==,
                     WW_REG_PENDING | WW_REG_SLOW | WW_REG_MARKED);
    g_assert_cmpuint(ww_hazard_regs(v, 2, alu(&b, 2, 10, 11)->s), ==, 0);
    const WwInst *last =
        ww_test_inst(b.h, &(WwTestInst){.op = WW_OP_ALU, .src = {20, 21, 22, 11}, .warp = 3});
    g_assert_cmpuint(ww_hazard_regs(v, 3, last->s) & WW_REG_SLOW, !=, 0);
    g_assert_true(b.f->waits_long(b.self, 3, last->s) && b.f->collides(b.self, 3, last->s));
    b.f->release(b.self, 3, 11);
    g_assert_cmpuint(ww_hazard_regs(v, 3, alu(&b, 3, 20, 11)->s), ==, WW_REG_MARKED);
    ww_harness_reset(b.h);
    g_assert_cmpuint(ww_hazard_regs(v, 3, alu(&b, 3, 10, 11)->s), ==, 0);
}

/* Loads from global and local memory are long operations; releasing one register keeps the mark. */
static void test_long_marks(void)
{
    static const struct {
        WwOp op;
        WwSpace space;
        bool slow;
    } row[] = {{WW_OP_LOAD, WW_SPACE_GLOBAL, true},
               {WW_OP_LOAD, WW_SPACE_LOCAL, true},
               {WW_OP_LOAD, WW_SPACE_SHARED, false},
               {WW_OP_LOAD, WW_SPACE_CONST, false},
               {WW_OP_ALU, WW_SPACE_NONE, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        g_auto(Board) b = board(NULL, 1);
        WwInst *writer = inst(&b, 1, row[i].op, row[i].space, 10, 0);
        const WwSinst *reader = alu(&b, 1, 11, 10)->s;
        b.f->reserve(b.self, writer);
        g_assert_true(b.f->waits_long(b.self, 1, reader) == row[i].slow);
        g_assert_true(b.f->collides_long(b.self, 1, reader) == row[i].slow);
        g_assert_false(b.f->waits_long(b.self, 1, alu(&b, 1, 10, 12)->s)); /* sources only */
        b.f->release(b.self, 1, 10);
        g_assert_true(b.f->waits_long(b.self, 1, reader) == row[i].slow);
        g_assert_false(b.f->collides_long(b.self, 1, reader));
        b.f->seen(b.self, 1ull << 1);
        b.f->release_all(b.self, writer); /* takes the mark away, and says so */
        g_assert_false(b.f->waits_long(b.self, 1, reader));
        g_assert_cmphex(b.f->view(b.self)->changed, ==, row[i].slow ? 1u << 1 : 0);
        g_assert_cmpuint(ww_harness_stat(b.h, "releases", 0), ==, 1);
    }
}

static void assert_failed(WwHarness *h, const char *what)
{
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(error->message, what));
}

static void test_reserved_twice(void)
{
    g_auto(Board) b = board(NULL, 1);
    b.f->reserve(b.self, alu(&b, 3, 13, 0));
    b.f->reserve(b.self, alu(&b, 3, 13, 0));
    assert_failed(b.h, "dut: warp 3 reserves R12 for ALU");
}

static void test_reset(void)
{
    g_auto(Board) b = board(NULL, 1);
    b.f->reserve(b.self, inst(&b, 1, WW_OP_LOAD, WW_SPACE_GLOBAL, 10, 0));
    ww_harness_reset(b.h);
    g_assert_cmphex(b.f->view(b.self)->pending, ==, 0);
    g_assert_false(b.f->collides(b.self, 1, alu(&b, 1, 10, 10)->s));
    g_assert_false(b.f->waits_long(b.self, 1, alu(&b, 1, 10, 10)->s));
    g_assert_cmpuint(ww_harness_stat(b.h, "reservations", 0), ==, 0);
}

/* marks_stay = false: the mark goes with its register, and with no other. */
static void test_marks_go(void)
{
    g_auto(Board) b = board("marks_stay=false", 1);
    b.f->reserve(b.self, inst(&b, 1, WW_OP_LOAD, WW_SPACE_GLOBAL, 10, 0));
    b.f->reserve(b.self, inst(&b, 1, WW_OP_LOAD, WW_SPACE_GLOBAL, 12, 0));
    b.f->release(b.self, 1, 10);
    g_assert_false(b.f->waits_long(b.self, 1, alu(&b, 1, 11, 10)->s));
    g_assert_true(b.f->waits_long(b.self, 1, alu(&b, 1, 11, 12)->s));
}

void register_scoreboard_tests(void)
{
    g_test_add_func("/issue/scoreboard/collisions", test_collisions);
    g_test_add_func("/issue/scoreboard/edges", test_edges);
    g_test_add_func("/issue/scoreboard/zero_register", test_zero_register);
    g_test_add_func("/issue/scoreboard/all_registers", test_all_registers);
    g_test_add_func("/issue/scoreboard/notices", test_notices);
    g_test_add_func("/issue/scoreboard/view", test_view);
    g_test_add_func("/issue/scoreboard/long_marks", test_long_marks);
    g_test_add_func("/issue/scoreboard/reserved_twice", test_reserved_twice);
    g_test_add_func("/issue/scoreboard/reset", test_reset);
    g_test_add_func("/issue/scoreboard/marks_go", test_marks_go);
}
