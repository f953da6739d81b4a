/* SPDX-License-Identifier: Apache-2.0 */
/* Of each interface, for its contract: the functions of its table. */
#pragma once

#include <warpwright/type.h>

extern const WwFunctionRow ww_contract_activity_functions[];
extern const WwFunctionRow ww_contract_address_map_functions[];
extern const WwFunctionRow ww_contract_arrivals_functions[];
extern const WwFunctionRow ww_contract_barriers_functions[];
extern const WwFunctionRow ww_contract_cache_functions[];
extern const WwFunctionRow ww_contract_cluster_functions[];
extern const WwFunctionRow ww_contract_code_caches_functions[];
extern const WwFunctionRow ww_contract_coalescer_functions[];
extern const WwFunctionRow ww_contract_constants_functions[];
extern const WwFunctionRow ww_contract_ctas_functions[];
extern const WwFunctionRow ww_contract_dependence_functions[];
extern const WwFunctionRow ww_contract_dispatch_slot_functions[];
extern const WwFunctionRow ww_contract_fetches_functions[];
extern const WwFunctionRow ww_contract_ibuffer_functions[];
extern const WwFunctionRow ww_contract_icache_functions[];
extern const WwFunctionRow ww_contract_inst_ends_functions[];
extern const WwFunctionRow ww_contract_issue_port_functions[];
extern const WwFunctionRow ww_contract_kernel_results_functions[];
extern const WwFunctionRow ww_contract_kernels_functions[];
extern const WwFunctionRow ww_contract_l1_control_functions[];
extern const WwFunctionRow ww_contract_l2_control_functions[];
extern const WwFunctionRow ww_contract_latency_functions[];
extern const WwFunctionRow ww_contract_memcpy_functions[];
extern const WwFunctionRow ww_contract_pcs_functions[];
extern const WwFunctionRow ww_contract_prefetch_functions[];
extern const WwFunctionRow ww_contract_refill_functions[];
extern const WwFunctionRow ww_contract_register_banks_functions[];
extern const WwFunctionRow ww_contract_register_cache_functions[];
extern const WwFunctionRow ww_contract_register_ports_functions[];
extern const WwFunctionRow ww_contract_replacement_functions[];
extern const WwFunctionRow ww_contract_result_bus_functions[];
extern const WwFunctionRow ww_contract_result_slots_functions[];
extern const WwFunctionRow ww_contract_scheduler_functions[];
extern const WwFunctionRow ww_contract_scoreboard_functions[];
extern const WwFunctionRow ww_contract_simt_functions[];
extern const WwFunctionRow ww_contract_timing_functions[];
extern const WwFunctionRow ww_contract_trace_source_functions[];
extern const WwFunctionRow ww_contract_unit_functions[];
extern const WwFunctionRow ww_contract_warps_functions[];
