/* SPDX-License-Identifier: Apache-2.0 */
/* The list of built-in types. A new one is one line here: an explicit list, no constructor tricks. */
#include <components/register.h>
#include <ports/register.h>

#include "cache/types.h"
#include "dram/types.h"
#include "execute/types.h"
#include "frontend/types.h"
#include "gpu/types.h"
#include "interconnect/types.h"
#include "issue/types.h"
#include "l2/types.h"
#include "memory/types.h"
#include "modern/types.h"
#include "operands/types.h"
#include "pcs/types.h"
#include "std/types.h"
#include "template/types.h"

static const WwType *const built_in[] = {
    /* front end */
    &warp_pool_type,
    &icache_perfect_type,
    &fetch_unit_type,
    &decoder_type,
    /* hazards and issue */
    &scoreboard_type,
    &barrier_unit_type,
    &warp_scheduler_type,
    &scheduler_lrr_type,
    &scheduler_gto_type,
    &scheduler_oldest_type,
    &scheduler_swl_type,
    &scheduler_rrr_type,
    &scheduler_two_level_type,
    &scheduler_cggty_type,
    /* operands */
    &operand_collector_type,
    &operands_ideal_type,
    &bank_router_type,
    /* execution */
    &fu_pipelined_type,
    &fu_specialized_type,
    &result_bus_type,
    &writeback_type,
    /* memory */
    &ldst_unit_type,
    &coalescer_segments_type,
    &memory_ideal_type,
    &l1_carve_type,
    /* sub-cores of modern SMs */
    &timing_modern_type,
    &control_bits_type,
    &scoreboard_modern_type,
    &allocated_type,
    &hazard_bits_type,
    &issue_stage_type,
    /* caches */
    &cache_l1_type,
    &cache_l2_type,
    &replacement_lru_type,
    &replacement_srrip_type,
    &cache_texture_type,
    &icache_l1i_type,
    /* L2 slices and DRAM channels */
    &address_map_type,
    &l2_slice_type,
    &memcpy_router_type,
    &arrival_meter_type,
    &latency_meter_type,
    &dram_frfcfs_type,
    &dram_simple_type,
    &dram_fixed_type,
    /* GPU */
    &cta_slots_type,
    &cluster_type,
    &cta_dispatcher_type,
    &kernel_queue_type,
    &l2_flush_type,
    &report_type,
    /* interconnect */
    &xbar_local_type,
    &network_routed_type,
    &cluster_port_type,
    &reply_router_type,
    /* modern SMs: front end */
    &ibuffer_type,
    &fetch_modern_type,
    &decode_modern_type,
    &icache_perfect_l0_type,
    &icache_l0_type,
    &stream_buffer_type,
    &link_l0_l1_type,
    &constants_l0_type,
    &constants_perfect_type,
    /* their back end */
    &control_stage_type,
    &operand_read_type,
    &operand_collect_type,
    &register_ports_type,
    &register_cache_type,
    &fu_fixed_type,
    &fu_sfu_type,
    &fu_queued_type,
    &dp_shared_type,
    &ldst_shared_type,
    &ldst_unit_linked_type,
    &link_ldst_unit_type,
    &link_ldst_shared_type,
    &dispatch_slot_type,
    &result_queue_type,
    &writeback_modern_type,
    /* figures of instructions */
    &pcs_type,
    /* standard parts */
    &source_type,
    &sink_type,
    &probe_type,
    &delay_type,
    &counter_type,
    /* the template */
    &template_stage_type,
    NULL,
};

bool ww_components_register(WwRegistry *registry, GError **error)
{
    return ww_ports_register_channels(registry, error) &&
           ww_registry_add_known(registry, built_in, "built-in", error);
}
