/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and the rig that they share. */
#pragma once

#include <ports/register_set.h>
#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_ahead_tests(void);
void register_fu_tests(void);
void register_rig_tests(void);
void register_result_bus_tests(void);
void register_writeback_tests(void);
