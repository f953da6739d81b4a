/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType fu_pipelined_type;
extern const WwType fu_specialized_type;
extern const WwType result_bus_type;
extern const WwType writeback_type;
