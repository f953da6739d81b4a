/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers, each in the file of its room. */
#pragma once

#include <testing/drive.h>

extern const WwDriver drive_warps;
extern const WwDriver drive_policy, drive_scoreboard, drive_barriers;
extern const WwDriver drive_result_bus, drive_register_banks, drive_inst_ends;
extern const WwDriver drive_address_map, drive_arrivals, drive_latency, drive_activity,
    drive_memcpy, drive_l1_control;
extern const WwDriver drive_cache, drive_l2_control, drive_coalescer, drive_replacement;
extern const WwDriver drive_pcs;
extern const WwDriver drive_ibuffer, drive_fetches, drive_constants, drive_refill, drive_prefetch,
    drive_code_caches;
extern const WwDriver drive_unit, drive_register_ports, drive_register_cache, drive_result_slots,
    drive_dispatch_slot;
extern const WwDriver drive_icache, drive_simt;
extern const WwDriver drive_ctas, drive_cluster, drive_kernels, drive_kernel_results;
extern const WwDriver drive_timing, drive_dependence, drive_issue_port;
