/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of the GPU level: CTA slots, clusters, dispatch, kernels. */
#pragma once

#include <warpwright/type.h>

extern const WwType cta_slots_type;
extern const WwType cluster_type;
extern const WwType cta_dispatcher_type;
extern const WwType kernel_queue_type;
extern const WwType l2_flush_type;
extern const WwType report_type;
