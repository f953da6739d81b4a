/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType coalescer_segments_type;
extern const WwType ldst_unit_type;
extern const WwType ldst_unit_linked_type;
extern const WwType ldst_shared_type;
extern const WwType link_ldst_unit_type;
extern const WwType link_ldst_shared_type;
extern const WwType memory_ideal_type;
extern const WwType l1_carve_type;
