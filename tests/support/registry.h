/* SPDX-License-Identifier: Apache-2.0 */
/** @file The registry of a test program, and its end. */
#pragma once

#include <warpwright/machine.h>

/** Channels, fakes and all built-in types. Made at the first call; lives until test_run() returns. */
const WwRegistry *test_registry(void);

/** Runs the tests that were added; what main() returns. */
int test_run(void);
