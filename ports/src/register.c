/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of channel types and fake providers. A new one is one line here. */
#include <ports/fake_activity.h>
#include <ports/fake_address_map.h>
#include <ports/fake_arrivals.h>
#include <ports/fake_barriers.h>
#include <ports/fake_cache.h>
#include <ports/fake_cluster.h>
#include <ports/fake_ctas.h>
#include <ports/fake_icache.h>
#include <ports/fake_kernel_results.h>
#include <ports/fake_kernels.h>
#include <ports/fake_l1_control.h>
#include <ports/fake_l2_control.h>
#include <ports/fake_latency.h>
#include <ports/fake_memcpy.h>
#include <ports/fake_register_banks.h>
#include <ports/fake_result_bus.h>
#include <ports/fake_scheduler.h>
#include <ports/fake_scoreboard.h>
#include <ports/fake_simt.h>
#include <ports/fake_trace.h>
#include <ports/fake_warps.h>
#include <ports/fifo.h>
#include <ports/register.h>
#include <ports/register_set.h>
#include <ports/testing.h>
#include <ports/wire.h>

#define BUILT_IN "built-in"

static const WwType *const channels[] = {
    &ww_register_set_type, &ww_fifo_type, &ww_wire_type, &ww_signal_type, NULL,
};

static const WwType *const fakes[] = {
    &ww_fake_warps_type,        &ww_fake_simt_type,
    &ww_fake_icache_type,       &ww_fake_scoreboard_type,
    &ww_fake_barriers_type,     &ww_fake_scheduler_type,
    &ww_fake_result_bus_type,   &ww_fake_register_banks_type,
    &ww_fake_ctas_type,         &ww_fake_cluster_type,
    &ww_fake_kernels_type,      &ww_fake_kernel_results_type,
    &ww_fake_trace_source_type, &ww_fake_cache_type,
    &ww_fake_address_map_type,  &ww_fake_l1_control_type,
    &ww_fake_memcpy_type,       &ww_fake_l2_control_type,
    &ww_fake_arrivals_type,     &ww_fake_activity_type,
    &ww_fake_latency_type,      NULL,
};

bool ww_ports_register_channels(WwRegistry *registry, GError **error)
{
    return ww_registry_add_all(registry, channels, BUILT_IN, error);
}

bool ww_ports_register_fakes(WwRegistry *registry, GError **error)
{
    return ww_registry_add_all(registry, fakes, BUILT_IN, error);
}

bool ww_ports_register(WwRegistry *registry, GError **error)
{
    return ww_ports_register_channels(registry, error) && ww_ports_register_fakes(registry, error);
}
