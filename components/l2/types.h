/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room: the slices of the L2 and what reaches all of them. */
#pragma once

#include <warpwright/type.h>

extern const WwType l2_slice_type;
extern const WwType memcpy_router_type;
extern const WwType arrival_meter_type;
extern const WwType latency_meter_type;
