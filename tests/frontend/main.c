/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <components/register.h>
#include <ports/register.h>

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

static WwHazardView *show(void *self)
{
    return self;
}

const WwScoreboardIf test_scoreboard = {.view = show};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    ww_components_register(registry, &error);
    g_assert_no_error(error);
    ww_ports_register_fakes(registry, &error);
    g_assert_no_error(error);
    register_warp_pool_tests();
    register_fetch_tests();
    register_decoder_tests();
    register_front_end_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
