/* SPDX-License-Identifier: Apache-2.0 */
/** @file The component types of this room. */
#pragma once

#include <warpwright/type.h>

extern const WwType source_type;
extern const WwType sink_type;
extern const WwType probe_type;
extern const WwType delay_type;
extern const WwType counter_type;

/* Each breaks one rule on purpose: see fault-priv.h. */
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
