/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the report in the reference's layout shows: settings that change a printed line, and no cycle. A part of the machine, so that
 * they come from the same texts and option files as all others; it does nothing, and the command reads its parameters.
 */
#include "types.h"

#include <warpwright/component.h>

typedef struct Report {
    WwComponent base;
    /* parameters */
    bool latencies;
    uint32_t flit_size;
    uint32_t issue_sm;
} Report;

static const WwParamRow report_params[] = {
    WW_BOOL(
        Report, latencies, "true",
        "show request latencies and tables by DRAM bank (the reference's -gpgpu_memlatency_stat)"),
    WW_UINT(Report, flit_size, "bytes", "32", 1, 1u << 20,
            "flit size for counting packets (its -icnt_flit_size)"),
    WW_UINT(Report, issue_sm, "", "0", 0, 8191,
            "SM whose issues are shown by warp slot (its -gpgpu_warp_issue_shader)"),
    {0},
};

const WwType report_type = {
    .abi = WW_ABI_VERSION,
    .name = "report",
    .doc = "Contents of the report in the reference's layout; no effect on timing.",
    .family = "gpu",
    .flags = WW_TYPE_SERIAL,
    .size = sizeof(Report),
    .params = report_params,
};
