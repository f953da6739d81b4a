/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(). */
#pragma once

#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_ibuffer_tests(void);
void register_fetch_modern_tests(void);
void register_timing_tests(void);
void register_icache_l0_tests(void);
void register_link_tests(void);
void register_control_bits_tests(void);
void register_scoreboard_modern_tests(void);
void register_allocated_tests(void);
void register_hazard_bits_tests(void);
void register_issue_stage_tests(void);
void register_front_tests(void);
/* the back end of a sub-core */
void register_control_tests(void);
void register_collect_tests(void);
void register_ports_tests(void);
void register_units_tests(void);
void register_results_tests(void);
