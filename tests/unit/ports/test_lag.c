/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fifos between partitions whose reader is ahead of their writers in a window, and behind: writers that find them full, readers that are slow or pause,
 * in machines drawn at random. All that any of them sees is as tick by tick.
 */
#include "tests.h"

#include <string.h>
#include <tests/support/machine.h>

enum { EDGES = 1500, MAX_SENDERS = 4 };

typedef struct Sender {
    WwComponent base;
    WwPort out;
    uint32_t every, of; /* In a cycle of `of` turns it puts in the first `every` ones, one token; */
    bool sleeps;        /* without room it sleeps, else it asks again; */
    uint64_t last;      /* after so many tokens it sleeps for good. */
    uint64_t next, refused, turns;
    uint64_t seen; /* When it found room, and whether the queue was full behind it, hashed. */
} Sender;

typedef struct Taker {
    WwComponent base;
    WwPort in[MAX_SENDERS];
    uint32_t n_in;
    uint32_t takes;     /* Of each queue in a turn, */
    uint32_t every, of; /* in the first `every` turns of `of`; */
    uint32_t says;      /* how many it says. */
    bool sleeps;        /* when there is nothing to take */
    uint64_t turns, taken;
    uint64_t seen; /* Which token in which cycle, hashed. */
} Taker;

static WwRest send(void *self)
{
    Sender *s = self;
    if (s->next == s->last) {
        return WW_SLEEP;
    }
    if (s->turns++ % s->of >= s->every) {
        return WW_AGAIN;
    }
    if (!ww_fifo_room(&s->out)) {
        s->refused++;
        s->turns -= s->sleeps; /* it takes up where it was */
        return s->sleeps ? WW_SLEEP : WW_AGAIN;
    }
    ww_fifo_put(&s->out, s->next++);
    s->seen = s->seen * 31 + ww_now(s) * 2 + ww_fifo_full(&s->out);
    return WW_AGAIN;
}

static WwRest take(void *self)
{
    Taker *t = self;
    bool any = !t->sleeps;
    for (uint32_t i = 0; i < t->n_in; i++) {
        any |= ww_fifo_ready(&t->in[i]);
    }
    if (!any) {
        return WW_SLEEP;
    }
    bool on = t->turns++ % t->of < t->every;
    for (uint32_t i = 0; i < t->n_in; i++) {
        for (uint32_t n = 0; on && n < t->takes && ww_fifo_ready(&t->in[i]); n++) {
            t->seen = t->seen * 31 + ww_fifo_take(&t->in[i]) * EDGES + ww_now(t);
            t->taken++;
        }
    }
    return WW_AGAIN;
}

static void taker_reset(void *self)
{
    Taker *t = self;
    for (uint32_t i = 0; i < t->n_in; i++) {
        ww_takes_a_turn(&t->in[i], t->says);
    }
}

static const WwPortRow sender_ports[] = {
    WW_PORT_OUT(Sender, out, &ww_contract_number, 1, "numbers"), {0}};
static const WwEntryRow early_send[] = {
    {.name = "send", .phase = "first", .tick = send, .doc = "puts"}, {0}};
static const WwEntryRow late_send[] = {
    {.name = "send", .phase = "last", .tick = send, .doc = "puts"}, {0}};
static const WwPortRow taker_ports[] = {
    WW_PORT_ARRAY_AT(Taker, in, WW_IN, &ww_contract_number, 1, NULL, "numbers"), {0}};
static const WwEntryRow taker_entries[] = {
    {.name = "take", .phase = "core", .tick = take, .doc = "takes"}, {0}};

#define TYPE(name_, T, ports_, entries_, reset_)                                                   \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = name_, .doc = name_, .family = "test", .size = sizeof(T),   \
        .ports = ports_, .entries = entries_, .reset = reset_                                      \
    }
static const WwType sender_types[] = {TYPE("early", Sender, sender_ports, early_send, NULL),
                                      TYPE("late", Sender, sender_ports, late_send, NULL)};
static const WwType taker_type = TYPE("taker", Taker, taker_ports, taker_entries, taker_reset);

/* What is drawn. */
typedef struct Case {
    uint32_t n, depth;
    bool late[MAX_SENDERS]; /* It has its turn last in a tick, not first. */
    bool slow;              /* Senders have another clock; */
    bool together;          /* all are of one partition. */
    Sender sender[MAX_SENDERS];
    Taker taker;
} Case;

typedef struct Machine {
    WwMachine *m;
    WwGroup *group; /* Of senders. */
    Sender *sender[MAX_SENDERS];
    Taker *taker;
    WwFifo *fifo[MAX_SENDERS];
    WwRunStatus status;
} Machine;

/* Three phases; the senders have their turns in the first or in the last one. */
static WwMachine *new_machine(bool slow)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(test_registry());
    ww_machine_add_domain(m, "core", 1e9, &error);
    g_assert_no_error(error);
    ww_machine_add_domain(m, "slow", 0.7e9, &error);
    g_assert_no_error(error);
    static const char *const phases[] = {"first", "core", "last"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(phases); i++) {
        ww_machine_add_phase(m, phases[i], slow && i != 1 ? "slow" : "core", &error);
        g_assert_no_error(error);
    }
    ww_machine_set_hang_limit(m, 0);
    return m;
}

static void add_sender(Machine *r, const Case *c, uint32_t i)
{
    g_autofree char *name = g_strdup_printf("sender%u", i);
    g_autofree char *between = g_strdup_printf("fifo%u", i);
    g_autofree char *depth = g_strdup_printf("depth=%u", c->depth);
    WwGroupSpec spec = {.name = name, .partition = true};
    if (i == 0 || !c->together) {
        r->group = ww_machine_add_group(r->m, ww_machine_root(r->m), &spec);
    }
    Sender *s = r->sender[i] = test_add_type(r->m, r->group, &sender_types[c->late[i]], name, -1);
    s->every = c->sender[i].every;
    s->of = c->sender[i].of;
    s->sleeps = c->sender[i].sleeps;
    s->last = c->sender[i].last;
    r->fifo[i] = (WwFifo *)test_add(r->m, NULL, "fifo", between, -1);
    test_set(r->fifo[i], depth);
    test_join(s, "out", r->fifo[i]);
    test_join(r->taker, "in", r->fifo[i]);
}

static Machine run(const Case *c, bool windows)
{
    Machine r = {.m = new_machine(c->slow)};
    WwGroupSpec spec = {.name = "taker", .partition = true};
    WwGroup *g = ww_machine_add_group(r.m, ww_machine_root(r.m), &spec);
    r.taker = test_add_type(r.m, g, &taker_type, "taker", -1);
    r.taker->takes = c->taker.takes;
    r.taker->says = c->taker.says;
    r.taker->every = c->taker.every;
    r.taker->of = c->taker.of;
    r.taker->sleeps = c->taker.sleeps;
    for (uint32_t i = 0; i < c->n; i++) {
        add_sender(&r, c, i);
    }
    ww_machine_set_windows(r.m, windows);
    test_seal(r.m, false);
    r.status = ww_run(r.m, EDGES);
    return r;
}

static Case draw(void)
{
    Case c = {.n = (uint32_t)g_test_rand_int_range(1, MAX_SENDERS + 1),
              .depth = (uint32_t)g_test_rand_int_range(4, 90),
              .slow = g_test_rand_bit(),
              .together = g_test_rand_bit()};
    bool mixed = g_test_rand_bit(), late = g_test_rand_bit(), calm = g_test_rand_bit();
    c.taker.takes = (uint32_t)g_test_rand_int_range(1, 4);
    c.taker.says = c.taker.takes;
    c.taker.sleeps = g_test_rand_bit();
    c.taker.of = (uint32_t)g_test_rand_int_range(1, 300);
    c.taker.every = (uint32_t)g_test_rand_int_range(1, (gint32)c.taker.of + 1);
    for (uint32_t i = 0; i < c.n; i++) {
        Sender *s = &c.sender[i];
        s->of = (uint32_t)g_test_rand_int_range(1, g_test_rand_bit() ? 500 : 5);
        s->every = (uint32_t)g_test_rand_int_range(1, (gint32)s->of + 1);
        s->sleeps = calm || g_test_rand_bit();
        s->every = calm ? s->of : s->every;
        s->last = g_test_rand_bit() ? UINT64_MAX : (uint64_t)g_test_rand_int_range(1, 200);
        c.late[i] = mixed ? g_test_rand_bit() : late;
    }
    return c;
}

static void compare(const Machine *w, const Machine *t)
{
    g_assert_cmpint(t->status, !=, WW_RUN_FAILED);
    g_assert_cmpint(w->status, ==, t->status); /* all may be asleep */
    g_assert_cmpuint(w->taker->taken, ==, t->taker->taken);
    g_assert_cmpuint(w->taker->seen, ==, t->taker->seen);
    for (uint32_t i = 0; i < MAX_SENDERS && w->sender[i] != NULL; i++) {
        const Sender *a = w->sender[i], *b = t->sender[i];
        ww_fifo_type.tally(w->fifo[i]);
        ww_fifo_type.tally(t->fifo[i]);
        g_assert_cmpuint(a->next, ==, b->next);
        g_assert_cmpuint(a->seen, ==, b->seen);
        g_assert_cmpuint(a->refused, ==, b->refused);
        g_assert_cmpuint(w->fifo[i]->most, ==, t->fifo[i]->most);
        g_assert_cmpuint(w->fifo[i]->puts, ==, t->fifo[i]->puts);
    }
}

/* One partition puts before and after the reader's turn in a tick: then windows are as long as there is room. */
static bool is_split(const Case *c)
{
    bool split = false;
    for (uint32_t i = 1; i < c->n; i++) {
        split |= c->together && c->late[i] != c->late[0];
    }
    return split;
}

/* Nearly all of the time they run in windows, however full the queues are. */
static void test_drawn(void)
{
    uint64_t refused = 0;
    for (uint32_t i = 0; i < 1200; i++) {
        Case c = draw();
        Machine w = run(&c, true), t = run(&c, false);
        compare(&w, &t);
        g_assert_cmpuint(ww_machine_window_ticks(t.m), ==, 0);
        g_assert_true(ww_machine_window_ticks(w.m) > EDGES / 2 || w.status != WW_RUN_BUDGET ||
                      c.depth <= c.taker.takes + 1 || is_split(&c));
        for (uint32_t k = 0; k < c.n; k++) {
            refused += w.sender[k]->refused;
        }
        ww_machine_free(w.m);
        ww_machine_free(t.m);
    }
    g_assert_cmpuint(refused, >, 1000);
}

/*
 * A reader that takes more than it says may find nothing where its writer, which is behind, will have put something. One that says nothing is never
 * ahead.
 */
static void test_wrong(void)
{
    static const uint32_t says[] = {0, 1, 18};
    Case c = {.n = 1, .depth = 20};
    c.sender[0].every = c.sender[0].of = 1;
    c.sender[0].last = UINT64_MAX;
    c.taker.takes = 18;
    c.taker.every = 1;
    c.taker.of = 40;
    for (size_t i = 0; i < G_N_ELEMENTS(says); i++) {
        c.taker.says = says[i];
        Machine w = run(&c, true), t = run(&c, false);
        g_assert_cmpint(t.status, ==, WW_RUN_BUDGET);
        if (says[i] == 1) {
            g_assert_cmpint(w.status, ==, WW_RUN_FAILED);
            g_assert_error(ww_machine_error(w.m), WW_ERROR, WW_ERROR_MODEL);
            g_assert_nonnull(strstr(ww_machine_error(w.m)->message,
                                    "fifo0: a component of another partition takes more tokens in "
                                    "a turn than it says; expected as many as ww_takes_a_turn() "
                                    "was told, or --no-windows"));
        } else {
            compare(&w, &t);
            g_assert_true((ww_machine_window_ticks(w.m) > EDGES / 2) == (says[i] != 0));
        }
        ww_machine_free(w.m);
        ww_machine_free(t.m);
    }
}

void add_lag_tests(void)
{
    g_test_add_func("/ports/lag/drawn", test_drawn);
    g_test_add_func("/ports/lag/wrong", test_wrong);
}
