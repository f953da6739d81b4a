/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of fake providers and of faulty types. A new one is one line here. */
#include <ports/register.h>
#include <testing/fake_activity.h>
#include <testing/fake_address_map.h>
#include <testing/fake_arrivals.h>
#include <testing/fake_barriers.h>
#include <testing/fake_cache.h>
#include <testing/fake_cluster.h>
#include <testing/fake_coalescer.h>
#include <testing/fake_code_caches.h>
#include <testing/fake_constants.h>
#include <testing/fake_ctas.h>
#include <testing/fake_dependence.h>
#include <testing/fake_fetches.h>
#include <testing/fake_ibuffer.h>
#include <testing/fake_icache.h>
#include <testing/fake_inst_ends.h>
#include <testing/fake_issue_port.h>
#include <testing/fake_kernel_results.h>
#include <testing/fake_kernels.h>
#include <testing/fake_l1_control.h>
#include <testing/fake_l2_control.h>
#include <testing/fake_latency.h>
#include <testing/fake_memcpy.h>
#include <testing/fake_pcs.h>
#include <testing/fake_prefetch.h>
#include <testing/fake_refill.h>
#include <testing/fake_register_banks.h>
#include <testing/fake_replacement.h>
#include <testing/fake_result_bus.h>
#include <testing/fake_scheduler.h>
#include <testing/fake_scoreboard.h>
#include <testing/fake_simt.h>
#include <testing/fake_sub_core.h>
#include <testing/fake_timing.h>
#include <testing/fake_trace.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>

#include "faults/types.h"

#define BUILT_IN "built-in"

static const WwType *const fakes[] = {
    &ww_fake_warps_type,
    &ww_fake_simt_type,
    &ww_fake_icache_type,
    &ww_fake_scoreboard_type,
    &ww_fake_barriers_type,
    &ww_fake_scheduler_type,
    &ww_fake_result_bus_type,
    &ww_fake_register_banks_type,
    &ww_fake_inst_ends_type,
    &ww_fake_ctas_type,
    &ww_fake_cluster_type,
    &ww_fake_kernels_type,
    &ww_fake_kernel_results_type,
    &ww_fake_trace_source_type,
    &ww_fake_cache_type,
    &ww_fake_address_map_type,
    &ww_fake_coalescer_type,
    &ww_fake_replacement_type,
    &ww_fake_l1_control_type,
    &ww_fake_memcpy_type,
    &ww_fake_l2_control_type,
    &ww_fake_arrivals_type,
    &ww_fake_activity_type,
    &ww_fake_latency_type,
    &ww_fake_pcs_type,
    &ww_fake_timing_type,
    &ww_fake_ibuffer_type,
    &ww_fake_fetches_type,
    &ww_fake_dependence_type,
    &ww_fake_refill_type,
    &ww_fake_prefetch_type,
    &ww_fake_constants_type,
    &ww_fake_code_caches_type,
    &ww_fake_issue_port_type,
    &ww_fake_unit_type,
    &ww_fake_register_ports_type,
    &ww_fake_register_cache_type,
    &ww_fake_result_slots_type,
    &ww_fake_dispatch_slot_type,
    NULL,
};

static const WwType *const faults[] = {
    &fault_loses_type,
    &fault_duplicates_type,
    &fault_invents_type,
    &fault_overfills_type,
    &fault_insomniac_type,
    &fault_oversleeps_type,
    &fault_unsettled_type,
    &fault_remembers_type,
    &fault_fickle_type,
    &fault_keeps_type,
    &fault_spins_type,
    &fault_fu_type,
    &fault_static_type,
    &fault_mallocs_type,
    &fault_beside_type,
    &fault_code_type,
    &fault_clock_type,
    &fault_event_type,
    &fault_told_type,
    &fault_gives_up_bus_type,
    &fault_gives_up_banks_type,
    &fault_gives_up_unit_type,
    &fault_gives_up_ports_type,
    &fault_gives_up_slot_type,
    &fault_gives_up_cache_type,
    &fault_gives_up_icache_type,
    &fault_gives_up_refill_type,
    &fault_readdresses_type,
    &fault_unanswered_type,
    &fault_misroutes_type,
    &fault_inactive_type,
    NULL,
};

bool ww_testing_register_fakes(WwRegistry *registry, GError **error)
{
    return ww_registry_add_all(registry, fakes, BUILT_IN, error);
}

bool ww_testing_register_faults(WwRegistry *registry, GError **error)
{
    return ww_registry_add_known(registry, faults, BUILT_IN, error);
}

bool ww_testing_register(WwRegistry *registry, GError **error)
{
    return ww_ports_register_channels(registry, error) &&
           ww_testing_register_fakes(registry, error);
}
