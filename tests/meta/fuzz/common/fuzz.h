/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the fuzz targets share: files in memory that hold an input, and what is asked of every error.
 */
#pragma once

#include <trace/trace.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_FILES 8u

/** Ends the process, with @p what and @p text, unless @p holds. */
void fuzz_check(bool holds, const char *what, const char *text);

/** A file in memory, number @p i below FUZZ_FILES, that holds @p data; its path is "/proc/self/fd/90I". */
const char *fuzz_file(uint32_t i, const void *data, size_t size);

/** A name for @p file, the same file each time, that ends in `.tracez`, which decides how it is read. */
const char *fuzz_as_tracez(const char *file);

/** Where the line behind the first "---" begins, or the end; @p first gets the length of what stands before it. */
const char *fuzz_second(const uint8_t *data, size_t size, size_t *first);

/**
 * There is an error if and only if it is not @p good; it is valid UTF-8, one line (only @p quoted: the line of the file and a caret
 * may follow) and speaks of a file of ours.
 */
void fuzz_check_error(bool good, const GError *error, bool quoted);

/** Reads a trace to its end and checks what every CTA promises; @p n gets the instructions that were read. */
bool fuzz_read_trace(const char *path, const WwTraceOptions *options, uint64_t *n, GError **error);

/** Carries out a subcommand; what it printed to stdout is lost, what to stderr is in @p said (free it). */
int fuzz_run(int (*command)(int argc, char **argv), const char *const *words, char **said);

/** It is status 2, and @p said the one line of it, which speaks of a file of ours. */
void fuzz_check_refusal(int status, const char *said);
