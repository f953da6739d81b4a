/* SPDX-License-Identifier: Apache-2.0 */
/** @file The checks that fakes must pass, where they do not say why not. */
#pragma once

#include <warpwright/machine.h>

/** Adds them: /conformance/fakes/NAME. Returns what the cases need until they have run. */
GPtrArray *add_fakes(const WwRegistry *registry);
