/* SPDX-License-Identifier: Apache-2.0 */
/* The networks between clusters and slices, and the cluster's end of the reply network. */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_crossbar_tests();
    register_cluster_port_tests();
    register_routed_tests();
    register_routed_router_tests();
    register_alloc_tests();
    register_reply_router_tests();
    return test_run();
}
