/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The files of this room: each registers its tests below /kernel/<subject>/.
 */
#pragma once

#include <glib.h>

void test_blocks_register(void);
void test_build_register(void);
void test_carries_register(void);
void test_clock_register(void);
void test_copies_register(void);
void test_counts_register(void);
void test_error_register(void);
void test_look_register(void);
void test_machine_register(void);
void test_module_register(void);
void test_order_register(void);
void test_pace_register(void);
void test_param_register(void);
void test_partitions_register(void);
void test_past_register(void);
void test_heap_register(void);
void test_pool_register(void);
void test_registry_register(void);
void test_start_register(void);
void test_step_register(void);
void test_thread_register(void);
void test_wheel_register(void);
void test_wiring_register(void);

/** What test_thread.c does before anything else of the process. */
void test_thread_first(void);

/**
 * Asserts that @p error is set, has code @p code of WW_ERROR and a one-line message that contains
 * @p part; frees and clears it.
 */
void test_assert_error(GError **error, int code, const char *part);

/** A test of a table. */
typedef struct TestRow {
    const char *path;
    void (*fn)(void);
} TestRow;

/** Adds the tests of a table below @p folder. */
void test_add_rows(const char *folder, const TestRow *tests, size_t n);
