/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * JSON read from front to end, without a tree: results may be large, and there are many of them. A value is consumed by exactly one call;
 * the first error ends it all (every later call fails).
 */
#pragma once

#include <warpwright/base.h>

/** A part of the text, or of what it means; not terminated. Stays until db_scan_clear(). */
typedef struct DbSlice {
    const char *p;
    size_t n;
} DbSlice;

typedef struct DbScan {
    const char *name; /**< Of the text, for errors. */
    const char *begin, *p, *end;
    GStringChunk *chunk; /**< Strings that had escapes. */
    GString *word;
    GError **error;
    unsigned depth;
    bool failed;
} DbScan;

/** @p text is valid UTF-8 and ends with a NUL that @p length does not count. */
void db_scan_init(DbScan *s, const char *name, const char *text, size_t length, GError **error);
void db_scan_clear(DbScan *s);
/** Fails with "NAME:LINE:COLUMN: " and the text; false. */
bool db_scan_fail(DbScan *s, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** The first character of the next value, or '\0' at the end. */
char db_scan_peek(DbScan *s);
/** "{"; then for each member db_scan_member(), which is false at "}", and its value. */
bool db_scan_object(DbScan *s);
bool db_scan_member(DbScan *s, DbSlice *key);
/** "["; then db_scan_entry() before each value, which is false at "]". */
bool db_scan_array(DbScan *s);
bool db_scan_entry(DbScan *s);
bool db_scan_string(DbScan *s, DbSlice *text);
/** What was counted: a whole number below 2^64. */
bool db_scan_count(DbScan *s, uint64_t *v);
/** A whole number that fits. */
bool db_scan_integer(DbScan *s, int64_t *v);
bool db_scan_real(DbScan *s, double *v);
/** true or false. */
bool db_scan_bool(DbScan *s, bool *v);
/** Any value; @p out (may be NULL) gets it without blanks between its parts. */
bool db_scan_any(DbScan *s, GString *out);
/** Nothing may follow. */
bool db_scan_end(DbScan *s);

bool db_slice_is(DbSlice s, const char *text);
