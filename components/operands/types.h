/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType bank_router_type;
extern const WwType operand_collector_type;
extern const WwType operands_ideal_type;
