/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what sub-cores have. */
#include <ports/sub_core.h>

const char *ww_unit_name(WwUnit unit)
{
    static const char *const names[WW_N_UNITS] = {
        [WW_UNIT_INT] = "int",       [WW_UNIT_SP] = "sp",         [WW_UNIT_UNIFORM] = "uniform",
        [WW_UNIT_TENSOR] = "tensor", [WW_UNIT_BRANCH] = "branch", [WW_UNIT_MISC] = "misc",
        [WW_UNIT_MEM] = "mem",       [WW_UNIT_DP] = "dp",         [WW_UNIT_SFU] = "sfu",
        [WW_UNIT_QUEUED] = "queued",
    };
    return unit < WW_N_UNITS ? names[unit] : "?";
}
