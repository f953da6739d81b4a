/* SPDX-License-Identifier: Apache-2.0 */
/* What turns did: those that changed nothing, one word, or what a port leads to; those that were slept; steps within turns. */
#include "tests.h"

#include <string.h>
#include <warpwright/component.h>
#include <warpwright/machine.h>

/* A shelf holds a number, for whoever works there, and has a step that adds to it in every third turn. */
typedef struct Shelf {
    WwComponent base;
    WwProvided shelf;
    uint32_t steps;
    uint64_t number;
} Shelf;

/* A worker does one thing after the other, a turn each, then sleeps for ten edges. */
typedef struct Worker {
    WwComponent base;
    WwPort shelf;
    uint64_t did, a, b;
    uint64_t *notes;
    uint64_t turns, slept; /* statistics */
} Worker;

enum { REST = 10 };

static int shelf_table;
static const WwContract shelf = {
    .name = "shelf", .doc = "a shelf", .version = 1, .kind = WW_INTERFACE};

static WwRest shelf_step(void *self)
{
    Shelf *s = self;
    if (++s->steps % 3 == 0) {
        s->number++;
    }
    return WW_AGAIN;
}

static WwRest worker_turn(void *self)
{
    Worker *w = self;
    w->turns++;
    switch (ww_now(self)) {
    case 0: /* counts, no more */
        return WW_AGAIN;
    case 1:
        w->a++;
        return WW_AGAIN;
    case 2:
        w->a++;
        w->b++;
        return WW_AGAIN;
    case 3:
        w->notes[0]++;
        return WW_AGAIN;
    case 4:
        w->notes[0]++;
        w->notes[1]++;
        return WW_AGAIN;
    default: /* of the worker itself nothing changes */
        ((Shelf *)w->shelf.peer)->number++;
        return REST;
    }
}

static void worker_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Worker *)self)->slept += n;
}

static bool worker_init(void *self, GError **error)
{
    ((Worker *)self)->notes = ww_alloc(self, 2 * sizeof(uint64_t));
    return true;
}

static const WwPortRow worker_ports[] = {
    WW_PORT_REQUIRES(Worker, shelf, &shelf, 0, NULL, "where it works"), {0}};
static const WwEntryRow worker_entries[] = {
    {.name = "turn", .phase = "main", .tick = worker_turn, .doc = "works"}, {0}};
static const WwStatRow worker_stats[] = {
    WW_COUNTER_AT(Worker, turns, "turns", "turns", "had"),
    WW_COUNTER_AT(Worker, slept, "slept", "turns", "slept"),
    {0},
};
static const WwType worker_type = {.abi = WW_ABI_VERSION,
                                   .name = "worker",
                                   .doc = "works",
                                   .family = "test",
                                   .size = sizeof(Worker),
                                   .ports = worker_ports,
                                   .entries = worker_entries,
                                   .stats = worker_stats,
                                   .init = worker_init,
                                   .settle = worker_settle};

/* Owns the step of a shelf, and runs it in every turn. */
typedef struct Clerk {
    WwComponent base;
    WwPort shelf;
} Clerk;

static WwRest clerk_turn(void *self)
{
    ww_step(&((Clerk *)self)->shelf);
    return WW_AGAIN;
}

static const WwPortRow clerk_ports[] = {WW_PORT_OWNS(Clerk, shelf, &shelf, 0, "runs its step"),
                                        {0}};
static const WwEntryRow clerk_entries[] = {
    {.name = "turn", .phase = "main", .tick = clerk_turn, .doc = "x"}, {0}};
static const WwType clerk_type = {.abi = WW_ABI_VERSION,
                                  .name = "clerk",
                                  .doc = "owns a step",
                                  .family = "test",
                                  .size = sizeof(Clerk),
                                  .ports = clerk_ports,
                                  .entries = clerk_entries};

static const WwPortRow shelf_ports[] = {
    WW_PORT_PROVIDES(Shelf, shelf, &shelf, &shelf_table, "itself"), {0}};
static const WwEntryRow shelf_entries[] = {
    {.name = "step", .owner = "shelf", .tick = shelf_step, .doc = "adds"}, {0}};
static const WwType shelf_type = {.abi = WW_ABI_VERSION,
                                  .name = "shelf",
                                  .doc = "holds a number",
                                  .family = "test",
                                  .size = sizeof(Shelf),
                                  .ports = shelf_ports,
                                  .entries = shelf_entries};

/* ---- machines --------------------------------------------------------------------------------------------------- */

typedef struct Shop {
    WwRegistry *registry;
    WwMachine *m;
    Worker *worker;
} Shop;

static void *add(Shop *s, const WwType *type, const char *name)
{
    return ww_machine_add(s->m, ww_machine_root(s->m), type, name, -1, (WwLocation){0});
}

static void bind_shelf(void *from, void *to)
{
    const WwComponent *c = from;
    ww_bind(from, ww_type_port(c->type, "shelf"), to, -1, (WwLocation){0}, NULL);
}

/* Workers at one shelf, and a clerk who owns its step. */
static Shop shop(uint32_t workers, bool count)
{
    static const WwType *const types[] = {&shelf_type, &worker_type, &clerk_type, NULL};
    Shop s = {.registry = ww_registry_new()};
    GError *error = NULL;
    ww_registry_add_all(s.registry, types, "test", &error);
    s.m = ww_machine_new(s.registry);
    ww_machine_add_domain(s.m, "core", 1e9, &error);
    ww_machine_add_phase(s.m, "main", "core", &error);
    g_assert_no_error(error);
    void *place = add(&s, &shelf_type, "place");
    for (uint32_t i = 0; i < workers; i++) {
        g_autofree char *name = g_strdup_printf("w%u", i);
        s.worker = add(&s, &worker_type, name);
        bind_shelf(s.worker, place);
    }
    bind_shelf(add(&s, &clerk_type, "clerk"), place);
    if (count) {
        ww_machine_count_turns(s.m);
    }
    ww_machine_seal(s.m, &error);
    g_assert_no_error(error);
    return s;
}

static void shop_free(Shop *s)
{
    ww_machine_free(s->m);
    ww_registry_free(s->registry);
}

static void assert_turns(Shop *s, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ww_machine_write_turns(s->m, out);
    fclose(out);
    g_assert_cmpstr(text, ==, expected);
    free(text);
}

#define HEAD "type,entry,components,turns,nothing,one,again,settled\n"

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* Fifteen edges: six turns of a worker, nine that it slept; each step of the shelf is one of its own, in a turn of the clerk's. */
static void test_kinds(void)
{
    Shop s = shop(1, true);
    ww_run(s.m, 15);
    assert_turns(&s, HEAD "clerk,turn,1,15,0,0,15,0\n"
                          "shelf,step,1,15,0,10,15,0\n"
                          "worker,turn,1,6,1,2,5,9\n");
    shop_free(&s);
}

/* Of a type all are added up; at power-on nothing has been counted. */
static void test_sums(void)
{
    Shop s = shop(3, true);
    for (int i = 0; i < 2; i++) {
        ww_run(s.m, 6);
        assert_turns(&s, HEAD "clerk,turn,1,6,0,0,6,0\n"
                              "shelf,step,1,6,0,4,6,0\n"
                              "worker,turn,3,18,3,6,15,0\n");
        ww_machine_reset(s.m);
        assert_turns(&s, HEAD "clerk,turn,1,0,0,0,0,0\n"
                              "shelf,step,1,0,0,0,0,0\n"
                              "worker,turn,3,0,0,0,0,0\n");
    }
    shop_free(&s);
}

/* Whoever is counted does the same. */
static void test_same(void)
{
    Worker was[2];
    for (int count = 0; count < 2; count++) {
        Shop s = shop(2, count != 0);
        ww_run(s.m, 40);
        ww_machine_settle(s.m);
        g_assert_cmpuint(ww_machine_activations(s.m), ==, 40 + 2 * s.worker->turns);
        was[count] = *s.worker;
        shop_free(&s);
    }
    g_assert_cmpuint(was[0].turns, >, 6);
    g_assert_cmpuint(was[0].turns + was[0].slept, ==, 40);
    g_assert_cmpuint(was[0].turns, ==, was[1].turns);
    g_assert_cmpuint(was[0].slept, ==, was[1].slept);
}

void test_counts_register(void)
{
    static const TestRow tests[] = {
        {"kinds", test_kinds},
        {"sums", test_sums},
        {"same", test_same},
    };
    test_add_rows("/kernel/counts", tests, G_N_ELEMENTS(tests));
}
