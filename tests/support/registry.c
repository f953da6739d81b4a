/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <components/register.h>
#include <testing/testing.h>

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    if (registry == NULL) {
        GError *error = NULL;
        registry = ww_registry_new();
        ww_components_register(registry, &error);
        g_assert_no_error(error);
        ww_testing_register_fakes(registry, &error);
        g_assert_no_error(error);
        ww_testing_register_faults(registry, &error);
        g_assert_no_error(error);
    }
    return registry;
}

int test_run(void)
{
    int status = g_test_run();
    g_clear_pointer(&registry, ww_registry_free);
    return status;
}
