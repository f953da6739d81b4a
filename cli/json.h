/* SPDX-License-Identifier: Apache-2.0 */
/** @file JSON with a fixed layout: keys in the order given, a counter a line, the same bytes for the same values. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/** A string value; broken UTF-8 is repaired. */
json_t *cli_json_text(const char *text);
/**
 * A whole number of 64 bits. jansson's have a sign: one of 2^63 and more is that with the same bits, and what writes and reads values here
 * (cli_json_write(), cli_result_read(), ww_report_number()) takes all whole numbers as such. What json_dumps() writes must be less.
 */
json_t *cli_json_number(uint64_t value);
/** Writes @p value with objects and lists of objects spread over lines down to @p depth, everything else on one line. */
void cli_json_write(const json_t *value, int depth, FILE *out);

/**
 * The same by parts, for what is too large to be built: an object is a head, its members, and an end. A member's value is given
 * away; with NULL the caller writes its value, a list: entries, then cli_json_list_end().
 */
typedef struct CliJsonWriter {
    FILE *out;
    int depth;
    unsigned members, entries;
    int level;      /* of the object at hand, */
    unsigned parts; /* which has so many */
} CliJsonWriter;
void cli_json_member(CliJsonWriter *writer, const char *key, json_t *value);
void cli_json_entry(CliJsonWriter *writer, json_t *value);
void cli_json_list_end(CliJsonWriter *writer);
/**
 * An entry, or the value of a member, that is an object by parts: those of @p value, which is given away, and parts that the caller writes, each behind
 * its key.
 */
void cli_json_entry_begin(CliJsonWriter *writer);
void cli_json_value_begin(CliJsonWriter *writer);
void cli_json_parts(CliJsonWriter *writer, json_t *value);
void cli_json_part(CliJsonWriter *writer, const char *key);
void cli_json_parts_end(CliJsonWriter *writer);
void cli_json_end(CliJsonWriter *writer);

/*
 * The same layout without a value in between, for what is written often: a counter costs some ten instructions of the host instead of some hundred.
 * Names are put with what stands before them.
 */
void cli_json_put(const char *text, FILE *out);
/** A comma but before the @p n -th member 0, a line of its own at @p level, and the name. */
void cli_json_put_name(unsigned n, int level, const char *name, FILE *out);
/** The same on the line. */
void cli_json_put_flat_name(unsigned n, const char *name, FILE *out);
void cli_json_put_line(int level, FILE *out);
void cli_json_put_number(uint64_t value, FILE *out);
/** A list of them. */
void cli_json_put_numbers(const uint64_t *values, uint32_t n, FILE *out);
void cli_json_put_string(const char *text, FILE *out);
/** How long @p text is, if it stands in quotes as it is; else 0. */
size_t cli_json_plain(const char *text);
