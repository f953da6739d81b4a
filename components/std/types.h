/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType source_type;
extern const WwType sink_type;
extern const WwType probe_type;
extern const WwType delay_type;
extern const WwType counter_type;
