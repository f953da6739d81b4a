/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace of a run, with a look at what passes: which kernels are open, and the reference's launch lines. Provides
 * `trace_source` by handing everything on to the trace.
 */
#pragma once

#include <stdio.h>
#include <trace/trace.h>

/** The instructions of a kernel that was closed. */
typedef struct CliClosed {
    uint32_t uid, n;
    WwSinst *sinst;
    char *opcodes; /**< Their texts, one behind the other. */
} CliClosed;

typedef struct CliSource {
    WwTrace *trace;
    WwHeap *heap;                        /**< Where this lives, and all that changes in it. */
    WW_HEAP_LIST(const WwKernel *) open; /**< Read and not closed, oldest first. */
    bool tell;                           /**< Launch lines are wanted: */
    bool describes; /**< What instructions say is wanted when their kernels are closed: */
    WW_HEAP_LIST(CliClosed *) closed; /**< those since somebody forgot them. */
    WW_HEAP_LIST(char *) lines;       /**< those since somebody took them. */
    WW_HEAP_LIST(char *) warnings;    /**< Nothing after the first hundred. */
} CliSource;

/** Opens the trace; what is seen of it is kept in memory of @p heap. The options' warn function is set here. */
CliSource *cli_source_new(WwHeap *heap, const char *path, const WwTraceOptions *options, bool lines,
                          GError **error);
/** Writes the launch lines, and forgets them. False: there were none. */
bool cli_source_lines(CliSource *source, FILE *out);
/** Static instruction @p id of kernel @p uid, which is open or closed (CliSource.describes); NULL: neither. @p source: the CliSource. */
const WwSinst *cli_source_instruction(void *source, uint32_t uid, uint32_t id);
/** Forgets what kernels said that are closed. */
void cli_source_forget(CliSource *source);
void cli_source_free(CliSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliSource, cli_source_free)

extern const WwTraceSourceIf cli_source_table;
