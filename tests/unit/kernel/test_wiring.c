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

/* Bound as another was: the same ends, and the same words when there is no room. */
static void test_bound_alike(void)
{
    WwMachine *m = parts_machine();
    g_autoptr(GError) first = NULL;
    GError *error = NULL;
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1),
         *c = parts_add(m, NULL, "c", 1), *d = parts_add(m, NULL, "d", 1);
    int row = ww_type_port(&parts_part_type, "first");
    WwLocation at = {"x.plat", 9, 1};
    g_assert_true(ww_bind(&a->base, row, &b->base, -1, at, &error));
    g_assert_true(ww_bind_like(0, &c->base, &d->base, &error));
    g_assert_cmpuint(ww_machine_n_bindings(m), ==, 2);
    g_assert_cmpuint(ww_component_bound(&c->base, row), ==, 1);
    g_assert_false(ww_bind(&c->base, row, &b->base, -1, at, &first));
    g_assert_false(ww_bind_like(0, &c->base, &b->base, &error));
    g_assert_cmpstr(first->message, ==, error->message);
    g_assert_nonnull(strstr(error->message, "x.plat:9:1: c.first (REQUIRES of desk"));
    g_clear_error(&error);
    parts_seal(m);
    const WwPort *port = (const WwPort *)((const char *)c + parts_part_type.ports[row].offset);
    g_assert_true(port->peer == d && port->ordinal == 0);
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
        {"wiring/alike", test_bound_alike},
        {"wiring/payload", test_wrong_payload},
        {"wiring/one-sided", test_one_sided_channel},
        {"wiring/partitions", test_partitions_must_not_meet},
        {"wiring/phase", test_unknown_phase},
        {"wiring/place", test_place},
        {"wiring/clock", test_clock_row},
    };
    test_add_rows("/kernel/machine", tests, G_N_ELEMENTS(tests));
}
