/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Tests of kernel/.
 */
#include "tests.h"

#include <warpwright/base.h>

#include <string.h>

void test_assert_error(GError **error, int code, const char *part)
{
    g_assert_error(*error, WW_ERROR, code);
    if (strstr((*error)->message, part) == NULL || strchr((*error)->message, '\n') != NULL) {
        g_error("message \"%s\" should be one line with \"%s\"", (*error)->message, part);
    }
    g_clear_error(error);
}

void test_add_rows(const char *folder, const TestRow *tests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_autofree char *path = g_strdup_printf("%s/%s", folder, tests[i].path);
        g_test_add_func(path, tests[i].fn);
    }
}

int main(int argc, char **argv)
{
    test_thread_first();
    g_test_init(&argc, &argv, NULL);
    test_blocks_register();
    test_build_register();
    test_carries_register();
    test_clock_register();
    test_copies_register();
    test_counts_register();
    test_error_register();
    test_heap_register();
    test_look_register();
    test_machine_register();
    test_module_register();
    test_order_register();
    test_pace_register();
    test_param_register();
    test_partitions_register();
    test_past_register();
    test_pool_register();
    test_registry_register();
    test_start_register();
    test_step_register();
    test_thread_register();
    test_wheel_register();
    test_wiring_register();
    return g_test_run();
}
