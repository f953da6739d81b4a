/* SPDX-License-Identifier: Apache-2.0 */
/* L2 slices, and slices with their cache and their channel. */
#include "tests.h"

WwRegistry *registry;

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    if (!ww_components_register(registry, &error) || !ww_ports_register_fakes(registry, &error)) {
        g_error("%s", error->message);
    }
    add_slice_tests();
    add_memory_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
