/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conformance suite: every registered type against every check, without any work by the type's author; and every deliberately faulty
 * type must be caught by one.
 */
#include "fakes.h"
#include "faulty.h"
#include "platforms.h"

#include <string.h>
#include <testing/conformance.h>
#include <tests/support/registry.h>

static size_t n_checks(void)
{
    size_t n = 0;
    while (ww_conformance_checks[n].name != NULL) {
        n++;
    }
    return n;
}

typedef struct Case {
    const WwRegistry *registry;
    const WwType *type;
    const WwConformanceCheck *check;
} Case;

enum { FULL = 8 }; /* Seeds of all checks in a long run. */

static void run_case(gconstpointer data)
{
    const Case *c = data;
    uint32_t seeds = g_strcmp0(g_getenv("WW_TEST_FULL"), "1") == 0 ? FULL : 1;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        g_autofree char *why = c->check->check(c->registry, c->type, seed);
        if (why != NULL) {
            g_test_message("%s: %s, seed %u: %s", c->type->name, c->check->name, seed, why);
            g_test_fail();
            return;
        }
    }
}

static void run_faulty(gconstpointer data)
{
    const Case *c = data;
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
        g_autofree char *why = k->check(c->registry, c->type, 0);
        if (why != NULL) {
            g_test_message("%s is caught by %s: %s", c->type->name, k->name, why);
            return;
        }
    }
    g_test_message("%s passes every check although it is faulty", c->type->name);
    g_test_fail();
}

/* Faults of which one check alone can know: it is there for them. */
static const struct Only {
    const char *type, *check;
} only[] = {
    {"fault.clock", "windows"}, {"fault.event", "events"},  {"fault.told", "events"},
    {"fault.code", "memory"},   {"fault.mallocs", "saved"}, {"fault.static", "saved"},
    {"fault.beside", "memory"},
};

static void run_only(gconstpointer data)
{
    const struct Only *o = data;
    const WwType *type = ww_registry_find(test_registry(), o->type, NULL);
    g_assert_nonnull(type);
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
        g_autofree char *why = k->check(test_registry(), type, 0);
        g_test_message("%s: %s: %s", o->type, k->name, why != NULL ? why : "passes");
        g_assert_cmpint(why != NULL, ==, strcmp(k->name, o->check) == 0);
    }
}

static void add_only(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(only); i++) {
        g_autofree char *path =
            g_strdup_printf("/conformance/faulty-for/%s/%s", only[i].check, only[i].type);
        g_test_add_data_func(path, &only[i], run_only);
    }
}

/* Types that run tick by tick in the check for windows, too: all others are run in windows there. */
static const struct {
    const char *type, *why;
} not_in_windows[] = {
    {"network.routed", "dut (network.routed) may look at any partition in any tick"},
};

static void in_windows(void)
{
    size_t n;
    uint32_t without = 0;
    const WwType *const *types = ww_registry_types(test_registry(), &n);
    for (size_t i = 0; i < n; i++) {
        if (types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_CHANNEL | WW_TYPE_FAULTY)) {
            continue;
        }
        g_autofree char *why = ww_conformance_no_windows(test_registry(), types[i]);
        const char *expected = NULL;
        for (size_t k = 0; k < G_N_ELEMENTS(not_in_windows); k++) {
            expected = strcmp(not_in_windows[k].type, types[i]->name) == 0 ? not_in_windows[k].why
                                                                           : expected;
        }
        without += expected != NULL;
        if (g_strcmp0(why, expected) != 0) {
            g_test_message("%s: %s; expected %s", types[i]->name, why != NULL ? why : "windows",
                           expected != NULL ? expected : "windows");
            g_test_fail();
        }
    }
    g_assert_cmpuint(without, ==, G_N_ELEMENTS(not_in_windows));
}

/* A suite that finds nothing would pass: each type of the registry has its tests. */
static void found_all(gconstpointer data)
{
    const GPtrArray *cases = data;
    size_t n, expected = 0;
    const WwType *const *types = ww_registry_types(test_registry(), &n);
    for (size_t i = 0; i < n; i++) {
        if (!(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_CHANNEL))) {
            expected += types[i]->flags & WW_TYPE_FAULTY ? 1 : n_checks();
        }
    }
    g_assert_cmpuint(expected, >, 0);
    g_assert_cmpuint(cases->len, ==, expected);
}

static void add_types(const WwRegistry *registry, GPtrArray *cases)
{
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        if (types[i]->flags & WW_TYPE_FAKE) {
            continue;
        }
        if (types[i]->flags & WW_TYPE_CHANNEL) {
            continue; /* channels are exercised under every other type; tests/unit/ports tests them alone */
        }
        for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
            Case *c = g_new0(Case, 1);
            *c = (Case){registry, types[i], k};
            g_ptr_array_add(cases, c);
            bool faulty = (types[i]->flags & WW_TYPE_FAULTY) != 0;
            g_autofree char *path =
                faulty ? g_strdup_printf("/conformance/faulty/%s", types[i]->name)
                       : g_strdup_printf("/conformance/%s/%s", types[i]->name, k->name);
            g_test_add_data_func(path, c, faulty ? run_faulty : run_case);
            if (faulty) {
                break;
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const WwRegistry *registry = test_registry();
    GPtrArray *cases = g_ptr_array_new_with_free_func(g_free);
    add_types(registry, cases);
    g_test_add_data_func("/conformance/found-all", cases, found_all);
    add_only();
    g_test_add_func("/conformance/in-windows", in_windows);
    add_faulty_providers();
    GPtrArray *fakes = add_fakes(registry);
    GPtrArray *platforms = add_platforms(registry);
    int status = test_run();
    free_faulty_providers();
    g_ptr_array_unref(cases);
    g_ptr_array_unref(fakes);
    g_ptr_array_unref(platforms);
    return status;
}
