/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace of a run, with a look at what passes: which kernels are open, and the reference's launch lines. Provides
 * `trace_source` by handing everything on to the trace.
 */
#pragma once

#include <trace/trace.h>

typedef struct CliSource {
    WwTrace *trace;
    GPtrArray *open;     /**< WwKernel, read and not closed, oldest first. */
    GString *lines;      /**< Launch lines since somebody took them; NULL: not wanted. */
    GPtrArray *warnings; /**< Each a text; nothing after the first hundred. */
} CliSource;

/** Opens the trace; the options' warn function is set here. */
CliSource *cli_source_new(const char *path, const WwTraceOptions *options, bool lines,
                          GError **error);
void cli_source_free(CliSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliSource, cli_source_free)

extern const WwTraceSourceIf cli_source_table;
