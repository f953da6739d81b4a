/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fu.specialized`: a unit that executes exactly one of the eight categories that an opcode map can
 * invent (branch units, texture units, matrix units, ...). How it works is in fu.c.
 */
#include "fu-priv.h"
#include "types.h"

static bool specialized_init(void *self, GError **error)
{
    Fu *fu = self;
    return fu_init(fu, 1u << (WW_OP_SPEC1 + fu->kind - 1), error);
}

static const WwParamRow specialized_params[] = {
    {.name = "unit",
     .kind = WW_PARAM_UINT,
     .unit = "",
     .def = "1",
     .min = 1,
     .max = WW_NUM_SPEC,
     .doc = "number of the category it executes: SPEC1..SPEC8",
     .offset = WW_FIELD(Fu, kind, uint32_t)},
    FU_PARAMS,
    {0},
};

const WwType fu_specialized_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.specialized",
    .doc = "Pipelined function unit for one specialised category (SPEC1..SPEC8).",
    .family = "fu",
    .conserves = WW_CONSERVES_NOTHING_SAID, /* other categories stay outside for ever */
    .size = sizeof(Fu),
    .events = fu_events,
    .params = specialized_params,
    .gone = fu_gone,
    .ports = fu_ports,
    .stats = fu_stats,
    .entries = fu_entries,
    .init = specialized_init,
    .reset = fu_reset,
    .explain = fu_explain,
    .start = fu_start,
    .carries = fu_carries,
};
