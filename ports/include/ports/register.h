/* SPDX-License-Identifier: Apache-2.0 */
/** @file Adding the types of ports/ to a registry: the channels that every machine needs, and the fakes that benches do. */
#pragma once

#include <warpwright/machine.h>

/** Adds the channel types (register_set, fifo, wire, signal). */
WW_API bool ww_ports_register_channels(WwRegistry *registry, GError **error);
/**
 * Adds a fake provider of every interface contract: for benches that hold the built-in types already. A bench of one
 * component starts with ww_ports_register() (ports/testing.h), which adds both.
 */
WW_API bool ww_ports_register_fakes(WwRegistry *registry, GError **error);
