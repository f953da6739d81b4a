/* SPDX-License-Identifier: Apache-2.0 */
/** @file CSV, record by record, as RFC 4180 has it and as other programs write it. */
#pragma once

#include "cli-priv.h"

typedef struct CliCsv {
    const char *path;
    FILE *in;
    GPtrArray *fields; /**< Of the record, char *, without blanks around them. */
    GString *field;
    uint32_t line;  /**< Where the reader is, */
    uint32_t first; /**< and where the record began. */
} CliCsv;

bool cli_csv_open(CliCsv *r, const char *path, GError **error);
void cli_csv_close(CliCsv *r);
/**
 * The next record into `fields`; none of them: the file has ended. @p loose: what is read may be no CSV, as what a program prints before
 * it; quotes end with their line, and nothing is an error.
 */
bool cli_csv_next(CliCsv *r, bool loose, GError **error);
/** An error of the record: "FILE:LINE: what". False. */
bool cli_csv_fail(const CliCsv *r, GError **error, const char *what);
