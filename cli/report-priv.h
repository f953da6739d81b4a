/* SPDX-License-Identifier: Apache-2.0 */
/** @file How the report for people fits where it is shown: into the columns of a terminal; on a pipe or in a file nothing is cut. */
#pragma once

#include "cli-priv.h"

typedef struct ReportPage {
    FILE *out;
    uint32_t width; /**< Columns; 0: as many as there is text. */
} ReportPage;

ReportPage report_page(FILE *out);
/** Columns for a thing that takes @p want of them where @p others are taken: fewer, but not below @p least, where it does not fit. */
uint32_t report_fit(const ReportPage *page, uint32_t want, uint32_t others, uint32_t least);
/** @p text in @p columns, cut only if that is what the page has for it; padded; newly allocated. */
char *report_text(const char *text, uint32_t columns);

/** A line of a section: a name, a number, a share of something (below 0: none) and a bar for it, and another name for it. */
typedef struct ReportRow {
    const char *text, *number;
    double share;
    bool bar;
    const char *alias; /**< Or NULL: the section has none. */
} ReportRow;
void report_row(const ReportPage *page, const ReportRow *row);
/** Words of @p text, on lines that fit; those after the first begin with four blanks. */
void report_wrap(const ReportPage *page, const char *text);
