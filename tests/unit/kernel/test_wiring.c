/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused before time starts. */
#include "parts.h"

#include <string.h>

/* ---- wiring errors ---------------------------------------------------------------------------------------------- */

static void test_unbound_port(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    parts_add(m, NULL, "a", 1);
    ww_machine_add(m, ww_machine_root(m), &parts_odd_type, "o", -1, (WwLocation){"x.plat", 7, 3});
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_cmpstr(error->message, ==,
                    "x.plat:7:3: o.need (REQUIRES of desk, odd) has 0 peers; expected at least 1: "
                    "a provider of desk such "
                    "as a");
    g_error_free(error);
    ww_machine_free(m);
}

/* One that offers what it needs, as a policy around another does, is not proposed to itself. */
typedef struct Around {
    WwComponent base;
    WwPort need;
    WwProvided offered;
} Around;

static void test_unbound_around(void)
{
    static int table;
    WwPortRow rows[3] = {parts_odd_type.ports[0]};
    rows[0].offset = offsetof(Around, need);
    rows[1] = (WwPortRow)WW_PORT_PROVIDES(Around, offered, rows[0].contract, &table, "a desk");
    const WwType type = {.abi = WW_ABI_VERSION,
                         .name = "around",
                         .doc = "x",
                         .family = "test",
                         .size = sizeof(Around),
                         .ports = rows};
    WwMachine *m = parts_machine();
    GError *error = NULL;
    ww_machine_add(m, ww_machine_root(m), &type, "a", -1, (WwLocation){"x.plat", 7, 3});
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_true(g_str_has_suffix(error->message, "expected at least 1: a provider of desk"));
    g_error_free(error);
    ww_machine_free(m);
}

/* An element of an array: groups in each other, a channel, a call, one phase of its own. */
static void add_element(WwMachine *m, uint32_t index)
{
    GError *error = NULL;
    WwLocation at = {"x.plat", 9, 1};
    WwGroupSpec outer = {
        .name = "g", .array = true, .index = index, .partition = true, .where = at};
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m), &outer);
    Part *a = parts_add(m, g, "a", 1);
    WwGroup *in = ww_machine_add_group(m, g, &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    Part *b = parts_add(m, in, "b", 2), *c = parts_add(m, in, "c", 1);
    g_assert_true(ww_component_set_text(&c->base, "sends", "true", &error));
    g_assert_true(ww_component_place(&c->base, "late", &error));
    g_assert_true(ww_join(&a->base, ww_type_port(&parts_part_type, "out"), &b->base,
                          ww_type_port(&parts_part_type, "in"), at, &error));
    g_assert_true(
        ww_bind(&b->base, ww_type_port(&parts_part_type, "second"), &a->base, -1, at, &error));
    g_assert_true(
        ww_bind(&c->base, ww_type_port(&parts_part_type, "first"), &a->base, -1, at, &error));
}

static void tell_binding(void *user, const WwComponent *c, const WwPortRow *row,
                         const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    g_string_append_printf(user, "%u.%s %u.%s %u\n", c->id, row->name, peer->id,
                           peer_row != NULL ? peer_row->name : "", where.line);
}

/* What can be seen of a machine, and what it does. */
static char *told(WwMachine *m)
{
    g_autoptr(GString) text = g_string_new(NULL);
    ww_machine_each_binding(m, tell_binding, text);
    parts_seal(m);
    parts_run(m, 7);
    g_string_append(text, parts_diary->str);
    for (uint32_t i = 0; i < ww_machine_n_components(m); i++) {
        const WwComponent *c = ww_machine_component(m, i);
        g_autofree char *path = ww_path(c);
        g_string_append_printf(text, "%s %s %u %u", path, c->type->name, c->partition,
                               ww_component_where(c).line);
        const WwPortRow *row;
        int number = 0;
        for (WW_ROWS(c->type->ports, row)) {
            const WwPort *port = (const WwPort *)((const char *)c + row->offset);
            uint32_t bound = ww_component_bound(c, number++);
            g_string_append_printf(text, " %u", bound);
            if (row->role != WW_PROVIDES && bound != 0) {
                g_string_append_printf(text, ":%u", ((const WwComponent *)port->peer)->id);
            }
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(g_steal_pointer(&text), false);
}

static WwMachine *late_machine(void)
{
    WwMachine *m = parts_machine();
    g_assert_true(ww_machine_add_phase(m, "late", "core", NULL));
    return m;
}

/* A copy of a group is what would have been made, member by member, also when there are copies of what holds it. */
static void test_copies(void)
{
    g_autoptr(WwMachine) made = late_machine();
    for (uint32_t i = 0; i < 4; i++) {
        add_element(made, i);
    }
    parts_add(made, NULL, "z", 1);
    g_autofree char *expected = told(made);
    g_autoptr(WwMachine) copied = late_machine();
    WwExtent from = ww_machine_extent(copied);
    add_element(copied, 0);
    WwExtent to = ww_machine_extent(copied);
    for (int32_t i = 1; i < 4; i++) {
        uint32_t first = ww_machine_copy_group(ww_machine_root(copied), &from, &to, i);
        g_assert_cmpuint(first, ==, (uint32_t)i * to.components);
    }
    parts_add(copied, NULL, "z", 1);
    g_autofree char *found = told(copied);
    g_assert_cmpstr(found, ==, expected);
    g_assert_nonnull(strstr(found, "g[3].a.out"));
}

/* A wire that stands twice would make two peers of one. */
static void test_twice(void)
{
    for (uint32_t apart = 0; apart < 2; apart++) {
        g_autoptr(WwMachine) m = parts_machine();
        g_autoptr(GError) error = NULL;
        Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 0),
             *c = parts_add(m, NULL, "c", 0);
        Part *const peers[] = {b, c, apart != 0 ? NULL : b};
        for (uint32_t i = 0; i < G_N_ELEMENTS(peers) && peers[i] != NULL; i++) {
            ww_bind(&a->base, ww_type_port(&parts_part_type, "many"), &peers[i]->base, -1,
                    (WwLocation){"x.plat", 3 + i, 2}, &error);
            g_assert_no_error(error);
        }
        g_assert_true(ww_machine_seal(m, &error) == (apart != 0));
        g_assert_cmpstr(apart != 0 ? NULL : error->message, ==,
                        apart != 0
                            ? NULL
                            : "x.plat:5:2: a.many and b (part) are joined already in x.plat:3; "
                              "expected once");
    }
}

/* Callers of one interface may be more than 65,535; those of the next one stay what they are. */
static void test_many_callers(void)
{
    enum { MANY = 65537 };
    WwMachine *m = parts_machine();
    GError *error = NULL;
    const int first = ww_type_port(&parts_part_type, "first");
    Part *a = parts_add(m, NULL, "a", 0), *b = parts_add(m, NULL, "b", 0), *last = NULL;
    Part *of_b = parts_add(m, NULL, "c", 0);
    g_assert_true(ww_bind(&of_b->base, first, &b->base, -1, (WwLocation){0}, &error));
    for (int32_t i = 0; i < MANY; i++) {
        last = (Part *)ww_machine_add(m, ww_machine_root(m), &parts_part_type, "x", i,
                                      (WwLocation){0});
        g_assert_true(ww_bind(&last->base, first, &a->base, -1, (WwLocation){0}, &error));
    }
    parts_seal(m);
    g_assert_cmpuint(a->offered.n, ==, MANY);
    g_assert_true(a->offered.client[MANY - 1].who == &last->base);
    g_assert_cmpuint(b->offered.n, ==, 1);
    g_assert_true(b->offered.client[0].who == &of_b->base);
    ww_machine_free(m);
}

static void test_wrong_payload(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1);
    Pipe *k = parts_join(a, b, NULL);
    WwComponent *o =
        ww_machine_add(m, ww_machine_root(m), &parts_odd_type, "o", -1, (WwLocation){0});
    g_assert_false(ww_bind(o, 1, &k->ch.base, -1, (WwLocation){"x.plat", 9, 1}, &error));
    g_assert_nonnull(
        strstr(error->message,
               "x.plat:9:1: o.strange (OUT of other, odd) cannot be joined to pipe (pipe), "
               "which carries bit; expected other"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_one_sided_channel(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    Part *a = parts_add(m, NULL, "a", 1);
    WwComponent *k =
        ww_machine_add(m, ww_machine_root(m), &parts_pipe_type, "k", -1, (WwLocation){0});
    g_assert_true(
        ww_bind(&a->base, ww_type_port(&parts_part_type, "out"), k, -1, (WwLocation){0}, &error));
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_cmpstr(error->message, ==, "k (pipe) has writers but no reader; expected both");
    g_error_free(error);
    ww_machine_free(m);
}

static void test_partitions_must_not_meet(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .partition = true});
    WwGroup *h =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "h", .partition = true});
    Part *a = parts_add(m, g, "a", 1), *b = parts_add(m, h, "b", 1);
    ww_bind(&a->base, ww_type_port(&parts_part_type, "first"), &b->base, -1, (WwLocation){0},
            &error);
    g_assert_no_error(error);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_nonnull(
        strstr(error->message, "are in different partitions and meet in phase 'main'"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_unknown_phase(void)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(parts_registry());
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "late", "core", &error);
    parts_add(m, NULL, "a", 1);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_nonnull(
        strstr(error->message, "runs in phase 'main', which the platform does not declare"));
    g_error_free(error);
    ww_machine_free(m);
}

/* A component in a phase of its own choice, and those made like it: they run there, by its clock. */
static void test_place(void)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(parts_registry());
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_domain(m, "late", 5e8, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    ww_machine_add_phase(m, "slow", "late", &error);
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1);
    g_assert_true(ww_component_place(&b->base, "slow", &error));
    Part *c = (Part *)ww_machine_add_like(ww_machine_root(m), &b->base, 1, (WwLocation){0});
    g_assert_no_error(error);
    g_assert_true(ww_machine_seal(m, &error));
    ww_run(m, 100);
    g_assert_cmpstr(a->base.domain->name, ==, "core");
    g_assert_cmpstr(c->base.domain->name, ==, "late");
    g_assert_cmpuint(a->turns, >, b->turns);
    g_assert_cmpuint(b->turns, ==, c->turns);
    g_assert_cmpuint(b->turns, ==, b->base.domain->cycle);
    ww_machine_free(m);
    m = ww_machine_new(parts_registry());
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    a = parts_add(m, NULL, "a", 1);
    g_assert_true(ww_component_place(&a->base, "dawn", &error));
    g_assert_false(ww_machine_seal(m, &error));
    test_assert_error(&error, WW_ERROR_WIRING, "runs in phase 'dawn', which the platform does not");
    ww_machine_free(m);
}

typedef struct Watcher {
    WwComponent base;
    WwDomain *other;
    double hz;
} Watcher;

static bool watcher_init(void *self, GError **error)
{
    Watcher *w = self;
    w->hz = w->other->hz; /* it is there by now */
    return true;
}

static const WwClockRow watcher_clocks[] = {
    WW_CLOCK(Watcher, other, "late", "another clock"), {0}, {0}};
static const WwType watcher_type = {.abi = WW_ABI_VERSION,
                                    .name = "watcher",
                                    .doc = "counts another clock",
                                    .family = "test",
                                    .size = sizeof(Watcher),
                                    .clocks = watcher_clocks,
                                    .init = watcher_init};

/* A second clock is the machine's of that name, or, where there is none, the component's own. */
static void test_clock_row(void)
{
    for (int two = 0; two < 2; two++) {
        GError *error = NULL;
        WwMachine *m = ww_machine_new(parts_registry());
        ww_machine_add_domain(m, "core", 1e9, &error);
        if (two) {
            ww_machine_add_domain(m, "late", 5e8, &error);
        }
        ww_machine_add_phase(m, "main", "core", &error);
        Watcher *w = (Watcher *)ww_machine_add(m, ww_machine_root(m), &watcher_type, "w", -1,
                                               (WwLocation){0});
        g_assert_true(ww_machine_seal(m, &error));
        g_assert_cmpfloat(w->hz, ==, two ? 5e8 : 1e9);
        ww_machine_free(m);
    }
    WwClockRow twice[] = {watcher_clocks[0], watcher_clocks[0], {0}};
    WwType type = watcher_type;
    GError *error = NULL;
    g_assert_true(ww_type_check(&type, NULL));
    type.clocks = twice;
    g_assert_false(ww_type_check(&type, &error));
    test_assert_error(&error, WW_ERROR_MODULE, "clock 'late'");
    twice[1] = (WwClockRow){0};
    twice[0].offset = sizeof(Watcher);
    g_assert_false(ww_type_check(&type, &error));
    test_assert_error(&error, WW_ERROR_MODULE, "clock 'late'");
}

void test_wiring_register(void)
{
    static const TestRow tests[] = {
        {"wiring/unbound", test_unbound_port},
        {"wiring/unbound-around", test_unbound_around},
        {"wiring/copies", test_copies},
        {"wiring/twice", test_twice},
        {"wiring/many_callers", test_many_callers},
        {"wiring/payload", test_wrong_payload},
        {"wiring/one-sided", test_one_sided_channel},
        {"wiring/partitions", test_partitions_must_not_meet},
        {"wiring/phase", test_unknown_phase},
        {"wiring/place", test_place},
        {"wiring/clock", test_clock_row},
    };
    test_add_rows("/kernel/machine", tests, G_N_ELEMENTS(tests));
}
