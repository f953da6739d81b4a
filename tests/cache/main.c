/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"
#include "types.h"

#include <ports/register.h>

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    static const WwType *const types[] = {&cache_l1_type, &cache_l2_type, &icache_l1i_type, NULL};
    ww_ports_register(registry, &error);
    g_assert_no_error(error);
    ww_registry_add_all(registry, types, "built-in", &error);
    g_assert_no_error(error);
    register_shape_tests();
    register_lookup_tests();
    register_read_tests();
    register_write_tests();
    register_time_tests();
    register_icache_tests();
    register_model_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
