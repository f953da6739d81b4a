/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(). */
#pragma once

#include <testing/testing.h>
#include <tests/support/registry.h>

void register_std_tests(void);
void register_fault_tests(void);
void register_guard_tests(void);
