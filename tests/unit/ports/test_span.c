/* SPDX-License-Identifier: Apache-2.0 */
/* A fifo between two partitions: writers with several turns an edge, and one that puts more than a window foresees. */
#include "tests.h"

#include <string.h>
#include <tests/support/machine.h>

enum { EDGES = 400 };

typedef struct Sender {
    WwComponent base;
    WwPort out;
    uint32_t many;         /* Tokens a turn, */
    bool asks;             /* if there is room for them; */
    uint32_t burst, pause; /* after so many it rests so long. */
    bool says;             /* It says how many a turn. */
    uint64_t next;
} Sender;

typedef struct Taker {
    WwComponent base;
    WwPort in;
    uint64_t seen; /* Which token in which cycle, hashed. */
} Taker;

static WwRest send(void *self)
{
    Sender *s = self;
    for (uint32_t i = 0; i < s->many; i++) {
        if (s->asks && !ww_fifo_room(&s->out)) {
            return WW_SLEEP;
        }
        ww_fifo_put(&s->out, s->next++);
    }
    return s->next % s->burst < s->many ? s->pause : WW_AGAIN;
}

static WwRest take(void *self)
{
    Taker *t = self;
    if (!ww_fifo_ready(&t->in)) {
        return WW_SLEEP;
    }
    t->seen = t->seen * 31 + ww_fifo_take(&t->in) * EDGES + ww_now(t);
    return WW_AGAIN;
}

static const WwPortRow sender_ports[] = {
    WW_PORT_OUT(Sender, out, &ww_contract_number, 1, "numbers"), {0}};
static const WwEntryRow sender_entries[] = {
    {.name = "send", .phase = "send", .tick = send, .doc = "puts"}, {0}};
static void sender_reset(void *self)
{
    Sender *s = self;
    if (s->says) {
        ww_puts_a_turn(&s->out, s->many);
    }
}

static const WwType sender_type = {.abi = WW_ABI_VERSION,
                                   .name = "sender",
                                   .doc = "puts",
                                   .family = "test",
                                   .size = sizeof(Sender),
                                   .ports = sender_ports,
                                   .entries = sender_entries,
                                   .reset = sender_reset};

static const WwPortRow taker_ports[] = {WW_PORT_IN(Taker, in, &ww_contract_number, 1, "numbers"),
                                        {0}};
static const WwEntryRow taker_entries[] = {
    {.name = "take", .phase = "core", .tick = take, .doc = "takes"}, {0}};
static const WwType taker_type = {.abi = WW_ABI_VERSION,
                                  .name = "taker",
                                  .doc = "takes",
                                  .family = "test",
                                  .size = sizeof(Taker),
                                  .ports = taker_ports,
                                  .entries = taker_entries};

typedef struct Pair {
    WwMachine *m;
    Sender *sender;
    Taker *taker;
    WwRunStatus status;
} Pair;

/* What comes of @p sender, whose partition has @p turns turns an edge. */
static Pair run(const Sender *sender, uint32_t turns, uint32_t depth, bool windows)
{
    GError *error = NULL;
    Pair p = {.m = test_core_machine()};
    ww_machine_add_phase(p.m, "send", "core", &error);
    g_assert_no_error(error);
    WwGroupSpec of_sender = {.name = "a", .partition = true, .mode = WW_GROUP_REPEAT},
                of_taker = {.name = "b", .partition = true};
    of_sender.repeat = turns;
    WwGroup *a = ww_machine_add_group(p.m, ww_machine_root(p.m), &of_sender);
    WwGroup *b = ww_machine_add_group(p.m, ww_machine_root(p.m), &of_taker);
    p.sender = test_add_type(p.m, a, &sender_type, "sender", -1);
    p.taker = test_add_type(p.m, b, &taker_type, "taker", -1);
    p.sender->many = sender->many;
    p.sender->asks = sender->asks;
    p.sender->burst = sender->burst;
    p.sender->pause = sender->pause;
    p.sender->says = sender->says;
    WwComponent *fifo = test_add(p.m, NULL, "fifo", "between", -1);
    g_autofree char *text = g_strdup_printf("depth=%u", depth);
    test_set(fifo, text);
    test_join(p.sender, "out", fifo);
    test_join(p.taker, "in", fifo);
    ww_machine_set_windows(p.m, windows);
    test_seal(p.m, false);
    p.status = ww_run(p.m, EDGES);
    return p;
}

static void test_turns(void)
{
    static const Sender one = {.many = 1, .asks = true, .burst = 50, .pause = 60};
    static const uint32_t depths[] = {2, 9, 16, 40};
    for (uint32_t turns = 1; turns <= 4; turns++) {
        for (size_t i = 0; i < G_N_ELEMENTS(depths); i++) {
            Pair w = run(&one, turns, depths[i], true), t = run(&one, turns, depths[i], false);
            g_assert_cmpint(w.status, ==, WW_RUN_BUDGET);
            g_assert_cmpint(t.status, ==, WW_RUN_BUDGET);
            g_assert_cmpuint(t.sender->next, >, 100);
            g_assert_cmpuint(w.sender->next, ==, t.sender->next);
            g_assert_cmpuint(w.taker->seen, ==, t.taker->seen);
            g_assert_cmpuint(ww_machine_window_ticks(t.m), ==, 0);
            g_assert_true(ww_machine_window_ticks(w.m) > 100 || depths[i] < 40);
            g_assert_true(ww_machine_window_ticks(w.m) == 0 || depths[i] > 2);
            ww_machine_free(w.m);
            ww_machine_free(t.m);
        }
    }
}

/* Several in one turn are right tick by tick, and an error in a window, which cannot know what the reader will have taken. */
static void test_many(void)
{
    static const Sender senders[] = {{.many = 10, .asks = false, .burst = 10, .pause = 10},
                                     {.many = 40, .asks = true, .burst = 40, .pause = 100}};
    static const uint32_t depths[] = {12, 30};
    for (size_t i = 0; i < G_N_ELEMENTS(senders); i++) {
        Pair t = run(&senders[i], 1, depths[i], false), w = run(&senders[i], 1, depths[i], true);
        g_assert_cmpint(t.status, ==, WW_RUN_BUDGET);
        g_assert_cmpint(w.status, ==, WW_RUN_FAILED);
        g_assert_error(ww_machine_error(w.m), WW_ERROR, WW_ERROR_MODEL);
        g_assert_nonnull(strstr(ww_machine_error(w.m)->message,
                                "between: a component of another partition puts more tokens in a "
                                "turn than it says; expected one a turn, ww_puts_a_turn(), or"));
        ww_machine_free(t.m);
        ww_machine_free(w.m);
    }
}

/* Who says so may: windows are as long as there is room for what it says. */
static void test_said(void)
{
    static const Sender senders[] = {
        {.many = 10, .asks = false, .burst = 10, .pause = 10, .says = true},
        {.many = 40, .asks = true, .burst = 40, .pause = 100, .says = true},
        {.many = 3, .asks = true, .burst = 30, .pause = 60, .says = true}};
    static const uint32_t depths[] = {12, 30, 200};
    for (size_t i = 0; i < G_N_ELEMENTS(senders); i++) {
        Pair t = run(&senders[i], 1, depths[i], false), w = run(&senders[i], 1, depths[i], true);
        g_assert_cmpint(t.status, ==, WW_RUN_BUDGET);
        g_assert_cmpint(w.status, ==, WW_RUN_BUDGET);
        g_assert_cmpuint(w.taker->seen, ==, t.taker->seen);
        g_assert_true((ww_machine_window_ticks(w.m) > 50) == (depths[i] / senders[i].many > 4));
        ww_machine_free(t.m);
        ww_machine_free(w.m);
    }
}

void add_span_tests(void)
{
    g_test_add_func("/ports/span/said", test_said);
    g_test_add_func("/ports/span/turns", test_turns);
    g_test_add_func("/ports/span/many", test_many);
}
