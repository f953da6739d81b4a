/* SPDX-License-Identifier: Apache-2.0 */
/* What the function table of each interface has, and what it may leave out. */
#include "functions-priv.h"

#include <ports/cache.h>
#include <ports/coalesce.h>
#include <ports/ctas.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/icache.h>
#include <ports/issue.h>
#include <ports/latency.h>
#include <ports/pcs.h>
#include <ports/replacement.h>
#include <ports/sub_core.h>
#include <ports/trace_source.h>
#include <ports/warps.h>

const WwFunctionRow ww_contract_cache_functions[] = {
    WW_FUNCTION(WwCacheIf, facts),
    WW_FUNCTION(WwCacheIf, access),
    WW_FUNCTION(WwCacheIf, fill),
    WW_FUNCTION(WwCacheIf, peek),
    WW_FUNCTION(WwCacheIf, take),
    WW_FUNCTION(WwCacheIf, port_free),
    WW_FUNCTION(WwCacheIf, clear),
    WW_FUNCTION(WwCacheIf, reshape),
    WW_FUNCTION(WwCacheIf, stream),
    WW_FUNCTION(WwCacheIf, install),
    WW_FUNCTION(WwCacheIf, probe),
    WW_FUNCTION(WwCacheIf, forget),
    WW_FUNCTION(WwCacheIf, bring),
    WW_FUNCTION(WwCacheIf, ways),
    WW_FUNCTION_OR(WwCacheIf, in_turns, "it does not sleep while its ports are busy"),
    WW_FUNCTION_OR(WwCacheIf, refuses, "it must be asked again"),
    WW_FUNCTION_WITH(WwCacheIf, refused, refuses),
    WW_FUNCTION_OR(WwCacheIf, inner, "it counts no packets"),
    {0},
};
const WwFunctionRow ww_contract_address_map_functions[] = {
    WW_FUNCTION(WwAddressMapIf, decode),
    WW_FUNCTION(WwAddressMapIf, channels),
    WW_FUNCTION(WwAddressMapIf, slices),
    WW_FUNCTION_OR(WwAddressMapIf, block, "who asks for a place, and when, may matter"),
    {0},
};
const WwFunctionRow ww_contract_coalescer_functions[] = {
    WW_FUNCTION(WwCoalescerIf, coalesce),
    WW_FUNCTION(WwCoalescerIf, most),
    {0},
};
const WwFunctionRow ww_contract_replacement_functions[] = {
    WW_FUNCTION(WwReplacementIf, begin),
    WW_FUNCTION(WwReplacementIf, victim),
    WW_FUNCTION(WwReplacementIf, touched),
    WW_FUNCTION(WwReplacementIf, filled),
    {0},
};
const WwFunctionRow ww_contract_l1_control_functions[] = {
    WW_FUNCTION(WwL1ControlIf, carve),
    {0},
};
const WwFunctionRow ww_contract_code_caches_functions[] = {
    WW_FUNCTION(WwCodeCachesIf, clear),
    {0},
};
const WwFunctionRow ww_contract_memcpy_functions[] = {
    WW_FUNCTION(WwMemcpyIf, copy),
    {0},
};
const WwFunctionRow ww_contract_l2_control_functions[] = {
    WW_FUNCTION(WwL2ControlIf, install),
    WW_FUNCTION(WwL2ControlIf, flush),
    {0},
};
const WwFunctionRow ww_contract_arrivals_functions[] = {
    WW_FUNCTION(WwArrivalsIf, arrived),
    {0},
};
const WwFunctionRow ww_contract_ctas_functions[] = {
    WW_FUNCTION(WwCtasIf, view),
    WW_FUNCTION(WwCtasIf, number),
    WW_FUNCTION(WwCtasIf, can_place),
    WW_FUNCTION(WwCtasIf, place),
    WW_FUNCTION(WwCtasIf, retire),
    WW_FUNCTION(WwCtasIf, collect),
    WW_FUNCTION(WwCtasIf, lasts),
    WW_FUNCTION(WwCtasIf, rotate_from),
    {0},
};
const WwFunctionRow ww_contract_kernels_functions[] = {
    WW_FUNCTION(WwKernelsIf, select),
    WW_FUNCTION(WwKernelsIf, take),
    WW_FUNCTION(WwKernelsIf, completed),
    WW_FUNCTION(WwKernelsIf, more),
    WW_FUNCTION(WwKernelsIf, idle),
    WW_FUNCTION(WwKernelsIf, changes),
    {0},
};
const WwFunctionRow ww_contract_cluster_functions[] = {
    WW_FUNCTION(WwClusterIf, number),
    WW_FUNCTION(WwClusterIf, size),
    WW_FUNCTION(WwClusterIf, offer),
    WW_FUNCTION(WwClusterIf, empty),
    WW_FUNCTION(WwClusterIf, insns),
    WW_FUNCTION(WwClusterIf, lasts),
    {0},
};
const WwFunctionRow ww_contract_activity_functions[] = {
    WW_FUNCTION(WwActivityIf, active),
    WW_FUNCTION(WwActivityIf, lasts),
    {0},
};
const WwFunctionRow ww_contract_kernel_results_functions[] = {
    WW_FUNCTION(WwKernelResultsIf, next),
    WW_FUNCTION(WwKernelResultsIf, running),
    WW_FUNCTION(WwKernelResultsIf, ctas),
    {0},
};
const WwFunctionRow ww_contract_result_bus_functions[] = {
    WW_FUNCTION(WwResultBusIf, reserve),
    {0},
};
const WwFunctionRow ww_contract_register_banks_functions[] = {
    WW_FUNCTION(WwRegisterBanksIf, write),
    {0},
};
const WwFunctionRow ww_contract_inst_ends_functions[] = {
    WW_FUNCTION(WwInstEndsIf, finish),
    {0},
};
const WwFunctionRow ww_contract_scoreboard_functions[] = {
    WW_FUNCTION(WwScoreboardIf, view),
    WW_FUNCTION(WwScoreboardIf, seen),
    WW_FUNCTION(WwScoreboardIf, collides),
    WW_FUNCTION(WwScoreboardIf, waits_long),
    WW_FUNCTION(WwScoreboardIf, reserve),
    WW_FUNCTION(WwScoreboardIf, release),
    WW_FUNCTION(WwScoreboardIf, release_all),
    WW_FUNCTION(WwScoreboardIf, collides_long),
    {0},
};
const WwFunctionRow ww_contract_barriers_functions[] = {
    WW_FUNCTION(WwBarriersIf, view),
    WW_FUNCTION(WwBarriersIf, cta_enter),
    WW_FUNCTION(WwBarriersIf, cta_leave),
    WW_FUNCTION(WwBarriersIf, arrive),
    WW_FUNCTION(WwBarriersIf, exit),
    WW_FUNCTION(WwBarriersIf, set_membar),
    WW_FUNCTION(WwBarriersIf, complete_membar),
    WW_FUNCTION(WwBarriersIf, async_add),
    WW_FUNCTION(WwBarriersIf, async_commit),
    WW_FUNCTION(WwBarriersIf, async_wait),
    WW_FUNCTION(WwBarriersIf, async_done),
    {0},
};
const WwFunctionRow ww_contract_icache_functions[] = {
    WW_FUNCTION(WwICacheIf, access),
    WW_FUNCTION(WwICacheIf, take),
    {0},
};
const WwFunctionRow ww_contract_scheduler_functions[] = {
    WW_FUNCTION(WwPolicyIf, order),
    WW_FUNCTION_OR(WwPolicyIf, first, "order() is called, which costs more"),
    WW_FUNCTION(WwPolicyIf, issued),
    WW_FUNCTION_OR(WwPolicyIf, examines, "none"),
    WW_FUNCTION_OR(WwPolicyIf, restless, "no"),
    WW_FUNCTION_OR(WwPolicyIf, considers, "all"),
    WW_FUNCTION_OR(WwPolicyIf, guest, "never"),
    WW_FUNCTION_OR(WwPolicyIf, limits, "all"),
    {0},
};
const WwFunctionRow ww_contract_latency_functions[] = {
    WW_FUNCTION(WwLatencyIf, handed),
    WW_FUNCTION(WwLatencyIf, bank),
    {0},
};
const WwFunctionRow ww_contract_pcs_functions[] = {
    WW_FUNCTION(WwPcsIf, book),     WW_FUNCTION(WwPcsIf, meet),
    WW_FUNCTION(WwPcsIf, place),    WW_FUNCTION(WwPcsIf, launched),
    WW_FUNCTION(WwPcsIf, retired),  WW_FUNCTION(WwPcsIf, issued),
    WW_FUNCTION(WwPcsIf, enter),    WW_FUNCTION(WwPcsIf, ready),
    WW_FUNCTION(WwPcsIf, accesses), WW_FUNCTION(WwPcsIf, l1),
    WW_FUNCTION(WwPcsIf, l2),       WW_FUNCTION(WwPcsIf, done),
    WW_FUNCTION(WwPcsIf, take),     {0},
};
const WwFunctionRow ww_contract_timing_functions[] = {
    WW_FUNCTION(WwTimingIf, of),
    {0},
};
const WwFunctionRow ww_contract_ibuffer_functions[] = {
    WW_FUNCTION(WwIbufferIf, view),    WW_FUNCTION(WwIbufferIf, request),
    WW_FUNCTION(WwIbufferIf, refused), WW_FUNCTION(WwIbufferIf, decoded),
    WW_FUNCTION(WwIbufferIf, head),    WW_FUNCTION(WwIbufferIf, pop),
    WW_FUNCTION(WwIbufferIf, flush),   {0},
};
const WwFunctionRow ww_contract_fetches_functions[] = {
    WW_FUNCTION(WwFetchesIf, access),
    WW_FUNCTION(WwFetchesIf, take),
    WW_FUNCTION_OR(WwFetchesIf, refuses, "unknown"),
    WW_FUNCTION_WITH(WwFetchesIf, refused, refuses),
    {0},
};
const WwFunctionRow ww_contract_refill_functions[] = {
    WW_FUNCTION(WwRefillIf, awaits),
    WW_FUNCTION(WwRefillIf, ready),
    WW_FUNCTION(WwRefillIf, fill),
    WW_FUNCTION(WwRefillIf, clear),
    {0},
};
const WwFunctionRow ww_contract_prefetch_functions[] = {
    WW_FUNCTION(WwPrefetchIf, search), WW_FUNCTION(WwPrefetchIf, searched),
    WW_FUNCTION(WwPrefetchIf, begin),  WW_FUNCTION(WwPrefetchIf, wait),
    WW_FUNCTION(WwPrefetchIf, awaits), WW_FUNCTION(WwPrefetchIf, fill),
    WW_FUNCTION(WwPrefetchIf, allow),  WW_FUNCTION(WwPrefetchIf, take),
    WW_FUNCTION(WwPrefetchIf, clear),  {0},
};
const WwFunctionRow ww_contract_dependence_functions[] = {
    WW_FUNCTION(WwDependenceIf, blocks),
    WW_FUNCTION_OR(WwDependenceIf, waits_long, "never"),
    WW_FUNCTION(WwDependenceIf, until),
    WW_FUNCTION(WwDependenceIf, issued),
    WW_FUNCTION(WwDependenceIf, sent),
    WW_FUNCTION(WwDependenceIf, read),
    WW_FUNCTION(WwDependenceIf, written),
    WW_FUNCTION(WwDependenceIf, settled),
    WW_FUNCTION(WwDependenceIf, idle),
    WW_FUNCTION(WwDependenceIf, retired),
    {0},
};
const WwFunctionRow ww_contract_unit_functions[] = {
    WW_FUNCTION(WwUnitIf, free),
    WW_FUNCTION(WwUnitIf, free_at),
    WW_FUNCTION(WwUnitIf, reserve),
    WW_FUNCTION(WwUnitIf, delay),
    WW_FUNCTION(WwUnitIf, fits),
    WW_FUNCTION(WwUnitIf, book),
    {0},
};
const WwFunctionRow ww_contract_register_ports_functions[] = {
    WW_FUNCTION(WwRegisterPortsIf, read),      WW_FUNCTION(WwRegisterPortsIf, read_queued),
    WW_FUNCTION(WwRegisterPortsIf, can_write), WW_FUNCTION(WwRegisterPortsIf, write),
    WW_FUNCTION(WwRegisterPortsIf, writes),    {0},
};
const WwFunctionRow ww_contract_register_cache_functions[] = {
    WW_FUNCTION(WwRegisterCacheIf, hit),
    WW_FUNCTION(WwRegisterCacheIf, use),
    {0},
};
const WwFunctionRow ww_contract_result_slots_functions[] = {
    WW_FUNCTION(WwResultSlotsIf, free),
    WW_FUNCTION(WwResultSlotsIf, reserve),
    WW_FUNCTION(WwResultSlotsIf, release),
    {0},
};
const WwFunctionRow ww_contract_issue_port_functions[] = {
    WW_FUNCTION(WwIssuePortIf, stall),
    {0},
};
const WwFunctionRow ww_contract_constants_functions[] = {
    WW_FUNCTION(WwConstantsIf, ready),
    {0},
};
const WwFunctionRow ww_contract_dispatch_slot_functions[] = {
    WW_FUNCTION(WwDispatchSlotIf, free),
    WW_FUNCTION(WwDispatchSlotIf, offer),
    WW_FUNCTION(WwDispatchSlotIf, free_at),
    WW_FUNCTION(WwDispatchSlotIf, take),
    {0},
};
const WwFunctionRow ww_contract_trace_source_functions[] = {
    WW_FUNCTION(WwTraceSourceIf, next_command),
    WW_FUNCTION(WwTraceSourceIf, next_cta),
    WW_FUNCTION(WwTraceSourceIf, release_cta),
    WW_FUNCTION(WwTraceSourceIf, close_kernel),
    {0},
};
const WwFunctionRow ww_contract_warps_functions[] = {
    WW_FUNCTION(WwWarpsIf, view),
    WW_FUNCTION(WwWarpsIf, launch),
    WW_FUNCTION(WwWarpsIf, decode),
    WW_FUNCTION(WwWarpsIf, fill),
    WW_FUNCTION(WwWarpsIf, refill),
    WW_FUNCTION(WwWarpsIf, show),
    WW_FUNCTION(WwWarpsIf, flight),
    WW_FUNCTION(WwWarpsIf, set_imiss),
    WW_FUNCTION(WwWarpsIf, pop),
    WW_FUNCTION(WwWarpsIf, drop),
    WW_FUNCTION(WwWarpsIf, rewind),
    WW_FUNCTION(WwWarpsIf, touch),
    WW_FUNCTION(WwWarpsIf, fence),
    WW_FUNCTION(WwWarpsIf, tries),
    WW_FUNCTION(WwWarpsIf, exit_lanes),
    WW_FUNCTION(WwWarpsIf, finish),
    WW_FUNCTION(WwWarpsIf, stores),
    WW_FUNCTION(WwWarpsIf, atomics),
    WW_FUNCTION(WwWarpsIf, retire),
    WW_FUNCTION(WwWarpsIf, lasts),
    {0},
};
const WwFunctionRow ww_contract_simt_functions[] = {
    WW_FUNCTION(WwSimtIf, pc),
    WW_FUNCTION(WwSimtIf, view),
    WW_FUNCTION(WwSimtIf, expected),
    {0},
};

/* None is forgotten: a table is nothing but functions, or has them from @p first on. */
#define ALL_FROM(I, first, rows)                                                                   \
    G_STATIC_ASSERT(G_N_ELEMENTS(rows) - 1 ==                                                      \
                    (sizeof(I) - offsetof(I, first)) / sizeof(void (*)(void)))
#define ALL_OF(I, rows)                                                                            \
    G_STATIC_ASSERT(G_N_ELEMENTS(rows) - 1 == sizeof(I) / sizeof(void (*)(void)))
ALL_FROM(WwDependenceIf, blocks, ww_contract_dependence_functions);
ALL_OF(WwCacheIf, ww_contract_cache_functions);
ALL_OF(WwAddressMapIf, ww_contract_address_map_functions);
ALL_OF(WwCoalescerIf, ww_contract_coalescer_functions);
ALL_OF(WwReplacementIf, ww_contract_replacement_functions);
ALL_OF(WwL1ControlIf, ww_contract_l1_control_functions);
ALL_OF(WwCodeCachesIf, ww_contract_code_caches_functions);
ALL_OF(WwMemcpyIf, ww_contract_memcpy_functions);
ALL_OF(WwL2ControlIf, ww_contract_l2_control_functions);
ALL_OF(WwArrivalsIf, ww_contract_arrivals_functions);
ALL_OF(WwCtasIf, ww_contract_ctas_functions);
ALL_OF(WwKernelsIf, ww_contract_kernels_functions);
ALL_OF(WwClusterIf, ww_contract_cluster_functions);
ALL_OF(WwActivityIf, ww_contract_activity_functions);
ALL_OF(WwKernelResultsIf, ww_contract_kernel_results_functions);
ALL_OF(WwResultBusIf, ww_contract_result_bus_functions);
ALL_OF(WwRegisterBanksIf, ww_contract_register_banks_functions);
ALL_OF(WwInstEndsIf, ww_contract_inst_ends_functions);
ALL_OF(WwScoreboardIf, ww_contract_scoreboard_functions);
ALL_OF(WwBarriersIf, ww_contract_barriers_functions);
ALL_OF(WwICacheIf, ww_contract_icache_functions);
ALL_OF(WwPolicyIf, ww_contract_scheduler_functions);
ALL_OF(WwLatencyIf, ww_contract_latency_functions);
ALL_OF(WwPcsIf, ww_contract_pcs_functions);
ALL_OF(WwTimingIf, ww_contract_timing_functions);
ALL_OF(WwIbufferIf, ww_contract_ibuffer_functions);
ALL_OF(WwFetchesIf, ww_contract_fetches_functions);
ALL_OF(WwRefillIf, ww_contract_refill_functions);
ALL_OF(WwPrefetchIf, ww_contract_prefetch_functions);
ALL_OF(WwUnitIf, ww_contract_unit_functions);
ALL_OF(WwRegisterPortsIf, ww_contract_register_ports_functions);
ALL_OF(WwRegisterCacheIf, ww_contract_register_cache_functions);
ALL_OF(WwResultSlotsIf, ww_contract_result_slots_functions);
ALL_OF(WwIssuePortIf, ww_contract_issue_port_functions);
ALL_OF(WwConstantsIf, ww_contract_constants_functions);
ALL_OF(WwDispatchSlotIf, ww_contract_dispatch_slot_functions);
ALL_OF(WwTraceSourceIf, ww_contract_trace_source_functions);
ALL_OF(WwWarpsIf, ww_contract_warps_functions);
ALL_OF(WwSimtIf, ww_contract_simt_functions);
