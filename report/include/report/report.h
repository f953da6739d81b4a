/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Results of one run or several as one page that needs nothing else: tables and pictures in HTML and SVG, and scripts for what moves.
 * docs/report.md says what it shows and how figures are counted.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include <warpwright/base.h>

/** Runs that a page shows side by side. */
#define WW_REPORT_MOST 8u

/** A number, 0 for anything else: a whole one has 64 bits without a sign, as counters have. */
static inline double ww_report_number(const json_t *value)
{
    return json_is_integer(value) ? (double)(uint64_t)json_integer_value(value)
                                  : json_number_value(value);
}

/** Newly allocated: words (NULL-terminated) as a shell takes them. */
char *ww_report_command(const char *const *words);
/**
 * Newly allocated: the @p value at @p path of `resolved` as JSON has it, with whole numbers as ww_report_number() takes them; NULL: "-".
 * That of a clock is in MHz.
 */
char *ww_report_text(const char *path, const json_t *value);
/** Is @p path one of `resolved` by which nothing of the platform of this @p result goes? */
static inline bool ww_report_unused(const json_t *result, const char *path)
{
    const json_t *all = json_object_get(result, "unused");
    bool found = false;
    for (size_t i = 0; i < json_array_size(all); i++) {
        found |= g_strcmp0(json_string_value(json_array_get(all, i)), path) == 0;
    }
    return found;
}

/** The value at @p path of `resolved` of this @p result, as text; "-" if it has none. With " (unused)" if it is. Newly allocated. */
char *ww_report_setting(const json_t *result, const char *path);

/** Is @p statistic one of a type that @p module brings (NULL: any module that @p result names)? */
bool ww_report_of_module(const json_t *result, const char *module, const char *statistic);

/** A run: the file's name, for people, and what was in it. */
typedef struct WwReportRun {
    const char *file;
    const json_t *result;
} WwReportRun;

/**
 * Has @p run the form that a page can be made of, and figures be compared? Members that are not there are missed; one of another kind is
 * an error that names the file, the member and what was expected.
 */
bool ww_report_check(const WwReportRun *run, GError **error);
/** Writes the page of @p n runs, which have been checked; errors stay in @p out. @p version is that of the program. */
void ww_report_write(const WwReportRun *runs, uint32_t n, const char *version, FILE *out);
