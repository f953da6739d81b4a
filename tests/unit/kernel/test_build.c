/* SPDX-License-Identifier: Apache-2.0 */
/* What makes building cheap must not be seen: components made like another, small groups without a block of their own. */
#include "tests.h"

#include <stdlib.h>
#include <string.h>
#include <warpwright/machine.h>

typedef struct Thing {
    WwComponent base;
    uint32_t size;
    const char *word;
    WwList list;
    uint64_t turns; /* in the order of the tick: seen[] */
} Thing;

static const char *seen[16];
static uint32_t n_seen;

static WwRest thing_tick(void *self)
{
    Thing *t = self;
    seen[n_seen++ % G_N_ELEMENTS(seen)] = t->base.name;
    t->turns++;
    return WW_AGAIN;
}

static const WwParamRow thing_params[] = {
    {.name = "size",
     .kind = WW_PARAM_UINT,
     .unit = "",
     .def = "1",
     .max = 100,
     .doc = "a number",
     .offset = WW_FIELD(Thing, size, uint32_t)},
    {.name = "word",
     .kind = WW_PARAM_STRING,
     .unit = "",
     .def = "none",
     .doc = "a text",
     .offset = WW_FIELD(Thing, word, const char *)},
    {.name = "list",
     .kind = WW_PARAM_LIST,
     .unit = "",
     .def = "1,2",
     .max = 100,
     .doc = "numbers",
     .offset = WW_FIELD(Thing, list, WwList)},
    {0},
};

static const WwEntryRow thing_entries[] = {
    {.name = "tick", .phase = "main", .tick = thing_tick, .doc = "counts"},
    {0},
};

static const WwType thing_type = {
    .abi = WW_ABI_VERSION,
    .name = "thing",
    .doc = "Counts its turns.",
    .family = "thing",
    .size = sizeof(Thing),
    .params = thing_params,
    .entries = thing_entries,
};

static WwMachine *machine(WwRegistry *registry)
{
    GError *error = NULL;
    ww_registry_add(registry, &thing_type, "built-in", &error);
    g_assert_no_error(error);
    WwMachine *m = ww_machine_new(registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    g_assert_true(ww_machine_add_phase(m, "main", "core", &error));
    return m;
}

static WwComponent *thing(WwMachine *m, WwGroup *g, const char *name)
{
    return ww_machine_add(m, g, &thing_type, name, -1, (WwLocation){0});
}

/* As its model is now, and from then on on its own. */
static void test_like(void)
{
    GError *error = NULL;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autoptr(WwMachine) m = machine(registry);
    WwComponent *model =
        ww_machine_add(m, ww_machine_root(m), &thing_type, "t", 0, (WwLocation){0});
    g_assert_true(ww_component_set_text(model, "size", "7", &error));
    g_assert_true(ww_component_set_text(model, "word", "seven", &error));
    g_assert_true(ww_component_set_text(model, "list", "7,8,9", &error));
    const Thing *like =
        (const Thing *)ww_machine_add_like(ww_machine_root(m), model, 1, (WwLocation){0});
    const Thing *fresh = (const Thing *)thing(m, ww_machine_root(m), "fresh");
    g_assert_true(ww_component_set_text(model, "size", "8", &error));
    g_assert_cmpuint(like->size, ==, 7);
    g_assert_cmpstr(like->word, ==, "seven");
    g_assert_cmpuint(like->list.n, ==, 3);
    g_assert_cmpuint(like->list.v[2], ==, 9);
    g_assert_cmpuint(fresh->size, ==, 1);
    g_assert_cmpstr(fresh->word, ==, "none");
    g_assert_true(ww_machine_find(m, "t[1]") == &like->base);
    g_assert_true(ww_machine_seal(m, &error));
    g_assert_cmpint(ww_run(m, 3), ==, WW_RUN_BUDGET);
    g_assert_cmpuint(like->turns, ==, 3);
}

/* Groups of one and of few, in each other: turns and text are as if each were walked alone. */
static void test_groups(void)
{
    GError *error = NULL;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autoptr(WwMachine) m = machine(registry);
    WwGroup *all = ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "all"});
    WwGroup *one = ww_machine_add_group(m, all, &(WwGroupSpec){.name = "one"});
    WwGroup *in = ww_machine_add_group(m, one, &(WwGroupSpec){.name = "in"});
    thing(m, in, "a");
    WwGroup *two = ww_machine_add_group(m, all, &(WwGroupSpec){.name = "two"});
    thing(m, two, "b");
    WwGroup *turn =
        ww_machine_add_group(m, two, &(WwGroupSpec){.name = "turn", .mode = WW_GROUP_ROTATE});
    thing(m, ww_machine_add_group(m, turn, &(WwGroupSpec){.name = "x"}), "c");
    WwGroup *pair = ww_machine_add_group(m, turn, &(WwGroupSpec){.name = "y"});
    thing(m, pair, "d");
    thing(m, pair, "e");
    g_assert_true(ww_machine_seal(m, &error));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ww_machine_print_order(m, out);
    fclose(out);
    g_assert_cmpstr(text, ==,
                    "phase main (core)\n"
                    "    all\n"
                    "      one\n"
                    "        in\n"
                    "          all.one.in.a.tick\n"
                    "    ~ two\n"
                    "        all.two.b.tick\n"
                    "      ~ turn rotate\n"
                    "          x\n"
                    "            all.two.turn.x.c.tick\n"
                    "        ~ y\n"
                    "            all.two.turn.y.d.tick\n"
                    "          ~ all.two.turn.y.e.tick\n");
    free(text);
    n_seen = 0;
    ww_run(m, 2);
    g_autofree char *turns = g_strjoin("", seen[0], seen[1], seen[2], seen[3], seen[4], seen[5],
                                       seen[6], seen[7], seen[8], seen[9], NULL);
    g_assert_cmpstr(turns, ==,
                    "abcde"
                    "abdec");
}

/* Three steps, each of all components before the next; who failed is named, and all that began are given back. */
static GString *steps;

static void note(const void *self, char step)
{
    g_string_append_printf(steps, "%s%c ", ((const WwComponent *)self)->name, step);
}
static bool note_init(void *self, GError **error)
{
    note(self, 'i');
    return ((Thing *)self)->size != 7 || ww_fail(error, WW_ERROR_USAGE, "seven");
}
static bool note_start(void *self, GError **error)
{
    note(self, 's');
    return ((Thing *)self)->size != 8 || ww_fail(error, WW_ERROR_USAGE, "eight");
}
static void note_reset(void *self)
{
    note(self, 'r');
}
static void note_finish(void *self)
{
    note(self, 'f');
}

static void expect_steps(const char *size, const char *expected, const char *message)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autoptr(GError) error = NULL;
    WwType type = thing_type;
    type.name = "noting";
    type.init = note_init;
    type.start = note_start;
    type.reset = note_reset;
    type.finish = note_finish;
    WwMachine *m = machine(registry);
    g_assert_true(ww_registry_add(registry, &type, "built-in", NULL));
    steps = g_string_new(NULL);
    ww_machine_add(m, ww_machine_root(m), &type, "a", -1, (WwLocation){0});
    WwComponent *b = ww_machine_add(m, ww_machine_root(m), &type, "b", -1, (WwLocation){0});
    ww_machine_add(m, ww_machine_root(m), &type, "c", -1, (WwLocation){0});
    g_assert_true(ww_component_set_text(b, "size", size, NULL));
    g_assert_true(ww_machine_seal(m, &error) == (message == NULL));
    ww_machine_free(m);
    g_assert_cmpstr(steps->str, ==, expected);
    g_assert_true(message == NULL || strstr(error->message, message) != NULL);
    g_string_free(steps, TRUE);
}

static void test_steps(void)
{
    expect_steps("1", "ai bi ci as bs cs ar br cr af bf cf ", NULL);
    expect_steps("7", "ai bi af ", "b (noting): seven");
    expect_steps("8", "ai bi ci as bs af bf cf ", "b (noting): eight");
}

void test_build_register(void)
{
    g_test_add_func("/kernel/build/steps", test_steps);
    g_test_add_func("/kernel/build/like", test_like);
    g_test_add_func("/kernel/build/groups", test_groups);
}
