/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_ibuffer_tests();
    register_fetch_modern_tests();
    register_timing_tests();
    register_icache_l0_tests();
    register_link_tests();
    register_control_bits_tests();
    register_scoreboard_modern_tests();
    register_allocated_tests();
    register_hazard_bits_tests();
    register_issue_stage_tests();
    register_front_tests();
    register_control_tests();
    register_collect_tests();
    register_ports_tests();
    register_units_tests();
    register_results_tests();
    return test_run();
}
