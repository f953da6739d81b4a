/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of the caches. */
#pragma once

#include <warpwright/type.h>

extern const WwType cache_l1_type;
extern const WwType cache_l2_type;
extern const WwType cache_texture_type;
extern const WwType replacement_lru_type, replacement_srrip_type;
extern const WwType icache_l1i_type;
