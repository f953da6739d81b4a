/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of the language share. */
#pragma once

#include <sweep/sweep.h>

/* `exclude` and `keep`: tests that must all hold of a run. */
typedef struct SweepTest {
    char *axis;
    bool differs;    /* `!=` */
    char **patterns; /* one of them */
    WwLocation at;
} SweepTest;

typedef struct SweepRule {
    bool keep;
    GPtrArray *tests; /* SweepTest */
    WwLocation at;
} SweepRule;

/** A text that is being read, and where. */
typedef struct SweepText {
    WwSweep *sweep;
    const char *name;   /* for locations; lives as long as the sweep */
    const char *folder; /* names of files are looked for there; NULL: here */
    const char *at;     /* the next character; the text ends with a NUL */
    const char *line_at;
    uint32_t line;
} SweepText;

/** Sets an error "FILE:LINE:COLUMN: ..."; false. */
bool sweep_fail(const WwLocation *at, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* ---- making (sweep.c) ------------------------------------------------------------------------------------------- */

WwSweepOption *sweep_option_new(const WwSweepWord *word, const char *value, const WwLocation *at);
WwSweepValue *sweep_value_new(const char *name, const WwLocation *at);
WwSweepAxis *sweep_axis_new(const char *name, const WwLocation *at);
SweepRule *sweep_rule_new(bool keep, const WwLocation *at);

/* ---- values (values.c) ------------------------------------------------------------------------------------------ */

/** Adds option @p word with what stands behind it, @p text, to @p options. A pattern of traces must find exactly one here. */
bool sweep_add_option(const SweepText *t, GPtrArray *options, const WwSweepWord *word,
                      const char *text, const WwLocation *at, GError **error);
/** Adds a value of axis @p axis that sets @p word, or parameter @p path; @p name NULL: after what it is. A pattern adds as many as it finds. */
bool sweep_add_values(const SweepText *t, WwSweepAxis *axis, const WwSweepWord *word,
                      const char *path, const char *name, const char *text, const WwLocation *at,
                      GError **error);
/** Gives names to values that have none; they are unique. */
bool sweep_name_values(WwSweepAxis *axis, GError **error);
