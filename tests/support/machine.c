/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

static WwRest beat(void *self)
{
    return WW_AGAIN;
}

static const WwEntryRow heart_entries[] = {
    {.name = "beat", .phase = "core", .tick = beat, .doc = "does nothing"}, {0}};
const WwType test_heart_type = {.abi = WW_ABI_VERSION,
                                .name = "test.heart",
                                .doc = "never sleeps",
                                .family = "test",
                                .flags = WW_TYPE_FAKE,
                                .size = sizeof(WwComponent),
                                .entries = heart_entries};

WwMachine *test_core_machine(void)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(test_registry());
    ww_machine_add_domain(m, "core", 1e9, &error);
    g_assert_no_error(error);
    ww_machine_add_phase(m, "core", "core", &error);
    g_assert_no_error(error);
    ww_machine_set_hang_limit(m, 0);
    return m;
}

WwMachine *test_beating_machine(void)
{
    WwMachine *m = test_core_machine();
    test_add_type(m, NULL, &test_heart_type, "heart", -1);
    return m;
}

void *test_add_type(WwMachine *m, WwGroup *group, const WwType *type, const char *name,
                    int32_t index)
{
    return ww_machine_add(m, group != NULL ? group : ww_machine_root(m), type, name, index,
                          (WwLocation){0});
}

WwComponent *test_add(WwMachine *m, WwGroup *group, const char *type, const char *name,
                      int32_t index)
{
    GError *error = NULL;
    const WwType *t = ww_registry_find(test_registry(), type, &error);
    g_assert_no_error(error);
    return test_add_type(m, group, t, name, index);
}

void test_set_one(void *component, const char *name, const char *text)
{
    GError *error = NULL;
    ww_component_set_text(component, name, text, &error);
    g_assert_no_error(error);
}

void test_set(void *component, const char *params)
{
    g_auto(GStrv) words = g_strsplit(params != NULL ? params : "", " ", -1);
    for (char **w = words; *w != NULL; w++) {
        if (**w != '\0') {
            g_auto(GStrv) pair = g_strsplit(*w, "=", 2);
            test_set_one(component, pair[0], pair[1]);
        }
    }
}

void test_join(void *component, const char *port, void *peer)
{
    GError *error = NULL;
    WwComponent *c = component;
    ww_bind(c, ww_type_port(c->type, port), peer, -1, (WwLocation){0}, &error);
    g_assert_no_error(error);
}

void test_join_table(void *component, const char *port, const void *table, void *self)
{
    GError *error = NULL;
    WwComponent *c = component;
    ww_bind_external(c, ww_type_port(c->type, port), table, self, &error);
    g_assert_no_error(error);
}

void test_seal(WwMachine *m, bool no_sleep)
{
    GError *error = NULL;
    ww_machine_set_no_sleep(m, no_sleep);
    ww_machine_seal(m, &error);
    g_assert_no_error(error);
}
