/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include "components/frontend/types.h"
#include "components/issue/types.h"

static WwRegistry *registry;

const WwRegistry *test_registry(void)
{
    return registry;
}

int main(int argc, char **argv)
{
    static const WwType *const types[] = {&scoreboard_type,          &barrier_unit_type,
                                          &warp_scheduler_type,      &scheduler_lrr_type,
                                          &scheduler_gto_type,       &scheduler_oldest_type,
                                          &scheduler_swl_type,       &scheduler_rrr_type,
                                          &scheduler_two_level_type, &warp_pool_type,
                                          &fetch_unit_type,          &decoder_type,
                                          &icache_perfect_type,      NULL};
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    ww_ports_register(registry, &error);
    g_assert_no_error(error);
    ww_registry_add_all(registry, types, "built-in", &error);
    g_assert_no_error(error);
    register_scoreboard_tests();
    register_barrier_unit_tests();
    register_warp_scheduler_tests();
    register_cause_tests();
    register_policy_tests();
    register_swl_tests();
    register_rrr_tests();
    register_two_level_tests();
    register_flush_tests();
    register_launch_tests();
    register_import_tests();
    register_rig_tests();
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
