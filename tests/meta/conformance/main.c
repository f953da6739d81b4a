/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conformance suite: every registered type against every check, without any work by the type's author; and every deliberately faulty
 * type must be caught by one.
 */
#include "fakes.h"
#include "faulty.h"
#include "platforms.h"

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

static void run_case(gconstpointer data)
{
    const Case *c = data;
    g_autofree char *why = c->check->check(c->registry, c->type, 0);
    if (why != NULL) {
        g_test_message("%s: %s: %s", c->type->name, c->check->name, why);
        g_test_fail();
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
