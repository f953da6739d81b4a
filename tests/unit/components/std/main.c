/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_std_tests();
    register_fault_tests();
    register_guard_tests();
    return test_run();
}
