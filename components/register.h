/* SPDX-License-Identifier: Apache-2.0 */
/** @file Adding every built-in type to a registry. */
#pragma once

#include <warpwright/machine.h>

/** Adds the channels and every component type of components/, in the order of a machine from front end to memory. */
WW_API bool ww_components_register(WwRegistry *registry, GError **error);
