/* SPDX-License-Identifier: Apache-2.0 */
/** @file Logs as texts, drawn into memory. */
#pragma once

#include <view/view.h>

/** Draws the lines of @p log as @p spec says (its `out` and `name` are set here). What was written, or NULL with @p error; @p notes gets the notes, unless NULL. */
char *view_draw(const WwViewSpec *spec, const char *log, size_t *size, char ***notes,
                GError **error);
/** The same in format @p format, which must be good. */
char *view_text(WwViewFormat format, const char *log);

void test_konata(void);
void test_perfetto(void);
void test_vcd(void);
void test_refused(void);
