/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_shape_tests();
    register_lookup_tests();
    register_read_tests();
    register_write_tests();
    register_time_tests();
    register_icache_tests();
    register_texture_tests();
    register_model_tests();
    register_replacement_tests();
    return test_run();
}
