/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of this room give to main(). */
#pragma once

#include <tests/support/tool.h>

void add_usage_tests(void);
void add_run_tests(void);
void add_stop_tests(void);
void add_signal_tests(void);
void add_output_tests(void);
void add_inspect_tests(void);
void add_compare_tests(void);
void add_monitor_tests(void);
void add_report_tests(void);
void add_module_tests(void);
void add_new_tests(void);
void add_bench_tests(void);
void add_conformance_tests(void);
void add_report_memory_tests(void);
void add_fit_tests(void);
