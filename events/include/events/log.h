/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Event logs (docs/events.md) as files: what writes them for `run --events`, and what reads them again. Both take plain files and
 * zstd's.
 *
 * Workload: 10^5 to 10^9 lines of some 70 bytes, read once from the first to the last; memory does not depend on their number.
 */
#pragma once

#include <warpwright/output.h>

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/** A log that is being written: ww_log_keep() or ww_log_drop() ends it. */
typedef struct WwLogFile WwLogFile;

/**
 * Opens what shall become the log @p path: compressed when its name ends in `.zst`. @p resumable: another process may go on with it
 * (ww_output_resumable()), and ww_log_from() comes next. A compressed one is frames of 2 MiB of text each, which threads compress beside the run; one
 * ends at each ww_log_sum(). The system brings it to the disk when it likes (ww_output_unhurried()). NULL with @p error when that cannot be done.
 */
WW_API WwLogFile *ww_log_new(const char *path, bool resumable, GError **error);
/** Where to write lines to; errors are looked at in the end. */
WW_API FILE *ww_log_stream(WwLogFile *log);
/** Has it any event? Of a file; a device does not know. */
WW_API bool ww_log_any(const WwLogFile *log);
/** ww_output_sum() of the log: its length in bytes, compressed or not, and a sum of the last of them. */
WW_API bool ww_log_sum(WwLogFile *log, uint64_t *bytes, uint64_t *sum, GError **error);
/** ww_output_from() of the log: goes on behind what ww_log_sum() said. */
WW_API bool ww_log_from(WwLogFile *log, uint64_t bytes, uint64_t sum, GError **error);
/** Completes it and gives it its name, as ww_output_keep() does; frees @p log either way. */
WW_API bool ww_log_keep(WwLogFile *log, const char *words, GError **error);
/** Frees @p log (may be NULL); of one that nobody goes on with nothing is left. */
WW_API void ww_log_drop(WwLogFile *log);

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/** A log that is being read, from its first line to its last: ww_log_close() ends it. */
typedef struct WwLogReader WwLogReader;

/** One event. The texts are the reader's, until the next line is read. */
typedef struct WwLogLine {
    uint64_t number; /**< Of the line; the first is 1. */
    uint64_t cycle;
    const char *kind;
    const char *path;
    int64_t unit;
    const char *text;
} WwLogLine;

/** A line has no more bytes than this. */
#define WW_LOG_LINE 65536u

/** Opens the log @p path, plain or zstd's, whatever its name; "-" is stdin. NULL with @p error. */
WW_API WwLogReader *ww_log_open(const char *path, GError **error);
/**
 * The next event into @p line. False at the end, or with @p error (the file, the line, what is wrong, what was expected) when there is
 * something that is no event.
 */
WW_API bool ww_log_next(WwLogReader *reader, WwLogLine *line, GError **error);
/** Frees @p reader, which may be NULL. */
WW_API void ww_log_close(WwLogReader *reader);

/**
 * The value of field @p key in an event's text ("uid" in "LDG pc=10 uid=5"), which ends at a blank or with the text; its length into @p
 * length. NULL: it has none.
 */
WW_API const char *ww_log_field(const char *text, const char *key, size_t *length);
/** The same as a number in base 10 or 16 (@p base). False: the field is not there, or is no such number below 2^64. */
WW_API bool ww_log_number(const char *text, const char *key, int base, uint64_t *value);
