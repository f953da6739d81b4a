/* SPDX-License-Identifier: Apache-2.0 */
/** @file Adding the types of ports/ to a registry: the channels that every machine needs. */
#pragma once

#include <warpwright/machine.h>

/** Adds the channel types (register_set, fifo, wire, signal). */
WW_API bool ww_ports_register_channels(WwRegistry *registry, GError **error);
