/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace check`: reads all of a trace and reports the first error of each file.
 */
#include "pack-priv.h"
#include "tally-priv.h"
#include "text-priv.h"

#include <trace/info.h>

/** Reads the next command's kernel whole; @p tally counts it. */
static bool check_kernel(WwTrace *trace, WwTally *tally, GError **error)
{
    WwCommand command;
    if (!ww_trace_source.next_command(trace, &command, error)) {
        return false;
    }
    bool good = ww_tally_kernel(tally, trace, command.kernel, error);
    ww_trace_source.close_kernel(trace, command.kernel);
    return good;
}

bool ww_trace_check(const char *path, const WwTraceOptions *options, FILE *out, GError **error)
{
    g_autoptr(WwTrace) trace = ww_trace_open(path, options, error);
    const WwListEntry *entry;
    uint32_t bad = 0;
    if (trace == NULL) {
        return false;
    }
    while ((entry = ww_trace_peek(trace)) != NULL) {
        g_autoptr(GError) problem = NULL;
        WwTally tally = {0};
        WwCommand command;
        if (entry->kind != WW_COMMAND_KERNEL) {
            ww_trace_source.next_command(trace, &command, NULL);
        } else if (check_kernel(trace, &tally, &problem)) {
            g_autofree char *ctas = ww_trace_grouped(tally.ctas),
                            *insts = ww_trace_grouped(tally.warp_insts);
            fprintf(out, "%s: ok, %s thread block%s, %s warp instruction%s\n", entry->path, ctas,
                    tally.ctas != 1 ? "s" : "", insts, tally.warp_insts != 1 ? "s" : "");
        } else {
            fprintf(out, "%s\n", problem->message);
            bad++;
        }
        ww_tally_clear(&tally);
    }
    if (bad > 0) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: %u of %u kernel traces cannot be read; expected all", path, bad,
                       ww_trace_n_kernels(trace));
    }
    return trace->pack == NULL || ww_pack_check(trace->pack, error);
}
