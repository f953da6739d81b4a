/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType scoreboard_type;
extern const WwType barrier_unit_type;
extern const WwType warp_scheduler_type;
extern const WwType scheduler_lrr_type;
extern const WwType scheduler_gto_type;
extern const WwType scheduler_oldest_type;
extern const WwType scheduler_swl_type;
extern const WwType scheduler_rrr_type;
extern const WwType scheduler_two_level_type;
extern const WwType scheduler_cggty_type;
