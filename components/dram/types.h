/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room: where addresses live, and the memory channels. */
#pragma once

#include <warpwright/type.h>

extern const WwType address_map_type;
extern const WwType dram_frfcfs_type;
extern const WwType dram_simple_type;
extern const WwType dram_fixed_type;
