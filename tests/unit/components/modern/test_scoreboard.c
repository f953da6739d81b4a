/* SPDX-License-Identifier: Apache-2.0 */
/* Scoreboards of a modern SM: rules of the specification's section 3.4. */
#include "tests.h"

#include <ports/hazards.h>
#include <ports/sub_core.h>

typedef struct Board {
    WwHarness *h;
    const WwDependenceIf *f;
    void *self;
} Board;

/* An instruction of warp 3 that writes and reads these registers; lists end at 0. */
typedef struct Use {
    WwSinst s;
    WwTiming timing;
    WwInst inst;
} Use;

static void board_open(Board *b, const char *params)
{
    *b = (Board){.h = ww_harness_new(test_registry(), "dependence.scoreboard", params)};
    ww_harness_callers(b->h, "dependence", WW_RANK_CHECK, 1);
    ww_harness_callers(b->h, "dependence", WW_RANK_RETIRE, 1);
    ww_harness_start(b->h, NULL);
    b->f = ww_harness_table(b->h, "dependence", &b->self);
}

static void board_close(Board *b)
{
    ww_harness_free(b->h);
}

static WwInst *use(Use *u, const uint16_t *written, const uint16_t *read)
{
    *u = (Use){.s = {.opcode = "FADD"}};
    for (; *written != 0; written++) {
        u->timing.name[u->timing.n_named++] = *written;
    }
    u->timing.n_written = u->timing.n_named;
    for (; *read != 0; read++) {
        u->timing.name[u->timing.n_named++] = *read;
    }
    u->inst = (WwInst){.s = &u->s, .timing = &u->timing, .warp = 3, .mask = 1};
    return &u->inst;
}

#define LIST(...) ((const uint16_t[]){__VA_ARGS__, 0})

static bool blocked(Board *b, const uint16_t *written, const uint16_t *read)
{
    Use u;
    uint32_t bits = b->f->blocks(b->self, use(&u, written, read));
    g_assert_true(bits == 0 || bits == WW_DEP_REGISTER);
    return bits != 0;
}

/* What a load from memory writes is waited for as that; what another unit writes is not. */
static void test_waits_long(void)
{
    Board b;
    Use load, add, next;
    board_open(&b, "war=disabled");
    use(&load, LIST(4), LIST(9));
    load.timing.unit = WW_UNIT_MEM;
    load.timing.space = WW_SPACE_LOCAL;
    b.f->issued(b.self, &load.inst);
    b.f->issued(b.self, use(&add, LIST(6), LIST(9)));
    g_assert_true(b.f->waits_long(b.self, use(&next, LIST(1), LIST(4))));
    g_assert_false(b.f->waits_long(b.self, use(&next, LIST(1), LIST(6))));
    b.f->written(b.self, &load.inst);
    g_assert_false(b.f->waits_long(b.self, use(&next, LIST(1), LIST(4))));
    board_close(&b);
}

/* Reads and writes wait for a write, of a register of the same kind and number, until it is over: seen in the same cycle. */
static void test_writes(void)
{
    static const uint16_t kinds[] = {4, WW_NAME_UNIFORM + 4, WW_NAME_PRED + 4, WW_NAME_UPRED + 4};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        Board b;
        Use u;
        board_open(&b, "war=disabled");
        uint16_t reg = kinds[k];
        WwInst *first = use(&u, LIST(reg, reg + 1u), LIST(9));
        b.f->issued(b.self, first);
        g_assert_true(blocked(&b, LIST(1), LIST(reg)));      /* RAW */
        g_assert_true(blocked(&b, LIST(1), LIST(reg + 1u))); /* of the whole result */
        g_assert_true(blocked(&b, LIST(reg), LIST(1)));      /* WAW */
        g_assert_false(blocked(&b, LIST(1), LIST(reg + 2u)));
        g_assert_false(blocked(&b, LIST(9), LIST(9))); /* WAR: not protected */
        for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
            g_assert_cmpint(blocked(&b, LIST(1), LIST(kinds[i])), ==, i == k);
        }
        first->warp = 2;
        g_assert_cmpuint(b.f->blocks(b.self, first), ==, 0); /* another warp's */
        g_assert_true(b.f->settled(b.self, 2));
        first->warp = 3;
        g_assert_false(b.f->settled(b.self, 3));
        b.f->sent(b.self, first);
        b.f->read(b.self, first);
        g_assert_true(blocked(&b, LIST(1), LIST(reg)));
        b.f->written(b.self, first);
        g_assert_false(blocked(&b, LIST(reg), LIST(reg, reg + 1u)));
        g_assert_true(b.f->idle(b.self, 3));
        g_assert_cmpuint(ww_harness_stat(b.h, "reserved", 0), ==, 2);
        board_close(&b);
    }
}

/* Nobody writes what is to be read: until it was read, or until the reader is over. */
static void test_reads(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        Board b;
        Use u;
        board_open(&b, i == 0 ? "war=operands" : "war=writeback");
        WwInst *reader = use(&u, LIST(5), LIST(6, 7));
        b.f->issued(b.self, reader);
        g_assert_true(blocked(&b, LIST(6), LIST(1)));
        g_assert_true(blocked(&b, LIST(7), LIST(1)));
        g_assert_false(blocked(&b, LIST(1), LIST(6, 7))); /* another reader */
        b.f->read(b.self, reader);
        g_assert_cmpint(blocked(&b, LIST(6), LIST(1)), ==, i == 1);
        g_assert_true(blocked(&b, LIST(1), LIST(5)));
        g_assert_false(b.f->settled(b.self, 3));
        b.f->written(b.self, reader);
        g_assert_false(blocked(&b, LIST(6), LIST(5)));
        g_assert_true(b.f->settled(b.self, 3));
        board_close(&b);
    }
}

/* A result is written while its sources are still to be read: the warp is not settled before they are. */
static void test_held(void)
{
    Board b;
    Use u;
    board_open(&b, "war=operands");
    WwInst *reader = use(&u, LIST(5), LIST(6));
    u.timing.flags = WW_TAKES_HELD;
    b.f->issued(b.self, reader);
    g_assert_true(blocked(&b, LIST(6), LIST(1)));
    b.f->written(b.self, reader); /* nobody said that it was read */
    g_assert_false(blocked(&b, LIST(6), LIST(5)));
    g_assert_true(b.f->settled(b.self, 3));
    board_close(&b);
}

static void test_read_late(void)
{
    Board b;
    Use u;
    board_open(&b, "war=operands");
    WwInst *reader = use(&u, LIST(5), LIST(6));
    b.f->issued(b.self, reader);
    b.f->written(b.self, reader);
    g_assert_false(blocked(&b, LIST(5), LIST(5)));
    g_assert_true(blocked(&b, LIST(6), LIST(5)));
    g_assert_false(b.f->idle(b.self, 3));
    b.f->read(b.self, reader);
    g_assert_true(b.f->idle(b.self, 3));
    board_close(&b);
}

/* As many readers of a register as the table counts to: the next one waits for one of them. */
static void test_readers(void)
{
    Board b;
    Use u[3];
    board_open(&b, "war=operands max_readers=2");
    b.f->issued(b.self, use(&u[0], LIST(1), LIST(6)));
    g_assert_false(blocked(&b, LIST(2), LIST(6)));
    b.f->issued(b.self, use(&u[1], LIST(2), LIST(6, 7)));
    g_assert_true(blocked(&b, LIST(4), LIST(6)));
    g_assert_false(blocked(&b, LIST(4), LIST(7)));
    b.f->read(b.self, &u[0].inst);
    g_assert_false(blocked(&b, LIST(4), LIST(6)));
    g_assert_true(blocked(&b, LIST(6), LIST(4))); /* one is left */
    g_assert_cmpuint(ww_harness_stat(b.h, "most_readers", 0), ==, 2);
    board_close(&b);
}

/* Who waits is told in the cycle in which a register is released. */
static void test_wakes(void)
{
    Board b;
    Use u;
    board_open(&b, "war=operands");
    WwInst *inst = use(&u, LIST(5), LIST(6));
    b.f->issued(b.self, inst);
    ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0);
    b.f->read(b.self, inst);
    g_assert_cmpuint(ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0), ==, 1);
    b.f->written(b.self, inst);
    g_assert_cmpuint(ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0), ==, 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "dependence", WW_RANK_RETIRE, 0), ==, 0);
    board_close(&b);
}

/* The warp pool's word that an instruction is over counts; a new warp begins with nothing pending. */
static void test_told(void)
{
    Board b;
    Use u;
    void *self;
    board_open(&b, NULL);
    WwInst *inst = use(&u, LIST(5), LIST(6));
    b.f->issued(b.self, inst);
    const WwScoreboardIf *hazard = ww_harness_table(b.h, "hazard", &self);
    hazard->release_all(self, inst);
    g_assert_false(blocked(&b, LIST(5), LIST(1)));
    g_assert_true(blocked(&b, LIST(6), LIST(1)));
    b.f->retired(b.self, 3);
    g_assert_false(blocked(&b, LIST(6), LIST(1)));
    g_assert_true(b.f->settled(b.self, 3));
    board_close(&b);
}

void register_scoreboard_modern_tests(void)
{
    g_test_add_func("/modern/scoreboard/waits-long", test_waits_long);
    g_test_add_func("/modern/scoreboard/writes", test_writes);
    g_test_add_func("/modern/scoreboard/reads", test_reads);
    g_test_add_func("/modern/scoreboard/held", test_held);
    g_test_add_func("/modern/scoreboard/read-late", test_read_late);
    g_test_add_func("/modern/scoreboard/readers", test_readers);
    g_test_add_func("/modern/scoreboard/wakes", test_wakes);
    g_test_add_func("/modern/scoreboard/told", test_told);
}
