/* SPDX-License-Identifier: Apache-2.0 */
/** @file JSON with a fixed layout: keys in the order given, a counter a line, the same bytes for the same values. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/** A string value; broken UTF-8 is repaired. */
json_t *cli_json_text(const char *text);
/** Writes @p value with objects and lists of objects spread over lines down to @p depth, everything else on one line. */
void cli_json_write(const json_t *value, int depth, FILE *out);
