/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_collector_tests();
    register_model_tests();
    register_ideal_tests();
    register_bank_router_tests();
    return test_run();
}
