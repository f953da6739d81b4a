/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Helpers of the trace tests: files in a temporary directory, kernel texts, reading a trace to its
 * end.
 */
#pragma once

#include <trace/trace.h>

/** A temporary directory, removed with its files by scratch_free(). */
typedef struct Scratch {
    char *dir;
} Scratch;

Scratch *scratch_new(void);
void scratch_free(Scratch *scratch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scratch, scratch_free)

/** Writes a file and returns its path (interned for the test's life). @p n < 0: strlen(). */
const char *scratch_write(Scratch *scratch, const char *name, const void *data, gssize n);

/** Path of @p name in the directory; need not exist. */
const char *scratch_path(Scratch *scratch, const char *name);

/** Compresses as one xz stream or zstd frame; free with g_byte_array_unref(). */
GByteArray *make_xz(const char *text, gsize n);
GByteArray *make_zst(const char *text, gsize n);

/** The text of a file, compressed or not; free it. */
char *unpacked_text(const char *path);

/** A header: Volta, tracer version 5, one CTA of @p threads threads, up to the '#' line. */
char *make_header(uint32_t threads, const char *more);

/** A one-warp kernel around instruction lines (each ends with a newline). */
char *make_kernel(const char *more_header, uint32_t n_insts, const char *lines);

/** How draw_trace() draws and writes. */
typedef struct DrawnStyle {
    bool wild;          /**< Masks and ways through the program are drawn anew. */
    const char *front;  /**< "%": with line numbers; NULL: without. */
    const char *blanks; /**< In front of the mask. */
    const char *end;    /**< Of a line. */
    const char *more;   /**< Behind the last but one warp; NULL: nothing. */
} DrawnStyle;

/** The text of a kernel trace; the same for the same @p seed, but for the style. Free it. */
char *draw_trace(uint32_t seed, DrawnStyle style);

/** What reading a trace to its end gave. */
typedef struct ReadResult {
    uint64_t kernels, ctas, warp_insts, lanes, memcpys;
} ReadResult;

bool read_all(const char *path, const WwTraceOptions *options, ReadResult *result, GError **error);

void assert_same(const ReadResult *a, const ReadResult *b);

/**
 * Asserts that two traces are the same for whoever runs them: commands, kernels, and of each instruction what it is, its lanes and its addresses.
 * Both end well, or with the same error but for the file (and, unless @p lines, the line).
 */
void assert_same_traces(const char *a, const char *b, bool lines);

/** Asserts that reading @p path fails with a message that holds @p text and is one line. */
void assert_read_fails(const char *path, const WwTraceOptions *options, const char *text);

void add_opcode_tests(void);
void add_make_tests(void);
void add_read_tests(void);
void add_error_tests(void);
void add_stream_tests(void);
void add_info_tests(void);
void add_big_tests(void);
void add_ahead_tests(void);
void add_find_tests(void);
void add_follow_tests(void);
void add_pack_tests(void);
void add_listing_tests(void);
void add_cubin_tests(void);
void add_sass_tests(void);
void add_exits_tests(void);
void add_version6_tests(void);
