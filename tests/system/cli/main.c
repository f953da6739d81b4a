/* SPDX-License-Identifier: Apache-2.0 */
/* The command, run as a user runs it. */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_usage_tests();
    add_run_tests();
    add_stop_tests();
    add_signal_tests();
    add_output_tests();
    add_inspect_tests();
    add_compare_tests();
    add_monitor_tests();
    add_report_tests();
    add_module_tests();
    add_new_tests();
    add_bench_tests();
    add_conformance_tests();
    add_report_memory_tests();
    add_fit_tests();
    return tool_test_run();
}
