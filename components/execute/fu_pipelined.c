/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fu.pipelined`: the SP, DP, INT, SFU and TENSOR units. How they work is in fu.c; here is what
 * each class accepts. SP and INT are the catch-all units: branches, barriers, exits and anything
 * that nobody else wants go there.
 */
#include "fu-priv.h"
#include "types.h"

typedef enum FuClass { FU_SP, FU_DP, FU_INT, FU_SFU, FU_TENSOR } FuClass;

#define OP(op) (1u << WW_OP_##op)
#define NOT_SP (OP(SFU) | OP(LOAD) | OP(STORE) | OP(MEMBAR) | OP(DP))

static const char *const class_names[] = {"sp", "dp", "int", "sfu", "tensor", NULL};
static const uint32_t class_accepts[] = {
    [FU_SP] = ~NOT_SP,           [FU_DP] = OP(DP),         [FU_INT] = ~(NOT_SP | OP(SP)),
    [FU_SFU] = OP(SFU) | OP(DP), [FU_TENSOR] = OP(TENSOR),
};
G_STATIC_ASSERT(WW_N_OPS <= 32);

static bool pipelined_init(void *self, GError **error)
{
    Fu *fu = self;
    return fu_init(fu, class_accepts[fu->kind], error);
}

static const WwParamRow pipelined_params[] = {
    {.name = "class",
     .kind = WW_PARAM_CHOICE,
     .unit = "",
     .def = "sp",
     .choices = class_names,
     .doc = "accepted categories: sp: all but SFU, DP and memory; int: the same without SP; sfu: "
            "SFU and DP; dp: DP; tensor: TENSOR",
     .offset = WW_FIELD(Fu, kind, uint32_t)},
    FU_PARAMS,
    {0},
};

const WwType fu_pipelined_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.pipelined",
    .doc = "Pipelined function unit of class SP, DP, INT, SFU or TENSOR.",
    .family = "fu",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fu),
    .events = fu_events,
    .params = pipelined_params,
    .gone = fu_gone,
    .ports = fu_ports,
    .stats = fu_stats,
    .entries = fu_entries,
    .init = pipelined_init,
    .reset = fu_reset,
    .explain = fu_explain,
    .start = fu_start,
    .carries = fu_carries,
};
