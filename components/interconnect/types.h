/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType xbar_local_type;
extern const WwType network_routed_type;
extern const WwType cluster_port_type;
extern const WwType reply_router_type;
