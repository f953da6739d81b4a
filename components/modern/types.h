/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of a modern SM. */
#pragma once

#include <warpwright/type.h>

extern const WwType ibuffer_type;
extern const WwType fetch_modern_type;
extern const WwType decode_modern_type;
extern const WwType icache_perfect_l0_type;
extern const WwType timing_modern_type;
extern const WwType icache_l0_type;
extern const WwType stream_buffer_type;
extern const WwType link_l0_l1_type;
extern const WwType constants_l0_type;
extern const WwType constants_perfect_type;
extern const WwType control_bits_type;
extern const WwType scoreboard_modern_type;
extern const WwType allocated_type;
extern const WwType hazard_bits_type; /* `control_bits`, for the SM of Accel-Sim */
extern const WwType issue_stage_type;
/* back end of a sub-core */
extern const WwType control_stage_type;
extern const WwType operand_read_type;
extern const WwType operand_collect_type;
extern const WwType register_ports_type;
extern const WwType register_cache_type;
extern const WwType fu_fixed_type;
extern const WwType fu_sfu_type;
extern const WwType fu_queued_type;
extern const WwType dp_shared_type;
extern const WwType dispatch_slot_type;
extern const WwType result_queue_type;
extern const WwType writeback_modern_type;
