/* SPDX-License-Identifier: Apache-2.0 */
/** @file The checks that every shipped platform must pass, by itself and with each shipped configuration. */
#pragma once

#include <warpwright/machine.h>

/** Adds them: /conformance/platform/NAME/CHECK, and /conformance/config/NAME/CHECK; and faulty machines that must be caught.
 * Returns what the cases need until they have run. */
GPtrArray *add_platforms(const WwRegistry *registry);
