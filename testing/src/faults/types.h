/* SPDX-License-Identifier: Apache-2.0 */
/** @file Types that each break one rule on purpose: see fault-priv.h. */
#pragma once

#include <warpwright/type.h>

extern const WwType fault_loses_type;
extern const WwType fault_duplicates_type;
extern const WwType fault_invents_type;
extern const WwType fault_overfills_type;
extern const WwType fault_insomniac_type;
extern const WwType fault_oversleeps_type;
extern const WwType fault_unsettled_type;
extern const WwType fault_remembers_type;
extern const WwType fault_fickle_type;
extern const WwType fault_keeps_type;
extern const WwType fault_spins_type;
extern const WwType fault_fu_type;
extern const WwType fault_static_type;
extern const WwType fault_mallocs_type;
extern const WwType fault_code_type;
extern const WwType fault_beside_type;
extern const WwType fault_clock_type;
extern const WwType fault_event_type;
extern const WwType fault_told_type;
extern const WwType fault_gives_up_bus_type;
extern const WwType fault_gives_up_banks_type;
extern const WwType fault_gives_up_unit_type;
extern const WwType fault_gives_up_ports_type;
extern const WwType fault_gives_up_slot_type;
extern const WwType fault_gives_up_cache_type;
extern const WwType fault_gives_up_icache_type;
extern const WwType fault_gives_up_refill_type;
extern const WwType fault_readdresses_type;
extern const WwType fault_unanswered_type;
extern const WwType fault_misroutes_type;
extern const WwType fault_inactive_type;
