/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What can be done with a trace besides running it: summarise (`trace info`), verify (`trace
 * check`), recompress
 * (`trace recompress`), pack and unpack. Each reads with bounded memory, as a run does.
 */
#pragma once

#include <stdio.h>
#include <trace/trace.h>

/** Zero-initialise for the defaults. */
typedef struct WwTraceInfoOptions {
    WwTraceOptions trace; /**< What to read and how strictly. */
    bool json;            /**< One JSON object instead of text. */
    bool code;            /**< Text: the code of each kernel that a listing has, too. */
    uint32_t top;         /**< Opcodes listed for a kernel, most frequent first; 0: 10. */
} WwTraceInfoOptions;

/**
 * Writes a summary of the trace at @p path to @p out: for each kernel its launch, its instructions
 * by category and opcode, its address modes; then totals and unknown opcodes. @p options may be
 * NULL. False with @p error on bad input; @p out may hold the kernels before it.
 */
WW_API bool ww_trace_info(const char *path, const WwTraceInfoOptions *options, FILE *out,
                          GError **error);

/**
 * Reads every byte of the trace at @p path and writes one line for each kernel trace to @p out:
 * "FILE: ok, ..." or its first error; a bad file does not stop the others. @p options may be NULL.
 * False with @p error if anything was wrong.
 */
WW_API bool ww_trace_check(const char *path, const WwTraceOptions *options, FILE *out,
                           GError **error);

/** How kernel traces are written: `.zst`, `.xz`, or as they are. */
typedef enum WwTraceCompressor { WW_TRACE_ZST, WW_TRACE_XZ, WW_TRACE_PLAIN } WwTraceCompressor;

/** Zero-initialise for the defaults. */
typedef struct WwTraceRecompressOptions {
    WwTraceCompressor format;
    uint32_t level; /**< Of the compressor: zst 1 to 19, xz 1 to 9; 0: 9 (zst), 6 (xz). */
} WwTraceRecompressOptions;

/**
 * Writes the trace at @p path to the directory @p outdir (made if missing), every kernel trace
 * recompressed and the command list rewritten to name the new files. A file appears under its name
 * only when it is complete. A list in @p outdir, or a file of such a name, is an error: nothing is
 * replaced. Contents are not parsed: use ww_trace_check(). @p options may be NULL. One line for
 * each file goes to @p out unless that is NULL.
 */
WW_API bool ww_trace_recompress(const char *path, const char *outdir,
                                const WwTraceRecompressOptions *options, FILE *out, GError **error);

/** Zero-initialise for the defaults. */
typedef struct WwTraceMakeOptions {
    WwTraceCompressor format;
    uint64_t max_steps; /**< Statements, turns of loops and operations that the program may take,
                             each counted twice; 0: 1,000,000,000. */
    WwOpcodes
        *opcodes; /**< Maps that know the opcodes; NULL: those that the library brings along. */
} WwTraceMakeOptions;

/**
 * Executes the kernel program at @p path (docs/kernel-language.md) and writes what its warps do as a trace into the directory @p outdir, which is
 * made if missing: a list, and a file for each kernel. The same program gives the same bytes. They appear when all are complete. A list
 * in @p outdir, or a file of such a name, is an error. @p options may be NULL. One line for each file goes to @p out unless that is NULL.
 */
WW_API bool ww_trace_make(const char *path, const char *outdir, const WwTraceMakeOptions *options,
                          FILE *out, GError **error);

/**
 * Writes the trace at @p path as one file, @p file: a pack (docs/traces.md), which everything takes that takes a trace. It appears when it is complete.
 * @p level: of the compressor, 1 to 19; 0: 19. One line for each kernel trace goes to @p out unless that is NULL; it says when the text would not come
 * back byte for byte.
 */
WW_API bool ww_trace_pack(const char *path, const char *file, uint32_t level, FILE *out,
                          GError **error);

/**
 * Writes the text of the pack at @p path to the directory @p outdir (made if missing), under the names it had. A file appears under its name only when all
 * are complete. A list in @p outdir, or a file of such a name, is an error. One line for each file goes to @p out unless that is NULL.
 */
WW_API bool ww_trace_unpack(const char *path, const char *outdir, FILE *out, GError **error);
