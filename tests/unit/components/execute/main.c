/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_ahead_tests();
    register_fu_tests();
    register_rig_tests();
    register_result_bus_tests();
    register_writeback_tests();
    return test_run();
}
