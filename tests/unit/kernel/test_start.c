/* SPDX-License-Identifier: Apache-2.0 */
/* Rests beyond the hang limit. */
#include "tests.h"

#include <warpwright/component.h>
#include <warpwright/machine.h>

static WwRest rest_long(void *self)
{
    return 500;
}

static const WwEntryRow rester_entries[] = {
    {.name = "turn", .phase = "main", .tick = rest_long, .doc = "x"}, {0}};
static const WwType rester_type = {.abi = WW_ABI_VERSION,
                                   .name = "rester",
                                   .doc = "wants to run every 500 cycles",
                                   .family = "test",
                                   .size = sizeof(WwComponent),
                                   .entries = rester_entries};

static WwMachine *machine(WwRegistry **registry)
{
    GError *error = NULL;
    static const WwType *const types[] = {&rester_type, NULL};
    *registry = ww_registry_new();
    ww_registry_add_all(*registry, types, "test", &error);
    WwMachine *m = ww_machine_new(*registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    g_assert_no_error(error);
    return m;
}

static WwComponent *add(WwMachine *m, const WwType *type, const char *name)
{
    return ww_machine_add(m, ww_machine_root(m), type, name, -1, (WwLocation){"test.plat", 1, 2});
}

/* Time that nobody needs is no sign of being stuck, however it is spent: slept through or, with --no-sleep, ticked through. */
static void test_stuck_asleep(void)
{
    for (int awake = 0; awake < 2; awake++) {
        WwRegistry *registry;
        WwMachine *m = machine(&registry);
        add(m, &rester_type, "a");
        g_assert_true(ww_machine_seal(m, NULL));
        ww_machine_set_no_sleep(m, awake);
        ww_machine_set_hang_limit(m, 200);
        g_assert_cmpint(ww_run(m, 3000), ==, WW_RUN_BUDGET);
        ww_machine_free(m);
        ww_registry_free(registry);
    }
}

void test_start_register(void)
{
    g_test_add_func("/kernel/machine/run/stuck-asleep", test_stuck_asleep);
}
