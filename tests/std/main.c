/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include "components/std/types.h"

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

int main(int argc, char **argv)
{
    static const WwType *const types[] = {&source_type,
                                          &sink_type,
                                          &probe_type,
                                          &delay_type,
                                          &counter_type,
                                          &fault_loses_type,
                                          &fault_duplicates_type,
                                          &fault_invents_type,
                                          &fault_overfills_type,
                                          &fault_insomniac_type,
                                          &fault_oversleeps_type,
                                          &fault_unsettled_type,
                                          &fault_remembers_type,
                                          &fault_fickle_type,
                                          &fault_keeps_type,
                                          &fault_spins_type,
                                          NULL};
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    ww_ports_register(registry, &error);
    g_assert_no_error(error);
    ww_registry_add_all(registry, types, "built-in", &error);
    g_assert_no_error(error);
    register_std_tests();
    register_fault_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
