/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fu.sfu`: a sub-core's unit of special functions. It executes as units of fixed latency do (fu_stages.c), but nobody plans for it: the control
 * stage puts an instruction into its latch when that is empty, its operands are read when it leaves the latch, and its result waits in the last
 * stage until there is room in the latch of variable-latency results.
 */
#include "fu_stages-priv.h"
#include "types.h"

static const WwParamRow sfu_params[] = {
    FU_STAGES_PARAMS,
    {0},
};

static const WwPortRow sfu_ports[] = {
    FU_STAGES_PORTS("the dispatch latch: instructions from the control stage",
                    "results, for the latch of variable-latency results"),
    WW_PORT_REQUIRES(FuStages, dependence, &ww_contract_dependence, 1, WW_RANK_READ,
                     "told of operands that have been read"),
    {0},
};

static const WwStatRow sfu_stats[] = {
    FU_STAGES_STATS,
    {0},
};

static const WwEntryRow sfu_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = fu_stages_tick,
     .doc = "sends results on, then takes the next instruction from the latch"},
    {0},
};

const WwType fu_sfu_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.sfu",
    .doc = "A sub-core's special-function unit: variable latency, no queue.",
    .family = "sub_core",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(FuStages),
    .events = fu_stages_events,
    .params = sfu_params,
    .ports = sfu_ports,
    .stats = sfu_stats,
    .entries = sfu_entries,
    .init = fu_stages_init,
    .reset = fu_stages_reset,
    .settle = fu_stages_settle,
    .explain = fu_stages_explain,
    .carries = fu_stages_carries,
    .adapt = fu_stages_adapt,
};
