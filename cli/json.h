/* SPDX-License-Identifier: Apache-2.0 */
/** @file JSON with a fixed layout: keys in the order given, a counter a line, the same bytes for the same values. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/** A string value; broken UTF-8 is repaired. */
json_t *cli_json_text(const char *text);
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
} CliJsonWriter;
void cli_json_member(CliJsonWriter *writer, const char *key, json_t *value);
void cli_json_entry(CliJsonWriter *writer, json_t *value);
void cli_json_list_end(CliJsonWriter *writer);
void cli_json_end(CliJsonWriter *writer);
