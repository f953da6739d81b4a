/* SPDX-License-Identifier: Apache-2.0 */
/* L2 slices, and slices with their cache and their channel. */
#include "tests.h"

const WwRegistry *registry;

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    registry = test_registry();
    add_slice_tests();
    add_split_tests();
    add_router_tests();
    add_memory_tests();
    add_latency_tests();
    return test_run();
}
