/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of the front end. */
#pragma once

#include <warpwright/type.h>

extern const WwType warp_pool_type;
extern const WwType fetch_unit_type;
extern const WwType decoder_type;
extern const WwType icache_perfect_type;
