/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conformance suite: every registered type against every check, without any work by the type's author; and every deliberately faulty
 * type must be caught by one.
 */
#include "checks.h"
#include "platforms.h"

#include <tests/support/registry.h>

/* Fewer types than this were never registered: a suite that finds nothing would pass. */
enum { AT_LEAST = 26 };

typedef struct Case {
    const WwRegistry *registry;
    const WwType *type;
    const NamedCheck *check;
} Case;

static void run_case(gconstpointer data)
{
    const Case *c = data;
    g_autofree char *why = c->check->check(c->registry, c->type);
    if (why != NULL) {
        g_test_message("%s: %s: %s", c->type->name, c->check->name, why);
        g_test_fail();
    }
}

static void run_faulty(gconstpointer data)
{
    const Case *c = data;
    for (const NamedCheck *k = checks; k->name != NULL; k++) {
        g_autofree char *why = k->check(c->registry, c->type);
        if (why != NULL) {
            g_test_message("%s is caught by %s: %s", c->type->name, k->name, why);
            return;
        }
    }
    g_test_message("%s passes every check although it is faulty", c->type->name);
    g_test_fail();
}

static void found_enough(gconstpointer data)
{
    size_t n;
    const WwType *const *types = ww_registry_types(data, &n);
    size_t proper = 0;
    for (size_t i = 0; i < n; i++) {
        proper += !(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY | WW_TYPE_CHANNEL));
    }
    g_assert_cmpuint(proper, >=, AT_LEAST);
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
        for (const NamedCheck *k = checks; k->name != NULL; k++) {
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
    g_test_add_data_func("/conformance/found-enough", registry, found_enough);
    add_types(registry, cases);
    GPtrArray *platforms = add_platforms(registry);
    int status = test_run();
    g_ptr_array_unref(cases);
    g_ptr_array_unref(platforms);
    return status;
}
