/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_scoreboard_tests();
    register_barrier_unit_tests();
    register_warp_scheduler_tests();
    register_effect_tests();
    register_cause_tests();
    register_policy_tests();
    register_quick_tests();
    register_swl_tests();
    register_rrr_tests();
    register_two_level_tests();
    register_flush_tests();
    register_launch_tests();
    register_import_tests();
    register_rig_tests();
    return test_run();
}
