/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include "types.h"

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

int main(int argc, char **argv)
{
    static const WwType *const types[] = {&fu_pipelined_type, &fu_specialized_type,
                                          &result_bus_type, &writeback_type, NULL};
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    ww_ports_register(registry, &error);
    g_assert_no_error(error);
    ww_registry_add_all(registry, types, "built-in", &error);
    g_assert_no_error(error);
    register_fu_tests();
    register_rig_tests();
    register_result_bus_tests();
    register_writeback_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
